//! What an automaton sees of a program: at each node the propositions that hold there, and besides,
//! which of the fairness conditions do.

use super::Specification;
use crate::reading::{is_of_labels, truth_of_labels};
use crate::refusal::Refusal;
use fixedbitset::FixedBitSet;
use tern_model::automaton::{MAX_MARKS, Transition};
use tern_model::{Formula, FormulaId, Formulas, Id, LabelId, Machine, NodeId, StateId};

/// What a node shows; the sink shows that no label holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Letter {
    /// The propositions that hold.
    propositions: FixedBitSet,
    /// The fairness conditions that hold, as bits, and behind them the second sides of pairs.
    pub(super) fair: u64,
    /// The pairs whose first side holds, as bits.
    pub(super) premises: u64,
}

/// A claim that an automaton stands for, and the program whose nodes the automaton reads.
pub(super) struct Letters<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    pub(super) claim: Specification<'a>,
    /// The label that each proposition speaks of, if some node has it.
    labels: Vec<Option<LabelId>>,
}

impl<'a> Letters<'a> {
    /// Refuses claims that do not speak of labels alone, and automata that are no sound ones.
    pub(super) fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        claim: Specification<'a>,
    ) -> Result<Self, Refusal> {
        let bad = |why: &str| Err(Refusal::new("the automaton", why));
        let automaton = claim.automaton;
        let states = automaton.state_count();
        let ways = || automaton.transitions.iter().flat_map(|(_, ways)| ways);
        let literals = || ways().flat_map(|way| &way.guard).flat_map(|cube| cube.0.iter());
        if automaton.mark_count > MAX_MARKS
            || automaton
                .initial
                .iter()
                .chain(ways().map(|way| &way.to))
                .any(|to| to.index() >= states)
            || literals().any(|it| it.proposition as usize >= automaton.propositions.len())
        {
            return bad("it has no such state, mark or proposition");
        }
        if claim.fair.len() + claim.pairs.len() > MAX_MARKS as usize {
            return Err(Refusal::new("the fairness conditions", "they are too many"));
        }
        let sides = claim.pairs.iter().flat_map(|&(when, then)| [when, then]);
        if !claim.fair.iter().copied().chain(sides).all(|id| is_of_labels(formulas, id)) {
            let why = "they are not boolean combinations of labels";
            return Err(Refusal::new("the fairness conditions", why));
        }
        let mut labels = Vec::with_capacity(automaton.propositions.len());
        for &proposition in &automaton.propositions {
            let Formula::Atom(atom) = formulas.get(proposition) else {
                return bad("a proposition is no label");
            };
            labels.push(machine.label(formulas.atom_name(atom)));
        }
        Ok(Letters { machine, formulas, claim, labels })
    }

    /// What a node shows, or the sink.
    pub(super) fn of(&self, shows: Option<NodeId>) -> Letter {
        let has = |label: &Option<LabelId>| {
            shows.zip(*label).is_some_and(|(node, label)| self.machine.has_label(node, label))
        };
        let mut propositions = FixedBitSet::with_capacity(self.labels.len());
        for (bit, label) in self.labels.iter().enumerate() {
            propositions.set(bit, has(label));
        }
        let bits = |conditions: &mut dyn Iterator<Item = FormulaId>| {
            let holds = |&(_, condition): &(usize, FormulaId)| {
                truth_of_labels(self.machine, self.formulas, condition, shows)
            };
            conditions.enumerate().filter(holds).fold(0, |bits, (i, _)| bits | 1 << i)
        };
        let Specification { fair, pairs, .. } = self.claim;
        let seconds = pairs.iter().map(|&(_, then)| then);
        Letter {
            propositions,
            fair: bits(&mut fair.iter().copied().chain(seconds)),
            premises: bits(&mut pairs.iter().map(|&(when, _)| when)),
        }
    }

    /// The transitions that may be taken.
    pub(super) fn ways(
        &self,
        state: StateId,
        letter: &Letter,
    ) -> impl Iterator<Item = &'a Transition> {
        let ways = self.claim.automaton.transitions[state].iter();
        ways.filter(|way| way.guard.iter().any(|cube| cube.admits(&letter.propositions)))
    }
}
