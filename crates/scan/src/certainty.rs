//! Which violations are certain: by the engines, on the machine that was explored.
//!
//! A violation is *certain* if its run comes by a statement all of whose continuations break the
//! rule: `AF bad` holds at every node of that statement, whatever the facts, in every context. Then
//! the place is wrong, or is never reached; no guess about values is involved.
//!
//! The machine of a rule has the components in which it is broken and those on the way to them.
//! Calls of other components are one step: what is called is taken to come back, unless the run may
//! end in it ([`Explored::stopping`]). A way that leads round for ever, or to the end without
//! `bad`, makes a violation possible only. So does `null` that is used on the way; a reference of
//! which nothing is known is taken to be an object.

use crate::explore::{Breach, ComponentId, Explored, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tern_engine::{Checker, Options};
use tern_model::index::Id;
use tern_model::{
    BoxId, Budget, Builder, Edge, Evidence, ExitId, Formula, Formulas, Limit, Machine, NodeId,
    Place,
};

/// A violation with the calls that lead to it.
pub(crate) struct Chain {
    /// Components with the node that breaks the rule or calls the next, the outermost last.
    pub(crate) calls: Vec<(ComponentId, usize)>,
}

/// The longest chain of calls that is looked at.
const MOST_CALLS: usize = 32;

impl Chain {
    /// The first way to a violation that was found.
    pub(crate) fn of(explored: &Explored, component: ComponentId, node: usize) -> Chain {
        let mut calls = vec![(component, node)];
        let mut seen: FxHashSet<ComponentId> = [component].into_iter().collect();
        let mut at = component;
        while calls.len() < MOST_CALLS && !explored.is_general(at) {
            let Some(&(caller, node)) =
                explored.components[at].callers.iter().find(|(caller, _)| !seen.contains(caller))
            else {
                break;
            };
            seen.insert(caller);
            calls.push((caller, node));
            at = caller;
        }
        Chain { calls }
    }
}

/// Says which violations of a rule are certain: by which node all of whose continuations break it.
pub(crate) fn certain(
    explored: &Explored,
    rule: u8,
    found: &[(ComponentId, Violation, Chain)],
    budget: &Budget,
) -> Result<Vec<Option<(ComponentId, usize)>>, Limit> {
    let mut order: Vec<ComponentId> =
        found.iter().flat_map(|(_, _, chain)| chain.calls.iter().map(|call| call.0)).collect();
    order.sort_unstable();
    order.dedup();
    if order.is_empty() {
        return Ok(Vec::new());
    }
    let mut bad: FxHashMap<ComponentId, Vec<Violation>> = FxHashMap::default();
    for (component, violation, _) in found {
        bad.entry(*component).or_default().push(*violation);
    }
    let drawing = Drawing::new(explored, rule, &order, &bad);
    let Some((machine, nodes)) = drawing.machine() else { return Ok(vec![None; found.len()]) };
    let mut formulas = Formulas::new();
    let atom = formulas.atom("bad");
    let finally = formulas.make(Formula::Finally(atom));
    let claim = formulas.make(Formula::All(finally));
    let checker = Checker::new(&machine, budget)?;
    let options = Options { evidence: true, ..Options::default() };
    let outcome = checker.check(&formulas, claim, &options, budget);
    let Some(Evidence::Labelling(labelling)) = outcome.evidence else {
        return Ok(vec![None; found.len()]);
    };
    let holds = |component: ComponentId, node: usize| {
        let Some(nodes) = nodes.get(&component) else { return false };
        labelling.holds_at(&machine, &formulas, &[], nodes[node]) == Some(true)
    };
    let mut answers: FxHashMap<(ComponentId, usize), bool> = FxHashMap::default();
    let mut result = Vec::new();
    for (_, _, chain) in found {
        budget.check()?;
        let mut certain = None;
        for &(component, last) in &chain.calls {
            // Of procedures of other classes only the contexts that this one needs are known.
            if explored.roots().binary_search(&explored.components[component].procedure).is_err() {
                continue;
            }
            let mut at = Some(last);
            while let Some(node) = at {
                let everywhere = *answers.entry((component, node)).or_insert_with(|| {
                    explored.same_place(component, node).all(|(other, node)| holds(other, node))
                });
                if everywhere && certain.is_none() {
                    certain = Some((component, node));
                }
                at = match certain {
                    Some(_) => None,
                    None => explored.components[component].nodes[node].from,
                };
            }
        }
        result.push(certain);
    }
    Ok(result)
}

struct Drawing<'e, 'w, 'p> {
    explored: &'e Explored<'w, 'p>,
    rule: u8,
    order: &'e [ComponentId],
    bad: &'e FxHashMap<ComponentId, Vec<Violation>>,
    /// Nodes at which the run may end, or in what is called there and is one step.
    stops: FxHashMap<ComponentId, BTreeSet<usize>>,
}

type Nodes = FxHashMap<ComponentId, Vec<NodeId>>;

