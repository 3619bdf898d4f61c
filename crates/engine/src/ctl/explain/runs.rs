//! Reading runs off a proved labelling.
//!
//! What a quantifier asks for of a path is made of temporal terms, by the laws of
//! [`ctl`](tern_model::logic::ctl), and the run is put together from theirs, in the order in which
//! the path formula has them: for `F (p & G q)` a run to a configuration with p from which on q may
//! hold for ever, and on from there by such a run.
//! * `EX`: the first move that leads to where its operand holds.
//! * `EU`: the run of fewest moves, found by [`shortest`](super::shortest).
//! * `EG`: from every configuration in which it is true some move leads to another, so the run is
//!   followed until it repeats itself: the same frames and node again, on a stack that has not been
//!   shorter since. If the stack is the same, it is a loop; if it has grown, the run pumps. It is a
//!   loop too if the same entry is called by the same box on the same stack again, be it from a
//!   return site. Each time the first such move is taken, so these runs are not the shortest ones.
//!
//! A run may be exponentially long, since a call may call twice what calls twice …; one that
//! exceeds the limit is not told.

use super::levels::{Levels, Reader, RowId};
use super::shortest::{self, Question};
use crate::tell::{self, Found, World};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_automata::closure;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Lowered, Term, Ways};
use tern_model::{
    BoxId, Budget, Edge, EndRule, Ending, Formula, FormulaId, Formulas, Id, Labelling, Layer,
    Limit, Machine, Move, MoveKind, NodeId, Obligation, Proof, Run, Story, TermId,
};

/// Tells why a claim has its value at an initial node.
pub(crate) fn tell(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    (lowered, labelling): (&Lowered, &Labelling),
    node: NodeId,
    most_moves: usize,
    budget: &Budget,
) -> Result<Option<Story>, Limit> {
    let mut world = Labelled { machine, formulas, lowered, labelling, budget };
    let Some(here) = world.at(Vec::new(), Some(node)) else { return Ok(None) };
    tell::tell(&mut world, formulas, claim, &here, most_moves, budget).map(Some)
}

/// A machine with a labelling for all terms of a claim.
struct Labelled<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    lowered: &'a Lowered,
    labelling: &'a Labelling,
    budget: &'a Budget,
}

/// A configuration, and which terms hold there.
#[derive(Clone)]
struct Spot {
    stack: Vec<BoxId>,
    /// `None` for the sink.
    node: Option<NodeId>,
    truth: Rc<Table<TermId, bool>>,
}

/// A run, and the truth of quantified formulas on it.
struct Path {
    begin: Vec<BoxId>,
    moves: Vec<Move>,
    /// Where it is, in one configuration after the other; `None` in the sink.
    nodes: Vec<Option<NodeId>>,
    /// Of each quantified formula that the labelling speaks of.
    values: FxHashMap<FormulaId, Vec<bool>>,
}

impl World for Labelled<'_> {
    type Spot = Spot;
    type Path = Path;

    fn value(&self, id: FormulaId, here: &Spot) -> Option<bool> {
        if !self.formulas.is_state_formula(id) {
            // The claim; `A f` is what its negation is not on some path.
            return Some(!self.some_path(id, false, here)?);
        }
        if let Some(value) = self.some_path(id, true, here) {
            return Some(value);
        }
        // It is no part of the program, for want of mattering; but its parts may be.
        let mut truth: FxHashMap<FormulaId, Option<bool>> = FxHashMap::default();
        for part in closure(self.formulas, id) {
            let known = || self.formulas.get(part).known(|f| truth.get(&f).copied().flatten());
            let label = || self.label(part, here.node);
            let value = self.some_path(part, true, here).or_else(label).or_else(known);
            truth.insert(part, value);
        }
        truth.get(&id).copied().flatten()
    }

    fn find(
        &mut self,
        _: FormulaId,
        sought: Obligation,
        here: &Spot,
        most_moves: usize,
    ) -> Result<Option<Found<Path>>, Limit> {
        let mut reader = self.reader(sought.formula);
        let mut way = Way { world: self, at: here.clone(), moves: Vec::new(), most_moves };
        let mut meter = Meter::new(self.budget);
        let Some(ending) = way.go(sought, reader.layers(), &mut meter)? else { return Ok(None) };
        let run = Run { moves: way.moves, ending };
        let path = self.read(&mut reader, sought.formula, here, &run, &mut meter)?;
        Ok(Some(Found { run, path }))
    }

    fn leaf(&self, path: &Path, id: FormulaId, at: usize) -> Option<bool> {
        self.label(id, path.nodes[at]).or_else(|| path.values.get(&id).map(|row| row[at]))
    }

    fn spot(&self, path: &Path, at: usize) -> Spot {
        let mut stack = path.begin.clone();
        for step in &path.moves[..at] {
            follow(&mut stack, step.kind);
        }
        self.at(stack, path.nodes[at]).expect("a run stays in what the labelling speaks of")
    }
}

