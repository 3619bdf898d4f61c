//! Random small machines, and formulas of CTL, LTL and CTL*, by seed.
//!
//! The machines are not meant to look like programs. They are meant to have, often and together,
//! everything that a machine may have: recursion of all sorts, several entries and exits, one-node
//! procedures, returns from the midst of a component and several from one node, return sites that
//! are missing or call straight on (also the same box again), dead ends, parts that are never
//! reached, initial nodes in several components, and both rules for the end. How many edges of
//! which kind there are is drawn anew for each machine, so that some hardly call and some hardly do
//! anything else.

use fastrand::Rng;
use tern_model::{
    BoxId, Builder, CompId, Edge, EndRule, ExitId, Formula, FormulaId, Formulas, Id, LabelId,
    Machine, NodeId, Place, PlaceId, Surety, Tri,
};

/// The propositions of random machines and formulas.
pub const ATOMS: [&str; 3] = ["p", "q", "r"];

/// The most that a random machine has of each thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Components in the machine; at least 1.
    pub components: usize,
    /// Nodes in a component; at least 1.
    pub nodes: usize,
    /// Boxes in a component.
    pub boxes: usize,
    /// Entries of a component; at least 1.
    pub entries: usize,
    /// Exits of a component.
    pub exits: usize,
    /// How many of [`ATOMS`] nodes may be labelled with.
    pub labels: usize,
    /// Initial nodes; at least 1.
    pub initial: usize,
    /// Whether most boxes call the next component, and only nodes of the last have the first label.
    /// Then what is claimed of that label far down the stack depends on what callers do, and their
    /// callers, and on the way down nothing else asks for it.
    pub chain: bool,
}

impl Default for Shape {
    /// Small enough for the oracles to take well below a millisecond for most.
    fn default() -> Self {
        Shape {
            components: 3,
            nodes: 6,
            boxes: 2,
            entries: 2,
            exits: 3,
            labels: 3,
            initial: 3,
            chain: false,
        }
    }
}

struct Component {
    nodes: Vec<NodeId>,
    /// Nodes with an exit of their own name.
    exit_nodes: Vec<NodeId>,
    entries: Vec<NodeId>,
    exits: Vec<ExitId>,
    /// With the component that is called.
    boxes: Vec<(BoxId, usize)>,
}

/// How a machine leans, in percent.
struct Leaning {
    call: u32,
    leave: u32,
    missing_site: u32,
    dead_end: u32,
    label: u32,
}

/// A random machine.
pub fn machine(rng: &mut Rng, shape: &Shape) -> Machine {
    let mut builder = Builder::new();
    let leaning = Leaning {
        call: rng.u32(20..70),
        leave: rng.u32(5..25),
        missing_site: rng.u32(0..30),
        dead_end: rng.u32(0..10),
        label: rng.u32(25..80),
    };
    let ids: Vec<CompId> = (0..at_least_two(rng, shape.components))
        .map(|i| builder.component(&format!("c{i}")))
        .collect();
    let components: Vec<Component> =
        (0..ids.len()).map(|own| component(rng, &mut builder, own, &ids, shape)).collect();
    // Now and then a machine has no node with a label that formulas speak of.
    let mut labels = ATOMS[..shape.labels.min(ATOMS.len())].to_vec();
    labels.retain(|_| percent(rng, 90));
    for (position, inner) in components.iter().enumerate() {
        let has_all = !shape.chain || position + 1 == components.len();
        for &node in &inner.nodes {
            for name in labels.iter().filter(|name| has_all || **name != ATOMS[0]) {
                if percent(rng, leaning.label) {
                    builder.label(node, name);
                }
            }
        }
        edges(rng, &mut builder, inner, &components, &leaning);
    }
    builder.initial(components[0].nodes[0]);
    // Most machines have one initial node, so that what is true at it is not lost among others.
    if shape.initial > 1 && percent(rng, 25) {
        for _ in 0..rng.usize(1..shape.initial) {
            let somewhere = rng.usize(..components.len());
            builder.initial(pick(rng, &components[somewhere].nodes));
        }
    }
    builder.end_rule(if rng.bool() { EndRule::Loop } else { EndRule::Sink });
    builder.finish().expect("only sound parts are put in")
}

