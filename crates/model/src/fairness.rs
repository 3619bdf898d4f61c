//! Fairness: which paths count.
//!
//! *Justice* (weak fairness) asks that a state formula holds again and again. *Compassion* (strong
//! fairness) asks that something happens again and again if something else does: a [`Pair`], as in
//! the acceptance condition of Streett. Either side of a pair is a state formula, which happens
//! where it holds, or a set of edges of the machine, which happens when one of them is followed.
//!
//! Which edges does a move follow? A step or a call the one edge of the node. A return two: the
//! `return` of the node, and the edge of the return site that it goes on by. Where the program has
//! ended or is stuck and stays as it is, none; nor does the move to the sink. An edge that the
//! machine does not have is never followed.
//!
//! No formula can speak of edges. So sets of edges get [names](name_edges), and these are labels
//! that are true in a configuration that was just entered by one of the edges:
//! [`abstraction`](crate::abstraction) makes the machine that has them.

use crate::index::{AtomId, FormulaId};
use crate::logic::{Formula, Formulas};
use crate::machine::{Edge, Place};

/// What is asked of the paths that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// A state formula holds again and again.
    Justice(FormulaId),
    /// If one thing happens again and again, so does another.
    Compassion(Pair),
}

/// If `when` happens again and again, so does `then`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What must not happen again and again alone.
    pub when: Side,
    /// What must happen again and again with it.
    pub then: Side,
}

/// Something that may happen on a path, again and again or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The path is in a configuration in which a state formula holds.
    State(FormulaId),
    /// The path follows one of some edges, each given with the place that it leaves; sorted.
    Edges(Box<[(Place, Edge)]>),
}

impl Side {
    /// That one of some edges is followed.
    pub fn edges(edges: impl IntoIterator<Item = (Place, Edge)>) -> Self {
        let mut edges: Vec<(Place, Edge)> = edges.into_iter().collect();
        edges.sort_unstable();
        edges.dedup();
        Side::Edges(edges.into())
    }

    /// The state formula, if it is one.
    pub fn formula(&self) -> Option<FormulaId> {
        match self {
            Side::State(formula) => Some(*formula),
            Side::Edges(_) => None,
        }
    }
}

impl From<FormulaId> for Side {
    fn from(formula: FormulaId) -> Self {
        Side::State(formula)
    }
}

impl From<Pair> for Fairness {
    fn from(pair: Pair) -> Self {
        Fairness::Compassion(pair)
    }
}

impl Fairness {
    /// The state formulas that it speaks of.
    pub fn formulas(&self) -> impl Iterator<Item = FormulaId> + use<> {
        let (one, other) = match self {
            Fairness::Justice(formula) => (Some(*formula), None),
            Fairness::Compassion(Pair { when, then }) => (when.formula(), then.formula()),
        };
        one.into_iter().chain(other)
    }

    /// The same in another arena.
    #[must_use]
    pub fn import(&self, from: &Formulas, into: &mut Formulas) -> Self {
        let mut side = |side: &Side| match side {
            Side::State(formula) => Side::State(into.import(from, *formula)),
            edges @ Side::Edges(_) => edges.clone(),
        };
        match self {
            Fairness::Compassion(Pair { when, then }) => {
                Fairness::Compassion(Pair { when: side(when), then: side(then) })
            }
            Fairness::Justice(formula) => Fairness::Justice(into.import(from, *formula)),
        }
    }

    /// Whether it speaks of edges.
    pub fn names_edges(&self) -> bool {
        match self {
            Fairness::Justice(_) => false,
            Fairness::Compassion(Pair { when, then }) => {
                when.formula().is_none() || then.formula().is_none()
            }
        }
    }

    /// The path formula that says it: `G F p`, or `G F p -> G F q`. `None` if it speaks of edges,
    /// of which no formula can.
    pub fn as_formula(&self, formulas: &mut Formulas) -> Option<FormulaId> {
        match self {
            Fairness::Justice(formula) => Some(again(formulas, *formula)),
            Fairness::Compassion(Pair { when, then }) => {
                let (when, then) = (when.formula()?, then.formula()?);
                let (when, then) = (again(formulas, when), again(formulas, then));
                Some(formulas.make(Formula::Implies(when, then)))
            }
        }
    }
}

/// A name for some edges: an atom that is true where one of them was followed just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The atom.
    pub atom: FormulaId,
    /// The edges, each with the place that it leaves; sorted.
    pub edges: Box<[(Place, Edge)]>,
}

/// Conditions with names for the edges that they speak of: `followed 1` and so on, but with primes
/// where such an atom is taken already. The same edges have the same name.
pub fn name_edges(
    formulas: &mut Formulas,
    fair: &[Fairness],
    taken: &[AtomId],
) -> (Vec<Fairness>, Vec<Followed>) {
    let mut named: Vec<Followed> = Vec::new();
    let mut name = |formulas: &mut Formulas, side: &Side| {
        let edges = match side {
            Side::State(_) => return side.clone(),
            Side::Edges(edges) => edges,
        };
        if let Some(known) = named.iter().find(|known| known.edges == *edges) {
            return Side::State(known.atom);
        }
        let mut text = format!("followed {}", named.len() + 1);
        while formulas.find_atom(&text).is_some_and(|atom| taken.contains(&atom)) {
            text.push('\'');
        }
        let atom = formulas.atom(&text);
        named.push(Followed { atom, edges: edges.clone() });
        Side::State(atom)
    };
    let conditions = fair.iter().map(|condition| match condition {
        Fairness::Justice(_) => condition.clone(),
        Fairness::Compassion(Pair { when, then }) => {
            let (when, then) = (name(formulas, when), name(formulas, then));
            Fairness::Compassion(Pair { when, then })
        }
    });
    (conditions.collect(), named)
}

/// That a formula holds again and again.
fn again(formulas: &mut Formulas, formula: FormulaId) -> FormulaId {
    let later = formulas.make(Formula::Finally(formula));
    formulas.make(Formula::Globally(later))
}
