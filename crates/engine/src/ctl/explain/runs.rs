//! Reading runs off a proved labelling.
//!
//! * `EX`: the first move that leads to where its operand holds.
//! * `EU`: the run of fewest moves, found by [`crate::ctl::explain::shortest`].
//! * `EG`: from every configuration in which it is true some move leads to another, so the run is followed
//!   until it repeats itself: the same frame and node again, on a stack that has not been shorter since. If
//!   the stack is the same, it is a loop; if it has grown, the run pumps. It is a loop too if the same entry is called by the
//!   same box on the same stack again, be it from a return site. Each time the first such move is
//!   taken, so these runs are not the shortest ones.
//!
//! A run may be exponentially long, since a call may call twice what calls twice …; one that exceeds the limit
//! is not told.

use crate::ctl::explain::shortest::{self, Found, Question};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{
    BoxId, Budget, Edge, EndRule, Ending, Formulas, Frame, Labelling, Layer, Limit, Machine, Move,
    MoveKind, NodeId, Proof, Reason, Run, Story, TermId, Told,
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
    budget: &Budget,
) -> Result<Option<Story>, Limit> {
    let meter = Meter::new(budget);
    let mut teller =
        Teller { machine, formulas, labelling, moves_left: most_moves, stories: 0, meter };
    match teller.story(labelling.program.root, &[], node, 0) {
        Ok(story) => Ok(Some(story)),
        Err(Untold::Silent) => Ok(None),
        Err(Untold::Limit(limit)) => Err(limit),
    }
}

/// Why there is no story.
enum Untold {
    /// The labelling does not speak of a configuration.
    Silent,
    Limit(Limit),
}

impl From<Limit> for Untold {
    fn from(limit: Limit) -> Self {
        Untold::Limit(limit)
    }
}

struct Teller<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    labelling: &'a Labelling,
    moves_left: usize,
    stories: usize,
    meter: Meter<'a>,
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
}

impl<'a> Teller<'a> {
    fn values(&self, stack: &[BoxId], node: NodeId) -> Result<Table<TermId, bool>, Untold> {
        let values = self.labelling.terms_at(self.machine, self.formulas, stack, node);
        values.ok_or(Untold::Silent)
    }

