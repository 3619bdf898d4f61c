//! Formulas as trees: each subformula once, operands first.

use serde::Serialize;
use std::collections::BTreeMap;
use tern_model::{Formula, FormulaId, Formulas, Id};

/// Formulas with more subformulas are not drawn as trees.
const LARGEST: usize = 400;
/// The longest text of a formula that is compared with what stories tell of, roughly.
const LONGEST: u64 = 1 << 10;

/// A subformula.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    /// What kind of formula it is: `atom`, or an operator.
    op: &'static str,
    /// The name of an atom.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The operands, by position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    of: Vec<usize>,
    /// Whether it speaks of a path, and not of a state.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    path: bool,
}

/// A formula as a tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The subformulas; the last is the whole.
    pub(super) parts: Vec<Part>,
    /// Which formula each of them is.
    pub(super) ids: Vec<FormulaId>,
    at: BTreeMap<FormulaId, usize>,
    by_text: BTreeMap<String, usize>,
}

impl Tree {
    /// The tree of a formula; empty if that is too large.
    pub(super) fn new(formulas: &Formulas, root: FormulaId) -> Self {
        let ids = formulas.in_order(root);
        if ids.len() > LARGEST {
            return Tree::default();
        }
        let at: BTreeMap<FormulaId, usize> =
            ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let mut tree = Tree { ids: ids.clone(), at: at.clone(), ..Tree::default() };
        let mut length: Vec<u64> = Vec::new();
        for &id in &ids {
            let formula = formulas.get(id);
            let (op, name) = operator(formulas, formula);
            let of: Vec<usize> = formula.operands().map(|operand| at[&operand]).collect();
            let own = name.as_ref().map_or(8, |name| name.len() as u64);
            length.push(of.iter().fold(own, |sum, &operand| sum.saturating_add(length[operand])));
            if length[tree.parts.len()] <= LONGEST {
                tree.by_text.insert(formulas.show(id).to_string(), tree.parts.len());
            }
            let name = name.map(|name| crate::visible(&name).into_owned());
            tree.parts.push(Part { op, name, of, path: !formulas.is_state_formula(id) });
        }
        tree
    }

    /// Which subformula a text is, if it is one.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.by_text.get(text).copied()
    }

    /// What a text is on the page: the number of a subformula, or itself.
    pub(super) fn said(&self, text: &str) -> Said {
        match self.find(text) {
            Some(part) => Said::Part(part),
            None => Said::Text(crate::visible(text).into_owned()),
        }
    }

    /// Where a formula is among the subformulas.
    pub(super) fn position(&self, id: FormulaId) -> Option<usize> {
        self.at.get(&id).copied()
    }
}

/// A formula on the page.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Said {
    /// A subformula of the tree.
    Part(usize),
    /// Another one, as it is written.
    Text(String),
}

fn operator(formulas: &Formulas, formula: Formula) -> (&'static str, Option<String>) {
    let op = match formula {
        Formula::True => "true",
        Formula::False => "false",
        Formula::Atom(atom) => return ("atom", Some(formulas.atom_name(atom).to_owned())),
        Formula::Not(_) => "!",
        Formula::And(..) => "&",
        Formula::Or(..) => "|",
        Formula::Implies(..) => "->",
        Formula::Iff(..) => "<->",
        Formula::Xor(..) => "xor",
        Formula::Exists(_) => "E",
        Formula::All(_) => "A",
        Formula::Next(_) => "X",
        Formula::Finally(_) => "F",
        Formula::Globally(_) => "G",
        Formula::Until(..) => "U",
        Formula::Release(..) => "R",
        Formula::WeakUntil(..) => "W",
        Formula::StrongRelease(..) => "M",
    };
    (op, None)
}

/// The number of an id, as data has it.
pub(super) fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are of 32 bits")
}
