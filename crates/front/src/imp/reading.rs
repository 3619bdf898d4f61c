//! Reads expressions, with two explicit stacks: operands that are done, and operators that wait for
//! their last operand. Types are checked as operators are taken off the stack.

use super::expr::{Binary, Expr, Range, Term, Type, Unary};
use super::lexer::{KEYWORDS, Kind, Lexer, Token};
use super::program::VarId;
use crate::collector::Collector;
use crate::formula::shortened;
use crate::problem::Problem;
use crate::words::did_you_mean;
use rustc_hash::FxHashMap;
use tern_model::Span;

/// That something could not be read; it was reported.
pub(super) struct Broken;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Constant(i64, Type),
    Variable(VarId, Range),
}

/// The names that expressions may use. Those of the procedure hide those of the program.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) global: FxHashMap<String, (Named, Span)>,
    pub(super) local: FxHashMap<String, (Named, Span)>,
    /// All names in the order of the text, for hints.
    pub(super) order: Vec<String>,
    /// Whether a declaration could not be read, so that names may seem to be missing.
    pub(super) broken: bool,
}

impl Names {
    pub(super) fn find(&self, name: &str) -> Option<&(Named, Span)> {
        self.local.get(name).or_else(|| self.global.get(name))
    }
}

/// The text with the token that is looked at.
pub(super) struct Cursor<'a, 'p> {
    pub(super) lexer: Lexer<'a>,
    pub(super) current: Token,
    /// The token before the current one.
    pub(super) last: Span,
    pub(super) problems: &'p mut Collector,
}

impl<'a, 'p> Cursor<'a, 'p> {
    /// At the first token from an offset on.
    pub(super) fn new(text: &'a str, at: usize, problems: &'p mut Collector) -> Self {
        let mut lexer = Lexer { text, at };
        let current = lexer.next(problems);
        Cursor { lexer, current, last: Span::new(at..at), problems }
    }

    pub(super) fn advance(&mut self) {
        self.last = self.current.span;
        self.current = self.lexer.next(self.problems);
    }

    /// The text of the current token.
    pub(super) fn text(&self) -> &'a str {
        self.lexer.text_of(self.current)
    }

    /// Whether the current token is this keyword or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.current.kind, Kind::Word | Kind::Sign) && self.text() == text
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.advance();
        }
        is
    }

    /// Reports that something else is expected.
    pub(super) fn unexpected(&mut self, what: &str) -> Broken {
        self.unexpected_with(what, None)
    }

    pub(super) fn unexpected_with(&mut self, what: &str, hint: Option<&str>) -> Broken {
        let (token, text) = (self.current, self.text());
        if token.kind == Kind::Bad {
            return Broken; // it was reported
        }
        self.problems.add(|_| {
            let message = match token.kind {
                Kind::End => format!("the text ends where {what} is expected"),
                _ => format!("{what} is expected, not `{}`", shortened(text)),
            };
            let problem = Problem::error("G004", message).at(token.span, "");
            match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        });
        Broken
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Broken> {
        if self.accept(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// A name that is no keyword.
    pub(super) fn name(&mut self, what: &str) -> Result<(&'a str, Span), Broken> {
        let (text, span) = (self.text(), self.current.span);
        if self.current.kind != Kind::Word {
            return Err(self.unexpected(what));
        }
        if KEYWORDS.contains(&text) {
            let hint = format!("`{text}` is a keyword, and no name");
            return Err(self.unexpected_with(what, Some(&hint)));
        }
        self.advance();
        Ok((text, span))
    }

    /// A number, which may be too large.
    pub(super) fn number(&mut self) -> Option<i64> {
        let (text, span) = (self.text(), self.current.span);
        let value = text.parse().ok();
        if value.is_none() {
            self.problems.add(|_| {
                Problem::error("G005", "the number is too large")
                    .at(span, "")
                    .hint(format!("numbers go up to {}", i64::MAX))
            });
        }
        self.advance();
        value
    }
}

/// An operator that waits, or a parenthesis that is open.
enum Waiting {
    Open(Span),
    Unary(Unary, Span),
    Binary(Binary, Span),
}

/// What is known of an operand: its type, unless something in it is wrong, and its place.
type Operand = (Option<Type>, Span);

struct Reader<'c, 'a, 'p> {
    cursor: &'c mut Cursor<'a, 'p>,
    names: &'c Names,
    terms: Vec<Term>,
    operands: Vec<Operand>,
    waiting: Vec<Waiting>,
    /// How many parentheses are open.
    depth: usize,
    /// How tightly an operator must bind to be taken, outside of parentheses.
    least: u8,
}

/// Reads the expression that begins at the cursor, as far as it goes.
pub(super) fn expression(cursor: &mut Cursor<'_, '_>, names: &Names) -> Result<Expr, Broken> {
    read(cursor, names, 0)
}

/// Reads an expression without comparisons, behind which `=` may stand.
pub(super) fn arithmetic(cursor: &mut Cursor<'_, '_>, names: &Names) -> Result<Expr, Broken> {
    read(cursor, names, Binary::Plus.strength())
}

fn read(cursor: &mut Cursor<'_, '_>, names: &Names, least: u8) -> Result<Expr, Broken> {
    let (terms, operands, waiting) = (Vec::new(), Vec::new(), Vec::new());
    Reader { cursor, names, terms, operands, waiting, depth: 0, least }.read()
}

/// Reads an expression that must be of a type.
pub(super) fn expression_of(
    kind: Type,
    role: &str,
    cursor: &mut Cursor<'_, '_>,
    names: &Names,
) -> Result<Expr, Broken> {
    let expr = expression(cursor, names)?;
    if expr.kind == kind {
        return Ok(expr);
    }
    cursor.problems.add(|_| {
        Problem::error("G021", format!("{role} must be {}", said(kind)))
            .at(expr.span, format!("this is {}", said(expr.kind)))
    });
    Err(Broken)
}

/// A type in words.
pub(super) fn said(kind: Type) -> &'static str {
    match kind {
        Type::Number => "a number",
        Type::Truth => "a truth value",
    }
}

