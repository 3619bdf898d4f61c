//! A machine as data of the page: names, labels, origins, and a picture of each component.
//!
//! A page has room for so many rectangles. If a machine has more, those components are drawn that
//! runs come to, then those in which programs begin, then the others in their order; of a component
//! that is too large by itself, the nodes that runs come to and what is next to them.

use super::formula::number;
use crate::picture::{self, Captions, Picture, Thing};
use crate::visible;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Budget, CompId, Edge, Limit, Machine, NodeId};
use tern_record::result_file::Sizes;

/// How many rectangles a page has room for, and a picture.
const MOST: usize = 60_000;
const MOST_AT_ONCE: usize = 2_500;
/// A machine with more components has no picture of its calls.
const MOST_CALLS: usize = 3_000;
/// Of so many nodes that runs come to the values are kept.
const MOST_VALUED: usize = 4_000;

/// The values of variables at a node.
pub(super) type Values<'a> = &'a dyn Fn(NodeId) -> Vec<(String, String)>;

#[derive(Debug, Serialize)]
pub(super) struct MachineData {
    sizes: Sizes,
    edges: usize,
    #[serde(rename = "abstract")]
    is_abstract: bool,
    initial: Vec<u32>,
    components: Vec<ComponentData>,
    /// The nodes that are drawn or that runs come to: number, name, component, flags.
    nodes: NodeColumns,
    boxes: BoxColumns,
    exits: Vec<String>,
    /// The names of labels, with the nodes that have them, and at which they are unknown.
    labels: Vec<(String, Vec<u32>, Vec<u32>)>,
    files: Vec<String>,
    calls: Option<PictureData>,
    /// The values of variables at nodes that runs come to.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<u32, Vec<(String, String)>>,
}

#[derive(Debug, Serialize)]
struct ComponentData {
    name: String,
    nodes: usize,
    boxes: usize,
    /// The components that it calls.
    calls: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<PictureData>,
}

#[derive(Debug, Default, Serialize)]
struct NodeColumns {
    ids: Vec<u32>,
    names: Vec<String>,
    components: Vec<u32>,
    /// 1 for entries, 2 for those that return, 4 for initial ones.
    flags: Vec<u8>,
    /// File and line, one after the other; −1 if they are not known.
    origins: Vec<i64>,
}

#[derive(Debug, Default, Serialize)]
struct BoxColumns {
    ids: Vec<u32>,
    names: Vec<String>,
    callees: Vec<u32>,
    components: Vec<u32>,
}

