//! `cargo xtask linear`: is work linear in the machine, for a fixed formula and few exits?
//!
//! Machines of the families `java` (at most three exits a method), `chain`, `mutual` and `exits`
//! double from a thousand nodes on. Engines for CTL decide the first claim of the family on each;
//! engines for linear time decide formulas beyond CTL, that hold, so that everything that can be
//! reached must be looked at. In the family `entries` a component has ever more entries, and the
//! program ever more initial nodes. Strong fairness with many conditions is in [`pairs`].

use crate::growth::exponent;
use crate::measure::{Ending, Limits, Measured, claims_of, measure, member};
use crate::page::{Page, bytes, decimal, folded, note, table, time};
use crate::pairs;
use crate::svg::{Line, Plot};
use std::io;
use std::path::Path;
use std::time::Instant;
use tern_engine::{Checker, ENGINES, Engine};
use tern_model::logic::Logic;
use tern_model::{Budget, Stats};

/// What grows.
struct Subject {
    family: &'static str,
    /// Its parameters.
    given: &'static [(&'static str, usize)],
    /// How many nodes a member has for each unit of its size, about.
    unit: usize,
    /// The most nodes of a member that is measured, where edges are many more.
    most: usize,
    /// Formulas that hold, to be decided one by one; if there are none, the first claim of the
    /// family.
    formulas: &'static [&'static str],
}

