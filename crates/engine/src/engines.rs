//! The engines by name, and which of them decides a claim.
//!
//! The table is data: a row says what an engine is called, what it decides, which settings it
//! reads, and by which algorithm it works. [`crate::Checker`] looks at the algorithm alone, in
//! matches that name every one.

use crate::linear::Question;
use crate::star::Reach;
use std::fmt;
use tern_model::logic::Logic;
use tern_model::logic::ctl::{self, BeyondCtl, Program};
use tern_model::{FormulaId, Formulas, Gap};

/// An engine: a row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name for `--engine`.
    pub name: &'static str,
    /// The logic it decides.
    pub logic: Logic,
    /// Whether claims must be decided one after the other, because it keeps something for the next.
    pub sequential: bool,
    /// The settings that change what it does; it ignores all others.
    pub reads: &'static [Setting],
    /// What it does, in one line.
    pub about: &'static str,
    /// How it works.
    pub algorithm: Algorithm,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A setting that only some engines read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`Options::seed`](crate::Options::seed).
    Seed,
    /// [`Options::shuffle`](crate::Options::shuffle).
    Shuffle,
}

/// How an engine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// By contexts of components: what their callers make true after they return.
    Contexts(Contexts),
    /// By following runs together with an automaton.
    Runs(Runs),
}

/// Which contexts are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contexts {
    /// All that are reached, operator by operator.
    Eager,
    /// All that more is known of, in rounds over copies of components.
    Copies,
    /// Those that are chosen at random.
    Random,
    /// A few at a time that the claim hangs on.
    Few,
    /// All that the claim hangs on.
    Needed,
    /// All that are reached, for the outermost operators too.
    Everywhere,
}

/// Who makes the automaton and the program that are followed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// The automaton is made at once.
    Automaton,
    /// Its states are read off the formula.
    Tableau,
    /// The program is asked for nodes as well, anew for each claim.
    Produced,
    /// The same, and what was produced is kept.
    Kept,
}

impl Engine {
    /// The engine of a name.
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.into_iter().find(|engine| engine.name == name)
    }

    /// Whether it can decide a formula.
    pub fn decides(&'static self, formulas: &Formulas, claim: FormulaId) -> bool {
        route(formulas, claim, Some(self)).is_ok()
    }

    /// Whether a setting changes what it does.
    pub fn reads(&self, setting: Setting) -> bool {
        self.reads.contains(&setting)
    }
}

/// All engines, as they are listed.
pub static ENGINES: [&Engine; 10] = [
    &EAGER,
    &TERNARY,
    &RANDOM,
    &LAZY,
    &INCREMENTAL,
    &GLOBAL,
    &AUTOMATA,
    &TABLEAU,
    &ON_THE_FLY,
    &HYBRID,
];

/// The engine that decides CTL without a choice while contexts are few.
pub(crate) static EAGER: Engine = Engine {
    name: "eager",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[],
    about: "bottom-up over the subformulas, in all reachable contexts",
    algorithm: Algorithm::Contexts(Contexts::Eager),
};

static TERNARY: Engine = Engine {
    name: "ternary",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[],
    about: "in three values; in each round refines every context that more is known of",
    algorithm: Algorithm::Contexts(Contexts::Copies),
};

static RANDOM: Engine = Engine {
    name: "random",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[Setting::Seed],
    about: "in three values; tells contexts apart by a few more bits at a time, chosen by --seed",
    algorithm: Algorithm::Contexts(Contexts::Random),
};

static LAZY: Engine = Engine {
    name: "lazy",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[Setting::Shuffle],
    about: "in three values; tells contexts apart by a few more bits at a time, that the claim hangs on",
    algorithm: Algorithm::Contexts(Contexts::Few),
};

/// The engine that decides CTL without a choice where contexts are many, in turns with `eager`. It
/// builds about as few as `lazy`, in two passes instead of several.
pub(crate) static INCREMENTAL: Engine = Engine {
    name: "incremental",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[],
    about: "labels locally first, then only the contexts that the claim needs",
    algorithm: Algorithm::Contexts(Contexts::Needed),
};

static GLOBAL: Engine = Engine {
    name: "global",
    logic: Logic::Ctl,
    sequential: false,
    reads: &[],
    about: "labels every node in every reachable context",
    algorithm: Algorithm::Contexts(Contexts::Everywhere),
};

