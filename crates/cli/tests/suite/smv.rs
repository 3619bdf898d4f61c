//! Verdicts on random SMV modules, against an evaluator of another design.
//!
//! The evaluator here shares nothing with the reader: it walks its own syntax trees recursively,
//! goes over *all* pairs of states and asks whether the second may follow the first, and decides
//! CTL by naive fixpoints on the resulting matrix, also on fair paths. Modules that call each other
//! are unfolded into configurations; with recursion only to some depth, behind which nothing is
//! known, in two fixpoints: what is sure, and what is possible.
//!
//! `TERN_PAIRS` sets the number of modules, `TERN_SEED` where they begin.

mod calls;
mod modules;

use calls::Procedure;
use fastrand::Rng;
use modules::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tern::front::Source;
use tern::{Budget, Model, Verdict};
use tern_testkit::setting;

/// The type of a variable: its values, counted from `low`; symbols are `s0`, `s1`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int { low: i64, high: i64 },
    Symbol { count: i64 },
}

impl Kind {
    fn values(self) -> std::ops::RangeInclusive<i64> {
        match self {
            Kind::Bool => 0..=1,
            Kind::Int { low, high } => low..=high,
            Kind::Symbol { count } => 0..=count - 1,
        }
    }

    fn show(self, value: i64) -> String {
        match self {
            Kind::Bool => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
            Kind::Int { .. } => value.to_string(),
            Kind::Symbol { .. } => format!("s{value}"),
        }
    }
}

/// An expression of numbers; truth values are 0 and 1.
#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Truth(bool),
    Var {
        index: usize,
        next: bool,
    },
    /// A variable is one of some values.
    Is(usize, bool, Kind, Vec<i64>),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Where expressions are evaluated: this state and the next.
#[derive(Clone, Copy)]
struct Pair<'a>(&'a [i64], &'a [i64]);

impl Expr {
    fn value(&self, at: Pair<'_>) -> i64 {
        let read = |index: usize, next: bool| if next { at.1[index] } else { at.0[index] };
        match self {
            Expr::Number(number) => *number,
            Expr::Truth(truth) => i64::from(*truth),
            Expr::Var { index, next } => read(*index, *next),
            Expr::Is(index, next, _, values) => i64::from(values.contains(&read(*index, *next))),
            Expr::Not(a) => 1 - a.value(at),
            Expr::If(a, b, c) => {
                if a.value(at) == 1 {
                    b.value(at)
                } else {
                    c.value(at)
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.value(at), b.value(at));
                let truth = match *op {
                    "+" => return a + b,
                    "-" => return a - b,
                    "*" => return a * b,
                    // As schoolbooks have it: the quotient of the sizes, and then the sign.
                    "/" => return (a.abs() / b.abs()) * a.signum() * b.signum(),
                    "mod" => return (a.abs() % b.abs()) * a.signum(),
                    "&" => a + b == 2,
                    "|" => a + b > 0,
                    "->" => a <= b,
                    "<->" | "xnor" => a == b,
                    "xor" => a != b,
                    "=" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                };
                i64::from(truth)
            }
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let var = |index: &usize, next: &bool| match next {
            true => format!("next(v{index})"),
            false => format!("v{index}"),
        };
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Truth(true) => write!(f, "TRUE"),
            Expr::Truth(false) => write!(f, "FALSE"),
            Expr::Var { index, next } => write!(f, "{}", var(index, next)),
            Expr::Is(index, next, kind, values) => match &values[..] {
                [value] => write!(f, "({} = {})", var(index, next), kind.show(*value)),
                _ => write!(f, "({} in {})", var(index, next), set(*kind, values)),
            },
            Expr::Not(a) => write!(f, "!({a})"),
            Expr::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            Expr::If(a, b, c) => write!(f, "case {a} : {b}; TRUE : {c}; esac"),
        }
    }
}

fn set(kind: Kind, values: &[i64]) -> String {
    let shown: Vec<String> = values.iter().map(|&value| kind.show(value)).collect();
    format!("{{{}}}", shown.join(", "))
}

