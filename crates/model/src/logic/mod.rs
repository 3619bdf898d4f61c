//! Formulas of CTL*, kept as a shared graph.
//!
//! All formulas of one [`Formulas`] arena share their equal subformulas: an equal formula has an
//! equal [`FormulaId`], and children have smaller ids than their parents. Passes over a formula
//! are therefore loops over ids, never recursion, and a formula may be nested as deep as it likes.
//!
//! A formula is kept as it was written (`->` stays `->`), so that it is printed as it was meant.
//! [`ctl`] makes the normal form that engines work on.

pub mod ctl;
mod display;
pub mod examples;
pub mod fair;
pub mod rewrite;
pub mod vacuity;
pub mod words;

pub use display::Shown;
pub(crate) use display::write_quoted;

use crate::index::{AtomId, FormulaId, Table};
use crate::names::Interner;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;

/// The outermost operator of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always true.
    True,
    /// Always false.
    False,
    /// A proposition.
    Atom(AtomId),
    /// Negation.
    Not(FormulaId),
    /// Conjunction.
    And(FormulaId, FormulaId),
    /// Disjunction.
    Or(FormulaId, FormulaId),
    /// Implication.
    Implies(FormulaId, FormulaId),
    /// Equivalence.
    Iff(FormulaId, FormulaId),
    /// Exclusive or.
    Xor(FormulaId, FormulaId),
    /// On some path from here.
    Exists(FormulaId),
    /// On all paths from here.
    All(FormulaId),
    /// In the next state.
    Next(FormulaId),
    /// Now or later.
    Finally(FormulaId),
    /// Now and always.
    Globally(FormulaId),
    /// The second will hold, and until then the first.
    Until(FormulaId, FormulaId),
    /// The second holds up to and including where the first does; for ever if it never does.
    Release(FormulaId, FormulaId),
    /// The first holds until the second does, or for ever.
    WeakUntil(FormulaId, FormulaId),
    /// The first will hold, and up to and including then the second.
    StrongRelease(FormulaId, FormulaId),
}

impl Formula {
    /// The operands, left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = FormulaId> {
        use Formula::*;
        let (first, second) = match self {
            True | False | Atom(_) => (None, None),
            Not(f) | Exists(f) | All(f) | Next(f) | Finally(f) | Globally(f) => (Some(f), None),
            And(f, g) | Or(f, g) | Implies(f, g) | Iff(f, g) | Xor(f, g) => (Some(f), Some(g)),
            Until(f, g) | Release(f, g) | WeakUntil(f, g) | StrongRelease(f, g) => {
                (Some(f), Some(g))
            }
        };
        first.into_iter().chain(second)
    }

    /// The same operator on other operands.
    #[must_use]
    pub fn with_operands(self, of: impl Fn(FormulaId) -> FormulaId) -> Formula {
        use Formula::*;
        match self {
            True | False | Atom(_) => self,
            Not(f) => Not(of(f)),
            And(f, g) => And(of(f), of(g)),
            Or(f, g) => Or(of(f), of(g)),
            Implies(f, g) => Implies(of(f), of(g)),
            Iff(f, g) => Iff(of(f), of(g)),
            Xor(f, g) => Xor(of(f), of(g)),
            Exists(f) => Exists(of(f)),
            All(f) => All(of(f)),
            Next(f) => Next(of(f)),
            Finally(f) => Finally(of(f)),
            Globally(f) => Globally(of(f)),
            Until(f, g) => Until(of(f), of(g)),
            Release(f, g) => Release(of(f), of(g)),
            WeakUntil(f, g) => WeakUntil(of(f), of(g)),
            StrongRelease(f, g) => StrongRelease(of(f), of(g)),
        }
    }

    /// The truth of a boolean operator, given that of its operands; `None` for what is no such
    /// operator.
    pub fn boolean(self, of: impl Fn(FormulaId) -> bool) -> Option<bool> {
        use Formula::*;
        match self {
            True => Some(true),
            False => Some(false),
            Not(f) => Some(!of(f)),
            And(f, g) => Some(of(f) && of(g)),
            Or(f, g) => Some(of(f) || of(g)),
            Implies(f, g) => Some(!of(f) || of(g)),
            Iff(f, g) => Some(of(f) == of(g)),
            Xor(f, g) => Some(of(f) != of(g)),
            _ => None,
        }
    }

    /// The truth of a boolean operator if it follows from what is known of its operands.
    pub fn known(self, of: impl Fn(FormulaId) -> Option<bool>) -> Option<bool> {
        let operands = {
            let mut operands = self.operands();
            [operands.next(), operands.next()]
        };
        // At most two operands: whatever the truth of those is of which nothing is known.
        let with = |guess: [bool; 2]| {
            self.boolean(|f| of(f).unwrap_or(guess[usize::from(operands[0] != Some(f))]))
        };
        let first = with([false, false])?;
        let guesses = [[false, true], [true, false], [true, true]];
        guesses.into_iter().all(|guess| with(guess) == Some(first)).then_some(first)
    }

    /// Whether this is `E` or `A`.
    pub fn is_quantifier(self) -> bool {
        matches!(self, Formula::Exists(_) | Formula::All(_))
    }

    /// Whether this is one of `X F G U R W M`.
    pub fn is_temporal(self) -> bool {
        use Formula::*;
        matches!(
            self,
            Next(_)
                | Finally(_)
                | Globally(_)
                | Until(..)
                | Release(..)
                | WeakUntil(..)
                | StrongRelease(..)
        )
    }
}

