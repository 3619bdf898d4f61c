//! What the answers of a procedure are worth to those who call it.

use super::World;
use tern_ir::{BlockId, Body, Constant, ConstantId, Jump, Operand, ProcId, Statement, VarId};
use tern_model::index::Id;

/// What is known of the answers of a procedure by a look at its code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// It always answers the same constant: those who come in its place need not.
    pub(crate) is_default: bool,
    /// It answers `null` only where a field, or what it was given, is not as it should be: callers
    /// know when they may ask.
    pub(crate) is_guarded: bool,
}

impl World<'_> {
    pub(crate) fn answers(&self, procedure: ProcId) -> Answers {
        let Some(body) = &self.program.procedures()[procedure].body else {
            return Answers::default();
        };
        Answers { is_default: is_default(body), is_guarded: self.is_guarded(body) }
    }

    fn is_null(&self, constant: ConstantId) -> bool {
        self.program.constants()[constant] == Constant::Null
    }

    fn is_guarded(&self, body: &Body) -> bool {
        // As in `return field == null ? null : …`, too.
        let returned: Vec<VarId> = returned(body).filter_map(variable).collect();
        let answers_null = |(id, block): (BlockId, &tern_ir::Block)| {
            let at_once = matches!(&block.jump, Jump::Return(Some(Operand::Constant(it)))
                if self.is_null(*it));
            let sets = body.statements(id).any(|(statement, _)| {
                matches!(statement, Statement::Copy { to, from: Operand::Constant(it) }
                    if returned.contains(to) && self.is_null(*it))
            });
            (at_once || sets).then_some(id)
        };
        let nulls: Vec<BlockId> = body.blocks.iter().filter_map(answers_null).collect();
        !nulls.is_empty()
            && nulls.into_iter().all(|null| {
                let leads = |block: &tern_ir::Block| {
                    let mut found = false;
                    block.jump.targets(|to| found |= to == null);
                    found
                };
                let before: Vec<BlockId> =
                    body.blocks.iter().filter(|(_, it)| leads(it)).map(|it| it.0).collect();
                !before.is_empty()
                    && before.into_iter().all(|it| self.tests_what_is_given(body, it))
            })
    }

    /// Whether a block ends with a test of a field, or of a parameter for `null`.
    fn tests_what_is_given(&self, body: &Body, id: BlockId) -> bool {
        let Jump::Branch { test, .. } = &body.blocks[id].jump else { return false };
        let is_loaded = body.statements(id).any(|(statement, _)| {
            matches!(statement, Statement::Load { to, .. }
                if variable(test.left) == Some(*to) || variable(test.right) == Some(*to))
        });
        let is_given = |it: Operand| variable(it).is_some_and(|it| it.index() < body.parameters);
        let is_none = |it: Operand| matches!(it, Operand::Constant(it) if self.is_null(it));
        is_loaded
            || is_given(test.left) && is_none(test.right)
            || is_none(test.left) && is_given(test.right)
    }
}

fn variable(operand: Operand) -> Option<VarId> {
    match operand {
        Operand::Variable(variable) => Some(variable),
        Operand::Constant(_) => None,
    }
}

/// What a body returns.
fn returned(body: &Body) -> impl Iterator<Item = Operand> {
    body.blocks.as_slice().iter().filter_map(|block| match &block.jump {
        Jump::Return(value) => *value,
        _ => None,
    })
}

/// The constant that an operand always is: a variable if nothing else is written to it.
fn constant(body: &Body, operand: Operand) -> Option<ConstantId> {
    let variable = match operand {
        Operand::Constant(constant) => return Some(constant),
        Operand::Variable(variable) if variable.index() < body.parameters => return None,
        Operand::Variable(variable) => variable,
    };
    let mut found = None;
    for statement in body.statements.iter().filter(|it| it.written() == Some(variable)) {
        match statement {
            Statement::Copy { from: Operand::Constant(it), .. }
                if found.is_none_or(|found| found == *it) =>
            {
                found = Some(*it);
            }
            _ => return None,
        }
    }
    found
}

fn is_default(body: &Body) -> bool {
    let mut each = returned(body).map(|it| constant(body, it));
    let Some(Some(first)) = each.next() else { return false };
    each.all(|it| it == Some(first))
}
