//! What procedures may throw because they call code that is not there: what they declare, since
//! compilers check that, and what need not be declared, for those who expect it.

use super::World;
use rustc_hash::FxHashMap;
use tern_ir::{NameId, ProcId, Statement};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Limit, Tri};
use tern_program::calls::ReferenceId;

impl World<'_> {
    pub(super) fn find_failing(
        &mut self,
        declared: &[(ProcId, Box<[NameId]>)],
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let has_body = |id: ProcId| self.program.procedures()[id].body.is_some();
        let mut wanted: FxHashMap<ProcId, Vec<NameId>> = FxHashMap::default();
        let mut work = Vec::new();
        for (id, classes) in declared.iter().filter(|(id, _)| has_body(*id)) {
            let checked = classes.iter().copied().filter(|&it| !self.is_unchecked(it));
            wanted.insert(*id, checked.collect());
            work.push(*id);
        }
        let callers = self.callers(meter)?;
        let mut failing: FxHashMap<ProcId, Vec<NameId>> = FxHashMap::default();
        while let Some(id) = work.pop() {
            let Some(classes) = wanted.get(&id) else { continue };
            let mut changed = false;
            for &class in classes {
                meter.tick()?;
                let is_known = failing.get(&id).is_some_and(|it| it.contains(&class));
                if !is_known && self.fails(id, class, &failing) {
                    failing.entry(id).or_default().push(class);
                    changed = true;
                }
            }
            if changed {
                work.extend(&callers[id.index()]);
            }
        }
        for (id, found) in &mut failing {
            found.sort_by_key(|class| wanted[id].iter().position(|it| it == class));
        }
        self.failing = failing;
        self.find_fragile(&callers, meter)
    }

    /// For each procedure, those that may call it where few may be called.
    fn callers(&self, meter: &mut Meter) -> Result<Vec<Vec<ProcId>>, Limit> {
        let program = self.program;
        let mut callers: Vec<Vec<ProcId>> = vec![Vec::new(); program.procedures().len()];
        for id in program.procedures().ids() {
            meter.tick()?;
            for reference in self.calls.sites(id) {
                let callee = &self.callees[reference.index()];
                callee.targets.iter().flatten().for_each(|it| callers[it.index()].push(id));
            }
        }
        Ok(callers)
    }

    /// The procedures that call code that is not there, also far away.
    fn find_fragile(&mut self, callers: &[Vec<ProcId>], meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let mut fragile = vec![false; program.procedures().len()];
        let mut work = Vec::new();
        for id in program.procedures().ids() {
            meter.tick()?;
            let is_missing = |reference: &ReferenceId| {
                let callee = &self.callees[reference.index()];
                callee.targets.is_none() && !callee.model.quiet
            };
            if self.calls.sites(id).iter().any(is_missing) {
                fragile[id.index()] = true;
                work.push(id);
            }
        }
        while let Some(id) = work.pop() {
            for &caller in &callers[id.index()] {
                meter.tick()?;
                if !fragile[caller.index()] {
                    fragile[caller.index()] = true;
                    work.push(caller);
                }
            }
        }
        self.fragile = fragile;
        Ok(())
    }

    /// Whether a procedure calls code that is not there, which may throw what need not be declared.
    pub(crate) fn is_fragile(&self, procedure: ProcId) -> bool {
        self.fragile[procedure.index()]
    }

    /// Whether a procedure that declares a class calls what may throw it, and does not catch it.
    fn fails(&self, id: ProcId, class: NameId, failing: &FxHashMap<ProcId, Vec<NameId>>) -> bool {
        let Some(body) = &self.program.procedures()[id].body else { return false };
        if self.makes_copies(id, class) {
            return false;
        }
        let mut sites = self.calls.sites(id).iter();
        // Calls are counted in the order of statements, whatever block they stand in.
        let calls: Vec<Option<_>> = body
            .statements
            .iter()
            .map(|it| matches!(it, Statement::Call { .. }).then(|| sites.next()).flatten())
            .collect();
        body.blocks.iter().any(|(block, row)| {
            let catches = |wanted: NameId| self.is_below(class, wanted) == Tri::True;
            let is_caught = body.handlers(block).iter().any(|it| it.class.is_some_and(catches));
            let throws = |row: u32| {
                let Some(&reference) = calls[row as usize] else { return false };
                let callee = &self.callees[reference.index()];
                let is_theirs = |target: &ProcId| {
                    failing.get(target).is_some_and(|it| {
                        it.iter().any(|&it| self.is_below(it, class) == Tri::True)
                    })
                };
                let is_silent = callee.model.quiet || !callee.matches.is_empty();
                callee.is_missing && !is_silent && callee.throws.is_empty()
                    || callee.targets.iter().flatten().any(is_theirs)
            };
            !is_caught && row.statements.clone().any(throws)
        })
    }

    /// Whether a class is what is thrown by `clone()`, and the objects of the procedure can be
    /// copied.
    fn makes_copies(&self, id: ProcId, class: NameId) -> bool {
        let own = self.program.procedures()[id].class.map(|it| self.program.classes()[it].name);
        let can_be = self.program.find_name("java.lang.Cloneable");
        self.program.text(class) == "java.lang.CloneNotSupportedException"
            && matches!((own, can_be), (Some(own), Some(can_be))
                if self.is_below(own, can_be) == Tri::True)
    }

    /// What a procedure declares, and may throw because of code that is not there.
    pub(crate) fn failing(&self, procedure: ProcId) -> &[NameId] {
        self.failing.get(&procedure).map_or(&[], Vec::as_slice)
    }
}
