//! Evaluates terms in a state, or while a state is being put together.
//!
//! Values are computed on demand and kept until what they depend on changes, so that what several
//! terms share is computed once, and a `case` only looks at what it needs. Variables that have no
//! value yet are unknown, in Kleene's logic; so a constraint can be found false early. There is no
//! recursion: what waits for an operand is on a stack.

use super::terms::{Domain, Fault, Op, Term, TermId, Terms, Value, VarId, apply};
use tern_model::index::Id;
use tern_model::index::Table;

/// What a term comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Value(Value),
    /// Values, in the pool of the evaluator.
    Set(u32, u32),
    /// It depends on a variable that has no value yet.
    Unknown,
    /// It has no value, because of this term.
    Fault(Fault, TermId),
}

/// Whether variables that have no value are to be given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Unknown,
    /// The first of their domain; what got one is put on the trail.
    First,
}

/// A variable in this state or the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    is_next: bool,
    var: VarId,
    /// The position of its value in its domain.
    position: usize,
}

/// Evaluates terms.
pub(super) struct Evaluator<'t> {
    terms: &'t Terms,
    domains: &'t Table<VarId, Domain>,
    now: Table<VarId, Option<Value>>,
    next: Table<VarId, Option<Value>>,
    /// What is known of terms, and when that was found out.
    memo: Vec<(u64, Outcome)>,
    /// When the state changed, and when anything did.
    state_time: u64,
    time: u64,
    stack: Vec<TermId>,
    pool: Vec<Value>,
    demand: Demand,
    trail: Vec<Cell>,
}

enum Step {
    Done(Outcome),
    Needs(TermId),
}

impl<'t> Evaluator<'t> {
    pub(super) fn new(terms: &'t Terms, domains: &'t Table<VarId, Domain>) -> Self {
        Evaluator {
            terms,
            domains,
            now: Table::filled(None, domains.len()),
            next: Table::filled(None, domains.len()),
            memo: vec![(0, Outcome::Unknown); terms.len()],
            state_time: 1,
            time: 1,
            stack: Vec::new(),
            pool: Vec::new(),
            demand: Demand::Unknown,
            trail: Vec::new(),
        }
    }

    /// Forgets the state. What is said of variables next is about another.
    pub(super) fn new_state(&mut self) {
        self.time += 1;
        self.state_time = self.time;
        self.pool.clear();
    }

    pub(super) fn set_now(&mut self, var: VarId, value: Option<Value>) {
        self.now[var] = value;
    }

    /// Gives a variable its value in the next state, or takes it away.
    pub(super) fn set_next(&mut self, var: VarId, value: Option<Value>) {
        self.next[var] = value;
        self.time += 1;
    }

    /// Gives an input its value, or takes it away.
    pub(super) fn set_input(&mut self, var: VarId, value: Option<Value>) {
        self.now[var] = value;
        self.time += 1;
    }

    pub(super) fn next_value(&self, var: VarId) -> Option<Value> {
        self.next[var]
    }

    /// The values of an outcome that is a set or a value.
    pub(super) fn values(&self, outcome: Outcome) -> Vec<Value> {
        match outcome {
            Outcome::Value(value) => vec![value],
            Outcome::Set(start, length) => {
                self.pool[start as usize..(start + length) as usize].to_vec()
            }
            Outcome::Unknown | Outcome::Fault(..) => Vec::new(),
        }
    }

    /// Whether a condition is true; `None` if that is not known yet.
    ///
    /// # Errors
    /// If it has no value.
    pub(super) fn truth(&mut self, condition: TermId) -> Result<Option<bool>, (Fault, TermId)> {
        match self.evaluate(condition) {
            Outcome::Value(value) => Ok(Some(value == Value::Bool(true))),
            Outcome::Unknown | Outcome::Set(..) => Ok(None),
            Outcome::Fault(fault, term) => Err((fault, term)),
        }
    }

