//! Resolves the names of expressions and checks their types: from rows of a text to terms.
//!
//! An expression is gone through row by row, operands first. Where it uses a definition or a
//! parameter that is not resolved yet, it waits on a stack until that is done; one that comes to
//! wait for itself is circular. The rules of types are those of NuSMV 2.6.

use super::flat::{Flat, InstanceId, Item, Symbol};
use super::syntax::{Expr, ExprId, NameId, VarKind, Whole};
use super::terms::{Base, Fault, Op, Sort, Term, TermId, Value};
use crate::problem::Problem;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Limit, Span};

pub(super) const BOOL: Sort = Sort { base: Base::Bool, is_set: false };
pub(super) const INT: Sort = Sort { base: Base::Int, is_set: false };

/// An expression that is being resolved.
struct Job {
    whole: Whole,
    instance: InstanceId,
    /// Whether it is meant in the next state.
    next: bool,
    /// What the rows so far stand for.
    items: Vec<Item>,
}

/// What a row stands for, or what must be known first.
enum Found {
    Item(Item),
    Needs(Whole, InstanceId, bool),
}

impl From<Item> for Found {
    fn from(item: Item) -> Self {
        Found::Item(item)
    }
}

impl From<TermId> for Found {
    fn from(term: TermId) -> Self {
        Found::Item(Item::Term(term))
    }
}

