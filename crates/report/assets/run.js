// A run: its steps, the stack, and where they are in the machine and in the program.

/** Which lines of a program are printed: a short one whole, of a long one what is near a run. */
function nearLines(count, passed) {
  if (count <= 150) return undefined;
  const near = new Set([...passed].flatMap((line) => Array.from({ length: 9 }, (_, i) => line - 5 + i)));
  return (index) => near.has(index);
}

class RunView {
  constructor(view) {
    this.view = view;
    this.run = view.run;
    this.machine = view.machine;
    this.open = new Set();
    this.marks = new Map();
    for (const mark of this.run.raw.marks || []) {
      if (!this.marks.has(mark.at)) this.marks.set(mark.at, []);
      this.marks.get(mark.at).push(mark);
    }
    this.slider = el("input", {
      type: "range", id: "slider", min: 1, max: this.run.reach, value: 1, "aria-label": "Step",
      oninput: (event) => this.go(Number(event.target.value) - 1),
    });
    const button = (name, title, step) => el("button", { title, onclick: () => this.go(step()) }, name);
    const here = () => this.view.step;
    this.count = el("span", { class: "dim", id: "step-count" });
    this.list = new Rows({
      height: 24, count: 0, label: "Steps", kind: "steps", draw: (i) => this.row(this.rows[i]),
    });
    this.fold();
    this.element = el("div", {},
      el("div", { class: "controls" },
        button("|◀", "First step (Home)", () => 0), button("◀", "Back (←)", () => here() - 1),
        button("▶", "On (→)", () => here() + 1), button("▶|", "Last step (End)", () => this.run.length - 1),
        this.slider, this.count),
      this.list.element);
    this.stack = el("ol", { class: "stack", id: "stack", "aria-label": "Call stack, innermost first" });
    this.labels = el("p", { id: "labels" });
    this.values = el("div", { id: "values" });
    this.beside = el("div", {}, this.stack, this.labels, this.values);
    this.graphs = new Map();
    this.graphPlace = el("section", { class: "panel", id: "graph" });
    this.sourcePlace = el("section", { class: "panel", id: "source" });
    this.heap = new HeapView(this.run, this.machine);
    this.below = el("div", { class: "view-grid" }, this.heap.place, this.graphPlace, this.sourcePlace);
    this.passed = new Set(this.run.raw.nodes);
  }

  go(step) {
    const to = Math.max(0, Math.min(step, this.run.reach - 1));
    if (to === this.view.step) return;
    go(addressOf({
      model: this.view.model, index: this.view.index, telling: this.view.tellingIndex,
      run: this.view.runIndex, step: to,
    }), true);
  }

  /** What is listed: steps, and rows that stand for repetitions. */
  fold() {
    this.rows = [];
    this.rowOf = new Map();
    let at = 0;
    const step = () => {
      this.rowOf.set(at, this.rows.length);
      this.rows.push({ step: at++ });
    };
    (this.run.raw.folds || []).forEach(([from, length, times], number) => {
      while (at < from + length) step();
      const end = from + length * times;
      const row = { fold: number, from: at, end, length, times };
      this.rows.push(row);
      if (this.open.has(number)) {
        while (at < end) step();
      } else {
        for (; at < end; at++) this.rowOf.set(at, this.rows.length - 1);
      }
    });
    while (at < this.run.length) step();
    if (this.run.endless) this.rows.push({ ending: true });
    this.list.count = this.rows.length;
    this.list.refresh(true);
  }

