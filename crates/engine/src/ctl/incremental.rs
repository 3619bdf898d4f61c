//! First what can be known without contexts, then what the claim needs: `incremental`,
//! `lazy` and `random`.
//!
//! 1. *Locally and vertically.* Evaluate all operators, operands first, in frames that know nothing
//!    of their contexts ([`PartialLabelling`]). Often the claim is decided by that, and no context
//!    is built.
//! 2. *Needs.* Follow what the unknown claim depends on, to context bits that may have a say
//!    ([`reason::needs`]). *Incremental* follows everything; *lazy* stops at the first few bits
//!    that are to be had; and *random* does not search, but draws a few of all that are unknown
//!    anywhere.
//! 3. *Horizontally.* Compute those bits, and no others, call by call from the root down, operators
//!    again operands first.
//!
//! With all needs met, the claim is known after one turn. With few, 2 and 3 are repeated; each time
//! many more bits may be asked for, so that there are few turns, and not many more bits than it
//! takes.
//!
//! # Invariants
//! Sound: all passes are three-valued, and bits that are not asked for are unknown.
//!
//! Complete: when all needs are met, the values of an operator at the places that the search
//! visited are known, by induction over the operators: its equations at these places mention only
//! values that are known, or visited, or operands that were noted as needed; and the least (or
//! greatest) solution of these equations, with known values around them, is the restriction of that
//! of all equations.
//!
//! # Why it ends
//! While the claim is unknown, there is a bit that is not wanted yet, and the search finds one
//! (else all needs were met); and there are finitely many.
//!
//! # Source
//! J. Finis: Incremental Model Checking of Recursive Kripke Structures, 2012, chapter 4; Dubslaff,
//! Wienhöft, Fehnker: Lazy model checking for recursive state machines, SoSyM 2024 (LazyCheck with
//! GetNextExpansion, or a random choice). We depart: a context is labelled as a whole, but holds
//! needed bits only; what stays undecided together is found by one search instead of one call at a
//! time; a bit is asked for in all calls of a component at once, since contexts that know different
//! things at different calls multiply; and no guesses are closed by a fixpoint at the end, nor
//! cycles resolved early, because summaries decide an operator without a guess of its own bit.

use crate::ctl::eager::Decision;
use crate::ctl::partial::PartialLabelling;
use crate::ctl::reason;
use crate::ground::lanes::answer;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Limit, Stats};

/// How many bits are asked for at first where not all are, and how many times as many the next
/// time: few turns, since each labels operators anew, and few bits that were not needed after all.
const STEP: usize = 8;

/// How much to ask for at a time.
#[derive(Clone, Debug)]
pub(crate) enum Pace {
    /// All that the claim may depend on.
    All,
    /// A few that the search comes to first, and more each time; with a generator, the search looks
    /// at alternatives in random order.
    Few(Option<fastrand::Rng>),
    /// As many as [`Pace::Few`] asks for, drawn at random of all that are unknown.
    Random(fastrand::Rng),
}

/// Decides a program at the initial nodes.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    mut pace: Pace,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut most = STEP;
    let mut labelling = PartialLabelling::new(terrain, formulas, program, budget)?;
    let mut rounds = 0;
    loop {
        let values = labelling.at_initial()?;
        if let Some(at_initial) = answer(&values) {
            let stats = Stats { rounds, ..labelling.stats() };
            return Ok(Decision { at_initial, stats });
        }
        let search = |most, rng: &mut Option<fastrand::Rng>| {
            reason::needs(&labelling, &values, most, rng, &mut Meter::new(budget))
        };
        let needs = match &mut pace {
            Pace::All => search(usize::MAX, &mut None)?,
            Pace::Few(rng) => search(most, rng)?,
            Pace::Random(rng) => {
                let mut unwanted = labelling.unwanted();
                rng.shuffle(&mut unwanted);
                unwanted.into_iter().take(most).collect()
            }
        };
        assert!(!needs.is_empty(), "a claim is unknown, but all that it depends on is known");
        labelling.want(&needs);
        labelling.label_all()?;
        rounds += 1;
        most = most.saturating_mul(STEP);
    }
}
