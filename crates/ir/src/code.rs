//! Statements and jumps, and what they are made of.

use crate::{BlockId, Body, ConstantId, FieldId, NameId, SelectorId, TypeId, VarId};
use std::ops::Range;

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer; truth values are 0 and 1.
    Integer(i128),
    /// A floating-point number, as the bits of an `f64`.
    Float(u64),
    /// A text.
    Text(NameId),
    /// The object that stands for a class (`String.class`).
    Class(TypeId),
    /// No object.
    Null,
    /// A value of which nothing is known: what a method handle or another program gives.
    Any,
}

/// A variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value of a variable.
    Variable(VarId),
    /// A constant.
    Constant(ConstantId),
}

/// An operator on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// The number with the other sign.
    Negate,
    /// All bits the other way.
    Complement,
    /// The same value as another type: the type of the variable that is written.
    Convert,
}

/// An operator on two values. It works in the type of the variable that is written, and what does
/// not fit wraps; [`Operator::Compare`] works in the type of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, cut towards zero.
    Divide,
    /// What is left after [`Operator::Divide`].
    Remainder,
    /// Bits moved up, by the right side modulo the number of bits; so for all shifts.
    ShiftLeft,
    /// Bits moved down, the sign kept.
    ShiftRight,
    /// Bits moved down, zeros above.
    ShiftRightZero,
    /// Bits that both have.
    And,
    /// Bits that one has.
    Or,
    /// Bits that just one has.
    Xor,
    /// -1, 0 or 1 as the left is less, equal or greater; -1 or 1 if it is none of these (`NaN`).
    Compare,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The same.
    Equal,
    /// Not the same.
    NotEqual,
    /// Less.
    Less,
    /// Less or the same.
    LessEqual,
    /// Greater.
    Greater,
    /// Greater or the same.
    GreaterEqual,
}

/// A condition that a branch tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// The left side.
    pub left: Operand,
    /// What is asked.
    pub comparison: Comparison,
    /// The right side.
    pub right: Operand,
}

/// How the procedure that a call runs is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// The procedure of that class, or the first class above it that has one; no receiver.
    Static,
    /// The same, with a receiver whose class does not matter (constructors, `super.m()`).
    Exact,
    /// By the class of the receiver, the first argument.
    Virtual,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// How the callee is found.
    pub dispatch: Dispatch,
    /// The class in which the search begins; for functions of C, the empty name.
    pub class: NameId,
    /// What is asked for.
    pub selector: SelectorId,
    /// The arguments, the receiver first, as rows of [`Body::operands`](crate::Body::operands).
    pub arguments: Range<u32>,
}

/// One step of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `to = from`
    Copy {
        /// What is written.
        to: VarId,
        /// What is read.
        from: Operand,
    },
    /// `to = operator operand`
    Unary {
        /// What is written.
        to: VarId,
        /// What is computed.
        operator: UnaryOperator,
        /// Of what.
        operand: Operand,
    },
    /// `to = left operator right`
    Binary {
        /// What is written.
        to: VarId,
        /// What is computed.
        operator: Operator,
        /// The left side.
        left: Operand,
        /// The right side.
        right: Operand,
    },
    /// `to = new class`: a new object; its constructor is a call of its own.
    New {
        /// What is written.
        to: VarId,
        /// The class of the object.
        class: NameId,
    },
    /// `to = new element[length]`; with several lengths, an array of arrays, all of them new.
    NewArray {
        /// What is written.
        to: VarId,
        /// The type of the elements of the innermost arrays that are made.
        element: TypeId,
        /// How many elements, the outermost array first: rows of
        /// [`Body::operands`](crate::Body::operands), at least one.
        lengths: Range<u32>,
    },
    /// `to = object.field`; `to = class.field` without an object.
    Load {
        /// What is written.
        to: VarId,
        /// Whose field; of the class as a whole if missing.
        object: Option<Operand>,
        /// Which field.
        field: FieldId,
    },
    /// `object.field = value`; `class.field = value` without an object.
    Store {
        /// Whose field; of the class as a whole if missing.
        object: Option<Operand>,
        /// Which field.
        field: FieldId,
        /// What is written.
        value: Operand,
    },
    /// `to = array[index]`
    LoadElement {
        /// What is written.
        to: VarId,
        /// Which array.
        array: Operand,
        /// Which element.
        index: Operand,
    },
    /// `array[index] = value`
    StoreElement {
        /// Which array.
        array: Operand,
        /// Which element.
        index: Operand,
        /// What is written.
        value: Operand,
    },
    /// `to = length of array`
    Length {
        /// What is written.
        to: VarId,
        /// Which array.
        array: Operand,
    },
    /// `to = from`, which must be of a type.
    Cast {
        /// What is written.
        to: VarId,
        /// What is read.
        from: Operand,
        /// What it must be.
        ty: TypeId,
    },
    /// `to = from is of a type`, 0 or 1.
    InstanceOf {
        /// What is written.
        to: VarId,
        /// What is asked about.
        from: Operand,
        /// What it may be.
        ty: TypeId,
    },
    /// `to = callee(arguments)`
    Call {
        /// What is written, if anything.
        to: Option<VarId>,
        /// Who is called, with what.
        call: Box<Call>,
    },
    /// The monitor of an object is entered (`lock`) or left.
    Monitor {
        /// The object.
        object: Operand,
        /// Whether it is entered.
        enter: bool,
    },
}

