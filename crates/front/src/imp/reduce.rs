//! Partial-order reduction: of the steps that processes can take in a state, often one is enough.
//!
//! Where claims do not count steps (no X), the order of steps that have nothing to do with each
//! other makes no difference. In each state the reducer either takes all steps, or the step of one
//! process alone: an *ample set* with one member.
//!
//! # Which step may stand alone
//! The step of process P, if all of this is so:
//! * It moves (C0). A step that stays (`wait`, `lock`), one that leads to an error, and that of a
//!   process which has none never stand alone.
//! * Nothing that others can do before P moves has to do with it (C1): it writes no variable that
//!   another process may still read or write, and reads none that another may still write. What a
//!   process may still do is what stands on the ways from its control point on, with the processes
//!   that it begins; those that wait for P to end can do nothing before P does. Registers and
//!   program counters are private, but for the end of a process, which can only enable a step.
//! * It is invisible (C2), in whatever state it is taken: no claim speaks of the variable that it
//!   writes, and the control points that it leaves and goes to (for a `cobegin`, also those of its
//!   processes) are the same to all `at(l)` of the claims; if they speak of `deadlock`, it leads to
//!   statements that cannot wait. (The program as a whole moves only while no other process is
//!   there, so that the step which ends it is all that there is.)
//! * It does not close a cycle (C3): in the graph of the control points of P, every cycle has one
//!   whose step never stands alone. These are chosen before any state is looked at: points with
//!   shared variables where these are enough, and otherwise the heads of loops.
//!
//! # Why that is sound
//! On a cycle of states take a process that moves, but none of those that wait for it: its counter
//! is changed by its own steps only, so that it goes through a cycle of its control points, and in
//! some state of it all steps were taken. So no step is put off for ever. Ample sets have one
//! member or all (C4), and each step of a process is deterministic; with C0 to C3 the reduced
//! machine is stutter bisimilar to the program, with endless repetition kept apart: a process that
//! may wait for ever while others rest still can, in a state that comes a few invisible steps
//! later. So all of CTL* without X is preserved, LTL and CTL in particular. What is taken depends
//! on the state alone, not on the order of the search.
//!
//! An error stops the program, and so disables the step of P; but then it makes no difference
//! whether that step was taken before, because it is invisible.
//!
//! `deadlock` is a label that a step can bring about by what follows it, so it would make many
//! steps visible. Where claims only ask whether it is reached (`AG !deadlock`), it need not be
//! visible: a run to a deadlock must take the step that stands alone, and can as well take it
//! first.
//!
//! Not reduced: synchronous composition, where all processes move at once, and process fairness,
//! where every step is visible because states remember who moved last.
//!
//! # Source
//! Clarke, Grumberg, Peled: Model Checking, chapter 10 (C0 to C3). Gerth, Kuiper, Peled, Penczek: A
//! partial order approach to branching time logic model checking, Information and Computation
//! 150(2), 1999 (C4). Kurshan, Levin, Minea, Peled, Yenigün: Static partial order reduction, TACAS
//! 1998 (C3 by control points). Godefroid: Partial-order methods for the verification of concurrent
//! systems, LNCS 1032 (deadlocks).

use super::compile::{Act, Compiled, NOWHERE, Pc};
use super::expr::{Code, Op};
use super::prepared::Prepared;
use super::program::{Composition, ProcessId};
use super::step::{Step, Stepper};
use super::visible::Visible;
use crate::unexplored::Asked;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::Components;
use tern_model::{Id, Limit};

tern_model::indices! {
    /// A site of one process.
    SiteId = "s";
}

/// A set of variables.
pub(super) type Set = Vec<u64>;

pub(super) fn add(set: &mut Set, slot: usize) {
    set[slot / 64] |= 1 << (slot % 64);
}

