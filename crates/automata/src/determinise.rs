//! All runs of an automaton on a word at once, followed deterministically: is one of them
//! accepting?
//!
//! The automaton has at most one mark. What is kept of its runs so far is a *tree*. Each node of
//! the tree stands for some of the states that a run may be in: the root for all of them, a child
//! for some of those of its parent, which came by a mark since they were last told apart; children
//! of one node have no state in common. Nodes are named 0, 1, … by age, so a child has a larger
//! name than its parent. A tree is written down as the path of each state: the names of the nodes
//! that it is in, from the root to the deepest.
//!
//! On a letter
//! 1. states follow all transitions and keep their paths; those that come by a mark also enter a
//!    new child of their deepest node;
//! 2. a state that is come to in several ways stays in the oldest of the nodes at which the ways
//!    part, and enters a child rather than not;
//! 3. a node all of whose states are in its children *flashes*, and loses everything below it: each
//!    of its states has been come to by a mark since it flashed last;
//! 4. nodes without states *die*, and the others are named anew, in the same order.
//!
//! # Why it is right
//! Some run is accepting if and only if some node lives for ever, from some time on by the same
//! name, and flashes again and again. If so, the states that the node has at two flashes are linked
//! by pieces of runs with marks, and by König's lemma these make up a run. The other way round, an
//! accepting run is in the root for ever. If the root does not flash for ever, the run is in a
//! child of it from the next mark on; it changes to older children only (rule 2), so one is left in
//! the end; and so on down. It ends because there are no more nodes than states.
//!
//! Names only ever sink, and that of a node does when an older one dies. So the least name of those
//! that flash or die again and again decides: if it flashes, and does not die, it is one node, and
//! accepting. That is a parity condition, in which for each name its death comes before its flash.
//!
//! # Cost
//! There may be exponentially many trees, about n! · (n/e)^n for n states. They are made on demand,
//! and each step ticks the meter for each name that it writes.
//!
//! # Source
//! Safra: On the complexity of ω-automata, FOCS 1988; names that sink: Piterman, LMCS 3(3), 2007;
//! marks on transitions: Redziejowski, Fundamenta Informaticae 119, 2012.

use crate::reader::{LetterId, Letters};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter::once;
use std::rc::Rc;
use tern_model::automaton::all_marks;
use tern_model::budget::Meter;
use tern_model::index::Numbering;
use tern_model::{Automaton, Budget, Limit, StateId, indices};

indices! {
    /// A tree that was made.
    pub(super) TreeId = "t";
}

/// The path of each state, sorted by states. The names are 0, 1, … without gaps.
pub(super) type Tree = Vec<(StateId, Vec<u32>)>;

/// What happens to a node of the tree. The order is that of their importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Event {
    /// The name of the node before the letter.
    pub(super) name: u32,
    /// Whether it flashes, or else dies.
    pub(super) flashes: bool,
}

/// Where a tree goes on a letter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The next tree; `None` if all runs have died.
    pub(super) to: Option<TreeId>,
    /// The most important event, if there is any.
    pub(super) event: Option<Event>,
}

/// The trees of an automaton, made on demand and numbered.
pub(super) struct Trees<'b> {
    automaton: Automaton,
    trees: Numbering<TreeId, Rc<Tree>>,
    letters: Letters,
    /// The steps so far.
    steps: FxHashMap<(TreeId, LetterId), Step>,
    meter: Meter<'b>,
}

impl<'b> Trees<'b> {
    /// The trees of an automaton with at most one mark.
    pub(super) fn new(automaton: Automaton, budget: &'b Budget) -> Self {
        debug_assert!(automaton.mark_count <= 1);
        Trees {
            automaton,
            trees: Numbering::default(),
            letters: Letters::default(),
            steps: FxHashMap::default(),
            meter: Meter::new(budget),
        }
    }

    /// The automaton whose runs are followed.
    pub(super) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// A tree.
    pub(super) fn get(&self, tree: TreeId) -> &Tree {
        &self.trees[tree]
    }

    /// The tree before the first letter; `None` if there are no runs.
    pub(super) fn first(&mut self) -> Option<TreeId> {
        let mut tree: Tree = self.automaton.initial.iter().map(|&q| (q, vec![0])).collect();
        tree.sort_unstable();
        tree.dedup();
        (!tree.is_empty()).then(|| self.id(tree))
    }

