// A claim: its formula as a tree with values, its certificate, and the run that is chosen.

/** What is shown of a claim; kept while its steps are gone through. */
class ClaimView {
  constructor(model, index) {
    this.model = model;
    this.index = index;
    this.claim = model.claims[index];
    this.machine = this.claim.machine === null ? null : model.machines[this.claim.machine];
    this.chosen = null;
    this.opened = new Set();
    this.partition = this.claim.partition ? new Partition(this.claim.partition) : undefined;
    /** Of a claim about an integer program, what its parts are. */
    this.terms = this.partition ? { tree: this.partition.tree(), stories: [], runs: [] } : undefined;
  }

  /** Shows another telling, run or step; draws anew only what changes. */
  show(main, { telling, run, step }) {
    const { claim } = this;
    const shown = claim.tellings[telling] || claim.tellings[0] || this.terms;
    const runs = shown ? shown.runs : [];
    const chosen = Math.max(0, Math.min(run, runs.length - 1));
    if (!this.element || this.telling !== shown || this.runIndex !== chosen) {
      this.telling = shown;
      this.tellingIndex = shown ? Math.max(0, claim.tellings.indexOf(shown)) : 0;
      this.runIndex = chosen;
      this.run = runs.length ? new Run(shown, chosen, this.machine)
        : claim.steps ? new Steps(claim.steps, this.partition) : null;
      this.chosen = null;
      this.build();
      main.replaceChildren(this.element);
    } else if (this.element.parentNode !== main) {
      main.replaceChildren(this.element);
    }
    this.step = this.run ? Math.max(0, Math.min(step, this.run.reach - 1)) : 0;
    this.update();
  }

  build() {
    const { claim } = this;
    this.tree = el("ul", { class: "tree", id: "tree", "aria-label": "Formula" });
    this.why = el("div", { id: "why", "aria-live": "polite" });
    this.parts = [];
    if (this.telling && this.telling.tree.length) {
      this.tree.append(this.branch(this.telling.tree.length - 1, new Set()));
    }
    this.runView = !this.run ? null : claim.steps ? new StepsView(this) : new RunView(this);
    const alone = !this.runView && !this.machine && this.model.raw.texts.length ? this.program() : null;
    this.element = el("article", { id: "claim" }, this.heading(),
      el("div", { class: "claim-grid" },
        el("section", { class: "panel" }, el("h3", {}, "Formula"),
          this.parts.length ? this.tree
            : el("p", { class: "dim" }, "This is no formula, or too large to be drawn as a tree."),
          this.why),
        el("section", { class: "panel" }, el("h3", {}, "Run"),
          this.stories() || el("p", { class: "dim" }, claim.verdict === "unknown"
            ? "Nothing was concluded, so no run shows it."
            : this.machine && claim.verdict === "holds" ? "It holds on all runs. With --witness an example is looked for."
              : this.machine ? "No run was found for this claim. With --witness one is looked for, whatever it takes."
              : this.runView ? "" : claim.verdict === "holds" ? "It holds on all runs, so there is none to show."
                : "No run is told for this claim."),
          this.runView ? this.runView.element : null),
        el("section", { class: "panel" }, el("h3", {}, "Here"),
          this.runView ? this.runView.beside : alone && alone.values, this.certificate())),
      claim.partition ? new PartitionView(this).element : null,
      alone && alone.source, this.runView ? this.runView.below : null, this.regions());
  }

  /** Of a program without a run: its text, and if the claim fails, the values and the line. */
  program() {
    const { line, values } = this.claim.start || { values: [] };
    const table = el("div", { id: "values", hidden: !this.claim.start },
      el("p", {}, `fails from line ${line}${values.length ? " with" : ""}`),
      el("table", { class: "values" }, values.map(([name, value]) =>
        el("tr", {}, el("th", {}, name), el("td", {}, value)))),
      this.claim.replayed && el("p", { class: "holds" }, "replayed by an interpreter"));
    const [name, text] = this.model.raw.texts[0];
    const lines = text.split("\n");
    const rows = new Rows({
      height: 19, count: lines.length, label: `Program ${name}`, kind: "source",
      draw: (i) => el("div", { class: `line${i + 1 === line ? " here" : ""}` },
        el("span", { class: "number" }, String(i + 1)), el("span", { class: "code" }, lines[i])),
    });
    requestAnimationFrame(() => {
      rows.refresh(true);
      if (line) rows.reveal(line - 1, true);
    });
    return { values: table, source: el("section", { class: "panel", id: "source" },
      el("h3", { class: "plain" }, name), rows.element) };
  }

