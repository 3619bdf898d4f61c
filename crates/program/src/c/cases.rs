//! What an expression without effects gives, case by case.
//!
//! A [`Case`] says: where these rows are true, the outcome is this. The cases of an expression
//! cover all values of the variables. Choices of the program and values that are not affine
//! (products, quotients, remainders) are auxiliaries; quotients and remainders by a constant are
//! exact, since the facts allow just one value.
//!
//! Where types have widths ([`Typing`]), numbers are converted as C does (`wrap`), and operators on
//! bits are sums of quotients by powers of two (`bits`). Sums that are wrapped at once need not be
//! wrapped in between: it is the same modulo a power of two.

mod arithmetic;

use super::Fault;
use super::syntax::{Arithmetic, Comparison, Expr, Kind, Type, Widths, element};
use super::typing::{Typing, common, promoted, range};
use arithmetic::compare;
use tern_ir::flow::{Affine, Auxiliary, Column, Row};
use tern_model::Span;

/// One outcome of an expression. `None` is an error, such as a division by zero.
#[derive(Clone, Debug)]
pub(super) struct Case<T> {
    pub(super) facts: Vec<Row>,
    pub(super) guard: Vec<Row>,
    pub(super) outcome: Option<T>,
}

impl<T> Case<T> {
    pub(super) fn sure(outcome: T) -> Self {
        Case { facts: Vec::new(), guard: Vec::new(), outcome: Some(outcome) }
    }

    pub(super) fn with<U>(&self, outcome: Option<U>) -> Case<U> {
        Case { facts: self.facts.clone(), guard: self.guard.clone(), outcome }
    }

    /// The same where this row is true too.
    pub(super) fn where_true(mut self, row: Row) -> Self {
        self.guard.push(row);
        self
    }
}

/// Whether a row speaks of auxiliaries.
fn is_about_auxiliaries(row: &Row) -> bool {
    row.affine().terms.iter().any(|term| term.0.as_auxiliary().is_some())
}

impl Case<Affine> {
    /// The same where these rows are true, and where more is known if they are. Facts must be true
    /// of what the program computes, whatever the guard says of it: what is known under conditions
    /// about values that are themselves not known is no fact, but a part of the guard.
    pub(super) fn knowing(
        mut self,
        conditions: Vec<Row>,
        known: impl IntoIterator<Item = Row>,
        auxiliaries: &[Auxiliary],
    ) -> Self {
        let is_sure = |row: &Row| {
            let mut numbers = row.affine().terms.iter().filter_map(|term| term.0.as_auxiliary());
            numbers.all(|number| auxiliaries.get(number) == Some(&Auxiliary::Choice))
                || self.facts.contains(row)
        };
        let is_fact = conditions.iter().all(is_sure);
        self.guard.extend(conditions);
        // What is only about variables is known anyway.
        let known = known.into_iter().filter(is_about_auxiliaries);
        if is_fact {
            self.facts.extend(known);
        } else {
            self.guard.extend(known);
        }
        self
    }
}

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// This variable.
    Variable(usize),
    /// One that is not followed.
    Other,
}

/// The cases of two expressions.
type Pairs = Vec<Case<(Affine, Affine)>>;

/// The least and the greatest number that something can be, if they are known.
pub(super) type Range = Option<(i128, i128)>;

/// The most cases of one expression.
const MOST_CASES: usize = 1000;

/// That there are more.
pub(super) const TOO_MANY: &str = "this expression has too many cases";

/// That numbers become so large that nothing can be said of the cases.
pub(super) const TOO_LARGE: &str = "the numbers here become too large";

/// Takes expressions apart.
pub(super) struct Cases<'a> {
    /// The variable of a name.
    pub(super) resolve: &'a dyn Fn(&str) -> Option<usize>,
    /// The auxiliaries so far.
    pub(super) auxiliaries: Vec<Auxiliary>,
    /// How many bits types have; `None` if there are no operators on bits.
    pub(super) widths: Option<Widths>,
    /// The types of expressions; `None` if numbers are mathematical.
    pub(super) typing: Option<Typing<'a>>,
}

/// Which of the numbers that are the same to C is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// The one of this type.
    Of(Type),
    /// Any that is the same modulo two to the power of this.
    Modulo(u32),
    /// There is one only: numbers are mathematical.
    Plain,
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

pub(super) fn too_large<T>(span: Span, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Fault::new("C104", span, TOO_LARGE, "use smaller constants"))
}