impl Flat {
    /// What an expression stands for in an instance, now or in the next state.
    pub(super) fn resolve(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        next: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Item, Limit> {
        let job = |whole: Whole, instance, next| Job { whole, instance, next, items: Vec::new() };
        let mut jobs = vec![job(whole, instance, next)];
        loop {
            meter.tick()?;
            let depth = jobs.len();
            let Some(top) = jobs.last_mut() else { return Ok(Item::Broken) };
            let row = ExprId::new(top.whole.first.index() + top.items.len());
            let found = if row > top.whole.root {
                let item = top.items.last().copied().unwrap_or(Item::Broken);
                let key = (top.whole, top.instance, top.next);
                jobs.pop();
                if depth == 1 {
                    return Ok(item);
                }
                self.resolved.insert(key, Some(item));
                continue;
            } else {
                self.row(top, row)
            };
            match found {
                Found::Item(item) => top.items.push(item),
                Found::Needs(whole, instance, next) => {
                    let span = self.text.rows[row].span;
                    match self.resolved.get(&(whole, instance, next)) {
                        // It waits for itself.
                        Some(None) => {
                            self.circular(span);
                            top.items.push(Item::Broken);
                        }
                        Some(Some(item)) => top.items.push(*item),
                        None => {
                            self.resolved.insert((whole, instance, next), None);
                            jobs.push(job(whole, instance, next));
                        }
                    }
                }
            }
        }
    }

    fn circular(&mut self, span: Span) {
        self.problem("S024", span, |_| {
            let problem = Problem::error("S024", "this definition depends on itself");
            problem.at(span, "which leads back to where it is used")
        });
    }

    /// The term of an expression; `None` if something is wrong with it.
    pub(super) fn term(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        next: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Option<TermId>, Limit> {
        let item = self.resolve(whole, instance, next, meter)?;
        Ok(self.as_term(item, self.text.span(whole)))
    }

    /// The term of an expression that is a condition.
    pub(super) fn condition(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        next: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Option<TermId>, Limit> {
        let term = self.term(whole, instance, next, meter)?;
        let span = self.text.span(whole);
        Ok(term.filter(|&term| self.is(term, BOOL, span)))
    }

    fn as_term(&mut self, item: Item, span: Span) -> Option<TermId> {
        let what = match item {
            Item::Term(term) => return Some(term),
            Item::Broken => return None,
            Item::Instance(_) => "an instance of a module",
            Item::Array(_) => "an array",
        };
        self.problem("S031", span, |_| {
            let problem = Problem::error("S031", format!("this is {what}, and has no value"));
            problem.at(span, what).hint("name one of its members")
        });
        None
    }

    /// Whether a term has a type; if not, that is reported.
    pub(super) fn is(&mut self, term: TermId, wanted: Sort, span: Span) -> bool {
        let sort = self.terms.facts(term).sort;
        if sort == wanted {
            return true;
        }
        self.problem("S031", span, |_| {
            let (has, needs) = (sort.words(), wanted.words());
            let problem = Problem::error("S031", format!("{needs} is needed here, and not {has}"));
            let problem = problem.at(span, format!("this is {has}"));
            match (sort.is_set, sort.base, wanted.base) {
                (true, ..) => problem.hint("sets stand on the right of `:=`, `in` and `union`"),
                (_, Base::Int, Base::Bool) => problem.hint("compare it, or write `bool(…)`"),
                (_, Base::Bool, Base::Int) => problem.hint("write `toint(…)`"),
                _ => problem,
            }
        });
        false
    }

    fn row(&mut self, job: &Job, id: ExprId) -> Found {
        let row = self.text.rows[id].clone();
        let (span, next) = (row.span, job.next || row.in_next);
        if job.next && row.in_next {
            self.problem("S032", span, |_| {
                let problem = Problem::error("S032", "`next` stands inside `next`");
                problem.at(span, "the state after the next cannot be spoken of")
            });
            return Item::Broken.into();
        }
        let item = |operand: ExprId| job.items[operand.index() - job.whole.first.index()];
        match row.expr {
            Expr::True => self.terms.truth(true, span).into(),
            Expr::False => self.terms.truth(false, span).into(),
            Expr::Number(number) => self.terms.value(Value::Int(number), span).into(),
            Expr::Name(name) => self.named(name, job.instance, next, span, true),
            Expr::SelfWord => Item::Instance(job.instance).into(),
            Expr::Dot(of, name) => match item(of) {
                Item::Instance(inner) => self.named(name, inner, next, span, false),
                Item::Broken => Item::Broken.into(),
                Item::Term(_) | Item::Array(_) => {
                    let name = self.name(name).to_owned();
                    self.problem("S020", span, |_| {
                        let message = format!("`{name}` is a member of no instance of a module");
                        Problem::error("S020", message).at(span, "what is before the dot has none")
                    });
                    Item::Broken.into()
                }
            },
            Expr::Index(of, index) => self.indexed(item(of), item(index), next, span).into(),
            expr => {
                let operands = operands(&expr);
                let mut terms = Vec::with_capacity(operands.len());
                for operand in operands {
                    let at = self.text.rows[operand].span;
                    match self.as_term(item(operand), at) {
                        Some(term) => terms.push((term, at)),
                        None => return Item::Broken.into(),
                    }
                }
                self.operation(&expr, &terms, span).map_or(Item::Broken, Item::Term).into()
            }
        }
    }

    /// What a name stands for in an instance. Symbols that may be values do not stand behind a dot.
    fn named(
        &mut self,
        name: NameId,
        instance: InstanceId,
        next: bool,
        span: Span,
        bare: bool,
    ) -> Found {
        let of = &self.instances[instance];
        match of.symbols.get(&name) {
            Some(&Symbol::Define(i)) => {
                let body = self.text.modules[of.module].defines[i].body;
                return Found::Needs(body, instance, next);
            }
            Some(&Symbol::DefinedIn(other, body)) => return Found::Needs(body, other, next),
            Some(&Symbol::Parameter(i)) => {
                return match (of.arguments.get(i), of.parent) {
                    (Some(&argument), Some(parent)) => Found::Needs(argument, parent, next),
                    _ => {
                        let name = self.name(name).to_owned();
                        self.problem("S025", span, |_| {
                            let message = format!("parameter `{name}` has no value here");
                            let problem = Problem::error("S025", message).at(span, "a parameter");
                            problem.hint("`main`, and modules that are called, have none")
                        });
                        Item::Broken.into()
                    }
                };
            }
            Some(&symbol) => return self.symbol(symbol, next, span).into(),
            None => {}
        }
        let constants = if self.has_calls { &of.constants } else { &self.constants };
        if bare && constants.contains(&name) {
            return self.terms.value(Value::Symbol(name), span).into();
        }
        if bare && self.has_calls && self.text.modules[of.module].name == name {
            return Item::Instance(instance).into();
        }
        if bare && self.has_calls && self.name(name) == "EXIT" {
            return self.terms.value(Value::Exit, span).into();
        }
        let mut known: Vec<&str> = of.symbols.keys().map(|&it| self.text.names.of(it)).collect();
        if bare {
            known.extend(constants.iter().map(|&it| self.text.names.of(it)));
        }
        known.sort_unstable();
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        let wanted = self.name(name).to_owned();
        self.problem("S020", span, |nearest| {
            let problem = Problem::error("S020", format!("there is no `{wanted}` here"));
            let problem = problem.at(span, "not declared");
            let split = wanted
                .split_once('-')
                .is_some_and(|(first, _)| known.iter().any(|name| name == first));
            match nearest.among(&wanted, known.iter().map(String::as_str)) {
                _ if split => problem.hint("`-` is part of a name unless a blank is before it"),
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem,
            }
        });
        Item::Broken.into()
    }

    fn symbol(&mut self, symbol: Symbol, next: bool, span: Span) -> Item {
        match symbol {
            Symbol::Var(var) => {
                let base = self.base(var);
                let kind = self.vars[var].kind;
                if next && kind == VarKind::Input {
                    self.problem("S032", span, |_| {
                        let message = "the next value of an input cannot be spoken of";
                        Problem::error("S032", message).at(span, "an input")
                    });
                    return Item::Broken;
                }
                let term = if next { Term::Next(var) } else { Term::Now(var) };
                Item::Term(self.terms.variable(term, base, kind == VarKind::Input, span))
            }
            Symbol::Array(array) => Item::Array(array),
            Symbol::Instance(instance) => Item::Instance(instance),
            Symbol::Running(process) => self.running(process, next, span),
            Symbol::Define(_) | Symbol::DefinedIn(..) | Symbol::Parameter(_) | Symbol::Broken => {
                Item::Broken
            }
        }
    }

    /// An element of an array. If the index is not constant, it is a choice among all of them.
    fn indexed(&mut self, of: Item, index: Item, next: bool, span: Span) -> Item {
        let (Item::Array(array), Item::Term(index)) = (of, index) else {
            if of != Item::Broken && index != Item::Broken {
                self.problem("S031", span, |_| {
                    let message = "brackets stand behind arrays, with a number in them";
                    Problem::error("S031", message).at(span, "not an element of an array")
                });
            }
            return Item::Broken;
        };
        if !self.is(index, INT, span) {
            return Item::Broken;
        }
        let low = self.arrays[array].low;
        let elements = self.arrays[array].elements.clone();
        if let Some(Value::Int(number)) = self.terms.constant(index) {
            let position = usize::try_from(number - low).ok();
            return match position.and_then(|position| elements.get(position)) {
                Some(&element) => self.symbol(element, next, span),
                None => {
                    self.problem("S040", span, |_| {
                        let message = format!("the array has no element {number}");
                        Problem::error("S040", message).at(span, "out of its bounds")
                    });
                    Item::Broken
                }
            };
        }
        let mut sort = None;
        let mut cases = Vec::with_capacity(elements.len());
        for (number, element) in (low..).zip(elements) {
            let Item::Term(element) = self.symbol(element, next, span) else {
                self.problem("S006", span, |_| {
                    let message = "only the last index of an array may vary";
                    Problem::error("S006", message).at(span, "the element is an array itself")
                });
                return Item::Broken;
            };
            sort = Some(self.terms.facts(element).sort);
            let number = self.terms.value(Value::Int(number), span);
            let is_it = self.terms.make(Term::Binary(Op::Equal, index, number), BOOL, span);
            cases.push((is_it, element));
        }
        let Some(sort) = sort else { return Item::Broken };
        let otherwise = self.terms.fault(Fault::OutOfBounds, sort, span);
        Item::Term(self.terms.cases(&cases, otherwise, sort, span, &self.domains))
    }
}

/// The operands of an expression, left to right.
pub(super) fn operands(expr: &Expr) -> Vec<ExprId> {
    match expr {
        Expr::True | Expr::False | Expr::Number(_) | Expr::Name(_) | Expr::SelfWord => Vec::new(),
        Expr::Range(..) => Vec::new(),
        Expr::Dot(of, _) | Expr::Unary(_, of) => vec![*of],
        Expr::Index(a, b) | Expr::Binary(_, a, b) => vec![*a, *b],
        Expr::If(a, b, c) => vec![*a, *b, *c],
        Expr::Case(cases) => cases.iter().flat_map(|&(a, b)| [a, b]).collect(),
        Expr::Set(list) | Expr::Count(list) => list.to_vec(),
        Expr::Bounded(_, _, a, b) => [Some(*a), *b].into_iter().flatten().collect(),
    }
}
