//! Whether an automaton accepts a word that repeats itself, by the definition of acceptance.
//!
//! A *pair* is a position of the word and a state of the automaton before it reads there; there are
//! finitely many, because after the last position comes the first of the cycle again. A run of the
//! automaton is a path along pairs. It is accepting exactly if the pairs that it comes to again and
//! again are linked by transitions that carry all marks. So one looks for a pair at the beginning
//! of the cycle that can be reached, and then at all that it reaches and is reached from: if the
//! transitions inside carry all marks together, they can all be taken again and again; and the
//! pairs that an accepting run comes to again and again have such a pair among them, and lie
//! inside.

use super::letters::Letters;
use std::collections::BTreeSet;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::{Id, Limit, NodeId, StateId};

/// Whether the word is accepted that shows these nodes, and repeats itself from a position on.
/// There is such a position.
pub(super) fn is_accepted(
    letters: &Letters<'_>,
    shown: &[Option<NodeId>],
    begin: usize,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    let automaton = letters.claim.automaton;
    let mut here: BTreeSet<StateId> = automaton.initial.iter().copied().collect();
    for &node in &shown[..begin] {
        let letter = letters.of(node);
        let mut next = BTreeSet::new();
        for &state in &here {
            meter.tick()?;
            next.extend(letters.ways(state, &letter).map(|way| way.to));
        }
        here = next;
    }
    // Pairs on the cycle, by number: position times the count of states, plus the state.
    let states = automaton.state_count();
    let positions = shown.len() - begin;
    let mut edges: Vec<(usize, Marks, usize)> = Vec::new();
    for (position, &node) in shown[begin..].iter().enumerate() {
        let letter = letters.of(node);
        let next = (position + 1) % positions;
        for state in 0..states {
            meter.tick()?;
            let ways = letters.ways(StateId::new(state), &letter);
            let pair = |position: usize, state: usize| position * states + state;
            edges.extend(
                ways.map(|way| (pair(position, state), way.marks, pair(next, way.to.index()))),
            );
        }
    }
    let mut ahead = vec![Vec::new(); positions * states];
    let mut behind = vec![Vec::new(); positions * states];
    for &(from, _, to) in &edges {
        meter.tick()?;
        ahead[from].push(to);
        behind[to].push(from);
    }
    let reached = spread(&ahead, here.iter().map(|state| state.index()), meter)?;
    let all = all_marks(automaton.mark_count);
    for pair in (0..states).filter(|&pair| reached[pair]) {
        let after = spread(&ahead, [pair], meter)?;
        let before = spread(&behind, [pair], meter)?;
        let inside = |pair: usize| after[pair] && before[pair];
        // There is a transition inside only if the pair reaches itself, since all of it would lie
        // on a way back.
        let mut found: Option<Marks> = None;
        for &(from, marks, to) in &edges {
            meter.tick()?;
            if inside(from) && inside(to) {
                found = Some(found.unwrap_or(0) | marks);
            }
        }
        if found.is_some_and(|marks| marks & all == all) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What can be reached from some pairs, these included.
fn spread(
    next: &[Vec<usize>],
    from: impl IntoIterator<Item = usize>,
    meter: &mut Meter<'_>,
) -> Result<Vec<bool>, Limit> {
    let mut seen = vec![false; next.len()];
    let mut open: Vec<usize> = from.into_iter().collect();
    while let Some(pair) = open.pop() {
        meter.tick()?;
        if !std::mem::replace(&mut seen[pair], true) {
            open.extend(&next[pair]);
        }
    }
    Ok(seen)
}
