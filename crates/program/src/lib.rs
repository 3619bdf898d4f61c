//! Programs as input: readers that make programs of the intermediate language [`tern_ir`], which
//! calls lead where, and machines of their control flow.

pub mod java;

/// The intermediate language.
pub use tern_ir as ir;

pub mod c;
pub mod calls;
pub mod control;
pub mod text;
