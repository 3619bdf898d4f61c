//! LTL on machines whose stacks grow without bound, as far as a window on the stack shows it.
//!
//! Only the topmost boxes are remembered, as many as the window is wide; what is below is *cut
//! off*. While control stays in the window, the steps are those of the machine. So there are
//! finitely many states, and two structures of them:
//! * *fewer paths*: where control would return into what is cut off, the path is stuck. Paths that
//!   are never stuck are paths of the machine, those that pump included. If one violates the claim,
//!   it fails.
//! * *more paths*: there, anything may come, for ever. Each path of the machine is among these
//!   paths. If all satisfy the claim, it holds.

use std::collections::{BTreeMap, BTreeSet};
use tern_certify::oracle::finite::{self, Structure};
use tern_model::{BoxId, Edge, EndRule, Formula, FormulaId, Formulas, Machine, NodeId};

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// How many boxes are remembered.
    pub(crate) boxes: usize,
    /// How many states there may be.
    pub(crate) limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// The boxes remembered, the innermost last; whether there are more below; the node.
    At(Vec<BoxId>, bool, NodeId),
    Sink,
    /// Control has left the window. With the propositions that are true, if anything may come.
    Left(BTreeSet<String>),
}

/// The proposition of paths that are stuck.
const STUCK: &str = "stuck";

impl Window {
    /// Whether an LTL claim holds. `None` if the window is too small to tell.
    pub(crate) fn check(
        self,
        machine: &Machine,
        formulas: &mut Formulas,
        claim: FormulaId,
    ) -> Option<bool> {
        let atoms: Vec<String> =
            formulas.atoms_of(claim).iter().map(|&a| formulas.atom_name(a).to_owned()).collect();
        let anything: Vec<BTreeSet<String>> = (0..1usize << atoms.len())
            .map(|bits| {
                (0..atoms.len()).filter(|i| bits >> i & 1 == 1).map(|i| atoms[i].clone()).collect()
            })
            .collect();
        let more = self.structure(machine, &anything)?;
        if finite::check(&more, formulas, claim, 1 << 20)? {
            return Some(true);
        }
        let fewer = self.structure(machine, &[BTreeSet::from([STUCK.to_owned()])])?;
        let stuck = formulas.atom(STUCK);
        let stuck = formulas.make(Formula::Finally(stuck));
        let unless_stuck = formulas.make(Formula::Or(stuck, claim));
        (!finite::check(&fewer, formulas, unless_stuck, 1 << 20)?).then_some(false)
    }

    /// The structure in which outside the window there is one state for each of these sets.
    fn structure(self, machine: &Machine, outside: &[BTreeSet<String>]) -> Option<Structure> {
        let mut states: Vec<State> = Vec::new();
        let mut number: BTreeMap<State, usize> = BTreeMap::new();
        let mut visit = |state: State, states: &mut Vec<State>| {
            *number.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        let initial = machine
            .initial()
            .iter()
            .map(|&node| visit(State::At(Vec::new(), false, node), &mut states))
            .collect();
        let outside: Vec<State> = outside.iter().cloned().map(State::Left).collect();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < states.len() {
            if states.len() > self.limit {
                return None;
            }
            let next = self.next(machine, &states[successors.len()], &outside);
            successors.push(next.into_iter().map(|state| visit(state, &mut states)).collect());
        }
        let labels = |state: &State| match state {
            State::At(_, _, node) => machine
                .labels()
                .filter(|&(label, _)| machine.has_label(*node, label))
                .map(|(_, name)| name.to_owned())
                .collect(),
            State::Sink => BTreeSet::new(),
            State::Left(names) => names.clone(),
        };
        let labels = states.iter().map(labels).collect();
        Some(Structure::new(initial, successors, labels).expect("every state has a successor"))
    }

    fn next(self, machine: &Machine, state: &State, outside: &[State]) -> Vec<State> {
        let State::At(stack, cut, node) = state else {
            return if *state == State::Sink { vec![State::Sink] } else { outside.to_vec() };
        };
        // Goes along a step or call.
        let go = |stack: &[BoxId], edge: Edge| match edge {
            Edge::Step(to) => State::At(stack.to_vec(), *cut, to),
            Edge::Call(call, entry) => {
                let mut stack = stack.to_vec();
                stack.push(call);
                let surplus = stack.len().saturating_sub(self.boxes);
                State::At(stack.split_off(surplus), *cut || surplus > 0, entry)
            }
            Edge::Return(_) => unreachable!("looked at below"),
        };
        let mut next = Vec::new();
        for &edge in machine.edges(*node) {
            match (edge, stack.split_last()) {
                (Edge::Return(exit), Some((&top, below))) => {
                    if let Some(site) = machine.site(top, exit) {
                        next.extend(machine.edges_at(site).iter().map(|&edge| go(below, edge)));
                    }
                }
                (Edge::Return(_), None) if *cut => next.extend_from_slice(outside),
                (Edge::Return(_), None) => next.push(match machine.end_rule() {
                    EndRule::Loop => state.clone(),
                    EndRule::Sink => State::Sink,
                }),
                _ => next.push(go(stack, edge)),
            }
        }
        if next.is_empty() { vec![state.clone()] } else { next }
    }
}
