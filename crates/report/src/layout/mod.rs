//! Places the nodes of a directed graph in rows, so that most edges lead down.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (1981), each in nearly linear time:
//! 1. `rank`: edges that close a cycle are turned round; a row is one more than the lowest row
//!    that leads to it.
//! 2. Edges that pass several rows get a *bend* in each of them, which takes up room like a node.
//!    There are at most so many bends as `MOST_BENDS` says, short edges first: what is longer is
//!    drawn as one line. So a picture is never much larger than its graph.
//! 3. `order`: the rows are sorted by the mean position of neighbours, down and up in turns; of
//!    all orders that came up, the one with the fewest crossings is kept.
//! 4. `place`: each row is moved as near to its neighbours as the widths allow, by least squares.
//!
//! What comes out depends on the graph alone. No two nodes overlap, every edge that was not turned
//! round leads to a lower row, and all coordinates are at least 0.

mod order;
mod place;
mod rank;

use tern_model::budget::Meter;
use tern_model::{Budget, Limit};

/// The room between two nodes of a row, and around everything.
pub const GAP: i32 = 24;
/// The room between two rows.
pub const ROW_GAP: i32 = 44;
/// How many bends there may be for each node and edge.
const MOST_BENDS: usize = 4;
/// How far a loop at a node goes out.
const LOOP: i32 = 16;

/// A graph whose nodes have sizes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The width and height of each node.
    pub sizes: Vec<(i32, i32)>,
    /// The edges, by the positions of nodes. Several between the same nodes are fine.
    pub edges: Vec<(usize, usize)>,
    /// Where one begins to read.
    pub roots: Vec<usize>,
}

/// Where everything is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How wide everything is together.
    pub width: i32,
    /// How high.
    pub height: i32,
    /// The upper left corner of each node.
    pub corners: Vec<(i32, i32)>,
    /// The row of each node.
    pub rows: Vec<usize>,
    /// For each edge, the points that it goes through, from its source to its target.
    pub routes: Vec<Vec<(i32, i32)>>,
}

/// A node of the graph, or a bend of an edge.
#[derive(Clone, Debug, Default)]
struct Item {
    width: i32,
    row: usize,
    is_bend: bool,
    /// The items in the next row, and in the row before, that it is linked to.
    below: Vec<usize>,
    above: Vec<usize>,
}

/// What an edge became.
#[derive(Clone, Debug)]
enum Way {
    /// It begins and ends at the same node.
    Loop,
    /// It goes down through these items; or up, if it was turned round.
    Through { items: Vec<usize>, is_turned: bool },
}

/// Places a graph.
///
/// # Errors
/// When the budget runs out.
pub fn lay_out(graph: &Graph, budget: &Budget) -> Result<Layout, Limit> {
    let mut meter = Meter::new(budget);
    let ranking = rank::rank(graph, &mut meter)?;
    let (mut items, ways) = link(graph, &ranking, &mut meter)?;
    let rows = order::order(&mut items, &ranking.visited, &mut meter)?;
    let centres = place::place(&items, &rows, &mut meter)?;
    let mut drawing = Drawing { graph, items: &items, centres, tops: Vec::new(), rows: &rows };
    drawing.stack_rows();
    drawing.finish(&ways, &mut meter)
}

/// Links the items row by row, with a bend wherever an edge passes a row.
fn link(
    graph: &Graph,
    ranking: &rank::Ranking,
    meter: &mut Meter<'_>,
) -> Result<(Vec<Item>, Vec<Way>), Limit> {
    let node = |(i, &(width, _)): (usize, &(i32, i32))| Item {
        width,
        row: ranking.rows[i],
        ..Item::default()
    };
    let mut items: Vec<Item> = graph.sizes.iter().enumerate().map(node).collect();
    let span = |&(from, to): &(usize, usize)| ranking.rows[from].abs_diff(ranking.rows[to]);
    let mut by_length: Vec<usize> = (0..graph.edges.len()).collect();
    by_length.sort_by_key(|&edge| span(&graph.edges[edge]));
    let mut allowed = MOST_BENDS * (graph.sizes.len() + graph.edges.len());
    let mut ways = vec![Way::Loop; graph.edges.len()];
    for edge in by_length {
        meter.tick()?;
        let (from, to) = graph.edges[edge];
        if from == to {
            continue;
        }
        let is_turned = ranking.rows[from] > ranking.rows[to];
        let (upper, lower) = if is_turned { (to, from) } else { (from, to) };
        let mut through = vec![upper];
        let bends = span(&graph.edges[edge]) - 1;
        if bends <= allowed {
            allowed -= bends;
            for row in ranking.rows[upper] + 1..ranking.rows[lower] {
                meter.tick()?;
                let bend = items.len();
                items.push(Item { width: 4, row, is_bend: true, ..Item::default() });
                through.push(bend);
            }
            through.push(lower);
            for pair in through.windows(2) {
                items[pair[0]].below.push(pair[1]);
                items[pair[1]].above.push(pair[0]);
            }
        } else {
            through.push(lower);
        }
        ways[edge] = Way::Through { items: through, is_turned };
    }
    Ok((items, ways))
}

