//! Writes down why no run has what was sought, for others to check: see [`tern_model::absence`].
//!
//! The search is done once more, to its end, with states that anybody can read: those of the
//! tableau of a formula, of an automaton as it was given, or of its complement. Components of the
//! graph are numbered so that edges never lead to a greater number, and so are the levels; a
//! component without accepting cycle lacks some mark, which is the promise that no edge in it
//! keeps; or it has no fair one, which is written down part by part (`narrow`).

use super::graph::{Graph, Start, StartId, VertexId};
use super::narrow::{self, Positions};
use super::search::Search;
use super::source::{self, Known};
use crate::streett::{Fair, Sides, split};
use tern_automata::Complement;
use tern_automata::Tableau;
use tern_model::absence::{
    AbsenceLeave, AbsenceStart, AbsenceVertex, NarrowContracts, Narrowing, States,
};
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
    let split = split(formulas, sought);
    let (sides, pairs) = (split.sides(), split.pairs.iter().map(|pair| pair.formula).collect());
    let mut tableau = Tableau::of(formulas, split.rest, budget);
    if tableau.promises().len() > MAX_MARKS as usize {
        return Err(Gap::Unsupported("the formula promises too many things".to_owned()));
    }
    let followed = if sides.is_empty() {
        follow(machine, formulas, &mut tableau, from, budget)?
    } else {
        let mut fair = Fair::new(&mut tableau, formulas, &[], &sides, budget)?;
        follow(machine, formulas, &mut fair, from, budget)?
    };
    let sets = (0..tableau.state_count()).map(|i| tableau.obligations(StateId::new(i)).to_vec());
    let (promises, sets) = (tableau.promises().to_vec(), sets.collect());
    Ok(followed.with(States::Obligations { promises, sets, pairs }))
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
    (conditions, pairs): (&[FormulaId], &[Sides]),
    from: &[NodeId],
    budget: &Budget,
) -> Result<Absence, Gap> {
    if !complement {
        let mut fair = Fair::new(automaton.clone(), formulas, conditions, pairs, budget)?;
        let followed = follow(machine, formulas, &mut fair, from, budget)?;
        return Ok(followed.with(States::Automaton));
    }
    let inner = Complement::as_given(automaton, budget).map_err(Gap::Limit)?;
    let mut fair = Fair::new(inner, formulas, conditions, pairs, budget)?;
    let followed = follow(machine, formulas, &mut fair, from, budget)?;
    let states = fair.inner().written_states(&mut Meter::new(budget)).map_err(Gap::Limit)?;
    Ok(followed.with(States::Complement(states)))
}

/// A proof without its states.
struct Followed {
    starts: Vec<AbsenceStart>,
    levels: Vec<Option<u32>>,
    narrowings: Vec<Narrowing>,
    contracts: Vec<NarrowContracts>,
}

impl Followed {
    fn with(self, states: States) -> Absence {
        let Followed { starts, levels, narrowings, contracts } = self;
        Absence { states, starts, levels, narrowings, contracts }
    }
}

/// The starts of a proof, with all that can be reached, and the levels.
fn follow(
    machine: &Machine,
    formulas: &Formulas,
    acceptor: &mut impl Acceptor,
    from: &[NodeId],
    budget: &Budget,
) -> Result<Followed, Gap> {
    let labels = source::labels(formulas, acceptor.propositions());
    let mut meter = Meter::new(budget);
    let mut known = Known::new(machine, &labels);
    let mut search = Search::new(&mut known, acceptor);
    let components = search.run(from, true, &mut meter).map_err(Gap::Limit)?;
    let graph = search.graph;
    assert!(components.accepting.is_none(), "two searches for the same runs disagree");
    let level = |marks: &Option<u64>| marks.map(u64::trailing_ones);
    let mut levels: Vec<Option<u32>> = components.marks.as_slice().iter().map(level).collect();
    let vertices = vertices(&graph);
    let (narrowings, contracts) = match &components.pairs {
        None => Default::default(),
        Some(pairs) => {
            let positions = Positions::new(&graph, &vertices);
            narrow::prove(&graph, &components, pairs, &positions, &mut levels, &mut meter)
                .map_err(Gap::Limit)?
        }
    };
    let starts = graph.starts.iter().zip(vertices);
    let starts = starts.map(|((_, start), vertices)| {
        let vertices = vertices.iter().map(|&id| AbsenceVertex {
            spot: graph.vertices[id].spot,
            state: number(graph.vertices[id].state),
            kept: graph.gathered[id],
            level: number(components.of(id)),
        });
        written(start, vertices.collect())
    });
    Ok(Followed { starts: starts.collect(), levels, narrowings, contracts })
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
pub(super) fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are 32 bits")
}
