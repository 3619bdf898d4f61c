//! Which calls of a program lead where.
//!
//! [`Calls::find`] goes from entries to what they call, and so on, with a worklist. What a call
//! leads to depends on the classes of which there are objects: for a library, of all of them (class
//! hierarchy analysis); for a program that begins somewhere, of those that reached code makes
//! (rapid type analysis; Bacon and Sweeney, OOPSLA 1996). These grow as code is reached, and calls
//! that were looked at before gain targets.
//!
//! Calls that name the same class and selector lead to the same targets, so these are kept once, as
//! a [`Reference`].
//!
//! What cannot be followed is [`Why`] and counted: code that is missing or native, reflection that
//! does not name what it calls by constants, method handles. Code that is missing may call back
//! whatever overrides one of its procedures: [`Calls::callbacks`]. Of some library procedures it is
//! known that they only come back (`known.rs`).

mod hierarchy;
mod known;
mod reach;
mod reflect;
mod resolve;
mod serial;

pub use hierarchy::{Hierarchy, KindId, ROOT};
pub use resolve::{Found, Lookup};

use fixedbitset::FixedBitSet;
use tern_ir::{ClassId, Dispatch, NameId, ProcId, Program, SelectorId};
use tern_model::index::{Id, Table};
use tern_model::{Budget, Limit};

tern_model::indices! {
    /// A class and selector that calls name, with what they lead to.
    pub ReferenceId = "r";
}

/// Why a call cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The class, or one above it, is missing.
    Missing,
    /// The code is not in this language.
    Native,
    /// It is found by reflection.
    Reflection,
    /// It is found by a method handle.
    Handle,
    /// Nothing was found: there is no object of such a class, or no such procedure.
    Nowhere,
}

/// What calls that name the same class and selector lead to.
#[derive(Clone, Debug)]
pub struct Reference {
    /// How the target is found.
    pub dispatch: Dispatch,
    /// The class that is named.
    pub class: NameId,
    /// The selector that is named.
    pub selector: SelectorId,
    /// The procedure that is meant, before objects are looked at.
    pub resolved: Option<ProcId>,
    /// The procedures that may be run, in the order in which they were found.
    pub targets: Vec<ProcId>,
    /// Why something else may be run as well.
    pub unknown: Option<Why>,
    /// Whether code may be run that surely comes back, and in which nothing of interest happens,
    /// besides the targets and what is unknown.
    pub is_leaf: bool,
    /// Whether one call may run several of the targets, one after another, or none.
    pub repeats: bool,
}

/// Which objects there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// Objects of all classes: a library.
    Open,
    /// Those that reached code makes.
    Closed,
}

/// Where a program begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The procedures that are called first.
    pub entries: &'a [ProcId],
    /// Which objects there are.
    pub world: World,
    /// Classes of which a loader of services makes objects.
    pub providers: &'a [NameId],
    /// Classes before this one are the program itself, the others what it uses.
    pub library: ClassId,
}

/// What is reached from some entries, and what its calls lead to.
#[derive(Debug)]
pub struct Calls {
    /// The classes.
    pub hierarchy: Hierarchy,
    /// Where it begins.
    pub entries: Vec<ProcId>,
    /// What is reached, in the order in which it was found.
    pub reached: Vec<ProcId>,
    is_reached: FixedBitSet,
    references: Table<ReferenceId, Reference>,
    /// For each procedure, where its calls begin in `sites`.
    first_site: Vec<u32>,
    /// The references of calls, in the order of statements.
    sites: Vec<ReferenceId>,
    /// What missing code may call.
    pub callbacks: Vec<ProcId>,
    plain: FixedBitSet,
}

impl Calls {
    /// Finds what is reached from the entries.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn find(program: &mut Program, start: Start<'_>, budget: &Budget) -> Result<Self, Limit> {
        let hierarchy = Hierarchy::new(program);
        reach::run(program, hierarchy, start, budget)
    }

    /// Whether a procedure is reached.
    pub fn is_reached(&self, procedure: ProcId) -> bool {
        self.is_reached.contains(procedure.index())
    }

    /// Whether a procedure cannot be followed: it has no code, and nothing is known of it.
    pub fn is_stub(&self, program: &Program, procedure: ProcId) -> bool {
        program.procedures()[procedure].body.is_none() && !self.is_plain(procedure)
    }

    /// Whether a procedure has no code, but is known to come back and to call nothing.
    pub fn is_plain(&self, procedure: ProcId) -> bool {
        self.plain.contains(procedure.index())
    }

    /// Whether a call may run code that cannot be followed.
    pub fn is_open(&self, program: &Program, reference: &Reference) -> bool {
        let mut targets = reference.targets.iter();
        reference.unknown.is_some() || targets.any(|&target| self.is_stub(program, target))
    }

    /// The references of the calls of a procedure that is reached, in the order of its statements.
    pub fn sites(&self, procedure: ProcId) -> &[ReferenceId] {
        let first = self.first_site[procedure.index()] as usize;
        let count = self.first_site[procedure.index() + 1] as usize - first;
        &self.sites[first..first + count]
    }

    /// All references of calls that are reached.
    pub fn references(&self) -> &Table<ReferenceId, Reference> {
        &self.references
    }

    /// How many calls are reached.
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// The initialisers that may run when a class is first used, from the top down.
    pub fn initialisers(&self, program: &Program, class: NameId) -> Vec<ProcId> {
        initialisers(program, &self.hierarchy, class)
    }
}

/// The name of the procedure that initialises a class.
pub const INITIALISER: &str = "<clinit>";

fn initialisers(program: &Program, hierarchy: &Hierarchy, class: NameId) -> Vec<ProcId> {
    let Some(kind) = hierarchy.find(class) else { return Vec::new() };
    let classes = hierarchy.above(kind).into_iter().rev().filter_map(|kind| hierarchy.class(kind));
    let of_class = |class| {
        let procedures = program.classes()[class].procedures.iter().copied();
        procedures.filter(|&procedure| {
            let selector = program.procedures()[procedure].selector;
            program.text(program.selectors()[selector].name) == INITIALISER
        })
    };
    classes.flat_map(of_class).collect()
}
