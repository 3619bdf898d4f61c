//! What is said about the claims of an integer program: text for people, and JSON.

use super::{Beside, Task};
use crate::args::CheckArgs;
use crate::reading::{AssertionRule, GlobalRule};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tern_ir::flow::Row;
use tern_numeric::check::{Decision, Verdict, Why};
use tern_program::c::claim;
use tern_record::integers::{SCHEMA, write_proof};
use tern_report::{Palette, visible};

impl Task {
    /// For which initial values a claim holds, or fails, as far as that is known.
    fn precondition(&self, decision: &Decision, holds: bool) -> Option<String> {
        if decision.verdict == Verdict::Holds {
            return Some(holds.to_string());
        }
        let visible = |row: &&Row| {
            let variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
            variables.map(|it| &self.code.flow.variables[it]).all(|name| !name.contains(' '))
        };
        let mut cases = Vec::new();
        for region in decision.regions.iter().filter(|region| region.holds == Some(holds)) {
            // A row about what has no name cannot be left out of a condition that suffices.
            let rows: Vec<&Row> = region.rows.iter().filter(visible).collect();
            if rows.len() == region.rows.len() {
                cases.push(self.code.flow.show_all(rows).join(" && "));
            }
        }
        if cases.iter().any(String::is_empty) {
            return Some("true".to_owned());
        }
        (!cases.is_empty()).then(|| cases.join(" || "))
    }

    /// The cells that a claim was decided by, for the page.
    pub(super) fn partition(&self, index: usize, decision: &Decision) -> Option<Value> {
        let Some(Ok(proof)) = &decision.proof else { return None };
        let show = |term| claim::show(&proof.claim, term, &self.claims.formulas);
        let meanings = &self.questions[index].meanings;
        tern_report::html::partition(self.about(decision), meanings, proof, show)
    }

    fn shown(&self, index: usize) -> String {
        self.claims.list()[index].property.show(&self.claims.formulas).to_string()
    }

