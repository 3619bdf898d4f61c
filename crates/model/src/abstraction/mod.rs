//! Abstract machines, and machines of which edges are spoken of, as ordinary ones: what is decided
//! of them, and of which evidence speaks.
//!
//! An abstract machine M and a claim f are turned into an ordinary machine M' ([`Reduction`]) and
//! two ordinary formulas ([`Translation`]): `must f`, which is true where f surely is, and `may f`,
//! which is false where f surely is not. The claim holds if `must f` does, at all initial nodes;
//! it fails if `may f` fails at one; else the abstraction is too coarse. The two formulas are two
//! *lanes*, as three values are elsewhere.
//!
//! A claim about fair runs may [name edges](crate::fairness::Followed). Then M' has labels for the
//! names, at nodes that were just entered by such an edge, and the formula is as it is, or, if M is
//! abstract, the two as above.
//!
//! Where several crates have to agree on M' and f' (an engine that gives evidence, a reader of
//! result files, the certifier), the numbers of nodes, boxes and exits and the shape of formulas
//! are fixed here and in `docs/certificate.md`. The certifier makes both by code of its own.

mod formula;
mod kinds;
mod machine;

pub use formula::{Lane, Translation};
pub use machine::{Back, Named, Reduction};

use std::sync::Arc;

/// What evidence and stories speak of, if not of the machine itself.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The machine.
    pub machine: Arc<Reduction>,
    /// The claim, if the machine is abstract; otherwise it is the claim itself, in which edges may
    /// have names.
    pub claim: Option<Translation>,
}

/// The label of the nodes of M' that are entered by steps that are only possible. No label of M has
/// this name there.
pub const MAYBE: &str = "maybe";

/// The label of M' for the nodes that surely have, or may have, a label of M.
pub fn label_in(lane: Lane, label: &str) -> String {
    match lane {
        Lane::Must => format!("must {label}"),
        Lane::May => format!("may {label}"),
    }
}
