//! Checks that a machine in which components are copied, to make labels of properties of the stack,
//! is right: that it does what the original does, and that the labels are true of its stacks.
//!
//! Who made the copies is not asked, only what they are copies of. A component of the copy goes
//! with one of the original: nodes, boxes and exits in the same order, with the same edges and
//! labels. So each configuration of the copy is one of the original, and the other way round.
//!
//! What a property says is read here once more, from its text, and turned into a regular
//! expression. Its derivative by what a call puts on the stack says what is left to be read. From
//! the components at which the program begins, all pairs of a component and what is left are gone
//! through along all calls: in each, the label must be where nothing more needs to be read. There
//! are finitely many derivatives, since alternatives are kept as sets.
//!
//! # Source
//! Brzozowski: Derivatives of regular expressions. Journal of the ACM 11, 1964.

mod expression;

use crate::refusal::{Stopped, refuse};
use expression::{Direction, ExprId, Expressions};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::{BoxId, Budget, CompId, Edge, Id, Machine, NodeId, Place, Surety, quoted};

/// A machine with copies of components.
#[derive(Clone, Copy)]
pub struct Copied<'a> {
    /// What was copied.
    pub original: &'a Machine,
    /// The copies.
    pub copy: &'a Machine,
    /// The node of the original that each node is a copy of.
    pub nodes: &'a [NodeId],
    /// What properties call the components of the original.
    pub names: &'a [&'a str],
    /// The stack symbols of the nodes and boxes of the original, if it is a pushdown system.
    pub symbols: Option<Symbols<'a>>,
}

/// Symbols on the stack, each word from the bottom.
#[derive(Clone, Copy)]
pub struct Symbols<'a> {
    /// Those of a node.
    pub of_node: &'a dyn Fn(NodeId) -> Vec<String>,
    /// Those of an open box.
    pub of_box: &'a dyn Fn(BoxId) -> Vec<String>,
}

/// Which component of the original each component of the copy goes with.
type Pairing = BTreeMap<CompId, CompId>;

/// Checks copies, and the labels for those of the propositions that are properties of the stack.
///
/// # Errors
/// What is wrong, or the limit that was reached.
pub fn check_copies<'n>(
    copied: Copied<'_>,
    propositions: impl IntoIterator<Item = &'n str>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let mut meter = Meter::new(budget);
    let pairing = pair(copied, &mut meter)?;
    for (&copy, &original) in &pairing {
        component(copied, &pairing, copy, original, &mut meter)?;
    }
    labels(copied, &pairing, &mut meter)?;
    for name in propositions.into_iter().filter(|name| copied.original.label(name).is_none()) {
        if let Some((text, letters)) = property(name) {
            truth(copied, &pairing, name, text, letters, &mut meter)?;
        }
    }
    Ok(())
}

const PLACE: &str = "the copies";

/// Follows all calls from where the program begins.
fn pair(copied: Copied<'_>, meter: &mut Meter<'_>) -> Result<Pairing, Stopped> {
    let Copied { original, copy, nodes, .. } = copied;
    if copy.end_rule() != original.end_rule() || copy.dead_end_rule() != original.dead_end_rule() {
        return refuse(PLACE, "the rules for ends differ");
    }
    let inside = nodes.iter().all(|node| node.index() < original.node_count());
    if nodes.len() != copy.node_count() || !inside {
        return refuse(PLACE, "not every node is a copy");
    }
    let begin: Vec<NodeId> = copy.initial().iter().map(|node| nodes[node.index()]).collect();
    if begin != original.initial() {
        return refuse(PLACE, "it begins elsewhere");
    }
    let mut pairing = Pairing::new();
    let mut open: Vec<(CompId, CompId)> = Vec::new();
    for (&node, of) in copy.initial().iter().zip(begin) {
        open.push((copy.component_of(node), original.component_of(of)));
    }
    while let Some((component, of)) = open.pop() {
        meter.tick()?;
        match pairing.insert(component, of) {
            Some(known) if known != of => {
                return refuse(PLACE, "a component is a copy of two");
            }
            Some(_) => continue,
            None => {}
        }
        let (boxes, of_boxes) = (copy.boxes_of(component), original.boxes_of(of));
        if boxes.len() != of_boxes.len() {
            return refuse(PLACE, "a component has other boxes");
        }
        for (&call, &of) in boxes.iter().zip(of_boxes) {
            open.push((copy.callee(call), original.callee(of)));
        }
    }
    Ok(pairing)
}

/// An edge of a component, by positions: where it begins, where it leads, and whether it is sure.
/// Nodes of a component are counted as those of the original.
type Wire = (usize, Option<(usize, usize)>, usize, Option<usize>, Option<usize>, bool);

/// The edges of a component by positions, and which of its nodes are entries.
fn wires(
    machine: &Machine,
    component: CompId,
    number: impl Fn(NodeId) -> usize,
    meter: &mut Meter<'_>,
) -> Result<(BTreeSet<Wire>, Vec<bool>), Stopped> {
    let boxes = machine.boxes_of(component);
    let call = |call: BoxId| boxes.iter().position(|&it| it == call).unwrap_or(usize::MAX);
    let mut wires = BTreeSet::new();
    for &place in machine.places_of(component) {
        let (kind, node, site) = match machine.place(place) {
            Place::Node(node) => (0, number(node), None),
            Place::Site(at, exit) => (1, 0, Some((call(at), machine.exit_position(exit)))),
        };
        for (edge, surety) in machine.edges_with_surety(place) {
            meter.tick()?;
            let sure = surety == Surety::Sure;
            let from = node * 2 + kind;
            wires.insert(match edge {
                Edge::Step(to) => (from, site, number(to), None, None, sure),
                Edge::Call(by, entry) => (from, site, number(entry), Some(call(by)), None, sure),
                Edge::Return(exit) => {
                    (from, site, 0, None, Some(machine.exit_position(exit)), sure)
                }
            });
        }
    }
    let entries = machine.nodes_of(component).map(|node| machine.is_entry(node)).collect();
    Ok((wires, entries))
}

