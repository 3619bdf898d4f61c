//! The operand stack while code is run on it: operands instead of values.
//!
//! What an instruction loads is not copied: the stack names the variable, until something writes it
//! while it is still on the stack. Computed values are temporaries that are written once.

use crate::java::class::{Kind, Malformed, Shuffle};
use tern_ir::{Operand, TypeId};

/// An operand on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) operand: Operand,
    pub(crate) kind: Kind,
    pub(crate) ty: TypeId,
}

/// The operand stack.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    slots: Vec<Slot>,
}

const UNFIT: Malformed =
    Malformed { offset: 0, what: "the operand stack does not fit the instruction" };

impl Stack {
    pub(crate) fn new(slots: Vec<Slot>) -> Self {
        Stack { slots }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn push(&mut self, slot: Slot) {
        self.slots.push(slot);
    }

    /// Takes any value off.
    pub(crate) fn pop_any(&mut self) -> Result<Slot, Malformed> {
        self.slots.pop().ok_or(UNFIT)
    }

    /// Takes a value of some kind off.
    pub(crate) fn pop(&mut self, kind: Kind) -> Result<Slot, Malformed> {
        let slot = self.pop_any()?;
        match slot.kind == kind {
            true => Ok(slot),
            false => Err(UNFIT),
        }
    }

    /// Takes the topmost values off, the deepest of them first.
    pub(crate) fn pop_many(
        &mut self,
        count: usize,
    ) -> Result<std::vec::Drain<'_, Slot>, Malformed> {
        let rest = self.slots.len().checked_sub(count).ok_or(UNFIT)?;
        Ok(self.slots.drain(rest..))
    }

    /// Whether an operand is on the stack.
    pub(crate) fn holds(&self, operand: Operand) -> bool {
        self.slots.iter().any(|slot| slot.operand == operand)
    }

    /// Puts another operand wherever one is on the stack.
    pub(crate) fn replace(&mut self, old: Operand, new: Operand) {
        for slot in &mut self.slots {
            if slot.operand == old {
                slot.operand = new;
            }
        }
    }

    /// Takes values of so many words off: one wide value, or as many others.
    fn pop_words(&mut self, words: usize) -> Result<Vec<Slot>, Malformed> {
        let mut taken = Vec::with_capacity(words);
        let mut count = 0;
        while count < words {
            let slot = self.pop_any()?;
            count += 1 + usize::from(slot.kind.is_wide());
            taken.push(slot);
        }
        taken.reverse();
        match count == words {
            true => Ok(taken),
            false => Err(UNFIT),
        }
    }

    /// Rearranges the topmost values; `pop` is done by who knows what is lost.
    pub(crate) fn shuffle(&mut self, shuffle: Shuffle) -> Result<(), Malformed> {
        let (copied, below) = match shuffle {
            Shuffle::Pop | Shuffle::Pop2 => {
                self.pop_words(if shuffle == Shuffle::Pop { 1 } else { 2 })?;
                return Ok(());
            }
            Shuffle::Swap => {
                let (top, next) = (self.pop_words(1)?, self.pop_words(1)?);
                self.slots.extend(top.into_iter().chain(next));
                return Ok(());
            }
            Shuffle::Dup => {
                let top = *self.slots.last().filter(|slot| !slot.kind.is_wide()).ok_or(UNFIT)?;
                self.slots.push(top);
                return Ok(());
            }
            Shuffle::DupX1 => (1, 1),
            Shuffle::DupX2 => (1, 2),
            Shuffle::Dup2 => (2, 0),
            Shuffle::Dup2X1 => (2, 1),
            Shuffle::Dup2X2 => (2, 2),
        };
        let copied = self.pop_words(copied)?;
        let below = self.pop_words(below)?;
        self.slots.extend_from_slice(&copied);
        self.slots.extend(below);
        self.slots.extend(copied);
        Ok(())
    }
}
