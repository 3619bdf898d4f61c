//! `cargo xtask bench`: every engine on growing members of each family.
//!
//! All claims of a member are decided one after the other; what is given is their sum. An engine
//! that reaches a limit is not tried on larger members of the family. Verdicts are compared with
//! those known by construction, and among engines; a difference is an error.

use crate::growth::exponent;
use crate::measure::{Ending, Limits, Measured, literature_formula, measure, member};
use crate::page::{Page, bytes, decimal, folded, note, ratio, table, time};
use crate::svg::{Line, Plot};
use std::io;
use tern_engine::{Checker, Engine};
use tern_front::generate::{FAMILIES, Family, Make};
use tern_model::{Budget, Claims, Stats};

/// The sizes at which a family is measured, unless others are asked for.
fn usual_sizes(family: &str) -> &'static [usize] {
    match family {
        "literature" => &[6, 12, 24, 48],
        "exits" => &[16, 32, 64, 128, 256],
        "nested" => &[2, 4, 8, 16, 32],
        "exponential" => &[2, 4, 8, 16, 32],
        "java" => &[50, 100, 200, 400, 800],
        _ => &[64, 128, 256, 512, 1024],
    }
}

/// The sizes and seeds of the formulas that machines without claims are checked against.
const FORMULAS: [(usize, u64); 4] = [(18, 1), (18, 2), (27, 3), (27, 4)];

struct Row {
    size: usize,
    nodes: usize,
    edges: usize,
    /// For each engine, unless it was not tried.
    by_engine: Vec<Option<Measured>>,
}

