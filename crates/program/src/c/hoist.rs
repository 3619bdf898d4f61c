//! Programs made plain for the interpreter: no names twice, no effects inside expressions.
//!
//! `return n + f(n - 1);` becomes `t = f(n - 1); return n + t;` with a name for `t` that no program
//! has: a blank and a number. `y = x++;` becomes `x++; y = x - 1;`, and `while (c) s` with effects
//! in `c` becomes `for (;;) { effects; if (c) s else break; }`. The steps are those that the
//! meaning of programs says: effects happen from left to right, then the rest is evaluated. Those
//! that a condition decides about (in `&&`, `||`, `?:` and at the end of `do`) stay. A variable
//! that is declared where its name is taken gets another.

use super::syntax::{Arithmetic, Declared, Expr, Function, Kind, Stmt, StmtKind, Type, Unit};
use std::collections::{HashMap, HashSet};

/// The same program without effects inside expressions, as far as they can be taken out.
pub fn hoisted(unit: &Unit) -> Unit {
    let globals = unit.globals.iter().map(|it| (it.name.clone(), (it.name.clone(), it.ty)));
    let globals: HashMap<String, (String, Type)> = globals.collect();
    let mut hoister = Hoister { unit, count: 0, taken: HashSet::new(), scopes: vec![globals] };
    let functions = unit.functions.iter().map(|it| hoister.function(it)).collect();
    Unit { functions, ..unit.clone() }
}

struct Hoister<'a> {
    unit: &'a Unit,
    count: usize,
    /// Names that are taken in this function.
    taken: HashSet<String>,
    /// What names mean, innermost last; the first are the globals.
    scopes: Vec<HashMap<String, (String, Type)>>,
}

