//! The only way to make a [`Machine`]: say what is in it, then [`Builder::finish`].
//!
//! The builder takes everything down without complaint and checks it all at the end, so that a
//! reader can report every flaw of a file at once. Ids handed out stay valid in the machine.

use crate::index::{BoxId, CompId, ExitId, Id, LabelId, Lists, NodeId, PlaceId};
use crate::machine::{CallEdge, DeadEndRule, Edge, EndRule, Machine, Place};
use crate::names::{Interner, Names};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

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
    node_names: Names<NodeId>,
    box_names: Names<BoxId>,
    exit_names: Names<ExitId>,
    node_comp: Vec<CompId>,
    box_comp: Vec<CompId>,
    box_callee: Vec<CompId>,
    exit_comp: Vec<CompId>,
    entries: FixedBitSet,
    node_edges: Vec<(NodeId, Edge)>,
    site_edges: Vec<((BoxId, ExitId), Edge)>,
    labels: Interner<LabelId>,
    labelling: Vec<(LabelId, NodeId)>,
    initial: Vec<NodeId>,
    end_rule: EndRule,
    dead_end_rule: DeadEndRule,
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
        self.node_comp.push(comp);
        self.node_names.push(name)
    }

    /// Adds an exit port to a component.
    pub fn exit(&mut self, comp: CompId, name: &str) -> ExitId {
        self.exit_comp.push(comp);
        self.exit_names.push(name)
    }

    /// Makes a node an exit node: adds an exit of the node's name, by which the node returns.
    pub fn exit_node(&mut self, node: NodeId) -> ExitId {
        let name = self.node_names.of(node).to_owned();
        let exit = self.exit(self.node_comp[node.index()], &name);
        self.edge(Place::Node(node), Edge::Return(exit));
        exit
    }

    /// Adds a box to a component: a place from which `callee` is called.
    pub fn call_box(&mut self, comp: CompId, name: &str, callee: CompId) -> BoxId {
        self.box_comp.push(comp);
        self.box_callee.push(callee);
        self.box_names.push(name)
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

    /// Labels a node.
    pub fn label(&mut self, node: NodeId, label: &str) {
        let label = self.labels.intern(label);
        self.labelling.push((label, node));
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

    /// Checks everything and makes the machine.
    ///
    /// # Errors
    /// All flaws, in the order: names, edges, initial nodes.
    pub fn finish(self) -> Result<Machine, Vec<Flaw>> {
        let flaws = self.flaws();
        if flaws.is_empty() { Ok(self.assemble()) } else { Err(flaws) }
    }

    fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = self.duplicates();
        for &(node, edge) in &self.node_edges {
            self.check_edge(Place::Node(node), edge, &mut flaws);
        }
        for &((call, exit), edge) in &self.site_edges {
            let at = Place::Site(call, exit);
            if self.exit_comp[exit.index()] != self.box_callee[call.index()] {
                flaws.push(Flaw::StraySite {
                    call: self.box_names.of(call).to_owned(),
                    exit: self.exit_names.of(exit).to_owned(),
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
        let mut seen = FxHashSet::default();
        for (second, name) in self.component_names.iter() {
            if !seen.insert(name) {
                flaws.push(Flaw::DuplicateComponent { name: name.to_owned(), second });
            }
        }
        for second in repeated(&self.node_names, &self.node_comp) {
            flaws.push(Flaw::DuplicateNode {
                component: component(self.node_comp[second.index()]),
                name: self.node_names.of(second).to_owned(),
                second,
            });
        }
        for second in repeated(&self.box_names, &self.box_comp) {
            flaws.push(Flaw::DuplicateBox {
                component: component(self.box_comp[second.index()]),
                name: self.box_names.of(second).to_owned(),
                second,
            });
        }
        for second in repeated(&self.exit_names, &self.exit_comp) {
            flaws.push(Flaw::DuplicateExit {
                component: component(self.exit_comp[second.index()]),
                name: self.exit_names.of(second).to_owned(),
                second,
            });
        }
        flaws
    }

    fn check_edge(&self, at: Place, edge: Edge, flaws: &mut Vec<Flaw>) {
        let comp = match at {
            Place::Node(node) => self.node_comp[node.index()],
            Place::Site(call, _) => self.box_comp[call.index()],
        };
        let component = |comp: CompId| self.component_names.of(comp).to_owned();
        match edge {
            Edge::Step(to) => {
                let there = self.node_comp[to.index()];
                if there != comp {
                    flaws.push(Flaw::StrayStep {
                        from: self.describe(at),
                        to: self.node_names.of(to).to_owned(),
                        component: component(there),
                        at,
                    });
                }
            }
            Edge::Call(call, target) => {
                let there = self.box_comp[call.index()];
                if there != comp {
                    flaws.push(Flaw::StrayCall {
                        from: self.describe(at),
                        call: self.box_names.of(call).to_owned(),
                        component: component(there),
                        at,
                    });
                }
                let callee = self.box_callee[call.index()];
                if self.node_comp[target.index()] != callee
                    || !self.entries.contains(target.index())
                {
                    flaws.push(Flaw::NoEntry {
                        from: self.describe(at),
                        call: self.box_names.of(call).to_owned(),
                        target: self.node_names.of(target).to_owned(),
                        callee: component(callee),
                        at,
                    });
                }
            }
            Edge::Return(exit) => {
                let there = self.exit_comp[exit.index()];
                if matches!(at, Place::Site(..)) {
                    flaws.push(Flaw::ReturnFromSite {
                        from: self.describe(at),
                        exit: self.exit_names.of(exit).to_owned(),
                        at,
                    });
                } else if there != comp {
                    flaws.push(Flaw::StrayReturn {
                        from: self.describe(at),
                        exit: self.exit_names.of(exit).to_owned(),
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
                let comp = self.component_names.of(self.node_comp[node.index()]);
                format!("node `{}` of `{comp}`", self.node_names.of(node))
            }
            Place::Site(call, exit) => {
                let comp = self.component_names.of(self.box_comp[call.index()]);
                let (call, exit) = (self.box_names.of(call), self.exit_names.of(exit));
                format!("return site `{call}.{exit}` of `{comp}`")
            }
        }
    }

    /// Lays out the tables. The content has been checked.
    pub(crate) fn assemble(self) -> Machine {
        let comps = self.component_names.len();
        let nodes = self.node_names.len();
        let boxes = self.box_names.len();
        let exits = self.exit_names.len();

        let mut sites: Vec<(BoxId, ExitId)> = self.site_edges.iter().map(|&(at, _)| at).collect();
        sites.sort_unstable();
        sites.dedup();
        let mut box_sites = vec![0u32; boxes + 1];
        for &(call, _) in &sites {
            box_sites[call.index() + 1] += 1;
        }
        for call in 0..boxes {
            box_sites[call + 1] += box_sites[call];
        }

        let by_comp = |comp_of: &[CompId]| -> Vec<(CompId, usize)> {
            comp_of.iter().copied().zip(0..).collect()
        };
        let mut placed = by_comp(&self.node_comp);
        let mut comp_node_count = vec![0u32; comps];
        for &(comp, _) in &placed {
            comp_node_count[comp.index()] += 1;
        }
        placed.extend(
            sites.iter().enumerate().map(|(i, &(b, _))| (self.box_comp[b.index()], nodes + i)),
        );
        let placed: Vec<_> = placed.into_iter().map(|(comp, i)| (comp, PlaceId::new(i))).collect();
        let comp_places = Lists::group(comps, &placed);
        let place_local = positions(&comp_places, placed.len());
        drop(placed);

        let exit_pairs: Vec<_> =
            by_comp(&self.exit_comp).into_iter().map(|(c, i)| (c, ExitId::new(i))).collect();
        let comp_exits = Lists::group(comps, &exit_pairs);
        let exit_local = positions(&comp_exits, exits);
        let box_pairs: Vec<_> =
            by_comp(&self.box_comp).into_iter().map(|(c, i)| (c, BoxId::new(i))).collect();
        let caller_pairs: Vec<_> =
            by_comp(&self.box_callee).into_iter().map(|(c, i)| (c, BoxId::new(i))).collect();
        let entry_pairs: Vec<_> =
            self.entries.ones().map(|i| (self.node_comp[i], NodeId::new(i))).collect();

        let mut all_edges: Vec<(PlaceId, Edge)> =
            Vec::with_capacity(self.node_edges.len() + self.site_edges.len());
        all_edges.extend(self.node_edges.iter().map(|&(n, edge)| (PlaceId::new(n.index()), edge)));
        all_edges.extend(self.site_edges.iter().map(|(at, edge)| {
            let site = sites.binary_search(at).expect("every site with an edge is listed");
            (PlaceId::new(nodes + site), *edge)
        }));
        let (mut steps, mut calls, mut returns) = (Vec::new(), Vec::new(), Vec::new());
        for &(from, edge) in &all_edges {
            match edge {
                Edge::Step(to) => steps.push((to, from)),
                Edge::Call(call, entry) => calls.push((call, CallEdge { from, entry })),
                Edge::Return(exit) => returns.push((exit, NodeId::new(from.index()))),
            }
        }

        // Sorting the pairs sorts each label's list of nodes.
        let mut labelling = self.labelling;
        labelling.sort_unstable();
        labelling.dedup();
        let mut initial = self.initial;
        let mut seen = FxHashSet::default();
        initial.retain(|&node| seen.insert(node));

        Machine {
            comp_entries: Lists::group(comps, &entry_pairs),
            comp_exits,
            comp_boxes: Lists::group(comps, &box_pairs),
            comp_places,
            comp_node_count,
            exit_local,
            box_sites,
            edges: Lists::group(place_local.len(), &all_edges),
            place_local,
            sites,
            step_sources: Lists::group(nodes, &steps),
            calls: Lists::group(boxes, &calls),
            return_sources: Lists::group(exits, &returns),
            callers: Lists::group(comps, &caller_pairs),
            label_nodes: Lists::group(self.labels.len(), &labelling),
            labels: self.labels,
            is_entry: self.entries,
            component_names: self.component_names,
            node_names: self.node_names,
            box_names: self.box_names,
            exit_names: self.exit_names,
            node_comp: self.node_comp,
            box_comp: self.box_comp,
            box_callee: self.box_callee,
            exit_comp: self.exit_comp,
            initial,
            end_rule: self.end_rule,
            dead_end_rule: self.dead_end_rule,
        }
    }
}

/// The ids whose name stands before them already in the same component.
fn repeated<I: Id>(names: &Names<I>, comp_of: &[CompId]) -> Vec<I> {
    let mut seen = FxHashSet::default();
    names
        .iter()
        .filter(|&(id, name)| !seen.insert((comp_of[id.index()], name)))
        .map(|(id, _)| id)
        .collect()
}

/// For each item of the lists, which hold each of `count` ids once: its position in its list.
fn positions<I: Id>(lists: &Lists<CompId, I>, count: usize) -> Vec<u32> {
    let mut position = vec![0; count];
    for comp in 0..lists.len() {
        for (i, item) in (0..).zip(lists.of(CompId::new(comp))) {
            position[item.index()] = i;
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn label_lists_are_sorted_and_without_repetition() {
        let (mut b, start, _, only, _) = calling();
        b.label(only, "p");
        b.label(start, "p");
        b.label(only, "p");
        let m = b.finish().expect("sound");
        let p = m.label("p").expect("used");
        assert_eq!(m.labelled(p), [start, only]);
        assert_eq!(m.label("q"), None);
        assert_eq!(m.labels_by_node().of(only), [p]);
    }
}
