//! A naive interpreter: programs as trees, processes as lists of what is left to do. It shares
//! nothing with the reader, and names the states as the guide says.

use super::Graph;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(super) enum E {
    Number(i64),
    Truth(bool),
    Var(usize),
    Not(Box<E>),
    Minus(Box<E>),
    Op(&'static str, Box<E>, Box<E>),
}

#[derive(Clone, Debug)]
pub(super) enum S {
    Assign(usize, E),
    Skip,
    Seq(Vec<S>),
    If(E, Box<S>, Option<Box<S>>),
    While(E, Box<S>),
    Wait(E),
    Lock(usize),
    Unlock(usize),
    Co(Vec<S>),
}

/// A variable: its name, least and greatest value, and initial value.
#[derive(Clone, Debug)]
pub(super) struct V {
    pub(super) name: &'static str,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) truth: bool,
    pub(super) initial: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) struct P {
    pub(super) variables: Vec<V>,
    pub(super) body: S,
}

impl E {
    pub(super) fn text(&self, variables: &[V]) -> String {
        match self {
            E::Number(value) => value.to_string(),
            E::Truth(value) => value.to_string(),
            E::Var(at) => variables[*at].name.to_owned(),
            E::Not(inner) => format!("(not {})", inner.text(variables)),
            E::Minus(inner) => format!("(-{})", inner.text(variables)),
            E::Op(sign, a, b) => format!("({} {sign} {})", a.text(variables), b.text(variables)),
        }
    }

    fn eval(&self, values: &[i64]) -> Option<i64> {
        Some(match self {
            E::Number(value) => *value,
            E::Truth(value) => i64::from(*value),
            E::Var(at) => values[*at],
            E::Not(inner) => 1 - inner.eval(values)?,
            E::Minus(inner) => -inner.eval(values)?,
            E::Op("and", a, b) => {
                if a.eval(values)? == 0 {
                    0
                } else {
                    b.eval(values)?
                }
            }
            E::Op("or", a, b) => {
                if a.eval(values)? == 1 {
                    1
                } else {
                    b.eval(values)?
                }
            }
            E::Op(sign, a, b) => {
                let (a, b) = (a.eval(values)?, b.eval(values)?);
                match *sign {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" if b == 0 => return None,
                    "mod" if b == 0 => return None,
                    "/" => a / b,
                    "mod" => a - a / b * b,
                    "=" => i64::from(a == b),
                    "!=" => i64::from(a != b),
                    "<" => i64::from(a < b),
                    "<=" => i64::from(a <= b),
                    other => panic!("{other}"),
                }
            }
        })
    }
}

impl S {
    pub(super) fn text(&self, variables: &[V]) -> String {
        let name = |at: &usize| variables[*at].name;
        match self {
            S::Assign(at, value) => format!("{} := {}", name(at), value.text(variables)),
            S::Skip => "skip".to_owned(),
            S::Seq(list) => {
                list.iter().map(|it| it.text(variables)).collect::<Vec<_>>().join(";\n")
            }
            S::If(condition, yes, no) => {
                let no =
                    no.as_ref().map_or(String::new(), |no| format!(" else {}", no.text(variables)));
                format!("if {} then {}{no} fi", condition.text(variables), yes.text(variables))
            }
            S::While(condition, body) => {
                format!("while {} do {} od", condition.text(variables), body.text(variables))
            }
            S::Wait(condition) => format!("wait ({})", condition.text(variables)),
            S::Lock(at) => format!("lock({})", name(at)),
            S::Unlock(at) => format!("unlock({})", name(at)),
            S::Co(list) => {
                let list: Vec<String> = list.iter().map(|it| it.text(variables)).collect();
                format!("cobegin {} coend", list.join(" || "))
            }
        }
    }
}

impl P {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for V { name, low, high, truth, initial } in &self.variables {
            let range = if *truth { "bool".to_owned() } else { format!("{low}..{high}") };
            let initial = match initial {
                None => String::new(),
                Some(value) if *truth => format!(" = {}", *value == 1),
                Some(value) => format!(" = {value}"),
            };
            text += &format!("var {name} : {range}{initial};\n");
        }
        text + &self.body.text(&self.variables) + "\n"
    }
}

/// A statement with its label.
#[derive(Clone, Debug)]
struct Labelled<'a> {
    label: String,
    kind: &'a S,
    parts: Vec<Vec<usize>>,
    ends: Vec<String>,
}

