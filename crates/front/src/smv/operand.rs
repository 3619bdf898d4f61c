//! What may stand where an expression begins: names, numbers, brackets, and operators that stand
//! before their operand.

use super::expression::{Function, Next, Open, Pending, Reading, Waiting};
use super::lexer::{Key, Kind, Sign, Token};
use super::parser::{Parser, Skip};
use super::syntax::{Binary, Bounded, Expr, Unary};
use crate::problem::Problem;
use tern_model::Span;

impl Parser<'_, '_> {
    /// Reads an operand, or what stands before one.
    pub(super) fn operand(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        let Token { kind, span } = self.token;
        let wait = |reading: &mut Reading, kind: Waiting| {
            reading.pending.push(Pending { kind, span });
            Ok(Next::Operand)
        };
        let open = |open: Open| Waiting::Open(open, Vec::new());
        match kind {
            Kind::Number(number) => self.number(reading, number),
            Kind::Name => {
                let name = self.name_of(span);
                self.advance();
                Ok(self.push(reading, Expr::Name(name), span))
            }
            Kind::Sign(sign) => {
                let waiting = match sign {
                    Sign::Open => open(Open::Parenthesis),
                    Sign::OpenBrace => open(Open::Brace),
                    Sign::Not => Waiting::Prefix(Unary::Not),
                    Sign::Minus => Waiting::Prefix(Unary::Minus),
                    Sign::Plus => {
                        self.advance();
                        return match self.token.kind {
                            Kind::Number(number) => self.number(reading, number),
                            _ => Err(self.expected("a number", "`+` stands before numbers only")),
                        };
                    }
                    _ => return Err(self.expected("an expression", "")),
                };
                self.advance();
                wait(reading, waiting)
            }
            Kind::Key(key) => self.keyword(reading, key, span),
            Kind::Bad | Kind::End => Err(self.expected("an expression", "")),
        }
    }

    /// An operand, or an operator before one, that is a reserved word.
    fn keyword(&mut self, reading: &mut Reading, key: Key, span: Span) -> Result<Next, Skip> {
        let timed = |unary| Waiting::Prefix(unary);
        let waiting = match key {
            Key::True | Key::False | Key::SelfWord => {
                self.advance();
                let expr = match key {
                    Key::True => Expr::True,
                    Key::False => Expr::False,
                    _ => Expr::SelfWord,
                };
                return Ok(self.push(reading, expr, span));
            }
            Key::Ex => timed(Unary::Ex),
            Key::Ax => timed(Unary::Ax),
            Key::Ef => timed(Unary::Ef),
            Key::Af => timed(Unary::Af),
            Key::Eg => timed(Unary::Eg),
            Key::Ag => timed(Unary::Ag),
            Key::X => timed(Unary::X),
            Key::F | Key::G => {
                self.advance();
                let (plain, bounded) = match key {
                    Key::F => (Unary::F, Bounded::F),
                    _ => (Unary::G, Bounded::G),
                };
                let waiting = match self.token.kind {
                    Kind::Sign(Sign::OpenBracket) => Waiting::Timed(bounded, self.interval()?),
                    _ => Waiting::Prefix(plain),
                };
                reading.pending.push(Pending { kind: waiting, span });
                return Ok(Next::Operand);
            }
            Key::Ebf | Key::Abf | Key::Ebg | Key::Abg => {
                self.advance();
                let bounded = match key {
                    Key::Ebf => Bounded::Ebf,
                    Key::Abf => Bounded::Abf,
                    Key::Ebg => Bounded::Ebg,
                    _ => Bounded::Abg,
                };
                let bounds = self.bounds()?;
                reading.pending.push(Pending { kind: Waiting::Timed(bounded, bounds), span });
                return Ok(Next::Operand);
            }
            Key::A | Key::E => {
                self.advance();
                self.expect(Sign::OpenBracket, "`A` and `E` stand before `[ p U q ]` only")?;
                let kind = Waiting::Open(Open::Path { exists: key == Key::E }, Vec::new());
                reading.pending.push(Pending { kind, span });
                return Ok(Next::Operand);
            }
            Key::Case => Waiting::Open(Open::CaseCondition, Vec::new()),
            _ => {
                let function = match key {
                    Key::Next => Function::Unary(Unary::Next),
                    Key::Bool => Function::Unary(Unary::Bool),
                    Key::Toint => Function::Unary(Unary::Toint),
                    Key::Abs => Function::Unary(Unary::Abs),
                    Key::Min => Function::Binary(Binary::Min),
                    Key::Max => Function::Binary(Binary::Max),
                    Key::Count => Function::Count,
                    _ => return Err(self.no_operand(key, span)),
                };
                self.advance();
                self.expect(Sign::Open, "its operand stands in parentheses")?;
                if function == Function::Unary(Unary::Next) && reading.in_next > 0 {
                    self.nested_next(span);
                }
                reading.in_next += usize::from(function == Function::Unary(Unary::Next));
                let kind = Waiting::Open(Open::Function(function), Vec::new());
                reading.pending.push(Pending { kind, span });
                return Ok(Next::Operand);
            }
        };
        self.advance();
        reading.pending.push(Pending { kind: waiting, span });
        Ok(Next::Operand)
    }

