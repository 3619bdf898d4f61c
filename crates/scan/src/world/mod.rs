//! What is known of a program as a whole before any procedure is explored.
//!
//! - which calls lead where, with what is known of library methods, and which events they are;
//! - which field code means (the one of the class that declares it);
//! - fields that are written only where their class or object is made (*fixed*), and their value if
//!   that is always the same constant. The program is taken to be all that writes its fields. That
//!   is `null` or 0 for private fields of classes that nothing writes;
//! - which fields a procedure reads and writes with all it calls, up to `MOST_FIELDS`;
//! - what a procedure does with a parameter, with all it calls: only if that matters is it worth
//!   telling the callee apart by the argument.

mod answers;
mod asserted;
mod beliefs;
mod callees;
mod effects;
mod enumerations;
mod failing;
mod lookups;
mod never_null;
mod nullity;
mod objects;
mod passing;
mod vouched;

pub(crate) use answers::Answers;
pub use asserted::Asserted;

use crate::explore::Flow;
use crate::models::{Model, Models, glob};
use crate::rules::{Literal, Rule, What};
use crate::values::{Cause, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;
use tern_ir::{Constant, FieldId, NameId, ProcId, Program, SelectorId, Type};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, Limit, Tri};
use tern_program::calls::{Calls, Lookup, ReferenceId, Start, World as Objects};
use tern_program::java::Report;

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
/// A parameter is compared with constant texts, as objects.
pub const NAMED: u8 = 8;

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
    /// Arguments that must have a value, counted from the last: 1 is the last.
    pub given: Vec<(usize, Literal)>,
}

/// Whether several use what a method answers without a test for `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reliance {
    /// Those who test are as many at least, also in the class of the method, and there are some.
    None,
    /// One at most, or those who test are more than twice as many.
    #[default]
    Little,
    /// Those who test are more.
    Some,
    /// Those who test are not as many.
    Much,
    /// Nobody tests, and several do not.
    All,
}

/// What is known of the calls that name one class and selector.
#[derive(Clone, Debug, Default)]
pub struct Callee {
    /// What is known of a library method.
    pub model: Model,
    /// What it demands, or it does not come back, if it is called without an object.
    pub asserted: Option<Asserted>,
    /// The events that it is.
    pub matches: Vec<Match>,
    /// What is thrown, if it is not entered: what is known of a library method, or what a method
    /// without code declares.
    pub throws: Vec<NameId>,
    /// The procedures that may be run, if they are few and all known.
    pub targets: Option<Vec<ProcId>>,
    /// Whether nothing of the program is run.
    pub is_missing: bool,
    /// Whether it is not entered: what an event does is known. Only the methods of the program that
    /// close or use what can be closed are entered, and are events when they come back.
    pub is_leaf: bool,
    /// Whether its answers are objects, by the code of all that may be run.
    pub is_object: bool,
    /// The method without arguments whose answer is an object where this one is true: it asks the
    /// same receiver for it.
    pub tells: Option<SelectorId>,
    /// Whether its answers are taken not to be `null`, whatever its code says.
    pub is_trusted: bool,
    /// Whether some of several procedures that may be run answer `null` by what their code says,
    /// and others do not.
    pub is_partial: bool,
    /// Whether nobody tests its answers, and `null` among them is what objects answered to it.
    pub is_relayed: bool,
    /// How many use its answers without a test for `null`, compared with those who test.
    pub reliance: Reliance,
    /// Whether none of the procedures that may be run ever returns.
    pub never_returns: bool,
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
    /// Fields that always hold an object.
    never_null: FxHashSet<FieldId>,
    /// Fields that other threads may write at any time.
    volatile: FxHashSet<FieldId>,
    /// Fields that code outside may write.
    exposed: FxHashSet<FieldId>,
    constants: FxHashMap<FieldId, Value>,
    lengths: FxHashMap<FieldId, i64>,
    reads: Vec<Fields>,
    writes: Vec<Fields>,
    senses: Vec<Vec<u8>>,
    flows: Vec<OnceLock<Flow>>,
    called: Vec<bool>,
    /// Calls that ask once more what was not answered by `null` before.
    asked_again: FxHashSet<(ProcId, usize)>,
    /// Calls that ask for what callers take to be there, by a constant.
    relied_on: FxHashSet<(ProcId, usize)>,
    /// Calls whose answers must be tested, since others of the class test the same.
    doubted: FxHashSet<(ProcId, usize)>,
    /// For each array by which a `switch` knows constants of an enumeration, their numbers.
    choices: FxHashMap<FieldId, Vec<(FieldId, i64)>>,
    /// What procedures declare, and may throw because of code that is not there.
    failing: FxHashMap<ProcId, Vec<NameId>>,
    /// Whether procedures call code that is not there, also far away.
    fragile: Vec<bool>,
    /// How procedures come to answer `null`.
    nullity: Vec<nullity::Nullity>,
    /// For each class, whether it tests others.
    tests: Vec<bool>,
}

