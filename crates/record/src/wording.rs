//! How stories speak of what they are told of: the terms of a claim in CTL, or the formulas of one in CTL*.

use crate::terms::{LONGEST, Terms};
use crate::visible;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{Formula, FormulaId, Formulas, Id, TermId};

/// Words for terms or formulas.
pub trait Wording<T: Copy> {
    /// As a formula.
    fn text(&self, of: T) -> String;
    /// Whether there is a path operator in it.
    fn speaks_of_paths(&self, of: T) -> bool;
    /// What it is the negation of, if it is one.
    fn negation_of(&self, of: T) -> Option<T>;
    /// What is so on all paths, given that it holds or fails because of that.
    fn on_all_paths(&self, of: T, holds: bool) -> String;

    /// As a formula in which nothing can hide.
    fn shown(&self, of: T) -> String {
        visible(&self.text(of)).into_owned()
    }
}

impl Wording<TermId> for Terms<'_> {
    fn text(&self, of: TermId) -> String {
        Terms::text(self, of)
    }

    fn speaks_of_paths(&self, of: TermId) -> bool {
        self.is_temporal(of)
    }

    fn negation_of(&self, of: TermId) -> Option<TermId> {
        match self.program.terms[of] {
            Term::Not(f) => Some(f),
            _ => None,
        }
    }

    fn on_all_paths(&self, of: TermId, holds: bool) -> String {
        match self.program.terms[of] {
            Term::Ex(f) => format!("no next state has {}", self.shown(f)),
            Term::Eg(f) => format!("no path stays in {} for ever", self.shown(f)),
            Term::Eu(f, g) if self.program.terms[f] == Term::True => {
                format!("no path leads to {}", self.shown(g))
            }
            Term::Eu(f, g) => {
                format!("no path through {} leads to {}", self.shown(f), self.shown(g))
            }
            _ => format!("{} {}", self.shown(of), value(holds)),
        }
    }
}

/// `holds` or `fails`.
pub fn value(holds: bool) -> &'static str {
    if holds { "holds" } else { "fails" }
}

/// Words for the formulas of a claim in CTL*.
pub struct Words<'a> {
    formulas: &'a Formulas,
    /// How long the text of each subformula of the claim is, roughly.
    length: Table<FormulaId, u64>,
}

impl<'a> Words<'a> {
    /// Words for the subformulas of a claim.
    pub fn new(formulas: &'a Formulas, claim: FormulaId) -> Self {
        let mut length: Table<FormulaId, u64> = Table::filled(0, claim.index() + 1);
        for id in formulas.subformulas(claim) {
            let own = match formulas.get(id) {
                Formula::Atom(atom) => formulas.atom_name(atom).len() as u64,
                _ => 8, // more than any operator with its brackets and spaces
            };
            let operands = formulas.get(id).operands();
            length[id] = operands.fold(own, |sum, f| sum.saturating_add(length[f]));
        }
        Words { formulas, length }
    }
}

impl Wording<FormulaId> for Words<'_> {
    fn text(&self, of: FormulaId) -> String {
        if self.length[of] > LONGEST {
            return format!("(subformula {})", of.index());
        }
        self.formulas.show(of).to_string()
    }

    fn speaks_of_paths(&self, of: FormulaId) -> bool {
        let parts = self.formulas.subformulas(of);
        parts.iter().any(|&id| self.formulas.get(id).is_quantifier())
            || !self.formulas.is_state_formula(of)
    }

    fn negation_of(&self, of: FormulaId) -> Option<FormulaId> {
        match self.formulas.get(of) {
            Formula::Not(f) => Some(f),
            _ => None,
        }
    }

    fn on_all_paths(&self, of: FormulaId, holds: bool) -> String {
        match (self.formulas.get(of), holds) {
            (Formula::Exists(f), false) => format!("no path has {}", self.shown(f)),
            (Formula::All(f), true) => format!("all paths have {}", self.shown(f)),
            _ => format!("all paths have {}", self.shown(of)),
        }
    }
}
