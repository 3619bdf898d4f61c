// A run of a program that has no machine: lines and values, one state after the other.

/** As much of a run as the page asks of one. */
class Steps {
  constructor({ all, back }, partition) {
    this.partition = partition;
    this.all = all;
    this.back = back;
    this.length = all.length;
    this.reach = back === null ? all.length : all.length + Math.min(3 * (all.length - back), 3000);
  }
  place(step) {
    if (step < this.length) return { at: step, rounds: 0 };
    const round = this.length - this.back;
    const over = step - this.length;
    return { at: this.back + (over % round), rounds: 1 + Math.floor(over / round) };
  }
  /** The line of a step, and the values of the variables of the partition. */
  state(step) {
    const [line, , values] = this.all[this.place(step).at];
    const named = new Map(values);
    return { line, state: this.partition.variables.map((name) => whole(named.get(name))) };
  }
  /** Whether a part of the claim is true at a step, as far as the cells say. */
  value(part, step) {
    if (!this.partition) return undefined;
    const { line, state } = this.state(step);
    return this.partition.value(part, line, state);
  }
  /** Where a part of the claim has its value from. */
  because(part, step) {
    const { line, state } = this.state(step);
    const { rows } = this.partition.terms[part];
    if (rows) return "By the values of the variables.";
    const cells = this.partition.cellsAt(line, state).filter((cell) => cell !== undefined);
    if (!cells.length) return "No cell is known for these values.";
    const ranks = cells.flatMap((cell) => this.partition.ranks[part].get(cell) || []);
    return `The state is in cell ${cells.join(", ")}, see below${ranks.length
      ? `; what falls on the way is ${ranks.map((sum) => `${this.partition.showSum(sum)} = ${valueOf(sum, state)}`).join(", ")}` : ""}.`;
  }
}

/** The steps with controls, the values, and the program with its line. */
class StepsView {
  constructor(view) {
    this.view = view;
    this.run = view.run;
    this.notes = new Map();
    for (const [at, text] of view.claim.steps.notes) {
      this.notes.set(at, [...(this.notes.get(at) || []), text]);
    }
    this.slider = el("input", {
      type: "range", id: "slider", min: 1, max: this.run.reach, value: 1, "aria-label": "Step",
      oninput: (event) => this.go(Number(event.target.value) - 1),
    });
    const button = (name, title, step) => el("button", { title, onclick: () => this.go(step()) }, name);
    const here = () => this.view.step;
    this.count = el("span", { class: "dim", id: "step-count" });
    this.list = new Rows({
      height: 24, count: this.run.length + (this.run.back === null ? 0 : 1), label: "Steps",
      kind: "steps", draw: (i) => this.row(i),
    });
    this.element = el("div", {},
      el("div", { class: "controls" },
        button("|◀", "First step (Home)", () => 0), button("◀", "Back (←)", () => here() - 1),
        button("▶", "On (→)", () => here() + 1), button("▶|", "Last step (End)", () => this.run.length - 1),
        this.slider, this.count),
      this.list.element);
    this.values = el("div", { id: "values" });
    this.beside = el("div", {}, this.values,
      view.claim.replayed && el("p", { class: "holds" }, "replayed by an interpreter"));
    const [name, text] = view.model.raw.texts[0] || ["", ""];
    this.lines = text.split("\n");
    this.source = new Rows({
      height: 19, count: this.lines.length, label: `Program ${name}`, kind: "source",
      prints: nearLines(this.lines.length, this.run.all.map(([line]) => line)),
      draw: (i) => el("div", { class: `line${i + 1 === this.line ? " here" : ""}` },
        el("span", { class: "number" }, String(i + 1)), el("span", { class: "code" }, this.lines[i])),
    });
    this.graph = this.flow();
    this.below = el("div", { class: `view-grid${this.graph ? "" : " alone"}` },
      this.graph && el("section", { class: "panel", id: "graph" }, this.graph.element),
      el("section", { class: "panel", id: "source" }, el("h3", { class: "plain" }, name), this.source.element));
    this.list.refresh(true);
  }

