//! Programs with procedures as recursive machines: a component for the program, and one for each
//! procedure that is called.
//!
//! A node is a control point with values of the global variables and of the locals of its
//! procedure. A call is one step, to a node of the callee where its parameters have their values; a
//! box is a call site with the values of the caller's locals, which come back when the call
//! returns. An exit is a valuation of the global variables: what a callee hands back. So return
//! sites know all that follows, and the machine is exact.
//!
//! What is reached is found with *path edges*: (entry, node) of one component, where the node is
//! reached from the entry in the same call. A call is followed into the callee; when the callee has
//! returned from that entry by an exit, all callers of the entry go on. So no node is made that
//! cannot be reached.

use super::compile::{Compiled, Pc};
use super::dress::{DEADLOCK, Dress, TERMINATED};
use super::explore::check_names;
use super::layout::{Layout, States};
use super::prepared::Prepared;
use super::program::{ProcId, ProcessId, Program, VarId};
use super::step::{Step, Stepper};
use crate::problem::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::{BoxId, Builder, CompId, Edge, ExitId, Id, NodeId, Place};

/// The states of one component.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) home: Option<ProcId>,
    process: ProcessId,
    pub(super) layout: Layout,
    pub(super) states: States,
    /// The node of each state.
    pub(super) nodes: Vec<NodeId>,
    /// Whether the edges of each node are made.
    done: Vec<bool>,
    component: CompId,
    shown: Arc<[VarId]>,
    /// Call sites with the values of the locals, and their boxes.
    call_layout: Layout,
    calls: States,
    boxes: Vec<BoxId>,
    /// The exits, by the numbers of valuations of the globals.
    exits: FxHashMap<usize, ExitId>,
}

/// A state of a component, reached from an entry in the same call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathEdge {
    frames: usize,
    entry: usize,
    state: usize,
}

/// Who waits for a callee to return: the frame of the caller, by its entry, and the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Caller {
    frames: usize,
    entry: usize,
    /// The number among the calls of the caller.
    call: usize,
    next: Pc,
}

struct Lowering<'a, 'd> {
    program: &'a Program,
    compiled: &'a Compiled,
    dress: &'d mut Dress,
    builder: Builder,
    frames: Vec<Frames>,
    by_procedure: FxHashMap<ProcId, usize>,
    /// Valuations of the global variables, at exits.
    global_layout: Layout,
    globals: States,
    seen: FxHashSet<PathEdge>,
    todo: Vec<PathEdge>,
    /// For each entry of a component, who called it, and how it returned.
    callers: FxHashMap<(usize, usize), Vec<Caller>>,
    known_callers: FxHashSet<(usize, usize, Caller)>,
    returns: FxHashMap<(usize, usize), Vec<usize>>,
    sites: FxHashSet<(BoxId, ExitId)>,
    stepper: Stepper,
    /// The name that is being made.
    name: String,
    name_bytes: u64,
}

/// Makes the machine of a program with procedures.
pub(super) fn lower(
    prepared: &Prepared,
    dress: &mut Dress,
    meter: &mut Meter<'_>,
) -> Result<(Builder, Vec<Frames>), Refusal> {
    let Prepared { program, compiled, .. } = prepared;
    let is_global = |slot: usize| {
        slot < program.variables.len() && program.variables[VarId::new(slot)].home.is_none()
    };
    let global_slots = compiled.slots.iter().enumerate();
    let global_slots = global_slots.map(|(slot, range)| is_global(slot).then_some(*range));
    let global_layout = Layout::new(global_slots);
    let mut lowering = Lowering {
        program,
        compiled,
        dress,
        builder: Builder::new(),
        frames: Vec::new(),
        by_procedure: FxHashMap::default(),
        globals: States::new(global_layout.words()),
        global_layout,
        seen: FxHashSet::default(),
        todo: Vec::new(),
        callers: FxHashMap::default(),
        known_callers: FxHashSet::default(),
        returns: FxHashMap::default(),
        sites: FxHashSet::default(),
        stepper: Stepper::default(),
        name: String::new(),
        name_bytes: 0,
    };
    lowering.run(meter)?;
    lowering.builder.names_are_unique();
    Ok((lowering.builder, lowering.frames))
}

