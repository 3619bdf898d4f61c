//! Covers: how stacks are told apart. Every id is looked at here before anybody uses it.

use crate::Refusal;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::star_evidence::{BaseCopy, StarCopy};
use tern_model::{BoxId, CompId, Edge, Id, Machine, NodeId};

/// A deterministic automaton that reads stacks from the bottom.
pub(super) struct Cover {
    copies: Vec<Copy>,
    /// Who links to each copy.
    callers: Vec<Vec<(usize, BoxId)>>,
    /// The copy of the empty stack for a component.
    ended: BTreeMap<CompId, usize>,
}

struct Copy {
    component: CompId,
    ended: bool,
    /// The cover and copy that it refines; nothing in the base.
    below: Option<(usize, usize)>,
    callees: BTreeMap<BoxId, usize>,
    /// The nodes that can only return, to callers that do not go on.
    stuck: BTreeSet<NodeId>,
}

impl Cover {
    pub(super) fn base(machine: &Machine, base: &[BaseCopy]) -> Result<Self, Refusal> {
        let mut copies = Vec::with_capacity(base.len());
        for (number, copy) in base.iter().enumerate() {
            if copy.component.index() >= machine.component_count() {
                return Err(refusal(number, "there is no such component"));
            }
            copies.push(Copy {
                component: copy.component,
                ended: copy.ended,
                below: None,
                callees: callees(number, &copy.callees)?,
                stuck: BTreeSet::new(),
            });
        }
        let mut cover = Self::linked(machine, copies)?;
        for number in 0..cover.copies.len() {
            cover.copies[number].stuck = cover.stuck_in(machine, number)?;
        }
        Ok(cover)
    }

    /// The cover of a layer, whose ground is cover number `below`.
    pub(super) fn refined(
        machine: &Machine,
        ground: &Cover,
        below: usize,
        refined: &[StarCopy],
    ) -> Result<Self, Refusal> {
        let mut copies = Vec::with_capacity(refined.len());
        for (number, copy) in refined.iter().enumerate() {
            let Some(old) = ground.copies.get(copy.ground as usize) else {
                return Err(refusal(number, "there is no such ground copy"));
            };
            copies.push(Copy {
                component: old.component,
                ended: old.ended,
                below: Some((below, copy.ground as usize)),
                callees: callees(number, &copy.callees)?,
                stuck: old.stuck.clone(),
            });
        }
        let cover = Self::linked(machine, copies)?;
        for (number, copy) in refined.iter().enumerate() {
            for &(call, to) in &copy.callees {
                let due = ground.callee(copy.ground as usize, call);
                if due != Some(refined[to as usize].ground as usize) {
                    return Err(refusal(number, "a box leads elsewhere than in the ground"));
                }
            }
        }
        Ok(cover)
    }

    fn linked(machine: &Machine, copies: Vec<Copy>) -> Result<Self, Refusal> {
        let mut callers = vec![Vec::new(); copies.len()];
        let mut ended = BTreeMap::new();
        for (number, copy) in copies.iter().enumerate() {
            for (&call, &to) in &copy.callees {
                if call.index() >= machine.box_count()
                    || machine.component_of_box(call) != copy.component
                {
                    return Err(refusal(number, "it links a box of another component"));
                }
                match copies.get(to) {
                    Some(callee) if callee.component == machine.callee(call) && !callee.ended => {
                        callers[to].push((number, call));
                    }
                    _ => {
                        let why = "a box leads to what is no copy of its callee under a caller";
                        return Err(refusal(number, why));
                    }
                }
            }
            if copy.ended && ended.insert(copy.component, number).is_some() {
                return Err(refusal(number, "the empty stack has a copy already"));
            }
        }
        Ok(Cover { copies, callers, ended })
    }

    /// The nodes that are stuck under all who link to a copy; an error if these disagree.
    fn stuck_in(&self, machine: &Machine, number: usize) -> Result<BTreeSet<NodeId>, Refusal> {
        let mut stuck = BTreeSet::new();
        if self.copies[number].ended {
            return Ok(stuck);
        }
        for node in machine.nodes_of(self.copies[number].component) {
            let edges = machine.edges(node);
            if edges.is_empty() || !edges.iter().all(|edge| matches!(edge, Edge::Return(_))) {
                continue;
            }
            let goes_on = |call: BoxId| {
                edges.iter().any(|edge| match *edge {
                    Edge::Return(exit) => machine.site(call, exit).is_some(),
                    _ => true,
                })
            };
            let mut open = self.callers[number].iter().map(|&(_, call)| goes_on(call));
            let Some(first) = open.next() else { continue };
            if open.any(|other| other != first) {
                let node = crate::moves::node_name(machine, node);
                let why = format!("its callers disagree on whether {node} is stuck");
                return Err(refusal(number, &why));
            }
            if !first {
                stuck.insert(node);
            }
        }
        Ok(stuck)
    }

    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }

    /// What a copy refines, as cover and copy.
    pub(super) fn below(&self, copy: usize) -> Option<(usize, usize)> {
        self.copies.get(copy)?.below
    }

    /// The copy of the empty stack for a component.
    pub(super) fn ended(&self, component: CompId) -> Option<usize> {
        self.ended.get(&component).copied()
    }

    pub(super) fn is_ended(&self, copy: usize) -> bool {
        self.copies[copy].ended
    }

    pub(super) fn is_stuck(&self, copy: usize, node: NodeId) -> bool {
        self.copies[copy].stuck.contains(&node)
    }

    pub(super) fn component(&self, copy: usize) -> CompId {
        self.copies[copy].component
    }

    pub(super) fn callee(&self, copy: usize, call: BoxId) -> Option<usize> {
        self.copies[copy].callees.get(&call).copied()
    }

    pub(super) fn callers(&self, copy: usize) -> &[(usize, BoxId)] {
        &self.callers[copy]
    }
}

fn callees(number: usize, list: &[(BoxId, u32)]) -> Result<BTreeMap<BoxId, usize>, Refusal> {
    if list.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return Err(refusal(number, "its boxes are not sorted"));
    }
    Ok(list.iter().map(|&(call, to)| (call, to as usize)).collect())
}

fn refusal(copy: usize, why: &str) -> Refusal {
    Refusal::new(format!("copy {copy}"), why)
}
