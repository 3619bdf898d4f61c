//! CTL* by reduction to what decides CTL.
//!
//! Path formulas are read by automata. Quantified formulas are decided from the innermost out; each
//! is then a label of the machine, which is copied as far as the label depends on the stack, and an
//! atom of the formula:
//!
//! 1. The machine is *settled*: no step of it depends on the stack any more ([`settle`]).
//! 2. `A f` is `! E !f`. For `E f`, f is made an automaton, and the machine is read by it
//!    ([`product`]). From some places an accepting path goes on for ever without leaving its frame
//!    ([`accept`]); `E f` holds where such a place can be reached, and that is decided for all
//!    stacks by the eager engine ([`everywhere`]).
//! 3. The answers tell frames apart, as contexts do; the frames become components, with a new label
//!    ([`multiply`]). An outermost formula is asked for at the initial nodes only, and needs no
//!    copies.
//!
//! What CTL can say is left to the engines for CTL, unless automata are asked for.
//!
//! # Invariants
//! The settled machine is bisimilar to the one that was given, from its initial configurations on
//! and in all labels that what is left of the claim speaks of; initial nodes keep their order. A
//! formula that is done is true of a configuration exactly if what stands for it now is true of the
//! configuration's copy; for formulas that stand below no quantifier, of initial configurations.
//!
//! # Why it ends
//! Each subformula is looked at once.

mod above;
mod accept;
mod everywhere;
mod multiply;
mod product;
mod prove;
mod reader;
mod settle;
mod tell;
mod walk;

pub use prove::{Proved, prove};

use crate::ctl::eager::{self, Decision, Labelled};
use crate::ctl::incremental::{self, Pace};
use crate::ground::bits;
use crate::ground::frames::{self, Frames};
use crate::ground::ids::Positions;
use crate::ground::terrain::Terrain;
use crate::linear;
use crate::streett::{Fair, Sides, split};
use everywhere::Everywhere;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use settle::Settled;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{self, Program};
use tern_model::logic::rewrite;
use tern_model::{
    AtomId, Automaton, Budget, Formula, FormulaId, Formulas, Id, Limit, NodeId, Obligation, Stats,
    Story,
};

/// What is read by automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// What CTL cannot say.
    BeyondCtl,
    /// All that is quantified.
    Everything,
}

/// Decides a claim in CTL* at the initial nodes. A formula that speaks of a path is meant for all
/// paths.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    reach: Reach,
    budget: &Budget,
) -> Result<Decision, Limit> {
    // In an arena of its own: that of a file of claims may be large, and this is done for each of
    // them.
    let (mut formulas, claim) = formulas.alone(claim);
    if reach == Reach::BeyondCtl
        && let Ok(program) = ctl::lower(&formulas, claim)
    {
        return incremental::decide(terrain, &formulas, &program, Pace::All, budget);
    }
    let claim = of_state(&mut formulas, claim);
    let claim = rewrite::distribute(&mut formulas, claim);
    Star::new(terrain, formulas, claim, reach, budget)?.run()
}

/// Tells why a claim in CTL* has its value at an initial node.
pub(crate) fn tell(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    node: NodeId,
    most_moves: usize,
    budget: &Budget,
) -> Result<Option<Story>, Limit> {
    let mut own = formulas.clone();
    let whole = of_state(&mut own, claim);
    let labels = Star::new(terrain, own, whole, Reach::Everything, budget)?.label_inner()?;
    let machine = terrain.machine;
    let Some(number) = machine.initial().iter().position(|&initial| initial == node) else {
        return Ok(None);
    };
    tell::tell(machine, formulas, claim, &labels, number, most_moves, budget).map(Some)
}

/// A claim that speaks of a path is meant for all paths.
fn of_state(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    if formulas.is_state_formula(claim) { claim } else { formulas.make(Formula::All(claim)) }
}

