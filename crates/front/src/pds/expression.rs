//! Relations of rules, and constants: expressions over the variables of a text.
//!
//! ```text
//! <->   ->   |   &   ^   = == != < <= > >=   << >>   + -   * / %   ! -      from loose to tight
//! x     the value before the step         x'    the value after it
//! x''   after the step, in the second symbol that is pushed        a[e]  an element of an array
//! A i (e, e) f     for all values of i from the first to the second; E i (e, e) f   for some
//! ```
//! Truth is a number: 0 is false, everything else is true. `&` and `|` may be written twice. An
//! element that an array does not have makes the comparison around it false.
//!
//! Expressions nest at most [`DEEPEST`] deep, so that those who go through them may recur.

use crate::problem::Problem;
use tern_model::Span;
use tern_model::index::Table;

tern_model::indices! {
    /// An expression.
    pub(super) ExprId = "e";
}

/// How deep expressions nest.
const DEEPEST: u32 = 200;

/// When a variable has a value: before the step, after it, or after it in the second symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum When {
    Now,
    Next,
    Below,
}

/// Some values that lie one behind the other: an array, or one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) when: When,
    /// Where the first is.
    pub(super) first: usize,
    /// The numbers of the first and the last element.
    pub(super) from: i64,
    pub(super) to: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Iff,
    Implies,
    Xor,
    Equal,
    Unequal,
    Less,
    LessEqual,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(i64),
    /// A variable that a quantifier binds; the innermost is the last.
    Bound(usize),
    /// A variable, or an element of an array.
    Value(Slots, Option<ExprId>),
    Not(ExprId),
    And(Vec<ExprId>),
    Or(Vec<ExprId>),
    Binary(Operator, ExprId, ExprId),
    /// Whether for all, and from where to where.
    Quantified {
        all: bool,
        from: ExprId,
        to: ExprId,
        body: ExprId,
    },
}

/// Who knows names.
pub(super) trait Scope {
    /// The constant of a name.
    fn constant(&self, name: &str) -> Option<i64>;

    /// The variable of a name at a time, and whether it is an array.
    ///
    /// # Errors
    /// What is wrong with it.
    fn variable(&self, name: &str, when: When) -> Result<(Slots, bool), String>;
}

/// The expressions of a text.
#[derive(Debug, Default)]
pub(super) struct Expressions {
    rows: Table<ExprId, Expr>,
    depths: Table<ExprId, u32>,
}

impl std::ops::Index<ExprId> for Expressions {
    type Output = Expr;
    fn index(&self, id: ExprId) -> &Expr {
        &self.rows[id]
    }
}

impl Expressions {
    /// Reads the expression between two offsets of a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(
        &mut self,
        text: &str,
        span: Span,
        scope: &dyn Scope,
    ) -> Result<ExprId, Box<Problem>> {
        let (at, end) = (span.start as usize, span.end as usize);
        let mut parser =
            Parser { all: self, text: &text[..end], at, scope, bound: Vec::new(), nesting: 0 };
        let found = parser.level(0)?;
        parser.blanks();
        if parser.at < end { Err(parser.unexpected("an operator")) } else { Ok(found) }
    }
}

struct Parser<'a> {
    all: &'a mut Expressions,
    text: &'a str,
    at: usize,
    scope: &'a dyn Scope,
    bound: Vec<&'a str>,
    nesting: u32,
}

/// The signs of binary operators by level, from loose to tight; of two that begin alike the longer
/// stands first. Empty texts stand for `&` and `|`, which take many operands.
const LEVELS: [&[(&str, Option<Operator>)]; 9] = [
    &[("<->", Some(Operator::Iff))],
    &[("->", Some(Operator::Implies))],
    &[("||", None), ("|", None)],
    &[("&&", None), ("&", None)],
    &[("^", Some(Operator::Xor))],
    &[
        ("==", Some(Operator::Equal)),
        ("=", Some(Operator::Equal)),
        ("!=", Some(Operator::Unequal)),
        ("<=", Some(Operator::LessEqual)),
        (">=", Some(Operator::LessEqual)),
        ("<", Some(Operator::Less)),
        (">", Some(Operator::Less)),
    ],
    &[("<<", Some(Operator::ShiftLeft)), (">>", Some(Operator::ShiftRight))],
    &[("+", Some(Operator::Plus)), ("-", Some(Operator::Minus))],
    &[("*", Some(Operator::Times)), ("/", Some(Operator::Divide)), ("%", Some(Operator::Modulo))],
];

