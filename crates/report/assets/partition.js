// The states of an integer program, divided into cells: a plot of two variables with slices through
// the others, and the cells as a table. Numbers are whole and as large as they like.

const WORDS = { t: "true", f: "false", u: "unknown" };
/** How many points a side of the plot has. */
const SIDE = 41;

class Partition {
  constructor({ variables, terms, points }) {
    Object.assign(this, { variables, terms, points });
    this.ranks = terms.map(({ ranks }) => new Map(ranks.map(([cell, sums]) => [cell, sums.map(readSum)])));
    this.trees = points.map(({ tree }) => tree.map((row) => row && readSum(row)));
    this.invariants = points.map(({ invariant }) => invariant.map(readSum));
  }

  /** The cell that a state is in, or undefined if the program never has these values there. */
  cell(point, values) {
    if (this.invariants[point].some((row) => valueOf(row, values) < 0n)) return undefined;
    const tree = this.trees[point];
    let at = 0;
    let cell = this.points[point].first;
    while (tree[at]) {
      if (valueOf(tree[at], values) >= 0n) {
        at++;
      } else {
        const end = skip(tree, at + 1);
        for (let i = at + 1; i < end; i++) if (!tree[i]) cell++;
        at = end;
      }
    }
    return cell;
  }

  /** The parts of the claim as a tree. */
  tree() {
    return this.terms.map(({ text, of }) => ({ op: "term", name: text, of }));
  }

  /** Whether a part of the claim is true in a state at a line: true, false, or undefined if the
   * cells do not say. Values that are not known are undefined. */
  value(term, line, state) {
    const { op, of, rows, values } = this.terms[term];
    const known = (sum) => sum.factors.every(([variable]) => state[variable] !== undefined);
    if (rows && rows.flat().map(readSum).every(known)) {
      return rows.some((row) => row.map(readSum).every((sum) => valueOf(sum, state) >= 0n));
    }
    const operands = of.map((operand) => this.value(operand, line, state));
    if (op === "!" && operands[0] !== undefined) return !operands[0];
    if (op === "&" || op === "|") {
      const strong = op === "|";
      if (operands.includes(strong)) return strong;
      if (!operands.includes(undefined)) return !strong;
    }
    const letters = new Set(this.cellsAt(line, state).map((cell) => cell === undefined ? "u" : values[cell]));
    return letters.size !== 1 ? undefined : { t: true, f: false }[[...letters][0]];
  }

  /** The cells of a state at the points of a line. */
  cellsAt(line, state) {
    if (state.includes(undefined)) return [];
    const at = this.points.map((_, point) => point).filter((point) => this.points[point].line === (line || 0));
    return at.map((point) => this.cell(point, state)).filter((cell, i, all) => all.length === 1 || cell !== undefined);
  }

  /** The cells of a point with the rows on the way to each. */
  cells(point) {
    const tree = this.trees[point];
    const found = [];
    let cell = this.points[point].first;
    const open = [];
    for (const row of tree) {
      if (row) {
        open.push({ row, holds: true });
        continue;
      }
      found.push({ cell: cell++, rows: open.map(({ row, holds }) => holds ? row : negated(row)) });
      while (open.length && !open[open.length - 1].holds) open.pop();
      if (open.length) open[open.length - 1] = { ...open[open.length - 1], holds: false };
    }
    return found;
  }

  show({ constant, factors }) {
    const side = (sign) => factors.filter(([, factor]) => factor * sign > 0n).map(([variable, factor]) => {
      const size = factor * sign;
      return `${size === 1n ? "" : `${size}*`}${this.variables[variable]}`;
    });
    const [left, right] = [side(1n), side(-1n)];
    if (constant > 0n) left.push(String(constant));
    if (constant < 0n) right.push(String(-constant));
    return [left.join(" + ") || "0", right.join(" + ") || "0"];
  }
  showRow(row) { return this.show(row).join(" ≥ "); }
  showSum(sum) {
    const [plus, minus] = this.show(sum);
    return minus === "0" ? plus : plus === "0" ? `-(${minus})` : `${plus} - ${minus.includes(" + ") ? `(${minus})` : minus}`;
  }
}

function readSum([constant, ...rest]) {
  const factors = [];
  for (let i = 0; i < rest.length; i += 2) factors.push([Number(rest[i]), BigInt(rest[i + 1])]);
  return { constant: BigInt(constant), factors };
}
const valueOf = ({ constant, factors }, values) =>
  factors.reduce((sum, [variable, factor]) => sum + factor * values[variable], constant);
const negated = ({ constant, factors }) =>
  ({ constant: -constant - 1n, factors: factors.map(([variable, factor]) => [variable, -factor]) });
/** Where a part of a tree in preorder ends. */
function skip(tree, at) {
  for (let open = 1; open > 0; at++) open += tree[at] ? 1 : -1;
  return at;
}

