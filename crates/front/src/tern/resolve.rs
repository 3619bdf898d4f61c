//! Finds what the names of a [`Draft`] stand for, and completes its [`Builder`].

use super::draft::{Draft, Origin, Rereader, Start, Target, Word};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::scope::{Scope, Sought};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Builder, CompId, Edge, ExitId, Id, Limit, NodeId, Place, Span};

/// Completes the builder of a draft; whatever is wrong with it is added to `problems`.
///
/// # Errors
/// What ran out.
pub(super) fn resolve(
    text: &str,
    draft: &mut Draft,
    meter: &mut Meter<'_>,
    problems: &mut Collector,
) -> Result<Builder, Limit> {
    let mut builder = std::mem::take(&mut draft.builder);
    builder.expect_edges(draft.targets.len());
    let expected =
        [draft.components.len(), draft.nodes.len(), draft.boxes.len(), draft.exits.len()];
    let mut resolver = Resolver {
        text: Rereader::new(text),
        draft,
        scope: Scope::new(builder, expected, meter)?,
        meter,
        problems,
        callees: Table::new(),
        near: None,
    };
    resolver.find_components()?;
    resolver.find_nodes()?;
    resolver.declare_boxes()?;
    resolver.find_exits()?;
    resolver.add_edges()?;
    resolver.add_starts();
    let mut builder = resolver.scope.builder;
    if let Some((rule, _)) = draft.end_rule {
        builder.end_rule(rule);
    }
    if let Some((rule, _)) = draft.dead_end_rule {
        builder.dead_end_rule(rule);
    }
    Ok(builder)
}

struct Resolver<'a, 'm> {
    text: Rereader<'a>,
    draft: &'a Draft,
    meter: &'a mut Meter<'m>,
    problems: &'a mut Collector,
    scope: Scope,
    /// The component that each box calls, if there is one of that name.
    callees: Table<BoxId, Option<CompId>>,
    /// The node that edges were read of last, or led to: many lead to the node that is declared
    /// behind it, which is then found without a search. Of no use if there are several of one name.
    near: Option<NodeId>,
}

/// Looking things up.
impl Resolver<'_, '_> {
    fn find_node(&self, component: CompId, name: &str) -> Option<NodeId> {
        let next = self.near.map(|near| near.index() + 1);
        if let Some(next) = next.filter(|&next| next < self.draft.nodes.len()).map(NodeId::new)
            && self.scope.builder.nodes().key(next) == (component, name)
        {
            return Some(next);
        }
        self.scope.node(component, name)
    }
}

/// Declarations.
impl Resolver<'_, '_> {
    fn find_components(&mut self) -> Result<(), Limit> {
        for second in self.draft.components.ids() {
            self.meter.tick()?;
            let Some(first) = self.scope.add_component(second) else { continue };
            let [first, at] =
                [first, second].map(|id| self.text.span(self.draft.components[id].at));
            let name = self.scope.name_of(second);
            self.problems
                .add(|_| twice("T020", format!("there are two components `{name}`"), at, first));
        }
        Ok(())
    }

    fn find_nodes(&mut self) -> Result<(), Limit> {
        for second in self.draft.nodes.ids() {
            self.meter.tick()?;
            let Some(first) = self.scope.add_node(second) else { continue };
            let [first, at] = [first, second].map(|id| self.text.span(self.draft.nodes[id]));
            let (component, name) = self.scope.builder.nodes().key(second);
            let component = self.scope.name_of(component);
            self.problems.add(|_| {
                let message = format!("component `{component}` has two nodes `{name}`");
                twice("T021", message, at, first)
                    .hint(format!("to give a node more edges, write `{name} -> …;`"))
            });
        }
        Ok(())
    }

