//! Leaves out variables that no step depends on.
//!
//! A variable matters if a guard, a fact or the claim reads it, or if it is assigned to one that
//! matters. The others change neither which steps there are nor what the claim says, so that a
//! program without assignments to them has the same answers.

use rustc_hash::FxHashSet;
use tern_ir::flow::{Affine, Edge, Flow, Row};

/// The flow graph without assignments to variables that do not matter for these rows.
pub fn slice(flow: &Flow, claim: &[Row]) -> Flow {
    let mut matters: FxHashSet<usize> = FxHashSet::default();
    let read = |affine: &Affine, matters: &mut FxHashSet<usize>| {
        let before = matters.len();
        matters.extend(affine.terms.iter().filter_map(|term| term.0.as_variable()));
        matters.len() > before
    };
    let edges = || flow.edges.as_slice().iter().chain(&flow.starts);
    for row in edges().flat_map(Edge::rows).chain(claim) {
        read(row.affine(), &mut matters);
    }
    loop {
        let mut grew = false;
        for (variable, value) in edges().flat_map(|edge| &edge.update) {
            if matters.contains(variable) {
                grew |= read(value, &mut matters);
            }
        }
        if !grew {
            break;
        }
    }
    let mut sliced = flow.clone();
    // Starts stay as they are, so that initial values that are shown are those of the program.
    for (_, edge) in sliced.edges.iter_mut() {
        edge.update.retain(|(variable, _)| matters.contains(variable));
    }
    sliced
}
