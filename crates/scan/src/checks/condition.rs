//! Conditions as the source has them: of a test in the code, what it says of the condition.

use crate::explore::Explored;
use tern_ir::{Access, BlockId, Body, Dispatch, Jump, Operand, ProcId, Statement, Test};

/// Whether the condition of the source is true where the code jumps.
///
/// Compilers jump over what is done if a condition is true, so that it is false where they jump.
/// It is true where they jump back to the body of a loop, and where they jump to what is done
/// because one side of `a || b` is true: that is where the test of the other side is passed by.
pub(super) fn is_true_where_it_jumps(body: &Body, block: BlockId) -> bool {
    let offset = |it: BlockId| body.blocks[it].place.offset;
    let mut at = block;
    let mut is_opposite = false;
    loop {
        let Jump::Branch { yes, .. } = body.blocks[at].jump else { return is_opposite };
        if yes == at || offset(yes) < offset(at) {
            return !is_opposite;
        }
        // Blocks lie in the code in the order in which their last instructions do.
        let between = body.blocks.iter().map(|(id, _)| id);
        let between = between.filter(|&it| offset(it) > offset(at) && offset(it) < offset(yes));
        let Some(before) = between.max_by_key(|&it| offset(it)) else { return is_opposite };
        match body.blocks[before].jump {
            Jump::Branch { no, .. } if no == yes => (at, is_opposite) = (before, !is_opposite),
            _ => return is_opposite,
        }
    }
}

/// Whether others have a say in a test: it looks at a field that other threads may write at any
/// time, or code outside, or at what a method answers that looks at such a field, or that others
/// are to write.
pub(super) fn is_up_to_others(
    explored: &Explored,
    procedure: ProcId,
    block: BlockId,
    test: &Test,
) -> bool {
    let body = explored.body(procedure);
    let world = explored.world;
    let mut rows = body.blocks[block].statements.clone();
    rows.any(|row| {
        let statement = &body.statements[row as usize];
        let read = statement.written().map(Operand::Variable);
        if read.is_none_or(|it| test.left != it && test.right != it) {
            return false;
        }
        match statement {
            Statement::Load { field, .. } => {
                let field = world.field(*field);
                world.is_volatile(field) || world.is_exposed(field)
            }
            Statement::Call { call, .. } => {
                let site = explored.flow(procedure).sites[row as usize] as usize;
                let is_open = call.dispatch == Dispatch::Virtual
                    && world.resolved(procedure, site).is_some_and(|it| {
                        let it = &world.program.procedures()[it];
                        it.body.is_none() && it.access == Access::Public
                    });
                let targets = world.callee(procedure, site).targets.as_deref();
                is_open || targets.unwrap_or_default().iter().any(|it| looks_outside(explored, *it))
            }
            _ => false,
        }
    })
}

/// Whether a procedure itself reads a field that code outside may write.
fn looks_outside(explored: &Explored, procedure: ProcId) -> bool {
    let body = explored.world.program.procedures()[procedure].body.as_ref();
    body.is_some_and(|body| {
        body.statements.iter().any(|it| match it {
            Statement::Load { field, .. } => {
                explored.world.is_exposed(explored.world.field(*field))
            }
            _ => false,
        })
    })
}
