//! CTL: one temporal operator at a time, on frames that contexts split as far as it matters.

pub(crate) mod auto;
pub(crate) mod batch;
pub(crate) mod copies;
pub(crate) mod eager;
pub(crate) mod endless;
pub(crate) mod explain;
pub(crate) mod free;
pub(crate) mod incremental;
pub(crate) mod operator;
pub(crate) mod partial;
pub(crate) mod plan;
pub(crate) mod quotient;
pub(crate) mod reason;
pub(crate) mod refinement;
pub(crate) mod split;