/// A random abstract machine: a random machine of which some edges are only possible, and some
/// labels unknown. How many is drawn anew for each.
pub fn abstract_machine(rng: &mut Rng, shape: &Shape) -> Machine {
    let machine = machine(rng, shape);
    let (possible, unknown) = (rng.u32(0..60), rng.u32(0..50));
    let coins = std::cell::RefCell::new(rng.fork());
    let coin = |chance| percent(&mut coins.borrow_mut(), chance);
    remade(
        &machine,
        |_, _, _| Some(if coin(possible) { Surety::Possible } else { Surety::Sure }),
        |_, _, has| if coin(unknown) { Tri::Unknown } else { has },
    )
}

/// A machine with the same components, nodes, boxes and exits, in which each edge, given by its
/// place and position, may be sure, only possible, or not there; and each label at each node true,
/// false or unknown.
///
/// # Panics
/// Never: the parts are those of a machine.
pub fn remade(
    machine: &Machine,
    mut edges: impl FnMut(PlaceId, usize, Surety) -> Option<Surety>,
    mut labels: impl FnMut(NodeId, LabelId, Tri) -> Tri,
) -> Machine {
    let mut builder = Builder::new();
    builder.end_rule(machine.end_rule());
    for component in machine.components() {
        builder.component(machine.component_name(component));
    }
    for node in machine.nodes() {
        builder.node(machine.component_of(node), machine.node_name(node));
        if machine.is_entry(node) {
            builder.entry(node);
        }
    }
    for exit in machine.exits() {
        builder.exit(machine.component_of_exit(exit), machine.exit_name(exit));
    }
    for call in machine.boxes() {
        let (home, name) = (machine.component_of_box(call), machine.box_name(call));
        builder.call_box(home, name, machine.callee(call));
    }
    for place in (0..machine.place_count()).map(PlaceId::new) {
        for (i, (edge, surety)) in machine.edges_with_surety(place).enumerate() {
            if let Some(surety) = edges(place, i, surety) {
                builder.edge_of(machine.place(place), edge, surety);
            }
        }
    }
    for (label, name) in machine.labels() {
        for node in machine.nodes() {
            let known = match machine.is_unknown(node, label) {
                true => Tri::Unknown,
                false => Tri::from(machine.has_label(node, label)),
            };
            match labels(node, label, known) {
                Tri::True => builder.label(node, name),
                Tri::Unknown => builder.unknown_label(node, name),
                Tri::False => {}
            }
        }
    }
    machine.initial().iter().for_each(|&node| builder.initial(node));
    builder.finish().expect("the parts are those of a machine")
}

/// The parts of a component, without edges but for those of exit nodes.
fn component(
    rng: &mut Rng,
    builder: &mut Builder,
    own: usize,
    ids: &[CompId],
    shape: &Shape,
) -> Component {
    let id = ids[own];
    let node_count = at_least_two(rng, shape.nodes);
    let nodes: Vec<NodeId> = (0..node_count).map(|i| builder.node(id, &format!("n{i}"))).collect();
    let mut entries = vec![nodes[0]];
    for _ in 1..rng.usize(1..=shape.entries) {
        entries.push(pick(rng, &nodes));
    }
    entries.iter().for_each(|&node| builder.entry(node));
    // A component without exits is dull where there are many calls, so it is made less often.
    let exit_count = if percent(rng, 90) { rng.usize(shape.exits.min(1)..=shape.exits) } else { 0 };
    let mut exits: Vec<ExitId> = Vec::new();
    let mut exit_nodes: Vec<NodeId> = Vec::new();
    for i in 0..exit_count {
        // The first node leads to the rest, so it is made to return at once less often.
        let from = if node_count > 1 && percent(rng, 90) { &nodes[1..] } else { &nodes };
        let node = pick(rng, from);
        if percent(rng, 50) && !exit_nodes.contains(&node) {
            exits.push(builder.exit_node(node));
            exit_nodes.push(node);
        } else {
            exits.push(builder.exit(id, &format!("x{i}")));
        }
    }
    let box_count = if percent(rng, 85) { rng.usize(shape.boxes.min(1)..=shape.boxes) } else { 0 };
    let boxes = (0..box_count)
        .map(|i| {
            let callee = if shape.chain && percent(rng, 85) {
                (own + 1).min(ids.len() - 1)
            } else {
                rng.usize(..ids.len())
            };
            (builder.call_box(id, &format!("b{i}"), ids[callee]), callee)
        })
        .collect();
    Component { nodes, exit_nodes, entries, exits, boxes }
}

