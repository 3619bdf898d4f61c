//! Follows all moves of a layer: derives the facts of its contracts, each with a rank, and finds its vertices.
//!
//! Facts are derived from facts that are there, and get a rank above theirs; whatever follows from a fact is
//! derived when it comes off the queue, with what is known by then of the others that are needed. So the last of them to
//! come finds the rest.

use super::moves::{Move, Moves, Way};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::star_evidence::{Contract, Fact, StarSpot};
use tern_model::{Acceptor, BoxId, ExitId, Id, Limit, NodeId, Obligation, PlaceId, StateId};

/// The rank of what is not a fact.
const NEVER: u32 = u32::MAX;

/// What a fact of a contract is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Place(PlaceId),
    Exit(ExitId),
}

struct Goal {
    contract: u32,
    at: At,
    state: StateId,
    /// The rank of being reached, and of being reached with each promise kept.
    ranks: Box<[u32]>,
    moves: Rc<[Next]>,
}

/// Where a move leads from a fact, and its marks.
#[derive(Clone, Copy)]
enum Next {
    Goal(u32, Marks),
    /// Through a callee, by its contract.
    Call(BoxId, u32, Marks),
}

struct Contracted {
    copy: u32,
    entry: NodeId,
    state: StateId,
    /// What is reached, and how it is left.
    goals: Vec<u32>,
    leaves: Vec<u32>,
    callers: Vec<Caller>,
}

#[derive(Clone, Copy)]
enum Caller {
    /// A fact of some contract calls by a box, with marks.
    Goal(u32, BoxId, Marks),
    Vertex(u32, BoxId),
}

/// A move from a vertex.
#[derive(Clone, Copy)]
pub(super) struct Onward {
    pub(super) to: u32,
    pub(super) marks: Marks,
    /// Whether it stays in the frame.
    pub(super) within: bool,
    /// The contract by which it steps over a call.
    pub(super) contract: Option<u32>,
}

/// All that was found.
#[derive(Default)]
pub(super) struct Explored {
    pub(super) states: Vec<Vec<Obligation>>,
    pub(super) contracts: Vec<Contract>,
    pub(super) vertices: Vec<(u32, StarSpot, StateId)>,
    pub(super) vertex_ids: FxHashMap<(u32, StarSpot, StateId), u32>,
    /// For each vertex, its moves within the frame or deeper.
    pub(super) inner: Vec<Vec<Onward>>,
    /// For each vertex, the contracts of its calls.
    pub(super) calls: Vec<Vec<u32>>,
    /// For each vertex, the states that its alternatives lead to.
    pub(super) next: Vec<Vec<StateId>>,
    /// For each contract, the contracts of the calls inside.
    pub(super) calls_inside: Vec<Vec<u32>>,
    /// For each vertex, the exits by which it returns, with the states.
    pub(super) outs: Vec<Vec<(ExitId, StateId)>>,
}

