//! Runs an engine on claims and takes down what it cost.
//!
//! Memory is the most that was allocated beyond what was allocated before, to the byte. The counter
//! of the allocator only ever rises, so before a run *ballast* is allocated, and never touched, up
//! to the mark; whatever raises the counter from there on is the run's own.

use std::alloc::System;
use std::time::Duration;
use tern_engine::{Checker, Engine, Options};
use tern_front::generate::{Make, Model, Parameters, machines};
use tern_model::{Budget, Claims, Gap, Limit, Stats, Verdict};

#[global_allocator]
static ALLOCATOR: cap::Cap<System> = cap::Cap::new(System, usize::MAX);

fn in_use() -> u64 {
    ALLOCATOR.allocated() as u64
}

/// What a run may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time for all claims together.
    pub(crate) timeout: Duration,
    /// Bytes, beyond those that were in use before.
    pub(crate) memory: u64,
}

impl Limits {
    fn budget(self) -> Budget {
        let bytes = in_use().saturating_add(self.memory);
        Budget::unlimited().with_timeout(self.timeout).with_memory(bytes, in_use)
    }
}

/// How a run came out.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// All claims were decided: whether each holds.
    Decided(Vec<bool>),
    /// A limit was reached.
    Stopped(Limit),
    /// The engine is not for such claims.
    Unsupported,
}

/// What a run cost.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) ending: Ending,
    /// Seconds for all claims, in the best of all runs.
    pub(crate) best: f64,
    /// Seconds for all claims, in the run in the middle.
    pub(crate) median: f64,
    /// The work for all claims; the same in every run.
    pub(crate) stats: Stats,
    /// Bytes, at the worst moment of the first run.
    pub(crate) peak: u64,
}

impl Measured {
    /// Whether all claims were decided.
    pub(crate) fn is_decided(&self) -> bool {
        matches!(self.ending, Ending::Decided(_))
    }
}

/// The total that a measurement of one thing may take, in timeouts: repetitions end then.
const PATIENCE: f64 = 0.2;

/// Decides claims up to `repeat` times.
pub(crate) fn measure(
    checker: &Checker<'_>,
    claims: &Claims,
    engine: &'static Engine,
    limits: Limits,
    repeat: usize,
) -> Measured {
    let ((ending, first, stats), Memory { peak, .. }) =
        with_memory(|| once(checker, claims, engine, limits));
    let mut times = vec![first];
    while times.len() < repeat
        && matches!(ending, Ending::Decided(_))
        && times.iter().sum::<f64>() < PATIENCE * limits.timeout.as_secs_f64()
    {
        times.push(once(checker, claims, engine, limits).1);
    }
    times.sort_by(f64::total_cmp);
    Measured { ending, best: times[0], median: times[times.len() / 2], stats, peak }
}

fn once(
    checker: &Checker<'_>,
    claims: &Claims,
    engine: &'static Engine,
    limits: Limits,
) -> (Ending, f64, Stats) {
    let options = Options { engine: Some(engine), ..Options::default() };
    let budget = limits.budget();
    let (mut verdicts, mut seconds, mut stats) = (Vec::new(), 0.0, Stats::default());
    for claim in claims.list() {
        let outcome = checker.decide(&claims.formulas, claim, &options, &budget);
        seconds += outcome.seconds;
        stats += outcome.stats;
        match outcome.verdict {
            Verdict::Holds => verdicts.push(true),
            Verdict::Fails => verdicts.push(false),
            Verdict::Unknown(Gap::Limit(limit)) => return (Ending::Stopped(limit), seconds, stats),
            Verdict::Unknown(_) => return (Ending::Unsupported, seconds, stats),
        }
    }
    (Ending::Decided(verdicts), seconds, stats)
}

/// Bytes that something allocated, beyond those that were allocated before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// At the worst moment.
    pub(crate) peak: u64,
    /// In the end, by what it gave back.
    pub(crate) kept: u64,
}

/// Does something, and says what memory it took.
pub(crate) fn with_memory<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let missing = ALLOCATOR.max_allocated().saturating_sub(ALLOCATOR.allocated());
    let ballast: Vec<u8> = Vec::with_capacity(missing);
    let before = ALLOCATOR.allocated();
    let done = work();
    let beyond = |bytes: usize| bytes.saturating_sub(before) as u64;
    let memory =
        Memory { peak: beyond(ALLOCATOR.max_allocated()), kept: beyond(ALLOCATOR.allocated()) };
    drop(ballast);
    (done, memory)
}

/// Claims from their texts.
///
/// # Panics
/// If one is no formula.
pub(crate) fn claims_of(texts: &[&str]) -> Claims {
    let mut claims = Claims::new();
    for text in texts {
        tern_front::claims::read_one(&mut claims, text).expect("the formula can be read");
    }
    claims
}

/// A member of a family of machines.
///
/// # Panics
/// If there is no such family, or no such member.
pub(crate) fn member(family: &str, size: usize, seed: u64, given: &[(&str, usize)]) -> Model {
    let family = machines(family).expect("a family of machines");
    let given: Vec<_> = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let parameters = Parameters::new(family, size, seed, &given).expect("allowed parameters");
    match family.make {
        Make::Machine(make) => make(&parameters),
        Make::Formula(_) | Make::Pushdown(_) => unreachable!("it makes machines"),
    }
}

/// A formula of the literature.
pub(crate) fn literature_formula(size: usize, seed: u64) -> Claims {
    let family = tern_front::generate::formulas("literature").expect("a family of formulas");
    match family.make {
        Make::Formula(make) => {
            make(&Parameters::new(family, size, seed, &[]).expect("an allowed size"))
        }
        Make::Machine(_) | Make::Pushdown(_) => unreachable!("it makes formulas"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_seen_even_if_more_was_in_use_before() {
        drop(Vec::<u8>::with_capacity(1 << 24));
        let (kept, memory) = with_memory(|| {
            drop(vec![1u8; 1 << 22]);
            vec![1u8; 1 << 20]
        });
        assert!(memory.peak >= 1 << 22, "{memory:?}");
        // Other tests may allocate or free a little at the same time.
        assert!((1 << 19..1 << 22).contains(&memory.kept), "{memory:?}");
        drop(kept);
    }
}