/// A picture in numbers.
#[derive(Debug, Serialize)]
struct PictureData {
    width: i32,
    height: i32,
    /// Of each rectangle: what it is (0 a node, 1 a box, 2 a component), its id, and where it is:
    /// left, top, width, height.
    items: Vec<i64>,
    /// What is written in them; the lines of each.
    lines: Vec<Vec<String>>,
    /// Of each arrow: from, to (rectangles by position), 1 if it is only possible, the exit or −1,
    /// and its path.
    arrows: Vec<(usize, usize, u8, i64, String)>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl PictureData {
    fn new(picture: &Picture) -> Self {
        let mut items = Vec::with_capacity(picture.items.len() * 6);
        for item in &picture.items {
            let (kind, id) = match item.thing {
                Thing::Node(node) => (0, number(node)),
                Thing::Call(call) => (1, number(call)),
                Thing::Component(component) => (2, number(component)),
            };
            let place = [item.x, item.y, item.width, item.height].map(i64::from);
            items.extend([kind, i64::from(id)].into_iter().chain(place));
        }
        let arrow = |arrow: &picture::Arrow| {
            let exit = arrow.exit.map_or(-1, |exit| i64::from(number(exit)));
            (arrow.from, arrow.to, u8::from(arrow.is_possible), exit, picture::path(arrow))
        };
        PictureData {
            width: picture.width,
            height: picture.height,
            items,
            lines: picture.items.iter().map(|item| item.lines.clone()).collect(),
            arrows: picture.arrows.iter().map(arrow).collect(),
            left_out: picture.left_out,
        }
    }
}

/// Makes the data of a machine. Labels are those that claims speak of; `visited` are the nodes that
/// runs come to.
///
/// # Errors
/// When the budget runs out.
pub(super) fn data(
    machine: &Machine,
    labels: &[&str],
    visited: &BTreeSet<NodeId>,
    values: Values<'_>,
    budget: &Budget,
) -> Result<MachineData, Limit> {
    let captions = Captions::new(machine, labels.iter().copied());
    let mut shown: BTreeSet<NodeId> = visited.clone();
    let mut pictures: BTreeMap<CompId, PictureData> = BTreeMap::new();
    let mut left = MOST;
    for component in in_order_of_interest(machine, visited) {
        let size = machine.nodes_of(component).len() + machine.boxes_of(component).len();
        let part = (size > MOST_AT_ONCE).then(|| neighbourhood(machine, component, visited));
        let needed = part.as_ref().map_or(size, BTreeSet::len);
        if needed > left {
            continue;
        }
        left -= needed;
        let picture = picture::component(machine, component, &captions, part.as_ref(), budget)?;
        shown.extend(picture.items.iter().filter_map(|item| match item.thing {
            Thing::Node(node) => Some(node),
            Thing::Call(_) | Thing::Component(_) => None,
        }));
        pictures.insert(component, PictureData::new(&picture));
    }
    let calls = match machine.component_count() {
        0 | 1 => None,
        count if count > MOST_CALLS => None,
        _ => Some(PictureData::new(&picture::calls(machine, budget)?)),
    };
    let graph = crate::calls::CallGraph::of(machine);
    let components = machine.components().map(|component| ComponentData {
        name: visible(machine.component_name(component)).into_owned(),
        nodes: machine.nodes_of(component).len(),
        boxes: machine.boxes_of(component).len(),
        calls: graph.callees[component].iter().map(|&callee| number(callee)).collect(),
        picture: pictures.remove(&component),
    });
    let (nodes, files) = node_columns(machine, &shown);
    Ok(MachineData {
        sizes: Sizes::of(machine),
        edges: machine.edge_count(),
        is_abstract: machine.is_abstract(),
        initial: machine.initial().iter().map(|&node| number(node)).collect(),
        components: components.collect(),
        nodes,
        boxes: box_columns(machine),
        exits: machine.exits().map(|exit| visible(machine.exit_name(exit)).into_owned()).collect(),
        labels: label_rows(machine, labels, &shown),
        files,
        calls,
        values: value_rows(visited, values),
    })
}

/// The components: those that runs come to, those in which programs begin, and the others.
fn in_order_of_interest(machine: &Machine, visited: &BTreeSet<NodeId>) -> Vec<CompId> {
    let first = visited.iter().chain(machine.initial()).map(|&node| machine.component_of(node));
    let mut seen = BTreeSet::new();
    first.chain(machine.components()).filter(|&component| seen.insert(component)).collect()
}

/// Of a large component, the nodes that runs come to, or else its entries, and what is next to
/// them.
fn neighbourhood(
    machine: &Machine,
    component: CompId,
    visited: &BTreeSet<NodeId>,
) -> BTreeSet<NodeId> {
    let is_inside = |node: &&NodeId| machine.component_of(**node) == component;
    let mut kept: BTreeSet<NodeId> =
        visited.iter().filter(is_inside).take(MOST_AT_ONCE / 2).copied().collect();
    let roots = machine.entries_of(component).iter().chain(machine.initial());
    kept.extend(roots.filter(is_inside).take(MOST_AT_ONCE / 10));
    let mut waiting: Vec<NodeId> = kept.iter().rev().copied().collect();
    while let Some(node) = waiting.pop() {
        for edge in machine.edges(node) {
            if kept.len() >= MOST_AT_ONCE / 2 {
                return kept;
            }
            if let Edge::Step(to) = *edge {
                kept.insert(to);
            }
        }
    }
    kept
}

fn node_columns(machine: &Machine, shown: &BTreeSet<NodeId>) -> (NodeColumns, Vec<String>) {
    let initial: BTreeSet<NodeId> = machine.initial().iter().copied().collect();
    let mut columns = NodeColumns::default();
    let mut files: BTreeMap<String, i64> = BTreeMap::new();
    for &node in shown {
        columns.ids.push(number(node));
        columns.names.push(visible(machine.node_name(node)).into_owned());
        columns.components.push(number(machine.component_of(node)));
        let returns = machine.edges(node).iter().any(|edge| matches!(edge, Edge::Return(_)));
        let flags = [machine.is_entry(node), returns, initial.contains(&node)];
        let bits = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u8::from(flag));
        columns.flags.push(bits);
        match machine.origin(node) {
            Some(origin) => {
                let next = files.len() as i64;
                let file = *files.entry(visible(&origin.file).into_owned()).or_insert(next);
                columns.origins.extend([file, i64::from(origin.line)]);
            }
            None => columns.origins.extend([-1, -1]),
        }
    }
    let mut names: Vec<(i64, String)> = files.into_iter().map(|(name, at)| (at, name)).collect();
    names.sort_unstable();
    (columns, names.into_iter().map(|(_, name)| name).collect())
}

fn box_columns(machine: &Machine) -> BoxColumns {
    let mut columns = BoxColumns::default();
    for call in machine.boxes() {
        columns.ids.push(number(call));
        columns.names.push(visible(machine.box_name(call)).into_owned());
        columns.callees.push(number(machine.callee(call)));
        columns.components.push(number(machine.component_of_box(call)));
    }
    columns
}

fn label_rows(
    machine: &Machine,
    labels: &[&str],
    shown: &BTreeSet<NodeId>,
) -> Vec<(String, Vec<u32>, Vec<u32>)> {
    let listed = |nodes: &mut dyn Iterator<Item = NodeId>| {
        let nodes = nodes.filter(|node| shown.contains(node));
        nodes.map(number).collect::<Vec<u32>>()
    };
    let row = |name: &&str| {
        let label = machine.label(name)?;
        let name = visible(name).into_owned();
        let unknown = machine.unknown(label).iter().copied();
        Some((name, listed(&mut machine.labelled(label).iter()), listed(&mut { unknown })))
    };
    labels.iter().filter_map(row).collect()
}

fn value_rows(
    visited: &BTreeSet<NodeId>,
    values: Values<'_>,
) -> BTreeMap<u32, Vec<(String, String)>> {
    let mut rows = BTreeMap::new();
    for &node in visited.iter().take(MOST_VALUED) {
        let row = values(node);
        if !row.is_empty() {
            let shown = row
                .iter()
                .map(|(name, value)| (visible(name).into_owned(), visible(value).into_owned()));
            rows.insert(number(node), shown.collect());
        }
    }
    rows
}
