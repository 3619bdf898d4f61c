//! One temporal operator in all lanes at once, where its operands are known.
//!
//! As for one claim ([`crate::ctl::operator`]), but with a word for each place where there is a
//! bit. All that is computed is a least or greatest solution of monotone equations, and words are
//! as good for that as bits: a place is looked at again when a lane of it has changed. Lanes that
//! agree, as most do, change together.
//!
//! 1. *Summaries* ([`Summaries`]): in which lanes does a path lead from an entry to an exit?
//! 2. *Inside* ([`Prepared`]): in which lanes is the operator true whatever happens after the
//!    exits? For `EU` the least solution, over all frames together; for `EG` the greatest.
//! 3. *Under bits* ([`Prepared::under`]): what more is true in one frame if it is true after some
//!    exits?

use super::agenda::{Agenda, InKnot, Knots};
use super::endless::Alive;
use super::family::{Callers, Family, Stop};
use super::lanes::Lanes;
use super::summaries::Summaries;
use crate::ctl::operator::Kind;
use crate::ground::bits;
use crate::ground::frames::{Mode, Modes};
use crate::ground::ids::{ExitPos, FrameId, PlacePos, Positions, StartId};
use crate::ground::survey::Ways;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::SccId;
use tern_model::{BoxId, Edge, ExitId, Id, Machine, NodeId, Place, PlaceId, Stats};

/// A family with all one needs to walk over it.
#[derive(Clone, Copy)]
pub(super) struct View<'a, const W: usize> {
    pub(super) terrain: &'a Terrain<'a>,
    pub(super) knots: &'a Knots,
    pub(super) modes: &'a Modes,
    pub(super) family: &'a Family<W>,
}

impl<'a, const W: usize> View<'a, W> {
    pub(super) fn machine(&self) -> &'a Machine {
        self.terrain.machine
    }

    pub(super) fn at(&self, frame: FrameId, place: PlaceId) -> usize {
        self.family.at(self.machine(), frame, place)
    }

    pub(super) fn mode(&self, frame: FrameId) -> &'a Mode {
        &self.modes[self.family.mode[frame]]
    }

    pub(super) fn places(&self, frame: FrameId) -> &'a [PlaceId] {
        self.machine().places_of(self.family.component[frame])
    }

    /// The frames that a box leads to, and the starts there at an entry, with their lanes.
    pub(super) fn called(
        &self,
        frame: FrameId,
        call: BoxId,
        entry: NodeId,
    ) -> impl Iterator<Item = (FrameId, StartId, Lanes<W>)> + 'a {
        let View { terrain, family, .. } = *self;
        let links = family.links(frame, terrain.box_pos(call)).iter();
        links.filter_map(move |&(to, lanes)| Some((to, family.start(terrain, to, entry)?, lanes)))
    }
}

/// An operator with its operands, as words over the places of all frames.
pub(super) struct Operator<const W: usize> {
    pub(super) kind: Kind,
    /// `EX f`: f. `E [p U q]` and `EG p`: p.
    pub(super) pass: Vec<Lanes<W>>,
    /// `E [p U q]`: q. Otherwise empty.
    pub(super) goal: Vec<Lanes<W>>,
    /// Whether the operator is true in the sink.
    pub(super) in_sink: bool,
    /// Whether it is `EF`, whose paths pass everywhere.
    pub(super) is_free: bool,
}

impl<const W: usize> Operator<W> {
    /// The lanes in which a path may go on from a node.
    pub(super) fn goes_on(&self, at: usize) -> Lanes<W> {
        self.pass[at].less(self.goal.get(at).copied().unwrap_or(Lanes::NONE))
    }

    /// Where one gets from where, if that does not depend on the operator.
    pub(super) fn ways<'v>(&self, view: View<'v, W>) -> Option<&'v Ways> {
        view.terrain.survey().ways.as_deref().filter(|_| self.is_free)
    }
}

