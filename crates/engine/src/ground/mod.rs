//! What every engine stands on: which parts of a machine can be reached, and dense positions in
//! them.

pub(crate) mod backward;
pub(crate) mod bits;
pub(crate) mod frames;
pub(crate) mod ids;
pub(crate) mod lanes;
pub(crate) mod summary;
pub(crate) mod survey;
pub(crate) mod terrain;
