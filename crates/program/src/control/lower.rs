//! One procedure as one component.
//!
//! Blocks are made when they are first led to, so that handlers at which nothing arrives cost
//! nothing. A block becomes a row of nodes: one for each statement that matters, and one for its
//! jump unless that is a `goto`. A block without nodes is passed; a circle of such blocks becomes a
//! node that leads to itself.
//!
//! Each exit is left from one node of its name, so that machines can be written as RSM JSON: the
//! `return` of a procedure that has just one, and else a node behind them.

use super::bindings::{Binding, BindingId, Bindings};
use super::copies::{self, Copies};
use super::labels::{EventNo, Reader};
use super::maker::{Maker, Part};
use super::reaching::used_class;
use super::thrown::{self, HandlersId, Handling, Set, meet};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use tern_ir::{BlockId, Body, Handler, Jump, LAMBDA, ProcId, Statement, VarId};
use tern_model::index::{BoxId, CompId, ExitId, Id, NodeId};
use tern_model::{Edge, Limit, Origin, Place};

use crate::calls::ReferenceId;

/// One node of a block.
#[derive(Clone, Copy)]
struct Item {
    node: NodeId,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// A class may be initialised before the next statement.
    Initialise(ProcId),
    /// The initialiser of a class was begun before, and may have failed.
    Begun,
    /// A statement, by its row.
    Statement(usize),
    /// The jump.
    Jump,
}

/// What was passed in a block since the last node.
#[derive(Clone, Copy, Default)]
struct Silence {
    /// The last statement that was passed.
    row: Option<usize>,
    /// Whether the last node is an event, or may be.
    is_missing: bool,
}

/// A procedure that is being made into a component.
pub(super) struct Lowering<'m, 'a> {
    maker: &'m mut Maker<'a>,
    id: ProcId,
    /// What its parameters stand for.
    binding: BindingId,
    bound: Binding,
    body: &'a Body,
    comp: CompId,
    part: Rc<Part>,
    references: Vec<Option<ReferenceId>>,
    title: Arc<str>,
    file: Arc<str>,
    /// The items of blocks that were led to, and where those of each block are among them.
    all: Vec<Item>,
    items: Vec<Option<Range<u32>>>,
    open: Vec<BlockId>,
    /// Nodes of circles without nodes, by block.
    spins: FxHashMap<BlockId, NodeId>,
    /// Whether there is just one `return`, and the node by which it returns.
    returns_once: bool,
    returned: Option<NodeId>,
    /// Nodes by which it throws, by exit.
    raises: Vec<Option<NodeId>>,
    caught: FxHashMap<VarId, Set>,
    /// What temporaries are arguments of calls instead of.
    copies: Copies,
    /// The handlers of blocks in which something was thrown.
    handlers: Vec<Option<HandlersId>>,
    boxes: u32,
    events: Vec<EventNo>,
    /// Whether it has any events, and what was passed since the last node.
    has_event: bool,
    silence: Silence,
    /// Where something leads to; empty in between.
    led_to: Vec<NodeId>,
}

impl<'m, 'a> Lowering<'m, 'a> {
    pub(super) fn new(
        maker: &'m mut Maker<'a>,
        (id, binding): (ProcId, BindingId),
        body: &'a Body,
        part: Rc<Part>,
    ) -> Self {
        let program = maker.program;
        maker.numbers.begin();
        let raises = vec![None; part.exits.len()];
        let class = program.procedures()[id].class;
        let file = match (body.file, class) {
            (Some(file), _) => program.text(file),
            (None, Some(class)) => program.text(program.classes()[class].name),
            (None, None) => "",
        };
        Lowering {
            id,
            binding,
            bound: maker.bindings.of(binding).clone(),
            body,
            comp: part.comp,
            part,
            references: thrown::references(maker.calls, id, body),
            title: maker.title(id),
            file: file.into(),
            all: Vec::new(),
            items: vec![None; body.blocks.len()],
            open: Vec::new(),
            spins: FxHashMap::default(),
            returns_once: {
                let blocks = body.blocks.as_slice().iter();
                blocks.filter(|it| matches!(it.jump, Jump::Return(_))).count() == 1
            },
            returned: None,
            raises,
            caught: maker.thrown.caught(program, id),
            copies: Copies::default(),
            handlers: vec![None; body.blocks.len()],
            boxes: 0,
            events: Vec::new(),
            has_event: maker.has_event[id.index()] || binding != Bindings::none(),
            silence: Silence::default(),
            led_to: Vec::new(),
            maker,
        }
    }