/// How a block ends. A jump that tests, returns or throws is one step; [`Jump::Goto`] takes none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    /// On at another block.
    Goto(BlockId),
    /// On at one of two blocks.
    Branch {
        /// The condition.
        test: Test,
        /// Where it goes on if that is true.
        yes: BlockId,
        /// Where it goes on if not.
        no: BlockId,
    },
    /// On at the block of a value.
    Switch {
        /// The value.
        on: Operand,
        /// Values with their blocks, each value once.
        cases: Box<[(i64, BlockId)]>,
        /// Where it goes on for all other values.
        otherwise: BlockId,
    },
    /// The procedure returns.
    Return(Option<Operand>),
    /// An object is thrown.
    Throw(Operand),
}

impl Jump {
    /// Calls `visit` with the blocks it may go on at, in order; some perhaps twice.
    pub fn targets(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            Jump::Goto(block) => visit(*block),
            Jump::Branch { yes, no, .. } => {
                visit(*yes);
                visit(*no);
            }
            Jump::Switch { cases, otherwise, .. } => {
                cases.iter().for_each(|(_, block)| visit(*block));
                visit(*otherwise);
            }
            Jump::Return(_) | Jump::Throw(_) => {}
        }
    }

    /// Calls `visit` with what it reads.
    pub fn operands(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Jump::Goto(_) | Jump::Return(None) => {}
            Jump::Branch { test, .. } => {
                visit(test.left);
                visit(test.right);
            }
            Jump::Switch { on: value, .. } | Jump::Return(Some(value)) | Jump::Throw(value) => {
                visit(*value);
            }
        }
    }
}

impl Statement {
    /// Calls `visit` with what it reads, as a statement of this body.
    pub fn operands(&self, body: &Body, mut visit: impl FnMut(Operand)) {
        match self {
            Statement::Copy { from: operand, .. }
            | Statement::Unary { operand, .. }
            | Statement::Length { array: operand, .. }
            | Statement::Cast { from: operand, .. }
            | Statement::InstanceOf { from: operand, .. }
            | Statement::Monitor { object: operand, .. } => visit(*operand),
            Statement::Binary { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Statement::New { .. } => {}
            Statement::NewArray { lengths, .. } => {
                body.operands(lengths).iter().for_each(|it| visit(*it));
            }
            Statement::Load { object, .. } => object.iter().for_each(|it| visit(*it)),
            Statement::Store { object, value, .. } => {
                object.iter().for_each(|it| visit(*it));
                visit(*value);
            }
            Statement::LoadElement { array, index, .. } => {
                visit(*array);
                visit(*index);
            }
            Statement::StoreElement { array, index, value } => {
                visit(*array);
                visit(*index);
                visit(*value);
            }
            Statement::Call { call, .. } => {
                body.operands(&call.arguments).iter().for_each(|it| visit(*it));
            }
        }
    }

    /// The variable that it writes.
    pub fn written(&self) -> Option<VarId> {
        match self {
            Statement::Copy { to, .. }
            | Statement::Unary { to, .. }
            | Statement::Binary { to, .. }
            | Statement::New { to, .. }
            | Statement::NewArray { to, .. }
            | Statement::Load { to, .. }
            | Statement::LoadElement { to, .. }
            | Statement::Length { to, .. }
            | Statement::Cast { to, .. }
            | Statement::InstanceOf { to, .. } => Some(*to),
            Statement::Call { to, .. } => *to,
            Statement::Store { .. }
            | Statement::StoreElement { .. }
            | Statement::Monitor { .. } => None,
        }
    }
}
