//! Numbers for code: by the names that stand in it, so that they are the same in programs that
//! number their names otherwise.

use super::Digest;
use crate::world::World;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use tern_ir::{
    Body, Call, Constant, ConstantId, FieldId, Jump, NameId, Operand, ProcId, SelectorId,
    Statement, Type, TypeId, VarId,
};
use tern_model::index::Id;

/// Numbers for the names, classes, types, fields and constants of a program.
pub(super) struct Words<'w, 'p> {
    world: &'w World<'p>,
    names: RefCell<FxHashMap<NameId, Digest>>,
    classes: RefCell<FxHashMap<NameId, Digest>>,
    below: RefCell<FxHashMap<NameId, Digest>>,
    types: Vec<Digest>,
    selectors: Vec<Digest>,
    fields: Vec<Digest>,
    constants: Vec<Digest>,
}

impl<'w, 'p> Words<'w, 'p> {
    pub(super) fn new(world: &'w World<'p>) -> Self {
        let mut own = Words {
            world,
            names: RefCell::default(),
            classes: RefCell::default(),
            below: RefCell::default(),
            types: Vec::new(),
            selectors: Vec::new(),
            fields: Vec::new(),
            constants: Vec::new(),
        };
        let program = world.program;
        for ty in program.types().ids() {
            let digest = own.made_type(ty);
            own.types.push(digest);
        }
        let selectors = program.selectors().as_slice().iter().map(|selector| {
            let mut digest = own.name(selector.name);
            selector.parameters.iter().for_each(|ty| {
                digest.other(own.ty(*ty));
            });
            digest.other(own.ty(selector.result));
            digest
        });
        own.selectors = selectors.collect();
        let fields = program.fields().as_slice().iter().map(|field| {
            *own.name(field.class).other(own.name(field.name)).other(own.ty(field.ty))
        });
        own.fields = fields.collect();
        let constants = program.constants().as_slice().iter().map(|constant| {
            let mut digest = Digest::new();
            match constant {
                Constant::Integer(value) => digest.small(0u8).number(*value as u128),
                Constant::Float(bits) => digest.small(1u8).small(*bits),
                Constant::Text(name) => digest.small(2u8).other(own.name(*name)),
                Constant::Class(ty) => digest.small(3u8).other(own.ty(*ty)),
                Constant::Null => digest.small(4u8),
                Constant::Any => digest.small(5u8),
            };
            digest
        });
        own.constants = constants.collect();
        own
    }

    pub(super) fn name(&self, name: NameId) -> Digest {
        let text = || *Digest::new().text(self.world.program.text(name));
        *self.names.borrow_mut().entry(name).or_insert_with(text)
    }

    /// A class with all that lies above it.
    pub(super) fn class(&self, name: NameId) -> Digest {
        if let Some(known) = self.classes.borrow().get(&name) {
            return *known;
        }
        let (program, hierarchy) = (self.world.program, &self.world.calls.hierarchy);
        let mut own = self.name(name);
        let kinds = hierarchy.find(name).map(|kind| hierarchy.above(kind)).unwrap_or_default();
        for kind in kinds {
            own.other(self.name(hierarchy.name(kind))).small(u8::from(hierarchy.is_open(kind)));
            if let Some(class) = hierarchy.class(kind) {
                let class = &program.classes()[class];
                own.small(class.kind as u8).small(u8::from(class.is_final));
            }
        }
        self.classes.borrow_mut().insert(name, own);
        own
    }

    /// The classes that a type stands for, as far as it is asked which these are.
    pub(super) fn below(&self, name: NameId) -> Digest {
        let found = || {
            // In any order: their numbers are added.
            let each = self.world.classes_below(name).unwrap_or_default();
            let each = each.into_iter().map(|it| self.class(it).0);
            Digest(each.fold(0, u128::wrapping_add))
        };
        *self.below.borrow_mut().entry(name).or_insert_with(found)
    }

    fn made_type(&self, ty: TypeId) -> Digest {
        let mut own = Digest::new();
        match self.world.program.types()[ty] {
            Type::Void => own.small(0u8),
            Type::Integer { bits, signed } => own.small(1u8).small(bits).small(u8::from(signed)),
            Type::Float { bits } => own.small(2u8).small(bits),
            Type::Boolean => own.small(3u8),
            Type::Reference(name) => own.small(4u8).other(self.class(name)),
            Type::Array(element) => {
                // Elements come first; if not, they are gone down to.
                let known = self.types.get(element.index()).copied();
                own.small(5u8).other(known.unwrap_or_else(|| self.made_type(element)))
            }
            Type::Unknown => own.small(6u8),
        };
        own
    }