    /// Makes the nodes and edges of the component.
    pub(super) fn run(mut self) -> Result<(), Limit> {
        if !self.maker.bindings.is_idle() {
            self.copies = copies::copies(self.body, &mut self.maker.meter)?;
        }
        let entry = self.part.entry;
        let place = self.body.blocks.as_slice().first().map_or_else(Default::default, |block| {
            let row = block.statements.start as usize;
            let has = block.statements.start < block.statements.end;
            if has { self.body.places[row] } else { block.place }
        });
        let text: Arc<str> = Arc::from("enter");
        self.origin(entry, place, Some(text));
        self.events.extend(self.maker.labels.enter.of(self.id));
        self.label(entry);
        let first = self.block(BlockId::new(0));
        self.step(Place::Node(entry), first);
        while let Some(block) = self.open.pop() {
            self.edges(block)?;
        }
        // Exits of what is never reached have nodes too.
        let place = self.body.blocks[BlockId::new(0)].place;
        self.returned(place);
        for exit in 0..self.raises.len() {
            let id = self.part.exits[exit].0;
            self.raised(exit, id, place);
        }
        Ok(())
    }

    fn origin(&mut self, node: NodeId, place: tern_ir::Place, text: Option<Arc<str>>) {
        self.maker.builder.origin(
            node,
            Origin {
                file: self.file.clone(),
                line: place.line,
                column: None,
                procedure: Some(self.title.clone()),
                offset: Some(place.offset),
                text,
            },
        );
    }

    fn step(&mut self, from: Place, to: NodeId) {
        self.maker.builder.edge(from, Edge::Step(to));
    }

    /// Gives a node the events that were collected.
    fn label(&mut self, node: NodeId) {
        self.events.sort_unstable();
        self.events.dedup();
        for &event in &self.events {
            self.maker.label(node, event);
        }
        self.events.clear();
    }

    /// A new node. It is called by how far into the code it stands, and a number if need be.
    fn node(&mut self, place: tern_ir::Place, text: Option<Arc<str>>) -> NodeId {
        let times = self.maker.numbers.next(place.offset);
        let mut name = std::mem::take(&mut self.maker.name);
        name.clear();
        let _ = match times {
            1 => write!(name, "{}", place.offset),
            times => write!(name, "{}.{times}", place.offset),
        };
        let node = self.maker.builder.node(self.comp, &name);
        self.maker.name = name;
        self.origin(node, place, text);
        node
    }

    /// The first node at or behind the beginning of a block.
    fn block(&mut self, block: BlockId) -> NodeId {
        let mut at = block;
        let mut passed: Vec<BlockId> = Vec::new();
        loop {
            if self.items[at.index()].is_none() {
                self.make(at);
            }
            let items = self.items[at.index()].clone().expect("it was made");
            if !items.is_empty() {
                return self.all[items.start as usize].node;
            }
            if let Some(&spin) = self.spins.get(&at) {
                return spin;
            }
            let Jump::Goto(next) = self.body.blocks[at].jump else {
                unreachable!("only a `goto` has no node")
            };
            passed.push(at);
            if passed.contains(&next) {
                let place = self.body.blocks[at].place;
                let spin = self.node(place, None);
                self.step(Place::Node(spin), spin);
                self.spins.insert(next, spin);
                return spin;
            }
            at = next;
        }
    }

