//! Reading runs off a proved labelling.
//!
//! Nothing is searched for here: the proof of an `EU` says for every true place which successor is nearer
//! to the goal, the derivation of its summaries says how calls are got through, and from every
//! configuration in which `EG` is true some step leads to another. So a run is followed move by move.
//!
//! * `EU`: within a frame places come earlier and earlier in [`Frame::order`]; a call that is stepped over
//!   there is walked through here, along the [`Event`]s of the start; a return goes on in the caller.
//! * `EG`: the run is followed until it repeats itself: the same frame and node again, on a stack that has
//!   not been shorter since. If the stack is the same, it is a loop; if it has grown, the run pumps.
//!
//! Runs are as short as the proof happens to make them: near-shortest within a frame (the search that
//! gave the order went breadth first), not across calls. They may be exponentially long, since a call may
//! call twice what calls twice …; a run that exceeds the limit is given up.

use rustc_hash::FxHashMap;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{
    BoxId, Edge, EndRule, Ending, Event, ExitId, Formulas, Frame, Labelling, Layer, Machine, Move,
    MoveKind, NodeId, Place, PlaceId, Proof, Reason, Run, Story, TermId,
};

/// How many stories one story may be made of, and how deep they may nest.
const MOST_STORIES: usize = 500;
const DEEPEST: usize = 200;

/// Tells why a claim has its value at an initial node.
pub(crate) fn tell(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    node: NodeId,
    most_moves: usize,
) -> Option<Story> {
    let mut teller = Teller { machine, formulas, labelling, moves_left: most_moves, stories: 0 };
    teller.story(labelling.program.root, &[], node, 0)
}

struct Teller<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    labelling: &'a Labelling,
    moves_left: usize,
    stories: usize,
}

/// A run so far: its moves, and the configuration it has come to.
struct Walk<'a> {
    machine: &'a Machine,
    layer: &'a Layer,
    moves: Vec<Move>,
    stack: Vec<BoxId>,
    /// The frames that the stack leads through: one more than there are boxes.
    frames: Vec<u32>,
    node: NodeId,
    /// The exit by which a callee was left, while the run is at a return site.
    left_by: Option<ExitId>,
    most_moves: usize,
}

/// The run has become too long.
struct TooLong;

impl<'a> Teller<'a> {
    fn values(&self, stack: &[BoxId], node: NodeId) -> Option<Table<TermId, bool>> {
        self.labelling.terms_at(self.machine, self.formulas, stack, node)
    }

    fn story(
        &mut self,
        term: TermId,
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Option<Story> {
        let values = self.values(stack, node)?;
        let holds = values[term];
        self.stories += 1;
        if self.stories > MOST_STORIES || depth > DEEPEST {
            return Some(Story { term, holds, reason: Reason::TooLong });
        }
        let reason = match self.labelling.program.terms[term] {
            Term::True | Term::Atom(_) => Reason::Labels,
            Term::Not(f) => self.operands(&[f], stack, node, depth)?,
            Term::And(f, g) | Term::Or(f, g) => {
                // One operand decides a false `&` and a true `|`; otherwise both are needed.
                let decisive = matches!(self.labelling.program.terms[term], Term::Or(..));
                match (holds == decisive, [f, g].into_iter().find(|&f| values[f] == decisive)) {
                    (true, Some(one)) => self.operands(&[one], stack, node, depth)?,
                    _ => self.operands(&[f, g], stack, node, depth)?,
                }
            }
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) if !holds => Reason::AllPaths,
            Term::Ex(f) => self.next(f, stack, node, depth)?,
            Term::Eu(_, goal) => self.until(term, goal, stack, node, depth)?,
            Term::Eg(_) => self.globally(term, stack, node)?,
        };
        Some(Story { term, holds, reason })
    }

    fn operands(
        &mut self,
        terms: &[TermId],
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Option<Reason> {
        let stories: Option<Vec<Story>> =
            terms.iter().map(|&term| self.story(term, stack, node, depth + 1)).collect();
        Some(Reason::Operands(stories?))
    }

    fn walk(&self, term: TermId, stack: &[BoxId], node: NodeId) -> Option<Walk<'a>> {
        let layer = self.labelling.layers.iter().find(|layer| layer.term == term)?;
        let bottom = match stack.first() {
            Some(&call) => self.machine.component_of_box(call),
            None => self.machine.component_of(node),
        };
        let mut frames = vec![layer.roots.iter().find(|(root, _)| *root == bottom)?.1];
        for &call in stack {
            frames.push(callee(&layer.frames[*frames.last()? as usize], call)?);
        }
        Some(Walk {
            machine: self.machine,
            layer,
            moves: Vec::new(),
            stack: stack.to_vec(),
            frames,
            node,
            left_by: None,
            most_moves: self.moves_left,
        })
    }

