//! Exact linear arithmetic on integers, and CTL of integer programs by it.
//!
//! [`simplex`] solves linear programs over the rationals; [`system`] is about sets of integer
//! points given by rows, [`invariant`] finds such sets around the reachable states of a [flow
//! graph](tern_ir::flow), [`rank`] functions that fall on every step of a cycle. [`check`] decides
//! claims: it labels the cells of a partition of the states as *proved*, *refuted* or *unknown*,
//! and refines the partition until the initial states are decided. [`prove`] writes down why, so
//! that it can be checked by multiplying and adding, and [`story`] tells a failure by a run.
//! [`recursion`] makes programs without procedures that call themselves of those with them. The
//! command line uses it for `.c` files.

pub mod check;
mod congruence;
mod equality;
pub mod invariant;
mod label;
mod partition;
mod passing;
pub mod prove;
pub mod rank;
pub mod recursion;
mod refine;
pub mod simplex;
pub mod slice;
pub mod story;
pub mod system;