    /// Makes the nodes of a block.
    fn make(&mut self, block: BlockId) {
        let first = self.all.len() as u32;
        let body = self.body;
        let rows = &body.blocks[block].statements;
        // What comes before the block may be an event.
        self.silence = Silence { row: None, is_missing: self.has_event };
        for row in rows.start as usize..rows.end as usize {
            let (statement, place) = (&body.statements[row], body.places[row]);
            let program = self.maker.program;
            let used = used_class(program, self.maker.calls, statement, self.references[row]);
            let initialisers = used.map_or(&[][..], |class| self.maker.initialisers.of(class));
            for &initialiser in initialisers {
                let is_begun = self.is_begun(initialiser);
                if is_begun && !self.may_fail(initialiser) {
                    continue;
                }
                let node = self.node(place, Some(self.maker.initialise_text.clone()));
                let what = if is_begun { What::Begun } else { What::Initialise(initialiser) };
                self.all.push(Item { node, what });
                // The initialiser may end with an event.
                self.silence = Silence { row: None, is_missing: self.has_event };
            }
            let reader = Reader { procedure: self.id, binding: &self.bound };
            self.maker.labels.of_statement(reader, body, statement, &mut self.events);
            let at_line = self.maker.labels.at_line(body, place.line);
            self.events.extend(at_line);
            if let Some(reference) = self.references[row] {
                self.events.extend(self.maker.labels.calls.of(reference));
            }
            let is_call = self.references[row].is_some();
            let matters = !self.events.is_empty()
                || is_call
                || self.maker.options.every_step
                || self.maker.options.implicit && thrown::failures(program, statement).is_some();
            if matters {
                let is_event = !self.events.is_empty();
                if is_event {
                    self.be_silent();
                }
                let text = self.maker.text(statement, self.references[row]);
                let node = self.node(place, text);
                self.label(node);
                self.all.push(Item { node, what: What::Statement(row) });
                // What is called may end with an event.
                let is_missing = self.has_event && (is_event || is_call);
                self.silence = Silence { row: None, is_missing };
            } else {
                self.silence.row = Some(row);
            }
        }
        self.jump(block);
        let items = first..self.all.len() as u32;
        if !items.is_empty() {
            self.open.push(block);
        }
        self.items[block.index()] = Some(items);
    }

    /// Gives a statement that was passed a node, if it stands alone between two events: claims can
    /// tell whether there is something between them that is neither.
    fn be_silent(&mut self) {
        if let Silence { row: Some(row), is_missing: true } = self.silence {
            let text = self.maker.text(&self.body.statements[row], None);
            let node = self.node(self.body.places[row], text);
            self.all.push(Item { node, what: What::Statement(row) });
            self.silence.is_missing = false;
        }
    }

    fn jump(&mut self, block: BlockId) {
        let body = self.body;
        let tern_ir::Block { jump, place, .. } = &body.blocks[block];
        let reader = Reader { procedure: self.id, binding: &self.bound };
        self.maker.labels.of_jump(reader, jump, &mut self.events);
        if !matches!(jump, Jump::Goto(_)) {
            let at_line = self.maker.labels.at_line(body, place.line);
            self.events.extend(at_line);
        }
        if let Jump::Throw(value) = jump {
            let program = self.maker.program;
            for (class, _) in thrown::describe(program, body, *value).classes {
                self.events.extend(self.maker.labels.thrown(class));
            }
        }
        let leaves = match jump {
            Jump::Return(_) => self.returns_once && !self.maker.labels.leave.of(self.id).is_empty(),
            // What comes behind may be an event.
            Jump::Goto(_) => true,
            _ => false,
        };
        if leaves || !self.events.is_empty() {
            self.be_silent();
        }
        let text = match jump {
            Jump::Return(_) if self.returns_once => {
                let node = self.leaving(*place, "return");
                self.all.push(Item { node, what: What::Jump });
                return;
            }
            Jump::Return(_) => Some("return"),
            Jump::Throw(_) => Some("throw"),
            Jump::Branch { .. } | Jump::Switch { .. } => None,
            Jump::Goto(_) => return,
        };
        let node = self.node(*place, text.map(Arc::from));
        self.label(node);
        self.all.push(Item { node, what: What::Jump });
    }

    /// The edges of the nodes of a block.
    fn edges(&mut self, block: BlockId) -> Result<(), Limit> {
        let items = self.items[block.index()].clone().expect("it was made");
        for i in items.clone() {
            self.maker.meter.tick()?;
            let item = self.all[i as usize];
            let next = match i + 1 < items.end {
                true => Some(self.all[i as usize + 1].node),
                false => match self.body.blocks[block].jump {
                    Jump::Goto(target) if !matches!(item.what, What::Jump) => {
                        Some(self.block(target))
                    }
                    _ => None,
                },
            };
            let next = next.unwrap_or(item.node);
            match item.what {
                What::Initialise(initialiser) => {
                    self.initialise(block, item.node, initialiser, next);
                }
                What::Begun => {
                    self.step(Place::Node(item.node), next);
                    self.raise_failed_before(block, item.node);
                }
                What::Statement(row) => self.statement(block, row, item.node, next),
                What::Jump => self.leave(block, item.node),
            }
        }
        Ok(())
    }