/// What is known of an operator on a family without any context bits.
pub(super) struct Prepared<const W: usize> {
    pub(super) operator: Operator<W>,
    summaries: Option<Summaries<W>>,
    /// Where the operator is true for a reason inside: words over the places of all frames.
    pub(super) inside: Vec<Lanes<W>>,
}

impl<const W: usize> Prepared<W> {
    pub(super) fn new(
        view: View<'_, W>,
        operator: Operator<W>,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stop> {
        let mut prepared = Prepared { operator, summaries: None, inside: Vec::new() };
        stats.evaluations += view.family.place_count() as u64;
        meter
            .budget()
            .check_room_for((view.family.place_count() * size_of::<Lanes<W>>()) as u64)?;
        let callers = view.family.callers(view.machine());
        prepared.inside = match prepared.operator.kind {
            Kind::Next => next(view, &prepared.operator, stats, meter)?,
            Kind::Until => {
                let operator = &prepared.operator;
                let summaries = match operator.ways(view) {
                    Some(ways) => Summaries::free(view, ways),
                    None => Summaries::new(view, operator, &callers, stats, meter)?,
                };
                let search = Backward::everywhere(view, operator, &summaries, &callers);
                let inside = search.until(stats, meter)?;
                prepared.summaries = Some(summaries);
                inside
            }
            Kind::Globally => {
                let operator = &prepared.operator;
                let summaries = Summaries::new(view, operator, &callers, stats, meter)?;
                let alive = Alive::new(view, operator, &summaries, &callers);
                let inside = alive.run(stats, meter)?;
                prepared.summaries = Some(summaries);
                inside
            }
        };
        Ok(prepared)
    }

    /// The lanes in which the context bit of an exit makes a difference in a frame.
    pub(super) fn relevant(&self, view: View<'_, W>, frame: FrameId, exit: ExitId) -> Lanes<W> {
        let open = |&node: &NodeId| {
            let at = view.at(frame, view.machine().node_place(node));
            let is_next = self.operator.kind == Kind::Next;
            let passes = if is_next { Lanes::ALL } else { self.operator.pass[at] };
            let is_reachable = view.terrain.is_reachable(node);
            if is_reachable { passes.less(self.inside[at]) } else { Lanes::NONE }
        };
        let sources = view.machine().return_sources(exit).iter();
        sources.map(open).fold(Lanes::NONE, |all, lanes| all | lanes) & view.family.lanes[frame]
    }

    /// The words of one frame if the operator is true after the exits `after`, by position.
    pub(super) fn under(
        &self,
        view: View<'_, W>,
        frame: FrameId,
        after: &[u64],
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Lanes<W>>, Stop> {
        let words = view.family.words(&self.inside, frame).to_vec();
        let machine = view.machine();
        stats.evaluations += words.len() as u64;
        let lanes = view.family.lanes[frame];
        let exits = machine.exits_of(view.family.component[frame]);
        let returning =
            bits::ones(after).flat_map(|exit: ExitPos| machine.return_sources(exits[exit.index()]));
        let Some(summaries) = &self.summaries else {
            let mut words = words;
            for &node in returning {
                words[machine.node_pos(node).index()] |= lanes;
            }
            return Ok(words);
        };
        let mut search = Backward::within(view, &self.operator, summaries, frame, words);
        for &node in returning {
            search.add(frame, machine.node_place(node), lanes);
        }
        search.run(stats, meter)?;
        Ok(search.values)
    }
}

/// `EX`, where no bits are known.
fn next<const W: usize>(
    view: View<'_, W>,
    operator: &Operator<W>,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Vec<Lanes<W>>, Stop> {
    let (machine, pass) = (view.machine(), &operator.pass);
    let mut words = Vec::with_capacity(view.family.place_count());
    for frame in view.family.ids() {
        let mode = view.mode(frame);
        let in_sink = mode.sinks(machine) && operator.in_sink;
        let lanes = view.family.lanes[frame];
        for &place in view.places(frame) {
            meter.tick()?;
            let mut word = match machine.place(place) {
                Place::Node(node) if mode.stays(machine, node) => pass[view.at(frame, place)],
                _ => Lanes::NONE,
            };
            for &edge in machine.edges_at(place) {
                stats.edges += 1;
                match edge {
                    Edge::Step(to) => word |= pass[view.at(frame, machine.node_place(to))],
                    Edge::Call(call, entry) => {
                        for (callee, _, among) in view.called(frame, call, entry) {
                            word |= pass[view.at(callee, machine.node_place(entry))] & among;
                        }
                    }
                    Edge::Return(_) => word |= if in_sink { Lanes::ALL } else { Lanes::NONE },
                }
            }
            words.push(word & lanes);
        }
    }
    Ok(words)
}

/// Finds where an operator is true, from where it is known to be on to the places before.
///
/// All places of a knot reach each other. In the lanes in which all of them pass, one that is true
/// makes all of them true; so these lanes are given to all at once.
struct Backward<'a, const W: usize> {
    view: View<'a, W>,
    operator: &'a Operator<W>,
    summaries: &'a Summaries<W>,
    /// For all frames: who calls them. `None` if only one frame is looked at.
    callers: Option<&'a Callers<W>>,
    /// Words over the places of all frames, or of one; where those of that one would begin.
    values: Vec<Lanes<W>>,
    offset: usize,
    agenda: Agenda<'a, W>,
    /// By frame and knot, the lanes in which all its places pass, and those that are given to all
    /// of them, or will be when one of them is looked at; where those of a frame begin.
    common: Vec<Common<W>>,
    first_knot: Table<FrameId, usize>,
}

/// What the places of a knot have in common.
#[derive(Clone, Copy)]
struct Common<const W: usize> {
    pass: Lanes<W>,
    known: Lanes<W>,
    spread: Lanes<W>,
}

impl<'a, const W: usize> Backward<'a, W> {
    fn everywhere(
        view: View<'a, W>,
        operator: &'a Operator<W>,
        summaries: &'a Summaries<W>,
        callers: &'a Callers<W>,
    ) -> Self {
        let values = vec![Lanes::NONE; view.family.place_count()];
        let agenda = Agenda::everywhere(view);
        let mut search = Backward {
            view,
            operator,
            summaries,
            callers: Some(callers),
            values,
            offset: 0,
            agenda,
            common: Vec::new(),
            first_knot: Table::new(),
        };
        for frame in view.family.ids() {
            search.first_knot.push(search.common.len());
            search.find_common(frame);
        }
        search
    }

    fn within(
        view: View<'a, W>,
        operator: &'a Operator<W>,
        summaries: &'a Summaries<W>,
        frame: FrameId,
        values: Vec<Lanes<W>>,
    ) -> Self {
        let mut search = Backward {
            view,
            operator,
            summaries,
            callers: None,
            values,
            offset: view.family.first_place(frame),
            agenda: Agenda::within(view, frame),
            common: Vec::new(),
            first_knot: Table::new(),
        };
        search.find_common(frame);
        search
    }

    /// Finds out in which lanes all places of each knot of a frame pass.
    fn find_common(&mut self, frame: FrameId) {
        let View { knots, family, .. } = self.view;
        let nodes = self.view.machine().nodes_of(family.component[frame]).len();
        let pass = &self.operator.pass[family.first_place(frame)..];
        for (_, members) in knots.of(family.component[frame]) {
            let passes = |&place: &PlacePos| match place.index() < nodes {
                true => pass[place.index()],
                false => Lanes::ALL,
            };
            // A place alone has nobody to give anything to.
            let pass = match members.len() {
                1 => Lanes::NONE,
                _ => members.iter().map(passes).fold(Lanes::ALL, |all, lanes| all & lanes),
            };
            self.common.push(Common { pass, known: Lanes::NONE, spread: Lanes::NONE });
        }
    }

    /// What the places of a knot have in common.
    #[inline]
    fn common(&mut self, frame: FrameId, knot: SccId) -> &mut Common<W> {
        // Within one frame there are only its knots.
        let first = if self.callers.is_some() { self.first_knot[frame] } else { 0 };
        &mut self.common[first + knot.index()]
    }

    #[inline]
    fn set(&mut self, frame: FrameId, place: InKnot, at: usize, lanes: Lanes<W>) {
        let slot = at - self.offset;
        let fresh = lanes.less(self.values[slot]);
        if !fresh.is_empty() {
            self.values[slot] |= fresh;
            if let Some(knot) = place.shared {
                let common = self.common(frame, knot);
                common.known |= fresh & common.pass;
            }
            self.agenda.add(frame, place);
        }
    }

    /// Gives what all places of a knot have in common to all of them.
    fn spread(&mut self, frame: FrameId, place: PlaceId) {
        let Some(knot) = self.view.knots.place(place).shared else { return };
        let common = self.common(frame, knot);
        let fresh = common.known.less(common.spread);
        if fresh.is_empty() {
            return;
        }
        common.spread |= fresh;
        let (comp, machine) = (self.view.family.component[frame], self.view.machine());
        let first = self.view.family.first_place(frame) - self.offset;
        for &member in self.view.knots.members(comp, knot) {
            let value = &mut self.values[first + member.index()];
            if !fresh.less(*value).is_empty() {
                *value |= fresh;
                let member = self.view.knots.place(machine.place_at(comp, member));
                self.agenda.add(frame, member);
            }
        }
    }

    /// What follows a place is true in some lanes: so is the place, where it passes.
    fn add(&mut self, frame: FrameId, place: PlaceId, lanes: Lanes<W>) {
        let place = self.view.knots.place(place);
        let at = self.view.family.first_place(frame) + place.position.index();
        let passes = if place.is_node { self.operator.pass[at] } else { Lanes::ALL };
        self.set(frame, place, at, lanes & passes);
    }

    /// `EU` in all frames, where no bits are known.
    fn until(mut self, stats: &mut Stats, meter: &mut Meter<'_>) -> Result<Vec<Lanes<W>>, Stop> {
        let View { family, .. } = self.view;
        let machine = self.view.machine();
        for frame in family.ids() {
            let lanes = family.lanes[frame];
            let comp = family.component[frame];
            for node in machine.nodes_of(comp) {
                meter.tick()?;
                let place = machine.node_place(node);
                let at = self.view.at(frame, place);
                let reached = self.operator.goal[at] & lanes;
                if !reached.is_empty() {
                    self.set(frame, self.view.knots.place(place), at, reached);
                }
            }
            if self.view.mode(frame).sinks(machine) && self.operator.in_sink {
                for &exit in machine.exits_of(comp) {
                    for &node in machine.return_sources(exit) {
                        self.add(frame, machine.node_place(node), lanes);
                    }
                }
            }
        }
        self.run(stats, meter)?;
        Ok(self.values)
    }

    fn run(&mut self, stats: &mut Stats, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let view = self.view;
        let machine = view.machine();
        while let Some((frame, place)) = self.agenda.next() {
            meter.tick()?;
            self.spread(frame, place);
            let lanes = self.values[view.at(frame, place) - self.offset];
            match machine.place(place) {
                Place::Node(node) => {
                    for &source in machine.step_sources(node) {
                        stats.edges += 1;
                        self.add(frame, source, lanes);
                    }
                    if let Some(callers) = self.callers
                        && view.family.start(view.terrain, frame, node).is_some()
                    {
                        for &(caller, call, among) in callers.of(frame) {
                            for edge in machine.calls_of(call) {
                                stats.edges += 1;
                                if edge.entry == node {
                                    self.add(caller, edge.from, lanes & among);
                                }
                            }
                        }
                    }
                }
                Place::Site(call, exit) => {
                    let exit = machine.exit_pos(exit);
                    for edge in machine.calls_of(call) {
                        stats.edges += 1;
                        for (_, callee, among) in view.called(frame, call, edge.entry) {
                            let back = self.summaries.reaches(callee, exit);
                            self.add(frame, edge.from, lanes & among & back);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
