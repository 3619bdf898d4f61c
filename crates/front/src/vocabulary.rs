//! Propositions that are more than labels: comparisons of variables, events of programs.
//!
//! A claim may say `x = 1` or `call("*.close")`. Most models only have labels, and such a
//! proposition is then a label of that name. A format whose models know more gives a [`Vocabulary`]
//! beside the machine. It is asked once for each proposition of the claims that is no label; what
//! it answers becomes a label of the machine, so that engines, certifier and reports see labels
//! only. What it does not understand is an error at the place of the proposition.

use crate::problem::Problem;
use std::collections::BTreeSet;
use std::fmt;
use tern_model::{Budget, Claims, Limit, Machine, NodeId};

/// What knows where propositions hold in the machine that a text became, and the values there.
pub trait Vocabulary: fmt::Debug + Send + Sync {
    /// The nodes at which a proposition holds, given by its text; in any order, each once.
    ///
    /// # Errors
    /// That it is no proposition of the model, or that the budget ran out.
    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood>;

    /// The values of variables at a node: their names and what they are, in the order of their
    /// declarations.
    fn values(&self, _node: NodeId) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// Why a proposition has no nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotUnderstood {
    /// The model does not understand it.
    Proposition {
        /// What is wrong with it: begins in lower case, ends without a full stop.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The budget ran out.
    Limit(Limit),
}

impl From<Limit> for NotUnderstood {
    fn from(limit: Limit) -> Self {
        NotUnderstood::Limit(limit)
    }
}

/// A proposition that was not understood, and what is wrong with it, without a place.
pub type Misunderstood = (String, Problem);

/// The names of all propositions of claims and their fairness conditions.
pub fn propositions(claims: &Claims) -> BTreeSet<String> {
    let formulas = &claims.formulas;
    let used = claims.list().iter().flat_map(|claim| claim.property.atoms(formulas));
    let fair = claims.fair().iter().flat_map(|condition| formulas.atoms_of(condition.formula));
    used.chain(fair).map(|atom| formulas.atom_name(atom).to_owned()).collect()
}

/// Makes labels of the propositions that the vocabulary of a machine understands and that are no
/// labels of it yet. Gives all that it does not understand; the machine is left alone then.
///
/// # Errors
/// When the budget runs out.
pub fn label(
    machine: &mut Machine,
    vocabulary: &dyn Vocabulary,
    names: &BTreeSet<String>,
    budget: &Budget,
) -> Result<Vec<Misunderstood>, Limit> {
    let mut labels = Vec::new();
    let mut misunderstood = Vec::new();
    for name in names.iter().filter(|name| machine.label(name).is_none()) {
        match vocabulary.nodes(name, budget) {
            Ok(nodes) => labels.push((name.as_str(), nodes)),
            Err(NotUnderstood::Limit(limit)) => return Err(limit),
            Err(NotUnderstood::Proposition { message, hint }) => {
                let problem = Problem { hint, ..Problem::error("C006", message) };
                misunderstood.push((name.clone(), problem));
            }
        }
    }
    if misunderstood.is_empty() {
        machine.add_labels(labels);
    }
    Ok(misunderstood)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, claims, tern};

    /// Knows `first` and nothing else.
    #[derive(Debug)]
    struct First(NodeId);

    impl Vocabulary for First {
        fn nodes(&self, text: &str, _: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
            match text {
                "first" => Ok(vec![self.0]),
                _ => Err(NotUnderstood::Proposition {
                    message: format!("there is no variable `{text}`"),
                    hint: Some("write `first`".to_owned()),
                }),
            }
        }
    }

    #[test]
    fn what_is_no_label_is_asked_for() {
        let source = Source::new("m.tern", "component main { initial a {p} -> b; node b -> b; }");
        let budget = Budget::unlimited();
        let (mut machine, mut said) = tern::read(&source, &budget).expect("sound");
        let a = machine.initial()[0];
        claims::read_one(&mut said, "EF (first & p)").expect("sound");
        let found =
            label(&mut machine, &First(a), &propositions(&said), &budget).expect("no limit");
        assert_eq!(found, []);
        let first = machine.label("first").expect("it is a label now");
        assert_eq!(machine.labelled(first), [a]);

        let said_before = machine.label_count();
        claims::read_one(&mut said, "EF second").expect("sound");
        let found =
            label(&mut machine, &First(a), &propositions(&said), &budget).expect("no limit");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "second");
        assert_eq!(found[0].1.hint.as_deref(), Some("write `first`"));
        assert_eq!(machine.label_count(), said_before);
    }
}
