//! States that are sets of obligations: where they lead follows from the [laws](super::laws) of the
//! operators.

use super::absence::Reading;
use super::laws::{Laws, is_promise};
use super::pairs::{self, Pairs};
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
    promises: &'a [Obligation],
    sets: &'a [Vec<Obligation>],
    /// What must be met, sorted, besides the pairs.
    roots: Vec<Obligation>,
    pairs: Pairs<'a>,
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
        (promises, sets): (&'a [Obligation], &'a [Vec<Obligation>]),
        pairs: &[FormulaId],
    ) -> Result<Self, Refusal> {
        let bad = |place: String, why: &str| Err(Refusal::new(place, why));
        let (sides, roots) = pairs::split(formulas, sought, pairs)?;
        let closure: BTreeSet<FormulaId> =
            roots.iter().flat_map(|it| path_subformulas(formulas, it.formula)).collect();
        let closure: Vec<FormulaId> = closure.into_iter().collect();
        let inside: BTreeSet<FormulaId> = closure.iter().copied().collect();
        let every: BTreeSet<Obligation> = closure
            .iter()
            .flat_map(|&formula| [true, false].map(|holds| Obligation { formula, holds }))
            .filter(|&it| is_promise(formulas, it))
            .collect();
        let named: BTreeSet<Obligation> = promises.iter().copied().collect();
        if promises.len() + sides.len() > 64 || named.len() != promises.len() || named != every {
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
        let pairs = Pairs::new(machine, formulas, sides);
        Ok(Obligations { machine, formulas, promises, sets, roots, pairs, closure, numbers, laws })
    }
}

impl Reading for Obligations<'_> {
    fn state_count(&self) -> usize {
        self.sets.len()
    }

    fn promise_count(&self) -> usize {
        self.promises.len() + self.pairs.len()
    }

    fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    fn premises(&mut self, shows: Option<NodeId>) -> u64 {
        self.pairs.first_sides(shows)
    }

    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        let whole = self.numbers.get(&self.roots);
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
        let ways = laws.ways(&self.sets[state as usize], &self.numbers, self.promises, meter)?;
        let behind = self.promises.len() as u32;
        let met = self.pairs.second_sides(shows).checked_shl(behind).unwrap_or(0);
        Ok(ways.into_iter().map(|(state, kept)| (state, kept | met)).collect())
    }
}
