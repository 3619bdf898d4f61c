//! Declarations: types, variables, functions, enumerations.

use super::Fault;
use super::lexer::Token;
use super::parse::{Parsed, Parser};
use super::syntax::{Declared, Expr, Kind, Size, Type, element};
use std::collections::BTreeSet;
use tern_model::Span;

/// What a declaration declares.
pub(super) enum Declaration {
    Variables(Vec<Declared>),
    /// A function whose body comes next.
    Function {
        name: String,
        span: Span,
        parameters: Vec<Declared>,
        returns: Option<Type>,
    },
    /// Types, and functions without a body.
    Nothing,
}

/// The most elements of an array.
const MOST_ELEMENTS: usize = 4096;

/// Words that types are made of.
const TYPE_WORDS: &[&str] = &[
    "int", "unsigned", "signed", "long", "short", "char", "void", "_Bool", "bool", "size_t",
    "ssize_t", "uint", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "enum", "float", "double", "struct", "union", "__int128",
];

/// Words that stand before types and change nothing here.
const OTHER_WORDS: &[&str] = &[
    "const",
    "volatile",
    "static",
    "extern",
    "register",
    "inline",
    "typedef",
    "auto",
    "__attribute__",
    "__inline",
    "__extension__",
    "_Noreturn",
    "__inline__",
    "__const",
    "__volatile__",
    "__restrict",
    "restrict",
];

/// What the words before a declarator say.
#[derive(Default)]
struct Words {
    is_extern: bool,
    is_static: bool,
    is_typedef: bool,
    is_void: bool,
    is_unsigned: bool,
    /// How many times `long`.
    longs: u8,
    /// `char`, `short`, or a type with a name.
    base: Option<Type>,
}

impl Words {
    fn ty(&self) -> Type {
        let size = match (self.longs, self.base) {
            (0, Some(base)) if self.is_unsigned => base.size,
            (0, Some(base)) => return base,
            (0, None) => Size::Int,
            (1, _) => Size::Long,
            _ => Size::LongLong,
        };
        Type { size, is_unsigned: self.is_unsigned }
    }
}

/// The type of a word that says all, or nearly all, of a type.
fn base(word: &str) -> Option<Type> {
    let plain = word.trim_end_matches("_t");
    let (is_unsigned, rest) = match plain.strip_prefix('u') {
        Some(rest) if plain != "unsigned" => (true, rest),
        _ => (false, plain),
    };
    let size = match rest {
        "char" => Size::Char,
        "short" => Size::Short,
        "int8" => Size::Bits(8),
        "int16" => Size::Bits(16),
        "int32" => Size::Bits(32),
        "int64" => Size::Bits(64),
        "int" if is_unsigned => Size::Int,
        "long" if is_unsigned => Size::Long,
        "size" => return Some(Type { size: Size::Long, is_unsigned: true }),
        "ssize" => Size::Long,
        "_Bool" | "bool" => return Some(Type::BOOL),
        _ => return None,
    };
    Some(Type { size, is_unsigned })
}

impl Parser {
    /// Whether a declaration begins here.
    pub(super) fn begins_type(&self) -> bool {
        match self.peek() {
            Token::Word(word) => {
                TYPE_WORDS.contains(&word.as_str())
                    || OTHER_WORDS.contains(&word.as_str())
                    || self.types.contains_key(word)
            }
            _ => false,
        }
    }

    /// The type of a cast; `None` if it is `void`.
    pub(super) fn cast_type(&mut self) -> Parsed<Option<Type>> {
        let words = self.type_words()?;
        self.refuse_pointer()?;
        Ok((!words.is_void).then(|| words.ty()))
    }