    /// A run of one move to where the operand holds.
    fn next(
        &mut self,
        operand: TermId,
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Option<Reason> {
        for (moved, to) in successors(self.machine, stack, node) {
            let Some(to) = to else {
                // The sink: it is the only way on, so the operand holds there.
                continue;
            };
            if self.values(&to, moved.node)?[operand] {
                let then = self.story(operand, &to, moved.node, depth + 1)?;
                let run =
                    Run { moves: vec![moved], ending: Ending::Done, then: Some(Box::new(then)) };
                return Some(Reason::Run(run));
            }
        }
        let moves = vec![Move { kind: MoveKind::Sink, node }];
        Some(Reason::Run(Run { moves, ending: Ending::Done, then: None }))
    }

    fn until(
        &mut self,
        term: TermId,
        goal: TermId,
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Option<Reason> {
        let mut walk = self.walk(term, stack, node)?;
        let Proof::Until(summaries) = &walk.layer.proof else { return None };
        let ways = Ways::new(summaries.starts.as_slice(), &summaries.events);
        let is_goal = |walk: &Walk<'_>| {
            self.values(&walk.stack, walk.node).is_some_and(|values| values[goal])
        };
        let ends = self.machine.end_rule() == EndRule::Sink && self.holds_in_sink(goal);
        let done = match walk.follow_until(&ways, is_goal, ends) {
            Ok(done) => done,
            Err(TooLong) => return Some(Reason::TooLong),
        };
        self.moves_left -= walk.moves.len();
        let then = match done {
            Arrival::Node => Some(Box::new(self.story(goal, &walk.stack, walk.node, depth + 1)?)),
            Arrival::Sink => None,
        };
        Some(Reason::Run(Run { moves: walk.moves, ending: Ending::Done, then }))
    }

    /// Whether a term holds in the sink, which has no labels and only itself to go to.
    fn holds_in_sink(&self, wanted: TermId) -> bool {
        let mut truth: Table<TermId, bool> = Table::new();
        for (_, &term) in self.labelling.program.terms.iter() {
            truth.push(match term {
                Term::True => true,
                Term::Atom(_) => false,
                Term::Not(f) => !truth[f],
                Term::And(f, g) => truth[f] && truth[g],
                Term::Or(f, g) => truth[f] || truth[g],
                Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => truth[f],
            });
        }
        truth[wanted]
    }

    fn globally(&mut self, term: TermId, stack: &[BoxId], node: NodeId) -> Option<Reason> {
        let mut walk = self.walk(term, stack, node)?;
        match walk.follow_for_ever() {
            Ok(ending) => {
                self.moves_left -= walk.moves.len();
                Some(Reason::Run(Run { moves: walk.moves, ending, then: None }))
            }
            Err(TooLong) => Some(Reason::TooLong),
        }
    }
}

/// The configurations after one: the move, and the stack after it (`None` in the sink).
fn successors(machine: &Machine, stack: &[BoxId], node: NodeId) -> Vec<(Move, Option<Vec<BoxId>>)> {
    let mut found = Vec::new();
    let pushed = |stack: &[BoxId], call| stack.iter().copied().chain([call]).collect::<Vec<_>>();
    for &edge in machine.edges(node) {
        match edge {
            Edge::Step(to) => {
                found.push((Move { kind: MoveKind::Step, node: to }, Some(stack.to_vec())));
            }
            Edge::Call(call, entry) => {
                let moved = Move { kind: MoveKind::Call(call), node: entry };
                found.push((moved, Some(pushed(stack, call))));
            }
            Edge::Return(exit) => match stack.split_last() {
                None if machine.end_rule() == EndRule::Loop => {
                    found.push((Move { kind: MoveKind::Stay, node }, Some(Vec::new())));
                }
                None => found.push((Move { kind: MoveKind::Sink, node }, None)),
                Some((&call, below)) => {
                    let site = machine.site(call, exit);
                    for &edge in site.map_or(&[][..], |site| machine.edges_at(site)) {
                        match edge {
                            Edge::Step(to) => {
                                let kind = MoveKind::Return(exit);
                                found.push((Move { kind, node: to }, Some(below.to_vec())));
                            }
                            Edge::Call(next, entry) => {
                                let kind = MoveKind::ReturnAndCall(exit, next);
                                found.push((Move { kind, node: entry }, Some(pushed(below, next))));
                            }
                            Edge::Return(_) => (),
                        }
                    }
                }
            },
        }
    }
    if found.is_empty() {
        found.push((Move { kind: MoveKind::Stay, node }, Some(stack.to_vec())));
    }
    found
}

fn callee(frame: &Frame, call: BoxId) -> Option<u32> {
    let found = frame.callees.binary_search_by_key(&call, |&(call, _)| call).ok()?;
    Some(frame.callees[found].1)
}

/// Where a run to a goal has arrived.
enum Arrival {
    Node,
    Sink,
}

/// Where to go from a start.
#[derive(Clone, Copy)]
enum Target {
    Goal,
    Exit(ExitId),
}

/// The derivation of summaries, turned round: how each thing was reached.
struct Ways {
    starts: FxHashMap<(u32, NodeId), u32>,
    /// From where a start reached a place, and when.
    reached: FxHashMap<(u32, PlaceId), (PlaceId, usize)>,
    /// By which node a start reached an exit, and when.
    exits: FxHashMap<(u32, ExitId), (NodeId, usize)>,
    goals: FxHashMap<u32, PlaceId>,
    exits_of: FxHashMap<u32, Vec<ExitId>>,
}

impl Ways {
    fn new(starts: &[(u32, NodeId)], events: &[Event]) -> Self {
        let mut ways = Ways {
            starts: starts.iter().copied().zip(0..).collect(),
            reached: FxHashMap::default(),
            exits: FxHashMap::default(),
            goals: FxHashMap::default(),
            exits_of: FxHashMap::default(),
        };
        for (when, &event) in events.iter().enumerate() {
            match event {
                Event::Reach { start, place, from } => {
                    ways.reached.entry((start, place)).or_insert((from, when));
                }
                Event::Leave { start, node, exit } => {
                    ways.exits.entry((start, exit)).or_insert((node, when));
                    ways.exits_of.entry(start).or_default().push(exit);
                }
                Event::Goal { start, place } => {
                    ways.goals.entry(start).or_insert(place);
                }
            }
        }
        ways
    }
}

impl Walk<'_> {
    fn frame(&self) -> &Frame {
        &self.layer.frames[self.frames[self.frames.len() - 1] as usize]
    }

