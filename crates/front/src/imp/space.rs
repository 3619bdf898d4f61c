//! The states of a program without procedures on demand: those only that somebody asks for.
//!
//! The nodes are the states, numbered as they are found; what is found stays.

use super::dress::Dress;
use super::explore::Explorer;
use super::meaning::Meaning;
use super::prepared::Prepared;
use super::program::VarId;
use super::reduce::Reducer;
use crate::vocabulary::NotUnderstood;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::space::{Labels, Space, SpaceError, Successors};
use tern_model::{BoxId, CompId, ExitId, Id, LabelId, NodeId, Origin};

/// A program that is run as far as it is asked for.
pub(super) struct Produced {
    prepared: Arc<Prepared>,
    explorer: Explorer,
    dress: Dress,
    shown: Arc<[VarId]>,
    propositions: Vec<Meaning>,
    /// How many states are initial, once that was asked.
    initial: Option<usize>,
    /// The state that the explorer looked at last.
    seen: Option<NodeId>,
    stack: Vec<i64>,
}

impl Produced {
    /// All states, or those that a reducer takes for enough.
    pub(super) fn new(prepared: Arc<Prepared>, reducer: Option<Reducer>) -> Self {
        let dress = Dress::new(prepared.clone());
        Produced {
            explorer: Explorer::new(prepared.clone(), reducer),
            shown: dress.shown(None),
            prepared,
            dress,
            propositions: Vec::new(),
            initial: None,
            seen: None,
            stack: Vec::new(),
        }
    }

    fn look(&mut self, node: NodeId, meter: &mut Meter<'_>) -> Result<(), SpaceError> {
        if self.seen != Some(node) {
            self.explorer.successors(node.index(), meter)?;
            self.seen = Some(node);
        }
        Ok(())
    }

    fn values(&self, node: NodeId) -> Vec<i64> {
        let mut values = Vec::new();
        let explored = &self.explorer.explored;
        explored.layout.unpack(explored.states.of(node.index()), &mut values);
        values
    }
}

/// The only component.
fn main() -> CompId {
    CompId::new(0)
}

impl Space for Produced {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        let meaning = |name: &String| match self.prepared.meaning(name) {
            Ok(meaning) => Ok(meaning),
            Err(NotUnderstood::Limit(limit)) => Err(SpaceError::Limit(limit)),
            Err(NotUnderstood::Proposition { message, .. }) => Err(SpaceError::failed(message)),
        };
        self.propositions = names.iter().map(meaning).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn initial(&mut self, meter: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        let count = match self.initial {
            Some(count) => count,
            None => {
                self.explorer.begin(meter)?;
                *self.initial.insert(self.explorer.explored.states.len())
            }
        };
        Ok((0..count).map(NodeId::new).collect())
    }

    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        self.look(node, meter)?;
        for &to in &self.explorer.found.to {
            out.step(NodeId::new(to));
        }
        Ok(())
    }

    fn site_edges(
        &mut self,
        _: BoxId,
        _: ExitId,
        _: &mut Successors,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        Err(SpaceError::failed("there are no calls"))
    }

    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        self.look(node, meter)?;
        let (values, special) = (&self.explorer.values, self.explorer.special());
        for (position, meaning) in self.propositions.iter().enumerate() {
            if meaning.holds(&self.prepared, None, values, special, &mut self.stack) {
                out.add(LabelId::new(position));
            }
        }
        Ok(())
    }

    fn component(&self, _: NodeId) -> CompId {
        main()
    }

    fn home(&self, _: BoxId) -> CompId {
        main()
    }

    fn callee(&self, _: BoxId) -> CompId {
        main()
    }

    fn component_name(&self, _: CompId) -> String {
        "main".to_owned()
    }

    fn node_name(&self, node: NodeId) -> String {
        let mut name = String::new();
        self.dress.name(&self.explorer.processes, &self.shown, &self.values(node), &mut name);
        name
    }

    fn box_name(&self, _: BoxId) -> String {
        String::new()
    }

    fn exit_name(&self, _: ExitId) -> String {
        String::new()
    }

    fn origin(&self, node: NodeId) -> Option<Origin> {
        self.dress.origin(&self.explorer.processes, &self.values(node)).cloned()
    }
}
