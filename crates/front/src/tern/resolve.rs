//! Finds what the names of a [`Draft`] stand for, and fills a [`Builder`].

use super::draft::{Draft, NameId, Origin, Start, Target, Word};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::words::{Nearest, did_you_mean};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{BoxId, Builder, CompId, Edge, ExitId, Id, Limit, NodeId, Place, Span};

/// The machine that a draft describes; whatever is wrong with it is added to `problems`.
///
/// # Errors
/// What ran out.
pub(super) fn resolve(
    draft: &Draft,
    meter: &mut Meter<'_>,
    problems: &mut Collector,
) -> Result<Builder, Limit> {
    let mut resolver = Resolver {
        draft,
        meter,
        problems,
        builder: Builder::new(),
        components: FxHashMap::default(),
        nodes: Scoped::default(),
        boxes: Scoped::default(),
        exits: Scoped::default(),
        callees: Vec::with_capacity(draft.boxes.len()),
    };
    resolver.declare_components();
    resolver.declare_nodes()?;
    resolver.declare_boxes()?;
    resolver.declare_exits()?;
    resolver.add_edges()?;
    for &(node, label) in &draft.labels {
        resolver.meter.tick()?;
        resolver.builder.label(NodeId::new(node as usize), draft.names.of(label));
    }
    resolver.add_starts();
    if let Some((rule, _)) = draft.end_rule {
        resolver.builder.end_rule(rule);
    }
    if let Some((rule, _)) = draft.dead_end_rule {
        resolver.builder.dead_end_rule(rule);
    }
    Ok(resolver.builder)
}

/// Rows by component and name.
#[derive(Default)]
struct Scoped {
    rows: FxHashMap<(u32, NameId), u32>,
}

impl Scoped {
    fn get(&self, component: u32, name: NameId) -> Option<usize> {
        self.rows.get(&(component, name)).map(|&row| row as usize)
    }

    /// Notes a row. Gives the row that has the name already, if there is one.
    fn add(&mut self, component: u32, name: NameId, row: usize) -> Option<usize> {
        let row = u32::try_from(row).expect("a text has fewer rows");
        match *self.rows.entry((component, name)).or_insert(row) {
            first if first == row => None,
            first => Some(first as usize),
        }
    }
}

struct Resolver<'a, 'm> {
    draft: &'a Draft,
    meter: &'a mut Meter<'m>,
    problems: &'a mut Collector,
    /// Its ids are the rows of the draft.
    builder: Builder,
    components: FxHashMap<NameId, u32>,
    nodes: Scoped,
    boxes: Scoped,
    exits: Scoped,
    /// The component that each box calls, if there is one of that name.
    callees: Vec<Option<u32>>,
}

