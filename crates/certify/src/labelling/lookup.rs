//! Looks a configuration up in a labelling that has been checked.

use tern_model::evidence::{Frame, Layer};
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Formulas, Labelling, Machine, NodeId, TermId};

/// Which terms hold at a node under a stack, from the bottom; `None` if the labelling does not
/// speak of this configuration.
pub(crate) fn terms_at(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    stack: &[BoxId],
    node: NodeId,
) -> Option<Table<TermId, bool>> {
    let position = machine.place_position(machine.node_place(node));
    let mut truth: Table<TermId, bool> = Table::new();
    let mut layers = labelling.layers.iter();
    for (id, &term) in labelling.program.terms.iter() {
        let value = match term {
            Term::True => true,
            Term::Atom(atom) => {
                let label = machine.label(formulas.atom_name(atom));
                label.is_some_and(|label| machine.has_label(node, label))
            }
            Term::Not(f) => !truth[f],
            Term::And(f, g) => truth[f] && truth[g],
            Term::Or(f, g) => truth[f] || truth[g],
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                let layer = layers.next().filter(|layer| layer.term == id)?;
                frame(machine, layer, stack, node)?.holds.contains(position)
            }
        };
        truth.push(value);
    }
    Some(truth)
}

/// The frame of a layer that a stack leads to, if it is one of the component of the node.
fn frame<'l>(
    machine: &Machine,
    layer: &'l Layer,
    stack: &[BoxId],
    node: NodeId,
) -> Option<&'l Frame> {
    let component = machine.component_of(node);
    let bottom = stack.first().map_or(component, |&call| machine.component_of_box(call));
    let &(_, root) = layer.roots.iter().find(|&&(root, _)| root == bottom)?;
    let mut frame = layer.frames.get(root as usize)?;
    for &call in stack {
        let position = frame.callees.binary_search_by_key(&call, |&(call, _)| call).ok()?;
        frame = layer.frames.get(frame.callees[position].1 as usize)?;
    }
    (frame.component == component).then_some(frame)
}