    /// The values of the variables that claims can name.
    pub(super) fn named<'a>(&'a self, values: &'a [i128]) -> impl Iterator<Item = (&'a str, i128)> {
        let all = self.code.flow.variables.iter().map(String::as_str).zip(values.iter().copied());
        all.filter(|(name, _)| !name.contains(' '))
    }

    /// The lines for people.
    pub(super) fn text(
        &self,
        index: usize,
        decision: &Decision,
        beside: &Beside,
        args: &CheckArgs,
        palette: Palette,
    ) -> String {
        let Palette { good, bad, warning, dim, reset, .. } = palette;
        let (word, colour) = match &decision.verdict {
            Verdict::Holds if args.quiet => return String::new(),
            Verdict::Holds => ("holds", good),
            Verdict::Fails { .. } => ("fails", bad),
            Verdict::Unknown(_) => ("unknown", warning),
        };
        let title = match &self.claims.list()[index].name {
            Some(name) => format!("{}: ", visible(name)),
            None if self.questions.len() > 1 => format!("{}: ", index + 1),
            None => String::new(),
        };
        if args.sv_comp {
            let title = if self.questions.len() > 1 { title } else { String::new() };
            return format!("{title}{}\n", self.competition_verdict(index, &decision.verdict));
        }
        let shown = self.shown(index);
        let mut text = format!("{colour}{word:<7}{reset}  {title}{}\n", visible(&shown));
        if args.quiet {
            return text;
        }
        match &decision.verdict {
            Verdict::Holds if decision.starts == 0 => {
                text += &format!(
                    "         {warning}because no initial state that fits what is given has a run{reset}\n"
                );
            }
            Verdict::Holds => {}
            Verdict::Fails { point, values } => {
                let line = self.code.flow.points[*point].line;
                let start: Vec<String> =
                    self.named(values).map(|(name, value)| format!("{name} = {value}")).collect();
                let start = if start.is_empty() { "at once".to_owned() } else { start.join(", ") };
                let how = match (beside.replayed, beside.followed) {
                    (true, _) => "; replayed by an interpreter",
                    (false, true) => "; the run is replayed by an interpreter",
                    (false, false) => "",
                };
                let place = if line == 0 { "the end".to_owned() } else { format!("line {line}") };
                let _ = writeln!(text, "         from {place} with {start}{dim}{how}{reset}");
                text += &self.view(decision).lines(&beside.told, args.witness);
            }
            Verdict::Unknown(why) => {
                let _ = writeln!(text, "         because: {}", self.reason(index, why, decision));
            }
        }
        if let (Some(by), false) = (&beside.by, matches!(decision.verdict, Verdict::Unknown(_))) {
            let _ = writeln!(text, "         {dim}decided by {}{reset}", visible(by));
        }
        if let Some(expected) =
            self.competition.as_ref().and_then(|it| it.expected(index, self.questions.len()))
        {
            let agrees = match &decision.verdict {
                Verdict::Holds => expected,
                Verdict::Fails { .. } => !expected,
                Verdict::Unknown(_) => true,
            };
            let colour = if agrees { dim } else { bad };
            let _ = writeln!(text, "         {colour}the task expects {expected}{reset}");
        }
        if args.stats {
            let Decision { cells, rounds, systems, .. } = decision;
            let _ = writeln!(
                text,
                "         {dim}{cells} cells, {rounds} rounds, {systems} systems of rows{reset}"
            );
        }
        if args.precondition {
            for (word, holds) in [("holds", true), ("fails", false)] {
                let shown = self.precondition(decision, holds);
                let shown = shown.unwrap_or_else(|| "nothing was found".to_owned());
                let _ = writeln!(text, "         {word} if: {}", visible(&shown));
            }
        }
        for missing in &beside.missing {
            let _ = writeln!(text, "         {warning}{missing}{reset}");
        }
        if let Some((true, seconds)) = beside.certified {
            let took = tern_report::text::duration(seconds);
            let _ = writeln!(text, "         {dim}certified in {took}{reset}");
        }
        text
    }

    /// Why a claim is unknown: a limit, and where what is not known.
    fn reason(&self, index: usize, why: &Why, decision: &Decision) -> String {
        let mut reason = match why.limit {
            Some(limit) => format!("{limit}; "),
            None => String::new(),
        };
        let Some(point) = why.point else {
            return reason
                + match why.limit {
                    Some(_) => "the analysis had just begun",
                    None => "nothing that was tried decides it",
                };
        };
        let line = self.about(decision).points[point].line;
        let program = &self.questions[index].program;
        reason.push_str(&match why.term {
            Some(term) => claim::show(program, term, &self.claims.formulas) + " ",
            None => "whether any run goes on ".to_owned(),
        });
        let _ = write!(reason, "is not known at line {line}");
        let visible_row = |row: &&tern_ir::flow::Row| {
            let variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
            variables.map(|it| &self.code.flow.variables[it]).all(|name| !name.contains(' '))
        };
        let rows = self.code.flow.show_all(why.rows.iter().filter(visible_row).take(6));
        if !rows.is_empty() {
            let _ = write!(reason, " where {}", rows.join(", "));
        }
        let Decision { cells, rounds, .. } = decision;
        let _ =
            write!(reason, "; invariants, ranks and {cells} cells were tried in {rounds} rounds");
        reason
    }

    pub(super) fn json(
        &self,
        index: usize,
        decision: &Decision,
        beside: &Beside,
        args: &CheckArgs,
    ) -> Value {
        let claim = &self.claims.list()[index];
        let condition =
            |holds| args.precondition.then(|| self.precondition(decision, holds)).flatten();
        let (verdict, reason, start) = match &decision.verdict {
            Verdict::Holds => ("holds", Value::Null, Value::Null),
            Verdict::Fails { point, values } => {
                let named: serde_json::Map<String, Value> = self
                    .named(values)
                    .map(|(name, value)| (name.to_owned(), Value::String(value.to_string())))
                    .collect();
                let line = self.code.flow.points[*point].line;
                ("fails", Value::Null, json!({"line": line, "values": named}))
            }
            Verdict::Unknown(why) => {
                ("unknown", Value::String(self.reason(index, why, decision)), Value::Null)
            }
        };
        json!({
            "claim": self.shown(index),
            "name": claim.name,
            "number": index + 1,
            "verdict": verdict,
            "reason": reason,
            "start": start,
            "replayed": beside.replayed,
            "followed": beside.followed,
            "witness": self.view(decision).json(&beside.told),
            "precondition": {
                "holds": condition(true),
                "fails": condition(false),
            },
            "missing": beside.missing,
            "by": beside.by,
            "expected": self.competition.as_ref().and_then(|it| it.expected(index, self.questions.len())),
            "certified": beside.certified.map(|it| it.0),
            "evidence": match &decision.proof {
                Some(Ok(proof)) => {
                    write_proof(&self.code.flow, &self.claims.formulas, proof).ok()
                }
                _ => beside.states.clone(),
            },
            "stats": {
                "cells": decision.cells,
                "starts": decision.starts,
                "rounds": decision.rounds,
                "systems": decision.systems,
                "seconds": beside.seconds,
                "certifying": beside.certified.map(|it| it.1),
            },
        })
    }

    pub(super) fn object(&self, results: &[Value]) -> Value {
        let globals = self.reading.globals.unwrap_or(GlobalRule::Zero);
        let assert = self.reading.assert.unwrap_or(AssertionRule::Fail);
        let widths = self.reading.widths().ok().flatten();
        json!({
            "schema": SCHEMA,
            "tern": env!("CARGO_PKG_VERSION"),
            "program": self.code.source.name,
            "given": self.reading.given,
            "globals": globals.word(),
            "assert": assert.word(),
            "int": widths.map(|it| it.int),
            "long": widths.map(|it| it.long),
            "results": results,
        })
    }
}
