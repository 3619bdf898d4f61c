//! What a proof about CTL* says of quantified formulas in configurations, for replaying stories.

use super::Proof;
use crate::moves::State;
use crate::run::{Known, asked};
use tern_model::star_evidence::StarSpot;
use tern_model::{BoxId, CompId, FormulaId};

/// A proof, and the component at the bottom of the stack.
pub(crate) struct Copies<'a> {
    proof: &'a Proof<'a>,
    bottom: CompId,
}

impl<'a> Copies<'a> {
    pub(crate) fn new(proof: &'a Proof<'a>, bottom: CompId) -> Self {
        Copies { proof, bottom }
    }

    /// The copy of a layer that a stack leads to.
    fn copy(&self, layer: usize, stack: &[BoxId]) -> Option<usize> {
        let cover = &self.proof.covers[layer + 1];
        let bottom = cover.ended(self.bottom)?;
        stack.iter().try_fold(bottom, |copy, &call| cover.callee(copy, call))
    }
}

impl Known for Copies<'_> {
    fn quantified(&self, id: FormulaId, state: &State) -> Option<bool> {
        let Proof { machine, formulas, .. } = *self.proof;
        let asked = asked(formulas, id)?;
        let (stack, spot) = match state {
            State::At(stack, node) => (&stack[..], StarSpot::At(machine.node_place(*node))),
            State::Sink => (&[][..], StarSpot::Sink),
        };
        let &layer = self.proof.layers.get(&asked)?;
        let &met = self.proof.truths[layer].get(&(self.copy(layer, stack)?, spot))?;
        // `E f` is true if there is such a path, `A f` false.
        Some(met == asked.holds)
    }

    fn copies(&self, ids: &[FormulaId], state: &State) -> Option<Vec<usize>> {
        let State::At(stack, _) = state else { return None };
        let layers =
            ids.iter().filter_map(|&id| self.proof.layers.get(&asked(self.proof.formulas, id)?));
        layers.map(|&layer| self.copy(layer, stack)).collect()
    }
}
