//! Where a block leads when its statements are done.

use super::super::numbers::compared;
use super::{Interpreter, Mode, Stuck, Value, stuck};
use tern_ir::{BlockId, Comparison, Constant, Jump, Operand, Statement};
use tern_model::index::Id;

impl Interpreter<'_> {
    fn go(&mut self, block: BlockId) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at, frame.case) = (block, 0, 0);
        }
    }

    pub(super) fn jump(
        &mut self,
        jump: &Jump,
        choose: &mut dyn FnMut() -> Option<bool>,
    ) -> Result<(), Stuck> {
        match jump {
            // Jumps in a circle: nothing happens, for ever.
            Jump::Goto(_) => {}
            Jump::Branch { test, yes, no } => {
                let is_any = |operand: Operand| match operand {
                    Operand::Constant(it) => self.task.program.constants()[it] == Constant::Any,
                    Operand::Variable(_) => false,
                };
                let holds = if is_any(test.left) && is_any(test.right) && !self.task.blank {
                    match choose() {
                        Some(choice) => choice,
                        None => return stuck("nothing says which way is taken"),
                    }
                } else {
                    compared(self.value(test.left)?, test.comparison, self.value(test.right)?)?
                };
                self.go(if holds { *yes } else { *no });
            }
            Jump::Switch { on, cases, otherwise } => {
                let case = self.frames.last().map_or(0, |frame| frame.case);
                let value = self.value(*on)?;
                match cases.get(case) {
                    None => self.go(*otherwise),
                    Some((number, block)) => {
                        if compared(value, Comparison::Equal, Value::Integer(*number))? {
                            self.go(*block);
                        } else if case + 1 == cases.len() {
                            self.go(*otherwise);
                        } else if let Some(frame) = self.frames.last_mut() {
                            frame.case += 1;
                        }
                    }
                }
            }
            Jump::Return(value) => {
                let value = value.map(|it| self.value(it)).transpose()?;
                self.frames.pop();
                let Some(caller) = self.frames.last() else {
                    self.mode = Mode::Returned(value);
                    return Ok(());
                };
                let body = self.body(caller.procedure)?;
                let statement = body.statements(caller.block).nth(caller.at);
                let Some((Statement::Call { to, .. }, _)) = statement else {
                    return stuck("a caller does not call");
                };
                if let (Some(to), Some(value)) = (to, value) {
                    self.write(*to, value);
                }
                self.advance();
            }
            // It may be what was taken before: a null dereference after all.
            Jump::Throw(it) if self.has_taken && !self.is_made(*it)? => {
                return stuck("it is not known what is thrown");
            }
            Jump::Throw(_) => return self.end(Mode::Thrown),
        }
        Ok(())
    }

    /// Whether what is thrown was made for that, and is nothing that was taken.
    fn is_made(&self, thrown: Operand) -> Result<bool, Stuck> {
        let (Operand::Variable(it), Some(frame)) = (thrown, self.frames.last()) else {
            return Ok(false);
        };
        let body = self.body(frame.procedure)?;
        let mut written = body.statements.iter().filter(|at| at.written() == Some(it)).peekable();
        Ok(it.index() >= body.parameters
            && body.handlers.iter().all(|handler| handler.variable != it)
            && written.peek().is_some()
            && written.all(|at| matches!(at, Statement::New { .. })))
    }
}
