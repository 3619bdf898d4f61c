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
//! One line a configuration, with what happens there; a level of indentation is a call.

use crate::terms::Terms;
use crate::{node_path, visible};
use std::fmt::{self, Write};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    AtomId, BoxId, Ending, FormulaId, Formulas, Machine, Move, MoveKind, NodeId, Reason, Run,
    Story, TermId,
};

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
    let teller = Teller { terms: Terms::new(formulas, program), path };
    // What is still to be told, the next last: a story, and where it begins.
    let mut waiting = vec![(story, Spot { node: Some(start), depth: 0, first: true })];
    while let Some((story, spot)) = waiting.pop() {
        teller.tell(out, story, spot, &mut waiting)?;
    }
    Ok(())
}

/// What an endless run is told of.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim about runs.
    pub claim: FormulaId,
    /// Labels to show besides those in the claim.
    pub labels: &'a [AtomId],
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
    told: Told<'_>,
    (start, run): &(NodeId, Run),
    full: bool,
) -> fmt::Result {
    let Told { formulas, claim, labels, holds } = told;
    let atoms = formulas.atoms_of(claim).into_iter().chain(labels.iter().copied());
    let atoms = atoms.map(|atom| formulas.atom_name(atom)).collect();
    let text = formulas.show(claim).to_string();
    let verdict = if holds { "holds by" } else { "fails on" };
    writeln!(out, "{} {verdict} this run:", visible(&text))?;
    Path { machine, atoms, full }.run(
        out,
        run,
        Spot { node: Some(*start), depth: 0, first: true },
    )?;
    Ok(())
}

/// Where a story begins.
#[derive(Clone, Copy)]
struct Spot {
    /// `None` for the sink.
    node: Option<NodeId>,
    /// How many calls have not come back.
    depth: usize,
    /// Whether nothing was told before.
    first: bool,
}

struct Teller<'a> {
    terms: Terms<'a>,
    path: Path<'a>,
}

/// What runs are written with.
struct Path<'a> {
    machine: &'a Machine,
    /// The propositions of the claim.
    atoms: Vec<&'a str>,
    full: bool,
}

impl Teller<'_> {
    fn tell<'s>(
        &self,
        out: &mut impl Write,
        story: &'s Story,
        spot: Spot,
        waiting: &mut Vec<(&'s Story, Spot)>,
    ) -> fmt::Result {
        let here = if spot.first { "" } else { "here " };
        let text = |term: TermId| visible(&self.terms.text(term)).into_owned();
        let value = if story.holds { "holds" } else { "fails" };
        match &story.reason {
            // Of what speaks of one state only, the labels in the run say enough.
            Reason::Operands(stories) if self.terms.is_temporal(story.term) => {
                waiting.extend(stories.iter().rev().map(|inner| (inner, spot)));
                Ok(())
            }
            Reason::Labels | Reason::Operands(_) => {
                // `p holds` is easier to read than `!p fails`.
                match self.terms.program.terms[story.term] {
                    Term::Not(f) if !story.holds => writeln!(out, "{here}{} holds", text(f)),
                    _ => writeln!(out, "{here}{} {value}", text(story.term)),
                }
            }
            Reason::AllPaths => match self.terms.program.terms[story.term] {
                Term::Ex(f) => writeln!(out, "{here}no next state has {}", text(f)),
                Term::Eg(f) => writeln!(out, "{here}no path stays in {} for ever", text(f)),
                Term::Eu(f, g) if self.terms.program.terms[f] == Term::True => {
                    writeln!(out, "{here}no path leads to {}", text(g))
                }
                Term::Eu(f, g) => {
                    writeln!(out, "{here}no path through {} leads to {}", text(f), text(g))
                }
                _ => writeln!(out, "{here}{} {value}", text(story.term)),
            },
            Reason::TooLong => {
                writeln!(out, "{here}{} {value}, but the run is too long", text(story.term))
            }
            Reason::Run(run) => {
                let mut spot = Spot { first: false, ..spot };
                if run.moves.is_empty() && run.then.is_some() {
                    writeln!(out, "{here}{} holds at once:", text(story.term))?;
                } else {
                    writeln!(out, "{here}{} holds by this run:", text(story.term))?;
                    spot = self.path.run(out, run, spot)?;
                }
                waiting.extend(run.then.as_deref().map(|then| (then, spot)));
                Ok(())
            }
        }
    }
}

impl Path<'_> {
    /// Writes a run, and says where it ends.
    fn run(&self, out: &mut impl Write, run: &Run, mut spot: Spot) -> Result<Spot, fmt::Error> {
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
                match spot.node {
                    Some(node) => self.configuration(out, node)?,
                    None => out.write_str("the end")?,
                }
                if let Some(&next) = run.moves.get(i) {
                    out.write_str(&self.happening(next))?;
                }
                out.write_char('\n')?;
            }
            if let Some(next) = run.moves.get(i) {
                spot.node = (next.kind != MoveKind::Sink).then_some(next.node);
                spot.depth = match next.kind {
                    MoveKind::Call(_) => spot.depth + 1,
                    MoveKind::Return(_) => spot.depth.saturating_sub(1),
                    _ => spot.depth,
                };
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
        Ok(spot)
    }

    /// A node, and those of its labels that the claim speaks of.
    fn configuration(&self, out: &mut impl Write, node: NodeId) -> fmt::Result {
        out.write_str(&visible(&node_path(self.machine, node)))?;
        let has = |name: &&&str| {
            self.machine.label(name).is_some_and(|label| self.machine.has_label(node, label))
        };
        let labels: Vec<_> = self.atoms.iter().filter(has).map(|name| visible(name)).collect();
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
