//! Follows all moves of a layer: derives the facts of its contracts, each with a rank, and finds
//! its vertices.
//!
//! Facts are derived from facts that are there, and get a rank above theirs; whatever follows from
//! a fact is derived when it comes off the queue, with what is known by then of the others that are
//! needed. So the last of them to come finds the rest.

use super::cover::CopyId;
use super::moves::{Move, Moves, Way};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::star_evidence::{Contract, Fact, StarSpot};
use tern_model::{BoxId, ExitId, Id, Limit, NodeId, Obligation, PlaceId, StateId, indices};

indices! {
    /// A spot of a copy with a state.
    pub(super) VertexId = "v";
    /// A called entry of a copy with a state, and what is known of its frame.
    pub(super) ContractId = "c";
    /// What a fact of a contract is about.
    GoalId = "g";
    /// The rank of a fact: it is above those of the facts that it is derived from.
    Rank = "r";
}

/// What a fact of a contract is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Place(PlaceId),
    Exit(ExitId),
}

struct Goal {
    contract: ContractId,
    at: At,
    state: StateId,
    /// The rank of being reached, and of being reached with each promise kept, as far as these are
    /// facts.
    ranks: Box<[Option<Rank>]>,
    moves: Rc<[Next]>,
}

/// Where a move leads from a fact, and its marks.
#[derive(Clone, Copy)]
enum Next {
    Goal(GoalId, Marks),
    /// Through a callee, by its contract.
    Call(BoxId, ContractId, Marks),
}

struct Contracted {
    copy: CopyId,
    entry: NodeId,
    state: StateId,
    /// What is reached, and how it is left.
    goals: Vec<GoalId>,
    leaves: Vec<GoalId>,
    callers: Vec<Caller>,
}

#[derive(Clone, Copy)]
enum Caller {
    /// A fact of some contract calls by a box, with marks.
    Goal(GoalId, BoxId, Marks),
    Vertex(VertexId, BoxId),
}

/// A move from a vertex.
#[derive(Clone, Copy)]
pub(super) struct Onward {
    pub(super) to: VertexId,
    pub(super) marks: Marks,
    /// Whether it stays in the frame.
    pub(super) within: bool,
    /// The contract by which it steps over a call.
    pub(super) contract: Option<ContractId>,
}

/// A spot of a copy with a state.
pub(super) type Vertex = (CopyId, StarSpot, StateId);

/// All that was found.
#[derive(Default)]
pub(super) struct Explored {
    pub(super) states: Table<StateId, Vec<Obligation>>,
    pub(super) contracts: Table<ContractId, Contract>,
    pub(super) vertices: Table<VertexId, Vertex>,
    pub(super) vertex_ids: FxHashMap<Vertex, VertexId>,
    /// For each vertex, its moves within the frame or deeper.
    pub(super) inner: Table<VertexId, Vec<Onward>>,
    /// For each vertex, the contracts of its calls.
    pub(super) calls: Table<VertexId, Vec<ContractId>>,
    /// For each vertex, the states that its alternatives lead to.
    pub(super) next: Table<VertexId, Vec<StateId>>,
    /// For each contract, the contracts of the calls inside.
    pub(super) calls_inside: Table<ContractId, Vec<ContractId>>,
    /// For each vertex, the exits by which it returns, with the states.
    pub(super) outs: Table<VertexId, Vec<(ExitId, StateId)>>,
}

