//! Reads programs from the text form that [`tern_ir::print`] writes and describes, for tests and
//! for looking into things: what was read prints as the same text.
//!
//! Without tables: each thing begins with a sign or word that tells what it is. A mistake ends the
//! class or procedure it is in; reading goes on at the next, so that all are found at once. What is
//! read is well-formed: [`tern_ir::verify`] is asked at the end.

mod code;
mod scan;

use scan::{Scan, Scanned};
use tern_front::{Problem, Source};
use tern_ir::{
    Access, Body, Class, ClassId, ClassKind, Field, FieldId, NameId, ProcId, Procedure, Program,
    Selector, SelectorId, Type, TypeId, verify,
};
use tern_model::Span;

/// The codes of problems with programs as text, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("N001", "something else is expected at this place of a program"),
    ("N002", "a procedure that is not well-formed"),
    ("N003", "bytes that are not UTF-8, or a text too long to be read"),
];

/// Reads a program.
///
/// # Errors
/// All that is wrong with the text.
pub fn read(source: &Source) -> Result<Program, Vec<Problem>> {
    let text = match std::str::from_utf8(&source.bytes) {
        Ok(text) if u32::try_from(text.len()).is_ok() => text,
        _ => {
            return Err(vec![Problem::error("N003", "the text is no UTF-8, or longer than 4 GiB")]);
        }
    };
    let mut reader = Reader {
        scan: Scan { text, at: 0 },
        program: Program::new(),
        class: None,
        procedures: Vec::new(),
        problems: Vec::new(),
    };
    while !reader.scan.rest().is_empty() {
        if let Err(problem) = reader.item() {
            reader.problems.push(*problem);
            reader.skip();
        }
    }
    if reader.problems.is_empty() {
        for flaw in verify(&reader.program) {
            let place = reader.procedures.iter().find(|(id, _)| flaw.procedure == Some(*id));
            let message = format!("{flaw}: this is not so");
            let problem = Problem::error("N002", message);
            reader.problems.push(match place {
                Some(&(_, span)) => problem.at(span, "in this procedure"),
                None => problem,
            });
        }
    }
    if reader.problems.is_empty() { Ok(reader.program) } else { Err(reader.problems) }
}