impl<'p> World<'p> {
    /// Looks at a program, with what was noted when it was read.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        program: &'p mut Program,
        report: &Report,
        rules: &[Rule],
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let entries: Vec<ProcId> = program
            .procedures()
            .iter()
            .filter(|(_, procedure)| procedure.body.is_some())
            .map(|(id, _)| id)
            .collect();
        let library = program.classes().next_id();
        let start = Start { entries: &entries, world: Objects::Open, providers: &[], library };
        let calls = Calls::find(program, start, budget)?;
        let models = Models::new();
        for class in models.thrown() {
            program.name(class);
        }
        let program = &*program;
        let mut world = World {
            program,
            calls,
            models,
            callees: Vec::new(),
            declared: Vec::new(),
            fixed: Vec::new(),
            never_null: FxHashSet::default(),
            volatile: report.volatile.iter().copied().collect(),
            exposed: report.exposed.iter().copied().collect(),
            constants: FxHashMap::default(),
            lengths: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            senses: Vec::new(),
            called: Vec::new(),
            asked_again: FxHashSet::default(),
            relied_on: FxHashSet::default(),
            doubted: FxHashSet::default(),
            choices: FxHashMap::default(),
            failing: FxHashMap::default(),
            fragile: Vec::new(),
            nullity: Vec::new(),
            tests: Vec::new(),
            flows: program.procedures().ids().map(|_| OnceLock::new()).collect(),
        };
        let mut meter = Meter::new(budget);
        world.declared = program.fields().ids().map(|field| world.declare(field)).collect();
        world.called = vec![false; program.procedures().len()];
        for reference in world.calls.references().as_slice() {
            reference.targets.iter().for_each(|target| world.called[target.index()] = true);
        }
        world.find_callees(&report.declared, rules, &mut meter)?;
        world.find_fixed(&report.hidden, &mut meter)?;
        world.find_enumerations(&mut meter)?;
        world.find_failing(&report.declared, &mut meter)?;
        world.find_effects(&mut meter)?;
        world.find_senses(&mut meter)?;
        world.find_beliefs(&mut meter)?;
        world.find_nullity(&mut meter)?;
        world.find_tests(&mut meter)?;
        world.find_vouched(&mut meter)?;
        world.find_objects(&mut meter)?;
        world.find_lookups(&mut meter)?;
        world.find_endless(&mut meter)?;
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

    /// Whether other threads may write a field at any time.
    pub fn is_volatile(&self, field: FieldId) -> bool {
        self.volatile.contains(&field)
    }

    /// Whether code outside may write a field: it is taken not to, but a switch that is there for
    /// others is no reason to say that a test always goes one way.
    pub fn is_exposed(&self, field: FieldId) -> bool {
        self.exposed.contains(&field)
    }

    /// The value that a field always has.
    pub fn constant_of(&self, field: FieldId) -> Option<Value> {
        self.constants.get(&field).copied()
    }

    /// What is known of a call; `site` counts the calls of the procedure.
    pub fn callee(&self, procedure: ProcId, site: usize) -> &Callee {
        &self.callees[self.calls.sites(procedure)[site].index()]
    }

    /// What is known of the calls that name one class and selector.
    pub(crate) fn callee_of(&self, reference: ReferenceId) -> &Callee {
        &self.callees[reference.index()]
    }

