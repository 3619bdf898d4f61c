//! Where jumps meet: the stack at the end of a block is handed to the blocks that follow.

use super::method::Lowering;
use crate::java::class::{Kind, Malformed};
use tern_ir::{Operand, Statement, VarId};
use tern_model::index::Id;

impl Lowering<'_, '_, '_, '_> {
    /// Hands the stack to the blocks that follow. `read` are the operands that the jump reads,
    /// after what is copied here.
    pub(crate) fn connect(&mut self, block: usize, read: &mut [Operand]) -> Result<(), Malformed> {
        let flow = self.frame.flow;
        let mut moves: Vec<(VarId, Operand)> = Vec::new();
        // Blocks that go on with the operands as they are.
        let mut heirs: Vec<usize> = Vec::new();
        for &next in flow.edges(block) {
            if self.connected[next as usize] != block as u32 {
                self.connected[next as usize] = block as u32;
                if self.enter(next as usize, &mut moves)? {
                    heirs.push(next as usize);
                }
            }
        }
        if moves.is_empty() {
            return Ok(());
        }
        self.round += 1;
        for &(to, _) in &moves {
            self.merged[to.index()] = self.round;
        }
        for (to, from) in &mut moves {
            if *from != Operand::Variable(*to) {
                *from = self.saved(*from);
            }
        }
        for operand in read {
            *operand = self.saved(*operand);
        }
        for heir in heirs {
            let mut slots = self.entries[heir].take().unwrap_or_default();
            for slot in &mut slots {
                slot.operand = self.saved(slot.operand);
            }
            self.entries[heir] = Some(slots);
        }
        for (to, from) in moves {
            if from != Operand::Variable(to) {
                self.emit(Statement::Copy { to, from });
            }
        }
        Ok(())
    }

    /// An operand, or a copy of it if it is about to be overwritten.
    fn saved(&mut self, operand: Operand) -> Operand {
        let Operand::Variable(variable) = operand else { return operand };
        if self.merged[variable.index()] != self.round {
            return operand;
        }
        let to = self.temporary(self.variables[variable.index()].ty);
        self.emit(Statement::Copy { to, from: operand });
        Operand::Variable(to)
    }

    /// Compares the stack with that at the beginning of a block, and notes what is to be copied.
    /// Says whether the block takes the stack as it is.
    fn enter(&mut self, next: usize, moves: &mut Vec<(VarId, Operand)>) -> Result<bool, Malformed> {
        let slots = self.stack.slots().to_vec();
        self.spend(slots.len())?;
        let block = &self.frame.flow.blocks[next];
        if self.entries[next].is_none() {
            if block.entered == 1 && !block.catches {
                self.entries[next] = Some(slots);
                return Ok(true);
            }
            let entry = slots.iter().map(|slot| match slot.kind {
                Kind::Address => *slot,
                kind => self.meeting(kind, slot.ty),
            });
            let entry = entry.collect();
            self.entries[next] = Some(entry);
        }
        let entry = self.entries[next].as_mut().expect("it was just made");
        let unfit = Malformed { offset: 0, what: "the operand stack differs where jumps meet" };
        if entry.len() != slots.len() {
            return Err(unfit);
        }
        for (slot, from) in entry.iter_mut().zip(&slots) {
            if slot.kind != from.kind {
                return Err(unfit);
            }
            let Operand::Variable(to) = slot.operand else { continue };
            if slot.ty != from.ty && slot.kind != Kind::Address {
                slot.ty = self.link.basics.widest(slot.kind);
                self.variables[to.index()].ty = slot.ty;
            }
            moves.push((to, from.operand));
        }
        Ok(false)
    }
}
