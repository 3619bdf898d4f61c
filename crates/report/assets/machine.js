// The machine: a list of components, graphs of those that are opened, and the calls.

class MachineView {
  constructor(model, number) {
    this.model = model;
    this.machine = model.machines[number];
    this.number = number;
    this.open = [];
    const { raw } = this.machine;
    this.cards = el("div", { id: "components" });
    this.found = raw.components.map((_, i) => i);
    this.list = new Rows({
      height: 26, count: this.found.length, label: "Components", kind: "components",
      draw: (i) => this.entry(this.found[i]),
    });
    const search = el("input", {
      type: "search", placeholder: "Find a component", "aria-label": "Find a component",
      oninput: (event) => {
        const text = event.target.value.trim().toLowerCase();
        this.found = raw.components.map((_, i) => i)
          .filter((i) => raw.components[i].name.toLowerCase().includes(text));
        this.list.count = this.found.length;
        this.list.element.scrollTop = 0;
        this.list.refresh(true);
      },
    });
    this.details = el("section", { class: "panel", id: "details", hidden: true });
    this.element = el("article", { id: "machine" },
      el("h2", {}, "The machine of ", model.raw.name),
      el("p", { class: "facts" }, el("span", {}, sizesOf(raw)),
      raw.abstract && el("span", {}, "abstract: dotted arrows are only possible, labels with ? unknown")),
      el("div", { class: "machine-grid" },
        el("div", {}, el("section", { class: "panel" },
          el("div", { class: "filters" }, search,
            raw.calls && el("button", { id: "call-graph", onclick: () => this.showCalls() }, "Call graph")),
          this.list.element), this.details),
        this.cards));
    for (const component of this.first()) this.add(component);
    requestAnimationFrame(() => this.open.forEach((card) => this.begin(card)));
  }

  /** What is drawn at first: where the program begins. */
  first() {
    const found = new Set();
    for (const node of this.machine.raw.initial) {
      const component = this.machine.componentOf(node);
      if (component !== undefined) found.add(component);
    }
    return [...found].slice(0, 2);
  }

  entry(component) {
    const { name, nodes, boxes } = this.machine.raw.components[component];
    return el("a", {
      href: `#machine=${component + 1}&model=${this.model.index + 1}`,
      title: `${name}: ${counted(nodes, "node")}, ${boxes === 1 ? "1 box" : `${boxes} boxes`}`,
      class: this.open.some((card) => card.component === component) ? "here" : "",
    }, el("span", { class: "grow" }, name), el("span", { class: "dim" }, `${nodes} + ${boxes}`));
  }

  /** Shows a component, below the one that it is called from if it was opened from there. */
  add(component, after) {
    const known = this.open.find((card) => card.component === component);
    if (known) return known;
    const { name, nodes, picture, calls } = this.machine.raw.components[component];
    const card = { component };
    const close = el("button", {
      title: "Close", onclick: () => {
        card.element.remove();
        this.open = this.open.filter((other) => other !== card);
        this.list.refresh(true);
      },
    }, "close");
    card.graph = picture && new Graph(this.machine, picture, {
      label: `Component ${name}`, title: name, more: close,
      on: (kind, id) => {
        if (kind === 1) this.show(this.machine.callee(id), card);
        else this.describe(id, card);
      },
    });
    card.element = el("section", { class: "panel component-card", id: `component-${component + 1}` },
      card.graph ? card.graph.element : [el("h3", {}, name), el("p", { class: "dim" },
        `${counted(nodes, "node")}: too large for this page. \`tern draw --component\` draws it.`), close],
      picture && picture.left_out ? el("p", { class: "dim" },
        `${counted(picture.left_out, "node")} left out; \`tern draw --component\` draws all.`) : null,
      calls.length ? el("p", { class: "dim" }, "calls ", calls.slice(0, 30).flatMap((callee, i) => [i ? ", " : "",
        el("a", { href: `#machine=${callee + 1}&model=${this.model.index + 1}` }, this.machine.componentName(callee))]),
      calls.length > 30 ? ` and ${calls.length - 30} more` : "") : null);
    if (after) after.element.after(card.element);
    else this.cards.append(card.element);
    this.open.push(card);
    this.list.refresh(true);
    return card;
  }

  /** Scrolls to where a component begins. */
  begin({ graph }) {
    if (!graph) return;
    const items = [...graph.drawing.items];
    const first = items.find(([key]) => key.startsWith("0 ") && this.machine.flags(Number(key.slice(2))) & 5);
    graph.reveal((first || items[0] || [])[1]);
  }

  show(component, after) {
    if (!this.machine.raw.components[component]) return;
    const card = this.add(component, after);
    card.element.scrollIntoView({ block: "nearest" });
    this.begin(card);
    if (card.graph) card.graph.frame.focus({ preventScroll: true });
  }

  showCalls() {
    if (!this.calls) {
      this.calls = { component: -1 };
      this.calls.graph = new Graph(this.machine, this.machine.raw.calls, {
        label: "Call graph", title: "Call graph",
        more: el("button", { onclick: () => this.calls.element.remove() }, "close"),
        on: (kind, id) => this.show(id),
      });
      this.calls.element = el("section", { class: "panel component-card", id: "calls" }, this.calls.graph.element);
    }
    this.cards.prepend(this.calls.element);
    this.calls.graph.fit();
  }

  describe(node, card) {
    const origin = this.machine.origin(node);
    const flags = this.machine.flags(node);
    const item = card.graph.item(0, node);
    card.graph.mark(item ? [["chosen", item.group]] : []);
    const values = this.machine.valuesOf(node);
    this.details.hidden = false;
    this.details.replaceChildren(el("h3", {}, "Node"), el("p", {}, el("code", {}, this.machine.path(node))),
      el("p", { class: "dim" }, [flags & 4 && "initial", flags & 1 && "entry", flags & 2 && "returns",
        origin && `${origin.file}:${origin.line}`].filter(Boolean).join(", ")),
      el("p", {}, "labels: ", el("span", { class: "labels" }, this.machine.labelsOf(node).join(", ") || "none that claims speak of")),
      values.length ? el("table", { class: "values" }, values.slice(0, 100).map(([name, value]) =>
        el("tr", {}, el("th", {}, name), el("td", {}, value)))) : "");
  }
}
