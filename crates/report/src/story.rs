//! Stories for people: which subformula decides a claim, and the run that shows it.
//!
//! ```text
//! AG (lock -> AF unlock) fails on this run:
//!  1  main.start
//!  2  main.acquire {lock}
//! here lock holds
//! here AF unlock fails on this run:
//!  1  main.acquire {lock}  calls walk by w
//!  2    walk.enter  calls walk by left
//!     … and so on from step 2, deeper for ever: left left left …
//! ```
//! One line a configuration, with what happens there (`perhaps`, if the step is only possible), and
//! in parentheses where its node comes from, if that is known; a level of indentation is a call. In
//! braces are the labels that the claim speaks of, and the quantified formulas inside the path
//! formula that hold there. Behind an arrow stands which part of the path formula gets the value
//! there that the whole is due to. What is told of configurations on the way comes after the run.

use crate::{brief, visible};
use std::fmt::{self, Write};
use tern_model::{BoxId, Ending, Machine, Move, MoveKind};
use tern_record::trace::{Note, RunTrace, Step, Trace, Why};

/// Longer runs are folded, unless they are wanted in full: so many lines stay, at the beginning and
/// at the end; and those that are marked.
const LONGEST: usize = 40;
const HEAD: usize = 20;
const TAIL: usize = 15;
/// Deeper calls are not indented further.
const DEEPEST: usize = 16;

/// How much is written of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// The last steps.
    Brief,
    /// The beginning and the end of long runs.
    #[default]
    Folded,
    /// All of it, however long.
    Full,
}

impl Length {
    /// How long a run may be that is not folded, and how many of the first and last lines of a
    /// longer one stay.
    fn fold(self) -> Option<[usize; 3]> {
        match self {
            Length::Brief => Some([8, 0, 6]),
            Length::Folded => Some([LONGEST, HEAD, TAIL]),
            Length::Full => None,
        }
    }
}

/// Writes a story.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(
    out: &mut impl Write,
    machine: &Machine,
    trace: &Trace<'_>,
    length: Length,
) -> fmt::Result {
    let teller = Teller { machine, length };
    // What is still to be told, the next last.
    let mut waiting = vec![(trace, Place::Beginning)];
    while let Some((trace, place)) = waiting.pop() {
        teller.one(out, trace, place, &mut waiting)?;
    }
    Ok(())
}

/// Where a story is told, seen from what was told before.
#[derive(Clone, Copy)]
enum Place {
    /// Nothing was told before.
    Beginning,
    /// Where the last run ended.
    Here,
    /// In this configuration of a run, counted from 1.
    Step(usize),
}

impl Place {
    /// As the beginning of a sentence.
    fn lead(self) -> String {
        match self {
            Place::Beginning => String::new(),
            Place::Here => "here ".to_owned(),
            Place::Step(step) => format!("at step {step} "),
        }
    }
}

struct Teller<'m> {
    machine: &'m Machine,
    length: Length,
}

/// `holds` or `fails`, or that it may.
fn value(holds: bool, perhaps: bool) -> &'static str {
    match (holds, perhaps) {
        (true, false) => "holds",
        (false, false) => "fails",
        (true, true) => "may hold",
        (false, true) => "may fail",
    }
}

/// A formula and its value; `p holds` is easier to read than `!p fails`.
fn said(formula: &str, negation_of: Option<&str>, holds: bool, perhaps: bool) -> String {
    match negation_of {
        Some(positive) if !holds => format!("{} {}", brief(positive), value(true, perhaps)),
        _ => format!("{} {}", brief(formula), value(holds, perhaps)),
    }
}

