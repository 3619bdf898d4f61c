//! Parses expressions of SMV, those of specifications too, by the precedences of NuSMV's grammar.
//!
//! Operators wait on a stack until one comes that binds less; so do parentheses, braces, `case`
//! and the like. A million of them nested are no problem. Where an expression ends is told by the
//! first token that cannot go on with it.

use super::lexer::{Key, Kind, Sign, Token};
use super::parser::{Parser, Skip};
use super::syntax::{Binary, Bounded, CONDITIONAL, Expr, ExprId, PREFIX, Row, TIMED, Unary, Whole};
use crate::problem::Problem;
use tern_model::Span;

/// What waits for an operand, or to be closed.
pub(super) struct Pending {
    pub(super) kind: Waiting,
    pub(super) span: Span,
}

pub(super) enum Waiting {
    Prefix(Unary),
    Timed(Bounded, (i64, i64)),
    Binary(Binary),
    /// Behind `?`: the condition is an operand.
    Then,
    /// Behind its `:`: the condition and the first result are operands.
    Else,
    Open(Open, Vec<ExprId>),
}

/// What was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    Parenthesis,
    Brace,
    Index,
    Function(Function),
    CaseCondition,
    CaseResult,
    /// `A [` or `E [`.
    Path {
        exists: bool,
    },
    /// Behind the `U` in it, or behind `BU` with its bounds.
    PathEnd {
        exists: bool,
        bounds: Option<(i64, i64)>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Unary(Unary),
    Binary(Binary),
    Count,
}

/// An expression that is being read.
pub(super) struct Reading {
    pub(super) operands: Vec<ExprId>,
    pub(super) pending: Vec<Pending>,
    /// How many `next(` are open.
    pub(super) in_next: usize,
    /// Whether `1..3` may stand in it.
    pub(super) ranges: bool,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Operand,
    Operator,
    End,
}

