//! Automata that read the runs of which a formula is true.
//!
//! A state is a set of formulas, negated perhaps, that are true of the run from here. A
//! [`Cover`] is one way to make them true: what is true of the state that is read (propositions,
//! and formulas with quantifiers, which are *asked* for), and the set for the rest of the run, by
//! the expansion laws such as `f U g = g | f & X (f U g)`. Who takes the second side of that
//! *postpones* a promise.
//!
//! # Why it is right
//! A run with all formulas of a state fits a cover, that of the sides that are true of it, and the
//! rest of it has the formulas of the next state; where g is true now, `f U g` is not postponed, so
//! that each promise is not postponed again and again. Conversely, by induction on formulas: were
//! `f U g` in a state and g never to come, it would be in all later states and postponed in each.
//! Of a disjunction whose first side is a proposition, the second side is taken only where that is
//! false, which leaves less to choose and takes no run away. A formula f beside `G f` says nothing
//! and is left out.
//!
//! # Source
//! Gerth, Peled, Vardi, Wolper: Simple on-the-fly automatic verification of linear temporal logic.
//! PSTV 1995.

use std::collections::{BTreeMap, BTreeSet};
use tern_model::{AtomId, Formula, FormulaId, Formulas};

/// A formula, and whether it is negated. It is never `!f` itself.
pub type Signed = (FormulaId, bool);

/// The most states of an automaton, the most ways to leave one, and how often a formula may be
/// taken apart for all of them: many ways may come to nothing.
const MOST_STATES: usize = 100;
const MOST_COVERS: usize = 400;
const MOST_SIDES: usize = 50_000;

/// One way to make the formulas of a state true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Propositions, true or false in the state that is read.
    pub literals: BTreeMap<AtomId, bool>,
    /// Formulas with quantifiers that are true there.
    pub asks: BTreeSet<Signed>,
    /// The state for the rest of the run.
    pub next: usize,
    postponed: BTreeSet<Signed>,
}

/// An automaton; it begins in state 0.
#[derive(Clone, Debug)]
pub struct Automaton {
    covers: Vec<Vec<Cover>>,
    promises: Vec<Signed>,
}

impl Automaton {
    /// The automaton of a formula; `None` if it becomes too large.
    pub fn new(formulas: &Formulas, (formula, no): Signed) -> Option<Automaton> {
        let first = BTreeSet::from([signed(formulas, formula, no)]);
        let (mut states, mut numbers) = (vec![first.clone()], BTreeMap::from([(first, 0)]));
        let mut automaton = Automaton { covers: Vec::new(), promises: Vec::new() };
        let mut left = MOST_SIDES;
        while let Some(state) = states.get(automaton.covers.len()).cloned() {
            let mut covers: Vec<Cover> = Vec::new();
            for part in parts(formulas, &state, &mut left)? {
                let Part { literals, asks, next, postponed, .. } = part;
                let count = numbers.len();
                let number = *numbers.entry(next.clone()).or_insert(count);
                if number == count {
                    states.push(next);
                }
                let cover = Cover { literals, asks, next: number, postponed };
                if !covers.contains(&cover) {
                    covers.push(cover);
                }
            }
            if states.len() > MOST_STATES {
                return None;
            }
            automaton.covers.push(covers);
        }
        let all = automaton.covers.iter().flatten().flat_map(|it| it.postponed.iter().copied());
        automaton.promises = all.collect::<BTreeSet<Signed>>().into_iter().collect();
        Some(automaton)
    }

    /// How a state can be left.
    pub fn covers(&self, state: usize) -> &[Cover] {
        &self.covers[state]
    }

    /// What may be asked for in a state, all at once.
    pub fn asks(&self, state: usize) -> BTreeSet<BTreeSet<Signed>> {
        self.covers[state].iter().map(|cover| cover.asks.clone()).collect()
    }

    /// How many promises there are.
    pub fn promises(&self) -> usize {
        self.promises.len()
    }

    /// How many of the promises were kept one after the other, after a step; all of them, then
    /// from the first again.
    pub fn kept(&self, kept: usize, cover: &Cover) -> usize {
        let first = if kept == self.promises.len() { 0 } else { kept };
        let rest = self.promises[first..].iter();
        first + rest.take_while(|it| !cover.postponed.contains(it)).count()
    }
}

/// A formula without negations around it.
fn signed(formulas: &Formulas, mut id: FormulaId, mut no: bool) -> Signed {
    while let Formula::Not(f) = formulas.get(id) {
        (id, no) = (f, !no);
    }
    (id, no)
}

/// A cover that is being made.
#[derive(Clone, Default)]
struct Part {
    todo: Vec<Signed>,
    seen: BTreeSet<Signed>,
    literals: BTreeMap<AtomId, bool>,
    asks: BTreeSet<Signed>,
    next: BTreeSet<Signed>,
    postponed: BTreeSet<Signed>,
}

/// One side of an expansion law.
#[derive(Default)]
struct Side {
    now: Vec<Signed>,
    next: Option<Signed>,
    /// Whether a promise is put off.
    postpones: bool,
}

