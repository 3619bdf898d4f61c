//! The kinds of moves by which nodes are entered, and the copies that nodes and exits have of them.
//!
//! A *kind* says whether a move was sure or only possible, and which of some sets of edges it
//! followed an edge of. Each node has a copy for each kind of move that may enter it, each exit one
//! for each kind of return; and each of both has the copies of moves that follow none of these
//! edges, sure and, if the machine is abstract, possible. Copies are in the order of kinds: by the
//! numbers of the sets, none first; and sure before possible.

use crate::budget::{Limit, Meter};
use crate::index::{ExitId, Id, PlaceId};
use crate::indices;
use crate::machine::{Edge, Machine, Place, Surety};
use rustc_hash::FxHashMap;

indices! {
    /// A kind.
    pub(super) KindId = "k";
}

/// How a node is entered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Kind {
    /// The sets of edges that the move followed an edge of, sorted.
    pub(super) followed: Vec<u32>,
    pub(super) surety: Surety,
}

impl Kind {
    /// A word for it, without spaces.
    pub(super) fn word(&self) -> String {
        let word = match self.surety {
            Surety::Sure => "sure",
            Surety::Possible => "maybe",
        };
        self.followed.iter().fold(word.to_owned(), |word, set| format!("{word}+{}", set + 1))
    }

    fn and(&self, other: &Kind) -> Kind {
        let mut followed = [&self.followed[..], &other.followed].concat();
        followed.sort_unstable();
        followed.dedup();
        Kind { followed, surety: self.surety.and(other.surety) }
    }
}

/// The kinds of which copies of things are.
#[derive(Debug)]
pub(super) struct Copies {
    /// Where the kinds of each thing begin, and after the last where they end.
    begin: Vec<usize>,
    kinds: Vec<KindId>,
}

impl Copies {
    fn new(count: usize, mut found: Vec<(usize, KindId)>) -> Self {
        found.sort_unstable();
        found.dedup();
        let mut begin = vec![0; count + 1];
        found.iter().for_each(|&(thing, _)| begin[thing + 1] += 1);
        for i in 0..count {
            begin[i + 1] += begin[i];
        }
        Copies { begin, kinds: found.into_iter().map(|(_, kind)| kind).collect() }
    }

    /// The number of the first copy of a thing.
    pub(super) fn first(&self, thing: impl Id) -> usize {
        self.begin[thing.index()]
    }

    /// The kinds of the copies of a thing.
    pub(super) fn of(&self, thing: impl Id) -> &[KindId] {
        &self.kinds[self.begin[thing.index()]..self.begin[thing.index() + 1]]
    }

    /// The position of the copy of a thing that has some kind, among its copies.
    pub(super) fn position(&self, thing: impl Id, kind: KindId) -> usize {
        self.of(thing).binary_search(&kind).expect("all kinds of moves were looked at")
    }
}

/// All kinds, and the copies of nodes and exits.
#[derive(Debug)]
pub(super) struct Kinds {
    list: Vec<Kind>,
    ids: FxHashMap<Kind, KindId>,
    sets: FxHashMap<(PlaceId, Edge), Vec<u32>>,
    pub(super) nodes: Copies,
    pub(super) exits: Copies,
}

