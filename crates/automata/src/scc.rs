//! The strongly connected components of an automaton, and what they say about acceptance.

use super::graph::{Edge, Graph};
use tern_model::Limit;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;

/// Which states reach each other.
#[derive(Clone, Debug)]
pub(super) struct Components {
    /// The component of each state. An edge never leads to a component with a larger number.
    pub(super) of: Vec<usize>,
    /// For each component the marks on its edges, or nothing if it has no edge.
    pub(super) marks: Vec<Option<Marks>>,
    all: Marks,
}

impl Components {
    /// Whether a run can stay in a component and be accepting.
    pub(super) fn is_accepting(&self, component: usize) -> bool {
        self.marks[component].is_some_and(|marks| marks & self.all == self.all)
    }

    /// Whether a run can stay in some component without ever being accepting there. Then a mark is
    /// needed to tell, even if all accepting components carry it everywhere.
    pub(super) fn has_rejecting_loop(&self) -> bool {
        (0..self.marks.len()).any(|c| self.marks[c].is_some() && !self.is_accepting(c))
    }

    /// Whether an edge from a state stays in its component.
    pub(super) fn is_inner(&self, from: usize, edge: &Edge) -> bool {
        self.of[from] == self.of[edge.to]
    }

    /// The components, by Tarjan's algorithm.
    pub(super) fn new(graph: &Graph, meter: &mut Meter<'_>) -> Result<Components, Limit> {
        const NONE: usize = usize::MAX;
        let count = graph.state_count();
        let (mut entered, mut lowest) = (vec![NONE; count], vec![NONE; count]);
        let mut of = vec![NONE; count];
        let (mut path, mut stack) = (Vec::new(), Vec::new());
        let (mut clock, mut components) = (0, 0);
        for root in 0..count {
            if entered[root] == NONE {
                stack.push((root, 0));
            }
            while let Some((state, next)) = stack.pop() {
                meter.tick()?;
                if next == 0 {
                    entered[state] = clock;
                    lowest[state] = clock;
                    clock += 1;
                    path.push(state);
                }
                if let Some(edge) = graph.edges[state].get(next) {
                    stack.push((state, next + 1));
                    if entered[edge.to] == NONE {
                        stack.push((edge.to, 0));
                    } else if of[edge.to] == NONE {
                        lowest[state] = lowest[state].min(entered[edge.to]);
                    }
                    continue;
                }
                if lowest[state] == entered[state] {
                    while let Some(member) = path.pop() {
                        of[member] = components;
                        if member == state {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some(&(parent, _)) = stack.last() {
                    lowest[parent] = lowest[parent].min(lowest[state]);
                }
            }
        }
        let mut marks = vec![None; components];
        for (state, edges) in graph.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| of[edge.to] == of[state]) {
                *marks[of[state]].get_or_insert(0) |= edge.marks;
            }
        }
        Ok(Components { of, marks, all: graph.all_marks() })
    }
}
