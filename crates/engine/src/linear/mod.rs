//! Linear time: does some run of the program have a given shape? Runs are followed together with an
//! automaton that accepts the shape.
//!
//! One search ([`search`]) serves three engines. They differ in who asks for what when:
//! * `automata` first makes the whole automaton and makes it small ([`tern_automata`]);
//! * `tableau` reads the automaton's states off the formula as the search gets to them
//!   ([`Tableau`]): a state is a set of obligations, a vertex an assertion of the proof, a start
//!   with its leaves the contract of a callee;
//! * `on-the-fly` does that too, and asks the program itself for a node only when the search gets
//!   there.
//!
//! A claim that holds on all runs is decided by looking for a run that has its negation.

mod absence;
mod cycles;
mod freedom;
mod graph;
mod index;
mod lasso;
mod lengths;
mod narrow;
mod produced;
mod search;
mod source;
mod tell;

pub(crate) use lasso::Lasso;
pub(crate) use produced::{decide_automaton_on_space, decide_on_the_fly, decide_space};
pub(crate) use source::{Source, labels};
pub(crate) use tell::tell;

use crate::engines::{self, Engine};
use crate::streett::{Fair, Sides, Split, split};
use cycles::Components;
use graph::{Graph, Spot, VertexId};
use lengths::Lengths;
use rustc_hash::{FxHashMap, FxHashSet};
use search::Search;
use source::Known;
use std::cell::OnceCell;
use std::mem;
use std::time::Instant;
use tern_automata::{Complement, Tableau};
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::scc::SccId;
use tern_model::{
    Absence, Acceptor, Automaton, Budget, Evidence, Formula, FormulaId, Formulas, Gap, Limit,
    Machine, Missing, NodeId, Obligation, PlaceId, Sought, Stats,
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
    pub(crate) holds: bool,
    /// A hole of the program that this depends on: then nothing is decided.
    pub(crate) hole: Option<PlaceId>,
    /// Whether holes were come to.
    pub(crate) holes: bool,
    /// The engine that decided it, if it was to be the best.
    pub(crate) engine: Option<&'static Engine>,
    /// An initial node at which the claim fails, if it does.
    pub(crate) culprit: Option<NodeId>,
    /// Runs that have what was sought, with the initial nodes they begin at, as far as they were
    /// asked for and are not too long.
    pub(crate) runs: Vec<Lasso>,
    pub(crate) evidence: Option<Evidence>,
    /// What was asked for besides, and could not be given.
    pub(crate) missing: Vec<Missing>,
    /// How long it took to tell runs and to prove that there are none, in seconds.
    pub(crate) explaining: f64,
    pub(crate) stats: Stats,
}

/// How the automaton is come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// As a whole, and made small.
    Automaton,
    /// State by state.
    Tableau,
    /// As a whole if that takes little effort, else state by state.
    Best,
}

/// How much effort an automaton is worth that may turn out too large: looks at the budget. The
/// formulas that people write take a few.
const EFFORT: u64 = 100;

/// What is wanted besides the verdict.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// To tell runs, of how many moves at most. Evidence that there are runs needs them.
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
    let automaton = match method {
        Method::Tableau => None,
        Method::Automaton => Some(automaton_of(formulas, question, budget)?),
        Method::Best => {
            let modest = budget.clone().with_effort(EFFORT);
            match automaton_of(formulas, question, &modest) {
                Err(Limit::Effort) => None,
                other => Some(other?),
            }
        }
    };
    let found = question.holds_if_found;
    let decision = match automaton {
        Some(Shape { formulas, automaton, pairs }) => {
            let states = automaton.state_count() as u64;
            let mut fair = Fair::split_off(automaton, &formulas, &pairs, budget);
            let labels = source::labels(&formulas, fair.propositions());
            let mut source = Known::new(machine, &labels);
            let mut decision = ask(&mut source, &mut fair, found, wanted, budget)?;
            decision.stats.automaton_states = states;
            decision
        }
        None => {
            let split = split(formulas, question.sought);
            let sides = split.sides();
            let tableau = Tableau::of(formulas, split.rest, budget);
            let mut fair = Fair::split_off(tableau, formulas, &sides, budget);
            let labels = source::labels(formulas, fair.propositions());
            let mut source = Known::new(machine, &labels);
            let engine = (method == Method::Best).then_some(&engines::TABLEAU);
            Decision { engine, ..ask(&mut source, &mut fair, found, wanted, budget)? }
        }
    };
    Ok(with_proof(machine, formulas, question, decision, wanted, budget))
}