fn edges(
    rng: &mut Rng,
    builder: &mut Builder,
    inner: &Component,
    components: &[Component],
    leaning: &Leaning,
) {
    for &node in &inner.nodes {
        // An exit node mostly does nothing but return.
        let is_exit = inner.exit_nodes.contains(&node);
        if percent(rng, if is_exit { 85 } else { leaning.dead_end }) {
            continue;
        }
        for _ in 0..edge_count(rng) {
            let edge = if !inner.exits.is_empty() && percent(rng, leaning.leave) {
                Edge::Return(pick(rng, &inner.exits))
            } else {
                onwards(rng, inner, components, leaning)
            };
            builder.edge(Place::Node(node), edge);
        }
    }
    for &(call, callee) in &inner.boxes {
        for &exit in &components[callee].exits {
            if percent(rng, leaning.missing_site) {
                continue;
            }
            for _ in 0..edge_count(rng) {
                let edge = onwards(rng, inner, components, leaning);
                builder.edge(Place::Site(call, exit), edge);
            }
        }
    }
}

/// A step or a call.
fn onwards(rng: &mut Rng, inner: &Component, components: &[Component], leaning: &Leaning) -> Edge {
    if !inner.boxes.is_empty() && percent(rng, leaning.call) {
        let (call, callee) = pick(rng, &inner.boxes);
        Edge::Call(call, pick(rng, &components[callee].entries))
    } else {
        Edge::Step(pick(rng, &inner.nodes))
    }
}

fn edge_count(rng: &mut Rng) -> usize {
    pick(rng, &[1, 2, 2, 3])
}

/// A number up to `most`, rather a large one and rarely 1.
fn at_least_two(rng: &mut Rng, most: usize) -> usize {
    if most < 2 || percent(rng, 15) { 1 } else { rng.usize(2..=most).max(rng.usize(2..=most)) }
}