/// A settled machine in which what stands below a quantifier is a matter of labels.
struct Labels {
    settled: Settled,
    /// The formulas of the claim, and those that stand for them.
    formulas: Formulas,
    /// For each state formula below a quantifier, and each path formula: the same, in terms of
    /// labels.
    done: Table<FormulaId, FormulaId>,
}

/// The program of what is known to be CTL.
fn within_ctl(formulas: &Formulas, claim: FormulaId) -> Program {
    ctl::lower(formulas, claim).expect("what is beyond CTL has been replaced")
}

/// Deciding a claim: what is left of it, and the machine of which it is asked.
struct Star<'a> {
    formulas: Formulas,
    claim: FormulaId,
    /// The subformulas of the claim, operands first.
    todo: Vec<FormulaId>,
    /// For the subformulas that are done: the same, in terms of the settled machine.
    done: Table<FormulaId, FormulaId>,
    settled: Settled,
    reach: Reach,
    /// How many labels were made.
    labels: usize,
    /// Whether labels are kept that what is left of the claim does not speak of.
    keeps_labels: bool,
    stats: Stats,
    budget: &'a Budget,
}

impl<'a> Star<'a> {
    fn new(
        terrain: &Terrain<'_>,
        formulas: Formulas,
        claim: FormulaId,
        reach: Reach,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let settled = {
            let atoms = formulas.atoms_of(claim);
            let names: Vec<&str> = atoms.iter().map(|&atom| formulas.atom_name(atom)).collect();
            Settled::new(terrain, &names, &mut Meter::new(budget))?
        };
        Ok(Star {
            todo: formulas.subformulas(claim),
            done: Table::filled(claim, claim.index() + 1),
            formulas,
            claim,
            settled,
            reach,
            labels: 0,
            keeps_labels: false,
            stats: Stats::default(),
            budget,
        })
    }

    /// Makes labels of all quantified formulas that stand below another.
    fn label_inner(mut self) -> Result<Labels, Limit> {
        self.keeps_labels = true;
        let outermost = self.outermost();
        for step in 0..self.todo.len() {
            let id = self.todo[step];
            let same = self.on_labels(id);
            self.done[id] =
                if self.formulas.get(id).is_quantifier() && !outermost.contains(id.index()) {
                    self.everywhere(same, step)?
                } else {
                    same
                };
        }
        Ok(Labels { settled: self.settled, formulas: self.formulas, done: self.done })
    }

    /// The same formula, in terms of what its operands are now.
    fn on_labels(&mut self, id: FormulaId) -> FormulaId {
        let formula = self.formulas.get(id).with_operands(|f| self.done[f]);
        self.formulas.make(formula)
    }

    /// Decides a quantified formula everywhere, and says what stands for it from now on.
    fn everywhere(&mut self, part: FormulaId, step: usize) -> Result<FormulaId, Limit> {
        let (automaton, pairs, negated) = self.automaton(part, step)?;
        let Star { settled, formulas, stats, budget, .. } = self;
        let mut fair = Fair::split_off(automaton, formulas, &pairs, budget);
        let answer = everywhere::everywhere(&settled.machine, formulas, &mut fair, stats, budget)?;
        self.atom_for(answer, negated, step)
    }

    fn run(mut self) -> Result<Decision, Limit> {
        let mut meter = Meter::new(self.budget);
        let outermost = self.outermost();
        for step in 0..self.todo.len() {
            meter.tick()?;
            let id = self.todo[step];
            let same = self.on_labels(id);
            self.done[id] = same;
            if !self.formulas.get(id).is_quantifier() || !self.is_for_automata(same) {
                continue;
            }
            self.done[id] = if outermost.contains(id.index()) {
                let (automaton, pairs, negated) = self.automaton(same, step)?;
                let Star { settled, formulas, stats, budget, .. } = &mut self;
                let mut fair = Fair::split_off(automaton, formulas, &pairs, budget);
                let machine = &settled.machine;
                let answers = everywhere::at_initial(machine, formulas, &mut fair, stats, budget)?;
                if id == self.claim {
                    let answers = answers.into_iter().map(|answer| answer ^ negated).collect();
                    return Ok(Decision { at_initial: answers, stats: self.stats });
                }
                let answer = self.known_at_initial(&answers)?;
                self.atom_for(answer, negated, step)?
            } else {
                self.everywhere(same, step)?
            };
        }
        // What is left is CTL.
        let program = within_ctl(&self.formulas, self.done[self.claim]);
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let rest = incremental::decide(&terrain, &self.formulas, &program, Pace::All, self.budget)?;
        self.stats += rest.stats;
        Ok(Decision { at_initial: rest.at_initial, stats: self.stats })
    }

