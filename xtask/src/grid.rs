//! `cargo xtask grid`: the scalability experiment of the RSM literature.
//!
//! Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines, SoSyM 2024,
//! section 7.2: each machine i is checked against each formula j, once. All engines must agree
//! wherever they answer.

use crate::growth::geometric_mean;
use crate::measure::{Ending, Limits, Measured, literature_formula, measure, member};
use crate::page::{Page, note, ratio, table, time};
use std::io;
use std::time::Instant;
use tern_engine::{Checker, ENGINES, Engine};
use tern_model::{Budget, Limit};

#[derive(Clone, Default)]
struct Tally {
    solved: usize,
    timeouts: usize,
    memouts: usize,
    seconds: f64,
    slowest: (f64, usize, usize),
    contexts: u64,
    edges: u64,
    /// The first engine's cost in this one's, for pairs with temporal operators that both solved.
    time_ratios: Vec<f64>,
    context_ratios: Vec<f64>,
}

const HEADERS: [&str; 11] = [
    "engine",
    "solved",
    "time-outs",
    "mem-outs",
    "contexts",
    "edges looked at",
    "contexts, ratio",
    "time, ratio",
    "total",
    "mean",
    "slowest (i, j)",
];

impl Tally {
    /// Takes down what an engine did on machine i and formula j, beside what the first engine did.
    fn add(&mut self, (i, j): (usize, usize), measured: &Measured, first: &Measured) {
        self.seconds += measured.best;
        self.contexts += measured.stats.contexts;
        self.edges += measured.stats.edges;
        if measured.best > self.slowest.0 {
            self.slowest = (measured.best, i, j);
        }
        match &measured.ending {
            Ending::Unsupported => {}
            Ending::Stopped(Limit::Memory(_)) => self.memouts += 1,
            Ending::Stopped(_) => self.timeouts += 1,
            Ending::Decided(_) => self.solved += 1,
        }
        if first.is_decided() && measured.is_decided() && j >= 9 {
            self.time_ratios.push(first.best / measured.best);
            let contexts = |m: &Measured| m.stats.contexts.max(1) as f64;
            self.context_ratios.push(contexts(first) / contexts(measured));
        }
    }

    /// The row of an engine, on so many pairs.
    fn row(&self, engine: &Engine, pairs: usize) -> Vec<String> {
        let (slowest, i, j) = self.slowest;
        vec![
            engine.name.to_owned(),
            self.solved.to_string(),
            self.timeouts.to_string(),
            self.memouts.to_string(),
            self.contexts.to_string(),
            self.edges.to_string(),
            ratio(geometric_mean(&self.context_ratios)),
            ratio(geometric_mean(&self.time_ratios)),
            time(self.seconds),
            time(self.seconds / pairs as f64),
            format!("{} ({i}, {j})", time(slowest)),
        ]
    }
}

/// Engines that were not measured now keep what the page says of them, with a remark. After a
/// change of an engine, measure it anew.
fn with_old_rows(rows: &[Vec<String>], page: &Page) -> (Vec<Vec<String>>, String) {
    let mut kept = Vec::new();
    let old = page.old_rows("grid");
    let row_of = |engine: &Engine| {
        let is_it = |row: &&Vec<String>| row.first().is_some_and(|name| name == engine.name);
        let new = rows.iter().find(is_it);
        let row = new.or_else(|| old.iter().find(is_it).filter(|row| row.len() == HEADERS.len()));
        if new.is_none() && row.is_some() {
            kept.push(format!("`{}`", engine.name));
        }
        row.cloned()
    };
    let rows = ENGINES.iter().copied().filter_map(row_of).collect();
    let kept = match kept.join(", ") {
        names if names.is_empty() => names,
        names => format!(
            " The rows of {names} were measured in a run of their own: their counts can be \
             compared with the others, their times only roughly."
        ),
    };
    (rows, kept)
}

/// Runs the command.
pub(crate) fn run(
    max: usize,
    step: usize,
    engines: &[&'static Engine],
    limits: Limits,
    page: &Page,
) -> io::Result<()> {
    let mut tallies = vec![Tally::default(); engines.len()];
    let (mut pairs, mut holding, mut preparing) = (0, 0, 0.0);
    let begin = Instant::now();
    let formulas: Vec<_> =
        (step..=max).step_by(step).map(|j| (j, literature_formula(j, j as u64))).collect();
    for i in (step..=max).step_by(step) {
        let model = member("literature", i, i as u64, &[]);
        let prepared = Instant::now();
        let checker = Checker::new(&model.machine, &Budget::unlimited())
            .map_err(|limit| io::Error::other(limit.to_string()))?;
        preparing += prepared.elapsed().as_secs_f64();
        for (j, formula) in &formulas {
            pairs += 1;
            let mut first = None;
            let mut agreed = None;
            for (engine, tally) in engines.iter().zip(&mut tallies) {
                let measured = measure(&checker, formula, engine, limits, 1);
                let first = first.get_or_insert_with(|| measured.clone());
                tally.add((i, *j), &measured, first);
                if let Ending::Decided(verdicts) = &measured.ending {
                    if agreed.is_some_and(|agreed| agreed != verdicts[0]) {
                        let wrong = format!("machine {i}, formula {j}: {} differs", engine.name);
                        return Err(io::Error::other(wrong));
                    }
                    agreed = Some(verdicts[0]);
                }
            }
            holding += usize::from(agreed == Some(true));
        }
        note(&format!("machine {i}: {}", time(begin.elapsed().as_secs_f64())));
    }
    let rows: Vec<Vec<String>> =
        engines.iter().zip(&tallies).map(|(engine, tally)| tally.row(engine, pairs)).collect();
    let (rows, kept) = with_old_rows(&rows, page);
    let every = if step == 1 { String::new() } else { format!(", every {step}th of each") };
    let text = format!(
        "## The grid of the literature\n\n\
         `cargo xtask grid --max {max} --step {step} --engines {}`: machines i and formulas j up to {max}{every}, \
         {pairs} pairs, each once, at most {} and {} GiB a pair. {holding} of the claims hold, and all \
         engines agree on all they solved. Ratios are geometric means of what `{}` took to what \
         this engine took, over the pairs with a temporal operator (j from 9) that both solved: above 1 is \
         less. Preparing the machines took {} in all and is not counted.{kept}\n\n{}",
        engines.iter().map(|engine| engine.name).collect::<Vec<_>>().join(","),
        time(limits.timeout.as_secs_f64()),
        limits.memory >> 30,
        engines[0].name,
        time(preparing),
        table(1, &HEADERS, &rows)
    );
    page.section("grid", &text)
}
