//! Checks a labelling: that it is complete, and that every truth value in it is justified.
//!
//! [`check`] accepts only if the verdict is right. It knows the step relation in the header of
//! [`machine`](tern_model::machine) and what `EX`, `EU` and `EG` mean; why the conditions it checks
//! are enough is said in the header of [`evidence`](tern_model::evidence). It searches for nothing
//! and computes no fixpoint: every condition is looked at once, where the certificate says, so the
//! time is about linear in the certificate. Nothing in a certificate is relied on before it has
//! been looked at: whatever is malformed is refused, never a panic.
//!
//! That the program of terms means the claim is for [`reading`] to say. The layers are checked in
//! order, each in four parts:
//! * `structure`: ids are in range; ground frames and frames are automata over stacks that fit
//!   together, with the step relation, with the layers of the operands and with their contexts;
//! * `operands`: the truth of the operands in every ground frame, from layers checked before;
//! * `summaries`: by which exits one gets out of a call;
//! * `operators`: the truth of the term itself.

mod lookup;
mod operands;
mod operators;
mod structure;
mod summaries;
#[cfg(test)]
mod tests;

use crate::door::Case;
use crate::moves::node_name;
use crate::refusal::{Refusal, Stopped, refuse};
use crate::{reading, run};
use fixedbitset::FixedBitSet;
pub(crate) use lookup::terms_at;
use operands::Operands;
use std::collections::BTreeMap;
use tern_model::evidence::{Ground, Labelling, Layer};
use tern_model::logic::ctl::Program;
use tern_model::{
    BoxId, Budget, CompId, Edge, EndRule, FormulaId, Id, Machine, NodeId, Outcome, Place, PlaceId,
    TermId, Verdict,
};

/// Checks that a labelling proves a verdict, that the claim is false at an initial node of which
/// this is said, and that the story is so that is told of it. Limits are looked at before each part
/// of each layer, and before each frame.
///
/// # Errors
/// The first thing found that is missing, malformed or not justified, or the limit that was
/// reached.
pub(crate) fn check(
    case: Case<'_>,
    claim: FormulaId,
    labelling: &Labelling,
    told: Option<&Outcome>,
) -> Result<(), Stopped> {
    let Case { machine, formulas, verdict, culprit, budget } = case;
    let program = &labelling.program;
    reading::check(formulas, claim, program, budget)?;
    let terms: Vec<TermId> =
        program.terms.iter().filter(|(_, term)| term.is_temporal()).map(|(id, _)| id).collect();
    if terms.len() != labelling.layers.len() {
        let (many, due) = (labelling.layers.len(), terms.len());
        let why = format!("there are {many}, but {due} temporal terms");
        return refuse("the layers", why);
    }
    if let Some(number) = (0..terms.len()).find(|&i| labelling.layers[i].term != terms[i]) {
        let why = format!("it is about term {:?}", labelling.layers[number].term);
        let place = format!("where term {:?} is due", terms[number]);
        return Err(Refusal { layer: Some(number), place, why }.into());
    }

    let only_returns = |&node: &NodeId| {
        let edges = machine.edges(node);
        !edges.is_empty() && edges.iter().all(|edge| matches!(edge, Edge::Return(_)))
    };
    let only_return: Vec<Vec<NodeId>> = machine
        .components()
        .map(|component| machine.nodes_of(component).filter(only_returns).collect())
        .collect();
    let operands = Operands::new(machine, formulas, program, &labelling.layers);
    for (number, layer) in labelling.layers.iter().enumerate() {
        let scene = Scene { machine, only_return: &only_return, number, layer, budget };
        budget.check()?;
        structure::check(scene, &labelling.layers, &operands.direct_layers(layer.term))?;
        budget.check()?;
        operators::check(scene, program.terms[layer.term], &operands)?;
    }
    conclude(machine, program, &operands, verdict, culprit)?;
    case.replay(Some(claim), run::Checked::Labelling(labelling), told)
}

