//! Claims about variables, branches, loops and several objects, one file each.

mod branches;
mod condition;
mod declared;
mod loops;
mod must;
mod order;
mod recursion;
mod unused;
mod unwritten;

pub(crate) use must::needed;
pub(crate) use order::find as lock_order;

use crate::explore::Explored;
use crate::rules::BuiltIn;
use crate::sources::Sources;
use tern_ir::ProcId;
use tern_model::{Budget, Limit};

/// A place that breaks a built-in claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The procedure.
    pub procedure: ProcId,
    /// The line.
    pub line: u32,
    /// What it is about.
    pub subject: String,
    /// How it comes about.
    pub reason: String,
    /// Whether nothing can make it otherwise.
    pub certain: bool,
    /// Calls by which it comes about, each with its line: the way round an endless recursion.
    pub calls: Vec<(ProcId, u32)>,
}

/// All places that break a built-in claim, in the order of procedures; the order of locks is a
/// matter of the whole program (`lock_order`).
///
/// # Errors
/// When the budget runs out.
pub fn find(
    explored: &Explored,
    claim: BuiltIn,
    sources: &Sources,
    budget: &Budget,
) -> Result<Vec<Place>, Limit> {
    let mut places = Vec::new();
    for &procedure in explored.roots() {
        if explored.components_of(procedure).is_empty() {
            continue;
        }
        budget.check()?;
        match claim {
            BuiltIn::UnusedDefinition => {
                unused::find(explored, procedure, sources, &mut places);
                declared::find(explored, procedure, sources, &mut places);
            }
            BuiltIn::DecidedBranch => branches::decided(explored, procedure, &mut places),
            BuiltIn::CheckAfterUse => branches::late(explored, procedure, &mut places),
            BuiltIn::EndlessLoop => {
                loops::endless(explored, procedure, sources, &mut places, budget)?;
            }
            BuiltIn::EndlessRecursion => {
                recursion::find(explored, procedure, &mut places, budget)?;
            }
            BuiltIn::WaitOutsideLoop => loops::wait(explored, procedure, &mut places),
            BuiltIn::LockOrder => {}
        }
    }
    Ok(places)
}
