//! Whether `null` that the code itself tests for is then used whatever happens.
//!
//! A test says that a value may be `null`, but perhaps not together with what else the code
//! requires: in `if (a == null && b == null) …` nobody says that only one of them may be. So the
//! use counts only if it cannot be avoided from the test on, exceptions aside.

use crate::certainty::Chain;
use crate::explore::{ComponentId, Edge, Ending, Explored, Violation, operands};
use crate::state::{Slot, State};
use crate::values::{Cause, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tern_ir::{BlockId, Dispatch, Handler, Jump, NameId, Operand, ProcId, Statement};
use tern_model::Tri;
use tern_model::index::Id;

/// How many calls deep it is looked for what callees throw by chance.
const MOST_THROWN: usize = 3;

/// Whether components are left by exits that throw, looked at so many calls deep.
type Thrown = FxHashMap<(ComponentId, usize, usize), bool>;

/// Whether the use of a tested `null` follows from the test.
pub(crate) fn follows(explored: &Explored, rule: u8, chain: &Chain) -> bool {
    let mut bad: FxHashSet<(ComponentId, usize)> = FxHashSet::default();
    for (depth, &(id, last)) in chain.calls.iter().enumerate() {
        if depth > 0 {
            bad.insert((id, last));
        }
        let component = &explored.components[id];
        let mut first = last;
        while let Some(from) = component.nodes[first].from {
            if !has_tested(&component.nodes[from].state) {
                break;
            }
            first = from;
        }
        let is_given = first == 0 && has_tested(&component.nodes[0].state);
        if !unavoidable(explored, id, rule, &bad, first, false) {
            return false;
        }
        if !is_given {
            return true;
        }
    }
    true
}

/// Whether callees use the `null` that they are given whatever else they are given: callers know
/// what goes together. Loops are taken to be gone round, and tests that what is given has no say in
/// to go either way.
pub(crate) fn is_for_all(explored: &Explored, rule: u8, chain: &Chain) -> bool {
    let mut bad: FxHashSet<(ComponentId, usize)> = FxHashSet::default();
    for &(id, last) in &chain.calls {
        bad.insert((id, last));
        let entry = &explored.components[id].nodes[0].state;
        let is_null = |(slot, value): &(Slot, Value)| {
            matches!((slot, value), (Slot::Local(_), Value::Null(_)))
        };
        if !entry.slots().iter().any(is_null) {
            return true;
        }
        if !unavoidable(explored, id, rule, &bad, 0, true) {
            return false;
        }
    }
    true
}

fn has_tested(state: &State) -> bool {
    state.slots().iter().any(|(_, value)| *value == Value::Null(Cause::Tested))
}

/// Whether every way from a node of a component breaks the rule, or comes by one of some calls;
/// perhaps only those ways on which loops are entered.
fn unavoidable(
    explored: &Explored,
    id: ComponentId,
    rule: u8,
    calls: &FxHashSet<(ComponentId, usize)>,
    first: usize,
    enters_loops: bool,
) -> bool {
    let component = &explored.components[id];
    let count = component.nodes.len();
    let mut is_bad = vec![false; count];
    let is_use = |it: &&Violation| it.rule == rule;
    component.violations.iter().filter(is_use).for_each(|it| is_bad[it.node] = true);
    (0..count).filter(|&node| calls.contains(&(id, node))).for_each(|node| is_bad[node] = true);
    let depth = if enters_loops { MOST_THROWN } else { 0 };
    leads(explored, id, is_bad, enters_loops, (depth, &mut Thrown::default()))[first]
}

/// The nodes of a component from which every way comes by one of some nodes; perhaps only those
/// ways on which loops are entered. What callees throw by chance is followed so many calls deep.
fn leads(
    explored: &Explored,
    id: ComponentId,
    mut is_bad: Vec<bool>,
    enters_loops: bool,
    (depth, known): (usize, &mut Thrown),
) -> Vec<bool> {
    let component = &explored.components[id];
    let body = explored.body(component.procedure);
    let flow = explored.flow(component.procedure);
    let count = component.nodes.len();
    // How many ways on a node has that are not known to be bad.
    let mut open = vec![0usize; count];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    // Calls whose exceptions come to a node.
    let mut thrown: Vec<Vec<&Edge>> = vec![Vec::new(); count];
    // Nodes from which a loop is left, and those that end with a test that may go either way.
    let (mut is_left, mut is_chance) = (vec![false; count], vec![false; count]);
    for edge in &component.edges {
        let to = &component.nodes[edge.to];
        let from = component.nodes[edge.from].block;
        // What is thrown in the code itself is no exception to how it goes on.
        let is_thrown = matches!(body.blocks[from].jump, Jump::Throw(_));
        let is_handler = body.handlers(from).iter().any(|it| it.block == to.block);
        if to.at == 0 && is_handler && !is_thrown {
            thrown[edge.to].push(edge);
            continue;
        }
        if enters_loops && to.at == 0 && flow.heads[from.index()] && !flow.cyclic[to.block.index()]
        {
            is_left[edge.from] = true;
            continue;
        }
        is_chance[edge.from] |=
            enters_loops && to.at == 0 && goes_either_way(explored, component.procedure, from);
        open[edge.from] += 1;
        before[edge.to].push(edge.from);
    }
    for &(node, ending) in &component.leaving {
        if ending == Ending::Return || open[node] == 0 {
            open[node] += 1;
        }
    }
    (0..count)
        .filter(|&node| is_left[node] && open[node] == 0)
        .for_each(|node| is_bad[node] = true);
    let mut work: Vec<usize> = (0..count).filter(|&node| is_bad[node]).collect();
    while let Some(node) = work.pop() {
        for &from in &before[node] {
            open[from] -= 1;
            if (open[from] == 0 || is_chance[from]) && !std::mem::replace(&mut is_bad[from], true) {
                work.push(from);
            }
        }
        for edge in &thrown[node] {
            let takes = || surely_taken(explored, id, edge);
            if !is_bad[edge.from]
                && takes().is_some_and(|exit| throws(explored, exit, depth, known))
            {
                is_bad[edge.from] = true;
                work.push(edge.from);
            }
        }
    }
    is_bad
}

/// The exit of the only callee of a call by which something is thrown that a handler surely takes.
fn surely_taken(explored: &Explored, id: ComponentId, edge: &Edge) -> Option<(ComponentId, usize)> {
    let (callee, exit) = edge.via?;
    let caller = &explored.components[id];
    only_target(explored, id, edge.from)?;
    let class = thrown_class(explored.components[callee].exits[exit].ending)?;
    let (from, to) = (caller.nodes[edge.from].block, caller.nodes[edge.to].block);
    let mut handlers = explored.body(caller.procedure).handlers(from).iter();
    let takes =
        |it: &Handler| it.class.is_none_or(|it| explored.world.is_below(class, it) == Tri::True);
    handlers.any(|it| it.block == to && takes(it)).then_some((callee, exit))
}

/// The procedure that the call at a node runs, if there is only one.
fn only_target(explored: &Explored, id: ComponentId, node: usize) -> Option<ProcId> {
    let own = &explored.components[id];
    let at = &own.nodes[node];
    let row = explored.body(own.procedure).blocks[at.block].statements.start + at.at;
    match explored.call_at(own.procedure, row)?.targets.as_deref() {
        Some(&[target]) => Some(target),
        _ => None,
    }
}

fn thrown_class(ending: Ending) -> Option<NameId> {
    match ending {
        Ending::Throw(class, _) => class,
        Ending::Return => None,
    }
}

/// Whether a component is left by an exit that throws, always or by chance, whatever it is given.
/// It or a callee must throw by itself.
fn throws(
    explored: &Explored,
    (id, exit): (ComponentId, usize),
    depth: usize,
    known: &mut Thrown,
) -> bool {
    let component = &explored.components[id];
    if depth == 0 || component.is_shared {
        return false;
    }
    let key = (id, exit, depth);
    if let Some(&answer) = known.get(&key) {
        return answer;
    }
    let ending = component.exits[exit].ending;
    let body = explored.body(component.procedure);
    let mut is_bad = vec![false; component.nodes.len()];
    for &(node, _) in component.leaving.iter().filter(|(_, by)| *by == ending) {
        let block = component.nodes[node].block;
        is_bad[node] |= matches!(body.blocks[block].jump, Jump::Throw(_))
            || body.handlers(block).is_empty()
                && passed_on(explored, (id, node), ending)
                    .is_some_and(|exit| throws(explored, exit, depth - 1, known));
    }
    let answer = leads(explored, id, is_bad, true, (depth - 1, known))[0];
    known.insert(key, answer);
    answer
}

/// The exit of the only callee of a call that throws what the caller passes on.
fn passed_on(
    explored: &Explored,
    (id, node): (ComponentId, usize),
    ending: Ending,
) -> Option<(ComponentId, usize)> {
    let class = thrown_class(ending)?;
    let target = only_target(explored, id, node)?;
    let mut callees = explored.components_of(target).iter().copied();
    let callee = callees.find(|&it| explored.components[it].callers.contains(&(id, node)))?;
    let mut exits = explored.components[callee].exits.iter();
    let exit = exits.position(|it| thrown_class(it.ending) == Some(class))?;
    Some((callee, exit))
}

/// Whether a block ends with a test of what missing code answers that is told nothing but
/// constants: what the procedure is given has no say in it.
fn goes_either_way(explored: &Explored, procedure: ProcId, block: BlockId) -> bool {
    let body = explored.body(procedure);
    let Jump::Branch { test, .. } = &body.blocks[block].jump else { return false };
    let rows = body.blocks[block].statements.clone();
    let sides = [test.left, test.right].map(|it| chance(explored, procedure, &rows, it, 4));
    sides.contains(&Some(true)) && !sides.contains(&None)
}

/// Whether a value is by chance, or a constant; none if it is something else.
fn chance(
    explored: &Explored,
    procedure: ProcId,
    rows: &Range<u32>,
    operand: Operand,
    depth: usize,
) -> Option<bool> {
    let Operand::Variable(variable) = operand else { return Some(false) };
    let body = explored.body(procedure);
    let row = rows
        .clone()
        .rev()
        .find(|&row| body.statements[row as usize].written() == Some(variable))?;
    let statement = &body.statements[row as usize];
    let mut is_chance = match statement {
        _ if depth == 0 => return None,
        Statement::Copy { .. } | Statement::Unary { .. } | Statement::Binary { .. } => false,
        Statement::Call { call, .. } if call.dispatch == Dispatch::Static => {
            explored.call_at(procedure, row).filter(|it| it.is_missing)?;
            true
        }
        _ => return None,
    };
    let mut is_known = true;
    operands(body, statement, |it| {
        match chance(explored, procedure, &(rows.start..row), it, depth - 1) {
            Some(found) => is_chance |= found,
            None => is_known = false,
        }
    });
    is_known.then_some(is_chance)
}
