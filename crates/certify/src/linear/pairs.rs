//! Pairs of strong fairness: where their sides hold, and which conjuncts of a formula they are.

use crate::reading::truth_of_labels;
use crate::refusal::Refusal;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Formula, FormulaId, Formulas, LabelId, Machine, NodeId, Obligation};

/// The two sides of a pair.
pub(crate) type Sides = (FormulaId, FormulaId);

/// The sides of some pairs, which are boolean combinations of labels.
pub(super) struct Pairs<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    sides: Vec<Sides>,
    /// The labels that sides are, as far as they are labels and there are such.
    labels: BTreeMap<FormulaId, Option<LabelId>>,
    /// For nodes that were asked for, and the sink: the first and the second sides that hold.
    known: BTreeMap<Option<NodeId>, (u64, u64)>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(machine: &'a Machine, formulas: &'a Formulas, sides: Vec<Sides>) -> Self {
        let label = |id: FormulaId| match formulas.get(id) {
            Formula::Atom(atom) => machine.label(formulas.atom_name(atom)),
            _ => None,
        };
        let all = sides.iter().flat_map(|&(when, then)| [when, then]);
        let labels = all.map(|side| (side, label(side))).collect();
        Pairs { machine, formulas, sides, labels, known: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.sides.len()
    }

    /// The pairs whose first side a node shows, or the sink, as bits.
    pub(super) fn first_sides(&mut self, shows: Option<NodeId>) -> u64 {
        self.both(shows).0
    }

    /// The pairs whose second side a node shows, or the sink, as bits.
    pub(super) fn second_sides(&mut self, shows: Option<NodeId>) -> u64 {
        self.both(shows).1
    }

    fn both(&mut self, shows: Option<NodeId>) -> (u64, u64) {
        if let Some(&known) = self.known.get(&shows) {
            return known;
        }
        let both = (self.bits(shows, |&(when, _)| when), self.bits(shows, |&(_, then)| then));
        self.known.insert(shows, both);
        both
    }

    fn bits(&self, shows: Option<NodeId>, side: impl Fn(&Sides) -> FormulaId) -> u64 {
        let holds = |pair| match self.formulas.get(side(pair)) {
            Formula::Atom(_) => {
                let label = self.labels.get(&side(pair)).copied().flatten();
                shows.zip(label).is_some_and(|(node, label)| self.machine.has_label(node, label))
            }
            _ => truth_of_labels(self.machine, self.formulas, side(pair), shows),
        };
        let met = self.sides.iter().enumerate().filter(|&(_, pair)| holds(pair));
        met.fold(0, |bits, (number, _)| bits | 1 << number)
    }
}

/// What is sought, as the sides of the pairs that are listed and the other conjuncts, sorted.
/// Without pairs it is one.
pub(super) fn split(
    formulas: &Formulas,
    sought: Obligation,
    pairs: &[FormulaId],
) -> Result<(Vec<Sides>, Vec<Obligation>), Refusal> {
    if pairs.is_empty() {
        return Ok((Vec::new(), vec![sought]));
    }
    let mut rest = conjuncts(formulas, sought);
    let mut sides = Vec::new();
    for &pair in pairs {
        let bad = |why: &str| Err(Refusal::new(format!("pair {}", sides.len()), why));
        if !rest.remove(&Obligation { formula: pair, holds: true }) {
            return bad("it is no conjunct of what was sought, or is there twice");
        }
        let Formula::Implies(when, then) = formulas.get(pair) else {
            return bad("it is no implication");
        };
        let (Some(when), Some(then)) = (recurring(formulas, when), recurring(formulas, then))
        else {
            return bad("it is not of the form G F p -> G F q, for p and q of labels");
        };
        sides.push((when, then));
    }
    Ok((sides, rest.into_iter().collect()))
}

/// All that must be met together.
fn conjuncts(formulas: &Formulas, sought: Obligation) -> BTreeSet<Obligation> {
    let mut found = BTreeSet::new();
    let mut open = vec![sought];
    while let Some(it) = open.pop() {
        let mut both = |one: (FormulaId, bool), other: (FormulaId, bool)| {
            open.extend([one, other].map(|(formula, holds)| Obligation { formula, holds }));
        };
        match (it.holds, formulas.get(it.formula)) {
            (true, Formula::And(f, g)) => both((f, true), (g, true)),
            (false, Formula::Or(f, g)) => both((f, false), (g, false)),
            (false, Formula::Implies(f, g)) => both((f, true), (g, false)),
            (holds, Formula::Not(formula)) => open.push(Obligation { formula, holds: !holds }),
            _ => {
                found.insert(it);
            }
        }
    }
    found
}

/// What recurs by `G F p`, if it speaks of labels alone.
fn recurring(formulas: &Formulas, id: FormulaId) -> Option<FormulaId> {
    let Formula::Globally(always) = formulas.get(id) else { return None };
    let Formula::Finally(label) = formulas.get(always) else { return None };
    crate::reading::is_of_labels(formulas, label).then_some(label)
}
