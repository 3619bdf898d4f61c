//! Makes the components: of procedures, of dispatch, and of code that cannot be followed.
//!
//! Procedures that are entered have a component from the beginning. Others are made when a call
//! first needs them: dispatch components, and copies of procedures whose parameters stand for
//! variables of their callers ([`super::bindings`]).

use super::bindings::{Binding, BindingId, Bindings, MOST_COPIES};
use super::events::Event;
use super::inside::Insides;
use super::labels::{EventNo, Labels};
use super::lower::Lowering;
use super::reaching::Initialisers;
use super::thrown::{Groups, Set, Thrown};
use super::{Options, names};
use crate::calls::{Calls, ReferenceId, Why};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use tern_ir::{ProcId, Program, Statement, VarId};
use tern_model::budget::Meter;
use tern_model::index::{CompId, ExitId, Id, LabelId, NodeId};
use tern_model::{Budget, Builder, Edge, Limit, Machine, Place};

/// The component of a procedure or reference, as callers see it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) comp: CompId,
    pub(super) entry: NodeId,
    pub(super) returns: ExitId,
    /// The exits by which it throws, and what leaves by them.
    pub(super) exits: Vec<(ExitId, Set)>,
}

/// What was found out before components are made.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) program: &'a Program,
    pub(super) calls: &'a Calls,
    pub(super) labels: &'a Labels,
    pub(super) thrown: &'a Thrown,
    pub(super) initialisers: &'a Initialisers,
    /// The procedures that the machine can come to.
    pub(super) entered: &'a [ProcId],
    /// Whether a procedure has events itself.
    pub(super) has_event: &'a [bool],
    pub(super) events: &'a [(String, Event)],
}

/// Makes the components.
pub(super) struct Maker<'a> {
    pub(super) program: &'a Program,
    pub(super) calls: &'a Calls,
    pub(super) labels: &'a Labels,
    pub(super) thrown: &'a Thrown,
    pub(super) initialisers: &'a Initialisers,
    entered: &'a [ProcId],
    pub(super) has_event: &'a [bool],
    pub(super) options: Options,
    pub(super) builder: Builder,
    pub(super) meter: Meter<'a>,
    pub(super) procedures: FxHashMap<ProcId, Rc<Part>>,
    pub(super) bindings: Bindings,
    /// The components of procedures whose parameters stand for something.
    bound: FxHashMap<(ProcId, BindingId), Rc<Part>>,
    /// Those whose insides are not made yet, in the order in which calls came by.
    open_bound: VecDeque<(ProcId, BindingId)>,
    dispatches: FxHashMap<(ReferenceId, BindingId), Rc<Part>>,
    open_dispatches: VecDeque<(ReferenceId, BindingId)>,
    /// The names of components that are there because of a binding.
    bound_names: FxHashSet<String>,
    groups: Groups,
    /// Code that cannot be followed, if it may call back.
    outside: Option<Rc<Part>>,
    titles: Vec<Option<Arc<str>>>,
    texts: Vec<Option<Arc<str>>>,
    pub(super) initialise_text: Arc<str>,
    events: &'a [(String, Event)],
    label_ids: Vec<Option<LabelId>>,
    /// How often each offset was the name of a node of the procedure at hand.
    pub(super) numbers: Numbers,
    /// A name that is being written.
    pub(super) name: String,
}

/// Counts offsets, procedure after procedure. Most are small, so they have a row each.
#[derive(Default)]
pub(super) struct Numbers {
    round: u32,
    /// The round in which an offset was counted last, and how often.
    near: Vec<(u32, u32)>,
    far: FxHashMap<u32, u32>,
}

impl Numbers {
    /// Begins with another procedure.
    pub(super) fn begin(&mut self) {
        self.round += 1;
        self.far.clear();
    }

    /// How often an offset has come, this time included.
    pub(super) fn next(&mut self, offset: u32) -> u32 {
        const NEAR: u32 = 1 << 16;
        if offset >= NEAR {
            let times = self.far.entry(offset).or_insert(0);
            *times += 1;
            return *times;
        }
        let offset = offset as usize;
        if self.near.len() <= offset {
            self.near.resize(offset + 1, (0, 0));
        }
        let (round, times) = &mut self.near[offset];
        *times = if *round == self.round { *times + 1 } else { 1 };
        *round = self.round;
        *times
    }
}

