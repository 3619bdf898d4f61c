//! Reads C text into a syntax tree, by recursive descent with a bound on depth: statements here,
//! expressions in `parse/expression`.

mod constant;
mod expression;

use super::Fault;
use super::declare::Declaration;
use super::lexer::{Lexeme, Token, lex};
use super::syntax::{Declared, Expr, Function, Size, Stmt, StmtKind, Stop, Type, Unit};
use std::collections::{BTreeMap, HashMap, HashSet};
use tern_model::Span;

/// How deep expressions and statements may be nested.
const DEPTH: usize = 200;

/// The most mistakes that are told of.
const MOST_FAULTS: usize = 20;

pub(super) type Parsed<T> = Result<T, Fault>;

pub(super) struct Parser {
    lexemes: Vec<Lexeme>,
    at: usize,
    depth: usize,
    /// Constants of enumerations.
    pub(super) constants: HashMap<String, i128>,
    /// Names of types that were declared; `None` if it is `void`.
    pub(super) types: HashMap<String, Option<Type>>,
    /// The types that functions without a body give.
    pub(super) declared: BTreeMap<String, Type>,
    /// The sizes of arrays that were declared.
    pub(super) arrays: HashMap<String, usize>,
    /// The types of variables and of elements of arrays; `None` if a name has two.
    variables: HashMap<String, Option<Size>>,
    /// Functions that have a body somewhere in the text.
    defined: HashSet<String>,
    /// Whether an expression of a claim is read: elements of arrays have names there.
    is_claim: bool,
    /// Variables that are said to be defined elsewhere.
    pub(super) elsewhere: Vec<(String, Span)>,
    /// The types of which the size is taken.
    sizes: Vec<(Size, Span)>,
    /// What is wrong so far.
    faults: Vec<Fault>,
}

/// Adds a global variable. One without a value may be declared again.
fn tentative(unit: &mut Unit, declared: Declared) {
    let before = unit.globals.iter_mut().find(|it| it.name == declared.name);
    match before {
        Some(before) if before.ty == declared.ty && declared.value.is_none() => {}
        Some(before) if before.ty == declared.ty && before.value.is_none() => *before = declared,
        _ => unit.globals.push(declared),
    }
}

/// Reads a program.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<Unit, Vec<Fault>> {
    let mut parser = Parser::new(lex(text)?);
    let unit = parser.unit();
    if parser.faults.is_empty() { Ok(unit) } else { Err(parser.faults) }
}

/// Reads an expression, as claims and `--given` have them.
///
/// # Errors
/// What is wrong with it.
pub fn expression(text: &str) -> Result<Expr, Vec<Fault>> {
    let mut parser = Parser::new(lex(text)?);
    parser.is_claim = true;
    let read = parser.expr().and_then(|expr| match parser.peek() {
        Token::End => Ok(expr),
        _ => Err(parser.unexpected("the end of the expression")),
    });
    read.map_err(|fault| vec![fault])
}

/// The functions that have a body: a name, parentheses, a brace.
fn defined(lexemes: &[Lexeme]) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut depth = 0;
    let mut name: Option<&String> = None;
    for pair in lexemes.windows(2) {
        match (&pair[0].token, &pair[1].token) {
            (Token::Word(word), Token::Sign("(")) if depth == 0 => name = Some(word),
            (Token::Sign(")"), Token::Sign("{")) if depth == 0 => {
                found.extend(name.take().cloned());
            }
            _ => {}
        }
        match pair[0].token {
            Token::Sign("{") => depth += 1,
            Token::Sign("}") => depth -= 1,
            _ => {}
        }
    }
    found
}

