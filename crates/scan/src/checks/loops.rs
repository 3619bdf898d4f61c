//! Loops that nothing ends, and waiting outside of loops.

use super::Place;
use crate::explore::{ComponentId, Explored};
use crate::formula;
use crate::sources::Sources;
use crate::words;
use crate::world::Callee;
use rustc_hash::FxHashSet;
use tern_ir::{Access, ProcId, Statement};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

/// Methods that run for as long as the program does.
const MEANT: [&str; 6] = ["run", "main", "call", "loop", "serve", "start"];

/// Methods of conditions that wait, and may come back though nobody signalled.
const WAITING: [&str; 4] = ["await", "awaitNanos", "awaitUntil", "awaitUninterruptibly"];

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

pub(super) fn endless(
    explored: &Explored,
    procedure: ProcId,
    sources: &Sources,
    places: &mut Vec<Place>,
    budget: &Budget,
) -> Result<(), Limit> {
    let name = name(explored, procedure);
    if MEANT.iter().any(|meant| name.to_lowercase().ends_with(meant)) {
        return Ok(());
    }
    let body = explored.body(procedure);
    let mut lines = FxHashSet::default();
    for &id in explored.components_of(procedure) {
        let ends = ending(explored, id);
        let component = &explored.components[id];
        let flow = explored.flow(procedure);
        // What comes before the loop may throw, and does not end it.
        let is_inside = |node: usize| flow.cyclic[component.nodes[node].block.index()];
        let caught: Vec<usize> =
            (0..ends.len()).filter(|&node| !ends[node] && is_inside(node)).collect();
        let mut blocks: Vec<_> = caught.iter().map(|&node| component.nodes[node].block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let is_quiet = blocks.iter().all(|&block| {
            let rows = body.blocks[block].statements.clone();
            rows.clone().all(|row| {
                let callee = explored.call_at(procedure, row);
                // Who has no next element says so by an exception.
                let ends = |it: &Callee| it.model.may == Some("java.util.NoSuchElementException");
                callee.is_none_or(|it| it.targets.is_some() || it.model.quiet && !ends(it))
            })
        });
        let head = caught.iter().copied().find(|&node| {
            let block = component.nodes[node].block.index();
            flow.heads[block] && flow.cyclic[block]
        });
        if let (Some(node), true) = (head, is_quiet) {
            let head = component.nodes[node].block;
            let first = body.statements(head).next().map(|(_, place)| place);
            let line = first.unwrap_or(body.blocks[head].place).line;
            let line = head_line(sources, &words::file(explored.world.program, procedure), line);
            if lines.insert(line) {
                let (subject, reason) = ("this loop".to_owned(), String::new());
                let all = explored.same_place(id, node);
                let certain = formula::never_leave(explored, all, budget)?;
                let calls = Vec::new();
                places.push(Place { procedure, line, subject, reason, certain, calls });
            }
        }
    }
    Ok(())
}

/// The line of `while (true)` and the like, which leave no code: just before their first statement.
fn head_line(sources: &Sources, file: &str, line: u32) -> u32 {
    let is_head = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.contains("while(true)") || text.contains("for(;;)") || text.starts_with("do{")
    };
    if sources.line(file, line).is_none() {
        return line;
    }
    let text = |line: u32| sources.line(file, line).unwrap_or_default();
    let is_blank = |text: &str| {
        let text = text.trim();
        text.is_empty() || text.starts_with("//") || text == "{"
    };
    let mut at = line;
    while at > 1 && !is_head(&text(at)) {
        at -= 1;
        if is_head(&text(at)) {
            return at;
        }
        if !is_blank(&text(at)) {
            return line;
        }
    }
    at
}

pub(super) fn wait(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let program = explored.world.program;
    let body = explored.body(procedure);
    let flow = explored.flow(procedure);
    if program.procedures()[procedure].access == Access::Private {
        return;
    }
    for block in body.blocks.ids().filter(|block| !flow.cyclic[block.index()]) {
        for (statement, place) in body.statements(block) {
            let Statement::Call { call, .. } = statement else { continue };
            let selector = &program.selectors()[call.selector];
            let (class, method) = (program.text(call.class), program.text(selector.name));
            let is_condition = class == "java.util.concurrent.locks.Condition";
            let is_wait = is_condition && WAITING.contains(&method)
                || method == "wait"
                    && (class == "java.lang.Object" || selector.parameters.is_empty());
            // One that only hands the call on waits for its caller.
            if is_wait && name(explored, procedure) != method {
                places.push(Place {
                    procedure,
                    line: place.line,
                    subject: format!("`{method}`"),
                    reason: String::new(),
                    certain: false,
                    calls: Vec::new(),
                });
            }
        }
    }
}