fn meet(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The variables that something reads, and those that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Footprint {
    reads: Set,
    writes: Set,
}

impl Footprint {
    fn empty(words: usize) -> Self {
        Footprint { reads: vec![0; words], writes: vec![0; words] }
    }

    /// Adds another; says whether that changes anything.
    fn join(&mut self, other: &Footprint) -> bool {
        let pairs = self.reads.iter_mut().zip(&other.reads);
        let pairs = pairs.chain(self.writes.iter_mut().zip(&other.writes));
        pairs.fold(false, |changed, (own, other)| {
            let before = std::mem::replace(own, *own | other);
            changed || before != *own
        })
    }

    /// Whether the order of the two may make a difference.
    fn meets(&self, other: &Footprint) -> bool {
        meet(&self.writes, &other.reads)
            || meet(&self.writes, &other.writes)
            || meet(&self.reads, &other.writes)
    }
}

/// What is known of the steps of a process, by its sites.
#[derive(Debug)]
struct Steps {
    parent: Option<ProcessId>,
    counter: usize,
    end: Pc,
    /// Whether the step may stand alone, if nothing that others can do has to do with it.
    candidates: Vec<bool>,
    /// Whether no other process ever has to do with it.
    private: Vec<bool>,
    own: Vec<Footprint>,
    /// What the process may do from here on, with those that it begins.
    later: Vec<Footprint>,
}

/// Says which step may stand for all.
#[derive(Debug)]
pub(super) struct Reducer {
    processes: Table<ProcessId, Steps>,
}

/// How many words the sets of variables of all sites may take.
const MOST_WORDS: usize = 1 << 22;

impl Reducer {
    /// Looks at a program once; gives why it cannot be reduced, if it cannot.
    pub(super) fn new(
        prepared: &Prepared,
        asked: &Asked,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Self, String>, Limit> {
        let Prepared { program, compiled, .. } = prepared;
        let why = if program.mode.composition == Composition::Synchronous {
            "its processes run synchronously"
        } else if program.mode.fair {
            "process fairness makes every step visible"
        } else if program.processes.len() < 2 {
            "it has only one process"
        } else {
            ""
        };
        if !why.is_empty() {
            return Ok(Err(why.to_owned()));
        }
        let words = program.variables.len().div_ceil(64);
        let sites: usize = compiled.routines.iter().map(|(_, it)| it.sites.len()).sum();
        if sites.saturating_mul(words) > MOST_WORDS {
            return Ok(Err("it has too many variables and statements".to_owned()));
        }
        let visible = match Visible::of(prepared, asked, words) {
            Ok(visible) => visible,
            Err(why) => return Ok(Err(why)),
        };
        let mut processes = Table::new();
        for process in program.processes.ids() {
            let routine = &compiled.routines[process];
            let own: Vec<Footprint> =
                routine.sites.iter().map(|site| footprint(&site.act, words)).collect();
            let sites = 1..=routine.sites.len() as Pc;
            let candidates = sites.map(|pc| visible.is_blind(compiled, process, pc)).collect();
            let parent = program.processes[process].parent;
            let (counter, end) = (routine.counter, routine.end);
            let (private, later) = (vec![false; own.len()], own.clone());
            processes.push(Steps { parent, counter, end, candidates, private, own, later });
        }
        let mut reducer = Reducer { processes };
        reducer.look_ahead(compiled, words, meter)?;
        reducer.find_private(words, meter)?;
        for process in program.processes.ids() {
            reducer.break_cycles(compiled, process, meter)?;
        }
        Ok(Ok(reducer))
    }

    /// Fills in what processes may do from their sites on.
    fn look_ahead(
        &mut self,
        compiled: &Compiled,
        words: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let ids: Vec<ProcessId> = self.processes.ids().collect();
        // All that a process and those that it begins can do.
        let mut whole: Table<ProcessId, Footprint> =
            Table::filled(Footprint::empty(words), ids.len());
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &process in ids.iter().rev() {
                for (at, site) in compiled.routines[process].sites.iter().enumerate().rev() {
                    meter.tick()?;
                    let mut later = std::mem::take(&mut self.processes[process].later[at]);
                    if let Act::Fork { children } = &site.act {
                        for &child in children {
                            changed |= later.join(&whole[child]);
                        }
                    }
                    for next in nexts(&site.act, at as Pc + 1) {
                        let next = next as usize - 1;
                        if next != at {
                            changed |= later.join(&self.processes[process].later[next]);
                        }
                    }
                    changed |= whole[process].join(&later);
                    self.processes[process].later[at] = later;
                }
            }
        }
        Ok(())
    }

    /// Finds the steps that have to do with no other process, whatever that does.
    fn find_private(&mut self, words: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let all: Table<ProcessId, Footprint> = self
            .processes
            .iter()
            .map(|(_, steps)| {
                let mut all = Footprint::empty(words);
                for own in &steps.own {
                    all.join(own);
                }
                all
            })
            .collect();
        let ids: Vec<ProcessId> = self.processes.ids().collect();
        for &process in &ids {
            let mut others = Footprint::empty(words);
            for &other in &ids {
                meter.tick()?;
                if !self.is_above(other, process) && !self.is_above(process, other) {
                    others.join(&all[other]);
                }
            }
            let Steps { private, own, .. } = &mut self.processes[process];
            for (private, own) in private.iter_mut().zip(own) {
                *private = !own.meets(&others);
            }
        }
        Ok(())
    }

    /// Whether a process is another, or waits for it to end.
    fn is_above(&self, upper: ProcessId, process: ProcessId) -> bool {
        let mut at = Some(process);
        while let Some(process) = at {
            if process == upper {
                return true;
            }
            at = self.processes[process].parent;
        }
        false
    }

    /// Takes candidates out until every cycle of sites has one that is none: those with shared
    /// variables first, then where ways lead back to.
    fn break_cycles(
        &mut self,
        compiled: &Compiled,
        process: ProcessId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let sites = &compiled.routines[process].sites;
        let Steps { candidates, private, .. } = &mut self.processes[process];
        for round in 0..2 {
            let components = cycles(sites.len(), candidates, |at| &sites[at].act, meter)?;
            let in_cycle = |a: usize, b: usize| {
                candidates[a]
                    && candidates[b]
                    && components.of(SiteId::new(a)) == components.of(SiteId::new(b))
            };
            let mut out = Vec::new();
            for (at, site) in sites.iter().enumerate() {
                meter.tick()?;
                for next in nexts(&site.act, at as Pc + 1) {
                    let next = next as usize - 1;
                    if !in_cycle(at, next) {
                        continue;
                    }
                    // Both are on a cycle, because the edge is.
                    if round == 0 {
                        out.extend([at, next].into_iter().filter(|&it| !private[it]));
                    } else if next <= at {
                        out.push(next);
                    }
                }
            }
            for at in out {
                candidates[at] = false;
            }
        }
        debug_assert!(self.check_no_cycle(compiled, process), "{process:?}");
        Ok(())
    }

    /// Whether no cycle is left in which every step may stand alone.
    fn check_no_cycle(&self, compiled: &Compiled, process: ProcessId) -> bool {
        let sites = &compiled.routines[process].sites;
        let Steps { candidates, .. } = &self.processes[process];
        let budget = tern_model::Budget::unlimited();
        let act = |at: usize| &sites[at].act;
        let components = cycles(sites.len(), candidates, act, &mut Meter::new(&budget));
        components.is_ok_and(|components| {
            (0..sites.len()).all(|at| {
                let edges = nexts(act(at), at as Pc + 1).map(|next| next as usize - 1);
                let mut inner = edges.filter(|&next| candidates[at] && candidates[next]);
                inner.all(|next| components.of(SiteId::new(at)) != components.of(SiteId::new(next)))
            })
        })
    }

    /// The first process whose step may stand alone where the slots have these values.
    pub(super) fn pick(
        &self,
        compiled: &Compiled,
        stepper: &mut Stepper,
        values: &[i64],
    ) -> Option<ProcessId> {
        let alone = |&(process, steps): &(ProcessId, &Steps)| {
            let pc = values[steps.counter];
            pc != NOWHERE
                && steps.candidates[pc as usize - 1]
                && self.is_independent(process, pc as usize - 1, values)
                && stepper.step(compiled, process, values) == Step::Move
        };
        self.processes.iter().find(alone).map(|(process, _)| process)
    }

    /// Whether the step at a site has nothing to do with what others can do before it.
    fn is_independent(&self, process: ProcessId, at: usize, values: &[i64]) -> bool {
        let own = &self.processes[process];
        own.private[at]
            || self.processes.iter().all(|(other, steps)| {
                let pc = values[steps.counter];
                pc == NOWHERE
                    || pc == steps.end
                    || !own.own[at].meets(&steps.later[pc as usize - 1])
                    || self.is_above(other, process)
            })
    }
}

/// The strongly connected components of the candidates among sites.
fn cycles<'a>(
    count: usize,
    candidates: &[bool],
    act: impl Fn(usize) -> &'a Act,
    meter: &mut Meter<'_>,
) -> Result<Components<SiteId>, Limit> {
    let successors = |site: SiteId| {
        let at = site.index();
        let nexts = nexts(act(at), at as Pc + 1).map(|next| next as usize - 1);
        let kept = nexts.filter(move |&next| candidates[at] && candidates[next]);
        kept.map(SiteId::new)
    };
    Components::new(count, successors, meter)
}

