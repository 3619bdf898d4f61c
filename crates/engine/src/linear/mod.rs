//! Linear time: does some run of the program have a given shape? Runs are followed together with an
//! automaton that accepts the shape.
//!
//! One search ([`search`]) serves three engines. They differ in who asks for what when:
//! * `automata` first makes the whole automaton and makes it small ([`crate::ltl`]);
//! * `tableau` reads the automaton's states off the formula as the search gets to them: a state is a set of
//!   obligations, a vertex an assertion of the proof, a start with its leaves the contract of a callee;
//! * `on-the-fly` does that too, and asks the program itself for a node only when the search gets there.
//!
//! A claim that holds on all runs is decided by looking for a run that has its negation.

mod cycles;
mod graph;
mod lasso;
mod search;
pub(crate) mod source;

use lasso::Lasso;
use search::Search;
use source::Source;
use tern_model::budget::Meter;
use tern_model::{Acceptor, Limit, NodeId, Stats};

/// What a search found.
pub(crate) struct Found {
    /// A run that the automaton accepts, if there is one.
    pub(crate) lasso: Option<Lasso>,
    pub(crate) stats: Stats,
}

/// Looks for a run from one of some nodes, with an empty stack, that the automaton accepts.
///
/// `most_moves` says whether to tell the run, and of how many moves at most.
pub(crate) fn look<S: Source, A: Acceptor>(
    source: &mut S,
    acceptor: &mut A,
    roots: &[NodeId],
    most_moves: Option<usize>,
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    let mark_count = acceptor.mark_count();
    let mut search = Search::new(source, acceptor);
    let components = search.run(roots, false, meter)?;
    let Search { graph, states, .. } = search;
    let stats = Stats {
        contracts: graph.starts.len() as u64,
        product_nodes: graph.vertices.len() as u64,
        automaton_states: states as u64,
        edges: graph.edges.len() as u64,
        produced: source.produced(),
        ..Stats::default()
    };
    let lasso = match components.accepting {
        None => None,
        Some(accepting) => Some(lasso::tell(
            source,
            &graph,
            &components,
            accepting,
            mark_count,
            most_moves.unwrap_or(0),
            meter,
        )?),
    };
    Ok(Found { lasso, stats })
}