impl Reader<'_, '_, '_> {
    fn read(mut self) -> Result<Expr, Broken> {
        loop {
            self.operand()?;
            while self.depth > 0 && self.cursor.is(")") {
                self.close();
            }
            match self.operator() {
                Some(operator) if self.depth > 0 || operator.strength() >= self.least => {
                    self.reduce(operator.strength());
                    self.waiting.push(Waiting::Binary(operator, self.cursor.current.span));
                    self.cursor.advance();
                }
                _ => break,
            }
        }
        if self.depth > 0 {
            let opened = self.waiting.iter().rev().find_map(|it| match it {
                Waiting::Open(span) => Some(*span),
                _ => None,
            });
            let hint = self.cursor.is("||").then_some("`||` stands between processes; write `or`");
            let broken = self.cursor.unexpected_with("`)`", hint);
            if let (Some(opened), false) = (opened, self.cursor.current.kind == Kind::Bad) {
                self.cursor.problems.relate_last(opened, "opened here");
            }
            return Err(broken);
        }
        self.reduce(0);
        match self.operands.pop() {
            Some((Some(kind), span)) => Ok(Expr { terms: self.terms, kind, span }),
            _ => Err(Broken), // it was reported
        }
    }

    /// An operand, with the signs and parentheses before it.
    fn operand(&mut self) -> Result<(), Broken> {
        loop {
            let span = self.cursor.current.span;
            match (self.cursor.current.kind, self.cursor.text()) {
                (Kind::Sign, "(") => {
                    self.waiting.push(Waiting::Open(span));
                    self.depth += 1;
                }
                (Kind::Sign, "-") => self.waiting.push(Waiting::Unary(Unary::Minus, span)),
                (Kind::Sign, "!") | (Kind::Word, "not") => {
                    self.waiting.push(Waiting::Unary(Unary::Not, span));
                }
                (Kind::Number, _) => {
                    let value = self.cursor.number();
                    self.push(
                        Term::Value(value.unwrap_or(0), Type::Number),
                        Some(Type::Number),
                        span,
                    );
                    return Ok(());
                }
                (Kind::Word, word @ ("true" | "false")) => {
                    self.cursor.advance();
                    let term = Term::Value(i64::from(word == "true"), Type::Truth);
                    self.push(term, Some(Type::Truth), span);
                    return Ok(());
                }
                (Kind::Word, word) if !KEYWORDS.contains(&word) => {
                    self.cursor.advance();
                    self.named(word, span);
                    return Ok(());
                }
                _ => return Err(self.cursor.unexpected("an expression")),
            }
            self.cursor.advance();
        }
    }

    fn push(&mut self, term: Term, kind: Option<Type>, span: Span) {
        self.terms.push(term);
        self.operands.push((kind, span));
    }

    fn named(&mut self, word: &str, span: Span) {
        match self.names.find(word) {
            Some(&(Named::Constant(value, kind), _)) => {
                self.push(Term::Value(value, kind), Some(kind), span);
            }
            Some(&(Named::Variable(variable, range), _)) => {
                self.push(Term::Variable(variable), Some(range.kind), span);
            }
            None => {
                unknown(self.cursor.problems, self.names, word, span);
                self.push(Term::Value(0, Type::Number), None, span);
            }
        }
    }

    /// The operator at the cursor.
    fn operator(&self) -> Option<Binary> {
        if !matches!(self.cursor.current.kind, Kind::Word | Kind::Sign) {
            return None;
        }
        Some(match self.cursor.text() {
            "or" | "|" => Binary::Or,
            "and" | "&" | "&&" => Binary::And,
            "=" | "==" => Binary::Equal,
            "!=" | "<>" => Binary::Unequal,
            "<" => Binary::Less,
            "<=" => Binary::AtMost,
            ">" => Binary::Greater,
            ">=" => Binary::AtLeast,
            "+" => Binary::Plus,
            "-" => Binary::Minus,
            "*" => Binary::Times,
            "/" => Binary::Over,
            "mod" => Binary::Mod,
            _ => return None,
        })
    }

    /// Takes the operators off the stack that bind at least so tightly.
    fn reduce(&mut self, least: u8) {
        while let Some(top) = self.waiting.last() {
            let strength = match top {
                Waiting::Open(_) => return,
                Waiting::Unary(Unary::Not, _) => 3,
                Waiting::Unary(Unary::Minus, _) => 7,
                Waiting::Binary(operator, _) => operator.strength(),
            };
            if strength < least {
                return;
            }
            match self.waiting.pop() {
                Some(Waiting::Unary(operator, span)) => self.apply_unary(operator, span),
                Some(Waiting::Binary(operator, span)) => self.apply_binary(operator, span),
                _ => return,
            }
        }
    }

    fn close(&mut self) {
        self.reduce(0);
        if let Some(Waiting::Open(open)) = self.waiting.pop() {
            self.depth -= 1;
            let close = self.cursor.current.span;
            if let Some((_, span)) = self.operands.last_mut() {
                *span = open.to(close);
            }
        }
        self.cursor.advance();
    }

    fn apply_unary(&mut self, operator: Unary, span: Span) {
        let (sign, kind) = match operator {
            Unary::Minus => ("-", Type::Number),
            Unary::Not => ("not", Type::Truth),
        };
        let operand = self.operands.pop().unwrap_or((None, span));
        let fits = self.fits(operand, kind, sign);
        self.push(Term::Unary(operator), fits.then_some(kind), span.to(operand.1));
    }

    fn apply_binary(&mut self, operator: Binary, span: Span) {
        let right = self.operands.pop().unwrap_or((None, span));
        let left = self.operands.pop().unwrap_or((None, span));
        let (wanted, given) = operator.types();
        let fits = match wanted {
            Some(kind) => {
                let left = self.fits(left, kind, operator.sign());
                self.fits(right, kind, operator.sign()) && left
            }
            None => match (left.0, right.0) {
                (Some(a), Some(b)) if a != b => {
                    self.cursor.problems.add(|_| {
                        Problem::error("G020", "a number is compared with a truth value")
                            .at(span, "")
                            .related(left.1, format!("this is {}", said(a)))
                            .related(right.1, format!("this is {}", said(b)))
                    });
                    false
                }
                (a, b) => a.is_some() && b.is_some(),
            },
        };
        self.push(Term::Binary(operator), fits.then_some(given), left.1.to(right.1));
    }

    /// Whether an operand is of a type; says so if it is of another.
    fn fits(&mut self, (kind, span): Operand, wanted: Type, sign: &str) -> bool {
        if kind.is_some_and(|kind| kind != wanted) {
            self.cursor.problems.add(|_| {
                let problem = Problem::error("G020", format!("`{sign}` needs {}", said(wanted)));
                let problem = problem.at(span, format!("this is {}", said(kind.unwrap_or(wanted))));
                match wanted {
                    Type::Truth => problem.hint("compare the number with another, as in `x = 1`"),
                    Type::Number => {
                        problem.hint("truth values are joined by `and`, `or` and `not`")
                    }
                }
            });
        }
        kind == Some(wanted)
    }
}

/// Reports a name that is not declared.
pub(super) fn unknown(problems: &mut Collector, names: &Names, word: &str, span: Span) {
    if names.broken {
        return;
    }
    problems.add(|nearest| {
        let known =
            names.order.iter().map(String::as_str).filter(|name| names.find(name).is_some());
        let near = did_you_mean(nearest.among(word, known));
        let hint = near.unwrap_or_else(|| format!("declare it above: `var {word} : 0..1;`"));
        Problem::error("G010", format!("there is no variable `{}`", shortened(word)))
            .at(span, "")
            .hint(hint)
    });
}
