//! Small automata for path formulas: expansion, then reductions until none helps any more.

use super::bdd::{ALWAYS, Bdd, NEVER};
use super::expand::{expand, propositions};
use super::graph::{Edge, Graph};
use super::implication::Implication;
use super::levels::count_off;
use super::marks::{Marking, Style, with_marks, with_marks_on_states};
use super::prune::{compress_marks, prune};
use super::scc::Components;
use super::simplify::simplify;
use super::simulate::{drop_passed, reduce_backward, reduce_forward};
use super::weak::minimise_weak;
use tern_model::automaton::Automaton;
use tern_model::budget::Meter;
use tern_model::{Budget, Formula, FormulaId, Formulas, Limit, StateId};

/// How much work, in steps, is spent on an automaton that may turn out to be smaller.
const PATIENCE: u64 = 500_000;
/// How many sets of states are tried for a weak deterministic automaton.
const MOST_SETS: usize = 512;

/// Automata with more edges are reduced in one way only, smaller ones in several.
const MOST_EDGES: usize = 150;

/// A small generalised Büchi automaton for the paths on which `path` holds.
///
/// # Errors
/// When the budget runs out.
pub fn translate(
    formulas: &mut Formulas,
    path: FormulaId,
    budget: &Budget,
) -> Result<Automaton, Limit> {
    let (candidates, mut bdd, propositions) = candidates(formulas, path, budget)?;
    let best = smallest(candidates);
    let best = compress_marks(&best, &mut bdd)?;
    best.to_automaton(&mut bdd, propositions)
}

/// A small Büchi automaton with one mark, that stands on all edges of a state or on none, for the
/// paths on which `path` holds. It may be smaller than what [`to_state_based`] makes of
/// [`translate`]'s.
///
/// # Errors
/// When the budget runs out.
pub fn translate_state_based(
    formulas: &mut Formulas,
    path: FormulaId,
    budget: &Budget,
) -> Result<Automaton, Limit> {
    let (candidates, mut bdd, propositions) = candidates(formulas, path, budget)?;
    let mut found = Vec::new();
    for candidate in candidates {
        found.push(one_mark(&candidate, Style::OnStates, &mut bdd)?);
    }
    state_based_automaton(&smallest(found), &mut bdd, propositions)
}

