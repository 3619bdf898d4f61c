//! Summaries, found from the exits: which places lead to an exit, on a path within given nodes?
//!
//! The search forward ([`crate::ground::summary`]) visits places once for each start. Here they are
//! visited once for each *target*: an exit of their frame, or a goal. A component with thousands of
//! entries has few exits as a rule, and the other way round; whichever is less is done.
//!
//! A target of a frame is known of a place if a path through allowed nodes leads there. It is
//! passed on to the places before: over a step; and from a return site to those places that make
//! the call, if the exit of the site is known of the entry that is called. What becomes known of an
//! entry wakes all that call it.
//!
//! # Why it ends
//! Each target becomes known once of each place.

use crate::ground::bits;
use crate::ground::ids::{ExitPos, FrameId, PlacePos, Positions, StartId};
use crate::ground::summary::{Ground, Summaries, Visit};
use tern_model::budget::Meter;
use tern_model::index::{Lists, Table};
use tern_model::{BoxId, Id, Limit, Place, PlaceId};

/// Whether there are fewer pairs of places and targets than pairs of starts and places.
pub(crate) fn is_less(ground: &impl Ground) -> bool {
    let machine = ground.machine();
    let places = |frame| machine.places_of(ground.component(frame)).len();
    let forward: usize = starts(ground).map(|start| places(ground.frame_of(start))).sum();
    let targets = |frame| machine.exits_of(ground.component(frame)).len() + 1;
    let backward: usize = frames(ground).map(|frame| targets(frame) * places(frame)).sum();
    backward < forward
}

fn starts<G: Ground>(ground: &G) -> impl Iterator<Item = StartId> + use<G> {
    (0..ground.start_count()).map(StartId::new)
}

fn frames<G: Ground>(ground: &G) -> impl Iterator<Item = FrameId> + use<G> {
    (0..ground.frame_count()).map(FrameId::new)
}

/// What all starts reach.
pub(crate) fn summaries(ground: &impl Ground, meter: &mut Meter<'_>) -> Result<Summaries, Limit> {
    let mut search = Search::new(ground, meter)?;
    search.run(meter)?;
    let mut goal = Table::new();
    let mut exits = Table::new();
    for start in starts(ground) {
        meter.tick()?;
        let count = search.exit_count(ground.frame_of(start));
        goal.push(search.start_reaches(start, Target::Goal));
        let mut row: Box<[u64]> = Box::default();
        for exit in (0..count).map(ExitPos::new) {
            if search.start_reaches(start, Target::Exit(exit)) {
                if row.is_empty() {
                    row = vec![0; bits::words_for(count)].into();
                }
                bits::insert(&mut row, exit);
            }
        }
        exits.push(row);
    }
    Ok(Summaries::known(goal, exits, search.edges_seen))
}

/// What places of a frame may lead to.
#[derive(Clone, Copy)]
enum Target {
    Exit(ExitPos),
    Goal,
}

struct Search<'g, G> {
    ground: &'g G,
    /// For each frame: for each of its exits, and last for goals, a row over its places.
    rows: Table<FrameId, Vec<Box<[u64]>>>,
    /// Who calls a start: a frame, a box, and the place that calls.
    callers: Lists<StartId, (FrameId, BoxId, PlaceId)>,
    /// What has become known and was not passed on.
    found: Vec<(FrameId, Target, PlaceId)>,
    edges_seen: u64,
}

impl<'g, G: Ground> Search<'g, G> {
    fn new(ground: &'g G, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let machine = ground.machine();
        let mut rows = Table::new();
        for frame in frames(ground) {
            meter.tick()?;
            let comp = ground.component(frame);
            let words = bits::words_for(machine.places_of(comp).len());
            let targets = machine.exits_of(comp).len() + 1;
            meter.budget().check_room_for((targets * words) as u64 * 8)?;
            rows.push(vec![vec![0; words].into_boxed_slice(); targets]);
        }
        let mut calls = Vec::new();
        for frame in frames(ground) {
            for &call in machine.boxes_of(ground.component(frame)) {
                for edge in machine.calls_of(call) {
                    meter.tick()?;
                    let start = ground.called(frame, call, edge.entry);
                    calls.extend(start.map(|start| (start, (frame, call, edge.from))));
                }
            }
        }
        let callers = Lists::group(ground.start_count(), &calls);
        Ok(Search { ground, rows, callers, found: Vec::new(), edges_seen: 0 })
    }

    fn exit_count(&self, frame: FrameId) -> usize {
        self.rows[frame].len() - 1
    }

    fn row(&self, frame: FrameId, target: Target) -> usize {
        match target {
            Target::Exit(exit) => exit.index(),
            Target::Goal => self.exit_count(frame),
        }
    }

    fn is_known(&self, frame: FrameId, target: Target, position: PlacePos) -> bool {
        bits::get(&self.rows[frame][self.row(frame, target)], position)
    }

    fn start_reaches(&self, start: StartId, target: Target) -> bool {
        let entry = self.ground.machine().node_pos(self.ground.node(start));
        self.is_known(self.ground.frame_of(start), target, entry)
    }

    fn insert(&mut self, frame: FrameId, target: Target, place: PlaceId) {
        let position = self.ground.machine().place_pos(place);
        let row = self.row(frame, target);
        if bits::insert(&mut self.rows[frame][row], position) {
            self.found.push((frame, target, place));
        }
    }

