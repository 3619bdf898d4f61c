//! Finds all states that can be reached from the initial ones, and their steps.
//!
//! A state is kept as the positions of its values in their domains, packed into words of 64 bits;
//! all states lie in one list, and are found again by hash. `EXIT` has the position behind the
//! last.

use super::eval::{Evaluator, Outcome};
use super::flat::Flat;
use super::system::{Slot, Stepper, System};
use super::terms::{Domain, Fault, TermId, Value, VarId};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Limit, Span};

/// A variable that may take more values than these at a time is too much for a list of states.
const MOST_CHOICES: usize = 1 << 22;

/// Where the value of a variable lies in a state.
#[derive(Clone, Copy, Debug)]
struct Field {
    var: VarId,
    word: usize,
    shift: u32,
    bits: u32,
}

/// How states are packed.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    fn new(vars: &[VarId], domains: &Table<VarId, Domain>) -> Self {
        let (mut fields, mut word, mut shift) = (Vec::with_capacity(vars.len()), 0, 0);
        for &var in vars {
            // The last position is that of `EXIT`.
            let bits = usize::BITS - domains[var].len().leading_zeros();
            if shift + bits > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            fields.push(Field { var, word, shift, bits });
            shift += bits;
        }
        Layout { fields, words: word + 1 }
    }

    fn pack(
        &self,
        domains: &Table<VarId, Domain>,
        value: impl Fn(VarId) -> Option<Value>,
    ) -> Vec<u64> {
        let mut words = vec![0; self.words];
        for field in &self.fields {
            let domain = &domains[field.var];
            let position = value(field.var).and_then(|value| domain.position(value));
            words[field.word] |= (position.unwrap_or(domain.len()) as u64) << field.shift;
        }
        words
    }
}

/// The states of a system, and their steps.
#[derive(Clone, Debug)]
pub(super) struct States {
    layout: Layout,
    packed: Vec<u64>,
    pub(super) count: usize,
    pub(super) initial: Vec<u32>,
    /// Where the steps of a state begin; one entry more than there are states.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl States {
    pub(super) fn successors(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state]..self.starts[state + 1]]
    }

    /// The variables of a state with their values, in the order of their declarations.
    pub(super) fn values<'a>(
        &'a self,
        domains: &'a Table<VarId, Domain>,
        state: usize,
    ) -> impl Iterator<Item = (VarId, Value)> + 'a {
        let words = &self.packed[state * self.layout.words..(state + 1) * self.layout.words];
        self.layout.fields.iter().map(move |field| {
            let mask = if field.bits == 64 { u64::MAX } else { (1 << field.bits) - 1 };
            let position = (words[field.word] >> field.shift & mask) as usize;
            let domain = &domains[field.var];
            let value = match position < domain.len() {
                true => domain.value(position),
                false => Value::Exit,
            };
            (field.var, value)
        })
    }

    /// Whether all variables are `EXIT`.
    pub(super) fn is_exit(&self, domains: &Table<VarId, Domain>, state: usize) -> bool {
        let mut values = self.values(domains, state).peekable();
        values.peek().is_some() && values.all(|(_, value)| value == Value::Exit)
    }
}

/// Why there are no states.
#[derive(Debug)]
pub(super) enum Stopped {
    Limit(Limit),
    /// Something has no value in a state that is reached; the values of the state, if it is known.
    Fault(Fault, TermId, Vec<(VarId, Value)>),
    /// A variable would get a value that it cannot have.
    Range {
        var: VarId,
        value: Value,
        span: Span,
        state: Vec<(VarId, Value)>,
    },
    TooMany,
}

impl From<Limit> for Stopped {
    fn from(limit: Limit) -> Self {
        Stopped::Limit(limit)
    }
}

struct Explorer<'a, 'm> {
    flat: &'a Flat,
    evaluator: Evaluator<'a>,
    meter: &'a mut Meter<'m>,
    states: States,
    index: HashTable<u32>,
}

/// All states of a system.
pub(super) fn explore(
    flat: &Flat,
    system: &System,
    meter: &mut Meter<'_>,
) -> Result<States, Stopped> {
    let states = States {
        layout: Layout::new(&system.vars, &flat.domains),
        packed: Vec::new(),
        count: 0,
        initial: Vec::new(),
        starts: vec![0],
        targets: Vec::new(),
    };
    let evaluator = Evaluator::new(&flat.terms, &flat.domains);
    let mut explorer = Explorer { flat, evaluator, meter, states, index: HashTable::new() };
    let mut found = Vec::new();
    explorer.step(&system.initial, None, &mut found)?;
    found.sort_unstable();
    found.dedup();
    explorer.states.initial = found.clone();
    let mut state = 0;
    while state < explorer.states.count {
        explorer.meter.tick()?;
        found.clear();
        if !(flat.has_calls && explorer.states.is_exit(&flat.domains, state)) {
            explorer.step(&system.step, Some(state), &mut found)?;
        }
        found.sort_unstable();
        found.dedup();
        explorer.states.targets.extend_from_slice(&found);
        explorer.states.starts.push(explorer.states.targets.len());
        state += 1;
    }
    Ok(explorer.states)
}

