//! The control flow of a program as a machine.
//!
//! # The machine
//! Each procedure that is reached is a component. It has an entry, a node for each step of its
//! code, and exits: one by which it returns, and those by which it throws. A call is a node that
//! steps into the component of its callee. Where a call may lead to several procedures it goes
//! through a *dispatch component*, one for each class and selector that calls name, which steps
//! into one of them: so a call takes one box however many targets it has. Code that cannot be
//! followed may return or throw, and may call back ([`Calls::callbacks`]), as often as it likes.
//!
//! A branch goes both ways: data is not looked at. Every run of the program, up to threads and what
//! [`Gaps`] counts, is a run of the machine; not the other way round.
//!
//! # Steps
//! With [`Options::every_step`] each statement and each jump but `goto` is a step. Without, a
//! statement that is no call and no event of the claims has no node of its own: it is deterministic
//! and does not change what holds, so the machine stutters like the one with all steps, and claims
//! without `X` have the same verdicts. Branches, returns and throws always have nodes.
//!
//! # Events
//! A call that is an event of the claims is not entered. It may throw whatever its callees can.
//! An initialiser of a class runs at any use of it that may be the first, or has run before, if it
//! may come by an event; others are taken to succeed and not looked at.

pub mod events;
mod labels;
mod lower;
pub mod names;
mod thrown;

use crate::calls::{Calls, ReferenceId, Why};
use events::Event;
use labels::{EventNo, Initialisers, Labels};
use lower::Lowering;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tern_ir::{ProcId, Program, Statement};
use tern_model::budget::Meter;
use tern_model::index::{CompId, ExitId, Id, LabelId, NodeId};
use tern_model::{Budget, Builder, Edge, Limit, Machine, Origin, Place};
use thrown::{Asked, Groups, Set, Thrown, meet};

/// How the control flow is to be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether `null`, bad indices and their like throw.
    pub implicit: bool,
    /// Whether code that cannot be followed only returns, and never throws.
    pub stubs_return: bool,
    /// Whether each statement is a step of its own: claims have `X`.
    pub every_step: bool,
}

/// The component of a procedure or reference, as callers see it.
#[derive(Clone, Debug)]
struct Part {
    comp: CompId,
    entry: NodeId,
    returns: ExitId,
    /// The exits by which it throws, and what leaves by them.
    exits: Vec<(ExitId, Set)>,
}

/// What could not be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Calls that cannot be followed: why, what is called, and from how many places.
    pub stubs: Vec<(Why, String, usize)>,
    /// Classes that are named and missing.
    pub missing_classes: usize,
    /// Classes that lie below themselves.
    pub circular_classes: usize,
    /// Procedures that code which cannot be followed may call.
    pub callbacks: usize,
}

impl Gaps {
    /// What could not be followed in what is reached.
    pub fn new(program: &Program, calls: &Calls) -> Self {
        let mut sites: FxHashMap<(Why, String), usize> = FxHashMap::default();
        for &procedure in &calls.reached {
            for &site in calls.sites(procedure) {
                let reference = &calls.references()[site];
                let class = program.text(reference.class);
                if let Some(why) = reference.unknown {
                    let name = names::member(program, class, reference.selector);
                    *sites.entry((why, name)).or_default() += 1;
                }
                let is_native = |&&target: &&ProcId| program.procedures()[target].body.is_none();
                for &target in reference.targets.iter().filter(is_native) {
                    *sites.entry((Why::Native, program.title(target))).or_default() += 1;
                }
            }
        }
        let mut stubs: Vec<(Why, String, usize)> =
            sites.into_iter().map(|((why, name), count)| (why, name, count)).collect();
        stubs.sort_unstable();
        Gaps {
            stubs,
            missing_classes: calls.hierarchy.missing().count(),
            circular_classes: calls.hierarchy.circular(),
            callbacks: calls.callbacks.len(),
        }
    }

    /// How many calls cannot be followed for a reason.
    pub fn count(&self, why: Why) -> usize {
        self.stubs.iter().filter(|stub| stub.0 == why).map(|stub| stub.2).sum()
    }
}

