// Findings: places of a program that break rules, each with the run that shows it.

const scan = data.findings;
const SEVERITIES = ["error", "warning", "note"];
const GROUPS = ["certain", "possible", "suppressed"];
const finder = { group: null, rule: "", severity: "", text: "" };

/** What a finding is counted as. */
const groupOf = (finding) => finding.suppression ? "suppressed" : finding.certain ? "certain" : "possible";
const ruleOf = (finding) => (finding.rule === null ? undefined : scan.rules[finding.rule]) || ["", ""];
const wordOf = (number) => scan.strings[number];
const placeOf = (file, line) => line ? `${wordOf(file)}:${line}` : wordOf(file);
const findingAddress = (index, step) =>
  `#finding=${index + 1}${step === undefined ? "" : `&step=${step + 1}`}`;

/** The moments of a run, as far as they are told. */
function momentsOf({ run }) {
  const found = [];
  for (let at = 0; at < run.length; at += 6) {
    const [depth, line, file, procedure, text, essential] = run.slice(at, at + 6);
    found.push({ depth, line, file, procedure, text: wordOf(text), essential: essential === 1 });
  }
  return found;
}

/** Lines of sources that are on the page, by file. */
const excerpts = new Map(scan ? scan.excerpts.map(([file, lines]) => [file, new Map(lines)]) : []);

function scanSummary() {
  const { certain, possible, procedures, classes } = scan.counts;
  const all = certain + possible;
  const kinds = all ? `: ${certain.toLocaleString("en")} certain, ${possible.toLocaleString("en")} possible` : "";
  const classWord = classes === 1 ? "1 class" : `${classes.toLocaleString("en")} classes`;
  return `${counted(all, "finding")}${kinds} in ${counted(procedures, "method")} of ${classWord}`;
}

const searched = new Map();

/** What is searched of a finding; kept, as it is searched at every letter. */
function searchedIn(finding) {
  if (!searched.has(finding)) {
    searched.set(finding, [finding.message, ruleOf(finding)[0], placeOf(finding.file, finding.line),
      wordOf(finding.procedure), finding.severity, ...(finding.cwe || []).map((it) => `CWE-${it}`)]
      .join("\n").toLowerCase());
  }
  return searched.get(finding);
}

/** Whether a finding is wanted by the filter; the group is left out where its counts are made. */
function isSought(finding, anyGroup) {
  const group = groupOf(finding);
  if (!anyGroup && (finder.group ? group !== finder.group : group === "suppressed")) return false;
  if (finder.rule !== "" && finding.rule !== Number(finder.rule)) return false;
  if (finder.severity && finding.severity !== finder.severity) return false;
  if (!finder.text) return true;
  return finder.text.toLowerCase().split(/\s+/).every((word) => searchedIn(finding).includes(word));
}

/** The numbers of the findings that are listed. */
const sought = () => scan.list.map((_, index) => index).filter((index) => isSought(scan.list[index]));