  row(row) {
    if (row.ending) {
      const { back, pumped } = this.run.raw;
      const boxes = (pumped || []).slice(0, 6).map((box) => this.machine.boxName(box)).join(" ");
      return el("div", { class: "fold", id: "ending", onclick: () => this.go(this.run.length) },
        el("span", { class: "number" }, pumped ? "⤵" : "↻"),
        el("span", { class: "grow" }, `and so on from step ${back + 1}`,
          pumped ? `, deeper for ever: ${boxes}${pumped.length > 6 ? " …" : ""} each time` : ""));
    }
    if (row.fold !== undefined) {
      const open = this.open.has(row.fold);
      return el("div", {
        class: "fold repetition", tabindex: "0", title: "Click to open or close",
        onclick: () => {
          if (!this.open.delete(row.fold)) this.open.add(row.fold);
          this.fold();
          this.update();
        },
      }, el("span", { class: "number" }, open ? "▾" : "▸"),
      el("span", { class: "grow" }, `${row.length === 1 ? "this step" : `these ${row.length} steps`}, ${row.times} times in all${
        open ? "" : `: steps ${row.from + 1} to ${row.end}`}`));
    }
    const { step } = row;
    const node = this.run.node(step);
    const indent = "  ".repeat(Math.min(this.run.depth(step), 12));
    const labels = this.named(node);
    const marks = (this.marks.get(step) || []).map((mark) => {
      const text = said(this.view.telling.tree, mark.formula);
      const short = text.length > 60 ? `${text.slice(0, 58)}…` : text;
      return `← ${short} ${mark.perhaps ? "perhaps " : ""}${mark.holds ? "holds" : "fails"}${mark.for_ever ? " for ever" : ""}`;
    }).join("  ");
    return el("div", { class: `step${step === this.view.step ? " here" : ""}`, onclick: () => this.go(step) },
      el("span", { class: "number" }, String(step + 1)),
      el("span", { class: "grow", title: node >= 0 ? this.machine.path(node) : undefined },
        `${indent}${node >= 0 ? this.machine.path(node) : this.machine.nodeName(node)}  `,
        labels.length ? el("span", { class: "labels" }, `{${labels.join(", ")}} `) : null,
        el("span", { class: "dim" }, this.run.move(step)), " ",
        marks && el("span", { class: "mark" }, marks)));
  }

  /** The labels of a node that this claim speaks of. */
  named(node) {
    if (!this.atoms) {
      this.atoms = new Set(this.view.telling.tree.filter((part) => part.op === "atom")
        .flatMap((part) => [part.name, `${part.name}?`]));
    }
    return this.machine.labelsOf(node).filter((label) => this.atoms.has(label));
  }

  update() {
    const { step } = this.view;
    const { at, rounds } = this.run.place(step);
    this.slider.value = String(step + 1);
    this.count.textContent = rounds
      ? `step ${step + 1}, round ${rounds + 1}` : `step ${step + 1} of ${this.run.length}${this.run.endless ? ", endless" : ""}`;
    for (const row of this.list.shown.values()) row.classList.remove("here");
    const index = this.rowOf.get(at);
    this.list.reveal(index);
    const shown = this.list.shown.get(index);
    if (shown) shown.classList.add("here");
    this.showStack(step);
    this.showValues(step);
    this.showGraph(step);
    this.showSource(step);
  }

  showStack(step) {
    const node = this.run.node(step);
    const component = this.machine.componentOf(node);
    const frames = this.run.stack(step);
    const lines = [el("li", {}, node < 0 ? "the program has ended"
      : `${component === undefined ? "" : this.machine.componentName(component)}.${this.machine.nodeName(node)}`)];
    for (const box of frames.slice(0, 200)) {
      lines.push(el("li", {}, `${this.machine.componentName(this.machine.caller(box))}.${this.machine.boxName(box)}`));
    }
    if (frames.length > 200) lines.push(el("li", { class: "dim" }, `and ${frames.length - 200} more calls`));
    this.stack.replaceChildren(...lines);
    const labels = this.machine.labelsOf(node);
    this.labels.replaceChildren(el("span", { class: "dim" }, `depth ${frames.length}, labels: `),
      el("span", { class: "labels" }, labels.slice(0, 40).join(", ") || "none"));
  }

