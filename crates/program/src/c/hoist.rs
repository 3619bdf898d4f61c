//! Programs made plain for the interpreter: no names twice, no effects inside expressions.
//!
//! `return n + f(n - 1);` becomes `t = f(n - 1); return n + t;` with a name for `t` that no program
//! has: a blank and a number. `y = x++;` becomes `x++; y = x - 1;`, but where a later effect may
//! change `x`, as in `y = x++ + f();`, the value is kept in the step of `x++`. A `while (c) s` with
//! effects in `c` becomes `for (;;) { effects; if (c) s else break; }`. The steps are those that
//! the meaning of programs says: effects happen from left to right, then the rest is evaluated.
//! Where `&&`, `||` or `?:` decides about effects, there are jumps to labels that no program has
//! (`hoist/choice`). A variable that is declared where its name is taken gets another.

mod choice;

use super::syntax::{Arithmetic, Declared, Expr, Function, Kind, Stmt, StmtKind, Type, Unit};
use choice::{decides, endless, goto, goto_next, has_effects, joined, label, leave, nothing};
use std::collections::{HashMap, HashSet};
use tern_model::Span;

/// A program that was made plain. That is done once: made plain again, it would mean something
/// else, as the names that are made would be made twice.
#[derive(Clone, Debug)]
pub struct Plain(pub(super) Unit);

/// The same program without effects inside expressions, as far as they can be taken out.
pub fn hoisted(unit: &Unit) -> Plain {
    let globals = unit.globals.iter().map(|it| (it.name.clone(), (it.name.clone(), it.ty)));
    let globals: HashMap<String, (String, Type)> = globals.collect();
    let (taken, continues) = (HashSet::new(), Vec::new());
    let mut hoister = Hoister { unit, count: 0, taken, scopes: vec![globals], continues };
    let functions = unit.functions.iter().map(|it| hoister.function(it)).collect();
    Plain(Unit { functions, ..unit.clone() })
}

