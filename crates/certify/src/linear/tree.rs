//! One step of a tree of runs, rule by rule as in the header of
//! [`complement_state`](tern_model::complement_state).

use super::letters::{Letter, Letters};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::complement_state::Guess;
use tern_model::{Automaton, Id, Limit, StateId};

/// The pairs of a tree, each with its path.
pub(super) type Paths = Vec<(StateId, u32, Vec<u32>)>;

/// A node of a tree while a letter is read. All new nodes come after all old ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// It was there before, by this name.
    Old(u32),
    /// It is the new child of the node of this name.
    New(u32),
}

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The node of this name dies.
    Dies(u32),
    /// The node of this name flashes.
    Flashes(u32),
}

impl Event {
    /// The smaller, the more important.
    fn rank(self) -> (u32, bool) {
        match self {
            Event::Dies(name) => (name, false),
            Event::Flashes(name) => (name, true),
        }
    }
}

/// Whether all pairs exist, they are sorted, and each has a path. Nothing else need be asked: where
/// any such value leads is defined, and only those that can be reached matter.
pub(super) fn is_sound(automaton: &Automaton, paths: &Paths) -> bool {
    let exists = |(state, counter, path): &(StateId, u32, Vec<u32>)| {
        state.index() < automaton.state_count()
            && *counter < automaton.mark_count.max(1)
            && !path.is_empty()
    };
    let key = |(state, counter, _): &(StateId, u32, Vec<u32>)| (*state, *counter);
    paths.iter().all(exists) && paths.windows(2).all(|pair| key(&pair[0]) < key(&pair[1]))
}

/// The tree before the first letter.
pub(super) fn first(initial: &[StateId]) -> Paths {
    let states: BTreeSet<StateId> = initial.iter().copied().collect();
    states.into_iter().map(|state| (state, 0, vec![0])).collect()
}

/// Where a counter goes by a transition with these marks, and whether the transition counts.
fn count(mut counter: u32, marks: u64, mark_count: u32) -> (u32, bool) {
    while counter < mark_count && marks >> counter & 1 == 1 {
        counter += 1;
    }
    if counter >= mark_count { (0, true) } else { (counter, false) }
}

/// The tree after a letter, and the most important event.
pub(super) fn step(
    letters: &Letters<'_>,
    paths: &Paths,
    letter: &Letter,
    meter: &mut Meter<'_>,
) -> Result<(Paths, Option<Event>), Limit> {
    let mark_count = letters.claim.automaton.mark_count;
    // Rules 1 and 2.
    let mut next: BTreeMap<(StateId, u32), Vec<Node>> = BTreeMap::new();
    for (state, counter, path) in paths {
        for way in letters.ways(*state, letter) {
            meter.tick()?;
            let (counter, counts) = count(*counter, way.marks, mark_count);
            let child = path.last().filter(|_| counts).map(|&name| Node::New(name));
            let path: Vec<Node> = path.iter().map(|&name| Node::Old(name)).chain(child).collect();
            let kept = next.entry((way.to, counter)).or_insert_with(|| path.clone());
            if is_better(&path, kept) {
                *kept = path;
            }
        }
    }
    // Rule 3. Nodes above come first on a path, so the first that flashes has none above that does.
    let lasts: BTreeSet<Node> = next.values().filter_map(|path| path.last().copied()).collect();
    let mut events = Vec::new();
    for path in next.values_mut() {
        if let Some(at) = path.iter().position(|node| !lasts.contains(node)) {
            path.truncate(at + 1);
            if let Node::Old(name) = path[at] {
                events.push(Event::Flashes(name));
            }
        }
    }
    // Rule 4.
    let alive: BTreeSet<Node> = next.values().flatten().copied().collect();
    let names: BTreeSet<u32> = paths.iter().flat_map(|(_, _, path)| path).copied().collect();
    let dead = names.into_iter().filter(|&name| !alive.contains(&Node::Old(name)));
    events.extend(dead.map(Event::Dies));
    let renamed: BTreeMap<Node, u32> = alive.into_iter().zip(0..).collect();
    let paths = next.into_iter().map(|((state, counter), path)| {
        (state, counter, path.iter().map(|node| renamed[node]).collect())
    });
    Ok((paths.collect(), events.into_iter().min_by_key(|event| event.rank())))
}

/// Whether a path goes through the older node where it parts from another, or goes on where the
/// other ends.
fn is_better(path: &[Node], other: &[Node]) -> bool {
    let parting = path.iter().zip(other).find(|(one, another)| one != another);
    parting.map_or(path.len() > other.len(), |(one, another)| one < another)
}

/// What may be guessed after a step, each with whether the transition is marked.
pub(super) fn guesses(guess: Guess, event: Option<Event>) -> Vec<(bool, Guess)> {
    match (guess, event) {
        (Guess::Quiet, None) => vec![(true, Guess::Quiet)],
        (Guess::Quiet, Some(_)) => Vec::new(),
        (Guess::Nothing | Guess::Dies(_), None) => vec![(false, guess)],
        (Guess::Nothing, Some(Event::Flashes(_))) => {
            vec![(false, Guess::Nothing), (false, Guess::Quiet)]
        }
        (Guess::Nothing, Some(Event::Dies(name))) => {
            vec![(false, Guess::Nothing), (false, Guess::Quiet), (false, Guess::Dies(name))]
        }
        (Guess::Dies(name), Some(event)) => {
            let awaited = Event::Dies(name);
            match event.rank().cmp(&awaited.rank()) {
                std::cmp::Ordering::Less => Vec::new(),
                std::cmp::Ordering::Equal => vec![(true, guess)],
                std::cmp::Ordering::Greater => vec![(false, guess)],
            }
        }
    }
}