impl Lowering<'_, '_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        let main = self.component("main", self.program.main(), None);
        let globals: Vec<VarId> = self.program.globals().map(|(id, _)| id).collect();
        let values: Vec<i64> = self.compiled.slots.iter().map(|range| range.low).collect();
        let starts = self.begin(main, values, &globals, meter)?;
        for state in starts {
            let node = self.frames[main].nodes[state];
            self.builder.initial(node);
        }
        while let Some(edge) = self.todo.pop() {
            meter.tick()?;
            self.follow(edge, meter)?;
        }
        Ok(())
    }

    /// Makes a component for the program or a procedure.
    fn component(&mut self, name: &str, process: ProcessId, home: Option<ProcId>) -> usize {
        let Compiled { slots, routines, fault, .. } = self.compiled;
        let routine = &routines[process];
        let is_local = |slot: usize| {
            slot < self.program.variables.len()
                && self.program.variables[VarId::new(slot)].home == home
                && home.is_some()
        };
        let is_kept = |slot: usize| {
            is_local(slot)
                || slot < self.program.variables.len()
                    && self.program.variables[VarId::new(slot)].home.is_none()
                || slot == routine.counter
                || routine.registers.contains(&slot)
                || slot == *fault
        };
        let layout_of = |keeps: &dyn Fn(usize) -> bool| {
            Layout::new(slots.iter().enumerate().map(|(slot, it)| keeps(slot).then_some(*it)))
        };
        let layout = layout_of(&is_kept);
        let call_layout = layout_of(&|slot| is_local(slot) || slot == routine.counter);
        self.frames.push(Frames {
            home,
            process,
            states: States::new(layout.words()),
            calls: States::new(call_layout.words()),
            call_layout,
            layout,
            nodes: Vec::new(),
            done: Vec::new(),
            component: self.builder.component(name),
            shown: self.dress.shown(home),
            boxes: Vec::new(),
            exits: FxHashMap::default(),
        });
        self.frames.len() - 1
    }

    /// The states in which a component begins, given the values of all slots: one for each choice
    /// of values for these variables, unless they have an initial one.
    fn begin(
        &mut self,
        frames: usize,
        mut values: Vec<i64>,
        variables: &[VarId],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<usize>, Refusal> {
        let routine = &self.compiled.routines[self.frames[frames].process];
        values[routine.counter] = routine.start;
        let mut open = Vec::new();
        for &variable in variables {
            let declared = &self.program.variables[variable];
            values[variable.index()] = declared.initial.unwrap_or(declared.range.low);
            if declared.initial.is_none() {
                open.push(variable);
            }
        }
        let mut starts = Vec::new();
        loop {
            meter.tick()?;
            let state = self.state(frames, &values)?;
            self.reach(PathEdge { frames, entry: state, state });
            starts.push(state);
            let raised = open.iter().rposition(|&variable| {
                let range = self.program.variables[variable].range;
                let value = &mut values[variable.index()];
                let more = *value < range.high;
                *value = if more { *value + 1 } else { range.low };
                more
            });
            if raised.is_none() {
                return Ok(starts);
            }
        }
    }

    /// The number of a state, with its node.
    fn state(&mut self, frames: usize, values: &[i64]) -> Result<usize, Refusal> {
        let Frames { process, layout, states, nodes, done, component, shown, .. } =
            &mut self.frames[frames];
        let mut packed = vec![0; layout.words()];
        for (slot, &value) in values.iter().enumerate() {
            layout.set(&mut packed, slot, value);
        }
        let (state, is_new) = states.add(&packed);
        if is_new {
            let name = self.dress.name(&[*process], shown, values, &mut self.name);
            self.name_bytes += name.len() as u64;
            check_names(self.name_bytes)?;
            let node = self.builder.node(*component, name);
            nodes.push(node);
            done.push(false);
            self.dress.label(&mut self.builder, node, &[*process], shown, values);
        }
        Ok(state)
    }

    fn reach(&mut self, edge: PathEdge) {
        if self.seen.insert(edge) {
            self.todo.push(edge);
        }
    }

    /// Takes the step of a state, which its process has one of.
    fn follow(&mut self, edge: PathEdge, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        let PathEdge { frames, entry, state } = edge;
        let Frames { process, layout, states, nodes, .. } = &self.frames[frames];
        let (process, node) = (*process, nodes[state]);
        let mut values = Vec::new();
        layout.unpack(states.of(state), &mut values);
        // What is said of a node is said once, whatever the entries are that it is reached from.
        let first = !std::mem::replace(&mut self.frames[frames].done[state], true);
        if values[self.compiled.fault] != 0 {
            self.stay(node, first, None);
            return Ok(());
        }
        match self.stepper.step(self.compiled, process, &values) {
            Step::Stay => self.stay(node, first, Some(DEADLOCK)),
            Step::None if self.frames[frames].home.is_none() => {
                self.stay(node, first, Some(TERMINATED));
            }
            Step::None => self.leave(edge, (node, first), &values, meter)?,
            Step::Call { callee, next } => {
                self.enter(frames, entry, (callee, next), (node, first), &values, meter)?;
            }
            moved @ (Step::Move | Step::Fault(_)) => {
                match moved {
                    Step::Fault(point) => values[self.compiled.fault] = point.index() as i64 + 1,
                    _ => {
                        for &(slot, value) in &self.stepper.changes {
                            values[slot] = value;
                        }
                    }
                }
                let to = self.state(frames, &values)?;
                let target = self.frames[frames].nodes[to];
                if first {
                    self.builder.edge(Place::Node(node), Edge::Step(target));
                }
                self.reach(PathEdge { frames, entry, state: to });
            }
        }
        Ok(())
    }
}