    fn declare_boxes(&mut self) -> Result<(), Limit> {
        for call in self.draft.boxes.iter().map(|(_, call)| call) {
            self.meter.tick()?;
            let word = self.text.word(call.at);
            let callee = self.text.word(call.callee);
            let callee = self.component_called(&callee);
            // A box whose callee is unknown never gets into a machine; any component will do.
            let id = callee.unwrap_or(call.component);
            self.callees.push(callee);
            let second = self.scope.builder.call_box(call.component, &word.name, id);
            let Some(first) = self.scope.add_box(second) else { continue };
            let first = self.text.span(self.draft.boxes[first].at);
            let component = self.scope.name_of(call.component);
            self.problems.add(|_| {
                let message = format!("component `{component}` has two boxes `{}`", word.name);
                twice("T022", message, word.span, first)
            });
        }
        Ok(())
    }

    fn component_called(&mut self, word: &Word<'_>) -> Option<CompId> {
        let found = self.scope.component(&word.name);
        if found.is_none() && !self.draft.broken {
            let (scope, name) = (&self.scope, &*word.name);
            self.problems.add(|nearest| {
                let problem = Problem::error("T024", format!("there is no component `{name}`"))
                    .at(word.span, "");
                scope.near(problem, Sought::Component, name, nearest)
            });
        }
        found
    }

    fn find_exits(&mut self) -> Result<(), Limit> {
        for (second, exit) in self.draft.exits.iter() {
            self.meter.tick()?;
            let Some(first) = self.scope.add_exit(second) else { continue };
            let first = &self.draft.exits[first];
            if first.is_node && exit.is_node {
                continue; // two nodes of one name, which has been reported
            }
            let [first, at] = [first, exit].map(|exit| self.text.span(exit.at));
            let (component, name) = self.scope.builder.exits().key(second);
            let component = self.scope.name_of(component);
            self.problems.add(|_| {
                let message = format!("component `{component}` has two exits `{name}`");
                twice("T023", message, at, first)
                    .hint("an exit node has an exit of its own name without a `port`")
            });
        }
        Ok(())
    }

    /// Nodes that are initial: those that are said to be, else the entries of the first component.
    fn add_starts(&mut self) {
        for &start in &self.draft.starts {
            match start {
                Start::Declared(node) => self.scope.builder.initial(node),
                Start::Named(at) => {
                    let (component, node) = self.text.start(at);
                    if let Some(component) = self.component_called(&component)
                        && let Some(node) = self.node(component, &node)
                    {
                        self.scope.builder.initial(node);
                    }
                }
            }
        }
        if !self.draft.starts.is_empty() {
            return;
        }
        let nodes = self.scope.builder.nodes();
        let is_first = |&node: &NodeId| nodes.component(node).index() == 0;
        let entries: Vec<NodeId> = self.scope.builder.entries().take_while(is_first).collect();
        let broken = self.draft.broken || self.draft.components.as_slice().iter().any(|c| c.broken);
        if entries.is_empty() && !broken {
            let first = self.draft.components.as_slice().first();
            let first = first.map(|first| self.text.span(first.at));
            self.problems.add(|_| match first {
                Some(first) => Problem::error("T031", "no node is initial")
                    .at(first, "the first component has no entry")
                    .hint("mark a node: `initial n;` (or an `entry` of the first component)"),
                None => Problem::error("T031", "the model has no component, so it starts nowhere")
                    .at(Span { start: 0, end: 0 }, "a component is expected")
                    .hint("a small model: component main { initial n {p} -> n; }"),
            });
        }
        for node in entries {
            self.scope.builder.initial(node);
        }
    }
}

/// What a node is named for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Edges leave it.
    Source,
    /// An edge or the start of the program leads to it.
    Target,
}

