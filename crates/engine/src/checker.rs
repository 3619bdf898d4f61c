//! The way in: a machine that is prepared once, and claims that are decided on it.

use crate::ctl::explain::{Explanation, Subject};
use crate::ctl::incremental::Pace;
use crate::ctl::{auto, eager, explain, incremental, refinement};
use crate::engines::{self, Route};
use crate::ground::survey::Survey;
use crate::ground::terrain::Terrain;
use crate::linear::{self, Method, Question, Store, Wanted};
use crate::star;
use crate::star::Reach;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tern_model::logic::ctl::Program;
use tern_model::logic::fair;
use tern_model::{
    Automaton, Budget, Evidence, FormulaId, Formulas, Gap, Limit, Machine, Missing, Must, Outcome,
    Stats, Verdict,
};

/// How to decide, and what else to give.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine to use, one of [`ENGINES`](crate::ENGINES); `None` lets Tern choose.
    pub engine: Option<&'static str>,
    /// Whether to give evidence with the verdict.
    pub evidence: bool,
    /// Whether to tell why by runs, and of how many moves at most.
    pub runs: Option<usize>,
    /// Whether to say in which components, under which stacks, at which nodes the claim holds.
    pub regions: bool,
    /// What the engine `random` chooses by.
    pub seed: u64,
    /// Lets the engine `lazy` look at alternatives in a random order by this seed, not from the left.
    pub shuffle: Option<u64>,
}

/// The longest run that is given as evidence, if it is not said.
const MOST_MOVES: usize = 1_000_000;

/// A machine that claims can be decided on.
pub struct Checker<'m> {
    terrain: Terrain<'m>,
    /// What the engine `hybrid` has produced of the machine so far.
    produced: Mutex<Store>,
}