/// An equivalent automaton with one mark at most.
///
/// # Errors
/// When the budget runs out.
pub fn degeneralise(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Limit> {
    let mut bdd = Bdd::new(Meter::new(budget));
    let graph = Graph::of_automaton(automaton, &mut bdd)?;
    let graph = one_mark(&prune(&graph, &mut bdd)?, Style::OnEdges, &mut bdd)?;
    graph.to_automaton(&mut bdd, automaton.propositions.clone())
}

/// An equivalent automaton with one mark, that stands on all edges of a state or on none.
///
/// # Errors
/// When the budget runs out.
pub fn to_state_based(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Limit> {
    let mut bdd = Bdd::new(Meter::new(budget));
    let graph = Graph::of_automaton(automaton, &mut bdd)?;
    let graph = one_mark(&prune(&graph, &mut bdd)?, Style::OnStates, &mut bdd)?;
    state_based_automaton(&graph, &mut bdd, automaton.propositions.clone())
}

/// Reduced automata for a formula, over the same functions and propositions.
fn candidates<'b>(
    formulas: &mut Formulas,
    path: FormulaId,
    budget: &'b Budget,
) -> Result<(Vec<Graph>, Bdd<'b>, Vec<FormulaId>), Limit> {
    let root = simplify(formulas, path, true, budget)?;
    let opposite = simplify(formulas, path, false, budget)?;
    let mut meter = Meter::new(budget);
    let propositions = propositions(formulas, &[root, opposite], &mut meter)?;
    let implication = Implication::of(formulas, &[root, opposite], &mut meter)?;
    let mut bdd = Bdd::new(meter);
    let graph = expand(formulas, root, &implication, &propositions, &mut bdd)?;
    let graph = prune(&graph, &mut bdd)?;
    let mut reduced = reduce(graph, Style::OnEdges, Marking::Leaving, &mut bdd)?;
    if implication.stability(root).is_constant() {
        reduced = begin_anywhere(&reduced, &mut bdd)?;
    }
    let other = if reduced.edge_count() <= MOST_EDGES {
        reduce(reduced.clone(), Style::OnEdges, Marking::Many, &mut bdd)?
    } else {
        reduced.clone()
    };
    // The negation may have an automaton that is much larger than this one.
    let weak = bdd.attempt(PATIENCE, |bdd| {
        let opposite = expand(formulas, opposite, &implication, &propositions, bdd)?;
        let opposite = prune(&opposite, bdd)?;
        minimise_weak(&reduced, &opposite, MOST_SETS, bdd)
    })?;
    let mut candidates = Vec::new();
    if let Formula::Globally(body) = formulas.get(root)
        && let Formula::Finally(_) = formulas.get(body)
    {
        let again = |bdd: &mut Bdd<'_>| again_and_again(formulas, body, &propositions, bdd);
        candidates.extend(bdd.attempt(PATIENCE, again)?);
    }
    if let Some(weak) = weak {
        candidates.push(prune(&weak, &mut bdd)?);
    }
    let improved = other.state_count() < reduced.state_count();
    candidates.push(reduced);
    if improved {
        candidates.push(other);
    }
    Ok((candidates, bdd, propositions))
}

/// The automaton of `G F f` for a formula `F f` that a finite beginning of a path decides, if it
/// does: the smallest deterministic automaton of `F f`, which starts anew with the letter that
/// ended it.
fn again_and_again(
    formulas: &mut Formulas,
    finally: FormulaId,
    propositions: &[FormulaId],
    bdd: &mut Bdd<'_>,
) -> Result<Option<Graph>, Limit> {
    let opposite = simplify(formulas, finally, false, bdd.meter.budget())?;
    let implication = Implication::of(formulas, &[finally, opposite], &mut bdd.meter)?;
    let once = prune(&expand(formulas, finally, &implication, propositions, bdd)?, bdd)?;
    let never = prune(&expand(formulas, opposite, &implication, propositions, bdd)?, bdd)?;
    let Some(weak) = minimise_weak(&once, &never, MOST_SETS, bdd)? else { return Ok(None) };
    // All that is accepted must be accepted by staying where everything is.
    let is_end = |state: StateId| matches!(weak.edges[state][..], [Edge { to, guard: ALWAYS, marks: 1 }] if to == state);
    let Some(end) = weak.edges.ids().find(|&state| is_end(state)) else { return Ok(None) };
    let others = weak.edges.ids().filter(|&state| state != end);
    if others.into_iter().any(|q| weak.edges[q].iter().any(|edge| edge.marks != 0))
        || weak.initial == end
    {
        return Ok(None);
    }
    let mut again = Graph { mark_count: 1, initial: weak.initial, edges: weak.edges.clone() };
    for (state, edges) in again.edges.iter_mut().filter(|&(state, _)| state != end) {
        let (ends, mut row): (Vec<Edge>, Vec<Edge>) = edges.iter().partition(|edge| edge.to == end);
        for ending in ends {
            for first in &weak.edges[weak.initial] {
                let guard = bdd.and(ending.guard, first.guard)?;
                let alone = first.to == end || state == weak.initial;
                row.push(Edge { to: if alone { weak.initial } else { first.to }, marks: 1, guard });
            }
        }
        *edges = row;
    }
    again.edges[end].clear();
    again.tidy(bdd)?;
    let again = prune(&again, bdd)?;
    Ok(Some(begin_anywhere(&again, bdd)?))
}

/// A deterministic automaton of a property that does not depend on how a path begins may begin in
/// any of its states: in one that reaches fewest.
fn begin_anywhere(graph: &Graph, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    for edges in graph.edges.as_slice() {
        let mut open = NEVER;
        for edge in edges {
            if bdd.and(open, edge.guard)? != NEVER {
                return Ok(graph.clone());
            }
            open = bdd.or(open, edge.guard)?;
        }
    }
    // The first component reaches no other.
    let components = Components::new(graph, &mut bdd.meter)?;
    let lowest = components.ids().next().and_then(|first| components.members(first).iter().min());
    let begun = Graph { initial: *lowest.unwrap_or(&graph.initial), ..graph.clone() };
    prune(&begun, bdd)
}

/// The first of the automata with fewest states.
fn smallest(candidates: Vec<Graph>) -> Graph {
    let least = candidates.into_iter().min_by_key(Graph::state_count);
    least.unwrap_or_else(Graph::nothing)
}

/// The automaton with one mark at most, reduced.
fn one_mark(graph: &Graph, style: Style, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let mut found = vec![reduce_well(count_off(graph, style, bdd)?, style, bdd)?];
    if style == Style::OnStates && graph.edge_count() <= MOST_EDGES {
        let marked = with_marks_on_states(graph, bdd)?;
        found.push(reduce_well(count_off(&marked, style, bdd)?, style, bdd)?);
    }
    Ok(smallest(found))
}

/// The smaller of the automata that remain with marks as they are and with many marks.
fn reduce_well(graph: Graph, style: Style, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let reduced = reduce(graph, style, Marking::Leaving, bdd)?;
    if reduced.edge_count() > MOST_EDGES {
        return Ok(reduced);
    }
    let other = reduce(reduced.clone(), style, Marking::Many, bdd)?;
    Ok(smallest(vec![reduced, other]))
}

/// Applies the reductions, with few marks and with more in turn, until none of them helps.
fn reduce(
    mut graph: Graph,
    style: Style,
    more: Marking,
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    loop {
        let before = (graph.state_count(), graph.edge_count());
        for marking in [Marking::Few, more] {
            graph = prune(&reduce_forward(&graph, style, marking, bdd)?, bdd)?;
            graph = prune(&reduce_backward(&graph, style, marking, bdd)?, bdd)?;
        }
        graph = prune(&drop_passed(&graph, bdd)?, bdd)?;
        if (graph.state_count(), graph.edge_count()) >= before {
            return Ok(graph);
        }
    }
}

/// The automaton of a graph whose marks are on all inner edges of a state or none, with the same
/// marks on the edges that leave the component.
fn state_based_automaton(
    graph: &Graph,
    bdd: &mut Bdd<'_>,
    propositions: Vec<FormulaId>,
) -> Result<Automaton, Limit> {
    let graph = with_marks(graph, Style::OnStates, Marking::Few, bdd)?;
    graph.to_automaton(bdd, propositions)
}
