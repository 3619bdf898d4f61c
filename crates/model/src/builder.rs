//! The only way to make a [`Machine`]: say what is in it, then [`Builder::finish`].
//!
//! The builder takes everything down without complaint and checks it all at the end, so that a
//! reader can report every flaw of a file at once. Ids handed out stay valid in the machine.

mod assemble;

use crate::index::{BoxId, CompId, ExitId, Id, LabelId, NodeId};
use crate::machine::{DeadEndRule, Edge, EndRule, Machine, Place, Surety};
use crate::names::{Index, Interner, Names, Scoped};
use crate::origin::{Origin, Origins};
use fixedbitset::FixedBitSet;

/// Something that keeps a builder's content from being a machine. Names stand for the things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the variants and fields mean
pub enum Flaw {
    #[error("there are two components `{name}`")]
    DuplicateComponent { name: String, second: CompId },
    #[error("component `{component}` has two nodes `{name}`")]
    DuplicateNode { component: String, name: String, second: NodeId },
    #[error("component `{component}` has two boxes `{name}`")]
    DuplicateBox { component: String, name: String, second: BoxId },
    #[error("component `{component}` has two exits `{name}`")]
    DuplicateExit { component: String, name: String, second: ExitId },
    #[error("{from} steps to `{to}`, which is a node of another component, `{component}`")]
    StrayStep { from: String, to: String, component: String, at: Place },
    #[error("{from} calls through box `{call}`, which belongs to another component, `{component}`")]
    StrayCall { from: String, call: String, component: String, at: Place },
    #[error("{from} calls `{call}` at `{target}`, which is not an entry of `{callee}`")]
    NoEntry { from: String, call: String, target: String, callee: String, at: Place },
    #[error("{from} returns by exit `{exit}`, which belongs to another component, `{component}`")]
    StrayReturn { from: String, exit: String, component: String, at: Place },
    #[error(
        "{from} is a return site; it cannot itself return by exit `{exit}`: step to a node that does"
    )]
    ReturnFromSite { from: String, exit: String, at: Place },
    #[error(
        "box `{call}` has a return site for `{exit}`, which is not an exit of its callee `{callee}`"
    )]
    StraySite { call: String, exit: String, callee: String, at: Place },
    #[error("no node is initial")]
    NoInitial,
}

/// Collects the parts of a machine.
///
/// ```
/// use tern_model::{Builder, Edge, Place};
/// let mut b = Builder::new();
/// let main = b.component("main");
/// let start = b.node(main, "start");
/// let done = b.node(main, "done");
/// b.label(done, "finished");
/// b.edge(Place::Node(start), Edge::Step(done));
/// b.exit_node(done);
/// b.initial(start);
/// let machine = b.finish().expect("a sound machine");
/// assert_eq!(machine.node_count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    component_names: Names<CompId>,
    nodes: Scoped<NodeId>,
    boxes: Scoped<BoxId>,
    exits: Scoped<ExitId>,
    box_callee: Vec<CompId>,
    entries: FixedBitSet,
    node_edges: Vec<(NodeId, Edge)>,
    site_edges: Vec<((BoxId, ExitId), Edge)>,
    labels: Interner<LabelId>,
    labelling: Vec<(LabelId, NodeId)>,
    /// Which of `node_edges` and which of `site_edges` are only possible.
    possible: [FixedBitSet; 2],
    unknown: Vec<(LabelId, NodeId)>,
    initial: Vec<NodeId>,
    end_rule: EndRule,
    dead_end_rule: DeadEndRule,
    names_are_unique: bool,
    origins: Origins,
}

impl Builder {
    /// A builder with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a component.
    pub fn component(&mut self, name: &str) -> CompId {
        self.component_names.push(name)
    }

    /// Adds a node to a component.
    pub fn node(&mut self, comp: CompId, name: &str) -> NodeId {
        self.nodes.push(comp, name)
    }

    /// Adds an exit port to a component.
    pub fn exit(&mut self, comp: CompId, name: &str) -> ExitId {
        self.exits.push(comp, name)
    }

    /// Makes a node an exit node: adds an exit of the node's name, by which the node returns.
    pub fn exit_node(&mut self, node: NodeId) -> ExitId {
        let (comp, name) = self.nodes.key(node);
        let exit = self.exits.push(comp, name);
        self.edge(Place::Node(node), Edge::Return(exit));
        exit
    }

    /// Adds a box to a component: a place from which `callee` is called.
    pub fn call_box(&mut self, comp: CompId, name: &str, callee: CompId) -> BoxId {
        self.box_callee.push(callee);
        self.boxes.push(comp, name)
    }

