//! The moves of a layer: what the alternatives of a state and the edges of the program lead to.

use super::Proof;
use super::cover::Cover;
use crate::lasso::path_subformulas;
use crate::linear::laws::{Laws, is_promise};
use crate::moves::place_name;
use crate::reading::is_quantified;
use crate::refusal::{Refusal, Stopped};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::star_evidence::{StarLayer, StarSpot};
use tern_model::{
    BoxId, Budget, Edge, EndRule, ExitId, Formula, FormulaId, Id, NodeId, Obligation, Place,
};

/// One move, after which the obligations are those of a state, and the promises kept in it, as
/// bits.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) way: Way,
    pub(super) state: u32,
    pub(super) kept: u64,
}

#[derive(Clone, Copy)]
pub(super) enum Way {
    /// A step, or the program stays where it is, or it ends in the sink.
    To(StarSpot),
    /// Into the callee of a box, which is in this ground copy.
    Call(BoxId, NodeId, usize),
    Return(ExitId),
}

/// A layer that is being checked.
pub(super) struct Layer<'a, 'k> {
    pub(super) known: &'k Proof<'a>,
    pub(super) ground: &'k Cover,
    /// Which cover the ground is.
    below: usize,
    pub(super) written: &'k StarLayer,
    closure: Vec<FormulaId>,
    states: BTreeMap<&'k Vec<Obligation>, u32>,
    /// The laws for each set of propositions that some spot shows.
    laws: BTreeMap<Vec<FormulaId>, Laws<'a>>,
    pub(super) meter: Meter<'k>,
}

impl<'a, 'k> Layer<'a, 'k> {
    /// Looks that promises and states are of the formula that is sought.
    pub(super) fn new(
        known: &'k Proof<'a>,
        below: usize,
        written: &'k StarLayer,
        budget: &'k Budget,
    ) -> Result<Self, Refusal> {
        let formulas = known.formulas;
        let closure = path_subformulas(formulas, written.sought.formula);
        let inside: BTreeSet<FormulaId> = closure.iter().copied().collect();
        let both = |&formula: &FormulaId| [true, false].map(|holds| Obligation { formula, holds });
        let every: BTreeSet<Obligation> =
            closure.iter().flat_map(both).filter(|&it| is_promise(formulas, it)).collect();
        let named: BTreeSet<Obligation> = written.promises.iter().copied().collect();
        if written.promises.len() > 64 || named.len() != written.promises.len() || named != every {
            return Err(Refusal::new("the promises", "they are not those of the formula"));
        }
        let mut states = BTreeMap::new();
        for (number, state) in (0..).zip(&written.states) {
            let bad = |why: &str| Err(Refusal::new(format!("state {number}"), why));
            let sorted = state.windows(2).all(|pair| pair[0] < pair[1]);
            if !sorted || !state.iter().all(|it| inside.contains(&it.formula)) {
                return bad("not a sorted set of subformulas");
            }
            if states.insert(state, number).is_some() {
                return bad("it is there twice");
            }
        }
        let ground = &known.covers[below];
        let (laws, meter) = (BTreeMap::new(), Meter::new(budget));
        Ok(Layer { known, ground, below, written, closure, states, laws, meter })
    }

    /// The state of what is sought, if there is one.
    pub(super) fn sought(&self) -> Option<u32> {
        self.states.get(&vec![self.written.sought]).copied()
    }

    /// Looks that a copy, a spot in it and a state exist.
    pub(super) fn exists(&self, copy: u32, spot: StarSpot, state: u32) -> bool {
        let machine = self.known.machine;
        let copy = copy as usize;
        copy < self.ground.len()
            && (state as usize) < self.written.states.len()
            && match spot {
                StarSpot::At(place) => {
                    place.index() < machine.place_count()
                        && machine.component_of_place(place) == self.ground.component(copy)
                }
                StarSpot::Sink => machine.end_rule() == EndRule::Sink && self.ground.is_ended(copy),
            }
    }

