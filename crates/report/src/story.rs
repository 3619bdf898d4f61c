//! Stories for people: which subformula decides a claim, and the run that shows it.
//!
//! ```text
//! EF (lock & EG !unlock) holds by this run:
//!  1  main.start
//!  2  main.acquire {lock}
//! here lock holds
//! here EG !unlock holds by this run:
//!  1  main.acquire {lock}  calls walk by w
//!  2    walk.enter  calls walk by left
//!     … and so on from step 2, deeper for ever: left left left …
//! ```
//! One line a configuration, with what happens there; a level of indentation is a call. In braces are the labels that
//! the claim speaks of, and in CTL* the quantified formulas inside the path formula that hold there. What is told of
//! configurations on the way comes after the run.

use crate::visible;
use std::fmt::{self, Write};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    BoxId, Ending, FormulaId, Formulas, Machine, Move, MoveKind, NodeId, Property, Reason, Run,
    Story, Told,
};
use tern_record::terms::Terms;
use tern_record::wording::{Wording, Words, value};

/// Longer runs are folded, unless they are wanted in full: so many lines stay, at the beginning and at
/// the end.
const LONGEST: usize = 40;
const HEAD: usize = 20;
const TAIL: usize = 15;
/// Deeper calls are not indented further.
const DEEPEST: usize = 16;

/// Writes a story that is told of a node on the empty stack. `program` is that of the claim.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(
    out: &mut impl Write,
    machine: &Machine,
    formulas: &Formulas,
    program: &Program,
    start: NodeId,
    story: &Story,
    full: bool,
) -> fmt::Result {
    let mut atoms: Vec<&str> = Vec::new();
    for &term in program.terms.as_slice() {
        if let Term::Atom(atom) = term {
            atoms.push(formulas.atom_name(atom));
        }
    }
    let path = Path { machine, atoms, full };
    Teller { words: Terms::new(formulas, program), path }.tell(out, story, start)
}

/// Writes a story of a claim in CTL* that is told of a node on the empty stack.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_star(
    out: &mut impl Write,
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    start: NodeId,
    story: &Story<FormulaId>,
    full: bool,
) -> fmt::Result {
    let atoms = formulas.atoms_of(claim).into_iter().map(|atom| formulas.atom_name(atom)).collect();
    let path = Path { machine, atoms, full };
    Teller { words: Words::new(formulas, claim), path }.tell(out, story, start)
}

/// What an endless run is told of.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim about runs.
    pub claim: &'a Property,
    /// Whether it holds by the run, or fails on it.
    pub holds: bool,
}

/// Writes an endless run from a node on the empty stack that decides a claim about runs.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_run(
    out: &mut impl Write,
    machine: &Machine,
    subject: Subject<'_>,
    (start, run): &(NodeId, Run),
    full: bool,
) -> fmt::Result {
    let Subject { formulas, claim, holds } = subject;
    let atoms = claim.atoms(formulas).into_iter();
    let atoms = atoms.map(|atom| formulas.atom_name(atom)).collect();
    let text = claim.show(formulas).to_string();
    let verdict = if holds { "holds by" } else { "fails on" };
    writeln!(out, "{} {verdict} this run:", visible(&text))?;
    Path { machine, atoms, full }.run(out, run, Spot::begin(*start), |_| Vec::new())
}

/// Where a story is told.
#[derive(Clone, Copy)]
struct Spot {
    /// `None` for the sink.
    node: Option<NodeId>,
    /// How many calls have not come back.
    depth: usize,
    /// Where that is, seen from what was told before.
    from_before: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// Nothing was told before.
    Beginning,
    /// Where the last run ended.
    Here,
    /// In this configuration of a run, counted from 1.
    Step(usize),
}

impl Spot {
    fn begin(node: NodeId) -> Self {
        Spot { node: Some(node), depth: 0, from_before: Place::Beginning }
    }

