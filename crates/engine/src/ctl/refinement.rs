//! Refining all contexts until the claim is known: `ternary`.
//!
//! In each round all boxes are refined that can be; see [`crate::ctl::copies`] for the rest. A box
//! is refined at once, and a new copy evaluated by itself, so that what is known at the root gets
//! down a chain of calls in one round; but what follows for its callers is found only when
//! everything is evaluated again.
//!
//! # Why it ends
//! Each round leads some box to a copy with a richer context, of which there are finitely many; and
//! while the claim is unknown some box can be refined, as is argued in [`crate::ctl::copies`].
//!
//! # Source
//! Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines, SoSyM 2024
//! (LazyCheck' with the heuristic C). We depart: contexts hold only bits
//! that some node's value depends on, and none of the outermost operators; calls are stepped over
//! by summaries, so that no guess of an operator's own bit is needed and no cycles are left to
//! resolve.

use crate::ctl::copies::Copies;
use crate::ctl::eager::Decision;
use crate::ctl::plan::Plan;
use crate::ground::frames;
use crate::ground::ids::FrameId;
use crate::ground::lanes::answer;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Id, Limit};

/// Decides a program at the initial nodes.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut meter = Meter::new(budget);
    let base = frames::base(terrain, &mut meter)?;
    let plan = Plan::new(terrain, formulas, program);
    let mut copies = Copies::new(terrain, plan, base, meter);
    loop {
        copies.evaluate()?;
        if let Some(at_initial) = answer(&copies.at_initial()) {
            return Ok(Decision { at_initial, stats: copies.stats });
        }
        copies.stats.rounds += 1;
        let mut first = FrameId::new(0);
        loop {
            budget.check()?;
            let sites = copies.refinable(first);
            assert!(
                first.index() > 0 || !sites.is_empty(),
                "a claim is unknown, but nothing can be refined"
            );
            if sites.is_empty() {
                break;
            }
            first = FrameId::new(copies.frames.len());
            for site in sites {
                copies.refine(site)?;
            }
        }
    }
}
