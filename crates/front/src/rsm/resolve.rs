//! Finds what the names of a file mean, notes every name that means nothing, and fills a builder.
//!
//! Names are unique within a component only, so for each symbol there is the list of all nodes of
//! that name, in the order of the file. The nodes of a component are neighbours in that order:
//! a node of a given name in a given component is found by bisection, which is one look unless
//! many components use the same name. Boxes and components are found the same way.

use super::json::Name;
use super::raw::{Raw, RawComponent, Reference};
use super::string_span;
use super::symbols::{Symbol, Symbols};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::words::{did_you_mean, listed};
use std::ops::Range;
use tern_model::budget::Meter;
use tern_model::index::Lists;
use tern_model::{BoxId, Builder, CompId, Edge, ExitId, Id, LabelId, Limit, NodeId, Place, Span};

/// Says whether a node is an entry, or an exit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Entry,
    Exit,
}

/// Fills a builder with what `raw` says. The builder is of use only if no problems were noted.
pub(super) fn resolve(
    raw: &Raw,
    names: &Symbols,
    text: &[u8],
    problems: &mut Collector,
    meter: &mut Meter,
) -> Result<Builder, Limit> {
    let mut resolver = Resolver::new(raw, names, text, problems);
    resolver.check_duplicates();
    resolver.declare(meter)?;
    resolver.connect(meter)?;
    resolver.start();
    Ok(resolver.builder)
}

struct Resolver<'a> {
    raw: &'a Raw,
    names: &'a Symbols<'a>,
    text: &'a [u8],
    problems: &'a mut Collector,
    builder: Builder,
    components: Lists<Symbol, CompId>,
    nodes: Lists<Symbol, NodeId>,
    boxes: Lists<Symbol, BoxId>,
    /// The labels that were given already.
    label_of: Vec<Option<LabelId>>,
    /// The exit that a node is.
    exit_of: Vec<Option<ExitId>>,
    /// `None` where the callee does not exist, which has been noted.
    callee_of: Vec<Option<CompId>>,
}

/// The words of messages. Looked up when there is something to say, which is hardly ever.
#[derive(Clone, Copy)]
struct Words<'a> {
    raw: &'a Raw,
    names: &'a Symbols<'a>,
}

impl<'a> Words<'a> {
    fn of(self, name: Name) -> &'a str {
        self.names.of(name.symbol)
    }

    fn component(self, id: CompId) -> &'a str {
        self.raw.components[id.index()].name.map_or("", |name| self.of(name))
    }
}

/// What a name stands for.
enum Found<I> {
    Nothing,
    One(I),
    /// Which is a problem that has been noted; what follows from it is not worth noting.
    Several,
}

/// What of a sorted list lies in a range.
#[inline]
fn find<I: Id>(list: &[I], range: &Range<u32>) -> Found<I> {
    let position = list.partition_point(|id| id.index() < range.start as usize);
    let inside = |id: &I| id.index() < range.end as usize;
    match &list[position..] {
        [_, second, ..] if inside(second) => Found::Several,
        [first, ..] if inside(first) => Found::One(*first),
        _ => Found::Nothing,
    }
}

/// The pairs of neighbours in `list` for which `same` holds.
fn repeats<I: Id>(list: &[I], mut same: impl FnMut(I, I) -> bool) -> impl Iterator<Item = (I, I)> {
    list.windows(2).map(|pair| (pair[0], pair[1])).filter(move |&(a, b)| same(a, b))
}

impl<'a> Resolver<'a> {
    fn new(
        raw: &'a Raw,
        names: &'a Symbols<'a>,
        text: &'a [u8],
        problems: &'a mut Collector,
    ) -> Self {
        fn by_name<I: Id>(
            names: &Symbols,
            symbols: impl Iterator<Item = Option<Symbol>> + Clone,
        ) -> Lists<Symbol, I> {
            let pairs = symbols.enumerate().filter_map(|(i, name)| Some((name?, I::new(i))));
            Lists::gather(names.len(), pairs)
        }
        let component_names = raw.components.iter().map(|c| c.name.map(|name| name.symbol));
        Resolver {
            components: by_name(names, component_names),
            nodes: by_name(names, raw.nodes.iter().map(|node| Some(node.name.symbol))),
            boxes: by_name(names, raw.boxes.iter().map(|call| Some(call.name.symbol))),
            exit_of: vec![None; raw.nodes.len()],
            callee_of: vec![None; raw.boxes.len()],
            label_of: vec![None; names.len()],
            builder: Builder::new(),
            raw,
            names,
            text,
            problems,
        }
    }