    /// Makes a node an entry of its component.
    pub fn entry(&mut self, node: NodeId) {
        self.entries.grow_and_insert(node.index());
    }

    /// Adds an edge from a node or a return site.
    pub fn edge(&mut self, from: Place, edge: Edge) {
        match from {
            Place::Node(node) => self.node_edges.push((node, edge)),
            Place::Site(call, exit) => self.site_edges.push(((call, exit), edge)),
        }
    }

    /// Adds an edge that is only possible: some programs have it, others perhaps not.
    pub fn possible_edge(&mut self, from: Place, edge: Edge) {
        let (kind, count) = match from {
            Place::Node(_) => (0, self.node_edges.len()),
            Place::Site(..) => (1, self.site_edges.len()),
        };
        self.possible[kind].grow_and_insert(count);
        self.edge(from, edge);
    }

    /// Adds an edge, sure or only possible.
    pub fn edge_of(&mut self, from: Place, edge: Edge, surety: Surety) {
        match surety {
            Surety::Sure => self.edge(from, edge),
            Surety::Possible => self.possible_edge(from, edge),
        }
    }

    /// Sets room aside for so many more edges of nodes.
    pub fn expect_edges(&mut self, count: usize) {
        self.node_edges.reserve_exact(count);
    }

    /// Labels a node.
    pub fn label(&mut self, node: NodeId, label: &str) {
        let label = self.label_id(label);
        self.label_as(node, label);
    }

    /// The id of a label, for those who give the same one to many nodes. Some node must get it.
    pub fn label_id(&mut self, label: &str) -> LabelId {
        self.labels.intern(label)
    }

    /// Labels a node, by the id of the label.
    pub fn label_as(&mut self, node: NodeId, label: LabelId) {
        self.labelling.push((label, node));
    }

    /// Says that it is unknown whether a node has a label. If it is labelled as well, it has it.
    pub fn unknown_label(&mut self, node: NodeId, label: &str) {
        let label = self.label_id(label);
        self.unknown.push((label, node));
    }

    /// Says where a node comes from.
    pub fn origin(&mut self, node: NodeId, origin: Origin) {
        self.origins.set(node, origin);
    }

    /// Says where the nodes of another machine come from; they have the same ids here.
    pub fn origins_of(&mut self, machine: &Machine) {
        self.origins = machine.origins.clone();
    }

    /// Makes a node initial.
    pub fn initial(&mut self, node: NodeId) {
        self.initial.push(node);
    }

    /// Says what happens when the program ends.
    pub fn end_rule(&mut self, rule: EndRule) {
        self.end_rule = rule;
    }

    /// Says what to make of dead ends.
    pub fn dead_end_rule(&mut self, rule: DeadEndRule) {
        self.dead_end_rule = rule;
    }

    /// Vouches that no two components have the same name, nor two nodes, boxes or exits of one
    /// component: whoever looks things up by name knows, and finding it out again takes a good part
    /// of the time. With debug assertions on it is found out all the same.
    pub fn names_are_unique(&mut self) {
        self.names_are_unique = true;
    }

    /// The names of the components.
    pub fn component_names(&self) -> &Names<CompId> {
        &self.component_names
    }

    /// The nodes: their names and components.
    pub fn nodes(&self) -> &Scoped<NodeId> {
        &self.nodes
    }

    /// The boxes: their names, and the components that they are in.
    pub fn boxes(&self) -> &Scoped<BoxId> {
        &self.boxes
    }

    /// The exits: their names and components.
    pub fn exits(&self) -> &Scoped<ExitId> {
        &self.exits
    }

    /// Whether a node is an entry.
    pub fn is_entry(&self, node: NodeId) -> bool {
        self.entries.contains(node.index())
    }