/// Calls and returns.
impl Lowering<'_, '_> {
    /// A node that is never left.
    fn stay(&mut self, node: NodeId, first: bool, label: Option<&str>) {
        if first {
            self.builder.edge(Place::Node(node), Edge::Step(node));
            if let Some(label) = label {
                self.builder.label(node, label);
            }
        }
    }

    /// The number of a call site with the values of its locals, with its box.
    fn call(&mut self, frames: usize, callee: usize, values: &[i64]) -> usize {
        let callee = self.frames[callee].component;
        let Frames { process, call_layout, calls, boxes, component, home, shown, .. } =
            &mut self.frames[frames];
        let mut packed = vec![0; call_layout.words()];
        for (slot, &value) in values.iter().enumerate() {
            call_layout.set(&mut packed, slot, value);
        }
        let (call, is_new) = calls.add(&packed);
        if is_new {
            let is_local =
                |it: &&VarId| home.is_some() && self.program.variables[**it].home == *home;
            let locals: Vec<VarId> = shown.iter().filter(is_local).copied().collect();
            // The name of the state without its globals.
            let name = self.dress.name(&[*process], &locals, values, &mut self.name);
            boxes.push(self.builder.call_box(*component, name, callee));
        }
        call
    }

    /// Goes into a callee, and on behind it as far as it is known to return.
    fn enter(
        &mut self,
        frames: usize,
        entry: usize,
        step: (ProcId, Pc),
        at: (NodeId, bool),
        values: &[i64],
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        let ((procedure, next), (node, first)) = (step, at);
        let callee = self.callee(procedure);
        let call = self.call(frames, callee, values);
        let caller = Caller { frames, entry, call, next };
        let call_box = self.frames[frames].boxes[call];
        let mut inside: Vec<i64> = values.to_vec();
        for &(slot, value) in &self.stepper.changes {
            inside[slot] = value;
        }
        let parameters = &self.program.procedures[procedure].parameters;
        let locals = self.program.locals(procedure).map(|(id, _)| id);
        let locals: Vec<VarId> = locals.filter(|id| !parameters.contains(id)).collect();
        for start in self.begin(callee, inside, &locals, meter)? {
            let target = self.frames[callee].nodes[start];
            if first {
                self.builder.entry(target);
                self.builder.edge(Place::Node(node), Edge::Call(call_box, target));
            }
            if self.known_callers.insert((callee, start, caller)) {
                self.callers.entry((callee, start)).or_default().push(caller);
                let known = self.returns.get(&(callee, start)).cloned().unwrap_or_default();
                for globals in known {
                    meter.tick()?;
                    self.come_back(caller, callee, globals)?;
                }
            }
        }
        Ok(())
    }

