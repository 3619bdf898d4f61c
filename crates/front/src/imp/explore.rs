//! Programs without procedures as machines: the states that can be reached, breadth first.
//!
//! There is one component, and a node for each state. Asynchronously, one process takes a step at a
//! time. Synchronously, all processes that can take a step do so at once; if two give a variable
//! different values there is no such step, and the state stays. A state also stays in the end, and
//! where a value was out of range.

use super::compile::Pc;
use super::dress::Dress;
use super::layout::{Layout, States};
use super::meaning::Special;
use super::prepared::Prepared;
use super::program::{Composition, ProcessId, VarId};
use super::reduce::Reducer;
use super::step::{Step, Stepper};
use crate::problem::{Problem, Refusal};
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::{Builder, Edge, Id, Limit, NodeId, Place};

/// The states of a program, by the numbers of the nodes.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) layout: Layout,
    pub(super) states: States,
}

/// What the steps of all processes lead to.
#[derive(Debug, Default)]
pub(super) struct Successors {
    /// The numbers of the states, each once.
    pub(super) to: Vec<usize>,
    /// Whether some process moves.
    moves: bool,
    /// Whether processes contradict each other.
    conflict: bool,
}

/// Finds states from states.
#[derive(Debug)]
pub(super) struct Explorer {
    prepared: Arc<Prepared>,
    /// Says which steps are enough; all are taken if there is none.
    reducer: Option<Reducer>,
    /// All processes, by their ids.
    pub(super) processes: Vec<ProcessId>,
    pub(super) explored: Explored,
    stepper: Stepper,
    /// The values of the slots in the state that was looked at last.
    pub(super) values: Vec<i64>,
    /// The state that is being made.
    next: Vec<u64>,
    /// What all processes change at once.
    together: Vec<(usize, i64)>,
    /// Where the state leads that was looked at last.
    pub(super) found: Successors,
}

/// How many bytes the names of all nodes may take: they are counted in 32 bits.
const MOST_NAME_BYTES: u64 = u32::MAX as u64 - (1 << 20);

/// Refuses a program whose states cannot all be named.
pub(super) fn check_names(bytes: u64) -> Result<(), Refusal> {
    if bytes <= MOST_NAME_BYTES {
        return Ok(());
    }
    let problem = Problem::error("G030", "the program has more states than can be kept")
        .hint("give the variables smaller ranges, or set a limit with --timeout");
    Err(problem.into())
}

/// Makes the machine of a program, unless it has more states than there may be.
pub(super) fn explore(
    mut explorer: Explorer,
    most: usize,
    dress: &mut Dress,
    meter: &mut Meter<'_>,
) -> Result<Option<(Builder, Explored)>, Refusal> {
    let mut builder = Builder::new();
    let component = builder.component("main");
    explorer.begin(meter)?;
    let initial = explorer.explored.states.len();
    let shown = dress.shown(None);
    let mut name = String::new();
    let mut name_bytes = 0;
    let mut at = 0;
    while at < explorer.explored.states.len() {
        meter.tick()?;
        explorer.successors(at, meter)?;
        if explorer.explored.states.len() > most {
            return Ok(None);
        }
        let (values, processes) = (&explorer.values, &explorer.processes);
        let name = dress.name(processes, &shown, values, &mut name);
        name_bytes += name.len() as u64;
        check_names(name_bytes)?;
        let node = builder.node(component, name);
        dress.label(&mut builder, node, processes, &shown, values);
        for &to in &explorer.found.to {
            builder.edge(Place::Node(node), Edge::Step(NodeId::new(to)));
        }
        // An error is labelled with the values.
        let special = Some(explorer.special()).filter(|it| *it != Special::Error);
        if let Some(label) = special.and_then(Special::label) {
            builder.label(node, label);
        }
        if at < initial {
            builder.initial(node);
        }
        at += 1;
    }
    builder.names_are_unique();
    Ok(Some((builder, explorer.explored)))
}

impl Explorer {
    /// Nothing is found yet.
    pub(super) fn new(prepared: Arc<Prepared>, reducer: Option<Reducer>) -> Self {
        let layout = Layout::new(prepared.compiled.slots.iter().copied().map(Some));
        Explorer {
            reducer,
            processes: prepared.program.processes.ids().collect(),
            next: vec![0; layout.words()],
            explored: Explored { states: States::new(layout.words()), layout },
            stepper: Stepper::default(),
            values: Vec::new(),
            together: Vec::new(),
            found: Successors::default(),
            prepared,
        }
    }

