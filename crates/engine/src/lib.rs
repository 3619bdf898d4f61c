//! The engines: they decide claims on machines. No files, no output.
//!
//! [`Checker`] is the way in: it prepares a machine once and decides any number of claims on it.
//! Each engine has an entry in [`ENGINES`]; all give the same verdicts.
//!
//! ```
//! use tern_engine::{Checker, Options};
//! use tern_model::{Budget, Builder, Edge, Evidence, Formula, Formulas, Place, Verdict};
//!
//! // A program that calls itself for ever, or returns.
//! let mut b = Builder::new();
//! let f = b.component("f");
//! let (begin, end) = (b.node(f, "begin"), b.node(f, "end"));
//! let again = b.call_box(f, "again", f);
//! b.entry(begin);
//! b.label(end, "done");
//! let exit = b.exit_node(end);
//! b.edge(Place::Node(begin), Edge::Call(again, begin));
//! b.edge(Place::Node(begin), Edge::Step(end));
//! b.edge(Place::Site(again, exit), Edge::Step(end));
//! b.initial(begin);
//! let machine = b.finish().expect("a sound machine");
//!
//! // AF done: does every run come to `end`?
//! let mut formulas = Formulas::new();
//! let done = formulas.atom("done");
//! let finally = formulas.make(Formula::Finally(done));
//! let claim = formulas.make(Formula::All(finally));
//!
//! let budget = Budget::unlimited();
//! let checker = Checker::new(&machine, &budget).expect("no limits are set");
//! let outcome = checker.check(&formulas, claim, &Options { evidence: true, ..Options::default() }, &budget);
//! assert_eq!(outcome.verdict, Verdict::Fails); // it may recurse for ever
//!
//! // The evidence knows the truth in every configuration: at `end` the claim holds, however deep.
//! let Some(Evidence::Labelling(labelling)) = outcome.evidence else { panic!("it was asked for") };
//! assert_eq!(labelling.holds_at(&machine, &formulas, &[again, again], end), Some(true));
//! assert_eq!(labelling.holds_at(&machine, &formulas, &[again, again], begin), Some(false));
//! ```

mod bits;
mod copies;
mod eager;
mod frames;
mod incremental;
mod linear;
pub mod ltl;
mod operator;
mod plan;
mod proof;
mod reason;
mod refinement;
mod runs;
mod split;
mod star;
mod summary;
mod survey;
mod terrain;
mod top_level;

pub use star::{Proved, Reach, prove as prove_star};
pub use survey::{DeadEnd, Survey, survey};
pub use top_level::top_level;

use refinement::Strategy;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tern_model::logic::ctl;
use tern_model::{
    Budget, Evidence, FormulaId, Formulas, Gap, Limit, Machine, Outcome, Stats, Verdict,
};
use terrain::Terrain;

/// An engine, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name for `--engine`.
    pub name: &'static str,
    /// The logic it decides.
    pub logic: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// All engines.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "eager",
        logic: "CTL",
        about: "bottom-up over the subformulas, in all reachable contexts",
    },
    Engine {
        name: "ternary",
        logic: "CTL",
        about: "in three values; in each round refines every context that more is known of",
    },
    Engine {
        name: "random",
        logic: "CTL",
        about: "like ternary, but a few contexts at a time, chosen by --seed",
    },
    Engine {
        name: "lazy",
        logic: "CTL",
        about: "like ternary, but a few contexts at a time, that the claim hangs on",
    },
    Engine {
        name: "incremental",
        logic: "CTL",
        about: "labels locally first, then only the contexts that the claim needs",
    },
    Engine { name: "global", logic: "CTL", about: "labels every node in every reachable context" },
    Engine {
        name: "automata",
        logic: "CTL*",
        about: "follows runs with a small automaton, through summaries of calls",
    },
    Engine {
        name: "tableau",
        logic: "LTL",
        about: "follows runs with sets of obligations; a contract for each callee and set",
    },
    Engine {
        name: "on-the-fly",
        logic: "LTL",
        about: "like tableau, but asks for a node only when a run gets there",
    },
    Engine {
        name: "hybrid",
        logic: "LTL",
        about: "like on-the-fly, but keeps what was produced for the next claims",
    },
];

/// The engine that is used without a choice. It builds about as few contexts as `lazy`, in two passes
/// instead of one for each context; `eager` is faster while contexts are few, and exponentially
/// slower where they are not.
pub const DEFAULT: &str = "incremental";

/// How to decide, and what else to give.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine to use, one of [`ENGINES`]; `None` lets Tern choose.
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

