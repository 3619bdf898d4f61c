//! Makes the machine of a pushdown system; the header of the folder says what it is.
//!
//! Names: a node is called by its symbol if no other node has that symbol, else `p<g>`; a component
//! by the head at which it is entered first, a box by what it remembers, an exit by its control
//! state. In the component of a start with several symbols, nodes are called by the whole stack,
//! `p<g h>`.

use super::explore::{Action, Caller, HeadId, Heads, explore};
use super::outer::{Outer, OuterBox, OuterBoxId, OuterId, OuterPlace, OuterTarget};
use super::{ControlId, Rules, SymbolId, WordId};
use crate::problem::{Problem, Refusal};
use crate::source::{Lines, Source};
use crate::stack::{ChainId, LetterId, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};
use tern_model::budget::Meter;
use tern_model::index::{Lists, Table};
use tern_model::{
    BoxId, Builder, CompId, Edge, EndRule, ExitId, Id as _, Machine, NodeId, Place, Span,
};

/// How many symbols of a stack are told in the name of a node or box; of longer stacks the number
/// of the rest is told instead, so that the names of a deep stack do not grow with its depth.
const MOST_SYMBOLS: usize = 8;

/// The machine of a system, and the stack symbols of its nodes and boxes. `code` is that of the
/// problem that it is not sound, which the reader should have found.
///
/// # Errors
/// That the system is too large, or a limit.
pub(crate) fn machine(
    rules: &mut dyn Rules,
    source: &Source,
    code: &'static str,
    meter: &mut Meter<'_>,
) -> Result<(Machine, Symbols), Refusal> {
    let heads = explore(rules, meter)?;
    let mut translation = Translation::new(rules, heads);
    translation.builder.end_rule(EndRule::Sink);
    translation.find_needed(meter)?;
    translation.components(meter)?;
    translation.edges(meter)?;
    translation.sites(meter)?;
    translation.starts(meter)?;
    translation.labels(meter)?;
    translation.origins(source);
    let symbols = translation.symbols(meter)?;
    let mut builder = translation.builder;
    builder.names_are_unique();
    meter.budget().check()?;
    let machine = builder.finish().map_err(|flaws| {
        let problem = |flaw: tern_model::Flaw| Problem::error(code, flaw.to_string());
        Refusal::from(flaws.into_iter().map(problem).collect::<Vec<_>>())
    })?;
    Ok((machine, symbols))
}

struct Translation<'r> {
    rules: &'r dyn Rules,
    heads: Heads,
    builder: Builder,
    /// The heads that become nodes.
    needed: Table<HeadId, bool>,
    nodes: Table<HeadId, Option<NodeId>>,
    /// The component of each class, by the head that stands for it.
    components: FxHashMap<HeadId, CompId>,
    exits: FxHashMap<(CompId, ControlId), ExitId>,
    /// By component, what is remembered, and callee.
    boxes: FxHashMap<(CompId, WordId, CompId), BoxId>,
    /// What each of them remembers.
    remembered: Vec<(BoxId, WordId)>,
    /// The names that are taken: of components, and of boxes in components.
    taken: FxHashSet<(Option<CompId>, String)>,
    /// The component of the start, if that has several symbols.
    outer: Option<Outer>,
    outer_nodes: Table<OuterId, NodeId>,
    outer_boxes: Table<OuterBoxId, BoxId>,
}

impl<'r> Translation<'r> {
    fn new(rules: &'r dyn Rules, heads: Heads) -> Self {
        let count = heads.all().len();
        Translation {
            rules,
            heads,
            builder: Builder::new(),
            needed: Table::filled(true, count),
            nodes: Table::filled(None, count),
            components: FxHashMap::default(),
            exits: FxHashMap::default(),
            boxes: FxHashMap::default(),
            remembered: Vec::new(),
            taken: FxHashSet::default(),
            outer: None,
            outer_nodes: Table::new(),
            outer_boxes: Table::new(),
        }
    }

    /// Finds the component of the start, and which heads are needed beside it.
    fn find_needed(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        if self.heads.starts.iter().all(|(_, below)| below.is_none()) {
            return Ok(());
        }
        let outer = Outer::explore(&self.heads, self.rules.words(), meter)?;
        self.needed = Table::filled(false, self.needed.len());
        // From its callees on, everything that follows on any level.
        let mut called: Vec<HeadId> = outer.boxes.rows().iter().map(|(_, it)| it.callee).collect();
        self.outer = Some(outer);
        while let Some(head) = called.pop() {
            meter.tick()?;
            if std::mem::replace(&mut self.needed[head], true) {
                continue;
            }
            for &action in &self.heads.actions[head] {
                match action {
                    Action::Step(to) => called.push(to),
                    Action::Call(callee, word) => {
                        called.push(callee);
                        called.extend(self.come_back(callee, word));
                    }
                    Action::Pop(_) => {}
                }
            }
        }
        Ok(())
    }