impl<'a> Labelled<'a> {
    /// A configuration, if the labelling speaks of it.
    fn at(&self, stack: Vec<BoxId>, node: Option<NodeId>) -> Option<Spot> {
        let truth = match node {
            Some(node) => self.labelling.terms_at(self.machine, self.formulas, &stack, node)?,
            None => self.lowered.program.in_sink(),
        };
        Some(Spot { stack, node, truth: Rc::new(truth) })
    }

    /// Whether a formula has a value on some path from a configuration.
    fn some_path(&self, id: FormulaId, holds: bool, at: &Spot) -> Option<bool> {
        Some(self.lowered.some_path(id, holds)?.truth(|term| at.truth[term]))
    }

    /// The truth of a proposition.
    fn label(&self, id: FormulaId, node: Option<NodeId>) -> Option<bool> {
        let Formula::Atom(atom) = self.formulas.get(id) else { return None };
        let label = self.machine.label(self.formulas.atom_name(atom));
        Some(label.zip(node).is_some_and(|(label, node)| self.machine.has_label(node, label)))
    }

    fn layer(&self, term: TermId) -> &'a Layer {
        let found = self.labelling.layers.iter().find(|layer| layer.term == term);
        found.expect("each temporal term has a layer")
    }

    /// The quantified formulas in a path formula that the program has, with what they became.
    fn quantified(&self, path: FormulaId) -> impl Iterator<Item = FormulaId> {
        closure(self.formulas, path).into_iter().filter(|&id| {
            self.formulas.get(id).is_quantifier() && self.lowered.some_path(id, true).is_some()
        })
    }

    /// What the quantified formulas in a path formula are read with.
    fn reader(&self, path: FormulaId) -> Reader<'a> {
        let literals = self.quantified(path).filter_map(|id| self.lowered.some_path(id, true));
        let terms = literals.filter_map(|literal| literal.term());
        Reader::new(self.machine, self.formulas, self.labelling, terms)
    }

    /// Looks up the truth of the quantified formulas in a path formula on a run.
    fn read(
        &self,
        reader: &mut Reader<'a>,
        path: FormulaId,
        begin: &Spot,
        run: &Run,
        meter: &mut Meter<'_>,
    ) -> Result<Path, Limit> {
        let mut levels = begin
            .node
            .map(|node| Levels::new(self.machine, reader.layers().to_vec(), &begin.stack, node));
        let in_sink = self.lowered.program.in_sink();
        let mut node = begin.node;
        let mut nodes = Vec::with_capacity(run.configurations());
        let quantified: Vec<FormulaId> = self.quantified(path).collect();
        let mut values: FxHashMap<FormulaId, Vec<bool>> = FxHashMap::default();
        for i in 0..run.configurations() {
            meter.tick()?;
            let truth = match (node, &levels) {
                (Some(node), Some(levels)) => reader.at(levels.top(), node),
                _ => &in_sink,
            };
            for &id in &quantified {
                let literal = self.lowered.some_path(id, true);
                let value = literal.is_some_and(|literal| literal.truth(|term| truth[term]));
                values.entry(id).or_default().push(value);
            }
            nodes.push(node);
            let Some(step) = run.moves.get(i) else { break };
            match step.kind {
                MoveKind::Sink => node = None,
                MoveKind::Stay => {}
                kind => {
                    node = Some(step.node);
                    levels.iter_mut().for_each(|levels| levels.follow(kind));
                }
            }
        }
        Ok(Path { begin: begin.stack.clone(), moves: run.moves.clone(), nodes, values })
    }
}

