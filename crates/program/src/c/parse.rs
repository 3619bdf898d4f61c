//! Reads C text into a syntax tree, by recursive descent with a bound on depth.

use super::Fault;
use super::declare::Declaration;
use super::lexer::{Lexeme, PLAIN, Token, lex};
use super::syntax::{
    Arithmetic, Comparison, Declared, Expr, Function, Kind, Size, Stmt, StmtKind, Stop, Type, Unit,
    element,
};
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
    /// Functions that have a body somewhere in the text.
    defined: HashSet<String>,
    /// Whether an expression of a claim is read: elements of arrays have names there.
    is_claim: bool,
    /// Variables that are said to be defined elsewhere.
    pub(super) elsewhere: Vec<(String, Span)>,
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
            defined,
            is_claim: false,
            elsewhere: Vec::new(),
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

    /// A number that is known when the program is read.
    pub(super) fn constant(&mut self) -> Parsed<i128> {
        let expr = self.ternary()?;
        let hint = "write a number, or numbers joined by operators";
        value(&expr).ok_or_else(|| Fault::new("C101", expr.span, "this must be a constant", hint))
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        let mut length = 0;
        while self.takes(",") {
            self.refuse_length(&mut length)?;
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = Expr { kind: Kind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let left = parser.ternary()?;
            let operators = [
                ("=", None),
                ("+=", Some(Arithmetic::Add)),
                ("-=", Some(Arithmetic::Subtract)),
                ("*=", Some(Arithmetic::Multiply)),
                ("/=", Some(Arithmetic::Divide)),
                ("%=", Some(Arithmetic::Remainder)),
                ("&=", Some(Arithmetic::BitAnd)),
                ("|=", Some(Arithmetic::BitOr)),
                ("^=", Some(Arithmetic::BitXor)),
                ("<<=", Some(Arithmetic::ShiftLeft)),
                (">>=", Some(Arithmetic::ShiftRight)),
            ];
            for (sign, operator) in operators {
                if parser.takes(sign) {
                    if let Kind::Index(array, size, index) = left.kind {
                        let right = Box::new(parser.assignment()?);
                        let span = left.span.to(right.span);
                        let kind = Kind::Store(array, size, index, operator, right);
                        return Ok(Expr { kind, span });
                    }
                    let name = parser.target(&left)?;
                    let right = parser.assignment()?;
                    let span = left.span.to(right.span);
                    let kind = Kind::Assign(name, operator, Box::new(right));
                    return Ok(Expr { kind, span });
                }
            }
            Ok(left)
        })
    }

    /// The variable that is written.
    fn target(&self, expr: &Expr) -> Parsed<String> {
        match &expr.kind {
            Kind::Name(name) => Ok(name.clone()),
            _ => Err(Fault::new(
                "C103",
                expr.span,
                "only variables can be assigned",
                "integer programs have no pointers and no structs",
            )),
        }
    }

    fn ternary(&mut self) -> Parsed<Expr> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.deeper(Self::expr)?;
        self.expect(":")?;
        let no = self.deeper(Self::ternary)?;
        let span = condition.span.to(no.span);
        let kind = Kind::Choose(Box::new(condition), Box::new(yes), Box::new(no));
        Ok(Expr { kind, span })
    }

    fn binary(&mut self, least: usize) -> Parsed<Expr> {
        let mut left = self.deeper(Self::unary)?;
        let mut length = 0;
        loop {
            let sign = match self.peek() {
                Token::Sign(sign) => *sign,
                _ => return Ok(left),
            };
            let Some(level) = level(sign).filter(|&level| level >= least) else { return Ok(left) };
            self.refuse_length(&mut length)?;
            self.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let (a, b) = (Box::new(left), Box::new(right));
            left = Expr { kind: joined(sign, a, b), span };
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.takes(sign) {
                let of = self.deeper(Self::unary)?;
                return self.increment(of, by, false);
            }
        }
        for sign in ["-", "+", "!", "~", "*", "&"] {
            if !self.takes(sign) {
                continue;
            }
            if ["*", "&"].contains(&sign) {
                let message = format!("`{sign}` is not an operator on integers here");
                let hint = "integer programs have no pointers";
                return Err(Fault::new("C103", span, message, hint));
            }
            let of = self.deeper(Self::unary)?;
            let span = span.to(of.span);
            let kind = match sign {
                "-" => Kind::Negate(Box::new(of)),
                "!" => Kind::Not(Box::new(of)),
                "~" => Kind::Complement(Box::new(of)),
                _ => Kind::Binary(
                    Arithmetic::Add,
                    Box::new(Expr { kind: Kind::Number(0), span }),
                    Box::new(of),
                ),
            };
            return Ok(Expr { kind, span });
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        if matches!(self.peek(), Token::Sign("[")) {
            expr = self.index(&expr)?;
        }
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.takes(sign) {
                return self.increment(expr, by, true);
            }
        }
        if matches!(self.peek(), Token::Sign("[" | "." | "->")) {
            let message = "structs, pointers and arrays of arrays are not treated";
            let hint = "use one variable for each element";
            return Err(Fault::new("C103", self.span(), message, hint));
        }
        Ok(expr)
    }

    fn increment(&self, of: Expr, by: i128, is_before: bool) -> Parsed<Expr> {
        let span = of.span;
        let kind = match of.kind {
            Kind::Index(array, size, index) => {
                let by = Box::new(Expr { kind: Kind::Number(by), span });
                Kind::Store(array, size, index, Some(Arithmetic::Add), by)
            }
            _ => Kind::Increment(self.target(&of)?, by, is_before),
        };
        Ok(Expr { kind, span })
    }

    /// `a[e]`
    fn index(&mut self, array: &Expr) -> Parsed<Expr> {
        let span = array.span;
        let name = self.target(array)?;
        self.expect("[")?;
        let index = self.deeper(Self::expr)?;
        self.expect("]")?;
        let number = value(&index).and_then(|number| usize::try_from(number).ok());
        let kind = match (self.arrays.get(&name), number) {
            (None, Some(number)) if self.is_claim => Kind::Name(element(&name, number)),
            (None, _) if self.is_claim => {
                let message = "which element this is must be a number in claims";
                let hint = "write one comparison for each element";
                return Err(Fault::new("C104", index.span, message, hint));
            }
            (None, _) => {
                let message = format!("`{name}` is no array of constant size");
                return Err(Fault::new("C103", span, message, "declare it as `int a[4];`"));
            }
            (Some(&size), Some(number)) if number < size => Kind::Name(element(&name, number)),
            (Some(&size), _) => Kind::Index(name, size, Box::new(index)),
        };
        Ok(Expr { kind, span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Number(number, suffix) => {
                self.advance();
                if suffix == PLAIN { Kind::Number(number) } else { Kind::Literal(number, suffix) }
            }
            Token::Sign("?") => {
                self.advance();
                Kind::Any(None, None, Type::INT)
            }
            Token::Sign("[") => {
                self.advance();
                let low = self.constant()?;
                self.expect(",")?;
                let high = self.constant()?;
                self.expect("]")?;
                if low > high {
                    let hint = "the smaller number comes first";
                    return Err(Fault::new("C101", span, "no number lies between these", hint));
                }
                Kind::Any(Some(low), Some(high), Type::INT)
            }
            Token::Sign("(") => {
                self.advance();
                if self.begins_type() {
                    let ty = self.cast_type()?;
                    self.expect(")")?;
                    let of = self.deeper(Self::unary)?;
                    let span = span.to(of.span);
                    return Ok(match ty {
                        Some(ty) => Expr { kind: Kind::Cast(ty, Box::new(of)), span },
                        None => of,
                    });
                }
                let expr = self.deeper(Self::expr)?;
                self.expect(")")?;
                return Ok(Expr { kind: expr.kind, span });
            }
            Token::Word(name) if matches!(self.peek_second(), Token::Sign("(")) => {
                self.advance();
                self.call(name)?
            }
            Token::Word(name) => {
                self.advance();
                match self.constants.get(&name) {
                    Some(&number) => Kind::Number(number),
                    None => Kind::Name(name),
                }
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span })
    }

    /// The arguments of a call. Functions without a body give any number.
    fn call(&mut self, name: String) -> Parsed<Kind> {
        if name == "sizeof" {
            let hint = "write the number of bytes";
            return Err(Fault::new("C103", self.span(), "`sizeof` is not treated", hint));
        }
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            if matches!(self.peek(), Token::Sign("\"")) {
                let span = self.span();
                self.advance();
                arguments.push(Expr { kind: Kind::Number(0), span });
            } else {
                arguments.push(self.assignment()?);
            }
        }
        let is_free = arguments.is_empty() && !self.defined.contains(&name);
        if !is_free {
            return Ok(Kind::Call(name, arguments));
        }
        let by_name = name.strip_prefix("__VERIFIER_nondet_").and_then(nondet);
        let ty = by_name.or(self.declared.get(&name).copied()).unwrap_or(Type::INT);
        Ok(Kind::Any(None, None, ty))
    }
}

