//! `&&`, `||`, `!` and `?:` that decide about effects: jumps, and a variable for the value.

use super::super::syntax::{Expr, Kind, Stmt, StmtKind};
use super::Hoister;
use tern_model::Span;

/// Whether an expression does more than give a value, a call of a function without a body too.
pub(super) fn has_effects(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Assign(..)
        | Kind::Store(..)
        | Kind::Increment(..)
        | Kind::Call(..)
        | Kind::Comma(..) => true,
        Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => false,
        Kind::Negate(of)
        | Kind::Complement(of)
        | Kind::Cast(_, of)
        | Kind::Not(of)
        | Kind::Index(_, _, of) => has_effects(of),
        Kind::Binary(_, a, b) | Kind::Compare(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            has_effects(a) || has_effects(b)
        }
        Kind::Choose(a, b, c) => has_effects(a) || has_effects(b) || has_effects(c),
    }
}

/// Whether a condition decides about effects.
pub(super) fn decides(condition: &Expr) -> bool {
    match &condition.kind {
        Kind::Not(of) => decides(of),
        Kind::And(..) | Kind::Or(..) => has_effects(condition),
        _ => false,
    }
}

fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

pub(super) fn label(name: &str, span: Span) -> Stmt {
    statement(StmtKind::Label(name.to_owned()), span)
}

pub(super) fn goto(name: &str, span: Span) -> Stmt {
    statement(StmtKind::Goto(name.to_owned()), span)
}

pub(super) fn goto_next(span: Span) -> Stmt {
    statement(StmtKind::Continue, span)
}

pub(super) fn leave(span: Span) -> Stmt {
    statement(StmtKind::Break, span)
}

pub(super) fn nothing(span: Span) -> Box<Stmt> {
    Box::new(statement(StmtKind::Expr(None), span))
}

/// A loop without a condition.
pub(super) fn endless(
    first: Box<Stmt>,
    step: Option<Expr>,
    body: Vec<Stmt>,
    span: Span,
) -> StmtKind {
    StmtKind::For(first, None, step, Box::new(statement(StmtKind::Block(body), span)))
}

/// Statements as one expression, if all of them are expressions.
pub(super) fn joined(list: &[Stmt]) -> Option<Option<Expr>> {
    let mut all: Option<Expr> = None;
    for statement in list {
        let StmtKind::Expr(Some(next)) = &statement.kind else { return None };
        all = Some(match all {
            None => next.clone(),
            Some(before) => {
                let span = before.span;
                let kind = Kind::Comma(Box::new(before), Box::new(next.clone()));
                Expr { kind, span }
            }
        });
    }
    Some(all)
}

impl Hoister<'_> {
    /// Three labels that no program has.
    pub(super) fn labels(&mut self) -> [String; 3] {
        [(); 3].map(|()| {
            self.count += 1;
            format!(" {}", self.count)
        })
    }

    /// Adds what a condition does; it leads to one label or the other.
    pub(super) fn branch(&mut self, expr: &Expr, yes: &str, no: &str, done: &mut Vec<Stmt>) {
        let span = expr.span;
        match &expr.kind {
            Kind::Not(of) if has_effects(of) => self.branch(of, no, yes, done),
            Kind::And(left, right) if has_effects(expr) => {
                let [middle, ..] = self.labels();
                self.branch(left, &middle, no, done);
                done.push(label(&middle, span));
                self.branch(right, yes, no, done);
            }
            Kind::Or(left, right) if has_effects(expr) => {
                let [middle, ..] = self.labels();
                self.branch(left, yes, &middle, done);
                done.push(label(&middle, span));
                self.branch(right, yes, no, done);
            }
            _ => {
                let condition = self.expr(expr, done);
                let (yes, no) = (Box::new(goto(yes, span)), Some(Box::new(goto(no, span))));
                done.push(statement(StmtKind::If(condition, yes, no), span));
            }
        }
    }

    /// Adds what such an expression does, and gives the variable with its value.
    pub(super) fn choice(&mut self, expr: &Expr, done: &mut Vec<Stmt>) -> Expr {
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let [on_yes, on_no, after] = self.labels();
        self.count += 1;
        let result = format!(" {}", self.count);
        let number = |value: i128| made(Kind::Number(value));
        let (condition, values) = match &expr.kind {
            Kind::Choose(condition, a, b) => (&**condition, [(**a).clone(), (**b).clone()]),
            _ => (expr, [number(1), number(0)]),
        };
        self.branch(condition, &on_yes, &on_no, done);
        for (at, is_first) in [(&on_yes, true), (&on_no, false)] {
            let [own, other] = if is_first { [0, 1] } else { [1, 0] };
            done.push(label(at, span));
            let own = Box::new(self.expr(&values[own], done));
            // The other one is there for its type only.
            let other = Box::new(self.renamed(&values[other]));
            let value = made(Kind::Choose(Box::new(number(1)), own, other));
            let kind = Kind::Assign(result.clone(), None, Box::new(value));
            done.push(statement(StmtKind::Expr(Some(made(kind))), span));
            done.push(goto(&after, span));
        }
        done.push(label(&after, span));
        made(Kind::Name(result))
    }
}
