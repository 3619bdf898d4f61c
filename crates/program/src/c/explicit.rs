//! The states of a program one by one, as far as values stay small.
//!
//! [`explore`] lists states with the [interpreter](super::interpret); what lies beyond the bounds
//! is one state of which nothing is known. [`Listed::decide`] decides claims on that graph in three
//! values, so that its definite answers are proofs. It shares nothing with the analysis of flow
//! graphs: tests compare the two, and a claim that fails is looked at again from the values that
//! were found.

use super::hoist::hoisted;
use super::interpret::{Interpreter, State, Untreated};
use super::lower::Settings;
use super::parse;
use super::story::Shown;
use super::syntax::{Expr, Unit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_model::builder::Builder;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Edge, Formulas, Machine, NodeId, Place, Span, TermId};

/// What must be true, and what may be.
type Truth = (bool, bool);

/// States with their successors; one number more stands for all that is not listed.
#[derive(Debug)]
pub struct Listed<'a> {
    interpreter: Interpreter<'a>,
    states: Vec<State<'a>>,
    next: Vec<Vec<usize>>,
    /// The states that lead to each.
    previous: Vec<Vec<usize>>,
    starts: Vec<usize>,
}

/// States as they are shown, one after the other, with the values of variables and those of the
/// labels that they have. `lines` says in which line something stands.
pub(super) fn shown_states<'s, 'a: 's>(
    interpreter: &Interpreter<'a>,
    states: impl IntoIterator<Item = &'s State<'a>>,
    (variables, labels): (&[String], &[String]),
    lines: impl Fn(Span) -> u32,
) -> Vec<Shown> {
    let meant: Vec<(&String, Meant<'_>)> =
        labels.iter().map(|name| (name, Meant::new(interpreter, name))).collect();
    let (mut shown, mut line) = (Vec::new(), 0);
    for state in states {
        // The end of a function stands nowhere.
        line = state.place().map_or(line, &lines);
        let has = |it: &&(&String, Meant<'_>)| it.1.is_true(interpreter, state);
        let labels = meant.iter().filter(|it| has(it) == Some(true)).map(|it| it.0.clone());
        shown.push(Shown {
            line: if state.label().is_some() { 0 } else { line },
            labels: labels.collect(),
            values: variables.iter().map(|name| state.visible(name)).collect(),
        });
    }
    shown
}

/// A state with so many values is a large one, and how many values there may be in large states.
const MANY_VALUES: usize = 100;
const MOST_VALUES: usize = 2_000_000;

/// How far states are listed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The largest number, whatever its sign, in states that are followed.
    pub size: i128,
    /// The most states that are followed.
    pub states: usize,
    /// Whether a list is of use only if it has all states: else it ends where one is left out.
    pub whole: bool,
}

/// Lists states from these on.
///
/// # Errors
/// What the interpreter does not treat.
pub fn explore<'a>(
    interpreter: Interpreter<'a>,
    starts: impl IntoIterator<Item = State<'a>>,
    bounds: Bounds,
) -> Result<Listed<'a>, Untreated> {
    explore_within(interpreter, starts, bounds, &Budget::unlimited())
}