/// Declarations.
impl<'a> Resolver<'a, '_> {
    fn name(&self, name: NameId) -> &'a str {
        self.draft.names.of(name)
    }

    fn component_name(&self, component: u32) -> &'a str {
        self.name(self.draft.components[component as usize].word.name)
    }

    fn declare_components(&mut self) {
        for (row, component) in (0..).zip(&self.draft.components) {
            let word = component.word;
            let name = self.name(word.name);
            self.builder.component(name);
            let first = *self.components.entry(word.name).or_insert(row);
            if first != row {
                let first = self.draft.components[first as usize].word.span;
                self.problems.add(|_| {
                    twice("T020", format!("there are two components `{name}`"), word.span, first)
                });
            }
        }
    }

    fn declare_nodes(&mut self) -> Result<(), Limit> {
        self.nodes.rows.reserve(self.draft.nodes.len());
        for (row, node) in self.draft.nodes.iter().enumerate() {
            self.meter.tick()?;
            let (word, name) = (node.word, self.name(node.word.name));
            let id = self.builder.node(CompId::new(node.component as usize), name);
            if node.entry {
                self.builder.entry(id);
            }
            if let Some(first) = self.nodes.add(node.component, word.name, row) {
                let first = self.draft.nodes[first].word.span;
                let component = self.component_name(node.component);
                self.problems.add(|_| {
                    let message = format!("component `{component}` has two nodes `{name}`");
                    twice("T021", message, word.span, first)
                        .hint(format!("to give a node more edges, write `{name} -> …;`"))
                });
            }
        }
        Ok(())
    }

    fn declare_boxes(&mut self) -> Result<(), Limit> {
        for (row, call) in self.draft.boxes.iter().enumerate() {
            self.meter.tick()?;
            let (word, name) = (call.word, self.name(call.word.name));
            let callee = self.component_called(call.callee);
            // A box whose callee is unknown never gets into a machine; any component will do.
            let id = CompId::new(callee.unwrap_or(call.component) as usize);
            self.callees.push(callee);
            self.builder.call_box(CompId::new(call.component as usize), name, id);
            if let Some(first) = self.boxes.add(call.component, word.name, row) {
                let first = self.draft.boxes[first].word.span;
                let component = self.component_name(call.component);
                self.problems.add(|_| {
                    let message = format!("component `{component}` has two boxes `{name}`");
                    twice("T022", message, word.span, first)
                });
            }
        }
        Ok(())
    }

    fn component_called(&mut self, word: Word) -> Option<u32> {
        let found = self.components.get(&word.name).copied();
        if found.is_none() && !self.draft.broken {
            let (draft, name) = (self.draft, self.name(word.name));
            self.problems.add(|nearest| {
                let problem = Problem::error("T024", format!("there is no component `{name}`"))
                    .at(word.span, "");
                let names = draft.components.iter().map(|c| draft.names.of(c.word.name));
                with_nearest(nearest, problem, name, names)
            });
        }
        found
    }

    fn declare_exits(&mut self) -> Result<(), Limit> {
        for (row, exit) in self.draft.exits.iter().enumerate() {
            self.meter.tick()?;
            let (word, name) = (exit.word, self.name(exit.word.name));
            let id = self.builder.exit(CompId::new(exit.component as usize), name);
            if let Some(node) = exit.node {
                let node = NodeId::new(node as usize);
                self.builder.edge(Place::Node(node), Edge::Return(id));
            }
            let Some(first) = self.exits.add(exit.component, word.name, row) else { continue };
            let first = &self.draft.exits[first];
            if first.node.is_some() && exit.node.is_some() {
                continue; // two nodes of one name, which has been reported
            }
            let (first, component) = (first.word.span, self.component_name(exit.component));
            self.problems.add(|_| {
                let message = format!("component `{component}` has two exits `{name}`");
                twice("T023", message, word.span, first)
                    .hint("an exit node has an exit of its own name without a `port`")
            });
        }
        Ok(())
    }

    /// Nodes that are initial: those that are said to be, else the entries of the first component.
    fn add_starts(&mut self) {
        for start in &self.draft.starts {
            match *start {
                Start::Declared(row) => self.builder.initial(NodeId::new(row as usize)),
                Start::Named { component, node } => {
                    if let Some(component) = self.component_called(component)
                        && let Some(node) = self.node(component, node)
                    {
                        self.builder.initial(node);
                    }
                }
            }
        }
        if !self.draft.starts.is_empty() {
            return;
        }
        let mut any = false;
        for (row, node) in self.draft.nodes.iter().enumerate() {
            if node.component == 0 && node.entry {
                self.builder.initial(NodeId::new(row));
                any = true;
            }
        }
        let broken = self.draft.broken || self.draft.components.iter().any(|c| c.broken);
        if !any && !broken {
            let first = self.draft.components.first();
            self.problems.add(|_| match first {
                Some(first) => Problem::error("T031", "no node is initial")
                    .at(first.word.span, "the first component has no entry")
                    .hint("mark a node: `initial n;` (or an `entry` of the first component)"),
                None => Problem::error("T031", "the model has no component, so it starts nowhere")
                    .at(Span { start: 0, end: 0 }, "a component is expected")
                    .hint("a small model: component main { initial n {p} -> n; }"),
            });
        }
    }
}

