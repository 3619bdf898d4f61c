//! What the answers of a procedure are worth to those who call it.

use super::World;
use tern_ir::{
    BlockId, Body, Comparison, Constant, ConstantId, Dispatch, Jump, Operand, ProcId, Statement,
    VarId,
};
use tern_model::index::Id;

/// What is known of the answers of a procedure by a look at its code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// It always answers the same constant: those who come in its place need not.
    pub(crate) is_default: bool,
    /// It answers `null` only where a field, what it was given, or what it asks itself is not as it
    /// should be: callers know when they may ask. That a search finds nothing is another matter.
    pub(crate) is_guarded: bool,
}

/// The code of a procedure.
#[derive(Clone, Copy)]
struct Code<'b> {
    body: &'b Body,
    /// For each block, whether it lies on a cycle.
    cyclic: &'b [bool],
    is_static: bool,
    /// Whether it calls itself, with other arguments than it was given.
    is_recursive: bool,
}

impl World<'_> {
    /// What is known of the answers of a procedure, some of whose blocks lie on cycles.
    pub(crate) fn answers(&self, procedure: ProcId, cyclic: &[bool]) -> Answers {
        let row = &self.program.procedures()[procedure];
        let Some(body) = &row.body else { return Answers::default() };
        let mut targets = self
            .calls
            .sites(procedure)
            .iter()
            .flat_map(|it| self.callee_of(*it).targets.iter().flatten());
        let is_recursive = targets.any(|it| *it == procedure);
        let code = Code { body, cyclic, is_static: row.is_static, is_recursive };
        Answers { is_default: is_default(body), is_guarded: self.is_guarded(code) }
    }

    fn is_null(&self, constant: ConstantId) -> bool {
        self.program.constants()[constant] == Constant::Null
    }

    fn is_guarded(&self, code: Code<'_>) -> bool {
        let body = code.body;
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
                    && before.into_iter().all(|it| self.tests_what_is_given(code, it))
            })
    }

    /// Whether what is chosen by is the number of a constant of an enumeration, as compilers write
    /// it: all of them are there.
    fn is_of_enumeration(&self, body: &Body, id: BlockId, on: Operand) -> bool {
        let mut rows = body.statements(id).map(|(statement, _)| statement);
        let array = rows.find_map(|statement| match statement {
            Statement::LoadElement { to, array, .. } if variable(on) == Some(*to) => Some(*array),
            _ => None,
        });
        let Some(Operand::Variable(array)) = array else { return false };
        body.statements(id).any(|(statement, _)| match statement {
            Statement::Load { to, object: None, field } if *to == array => {
                let name = self.program.fields()[*field].name;
                self.program.text(name).starts_with("$SwitchMap$")
            }
            _ => false,
        })
    }

    /// Whether a block ends with a test of a field, of a parameter for `null` or for its range, of
    /// what the object answers when it asks itself outside of loops, or with a choice among
    /// constants of an enumeration.
    fn tests_what_is_given(&self, code: Code<'_>, id: BlockId) -> bool {
        let body = code.body;
        let test = match &body.blocks[id].jump {
            Jump::Branch { test, .. } => test,
            Jump::Switch { on, .. } => return self.is_of_enumeration(body, id, *on),
            _ => return false,
        };
        let is_loaded = body.statements(id).any(|(statement, _)| {
            matches!(statement, Statement::Load { to, .. }
                if variable(test.left) == Some(*to) || variable(test.right) == Some(*to))
        });
        // Who calls itself is given what callers know nothing of.
        let is_given = |it: Operand| {
            !code.is_recursive && variable(it).is_some_and(|it| it.index() < body.parameters)
        };
        let is_none = |it: Operand| matches!(it, Operand::Constant(it) if self.is_null(it));
        // An index that may be out of range: who has asked for the size knows.
        let is_order = !matches!(test.comparison, Comparison::Equal | Comparison::NotEqual);
        let is_bound = |it: Operand| match it {
            Operand::Constant(it) => {
                matches!(self.program.constants()[it], Constant::Integer(-1 | 0))
            }
            Operand::Variable(_) => true,
        };
        let is_range = is_order
            && (is_given(test.left) && is_bound(test.right)
                || is_given(test.right) && is_bound(test.left));
        let is_asked = |(statement, _): (&Statement, _)| match statement {
            Statement::Call { to: Some(to), call } if variable(test.left) == Some(*to) => {
                call.dispatch != Dispatch::Static
                    && !code.is_static
                    && body.operands(&call.arguments) == [Operand::Variable(VarId::new(0))]
            }
            _ => false,
        };
        let is_asked = !code.cyclic[id.index()] && body.statements(id).any(is_asked);
        is_loaded
            || is_asked
            || is_range
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
