//! What is known of a program as a whole before any procedure is explored.
//!
//! - which calls lead where, with what is known of library methods, and which events they are;
//! - which field code means (the one of the class that declares it);
//! - fields that are written only where their class or object is made (*fixed*), and their value if
//!   that is always the same constant. The program is taken to be all that writes its fields;
//! - which fields a procedure reads and writes with all it calls, up to [`MOST_FIELDS`];
//! - what a procedure does with a parameter, with all it calls: only if that matters is it worth
//!   telling the callee apart by the argument.

use crate::models::{Model, Models, glob};
use crate::rules::{Pattern, Rule, What};
use crate::values::{Cause, Value};
use rustc_hash::FxHashMap;
use tern_ir::{
    Body, Constant, FieldId, Jump, NameId, Operand, ProcId, Program, Statement, Type, VarId,
};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, Limit, Tri};
use tern_program::calls::{Calls, Lookup, ReferenceId, Start, World as Objects};

/// Calls with more targets than this are not entered.
pub const MOST_TARGETS: usize = 6;
/// Procedures that read or write more fields than this may read or write all.
const MOST_FIELDS: usize = 24;

/// What is done with a parameter: it is tested.
pub const TESTED: u8 = 1;
/// It is used where an object must be.
pub const USED: u8 = 2;
/// It is returned, stored, or is part of an event.
pub const GIVEN: u8 = 4;

/// That a call is an event of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The rule.
    pub rule: u8,
    /// The event; none if nothing is known of the object afterwards.
    pub event: Option<u8>,
    /// What happens to the object.
    pub what: What,
    /// The result that it must have.
    pub result: Option<bool>,
}

/// What is known of the calls that name one class and selector.
#[derive(Clone, Debug, Default)]
pub struct Callee {
    /// What is known of a library method.
    pub model: Model,
    /// The events that it is.
    pub matches: Vec<Match>,
    /// The procedures that may be run, if they are few and all known.
    pub targets: Option<Vec<ProcId>>,
    /// Whether nothing of the program is run.
    pub is_missing: bool,
}

/// A set of fields; none if there are too many.
pub type Fields = Option<Vec<FieldId>>;

/// What is known of a program as a whole.
pub struct World<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where its calls lead.
    pub calls: Calls,
    /// What is known of library methods.
    pub models: Models,
    callees: Vec<Callee>,
    declared: Vec<FieldId>,
    fixed: Vec<bool>,
    constants: FxHashMap<FieldId, Value>,
    reads: Vec<Fields>,
    writes: Vec<Fields>,
    senses: Vec<Vec<u8>>,
    unchecked: FxHashMap<NameId, bool>,
}