    fn after(self, next: Move) -> Self {
        let depth = match next.kind {
            MoveKind::Call(_) => self.depth + 1,
            MoveKind::Return(_) => self.depth.saturating_sub(1),
            _ => self.depth,
        };
        let node = match next.kind {
            MoveKind::Sink => None,
            MoveKind::Stay => self.node, // also in the sink
            _ => Some(next.node),
        };
        Spot { node, depth, ..self }
    }

    /// Where, as the beginning of a sentence.
    fn lead(self) -> String {
        match self.from_before {
            Place::Beginning => String::new(),
            Place::Here => "here ".to_owned(),
            Place::Step(step) => format!("at step {step} "),
        }
    }
}

struct Teller<'a, W> {
    words: W,
    path: Path<'a>,
}

/// What runs are written with.
struct Path<'a> {
    machine: &'a Machine,
    /// The propositions of the claim.
    atoms: Vec<&'a str>,
    full: bool,
}

impl<W> Teller<'_, W> {
    fn tell<T: Copy>(&self, out: &mut impl Write, story: &Story<T>, start: NodeId) -> fmt::Result
    where
        W: Wording<T>,
    {
        // What is still to be told, the next last.
        let mut waiting = vec![(story, Spot::begin(start))];
        while let Some((story, spot)) = waiting.pop() {
            self.one(out, story, spot, &mut waiting)?;
        }
        Ok(())
    }

    fn one<'s, T: Copy>(
        &self,
        out: &mut impl Write,
        story: &'s Story<T>,
        spot: Spot,
        waiting: &mut Vec<(&'s Story<T>, Spot)>,
    ) -> fmt::Result
    where
        W: Wording<T>,
    {
        let (lead, words) = (spot.lead(), &self.words);
        let Story { of, holds, ref reason } = *story;
        match reason {
            // Of what speaks of one state only, the labels in the run say enough.
            Reason::Operands(stories) if words.speaks_of_paths(of) => {
                waiting.extend(stories.iter().rev().map(|inner| (inner, spot)));
                Ok(())
            }
            Reason::Labels | Reason::Operands(_) => match words.negation_of(of) {
                // `p holds` is easier to read than `!p fails`.
                Some(f) if !holds => writeln!(out, "{lead}{} holds", words.shown(f)),
                _ => writeln!(out, "{lead}{} {}", words.shown(of), value(holds)),
            },
            Reason::AllPaths => writeln!(out, "{lead}{}", words.on_all_paths(of, holds)),
            Reason::TooLong => {
                writeln!(out, "{lead}{} {}, but the run is too long", words.shown(of), value(holds))
            }
            Reason::Run(told) => {
                let Told { run, values, asides } = told;
                let by = if holds { "holds by" } else { "fails on" };
                if run.moves.is_empty() && !asides.is_empty() {
                    writeln!(out, "{lead}{} {} at once:", words.shown(of), value(holds))?;
                } else {
                    writeln!(out, "{lead}{} {by} this run:", words.shown(of))?;
                    let also = |at: usize| {
                        let hold = values.iter().filter(|(_, row)| row.get(at) == Some(&true));
                        hold.map(|&(of, _)| words.shown(of)).collect()
                    };
                    self.path.run(out, run, spot, also)?;
                }
                let spots = self.path.spots(run, spot, asides.iter().map(|&(at, _)| at));
                waiting.extend(asides.iter().map(|(_, story)| story).zip(spots).rev());
                Ok(())
            }
        }
    }
}