    /// The subformulas that stand below no quantifier: they are asked for at the initial nodes
    /// only.
    fn outermost(&self) -> FixedBitSet {
        let mut below = FixedBitSet::with_capacity(self.claim.index() + 1);
        for &id in self.todo.iter().rev() {
            let formula = self.formulas.get(id);
            if formula.is_quantifier() || below.contains(id.index()) {
                below.extend(formula.operands().map(FormulaId::index));
            }
        }
        below.toggle_range(..);
        below
    }

    /// Whether a quantified formula is to be read by an automaton.
    fn is_for_automata(&self, part: FormulaId) -> bool {
        self.reach == Reach::Everything || {
            // Most of what is CTL is so by the letter, and need not be looked at as a whole.
            let path =
                self.formulas.get(part).operands().next().map(|path| self.formulas.get(path));
            let by_the_letter = path.is_some_and(|path| {
                path.is_temporal() && path.operands().all(|f| self.formulas.is_state_formula(f))
            });
            !by_the_letter && ctl::lower(&self.formulas, part).is_err()
        }
    }

    /// What a quantified formula asks for on some path, as an automaton with the sides of pairs of
    /// strong fairness, and whether the answer is to be negated. State formulas within that are CTL
    /// become labels.
    fn automaton(
        &mut self,
        part: FormulaId,
        step: usize,
    ) -> Result<(Automaton, Vec<Sides>, bool), Limit> {
        let (path, negated) = match self.formulas.get(part) {
            Formula::Exists(path) => (path, false),
            Formula::All(path) => (self.formulas.make(Formula::Not(path)), true),
            _ => unreachable!("only quantified formulas are read by automata"),
        };
        let mut labelled: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let mut in_use = vec![path];
        for state in self.states_within(path) {
            let atom = self.label_ctl(state, step, &in_use)?;
            in_use.push(atom);
            labelled.insert(state, atom);
        }
        let path = rewrite::rebuild(&mut self.formulas, path, |formulas, id, formula| {
            labelled.get(&id).copied().unwrap_or_else(|| formulas.make(formula))
        });
        let split = split(&self.formulas, Obligation { formula: path, holds: true });
        let path = linear::conjunction(&mut self.formulas, &split);
        let automaton = tern_automata::translate(&mut self.formulas, path, self.budget)?;
        self.stats.automaton_states += automaton.state_count() as u64;
        Ok((automaton, split.sides(), negated))
    }

    /// The largest state formulas within a path formula that speak of paths themselves.
    fn states_within(&self, path: FormulaId) -> Vec<FormulaId> {
        let mut quantified = FixedBitSet::with_capacity(path.index() + 1);
        for id in self.formulas.subformulas(path) {
            let formula = self.formulas.get(id);
            let below = formula.operands().any(|f| quantified.contains(f.index()));
            quantified.set(id.index(), below || formula.is_quantifier());
        }
        let mut found = Vec::new();
        let mut seen = FixedBitSet::with_capacity(path.index() + 1);
        let mut stack = vec![path];
        while let Some(id) = stack.pop() {
            if seen.put(id.index()) || !quantified.contains(id.index()) {
                continue;
            }
            if self.formulas.is_state_formula(id) {
                found.push(id);
            } else {
                stack.extend(self.formulas.get(id).operands());
            }
        }
        found
    }

