// Elements: everything on the page is made here, and texts are only ever set as texts.

const SVG = "http://www.w3.org/2000/svg";

/** Gives an element its attributes (`on…` are listeners) and children (strings become texts). */
function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child);
  }
  return element;
}

const el = (tag, attributes, ...children) =>
  dress(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  dress(document.createElementNS(SVG, tag), attributes, children);

/** How many rows of a list are printed. */
const MOST_PRINTED = 2000;

/** A long list of which only the rows in sight are in the document. All rows are `height` high.
 * `prints` says which rows matter on paper; all if it is left out. */
class Rows {
  constructor({ height, count, draw, label, kind, prints }) {
    Object.assign(this, { height, count, draw, prints });
    this.space = el("div", { class: "space" });
    this.element = el("div",
      { class: `rows ${kind || ""}`, tabindex: "0", role: "list", "aria-label": label },
      this.space);
    this.shown = new Map();
    this.element.rows = this;
    this.element.addEventListener("scroll", () => this.refresh());
    if (window.ResizeObserver) new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  /** Draws the rows in sight; all anew if something about them has changed. */
  refresh(anew) {
    if (anew) {
      this.space.replaceChildren();
      this.shown.clear();
      this.space.style.height = `${this.count * this.height}px`;
    }
    if (printing) {
      this.print();
      return;
    }
    const top = this.element.scrollTop;
    const seen = this.element.clientHeight || 600;
    const whole = this.count <= 60;
    const first = whole ? 0 : Math.max(0, Math.floor(top / this.height) - 8);
    const last = whole ? this.count
      : Math.min(this.count, Math.ceil((top + seen) / this.height) + 8);
    for (const [index, row] of this.shown) {
      if (index < first || index >= last) {
        row.remove();
        this.shown.delete(index);
      }
    }
    for (let index = first; index < last; index++) {
      if (!this.shown.has(index)) this.add(index);
    }
  }

  add(index) {
    const row = this.draw(index);
    row.classList.add("row");
    row.setAttribute("role", "listitem");
    row.style.top = `${index * this.height}px`;
    row.style.height = `${this.height}px`;
    this.shown.set(index, row);
    this.space.append(row);
  }

  /** All rows that matter, one below the other; a mark where some are left out. */
  print() {
    if (this.shown.size) return;
    let last = -1;
    const mark = (text) => this.space.append(el("div", { class: "row left-out" }, text));
    for (let index = 0; index < this.count; index++) {
      if (this.prints && !this.prints(index)) continue;
      if (this.shown.size === MOST_PRINTED) {
        mark(`⋯ ${(this.count - index).toLocaleString("en")} more`);
        return;
      }
      if (index > last + 1) mark("⋯");
      last = index;
      this.add(index);
    }
    if (last + 1 < this.count) mark("⋯");
  }

  /** Scrolls as little as it takes to see a row. */
  reveal(index, centred) {
    const top = index * this.height;
    const box = this.element;
    const seen = box.clientHeight || 400;
    if (centred && (top < box.scrollTop || top + this.height > box.scrollTop + seen)) {
      box.scrollTop = Math.max(0, top - seen / 2);
    } else if (top < box.scrollTop) {
      box.scrollTop = Math.max(0, top - this.height);
    } else if (top + this.height > box.scrollTop + seen) {
      box.scrollTop = top - seen + 2 * this.height;
    }
    this.refresh();
  }
}

/** Whether the page is being printed: then lists are shown whole. */
let printing = false;

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

function duration(seconds) {
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  if (seconds >= 0.001) return `${(seconds * 1e3).toFixed(1)} ms`;
  return `${Math.round(seconds * 1e6)} µs`;
}

/** Offers a text as a file. */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
