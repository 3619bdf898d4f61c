//! What a claim may ask to come again and again.
//!
//! A run that goes on for ever and violates a claim does so, most often, because something comes
//! finitely often only: `G F p`, `G (q -> F p)`. Then measures are looked for on the part of the
//! machine where it does not come at all ([`tern_heap::progress`]). What is tried are the parts of
//! the claim that have no temporal operator, and their negations.

use tern_heap::product::Condition;
use tern_model::{Formula, FormulaId, Formulas, Tri};

/// How many conditions are tried.
const MOST: usize = 12;

/// The conditions of a formula, by the values of propositions in the order that is given.
pub(super) fn conditions<'a>(
    formulas: &'a Formulas,
    formula: FormulaId,
    names: &'a [String],
) -> Vec<Condition<'a>> {
    let all = formulas.subformulas(formula);
    let plain: Vec<FormulaId> = all.iter().copied().filter(|&it| is_plain(formulas, it)).collect();
    let others = all.iter().filter(|it| !plain.contains(it));
    let operands = others.flat_map(|&it| formulas.get(it).operands());
    let mut outermost: Vec<FormulaId> = operands.filter(|it| plain.contains(it)).collect();
    outermost.sort_unstable();
    outermost.dedup();
    let signed = outermost.into_iter().flat_map(|it| [(it, false), (it, true)]);
    let condition = |(formula, negated): (FormulaId, bool)| -> Condition<'a> {
        Box::new(move |values| {
            let known = value(formulas, formula, &|name| {
                let number = names.iter().position(|it| it == name)?;
                match values[number] {
                    Tri::True => Some(true),
                    Tri::False => Some(false),
                    Tri::Unknown => None,
                }
            });
            known.map_or(Tri::Unknown, |it| (it != negated).into())
        })
    };
    signed.take(MOST).map(condition).collect()
}

fn is_plain(formulas: &Formulas, formula: FormulaId) -> bool {
    let all = formulas.subformulas(formula);
    let plain = |it: Formula| !it.is_temporal() && !it.is_quantifier();
    all.iter().all(|&it| plain(formulas.get(it)))
}

fn value(
    formulas: &Formulas,
    formula: FormulaId,
    atom: &dyn Fn(&str) -> Option<bool>,
) -> Option<bool> {
    let mut known = std::collections::BTreeMap::new();
    for id in formulas.subformulas(formula) {
        let value = match formulas.get(id) {
            Formula::Atom(it) => atom(formulas.atom_name(it)),
            other => other.known(|it| known[&it]),
        };
        known.insert(id, value);
    }
    known[&formula]
}