impl<'a> Maker<'a> {
    pub(super) fn new(
        found: Found<'a>,
        options: Options,
        is_plain: bool,
        budget: &'a Budget,
    ) -> Self {
        let Found { program, calls, labels, thrown, initialisers, entered, has_event, events } =
            found;
        Maker {
            program,
            calls,
            labels,
            thrown,
            initialisers,
            entered,
            has_event,
            options,
            builder: Builder::new(),
            meter: Meter::new(budget),
            procedures: FxHashMap::default(),
            bindings: Bindings::new(labels, is_plain),
            bound: FxHashMap::default(),
            open_bound: VecDeque::new(),
            dispatches: FxHashMap::default(),
            open_dispatches: VecDeque::new(),
            bound_names: FxHashSet::default(),
            groups: Groups::default(),
            outside: None,
            titles: vec![None; program.procedures().len()],
            texts: vec![None; calls.references().len()],
            initialise_text: Arc::from("initialise"),
            events,
            label_ids: vec![None; events.len()],
            numbers: Numbers::default(),
            name: String::new(),
        }
    }

    /// Makes the machine; nothing if that takes too many copies of procedures.
    pub(super) fn run(mut self) -> Result<Option<Machine>, Limit> {
        self.declare();
        for &procedure in self.entered {
            if let Some(body) = &self.program.procedures()[procedure].body {
                let part = self.procedures[&procedure].clone();
                Lowering::new(&mut self, (procedure, Bindings::none()), body, part).run()?;
            }
        }
        while self.bound.len() + self.dispatches.len() <= self.most_components() {
            if let Some((id, arguments)) = self.open_dispatches.pop_front() {
                self.dispatch(id, arguments)?;
            } else if let Some((id, binding)) = self.open_bound.pop_front() {
                let part = self.bound[&(id, binding)].clone();
                if let Some(body) = &self.program.procedures()[id].body {
                    Lowering::new(&mut self, (id, binding), body, part).run()?;
                }
            } else {
                self.call_back()?;
                self.start();
                self.builder.names_are_unique();
                let machine = self.builder.finish();
                return Ok(Some(machine.expect("machines of programs are well-formed")));
            }
        }
        Ok(None)
    }

    /// How many components may be made on demand.
    fn most_components(&self) -> usize {
        self.calls.references().len() + MOST_COPIES
    }

    /// Makes the components of procedures with their entries and exits.
    fn declare(&mut self) {
        let is_entered: FxHashSet<ProcId> = self.entered.iter().copied().collect();
        let Maker { program, calls, thrown, .. } = *self;
        let mut known: FxHashSet<Arc<str>> = FxHashSet::default();
        for &id in &calls.reached {
            let mut title = names::procedure(program, id);
            if known.contains(title.as_str()) {
                let result = program.selectors()[program.procedures()[id].selector].result;
                title = format!("{title} {}", names::ty(program, result));
            }
            let mut number = 1;
            let base = title.clone();
            while known.contains(title.as_str()) {
                number += 1;
                title = format!("{base} #{number}");
            }
            let title: Arc<str> = title.into();
            known.insert(title.clone());
            self.titles[id.index()] = Some(title.clone());
            if program.procedures()[id].body.is_some() && is_entered.contains(&id) {
                let groups = &mut self.groups;
                let exits = thrown.exits(program, &calls.hierarchy, Ok(id), groups);
                let part = Rc::new(self.component(&title, exits));
                self.procedures.insert(id, part);
            }
        }
        if calls.callbacks.iter().any(|callback| is_entered.contains(callback)) {
            let name = "throws anything".to_owned();
            let exits = vec![(thrown.unknown.clone(), name)];
            let exits = exits.into_iter().filter(|(set, _)| set.iter().any(|&word| word != 0));
            self.outside = Some(Rc::new(self.component("<outside>", exits.collect())));
        }
    }

    fn component(&mut self, name: &str, exits: Vec<(Set, String)>) -> Part {
        let comp = self.builder.component(name);
        let entry = self.builder.node(comp, "entry");
        self.builder.entry(entry);
        let returns = self.builder.exit(comp, "return");
        let exits =
            exits.into_iter().map(|(set, name)| (self.builder.exit(comp, &name), set)).collect();
        Part { comp, entry, returns, exits }
    }

    pub(super) fn title(&self, procedure: ProcId) -> Arc<str> {
        self.titles[procedure.index()].clone().expect("it is reached")
    }

