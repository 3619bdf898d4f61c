//! The engines by name, and which of them decides a claim.

use crate::linear::Question;
use crate::star::Reach;
use tern_model::logic::ctl::{self, BeyondCtl, Program};
use tern_model::{FormulaId, Formulas, Gap};

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

impl Engine {
    /// Whether it can decide a claim.
    pub fn decides(&self, formulas: &Formulas, claim: FormulaId) -> bool {
        route(formulas, claim, Some(self.name)).is_ok()
    }
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
        about: "in three values; tells contexts apart by a few more bits at a time, chosen by --seed",
    },
    Engine {
        name: "lazy",
        logic: "CTL",
        about: "in three values; tells contexts apart by a few more bits at a time, that the claim hangs on",
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

/// The engine that decides CTL without a choice. It builds about as few contexts as `lazy`, in two passes
/// instead of several; `eager` is faster while contexts are few, and exponentially
/// slower where they are not.
pub const DEFAULT: &str = "incremental";

/// The engine that decides everything else.
pub(crate) const AUTOMATA: &str = "automata";

/// The engine that decides LTL whose automaton would be too large.
pub(crate) const TABLEAU: &str = "tableau";

/// The way in which a claim is decided.
pub(crate) enum Route {
    /// By contexts of components, as CTL.
    Contexts(Program),
    /// By following runs.
    Runs(Question),
    /// By automata for quantified subformulas.
    Star(Reach),
}

/// How a claim is decided by an engine, or by the best for it; and the name of the engine.
///
/// # Errors
/// That the engine cannot decide it.
pub(crate) fn route(
    formulas: &Formulas,
    claim: FormulaId,
    engine: Option<&'static str>,
) -> Result<(&'static str, Route), Gap> {
    let question = || Question::of(formulas, claim);
    let Some(name) = engine else {
        return Ok(match (ctl::lower(formulas, claim), question()) {
            (Ok(program), _) => (DEFAULT, Route::Contexts(program)),
            (Err(_), Some(question)) => (AUTOMATA, Route::Runs(question)),
            (Err(_), None) => (AUTOMATA, Route::Star(Reach::BeyondCtl)),
        });
    };
    let Some(engine) = ENGINES.iter().find(|engine| engine.name == name) else {
        return Err(Gap::Unsupported(format!("there is no engine `{name}`")));
    };
    let logic = formulas.logic(claim);
    let route = match (engine.logic, question()) {
        ("CTL", _) => Route::Contexts(ctl::lower(formulas, claim).map_err(|BeyondCtl(part)| {
            Gap::Unsupported(format!(
                "engine `{name}` decides CTL, and `{}` is not CTL, nor made CTL by the laws that Tern \
                 knows; engine `auto` decides it",
                formulas.show(part)
            ))
        })?),
        (_, Some(question)) => Route::Runs(question),
        ("CTL*", None) => Route::Star(Reach::Everything),
        (own, None) => {
            let why = format!("engine `{name}` decides {own}, and this is {logic}; engine `auto` decides it");
            return Err(Gap::Unsupported(why));
        }
    };
    Ok((engine.name, route))
}

/// Whether an engine follows runs with an automaton that is given.
///
/// # Errors
/// That it does not.
pub(crate) fn follows_automata(engine: Option<&'static str>) -> Result<(), Gap> {
    match engine {
        None | Some(AUTOMATA) => Ok(()),
        Some(name) => Err(Gap::Unsupported(format!(
            "engine `{name}` decides formulas, and this is an automaton; engine `auto` decides it"
        ))),
    }
}
