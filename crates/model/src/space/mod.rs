//! Machines whose nodes are produced on demand.
//!
//! A front end that computes states as it goes (from a program, say) implements [`Space`]. An
//! engine that explores on the fly asks it for the edges of a node when it gets there; for
//! engines that want all tables at hand, [`explore`] builds everything that can be reached. What
//! was asked for is kept in a [`Part`], so that nothing is asked twice, and becomes a
//! [`Machine`](crate::Machine) which runs and certificates are about. A machine that is [`Lent`] is
//! itself a space.
//!
//! # Holes
//! A space need not know what follows a place (a call of native code, say): it leaves a
//! [hole](Successors::hole) there. The edges that it gives are there; beside them *anything* may
//! follow: other nodes with any labels, calls, a return to any caller, an endless run inside, or
//! nothing at all. So a hole stands for all programs that could be there, its *fillings*. A claim
//! holds if it holds for every filling, it fails if it fails for every filling, and else it is
//! unknown. What is decided is at most that: see `tern_engine::SpaceChecker` for how much of it.
//!
//! # Abstract spaces
//! A space that [is abstract](Space::is_abstract) may say that an edge is only
//! [possible](Successors::possible), and that a label is [unknown](Labels::unknown) at a node, as
//! in an abstract [`Machine`](crate::Machine). [`Ordinary`] makes an ordinary space of it, on
//! demand, in which claims are decided as the two claims of [`abstraction`](crate::abstraction).

mod lent;
mod ordinary;
mod part;

pub use lent::Lent;
pub use ordinary::{Ordinary, OrdinaryIds};
pub use part::{Part, explore};

use crate::budget::{Limit, Meter};
use crate::builder::Flaw;
use crate::index::{BoxId, CompId, ExitId, LabelId, NodeId};
use crate::machine::{DeadEndRule, Edge, EndRule};
use crate::origin::Origin;
use crate::verdict::Gap;

/// A machine that is made while one looks at it.
///
/// Ids are the space's own; small numbers, handed out as things are found, are best. They must mean
/// the same at every call. The rules of [`Machine`](crate::Machine) apply to the edges. Names are
/// asked for when they are needed, for what was found only; nobody else invents any.
///
/// Methods that may take long have a meter, and should tick it for each unit of work, so that
/// limits of time and memory are kept.
pub trait Space {
    /// What claims ask of nodes: the propositions. This is said before labels are asked for; if it
    /// is said again, the new list counts from then on.
    ///
    /// # Errors
    /// That a proposition means nothing here; or a limit.
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError>;

    /// The nodes at which the program may start, with an empty stack.
    ///
    /// # Errors
    /// That it cannot be said.
    fn initial(&mut self, meter: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError>;

    /// Says what follows a node.
    ///
    /// # Errors
    /// That it cannot be said, and that nothing more will.
    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError>;

    /// Says how a box goes on after its callee has left by an exit. This is asked once a run can
    /// get there.
    ///
    /// # Errors
    /// That it cannot be said, and that nothing more will.
    fn site_edges(
        &mut self,
        call: BoxId,
        exit: ExitId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError>;

    /// Says which propositions are true at a node.
    ///
    /// # Errors
    /// That it cannot be said, and that nothing more will.
    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError>;

    /// The component of a node.
    fn component(&self, node: NodeId) -> CompId;
    /// The component that a box is in.
    fn home(&self, call: BoxId) -> CompId;
    /// The component that a box calls.
    fn callee(&self, call: BoxId) -> CompId;
    /// The name of a component.
    fn component_name(&self, component: CompId) -> String;
    /// The name of a node, unique in its component.
    fn node_name(&self, node: NodeId) -> String;
    /// The name of a box, unique in its component.
    fn box_name(&self, call: BoxId) -> String;
    /// The name of an exit, unique in its component.
    fn exit_name(&self, exit: ExitId) -> String;

    /// Whether some edges may be only possible, and some labels unknown. This does not change.
    fn is_abstract(&self) -> bool {
        false
    }
    /// What happens when the program ends.
    fn end_rule(&self) -> EndRule {
        EndRule::default()
    }
    /// What to make of dead ends.
    fn dead_end_rule(&self) -> DeadEndRule {
        DeadEndRule::default()
    }
    /// Where a node comes from, if that is known.
    fn origin(&self, _node: NodeId) -> Option<Origin> {
        None
    }
}

impl<S: Space + ?Sized> Space for Box<S> {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        (**self).propositions(names)
    }
    fn initial(&mut self, meter: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        (**self).initial(meter)
    }
    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        (**self).edges(node, out, meter)
    }
    fn site_edges(
        &mut self,
        call: BoxId,
        exit: ExitId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        (**self).site_edges(call, exit, out, meter)
    }
    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        (**self).labels(node, out, meter)
    }
    fn component(&self, node: NodeId) -> CompId {
        (**self).component(node)
    }
    fn home(&self, call: BoxId) -> CompId {
        (**self).home(call)
    }
    fn callee(&self, call: BoxId) -> CompId {
        (**self).callee(call)
    }
    fn component_name(&self, component: CompId) -> String {
        (**self).component_name(component)
    }
    fn node_name(&self, node: NodeId) -> String {
        (**self).node_name(node)
    }
    fn box_name(&self, call: BoxId) -> String {
        (**self).box_name(call)
    }
    fn exit_name(&self, exit: ExitId) -> String {
        (**self).exit_name(exit)
    }
    fn end_rule(&self) -> EndRule {
        (**self).end_rule()
    }
    fn dead_end_rule(&self) -> DeadEndRule {
        (**self).dead_end_rule()
    }
    fn origin(&self, node: NodeId) -> Option<Origin> {
        (**self).origin(node)
    }
}

