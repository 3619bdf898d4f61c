// What the page shows: the block of data, with names and runs as they are asked for.

const data = JSON.parse(document.getElementById("data").textContent);

/** A machine: names by number. */
class Machine {
  constructor(raw) {
    this.raw = raw;
    this.at = new Map(raw.nodes.ids.map((id, index) => [id, index]));
    this.files = raw.files;
  }
  nodeName(id) {
    if (id < 0) return "the program has ended";
    const index = this.at.get(id);
    return index === undefined ? `node ${id}` : this.raw.nodes.names[index];
  }
  componentOf(id) {
    const index = this.at.get(id);
    return index === undefined ? undefined : this.raw.nodes.components[index];
  }
  flags(id) {
    const index = this.at.get(id);
    return index === undefined ? 0 : this.raw.nodes.flags[index];
  }
  componentName(id) { return this.raw.components[id].name; }
  path(id) {
    const component = this.componentOf(id);
    return component === undefined ? this.nodeName(id)
      : `${this.componentName(component)}.${this.nodeName(id)}`;
  }
  boxName(id) { return this.raw.boxes.names[id]; }
  callee(id) { return this.raw.boxes.callees[id]; }
  caller(id) { return this.raw.boxes.components[id]; }
  exitName(id) { return this.raw.exits[id]; }
  /** File and line that a node comes from. */
  origin(id) {
    const index = this.at.get(id);
    if (index === undefined) return undefined;
    const [file, line] = this.raw.nodes.origins.slice(2 * index, 2 * index + 2);
    return file < 0 ? undefined : { file: this.files[file], line };
  }
  /** The labels of a node that claims speak of; those that are unknown with a question mark. */
  labelsOf(id) {
    if (!this.byNode) {
      this.byNode = new Map();
      const add = (node, name) => {
        if (!this.byNode.has(node)) this.byNode.set(node, []);
        this.byNode.get(node).push(name);
      };
      for (const [name, sure, unknown] of this.raw.labels) {
        for (const node of sure) add(node, name);
        for (const node of unknown) add(node, `${name}?`);
      }
    }
    return this.byNode.get(id) || [];
  }
  valuesOf(id) { return (this.raw.values && this.raw.values[id]) || []; }
}

const models = data.models.map((raw, index) => ({
  raw, index, claims: raw.claims,
  machines: raw.machines.map((machine) => new Machine(machine)),
}));

