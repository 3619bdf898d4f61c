//! The best of both: the eager pass while contexts are few, and else in turns with the incremental
//! one.
//!
//! 1. *Eager, while that is cheap.* Operators bottom-up, as [`crate::ctl::eager`] does, as long as
//!    the contexts of each cost little beside what it costs without them ([`Grant::FewContexts`]).
//!    On most programs that is all.
//! 2. *In turns.* Where contexts become many, a partial labelling takes over what is known:
//!    operators that are decided, and what is known without contexts of the one that is not. From
//!    there it goes the way of [`crate::ctl::incremental`], except that the outermost operators are
//!    evaluated at the roots first. It has its turn until it has looked at as many edges as the
//!    eager pass; then that goes on where it was left, until it has looked at as many as the other,
//!    with what that took over; and so on.
//!
//! # Invariants
//! Let e be the edges of the eager pass, of which the partial labelling took over s, and i those
//! that the latter looked at itself. While it has its turn i is at most e; in the turn of the eager
//! pass e is at most s + i; give or take a step.
//!
//! # What it costs
//! e + i. If the eager pass decides the claim, its own cost is e, and i is at most that. If the
//! partial labelling does, what it costs alone is about s + i, and e is at most that. So the cost
//! is at most twice that of the better of the two, up to one step and as far as what was taken over
//! is not finer than what [`crate::ctl::incremental`] would have found. If contexts are few it is
//! that of the eager pass; if they are many and none is needed, that of the incremental one and a
//! little more.

use crate::ctl::eager::{Decision, Eager, Extent, Grant};
use crate::ctl::partial::PartialLabelling;
use crate::ctl::reason;
use crate::engines::{EAGER, Engine, INCREMENTAL};
use crate::ground::lanes::answer;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Limit, Stats};

/// Decides a program at the initial nodes; says which engine did.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<(Decision, &'static Engine), Limit> {
    let mut eager: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Initial, budget)?;
    if eager.advance(Grant::FewContexts)? {
        return by_eager(&mut eager, Stats::default());
    }
    let shared = eager.edges_before_contexts();
    let mut partial = PartialLabelling::of(&eager)?;
    let mut rounds = 0;
    let mut without_bits = true;
    loop {
        if partial.is_complete() {
            let values = partial.at_initial()?;
            if let Some(at_initial) = answer(&values) {
                let mut stats = Stats { rounds, ..partial.stats() };
                stats += eager.stats;
                return Ok((Decision { at_initial, stats }, &INCREMENTAL));
            }
            without_bits = false;
            if !partial.note_below_roots() {
                let mut meter = Meter::new(budget);
                let needs = reason::needs(&partial, &values, usize::MAX, &mut None, &mut meter)?;
                assert!(!needs.is_empty(), "a claim is unknown, but what it depends on is known");
                partial.want(&needs);
                rounds += 1;
            }
        }
        let (own, taken_over) = (partial.stats().edges, shared + partial.stats().edges);
        // The pass without bits is most often all it takes: its steps are begun without asking what
        // they cost. Those after it look at more.
        let step = if without_bits { 0 } else { partial.next_step() };
        // If the next step of the eager pass would get ahead, it has to wait.
        let waits = eager.stats.edges + eager.next_step() > taken_over + step;
        if own + step <= eager.stats.edges || waits {
            partial.label_next(Grant::Edges(eager.stats.edges.max(own + 1)))?;
        } else if eager.advance(Grant::Edges(taken_over + step))? {
            return by_eager(&mut eager, partial.stats());
        }
    }
}

fn by_eager(
    eager: &mut Eager<'_, 1>,
    mut stats: Stats,
) -> Result<(Decision, &'static Engine), Limit> {
    let at_initial = eager.at_initial()?.into_iter().map(|[holds]| holds).collect();
    stats += eager.stats;
    Ok((Decision { at_initial, stats }, &EAGER))
}
