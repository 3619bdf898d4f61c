//! Properties of pictures: nothing overlaps, edges lead down, and large graphs take little work.

use super::*;

fn laid_out(graph: &Graph) -> Layout {
    lay_out(graph, &Budget::unlimited()).expect("no limit is set")
}

/// A graph with edges by chance; sizes of all kinds.
fn random(seed: u64, nodes: usize, edges: usize) -> Graph {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let sizes = (0..nodes).map(|_| (20 + next(120) as i32, 20 + next(3) as i32 * 14)).collect();
    let edges = (0..edges).map(|_| (next(nodes), next(nodes))).collect();
    Graph { sizes, edges, roots: vec![0] }
}

/// Asserts what is promised of all pictures.
fn check(graph: &Graph, layout: &Layout, what: &str) {
    let mut boxes: Vec<(i32, i32, i32, i32)> = Vec::new();
    for (&(width, height), &(x, y)) in graph.sizes.iter().zip(&layout.corners) {
        assert!(x >= 0 && y >= 0, "{what}: a corner at {x}, {y}");
        assert!(x + width <= layout.width && y + height <= layout.height, "{what}");
        boxes.push((y, x, width, height));
    }
    boxes.sort_unstable();
    for (i, &(y, x, width, height)) in boxes.iter().enumerate() {
        for &(other_y, other_x, other_width, _) in &boxes[i + 1..] {
            if other_y >= y + height {
                break;
            }
            assert!(other_x >= x + width || x >= other_x + other_width, "{what}: overlap");
        }
    }
    assert_eq!(layout.routes.len(), graph.edges.len(), "{what}");
    let end = |node: usize, (x, y): (i32, i32)| {
        let ((left, top), (width, height)) = (layout.corners[node], graph.sizes[node]);
        (left..=left + width).contains(&x) && (top..=top + height).contains(&y)
    };
    for (&(from, to), route) in graph.edges.iter().zip(&layout.routes) {
        assert!(end(from, route[0]) && end(to, route[route.len() - 1]), "{what}: loose ends");
        assert!(route.iter().all(|&(x, y)| x >= 0 && x <= layout.width && y >= 0), "{what}");
        assert!(from == to || layout.rows[from] != layout.rows[to], "{what}: level edge");
    }
    // Without the edges that lead up, there is no cycle: all others lead down.
    let up = graph.edges.iter().filter(|&&(from, to)| layout.rows[from] > layout.rows[to]).count();
    assert!(up < graph.edges.len().max(1), "{what}: every edge leads up");
}

#[test]
fn nothing_overlaps_in_random_graphs() {
    for seed in 0..400 {
        let nodes = 1 + seed as usize % 37;
        let graph = random(seed, nodes, nodes * (seed as usize % 4));
        check(&graph, &laid_out(&graph), &format!("seed {seed}"));
    }
}

#[test]
fn rows_of_graphs_without_cycles_follow_every_edge() {
    for seed in 0..100 {
        let mut graph = random(seed, 30, 60);
        graph.edges.retain(|(from, to)| from != to);
        graph.edges.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
        let layout = laid_out(&graph);
        for &(from, to) in &graph.edges {
            assert!(layout.rows[from] < layout.rows[to], "seed {seed}: {from} to {to}");
        }
        check(&graph, &layout, &format!("seed {seed}"));
    }
}

#[test]
fn a_chain_is_a_straight_line_and_a_cycle_has_one_edge_back() {
    let mut graph = Graph {
        sizes: vec![(40, 20); 10],
        edges: (0..9).map(|i| (i, i + 1)).collect(),
        roots: vec![0],
    };
    let layout = laid_out(&graph);
    assert!(layout.corners.windows(2).all(|pair| pair[0].0 == pair[1].0), "{layout:?}");
    assert_eq!(layout.rows, (0..10).collect::<Vec<_>>());
    graph.edges.push((9, 0));
    let layout = laid_out(&graph);
    let up = graph.edges.iter().filter(|&&(from, to)| layout.rows[from] > layout.rows[to]).count();
    assert_eq!(up, 1);
    check(&graph, &layout, "a cycle");
}

#[test]
fn a_tree_has_no_crossings() {
    let edges: Vec<_> = (1..63).map(|i| ((i - 1) / 2, i)).collect();
    let graph = Graph { sizes: vec![(30, 20); 63], edges: edges.clone(), roots: vec![0] };
    let layout = laid_out(&graph);
    for &(a, b) in &edges {
        for &(c, d) in &edges {
            if layout.rows[a] == layout.rows[c] && layout.corners[a].0 < layout.corners[c].0 {
                assert!(layout.corners[b].0 < layout.corners[d].0, "{a}-{b} crosses {c}-{d}");
            }
        }
    }
}

#[test]
fn empty_and_single_graphs_are_fine() {
    assert_eq!(laid_out(&Graph::default()).corners, []);
    let graph = Graph { sizes: vec![(10, 10)], edges: vec![(0, 0), (0, 0)], roots: vec![] };
    check(&graph, &laid_out(&graph), "one node");
}

/// Whether a graph is laid out within so many looks at the budget.
fn is_enough(graph: &Graph, looks: u64) -> bool {
    lay_out(graph, &Budget::unlimited().with_effort(looks)).is_ok()
}

#[test]
fn the_work_grows_like_the_graph() {
    // A chain of which the beginning leads to every node: as many rows to pass as can be.
    let broom = |count: usize| Graph {
        sizes: vec![(30, 20); count],
        edges: (1..count).flat_map(|i| [(i - 1, i), (0, i), (i, count / 2)]).collect(),
        roots: vec![0],
    };
    let pairs = [(broom(400), broom(3_200)), (random(1, 400, 800), random(1, 3_200, 6_400))];
    for (small, large) in pairs {
        let looks = (1..).find(|&looks| is_enough(&small, looks)).expect("some number is enough");
        assert!(is_enough(&large, looks * 8 * 2), "{looks} looks for an eighth of it");
    }
}

#[test]
fn deep_graphs_need_no_stack() {
    let count = 50_000;
    let graph = Graph {
        sizes: vec![(30, 20); count],
        edges: (1..count).map(|i| (i - 1, i)).collect(),
        roots: vec![0],
    };
    assert_eq!(laid_out(&graph).rows[count - 1], count - 1);
}
