//! A small automaton for a path formula.

use super::bdd::Bdd;
use super::expand::{expand, propositions};
use super::simplify::simplify;
use tern_model::automaton::Automaton;
use tern_model::budget::Meter;
use tern_model::{Budget, FormulaId, Formulas, Limit};

/// A small generalised Büchi automaton for the paths on which `path` holds.
///
/// # Errors
/// When the budget runs out.
pub fn translate(
    formulas: &mut Formulas,
    path: FormulaId,
    budget: &Budget,
) -> Result<Automaton, Limit> {
    let root = simplify(formulas, path, true, budget)?;
    let mut meter = Meter::new(budget);
    let propositions = propositions(formulas, root, &mut meter)?;
    let mut bdd = Bdd::new(meter);
    let graph = expand(formulas, root, &propositions, &mut bdd)?;
    graph.to_automaton(&mut bdd, propositions)
}
