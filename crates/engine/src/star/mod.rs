//! CTL* by reduction to what decides CTL.
//!
//! Path formulas are read by automata. Quantified formulas are decided from the innermost out; each is then
//! a label of the machine, which is copied as far as the label depends on the stack, and an atom of the
//! formula:
//!
//! 1. The machine is *settled*: no step of it depends on the stack any more ([`settle`]).
//! 2. `A f` is `! E !f`. For `E f`, f is made an automaton, and the machine is read by it ([`product`]). From
//!    some places an accepting path goes on for ever without leaving its frame ([`accept`]); `E f` holds
//!    where such a place can be reached, and that is decided for all stacks by the eager engine
//!    ([`everywhere`]).
//! 3. The answers tell frames apart, as contexts do; the frames become components, with a new label
//!    ([`multiply`]). An outermost formula is asked for at the initial nodes only, and needs no copies.
//!
//! What CTL can say is left to the engines for CTL, unless automata are asked for.
//!
//! # Invariants
//! The current machine is bisimilar to the one that was given, from its initial configurations on and in
//! all labels that the claim speaks of; initial nodes keep their order. The current claim holds of the
//! current machine exactly if the one that was given holds of the one that was given.
//!
//! # Why it ends
//! Each round replaces a formula that begins with a quantifier by an atom or a constant.

mod accept;
mod everywhere;
pub(crate) mod fair;
mod multiply;
mod product;
mod prove;
mod rewrite;
mod settle;

pub use prove::{Proved, prove};

use crate::eager::{self, Decision};
use crate::frames;
use crate::incremental;
use crate::terrain::Terrain;
use everywhere::Everywhere;
use fixedbitset::FixedBitSet;
use settle::Settled;
use tern_model::budget::Meter;
use tern_model::logic::ctl::{self, BeyondCtl, Program};
use tern_model::{Automaton, Budget, Formula, FormulaId, Formulas, Id, Limit, Stats};

/// What is read by automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// What CTL cannot say.
    BeyondCtl,
    /// All that is quantified.
    Everything,
}

/// Decides a claim in CTL* at the initial nodes. A formula that speaks of a path is meant for all paths.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    reach: Reach,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut formulas = formulas.clone();
    let claim =
        if formulas.is_state_formula(claim) { claim } else { formulas.make(Formula::All(claim)) };
    let part = match reach {
        Reach::BeyondCtl => match ctl::lower(&formulas, claim) {
            Ok(program) => return incremental::decide(terrain, &formulas, &program, budget),
            Err(BeyondCtl(part)) => part,
        },
        Reach::Everything => match innermost(&formulas, claim) {
            Some(part) => part,
            None => {
                let program = within_ctl(&formulas, claim);
                return incremental::decide(terrain, &formulas, &program, budget);
            }
        },
    };
    let settled = {
        let atoms = formulas.atoms_of(claim);
        let names: Vec<&str> = atoms.iter().map(|&atom| formulas.atom_name(atom)).collect();
        Settled::new(terrain, &names, &mut Meter::new(budget))?
    };
    let stats = Stats::default();
    Star { formulas, claim, settled, reach, labels: 0, stats, budget }.run(part)
}

/// The first formula that begins with a quantifier and has no other below it.
fn innermost(formulas: &Formulas, claim: FormulaId) -> Option<FormulaId> {
    let subformulas = formulas.subformulas(claim);
    subformulas.into_iter().find(|&id| formulas.get(id).is_quantifier())
}

/// The program of what is known to be CTL.
fn within_ctl(formulas: &Formulas, claim: FormulaId) -> Program {
    ctl::lower(formulas, claim).expect("what is beyond CTL has been replaced")
}

/// Deciding a claim: what is left of it, and the machine of which it is asked.
struct Star<'a> {
    formulas: Formulas,
    claim: FormulaId,
    settled: Settled,
    reach: Reach,
    /// How many labels were made.
    labels: usize,
    stats: Stats,
    budget: &'a Budget,
}

