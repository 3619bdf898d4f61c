// Heaps: objects, the variables that point at them, and their fields. An object of the same number
// is drawn at the same place at every step.

const OBJECT = /^o\d+$/;
const FIELD = /^(o\d+)\.(.+)$/;

/** A heap as SVG, of names with values such as `head=o1` and `o1.next=null`; undefined if there is none. */
function heapOf(values) {
  const objects = new Set();
  for (const [name, value] of values) {
    if (OBJECT.test(value)) objects.add(value);
    const field = FIELD.exec(name);
    if (field) objects.add(field[1]);
  }
  const fields = values.filter(([name]) => FIELD.test(name));
  const variables = values.filter(([name, value]) =>
    !FIELD.test(name) && (OBJECT.test(value) || value === "null"));
  if (!objects.size && !variables.length) return undefined;
  const list = [...objects].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const highest = list.length ? Number(list[list.length - 1].slice(1)) : 0;
  const gap = 104;
  const width = Math.max(260, 70 + (highest + 1) * gap);
  const at = (object) => object === "null" ? width - 34 : 20 + (Number(object.slice(1)) - 0.5) * gap;
  const marker = `head-${++markers}`;
  const root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} 190`, width, height: 190, class: "heap",
    role: "img", "aria-label": values.map(([name, value]) => `${name} is ${value}`).join(", ") },
  svg("defs", {}, svg("marker", { id: marker, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))));
  const middle = 110;
  root.append(svg("text", { x: width - 50, y: middle + 4 }, "null"));
  for (const object of list) {
    const x = at(object);
    root.append(svg("rect", { class: "heap-object", x: x - 20, y: middle - 15, width: 40, height: 30, rx: 8 }),
      svg("text", { x: x - 8, y: middle + 4 }, object));
  }
  const named = new Map();
  for (const [name, value] of variables) {
    if (!named.has(value)) named.set(value, []);
    named.get(value).push(name);
  }
  for (const [value, names] of named) {
    const x = at(value);
    names.forEach((name, i) =>
      root.append(svg("text", { class: "heap-variable", x: x - 18, y: 14 + 13 * i }, name)));
    root.append(svg("path", { class: "heap-edge", d: `M${x} ${18 + 13 * (names.length - 1)}L${x} ${middle - 17}`,
      "marker-end": `url(#${marker})` }));
  }
  fields.forEach(([name, value], i) => {
    const [, from, field] = FIELD.exec(name);
    if (!OBJECT.test(value) && value !== "null") return;
    const [x, to] = [at(from), at(value)];
    const near = value !== "null" ? Number(value.slice(1)) - Number(from.slice(1)) === 1
      : Number(from.slice(1)) === highest;
    const low = middle + 30 + (i % 3) * 13;
    const path = near ? `M${x + 20} ${middle}L${to - 22} ${middle}`
      : from === value ? `M${x - 8} ${middle + 15}C${x - 26} ${middle + 48} ${x + 26} ${middle + 48} ${x + 8} ${middle + 17}`
        : `M${x} ${middle + 15}C${x} ${low + 22} ${to} ${low + 22} ${to} ${middle + 17}`;
    root.append(svg("path", { class: "heap-edge", d: path, "marker-end": `url(#${marker})` }));
    const label = near ? { x: (x + to) / 2 - 14, y: middle - 5 } : { x: (x + to) / 2 - 14, y: low + 16 };
    root.append(svg("text", { class: "small", ...label }, field));
  });
  return root;
}
