//! Recursion that nothing ends.
//!
//! A component *never ends* if no path leaves it, which may be so because a call does not come
//! back. Then it matters whose call that is: behind an interface, or a method that others may
//! override, there may be code that is not scanned, and it may come back. So such calls count as
//! ones that end ([`Trust::Open`]), and with them whoever waits for them. What remains is certain
//! if also calls on `this` count so, behind which there may be a class below.

use super::Place;
use crate::explore::{ComponentId, Explored};
use crate::formula;
use crate::state::Slot;
use crate::values::Key;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use tern_ir::{Access, Dispatch, Operand, ProcId, Statement, VarId};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

/// How much is known of what a call runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    /// Code that is not scanned may come in the place of what was entered.
    Open,
    /// A class below may override it, but in the class that the call stands in it is this one.
    Likely,
    /// Nothing else can come in its place.
    Sure,
}

pub(super) fn find(
    explored: &Explored,
    procedure: ProcId,
    places: &mut Vec<Place>,
    budget: &Budget,
) -> Result<(), Limit> {
    let ids = explored.components_of(procedure);
    if ids.is_empty() || ids.iter().any(|&id| is_left(explored, id)) {
        return Ok(());
    }
    let ending = ending(explored, Trust::Likely);
    if ids.iter().any(|id| ending.contains(id)) {
        return Ok(());
    }
    let Some(calls) = cycle(explored, procedure, &ending) else { return Ok(()) };
    let ending = self::ending(explored, Trust::Sure);
    let is_sure = !ids.iter().any(|id| ending.contains(id));
    let entries = ids.iter().map(|&id| (id, 0));
    let certain = is_sure && formula::never_leave(explored, entries, budget)?;
    let (line, subject, reason) = (calls[0].1, "the call".to_owned(), String::new());
    places.push(Place { procedure, line, subject, reason, certain, calls });
    Ok(())
}

/// Whether a path leaves a component, or ends in it.
fn is_left(explored: &Explored, id: ComponentId) -> bool {
    let component = &explored.components[id];
    !component.leaving.is_empty() || !component.violations.is_empty()
}

/// Components that may end, if calls of less trust than this may come back.
fn ending(explored: &Explored, least: Trust) -> FxHashSet<ComponentId> {
    let mut found: FxHashSet<ComponentId> = FxHashSet::default();
    let mut work = Vec::new();
    for (id, component) in explored.components.iter() {
        if is_left(explored, id) {
            work.push(id);
        }
        if component.leaving.is_empty() {
            let open = |it: &&(ComponentId, usize)| trust(explored, **it, id) < least;
            work.extend(component.callers.iter().filter(open).map(|(caller, _)| *caller));
        }
    }
    while let Some(id) = work.pop() {
        // Where a callee is left, what its callers do then was explored.
        if found.insert(id) && explored.components[id].leaving.is_empty() {
            work.extend(explored.components[id].callers.iter().map(|(caller, _)| *caller));
        }
    }
    found
}

/// The call at a node, with its number among the calls of its procedure.
fn call_at<'p>(
    explored: &Explored<'_, 'p>,
    (id, node): (ComponentId, usize),
) -> Option<(&'p tern_ir::Call, u32)> {
    let own = &explored.components[id];
    let body = explored.body(own.procedure);
    let row = body.blocks[own.nodes[node].block].statements.start + own.nodes[node].at;
    match body.statements.get(row as usize) {
        Some(Statement::Call { call, .. }) => Some((call, row)),
        _ => None,
    }
}

/// How much is known of what a call that entered a component runs.
fn trust(explored: &Explored, caller: (ComponentId, usize), callee: ComponentId) -> Trust {
    let Some((call, row)) = call_at(explored, caller) else { return Trust::Open };
    if call.dispatch != Dispatch::Virtual {
        return Trust::Sure;
    }
    let (world, own) = (explored.world, &explored.components[caller.0]);
    let target = explored.components[callee].procedure;
    let program = world.program;
    let from = &program.procedures()[own.procedure];
    let body = explored.body(own.procedure);
    let receiver = match body.operands(&call.arguments).first() {
        Some(Operand::Variable(variable)) => *variable,
        _ => return Trust::Open,
    };
    let made = own.nodes[caller.1].state.get(Slot::Local(receiver)).object();
    if let Some(Key::At(row)) = made.map(|it| explored.objects[it])
        && matches!(body.statements.get(row as usize), Some(Statement::New { .. }))
    {
        return Trust::Sure;
    }
    let site = explored.flow(own.procedure).sites[row as usize] as usize;
    let Some(resolved) = world.resolved(own.procedure, site) else { return Trust::Open };
    let row = &program.procedures()[target];
    let is_final = row.class.is_some_and(|class| program.classes()[class].is_final);
    if resolved == target && (row.access == Access::Private || is_final) {
        return Trust::Sure;
    }
    let class = from.class.map(|class| program.classes()[class].name);
    let is_this = receiver == VarId::new(0) && !from.is_static;
    match class {
        Some(class) if is_this && world.select(class, resolved) == Some(target) => Trust::Likely,
        _ => Trust::Open,
    }
}

/// A shortest way from a procedure back to itself, through components that do not end: who calls,
/// and in which line.
fn cycle(
    explored: &Explored,
    procedure: ProcId,
    ending: &FxHashSet<ComponentId>,
) -> Option<Vec<(ProcId, u32)>> {
    let of = |id: ComponentId| explored.components[id].procedure;
    let line = |(id, node): (ComponentId, usize)| {
        let (_, row) = call_at(explored, (id, node))?;
        Some((of(id), explored.place(of(id), row).line))
    };
    let mut work: VecDeque<ComponentId> =
        explored.components_of(procedure).iter().copied().collect();
    // For each component that was met: by which of its nodes it calls which.
    let mut next: FxHashMap<ComponentId, (usize, ComponentId)> = FxHashMap::default();
    while let Some(id) = work.pop_front() {
        for &(caller, node) in &explored.components[id].callers {
            if ending.contains(&caller) {
                continue;
            }
            if of(caller) == procedure {
                let mut calls = vec![line((caller, node))?];
                let mut at = id;
                while let (true, Some(&(node, callee))) = (of(at) != procedure, next.get(&at)) {
                    calls.push(line((at, node))?);
                    at = callee;
                }
                return Some(calls);
            }
            if let std::collections::hash_map::Entry::Vacant(place) = next.entry(caller) {
                place.insert((node, id));
                work.push_back(caller);
            }
        }
    }
    None
}
