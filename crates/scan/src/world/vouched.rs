//! Questions that those who call have asked before: `if (page.getBox() != null) draw(page);`.
//!
//! A method that is given an object and uses what that answers, without a test for `null`, relies
//! on those who call it. If one of them has tested the same answer of the object that it hands
//! over, they know; and so do methods to which the object is handed on.

use super::World;
use super::beliefs::{Origin, calls_before, origin};
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{Body, Dispatch, Operand, ProcId, SelectorId, Statement, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

/// A procedure, one of its parameters, and a question to that.
type Vouched = (ProcId, usize, SelectorId);

impl World<'_> {
    /// Finds the calls whose answers those who call have tested.
    pub(super) fn find_vouched(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let mut work: Vec<Vouched> = Vec::new();
        for (id, procedure) in self.program.procedures().iter() {
            meter.tick()?;
            let Some(body) = &procedure.body else { continue };
            let tested = self.tested_questions(body);
            if !tested.is_empty() {
                self.handed_on(id, body, &tested, &mut work);
            }
        }
        let mut found: FxHashSet<Vouched> = FxHashSet::default();
        while let Some(row) = work.pop() {
            meter.tick()?;
            let (id, position, selector) = row;
            if !found.insert(row) {
                continue;
            }
            let Some(body) = &self.program.procedures()[id].body else { continue };
            let given = Origin::Variable(VarId::new(position));
            let own = FxHashMap::from_iter([(given, vec![selector])]);
            self.handed_on(id, body, &own, &mut work);
            let sites = calls_before(body);
            for (row, statement) in body.statements.iter().enumerate() {
                if let Statement::Call { call, .. } = statement
                    && call.selector == selector
                    && call.dispatch != Dispatch::Static
                    && *body.operands(&call.arguments) == [Operand::Variable(VarId::new(position))]
                {
                    self.asked_again.insert((id, sites[row]));
                }
            }
        }
        Ok(())
    }

    /// The questions without arguments whose answers a body tests for `null`, by whom it asks.
    fn tested_questions(&self, body: &Body) -> FxHashMap<Origin, Vec<SelectorId>> {
        let mut found: FxHashMap<Origin, Vec<SelectorId>> = FxHashMap::default();
        for block in body.blocks.ids() {
            for (statement, _) in body.statements(block) {
                if let Statement::Call { to: Some(to), call } = statement
                    && call.dispatch != Dispatch::Static
                    && let [receiver] = body.operands(&call.arguments)
                    && self.object_side(body, block, *to).is_some()
                    && let Some(origin) = origin(body, *receiver)
                {
                    found.entry(origin).or_default().push(call.selector);
                }
            }
        }
        found
    }

    /// What those who are called know by that.
    fn handed_on(
        &self,
        id: ProcId,
        body: &Body,
        tested: &FxHashMap<Origin, Vec<SelectorId>>,
        all: &mut Vec<Vouched>,
    ) {
        let mut sites = self.calls.sites(id).iter();
        for statement in &body.statements {
            let Statement::Call { call, .. } = statement else { continue };
            let Some(&reference) = sites.next() else { continue };
            for &target in self.callee_of(reference).targets.iter().flatten() {
                for (position, &argument) in body.operands(&call.arguments).iter().enumerate() {
                    let known = origin(body, argument).and_then(|it| tested.get(&it));
                    for &selector in known.into_iter().flatten() {
                        all.push((target, position, selector));
                    }
                }
            }
        }
    }
}
