//! Procedures that call themselves, as parts of one flow graph.
//!
//! Calls of other procedures are inlined by readers. A procedure that calls itself, perhaps by way
//! of others, keeps points of its own in the flow graph of the program, which no edge leads to.
//! [`Calls`] says where they are entered and left, and at which points they are called.
//!
//! A call is one step: an edge to a *site*, which sets the arguments. A state at a site is the
//! state at the beginning of the callee. What leaves a site in the flow graph is the return, one
//! step too: it may read [`Procedure::result`]. All that the callee does in between is not in the
//! graph: it may change global variables, and nothing else that the caller sees.

use crate::flow::{Edge, PointId};
use std::collections::BTreeMap;

/// A procedure that calls itself.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// The variables that calls set.
    pub arguments: Vec<usize>,
    /// A copy of each argument and of each global variable, in this order: what they were when
    /// the call began. No edge sets them but [`Procedure::enter`].
    pub copies: Vec<usize>,
    /// Where its result is when it has ended.
    pub result: usize,
    /// From a state at a site to where the procedure begins. It takes no step; it sets copies and
    /// parameters.
    pub enter: Edge,
    /// Where it has ended; `None` if that is never reached.
    pub exit: Option<PointId>,
}

/// The procedures of a program that call themselves, and where they are called.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The global variables.
    pub globals: Vec<usize>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// The procedure that is called at each site.
    pub sites: BTreeMap<PointId, usize>,
    /// Whether bodies of what `main` calls are in `main` ([`crate::unfold`]).
    pub unfolded: bool,
}