impl Kinds {
    pub(super) fn new(
        machine: &Machine,
        sets: &[&[(Place, Edge)]],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut of_edges: FxHashMap<(PlaceId, Edge), Vec<u32>> = FxHashMap::default();
        for (number, edges) in (0..).zip(sets) {
            for &(place, edge) in *edges {
                meter.tick()?;
                let place = match place {
                    Place::Node(node) if node.index() < machine.node_count() => {
                        Some(machine.node_place(node))
                    }
                    Place::Site(call, exit)
                        if call.index() < machine.box_count()
                            && exit.index() < machine.exit_count() =>
                    {
                        machine.site(call, exit)
                    }
                    Place::Node(_) | Place::Site(..) => None,
                };
                let Some(place) = place else { continue };
                let numbers = of_edges.entry((place, edge)).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        let sureties: &[Surety] = match machine.is_abstract() {
            true => &[Surety::Sure, Surety::Possible],
            false => &[Surety::Sure],
        };
        let none = sureties.iter().map(|&surety| Kind { followed: Vec::new(), surety });
        let mut found = Found { sets: of_edges, ids: FxHashMap::default(), list: Vec::new() };
        let none: Vec<KindId> = none.map(|kind| found.id_of(kind)).collect();
        let both = |count: usize| -> Vec<(usize, KindId)> {
            (0..count).flat_map(|thing| none.iter().map(move |&kind| (thing, kind))).collect()
        };
        let (mut nodes, mut exits) = (both(machine.node_count()), both(machine.exit_count()));
        if !found.sets.is_empty() {
            found.look(machine, &mut nodes, &mut exits, meter)?;
        }
        // By their order.
        let Found { sets, mut list, .. } = found;
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_unstable_by(|&i, &j| list[i].cmp(&list[j]));
        let mut rank = vec![KindId::new(0); list.len()];
        order.iter().enumerate().for_each(|(new, &old)| rank[old] = KindId::new(new));
        list.sort_unstable();
        let ids = list.iter().cloned().zip((0..).map(KindId::new)).collect();
        let ranked = |found: Vec<(usize, KindId)>| -> Vec<(usize, KindId)> {
            found.into_iter().map(|(thing, kind)| (thing, rank[kind.index()])).collect()
        };
        let nodes = Copies::new(machine.node_count(), ranked(nodes));
        let exits = Copies::new(machine.exit_count(), ranked(exits));
        Ok(Kinds { list, ids, sets, nodes, exits })
    }

    pub(super) fn get(&self, kind: KindId) -> &Kind {
        &self.list[kind.index()]
    }

    /// The kind of a move that follows none of the edges of sets.
    pub(super) fn none(&self, surety: Surety) -> KindId {
        self.ids[&Kind { followed: Vec::new(), surety }]
    }

    /// The kind of an edge.
    pub(super) fn of_edge(&self, place: PlaceId, edge: Edge, surety: Surety) -> KindId {
        match self.sets.get(&(place, edge)) {
            None => self.none(surety),
            Some(followed) => self.ids[&Kind { followed: followed.clone(), surety }],
        }
    }

    /// The kind of a move that follows two edges.
    pub(super) fn join(&self, one: KindId, other: KindId) -> KindId {
        self.ids[&self.get(one).and(self.get(other))]
    }
}

/// Kinds in the order in which they were found.
struct Found {
    sets: FxHashMap<(PlaceId, Edge), Vec<u32>>,
    ids: FxHashMap<Kind, KindId>,
    list: Vec<Kind>,
}

impl Found {
    fn id_of(&mut self, kind: Kind) -> KindId {
        let Found { ids, list, .. } = self;
        *ids.entry(kind).or_insert_with_key(|kind| {
            list.push(kind.clone());
            KindId::new(list.len() - 1)
        })
    }

    fn of_edge(&self, place: PlaceId, edge: Edge, surety: Surety) -> Kind {
        let followed = self.sets.get(&(place, edge)).cloned().unwrap_or_default();
        Kind { followed, surety }
    }

    /// Finds the kinds of all moves.
    fn look(
        &mut self,
        machine: &Machine,
        nodes: &mut Vec<(usize, KindId)>,
        exits: &mut Vec<(usize, KindId)>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let mut returns: FxHashMap<ExitId, Vec<KindId>> = FxHashMap::default();
        for &(exit, kind) in exits.iter() {
            returns.entry(ExitId::new(exit)).or_default().push(kind);
        }
        for node in machine.nodes() {
            let place = machine.node_place(node);
            for (edge, surety) in machine.edges_with_surety(place) {
                meter.tick()?;
                let kind = self.of_edge(place, edge, surety);
                let kind = self.id_of(kind);
                match edge {
                    Edge::Step(to) | Edge::Call(_, to) => nodes.push((to.index(), kind)),
                    Edge::Return(exit) => {
                        let known = returns.entry(exit).or_default();
                        if !known.contains(&kind) {
                            known.push(kind);
                            exits.push((exit.index(), kind));
                        }
                    }
                }
            }
        }
        let places = (0..machine.place_count()).map(PlaceId::new);
        for place in places {
            let Place::Site(_, exit) = machine.place(place) else { continue };
            for (edge, surety) in machine.edges_with_surety(place) {
                let (Edge::Step(to) | Edge::Call(_, to)) = edge else { continue };
                let of_edge = self.of_edge(place, edge, surety);
                for &left in returns.get(&exit).map_or(&[][..], |kinds| kinds) {
                    meter.tick()?;
                    let kind = of_edge.and(&self.list[left.index()]);
                    let kind = self.id_of(kind);
                    nodes.push((to.index(), kind));
                }
            }
        }
        Ok(())
    }
}
