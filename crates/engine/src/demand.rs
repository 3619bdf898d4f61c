//! Programs that are produced on demand, and claims that are decided on them.
//!
//! # Who asks for what
//! Claims about runs (LTL, and at most one path quantifier, on the outside) are decided by
//! `on-the-fly` and `hybrid`, and without a choice of engine, as far as the program is visited.
//! What was produced for one claim is there for the next, so on a space the two are the same. All
//! other engines, and claims that begin elsewhere, first have everything produced that can be
//! reached. Nothing is asked twice.
//!
//! A space may be without end. What the search has found has its turn sooner or later, so that a
//! run against a claim is found if it comes back to itself, or if its beginning is enough to tell.
//!
//! # What an outcome is about
//! Nodes and boxes of an outcome are those of [`SpaceChecker::machine`], which is what was produced
//! until then. It grows, but nothing in it gets another id. Runs lead along edges that were
//! produced; a proof speaks of places only whose edges were all produced. A run that tells by its
//! beginning is told up to there, and is no evidence.
//!
//! # Holes
//! Of claims about runs, with the engines that follow runs: one fails if a run against it leads
//! past no hole, or if it fails on all runs from a hole on; it holds if there is no run against it
//! even when every endless word is possible after a hole (where the claim has up to 12
//! propositions; with more it may be unknown instead). That is exact, up to runs that only together
//! are enough: a claim that fails for every filling, but by a run that passes a hole and for each
//! filling another one, is unknown. All other claims and engines: see
//! [`fillings`](crate::fillings), which is right but not exact. What is not settled is
//! [unknown](Gap::Hole), with the place of a hole.
//!
//! Evidence where it matters what may follow a hole is about the part as an abstract machine
//! ([`Part::coarse`]), which leaves open what was not produced. It knows a little less than what
//! was decided; if too little, evidence is missing.
//!
//! # Abstract spaces
//! Claims about runs are decided on the [ordinary machine](tern_model::space::Ordinary) of the
//! space, which is produced on demand as well, as `must f` and `may f`. Evidence, runs, and the
//! place that is too coarse come from the part as an abstract machine, as above; so do all claims
//! that are not about runs, once everything was produced.

use crate::checker::{accepted_runs, as_asked, conditions, outcome_of, wanted};
use crate::engines::{self, AUTOMATA, Engine, HYBRID, INCREMENTAL, Route, Runs};
use crate::linear::{self, Decision, Method, Question, Wanted};
use crate::streett::not_too_many;
use crate::{Checker, Options, fillings};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use tern_model::absence::{Out, Spot};
use tern_model::abstraction::{Lane, Translation};
use tern_model::budget::Meter;
use tern_model::space::{Ordinary, OrdinaryIds, Part, Space, SpaceError};
use tern_model::{
    Absence, AutomatonProperty, Budget, Claim, Configuration, Edge, Evidence, ExitId, FormulaId,
    Formulas, Gap, Machine, Missing, Must, NodeId, Outcome, Place, Property, Start, Stats, Verdict,
};

/// A program that is produced on demand, and that claims can be decided on.
pub struct SpaceChecker<S> {
    space: S,
    part: Part,
    /// The propositions of claims so far, and of those to come as far as they were said.
    propositions: Vec<String>,
    /// The machine that the part is, or was after so many questions.
    machine: Option<(u64, Machine)>,
    /// If the space is abstract: what was asked of its ordinary machine, and the ids of that.
    ordinary: (Part, OrdinaryIds),
}

impl<S: Space> SpaceChecker<S> {
    /// A space, and the propositions of the claims that are going to be decided. Those of claims
    /// that come unannounced are added to them.
    pub fn new(space: S, propositions: impl IntoIterator<Item = String>) -> Self {
        let mut checker = SpaceChecker {
            space,
            part: Part::default(),
            propositions: Vec::new(),
            machine: None,
            ordinary: Default::default(),
        };
        checker.announce(propositions);
        checker
    }