const OR: usize = 2;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn accept(&mut self, sign: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Box<Problem>> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&mut self, what: &str) -> Box<Problem> {
        self.blanks();
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let found = &self.rest()[..length];
        let span = Span::new(self.at..self.at + length);
        let message = match found {
            "" => "the expression ends too early".to_owned(),
            sign => format!("unexpected `{sign}`"),
        };
        Box::new(Problem::error("P020", message).at(span, format!("{what} is expected")))
    }

    fn add(&mut self, expr: Expr) -> Result<ExprId, Box<Problem>> {
        let of = |id: &ExprId| self.all.depths[*id];
        let below = match &expr {
            Expr::Number(_) | Expr::Bound(_) | Expr::Value(_, None) => 0,
            Expr::Value(_, Some(it)) | Expr::Not(it) => of(it),
            Expr::And(list) | Expr::Or(list) => list.iter().map(of).max().unwrap_or(0),
            Expr::Binary(_, one, other) => of(one).max(of(other)),
            Expr::Quantified { from, to, body, .. } => of(from).max(of(to)).max(of(body)),
        };
        if below >= DEEPEST {
            return Err(self.too_deep());
        }
        self.all.depths.push(below + 1);
        Ok(self.all.rows.push(expr))
    }

    fn too_deep(&self) -> Box<Problem> {
        let span = Span::new(self.at..self.at);
        let message = format!("the expression nests deeper than {DEEPEST} levels");
        Box::new(Problem::error("P020", message).at(span, "here"))
    }

    /// Reads operators of a level and of tighter ones.
    fn level(&mut self, level: usize) -> Result<ExprId, Box<Problem>> {
        let Some(signs) = LEVELS.get(level) else { return self.tightest() };
        let mut found = self.level(level + 1)?;
        let mut list = vec![found];
        loop {
            self.blanks();
            let rest = self.rest();
            let is_longer = |sign: &str| {
                // `<` is not the beginning of `<->` or `<<`, nor `-` that of `->`.
                let longer = ["<->", "<<", ">>", "->"];
                longer.iter().any(|it| it.len() > sign.len() && rest.starts_with(it))
            };
            let sign = signs.iter().find(|(sign, _)| rest.starts_with(sign) && !is_longer(sign));
            let Some(&(sign, operator)) = sign else { break };
            self.at += sign.len();
            let other = match operator {
                // These read from the right.
                Some(Operator::Implies) => self.nested(|parser| parser.level(level))?,
                _ => self.level(level + 1)?,
            };
            match operator {
                None => list.push(other),
                Some(operator) => {
                    let (one, other) = match sign {
                        ">" | ">=" => (other, found),
                        _ => (found, other),
                    };
                    found = self.add(Expr::Binary(operator, one, other))?;
                }
            }
        }
        match list.len() {
            1 => Ok(found),
            _ if level == OR => self.add(Expr::Or(list)),
            _ => self.add(Expr::And(list)),
        }
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Box<Problem>>,
    ) -> Result<T, Box<Problem>> {
        if self.nesting >= DEEPEST {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let found = read(self);
        self.nesting -= 1;
        found
    }

    fn tightest(&mut self) -> Result<ExprId, Box<Problem>> {
        self.blanks();
        let rest = self.rest();
        if rest.starts_with("!=") {
            return Err(self.unexpected("a value"));
        }
        if self.accept("!") {
            let inner = self.nested(Self::tightest)?;
            return self.add(Expr::Not(inner));
        }
        if self.accept("-") {
            let inner = self.nested(Self::tightest)?;
            let zero = self.add(Expr::Number(0))?;
            return self.add(Expr::Binary(Operator::Minus, zero, inner));
        }
        if self.accept("(") {
            let inner = self.nested(|parser| parser.level(0))?;
            self.expect(")")?;
            return Ok(inner);
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let number = rest[..digits].parse::<i32>();
            let Ok(number) = number else { return Err(self.unexpected("a smaller number")) };
            self.at += digits;
            return self.add(Expr::Number(number.into()));
        }
        let name = self.word();
        if name.is_empty() {
            return Err(self.unexpected("a value"));
        }
        self.name(name)
    }

    /// Reads a word, if there is one.
    fn word(&mut self) -> &'a str {
        self.blanks();
        let rest = self.rest();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let length = rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn name(&mut self, name: &'a str) -> Result<ExprId, Box<Problem>> {
        let from = self.at - name.len();
        if name == "A" || name == "E" {
            let bound = self.word();
            if !bound.is_empty() {
                return self.nested(|parser| parser.quantified(name == "A", bound));
            }
        }
        if let Some(depth) = self.bound.iter().rposition(|&bound| bound == name) {
            return self.add(Expr::Bound(depth));
        }
        let when = match (self.accept("'"), self.rest().starts_with('\'')) {
            (true, true) => {
                self.at += 1;
                When::Below
            }
            (true, false) => When::Next,
            (false, _) => When::Now,
        };
        if when == When::Now
            && let Some(number) = self.scope.constant(name)
        {
            return self.add(Expr::Number(number));
        }
        if when == When::Now && (name == "true" || name == "false") {
            return self.add(Expr::Number(i64::from(name == "true")));
        }
        let (slots, is_array) = self.scope.variable(name, when).map_err(|message| {
            Box::new(Problem::error("P021", message).at(Span::new(from..self.at), ""))
        })?;
        if !is_array {
            return self.add(Expr::Value(slots, None));
        }
        self.expect("[")?;
        let index = self.nested(|parser| parser.level(0))?;
        self.expect("]")?;
        self.add(Expr::Value(slots, Some(index)))
    }

    fn quantified(&mut self, all: bool, bound: &'a str) -> Result<ExprId, Box<Problem>> {
        self.expect("(")?;
        let from = self.level(0)?;
        self.expect(",")?;
        let to = self.level(0)?;
        self.expect(")")?;
        self.bound.push(bound);
        let body = self.level(0);
        self.bound.pop();
        let body = body?;
        self.add(Expr::Quantified { all, from, to, body })
    }
}