struct Hoister<'a> {
    unit: &'a Unit,
    count: usize,
    /// Names that are taken in this function.
    taken: HashSet<String>,
    /// What names mean, innermost last; the first are the globals.
    scopes: Vec<HashMap<String, (String, Type)>>,
    /// Where `continue` leads in the loops that are open, if that is a label.
    continues: Vec<Option<String>>,
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
                    if one.value.as_ref().is_some_and(has_effects) {
                        // The head of `main` ends here, whatever is left of this.
                        done.push(Stmt { kind: StmtKind::Expr(None), span });
                    }
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
            StmtKind::If(condition, yes, no) if decides(condition) => {
                let [on_yes, on_no, after] = self.labels();
                self.branch(condition, &on_yes, &on_no, done);
                done.push(label(&on_yes, span));
                done.push(*self.single(yes));
                done.push(goto(&after, span));
                done.push(label(&on_no, span));
                done.extend(no.as_ref().map(|no| *self.single(no)));
                done.push(label(&after, span));
                return;
            }
            StmtKind::If(condition, yes, no) => {
                let condition = self.expr(condition, done);
                let yes = self.single(yes);
                StmtKind::If(condition, yes, no.as_ref().map(|no| self.single(no)))
            }
            StmtKind::While(condition, body) => {
                self.repeat(nothing(span), Some(condition), None, body, statement)
            }
            StmtKind::DoWhile(body, condition) if has_effects(condition) => {
                let [test, on_yes, on_no] = self.labels();
                let mut inside = vec![*self.looped(body, Some(&test)), label(&test, span)];
                self.branch(condition, &on_yes, &on_no, &mut inside);
                inside.extend([label(&on_yes, span), goto_next(span)]);
                inside.extend([label(&on_no, span), leave(span)]);
                endless(nothing(span), None, inside, span)
            }
            StmtKind::DoWhile(body, condition) => {
                let body = self.looped(body, None);
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
                let kind = self.repeat(first, condition.as_ref(), step.as_ref(), body, statement);
                self.scopes.pop();
                kind
            }
            StmtKind::Switch(on, body) => {
                let on = self.expr(on, done);
                StmtKind::Switch(on, self.single(body))
            }
            StmtKind::Continue => match self.continues.last() {
                Some(Some(to)) => StmtKind::Goto(to.clone()),
                _ => StmtKind::Continue,
            },
            other => other.clone(),
        };
        done.push(Stmt { kind, span });
    }

    /// The body of a loop, in which `continue` leads to a label or does what it always does.
    fn looped(&mut self, body: &Stmt, on: Option<&String>) -> Box<Stmt> {
        self.continues.push(on.cloned());
        let body = self.single(body);
        self.continues.pop();
        body
    }

    /// A loop, with the effects of its condition inside.
    fn repeat(
        &mut self,
        first: Box<Stmt>,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        whole: &Stmt,
    ) -> StmtKind {
        let span = condition.map_or(whole.span, |it| it.span);
        let mut steps = Vec::new();
        if let Some(step) = step {
            self.effect(step, &mut steps);
        }
        let [on_step, on_yes, on_no] = self.labels();
        let joined = joined(&steps);
        // Where a step has jumps, it is a part of the body.
        let on = joined.is_none().then_some(&on_step);
        let mut inside = Vec::new();
        if let Some(condition) = condition.filter(|it| has_effects(it) || on.is_some()) {
            self.branch(condition, &on_yes, &on_no, &mut inside);
        } else if let Some(step) = joined {
            let condition = condition.map(|it| self.renamed(it));
            let body = self.looped(body, None);
            return match (condition, &whole.kind) {
                (Some(condition), StmtKind::While(..)) => StmtKind::While(condition, body),
                (condition, _) => StmtKind::For(first, condition, step, body),
            };
        }
        inside.extend([label(&on_yes, span), *self.looped(body, on), label(&on_step, span)]);
        if on.is_some() {
            inside.append(&mut steps);
        }
        inside.extend([goto_next(span), label(&on_no, span), leave(span)]);
        endless(first, joined.flatten(), inside, span)
    }

    fn is_known(&self, name: &str) -> bool {
        self.unit.function(name).is_some()
    }

    /// Adds what an expression that stands alone does.
    fn effect(&mut self, expr: &Expr, done: &mut Vec<Stmt>) {
        let span = expr.span;
        let kind = match &expr.kind {
            Kind::Call(name, arguments) if self.is_known(name) => {
                Kind::Call(name.clone(), self.arguments(arguments, done))
            }
            Kind::Assign(name, operator, value) => {
                let value = match (&value.kind, operator) {
                    (Kind::Call(callee, arguments), None) if self.is_known(callee) => {
                        let kind = Kind::Call(callee.clone(), self.arguments(arguments, done));
                        Expr { kind, span: value.span }
                    }
                    _ => self.expr(value, done),
                };
                Kind::Assign(self.named(name), *operator, Box::new(value))
            }
            Kind::Store(array, size, index, operator, value) => {
                let index = Box::new(self.expr_before(index, &[value], done));
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
            Kind::Choose(condition, a, b) if has_effects(expr) => {
                let [yes, no, after] = self.labels();
                self.branch(condition, &yes, &no, done);
                done.push(label(&yes, span));
                self.effect(a, done);
                done.push(goto(&after, span));
                done.push(label(&no, span));
                self.effect(b, done);
                done.push(label(&after, span));
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

    /// What is left of the arguments of a call.
    fn arguments(&mut self, arguments: &[Expr], done: &mut Vec<Stmt>) -> Vec<Expr> {
        let mut left = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let later: Vec<&Expr> = arguments[number + 1..].iter().collect();
            left.push(self.expr_before(argument, &later, done));
        }
        left
    }

    /// What is left of an expression once its effects are statements.
    fn expr(&mut self, expr: &Expr, done: &mut Vec<Stmt>) -> Expr {
        self.expr_before(expr, &[], done)
    }

    /// Keeps the value of an effect in a variable, in the step of the effect.
    fn keep(&mut self, effect: Kind, span: Span, done: &mut Vec<Stmt>) -> Kind {
        self.count += 1;
        let kept = format!(" {}", self.count);
        let kind = Kind::Assign(kept.clone(), None, Box::new(Expr { kind: effect, span }));
        done.push(Stmt { kind: StmtKind::Expr(Some(Expr { kind, span })), span });
        Kind::Name(kept)
    }

    /// What is left of an expression if the effects of others come before it is evaluated.
    fn expr_before(&mut self, expr: &Expr, later: &[&Expr], done: &mut Vec<Stmt>) -> Expr {
        let span = expr.span;
        let made = |kind: Kind| Box::new(Expr { kind, span });
        let kind = match &expr.kind {
            Kind::Call(name, arguments) if self.is_known(name) => {
                let call = made(Kind::Call(name.clone(), self.arguments(arguments, done)));
                self.count += 1;
                let name = format!(" {}", self.count);
                let kind = Kind::Assign(name.clone(), None, call);
                done.push(Stmt { kind: StmtKind::Expr(Some(Expr { kind, span })), span });
                Kind::Name(name)
            }
            // A function that is not known gives any number.
            Kind::Call(name, arguments) => {
                arguments.iter().for_each(|it| self.effect(it, done));
                Kind::Any(None, None, self.unit.returns(name))
            }
            Kind::And(..) | Kind::Or(..) | Kind::Choose(..) if has_effects(expr) => {
                return self.choice(expr, done);
            }
            Kind::Assign(name, operator, value) => {
                let is_changed = later.iter().any(|it| self.changes(it, name));
                let is_call = matches!(&value.kind, Kind::Call(it, _) if self.is_known(it));
                if is_changed && !(is_call && operator.is_none()) {
                    let value = Box::new(self.expr(value, done));
                    let effect = Kind::Assign(self.named(name), *operator, value);
                    return *made(self.keep(effect, span, done));
                }
                self.effect(expr, done);
                let now = Kind::Name(self.named(name));
                if is_changed { self.keep(now, span, done) } else { now }
            }
            Kind::Increment(name, by, is_before) => {
                let is_changed = later.iter().any(|it| self.changes(it, name));
                let (name, ty) = self.meaning(name);
                if is_changed || *is_before && ty == Some(Type::BOOL) {
                    // The value cannot be computed from what the variable is later.
                    let effect = Kind::Increment(name, *by, *is_before);
                    return *made(self.keep(effect, span, done));
                }
                self.effect(expr, done);
                let now = made(Kind::Name(name));
                match (is_before, ty) {
                    (true, Some(ty)) => {
                        let by = made(Kind::Number(*by));
                        Kind::Cast(ty, made(Kind::Binary(Arithmetic::Subtract, now, by)))
                    }
                    _ => now.kind,
                }
            }
            Kind::Comma(first, second) => {
                self.effect(first, done);
                return self.expr_before(second, later, done);
            }
            Kind::Index(array, size, index) => {
                let index = Box::new(self.expr_before(index, later, done));
                Kind::Index(self.array(array), *size, index)
            }
            Kind::Negate(of) => Kind::Negate(Box::new(self.expr_before(of, later, done))),
            Kind::Complement(of) => Kind::Complement(Box::new(self.expr_before(of, later, done))),
            Kind::Cast(ty, of) => Kind::Cast(*ty, Box::new(self.expr_before(of, later, done))),
            Kind::Not(of) => Kind::Not(Box::new(self.expr_before(of, later, done))),
            Kind::Binary(operator, left, right) => {
                let left = self.expr_before(left, &[later, &[right]].concat(), done);
                let right = self.expr_before(right, later, done);
                Kind::Binary(*operator, Box::new(left), Box::new(right))
            }
            Kind::Compare(comparison, left, right) => {
                let left = self.expr_before(left, &[later, &[right]].concat(), done);
                let right = self.expr_before(right, later, done);
                Kind::Compare(*comparison, Box::new(left), Box::new(right))
            }
            _ => return self.renamed(expr),
        };
        Expr { kind, span }
    }

    /// Whether an expression may give a variable another value. A function may do so to globals.
    fn changes(&self, expr: &Expr, name: &str) -> bool {
        let inside = |list: &[&Expr]| list.iter().any(|it| self.changes(it, name));
        match &expr.kind {
            Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => false,
            Kind::Increment(changed, ..) => changed == name,
            Kind::Assign(changed, _, value) => changed == name || inside(&[value]),
            Kind::Call(callee, arguments) => {
                let is_local = self.scopes[1..].iter().any(|scope| scope.contains_key(name));
                let changes = self.is_known(callee) && !is_local;
                changes || arguments.iter().any(|it| self.changes(it, name))
            }
            Kind::Negate(of)
            | Kind::Complement(of)
            | Kind::Cast(_, of)
            | Kind::Not(of)
            | Kind::Index(_, _, of) => inside(&[of]),
            Kind::Binary(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Comma(a, b)
            | Kind::Store(_, _, a, _, b) => inside(&[a, b]),
            Kind::Choose(a, b, c) => inside(&[a, b, c]),
        }
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