impl Teller<'_> {
    fn one<'t>(
        &self,
        out: &mut impl Write,
        trace: &'t Trace<'t>,
        place: Place,
        waiting: &mut Vec<(&'t Trace<'t>, Place)>,
    ) -> fmt::Result {
        let lead = place.lead();
        let Trace { formula, negation_of, speaks_of_paths, holds, perhaps, why } = trace;
        let value = value(*holds, *perhaps);
        let shown = brief(formula);
        match why {
            // Of what speaks of one state only, the labels in the run say enough.
            Why::Operands(traces) if *speaks_of_paths => {
                waiting.extend(traces.iter().rev().map(|inner| (inner, place)));
                Ok(())
            }
            Why::Labels | Why::Operands(_) => {
                writeln!(out, "{lead}{}", said(formula, negation_of.as_deref(), *holds, *perhaps))
            }
            Why::AllPaths(sentence) => {
                let sure = if *perhaps { "as far as is sure, " } else { "" };
                writeln!(out, "{lead}{sure}{}", brief(sentence))
            }
            Why::TooLong => {
                writeln!(out, "{lead}{shown} {value}, but the run is too long")
            }
            Why::Run(run) => {
                let by = if *holds { "by" } else { "on" };
                if run.steps.len() == 1 && run.steps[0].next.is_none() && !run.asides.is_empty() {
                    writeln!(out, "{lead}{shown} {value} at once:")?;
                } else {
                    writeln!(out, "{lead}{shown} {value} {by} this run:")?;
                    self.run(out, run)?;
                }
                let place = |at: usize| {
                    let is_end = run.ending == Ending::Done && at + 1 == run.steps.len();
                    if is_end { Place::Here } else { Place::Step(at + 1) }
                };
                waiting.extend(run.asides.iter().rev().map(|(at, inner)| (inner, place(*at))));
                Ok(())
            }
        }
    }

    fn run(&self, out: &mut impl Write, run: &RunTrace<'_>) -> fmt::Result {
        let lines = run.steps.len();
        let width = lines.to_string().len().max(2);
        let fold = self.length.fold().filter(|&[longest, ..]| lines > longest);
        let mut left_out = 0;
        for (i, step) in run.steps.iter().enumerate() {
            let notes = notes(step);
            let is_left_out =
                |[_, head, tail]: [usize; 3]| i >= head && i < lines - tail && notes.is_empty();
            if fold.is_some_and(is_left_out) {
                left_out += 1;
                continue;
            }
            if left_out > 0 {
                writeln!(out, "{:width$}  … {left_out} more …", "")?;
                left_out = 0;
            }
            let indent = 2 * step.depth.min(DEEPEST);
            write!(out, "{:>width$}  {:indent$}", i + 1, "")?;
            self.configuration(out, step, run)?;
            let happening = step.next.map_or_else(String::new, |next| self.happening(next));
            match (step.perhaps, happening.trim_start()) {
                (false, _) => out.write_str(&happening)?,
                (true, "") => out.write_str("  perhaps")?,
                (true, happening) => write!(out, "  perhaps {happening}")?,
            }
            if !notes.is_empty() {
                write!(out, "  ← {}", notes.join(", "))?;
            }
            if let Some(origin) = &step.origin {
                write!(out, "  ({})", visible(&origin.to_string()))?;
            }
            out.write_char('\n')?;
        }
        match &run.ending {
            Ending::Done => Ok(()),
            Ending::Loop(from) => {
                writeln!(out, "{:width$}  … and so on from step {}", "", from + 1)
            }
            Ending::Pump(from, boxes) => {
                let (from, calls) = (from + 1, self.growth(boxes));
                writeln!(
                    out,
                    "{:width$}  … and so on from step {from}, deeper for ever: {calls}",
                    ""
                )
            }
        }
    }

    /// A node or the sink, with the labels that the claim speaks of, and the formulas that hold
    /// there.
    fn configuration(
        &self,
        out: &mut impl Write,
        step: &Step<'_>,
        run: &RunTrace<'_>,
    ) -> fmt::Result {
        match step.node {
            Some(node) => out.write_str(&brief(&self.machine.node_path(node)))?,
            None => out.write_str("the end")?,
        }
        let labels = step.labels.iter().map(|name| brief(name));
        let values = step.values.iter().map(|&number| brief(&run.values[number].0));
        let all: Vec<_> = labels.chain(values).collect();
        if !all.is_empty() {
            write!(out, " {{{}}}", all.join(", "))?;
        }
        Ok(())
    }

    /// What happens in a configuration, if it is more than a step.
    fn happening(&self, next: Move) -> String {
        let call = |call: BoxId| {
            let callee = brief(self.machine.component_name(self.machine.callee(call)));
            format!("calls {callee} by {}", brief(self.machine.box_name(call)))
        };
        match next.kind {
            MoveKind::Step => String::new(),
            MoveKind::Call(by) => format!("  {}", call(by)),
            MoveKind::Return(exit) => {
                format!("  returns by {}", brief(self.machine.exit_name(exit)))
            }
            MoveKind::ReturnAndCall(exit, by) => {
                let exit = brief(self.machine.exit_name(exit));
                format!("  returns by {exit}; the caller {}", call(by))
            }
            MoveKind::Stay => "  stays".to_owned(),
            MoveKind::Sink => "  ends".to_owned(),
        }
    }

    /// The boxes by which a stack grows, a few times over.
    fn growth(&self, boxes: &[BoxId]) -> String {
        const MOST: usize = 12;
        let names = boxes.iter().map(|&call| brief(self.machine.box_name(call)));
        if boxes.len() > MOST {
            let names: Vec<_> = names.take(MOST).collect();
            return format!("{} … ({} calls each time)", names.join(" "), boxes.len());
        }
        let once = names.collect::<Vec<_>>().join(" ");
        format!("{once} {once} {once} …")
    }
}

/// What the marks of a step say, beyond what its labels do.
fn notes(step: &Step<'_>) -> Vec<String> {
    let note = |note: &Note| match note.for_ever {
        true => {
            let value = value(note.holds, note.perhaps);
            format!("from here on {} {value}", brief(&note.formula))
        }
        false => said(&note.formula, note.negation_of.as_deref(), note.holds, note.perhaps),
    };
    step.marks.iter().filter(|mark| !mark.is_plain).map(note).collect()
}
