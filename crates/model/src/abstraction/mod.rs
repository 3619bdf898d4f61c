//! Abstract machines as ordinary ones: what is decided of them, and of which evidence speaks.
//!
//! An abstract machine M and a claim f are turned into an ordinary machine M' ([`Reduction`]) and
//! two ordinary formulas ([`Translation`]): `must f`, which is true where f surely is, and `may f`,
//! which is false where f surely is not. The claim holds if `must f` does, at all initial nodes;
//! it fails if `may f` fails at one; else the abstraction is too coarse. The two formulas are two
//! *lanes*, as three values are elsewhere.
//!
//! Where several crates have to agree on M' and f' (an engine that gives evidence, a reader of
//! result files, the certifier), the numbers of nodes, boxes and exits and the shape of formulas
//! are fixed here and in `docs/certificate.md`. The certifier makes both by code of its own.

mod formula;
mod machine;

pub use formula::{Lane, Translation};
pub use machine::{Back, Reduction};

use std::sync::Arc;

/// What evidence and stories about an abstract machine speak of.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The machine.
    pub machine: Arc<Reduction>,
    /// The claim.
    pub claim: Translation,
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