struct Drawing<'a> {
    graph: &'a Graph,
    items: &'a [Item],
    centres: Vec<i32>,
    /// The upper and lower end of each row.
    tops: Vec<(i32, i32)>,
    rows: &'a [Vec<usize>],
}

impl Drawing<'_> {
    /// Puts the rows below each other.
    fn stack_rows(&mut self) {
        let mut top = GAP;
        for row in self.rows {
            let heights = row.iter().filter_map(|&item| self.graph.sizes.get(item));
            let height = heights.map(|&(_, height)| height).max().unwrap_or(0);
            self.tops.push((top, top + height));
            // Edges that go far to the side need room to be told apart.
            top += height + ROW_GAP + (row.len() as i32).min(40);
        }
    }

    /// The left end, upper end, width and height of a node, in the middle of its row.
    fn node(&self, node: usize) -> (i32, i32, i32, i32) {
        let (width, height) = self.graph.sizes[node];
        let (top, bottom) = self.tops[self.items[node].row];
        (self.centres[node] - width / 2, top + (bottom - top - height) / 2, width, height)
    }

    fn finish(&self, ways: &[Way], meter: &mut Meter<'_>) -> Result<Layout, Limit> {
        let count = self.graph.sizes.len();
        let corners: Vec<(i32, i32)> = (0..count)
            .map(|node| {
                let (x, y, ..) = self.node(node);
                (x, y)
            })
            .collect();
        let (outlets, inlets) = self.ports(ways, meter)?;
        let mut routes = Vec::with_capacity(ways.len());
        for (edge, way) in ways.iter().enumerate() {
            meter.tick()?;
            routes.push(match way {
                Way::Loop => self.around(self.graph.edges[edge].0),
                Way::Through { items, is_turned } => {
                    let mut points = self.route(items, (outlets[edge], inlets[edge]));
                    if *is_turned {
                        points.reverse();
                    }
                    points
                }
            });
        }
        let nodes = (0..count).map(|node| {
            let (x, _, width, _) = self.node(node);
            x + width
        });
        let ends = routes.iter().flatten().map(|&(x, _)| x);
        let width = nodes.chain(ends).max().unwrap_or(0) + GAP;
        let height = self.tops.last().map_or(0, |&(_, bottom)| bottom) + GAP;
        let rows = self.items[..count].iter().map(|item| item.row).collect();
        Ok(Layout { width, height, corners, rows, routes })
    }

    /// A small loop at the right side of a node.
    fn around(&self, node: usize) -> Vec<(i32, i32)> {
        let (x, y, width, height) = self.node(node);
        let right = x + width;
        let (upper, lower) = (y + height / 3, y + height - height / 3);
        vec![(right, upper), (right + LOOP, upper), (right + LOOP, lower), (right, lower)]
    }

    /// Where edges leave and meet their nodes, from left to right in the order of where they come
    /// from or lead to, so that those of one node do not cross there.
    fn ports(&self, ways: &[Way], meter: &mut Meter<'_>) -> Result<(Vec<i32>, Vec<i32>), Limit> {
        let (mut out, mut into) = (Vec::new(), Vec::new());
        for (edge, way) in ways.iter().enumerate() {
            meter.tick()?;
            if let Way::Through { items, .. } = way {
                let (first, last) = (items[0], items[items.len() - 1]);
                out.push((first, self.centres[items[1]], edge));
                into.push((last, self.centres[items[items.len() - 2]], edge));
            }
        }
        let spread = |mut ends: Vec<(usize, i32, usize)>| {
            let mut at = vec![0; ways.len()];
            ends.sort_unstable();
            for same in ends.chunk_by(|a, b| a.0 == b.0) {
                let (x, _, width, _) = self.node(same[0].0);
                for (i, &(_, _, edge)) in same.iter().enumerate() {
                    at[edge] = x + width * (i as i32 + 1) / (same.len() as i32 + 1);
                }
            }
            at
        };
        Ok((spread(out), spread(into)))
    }

    /// The points of an edge, from its upper to its lower node.
    fn route(&self, items: &[usize], (outlet, inlet): (i32, i32)) -> Vec<(i32, i32)> {
        let (first, last) = (items[0], items[items.len() - 1]);
        let (_, top, _, height) = self.node(first);
        let mut points = vec![(outlet, top + height)];
        for &bend in &items[1..items.len() - 1] {
            let ((top, bottom), x) = (self.tops[self.items[bend].row], self.centres[bend]);
            points.push((x, top));
            if bottom > top {
                points.push((x, bottom));
            }
        }
        points.push((inlet, self.node(last).1));
        points
    }
}

#[cfg(test)]
mod tests;