impl Hoister<'_> {
    fn function(&mut self, function: &Function) -> Function {
        self.taken = self.unit.globals.iter().map(|it| it.name.clone()).collect();
        self.scopes.push(HashMap::new());
        let parameters = function.parameters.iter().map(|it| self.declare(it)).collect();
        let body = self.list(&function.body);
        self.scopes.truncate(1);
        Function { parameters, body, ..function.clone() }
    }

    /// A declaration under a name of its own, without what it is set to.
    fn declare(&mut self, declared: &Declared) -> Declared {
        let mut name = declared.name.clone();
        if !self.taken.insert(name.clone()) {
            name = self.another(&name);
            self.taken.insert(name.clone());
        }
        let entry = (name.clone(), declared.ty);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(declared.name.clone(), entry);
        }
        Declared { name, value: None, ..declared.clone() }
    }

    /// A name that is not taken.
    fn another(&mut self, name: &str) -> String {
        self.count += 1;
        let Some((array, element)) = name.split_once('[') else {
            return format!("{name} {}", self.count);
        };
        // All elements of an array go by one name.
        let first = self.scopes.last().and_then(|scope| scope.get(&format!("{array}[0]")));
        match first.filter(|_| element != "0]") {
            Some((first, _)) => format!("{}{element}", first.trim_end_matches("0]")),
            None => format!("{array} {}[{element}", self.count),
        }
    }

    /// What a name means here, with its type.
    fn meaning(&self, name: &str) -> (String, Option<Type>) {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.map_or((name.to_owned(), None), |(name, ty)| (name.clone(), Some(*ty)))
    }

    fn named(&self, name: &str) -> String {
        self.meaning(name).0
    }

    /// The name of an array, by that of its first element.
    fn array(&self, name: &str) -> String {
        self.named(&format!("{name}[0]")).trim_end_matches("[0]").to_owned()
    }

    fn list(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut done = Vec::new();
        for statement in body {
            self.statement(statement, &mut done);
        }
        done
    }

    /// One statement where only one may stand, in a scope of its own.
    fn single(&mut self, statement: &Stmt) -> Box<Stmt> {
        self.scopes.push(HashMap::new());
        let mut done = Vec::new();
        self.statement(statement, &mut done);
        self.scopes.pop();
        Box::new(match <[Stmt; 1]>::try_from(done) {
            Ok([one]) => one,
            Err(many) => Stmt { kind: StmtKind::Block(many), span: statement.span },
        })
    }

    /// Adds a statement, after the effects in it.
    fn statement(&mut self, statement: &Stmt, done: &mut Vec<Stmt>) {
        let span = statement.span;
        let kind = match &statement.kind {
            StmtKind::Expr(Some(expr)) => {
                self.effect(expr, done);
                return;
            }
            StmtKind::Declare(declared) => {
                for one in declared {
                    let value = one.value.as_ref().map(|value| self.expr(value, done));
                    let one = Declared { value, ..self.declare(one) };
                    done.push(Stmt { kind: StmtKind::Declare(vec![one]), span });
                }
                return;
            }
            StmtKind::Return(Some(value)) => StmtKind::Return(Some(self.expr(value, done))),
            StmtKind::Assume(condition) => StmtKind::Assume(self.expr(condition, done)),
            StmtKind::Assert(condition) => StmtKind::Assert(self.expr(condition, done)),
            StmtKind::Block(body) => {
                self.scopes.push(HashMap::new());
                let body = self.list(body);
                self.scopes.pop();
                StmtKind::Block(body)
            }
            StmtKind::If(condition, yes, no) => {
                let condition = self.expr(condition, done);
                let yes = self.single(yes);
                StmtKind::If(condition, yes, no.as_ref().map(|no| self.single(no)))
            }
            StmtKind::While(condition, body) => {
                let nothing = Box::new(Stmt { kind: StmtKind::Expr(None), span });
                self.repeat(nothing, Some(condition), None, body, statement)
            }
            StmtKind::DoWhile(body, condition) => {
                let body = self.single(body);
                StmtKind::DoWhile(body, self.renamed(condition))
            }
            StmtKind::For(first, condition, step, body) => {
                self.scopes.push(HashMap::new());
                let mut before = Vec::new();
                self.statement(first, &mut before);
                let first = match <[Stmt; 1]>::try_from(before) {
                    Ok([one]) => Box::new(one),
                    Err(many) => Box::new(Stmt { kind: StmtKind::Block(many), span: first.span }),
                };
                let step = step.as_ref().map(|step| self.renamed(step));
                let kind = self.repeat(first, condition.as_ref(), step, body, statement);
                self.scopes.pop();
                kind
            }
            StmtKind::Switch(on, body) => {
                let on = self.expr(on, done);
                StmtKind::Switch(on, self.single(body))
            }
            other => other.clone(),
        };
        done.push(Stmt { kind, span });
    }

    /// A loop, with the effects of its condition inside.
    fn repeat(
        &mut self,
        first: Box<Stmt>,
        condition: Option<&Expr>,
        step: Option<Expr>,
        body: &Stmt,
        whole: &Stmt,
    ) -> StmtKind {
        let mut inside = Vec::new();
        let condition = condition.map(|condition| self.expr(condition, &mut inside));
        let body = self.single(body);
        if let (Some(condition), false) = (&condition, inside.is_empty()) {
            let span = condition.span;
            let out = Box::new(Stmt { kind: StmtKind::Break, span });
            let kind = StmtKind::If(condition.clone(), body, Some(out));
            inside.push(Stmt { kind, span });
            let body = Box::new(Stmt { kind: StmtKind::Block(inside), span });
            return StmtKind::For(first, None, step, body);
        }
        match (condition, &whole.kind) {
            (Some(condition), StmtKind::While(..)) => StmtKind::While(condition, body),
            (condition, _) => StmtKind::For(first, condition, step, body),
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.unit.function(name).is_some()
    }

    /// Adds what an expression that stands alone does.
    fn effect(&mut self, expr: &Expr, done: &mut Vec<Stmt>) {
        let span = expr.span;
        let kind = match &expr.kind {
            Kind::Call(name, arguments) => {
                let arguments = arguments.iter().map(|it| self.expr(it, done)).collect();
                Kind::Call(name.clone(), arguments)
            }
            Kind::Assign(name, operator, value) => {
                let value = match (&value.kind, operator) {
                    (Kind::Call(callee, arguments), None) if self.is_known(callee) => {
                        let given = arguments.iter().map(|it| self.expr(it, done));
                        let kind = Kind::Call(callee.clone(), given.collect());
                        Expr { kind, span: value.span }
                    }
                    _ => self.expr(value, done),
                };
                Kind::Assign(self.named(name), *operator, Box::new(value))
            }
            Kind::Store(array, size, index, operator, value) => {
                let index = Box::new(self.expr(index, done));
                let value = Box::new(self.expr(value, done));
                Kind::Store(self.array(array), *size, index, *operator, value)
            }
            Kind::Increment(name, by, is_before) => {
                Kind::Increment(self.named(name), *by, *is_before)
            }
            Kind::Comma(first, second) => {
                self.effect(first, done);
                self.effect(second, done);
                return;
            }
            _ => {
                let left = self.expr(expr, done);
                done.push(Stmt { kind: StmtKind::Expr(Some(left)), span });
                return;
            }
        };
        done.push(Stmt { kind: StmtKind::Expr(Some(Expr { kind, span })), span });
    }

    /// What is left of an expression once its effects are statements.
    fn expr(&mut self, expr: &Expr, done: &mut Vec<Stmt>) -> Expr {
        let span = expr.span;
        let made = |kind: Kind| Box::new(Expr { kind, span });
        let kind = match &expr.kind {
            Kind::Call(name, arguments) if self.is_known(name) => {
                let arguments = arguments.iter().map(|it| self.expr(it, done)).collect();
                let call = made(Kind::Call(name.clone(), arguments));
                self.count += 1;
                let name = format!(" {}", self.count);
                let kind = Kind::Assign(name.clone(), None, call);
                done.push(Stmt { kind: StmtKind::Expr(Some(Expr { kind, span })), span });
                Kind::Name(name)
            }
            Kind::Assign(name, ..) => {
                self.effect(expr, done);
                Kind::Name(self.named(name))
            }
            Kind::Increment(name, by, is_before) => match self.meaning(name) {
                (name, Some(ty)) if !is_before || ty != Type::BOOL => {
                    self.effect(expr, done);
                    let now = made(Kind::Name(name));
                    match is_before {
                        false => now.kind,
                        true => {
                            let by = made(Kind::Number(*by));
                            let before = made(Kind::Binary(Arithmetic::Subtract, now, by));
                            Kind::Cast(ty, before)
                        }
                    }
                }
                _ => self.renamed(expr).kind,
            },
            Kind::Comma(first, second) => {
                self.effect(first, done);
                return self.expr(second, done);
            }
            Kind::Index(array, size, index) => {
                let index = Box::new(self.expr(index, done));
                Kind::Index(self.array(array), *size, index)
            }
            Kind::Negate(of) => Kind::Negate(Box::new(self.expr(of, done))),
            Kind::Complement(of) => Kind::Complement(Box::new(self.expr(of, done))),
            Kind::Cast(ty, of) => Kind::Cast(*ty, Box::new(self.expr(of, done))),
            Kind::Not(of) => Kind::Not(Box::new(self.expr(of, done))),
            Kind::Binary(operator, left, right) => {
                let left = Box::new(self.expr(left, done));
                Kind::Binary(*operator, left, Box::new(self.expr(right, done)))
            }
            Kind::Compare(comparison, left, right) => {
                let left = Box::new(self.expr(left, done));
                Kind::Compare(*comparison, left, Box::new(self.expr(right, done)))
            }
            _ => return self.renamed(expr),
        };
        Expr { kind, span }
    }

    /// The same expression by other names, effects included.
    fn renamed(&self, expr: &Expr) -> Expr {
        let of = |it: &Expr| Box::new(self.renamed(it));
        let kind = match &expr.kind {
            Kind::Number(_) | Kind::Literal(..) | Kind::Any(..) => expr.kind.clone(),
            Kind::Name(name) => Kind::Name(self.named(name)),
            Kind::Negate(it) => Kind::Negate(of(it)),
            Kind::Complement(it) => Kind::Complement(of(it)),
            Kind::Cast(ty, it) => Kind::Cast(*ty, of(it)),
            Kind::Not(it) => Kind::Not(of(it)),
            Kind::Binary(operator, a, b) => Kind::Binary(*operator, of(a), of(b)),
            Kind::Compare(comparison, a, b) => Kind::Compare(*comparison, of(a), of(b)),
            Kind::And(a, b) => Kind::And(of(a), of(b)),
            Kind::Or(a, b) => Kind::Or(of(a), of(b)),
            Kind::Choose(a, b, c) => Kind::Choose(of(a), of(b), of(c)),
            Kind::Assign(name, operator, it) => Kind::Assign(self.named(name), *operator, of(it)),
            Kind::Index(array, size, it) => Kind::Index(self.array(array), *size, of(it)),
            Kind::Store(array, size, index, operator, it) => {
                Kind::Store(self.array(array), *size, of(index), *operator, of(it))
            }
            Kind::Increment(name, by, is_before) => {
                Kind::Increment(self.named(name), *by, *is_before)
            }
            Kind::Call(name, arguments) => {
                Kind::Call(name.clone(), arguments.iter().map(|it| self.renamed(it)).collect())
            }
            Kind::Comma(a, b) => Kind::Comma(of(a), of(b)),
        };
        Expr { kind, span: expr.span }
    }
}
