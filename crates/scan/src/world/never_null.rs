//! Fields that are never `null`: whoever makes their object, or class, stores an object there, and
//! nobody stores anything else. Tests of such a field for `null` are old habits, and say nothing.

use super::World;
use crate::values::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{Body, Constant, FieldId, Operand, ProcId, Statement, Type, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

impl World<'_> {
    /// Finds them among those that are not written by their names.
    pub(super) fn find_never_null(
        &mut self,
        statics: &FxHashSet<FieldId>,
        is_reflected: impl Fn(FieldId) -> bool,
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let program = self.program;
        let mut stored: FxHashMap<FieldId, Value> = FxHashMap::default();
        for (id, procedure) in program.procedures().iter() {
            meter.tick()?;
            let Some(body) = &procedure.body else { continue };
            for statement in &body.statements {
                let Statement::Store { field, value, .. } = statement else { continue };
                let field = self.field(*field);
                let ty = program.types()[program.fields()[field].ty];
                if !matches!(ty, Type::Reference(_) | Type::Array(_)) {
                    continue;
                }
                let is_made = self.is_made(id, body, *value);
                let known = stored.entry(field).or_insert(Value::NonNull);
                if !is_made {
                    *known = Value::Any;
                }
            }
        }
        let unset = self.sometimes_unset(&stored, statics);
        self.never_null = stored
            .into_iter()
            .filter(|(field, value)| *value == Value::NonNull && !unset.contains(field))
            .filter(|(field, _)| !is_reflected(*field))
            .map(|(field, _)| field)
            .collect();
        Ok(())
    }

    /// Whether what is stored is an object by the code of the procedure alone.
    fn is_made(&self, id: ProcId, body: &Body, value: Operand) -> bool {
        let variable = match value {
            Operand::Constant(it) => return self.program.constants()[it] != Constant::Null,
            Operand::Variable(variable) => variable,
        };
        if variable.index() < body.parameters {
            let is_this = variable == VarId::new(0) && !self.program.procedures()[id].is_static;
            return is_this && !body.statements.iter().any(|it| it.written() == Some(variable));
        }
        let mut sites = self.calls.sites(id).iter();
        let mut is_written = false;
        let is_made = |statement: &Statement| {
            let callee = match statement {
                Statement::Call { .. } => sites.next().map(|it| self.callee_of(*it)),
                _ => None,
            };
            if statement.written() != Some(variable) {
                return true;
            }
            is_written = true;
            match statement {
                Statement::New { .. } | Statement::NewArray { .. } => true,
                Statement::Copy { from: Operand::Constant(it), .. } => {
                    self.program.constants()[*it] != Constant::Null
                }
                Statement::Call { .. } => callee.is_some_and(|it| it.model.nonnull),
                _ => false,
            }
        };
        body.statements.iter().all(is_made) && is_written
    }

    /// Whether a field always holds an object.
    pub(crate) fn is_never_null(&self, field: FieldId) -> bool {
        self.never_null.contains(&field)
    }
}