/// All covers of a state; `None` if they are too many, or if nothing is left of the work that may
/// be done.
fn parts(formulas: &Formulas, state: &BTreeSet<Signed>, left: &mut usize) -> Option<Vec<Part>> {
    let first = Part { todo: state.iter().copied().collect(), ..Part::default() };
    let (mut done, mut open) = (Vec::new(), vec![first]);
    while let Some(mut part) = open.pop() {
        *left = left.checked_sub(1)?;
        let Some(it) = part.todo.pop() else {
            part.next = reduced(formulas, &part.next);
            done.push(part);
            continue;
        };
        if !part.seen.insert(it) {
            open.push(part);
            continue;
        }
        match formulas.get(it.0) {
            Formula::Atom(atom) => {
                if *part.literals.entry(atom).or_insert(!it.1) != it.1 {
                    open.push(part);
                }
            }
            Formula::Exists(_) | Formula::All(_) => {
                part.asks.insert(it);
                if !part.asks.contains(&(it.0, !it.1)) {
                    open.push(part);
                }
            }
            _ => {
                for side in sides(formulas, it).into_iter().rev() {
                    let mut part = part.clone();
                    part.todo.extend(side.now);
                    part.next.extend(side.next);
                    if side.postpones {
                        part.postponed.insert(it);
                    }
                    open.push(part);
                }
            }
        }
        if done.len() + open.len() > MOST_COVERS {
            return None;
        }
    }
    Some(done)
}

/// The formulas without those that are said by `G` anyway.
fn reduced(formulas: &Formulas, all: &BTreeSet<Signed>) -> BTreeSet<Signed> {
    let under = |&(id, no): &Signed| match formulas.get(id) {
        Formula::Globally(f) if !no => Some(signed(formulas, f, false)),
        Formula::Finally(f) if no => Some(signed(formulas, f, true)),
        _ => None,
    };
    let said: BTreeSet<Signed> = all.iter().filter_map(under).collect();
    all.difference(&said).copied().collect()
}

/// What a formula is by the expansion laws: one of these.
fn sides(formulas: &Formulas, it: Signed) -> Vec<Side> {
    let (id, no) = it;
    let of = |f: FormulaId| signed(formulas, f, no);
    let not = |f: FormulaId| signed(formulas, f, !no);
    let now = |now: &[Signed]| Side { now: now.to_vec(), ..Side::default() };
    let later =
        |now: &[Signed]| Side { next: Some(it), ..Side { now: now.to_vec(), ..Side::default() } };
    let put_off = |now: &[Signed]| Side { postpones: true, ..later(now) };
    // The first, or the second where the first is false, if that is easily said.
    let either = |first: Side, mut second: Side, deciding: Signed| {
        if matches!(formulas.get(deciding.0), Formula::Atom(_)) {
            second.now.push((deciding.0, !deciding.1));
        }
        vec![first, second]
    };
    match (formulas.get(id), no) {
        (Formula::True, false) | (Formula::False, true) => vec![now(&[])],
        (Formula::True, true) | (Formula::False, false) => Vec::new(),
        (Formula::And(f, g), false) | (Formula::Or(f, g), true) => vec![now(&[of(f), of(g)])],
        (Formula::And(f, g), true) | (Formula::Or(f, g), false) => {
            either(now(&[of(f)]), now(&[of(g)]), of(f))
        }
        (Formula::Implies(f, g), false) => either(now(&[not(f)]), now(&[of(g)]), not(f)),
        (Formula::Implies(f, g), true) => vec![now(&[not(f), of(g)])],
        (Formula::Iff(f, g), _) | (Formula::Xor(f, g), _) => {
            let is_same = matches!(formulas.get(id), Formula::Iff(..)) != no;
            let sign = |f: FormulaId, no: bool| signed(formulas, f, no);
            let pair = |no: bool| now(&[sign(f, no), sign(g, no == is_same)]);
            vec![pair(false), pair(true)]
        }
        (Formula::Next(f), _) => vec![Side { next: Some(of(f)), ..Side::default() }],
        (Formula::Finally(f), false) | (Formula::Globally(f), true) => {
            either(now(&[of(f)]), put_off(&[]), of(f))
        }
        (Formula::Globally(f), false) | (Formula::Finally(f), true) => vec![later(&[of(f)])],
        (Formula::Until(f, g), false) | (Formula::Release(f, g), true) => {
            either(now(&[of(g)]), put_off(&[of(f)]), of(g))
        }
        (Formula::Release(f, g), false) | (Formula::Until(f, g), true) => {
            either(now(&[of(f), of(g)]), later(&[of(g)]), of(f))
        }
        (Formula::WeakUntil(f, g), false) | (Formula::StrongRelease(f, g), true) => {
            either(now(&[of(g)]), later(&[of(f)]), of(g))
        }
        (Formula::StrongRelease(f, g), false) | (Formula::WeakUntil(f, g), true) => {
            either(now(&[of(f), of(g)]), put_off(&[of(g)]), of(f))
        }
        // Propositions, quantifiers and negations are no business of this.
        (Formula::Atom(_) | Formula::Exists(_) | Formula::All(_) | Formula::Not(_), _) => {
            Vec::new()
        }
    }
}
