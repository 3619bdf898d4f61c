//! Pictures of components and of calls, as rectangles and arrows with coordinates, from which SVG
//! and the page are drawn.
//!
//! What is written in a rectangle is cut to a width that is known before it is drawn: all letters
//! are taken for `LETTER` wide, as in a font of equal widths.

use crate::layout::{Graph, lay_out};
use crate::visible;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::index::Lists;
use tern_model::{
    BoxId, Budget, CompId, Edge, ExitId, LabelId, Limit, Machine, NodeId, Place, PlaceId, Surety,
};

/// How wide a letter is, in tenths of a point, and a small one.
const LETTER: usize = 74;
const SMALL_LETTER: usize = 62;
/// How many letters of a name are drawn, and of labels.
const NAME: usize = 30;
const LABELS: usize = 36;
/// The heights of rectangles with one line and with two.
const LOW: i32 = 24;
const HIGH: i32 = 38;

/// What a rectangle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A node.
    Node(NodeId),
    /// A box, by which a component is called.
    Call(BoxId),
    /// A component, in a picture of calls.
    Component(CompId),
}

/// A rectangle.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it stands for.
    pub thing: Thing,
    /// Its left end.
    pub x: i32,
    /// Its upper end.
    pub y: i32,
    /// How wide it is.
    pub width: i32,
    /// How high it is.
    pub height: i32,
    /// What is written in it: a name, and perhaps labels.
    pub lines: Vec<String>,
}

/// An arrow between rectangles, which are given by their positions.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The edge of the machine that it stands for, and the place that this leaves. A picture of
    /// calls has none.
    pub edge: Option<(PlaceId, Edge)>,
    /// The exit after which it goes on, if it comes back from a call.
    pub exit: Option<ExitId>,
    /// Whether it is only possible.
    pub is_possible: bool,
    /// The points that it goes through. An arrow from a rectangle to itself has four, a curve.
    pub points: Vec<(i32, i32)>,
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// How wide it is.
    pub width: i32,
    /// How high it is.
    pub height: i32,
    /// The rectangles.
    pub items: Vec<Item>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
    /// How many nodes are left out.
    pub left_out: usize,
}

/// The labels that are written into nodes.
#[derive(Clone, Debug)]
pub struct Captions {
    labels: Lists<NodeId, (LabelId, bool)>,
}

impl Captions {
    /// Those of some names, in this order. A label that is named like its node is not repeated.
    pub fn new<'a>(machine: &Machine, names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut pairs = Vec::new();
        for label in names.into_iter().filter_map(|name| machine.label(name)) {
            let name = machine.label_name(label);
            let sure = machine.labelled(label).iter().map(|node| (node, (label, true)));
            let unknown = machine.unknown(label).iter().map(|&node| (node, (label, false)));
            pairs.extend(sure.chain(unknown).filter(|&(node, _)| machine.node_name(node) != name));
        }
        Captions { labels: Lists::group(machine.node_count(), &pairs) }
    }

    /// The labels of a node; those that are unknown with a question mark.
    pub fn of(&self, machine: &Machine, node: NodeId) -> Vec<String> {
        let labels = self.labels.of(node).iter();
        labels
            .map(|&(label, sure)| {
                let mark = if sure { "" } else { "?" };
                format!("{}{mark}", visible(machine.label_name(label)))
            })
            .collect()
    }
}

/// A text of which the middle is left out if it has more letters than `most`.
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (head, tail) = (most / 2, most - most / 2 - 1);
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(count - tail).collect();
    format!("{first}…{last}")
}

/// The lines of a rectangle, and its size.
fn sized(name: &str, labels: &str) -> (Vec<String>, (i32, i32)) {
    let mut lines = vec![shortened(&visible(name), NAME)];
    if !labels.is_empty() {
        lines.push(shortened(labels, LABELS));
    }
    let letters =
        |line: usize, wide: usize| lines.get(line).map_or(0, |it| it.chars().count() * wide);
    let width = 18 + letters(0, LETTER).max(letters(1, SMALL_LETTER)).div_ceil(10);
    let height = if lines.len() > 1 { HIGH } else { LOW };
    (lines, (width as i32, height))
}

/// A picture that is being put together.
#[derive(Default)]
struct Sketch {
    things: Vec<(Thing, Vec<String>)>,
    graph: Graph,
    arrows: Vec<Arrow>,
}

impl Sketch {
    fn item(&mut self, thing: Thing, name: &str, labels: &str) -> usize {
        let (lines, size) = sized(name, labels);
        self.things.push((thing, lines));
        self.graph.sizes.push(size);
        self.things.len() - 1
    }

    fn arrow(&mut self, arrow: Arrow) {
        self.graph.edges.push((arrow.from, arrow.to));
        self.arrows.push(arrow);
    }