/// Edges.
impl Resolver<'_, '_> {
    fn add_edges(&mut self) -> Result<(), Limit> {
        let draft = self.draft;
        let mut edges = draft.edges.iter().peekable();
        for (row, &(component, origin)) in (0u32..).zip(&draft.origins) {
            let place = self.origin(component, origin);
            while let Some(edge) = edges.next_if(|edge| edge.origin == row) {
                self.meter.tick()?;
                let target = self.target(component, edge.target, place);
                if let (Some(place), Some(target)) = (place, target) {
                    self.builder.edge(place, target);
                }
            }
        }
        Ok(())
    }

    fn origin(&mut self, component: u32, origin: Origin) -> Option<Place> {
        match origin {
            Origin::Declared(row) => self.edge_source(row as usize, None),
            Origin::Node(word) => {
                let node = self.node(component, word)?;
                self.edge_source(node.index(), Some(word.span))
            }
            Origin::Site { call, exit } => {
                let (call, callee) = self.call(component, call)?;
                let id = self.exit_of(callee?, exit, Some(call))?;
                Some(Place::Site(call, id))
            }
        }
    }

    /// A node that has edges; `used` is where it is named, if not at its declaration.
    fn edge_source(&mut self, row: usize, used: Option<Span>) -> Option<Place> {
        let node = &self.draft.nodes[row];
        if node.exit {
            let (name, declared) = (self.name(node.word.name), node.word.span);
            self.problems.add(|_| {
                let problem = Problem::error("T013", format!("exit node `{name}` has edges"))
                    .at(used.unwrap_or(declared), "an exit node only returns")
                    .hint(format!("write `node {name} -> m, return x;  port x;` for a node that may also return"));
                match used {
                    Some(_) => problem.related(declared, "declared here"),
                    None => problem,
                }
            });
            return None;
        }
        Some(Place::Node(NodeId::new(row)))
    }

    fn target(&mut self, component: u32, target: Target, from: Option<Place>) -> Option<Edge> {
        match target {
            Target::Node(word) => self.node(component, word).map(Edge::Step),
            Target::Call { call, entry } => {
                let (call, callee) = self.call(component, call)?;
                Some(Edge::Call(call, self.entry(callee?, entry, call)?))
            }
            Target::Return { exit } => {
                if let Some(Place::Site(..)) = from {
                    self.problems.add(|_| {
                        Problem::error("T030", "a return site cannot itself return")
                            .at(exit.span, "")
                            .hint(
                                "step to a node that does: an `exit` node, or `node n -> return x`",
                            )
                    });
                    return None;
                }
                self.exit_of(component, exit, None).map(Edge::Return)
            }
        }
    }

    fn is_broken(&self, component: u32) -> bool {
        self.draft.components[component as usize].broken
    }

    fn node(&mut self, component: u32, word: Word) -> Option<NodeId> {
        let found = self.nodes.get(component, word.name);
        if found.is_none() && !self.is_broken(component) {
            let (draft, name) = (self.draft, self.name(word.name));
            let in_component = self.component_name(component);
            let is_box = self.boxes.get(component, word.name).is_some();
            let is_port = self.exits.get(component, word.name).is_some();
            self.problems.add(|nearest| {
                let message = format!("component `{in_component}` has no node `{name}`");
                let problem = Problem::error("T025", message).at(word.span, "");
                if is_box {
                    return problem.hint(format!("to call box `{name}`, write `{name}.entry`"));
                }
                if is_port {
                    return problem
                        .hint(format!("to leave by port `{name}`, write `return {name}`"));
                }
                let nodes = draft.nodes.iter().filter(|node| node.component == component);
                with_nearest(
                    nearest,
                    problem,
                    name,
                    nodes.map(|node| draft.names.of(node.word.name)),
                )
            });
        }
        found.map(NodeId::new)
    }