    fn leave(&mut self, block: BlockId, node: NodeId) {
        let body = self.body;
        match &body.blocks[block].jump {
            Jump::Goto(_) => {}
            jump @ (Jump::Branch { .. } | Jump::Switch { .. }) => {
                let mut nodes = std::mem::take(&mut self.led_to);
                jump.targets(|target| nodes.push(self.block(target)));
                self.steps(Place::Node(node), nodes);
            }
            Jump::Return(_) if self.returns_once => {}
            Jump::Return(_) => {
                let returned = self.returned(body.blocks[block].place);
                self.step(Place::Node(node), returned);
            }
            Jump::Throw(value) => {
                let Maker { program, calls, .. } = *self.maker;
                let hierarchy = &calls.hierarchy;
                let set =
                    self.maker.thrown.set_of_throw(program, hierarchy, body, *value, &self.caught);
                let row = body.blocks[block].statements.end as usize;
                self.raise(block, row, Place::Node(node), &set);
            }
        }
    }

    fn statement(&mut self, block: BlockId, row: usize, node: NodeId, next: NodeId) {
        let Maker { program, calls, options, .. } = *self.maker;
        let statement = &self.body.statements[row];
        if options.implicit
            && let Some(set) = self.maker.thrown.failures(program, &calls.hierarchy, statement)
        {
            self.raise(block, row, Place::Node(node), &set);
        }
        let Some(reference) = self.references[row] else {
            self.step(Place::Node(node), next);
            return;
        };
        let is_event = !self.maker.labels.calls.of(reference).is_empty();
        let part = match statement {
            _ if is_event => None,
            Statement::Call { call, .. } => {
                let caller = (self.id, self.binding);
                let arguments = self.body.operands(&call.arguments);
                let labels = self.maker.labels;
                let copies = &self.copies;
                let value = |it: VarId| copies.get(&(row, it)).copied().unwrap_or(it);
                let bindings = &self.maker.bindings;
                let arguments = bindings.arguments(labels, caller, arguments, value);
                self.maker.part_of(reference, arguments)
            }
            _ => None,
        };
        match part {
            Some(part) => self.call((block, row), node, &part, next),
            None => {
                self.step(Place::Node(node), next);
                let set: Set = self.maker.thrown.by_reference(reference).into();
                self.raise(block, row, Place::Node(node), &set);
            }
        }
    }

    /// A call that is entered.
    fn call(&mut self, at: (BlockId, usize), node: NodeId, part: &Part, next: NodeId) {
        let call = self.boxed(node, part);
        self.step(Place::Site(call, part.returns), next);
        for (exit, set) in &part.exits {
            self.raise(at.0, at.1, Place::Site(call, *exit), set);
        }
    }

    fn boxed(&mut self, node: NodeId, part: &Part) -> BoxId {
        self.boxes += 1;
        let mut name = std::mem::take(&mut self.maker.name);
        name.clear();
        let _ = write!(name, "call{}", self.boxes);
        let call = self.maker.builder.call_box(self.comp, &name, part.comp);
        self.maker.name = name;
        self.maker.builder.edge(Place::Node(node), Edge::Call(call, part.entry));
        call
    }

    /// Whether the initialiser of a class was begun before code of this procedure runs: that of its
    /// own class, or of one above. Lambdas are made by code of the class that they belong to.
    fn is_begun(&self, initialiser: ProcId) -> bool {
        let Maker { program, calls, .. } = *self.maker;
        let class = program.procedures()[initialiser].class;
        let Some(own) = program.procedures()[self.id].class else { return false };
        let name = program.classes()[own].name;
        let host = program.text(name).split_once(LAMBDA).map(|(host, _)| host);
        let host = host.and_then(|host| program.find_name(host)).unwrap_or(name);
        let kinds = [name, host].map(|name| calls.hierarchy.find(name));
        let mut chains = kinds.into_iter().flatten().flat_map(|kind| calls.hierarchy.chain(kind));
        chains.any(|kind| class.is_some() && calls.hierarchy.class(kind) == class)
    }

    /// Whether an initialiser may throw something.
    fn may_fail(&self, initialiser: ProcId) -> bool {
        self.maker.procedures.get(&initialiser).is_some_and(|part| !part.exits.is_empty())
    }

