// Heaps: objects with their fields, and the variables that point at them. An object has one place
// in all pictures of a run, whatever number it has at a step.

const OBJECT = /^o\d+$/;
const FIELD = /^(o\d+)\.(.+)$/;

/** A heap, of names with values such as `head=o1` and `o1.next=null`; undefined if there is none.
 * `names` says what the objects of the step are called in the run. */
function heapOf(values, names) {
  const called = (object) => {
    const number = Number(object.slice(1));
    return names && names[number - 1] !== undefined ? names[number - 1] : number;
  };
  const target = (value) => OBJECT.test(value) ? called(value) : value === "null" ? null : undefined;
  const heap = { objects: new Set(), variables: [], fields: [], rest: [] };
  for (const [name, value] of values) {
    const field = FIELD.exec(name);
    const to = target(value);
    if (field && to !== undefined) {
      heap.objects.add(called(field[1]));
      heap.fields.push([called(field[1]), field[2], to]);
    } else if (OBJECT.test(name) && /^outside\d+$/.test(value)) {
      heap.objects.add(called(name));
    } else if (to !== undefined) {
      heap.variables.push([name, to]);
    } else {
      heap.rest.push([name, value]);
    }
    if (to) heap.objects.add(to);
  }
  return heap.objects.size || heap.variables.length ? heap : undefined;
}

/** Gives each object of some heaps, one after the other, a cell of its own: to the right of what
 * leads to it when it is first seen, or to the left of what it leads to. */
function cellsOf(heaps) {
  const cells = new Map();
  const taken = new Set();
  const put = (object, column, row) => {
    let at = row;
    while (taken.has(`${column} ${at}`)) at += 1;
    taken.add(`${column} ${at}`);
    cells.set(object, { column, row: at });
  };
  for (const { objects, variables, fields } of heaps) {
    if ([...objects].every((object) => cells.has(object))) continue;
    const out = new Map();
    const led = new Set();
    for (const [from, , to] of fields) {
      if (!out.has(from)) out.set(from, []);
      out.get(from).push(to);
      if (to !== from) led.add(to);
    }
    // Along fields from what has a place already.
    const spread = (begin) => {
      const waiting = [begin];
      while (waiting.length) {
        const object = waiting.pop();
        const { column, row } = cells.get(object);
        const next = (out.get(object) || []).filter((to) => to !== null && !cells.has(to));
        new Set(next).forEach((to) => put(to, column + 1, row));
        waiting.push(...new Set(next.reverse()));
      }
    };
    [...objects].filter((object) => cells.has(object)).forEach(spread);
    const named = variables.map(([, to]) => to).filter((to) => to !== null);
    const order = [...named.filter((to) => !led.has(to)), ...[...objects].filter((it) => !led.has(it)),
      ...named, ...objects];
    for (const object of order) {
      if (cells.has(object)) continue;
      const known = (out.get(object) || []).find((to) => to !== null && cells.has(to));
      const beside = known === undefined ? undefined : cells.get(known);
      const lowest = Math.max(-1, ...[...cells.values()].map(({ row }) => row));
      if (beside) put(object, beside.column - 1, beside.row);
      else put(object, 0, lowest + 1);
      spread(object);
    }
  }
  const left = Math.min(0, ...[...cells.values()].map(({ column }) => column));
  for (const cell of cells.values()) cell.column -= left;
  return cells;
}

const CELL = { width: 118, height: 104, object: 46, top: 40, tall: 30 };

/** A heap as SVG, with everything in its cell; what has changed since `before` is marked, and what
 * is `fresh`. */
function drawHeap(heap, cells, before, fresh) {
  const marker = `head-${++markers}`;
  const all = [...cells.values()];
  const width = Math.max(160, 20 + CELL.width * (1 + Math.max(0, ...all.map(({ column }) => column))));
  const nulls = heap.variables.filter(([, to]) => to === null).map(([name]) => name);
  const rows = all.length ? 1 + Math.max(0, ...all.map(({ row }) => row)) : 0;
  const height = rows * CELL.height + 28;
  const words = [...heap.variables.map(([name, to]) => `${name} is ${to === null ? "null" : `object ${to}`}`),
    ...heap.fields.map(([from, field, to]) => `${field} of object ${from} is ${to === null ? "null" : `object ${to}`}`)];
  const root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, class: "heap",
    role: "img", "aria-label": words.join(", ") },
  svg("defs", {}, svg("marker", { id: marker, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9,
    markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))));
  const at = (object) => {
    const { column, row } = cells.get(object);
    return { column, row, x: 20 + column * CELL.width + CELL.object / 2, y: row * CELL.height + CELL.top + CELL.tall / 2 };
  };
  const old = new Map((before ? before.fields : []).map(([from, field, to]) => [`${from} ${field}`, to]));
  const nothing = new Map();
  const arrows = svg("g", {});
  for (const [from, field, to] of heap.fields) {
    // What was not in sight before, as what a caller has, has not changed.
    const inSight = before && (before.objects.has(from) || fresh(from));
    const changed = inSight && old.get(`${from} ${field}`) !== to ? " changed" : "";
    if (to === null) {
      if (!nothing.has(from)) nothing.set(from, []);
      nothing.get(from).push([field, changed]);
      continue;
    }
    const { path, label } = fieldArrow(at(from), at(to));
    arrows.append(svg("path", { class: `heap-edge${changed}`, d: path, "marker-end": `url(#${marker})` }),
      svg("text", { class: `small${changed}`, ...label, "text-anchor": "middle" }, shorten(field, 14)));
  }
  root.append(arrows);
  for (const object of heap.objects) {
    const { x, y } = at(object);
    root.append(svg("g", { class: `heap-cell${before && fresh(object) ? " changed" : ""}`, "data-object": object },
      svg("title", {}, `object ${object}`),
      svg("rect", { class: "heap-object", x: x - CELL.object / 2, y: y - CELL.tall / 2, width: CELL.object, height: CELL.tall, rx: 9 }),
      svg("text", { x, y: y + 4, "text-anchor": "middle" }, `o${object}`)));
    (nothing.get(object) || []).slice(0, 3).forEach(([field, changed], i) => root.append(
      svg("text", { class: `small${changed}`, x, y: y + 27 + 11 * i, "text-anchor": "middle" }, `${shorten(field, 12)} = null`)));
    const pointing = heap.variables.filter(([, to]) => to === object).map(([name]) => name);
    if (!pointing.length) continue;
    const title = pointing.join(", ");
    root.append(svg("text", { class: "heap-variable", x, y: y - CELL.tall / 2 - 16, "text-anchor": "middle" },
      svg("title", {}, title), shorten(title, 16)),
    svg("path", { class: "heap-pointer", d: `M${x} ${y - CELL.tall / 2 - 12}L${x} ${y - CELL.tall / 2 - 2}`, "marker-end": `url(#${marker})` }));
  }
  root.append(svg("text", { class: "heap-null", x: 12, y: height - 10 },
    nulls.length ? `null: ${nulls.join(", ")}` : ""));
  return root;
}

