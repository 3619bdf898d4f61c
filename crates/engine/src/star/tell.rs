//! What stories of claims in CTL* are told from.
//!
//! First every quantified formula that stands below another is made a label of the settled machine.
//! What a quantifier asks for is then a question about labels, and the search for runs of a given
//! shape answers it ([`crate::linear`]), from any configuration ([`above`](super::above)). The run
//! that it finds is one of the settled machine, and is told as one of the machine that was given.

use super::Labels;
use super::above::{Above, Configuration};
use super::walk::{Path, Walk};
use crate::linear::{self, Lasso, Shape};
use crate::tell::{self, Found, World};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_automata::closure;
use tern_model::{
    Acceptor, Budget, Ending, Formula, FormulaId, Formulas, Id, Limit, Machine, NodeId, Obligation,
    Run, Story,
};

/// Tells why a claim has its value at the initial node of this number. Runs have at most
/// `most_moves` moves altogether.
pub(super) fn tell(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    labels: &Labels,
    initial: usize,
    most_moves: usize,
    budget: &Budget,
) -> Result<Story, Limit> {
    let node = labels.settled.machine.initial()[initial];
    let here = Spot { at: Configuration { stack: Vec::new(), node }, is_outermost: true };
    let mut world =
        Settled { machine, labels, shapes: FxHashMap::default(), outer: Outer::default(), budget };
    world.look_around(formulas, claim, &here.at, most_moves)?;
    tell::tell(&mut world, formulas, claim, &here, most_moves, budget)
}

/// What is known of formulas that stand below no quantifier, at the initial node.
#[derive(Default)]
struct Outer {
    values: FxHashMap<FormulaId, bool>,
    runs: FxHashMap<FormulaId, Path>,
}

/// A configuration of the settled machine.
#[derive(Clone)]
pub(super) struct Spot {
    at: Configuration,
    /// Whether what is asked here stands below no quantifier.
    is_outermost: bool,
}

/// A settled machine with labels for formulas.
struct Settled<'a> {
    machine: &'a Machine,
    labels: &'a Labels,
    shapes: FxHashMap<Obligation, Shape>,
    outer: Outer,
    budget: &'a Budget,
}

impl World for Settled<'_> {
    type Spot = Spot;
    type Path = Path;

    fn value(&self, id: FormulaId, here: &Spot) -> Option<bool> {
        if here.is_outermost {
            return self.outer.values.get(&id).copied();
        }
        Some(self.inner_value(id, here.at.node))
    }

    fn find(
        &mut self,
        id: FormulaId,
        sought: Obligation,
        here: &Spot,
        most_moves: usize,
    ) -> Result<Option<Found<Path>>, Limit> {
        let known = self.outer.runs.get(&id).filter(|_| here.is_outermost).cloned();
        let path = match known {
            Some(path) => Some(path),
            None => self.search(sought, &here.at, most_moves)?,
        };
        Ok(path.map(|path| Found { run: path.run.clone(), path }))
    }

    fn leaf(&self, path: &Path, id: FormulaId, at: usize) -> Option<bool> {
        Some(self.inner_value(id, path.nodes[at]))
    }

    fn spot(&self, path: &Path, at: usize) -> Spot {
        Spot { at: path.begin.after(&path.changes[..at], path.nodes[at]), is_outermost: false }
    }
}

impl Settled<'_> {
    /// Finds the values of formulas that stand below no quantifier, and runs that they are due to.
    fn look_around(
        &mut self,
        formulas: &Formulas,
        claim: FormulaId,
        here: &Configuration,
        most_moves: usize,
    ) -> Result<(), Limit> {
        let parts =
            if formulas.is_state_formula(claim) { closure(formulas, claim) } else { vec![claim] };
        for id in parts {
            let value = match tell::sought(formulas, id) {
                Some(sought) => {
                    let found = self.search(sought, here, most_moves)?;
                    let holds = found.is_some() == sought.holds;
                    self.outer.runs.extend(found.map(|found| (id, found)));
                    holds
                }
                None => self.boolean(id, |f| self.outer.values[&f], here.node),
            };
            self.outer.values.insert(id, value);
        }
        Ok(())
    }

    /// Whether a node of the settled machine has a label.
    fn label(&self, atom: FormulaId, node: NodeId) -> bool {
        let (formulas, machine) = (&self.labels.formulas, &self.labels.settled.machine);
        let Formula::Atom(atom) = formulas.get(atom) else { return false };
        let label = machine.label(formulas.atom_name(atom));
        label.is_some_and(|label| machine.has_label(node, label))
    }

    /// The value of a formula of labels, or of a boolean operator from those of its operands.
    fn boolean(&self, id: FormulaId, of: impl Fn(FormulaId) -> bool, node: NodeId) -> bool {
        match self.labels.formulas.get(id) {
            Formula::Atom(_) => self.label(id, node),
            formula => formula.boolean(of).expect("what is quantified has become a label"),
        }
    }

    /// The value of a state formula below a quantifier: what stands for it speaks of labels alone.
    fn inner_value(&self, id: FormulaId, node: NodeId) -> bool {
        let formulas = &self.labels.formulas;
        let root = self.labels.done[id];
        // What is quantified has become a label or its negation, and is asked for all along a run.
        match formulas.get(root) {
            Formula::Atom(_) => return self.label(root, node),
            Formula::Not(f) if matches!(formulas.get(f), Formula::Atom(_)) => {
                return !self.label(f, node);
            }
            _ => {}
        }
        let mut truth = FixedBitSet::with_capacity(root.index() + 1);
        for id in formulas.subformulas(root) {
            let value = self.boolean(id, |f| truth.contains(f.index()), node);
            truth.set(id.index(), value);
        }
        truth.contains(root.index())
    }

    /// Looks for a run on which an obligation is met. Of one with too many moves only the beginning
    /// is given, which ends.
    fn search(
        &mut self,
        sought: Obligation,
        begin: &Configuration,
        most_moves: usize,
    ) -> Result<Option<Path>, Limit> {
        if !self.shapes.contains_key(&sought) {
            let formula = self.labels.done[sought.formula];
            let path = Obligation { formula, ..sought };
            let shape = Shape::new(self.labels.formulas.clone(), path, self.budget)?;
            self.shapes.insert(sought, shape);
        }
        let Some(shape) = self.shapes.get(&sought) else { return Ok(None) };
        let mut acceptor = shape.acceptor(self.budget);
        let labels = linear::labels(&shape.formulas, acceptor.propositions());
        let mut source = Above::new(&self.labels.settled, begin, &labels);
        let found = linear::find(&mut source, &mut acceptor, most_moves, self.budget)?;
        let Some(Lasso { run, .. }) = found else { return Ok(None) };
        let run = run.unwrap_or_else(|moves| Run { moves, ending: Ending::Done });
        Ok(Some(Walk::new(self.machine, &self.labels.settled, begin, &source).follow(run)))
    }
}