/// The type of what `__VERIFIER_nondet_` with a word behind it gives.
fn nondet(word: &str) -> Option<Type> {
    let (is_unsigned, rest) = match word.strip_prefix('u') {
        Some(rest) => (true, rest.strip_prefix("nsigned_").unwrap_or(rest)),
        None => (false, word),
    };
    let size = match rest {
        "bool" | "_Bool" => return Some(Type::BOOL),
        "char" => Size::Char,
        "short" => Size::Short,
        "int" | "nsigned" => Size::Int,
        "long" => Size::Long,
        "longlong" => Size::LongLong,
        "8" => Size::Bits(8),
        "16" => Size::Bits(16),
        "32" => Size::Bits(32),
        "64" => Size::Bits(64),
        "size_t" => return Some(Type { size: Size::Long, is_unsigned: true }),
        _ if is_unsigned => Size::Int,
        _ => return None,
    };
    Some(Type { size, is_unsigned })
}

/// How strongly an operator binds.
fn level(sign: &str) -> Option<usize> {
    Some(match sign {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | "<=" | ">" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

fn joined(sign: &str, a: Box<Expr>, b: Box<Expr>) -> Kind {
    match sign {
        "||" => Kind::Or(a, b),
        "&&" => Kind::And(a, b),
        "==" => Kind::Compare(Comparison::Equal, a, b),
        "!=" => Kind::Compare(Comparison::NotEqual, a, b),
        "<" => Kind::Compare(Comparison::Less, a, b),
        "<=" => Kind::Compare(Comparison::LessEqual, a, b),
        ">" => Kind::Compare(Comparison::Greater, a, b),
        ">=" => Kind::Compare(Comparison::GreaterEqual, a, b),
        "+" => Kind::Binary(Arithmetic::Add, a, b),
        "-" => Kind::Binary(Arithmetic::Subtract, a, b),
        "*" => Kind::Binary(Arithmetic::Multiply, a, b),
        "/" => Kind::Binary(Arithmetic::Divide, a, b),
        "&" => Kind::Binary(Arithmetic::BitAnd, a, b),
        "|" => Kind::Binary(Arithmetic::BitOr, a, b),
        "^" => Kind::Binary(Arithmetic::BitXor, a, b),
        "<<" => Kind::Binary(Arithmetic::ShiftLeft, a, b),
        ">>" => Kind::Binary(Arithmetic::ShiftRight, a, b),
        _ => Kind::Binary(Arithmetic::Remainder, a, b),
    }
}

/// A constant converted to a type, if it is the same however many bits types have.
fn cast(ty: Type, value: i128) -> Option<i128> {
    let bits = match ty.size {
        Size::Bool => return Some(i128::from(value != 0)),
        Size::Char | Size::Short | Size::Int => 8,
        Size::Long => 32,
        Size::LongLong => 64,
        Size::Bits(bits) => bits,
    };
    let (low, high) = match ty.is_unsigned {
        true => (0, (1 << bits) - 1),
        false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    (low..=high).contains(&value).then_some(value)
}

/// The value of an expression without variables.
fn value(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        Kind::Number(number) | Kind::Literal(number, _) => Some(*number),
        Kind::Negate(of) => value(of)?.checked_neg(),
        Kind::Complement(of) => Some(!value(of)?),
        Kind::Not(of) => Some(i128::from(value(of)? == 0)),
        Kind::Cast(ty, of) => cast(*ty, value(of)?),
        Kind::Choose(condition, yes, no) => value(if value(condition)? != 0 { yes } else { no }),
        Kind::Binary(operator, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            match operator {
                Arithmetic::Add => a.checked_add(b),
                Arithmetic::Subtract => a.checked_sub(b),
                Arithmetic::Multiply => a.checked_mul(b),
                Arithmetic::Divide => a.checked_div(b),
                Arithmetic::Remainder => a.checked_rem(b),
                Arithmetic::BitAnd => Some(a & b),
                Arithmetic::BitOr => Some(a | b),
                Arithmetic::BitXor => Some(a ^ b),
                Arithmetic::ShiftLeft => {
                    let shift = u32::try_from(b).ok().filter(|shift| *shift < 64)?;
                    a.checked_mul(1 << shift)
                }
                Arithmetic::ShiftRight => {
                    u32::try_from(b).ok().and_then(|shift| a.checked_shr(shift))
                }
            }
        }
        _ => None,
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
        Ok(Declared { name, span, value, ty })
    }
}
