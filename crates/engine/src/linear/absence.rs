//! Writes down why no run has what was sought, for others to check: see [`tern_model::absence`].
//!
//! The search is done once more, with the tableau of the formula, whose states anybody can read, and to
//! its end. Components of the graph are numbered so that edges never lead to a greater number, and so are
//! the levels; a component without accepting cycle lacks some mark, which is the promise that no edge in it keeps.

use super::graph::{Graph, Start};
use super::search::Search;
use super::source::{self, Known};
use crate::ltl::Tableau;
use tern_model::absence::{AbsenceLeave, AbsenceStart, AbsenceVertex};
use tern_model::automaton::MAX_MARKS;
use tern_model::budget::Meter;
use tern_model::{
    Absence, Acceptor, Budget, Formulas, Id, Limit, Machine, NodeId, Obligation, StateId,
};

/// The proof; `None` if there are more promises than the form has room for.
///
/// # Panics
/// If there is such a run.
pub(super) fn prove(
    machine: &Machine,
    formulas: &Formulas,
    sought: Obligation,
    from: &[NodeId],
    budget: &Budget,
) -> Result<Option<Absence>, Limit> {
    let mut tableau = Tableau::new(formulas, sought, budget);
    if tableau.promises.len() > MAX_MARKS as usize {
        return Ok(None);
    }
    let labels = source::labels(formulas, tableau.propositions());
    let mut meter = Meter::new(budget);
    let mut known = Known::new(machine, &labels);
    let mut search = Search::new(&mut known, &mut tableau);
    let components = search.run(from, true, &mut meter)?;
    let graph = search.graph;
    assert!(components.accepting.is_none(), "two searches for the same runs disagree");
    let level = |marks: &Option<u64>| marks.map(u64::trailing_ones);
    let starts = graph.starts.iter().zip(vertices(&graph));
    let starts = starts.map(|(start, vertices)| {
        let vertices = vertices.iter().map(|&id| AbsenceVertex {
            spot: graph.vertices[id as usize].spot,
            state: number(graph.vertices[id as usize].state),
            kept: graph.gathered[id as usize],
            level: components.of[id as usize],
        });
        written(start, vertices.collect())
    });
    Ok(Some(Absence {
        promises: tableau.promises.clone(),
        starts: starts.collect(),
        levels: components.marks.iter().map(level).collect(),
        states: (0..tableau.state_count())
            .map(|i| tableau.obligations(StateId::new(i)).to_vec())
            .collect(),
    }))
}

/// The vertices of each start.
fn vertices(graph: &Graph) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); graph.starts.len()];
    for (id, vertex) in (0..).zip(&graph.vertices) {
        lists[vertex.start as usize].push(id);
    }
    lists
}

fn written(start: &Start, vertices: Vec<AbsenceVertex>) -> AbsenceStart {
    let leave = |leave: &super::graph::Leave| AbsenceLeave {
        out: leave.out,
        state: number(leave.state),
        kept: leave.marks,
    };
    AbsenceStart {
        node: start.node,
        state: number(start.state),
        root: start.root,
        vertices,
        leaves: start.leaves.iter().map(leave).collect(),
    }
}

fn number(state: StateId) -> u32 {
    u32::try_from(state.index()).expect("ids are 32 bits")
}