/// The runs that are sought, as an automaton and pairs of strong fairness.
pub(crate) struct Shape {
    /// Where the propositions of the automaton and the sides of the pairs live.
    pub(crate) formulas: Formulas,
    pub(crate) automaton: Automaton,
    pub(crate) pairs: Vec<Sides>,
}

/// The shape of the runs that are sought.
fn automaton_of(formulas: &Formulas, question: Question, budget: &Budget) -> Result<Shape, Limit> {
    // In an arena of its own: that of a file of claims may be large, and this is done for each of
    // them.
    let Obligation { formula, holds } = question.sought;
    let (formulas, formula) = formulas.alone(formula);
    Shape::new(formulas, Obligation { formula, holds }, budget)
}

impl Shape {
    /// The shape of runs on which a path formula holds, or does not.
    pub(crate) fn new(
        mut formulas: Formulas,
        sought: Obligation,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let split = split(&formulas, sought);
        let path = conjunction(&mut formulas, &split);
        let automaton = tern_automata::translate(&mut formulas, path, budget)?;
        Ok(Shape { formulas, automaton, pairs: split.sides() })
    }

    /// The automaton with the pairs.
    pub(crate) fn acceptor<'a>(&'a self, budget: &'a Budget) -> Fair<'a, Automaton> {
        Fair::split_off(self.automaton.clone(), &self.formulas, &self.pairs, budget)
    }
}

/// What is sought besides pairs, as one formula.
pub(crate) fn conjunction(formulas: &mut Formulas, split: &Split) -> FormulaId {
    let mut path: Option<FormulaId> = None;
    for &Obligation { formula, holds } in &split.rest {
        let part = if holds { formula } else { formulas.make(Formula::Not(formula)) };
        path = Some(match path {
            None => part,
            Some(others) => formulas.make(Formula::And(others, part)),
        });
    }
    path.unwrap_or_else(|| formulas.make(Formula::True))
}

