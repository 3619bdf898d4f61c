//! Bounded unfolding: a machine as the plain graph of its configurations, up to a stack depth.
//!
//! The configurations (stack, node) that are reachable from the initial ones are written down one
//! by one, with their steps as the header of [`machine`](tern_model::machine) lists them. Where a
//! step would lead to a stack deeper than the bound, or to more configurations than allowed, it
//! leads to one state *beyond* instead, of which nothing is known.
//!
//! Formulas are then evaluated in Kleene's logic, every operator by its own expansion law, which
//! holds because every state has a successor (`Q` is `E` or `A`):
//! ```text
//! Q F f     = f | QX (itself)            Q G f     = f & QX (itself)
//! Q[f U g]  = g | (f & QX (itself))      Q[f W g]  = g | (f & QX (itself))
//! Q[f M g]  = g & (f | QX (itself))      Q[f R g]  = g & (f | QX (itself))
//! ```
//! The operators on the left promise that something happens and are the least solution, those on
//! the right the greatest. No operator is reduced to another.
//!
//! # Why a known answer is right
//! Every law is monotone in its operands. Twice we solve it: once with every unknown operand, and
//! the state beyond, counted as false, once as true. The truth lies between, whatever goes on
//! beyond: the steps that are kept are the real ones, and each state that is really there instead
//! of the one beyond has a value between false and true. Where both solutions agree, that is the
//! truth. Where no step leads beyond, they agree everywhere and the oracle is exact.

use crate::oracle::fragment::{Path, State, state_formulas};
use std::collections::BTreeMap;
use tern_model::{BoxId, Edge, EndRule, FormulaId, Formulas, Machine, NodeId, Tri};

/// Whether a formula holds in all initial configurations, looking at stacks of at most `depth`
/// boxes and at no more than `max_configurations`. `None` if the formula is not CTL.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    formula: FormulaId,
    depth: usize,
    max_configurations: usize,
) -> Option<Tri> {
    let states = state_formulas(formulas, formula)?;
    let graph = Graph::unfold(machine, depth, max_configurations);
    let values = graph.evaluate(machine, formulas, &states);
    Some(graph.initial.iter().fold(Tri::True, |all, &i| all & values[i]))
}

/// The value of a formula at every configuration that was built, with its stack (the innermost
/// call last). `None` if the formula is not CTL.
pub fn label(
    machine: &Machine,
    formulas: &Formulas,
    formula: FormulaId,
    depth: usize,
    max_configurations: usize,
) -> Option<Vec<(Vec<BoxId>, NodeId, Tri)>> {
    let states = state_formulas(formulas, formula)?;
    let graph = Graph::unfold(machine, depth, max_configurations);
    let values = graph.evaluate(machine, formulas, &states);
    let labelled = graph.configurations.into_iter().zip(values);
    Some(labelled.map(|((stack, node), value)| (stack, node, value)).collect())
}

type Configuration = (Vec<BoxId>, NodeId);

/// The configurations that were built; in every table two states follow them, sink and beyond.
struct Graph {
    configurations: Vec<Configuration>,
    initial: Vec<usize>,
    /// Of each state; never empty.
    successors: Vec<Vec<usize>>,
    sink: usize,
    beyond: usize,
}

/// Where a step leads.
pub(crate) enum Target {
    Configuration(Configuration),
    Sink,
}

impl Graph {
    fn unfold(machine: &Machine, depth: usize, max_configurations: usize) -> Graph {
        // Numbered in the order of discovery; a configuration that is not let in has no number.
        let mut number: BTreeMap<Configuration, usize> = BTreeMap::new();
        let mut configurations: Vec<Configuration> = Vec::new();
        let mut visit = |to: Configuration, configurations: &mut Vec<Configuration>| {
            if let Some(&known) = number.get(&to) {
                return Some(known);
            }
            if to.0.len() > depth || configurations.len() >= max_configurations {
                return None;
            }
            number.insert(to.clone(), configurations.len());
            configurations.push(to);
            Some(configurations.len() - 1)
        };
        let initial: Vec<Option<usize>> = machine
            .initial()
            .iter()
            .map(|&node| visit((Vec::new(), node), &mut configurations))
            .collect();

        #[derive(Clone, Copy)]
        enum To {
            Number(usize),
            Sink,
            Beyond,
        }
        let mut steps_of: Vec<Vec<To>> = Vec::new();
        while steps_of.len() < configurations.len() {
            let (stack, node) = configurations[steps_of.len()].clone();
            let steps = steps(machine, &stack, node).into_iter().map(|target| match target {
                Target::Sink => To::Sink,
                Target::Configuration(to) => {
                    visit(to, &mut configurations).map_or(To::Beyond, To::Number)
                }
            });
            steps_of.push(steps.collect());
        }

        let (sink, beyond) = (configurations.len(), configurations.len() + 1);
        let resolve = |to: &To| match *to {
            To::Number(i) => i,
            To::Sink => sink,
            To::Beyond => beyond,
        };
        let mut successors: Vec<Vec<usize>> =
            steps_of.iter().map(|steps| steps.iter().map(resolve).collect()).collect();
        successors.push(vec![sink]);
        successors.push(vec![beyond]);
        let initial = initial.into_iter().map(|i| i.unwrap_or(beyond)).collect();
        Graph { configurations, initial, successors, sink, beyond }
    }

