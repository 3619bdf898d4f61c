//! What procedures do with fields and parameters, with all they call.

use super::{Asserted, Fields, GIVEN, MOST_FIELDS, MOST_TARGETS, NAMED, TESTED, USED, World};
use crate::explore::successors;
use crate::values::{Cause, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{
    BlockId, Body, Constant, FieldId, Jump, NameId, Operand, ProcId, Statement, Test, Type, VarId,
};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_program::calls::ReferenceId;

/// Methods that find a field by its name.
const FINDERS: [&str; 7] = [
    "findVarHandle",
    "findStaticVarHandle",
    "newUpdater",
    "objectFieldOffset",
    "getDeclaredField",
    "getField",
    "findSetter",
];

/// Fields that may be written by their names.
#[derive(Default)]
struct Reflected {
    /// Names that are given as constants.
    names: FxHashSet<NameId>,
    /// Whether fields of objects are written of which the names are not known.
    writes_any: bool,
}

impl World<'_> {
    pub(super) fn find_fixed(
        &mut self,
        hidden: &[(FieldId, bool)],
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let program = self.program;
        let mut fixed = vec![true; program.fields().len()];
        let mut stored: FxHashMap<FieldId, Value> = FxHashMap::default();
        let mut lengths: FxHashMap<FieldId, Option<i64>> = FxHashMap::default();
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            let is_making = self.is_making(id);
            // Arrays whose length is written where they are made, in variables that hold nothing
            // else: `if (given == null) given = new int[0]; field = given;` says nothing.
            let mut made: FxHashMap<VarId, i64> = FxHashMap::default();
            let mut writes: FxHashMap<VarId, usize> = FxHashMap::default();
            for to in body.statements.iter().filter(|_| is_making).filter_map(Statement::written) {
                *writes.entry(to).or_default() += 1;
            }
            let is_own = |it: VarId| it.index() >= body.parameters && writes.get(&it) == Some(&1);
            for statement in &body.statements {
                if let (Statement::NewArray { to, lengths, .. }, true) = (statement, is_making)
                    && let [Operand::Constant(length)] = body.operands(lengths)
                    && let Value::Number(length, _) = self.constant(*length)
                    && is_own(*to)
                {
                    made.insert(*to, length);
                } else if let Statement::Copy { to, from: Operand::Variable(from) } = statement
                    && let Some(&length) = made.get(from)
                    && is_own(*to)
                {
                    made.insert(*to, length);
                } else if let Some(to) = statement.written() {
                    made.remove(&to);
                }
                meter.tick()?;
                let Statement::Store { field, value: operand, .. } = statement else { continue };
                let field = self.field(*field);
                let class = procedure.class.map(|class| program.classes()[class].name);
                if !is_making || Some(program.fields()[field].class) != class {
                    fixed[field.index()] = false;
                }
                let value = match operand {
                    Operand::Constant(constant) => self.constant(*constant),
                    Operand::Variable(_) => Value::Any,
                };
                let length = match operand {
                    Operand::Variable(variable) => made.get(variable).copied(),
                    Operand::Constant(_) => None,
                };
                let known = lengths.entry(field).or_insert(length);
                *known = known.filter(|it| Some(*it) == length);
                let known = stored.entry(field).or_insert(value);
                if *known != value {
                    *known = Value::Any;
                }
            }
        }
        let reflected = self.reflected();
        for (field, row) in program.fields().iter() {
            fixed[field.index()] &= !reflected.names.contains(&row.name);
        }
        let statics: FxHashSet<FieldId> = program
            .classes()
            .as_slice()
            .iter()
            .flat_map(|class| class.fields.iter().filter(|(_, is_static)| *is_static))
            .map(|(field, _)| *field)
            .collect();
        let is_reflected = |field: FieldId| {
            let name = program.fields()[field].name;
            reflected.names.contains(&name) || reflected.writes_any && !statics.contains(&field)
        };
        self.find_never_null(&statics, is_reflected, meter)?;
        let unset = self.sometimes_unset(&stored, &statics);
        for (&field, &value) in &stored {
            let known = !matches!(value, Value::Any | Value::Null(_));
            let stays = !reflected.writes_any || statics.contains(&field);
            if fixed[field.index()] && known && stays && !unset.contains(&field) {
                self.constants.insert(field, value);
            }
        }
        if !reflected.writes_any {
            self.find_empty(hidden, &fixed, &stored);
        }
        let known = lengths.into_iter().filter_map(|(field, length)| Some((field, length?)));
        self.lengths = known.filter(|(field, _)| fixed[field.index()]).collect();
        // What a compiler writes for `assert`: assertions are taken to be true.
        for (field, row) in program.fields().iter() {
            if program.text(row.name) == "$assertionsDisabled" {
                self.constants.insert(field, Value::number(0));
            }
        }
        self.fixed = fixed;
        Ok(())
    }

    /// The fields of which not all that makes their object, or class, writes the value that is not
    /// the one they have at first.
    pub(super) fn sometimes_unset(
        &self,
        stored: &FxHashMap<FieldId, Value>,
        statics: &FxHashSet<FieldId>,
    ) -> FxHashSet<FieldId> {
        let program = self.program;
        let mut unset = FxHashSet::default();
        for class in program.classes().as_slice() {
            let wanted = class.fields.iter().map(|(field, _)| *field).filter(|field| {
                stored.get(field).is_some_and(|it| !matches!(it, Value::Any | Value::Number(0, 0)))
            });
            for field in wanted {
                let is_static = statics.contains(&field);
                let makes = |id: &&ProcId| {
                    let selector = program.procedures()[**id].selector;
                    let name = program.text(program.selectors()[selector].name);
                    name == if is_static { "<clinit>" } else { "<init>" }
                };
                let mut makers = class.procedures.iter().filter(makes).peekable();
                let is_set = |id: &ProcId| {
                    let body = program.procedures()[*id].body.as_ref();
                    body.is_none_or(|body| self.always_stores(class.name, body, field, is_static))
                };
                if makers.peek().is_none() || !makers.all(is_set) {
                    unset.insert(field);
                }
            }
        }
        unset
    }

    /// Whether every way through a body that makes an object or class writes a field of it, or
    /// leaves that to another one.
    fn always_stores(&self, class: NameId, body: &Body, own: FieldId, is_static: bool) -> bool {
        let this = Operand::Variable(VarId::new(0));
        let stores = |statement: &Statement| match statement {
            Statement::Store { object, field, .. } => {
                self.field(*field) == own && (is_static || *object == Some(this))
            }
            Statement::Call { call, .. } => {
                let name = self.program.selectors()[call.selector].name;
                let first = body.operands(&call.arguments).first();
                !is_static
                    && call.class == class
                    && self.program.text(name) == "<init>"
                    && first == Some(&this)
            }
            _ => false,
        };
        let next = successors(body);
        let mut seen = vec![false; body.blocks.len()];
        let mut work = vec![0];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            let id = BlockId::new(block);
            if body.statements(id).any(|(statement, _)| stores(statement)) {
                // It may have thrown before.
                work.extend(body.handlers(id).iter().map(|it| it.block.index()));
                continue;
            }
            if matches!(body.blocks[id].jump, Jump::Return(_)) {
                return false;
            }
            work.extend(&next[block]);
        }
        true
    }

    /// Fields of classes that stay as they are at first, since nothing else is written to them:
    /// those that no code outside can write. Machine code may write those of its classes. What is
    /// final and not written was written by the compiler.
    fn find_empty(
        &mut self,
        hidden: &[(FieldId, bool)],
        fixed: &[bool],
        stored: &FxHashMap<FieldId, Value>,
    ) {
        let program = self.program;
        let is_native = |class: &&tern_ir::Class| {
            class.procedures.iter().any(|&id| {
                let procedure = &program.procedures()[id];
                procedure.body.is_none() && !procedure.is_abstract
            })
        };
        let classes = program.classes().as_slice().iter();
        let native: FxHashSet<NameId> = classes.filter(is_native).map(|it| it.name).collect();
        for &(field, is_final) in hidden {
            let row = program.fields()[field];
            if !fixed[field.index()] || native.contains(&row.class) {
                continue;
            }
            let value = match (stored.get(&field), program.types()[row.ty]) {
                (None, _) if is_final => continue,
                (None, Type::Boolean | Type::Integer { .. }) => Value::number(0),
                (None | Some(Value::Null(_)), Type::Reference(_) | Type::Array(_)) => {
                    Value::Null(Cause::Written)
                }
                _ => continue,
            };
            self.constants.insert(field, value);
        }
    }

    /// What the program may write by the names of fields, and not by statements.
    fn reflected(&self) -> Reflected {
        let program = self.program;
        let named = |names: &[&str]| -> FxHashSet<NameId> {
            names.iter().filter_map(|it| program.find_name(it)).collect()
        };
        let fields = named(&["java.lang.reflect.Field"]);
        let finders = named(&[
            "java.lang.Class",
            "java.lang.invoke.MethodHandles$Lookup",
            "java.util.concurrent.atomic.AtomicIntegerFieldUpdater",
            "java.util.concurrent.atomic.AtomicLongFieldUpdater",
            "java.util.concurrent.atomic.AtomicReferenceFieldUpdater",
            "jdk.internal.misc.Unsafe",
            "sun.misc.Unsafe",
        ]);
        let mut found = Reflected::default();
        for procedure in program.procedures().as_slice() {
            let Some(body) = &procedure.body else { continue };
            for statement in &body.statements {
                let Statement::Call { call, .. } = statement else { continue };
                let method = || program.text(program.selectors()[call.selector].name);
                if fields.contains(&call.class) {
                    found.writes_any |= method().starts_with("set") && method() != "setAccessible";
                } else if finders.contains(&call.class) && FINDERS.contains(&method()) {
                    for argument in body.operands(&call.arguments) {
                        if let Operand::Constant(constant) = argument
                            && let Constant::Text(name) = program.constants()[*constant]
                        {
                            found.names.insert(name);
                        }
                    }
                }
            }
        }
        found
    }

    pub(super) fn find_effects(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let count = program.procedures().len();
        let (mut reads, mut writes) =
            (vec![Some(Vec::new()); count], vec![Some(Vec::new()); count]);
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            for statement in &body.statements {
                meter.tick()?;
                match statement {
                    Statement::Load { field, .. } => {
                        add(&mut reads[id.index()], self.field(*field));
                    }
                    Statement::Store { field, .. } => {
                        add(&mut writes[id.index()], self.field(*field));
                    }
                    _ => {}
                }
            }
        }
        // Who calls what; who calls too much may read and write all.
        let mut callers: Vec<Vec<ProcId>> = vec![Vec::new(); count];
        for (id, procedure) in program.procedures().iter() {
            if procedure.body.is_none() {
                continue;
            }
            for &reference in self.calls.sites(id) {
                meter.tick()?;
                let targets = &self.calls.references()[reference].targets;
                if targets.len() > MOST_TARGETS {
                    (reads[id.index()], writes[id.index()]) = (None, None);
                    continue;
                }
                for target in targets.iter().filter(|&&target| target != id) {
                    callers[target.index()].push(id);
                }
            }
        }
        for list in &mut callers {
            list.sort_unstable();
            list.dedup();
        }
        for set in [&mut reads, &mut writes] {
            let mut work: Vec<ProcId> = program.procedures().ids().collect();
            while let Some(id) = work.pop() {
                let theirs = set[id.index()].clone();
                for &caller in &callers[id.index()] {
                    meter.tick()?;
                    let own = &mut set[caller.index()];
                    let before = own.as_ref().map(Vec::len);
                    match &theirs {
                        Some(theirs) => theirs.iter().for_each(|&field| add(own, field)),
                        None => *own = None,
                    }
                    if own.as_ref().map(Vec::len) != before {
                        work.push(caller);
                    }
                }
            }
        }
        (self.reads, self.writes) = (reads, writes);
        Ok(())
    }

    /// What a test does with what it compares.
    fn sense_of(&self, test: &Test) -> u8 {
        let is_text = |it: Operand| match it {
            Operand::Constant(it) => matches!(self.program.constants()[it], Constant::Text(_)),
            Operand::Variable(_) => false,
        };
        match is_text(test.left) || is_text(test.right) {
            true => TESTED | NAMED,
            false => TESTED,
        }
    }

    pub(super) fn find_senses(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let mut senses: Vec<Vec<u8>> = vec![Vec::new(); program.procedures().len()];
        // Parameters that are handed on: whose, which, to what, as which.
        let mut passed: Vec<(ProcId, usize, ReferenceId, usize)> = Vec::new();
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            meter.tick()?;
            senses[id.index()] = vec![0; body.parameters];
            let origin = origins(body);
            let mut note = |operand: Operand, sense: u8| {
                if let Operand::Variable(variable) = operand
                    && let Some(parameter) = origin[variable.index()]
                {
                    senses[id.index()][parameter] |= sense;
                }
            };
            let mut site = 0;
            for statement in &body.statements {
                match statement {
                    Statement::Load { object: Some(object), .. } => note(*object, USED),
                    Statement::Store { object, value, .. } => {
                        object.iter().for_each(|object| note(*object, USED));
                        note(*value, GIVEN);
                    }
                    Statement::LoadElement { array, .. } | Statement::Length { array, .. } => {
                        note(*array, USED);
                    }
                    Statement::StoreElement { array, value, .. } => {
                        note(*array, USED);
                        note(*value, GIVEN);
                    }
                    Statement::Monitor { object, .. } => note(*object, USED),
                    Statement::InstanceOf { from, .. } => note(*from, TESTED),
                    Statement::Binary { left, right, .. } => {
                        note(*left, TESTED);
                        note(*right, TESTED);
                    }
                    Statement::Call { call, .. } => {
                        let reference = self.calls.sites(id)[site];
                        site += 1;
                        let callee = &self.callees[reference.index()];
                        let arguments = body.operands(&call.arguments);
                        if let Some(Asserted::Object(position)) = callee.asserted {
                            note(arguments[position], GIVEN);
                        }
                        for (position, argument) in arguments.iter().enumerate() {
                            if position == 0 && call.dispatch != tern_ir::Dispatch::Static {
                                note(*argument, USED);
                            }
                            if !callee.matches.is_empty() || callee.model.wrapper {
                                note(*argument, GIVEN);
                            }
                            if let Operand::Variable(variable) = argument
                                && let Some(parameter) = origin[variable.index()]
                                && callee.targets.is_some()
                            {
                                passed.push((id, parameter, reference, position));
                            }
                        }
                    }
                    _ => {}
                }
            }
            for block in body.blocks.as_slice() {
                match &block.jump {
                    Jump::Branch { test, .. } => {
                        let sense = self.sense_of(test);
                        note(test.left, sense);
                        note(test.right, sense);
                    }
                    Jump::Switch { on, .. } => note(*on, TESTED),
                    Jump::Return(Some(value)) => note(*value, GIVEN),
                    Jump::Throw(value) => note(*value, USED),
                    _ => {}
                }
            }
        }
        loop {
            let mut changed = false;
            for &(id, parameter, reference, position) in &passed {
                meter.tick()?;
                let mut sense = senses[id.index()][parameter];
                for target in self.callees[reference.index()].targets.iter().flatten() {
                    sense |= senses[target.index()].get(position).copied().unwrap_or(0);
                }
                changed |= sense != senses[id.index()][parameter];
                senses[id.index()][parameter] = sense;
            }
            if !changed {
                break;
            }
        }
        self.senses = senses;
        Ok(())
    }
}

fn add(set: &mut Fields, field: FieldId) {
    let Some(fields) = set else { return };
    if let Err(place) = fields.binary_search(&field) {
        fields.insert(place, field);
        if fields.len() > MOST_FIELDS {
            *set = None;
        }
    }
}

/// For each variable, the parameter that it is a copy of.
fn origins(body: &Body) -> Vec<Option<usize>> {
    let mut origin: Vec<Option<usize>> =
        (0..body.variables.len()).map(|row| (row < body.parameters).then_some(row)).collect();
    for statement in &body.statements {
        let (Statement::Copy { to, from } | Statement::Cast { to, from, .. }) = statement else {
            continue;
        };
        if let Operand::Variable(from) = from
            && to.index() >= body.parameters
            && let Some(parameter) = origin[VarId::index(*from)]
        {
            origin[to.index()] = Some(parameter);
        }
    }
    origin
}