    pub(super) fn evaluate(&mut self, root: TermId) -> Outcome {
        self.stack.push(root);
        let mut outcome = Outcome::Unknown;
        while let Some(&top) = self.stack.last() {
            match self.step(top) {
                Step::Needs(operand) => self.stack.push(operand),
                Step::Done(done) => {
                    let facts = self.terms.facts(top);
                    let moving = facts.has_next || facts.has_input;
                    let time = if moving { self.time } else { self.state_time };
                    self.memo[top.index()] = (time, done);
                    self.stack.pop();
                    outcome = done;
                }
            }
        }
        outcome
    }

    /// What is known of a term.
    fn known(&self, term: TermId) -> Option<Outcome> {
        if let Term::Const(value) = self.terms.get(term) {
            return Some(Outcome::Value(value));
        }
        let facts = self.terms.facts(term);
        let wanted = if facts.has_next || facts.has_input { self.time } else { self.state_time };
        let (time, outcome) = self.memo[term.index()];
        (time == wanted).then_some(outcome)
    }

    fn step(&mut self, id: TermId) -> Step {
        if let Some(known) = self.known(id) {
            return Step::Done(known);
        }
        let term = self.terms.get(id);
        match term {
            Term::Const(value) => Step::Done(Outcome::Value(value)),
            Term::Now(var) => Step::Done(self.read(var, false)),
            Term::Next(var) => Step::Done(self.read(var, true)),
            Term::Fault(fault, _) => Step::Done(Outcome::Fault(fault, id)),
            Term::Set(set) => {
                let start = self.pool.len();
                self.pool.extend_from_slice(self.terms.set(set));
                Step::Done(self.pooled(start))
            }
            Term::Not(a) | Term::Negate(a) | Term::ToInt(a) | Term::ToBool(a) => {
                let Some(operand) = self.known(a) else { return Step::Needs(a) };
                let Outcome::Value(value) = operand else { return Step::Done(operand) };
                Step::Done(unary(term, value, id))
            }
            Term::Member(a, set) => match self.known(a) {
                None => Step::Needs(a),
                Some(Outcome::Value(value)) => {
                    let truth = self.terms.set(set).binary_search(&value).is_ok();
                    Step::Done(Outcome::Value(Value::Bool(truth)))
                }
                Some(other) => Step::Done(other),
            },
            Term::If(condition, result, rest) => match self.known(condition) {
                None => Step::Needs(condition),
                Some(Outcome::Value(value)) => {
                    self.same(if value == Value::Bool(true) { result } else { rest })
                }
                Some(other) => Step::Done(other),
            },
            Term::Table(of, table) => match self.known(of) {
                None => Step::Needs(of),
                Some(Outcome::Value(value)) => {
                    let (Term::Now(var) | Term::Next(var)) = self.terms.get(of) else {
                        return Step::Done(Outcome::Unknown);
                    };
                    let domain = &self.domains[var];
                    let row = domain.position(value).unwrap_or(domain.len());
                    self.same(self.terms.table(table)[row])
                }
                Some(other) => Step::Done(other),
            },
            Term::Binary(op, a, b) => self.binary(op, a, b, id),
        }
    }

    /// What another term comes to.
    fn same(&self, term: TermId) -> Step {
        self.known(term).map_or(Step::Needs(term), Step::Done)
    }

    fn pooled(&self, start: usize) -> Outcome {
        // What is in the pool came from constant sets of a text of less than 4 GiB.
        Outcome::Set(start as u32, (self.pool.len() - start) as u32)
    }

