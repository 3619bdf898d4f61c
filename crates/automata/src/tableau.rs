//! The tableau of a path formula: an automaton whose states are sets of obligations, read off the
//! formula when they are asked for. See [`tern_model::absence`] for what they mean; a mark is a
//! promise that a transition keeps.
//!
//! For one letter the alternatives of a subformula are put together from those of its operands,
//! operands first, and of a state from those of its obligations. At each stage what asks for more
//! than another alternative is dropped, which is as good as dropping it at the end, since unions
//! keep the order.
//!
//! An automaton may have [`MAX_MARKS`] marks. If there are more promises, the last of them are
//! counted off one after the other, and the last mark says that all have been.

use crate::reader::{LetterId, Letters};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::automaton::{MAX_MARKS, Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::index::{Numbering, Table};
use tern_model::{Acceptor, Budget, Formula, FormulaId, Formulas, Limit, Obligation, StateId};

/// What is left for the next moment, and which promises are postponed; both sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Alternative {
    next: Vec<Obligation>,
    postponed: Vec<u32>,
}

impl Alternative {
    /// Whether this asks for no more than another.
    fn is_below(&self, other: &Alternative) -> bool {
        is_part(&self.next, &other.next) && is_part(&self.postponed, &other.postponed)
    }

    /// What both ask for together; `None` if that cannot be met.
    fn and(&self, other: &Alternative) -> Option<Alternative> {
        let next = union(&self.next, &other.next);
        let clash = next.windows(2).any(|pair| pair[0].formula == pair[1].formula);
        let postponed = union(&self.postponed, &other.postponed);
        (!clash).then_some(Alternative { next, postponed })
    }
}

fn is_part<T: Ord>(part: &[T], whole: &[T]) -> bool {
    part.len() <= whole.len() && part.iter().all(|item| whole.binary_search(item).is_ok())
}

fn union<T: Ord + Copy>(left: &[T], right: &[T]) -> Vec<T> {
    let mut all: Vec<T> = left.iter().chain(right).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The tableau of a path formula.
pub struct Tableau<'a> {
    formulas: &'a Formulas,
    budget: &'a Budget,
    propositions: Vec<FormulaId>,
    /// The subformulas, operands first.
    closure: Vec<FormulaId>,
    promises: Vec<Obligation>,
    promise_ids: FxHashMap<Obligation, u32>,
    /// What must be met, sorted.
    roots: Vec<Obligation>,
    /// The sets of obligations, and how many of the promises without a mark have been counted off.
    states: Numbering<StateId, (Vec<Obligation>, u32)>,
    /// For each letter that was read, the alternatives of subformulas that hold (first) or not.
    letters: Letters,
    cells: Table<LetterId, Cells>,
    interrupted: Option<Limit>,
}

/// The alternatives of each formula of the closure, to hold or not to.
type Cells = FxHashMap<Obligation, Vec<Alternative>>;

impl<'a> Tableau<'a> {
    /// What must not be put off for ever, in the order of the marks.
    pub fn promises(&self) -> &[Obligation] {
        &self.promises
    }

    /// The tableau for runs on which a path formula holds, or does not.
    pub fn new(formulas: &'a Formulas, root: Obligation, budget: &'a Budget) -> Self {
        Self::of(formulas, vec![root], budget)
    }

    /// The tableau for runs on which several path formulas hold, or do not. The list is sorted.
    pub fn of(formulas: &'a Formulas, roots: Vec<Obligation>, budget: &'a Budget) -> Self {
        let mut closure: Vec<FormulaId> =
            roots.iter().flat_map(|root| closure(formulas, root.formula)).collect();
        if roots.len() != 1 {
            // Operands have smaller ids.
            closure.sort_unstable();
            closure.dedup();
        }
        let is_letter = |id: &FormulaId| {
            matches!(formulas.get(*id), Formula::Atom(_) | Formula::Exists(_) | Formula::All(_))
        };
        let propositions = closure.iter().copied().filter(is_letter).collect();
        let promises: Vec<Obligation> = closure
            .iter()
            .filter_map(|&formula| Some(Obligation { formula, holds: promise(formulas, formula)? }))
            .collect();
        let promise_ids = promises.iter().copied().zip(0..).collect();
        Tableau {
            formulas,
            budget,
            propositions,
            closure,
            promises,
            promise_ids,
            roots,
            states: Numbering::default(),
            letters: Letters::default(),
            cells: Table::new(),
            interrupted: None,
        }
    }