/// Checks that the verdict follows from the truth at the initial nodes.
fn conclude(
    machine: &Machine,
    program: &Program,
    operands: &Operands<'_>,
    verdict: &Verdict,
    culprit: Option<NodeId>,
) -> Result<(), Stopped> {
    const PLACE: &str = "the verdict";
    let Some(holds) = verdict.known() else {
        return refuse(PLACE, "it claims nothing, so there is nothing to certify");
    };
    let rows: BTreeMap<CompId, FixedBitSet> = operands.of_roots(program.root).collect();
    let fails_at = |&node: &NodeId| {
        let position = machine.place_position(machine.node_place(node));
        !rows[&machine.component_of(node)].contains(position)
    };
    let counterexample = machine.initial().iter().copied().find(fails_at);
    match (counterexample, culprit) {
        (Some(node), _) if holds => {
            refuse(PLACE, format!("the claim is false at {}", node_name(machine, node)))
        }
        (None, _) if !holds => refuse(PLACE, "the claim is true at all initial nodes"),
        (_, Some(node)) if !machine.initial().contains(&node) || !fails_at(&node) => {
            refuse(node_name(machine, node), "the claim does not fail here")
        }
        _ => Ok(()),
    }
}

/// A layer that is being checked.
#[derive(Clone, Copy)]
struct Scene<'a> {
    machine: &'a Machine,
    /// For each component, the nodes that do nothing but return; under some callers they are stuck.
    only_return: &'a [Vec<NodeId>],
    /// Which of the layers it is.
    number: usize,
    layer: &'a Layer,
    budget: &'a Budget,
}

impl<'a> Scene<'a> {
    fn refuse<T>(&self, place: String, why: impl Into<String>) -> Result<T, Stopped> {
        refuse(place, why).map_err(|refusal: Stopped| refusal.in_layer(self.number))
    }

    fn ground(&self, ground: u32) -> &'a Ground {
        &self.layer.ground[ground as usize]
    }

    /// The ground frame that a box leads to. The links have been checked to be complete.
    fn ground_link(&self, ground: u32, call: BoxId) -> u32 {
        link(&self.ground(ground).callees, call)
    }

    fn position(&self, node: NodeId) -> usize {
        self.machine.place_position(self.machine.node_place(node))
    }

    /// Whether a node is its own successor: at the end of the program, or because it is stuck.
    fn stays(&self, ground: u32, node: NodeId) -> bool {
        let ground = self.ground(ground);
        let edges = self.machine.edges(node);
        if ground.ended && !edges.is_empty() {
            let returns = edges.iter().any(|edge| matches!(edge, Edge::Return(_)));
            return returns && self.machine.end_rule() == EndRule::Loop;
        }
        edges.iter().all(|&edge| match edge {
            Edge::Return(exit) => ground.closed.contains(self.machine.exit_position(exit)),
            Edge::Step(_) | Edge::Call(..) => false,
        })
    }

    /// Whether the returns of a ground frame lead to the sink.
    fn sinks(&self, ground: u32) -> bool {
        self.ground(ground).ended && self.machine.end_rule() == EndRule::Sink
    }

    fn component_name(&self, component: CompId) -> &'a str {
        if component.index() < self.machine.component_count() {
            self.machine.component_name(component)
        } else {
            "?"
        }
    }

    fn ground_name(&self, ground: u32) -> String {
        let component = self.layer.ground.get(ground as usize).map(|ground| ground.component);
        format!("ground frame {ground} ({})", component.map_or("?", |c| self.component_name(c)))
    }

    fn frame_name(&self, frame: u32) -> String {
        let component = self.layer.frames.get(frame as usize).map(|frame| frame.component);
        format!("frame {frame} ({})", component.map_or("?", |c| self.component_name(c)))
    }

    fn place_name(&self, place: PlaceId) -> String {
        if place.index() >= self.machine.place_count() {
            return format!("place {place:?}");
        }
        match self.machine.place(place) {
            Place::Node(node) => format!("node {}", self.machine.node_name(node)),
            Place::Site(call, exit) => format!(
                "return site {}.{}",
                self.machine.box_name(call),
                self.machine.exit_name(exit)
            ),
        }
    }
}

/// Where a box leads, by links that have been checked to list it.
fn link(callees: &[(BoxId, u32)], call: BoxId) -> u32 {
    let position = callees.binary_search_by_key(&call, |&(call, _)| call);
    callees[position.expect("all boxes are listed, in order")].1
}

/// The frames of a layer, with their numbers.
fn numbered<T>(list: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0u32..).zip(list)
}
