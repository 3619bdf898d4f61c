//! Tells why a claim in CTL* has its value at an initial node, as far as runs can show it.
//!
//! First every quantified formula that stands below another is made a label of the settled machine. What
//! a quantifier asks for is then a question about labels, and the search for runs of a given shape answers it
//! ([`crate::linear`]), from any configuration ([`above`](super::above)). The run that it finds is one of the settled machine, and is
//! told as one of the machine that was given. From what matters on it ([`matters`]) the
//! next stories are told; of a formula that matters in many configurations, in the first of them.

use super::Labels;
use super::above::{Above, Configuration};
use super::matters::{self, Matters, Round};
use super::prove::sought;
use super::walk::{Path, Walk};
use crate::linear::{self, Lasso};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_automata::closure;
use tern_model::budget::Meter;
use tern_model::{
    Automaton, Budget, Ending, Formula, FormulaId, Formulas, Id, Limit, Machine, NodeId,
    Obligation, Reason, Run, Story, Told,
};

/// How many stories one story may be made of, and how deep they may nest.
const MOST_STORIES: usize = 500;
const DEEPEST: usize = 200;

/// Tells why a claim has its value at the initial node of this number. Runs have at most `most_moves` moves
/// altogether.
pub(super) fn tell(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    labels: &Labels,
    initial: usize,
    most_moves: usize,
    budget: &Budget,
) -> Result<Story<FormulaId>, Limit> {
    let mut teller = Teller {
        machine,
        formulas,
        labels,
        automata: FxHashMap::default(),
        moves_left: most_moves,
        stories: 0,
        budget,
    };
    let node = labels.settled.machine.initial()[initial];
    let begin = Configuration { stack: Vec::new(), node };
    let mut outer = Outer::default();
    let parts =
        if formulas.is_state_formula(claim) { closure(formulas, claim) } else { vec![claim] };
    for id in parts {
        let value = match teller.sought(id) {
            Some(sought) => {
                let found = teller.find(sought, &begin)?;
                let holds = found.is_some() == sought.holds;
                outer.runs.extend(found.map(|found| (id, found)));
                holds
            }
            None => teller.value(id, |f| outer.values[&f], node),
        };
        outer.values.insert(id, value);
    }
    teller.story(claim, &begin, Some(&outer), 0)
}

/// What is known of formulas that stand below no quantifier, at the initial node.
#[derive(Default)]
struct Outer {
    values: FxHashMap<FormulaId, bool>,
    runs: FxHashMap<FormulaId, Path>,
}

struct Teller<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    labels: &'a Labels,
    automata: FxHashMap<Obligation, (Automaton, Vec<String>)>,
    moves_left: usize,
    stories: usize,
    budget: &'a Budget,
}

