//! Tests that say nothing of what their author thinks: compilers write them, or they are one link
//! of a chain.

use crate::explore::Explored;
use rustc_hash::FxHashSet;
use tern_ir::{
    BlockId, Body, Comparison, Constant, Jump, Operand, ProcId, Program, Statement, Test, VarId,
};
use tern_model::index::Id;

/// How the text begins with which compilers of Kotlin have a cast fail.
const FAILED_CAST: &str = "null cannot be cast to non-null type";

/// Whether a test for null is written by a compiler: of the object that a method is run on, or for
/// a cast to a type that has no null.
pub(super) fn is_by_compiler(
    explored: &Explored,
    procedure: ProcId,
    block: BlockId,
    operand: Operand,
) -> bool {
    let (body, program) = (explored.body(procedure), explored.world.program);
    let Jump::Branch { test, yes, no } = &body.blocks[block].jump else { return false };
    let null_side = if test.comparison == Comparison::Equal { *yes } else { *no };
    let is_static = program.procedures()[procedure].is_static;
    !is_static && is_receiver(body, operand) || fails_cast(program, body, null_side)
}

/// Whether an operand is the object that a method is run on, perhaps by another name.
fn is_receiver(body: &Body, mut operand: Operand) -> bool {
    for _ in 0..4 {
        let Operand::Variable(variable) = operand else { return false };
        let mut writers = body.statements.iter().filter(|it| it.written() == Some(variable));
        match (writers.next(), writers.next()) {
            (None, _) => return variable.index() == 0,
            (Some(Statement::Copy { from, .. }), None) => operand = *from,
            _ => return false,
        }
    }
    false
}

/// Whether a block says that null cannot be cast.
fn fails_cast(program: &Program, body: &Body, block: BlockId) -> bool {
    let is_message = |it: &Operand| match it {
        Operand::Constant(it) => match program.constants()[*it] {
            Constant::Text(text) => program.text(text).starts_with(FAILED_CAST),
            _ => false,
        },
        Operand::Variable(_) => false,
    };
    body.statements(block).any(|(statement, _)| match statement {
        Statement::Call { call, .. } => body.operands(&call.arguments).iter().any(is_message),
        _ => false,
    })
}

/// Whether a test asks for what its own statement writes: `same = same && f();`, the first link of
/// a chain that looks like the others.
pub(super) fn is_link(body: &Body, block: BlockId, test: &Test) -> bool {
    let Jump::Branch { yes, no, .. } = body.blocks[block].jump else { return false };
    let line = body.blocks[block].place.line;
    let Operand::Variable(tested) = test.left else { return false };
    let rows = body.blocks[block].statements.clone();
    let copied = rows.rev().find_map(|row| match &body.statements[row as usize] {
        Statement::Copy { to, from: Operand::Variable(from) } if *to == tested => Some(*from),
        _ => None,
    });
    let tested = copied.unwrap_or(tested);
    let (one, other) = (writers(body, yes, line, tested), writers(body, no, line, tested));
    one.intersection(&other).next().is_some()
}

/// The blocks that write a variable in a line, come to from a block without leaving that line.
fn writers(body: &Body, from: BlockId, line: u32, variable: VarId) -> FxHashSet<BlockId> {
    let (mut found, mut seen, mut work) = (FxHashSet::default(), FxHashSet::default(), vec![from]);
    while let Some(block) = work.pop() {
        if !seen.insert(block) {
            continue;
        }
        let mut rows = body.statements(block).take_while(|(_, place)| place.line == line);
        if rows.any(|(it, _)| it.written() == Some(variable)) {
            found.insert(block);
        } else if body.blocks[block].place.line == line {
            body.blocks[block].jump.targets(|to| work.push(to));
        }
    }
    found
}
