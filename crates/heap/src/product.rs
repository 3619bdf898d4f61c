//! The machine of a program as a [`Machine`], with the labels that claims ask for.

use crate::atoms::{Atom, Evaluation, Ghost};
use crate::machine::{Arrow, At, Frame, HeapMachine, Sight};
use crate::progress::{recurrent, recurrent_without};
use crate::show;
use crate::step::End;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use tern_ir::ProcId;
use tern_model::abstraction::{Lane, label_in};
use tern_model::budget::Meter;
use tern_model::builder::Builder;
use tern_model::index::Id;
use tern_model::{CompId, Limit, Machine, NodeId, Origin, Surety, Tri};

/// The label of the nodes that a run may visit again and again; see [`crate::progress`]. Claims
/// cannot name it.
pub const AGAIN: &str = "#again";

/// The label of nodes that a run visits again and again, by the number of a condition: those at
/// which the condition may be true, and those at which runs may stay where it is not.
pub fn again(condition: usize) -> String {
    format!("{AGAIN}{condition}")
}

/// What may be true at a node, by the values of the propositions there.
pub type Condition<'a> = Box<dyn Fn(&[Tri]) -> Tri + 'a>;

/// Which nodes of a machine have names that tell people what is there; the others have numbers.
/// Drawing heaps takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// All.
    All,
    /// Those at which runs begin.
    Starts,
    /// None.
    None,
}

/// A machine of what was explored, with what is known at its nodes.
pub struct Product<'m, 'p> {
    heaps: &'m HeapMachine<'p>,
    atoms: &'m [(String, Atom)],
    ghosts: &'m [Ghost],
    /// The values of the propositions at each node.
    values: Vec<Vec<Tri>>,
    /// The steps of frames and the nodes that a run may visit again and again, once they were
    /// looked for.
    progress: Option<(Vec<Arrow>, BTreeSet<NodeId>)>,
    /// The nodes with a label [`again`], by the number of its condition.
    visited: Vec<(usize, Vec<NodeId>)>,
}