/** A run: stacks and values at its configurations, counted from 0. An endless run goes on. */
class Run {
  constructor(telling, index, machine) {
    this.telling = telling;
    this.index = index;
    this.raw = telling.runs[index];
    this.machine = machine;
    this.length = this.raw.nodes.length;
    this.endless = this.raw.back !== undefined;
    /** How many configurations one round has, and how many can be stepped to. */
    this.round = this.endless ? this.length - this.raw.back : 0;
    this.reach = this.endless ? this.length + Math.max(1, Math.min(this.round * 3, 3000))
      : this.length;
    this.values = new Map();
    this.stacks = undefined;
  }
  /** Where a step of an endless run is in the first round, and how many rounds it is on. */
  place(step) {
    if (step < this.length) return { at: step, rounds: 0 };
    const over = step - this.length;
    return { at: this.raw.back + (over % this.round), rounds: 1 + Math.floor(over / this.round) };
  }
  node(step) { return this.raw.nodes[this.place(step).at]; }
  kind(step) { return this.raw.kinds[this.place(step).at]; }
  /** The stack of each configuration, as a list from the top. */
  lists() {
    if (this.stacks) return this.stacks;
    let stack = this.begin();
    let box = 0;
    this.stacks = [stack];
    this.moves = [];
    let exit = 0;
    for (let at = 0; at < this.raw.kinds.length; at++) {
      const kind = this.raw.kinds[at];
      const move = {};
      if (kind === "r" || kind === "x") {
        move.exit = this.raw.exits[exit++];
        stack = stack ? stack.below : null;
      }
      if (kind === "c" || kind === "x") {
        move.box = this.raw.boxes[box++];
        stack = { box: move.box, below: stack, depth: (stack ? stack.depth : 0) + 1 };
      }
      this.moves.push(move);
      this.stacks.push(stack);
    }
    return this.stacks;
  }
  begin() {
    if (!this.raw.above) return null;
    const [run, step] = this.raw.above;
    return new Run(this.telling, run, this.machine).lists()[step];
  }
  /** The boxes of the calls that are open, innermost first. */
  stack(step) {
    const { at, rounds } = this.place(step);
    const list = [];
    const base = this.endless ? this.lists()[this.raw.back] : null;
    const bottom = rounds && base ? base.depth : 0;
    for (let frame = this.lists()[at]; frame; frame = frame.below) {
      if (rounds && frame.depth === bottom) break;
      list.push(frame.box);
    }
    if (!rounds) return list;
    const pumped = this.raw.pumped || [];
    for (let i = 0; i < rounds; i++) list.push(...pumped.slice().reverse());
    for (let frame = base; frame; frame = frame.below) list.push(frame.box);
    return list;
  }
  depth(step) {
    const frame = this.lists()[this.place(step).at];
    return frame ? frame.depth : 0;
  }
  /** What happens after a step, in words. */
  move(step) {
    const { at } = this.place(step);
    this.lists();
    const kind = this.raw.kinds[at];
    if (kind === undefined) return "";
    const { box, exit } = this.moves[at];
    const perhaps = this.raw.perhaps && this.raw.perhaps.includes(at) ? "perhaps " : "";
    const calls = () =>
      `calls ${this.machine.componentName(this.machine.callee(box))} by ${this.machine.boxName(box)}`;
    const returns = () => `returns by ${this.machine.exitName(exit)}`;
    switch (kind) {
      case "c": return perhaps + calls();
      case "r": return perhaps + returns();
      case "x": return `${perhaps}${returns()}; the caller ${calls()}`;
      case "=": return `${perhaps}stays`;
      case "!": return `${perhaps}ends`;
      default: return perhaps && "perhaps steps";
    }
  }
  /** Whether a subformula holds at a step: true, false, or undefined if nothing settles it. */
  value(part, step) {
    const { at, rounds } = this.place(step);
    // A configuration with a grown stack is another one: what is known of it are its labels.
    if (rounds && this.raw.pumped && this.telling.tree[part].op !== "atom") return undefined;
    if (!this.values.has(part)) {
      const row = this.raw.values.find(([number]) => number === part);
      const list = [];
      if (row) {
        for (const [, letter, count] of row[1].matchAll(/([tfu])(\d+)/g)) {
          const value = { t: true, f: false, u: undefined }[letter];
          for (let i = 0; i < Number(count); i++) list.push(value);
        }
      }
      this.values.set(part, list);
    }
    return this.values.get(part)[at];
  }
}

const BINARY = new Set(["&", "|", "->", "<->", "xor", "U", "R", "W", "M"]);

/** A subformula as text, or what a story calls it. */
function said(tree, what) {
  if (typeof what === "string") return what;
  const part = tree[what];
  const inner = (index) => {
    const text = said(tree, index);
    return BINARY.has(tree[index].op) ? `(${text})` : text;
  };
  if (part.op === "atom" || part.op === "term") return part.name;
  if (!part.of) return part.op;
  if (BINARY.has(part.op)) return `${inner(part.of[0])} ${part.op} ${inner(part.of[1])}`;
  if (part.op === "!") return `!${inner(part.of[0])}`;
  const next = tree[part.of[0]];
  if ((part.op === "A" || part.op === "E") && next.of) {
    if (BINARY.has(next.op)) return `${part.op} [${said(tree, part.of[0])}]`;
    return `${part.op}${said(tree, part.of[0])}`;
  }
  return `${part.op} ${inner(part.of[0])}`;
}