/// The engine that decides everything beyond CTL without a choice.
pub(crate) static AUTOMATA: Engine = Engine {
    name: "automata",
    logic: Logic::CtlStar,
    sequential: false,
    reads: &[],
    about: "follows runs with a small automaton, through summaries of calls",
    algorithm: Algorithm::Runs(Runs::Automaton),
};

/// The engine that decides LTL whose automaton would be too large.
pub(crate) static TABLEAU: Engine = Engine {
    name: "tableau",
    logic: Logic::Ltl,
    sequential: false,
    reads: &[],
    about: "follows runs with sets of obligations; a contract for each callee and set",
    algorithm: Algorithm::Runs(Runs::Tableau),
};

static ON_THE_FLY: Engine = Engine {
    name: "on-the-fly",
    logic: Logic::Ltl,
    sequential: false,
    reads: &[],
    about: "like tableau, but asks for a node only when a run gets there",
    algorithm: Algorithm::Runs(Runs::Produced),
};

/// The engine that decides claims about runs of programs that are produced on demand, without a
/// choice.
pub(crate) static HYBRID: Engine = Engine {
    name: "hybrid",
    logic: Logic::Ltl,
    sequential: true,
    reads: &[],
    about: "like on-the-fly, but keeps what was produced for the next claims",
    algorithm: Algorithm::Runs(Runs::Kept),
};

/// The way in which a formula is decided.
pub(crate) enum Route {
    /// By contexts of components, as CTL; `None` leaves it to their number which are told apart.
    Contexts(Option<Contexts>, Program),
    /// By following runs; `None` leaves it to the size of the automaton who makes that.
    Runs(Option<Runs>, Question),
    /// By automata for quantified subformulas.
    Star(Reach),
}

/// How a formula is decided by an engine, or by the best for it; and the engine.
///
/// # Errors
/// That the engine cannot decide it.
pub(crate) fn route(
    formulas: &Formulas,
    claim: FormulaId,
    engine: Option<&'static Engine>,
) -> Result<(&'static Engine, Route), Gap> {
    let question = || Question::of(formulas, claim);
    let Some(engine) = engine else {
        return Ok(match (ctl::lower(formulas, claim), question()) {
            (Ok(program), _) => (&INCREMENTAL, Route::Contexts(None, program)),
            (Err(_), Some(question)) => (&AUTOMATA, Route::Runs(None, question)),
            (Err(_), None) => (&AUTOMATA, Route::Star(Reach::BeyondCtl)),
        });
    };
    let name = engine.name;
    let route = match engine.algorithm {
        Algorithm::Contexts(contexts) => {
            let program = ctl::lower(formulas, claim).map_err(|BeyondCtl(part)| {
                Gap::Unsupported(format!(
                    "engine `{name}` decides CTL, and `{}` is not CTL, nor made CTL by the laws that Tern \
                     knows; engine `auto` decides it",
                    formulas.show(part)
                ))
            })?;
            Route::Contexts(Some(contexts), program)
        }
        Algorithm::Runs(runs) => match (question(), runs) {
            (Some(question), runs) => Route::Runs(Some(runs), question),
            (None, Runs::Automaton) => Route::Star(Reach::Everything),
            (None, Runs::Tableau | Runs::Produced | Runs::Kept) => {
                let (own, logic) = (engine.logic, formulas.logic(claim));
                return Err(Gap::Unsupported(format!(
                    "engine `{name}` decides {own}, and this is {logic}; engine `auto` decides it"
                )));
            }
        },
    };
    Ok((engine, route))
}

/// The engine that follows runs with an automaton that is given.
///
/// # Errors
/// That another was asked for, which does not.
pub(crate) fn for_automata(engine: Option<&'static Engine>) -> Result<&'static Engine, Gap> {
    match engine {
        None | Some(Engine { algorithm: Algorithm::Runs(Runs::Automaton), .. }) => Ok(&AUTOMATA),
        Some(Engine { name, .. }) => Err(Gap::Unsupported(format!(
            "engine `{name}` decides formulas, and this is an automaton; engine `auto` decides it"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name_and_differs_from_the_others() {
        for (i, engine) in ENGINES.into_iter().enumerate() {
            assert_eq!(Engine::named(engine.name), Some(engine));
            assert!(ENGINES[..i].iter().all(|other| other.algorithm != engine.algorithm));
        }
        assert_eq!(Engine::named("auto"), None);
    }
}
