//! The end of a proof: why things have shapes.

use super::Explorer;
use super::fold::Folding;
use tern_certify::heap::NoRun;
use tern_certify::heap::proof::Proof;
use tern_certify::heap::proof::graph::{Cover, Tracked};
use tern_heap::abstraction::Kept;
use tern_heap::canonical::{Canonical, Externals, canonical};
use tern_model::budget::Meter;

impl Explorer<'_> {
    /// What callers go on with in order, and why things have shapes.
    pub(super) fn finish(mut self, meter: &mut Meter<'_>) -> Result<Proof, NoRun> {
        self.proof.returns = std::mem::take(&mut self.returns).into_values().collect();
        self.proof.around = std::mem::take(&mut self.around).into_values().collect();
        let mut shapes = Vec::new();
        for (number, node) in self.proof.nodes.iter().enumerate() {
            let procedure = self.proof.components[node.component];
            let view = self.proof.views.get(node.component);
            let heap = &self.proof.heaps[node.heap];
            let spot = self.prover.spot(procedure, node.place, heap, view);
            for (name, proposition) in &self.prover.propositions {
                meter.tick()?;
                let mut covers = Vec::new();
                let shaped = spot.shaped(proposition)?;
                for (case, shape) in &shaped {
                    covers.extend(self.shape(case, shape, meter)?);
                }
                if !covers.is_empty() && covers.len() == shaped.len() {
                    shapes.push((number, name.clone(), covers));
                }
            }
        }
        self.proof.shapes = shapes;
        Ok(self.proof)
    }

    /// Why a heap with one external has a shape, or one without of some object, if that is seen.
    fn shape(
        &self,
        heap: &Tracked,
        shape: &str,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Cover>, NoRun> {
        let grammar = self.names.grammar;
        let Some(shape) = grammar.shape(shape) else { return Ok(None) };
        let forms = shape.heaps.iter().map(|heap| canonical(heap, Externals::Ordered));
        let forms: Vec<Canonical> = forms.collect();
        let graph = &heap.heap.graph;
        let roots: Vec<usize> = match graph.externals[..] {
            [root] => vec![root],
            _ => {
                let objects = 1..heap.heap.len();
                objects.filter(|it| self.prover.grammar.reaches_whole(graph, *it)).collect()
            }
        };
        for root in roots {
            let mut rooted = heap.clone();
            rooted.heap.slots.clear();
            rooted.heap.graph.externals = vec![root];
            let folding = Folding::new(&self.names, &self.prover.grammar, &rooted, |_| true);
            let Some(mut folding) = folding else { continue };
            folding.all(grammar, Kept::within(0), meter)?;
            let folded = folding.canonical(Externals::Ordered);
            let found = forms.iter().position(|form| form.heap == folded.heap);
            if let Some(number) = found {
                return Ok(Some(folded.cover_of(number, &forms[number])));
            }
        }
        Ok(None)
    }
}