  /** Where the claim holds, if that was asked for. */
  regions() {
    const { regions } = this.claim;
    if (!regions.length || !this.machine) return null;
    const line = ({ component, stack, nodes, holds }) => {
      const under = stack.map((box) => this.machine.boxName(box)).join(", ");
      const names = holds.slice(0, 12).map((node) => this.machine.nodeName(node)).join(", ");
      return el("li", {}, el("code", {}, this.machine.componentName(component)),
        under ? ` under ${under}` : "", `: at ${holds.length} of ${counted(nodes, "node")}`,
        holds.length && holds.length < nodes ? `: ${names}${holds.length > 12 ? " …" : ""}` : "");
    };
    return el("section", { class: "panel", id: "regions" }, el("h3", {}, "Where it holds"),
      el("ul", { class: "notes" }, regions.slice(0, 300).map(line),
        regions.length > 300 ? el("li", { class: "dim" }, `and ${regions.length - 300} more`) : null));
  }

  heading() {
    const { claim, model } = this;
    const about = [
      claim.culprit && `fails from ${claim.culprit}`, claim.place,
      `${claim.engine}, ${duration(claim.seconds)}`, claim.heading,
    ].filter(Boolean);
    return el("header", {},
      el("div", { class: "title" },
        el("h2", {}, el("span", { class: `badge ${claim.verdict}`, id: "verdict" }, claim.verdict), " ",
          titleOf(claim)),
        models.length > 1 && el("span", { class: "dim" }, model.raw.name)),
      el("p", { class: "formula" }, el("code", {}, claim.formula)),
      el("p", { class: "facts" }, about.map((text) => el("span", {}, text)),
        el("span", {}, claim.counts.slice(0, 6)
          .map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(", "))),
      el("ul", { class: "notes" },
        claim.reason && el("li", { class: "unknown" }, `unknown because: ${claim.reason}`),
        (claim.precondition || []).map((condition, i) => condition && el("li", { id: i ? "fails-if" : "holds-if" },
          i ? "fails if " : "holds if ", el("code", {}, condition))),
        claim.vacuous && el("li", { class: "vacuous", id: "vacuous" }, "holds vacuously: ",
          el("code", {}, claim.vacuous.premise), claim.vacuous.never ? " is never reached"
            : " is never true where it counts; ", !claim.vacuous.never && el("code", {}, claim.vacuous.claim),
          !claim.vacuous.never && " holds"),
        claim.redundant.map(([part, rest]) => el("li", {}, el("code", {}, part),
          " does not matter: ", el("code", {}, rest), " holds")),
        claim.missing.map((missing) => el("li", { class: "unknown" }, missing))));
  }

  /** A subformula with its operands. What occurs twice is drawn out once. */
  branch(part, seen) {
    const { tree } = this.telling;
    const { op, of = [], path } = tree[part];
    // `A` and `G` and their like are one line.
    const next = of.length === 1 && (op === "A" || op === "E") ? tree[of[0]] : null;
    const joined = next && next.path && next.of ? of[0] : null;
    const operands = joined === null ? of : next.of;
    const value = el("span", { class: "value open" }, "?");
    const row = el("button", {
      class: "part", "aria-pressed": "false", title: said(tree, part),
      onclick: () => this.choose(part),
    }, value, el("span", { class: "text" }, this.caption(part, joined)),
    path && this.run && el("span", { class: "dim" }, "on this run"));
    this.parts.push({ part, value, row });
    const again = seen.has(part) && operands.length;
    seen.add(part);
    return el("li", {}, row, operands.length > 0 && !again
      ? el("ul", {}, operands.map((operand) => this.branch(operand, seen)))
      : null);
  }

  caption(part, joined) {
    const { tree } = this.telling;
    const { op, name, of } = tree[part];
    if (op === "atom" || op === "term") return name;
    if (!of) return op;
    const text = said(tree, part);
    return text.length <= 60 ? text : `${joined === null ? op : op + tree[joined].op} …`;
  }

  /** The stories that are told, as links to their runs. */
  stories() {
    const { claim } = this;
    const items = [];
    claim.tellings.forEach((telling, t) => {
      if (!telling.stories.length) return;
      if (telling.kind === "example") {
        items.push(el("li", {}, "holds on all runs; for example:"));
      }
      for (const [, story] of telling.stories) items.push(...this.sentences(telling, t, story, 0));
    });
    return items.length ? el("ul", { class: "notes", id: "stories" }, items.slice(0, 40)) : null;
  }

  sentences(telling, t, story, depth) {
    const text = said(telling.tree, story.formula);
    const short = text.length > 90 ? `${text.slice(0, 88)}…` : text;
    const value = `${story.perhaps ? "may " : ""}${story.holds
      ? story.perhaps ? "hold" : "holds" : story.perhaps ? "fail" : "fails"}`;
    const link = (words, run) => el("a", {
      href: addressOf({ model: this.model, index: this.index, telling: t, run, step: 0 }),
      "aria-current": t === this.tellingIndex && run === this.runIndex ? "true" : undefined,
    }, words);
    const lines = [];
    if (story.why === "run") {
      const runs = telling.runs[story.run];
      const at = depth ? ` (from step ${runs.above ? runs.above[1] + 1 : 1})` : "";
      lines.push(el("li", {}, el("code", {}, short), ` ${value} `, link("by this run", story.run), at));
      for (const [, aside] of runs.asides || []) {
        lines.push(...this.sentences(telling, t, aside, depth + 1));
      }
    } else if (story.why === "all") {
      lines.push(el("li", {}, el("code", {}, short), ` ${value}: ${story.sentence}`));
    } else if (story.why === "long") {
      lines.push(el("li", { class: "unknown" }, el("code", {}, short), ` ${value}; the run is too long to be told`));
    } else if (story.why === "labels") {
      lines.push(el("li", {}, el("code", {}, short), ` ${value} by the labels`));
    }
    for (const operand of story.operands || []) {
      lines.push(...this.sentences(telling, t, operand, depth));
    }
    return lines;
  }

