//! From an accepting component of an explored graph to an endless run that people can follow.
//!
//! The run goes from an initial node to the component and then round in it, along an edge of each
//! mark. Summaries are replaced by what happens inside the callee: the shortest way to the leave,
//! or the shortest that carries a given mark. These [`Lengths`] are computed first, and every way
//! inside is made of shorter ones, so that replacing summaries comes to an end. The way to the
//! component is a shortest one; the way round is made of shortest pieces, one for each mark, and
//! need not be shortest as a whole.

use super::cycles::Components;
use super::graph::{EdgeId, Graph, Out, Spot, VertexId, Way};
use super::lengths::{Leg, Lengths, Mark};
use super::source::Source;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::scc::SccId;
use tern_model::{BoxId, Ending, ExitId, Id, Limit, Move, MoveKind, NodeId, Place, Run};

/// An endless run from an initial node.
pub(crate) struct Lasso {
    pub(crate) at: NodeId,
    /// If it has more moves than are allowed, as many of the first ones; also if it is known only
    /// how it begins.
    pub(crate) run: Result<Run, Vec<Move>>,
}

/// A component of some that can be reached from one of some roots, and that root. This takes no
/// longer than finding the components did, so it has no limit.
pub(crate) fn reached(
    graph: &Graph,
    components: &Components,
    roots: &[VertexId],
    is_sought: impl Fn(SccId) -> bool,
) -> Option<(VertexId, SccId)> {
    let mut seen = FixedBitSet::with_capacity(graph.vertices.len());
    for &root in roots {
        let mut waiting = vec![root];
        while let Some(vertex) = waiting.pop() {
            if seen.put(vertex.index()) {
                continue;
            }
            let component = components.of(vertex);
            if is_sought(component) {
                return Some((root, component));
            }
            waiting.extend(graph.successors(vertex));
        }
    }
    None
}

/// An explored graph, and what is known of the ways through it.
#[derive(Clone, Copy)]
pub(crate) struct Ways<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) lengths: &'a Lengths,
}

