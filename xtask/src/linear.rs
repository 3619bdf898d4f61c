//! `cargo xtask linear`: is work linear in the machine, for a fixed formula and few exits?
//!
//! Machines of the families `java` (at most three exits a method) and `chain` double from a thousand nodes
//! on; one claim, the first of the family, is decided on each.

use crate::growth::exponent;
use crate::measure::{Ending, Limits, Measured, measure, member};
use crate::page::{Page, bytes, decimal, note, table, time};
use crate::svg::{Line, Plot};
use std::io;
use std::time::Instant;
use tern_engine::{Checker, Engine};
use tern_model::Budget;

/// What grows.
struct Subject {
    family: &'static str,
    /// Its parameters.
    given: &'static [(&'static str, usize)],
    /// How many nodes a member has for each unit of its size, about.
    unit: usize,
}

const SUBJECTS: [Subject; 2] = [
    Subject { family: "java", given: &[("exits", 3), ("variables", 1)], unit: 27 },
    Subject { family: "chain", given: &[], unit: 5 },
];

/// Runs the command.
pub(crate) fn run(
    max: usize,
    engines: &[&'static Engine],
    limits: Limits,
    page: &Page,
) -> io::Result<()> {
    let mut text = format!(
        "## One formula, growing machines\n\n\
         `cargo xtask linear --max {max}`: one claim, machines that double, best of up to 3 runs, at most \
         {} each. *Work* is edges looked at for each edge of the machine: it must not grow. *Prepare* is what \
         is done once for a machine before any claim. Growth is the exponent over the size of the machine.\n\n",
        time(limits.timeout.as_secs_f64())
    );
    for subject in &SUBJECTS {
        text += &measure_growth(subject, max, engines, limits, page)?;
    }
    page.section("linear", &text)
}

fn measure_growth(
    subject: &Subject,
    max: usize,
    engines: &[&'static Engine],
    limits: Limits,
    page: &Page,
) -> io::Result<String> {
    let Subject { family, given, unit } = *subject;
    // For each engine (machine's edges, cost), as far as it decided.
    let mut costs: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); engines.len()];
    let mut gave_up: Vec<Option<usize>> = vec![None; engines.len()];
    let mut preparing: Vec<(f64, f64)> = Vec::new();
    let mut rows = Vec::new();
    let mut claim = String::new();
    let sizes = std::iter::successors(Some(1000), |nodes| Some(nodes * 2));
    for nodes in sizes.take_while(|&nodes| nodes <= max + max / 20) {
        let mut model = member(family, nodes / unit, 1, given);
        model.claims.list.truncate(1);
        claim = model.claims.formulas.show(model.claims.list[0].formula).to_string();
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
                row.extend([
                    measured.stats.contexts.to_string(),
                    measured.stats.rounds.to_string(),
                    format!("{:.2}", measured.stats.edges as f64 / edges as f64),
                    time(measured.best),
                    bytes(measured.peak),
                ]);
                costs[i].push((edges as f64, measured));
            } else {
                gave_up[i] = Some(nodes);
                row.resize(7, "–".to_owned());
                row.extend([format!("> {}", time(measured.best)), bytes(measured.peak)]);
            }
            rows.push(row);
        }
    }
    let growth: Vec<Vec<String>> = engines
        .iter()
        .zip(&costs)
        .map(|(engine, costs)| {
            let of = |cost: &dyn Fn(&Measured) -> f64| {
                let points: Vec<_> = costs.iter().map(|(size, m)| (*size, cost(m))).collect();
                decimal(exponent(&points))
            };
            vec![
                engine.name.to_owned(),
                costs.last().map_or_else(|| "–".to_owned(), |(size, _)| format!("{size}")),
                of(&|m| m.stats.edges as f64),
                of(&|m| m.best),
                of(&|m| m.peak as f64),
            ]
        })
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
    let shown = page.plot(&format!("linear-{family}"), &plot.svg())?;
    let set: String = given.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let headers = ["engine", "largest, edges", "edges, growth", "time, growth", "memory, growth"];
    let all = [
        "nodes",
        "edges",
        "prepare",
        "engine",
        "contexts",
        "rounds",
        "work",
        "best",
        "peak memory",
    ];
    Ok(format!(
        "### {family}{set}\n\n`{claim}`. Preparing grows with exponent {}.\n\n{}\n{shown}\n{}\n",
        decimal(exponent(&preparing)),
        table(1, &headers, &growth),
        table(0, &all, &rows)
    ))
}