/// The machine of the control flow, in which events are labels, each called as its claim does.
///
/// # Errors
/// When the budget runs out.
pub fn machine(
    program: &Program,
    calls: &Calls,
    events: &[(String, Event)],
    options: Options,
    budget: &Budget,
) -> Result<Machine, Limit> {
    let matched: Vec<Event> = events.iter().map(|(_, event)| event.clone()).collect();
    let labels = Labels::new(program, calls, &matched, budget)?;
    let mut initialisers = Initialisers::new(program, calls);
    let has_event = |id: ProcId| has_event(program, calls, &labels, id);
    let eventful = labels::eventful(program, calls, &initialisers, has_event, budget)?;
    initialisers.retain(&eventful);
    let asked = Asked {
        program,
        calls,
        initialisers: &initialisers,
        implicit: options.implicit,
        stubs_throw: !options.stubs_return,
    };
    let thrown = Thrown::find(asked, budget)?;
    let mut maker = Maker {
        program,
        calls,
        labels: &labels,
        thrown: &thrown,
        initialisers: &initialisers,
        options,
        builder: Builder::new(),
        meter: Meter::new(budget),
        procedures: FxHashMap::default(),
        dispatches: FxHashMap::default(),
        groups: Groups::default(),
        outside: None,
        titles: vec![None; program.procedures().len()],
        texts: vec![None; calls.references().len()],
        initialise_text: Arc::from("initialise"),
        events,
        label_ids: vec![None; events.len()],
    };
    let entered = labels::entered(program, calls, &labels, &initialisers, budget)?;
    maker.declare(&entered);
    for &procedure in &entered {
        if let Some(body) = &program.procedures()[procedure].body {
            Lowering::new(&mut maker, procedure, body).run()?;
        }
    }
    maker.dispatch()?;
    maker.start();
    let Maker { mut builder, .. } = maker;
    builder.names_are_unique();
    Ok(builder.finish().expect("machines of programs are well-formed"))
}

/// Whether a procedure itself has an event.
fn has_event(program: &Program, calls: &Calls, labels: &Labels, id: ProcId) -> bool {
    if !labels.enter.of(id).is_empty() || !labels.leave.of(id).is_empty() {
        return true;
    }
    let Some(body) = &program.procedures()[id].body else { return false };
    let called = calls.sites(id).iter().any(|&site| {
        let targets = &calls.references()[site].targets;
        !labels.calls.of(site).is_empty()
            || targets.iter().any(|&target| !labels.called.of(target).is_empty())
    });
    let mut found = Vec::new();
    called
        || body.statements.iter().zip(&body.places).any(|(statement, place)| {
            labels.of_statement(id, body, statement, &mut found);
            found.extend(labels.at_line(body, place.line));
            !found.is_empty()
        })
        || body.blocks.as_slice().iter().any(|block| {
            labels.of_jump(id, &block.jump, &mut found);
            found.extend(labels.at_line(body, block.place.line));
            if let tern_ir::Jump::Throw(value) = block.jump {
                for (class, _) in thrown::describe(program, body, value).classes {
                    found.extend(labels.thrown(class));
                }
            }
            !found.is_empty()
        })
}

/// Makes the components.
struct Maker<'a> {
    program: &'a Program,
    calls: &'a Calls,
    labels: &'a Labels,
    thrown: &'a Thrown,
    initialisers: &'a Initialisers,
    options: Options,
    builder: Builder,
    meter: Meter<'a>,
    procedures: FxHashMap<ProcId, Part>,
    dispatches: FxHashMap<ReferenceId, Part>,
    groups: Groups,
    /// Code that cannot be followed, if it may call back.
    outside: Option<Part>,
    titles: Vec<Option<Arc<str>>>,
    texts: Vec<Option<Arc<str>>>,
    initialise_text: Arc<str>,
    events: &'a [(String, Event)],
    label_ids: Vec<Option<LabelId>>,
}