impl<'p> World<'p> {
    /// Looks at a program.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(program: &'p mut Program, rules: &[Rule], budget: &Budget) -> Result<Self, Limit> {
        let entries: Vec<ProcId> = program
            .procedures()
            .iter()
            .filter(|(_, procedure)| procedure.body.is_some())
            .map(|(id, _)| id)
            .collect();
        let start = Start { entries: &entries, world: Objects::Open, providers: &[] };
        let calls = Calls::find(program, start, budget)?;
        for class in
            ["java.io.IOException", "java.sql.SQLException", "java.lang.InterruptedException"]
        {
            program.name(class);
        }
        let program = &*program;
        let mut world = World {
            program,
            calls,
            models: Models::new(),
            callees: Vec::new(),
            declared: Vec::new(),
            fixed: Vec::new(),
            constants: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            senses: Vec::new(),
            unchecked: FxHashMap::default(),
        };
        let mut meter = Meter::new(budget);
        world.declared = program.fields().ids().map(|field| world.declare(field)).collect();
        world.find_callees(rules, &mut meter)?;
        world.find_fixed(&mut meter)?;
        world.find_effects(&mut meter)?;
        world.find_senses(&mut meter)?;
        Ok(world)
    }

    /// The field that code means: that of the class which declares it.
    pub fn field(&self, field: FieldId) -> FieldId {
        self.declared[field.index()]
    }

    /// Whether a field is written only where its class or object is made.
    pub fn is_fixed(&self, field: FieldId) -> bool {
        self.fixed[field.index()]
    }

    /// The value that a field always has.
    pub fn constant_of(&self, field: FieldId) -> Option<Value> {
        self.constants.get(&field).copied()
    }

    /// What is known of a call; `site` counts the calls of the procedure.
    pub fn callee(&self, procedure: ProcId, site: usize) -> &Callee {
        &self.callees[self.calls.sites(procedure)[site].index()]
    }

    /// The fields that a procedure reads, with all it calls.
    pub fn reads(&self, procedure: ProcId) -> Option<&[FieldId]> {
        self.reads[procedure.index()].as_deref()
    }

    /// The fields that a procedure writes, with all it calls.
    pub fn writes(&self, procedure: ProcId) -> Option<&[FieldId]> {
        self.writes[procedure.index()].as_deref()
    }

    /// What a procedure does with its parameters, with all it calls.
    pub fn senses(&self, procedure: ProcId) -> &[u8] {
        &self.senses[procedure.index()]
    }

    /// Whether one class is another or lies below it.
    pub fn is_below(&self, class: NameId, above: NameId) -> Tri {
        if class == above {
            return Tri::True;
        }
        let program = self.program;
        let wanted = program.text(above);
        let hierarchy = &self.calls.hierarchy;
        let mut is_open = true;
        if let Some(kind) = hierarchy.find(class) {
            is_open = false;
            for kind in hierarchy.above(kind) {
                let name = hierarchy.name(kind);
                if name == above {
                    return Tri::True;
                }
                is_open |=
                    hierarchy.is_open(kind) && !self.is_modelled(program.text(name), wanted).1;
                if self.is_modelled(program.text(name), wanted).0 {
                    return Tri::True;
                }
            }
        }
        match self.is_modelled(program.text(class), wanted) {
            (true, _) => Tri::True,
            (_, known) if known && is_open => Tri::False,
            _ if is_open => Tri::Unknown,
            _ => Tri::False,
        }
    }

    /// Whether the models put one class below another, and whether they know the class at all.
    fn is_modelled(&self, class: &str, above: &str) -> (bool, bool) {
        let mut at = class;
        let mut known = false;
        while let Some(next) = self.models.above(at) {
            known = true;
            at = next;
            if at == above {
                return (true, true);
            }
        }
        let known = known || at.starts_with("java.lang.") && at.ends_with("Exception");
        let of_all = ["java.lang.Exception", "java.lang.Throwable"].contains(&above);
        (known && of_all, known)
    }

    /// Whether what is thrown need not be declared.
    pub fn is_unchecked(&self, class: NameId) -> bool {
        self.unchecked.get(&class).copied().unwrap_or_else(|| {
            let below = |name: &str| {
                let above = self.program.find_name(name);
                above.is_some_and(|above| self.is_below(class, above) == Tri::True)
            };
            below("java.lang.RuntimeException") || below("java.lang.Error")
        })
    }

    /// Whether a class is one of those that a rule names, or lies below one.
    pub fn is_of(&self, class: NameId, names: &[String]) -> bool {
        let text = self.program.text(class);
        if names.iter().any(|name| glob(name.as_bytes(), text.as_bytes())) {
            return true;
        }
        let Some(kind) = self.calls.hierarchy.find(class) else { return false };
        self.calls.hierarchy.above(kind).into_iter().any(|kind| {
            let text = self.program.text(self.calls.hierarchy.name(kind));
            names.iter().any(|name| glob(name.as_bytes(), text.as_bytes()))
        })
    }

    fn declare(&self, field: FieldId) -> FieldId {
        let row = self.program.fields()[field];
        let Some(kind) = self.calls.hierarchy.find(row.class) else { return field };
        for kind in self.calls.hierarchy.above(kind) {
            let Some(class) = self.calls.hierarchy.class(kind) else { continue };
            let fields = &self.program.classes()[class].fields;
            let own = fields.iter().find(|(own, _)| {
                let own = self.program.fields()[*own];
                own.name == row.name && own.ty == row.ty
            });
            if let Some((own, _)) = own {
                return *own;
            }
        }
        field
    }

    fn find_callees(&mut self, rules: &[Rule], meter: &mut Meter) -> Result<(), Limit> {
        let mut callees = Vec::new();
        for reference in self.calls.references().as_slice() {
            meter.tick()?;
            let class = self.program.text(reference.class);
            let selector = &self.program.selectors()[reference.selector];
            let method = self.program.text(selector.name);
            let mut callee = Callee { model: self.models.of(class, method), ..Callee::default() };
            let bodies = reference.targets.iter().copied();
            let has_body = |id: &ProcId| self.program.procedures()[*id].body.is_some();
            let few = reference.targets.len() <= MOST_TARGETS;
            if few && reference.unknown.is_none() && bodies.clone().all(|id| has_body(&id)) {
                callee.targets =
                    Some(bodies.clone().collect()).filter(|it: &Vec<_>| !it.is_empty());
            }
            callee.is_missing = !bodies.clone().any(|id| has_body(&id));
            for (number, rule) in rules.iter().enumerate() {
                let mut note = |pattern: &Pattern, event: Option<u8>| {
                    if self.fits(rule, pattern, reference.class, selector, method) {
                        callee.matches.push(Match {
                            rule: number as u8,
                            event,
                            what: pattern.what.clone(),
                            result: pattern.result,
                        });
                        return true;
                    }
                    false
                };
                for pattern in &rule.forget {
                    note(pattern, None);
                }
                let mut fit = Vec::new();
                for (event, row) in rule.events.iter().enumerate() {
                    if row.except.iter().any(|other| fit.contains(other)) {
                        continue;
                    }
                    if row.patterns.iter().any(|pattern| note(pattern, Some(event as u8))) {
                        fit.push(event);
                    }
                }
            }
            callees.push(callee);
        }
        self.callees = callees;
        Ok(())
    }

    fn fits(
        &self,
        rule: &Rule,
        pattern: &Pattern,
        class: NameId,
        selector: &tern_ir::Selector,
        method: &str,
    ) -> bool {
        if !glob(pattern.method.as_bytes(), method.as_bytes()) || pattern.method.is_empty() {
            return false;
        }
        if method == "<init>" && pattern.method != "<init>" {
            return false;
        }
        let is_class = match &pattern.class {
            Some(name) if pattern.what == What::Made => {
                glob(name.as_bytes(), self.program.text(class).as_bytes())
            }
            Some(name) => self.is_of(class, std::slice::from_ref(name)),
            None => rule.object.as_ref().is_some_and(|(_, names)| self.is_of(class, names)),
        };
        is_class
            && pattern.parameters.as_ref().is_none_or(|types| {
                let given = selector.parameters.iter();
                types.len() == given.len()
                    && types.iter().zip(given).all(|(wanted, &ty)| {
                        let text = self.type_text(ty);
                        text == *wanted || text.ends_with(&format!(".{wanted}"))
                    })
            })
    }

    /// A type as Java writes it.
    pub fn type_text(&self, ty: tern_ir::TypeId) -> String {
        let (mut ty, mut brackets) = (ty, 0);
        loop {
            let text = match self.program.types()[ty] {
                Type::Array(element) => {
                    ty = element;
                    brackets += 1;
                    continue;
                }
                Type::Void => "void",
                Type::Boolean => "boolean",
                Type::Integer { bits: 8, .. } => "byte",
                Type::Integer { bits: 16, signed: true } => "short",
                Type::Integer { bits: 16, .. } => "char",
                Type::Integer { bits: 32, .. } => "int",
                Type::Integer { .. } => "long",
                Type::Float { bits: 32 } => "float",
                Type::Float { .. } => "double",
                Type::Reference(name) => self.program.text(name),
                Type::Unknown => "?",
            };
            return format!("{text}{}", "[]".repeat(brackets));
        }
    }

    /// What is known of a constant.
    pub fn constant(&self, constant: tern_ir::ConstantId) -> Value {
        match self.program.constants()[constant] {
            Constant::Integer(value) => i64::try_from(value).map_or(Value::Any, Value::number),
            Constant::Text(name) => Value::Text(name),
            Constant::Class(_) => Value::NonNull,
            Constant::Null => Value::Null(Cause::Written),
            Constant::Float(_) | Constant::Any => Value::Any,
        }
    }

    /// Whether a procedure makes an object or a class.
    pub fn is_making(&self, procedure: ProcId) -> bool {
        let selector = self.program.procedures()[procedure].selector;
        let name = self.program.text(self.program.selectors()[selector].name);
        name == "<init>" || name == "<clinit>"
    }

    fn find_fixed(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let mut fixed = vec![true; program.fields().len()];
        let mut stored: FxHashMap<FieldId, Value> = FxHashMap::default();
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            let is_making = self.is_making(id);
            for statement in &body.statements {
                meter.tick()?;
                let Statement::Store { field, value, .. } = statement else { continue };
                let field = self.field(*field);
                let class = procedure.class.map(|class| program.classes()[class].name);
                if !is_making || Some(program.fields()[field].class) != class {
                    fixed[field.index()] = false;
                }
                let value = match value {
                    Operand::Constant(constant) => self.constant(*constant),
                    Operand::Variable(_) => Value::Any,
                };
                let known = stored.entry(field).or_insert(value);
                if *known != value {
                    *known = Value::Any;
                }
            }
        }
        for (&field, &value) in &stored {
            let known = !matches!(value, Value::Any | Value::Null(_));
            if fixed[field.index()] && known {
                self.constants.insert(field, value);
            }
        }
        // What a compiler writes for `assert`: assertions are taken to be true.
        for (field, row) in program.fields().iter() {
            if program.text(row.name) == "$assertionsDisabled" {
                self.constants.insert(field, Value::number(0));
            }
        }
        self.fixed = fixed;
        Ok(())
    }

    fn find_effects(&mut self, meter: &mut Meter) -> Result<(), Limit> {
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
        loop {
            let mut changed = false;
            for (id, procedure) in program.procedures().iter() {
                if procedure.body.is_none() {
                    continue;
                }
                meter.tick()?;
                for &reference in self.calls.sites(id) {
                    let reference = &self.calls.references()[reference];
                    for set in [&mut reads, &mut writes] {
                        let mut own = set[id.index()].take();
                        if own.is_none() {
                            continue;
                        }
                        let before = own.as_ref().map(Vec::len);
                        if reference.targets.len() > MOST_TARGETS {
                            own = None;
                        }
                        for target in &reference.targets {
                            if *target == id {
                                continue;
                            }
                            match &set[target.index()] {
                                Some(theirs) => {
                                    theirs.iter().for_each(|&field| add(&mut own, field));
                                }
                                None => own = None,
                            }
                        }
                        changed |= own.as_ref().map(Vec::len) != before;
                        set[id.index()] = own;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        (self.reads, self.writes) = (reads, writes);
        Ok(())
    }

    fn find_senses(&mut self, meter: &mut Meter) -> Result<(), Limit> {
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
                        note(test.left, TESTED);
                        note(test.right, TESTED);
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

    /// The procedure that a call on an object of just this class runs.
    pub fn select(&self, class: NameId, resolved: ProcId) -> Option<ProcId> {
        let kind = self.calls.hierarchy.find(class)?;
        let lookup = Lookup { program: self.program, hierarchy: &self.calls.hierarchy };
        let found = lookup.select(kind, resolved);
        found.procedure.filter(|_| !found.missing)
    }

    /// The procedure that calls mean, before objects are looked at.
    pub fn resolved(&self, procedure: ProcId, site: usize) -> Option<ProcId> {
        self.calls.references()[self.calls.sites(procedure)[site]].resolved
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
