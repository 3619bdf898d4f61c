//! Refining contexts until the claim is known: `ternary`, `random` and `lazy`.
//!
//! The three differ only in which boxes they refine in a round (see [`crate::copies`] for the rest):
//! *ternary* all that can be, *random* some of them by lot, *lazy* those that a search for the reason
//! of the claim's being unknown comes to ([`crate::reason`]).
//!
//! A box is refined at once, and a new copy evaluated by itself; but what follows for its callers is found
//! only when everything is evaluated again, after 1, 2, 4, … refinements. (One that carries on where the last
//! ended, in the copy that it made, is not counted.)
//!
//! # Why it ends
//! Each round leads some box to a copy with a richer context, of which there are finitely many; and
//! while the claim is unknown some box can be refined, as is argued in [`crate::copies`].
//!
//! # Source
//! Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines, SoSyM 2024
//! (LazyCheck' with the heuristics C, random and GetNextExpansion). We depart: contexts hold only bits
//! that some node's value depends on, and none of the outermost operators; calls are stepped over by
//! summaries, so that no guess of an operator's own bit is needed and no cycles are left to resolve.

use crate::copies::{Copies, Site, answer};
use crate::eager::Decision;
use crate::frames;
use crate::plan::Plan;
use crate::reason;
use crate::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Limit};

/// Which boxes to refine in a round.
#[derive(Clone, Debug)]
pub(crate) enum Strategy {
    /// All that can be.
    All,
    /// Some, by lot.
    Random(fastrand::Rng),
    /// Some that the claim's being unknown is due to; with a generator, the search looks at
    /// alternatives in random order.
    Reason(Option<fastrand::Rng>),
}

/// Decides a program at the initial nodes.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    mut strategy: Strategy,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut meter = Meter::new(budget);
    let base = frames::base(terrain, &mut meter)?;
    let plan = Plan::new(terrain, formulas, program);
    let mut copies = Copies::new(terrain, plan, base, meter);
    // How many boxes to refine before everything is evaluated again. Doubling it keeps the number of
    // evaluations small, and the contexts that were not needed after all below those that were.
    let mut allowance = 1usize;
    loop {
        copies.evaluate()?;
        if let Some(at_initial) = answer(&copies.at_initial()) {
            return Ok(Decision { at_initial, stats: copies.stats });
        }
        budget.check()?;
        copies.stats.rounds += 1;
        let mut left = allowance;
        allowance = allowance.saturating_mul(2);
        let mut sites = choose(&copies, &mut strategy, left, &mut Meter::new(budget))?;
        assert!(!sites.is_empty(), "a claim is unknown, but no box can be refined");
        while !sites.is_empty() {
            let begin = copies.frames.len() as u32;
            left = left.saturating_sub(sites.len());
            for site in sites {
                copies.refine(site)?;
            }
            budget.check()?;
            sites = match strategy {
                Strategy::All => copies.refinable(begin),
                _ => choose(&copies, &mut strategy, allowance, &mut Meter::new(budget))?,
            };
            // What is known at the root gets down a chain of calls in one round.
            sites.retain(|site| left > 0 || site.copy >= begin);
        }
    }
}

/// The boxes to refine next, at most `most`: none if nothing more is to be had without an evaluation.
fn choose(
    copies: &Copies<'_>,
    strategy: &mut Strategy,
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Vec<Site>, Limit> {
    let sites = match strategy {
        Strategy::All => copies.refinable(0),
        Strategy::Random(rng) => {
            let mut sites = copies.refinable(0);
            rng.shuffle(&mut sites);
            sites.truncate(most);
            sites
        }
        Strategy::Reason(rng) => reason::find(copies, rng, most, meter)?,
    };
    Ok(sites)
}
