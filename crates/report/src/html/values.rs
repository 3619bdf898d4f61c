//! The values of subformulas along a run, as far as something settles them: labels, what the run
//! tells, or a labelling. The rest is unknown; nothing is searched for here.

use super::formula::Tree;
use std::collections::BTreeMap;
use std::fmt::Write;
use tern_model::logic::ctl::{self, Literal};
use tern_model::{BoxId, Evidence, Formula, FormulaId, Formulas, Labelling, Machine, NodeId};

/// How much work it may be to look configurations of one claim up in a labelling: boxes on stacks,
/// times layers.
const MOST_WORK: usize = 20_000_000;

/// A configuration of a run; the sink has no node.
pub(super) struct Spot<'s> {
    pub(super) stack: &'s [BoxId],
    pub(super) node: Option<NodeId>,
}

/// A labelling of the claim as it is written.
pub(super) struct Labels<'a> {
    labelling: &'a Labelling,
    /// For each subformula, what it became.
    literals: Vec<Option<Literal>>,
    left: usize,
}

impl<'a> Labels<'a> {
    /// The labelling of an outcome, if it is one of these formulas.
    pub(super) fn new(
        formulas: &Formulas,
        root: FormulaId,
        tree: &Tree,
        evidence: Option<&'a Evidence>,
    ) -> Option<Self> {
        let Some(Evidence::Labelling(labelling)) = evidence else { return None };
        let lowered = ctl::lower_parts(formulas, root).ok()?;
        if lowered.program != labelling.program {
            return None;
        }
        let literal = |&id: &FormulaId| match formulas.is_state_formula(id) {
            true => lowered.some_path(id, true),
            false => None,
        };
        let literals = tree.ids.iter().map(literal).collect();
        Some(Labels { labelling, literals, left: MOST_WORK })
    }

    /// What it says of a configuration, for each subformula.
    fn at(
        &mut self,
        machine: &Machine,
        formulas: &Formulas,
        spot: &Spot<'_>,
    ) -> Option<Vec<Option<bool>>> {
        let work = (spot.stack.len() + 1) * (self.labelling.layers.len() + 1);
        self.left = self.left.checked_sub(work)?;
        let truth = self.labelling.terms_at(machine, formulas, spot.stack, spot.node?)?;
        let value = |literal: &Option<Literal>| literal.map(|it| it.truth(|term| truth[term]));
        Some(self.literals.iter().map(value).collect())
    }
}

/// What a run tells of subformulas, by their positions in the tree.
#[derive(Default)]
pub(super) struct Told<'a> {
    /// Whether a subformula holds, in one configuration after the other.
    pub(super) rows: Vec<(usize, &'a [bool])>,
    /// For some configurations, the values of subformulas there.
    pub(super) facts: BTreeMap<usize, Vec<(usize, bool)>>,
}

/// Whom to ask for values.
pub(super) struct Settled<'a> {
    pub(super) machine: &'a Machine,
    pub(super) formulas: &'a Formulas,
    pub(super) tree: &'a Tree,
    /// Whether an atom is a label of the machine.
    pub(super) is_label: &'a dyn Fn(FormulaId) -> bool,
    pub(super) labels: Option<Labels<'a>>,
}

impl Settled<'_> {
    /// The values of all subformulas in a configuration of a run, which is counted from 0.
    pub(super) fn at(&mut self, told: &Told<'_>, at: usize, spot: &Spot<'_>) -> Vec<Option<bool>> {
        let Settled { machine, formulas, tree, .. } = *self;
        let mut values = match &mut self.labels {
            Some(labels) => labels.at(machine, formulas, spot),
            None => None,
        }
        .unwrap_or_else(|| vec![None; tree.parts.len()]);
        for &(part, row) in &told.rows {
            values[part] = values[part].or(row.get(at).copied());
        }
        for &(part, holds) in told.facts.get(&at).into_iter().flatten() {
            values[part] = values[part].or(Some(holds));
        }
        for (part, &id) in tree.ids.iter().enumerate() {
            let own = match formulas.get(id) {
                Formula::Atom(atom) if (self.is_label)(id) => spot.node.and_then(|node| {
                    let Some(label) = machine.label(formulas.atom_name(atom)) else {
                        return Some(false);
                    };
                    let unknown = machine.is_unknown(node, label);
                    (!unknown).then(|| machine.has_label(node, label))
                }),
                formula => formula.known(|operand| values[tree.position(operand)?]),
            };
            values[part] = own.or(values[part]);
        }
        values
    }
}

/// Values in one configuration after the other, as a text: `t12f3u1` for twelve times true, three
/// times false, once unknown. `None` if nothing is known.
pub(super) fn packed(values: impl Iterator<Item = Option<bool>>) -> Option<String> {
    let mut text = String::new();
    let mut last: Option<(Option<bool>, usize)> = None;
    let mut end = |last: Option<(Option<bool>, usize)>| {
        if let Some((value, count)) = last {
            let letter = match value {
                Some(true) => 't',
                Some(false) => 'f',
                None => 'u',
            };
            let _ = write!(text, "{letter}{count}");
        }
    };
    let mut is_known = false;
    for value in values {
        is_known |= value.is_some();
        last = match last {
            Some((same, count)) if same == value => Some((value, count + 1)),
            other => {
                end(other);
                Some((value, 1))
            }
        };
    }
    end(last);
    is_known.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_packed_by_their_runs() {
        let values = [Some(true), Some(true), None, Some(false)];
        assert_eq!(packed(values.into_iter()).as_deref(), Some("t2u1f1"));
        assert_eq!(packed([None, None].into_iter()), None);
        assert_eq!(packed(std::iter::empty()), None);
    }
}
