//! Oracles: they decide formulas by means too simple to be wrong.
//!
//! Two decide CTL, from the step relation in the header of [`machine`](tern_model::machine) and in
//! different ways:
//! * [`unfold`] builds the configurations up to a stack depth, one by one, and computes fixpoints
//!   of all operators on them. It may be silent, but where it speaks there is little to doubt.
//! * [`exact`] tabulates components under the contexts in which they are called. It always speaks,
//!   and so judges what unfolding cannot: recursion without bound.
//!
//! Two more decide CTL*, and so LTL, by one automaton for a path formula, the `tableau`:
//! * [`finite`] on finite structures, and so on machines with finitely many configurations;
//! * [`pushdown`] on all machines, by saturation of pushdown systems.
//!
//! [`coarse`] decides CTL* on abstract machines, by the definition in three values.
//!
//! [`distance`] says how short a run can be, by looking at one configuration after another.

pub mod coarse;
pub mod distance;
pub mod exact;
mod existential;
pub mod finite;
mod fragment;
pub mod pushdown;
mod tableau;
pub mod unfold;