    /// The propositions that are true at a node or in the sink.
    fn letter(
        &self,
        copy: usize,
        spot: StarSpot,
        node: Option<NodeId>,
    ) -> Result<Vec<FormulaId>, Refusal> {
        let mut letter = Vec::new();
        for &id in &self.closure {
            let formula = self.known.formulas.get(id);
            let holds = if is_quantified(formula) {
                let value = self.known.quantified(id, self.below, copy, spot);
                value.ok_or_else(|| {
                    let why = format!("no layer decides {}", self.known.formulas.show(id));
                    Refusal::new(self.place(copy, spot), why)
                })?
            } else {
                matches!(formula, Formula::Atom(_))
                    && node.is_some_and(|node| self.known.atom(id, node))
            };
            if holds {
                letter.push(id);
            }
        }
        Ok(letter)
    }

    /// The states that the alternatives lead to, each with the promises that are kept on the way.
    fn alternatives(
        &mut self,
        copy: usize,
        spot: StarSpot,
        node: Option<NodeId>,
        state: u32,
    ) -> Result<Vec<(u32, u64)>, Stopped> {
        let letter = self.letter(copy, spot, node)?;
        let (formulas, closure) = (self.known.formulas, &self.closure);
        let laws = match self.laws.entry(letter) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let letter = new.key().clone();
                let is_true = |id: FormulaId| letter.contains(&id);
                new.insert(Laws::new(formulas, closure, is_true, &mut self.meter)?)
            }
        };
        let obligations = &self.written.states[state as usize];
        laws.ways(obligations, &self.states, &self.written.promises, &mut self.meter)
            .map_err(|lack| lack.in_state(state))
    }

    /// All moves from a spot that exists.
    pub(super) fn moves(
        &mut self,
        copy: usize,
        spot: StarSpot,
        state: u32,
    ) -> Result<Vec<Move>, Stopped> {
        self.meter.tick()?;
        let machine = self.known.machine;
        let StarSpot::At(place) = spot else {
            let ways = self.alternatives(copy, spot, None, state)?.into_iter();
            return Ok(ways
                .map(|(state, kept)| Move { way: Way::To(spot), state, kept })
                .collect());
        };
        let mut ways = Vec::new();
        let alternatives = match machine.place(place) {
            // A return site is passed in no time.
            Place::Site(..) => {
                for &edge in machine.edges_at(place) {
                    ways.push(self.way(copy, spot, edge)?);
                }
                vec![(state, 0)]
            }
            Place::Node(node) => {
                let ended = self.ground.is_ended(copy);
                let (returns, others): (Vec<Edge>, Vec<Edge>) =
                    machine.edges(node).iter().partition(|edge| matches!(edge, Edge::Return(_)));
                for &edge in &others {
                    ways.push(self.way(copy, spot, edge)?);
                }
                let stays = self.ground.is_stuck(copy, node);
                if machine.edges(node).is_empty() || stays {
                    ways.push(Way::To(spot));
                } else if ended && !returns.is_empty() {
                    ways.push(Way::To(match machine.end_rule() {
                        EndRule::Loop => spot,
                        EndRule::Sink => StarSpot::Sink,
                    }));
                } else {
                    for &edge in &returns {
                        ways.push(self.way(copy, spot, edge)?);
                    }
                }
                self.alternatives(copy, spot, Some(node), state)?
            }
        };
        let all = alternatives
            .into_iter()
            .flat_map(|(state, kept)| ways.iter().map(move |&way| Move { way, state, kept }));
        Ok(all.collect())
    }

    fn way(&self, copy: usize, spot: StarSpot, edge: Edge) -> Result<Way, Refusal> {
        Ok(match edge {
            Edge::Step(to) => Way::To(StarSpot::At(self.known.machine.node_place(to))),
            Edge::Return(exit) => Way::Return(exit),
            Edge::Call(call, entry) => {
                let callee = self.ground.callee(copy, call).ok_or_else(|| {
                    Refusal::new(self.place(copy, spot), "it calls by a box that leads nowhere")
                })?;
                Way::Call(call, entry, callee)
            }
        })
    }

    /// Where, in words.
    pub(super) fn place(&self, copy: usize, spot: StarSpot) -> String {
        match spot {
            StarSpot::At(place) => {
                format!("copy {copy}, {}", place_name(self.known.machine, place))
            }
            StarSpot::Sink => format!("copy {copy}, the sink"),
        }
    }
}