impl<'m, 'p> Product<'m, 'p> {
    /// Evaluates propositions at all nodes.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn new(
        heaps: &'m HeapMachine<'p>,
        atoms: &'m [(String, Atom)],
        ghosts: &'m [Ghost],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let values = values(heaps, atoms, ghosts, meter)?;
        Ok(Product { heaps, atoms, ghosts, values, progress: None, visited: Vec::new() })
    }

    /// Whether a run has ended at a node, or is not followed any further.
    fn has_ended(&self, node: NodeId) -> bool {
        !matches!(self.heaps.state(node).at, At::Begin | At::Line(_))
    }

    /// Finds the nodes that a run may visit again and again. From then on machines have the label
    /// [`AGAIN`]. Whether some are ruled out.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn find_progress(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        let arrows = self.heaps.summarised(meter)?;
        let recurring = recurrent(self.heaps, &arrows, meter)?;
        let mut all = (0..self.heaps.len()).map(NodeId::new);
        let some = all.any(|node| !self.has_ended(node) && !recurring.contains(&node));
        self.progress = Some((arrows, recurring));
        Ok(some)
    }

    /// Finds the conditions by which more runs are ruled out, by their numbers. From then on
    /// machines have their labels ([`again`]).
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn find_more(
        &mut self,
        conditions: &[Condition<'_>],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<usize>, Limit> {
        let Some((arrows, recurring)) = &self.progress else { return Ok(Vec::new()) };
        // Where no run goes on for ever there is nothing more to rule out.
        let conditions = if recurring.is_empty() { &[][..] } else { conditions };
        let mut visited = Vec::new();
        for (number, condition) in conditions.iter().enumerate() {
            let out = |node: NodeId| condition(&self.values[node.index()]) != Tri::False;
            let left = recurrent_without(self.heaps, arrows, out, meter)?;
            let is_visited =
                |&node: &NodeId| out(node) || self.has_ended(node) || left.contains(&node);
            if !recurring.iter().all(is_visited) {
                let nodes = (0..self.heaps.len()).map(NodeId::new);
                visited.push((number, nodes.filter(is_visited).collect()));
            }
        }
        self.visited = visited;
        Ok(self.visited.iter().map(|(number, _)| *number).collect())
    }

    /// The machine. Nodes, boxes and exits keep their numbers.
    pub fn machine(&self, file: &str, names: Names) -> Machine {
        self.built(file, names, false)
    }

    /// An ordinary machine with all steps, also those that are only possible. Of each label there
    /// are two: one for the nodes that surely have it, one for those that may ([`label_in`]). So a
    /// claim about all runs holds if its
    /// [`Translation`](tern_model::abstraction::Translation) does.
    pub fn in_lanes(&self) -> Machine {
        self.built("", Names::None, true)
    }

    fn built(&self, file: &str, names: Names, in_lanes: bool) -> Machine {
        let heaps = self.heaps;
        let mut builder = Builder::new();
        if in_lanes {
            builder.names_are_unique();
        }
        let both = |name: &str| match in_lanes {
            true => [Lane::Must, Lane::May].map(|lane| label_in(lane, name)),
            false => [name.to_owned(), name.to_owned()],
        };
        let again = both(AGAIN);
        let atoms: Vec<[String; 2]> = self.atoms.iter().map(|(name, _)| both(name)).collect();
        let sure = |builder: &mut Builder, node: NodeId, [must, may]: &[String; 2]| {
            builder.label(node, must);
            if in_lanes {
                builder.label(node, may);
            }
        };
        for (id, component) in heaps.components().rows().iter() {
            let name = match in_lanes {
                true => format!("c{}", id.index()),
                false => component_name(heaps, id, component.frame),
            };
            builder.component(&name);
        }
        // Lines count in the file of their method; what was read may only name that.
        let files = heaps.code.methods.as_slice().iter().map(|method| match &method.file {
            Some(own) if !file.ends_with(own.as_str()) => own.as_str().into(),
            _ => file.into(),
        });
        let files: Vec<Arc<str>> = files.collect();
        for node in (0..heaps.len()).map(NodeId::new) {
            let state = heaps.state(node);
            let is_named = match names {
                Names::All => true,
                Names::Starts => state.at == At::Begin,
                Names::None => false,
            };
            let name = match is_named {
                true => node_name(heaps, self.ghosts, node),
                false => format!("n{}", node.index()),
            };
            builder.node(state.component, &name);
            if heaps.is_entry(node) {
                builder.entry(node);
            }
            if let Some((_, recurring)) = &self.progress
                && (recurring.contains(&node) || self.has_ended(node))
            {
                sure(&mut builder, node, &again);
            }
            for (name, value) in atoms.iter().zip(&self.values[node.index()]) {
                match value {
                    Tri::True => sure(&mut builder, node, name),
                    Tri::Unknown if in_lanes => builder.label(node, &name[1]),
                    Tri::Unknown => builder.unknown_label(node, &name[0]),
                    Tri::False => {}
                }
            }
            if in_lanes {
                continue;
            }
            if let (Frame::Procedure(procedure), Some(number)) =
                (heaps.frame(node), line_of(state.at))
            {
                let place = heaps.code.methods[procedure].lines[number as usize].place;
                let file = Arc::clone(&files[procedure.index()]);
                let origin = Origin::new(file, place.line).at_column(place.offset);
                builder.origin(node, origin);
            }
        }
        for (number, nodes) in &self.visited {
            let name = both(&self::again(*number));
            nodes.iter().for_each(|&node| sure(&mut builder, node, &name));
        }
        for (_, &(component, heap, lost)) in heaps.exits().rows().iter() {
            let loses = if lost { "_lost" } else { "" };
            builder.exit(component, &format!("x{}{loses}", heap.index()));
        }
        for (number, (home, callee)) in heaps.boxes().enumerate() {
            builder.call_box(home, &format!("call{number}"), callee);
        }
        for &(place, edge, surety) in heaps.edges() {
            builder.edge_of(place, edge, if in_lanes { Surety::Sure } else { surety });
        }
        heaps.initial().iter().for_each(|&node| builder.initial(node));
        let machine = builder.finish();
        machine.unwrap_or_else(|flaws| unreachable!("no flaws are made: {flaws:?}"))
    }
}

