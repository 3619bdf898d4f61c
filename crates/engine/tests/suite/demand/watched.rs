//! A machine as a space that keeps an eye on who asks for what: under other ids, with holes, and
//! with an end to its patience.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::space::{Labels, Lent, Space, SpaceError, Successors};
use tern_model::{BoxId, CompId, Edge, EndRule, ExitId, Id, Machine, NodeId, Origin, Place};

/// A machine whose ids are other numbers, with gaps.
pub(super) struct Watched<'m> {
    inner: Lent<'m>,
    /// The places that were asked for their edges.
    pub(super) edges: FxHashSet<Place>,
    /// The nodes that were asked for their labels.
    pub(super) labels: FxHashSet<NodeId>,
    /// Holes, each with the edges that are given all the same.
    pub(super) holes: BTreeMap<Place, Vec<Edge>>,
    /// After how many questions nothing more is said.
    pub(super) patience: u64,
    /// Whether all nodes have the same name.
    pub(super) twins: bool,
    /// The propositions that were told.
    pub(super) told: Option<Vec<String>>,
}

fn out<I: Id>(id: I) -> I {
    I::new(id.index() * 3 + 5)
}

fn back<I: Id>(id: I) -> I {
    assert_eq!((id.index() - 5) % 3, 0, "an id that was never given");
    I::new((id.index() - 5) / 3)
}

impl<'m> Watched<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        Watched {
            inner: Lent::new(machine),
            edges: FxHashSet::default(),
            labels: FxHashSet::default(),
            holes: BTreeMap::new(),
            patience: u64::MAX,
            twins: false,
            told: None,
        }
    }

    fn asked(&mut self) -> Result<(), SpaceError> {
        assert!(self.told.is_some(), "it was asked before it was told the propositions");
        let Some(left) = self.patience.checked_sub(1) else {
            return Err(SpaceError::failed("the disk is full"));
        };
        self.patience = left;
        Ok(())
    }

    fn give(
        &mut self,
        place: Place,
        out_: &mut Successors,
        ask: impl FnOnce(&mut Lent<'m>, &mut Successors) -> Result<(), SpaceError>,
    ) -> Result<(), SpaceError> {
        self.asked()?;
        assert!(self.edges.insert(place), "{place:?} was asked for its edges twice");
        let mut found = Successors::default();
        ask(&mut self.inner, &mut found)?;
        let possible = found.possible_edges();
        let edges = match self.holes.get(&place) {
            Some(kept) => {
                out_.hole("native code");
                kept.clone()
            }
            None => [found.edges(), possible].concat(),
        };
        for edge in edges {
            let outside = match edge {
                Edge::Step(to) => Edge::Step(out(to)),
                Edge::Call(call, entry) => Edge::Call(out(call), out(entry)),
                Edge::Return(exit) => Edge::Return(out(exit)),
            };
            match possible.contains(&edge) && !found.edges().contains(&edge) {
                true => out_.possible(outside),
                false => out_.edge(outside),
            }
        }
        Ok(())
    }
}

impl Space for Watched<'_> {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        self.told = Some(names.to_vec());
        self.labels.clear();
        self.inner.propositions(names)
    }
    fn initial(&mut self, meter: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        self.asked()?;
        Ok(self.inner.initial(meter)?.into_iter().map(out).collect())
    }
    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        meter.tick()?;
        let node = back(node);
        self.give(Place::Node(node), out, |inner, found| inner.edges(node, found, meter))
    }
    fn site_edges(
        &mut self,
        call: BoxId,
        exit: ExitId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        let (call, exit) = (back(call), back(exit));
        let ask = |inner: &mut Lent<'_>, found: &mut Successors| {
            inner.site_edges(call, exit, found, meter)
        };
        self.give(Place::Site(call, exit), out, ask)
    }
    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        self.asked()?;
        let node = back(node);
        assert!(self.labels.insert(node), "{node:?} was asked for its labels twice");
        self.inner.labels(node, out, meter)
    }
    fn component(&self, node: NodeId) -> CompId {
        out(self.inner.component(back(node)))
    }
    fn home(&self, call: BoxId) -> CompId {
        out(self.inner.home(back(call)))
    }
    fn callee(&self, call: BoxId) -> CompId {
        out(self.inner.callee(back(call)))
    }
    fn component_name(&self, component: CompId) -> String {
        self.inner.component_name(back(component))
    }
    fn node_name(&self, node: NodeId) -> String {
        if self.twins { "twin".to_owned() } else { self.inner.node_name(back(node)) }
    }
    fn box_name(&self, call: BoxId) -> String {
        self.inner.box_name(back(call))
    }
    fn exit_name(&self, exit: ExitId) -> String {
        self.inner.exit_name(back(exit))
    }
    fn is_abstract(&self) -> bool {
        self.inner.is_abstract()
    }
    fn end_rule(&self) -> EndRule {
        self.inner.end_rule()
    }
    fn origin(&self, node: NodeId) -> Option<Origin> {
        self.inner.origin(back(node))
    }
}