impl<'e, 'w, 'p> Drawing<'e, 'w, 'p> {
    fn new(
        explored: &'e Explored<'w, 'p>,
        rule: u8,
        order: &'e [ComponentId],
        bad: &'e FxHashMap<ComponentId, Vec<Violation>>,
    ) -> Self {
        let mut stops: FxHashMap<ComponentId, BTreeSet<usize>> =
            order.iter().map(|&id| (id, explored.components[id].stops.clone())).collect();
        for callee in explored.stopping() {
            if order.binary_search(&callee).is_err() {
                for (caller, node) in &explored.components[callee].callers {
                    stops.entry(*caller).or_default().insert(*node);
                }
            }
        }
        Drawing { explored, rule, order, bad, stops }
    }

    fn machine(&self) -> Option<(Machine, Nodes)> {
        let mut b = Builder::new();
        let mut nodes = Nodes::default();
        let mut exits: FxHashMap<ComponentId, Vec<ExitId>> = FxHashMap::default();
        let mut ends: FxHashMap<ComponentId, Vec<NodeId>> = FxHashMap::default();
        let mut comps = FxHashMap::default();
        for &id in self.order {
            let own = &self.explored.components[id];
            let comp = b.component(&format!("c{}", id.index()));
            comps.insert(id, comp);
            let list: Vec<NodeId> =
                (0..own.nodes.len()).map(|node| b.node(comp, &format!("n{node}"))).collect();
            b.entry(list[0]);
            b.initial(list[0]);
            let end: Vec<NodeId> =
                (0..own.exits.len()).map(|exit| b.node(comp, &format!("x{exit}"))).collect();
            exits.insert(id, end.iter().map(|&end| b.exit_node(end)).collect());
            ends.insert(id, end);
            nodes.insert(id, list);
        }
        for &id in self.order {
            let own = &self.explored.components[id];
            let list = &nodes[&id];
            let lost = b.node(comps[&id], "lost");
            b.label(lost, "bad");
            b.edge(Place::Node(lost), Edge::Step(lost));
            let violations = self.bad.get(&id).map_or(&[][..], Vec::as_slice);
            for violation in violations {
                match violation.breach {
                    Breach::Event if !self.depends_on_result(id, violation) => {
                        b.label(list[violation.node], "bad");
                    }
                    _ => b.edge(Place::Node(list[violation.node]), Edge::Step(lost)),
                }
            }
            for &(node, ending) in &own.leaving {
                let is_bad = violations
                    .iter()
                    .any(|it| it.node == node && it.breach == Breach::Lost(ending));
                if !is_bad {
                    for &end in &ends[&id] {
                        b.edge(Place::Node(list[node]), Edge::Step(end));
                    }
                }
            }
            if !self.stops[&id].is_empty() {
                let ended = b.node(comps[&id], "ended");
                b.edge(Place::Node(ended), Edge::Step(ended));
                for &node in &self.stops[&id] {
                    b.edge(Place::Node(list[node]), Edge::Step(ended));
                }
            }
            let mut boxes: FxHashMap<(usize, ComponentId), BoxId> = FxHashMap::default();
            for edge in &own.edges {
                match edge.via {
                    Some((callee, exit)) if comps.contains_key(&callee) => {
                        let known = boxes.get(&(edge.from, callee)).copied();
                        let call = known.unwrap_or_else(|| {
                            let name = format!("b{}c{}", edge.from, callee.index());
                            let call = b.call_box(comps[&id], &name, comps[&callee]);
                            let enter = Edge::Call(call, nodes[&callee][0]);
                            b.edge(Place::Node(list[edge.from]), enter);
                            boxes.insert((edge.from, callee), call);
                            call
                        });
                        b.edge(Place::Site(call, exits[&callee][exit]), Edge::Step(list[edge.to]));
                    }
                    _ => b.edge(Place::Node(list[edge.from]), Edge::Step(list[edge.to])),
                }
            }
            // Calls that do not come back have no edge behind them.
            for &callee in self.order {
                for &(caller, node) in &self.explored.components[callee].callers {
                    if caller == id && !boxes.contains_key(&(node, callee)) {
                        let name = format!("b{node}c{}", callee.index());
                        let call = b.call_box(comps[&id], &name, comps[&callee]);
                        boxes.insert((node, callee), call);
                        b.edge(Place::Node(list[node]), Edge::Call(call, nodes[&callee][0]));
                    }
                }
            }
        }
        b.finish().ok().map(|machine| (machine, nodes))
    }

    /// Whether the event is one only with some result, so that the node may go on without it.
    fn depends_on_result(&self, component: ComponentId, violation: &Violation) -> bool {
        let procedure = self.explored.components[component].procedure;
        self.explored.call_at(procedure, violation.statement).is_some_and(|callee| {
            callee.matches.iter().any(|row| row.rule == self.rule && row.result.is_some())
        })
    }
}