    fn binary(&mut self, op: Op, a: TermId, b: TermId, id: TermId) -> Step {
        use Outcome::{Unknown, Value as Is};
        let Some(left) = self.known(a) else { return Step::Needs(a) };
        // What decides it whatever the other operand is.
        let decides = |outcome: Outcome, first: bool| match (op, outcome) {
            (_, Outcome::Fault(..)) => Some(outcome),
            (Op::And, Is(value)) if value != Value::Bool(true) => Some(Is(Value::Bool(false))),
            (Op::Or, Is(Value::Bool(true))) => Some(outcome),
            (Op::Implies, Is(value)) if first && value != Value::Bool(true) => {
                Some(Is(Value::Bool(true)))
            }
            (Op::Implies, Is(Value::Bool(true))) if !first => Some(outcome),
            _ => None,
        };
        if let Some(done) = decides(left, true) {
            return Step::Done(done);
        }
        let Some(right) = self.known(b) else { return Step::Needs(b) };
        if let Some(done) = decides(right, false) {
            return Step::Done(done);
        }
        Step::Done(match (op, left, right) {
            (_, Unknown, _) | (_, _, Unknown) => Unknown,
            (Op::Union, ..) => {
                let start = self.pool.len();
                let mut values = self.values(left);
                values.extend(self.values(right));
                values.sort_unstable();
                values.dedup();
                self.pool.extend(values);
                self.pooled(start)
            }
            (Op::In, ..) => {
                let all = self.values(right);
                let inside = self.values(left).iter().all(|value| all.contains(value));
                Is(Value::Bool(inside))
            }
            (_, Is(left), Is(right)) => match apply(op, left, right) {
                Ok(value) => Is(value),
                Err(fault) => Outcome::Fault(fault, id),
            },
            _ => Unknown,
        })
    }

    fn read(&mut self, var: VarId, is_next: bool) -> Outcome {
        let cell = if is_next { &mut self.next[var] } else { &mut self.now[var] };
        match (*cell, self.demand) {
            (Some(value), _) => Outcome::Value(value),
            (None, Demand::Unknown) => Outcome::Unknown,
            (None, Demand::First) => {
                let value = self.domains[var].value(0);
                *cell = Some(value);
                self.trail.push(Cell { is_next, var, position: 0 });
                Outcome::Value(value)
            }
        }
    }

    /// Evaluates a term under all values of the variables that it asks for, until `look` says that
    /// it has seen enough or `most` have been tried. Variables that are not asked for are left
    /// out, and so is what only other branches of a `case` ask for.
    pub(super) fn for_all(
        &mut self,
        term: TermId,
        most: usize,
        mut look: impl FnMut(&Self, Outcome) -> bool,
    ) {
        self.demand = Demand::First;
        for _ in 0..most {
            self.new_state();
            let outcome = self.evaluate(term);
            let go_on = look(self, outcome);
            if !go_on || !self.advance() {
                break;
            }
        }
        while let Some(cell) = self.trail.pop() {
            self.write(cell, None);
        }
        self.demand = Demand::Unknown;
        self.new_state();
    }

    fn write(&mut self, cell: Cell, value: Option<Value>) {
        let table = if cell.is_next { &mut self.next } else { &mut self.now };
        table[cell.var] = value;
    }

    /// Goes on to the next values of what is on the trail; `false` if all have been tried.
    fn advance(&mut self) -> bool {
        while let Some(mut cell) = self.trail.pop() {
            cell.position += 1;
            let domain = &self.domains[cell.var];
            if cell.position < domain.len() {
                let value = domain.value(cell.position);
                self.write(cell, Some(value));
                self.trail.push(cell);
                return true;
            }
            self.write(cell, None);
        }
        false
    }

    /// The variables that have a value for the time being, with their values in this state.
    pub(super) fn trail(&self) -> impl Iterator<Item = (VarId, bool, Value)> + '_ {
        self.trail
            .iter()
            .map(|cell| (cell.var, cell.is_next, self.domains[cell.var].value(cell.position)))
    }
}

fn unary(term: Term, value: Value, id: TermId) -> Outcome {
    Outcome::Value(match (term, value) {
        (Term::Not(_), value) => Value::Bool(value != Value::Bool(true)),
        (Term::ToInt(_), Value::Bool(truth)) => Value::Int(i64::from(truth)),
        (Term::ToBool(_), Value::Int(number)) => Value::Bool(number != 0),
        (Term::Negate(_), Value::Int(number)) => Value::Int(-number),
        _ => return Outcome::Fault(Fault::Exit, id),
    })
}