/// Edges.
impl Resolver<'_, '_> {
    fn add_edges(&mut self) -> Result<(), Limit> {
        let draft = self.draft;
        let mut components = draft.components.iter().peekable();
        let mut nodes = draft.nodes.iter().peekable();
        let mut targets = draft.targets.iter().copied().peekable();
        let mut component = CompId::new(0);
        let unique = self.problems.count() == 0;
        let mut origins = draft.origins.iter().copied().peekable();
        while let Some(at) = origins.next() {
            while let Some((next, _)) = components.next_if(|(_, next)| next.at < at) {
                component = next;
            }
            while nodes.next_if(|&(_, &node)| node < at).is_some() {}
            let declared = nodes.next_if(|&(_, &node)| node == at).map(|(node, _)| node);
            let place = match declared {
                Some(node) => {
                    self.near = unique.then_some(node);
                    self.edge_source(node, None)
                }
                None => {
                    let origin = self.text.origin(at);
                    self.origin(component, &origin)
                }
            };
            let next = origins.peek().copied();
            while let Some(at) = targets.next_if(|&at| next.is_none_or(|next| at < next)) {
                self.meter.tick()?;
                let (target, surety) = self.text.target(at);
                let target = self.target(component, &target, place);
                if let (Some(place), Some(target)) = (place, target) {
                    self.scope.builder.edge_of(place, target, surety);
                }
            }
        }
        Ok(())
    }

    fn origin(&mut self, component: CompId, origin: &Origin<'_>) -> Option<Place> {
        match origin {
            Origin::Node(word) => {
                let node = self.node_used(component, word, Use::Source)?;
                self.edge_source(node, Some(word.span))
            }
            Origin::Site { call, exit } => {
                let (call, callee) = self.call(component, call)?;
                let id = self.exit_of(callee?, exit, Some(call))?;
                Some(Place::Site(call, id))
            }
        }
    }