    fn made(&mut self, kind: MoveKind, node: NodeId) -> Result<(), TooLong> {
        if self.moves.len() >= self.most_moves {
            return Err(TooLong);
        }
        self.moves.push(Move { kind, node });
        self.node = node;
        Ok(())
    }

    fn step(&mut self, to: NodeId) -> Result<(), TooLong> {
        let kind = self.left_by.take().map_or(MoveKind::Step, MoveKind::Return);
        self.made(kind, to)
    }

    fn enter(&mut self, call: BoxId, entry: NodeId) -> Result<(), TooLong> {
        let kind = match self.left_by.take() {
            Some(exit) => MoveKind::ReturnAndCall(exit, call),
            None => MoveKind::Call(call),
        };
        let next = callee(self.frame(), call).expect("all boxes are linked");
        self.stack.push(call);
        self.frames.push(next);
        self.made(kind, entry)
    }

    /// Leaves the callee on top; the run is then at a return site.
    fn leave(&mut self, exit: ExitId) -> BoxId {
        self.left_by = Some(exit);
        self.frames.pop();
        self.stack.pop().expect("a callee is left")
    }

    fn start(&self, ways: &Ways, call: BoxId, entry: NodeId) -> u32 {
        let ground = &self.layer.ground[self.frame().ground as usize];
        let found = ground.callees.binary_search_by_key(&call, |&(call, _)| call);
        let to = ground.callees[found.expect("all boxes are linked")].1;
        ways.starts[&(to, entry)]
    }