/** The panel with the plot and the table. */
class PartitionView {
  constructor(view) {
    this.partition = view.partition;
    this.start = new Map(view.claim.start ? view.claim.start.values : []);
    const { variables, terms, points } = this.partition;
    this.values = variables.map((name) => whole(this.start.get(name)) ?? 0n);
    const options = (list) => list.map((text, i) => el("option", { value: i }, text));
    const select = (id, label, list, chosen, change) => {
      const box = el("select", { id, onchange: () => { change(Number(box.value)); this.draw(); } }, options(list));
      box.value = String(chosen);
      return el("label", {}, `${label} `, box);
    };
    const where = points.map(({ line, labels }) =>
      `${line ? `line ${line}` : "end"}${labels.length ? ` {${labels.join(", ")}}` : ""}`);
    this.point = Math.max(0, points.findIndex(({ line }) => view.claim.start ? line === view.claim.start.line : line));
    this.term = terms.length - 1;
    this.pickAxes();
    const chooseAxis = (axis) => (at) => { this.axes[axis] = at; this.window(); };
    this.axisBoxes = variables.length > 1 ? [
      select("axis-x", "across", variables, this.axes[0], chooseAxis(0)),
      select("axis-y", "up", variables, this.axes[1], chooseAxis(1))] : [];
    this.plot = el("div", { class: "graph", id: "plot" });
    this.said = el("p", { id: "cell", "aria-live": "polite", class: "dim" });
    this.slices = el("div", { class: "controls", id: "slices" });
    this.table = el("div", { id: "cells" });
    const zoom = (text, title, change) => el("button", { title, onclick: () => { change(); this.draw(); } }, text);
    this.element = el("section", { class: "panel", id: "partition" }, el("h3", {}, "States"),
      el("div", { class: "controls" },
        select("point", "at", where, this.point, (at) => { this.point = at; this.window(); }),
        select("term", "where is", terms.map(({ text }) => text.length > 60 ? `${text.slice(0, 58)}…` : text), this.term,
          (at) => { this.term = at; }),
        this.axisBoxes,
        zoom("−", "See more", () => { this.step = this.step.map((step) => step * 2n); }),
        zoom("+", "See less", () => { this.step = this.step.map((step) => step > 1n ? step / 2n : 1n); })),
      this.slices, this.plot, el("p", { class: "key" }, ["t", "f", "u"].map((letter) =>
        el("span", { class: `key-${letter}` }, WORDS[letter])), el("span", { class: "key-none" }, "never happens there")),
      this.said, this.table);
    this.window();
    this.draw();
  }

  /** The two variables that the point's rows are most about. */
  pickAxes() {
    const counts = this.partition.variables.map((name) => name.includes(" ") ? -1 : 0);
    const { trees, invariants } = this.partition;
    // What tells cells apart matters more than what is always so.
    for (const [rows, weight] of [[trees[this.point] || [], 10], [invariants[this.point] || [], 1]]) {
      for (const row of rows) for (const [variable] of row ? row.factors : []) counts[variable] += weight;
    }
    const order = counts.map((_, i) => i).sort((a, b) => counts[b] - counts[a]);
    this.axes = [order[0], order[1]];
  }

  /** Puts the middle of the plot, and the size of its steps, where rows change. */
  window() {
    const { trees, invariants } = this.partition;
    this.middle = [0n, 0n];
    this.step = [1n, 1n];
    this.axes.forEach((variable, axis) => {
      if (variable === undefined) return;
      const marks = [this.values[variable]];
      for (const row of [...trees[this.point] || [], ...invariants[this.point] || []]) {
        if (row && row.factors.length === 1 && row.factors[0][0] === variable) marks.push(-row.constant / row.factors[0][1]);
      }
      marks.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
      const [low, high] = [marks[0], marks[marks.length - 1]];
      this.middle[axis] = (low + high) / 2n;
      while (this.step[axis] * BigInt(SIDE - 8) < high - low) this.step[axis] *= 2n;
    });
  }

  draw() {
    const { partition, point, term } = this;
    const { variables } = partition;
    if (!partition.points.length || !variables.length) {
      this.plot.replaceChildren(el("p", { class: "dim" }, "There is nothing to draw: no variables."));
    } else {
      this.drawPlot();
    }
    this.slices.replaceChildren(...variables.map((name, i) => this.axes.includes(i) || name.includes(" ") ? null
      : el("label", {}, `${name} = `, el("input", {
        type: "text", inputmode: "numeric", size: 6, value: String(this.values[i]), "aria-label": `Value of ${name}`,
        onchange: (event) => {
          const value = whole(event.target.value);
          if (value === undefined) event.target.value = String(this.values[i]);
          else { this.values[i] = value; this.draw(); }
        },
      }))).filter(Boolean));
    const values = partition.terms.length ? partition.terms[term].values : "";
    const cells = partition.points.length ? partition.cells(point) : [];
    this.table.replaceChildren(el("table", { class: "values" },
      el("tr", {}, el("th", {}, "cell"), el("th", {}, "where"), el("th", {}, "value"), el("th", {}, "falls on the way")),
      cells.slice(0, 200).map(({ cell, rows }) => {
        const ranks = partition.ranks[term].get(cell) || [];
        const letter = values[cell] || "u";
        return el("tr", {}, el("td", {}, String(cell)),
          el("td", {}, rows.map((row) => partition.showRow(row)).join(", ") || "all"),
          el("td", { class: `cell-${letter}` }, WORDS[letter]),
          el("td", {}, ranks.map((sum) => partition.showSum(sum)).join(", then ")));
      })), cells.length > 200 ? el("p", { class: "dim" }, `and ${cells.length - 200} more cells`) : "");
  }