/// A run from one of some roots to some vertices, the way `to` them, and `round` inside them with
/// all of some marks, of at most `most` moves. The graph for the way round may have fewer edges.
pub(crate) fn tell<S: Source>(
    source: &mut S,
    to: Ways<'_>,
    round: Ways<'_>,
    roots: &[VertexId],
    (inside, all): (impl Fn(VertexId) -> bool, Marks),
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Lasso, Limit> {
    let Ways { graph, lengths } = to;
    let is_node = |vertex: VertexId| match graph.vertices[vertex].spot {
        Spot::At(place) => matches!(source.place(place), Place::Node(_)),
        _ => true,
    };
    // A cycle is best begun at a node; if there is none, it runs through return sites only.
    let some_node = graph.vertices.ids().any(|vertex| inside(vertex) && is_node(vertex));
    let target = |vertex: VertexId| inside(vertex) && (!some_node || is_node(vertex));
    let mut prefix = Vec::new();
    let begin = lengths.walk(graph, roots.iter().copied(), |_| true, target, &mut prefix, meter)?;
    let begin = begin.expect("the component is reached from one of the roots");
    let root = prefix.first().map_or(begin, |leg| leg.from);
    let Spot::At(place) = graph.vertices[root].spot else { unreachable!("a run begins at a node") };
    let Place::Node(at) = source.place(place) else { unreachable!("a run begins at a node") };
    let legs = go_round(round.graph, round.lengths, begin, inside, all, meter)?;

    let mut writer = Writer { source, graph, lengths, moves: Vec::new(), left_by: None, most };
    let mut fits = writer.write(&prefix, meter)?;
    let first = writer.moves.len();
    let Ways { graph, lengths } = round;
    let mut writer = Writer { graph, lengths, ..writer };
    fits = fits && writer.write(&legs, meter)?;
    let grown: Vec<BoxId> = legs
        .iter()
        .filter_map(|leg| match graph.edges[leg.edge].way {
            Way::Descent(call) => Some(call),
            _ => None,
        })
        .collect();
    if !fits {
        writer.moves.truncate(most);
        return Ok(Lasso { at, run: Err(writer.moves) });
    }
    let mut first = first;
    if !some_node {
        // Nodes before a return site may differ from round to round; from its first move on all is
        // the same.
        let again = writer.moves[first];
        writer.moves.push(again);
        first += 1;
    }
    let ending = if grown.is_empty() { Ending::Loop(first) } else { Ending::Pump(first, grown) };
    Ok(Lasso { at, run: Ok(Run { moves: writer.moves, ending }) })
}

/// The beginning of a run, from one of some roots to one of some vertices, of at most `most` moves;
/// `None` if none of these is reached.
pub(crate) fn begin<S: Source>(
    source: &mut S,
    Ways { graph, lengths }: Ways<'_>,
    roots: &[VertexId],
    ends: &[VertexId],
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Option<Lasso>, Limit> {
    let ends: FxHashSet<VertexId> = ends.iter().copied().collect();
    let mut legs = Vec::new();
    let is_end = |vertex: VertexId| ends.contains(&vertex);
    let end = lengths.walk(graph, roots.iter().copied(), |_| true, is_end, &mut legs, meter)?;
    let Some(end) = end else { return Ok(None) };
    let root = legs.first().map_or(end, |leg| leg.from);
    let own = graph.roots.iter().find(|&&(_, own)| own == root);
    let &(at, _) = own.expect("a run begins at a root");
    let mut writer = Writer { source, graph, lengths, moves: Vec::new(), left_by: None, most };
    writer.write(&legs, meter)?;
    writer.moves.truncate(most);
    Ok(Some(Lasso { at, run: Err(writer.moves) }))
}

/// A way from a vertex back to it, inside its component, along an edge of each mark.
fn go_round(
    graph: &Graph,
    lengths: &Lengths,
    begin: VertexId,
    inside: impl Fn(VertexId) -> bool,
    all: Marks,
    meter: &mut Meter<'_>,
) -> Result<Vec<Leg>, Limit> {
    let mut round = Vec::new();
    let mut left = all;
    let mut here = begin;
    while left != 0 || round.is_empty() {
        // The nearest edge with a mark that is still missing, with where it leads; without marks,
        // any edge.
        let wanted = |edge: EdgeId| {
            let edge = &graph.edges[edge];
            let to = edge.to.filter(|&to| inside(to))?;
            (left == 0 || edge.marks & left != 0).then_some((edge.marks & left, to))
        };
        let has_wanted =
            |vertex: VertexId| graph.edges_of(vertex).any(|edge| wanted(edge).is_some());
        let from =
            lengths.walk(graph, [here].into_iter(), &inside, has_wanted, &mut round, meter)?;
        let from = from.expect("an accepting component has every mark");
        let found = graph.edges_of(from).find_map(|edge| Some((edge, wanted(edge)?)));
        let (edge, (marks, to)) = found.expect("this is what was looked for");
        // A mark of the edge itself comes with any way inside.
        let own = graph.edges[edge].own & marks;
        let mark = if own == 0 { marks.checked_ilog2() } else { None };
        left &= !(own | mark.map_or(0, |bit| 1 << bit));
        round.push(Leg { from, edge, inside: mark.map(|bit| Mark::new(bit as usize)) });
        here = to;
    }
    let back =
        lengths.walk(graph, [here].into_iter(), inside, |v| v == begin, &mut round, meter)?;
    debug_assert_eq!(back, Some(begin));
    Ok(round)
}

/// Turns legs into moves.
struct Writer<'w, S> {
    source: &'w S,
    graph: &'w Graph,
    lengths: &'w Lengths,
    moves: Vec<Move>,
    /// The exit by which a callee was left just now; the way on from the return site is the same
    /// move.
    left_by: Option<ExitId>,
    most: usize,
}

impl<S: Source> Writer<'_, S> {
    /// Appends the moves of some legs; whether they fit.
    fn write(&mut self, legs: &[Leg], meter: &mut Meter<'_>) -> Result<bool, Limit> {
        // The legs still to be written, the last first.
        let mut waiting: Vec<Leg> = legs.iter().rev().copied().collect();
        while let Some(Leg { from, edge, inside }) = waiting.pop() {
            meter.tick()?;
            if self.moves.len() > self.most {
                return Ok(false);
            }
            let edge = self.graph.edges[edge];
            match edge.way {
                Way::Step => {
                    let kind = self.left_by.take().map_or(MoveKind::Step, MoveKind::Return);
                    self.moves.push(Move { kind, node: self.node(target(edge.to)) });
                }
                Way::Stay => self.moves.push(Move { kind: MoveKind::Stay, node: self.node(from) }),
                Way::ToSink => {
                    self.moves.push(Move { kind: MoveKind::Sink, node: self.node(from) });
                }
                Way::Descent(call) => self.enter(call, target(edge.to)),
                Way::Summary { call, callee, leave } => {
                    self.enter(call, self.graph.starts[callee].first);
                    waiting.extend(self.lengths.legs(callee, leave, inside).into_iter().rev());
                }
                Way::Leave(leave) => {
                    let start = self.graph.vertices[from].start;
                    let out = self.graph.starts[start].leaves[leave].out;
                    if let Out::By(exit) = out {
                        self.left_by = Some(exit);
                    }
                }
            }
        }
        Ok(self.moves.len() <= self.most)
    }

    fn enter(&mut self, call: BoxId, first: VertexId) {
        let kind = match self.left_by.take() {
            Some(exit) => MoveKind::ReturnAndCall(exit, call),
            None => MoveKind::Call(call),
        };
        self.moves.push(Move { kind, node: self.node(first) });
    }

    /// The node of a vertex; in the sink, the one that was left last.
    fn node(&self, vertex: VertexId) -> NodeId {
        match self.graph.vertices[vertex].spot {
            Spot::Halted(node) => node,
            Spot::At(place) => match self.source.place(place) {
                Place::Node(node) => node,
                Place::Site(..) => unreachable!("return sites are passed in no time"),
            },
            Spot::Sink => self.moves.last().expect("the sink is reached by a move").node,
        }
    }
}

/// Where an edge leads that is no leave.
fn target(to: Option<VertexId>) -> VertexId {
    to.expect("only a leave leads to no vertex")
}
