//! Which procedure a name stands for, by the rules of the Java virtual machine.
//!
//! *Resolution* (JVMS 5.4.3.3, 5.4.3.4) goes from a class to the procedure that code means: the
//! class, its superclasses, then the maximally specific procedures of its interfaces. *Selection*
//! (5.4.6) goes from that and the class of an object to the procedure that is run: the first one
//! from the class of the object upwards that overrides it, else the maximally specific one of the
//! interfaces. A search that comes by a class that is missing may have found its end there; it goes
//! on, and says so.

use super::hierarchy::{Hierarchy, KindId};
use tern_ir::{Access, ProcId, Program, SelectorId};

/// What a search gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// This procedure, which may be abstract.
    pub procedure: Option<ProcId>,
    /// Whether a class that is missing may have one that comes first.
    pub missing: bool,
}

/// The procedures of the root of all classes.
const OF_ALL_OBJECTS: [&str; 9] = [
    "clone",
    "equals",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
];

/// Finds procedures of a program.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its classes.
    pub hierarchy: &'a Hierarchy,
}

impl Lookup<'_> {
    /// The procedure that a class itself has.
    fn own(&self, kind: KindId, selector: SelectorId) -> Option<ProcId> {
        self.program.find_procedure(Some(self.hierarchy.class(kind)?), selector)
    }

    /// Whether a class is missing and may have a procedure.
    fn hides(&self, kind: KindId, selector: SelectorId) -> bool {
        let name = || self.program.text(self.program.selectors()[selector].name);
        self.hierarchy.class(kind).is_none()
            && (Some(kind) != self.hierarchy.root() || OF_ALL_OBJECTS.contains(&name()))
    }

    /// Resolution: the procedure that code means which names a class.
    pub fn resolve(&self, kind: KindId, selector: SelectorId) -> Found {
        let mut found = self.in_classes(kind, selector, |_| true);
        if found.procedure.is_none()
            && self.hierarchy.is_interface(kind)
            && let Some(root) = self.hierarchy.root()
        {
            // Interfaces have what all objects have.
            found.procedure = self.own(root, selector);
            found.missing |= self.hides(root, selector);
        }
        found
    }

    /// Selection: the procedure that a call of `resolved` runs on an object of a class.
    pub fn select(&self, kind: KindId, resolved: ProcId) -> Found {
        let meant = &self.program.procedures()[resolved];
        if meant.access == Access::Private || meant.is_static {
            return Found { procedure: Some(resolved), missing: false };
        }
        if meant.access == Access::Package {
            return self.select_in_package(kind, resolved);
        }
        self.select_by_selector(kind, meant.selector)
    }

    /// The same without a procedure that code means, because its class is missing.
    pub fn select_by_selector(&self, kind: KindId, selector: SelectorId) -> Found {
        self.in_classes(kind, selector, |found| self.may_be_selected(found))
    }

    fn in_classes(
        &self,
        kind: KindId,
        selector: SelectorId,
        fits: impl Fn(ProcId) -> bool,
    ) -> Found {
        let mut missing = false;
        for above in self.hierarchy.chain(kind) {
            missing |= self.hides(above, selector);
            if let Some(own) = self.own(above, selector).filter(|&own| fits(own)) {
                return Found { procedure: Some(own), missing };
            }
        }
        let found = self.of_interfaces(kind, selector);
        Found { missing: missing || found.missing, ..found }
    }

    fn may_be_selected(&self, procedure: ProcId) -> bool {
        let procedure = &self.program.procedures()[procedure];
        procedure.access != Access::Private && !procedure.is_static
    }

    /// Selection of a procedure that only its package sees: overridden in the package, or by what
    /// overrides something that overrides it.
    fn select_in_package(&self, kind: KindId, resolved: ProcId) -> Found {
        let selector = self.program.procedures()[resolved].selector;
        let (mut candidates, mut missing) = (Vec::new(), false);
        for above in self.hierarchy.chain(kind) {
            missing |= self.hides(above, selector);
            let own = self.own(above, selector);
            if own == Some(resolved) {
                break;
            }
            candidates.extend(own.filter(|&own| self.may_be_selected(own)));
        }
        let mut overriding = vec![resolved];
        for &candidate in candidates.iter().rev() {
            let overrides = |&above: &ProcId| {
                let access = self.program.procedures()[above].access;
                access != Access::Package || self.package(above) == self.package(candidate)
            };
            if overriding.iter().any(overrides) {
                overriding.push(candidate);
            }
        }
        Found { procedure: overriding.last().copied(), missing }
    }

    fn package(&self, procedure: ProcId) -> &str {
        let class = self.program.procedures()[procedure].class;
        let name = class.map_or("", |class| self.program.text(self.program.classes()[class].name));
        name.rsplit_once('.').map_or("", |(package, _)| package)
    }

    /// The maximally specific procedure of the interfaces of a class and its superclasses: one that
    /// has code, if there is just one such; else one of the others.
    fn of_interfaces(&self, kind: KindId, selector: SelectorId) -> Found {
        let (mut candidates, mut missing) = (Vec::new(), false);
        for interface in self.hierarchy.above(kind) {
            missing |= self.hides(interface, selector);
            if self.hierarchy.is_interface(interface)
                && let Some(own) = self.own(interface, selector)
                && self.may_be_selected(own)
            {
                candidates.push((interface, own));
            }
        }
        if candidates.len() > 1 {
            let above: Vec<Vec<KindId>> =
                candidates.iter().map(|&(kind, _)| self.hierarchy.above(kind)).collect();
            let all = candidates.clone();
            candidates.retain(|(kind, _)| {
                let is_below = |(i, other): (usize, &(KindId, ProcId))| {
                    other.0 != *kind && above[i].contains(kind)
                };
                !all.iter().enumerate().any(is_below)
            });
        }
        let is_abstract = |own: &ProcId| self.program.procedures()[*own].is_abstract;
        let specific = candidates.iter().map(|&(_, own)| own);
        let mut concrete = specific.clone().filter(|own| !is_abstract(own));
        let procedure = match (concrete.next(), concrete.next()) {
            (Some(only), None) => Some(only),
            _ => specific.clone().find(is_abstract).or(specific.clone().next()),
        };
        Found { procedure, missing }
    }
}
