//! Shortest runs to a goal, across calls and returns.
//!
//! `E [p U q]` is true in a configuration: which run of fewest moves shows it? The answer is found
//! by one search in the manner of Dijkstra, over *sections*. A section is a walk through one ground
//! frame of the operator's layer, from where it begins: the entry of a callee (a *start*), or, for
//! each box that is on the stack at the beginning, the place where its component goes on
//! (a *level*; the topmost begins at the node of the configuration). Within a section calls are
//! stepped over. What is derived of a section, with the fewest moves that it takes from its
//! beginning:
//!
//! * a place is reached: by a step; by a call, for as many moves as the callee takes to the exit;
//!   in a level also because the level above has left by an exit;
//! * an exit is reached, by a node that returns;
//! * a goal is reached: q holds at a node; or a callee, or the end of the program, has it.
//!
//! Each costs at least as much as what it is derived from, so when facts are taken cheapest first,
//! each is taken at its lowest cost (Knuth: A generalization of Dijkstra's algorithm, 1977). All
//! starts begin at once, whether they are called or not. The first goal of a level is the end of
//! the shortest run.
//!
//! # Why it ends
//! Each fact is settled once; there are as many as places and exits of all sections.

use crate::ctl::explain::operands::Operands;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Edge, ExitId, Formulas, Labelling, Layer, Limit, Machine, Move, MoveKind, NodeId, Place,
    PlaceId, TermId,
};

/// A shortest run, and where it has come to: a stack and a node, or `None` in the sink.
pub(crate) struct Found {
    pub(crate) moves: Vec<Move>,
    pub(crate) end: Option<(Vec<BoxId>, NodeId)>,
}

/// What is asked for.
pub(crate) struct Question<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) formulas: &'a Formulas,
    pub(crate) labelling: &'a Labelling,
    /// The layer of the operator, and the operator itself.
    pub(crate) layer: &'a Layer,
    pub(crate) pass: TermId,
    pub(crate) goal: TermId,
    /// The starts of the layer: a ground frame and an entry of its component.
    pub(crate) starts: &'a [(u32, NodeId)],
    /// Whether the goal is reached when the program ends.
    pub(crate) ends: bool,
    /// Where the run begins; `levels` are the ground frames of the stack, one more than it has
    /// boxes.
    pub(crate) stack: &'a [BoxId],
    pub(crate) levels: &'a [u32],
    pub(crate) node: NodeId,
    pub(crate) most_moves: usize,
}

/// Finds a shortest run; `None` if it has more moves than allowed.
pub(crate) fn find(question: &Question<'_>, meter: &mut Meter<'_>) -> Result<Option<Found>, Limit> {
    let mut search = Search::new(question, meter)?;
    let Some(level) = search.run(meter)? else { return Ok(None) };
    search.retrace(level, meter).map(Some)
}

/// A section, by position: first the starts, then the levels from the bottom of the stack.
type Section = u32;

/// Something that is derived.
#[derive(Clone, Copy)]
enum Fact {
    At(Section, PlaceId),
    Left(Section, ExitId),
    Goal(Section),
}

/// How a place was reached in the fewest moves so far.
#[derive(Clone, Copy)]
struct Reached {
    moves: u32,
    from: Origin,
}

#[derive(Clone, Copy)]
enum Origin {
    /// It is where the section begins.
    Beginning,
    Step(PlaceId),
    /// A return site: the place called this entry through the box of the site.
    Call(PlaceId, NodeId),
    /// A return site: the node of the level above returned.
    Above(NodeId),
}

/// How a goal was reached.
#[derive(Clone, Copy)]
enum Arrival {
    Here,
    In(BoxId, NodeId),
    Sink,
}

/// A section that waits for what comes of a call.
#[derive(Clone, Copy)]
struct Waiting {
    section: Section,
    from: PlaceId,
    call: BoxId,
    entry: NodeId,
    /// The moves to the entry.
    moves: u32,
}

