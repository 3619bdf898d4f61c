//! Models whose states need not all be looked for: which are wanted depends on the claims, and on
//! the engine.

use super::Stop;
use super::given::GivenClaims;
use crate::args::{CheckArgs, ReductionWhen};
use crate::failure::Failure;
use tern::Model;
use tern_engine::{Options, follows_runs};
use tern_front::vocabulary::{Misunderstood, NotUnderstood};
use tern_front::{
    Asked, Problem, Reading, Reduction, Refusal, Source, Unexplored, When, vocabulary,
};
use tern_model::space::Space;
use tern_model::{Budget, Claims, Machine};

/// A model as far as it is wanted.
pub(super) struct Wanted {
    /// The model; its machine is empty if states come on demand.
    pub(super) model: Model,
    /// The states on demand.
    pub(super) space: Option<Box<dyn Space + Send + Sync>>,
    /// What claims say that means nothing in it. This is looked for if states come on demand.
    pub(super) misunderstood: Vec<Misunderstood>,
}

/// Refuses to leave out states where all are needed.
pub(crate) fn refuse_reduction(args: &CheckArgs) -> Result<(), Failure> {
    match (args.reduction, needs_all(args)) {
        (ReductionWhen::On, Some(option)) => Err(Failure::Usage {
            message: format!("{option} speaks of all states, and --reduction on leaves some out"),
            hint: format!("leave out {option} or --reduction on"),
        }),
        _ => Ok(()),
    }
}

/// The option that asks for something about all states.
fn needs_all(args: &CheckArgs) -> Option<&'static str> {
    let given = [
        (args.certify, "--certify"),
        (args.evidence, "--evidence"),
        (args.regions, "--where"),
        (args.dot.is_some(), "--dot"),
    ];
    given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
}

/// Whether states may come on demand though nobody asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// If there are many, and all claims can be decided so: perhaps few of them are enough.
    May,
    /// No; it was tried.
    Failed,
}

/// Reads a model, and looks for the states that the claims need.
pub(super) fn read(
    source: Source,
    args: &CheckArgs,
    given: &GivenClaims,
    explicit: bool,
    attempt: Attempt,
    budget: &Budget,
) -> Result<Wanted, Stop> {
    let (mut space, mut misunderstood) = (None, Vec::new());
    let explore = |begun: Box<dyn Unexplored>| {
        let said = decided(args, given, explicit, begun.claims());
        let reduction = reduction(args, said.as_ref());
        let is_asked = args.engine.0.is_some();
        // Who asks for a reduced program gets one.
        let may_try = attempt == Attempt::May && args.reduction != ReductionWhen::On;
        let may_wait = begun.can_wait() && (is_asked || may_try);
        let Some(said) = said.filter(|said| may_wait && on_demand(args, said)) else {
            return begun.explore(reduction, budget);
        };
        if !is_asked && let Some(small) = begun.small(budget)? {
            return Ok(small);
        }
        for name in vocabulary::propositions(&said) {
            match begun.understand(&name) {
                Ok(()) => {}
                Err(NotUnderstood::Limit(limit)) => return Err(Refusal::Limit(limit)),
                Err(NotUnderstood::Proposition { message, hint }) => {
                    let problem = Problem { hint, ..Problem::error("C006", message) };
                    misunderstood.push((name, problem));
                }
            }
        }
        let claims = begun.claims().clone();
        let (produced, warnings) = begun.space(reduction, budget)?;
        space = Some(produced);
        Ok(Reading { machine: Machine::default(), claims, warnings, vocabulary: None })
    };
    let read = Model::read_with(source, budget, explore);
    let model = read.map_err(|(source, refusal)| Stop::new(source, refusal))?;
    Ok(Wanted { model, space, misunderstood })
}

/// The claims that are going to be decided, under their conditions; `None` if there are automata
/// among them.
fn decided(args: &CheckArgs, given: &GivenClaims, explicit: bool, own: &Claims) -> Option<Claims> {
    if !args.automaton.is_empty() || !args.automaton_positive.is_empty() {
        return None;
    }
    let mut all = GivenClaims { claims: own.clone(), ..GivenClaims::default() };
    if explicit {
        all.claims = given.claims.clone();
        let conditions = own.fair().iter();
        let conditions = conditions.map(|it| it.import(&own.formulas, &mut all.claims.formulas));
        let conditions: Vec<_> = conditions.collect();
        all.claims.restrict(conditions);
    }
    all.read_fairness(args);
    if !args.claim.is_empty() {
        all.claims
            .retain(|i, claim| args.claim.iter().any(|wanted| super::is_meant(wanted, i, claim)));
    }
    Some(all.claims)
}

fn reduction(args: &CheckArgs, said: Option<&Claims>) -> Reduction {
    let when = match args.reduction {
        ReductionWhen::Off => When::Never,
        _ if needs_all(args).is_some() => When::Never,
        ReductionWhen::Auto => When::Large,
        ReductionWhen::On => When::Always,
    };
    let asked = said.map_or_else(|| Err("automata may count steps".to_owned()), Asked::of);
    Reduction { when, asked }
}

/// Whether all claims can be decided as far as the program is visited.
fn on_demand(args: &CheckArgs, said: &Claims) -> bool {
    let whole = args.regions || args.dot.is_some() || args.top_level || args.deadlock.is_some();
    let options = Options { engine: args.engine.0, ..Options::default() };
    let follows = |claim| follows_runs(&said.formulas, claim, &options);
    let stack = vocabulary::propositions(said).iter().any(|name| vocabulary::is_of_stack(name));
    !whole && !stack && said.list().iter().all(follows)
}
