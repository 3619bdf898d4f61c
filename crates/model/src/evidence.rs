//! Evidence: the truth of every subformula in every configuration, finitely written down, with a
//! proof.
//!
//! # Frames
//! There are infinitely many stacks, but the truth of a temporal subformula at a node depends on
//! the stack only through finitely many *frames*. A [`Layer`] is a deterministic automaton that
//! reads a stack from the bottom: it begins in the root frame of the bottom-most component, and
//! each box on the stack leads to the frame of its callee. The frame it ends in says at which
//! nodes the subformula holds. Different subformulas have different layers, because what one of
//! them needs to know of the stack is no concern of the other.
//!
//! # Why a labelling is right
//! A reader who knows the step relation can check a layer piece by piece, without searching for
//! anything; the certifier does. Layers come operands first, so the truth of the operands is
//! settled.
//!
//! *Ground frames* know all that the operands and the step relation need of a stack: `ended` (the
//! stack is empty), `closed` (exits after which no caller goes on; a node that can only return is
//! stuck exactly if all its exits are closed), and which frames of the operands' layers they
//! refine. The frames of the layer refine the ground frames by their *context*: [`Frame::after`]
//! says for some exits whether the term holds in some configuration right after leaving by it.
//! Every caller must agree: its return site for the exit is true (is listed in `sites`) exactly if
//! the context says so; no return site is as good as a false one.
//!
//! * `EX f` is checked edge by edge.
//! * `E [p U q]` and `EG p` step over calls by *summaries*. A start is a ground frame and an entry
//!   of its component. The [`Event`]s are a derivation, each justified by those before it: a place
//!   is reached, an exit is reached, a goal (q) is reached, on paths through nodes of p without q.
//!   What is derived must also be all there is: the places reached by a start without a goal are
//!   closed under the edges. So for each entry it is known exactly by which exits one gets out.
//! * `E [p U q]`, true: [`Frame::order`] lists the true places of a frame so that each has a reason
//!   that comes before it: q holds; p holds and a step leads to an earlier place, or a call whose
//!   start reaches a goal, or one that reaches an exit whose return site is earlier; or the node
//!   returns by an exit after which the context says true. Within a frame the list is well-founded,
//!   and when a path leaves the frame the stack gets shorter; at the empty stack there is no
//!   context to appeal to.
//! * `E [p U q]`, false: no place that is not listed has such a reason.
//! * `EG p`: `deaths` lists places of ground frames so that each has only successors that died
//!   before: a node outside p dies; a step needs its target dead, a call the entry in the callee's
//!   ground frame and the return sites of all exits it reaches. The stuck and the ended stay alive
//!   if p holds. From what never dies (each such place has a successor that never dies) an endless
//!   path exists, in the frame or deeper; from what dies none does.
//! * `EG p`, true: every true place has p, and stays where it is, or has a true successor: a step;
//!   a call whose entry is alive, or that reaches an exit with a true return site; a return after
//!   which the context says true. Following such successors never ends. False: no false place has
//!   one, and it is dead; a path could only end in a frame, where all is dead, or leave it with a
//!   context that says false.

use crate::index::{BoxId, CompId, ExitId, NodeId, PlaceId, Table, TermId};
use crate::logic::Formulas;
use crate::logic::ctl::{Program, Term};
use crate::machine::Machine;
use fixedbitset::FixedBitSet;

/// The truth of all subformulas of a claim in all configurations.
#[derive(Clone, Debug)]
pub struct Labelling {
    /// The claim in existential normal form.
    pub program: Program,
    /// One layer for each temporal term of the program, in the order of the terms.
    pub layers: Vec<Layer>,
}

/// The truth of one temporal term in all configurations.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The term.
    pub term: TermId,
    /// What the operands and the step relation need to know of a stack.
    pub ground: Vec<Ground>,
    /// For each temporal term that the operands speak of directly: which layer is its own, and for
    /// each ground frame the frame there that it refines.
    pub operands: Vec<(usize, Vec<u32>)>,
    /// What the term needs to know of a stack.
    pub frames: Vec<Frame>,
    /// The frame of the empty stack, for each component with an initial node.
    pub roots: Vec<(CompId, u32)>,
    /// Why the frames are right.
    pub proof: Proof,
}

/// A component under all stacks that are the same to the operands of a term.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The component on top.
    pub component: CompId,
    /// Whether the stack is empty.
    pub ended: bool,
    /// The exits of the component, by position, after which the caller does not go on, of those by
    /// which a node returns that can do nothing else.
    pub closed: FixedBitSet,
    /// The ground frame that each box leads to, sorted.
    pub callees: Vec<(BoxId, u32)>,
}

