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
mod explain;
mod frames;
mod incremental;
mod operands;
mod operator;
mod plan;
mod proof;
mod reason;
mod refinement;
mod regions;
mod runs;
mod shortest;
mod split;
mod summary;
mod survey;
mod terrain;

pub use survey::{DeadEnd, Survey, survey};

use explain::{Explanation, Subject};
use refinement::Strategy;
use std::time::Instant;
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Evidence, FormulaId, Formulas, Gap, Limit, Machine, Outcome, Verdict};
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
}

impl<'m> Checker<'m> {
    /// Prepares a machine.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Ok(Checker { terrain: Terrain::new(machine, budget)? })
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
            engine: engine.map_or("none", |engine| engine.name),
            ..Outcome::from(Verdict::Holds)
        };
        let decided = self.decide(formulas, claim, options, budget, engine);
        outcome.seconds = begin.elapsed().as_secs_f64();
        match decided {
            Ok((program, decision)) => {
                let initial = self.terrain.machine.initial();
                let mut answers = initial.iter().zip(&decision.at_initial);
                outcome.culprit = answers.find(|&(_, holds)| !holds).map(|(&node, _)| node);
                outcome.verdict = Verdict::from(outcome.culprit.is_none());
                outcome.stats = decision.stats;
                let at = outcome.culprit.or(initial.first().copied());
                let terrain = &self.terrain;
                let subject = Subject { terrain, formulas, program: &program, at, options };
                let given = Explanation::new(&subject, budget);
                outcome.evidence = given.labelling.map(Evidence::Labelling);
                outcome.story = given.story;
                outcome.regions = given.regions;
                outcome.missing = given.missing;
                outcome.explaining = begin.elapsed().as_secs_f64() - outcome.seconds;
            }
            Err(gap) => outcome.verdict = Verdict::Unknown(gap),
        }
        outcome
    }

    fn decide(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        options: &Options,
        budget: &Budget,
        engine: Option<&Engine>,
    ) -> Result<(Program, eager::Decision), Gap> {
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
        let decision = match engine.name {
            "ternary" => refine(Strategy::All),
            "random" => refine(Strategy::Random(rng(options.seed))),
            "lazy" => refine(Strategy::Reason(options.shuffle.map(rng))),
            "incremental" => incremental::decide(terrain, formulas, &program, budget),
            "global" => everywhere(),
            _ => eager::decide(terrain, formulas, &program, budget),
        }
        .map_err(Gap::Limit)?;
        Ok((program, decision))
    }
}
