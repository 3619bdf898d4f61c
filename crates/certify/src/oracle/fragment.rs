//! Recognises CTL, and lists its state formulas one operator at a time.
//!
//! A formula is CTL if every temporal operator stands right under a quantifier, and the other way
//! round. The list holds the state formulas only: a quantifier and the temporal operator under it
//! are one operator of the list, such as `A U`. Operands are positions in the list and come before
//! what uses them, so that both oracles work through a formula from the front to the back.
//! Operators are kept as they are written: no law of logic is used here.

use std::collections::BTreeMap;
use tern_model::{AtomId, Formula, FormulaId, Formulas};

/// A state formula whose operands, positions in the list, are state formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Constant(bool),
    Atom(AtomId),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Implies(usize, usize),
    Iff(usize, usize),
    Xor(usize, usize),
    /// On some path.
    Exists(Path),
    /// On all paths.
    All(Path),
}

/// A temporal operator over state formulas, with the letters of the logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    X(usize),
    F(usize),
    G(usize),
    U(usize, usize),
    R(usize, usize),
    W(usize, usize),
    M(usize, usize),
}

/// The state formulas of a claim; the last is the claim itself. A claim that is a single temporal
/// operator over state formulas is meant for all paths. `None` if the claim is not CTL.
pub(crate) fn state_formulas(formulas: &Formulas, claim: FormulaId) -> Option<Vec<State>> {
    let mut list = Vec::new();
    let mut position: BTreeMap<FormulaId, usize> = BTreeMap::new();
    for id in formulas.subformulas(claim) {
        let at = |f: FormulaId| position.get(&f).copied();
        let state = match formulas.get(id) {
            Formula::True => State::Constant(true),
            Formula::False => State::Constant(false),
            Formula::Atom(atom) => State::Atom(atom),
            Formula::Not(f) => State::Not(at(f)?),
            Formula::And(f, g) => State::And(at(f)?, at(g)?),
            Formula::Or(f, g) => State::Or(at(f)?, at(g)?),
            Formula::Implies(f, g) => State::Implies(at(f)?, at(g)?),
            Formula::Iff(f, g) => State::Iff(at(f)?, at(g)?),
            Formula::Xor(f, g) => State::Xor(at(f)?, at(g)?),
            Formula::Exists(f) => State::Exists(path(formulas.get(f), at)?),
            Formula::All(f) => State::All(path(formulas.get(f), at)?),
            temporal if id == claim => State::All(path(temporal, at)?),
            // No state formula, so it gets no position, and only a quantifier can use it.
            _ => continue,
        };
        position.insert(id, list.len());
        list.push(state);
    }
    Some(list)
}

fn path(formula: Formula, at: impl Fn(FormulaId) -> Option<usize>) -> Option<Path> {
    Some(match formula {
        Formula::Next(f) => Path::X(at(f)?),
        Formula::Finally(f) => Path::F(at(f)?),
        Formula::Globally(f) => Path::G(at(f)?),
        Formula::Until(f, g) => Path::U(at(f)?, at(g)?),
        Formula::Release(f, g) => Path::R(at(f)?, at(g)?),
        Formula::WeakUntil(f, g) => Path::W(at(f)?, at(g)?),
        Formula::StrongRelease(f, g) => Path::M(at(f)?, at(g)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::state_formulas;
    use tern_model::Formulas;
    use tern_testkit::sketch;

    #[test]
    fn ctl_and_nothing_else_is_recognised() {
        for (text, expected) in [
            ("p", true),
            ("-> p E X q", true),
            ("G p", true),
            ("U p A F q", true),
            ("G F p", false),
            ("& G p F q", false),
            ("A G F p", false),
            ("E p", false),
            ("& F p E F p", false),
            ("E F E G xor p A X q", true),
        ] {
            let mut formulas = Formulas::new();
            let claim = sketch::formula(&mut formulas, text);
            assert_eq!(state_formulas(&formulas, claim).is_some(), expected, "{text}");
        }
    }
}