function findingsView(main) {
  let wanted = [];
  const shown = el("span", { class: "dim", id: "wanted", "aria-live": "polite" });
  const rows = new Rows({
    height: 30, count: 0, label: "Findings", kind: "claims", draw: (i) => findingRow(wanted[i]),
  });
  const nothing = el("p", { class: "empty", id: "nothing", hidden: true });
  const cards = GROUPS.map((group) => el("button", {
    class: "card", id: `filter-${group}`, onclick: () => {
      finder.group = finder.group === group ? null : group;
      update();
    },
  }, el("b"), group));
  const option = (value, text) => el("option", { value }, text);
  const ruleCounts = scan.rules.map(([name], index) =>
    [name, index, scan.list.filter((it) => it.rule === index && !it.suppression).length]);
  const choice = (id, label, key, options) => {
    const select = el("select", { id, "aria-label": label, onchange: (event) => {
      finder[key] = event.target.value;
      update();
    } }, options);
    select.value = finder[key];
    return select;
  };
  const rules = choice("rule", "Rule", "rule", [option("", "all rules"),
    ruleCounts.filter(([, , count]) => count).sort((a, b) => b[2] - a[2])
      .map(([name, index, count]) => option(String(index), `${name} (${count.toLocaleString("en")})`))]);
  const severities = choice("severity", "Severity", "severity", [option("", "all severities"),
    SEVERITIES.map((name) => option(name, name))]);
  const search = el("input", {
    type: "search", id: "search", placeholder: "Search messages, rules, files, methods  ( / )",
    "aria-label": "Search findings", value: finder.text,
    oninput: (event) => {
      finder.text = event.target.value.trim();
      update();
    },
    onkeydown: (event) => {
      if (event.key === "Enter" && wanted.length) go(findingAddress(wanted[0]));
    },
  });
  const update = () => {
    wanted = sought();
    rows.count = wanted.length;
    rows.element.scrollTop = 0;
    rows.refresh(true);
    rows.element.hidden = !wanted.length;
    nothing.hidden = wanted.length > 0;
    const any = scan.counts.certain + scan.counts.possible;
    nothing.textContent = any || scan.list.length ? "No finding fits the filter."
      : "Nothing was found. That does not mean that the rules hold: a scan never says so.";
    const all = scan.list.length;
    shown.textContent = wanted.length === all ? "" : `${counted(wanted.length, "finding")} of ${all.toLocaleString("en")}`;
    const counts = new Map(GROUPS.map((group) => [group, 0]));
    for (const finding of scan.list) {
      if (isSought(finding, true)) counts.set(groupOf(finding), counts.get(groupOf(finding)) + 1);
    }
    cards.forEach((card, i) => {
      card.setAttribute("aria-pressed", String(finder.group === GROUPS[i]));
      const count = counts.get(GROUPS[i]);
      card.firstChild.textContent = count.toLocaleString("en");
      card.firstChild.className = count ? GROUPS[i] : "dim";
    });
  };
  const record = document.getElementById("record-findings");
  dress(main, {}, [
    el("h2", {}, scan.name),
    el("p", { class: "facts" }, el("span", {}, scanSummary()),
      el("span", {}, `scanned in ${duration(scan.seconds)}`),
      el("span", {}, `${counted(scan.rules.length, "rule")}, ${scan.counts.nodes.toLocaleString("en")} points with facts`),
      el("span", {}, `Tern ${data.tern}`)),
    el("div", { class: "cards" }, cards),
    el("section", { class: "panel" },
      el("div", { class: "filters" }, search, rules, severities, shown), rows.element, nothing),
    scanNotes(record)]);
  update();
}

function findingRow(index) {
  const finding = scan.list[index];
  const group = groupOf(finding);
  return el("a", { href: findingAddress(index), class: "finding-row", title: finding.message },
    el("span", { class: `badge ${group}` }, group),
    el("span", { class: "dim severity" }, finding.severity),
    el("span", { class: "name" }, ruleOf(finding)[0]),
    el("span", { class: "grow" }, finding.message),
    el("span", { class: "dim place" }, placeOf(finding.file, finding.line).split("/").pop()));
}

/** What there is to say of a scan as a whole. */
function scanNotes(record) {
  const { left_out: reasons, left_out_count: count, unused } = scan;
  return el("section", { class: "panel model" }, el("h3", {}, "About this scan"),
    el("p", { class: "facts" }, record ? el("button", {
      id: "download", onclick: () => download("tern-scan.json", record.textContent),
    }, "Download the findings (JSON)")
      : el("span", {}, "the result file is too long for this page: tern scan --format json prints it")),
    el("ul", { class: "notes" },
      el("li", {}, el("b", {}, "certain"), ": the run comes by a statement after which the rule is broken whatever happens. ",
        el("b", {}, "possible"), ": otherwise."),
      unused.map(([file, line]) => el("li", {}, `${placeOf(file, line)}: this comment suppresses nothing`)),
      count ? el("li", {}, `${counted(count, "method")} could not be analysed`,
        el("ul", { class: "notes" }, reasons.map((reason) => el("li", { class: "dim" }, reason)),
          count > reasons.length ? el("li", { class: "dim" }, `and ${count - reasons.length} more`) : null)) : null));
}