    /// The heads on the level of a caller at which it goes on when a call has come back, and those
    /// that are then called, each with the rest of what was remembered.
    fn come_back(&self, callee: HeadId, word: WordId) -> Vec<HeadId> {
        let (mut reached, mut seen) = (Vec::new(), FxHashSet::default());
        let mut calls = vec![(callee, word)];
        while let Some((callee, word)) = calls.pop() {
            for &control in &self.heads.pops[callee] {
                match self.heads.after(self.rules.words(), word, control) {
                    Action::Call(next, rest) => {
                        reached.push(next);
                        if seen.insert((next, rest)) {
                            calls.push((next, rest));
                        }
                    }
                    Action::Step(next) => reached.push(next),
                    Action::Pop(_) => {}
                }
            }
        }
        reached
    }
}

/// Components, nodes and exits.
impl Translation<'_> {
    fn components(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        let mut by_class: Vec<(HeadId, HeadId)> = Vec::new();
        for head in self.needed.ids() {
            if self.needed[head] {
                by_class.push((self.heads.class(head), head));
            }
        }
        // Classes in the order of their first heads, heads in their own.
        by_class.sort_unstable();
        let shared = self.shared_symbols();
        let starts: FxHashSet<HeadId> = self.heads.starts.iter().map(|&(head, _)| head).collect();
        let names: Vec<String> = by_class.iter().map(|&(_, it)| self.name(it, &shared)).collect();
        let mut at = 0;
        while at < by_class.len() {
            let class = by_class[at].0;
            let end = at + by_class[at..].iter().take_while(|&&(other, _)| other == class).count();
            let own = &by_class[at..end];
            let is_entered =
                |&(_, it): &(_, HeadId)| !self.heads.callers[it].is_empty() || starts.contains(&it);
            let first = own.iter().position(is_entered).unwrap_or(0);
            let name = self.free(None, names[at + first].clone());
            let component = self.builder.component(&name);
            self.components.insert(class, component);
            for (&(_, head), name) in own.iter().zip(&names[at..end]) {
                meter.tick()?;
                let node = self.builder.node(component, name);
                self.nodes[head] = Some(node);
                if !self.heads.callers[head].is_empty() {
                    self.builder.entry(node);
                }
                for i in 0..self.heads.actions[head].len() {
                    if let Action::Pop(control) = self.heads.actions[head][i] {
                        self.exit(component, control);
                    }
                }
            }
            at = end;
        }
        Ok(())
    }

    /// The symbols that several heads have on top.
    fn shared_symbols(&self) -> FxHashSet<SymbolId> {
        let mut seen = FxHashSet::default();
        let heads = self.heads.all().iter().map(|(_, head)| head.symbol);
        heads.filter(|&symbol| !seen.insert(symbol)).collect()
    }

    fn name(&self, head: HeadId, shared: &FxHashSet<SymbolId>) -> String {
        let head = self.heads.all()[head];
        let symbol = self.rules.symbol_name(head.symbol);
        match shared.contains(&head.symbol) {
            true => format!("{}<{symbol}>", self.rules.control_name(head.control)),
            false => symbol,
        }
    }

    /// A name that nothing else has, the given one if possible.
    fn free(&mut self, component: Option<CompId>, mut name: String) -> String {
        while !self.taken.insert((component, name.clone())) {
            name.push('\'');
        }
        name
    }

    fn component_of(&mut self, head: HeadId) -> CompId {
        self.components[&self.heads.class(head)]
    }

    fn exit(&mut self, component: CompId, control: ControlId) -> ExitId {
        let (builder, rules) = (&mut self.builder, self.rules);
        let exit = self.exits.entry((component, control));
        *exit.or_insert_with(|| builder.exit(component, &rules.control_name(control)))
    }

    fn call_box(&mut self, component: CompId, word: WordId, callee: CompId) -> BoxId {
        if let Some(&known) = self.boxes.get(&(component, word, callee)) {
            return known;
        }
        let words = self.rules.words().symbols(word);
        let names: Vec<String> = words.map(|symbol| self.rules.symbol_name(symbol)).collect();
        let name = self.free(Some(component), names.join(" "));
        let call = self.builder.call_box(component, &name, callee);
        self.boxes.insert((component, word, callee), call);
        self.remembered.push((call, word));
        call
    }

    fn node(&self, head: HeadId) -> NodeId {
        self.nodes[head].unwrap_or_else(|| unreachable!("what is called or stepped to is needed"))
    }
}

