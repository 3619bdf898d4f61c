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
use super::syntax::Unit;
use std::collections::{BTreeMap, HashMap};
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Formulas, TermId};

/// What must be true, and what may be.
type Truth = (bool, bool);

/// States with their successors; one number more stands for all that is not listed.
#[derive(Debug)]
pub struct Listed<'a> {
    interpreter: Interpreter<'a>,
    states: Vec<State<'a>>,
    next: Vec<Vec<usize>>,
    starts: Vec<usize>,
}

/// How far states are listed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The largest number, whatever its sign, in states that are followed.
    pub size: i128,
    /// The most states that are followed.
    pub states: usize,
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
    let (states, next) = (Vec::new(), Vec::new());
    let mut listed = Listed { interpreter, states, next, starts: Vec::new() };
    let mut numbers: HashMap<State<'a>, usize> = HashMap::new();
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
    let mut at = 0;
    while at < listed.states.len() {
        let state = listed.states[at].clone();
        let mut next = Vec::new();
        if state.size() > bounds.size || at >= bounds.states {
            next.push(beyond);
        } else {
            let found = interpreter.next(&state)?;
            next.extend(found.states.into_iter().map(|it| number(it, &mut listed.states)));
            next.extend(found.more.then_some(beyond));
        }
        listed.next.push(next);
        at += 1;
    }
    for to in listed.next.iter_mut().flatten().filter(|to| **to == beyond) {
        *to = listed.states.len();
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
        loop {
            let mut changed = false;
            for state in (0..self.states.len()).rev() {
                let now = rule(state, &set);
                changed |= now != set[state];
                set[state] = now;
            }
            if !changed {
                return set;
            }
        }
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

    /// Where a proposition is true; `None` if the interpreter does not know.
    fn proposition(&self, name: &str) -> Option<Vec<Truth>> {
        let expr = parse::expression(name).ok();
        let mut truth = Vec::new();
        for state in &self.states {
            let value = match name {
                "exit" | "failed" | "error" => state.label() == Some(name),
                _ => self.interpreter.is_true(state, expr.as_ref()?).ok()?,
            };
            truth.push((value, value));
        }
        truth.push((false, true));
        Some(truth)
    }

    /// Whether a claim is true in all states that the list begins with; `None` if the list does not
    /// say.
    pub fn decide(&self, claim: &Program, formulas: &Formulas) -> Option<bool> {
        let mut everywhere = vec![(true, true); self.states.len()];
        everywhere.push((false, true));
        let live = self.always(&everywhere);
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
        if self.starts.iter().any(|&start| !root[start].1 && live[start].0) {
            return Some(false);
        }
        self.starts.iter().all(|&start| root[start].0 || !live[start].1).then_some(true)
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

/// Looks again at a claim from given initial values, by listing states; `None` if that decides
/// nothing.
pub fn replay(
    unit: &Unit,
    settings: &Settings,
    values: &BTreeMap<String, i128>,
    claim: &Program,
    formulas: &Formulas,
) -> Option<bool> {
    let unit = hoisted(unit);
    let interpreter = Interpreter::new(&unit, settings);
    let start = interpreter.start(values).ok()??;
    let bounds = Bounds { size: start.size().checked_add(100)?, states: 3000 };
    explore(interpreter, [start], bounds).ok()?.decide(claim, formulas)
}
