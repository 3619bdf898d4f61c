//! Nodes: at a point there are a few, which differ in what is known; more are joined.

use super::flow::Live;
use super::replay::Seen;
use super::{Component, ComponentId, Edge, Explored, Flow, Node};
use crate::state::{Slot, State};
use crate::values::{Key, ObjectId, Value};
use tern_ir::{BlockId, ProcId};
use tern_model::Tri;
use tern_model::index::Id;

/// The most nodes at a point that differ in something.
pub(super) const MOST_STATES: usize = 16;
/// How often a loop is gone round before numbers are joined.
pub(super) const MOST_ROUNDS: usize = 2;
/// From so many nodes at a point on, nothing is known there, nor of objects that rules are about.
const MOST_NODES: usize = 64;

impl Explored<'_, '_> {
    /// Goes on at a point with facts: finds or makes the node; a replay only sees the step.
    pub(crate) fn go(
        &mut self,
        component: ComponentId,
        from: usize,
        to: (BlockId, u32),
        mut state: State,
        via: Option<(ComponentId, usize)>,
    ) -> Option<usize> {
        let procedure = self.components[component].procedure;
        let flow: &Flow = self.flow(procedure);
        if let Some(live) = flow.live(to) {
            let is_back = to.1 == 0
                && flow.heads[to.0.index()]
                && self.components[component].nodes[from].block >= to.0;
            self.trim(procedure, live, to.0, &mut state, is_back);
        }
        if let Some(seen) = &mut self.replay {
            seen.push(Seen { to, state, via });
            return None;
        }
        let kept = self.kept.of(procedure);
        let own = &mut self.components[component];
        let known: &[usize] = own.at.get(&to).map_or(&[], Vec::as_slice);
        let marks = state.marks();
        let is_equal = |&node: &usize| {
            let other = &own.nodes[node];
            other.marks.0 == marks.0 && other.state == state
        };
        let equal = known.iter().copied().find(is_equal);
        let is_dropped = known.len() >= MOST_NODES;
        let node = match equal {
            Some(node) => Ok(node),
            None => {
                let is_head = to.1 == 0 && flow.heads[to.0.index()];
                joined(own, known, &state, marks.1, is_head, &flow.thresholds, kept)
            }
        };
        let (node, is_new) = match node {
            Ok(node) => {
                own.is_joined |= equal.is_none() && own.nodes[node].state != state;
                (node, false)
            }
            Err(made) => {
                let (made, marks) = match made {
                    Some((made, marks)) => {
                        own.is_joined |= made != state;
                        (made, marks)
                    }
                    None => (state, marks),
                };
                let ((block, at), from) = (to, Some(from));
                own.nodes.push(Node { block, at, state: made, from, marks, is_dropped });
                let node = own.nodes.len() - 1;
                own.at.entry(to).or_default().push(node);
                (node, true)
            }
        };
        let edge = Edge { from, to: node, via };
        if own.edge_known.insert(edge) {
            own.edges.push(edge);
        }
        if is_new {
            self.work.push_back((component, node));
        }
        Some(node)
    }

    /// Drops what is not needed any more at a point of a block where it is known what is live.
    fn trim(
        &self,
        procedure: ProcId,
        live: Live,
        block: BlockId,
        state: &mut State,
        is_back: bool,
    ) {
        let (flow, parameters) = (self.flow(procedure), self.body(procedure).parameters);
        state.retain_decisions(flow.agains.later(block));
        if is_back {
            state.retain_decisions(flow.agains.with_fields(|field| self.world.is_fixed(field)));
        }
        state.retain(|slot, value| match slot {
            Slot::Local(variable) => {
                live.has(variable)
                    || flow.tells_parameters && variable.index() < parameters && {
                        let own = Key::Parameter(variable.index() as u32);
                        value.object().is_some_and(|it| self.objects[it] == own)
                            || matches!(value, Value::Null(_))
                    }
            }
            // Another thread, or an earlier round, may have written it.
            Slot::Static(field) | Slot::Field(_, field) => !is_back || self.world.is_fixed(field),
            Slot::Answer(receiver, number) => {
                let is_given = |it: ObjectId| matches!(self.objects[it], Key::Parameter(_));
                let is_found = value.is_null() == Tri::False && flow.asked.is_steady(number);
                let stays = !is_back || is_found && receiver.is_some_and(is_given);
                stays && flow.asked.is_later(block, number)
            }
        });
        let is_outside = |object: ObjectId| !matches!(self.objects[object], Key::At(_));
        let is_inside =
            |(slot, _): &(Slot, Value)| matches!(slot, Slot::Field(it, _) if !is_outside(*it));
        let has_inside = state.slots().iter().any(is_inside);
        if !has_inside && state.tracks().is_empty() {
            return;
        }
        let held: Vec<ObjectId> = state.slots().iter().filter_map(|(_, it)| it.object()).collect();
        if has_inside {
            state.retain(|slot, _| match slot {
                Slot::Field(object, _) => is_outside(object) || held.contains(&object),
                _ => true,
            });
        }
        state.retain_tracks(|track| {
            is_outside(track.object) || !track.stages.is_empty() || held.contains(&track.object)
        });
    }
}

/// A state with the numbers of its facts.
type Marked = (State, (u64, u64));

/// The node that a state is joined with, or the state of a new node; none if it stays as it is.
fn joined(
    component: &Component,
    known: &[usize],
    state: &State,
    shape: u64,
    is_head: bool,
    thresholds: &[i64],
    kept: &[Slot],
) -> Result<usize, Option<Marked>> {
    if known.len() >= MOST_NODES {
        // Nodes that are added from here on know nothing of all that was before: the last will do.
        let first = if known.len() == MOST_NODES { 0 } else { known.len() - 1 };
        let others = known[first..].iter().map(|&node| &component.nodes[node].state);
        let nothing = State::unknown(others.chain([state]));
        let found = known.iter().copied().find(|&node| component.nodes[node].state == nothing);
        let marks = nothing.marks();
        return found.ok_or(Some((nothing, marks)));
    }
    let keeps = |node: usize| {
        let other = &component.nodes[node].state;
        kept.iter().all(|&slot| other.get(slot) == state.get(slot))
    };
    let alike = |node: &usize| {
        let other = &component.nodes[*node];
        other.marks.1 == shape && other.state.is_alike(state) && keeps(*node)
    };
    let mut rounds = 0;
    let last = match is_head {
        true => known.iter().copied().filter(alike).inspect(|_| rounds += 1).last(),
        false => None,
    };
    let partner = if rounds > MOST_ROUNDS {
        last
    } else if known.len() >= MOST_STATES {
        let same =
            |node: &&usize| component.nodes[**node].state.has_same_stages(state) && keeps(**node);
        // What is null, and what is which object, is worth more than numbers.
        let close = |node: &&usize| alike(node);
        known.iter().rev().find(close).or_else(|| known.iter().rev().find(same)).copied()
    } else {
        None
    };
    let Some(partner) = partner else { return Err(None) };
    let other = &component.nodes[partner].state;
    let both = other.join(state, |a, b| a.widen(b, thresholds));
    match both == *other {
        true => Ok(partner),
        false => {
            let marks = both.marks();
            let is_equal = |&node: &usize| {
                let own = &component.nodes[node];
                own.marks.0 == marks.0 && own.state == both
            };
            let equal = known.iter().copied().find(is_equal);
            equal.ok_or(Some((both, marks)))
        }
    }
}