/// Checks one component.
fn component(
    copied: Copied<'_>,
    pairing: &Pairing,
    component: CompId,
    of: CompId,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let Copied { original, copy, nodes, .. } = copied;
    let own: Vec<NodeId> = copy.nodes_of(component).map(|node| nodes[node.index()]).collect();
    let all: Vec<NodeId> = original.nodes_of(of).collect();
    let exits = copy.exits_of(component).len() == original.exits_of(of).len();
    if own != all || !exits {
        return refuse(PLACE, "a component has other nodes or exits");
    }
    let found = wires(copy, component, |node| nodes[node.index()].index(), meter)?;
    let expected = wires(original, of, NodeId::index, meter)?;
    let mut calls = copy.boxes_of(component).iter().zip(original.boxes_of(of));
    let wrong = |(&call, &of): (&BoxId, &BoxId)| {
        pairing.get(&copy.callee(call)) != Some(&original.callee(of))
    };
    match found != expected || calls.any(wrong) {
        true => refuse(PLACE, "a component has other edges"),
        false => Ok(()),
    }
}

/// Checks that labels of the original are where they were.
fn labels(copied: Copied<'_>, pairing: &Pairing, meter: &mut Meter<'_>) -> Result<(), Stopped> {
    let Copied { original, copy, nodes, .. } = copied;
    for (label, name) in original.labels() {
        let own = copy.label(name);
        for node in pairing.keys().flat_map(|&component| copy.nodes_of(component)) {
            meter.tick()?;
            let of = nodes[node.index()];
            let has = own.is_some_and(|own| copy.has_label(node, own));
            let unknown = own.is_some_and(|own| copy.is_unknown(node, own));
            if (has, unknown) != (original.has_label(of, label), original.is_unknown(of, label)) {
                return refuse(PLACE, format!("the label `{name}` is not where it was"));
            }
        }
    }
    Ok(())
}

/// What a property reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    /// Components, up to the one that runs, by a pattern.
    Components,
    /// Components, of which one is looked for.
    Called,
    /// Stack symbols, by an expression that begins at the top.
    Symbols,
}

/// The text of a property of the stack.
fn property(name: &str) -> Option<(&str, Letters)> {
    let between = |begin: &str, end: &str| name.strip_prefix(begin)?.strip_suffix(end);
    let symbols = between("#", "#").map(|text| (text, Letters::Symbols));
    let called = between("called(", ")").map(|text| (text, Letters::Called));
    symbols.or(called).or_else(|| Some((between("stack(", ")")?, Letters::Components)))
}

/// Checks that the label of a property is where the property is true.
fn truth(
    copied: Copied<'_>,
    pairing: &Pairing,
    name: &str,
    text: &str,
    letters: Letters,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let Copied { original, copy, nodes, names, symbols } = copied;
    let mut all = Expressions::default();
    let text = if text.starts_with('"') { quoted::unquote(text) } else { text.into() };
    let whole = match letters {
        Letters::Called => Ok(all.containing(&text)),
        Letters::Components => all.read(&text, Direction::FromBottom),
        Letters::Symbols => all.read(&text, Direction::FromTop),
    };
    let whole = match whole {
        Ok(whole) => whole,
        Err(why) => return refuse(PLACE, format!("`{name}` cannot be read: {why}")),
    };
    let label = copy.label(name);
    let mut seen: BTreeSet<(CompId, ExprId)> = BTreeSet::new();
    let mut open: Vec<(CompId, ExprId)> = Vec::new();
    for &node in copy.initial() {
        let component = copy.component_of(node);
        open.push((
            component,
            match letters {
                Letters::Symbols => whole,
                _ => all.after(whole, names[pairing[&component].index()], meter)?,
            },
        ));
    }
    while let Some((component, left)) = open.pop() {
        if !seen.insert((component, left)) {
            continue;
        }
        for node in copy.nodes_of(component) {
            meter.tick()?;
            let mut left = left;
            if let (Letters::Symbols, Some(symbols)) = (letters, symbols) {
                for symbol in (symbols.of_node)(nodes[node.index()]) {
                    left = all.after(left, &symbol, meter)?;
                }
            }
            let has = label.is_some_and(|label| copy.has_label(node, label));
            if has != all.is_done(left) || label.is_some_and(|label| copy.is_unknown(node, label)) {
                return refuse(PLACE, format!("`{name}` is wrong at `{}`", copy.node_path(node)));
            }
        }
        let of = pairing[&component];
        for (&call, &of) in copy.boxes_of(component).iter().zip(original.boxes_of(of)) {
            let mut left = left;
            match (letters, symbols) {
                (Letters::Symbols, Some(symbols)) => {
                    for symbol in (symbols.of_box)(of) {
                        left = all.after(left, &symbol, meter)?;
                    }
                }
                _ => left = all.after(left, names[original.callee(of).index()], meter)?,
            }
            open.push((copy.callee(call), left));
        }
    }
    Ok(())
}
