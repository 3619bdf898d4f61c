// The page as a whole: addresses, keys, light and dark.

const main = document.getElementById("main");
const views = { claim: null, machines: new Map() };

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
  const found = { view: "overview", model: 0, claim: 0, telling: 0, run: 0, step: 0 };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value] = part.split("=");
    if (name === "claim" || name === "machine") found.view = name;
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

function route() {
  const wanted = parse(location.hash);
  const model = models[wanted.model] || models[0];
  let { view } = wanted;
  if (!model || (view === "claim" && !model.claims[wanted.claim])) view = "overview";
  if (view === "machine" && !hasMachine(model)) view = "overview";
  if (view === "claim") {
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
  document.title = view === "claim" ? `${titleOf(model.claims[wanted.claim])} · Tern` : "Tern report";
}

const hasMachine = (model) => model.machines.some((machine) => machine.raw.sizes.nodes > 0);

function header(view, model) {
  const link = (name, text, address) => el("a", {
    href: address, "aria-current": view === name ? "page" : undefined,
  }, text);
  const claim = views.claim;
  document.getElementById("views").replaceChildren(
    link("overview", "Overview", "#overview"),
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
  ["n p", "the next and the previous claim"], ["/", "search the claims"], ["o", "the overview"],
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
  const claim = views.claim;
  const at = claim && parse(location.hash).view === "claim"
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
  const run = parse(location.hash).view === "claim" && views.claim && views.claim.runView;
  const isSlider = target.matches("input[type=range]");
  const step = run && !isSlider ? views.claim.step : 0;
  const keys = {
    ArrowRight: run && !isSlider && (() => run.go(step + 1)),
    ArrowLeft: run && !isSlider && (() => run.go(step - 1)),
    Home: run && !isSlider && (() => run.go(0)),
    End: run && !isSlider && (() => run.go(run.run.length - 1)),
    n: () => beside(1), p: () => beside(-1), o: () => go("#overview"), t: turn, "?": help,
    m: () => go(`#machine&model=${parse(location.hash).model + 1}`),
    "/": () => {
      if (parse(location.hash).view !== "overview") go("#overview");
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

document.getElementById("summary").textContent = summaryLine();
document.getElementById("tools").append(
  el("button", { onclick: turn, title: "Light or dark (t)", id: "theme" }, "◐"),
  el("button", { onclick: help, title: "Keys (?)", id: "keys" }, "?"));
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", route);
window.addEventListener("beforeprint", () => {
  printing = true;
  route();
});
window.addEventListener("afterprint", () => {
  printing = false;
  route();
});
route();