/// What is left to do in a process: statements, the next one last; or its own processes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    left: Vec<usize>,
    children: Option<Vec<Running>>,
    end: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    main: Running,
    values: Vec<i64>,
    fault: Option<String>,
}

pub(super) struct Interpreter<'a> {
    program: &'a P,
    arena: Vec<Labelled<'a>>,
}

enum Outcome {
    Nothing,
    Stay,
    Fault(String),
    Move(Running, Vec<(usize, i64)>),
}

impl<'a> Interpreter<'a> {
    /// All states of a program.
    pub(super) fn graph(program: &'a P, synchronous: bool, most: usize) -> Option<Graph> {
        let mut interpreter = Interpreter { program, arena: Vec::new() };
        let mut count = 0;
        let body = interpreter.label(&program.body, "l", &mut count);
        let main = Running { left: body, children: None, end: format!("l{count}") };
        let mut all = vec![Vec::new()];
        for variable in &program.variables {
            let range = match variable.initial {
                Some(value) => value..=value,
                None => variable.low..=variable.high,
            };
            let more = |old: &Vec<i64>| {
                let old = old.clone();
                range.clone().map(move |value| [old.clone(), vec![value]].concat())
            };
            all = all.iter().flat_map(more).collect();
        }
        let start = |values| State { main: main.clone(), values, fault: None };
        let mut todo: Vec<State> = all.into_iter().map(start).collect();
        let mut graph = Graph::default();
        graph.initial.extend(todo.iter().map(|state| interpreter.name(state)));
        let mut seen: BTreeSet<State> = todo.iter().cloned().collect();
        while let Some(state) = todo.pop() {
            let mut next = match synchronous {
                true => interpreter.together(&state),
                false => interpreter.one(&state),
            };
            if next.is_empty() {
                next.push(state.clone());
            }
            let names = next.iter().map(|it| interpreter.name(it)).collect();
            graph.steps.insert(interpreter.name(&state), names);
            for state in next {
                if seen.insert(state.clone()) {
                    todo.push(state);
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(graph)
    }

    /// Labels statements in the order of the text; gives what is to be done, the first last.
    fn label(&mut self, statement: &'a S, prefix: &str, count: &mut u32) -> Vec<usize> {
        if let S::Seq(list) = statement {
            let mut all = Vec::new();
            for it in list {
                let part = self.label(it, prefix, count);
                all.splice(0..0, part);
            }
            return all;
        }
        let id = self.arena.len();
        let label = format!("{prefix}{count}");
        *count += 1;
        let (parts, ends) = (Vec::new(), Vec::new());
        self.arena.push(Labelled { label, kind: statement, parts, ends });
        let (mut parts, mut ends) = (Vec::new(), Vec::new());
        match statement {
            S::If(_, yes, no) => {
                parts.push(self.label(yes, prefix, count));
                if let Some(no) = no {
                    parts.push(self.label(no, prefix, count));
                }
            }
            S::While(_, body) => parts.push(self.label(body, prefix, count)),
            S::Co(list) => {
                for it in list {
                    let prefix = format!("{prefix}{count}");
                    *count += 1;
                    let mut inner = 0;
                    parts.push(self.label(it, &prefix, &mut inner));
                    ends.push(format!("{prefix}{inner}"));
                }
            }
            _ => {}
        }
        self.arena[id].parts = parts;
        self.arena[id].ends = ends;
        vec![id]
    }

    fn points(&self, running: &Running, out: &mut Vec<String>) {
        match &running.children {
            Some(children) => children.iter().for_each(|child| self.points(child, out)),
            None => out.push(match running.left.last() {
                Some(&id) => self.arena[id].label.clone(),
                None => running.end.clone(),
            }),
        }
    }

    fn name(&self, state: &State) -> String {
        let mut parts = Vec::new();
        self.points(&state.main, &mut parts);
        for (variable, value) in self.program.variables.iter().zip(&state.values) {
            let value = match variable.truth {
                true => (*value == 1).to_string(),
                false => value.to_string(),
            };
            parts.push(format!("{}={value}", variable.name));
        }
        if let Some(fault) = &state.fault {
            parts.push(format!("error={fault}"));
        }
        parts.join(",")
    }

    /// What a process does itself.
    fn own(&self, running: &Running, values: &[i64]) -> Outcome {
        let Running { left, children, end } = running;
        if let Some(children) = children {
            let done = |it: &Running| it.left.is_empty() && it.children.is_none();
            return match children.iter().all(done) {
                true => Outcome::Move(Running { children: None, ..running.clone() }, Vec::new()),
                false => Outcome::Nothing,
            };
        }
        let Some((&id, rest)) = left.split_last() else { return Outcome::Nothing };
        let Labelled { label, kind, parts, ends } = &self.arena[id];
        let go = |more: &[&[usize]], changes: Vec<(usize, i64)>| {
            let left = [rest.to_vec(), more.concat()].concat();
            Outcome::Move(Running { left, children: None, end: end.clone() }, changes)
        };
        let fault = || Outcome::Fault(label.clone());
        match kind {
            S::Seq(_) => unreachable!("sequences are taken apart"),
            S::Skip => go(&[], Vec::new()),
            S::Assign(at, value) => match value.eval(values) {
                Some(value)
                    if (self.program.variables[*at].low..=self.program.variables[*at].high)
                        .contains(&value) =>
                {
                    go(&[], vec![(*at, value)])
                }
                _ => fault(),
            },
            S::If(condition, ..) => match condition.eval(values) {
                None => fault(),
                Some(1) => go(&[&parts[0]], Vec::new()),
                Some(_) => go(&[parts.get(1).map_or(&[][..], |it| it)], Vec::new()),
            },
            S::While(condition, _) => match condition.eval(values) {
                None => fault(),
                Some(1) => go(&[&[id], &parts[0]], Vec::new()),
                Some(_) => go(&[], Vec::new()),
            },
            S::Wait(condition) => match condition.eval(values) {
                None => fault(),
                Some(1) => go(&[], Vec::new()),
                Some(_) => Outcome::Stay,
            },
            S::Lock(at) if values[*at] == 1 => Outcome::Stay,
            S::Lock(at) => go(&[], vec![(*at, 1)]),
            S::Unlock(at) => go(&[], vec![(*at, 0)]),
            S::Co(_) => {
                let begin = |(part, end): (&Vec<usize>, &String)| Running {
                    left: part.clone(),
                    children: None,
                    end: end.clone(),
                };
                let children = Some(parts.iter().zip(ends).map(begin).collect());
                let running = Running { left: rest.to_vec(), children, end: end.clone() };
                Outcome::Move(running, Vec::new())
            }
        }
    }

    /// The ways to all processes that are there.
    fn ways(running: &Running, way: &[usize], out: &mut Vec<Vec<usize>>) {
        out.push(way.to_vec());
        for (i, child) in running.children.iter().flatten().enumerate() {
            Self::ways(child, &[way, &[i]].concat(), out);
        }
    }

    fn at<'r>(mut running: &'r mut Running, way: &[usize]) -> &'r mut Running {
        for &i in way {
            running = &mut running.children.as_mut().expect("it is on the way")[i];
        }
        running
    }

    fn one(&self, state: &State) -> Vec<State> {
        let mut next = Vec::new();
        if state.fault.is_some() {
            return next;
        }
        let mut ways = Vec::new();
        Self::ways(&state.main, &[], &mut ways);
        for way in ways {
            let mut to = state.clone();
            let place = Self::at(&mut to.main, &way);
            match self.own(place, &state.values) {
                Outcome::Nothing => continue,
                Outcome::Stay => {}
                Outcome::Fault(label) => to.fault = Some(label),
                Outcome::Move(running, changes) => {
                    *place = running;
                    for (at, value) in changes {
                        to.values[at] = value;
                    }
                }
            }
            next.push(to);
        }
        next
    }

    fn together(&self, state: &State) -> Vec<State> {
        if state.fault.is_some() {
            return Vec::new();
        }
        let mut ways = Vec::new();
        Self::ways(&state.main, &[], &mut ways);
        let mut to = state.clone();
        let mut given: Vec<Option<i64>> = vec![None; state.values.len()];
        for way in ways {
            let before = Self::at(&mut state.main.clone(), &way).clone();
            match self.own(&before, &state.values) {
                Outcome::Nothing | Outcome::Stay => {}
                Outcome::Fault(label) => {
                    return vec![State { fault: Some(label), ..state.clone() }];
                }
                Outcome::Move(running, changes) => {
                    *Self::at(&mut to.main, &way) = running;
                    for (at, value) in changes {
                        if given[at].is_some_and(|other| other != value) {
                            // No step of all: but an error of another process comes first.
                            given[at] = Some(i64::MAX);
                            continue;
                        }
                        given[at] = Some(value);
                    }
                }
            }
        }
        if given.contains(&Some(i64::MAX)) {
            return Vec::new();
        }
        for (value, given) in to.values.iter_mut().zip(given) {
            *value = given.unwrap_or(*value);
        }
        vec![to]
    }
}
