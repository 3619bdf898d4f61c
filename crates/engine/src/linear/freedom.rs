//! What an automaton could do if anything might be read: where a program has a hole.
//!
//! A state accepts *some* word if it gets, on letters of any choice, to a strongly connected
//! component of the automaton that has all marks. Letters are tried one by one; where they are
//! more than [`MOST_PROPOSITIONS`] allow, every state is taken to accept something, which costs a
//! verdict at worst.

use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;
use tern_automata::Reader;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::index::{Numbering, Table};
use tern_model::scc::{Components, SccId};
use tern_model::{Acceptor, Limit, StateId, indices};

/// Of how many propositions all letters are tried.
const MOST_PROPOSITIONS: usize = 12;

indices! {
    /// A state that can be reached when anything is read.
    Reached = "r";
}

/// Which of some states accept some word, in their order.
pub(super) fn accept_some<A: Acceptor>(
    reader: &mut Reader<A>,
    states: &[StateId],
    meter: &mut Meter<'_>,
) -> Result<Vec<bool>, Limit> {
    let width = reader.acceptor().propositions().len();
    if width > MOST_PROPOSITIONS {
        return Ok(vec![true; states.len()]);
    }
    let letters: Vec<_> = (0..1usize << width)
        .map(|word| {
            let mut letter = FixedBitSet::with_capacity(width);
            letter.extend((0..width).filter(|&bit| word >> bit & 1 == 1));
            reader.letter(&letter)
        })
        .collect();
    let mut reached: Numbering<Reached, StateId> = Numbering::default();
    for &state in states {
        reached.id(state);
    }
    let mut steps: Table<Reached, BTreeMap<Reached, Marks>> = Table::new();
    while steps.len() < reached.rows().len() {
        let state = reached[steps.next_id()];
        let mut own: BTreeMap<Reached, Marks> = BTreeMap::new();
        for &letter in &letters {
            for i in reader.read(state, letter)? {
                meter.tick()?;
                let (marks, to) = reader.step(i);
                // Round and round, another letter may be read each time.
                *own.entry(reached.id(to)).or_default() |= marks;
            }
        }
        steps.push(own);
    }
    let components = Components::new(steps.len(), |state| steps[state].keys().copied(), meter)?;
    let mut inside: Table<SccId, Option<Marks>> = Table::filled(None, components.len());
    for (from, own) in steps.iter() {
        for (&to, &marks) in own {
            if components.of(from) == components.of(to) {
                *inside[components.of(from)].get_or_insert(0) |= marks;
            }
        }
    }
    // Marks of pairs need not be carried: their premises may be avoided, perhaps.
    let all = all_marks(reader.acceptor().mark_count() - reader.acceptor().pair_count());
    let mut accepts: Table<SccId, bool> =
        inside.into_iter().map(|marks| marks.is_some_and(|marks| marks & all == all)).collect();
    // What is reached from a component comes before it.
    for &state in components.all_members() {
        if steps[state].keys().any(|&to| accepts[components.of(to)]) {
            accepts[components.of(state)] = true;
        }
    }
    let of = |state: &StateId| reached.find(state).is_some_and(|it| accepts[components.of(it)]);
    Ok(states.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_automata::{Tableau, join_parallel};
    use tern_model::{Budget, Formulas, Obligation};
    use tern_testkit::sketch;

    #[test]
    fn states_accept_something_exactly_if_their_formula_can_be_true() {
        let budget = Budget::unlimited();
        for (text, expected) in [
            ("G p", true),
            ("& G p F ! p", false),
            ("& G F p G F ! p", true),
            ("& F G p G F ! p", false),
            ("X X & p ! p", false),
            ("& U p q G ! q", false),
            ("& | U p q G p G ! q", true),
            ("true", true),
            ("false", false),
        ] {
            let mut formulas = Formulas::new();
            let formula = sketch::formula(&mut formulas, text);
            let mut tableau = Tableau::new(&formulas, Obligation { formula, holds: true }, &budget);
            let initial = tableau.initial();
            let mut reader = Reader::new(&mut tableau, join_parallel);
            let found = accept_some(&mut reader, &initial, &mut Meter::new(&budget));
            assert_eq!(found, Ok(vec![expected]), "{text}");
        }
    }
}
