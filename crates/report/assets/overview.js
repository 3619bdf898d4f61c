// The overview: what was asked, and the answers.

const KINDS = ["holds", "fails", "unknown", "vacuous"];
const filter = { kind: null, text: "" };

const isVacuous = (claim) => Boolean(claim.vacuous);
const titleOf = (claim) => claim.name || `claim ${claim.number}`;

/** All claims of all models, with where they are. */
const everyClaim = models.flatMap((model) =>
  model.claims.map((claim, index) => ({ model, claim, index })));

const isKind = (claim, kind) => kind === "vacuous" ? isVacuous(claim) : claim.verdict === kind;

/** Whether a claim is wanted by the filter. */
function isWanted({ model, claim }) {
  if (filter.kind && !isKind(claim, filter.kind)) return false;
  if (!filter.text) return true;
  const words = filter.text.toLowerCase().split(/\s+/);
  const text = [claim.name || "", claim.formula, claim.reason || "", model.raw.name, claim.engine,
    claim.heading || ""].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function summaryLine() {
  const parts = KINDS.slice(0, 3).map((kind) => {
    const count = everyClaim.filter(({ claim }) => isKind(claim, kind)).length;
    const word = count === 1 || kind === "unknown" ? kind : kind.slice(0, -1);
    return count ? `${count.toLocaleString("en")} ${word}` : null;
  }).filter(Boolean);
  const of = models.length > 1 ? ` on ${counted(models.length, "model")}` : "";
  return `${counted(everyClaim.length, "claim")}${of}${parts.length ? ": " : ""}${parts.join(", ")}`;
}

function overview(main) {
  let wanted = everyClaim.filter(isWanted);
  const count = el("span", { class: "dim", id: "wanted", "aria-live": "polite" });
  const rows = new Rows({
    height: 30, count: wanted.length, label: "Claims", kind: "claims",
    draw: (i) => claimRow(wanted[i]),
  });
  const nothing = el("p", { class: "empty", id: "nothing", hidden: true });
  const cards = KINDS.map((kind) => {
    const number = everyClaim.filter(({ claim }) => isKind(claim, kind)).length;
    return el("button", {
      class: "card", id: `filter-${kind}`, "aria-pressed": String(filter.kind === kind),
      onclick: () => {
        filter.kind = filter.kind === kind ? null : kind;
        update();
      },
    }, el("b", { class: number ? kind : "dim" }, number.toLocaleString("en")),
    kind === "vacuous" ? "hold vacuously" : kind);
  });
  const update = () => {
    wanted = everyClaim.filter(isWanted);
    rows.count = wanted.length;
    rows.element.scrollTop = 0;
    rows.refresh(true);
    rows.element.hidden = !wanted.length;
    nothing.hidden = wanted.length > 0;
    nothing.textContent = everyClaim.length ? "No claim fits the filter."
      : "There are no claims: give some in the model, in a file, or with -f.";
    count.textContent = wanted.length === everyClaim.length ? ""
      : `${counted(wanted.length, "claim")} of ${everyClaim.length.toLocaleString("en")}`;
    cards.forEach((card, i) =>
      card.setAttribute("aria-pressed", String(filter.kind === KINDS[i])));
  };
  const search = el("input", {
    type: "search", id: "search", placeholder: "Search names, formulas, reasons  ( / )",
    "aria-label": "Search claims", value: filter.text,
    oninput: (event) => {
      filter.text = event.target.value.trim();
      update();
    },
    onkeydown: (event) => {
      if (event.key === "Enter" && wanted.length) go(addressOf(wanted[0]));
    },
  });
  const seconds = everyClaim.reduce((sum, { claim }) => sum + claim.seconds, 0);
  const engines = [...new Set(everyClaim.map(({ claim }) => claim.engine))].sort();
  dress(main, {}, [
    el("h2", {}, models.map((model) => model.raw.name).slice(0, 3).join(", "),
      models.length > 3 ? ` and ${models.length - 3} more` : ""),
    el("p", { class: "facts" },
      el("span", {}, `decided in ${duration(seconds)}`),
      engines.length > 0 && el("span", {}, `by ${engines.join(", ")}`),
      el("span", {}, `Tern ${data.tern}`)),
    el("div", { class: "cards" }, cards),
    el("section", { class: "panel" },
      el("div", { class: "filters" }, search, count), rows.element, nothing),
    reasons(), ...models.map(modelNotes)]);
  update();
}

function claimRow({ model, claim, index }) {
  const notes = [
    isVacuous(claim) && "vacuous", claim.certificate.accepted === true && "certified",
    claim.certificate.accepted === false && "evidence refused",
  ].filter(Boolean).join(", ");
  return el("a", { href: addressOf({ model, index }), class: "claim-row", title: claim.formula },
    el("span", { class: `badge ${claim.verdict}` }, claim.verdict),
    el("span", { class: "name" }, titleOf(claim)),
    el("code", { class: "grow" }, claim.formula),
    notes && el("span", { class: isVacuous(claim) ? "vacuous" : "dim" }, notes),
    claim.reason && el("span", { class: "dim" }, claim.reason.slice(0, 60)),
    models.length > 1 && el("span", { class: "dim" }, model.raw.name.split("/").pop()),
    el("span", { class: "dim engine" }, claim.engine),
    el("span", { class: "dim time" }, duration(claim.seconds)));
}

/** Why claims are unknown, each reason with its claims. */
function reasons() {
  const found = new Map();
  for (const { model, claim, index } of everyClaim) {
    if (!claim.reason) continue;
    if (!found.has(claim.reason)) found.set(claim.reason, []);
    found.get(claim.reason).push({ model, claim, index });
  }
  if (!found.size) return null;
  return el("section", { class: "panel", id: "reasons" }, el("h3", {}, "Why some are unknown"),
    el("ul", { class: "notes" }, [...found].slice(0, 200).map(([reason, claims]) =>
      el("li", {}, `${reason} — `, claims.slice(0, 5).flatMap((it, i) => [i ? ", " : "",
        el("a", { href: addressOf(it) }, titleOf(it.claim))]),
      claims.length > 5 ? ` and ${claims.length - 5} more` : ""))));
}

/** How large a machine is, in words. */
function sizesOf({ sizes, edges }) {
  const boxes = sizes.boxes === 1 ? "1 box" : `${sizes.boxes.toLocaleString("en")} boxes`;
  return [counted(sizes.components, "component"), counted(sizes.nodes, "node"), boxes,
    counted(edges, "edge")].join(", ");
}

/** What there is to say of a model as a whole. */
function modelNotes(model) {
  const { raw } = model;
  const remark = (kind) => (it) => el("li", {},
    el("b", { class: kind === "problem" ? "fails" : "unknown" }, `${kind}${it.code ? `[${it.code}]` : ""}: `),
    it.message, it.place ? el("span", { class: "dim" }, ` (${it.place})`) : null,
    it.hint ? el("div", { class: "dim" }, it.hint) : null);
  const sizes = raw.machines.length === 1 && raw.machines[0].sizes.nodes > 0 && raw.machines[0];
  const record = document.getElementById(`record-${model.index}`);
  return el("section", { class: "panel model" },
    el("h3", { class: "plain" }, raw.name),
    el("p", { class: "facts" },
      sizes && el("a", { href: `#machine&model=${model.index + 1}` },
        sizesOf(sizes)),
      raw.about && el("span", {}, `verdicts are about ${raw.about}`),
      raw.top_level && el("span", { class: "unknown" }, "calls were taken for single steps"),
      record ? el("button", {
        onclick: () => download(`${raw.name.split("/").pop()}.result.json`, record.textContent),
      }, "Download the result file (JSON)")
        : el("span", {}, "the result file is too long for this page: tern check --json prints it")),
    el("ul", { class: "notes" },
      raw.reason && el("li", { class: "unknown" }, raw.reason),
      raw.problems.map(remark("problem")), raw.warnings.slice(0, 100).map(remark("warning")),
      raw.notes.map((note) => el("li", {}, `not modelled: ${note}`))));
}
