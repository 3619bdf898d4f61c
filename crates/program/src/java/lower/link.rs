//! From the constants of one class to names, types, fields and selectors of the program.
//!
//! Everything is looked up once for each index of the constant pool; names of classes get dots.

use crate::java::class::{Bootstrap, ClassFile, Kind, Malformed, Pool, Primitive, decode_text};
use crate::java::lower::lambda::Lambda;
use crate::java::report::Tally;
use rustc_hash::FxHashMap;
use tern_ir::{
    Constant, Field, FieldId, NameId, Operand, Program, Selector, SelectorId, Type, TypeId,
};

/// Types that all code uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basics {
    pub(crate) void: TypeId,
    pub(crate) boolean: TypeId,
    pub(crate) byte: TypeId,
    pub(crate) char: TypeId,
    pub(crate) short: TypeId,
    pub(crate) int: TypeId,
    pub(crate) long: TypeId,
    pub(crate) float: TypeId,
    pub(crate) double: TypeId,
    pub(crate) object: TypeId,
    pub(crate) string: TypeId,
    pub(crate) class: TypeId,
    pub(crate) throwable: TypeId,
    pub(crate) object_name: NameId,
}

impl Basics {
    pub(crate) fn new(program: &mut Program) -> Self {
        let mut named = |text: &str| {
            let name = program.name(text);
            program.ty(Type::Reference(name))
        };
        let object = named("java.lang.Object");
        let string = named("java.lang.String");
        let class = named("java.lang.Class");
        let throwable = named("java.lang.Throwable");
        let mut integer = |bits, signed| program.ty(Type::Integer { bits, signed });
        let (byte, short) = (integer(8, true), integer(16, true));
        let (int, long, char) = (integer(32, true), integer(64, true), integer(16, false));
        Basics {
            void: program.ty(Type::Void),
            boolean: program.ty(Type::Boolean),
            float: program.ty(Type::Float { bits: 32 }),
            double: program.ty(Type::Float { bits: 64 }),
            object_name: program.name("java.lang.Object"),
            byte,
            short,
            int,
            long,
            char,
            object,
            string,
            class,
            throwable,
        }
    }

    /// The type of a primitive.
    pub(crate) fn primitive(&self, primitive: Primitive) -> TypeId {
        match primitive {
            Primitive::Boolean => self.boolean,
            Primitive::Byte => self.byte,
            Primitive::Char => self.char,
            Primitive::Short => self.short,
            Primitive::Int => self.int,
            Primitive::Long => self.long,
            Primitive::Float => self.float,
            Primitive::Double => self.double,
        }
    }

    /// The widest type of a kind.
    pub(crate) fn widest(&self, kind: Kind) -> TypeId {
        match kind {
            Kind::Int => self.int,
            Kind::Long => self.long,
            Kind::Float => self.float,
            Kind::Double => self.double,
            Kind::Reference | Kind::Address => self.object,
        }
    }
}

/// A method that code names: the class where the search begins, and what is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodName {
    pub(crate) class: NameId,
    pub(crate) selector: SelectorId,
    pub(crate) of_interface: bool,
}

/// What code may ask about the class that it stands in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    pub(crate) name: NameId,
    pub(crate) superclass: Option<NameId>,
    pub(crate) file: Option<NameId>,
}

/// The types of a method.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) parameters: Box<[TypeId]>,
    pub(crate) result: TypeId,
}

