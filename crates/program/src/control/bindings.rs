//! Parameters that stand for variables of callers.
//!
//! A claim about `read(M:x)` is also about what `M` calls: where `M` calls `f(x)` and `f` reads its
//! parameter `p`, the variable `x` is read. So `p` is renamed to `x` for as long as that call
//! lasts, and on to the parameters of what `f` calls with `p`.
//!
//! # How
//! A *binding* says which events the reads of each parameter are besides its own. A procedure has a
//! component for each binding with which it is called, made when the first such call is: so a
//! callee is looked at once for each set of parameters that are bound, and not once a call. Calls
//! that bind nothing go to the component that is there anyway.
//!
//! # What is bound
//! Java passes values. A parameter that its procedure never writes has the value of the argument
//! all the time; only such a parameter is bound. To be written is not passed on: the callee writes
//! a variable of its own. A parameter that the procedure does not read makes no difference, nor do
//! events that its reads are anyway (`f` calls `f(p)`): these are left out of the binding. Calls
//! by reflection and by code that cannot be followed bind nothing.
//!
//! # Why it ends
//! There are finitely many sets of events. With many variables there may be too many all the same:
//! beyond [`MOST_COPIES`] nothing is renamed, and that is said.
//!
//! # Source
//! Labels with parameters, as they are proposed for recursive Kripke structures; there the formula
//! is renamed at a call, here the callee.

use super::labels::{EventNo, Labels};
use rustc_hash::FxHashMap;
use tern_ir::{Body, Operand, ProcId, Program, VarId};
use tern_model::index::{Id, Numbering};

tern_model::indices! {
    /// What parameters stand for.
    pub(super) BindingId = "B";
}

/// How many components are made for bindings before nothing is renamed.
pub(super) const MOST_COPIES: usize = 20_000;

/// Parameters by position, in order, each with events that its reads are; none without.
pub(super) type Binding = Vec<(u32, Vec<EventNo>)>;

/// The bindings that calls have.
#[derive(Debug)]
pub(super) struct Bindings {
    known: Numbering<BindingId, Binding>,
    /// Which parameters of a procedure are read and never written.
    steady: FxHashMap<ProcId, Vec<bool>>,
    /// Whether nothing can be bound.
    is_idle: bool,
}

impl Bindings {
    /// The binding of no parameter.
    pub(super) const NONE: usize = 0;

    /// Prepares bindings for some events. If `is_off`, nothing is bound.
    pub(super) fn new(labels: &Labels, is_off: bool) -> Self {
        let mut known = Numbering::default();
        known.id(Vec::new());
        let is_idle = is_off || !labels.reads_locals();
        Bindings { known, steady: FxHashMap::default(), is_idle }
    }

    /// The binding of no parameter.
    pub(super) fn none() -> BindingId {
        BindingId::new(Self::NONE)
    }

    /// Whether no argument is followed.
    pub(super) fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// What a binding says.
    pub(super) fn of(&self, id: BindingId) -> &Binding {
        &self.known[id]
    }

    /// The events that the arguments of a call are read by, by position. `value` says which
    /// variable a temporary has the value of.
    pub(super) fn arguments(
        &self,
        labels: &Labels,
        caller: (ProcId, BindingId),
        arguments: &[Operand],
        value: impl Fn(VarId) -> VarId,
    ) -> Binding {
        if self.is_idle {
            return Vec::new();
        }
        let inherited = self.of(caller.1);
        let mut found = Vec::new();
        for (position, argument) in (0..).zip(arguments) {
            let Operand::Variable(variable) = *argument else { continue };
            let variable = value(variable);
            let mut events = labels.reads_of(caller.0, variable).to_vec();
            events.extend(of_variable(inherited, variable));
            if !events.is_empty() {
                events.sort_unstable();
                events.dedup();
                found.push((position, events));
            }
        }
        found
    }

    /// The binding of a procedure that is called with such arguments.
    pub(super) fn bind(
        &mut self,
        program: &Program,
        labels: &Labels,
        callee: ProcId,
        arguments: &Binding,
    ) -> BindingId {
        let Some(body) = &program.procedures()[callee].body else { return Self::none() };
        if arguments.is_empty() {
            return Self::none();
        }
        let steady = self.steady.entry(callee).or_insert_with(|| steady(body));
        let mut binding: Binding = Vec::new();
        for (position, events) in arguments {
            if steady.get(*position as usize) != Some(&true) {
                continue;
            }
            let own = labels.reads_of(callee, VarId::new(*position as usize));
            let more = events.iter().copied().filter(|event| !own.contains(event));
            let more: Vec<EventNo> = more.collect();
            if !more.is_empty() {
                binding.push((*position, more));
            }
        }
        self.known.id(binding)
    }

    /// Gives the arguments of a dispatched call a number.
    pub(super) fn number(&mut self, arguments: Binding) -> BindingId {
        self.known.id(arguments)
    }
}

/// The events that a binding gives to the reads of a variable.
pub(super) fn of_variable(binding: &Binding, variable: VarId) -> &[EventNo] {
    let known = binding.iter().find(|(position, _)| *position as usize == variable.index());
    known.map_or(&[], |(_, events)| events.as_slice())
}

/// Which parameters of a procedure are read and never written.
fn steady(body: &Body) -> Vec<bool> {
    let (mut read, mut written) = (vec![false; body.parameters], vec![false; body.parameters]);
    let mut reads = |operand: Operand| {
        if let Operand::Variable(variable) = operand
            && let Some(read) = read.get_mut(variable.index())
        {
            *read = true;
        }
    };
    for statement in &body.statements {
        statement.operands(body, &mut reads);
    }
    for block in body.blocks.as_slice() {
        block.jump.operands(&mut reads);
    }
    let handled = body.handlers.iter().map(|handler| handler.variable);
    let to = body.statements.iter().filter_map(tern_ir::Statement::written);
    for variable in to.chain(handled) {
        if let Some(written) = written.get_mut(variable.index()) {
            *written = true;
        }
    }
    read.iter().zip(&written).map(|(read, written)| *read && !*written).collect()
}