/// A run in the making.
struct Way<'w, 'a> {
    world: &'w Labelled<'a>,
    /// Where it has come to.
    at: Spot,
    moves: Vec<Move>,
    most_moves: usize,
}

impl Way<'_, '_> {
    /// Goes where a path formula has a value; `None` if that takes too many moves. An endless run
    /// is the same in each round, and for these layers, too.
    fn go(
        &mut self,
        sought: Obligation,
        layers: &[&Layer],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Ending>, Limit> {
        let formulas = self.world.formulas;
        let Obligation { formula: mut id, mut holds } = sought;
        while !formulas.is_state_formula(id) {
            meter.tick()?;
            if self.at.node.is_none() {
                return Ok(self.stay_in_sink());
            }
            let formula = formulas.get(id);
            if formula.is_temporal() {
                let Ways { until, always } = self.world.lowered.ways(id, holds);
                let is_true = |term: &TermId| self.at.truth[*term];
                let arrives = match (until.filter(is_true), always.filter(is_true)) {
                    (Some(until), _) => self.until(until, meter)?,
                    (None, Some(always)) => return self.for_ever(always, layers, meter),
                    (None, None) => self.next(formula, holds),
                };
                if !arrives {
                    return Ok(None);
                }
                id = goal(formula, holds);
            } else {
                (id, holds) = self.choose(formula, holds);
            }
        }
        Ok(Some(Ending::Done))
    }

    /// The operand of a boolean operator that the run goes on with.
    fn choose(&self, formula: Formula, holds: bool) -> (FormulaId, bool) {
        use Formula::*;
        let (f, g) = match formula {
            Not(f) => return (f, !holds),
            Implies(f, g) => ((f, !holds), (g, holds)),
            And(f, g) | Or(f, g) => ((f, holds), (g, holds)),
            _ => unreachable!("no law splits it, so that it is not decided as CTL"),
        };
        if holds == matches!(formula, And(..)) {
            // Both are needed. One is a state formula, and is as it has to be.
            return if self.world.formulas.is_state_formula(f.0) { g } else { f };
        }
        let possible = |&(id, holds): &(FormulaId, bool)| {
            self.world.some_path(id, holds, &self.at) == Some(true)
        };
        [f, g].into_iter().find(possible).expect("one of the two can be had, or not the whole")
    }

    fn stay_in_sink(&mut self) -> Option<Ending> {
        let here = self.moves.len();
        // In the sink it does not matter which node was left.
        let node = self.moves.last().map_or(NodeId::new(0), |last| last.node);
        self.moves.push(Move { kind: MoveKind::Stay, node });
        (self.moves.len() <= self.most_moves).then_some(Ending::Loop(here))
    }

    fn arrive(&mut self, stack: Vec<BoxId>, node: Option<NodeId>) {
        let here = self.world.at(stack, node);
        self.at = here.expect("a run stays in what the labelling speaks of");
    }

    /// Makes one move to where the operand of `X` may have its value; whether that is allowed.
    fn next(&mut self, formula: Formula, holds: bool) -> bool {
        let (Some(operand), Some(node)) = (formula.operands().next(), self.at.node) else {
            return false;
        };
        if self.moves.len() >= self.most_moves {
            return false;
        }
        for to in successors(self.world.machine, &self.at.stack, node) {
            if to.kind == MoveKind::Sink {
                continue;
            }
            let mut stack = self.at.stack.clone();
            follow(&mut stack, to.kind);
            let there = self.world.at(stack, Some(to.node));
            let there = there.expect("a run stays in what the labelling speaks of");
            if self.world.some_path(operand, holds, &there) == Some(true) {
                self.at = there;
                self.moves.push(to);
                return true;
            }
        }
        // The sink: it is the only way on.
        self.moves.push(Move { kind: MoveKind::Sink, node });
        self.arrive(Vec::new(), None);
        true
    }

    /// Goes the shortest way to the goal of an `EU`; whether it is short enough.
    fn until(&mut self, term: TermId, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        let Labelled { machine, formulas, labelling, lowered, .. } = *self.world;
        let layer = self.world.layer(term);
        let (Proof::Until(summaries), Term::Eu(pass, goal), Some(node)) =
            (&layer.proof, lowered.program.terms[term], self.at.node)
        else {
            unreachable!("an `EU` is proved as one, and the sink was left out")
        };
        let stack = std::mem::take(&mut self.at.stack);
        let levels = Levels::new(machine, vec![layer], &stack, node).grounds();
        let question = Question {
            machine,
            formulas,
            labelling,
            layer,
            pass,
            goal,
            starts: &summaries.starts,
            ends: machine.end_rule() == EndRule::Sink && lowered.program.in_sink()[goal],
            stack: &stack,
            levels: &levels,
            node,
            most_moves: self.most_moves - self.moves.len(),
        };
        let Some(found) = shortest::find(&question, meter)? else { return Ok(false) };
        self.moves.extend(found.moves);
        let (stack, node) =
            found.end.map_or((Vec::new(), None), |(stack, node)| (stack, Some(node)));
        self.arrive(stack, node);
        Ok(true)
    }

    /// Follows an `EG` until it repeats itself; `None` if that takes too many moves.
    fn for_ever(
        &mut self,
        term: TermId,
        layers: &[&Layer],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Ending>, Limit> {
        let machine = self.world.machine;
        let Some(mut node) = self.at.node else { return Ok(self.stay_in_sink()) };
        let mut stack = std::mem::take(&mut self.at.stack);
        let layer = self.world.layer(term);
        let layers = [&[layer], layers].concat();
        let mut levels = Levels::new(machine, layers, &stack, node);
        let mut before = Before::new(self.moves.len(), stack.len());
        loop {
            let here = self.moves.len();
            let last = self.moves.last().filter(|_| here > before.begin).map(|to| to.kind);
            if let Some(ending) = before.ending((levels.id(), node), here, &stack, last) {
                return Ok(Some(ending));
            }
            if here >= self.most_moves {
                return Ok(None);
            }
            meter.tick()?;
            let holds = |to: &Move| {
                let position = machine.place_position(machine.node_place(to.node));
                layer.frames[levels.first_after(to.kind) as usize].holds.contains(position)
            };
            let next = successors(machine, &stack, node)
                .into_iter()
                .find(|to| to.kind != MoveKind::Sink && holds(to));
            let Some(to) = next else {
                self.moves.push(Move { kind: MoveKind::Sink, node });
                return Ok(self.stay_in_sink());
            };
            levels.follow(to.kind);
            let height = stack.len();
            follow(&mut stack, to.kind);
            before.forget(to.kind, height, stack.len());
            node = to.node;
            self.moves.push(to);
        }
    }
}

/// What a path formula comes to at the end of a run for it: the operand that has the same value
/// there.
fn goal(formula: Formula, holds: bool) -> FormulaId {
    use Formula::*;
    match formula {
        Until(f, g) | WeakUntil(f, g) => {
            if holds {
                g
            } else {
                f
            }
        }
        Release(f, g) | StrongRelease(f, g) => {
            if holds {
                f
            } else {
                g
            }
        }
        _ => formula.operands().next().expect("temporal operators have operands"),
    }
}

/// Where an endless run has been.
struct Before {
    /// The number of the configuration in which it begins.
    begin: usize,
    /// Where each row and node was first seen, on the stack as it is now, and at which height.
    seen: FxHashMap<(RowId, NodeId), (usize, usize)>,
    /// The same by height, to forget it when the stack gets shorter.
    by_height: Vec<Vec<(RowId, NodeId)>>,
    /// For each height, where it was first come to by this box and entry, on the stack below as it
    /// is now. Calls that follow each other straight on come back to nothing else: each leaves the
    /// frame of the one before.
    entered: Vec<FxHashMap<(BoxId, NodeId), usize>>,
}

impl Before {
    fn new(begin: usize, height: usize) -> Self {
        Before {
            begin,
            seen: FxHashMap::default(),
            by_height: vec![Vec::new(); height + 1],
            entered: Vec::new(),
        }
    }

    /// How the run goes on if it has been here before; else notes that it has.
    fn ending(
        &mut self,
        key: (RowId, NodeId),
        here: usize,
        stack: &[BoxId],
        last: Option<MoveKind>,
    ) -> Option<Ending> {
        let height = stack.len();
        if let Some(&(before, index)) = self.seen.get(&key) {
            return Some(if before == height {
                Ending::Loop(index)
            } else {
                Ending::Pump(index, stack[before..].to_vec())
            });
        }
        if let Some(call) = last.and_then(MoveKind::calls) {
            let first = *self.entered[height].entry((call, key.1)).or_insert(here);
            if first < here {
                return Some(Ending::Loop(first));
            }
        }
        self.seen.insert(key, (height, here));
        self.by_height[height].push(key);
        None
    }

    /// Forgets what was on a stack that is no longer there.
    fn forget(&mut self, kind: MoveKind, height: usize, after: usize) {
        let from = if kind.returns() { height } else { height.min(after) + 1 };
        for gone in self.by_height.iter_mut().skip(from) {
            for key in gone.drain(..) {
                self.seen.remove(&key);
            }
        }
        self.by_height.resize(after + 1, Vec::new());
        // What was called from the frame that is now the top was called on the same stack, unless
        // it is a new frame.
        if let MoveKind::ReturnAndCall(..) = kind {
            self.entered.truncate(height + 1);
        }
        self.entered.resize_with(after + 2, FxHashMap::default);
    }
}

/// What a move does to a stack.
fn follow(stack: &mut Vec<BoxId>, kind: MoveKind) {
    if kind.returns() {
        stack.pop();
    }
    stack.extend(kind.calls());
}

/// The moves from a configuration.
fn successors(machine: &Machine, stack: &[BoxId], node: NodeId) -> Vec<Move> {
    let mut found = Vec::new();
    for &edge in machine.edges(node) {
        match edge {
            Edge::Step(to) => found.push(Move { kind: MoveKind::Step, node: to }),
            Edge::Call(call, node) => found.push(Move { kind: MoveKind::Call(call), node }),
            Edge::Return(exit) => match stack.last() {
                None => {
                    let loops = machine.end_rule() == EndRule::Loop;
                    let kind = if loops { MoveKind::Stay } else { MoveKind::Sink };
                    found.push(Move { kind, node });
                }
                Some(&call) => {
                    let site = machine.site(call, exit);
                    let edges = site.map_or(&[][..], |site| machine.edges_at(site));
                    found.extend(edges.iter().filter_map(|&edge| match edge {
                        Edge::Step(node) => Some(Move { kind: MoveKind::Return(exit), node }),
                        Edge::Call(next, node) => {
                            Some(Move { kind: MoveKind::ReturnAndCall(exit, next), node })
                        }
                        Edge::Return(_) => None,
                    }));
                }
            },
        }
    }
    if found.is_empty() {
        found.push(Move { kind: MoveKind::Stay, node });
    }
    found
}
