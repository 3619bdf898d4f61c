//! Expressions, by how strongly operators bind.

use super::super::Fault;
use super::super::lexer::{PLAIN, Token};
use super::super::syntax::{
    Arithmetic, Comparison, Expr, Kind, Size, Suffix, Type, Widths, element,
};
use super::constant::value;
use super::{Parsed, Parser};

impl Parser {
    /// A number that is known when the program is read.
    pub(in crate::c) fn constant(&mut self) -> Parsed<i128> {
        let expr = self.ternary()?;
        let hint = "write a number, or numbers joined by operators";
        value(&expr).ok_or_else(|| Fault::new("C101", expr.span, "this must be a constant", hint))
    }

    pub(in crate::c) fn expr(&mut self) -> Parsed<Expr> {
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

    pub(in crate::c) fn assignment(&mut self) -> Parsed<Expr> {
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
            Token::Word(name) if name == "sizeof" => {
                self.advance();
                self.size()?
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

    /// A type in brackets, a variable or an element behind `sizeof`: how many bytes it has, as an
    /// `unsigned long`.
    fn size(&mut self) -> Parsed<Kind> {
        let span = self.span();
        let is_bracketed = self.takes("(");
        let found = match is_bracketed && self.begins_type() {
            true => self.cast_type()?.map(|ty| (ty.size, 1)),
            false => self.size_of_variable()?,
        };
        let is_all = !is_bracketed || matches!(self.peek(), Token::Sign(")"));
        // In a claim, where nothing is known of bits, a size would be taken for granted.
        let Some((size, count)) = found.filter(|_| is_all && !self.is_claim) else {
            let message = "only types of integers, variables and elements have a size here";
            let hint = "write the type instead, as in `sizeof(int)`, or the number of bytes";
            return Err(Fault::new("C103", span, message, hint));
        };
        if is_bracketed {
            self.expect(")")?;
        }
        self.sizes.push((size, span));
        let suffix = Suffix { is_unsigned: true, longs: 1, is_decimal: true };
        Ok(Kind::Literal(Widths::of_int(32).bytes(size) * count, suffix))
    }

    /// The type of a variable, of an element or of the elements of an array, and how many there
    /// are; `None` if what comes next is none, or if its name has two types in the program.
    fn size_of_variable(&mut self) -> Parsed<Option<(Size, i128)>> {
        let Token::Word(name) = self.peek().clone() else { return Ok(None) };
        let Some(&Some(size)) = self.variables.get(&name) else { return Ok(None) };
        self.advance();
        let count = self.arrays.get(&name).map_or(1, |&count| count as i128);
        if !self.takes("[") {
            return Ok(Some((size, count)));
        }
        // The element is not looked up.
        self.deeper(Self::expr)?;
        self.expect("]")?;
        Ok(Some((size, 1)))
    }

    /// The arguments of a call. Functions without a body give any number.
    fn call(&mut self, name: String) -> Parsed<Kind> {
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
