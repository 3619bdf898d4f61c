// The page as a whole: addresses, keys, light and dark.

const main = document.getElementById("main");
const views = { claim: null, finding: null, machines: new Map() };
/** Where one begins: at the claims, or at the findings if there are only those. */
const HOME = models.length || !scan ? "overview" : "findings";

/** The address of a claim, or of a step of one of its runs. */
function addressOf({ model, index, telling, run, step }) {
  const parts = [`claim=${index + 1}`];
  if (models.length > 1) parts.push(`model=${model.index + 1}`);
  if (telling) parts.push(`telling=${telling + 1}`);
  if (run) parts.push(`run=${run + 1}`);
  if (step !== undefined) parts.push(`step=${step + 1}`);
  return `#${parts.join("&")}`;
}

/** What an address says; numbers count from 1 there, and from 0 here. */
function parse(hash) {
  const found = { view: HOME, model: 0, claim: 0, finding: 0, telling: 0, run: 0, step: 0 };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value] = part.split("=");
    if (["claim", "machine", "finding", "findings"].includes(name)) found.view = name;
    if (value === undefined || !/^\d{1,9}$/.test(value)) continue;
    if (name === "machine") found.component = Number(value) - 1;
    else if (name in found && name !== "view") found[name] = Number(value) - 1;
  }
  return found;
}

/** Goes to an address, and shows it at once; steps of a run do not fill the history. */
function go(address, quietly) {
  if (quietly || location.hash === address) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route();
}

/** The view that is shown. */
let shown = HOME;

function route() {
  const wanted = parse(location.hash);
  const model = models[wanted.model] || models[0];
  let { view } = wanted;
  if (view === "finding" && !(scan && scan.list[wanted.finding])) view = scan ? "findings" : HOME;
  if (view === "findings" && !scan) view = HOME;
  if (view === "claim" && !(model && model.claims[wanted.claim])) view = HOME;
  if (view === "machine" && !(model && hasMachine(model))) view = HOME;
  if (view === "finding") {
    if (!views.finding || views.finding.index !== wanted.finding) views.finding = new FindingView(wanted.finding);
    views.finding.show(main, wanted.step);
  } else if (view === "findings") {
    main.replaceChildren();
    findingsView(main);
  } else if (view === "claim") {
    if (!views.claim || views.claim.model !== model || views.claim.index !== wanted.claim) {
      views.claim = new ClaimView(model, wanted.claim);
    }
    views.claim.show(main, wanted);
  } else if (view === "machine") {
    const known = views.claim && views.claim.model === model && views.claim.claim.machine;
    const number = known || Math.max(0, model.machines.findIndex((it) => it.raw.sizes.nodes > 0));
    const key = `${model.index} ${number}`;
    if (!views.machines.has(key)) views.machines.set(key, new MachineView(model, number));
    const shown = views.machines.get(key);
    main.replaceChildren(shown.element);
    shown.list.refresh(true);
    if (wanted.component !== undefined) shown.show(wanted.component);
  } else {
    main.replaceChildren();
    overview(main);
  }
  header(view, model, wanted);
  document.title = view === "claim" ? `${titleOf(model.claims[wanted.claim])} · Tern`
    : view === "finding" ? `${scan.list[wanted.finding].message} · Tern` : "Tern report";
  shown = view;
}

const hasMachine = (model) => model.machines.some((machine) => machine.raw.sizes.nodes > 0);

function header(view, model) {
  const link = (name, text, address) => el("a", {
    href: address, "aria-current": view === name ? "page" : undefined,
  }, text);
  const { claim, finding } = views;
  document.getElementById("views").replaceChildren(
    ...(models.length || !scan ? [link("overview", "Overview", "#overview")] : []),
    ...(scan ? [link("findings", "Findings", "#findings")] : []),
    ...(finding ? [link("finding", `Finding ${finding.index + 1}`, findingAddress(finding.index, finding.step))] : []),
    ...(claim ? [link("claim", `Claim: ${titleOf(claim.claim).slice(0, 24)}`, addressOf({
      ...claim, telling: claim.tellingIndex, run: claim.runIndex, step: claim.step }))] : []),
    ...(model && hasMachine(model) ? [link("machine", "Machine", `#machine&model=${model.index + 1}`)] : []));
}

function turn() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

const KEYS = [
  ["← →", "a step back, a step on"], ["Home End", "the first and the last step"],
  ["n p", "the next and the previous claim or finding"], ["/", "search"], ["o", "the overview"],
  ["m", "the machine"], ["t", "light or dark"], ["?", "this list"],
];

function help() {
  const dialog = document.getElementById("help");
  dialog.replaceChildren(el("h2", {}, "Keys"), el("table", {}, KEYS.map(([keys, what]) =>
    el("tr", {}, el("td", {}, keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("td", {}, what)))),
  el("p", {}, "Values: ✓ true, ✗ false, ? unknown: nothing that was found settles it."),
  el("form", { method: "dialog" }, el("button", {}, "close")));
  dialog.showModal();
}

function beside(offset) {
  if (shown === "finding" || shown === "findings") {
    const list = sought();
    const at = shown === "finding" ? list.indexOf(views.finding.index) : -1;
    if (list[at + offset] !== undefined) go(findingAddress(list[at + offset]));
    return;
  }
  const { claim } = views;
  const at = claim && shown === "claim"
    ? everyClaim.findIndex((it) => it.model === claim.model && it.index === claim.index) : -1;
  const next = everyClaim[at + offset];
  if (next) go(addressOf(next));
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (target.matches("input[type=search], input[type=text], select, textarea, dialog *")) {
    if (key === "Escape") target.blur();
    return;
  }
  // What is stepped through: a run of a claim, or of a finding.
  const run = shown === "claim" ? views.claim.runView : shown === "finding" ? views.finding : null;
  const isSlider = target.matches("input[type=range]");
  const step = run && !isSlider ? (shown === "claim" ? views.claim : views.finding).step : 0;
  const keys = {
    ArrowRight: run && !isSlider && (() => run.go(step + 1)),
    ArrowLeft: run && !isSlider && (() => run.go(step - 1)),
    Home: run && !isSlider && (() => run.go(0)),
    End: run && !isSlider && (() => run.go((run.run || run).length - 1)),
    n: () => beside(1), p: () => beside(-1), o: () => go(`#${HOME}`), t: turn, "?": help,
    m: () => go(`#machine&model=${parse(location.hash).model + 1}`),
    "/": () => {
      const list = scan && shown.startsWith("finding") ? "findings" : HOME;
      if (shown !== list) go(`#${list}`);
      setTimeout(() => {
        const search = document.getElementById("search");
        if (search) search.focus();
      });
    },
  };
  if (keys[key]) {
    event.preventDefault();
    keys[key]();
  }
}

document.getElementById("summary").textContent = [models.length || !scan ? summaryLine() : "",
  scan ? scanSummary() : ""].filter(Boolean).join("; ");
document.querySelectorAll("a[href='#overview']").forEach((link) => link.setAttribute("href", `#${HOME}`));
document.getElementById("tools").append(
  el("button", { onclick: turn, title: "Light or dark (t)", id: "theme" }, "◐"),
  el("button", { onclick: help, title: "Keys (?)", id: "keys" }, "?"));
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", route);
/** On paper lists are whole, and everything is light. */
function paper(isPrinting) {
  printing = isPrinting;
  document.querySelectorAll(".rows").forEach((list) => list.rows.refresh(true));
}

window.addEventListener("beforeprint", () => paper(true));
window.addEventListener("afterprint", () => paper(false));
route();