    /// Makes a state formula that is CTL a label, while some formulas are in use.
    fn label_ctl(
        &mut self,
        part: FormulaId,
        step: usize,
        in_use: &[FormulaId],
    ) -> Result<FormulaId, Limit> {
        let program = within_ctl(&self.formulas, part);
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let Labelled { frames, rows, stats } =
            eager::label(&terrain, &self.formulas, &program, self.budget)?;
        self.stats += stats;
        let row = |frame| frames.row(&rows, frame).into();
        let rows: Vec<Box<[u64]>> = frames.ids().map(row).collect();
        self.label(&frames, &rows, step, in_use)
    }

    /// Answers at the initial nodes as answers everywhere, where nobody asks for the others.
    fn known_at_initial(&self, answers: &[bool]) -> Result<Everywhere, Limit> {
        if let [first, rest @ ..] = answers
            && rest.iter().all(|answer| answer == first)
        {
            return Ok(Everywhere::Always(*first));
        }
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let machine = terrain.machine;
        let (frames, _) = frames::base(&terrain, &mut Meter::new(self.budget))?;
        let mut rows: Vec<Box<[u64]>> = Vec::with_capacity(frames.len());
        for &component in frames.component.as_slice() {
            rows.push(vec![0; terrain.row_words(component)].into());
        }
        for (&node, _) in machine.initial().iter().zip(answers).filter(|&(_, &holds)| holds) {
            let root = frames.roots[terrain.root_of(node)].index();
            bits::insert(&mut rows[root], machine.node_pos(node));
        }
        Ok(Everywhere::Rows(Box::new(frames), rows))
    }

    /// What stands for a formula, or its negation, from now on.
    fn atom_for(
        &mut self,
        answer: Everywhere,
        negated: bool,
        step: usize,
    ) -> Result<FormulaId, Limit> {
        Ok(match answer {
            Everywhere::Always(holds) => {
                self.formulas.make(if holds ^ negated { Formula::True } else { Formula::False })
            }
            Everywhere::Rows(frames, rows) => {
                let atom = self.label(&frames, &rows, step, &[])?;
                if negated { self.formulas.make(Formula::Not(atom)) } else { atom }
            }
        })
    }

    /// Labels the settled machine, and says the atom of the label. Unless they are kept, labels
    /// that neither formulas in use nor what is left to do speak of are dropped.
    fn label(
        &mut self,
        frames: &Frames,
        rows: &[Box<[u64]>],
        step: usize,
        in_use: &[FormulaId],
    ) -> Result<FormulaId, Limit> {
        let (atom, name) = fresh(&mut self.formulas, &mut self.labels);
        let kept: Vec<&str> = if self.keeps_labels {
            self.settled.machine.labels().map(|(_, name)| name).collect()
        } else {
            let needed = self.atoms_needed(step, in_use).into_iter();
            needed.map(|atom| self.formulas.atom_name(atom)).collect()
        };
        let terrain = Terrain::new(&self.settled.machine, self.budget)?;
        let mut meter = Meter::new(self.budget);
        self.settled = self.settled.labelled(&terrain, frames, rows, &kept, &name, &mut meter)?;
        Ok(atom)
    }

    /// The atoms of formulas in use, and of what is left to do after a step.
    fn atoms_needed(&self, step: usize, in_use: &[FormulaId]) -> Vec<AtomId> {
        let mut seen = FixedBitSet::with_capacity(self.formulas.len());
        let mut atoms = Vec::new();
        let mut stack = in_use.to_vec();
        for &id in &self.todo[step + 1..] {
            let formula = self.formulas.get(id);
            stack.extend(matches!(formula, Formula::Atom(_)).then_some(id));
            let known = formula.operands().filter(|&f| f < self.todo[step]);
            stack.extend(known.map(|f| self.done[f]));
        }
        while let Some(id) = stack.pop() {
            if seen.put(id.index()) {
                continue;
            }
            match self.formulas.get(id) {
                Formula::Atom(atom) => atoms.push(atom),
                formula => stack.extend(formula.operands()),
            }
        }
        atoms
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