pub(super) struct Explorer<'a> {
    moves: Moves<'a>,
    /// Whether what goes on after a return is of interest.
    open: bool,
    contract_ids: FxHashMap<(u32, NodeId, StateId), u32>,
    contracts: Vec<Contracted>,
    goal_ids: FxHashMap<(u32, At, StateId), u32>,
    goals: Vec<Goal>,
    vertex_ids: FxHashMap<(u32, StarSpot, StateId), u32>,
    vertices: Vec<(u32, StarSpot, StateId)>,
    vertex_moves: Vec<Vec<Move>>,
    /// Facts whose consequences are not derived yet.
    facts: VecDeque<u32>,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(moves: Moves<'a>, open: bool) -> Self {
        Explorer {
            moves,
            open,
            contract_ids: FxHashMap::default(),
            contracts: Vec::new(),
            goal_ids: FxHashMap::default(),
            goals: Vec::new(),
            vertex_ids: FxHashMap::default(),
            vertices: Vec::new(),
            vertex_moves: Vec::new(),
            facts: VecDeque::new(),
        }
    }

    /// Follows all moves from some spots with what is sought; says the state of that.
    pub(super) fn run(
        &mut self,
        wanted: &[(u32, StarSpot)],
        meter: &mut Meter<'_>,
    ) -> Result<StateId, Limit> {
        let first = self.moves.tableau.initial()[0];
        for &(copy, spot) in wanted {
            meter.tick()?;
            self.vertex(copy, spot, first);
        }
        loop {
            if let Some(goal) = self.facts.pop_front() {
                self.derive_from(goal, meter)?;
            } else if self.vertex_moves.len() < self.vertices.len() {
                self.expand(meter)?;
            } else {
                return Ok(first);
            }
        }
    }

    fn vertex(&mut self, copy: u32, spot: StarSpot, state: StateId) -> u32 {
        let Explorer { vertices, vertex_ids, .. } = self;
        *vertex_ids.entry((copy, spot, state)).or_insert_with(|| {
            vertices.push((copy, spot, state));
            u32::try_from(vertices.len() - 1).expect("fewer than 2^32 vertices")
        })
    }

    /// Follows the moves of the next vertex.
    fn expand(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let id = self.vertex_moves.len() as u32;
        let (copy, spot, state) = self.vertices[id as usize];
        let moves = self.moves.of(copy, spot, state)?;
        for &Move { way, state, .. } in &moves {
            meter.tick()?;
            match way {
                Way::To(to) => {
                    self.vertex(copy, to, state);
                }
                Way::Call(call, entry, callee) => {
                    let at = StarSpot::At(self.moves.cover.machine.node_place(entry));
                    self.vertex(callee, at, state);
                    let contract = self.contract(callee, entry, state);
                    let caller = Caller::Vertex(id, call);
                    self.contracts[contract as usize].callers.push(caller);
                    for leave in self.contracts[contract as usize].leaves.clone() {
                        self.come_back(caller, leave);
                    }
                }
                Way::Return(exit) if self.open => {
                    for &(caller, call) in &self.moves.cover.callers[copy as usize] {
                        meter.tick()?;
                        if let Some(site) = self.moves.cover.machine.site(call, exit) {
                            self.vertex(caller, StarSpot::At(site), state);
                        }
                    }
                }
                Way::Return(_) => {}
            }
        }
        self.vertex_moves.push(moves);
        Ok(())
    }

    fn contract(&mut self, copy: u32, entry: NodeId, state: StateId) -> u32 {
        if let Some(&known) = self.contract_ids.get(&(copy, entry, state)) {
            return known;
        }
        let id = u32::try_from(self.contracts.len()).expect("fewer than 2^32 contracts");
        self.contract_ids.insert((copy, entry, state), id);
        let (goals, leaves, callers) = (Vec::new(), Vec::new(), Vec::new());
        self.contracts.push(Contracted { copy, entry, state, goals, leaves, callers });
        let first = self.goal(id, At::Place(self.moves.cover.machine.node_place(entry)), state);
        self.derive(first, 0, 0);
        id
    }

    fn goal(&mut self, contract: u32, at: At, state: StateId) -> u32 {
        let Explorer { goals, goal_ids, contracts, moves, .. } = self;
        *goal_ids.entry((contract, at, state)).or_insert_with(|| {
            let id = u32::try_from(goals.len()).expect("fewer than 2^32 facts");
            let ranks = vec![NEVER; moves.tableau.promises().len() + 1].into();
            goals.push(Goal { contract, at, state, ranks, moves: Rc::new([]) });
            let Contracted { goals, leaves, .. } = &mut contracts[contract as usize];
            match at {
                At::Place(_) => goals.push(id),
                At::Exit(_) => leaves.push(id),
            }
            id
        })
    }

    /// Notes a fact, unless it is known: being reached (0), or with a promise kept (its number and one).
    fn derive(&mut self, goal: u32, what: usize, rank: u32) {
        let known = &mut self.goals[goal as usize].ranks[what];
        if *known == NEVER {
            *known = rank;
            self.facts.push_back(goal);
        }
    }

    /// Derives all that follows from what is known of a goal.
    fn derive_from(&mut self, id: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        meter.tick()?;
        let Goal { contract, at, state, .. } = self.goals[id as usize];
        let At::Place(place) = at else {
            for caller in self.contracts[contract as usize].callers.clone() {
                meter.tick()?;
                self.come_back(caller, id);
            }
            return Ok(());
        };
        if self.goals[id as usize].moves.is_empty() {
            let copy = self.contracts[contract as usize].copy;
            let moves = self.moves.of(copy, StarSpot::At(place), state)?;
            let next = moves.iter().map(|&Move { way, state, marks }| match way {
                Way::To(StarSpot::At(to)) => {
                    Next::Goal(self.goal(contract, At::Place(to), state), marks)
                }
                Way::To(StarSpot::Sink) => unreachable!("only an empty stack leads to the sink"),
                Way::Return(exit) => Next::Goal(self.goal(contract, At::Exit(exit), state), marks),
                Way::Call(call, entry, callee) => {
                    let callee = self.contract(callee, entry, state);
                    let caller = Caller::Goal(id, call, marks);
                    self.contracts[callee as usize].callers.push(caller);
                    Next::Call(call, callee, marks)
                }
            });
            let next = next.collect();
            self.goals[id as usize].moves = next;
        }
        for &next in Rc::clone(&self.goals[id as usize].moves).iter() {
            meter.tick()?;
            match next {
                Next::Goal(to, marks) => self.pass(id, None, marks, to),
                Next::Call(call, callee, marks) => {
                    for leave in self.contracts[callee as usize].leaves.clone() {
                        meter.tick()?;
                        self.come_back(Caller::Goal(id, call, marks), leave);
                    }
                }
            }
        }
        Ok(())
    }

    /// A caller goes on after a contract was left.
    fn come_back(&mut self, caller: Caller, leave: u32) {
        let Goal { at: At::Exit(exit), state, .. } = self.goals[leave as usize] else { return };
        let (Caller::Goal(_, call, _) | Caller::Vertex(_, call)) = caller;
        let Some(site) = self.moves.cover.machine.site(call, exit) else { return };
        match caller {
            Caller::Vertex(vertex, _) => {
                let copy = self.vertices[vertex as usize].0;
                self.vertex(copy, StarSpot::At(site), state);
            }
            Caller::Goal(from, _, marks) => {
                let to = self.goal(self.goals[from as usize].contract, At::Place(site), state);
                self.pass(from, Some(leave), marks, to);
            }
        }
    }

    /// Derives what a move from one goal to another says, perhaps through a leave of a callee.
    fn pass(&mut self, from: u32, through: Option<u32>, marks: Marks, to: u32) {
        let rank = |goal: u32, what: usize| self.goals[goal as usize].ranks[what];
        let through_rank = through.map_or(0, |leave| rank(leave, 0));
        let plain = rank(from, 0).max(through_rank);
        let count = self.goals[to as usize].ranks.len();
        for what in 0..count {
            if self.goals[to as usize].ranks[what] != NEVER {
                continue;
            }
            let rank = |goal: u32, what: usize| self.goals[goal as usize].ranks[what];
            let least = if what == 0 {
                plain
            } else {
                let by_move = if marks >> (what - 1) & 1 == 1 { plain } else { NEVER };
                let before = rank(from, what).max(through_rank);
                let inside = through.map_or(NEVER, |leave| rank(leave, what).max(rank(from, 0)));
                by_move.min(before).min(inside)
            };
            if least != NEVER {
                self.derive(to, what, least + 1);
            }
        }
    }

    /// Writes down what was found.
    pub(super) fn finish(self, meter: &mut Meter<'_>) -> Result<Explored, Limit> {
        let machine = self.moves.cover.machine;
        let (mut inner, mut outs, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for (&(copy, ..), moves) in self.vertices.iter().zip(&self.vertex_moves) {
            let (mut onward, mut out, mut called) = (Vec::new(), Vec::new(), Vec::new());
            for &Move { way, state, marks } in moves {
                meter.tick()?;
                match way {
                    Way::To(to) => {
                        let to = self.vertex_ids[&(copy, to, state)];
                        onward.push(Onward { to, marks, within: true, contract: None });
                    }
                    Way::Return(exit) => out.push((exit, state)),
                    Way::Call(call, entry, callee) => {
                        let at = StarSpot::At(machine.node_place(entry));
                        let to = self.vertex_ids[&(callee, at, state)];
                        onward.push(Onward { to, marks, within: false, contract: None });
                        let contract = self.contract_ids[&(callee, entry, state)];
                        called.push(contract);
                        for &leave in &self.contracts[contract as usize].leaves {
                            meter.tick()?;
                            let Goal { at: At::Exit(exit), state, .. } = self.goals[leave as usize]
                            else {
                                continue;
                            };
                            let Some(site) = machine.site(call, exit) else { continue };
                            let to = self.vertex_ids[&(copy, StarSpot::At(site), state)];
                            let marks = marks | self.kept(leave);
                            let contract = Some(contract);
                            onward.push(Onward { to, marks, within: true, contract });
                        }
                    }
                }
            }
            inner.push(onward);
            outs.push(out);
            calls.push(called);
        }
        let next = |moves: &Vec<Move>| moves.iter().map(|step| step.state).collect();
        let next = self.vertex_moves.iter().map(next).collect();
        let mut calls_inside = vec![Vec::new(); self.contracts.len()];
        for goal in &self.goals {
            let called = goal.moves.iter().filter_map(|next| match *next {
                Next::Call(_, callee, _) => Some(callee),
                Next::Goal(..) => None,
            });
            calls_inside[goal.contract as usize].extend(called);
            meter.tick()?;
        }
        let contracts = self.contracts.iter().map(|contract| self.written(contract)).collect();
        let states = (0..self.moves.tableau.state_count())
            .map(|state| self.moves.tableau.obligations(StateId::new(state)).to_vec())
            .collect();
        let Explorer { vertices, vertex_ids, .. } = self;
        Ok(Explored {
            states,
            contracts,
            vertices,
            vertex_ids,
            inner,
            calls,
            next,
            calls_inside,
            outs,
        })
    }

    fn kept(&self, goal: u32) -> Marks {
        let ranks = self.goals[goal as usize].ranks[1..].iter().enumerate();
        ranks.filter(|&(_, &rank)| rank != NEVER).fold(0, |bits, (promise, _)| bits | 1 << promise)
    }

    fn written(&self, contract: &Contracted) -> Contract {
        let fact = |goal: &Goal| Fact {
            state: super::number(goal.state),
            rank: goal.ranks[0],
            kept: (0..)
                .zip(&goal.ranks[1..])
                .filter(|&(_, &rank)| rank != NEVER)
                .map(|(promise, &rank)| (promise, rank))
                .collect(),
        };
        let (mut reached, mut leaves) = (Vec::new(), Vec::new());
        for &goal in contract.goals.iter().chain(&contract.leaves) {
            let goal = &self.goals[goal as usize];
            match goal.at {
                At::Place(place) => reached.push((place, fact(goal))),
                At::Exit(exit) => leaves.push((exit, fact(goal))),
            }
        }
        let Contracted { copy, entry, state, .. } = *contract;
        Contract { copy, entry, state: super::number(state), reached, leaves }
    }
}
