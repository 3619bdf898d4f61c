//! Methods that only pass on a question: `int count() { return items.size(); }`.

use super::World;
use tern_ir::{Jump, Operand, ProcId, Statement};

impl<'p> World<'p> {
    /// The name of the one method that a procedure calls, if it only gives back what that answers.
    pub(crate) fn passes_on(&self, procedure: ProcId) -> Option<&'p str> {
        let body = self.program.procedures()[procedure].body.as_ref()?;
        let [block] = body.blocks.as_slice() else { return None };
        let Jump::Return(Some(answer)) = block.jump else { return None };
        let mut calls = body.statements.iter().filter_map(|it| match it {
            Statement::Call { to, call } => Some((*to, call)),
            _ => None,
        });
        let (Some((Some(to), call)), None) = (calls.next(), calls.next()) else { return None };
        let name = self.program.text(self.program.selectors()[call.selector].name);
        (answer == Operand::Variable(to)).then_some(name)
    }
}