impl Path<'_> {
    /// Where a run is in some of its configurations, which are in order.
    fn spots(&self, run: &Run, begin: Spot, at: impl Iterator<Item = usize>) -> Vec<Spot> {
        let (mut spot, mut moves) = (begin, run.moves.iter().enumerate().peekable());
        let mut spots = Vec::new();
        for wanted in at {
            while let Some((_, &step)) = moves.next_if(|&(i, _)| i < wanted) {
                spot = spot.after(step);
            }
            let last = run.ending == Ending::Done && wanted == run.moves.len();
            let from_before = if last { Place::Here } else { Place::Step(wanted + 1) };
            spots.push(Spot { from_before, ..spot });
        }
        spots
    }

    /// Writes a run. `also` says what else there is to say of its configurations, which are counted from 0.
    fn run(
        &self,
        out: &mut impl Write,
        run: &Run,
        begin: Spot,
        also: impl Fn(usize) -> Vec<String>,
    ) -> fmt::Result {
        let mut spot = begin;
        // An endless run comes back to a configuration that has its line already.
        let endless = run.ending != Ending::Done;
        let lines = run.moves.len() + usize::from(!endless);
        let width = lines.to_string().len().max(2);
        let folded = !self.full && lines > LONGEST;
        for i in 0..lines {
            if folded && i == HEAD {
                writeln!(out, "{:width$}  … {} more …", "", lines - HEAD - TAIL)?;
            }
            if !folded || i < HEAD || i >= lines - TAIL {
                let indent = 2 * spot.depth.min(DEEPEST);
                write!(out, "{:>width$}  {:indent$}", i + 1, "")?;
                self.configuration(out, spot.node, also(i))?;
                if let Some(&next) = run.moves.get(i) {
                    out.write_str(&self.happening(next))?;
                }
                out.write_char('\n')?;
            }
            if let Some(&next) = run.moves.get(i) {
                spot = spot.after(next);
            }
        }
        match &run.ending {
            Ending::Done => {}
            Ending::Loop(from) => {
                writeln!(out, "{:width$}  … and so on from step {}", "", from + 1)?;
            }
            Ending::Pump(from, boxes) => {
                let calls = self.growth(boxes);
                writeln!(
                    out,
                    "{:width$}  … and so on from step {}, deeper for ever: {calls}",
                    "",
                    from + 1
                )?;
            }
        }
        Ok(())
    }

    /// A node or the sink, with the labels that the claim speaks of, and what else there is to say.
    fn configuration(
        &self,
        out: &mut impl Write,
        node: Option<NodeId>,
        also: Vec<String>,
    ) -> fmt::Result {
        match node {
            Some(node) => out.write_str(&visible(&self.machine.node_path(node)))?,
            None => out.write_str("the end")?,
        }
        let has = |name: &&&str| {
            let label = self.machine.label(name);
            label.zip(node).is_some_and(|(label, node)| self.machine.has_label(node, label))
        };
        let labels = self.atoms.iter().filter(has).map(|name| visible(name).into_owned());
        let labels: Vec<String> = labels.chain(also).collect();
        if !labels.is_empty() {
            write!(out, " {{{}}}", labels.join(", "))?;
        }
        Ok(())
    }

    /// What happens in a configuration, if it is more than a step.
    fn happening(&self, next: Move) -> String {
        let call = |call: BoxId| {
            let callee = visible(self.machine.component_name(self.machine.callee(call)));
            format!("calls {callee} by {}", visible(self.machine.box_name(call)))
        };
        match next.kind {
            MoveKind::Step => String::new(),
            MoveKind::Call(by) => format!("  {}", call(by)),
            MoveKind::Return(exit) => {
                format!("  returns by {}", visible(self.machine.exit_name(exit)))
            }
            MoveKind::ReturnAndCall(exit, by) => {
                let exit = visible(self.machine.exit_name(exit));
                format!("  returns by {exit}; the caller {}", call(by))
            }
            MoveKind::Stay => "  stays".to_owned(),
            MoveKind::Sink => "  ends".to_owned(),
        }
    }

    /// The boxes by which a stack grows, a few times over.
    fn growth(&self, boxes: &[BoxId]) -> String {
        const MOST: usize = 12;
        let names = boxes.iter().map(|&call| visible(self.machine.box_name(call)));
        if boxes.len() > MOST {
            let names: Vec<_> = names.take(MOST).collect();
            return format!("{} … ({} calls each time)", names.join(" "), boxes.len());
        }
        let once = names.collect::<Vec<_>>().join(" ");
        format!("{once} {once} {once} …")
    }
}
