//! One temporal operator over frames whose operands are known everywhere.
//!
//! The value of `EX`, `EU` or `EG` at a place of a frame is always of one form: it is true for a
//! reason *inside* (in the frame, or in what it calls), or because a path leaves by an exit x after
//! which it is true in the caller. Whether it is true after x is the *context bit* of x. The inside
//! does not depend on the bits, so nothing needs to be guessed: [`Prepared`] holds what is known
//! without the bits (summaries of calls, and for `EG` the places with an endless path inside), and
//! [`Prepared::evaluate`] gives the values in one frame under given bits, by one backward search.
//!
//! * `E [p U q]`: inside, a path through p reaches q.
//! * `EG p`: inside, an endless path stays in p. It stays in one frame from some point on (a cycle
//!   of steps and calls that return), or goes deeper for ever. Both are endless paths in the finite
//!   graph whose edges are steps, *descents* (from a call to the entry of the callee's frame)
//!   and *summaries* (from a call to the return sites that it can come back at); and the places on
//!   such paths are what is left when places without successors are taken away again and again.
//!   From there on `EG p` is like `E [p U endless]`.
//! * `EX f`: one step.

use crate::ctl::endless::Dying;
use crate::ctl::free;
use crate::ground::bits;
use crate::ground::frames::{Frames, Mode, Modes};
use crate::ground::ids::{ExitPos, FrameId, PlacePos, Positions, StartId, positions};
use crate::ground::summary::{Ground, Summaries, Visit};
use crate::ground::survey::Ways;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    BoxId, CompId, Edge, Event, ExitId, Id, Limit, Machine, NodeId, Place, PlaceId, Stats,
};

/// Frames with all one needs to walk over them.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) frames: &'a Frames,
    pub(crate) modes: &'a Modes,
}

impl<'a> View<'a> {
    pub(crate) fn machine(&self) -> &'a Machine {
        self.terrain.machine
    }

    pub(crate) fn mode(&self, frame: FrameId) -> &'a Mode {
        &self.modes[self.frames.mode[frame]]
    }

    pub(crate) fn places(&self, frame: FrameId) -> &'a [PlaceId] {
        self.machine().places_of(self.frames.component[frame])
    }

    fn position(&self, node: NodeId) -> PlacePos {
        self.machine().node_pos(node)
    }

    /// Whether a node is its own successor in this frame by the rule for ends or for dead ends.
    pub(crate) fn stays(&self, frame: FrameId, node: NodeId) -> bool {
        self.mode(frame).stays(self.machine(), node)
    }

    /// Whether a node's returns, in this frame, go to the sink.
    pub(crate) fn sinks(&self, frame: FrameId) -> bool {
        self.mode(frame).sinks(self.machine())
    }
}

/// An operator with the rows of its operands, and its value in the sink.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) kind: Kind,
    /// `EX f`: f. `E [p U q]` and `EG p`: p.
    pub(crate) pass: Vec<u64>,
    /// `E [p U q]`: q. Otherwise empty.
    pub(crate) goal: Vec<u64>,
    /// Whether the operator is true in the sink.
    pub(crate) in_sink: bool,
    /// Whether all nodes pass, and frames are those of all stacks: what is then known of the
    /// machine may be used.
    pub(crate) is_free: bool,
}

/// Which operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Next,
    Until,
    Globally,
}

/// For how many places there is room at once when values are found in a frame.
const ROOM: usize = 256;

/// What is known of an operator on some frames without any context bits.
pub(crate) struct Prepared {
    operator: Operator,
    summaries: Option<Summaries>,
    /// For each start, whether the operator is true there for a reason inside.
    start_true: Table<StartId, bool>,
    /// For `EG`: for each frame the places with an endless path inside, by position. A return site
    /// may have one though no node of its frame does: two calls that follow each other for ever.
    endless: Table<FrameId, Box<[u64]>>,
    /// For `EG`, if reasons are kept: the places without one, in the order in which they died.
    deaths: Vec<(FrameId, PlaceId)>,
}

/// Follows runs through p that have not seen q.
struct Paths<'a> {
    view: View<'a>,
    operator: &'a Operator,
    /// For each start its frame and entry.
    starts: Table<StartId, (FrameId, NodeId)>,
}

