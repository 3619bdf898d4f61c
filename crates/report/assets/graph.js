// Graphs: pictures with coordinates become SVG.

let markers = 0;

/** A picture as SVG; `on` is called with what is clicked. Its `items` are found by kind and id. */
function drawn(machine, picture, { label, on }) {
  const marker = `head-${++markers}`;
  const root = svg("svg", {
    xmlns: SVG, width: picture.width, height: picture.height, role: "img", "aria-label": label,
    viewBox: `0 0 ${picture.width} ${picture.height}`,
  }, svg("defs", {}, svg("marker", {
    id: marker, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse",
    orient: "auto-start-reverse",
  }, svg("path", { d: "M0 0L8 4L0 8z" }))));
  const items = new Map();
  const arrows = new Map();
  const layer = svg("g", {});
  const leaving = new Map();
  const named = new Map();
  for (const [from] of picture.arrows) leaving.set(from, (leaving.get(from) || 0) + 1);
  for (const [from, to, possible, exit, path] of picture.arrows) {
    const kind = `arrow${exit >= 0 ? " back" : ""}${possible ? " possible" : ""}`;
    const arrow = svg("path", { class: kind, d: path, "marker-end": `url(#${marker})` });
    if (exit >= 0) {
      const name = machine.exitName(exit);
      arrow.append(svg("title", {}, `after ${name}`));
      if (leaving.get(from) <= 8) {
        const [, x, y] = /^M(-?\d+) (-?\d+)/.exec(path);
        const short = name.length > 16 ? `${name.slice(0, 15)}…` : name;
        // Below each other, so that the names of several exits can be read.
        const nth = named.get(from) || 0;
        named.set(from, nth + 1);
        const place = { x: Number(x) + 4, y: Number(y) + 11 + 10 * (nth % 3) };
        layer.append(svg("text", { class: "small", ...place }, short));
      }
    }
    layer.append(arrow);
    const key = `${from} ${to}`;
    if (!arrows.has(key)) arrows.set(key, []);
    arrows.get(key).push(arrow);
  }
  root.append(layer);
  for (let index = 0; index * 6 < picture.items.length; index++) {
    const [kind, id, x, y, width, height] = picture.items.slice(index * 6, index * 6 + 6);
    const flags = kind === 0 ? machine.flags(id) : 0;
    const title = kind === 0 ? machine.path(id)
      : kind === 1 ? `${machine.boxName(id)} calls ${machine.componentName(machine.callee(id))}`
        : machine.componentName(id);
    const origin = kind === 0 && machine.origin(id);
    const words = ["node", "call", "component"][kind] + (flags & 1 ? " entry" : "");
    const radius = kind === 0 ? 9 : 2;
    const group = svg("g", {
      class: `item ${words}`, tabindex: kind === 0 ? undefined : "0",
      role: kind === 0 ? undefined : "button", "aria-label": kind === 0 ? undefined : title,
      onclick: () => on && on(kind, id),
      onkeydown: (event) => {
        if (on && (event.key === "Enter" || event.key === " ")) {
          event.preventDefault();
          on(kind, id);
        }
      },
    },
    svg("title", {}, origin ? `${title} (${origin.file}:${origin.line})` : title),
    svg("rect", { class: "outer", x, y, width, height, rx: radius }),
    flags & 2 && svg("rect", {
      class: "second", x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 6,
    }),
    picture.lines[index].map((line, i) =>
      svg("text", { class: i ? "small" : undefined, x: x + 9, y: y + (i ? 31 : 16) }, line)));
    if (flags & 4) {
      layer.append(svg("path", { class: "arrow",
        d: `M${x + width / 2} ${y - 20}L${x + width / 2} ${y - 1}`,
        "marker-end": `url(#${marker})` }));
    }
    items.set(`${kind} ${id}`, { group, index, x, y, width, height });
    root.append(group);
  }
  return { root, items, arrows, picture };
}

/** A picture in a frame that scrolls, with a heading and a zoom. */
class Graph {
  constructor(machine, picture, options) {
    this.drawing = drawn(machine, picture, options);
    this.scale = 1;
    this.frame = el("div", { class: "graph", tabindex: "0", role: "group", "aria-label": options.label },
      this.drawing.root);
    const zoom = (factor) => () => this.zoom(this.scale * factor);
    this.head = el("div", { class: "graph-head" },
      el("h3", {}, options.title || options.label),
      el("button", { onclick: zoom(1.25), title: "Larger" }, "+"),
      el("button", { onclick: zoom(0.8), title: "Smaller" }, "−"),
      el("button", { onclick: () => this.fit(), title: "Fit into the frame" }, "fit"),
      el("button", { onclick: () => this.save(options.label), title: "Save as SVG" }, "SVG"),
      options.more);
    this.element = el("div", {}, this.head, this.frame);
    this.lit = [];
  }
  zoom(scale) {
    this.scale = Math.min(3, Math.max(0.08, scale));
    const { width, height } = this.drawing.picture;
    this.drawing.root.setAttribute("width", Math.round(width * this.scale));
    this.drawing.root.setAttribute("height", Math.round(height * this.scale));
  }
  fit() {
    const { width, height } = this.drawing.picture;
    const room = Math.min(this.frame.clientWidth / width, window.innerHeight * 0.6 / height);
    this.zoom(Math.min(1, room || 1));
  }
  save(name) {
    const style = "text{font:12px monospace}rect{fill:#fff;stroke:#678}.arrow{fill:none;stroke:#678}.second{fill:none}.here rect{fill:#fff0c2}.lit{stroke:#c03000}";
    const copy = this.drawing.root.cloneNode(true);
    copy.prepend(svg("style", {}, style));
    download(`${name.replace(/[^\w.-]+/g, "_")}.svg`, new XMLSerializer().serializeToString(copy));
  }
  item(kind, id) { return this.drawing.items.get(`${kind} ${id}`); }
  /** Marks things: `marks` are pairs of a class and an item. */
  mark(marks) {
    for (const [name, element] of this.lit) element.classList.remove(name);
    this.lit = marks;
    for (const [name, element] of marks) element.classList.add(name);
  }
  /** Scrolls to a thing. */
  reveal(item) {
    if (!item) return;
    const { frame, scale } = this;
    const [x, y] = [(item.x + item.width / 2) * scale, (item.y + item.height / 2) * scale];
    const out = x < frame.scrollLeft + 30 || x > frame.scrollLeft + frame.clientWidth - 30
      || y < frame.scrollTop + 20 || y > frame.scrollTop + frame.clientHeight - 20;
    if (out) {
      frame.scrollLeft = x - frame.clientWidth / 2;
      frame.scrollTop = y - frame.clientHeight / 2;
    }
  }
}