/// Runs the command.
pub(crate) fn run(
    families: &[String],
    sizes: &[usize],
    engines: &[&'static Engine],
    limits: Limits,
    repeat: usize,
    page: &Page,
) -> io::Result<()> {
    let known: Vec<&Family> =
        FAMILIES.iter().filter(|f| matches!(f.make, Make::Machine(_))).collect();
    if let Some(wrong) = families.iter().find(|name| known.iter().all(|f| f.name != **name)) {
        return Err(io::Error::other(format!("there is no family `{wrong}`")));
    }
    let mut summary = Vec::new();
    let mut details = String::new();
    for family in known {
        if !families.is_empty() && families.iter().all(|name| name != family.name) {
            continue;
        }
        let sizes = if sizes.is_empty() { usual_sizes(family.name) } else { sizes };
        let rows = measure_family(family, sizes, engines, limits, repeat)?;
        summary.extend(summarise(family, engines, &rows));
        details += &describe(family, engines, &rows, page)?;
    }
    let text = format!(
        "## Every engine on every family\n\n\
         `cargo xtask bench`: all claims of a member of a family, best of up to {repeat} runs, at most \
         {} a member. Growth is the exponent e in size^e; the size is that of the family. Ratios compare \
         with `{}` on the largest member that both decided: above 1 is less.\n\n{}\n{details}",
        time(limits.timeout.as_secs_f64()),
        engines[0].name,
        table(2, &SUMMARY, &summary),
    );
    page.section("bench", &text)
}

const SUMMARY: [&str; 8] = [
    "family",
    "engine",
    "largest",
    "contexts, ratio",
    "edges, ratio",
    "time, ratio",
    "edges, growth",
    "time, growth",
];

fn measure_family(
    family: &Family,
    sizes: &[usize],
    engines: &[&'static Engine],
    limits: Limits,
    repeat: usize,
) -> io::Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for &size in sizes {
        let model = member(family.name, size, 1, &[]);
        let (claims, expected) = if model.claims.list().is_empty() {
            (literature_claims(), vec![None; FORMULAS.len()])
        } else {
            (model.claims, model.expected)
        };
        let checker = Checker::new(&model.machine, &Budget::unlimited())
            .map_err(|limit| io::Error::other(limit.to_string()))?;
        let mut agreed = expected;
        let mut by_engine = Vec::new();
        for (i, engine) in engines.iter().enumerate() {
            let gave_up = rows.last().is_some_and(|row| match &row.by_engine[i] {
                Some(before) => !before.is_decided(),
                None => true,
            });
            if gave_up {
                by_engine.push(None);
                continue;
            }
            let measured = measure(&checker, &claims, engine, limits, repeat);
            note(&format!("{} {size}, {}: {}", family.name, engine.name, time(measured.best)));
            if let Ending::Decided(verdicts) = &measured.ending {
                for (holds, agreed) in verdicts.iter().zip(&mut agreed) {
                    if agreed.is_some_and(|agreed| agreed != *holds) {
                        let wrong = format!("{} {size}: {} is wrong", family.name, engine.name);
                        return Err(io::Error::other(wrong));
                    }
                    *agreed = Some(*holds);
                }
            }
            by_engine.push(Some(measured));
        }
        let (nodes, edges) = (model.machine.node_count(), model.machine.edge_count());
        rows.push(Row { size, nodes, edges, by_engine });
    }
    Ok(rows)
}

fn literature_claims() -> Claims {
    // Formulas live in the arena they were made in, so they are joined by way of their text.
    let mut all = Claims::new();
    for (size, seed) in FORMULAS {
        let text = tern_front::claims::write(&literature_formula(size, seed));
        tern_front::claims::read_one(&mut all, text.trim()).expect("what is written can be read");
    }
    all
}

/// The points (size, cost) of an engine, where it decided all claims.
fn points(rows: &[Row], engine: usize, cost: impl Fn(&Measured) -> f64) -> Vec<(f64, f64)> {
    let decided = |row: &Row| {
        let measured = row.by_engine[engine].as_ref()?;
        measured.is_decided().then(|| (row.size as f64, cost(measured)))
    };
    rows.iter().filter_map(decided).collect()
}

fn summarise(family: &Family, engines: &[&Engine], rows: &[Row]) -> Vec<Vec<String>> {
    let both = |i: usize| {
        rows.iter().rev().find_map(|row| {
            let (base, this) = (row.by_engine[0].as_ref()?, row.by_engine[i].as_ref()?);
            (base.is_decided() && this.is_decided()).then_some((base, this))
        })
    };
    let line = |(i, engine): (usize, &&Engine)| {
        let compared = |cost: &dyn Fn(&Measured) -> f64| {
            ratio(both(i).map(|(base, this)| cost(base) / cost(this)))
        };
        let edges = points(rows, i, |m| m.stats.edges as f64);
        vec![
            family.name.to_owned(),
            engine.name.to_owned(),
            edges.last().map_or_else(|| "–".to_owned(), |(size, _)| format!("{size}")),
            // None at all counts as one, so that there is a ratio.
            compared(&|m| m.stats.contexts.max(1) as f64),
            compared(&|m| m.stats.edges.max(1) as f64),
            compared(&|m| m.best),
            decimal(exponent(&edges)),
            decimal(exponent(&points(rows, i, |m| m.best))),
        ]
    };
    engines.iter().enumerate().map(line).collect()
}

fn describe(family: &Family, engines: &[&Engine], rows: &[Row], page: &Page) -> io::Result<String> {
    let headers = [
        "size",
        "nodes",
        "edges",
        "engine",
        "contexts",
        "copies",
        "rounds",
        "evaluations",
        "edges looked at",
        "best",
        "median",
        "peak memory",
    ];
    let mut lines = Vec::new();
    for row in rows {
        for (engine, measured) in engines.iter().zip(&row.by_engine) {
            let mut line = [row.size, row.nodes, row.edges].map(|n| n.to_string()).to_vec();
            line.push(engine.name.to_owned());
            match measured {
                None => line.resize(headers.len(), "–".to_owned()),
                Some(Measured { ending, best, median, stats, peak }) => {
                    let Stats { contexts, copies, rounds, evaluations, edges, .. } = *stats;
                    match ending {
                        Ending::Decided(_) => {
                            let counts = [contexts, copies, rounds, evaluations, edges];
                            line.extend(counts.map(|count| count.to_string()));
                            line.extend([time(*best), time(*median), bytes(*peak)]);
                        }
                        Ending::Stopped(limit) => {
                            line.resize(headers.len() - 3, "–".to_owned());
                            let stopped = match limit {
                                tern_model::Limit::Memory(_) => "out of memory".to_owned(),
                                _ => format!("> {}", time(*best)),
                            };
                            line.extend([stopped, "–".to_owned(), bytes(*peak)]);
                        }
                        Ending::Unsupported => line.resize(headers.len(), "not for CTL".to_owned()),
                    }
                }
            }
            lines.push(line);
        }
    }
    let remark = |i: usize| {
        let stopped = rows.iter().find(|row| {
            row.by_engine[i].as_ref().is_some_and(|m| matches!(m.ending, Ending::Stopped(_)))
        });
        stopped.map(|row| format!("gave up at {}", row.size))
    };
    let drawn: Vec<Line> = engines
        .iter()
        .enumerate()
        .map(|(i, engine)| Line {
            name: engine.name.to_owned(),
            points: points(rows, i, |m| m.best * 1e3),
            remark: remark(i),
        })
        .collect();
    let title = format!("{}: time by size", family.name);
    let plot = Plot { title: &title, x_label: "size", y_label: "milliseconds", lines: &drawn };
    let shown = page.plot(family.name, &plot.svg())?;
    Ok(format!(
        "### {}\n\n{}. Size: {}.\n\n{shown}\n{}\n",
        family.name,
        capital(family.about),
        family.size,
        folded("All measurements", &table(0, &headers, &lines))
    ))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
