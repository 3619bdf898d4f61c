//! Kripke structures in the formats of graph tools: DOT, and the edge lists of Aldebaran.
//!
//! Both hold finite graphs without calls. A machine that calls procedures is written configuration
//! by configuration (`flat`), if there are finitely many.

pub mod aut;
pub mod dot;
pub(crate) mod flat;