/// A right side: under conditions, a choice among values.
#[derive(Clone, Debug)]
struct Choice {
    cases: Vec<(Expr, Vec<i64>)>,
    otherwise: Vec<i64>,
}

impl Choice {
    fn allows(&self, at: Pair<'_>, value: i64) -> bool {
        let case = self.cases.iter().find(|(condition, _)| condition.value(at) == 1);
        case.map_or(&self.otherwise, |(_, values)| values).contains(&value)
    }

    fn show(&self, kind: Kind) -> String {
        let mut text = "case ".to_owned();
        for (condition, values) in &self.cases {
            text += &format!("{condition} : {}; ", set(kind, values));
        }
        text + &format!("TRUE : {}; esac", set(kind, &self.otherwise))
    }
}

/// A formula of CTL over conditions.
#[derive(Clone, Debug)]
enum Ctl {
    Is(Expr),
    Not(Box<Ctl>),
    And(Box<Ctl>, Box<Ctl>),
    /// `EX AX EF AF EG AG`
    Unary(&'static str, Box<Ctl>),
    Until(char, Box<Ctl>, Box<Ctl>),
}

impl fmt::Display for Ctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ctl::Is(condition) => write!(f, "{condition}"),
            Ctl::Not(a) => write!(f, "!({a})"),
            Ctl::And(a, b) => write!(f, "(({a}) & ({b}))"),
            Ctl::Unary(op, a) => write!(f, "{op} ({a})"),
            Ctl::Until(quantifier, a, b) => write!(f, "{quantifier} [ {a} U {b} ]"),
        }
    }
}

impl Ctl {
    /// Where it holds in a graph: surely, or possibly.
    fn holds(&self, graph: &Graph<'_>, sure: bool) -> Vec<bool> {
        let mut set = self.holds_if_known(graph, sure);
        for (truth, _) in set.iter_mut().zip(graph.open).filter(|(_, open)| **open) {
            *truth = !sure;
        }
        set
    }