impl<'a> Cases<'a> {
    /// For numbers that are mathematical and have no bits.
    pub(super) fn mathematical(resolve: &'a dyn Fn(&str) -> Option<usize>) -> Self {
        Cases { resolve, auxiliaries: Vec::new(), widths: None, typing: None }
    }
}

impl Cases<'_> {
    pub(super) fn fresh(&mut self, kind: Auxiliary) -> Affine {
        self.auxiliaries.push(kind);
        Affine::column(Column::auxiliary(self.auxiliaries.len() - 1))
    }

    /// A value between two bounds, as far as they are given.
    pub(super) fn any(&mut self, range: (Option<i128>, Option<i128>)) -> Case<Affine> {
        let value = self.fresh(Auxiliary::Choice);
        let mut case = Case::sure(value.clone());
        if let (Some(low), _) = range {
            case.guard.extend(Row::greater_equal(&value, &Affine::constant(low)));
        }
        if let (_, Some(high)) = range {
            case.guard.extend(Row::greater_equal(&Affine::constant(high), &value));
        }
        case
    }

    /// The numbers that an expression gives, in its own type.
    pub(super) fn values(&mut self, expr: &Expr) -> Result<Vec<Case<Affine>>> {
        let form = self.typing.map_or(Form::Plain, |typing| Form::Of(typing.of(expr)));
        self.cases(expr, form)
    }

    /// The numbers that an expression gives once they are converted to a type.
    pub(super) fn converted(&mut self, expr: &Expr, to: Type) -> Result<Vec<Case<Affine>>> {
        if to == Type::BOOL {
            let number = |truth: bool| Affine::constant(i128::from(truth));
            let tests = self.tests(expr)?.into_iter();
            return Ok(tests.map(|test| test.with(test.outcome.map(number))).collect());
        }
        let form = if self.typing.is_some() { Form::Of(to) } else { Form::Plain };
        self.cases(expr, form)
    }

    /// The numbers that an expression gives, in a form.
    pub(super) fn cases(&mut self, expr: &Expr, form: Form) -> Result<Vec<Case<Affine>>> {
        let Some(typing) = self.typing else { return self.exact(expr, Form::Plain) };
        let own = typing.of(expr);
        let bits = typing.widths.bits(own.size);
        match form {
            Form::Plain => self.exact(expr, Form::Of(own)),
            Form::Modulo(least) if self.is_sum(expr) && bits >= least => {
                self.exact(expr, Form::Modulo(least))
            }
            Form::Modulo(_) => self.values(expr),
            Form::Of(to) if to == Type::BOOL && own != to => self.converted(expr, to),
            Form::Of(to) if self.is_sum(expr) => {
                let wanted = typing.widths.bits(to.size).min(bits);
                let mut cases = self.exact(expr, Form::Modulo(wanted))?;
                let mut range = self.sum_range(expr, wanted);
                if wanted < typing.widths.bits(to.size) {
                    cases = self.wrap(cases, range, own, expr.span)?;
                    range = Some(super::typing::range(typing.widths, own));
                }
                self.wrap(cases, range, to, expr.span)
            }
            Form::Of(to) => {
                let cases = self.exact(expr, Form::Of(own))?;
                let cases = self.wrap(cases, self.bare_range(expr), own, expr.span)?;
                self.wrap(cases, self.range(expr), to, expr.span)
            }
        }
    }

    /// The outermost operator, on operands in the form that it needs; what it gives may not fit its
    /// type if it is a sum.
    fn exact(&mut self, expr: &Expr, form: Form) -> Result<Vec<Case<Affine>>> {
        let span = expr.span;
        match &expr.kind {
            Kind::Number(number) | Kind::Literal(number, _) => {
                self.refuse_number(*number, expr)?;
                Ok(vec![Case::sure(Affine::constant(*number))])
            }
            Kind::Name(name) => match (self.resolve)(name) {
                Some(variable) => Ok(vec![Case::sure(Affine::column(Column::variable(variable)))]),
                None => Err(unknown(name, span)),
            },
            Kind::Any(low, high, ty) => {
                let own = ty.unbounded();
                let range = match self.widths {
                    Some(widths) => {
                        let (least, most) = super::typing::range(widths, *ty);
                        (low.or(Some(least)), high.or(Some(most)))
                    }
                    None => (low.or(own.0), high.or(own.1)),
                };
                Ok(vec![self.any(range)])
            }
            Kind::Cast(ty, of) => self.converted(of, *ty),
            Kind::Negate(of) => self.each(of, form, span, |value| value.times(-1)),
            Kind::Complement(of) => {
                self.refuse_bits("~", span)?;
                let flip = |value: &Affine| Affine::constant(-1).plus(-1, value);
                self.each(of, form, span, flip)
            }
            Kind::Binary(operator, left, right) => {
                let (pairs, ranges) = self.operands(*operator, left, right, form)?;
                let mut cases = Vec::new();
                for pair in pairs {
                    if operator.is_bitwise() {
                        self.bitwise(*operator, &pair, ranges, (expr, form), &mut cases)?;
                    } else {
                        self.arithmetic(*operator, &pair, span, &mut cases)?;
                    }
                }
                bounded(cases, span)
            }
            Kind::Choose(condition, yes, no) => {
                let mut cases = Vec::new();
                for test in self.tests(condition)? {
                    let Some(truth) = test.outcome else {
                        cases.push(test.with(None));
                        continue;
                    };
                    for value in self.cases(if truth { yes } else { no }, form)? {
                        cases.push(joined(&test, &value, value.outcome.clone()));
                    }
                }
                bounded(cases, span)
            }
            Kind::Not(_) | Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => {
                self.converted(expr, Type::BOOL)
            }
            Kind::Index(array, size, index) => self.element((array, *size), index),
            Kind::Assign(..)
            | Kind::Store(..)
            | Kind::Increment(..)
            | Kind::Call(..)
            | Kind::Comma(..) => {
                let message = "effects are not allowed here";
                Err(Fault::new("C103", span, message, "use an expression without them"))
            }
        }
    }

    /// Which element of an array an index means; beyond the array, an error.
    pub(super) fn places(
        &mut self,
        (array, size): (&str, usize),
        index: &Expr,
    ) -> Result<Vec<Case<Place>>> {
        let span = index.span;
        let variable = |number: usize| (self.resolve)(&element(array, number));
        let followed: Vec<(usize, usize)> =
            (0..size).filter_map(|number| Some((number, variable(number)?))).collect();
        if followed.is_empty() {
            return Err(unknown(array, span));
        }
        let mut cases = Vec::new();
        for case in self.values(index)? {
            let Some(place) = case.outcome.clone() else {
                cases.push(case.with(None));
                continue;
            };
            let between = |outcome: Option<Place>, low: Option<usize>, high: Option<usize>| {
                let number = |number: usize| Affine::constant(number as i128);
                let mut case = case.with(outcome);
                if let Some(low) = low {
                    let row = Row::greater_equal(&place, &number(low));
                    case = case.where_true(too_large(span, row)?);
                }
                if let Some(high) = high {
                    let row = Row::greater(&number(high), &place);
                    case = case.where_true(too_large(span, row)?);
                }
                Ok(case)
            };
            cases.push(between(None, None, Some(0))?);
            cases.push(between(None, Some(size), None)?);
            let mut next = 0;
            for &(number, variable) in &followed {
                if next < number {
                    cases.push(between(Some(Place::Other), Some(next), Some(number))?);
                }
                next = number + 1;
                cases.push(between(Some(Place::Variable(variable)), Some(number), Some(next))?);
            }
            if next < size {
                cases.push(between(Some(Place::Other), Some(next), Some(size))?);
            }
        }
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        bounded(cases, span)
    }

    /// The element of an array, by what the index is.
    fn element(&mut self, array: (&str, usize), index: &Expr) -> Result<Vec<Case<Affine>>> {
        let mut cases = Vec::new();
        for case in self.places(array, index)? {
            cases.push(match case.outcome {
                None => case.with(None),
                Some(Place::Variable(variable)) => {
                    case.with(Some(Affine::column(Column::variable(variable))))
                }
                Some(Place::Other) => {
                    let value = self.fresh(Auxiliary::Unknown);
                    let mut case = case.with(Some(value.clone()));
                    let range = self.typing.map(|it| range(it.widths, it.of_elements(array.0)));
                    if let Some((low, high)) = range {
                        case.facts.extend(Row::greater_equal(&value, &Affine::constant(low)));
                        case.facts.extend(Row::greater_equal(&Affine::constant(high), &value));
                    }
                    case
                }
            });
        }
        Ok(cases)
    }

    /// The same done to all numbers that an expression gives.
    fn each(
        &mut self,
        of: &Expr,
        form: Form,
        span: Span,
        change: impl Fn(&Affine) -> Option<Affine>,
    ) -> Result<Vec<Case<Affine>>> {
        let cases = self.cases(of, form)?.into_iter().map(|case| {
            let value = case.outcome.as_ref().map(&change);
            Ok(case.with(value.map(|value| too_large(span, value)).transpose()?))
        });
        cases.collect()
    }

    /// Both sides of an operator in the forms that it needs, and the ranges of their numbers.
    fn operands(
        &mut self,
        operator: Arithmetic,
        left: &Expr,
        right: &Expr,
        form: Form,
    ) -> Result<(Pairs, [Range; 2])> {
        let Some(typing) = self.typing else {
            return Ok((self.pairs((left, Form::Plain), (right, Form::Plain))?, [None, None]));
        };
        let own = |expr: &Expr| typing.of(expr);
        let (first, second) = match (form, operator.is_shift()) {
            (Form::Modulo(_), true) => (form, Form::Of(own(right))),
            (_, true) => (Form::Of(promoted(typing.widths, own(left))), Form::Of(own(right))),
            (Form::Modulo(_), false) => (form, form),
            _ => {
                let common = Form::Of(common(typing.widths, own(left), own(right)));
                (common, common)
            }
        };
        let ranges = [self.range_in(left, first), self.range_in(right, second)];
        Ok((self.pairs((left, first), (right, second))?, ranges))
    }

    /// Whether an expression is true.
    pub(super) fn tests(&mut self, expr: &Expr) -> Result<Vec<Case<bool>>> {
        let mut cases = Vec::new();
        match &expr.kind {
            Kind::Not(of) => {
                let tests = self.tests(of)?.into_iter();
                cases = tests.map(|test| test.with(test.outcome.map(|truth| !truth))).collect();
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                let goes_on = matches!(expr.kind, Kind::And(..));
                for first in self.tests(left)? {
                    if first.outcome != Some(goes_on) {
                        cases.push(first);
                        continue;
                    }
                    for second in self.tests(right)? {
                        cases.push(joined(&first, &second, second.outcome));
                    }
                }
            }
            Kind::Compare(comparison, left, right) => {
                let form = match self.typing {
                    None => Form::Plain,
                    Some(it) => Form::Of(common(it.widths, it.of(left), it.of(right))),
                };
                for pair in self.pairs((left, form), (right, form))? {
                    compare(*comparison, &pair, expr.span, &mut cases)?;
                }
            }
            // Any number is 0 or not, whatever else it is.
            Kind::Any(None, None, _) => cases.extend([true, false].map(Case::sure)),
            _ => {
                for case in self.values(expr)? {
                    let zero = Affine::default();
                    let pair = case.with(case.outcome.clone().map(|value| (value, zero)));
                    compare(Comparison::NotEqual, &pair, expr.span, &mut cases)?;
                }
            }
        }
        // Leave out what is never true, and rows that always are.
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        for case in &mut cases {
            case.guard.retain(|row| row.truth().is_none());
        }
        bounded(cases, expr.span)
    }

    fn pairs(
        &mut self,
        (left, first): (&Expr, Form),
        (right, second): (&Expr, Form),
    ) -> Result<Vec<Case<(Affine, Affine)>>> {
        let mut pairs = Vec::new();
        for one in self.cases(left, first)? {
            let Some(a) = &one.outcome else {
                pairs.push(one.with(None));
                continue;
            };
            for other in self.cases(right, second)? {
                let both = other.outcome.clone().map(|b| (a.clone(), b));
                pairs.push(joined(&one, &other, both));
            }
        }
        bounded(pairs, left.span)
    }
}

pub(super) fn bounded<T>(cases: Vec<T>, span: Span) -> Result<Vec<T>> {
    if cases.len() <= MOST_CASES {
        return Ok(cases);
    }
    Err(Fault::new("C104", span, TOO_MANY, "assign parts of it to variables first"))
}

pub(super) fn joined<A, B, T>(first: &Case<A>, second: &Case<B>, outcome: Option<T>) -> Case<T> {
    let mut case = first.with(outcome);
    case.facts.extend_from_slice(&second.facts);
    case.guard.extend_from_slice(&second.guard);
    case
}

pub(super) fn unknown(name: &str, span: Span) -> Fault {
    let message = match name.contains('[') {
        false => format!("`{name}` is not declared"),
        true => format!(
            "`{name}` is not declared, or is an element of a large array that the program does not name"
        ),
    };
    Fault::new("C102", span, message, "declare it as an integer")
}