/// Decides whether an automaton accepts no run, or, if it is the complement that is wanted, every
/// run; of those on which each of the conditions holds again and again, and of each pair the second
/// if the first does.
pub(crate) fn decide_automaton(
    machine: &Machine,
    formulas: &Formulas,
    automaton: &Automaton,
    complement: bool,
    (conditions, pairs): (&[FormulaId], &[Sides]),
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Gap> {
    let decision = if complement {
        let inner = Complement::new(automaton, budget).map_err(Gap::Limit)?;
        let fair = Fair::new(inner, formulas, conditions, pairs, budget)?;
        ask_acceptor(machine, formulas, fair, wanted, budget)?
    } else {
        let fair = Fair::new(automaton.clone(), formulas, conditions, pairs, budget)?;
        ask_acceptor(machine, formulas, fair, wanted, budget)?
    };
    let sought = if complement { Sought::NotAccepted } else { Sought::Accepted };
    let prove = |from: &[NodeId]| {
        let fair = (conditions, pairs);
        absence::prove_automaton(machine, formulas, automaton, complement, fair, from, budget)
    };
    Ok(with_evidence(machine, sought, false, decision, wanted, prove))
}

/// Decides whether no run is accepted.
fn ask_acceptor(
    machine: &Machine,
    formulas: &Formulas,
    mut acceptor: impl Acceptor,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Gap> {
    let labels = source::labels(formulas, acceptor.propositions());
    let mut source = Known::new(machine, &labels);
    ask(&mut source, &mut acceptor, false, wanted, budget).map_err(Gap::Limit)
}

/// Looks for runs: one from any initial node if that makes the claim fail, else one from each.
fn ask<S: Source, A: Acceptor>(
    source: &mut S,
    acceptor: &mut A,
    holds_if_found: bool,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let initial = source.initial();
    let mut decision = Decision {
        holds: true,
        hole: None,
        holes: false,
        engine: None,
        culprit: None,
        runs: Vec::new(),
        evidence: None,
        missing: Vec::new(),
        explaining: 0.0,
        stats: Stats::default(),
    };
    let found = Found::new(source, acceptor, &initial, holds_if_found, &mut decision, budget)?;
    if !holds_if_found {
        let roots: Vec<VertexId> = found.graph.roots.iter().rev().map(|&(_, root)| root).collect();
        if let Some(accepting) = found.components.accepting {
            let is_sought = |component| component == accepting;
            decision.culprit = found.run(source, &roots, is_sought, wanted, &mut decision, budget);
            decision.holds = false;
        } else if !found.settled.is_empty() {
            decision.culprit = found.begin(source, &roots, wanted, &mut decision, budget);
            decision.holds = false;
        } else {
            decision.hole = found.open.first().and_then(|&vertex| found.place(vertex));
        }
        return Ok(decision);
    }
    let Found { graph, components, settled, open, .. } = &found;
    let meter = &mut Meter::new(budget);
    let wins = components.winning(graph, settled, meter)?;
    let may_win = components.winning(graph, &[&settled[..], open].concat(), meter)?;
    let mut roots: FxHashMap<NodeId, Vec<VertexId>> = FxHashMap::default();
    for &(node, root) in &found.graph.roots {
        roots.entry(node).or_default().push(root);
    }
    let wins = |root: &VertexId| wins[found.components.of(*root)];
    let may_win = |root: &VertexId| may_win[found.components.of(*root)];
    // An automaton without initial states has no roots.
    let of = |node: &NodeId| roots.get(node).map_or(&[][..], Vec::as_slice);
    decision.culprit = initial.iter().copied().find(|node| !of(node).iter().any(may_win));
    decision.holds = decision.culprit.is_none();
    if decision.holds && !initial.iter().all(|node| of(node).iter().any(wins)) {
        decision.hole = open.first().and_then(|&vertex| found.place(vertex));
        return Ok(decision);
    }
    if decision.holds && wanted.most_moves.is_some() {
        let is_sought = |component: SccId| found.components.is_good(component);
        for node in &initial {
            if let Err(limit) = budget.check() {
                let why = Gap::Limit(limit);
                note(&mut decision.missing, Missing::Run(why));
                break;
            }
            let told = found.run(source, of(node), is_sought, wanted, &mut decision, budget);
            if told.is_none() {
                found.begin(source, of(node), wanted, &mut decision, budget);
            }
        }
    }
    Ok(decision)
}

/// An endless run from where a source begins that an automaton accepts, if there is one. It is told
/// whole if it has at most so many moves.
pub(crate) fn find<S: Source>(
    source: &mut S,
    acceptor: &mut impl Acceptor,
    most_moves: usize,
    budget: &Budget,
) -> Result<Option<Lasso>, Limit> {
    let wanted = Wanted { most_moves: Some(most_moves), proof: false };
    let mut decision = ask(source, acceptor, false, wanted, budget)?;
    match decision.missing.first().map(Missing::why) {
        Some(&Gap::Limit(limit)) => Err(limit),
        _ => Ok(decision.runs.pop()),
    }
}

/// What was found of the runs from some nodes.
struct Found {
    graph: Graph,
    components: Components,
    /// All marks of the automaton.
    all: Marks,
    /// Vertices from which all runs are accepted, as far as they were looked for.
    settled: Vec<VertexId>,
    /// Vertices from which a run may be accepted that passes a hole.
    open: Vec<VertexId>,
    /// How long ways are, once a run is told: the same for all of them.
    lengths: OnceCell<Lengths>,
}

impl Found {
    /// Follows runs from some nodes, with an empty stack: until one is accepted, or all of them.
    fn new<S: Source, A: Acceptor>(
        source: &mut S,
        acceptor: &mut A,
        initial: &[NodeId],
        all: bool,
        decision: &mut Decision,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let produced_before = source.produced();
        // From one node a single run decides.
        let to_the_end = all && initial.len() > 1;
        let marks = all_marks(acceptor.mark_count());
        let mut search = Search::new(source, acceptor);
        let meter = &mut Meter::new(budget);
        let components = search.run(initial, to_the_end, meter)?;
        decision.holes = !search.holes.is_empty();
        let open = search.open_holes(meter)?;
        let Search { graph, states, settled, .. } = search;
        decision.stats += Stats {
            contracts: graph.starts.len() as u64,
            product_nodes: graph.vertices.len() as u64,
            automaton_states: states as u64,
            edges: graph.edges.len() as u64,
            produced: source.produced() - produced_before,
            ..Stats::default()
        };
        Ok(Found { graph, components, all: marks, settled, open, lengths: OnceCell::new() })
    }

    /// The place of a vertex.
    fn place(&self, vertex: VertexId) -> Option<PlaceId> {
        match self.graph.vertices[vertex].spot {
            Spot::At(place) => Some(place),
            Spot::Halted(_) | Spot::Sink => None,
        }
    }

    /// How long ways are in the whole graph: with marks, unless the way round is looked for in a
    /// part of it.
    fn lengths(&self, meter: &mut Meter<'_>) -> Result<&Lengths, Limit> {
        if let Some(known) = self.lengths.get() {
            return Ok(known);
        }
        let marks = if self.components.pairs.is_some() { 0 } else { self.all.count_ones() };
        let lengths = Lengths::compute(&self.graph, marks as usize, meter)?;
        Ok(self.lengths.get_or_init(|| lengths))
    }

    /// A run from one of some roots to a good component and round it.
    fn tell<S: Source>(
        &self,
        source: &mut S,
        (roots, accepting): (&[VertexId], SccId),
        most: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Lasso, Limit> {
        let Found { graph, components, all, .. } = self;
        let to = lasso::Ways { graph, lengths: self.lengths(meter)? };
        let Some((core, narrow)) = cycles::within(graph, components, accepting, meter)? else {
            let inside = |vertex: VertexId| components.of(vertex) == accepting;
            return lasso::tell(source, to, to, roots, (inside, *all), most, meter);
        };
        let lengths = Lengths::compute(&narrow, self.all.count_ones() as usize, meter)?;
        let round = lasso::Ways { graph: &narrow, lengths: &lengths };
        let members: FxHashSet<VertexId> = core.members.iter().copied().collect();
        let inside = |vertex: VertexId| members.contains(&vertex);
        let needed = components.pairs.as_ref().map_or(0, |pairs| pairs.goal.needed(core.carried));
        lasso::tell(source, to, round, roots, (inside, needed), most, meter)
    }

    /// The node of one of some roots from which a run comes to one of some accepting components. If
    /// that is wanted, the run is added to the decision.
    fn run<S: Source>(
        &self,
        source: &mut S,
        roots: &[VertexId],
        is_sought: impl Fn(SccId) -> bool,
        wanted: Wanted,
        decision: &mut Decision,
        budget: &Budget,
    ) -> Option<NodeId> {
        let Found { graph, components, .. } = self;
        let (root, accepting) = lasso::reached(graph, components, roots, is_sought)?;
        let node = || graph.roots.iter().find(|&&(_, own)| own == root).map(|&(node, _)| node);
        let Some(most) = wanted.most_moves else { return node() };
        let begin = Instant::now();
        let target = (roots, accepting);
        let mut meter = Meter::new(budget);
        let told = self.tell(source, target, most, &mut meter);
        decision.explaining += begin.elapsed().as_secs_f64();
        match told {
            Ok(lasso) => {
                let at = lasso.at;
                if lasso.run.is_err() {
                    let why = Gap::Unsupported(format!("it has more than {most} moves"));
                    note(&mut decision.missing, Missing::Run(why));
                }
                decision.runs.push(lasso);
                Some(at)
            }
            // The verdict stands.
            Err(limit) => {
                let why = Gap::Limit(limit);
                note(&mut decision.missing, Missing::Run(why));
                node()
            }
        }
    }
}

impl Found {
    /// The node of one of some roots from which a run comes to a vertex from where all runs are
    /// accepted. If runs are wanted, its beginning is added to the decision.
    fn begin<S: Source>(
        &self,
        source: &mut S,
        roots: &[VertexId],
        wanted: Wanted,
        decision: &mut Decision,
        budget: &Budget,
    ) -> Option<NodeId> {
        let Found { graph, components, settled, .. } = self;
        let ends: FxHashSet<SccId> = settled.iter().map(|&vertex| components.of(vertex)).collect();
        let (root, _) = lasso::reached(graph, components, roots, |it| ends.contains(&it))?;
        let node = graph.roots.iter().find(|&&(_, own)| own == root).map(|&(node, _)| node);
        let Some(most) = wanted.most_moves else { return node };
        let begin = Instant::now();
        let mut meter = Meter::new(budget);
        let told = self.lengths(&mut meter).and_then(|lengths| {
            let ways = lasso::Ways { graph, lengths };
            lasso::begin(source, ways, roots, settled, most, &mut meter)
        });
        decision.explaining += begin.elapsed().as_secs_f64();
        let (at, why) = match told {
            Ok(lasso) => {
                let at = lasso.as_ref().map(|lasso| lasso.at);
                decision.runs.extend(lasso);
                let why = "it is known how the run begins, not how it goes on";
                (at, Gap::Unsupported(why.to_owned()))
            }
            // The verdict stands.
            Err(limit) => (node, Gap::Limit(limit)),
        };
        note(&mut decision.missing, Missing::Run(why));
        at
    }
}

/// Notes that something is missing, unless that is known: one run too long is enough to say.
pub(crate) fn note(list: &mut Vec<Missing>, missing: Missing) {
    if list.iter().all(|known| mem::discriminant(known) != mem::discriminant(&missing)) {
        list.push(missing);
    }
}

/// Adds the evidence for what was decided of a formula.
pub(crate) fn with_proof(
    machine: &Machine,
    formulas: &Formulas,
    question: Question,
    decision: Decision,
    wanted: Wanted,
    budget: &Budget,
) -> Decision {
    let Question { sought, holds_if_found } = question;
    let prove = |from: &[NodeId]| absence::prove(machine, formulas, sought, from, budget);
    let sought = Sought::Formula(sought);
    with_evidence(machine, sought, holds_if_found, decision, wanted, prove)
}

/// Adds the evidence for what was decided: the runs that were found, if none is too long, or a
/// proof that there are none.
fn with_evidence(
    machine: &Machine,
    sought: Sought,
    holds_if_found: bool,
    mut decision: Decision,
    wanted: Wanted,
    prove: impl FnOnce(&[NodeId]) -> Result<Absence, Gap>,
) -> Decision {
    if !wanted.proof {
        return decision;
    }
    if decision.holds == holds_if_found {
        let told = |lasso: &Lasso| Some((lasso.at, lasso.run.clone().ok()?));
        let runs = decision.runs.iter().map(told).collect::<Option<Vec<_>>>();
        match decision.missing.first().map(|run| run.why().clone()) {
            None => decision.evidence = runs.map(|runs| Evidence::Runs { sought, runs }),
            // The evidence would be the run that is missing.
            Some(why) => decision.missing.insert(0, Missing::Evidence(why)),
        }
        return decision;
    }
    let begin = Instant::now();
    let from = decision.culprit.map_or_else(|| machine.initial().to_vec(), |node| vec![node]);
    match prove(&from) {
        Ok(proof) => decision.evidence = Some(Evidence::Absence { sought, from, proof }),
        Err(why) => decision.missing.push(Missing::Evidence(why)),
    }
    decision.explaining += begin.elapsed().as_secs_f64();
    decision
}