/// Where a step may lead.
pub(super) fn nexts(act: &Act, pc: Pc) -> impl Iterator<Item = Pc> + use<> {
    let (first, second) = match *act {
        Act::Test { yes, no, .. } => (Some(yes), Some(no)),
        Act::Set { next, .. }
        | Act::Go { next }
        | Act::Wait { next, .. }
        | Act::Lock { next, .. }
        | Act::Unlock { next, .. }
        | Act::Join { next, .. }
        | Act::Call { next, .. } => (Some(next), None),
        Act::Fork { .. } => (Some(pc + 1), None),
        Act::End => (None, None),
    };
    first.into_iter().chain(second)
}

/// The variables that a step reads and writes.
fn footprint(act: &Act, words: usize) -> Footprint {
    let mut footprint = Footprint::empty(words);
    let variables = words * 64;
    let Footprint { reads, writes } = &mut footprint;
    // Slots behind the variables are private. (Those in the last word are none of another process.)
    let mut read = |code: &Code| {
        for op in &code.0 {
            if let Op::Slot(slot) = *op
                && (slot as usize) < variables
            {
                add(reads, slot as usize);
            }
        }
    };
    match act {
        Act::Set { slot, code, .. } => {
            read(code);
            if *slot < variables {
                add(writes, *slot);
            }
        }
        Act::Test { code, .. } | Act::Wait { code, .. } => read(code),
        Act::Lock { slot, .. } => {
            add(reads, *slot);
            add(writes, *slot);
        }
        Act::Unlock { slot, .. } => add(writes, *slot),
        Act::Call { .. } | Act::Go { .. } | Act::Fork { .. } | Act::Join { .. } | Act::End => {}
    }
    footprint
}