struct Reader<'a> {
    scan: Scan<'a>,
    program: Program,
    /// The class that is being read.
    class: Option<ClassId>,
    /// Where procedures begin.
    procedures: Vec<(ProcId, Span)>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// A class up to its first procedure, a procedure, or the closing brace of a class.
    fn item(&mut self) -> Scanned<()> {
        if self.class.is_some() && self.scan.takes("}") {
            self.class = None;
            return Ok(());
        }
        let begin = self.scan.at;
        let is_static = self.scan.takes_word("static");
        let is_abstract = self.scan.takes_word("abstract");
        let is_extern = self.scan.takes_word("extern");
        if self.scan.takes_word("procedure") {
            return self.procedure(begin, is_static, is_abstract, is_extern);
        }
        let kind = match self.scan.peek_word() {
            "class" if is_abstract => ClassKind::Abstract,
            "class" => ClassKind::Concrete,
            "interface" => ClassKind::Interface,
            _ => return self.scan.expected("`class`, `interface` or `procedure`"),
        };
        self.scan.at += self.scan.peek_word().len();
        self.class(kind)
    }

    /// Goes on at the next line that begins like a class or procedure.
    fn skip(&mut self) {
        const BEGIN: [&str; 6] =
            ["class ", "interface ", "procedure ", "abstract ", "static ", "extern "];
        while let Some(end) = self.scan.text[self.scan.at..].find('\n') {
            self.scan.at += end + 1;
            let line = &self.scan.text[self.scan.at..];
            let closes = self.class.is_some() && line.starts_with('}');
            let line = line.trim_start_matches(' ');
            if closes || BEGIN.iter().any(|word| line.starts_with(word)) {
                return;
            }
        }
        self.scan.at = self.scan.text.len();
    }

    fn class(&mut self, kind: ClassKind) -> Scanned<()> {
        let name = self.name()?;
        let superclass = match self.scan.takes_word("extends") {
            true => Some(self.name()?),
            false => None,
        };
        let mut interfaces = Vec::new();
        if self.scan.takes_word("implements") {
            interfaces.push(self.name()?);
            while self.scan.takes(",") {
                interfaces.push(self.name()?);
            }
        }
        let access = self.access();
        let is_final = self.scan.takes_word("final");
        let file = self.file()?;
        self.scan.sign("{")?;
        let interfaces = interfaces.into();
        let (fields, procedures) = (self.fields(name)?, Vec::new());
        self.class = Some(self.program.add_class(Class {
            name,
            superclass,
            interfaces,
            kind,
            access,
            is_final,
            file,
            fields,
            procedures,
        }));
        Ok(())
    }

    /// The fields of a class, which come before its procedures.
    fn fields(&mut self, class: NameId) -> Scanned<Vec<(FieldId, bool)>> {
        let mut fields = Vec::new();
        loop {
            let begin = self.scan.at;
            let is_static = self.scan.takes_word("static");
            if !self.scan.takes_word("field") {
                self.scan.at = begin;
                return Ok(fields);
            }
            let name = self.name()?;
            self.scan.sign(":")?;
            let ty = self.ty()?;
            fields.push((self.program.field(Field { class, name, ty }), is_static));
        }
    }

    fn procedure(
        &mut self,
        begin: usize,
        is_static: bool,
        is_abstract: bool,
        is_extern: bool,
    ) -> Scanned<()> {
        let selector = self.selector()?;
        let span = Span::new(begin..self.scan.at);
        let access = self.access();
        let body = if is_abstract || is_extern {
            None
        } else {
            let file = self.file()?;
            self.scan.sign("{")?;
            Some(self.body(Body { file, ..Body::default() })?)
        };
        let class = self.class;
        let procedure = Procedure { class, selector, is_static, access, is_abstract, body };
        let id = self.program.add_procedure(procedure);
        self.procedures.push((id, span));
        Ok(())
    }

    fn access(&mut self) -> Access {
        for (word, access) in [
            ("public", Access::Public),
            ("protected", Access::Protected),
            ("private", Access::Private),
        ] {
            if self.scan.takes_word(word) {
                return access;
            }
        }
        Access::Package
    }

    fn file(&mut self) -> Scanned<Option<NameId>> {
        if !self.scan.takes_word("file") {
            return Ok(None);
        }
        let file = self.scan.quoted()?;
        Ok(Some(self.program.name(&file)))
    }

    fn name(&mut self) -> Scanned<NameId> {
        let name = self.scan.name()?;
        Ok(self.program.name(&name))
    }

    fn selector(&mut self) -> Scanned<SelectorId> {
        let name = self.name()?;
        self.scan.sign("(")?;
        let mut parameters = Vec::new();
        while !self.scan.takes(")") {
            if !parameters.is_empty() {
                self.scan.sign(",")?;
            }
            parameters.push(self.ty()?);
        }
        self.scan.sign(":")?;
        let result = self.ty()?;
        Ok(self.program.selector(Selector { name, parameters: parameters.into(), result }))
    }

    fn ty(&mut self) -> Scanned<TypeId> {
        let mut ty = self.element()?;
        let mut before = self.scan.at;
        while self.scan.takes("[") {
            if !self.scan.takes("]") {
                self.scan.at = before;
                break;
            }
            let element = self.program.ty(ty);
            ty = Type::Array(element);
            before = self.scan.at;
        }
        Ok(self.program.ty(ty))
    }

    fn element(&mut self) -> Scanned<Type> {
        let word = self.scan.peek_word();
        let bits =
            |letter: char| word.strip_prefix(letter).and_then(|bits| bits.parse::<u8>().ok());
        let ty = match word {
            "void" => Type::Void,
            "boolean" => Type::Boolean,
            "unknown" => Type::Unknown,
            _ => match (bits('i'), bits('u'), bits('f')) {
                (Some(bits), _, _) => Type::Integer { bits, signed: true },
                (_, Some(bits), _) => Type::Integer { bits, signed: false },
                (_, _, Some(bits)) => Type::Float { bits },
                _ => return Ok(Type::Reference(self.name()?)),
            },
        };
        self.scan.at += word.len();
        Ok(ty)
    }
}