const UNKNOWN: u32 = u32::MAX;

struct Search<'a> {
    question: &'a Question<'a>,
    operands: Operands<'a>,
    start_at: FxHashMap<(u32, NodeId), Section>,
    /// The places that sections have come to. Of a component with many entries each may come to a
    /// few.
    reached: FxHashMap<(Section, PlaceId), Reached>,
    left: FxHashMap<(Section, ExitId), (u32, NodeId)>,
    goals: Vec<(u32, PlaceId, Arrival)>,
    /// For starts: the exits that are settled, and who waits.
    exits: Vec<Vec<(ExitId, u32)>>,
    waiting: Vec<Vec<Waiting>>,
    /// What was derived and not yet taken, by moves.
    queue: BTreeMap<u32, Vec<Fact>>,
    most_moves: u32,
}

impl<'a> Search<'a> {
    fn new(question: &'a Question<'a>, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let Question { machine, layer, starts, levels, .. } = *question;
        let nowhere = (UNKNOWN, machine.node_place(question.node), Arrival::Here);
        let mut search = Search {
            question,
            operands: Operands::new(machine, question.formulas, question.labelling, layer),
            start_at: starts.iter().copied().zip(0..).collect(),
            goals: vec![nowhere; starts.len() + levels.len()],
            reached: FxHashMap::default(),
            left: FxHashMap::default(),
            exits: vec![Vec::new(); starts.len()],
            waiting: vec![Vec::new(); starts.len()],
            queue: BTreeMap::new(),
            most_moves: u32::try_from(question.most_moves).unwrap_or(UNKNOWN - 1).min(UNKNOWN - 1),
        };
        for (section, &(_, entry)) in (0..).zip(starts) {
            meter.tick()?;
            search.reach(section, machine.node_place(entry), 0, Origin::Beginning);
        }
        let top = search.level(levels.len() - 1);
        search.reach(top, machine.node_place(question.node), 0, Origin::Beginning);
        Ok(search)
    }

    fn level(&self, height: usize) -> Section {
        (self.question.starts.len() + height) as Section
    }

    /// The height of a level; `None` for a start.
    fn height(&self, section: Section) -> Option<usize> {
        (section as usize).checked_sub(self.question.starts.len())
    }

    fn ground(&self, section: Section) -> u32 {
        match self.height(section) {
            Some(height) => self.question.levels[height],
            None => self.question.starts[section as usize].0,
        }
    }

    /// The start that a call in a section leads to.
    fn called(&self, section: Section, call: BoxId, entry: NodeId) -> Section {
        let callees = &self.question.layer.ground[self.ground(section) as usize].callees;
        let found = callees.binary_search_by_key(&call, |&(call, _)| call);
        self.start_at[&(callees[found.expect("all boxes are linked")].1, entry)]
    }

    fn at(&self, section: Section, place: PlaceId) -> Reached {
        self.reached[&(section, place)]
    }

    fn reach(&mut self, section: Section, place: PlaceId, moves: u32, from: Origin) {
        if moves > self.most_moves {
            return;
        }
        let unknown = Reached { moves: UNKNOWN, from };
        let known = self.reached.entry((section, place)).or_insert(unknown);
        if moves < known.moves {
            *known = Reached { moves, from };
            self.queue.entry(moves).or_default().push(Fact::At(section, place));
        }
    }

    fn leave(&mut self, section: Section, exit: ExitId, moves: u32, node: NodeId) {
        let known = self.left.entry((section, exit)).or_insert((UNKNOWN, node));
        if moves < known.0 {
            *known = (moves, node);
            self.queue.entry(moves).or_default().push(Fact::Left(section, exit));
        }
    }

    fn arrive(&mut self, section: Section, place: PlaceId, moves: u32, how: Arrival) {
        if moves < self.goals[section as usize].0 && moves <= self.most_moves {
            self.goals[section as usize] = (moves, place, how);
            self.queue.entry(moves).or_default().push(Fact::Goal(section));
        }
    }

