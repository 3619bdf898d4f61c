//! By which exits one gets out of a call: replays the derivation, and sees that nothing is missing.
//!
//! What is derived is true: each event is justified by those before it. What is not derived of a
//! start without a goal is false: the places reached are closed under the edges. A start with a
//! goal may be incomplete, because nothing more than its goal is ever asked for there.

use super::structure::is_place_of;
use super::{Scene, numbered};
use crate::Stopped;
use fixedbitset::FixedBitSet;
use std::collections::HashMap;
use tern_model::evidence::{Event, Summaries};
use tern_model::{BoxId, Edge, ExitId, Id, Machine, NodeId, Place, PlaceId};

/// Summaries that have been checked.
pub(super) struct Checked<'a> {
    scene: Scene<'a>,
    starts: &'a [(u32, NodeId)],
    /// The number of each start.
    number: HashMap<(u32, NodeId), usize>,
    known: Vec<Known>,
}

/// What is derived of a start.
struct Known {
    /// By position in the component.
    reached: FixedBitSet,
    /// By position in the component.
    exits: FixedBitSet,
    goal: bool,
}

/// The operands that paths are bound to: through p, and not beyond q.
#[derive(Clone, Copy)]
pub(super) struct Paths<'a> {
    pub(super) p: &'a [FixedBitSet],
    /// Only for `EU`.
    pub(super) q: Option<&'a [FixedBitSet]>,
}

impl Paths<'_> {
    fn goal(&self, ground: u32, position: usize) -> bool {
        self.q.is_some_and(|q| q[ground as usize].contains(position))
    }
}

impl<'a> Checked<'a> {
    /// Checks summaries.
    pub(super) fn new(
        scene: Scene<'a>,
        summaries: &'a Summaries,
        paths: Paths<'_>,
    ) -> Result<Self, Stopped> {
        let starts = &summaries.starts;
        let mut checked = Checked {
            scene,
            starts,
            number: HashMap::new(),
            known: Vec::with_capacity(starts.len()),
        };
        checked.begin()?;
        for (i, &event) in summaries.events.iter().enumerate() {
            if let Err(why) = checked.replay(event, paths) {
                let what = checked.event_name(event);
                return scene.refuse(format!("event {i}, {what}"), why);
            }
        }
        for start in 0..starts.len() {
            scene.budget.check()?;
            checked.closure(start, paths)?;
        }
        Ok(checked)
    }

    /// The start of a call made in a ground frame. There is one for every call.
    fn called(&self, ground: u32, call: BoxId, entry: NodeId) -> &Known {
        &self.known[self.number[&(self.scene.ground_link(ground, call), entry)]]
    }

    /// Whether a call reaches a goal.
    pub(super) fn has_goal(&self, ground: u32, call: BoxId, entry: NodeId) -> bool {
        self.called(ground, call, entry).goal
    }

    /// The return sites at which a call comes back, by position in the component that calls.
    pub(super) fn comes_back(
        &self,
        ground: u32,
        call: BoxId,
        entry: NodeId,
    ) -> impl Iterator<Item = usize> {
        let machine = self.scene.machine;
        let exits = &self.called(ground, call, entry).exits;
        machine
            .sites_of(call)
            .filter(|&(exit, _)| exits.contains(machine.exit_position(exit)))
            .map(|(_, site)| machine.place_position(site))
    }

    /// Each start is a sound one, there is no other for the same, and none is missing.
    fn begin(&mut self) -> Result<(), Stopped> {
        let machine = self.scene.machine;
        for (i, &(ground, entry)) in self.starts.iter().enumerate() {
            let refuse = |why: &str| self.scene.refuse(format!("start {i}"), why);
            let Some(frame) = self.scene.layer.ground.get(ground as usize) else {
                return refuse("there is no such ground frame");
            };
            if frame.ended {
                return refuse("its ground frame is of the empty stack, and so never called");
            }
            if entry.index() >= machine.node_count()
                || machine.component_of(entry) != frame.component
                || !machine.is_entry(entry)
            {
                return refuse("its node is no entry of its ground frame's component");
            }
            if self.number.insert((ground, entry), i).is_some() {
                return refuse("it is there already");
            }
            self.scene.budget.check()?;
            let mut reached = FixedBitSet::with_capacity(machine.places_of(frame.component).len());
            reached.insert(self.scene.position(entry));
            let exits = FixedBitSet::with_capacity(machine.exits_of(frame.component).len());
            self.known.push(Known { reached, exits, goal: false });
        }
        for (id, ground) in numbered(&self.scene.layer.ground).filter(|(_, g)| !g.ended) {
            for &entry in machine.entries_of(ground.component) {
                if !self.number.contains_key(&(id, entry)) {
                    let name = machine.node_name(entry);
                    let why = format!("entry {name} is no start");
                    return self.scene.refuse(self.scene.ground_name(id), why);
                }
            }
        }
        Ok(())
    }