/// One class while it is lowered: its constants, and the program that it goes into.
pub(crate) struct Linker<'a, 'p> {
    pub(crate) program: &'p mut Program,
    pub(crate) basics: Basics,
    pub(crate) tally: &'p mut Tally,
    pub(crate) pool: &'a Pool<'a>,
    pub(crate) bootstraps: &'a [Bootstrap],
    /// The class itself, what it extends, and its source file.
    pub(crate) host: Host,
    /// Names by the index of their text.
    names: Vec<Option<NameId>>,
    /// Class names, by the index of the class.
    classes: Vec<Option<NameId>>,
    fields: FxHashMap<u16, FieldId>,
    methods: FxHashMap<u16, MethodName>,
    /// The classes that stand for lambdas, by the index of the dynamic call; `None` if not
    /// modelled.
    pub(crate) lambdas: FxHashMap<u16, Option<Lambda>>,
    /// How many of these were made.
    pub(crate) made: usize,
    scratch: String,
}

impl<'a, 'p> Linker<'a, 'p> {
    pub(crate) fn new(
        program: &'p mut Program,
        basics: Basics,
        tally: &'p mut Tally,
        file: &'a ClassFile<'a>,
    ) -> Self {
        let len = file.pool.len();
        Linker {
            program,
            basics,
            tally,
            pool: &file.pool,
            bootstraps: &file.bootstraps,
            host: Host { name: basics.object_name, superclass: None, file: None },
            names: vec![None; len],
            classes: vec![None; len],
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            made: 0,
            scratch: String::new(),
        }
    }

    /// The name at an index.
    pub(crate) fn name(&mut self, index: u16) -> Result<NameId, Malformed> {
        if let Some(Some(name)) = self.names.get(usize::from(index)) {
            return Ok(*name);
        }
        let text = self.pool.utf8(index)?;
        let name = self.text(text)?;
        self.names[usize::from(index)] = Some(name);
        Ok(name)
    }

    /// A text as a name.
    pub(crate) fn text(&mut self, bytes: &[u8]) -> Result<NameId, Malformed> {
        match decode_text(bytes) {
            Some(text) => Ok(self.program.name(&text)),
            None => Err(Malformed { offset: 0, what: "a text is no modified UTF-8" }),
        }
    }

    /// The name of the class at an index. Arrays have the methods of `java.lang.Object`.
    pub(crate) fn class(&mut self, index: u16) -> Result<NameId, Malformed> {
        if let Some(Some(name)) = self.classes.get(usize::from(index)) {
            return Ok(*name);
        }
        let text = self.pool.utf8(self.pool.class(index)?)?;
        let name = match text.first() {
            Some(b'[') => self.basics.object_name,
            _ => self.dotted(text)?,
        };
        self.classes[usize::from(index)] = Some(name);
        Ok(name)
    }

    /// The type that the class at an index stands for, perhaps an array.
    pub(crate) fn class_type(&mut self, index: u16) -> Result<TypeId, Malformed> {
        let text = self.pool.utf8(self.pool.class(index)?)?;
        match text.first() {
            Some(b'[') => self.descriptor(text),
            _ => {
                let name = self.class(index)?;
                Ok(self.program.ty(Type::Reference(name)))
            }
        }
    }

    fn dotted(&mut self, bytes: &[u8]) -> Result<NameId, Malformed> {
        let Some(text) = decode_text(bytes) else {
            return Err(Malformed { offset: 0, what: "a text is no modified UTF-8" });
        };
        self.scratch.clear();
        self.scratch.extend(text.chars().map(|c| if c == '/' { '.' } else { c }));
        Ok(self.program.name(&self.scratch))
    }

    /// The type that the descriptor at an index stands for.
    pub(crate) fn type_at(&mut self, index: u16) -> Result<TypeId, Malformed> {
        self.descriptor(self.pool.utf8(index)?)
    }

    fn descriptor(&mut self, bytes: &[u8]) -> Result<TypeId, Malformed> {
        let mut rest = bytes;
        let ty = self.next_type(&mut rest)?;
        match rest.is_empty() {
            true => Ok(ty),
            false => Err(no_type()),
        }
    }

