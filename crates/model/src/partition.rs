//! Refines a partition until it is stable: things of one class cannot be told apart by where they
//! lead.
//!
//! Things are told apart by *signatures*. A signature says, in terms of the classes so far, where a
//! thing leads; things of a class with different signatures are put into different classes, until
//! there are none. The result is the coarsest partition that is finer than the first one and
//! stable, whatever the order of work.
//!
//! When a class is divided, its largest part keeps the name, and only those look at their
//! signatures again that lead to one of the other parts. So a thing gets a new name at most log n
//! times: a part with a new name is at most half of what it was a part of.
//!
//! # Invariants
//! * All members of a class that need not look again have the same signature.
//! * A class whose members are to look again is waiting.
//!
//! # Cost
//! With n things and m pairs of a thing and one that leads to it: at most m log n signatures, each
//! computed once for a change of where the thing leads.
//!
//! # Source
//! Hopcroft: An n log n algorithm for minimizing states in a finite automaton, 1971 (the largest
//! part keeps the name); Blom, Orzan: Distributed branching bisimulation reduction of state spaces,
//! 2003 (signatures).

use crate::budget::Limit;
use crate::index::{Id, Lists, Table};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::hash::Hash;

crate::indices! {
    /// A class of a partition.
    pub ClassId = "k";
}

/// The classes of some things, numbered in the order of their first members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition<I> {
    /// The class of each thing.
    pub of: Table<I, ClassId>,
    /// The first member of each class.
    pub first: Table<ClassId, I>,
}

impl<I: Id> Partition<I> {
    /// Each thing a class of its own.
    pub fn discrete(count: usize) -> Self {
        Partition {
            of: (0..count).map(ClassId::new).collect(),
            first: (0..count).map(I::new).collect(),
        }
    }

    /// Things of equal keys together.
    pub fn by_key<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut known: FxHashMap<K, ClassId> = FxHashMap::default();
        let mut partition = Partition { of: Table::new(), first: Table::new() };
        for (number, key) in keys.into_iter().enumerate() {
            let class = *known.entry(key).or_insert_with(|| partition.first.push(I::new(number)));
            partition.of.push(class);
        }
        partition
    }

    /// The coarsest stable partition that is finer than this one. `before` says of each thing which
    /// others lead to it: those whose signature depends on its class.
    ///
    /// # Errors
    /// What computing a signature gives.
    pub fn refined<S: Eq + Hash>(
        self,
        before: &Lists<I, I>,
        mut signature: impl FnMut(I, &Table<I, ClassId>) -> Result<S, Limit>,
    ) -> Result<Self, Limit> {
        let mut work = Refinement::new(self);
        while let Some(class) = work.waiting.pop() {
            work.look(class, before, &mut signature)?;
        }
        debug_assert!(work.check_positions());
        Ok(Partition::by_key(work.of))
    }
}

/// A partition in the making.
struct Refinement<I> {
    of: Table<I, ClassId>,
    members: Table<ClassId, Vec<I>>,
    /// Where each thing is among the members of its class.
    position: Table<I, usize>,
    /// The members of each class that are to look at their signature again.
    unsure: Table<ClassId, Vec<I>>,
    is_unsure: FixedBitSet,
    /// The classes with such members.
    waiting: Vec<ClassId>,
}

/// The part of the members of a class that have one signature.
struct Part<I> {
    members: Vec<I>,
    /// Whether all members belong to it that need not look again.
    with_sure: bool,
}

impl<I: Id> Refinement<I> {
    /// All things are to look at their signatures.
    fn new(partition: Partition<I>) -> Self {
        let mut members: Table<ClassId, Vec<I>> = Table::filled(Vec::new(), partition.first.len());
        let mut position = Table::new();
        for (thing, &class) in partition.of.iter() {
            position.push(members[class].len());
            members[class].push(thing);
        }
        let mut is_unsure = FixedBitSet::with_capacity(partition.of.len());
        is_unsure.insert_range(..);
        Refinement {
            of: partition.of,
            waiting: members.ids().collect(),
            unsure: members.clone(),
            members,
            position,
            is_unsure,
        }
    }

    /// Divides a class by the signatures of its members.
    fn look<S: Eq + Hash>(
        &mut self,
        class: ClassId,
        before: &Lists<I, I>,
        signature: &mut impl FnMut(I, &Table<I, ClassId>) -> Result<S, Limit>,
    ) -> Result<(), Limit> {
        let unsure = std::mem::take(&mut self.unsure[class]);
        let sure = self.members[class].len() - unsure.len();
        let mut parts: Vec<Part<I>> = Vec::new();
        let mut known: FxHashMap<S, usize> = FxHashMap::default();
        if let Some(one) = self.sure_members(class).next() {
            known.insert(signature(one, &self.of)?, 0);
            parts.push(Part { members: Vec::new(), with_sure: true });
        }
        for &thing in &unsure {
            let next = parts.len();
            let part = *known.entry(signature(thing, &self.of)?).or_insert(next);
            if part == next {
                parts.push(Part { members: Vec::new(), with_sure: false });
            }
            parts[part].members.push(thing);
        }
        let size = |part: &Part<I>| part.members.len() + if part.with_sure { sure } else { 0 };
        let kept =
            (0..parts.len()).max_by_key(|&at| size(&parts[at])).map(|at| parts.swap_remove(at));
        for part in parts.iter_mut().filter(|part| part.with_sure) {
            part.members.extend(self.sure_members(class));
        }
        debug_assert!(kept.is_some(), "a class that waits has members");
        unsure.iter().for_each(|&thing| self.is_unsure.set(thing.index(), false));
        let first = self.members.len();
        parts.into_iter().for_each(|part| self.divide(class, part.members));
        // Not before all have their names.
        for class in (first..self.members.len()).map(ClassId::new) {
            self.doubt(class, before);
        }
        Ok(())
    }

