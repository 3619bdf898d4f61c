//! `EG` in all lanes at once, where no bits are known: the places with an endless path inside.
//!
//! These are the greatest solution: all places that pass are taken for such at first, and those
//! without a successor are taken away, lane by lane, until nothing changes. The graph is that of
//! [`crate::ctl::operator`].

use super::agenda::Agenda;
use super::family::{Callers, Stop};
use super::lanes::Lanes;
use super::operator::{Operator, View};
use super::summaries::Summaries;
use crate::ground::ids::{FrameId, Positions};
use tern_model::budget::Meter;
use tern_model::{Edge, Place, PlaceId, Stats};

/// Takes lanes away from places that have no successor left in them: what remains has endless
/// paths.
pub(super) struct Alive<'a, const W: usize> {
    view: View<'a, W>,
    operator: &'a Operator<W>,
    summaries: &'a Summaries<W>,
    callers: &'a Callers<W>,
    words: Vec<Lanes<W>>,
    agenda: Agenda<'a, W>,
}

impl<'a, const W: usize> Alive<'a, W> {
    pub(super) fn new(
        view: View<'a, W>,
        operator: &'a Operator<W>,
        summaries: &'a Summaries<W>,
        callers: &'a Callers<W>,
    ) -> Self {
        let family = view.family;
        let mut words = operator.pass.clone();
        let mut agenda = Agenda::everywhere(view);
        for frame in family.ids() {
            for &place in view.places(frame) {
                let at = view.at(frame, place);
                if let Place::Site(..) = view.machine().place(place) {
                    words[at] = Lanes::ALL;
                }
                words[at] &= family.lanes[frame];
                agenda.add(frame, view.knots.place(place));
            }
        }
        Alive { view, operator, summaries, callers, words, agenda }
    }

    pub(super) fn run(
        mut self,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Lanes<W>>, Stop> {
        let view = self.view;
        let machine = view.machine();
        while let Some((frame, place)) = self.agenda.next() {
            meter.tick()?;
            let at = view.at(frame, place);
            let left = self.words[at] & self.onward(frame, place, stats);
            if left == self.words[at] {
                continue;
            }
            self.words[at] = left;
            match machine.place(place) {
                Place::Node(node) => {
                    for &source in machine.step_sources(node) {
                        self.look_again(frame, source);
                    }
                    if view.family.start(view.terrain, frame, node).is_some() {
                        for &(caller, call, _) in self.callers.of(frame) {
                            for edge in machine.calls_of(call) {
                                if edge.entry == node {
                                    self.look_again(caller, edge.from);
                                }
                            }
                        }
                    }
                }
                Place::Site(call, _) => {
                    for edge in machine.calls_of(call) {
                        self.look_again(frame, edge.from);
                    }
                }
            }
        }
        Ok(self.words)
    }

    fn look_again(&mut self, frame: FrameId, place: PlaceId) {
        let at = self.view.at(frame, place);
        if !self.words[at].is_empty() {
            self.agenda.add(frame, self.view.knots.place(place));
        }
    }

    /// The lanes in which a place has a successor that is left.
    fn onward(&self, frame: FrameId, place: PlaceId, stats: &mut Stats) -> Lanes<W> {
        let view = self.view;
        let machine = view.machine();
        let edges = machine.edges_at(place);
        if let Place::Node(node) = machine.place(place) {
            let mode = view.mode(frame);
            let returns = || edges.iter().any(|edge| matches!(edge, Edge::Return(_)));
            let to_sink = || mode.sinks(machine) && self.operator.in_sink && returns();
            if mode.stays(machine, node) || to_sink() {
                return Lanes::ALL;
            }
        }
        let mut lanes = Lanes::NONE;
        for &edge in edges {
            stats.edges += 1;
            match edge {
                Edge::Step(to) => lanes |= self.words[view.at(frame, machine.node_place(to))],
                Edge::Call(call, entry) => {
                    for (callee, start, among) in view.called(frame, call, entry) {
                        let mut inner = self.words[view.at(callee, machine.node_place(entry))];
                        for (exit, site) in machine.sites_of(call) {
                            let back = self.summaries.reaches(start, machine.exit_pos(exit));
                            inner |= back & self.words[view.at(frame, site)];
                        }
                        lanes |= inner & among;
                    }
                }
                Edge::Return(_) => {}
            }
        }
        lanes
    }
}