    fn holds_if_known(&self, graph: &Graph<'_>, sure: bool) -> Vec<bool> {
        let Graph { steps, atom, open, fair } = *graph;
        let some = |set: &[bool]| -> Vec<bool> {
            steps.iter().map(|to| to.iter().any(|&state| set[state])).collect()
        };
        let all = |set: &[bool]| -> Vec<bool> {
            steps.iter().map(|to| to.iter().all(|&state| set[state])).collect()
        };
        // Repeats until nothing changes; what is not known is as it may be.
        let fix = |start: Vec<bool>, next: &dyn Fn(&[bool]) -> Vec<bool>| {
            let mut set = start;
            loop {
                let mut then = next(&set);
                for (truth, _) in then.iter_mut().zip(open).filter(|(_, open)| **open) {
                    *truth = !sure;
                }
                if then == set {
                    return set;
                }
                set = then;
            }
        };
        let or_and = |b: &[bool], a: &[bool], later: Vec<bool>| -> Vec<bool> {
            (0..later.len()).map(|i| b[i] || a[i] && later[i]).collect()
        };
        let both = |a: &[bool], b: Vec<bool>| -> Vec<bool> {
            a.iter().zip(b).map(|(&a, b)| a && b).collect()
        };
        let none = vec![false; steps.len()];
        let every = vec![true; steps.len()];
        let until = |a: &[bool], b: &[bool]| fix(none.clone(), &|set| or_and(b, a, some(set)));
        // The states from which a path stays in some, and is fair.
        let globally = |a: &[bool]| {
            fix(every.clone(), &|set| {
                let mut left = both(a, some(set));
                for condition in fair {
                    let goal = both(condition, set.to_vec());
                    left = both(&left, both(a, some(&until(a, &goal))));
                }
                left
            })
        };
        let endless = if fair.is_empty() { every.clone() } else { globally(&every) };
        let on_fair = |set: Vec<bool>| both(&endless, set);
        let not = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|it| !it).collect() };
        match self {
            Ctl::Is(condition) => atom(condition),
            Ctl::Not(a) => not(a.holds(graph, !sure)),
            Ctl::And(a, b) => both(&a.holds(graph, sure), b.holds(graph, sure)),
            Ctl::Unary(op, a) => {
                // What all paths do, no path does not do.
                let dual = |op: &'static str| {
                    let other = Ctl::Unary(op, Ctl::Not(a.clone()).into());
                    not(other.holds(graph, !sure))
                };
                match *op {
                    "AX" if !fair.is_empty() => dual("EX"),
                    "AF" if !fair.is_empty() => dual("EG"),
                    "AG" if !fair.is_empty() => dual("EF"),
                    op => {
                        let a = a.holds(graph, sure);
                        match op {
                            "EX" => some(&on_fair(a)),
                            "AX" => all(&a),
                            "EF" => until(&every, &on_fair(a)),
                            "AF" => fix(none.clone(), &|set| or_and(&a, &every, all(set))),
                            "EG" => globally(&a),
                            _ => fix(every.clone(), &|set| both(&a, all(set))),
                        }
                    }
                }
            }
            Ctl::Until('A', a, b) if !fair.is_empty() => {
                // Some path has `!b` for ever, or until neither is true.
                let (a, b) = (a.holds(graph, !sure), b.holds(graph, !sure));
                let (not_a, not_b) = (not(a), not(b));
                let neither = both(&not_a, not_b.clone());
                let (stays, ends) = (globally(&not_b), until(&not_b, &on_fair(neither)));
                not((0..stays.len()).map(|i| stays[i] || ends[i]).collect())
            }
            Ctl::Until(quantifier, a, b) => {
                let (a, b) = (a.holds(graph, sure), b.holds(graph, sure));
                match quantifier {
                    'E' => until(&a, &on_fair(b)),
                    _ => fix(none.clone(), &|set| or_and(&b, &a, all(set))),
                }
            }
        }
    }
}

/// What formulas are evaluated on.
#[derive(Clone, Copy)]
struct Graph<'a> {
    /// The successors of each state.
    steps: &'a [Vec<usize>],
    /// The states of which nothing is known.
    open: &'a [bool],
    /// Where each condition of fairness holds; only if everything is known.
    fair: &'a [Vec<bool>],
    atom: &'a dyn Fn(&Expr) -> Vec<bool>,
}

/// Makes random things.
struct Maker<'r> {
    rng: &'r mut Rng,
    kinds: Vec<Kind>,
}