    pub(super) fn ty(&self, ty: TypeId) -> Digest {
        self.types[ty.index()]
    }

    pub(super) fn field(&self, field: FieldId) -> Digest {
        self.fields[field.index()]
    }

    pub(super) fn selector(&self, selector: SelectorId) -> Digest {
        self.selectors[selector.index()]
    }

    fn constant(&self, constant: ConstantId) -> Digest {
        self.constants[constant.index()]
    }

    /// The name of a procedure, with all its types.
    pub(super) fn procedure(&self, id: ProcId) -> Digest {
        let program = self.world.program;
        let procedure = &program.procedures()[id];
        let mut own = Digest::new();
        if let Some(class) = procedure.class {
            own.other(self.name(program.classes()[class].name));
        }
        // By names alone: what lies above the classes is no part of the name.
        let selector = &program.selectors()[procedure.selector];
        own.other(self.name(selector.name));
        for &ty in selector.parameters.iter().chain([&selector.result]) {
            own.text(&self.world.type_text(ty));
        }
        own
    }

    /// The code of a procedure; lines are counted from `first`.
    pub(super) fn body(&self, own: &mut Digest, body: &Body, first: u32) {
        own.small(body.parameters as u64);
        for variable in body.variables.as_slice() {
            own.number(variable.name.map_or(0, |name| self.name(name).0));
            own.other(self.ty(variable.ty));
        }
        let line = |line: u32| u64::from(line.wrapping_sub(first));
        for (statement, place) in body.statements.iter().zip(&body.places) {
            self.statement(own, body, statement);
            own.small(line(place.line));
        }
        for block in body.blocks.as_slice() {
            own.small(block.statements.start).small(block.statements.end);
            own.small(block.handlers.start).small(block.handlers.end);
            own.small(line(block.place.line));
            self.jump(own, &block.jump);
        }
        for handler in &body.handlers {
            own.number(handler.class.map_or(0, |class| self.class(class).0));
            own.small(number(handler.variable)).small(handler.block.index() as u64);
        }
    }

    fn operand(&self, own: &mut Digest, operand: Operand) {
        match operand {
            Operand::Variable(variable) => own.small(number(variable)),
            Operand::Constant(constant) => own.other(self.constant(constant)),
        };
    }

    fn statement(&self, own: &mut Digest, body: &Body, statement: &Statement) {
        own.small(statement.written().map_or(u64::MAX, number));
        let kind: u8 = match statement {
            Statement::Copy { .. } => 0,
            Statement::Unary { operator, .. } => 10 + *operator as u8,
            Statement::Binary { operator, .. } => 20 + *operator as u8,
            Statement::New { class, .. } => {
                own.other(self.class(*class));
                1
            }
            Statement::NewArray { element, .. } => {
                own.other(self.ty(*element));
                2
            }
            Statement::Load { object, field, .. } => {
                own.other(self.field(*field));
                3 + u8::from(object.is_some()) * 100
            }
            Statement::Store { object, field, .. } => {
                own.other(self.field(*field));
                4 + u8::from(object.is_some()) * 100
            }
            Statement::LoadElement { .. } => 5,
            Statement::StoreElement { .. } => 6,
            Statement::Length { .. } => 7,
            Statement::Cast { ty, .. } => {
                own.other(self.ty(*ty));
                8
            }
            Statement::InstanceOf { ty, .. } => {
                own.other(self.ty(*ty));
                9
            }
            Statement::Call { call, .. } => {
                self.call(own, call);
                50
            }
            Statement::Monitor { enter, .. } => 51 + u8::from(*enter),
        };
        own.small(kind);
        statement.operands(body, |operand| self.operand(own, operand));
    }

    fn call(&self, own: &mut Digest, call: &Call) {
        own.small(call.dispatch as u8).other(self.class(call.class));
        own.other(self.selector(call.selector));
        own.small(call.arguments.end - call.arguments.start);
    }

    fn jump(&self, own: &mut Digest, jump: &Jump) {
        let kind: u8 = match jump {
            Jump::Goto(_) => 0,
            Jump::Branch { test, .. } => 10 + test.comparison as u8,
            Jump::Switch { cases, .. } => {
                for (value, _) in cases {
                    own.small(*value as u64);
                }
                2
            }
            Jump::Return(_) => 3,
            Jump::Throw(_) => 4,
        };
        own.small(kind);
        jump.operands(|operand| self.operand(own, operand));
        jump.targets(|to| {
            own.small(to.index() as u64);
        });
    }
}

fn number(variable: VarId) -> u64 {
    variable.index() as u64
}