/// A count of some kind of work, with its name.
pub(crate) type Count = (&'static str, fn(&Stats) -> u64);

/// A section of the page: what is measured there, and what of it is shown.
struct Section {
    name: &'static str,
    heading: &'static str,
    /// What is to be said of it besides.
    remark: &'static str,
    subjects: &'static [Subject],
    counts: &'static [Count],
}

const JAVA: &[(&str, usize)] = &[("exits", 3), ("variables", 1)];

const CTL: Section = Section {
    name: "linear",
    heading: "One formula, growing machines",
    remark: "",
    subjects: &[
        Subject { family: "java", given: JAVA, unit: 27, most: usize::MAX, formulas: &[] },
        Subject { family: "chain", given: &[], unit: 5, most: usize::MAX, formulas: &[] },
    ],
    counts: &[("contexts", |stats| stats.contexts), ("rounds", |stats| stats.rounds)],
};

const MANY: Section = Section {
    name: "entries",
    heading: "Many entries and many initial nodes",
    remark: " In these machines almost everything grows at once: the entries of one component, which lead on to \
             each other, the calls of it, and the initial nodes. With evidence or a witness work is still \
             quadratic here: a proof tells for each entry which places it leads to, since the certifier \
             searches for nothing, and of N entries in a row these are N² / 2.",
    subjects: &[Subject {
        family: "entries",
        given: &[],
        unit: 3,
        most: usize::MAX,
        formulas: &[],
    }],
    counts: &[("contexts", |stats| stats.contexts), ("rounds", |stats| stats.rounds)],
};

const LTL: Section = Section {
    name: "runs",
    heading: "One formula of linear time, growing machines",
    remark: " None of the formulas is in CTL, and all of them hold, so that everything that can be reached is \
             looked at. *Product nodes* are pairs of a place and a state of the automaton, *contracts* pairs of an \
             entry that is called and a state.",
    subjects: &[
        Subject {
            family: "java",
            given: JAVA,
            unit: 27,
            most: usize::MAX,
            formulas: &["F G !use_dead", "G F use_dead -> G F use_0"],
        },
        Subject {
            family: "chain",
            given: &[],
            unit: 5,
            most: usize::MAX,
            formulas: &["F G !bad", "G F deep -> G F good"],
        },
        Subject {
            family: "mutual",
            given: &[],
            unit: 4,
            most: usize::MAX,
            formulas: &["F G !(p & q)", "G F turn -> G F (p | q)"],
        },
        // Has as many exits as callers, so its edges are the square of its nodes.
        Subject {
            family: "exits",
            given: &[],
            unit: 3,
            most: 4_000,
            formulas: &["F G (bad | end)"],
        },
    ],
    counts: &[
        ("automaton states", |stats| stats.automaton_states),
        ("contracts", |stats| stats.contracts),
        ("product nodes", |stats| stats.product_nodes),
    ],
};

/// The engines that are measured with formulas beyond CTL, unless others are asked for. `hybrid` is
/// `on-the-fly` as long as there is one claim.
pub(crate) const FOR_RUNS: [&str; 3] = ["automata", "tableau", "on-the-fly"];

/// Runs the command.
pub(crate) fn run(
    max: usize,
    only: &[String],
    engines: &[&'static Engine],
    limits: Limits,
    plots: &Path,
) -> io::Result<()> {
    let (ctl, others): (Vec<_>, Vec<_>) =
        engines.iter().partition(|engine| engine.logic == Logic::Ctl);
    let for_ctl = ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl).count();
    let sections =
        [(CTL, ctl.clone(), for_ctl), (MANY, ctl, for_ctl), (LTL, others.clone(), FOR_RUNS.len())];
    if !others.is_empty() && (only.is_empty() || only.iter().any(|name| name == "pairs")) {
        let page = Page::new(plots, others.len() == FOR_RUNS.len());
        page.section("pairs", &pairs::section(&others, max, LTL.counts, limits)?)?;
    }
    for (section, engines, all) in sections {
        let wanted = only.is_empty() || only.iter().any(|name| name == section.name);
        if engines.is_empty() || !wanted {
            continue;
        }
        let page = &Page::new(plots, engines.len() == all);
        let mut text = format!(
            "## {}\n\n\
             `cargo xtask linear --section {} --max {max}`: one claim, machines that double, best of up to 3 runs, at most \
             {} each. *Work* is edges looked at for each edge of the machine: it must not grow. *Prepare* is \
             what is done once for a machine before any claim. Growth is the exponent over the size of the \
             machine. Time grows faster than the counts: large machines do not fit into the processor's caches, \
             and long runs are repeated less and disturbed more by other work.{}\n\n",
            section.heading,
            section.name,
            time(limits.timeout.as_secs_f64()),
            section.remark
        );
        for subject in section.subjects {
            let claims = if subject.formulas.is_empty() { 1 } else { subject.formulas.len() };
            for number in 0..claims {
                text += &measure_growth(&section, subject, number, max, &engines, limits, page)?;
            }
        }
        page.section(section.name, &text)?;
        if section.name == LTL.name {
            page.section("claims", &many_claims(&engines, limits)?)?;
        }
    }
    Ok(())
}

/// The most claims in a file of many.
const MOST_CLAIMS: usize = 16_000;

/// Different formulas of linear time on a small machine: what is paid for each must not depend on
/// how many there are.
fn many_claims(engines: &[&'static Engine], limits: Limits) -> io::Result<String> {
    let model = member("mutual", 4, 1, &[]);
    let checker = Checker::new(&model.machine, &Budget::unlimited())
        .map_err(|limit| io::Error::other(limit.to_string()))?;
    let mut costs: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); engines.len()];
    let sizes = std::iter::successors(Some(1000), |count| Some(count * 2));
    for count in sizes.take_while(|&count| count <= MOST_CLAIMS) {
        let texts: Vec<String> =
            (0..count).map(|i| format!("G F p{i} -> G F q{}", i % 7)).collect();
        let claims = claims_of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        for (engine, costs) in engines.iter().zip(&mut costs) {
            let measured = measure(&checker, &claims, engine, limits, 3);
            note(&format!("{count} claims, {}: {}", engine.name, time(measured.best)));
            if measured.is_decided() {
                costs.push((count as f64, measured));
            }
        }
    }
    let rows: Vec<Vec<String>> = engines
        .iter()
        .zip(&costs)
        .map(|(engine, costs)| growth_row(engine, costs, LTL.counts))
        .collect();
    Ok(format!(
        "## Many formulas of linear time\n\n\
         `cargo xtask linear`: formulas `G F p1 -> G F q1`, all different, on a machine of the family `mutual` of size 4. \
         Growth is the exponent over the number of formulas.\n\n{}\n",
        growth_table("largest, claims", LTL.counts, &rows)
    ))
}

/// How what an engine cost grows: each count, edges, time and memory. Where it needs none of
/// something, that does not grow.
pub(crate) fn growth_row(
    engine: &Engine,
    costs: &[(f64, Measured)],
    counts: &[Count],
) -> Vec<String> {
    let of = |cost: &dyn Fn(&Measured) -> f64| {
        let points: Vec<_> = costs.iter().map(|(size, m)| (*size, cost(m))).collect();
        decimal(exponent(&points))
    };
    let largest = costs.last().map_or_else(|| "–".to_owned(), |(size, _)| format!("{size}"));
    let mut row = vec![engine.name.to_owned(), largest];
    row.extend(counts.iter().map(|(_, count)| of(&|m| count(&m.stats) as f64)));
    row.extend([of(&|m| m.stats.edges as f64), of(&|m| m.best), of(&|m| m.peak as f64)]);
    row
}