impl Teller<'_> {
    /// What a quantified formula asks for on some path; a claim that speaks of a path is meant for all.
    fn sought(&self, id: FormulaId) -> Option<Obligation> {
        match sought(self.formulas.get(id)) {
            None if !self.formulas.is_state_formula(id) => {
                Some(Obligation { formula: id, holds: false })
            }
            sought => sought,
        }
    }

    /// Whether a node of the settled machine has a label.
    fn label(&self, atom: FormulaId, node: NodeId) -> bool {
        let (formulas, machine) = (&self.labels.formulas, &self.labels.settled.machine);
        let Formula::Atom(atom) = formulas.get(atom) else { return false };
        let label = machine.label(formulas.atom_name(atom));
        label.is_some_and(|label| machine.has_label(node, label))
    }

    /// The value of a formula of labels, or of a boolean operator from those of its operands.
    fn value(&self, id: FormulaId, of: impl Fn(FormulaId) -> bool, node: NodeId) -> bool {
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
            let value = self.value(id, |f| truth.contains(f.index()), node);
            truth.set(id.index(), value);
        }
        truth.contains(root.index())
    }

    /// Tells why a state formula has its value. Those below no quantifier are told of with what is known of them.
    fn story(
        &mut self,
        id: FormulaId,
        here: &Configuration,
        outer: Option<&Outer>,
        depth: usize,
    ) -> Result<Story<FormulaId>, Limit> {
        self.budget.check()?;
        let value = |teller: &Self, f: FormulaId| match outer {
            Some(outer) => outer.values[&f],
            None => teller.inner_value(f, here.node),
        };
        let holds = value(self, id);
        self.stories += 1;
        let told = |reason| Ok(Story { of: id, holds, reason });
        if self.stories > MOST_STORIES || depth > DEEPEST {
            return told(Reason::TooLong);
        }
        if let Some(sought) = self.sought(id) {
            if holds != sought.holds {
                return told(Reason::AllPaths);
            }
            let known = outer.and_then(|outer| outer.runs.get(&id)).cloned();
            let found = match known {
                Some(found) => Some(found),
                None => self.find(sought, here)?,
            };
            let found = found.expect("what is so on some path is so on one that can be found");
            return told(self.run(sought, found, depth)?);
        }
        let operands: Vec<FormulaId> = match self.formulas.get(id) {
            Formula::And(f, g) | Formula::Or(f, g) => {
                // One operand decides a false `&` and a true `|`; otherwise both are needed.
                let decisive = matches!(self.formulas.get(id), Formula::Or(..));
                let one = [f, g].into_iter().find(|&f| value(self, f) == decisive);
                one.map_or(vec![f, g], |one| vec![one])
            }
            Formula::Implies(f, g) if holds => {
                vec![if value(self, f) { g } else { f }]
            }
            formula => formula.operands().collect(),
        };
        if operands.is_empty() {
            return told(Reason::Labels);
        }
        let mut stories = Vec::with_capacity(operands.len());
        for operand in operands {
            stories.push(self.story(operand, here, outer, depth + 1)?);
        }
        told(Reason::Operands(stories))
    }

    /// Looks for a run on which an obligation is met. Of one with too many moves only the beginning is given, which ends.
    fn find(&mut self, sought: Obligation, begin: &Configuration) -> Result<Option<Path>, Limit> {
        if !self.automata.contains_key(&sought) {
            let mut formulas = self.labels.formulas.clone();
            let path = self.labels.done[sought.formula];
            let path = if sought.holds { path } else { formulas.make(Formula::Not(path)) };
            let automaton = tern_automata::translate(&mut formulas, path, self.budget)?;
            let labels = linear::labels(&formulas, &automaton.propositions);
            self.automata.insert(sought, (automaton, labels));
        }
        let Some((automaton, labels)) = self.automata.get_mut(&sought) else { return Ok(None) };
        let mut source = Above::new(&self.labels.settled, begin, labels);
        let found = linear::find(&mut source, automaton, self.moves_left, self.budget)?;
        let Some(Lasso { run, .. }) = found else { return Ok(None) };
        let run = run.unwrap_or_else(|moves| Run { moves, ending: Ending::Done });
        Ok(Some(Walk::new(self.machine, &self.labels.settled, begin, &source).follow(run)))
    }

    /// Tells of a run on which an obligation is met.
    fn run(
        &mut self,
        sought: Obligation,
        found: Path,
        depth: usize,
    ) -> Result<Reason<FormulaId>, Limit> {
        let Path { begin, mut run, changes, mut nodes } = found;
        let count = run.moves.len();
        let (whole, round) = match run.ending {
            Ending::Loop(back_to) | Ending::Pump(back_to, _) => (true, Round { count, back_to }),
            // How the run goes on is not known. If nothing that matters is round the end, then it may stay there as well.
            Ending::Done => (false, Round { count: count + 1, back_to: count }),
        };
        let leaf = |id: FormulaId, at: usize| self.inner_value(id, nodes[at]);
        let mut meter = Meter::new(self.budget);
        let Matters { holds, leaves, last } =
            matters::find(self.formulas, sought.formula, round, leaf, &mut meter)?;
        if !whole && (last.is_none() || holds != sought.holds) {
            return Ok(Reason::TooLong);
        }
        debug_assert_eq!(holds, sought.holds);
        if let Some(last) = last {
            run.moves.truncate(last);
            run.ending = Ending::Done;
        }
        // After the last move an endless run is where it was before.
        nodes.truncate(run.moves.len() + usize::from(last.is_some()));
        if run.moves.len() > self.moves_left {
            return Ok(Reason::TooLong);
        }
        self.moves_left -= run.moves.len();
        let mut values = Vec::new();
        let mut speaks_of_paths = FixedBitSet::with_capacity(sought.formula.index() + 1);
        for id in closure(self.formulas, sought.formula) {
            let formula = self.formulas.get(id);
            let inside = formula.operands().any(|f| speaks_of_paths.contains(f.index()));
            speaks_of_paths.set(id.index(), inside || formula.is_quantifier());
            if formula.is_quantifier() {
                let value = |&node: &NodeId| self.inner_value(id, node);
                values.push((id, nodes.iter().map(value).collect()));
            }
        }
        let mut asides = Vec::new();
        let mut told = FxHashSet::default();
        for (at, id, holds) in leaves {
            if !speaks_of_paths.contains(id.index()) || !told.insert((id, holds)) {
                continue;
            }
            let there = begin.after(&changes[..at], nodes[at]);
            asides.push((at, self.story(id, &there, None, depth + 1)?));
        }
        Ok(Reason::Run(Told { run, values, asides }))
    }
}
