//! Programs as text, for people and for tests.
//!
//! ```text
//! class Counter extends java.lang.Object public file "Counter.java" {
//!   field n : i32
//!   procedure add(i32) : i32 public {
//!     param v0 this : Counter
//!     param v1 k : i32
//!     var v2 : i32
//!     b0 catch any v2 b1 {
//!       v2 = v0.Counter::n : i32 @ 12:1
//!       v2 = v2 + v1 @ 12:5
//!       v0.Counter::n : i32 = v2 @ 12:6
//!       v2 = call virtual Counter::get() : i32 (v0) @ 13:9
//!       return v2 @ 14:12
//!     }
//!     b1 { return 0 @ 15:13 }
//!   }
//! }
//! ```
//!
//! A name that is not a plain word, or that means something here, is written in quotes. `@` gives
//! line and offset; what has neither has no `@`.

use crate::{
    Access, Block, BlockId, Body, Class, ClassKind, Comparison, Constant, ConstantId, Dispatch,
    FieldId, Jump, NameId, Operand, Operator, Place, Procedure, Program, SelectorId, Statement,
    Type, TypeId, UnaryOperator,
};
use std::fmt::{self, Write};
use tern_model::index::Id;

/// Words that mean something in the text form, and are quoted where they are names.
pub const RESERVED: &[&str] = &[
    "abstract",
    "any",
    "b",
    "boolean",
    "call",
    "cast",
    "catch",
    "class",
    "convert",
    "else",
    "enter",
    "exact",
    "extends",
    "extern",
    "f32",
    "f64",
    "field",
    "file",
    "final",
    "float",
    "goto",
    "if",
    "implements",
    "instanceof",
    "interface",
    "leave",
    "length",
    "new",
    "null",
    "package",
    "param",
    "private",
    "procedure",
    "protected",
    "public",
    "return",
    "static",
    "switch",
    "text",
    "then",
    "throw",
    "unknown",
    "var",
    "virtual",
    "void",
];

/// The whole program as text.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    let mut printer = Printer { program, out: &mut text };
    printer.program().expect("strings take everything");
    text
}

/// One procedure as text.
pub fn procedure(program: &Program, procedure: &Procedure) -> String {
    let mut text = String::new();
    let mut printer = Printer { program, out: &mut text };
    printer.procedure("", procedure).expect("strings take everything");
    text
}

/// One statement as text, without its place.
pub fn statement(program: &Program, body: &Body, statement: &Statement) -> String {
    let mut text = String::new();
    let mut printer = Printer { program, out: &mut text };
    printer.statement(body, statement).expect("strings take everything");
    text
}

struct Printer<'a> {
    program: &'a Program,
    out: &'a mut String,
}