/// What a space says of a place: what follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Successors {
    edges: Vec<Edge>,
    /// Those that are only possible.
    possible: Vec<Edge>,
    hole: Option<String>,
}

impl Successors {
    /// An edge of the place.
    pub fn edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// To a node of the same component.
    pub fn step(&mut self, to: NodeId) {
        self.edge(Edge::Step(to));
    }

    /// Into the callee of a box, at one of its entries.
    pub fn call(&mut self, call: BoxId, entry: NodeId) {
        self.edge(Edge::Call(call, entry));
    }

    /// Out of the component by one of its exits. Return sites have no such edges.
    pub fn leave(&mut self, exit: ExitId) {
        self.edge(Edge::Return(exit));
    }

    /// An edge of the place that is only possible, in a space that [is
    /// abstract](Space::is_abstract).
    pub fn possible(&mut self, edge: Edge) {
        self.possible.push(edge);
    }

    /// Beside the edges that are given, anything may follow; for this reason, in a few words. See
    /// [holes](self#holes).
    pub fn hole(&mut self, why: impl Into<String>) {
        self.hole.get_or_insert_with(|| why.into());
    }

    /// The edges that were given and are only possible.
    pub fn possible_edges(&self) -> &[Edge] {
        &self.possible
    }

    /// The edges that were given and are sure.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
}

/// What a space says of a node: which propositions are true there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    on: Vec<LabelId>,
    unknown: Vec<LabelId>,
}

impl Labels {
    /// A proposition is true, by its position in the list that [`Space::propositions`] was given.
    pub fn add(&mut self, proposition: LabelId) {
        self.on.push(proposition);
    }

    /// It is not known whether a proposition is true, in a space that [is
    /// abstract](Space::is_abstract).
    pub fn unknown(&mut self, proposition: LabelId) {
        self.unknown.push(proposition);
    }

    /// The propositions that were said to be true.
    pub fn on(&self) -> &[LabelId] {
        &self.on
    }
}

/// Why a space says no more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// The budget ran out.
    #[error("{0}")]
    Limit(#[from] Limit),
    /// The space failed, for this reason.
    #[error("{0}")]
    Failed(String),
    /// The space breaks the rules of machines.
    #[error("the space is not a machine: {}", .0.iter().map(Flaw::to_string).collect::<Vec<_>>().join("; "))]
    Flaws(Vec<Flaw>),
}

impl SpaceError {
    /// A failure of the space.
    pub fn failed(why: impl Into<String>) -> Self {
        SpaceError::Failed(why.into())
    }
}

impl From<SpaceError> for Gap {
    fn from(error: SpaceError) -> Self {
        match error {
            SpaceError::Limit(limit) => Gap::Limit(limit),
            other => Gap::Failed(other.to_string()),
        }
    }
}
