//! `cargo xtask ltl FOLDER`: sizes of our automata beside those of Spot, written to
//! `docs/automata.md`.
//!
//! The folder has files `*.ltl`, one formula a line, and `spot_sizes.csv` with what Spot's
//! `ltl2tgba` makes of each line and of its negation: columns `file,line,formula` and then states
//! and edges of the Büchi automaton (`-B`) and of the generalised one, for the formula and for its
//! negation.

use crate::page;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use tern_model::{Automaton, Budget, Formula, FormulaId, Formulas};

/// How often a translation is timed; the median counts.
const REPEAT: usize = 5;

/// States and edges of an automaton.
#[derive(Clone, Copy, Default)]
struct Size {
    states: usize,
    edges: usize,
}

impl Size {
    fn of(automaton: &Automaton) -> Size {
        let edges = automaton.transitions.as_slice().iter().map(Vec::len).sum();
        Size { states: automaton.state_count(), edges }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.states, self.edges)
    }
}

/// One automaton of ours beside Spot's.
#[derive(Clone, Copy)]
struct Pair {
    ours: Size,
    spot: Size,
    time: Duration,
}

/// A formula or the negation of one.
struct Row {
    file: String,
    line: usize,
    formula: String,
    /// Generalised Büchi.
    many: Pair,
    /// Büchi with marks on states.
    one: Pair,
}

/// Measures all formulas that the table of sizes names, and writes the page.
pub(crate) fn run(folder: &Path, out: &Path) -> Result<(), io::Error> {
    let table = std::fs::read_to_string(folder.join("spot_sizes.csv"))?;
    let mut rows = Vec::new();
    for entry in table.lines().skip(1) {
        let wrong = || io::Error::other(format!("spot_sizes.csv: cannot read `{entry}`"));
        let fields: Vec<&str> = entry.rsplitn(9, ',').collect();
        let mut head = fields.get(8).ok_or_else(wrong)?.splitn(3, ',');
        let file = head.next().ok_or_else(wrong)?;
        let line: usize = head.next().and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
        let numbers: Option<Vec<usize>> =
            fields[..8].iter().rev().map(|field| field.trim().parse().ok()).collect();
        let numbers = numbers.ok_or_else(wrong)?;
        let size = |i: usize| Size { states: numbers[i], edges: numbers[i + 1] };
        let text = std::fs::read_to_string(folder.join(file))?;
        let text = text.lines().nth(line - 1).ok_or_else(wrong)?;
        for (negated, one, many) in [(false, size(0), size(2)), (true, size(4), size(6))] {
            rows.push(measure(file, line, text, negated, one, many)?);
        }
    }
    std::fs::write(out, show(&rows))?;
    page::note(&summary(&rows));
    Ok(())
}

fn measure(
    file: &str,
    line: usize,
    text: &str,
    negated: bool,
    spot_one: Size,
    spot_many: Size,
) -> Result<Row, io::Error> {
    let mut formulas = Formulas::new();
    let parsed = tern_front::formula::read(&mut formulas, text, 0)
        .map_err(|problems| io::Error::other(format!("{file}:{line}: {}", problems[0].message)))?;
    let root = if negated { formulas.make(Formula::Not(parsed.root)) } else { parsed.root };
    let pair = |spot, translate: &dyn Fn(&mut Formulas, FormulaId) -> Automaton| {
        let mut times = Vec::new();
        let mut ours = Size::default();
        for _ in 0..REPEAT {
            let mut arena = formulas.clone();
            let begin = Instant::now();
            let automaton = translate(&mut arena, root);
            times.push(begin.elapsed());
            ours = Size::of(&automaton);
        }
        times.sort_unstable();
        Pair { ours, spot, time: times[REPEAT / 2] }
    };
    let budget = Budget::unlimited();
    let many = pair(spot_many, &|formulas, root| {
        tern_automata::translate(formulas, root, &budget).expect("there are no limits")
    });
    let one = pair(spot_one, &|formulas, root| {
        tern_automata::translate_state_based(formulas, root, &budget).expect("there are no limits")
    });
    let formula = if negated { format!("!({text})") } else { text.to_owned() };
    Ok(Row { file: file.trim_end_matches(".ltl").to_owned(), line, formula, many, one })
}

/// Totals over some automata: states, edges of ours and of Spot's, how many are no larger, and the
/// time.
fn totals(pairs: &[Pair]) -> String {
    let sum = |size: &dyn Fn(&Pair) -> usize| pairs.iter().map(size).sum::<usize>();
    let no_larger = pairs.iter().filter(|pair| pair.ours.states <= pair.spot.states).count();
    let smaller = pairs.iter().filter(|pair| pair.ours.states < pair.spot.states).count();
    let time: Duration = pairs.iter().map(|pair| pair.time).sum();
    let slowest = pairs.iter().map(|pair| pair.time).max().unwrap_or_default();
    let share = 100.0 * no_larger as f64 / pairs.len().max(1) as f64;
    format!(
        "{} | {} | {} | {} | {} | {share:.1} % | {smaller} | {:.2} ms | {:.1} ms",
        pairs.len(),
        sum(&|pair| pair.ours.states),
        sum(&|pair| pair.spot.states),
        sum(&|pair| pair.ours.edges),
        sum(&|pair| pair.spot.edges),
        time.as_secs_f64() * 1e3 / pairs.len().max(1) as f64,
        slowest.as_secs_f64() * 1e3,
    )
}

fn summary(rows: &[Row]) -> String {
    let mut text = String::from(
        "| automaton | formulas | states | Spot | edges | Spot | no more states | fewer | mean time | slowest |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    // Rows alternate: a formula, then its negation.
    for (name, first) in [("formula", 0), ("negation", 1)] {
        let half: Vec<&Row> = rows.iter().skip(first).step_by(2).collect();
        let many: Vec<Pair> = half.iter().map(|row| row.many).collect();
        let one: Vec<Pair> = half.iter().map(|row| row.one).collect();
        writeln!(text, "| generalised, {name} | {} |", totals(&many)).expect("strings take text");
        writeln!(text, "| Büchi, {name} | {} |", totals(&one)).expect("strings take text");
    }
    text
}

fn show(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Sizes of automata\n\n\
         Specification patterns of the literature (Dwyer et al., Etessami–Holzmann, Somenzi–Bloem, \
         Holeček et al., Pelánek) and their negations, translated by `tern_automata` and by Spot's \
         `ltl2tgba`. *Generalised*: generalised Büchi with marks on transitions. *Büchi*: one mark, \
         on states (`ltl2tgba -B`). Sizes are states/edges; edges with the same target and marks count once. \
         Written by `cargo xtask ltl`; times are those of one run on a shared two-core machine, \
         each with simplification, translation of formula and negation, and all reductions.\n\n",
    );
    text.push_str(&summary(rows));
    text.push_str(
        "\nRows where we have more states than Spot are marked with `+`, fewer with `-`.\n\n",
    );
    text.push_str("| | formula | generalised | Spot | | Büchi | Spot | | µs |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        let sign = |pair: Pair| match pair.ours.states.cmp(&pair.spot.states) {
            std::cmp::Ordering::Less => "-",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => "+",
        };
        writeln!(
            text,
            "| {} {} | `{}` | {} | {} | {} | {} | {} | {} | {} |",
            row.file.trim_end_matches("_pattern"),
            row.line,
            row.formula.replace('|', "\\|"),
            row.many.ours,
            row.many.spot,
            sign(row.many),
            row.one.ours,
            row.one.spot,
            sign(row.one),
            row.many.time.as_micros(),
        )
        .expect("strings take text");
    }
    text
}