    /// Follows the proof of an `EU` to where its goal holds; `ends` if that is so at the end of the program.
    fn follow_until(
        &mut self,
        ways: &Ways,
        is_goal: impl Fn(&Self) -> bool,
        ends: bool,
    ) -> Result<Arrival, TooLong> {
        let mut ranks: FxHashMap<u32, FxHashMap<PlaceId, usize>> = FxHashMap::default();
        let mut place = self.machine.node_place(self.node);
        loop {
            if self.left_by.is_none() && is_goal(self) {
                return Ok(Arrival::Node);
            }
            let id = self.frames[self.frames.len() - 1];
            let order = &self.layer.frames[id as usize].order;
            let rank = ranks
                .entry(id)
                .or_insert_with(|| order.iter().copied().zip(0..).collect::<FxHashMap<_, _>>());
            let here = rank[&place];
            let earlier = |place: PlaceId| rank.get(&place).is_some_and(|&rank| rank < here);
            let mut reason = None;
            for &edge in self.machine.edges_at(place) {
                let found = match edge {
                    Edge::Step(to) => earlier(self.machine.node_place(to)).then_some((edge, None)),
                    Edge::Call(call, entry) => {
                        let start = self.start(ways, call, entry);
                        if ways.goals.contains_key(&start) {
                            Some((edge, None))
                        } else {
                            let exits = ways.exits_of.get(&start).into_iter().flatten();
                            let back = |exit: &&ExitId| {
                                self.machine.site(call, **exit).is_some_and(earlier)
                            };
                            exits.clone().find(back).map(|&exit| (edge, Some(exit)))
                        }
                    }
                    Edge::Return(exit) => {
                        let holds_after = self.frame().after.binary_search(&(exit, true)).is_ok();
                        (holds_after || ends && self.stack.is_empty()).then_some((edge, None))
                    }
                };
                if found.is_some() {
                    reason = found;
                    // Calls and returns lengthen a run: a step is preferred.
                    if matches!(edge, Edge::Step(_)) {
                        break;
                    }
                }
            }
            let (edge, back_by) = reason.expect("a true place has an earlier reason");
            match (edge, back_by) {
                (Edge::Step(to), _) => {
                    self.step(to)?;
                    place = self.machine.node_place(to);
                }
                (Edge::Call(call, entry), None) => {
                    let start = self.start(ways, call, entry);
                    self.enter(call, entry)?;
                    self.through(ways, start, Target::Goal, &is_goal)?;
                    return Ok(Arrival::Node);
                }
                (Edge::Call(call, entry), Some(exit)) => {
                    let start = self.start(ways, call, entry);
                    self.enter(call, entry)?;
                    self.through(ways, start, Target::Exit(exit), &is_goal)?;
                    place = self.machine.site(call, exit).expect("it is an earlier place");
                }
                (Edge::Return(_), _) if self.stack.is_empty() => {
                    self.made(MoveKind::Sink, self.node)?;
                    return Ok(Arrival::Sink);
                }
                (Edge::Return(exit), _) => {
                    let call = self.leave(exit);
                    place = self.machine.site(call, exit).expect("the term holds after it");
                }
            }
        }
    }

    /// Walks from the entry of a start, where the run is, to an exit, or to a goal.
    fn through(
        &mut self,
        ways: &Ways,
        start: u32,
        target: Target,
        is_goal: &impl Fn(&Self) -> bool,
    ) -> Result<(), TooLong> {
        // What is being walked: the start, the places still to come (the next one last), and whither.
        let mut walks = vec![(start, self.way(ways, start, target), target)];
        while let Some((start, way, target)) = walks.last_mut() {
            let (start, target) = (*start, *target);
            let Some(place) = way.pop() else {
                walks.pop();
                match target {
                    Target::Exit(exit) => {
                        self.leave(exit);
                    }
                    Target::Goal => {
                        if self.left_by.is_none() && is_goal(self) {
                            return Ok(());
                        }
                        let from = ways.goals[&start];
                        let (call, entry, next) = self.call(from, |walk, call, entry| {
                            let next = walk.start(ways, call, entry);
                            ways.goals.contains_key(&next).then_some(next)
                        });
                        self.enter(call, entry)?;
                        walks.push((next, self.way(ways, next, Target::Goal), Target::Goal));
                    }
                }
                continue;
            };
            match self.machine.place(place) {
                Place::Node(node) => self.step(node)?,
                Place::Site(call, exit) => {
                    // A call that came back here. Its own way out was derived before this was.
                    let (from, when) = ways.reached[&(start, place)];
                    let (call, entry, next) = self.call(from, |walk, other, entry| {
                        let next = walk.start(ways, other, entry);
                        let earlier = ways.exits.get(&(next, exit)).is_some_and(|&(_, w)| w < when);
                        (other == call && earlier).then_some(next)
                    });
                    self.enter(call, entry)?;
                    walks.push((
                        next,
                        self.way(ways, next, Target::Exit(exit)),
                        Target::Exit(exit),
                    ));
                }
            }
        }
        Ok(())
    }