/// The values of propositions at all nodes.
fn values(
    heaps: &HeapMachine<'_>,
    atoms: &[(String, Atom)],
    ghosts: &[Ghost],
    meter: &mut Meter<'_>,
) -> Result<Vec<Vec<Tri>>, Limit> {
    let evaluation = Evaluation::new(heaps, ghosts);
    let mut all: Vec<Vec<Tri>> = Vec::with_capacity(heaps.len());
    let mut known: FxHashMap<Sight, usize> = FxHashMap::default();
    for node in (0..heaps.len()).map(NodeId::new) {
        meter.tick()?;
        let first = *known.entry(heaps.sight(node)).or_insert(node.index());
        if let Some(values) = all.get(first) {
            all.push(values.clone());
            continue;
        }
        let values = atoms.iter().map(|(_, atom)| evaluation.at(node, atom, meter));
        all.push(values.collect::<Result<_, _>>()?);
    }
    Ok(all)
}

fn line_of(at: At) -> Option<u32> {
    match at {
        At::Line(line) | At::Ended(_, line) => Some(line),
        At::Begin | At::End => None,
    }
}

/// A name with a number at its end that no other component has.
fn component_name(heaps: &HeapMachine<'_>, id: CompId, frame: Frame) -> String {
    let name = match frame {
        Frame::Start => "start",
        Frame::Procedure(procedure) => &heaps.code.methods[procedure].name,
    };
    let between = if name.ends_with(|it: char| it.is_ascii_digit()) { "_" } else { "" };
    format!("{name}{between}{}", id.index())
}

/// The heap of each node as text that can be taken apart again ([`show::parts`]).
pub fn texts(heaps: &HeapMachine<'_>, ghosts: &[Ghost]) -> Vec<String> {
    let program = (heaps.grammar, heaps.code);
    let text = |node: NodeId| {
        let heap = heaps.heap(heaps.state(node).heap);
        show::heap(program, procedure_of(heaps, node), ghosts, heap)
    };
    (0..heaps.len()).map(NodeId::new).map(text).collect()
}

/// The procedure whose variables a node has.
fn procedure_of(heaps: &HeapMachine<'_>, node: NodeId) -> ProcId {
    match heaps.frame(node) {
        Frame::Procedure(procedure) => procedure,
        Frame::Start => heaps.checked(),
    }
}

/// Where it is, and what the heap looks like.
fn node_name(heaps: &HeapMachine<'_>, ghosts: &[Ghost], node: NodeId) -> String {
    let state = heaps.state(node);
    let place = match (heaps.frame(node), line_of(state.at)) {
        (Frame::Procedure(procedure), Some(number)) => {
            let line = heaps.code.methods[procedure].lines[number as usize].place.line;
            format!("line {line}.{number}")
        }
        _ => String::new(),
    };
    let what = match state.at {
        At::Begin => "begin",
        At::End if state.lost => "end lost",
        At::End => "end",
        At::Ended(End::NullDereference, _) => " null dereference",
        At::Ended(End::Thrown, _) => " thrown",
        At::Ended(End::UseAfterFree, _) => " use after free",
        At::Ended(End::DoubleFree, _) => " double free",
        At::Ended(End::Hole, _) => " not known from here",
        At::Line(_) if state.lost => " lost",
        At::Line(_) => "",
    };
    let program = (heaps.grammar, heaps.code);
    let shown = show::picture(program, procedure_of(heaps, node), ghosts, heaps.heap(state.heap));
    format!("{place}{what} [{}] {shown}", state.heap.index())
}