  showValues(step) {
    const values = this.machine.valuesOf(this.run.node(step));
    const before = new Map(step > 0 ? this.machine.valuesOf(this.run.node(step - 1)) : []);
    if (!values.length) {
      this.heap.show(step);
      this.values.replaceChildren();
      return;
    }
    const heap = this.heap.show(step);
    this.below.classList.toggle("heaps", Boolean(heap));
    const plain = heap ? heap.rest : values;
    const table = el("table", { class: "values" }, plain.slice(0, 200).map(([name, value]) =>
      el("tr", { class: before.has(name) && before.get(name) !== value ? "changed" : undefined },
        el("th", {}, name), el("td", {}, value))));
    this.values.replaceChildren(...(plain.length ? [el("h3", {}, "Values"), table] : []));
  }

  showGraph(step) {
    const node = this.run.node(step);
    const component = this.machine.componentOf(node);
    if (component === undefined) return;
    const { picture } = this.machine.raw.components[component];
    if (!this.graphs.has(component)) {
      const name = this.machine.componentName(component);
      this.graphs.set(component, picture ? new Graph(this.machine, picture, {
        label: `Component ${name}`, title: name,
        more: el("a", { href: `#machine=${component + 1}&model=${this.view.model.index + 1}` }, "in the machine"),
        on: (kind, id) => {
          if (kind === 1) go(`#machine=${this.machine.callee(id) + 1}&model=${this.view.model.index + 1}`);
        },
      }) : null);
    }
    const graph = this.graphs.get(component);
    if (this.shownGraph !== component) {
      this.shownGraph = component;
      this.graphPlace.replaceChildren(graph ? graph.element
        : el("p", { class: "dim" }, "This component is not drawn: the machine is too large for a page."),
      ...(picture && picture.left_out ? [el("p", { class: "dim" },
        `${counted(picture.left_out, "node")} of this component left out`)] : []));
    }
    if (!graph) return;
    const here = graph.item(0, node);
    const marks = [...graph.drawing.items].filter(([key]) =>
      key.startsWith("0 ") && this.passed.has(Number(key.slice(2))))
      .map(([, item]) => ["lit", item.group]);
    if (here) marks.push(["here", here.group]);
    const { box } = (this.run.lists(), this.run.moves[this.run.place(step).at] || {});
    const call = box !== undefined && graph.item(1, box);
    if (call) marks.push(["lit", call.group]);
    graph.mark(marks);
    graph.reveal(here);
  }

  showSource(step) {
    const origin = this.machine.origin(this.run.node(step));
    if (this.texts === undefined) this.texts = new Map(this.view.model.raw.texts);
    const find = (name) => this.texts.has(name) ? name
      : [...this.texts.keys()].find((key) => key.split("/").pop() === name.split("/").pop());
    // Where nodes do not know their lines, the text is shown all the same.
    const name = origin ? find(origin.file) : this.shownFile || this.texts.keys().next().value;
    this.below.classList.toggle("alone", name === undefined);
    this.sourcePlace.hidden = name === undefined;
    if (name === undefined) return;
    if (this.shownFile !== name) {
      this.shownFile = name;
      const lines = this.texts.get(name).split("\n");
      const passed = new Set([...this.passed].map((node) => this.machine.origin(node))
        .filter((it) => it && find(it.file) === name).map((it) => it.line));
      this.source = new Rows({
        height: 19, count: lines.length, label: `Program ${name}`, kind: "source",
        prints: nearLines(lines.length, passed),
        draw: (i) => el("div", {
          class: `line${passed.has(i + 1) ? " passed" : ""}${this.line === i + 1 ? " here" : ""}`,
        }, el("span", { class: "number" }, String(i + 1)), el("span", { class: "code" }, lines[i])),
      });
      this.sourcePlace.replaceChildren(el("h3", { class: "plain" }, name), this.source.element);
    }
    const old = this.source.shown.get(this.line - 1);
    if (old) old.classList.remove("here");
    this.line = origin ? origin.line : undefined;
    this.source.refresh(!this.source.shown.size);
    if (this.line === undefined) return;
    this.source.reveal(this.line - 1, true);
    const row = this.source.shown.get(this.line - 1);
    if (row) row.classList.add("here");
  }
}
