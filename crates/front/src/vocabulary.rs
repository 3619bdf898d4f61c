//! Propositions that are more than labels: comparisons of variables, events of programs.
//!
//! A claim may say `x = 1` or `call("*.close")`. Most models only have labels, and such a
//! proposition is then a label of that name. A format whose models know more gives a [`Vocabulary`]
//! beside the machine. It is asked once for each proposition of the claims that is no label; what
//! it answers becomes a label of the machine, so that engines, certifier and reports see labels
//! only. What it does not understand is an error at the place of the proposition.

use crate::problem::Problem;
use crate::stack::{self, Tracked};
use std::collections::BTreeSet;
use std::fmt;
use tern_model::index::{Id, Lists};
use tern_model::{Budget, Claims, Limit, Machine, NodeId, Start};

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

    /// The model as two formulas, the initial states and the transition relation, as text.
    ///
    /// # Errors
    /// Why there are none.
    fn formulas(&self) -> Result<String, String> {
        Err("models of this format are not translated to formulas".to_owned())
    }

    /// Whether propositions that are no labels are to be asked for.
    fn knows_more(&self) -> bool {
        true
    }

    /// What properties of the stack call the components, by component; their own names if it does
    /// not say.
    fn component_names(&self) -> Option<&[String]> {
        None
    }
}

/// The vocabulary of a machine some of whose components were copied to track the stack.
#[derive(Debug)]
struct Copied {
    /// That of the original, if it has one.
    inner: Option<Box<dyn Vocabulary>>,
    /// The node of the original that each node is a copy of, and the copies of each.
    original: Vec<NodeId>,
    copies: Lists<NodeId, NodeId>,
    /// The names of components before they were copied.
    component_names: Vec<String>,
}

impl Vocabulary for Copied {
    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let Some(inner) = &self.inner else { return Ok(Vec::new()) };
        let nodes = inner.nodes(text, budget)?;
        // What was never reached has no copies.
        let of = |node: NodeId| match node.index() < self.copies.len() {
            true => self.copies.of(node),
            false => &[],
        };
        Ok(nodes.into_iter().flat_map(|node| of(node).iter().copied()).collect())
    }

    fn values(&self, node: NodeId) -> Vec<(String, String)> {
        let inner = self.inner.as_ref();
        inner.map(|it| it.values(self.original[node.index()])).unwrap_or_default()
    }

    fn knows_more(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.knows_more())
    }

    fn component_names(&self) -> Option<&[String]> {
        Some(&self.component_names)
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
    let fair = claims.fair().iter().flat_map(|condition| condition.fairness.formulas());
    let fair = fair.flat_map(|formula| formulas.atoms_of(formula));
    used.chain(fair).map(|atom| formulas.atom_name(atom).to_owned()).collect()
}

/// Whether a proposition speaks of the stack.
pub fn is_of_stack(name: &str) -> bool {
    stack::is_property(name)
}

/// Whether some claim begins elsewhere than at the initial nodes.
pub fn begins_elsewhere(claims: &Claims) -> bool {
    claims.list().iter().any(|claim| claim.start != Start::Initial)
}

/// Makes labels of the propositions that the vocabulary of a machine understands and that are no
/// labels of it yet, and of properties of the stack, for which components may be copied: nodes are
/// then others, and so claims must not begin elsewhere than at initial nodes. Gives all that is not
/// understood; the machine is not copied then.
///
/// # Errors
/// When the budget runs out.
pub fn label(
    machine: &mut Machine,
    vocabulary: &mut Option<Box<dyn Vocabulary>>,
    names: &BTreeSet<String>,
    begins_elsewhere: bool,
    budget: &Budget,
) -> Result<Vec<Misunderstood>, Limit> {
    let mut labels = Vec::new();
    let mut misunderstood = Vec::new();
    let is_asked = vocabulary.as_ref().is_some_and(|words| words.knows_more());
    if let Some(words) = vocabulary.as_ref().filter(|words| words.knows_more()) {
        let is_new = |name: &&String| machine.label(name).is_none() && !stack::is_property(name);
        for name in names.iter().filter(is_new) {
            match words.nodes(name, budget) {
                Ok(nodes) => labels.push((name.as_str(), nodes)),
                Err(NotUnderstood::Limit(limit)) => return Err(limit),
                Err(NotUnderstood::Proposition { message, hint }) => {
                    let problem = Problem { hint, ..Problem::error("C006", message) };
                    misunderstood.push((name.clone(), problem));
                }
            }
        }
    }
    if !labels.is_empty() && misunderstood.is_empty() {
        machine.add_labels(labels);
    }
    let own = vocabulary.as_ref().and_then(|words| words.component_names());
    let components: Vec<&str> = match own {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => machine.components().map(|it| machine.component_name(it)).collect(),
    };
    let tracked = match stack::track(machine, &components, names, is_asked, budget)? {
        Ok(Some(_)) if begins_elsewhere => {
            let properties = names.iter().filter(|name| stack::is_property(name));
            misunderstood.extend(properties.map(|name| {
                let message = "a claim that begins elsewhere than the machine, \
                               and a property of the stack";
                let hint = "check claims that begin elsewhere in a run of their own";
                (name.clone(), Problem::error("C006", message).hint(hint))
            }));
            None
        }
        Ok(tracked) => tracked,
        Err(wrong) => {
            misunderstood.extend(wrong);
            None
        }
    };
    if let Some(Tracked { machine: copy, original, component_names }) = tracked
        && misunderstood.is_empty()
    {
        let pairs = original.iter().enumerate().map(|(new, &old)| (old, NodeId::new(new)));
        let copies = Lists::gather(machine.node_count(), pairs);
        let inner = vocabulary.take();
        *vocabulary = Some(Box::new(Copied { inner, original, copies, component_names }));
        *machine = copy;
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
        let mut words: Option<Box<dyn Vocabulary>> = Some(Box::new(First(a)));
        let found = label(&mut machine, &mut words, &propositions(&said), false, &budget);
        let found = found.expect("no limit");
        assert_eq!(found, []);
        let first = machine.label("first").expect("it is a label now");
        assert_eq!(machine.labelled(first), [a]);

        let said_before = machine.label_count();
        claims::read_one(&mut said, "EF second").expect("sound");
        let found = label(&mut machine, &mut words, &propositions(&said), false, &budget);
        let found = found.expect("no limit");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "second");
        assert_eq!(found[0].1.hint.as_deref(), Some("write `first`"));
        assert_eq!(machine.label_count(), said_before);
    }
}
