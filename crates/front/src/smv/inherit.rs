//! `ISA`: the declarations of another module are also those of this one.

use super::flat::Flat;
use super::syntax::{Module, ModuleId, NameId};
use crate::problem::Problem;
use tern_model::Span;
use tern_model::budget::Meter;
use tern_model::{Limit, index::Table};

/// Which modules have got what they inherit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    No,
    /// It is waiting for those that it inherits from.
    Waiting,
    Yes,
}

impl Flat {
    /// Gives modules what they inherit.
    pub(super) fn inherit(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let mut done: Table<ModuleId, Done> = Table::filled(Done::No, self.text.modules.len());
        for first in self.text.modules.ids() {
            let mut open = vec![first];
            while let Some(&module) = open.last() {
                meter.tick()?;
                if done[module] == Done::Yes {
                    open.pop();
                    continue;
                }
                let again = done[module] == Done::Waiting;
                done[module] = Done::Waiting;
                let ready = again || !self.wait_for(module, &mut done, &mut open);
                if ready {
                    self.inherit_now(module, &done, meter)?;
                    done[module] = Done::Yes;
                    open.pop();
                }
            }
        }
        Ok(())
    }

    /// Puts those before a module that it inherits from; says whether there are any.
    fn wait_for(
        &mut self,
        module: ModuleId,
        done: &mut Table<ModuleId, Done>,
        open: &mut Vec<ModuleId>,
    ) -> bool {
        let before = open.len();
        for (name, span) in self.text.modules[module].isa.clone() {
            match self.module_called(name) {
                Some(of) if done[of] == Done::Waiting => {
                    let name = self.name(name).to_owned();
                    self.problem("S022", span, |_| {
                        let message = format!("module `{name}` contains itself");
                        Problem::error("S022", message).at(span, "by this")
                    });
                }
                Some(of) if done[of] == Done::No => open.push(of),
                Some(_) => {}
                None => self.no_module(name, span),
            }
        }
        open.len() > before
    }

    fn inherit_now(
        &mut self,
        module: ModuleId,
        done: &Table<ModuleId, Done>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        for (name, _) in std::mem::take(&mut self.text.modules[module].isa) {
            let Some(of) = self.module_called(name) else { continue };
            if of == module || done[of] != Done::Yes {
                continue;
            }
            let other: Module = self.text.modules[of].clone();
            meter.tick()?;
            let own = &mut self.text.modules[module];
            own.vars.extend(other.vars);
            own.defines.extend(other.defines);
            own.assignments.extend(other.assignments);
            own.constraints.extend(other.constraints);
            own.calls.extend(other.calls);
            own.justice.extend(other.justice);
            own.compassion.extend(other.compassion);
            own.constants.extend(other.constants);
            own.specs.extend(other.specs);
        }
        Ok(())
    }

    fn module_called(&self, name: NameId) -> Option<ModuleId> {
        self.text.modules.iter().find(|(_, it)| it.name == name).map(|(id, _)| id)
    }

    /// Reports that there is no module of a name.
    pub(super) fn no_module(&mut self, name: NameId, span: Span) {
        let wanted = self.name(name).to_owned();
        let names: Vec<String> =
            self.text.modules.iter().map(|(_, it)| self.name(it.name).to_owned()).collect();
        self.problem("S020", span, |nearest| {
            let problem = Problem::error("S020", format!("there is no module `{wanted}`"));
            let problem = problem.at(span, "not declared");
            match nearest.among(&wanted, names.iter().map(String::as_str)) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem,
            }
        });
    }
}
