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
use std::ops::Range;
use tern_model::budget::Meter;
use tern_model::subsets::Subsets;
use tern_model::{Id, Limit, Machine, NodeId};

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

tern_model::indices! {
    /// A state of a part.
    pub(super) StateNo = "s";
    /// A condition among those that are asked for.
    pub(super) AskedId = "q";
}

/// The states in which conditions are true.
type Found = Subsets<AskedId, StateNo>;

/// Where propositions hold.
pub(super) struct Labels {
    pub(super) parts: Vec<Calls>,
    /// By part.
    found: Vec<Found>,
    /// For each proposition, the parts that have it, and which condition it is there.
    of: Vec<Vec<(usize, AskedId)>>,
}

impl Labels {
    pub(super) fn new(
        flat: &Flat,
        parts: &[Part],
        spaces: &[States],
        propositions: &Propositions,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stopped> {
        let of = vec![Vec::new(); propositions.list.len()];
        let mut labels = Labels { parts: Vec::new(), found: Vec::new(), of };
        for (i, (part, states)) in parts.iter().zip(spaces).enumerate() {
            let mut terms: Vec<TermId> = part.calls.iter().map(|call| call.condition).collect();
            for (of, (_, meaning)) in labels.of.iter_mut().zip(&propositions.list) {
                for proposition in meaning.iter().filter(|it| it.root == part.root) {
                    of.push((i, AskedId::new(terms.len())));
                    terms.push(proposition.term);
                }
            }
            let found = where_true(flat, states, &terms, meter)?;
            let mut calls = Calls { of: vec![[None; 2]; states.count] };
            for call in 0..part.calls.len() {
                for state in found.of(AskedId::new(call)) {
                    let of = &mut calls.of[state.index()];
                    let free = if of[0].is_none() { 0 } else { 1 };
                    of[free].get_or_insert(call as u32);
                }
            }
            labels.parts.push(calls);
            labels.found.push(found);
        }
        Ok(labels)
    }

    /// The states of a part in which a proposition, given by its position, holds.
    pub(super) fn states(
        &self,
        proposition: usize,
        part: usize,
    ) -> impl Iterator<Item = usize> + '_ {
        let own = self.of[proposition].iter().filter(move |&&(of, _)| of == part);
        own.flat_map(move |&(_, asked)| self.found[part].of(asked)).map(StateNo::index)
    }

    /// Labels the nodes.
    pub(super) fn put(
        self,
        machine: &mut Machine,
        propositions: &Propositions,
        nodes: &[Vec<Option<NodeId>>],
    ) {
        let nodes_of = |of: &[(usize, AskedId)]| -> Vec<NodeId> {
            let states = of.iter().flat_map(|&(part, asked)| {
                let states = self.found[part].of(asked).into_iter();
                states.map(move |state| (part, state.index()))
            });
            states.filter_map(|(part, state)| nodes[part][state]).collect()
        };
        // Mostly there is one part, and its states are the nodes.
        let is_same = |(state, node): (usize, &Option<NodeId>)| *node == Some(NodeId::new(state));
        let are_same = nodes.len() == 1 && nodes[0].iter().enumerate().all(is_same);
        for ((name, _), of) in propositions.list.iter().zip(&self.of) {
            if let ([(part, asked)], true) = (&of[..], are_same)
                && let Some(bits) = self.found[*part].of(*asked).bits()
            {
                machine.add_label_bits(name, bits);
                continue;
            }
            let nodes = nodes_of(of);
            if !nodes.is_empty() {
                machine.add_labels([(name.as_str(), nodes)]);
            }
        }
    }
}

/// The states in which each of some conditions is true.
pub(super) fn where_true(
    flat: &Flat,
    states: &States,
    terms: &[TermId],
    meter: &mut Meter<'_>,
) -> Result<Found, Stopped> {
    let mut found: Found = Subsets::new(states.count);
    let mut evaluated = evaluated(flat, states, terms, meter)?;
    let mut index: FxHashMap<VarId, FxHashMap<Value, Vec<StateNo>>> = FxHashMap::default();
    let mut columns: FxHashMap<VarId, Column> = FxHashMap::default();
    let mut row: Vec<u64> = Vec::new();
    for &term in terms {
        meter.tick()?;
        match Asked::of(&flat.terms, term) {
            Asked::Values(var, values) => {
                let by_value = match index.entry(var) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(by_value(flat, states, var, meter)?),
                };
                let lists = values.iter().filter_map(|value| by_value.get(value));
                let mut all: Vec<StateNo> = lists.flatten().copied().collect();
                all.sort_unstable();
                found.push(&all);
            }
            Asked::Compared(var, test) => {
                let column = match columns.entry(var) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(Column::new(flat, states, var, meter)?),
                };
                column.passing(test, &mut row);
                found.push_bits(&row);
            }
            Asked::Evaluated => {
                found.push_bits(&evaluated.next().expect("a row for each"));
            }
        }
    }
    Ok(found)
}

