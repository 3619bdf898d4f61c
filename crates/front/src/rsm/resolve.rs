//! Finds what the names of a file mean, notes every name that means nothing, and fills a builder.
//!
//! Components, nodes and boxes have the numbers of their rows in the file.

use super::json::Name;
use super::raw::{Raw, RawComponent, Reference};
use super::string_span;
use super::symbols::Symbols;
use crate::collector::Collector;
use crate::problem::Problem;
use crate::scope::{Named, Scope, Sought};
use crate::words::listed;
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Builder, CompId, Edge, ExitId, Id, LabelId, Limit, NodeId, Place, Span, Surety,
};

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
    let expected = [raw.components.len(), raw.nodes.len(), raw.boxes.len(), 0];
    let mut resolver = Resolver {
        exit_of: vec![None; raw.nodes.len()],
        callee_of: vec![None; raw.boxes.len()],
        label_of: vec![None; names.len()],
        scope: Scope::new(Builder::new(), expected, meter)?,
        raw,
        names,
        text,
        problems,
    };
    resolver.declare(meter)?;
    resolver.connect(meter)?;
    resolver.start();
    Ok(resolver.scope.builder)
}

struct Resolver<'a> {
    raw: &'a Raw,
    names: &'a Symbols<'a>,
    text: &'a [u8],
    problems: &'a mut Collector,
    scope: Scope,
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

impl<'a> Resolver<'a> {
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

    /// Notes a name that is declared twice, in a component if one is given.
    fn declared_twice(&mut self, code: &'static str, owner: Option<CompId>, names: [Name; 2]) {
        let owner = owner.map(|owner| self.component_word(owner));
        let word = self.word(names[1]);
        let [first, second] = names.map(|name| self.span(name));
        self.problems.add(|_| {
            let message = match owner {
                None => format!("there are two components `{word}`"),
                Some(owner) if code == "R111" => {
                    format!("component `{owner}` has two nodes `{word}`")
                }
                Some(owner) => format!("component `{owner}` has two boxes `{word}`"),
            };
            Problem::error(code, message)
                .at(second, "declared again")
                .related(first, "first declared here")
                .hint("rename one of them")
        });
    }

    /// Enters components, nodes with their labels, and boxes.
    fn declare(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let raw = self.raw;
        self.scope.builder.expect_edges(raw.targets.len());
        for id in (0..raw.components.len()).map(CompId::new) {
            self.scope.builder.component(self.component_word(id));
            // One without a name is a problem that has been noted.
            let Some(name) = self.component(id).name else { continue };
            let first = self.scope.add_component(id).and_then(|first| self.component(first).name);
            if let Some(first) = first {
                self.declared_twice("R110", None, [first, name]);
            }
        }
        let mut label_start = 0;
        let mut unknown = raw.unknown.iter().peekable();
        for (id, component) in raw.components.iter().enumerate() {
            for row in component.nodes.start as usize..component.nodes.end as usize {
                meter.tick()?;
                let node = &raw.nodes[row];
                let node_id = self.scope.builder.node(CompId::new(id), self.word(node.name));
                if let Some(first) = self.scope.add_node(node_id) {
                    let names = [raw.nodes[first.index()].name, node.name];
                    self.declared_twice("R111", Some(CompId::new(id)), names);
                }
                for &label in &raw.labels[label_start..node.labels_end as usize] {
                    let known = &mut self.label_of[label.index()];
                    let id = *known
                        .get_or_insert_with(|| self.scope.builder.label_id(self.names.of(label)));
                    self.scope.builder.label_as(node_id, id);
                }
                label_start = node.labels_end as usize;
                while let Some((_, label)) = unknown.next_if(|(of, _)| *of as usize <= row) {
                    self.scope.builder.unknown_label(node_id, self.names.of(*label));
                }
                if node.is_entry {
                    self.scope.builder.entry(node_id);
                }
                if node.is_exit {
                    self.exit_of[row] = Some(self.scope.builder.exit_node(node_id));
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
                let word = self.word(call.name);
                let box_id = self.scope.builder.call_box(CompId::new(id), word, callee);
                if let Some(first) = self.scope.add_box(box_id) {
                    let names = [raw.boxes[first.index()].name, call.name];
                    self.declared_twice("R112", Some(CompId::new(id)), names);
                }
            }
        }
        Ok(())
    }

    /// Enters the edges.
    fn connect(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let raw = self.raw;
        let mut target_start = 0;
        let mut possible = raw.possible.iter().peekable();
        for (id, component) in raw.components.iter().enumerate() {
            let id = CompId::new(id);
            for row in component.transitions.start as usize..component.transitions.end as usize {
                let transition = &raw.transitions[row];
                let first = target_start;
                let targets = &raw.targets[first..transition.targets_end as usize];
                target_start = transition.targets_end as usize;
                let from = transition
                    .source
                    .and_then(|source| self.find_place(id, source, targets.is_empty()));
                if let (Some(Place::Node(node)), Some(first)) = (from, targets.first()) {
                    self.check_not_exit(id, node, transition.source, first);
                }
                for (row, &target) in (first..).zip(targets) {
                    meter.tick()?;
                    let edge = self.find_edge(id, target);
                    let surety = match possible.next_if(|next| **next as usize == row) {
                        Some(_) => Surety::Possible,
                        None => Surety::Sure,
                    };
                    if let (Some(from), Some(edge)) = (from, edge) {
                        self.scope.builder.edge_of(from, edge, surety);
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
                self.scope.builder.initial(node);
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
            && let Some(node) = self.scope.node(callee, self.word(source.node))
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
        let word = self.word(node);
        match self.scope.node(component, word) {
            Some(found) if self.scope.is_ambiguous(Named::Node(found)) => return None,
            Some(found) => return Some(found),
            None => {}
        }
        if !self.component(component).damaged {
            let (scope, span) = (&self.scope, self.span(node));
            self.problems.add(|nearest| {
                let problem = Problem::error(code, message()).at(span, "no such node");
                scope.near(
                    problem,
                    Sought::Node(component, &|node| fit(node.index())),
                    word,
                    nearest,
                )
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
        let word = self.word(name);
        let found = self.scope.call_box(component, word);
        if found.is_none() && !self.component(component).damaged {
            let (scope, span) = (&self.scope, self.span(name));
            self.problems.add(|nearest| {
                let owner = scope.name_of(component);
                let message = format!("component `{owner}` has no box `{word}`");
                let problem = Problem::error("R122", message).at(span, "no such box");
                scope.near(problem, Sought::Box(component), word, nearest)
            });
        }
        found.filter(|&found| !self.scope.is_ambiguous(Named::Box(found)))
    }

    /// A component, or a problem with the message.
    fn find_component(
        &mut self,
        code: &'static str,
        message: impl FnOnce(&str) -> String,
        name: Name,
    ) -> Option<CompId> {
        let word = self.word(name);
        let found = self.scope.component(word);
        if found.is_none() && !self.raw.lost_component {
            let (scope, span) = (&self.scope, self.span(name));
            self.problems.add(|nearest| {
                let problem = Problem::error(code, message(word)).at(span, "no such component");
                scope.near(problem, Sought::Component, word, nearest)
            });
        }
        found.filter(|&found| !self.scope.is_ambiguous(Named::Component(found)))
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