    /// The value of the last of the state formulas in every state.
    fn evaluate(&self, machine: &Machine, formulas: &Formulas, states: &[State]) -> Vec<Tri> {
        let mut values: Vec<Vec<Tri>> = Vec::new();
        for &state in states {
            let each = |value: &dyn Fn(usize) -> Tri| -> Vec<Tri> {
                (0..self.successors.len()).map(value).collect()
            };
            let implies = |i: usize, f: usize, g: usize| !values[f][i] | values[g][i];
            let same = |i: usize, f: usize, g: usize| implies(i, f, g) & implies(i, g, f);
            let row = match state {
                State::Constant(value) => each(&|_| value.into()),
                State::Atom(atom) => {
                    let label = machine.label(formulas.atom_name(atom));
                    each(&|i| match self.configurations.get(i) {
                        Some(&(_, node)) => {
                            label.is_some_and(|label| machine.has_label(node, label)).into()
                        }
                        None if i == self.sink => Tri::False,
                        None => Tri::Unknown,
                    })
                }
                State::Not(f) => each(&|i| !values[f][i]),
                State::And(f, g) => each(&|i| values[f][i] & values[g][i]),
                State::Or(f, g) => each(&|i| values[f][i] | values[g][i]),
                State::Implies(f, g) => each(&|i| implies(i, f, g)),
                State::Iff(f, g) => each(&|i| same(i, f, g)),
                State::Xor(f, g) => each(&|i| !same(i, f, g)),
                State::Exists(path) => self.quantified(&values, path, |successors, holds| {
                    successors.iter().any(|&j| holds[j])
                }),
                State::All(path) => self.quantified(&values, path, |successors, holds| {
                    successors.iter().all(|&j| holds[j])
                }),
            };
            values.push(row);
        }
        values.pop().expect("a claim has at least one state formula")
    }

    /// The value of a quantified operator in every state: what both solutions agree on.
    fn quantified(
        &self,
        values: &[Vec<Tri>],
        path: Path,
        next: fn(&[usize], &[bool]) -> bool,
    ) -> Vec<Tri> {
        let pessimistic = self.solve(path, next, false, |f, i| values[f][i] == Tri::True);
        let optimistic = self.solve(path, next, true, |f, i| values[f][i] != Tri::False);
        pessimistic
            .into_iter()
            .zip(optimistic)
            .map(|bounds| match bounds {
                (true, true) => Tri::True,
                (false, false) => Tri::False,
                (false, true) => Tri::Unknown,
                (true, false) => unreachable!("the laws are monotone"),
            })
            .collect()
    }

    /// Solves the law of an operator, by going round until nothing changes.
    fn solve(
        &self,
        path: Path,
        next: fn(&[usize], &[bool]) -> bool,
        beyond: bool,
        operand: impl Fn(usize, usize) -> bool,
    ) -> Vec<bool> {
        let start = match path {
            Path::F(_) | Path::U(..) | Path::M(..) => false,
            Path::G(_) | Path::R(..) | Path::W(..) => true,
            Path::X(f) => {
                // No recursion: one look at the operand will do.
                let now: Vec<bool> = (0..self.successors.len()).map(|i| operand(f, i)).collect();
                let mut holds: Vec<bool> =
                    self.successors.iter().map(|successors| next(successors, &now)).collect();
                holds[self.beyond] = beyond;
                return holds;
            }
        };
        let mut holds = vec![start; self.successors.len()];
        holds[self.beyond] = beyond;
        loop {
            let mut stable = true;
            // Backwards, because values travel from successors and most of those come later.
            for i in (0..self.beyond).rev() {
                let soon = next(&self.successors[i], &holds);
                let value = match path {
                    Path::F(f) => operand(f, i) || soon,
                    Path::G(f) => operand(f, i) && soon,
                    Path::U(f, g) | Path::W(f, g) => operand(g, i) || operand(f, i) && soon,
                    Path::R(f, g) | Path::M(f, g) => operand(g, i) && (operand(f, i) || soon),
                    Path::X(_) => unreachable!("answered above"),
                };
                stable &= value == holds[i];
                holds[i] = value;
            }
            if stable {
                return holds;
            }
        }
    }
}

/// The steps of a configuration, in the order of the rules of a machine. A dead end stutters.
pub(crate) fn steps(machine: &Machine, stack: &[BoxId], node: NodeId) -> Vec<Target> {
    let mut targets = Vec::new();
    let push = |stack: &[BoxId], call: BoxId| -> Vec<BoxId> {
        stack.iter().copied().chain([call]).collect()
    };
    for &edge in machine.edges(node) {
        match edge {
            Edge::Step(to) => targets.push(Target::Configuration((stack.to_vec(), to))),
            Edge::Call(call, entry) => {
                targets.push(Target::Configuration((push(stack, call), entry)));
            }
            Edge::Return(exit) => match stack.split_last() {
                None => targets.push(match machine.end_rule() {
                    EndRule::Loop => Target::Configuration((Vec::new(), node)),
                    EndRule::Sink => Target::Sink,
                }),
                Some((&top, below)) => {
                    let onwards = machine.site(top, exit).map_or(&[][..], |s| machine.edges_at(s));
                    for &edge in onwards {
                        targets.push(Target::Configuration(match edge {
                            Edge::Step(to) => (below.to_vec(), to),
                            Edge::Call(call, entry) => (push(below, call), entry),
                            Edge::Return(_) => unreachable!("return sites do not return"),
                        }));
                    }
                }
            },
        }
    }
    if targets.is_empty() {
        targets.push(Target::Configuration((stack.to_vec(), node)));
    }
    targets
}