    /// The type at the beginning of a descriptor, which is taken off.
    fn next_type(&mut self, rest: &mut &[u8]) -> Result<TypeId, Malformed> {
        let dimensions = rest.iter().take_while(|&&byte| byte == b'[').count();
        if dimensions > 255 {
            return Err(Malformed { offset: 0, what: "an array of more than 255 dimensions" });
        }
        let (&first, mut behind) = rest[dimensions..].split_first().ok_or_else(no_type)?;
        let basics = self.basics;
        let mut ty = match first {
            b'Z' => basics.boolean,
            b'B' => basics.byte,
            b'C' => basics.char,
            b'S' => basics.short,
            b'I' => basics.int,
            b'J' => basics.long,
            b'F' => basics.float,
            b'D' => basics.double,
            b'L' => {
                let end = memchr::memchr(b';', behind).ok_or_else(no_type)?;
                let name = self.dotted(&behind[..end])?;
                behind = &behind[end + 1..];
                self.program.ty(Type::Reference(name))
            }
            _ => return Err(no_type()),
        };
        *rest = behind;
        for _ in 0..dimensions {
            ty = self.program.ty(Type::Array(ty));
        }
        Ok(ty)
    }

    /// The types of the method descriptor at an index.
    pub(crate) fn signature(&mut self, index: u16) -> Result<Signature, Malformed> {
        let text = self.pool.utf8(index)?;
        let mut rest = text.strip_prefix(b"(").ok_or_else(no_type)?;
        let mut parameters = Vec::new();
        while !rest.starts_with(b")") {
            parameters.push(self.next_type(&mut rest)?);
            if parameters.len() > 255 {
                return Err(Malformed { offset: 0, what: "a method of more than 255 parameters" });
            }
        }
        let result = match &rest[1..] {
            b"V" => self.basics.void,
            result => self.descriptor(result)?,
        };
        Ok(Signature { parameters: parameters.into(), result })
    }

    /// The selector of a name and a method descriptor.
    pub(crate) fn selector(&mut self, name: u16, descriptor: u16) -> Result<SelectorId, Malformed> {
        let name = self.name(name)?;
        let Signature { parameters, result } = self.signature(descriptor)?;
        Ok(self.program.selector(Selector { name, parameters, result }))
    }

    /// The field at an index.
    pub(crate) fn field(&mut self, index: u16) -> Result<FieldId, Malformed> {
        if let Some(&field) = self.fields.get(&index) {
            return Ok(field);
        }
        let member = self.pool.field(index)?;
        let class = self.class(member.class)?;
        let name = self.name(member.name)?;
        let ty = self.type_at(member.descriptor)?;
        let field = self.program.field(Field { class, name, ty });
        self.fields.insert(index, field);
        Ok(field)
    }

    /// The method at an index.
    pub(crate) fn method(&mut self, index: u16) -> Result<MethodName, Malformed> {
        if let Some(&method) = self.methods.get(&index) {
            return Ok(method);
        }
        let member = self.pool.method(index)?;
        let class = self.class(member.class)?;
        let selector = self.selector(member.name, member.descriptor)?;
        let method = MethodName { class, selector, of_interface: member.of_interface };
        self.methods.insert(index, method);
        Ok(method)
    }

    /// A constant as an operand.
    pub(crate) fn constant(&mut self, constant: Constant) -> Operand {
        Operand::Constant(self.program.constant(constant))
    }

    /// What kind a type is of on the stack; nothing for `void`.
    pub(crate) fn kind(&self, ty: TypeId) -> Option<Kind> {
        Some(match self.program.types()[ty] {
            Type::Void => return None,
            Type::Integer { bits: 64, .. } => Kind::Long,
            Type::Integer { .. } | Type::Boolean => Kind::Int,
            Type::Float { bits: 32 } => Kind::Float,
            Type::Float { .. } => Kind::Double,
            Type::Reference(_) | Type::Array(_) | Type::Unknown => Kind::Reference,
        })
    }
}

fn no_type() -> Malformed {
    Malformed { offset: 0, what: "a descriptor says no type" }
}