    /// A target is known of what follows a place: so it is of the place, unless that is a node at
    /// which paths end.
    fn add(&mut self, frame: FrameId, target: Target, place: PlaceId) {
        self.edges_seen += 1;
        let passes = match self.ground.machine().place(place) {
            Place::Node(node) => self.ground.visit(frame, node) == Visit::Pass,
            Place::Site(..) => true,
        };
        if passes {
            self.insert(frame, target, place);
        }
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = self.ground.machine();
        for frame in frames(self.ground) {
            let comp = self.ground.component(frame);
            for &exit in machine.exits_of(comp) {
                for &node in machine.return_sources(exit) {
                    meter.tick()?;
                    let target = Target::Exit(machine.exit_pos(exit));
                    self.add(frame, target, machine.node_place(node));
                }
            }
            for node in machine.nodes_of(comp) {
                meter.tick()?;
                if self.ground.visit(frame, node) == Visit::Goal {
                    self.insert(frame, Target::Goal, machine.node_place(node));
                }
            }
            self.pass_on(meter)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = self.ground.machine();
        while let Some((frame, target, place)) = self.found.pop() {
            meter.tick()?;
            match machine.place(place) {
                Place::Node(node) => {
                    for &source in machine.step_sources(node) {
                        self.add(frame, target, source);
                    }
                    if let Some(start) = self.ground.start_at(frame, node) {
                        self.wake(start, target, meter)?;
                    }
                }
                Place::Site(call, exit) => {
                    let exit = Target::Exit(machine.exit_pos(exit));
                    for edge in machine.calls_of(call) {
                        meter.tick()?;
                        let start = self.ground.called(frame, call, edge.entry);
                        if start.is_some_and(|start| self.start_reaches(start, exit)) {
                            self.add(frame, target, edge.from);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A start has become known to reach a target of its frame.
    fn wake(&mut self, start: StartId, target: Target, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = self.ground.machine();
        let comp = self.ground.component(self.ground.frame_of(start));
        for i in self.callers.range(start) {
            meter.tick()?;
            let (frame, call, from) = self.callers.items()[i];
            let Target::Exit(exit) = target else {
                self.add(frame, Target::Goal, from);
                continue;
            };
            let Some(site) = machine.site(call, machine.exit_at(comp, exit)) else { continue };
            let site = machine.place_pos(site);
            let exits = (0..self.exit_count(frame)).map(|exit| Target::Exit(ExitPos::new(exit)));
            for target in exits.chain([Target::Goal]) {
                if self.is_known(frame, target, site) {
                    self.add(frame, target, from);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::survey::Components;
    use fastrand::Rng;
    use tern_model::{Budget, CompId, Machine, NodeId};
    use tern_testkit::sample;

    /// Components in which some nodes block, and some are goals.
    struct Coloured<'m> {
        components: Components<'m>,
        colours: Vec<Visit>,
    }

    impl Ground for Coloured<'_> {
        fn machine(&self) -> &Machine {
            self.components.machine()
        }
        fn frame_count(&self) -> usize {
            self.components.frame_count()
        }
        fn component(&self, frame: FrameId) -> CompId {
            self.components.component(frame)
        }
        fn called(&self, frame: FrameId, call: BoxId, entry: NodeId) -> Option<StartId> {
            self.components.called(frame, call, entry)
        }
        fn start_count(&self) -> usize {
            self.components.start_count()
        }
        fn start_at(&self, frame: FrameId, node: NodeId) -> Option<StartId> {
            self.components.start_at(frame, node)
        }
        fn frame_of(&self, start: StartId) -> FrameId {
            self.components.frame_of(start)
        }
        fn node(&self, start: StartId) -> NodeId {
            self.components.node(start)
        }
        fn visit(&self, _: FrameId, node: NodeId) -> Visit {
            self.colours[node.index()]
        }
    }

    #[test]
    fn both_directions_find_the_same() {
        let budget = Budget::unlimited();
        let (mut left_by, mut goals) = (0, 0);
        for seed in 0..2000 {
            let shape = sample::Shape { entries: 4, ..sample::Shape::default() };
            let machine = sample::machine(&mut Rng::with_seed(seed), &shape);
            let mut rng = Rng::with_seed(seed);
            let colour = |_| match rng.u32(..10) {
                0 => Visit::Goal,
                1 | 2 => Visit::Block,
                _ => Visit::Pass,
            };
            let colours = machine.nodes().map(colour).collect();
            let ground = Coloured { components: Components::new(&machine, []), colours };
            let meter = &mut Meter::new(&budget);
            let back = summaries(&ground, meter).expect("no limits");
            let mut forth = Summaries::new(&ground, false);
            for start in starts(&ground) {
                forth.activate(&ground, start);
            }
            forth.run(&ground, meter).expect("no limits");
            for start in starts(&ground) {
                assert_eq!(forth.reaches_goal(start), back.reaches_goal(start), "seed {seed}");
                goals += usize::from(forth.reaches_goal(start));
                // A search forward ends at a goal, and knows no exits then.
                if !forth.reaches_goal(start) {
                    assert!(forth.exits(start).eq(back.exits(start)), "seed {seed}, {start:?}");
                    left_by += forth.exits(start).count();
                }
            }
        }
        assert!(left_by > 1000 && goals > 500, "{left_by} {goals}");
    }
}
