//! Claims as FuncTion writes them: `AU{x > 0}{exit: true}`, `AND{p}{q}`, `NOT{p}`.
//!
//! [`read`] gives the claim as a formula. In FuncTion, `AG` and `EG` are about
//! endless runs only, and a program that ends has none; with `endless` they are read so.

use std::collections::BTreeMap;
use tern_front::formula::{Syntax, read_as};
use tern_model::{Formula, FormulaId, Formulas};

/// Reads such a claim; `None` if the text is none. Propositions are named by labels, or by the
/// texts of comparisons.
pub fn read(text: &str, endless: bool, formulas: &mut Formulas) -> Option<FormulaId> {
    // What stands in the braces of such an operator is such a claim, also a comparison alone.
    let negated = format!("NOT{{{text}}}");
    let parsed = read_as(formulas, &negated, 0, Syntax { comparisons: true }).ok()?;
    let Formula::Not(claim) = formulas.get(parsed.root) else { return None };
    Some(if endless { going_on(formulas, claim) } else { claim })
}

/// The claim with `G (f & !exit)` in place of each `G f`.
fn going_on(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    let exit = formulas.atom("exit");
    let goes_on = formulas.make(Formula::Not(exit));
    let mut said: BTreeMap<FormulaId, FormulaId> = BTreeMap::new();
    for id in formulas.subformulas(claim) {
        let mut formula = formulas.get(id).with_operands(|operand| said[&operand]);
        if let Formula::Globally(f) = formula {
            formula = Formula::Globally(formulas.make(Formula::And(f, goes_on)));
        }
        said.insert(id, formulas.make(formula));
    }
    said[&claim]
}
