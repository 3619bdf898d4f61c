//! What begins something, and what ends just that, by their names: `startPart()` and `endPart()`.

use crate::explore::{Breach, ComponentId, Ending, Explored, Violation};
use crate::rules::What;
use crate::world::{Match, World};
use tern_ir::{Body, NameId, ProcId, Statement};

/// How the names of methods begin that begin something, and that end it.
const BEGINS: [&str; 3] = ["begin", "start", "open"];
const ENDS: [&str; 4] = ["end", "stop", "finish", "close"];

/// Whether what is begun, and left so at a violation, is ended under another name, or by who calls
/// what ends it.
pub(crate) fn is_left(
    explored: &Explored,
    id: ComponentId,
    violation: &Violation,
    take: usize,
) -> bool {
    let procedure = explored.components[id].procedure;
    are_ended(explored, id, violation, take)
        || violation.breach == Breach::Lost(Ending::Return)
            && has_partner(explored.world, procedure)
}

/// Whether all that the way to a violation begins is ended on it by methods of its own, or by
/// methods of its own that the procedure never calls: what it ends is something else.
fn are_ended(explored: &Explored, id: ComponentId, violation: &Violation, take: usize) -> bool {
    let (world, procedure) = (explored.world, explored.components[id].procedure);
    let body = explored.body(procedure);
    let mut begun: Vec<Vec<&str>> = Vec::new();
    let rows = way(explored, id, violation);
    if !rows.contains(&violation.statement) {
        return false;
    }
    for row in rows {
        let Some(Statement::Call { call, .. }) = body.statements.get(row as usize) else {
            continue;
        };
        let name = world.program.text(world.program.selectors()[call.selector].name);
        let begins = |row: &Match| {
            row.rule == violation.rule
                && row.event == Some(take as u8)
                && row.what == What::Receiver
        };
        if explored.call_at(procedure, row).is_some_and(|it| it.matches.iter().any(begins)) {
            begun.push(own_partners(world, call.class, name));
        } else if let Some(last) = begun.iter().rposition(|own| own.contains(&name)) {
            begun.remove(last);
        }
    }
    begun.iter().all(|own| !own.is_empty() && !calls(world, body).any(|it| own.contains(&it)))
}

/// The statements on the way to a violation, without those of which it is not known whether
/// something was thrown before.
fn way(explored: &Explored, id: ComponentId, violation: &Violation) -> Vec<u32> {
    let own = &explored.components[id];
    let body = explored.body(own.procedure);
    let mut path = vec![violation.node];
    while let Some(from) = own.nodes[path[path.len() - 1]].from {
        path.push(from);
    }
    path.reverse();
    let mut rows = Vec::new();
    for (place, &node) in path.iter().enumerate() {
        let (block, at) = (own.nodes[node].block, own.nodes[node].at);
        let all = body.blocks[block].statements.clone();
        let first = (all.start + at).min(all.end);
        let next = path.get(place + 1).map(|&next| (own.nodes[next].block, own.nodes[next].at));
        let mut is_target = false;
        body.blocks[block].jump.targets(|to| is_target |= next == Some((to, 0)));
        let end = match next {
            Some((other, to)) if other == block && to > at => all.start + to,
            None if violation.breach == Breach::Lost(Ending::Return) => all.end,
            _ if is_target => all.end,
            // What is to be ended was begun.
            _ if (first..all.end).contains(&violation.statement) => violation.statement + 1,
            _ => first,
        };
        rows.extend(first..end);
    }
    rows
}

/// Whether a procedure begins something by its name that another one of its class ends: it leaves
/// to callers what it has begun.
pub(crate) fn has_partner(world: &World, procedure: ProcId) -> bool {
    let program = world.program;
    let row = &program.procedures()[procedure];
    let name = program.text(program.selectors()[row.selector].name);
    let class = row.class.map(|class| program.classes()[class].name);
    class.is_some_and(|class| !own_partners(world, class, name).is_empty())
}

/// The methods of a class, or above it, that end what a method begins, by their names.
pub(crate) fn own_partners<'p>(world: &World<'p>, class: NameId, name: &str) -> Vec<&'p str> {
    let program = world.program;
    let Some(rest) = BEGINS.iter().find_map(|it| name.strip_prefix(it)) else { return Vec::new() };
    let hierarchy = &world.calls.hierarchy;
    let kinds = hierarchy.find(class).map(|kind| hierarchy.above(kind)).unwrap_or_default();
    let classes = kinds.into_iter().filter_map(|kind| hierarchy.class(kind));
    let procedures = classes.flat_map(|class| &program.classes()[class].procedures);
    let names = procedures
        .map(|&id| program.text(program.selectors()[program.procedures()[id].selector].name));
    let is_end = |it: &&str| ENDS.iter().any(|end| it.strip_prefix(end) == Some(rest));
    names.filter(is_end).collect()
}

/// The names of the methods that code calls.
fn calls<'p>(world: &World<'p>, body: &'p Body) -> impl Iterator<Item = &'p str> {
    let program = world.program;
    body.statements.iter().filter_map(move |statement| match statement {
        Statement::Call { call, .. } => Some(program.text(program.selectors()[call.selector].name)),
        _ => None,
    })
}