  certificate() {
    const { evidence, accepted, seconds } = this.claim.certificate;
    const record = document.getElementById(`record-${this.model.index}`);
    const said = accepted === true ? el("p", { class: "holds" }, `accepted by the certifier in ${duration(seconds)}`)
      : accepted === false ? el("p", { class: "fails" }, "refused by the certifier: a fault in Tern")
        : el("p", { class: "dim" }, evidence ? "not checked here; `tern certify` does"
          : "no evidence was asked for; --certify checks it");
    return el("div", { id: "certificate" }, el("h3", {}, "Certificate"),
      evidence && el("p", {}, evidence), said,
      evidence && record && el("button", {
        onclick: () => download(`${this.model.raw.name.split("/").pop()}.result.json`, record.textContent),
      }, "Download JSON"));
  }

  choose(part) {
    this.chosen = this.chosen === part ? null : part;
    this.update();
  }

  /** The value of a part at the step. Without a run, only that of the whole claim is known. */
  valueOf(part) {
    if (this.run) return this.run.value(part, this.step);
    return part === this.telling.tree.length - 1 && this.claim.verdict === "holds" ? true : undefined;
  }

  /** Shows the values at the step. */
  update() {
    for (const { part, value, row } of this.parts) {
      const now = this.valueOf(part);
      value.className = `value ${now === undefined ? "open" : now}`;
      value.textContent = now === undefined ? this.run ? "?" : "" : now ? "✓" : "✗";
      value.title = now !== undefined ? String(now) : this.run ? "unknown: nothing here settles it" : "";
      row.setAttribute("aria-pressed", String(this.chosen === part));
    }
    if (this.runView) this.runView.update();
    this.explain();
  }

  /** Why the chosen subformula has its value here. */
  explain() {
    const lines = [];
    const part = this.chosen;
    if (part !== null && this.telling && this.run) {
      const { tree } = this.telling;
      const { op, of = [], path } = tree[part];
      const now = this.run.value(part, this.step);
      const word = now === undefined ? "is unknown" : now ? "holds" : "fails";
      const where = `at step ${this.step + 1}`;
      lines.push(el("p", {}, el("code", {}, said(tree, part)), ` ${word} ${where}`));
      const { at, rounds } = this.run.place(this.step);
      // What is told of it in this configuration: on the way, or where the story begins.
      const find = (story) => story.formula === part ? story
        : (story.operands || []).map(find).find(Boolean);
      const raw = this.run.raw || {};
      const begins = at === 0 && !raw.above ? this.telling.stories : [];
      const here = (raw.asides || []).filter(([step]) => step === at).concat(begins);
      const told = rounds ? [] : here.map(([, story]) => find(story)).filter(Boolean);
      for (const story of told.slice(0, 3)) lines.push(...this.because(story));
      if (op === "term") {
        lines.push(el("p", { class: "dim" }, this.run.because(part, this.step)));
      } else if (op === "atom" && now !== undefined) {
        lines.push(el("p", {}, now ? "The node has this label." : "The node does not have this label."));
      } else if (now === undefined) {
        lines.push(el("p", { class: "dim" }, path
          ? "No mark of the run says what it is from here on."
          : "Neither labels, nor the run, nor evidence settles it. With --evidence more is known."));
      } else if (["!", "&", "|", "->", "<->", "xor"].includes(op)) {
        lines.push(el("p", {}, "By its operands: ", of.flatMap((operand, i) => {
          const value = this.run.value(operand, this.step);
          return [i ? "; " : "", el("code", {}, said(tree, operand)),
            value === undefined ? " is unknown" : value ? " holds" : " fails"];
        })));
      } else if (!told.length) {
        lines.push(el("p", { class: "dim" }, this.claim.certificate.evidence
          ? "The evidence says so." : "The run is told with this value."));
      }
    }
    this.why.replaceChildren(...(lines.length ? lines : this.parts.length && !this.run
      ? [el("p", { class: "dim" }, this.claim.verdict === "holds" ? "There is no single configuration to look at: the claim holds wherever the program begins."
        : "There is no configuration to look at.")] : this.parts.length
      ? [el("p", { class: "dim" }, "Choose a part of the formula to see why it has its value.")] : []));
  }

  because(story) {
    const list = el("ul", { class: "notes" },
      this.sentences(this.telling, this.tellingIndex, story, 1).slice(0, 6));
    return [list];
  }
}
