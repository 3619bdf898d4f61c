//! Linear time: does some run of the program have a given shape? Runs are followed together with an
//! automaton that accepts the shape.
//!
//! One search ([`search`]) serves three engines. They differ in who asks for what when:
//! * `automata` first makes the whole automaton and makes it small ([`crate::ltl`]);
//! * `tableau` reads the automaton's states off the formula as the search gets to them ([`obligations`]): a
//!   state is a set of obligations, a vertex an assertion of the proof, a start with its leaves the contract
//!   of a callee;
//! * `on-the-fly` does that too, and asks the program itself for a node only when the search gets there.
//!
//! A claim that holds on all runs is decided by looking for a run that has its negation.

mod absence;
mod cycles;
mod graph;
mod lasso;
pub(crate) mod obligations;
mod search;
mod source;

pub(crate) use source::Store;

use crate::ltl;
use lasso::Lasso;
use obligations::Tableau;
use search::Search;
use source::{Known, Produced, Source};
use tern_model::budget::Meter;
use tern_model::{
    Acceptor, Automaton, Budget, Evidence, Formula, FormulaId, Formulas, Limit, Machine, NodeId,
    Obligation, Stats,
};

/// A claim that is about runs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The runs that are looked for: those on which a path formula holds, or does not.
    pub(crate) sought: Obligation,
    /// Whether the claim holds if there is such a run, or if there is none.
    pub(crate) holds_if_found: bool,
}

impl Question {
    /// What a claim asks of runs, if it has at most one path quantifier, on the outside.
    pub(crate) fn of(formulas: &Formulas, claim: FormulaId) -> Option<Question> {
        let (mut holds, mut formula) = (true, claim);
        while let Formula::Not(inner) = formulas.get(formula)
            && formulas.is_state_formula(formula)
        {
            (holds, formula) = (!holds, inner);
        }
        let (all, path) = match formulas.get(formula) {
            Formula::All(path) => (true, path),
            Formula::Exists(path) => (false, path),
            // Without a quantifier all runs are meant.
            _ => (true, claim),
        };
        if path == claim {
            holds = true;
        }
        let quantified = |&id: &FormulaId| formulas.get(id).is_quantifier();
        if formulas.subformulas(path).iter().any(quantified) {
            return None;
        }
        // `A f` holds if no run has `!f`, `E f` if some run has `f`.
        let sought = Obligation { formula: path, holds: !all };
        Some(Question { sought, holds_if_found: all != holds })
    }
}

/// What was decided of a claim about runs.
pub(crate) struct Decision {
    /// An initial node at which the claim fails, if it does.
    pub(crate) culprit: Option<NodeId>,
    /// Runs that have what was sought, with the initial nodes they begin at, as far as they were asked for and
    /// are not too long.
    pub(crate) runs: Vec<Lasso>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) stats: Stats,
}

/// How the automaton is come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// As a whole, and made small.
    Automaton,
    /// State by state.
    Tableau,
}

/// What is wanted besides the verdict.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// To tell runs, of how many moves at most.
    pub(crate) most_moves: Option<usize>,
    /// To prove that there are none.
    pub(crate) proof: bool,
}

/// Decides a claim about runs.
pub(crate) fn decide(
    machine: &Machine,
    formulas: &Formulas,
    question: Question,
    method: Method,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut decision = match method {
        Method::Automaton => {
            let mut formulas = formulas.clone();
            let Obligation { formula, holds } = question.sought;
            let path = if holds { formula } else { formulas.make(Formula::Not(formula)) };
            let mut automaton = ltl::translate(&mut formulas, path, budget)?;
            let states = automaton.state_count() as u64;
            let labels = source::labels(&formulas, &automaton.propositions);
            let mut source = Known::new(machine, &labels);
            let mut decision = ask(&mut source, &mut automaton, question, wanted, budget)?;
            decision.stats.automaton_states = states;
            decision
        }
        Method::Tableau => {
            let mut tableau = Tableau::new(formulas, question.sought, budget);
            let labels = source::labels(formulas, tableau.propositions());
            ask(&mut Known::new(machine, &labels), &mut tableau, question, wanted, budget)?
        }
    };
    if wanted.proof {
        decision.evidence = prove(machine, formulas, question, &decision, budget)?;
    }
    Ok(decision)
}