/// As [`explore`]; states that the budget does not allow for are beyond the bounds.
///
/// # Errors
/// What the interpreter does not treat.
pub fn explore_within<'a>(
    interpreter: Interpreter<'a>,
    starts: impl IntoIterator<Item = State<'a>>,
    bounds: Bounds,
    budget: &Budget,
) -> Result<Listed<'a>, Untreated> {
    let (states, next, previous, begin) = Default::default();
    let mut listed = Listed { interpreter, states, next, previous, starts: begin };
    let mut numbers: FxHashMap<State<'a>, usize> = FxHashMap::default();
    let mut number = |state: State<'a>, states: &mut Vec<State<'a>>| {
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    for start in starts {
        listed.starts.push(number(start, &mut listed.states));
    }
    let beyond = usize::MAX;
    let (mut at, mut is_over, mut work) = (0, false, 0);
    while at < listed.states.len() {
        let state = listed.states[at].clone();
        let mut next = Vec::new();
        // A state may have thousands of successors.
        if work >= 256 {
            is_over |= budget.check().is_err();
            work = 0;
        }
        let states = match state.count() {
            0..MANY_VALUES => bounds.states,
            count => bounds.states.min(MOST_VALUES / count),
        };
        if state.size() > bounds.size || at >= states || is_over {
            next.push(beyond);
        } else {
            let found = interpreter.next(&state)?;
            next.extend(found.states.into_iter().map(|it| number(it, &mut listed.states)));
            next.extend(found.more.then_some(beyond));
        }
        is_over |= bounds.whole && next.contains(&beyond);
        work += 1 + next.len();
        listed.next.push(next);
        at += 1;
    }
    for to in listed.next.iter_mut().flatten().filter(|to| **to == beyond) {
        *to = listed.states.len();
    }
    listed.previous = vec![Vec::new(); listed.states.len() + 1];
    for (from, next) in listed.next.iter().enumerate() {
        next.iter().for_each(|&to| listed.previous[to].push(from));
    }
    Ok(listed)
}