    /// All entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = NodeId> {
        self.entries.ones().map(NodeId::new)
    }

    /// Checks everything and makes the machine.
    ///
    /// # Errors
    /// All flaws, in the order: names, edges, initial nodes.
    pub fn finish(self) -> Result<Machine, Vec<Flaw>> {
        let flaws = self.flaws();
        if flaws.is_empty() { Ok(self.assemble()) } else { Err(flaws) }
    }

    fn flaws(&self) -> Vec<Flaw> {
        let vouched = self.names_are_unique && !cfg!(debug_assertions);
        let mut flaws = if vouched { Vec::new() } else { self.duplicates() };
        for &(node, edge) in &self.node_edges {
            self.check_edge(Place::Node(node), edge, &mut flaws);
        }
        for &((call, exit), edge) in &self.site_edges {
            let at = Place::Site(call, exit);
            if self.exits.component(exit) != self.box_callee[call.index()] {
                flaws.push(Flaw::StraySite {
                    call: self.boxes.name(call).to_owned(),
                    exit: self.exits.name(exit).to_owned(),
                    callee: self.component_names.of(self.box_callee[call.index()]).to_owned(),
                    at,
                });
            }
            self.check_edge(at, edge, &mut flaws);
        }
        if self.initial.is_empty() {
            flaws.push(Flaw::NoInitial);
        }
        flaws
    }

    fn duplicates(&self) -> Vec<Flaw> {
        let component = |comp: CompId| self.component_names.of(comp).to_owned();
        let mut flaws = Vec::new();
        let mut known = Index::with_capacity(self.component_names.len());
        for (second, name) in self.component_names.iter() {
            if known.add(second, |id| self.component_names.of(id)).is_some() {
                flaws.push(Flaw::DuplicateComponent { name: name.to_owned(), second });
            }
        }
        for second in repeated(&self.nodes) {
            let (component, name) =
                (component(self.nodes.component(second)), self.nodes.name(second));
            flaws.push(Flaw::DuplicateNode { component, name: name.to_owned(), second });
        }
        for second in repeated(&self.boxes) {
            let (component, name) =
                (component(self.boxes.component(second)), self.boxes.name(second));
            flaws.push(Flaw::DuplicateBox { component, name: name.to_owned(), second });
        }
        for second in repeated(&self.exits) {
            let (component, name) =
                (component(self.exits.component(second)), self.exits.name(second));
            flaws.push(Flaw::DuplicateExit { component, name: name.to_owned(), second });
        }
        flaws
    }

    fn check_edge(&self, at: Place, edge: Edge, flaws: &mut Vec<Flaw>) {
        let comp = match at {
            Place::Node(node) => self.nodes.component(node),
            Place::Site(call, _) => self.boxes.component(call),
        };
        let component = |comp: CompId| self.component_names.of(comp).to_owned();
        match edge {
            Edge::Step(to) => {
                let there = self.nodes.component(to);
                if there != comp {
                    flaws.push(Flaw::StrayStep {
                        from: self.describe(at),
                        to: self.nodes.name(to).to_owned(),
                        component: component(there),
                        at,
                    });
                }
            }
            Edge::Call(call, target) => {
                let there = self.boxes.component(call);
                if there != comp {
                    flaws.push(Flaw::StrayCall {
                        from: self.describe(at),
                        call: self.boxes.name(call).to_owned(),
                        component: component(there),
                        at,
                    });
                }
                let callee = self.box_callee[call.index()];
                if self.nodes.component(target) != callee || !self.entries.contains(target.index())
                {
                    flaws.push(Flaw::NoEntry {
                        from: self.describe(at),
                        call: self.boxes.name(call).to_owned(),
                        target: self.nodes.name(target).to_owned(),
                        callee: component(callee),
                        at,
                    });
                }
            }
            Edge::Return(exit) => {
                let there = self.exits.component(exit);
                if matches!(at, Place::Site(..)) {
                    flaws.push(Flaw::ReturnFromSite {
                        from: self.describe(at),
                        exit: self.exits.name(exit).to_owned(),
                        at,
                    });
                } else if there != comp {
                    flaws.push(Flaw::StrayReturn {
                        from: self.describe(at),
                        exit: self.exits.name(exit).to_owned(),
                        component: component(there),
                        at,
                    });
                }
            }
        }
    }

    fn describe(&self, at: Place) -> String {
        match at {
            Place::Node(node) => {
                let comp = self.component_names.of(self.nodes.component(node));
                format!("node `{}` of `{comp}`", self.nodes.name(node))
            }
            Place::Site(call, exit) => {
                let comp = self.component_names.of(self.boxes.component(call));
                let (call, exit) = (self.boxes.name(call), self.exits.name(exit));
                format!("return site `{call}.{exit}` of `{comp}`")
            }
        }
    }
}

