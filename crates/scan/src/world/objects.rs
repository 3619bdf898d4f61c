//! Methods that always answer an object, and methods that say whether others do.
//!
//! Both are seen in the code, however far away from a unit it is. Code that is not scanned and
//! comes in the place of a method is taken to do what that one does.

use super::World;
use tern_ir::{
    BlockId, Body, Comparison, Constant, Dispatch, Jump, Operand, ProcId, SelectorId, Statement,
    Type, VarId,
};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_program::calls::ReferenceId;

/// Where the answers of a procedure come from.
struct Source {
    procedure: ProcId,
    /// The calls whose answers it passes on.
    calls: Vec<ReferenceId>,
}

impl World<'_> {
    /// Finds calls that always answer objects, and those that tell of others.
    pub(super) fn find_objects(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let count = self.program.procedures().len();
        let mut answers = vec![false; count];
        let mut sources = Vec::new();
        for id in self.program.procedures().ids() {
            meter.tick()?;
            if let Some(calls) = self.answered_by(id) {
                answers[id.index()] = true;
                sources.push(Source { procedure: id, calls });
            }
        }
        // What passes on only its own answers never ends with another one.
        loop {
            let is_open = |it: &Source| {
                answers[it.procedure.index()]
                    && !it.calls.iter().all(|&call| self.answers_objects(call, &answers))
            };
            let open: Vec<ProcId> =
                sources.iter().filter(|it| is_open(it)).map(|it| it.procedure).collect();
            if open.is_empty() {
                break;
            }
            for id in open {
                meter.tick()?;
                answers[id.index()] = false;
            }
        }
        let told: Vec<Option<SelectorId>> =
            self.program.procedures().ids().map(|id| self.told_by(id)).collect();
        for row in 0..self.callees.len() {
            let callee = &self.callees[row];
            let targets = callee.targets.as_deref().unwrap_or(&[]);
            let is_object = !targets.is_empty() && targets.iter().all(|it| answers[it.index()]);
            let mut tells = targets.iter().map(|it| told[it.index()]);
            let first = tells.next().flatten().filter(|_| !callee.is_leaf);
            let tells = first.filter(|&it| tells.all(|other| other == Some(it)));
            self.callees[row].is_object = is_object;
            self.callees[row].tells = tells;
        }
        Ok(())
    }

    /// Whether a call answers an object if some procedures do.
    fn answers_objects(&self, call: ReferenceId, answers: &[bool]) -> bool {
        let callee = self.callee_of(call);
        let targets = callee.targets.as_deref().unwrap_or(&[]);
        callee.model.nonnull || !targets.is_empty() && targets.iter().all(|it| answers[it.index()])
    }

    /// The calls whose answers a procedure passes on, if it answers nothing else but objects.
    fn answered_by(&self, id: ProcId) -> Option<Vec<ReferenceId>> {
        let procedure = &self.program.procedures()[id];
        let body = procedure.body.as_ref()?;
        let result = self.program.selectors()[procedure.selector].result;
        if !matches!(self.program.types()[result], Type::Reference(_) | Type::Array(_)) {
            return None;
        }
        let is_text = |it: Operand| {
            matches!(it, Operand::Constant(it)
                if matches!(self.program.constants()[it], Constant::Text(_) | Constant::Class(_)))
        };
        let mut found: Vec<VarId> = Vec::new();
        let add = |it: Operand, found: &mut Vec<VarId>| match it {
            Operand::Variable(it) => {
                if !found.contains(&it) {
                    found.push(it);
                }
                true
            }
            constant => is_text(constant),
        };
        for block in body.blocks.as_slice() {
            if let Jump::Return(Some(it)) = block.jump
                && !add(it, &mut found)
            {
                return None;
            }
        }
        let (mut calls, mut next) = (Vec::new(), 0);
        while next < found.len() {
            let variable = found[next];
            next += 1;
            let is_receiver = variable.index() == 0 && !procedure.is_static;
            if variable.index() < body.parameters && !is_receiver {
                return None;
            }
            let mut site = 0;
            for statement in &body.statements {
                let is_call = matches!(statement, Statement::Call { .. });
                site += usize::from(is_call);
                if statement.written() != Some(variable) {
                    continue;
                }
                match statement {
                    Statement::New { .. } | Statement::NewArray { .. } => {}
                    Statement::Copy { from, .. } | Statement::Cast { from, .. }
                        if add(*from, &mut found) => {}
                    Statement::Call { .. } => calls.push(self.calls.sites(id)[site - 1]),
                    _ => return None,
                }
            }
        }
        Some(calls)
    }

    /// The method of the same object whose answer is an object where a procedure is true: it begins
    /// with asking for it, and is false if that is `null`.
    fn told_by(&self, id: ProcId) -> Option<SelectorId> {
        let procedure = &self.program.procedures()[id];
        let body = procedure.body.as_ref()?;
        let result = self.program.selectors()[procedure.selector].result;
        if procedure.is_static || self.program.types()[result] != Type::Boolean {
            return None;
        }
        let first = BlockId::new(0);
        let Jump::Branch { test, yes, no } = &body.blocks[first].jump else { return None };
        let null_side = match test.comparison {
            Comparison::Equal => *yes,
            Comparison::NotEqual => *no,
            _ => return None,
        };
        let is_null = matches!(test.right, Operand::Constant(it)
            if self.program.constants()[it] == Constant::Null);
        let last = body.statements(first).last().map(|(statement, _)| statement)?;
        let Statement::Call { to: Some(to), call } = last else { return None };
        let asks_itself = call.dispatch != Dispatch::Static
            && body.operands(&call.arguments) == [Operand::Variable(VarId::new(0))]
            && test.left == Operand::Variable(*to);
        (is_null && asks_itself && self.is_false_from(body, null_side)).then_some(call.selector)
    }

    /// Whether a block does nothing but answer that something is false.
    fn is_false_from(&self, body: &Body, block: BlockId) -> bool {
        let is_zero = |it: Operand| {
            matches!(it, Operand::Constant(it)
                if self.program.constants()[it] == Constant::Integer(0))
        };
        let (mut at, mut zero) = (block, None);
        for _ in 0..4 {
            for (statement, _) in body.statements(at) {
                match statement {
                    Statement::Copy { to, from } if is_zero(*from) => zero = Some(*to),
                    _ => return false,
                }
            }
            match body.blocks[at].jump {
                Jump::Goto(to) => at = to,
                Jump::Return(Some(it)) => {
                    return is_zero(it) || zero.is_some_and(|zero| it == Operand::Variable(zero));
                }
                _ => return false,
            }
        }
        false
    }
}