    /// A class cannot be used whose initialiser has failed.
    fn raise_failed_before(&mut self, block: BlockId, node: NodeId) {
        let Maker { program, calls, .. } = *self.maker;
        let (_, failed) = self.maker.thrown.failed_initialiser(program, &calls.hierarchy);
        let row = self.body.blocks[block].statements.start as usize;
        self.raise(block, row, Place::Node(node), &failed);
    }

    /// A class may be initialised, or is already, or was tried in vain.
    fn initialise(&mut self, block: BlockId, node: NodeId, initialiser: ProcId, next: NodeId) {
        self.step(Place::Node(node), next);
        let row = self.body.blocks[block].statements.start as usize;
        let Some(part) = self.maker.procedures.get(&initialiser).cloned() else { return };
        let call = self.boxed(node, &part);
        self.step(Place::Site(call, part.returns), next);
        let Maker { program, calls, .. } = *self.maker;
        let (failed, _) = self.maker.thrown.failed_initialiser(program, &calls.hierarchy);
        if !part.exits.is_empty() {
            self.raise_failed_before(block, node);
        }
        for (exit, set) in &part.exits {
            let both: Vec<u64> = set.iter().zip(&*failed).map(|(a, b)| a | b).collect();
            self.raise(block, row, Place::Site(call, *exit), &both);
        }
    }

    /// Goes on after something was thrown by a row of a block, or by its jump, which is the row
    /// behind: at handlers, and out of the procedure.
    fn raise(&mut self, block: BlockId, row: usize, from: Place, set: &[u64]) {
        if set.iter().all(|&word| word == 0) {
            return;
        }
        let body = self.body;
        let (calls, thrown) = (self.maker.calls, self.maker.thrown);
        let known = &mut self.handlers[block.index()];
        let handlers = *known.get_or_insert_with(|| {
            let found = thrown.handlers_of(calls, body, &body.blocks[block]);
            found.expect("all handlers were looked at")
        });
        let Handling { takes, escapes, .. } = &thrown.handling[handlers];
        let mut nodes = std::mem::take(&mut self.led_to);
        for (Handler { block, .. }, takes) in body.handlers(block).iter().zip(takes) {
            if meet(set, takes) {
                nodes.push(self.block(*block));
            }
        }
        for exit in 0..self.raises.len() {
            let (id, ref leaving) = self.part.exits[exit];
            let mut escaping = set.iter().zip(escapes).zip(leaving);
            if escaping.any(|((set, escapes), leaving)| set & escapes & leaving != 0) {
                let is_jump = row == body.blocks[block].statements.end as usize;
                let place = if is_jump { body.blocks[block].place } else { body.places[row] };
                nodes.push(self.raised(exit, id, place));
            }
        }
        self.steps(from, nodes);
    }

    /// Steps to all of some nodes, each once.
    fn steps(&mut self, from: Place, mut nodes: Vec<NodeId>) {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.drain(..).for_each(|to| self.step(from, to));
        self.led_to = nodes;
    }

    /// The node by which a procedure returns. It stands where the first `return` does.
    fn returned(&mut self, place: tern_ir::Place) -> NodeId {
        match self.returned {
            Some(node) => node,
            None => self.leaving(place, "leave"),
        }
    }

    /// Makes the node by which a procedure returns.
    fn leaving(&mut self, place: tern_ir::Place, text: &str) -> NodeId {
        let exit = self.part.returns;
        let node = self.maker.builder.node(self.comp, "return");
        self.maker.builder.edge(Place::Node(node), Edge::Return(exit));
        self.origin(node, place, Some(text.into()));
        self.events.extend(self.maker.labels.leave.of(self.id));
        self.label(node);
        self.returned = Some(node);
        node
    }

    /// The node by which a procedure throws. It stands where the first comes from that is thrown.
    fn raised(&mut self, exit: usize, id: ExitId, place: tern_ir::Place) -> NodeId {
        if let Some(node) = self.raises[exit] {
            return node;
        }
        let name = self.maker.builder.exits().name(id).to_owned();
        let node = self.maker.builder.node(self.comp, &name);
        self.maker.builder.edge(Place::Node(node), Edge::Return(id));
        self.origin(node, place, Some(name.into()));
        self.events.extend(self.maker.labels.leave.of(self.id));
        self.label(node);
        self.raises[exit] = Some(node);
        node
    }
}