    /// Derives facts, cheapest first, until a level has a goal.
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Option<Section>, Limit> {
        // Facts that cost no more than one taken just now come into a new row for the same number.
        while let Some((moves, facts)) = self.queue.pop_first() {
            for fact in facts {
                meter.tick()?;
                self.check_room(meter)?;
                match fact {
                    Fact::At(section, place) if self.at(section, place).moves == moves => {
                        self.pass(section, place, moves, meter)?;
                    }
                    Fact::Left(section, exit) if self.left[&(section, exit)].0 == moves => {
                        self.exits[section as usize].push((exit, moves));
                        for i in 0..self.waiting[section as usize].len() {
                            meter.tick()?;
                            self.come_back(self.waiting[section as usize][i], exit, moves);
                        }
                    }
                    Fact::Goal(section) if self.goals[section as usize].0 == moves => {
                        if self.height(section).is_some() {
                            return Ok(Some(section));
                        }
                        for i in 0..self.waiting[section as usize].len() {
                            meter.tick()?;
                            let Waiting { section, from, call, entry, moves: before } =
                                self.waiting[section as usize][i];
                            let how = Arrival::In(call, entry);
                            self.arrive(section, from, before.saturating_add(moves), how);
                        }
                    }
                    _ => {} // a cheaper way was found meanwhile
                }
            }
        }
        Ok(None)
    }

    /// Asks for room before the table of places grows: it does so in jumps.
    fn check_room(&self, meter: &Meter<'_>) -> Result<(), Limit> {
        let (len, capacity) = (self.reached.len(), self.reached.capacity());
        if capacity - len > len / 16 {
            return Ok(());
        }
        let entry = size_of::<(Section, PlaceId)>() + size_of::<Reached>() + 1;
        meter.budget().check_room_for((capacity * 2 * entry) as u64)
    }

    fn come_back(&mut self, waiting: Waiting, exit: ExitId, moves: u32) {
        let Waiting { section, from, call, entry, moves: before } = waiting;
        if let Some(site) = self.question.machine.site(call, exit) {
            let origin = Origin::Call(from, entry);
            self.reach(section, site, before.saturating_add(moves), origin);
        }
    }

