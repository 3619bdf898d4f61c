//! The way in: a machine that is prepared once, and claims that are decided on it.

use crate::abstraction::Prepared;
use crate::ctl::explain::{Explanation, Subject};
use crate::ctl::incremental::Pace;
use crate::ctl::{auto, eager, incremental, refinement};
use crate::engines::{self, AUTOMATA, Contexts, Engine, INCREMENTAL, Route, Runs};
use crate::ground::survey::Survey;
use crate::ground::terrain::Terrain;
use crate::linear::{self, Lasso, Method, Question, Wanted};
use crate::star;
use crate::star::Reach;
use crate::streett::{Sides, not_too_many};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tern_model::logic::ctl::Program;
use tern_model::logic::fair;
use tern_model::space::Part;
use tern_model::{
    Automaton, AutomatonProperty, Budget, Claim, Configuration, Evidence, Fairness, FormulaId,
    Formulas, Gap, Limit, Machine, Missing, Must, NodeId, Outcome, Pair, Property, Reason, Start,
    Stats, Story, Topic, Verdict, View,
};

/// How to decide, and what else to give.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine to use, one of [`ENGINES`](crate::ENGINES); `None` lets Tern choose.
    pub engine: Option<&'static Engine>,
    /// Whether to give evidence with the verdict.
    pub evidence: bool,
    /// Whether to tell why by runs, and of how many moves at most.
    pub runs: Option<usize>,
    /// Whether to say in which components, under which stacks, at which nodes the claim holds.
    pub regions: bool,
    /// What engines choose by that take chances.
    pub seed: u64,
    /// Lets engines look at alternatives in a random order by this seed, not from the left.
    pub shuffle: Option<u64>,
}

/// The longest run that is given as evidence, if it is not said.
const MOST_MOVES: usize = 1_000_000;

/// A machine that claims can be decided on.
pub struct Checker<'m> {
    pub(crate) terrain: Terrain<'m>,
    /// What the engine `hybrid` has produced of the machine so far.
    produced: Mutex<Part>,
    /// If the machine is abstract, or edges are spoken of: the ordinary one, once it was asked for.
    pub(crate) prepared: Mutex<Option<Arc<Prepared>>>,
}

