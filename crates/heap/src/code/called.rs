//! Who a call leads to: one procedure, or the one for the type of the object that is called. So a
//! call of an object is a call of the method that its class has.

use crate::graph::TypeId;
use tern_ir::ProcId;

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Called {
    /// A procedure.
    One(ProcId),
    /// The one for the type of the first argument.
    ByType(Vec<(TypeId, ProcId)>),
}

impl Called {
    /// All that may be called.
    pub fn all(&self) -> impl Iterator<Item = ProcId> {
        let (one, several) = match self {
            Called::One(callee) => (Some(*callee), &[][..]),
            Called::ByType(callees) => (None, &callees[..]),
        };
        one.into_iter().chain(several.iter().map(|it| it.1))
    }

    /// Who is called if the first argument is of a type, if that is known.
    pub fn by(&self, kind: Option<TypeId>) -> Option<ProcId> {
        match self {
            Called::One(callee) => Some(*callee),
            Called::ByType(callees) => callees.iter().find(|it| Some(it.0) == kind).map(|it| it.1),
        }
    }
}