/// Edges.
impl Translation<'_> {
    fn edges(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        for head in self.needed.ids() {
            let Some(node) = self.nodes[head] else { continue };
            let component = self.component_of(head);
            for i in 0..self.heads.actions[head].len() {
                meter.tick()?;
                let edge = self.edge(component, self.heads.actions[head][i]);
                self.builder.edge(Place::Node(node), edge);
            }
        }
        Ok(())
    }

    /// The edge of an action in a component that the target of a step is in.
    fn edge(&mut self, component: CompId, action: Action) -> Edge {
        match action {
            Action::Step(to) => Edge::Step(self.node(to)),
            Action::Pop(control) => Edge::Return(self.exit(component, control)),
            Action::Call(callee, word) => {
                let called = self.component_of(callee);
                Edge::Call(self.call_box(component, word, called), self.node(callee))
            }
        }
    }

    /// What follows calls that have come back. The calls of the component of the start are left
    /// out: its nodes are others.
    fn sites(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        let mut done: FxHashSet<(BoxId, ControlId)> = FxHashSet::default();
        for callee in self.needed.ids() {
            for i in 0..self.heads.callers[callee].len() {
                let Caller { head, word } = self.heads.callers[callee][i];
                let Some(owner) = head.filter(|&head| self.needed[head]) else { continue };
                let component = self.component_of(owner);
                let called = self.component_of(callee);
                let call = self.call_box(component, word, called);
                for j in 0..self.heads.pops[callee].len() {
                    meter.tick()?;
                    let control = self.heads.pops[callee][j];
                    if done.insert((call, control)) {
                        let action = self.heads.after(self.rules.words(), word, control);
                        let edge = self.edge(component, action);
                        let exit = self.exit(called, control);
                        self.builder.edge(Place::Site(call, exit), edge);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The start.
impl Translation<'_> {
    fn starts(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        let Some(outer) = self.outer.take() else {
            for i in 0..self.heads.starts.len() {
                let node = self.node(self.heads.starts[i].0);
                self.builder.initial(node);
            }
            return Ok(());
        };
        let name = self.free(None, "start".to_owned());
        let component = self.builder.component(&name);
        for (_, &(head, below)) in outer.nodes.rows().iter() {
            meter.tick()?;
            let name = self.whole_stack(head, below);
            self.outer_nodes.push(self.builder.node(component, &name));
        }
        let mut boxes: Table<OuterBoxId, (BoxId, CompId)> = Table::new();
        for (_, &OuterBox { callee, word, below }) in outer.boxes.rows().iter() {
            meter.tick()?;
            let called = self.component_of(callee);
            let rest = below.into_iter().flat_map(|below| self.rules.words().symbols(below));
            let symbols = self.rules.words().symbols(word).chain(rest);
            let symbols = symbols.take(MOST_SYMBOLS);
            let names: Vec<String> = symbols.map(|it| self.rules.symbol_name(it)).collect();
            let name = self.free(Some(component), names.join(" "));
            let call = self.builder.call_box(component, &name, called);
            self.outer_boxes.push(call);
            boxes.push((call, called));
        }
        for &(from, to) in &outer.edges {
            meter.tick()?;
            let from = match from {
                OuterPlace::Node(id) => Place::Node(self.outer_nodes[id]),
                OuterPlace::Site(id, control) => {
                    let (call, called) = boxes[id];
                    Place::Site(call, self.exit(called, control))
                }
            };
            let edge = match to {
                OuterTarget::Node(id) => Edge::Step(self.outer_nodes[id]),
                OuterTarget::Call(id) => Edge::Call(boxes[id].0, self.node(outer.boxes[id].callee)),
                OuterTarget::Exit(control) => Edge::Return(self.exit(component, control)),
            };
            self.builder.edge(from, edge);
        }
        for start in &self.heads.starts {
            let start = outer.nodes.find(start).map(|id| self.outer_nodes[id]);
            self.builder.initial(start.unwrap_or_else(|| unreachable!("starts were found first")));
        }
        self.outer = Some(outer);
        Ok(())
    }

    fn whole_stack(&self, head: HeadId, below: Option<WordId>) -> String {
        let head = self.heads.all()[head];
        let mut name = self.rules.control_name(head.control) + "<";
        name += &self.rules.symbol_name(head.symbol);
        let mut symbols = below.into_iter().flat_map(|word| self.rules.words().symbols(word));
        for symbol in symbols.by_ref().take(MOST_SYMBOLS) {
            name.push(' ');
            name += &self.rules.symbol_name(symbol);
        }
        if let (Some(word), Some(_)) = (below, symbols.next()) {
            name += &format!(" …{}", word.index());
        }
        name + ">"
    }

    fn labels(&mut self, meter: &mut Meter<'_>) -> Result<(), Refusal> {
        for (label, name) in self.rules.labels().iter() {
            meter.tick()?;
            let id = self.builder.label_id(name);
            debug_assert_eq!(id, label, "labels are numbered as in the system");
        }
        let Translation { builder, nodes, outer, outer_nodes, heads, .. } = self;
        let copies: Vec<(HeadId, NodeId)> = match outer {
            Some(outer) => {
                let nodes = outer.nodes.rows().iter();
                nodes.map(|(id, &(head, _))| (head, outer_nodes[id])).collect()
            }
            None => Vec::new(),
        };
        let copies = Lists::group(nodes.len(), &copies);
        self.rules.label(heads, &mut |head, label| {
            for &node in nodes[head].iter().chain(copies.of(head)) {
                builder.label_as(node, label);
            }
        });
        Ok(())
    }

    /// Says where nodes come from: from the first rules of their heads.
    fn origins(&mut self, source: &Source) {
        let own = self.nodes.iter().filter_map(|(head, &node)| Some((head, node?)));
        let outer = self.outer.iter().flat_map(|outer| outer.nodes.rows().iter());
        let copies = outer.map(|(id, &(head, _))| (head, self.outer_nodes[id]));
        let place = |(head, node)| Some((self.rules.place(self.heads.all()[head])?, node));
        let mut places: Vec<(u32, NodeId)> = own.chain(copies).filter_map(place).collect();
        // Places are found fast one behind the other.
        places.sort_unstable();
        let mut lines = Lines::new(source);
        for (at, node) in places {
            self.builder.origin(node, lines.origin(Span { start: at, end: at }));
        }
    }

    /// The stack symbols of nodes and boxes.
    fn symbols(&self, meter: &mut Meter<'_>) -> Result<Symbols, Refusal> {
        let mut symbols = Symbols::default();
        let letter = |symbol: SymbolId| LetterId::new(self.rules.base(symbol).index());
        symbols.names = self.rules.symbols().iter().map(|(_, name)| name.to_owned()).collect();
        for (_, &(symbol, rest)) in self.rules.words().rows().iter() {
            meter.tick()?;
            let rest = rest.map(|word| ChainId::new(word.index()));
            symbols.chains.push((letter(symbol), rest));
        }
        let chain = |word: WordId| ChainId::new(word.index());
        let mut of_nodes: Vec<(NodeId, (LetterId, Option<ChainId>))> = Vec::new();
        for (head, &node) in self.nodes.iter() {
            let top = self.heads.all()[head].symbol;
            of_nodes.extend(node.map(|node| (node, (letter(top), None))));
        }
        for (id, &(head, below)) in self.outer.iter().flat_map(|it| it.nodes.rows().iter()) {
            let top = self.heads.all()[head].symbol;
            of_nodes.push((self.outer_nodes[id], (letter(top), below.map(chain))));
        }
        let own = self.remembered.iter().map(|&(call, word)| (call, (chain(word), None)));
        let mut of_boxes: Vec<(BoxId, (ChainId, Option<ChainId>))> = own.collect();
        for (id, &OuterBox { word, below, .. }) in
            self.outer.iter().flat_map(|it| it.boxes.rows().iter())
        {
            of_boxes.push((self.outer_boxes[id], (chain(word), below.map(chain))));
        }
        // Each node and box is there once.
        of_nodes.sort_unstable_by_key(|(node, _)| *node);
        of_boxes.sort_unstable_by_key(|(call, _)| *call);
        symbols.of_nodes = of_nodes.into_iter().map(|(_, word)| word).collect();
        symbols.of_boxes = of_boxes.into_iter().map(|(_, words)| words).collect();
        Ok(symbols)
    }
}
