//! All ways in which a path formula may be true or false along a path, as a tableau.
//!
//! The parts of a path formula are its subformulas down to the state formulas in it, which are its
//! *leaves*: what is true of them is known at each state. An *atom* of the tableau is an assignment
//! of truth to all parts that respects the connectives. It is fixed by the leaves and by a *guess*,
//! one bit for each temporal part. Along a path, atom must follow atom by the laws
//! ```text
//! X f      = f next
//! F f      = f | itself next                 G f      = f & itself next
//! f U g    = g | (f & itself next)           f W g    = g | (f & itself next)
//! f M g    = g & (f | itself next)           f R g    = g & (f | itself next)
//! ```
//! so that a state and the atom after it leave one choice of its own atom: [`Tableau::before`].
//! A sequence of atoms is *fair* if each temporal part but `X` is *settled* infinitely often:
//! ```text
//! F f    false, or f                         G f    true, or !f
//! f U g  false, or g                         f W g  true, or !f & !g
//! f M g  false, or f & g                     f R g  true, or !g
//! ```
//!
//! # Why it is right
//! Claim: on an infinite path, the atoms that are the truth are a fair sequence that follows the
//! laws, and there is no other. That the truth follows the laws and is fair is the meaning of the
//! operators: if `f U g` is true, then `g` comes, and if it is true infinitely often, so is `g`;
//! otherwise it is false from somewhere on. For the other direction take any fair sequence, and a
//! part whose operands have their true values everywhere. For `X` the law says all. Let `f U g` be
//! true in the atom at i. It is settled at some j ≥ i; take the first. Before j the atoms have
//! `f U g` and not `g`, so by the law `f`, and `f U g` at the next; so at j it is `g` that settles,
//! and `f U g` is the truth at i. Let it be false in the atom at i. Were it the truth, there would
//! be a first `g` at j ≥ i and `f` before; the law sets it at j, and backwards at all positions
//! from i on. `F` and `M` are alike, and for `G`, `W` and `R` exchange true and false.
//!
//! # Source
//! Lichtenstein, Pnueli: Checking that finite state concurrent programs satisfy their linear
//! specification. POPL 1985. We depart in giving each operator a law of its own instead of reducing
//! all to `X` and `U`.

use std::collections::BTreeSet;
use tern_model::{Formula, FormulaId, Formulas};

/// The kinds of events that a fair path needs infinitely often, as bits. Bit 0 is every step.
pub(crate) type Kinds = u32;

/// The tableau of a path formula.
pub(crate) struct Tableau {
    /// Operands come before what uses them; the last is the formula itself.
    parts: Vec<Part>,
    leaves: Vec<FormulaId>,
    /// How many parts are temporal.
    guesses: usize,
}

/// A part; operands are positions among the parts.
#[derive(Clone, Copy)]
enum Part {
    /// A state formula, by its position among the leaves.
    Leaf(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Implies(usize, usize),
    Iff(usize, usize),
    Xor(usize, usize),
    /// With the bit of the guess.
    Temporal(usize, Operator),
}

#[derive(Clone, Copy)]
enum Operator {
    X(usize),
    F(usize),
    G(usize),
    U(usize, usize),
    R(usize, usize),
    W(usize, usize),
    M(usize, usize),
}

/// The truth of all parts at one position of a path.
pub(crate) type Atom = Vec<bool>;

impl Tableau {
    /// `None` if there are more than 30 temporal parts, which nobody could go through.
    pub(crate) fn new(formulas: &Formulas, path: FormulaId) -> Option<Tableau> {
        let mut found: BTreeSet<FormulaId> = BTreeSet::new();
        let mut open = vec![path];
        while let Some(id) = open.pop() {
            if found.insert(id) && !formulas.is_state_formula(id) {
                open.extend(formulas.get(id).operands());
            }
        }
        // Sorted by id, so operands come first.
        let ids: Vec<FormulaId> = found.into_iter().collect();
        let at = |f: FormulaId| ids.binary_search(&f).expect("operands of a part are parts");
        let (mut leaves, mut guesses) = (Vec::new(), 0);
        let mut parts = Vec::new();
        for &id in &ids {
            if formulas.is_state_formula(id) {
                parts.push(Part::Leaf(leaves.len()));
                leaves.push(id);
                continue;
            }
            let operator = match formulas.get(id) {
                Formula::Next(f) => Operator::X(at(f)),
                Formula::Finally(f) => Operator::F(at(f)),
                Formula::Globally(f) => Operator::G(at(f)),
                Formula::Until(f, g) => Operator::U(at(f), at(g)),
                Formula::Release(f, g) => Operator::R(at(f), at(g)),
                Formula::WeakUntil(f, g) => Operator::W(at(f), at(g)),
                Formula::StrongRelease(f, g) => Operator::M(at(f), at(g)),
                connective => {
                    parts.push(match connective {
                        Formula::Not(f) => Part::Not(at(f)),
                        Formula::And(f, g) => Part::And(at(f), at(g)),
                        Formula::Or(f, g) => Part::Or(at(f), at(g)),
                        Formula::Implies(f, g) => Part::Implies(at(f), at(g)),
                        Formula::Iff(f, g) => Part::Iff(at(f), at(g)),
                        Formula::Xor(f, g) => Part::Xor(at(f), at(g)),
                        _ => unreachable!("the rest are state formulas"),
                    });
                    continue;
                }
            };
            parts.push(Part::Temporal(guesses, operator));
            guesses += 1;
        }
        (guesses <= 30).then_some(Tableau { parts, leaves, guesses })
    }