impl Star<'_> {
    /// Decides the claim, beginning with a quantified part of it.
    fn run(mut self, mut part: FormulaId) -> Result<Decision, Limit> {
        loop {
            self.budget.check()?;
            if let Some(inner) = self.state_formula_below(part) {
                self.replace_ctl(inner)?;
            } else if part == self.claim {
                let (mut answers, negated) = self.quantified_at_initial(part)?;
                answers.iter_mut().for_each(|answer| *answer ^= negated);
                return Ok(Decision::new(answers, self.stats));
            } else if self.is_outermost(part) {
                self.replace_outermost(part)?;
            } else {
                self.replace_inner(part)?;
            }
            let next = match self.reach {
                Reach::BeyondCtl => {
                    ctl::lower(&self.formulas, self.claim).err().map(|BeyondCtl(part)| part)
                }
                Reach::Everything => innermost(&self.formulas, self.claim),
            };
            match next {
                Some(next) => part = next,
                None => return self.rest(),
            }
        }
    }

    /// Decides what is left, which is CTL.
    fn rest(mut self) -> Result<Decision, Limit> {
        let program = within_ctl(&self.formulas, self.claim);
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let rest = incremental::decide(&terrain, &self.formulas, &program, self.budget)?;
        self.stats += rest.stats;
        Ok(Decision::new(rest.at_initial, self.stats))
    }

    /// A state formula within a quantified one that speaks of paths itself, and stands in no other such.
    fn state_formula_below(&self, part: FormulaId) -> Option<FormulaId> {
        let path = self.formulas.get(part).operands().next()?;
        let mut quantified = FixedBitSet::with_capacity(path.index() + 1);
        for id in self.formulas.subformulas(path) {
            let formula = self.formulas.get(id);
            let below = formula.operands().any(|f| quantified.contains(f.index()));
            quantified.set(id.index(), below || formula.is_quantifier());
        }
        let mut seen = FixedBitSet::with_capacity(path.index() + 1);
        let mut stack = vec![path];
        while let Some(id) = stack.pop() {
            if seen.put(id.index()) || !quantified.contains(id.index()) {
                continue;
            }
            if self.formulas.is_state_formula(id) {
                return Some(id);
            }
            stack.extend(self.formulas.get(id).operands());
        }
        None
    }

    /// Whether a quantified part of the claim stands below no other quantifier.
    fn is_outermost(&self, part: FormulaId) -> bool {
        let mut below = FixedBitSet::with_capacity(self.claim.index() + 1);
        for id in self.formulas.subformulas(self.claim).into_iter().rev() {
            let formula = self.formulas.get(id);
            if formula.is_quantifier() || below.contains(id.index()) {
                below.extend(formula.operands().map(FormulaId::index));
            }
        }
        !below.contains(part.index())
    }

    /// What a quantified formula asks for on some path, as an automaton, and whether the answer is to be
    /// negated.
    fn automaton(&mut self, part: FormulaId) -> Result<(Automaton, bool), Limit> {
        let (path, negated) = match self.formulas.get(part) {
            Formula::Exists(path) => (path, false),
            Formula::All(path) => (self.formulas.make(Formula::Not(path)), true),
            _ => unreachable!("only quantified formulas are read by automata"),
        };
        let automaton = crate::ltl::translate(&mut self.formulas, path, self.budget)?;
        self.stats.automaton_states += automaton.state_count() as u64;
        Ok((automaton, negated))
    }

    fn quantified_at_initial(&mut self, part: FormulaId) -> Result<(Vec<bool>, bool), Limit> {
        let (mut automaton, negated) = self.automaton(part)?;
        let machine = &self.settled.machine;
        let (formulas, stats) = (&self.formulas, &mut self.stats);
        let answers =
            everywhere::at_initial(machine, formulas, &mut automaton, stats, self.budget)?;
        Ok((answers, negated))
    }

    /// Decides a quantified formula that is asked for at the initial nodes only.
    fn replace_outermost(&mut self, part: FormulaId) -> Result<(), Limit> {
        let (answers, negated) = self.quantified_at_initial(part)?;
        if let [first, rest @ ..] = answers.as_slice()
            && rest.iter().all(|answer| answer == first)
        {
            self.replace_by_constant(part, first ^ negated);
            return Ok(());
        }
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let mut meter = Meter::new(self.budget);
        let (frames, _) = frames::base(&terrain, &mut meter)?;
        let initial = terrain.machine.initial();
        let row = |frame: usize| {
            let component = frames.component[frame];
            let mut row = vec![0; terrain.row_words(component)];
            for (&node, _) in initial.iter().zip(&answers).filter(|&(_, &holds)| holds) {
                if terrain.machine.component_of(node) == component {
                    let place = terrain.machine.node_place(node);
                    crate::bits::insert(&mut row, terrain.machine.place_position(place));
                }
            }
            row.into()
        };
        let rows: Vec<Box<[u64]>> = (0..frames.len()).map(row).collect();
        let (atom, name) = fresh(&mut self.formulas, &mut self.labels);
        self.settled = self.settled.labelled(&terrain, &frames, &rows, &name, &mut meter)?;
        self.replace_by(part, atom, negated);
        Ok(())
    }

    /// Decides a quantified formula everywhere, by an automaton.
    fn replace_inner(&mut self, part: FormulaId) -> Result<(), Limit> {
        let (mut automaton, negated) = self.automaton(part)?;
        let machine = &self.settled.machine;
        let (formulas, stats) = (&self.formulas, &mut self.stats);
        let answer = everywhere::everywhere(machine, formulas, &mut automaton, stats, self.budget)?;
        match answer {
            Everywhere::Always(holds) => self.replace_by_constant(part, holds ^ negated),
            Everywhere::Rows(frames, rows) => {
                let terrain = Terrain::new(machine, self.budget)?;
                let mut meter = Meter::new(self.budget);
                let (atom, name) = fresh(&mut self.formulas, &mut self.labels);
                self.settled =
                    self.settled.labelled(&terrain, &frames, &rows, &name, &mut meter)?;
                self.replace_by(part, atom, negated);
            }
        }
        Ok(())
    }

    /// Decides a state formula everywhere that is CTL.
    fn replace_ctl(&mut self, part: FormulaId) -> Result<(), Limit> {
        let program = within_ctl(&self.formulas, part);
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let labelled = eager::label(&terrain, &self.formulas, &program, self.budget)?;
        self.stats += labelled.stats;
        let frames = labelled.frames;
        let row = |frame| frames.row(&labelled.rows, frame).into();
        let rows: Vec<Box<[u64]>> = (0..frames.len() as u32).map(row).collect();
        let (atom, name) = fresh(&mut self.formulas, &mut self.labels);
        let mut meter = Meter::new(self.budget);
        self.settled = self.settled.labelled(&terrain, &frames, &rows, &name, &mut meter)?;
        self.replace_by(part, atom, false);
        Ok(())
    }

    fn replace_by_constant(&mut self, part: FormulaId, value: bool) {
        let constant = self.formulas.make(if value { Formula::True } else { Formula::False });
        self.replace_by(part, constant, false);
    }

    fn replace_by(&mut self, part: FormulaId, new: FormulaId, negated: bool) {
        let new = if negated { self.formulas.make(Formula::Not(new)) } else { new };
        self.claim = rewrite::replace(&mut self.formulas, self.claim, part, new);
    }
}

/// A proposition that no formula has spoken of so far, and its name.
fn fresh(formulas: &mut Formulas, labels: &mut usize) -> (FormulaId, String) {
    loop {
        let name = format!("label {labels}");
        *labels += 1;
        let known = formulas.len();
        let atom = formulas.atom(&name);
        if atom.index() == known {
            return (atom, name);
        }
    }
}
