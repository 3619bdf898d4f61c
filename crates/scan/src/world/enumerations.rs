//! Constants of enumerations: the fields that hold them, and the numbers by which a `switch` knows
//! them.
//!
//! Compilers turn `switch (kind)` into a jump by `$SwitchMap$Kind[kind.ordinal()]`, an array of a
//! class of its own that is filled where that class is made.

use super::World;
use rustc_hash::FxHashMap;
use tern_ir::{FieldId, Operand, Statement, Type, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;

/// How the names of the arrays begin.
const ARRAY: &str = "$SwitchMap$";

impl World<'_> {
    pub(super) fn find_enumerations(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let mut choices: FxHashMap<FieldId, Vec<(FieldId, i64)>> = FxHashMap::default();
        for class in program.classes().as_slice() {
            meter.tick()?;
            let is_array = |(field, _): &&(FieldId, bool)| self.is_switch_array(*field);
            if class.fields.iter().filter(is_array).count() == 0 {
                continue;
            }
            for &id in class.procedures.iter().filter(|&&id| self.is_making(id)) {
                let Some(body) = &program.procedures()[id].body else { continue };
                let mut loaded: FxHashMap<VarId, FieldId> = FxHashMap::default();
                for statement in &body.statements {
                    match statement {
                        Statement::Load { to, object: None, field } => {
                            loaded.insert(*to, self.field(*field));
                        }
                        Statement::Call { to: Some(to), call } if self.is_ordinal(call) => {
                            let receiver = body.operands(&call.arguments).first();
                            let known = receiver.and_then(|it| field_of(&loaded, *it));
                            known.map(|field| loaded.insert(*to, field));
                        }
                        Statement::StoreElement { array, index, value } => {
                            let array = field_of(&loaded, *array);
                            let constant = field_of(&loaded, *index);
                            if let (Some(array), Some(constant), Operand::Constant(number)) =
                                (array, constant, value)
                                && let crate::values::Value::Number(number, _) =
                                    self.constant(*number)
                            {
                                choices.entry(array).or_default().push((constant, number));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        self.choices = choices;
        Ok(())
    }

    fn is_switch_array(&self, field: FieldId) -> bool {
        self.program.text(self.program.fields()[field].name).starts_with(ARRAY)
    }

    pub(crate) fn is_ordinal(&self, call: &tern_ir::Call) -> bool {
        let selector = &self.program.selectors()[call.selector];
        self.program.text(selector.name) == "ordinal" && selector.parameters.is_empty()
    }

    /// The numbers by which an array of a `switch` knows constants of an enumeration; all others
    /// have 0.
    pub(crate) fn choices(&self, array: FieldId) -> Option<&[(FieldId, i64)]> {
        self.choices.get(&array).map(Vec::as_slice)
    }

    /// Whether a field holds a constant of an enumeration, the same one always.
    pub(crate) fn is_enumerated(&self, field: FieldId) -> bool {
        let row = self.program.fields()[field];
        let is_own = self.program.types()[row.ty] == Type::Reference(row.class);
        let class = || self.calls.hierarchy.class(self.calls.hierarchy.find(row.class)?);
        let above = || self.program.classes()[class()?].superclass;
        is_own
            && self.is_fixed(field)
            && above().is_some_and(|it| self.program.text(it) == "java.lang.Enum")
    }
}

fn field_of(loaded: &FxHashMap<VarId, FieldId>, operand: Operand) -> Option<FieldId> {
    match operand {
        Operand::Variable(variable) => loaded.get(&variable).copied(),
        Operand::Constant(_) => None,
    }
}
