//! Models whose states are not looked for when their text is read, and what is going to be asked of
//! them: so that states can be left out that make no difference, or be produced on demand.
//!
//! # What may be left out
//! A formula without X does not count steps: it cannot tell two structures apart whose paths differ
//! only in how often a labelling is repeated. [`Asked`] says which propositions such claims speak
//! of; a reader may then give any machine that is divergence-sensitive stutter bisimilar to the
//! program with respect to these, and in which whatever is only *sought* (`EF p`, `AG !p`) is found
//! if the program has it.

use crate::formats::Reading;
use crate::problem::{Problem, Refusal};
use crate::stack;
use crate::vocabulary::NotUnderstood;
use std::collections::BTreeSet;
use std::fmt;
use tern_model::space::Space;
use tern_model::{AtomId, Budget, Claims, Formula, FormulaId, Formulas, Limit, Start};

/// A model that was read as far as its text goes.
pub trait Unexplored: fmt::Debug {
    /// The claims that stand beside it.
    fn claims(&self) -> &Claims;

    /// Finds its states: all of them, or as many as make a difference. What was left out is warned
    /// of.
    ///
    /// # Errors
    /// What is wrong with the model, or what ran out.
    fn explore(self: Box<Self>, reduction: Reduction, budget: &Budget) -> Result<Reading, Refusal>;

    /// All of its states, if they are so few that it does not pay to look for some of them only.
    ///
    /// # Errors
    /// What is wrong with the model, or what ran out.
    fn small(&self, budget: &Budget) -> Result<Option<Reading>, Refusal>;

    /// Whether its states can be produced on demand.
    fn can_wait(&self) -> bool;

    /// Its states on demand: in the end all of them, or as many as make a difference if they are
    /// always to be left out. Also gives what is to be said of that.
    ///
    /// # Errors
    /// What ran out.
    fn space(
        self: Box<Self>,
        reduction: Reduction,
        budget: &Budget,
    ) -> Result<(Box<dyn Space + Send + Sync>, Vec<Problem>), Limit>;

    /// Whether a proposition means something in it.
    ///
    /// # Errors
    /// That it does not.
    fn understand(&self, proposition: &str) -> Result<(), NotUnderstood>;
}

/// When states are left out that make no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Never.
    #[default]
    Never,
    /// If there are many.
    Large,
    /// Whenever it can be done.
    Always,
}

/// Which states may be left out.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// When they are.
    pub when: When,
    /// What will be asked, or why no state may be left out.
    pub asked: Result<Asked, String>,
}

impl Reduction {
    /// All states are wanted.
    pub fn none() -> Self {
        Reduction { when: When::Never, asked: Err(String::new()) }
    }
}

/// What claims ask that do not count steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The propositions that they speak of.
    pub propositions: BTreeSet<String>,
    /// Propositions of which it is only asked whether they are ever true, and which are not among
    /// the others.
    pub sought: BTreeSet<String>,
}

impl Asked {
    /// What claims ask, under their fairness conditions.
    ///
    /// # Errors
    /// Why an answer may depend on how many steps there are.
    pub fn of(claims: &Claims) -> Result<Asked, String> {
        let formulas = &claims.formulas;
        let mut asked = Asked::default();
        for claim in claims.list() {
            let shown = || claim.property.show(formulas);
            let Some(formula) = claim.formula() else {
                return Err("automata and pairs of edges may count steps".to_owned());
            };
            if claim.start != Start::Initial {
                return Err(format!("`{}` begins elsewhere", shown()));
            }
            let all = formulas.subformulas(formula);
            if all.iter().any(|&id| matches!(formulas.get(id), Formula::Next(_))) {
                return Err(format!("`{}` uses X", shown()));
            }
            let name = |atom: AtomId| formulas.atom_name(atom).to_owned();
            match sought(formulas, formula) {
                Some(atom) => drop(asked.sought.insert(name(atom))),
                None => asked.propositions.extend(formulas.atoms_of(formula).into_iter().map(name)),
            }
        }
        for name in &asked.propositions {
            asked.sought.remove(name);
        }
        let mut names = asked.propositions.iter().chain(&asked.sought);
        match names.find(|name| stack::is_property(name)) {
            Some(name) => Err(format!("`{name}` speaks of the stack")),
            None => Ok(asked),
        }
    }
}

/// The proposition of which a formula only says that it is reached, or that it is not.
fn sought(formulas: &Formulas, formula: FormulaId) -> Option<AtomId> {
    let get = |id: FormulaId| formulas.get(id);
    let atom = |id: FormulaId| match get(id) {
        Formula::Atom(atom) => Some(atom),
        _ => None,
    };
    // `F p` on some path, `G !p` on all.
    let finally = |id: FormulaId| match get(id) {
        Formula::Finally(p) => atom(p),
        _ => None,
    };
    let never = |id: FormulaId| match get(id) {
        Formula::Globally(f) => match get(f) {
            Formula::Not(p) => atom(p),
            _ => None,
        },
        Formula::Not(f) => finally(f),
        _ => None,
    };
    let quantified = |id: FormulaId| match get(id) {
        Formula::Exists(f) => finally(f),
        Formula::All(f) => never(f),
        _ => None,
    };
    match get(formula) {
        Formula::Not(f) => quantified(f).or_else(|| finally(f)),
        Formula::Globally(_) => never(formula),
        _ => quantified(formula),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims;

    fn asked(texts: &[&str]) -> Result<Asked, String> {
        let mut said = Claims::new();
        for text in texts {
            claims::read_one(&mut said, text).expect("sound");
        }
        Asked::of(&said)
    }

    #[test]
    fn what_is_only_sought_is_told_apart() {
        for text in ["AG !d", "G !d", "EF d", "!EF d", "!F d", "A !F d", "!AG !d"] {
            let asked = asked(&[text]).expect("no X");
            assert!(asked.propositions.is_empty() && asked.sought.contains("d"), "{text}");
        }
        for text in ["AF d", "F d", "EG !d", "AG d", "!G !d", "!A G d", "AG (p -> !d)", "E G !d"] {
            let asked = asked(&[text]).expect("no X");
            assert!(asked.propositions.contains("d") && asked.sought.is_empty(), "{text}");
        }
        let both = asked(&["AG !d", "AG !e", "AF d"]).expect("no X");
        assert!(both.propositions.contains("d") && both.sought.len() == 1);
    }

    #[test]
    fn steps_are_not_to_be_counted() {
        assert!(asked(&["AG p", "AG (p -> EX q)"]).expect_err("X").contains("EX q"));
        assert!(asked(&["G (p -> X q)"]).is_err());
        assert!(asked(&["EF called(\"f\")"]).is_err());
    }
}