    /// A box of a component, and what it calls, if that is known.
    fn call(&mut self, component: u32, word: Word) -> Option<(BoxId, Option<u32>)> {
        let found = self.boxes.get(component, word.name);
        if found.is_none() && !self.is_broken(component) {
            let (draft, name) = (self.draft, self.name(word.name));
            let in_component = self.component_name(component);
            let is_node = self.nodes.get(component, word.name).is_some();
            let is_component = self.components.contains_key(&word.name);
            self.problems.add(|nearest| {
                let message = format!("component `{in_component}` has no box `{name}`");
                let problem = Problem::error("T026", message).at(word.span, "");
                if is_node {
                    return problem
                        .hint(format!("`{name}` is a node; a name with a dot needs quotes"));
                }
                if is_component {
                    return problem.hint(format!(
                        "`{name}` is a component; it is called through a box: `box b: {name};`"
                    ));
                }
                let boxes = draft.boxes.iter().filter(|call| call.component == component);
                with_nearest(
                    nearest,
                    problem,
                    name,
                    boxes.map(|call| draft.names.of(call.word.name)),
                )
            });
        }
        found.map(|row| (BoxId::new(row), self.callees[row]))
    }

    fn entry(&mut self, callee: u32, word: Word, call: BoxId) -> Option<NodeId> {
        let found = self.nodes.get(callee, word.name);
        let (draft, name) = (self.draft, self.name(word.name));
        if found.is_some_and(|row| draft.nodes[row].entry) {
            return found.map(NodeId::new);
        }
        if found.is_some() || !self.is_broken(callee) {
            let component = self.component_name(callee);
            let called = draft.boxes[call.index()].word;
            let call = self.name(called.name);
            self.problems.add(|nearest| {
                let message = format!("`{name}` is not an entry of `{component}`");
                let problem = Problem::error("T027", message)
                    .at(word.span, "")
                    .related(called.span, format!("box `{call}` calls `{component}`"));
                if let Some(row) = found {
                    return problem
                        .related(draft.nodes[row].word.span, "declared here")
                        .hint(format!("write `entry {name}` there if it may be called"));
                }
                let entries = draft.nodes.iter().filter(|n| n.component == callee && n.entry);
                with_nearest(
                    nearest,
                    problem,
                    name,
                    entries.map(|node| draft.names.of(node.word.name)),
                )
            });
        }
        None
    }

    /// An exit of a component: by which a node of it returns, or, if `call` is given, by which that
    /// box comes back.
    fn exit_of(&mut self, component: u32, word: Word, call: Option<BoxId>) -> Option<ExitId> {
        let found = self.exits.get(component, word.name);
        if found.is_none() && !self.is_broken(component) {
            let (draft, name) = (self.draft, self.name(word.name));
            let of = self.component_name(component);
            let node = self.nodes.get(component, word.name);
            self.problems.add(|nearest| {
                let message = format!("`{name}` is not an exit of `{of}`");
                let code = if call.is_some() { "T028" } else { "T029" };
                let mut problem = Problem::error(code, message).at(word.span, "");
                if let Some(call) = call {
                    let called = draft.boxes[call.index()].word;
                    let name = draft.names.of(called.name);
                    problem = problem.related(called.span, format!("box `{name}` calls `{of}`"));
                }
                if let Some(row) = node {
                    return problem
                        .related(draft.nodes[row].word.span, "this node is not an `exit`")
                        .hint(format!("write `exit {name}` there, or add `port {name};`"));
                }
                let exits = draft.exits.iter().filter(|exit| exit.component == component);
                with_nearest(
                    nearest,
                    problem,
                    name,
                    exits.map(|exit| draft.names.of(exit.word.name)),
                )
            });
        }
        found.map(ExitId::new)
    }
}

fn twice(code: &'static str, message: String, second: Span, first: Span) -> Problem {
    Problem::error(code, message).at(second, "the second").related(first, "the first")
}

fn with_nearest<'n>(
    nearest: &mut Nearest,
    problem: Problem,
    name: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Problem {
    match did_you_mean(nearest.among(name, candidates)) {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}
