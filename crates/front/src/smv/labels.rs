//! Where propositions hold, and where calls are made.
//!
//! A proposition that only asks for the value of one variable is looked up in an index of the
//! states by that variable; one that compares a variable with a constant is held against a column
//! of its values; all others are evaluated in one pass over the states.

use super::eval::Evaluator;
use super::explore::{States, Stopped};
use super::flat::Flat;
use super::program::Part;
use super::spec::Propositions;
use super::terms::{Fault, Op, Term, TermId, Terms, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use tern_model::budget::Meter;
use tern_model::{Limit, Machine, NodeId};

/// The calls that are made in the states of a part.
pub(super) struct Calls {
    /// By state, the position of the call; two if there are two.
    of: Vec<[Option<u32>; 2]>,
}

impl Calls {
    /// The call that is made in a state.
    pub(super) fn call(&self, state: usize) -> Option<usize> {
        self.of[state][0].map(|call| call as usize)
    }

    /// Another call that would be made as well.
    pub(super) fn another(&self, state: usize) -> Option<usize> {
        self.of[state][1].map(|call| call as usize)
    }
}

/// Where propositions hold.
pub(super) struct Labels {
    pub(super) parts: Vec<Calls>,
    /// For each proposition, the parts, and the states of these.
    pub(super) states: Vec<Vec<(usize, Vec<u32>)>>,
}

impl Labels {
    pub(super) fn new(
        flat: &Flat,
        parts: &[Part],
        spaces: &[States],
        propositions: &Propositions,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stopped> {
        let mut found = Labels { parts: Vec::new(), states: Vec::new() };
        found.states.resize(propositions.list.len(), Vec::new());
        for (i, (part, states)) in parts.iter().zip(spaces).enumerate() {
            let mut terms: Vec<TermId> = part.calls.iter().map(|call| call.condition).collect();
            let mut owners: Vec<usize> = Vec::new();
            for (owner, (_, meaning)) in propositions.list.iter().enumerate() {
                let own = meaning.iter().filter(|it| it.root == part.root);
                for proposition in own {
                    terms.push(proposition.term);
                    owners.push(owner);
                }
            }
            let mut holds = where_true(flat, states, &terms, meter)?;
            let mut calls = Calls { of: vec![[None; 2]; states.count] };
            for (call, states) in holds.drain(..part.calls.len()).enumerate() {
                for state in states {
                    let of = &mut calls.of[state as usize];
                    let free = if of[0].is_none() { 0 } else { 1 };
                    of[free].get_or_insert(call as u32);
                }
            }
            found.parts.push(calls);
            for (owner, states) in owners.into_iter().zip(holds) {
                found.states[owner].push((i, states));
            }
        }
        Ok(found)
    }

    /// Labels the nodes.
    pub(super) fn put(
        self,
        machine: &mut Machine,
        propositions: &Propositions,
        nodes: &[Vec<Option<NodeId>>],
    ) {
        let mut labels: Vec<(&str, Vec<NodeId>)> = Vec::new();
        for ((name, _), states) in propositions.list.iter().zip(self.states) {
            let mut found: Vec<NodeId> = Vec::new();
            for (part, states) in states {
                let own = states.into_iter().filter_map(|state| nodes[part][state as usize]);
                // Mostly one part is all there is, and its list becomes that of the nodes in place.
                if found.is_empty() {
                    found = own.collect();
                } else {
                    found.extend(own);
                }
            }
            if !found.is_empty() {
                labels.push((name, found));
            }
        }
        machine.add_labels(labels);
    }
}

/// The states in which each of some conditions is true.
pub(super) fn where_true(
    flat: &Flat,
    states: &States,
    terms: &[TermId],
    meter: &mut Meter<'_>,
) -> Result<Vec<Vec<u32>>, Stopped> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); terms.len()];
    let mut index: FxHashMap<VarId, FxHashMap<Value, Vec<u32>>> = FxHashMap::default();
    let mut columns: FxHashMap<VarId, Vec<Value>> = FxHashMap::default();
    let (mut others, mut passed) = (Vec::new(), Vec::new());
    for (i, &term) in terms.iter().enumerate() {
        meter.tick()?;
        let asked = flat.terms.asked(term);
        let asked = asked.and_then(|(of, values)| match flat.terms.get(of) {
            Term::Now(var) => Some((var, values)),
            _ => None,
        });
        let Some((var, values)) = asked else {
            match compared(&flat.terms, term) {
                Some((var, test)) => {
                    let column = match columns.entry(var) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => new.insert(column(flat, states, var, meter)?),
                    };
                    found[i] = passing(column, test, &mut passed).to_vec();
                }
                None => others.push(i),
            }
            continue;
        };
        let by_value = match index.entry(var) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(by_value(flat, states, var, meter)?),
        };
        for value in values {
            found[i].extend(by_value.get(&value).into_iter().flatten());
        }
        found[i].sort_unstable();
    }
    if others.is_empty() {
        return Ok(found);
    }
    let mut evaluator = Evaluator::new(&flat.terms, &flat.domains);
    for state in 0..states.count {
        evaluator.new_state();
        for (var, value) in states.values(&flat.domains, state) {
            evaluator.set_now(var, Some(value));
        }
        for &i in &others {
            meter.tick()?;
            match evaluator.truth(terms[i]) {
                // States are counted in 32 bits.
                Ok(Some(true)) => found[i].push(state as u32),
                // At the end of a module there is nothing to compute with.
                Ok(_) | Err((Fault::Exit, _)) => {}
                Err((fault, term)) => {
                    let values = states.values(&flat.domains, state).collect();
                    return Err(Stopped::Fault(fault, term, values));
                }
            }
        }
    }
    Ok(found)
}