    pub(super) fn label(&mut self, node: NodeId, event: EventNo) {
        let (name, _) = &self.events[event as usize];
        let known = &mut self.label_ids[event as usize];
        let label = *known.get_or_insert_with(|| self.builder.label_id(name));
        self.builder.label_as(node, label);
    }

    /// What a statement does, in a few words.
    pub(super) fn text(
        &mut self,
        statement: &Statement,
        reference: Option<ReferenceId>,
    ) -> Option<Arc<str>> {
        let program = self.program;
        if let Some(id) = reference {
            let reference = &self.calls.references()[id];
            let make = || {
                let class = program.text(reference.class);
                format!("call {}", names::member(program, class, reference.selector)).into()
            };
            return Some(self.texts[id.index()].get_or_insert_with(make).clone());
        }
        let text = match statement {
            Statement::Load { field, .. } => format!("read {}", names::field(program, *field)),
            Statement::Store { field, .. } => format!("write {}", names::field(program, *field)),
            Statement::New { class, .. } => format!("new {}", program.text(*class)),
            _ => return None,
        };
        Some(text.into())
    }

    /// The component of a procedure that is called with such arguments, if it is entered.
    fn part(&mut self, id: ProcId, arguments: &Binding) -> Option<Rc<Part>> {
        let Maker { program, labels, thrown, calls, .. } = *self;
        let plain = self.procedures.get(&id)?;
        let binding = self.bindings.bind(program, labels, id, arguments);
        if binding == Bindings::none() {
            return Some(plain.clone());
        }
        if let Some(part) = self.bound.get(&(id, binding)) {
            return Some(part.clone());
        }
        let name = self.bound_name(&self.title(id), Some(id), binding);
        let exits = thrown.exits(program, &calls.hierarchy, Ok(id), &mut self.groups);
        let part = Rc::new(self.component(&name, exits));
        self.bound.insert((id, binding), part.clone());
        self.open_bound.push_back((id, binding));
        Some(part)
    }

    /// What to call a component that is there because of a binding: `f(int) [p = x]`.
    fn bound_name(&mut self, title: &str, id: Option<ProcId>, binding: BindingId) -> String {
        let body = id.and_then(|id| self.program.procedures()[id].body.as_ref());
        let mut bound: Vec<String> = Vec::new();
        for (position, events) in self.bindings.of(binding) {
            let variable = body.and_then(|body| body.variables.get(VarId::new(*position as usize)));
            let name = variable.and_then(|variable| variable.name);
            let name = name.map_or_else(|| position.to_string(), |it| self.program.text(it).into());
            let (_, event) = &self.events[events[0] as usize];
            let text = event.pattern.text();
            let of = text.rsplit_once(':').map_or(text, |(_, of)| of);
            let more = if events.len() > 1 { ", …" } else { "" };
            bound.push(format!("{name} = {of}{more}"));
        }
        let base = format!("{title} [{}]", bound.join("; "));
        let mut name = base.clone();
        let mut number = 1;
        while !self.bound_names.insert(name.clone()) {
            number += 1;
            name = format!("{base} #{number}");
        }
        name
    }

    /// The component that the calls of a reference enter; `None` if there is nothing to enter.
    pub(super) fn part_of(&mut self, id: ReferenceId, arguments: Binding) -> Option<Rc<Part>> {
        let program = self.program;
        let reference = &self.calls.references()[id];
        let has_code = |target: &&ProcId| program.procedures()[**target].body.is_some();
        let with_code = reference.targets.iter().filter(has_code).count();
        let is_open = self.calls.is_open(program, reference);
        let arguments = match reference.unknown {
            // Arguments are not parameters then.
            Some(Why::Reflection | Why::Handle) => Vec::new(),
            _ => arguments,
        };
        match reference.targets.as_slice() {
            _ if with_code == 0 => self.outside.clone().filter(|_| is_open),
            [only] if !is_open && !reference.is_leaf => self.part(*only, &arguments),
            targets => {
                let mut bound = false;
                for &target in targets {
                    let binding = self.bindings.bind(program, self.labels, target, &arguments);
                    bound |= binding != Bindings::none();
                }
                let arguments = match bound {
                    true => self.bindings.number(arguments),
                    false => Bindings::none(),
                };
                Some(self.dispatched(id, arguments))
            }
        }
    }

