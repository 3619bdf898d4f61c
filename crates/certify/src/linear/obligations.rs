//! States that are sets of obligations: where they lead follows from the [laws](super::laws) of the
//! operators.

use super::absence::Reading;
use super::laws::{Laws, is_promise};
use crate::lasso::path_subformulas;
use crate::refusal::{Lack, Refusal};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Machine, NodeId, Obligation};

/// The sets of obligations of a proof.
pub(super) struct Obligations<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    sought: Obligation,
    promises: &'a [Obligation],
    sets: &'a [Vec<Obligation>],
    closure: Vec<FormulaId>,
    numbers: BTreeMap<&'a Vec<Obligation>, u32>,
    /// The laws for each set of propositions that some node shows.
    laws: BTreeMap<Vec<FormulaId>, Laws<'a>>,
}

impl<'a> Obligations<'a> {
    /// Looks that promises and sets are those of the formula, and none is said twice.
    pub(super) fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        sought: Obligation,
        promises: &'a [Obligation],
        sets: &'a [Vec<Obligation>],
    ) -> Result<Self, Refusal> {
        let bad = |place: String, why: &str| Err(Refusal::new(place, why));
        let closure = path_subformulas(formulas, sought.formula);
        let inside: BTreeSet<FormulaId> = closure.iter().copied().collect();
        let every: BTreeSet<Obligation> = closure
            .iter()
            .flat_map(|&formula| [true, false].map(|holds| Obligation { formula, holds }))
            .filter(|&it| is_promise(formulas, it))
            .collect();
        let named: BTreeSet<Obligation> = promises.iter().copied().collect();
        if promises.len() > 64 || named.len() != promises.len() || named != every {
            return bad("the promises".into(), "they are not those of the formula");
        }
        let mut numbers = BTreeMap::new();
        for (number, set) in (0..).zip(sets) {
            let sorted = set.windows(2).all(|pair| pair[0] < pair[1]);
            if !sorted || !set.iter().all(|it| inside.contains(&it.formula)) {
                return bad(format!("state {number}"), "not a sorted set of subformulas");
            }
            if numbers.insert(set, number).is_some() {
                return bad(format!("state {number}"), "it is there twice");
            }
        }
        let laws = BTreeMap::new();
        Ok(Obligations { machine, formulas, sought, promises, sets, closure, numbers, laws })
    }
}

impl Reading for Obligations<'_> {
    fn state_count(&self) -> usize {
        self.sets.len()
    }

    fn promise_count(&self) -> usize {
        self.promises.len()
    }

    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        let whole = self.numbers.get(&vec![self.sought]);
        Ok(vec![*whole.ok_or("what was sought is no state")?])
    }

    fn ways(
        &mut self,
        state: u32,
        shows: Option<NodeId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(u32, u64)>, Lack> {
        let (machine, formulas, closure) = (self.machine, self.formulas, &self.closure);
        let is_true = |id: FormulaId| match (formulas.get(id), shows) {
            (Formula::Atom(atom), Some(node)) => machine
                .label(formulas.atom_name(atom))
                .is_some_and(|label| machine.has_label(node, label)),
            _ => false,
        };
        let letter: Vec<FormulaId> = closure.iter().copied().filter(|&id| is_true(id)).collect();
        let laws = match self.laws.entry(letter) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Laws::new(formulas, closure, is_true, meter)?),
        };
        laws.ways(&self.sets[state as usize], &self.numbers, self.promises, meter)
    }
}