impl Listed<'_> {
    /// A fixpoint: `rule` says what is true in a state, given what is true in the others.
    fn fixpoint(
        &self,
        from: bool,
        rule: impl Fn(usize, &[bool]) -> bool,
        beyond: bool,
    ) -> Vec<bool> {
        let mut set = vec![from; self.states.len()];
        set.push(beyond);
        // Rules are monotone: each state changes once at most.
        let mut todo: Vec<usize> = (0..self.states.len()).collect();
        while let Some(state) = todo.pop() {
            if set[state] == from && rule(state, &set) != from {
                set[state] = !from;
                todo.extend(&self.previous[state]);
            }
        }
        set
    }

    fn some(&self, state: usize, set: &[bool]) -> bool {
        self.next[state].iter().any(|&to| set[to])
    }

    fn next(&self, f: &[Truth]) -> Vec<Truth> {
        let (must, may) = split(f);
        let all = |set: &[bool], beyond| self.fixpoint(false, |at, _| self.some(at, set), beyond);
        join(&all(&must, false), &all(&may, true))
    }

    fn until(&self, f: &[Truth], g: &[Truth]) -> Vec<Truth> {
        let ((f_must, f_may), (g_must, g_may)) = (split(f), split(g));
        let rule = |f: Vec<bool>, g: Vec<bool>, beyond| {
            self.fixpoint(false, |at, set| g[at] || f[at] && self.some(at, set), beyond)
        };
        join(&rule(f_must, g_must, false), &rule(f_may, g_may, true))
    }

    fn always(&self, f: &[Truth]) -> Vec<Truth> {
        let (must, may) = split(f);
        let rule = |f: Vec<bool>, beyond| {
            self.fixpoint(true, |at, set| f[at] && self.some(at, set), beyond)
        };
        join(&rule(must, false), &rule(may, true))
    }

    /// Where a proposition is true; `None` if the interpreter does not know. Where it is about a
    /// variable that has no value yet, so that it may have any, it is not known.
    fn proposition(&self, name: &str) -> Option<Vec<Truth>> {
        let meant = Meant::new(&self.interpreter, name);
        let mut truth = Vec::new();
        for state in &self.states {
            truth.push(match meant.truth(&self.interpreter, state) {
                Ok(value) => (value, value),
                Err(Untreated::Unset(_)) => (false, true),
                Err(Untreated::Construct(_)) => return None,
            });
        }
        truth.push((false, true));
        Some(truth)
    }

    /// Which states have a run.
    fn live(&self) -> Vec<Truth> {
        let mut everywhere = vec![(true, true); self.states.len()];
        if self.interpreter.goes_on() {
            everywhere.push((true, true));
            return everywhere;
        }
        everywhere.push((false, true));
        self.always(&everywhere)
    }

    /// Whether there are states that the list begins with, and none of them has a run.
    pub fn has_no_run(&self) -> bool {
        let live = self.live();
        !self.starts.is_empty() && self.starts.iter().all(|&start| !live[start].1)
    }

    /// Whether a claim is true in all states that the list begins with; `None` if the list does not
    /// say.
    pub fn decide(&self, claim: &Program, formulas: &Formulas) -> Option<bool> {
        let truths = self.truths(claim, formulas)?;
        match truths.contains(&Some(false)) {
            true => Some(false),
            false => truths.iter().all(|truth| *truth == Some(true)).then_some(true),
        }
    }

    /// Whether a claim is true in each of the states that the list begins with.
    pub fn truths(&self, claim: &Program, formulas: &Formulas) -> Option<Vec<Option<bool>>> {
        let mut everywhere = vec![(true, true); self.states.len()];
        everywhere.push((false, true));
        let live = self.live();
        let mut terms: Table<TermId, Vec<Truth>> = Table::new();
        for (_, &term) in claim.terms.iter() {
            terms.push(match term {
                Term::True => everywhere.clone(),
                Term::Atom(atom) => self.proposition(formulas.atom_name(atom))?,
                Term::Not(f) => not(&terms[f]),
                Term::And(f, g) => both(&terms[f], &terms[g]),
                Term::Or(f, g) => not(&both(&not(&terms[f]), &not(&terms[g]))),
                Term::Ex(f) => self.next(&both(&terms[f], &live)),
                Term::Eu(f, g) => self.until(&terms[f], &both(&terms[g], &live)),
                Term::Eg(f) => self.always(&terms[f]),
            });
        }
        let root = &terms[claim.root];
        let truth = |&start: &usize| match (root[start], live[start]) {
            ((_, false), (true, _)) => Some(false),
            ((true, _), _) | (_, (_, false)) => Some(true),
            _ => None,
        };
        Some(self.starts.iter().map(truth).collect())
    }

    /// The states with these numbers as they are shown, one after the other. `lines` says in which
    /// line something stands.
    pub fn shown(
        &self,
        numbers: &[usize],
        names: (&[String], &[String]),
        lines: impl Fn(Span) -> u32,
    ) -> Option<Vec<Shown>> {
        let states: Vec<&State<'_>> =
            numbers.iter().map(|&number| self.states.get(number)).collect::<Option<_>>()?;
        Some(shown_states(&self.interpreter, states, names, lines))
    }

    /// The list as a machine that begins with some of its states, labelled with propositions. What
    /// is not listed is a node of which nothing is known. `None` if a proposition is not known, or
    /// if it is not known of all first states whether they have a run, or if none has.
    pub fn machine(&self, propositions: &[&str], starts: &[usize]) -> Option<Machine> {
        self.with_nodes(propositions, starts).map(|(machine, _)| machine)
    }

    /// The same, and the node of each state; the last is that of what is not listed.
    pub fn with_nodes(
        &self,
        propositions: &[&str],
        starts: &[usize],
    ) -> Option<(Machine, Vec<Option<NodeId>>)> {
        let live = self.live();
        // A state that may have no run is none that a claim is about for sure.
        if self.starts.iter().any(|&start| live[start].0 != live[start].1) {
            return None;
        }
        let truths: Option<Vec<Vec<Truth>>> =
            propositions.iter().map(|name| self.proposition(name)).collect();
        let mut builder = Builder::new();
        let program = builder.component("program");
        let mut nodes: Vec<Option<NodeId>> = Vec::new();
        for (state, (_, may)) in live.iter().enumerate() {
            nodes.push(may.then(|| builder.node(program, &format!("s{state}"))));
        }
        for (name, truth) in propositions.iter().zip(truths?) {
            for (node, truth) in nodes.iter().zip(truth) {
                match (node, truth) {
                    (Some(node), (true, _)) => builder.label(*node, name),
                    (Some(node), (false, true)) => builder.unknown_label(*node, name),
                    _ => {}
                }
            }
        }
        let around = [self.states.len()];
        for (from, node) in nodes.iter().enumerate() {
            let Some(node) = *node else { continue };
            let next: &[usize] = self.next.get(from).map_or(&around, Vec::as_slice);
            let mut seen = Vec::new();
            for &to in next {
                let Some(target) = nodes[to].filter(|it| !seen.contains(it)) else { continue };
                seen.push(target);
                match live[to].0 {
                    true => builder.edge(Place::Node(node), Edge::Step(target)),
                    false => builder.possible_edge(Place::Node(node), Edge::Step(target)),
                }
            }
        }
        let mut is_empty = true;
        for node in starts.iter().filter_map(|&start| nodes[*self.starts.get(start)?]) {
            is_empty = false;
            builder.entry(node);
            builder.initial(node);
        }
        if is_empty { None } else { Some((builder.finish().ok()?, nodes)) }
    }
}

