//! A normal form of CTL for the exact oracle: booleans, `EX`, `EU` and `EG`.
//!
//! The laws, which hold where every state has a successor:
//! ```text
//! EF f     = E[true U f]                         AX f     = !EX !f
//! E[f R g] = E[g U (f & g)] | EG g               AF f     = !EG !f
//! E[f W g] = E[f U g] | EG f                     AG f     = !E[true U !f]
//! E[f M g] = E[g U (f & g)]                      A[f U g] = !(E[!g U (!f & !g)] | EG !g)
//!                                                A[f R g] = !E[!f U !g]
//!                                                A[f W g] = !E[!g U (!f & !g)]
//!                                                A[f M g] = !(E[!f U !g] | EG !f)
//! ```
//! `R`, `W` and `M` under `E` split "it happens" from "it never does and need not". Each line of
//! the right column is the negation of the left one, where not(f U g) = !g W (!f & !g),
//! not(f R g) = !f U !g, not(f W g) = !g U (!f & !g) and not(f M g) = !f W !g.

use crate::oracle::fragment::{Path, State};
use tern_model::AtomId;

/// A term; operands are positions in the list of terms and come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    True,
    Atom(AtomId),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Temporal(Temporal),
}

/// The three temporal operators that all others are said by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    /// Some successor satisfies it.
    Ex(usize),
    /// Some path reaches the second through the first.
    Eu(usize, usize),
    /// Some path stays in it for ever.
    Eg(usize),
}

/// The terms that say a list of state formulas, and the position of the one that says the last.
pub(crate) fn terms(states: &[State]) -> (Vec<Term>, usize) {
    let mut terms = Terms(Vec::new());
    let mut said: Vec<usize> = Vec::new();
    for &state in states {
        let at = |f: usize| said[f];
        let term = match state {
            State::Constant(true) => terms.make(Term::True),
            State::Constant(false) => {
                let top = terms.make(Term::True);
                terms.not(top)
            }
            State::Atom(atom) => terms.make(Term::Atom(atom)),
            State::Not(f) => terms.not(at(f)),
            State::And(f, g) => terms.and(at(f), at(g)),
            State::Or(f, g) => terms.or(at(f), at(g)),
            State::Implies(f, g) => terms.implies(at(f), at(g)),
            State::Iff(f, g) => terms.iff(at(f), at(g)),
            State::Xor(f, g) => {
                let same = terms.iff(at(f), at(g));
                terms.not(same)
            }
            State::Exists(path) => terms.exists(path, at),
            State::All(path) => terms.all(path, at),
        };
        said.push(term);
    }
    let root = *said.last().expect("a claim has at least one state formula");
    (terms.0, root)
}

struct Terms(Vec<Term>);

impl Terms {
    fn make(&mut self, term: Term) -> usize {
        self.0.iter().position(|&old| old == term).unwrap_or_else(|| {
            self.0.push(term);
            self.0.len() - 1
        })
    }

    fn not(&mut self, f: usize) -> usize {
        self.make(Term::Not(f))
    }

    fn and(&mut self, f: usize, g: usize) -> usize {
        self.make(Term::And(f, g))
    }

    fn or(&mut self, f: usize, g: usize) -> usize {
        self.make(Term::Or(f, g))
    }

    fn implies(&mut self, f: usize, g: usize) -> usize {
        let not_f = self.not(f);
        self.or(not_f, g)
    }

    fn iff(&mut self, f: usize, g: usize) -> usize {
        let (there, back) = (self.implies(f, g), self.implies(g, f));
        self.and(there, back)
    }

    fn ex(&mut self, f: usize) -> usize {
        self.make(Term::Temporal(Temporal::Ex(f)))
    }

    fn eu(&mut self, f: usize, g: usize) -> usize {
        self.make(Term::Temporal(Temporal::Eu(f, g)))
    }

    fn eg(&mut self, f: usize) -> usize {
        self.make(Term::Temporal(Temporal::Eg(f)))
    }

    fn exists(&mut self, path: Path, at: impl Fn(usize) -> usize) -> usize {
        match path {
            Path::X(f) => self.ex(at(f)),
            Path::F(f) => {
                let top = self.make(Term::True);
                self.eu(top, at(f))
            }
            Path::G(f) => self.eg(at(f)),
            Path::U(f, g) => self.eu(at(f), at(g)),
            Path::R(f, g) => {
                let (released, never) = (self.strong_release(at(f), at(g)), self.eg(at(g)));
                self.or(released, never)
            }
            Path::W(f, g) => self.weak_until(at(f), at(g)),
            Path::M(f, g) => self.strong_release(at(f), at(g)),
        }
    }

    /// `A path` as the negation of what would refute it.
    fn all(&mut self, path: Path, at: impl Fn(usize) -> usize) -> usize {
        let refutation = match path {
            Path::X(f) => {
                let not_f = self.not(at(f));
                self.ex(not_f)
            }
            Path::F(f) => {
                let not_f = self.not(at(f));
                self.eg(not_f)
            }
            Path::G(f) => {
                let (top, not_f) = (self.make(Term::True), self.not(at(f)));
                self.eu(top, not_f)
            }
            Path::U(f, g) => {
                let (not_f, not_g) = (self.not(at(f)), self.not(at(g)));
                let neither = self.and(not_f, not_g);
                self.weak_until(not_g, neither)
            }
            Path::R(f, g) => {
                let (not_f, not_g) = (self.not(at(f)), self.not(at(g)));
                self.eu(not_f, not_g)
            }
            Path::W(f, g) => {
                let (not_f, not_g) = (self.not(at(f)), self.not(at(g)));
                let neither = self.and(not_f, not_g);
                self.eu(not_g, neither)
            }
            Path::M(f, g) => {
                let (not_f, not_g) = (self.not(at(f)), self.not(at(g)));
                self.weak_until(not_f, not_g)
            }
        };
        self.not(refutation)
    }

    /// `E[f W g]`.
    fn weak_until(&mut self, f: usize, g: usize) -> usize {
        let (reached, never) = (self.eu(f, g), self.eg(f));
        self.or(reached, never)
    }

    /// `E[f M g]`.
    fn strong_release(&mut self, f: usize, g: usize) -> usize {
        let both = self.and(f, g);
        self.eu(g, both)
    }
}
