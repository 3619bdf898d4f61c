//! Programs as input: readers that make programs of the intermediate language [`tern_ir`], which
//! calls lead where, and machines of their control flow.

pub mod c;
pub mod calls;
pub mod code;
pub mod control;
pub mod java;
pub mod sources;
pub mod text;

/// The intermediate language.
pub use tern_ir as ir;