    /// Whether calls of the program lead to a procedure.
    pub fn is_called(&self, procedure: ProcId) -> bool {
        self.called[procedure.index()]
    }

    /// What is known of the code of a procedure; nothing if it has none.
    pub(crate) fn flow(&self, procedure: ProcId) -> Option<&Flow> {
        let body = self.program.procedures()[procedure].body.as_ref()?;
        Some(self.flows[procedure.index()].get_or_init(|| Flow::new(self, procedure, body)))
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
                let is_missing = hierarchy.class(kind).is_none();
                if self.is_modelled(program.text(name), wanted).0
                    || is_missing && is_exception_by_name(program.text(name), wanted)
                {
                    return Tri::True;
                }
            }
        } else if is_exception_by_name(program.text(class), wanted) {
            return Tri::True;
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
        let is_error = at.starts_with("java.lang.") && at.ends_with("Error");
        let known = known || is_error || at.starts_with("java.lang.") && at.ends_with("Exception");
        let of_all = ["java.lang.Exception", "java.lang.Throwable"].contains(&above);
        let is_thrown = at == "java.lang.Throwable" || at.ends_with("Exception");
        let is_wrong = is_error && ["java.lang.Error", "java.lang.Throwable"].contains(&above);
        (is_wrong || known && of_all && is_thrown, known)
    }

    /// Whether what is thrown need not be declared.
    pub fn is_unchecked(&self, class: NameId) -> bool {
        self.is_below_named(class, "java.lang.RuntimeException") || self.is_error(class)
    }

    /// Whether what is thrown is an error that nobody is meant to catch.
    pub fn is_error(&self, class: NameId) -> bool {
        self.is_below_named(class, "java.lang.Error")
    }

    fn is_below_named(&self, class: NameId, name: &str) -> bool {
        let above = self.program.find_name(name);
        above.is_some_and(|above| self.is_below(class, above) == Tri::True)
    }

    /// Whether a class is one of those that a rule names, or lies below one.
    pub fn is_of(&self, class: NameId, names: &[String]) -> bool {
        let text = self.program.text(class);
        if names.iter().any(|name| glob(name.as_bytes(), text.as_bytes())) {
            return true;
        }
        let is_named = |text: &str| {
            let fits = |text: &str| names.iter().any(|name| glob(name.as_bytes(), text.as_bytes()));
            // What is not read may still be known.
            std::iter::successors(Some(text), |it| self.models.above(it)).any(fits)
        };
        match self.calls.hierarchy.find(class) {
            Some(kind) => self
                .calls
                .hierarchy
                .above(kind)
                .into_iter()
                .any(|kind| is_named(self.program.text(self.calls.hierarchy.name(kind)))),
            None => is_named(text),
        }
    }

    /// Whether objects of a class can be closed.
    pub fn is_closeable(&self, class: NameId) -> bool {
        self.is_of(class, &["java.lang.AutoCloseable".to_owned()])
    }

    /// The length of the array that a field always holds.
    pub fn length_of(&self, field: FieldId) -> Option<i64> {
        self.lengths.get(&field).copied()
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

    /// Whether the code of a procedure neither calls nor writes anything, nor answers.
    pub(crate) fn is_idle(&self, procedure: ProcId) -> bool {
        let row = &self.program.procedures()[procedure];
        let result = self.program.selectors()[row.selector].result;
        self.program.types()[result] == Type::Void
            && row.body.as_ref().is_some_and(|body| body.statements.is_empty())
    }

    /// Whether a procedure makes an object or a class.
    pub fn is_making(&self, procedure: ProcId) -> bool {
        let selector = self.program.procedures()[procedure].selector;
        let name = self.program.text(self.program.selectors()[selector].name);
        name == "<init>" || name == "<clinit>"
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

/// Whether a class that is not there is an exception by its name, and lies below what all
/// exceptions lie below.
fn is_exception_by_name(class: &str, above: &str) -> bool {
    class.ends_with("Exception") && ["java.lang.Exception", "java.lang.Throwable"].contains(&above)
}
