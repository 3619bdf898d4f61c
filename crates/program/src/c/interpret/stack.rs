//! What waits while calls are open.
//!
//! States of a program that calls itself have deep stacks, most of which they have in common: here
//! they share them. A stack knows its hash, so that states are told apart without going through
//! it, and it is taken down in a loop, however deep it is.

use super::{Slot, Task};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Variables with their values, by name.
pub(super) type Table = BTreeMap<String, Slot>;

/// The calls that wait for the innermost one to end.
#[derive(Clone, Default)]
pub(super) struct Waiting<'a>(Option<Arc<Call<'a>>>);

struct Call<'a> {
    tasks: Vec<Task<'a>>,
    values: Table,
    /// The variables of the first call.
    main: Arc<Table>,
    below: Waiting<'a>,
    depth: usize,
    /// The largest value, whatever its sign.
    size: i128,
    hash: u64,
}

/// The largest value of a table, whatever its sign.
pub(super) fn size(values: &Table) -> i128 {
    values.values().filter_map(|slot| slot.value).map(i128::saturating_abs).max().unwrap_or(0)
}

impl<'a> Waiting<'a> {
    /// Has a call wait too.
    pub(super) fn push(&mut self, tasks: Vec<Task<'a>>, values: Table) {
        let below = std::mem::take(self);
        let main = below.main().cloned().unwrap_or_else(|| Arc::new(values.clone()));
        let size = size(&values).max(below.size());
        let mut hasher = DefaultHasher::new();
        (&tasks, &values, below.hash()).hash(&mut hasher);
        let (depth, hash) = (below.depth() + 1, hasher.finish());
        self.0 = Some(Arc::new(Call { tasks, values, main, below, depth, size, hash }));
    }

    /// The call that goes on now: what it has left to do, and its variables.
    pub(super) fn pop(&mut self) -> Option<(Vec<Task<'a>>, Table)> {
        let call = self.0.take()?;
        *self = call.below.clone();
        Some((call.tasks.clone(), call.values.clone()))
    }

    /// How many calls wait.
    pub(super) fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |call| call.depth)
    }

    /// The variables of the first call, if it waits.
    pub(super) fn main(&self) -> Option<&Arc<Table>> {
        self.0.as_ref().map(|call| &call.main)
    }

    /// The largest value in calls that wait, whatever its sign.
    pub(super) fn size(&self) -> i128 {
        self.0.as_ref().map_or(0, |call| call.size)
    }

    /// Whether the same calls wait at the same places, whatever the values are.
    pub(super) fn is_where(&self, other: &Self) -> bool {
        let (mut left, mut right) = (&self.0, &other.0);
        while let (Some(a), Some(b)) = (left, right) {
            if Arc::ptr_eq(a, b) {
                return true;
            }
            if a.tasks != b.tasks {
                return false;
            }
            (left, right) = (&a.below.0, &b.below.0);
        }
        left.is_none() && right.is_none()
    }

    fn hash(&self) -> u64 {
        self.0.as_ref().map_or(0, |call| call.hash)
    }
}

impl PartialEq for Waiting<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (mut left, mut right) = (&self.0, &other.0);
        loop {
            match (left, right) {
                (None, None) => return true,
                (Some(a), Some(b)) if Arc::ptr_eq(a, b) => return true,
                (Some(a), Some(b))
                    if a.hash == b.hash
                        && a.depth == b.depth
                        && a.tasks == b.tasks
                        && a.values == b.values =>
                {
                    (left, right) = (&a.below.0, &b.below.0);
                }
                _ => return false,
            }
        }
    }
}

impl Eq for Waiting<'_> {}

impl Hash for Waiting<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash().hash(state);
    }
}

impl std::fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} calls", self.depth())
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(call) = next {
            next = Arc::into_inner(call).and_then(|mut call| call.below.0.take());
        }
    }
}