fn percent(rng: &mut Rng, chance: u32) -> bool {
    rng.u32(..100) < chance
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

type Binary = fn(FormulaId, FormulaId) -> Formula;
const CONNECTIVES: [Binary; 5] =
    [Formula::And, Formula::Or, Formula::Implies, Formula::Iff, Formula::Xor];
const TEMPORAL: [Binary; 4] =
    [Formula::Until, Formula::Release, Formula::WeakUntil, Formula::StrongRelease];

/// A proposition; constants are rare, as they tell little.
fn leaf(rng: &mut Rng, formulas: &mut Formulas) -> FormulaId {
    match rng.u32(..20) {
        0 => formulas.make(Formula::True),
        1 => formulas.make(Formula::False),
        _ => formulas.atom(pick(rng, &ATOMS)),
    }
}

/// A random CTL formula over [`ATOMS`] with operators nested at most `depth` deep.
pub fn formula(rng: &mut Rng, formulas: &mut Formulas, depth: usize) -> FormulaId {
    // Leaves come early now and then, so that shapes differ.
    if depth == 0 || percent(rng, 10) {
        return leaf(rng, formulas);
    }
    let f = formula(rng, formulas, depth - 1);
    if percent(rng, 20) {
        return formulas.make(Formula::Not(f));
    }
    let unary = percent(rng, 40);
    if unary {
        let path = pick(rng, &[Formula::Next, Formula::Finally, Formula::Globally])(f);
        return quantified(rng, formulas, path);
    }
    let g = formula(rng, formulas, depth - 1);
    if percent(rng, 40) {
        return formulas.make(pick(rng, &CONNECTIVES)(f, g));
    }
    let path = pick(rng, &TEMPORAL)(f, g);
    quantified(rng, formulas, path)
}

/// A random CTL formula that asks for another one, with operators nested at most `depth` deep,
/// where the first of [`ATOMS`] is.
pub fn guarded(rng: &mut Rng, formulas: &mut Formulas, depth: usize) -> FormulaId {
    let inner = formula(rng, formulas, depth);
    let guard = formulas.atom(ATOMS[0]);
    let path = if rng.bool() {
        Formula::Finally(formulas.make(Formula::And(guard, inner)))
    } else {
        Formula::Globally(formulas.make(Formula::Implies(guard, inner)))
    };
    quantified(rng, formulas, path)
}

fn quantified(rng: &mut Rng, formulas: &mut Formulas, path: Formula) -> FormulaId {
    let path = formulas.make(path);
    formulas.make(if rng.bool() { Formula::Exists(path) } else { Formula::All(path) })
}

/// A random LTL formula over [`ATOMS`] of exactly `size` operators and leaves, at least 1. All
/// operators of the logic occur, and no path quantifier.
pub fn ltl(rng: &mut Rng, formulas: &mut Formulas, size: usize) -> FormulaId {
    path_formula(rng, formulas, size, 0)
}

/// A random CTL* formula over [`ATOMS`] of exactly `size` operators and leaves, at least 1, in
/// which path quantifiers may stand anywhere: under temporal operators, under each other, in
/// several operands. Three in four are state formulas; the others speak of a path, and are claimed
/// of all.
pub fn ctl_star(rng: &mut Rng, formulas: &mut Formulas, size: usize) -> FormulaId {
    if percent(rng, 75) {
        state_formula(rng, formulas, size)
    } else {
        path_formula(rng, formulas, size, 25)
    }
}

/// A formula of exactly `size` operators and leaves; in so many percent of all places that are
/// large enough stands a quantifier.
fn path_formula(
    rng: &mut Rng,
    formulas: &mut Formulas,
    size: usize,
    quantifiers: u32,
) -> FormulaId {
    if size >= 3 && percent(rng, quantifiers) {
        return state_formula(rng, formulas, size);
    }
    if size < 2 {
        return leaf(rng, formulas);
    }
    if size == 2 || percent(rng, 50) {
        let f = path_formula(rng, formulas, size - 1, quantifiers);
        let unary = [Formula::Not, Formula::Next, Formula::Finally, Formula::Globally];
        return formulas.make(pick(rng, &unary)(f));
    }
    let left = rng.usize(1..size - 1);
    let f = path_formula(rng, formulas, left, quantifiers);
    let g = path_formula(rng, formulas, size - 1 - left, quantifiers);
    let binary = if percent(rng, 60) { &TEMPORAL[..] } else { &CONNECTIVES[..] };
    formulas.make(pick(rng, binary)(f, g))
}

/// A formula of exactly `size` operators and leaves whose truth depends on the state alone.
fn state_formula(rng: &mut Rng, formulas: &mut Formulas, size: usize) -> FormulaId {
    if size < 2 {
        return leaf(rng, formulas);
    }
    if size >= 4 && percent(rng, 25) {
        let left = rng.usize(1..size - 1);
        let f = state_formula(rng, formulas, left);
        let g = state_formula(rng, formulas, size - 1 - left);
        return formulas.make(pick(rng, &CONNECTIVES)(f, g));
    }
    if percent(rng, 15) {
        let f = state_formula(rng, formulas, size - 1);
        return formulas.make(Formula::Not(f));
    }
    let path = path_formula(rng, formulas, size - 1, 25);
    formulas.make(if rng.bool() { Formula::Exists(path) } else { Formula::All(path) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::logic::Logic;

    /// Counts a formula as a tree, from the sizes of its operands.
    fn tree_size(formulas: &Formulas, root: FormulaId) -> usize {
        let mut size = std::collections::BTreeMap::new();
        for id in formulas.subformulas(root) {
            let own: usize = formulas.get(id).operands().map(|f| size[&f]).sum();
            size.insert(id, own + 1);
        }
        size[&root]
    }

    #[test]
    fn path_formulas_have_their_size_and_logic() {
        let mut seen = [0; 3];
        for seed in 0..2000 {
            let mut rng = Rng::with_seed(seed);
            let size = rng.usize(1..12);
            let mut formulas = Formulas::new();
            let id = ltl(&mut rng, &mut formulas, size);
            assert_eq!(tree_size(&formulas, id), size);
            assert!(matches!(formulas.logic(id), Logic::Ltl | Logic::Propositional));
            let id = ctl_star(&mut rng, &mut formulas, size);
            assert_eq!(tree_size(&formulas, id), size);
            let quantified = |f: &FormulaId| formulas.get(*f).is_quantifier();
            let quantifiers = formulas.subformulas(id).iter().filter(|f| quantified(f)).count();
            seen[0] += usize::from(formulas.logic(id) == Logic::CtlStar);
            seen[1] += usize::from(quantifiers >= 2);
            seen[2] += usize::from(!formulas.is_state_formula(id));
        }
        assert!(seen.iter().all(|&count| count >= 300), "{seen:?}");
    }
}
