//! Which variables were surely used where an object must be, since they were written last.
//!
//! A forward analysis of one body: at joins, what both sides know. What is thrown may have been
//! thrown before anything was used, so that handlers begin with nothing.

use std::collections::BTreeMap;
use tern_ir::{BlockId, Body, Dispatch, Jump, Operand, Statement, VarId};
use tern_model::index::Id;

/// Variables, each with the line of a use.
pub(super) type Used = BTreeMap<VarId, u32>;

/// For each block, what was surely used at its end; nothing for blocks that are not reached.
pub(super) fn used(body: &Body) -> Vec<Option<Used>> {
    let count = body.blocks.len();
    let (mut begin, mut end): (Vec<Option<Used>>, Vec<Option<Used>>) =
        (vec![None; count], vec![None; count]);
    begin[0] = Some(Used::new());
    let mut work = vec![BlockId::new(0)];
    while let Some(block) = work.pop() {
        let Some(mut known) = begin[block.index()].clone() else { continue };
        for (statement, place) in body.statements(block) {
            if let Some(Operand::Variable(variable)) = needed(body, statement) {
                known.entry(variable).or_insert(place.line);
            }
            if let Some(to) = statement.written() {
                let copied = match statement {
                    Statement::Copy { from: Operand::Variable(from), .. }
                    | Statement::Cast { from: Operand::Variable(from), .. } => known.get(from),
                    _ => None,
                };
                match copied.copied() {
                    Some(line) => known.insert(to, line),
                    None => known.remove(&to),
                };
            }
        }
        let mut give = |to: BlockId, what: &Used| {
            let own = &mut begin[to.index()];
            let before = own.as_ref().map(BTreeMap::len);
            match own {
                Some(own) => own.retain(|variable, _| what.contains_key(variable)),
                None => *own = Some(what.clone()),
            }
            if own.as_ref().map(BTreeMap::len) != before {
                work.push(to);
            }
        };
        body.blocks[block].jump.targets(|to| give(to, &known));
        for handler in body.handlers(block) {
            give(handler.block, &Used::new());
        }
        end[block.index()] = Some(known);
    }
    end
}

/// The operand that a statement uses where an object must be.
pub(crate) fn needed(body: &Body, statement: &Statement) -> Option<Operand> {
    match statement {
        Statement::Load { object, .. } | Statement::Store { object, .. } => *object,
        Statement::LoadElement { array, .. }
        | Statement::StoreElement { array, .. }
        | Statement::Length { array, .. } => Some(*array),
        Statement::Monitor { object, .. } => Some(*object),
        Statement::Call { call, .. } if call.dispatch != Dispatch::Static => {
            body.operands(&call.arguments).first().copied()
        }
        _ => None,
    }
}

/// The variable that a jump tests for null, given which constants are null.
pub(super) fn tested(jump: &Jump, is_null: impl Fn(Operand) -> bool) -> Option<VarId> {
    let Jump::Branch { test, .. } = jump else { return None };
    let operand = match (is_null(test.left), is_null(test.right)) {
        (true, false) => test.right,
        (false, true) => test.left,
        _ => return None,
    };
    match operand {
        Operand::Variable(variable) => Some(variable),
        Operand::Constant(_) => None,
    }
}
