//! Declarations: types, variables, functions, enumerations.

use super::Fault;
use super::lexer::Token;
use super::parse::{Parsed, Parser};
use super::syntax::{Declared, Expr, Kind, element};
use tern_model::Span;

/// What a declaration declares.
pub(super) enum Declaration {
    Variables(Vec<Declared>),
    /// A function whose body comes next.
    Function {
        name: String,
        span: Span,
        parameters: Vec<Declared>,
        has_value: bool,
    },
    /// Types, and functions without a body.
    Nothing,
}

type Range = (Option<i128>, Option<i128>);

/// The most elements of an array.
const MOST_ELEMENTS: usize = 32;

/// Words that types are made of.
const TYPE_WORDS: &[&str] = &[
    "int", "unsigned", "signed", "long", "short", "char", "void", "_Bool", "bool", "size_t",
    "ssize_t", "uint", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "enum", "float", "double", "struct", "union",
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
];

/// What the words before a declarator say.
#[derive(Default)]
struct Type {
    is_extern: bool,
    is_static: bool,
    is_typedef: bool,
    is_void: bool,
    range: Range,
}

impl Parser {
    /// Whether a declaration begins here.
    pub(super) fn begins_type(&self) -> bool {
        match self.peek() {
            Token::Word(word) => {
                TYPE_WORDS.contains(&word.as_str())
                    || OTHER_WORDS.contains(&word.as_str())
                    || self.types.contains(word)
            }
            _ => false,
        }
    }

    /// The type of a cast.
    pub(super) fn skip_type(&mut self) -> Parsed<()> {
        self.type_words().map(drop)
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

    fn type_words(&mut self) -> Parsed<Type> {
        let mut ty = Type::default();
        let mut has_base = false;
        while let Token::Word(word) = self.peek().clone() {
            let span = self.span();
            match word.as_str() {
                "float" | "double" | "struct" | "union" => {
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
                "_Bool" | "bool" => ty.range = (Some(0), Some(1)),
                word if word.starts_with('u') && TYPE_WORDS.contains(&word) => {
                    ty.range = (Some(0), None);
                }
                "size_t" => ty.range = (Some(0), None),
                word if TYPE_WORDS.contains(&word) || OTHER_WORDS.contains(&word) => {}
                word if self.types.contains(word) && !has_base => {}
                _ => break,
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
        while !self.takes("}") {
            let (name, _) = self.name()?;
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
        let ty = if self.begins_type() { self.type_words()? } else { Type::default() };
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
                    let has_value = !ty.is_void;
                    return Ok(Declaration::Function { name, span, parameters, has_value });
                }
            } else if ty.is_typedef {
                self.types.insert(name);
            } else {
                let array = self.array()?;
                self.attributes()?;
                if ty.is_extern || ty.is_static && !is_global {
                    let word = if ty.is_extern { "extern" } else { "static" };
                    let message = format!("`{word}` variables are not treated here");
                    let hint = "make it a global variable without that word";
                    return Err(Fault::new("C104", span, message, hint));
                }
                match array {
                    None => variables.push(self.declared(name, span, ty.range)?),
                    Some(size) => self.elements(&name, span, ty.range, size, &mut variables)?,
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
    fn array(&mut self) -> Parsed<Option<Option<usize>>> {
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
            let hint = "take fewer: each element is a variable";
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
        range: Range,
        size: Option<usize>,
        variables: &mut Vec<Declared>,
    ) -> Parsed<()> {
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
        let mut values = values.map(Vec::into_iter);
        for number in 0..size {
            let zero = Expr { kind: Kind::Number(0), span };
            let value = values.as_mut().map(|values| values.next().unwrap_or(zero));
            variables.push(Declared { name: element(name, number), span, value, range });
        }
        Ok(())
    }

    fn parameters(&mut self) -> Parsed<Vec<Declared>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        loop {
            if self.takes(")") {
                return Ok(parameters);
            }
            if self.takes("...") || self.takes(",") {
                continue;
            }
            if !self.begins_type() {
                return Err(self.unexpected("a type"));
            }
            let ty = self.type_words()?;
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
                if !is_pointer && !is_array {
                    parameters.push(Declared { name, span, value: None, range: ty.range });
                }
            }
        }
    }
}
