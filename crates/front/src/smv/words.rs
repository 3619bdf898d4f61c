//! What knows where propositions hold in the machine of an SMV text, and the values in its states.
//!
//! A proposition is any condition over the variables and definitions of `main`. In a program with
//! calls it is about the module in which the program begins, unless it names another: `bar.x = 1`.

use super::explore::{States, Stopped};
use super::flat::{Flat, InstanceId, show_value};
use super::labels::{AskedId, where_true};
use super::parser::parse_expression;
use super::program::Part;
use super::spec::{Proposition, Propositions};
use super::syntax::{Expr, Whole};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::vocabulary::{NotUnderstood, Vocabulary};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, NodeId};

/// What knows more propositions than the machine has labels.
pub(super) struct Words {
    /// Behind a lock: to understand a proposition is to add terms.
    flat: Mutex<Flat>,
    roots: Vec<InstanceId>,
    spaces: Vec<States>,
    propositions: Propositions,
    nodes: Vec<Vec<Option<NodeId>>>,
    /// By node, its part and state.
    states: Vec<(u32, u32)>,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").field("states", &self.states.len()).finish_non_exhaustive()
    }
}

impl Words {
    pub(super) fn new(
        flat: Flat,
        parts: &[Part],
        spaces: Vec<States>,
        propositions: Propositions,
        nodes: Vec<Vec<Option<NodeId>>>,
    ) -> Self {
        let count = nodes.iter().flatten().flatten().count();
        let mut states = vec![(0, 0); count];
        for (part, of_part) in nodes.iter().enumerate() {
            for (state, node) in of_part.iter().enumerate() {
                if let Some(node) = node {
                    // Nodes are counted in 32 bits.
                    states[node.index()] = (part as u32, state as u32);
                }
            }
        }
        let roots = parts.iter().map(|part| part.root).collect();
        Words { flat: Mutex::new(flat), roots, spaces, propositions, nodes, states }
    }

    /// The nodes at which a proposition holds.
    fn holding(
        &self,
        flat: &Flat,
        meaning: &[Proposition],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<NodeId>, NotUnderstood> {
        let mut found = Vec::new();
        for proposition in meaning {
            let Some(part) = self.roots.iter().position(|&root| root == proposition.root) else {
                continue;
            };
            let states = where_true(flat, &self.spaces[part], &[proposition.term], meter);
            let states = states.map_err(|stopped| match stopped {
                Stopped::Limit(limit) => NotUnderstood::Limit(limit),
                Stopped::Fault(fault, ..) => {
                    let (message, hint) = fault.words();
                    not_understood(message.to_owned(), Some(hint.to_owned()))
                }
                Stopped::Range { .. } | Stopped::TooMany => {
                    not_understood("it has no value in some state".to_owned(), None)
                }
            })?;
            let states = states.of(AskedId::new(0)).into_iter();
            found.extend(states.filter_map(|state| self.nodes[part][state.index()]));
        }
        Ok(found)
    }

    /// What a text means.
    fn meaning(
        &self,
        flat: &mut Flat,
        text: &str,
        meter: &mut Meter<'_>,
    ) -> Result<Proposition, NotUnderstood> {
        let mut problems = Collector::default();
        let known = std::mem::take(&mut flat.text);
        let mut parsing = Meter::new(meter.budget());
        let (known, read) = parse_expression(text, known, &mut parsing, &mut problems);
        flat.text = known;
        flat.forget_places();
        let read = match read {
            Ok(whole) => Some(whole),
            Err(super::parser::Skip::Limit(limit)) => return Err(limit.into()),
            Err(super::parser::Skip::Statement) => None,
        };
        if let Some(whole) = read {
            let root = self.root(flat, whole);
            let term = flat.condition(whole, root, false, meter)?;
            let span = flat.text.span(whole);
            if let Some(term) = term.filter(|&term| flat.is_simple(term, span)) {
                return Ok(Proposition { root, term });
            }
            problems = std::mem::take(&mut flat.problems);
        }
        let first = problems.finish("S099").err().and_then(|list| list.into_iter().next());
        Err(match first {
            Some(Problem { message, hint, .. }) => not_understood(message, hint),
            None => not_understood("this is no condition".to_owned(), None),
        })
    }

    /// The module that a proposition is about.
    fn root(&self, flat: &Flat, whole: Whole) -> InstanceId {
        let named = flat.text.rows_of(whole).find_map(|row| {
            let Expr::Dot(of, _) = flat.text.rows[row].expr else { return None };
            let Expr::Name(name) = flat.text.rows[of].expr else { return None };
            self.roots.iter().copied().find(|&root| {
                let module = flat.instances[root].module;
                flat.has_calls && flat.text.modules[module].name == name
            })
        });
        named.unwrap_or(self.roots[0])
    }
}

fn not_understood(message: String, hint: Option<String>) -> NotUnderstood {
    NotUnderstood::Proposition { message, hint }
}

impl Vocabulary for Words {
    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let mut meter = Meter::new(budget);
        let mut flat = self.flat.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(meaning) = self.propositions.find(text) {
            return self.holding(&flat, meaning, &mut meter);
        }
        let meaning = self.meaning(&mut flat, text, &mut meter)?;
        self.holding(&flat, &[meaning], &mut meter)
    }

    fn values(&self, node: NodeId) -> Vec<(String, String)> {
        let flat = self.flat.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(&(part, state)) = self.states.get(node.index()) else { return Vec::new() };
        let values = self.spaces[part as usize].values(&flat.domains, state as usize);
        let shown = |value| show_value(&flat.text, value);
        values.map(|(var, value)| (flat.vars[var].name.clone(), shown(value))).collect()
    }
}