/// Decides a claim about runs, on a program that is asked for its nodes one by one.
pub(crate) fn decide_on_the_fly(
    machine: &Machine,
    formulas: &Formulas,
    question: Question,
    store: &mut Store,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut tableau = Tableau::new(formulas, question.sought, budget);
    let labels = source::labels(formulas, tableau.propositions());
    let mut space = machine;
    let mut source = Produced::new(&mut space, store, &labels);
    let mut decision = ask(&mut source, &mut tableau, question, wanted, budget)?;
    if wanted.proof {
        decision.evidence = prove(machine, formulas, question, &decision, budget)?;
    }
    Ok(decision)
}

/// Decides whether no run is accepted by an automaton, or whether from each initial node one is.
pub(crate) fn decide_automaton(
    machine: &Machine,
    formulas: &Formulas,
    automaton: &Automaton,
    holds_if_found: bool,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let labels = source::labels(formulas, &automaton.propositions);
    let mut source = Known::new(machine, &labels);
    let mut decision =
        ask_automaton(&mut source, &mut automaton.clone(), holds_if_found, wanted, budget)?;
    decision.stats.automaton_states = automaton.state_count() as u64;
    Ok(decision)
}

fn ask<S: Source, A: Acceptor>(
    source: &mut S,
    acceptor: &mut A,
    question: Question,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    ask_automaton(source, acceptor, question.holds_if_found, wanted, budget)
}

/// Looks for runs: one from any initial node if that makes the claim fail, else one from each.
fn ask_automaton<S: Source, A: Acceptor>(
    source: &mut S,
    acceptor: &mut A,
    holds_if_found: bool,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut meter = Meter::new(budget);
    let initial = source.initial();
    let mut decision =
        Decision { culprit: None, runs: Vec::new(), evidence: None, stats: Stats::default() };
    if !holds_if_found {
        let found = look(source, acceptor, &initial, wanted.most_moves, &mut meter)?;
        decision.stats = found.stats;
        decision.culprit = found.lasso.as_ref().map(|lasso| lasso.at);
        decision.runs.extend(found.lasso);
        return Ok(decision);
    }
    for node in initial {
        let found = look(source, acceptor, &[node], wanted.most_moves, &mut meter)?;
        decision.stats += found.stats;
        match found.lasso {
            Some(lasso) => decision.runs.push(lasso),
            None => {
                decision.culprit = Some(node);
                decision.runs.clear();
                break;
            }
        }
    }
    Ok(decision)
}

/// What a search found.
struct Found {
    /// A run that the automaton accepts, if there is one.
    lasso: Option<Lasso>,
    stats: Stats,
}

/// Looks for a run from one of some nodes, with an empty stack, that the automaton accepts.
fn look<S: Source, A: Acceptor>(
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
    let Some(accepting) = components.accepting else {
        return Ok(Found { lasso: None, stats });
    };
    let most = most_moves.unwrap_or(0);
    let lasso = lasso::tell(source, &graph, &components, accepting, mark_count, most, meter)?;
    Ok(Found { lasso: Some(lasso), stats })
}

/// The evidence for what was decided: the runs that were found, if none is too long, or a proof that there
/// are none.
fn prove(
    machine: &Machine,
    formulas: &Formulas,
    question: Question,
    decision: &Decision,
    budget: &Budget,
) -> Result<Option<Evidence>, Limit> {
    let Question { sought, holds_if_found } = question;
    if decision.culprit.is_none() == holds_if_found {
        let told = |lasso: &Lasso| Some((lasso.at, lasso.run.clone()?));
        let runs = decision.runs.iter().map(told).collect::<Option<Vec<_>>>();
        return Ok(runs.map(|runs| Evidence::Runs { sought, runs }));
    }
    let from = decision.culprit.map_or_else(|| machine.initial().to_vec(), |node| vec![node]);
    let proof = absence::prove(machine, formulas, sought, &from, budget)?;
    Ok(proof.map(|proof| Evidence::Absence { sought, from, proof }))
}
