//! `EG`: the places of all frames with an endless path inside.
//!
//! The graph is that of [`crate::ctl::operator`], over all frames at once: places without
//! successors are taken away until none is left, and what remains has endless paths.

use super::operator::{Operator, View};
use crate::ground::bits;
use crate::ground::frames::Callers;
use crate::ground::ids::{FrameId, PlacePos, Positions, Spans, positions};
use crate::ground::summary::Summaries;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Edge, Id, Limit, NodeId, Place, PlaceId, Stats};

/// Takes away places without successors until none is left: what remains has endless paths.
///
/// A node outside p is taken away at the start; a node that stays where it is, or goes to a sink in
/// which `EG p` is true, never is.
pub(super) struct Dying<'a> {
    view: View<'a>,
    operator: &'a Operator,
    summaries: &'a Summaries,
    /// Where the places of a frame lie in `successors`.
    places: Spans<FrameId>,
    /// How many successors a place has left. One that never dies counts itself, or the sink.
    successors: Vec<u32>,
    dead: Vec<(FrameId, PlaceId)>,
    /// All that was ever in `dead`, in order, if that is to be kept.
    log: Option<Vec<(FrameId, PlaceId)>>,
    callers: Callers,
}

/// Rows of places by frame, and places of frames in order.
pub(super) type Survivors = (Table<FrameId, Box<[u64]>>, Vec<(FrameId, PlaceId)>);

impl<'a> Dying<'a> {
    pub(super) fn new(
        view: View<'a>,
        operator: &'a Operator,
        summaries: &'a Summaries,
        log: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let frames = view.frames;
        let mut places = Spans::new();
        for frame in frames.ids() {
            places.push(view.places(frame).len());
        }
        let total = places.total();
        meter.budget().check_room_for(total as u64 * 4)?;
        let mut dying = Dying {
            view,
            operator,
            summaries,
            places,
            successors: vec![0; total],
            dead: Vec::new(),
            log: log.then(Vec::new),
            callers: frames.callers(),
        };
        for frame in frames.ids() {
            for (position, &place) in positions(view.places(frame)) {
                meter.tick()?;
                let count = dying.count(frame, position, place);
                *dying.successors_of(frame, position) = count;
                if count == 0 {
                    dying.die(frame, place);
                }
            }
        }
        Ok(dying)
    }

    fn successors_of(&mut self, frame: FrameId, position: PlacePos) -> &mut u32 {
        &mut self.successors[self.places.start(frame) + position.index()]
    }

    /// How many successors a place has at the start.
    fn count(&self, frame: FrameId, position: PlacePos, place: PlaceId) -> u32 {
        let (view, frames, machine) = (self.view, self.view.frames, self.view.machine());
        let edges = machine.edges_at(place);
        let mut own = 0;
        if let Place::Node(node) = machine.place(place) {
            if !bits::get(frames.row(&self.operator.pass, frame), position) {
                return 0;
            }
            let returns = || edges.iter().any(|edge| matches!(edge, Edge::Return(_)));
            let to_sink = || view.sinks(frame) && self.operator.in_sink && returns();
            own = u32::from(view.stays(frame, node) || to_sink());
        }
        let successors_by = |&edge: &Edge| match edge {
            Edge::Step(_) => 1,
            Edge::Call(call, entry) => match frames.called(view.terrain, frame, call, entry) {
                None => 0,
                Some(start) => {
                    let exits = machine.exits_of(machine.callee(call));
                    let left = self.summaries.exits(start);
                    let sites = left.filter_map(|exit| machine.site(call, exits[exit.index()]));
                    1 + sites.count() as u32
                }
            },
            Edge::Return(_) => 0,
        };
        own + edges.iter().map(successors_by).sum::<u32>()
    }

    fn die(&mut self, frame: FrameId, place: PlaceId) {
        self.dead.push((frame, place));
        if let Some(log) = &mut self.log {
            log.push((frame, place));
        }
    }

    /// The places that are left in each frame, and, if that is to be kept, how the others died.
    pub(super) fn run(
        mut self,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Survivors, Limit> {
        let (view, frames, machine) = (self.view, self.view.frames, self.view.machine());
        while let Some((frame, place)) = self.dead.pop() {
            meter.tick()?;
            match machine.place(place) {
                Place::Node(node) => {
                    for &source in machine.step_sources(node) {
                        stats.edges += 1;
                        self.lose(frame, source);
                    }
                    let ended = view.mode(frame).ended;
                    if !ended && view.terrain.entry_pos(node).is_some() {
                        self.lose_descents(frame, node, stats);
                    }
                }
                Place::Site(call, exit) => {
                    let exit = machine.exit_pos(exit);
                    for edge in machine.calls_of(call) {
                        stats.edges += 1;
                        let start = frames.called(view.terrain, frame, call, edge.entry);
                        if start.is_some_and(|start| self.summaries.reaches_exit(start, exit)) {
                            self.lose(frame, edge.from);
                        }
                    }
                }
            }
        }
        let mut endless = Table::new();
        for frame in frames.ids() {
            let successors = &self.successors[self.places.of(frame)];
            let mut row = vec![0; bits::words_for(successors.len())];
            for (position, &count) in positions::<PlacePos, _>(successors) {
                if count > 0 {
                    bits::insert(&mut row, position);
                }
            }
            endless.push(row.into_boxed_slice());
        }
        Ok((endless, self.log.unwrap_or_default()))
    }

    /// The entry of a frame is dead: all calls of it lose the descent.
    fn lose_descents(&mut self, frame: FrameId, entry: NodeId, stats: &mut Stats) {
        let (machine, frames) = (self.view.machine(), self.view.frames);
        for at in self.callers.range(frame) {
            let (caller, call) = self.callers.items()[at];
            let call = machine.boxes_of(frames.component[caller])[call.index()];
            for edge in machine.calls_of(call) {
                stats.edges += 1;
                if edge.entry == entry {
                    self.lose(caller, edge.from);
                }
            }
        }
    }

    fn lose(&mut self, frame: FrameId, place: PlaceId) {
        let position = self.view.machine().place_pos(place);
        let left = self.successors_of(frame, position);
        // 0: dead already, or a node outside p.
        if *left != 0 {
            *left -= 1;
            if *left == 0 {
                self.die(frame, place);
            }
        }
    }
}