/** A finding: its run as a story that is indented by calls, and the source beside it. */
class FindingView {
  constructor(index) {
    this.index = index;
    this.finding = scan.list[index];
    this.moments = momentsOf(this.finding);
    this.length = this.moments.length;
    this.step = 0;
    this.slider = el("input", {
      type: "range", id: "slider", min: 1, max: Math.max(1, this.length), value: 1, "aria-label": "Step",
      oninput: (event) => this.go(Number(event.target.value) - 1),
    });
    this.count = el("span", { class: "dim", id: "step-count" });
    const button = (name, title, step) => el("button", { title, "aria-label": title, onclick: () => this.go(step()) }, name);
    const controls = el("div", { class: "controls" },
      button("|◀", "First step (Home)", () => 0), button("◀", "Back (←)", () => this.step - 1),
      button("▶", "On (→)", () => this.step + 1), button("▶|", "Last step (End)", () => this.length - 1),
      this.slider, this.count);
    this.rows = this.moments.map((moment, at) => this.moment(moment, at));
    this.source = el("section", { class: "panel", id: "source" });
    this.element = el("article", { id: "finding" }, this.heading(),
      el("div", { class: "finding-grid" },
        el("section", { class: "panel" }, el("h3", {}, "Run"),
          this.length ? [controls, el("ol", { class: "story", id: "story" }, this.told())]
            : el("p", { class: "dim" }, "No run is told for this finding.")),
        this.source),
      this.about());
  }

  heading() {
    const { finding } = this;
    const group = groupOf(finding);
    const [rule] = ruleOf(finding);
    return el("header", {},
      el("div", { class: "title" },
        el("h2", {}, el("span", { class: `badge ${group}`, id: "certainty" }, group), " ", finding.message)),
      el("p", { class: "facts" },
        el("span", {}, el("code", {}, placeOf(finding.file, finding.line))),
        el("span", {}, "in ", el("code", {}, wordOf(finding.procedure))),
        el("span", {}, `${finding.severity}, rule `, el("a", {
          href: "#findings", title: "All findings of this rule", onclick: () => {
            Object.assign(finder, { group: null, severity: "", text: "", rule: String(finding.rule) });
          },
        }, rule)),
        (finding.cwe || []).map((number) => el("span", {}, `CWE-${number}`))),
      el("ul", { class: "notes" },
        finding.suppression && el("li", { class: "unknown" }, `does not count: by ${
          { comment: "a comment", settings: "tern.toml", baseline: "the baseline" }[finding.suppression[0]]}${
          finding.suppression[1] ? `: ${finding.suppression[1]}` : ""}`),
        finding.decided && el("li", { id: "decided" },
          `Whatever happens after ${placeOf(...finding.decided)}, the rule is broken.`)));
  }

  /** The moments, with the method where it changes. */
  told() {
    const lines = [];
    let before;
    this.moments.forEach((moment, at) => {
      const isNew = !before || before.procedure !== moment.procedure || before.depth !== moment.depth;
      // A run tells by itself that a method is entered.
      if (isNew && !moment.text.startsWith("enter ")) {
        lines.push(el("li", { class: "method" }, el("span", { class: "guides" }, guides(moment.depth)),
          el("span", { class: "number" }), el("code", {}, wordOf(moment.procedure))));
      }
      before = moment;
      lines.push(this.rows[at]);
    });
    return lines;
  }

