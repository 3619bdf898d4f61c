//! Programs: names, types, classes, and the procedures that belong to them.

use crate::{
    ClassId, Constant, ConstantId, FieldId, NameId, ProcId, Procedure, SelectorId, TypeId,
};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use tern_model::index::{Numbering, Table};
use tern_model::names::Names;

/// What stands in the name of a class that was made for a function which is a value: behind the
/// name of the class whose code makes it, and before a number.
pub const LAMBDA: &str = "$$Lambda$";

/// A type, by name as far as it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of so many bits, which wraps.
    Integer {
        /// How many bits it has.
        bits: u8,
        /// Whether it may be negative.
        signed: bool,
    },
    /// A floating-point number of so many bits.
    Float {
        /// How many bits it has.
        bits: u8,
    },
    /// A truth value.
    Boolean,
    /// A reference to an object of the named class, of a class below it, or `null`.
    Reference(NameId),
    /// A reference to an array of such elements, or `null`.
    Array(TypeId),
    /// A value of which nothing is known.
    Unknown,
}

/// A field as code names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The class in which the search for it begins; for globals of C, the empty name.
    pub class: NameId,
    /// Its name.
    pub name: NameId,
    /// Its type.
    pub ty: TypeId,
}

/// What a call asks for. Two methods with the same selector override each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    /// The name.
    pub name: NameId,
    /// Types of the parameters, without the receiver.
    pub parameters: Box<[TypeId]>,
    /// The type of the result, or [`Type::Void`].
    pub result: TypeId,
}

/// What kind of class it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class of which objects are made.
    Concrete,
    /// A class of which no objects are made.
    Abstract,
    /// An interface.
    Interface,
}

/// Who may name a class or a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Public,
    /// Classes of the package, and those that extend the class.
    Protected,
    /// Classes of the package.
    Package,
    /// The class itself.
    Private,
}

/// A class or interface that the program defines.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name, with dots: `java.lang.Object`.
    pub name: NameId,
    /// What it extends; nothing for the root and for interfaces.
    pub superclass: Option<NameId>,
    /// The interfaces it names.
    pub interfaces: Box<[NameId]>,
    /// What kind it is.
    pub kind: ClassKind,
    /// Who may name it.
    pub access: Access,
    /// Whether nothing may extend it.
    pub is_final: bool,
    /// The source file, if that is known.
    pub file: Option<NameId>,
    /// The fields that it defines, and whether each belongs to the class as a whole (`static`).
    pub fields: Vec<(FieldId, bool)>,
    /// Its procedures.
    pub procedures: Vec<ProcId>,
}

/// A program, or a part of one.
#[derive(Debug, Default)]
pub struct Program {
    names: Names<NameId>,
    known_names: HashTable<NameId>,
    types: Numbering<TypeId, Type>,
    fields: Numbering<FieldId, Field>,
    selectors: Numbering<SelectorId, Selector>,
    constants: Numbering<ConstantId, Constant>,
    classes: Table<ClassId, Class>,
    class_of: FxHashMap<NameId, ClassId>,
    procedures: Table<ProcId, Procedure>,
    found: FxHashMap<(Option<ClassId>, SelectorId), ProcId>,
}

impl Program {
    /// A program without anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a name, which is kept if it is new.
    pub fn name(&mut self, text: &str) -> NameId {
        let names = &mut self.names;
        let hash = FxBuildHasher.hash_one(text);
        let same = |id: &NameId| names.of(*id) == text;
        match self.known_names.entry(hash, same, |id| FxBuildHasher.hash_one(names.of(*id))) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = self.names.push(text);
                entry.insert(id);
                id
            }
        }
    }

    /// The id of a name, if it occurs.
    pub fn find_name(&self, text: &str) -> Option<NameId> {
        let hash = FxBuildHasher.hash_one(text);
        self.known_names.find(hash, |id| self.names.of(*id) == text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.names.of(name)
    }

    /// Whether there is such a name.
    pub fn has_name(&self, name: NameId) -> bool {
        tern_model::index::Id::index(name) < self.names.len()
    }

    /// The id of a type.
    pub fn ty(&mut self, ty: Type) -> TypeId {
        self.types.id(ty)
    }

    /// All types.
    pub fn types(&self) -> &Table<TypeId, Type> {
        self.types.rows()
    }

    /// The id of a field as code names it.
    pub fn field(&mut self, field: Field) -> FieldId {
        self.fields.id(field)
    }

    /// All fields that code names or classes define.
    pub fn fields(&self) -> &Table<FieldId, Field> {
        self.fields.rows()
    }

    /// The id of a selector.
    pub fn selector(&mut self, selector: Selector) -> SelectorId {
        self.selectors.id(selector)
    }

    /// The id of a selector, if it occurs.
    pub fn find_selector(&self, selector: &Selector) -> Option<SelectorId> {
        self.selectors.find(selector)
    }

    /// All selectors.
    pub fn selectors(&self) -> &Table<SelectorId, Selector> {
        self.selectors.rows()
    }

    /// The id of a constant.
    pub fn constant(&mut self, constant: Constant) -> ConstantId {
        self.constants.id(constant)
    }

    /// All constants.
    pub fn constants(&self) -> &Table<ConstantId, Constant> {
        self.constants.rows()
    }

    /// Adds a class; its procedures are added after it. Of classes with the same name only the
    /// first is found by name, as on a class path.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        let name = class.name;
        let id = self.classes.push(class);
        self.class_of.entry(name).or_insert(id);
        id
    }

    /// All classes.
    pub fn classes(&self) -> &Table<ClassId, Class> {
        &self.classes
    }

    /// The class of that name, if the program defines it.
    pub fn find_class(&self, name: NameId) -> Option<ClassId> {
        self.class_of.get(&name).copied()
    }

    /// Adds a procedure, to its class if it has one.
    pub fn add_procedure(&mut self, procedure: Procedure) -> ProcId {
        let key = (procedure.class, procedure.selector);
        let class = procedure.class;
        let id = self.procedures.push(procedure);
        self.found.entry(key).or_insert(id);
        if let Some(class) = class {
            self.classes[class].procedures.push(id);
        }
        id
    }

    /// All procedures.
    pub fn procedures(&self) -> &Table<ProcId, Procedure> {
        &self.procedures
    }

    /// The procedure of exactly that class with that selector; inherited ones are not looked for.
    pub fn find_procedure(&self, class: Option<ClassId>, selector: SelectorId) -> Option<ProcId> {
        self.found.get(&(class, selector)).copied()
    }

    /// Takes the body out of a procedure that needs it no longer, or puts one in.
    pub fn body_mut(&mut self, procedure: ProcId) -> &mut Option<crate::Body> {
        &mut self.procedures[procedure].body
    }

    /// A procedure as people write it: `Class.name`, without types.
    pub fn title(&self, procedure: ProcId) -> String {
        let procedure = &self.procedures[procedure];
        let name = self.text(self.selectors.rows()[procedure.selector].name);
        match procedure.class {
            Some(class) => format!("{}.{name}", self.text(self.classes[class].name)),
            None => name.to_owned(),
        }
    }
}
