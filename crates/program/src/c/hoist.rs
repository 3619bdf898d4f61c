//! Calls inside expressions as statements of their own, for the interpreter.
//!
//! `return n + f(n - 1);` becomes `t = f(n - 1); return n + t;` with a name for `t` that no program
//! has: a blank and a number. The steps are those that the meaning of programs says: calls happen
//! from left to right, each result is stored when it returns, then the rest is evaluated. Calls
//! that a condition decides about (in `&&`, `||`, `?:` and in the conditions of loops) stay.

use super::syntax::{Expr, Function, Kind, Stmt, StmtKind, Unit};

/// The same program without calls inside expressions, as far as they can be taken out.
pub fn hoisted(unit: &Unit) -> Unit {
    let mut hoister = Hoister { unit, count: 0 };
    let function = |function: &Function| {
        let body = hoister.list(&function.body);
        Function { body, ..function.clone() }
    };
    let functions = unit.functions.iter().map(function).collect();
    Unit { functions, ..unit.clone() }
}

struct Hoister<'a> {
    unit: &'a Unit,
    count: usize,
}

impl Hoister<'_> {
    fn list(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut done = Vec::new();
        for statement in body {
            self.statement(statement, &mut done);
        }
        done
    }

    /// One statement where only one may stand.
    fn single(&mut self, statement: &Stmt) -> Box<Stmt> {
        let mut done = Vec::new();
        self.statement(statement, &mut done);
        Box::new(match <[Stmt; 1]>::try_from(done) {
            Ok([one]) => one,
            Err(many) => Stmt { kind: StmtKind::Block(many), span: statement.span },
        })
    }

    /// Adds a statement, after the calls in it.
    fn statement(&mut self, statement: &Stmt, done: &mut Vec<Stmt>) {
        let kind = match &statement.kind {
            StmtKind::Expr(Some(expr)) => {
                let kind = match &expr.kind {
                    Kind::Call(name, arguments) => {
                        let arguments = arguments.iter().map(|it| self.expr(it, done)).collect();
                        Kind::Call(name.clone(), arguments)
                    }
                    Kind::Assign(name, None, value) => {
                        let value = match &value.kind {
                            Kind::Call(callee, arguments) if self.is_known(callee) => {
                                let given = arguments.iter().map(|it| self.expr(it, done));
                                let kind = Kind::Call(callee.clone(), given.collect());
                                Expr { kind, span: value.span }
                            }
                            _ => self.expr(value, done),
                        };
                        Kind::Assign(name.clone(), None, Box::new(value))
                    }
                    Kind::Assign(name, operator, value) => {
                        let value = Box::new(self.expr(value, done));
                        Kind::Assign(name.clone(), *operator, value)
                    }
                    other => other.clone(),
                };
                StmtKind::Expr(Some(Expr { kind, span: expr.span }))
            }
            StmtKind::Declare(declared) => {
                let mut declared = declared.clone();
                // Of several, only the first can be taken out without changing the order.
                if let [one] = declared.as_mut_slice()
                    && let Some(value) = &one.value
                {
                    one.value = Some(self.expr(value, done));
                }
                StmtKind::Declare(declared)
            }
            StmtKind::Return(Some(value)) => StmtKind::Return(Some(self.expr(value, done))),
            StmtKind::Assume(condition) => StmtKind::Assume(self.expr(condition, done)),
            StmtKind::Assert(condition) => StmtKind::Assert(self.expr(condition, done)),
            StmtKind::Block(body) => StmtKind::Block(self.list(body)),
            StmtKind::If(condition, yes, no) => {
                let condition = self.expr(condition, done);
                let yes = self.single(yes);
                StmtKind::If(condition, yes, no.as_ref().map(|no| self.single(no)))
            }
            StmtKind::While(condition, body) => {
                StmtKind::While(condition.clone(), self.single(body))
            }
            StmtKind::DoWhile(body, condition) => {
                StmtKind::DoWhile(self.single(body), condition.clone())
            }
            StmtKind::For(first, condition, step, body) => {
                let body = self.single(body);
                StmtKind::For(first.clone(), condition.clone(), step.clone(), body)
            }
            StmtKind::Switch(on, body) => {
                let on = self.expr(on, done);
                StmtKind::Switch(on, self.single(body))
            }
            other => other.clone(),
        };
        done.push(Stmt { kind, span: statement.span });
    }

    fn is_known(&self, name: &str) -> bool {
        self.unit.function(name).is_some()
    }

    /// What is left of an expression once its calls are statements.
    fn expr(&mut self, expr: &Expr, done: &mut Vec<Stmt>) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            Kind::Call(name, arguments) if self.is_known(name) => {
                let arguments = arguments.iter().map(|it| self.expr(it, done)).collect();
                let call = Expr { kind: Kind::Call(name.clone(), arguments), span };
                self.count += 1;
                let name = format!(" {}", self.count);
                let kind = Kind::Assign(name.clone(), None, Box::new(call));
                done.push(Stmt { kind: StmtKind::Expr(Some(Expr { kind, span })), span });
                Kind::Name(name)
            }
            Kind::Negate(of) => Kind::Negate(Box::new(self.expr(of, done))),
            Kind::Not(of) => Kind::Not(Box::new(self.expr(of, done))),
            Kind::Binary(operator, left, right) => {
                let left = Box::new(self.expr(left, done));
                Kind::Binary(*operator, left, Box::new(self.expr(right, done)))
            }
            Kind::Compare(comparison, left, right) => {
                let left = Box::new(self.expr(left, done));
                Kind::Compare(*comparison, left, Box::new(self.expr(right, done)))
            }
            other => other.clone(),
        };
        Expr { kind, span }
    }
}
