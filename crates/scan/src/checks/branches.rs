//! Tests that always go the same way, and tests for null that come too late.
//!
//! Compilers copy `finally` blocks: a test of the source may be several tests in the code. All that
//! stand in the same line and read the same are one.

use super::condition::{is_true_where_it_jumps, is_up_to_others};
use super::unwritten::{is_by_compiler, is_link};
use super::{Place, must};
use crate::explore::{Explored, reached};
use crate::findings::test_text;
use crate::values::{Value, compare, swapped};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tern_ir::{
    BlockId, Body, Comparison, Constant, Handler, Jump, Operand, Operator, ProcId, Program,
    Statement, Test,
};
use tern_model::Tri;
use tern_model::index::Id;

fn is_null_test(program: &Program, test: &Test) -> bool {
    let is_null = |operand: Operand| matches!(operand, Operand::Constant(it) if program.constants()[it] == Constant::Null);
    is_null(test.left) || is_null(test.right)
}

/// The tests of a body by line and text, with their blocks: those of lines with one that is wanted.
fn tests<'b>(
    explored: &Explored,
    body: &'b Body,
    is_wanted: impl Fn(BlockId, &Test) -> bool,
) -> BTreeMap<(u32, String), Vec<(BlockId, &'b Test)>> {
    let all = || {
        body.blocks.iter().filter_map(|(id, block)| match &block.jump {
            Jump::Branch { test, yes, no } if yes != no && block.place.line != 0 => {
                Some((id, test, block.place.line))
            }
            _ => None,
        })
    };
    let wanted = all().filter(|(id, test, _)| is_wanted(*id, test));
    let lines: FxHashSet<u32> = wanted.map(|(_, _, line)| line).collect();
    let mut tests: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (id, test, line) in all().filter(|(_, _, line)| lines.contains(line)) {
        let text = test_text(explored.world, body, test, true);
        tests.entry((line, text)).or_default().push((id, test));
    }
    tests
}

pub(super) fn decided(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let body = explored.body(procedure);
    let components = explored.components_of(procedure);
    let of = |block: &BlockId| {
        let each = components.iter().map(|&id| explored.components[id].tests.get(block));
        let seen = each.fold(0, |seen, mask| seen | mask.copied().unwrap_or(0));
        match counted_up(explored, procedure, *block) {
            Some(is_true) if seen == 3 => 2 - u8::from(is_true),
            _ => seen,
        }
    };
    // What stands in a handler for all that is thrown may come of any point before.
    let plain = reached_without(explored.world.program, body, &["java.lang.Throwable"]);
    let is_one_sided =
        |block: BlockId, _: &Test| plain[block.index()] && matches!(of(&block), 1 | 2);
    for ((line, _), blocks) in tests(explored, body, is_one_sided) {
        // A copy that is not reached stands for exceptions of which nothing is known.
        if blocks.iter().any(|(block, _)| of(block) == 0 || !plain[block.index()])
            || is_null_test(explored.world.program, blocks[0].1)
            || blocks.iter().any(|(_, test)| is_assertion(explored, body, test))
            || blocks.iter().any(|(id, test)| is_up_to_others(explored, procedure, *id, test))
            || blocks.iter().any(|(id, test)| is_link(body, *id, test))
        {
            continue;
        }
        let seen = blocks.iter().fold(0, |seen, (block, _)| seen | of(block));
        // A call in between may not have come back; then nothing is known of what follows.
        let is_guard = blocks.iter().any(|(block, _)| throws_at_once(body, *block, seen));
        if (seen == 1 || seen == 2) && !is_guard {
            let is_true = (seen == 1) == is_true_where_it_jumps(body, blocks[0].0);
            let subject = if is_true { "true" } else { "false" };
            places.push(Place {
                procedure,
                line,
                subject: subject.to_owned(),
                reason: String::new(),
                certain: false,
                calls: Vec::new(),
            });
        }
    }
}

/// What takes the exception that the use of `null` throws.
const TAKE_NULL: [&str; 4] = [
    "java.lang.Throwable",
    "java.lang.Exception",
    "java.lang.RuntimeException",
    "java.lang.NullPointerException",
];

/// The blocks that are come to without a handler for all that is thrown, or for some classes.
fn reached_without(program: &Program, body: &Body, classes: &[&str]) -> Vec<bool> {
    let is_meant =
        |it: &Handler| it.class.is_none_or(|class| classes.contains(&program.text(class)));
    let mut seen = vec![false; body.blocks.len()];
    let mut work = vec![BlockId::new(0)];
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            body.blocks[id].jump.targets(|to| work.push(to));
            let handlers = reached(body.handlers(id)).iter().filter(|it| !is_meant(it));
            work.extend(handlers.map(|it| it.block));
        }
    }
    seen
}

