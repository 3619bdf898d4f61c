//! Class files, as the Java Virtual Machine Specification (chapter 4) lays them out, up to Java 25.
//!
//! Nothing is copied: a [`ClassFile`] keeps where things are in the bytes, and decodes them when
//! asked. Attributes are skipped by their length unless they are needed, so that unknown ones do no
//! harm. Every read is checked against the end of the bytes; a file that is cut off or changed
//! gives a [`Malformed`] with the offset, never a panic. `StackMapTable` is not read: the types on
//! the stack follow from the code.

mod bytes;
mod code;
mod decode;
mod file;
mod instruction;
mod pool;
mod text;

pub use bytes::{Bytes, Malformed};
pub use code::{Code, ExceptionRow, LocalRow};
pub use decode::decode;
pub use file::{Bootstrap, ClassFile, FieldInfo, MethodInfo, Provision};
pub use instruction::{Instruction, Invoke, Kind, Op, Primitive, Shuffle, Switch};
pub use pool::{Handle, MemberRef, Pool, Value};
pub use text::decode as decode_text;

/// Bits of `access_flags`.
pub mod access {
    /// Everybody may name it.
    pub const PUBLIC: u16 = 0x0001;
    /// Only the class itself may name it.
    pub const PRIVATE: u16 = 0x0002;
    /// The package and the classes below may name it.
    pub const PROTECTED: u16 = 0x0004;
    /// It belongs to the class as a whole.
    pub const STATIC: u16 = 0x0008;
    /// Nothing may extend or override it.
    pub const FINAL: u16 = 0x0010;
    /// Other threads may write the field at any time.
    pub const VOLATILE: u16 = 0x0040;
    /// The method holds the monitor of its receiver or class while it runs.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// The code is elsewhere.
    pub const NATIVE: u16 = 0x0100;
    /// The class is an interface.
    pub const INTERFACE: u16 = 0x0200;
    /// It has no code, or may have such methods.
    pub const ABSTRACT: u16 = 0x0400;
    /// The file describes a module.
    pub const MODULE: u16 = 0x8000;
}