    /// Goes on from a place. A return takes no move of its own: it ends at a return site.
    fn pass(
        &mut self,
        section: Section,
        place: PlaceId,
        moves: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let machine = self.question.machine;
        if let Place::Node(node) = machine.place(place) {
            let ground = self.ground(section);
            let goal = self.operands.at(self.question.goal, ground, node);
            let pass = self.operands.at(self.question.pass, ground, node);
            if goal {
                self.arrive(section, place, moves, Arrival::Here);
            }
            if goal || !pass {
                return Ok(());
            }
        }
        for &edge in machine.edges_at(place) {
            meter.tick()?;
            match edge {
                Edge::Step(to) => {
                    self.reach(section, machine.node_place(to), moves + 1, Origin::Step(place));
                }
                Edge::Call(call, entry) => {
                    let callee = self.called(section, call, entry);
                    let waiting = Waiting { section, from: place, call, entry, moves: moves + 1 };
                    self.waiting[callee as usize].push(waiting);
                    let (to_goal, ..) = self.goals[callee as usize];
                    if to_goal <= moves {
                        let how = Arrival::In(call, entry);
                        self.arrive(section, place, waiting.moves.saturating_add(to_goal), how);
                    }
                    for i in 0..self.exits[callee as usize].len() {
                        meter.tick()?;
                        let (exit, to_exit) = self.exits[callee as usize][i];
                        self.come_back(waiting, exit, to_exit);
                    }
                }
                Edge::Return(exit) => {
                    let Place::Node(node) = machine.place(place) else { continue };
                    match self.height(section) {
                        None => self.leave(section, exit, moves, node),
                        Some(0) if self.question.ends => {
                            self.arrive(section, place, moves + 1, Arrival::Sink);
                        }
                        Some(0) => {}
                        Some(height) => {
                            if let Some(site) = machine.site(self.question.stack[height - 1], exit)
                            {
                                self.reach(section - 1, site, moves, Origin::Above(node));
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The moves of the run that a level's goal was reached by.
    fn retrace(&self, level: Section, meter: &mut Meter<'_>) -> Result<Found, Limit> {
        let machine = self.question.machine;
        let mut path = Path {
            moves: Vec::new(),
            stack: self.question.stack.to_vec(),
            node: self.question.node,
            left_by: None,
        };
        // What is still to be walked, the next last.
        let mut tasks = vec![Task::Goal(level)];
        while let Some(task) = tasks.pop() {
            meter.tick()?;
            match task {
                Task::Goal(section) => {
                    let (_, place, how) = self.goals[section as usize];
                    match how {
                        Arrival::Here => {}
                        Arrival::Sink => tasks.push(Task::Sink),
                        Arrival::In(call, entry) => {
                            tasks.push(Task::Goal(self.called(section, call, entry)));
                            tasks.push(Task::Enter(call, entry));
                        }
                    }
                    tasks.push(Task::To(section, place));
                }
                // Backwards, place by place, so that the first one is done first.
                Task::To(section, place) => match (self.at(section, place).from, place) {
                    (Origin::Beginning, _) => {}
                    (Origin::Step(from), place) => {
                        let Place::Node(node) = machine.place(place) else { continue };
                        tasks.extend([Task::Step(node), Task::To(section, from)]);
                    }
                    (Origin::Call(from, entry), place) => {
                        let Place::Site(call, exit) = machine.place(place) else { continue };
                        let callee = self.called(section, call, entry);
                        let (_, last) = self.left[&(callee, exit)];
                        tasks.push(Task::Leave(exit));
                        tasks.push(Task::To(callee, machine.node_place(last)));
                        tasks.push(Task::Enter(call, entry));
                        tasks.push(Task::To(section, from));
                    }
                    (Origin::Above(last), place) => {
                        let Place::Site(_, exit) = machine.place(place) else { continue };
                        tasks.push(Task::Leave(exit));
                        tasks.push(Task::To(section + 1, machine.node_place(last)));
                    }
                },
                Task::Step(node) => path.step(node),
                Task::Enter(call, entry) => path.enter(call, entry),
                Task::Leave(exit) => path.leave(exit),
                Task::Sink => {
                    path.moves.push(Move { kind: MoveKind::Sink, node: path.node });
                    return Ok(Found { moves: path.moves, end: None });
                }
            }
        }
        Ok(Found { moves: path.moves, end: Some((path.stack, path.node)) })
    }
}

enum Task {
    Goal(Section),
    To(Section, PlaceId),
    Step(NodeId),
    Enter(BoxId, NodeId),
    Leave(ExitId),
    Sink,
}

/// A run so far, and the configuration it has come to.
struct Path {
    moves: Vec<Move>,
    stack: Vec<BoxId>,
    node: NodeId,
    /// The exit by which a callee was left, while the run is at a return site.
    left_by: Option<ExitId>,
}

impl Path {
    fn made(&mut self, kind: MoveKind, node: NodeId) {
        self.moves.push(Move { kind, node });
        self.node = node;
    }

    fn step(&mut self, to: NodeId) {
        let kind = self.left_by.take().map_or(MoveKind::Step, MoveKind::Return);
        self.made(kind, to);
    }

    fn enter(&mut self, call: BoxId, entry: NodeId) {
        let kind = match self.left_by.take() {
            Some(exit) => MoveKind::ReturnAndCall(exit, call),
            None => MoveKind::Call(call),
        };
        self.stack.push(call);
        self.made(kind, entry);
    }

    fn leave(&mut self, exit: ExitId) {
        self.left_by = Some(exit);
        self.stack.pop();
    }
}