    /// Says that claims with these propositions are going to be decided.
    pub fn announce(&mut self, propositions: impl IntoIterator<Item = String>) {
        for proposition in propositions {
            if !self.propositions.contains(&proposition) {
                self.propositions.push(proposition);
            }
        }
    }

    /// The space.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// What was asked of the space.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// What was produced, as a machine: outcomes are about it.
    ///
    /// # Errors
    /// That the space breaks the rules of machines.
    pub fn machine(&mut self) -> Result<&Machine, SpaceError> {
        let questions = self.part.questions();
        let machine = match self.machine.take() {
            Some((made_after, machine)) if made_after == questions => machine,
            _ => self.part.machine(&self.space)?,
        };
        Ok(&self.machine.insert((questions, machine)).1)
    }

    /// What outcomes are about: the machine, and what it is a part of. Both are what the certifier
    /// wants to see.
    ///
    /// # Errors
    /// That the space breaks the rules of machines.
    pub fn subject(&mut self) -> Result<(&Machine, &Part), SpaceError> {
        self.machine()?;
        let Some((_, machine)) = &self.machine else { unreachable!("it was just made") };
        Ok((machine, &self.part))
    }

    /// Has everything produced that can be reached.
    ///
    /// # Errors
    /// That the space fails or breaks the rules of machines; or the limit that was reached.
    pub fn explore(&mut self, budget: &Budget) -> Result<&Machine, SpaceError> {
        self.part.tell(&mut self.space, &self.propositions)?;
        self.part.explore(&mut self.space, &mut Meter::new(budget))?;
        self.machine()
    }

    /// Decides a claim, in the configurations it is about: those of [`SpaceChecker::machine`], if
    /// it names any. Its formulas live in the arena. If the space fails, that is unknown.
    pub fn decide(
        &mut self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let begin = Instant::now();
        let atoms = claim.property.atoms(formulas).into_iter();
        self.announce(atoms.map(|atom| formulas.atom_name(atom).to_owned()));
        let told = self.part.tell(&mut self.space, &self.propositions).map_err(Gap::from);
        let mut outcome = told
            .and_then(|()| match on_demand(formulas, claim, options) {
                Ok(Some((engine, formula, _))) if self.space.is_abstract() => {
                    let outcome = self.by_lanes(formulas, (claim, formula), options, budget)?;
                    Ok(Outcome { engine: engine.name, ..outcome })
                }
                Ok(Some((engine, formula, question))) => {
                    let outcome = self.by_runs(
                        formulas,
                        (formula, question),
                        Method::Tableau,
                        options,
                        budget,
                    );
                    Ok(Outcome { engine: engine.name, ..outcome? })
                }
                Ok(None) => self.explored(formulas, claim, options, budget),
                Err(gap) => Err(gap),
            })
            .unwrap_or_else(|gap| {
                let engine = options.engine.unwrap_or(&INCREMENTAL).name;
                Outcome { engine, ..Outcome::from(Verdict::Unknown(gap)) }
            });
        outcome.seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        outcome
    }

    /// Decides a claim after everything was produced.
    fn explored(
        &mut self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        let before = self.part.produced();
        self.explore(budget)?;
        let mut outcome = if self.space.is_abstract() {
            self.by_coarse(formulas, claim, options, budget)?
        } else if self.part.holes().is_empty() {
            let checker = Checker::new(self.machine()?, budget).map_err(Gap::Limit)?;
            checker.decide(formulas, claim, options, budget)
        } else {
            self.around_holes(formulas, claim, options, budget)?
        };
        outcome.stats.produced += self.part.produced() - before;
        Ok(outcome)
    }

