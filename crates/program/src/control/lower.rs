//! One procedure as one component.
//!
//! Blocks are made when they are first led to, so that handlers at which nothing arrives cost
//! nothing. A block becomes a row of nodes: one for each statement that matters, and one for its
//! jump unless that is a `goto`. A block without nodes is passed; a circle of such blocks becomes a
//! node that leads to itself.
//!
//! Each exit is left from one node of its name, so that machines can be written as RSM JSON: the
//! `return` of a procedure that has just one, and else a node behind them.

use super::labels::{EventNo, used_class};
use super::thrown::{self, Handling, Set, meet};
use super::{Maker, Part};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tern_ir::{BlockId, Body, Handler, Jump, ProcId, VarId};
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
    /// A statement, by its row.
    Statement(usize),
    /// The jump.
    Jump,
}

/// A procedure that is being made into a component.
pub(super) struct Lowering<'m, 'a> {
    maker: &'m mut Maker<'a>,
    id: ProcId,
    body: &'a Body,
    comp: CompId,
    references: Vec<Option<ReferenceId>>,
    title: Arc<str>,
    file: Arc<str>,
    /// The items of blocks that were led to.
    items: Vec<Option<Vec<Item>>>,
    open: Vec<BlockId>,
    /// Nodes of circles without nodes, by block.
    spins: FxHashMap<BlockId, NodeId>,
    /// Whether there is just one `return`, and the node by which it returns.
    returns_once: bool,
    returned: Option<NodeId>,
    /// Nodes by which it throws, by exit.
    raises: Vec<Option<NodeId>>,
    caught: FxHashMap<VarId, Set>,
    /// Offsets that are names of nodes already.
    named: FxHashMap<u32, u32>,
    boxes: u32,
    events: Vec<EventNo>,
}

impl<'m, 'a> Lowering<'m, 'a> {
    pub(super) fn new(maker: &'m mut Maker<'a>, id: ProcId, body: &'a Body) -> Self {
        let program = maker.program;
        let Part { comp, ref exits, .. } = maker.procedures[&id];
        let raises = vec![None; exits.len()];
        let class = program.procedures()[id].class;
        let file = match (body.file, class) {
            (Some(file), _) => program.text(file),
            (None, Some(class)) => program.text(program.classes()[class].name),
            (None, None) => "",
        };
        Lowering {
            id,
            body,
            comp,
            references: thrown::references(maker.calls, id, body),
            title: maker.title(id),
            file: file.into(),
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
            named: FxHashMap::default(),
            boxes: 0,
            events: Vec::new(),
            maker,
        }
    }

