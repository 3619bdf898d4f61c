//! The call graph: which components call which, where they recurse, and how deep calls nest.
//!
//! Call chains may be as long as there are components, so nothing here uses the native stack.

use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::Components;
use tern_model::{Budget, CompId, Machine};

/// Facts about the calls of a machine. Boxes that no edge enters count too: they are in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallGraph {
    /// The components that each component calls, without repetition, sorted.
    pub callees: Table<CompId, Vec<CompId>>,
    /// The sets of components that can call each other for ever, each sorted; a component that
    /// calls itself is one. In the order of their first members.
    pub cycles: Vec<Vec<CompId>>,
    /// The most components that are active at once; `None` if there is no bound.
    pub depth: Option<usize>,
}

impl CallGraph {
    /// Reads the call graph off a machine.
    pub fn of(machine: &Machine) -> Self {
        let callees: Table<CompId, Vec<CompId>> = machine
            .components()
            .map(|component| {
                let boxes = machine.boxes_of(component).iter();
                let mut callees: Vec<_> = boxes.map(|&call| machine.callee(call)).collect();
                callees.sort_unstable();
                callees.dedup();
                callees
            })
            .collect();
        let groups = groups(&callees);
        let recursive = |group: &[CompId]| {
            group.len() > 1 || callees[group[0]].binary_search(&group[0]).is_ok()
        };
        let mut cycles: Vec<_> = groups.iter().filter(|group| recursive(group)).cloned().collect();
        let depth = cycles.is_empty().then(|| depth(&callees, &groups));
        cycles.sort_unstable();
        CallGraph { callees, cycles, depth }
    }
}

/// The longest chain of calls in a graph without cycles, whose `groups` list callees first.
fn depth(callees: &Table<CompId, Vec<CompId>>, groups: &[Vec<CompId>]) -> usize {
    let mut depth: Table<CompId, usize> = Table::filled(0, callees.len());
    for &component in groups.iter().flatten() {
        let below = callees[component].iter().map(|&callee| depth[callee]).max();
        depth[component] = below.unwrap_or(0) + 1;
    }
    depth.as_slice().iter().copied().max().unwrap_or(0)
}

/// The strongly connected components, callees before callers, each sorted.
fn groups(callees: &Table<CompId, Vec<CompId>>) -> Vec<Vec<CompId>> {
    let budget = Budget::unlimited();
    let successors = |component| callees[component].iter().copied();
    let components = Components::new(callees.len(), successors, &mut Meter::new(&budget))
        .expect("no limits are set");
    let sorted = |group| {
        let mut members = components.members(group).to_vec();
        members.sort_unstable();
        members
    };
    components.ids().map(sorted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Builder, Id};

    fn graph(components: usize, calls: impl IntoIterator<Item = (usize, usize)>) -> CallGraph {
        let mut builder = Builder::new();
        let ids: Vec<_> = (0..components).map(|i| builder.component(&format!("c{i}"))).collect();
        for (i, (caller, callee)) in calls.into_iter().enumerate() {
            builder.call_box(ids[caller], &format!("b{i}"), ids[callee]);
        }
        let start = builder.node(ids[0], "start");
        builder.initial(start);
        CallGraph::of(&builder.finish().expect("a machine"))
    }

    fn cycles(graph: &CallGraph) -> Vec<Vec<usize>> {
        graph.cycles.iter().map(|cycle| cycle.iter().map(|c| c.index()).collect()).collect()
    }

    #[test]
    fn recursion_is_found_and_depth_counted() {
        let tree = graph(4, [(0, 1), (0, 2), (2, 1), (1, 3), (0, 1)]);
        assert_eq!((cycles(&tree), tree.depth), (vec![], Some(4)));
        let selfish = graph(2, [(0, 1), (1, 1)]);
        assert_eq!((cycles(&selfish), selfish.depth), (vec![vec![1]], None));
        let two = graph(6, [(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 5), (5, 3), (0, 5)]);
        assert_eq!(cycles(&two), [vec![1, 2], vec![3, 4, 5]]);
        assert_eq!(CallGraph::of(&Machine::default()).depth, Some(0));
    }

    #[test]
    fn deep_chains_need_no_stack() {
        let deep = 100_000;
        let chain = graph(deep, (1..deep).map(|i| (i - 1, i)));
        assert_eq!(chain.depth, Some(deep));
        let ring = graph(deep, (0..deep).map(|i| (i, (i + 1) % deep)));
        assert_eq!(ring.cycles.len(), 1);
        assert_eq!(ring.cycles[0].len(), deep);
    }

    #[test]
    fn groups_agree_with_reachability() {
        // All graphs of three components: two are in one group when each reaches the other.
        for bits in 0..1u32 << 9 {
            let calls = (0..9).filter(|i| bits >> i & 1 == 1).map(|i| (i / 3, i % 3));
            let mut reach = [[false; 3]; 3];
            calls.clone().for_each(|(from, to)| reach[from][to] = true);
            for via in 0..3 {
                for from in 0..3 {
                    for to in 0..3 {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let found = cycles(&graph(3, calls));
            for (a, row) in reach.iter().enumerate() {
                for (b, &forth) in row.iter().enumerate() {
                    let together =
                        found.iter().any(|group| group.contains(&a) && group.contains(&b));
                    assert_eq!(together, forth && reach[b][a], "{bits:b} {a} {b}");
                }
            }
        }
    }
}
