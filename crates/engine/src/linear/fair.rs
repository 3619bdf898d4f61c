//! An automaton that counts fair runs only: those on which each of some conditions holds again and
//! again.
//!
//! The conditions are boolean combinations of labels, so the letter that is read tells which of
//! them hold; each has a mark of its own, on every transition that reads such a letter.

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
    conditions: &'a [FormulaId],
    /// Those of the inner automaton, and behind them the other atoms of the conditions.
    propositions: Vec<FormulaId>,
    /// The subformulas of the conditions, operands first.
    parts: Vec<FormulaId>,
    letters: Letters,
    /// For each letter that was read, the marks of the conditions that hold, placed behind those of
    /// the inner automaton.
    marks: Table<LetterId, Marks>,
    meter: Meter<'a>,
    interrupted: Option<Limit>,
}

impl<'a, A: Acceptor> Fair<'a, A> {
    /// An automaton that accepts what another does, if each condition holds again and again.
    ///
    /// # Errors
    /// That the conditions are too many, or not decided by labels alone.
    pub(crate) fn new(
        inner: A,
        formulas: &'a Formulas,
        conditions: &'a [FormulaId],
        budget: &'a Budget,
    ) -> Result<Self, Gap> {
        let own = inner.mark_count();
        if conditions.len() > (MAX_MARKS - own) as usize {
            let conditions = conditions.len();
            return Err(Gap::Unsupported(format!(
                "the automaton has {own} acceptance sets and there are {conditions} fairness conditions, \
                 which is more than {MAX_MARKS} together"
            )));
        }
        let mut parts: Vec<FormulaId> =
            conditions.iter().flat_map(|&condition| formulas.subformulas(condition)).collect();
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
            propositions,
            parts,
            letters: Letters::default(),
            marks: Table::new(),
            meter: Meter::new(budget),
            interrupted: None,
        })
    }

    /// The automaton without the conditions.
    pub(crate) fn inner(&self) -> &A {
        &self.inner
    }

    /// The marks of the conditions that hold on a letter.
    fn marks(&mut self, letter: &FixedBitSet) -> Result<Marks, Limit> {
        if let Some(known) = self.letters.find(letter) {
            return Ok(self.marks[known]);
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
        let met = self.conditions.iter().enumerate().filter(|&(_, condition)| truth[condition]);
        let marks = met.fold(0, |marks, (i, _)| marks | 1 << (self.inner.mark_count() + i as u32));
        self.letters.id_of(letter);
        self.marks.push(marks);
        Ok(marks)
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
        let met = match self.marks(letter) {
            Ok(marks) => marks,
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

    fn limit(&self) -> Option<Limit> {
        self.interrupted.or(self.inner.limit())
    }
}