    /// A node that has edges; `used` is where it is named, if not at its declaration.
    fn edge_source(&mut self, node: NodeId, used: Option<Span>) -> Option<Place> {
        if self.draft.exit_nodes.contains(node.index()) {
            let declared = self.text.span(self.draft.nodes[node]);
            let name = self.scope.builder.nodes().name(node);
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
        Some(Place::Node(node))
    }

    fn target(
        &mut self,
        component: CompId,
        target: &Target<'_>,
        from: Option<Place>,
    ) -> Option<Edge> {
        match target {
            Target::Node(word) => {
                let node = self.node(component, word)?;
                self.near = self.near.and(Some(node));
                Some(Edge::Step(node))
            }
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

    fn is_broken(&self, component: CompId) -> bool {
        self.draft.components[component].broken
    }

    fn node(&mut self, component: CompId, word: &Word<'_>) -> Option<NodeId> {
        self.node_used(component, word, Use::Target)
    }

    fn node_used(&mut self, component: CompId, word: &Word<'_>, used: Use) -> Option<NodeId> {
        let name = &*word.name;
        let found = self.find_node(component, name);
        if found.is_none() && !self.is_broken(component) {
            let (scope, in_component) = (&self.scope, self.scope.name_of(component));
            self.problems.add(|nearest| {
                let message = format!("component `{in_component}` has no node `{name}`");
                let problem = Problem::error("T025", message).at(word.span, "");
                if let Some(hint) = instead_of_node(scope, component, name, used) {
                    return problem.hint(hint);
                }
                let problem =
                    scope.near(problem, Sought::Node(component, &|_| true), name, nearest);
                let hint = problem.hint.clone().or_else(|| node_elsewhere(scope, name));
                Problem { hint, ..problem }
            });
        }
        found
    }

    /// A box of a component, and what it calls, if that is known.
    fn call(&mut self, component: CompId, word: &Word<'_>) -> Option<(BoxId, Option<CompId>)> {
        let name = &*word.name;
        let found = self.scope.call_box(component, name);
        if found.is_none() && !self.is_broken(component) {
            let (scope, in_component) = (&self.scope, self.scope.name_of(component));
            let is_node = self.find_node(component, name).is_some();
            let is_component = self.scope.component(name).is_some();
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
                scope.near(problem, Sought::Box(component), name, nearest)
            });
        }
        found.map(|call| (call, self.callees[call]))
    }

    /// What to say of a box whose call goes wrong: where it is declared, and what it calls.
    fn called(&mut self, call: BoxId, callee: CompId) -> (Span, String) {
        let (call_name, callee) =
            (self.scope.builder.boxes().name(call), self.scope.name_of(callee));
        (self.text.span(self.draft.boxes[call].at), format!("box `{call_name}` calls `{callee}`"))
    }

    fn entry(&mut self, callee: CompId, word: &Word<'_>, call: BoxId) -> Option<NodeId> {
        let name = &*word.name;
        let found = self.find_node(callee, name);
        if found.is_some_and(|node| self.scope.builder.is_entry(node)) {
            return found;
        }
        if found.is_some() || !self.is_broken(callee) {
            let (called_at, called) = self.called(call, callee);
            let declared = found.map(|node| self.text.span(self.draft.nodes[node]));
            let (scope, component) = (&self.scope, self.scope.name_of(callee));
            self.problems.add(|nearest| {
                let message = format!("`{name}` is not an entry of `{component}`");
                let problem =
                    Problem::error("T027", message).at(word.span, "").related(called_at, called);
                if let Some(declared) = declared {
                    return problem
                        .related(declared, "declared here")
                        .hint(format!("write `entry {name}` there if it may be called"));
                }
                scope.near(problem, Sought::Entry(callee), name, nearest)
            });
        }
        None
    }

    /// An exit of a component: by which a node of it returns, or, if `call` is given, by which that
    /// box comes back.
    fn exit_of(
        &mut self,
        component: CompId,
        word: &Word<'_>,
        call: Option<BoxId>,
    ) -> Option<ExitId> {
        let name = &*word.name;
        let found = self.scope.exit(component, name);
        if found.is_none() && !self.is_broken(component) {
            let node = self.find_node(component, name);
            let node = node.map(|node| self.text.span(self.draft.nodes[node]));
            let called = call.map(|call| self.called(call, component));
            let (scope, of) = (&self.scope, self.scope.name_of(component));
            self.problems.add(|nearest| {
                let message = format!("`{name}` is not an exit of `{of}`");
                let code = if called.is_some() { "T028" } else { "T029" };
                let mut problem = Problem::error(code, message).at(word.span, "");
                if let Some((at, called)) = called {
                    problem = problem.related(at, called);
                }
                if let Some(declared) = node {
                    return problem
                        .related(declared, "this node is not an `exit`")
                        .hint(format!("write `exit {name}` there, or add `port {name};`"));
                }
                scope.near(problem, Sought::Exit(component), name, nearest)
            });
        }
        found
    }
}

fn twice(code: &'static str, message: String, second: Span, first: Span) -> Problem {
    Problem::error(code, message).at(second, "the second").related(first, "the first")
}

/// What to write for a name that is no node of a component, if it is something else.
fn instead_of_node(scope: &Scope, component: CompId, name: &str, used: Use) -> Option<String> {
    if scope.call_box(component, name).is_some() {
        return Some(match used {
            Use::Source => {
                format!("`{name}` is a box; say by which exit its call returns: `{name}.exit -> …`")
            }
            Use::Target => format!("to call box `{name}`, write `{name}.entry`"),
        });
    }
    if scope.exit(component, name).is_some() {
        return Some(format!("to leave by port `{name}`, write `return {name}`"));
    }
    if scope.component(name).is_some() {
        return Some(format!(
            "`{name}` is a component; it is called through a box: `box b: {name};`, and `b.entry` calls it"
        ));
    }
    None
}

/// What to say of a name that a node of another component has.
fn node_elsewhere(scope: &Scope, name: &str) -> Option<String> {
    let nodes = scope.builder.nodes();
    let elsewhere = nodes.ids().find(|&node| nodes.name(node) == name)?;
    let elsewhere = scope.name_of(nodes.component(elsewhere));
    Some(format!(
        "`{name}` is a node of `{elsewhere}`; edges stay in their component, and calls go through boxes"
    ))
}