    /// The obligations of a state.
    pub fn obligations(&self, state: StateId) -> &[Obligation] {
        &self.states[state].0
    }

    /// How many states were made so far.
    pub fn state_count(&self) -> usize {
        self.states.rows().len()
    }

    /// The alternatives of all formulas of the closure on a letter.
    fn cells_on(&self, letter: &FixedBitSet, meter: &mut Meter<'_>) -> Result<Cells, Limit> {
        let mut cells = Cells::default();
        for &formula in &self.closure {
            for holds in [true, false] {
                let obligation = Obligation { formula, holds };
                let cell = self.cell(obligation, letter, &cells, meter)?;
                cells.insert(obligation, cell);
            }
        }
        Ok(cells)
    }

    fn cell(
        &self,
        own: Obligation,
        letter: &FixedBitSet,
        cells: &Cells,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Alternative>, Limit> {
        use Formula::*;
        let holds = own.holds;
        let of = |formula: FormulaId, holds: bool| &cells[&Obligation { formula, holds }][..];
        let decided = |truth: bool| {
            if truth { vec![Alternative::default()] } else { Vec::new() }
        };
        let promised = self.promise_ids.get(&own).map(|&id| vec![id]).unwrap_or_default();
        let again = [Alternative { next: vec![own], postponed: promised }];
        Ok(match self.formulas.get(own.formula) {
            True => decided(holds),
            False => decided(!holds),
            Atom(_) | Exists(_) | All(_) => {
                let bit = self.propositions.binary_search(&own.formula);
                decided(bit.is_ok_and(|bit| letter.contains(bit)) == holds)
            }
            Not(f) => of(f, !holds).to_vec(),
            And(f, g) if holds => both(of(f, true), of(g, true), meter)?,
            And(f, g) => either(of(f, false), of(g, false), meter)?,
            Or(f, g) if holds => either(of(f, true), of(g, true), meter)?,
            Or(f, g) => both(of(f, false), of(g, false), meter)?,
            Implies(f, g) if holds => either(of(f, false), of(g, true), meter)?,
            Implies(f, g) => both(of(f, true), of(g, false), meter)?,
            Iff(f, g) | Xor(f, g) => {
                let same = matches!(self.formulas.get(own.formula), Iff(..)) == holds;
                let left = both(of(f, true), of(g, same), meter)?;
                let right = both(of(f, false), of(g, !same), meter)?;
                either(&left, &right, meter)?
            }
            Next(f) => {
                let next = vec![Obligation { formula: f, holds }];
                vec![Alternative { next, postponed: Vec::new() }]
            }
            Finally(f) | Globally(f) => {
                if matches!(self.formulas.get(own.formula), Finally(_)) == holds {
                    either(of(f, holds), &again, meter)?
                } else {
                    both(of(f, holds), &again, meter)?
                }
            }
            // Those that hold at once by their second operand, or by the first and again.
            Until(f, g) | WeakUntil(f, g) if holds => {
                let later = both(of(f, true), &again, meter)?;
                either(of(g, true), &later, meter)?
            }
            Release(f, g) | StrongRelease(f, g) if !holds => {
                let later = both(of(f, false), &again, meter)?;
                either(of(g, false), &later, meter)?
            }
            // And those whose second operand must be met, with the first or again.
            Until(f, g) | WeakUntil(f, g) | Release(f, g) | StrongRelease(f, g) => {
                let rest = either(of(f, holds), &again, meter)?;
                both(of(g, holds), &rest, meter)?
            }
        })
    }

    fn alternatives(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
    ) -> Result<Vec<Alternative>, Limit> {
        let mut meter = Meter::new(self.budget);
        let letter_id = match self.letters.find(letter) {
            Some(known) => known,
            None => {
                let cells = self.cells_on(letter, &mut meter)?;
                self.cells.push(cells);
                self.letters.id_of(letter)
            }
        };
        let cells = &self.cells[letter_id];
        let mut all = vec![Alternative::default()];
        for obligation in &self.states[state].0 {
            all = both(&all, &cells[obligation], &mut meter)?;
        }
        Ok(all)
    }
}

/// Whether a formula is a promise when it must hold, or when it must not; `None` if it never is.
fn promise(formulas: &Formulas, formula: FormulaId) -> Option<bool> {
    match formulas.get(formula) {
        Formula::Finally(_) | Formula::Until(..) | Formula::StrongRelease(..) => Some(true),
        Formula::Globally(_) | Formula::Release(..) | Formula::WeakUntil(..) => Some(false),
        _ => None,
    }
}

/// The subformulas that speak of the path, operands first; quantified formulas are not looked into.
pub fn closure(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    formulas.reached(root, |id| {
        let formula = formulas.get(id);
        formula.operands().filter(move |_| !formula.is_quantifier())
    })
}

fn both(
    left: &[Alternative],
    right: &[Alternative],
    meter: &mut Meter<'_>,
) -> Result<Vec<Alternative>, Limit> {
    let mut all = Vec::new();
    for one in left {
        for other in right {
            if let Some(together) = one.and(other) {
                add(&mut all, together, meter)?;
            }
        }
    }
    Ok(all)
}

fn either(
    left: &[Alternative],
    right: &[Alternative],
    meter: &mut Meter<'_>,
) -> Result<Vec<Alternative>, Limit> {
    let mut all = left.to_vec();
    for one in right {
        add(&mut all, one.clone(), meter)?;
    }
    Ok(all)
}

/// Adds an alternative unless one asks for no more, and drops those that ask for more.
fn add(all: &mut Vec<Alternative>, new: Alternative, meter: &mut Meter<'_>) -> Result<(), Limit> {
    for _ in 0..=all.len() {
        meter.tick()?;
    }
    if !all.iter().any(|known| known.is_below(&new)) {
        all.retain(|known| !new.is_below(known));
        all.push(new);
    }
    Ok(())
}

impl Acceptor for Tableau<'_> {
    fn propositions(&self) -> &[FormulaId] {
        &self.propositions
    }