/// Where a claim holds in a component, under the stacks that are like a given one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The component on top.
    pub component: CompId,
    /// The shortest of the stacks, from the bottom.
    pub stack: Vec<BoxId>,
    /// The nodes that can be reached under one of them.
    pub nodes: Vec<NodeId>,
    /// Those of them at which the claim holds.
    pub holds: Vec<NodeId>,
}

/// A component under all stacks that are the same to a term.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The component on top.
    pub component: CompId,
    /// The ground frame that this refines.
    pub ground: u32,
    /// The frame that each box leads to, sorted.
    pub callees: Vec<(BoxId, u32)>,
    /// The context: whether the term holds right after leaving by an exit, for the exits where that
    /// matters; sorted.
    pub after: Vec<(ExitId, bool)>,
    /// The nodes of the component, by position, at which the term holds.
    pub holds: FixedBitSet,
    /// The return sites of the component after which the term holds, sorted.
    pub sites: Vec<PlaceId>,
    /// For `EU`: the true nodes and return sites, each after its reason. Otherwise empty.
    pub order: Vec<PlaceId>,
}

/// What stands behind the frames of a layer.
#[derive(Clone, Debug)]
pub enum Proof {
    /// `EX` needs nothing.
    Next,
    /// `EU`: from where one gets to which exits.
    Until(Summaries),
    /// `EG`: the same, and in which order the places of ground frames die out that have no endless
    /// path.
    Globally(Summaries, Vec<(u32, PlaceId)>),
}

/// By which exits one gets out, from each entry of each ground frame.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    /// The starts: a ground frame that is not `ended`, and an entry of its component; each once.
    pub starts: Vec<(u32, NodeId)>,
    /// What is derived of the starts, each after its reasons.
    pub events: Vec<Event>,
}

/// One thing derived of a start, which is given by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A place is reached from a place that is reached and can be passed: by a step; or, if the
    /// place is a return site, because `from` makes a call whose start has left by the exit of the
    /// site. The entry itself is reached from the beginning.
    Reach {
        /// The start.
        start: u32,
        /// What is reached.
        place: PlaceId,
        /// From where.
        from: PlaceId,
    },
    /// A node that is reached and can be passed returns by an exit.
    Leave {
        /// The start.
        start: u32,
        /// The node.
        node: NodeId,
        /// The exit.
        exit: ExitId,
    },
    /// A place that is reached is a goal, or can be passed and calls an entry whose start has a
    /// goal.
    Goal {
        /// The start.
        start: u32,
        /// The place.
        place: PlaceId,
    },
}

impl Layer {
    /// The frame of a stack; `None` if it is no stack of this machine, or the program cannot
    /// have it.
    pub fn frame(&self, bottom: CompId, stack: &[BoxId]) -> Option<&Frame> {
        let &(_, root) = self.roots.iter().find(|&&(component, _)| component == bottom)?;
        let mut frame = self.frames.get(root as usize)?;
        for call in stack {
            let position = frame.callees.binary_search_by_key(call, |&(call, _)| call).ok()?;
            frame = self.frames.get(frame.callees[position].1 as usize)?;
        }
        Some(frame)
    }
}

impl Labelling {
    /// Which terms of the program hold in a configuration.
    ///
    /// `stack` lists the boxes from the bottom; an empty stack means that `node` is in a component
    /// with an initial node. `None` if the labelling does not speak of this configuration.
    pub fn terms_at(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        stack: &[BoxId],
        node: NodeId,
    ) -> Option<Table<TermId, bool>> {
        let component = machine.component_of(node);
        let bottom = stack.first().map_or(component, |&call| machine.component_of_box(call));
        let position = machine.place_position(machine.node_place(node));
        let mut truth: Table<TermId, bool> = Table::new();
        let mut layers = self.layers.iter();
        for (id, &term) in self.program.terms.iter() {
            let value = match term {
                Term::Atom(atom) => machine
                    .label(formulas.atom_name(atom))
                    .is_some_and(|label| machine.has_label(node, label)),
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let layer = layers.next().filter(|layer| layer.term == id)?;
                    let frame = layer.frame(bottom, stack)?;
                    if frame.component != component {
                        return None;
                    }
                    frame.holds.contains(position)
                }
                term => term.boolean(|f| truth[f])?,
            };
            truth.push(value);
        }
        Some(truth)
    }

    /// Whether the claim holds in a configuration; see [`Labelling::terms_at`].
    pub fn holds_at(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        stack: &[BoxId],
        node: NodeId,
    ) -> Option<bool> {
        Some(self.terms_at(machine, formulas, stack, node)?[self.program.root])
    }
}