    /// The component that tells the targets of a reference apart.
    fn dispatched(&mut self, id: ReferenceId, arguments: BindingId) -> Rc<Part> {
        if let Some(part) = self.dispatches.get(&(id, arguments)) {
            return part.clone();
        }
        let Maker { program, calls, thrown, .. } = *self;
        let reference = &calls.references()[id];
        let class = program.text(reference.class);
        let member = names::member(program, class, reference.selector);
        let types = names::types(program, reference.selector);
        // Calls by reflection have references of their own, so names need numbers.
        let mut name = format!("dispatch {member}{types} {id:?}");
        if arguments != Bindings::none() {
            name = self.bound_name(&name, None, arguments);
        }
        let exits = thrown.exits(program, &calls.hierarchy, Err(id), &mut self.groups);
        let part = Rc::new(self.component(&name, exits));
        self.dispatches.insert((id, arguments), part.clone());
        self.open_dispatches.push_back((id, arguments));
        part
    }

    /// Makes the insides of a dispatch component.
    fn dispatch(&mut self, id: ReferenceId, arguments: BindingId) -> Result<(), Limit> {
        let part = self.dispatches[&(id, arguments)].clone();
        let arguments = self.bindings.of(arguments).clone();
        let reference = &self.calls.references()[id];
        let mut insides = Insides::new(self, &part, reference.repeats);
        let mut is_open = reference.unknown.is_some();
        let mut comes_back = reference.is_leaf;
        for &target in &reference.targets {
            insides.maker.meter.tick()?;
            let events = insides.maker.labels.called.of(target).to_vec();
            let set: Set = insides.maker.thrown.by_procedure(target).into();
            if !events.is_empty() {
                insides.leaf(target, &events, &set);
            } else if let Some(callee) = insides.maker.part(target, &arguments) {
                insides.call(&callee);
            } else if insides.maker.calls.is_plain(target) {
                comes_back = true;
            } else {
                is_open = true;
            }
        }
        if comes_back {
            insides.go_on(Place::Node(part.entry), &[], true);
        }
        if is_open || reference.repeats {
            let unknown = insides.maker.thrown.unknown.clone();
            let outside = insides.maker.outside.clone();
            if outside.is_none() || reference.repeats {
                insides.go_on(Place::Node(part.entry), &unknown, true);
            }
            if let Some(outside) = outside {
                insides.call(&outside);
            }
        }
        Ok(())
    }

    /// Makes the insides of code that cannot be followed.
    fn call_back(&mut self) -> Result<(), Limit> {
        let Some(part) = self.outside.clone() else { return Ok(()) };
        let callbacks = &self.calls.callbacks;
        let mut insides = Insides::new(self, &part, true);
        let unknown = insides.maker.thrown.unknown.clone();
        insides.go_on(Place::Node(part.entry), &unknown, true);
        for &callback in callbacks {
            insides.maker.meter.tick()?;
            if let Some(callee) = insides.maker.procedures.get(&callback).cloned() {
                insides.call(&callee);
            }
        }
        Ok(())
    }

    /// Makes entries initial; where the class of one is initialised before, that comes first.
    fn start(&mut self) {
        for &entry in &self.calls.entries {
            let Some(part) = self.procedures.get(&entry).cloned() else { continue };
            let class = self.program.procedures()[entry].class;
            let class = class.map(|class| self.program.classes()[class].name);
            let initialisers = class.map_or(&[][..], |class| self.initialisers.of(class));
            let mut first = part.entry;
            for (number, initialiser) in initialisers.iter().enumerate().rev() {
                let Some(callee) = self.procedures.get(initialiser).cloned() else { continue };
                let node = self.builder.node(part.comp, &format!("initialise {number}"));
                let call =
                    self.builder.call_box(part.comp, &format!("initialise {number}"), callee.comp);
                self.builder.edge(Place::Node(node), Edge::Call(call, callee.entry));
                self.builder.edge(Place::Node(node), Edge::Step(first));
                self.builder.edge(Place::Site(call, callee.returns), Edge::Step(first));
                if !callee.exits.is_empty() {
                    let failed = self.builder.node(part.comp, &format!("failed {number}"));
                    self.builder.edge(Place::Node(failed), Edge::Step(failed));
                    for (exit, _) in &callee.exits {
                        self.builder.edge(Place::Site(call, *exit), Edge::Step(failed));
                    }
                }
                first = node;
            }
            self.builder.initial(first);
        }
    }
}