    fn mark_count(&self) -> u32 {
        (self.promises.len() as u32).min(MAX_MARKS)
    }

    fn initial(&mut self) -> Vec<StateId> {
        vec![self.states.id((self.roots.clone(), 0))]
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        let alternatives = match self.alternatives(state, letter) {
            Ok(alternatives) => alternatives,
            Err(limit) => {
                self.interrupted = Some(limit);
                return;
            }
        };
        let before = self.states[state].1;
        let total = self.promises.len() as u32;
        for Alternative { next, postponed } in alternatives {
            let kept = |promise: u32| postponed.binary_search(&promise).is_err();
            let (mut marks, mut counted) = (all_marks(self.mark_count()), before);
            if total > MAX_MARKS {
                let first = MAX_MARKS - 1;
                while first + counted < total && kept(first + counted) {
                    counted += 1;
                }
                if first + counted == total {
                    counted = 0;
                } else {
                    marks &= !(1 << first);
                }
            }
            let direct = if total > MAX_MARKS { MAX_MARKS - 1 } else { total };
            for &promise in postponed.iter().filter(|&&promise| promise < direct) {
                marks &= !(1 << promise);
            }
            let to = self.states.id((next, counted));
            out.push((marks, to));
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.interrupted
    }

    fn accepts_all(&self, state: StateId) -> bool {
        self.obligations(state).is_empty()
    }
}