impl Parser<'_, '_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Result<Whole, Skip> {
        self.read_expression(true)
    }

    /// Reads an expression that ends before `..`.
    pub(super) fn bound(&mut self) -> Result<Whole, Skip> {
        self.read_expression(false)
    }

    fn read_expression(&mut self, ranges: bool) -> Result<Whole, Skip> {
        let first = self.text.rows.next_id();
        let mut reading = Reading { operands: Vec::new(), pending: Vec::new(), in_next: 0, ranges };
        let mut next = Next::Operand;
        loop {
            self.tick()?;
            next = match next {
                Next::Operand => self.operand(&mut reading)?,
                Next::Operator => self.operator(&mut reading)?,
                Next::End => {
                    let root = reading.operands.pop().ok_or(Skip::Statement)?;
                    return Ok(Whole { first, root });
                }
            };
        }
    }

    pub(super) fn push(&mut self, reading: &mut Reading, expr: Expr, span: Span) -> Next {
        let row = Row { expr, span, in_next: reading.in_next > 0 };
        reading.operands.push(self.text.rows.push(row));
        Next::Operator
    }

    /// Reads an operator, or what stands behind an operand.
    fn operator(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        let Token { kind, span } = self.token;
        if let Some(binary) = binary(kind) {
            if matches!(binary, Binary::Until) && self.until(reading)? {
                return Ok(Next::Operand);
            }
            let strength = binary.strength();
            // `->` goes to the right, everything else to the left.
            self.reduce(reading, strength + u8::from(binary == Binary::Implies));
            reading.pending.push(Pending { kind: Waiting::Binary(binary), span });
            self.advance();
            return Ok(Next::Operand);
        }
        match kind {
            Kind::Sign(Sign::Dot) => self.member(reading),
            Kind::Sign(Sign::OpenBracket) => {
                self.advance();
                let kind = Waiting::Open(Open::Index, Vec::new());
                reading.pending.push(Pending { kind, span });
                Ok(Next::Operand)
            }
            Kind::Sign(Sign::Question) => {
                self.reduce(reading, CONDITIONAL + 1);
                reading.pending.push(Pending { kind: Waiting::Then, span });
                self.advance();
                Ok(Next::Operand)
            }
            Kind::Sign(Sign::Colon) => self.colon(reading),
            Kind::Sign(Sign::Semicolon) => self.semicolon(reading),
            Kind::Sign(Sign::Comma) => self.comma(reading),
            Kind::Sign(Sign::Close | Sign::CloseBrace | Sign::CloseBracket) => self.close(reading),
            Kind::Key(Key::Bu) => {
                self.advance();
                let bounds = self.bounds()?;
                self.path_end(reading, Some(bounds), span)
            }
            Kind::Key(key @ (Key::S | Key::T)) => Err(self.no_operand(key, span)),
            Kind::Sign(
                sign @ (Sign::ShiftLeft
                | Sign::ShiftRight
                | Sign::RotateLeft
                | Sign::RotateRight
                | Sign::Concatenate),
            ) => {
                let message = format!("`{}` is about words, which are not supported", sign.text());
                self.problem(|_| Problem::error("S006", message).at(span, "not supported"));
                Err(Skip::Statement)
            }
            _ => self.end(reading),
        }
    }

    /// `.name` behind an operand.
    fn member(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        self.advance();
        if self.token.kind != Kind::Name {
            return Err(self.expected("a name", "a member of an instance follows the dot"));
        }
        let name = self.name_of(self.token.span);
        if let Some(of) = reading.operands.pop() {
            let span = self.text.rows[of].span.to(self.token.span);
            self.push(reading, Expr::Dot(of, name), span);
        }
        self.advance();
        Ok(Next::Operator)
    }

    /// Whether a `U` is the one of `A [ p U q ]`.
    fn until(&mut self, reading: &mut Reading) -> Result<bool, Skip> {
        let frame = reading.pending.iter().rev().find_map(|it| match &it.kind {
            Waiting::Open(open, _) => Some(*open),
            _ => None,
        });
        let Some(Open::Path { .. }) = frame else { return Ok(false) };
        let span = self.token.span;
        self.advance();
        self.path_end(reading, None, span)?;
        Ok(true)
    }

    fn path_end(
        &mut self,
        reading: &mut Reading,
        bounds: Option<(i64, i64)>,
        span: Span,
    ) -> Result<Next, Skip> {
        self.reduce(reading, 0);
        match reading.pending.last_mut() {
            Some(Pending { kind: Waiting::Open(open @ Open::Path { .. }, _), .. }) => {
                let Open::Path { exists } = *open else { return Err(Skip::Statement) };
                *open = Open::PathEnd { exists, bounds };
                Ok(Next::Operand)
            }
            _ => {
                let message = "`BU` stands in `A [ p BU m..n q ]` or `E [ … ]` only";
                self.problem(|_| Problem::error("S005", message).at(span, "not here"));
                Err(Skip::Statement)
            }
        }
    }

    fn colon(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        // Everything down to the `?` or `case` that it may belong to.
        self.reduce(reading, 0);
        let last = reading.operands.last().copied();
        match reading.pending.last_mut().map(|it| &mut it.kind) {
            Some(kind @ Waiting::Then) => *kind = Waiting::Else,
            Some(Waiting::Open(open @ Open::CaseCondition, items)) => {
                *open = Open::CaseResult;
                items.extend(last);
                reading.operands.pop();
            }
            _ => return self.end(reading),
        }
        self.advance();
        Ok(Next::Operand)
    }

    fn semicolon(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        self.reduce(reading, 0);
        let last = reading.operands.last().copied();
        let Some(Pending { kind: Waiting::Open(open @ Open::CaseResult, items), span }) =
            reading.pending.last_mut()
        else {
            return self.end(reading);
        };
        items.extend(last);
        *open = Open::CaseCondition;
        reading.operands.pop();
        self.advance();
        if self.token.kind != Kind::Key(Key::Esac) {
            return Ok(Next::Operand);
        }
        let pairs = items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let span = span.to(self.token.span);
        reading.pending.pop();
        self.advance();
        Ok(self.push(reading, Expr::Case(pairs), span))
    }

    fn comma(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        self.reduce(reading, 0);
        let last = reading.operands.last().copied();
        match reading.pending.last_mut().map(|it| &mut it.kind) {
            Some(Waiting::Open(Open::Brace | Open::Function(_), items)) => {
                items.extend(last);
                reading.operands.pop();
                self.advance();
                Ok(Next::Operand)
            }
            _ => self.end(reading),
        }
    }

    /// Closes what was opened last, if that is what the token closes.
    fn close(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        self.reduce(reading, 0);
        let Token { kind, span: end } = self.token;
        let fits = match reading.pending.last().map(|it| &it.kind) {
            Some(Waiting::Open(open, _)) => closing(*open).map(Kind::Sign) == Some(kind),
            _ => false,
        };
        if !fits {
            return self.end(reading);
        }
        let last = reading.operands.pop().ok_or(Skip::Statement)?;
        let Some(Pending { kind: Waiting::Open(open, mut items), span }) = reading.pending.pop()
        else {
            return Err(Skip::Statement);
        };
        items.push(last);
        self.advance();
        let whole = span.to(end);
        let (expr, span) = match (open, &items[..]) {
            (Open::Parenthesis, _) => {
                reading.operands.push(last);
                return Ok(Next::Operator);
            }
            (Open::Brace, [_]) => {
                reading.operands.push(last);
                return Ok(Next::Operator);
            }
            (Open::Brace, _) => (Expr::Set(items.into()), whole),
            (Open::Index, _) => {
                let of = reading.operands.pop().ok_or(Skip::Statement)?;
                (Expr::Index(of, last), self.text.rows[of].span.to(end))
            }
            (Open::Function(Function::Unary(unary)), [operand]) => {
                reading.in_next -= usize::from(unary == Unary::Next);
                (Expr::Unary(unary, *operand), whole)
            }
            (Open::Function(Function::Binary(binary)), [left, right]) => {
                (Expr::Binary(binary, *left, *right), whole)
            }
            (Open::Function(Function::Count), _) => (Expr::Count(items.into()), whole),
            (Open::Function(_), _) => {
                let message = "the number of operands does not fit";
                self.problem(|_| Problem::error("S005", message).at(whole, "here"));
                return Err(Skip::Statement);
            }
            (Open::PathEnd { exists, bounds }, _) => {
                let first = reading.operands.pop().ok_or(Skip::Statement)?;
                let expr = match (exists, bounds) {
                    (true, None) => Expr::Binary(Binary::ExistsUntil, first, last),
                    (false, None) => Expr::Binary(Binary::AllUntil, first, last),
                    (true, Some(bounds)) => {
                        Expr::Bounded(Bounded::ExistsUntil, bounds, first, Some(last))
                    }
                    (false, Some(bounds)) => {
                        Expr::Bounded(Bounded::AllUntil, bounds, first, Some(last))
                    }
                };
                (expr, whole)
            }
            (Open::Path { .. } | Open::CaseCondition | Open::CaseResult, _) => {
                return Err(Skip::Statement);
            }
        };
        Ok(self.push(reading, expr, span))
    }

    /// Applies the operators on top that bind at least so tightly.
    fn reduce(&mut self, reading: &mut Reading, strength: u8) {
        loop {
            let own = match reading.pending.last().map(|it| &it.kind) {
                None | Some(Waiting::Open(..) | Waiting::Then) => return,
                Some(Waiting::Binary(binary)) => binary.strength(),
                Some(Waiting::Else) => CONDITIONAL,
                Some(Waiting::Prefix(Unary::Not | Unary::Minus)) => PREFIX,
                Some(Waiting::Prefix(_) | Waiting::Timed(..)) => TIMED,
            };
            if own < strength {
                return;
            }
            let (Some(Pending { kind, span }), Some(last)) =
                (reading.pending.pop(), reading.operands.pop())
            else {
                return;
            };
            let end = self.text.rows[last].span;
            let mut left = || reading.operands.pop().unwrap_or(last);
            let (expr, from) = match kind {
                Waiting::Prefix(unary) => (Expr::Unary(unary, last), span),
                Waiting::Timed(bounded, bounds) => {
                    (Expr::Bounded(bounded, bounds, last, None), span)
                }
                Waiting::Binary(binary) => {
                    let first = left();
                    (Expr::Binary(binary, first, last), self.text.rows[first].span)
                }
                Waiting::Else => {
                    let (result, condition) = (left(), left());
                    (Expr::If(condition, result, last), self.text.rows[condition].span)
                }
                Waiting::Then | Waiting::Open(..) => return,
            };
            self.push(reading, expr, from.to(end));
        }
    }

    /// The expression is over, unless something is still open.
    fn end(&mut self, reading: &mut Reading) -> Result<Next, Skip> {
        self.reduce(reading, 0);
        let Some(Pending { kind, span }) = reading.pending.last() else { return Ok(Next::End) };
        let (span, found) = (*span, self.token);
        let wanted = match kind {
            Waiting::Then => "a `:` and the other result",
            Waiting::Open(open, _) => match open {
                Open::Parenthesis | Open::Function(_) => "`)`",
                Open::Brace => "`,` or `}`",
                Open::Index | Open::PathEnd { .. } => "`]`",
                Open::CaseCondition => "`:` and a result",
                Open::CaseResult => "`;`, and then `esac` or one more case",
                Open::Path { .. } => "`U` and a second formula",
            },
            _ => "an operand",
        };
        let described = self.describe(found);
        self.problem(|_| {
            let problem = Problem::error("S005", format!("{wanted} is missing before {described}"));
            problem.at(found.span, "unexpected").related(span, "opened here")
        });
        Err(Skip::Statement)
    }
}