fn split(truth: &[Truth]) -> (Vec<bool>, Vec<bool>) {
    truth.iter().copied().unzip()
}

fn join(must: &[bool], may: &[bool]) -> Vec<Truth> {
    must.iter().copied().zip(may.iter().copied()).collect()
}

fn both(left: &[Truth], right: &[Truth]) -> Vec<Truth> {
    left.iter().zip(right).map(|(a, b)| (a.0 && b.0, a.1 && b.1)).collect()
}

fn not(of: &[Truth]) -> Vec<Truth> {
    of.iter().map(|&(must, may)| (!may, !must)).collect()
}

/// A proposition as the interpreter evaluates it.
pub(super) struct Meant<'n> {
    name: &'n str,
    expr: Option<Expr>,
    is_label: bool,
}

impl<'n> Meant<'n> {
    pub(super) fn new(interpreter: &Interpreter<'_>, name: &'n str) -> Self {
        let (expr, is_label) = (parse::expression(name).ok(), interpreter.has_label(name));
        Meant { name, expr, is_label }
    }

    /// Whether it is true in a state; `None` if the interpreter does not know.
    pub(super) fn is_true<'a>(
        &self,
        interpreter: &Interpreter<'a>,
        state: &State<'a>,
    ) -> Option<bool> {
        self.truth(interpreter, state).ok()
    }

    fn truth<'a>(
        &self,
        interpreter: &Interpreter<'a>,
        state: &State<'a>,
    ) -> Result<bool, Untreated> {
        match (self.name, &self.expr) {
            ("exit" | "failed" | "error", _) => Ok(state.label() == Some(self.name)),
            _ if self.is_label => interpreter.is_at(state, self.name),
            (_, Some(expr)) => interpreter.is_true(state, expr),
            (_, None) => {
                Err(Untreated::Construct("a proposition that is no comparison".to_owned()))
            }
        }
    }
}

/// Whether a variable whose initial value is open cannot be named from outside.
pub(super) fn has_hidden(interpreter: &Interpreter<'_>) -> bool {
    interpreter.open().map_or(true, |open| open.iter().any(|name| name.contains(' ')))
}

/// Looks again at a claim from given initial values, by listing states; `None` if that decides
/// nothing.
pub fn replay(
    unit: &Unit,
    settings: &Settings,
    values: &BTreeMap<String, i128>,
    (claim, formulas): (&Program, &Formulas),
    budget: &Budget,
) -> Option<bool> {
    let unit = hoisted(unit);
    let interpreter = Interpreter::new(&unit, settings);
    if has_hidden(&interpreter) {
        return None;
    }
    let open = interpreter.freely_begun().ok()?;
    let mut own = values.clone();
    own.retain(|name, _| open.contains(name));
    let start = interpreter.start(&own).ok()??;
    if values.iter().any(|(name, value)| start.visible(name).is_some_and(|it| it != *value)) {
        // No state that it begins with.
        return None;
    }
    let bounds = Bounds { size: start.size().checked_add(100)?, states: 3000, whole: false };
    explore_within(interpreter, [start], bounds, budget).ok()?.decide(claim, formulas)
}