    /// Decides a claim on a program that was explored, and has holes.
    fn around_holes(
        &mut self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        match &claim.property {
            Property::Formula(formula) => {
                if claim.start == Start::Initial
                    && let (engine, Route::Runs(runs, question)) =
                        engines::route(formulas, *formula, options.engine)?
                {
                    let method = match runs {
                        Some(Runs::Tableau) => Method::Tableau,
                        _ => Method::Automaton,
                    };
                    let asked = (*formula, question);
                    let outcome = self.by_runs(formulas, asked, method, options, budget)?;
                    return Ok(Outcome { engine: engine.name, ..outcome });
                }
                self.machine()?;
                let Some((_, machine)) = &self.machine else { unreachable!("it was just made") };
                let program = (&self.space, &self.part, machine);
                let outcome =
                    fillings::decide(program, formulas, claim, *formula, options, budget)?;
                self.explained(outcome, formulas, claim, options, budget)
            }
            Property::Automaton(property) if claim.start == Start::Initial => {
                engines::for_automata(options.engine)?;
                let outcome = self.by_automaton(formulas, property, options, budget)?;
                Ok(Outcome { engine: AUTOMATA.name, ..outcome })
            }
            Property::Automaton(_) => {
                let why = "the program has holes, and the claim is an automaton that does not begin \
                           at the initial nodes";
                Err(Gap::Unsupported(why.to_owned()))
            }
            Property::Runs(_) => {
                Err(Gap::Unsupported("the program has holes, and the claim names edges".to_owned()))
            }
        }
    }

    /// Decides a claim about runs, as far as the program is visited.
    fn by_runs(
        &mut self,
        formulas: &Formulas,
        (claim, question): (FormulaId, Question),
        method: Method,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        let wanted = wanted(options);
        let program = (&mut self.space, &mut self.part);
        let decision = linear::decide_space(program, formulas, question, method, wanted, budget)?;
        self.machine()?;
        let Some((_, machine)) = &self.machine else { unreachable!("it was just made") };
        if let Some(unknown) = self.unknown(&decision) {
            return Ok(unknown);
        }
        if let Some(why) = self.why_no_proof(question.holds_if_found, &decision) {
            let decision = self.without_proof(decision, why, options);
            let outcome = as_asked(outcome_of(decision), options);
            return self.explained(outcome, formulas, &Claim::new(claim), options, budget);
        }
        let mut decision =
            linear::with_proof(machine, formulas, question, decision, wanted, budget);
        if self.takes_open_for_closed(machine, &decision) {
            decision.evidence = None;
            let why = "the proof needs more of the program than was produced";
            let decision = self.without_proof(decision, Gap::Unsupported(why.to_owned()), options);
            let outcome = as_asked(outcome_of(decision), options);
            return self.explained(outcome, formulas, &Claim::new(claim), options, budget);
        }
        let begin = Instant::now();
        let stories = options.runs.map_or_else(Vec::new, |most| {
            linear::tell(machine, formulas, claim, question, &mut decision, most, budget)
        });
        decision.explaining += begin.elapsed().as_secs_f64();
        Ok(Outcome { stories, ..as_asked(outcome_of(decision), options) })
    }

    /// Decides a claim about runs of an abstract space, as far as the program is visited.
    fn by_lanes(
        &mut self,
        formulas: &Formulas,
        (claim, formula): (&Claim, FormulaId),
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        let before = self.part.produced();
        let mut stats = Stats::default();
        let mut known = None;
        for (lane, wanted) in [(Lane::Must, true), (Lane::May, false)] {
            let translation = Translation::new(formulas, formula, lane);
            let Some(question) = Question::of(&translation.formulas, translation.claim) else {
                return self.explored(formulas, claim, options, budget);
            };
            let SpaceChecker { space, part, ordinary: (other, ids), .. } = self;
            let names = Ordinary::<S>::names(part.propositions());
            let mut ordinary = Ordinary::new(space, part, ids);
            other.retell(&mut ordinary, &names)?;
            let decision = linear::decide_space(
                (&mut ordinary, other),
                &translation.formulas,
                question,
                Method::Tableau,
                Wanted::default(),
                budget,
            )?;
            stats += decision.stats;
            if decision.hole.is_none() && decision.holds == wanted {
                let culprit = decision.culprit.map(|node| other.node_outside(node));
                known = Some((wanted, culprit.and_then(|node| ids.original(node))));
                break;
            }
        }
        stats.produced = self.part.produced() - before;
        let Some((holds, culprit)) = known else {
            let outcome = self.by_coarse(formulas, claim, options, budget)?;
            stats += outcome.stats;
            return Ok(Outcome { stats, ..outcome });
        };
        let verdict = Verdict::from(holds);
        let culprit = culprit.map(Configuration::from);
        let outcome = Outcome { culprit, stats, ..Outcome::from(verdict) };
        let outcome = fillings::without_reasons(outcome, options);
        self.explained(outcome, formulas, claim, options, budget)
    }