  moment({ depth, line, file, text, essential }, at) {
    const source = excerpts.has(file) ? excerpts.get(file).get(line) : undefined;
    return el("li", {}, el("button", {
      class: `moment${essential ? "" : " passing"}`, onclick: () => this.go(at),
    }, el("span", { class: "guides" }, guides(depth)), el("span", { class: "number" }, line ? String(line) : "?"),
    el("span", { class: "told" }, el("span", {}, text),
      source !== undefined && source.trim() && el("code", { class: "dim" }, source.trim()))));
  }

  about() {
    const { finding } = this;
    const [rule, why] = ruleOf(finding);
    return el("section", { class: "panel", id: "rule-text" }, el("h3", {}, "Why this is reported"),
      el("p", {}, why.replace(/\s*\n\s*/g, " ")),
      el("p", { class: "dim" }, groupOf(finding) === "possible"
        ? "Possible: on some paths that were followed the rule is broken, and nothing shows that it must be. Whether the path can be taken is not proved."
        : finding.certain ? "Certain: the engines that decide claims say that the rule is broken on every continuation." : ""),
      el("p", { class: "dim" }, "If it is meant to be so, a comment in that line leaves it out: ",
        el("code", {}, `// tern: ignore[${rule}] reason`), " . ",
        el("code", {}, `tern rules show ${rule}`), " prints the rule."));
  }

  go(step) {
    const to = Math.max(0, Math.min(step, this.length - 1));
    if (to !== this.step) go(findingAddress(this.index, to), true);
  }

  show(main, step) {
    if (this.element.parentNode !== main) main.replaceChildren(this.element);
    this.step = Math.max(0, Math.min(step, this.length - 1));
    this.update();
  }

  update() {
    const now = this.moments[this.step] || { file: this.finding.file, line: this.finding.line };
    this.slider.value = String(this.step + 1);
    this.count.textContent = this.length ? `step ${this.step + 1} of ${this.length}` : "";
    this.rows.forEach((row, at) => {
      if (at === this.step) row.firstChild.setAttribute("aria-current", "step");
      else row.firstChild.removeAttribute("aria-current");
    });
    const row = this.rows[this.step];
    if (row && !printing) row.scrollIntoView({ block: "nearest" });
    this.showSource(now);
  }

  showSource({ file, line }) {
    const lines = excerpts.get(file);
    if (this.shownFile !== file) {
      this.shownFile = file;
      this.lines = new Map();
      const passed = new Set(this.moments.filter((it) => it.file === file).map((it) => it.line));
      this.source.replaceChildren(el("h3", { class: "plain" }, wordOf(file)),
        lines ? el("div", { class: "excerpt", tabindex: "0", "aria-label": `Source ${wordOf(file)}` }, this.excerpt(lines, passed))
          : el("p", { class: "empty", id: "no-source" }, scan.all_excerpts
            ? "The source of this file is not at hand. With " : "There was no room for this source on the page, or it is not at hand: ",
          el("code", {}, "tern scan --source FOLDER"), scan.all_excerpts ? " its lines are shown here." : " shows it."));
    }
    for (const row of this.lines.values()) row.classList.remove("here");
    const here = this.lines.get(line);
    if (!here) return;
    here.classList.add("here");
    if (!printing) here.scrollIntoView({ block: "nearest" });
  }

  /** The lines near this run, with a mark where some are left out. */
  excerpt(lines, passed) {
    const near = [...lines.keys()].filter((at) => [...passed].some((it) => Math.abs(it - at) <= 4))
      .sort((a, b) => a - b);
    const rows = [];
    near.forEach((at, i) => {
      if (i && near[i - 1] + 1 < at) rows.push(el("div", { class: "gap" }, "⋯"));
      const row = el("div", { class: `line${passed.has(at) ? " passed" : ""}` },
        el("span", { class: "number" }, String(at)), el("span", { class: "code" }, lines.get(at)));
      this.lines.set(at, row);
      rows.push(row);
    });
    return rows;
  }
}

/** Lines that lead down beside the calls that are open. */
const guides = (depth) => Array.from({ length: Math.min(depth, 12) }, () => el("i"));
