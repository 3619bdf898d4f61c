//! Measures of proofs: which nodes are not visited again and again, and which are if others are
//! not.

use crate::heap::conditions::conditions;
use tern_certify::heap::NoRun;
use tern_certify::heap::proof::ranks::{Avoiding, Measure};
use tern_certify::heap::proof::{Assembled, Measured, Proof, Prover};
use tern_heap::machine::Arrow;
use tern_heap::progress::{self, Steps};
use tern_heap::traced::{Origin, Trace};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, FormulaId, Formulas, Machine, NodeId, Tri};

/// Measures that show which nodes are not visited again and again.
pub(super) fn ranks(
    prover: &Prover<'_>,
    proof: &Proof,
    budget: &Budget,
) -> Result<Vec<Vec<Measure>>, NoRun> {
    let (arrows, sizes) = read(prover.arrows(proof, budget)?);
    let steps = Steps { arrows: &arrows, sizes };
    Ok(plain(steps.recurrent(&mut Meter::new(budget))?.1))
}

/// Nodes at which something may be true that the claim asks for, and measures of the runs that do
/// not come to these any more; those by which more runs are ruled out.
pub(super) fn avoiding(
    prover: &Prover<'_>,
    proof: &Proof,
    (formulas, claim): (&Formulas, FormulaId),
    Assembled { machine, .. }: &Assembled,
    budget: &Budget,
) -> Result<Vec<Avoiding>, NoRun> {
    let meter = &mut Meter::new(budget);
    let (arrows, sizes) = read(prover.arrows(proof, budget)?);
    let steps = Steps { arrows: &arrows, sizes };
    let (recurring, _) = steps.recurrent(meter)?;
    let names: Vec<String> = prover.propositions.keys().cloned().collect();
    let values: Vec<Vec<Tri>> = (0..proof.nodes.len())
        .map(NodeId::new)
        .map(|node| names.iter().map(|name| value(machine, node, name)).collect())
        .collect();
    let mut found = Vec::new();
    for condition in conditions(formulas, claim, &names) {
        let out: Vec<bool> = values.iter().map(|it| condition(it) != Tri::False).collect();
        let is_inside = |it: &usize| {
            let Arrow { from, to, .. } = &arrows[*it];
            !out[from.index()] && !out[to.index()]
        };
        let inside: Vec<usize> = (0..arrows.len()).filter(is_inside).collect();
        let (left, rounds) = steps.recurrent_of(inside, meter)?;
        if !recurring.iter().all(|node| out[node.index()] || left.contains(node)) {
            let nodes = (0..out.len()).filter(|&node| out[node]).collect();
            found.push(Avoiding { nodes, ranks: plain(rounds) });
        }
    }
    Ok(found)
}

/// What a proposition is worth at a node of the machine of a proof.
fn value(machine: &Machine, node: NodeId, name: &str) -> Tri {
    match machine.label(name) {
        Some(label) if machine.has_label(node, label) => Tri::True,
        Some(label) if machine.unknown(label).contains(&node) => Tri::Unknown,
        _ => Tri::False,
    }
}

/// Steps as the analysis has them.
fn read((arrows, sizes): Measured) -> (Vec<Arrow>, Vec<(usize, usize)>) {
    let origin = |it: &tern_certify::heap::proof::graph::Origin| Origin::of_bits(it.bits());
    let arrows = arrows.iter().map(|arrow| {
        let (objects, edges) = arrow.origins.split_at(sizes[arrow.to].0);
        Arrow {
            from: NodeId::new(arrow.from),
            to: NodeId::new(arrow.to),
            trace: Trace {
                objects: objects.iter().map(origin).collect(),
                edges: edges.iter().map(origin).collect(),
            },
        }
    });
    (arrows.collect(), sizes)
}

/// Measures as the certifier has them.
fn plain(rounds: Vec<Vec<progress::Measure>>) -> Vec<Vec<Measure>> {
    let plain = |measure: progress::Measure| {
        measure.into_iter().map(|(node, parts)| (node.index(), parts)).collect()
    };
    rounds.into_iter().map(|round| round.into_iter().map(plain).collect()).collect()
}