/// A comparison of a variable with a constant.
#[derive(Clone, Copy, Debug)]
struct Test {
    op: Op,
    with: Value,
    /// Whether the constant is on the left.
    swapped: bool,
    negated: bool,
}

impl Test {
    #[inline]
    fn is_true(self, value: Value) -> bool {
        let is_so = match (self.op, value, self.with) {
            (Op::Equal, ..) => value == self.with,
            (Op::Less, Value::Int(a), Value::Int(b)) if self.swapped => b < a,
            (Op::Less, Value::Int(a), Value::Int(b)) => a < b,
            (_, Value::Int(a), Value::Int(b)) if self.swapped => b <= a,
            (_, Value::Int(a), Value::Int(b)) => a <= b,
            // `EXIT` is neither less nor more than anything.
            _ => false,
        };
        is_so != self.negated
    }
}

/// The states whose value in a column passes a test. They are written over what `passed` held, all
/// without a branch: half of the states are no rare answer.
fn passing<'a>(column: &[Value], test: Test, passed: &'a mut Vec<u32>) -> &'a [u32] {
    passed.resize(column.len(), 0);
    let mut count = 0;
    for (state, &value) in (0..).zip(column) {
        passed[count] = state;
        count += usize::from(test.is_true(value));
    }
    &passed[..count]
}

/// The variable that a condition compares with a constant, and how.
fn compared(terms: &Terms, condition: TermId) -> Option<(VarId, Test)> {
    let (mut condition, mut negated) = (condition, false);
    while let Term::Not(inner) = terms.get(condition) {
        (condition, negated) = (inner, !negated);
    }
    let Term::Binary(op @ (Op::Equal | Op::Less | Op::AtMost), a, b) = terms.get(condition) else {
        return None;
    };
    let (var, with, swapped) = match (terms.get(a), terms.get(b)) {
        (Term::Now(var), Term::Const(with)) => (var, with, false),
        (Term::Const(with), Term::Now(var)) => (var, with, true),
        _ => return None,
    };
    Some((var, Test { op, with, swapped, negated }))
}

/// The value of a variable in each state.
fn column(
    flat: &Flat,
    states: &States,
    var: VarId,
    meter: &mut Meter<'_>,
) -> Result<Vec<Value>, Limit> {
    let mut values = Vec::with_capacity(states.count);
    for state in 0..states.count {
        meter.tick()?;
        let own = states.values(&flat.domains, state).find(|&(it, _)| it == var);
        values.extend(own.map(|(_, value)| value));
    }
    Ok(values)
}

/// The states by the value of a variable.
fn by_value(
    flat: &Flat,
    states: &States,
    var: VarId,
    meter: &mut Meter<'_>,
) -> Result<FxHashMap<Value, Vec<u32>>, Limit> {
    let mut lists: FxHashMap<Value, Vec<u32>> = FxHashMap::default();
    for state in 0..states.count {
        meter.tick()?;
        let own = states.values(&flat.domains, state).find(|&(it, _)| it == var);
        if let Some((_, value)) = own {
            lists.entry(value).or_default().push(state as u32);
        }
    }
    Ok(lists)
}