  drawPlot() {
    const { partition, point, axes } = this;
    const flat = axes[1] === undefined;
    const [gap, left, top] = [10, 64, 8];
    const rows = flat ? 1 : SIDE;
    const [width, height] = [left + SIDE * gap + 12, top + rows * gap + 34];
    const root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `States at ${partition.points[point].line ? `line ${partition.points[point].line}` : "the end"}` });
    // Colours are not enough for everybody: what is false is hatched, what is unknown is dotted.
    const pattern = `pattern-${++markers}`;
    root.append(svg("defs", {},
      svg("pattern", { id: `${pattern}-f`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
        svg("path", { class: "plot-hatch", d: "M-2 2L2 -2M0 8L8 0M6 10L10 6" })),
      svg("pattern", { id: `${pattern}-u`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
        svg("circle", { class: "plot-dot", cx: 4, cy: 4, r: 1.2 }))));
    const half = BigInt((SIDE - 1) / 2);
    const at = (axis, i) => this.middle[axis] + (BigInt(i) - half) * this.step[axis];
    const values = partition.terms[this.term].values;
    const state = this.values.slice();
    for (let j = 0; j < rows; j++) {
      if (!flat) state[axes[1]] = at(1, rows - 1 - j);
      // Neighbours of one colour are one rectangle.
      let begin = 0;
      let last;
      const flush = (end) => {
        if (last !== undefined) {
          const place = { x: left + begin * gap, y: top + j * gap, width: (end - begin) * gap, height: gap };
          root.append(svg("rect", { class: `plot-${last}`, ...place }),
            ...(last === "t" ? [] : [svg("rect", { fill: `url(#${pattern}-${last})`, ...place })]));
        }
      };
      for (let i = 0; i < SIDE; i++) {
        state[axes[0]] = at(0, i);
        const cell = partition.cell(point, state);
        const letter = cell === undefined ? undefined : values[cell] || "u";
        if (letter !== last) {
          flush(i);
          [begin, last] = [i, letter];
        }
      }
      flush(SIDE);
    }
    const text = (x, y, words, anchor) => svg("text", { x, y, class: "small", "text-anchor": anchor }, words);
    const bottom = top + rows * gap + 14;
    root.append(text(left, bottom, String(at(0, 0)), "start"), text(left + SIDE * gap, bottom, String(at(0, SIDE - 1)), "end"),
      text(left + (SIDE * gap) / 2, bottom + 14, partition.variables[axes[0]], "middle"));
    if (!flat) {
      root.append(text(left - 4, top + rows * gap, String(at(1, 0)), "end"), text(left - 4, top + 10, String(at(1, rows - 1)), "end"),
        text(left - 4, top + (rows * gap) / 2, partition.variables[axes[1]], "end"));
    }
    root.append(svg("rect", { class: "plot-frame", x: left, y: top, width: SIDE * gap, height: rows * gap }));
    root.addEventListener("mousemove", (event) => {
      const box = root.getBoundingClientRect();
      const column = Math.floor((((event.clientX - box.left) * width) / box.width - left) / gap);
      const row = Math.floor((((event.clientY - box.top) * height) / box.height - top) / gap);
      if (column < 0 || column >= SIDE || row < 0 || row >= rows) return;
      const here = this.values.slice();
      here[axes[0]] = at(0, column);
      if (!flat) here[axes[1]] = at(1, rows - 1 - row);
      this.say(here);
    });
    this.plot.replaceChildren(root);
    this.say(this.values);
  }

  /** What is known of a state, in words. */
  say(state) {
    const { partition, point, term } = this;
    const cell = partition.cell(point, state);
    const named = partition.variables.map((name, i) => name.includes(" ") ? null : `${name} = ${state[i]}`).filter(Boolean).join(", ");
    const ranks = cell === undefined ? [] : partition.ranks[term].get(cell) || [];
    this.said.textContent = cell === undefined ? `${named}: no run that matters has these values here`
      : `${named}: ${WORDS[partition.terms[term].values[cell] || "u"]}, cell ${cell}${ranks.length
        ? `; rank ${ranks.map((sum) => valueOf(sum, state)).join(", ")}` : ""}`;
  }
}

/** A text as a whole number, or undefined. */
function whole(text) {
  return /^\s*-?\d{1,60}\s*$/.test(text ?? "") ? BigInt(String(text).trim()) : undefined;
}
