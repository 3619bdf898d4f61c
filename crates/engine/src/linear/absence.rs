//! Writes down why no run has what was sought, for others to check: see [`tern_model::absence`].
//!
//! The search is done once more, to its end, with states that anybody can read: those of the
//! tableau of a formula, of an automaton as it was given, or of its complement. Components of the
//! graph are numbered so that edges never lead to a greater number, and so are the levels; a
//! component without accepting cycle lacks some mark, which is the promise that no edge in it
//! keeps.

use super::fair::Fair;
use super::graph::{Graph, Start, StartId, VertexId};
use super::search::Search;
use super::source::{self, Known};
use tern_automata::Complement;
use tern_automata::Tableau;
use tern_model::absence::{AbsenceLeave, AbsenceStart, AbsenceVertex, States};
use tern_model::automaton::MAX_MARKS;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    Absence, Acceptor, Automaton, Budget, FormulaId, Formulas, Gap, Id, Machine, NodeId,
    Obligation, StateId,
};

/// The proof that a formula holds on no run, or fails on none.
///
/// # Errors
/// That there are more promises than the form has room for, or that the budget runs out.
///
/// # Panics
/// If there is such a run.
pub(super) fn prove(
    machine: &Machine,
    formulas: &Formulas,
    sought: Obligation,
    from: &[NodeId],
    budget: &Budget,
) -> Result<Absence, Gap> {
    let mut tableau = Tableau::new(formulas, sought, budget);
    if tableau.promises().len() > MAX_MARKS as usize {
        return Err(Gap::Unsupported("the formula promises too many things".to_owned()));
    }
    let (starts, levels) = follow(machine, formulas, &mut tableau, from, budget)?;
    let sets = (0..tableau.state_count()).map(|i| tableau.obligations(StateId::new(i)).to_vec());
    let states =
        States::Obligations { promises: tableau.promises().to_vec(), sets: sets.collect() };
    Ok(Absence { states, starts, levels })
}

/// The proof that an automaton accepts no run on which each condition holds again and again, or, if
/// it is the complement that is wanted, that it accepts all of them.
///
/// # Errors
/// That the conditions do not fit, or that the budget runs out.
///
/// # Panics
/// If there is such a run.
pub(super) fn prove_automaton(
    machine: &Machine,
    formulas: &Formulas,
    automaton: &Automaton,
    complement: bool,
    conditions: &[FormulaId],
    from: &[NodeId],
    budget: &Budget,
) -> Result<Absence, Gap> {
    if !complement {
        let mut fair = Fair::new(automaton.clone(), formulas, conditions, budget)?;
        let (starts, levels) = follow(machine, formulas, &mut fair, from, budget)?;
        return Ok(Absence { states: States::Automaton, starts, levels });
    }
    let inner = Complement::as_given(automaton, budget).map_err(Gap::Limit)?;
    let mut fair = Fair::new(inner, formulas, conditions, budget)?;
    let (starts, levels) = follow(machine, formulas, &mut fair, from, budget)?;
    let states = fair.inner().written_states(&mut Meter::new(budget)).map_err(Gap::Limit)?;
    Ok(Absence { states: States::Complement(states), starts, levels })
}

/// The starts of a proof, with all that can be reached, and the levels.
fn follow(
    machine: &Machine,
    formulas: &Formulas,
    acceptor: &mut impl Acceptor,
    from: &[NodeId],
    budget: &Budget,
) -> Result<(Vec<AbsenceStart>, Vec<Option<u32>>), Gap> {
    let labels = source::labels(formulas, acceptor.propositions());
    let mut meter = Meter::new(budget);
    let mut known = Known::new(machine, &labels);
    let mut search = Search::new(&mut known, acceptor);
    let components = search.run(from, true, &mut meter).map_err(Gap::Limit)?;
    let graph = search.graph;
    assert!(components.accepting.is_none(), "two searches for the same runs disagree");
    let level = |marks: &Option<u64>| marks.map(u64::trailing_ones);
    let starts = graph.starts.iter().zip(vertices(&graph));
    let starts = starts.map(|((_, start), vertices)| {
        let vertices = vertices.iter().map(|&id| AbsenceVertex {
            spot: graph.vertices[id].spot,
            state: number(graph.vertices[id].state),
            kept: graph.gathered[id],
            level: number(components.of(id)),
        });
        written(start, vertices.collect())
    });
    Ok((starts.collect(), components.marks.as_slice().iter().map(level).collect()))
}

/// The vertices of each start.
fn vertices(graph: &Graph) -> Table<StartId, Vec<VertexId>> {
    let mut lists = Table::filled(Vec::new(), graph.starts.len());
    for (id, vertex) in graph.vertices.iter() {
        lists[vertex.start].push(id);
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
        leaves: start.leaves.as_slice().iter().map(leave).collect(),
    }
}

/// An id as a number of the form.
fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are 32 bits")
}