    /// Where a tree goes on a letter.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(super) fn step(&mut self, tree: TreeId, letter: &FixedBitSet) -> Result<Step, Limit> {
        self.meter.tick()?;
        let key = (tree, self.letters.id_of(letter));
        if let Some(&step) = self.steps.get(&key) {
            return Ok(step);
        }
        let before = Rc::clone(&self.trees[tree]);
        let mut paths = self.advance(&before, letter)?;
        let event = self.settle(&mut paths, name_count(&before))?;
        let tree: Tree = paths.into_iter().collect();
        debug_assert!(check_tree(&tree));
        let to = (!tree.is_empty()).then(|| self.id(tree));
        let step = Step { to, event };
        self.steps.insert(key, step);
        Ok(step)
    }

    /// The states after a letter, each with the best of the paths by which it is come to: rules 1
    /// and 2. The new child of a node has the node's name, and as many more as there are old names.
    fn advance(
        &mut self,
        tree: &Tree,
        letter: &FixedBitSet,
    ) -> Result<BTreeMap<StateId, Vec<u32>>, Limit> {
        let all = all_marks(self.automaton.mark_count);
        let old = name_count(tree);
        let mut paths: BTreeMap<StateId, Vec<u32>> = BTreeMap::new();
        for (state, path) in tree {
            for way in &self.automaton.transitions[*state] {
                self.meter.tick()?;
                if !way.guard.iter().any(|cube| cube.admits(letter)) {
                    continue;
                }
                path.iter().try_for_each(|_| self.meter.tick())?;
                let child = path.last().filter(|_| way.marks & all == all).map(|name| old + name);
                let path: Vec<u32> = path.iter().copied().chain(child).collect();
                match paths.entry(way.to) {
                    Entry::Vacant(entry) => {
                        entry.insert(path);
                    }
                    Entry::Occupied(mut entry) => {
                        if is_better(&path, entry.get()) {
                            entry.insert(path);
                        }
                    }
                }
            }
        }
        Ok(paths)
    }

    /// Lets nodes flash and die, and names those anew that are left: rules 3 and 4.
    fn settle(
        &mut self,
        paths: &mut BTreeMap<StateId, Vec<u32>>,
        old: u32,
    ) -> Result<Option<Event>, Limit> {
        let names = 2 * old as usize;
        let mut deepest = FixedBitSet::with_capacity(names);
        deepest.extend(paths.values().flat_map(|path| path.last()).map(|&name| name as usize));
        let mut events: Vec<Event> = Vec::new();
        let mut alive = FixedBitSet::with_capacity(names);
        for path in paths.values_mut() {
            let mut kept = 0;
            for &name in path.iter() {
                self.meter.tick()?;
                alive.insert(name as usize);
                kept += 1;
                // Parents come first, so what is below a node that flashes is not looked at.
                if !deepest.contains(name as usize) {
                    events.push(Event { name, flashes: true });
                    break;
                }
            }
            path.truncate(kept);
        }
        let dead = (0..old).find(|&name| !alive.contains(name as usize));
        events.extend(dead.map(|name| Event { name, flashes: false }));
        let mut ranks = vec![0; names];
        for (rank, name) in (0..).zip(alive.ones()) {
            self.meter.tick()?;
            ranks[name] = rank;
        }
        for name in paths.values_mut().flatten() {
            self.meter.tick()?;
            *name = ranks[*name as usize];
        }
        Ok(events.into_iter().min())
    }

    fn id(&mut self, tree: Tree) -> TreeId {
        self.trees.id(Rc::new(tree))
    }
}

/// Whether names are 0, 1, … without gaps, parents come before children, every node is the deepest
/// of some state, and no node has two parents.
fn check_tree(tree: &Tree) -> bool {
    let count = name_count(tree);
    let is_deepest = |name: u32| tree.iter().any(|(_, path)| path.last() == Some(&name));
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    let mut links = tree.iter().flat_map(|(_, path)| path.windows(2));
    tree.iter().all(|(_, path)| path.first() == Some(&0))
        && (0..count).all(is_deepest)
        && links
            .all(|link| link[0] < link[1] && *parents.entry(link[1]).or_insert(link[0]) == link[0])
}

/// How many names a tree has. There are no more than states, because every node is the deepest of
/// some state.
fn name_count(tree: &Tree) -> u32 {
    tree.iter().flat_map(|(_, path)| path.last()).max().map_or(0, |name| name + 1)
}

/// Whether a path is through older nodes than another where they part, or goes on where the other
/// ends.
fn is_better(path: &[u32], other: &[u32]) -> bool {
    path.iter().chain(once(&u32::MAX)).lt(other.iter().chain(once(&u32::MAX)))
}
