//! Runs on concrete inputs, followed by the interpreter of the certifier until it is seen how they
//! go on for ever.

use std::collections::BTreeMap;
use tern_certify::heap::atoms::Below;
use tern_certify::heap::interpret::{Interpreter, Key};
use tern_certify::heap::{Ending, Input, NoRun, Replay, Task};
use tern_model::Budget;
use tern_model::budget::Meter;

/// Where a run is looked at to find out whether it repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// Everywhere: the choices since then may be made again.
    Anywhere,
    /// After so many steps, and then again and again after so many.
    Every {
        /// The first time.
        first: usize,
        /// How many steps lie between.
        each: usize,
    },
}

/// How many objects and frames are looked at to find a run, counted again at each step.
const MOST_LOOKED_AT: usize = 400_000;

/// Follows a program on an input until the run ends or repeats itself for a claim, with the choices
/// that are offered. Nothing if it does neither within so many steps, or if what it makes grows so
/// much that too many objects and frames were looked at.
///
/// # Errors
/// Why it cannot be followed, or a limit.
pub(super) fn find(
    (task, below): (&Task<'_>, &Below),
    input: &Input,
    choices: &mut dyn FnMut() -> Option<bool>,
    repeats: Repeats,
    most: usize,
    budget: &Budget,
) -> Result<Option<Replay>, NoRun> {
    let mut meter = Meter::new(budget);
    let mut interpreter = Interpreter::new(task, input);
    let mut taken = Vec::new();
    let mut seen: BTreeMap<Key, usize> = BTreeMap::new();
    // For each depth, where views were seen that nothing has gone below since.
    let mut views: Vec<BTreeMap<Key, usize>> = Vec::new();
    let mut looked_at = 0;
    for step in 0..=most {
        meter.tick()?;
        looked_at += interpreter.frames.len() + interpreter.heap.objects.len();
        if looked_at > MOST_LOOKED_AT {
            return Ok(None);
        }
        let done = |ending: Ending, choices: Vec<bool>| {
            Ok(Some(Replay { input: input.clone(), choices, steps: step, ending }))
        };
        if interpreter.has_ended() {
            return done(Ending::Stays, taken);
        }
        let is_looked_at = match repeats {
            Repeats::Anywhere => true,
            Repeats::Every { first, each } => step >= first && (step - first) % each == 0,
        };
        views.truncate(interpreter.depth() + 1);
        if is_looked_at {
            let before = *seen.entry(interpreter.key()).or_insert(step);
            if before < step {
                return done(Ending::Again(before), taken);
            }
            let depth = interpreter.depth();
            views.resize(depth + 1, BTreeMap::new());
            if let Some(view) = interpreter.view(below) {
                let higher = views[..depth].iter().find_map(|it| it.get(&view));
                if let (Some(&before), true) = (higher, depth > 0) {
                    return done(Ending::Deeper(before), taken);
                }
                views[depth].entry(view).or_insert(step);
            }
        }
        interpreter.step(&mut || {
            let choice = choices()?;
            taken.push(choice);
            Some(choice)
        })?;
    }
    Ok(None)
}