const shorten = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** How a field is drawn from one cell to another. */
function fieldArrow(from, to) {
  const [half, tall] = [CELL.object / 2, CELL.tall / 2];
  const side = Math.sign(to.column - from.column);
  if (from.row === to.row && Math.abs(to.column - from.column) === 1) {
    // There and back again beside each other.
    const y = from.y + (side > 0 ? -6 : 7);
    return { path: `M${from.x + side * half} ${y}L${to.x - side * (half + 2)} ${y}`,
      label: { x: (from.x + to.x) / 2, y: side > 0 ? y - 4 : y + 11 } };
  }
  if (from.row === to.row && side === 0) {
    const [x, y] = [from.x + half, from.y];
    return { path: `M${x} ${y - 7}C${x + 34} ${y - 24} ${x + 34} ${y + 24} ${x + 2} ${y + 8}`, label: { x: x + 34, y: y + 22 } };
  }
  if (from.row === to.row) {
    const low = from.y + tall + 26 + 4 * Math.min(4, Math.abs(to.column - from.column));
    return { path: `M${from.x} ${from.y + tall}C${from.x} ${low + 8} ${to.x} ${low + 8} ${to.x} ${to.y + tall + 2}`,
      label: { x: (from.x + to.x) / 2, y: low + 12 } };
  }
  if (side !== 0) {
    const [x, end] = [from.x + side * half, to.x - side * (half + 2)];
    const middle = (x + end) / 2;
    return { path: `M${x} ${from.y + 4}C${middle} ${from.y + 4} ${middle} ${to.y} ${end} ${to.y}`,
      label: { x: middle + side * 4, y: (from.y + to.y) / 2 } };
  }
  const down = Math.sign(to.row - from.row);
  const x = from.x + 14;
  return { path: `M${x} ${from.y + down * tall}L${x} ${to.y - down * (tall + 2)}`,
    label: { x: x + 18, y: (from.y + to.y) / 2 } };
}

/** The heaps of a run, drawn step by step. */
class HeapView {
  constructor(run, machine) {
    this.run = run;
    this.machine = machine;
    this.heaps = new Map();
    this.place = el("section", { class: "panel", id: "heap", hidden: true });
  }

  at(step) {
    if (step < 0) return undefined;
    if (!this.heaps.has(step)) {
      const names = this.run.raw.objects && this.run.raw.objects[step];
      this.heaps.set(step, heapOf(this.machine.valuesOf(this.run.node(step)), names));
    }
    return this.heaps.get(step);
  }

  /** Shows the heap at a step; whether there is one. */
  show(step) {
    const heap = this.at(step);
    this.place.hidden = !heap;
    if (!heap) return undefined;
    if (!this.cells) {
      const all = Array.from({ length: Math.min(this.run.reach, 2000) }, (_, i) => this.at(i));
      this.cells = cellsOf(all.filter(Boolean));
      /** At which step each object is seen first. */
      this.first = new Map();
      all.forEach((it, i) => it && it.objects.forEach((object) => {
        if (!this.first.has(object)) this.first.set(object, i);
      }));
    }
    if ([...heap.objects].some((object) => !this.cells.has(object))) this.cells = cellsOf([heap]);
    const before = this.at(step - 1);
    this.place.replaceChildren(el("h3", {}, "Heap"),
      el("div", { class: "graph" }, drawHeap(heap, this.cells, before,
        (object) => this.first.get(object) === step)),
      el("p", { class: "dim legend" }, heap.objects.size ? "What this step has changed is marked. An object keeps its place and its number along the run."
        : "There is no object at this step."));
    return heap;
  }
}
