//! A small procedural language, to which programs are translated before anything is asked of them.
//!
//! Readers of class files, of C, of integer and of heap programs make a [`Program`]; whatever makes
//! machines or labellings of programs sees this and nothing else. The crate has no reader, so that
//! a checker of certificates may depend on it.
//!
//! A program has *classes* (names, what they extend, their methods) and *procedures*. A procedure
//! has typed variables, the first of which are its parameters, and *blocks*: straight lists of
//! [statements](Statement) that end in a [jump](Jump). Block 0 is where it begins. Everything that
//! another file may define is named, not pointed to: classes, fields and callees are found by name,
//! and may be missing.
//!
//! # Meaning
//!
//! A statement is one step. Its operands are read, then it writes at most one variable, field or
//! element. A variable that was never written holds any value. [`Statement::Call`] runs the callee
//! on copies of the arguments; what it returns is stored in `to`. A statement *fails* if it throws:
//! a call whose callee threw, and the implicit failures of the machine (`null`, index, division by
//! zero, cast, memory), which each reader of the program takes into account or leaves out. A
//! statement or [`Jump::Throw`] that fails with an object of class `c` goes on at the first
//! [handler](Handler) of its block that takes `c`, with the object in the handler's variable; if
//! there is none, the procedure ends by throwing it. [`verify`] says what a well-formed program is.
//!
//! [`print`](print::print) writes a program as text; the text can be read back by `tern-program`.

pub mod bodies;
pub mod calls;
mod code;
pub mod descended;
pub mod flow;
pub mod print;
mod procedure;
mod program;
pub mod proof;
pub mod remainder;
pub mod runs;
pub mod summary;
pub mod unfold;
mod verify;

pub use code::{
    Call, Comparison, Constant, Dispatch, Jump, Operand, Operator, Statement, Test, UnaryOperator,
};
pub use procedure::{Block, Body, Handler, Place, Procedure, Variable};
pub use program::{Access, Class, ClassKind, Field, LAMBDA, Program, Selector, Type};
pub use verify::{Flaw, verify};

tern_model::indices! {
    /// A name: a piece of text, kept once.
    pub NameId = "s";
    /// A type.
    pub TypeId = "t";
    /// A class or interface that the program defines.
    pub ClassId = "k";
    /// A procedure.
    pub ProcId = "f";
    /// A field as code names it: class, name and type. The class may be missing, or inherit it.
    pub FieldId = "d";
    /// What a call asks for: a name and the types of parameters and result.
    pub SelectorId = "m";
    /// A constant, kept once.
    pub ConstantId = "#";
    /// A variable of a procedure.
    pub VarId = "v";
    /// A block of a procedure.
    pub BlockId = "b";
}