pub(super) struct Explorer<'a> {
    moves: Moves<'a>,
    /// Whether what goes on after a return is of interest.
    open: bool,
    contract_ids: FxHashMap<(CopyId, NodeId, StateId), ContractId>,
    contracts: Table<ContractId, Contracted>,
    goal_ids: FxHashMap<(ContractId, At, StateId), GoalId>,
    goals: Table<GoalId, Goal>,
    vertex_ids: FxHashMap<Vertex, VertexId>,
    vertices: Table<VertexId, Vertex>,
    vertex_moves: Table<VertexId, Vec<Move>>,
    /// Facts whose consequences are not derived yet.
    facts: VecDeque<GoalId>,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(moves: Moves<'a>, open: bool) -> Self {
        Explorer {
            moves,
            open,
            contract_ids: FxHashMap::default(),
            contracts: Table::new(),
            goal_ids: FxHashMap::default(),
            goals: Table::new(),
            vertex_ids: FxHashMap::default(),
            vertices: Table::new(),
            vertex_moves: Table::new(),
            facts: VecDeque::new(),
        }
    }

    /// Follows all moves from some spots with what is sought; says the state of that.
    pub(super) fn run(
        &mut self,
        wanted: &[(CopyId, StarSpot)],
        meter: &mut Meter<'_>,
    ) -> Result<StateId, Limit> {
        let first = self.moves.reader.initial()[0];
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

    fn vertex(&mut self, copy: CopyId, spot: StarSpot, state: StateId) -> VertexId {
        let Explorer { vertices, vertex_ids, .. } = self;
        let vertex = (copy, spot, state);
        *vertex_ids.entry(vertex).or_insert_with(|| vertices.push(vertex))
    }

    /// Follows the moves of the next vertex.
    fn expand(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let id = VertexId::new(self.vertex_moves.len());
        let (copy, spot, state) = self.vertices[id];
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
                    self.contracts[contract].callers.push(caller);
                    for leave in self.contracts[contract].leaves.clone() {
                        self.come_back(caller, leave);
                    }
                }
                Way::Return(exit) if self.open => {
                    for &(caller, call) in &self.moves.cover.callers[copy] {
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

    fn contract(&mut self, copy: CopyId, entry: NodeId, state: StateId) -> ContractId {
        if let Some(&known) = self.contract_ids.get(&(copy, entry, state)) {
            return known;
        }
        let (goals, leaves, callers) = (Vec::new(), Vec::new(), Vec::new());
        let contract = Contracted { copy, entry, state, goals, leaves, callers };
        let id = self.contracts.push(contract);
        self.contract_ids.insert((copy, entry, state), id);
        let first = self.goal(id, At::Place(self.moves.cover.machine.node_place(entry)), state);
        self.derive(first, 0, Rank::new(0));
        id
    }

    fn goal(&mut self, contract: ContractId, at: At, state: StateId) -> GoalId {
        let Explorer { goals, goal_ids, contracts, moves, .. } = self;
        *goal_ids.entry((contract, at, state)).or_insert_with(|| {
            let ranks = vec![None; moves.tableau().promises().len() + 1].into();
            let id = goals.push(Goal { contract, at, state, ranks, moves: Rc::new([]) });
            let Contracted { goals, leaves, .. } = &mut contracts[contract];
            match at {
                At::Place(_) => goals.push(id),
                At::Exit(_) => leaves.push(id),
            }
            id
        })
    }

    /// Notes a fact, unless it is known: being reached (0), or with a promise kept (its number and
    /// one).
    fn derive(&mut self, goal: GoalId, what: usize, rank: Rank) {
        let known = &mut self.goals[goal].ranks[what];
        if known.is_none() {
            *known = Some(rank);
            self.facts.push_back(goal);
        }
    }

    /// Derives all that follows from what is known of a goal.
    fn derive_from(&mut self, id: GoalId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        meter.tick()?;
        let Goal { contract, at, state, .. } = self.goals[id];
        let At::Place(place) = at else {
            for caller in self.contracts[contract].callers.clone() {
                meter.tick()?;
                self.come_back(caller, id);
            }
            return Ok(());
        };
        if self.goals[id].moves.is_empty() {
            let copy = self.contracts[contract].copy;
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
                    self.contracts[callee].callers.push(caller);
                    Next::Call(call, callee, marks)
                }
            });
            let next = next.collect();
            self.goals[id].moves = next;
        }
        for &next in Rc::clone(&self.goals[id].moves).iter() {
            meter.tick()?;
            match next {
                Next::Goal(to, marks) => self.pass(id, None, marks, to),
                Next::Call(call, callee, marks) => {
                    for leave in self.contracts[callee].leaves.clone() {
                        meter.tick()?;
                        self.come_back(Caller::Goal(id, call, marks), leave);
                    }
                }
            }
        }
        Ok(())
    }

    /// A caller goes on after a contract was left.
    fn come_back(&mut self, caller: Caller, leave: GoalId) {
        let Goal { at: At::Exit(exit), state, .. } = self.goals[leave] else { return };
        let (Caller::Goal(_, call, _) | Caller::Vertex(_, call)) = caller;
        let Some(site) = self.moves.cover.machine.site(call, exit) else { return };
        match caller {
            Caller::Vertex(vertex, _) => {
                let copy = self.vertices[vertex].0;
                self.vertex(copy, StarSpot::At(site), state);
            }
            Caller::Goal(from, _, marks) => {
                let to = self.goal(self.goals[from].contract, At::Place(site), state);
                self.pass(from, Some(leave), marks, to);
            }
        }
    }

    /// Derives what a move from one goal to another says, perhaps through a leave of a callee.
    fn pass(&mut self, from: GoalId, through: Option<GoalId>, marks: Marks, to: GoalId) {
        for what in 0..self.goals[to].ranks.len() {
            if self.goals[to].ranks[what].is_none()
                && let Some(least) = self.least_reason(from, through, marks, what)
            {
                self.derive(to, what, Rank::new(least.index() + 1));
            }
        }
    }

    /// The least rank of the facts from which it follows that a move is made, or that it is made
    /// with a promise kept: by the move itself, before it, or in the callee that it leads through.
    fn least_reason(
        &self,
        from: GoalId,
        through: Option<GoalId>,
        marks: Marks,
        what: usize,
    ) -> Option<Rank> {
        let rank = |goal: GoalId, what: usize| self.goals[goal].ranks[what];
        // Both must be facts, if there are two.
        let with = |before: usize, inside: usize| match through {
            None => rank(from, before),
            Some(leave) => {
                rank(from, before).zip(rank(leave, inside)).map(|(one, other)| one.max(other))
            }
        };
        let Some(promise) = what.checked_sub(1) else { return with(0, 0) };
        let by_move = if marks >> promise & 1 == 1 { with(0, 0) } else { None };
        let inside = through.and_then(|_| with(0, what));
        [by_move, with(what, 0), inside].into_iter().flatten().min()
    }

    /// Writes down what was found.
    pub(super) fn finish(self, meter: &mut Meter<'_>) -> Result<Explored, Limit> {
        let machine = self.moves.cover.machine;
        let (mut inner, mut outs, mut calls) = (Table::new(), Table::new(), Table::new());
        for (vertex, moves) in self.vertex_moves.iter() {
            let (copy, ..) = self.vertices[vertex];
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
                        for &leave in &self.contracts[contract].leaves {
                            meter.tick()?;
                            let Goal { at: At::Exit(exit), state, .. } = self.goals[leave] else {
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
        let next = self.vertex_moves.as_slice().iter().map(next).collect();
        let mut calls_inside = Table::filled(Vec::new(), self.contracts.len());
        for goal in self.goals.as_slice() {
            let called = goal.moves.iter().filter_map(|next| match *next {
                Next::Call(_, callee, _) => Some(callee),
                Next::Goal(..) => None,
            });
            calls_inside[goal.contract].extend(called);
            meter.tick()?;
        }
        let contracts = self.contracts.as_slice().iter();
        let contracts = contracts.map(|contract| self.written(contract)).collect();
        let tableau = self.moves.tableau();
        let states = (0..tableau.state_count())
            .map(|state| tableau.obligations(StateId::new(state)).to_vec())
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

    fn kept(&self, goal: GoalId) -> Marks {
        let ranks = self.goals[goal].ranks[1..].iter().enumerate();
        ranks.filter(|(_, rank)| rank.is_some()).fold(0, |bits, (promise, _)| bits | 1 << promise)
    }

    fn written(&self, contract: &Contracted) -> Contract {
        let fact = |goal: &Goal| Fact {
            state: super::number(goal.state),
            rank: super::number(goal.ranks[0].expect("what is kept is reached")),
            kept: (0..)
                .zip(&goal.ranks[1..])
                .filter_map(|(promise, &rank)| Some((promise, super::number(rank?))))
                .collect(),
        };
        let (mut reached, mut leaves) = (Vec::new(), Vec::new());
        for &goal in contract.goals.iter().chain(&contract.leaves) {
            let goal = &self.goals[goal];
            match goal.at {
                At::Place(place) => reached.push((place, fact(goal))),
                At::Exit(exit) => leaves.push((exit, fact(goal))),
            }
        }
        let Contracted { copy, entry, state, .. } = *contract;
        let (copy, state) = (super::number(copy), super::number(state));
        Contract { copy, entry, state, reached, leaves }
    }
}