impl Maker<'_> {
    /// Makes the components of procedures with their entries and exits.
    fn declare(&mut self, entered: &[ProcId]) {
        let is_entered: FxHashSet<ProcId> = entered.iter().copied().collect();
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
                let part = self.component(&title, exits);
                self.procedures.insert(id, part);
            }
        }
        if calls.callbacks.iter().any(|callback| is_entered.contains(callback)) {
            let name = "throws anything".to_owned();
            let exits = vec![(thrown.unknown.clone(), name)];
            let exits = exits.into_iter().filter(|(set, _)| set.iter().any(|&word| word != 0));
            self.outside = Some(self.component("<outside>", exits.collect()));
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

    fn title(&self, procedure: ProcId) -> Arc<str> {
        self.titles[procedure.index()].clone().expect("it is reached")
    }

    fn label(&mut self, node: NodeId, event: EventNo) {
        let (name, _) = &self.events[event as usize];
        let known = &mut self.label_ids[event as usize];
        let label = *known.get_or_insert_with(|| self.builder.label_id(name));
        self.builder.label_as(node, label);
    }

    /// What a statement does, in a few words.
    fn text(&mut self, statement: &Statement, reference: Option<ReferenceId>) -> Option<Arc<str>> {
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

    /// The component that the calls of a reference enter; `None` if there is nothing to enter.
    fn part_of(&mut self, id: ReferenceId) -> Option<Part> {
        let program = self.program;
        let reference = &self.calls.references()[id];
        let has_code = |target: &&ProcId| program.procedures()[**target].body.is_some();
        let with_code = reference.targets.iter().filter(has_code).count();
        let is_known = reference.unknown.is_none() && with_code == reference.targets.len();
        match reference.targets.as_slice() {
            _ if reference.is_leaf => None,
            _ if with_code == 0 => self.outside.clone(),
            [only] if is_known => Some(self.procedures[only].clone()),
            _ => {
                if let Some(part) = self.dispatches.get(&id) {
                    return Some(part.clone());
                }
                let class = program.text(reference.class);
                let member = names::member(program, class, reference.selector);
                let types = names::types(program, reference.selector);
                // Calls by reflection have references of their own, so names need numbers.
                let name = format!("dispatch {member}{types} {id:?}");
                let hierarchy = &self.calls.hierarchy;
                let exits = self.thrown.exits(program, hierarchy, Err(id), &mut self.groups);
                let part = self.component(&name, exits);
                self.dispatches.insert(id, part.clone());
                Some(part)
            }
        }
    }

    /// Makes the insides of dispatch components and of code that cannot be followed.
    fn dispatch(&mut self) -> Result<(), Limit> {
        let known = self.calls.references().ids();
        let made: Vec<(ReferenceId, Part)> =
            known.filter_map(|id| Some((id, self.dispatches.get(&id)?.clone()))).collect();
        for (id, part) in made {
            let reference = &self.calls.references()[id];
            let mut insides = Insides::new(self, &part, false);
            let mut is_open = reference.unknown.is_some();
            for &target in &reference.targets {
                insides.maker.meter.tick()?;
                let events = insides.maker.labels.called.of(target).to_vec();
                let set: Set = insides.maker.thrown.by_procedure(target).into();
                if !events.is_empty() {
                    insides.leaf(target, &events, &set);
                } else if let Some(callee) = insides.maker.procedures.get(&target).cloned() {
                    insides.call(&callee);
                } else {
                    is_open = true;
                }
            }
            if is_open {
                let unknown = insides.maker.thrown.unknown.clone();
                match insides.maker.outside.clone() {
                    Some(outside) => insides.call(&outside),
                    None => insides.go_on(Place::Node(part.entry), &unknown, true),
                }
            }
        }
        if let Some(part) = self.outside.clone() {
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

/// The inside of a component that stands for no procedure of its own.
struct Insides<'m, 'a> {
    maker: &'m mut Maker<'a>,
    part: Part,
    returned: NodeId,
    raised: Vec<NodeId>,
    boxes: usize,
    leaves: usize,
    /// Whether it goes on at its entry after each call, whatever came of it.
    again: bool,
}

impl<'m, 'a> Insides<'m, 'a> {
    fn new(maker: &'m mut Maker<'a>, part: &Part, again: bool) -> Self {
        let returned = maker.builder.node(part.comp, "return");
        maker.builder.edge(Place::Node(returned), Edge::Return(part.returns));
        let mut raised = Vec::new();
        for (exit, _) in &part.exits {
            let name = maker.builder.exits().name(*exit).to_owned();
            let node = maker.builder.node(part.comp, &name);
            maker.builder.edge(Place::Node(node), Edge::Return(*exit));
            raised.push(node);
        }
        Insides { maker, part: part.clone(), returned, raised, boxes: 0, leaves: 0, again }
    }

    /// Leaves the component: returns, if it may, and throws.
    fn go_on(&mut self, from: Place, set: &[u64], returns: bool) {
        if returns {
            self.maker.builder.edge(from, Edge::Step(self.returned));
        }
        for ((_, own), &node) in self.part.exits.iter().zip(&self.raised) {
            if meet(set, own) {
                self.maker.builder.edge(from, Edge::Step(node));
            }
        }
    }

    fn call(&mut self, callee: &Part) {
        self.boxes += 1;
        let name = format!("call{}", self.boxes);
        let call = self.maker.builder.call_box(self.part.comp, &name, callee.comp);
        let entry = self.part.entry;
        self.maker.builder.edge(Place::Node(entry), Edge::Call(call, callee.entry));
        let returned = if self.again { entry } else { self.returned };
        self.maker.builder.edge(Place::Site(call, callee.returns), Edge::Step(returned));
        for (exit, set) in &callee.exits {
            let site = Place::Site(call, *exit);
            self.go_on(site, set, false);
            if self.again {
                self.maker.builder.edge(site, Edge::Step(entry));
            }
        }
    }

    /// A call that is an event and not entered.
    fn leaf(&mut self, target: ProcId, events: &[EventNo], set: &[u64]) {
        self.leaves += 1;
        let node = self.maker.builder.node(self.part.comp, &format!("call {}", self.leaves));
        let title = self.maker.title(target);
        let origin = Origin { procedure: Some(title.clone()), ..Origin::new(title, 0) };
        self.maker.builder.origin(node, origin);
        events.iter().for_each(|&event| self.maker.label(node, event));
        self.maker.builder.edge(Place::Node(self.part.entry), Edge::Step(node));
        self.go_on(Place::Node(node), set, true);
    }
}