    fn finish(self, left_out: usize, budget: &Budget) -> Result<Picture, Limit> {
        let Sketch { things, graph, mut arrows } = self;
        let layout = lay_out(&graph, budget)?;
        for (arrow, route) in arrows.iter_mut().zip(layout.routes) {
            arrow.points = route;
        }
        let placed = things.into_iter().zip(graph.sizes).zip(layout.corners);
        let items = placed.map(|(((thing, lines), (width, height)), (x, y))| Item {
            thing,
            x,
            y,
            width,
            height,
            lines,
        });
        let (width, height) = (layout.width, layout.height);
        Ok(Picture { width, height, items: items.collect(), arrows, left_out })
    }
}

/// A picture of a component; of the nodes that are in `only`, if that is given, and of the boxes
/// that these have to do with.
///
/// # Errors
/// When the budget runs out.
pub fn component(
    machine: &Machine,
    component: CompId,
    captions: &Captions,
    only: Option<&BTreeSet<NodeId>>,
    budget: &Budget,
) -> Result<Picture, Limit> {
    let is_drawn = |node: NodeId| only.is_none_or(|only| only.contains(&node));
    let mut sketch = Sketch::default();
    let mut items: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut left_out = 0;
    for node in machine.nodes_of(component) {
        if !is_drawn(node) {
            left_out += 1;
            continue;
        }
        let labels = captions.of(machine, node).join(", ");
        let item = sketch.item(Thing::Node(node), machine.node_name(node), &labels);
        items.insert(node, item);
    }
    let roots = machine.entries_of(component).iter().chain(machine.initial());
    sketch.graph.roots = roots.filter_map(|node| items.get(node).copied()).collect();
    let mut boxes: BTreeMap<BoxId, usize> = BTreeMap::new();
    for &call in machine.boxes_of(component) {
        let is_near = machine.calls_of(call).iter().any(|edge| match machine.place(edge.from) {
            Place::Node(node) => is_drawn(node),
            Place::Site(..) => true,
        });
        if only.is_some() && !is_near {
            continue;
        }
        let name =
            format!("{}: {}", machine.box_name(call), machine.component_name(machine.callee(call)));
        boxes.insert(call, sketch.item(Thing::Call(call), &name, ""));
    }
    for &place in machine.places_of(component) {
        let (from, exit) = match machine.place(place) {
            Place::Node(node) => (items.get(&node), None),
            Place::Site(call, exit) => (boxes.get(&call), Some(exit)),
        };
        let Some(&from) = from else { continue };
        let mut edges: Vec<(Edge, Surety)> = machine.edges_with_surety(place).collect();
        edges.sort_unstable();
        edges.dedup_by_key(|&mut (edge, _)| edge); // the sure one comes first
        for (edge, surety) in edges {
            let to = match edge {
                Edge::Step(to) => items.get(&to),
                Edge::Call(call, _) => boxes.get(&call),
                Edge::Return(_) => None, // the second line round the node says so
            };
            let Some(&to) = to else { continue };
            let is_possible = surety == Surety::Possible;
            let edge = Some((place, edge));
            sketch.arrow(Arrow { from, to, edge, exit, is_possible, points: Vec::new() });
        }
    }
    sketch.finish(left_out, budget)
}

/// A picture of which component calls which.
///
/// # Errors
/// When the budget runs out.
pub fn calls(machine: &Machine, budget: &Budget) -> Result<Picture, Limit> {
    let mut sketch = Sketch::default();
    for component in machine.components() {
        sketch.item(Thing::Component(component), machine.component_name(component), "");
    }
    let place = |component: CompId| tern_model::Id::index(component);
    let roots: BTreeSet<usize> =
        machine.initial().iter().map(|&node| place(machine.component_of(node))).collect();
    sketch.graph.roots = roots.into_iter().collect();
    let graph = crate::calls::CallGraph::of(machine);
    for (caller, callees) in graph.callees.iter() {
        for &callee in callees {
            let (from, to) = (place(caller), place(callee));
            let points = Vec::new();
            let arrow = Arrow { from, to, edge: None, exit: None, is_possible: false, points };
            sketch.arrow(arrow);
        }
    }
    sketch.finish(0, budget)
}

/// An arrow as the data of an SVG path: down, or up, between the points of a route, and round the
/// corner if it leads to where it came from.
pub fn path(arrow: &Arrow) -> String {
    use std::fmt::Write as _;
    let points = &arrow.points;
    let Some(&(x, y)) = points.first() else { return String::new() };
    let mut data = format!("M{x} {y}");
    if let (true, &[_, b, c, d]) = (arrow.from == arrow.to, &points[..]) {
        let _ = write!(data, "C{} {} {} {} {} {}", b.0, b.1, c.0, c.1, d.0, d.1);
        return data;
    }
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let _ = match x0 == x1 {
            true => write!(data, "L{x1} {y1}"),
            false => {
                let middle = y0.midpoint(y1);
                write!(data, "C{x0} {middle} {x1} {middle} {x1} {y1}")
            }
        };
    }
    data
}