impl Ground for Paths<'_> {
    fn machine(&self) -> &Machine {
        self.view.machine()
    }

    fn frame_count(&self) -> usize {
        self.view.frames.len()
    }

    fn component(&self, frame: FrameId) -> CompId {
        self.view.frames.component[frame]
    }

    fn called(&self, frame: FrameId, call: BoxId, entry: NodeId) -> Option<StartId> {
        self.view.frames.called(self.view.terrain, frame, call, entry)
    }

    fn start_count(&self) -> usize {
        self.starts.len()
    }

    fn start_at(&self, frame: FrameId, node: NodeId) -> Option<StartId> {
        self.view.frames.start_at(self.view.terrain, frame, node)
    }

    fn frame_of(&self, start: StartId) -> FrameId {
        self.starts[start].0
    }

    fn node(&self, start: StartId) -> NodeId {
        self.starts[start].1
    }

    fn visit(&self, frame: FrameId, node: NodeId) -> Visit {
        let position = self.view.position(node);
        let frames = self.view.frames;
        let at = |rows: &[u64]| bits::get(frames.row(rows, frame), position);
        if self.operator.kind == Kind::Until && at(&self.operator.goal) {
            Visit::Goal
        } else if at(&self.operator.pass) {
            Visit::Pass
        } else {
            Visit::Block
        }
    }
}

impl Prepared {
    pub(crate) fn new(
        view: View<'_>,
        operator: Operator,
        log: bool,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut prepared = Prepared {
            operator,
            summaries: None,
            start_true: Table::new(),
            endless: Table::new(),
            deaths: Vec::new(),
        };
        if prepared.operator.kind == Kind::Next {
            return Ok(prepared);
        }
        let starts_of = |frame| {
            view.frames.starts_of(view.terrain, frame).map(move |(_, entry)| (frame, entry))
        };
        let starts: Table<StartId, _> = view.frames.ids().flat_map(starts_of).collect();
        if !log && let Some(ways) = prepared.ways(view) {
            let summaries = free::summaries(view, &prepared.operator.goal, &starts, ways, meter)?;
            stats.edges += summaries.edges_seen;
            prepared.start_true = starts.ids().map(|start| summaries.reaches_goal(start)).collect();
            prepared.summaries = Some(summaries);
            return Ok(prepared);
        }
        let paths = Paths { view, operator: &prepared.operator, starts };
        debug_assert_eq!(paths.starts.len(), view.frames.start_count());
        let summaries = Summaries::of_all(&paths, log, meter)?;
        stats.edges += summaries.edges_seen;
        let starts = paths.starts;
        prepared.start_true = starts.ids().map(|start| summaries.reaches_goal(start)).collect();
        prepared.summaries = Some(summaries);
        if prepared.operator.kind == Kind::Globally {
            let dying = Dying::new(view, &prepared.operator, prepared.summaries(), log, meter)?;
            (prepared.endless, prepared.deaths) = dying.run(stats, meter)?;
            for (start, &(frame, entry)) in starts.iter() {
                let row = &prepared.endless[frame];
                prepared.start_true[start] = bits::get(row, view.position(entry));
            }
        }
        Ok(prepared)
    }