    /// The members of a class that need not look again.
    fn sure_members(&self, class: ClassId) -> impl Iterator<Item = I> {
        let members = self.members[class].iter().copied();
        members.filter(|thing| !self.is_unsure.contains(thing.index()))
    }

    /// Makes some members of a class a class of their own.
    fn divide(&mut self, class: ClassId, part: Vec<I>) {
        let new = self.unsure.push(Vec::new());
        for (at, &thing) in part.iter().enumerate() {
            let (list, gap) = (&mut self.members[class], self.position[thing]);
            list.swap_remove(gap);
            if let Some(&moved) = list.get(gap) {
                self.position[moved] = gap;
            }
            self.position[thing] = at;
            self.of[thing] = new;
        }
        self.members.push(part);
    }

    /// Lets those look again that lead to a class.
    fn doubt(&mut self, class: ClassId, before: &Lists<I, I>) {
        for &other in self.members[class].iter().flat_map(|&thing| before.of(thing)) {
            if !self.is_unsure.put(other.index()) {
                let class = self.of[other];
                if self.unsure[class].is_empty() {
                    self.waiting.push(class);
                }
                self.unsure[class].push(other);
            }
        }
    }

    /// Whether everything is where it is said to be.
    fn check_positions(&self) -> bool {
        let found = |(thing, &class)| self.members[class].get(self.position[thing]) == Some(&thing);
        self.of.iter().all(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::NodeId;

    /// A graph in which each edge has a letter, and the first classes.
    struct Sample {
        edges: Vec<Vec<(u8, usize)>>,
        first: Vec<u8>,
    }

    /// The letters and classes that the edges of a node have.
    fn signature(sample: &Sample, node: usize, class: impl Fn(usize) -> usize) -> Vec<(u8, usize)> {
        let mut ways: Vec<_> =
            sample.edges[node].iter().map(|&(letter, to)| (letter, class(to))).collect();
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    /// Round after round, all signatures at once.
    fn naive(sample: &Sample) -> Vec<usize> {
        let mut classes: Vec<usize> = sample.first.iter().map(|&it| usize::from(it)).collect();
        loop {
            let keys = (0..classes.len())
                .map(|node| (classes[node], signature(sample, node, |to| classes[to])));
            let finer = Partition::<NodeId>::by_key(keys).of;
            let finer: Vec<usize> = finer.into_iter().map(ClassId::index).collect();
            let count = |list: &[usize]| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list.dedup();
                list.len()
            };
            if count(&finer) == count(&classes) {
                return finer;
            }
            classes = finer;
        }
    }

    fn refined(sample: &Sample, mut looks: impl FnMut()) -> Vec<usize> {
        let edges = sample.edges.iter().enumerate();
        let pairs: Vec<_> = edges
            .flat_map(|(from, ways)| {
                ways.iter().map(move |&(_, to)| (NodeId::new(to), NodeId::new(from)))
            })
            .collect();
        let before = Lists::group(sample.edges.len(), &pairs);
        let partition = Partition::<NodeId>::by_key(sample.first.iter());
        let refined = partition.refined(&before, |node, of| {
            looks();
            Ok(signature(sample, node.index(), |to| of[NodeId::new(to)].index()))
        });
        let refined = refined.expect("no limits").of;
        refined.into_iter().map(ClassId::index).collect()
    }

    /// Small numbers that look like chance.
    fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as usize % below
        }
    }

    #[test]
    fn the_coarsest_stable_partition_is_found() {
        let mut divided = 0;
        for seed in 0..3_000 {
            let mut number = numbers(seed);
            let count = 1 + number(12);
            let mut sample = Sample { edges: vec![Vec::new(); count], first: Vec::new() };
            for edges in &mut sample.edges {
                let some = number(4);
                edges.extend((0..some).map(|_| (number(2) as u8, number(count))));
                sample.first.push(number(2) as u8);
            }
            let found = refined(&sample, || ());
            assert_eq!(found, naive(&sample), "seed {seed}");
            divided += usize::from(found.iter().max() > Some(&2));
        }
        assert!(divided > 1_000, "too little happens: {divided}");
    }

    /// A chain of which only the last is special: each round of the naive way finds one more class.
    #[test]
    fn long_chains_take_little_work() {
        let long = 10_000;
        let next = |node: usize| (node + 1..long).take(1).map(|to| (0, to)).collect();
        let sample = Sample { edges: (0..long).map(next).collect(), first: vec![0; long] };
        let mut looks = 0;
        let found = refined(&sample, || looks += 1);
        assert_eq!(found.into_iter().max(), Some(long - 1));
        assert!(looks < 40 * long, "{looks} looks");
    }
}