/// A machine that claims can be decided on.
pub struct Checker<'m> {
    terrain: Terrain<'m>,
    /// What the engine `hybrid` has produced of the machine so far.
    produced: Mutex<linear::Store>,
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
        let name = options.engine.unwrap_or(DEFAULT);
        let engine = ENGINES.iter().find(|engine| engine.name == name);
        let mut outcome = Outcome {
            verdict: Verdict::Holds,
            engine: engine.map_or("none", |engine| engine.name),
            culprit: None,
            evidence: None,
            story: None,
            regions: None,
            stats: Stats::default(),
            seconds: 0.0,
        };
        if let Some(logic @ ("LTL" | "CTL*")) = engine.map(|engine| engine.logic) {
            let decided = match linear::Question::of(formulas, claim) {
                Some(question) => {
                    self.decide_linear(formulas, question, options, budget).map_err(Gap::Limit)
                }
                None => Err(Gap::Unsupported(format!(
                    "engine `{name}` decides {logic}, and this is {}",
                    formulas.logic(claim)
                ))),
            };
            match decided {
                Ok(decision) => {
                    outcome.culprit = decision.culprit;
                    outcome.verdict = Verdict::from(outcome.culprit.is_none());
                    outcome.evidence = decision.evidence;
                    outcome.stats = decision.stats;
                }
                Err(gap) => outcome.verdict = Verdict::Unknown(gap),
            }
            outcome.seconds = begin.elapsed().as_secs_f64();
            return outcome;
        }
        match self.decide(formulas, claim, options, budget, engine) {
            Ok(decision) => {
                let machine = self.terrain.machine;
                let mut answers = machine.initial().iter().zip(&decision.at_initial);
                outcome.culprit = answers.find(|&(_, holds)| !holds).map(|(&node, _)| node);
                outcome.verdict = Verdict::from(outcome.culprit.is_none());
                outcome.regions = decision.regions;
                outcome.story = decision.story;
                outcome.evidence = decision.labelling.map(Evidence::Labelling);
                outcome.stats = decision.stats;
            }
            Err(gap) => outcome.verdict = Verdict::Unknown(gap),
        }
        outcome.seconds = begin.elapsed().as_secs_f64();
        outcome
    }

    /// The truth of a claim in CTL* at each initial node, in their order, and the work it took. If it is
    /// false at one, the claim is decided, and the others may be called true without being known. Path
    /// quantifiers, also the one that LTL leaves out, range over the paths on which each of the state
    /// formulas `fair` holds again and again.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn answers(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        fair: &[FormulaId],
        reach: Reach,
        budget: &Budget,
    ) -> Result<(Vec<bool>, Stats), Limit> {
        let mut formulas = formulas.clone();
        let claim = star::fair::under(&mut formulas, claim, fair);
        let decision = star::decide(&self.terrain, &formulas, claim, reach, budget)?;
        Ok((decision.at_initial, decision.stats))
    }

    fn decide(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        options: &Options,
        budget: &Budget,
        engine: Option<&Engine>,
    ) -> Result<eager::Decision, Gap> {
        let Some(engine) = engine else {
            let name = options.engine.unwrap_or(DEFAULT);
            return Err(Gap::Unsupported(format!("there is no engine `{name}`")));
        };
        let program = ctl::lower(formulas, claim).map_err(|ctl::BeyondCtl(part)| {
            let (part, logic) = (formulas.show(part), formulas.logic(claim));
            Gap::Unsupported(format!(
                "`{part}` is not CTL, nor made CTL by the laws that Tern knows, and no engine \
                 decides {logic} yet"
            ))
        })?;
        let terrain = &self.terrain;
        let everywhere = || eager::decide_everywhere(terrain, formulas, &program, budget);
        let refine = |strategy| refinement::decide(terrain, formulas, &program, strategy, budget);
        let rng = fastrand::Rng::with_seed;
        let mut decision = match engine.name {
            "ternary" => refine(Strategy::All),
            "random" => refine(Strategy::Random(rng(options.seed))),
            "lazy" => refine(Strategy::Reason(options.shuffle.map(rng))),
            "incremental" => incremental::decide(terrain, formulas, &program, budget),
            "global" => everywhere(),
            _ => eager::decide(terrain, formulas, &program, budget),
        }
        .map_err(Gap::Limit)?;
        // What was not needed has no labels yet, nor what cannot be reached; these have them all.
        if options.evidence || options.regions || options.runs.is_some() {
            let everything =
                Terrain::with_survey(terrain.machine, survey::everything(terrain.machine));
            let labelling =
                eager::prove(&everything, formulas, &program, budget).map_err(Gap::Limit)?;
            if options.regions {
                let regions = labelling.regions(terrain.machine, formulas, budget);
                decision.regions = Some(regions.map_err(Gap::Limit)?);
            }
            if let Some(most_moves) = options.runs {
                let machine = terrain.machine;
                let mut answers = machine.initial().iter().zip(&decision.at_initial);
                let culprit = answers.find(|&(_, holds)| !holds).map(|(&node, _)| node);
                let at = culprit.or(machine.initial().first().copied());
                decision.story =
                    at.and_then(|node| runs::tell(machine, formulas, &labelling, node, most_moves));
            }
            decision.labelling = options.evidence.then_some(labelling);
        }
        Ok(decision)
    }
    /// Decides a claim about runs.
    fn decide_linear(
        &self,
        formulas: &Formulas,
        question: linear::Question,
        options: &Options,
        budget: &Budget,
    ) -> Result<linear::Decision, Limit> {
        let machine = self.terrain.machine;
        let wanted = linear::Wanted { most_moves: options.runs, proof: options.evidence };
        let on_the_fly = |store: &mut linear::Store| {
            linear::decide_on_the_fly(machine, formulas, question, store, wanted, budget)
        };
        match options.engine {
            Some("on-the-fly") => on_the_fly(&mut linear::Store::default()),
            Some("hybrid") => {
                on_the_fly(&mut self.produced.lock().unwrap_or_else(PoisonError::into_inner))
            }
            engine => {
                let method = match engine {
                    Some("tableau") => linear::Method::Tableau,
                    _ => linear::Method::Automaton,
                };
                linear::decide(machine, formulas, question, method, wanted, budget)
            }
        }
    }
}