    /// The component of a procedure.
    fn callee(&mut self, procedure: ProcId) -> usize {
        if let Some(&known) = self.by_procedure.get(&procedure) {
            return known;
        }
        let declared = &self.program.procedures[procedure];
        let body = declared.body.unwrap_or(self.program.main());
        let made = self.component(&declared.name, body, Some(procedure));
        self.by_procedure.insert(procedure, made);
        made
    }

    /// Leaves a callee: all who called it at this entry go on.
    fn leave(
        &mut self,
        edge: PathEdge,
        at: (NodeId, bool),
        values: &[i64],
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        let PathEdge { frames, entry, .. } = edge;
        let mut packed = vec![0; self.global_layout.words()];
        for (slot, &value) in values.iter().enumerate() {
            self.global_layout.set(&mut packed, slot, value);
        }
        let (globals, _) = self.globals.add(&packed);
        let exit = match self.frames[frames].exits.get(&globals) {
            Some(&exit) => exit,
            None => {
                let shown = self.dress.shown(None);
                let name = match self.dress.name(&[], &shown, values, &mut self.name) {
                    "" => "return",
                    name => name,
                };
                let exit = self.builder.exit(self.frames[frames].component, name);
                self.frames[frames].exits.insert(globals, exit);
                exit
            }
        };
        if at.1 {
            self.builder.edge(Place::Node(at.0), Edge::Return(exit));
        }
        let returns = self.returns.entry((frames, entry)).or_default();
        if returns.contains(&globals) {
            return Ok(());
        }
        returns.push(globals);
        let waiting = self.callers.get(&(frames, entry)).cloned().unwrap_or_default();
        for caller in waiting {
            meter.tick()?;
            self.come_back(caller, frames, globals)?;
        }
        Ok(())
    }

    /// Goes on behind a call: the caller has its locals back, and the globals of the callee.
    fn come_back(&mut self, caller: Caller, callee: usize, globals: usize) -> Result<(), Refusal> {
        let Caller { frames, entry, call, next } = caller;
        let exit = self.frames[callee].exits[&globals];
        let Frames { process, call_layout, calls, boxes, .. } = &self.frames[frames];
        let call_box = boxes[call];
        let routine = &self.compiled.routines[*process];
        let mut values = Vec::new();
        call_layout.unpack(calls.of(call), &mut values);
        for (id, _) in self.program.globals() {
            values[id.index()] = self.global_layout.get(self.globals.of(globals), id.index());
        }
        for slot in routine.registers.clone() {
            values[slot] = self.compiled.slots[slot].low;
        }
        values[routine.counter] = next;
        let state = self.state(frames, &values)?;
        if self.sites.insert((call_box, exit)) {
            let target = self.frames[frames].nodes[state];
            self.builder.edge(Place::Site(call_box, exit), Edge::Step(target));
        }
        self.reach(PathEdge { frames, entry, state });
        Ok(())
    }
}
