//! How much a reader or an engine may spend, and the polite way to notice that it is spent.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time allowed.
    Time(Duration),
    /// The memory allowed, in bytes.
    Memory(u64),
    /// The effort that is worth the while; something else can be tried.
    Effort,
    /// The patience of the user, who interrupted.
    Interrupted,
}

impl std::error::Error for Limit {}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time(allowed) if allowed.is_zero() => f.write_str("time limit of 0s reached"),
            Limit::Time(allowed) => write!(f, "time limit of {allowed:?} reached"),
            Limit::Memory(bytes) if *bytes < 1 << 20 => {
                write!(f, "memory limit of {bytes} bytes reached")
            }
            Limit::Memory(bytes) => {
                write!(f, "memory limit of {:.1} MiB reached", *bytes as f64 / f64::from(1 << 20))
            }
            Limit::Effort => f.write_str("limit of effort reached"),
            Limit::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Limits on time and memory, and a flag by which another thread can end the work.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<(Instant, Duration)>,
    memory: Option<MemoryLimit>,
    cancelled: Arc<AtomicBool>,
    /// How often the budget may still be looked at, and how often that was in the beginning.
    looks: Option<(Arc<AtomicU64>, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct MemoryLimit {
    bytes: u64,
    /// Says how many bytes are in use now.
    used: fn() -> u64,
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Ends the work this long from now.
    #[must_use]
    pub fn with_timeout(mut self, allowed: Duration) -> Self {
        self.deadline = Instant::now().checked_add(allowed).map(|at| (at, allowed));
        self
    }

    /// Ends the work when `used` says that more than `bytes` are in use.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64, used: fn() -> u64) -> Self {
        self.memory = Some(MemoryLimit { bytes, used });
        self
    }

    /// Ends the work after so many looks at the budget: a [`Meter`] takes one at its first tick,
    /// and one in thousands from then on. Unlike time, this is the same at every run.
    #[must_use]
    pub fn with_effort(mut self, looks: u64) -> Self {
        self.looks = Some((Arc::new(AtomicU64::new(looks)), looks));
        self
    }

    /// How many looks are left, if they are counted.
    pub fn effort_left(&self) -> Option<u64> {
        self.looks.as_ref().map(|(looks, _)| looks.load(Ordering::Relaxed))
    }

    /// Allows for so many times the effort of the beginning, if effort is limited: for work that
    /// begins anew and must not suffer from what was spent before.
    pub fn renew_effort(&self, times: u64) {
        if let Some((left, all)) = &self.looks {
            left.store(all.saturating_mul(times), Ordering::Relaxed);
        }
    }

    /// A flag that ends the work when it is set.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Whether the work may go on.
    ///
    /// # Errors
    /// What ran out.
    pub fn check(&self) -> Result<(), Limit> {
        self.spend(1)
    }

    /// Whether the work may go on after some that is worth so many looks: for what knows how much
    /// it did.
    ///
    /// # Errors
    /// What ran out.
    pub fn spend(&self, spent: u64) -> Result<(), Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Limit::Interrupted);
        }
        if let Some((left, _)) = &self.looks {
            let less = |left: u64| Some(left.saturating_sub(spent));
            let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            if before.is_ok_and(|before| before < spent) {
                return Err(Limit::Effort);
            }
        }
        if let Some((at, allowed)) = self.deadline
            && Instant::now() >= at
        {
            return Err(Limit::Time(allowed));
        }
        self.check_room_for(0)
    }

    /// Whether `bytes` more may be allocated. Asked before large tables are made.
    ///
    /// # Errors
    /// The memory limit, if they would exceed it.
    pub fn check_room_for(&self, bytes: u64) -> Result<(), Limit> {
        match self.memory {
            Some(limit) if (limit.used)().saturating_add(bytes) > limit.bytes => {
                Err(Limit::Memory(limit.bytes))
            }
            _ => Ok(()),
        }
    }
}

/// Asks a budget now and then, so that a tight loop may ask at every turn.
#[derive(Clone, Debug)]
pub struct Meter<'a> {
    budget: &'a Budget,
    left: u32,
}

impl<'a> Meter<'a> {
    /// How many units of work pass between two looks at the budget.
    const INTERVAL: u32 = 4096;

    /// A meter that looks at the budget at its first use.
    pub fn new(budget: &'a Budget) -> Self {
        Meter { budget, left: 0 }
    }

    /// Notes one unit of work.
    ///
    /// # Errors
    /// What ran out.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Limit> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = Self::INTERVAL;
                self.budget.check()
            }
        }
    }

    /// The budget that is asked.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_noticed() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        let budget = Budget::unlimited();
        budget.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Limit::Interrupted));
        let spent = Budget::unlimited().with_timeout(Duration::ZERO);
        assert_eq!(Meter::new(&spent).tick(), Err(Limit::Time(Duration::ZERO)));
        let full = Budget::unlimited().with_memory(100, || 60);
        assert_eq!(full.check(), Ok(()));
        assert_eq!(full.check_room_for(41), Err(Limit::Memory(100)));
        let some = Budget::unlimited().with_effort(10);
        assert_eq!((some.spend(4), some.check(), some.effort_left()), (Ok(()), Ok(()), Some(5)));
        assert_eq!((some.spend(6), some.check()), (Err(Limit::Effort), Err(Limit::Effort)));
        some.renew_effort(2);
        assert_eq!((some.effort_left(), some.spend(20)), (Some(20), Ok(())));
    }
}
