//! `tern info prog.c`: what there is to know of an integer program without a claim.

use super::reading::{Code, read_code};
use crate::failure::{Failure, Status};
use crate::reading::ReadingArgs;
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use tern_ir::flow::{Auxiliary, Edge, Flow, PointId};
use tern_model::index::Id;
use tern_model::{Budget, visible};
use tern_program::c::outline::{Outline, outline};
use tern_report::counted;

/// Prints what is known of a program.
pub(crate) fn run(
    path: &str,
    reading: &ReadingArgs,
    is_json: bool,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    let code = read_code(path, reading, &Budget::unlimited())?;
    let facts = Facts::of(&code);
    terminal.print(&match is_json {
        true => format!("{}\n", facts.json(&code)),
        false => facts.text(&code),
    })?;
    Ok(Status::Good)
}

struct Facts {
    outline: Option<Outline>,
    /// Variables that claims can name.
    variables: Vec<String>,
    hidden: usize,
    loops: Vec<u32>,
    /// How many steps have a value that is known in part only.
    partly: usize,
    choices: usize,
}

impl Facts {
    fn of(code: &Code) -> Facts {
        let Code { flow, source_tree, .. } = code;
        let (named, hidden): (Vec<&String>, Vec<&String>) =
            flow.variables.iter().partition(|name| !name.contains(' '));
        let edges = || flow.edges.as_slice().iter();
        let has = |kind: Auxiliary| edges().filter(|edge| edge.auxiliaries.contains(&kind)).count();
        // Of two steps with one guard, either may be taken.
        let leaving = flow.leaving();
        let is_open = |edge: &&Edge| {
            let same = leaving[edge.from].iter().map(|&other| &flow.edges[other]);
            let has_choice = edge.auxiliaries.contains(&Auxiliary::Choice);
            !has_choice && same.filter(|other| other.guard == edge.guard).count() > 1
        };
        Facts {
            outline: source_tree.as_ref().map(|(unit, _)| outline(unit)),
            variables: named.into_iter().cloned().collect(),
            hidden: hidden.len(),
            loops: loops(flow),
            partly: has(Auxiliary::Unknown),
            choices: has(Auxiliary::Choice) + edges().filter(is_open).count(),
        }
    }

    fn text(&self, code: &Code) -> String {
        let Code { flow, source, labels, .. } = code;
        let mut text = format!("{}\n", visible(&source.name));
        let mut line = |name: &str, what: String| {
            let _ = writeln!(text, "  {name:<12}{}", visible(&what));
        };
        if let Some(outline) = &self.outline {
            let functions = outline.functions.iter().map(|it| match it.is_recursive {
                true => format!("{} (calls itself)", it.name),
                false => it.name.clone(),
            });
            line("functions", functions.collect::<Vec<_>>().join(", "));
            if !outline.missing.is_empty() {
                let names: Vec<&str> = outline.missing.iter().map(String::as_str).collect();
                line("any value", format!("{}: functions without a body", names.join(", ")));
            }
        }
        let hidden = match self.hidden {
            0 => String::new(),
            count => format!(", and {count} that claims cannot name"),
        };
        line("variables", format!("{}{hidden}", self.variables.join(", ")));
        line("labels", labels.join(", "));
        let steps = counted(flow.edges.len(), "edge");
        line("points", format!("{}, {steps}", flow.points.len()));
        let lines: Vec<String> = self.loops.iter().map(u32::to_string).collect();
        line(
            "loops",
            match lines.is_empty() {
                true => "none".to_owned(),
                false => format!("{} at line {}", lines.len(), lines.join(", ")),
            },
        );
        line("choices", format!("{} of the steps", self.choices));
        line("in part", format!("{} of the steps have values that are known in part", self.partly));
        text
    }

    fn json(&self, code: &Code) -> Value {
        let Code { flow, source, labels, .. } = code;
        let functions = self.outline.as_ref().map(|outline| {
            let function = |it: &tern_program::c::outline::Function| {
                json!({"name": it.name, "parameters": it.parameters, "recursive": it.is_recursive})
            };
            outline.functions.iter().map(function).collect::<Vec<_>>()
        });
        json!({
            "schema": "tern-integers-info/1",
            "program": source.name,
            "functions": functions,
            "missing": self.outline.as_ref().map(|it| &it.missing),
            "variables": self.variables,
            "hidden": self.hidden,
            "labels": labels,
            "points": flow.points.len(),
            "steps": flow.edges.len(),
            "loops": self.loops,
            "choices": self.choices,
            "partly": self.partly,
        })
    }
}

/// The lines of the points that steps lead back to, by a walk in depth. The end is none.
fn loops(flow: &Flow) -> Vec<u32> {
    let mut next: BTreeMap<PointId, BTreeSet<PointId>> = BTreeMap::new();
    for edge in flow.edges.as_slice() {
        next.entry(edge.from).or_default().insert(edge.to);
    }
    // 0: not seen, 1: open, 2: done.
    let mut state = vec![0_u8; flow.points.len()];
    let mut heads: BTreeSet<u32> = BTreeSet::new();
    for start in &flow.starts {
        let mut open: Vec<(PointId, Vec<PointId>)> = Vec::new();
        let mut enter = vec![start.to];
        loop {
            if let Some(point) = enter.pop() {
                if state[point.index()] == 1 && flow.points[point].line > 0 {
                    heads.insert(flow.points[point].line);
                }
                if state[point.index()] == 0 {
                    state[point.index()] = 1;
                    let all = next.get(&point).map(|it| it.iter().copied().collect());
                    open.push((point, all.unwrap_or_default()));
                }
            }
            let Some((point, rest)) = open.last_mut() else { break };
            match rest.pop() {
                Some(to) => enter.push(to),
                None => {
                    state[point.index()] = 2;
                    open.pop();
                }
            }
        }
    }
    heads.into_iter().collect()
}