impl Explorer<'_, '_> {
    /// The states that a stepper puts together from a state.
    fn step(
        &mut self,
        stepper: &Stepper,
        from: Option<usize>,
        found: &mut Vec<u32>,
    ) -> Result<(), Stopped> {
        self.evaluator.new_state();
        let mut values = Vec::new();
        if let Some(state) = from {
            values.extend(self.states.values(&self.flat.domains, state));
        }
        for &(var, value) in &values {
            self.evaluator.set_now(var, Some(value));
        }
        for &constraint in &stepper.before {
            match self.evaluator.truth(constraint) {
                Ok(Some(true)) => {}
                Ok(_) => return Ok(()),
                Err((fault, term)) => return Err(Stopped::Fault(fault, term, values)),
            }
        }
        let slots = &stepper.slots;
        let Some(first) = slots.first() else { return self.add(found) };
        let mut choices: Vec<std::vec::IntoIter<Value>> = Vec::with_capacity(slots.len());
        choices.push(self.candidates(first, &values)?.into_iter());
        while let Some(choice) = choices.last_mut() {
            self.meter.tick()?;
            let value = choice.next();
            let depth = choices.len();
            let slot = &slots[depth - 1];
            match slot.is_input {
                true => self.evaluator.set_input(slot.var, value),
                false => self.evaluator.set_next(slot.var, value),
            }
            if value.is_none() {
                choices.pop();
                continue;
            }
            if !self.allowed(slot, &values)? {
                continue;
            }
            match slots.get(depth) {
                Some(next) => {
                    let candidates = self.candidates(next, &values)?;
                    choices.push(candidates.into_iter());
                }
                None => self.add(found)?,
            }
        }
        Ok(())
    }

    /// Whether no constraint that asks for a variable is false.
    fn allowed(&mut self, slot: &Slot, values: &[(VarId, Value)]) -> Result<bool, Stopped> {
        for &(constraint, is_last) in &slot.constraints {
            match self.evaluator.truth(constraint) {
                Ok(Some(false)) => return Ok(false),
                Ok(_) => {}
                Err((fault, term)) if is_last => {
                    return Err(Stopped::Fault(fault, term, values.to_vec()));
                }
                Err(_) => {}
            }
        }
        Ok(true)
    }

    /// The values that a variable may get.
    fn candidates(&mut self, slot: &Slot, state: &[(VarId, Value)]) -> Result<Vec<Value>, Stopped> {
        let domain = &self.flat.domains[slot.var];
        let has_exit = self.flat.has_calls;
        // What is `EXIT` stays so.
        if has_exit && state.contains(&(slot.var, Value::Exit)) {
            return Ok(vec![Value::Exit]);
        }
        if let Some((term, span)) = slot.value {
            let outcome = self.evaluator.evaluate(term);
            if let Outcome::Fault(fault, term) = outcome {
                return Err(Stopped::Fault(fault, term, state.to_vec()));
            }
            let values = self.evaluator.values(outcome);
            let fits =
                |value: Value| domain.position(value).is_some() || has_exit && value == Value::Exit;
            return match values.iter().find(|&&value| !fits(value)) {
                None => Ok(values),
                Some(&value) => {
                    let (var, state) = (slot.var, state.to_vec());
                    Err(Stopped::Range { var, value, span, state })
                }
            };
        }
        if let Some(term) = slot.equal
            && let Outcome::Value(value) = self.evaluator.evaluate(term)
        {
            return Ok(domain.position(value).map(|_| value).into_iter().collect());
        }
        if domain.len() > MOST_CHOICES {
            return Err(Stopped::TooMany);
        }
        Ok((0..domain.len()).map(|position| domain.value(position)).collect())
    }

    /// Adds the state that was put together.
    fn add(&mut self, found: &mut Vec<u32>) -> Result<(), Stopped> {
        let evaluator = &self.evaluator;
        let States { layout, packed, count, .. } = &mut self.states;
        let words = layout.pack(&self.flat.domains, |var| evaluator.next_value(var));
        let width = layout.words;
        let hash = |words: &[u64]| FxBuildHasher.hash_one(words);
        let at = |id: u32| &packed[id as usize * width..(id as usize + 1) * width];
        let entry = self.index.entry(hash(&words), |&id| at(id) == words, |&id| hash(at(id)));
        match entry {
            Entry::Occupied(known) => found.push(*known.get()),
            Entry::Vacant(free) => {
                let id = u32::try_from(*count).map_err(|_| Stopped::TooMany)?;
                free.insert(id);
                found.push(id);
                packed.extend_from_slice(&words);
                *count += 1;
            }
        }
        Ok(())
    }
}