/// The table of such rows.
pub(crate) fn growth_table(largest: &str, counts: &[Count], rows: &[Vec<String>]) -> String {
    let growing: Vec<String> = counts.iter().map(|(name, _)| format!("{name}, growth")).collect();
    let mut headers = vec!["engine", largest];
    headers.extend(growing.iter().map(String::as_str));
    headers.extend(["edges, growth", "time, growth", "memory, growth"]);
    table(1, &headers, rows)
}

fn measure_growth(
    section: &Section,
    subject: &Subject,
    number: usize,
    max: usize,
    engines: &[&'static Engine],
    limits: Limits,
    page: &Page,
) -> io::Result<String> {
    let Subject { family, given, unit, most, formulas } = *subject;
    // For each engine (machine's edges, cost), as far as it decided.
    let mut costs: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); engines.len()];
    let mut gave_up: Vec<Option<usize>> = vec![None; engines.len()];
    let mut preparing: Vec<(f64, f64)> = Vec::new();
    let mut rows = Vec::new();
    let mut claim = String::new();
    let sizes = std::iter::successors(Some(1000), |nodes| Some(nodes * 2));
    let max = max.min(most);
    for nodes in sizes.take_while(|&nodes| nodes <= max + max / 20) {
        let mut model = member(family, nodes / unit, 1, given);
        if let Some(formula) = formulas.get(number) {
            model.claims = claims_of(&[formula]);
            model.expected = vec![Some(true)];
        }
        model.claims.truncate(1);
        claim = model.claims.list()[0].property.show(&model.claims.formulas).to_string();
        let edges = model.machine.edge_count();
        let begin = Instant::now();
        let checker = Checker::new(&model.machine, &Budget::unlimited())
            .map_err(|limit| io::Error::other(limit.to_string()))?;
        let prepare = begin.elapsed().as_secs_f64();
        preparing.push((edges as f64, prepare));
        for (i, engine) in engines.iter().enumerate() {
            if gave_up[i].is_some() {
                continue;
            }
            let measured = measure(&checker, &model.claims, engine, limits, 3);
            note(&format!("{family} {nodes}, {}: {}", engine.name, time(measured.best)));
            let mut row =
                vec![model.machine.node_count().to_string(), edges.to_string(), time(prepare)];
            row.push(engine.name.to_owned());
            if let Ending::Decided(verdicts) = &measured.ending {
                let expected = model.expected[0];
                if expected.is_some_and(|holds| holds != verdicts[0]) {
                    let wrong = format!("{family} of {nodes} nodes: {} is wrong", engine.name);
                    return Err(io::Error::other(wrong));
                }
                row.extend(section.counts.iter().map(|(_, of)| of(&measured.stats).to_string()));
                row.extend([
                    format!("{:.2}", measured.stats.edges as f64 / edges as f64),
                    time(measured.best),
                    bytes(measured.peak),
                ]);
                costs[i].push((edges as f64, measured));
            } else {
                gave_up[i] = Some(nodes);
                row.resize(5 + section.counts.len(), "–".to_owned());
                row.extend([format!("> {}", time(measured.best)), bytes(measured.peak)]);
            }
            rows.push(row);
        }
    }
    let growth: Vec<Vec<String>> = engines
        .iter()
        .zip(&costs)
        .map(|(engine, costs)| growth_row(engine, costs, section.counts))
        .collect();
    let lines: Vec<Line> = engines
        .iter()
        .zip(costs.iter().zip(&gave_up))
        .map(|(engine, (costs, gave_up))| Line {
            name: engine.name.to_owned(),
            points: costs.iter().map(|(size, m)| (*size, m.best * 1e3)).collect(),
            remark: gave_up.map(|nodes| format!("gave up at {nodes} nodes")),
        })
        .collect();
    let title = format!("{family}: time for one claim by the size of the machine");
    let plot = Plot { title: &title, x_label: "edges", y_label: "milliseconds", lines: &lines };
    // One plot for a family in a section; later formulas have the same shape.
    let shown = match number {
        0 => page.plot(&format!("{}-{family}", section.name), &plot.svg())?,
        _ => String::new(),
    };
    let set: String = given.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let counts = || section.counts.iter().map(|(name, _)| *name);
    let mut all = vec!["nodes", "edges", "prepare", "engine"];
    all.extend(counts());
    all.extend(["work", "best", "peak memory"]);
    Ok(format!(
        "### {family}{set}: `{claim}`\n\nPreparing grows with exponent {}.\n\n{}\n{shown}\n{}\n",
        decimal(exponent(&preparing)),
        growth_table("largest, edges", section.counts, &growth),
        folded("All measurements", &table(0, &all, &rows))
    ))
}
