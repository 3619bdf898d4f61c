//! Instructions, decoded: what the many opcodes for the same thing have in common.

use tern_ir::{Comparison, Operator};

/// What kind of value an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `int`, and what is smaller.
    Int,
    /// `long`, which takes two slots.
    Long,
    /// `float`.
    Float,
    /// `double`, which takes two slots.
    Double,
    /// A reference.
    Reference,
    /// Where a subroutine returns to.
    Address,
}

impl Kind {
    /// Whether a value takes two slots.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Long | Kind::Double)
    }
}

/// A type without references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `boolean`.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

impl Primitive {
    /// What kind its values are of on the stack.
    pub fn kind(self) -> Kind {
        match self {
            Primitive::Long => Kind::Long,
            Primitive::Float => Kind::Float,
            Primitive::Double => Kind::Double,
            _ => Kind::Int,
        }
    }
}

/// How the operand stack is rearranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// `pop`
    Pop,
    /// `pop2`
    Pop2,
    /// `dup`
    Dup,
    /// `dup_x1`
    DupX1,
    /// `dup_x2`
    DupX2,
    /// `dup2`
    Dup2,
    /// `dup2_x1`
    Dup2X1,
    /// `dup2_x2`
    Dup2X2,
    /// `swap`
    Swap,
}

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invoke {
    /// `invokevirtual`
    Virtual,
    /// `invokespecial`
    Special,
    /// `invokestatic`
    Static,
    /// `invokeinterface`
    Interface,
}

/// Where a switch goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// For all other values.
    pub otherwise: u32,
    /// For these values; in order, each once.
    pub cases: Vec<(i32, u32)>,
}

/// What an instruction does. Targets are offsets; `u16` without a name are indices of constants.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Nothing.
    Nop,
    /// Puts `null` on the stack.
    Null,
    /// Puts an `int` on the stack.
    Int(i32),
    /// Puts a `long` on the stack.
    Long(i64),
    /// Puts a `float` on the stack.
    Float(f32),
    /// Puts a `double` on the stack.
    Double(f64),
    /// Puts a constant on the stack.
    Constant(u16),
    /// Puts a local on the stack.
    Load(Kind, u16),
    /// Takes a local from the stack.
    Store(Kind, u16),
    /// Reads an element; without a type, a reference.
    LoadElement(Option<Primitive>),
    /// Writes an element; without a type, a reference.
    StoreElement(Option<Primitive>),
    /// Rearranges the stack.
    Shuffle(Shuffle),
    /// Computes; the right side of shifts is an `int`.
    Binary(Operator, Kind),
    /// Changes the sign.
    Negate(Kind),
    /// Adds a constant to a local.
    Increment(u16, i16),
    /// Converts.
    Convert(Kind, Primitive),
    /// Compares two numbers.
    Compare(Kind),
    /// Branches on a comparison of an `int` with zero.
    IfZero(Comparison, u32),
    /// Branches on a comparison of two values.
    If(Comparison, Kind, u32),
    /// Branches on whether a reference is `null` (equal) or not.
    IfNull(Comparison, u32),
    /// Jumps.
    Goto(u32),
    /// Calls a subroutine.
    Jsr(u32),
    /// Returns from a subroutine to the address in a local.
    Ret(u16),
    /// Branches on an `int`.
    Switch(Box<Switch>),
    /// Returns.
    Return(Option<Kind>),
    /// Reads a field of a class.
    GetStatic(u16),
    /// Writes a field of a class.
    PutStatic(u16),
    /// Reads a field.
    GetField(u16),
    /// Writes a field.
    PutField(u16),
    /// Calls a method.
    Invoke(Invoke, u16),
    /// Calls what a bootstrap method finds.
    InvokeDynamic(u16),
    /// Makes an object.
    New(u16),
    /// Makes an array of numbers.
    NewArray(Primitive),
    /// Makes an array of references.
    NewReferences(u16),
    /// Makes an array of arrays; so many lengths.
    NewArrays(u16, u8),
    /// The length of an array.
    Length,
    /// Throws.
    Throw,
    /// Checks that a reference is of a type.
    Cast(u16),
    /// Asks whether a reference is of a type.
    InstanceOf(u16),
    /// Enters (`true`) or leaves a monitor.
    Monitor(bool),
}

impl Op {
    /// Whether the next instruction is not gone on at.
    pub fn ends(&self) -> bool {
        matches!(
            self,
            Op::Goto(_) | Op::Jsr(_) | Op::Ret(_) | Op::Switch(_) | Op::Return(_) | Op::Throw
        )
    }

    /// Calls `visit` with the offsets that it may jump to.
    pub fn targets(&self, mut visit: impl FnMut(u32)) {
        match self {
            Op::IfZero(_, target)
            | Op::If(_, _, target)
            | Op::IfNull(_, target)
            | Op::Goto(target)
            | Op::Jsr(target) => visit(*target),
            Op::Switch(switch) => {
                switch.cases.iter().for_each(|&(_, target)| visit(target));
                visit(switch.otherwise);
            }
            _ => {}
        }
    }
}

/// An instruction and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its offset in the code.
    pub at: u32,
    /// The offset behind it.
    pub next: u32,
    /// What it does.
    pub op: Op,
}
