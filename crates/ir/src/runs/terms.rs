//! Claims before and after runs are read: the formulas that are read, and the terms that are left.

use crate::flow::Proposition;
use std::collections::BTreeMap;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Formula, FormulaId, Formulas, TermId};

/// A claim in an arena of its own.
pub(super) struct Alone {
    pub(super) formulas: Formulas,
    pub(super) claim: FormulaId,
    pub(super) propositions: BTreeMap<AtomId, Proposition>,
    /// What its formulas were before.
    pub(super) written: BTreeMap<FormulaId, FormulaId>,
}

/// A claim in an arena of its own, whose order does not depend on what else there was: whoever
/// makes the graph makes the same.
pub(super) fn alone(
    formulas: &Formulas,
    claim: FormulaId,
    propositions: &BTreeMap<AtomId, Proposition>,
) -> Alone {
    let (mut own, mut meanings) = (Formulas::new(), BTreeMap::new());
    let mut now: BTreeMap<FormulaId, FormulaId> = BTreeMap::new();
    for id in formulas.in_order(claim) {
        let same = match formulas.get(id) {
            Formula::Atom(atom) => {
                let same = own.atom(formulas.atom_name(atom));
                if let (Formula::Atom(own), Some(it)) = (own.get(same), propositions.get(&atom)) {
                    meanings.insert(own, it.clone());
                }
                same
            }
            formula => own.make(formula.with_operands(|f| now[&f])),
        };
        now.insert(id, same);
    }
    let written = now.iter().rev().map(|(&before, &own)| (own, before)).collect();
    Alone { formulas: own, claim: now[&claim], propositions: meanings, written }
}

/// The terms that the root uses, and where each of them is now.
pub(super) fn used(
    terms: &Table<TermId, Term>,
    root: TermId,
) -> (Program, BTreeMap<TermId, TermId>) {
    let mut is_used = Table::filled(false, terms.len());
    is_used[root] = true;
    for (id, term) in terms.iter().rev() {
        if is_used[id] {
            term.operands().for_each(|it| is_used[it] = true);
        }
    }
    let (mut kept, mut moved) = (Table::new(), BTreeMap::new());
    for (id, &term) in terms.iter().filter(|(id, _)| is_used[*id]) {
        let now = kept.push(match term {
            Term::True | Term::Atom(_) => term,
            Term::Not(f) => Term::Not(moved[&f]),
            Term::And(f, g) => Term::And(moved[&f], moved[&g]),
            Term::Or(f, g) => Term::Or(moved[&f], moved[&g]),
            Term::Ex(f) => Term::Ex(moved[&f]),
            Term::Eu(f, g) => Term::Eu(moved[&f], moved[&g]),
            Term::Eg(f) => Term::Eg(moved[&f]),
        });
        moved.insert(id, now);
    }
    (Program { terms: kept, root: moved[&root] }, moved)
}