    /// Makes the nodes and edges of the component.
    pub(super) fn run(mut self) -> Result<(), Limit> {
        let entry = self.maker.procedures[&self.id].entry;
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
        self.returned();
        for exit in 0..self.raises.len() {
            let id = self.maker.procedures[&self.id].exits[exit].0;
            self.raised(exit, id);
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
        let times = self.named.entry(place.offset).or_insert(0);
        *times += 1;
        let name = match *times {
            1 => place.offset.to_string(),
            times => format!("{}.{times}", place.offset),
        };
        let node = self.maker.builder.node(self.comp, &name);
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
            let items = self.items[at.index()].as_ref().expect("it was made");
            if let Some(first) = items.first() {
                return first.node;
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
        let mut items = Vec::new();
        let body = self.body;
        let rows = &body.blocks[block].statements;
        for row in rows.start as usize..rows.end as usize {
            let (statement, place) = (&body.statements[row], body.places[row]);
            let program = self.maker.program;
            let used = used_class(program, self.maker.calls, statement, self.references[row]);
            let initialisers = used.map_or(&[][..], |class| self.maker.initialisers.of(class));
            for &initialiser in initialisers {
                let node = self.node(place, Some(self.maker.initialise_text.clone()));
                items.push(Item { node, what: What::Initialise(initialiser) });
            }
            self.maker.labels.of_statement(self.id, body, statement, &mut self.events);
            let at_line = self.maker.labels.at_line(body, place.line);
            self.events.extend(at_line);
            if let Some(reference) = self.references[row] {
                self.events.extend(self.maker.labels.calls.of(reference));
            }
            let matters = !self.events.is_empty()
                || self.references[row].is_some()
                || self.maker.options.every_step
                || self.maker.options.implicit && thrown::failures(program, statement).is_some();
            if matters {
                let text = self.maker.text(statement, self.references[row]);
                let node = self.node(place, text);
                self.label(node);
                items.push(Item { node, what: What::Statement(row) });
            }
        }
        self.jump(block, &mut items);
        if !items.is_empty() {
            self.open.push(block);
        }
        self.items[block.index()] = Some(items);
    }

    fn jump(&mut self, block: BlockId, items: &mut Vec<Item>) {
        let body = self.body;
        let tern_ir::Block { jump, place, .. } = &body.blocks[block];
        self.maker.labels.of_jump(self.id, jump, &mut self.events);
        if !matches!(jump, Jump::Goto(_)) {
            let at_line = self.maker.labels.at_line(body, place.line);
            self.events.extend(at_line);
        }
        let text = match jump {
            Jump::Return(_) if self.returns_once => {
                let node = self.leaving(*place, "return");
                items.push(Item { node, what: What::Jump });
                return;
            }
            Jump::Return(_) => Some("return"),
            Jump::Throw(value) => {
                let program = self.maker.program;
                for (class, _) in thrown::describe(program, body, *value).classes {
                    self.events.extend(self.maker.labels.thrown(class));
                }
                Some("throw")
            }
            Jump::Branch { .. } | Jump::Switch { .. } => None,
            Jump::Goto(_) => return,
        };
        let node = self.node(*place, text.map(Arc::from));
        self.label(node);
        items.push(Item { node, what: What::Jump });
    }

    /// The edges of the nodes of a block.
    fn edges(&mut self, block: BlockId) -> Result<(), Limit> {
        let items = self.items[block.index()].clone().expect("it was made");
        for (i, item) in items.iter().enumerate() {
            self.maker.meter.tick()?;
            let next = match items.get(i + 1) {
                Some(next) => Some(next.node),
                None => match self.body.blocks[block].jump {
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
                let mut targets = Vec::new();
                jump.targets(|target| targets.push(target));
                let mut nodes: Vec<NodeId> = targets.iter().map(|&it| self.block(it)).collect();
                nodes.sort_unstable();
                nodes.dedup();
                nodes.into_iter().for_each(|to| self.step(Place::Node(node), to));
            }
            Jump::Return(_) if self.returns_once => {}
            Jump::Return(_) => {
                let returned = self.returned();
                self.step(Place::Node(node), returned);
            }
            Jump::Throw(value) => {
                let Maker { program, calls, .. } = *self.maker;
                let hierarchy = &calls.hierarchy;
                let set =
                    self.maker.thrown.set_of_throw(program, hierarchy, body, *value, &self.caught);
                self.raise(block, Place::Node(node), &set);
            }
        }
    }

    fn statement(&mut self, block: BlockId, row: usize, node: NodeId, next: NodeId) {
        let Maker { program, calls, options, .. } = *self.maker;
        let statement = &self.body.statements[row];
        if options.implicit
            && let Some(set) = self.maker.thrown.failures(program, &calls.hierarchy, statement)
        {
            self.raise(block, Place::Node(node), &set);
        }
        let Some(reference) = self.references[row] else {
            self.step(Place::Node(node), next);
            return;
        };
        let is_event = !self.maker.labels.calls.of(reference).is_empty();
        let part = if is_event { None } else { self.maker.part_of(reference) };
        match part {
            Some(part) => self.call(block, node, &part, next),
            None => {
                self.step(Place::Node(node), next);
                let set: Set = self.maker.thrown.by_reference(reference).into();
                self.raise(block, Place::Node(node), &set);
            }
        }
    }

    /// A call that is entered.
    fn call(&mut self, block: BlockId, node: NodeId, part: &Part, next: NodeId) {
        let call = self.boxed(node, part);
        self.step(Place::Site(call, part.returns), next);
        for (exit, set) in &part.exits {
            self.raise(block, Place::Site(call, *exit), set);
        }
    }

    fn boxed(&mut self, node: NodeId, part: &Part) -> BoxId {
        self.boxes += 1;
        let call =
            self.maker.builder.call_box(self.comp, &format!("call{}", self.boxes), part.comp);
        self.maker.builder.edge(Place::Node(node), Edge::Call(call, part.entry));
        call
    }

    /// A class may be initialised, or is already.
    fn initialise(&mut self, block: BlockId, node: NodeId, initialiser: ProcId, next: NodeId) {
        self.step(Place::Node(node), next);
        let Some(part) = self.maker.procedures.get(&initialiser).cloned() else { return };
        let call = self.boxed(node, &part);
        self.step(Place::Site(call, part.returns), next);
        let Maker { program, calls, .. } = *self.maker;
        let failed = self.maker.thrown.failed_initialiser(program, &calls.hierarchy);
        for (exit, set) in &part.exits {
            let both: Vec<u64> = set.iter().zip(&*failed).map(|(a, b)| a | b).collect();
            self.raise(block, Place::Site(call, *exit), &both);
        }
    }

    /// Goes on after something was thrown: at handlers, and out of the procedure.
    fn raise(&mut self, block: BlockId, from: Place, set: &[u64]) {
        let body = self.body;
        let calls = self.maker.calls;
        let thrown = self.maker.thrown;
        let Some(Handling { takes, escapes, .. }) =
            thrown.handlers_of(calls, body, &body.blocks[block])
        else {
            unreachable!("all handlers were looked at")
        };
        let mut nodes = Vec::new();
        for (Handler { block, .. }, takes) in body.handlers(block).iter().zip(takes) {
            if meet(set, takes) {
                nodes.push(self.block(*block));
            }
        }
        let escaping: Vec<u64> = set.iter().zip(&**escapes).map(|(a, b)| a & b).collect();
        for exit in 0..self.raises.len() {
            let (id, leaving) = &self.maker.procedures[&self.id].exits[exit];
            if meet(&escaping, leaving) {
                nodes.push(self.raised(exit, *id));
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter().for_each(|to| self.step(from, to));
    }

    /// The node by which a procedure returns.
    fn returned(&mut self) -> NodeId {
        match self.returned {
            Some(node) => node,
            None => self.leaving(self.body.blocks[BlockId::new(0)].place, "leave"),
        }
    }

    /// Makes the node by which a procedure returns.
    fn leaving(&mut self, place: tern_ir::Place, text: &str) -> NodeId {
        let exit = self.maker.procedures[&self.id].returns;
        let node = self.maker.builder.node(self.comp, "return");
        self.maker.builder.edge(Place::Node(node), Edge::Return(exit));
        self.origin(node, place, Some(text.into()));
        self.events.extend(self.maker.labels.leave.of(self.id));
        self.label(node);
        self.returned = Some(node);
        node
    }

    /// The node by which a procedure throws.
    fn raised(&mut self, exit: usize, id: ExitId) -> NodeId {
        if let Some(node) = self.raises[exit] {
            return node;
        }
        let name = self.maker.builder.exits().name(id).to_owned();
        let node = self.maker.builder.node(self.comp, &name);
        self.maker.builder.edge(Place::Node(node), Edge::Return(id));
        let place = self.body.blocks[BlockId::new(0)].place;
        self.origin(node, place, Some(name.into()));
        self.events.extend(self.maker.labels.leave.of(self.id));
        self.label(node);
        self.raises[exit] = Some(node);
        node
    }
}