/// The sign that closes what was opened.
fn closing(open: Open) -> Option<Sign> {
    match open {
        Open::Parenthesis | Open::Function(_) => Some(Sign::Close),
        Open::Brace => Some(Sign::CloseBrace),
        Open::Index | Open::PathEnd { .. } => Some(Sign::CloseBracket),
        Open::CaseCondition | Open::CaseResult | Open::Path { .. } => None,
    }
}

/// The operator with two operands that a token is.
fn binary(kind: Kind) -> Option<Binary> {
    Some(match kind {
        Kind::Sign(sign) => match sign {
            Sign::Implies => Binary::Implies,
            Sign::Iff => Binary::Iff,
            Sign::Or => Binary::Or,
            Sign::And => Binary::And,
            Sign::Equal => Binary::Equal,
            Sign::NotEqual => Binary::NotEqual,
            Sign::Less => Binary::Less,
            Sign::Greater => Binary::Greater,
            Sign::AtMost => Binary::AtMost,
            Sign::AtLeast => Binary::AtLeast,
            Sign::Plus => Binary::Plus,
            Sign::Minus => Binary::Minus,
            Sign::Times => Binary::Times,
            Sign::Divide => Binary::Divide,
            _ => return None,
        },
        Kind::Key(key) => match key {
            Key::Xor => Binary::Xor,
            Key::Xnor => Binary::Xnor,
            Key::In => Binary::In,
            Key::Union => Binary::Union,
            Key::Mod => Binary::Mod,
            Key::U => Binary::Until,
            Key::V => Binary::Release,
            _ => return None,
        },
        _ => return None,
    })
}