/// The states in which those conditions are true for which there is no shorter way, one row each.
fn evaluated(
    flat: &Flat,
    states: &States,
    terms: &[TermId],
    meter: &mut Meter<'_>,
) -> Result<impl Iterator<Item = Vec<u64>> + use<>, Stopped> {
    let is_evaluated = |term: &TermId| matches!(Asked::of(&flat.terms, *term), Asked::Evaluated);
    let terms: Vec<TermId> = terms.iter().copied().filter(is_evaluated).collect();
    let mut rows = vec![vec![0u64; states.count.div_ceil(64)]; terms.len()];
    let count = if terms.is_empty() { 0 } else { states.count };
    let mut evaluator = Evaluator::new(&flat.terms, &flat.domains);
    for state in 0..count {
        evaluator.new_state();
        for (var, value) in states.values(&flat.domains, state) {
            evaluator.set_now(var, Some(value));
        }
        for (&term, row) in terms.iter().zip(&mut rows) {
            meter.tick()?;
            match evaluator.truth(term) {
                Ok(Some(true)) => row[state / 64] |= 1 << (state % 64),
                // At the end of a module there is nothing to compute with.
                Ok(_) | Err((Fault::Exit, _)) => {}
                Err((fault, term)) => {
                    let values = states.values(&flat.domains, state).collect();
                    return Err(Stopped::Fault(fault, term, values));
                }
            }
        }
    }
    Ok(rows.into_iter())
}

/// How the states are found in which a condition is true.
enum Asked {
    /// It asks whether a variable has one of some values.
    Values(VarId, Vec<Value>),
    Compared(VarId, Test),
    Evaluated,
}

impl Asked {
    fn of(terms: &Terms, term: TermId) -> Self {
        if let Some((of, values)) = terms.asked(term)
            && let Term::Now(var) = terms.get(of)
        {
            return Asked::Values(var, values);
        }
        match compared(terms, term) {
            Some((var, test)) => Asked::Compared(var, test),
            None => Asked::Evaluated,
        }
    }
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

/// The value of a variable in each state, as its position among the values that occur.
struct Column {
    /// Those values, sorted; numbers are in their order.
    values: Vec<Value>,
    /// By state.
    positions: Vec<u32>,
}

impl Column {
    fn new(flat: &Flat, states: &States, var: VarId, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut column: Vec<Value> = Vec::with_capacity(states.count);
        for state in 0..states.count {
            meter.tick()?;
            let own = states.values(&flat.domains, state).find(|&(it, _)| it == var);
            column.extend(own.map(|(_, value)| value));
        }
        let mut values = column.clone();
        values.sort_unstable();
        values.dedup();
        let position = |value| values.partition_point(|it| it < value) as u32;
        let positions = column.iter().map(position).collect();
        Ok(Column { values, positions })
    }

    /// The values that a comparison is true of, before it is negated: they follow each other.
    fn range(&self, test: Test) -> Range<u32> {
        let below = |value: Value| self.values.partition_point(|&it| it < value) as u32;
        let up_to = |value: Value| self.values.partition_point(|&it| it <= value) as u32;
        let (least, most) = (Value::Int(i64::MIN), Value::Int(i64::MAX));
        match (test.op, test.with) {
            (Op::Equal, with) => below(with)..up_to(with),
            // `EXIT` and names are neither less nor more than anything.
            (_, Value::Bool(_) | Value::Symbol(_) | Value::Exit) => 0..0,
            (Op::Less, with) if test.swapped => up_to(with)..up_to(most),
            (Op::Less, with) => below(least)..below(with),
            (_, with) if test.swapped => below(with)..up_to(most),
            (_, with) => below(least)..up_to(with),
        }
    }

    /// Writes a row of bits: in which states a test is passed. All values are compared without a
    /// branch: half of the states are no rare answer.
    fn passing(&self, test: Test, row: &mut Vec<u64>) {
        let Range { start, end } = self.range(test);
        let count = end.saturating_sub(start);
        row.clear();
        row.extend(self.positions.chunks(64).map(|chunk| {
            let bits = chunk.iter().enumerate().fold(0, |bits, (i, position)| {
                bits | u64::from(position.wrapping_sub(start) < count) << i
            });
            match test.negated {
                true => !bits & (!0 >> (64 - chunk.len())),
                false => bits,
            }
        }));
    }
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

/// The states by the value of a variable.
fn by_value(
    flat: &Flat,
    states: &States,
    var: VarId,
    meter: &mut Meter<'_>,
) -> Result<FxHashMap<Value, Vec<StateNo>>, Limit> {
    let mut lists: FxHashMap<Value, Vec<StateNo>> = FxHashMap::default();
    for state in 0..states.count {
        meter.tick()?;
        let own = states.values(&flat.domains, state).find(|&(it, _)| it == var);
        if let Some((_, value)) = own {
            lists.entry(value).or_default().push(StateNo::new(state));
        }
    }
    Ok(lists)
}
