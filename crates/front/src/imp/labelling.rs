//! The names of control points, as the textbook's labelling gives them.
//!
//! The points of a process are numbered from 0 in the order of the text; the processes of a
//! `cobegin` take numbers in between. A point is called `l` with the numbers on the way to it: `l0`
//! is where the program begins, `l10` where its first process begins if that has the number 1.
//! Where two points would be called the same (`l110` may be point 10 of process 1, or point 0 of
//! process 11), the numbers of both are divided by `_`. Points of a procedure `p` are called
//! `p.l0`. A label that is written before a statement is a second name of its point, and is shown.

use super::program::{PointId, ProcessId, Program};
use crate::collector::Collector;
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::index::Table;

/// What control points and processes are called.
#[derive(Debug)]
pub(super) struct Labelling {
    /// The name of each point that is shown.
    pub(super) points: Table<PointId, String>,
    /// All names of points.
    pub(super) by_name: FxHashMap<String, PointId>,
    /// The name of each process: `p1`.
    pub(super) processes: Table<ProcessId, String>,
}

/// The numbers on the way to a process.
fn path(program: &Program, process: ProcessId) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = process;
    while let Some(parent) = program.processes[at].parent {
        path.push(program.processes[at].number);
        at = parent;
    }
    path.reverse();
    path
}

fn joined(numbers: &[u32], divider: &str) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(divider)
}

/// Names of things by the numbers on the way to them.
fn names(ways: &[(String, Vec<u32>)]) -> Vec<String> {
    let short: Vec<String> =
        ways.iter().map(|(prefix, way)| prefix.clone() + &joined(way, "")).collect();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for name in &short {
        *counts.entry(name).or_default() += 1;
    }
    let unique = |name: &String| counts[name.as_str()] == 1;
    let long = |(prefix, way): &(String, Vec<u32>)| prefix.clone() + &joined(way, "_");
    let pairs = short.iter().zip(ways);
    pairs.map(|(name, way)| if unique(name) { name.clone() } else { long(way) }).collect()
}

/// Names all points. A label of the text that is the name of another point is a problem.
pub(super) fn labelling(program: &Program, problems: &mut Collector) -> Labelling {
    let paths: Table<ProcessId, Vec<u32>> =
        program.processes.ids().map(|id| path(program, id)).collect();
    let prefix = |process: ProcessId, letter: &str| match program.processes[process].procedure {
        Some(procedure) => format!("{}.{letter}", program.procedures[procedure].name),
        None => letter.to_owned(),
    };
    let ways: Vec<(String, Vec<u32>)> = program
        .points
        .iter()
        .map(|(_, point)| {
            let mut way = paths[point.process].clone();
            way.push(point.number);
            (prefix(point.process, "l"), way)
        })
        .collect();
    let own: Table<PointId, String> = names(&ways).into_iter().collect();
    let ways: Vec<(String, Vec<u32>)> =
        paths.iter().map(|(id, way)| (prefix(id, "p"), way.clone())).collect();
    let processes = names(&ways).into_iter().collect();
    let mut by_name: FxHashMap<String, PointId> =
        own.iter().map(|(id, name)| (name.clone(), id)).collect();
    let mut points = Table::new();
    for (id, point) in program.points.iter() {
        let Some(label) = &point.label else {
            points.push(own[id].clone());
            continue;
        };
        let label = match program.processes[point.process].procedure {
            Some(procedure) => format!("{}.{label}", program.procedures[procedure].name),
            None => label.clone(),
        };
        // Two labels that are alike have been reported.
        let is_other = |&other: &PointId| other != id && program.points[other].label != point.label;
        if let Some(other) = by_name.insert(label.clone(), id).filter(is_other) {
            problems.add(|_| {
                let message = format!("`{label}` is the name of another control point");
                Problem::error("G012", message)
                    .at(point.span, "labelled here")
                    .related(program.points[other].span, format!("this is `{label}`"))
                    .hint("take a name that is not `l` with a number")
            });
        }
        points.push(label);
    }
    Labelling { points, by_name, processes }
}