impl<'m> Checker<'m> {
    /// Prepares a machine.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Terrain::new(machine, budget).map(Checker::on)
    }

    /// A machine that is prepared.
    pub(crate) fn on(terrain: Terrain<'m>) -> Self {
        Checker { terrain, produced: Mutex::default(), prepared: Mutex::default() }
    }

    /// What of the machine can be reached.
    pub fn survey(&self) -> &Survey {
        self.terrain.survey()
    }

    /// Decides a claim, in the configurations it is about. Its formulas live in the arena.
    pub fn decide(
        &self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        if claim.start == Start::Initial {
            return self.decide_here(formulas, &claim.property, options, budget);
        }
        let begin = Instant::now();
        let elsewhere = claim.start.view(self.terrain.machine, budget).and_then(|view| {
            let checker = Checker::new(&view.machine, budget).map_err(Gap::Limit)?;
            Ok(checker.decide_view(&view, formulas, &claim.property, options, budget))
        });
        let mut outcome = elsewhere.unwrap_or_else(|gap| {
            let engine = options.engine.unwrap_or(&INCREMENTAL).name;
            Outcome { engine, ..Outcome::from(Verdict::Unknown(gap)) }
        });
        outcome.seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        outcome
    }

    /// Decides a property at the initial nodes of a view of another machine, and says what was
    /// found in the terms of that one.
    fn decide_view(
        &self,
        view: &View<'_>,
        formulas: &Formulas,
        property: &Property,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let inside = view.is_inside_calls();
        if inside && property.names_edges() {
            let why = "edges cannot be named if a claim begins inside calls".to_owned();
            return Outcome::from(Verdict::Unknown(Gap::Unsupported(why)));
        }
        let proved = !self.terrain.machine.is_abstract();
        let asked = match inside {
            true => Options {
                evidence: options.evidence && proved,
                runs: None,
                regions: false,
                ..options.clone()
            },
            false => options.clone(),
        };
        let mut outcome = self.decide_here(formulas, property, &asked, budget);
        let culprit = outcome.culprit.take();
        outcome.culprit = culprit.and_then(|culprit| view.original(culprit.node).cloned());
        if inside && outcome.verdict.known().is_some() {
            // All of this would speak of nodes that the machine does not have. Evidence does, too;
            // who checks it makes them.
            let why = || Gap::Unsupported("the claim begins inside calls".to_owned());
            let unproved = options.evidence && !proved;
            outcome.missing.extend(unproved.then(|| Missing::Evidence(why())));
            outcome.missing.extend(options.runs.map(|_| Missing::Run(why())));
            outcome.missing.extend(options.regions.then(|| Missing::Regions(why())));
        }
        outcome
    }

    /// Decides a property at the initial nodes.
    fn decide_here(
        &self,
        formulas: &Formulas,
        property: &Property,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        match property {
            Property::Formula(formula) => self.check(formulas, *formula, options, budget),
            Property::Automaton(property) => {
                let AutomatonProperty { automaton, must, fair, .. } = &**property;
                self.check_automaton(formulas, automaton, *must, fair, options, budget)
            }
            Property::Runs(property) => {
                let asked = (property.formula, &property.followed[..]);
                self.check_reduced(formulas, asked, options, budget)
            }
        }
    }

    /// Decides a formula at the initial nodes.
    pub fn check(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        if self.terrain.machine.is_abstract() {
            return self.check_reduced(formulas, (claim, &[]), options, budget);
        }
        let begin = Instant::now();
        let route = engines::route(formulas, claim, options.engine)
            .and_then(|route| not_too_many(formulas, claim).map(|()| route));
        let (engine, decided) = match route {
            Err(gap) => (options.engine.unwrap_or(&INCREMENTAL), Err(gap)),
            Ok((engine, route)) => {
                let decided = match route {
                    Route::Contexts(contexts, program) => {
                        self.by_contexts(formulas, (claim, &program), contexts, options, budget)
                    }
                    Route::Runs(runs, question) => {
                        self.by_runs(formulas, (claim, question), runs, options, budget)
                    }
                    Route::Star(reach) => self.by_star(formulas, claim, reach, options, budget),
                };
                (engine, decided.map_err(Gap::Limit))
            }
        };
        let (engine, outcome) = match decided {
            Ok((other, outcome)) => (other.unwrap_or(engine), outcome),
            Err(gap) => (engine, Outcome::from(Verdict::Unknown(gap))),
        };
        let outcome = Outcome { engine: engine.name, ..outcome };
        // What it took besides explaining.
        let seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        Outcome { seconds, ..outcome }
    }

    /// Decides whether an automaton accepts the runs of the program as it must: those runs that are
    /// fair, where conditions are boolean combinations of labels.
    pub fn check_automaton(
        &self,
        formulas: &Formulas,
        automaton: &Automaton,
        must: Must,
        fair: &[Fairness],
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        if fair.iter().any(Fairness::names_edges) && !self.terrain.machine.is_abstract() {
            return self.check_automaton_on_edges(formulas, automaton, must, fair, options, budget);
        }
        let begin = Instant::now();
        let wanted = wanted(options);
        let (machine, all) = (self.terrain.machine, must == Must::AcceptAll);
        let decided = engines::for_automata(options.engine).and_then(|_| {
            let (conditions, pairs) = conditions(fair)?;
            let fair = (&conditions[..], &pairs[..]);
            if machine.is_abstract() {
                let why = "automata are not held against abstract machines; write a formula";
                return Err(Gap::Unsupported(why.to_owned()));
            }
            linear::decide_automaton(machine, formulas, automaton, all, fair, wanted, budget)
        });
        let outcome = match decided {
            Ok(mut decision) => {
                let stories = accepted_runs(&mut decision, options);
                Outcome { stories, ..as_asked(outcome_of(decision), options) }
            }
            Err(gap) => Outcome::from(Verdict::Unknown(gap)),
        };
        let seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        Outcome { engine: options.engine.unwrap_or(&AUTOMATA).name, seconds, ..outcome }
    }

    /// The truth of a claim in CTL* at each initial node, in their order, and the work it took. If
    /// it is false at one, the claim is decided, and the others may be called true without being
    /// known. Path quantifiers, also the one that LTL leaves out, range over the paths that are
    /// fair; conditions that name edges are left out. The machine must not be abstract.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn answers(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        fair: &[Fairness],
        reach: Reach,
        budget: &Budget,
    ) -> Result<(Vec<bool>, Stats), Limit> {
        let mut formulas = formulas.clone();
        let claim = fair::under(&mut formulas, claim, fair);
        let decision = star::decide(&self.terrain, &formulas, claim, reach, budget)?;
        Ok((decision.at_initial, decision.stats))
    }

    fn by_contexts(
        &self,
        formulas: &Formulas,
        (claim, program): (FormulaId, &Program),
        contexts: Option<Contexts>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Decided, Limit> {
        let terrain = &self.terrain;
        let partial = |pace| incremental::decide(terrain, formulas, program, pace, budget);
        let rng = fastrand::Rng::with_seed;
        let mut by = None;
        let decision = match contexts {
            None => auto::decide(terrain, formulas, program, budget).map(|(decision, engine)| {
                by = Some(engine);
                decision
            }),
            Some(Contexts::Eager) => eager::decide(terrain, formulas, program, budget),
            Some(Contexts::Copies) => refinement::decide(terrain, formulas, program, budget),
            Some(Contexts::Random) => partial(Pace::Random(rng(options.seed))),
            Some(Contexts::Few) => partial(Pace::Few(options.shuffle.map(rng))),
            Some(Contexts::Needed) => partial(Pace::All),
            Some(Contexts::Everywhere) => {
                eager::decide_everywhere(terrain, formulas, program, budget)
            }
        }?;
        let mut outcome = self.of_answers(&decision);
        let begin = Instant::now();
        let at = self.told_at(&outcome);
        let subject = Subject { terrain, formulas, claim, program, at, options };
        let given = Explanation::new(&subject, budget);
        outcome.evidence = given.labelling.map(Evidence::Labelling);
        outcome.stories = at.zip(given.story).into_iter().collect();
        outcome.regions = given.regions;
        outcome.missing = given.missing;
        outcome.explaining = begin.elapsed().as_secs_f64();
        Ok((by, outcome))
    }

    /// The initial node that a story is told of.
    fn told_at(&self, outcome: &Outcome) -> Option<NodeId> {
        let culprit = outcome.culprit.as_ref().map(|culprit| culprit.node);
        culprit.or(self.terrain.machine.initial().first().copied())
    }

    /// The verdict that follows from the answers at the initial nodes.
    pub(crate) fn of_answers(&self, decision: &eager::Decision) -> Outcome {
        let mut answers = self.terrain.machine.initial().iter().zip(&decision.at_initial);
        let culprit = answers.find(|&(_, holds)| !holds).map(|(&node, _)| node.into());
        let verdict = Verdict::from(culprit.is_none());
        Outcome { culprit, stats: decision.stats, ..Outcome::from(verdict) }
    }

    fn by_runs(
        &self,
        formulas: &Formulas,
        (claim, question): (FormulaId, Question),
        runs: Option<Runs>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Decided, Limit> {
        let machine = self.terrain.machine;
        let wanted = wanted(options);
        let on_the_fly = |part: &mut Part| {
            linear::decide_on_the_fly(machine, formulas, question, part, wanted, budget)
        };
        let decide = |method| linear::decide(machine, formulas, question, method, wanted, budget);
        let mut decision = match runs {
            None => decide(Method::Best),
            Some(Runs::Automaton) => decide(Method::Automaton),
            Some(Runs::Tableau) => decide(Method::Tableau),
            Some(Runs::Produced) => on_the_fly(&mut Part::default()),
            Some(Runs::Kept) => {
                on_the_fly(&mut self.produced.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }?;
        let begin = Instant::now();
        let stories = options.runs.map_or_else(Vec::new, |most_moves| {
            let decision = &mut decision;
            linear::tell(machine, formulas, claim, question, decision, most_moves, budget)
        });
        decision.explaining += begin.elapsed().as_secs_f64();
        let engine = decision.engine;
        Ok((engine, Outcome { stories, ..as_asked(outcome_of(decision), options) }))
    }

    fn by_star(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        reach: Reach,
        options: &Options,
        budget: &Budget,
    ) -> Result<Decided, Limit> {
        let decision = star::decide(&self.terrain, formulas, claim, reach, budget)?;
        let mut outcome = self.of_answers(&decision);
        if options.evidence {
            let begin = Instant::now();
            let why = match star::prove(self.terrain.machine, formulas, claim, budget) {
                Ok(Some(proved))
                    if !agrees(self.terrain.machine, outcome.culprit.as_ref(), proved.culprit) =>
                {
                    let why = "what was proved is not what was decided".to_owned();
                    let outcome = Outcome::from(Verdict::Unknown(Gap::Refused(why)));
                    return Ok((None, Outcome { stats: decision.stats, ..outcome }));
                }
                Ok(Some(proved)) => {
                    outcome.evidence = Some(Evidence::Star(proved.evidence));
                    None
                }
                Ok(None) => Some(Gap::Unsupported("the claim promises too many things".to_owned())),
                Err(limit) => Some(Gap::Limit(limit)),
            };
            outcome.explaining = begin.elapsed().as_secs_f64();
            outcome.missing.extend(why.map(Missing::Evidence));
        }
        let at = self.told_at(&outcome);
        if let (Some(most_moves), Some(node)) = (options.runs, at) {
            let begin = Instant::now();
            match star::tell(&self.terrain, formulas, claim, node, most_moves, budget) {
                Ok(story) => outcome.stories.extend(story.map(|story| (node, story))),
                Err(limit) => {
                    let why = Gap::Limit(limit);
                    outcome.missing.push(Missing::Run(why));
                }
            }
            outcome.explaining += begin.elapsed().as_secs_f64();
        }
        if options.regions {
            outcome.missing.push(no_regions());
        }
        Ok((None, outcome))
    }
}

/// Fairness conditions that are weak, and pairs of those that are strong.
pub(crate) fn conditions(fair: &[Fairness]) -> Result<(Vec<FormulaId>, Vec<Sides>), Gap> {
    let (mut weak, mut strong) = (Vec::new(), Vec::new());
    for fairness in fair {
        match fairness {
            Fairness::Justice(formula) => weak.push(*formula),
            Fairness::Compassion(Pair { when, then }) => {
                let sides = when.formula().zip(then.formula());
                let why = "pairs that name edges are not decided here".to_owned();
                strong.push(sides.ok_or(Gap::Unsupported(why))?);
            }
        }
    }
    Ok((weak, strong))
}

/// Whether a proof shows what was decided, by the initial nodes at which the claim fails. The proof
/// knows the first of all; a decision ends at the first that it finds, so its node is not an
/// earlier one.
fn agrees(machine: &Machine, decided: Option<&Configuration>, proved: Option<NodeId>) -> bool {
    let position = |node: NodeId| machine.initial().iter().position(|&initial| initial == node);
    match (decided, proved) {
        (None, None) => true,
        (Some(decided), Some(proved)) => position(proved) <= position(decided.node),
        _ => false,
    }
}

/// An outcome, and the engine if it is another than the one that was asked for.
type Decided = (Option<&'static Engine>, Outcome);

/// What is wanted of runs besides the verdict. The limit on moves concerns the runs that are shown,
/// not those that are evidence.
pub(crate) fn wanted(options: &Options) -> Wanted {
    let for_evidence = options.evidence.then_some(MOST_MOVES);
    Wanted { most_moves: options.runs.max(for_evidence), proof: options.evidence }
}

/// The runs by which an automaton does not accept as it must.
pub(crate) fn accepted_runs(
    decision: &mut linear::Decision,
    options: &Options,
) -> Vec<(NodeId, Story)> {
    let Some(most) = options.runs else { return Vec::new() };
    let mut stories = Vec::new();
    for Lasso { at, run } in &decision.runs {
        match run {
            Ok(run) if run.moves.len() <= most => {
                let reason = Reason::Run(run.clone().into());
                stories.push((*at, Story { of: Topic::Automaton, holds: decision.holds, reason }));
            }
            _ => {
                let why = Gap::Unsupported(format!("it has more than {most} moves"));
                linear::note(&mut decision.missing, Missing::Run(why));
            }
        }
    }
    stories
}

/// What was found, without what is missing of runs that nobody asked for.
pub(crate) fn as_asked(mut outcome: Outcome, options: &Options) -> Outcome {
    if options.runs.is_none() {
        outcome.missing.retain(|missing| !matches!(missing, Missing::Run(_)));
    }
    if options.regions {
        outcome.missing.push(no_regions());
    }
    outcome
}

pub(crate) fn outcome_of(decision: linear::Decision) -> Outcome {
    Outcome {
        culprit: decision.culprit.map(Configuration::from),
        evidence: decision.evidence,
        missing: decision.missing,
        explaining: decision.explaining,
        stats: decision.stats,
        ..Outcome::from(Verdict::from(decision.holds))
    }
}

pub(crate) fn no_regions() -> Missing {
    let why = "it is given for claims that are decided as CTL".to_owned();
    Missing::Regions(Gap::Unsupported(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_testkit::sketch;

    #[test]
    fn a_proof_that_shows_something_else_is_noticed() {
        let machine = sketch::machine("component main\n* a p -> a\n* b -> b\n* c -> c\n");
        let [a, b, c] = ["a", "b", "c"].map(|name| machine.find_node("main", name));
        assert!(a.is_some() && b.is_some() && c.is_some());
        let same = |decided: Option<NodeId>, proved| {
            agrees(&machine, decided.map(Configuration::from).as_ref(), proved)
        };
        assert!(same(None, None) && same(b, b) && same(c, b));
        assert!(!same(None, b) && !same(b, None));
        assert!(!same(b, c), "it was decided that the claim fails at b");
    }
}