    fn nested_next(&mut self, span: Span) {
        self.problem(|_| {
            let problem = Problem::error("S032", "`next` stands inside `next`");
            problem.at(span, "the state after the next cannot be spoken of")
        });
    }

    /// What to say of a reserved word that begins no expression that is supported.
    pub(super) fn no_operand(&mut self, key: Key, span: Span) -> Skip {
        use Key::*;
        let word = key.text();
        let (message, hint) = match key {
            O | H | Y | Z | S | T => (
                format!("`{word}` is an operator of the past, which is not supported"),
                "say it with operators of the future: X, F, G, U and V",
            ),
            Word1 | Signed | Unsigned | Extend | Uwconst | Swconst | Resize | Sizeof | Read
            | Write | ConstArray | Typeof => (
                format!("`{word}` is about words, which are not supported"),
                "use a range such as `0..255`, and `mod`",
            ),
            MinOf | MaxOf => (
                format!("`{word}` computes a number of steps, which is not supported"),
                "ask with bounds: `ABF 0..5 p`",
            ),
            _ => return self.expected("an expression", ""),
        };
        self.problem(|_| Problem::error("S006", message).at(span, "not supported").hint(hint));
        Skip::Statement
    }

    /// A number, or a range of numbers.
    fn number(&mut self, reading: &mut Reading, number: i64) -> Result<Next, Skip> {
        let span = self.token.span;
        self.advance();
        if !(reading.ranges && self.token.kind == Kind::Sign(Sign::Dots)) {
            return Ok(self.push(reading, Expr::Number(number), span));
        }
        self.advance();
        let (mut low, mut begin) = (number, span);
        if let Some(Pending { kind: Waiting::Prefix(Unary::Minus), span }) = reading.pending.last()
        {
            (low, begin) = (-low, *span);
            reading.pending.pop();
        }
        let end = self.token.span;
        let high = self.signed_number()?;
        Ok(self.push(reading, Expr::Range(low, high), begin.to(end)))
    }

    /// A number that may have a sign.
    fn signed_number(&mut self) -> Result<i64, Skip> {
        let minus = self.token.kind == Kind::Sign(Sign::Minus);
        if minus || self.token.kind == Kind::Sign(Sign::Plus) {
            self.advance();
        }
        let Kind::Number(number) = self.token.kind else {
            return Err(self.expected("a number", "the ends of a range are numbers"));
        };
        self.advance();
        Ok(if minus { -number } else { number })
    }

    /// `m..n`
    pub(super) fn bounds(&mut self) -> Result<(i64, i64), Skip> {
        let from = self.token.span;
        let low = self.signed_number()?;
        self.expect(Sign::Dots, "the bounds are numbers, such as `0..5`")?;
        let to = self.token.span;
        let high = self.signed_number()?;
        self.check_bounds((low, high), from.to(to))
    }

    /// `[m, n]`
    pub(super) fn interval(&mut self) -> Result<(i64, i64), Skip> {
        let from = self.token.span;
        self.advance();
        let low = self.signed_number()?;
        self.expect(Sign::Comma, "the bounds are numbers, such as `[0, 5]`")?;
        let high = self.signed_number()?;
        let to = self.token.span;
        self.expect(Sign::CloseBracket, "the bounds are numbers, such as `[0, 5]`")?;
        self.check_bounds((low, high), from.to(to))
    }

    pub(super) fn check_bounds(
        &mut self,
        (low, high): (i64, i64),
        span: Span,
    ) -> Result<(i64, i64), Skip> {
        const MOST: i64 = 1000;
        let wrong = if low < 0 || low > high {
            "the bounds of an operator count steps: from 0 on, the smaller first".to_owned()
        } else if high > MOST {
            format!("bounds of more than {MOST} steps are not supported")
        } else {
            return Ok((low, high));
        };
        self.problem(|_| Problem::error("S006", wrong).at(span, "these"));
        Err(Skip::Statement)
    }
}