/// The ids whose name stands before them already in the same component.
fn repeated<I: Id>(scoped: &Scoped<I>) -> Vec<I> {
    let mut known = Index::with_capacity(scoped.len());
    scoped.ids().filter(|&id| known.add(id, |id| scoped.key(id)).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::CallEdge;

    /// `main` calls `sub` by `b`; `sub` has one node, which is entry and exit.
    fn calling() -> (Builder, NodeId, BoxId, NodeId, ExitId) {
        let mut b = Builder::new();
        let main = b.component("main");
        let sub = b.component("sub");
        let start = b.node(main, "start");
        let only = b.node(sub, "only");
        b.entry(only);
        let exit = b.exit_node(only);
        let call = b.call_box(main, "b", sub);
        b.initial(start);
        (b, start, call, only, exit)
    }

    #[test]
    fn edges_are_found_both_ways() {
        let (mut b, start, call, only, exit) = calling();
        b.edge(Place::Node(start), Edge::Call(call, only));
        b.edge(Place::Site(call, exit), Edge::Step(start));
        let m = b.finish().expect("sound");
        let site = m.site(call, exit).expect("it has an edge");
        assert_eq!(m.place(site), Place::Site(call, exit));
        assert_eq!(m.edges(start), [Edge::Call(call, only)]);
        assert_eq!(m.edges_at(site), [Edge::Step(start)]);
        assert_eq!(m.step_sources(start), [site]);
        assert_eq!(m.calls_of(call), [CallEdge { from: m.node_place(start), entry: only }]);
        assert_eq!(m.return_sources(exit), [only]);
        assert_eq!(m.callers_of(m.callee(call)), [call]);
        assert_eq!(m.places_of(m.component_of(start)), [m.node_place(start), site]);
        assert_eq!(m.place_position(site), 1);
    }

    #[test]
    fn sites_without_edges_do_not_exist() {
        let (b, _, call, _, exit) = calling();
        assert_eq!(b.finish().expect("sound").site(call, exit), None);
    }

    #[test]
    fn all_flaws_are_found_at_once() {
        let (mut b, start, call, only, exit) = calling();
        let main = CompId::new(0);
        b.component("main");
        b.node(main, "start");
        b.call_box(main, "b", main);
        b.exit(CompId::new(1), "only");
        b.edge(Place::Node(start), Edge::Step(only));
        b.edge(Place::Node(only), Edge::Call(call, only));
        b.edge(Place::Node(start), Edge::Call(call, start));
        b.edge(Place::Node(start), Edge::Return(exit));
        b.edge(Place::Site(call, exit), Edge::Return(exit));
        let foreign = b.exit(main, "out");
        b.edge(Place::Site(call, foreign), Edge::Step(start));
        b.initial.clear();
        let flaws = b.finish().expect_err("many flaws");
        let messages: Vec<String> = flaws.iter().map(Flaw::to_string).collect();
        assert_eq!(flaws.len(), 11, "{messages:#?}");
        assert!(messages[4].contains("node `start` of `main` steps to `only`"), "{}", messages[4]);
    }

    #[test]
    fn what_is_only_possible_is_kept_apart() {
        let (mut b, start, call, only, exit) = calling();
        b.edge(Place::Node(start), Edge::Step(start));
        b.possible_edge(Place::Node(start), Edge::Call(call, only));
        b.possible_edge(Place::Site(call, exit), Edge::Step(start));
        b.edge(Place::Site(call, exit), Edge::Call(call, only));
        b.unknown_label(start, "p");
        b.label(only, "q");
        b.unknown_label(only, "q");
        let m = b.finish().expect("sound");
        assert!(m.is_abstract());
        let sureties = |place| m.edges_with_surety(place).map(|(_, it)| it).collect::<Vec<_>>();
        assert_eq!(sureties(m.node_place(start)), [Surety::Sure, Surety::Possible]);
        let site = m.site(call, exit).expect("it has edges");
        assert_eq!(sureties(site), [Surety::Possible, Surety::Sure]);
        assert_eq!(sureties(m.node_place(only)), [Surety::Sure]);
        let [p, q] = ["p", "q"].map(|name| m.label(name).expect("used"));
        assert!(m.is_unknown(start, p) && !m.has_label(start, p) && !m.is_unknown(only, p));
        assert!(m.has_label(only, q) && !m.is_unknown(only, q));
        assert_eq!((m.possible_count(), m.unknown_count()), (2, 1));
    }

    #[test]
    fn label_lists_are_sorted_and_without_repetition() {
        let (mut b, start, _, only, _) = calling();
        b.label(only, "p");
        b.label(start, "p");
        b.label(only, "p");
        let m = b.finish().expect("sound");
        let p = m.label("p").expect("used");
        assert_eq!(m.labelled(p).to_vec(), [start, only]);
        assert_eq!(m.label("q"), None);
        assert_eq!(m.labels_by_node().of(only), [p]);
    }
}