impl Maker<'_> {
    fn number(&mut self, depth: usize) -> Expr {
        let numbers: Vec<usize> =
            (0..self.kinds.len()).filter(|&i| matches!(self.kinds[i], Kind::Int { .. })).collect();
        if depth == 0 || self.rng.u8(..3) == 0 {
            return match numbers.is_empty() || self.rng.bool() {
                true => Expr::Number(self.rng.i64(-3..5)),
                false => Expr::Var { index: numbers[self.rng.usize(..numbers.len())], next: false },
            };
        }
        let op = ["+", "-", "*", "/", "mod"][self.rng.usize(..5)];
        let left = self.number(depth - 1);
        let right = match op {
            "/" | "mod" => Expr::Number([-3, -2, 1, 2, 3][self.rng.usize(..5)]),
            _ => self.number(depth - 1),
        };
        Expr::Binary(op, left.into(), right.into())
    }

    /// A condition; those on steps may ask for the next state.
    fn condition(&mut self, depth: usize, next: bool) -> Expr {
        if depth == 0 || self.rng.u8(..4) == 0 {
            let index = self.rng.usize(..self.kinds.len());
            let (kind, next) = (self.kinds[index], next && self.rng.bool());
            if kind == Kind::Bool && self.rng.bool() {
                return Expr::Var { index, next };
            }
            let values = self.values(kind);
            return Expr::Is(index, next, kind, values);
        }
        match self.rng.u8(..10) {
            0 => Expr::Not(self.condition(depth - 1, next).into()),
            1 => Expr::Truth(self.rng.bool()),
            2 => Expr::If(
                self.condition(depth - 1, next).into(),
                self.condition(depth - 1, next).into(),
                self.condition(depth - 1, next).into(),
            ),
            3 | 4 => {
                let op = ["=", "!=", "<", "<=", ">", ">="][self.rng.usize(..6)];
                Expr::Binary(op, self.number(depth).into(), self.number(depth).into())
            }
            _ => {
                let op = ["&", "|", "->", "<->", "xor", "xnor"][self.rng.usize(..6)];
                let (a, b) = (self.condition(depth - 1, next), self.condition(depth - 1, next));
                Expr::Binary(op, a.into(), b.into())
            }
        }
    }

    fn values(&mut self, kind: Kind) -> Vec<i64> {
        let all: Vec<i64> = kind.values().collect();
        let count = 1 + self.rng.usize(..2);
        let drawn: BTreeSet<i64> = (0..count).map(|_| all[self.rng.usize(..all.len())]).collect();
        drawn.into_iter().collect()
    }

    fn choice(&mut self, kind: Kind, cases: usize) -> Choice {
        let cases = (0..cases).map(|_| (self.condition(2, false), self.values(kind))).collect();
        Choice { cases, otherwise: self.values(kind) }
    }

    fn ctl(&mut self, depth: usize) -> Ctl {
        if depth == 0 || self.rng.u8(..5) == 0 {
            return Ctl::Is(self.condition(1, false));
        }
        match self.rng.u8(..10) {
            0 => Ctl::Not(self.ctl(depth - 1).into()),
            1 => Ctl::And(self.ctl(depth - 1).into(), self.ctl(depth - 1).into()),
            2 => Ctl::Until('E', self.ctl(depth - 1).into(), self.ctl(depth - 1).into()),
            3 => Ctl::Until('A', self.ctl(depth - 1).into(), self.ctl(depth - 1).into()),
            _ => {
                let op = ["EX", "AX", "EF", "AF", "EG", "AG"][self.rng.usize(..6)];
                Ctl::Unary(op, self.ctl(depth - 1).into())
            }
        }
    }
}

/// The verdicts of Tern.
fn verdicts(text: &str) -> Result<Vec<bool>, String> {
    let source = Source::new("m.smv", text);
    let read = Model::read(source, &Budget::unlimited());
    let model = read.map_err(|(_, refusal)| refusal.to_string())?;
    let count = model.claims.list().len();
    let verdict = |i: usize| match model.ask(i).decide().outcome.verdict {
        Verdict::Holds => Ok(true),
        Verdict::Fails => Ok(false),
        Verdict::Unknown(gap) => Err(gap.to_string()),
    };
    (0..count).map(verdict).collect()
}

#[test]
fn texts_that_are_cut_or_changed_are_read_or_refused() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 300));
    let pieces = [
        "(", ")", "{", "}", "[", "]", "case", "esac", ":", ";", ":=", "next", "init", "EXIT", "0",
        "-", "..", "->", "U", "A", "E", "MODULE", "VAR", "CALL", "SPEC", "self", ".", "é", "/--",
    ];
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut text = match rng.bool() {
            true => Module::random(&mut rng).show(),
            false => Procedure::random(&mut rng, 1, 1).show(0),
        };
        for _ in 0..1 + rng.usize(..3) {
            let mut from = rng.usize(..text.len());
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            let mut to = (from + rng.usize(..20)).min(text.len());
            while !text.is_char_boundary(to) {
                to += 1;
            }
            match rng.bool() {
                true => text.replace_range(from..to, ""),
                false => text.insert_str(from, &format!(" {} ", pieces[rng.usize(..pieces.len())])),
            }
            if text.is_empty() {
                text.push(';');
            }
        }
        // That it comes back is what is asked.
        let _ = Model::read(Source::new("m.smv", &*text), &Budget::unlimited());
    }
}
