//! Whether `null` that the code itself tests for is then used whatever happens.
//!
//! A test says that a value may be `null`, but perhaps not together with what else the code
//! requires: in `if (a == null && b == null) …` nobody says that only one of them may be. So the
//! use counts only if it cannot be avoided from the test on, exceptions aside.

use crate::certainty::Chain;
use crate::explore::{ComponentId, Ending, Explored, Violation, operands};
use crate::state::{Slot, State};
use crate::values::{Cause, Value};
use rustc_hash::FxHashSet;
use std::ops::Range;
use tern_ir::{BlockId, Dispatch, Jump, Operand, ProcId, Statement};
use tern_model::index::Id;

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
    let body = explored.body(component.procedure);
    let flow = explored.flow(component.procedure);
    let count = component.nodes.len();
    let mut is_bad = vec![false; count];
    let is_use = |it: &&Violation| it.rule == rule;
    component.violations.iter().filter(is_use).for_each(|it| is_bad[it.node] = true);
    (0..count).filter(|&node| calls.contains(&(id, node))).for_each(|node| is_bad[node] = true);
    // How many ways on a node has that are not known to be bad.
    let mut open = vec![0usize; count];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    // Nodes from which a loop is left, and those that end with a test that may go either way.
    let (mut is_left, mut is_chance) = (vec![false; count], vec![false; count]);
    for edge in &component.edges {
        let to = &component.nodes[edge.to];
        let from = component.nodes[edge.from].block;
        // What is thrown in the code itself is no exception to how it goes on.
        let is_thrown = matches!(body.blocks[from].jump, Jump::Throw(_));
        let is_handler = body.handlers(from).iter().any(|it| it.block == to.block);
        if to.at == 0 && is_handler && !is_thrown {
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
    }
    is_bad[first]
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