/// The smallest of the usual logics that a formula belongs to as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// No temporal operator and no path quantifier.
    Propositional,
    /// Every temporal operator stands right under a path quantifier, and the other way round.
    Ctl,
    /// No path quantifier; speaks of all paths.
    Ltl,
    /// Anything else.
    CtlStar,
}

impl std::fmt::Display for Logic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Logic::Propositional => "propositional",
            Logic::Ctl => "CTL",
            Logic::Ltl => "LTL",
            Logic::CtlStar => "CTL*",
        })
    }
}

/// An arena of formulas in which equal ones are one.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    /// Children come before their parents.
    rows: Table<FormulaId, Formula>,
    /// Whether the truth of a row depends on the state alone, not on the path taken from it.
    of_state: Table<FormulaId, bool>,
    index: FxHashMap<Formula, FormulaId>,
    atoms: Interner<AtomId>,
}

impl Formulas {
    /// An arena without formulas.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a formula, which is added if it is new.
    pub fn make(&mut self, formula: Formula) -> FormulaId {
        if let Some(&id) = self.index.get(&formula) {
            return id;
        }
        let of_state = formula.is_quantifier()
            || !formula.is_temporal() && formula.operands().all(|f| self.of_state[f]);
        let id = self.rows.push(formula);
        self.of_state.push(of_state);
        self.index.insert(formula, id);
        id
    }

    /// The proposition of a name.
    pub fn atom(&mut self, name: &str) -> FormulaId {
        let atom = self.atoms.intern(name);
        self.make(Formula::Atom(atom))
    }

    /// The outermost operator of a formula.
    pub fn get(&self, id: FormulaId) -> Formula {
        self.rows[id]
    }

    /// The proposition of a name, if some formula has it.
    pub fn find_atom(&self, name: &str) -> Option<AtomId> {
        self.atoms.get(name)
    }

    /// The name of a proposition.
    pub fn atom_name(&self, atom: AtomId) -> &str {
        self.atoms.of(atom)
    }

    /// How many different formulas there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no formulas.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the truth of a formula depends on the state alone, not on the path taken from it.
    pub fn is_state_formula(&self, id: FormulaId) -> bool {
        self.of_state[id]
    }

    /// The different subformulas of a formula, itself included; children before parents.
    pub fn subformulas(&self, root: FormulaId) -> Vec<FormulaId> {
        self.reached(root, |id| self.get(id).operands())
    }

    /// The different formulas that are reached from one by the operands that are given of each;
    /// children before parents. The work is that of these, not of the arena: in a file of many
    /// claims each is asked for its own.
    pub fn reached<O: Iterator<Item = FormulaId>>(
        &self,
        root: FormulaId,
        operands: impl Fn(FormulaId) -> O,
    ) -> Vec<FormulaId> {
        let mut found: Vec<FormulaId> = Vec::new();
        // Operands have smaller ids: the largest that waits is reached from none that comes later.
        let mut waiting = BinaryHeap::from([root]);
        while let Some(id) = waiting.pop() {
            if found.last() != Some(&id) {
                found.push(id);
                waiting.extend(operands(id));
            }
        }
        found.reverse();
        found
    }