/// How a test outside of the heads of loops always goes that compares a counter with a constant: a
/// variable that is given constants and counted up from these. That it is counted until it wraps is
/// left aside, but where its sign is asked for in the loop: `if (++count < 0) count = 0;`.
fn counted_up(explored: &Explored, procedure: ProcId, block: BlockId) -> Option<bool> {
    let body = explored.body(procedure);
    let Jump::Branch { test, .. } = &body.blocks[block].jump else { return None };
    let number = |it: Operand| match it {
        Operand::Constant(it) => match explored.world.constant(it) {
            Value::Number(low, high) if low == high => Some(low),
            _ => None,
        },
        Operand::Variable(_) => None,
    };
    let (counter, comparison, bound) = match (test.left, test.right) {
        (Operand::Variable(it), other) => (it, test.comparison, number(other)?),
        (other, Operand::Variable(it)) => (it, swapped(test.comparison), number(other)?),
        _ => return None,
    };
    let is_sign = matches!(comparison, Comparison::Less | Comparison::GreaterEqual) && bound == 0;
    let flow = explored.flow(procedure);
    let is_wrapping = is_sign && flow.cyclic[block.index()];
    if is_wrapping || counter.index() < body.parameters || flow.heads[block.index()] {
        return None;
    }
    let (mut least, mut is_counted) = (None, false);
    for statement in body.statements.iter().filter(|it| it.written() == Some(counter)) {
        match statement {
            Statement::Copy { from, .. } => {
                let start = number(*from)?;
                least = Some(least.map_or(start, |it: i64| it.min(start)));
            }
            Statement::Binary { operator: Operator::Add, left, right, .. }
                if *left == Operand::Variable(counter) && number(*right)? > 0 =>
            {
                is_counted = true;
            }
            _ => return None,
        }
    }
    match compare(comparison, (least.filter(|_| is_counted)?, i64::MAX), (bound, bound)) {
        Tri::True => Some(true),
        Tri::False => Some(false),
        Tri::Unknown => None,
    }
}

/// Whether the side of a test that is never taken does nothing but throw: it is there to make sure.
fn throws_at_once(body: &Body, block: BlockId, seen: u8) -> bool {
    let Jump::Branch { yes, no, .. } = &body.blocks[block].jump else { return false };
    let mut at = if seen == 1 { *no } else { *yes };
    // What is thrown may be put together from texts.
    for _ in 0..3 {
        match &body.blocks[at].jump {
            Jump::Throw(_) => return true,
            Jump::Goto(to) => at = *to,
            _ => return false,
        }
    }
    false
}

/// Whether a test is what a compiler writes for `assert`.
fn is_assertion(explored: &Explored, body: &Body, test: &Test) -> bool {
    let Operand::Variable(variable) = test.left else { return false };
    body.statements.iter().any(|statement| match statement {
        Statement::Load { to, field, .. } if *to == variable => {
            let name = explored.world.program.fields()[*field].name;
            explored.world.program.text(name) == "$assertionsDisabled"
        }
        _ => false,
    })
}

/// Tests for null of what was used: since the facts say so, or since every path uses it first.
pub(super) fn late(explored: &Explored, procedure: ProcId, places: &mut Vec<Place>) {
    let body = explored.body(procedure);
    let program = explored.world.program;
    let components = explored.components_of(procedure);
    let is_null = |it: Operand| matches!(it, Operand::Constant(it) if program.constants()[it] == Constant::Null);
    // A handler may be come to because what is tested was used, and was `null`.
    let plain = reached_without(program, body, &TAKE_NULL);
    let mut surely = None;
    let is_wanted = |_: BlockId, test: &Test| is_null_test(program, test);
    for ((line, _), blocks) in tests(explored, body, is_wanted) {
        if !is_null_test(program, blocks[0].1) {
            continue;
        }
        let surely = surely.get_or_insert_with(|| must::used(body));
        let mut used = None;
        let is_late = blocks.iter().all(|(block, test)| {
            let jump = &body.blocks[*block].jump;
            let tested = must::tested(jump, is_null);
            let known = surely[block.index()].as_ref();
            let before = tested.and_then(|it| known?.get(&it).copied());
            let reached: Vec<_> = components
                .iter()
                .map(|&id| &explored.components[id])
                .filter(|it| it.tests.contains_key(block))
                .collect();
            let each = reached.iter().map(|it| (it.tests[block], it.late.get(block)));
            let all = each.clone().all(|(seen, late)| seen != 3 && late.is_some());
            used = before.or_else(|| each.filter_map(|(_, late)| late).next().copied()).or(used);
            let is_late = !reached.is_empty() && (all || before.is_some());
            is_late && plain[block.index()] && !guards_close(explored, body, *block, test)
        });
        if let (true, Some(used)) = (is_late && used != Some(line), used) {
            let test = blocks[0].1;
            let operand = if is_null(test.left) { test.right } else { test.left };
            if blocks.iter().any(|(id, _)| is_by_compiler(explored, procedure, *id, operand)) {
                continue;
            }
            places.push(Place {
                procedure,
                line,
                subject: crate::words::operand(explored.world, body, operand),
                reason: used.to_string(),
                certain: false,
                calls: Vec::new(),
            });
        }
    }
}

/// Whether a test only guards a call of `close`: compilers write that for `try (…)`.
fn guards_close(explored: &Explored, body: &Body, block: BlockId, _: &Test) -> bool {
    let Jump::Branch { yes, no, .. } = &body.blocks[block].jump else { return false };
    let program = explored.world.program;
    [yes, no].into_iter().any(|&to| {
        body.statements(to).next().is_some_and(|(statement, _)| match statement {
            Statement::Call { call, .. } => {
                program.text(program.selectors()[call.selector].name) == "close"
            }
            _ => false,
        })
    })
}