    /// Where one gets from where, if that is all it takes to know.
    fn ways<'v>(&self, view: View<'v>) -> Option<&'v Ways> {
        view.terrain.survey().ways.as_deref().filter(|_| self.operator.is_free)
    }

    /// The value at an initial node in a root frame, if it takes no search.
    pub(crate) fn at_root(
        &self,
        view: View<'_>,
        frame: FrameId,
        node: NodeId,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, Limit> {
        let Some(visited) = self.ways(view).and_then(|ways| ways.visited(node)) else {
            return Ok(None);
        };
        if view.sinks(frame) && self.operator.in_sink {
            return Ok(None);
        }
        let goal = &self.operator.goal;
        free::at_root(view, (frame, visited), goal, &self.start_true, stats, meter).map(Some)
    }

    /// The operator with the rows of its operands.
    pub(crate) fn operator(&self) -> &Operator {
        &self.operator
    }

    /// The operator with the rows of its operands; the rest is let go.
    pub(crate) fn into_operator(self) -> Operator {
        self.operator
    }

    fn summaries(&self) -> &Summaries {
        self.summaries.as_ref().expect("EU and EG have summaries")
    }

    /// The exits, by position, whose context bits make a difference in a frame, given the values
    /// that the operator surely has there when all bits are false.
    pub(crate) fn relevant_exits<'v>(
        &'v self,
        view: View<'v>,
        frame: FrameId,
        without: &'v [u64],
    ) -> impl Iterator<Item = ExitPos> + 'v {
        let machine = view.machine();
        let exits = machine.exits_of(view.frames.component[frame]);
        let pass = view.frames.row(&self.operator.pass, frame);
        let open = move |&node: &NodeId| {
            let at = view.position(node);
            view.terrain.is_reachable(node)
                && !bits::get(without, at)
                && (self.operator.kind == Kind::Next || bits::get(pass, at))
        };
        let matters = move |exit: &ExitId| machine.return_sources(*exit).iter().any(open);
        positions(exits).filter(move |(_, exit)| matters(exit)).map(|(position, _)| position)
    }

    /// The values of the operator at the places of a frame, by position, under the context bits
    /// `after` (by exit; empty if all are false). At a return site: whether it is true in some
    /// configuration right after the return.
    pub(crate) fn evaluate(
        &self,
        view: View<'_>,
        frame: FrameId,
        after: &[u64],
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u64>, Limit> {
        stats.evaluations += view.places(frame).len() as u64;
        if self.operator.kind == Kind::Next {
            self.evaluate_next(view, frame, after, stats, meter)
        } else {
            Ok(self.evaluate_until(view, frame, after, None, stats, meter)?.values)
        }
    }

    /// The same, where the values are `known` under fewer bits.
    pub(crate) fn evaluate_more(
        &self,
        view: View<'_>,
        frame: FrameId,
        (after, known): (&[u64], &[u64]),
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u64>, Limit> {
        if self.operator.kind == Kind::Next {
            return self.evaluate(view, frame, after, stats, meter);
        }
        stats.evaluations += view.places(frame).len() as u64;
        Ok(self.evaluate_until(view, frame, after, Some(known), stats, meter)?.values)
    }

    /// For `EU` and `EG`: the places of a frame at which the operator is true, each after its
    /// reason.
    pub(crate) fn derivation(
        &self,
        view: View<'_>,
        frame: FrameId,
        after: &[u64],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<PlaceId>, Limit> {
        Ok(self.evaluate_until(view, frame, after, None, &mut Stats::default(), meter)?.order)
    }

    /// What was derived of the starts, for a proof.
    pub(crate) fn events(&self) -> &[Event] {
        self.summaries.as_ref().and_then(|summaries| summaries.log.as_deref()).unwrap_or_default()
    }

    /// The places that died out, in order, for a proof.
    pub(crate) fn deaths(&self) -> &[(FrameId, PlaceId)] {
        &self.deaths
    }

    fn evaluate_next(
        &self,
        view: View<'_>,
        frame: FrameId,
        after: &[u64],
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u64>, Limit> {
        let (machine, frames) = (view.machine(), view.frames);
        let ended = view.mode(frame).ended;
        let here = frames.row(&self.operator.pass, frame);
        let places = view.places(frame);
        let mut values = vec![0; bits::words_for(places.len())];
        for (position, &place) in positions::<PlacePos, _>(places) {
            meter.tick()?;
            let edges = machine.edges_at(place);
            stats.edges += edges.len() as u64;
            let moves = edges.iter().any(|&edge| match edge {
                Edge::Step(to) => bits::get(here, view.position(to)),
                Edge::Call(call, entry) => {
                    let callee = frames.link(frame, view.terrain.box_pos(call));
                    callee.is_some_and(|callee| {
                        let row = frames.row(&self.operator.pass, callee);
                        bits::get(row, view.position(entry))
                    })
                }
                Edge::Return(exit) => {
                    let bit = !after.is_empty() && bits::get(after, machine.exit_pos(exit));
                    if ended { view.sinks(frame) && self.operator.in_sink } else { bit }
                }
            });
            let stays = || match machine.place(place) {
                Place::Node(node) => view.stays(frame, node) && bits::get(here, position),
                Place::Site(..) => false,
            };
            if moves || stays() {
                bits::insert(&mut values, position);
            }
        }
        Ok(values)
    }

    /// The places at which `EU` or `EG` is true under some bits; in their order only those that are
    /// not `known` to be.
    fn evaluate_until<'v>(
        &'v self,
        view: View<'v>,
        frame: FrameId,
        after: &[u64],
        known: Option<&[u64]>,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Backward<'v>, Limit> {
        let (machine, terrain, frames) = (view.machine(), view.terrain, view.frames);
        let comp = frames.component[frame];
        let pass = frames.row(&self.operator.pass, frame);
        let summaries = self.summaries();
        let mut search = Backward {
            view,
            pass,
            values: match known {
                Some(known) => known.to_vec(),
                None => vec![0; bits::words_for(view.places(frame).len())],
            },
            order: Vec::with_capacity(view.places(frame).len().min(ROOM)),
        };
        for position in bits::ones(after) {
            search.add_returning(machine.exit_at(comp, position));
        }
        if known.is_none() {
            let goal = match self.operator.kind {
                Kind::Globally => &self.endless[frame],
                _ => frames.row(&self.operator.goal, frame),
            };
            self.add_inside(view, frame, goal, &mut search, meter)?;
        }
        let mut next = 0;
        while let Some(&place) = search.order.get(next) {
            next += 1;
            meter.tick()?;
            match machine.place(place) {
                Place::Node(node) => {
                    let sources = machine.step_sources(node);
                    stats.edges += sources.len() as u64;
                    for &source in sources {
                        search.add(source);
                    }
                }
                Place::Site(call, exit) => {
                    let exit = machine.exit_pos(exit);
                    for edge in machine.calls_of(call) {
                        stats.edges += 1;
                        let start = frames.called(terrain, frame, call, edge.entry);
                        if start.is_some_and(|start| summaries.reaches_exit(start, exit)) {
                            search.add(edge.from);
                        }
                    }
                }
            }
        }
        Ok(search)
    }
}

impl Prepared {
    /// Adds the places of a frame that are true whatever happens after its exits: goals, calls in
    /// which it is true inside, and returns to a sink in which it is.
    fn add_inside(
        &self,
        view: View<'_>,
        frame: FrameId,
        goal: &[u64],
        search: &mut Backward<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let (machine, places) = (view.machine(), view.places(frame));
        let comp = view.frames.component[frame];
        for position in bits::ones::<PlacePos>(goal) {
            if bits::insert(&mut search.values, position) {
                search.order.push(places[position.index()]);
            }
        }
        if view.sinks(frame) && self.operator.in_sink {
            for &exit in machine.exits_of(comp) {
                search.add_returning(exit);
            }
        }
        for &call in machine.boxes_of(comp) {
            meter.tick()?;
            for edge in machine.calls_of(call) {
                let start = view.frames.called(view.terrain, frame, call, edge.entry);
                if start.is_some_and(|start| self.start_true[start]) {
                    search.add(edge.from);
                }
            }
        }
        Ok(())
    }
}

/// Where a value has been found true, and in which order: each place after its reason.
struct Backward<'a> {
    view: View<'a>,
    pass: &'a [u64],
    values: Vec<u64>,
    order: Vec<PlaceId>,
}

impl Backward<'_> {
    /// A successor of this place is true: so is the place, unless it is a node that does not pass.
    fn add(&mut self, place: PlaceId) {
        let machine = self.view.machine();
        let position = machine.place_pos(place);
        let passes = match machine.place(place) {
            Place::Node(_) => bits::get(self.pass, position),
            Place::Site(..) => true,
        };
        if passes && bits::insert(&mut self.values, position) {
            self.order.push(place);
        }
    }

    fn add_returning(&mut self, exit: ExitId) {
        for &node in self.view.machine().return_sources(exit) {
            self.add(self.view.machine().node_place(node));
        }
    }
}