impl Parser {
    fn new(lexemes: Vec<Lexeme>) -> Self {
        let defined = defined(&lexemes);
        let constants = HashMap::from([("true".to_owned(), 1), ("false".to_owned(), 0)]);
        Parser {
            lexemes,
            at: 0,
            depth: 0,
            constants,
            types: HashMap::new(),
            declared: BTreeMap::new(),
            arrays: HashMap::new(),
            variables: HashMap::new(),
            defined,
            is_claim: false,
            elsewhere: Vec::new(),
            sizes: Vec::new(),
            faults: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> &Token {
        &self.lexemes[self.at].token
    }

    pub(super) fn peek_second(&self) -> &Token {
        &self.lexemes[(self.at + 1).min(self.lexemes.len() - 1)].token
    }

    pub(super) fn span(&self) -> Span {
        self.lexemes[self.at].span
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if is_next {
            self.advance();
        }
        is_next
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Word(next) if next == word);
        if is_next {
            self.advance();
        }
        is_next
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number, _) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".to_owned(),
        };
        let message = format!("expected {wanted}, found {found}");
        Fault::new("C101", self.span(), message, "docs/integers.md says what is read of C")
    }

    pub(super) fn name(&mut self) -> Parsed<(String, Span)> {
        let span = self.span();
        match self.peek().clone() {
            Token::Word(name) => {
                self.advance();
                Ok((name, span))
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            let message = "this is nested too deeply";
            return Err(Fault::new("C101", self.span(), message, "write it in smaller pieces"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Bounds how many operands are joined in a row: the tree is as deep as that.
    fn refuse_length(&self, length: &mut usize) -> Parsed<()> {
        *length += 1;
        if *length <= 2 * DEPTH {
            return Ok(());
        }
        let message = "this expression is too long";
        Err(Fault::new("C101", self.span(), message, "assign parts of it to variables first"))
    }

    /// Remembers the type of a variable, or of the elements of an array.
    pub(super) fn note_type(&mut self, name: &str, ty: Type) {
        let known = self.variables.entry(name.to_owned()).or_insert(Some(ty.size));
        *known = known.filter(|size| *size == ty.size);
    }

    fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        while *self.peek() != Token::End && self.faults.len() < MOST_FAULTS {
            if self.takes(";") {
                continue;
            }
            let begin = self.at;
            if let Err(fault) = self.global(&mut unit) {
                self.note(fault, begin);
                self.takes("}");
            }
        }
        unit.declared = std::mem::take(&mut self.declared);
        unit.sizes = std::mem::take(&mut self.sizes);
        for (name, span) in std::mem::take(&mut self.elsewhere) {
            if !unit.globals.iter().any(|it| it.name == name) {
                let message = format!("`{name}` is defined elsewhere");
                let hint = "make it a global variable without `extern`";
                self.faults.push(Fault::new("C104", span, message, hint));
            }
        }
        unit
    }

    fn global(&mut self, unit: &mut Unit) -> Parsed<()> {
        match self.declaration(true)? {
            Declaration::Variables(more) => more.into_iter().for_each(|it| tentative(unit, it)),
            Declaration::Function { name, span, parameters, returns } => {
                let body = self.block()?;
                unit.functions.push(Function { name, span, parameters, body, returns });
            }
            Declaration::Nothing => {}
        }
        Ok(())
    }

    /// Notes what is wrong with the statement that begins there, and goes on after its end: a `;`,
    /// or the brace that closes what it stands in.
    fn note(&mut self, fault: Fault, begin: usize) {
        self.faults.push(fault);
        // A brace that was opened since is open still.
        let mut depth: usize = 0;
        for lexeme in &self.lexemes[begin..self.at] {
            match lexeme.token {
                Token::Sign("{") => depth += 1,
                Token::Sign("}") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.peek() {
                Token::End => return,
                Token::Sign("}") if depth == 0 => return,
                Token::Sign(";") if depth == 0 => {
                    self.advance();
                    return;
                }
                Token::Sign("{") => depth += 1,
                Token::Sign("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// `{ ... }`
    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.takes("}") {
            if *self.peek() == Token::End {
                // After other mistakes this is hardly one more.
                return match self.faults.is_empty() {
                    true => Err(self.unexpected("`}`")),
                    false => Ok(body),
                };
            }
            let begin = self.at;
            let depth = self.depth;
            match self.deeper(Self::statement) {
                Ok(statement) => body.push(statement),
                // What is nested too deeply stays so.
                Err(fault) if depth > DEPTH / 2 || self.faults.len() + 1 >= MOST_FAULTS => {
                    return Err(fault);
                }
                Err(fault) => {
                    self.depth = depth;
                    self.note(fault, begin);
                }
            }
        }
        Ok(body)
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let span = self.span();
        let kind = self.statement_kind()?;
        Ok(Stmt { kind, span })
    }

    /// One statement, with the labels before it.
    fn inner(&mut self) -> Parsed<Box<Stmt>> {
        let first = self.deeper(Self::statement)?;
        let is_label = |it: &Stmt| {
            matches!(it.kind, StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default)
        };
        if !is_label(&first) {
            return Ok(Box::new(first));
        }
        let span = first.span;
        let mut list = vec![first];
        while list.last().is_some_and(is_label) && !matches!(self.peek(), Token::Sign("}")) {
            list.push(self.deeper(Self::statement)?);
        }
        Ok(Box::new(Stmt { kind: StmtKind::Block(list), span }))
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        if self.takes(";") {
            return Ok(StmtKind::Expr(None));
        }
        if matches!(self.peek(), Token::Sign("{")) {
            return self.block().map(StmtKind::Block);
        }
        let word = match self.peek() {
            Token::Word(word) => word.clone(),
            _ => String::new(),
        };
        if matches!(self.peek_second(), Token::Sign(":")) && !word.is_empty() && word != "default" {
            self.advance();
            self.advance();
            return Ok(StmtKind::Label(word));
        }
        if self.begins_type() {
            return match self.declaration(false)? {
                Declaration::Variables(variables) => Ok(StmtKind::Declare(variables)),
                _ => Ok(StmtKind::Expr(None)),
            };
        }
        match word.as_str() {
            "if" | "while" | "do" | "for" | "switch" => self.control(&word),
            "case" | "default" | "break" | "continue" | "goto" | "return" => self.jump(&word),
            _ => self.simple(&word),
        }
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let condition = self.expr()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn control(&mut self, word: &str) -> Parsed<StmtKind> {
        self.advance();
        match word {
            "if" => {
                let condition = self.condition()?;
                let yes = self.inner()?;
                let no = if self.takes_word("else") { Some(self.inner()?) } else { None };
                Ok(StmtKind::If(condition, yes, no))
            }
            "while" => Ok(StmtKind::While(self.condition()?, self.inner()?)),
            "switch" => Ok(StmtKind::Switch(self.condition()?, self.inner()?)),
            "do" => {
                let body = self.inner()?;
                if !self.takes_word("while") {
                    return Err(self.unexpected("`while`"));
                }
                let condition = self.condition()?;
                self.expect(";")?;
                Ok(StmtKind::DoWhile(body, condition))
            }
            _ => {
                self.expect("(")?;
                let first = self.inner()?; // takes the `;`
                let condition = if self.takes(";") { None } else { Some(self.expr()?) };
                if condition.is_some() {
                    self.expect(";")?;
                }
                let step = match matches!(self.peek(), Token::Sign(")")) {
                    true => None,
                    false => Some(self.expr()?),
                };
                self.expect(")")?;
                Ok(StmtKind::For(first, condition, step, self.inner()?))
            }
        }
    }

    fn jump(&mut self, word: &str) -> Parsed<StmtKind> {
        self.advance();
        let kind = match word {
            "case" => {
                let value = self.constant()?;
                self.expect(":")?;
                return Ok(StmtKind::Case(value));
            }
            "default" => {
                self.expect(":")?;
                return Ok(StmtKind::Default);
            }
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "goto" => StmtKind::Goto(self.name()?.0),
            _ if matches!(self.peek(), Token::Sign(";")) => StmtKind::Return(None),
            _ => StmtKind::Return(Some(self.expr()?)),
        };
        self.expect(";")?;
        Ok(kind)
    }

    /// An expression, or one of the functions that mean something.
    fn simple(&mut self, word: &str) -> Parsed<StmtKind> {
        let is_call = matches!(self.peek_second(), Token::Sign("("));
        let own = is_call && !self.defined.contains(word);
        let kind = match word {
            "assume" | "__VERIFIER_assume" if own => {
                self.advance();
                StmtKind::Assume(self.condition()?)
            }
            "assert" | "__VERIFIER_assert" if own => {
                self.advance();
                StmtKind::Assert(self.condition()?)
            }
            "abort" | "exit" | "reach_error" | "__VERIFIER_error" | "__assert_fail" if own => {
                self.expr()?;
                let is_end = word == "abort" || word == "exit";
                StmtKind::Stop(if is_end { Stop::Exit } else { Stop::Failed })
            }
            _ => StmtKind::Expr(Some(self.expr()?)),
        };
        self.expect(";")?;
        Ok(kind)
    }
}

impl Parser {
    /// Refuses a variable with the name of a constant, which would be hidden by it in C.
    pub(super) fn refuse_constant(&self, name: &str, span: Span) -> Parsed<()> {
        if !self.constants.contains_key(name) {
            return Ok(());
        }
        let message = format!("`{name}` is a constant of an enumeration, too");
        Err(Fault::new("C102", span, message, "give one another name"))
    }

    /// A variable with its value, for declarations.
    pub(super) fn declared(&mut self, name: String, span: Span, ty: Type) -> Parsed<Declared> {
        self.refuse_constant(&name, span)?;
        let value = if self.takes("=") { Some(self.assignment()?) } else { None };
        self.note_type(&name, ty);
        Ok(Declared { name, span, value, ty })
    }
}