    /// `( ... )`, as attributes have it.
    fn skip_parentheses(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            if self.takes("(") {
                depth += 1;
            } else if self.takes(")") {
                depth -= 1;
            } else if *self.peek() == Token::End {
                return Err(self.unexpected("`)`"));
            } else {
                self.advance();
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn attributes(&mut self) -> Parsed<()> {
        while self.takes_word("__attribute__") || self.takes_word("__asm__") {
            self.skip_parentheses()?;
        }
        Ok(())
    }

    fn type_words(&mut self) -> Parsed<Words> {
        let mut ty = Words::default();
        let mut has_base = false;
        while let Token::Word(word) = self.peek().clone() {
            let span = self.span();
            match word.as_str() {
                "float" | "double" | "struct" | "union" | "__int128" => {
                    let message = format!("`{word}`: only integers are treated");
                    let hint = "leave it out, or stand in for it by integers";
                    return Err(Fault::new("C103", span, message, hint));
                }
                "enum" => {
                    self.advance();
                    self.enumeration()?;
                    has_base = true;
                    continue;
                }
                "__attribute__" => {
                    self.attributes()?;
                    continue;
                }
                "extern" => ty.is_extern = true,
                "static" => ty.is_static = true,
                "typedef" => ty.is_typedef = true,
                "void" => ty.is_void = true,
                "unsigned" => ty.is_unsigned = true,
                "long" => ty.longs += 1,
                word if TYPE_WORDS.contains(&word) => ty.base = base(word).or(ty.base),
                word if OTHER_WORDS.contains(&word) => {}
                word => match self.types.get(word) {
                    Some(Some(known)) if !has_base => ty.base = Some(*known),
                    Some(None) if !has_base => ty.is_void = true,
                    _ => break,
                },
            }
            has_base |= !OTHER_WORDS.contains(&word.as_str());
            self.advance();
        }
        Ok(ty)
    }

    /// `name { A, B = 3 }`, after `enum`
    fn enumeration(&mut self) -> Parsed<()> {
        if matches!(self.peek(), Token::Word(_)) {
            self.advance();
        }
        if !self.takes("{") {
            return Ok(());
        }
        let mut next = 0;
        let mut names = BTreeSet::new();
        while !self.takes("}") {
            let (name, span) = self.name()?;
            if !names.insert(name.clone()) {
                let message = format!("`{name}` is declared twice");
                return Err(Fault::new("C102", span, message, "give one another name"));
            }
            if self.takes("=") {
                next = self.constant()?;
            }
            self.constants.insert(name, next);
            next = next.saturating_add(1);
            if !self.takes(",") && !matches!(self.peek(), Token::Sign("}")) {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        Ok(())
    }

    /// A declaration with its `;`, or the head of a function.
    pub(super) fn declaration(&mut self, is_global: bool) -> Parsed<Declaration> {
        // A function without a type gives a number.
        let is_bare = matches!(self.peek_second(), Token::Sign("("));
        if !(self.begins_type() || is_global && is_bare) {
            return Err(self.unexpected("a declaration"));
        }
        let words = if self.begins_type() { self.type_words()? } else { Words::default() };
        let ty = words.ty();
        let returns = (!words.is_void).then_some(ty);
        if self.takes(";") {
            return Ok(Declaration::Nothing);
        }
        let mut variables = Vec::new();
        loop {
            self.refuse_pointer()?;
            let (name, span) = self.name()?;
            if matches!(self.peek(), Token::Sign("(")) {
                let parameters = self.parameters()?;
                self.attributes()?;
                if is_global && matches!(self.peek(), Token::Sign("{")) {
                    return Ok(Declaration::Function { name, span, parameters, returns });
                }
                self.declared.extend(returns.map(|ty| (name, ty)));
            } else if words.is_typedef {
                self.types.insert(name, returns);
            } else {
                let array = self.array(&name)?;
                self.attributes()?;
                if words.is_static && !is_global {
                    let message = "`static` variables are not treated in functions";
                    let hint = "make it a global variable";
                    return Err(Fault::new("C104", span, message, hint));
                }
                if words.is_extern && array.is_none() && !matches!(self.peek(), Token::Sign("=")) {
                    self.elsewhere.push((name, span));
                    if !self.takes(",") {
                        break;
                    }
                    continue;
                }
                match array {
                    None => variables.push(self.declared(name, span, ty)?),
                    Some(size) => self.elements(&name, span, ty, size, &mut variables)?,
                }
            }
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(match variables.is_empty() {
            true => Declaration::Nothing,
            false => Declaration::Variables(variables),
        })
    }

    fn refuse_pointer(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::Sign("*") => Err(Fault::new(
                "C103",
                self.span(),
                "pointers are not treated",
                "only integers are; use a variable instead of what the pointer points to",
            )),
            _ => Ok(()),
        }
    }

    /// `[n]` after a name: the number, if it is written.
    fn array(&mut self, name: &str) -> Parsed<Option<Option<usize>>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let span = self.span();
        let size = if self.takes("]") {
            None
        } else {
            let size = self.constant()?;
            self.expect("]")?;
            let fits = usize::try_from(size).ok().filter(|size| (1..=MOST_ELEMENTS).contains(size));
            let message = format!("arrays have 1 to {MOST_ELEMENTS} elements here");
            let hint = "take fewer: the interpreter has a variable for each";
            if fits.is_none() {
                // Its elements are no further mistakes.
                self.arrays.insert(name.to_owned(), MOST_ELEMENTS);
            }
            Some(fits.ok_or_else(|| Fault::new("C104", span, message, hint))?)
        };
        if matches!(self.peek(), Token::Sign("[")) {
            let message = "arrays of arrays are not treated";
            let hint = "use one array for each row";
            return Err(Fault::new("C104", self.span(), message, hint));
        }
        Ok(Some(size))
    }

    /// The elements of an array as variables, with what they are set to.
    fn elements(
        &mut self,
        name: &str,
        span: Span,
        ty: Type,
        size: Option<usize>,
        variables: &mut Vec<Declared>,
    ) -> Parsed<()> {
        self.refuse_constant(name, span)?;
        let mut values = None;
        if self.takes("=") {
            self.expect("{")?;
            let mut list = Vec::new();
            while !self.takes("}") {
                list.push(self.assignment()?);
                if !self.takes(",") && !matches!(self.peek(), Token::Sign("}")) {
                    return Err(self.unexpected("`,` or `}`"));
                }
            }
            values = Some(list);
        }
        let size = size.or(values.as_ref().map(Vec::len)).unwrap_or(0);
        let count = values.as_ref().map_or(0, Vec::len);
        if size == 0 || size > MOST_ELEMENTS || count > size {
            let message = "the size of this array does not fit its values";
            return Err(Fault::new("C104", span, message, "give a size"));
        }
        if self.arrays.insert(name.to_owned(), size).is_some_and(|before| before != size) {
            let message = format!("there are two arrays `{name}` of different sizes");
            return Err(Fault::new("C104", span, message, "give one another name"));
        }
        self.note_type(name, ty);
        let mut values = values.map(Vec::into_iter);
        for number in 0..size {
            let zero = Expr { kind: Kind::Number(0), span };
            let value = values.as_mut().map(|values| values.next().unwrap_or(zero));
            variables.push(Declared { name: element(name, number), span, value, ty });
        }
        Ok(())
    }

    fn parameters(&mut self) -> Parsed<Vec<Declared>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.takes(")") {
            return Ok(parameters);
        }
        loop {
            if self.takes("...") {
                self.expect(")")?;
                return Ok(parameters);
            }
            if !self.begins_type() {
                return Err(self.unexpected("a type"));
            }
            let ty = self.type_words()?.ty();
            let is_pointer = matches!(self.peek(), Token::Sign("*"));
            while self.takes("*") || self.takes_word("const") {}
            if let Token::Word(name) = self.peek().clone() {
                let span = self.span();
                self.advance();
                let is_array = matches!(self.peek(), Token::Sign("["));
                while self.takes("[") {
                    while !self.takes("]") {
                        self.advance();
                        if *self.peek() == Token::End {
                            return Err(self.unexpected("`]`"));
                        }
                    }
                }
                self.refuse_constant(&name, span)?;
                if !is_pointer && !is_array {
                    self.note_type(&name, ty);
                    parameters.push(Declared { name, span, value: None, ty });
                }
            }
            if self.takes(")") {
                return Ok(parameters);
            }
            if !self.takes(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }
}
