//! Marks for any number of conditions that are each to be met again and again.
//!
//! While they fit, each condition has its own mark. Otherwise the last mark stands for all
//! conditions that have none: they are waited for one after the other, and the mark is given when
//! all were met.

use tern_model::automaton::{MAX_MARKS, Marks};

/// How conditions become marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    conditions: usize,
    /// Conditions with a mark of their own.
    direct: usize,
}

impl Counter {
    pub(super) fn new(conditions: usize) -> Counter {
        let most = MAX_MARKS as usize;
        Counter { conditions, direct: if conditions <= most { conditions } else { most - 1 } }
    }

    pub(super) fn mark_count(self) -> u32 {
        self.conditions.min(MAX_MARKS as usize) as u32
    }

    /// The marks of a step on which some conditions are met, and the level after it. Runs begin at
    /// level 0.
    pub(super) fn step(self, level: usize, is_met: impl Fn(usize) -> bool) -> (Marks, usize) {
        let mut marks = 0;
        for i in 0..self.direct {
            marks |= Marks::from(is_met(i)) << i;
        }
        let shared = self.conditions - self.direct;
        let mut level = level;
        while level < shared && is_met(self.direct + level) {
            level += 1;
        }
        if shared > 0 && level == shared {
            marks |= 1 << self.direct;
            level = 0;
        }
        (marks, level)
    }
}
