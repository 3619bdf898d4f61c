//! Programs with pointers: what a procedure does to every list and tree.
//!
//! Heaps are graphs ([`graph`]) in which hyperedges stand for parts of any size, described by a
//! graph grammar ([`grammar`]). A statement is followed on such heaps by replacing hyperedges where
//! it looks ([concretisation](grammar::Grammar::concretised)), and by folding what it leaves behind
//! ([`abstraction`]). A heap has one [canonical form](canonical), so finitely many heaps remain for
//! most programs.

pub mod abstraction;
pub mod atoms;
pub mod calls;
pub mod canonical;
pub mod code;
pub mod embed;
mod ends;
mod forms;
pub mod grammar;
pub mod graph;
pub mod identity;
pub mod machine;
pub mod product;
pub mod progress;
pub mod regions;
pub mod show;
pub mod start;
pub mod step;
mod summary;
pub mod text;
pub mod traced;
pub mod types;
