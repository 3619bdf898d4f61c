//! Small automata for path formulas: expansion, then reductions until none helps any more.

use super::bdd::Bdd;
use super::expand::{expand, propositions};
use super::graph::Graph;
use super::levels::count_off;
use super::prune::{compress_marks, prune};
use super::simplify::simplify;
use super::simulate::{Style, reduce_backward, reduce_forward};
use super::weak::minimise_weak;
use tern_model::automaton::Automaton;
use tern_model::budget::Meter;
use tern_model::{Budget, FormulaId, Formulas, Limit};

/// How many sets of states are tried for a weak deterministic automaton.
const MOST_SETS: usize = 512;

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

/// A small Büchi automaton with one mark, that stands on all edges of a state or on none, for the paths
/// on which `path` holds. It may be smaller than what [`to_state_based`] makes of [`translate`]'s.
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
        found.push(one_mark(&candidate, true, &mut bdd)?);
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
    let graph = one_mark(&prune(&graph, &mut bdd)?, false, &mut bdd)?;
    graph.to_automaton(&mut bdd, automaton.propositions.clone())
}

/// An equivalent automaton with one mark, that stands on all edges of a state or on none.
///
/// # Errors
/// When the budget runs out.
pub fn to_state_based(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Limit> {
    let mut bdd = Bdd::new(Meter::new(budget));
    let graph = Graph::of_automaton(automaton, &mut bdd)?;
    let graph = one_mark(&prune(&graph, &mut bdd)?, true, &mut bdd)?;
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
    let mut bdd = Bdd::new(meter);
    let graph = expand(formulas, root, &propositions, &mut bdd)?;
    let graph = prune(&graph, &mut bdd)?;
    let reduced = reduce(graph, Style::OnEdges, &mut bdd)?;
    let opposite = expand(formulas, opposite, &propositions, &mut bdd)?;
    let opposite = prune(&opposite, &mut bdd)?;
    let weak = minimise_weak(&reduced, &opposite, MOST_SETS, &mut bdd)?;
    let mut candidates = Vec::new();
    if let Some(weak) = weak {
        candidates.push(prune(&weak, &mut bdd)?);
    }
    candidates.push(reduced);
    Ok((candidates, bdd, propositions))
}

/// The first of the automata with fewest states.
fn smallest(candidates: Vec<Graph>) -> Graph {
    let least = candidates.into_iter().min_by_key(Graph::state_count);
    least.unwrap_or_else(Graph::nothing)
}

fn one_mark(graph: &Graph, on_states: bool, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let single = count_off(graph, on_states, bdd)?;
    reduce(single, if on_states { Style::OnStates } else { Style::OnEdges }, bdd)
}

/// Applies the reductions until none of them helps.
fn reduce(mut graph: Graph, style: Style, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    loop {
        let before = (graph.state_count(), graph.edge_count());
        for outer in [false, true] {
            graph = prune(&reduce_forward(&graph, style, outer, bdd)?, bdd)?;
            graph = prune(&reduce_backward(&graph, style, outer, bdd)?, bdd)?;
        }
        if (graph.state_count(), graph.edge_count()) >= before {
            return Ok(graph);
        }
    }
}

/// The automaton of a graph whose marks are on all inner edges of a state or none, with the same marks on
/// the edges that leave the component.
fn state_based_automaton(
    graph: &Graph,
    bdd: &mut Bdd<'_>,
    propositions: Vec<FormulaId>,
) -> Result<Automaton, Limit> {
    let graph = super::simulate::with_outer_marks(graph, Style::OnStates, false, bdd)?;
    graph.to_automaton(bdd, propositions)
}
