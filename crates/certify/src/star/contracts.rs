//! Checks the contracts of a layer: what is reached in a called component, and how that is left, is
//! all there is (closed under moves) and all true (every fact has a reason of smaller rank).

use super::moves::{Layer, Move, Way};
use crate::moves::node_name;
use crate::refusal::{Refusal, Stopped};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::star_evidence::{Fact, StarSpot};
use tern_model::{ExitId, Id, NodeId, PlaceId};

/// Where a fact is about: a contract, a place or exit, and a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    Reached(usize, PlaceId, u32),
    Left(usize, ExitId, u32),
}

pub(super) fn check(layer: &mut Layer<'_, '_>) -> Result<(), Stopped> {
    let mut check = Check::new(layer)?;
    for (number, contract) in check.layer.written.contracts.iter().enumerate() {
        for (place, fact) in &contract.reached {
            let spot = StarSpot::At(*place);
            for step in check.layer.moves(contract.copy as usize, spot, fact.state)? {
                check.follow(number, fact, step)?;
            }
        }
    }
    Ok(check.all_have_reasons()?)
}

struct Check<'a, 'k, 'l> {
    layer: &'l mut Layer<'a, 'k>,
    contracts: BTreeMap<(usize, NodeId, u32), usize>,
    facts: BTreeMap<Goal, &'k Fact>,
    /// The facts that have a reason: that something is reached, or that it is with a promise kept.
    reasons: BTreeSet<(Goal, Option<u32>)>,
}

impl<'a, 'k, 'l> Check<'a, 'k, 'l> {
    /// Looks that all ids are in range, nothing is said twice, and each contract begins at its
    /// entry.
    fn new(layer: &'l mut Layer<'a, 'k>) -> Result<Self, Refusal> {
        let (machine, written) = (layer.known.machine, layer.written);
        let promises = written.promises.len();
        let (mut contracts, mut facts) = (BTreeMap::new(), BTreeMap::new());
        let mut reasons = BTreeSet::new();
        for (number, contract) in written.contracts.iter().enumerate() {
            let bad = |why: &str| Err(Refusal::new(format!("contract {number}"), why));
            let copy = contract.copy as usize;
            if copy >= layer.ground.len() || layer.ground.is_ended(copy) {
                return bad("there is no such copy, or nobody calls it");
            }
            if contract.entry.index() >= machine.node_count() {
                return bad("there is no such entry");
            }
            if contracts.insert((copy, contract.entry, contract.state), number).is_some() {
                return bad("it is there twice");
            }
            let component = layer.ground.component(copy);
            let reached = contract.reached.iter().map(|(place, fact)| {
                let fits = layer.exists(contract.copy, StarSpot::At(*place), fact.state);
                (Goal::Reached(number, *place, fact.state), fact, fits)
            });
            let left = contract.leaves.iter().map(|(exit, fact)| {
                let fits = exit.index() < machine.exit_count()
                    && machine.component_of_exit(*exit) == component
                    && (fact.state as usize) < written.states.len();
                (Goal::Left(number, *exit, fact.state), fact, fits)
            });
            for (goal, fact, fits) in reached.chain(left) {
                let sorted = fact.kept.windows(2).all(|pair| pair[0].0 < pair[1].0);
                let known = fact.kept.iter().all(|&(promise, _)| (promise as usize) < promises);
                if !fits || !sorted || !known {
                    return bad("a fact has no such place, exit, state or promise");
                }
                if facts.insert(goal, fact).is_some() {
                    return bad("a fact is there twice");
                }
            }
            let begin = Goal::Reached(number, machine.node_place(contract.entry), contract.state);
            if !facts.contains_key(&begin) {
                return bad("its entry is not reached");
            }
            reasons.insert((begin, None));
        }
        Ok(Check { layer, contracts, facts, reasons })
    }

    fn follow(&mut self, number: usize, from: &Fact, step: Move) -> Result<(), Refusal> {
        let Move { way, state, kept } = step;
        match way {
            Way::To(StarSpot::At(place)) => {
                self.arrive(from, None, kept, Goal::Reached(number, place, state))
            }
            Way::To(StarSpot::Sink) => {
                Err(Refusal::new(format!("contract {number}"), "it ends in the sink"))
            }
            Way::Return(exit) => self.arrive(from, None, kept, Goal::Left(number, exit, state)),
            Way::Call(call, entry, copy) => {
                let machine = self.layer.known.machine;
                let Some(&callee) = self.contracts.get(&(copy, entry, state)) else {
                    let place = format!("contract {number}, call of {}", node_name(machine, entry));
                    return Err(Refusal::new(place, format!("no contract in state {state}")));
                };
                for (exit, through) in &self.layer.written.contracts[callee].leaves {
                    if let Some(site) = machine.site(call, *exit) {
                        let goal = Goal::Reached(number, site, through.state);
                        self.arrive(from, Some(through), kept, goal)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A move from one fact to another, perhaps through a callee, which keeps some promises itself.
    fn arrive(
        &mut self,
        from: &Fact,
        through: Option<&Fact>,
        own: u64,
        goal: Goal,
    ) -> Result<(), Refusal> {
        let Some(&to) = self.facts.get(&goal) else {
            return Err(self.refusal(goal, "that this is reached is not said"));
        };
        let through_rank = through.map_or(0, |fact| fact.rank);
        let plain = from.rank.max(through_rank);
        if plain < to.rank {
            self.reasons.insert((goal, None));
        }
        for promise in 0..self.layer.written.promises.len() as u32 {
            // The ranks of the facts that keep the promise: by the move, on the way to it, or in
            // the callee.
            let by_move = (own >> promise & 1 == 1).then_some(plain);
            let before = rank_of(from, promise).map(|rank| rank.max(through_rank));
            let inside = through.and_then(|fact| rank_of(fact, promise));
            let inside = inside.map(|rank| rank.max(from.rank));
            let Some(least) = [by_move, before, inside].into_iter().flatten().min() else {
                continue;
            };
            match rank_of(to, promise) {
                None => return Err(self.refusal(goal, "a promise kept on the way is not noted")),
                Some(rank) if least < rank => {
                    self.reasons.insert((goal, Some(promise)));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn all_have_reasons(&self) -> Result<(), Refusal> {
        for (&goal, fact) in &self.facts {
            if !self.reasons.contains(&(goal, None)) {
                return Err(
                    self.refusal(goal, "that this is reached has no reason of smaller rank")
                );
            }
            for &(promise, _) in &fact.kept {
                if !self.reasons.contains(&(goal, Some(promise))) {
                    let why =
                        format!("that promise {promise} is kept has no reason of smaller rank");
                    return Err(self.refusal(goal, &why));
                }
            }
        }
        Ok(())
    }

    fn refusal(&self, goal: Goal, why: &str) -> Refusal {
        let machine = self.layer.known.machine;
        let place = match goal {
            Goal::Reached(number, place, state) => {
                let place = crate::moves::place_name(machine, place);
                format!("contract {number}, {place}, state {state}")
            }
            Goal::Left(number, exit, state) => {
                format!("contract {number}, exit {}, state {state}", machine.exit_name(exit))
            }
        };
        Refusal::new(place, why)
    }
}

fn rank_of(fact: &Fact, promise: u32) -> Option<u32> {
    let position = fact.kept.binary_search_by_key(&promise, |&(promise, _)| promise).ok()?;
    Some(fact.kept[position].1)
}

/// The promises that can be kept on the way, as bits.
pub(super) fn kept(fact: &Fact) -> u64 {
    fact.kept.iter().fold(0, |bits, &(promise, _)| bits | 1 << promise)
}