    /// The state formulas that letters speak of.
    pub(crate) fn leaves(&self) -> &[FormulaId] {
        &self.leaves
    }

    /// How many guesses there are; they are the numbers below.
    pub(crate) fn guess_count(&self) -> usize {
        1 << self.guesses
    }

    /// The atom of a guess, where `letter` has the truth of each leaf.
    pub(crate) fn atom(&self, letter: &[bool], guess: usize) -> Atom {
        self.assign(letter, |bit, _, _| guess >> bit & 1 == 1)
    }

    /// The only guess that may stand before the atom `next`, at a state with this letter.
    pub(crate) fn before(&self, letter: &[bool], next: &Atom) -> usize {
        let atom = self.assign(letter, |_, (part, operator), now| match operator {
            Operator::X(f) => next[f],
            Operator::F(f) => now[f] || next[part],
            Operator::G(f) => now[f] && next[part],
            Operator::U(f, g) | Operator::W(f, g) => now[g] || now[f] && next[part],
            Operator::R(f, g) | Operator::M(f, g) => now[g] && (now[f] || next[part]),
        });
        let mut guess = 0;
        for (part, &value) in self.parts.iter().zip(&atom) {
            if let Part::Temporal(bit, _) = *part {
                guess |= usize::from(value) << bit;
            }
        }
        guess
    }

    /// Truth for all parts; `temporal` is asked with the bit, the part and what is assigned so far.
    fn assign(
        &self,
        letter: &[bool],
        temporal: impl Fn(usize, (usize, Operator), &Atom) -> bool,
    ) -> Atom {
        let mut now: Atom = Vec::with_capacity(self.parts.len());
        for (position, &part) in self.parts.iter().enumerate() {
            let value = match part {
                Part::Leaf(leaf) => letter[leaf],
                Part::Not(f) => !now[f],
                Part::And(f, g) => now[f] && now[g],
                Part::Or(f, g) => now[f] || now[g],
                Part::Implies(f, g) => !now[f] || now[g],
                Part::Iff(f, g) => now[f] == now[g],
                Part::Xor(f, g) => now[f] != now[g],
                Part::Temporal(bit, operator) => temporal(bit, (position, operator), &now),
            };
            now.push(value);
        }
        now
    }

    /// Which temporal parts are settled in an atom, and bit 0.
    pub(crate) fn settled(&self, atom: &Atom) -> Kinds {
        let mut kinds = 1;
        for (part, &value) in self.parts.iter().zip(atom) {
            let Part::Temporal(bit, operator) = *part else { continue };
            let settled = match operator {
                Operator::X(_) => true,
                Operator::F(f) => !value || atom[f],
                Operator::G(f) => value || !atom[f],
                Operator::U(_, g) => !value || atom[g],
                Operator::W(f, g) => value || !atom[f] && !atom[g],
                Operator::M(f, g) => !value || atom[f] && atom[g],
                Operator::R(_, g) => value || !atom[g],
            };
            kinds |= Kinds::from(settled) << (bit + 1);
        }
        kinds
    }

    /// All kinds, of which a fair path needs each infinitely often.
    pub(crate) fn all_kinds(&self) -> Kinds {
        (1 << (self.guesses + 1)) - 1
    }
}

/// An edge of a graph: from, to, and the kinds of events on it.
pub(crate) type Edge = (usize, usize, Kinds);

/// The states of a graph at which some infinite path begins that takes, for every one of `kinds`,
/// infinitely many edges with that kind.
///
/// It is the greatest set of states from each of which, for each kind and inside the set, one can
/// get along some edge of that kind. From such a state a path goes on for ever, from one kind to
/// the next in turn; and the states of a path as wanted are such a set.
///
/// Source: Emerson, Lei: Modalities for model checking. Science of Computer Programming 8, 1987.
pub(crate) fn fair_states(states: usize, edges: &[Edge], kinds: Kinds) -> Vec<bool> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); states];
    for (number, &(_, to, _)) in edges.iter().enumerate() {
        into[to].push(number);
    }
    let mut fair = vec![true; states];
    loop {
        let mut stable = true;
        for kind in (0..Kinds::BITS).filter(|kind| kinds >> kind & 1 == 1) {
            // From which states can one get along an edge of the kind, inside the set?
            let mut reaches = vec![false; states];
            let mut open: Vec<usize> = Vec::new();
            let mut reach = |state: usize, open: &mut Vec<usize>| {
                if fair[state] && !std::mem::replace(&mut reaches[state], true) {
                    open.push(state);
                }
            };
            for &(from, to, on_edge) in edges {
                if on_edge >> kind & 1 == 1 && fair[to] {
                    reach(from, &mut open);
                }
            }
            while let Some(state) = open.pop() {
                for &edge in &into[state] {
                    reach(edges[edge].0, &mut open);
                }
            }
            stable &= reaches == fair;
            fair = reaches;
        }
        if stable {
            return fair;
        }
    }
}
