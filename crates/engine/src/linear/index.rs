//! Finds the vertices of a search again, by start, spot and state of the automaton.
//!
//! A start has a table over the places of its component, in pages that are made when they are
//! needed; it says which vertex was the last to be added at a place, and each vertex says which was
//! before. So neighbours in the program are neighbours in memory. What is not in such a table is
//! hashed: spots that are no places, places whose number within their component is not known, and
//! where there are many states at one place, all but a few. A start has no table if the lists of
//! pages would get long beside the number of vertices, as with many entries of a large component:
//! memory stays linear in the number of vertices.

use super::graph::{Spot, StartId, Vertex, VertexId};
use rustc_hash::FxHashMap;
use tern_model::index::Table;
use tern_model::{Id, StateId, indices};

/// How many places lie on a page.
const PAGE: usize = 16;
/// How many vertices at one place are looked at one after the other.
const FEW: usize = 8;
/// How many pages may be listed for each vertex, and how many at first, before starts get no tables
/// any more.
const PAGES_A_VERTEX: usize = 4;
const PAGES_AT_FIRST: usize = 1 << 16;

indices! {
    /// A place of a page.
    Cell = "c";
}

/// Where the pages of a start are listed, and how many places its component has.
#[derive(Clone, Copy)]
struct Pages {
    first: usize,
    places: usize,
}

#[derive(Default)]
pub(super) struct Index {
    /// The pages of each start that has a table.
    tables: Table<StartId, Option<Pages>>,
    /// For each page, where its places begin, if there is a vertex on it.
    pages: Vec<Option<Cell>>,
    /// For each place of a page, the last vertex there.
    last: Table<Cell, Option<VertexId>>,
    /// For each vertex of a table, the one before it at the same place of its start.
    before: Table<VertexId, Option<VertexId>>,
    hashed: FxHashMap<(StartId, Spot, StateId), VertexId>,
}

impl Index {
    /// Adds a start, whose component has so many places, when there are so many vertices.
    pub(super) fn add_start(&mut self, places: usize, vertices: usize) {
        let first = self.pages.len();
        let has_table = first <= PAGES_AT_FIRST + PAGES_A_VERTEX * vertices;
        self.tables.push(has_table.then_some(Pages { first, places }));
        if has_table {
            self.pages.resize(first + places.div_ceil(PAGE), None);
        }
    }

    /// The vertex like this one, which is `new` if there is none yet. `position` is that of the
    /// spot in the component of the start.
    pub(super) fn get_or_add(
        &mut self,
        wanted: Vertex,
        position: Option<usize>,
        new: VertexId,
        vertices: &Table<VertexId, Vertex>,
    ) -> VertexId {
        let Vertex { start, spot, state } = wanted;
        let Some((pages, position)) = self.tables[start].zip(position) else {
            return *self.hashed.entry((start, spot, state)).or_insert(new);
        };
        let cell = self.cell(pages, position);
        let mut next = self.last[cell];
        for _ in 0..FEW {
            let Some(known) = next else {
                self.before.grow(new.index() + 1, None);
                self.before[new] = self.last[cell].replace(new);
                return new;
            };
            if vertices[known].state == state {
                return known;
            }
            next = self.before[known];
        }
        *self.hashed.entry((start, spot, state)).or_insert(new)
    }

    /// The cell of a place.
    fn cell(&mut self, Pages { first, places }: Pages, position: usize) -> Cell {
        let number = position / PAGE;
        let begin = *self.pages[first + number].get_or_insert_with(|| {
            let begin = Cell::new(self.last.len());
            let length = PAGE.min(places - number * PAGE);
            self.last.grow(self.last.len() + length, None);
            begin
        });
        Cell::new(begin.index() + position % PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{NodeId, PlaceId};

    /// Whatever the order, a vertex is found again exactly if it was added.
    #[test]
    fn vertices_are_found_again() {
        for seed in 0..20 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut index, mut vertices) = (Index::default(), Table::new());
            let mut known: FxHashMap<(StartId, Spot, StateId), VertexId> = FxHashMap::default();
            let sizes: Vec<usize> = (0..5).map(|_| rng.usize(..60)).collect();
            for (start, &size) in sizes.iter().enumerate() {
                index.add_start(size, 0);
                if start == 2 {
                    // So long a list that the others get no tables.
                    index.pages.resize(PAGES_AT_FIRST + 1, None);
                }
            }
            for _ in 0..5_000 {
                let start = StartId::new(rng.usize(..5));
                let size = sizes[start.index()];
                // Spots that are no places, places without a position, and places with one.
                let (spot, position) = match rng.u32(..10) {
                    0 => (Spot::Sink, None),
                    1 => (Spot::Halted(NodeId::new(rng.usize(..3))), None),
                    2 => (Spot::At(PlaceId::new(1_000 + rng.usize(..3))), None),
                    _ if size == 0 => continue,
                    _ => {
                        let position = rng.usize(..size);
                        (Spot::At(PlaceId::new(position)), Some(position))
                    }
                };
                let state = StateId::new(rng.usize(..3 * FEW));
                let wanted = Vertex { start, spot, state };
                let new = VertexId::new(vertices.len());
                let expected = *known.entry((start, spot, state)).or_insert(new);
                let found = index.get_or_add(wanted, position, new, &vertices);
                assert_eq!(found, expected, "seed {seed}");
                if found == new {
                    vertices.push(wanted);
                }
            }
        }
    }
    /// Many starts of one large component do not need memory for each of its places.
    #[test]
    fn lists_of_pages_stay_short() {
        let mut index = Index::default();
        for start in 0..10_000 {
            index.add_start(100_000, start);
        }
        assert!(index.pages.len() < 2 * PAGES_AT_FIRST + PAGES_A_VERTEX * 10_000);
    }
}