  /** The flow graph of the program, if it is drawn. */
  flow() {
    const [machine] = this.view.model.machines;
    const picture = machine && machine.raw.components.length && machine.raw.components[0].picture;
    if (!picture) return null;
    this.nodes = new Map();
    for (const node of machine.raw.nodes.ids) {
      const origin = machine.origin(node);
      const line = origin ? origin.line : 0;
      if (!this.nodes.has(line)) this.nodes.set(line, []);
      this.nodes.get(line).push(node);
    }
    return new Graph(machine, picture, { label: "Flow graph", title: "Flow graph",
      more: el("a", { href: `#machine&model=${this.view.model.index + 1}` }, "in the machine") });
  }

  /** Marks the line in the flow graph, and those that the run comes by. */
  mark(line) {
    if (!this.graph) return;
    const items = (at) => (this.nodes.get(at || 0) || []).map((node) => this.graph.item(0, node)).filter(Boolean);
    const passed = new Set(this.run.all.map(([at]) => at || 0));
    const here = items(line);
    this.graph.mark([...[...passed].flatMap(items).map((item) => ["lit", item.group]),
      ...here.map((item) => ["here", item.group])]);
    this.graph.reveal(here[0]);
  }

  go(step) {
    const to = Math.max(0, Math.min(step, this.run.reach - 1));
    if (to !== this.view.step) go(addressOf({ ...this.view, telling: 0, run: 0, step: to }), true);
  }

  row(i) {
    if (i === this.run.length) {
      return el("div", { class: "fold", id: "ending", onclick: () => this.go(i) },
        el("span", { class: "number" }, "↻"), el("span", { class: "grow" }, `and so on from step ${this.run.back + 1}`));
    }
    const [line, labels, values] = this.run.all[i];
    const before = new Map(i > 0 ? this.run.all[i - 1][2] : []);
    const changed = values.filter(([name, value]) => before.get(name) !== value);
    return el("div", { class: `step${i === this.view.step ? " here" : ""}`, onclick: () => this.go(i) },
      el("span", { class: "number" }, String(i + 1)),
      el("span", { class: "grow" }, line ? `line ${line}  ` : "end  ",
        labels.length ? el("span", { class: "labels" }, `{${labels.join(", ")}} `) : null,
        el("span", { class: "dim" }, changed.map(([name, value]) => `${name} = ${value}`).join(", ")), " ",
        (this.notes.get(i) || []).map((text) => el("span", { class: "mark" }, `← ${text} `))));
  }

  update() {
    const { step } = this.view;
    const { at, rounds } = this.run.place(step);
    this.slider.value = String(step + 1);
    this.count.textContent = rounds ? `step ${step + 1}, round ${rounds + 1}`
      : `step ${step + 1} of ${this.run.length}${this.run.back === null ? "" : ", endless"}`;
    for (const row of this.list.shown.values()) row.classList.remove("here");
    this.list.reveal(at);
    const shown = this.list.shown.get(at);
    if (shown) shown.classList.add("here");
    const [line, , values] = this.run.all[at];
    const before = new Map(step > 0 ? this.run.all[this.run.place(step - 1).at][2] : []);
    this.values.replaceChildren(el("p", {}, line ? `at line ${line}` : "at the end"),
      el("table", { class: "values" }, values.slice(0, 200).map(([name, value]) =>
        el("tr", { class: before.has(name) && before.get(name) !== value ? "changed" : undefined },
          el("th", {}, name), el("td", {}, value)))));
    this.mark(line);
    const old = this.source.shown.get(this.line - 1);
    if (old) old.classList.remove("here");
    this.line = line || undefined;
    this.source.refresh(!this.source.shown.size);
    if (!line) return;
    this.source.reveal(line - 1, true);
    const row = this.source.shown.get(line - 1);
    if (row) row.classList.add("here");
  }
}