    fn story(
        &mut self,
        term: TermId,
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Result<Story, Untold> {
        self.meter.tick()?;
        let values = self.values(stack, node)?;
        let holds = values[term];
        self.stories += 1;
        if self.stories > MOST_STORIES || depth > DEEPEST {
            return Ok(Story { of: term, holds, reason: Reason::TooLong });
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
            Term::Eu(pass, goal) => self.until(term, (pass, goal), stack, node, depth)?,
            Term::Eg(_) => self.globally(term, stack, node)?,
        };
        Ok(Story { of: term, holds, reason })
    }

    fn operands(
        &mut self,
        terms: &[TermId],
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Result<Reason, Untold> {
        let stories: Result<Vec<Story>, Untold> =
            terms.iter().map(|&term| self.story(term, stack, node, depth + 1)).collect();
        Ok(Reason::Operands(stories?))
    }

    fn walk(&self, term: TermId, stack: &[BoxId], node: NodeId) -> Result<Walk<'a>, Untold> {
        let layer = self.labelling.layers.iter().find(|layer| layer.term == term);
        let layer = layer.ok_or(Untold::Silent)?;
        let bottom = match stack.first() {
            Some(&call) => self.machine.component_of_box(call),
            None => self.machine.component_of(node),
        };
        let root = layer.roots.iter().find(|(root, _)| *root == bottom).ok_or(Untold::Silent)?;
        let mut frame = root.1;
        let mut frames = vec![frame];
        for &call in stack {
            frame = callee(&layer.frames[frame as usize], call).ok_or(Untold::Silent)?;
            frames.push(frame);
        }
        Ok(Walk {
            machine: self.machine,
            layer,
            moves: Vec::new(),
            stack: stack.to_vec(),
            frames,
            node,
        })
    }

    /// A run of one move to where the operand holds.
    fn next(
        &mut self,
        operand: TermId,
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Result<Reason, Untold> {
        for (moved, to) in successors(self.machine, stack, node) {
            let Some(to) = to else {
                // The sink: it is the only way on, so the operand holds there.
                continue;
            };
            if self.values(&to, moved.node)?[operand] {
                let then = self.story(operand, &to, moved.node, depth + 1)?;
                return Ok(finite(vec![moved], Some(then)));
            }
        }
        Ok(finite(vec![Move { kind: MoveKind::Sink, node }], None))
    }

    fn until(
        &mut self,
        term: TermId,
        (pass, goal): (TermId, TermId),
        stack: &[BoxId],
        node: NodeId,
        depth: usize,
    ) -> Result<Reason, Untold> {
        let Teller { machine, formulas, labelling, .. } = *self;
        let Walk { layer, frames, .. } = self.walk(term, stack, node)?;
        let Proof::Until(summaries) = &layer.proof else { return Err(Untold::Silent) };
        let levels: Vec<u32> =
            frames.iter().map(|&frame| layer.frames[frame as usize].ground).collect();
        let question = Question {
            machine,
            formulas,
            labelling,
            layer,
            pass,
            goal,
            starts: &summaries.starts,
            ends: machine.end_rule() == EndRule::Sink && self.holds_in_sink(goal),
            stack,
            levels: &levels,
            node,
            most_moves: self.moves_left,
        };
        let Some(Found { moves, end }) = shortest::find(&question, &mut self.meter)? else {
            return Ok(Reason::TooLong);
        };
        self.moves_left -= moves.len();
        let then = match end {
            Some((stack, node)) => Some(self.story(goal, &stack, node, depth + 1)?),
            None => None,
        };
        Ok(finite(moves, then))
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

    fn globally(&mut self, term: TermId, stack: &[BoxId], node: NodeId) -> Result<Reason, Untold> {
        let mut walk = self.walk(term, stack, node)?;
        let Some(ending) = walk.follow_for_ever(self.moves_left, &mut self.meter)? else {
            return Ok(Reason::TooLong);
        };
        self.moves_left -= walk.moves.len();
        Ok(Reason::Run(Run { moves: walk.moves, ending }.into()))
    }
}

/// A run that ends, and why the operand holds there, if there is something to tell of it.
fn finite(moves: Vec<Move>, then: Option<Story>) -> Reason {
    let last = moves.len();
    let run = Run { moves, ending: Ending::Done };
    let asides = then.into_iter().map(|then| (last, then)).collect();
    Reason::Run(Told { run, values: Vec::new(), asides })
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

impl Walk<'_> {
    /// Follows an `EG` until it repeats itself; `None` if that takes too many moves.
    fn follow_for_ever(
        &mut self,
        most_moves: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Ending>, Limit> {
        // Where each frame and node was first seen, on the stack as it is now; by height, to forget it
        // when the stack gets shorter.
        let mut seen: FxHashMap<(u32, NodeId), (usize, usize)> = FxHashMap::default();
        let mut by_height: Vec<Vec<(u32, NodeId)>> = vec![Vec::new(); self.stack.len() + 1];
        // For each height, where it was first come to by this box and entry, on the stack below as it is now. Calls
        // that follow each other straight on come back to nothing else: each leaves the frame of the one before.
        let mut entered: Vec<FxHashMap<(BoxId, NodeId), usize>> = Vec::new();
        loop {
            let height = self.stack.len();
            let key = (self.frames[height], self.node);
            if let Some(&(before, index)) = seen.get(&key) {
                return Ok(Some(if before == height {
                    Ending::Loop(index)
                } else {
                    Ending::Pump(index, self.stack[before..].to_vec())
                }));
            }
            if let Some(MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call)) =
                self.moves.last().map(|to| to.kind)
            {
                let here = self.moves.len();
                let first = *entered[height].entry((call, self.node)).or_insert(here);
                if first < here {
                    return Ok(Some(Ending::Loop(first)));
                }
            }
            if self.moves.len() >= most_moves {
                return Ok(None);
            }
            meter.tick()?;
            seen.insert(key, (height, self.moves.len()));
            by_height[height].push(key);
            let next = successors(self.machine, &self.stack, self.node)
                .into_iter()
                .find(|(to, stack)| stack.as_ref().is_some_and(|_| self.holds_after(*to)));
            let Some((to, Some(stack))) = next else {
                self.moves.push(Move { kind: MoveKind::Sink, node: self.node });
                return Ok(Some(Ending::Done));
            };
            self.follow(to, stack);
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
            // What was called from the frame that is now the top was called on the same stack, unless it is a new frame.
            if let MoveKind::ReturnAndCall(..) = to.kind {
                entered.truncate(height + 1);
            }
            entered.resize_with(self.stack.len() + 2, FxHashMap::default);
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

    fn follow(&mut self, to: Move, stack: Vec<BoxId>) {
        let frame = self.frame_after(to);
        self.stack = stack;
        self.frames.truncate(self.stack.len());
        self.frames.push(frame);
        self.moves.push(to);
        self.node = to.node;
    }
}
