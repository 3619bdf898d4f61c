//! Loops and recursion that nothing ends, and waiting outside of loops.

use super::Place;
use crate::explore::{ComponentId, Explored};
use rustc_hash::FxHashSet;
use tern_ir::{Access, Dispatch, Operand, ProcId, Statement, VarId};
use tern_model::index::Id;

/// Methods that run for as long as the program does.
const MEANT: [&str; 6] = ["run", "main", "call", "loop", "serve", "start"];

fn name(explored: &Explored, procedure: ProcId) -> String {
    let program = explored.world.program;
    let selector = program.procedures()[procedure].selector;
    program.text(program.selectors()[selector].name).to_owned()
}

/// Nodes from which the component can be left, by steps backwards.
fn ending(explored: &Explored, id: ComponentId) -> Vec<bool> {
    let component = &explored.components[id];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); component.nodes.len()];
    for edge in &component.edges {
        before[edge.to].push(edge.from);
    }
    let mut ends = vec![false; component.nodes.len()];
    let mut work: Vec<usize> = component.leaving.iter().map(|(node, _)| *node).collect();
    // Nodes without a step: a call that does not come back, or a violation that ends it.
    let mut has_step = vec![false; component.nodes.len()];
    component.edges.iter().for_each(|edge| has_step[edge.from] = true);
    work.extend((0..component.nodes.len()).filter(|&node| !has_step[node]));
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut ends[node], true) {
            work.extend(&before[node]);
        }
    }
    ends
}

pub(super) fn endless(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let name = name(explored, procedure);
    if MEANT.iter().any(|meant| name.to_lowercase().ends_with(meant)) {
        return;
    }
    let body = explored.body(procedure);
    let mut lines = FxHashSet::default();
    for &id in &explored.by_procedure[procedure.index()] {
        let ends = ending(explored, id);
        let component = &explored.components[id];
        let caught: Vec<usize> = (0..ends.len()).filter(|&node| !ends[node]).collect();
        let Some(flow) = explored.known_flow(procedure) else { continue };
        let mut blocks: Vec<_> = caught.iter().map(|&node| component.nodes[node].block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let is_quiet = blocks.iter().all(|&block| {
            let rows = body.blocks[block].statements.clone();
            rows.clone().all(|row| {
                let callee = explored.call_at(procedure, row);
                callee.is_none_or(|it| it.targets.is_some() || it.model.quiet)
            })
        });
        let head = caught
            .iter()
            .map(|&node| component.nodes[node].block)
            .find(|block| flow.heads[block.index()] && flow.cyclic[block.index()]);
        if let (Some(head), true) = (head, is_quiet) {
            let first = body.statements(head).next().map(|(_, place)| place);
            let line = first.unwrap_or(body.blocks[head].place).line;
            if lines.insert(line) {
                let (subject, reason) = ("this loop".to_owned(), String::new());
                places.push(Place { procedure, line, subject, reason, certain: false });
            }
        }
    }
}

pub(super) fn recursion(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let ids = &explored.by_procedure[procedure.index()];
    let never_ends = |id: ComponentId| {
        let component = &explored.components[id];
        component.leaving.is_empty() && component.violations.is_empty()
    };
    if ids.is_empty() || !ids.iter().all(|&id| never_ends(id)) {
        return;
    }
    // From callers to their callers, through those that do not end either.
    let mut seen: FxHashSet<ComponentId> = FxHashSet::default();
    let mut work: Vec<ComponentId> = vec![ids[0]];
    while let Some(id) = work.pop() {
        for &(caller, node) in &explored.components[id].callers {
            if !never_ends(caller) {
                continue;
            }
            if explored.components[caller].procedure == procedure {
                let own = &explored.components[caller];
                let body = explored.body(procedure);
                let row = body.blocks[own.nodes[node].block].statements.start + own.nodes[node].at;
                let Some(Statement::Call { call, .. }) = body.statements.get(row as usize) else {
                    continue;
                };
                let is_sure = call.dispatch != Dispatch::Virtual
                    || explored.world.program.procedures()[procedure].access == Access::Private;
                // Another object may be of a class that is not scanned.
                let of_this = body.operands(&call.arguments).first()
                    == Some(&Operand::Variable(VarId::new(0)));
                if !is_sure && !of_this {
                    continue;
                }
                let line = explored.place(procedure, row).line;
                let (subject, reason) = ("the call".to_owned(), String::new());
                places.push(Place { procedure, line, subject, reason, certain: is_sure });
                return;
            }
            if seen.insert(caller) {
                work.push(caller);
            }
        }
    }
}

pub(super) fn wait(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let program = explored.world.program;
    let body = explored.body(procedure);
    let Some(flow) = explored.known_flow(procedure) else { return };
    if program.procedures()[procedure].access == Access::Private {
        return;
    }
    for block in body.blocks.ids().filter(|block| !flow.cyclic[block.index()]) {
        for (statement, place) in body.statements(block) {
            let Statement::Call { call, .. } = statement else { continue };
            let selector = &program.selectors()[call.selector];
            let (class, method) = (program.text(call.class), program.text(selector.name));
            let is_condition = class == "java.util.concurrent.locks.Condition" && method == "await";
            if is_condition && selector.parameters.is_empty()
                || method == "wait"
                    && (class == "java.lang.Object" || selector.parameters.is_empty())
                    && name(explored, procedure) != "wait"
            {
                places.push(Place {
                    procedure,
                    line: place.line,
                    subject: format!("`{method}`"),
                    reason: String::new(),
                    certain: false,
                });
            }
        }
    }
}