    /// A call from a place that `fits`.
    fn call<T>(
        &self,
        from: PlaceId,
        fits: impl Fn(&Self, BoxId, NodeId) -> Option<T>,
    ) -> (BoxId, NodeId, T) {
        let fitting = |&edge: &Edge| match edge {
            Edge::Call(call, entry) => fits(self, call, entry).map(|found| (call, entry, found)),
            _ => None,
        };
        let mut edges = self.machine.edges_at(from).iter();
        edges.find_map(fitting).expect("the derivation names a place that makes such a call")
    }

    /// The places between the entry of a start and its way to a target, the first one last.
    fn way(&self, ways: &Ways, start: u32, target: Target) -> Vec<PlaceId> {
        let mut place = match target {
            Target::Goal => ways.goals[&start],
            Target::Exit(exit) => self.machine.node_place(ways.exits[&(start, exit)].0),
        };
        let mut way = Vec::new();
        while let Some(&(from, _)) = ways.reached.get(&(start, place)) {
            way.push(place);
            place = from;
        }
        way
    }

    /// Follows an `EG` until it repeats itself.
    fn follow_for_ever(&mut self) -> Result<Ending, TooLong> {
        // Where each frame and node was first seen, on the stack as it is now; by height, to forget it
        // when the stack gets shorter.
        let mut seen: FxHashMap<(u32, NodeId), (usize, usize)> = FxHashMap::default();
        let mut by_height: Vec<Vec<(u32, NodeId)>> = vec![Vec::new(); self.stack.len() + 1];
        loop {
            let height = self.stack.len();
            let key = (self.frames[height], self.node);
            if let Some(&(before, index)) = seen.get(&key) {
                return Ok(if before == height {
                    Ending::Loop(index)
                } else {
                    Ending::Pump(index, self.stack[before..].to_vec())
                });
            }
            seen.insert(key, (height, self.moves.len()));
            by_height[height].push(key);
            let next = successors(self.machine, &self.stack, self.node)
                .into_iter()
                .find(|(to, stack)| stack.as_ref().is_some_and(|_| self.holds_after(*to)));
            let Some((to, Some(stack))) = next else {
                self.made(MoveKind::Sink, self.node)?;
                return Ok(Ending::Done);
            };
            self.follow(to, stack)?;
            let lowest = self.stack.len().min(height);
            let from = match to.kind {
                MoveKind::Return(_) | MoveKind::ReturnAndCall(..) => height,
                _ => lowest + 1,
            };
            for gone in by_height.iter_mut().skip(from) {
                for key in gone.drain(..) {
                    seen.remove(&key);
                }
            }
            by_height.resize(self.stack.len() + 1, Vec::new());
        }
    }

    /// The frame after a move.
    fn frame_after(&self, to: Move) -> u32 {
        let top = self.frames.len() - 1;
        let at = |id: u32| &self.layer.frames[id as usize];
        match to.kind {
            MoveKind::Step | MoveKind::Stay | MoveKind::Sink => self.frames[top],
            MoveKind::Return(_) => self.frames[top - 1],
            MoveKind::Call(call) => {
                callee(at(self.frames[top]), call).expect("all boxes are linked")
            }
            MoveKind::ReturnAndCall(_, call) => {
                callee(at(self.frames[top - 1]), call).expect("all boxes are linked")
            }
        }
    }

    fn holds_after(&self, to: Move) -> bool {
        let frame = &self.layer.frames[self.frame_after(to) as usize];
        frame.holds.contains(self.machine.place_position(self.machine.node_place(to.node)))
    }

    fn follow(&mut self, to: Move, stack: Vec<BoxId>) -> Result<(), TooLong> {
        let frame = self.frame_after(to);
        self.stack = stack;
        self.frames.truncate(self.stack.len());
        self.frames.push(frame);
        self.made(to.kind, to.node)
    }
}
