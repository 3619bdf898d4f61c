//! Incremental checking: first what can be known locally, then only what the claim needs.
//!
//! 1. *Locally and vertically.* Evaluate all operators, operands first, in copies that know nothing of
//!    their contexts ([`Copies`]). Often the claim is decided by that, and no context is built.
//! 2. *Needs.* Follow what the unknown claim depends on, to all context bits that may have a say
//!    ([`reason::needs`]).
//! 3. *Horizontally.* Compute those bits, and no others, call by call from the root down, operators
//!    again operands first ([`eager`], in two lanes, with its contexts restricted to the needed bits).
//!
//! # Invariants
//! Sound: all passes are three-valued, and bits that are not asked for are unknown.
//!
//! Complete: when all needs are met, the values of an operator at the places that the search visited
//! are known, by induction over the operators: its equations at these places mention only values that
//! are known, or visited, or operands that were noted as needed; and the least (or greatest) solution
//! of these equations, with known values around them, is the restriction of that of all equations.
//!
//! # Why it ends
//! Two passes and a search, each of which ends.
//!
//! # Source
//! J. Finis: Incremental Model Checking of Recursive Kripke Structures, 2012, chapter 4. We depart: a
//! context is labelled as a whole, but holds needed bits only; what stays undecided together is found
//! by one search instead of one call at a time; no guesses are closed by a fixpoint at the end, because
//! summaries decide an operator without a guess of its own bit.

use crate::copies::{Copies, answer};
use crate::eager::{self, Decision};
use crate::frames;
use crate::plan::Plan;
use crate::reason;
use crate::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Limit};

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
    copies.evaluate()?;
    if let Some(at_initial) = answer(&copies.at_initial()) {
        return Ok(Decision { at_initial, stats: copies.stats });
    }
    let needs = reason::needs(&copies, &mut Meter::new(budget))?;
    let (values, mut stats) = eager::decide_within(terrain, formulas, program, &needs, budget)?;
    stats.evaluations += copies.stats.evaluations;
    stats.edges += copies.stats.edges;
    stats.rounds += 1;
    let at_initial =
        answer(&values).expect("all that the claim depends on is known, and so is the claim");
    Ok(Decision { at_initial, stats })
}