impl<'m> Checker<'m> {
    /// Prepares a machine.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Ok(Checker { terrain: Terrain::new(machine, budget)?, produced: Mutex::default() })
    }

    /// What of the machine can be reached.
    pub fn survey(&self) -> &Survey {
        &self.terrain.survey
    }

    /// Decides one claim.
    pub fn check(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let begin = Instant::now();
        let asked = options.engine.unwrap_or(engines::DEFAULT);
        let (engine, decided) = match engines::route(formulas, claim, options.engine) {
            Err(gap) => (asked, Err(gap)),
            Ok((engine, route)) => {
                let decided = match route {
                    Route::Contexts(program) => {
                        self.by_contexts(formulas, &program, engine, options, budget)
                    }
                    Route::Runs(question) => {
                        self.by_runs(formulas, question, engine, options, budget)
                    }
                    Route::Star(reach) => self
                        .by_star(formulas, claim, reach, options, budget)
                        .map(|outcome| Outcome { engine, ..outcome }),
                };
                (engine, decided.map_err(Gap::Limit))
            }
        };
        let outcome = decided
            .unwrap_or_else(|gap| Outcome { engine, ..Outcome::from(Verdict::Unknown(gap)) });
        // What it took besides explaining.
        let seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        Outcome { seconds, ..outcome }
    }

    /// Decides whether an automaton accepts the runs of the program as it must: those runs on which each of the
    /// boolean combinations of labels `fair` holds again and again.
    pub fn check_automaton(
        &self,
        formulas: &Formulas,
        automaton: &Automaton,
        must: Must,
        fair: &[FormulaId],
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let begin = Instant::now();
        let wanted = wanted(options);
        let (machine, all) = (self.terrain.machine, must == Must::AcceptAll);
        let decided = engines::follows_automata(options.engine).and_then(|()| {
            linear::decide_automaton(machine, formulas, automaton, all, fair, wanted, budget)
        });
        let outcome = match decided {
            Ok(decision) => as_asked(outcome_of(decision), options),
            Err(gap) => Outcome::from(Verdict::Unknown(gap)),
        };
        let seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        Outcome { engine: options.engine.unwrap_or(engines::AUTOMATA), seconds, ..outcome }
    }

    /// The truth of a claim in CTL* at each initial node, in their order, and the work it took. If it is
    /// false at one, the claim is decided, and the others may be called true without being known. Path
    /// quantifiers, also the one that LTL leaves out, range over the paths on which each of the state
    /// formulas `conditions` holds again and again.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn answers(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        conditions: &[FormulaId],
        reach: Reach,
        budget: &Budget,
    ) -> Result<(Vec<bool>, Stats), Limit> {
        let mut formulas = formulas.clone();
        let claim = fair::under(&mut formulas, claim, conditions);
        let decision = star::decide(&self.terrain, &formulas, claim, reach, budget)?;
        Ok((decision.at_initial, decision.stats))
    }

    fn by_contexts(
        &self,
        formulas: &Formulas,
        program: &Program,
        engine: &'static str,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Limit> {
        let terrain = &self.terrain;
        let everywhere = || eager::decide_everywhere(terrain, formulas, program, budget);
        let partial = |pace| incremental::decide(terrain, formulas, program, pace, budget);
        let rng = fastrand::Rng::with_seed;
        let mut engine = engine;
        let decision = match engine {
            _ if options.engine.is_none() => {
                let (decision, by) = auto::decide(terrain, formulas, program, budget)?;
                engine = by;
                Ok(decision)
            }
            "ternary" => refinement::decide(terrain, formulas, program, budget),
            "random" => partial(Pace::Random(rng(options.seed))),
            "lazy" => partial(Pace::Few(options.shuffle.map(rng))),
            "incremental" => partial(Pace::All),
            "global" => everywhere(),
            _ => eager::decide(terrain, formulas, program, budget),
        }?;
        let mut outcome = Outcome { engine, ..self.of_answers(&decision) };
        let begin = Instant::now();
        let at = outcome.culprit.or(terrain.machine.initial().first().copied());
        let subject = Subject { terrain, formulas, program, at, options };
        let given = Explanation::new(&subject, budget);
        outcome.evidence = given.labelling.map(Evidence::Labelling);
        outcome.story = given.story;
        outcome.regions = given.regions;
        outcome.missing = given.missing;
        outcome.explaining = begin.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// The verdict that follows from the answers at the initial nodes.
    fn of_answers(&self, decision: &eager::Decision) -> Outcome {
        let mut answers = self.terrain.machine.initial().iter().zip(&decision.at_initial);
        let culprit = answers.find(|&(_, holds)| !holds).map(|(&node, _)| node);
        let verdict = Verdict::from(culprit.is_none());
        Outcome { culprit, stats: decision.stats, ..Outcome::from(verdict) }
    }

    fn by_runs(
        &self,
        formulas: &Formulas,
        question: Question,
        engine: &'static str,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Limit> {
        let machine = self.terrain.machine;
        let wanted = wanted(options);
        let on_the_fly = |store: &mut Store| {
            linear::decide_on_the_fly(machine, formulas, question, store, wanted, budget)
        };
        let decide = |method| linear::decide(machine, formulas, question, method, wanted, budget);
        let decision = match engine {
            "on-the-fly" => on_the_fly(&mut Store::default()),
            "hybrid" => {
                on_the_fly(&mut self.produced.lock().unwrap_or_else(PoisonError::into_inner))
            }
            "tableau" => decide(Method::Tableau),
            _ if options.engine.is_none() => decide(Method::Best),
            _ => decide(Method::Automaton),
        }?;
        let engine = decision.engine.unwrap_or(engine);
        Ok(Outcome { engine, ..as_asked(outcome_of(decision), options) })
    }

    fn by_star(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        reach: Reach,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Limit> {
        let decision = star::decide(&self.terrain, formulas, claim, reach, budget)?;
        let mut outcome = self.of_answers(&decision);
        if options.evidence {
            let begin = Instant::now();
            let why = match star::prove(self.terrain.machine, formulas, claim, budget) {
                Ok(Some(proved)) => {
                    outcome.evidence = Some(Evidence::Star(proved.evidence));
                    None
                }
                Ok(None) => Some(Gap::Unsupported("the claim promises too many things".to_owned())),
                Err(limit) => Some(Gap::Limit(limit)),
            };
            outcome.explaining = begin.elapsed().as_secs_f64();
            outcome.missing.extend(why.map(|why| Missing { what: explain::EVIDENCE, why }));
        }
        let at = outcome.culprit.or(self.terrain.machine.initial().first().copied());
        if let (Some(most_moves), Some(node)) = (options.runs, at) {
            let begin = Instant::now();
            match star::tell(&self.terrain, formulas, claim, node, most_moves, budget) {
                Ok(story) => outcome.star_story = story,
                Err(limit) => {
                    let why = Gap::Limit(limit);
                    outcome.missing.push(Missing { what: explain::RUN, why });
                }
            }
            outcome.explaining += begin.elapsed().as_secs_f64();
        }
        if options.regions {
            outcome.missing.push(no_regions());
        }
        Ok(outcome)
    }
}

/// What is wanted of runs besides the verdict. The limit on moves concerns the runs that are shown, not those that are
/// evidence.
fn wanted(options: &Options) -> Wanted {
    let for_evidence = options.evidence.then_some(MOST_MOVES);
    Wanted { most_moves: options.runs.max(for_evidence), proof: options.evidence }
}

/// What was found of runs, without those that were found on account of the evidence alone.
fn as_asked(mut outcome: Outcome, options: &Options) -> Outcome {
    let most = options.runs.unwrap_or(0);
    let told = outcome.runs.len();
    outcome.runs.retain(|(_, run)| run.moves.len() <= most && options.runs.is_some());
    if options.runs.is_some() && outcome.runs.len() < told {
        let why = Gap::Unsupported(format!("it has more than {most} moves"));
        linear::note(&mut outcome.missing, Missing { what: explain::RUN, why });
    }
    if options.runs.is_none() {
        outcome.missing.retain(|missing| missing.what != explain::RUN);
    }
    if options.regions {
        outcome.missing.push(no_regions());
    }
    outcome
}

fn outcome_of(decision: linear::Decision) -> Outcome {
    let told = |lasso: linear::Lasso| Some((lasso.at, lasso.run.ok()?));
    Outcome {
        culprit: decision.culprit,
        evidence: decision.evidence,
        runs: decision.runs.into_iter().filter_map(told).collect(),
        missing: decision.missing,
        explaining: decision.explaining,
        stats: decision.stats,
        ..Outcome::from(Verdict::from(decision.holds))
    }
}

fn no_regions() -> Missing {
    let why = "it is given for claims that are decided as CTL".to_owned();
    Missing { what: explain::REGIONS, why: Gap::Unsupported(why) }
}