    /// Decides a claim on the abstract machine that the part is. What is not known because it was
    /// not produced, or is in a hole, is told of as a hole.
    fn by_coarse(
        &mut self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        self.machine()?;
        let Some((_, machine)) = &self.machine else { unreachable!("it was just made") };
        if self.part.is_closed() {
            let checker = Checker::new(machine, budget).map_err(Gap::Limit)?;
            return Ok(checker.decide(formulas, claim, options, budget));
        }
        let coarse = self.part.coarse(machine, &mut Meter::new(budget)).map_err(Gap::Limit)?;
        let coarse = coarse.finish().map_err(SpaceError::Flaws)?;
        let checker = Checker::new(&coarse, budget).map_err(Gap::Limit)?;
        let mut outcome = checker.decide(formulas, claim, options, budget);
        if outcome.verdict.known().is_none() {
            // Its stories may lead into a hole.
            (outcome.stories, outcome.reduced) = (Vec::new(), None);
        }
        if let (Verdict::Unknown(Gap::TooCoarse(_)), Some(&hole)) =
            (&outcome.verdict, self.part.holes().first())
        {
            let hole = self.part.describe_hole(&self.space, hole);
            outcome.verdict = Verdict::Unknown(Gap::Hole(hole));
        }
        Ok(outcome)
    }