impl Printer<'_> {
    fn program(&mut self) -> fmt::Result {
        for class in self.program.classes().as_slice() {
            self.class(class)?;
        }
        for procedure in self.program.procedures().as_slice() {
            if procedure.class.is_none() {
                self.procedure("", procedure)?;
            }
        }
        Ok(())
    }

    fn class(&mut self, class: &Class) -> fmt::Result {
        self.out.push_str(match class.kind {
            ClassKind::Concrete => "class ",
            ClassKind::Abstract => "abstract class ",
            ClassKind::Interface => "interface ",
        });
        self.name(class.name)?;
        if let Some(superclass) = class.superclass {
            self.out.push_str(" extends ");
            self.name(superclass)?;
        }
        for (position, &interface) in class.interfaces.iter().enumerate() {
            self.out.push_str(if position == 0 { " implements " } else { ", " });
            self.name(interface)?;
        }
        self.access(class.access);
        if class.is_final {
            self.out.push_str(" final");
        }
        self.file(class.file)?;
        self.out.push_str(" {\n");
        for &(field, is_static) in &class.fields {
            let field = self.program.fields()[field];
            self.out.push_str(if is_static { "  static field " } else { "  field " });
            self.name(field.name)?;
            self.out.push_str(" : ");
            self.ty(field.ty)?;
            self.out.push('\n');
        }
        for &procedure in &class.procedures {
            self.procedure("  ", &self.program.procedures()[procedure])?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn procedure(&mut self, indent: &str, procedure: &Procedure) -> fmt::Result {
        self.out.push_str(indent);
        if procedure.is_static {
            self.out.push_str("static ");
        }
        self.out.push_str(match (procedure.is_abstract, &procedure.body) {
            (true, _) => "abstract procedure ",
            (false, None) => "extern procedure ",
            (false, Some(_)) => "procedure ",
        });
        self.selector(procedure.selector)?;
        self.access(procedure.access);
        match &procedure.body {
            None => self.out.push('\n'),
            Some(body) => self.body(indent, body)?,
        }
        Ok(())
    }

    fn body(&mut self, indent: &str, body: &Body) -> fmt::Result {
        self.file(body.file)?;
        self.out.push_str(" {\n");
        for (id, variable) in body.variables.iter() {
            let word = if id.index() < body.parameters { "param" } else { "var" };
            write!(self.out, "{indent}  {word} {id:?}")?;
            if let Some(name) = variable.name {
                self.out.push(' ');
                self.name(name)?;
            }
            self.out.push_str(" : ");
            self.ty(variable.ty)?;
            self.out.push('\n');
        }
        for (id, block) in body.blocks.iter() {
            self.block(indent, body, id, block)?;
        }
        writeln!(self.out, "{indent}}}")
    }

    fn block(&mut self, indent: &str, body: &Body, id: BlockId, block: &Block) -> fmt::Result {
        write!(self.out, "{indent}  {id:?}")?;
        for (position, handler) in body.handlers(id).iter().enumerate() {
            self.out.push_str(if position == 0 { " catch " } else { ", " });
            match handler.class {
                Some(class) => self.name(class)?,
                None => self.out.push_str("any"),
            }
            write!(self.out, " {:?} {:?}", handler.variable, handler.block)?;
        }
        self.out.push_str(" {\n");
        for (statement, place) in body.statements(id) {
            write!(self.out, "{indent}    ")?;
            self.statement(body, statement)?;
            self.place(place)?;
        }
        write!(self.out, "{indent}    ")?;
        self.jump(&block.jump)?;
        self.place(block.place)?;
        writeln!(self.out, "{indent}  }}")
    }

    fn statement(&mut self, body: &Body, statement: &Statement) -> fmt::Result {
        if let Some(to) = statement.written() {
            write!(self.out, "{to:?} = ")?;
        }
        match statement {
            Statement::Copy { from, .. } => self.operand(*from),
            Statement::Unary { operator, operand, .. } => {
                self.out.push_str(unary(*operator));
                self.operand(*operand)
            }
            Statement::Binary { operator, left, right, .. } => {
                self.operand(*left)?;
                write!(self.out, " {} ", binary(*operator))?;
                self.operand(*right)
            }
            Statement::New { class, .. } => {
                self.out.push_str("new ");
                self.name(*class)
            }
            Statement::NewArray { element, lengths, .. } => {
                self.out.push_str("new ");
                self.ty(*element)?;
                body.operands(lengths).iter().try_for_each(|length| self.index(*length))
            }
            Statement::Load { object, field, .. } => self.member(*object, *field),
            Statement::Store { object, field, value } => {
                self.member(*object, *field)?;
                self.out.push_str(" = ");
                self.operand(*value)
            }
            Statement::LoadElement { array, index, .. } => {
                self.operand(*array)?;
                self.index(*index)
            }
            Statement::StoreElement { array, index, value } => {
                self.operand(*array)?;
                self.index(*index)?;
                self.out.push_str(" = ");
                self.operand(*value)
            }
            Statement::Length { array, .. } => {
                self.out.push_str("length ");
                self.operand(*array)
            }
            Statement::Cast { from, ty, .. } => {
                self.out.push_str("cast ");
                self.operand(*from)?;
                self.out.push(' ');
                self.ty(*ty)
            }
            Statement::InstanceOf { from, ty, .. } => {
                self.operand(*from)?;
                self.out.push_str(" instanceof ");
                self.ty(*ty)
            }
            Statement::Call { call, .. } => {
                self.out.push_str(match call.dispatch {
                    Dispatch::Static => "call static ",
                    Dispatch::Exact => "call exact ",
                    Dispatch::Virtual => "call virtual ",
                });
                self.name(call.class)?;
                self.out.push_str("::");
                self.selector(call.selector)?;
                self.out.push_str(" (");
                for (position, &argument) in body.operands(&call.arguments).iter().enumerate() {
                    if position > 0 {
                        self.out.push_str(", ");
                    }
                    self.operand(argument)?;
                }
                self.out.push(')');
                Ok(())
            }
            Statement::Monitor { object, enter } => {
                self.out.push_str(if *enter { "enter " } else { "leave " });
                self.operand(*object)
            }
        }
    }

    fn jump(&mut self, jump: &Jump) -> fmt::Result {
        match jump {
            Jump::Goto(block) => write!(self.out, "goto {block:?}"),
            Jump::Branch { test, yes, no } => {
                self.out.push_str("if ");
                self.operand(test.left)?;
                write!(self.out, " {} ", comparison(test.comparison))?;
                self.operand(test.right)?;
                write!(self.out, " then {yes:?} else {no:?}")
            }
            Jump::Switch { on, cases, otherwise } => {
                self.out.push_str("switch ");
                self.operand(*on)?;
                for (value, block) in cases {
                    write!(self.out, " {value} {block:?},")?;
                }
                write!(self.out, " else {otherwise:?}")
            }
            Jump::Return(None) => {
                self.out.push_str("return");
                Ok(())
            }
            Jump::Return(Some(value)) => {
                self.out.push_str("return ");
                self.operand(*value)
            }
            Jump::Throw(value) => {
                self.out.push_str("throw ");
                self.operand(*value)
            }
        }
    }

    fn member(&mut self, object: Option<Operand>, field: FieldId) -> fmt::Result {
        if let Some(object) = object {
            // The name of a class would run into the name behind the dot.
            let is_class = matches!(object, Operand::Constant(constant)
                if matches!(self.program.constants()[constant], Constant::Class(_)));
            self.out.push_str(if is_class { "(" } else { "" });
            self.operand(object)?;
            self.out.push_str(if is_class { ")." } else { "." });
        }
        let field = self.program.fields()[field];
        self.name(field.class)?;
        self.out.push_str("::");
        self.name(field.name)?;
        self.out.push_str(" : ");
        self.ty(field.ty)
    }

    fn index(&mut self, index: Operand) -> fmt::Result {
        self.out.push('[');
        self.operand(index)?;
        self.out.push(']');
        Ok(())
    }

    fn selector(&mut self, selector: SelectorId) -> fmt::Result {
        let selector = &self.program.selectors()[selector];
        self.name(selector.name)?;
        self.out.push('(');
        for (position, &ty) in selector.parameters.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.ty(ty)?;
        }
        self.out.push_str(") : ");
        self.ty(selector.result)
    }

    fn operand(&mut self, operand: Operand) -> fmt::Result {
        match operand {
            Operand::Variable(variable) => write!(self.out, "{variable:?}"),
            Operand::Constant(constant) => self.constant(constant),
        }
    }

    fn constant(&mut self, constant: ConstantId) -> fmt::Result {
        match self.program.constants()[constant] {
            Constant::Integer(value) => write!(self.out, "{value}"),
            Constant::Float(bits) => write!(self.out, "float {bits}"),
            Constant::Text(text) => {
                self.out.push_str("text ");
                self.quoted(text)
            }
            Constant::Class(ty) => {
                self.out.push_str("class ");
                self.ty(ty)
            }
            Constant::Null => {
                self.out.push_str("null");
                Ok(())
            }
            Constant::Any => {
                self.out.push_str("any");
                Ok(())
            }
        }
    }

    fn ty(&mut self, ty: TypeId) -> fmt::Result {
        let mut dimensions = 0;
        let mut ty = self.program.types()[ty];
        while let Type::Array(element) = ty {
            dimensions += 1;
            ty = self.program.types()[element];
        }
        match ty {
            Type::Void => self.out.push_str("void"),
            Type::Integer { bits, signed } => {
                write!(self.out, "{}{bits}", if signed { 'i' } else { 'u' })?;
            }
            Type::Float { bits } => write!(self.out, "f{bits}")?,
            Type::Boolean => self.out.push_str("boolean"),
            Type::Reference(name) => self.name(name)?,
            Type::Unknown => self.out.push_str("unknown"),
            Type::Array(_) => unreachable!("arrays were taken off above"),
        }
        for _ in 0..dimensions {
            self.out.push_str("[]");
        }
        Ok(())
    }

    fn access(&mut self, access: Access) {
        self.out.push_str(match access {
            Access::Public => " public",
            Access::Protected => " protected",
            Access::Package => "",
            Access::Private => " private",
        });
    }

    fn file(&mut self, file: Option<NameId>) -> fmt::Result {
        match file {
            None => Ok(()),
            Some(file) => {
                self.out.push_str(" file ");
                self.quoted(file)
            }
        }
    }

    fn place(&mut self, place: Place) -> fmt::Result {
        match place == Place::default() {
            true => self.out.push('\n'),
            false => writeln!(self.out, " @ {}:{}", place.line, place.offset)?,
        }
        Ok(())
    }

    fn name(&mut self, name: NameId) -> fmt::Result {
        let text = self.program.text(name);
        match is_plain(text) {
            true => self.out.push_str(text),
            false => self.quoted(name)?,
        }
        Ok(())
    }

    fn quoted(&mut self, name: NameId) -> fmt::Result {
        write!(self.out, "{:?}", self.program.text(name))
    }
}

/// Whether a name is written without quotes: words joined by dots, the first of which means
/// nothing here.
pub fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '<');
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '<' | '>' | '-');
    let numbered = |word: &str| {
        let digits = word.strip_prefix(['v', 'b', 'i', 'u', 'f']);
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.is_some_and(|digits| !digits.is_empty() && is_number(digits))
    };
    let first = name.split('.').next().unwrap_or(name);
    name.split('.').all(|word| word.starts_with(letter) && word.chars().all(inner))
        && !RESERVED.contains(&first)
        && !numbered(first)
}

/// How an operator on one value is written.
pub fn unary(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Negate => "- ",
        UnaryOperator::Complement => "~ ",
        UnaryOperator::Convert => "convert ",
    }
}

/// How an operator on two values is written.
pub fn binary(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
        Operator::ShiftRightZero => ">>>",
        Operator::And => "&",
        Operator::Or => "|",
        Operator::Xor => "^",
        Operator::Compare => "<=>",
    }
}

/// How a comparison is written.
pub fn comparison(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}