    /// What is special about the state that was looked at last.
    pub(super) fn special(&self) -> Special {
        let compiled = &self.prepared.compiled;
        let main = &compiled.routines[compiled.main];
        if self.values[compiled.fault] != 0 {
            Special::Error
        } else if self.values[main.counter] == main.end {
            Special::Terminated
        } else if self.found.conflict {
            Special::Conflict
        } else if !self.found.moves {
            Special::Deadlock
        } else {
            Special::Nothing
        }
    }

    /// Finds the initial states: one for each choice of values for variables without one.
    pub(super) fn begin(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Prepared { program, compiled, .. } = &*self.prepared;
        let Explored { layout, states } = &mut self.explored;
        let mut state = vec![0; layout.words()];
        let main = &compiled.routines[compiled.main];
        layout.set(&mut state, main.counter, main.start);
        // Their counters are 0 already: processes that are not there.
        let mut open: Vec<VarId> = Vec::new();
        for (id, variable) in program.globals() {
            let value = variable.initial.unwrap_or(variable.range.low);
            layout.set(&mut state, id.index(), value);
            if variable.initial.is_none() {
                open.push(id);
            }
        }
        if let Some(mover) = compiled.mover {
            layout.set(&mut state, mover, compiled.main.index() as Pc);
        }
        loop {
            meter.tick()?;
            states.add(&state);
            // Counts on, the last variable first.
            let raised = open.iter().rposition(|&variable| {
                let range = program.variables[variable].range;
                let value = layout.get(&state, variable.index());
                let more = value < range.high;
                layout.set(&mut state, variable.index(), if more { value + 1 } else { range.low });
                more
            });
            if raised.is_none() {
                return Ok(());
            }
        }
    }

    /// Finds where a state leads, and the values of its slots.
    pub(super) fn successors(&mut self, at: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Explored { layout, states } = &self.explored;
        layout.unpack(states.of(at), &mut self.values);
        self.found.to.clear();
        (self.found.moves, self.found.conflict) = (false, false);
        if self.values[self.prepared.compiled.fault] == 0 {
            match self.prepared.program.mode.composition {
                Composition::Asynchronous => self.one_at_a_time(at, meter)?,
                Composition::Synchronous => self.all_at_once(at, meter)?,
            }
        }
        if self.found.to.is_empty() {
            self.found.to.push(at);
        }
        Ok(())
    }

    fn one_at_a_time(&mut self, at: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let compiled = &self.prepared.compiled;
        let alone = self.reducer.as_ref();
        let alone = alone.and_then(|it| it.pick(compiled, &mut self.stepper, &self.values));
        let movers = match &alone {
            Some(process) => std::slice::from_ref(process),
            None => &self.processes,
        };
        for &process in movers {
            meter.tick()?;
            let step = self.stepper.step(compiled, process, &self.values);
            let Explored { layout, states } = &mut self.explored;
            self.next.copy_from_slice(states.of(at));
            match step {
                Step::None | Step::Call { .. } => continue,
                Step::Stay => {}
                Step::Move => {
                    self.found.moves = true;
                    for &(slot, value) in &self.stepper.changes {
                        layout.set(&mut self.next, slot, value);
                    }
                }
                Step::Fault(point) => {
                    self.found.moves = true;
                    layout.set(&mut self.next, compiled.fault, point.index() as i64 + 1);
                }
            }
            if let Some(mover) = compiled.mover {
                layout.set(&mut self.next, mover, process.index() as i64);
            }
            let (to, _) = states.add(&self.next);
            if !self.found.to.contains(&to) {
                self.found.to.push(to);
            }
        }
        Ok(())
    }

    fn all_at_once(&mut self, at: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.together.clear();
        let compiled = &self.prepared.compiled;
        let mut fault = None;
        for &process in &self.processes {
            meter.tick()?;
            match self.stepper.step(compiled, process, &self.values) {
                Step::None | Step::Stay | Step::Call { .. } => {}
                Step::Move => {
                    self.found.moves = true;
                    self.together.extend_from_slice(&self.stepper.changes);
                }
                Step::Fault(point) => {
                    self.found.moves = true;
                    fault = fault.or(Some(point));
                }
            }
        }
        if !self.found.moves {
            return Ok(());
        }
        let Explored { layout, states } = &mut self.explored;
        self.next.copy_from_slice(states.of(at));
        match fault {
            Some(point) => {
                layout.set(&mut self.next, compiled.fault, point.index() as i64 + 1);
            }
            None => {
                self.together.sort_unstable();
                self.together.dedup();
                let contradict = |pair: &[(usize, i64)]| pair[0].0 == pair[1].0;
                if self.together.windows(2).any(contradict) {
                    self.found.conflict = true;
                    return Ok(());
                }
                for &(slot, value) in &self.together {
                    layout.set(&mut self.next, slot, value);
                }
            }
        }
        let (to, _) = states.add(&self.next);
        self.found.to.push(to);
        Ok(())
    }
}