    fn words(&self) -> Words<'a> {
        Words { raw: self.raw, names: self.names }
    }

    fn word(&self, name: Name) -> &'a str {
        self.words().of(name)
    }

    fn span(&self, name: Name) -> Span {
        string_span(self.text, name.at)
    }

    fn component(&self, id: CompId) -> &'a RawComponent {
        &self.raw.components[id.index()]
    }

    fn component_word(&self, id: CompId) -> &'a str {
        self.words().component(id)
    }

    /// Notes names that are declared twice in the same component.
    fn check_duplicates(&mut self) {
        let raw = self.raw;
        let owner = |ranges: fn(&RawComponent) -> &Range<u32>, row: usize| {
            let after = raw.components.partition_point(|c| ranges(c).start as usize <= row);
            CompId::new(after.saturating_sub(1))
        };
        let mut found: Vec<(&'static str, Option<CompId>, Name, Name)> = Vec::new();
        for symbol in (0..self.names.len()).map(Symbol::new) {
            for (first, second) in repeats(self.components.of(symbol), |_, _| true) {
                let name = |id| self.component(id).name;
                if let (Some(first), Some(second)) = (name(first), name(second)) {
                    found.push(("R110", None, first, second));
                }
            }
            let node_owner = |id: NodeId| owner(|c| &c.nodes, id.index());
            let nodes = repeats(self.nodes.of(symbol), |a, b| node_owner(a) == node_owner(b));
            for (first, second) in nodes {
                let name = |id: NodeId| raw.nodes[id.index()].name;
                found.push(("R111", Some(node_owner(second)), name(first), name(second)));
            }
            let box_owner = |id: BoxId| owner(|c| &c.boxes, id.index());
            let boxes = repeats(self.boxes.of(symbol), |a, b| box_owner(a) == box_owner(b));
            for (first, second) in boxes {
                let name = |id: BoxId| raw.boxes[id.index()].name;
                found.push(("R112", Some(box_owner(second)), name(first), name(second)));
            }
        }
        for (code, owner, first, second) in found {
            let owner = owner.map(|owner| self.component_word(owner));
            let (names, text) = (self.names, self.text);
            self.problems.add(|_| {
                let word = names.of(second.symbol);
                let message = match owner {
                    None => format!("there are two components `{word}`"),
                    Some(owner) if code == "R111" => {
                        format!("component `{owner}` has two nodes `{word}`")
                    }
                    Some(owner) => format!("component `{owner}` has two boxes `{word}`"),
                };
                Problem::error(code, message)
                    .at(string_span(text, second.at), "declared again")
                    .related(string_span(text, first.at), "first declared here")
                    .hint("rename one of them")
            });
        }
    }

    /// Enters components, nodes with their labels, and boxes.
    fn declare(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let raw = self.raw;
        self.builder.expect_edges(raw.targets.len());
        for id in (0..raw.components.len()).map(CompId::new) {
            self.builder.component(self.component_word(id));
        }
        let mut label_start = 0;
        for (id, component) in raw.components.iter().enumerate() {
            for row in component.nodes.start as usize..component.nodes.end as usize {
                meter.tick()?;
                let node = &raw.nodes[row];
                let node_id = self.builder.node(CompId::new(id), self.word(node.name));
                for &label in &raw.labels[label_start..node.labels_end as usize] {
                    let known = &mut self.label_of[label.index()];
                    let id =
                        *known.get_or_insert_with(|| self.builder.label_id(self.names.of(label)));
                    self.builder.label_as(node_id, id);
                }
                label_start = node.labels_end as usize;
                if node.is_entry {
                    self.builder.entry(node_id);
                }
                if node.is_exit {
                    self.exit_of[row] = Some(self.builder.exit_node(node_id));
                }
            }
        }
        let mut port_start = 0;
        for (id, component) in raw.components.iter().enumerate() {
            for row in component.boxes.start as usize..component.boxes.end as usize {
                meter.tick()?;
                let call = &raw.boxes[row];
                let message = |word: &str| format!("there is no component `{word}`");
                let callee = self.find_component("R120", message, call.callee);
                self.callee_of[row] = callee;
                let ports = &raw.ports[port_start..call.ports_end as usize];
                port_start = call.ports_end as usize;
                if let Some(callee) = callee {
                    for port in ports {
                        let role = if port.returns { Role::Exit } else { Role::Entry };
                        self.find_port(call.name, callee, port.name, role);
                    }
                }
                // Without a callee there is a problem, and the builder will not be used.
                let callee = callee.unwrap_or(CompId::new(id));
                self.builder.call_box(CompId::new(id), self.word(call.name), callee);
            }
        }
        Ok(())
    }

    /// Enters the edges.
    fn connect(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let raw = self.raw;
        let mut target_start = 0;
        for (id, component) in raw.components.iter().enumerate() {
            let id = CompId::new(id);
            for row in component.transitions.start as usize..component.transitions.end as usize {
                let transition = &raw.transitions[row];
                let targets = &raw.targets[target_start..transition.targets_end as usize];
                target_start = transition.targets_end as usize;
                let from = transition
                    .source
                    .and_then(|source| self.find_place(id, source, targets.is_empty()));
                if let (Some(Place::Node(node)), Some(first)) = (from, targets.first()) {
                    self.check_not_exit(id, node, transition.source, first);
                }
                for &target in targets {
                    meter.tick()?;
                    let edge = self.find_edge(id, target);
                    if let (Some(from), Some(edge)) = (from, edge) {
                        self.builder.edge(from, edge);
                    }
                }
                meter.tick()?;
            }
        }
        Ok(())
    }

    /// Enters the initial nodes.
    fn start(&mut self) {
        let raw = self.raw;
        let Some(name) = raw.initial_component else { return };
        let message = |word: &str| format!("the initial component `{word}` does not exist");
        let Some(component) = self.find_component("R131", message, name) else { return };
        for &initial in &raw.initial_nodes {
            let (node, comp) = (self.word(initial), self.component_word(component));
            let message = || format!("the initial node `{node}` is not a node of `{comp}`");
            if let Some(node) = self.find_node("R132", message, component, initial, |_| true) {
                self.builder.initial(node);
            }
        }
    }

    /// The place that has the edges of a transition. RSMCheck lists the call nodes of boxes as
    /// sources too, with no targets; an `idle` source may be one of these, and is then no place.
    fn find_place(&mut self, component: CompId, source: Reference, idle: bool) -> Option<Place> {
        let Some(through) = source.through else {
            return self.find_own_node(component, source.node).map(Place::Node);
        };
        let call = self.find_box(component, through)?;
        let callee = self.callee_of[call.index()]?;
        if idle
            && let Found::One(node) =
                find(self.nodes.of(source.node.symbol), &self.component(callee).nodes)
            && self.raw.nodes[node.index()].is_entry
        {
            return None;
        }
        let node = self.find_port(through, callee, source.node, Role::Exit)?;
        Some(Place::Site(call, self.exit_of[node.index()]?))
    }

    fn find_edge(&mut self, component: CompId, target: Reference) -> Option<Edge> {
        let Some(through) = target.through else {
            return self.find_own_node(component, target.node).map(Edge::Step);
        };
        let call = self.find_box(component, through)?;
        let callee = self.callee_of[call.index()]?;
        let entry = self.find_port(through, callee, target.node, Role::Entry)?;
        Some(Edge::Call(call, entry))
    }

    fn find_own_node(&mut self, component: CompId, node: Name) -> Option<NodeId> {
        let words = self.words();
        let message = || {
            let (comp, word) = (words.component(component), words.of(node));
            format!("component `{comp}` has no node `{word}`")
        };
        self.find_node("R121", message, component, node, |_| true)
    }

    /// A node of `component`, or a problem with the message. Hints name nodes that `fit`.
    #[inline]
    fn find_node(
        &mut self,
        code: &'static str,
        message: impl FnOnce() -> String,
        component: CompId,
        node: Name,
        fit: impl Fn(usize) -> bool,
    ) -> Option<NodeId> {
        match find(self.nodes.of(node.symbol), &self.component(component).nodes) {
            Found::One(found) => return Some(found),
            Found::Several => return None,
            Found::Nothing => {}
        }
        if !self.component(component).damaged {
            let (comp, word, span) = (self.component(component), self.word(node), self.span(node));
            let (names, nodes) = (self.names, &self.raw.nodes);
            self.problems.add(|nearest| {
                let rows = (comp.nodes.start as usize..comp.nodes.end as usize).filter(|&i| fit(i));
                let near = nearest.among(word, rows.map(|i| names.of(nodes[i].name.symbol)));
                let mut problem = Problem::error(code, message()).at(span, "no such node");
                problem.hint = did_you_mean(near);
                problem
            });
        }
        None
    }

    /// The entry or exit of `callee` that is named at box `through`, or a problem.
    fn find_port(
        &mut self,
        through: Name,
        callee: CompId,
        node: Name,
        role: Role,
    ) -> Option<NodeId> {
        let raw = self.raw;
        let has_role = move |row: usize| match role {
            Role::Entry => raw.nodes[row].is_entry,
            Role::Exit => raw.nodes[row].is_exit,
        };
        let words = self.words();
        let said = || (words.of(through), words.component(callee), words.of(node));
        let message = || {
            let (call, comp, word) = said();
            format!("box `{call}` calls `{comp}`, which has no node `{word}`")
        };
        let found = self.find_node("R121", message, callee, node, has_role)?;
        if has_role(found.index()) {
            return Some(found);
        }
        let (call, comp, word) = said();
        let (here, declared) = (self.span(node), self.span(raw.nodes[found.index()].name));
        let range = &self.component(callee).nodes;
        let names = self.names;
        self.problems.add(|_| {
            let rows = (range.start as usize..range.end as usize).filter(|&row| has_role(row));
            let right = listed(5, rows.map(|row| names.of(raw.nodes[row].name.symbol)));
            let (code, flag, message, label) = match (role, right.is_empty()) {
                (Role::Entry, none) => (
                    "R124",
                    "is_entry",
                    format!("box `{call}` calls `{word}`, which is not an entry of `{comp}`"),
                    if none {
                        format!("`{comp}` has no entries")
                    } else {
                        format!("`{comp}` is entered only at {right}")
                    },
                ),
                (Role::Exit, none) => (
                    "R125",
                    "is_exit",
                    format!("box `{call}` returns to `{word}`, which is not an exit of `{comp}`"),
                    if none {
                        format!("`{comp}` has no exits")
                    } else {
                        format!("`{comp}` leaves only through {right}")
                    },
                ),
            };
            Problem::error(code, message)
                .at(here, label)
                .related(declared, "declared here")
                .hint(format!("if it should be one, declare it with \"{flag}\": true"))
        });
        None
    }

    fn find_box(&mut self, component: CompId, name: Name) -> Option<BoxId> {
        let comp = self.component(component);
        match find(self.boxes.of(name.symbol), &comp.boxes) {
            Found::One(found) => return Some(found),
            Found::Several => return None,
            Found::Nothing => {}
        }
        if !comp.damaged {
            let (owner, word, span) =
                (self.component_word(component), self.word(name), self.span(name));
            let (names, boxes) = (self.names, &self.raw.boxes);
            self.problems.add(|nearest| {
                let own = &boxes[comp.boxes.start as usize..comp.boxes.end as usize];
                let near = nearest.among(word, own.iter().map(|call| names.of(call.name.symbol)));
                let message = format!("component `{owner}` has no box `{word}`");
                let mut problem = Problem::error("R122", message).at(span, "no such box");
                problem.hint = did_you_mean(near);
                problem
            });
        }
        None
    }

    /// A component, or a problem with the message.
    fn find_component(
        &mut self,
        code: &'static str,
        message: impl FnOnce(&str) -> String,
        name: Name,
    ) -> Option<CompId> {
        match self.components.of(name.symbol) {
            [only] => return Some(*only),
            [] if !self.raw.lost_component => {}
            _ => return None,
        }
        let (word, span) = (self.word(name), self.span(name));
        let (names, components) = (self.names, &self.raw.components);
        self.problems.add(|nearest| {
            let all = components.iter().filter_map(|component| component.name);
            let near = nearest.among(word, all.map(|name| names.of(name.symbol)));
            let mut problem = Problem::error(code, message(word)).at(span, "no such component");
            problem.hint = did_you_mean(near);
            problem
        });
        None
    }

    /// Notes an exit that goes on within its component.
    #[inline]
    fn check_not_exit(
        &mut self,
        component: CompId,
        node: NodeId,
        source: Option<Reference>,
        target: &Reference,
    ) {
        let raw = &self.raw.nodes[node.index()];
        if !raw.is_exit {
            return;
        }
        let Some(source) = source else { return };
        let (word, comp) = (self.word(raw.name), self.component_word(component));
        let (here, declared) = (self.span(source.node), self.span(raw.name));
        let to = self.word(target.node);
        self.problems.add(|_| {
            Problem::error("R123", format!("exit `{word}` of `{comp}` has a transition to `{to}`"))
                .at(here, "an exit leaves the component; it cannot go on in it")
                .related(declared, "declared as an exit here")
                .hint("step to a separate exit node, or drop `is_exit`")
        });
    }
}