    /// Takes an event for true, if what is known justifies it.
    fn replay(&mut self, event: Event, paths: Paths<'_>) -> Result<(), &'static str> {
        let machine = self.scene.machine;
        let (start, at) = match event {
            Event::Reach { start, from, .. } => (start as usize, from),
            Event::Leave { start, node, .. } => (start as usize, PlaceId::new(node.index())),
            Event::Goal { start, place } => (start as usize, place),
        };
        let &(ground, _) = self.starts.get(start).ok_or("there is no such start")?;
        let component = self.scene.ground(ground).component;
        if !is_place_of(machine, at, component) {
            return Err("the place is not of the start's component");
        }
        if !self.known[start].reached.contains(machine.place_position(at)) {
            return Err("the place is not reached");
        }
        let passing = self.passes(ground, at, paths);
        match event {
            Event::Reach { place, .. } => {
                if !is_place_of(machine, place, component) {
                    return Err("what is reached is not of the start's component");
                }
                if !passing {
                    return Err("the place cannot be passed");
                }
                if !self.leads(ground, at, place) {
                    return Err("the place does not lead there");
                }
                if self.known[start].reached.put(machine.place_position(place)) {
                    return Err("it is reached already");
                }
            }
            Event::Leave { node, exit, .. } => {
                if node.index() >= machine.node_count() {
                    return Err("there is no such node");
                }
                if !passing {
                    return Err("the node cannot be passed");
                }
                if !returns_by(machine.edges(node), machine, node, exit) {
                    return Err("the node does not return by that exit");
                }
                if self.known[start].exits.put(machine.exit_position(exit)) {
                    return Err("it has left by that exit already");
                }
            }
            Event::Goal { .. } => {
                let is_goal = matches!(machine.place(at), Place::Node(_))
                    && paths.goal(ground, machine.place_position(at));
                let calls_goal = passing
                    && machine.edges_at(at).iter().any(|&edge| match edge {
                        Edge::Call(call, entry) => self.has_goal(ground, call, entry),
                        Edge::Step(_) | Edge::Return(_) => false,
                    });
                if !is_goal && !calls_goal {
                    return Err("the place is no goal, and calls none");
                }
                if self.known[start].goal {
                    return Err("it has a goal already");
                }
                self.known[start].goal = true;
            }
        }
        Ok(())
    }

    /// Whether a path may go on after a place.
    fn passes(&self, ground: u32, place: PlaceId, paths: Paths<'_>) -> bool {
        match self.scene.machine.place(place) {
            Place::Site(..) => true,
            Place::Node(node) => {
                let position = self.scene.position(node);
                paths.p[ground as usize].contains(position) && !paths.goal(ground, position)
            }
        }
    }

    /// Whether a place leads to another of its frame: by a step, or by a call that is known to come
    /// back.
    ///
    /// Looks at the edges from the end that has fewer, so that checking all is not quadratic at
    /// hubs.
    fn leads(&self, ground: u32, from: PlaceId, to: PlaceId) -> bool {
        let machine = self.scene.machine;
        let edges = machine.edges_at(from);
        match machine.place(to) {
            Place::Node(node) if machine.step_sources(node).len() < edges.len() => {
                machine.step_sources(node).contains(&from)
            }
            Place::Node(node) => edges.contains(&Edge::Step(node)),
            Place::Site(call, exit) => {
                let position = machine.exit_position(exit);
                let back =
                    |entry: NodeId| self.called(ground, call, entry).exits.contains(position);
                if machine.calls_of(call).len() < edges.len() {
                    machine.calls_of(call).iter().any(|c| c.from == from && back(c.entry))
                } else {
                    edges.iter().any(|&edge| match edge {
                        Edge::Call(other, entry) => other == call && back(entry),
                        Edge::Step(_) | Edge::Return(_) => false,
                    })
                }
            }
        }
    }

    /// What is derived of a start without a goal is all there is.
    fn closure(&self, start: usize, paths: Paths<'_>) -> Result<(), Stopped> {
        let known = &self.known[start];
        if known.goal {
            return Ok(());
        }
        let machine = self.scene.machine;
        let (ground, entry) = self.starts[start];
        let places = machine.places_of(self.scene.ground(ground).component);
        for position in known.reached.ones() {
            let place = places[position];
            let refuse = |why: &str| {
                let from = machine.node_name(entry);
                let at = self.scene.place_name(place);
                let ground = self.scene.ground_name(ground);
                self.scene.refuse(format!("start {start}, entry {from} of {ground}, {at}"), why)
            };
            if matches!(machine.place(place), Place::Node(_)) && paths.goal(ground, position) {
                return refuse("a goal is reached, but not said to be");
            }
            if !self.passes(ground, place, paths) {
                continue;
            }
            for &edge in machine.edges_at(place) {
                match edge {
                    Edge::Step(node) => {
                        if !known.reached.contains(self.scene.position(node)) {
                            return refuse("a step leads to a node that is not said to be reached");
                        }
                    }
                    Edge::Call(call, entry) => {
                        if self.has_goal(ground, call, entry) {
                            return refuse("a call reaches a goal, but that is not said");
                        }
                        let mut sites = self.comes_back(ground, call, entry);
                        if !sites.all(|site| known.reached.contains(site)) {
                            return refuse("a call comes back where it is not said to");
                        }
                    }
                    Edge::Return(exit) => {
                        if !known.exits.contains(machine.exit_position(exit)) {
                            return refuse("it returns by an exit that is not said to be left by");
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn event_name(&self, event: Event) -> String {
        let name = |place| self.scene.place_name(place);
        match event {
            Event::Reach { start, place, from } => {
                format!("start {start} reaches {} from {}", name(place), name(from))
            }
            Event::Leave { start, node, exit } => {
                format!("start {start} leaves at {} by {exit:?}", name(PlaceId::new(node.index())))
            }
            Event::Goal { start, place } => format!("start {start} has a goal at {}", name(place)),
        }
    }
}

fn returns_by(edges: &[Edge], machine: &Machine, node: NodeId, exit: ExitId) -> bool {
    if exit.index() >= machine.exit_count() {
        return false;
    }
    let sources = machine.return_sources(exit);
    if sources.len() < edges.len() {
        sources.contains(&node)
    } else {
        edges.contains(&Edge::Return(exit))
    }
}