    /// An outcome with the reasons that the part as an abstract machine gives for it, if it knows
    /// enough.
    fn explained(
        &mut self,
        outcome: Outcome,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        if outcome.verdict.known().is_none() || !options.evidence && options.runs.is_none() {
            return Ok(outcome);
        }
        let begin = Instant::now();
        let options = Options { regions: false, ..options.clone() };
        let coarse = self.by_coarse(formulas, claim, &options, budget)?;
        let mut outcome = outcome;
        if coarse.verdict == outcome.verdict {
            outcome.missing.retain(|missing| matches!(missing, Missing::Regions(_)));
            outcome.missing.extend(coarse.missing);
            // Both have found some node; the reasons speak of one of them.
            outcome.culprit = coarse.culprit;
            (outcome.evidence, outcome.stories) = (coarse.evidence, coarse.stories);
            outcome.reduced = coarse.reduced;
        }
        outcome.explaining += begin.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Decides what an automaton accepts.
    fn by_automaton(
        &mut self,
        formulas: &Formulas,
        property: &AutomatonProperty,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Gap> {
        let AutomatonProperty { automaton, must, fair, .. } = property;
        let (conditions, pairs) = conditions(fair)?;
        let fair = (&conditions[..], &pairs[..]);
        let (program, all) = ((&mut self.space, &mut self.part), *must == Must::AcceptAll);
        let decision = linear::decide_automaton_on_space(
            program,
            formulas,
            automaton,
            all,
            fair,
            wanted(options),
            budget,
        )?;
        self.machine()?;
        if let Some(unknown) = self.unknown(&decision) {
            return Ok(unknown);
        }
        let why = Gap::Unsupported("the program has holes".to_owned());
        let mut decision = self.without_proof(decision, why, options);
        let stories = accepted_runs(&mut decision, options);
        Ok(Outcome { stories, ..as_asked(outcome_of(decision), options) })
    }

    /// The outcome of a decision that depends on a hole.
    fn unknown(&self, decision: &Decision) -> Option<Outcome> {
        let hole = self.part.describe_hole(&self.space, decision.hole?);
        let stats = decision.stats;
        Some(Outcome { stats, ..Outcome::from(Verdict::Unknown(Gap::Hole(hole))) })
    }

    /// Why there is no proof that no run has what was sought, if that was decided.
    fn why_no_proof(&self, holds_if_found: bool, decision: &Decision) -> Option<Gap> {
        let absent = decision.holds != holds_if_found;
        let why = "a proof does not speak of what may follow a hole";
        (absent && decision.holes).then(|| Gap::Unsupported(why.to_owned()))
    }

    fn without_proof(&self, mut decision: Decision, why: Gap, options: &Options) -> Decision {
        decision.missing.extend(options.evidence.then_some(Missing::Evidence(why)));
        decision
    }

    /// Whether there is a proof that speaks of places whose edges are not all known.
    fn takes_open_for_closed(&self, machine: &Machine, decision: &Decision) -> bool {
        match &decision.evidence {
            Some(Evidence::Absence { proof, .. }) => {
                !self.part.is_closed() && !is_closed(&self.part, machine, proof)
            }
            _ => false,
        }
    }
}

/// Whether all edges are known of the places that a proof speaks of, or would have to speak of if
/// they had edges: a return site without known edges is no place of the machine, and so the proof
/// has no vertex there.
fn is_closed(part: &Part, machine: &Machine, proof: &Absence) -> bool {
    let mut exits: BTreeMap<NodeId, BTreeSet<ExitId>> = BTreeMap::new();
    for start in proof.starts.iter().filter(|start| !start.root) {
        let left = start.leaves.iter().filter_map(|leave| match leave.out {
            Out::By(exit) => Some(exit),
            Out::Stuck(_) => None,
        });
        exits.entry(start.node).or_default().extend(left);
    }
    let vertices = proof.starts.iter().flat_map(|start| &start.vertices);
    let spots: BTreeSet<Spot> = vertices.map(|vertex| vertex.spot).collect();
    let closed = |place: Place| !part.is_open(place);
    let returns = |edge: &Edge| match edge {
        Edge::Call(call, entry) => {
            let mut exits = exits.get(entry).into_iter().flatten();
            exits.all(|&exit| closed(Place::Site(*call, exit)))
        }
        Edge::Step(_) | Edge::Return(_) => true,
    };
    spots.into_iter().all(|spot| match spot {
        Spot::At(place) => {
            closed(machine.place(place)) && machine.edges_at(place).iter().all(returns)
        }
        Spot::Halted(node) => closed(Place::Node(node)),
        Spot::Sink => true,
    })
}

/// Whether a claim is decided as far as a program is visited, and not on all of it.
pub fn follows_runs(formulas: &Formulas, claim: &Claim, options: &Options) -> bool {
    matches!(on_demand(formulas, claim, options), Ok(Some(_)))
}

/// The engine that decides a claim as far as the program is visited, if one does.
fn on_demand(
    formulas: &Formulas,
    claim: &Claim,
    options: &Options,
) -> Result<Option<(&'static Engine, FormulaId, Question)>, Gap> {
    let (Some(formula), Start::Initial) = (claim.formula(), &claim.start) else { return Ok(None) };
    not_too_many(formulas, formula)?;
    if options.engine.is_none() {
        let question = Question::of(formulas, formula);
        return Ok(question.map(|question| (&HYBRID, formula, question)));
    }
    Ok(match engines::route(formulas, formula, options.engine)? {
        (engine, Route::Runs(Some(Runs::Produced | Runs::Kept), question)) => {
            Some((engine, formula, question))
        }
        _ => None,
    })
}