    /// The different subformulas of a formula, itself included, as they come when it is read from
    /// the left, operands before what uses them. The order is the same in every arena.
    pub fn in_order(&self, root: FormulaId) -> Vec<FormulaId> {
        let mut seen: FxHashSet<FormulaId> = FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((id, operands_done)) = stack.pop() {
            if operands_done {
                order.push(id);
            } else if seen.insert(id) {
                stack.push((id, true));
                stack.extend(self.get(id).operands().rev().map(|operand| (operand, false)));
            }
        }
        order
    }

    /// The propositions that a formula speaks of, each once, in the order of their first writing.
    pub fn atoms_of(&self, root: FormulaId) -> Vec<AtomId> {
        let atom = |id| match self.get(id) {
            Formula::Atom(atom) => Some(atom),
            _ => None,
        };
        self.subformulas(root).into_iter().filter_map(atom).collect()
    }

    /// Which of the usual logics a formula belongs to, as it is written.
    pub fn logic(&self, root: FormulaId) -> Logic {
        let subformulas = self.subformulas(root);
        let any = |test: fn(Formula) -> bool| subformulas.iter().any(|&id| test(self.get(id)));
        match (any(Formula::is_quantifier), any(Formula::is_temporal)) {
            (false, false) => Logic::Propositional,
            (false, true) => Logic::Ltl,
            (true, _) => {
                // CTL: each temporal operator has state formulas below it, and is itself right
                // below a quantifier, so that no other formula speaks of a path.
                let ctl = self.is_state_formula(root)
                    && subformulas.iter().all(|&id| match self.get(id) {
                        Formula::Exists(f) | Formula::All(f) => self.get(f).is_temporal(),
                        formula => formula.operands().all(|f| self.is_state_formula(f)),
                    });
                if ctl { Logic::Ctl } else { Logic::CtlStar }
            }
        }
    }

    /// A formula in an arena of its own, without what it does not use.
    pub fn alone(&self, root: FormulaId) -> (Formulas, FormulaId) {
        let mut formulas = Formulas::new();
        let root = formulas.import(self, root);
        (formulas, root)
    }

    /// Adds a formula of another arena.
    pub fn import(&mut self, from: &Formulas, root: FormulaId) -> FormulaId {
        let mut now: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for id in from.subformulas(root) {
            let same = match from.get(id) {
                Formula::Atom(atom) => self.atom(from.atom_name(atom)),
                formula => self.make(formula.with_operands(|f| now[&f])),
            };
            now.insert(id, same);
        }
        now[&root]
    }

    /// The formula as text that reads back as the same formula.
    pub fn show(&self, id: FormulaId) -> Shown<'_> {
        Shown::new(self, id)
    }
}

#[cfg(test)]
mod tests {
    use super::Formula::*;
    use super::*;

    #[test]
    fn equal_formulas_are_one() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        let a = fs.make(And(p, q));
        let p2 = fs.atom("p");
        assert_eq!(fs.make(And(p2, q)), a);
        assert_ne!(fs.make(And(q, p)), a);
        assert_eq!(fs.subformulas(a), [p, q, a]);
    }

    #[test]
    fn the_order_of_reading_does_not_depend_on_the_arena() {
        let mut one = Formulas::new();
        let (p, q) = (one.atom("p"), one.atom("q"));
        let until = one.make(Until(q, p));
        let root = one.make(And(until, q));
        assert_eq!(one.in_order(root), [q, p, until, root]);
    }

    #[test]
    fn a_formula_can_be_taken_out() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        let later = fs.make(Finally(q));
        fs.make(And(p, later));
        let (alone, id) = fs.alone(later);
        assert_eq!((alone.show(id).to_string(), alone.len()), ("F q".to_owned(), 2));
    }

    #[test]
    fn the_logic_is_recognised() {
        let mut fs = Formulas::new();
        let p = fs.atom("p");
        let gp = fs.make(Globally(p));
        let fgp = fs.make(Finally(gp));
        let agp = fs.make(All(gp));
        let fagp = fs.make(Finally(agp));
        let efagp = fs.make(Exists(fagp));
        let afgp = fs.make(All(fgp));
        let mixed = fs.make(And(gp, agp));
        assert_eq!(fs.logic(p), Logic::Propositional);
        assert_eq!(fs.logic(fgp), Logic::Ltl);
        assert_eq!(fs.logic(agp), Logic::Ctl);
        assert_eq!(fs.logic(efagp), Logic::Ctl);
        assert_eq!(fs.logic(afgp), Logic::CtlStar);
        assert_eq!(fs.logic(mixed), Logic::CtlStar);
    }
}
