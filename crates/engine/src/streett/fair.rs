//! An automaton that counts fair runs only: those on which each of some conditions holds again and
//! again, and of each of some pairs the one does if the other does.
//!
//! The conditions are boolean combinations of labels, so the letter that is read tells which of
//! them hold. Each has a mark of its own, on every transition that reads such a letter, and so has
//! the `then` of each pair; which `when` hold is told as premises.

use super::{Carried, Sides};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_automata::{LetterId, Letters};
use tern_model::automaton::{MAX_MARKS, Marks};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Acceptor, Budget, Formula, FormulaId, Formulas, Gap, Limit, StateId};

/// An automaton with fairness conditions.
pub(crate) struct Fair<'a, A> {
    inner: A,
    formulas: &'a Formulas,
    /// What has marks: conditions, and behind them the second sides of the pairs.
    conditions: Vec<FormulaId>,
    /// The first sides of the pairs.
    premises: Vec<FormulaId>,
    /// Those of the inner automaton, and behind them the other atoms of the conditions.
    propositions: Vec<FormulaId>,
    /// The subformulas of the conditions, operands first.
    parts: Vec<FormulaId>,
    letters: Letters,
    /// For each letter that was read, the marks of the conditions that hold, placed behind those of
    /// the inner automaton, and the premises.
    known: Table<LetterId, Carried>,
    meter: Meter<'a>,
    interrupted: Option<Limit>,
}

impl<'a, A: Acceptor> Fair<'a, A> {
    /// An automaton that accepts what another does, if each condition holds again and again, and of
    /// each pair the second if the first does.
    ///
    /// # Errors
    /// That the conditions are too many, or not decided by labels alone.
    pub(crate) fn new(
        inner: A,
        formulas: &'a Formulas,
        conditions: &[FormulaId],
        pairs: &[Sides],
        budget: &'a Budget,
    ) -> Result<Self, Gap> {
        let own = inner.mark_count();
        let (premises, seconds): (Vec<FormulaId>, Vec<FormulaId>) = pairs.iter().copied().unzip();
        let conditions = [conditions, &seconds].concat();
        if conditions.len() > (MAX_MARKS - own) as usize {
            let conditions = conditions.len();
            return Err(Gap::Unsupported(format!(
                "the automaton has {own} acceptance sets and there are {conditions} fairness conditions, \
                 which is more than {MAX_MARKS} together"
            )));
        }
        let all = conditions.iter().chain(&premises);
        let mut parts: Vec<FormulaId> =
            all.flat_map(|&condition| formulas.subformulas(condition)).collect();
        parts.sort_unstable();
        parts.dedup();
        let mut propositions = inner.propositions().to_vec();
        let known: FxHashSet<FormulaId> = propositions.iter().copied().collect();
        for &part in &parts {
            let formula = formulas.get(part);
            if formula.is_quantifier() || formula.is_temporal() {
                let why = "with automata, fairness conditions are boolean combinations of labels";
                return Err(Gap::Unsupported(why.to_owned()));
            }
            if matches!(formula, Formula::Atom(_)) && !known.contains(&part) {
                propositions.push(part);
            }
        }
        Ok(Fair {
            inner,
            formulas,
            conditions,
            premises,
            propositions,
            parts,
            letters: Letters::default(),
            known: Table::new(),
            meter: Meter::new(budget),
            interrupted: None,
        })
    }

    /// The same, with pairs that were [split](super::split()) off from a formula without inner
    /// quantifiers.
    pub(crate) fn split_off(
        inner: A,
        formulas: &'a Formulas,
        pairs: &[Sides],
        budget: &'a Budget,
    ) -> Self {
        let fair = Fair::new(inner, formulas, &[], pairs, budget);
        fair.expect("there is room for what was split off, and it speaks of labels")
    }

    /// The automaton without the conditions.
    pub(crate) fn inner(&self) -> &A {
        &self.inner
    }

    /// The marks of the conditions that hold on a letter, and the premises.
    fn read(&mut self, letter: &FixedBitSet) -> Result<Carried, Limit> {
        if let Some(known) = self.letters.find(letter) {
            return Ok(self.known[known]);
        }
        let atoms = self.propositions.iter().enumerate();
        let mut truth: FxHashMap<FormulaId, bool> =
            atoms.map(|(bit, &atom)| (atom, letter.contains(bit))).collect();
        for &part in &self.parts {
            self.meter.tick()?;
            // Atoms are there already.
            if let Some(value) = self.formulas.get(part).boolean(|f| truth[&f]) {
                truth.insert(part, value);
            }
        }
        let bits = |list: &[FormulaId]| {
            let met = list.iter().enumerate().filter(|&(_, condition)| truth[condition]);
            met.fold(0, |bits: Marks, (i, _)| bits | 1 << i)
        };
        let marks = bits(&self.conditions).checked_shl(self.inner.mark_count()).unwrap_or(0);
        let carried = Carried { marks, premises: bits(&self.premises) };
        self.letters.id_of(letter);
        self.known.push(carried);
        Ok(carried)
    }
}

impl<A: Acceptor> Acceptor for Fair<'_, A> {
    fn propositions(&self) -> &[FormulaId] {
        &self.propositions
    }

    fn mark_count(&self) -> u32 {
        self.inner.mark_count() + self.conditions.len() as u32
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.inner.initial()
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        let met = match self.read(letter) {
            Ok(carried) => carried.marks,
            Err(limit) => {
                self.interrupted = Some(limit);
                return;
            }
        };
        // The inner automaton must not tell letters apart that are the same to it.
        let width = self.inner.propositions().len();
        let mut narrow = FixedBitSet::with_capacity(width);
        narrow.extend(letter.ones().take_while(|&bit| bit < width));
        let first = out.len();
        self.inner.successors(state, &narrow, out);
        out[first..].iter_mut().for_each(|(marks, _)| *marks |= met);
    }

    fn accepts_all(&self, state: StateId) -> bool {
        self.conditions.is_empty() && self.inner.accepts_all(state)
    }

    fn pair_count(&self) -> u32 {
        self.premises.len() as u32
    }

    fn premises(&mut self, letter: &FixedBitSet) -> Marks {
        match self.read(letter) {
            Ok(carried) => carried.premises,
            Err(limit) => {
                self.interrupted = Some(limit);
                0
            }
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.interrupted.or(self.inner.limit())
    }
}
