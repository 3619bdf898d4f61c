//! Programs without procedures as machines: the states that can be reached, breadth first.
//!
//! There is one component, and a node for each state. Asynchronously, one process takes a step at a
//! time. Synchronously, all processes that can take a step do so at once; if two give a variable
//! different values there is no such step, and the state stays. A state also stays in the end, and
//! where a value was out of range.

use super::compile::{Compiled, Pc};
use super::dress::{CONFLICT, DEADLOCK, Dress, TERMINATED};
use super::layout::{Layout, States};
use super::program::{Composition, ProcessId, Program, VarId};
use super::step::{Step, Stepper};
use crate::problem::{Problem, Refusal};
use tern_model::budget::Meter;
use tern_model::{Builder, Edge, Id, Limit, NodeId, Place};

/// The states of a program, by the numbers of the nodes.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) layout: Layout,
    pub(super) states: States,
}

/// What the steps of all processes lead to.
#[derive(Default)]
struct Successors {
    /// The numbers of the states, each once.
    to: Vec<usize>,
    /// Whether some process moves.
    moves: bool,
    /// Whether processes contradict each other.
    conflict: bool,
}

struct Explorer<'a> {
    compiled: &'a Compiled,
    composition: Composition,
    processes: Vec<ProcessId>,
    main: ProcessId,
    explored: Explored,
    stepper: Stepper,
    values: Vec<i64>,
    /// The state that is being made.
    next: Vec<u64>,
    /// What all processes change at once.
    together: Vec<(usize, i64)>,
    found: Successors,
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

/// Makes the machine of a program.
pub(super) fn explore(
    program: &Program,
    compiled: &Compiled,
    dress: &mut Dress<'_>,
    meter: &mut Meter<'_>,
) -> Result<(Builder, Explored), Refusal> {
    let layout = Layout::new(compiled.slots.iter().copied().map(Some));
    let states = States::new(layout.words());
    let mut explorer = Explorer {
        compiled,
        composition: program.mode.composition,
        processes: program.processes.ids().collect(),
        main: program.main(),
        next: vec![0; layout.words()],
        explored: Explored { layout, states },
        stepper: Stepper::default(),
        values: Vec::new(),
        together: Vec::new(),
        found: Successors::default(),
    };
    let mut builder = Builder::new();
    let component = builder.component("main");
    explorer.begin(program, meter)?;
    let initial = explorer.explored.states.len();
    let shown = dress.shown(None);
    let processes = explorer.processes.clone();
    let mut name_bytes = 0;
    let mut at = 0;
    while at < explorer.explored.states.len() {
        meter.tick()?;
        explorer.successors(at, meter)?;
        let values = &explorer.values;
        let name = dress.name(&processes, &shown, values);
        name_bytes += name.len() as u64;
        check_names(name_bytes)?;
        let node = builder.node(component, name);
        dress.label(&mut builder, node, &processes, &shown, values);
        for &to in &explorer.found.to {
            builder.edge(Place::Node(node), Edge::Step(NodeId::new(to)));
        }
        let main = &compiled.routines[explorer.main];
        let faulty = dress.fault(values).is_some();
        if faulty {
            // It is labelled already.
        } else if values[main.counter] == main.end {
            builder.label(node, TERMINATED);
        } else if explorer.found.conflict {
            builder.label(node, CONFLICT);
        } else if !explorer.found.moves {
            builder.label(node, DEADLOCK);
        }
        if at < initial {
            builder.initial(node);
        }
        at += 1;
    }
    builder.names_are_unique();
    Ok((builder, explorer.explored))
}

impl Explorer<'_> {
    /// Finds the initial states: one for each choice of values for variables without one.
    fn begin(&mut self, program: &Program, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Explored { layout, states } = &mut self.explored;
        let mut state = vec![0; layout.words()];
        let main = &self.compiled.routines[self.main];
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
        if let Some(mover) = self.compiled.mover {
            layout.set(&mut state, mover, self.main.index() as Pc);
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
    fn successors(&mut self, at: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Explored { layout, states } = &self.explored;
        layout.unpack(states.of(at), &mut self.values);
        self.found.to.clear();
        (self.found.moves, self.found.conflict) = (false, false);
        if self.values[self.compiled.fault] == 0 {
            match self.composition {
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
        for i in 0..self.processes.len() {
            meter.tick()?;
            let process = self.processes[i];
            let step = self.stepper.step(self.compiled, process, &self.values);
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
                    layout.set(&mut self.next, self.compiled.fault, point.index() as i64 + 1);
                }
            }
            if let Some(mover) = self.compiled.mover {
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
        let mut fault = None;
        for i in 0..self.processes.len() {
            meter.tick()?;
            match self.stepper.step(self.compiled, self.processes[i], &self.values) {
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
                layout.set(&mut self.next, self.compiled.fault, point.index() as i64 + 1);
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
