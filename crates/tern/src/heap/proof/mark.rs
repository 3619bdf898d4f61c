//! Where an object of an input may be: heaps in which it is marked, found by replacing hyperedges
//! and folding what lies around them.

use super::Explorer;
use std::collections::BTreeMap;
use tern_certify::heap::NoRun;
use tern_certify::heap::proof::graph::{AbstractHeap, Cover, Slot, Tracked};
use tern_certify::heap::proof::inputs::{Case, Marking, cases_inside, cases_of};
use tern_heap::canonical::Externals;
use tern_heap::graph::Heap;
use tern_model::budget::Meter;

/// How many surroundings of hyperedges are looked at.
const MOST_AROUND: usize = 2_000;

impl Explorer<'_> {
    /// Why every object of some heaps is marked in one of others.
    pub(super) fn marking(
        &self,
        heaps: &[AbstractHeap],
        slot: Slot,
        meter: &mut Meter<'_>,
    ) -> Result<Marking, NoRun> {
        let mut making =
            Making { explorer: self, marked: BTreeMap::new(), around: BTreeMap::new() };
        let mut marking = Marking::default();
        for case in heaps.iter().flat_map(|it| cases_of(it, slot)) {
            making.add(&mut marking, &case, meter)?;
        }
        let mut next = 0;
        while let Some((label, around)) = marking.around.get(next).cloned() {
            if next > MOST_AROUND {
                return super::none("there are too many places of an object");
            }
            for case in cases_inside(&self.prover.grammar, &label, &around, slot)? {
                making.add(&mut marking, &case, meter)?;
            }
            next += 1;
        }
        Ok(marking)
    }
}

/// A marking in the making: the numbers of heaps.
struct Making<'e, 'a> {
    explorer: &'e Explorer<'a>,
    marked: BTreeMap<Heap, usize>,
    around: BTreeMap<(String, Heap), usize>,
}

impl Making<'_, '_> {
    fn add(
        &mut self,
        marking: &mut Marking,
        case: &Case,
        meter: &mut Meter<'_>,
    ) -> Result<(), NoRun> {
        let cover = match case {
            Case::Marked(heap) => {
                let (folded, written, cover) = self.folded(heap, meter)?;
                let count = marking.marked.len();
                let to = *self.marked.entry(folded).or_insert(count);
                if to == count {
                    marking.marked.push(written);
                }
                Cover { to, ..cover }
            }
            Case::Inside(label, heap) => {
                let (folded, written, cover) = self.folded(heap, meter)?;
                let count = marking.around.len();
                let to = *self.around.entry((label.clone(), folded)).or_insert(count);
                if to == count {
                    marking.around.push((label.clone(), written));
                }
                Cover { to, ..cover }
            }
        };
        marking.covers.push(cover);
        Ok(())
    }

    fn folded(
        &self,
        heap: &Tracked,
        meter: &mut Meter<'_>,
    ) -> Result<(Heap, AbstractHeap, Cover), NoRun> {
        let kept = self.explorer.kept.between_loops();
        let folded = self.explorer.folded(heap, Externals::Ordered, |_| true, kept, meter)?;
        let (written, cover) = (self.explorer.names.written(&folded.heap), folded.cover(0));
        Ok((folded.heap, written, cover))
    }
}
