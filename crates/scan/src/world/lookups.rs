//! Library methods that answer `null` for what is not there: `map.get(key)`, `queue.peek()`.
//!
//! Most code knows what is in its maps, so an answer that is used without a test says nothing by
//! itself. It does where the same class tests the answers of the same map elsewhere, as often as
//! not, and nothing in the procedure says that what is asked for is there: it does nothing else
//! with the map, and callers choose what is asked for.

use super::World;
use super::beliefs::Looked;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{Access, Body, Call, ClassId, Dispatch, FieldId, Operand, ProcId, Statement, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Field(FieldId),
    /// A parameter: methods of one name are compared with each other.
    Given(tern_ir::NameId),
}

/// One question to something that may not have what is asked for.
struct Lookup {
    procedure: ProcId,
    site: usize,
    class: Option<ClassId>,
    asked: Asked,
    is_tested: bool,
    is_used: bool,
    /// Whether nothing in the procedure says that it is there.
    is_open: bool,
}

impl World<'_> {
    /// Finds the calls that ask for what may not be there, and whose answers are used all the same.
    pub(super) fn find_lookups(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let mut all = Vec::new();
        for id in self.program.procedures().ids() {
            meter.tick()?;
            self.lookups(id, &mut all);
        }
        let mut uses: FxHashMap<(Option<ClassId>, Asked), (u32, u32)> = FxHashMap::default();
        for lookup in &all {
            let (tested, careless) = uses.entry((lookup.class, lookup.asked)).or_default();
            *tested += u32::from(lookup.is_tested);
            *careless += u32::from(lookup.is_used && !lookup.is_tested && lookup.is_open);
        }
        let is_doubted = |it: &&Lookup| {
            let (tested, careless) = uses[&(it.class, it.asked)];
            it.is_open && it.is_used && !it.is_tested && tested >= careless
        };
        let doubted: FxHashSet<(ProcId, usize)> =
            all.iter().filter(is_doubted).map(|it| (it.procedure, it.site)).collect();
        self.doubted = doubted;
        Ok(())
    }

    /// Whether the answer of a call must be tested: others of the same class do so.
    pub fn is_doubted(&self, procedure: ProcId, site: usize) -> bool {
        self.doubted.contains(&(procedure, site))
    }

    /// The questions of a procedure.
    fn lookups(&self, id: ProcId, all: &mut Vec<Lookup>) {
        let procedure = &self.program.procedures()[id];
        let Some(body) = &procedure.body else { return };
        let sites = self.calls.sites(id);
        if !sites.iter().any(|it| self.callee_of(*it).model.lookup) {
            return;
        }
        let found = self.answers_looked_at(id, body);
        let is_reached = procedure.access != Access::Private;
        let calls = body.statements.iter().filter_map(|it| match it {
            Statement::Call { call, .. } => Some(call),
            _ => None,
        });
        for (site, call) in calls.enumerate() {
            if !self.callee_of(sites[site]).model.lookup || call.dispatch == Dispatch::Static {
                continue;
            }
            let arguments = body.operands(&call.arguments);
            let Some(asked) = self.asked_of(body, call) else { continue };
            let is_given = |it: &Operand| given(body, *it).is_some();
            let is_open = is_reached
                && arguments[1..].iter().all(is_given)
                && self.is_asked_once(body, asked, arguments[0]);
            let Looked { is_tested, is_used, .. } = found[site];
            let class = procedure.class;
            all.push(Lookup { procedure: id, site, class, asked, is_tested, is_used, is_open });
        }
    }

    /// What is asked by a call: a field, or a parameter.
    fn asked_of(&self, body: &Body, call: &Call) -> Option<Asked> {
        let receiver = body.operands(&call.arguments)[0];
        if given(body, receiver).is_some() {
            return Some(Asked::Given(self.program.selectors()[call.selector].name));
        }
        let Operand::Variable(variable) = receiver else { return None };
        let mut writers = body.statements.iter().filter(|it| it.written() == Some(variable));
        match (writers.next()?, writers.next()) {
            (Statement::Load { field, .. }, None) => Some(Asked::Field(self.field(*field))),
            _ => None,
        }
    }

    /// Whether a procedure does nothing else with what it asks.
    fn is_asked_once(&self, body: &Body, asked: Asked, receiver: Operand) -> bool {
        let uses = |statement: &&Statement| match asked {
            Asked::Field(own) => {
                matches!(statement, Statement::Load { field, .. } | Statement::Store { field, .. }
                    if self.field(*field) == own)
            }
            Asked::Given(_) => {
                let mut is_used = false;
                statement.operands(body, |it| is_used |= it == receiver);
                is_used
            }
        };
        body.statements.iter().filter(uses).count() == 1
    }
}

/// The parameter that an operand is, if nothing is written to it.
fn given(body: &Body, operand: Operand) -> Option<VarId> {
    let Operand::Variable(variable) = operand else { return None };
    let is_written = || body.statements.iter().any(|it| it.written() == Some(variable));
    (variable.index() < body.parameters && !is_written()).then_some(variable)
}
