//! What a search over runs asks of a program: its edges, and the letters that its nodes show.
//!
//! A [`Known`] machine has everything at hand. A [`Produced`] one asks a [`Space`] for a node only
//! when the search gets there, and keeps what it was told in a [`Part`], for this claim and, if it
//! is kept, for the next. Its ids are those of the part.

use fixedbitset::FixedBitSet;
use tern_automata::{LetterId, Reader};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::space::{Part, Space, SpaceError};
use tern_model::{
    Acceptor, BoxId, Budget, CompId, Edge, EndRule, ExitId, Formula, FormulaId, Formulas, Id,
    LabelId, Limit, Machine, NodeId, Place, PlaceId,
};

/// A program, as far as a search over its runs needs to know it.
pub(crate) trait Source {
    /// The nodes at which the program may start.
    fn initial(&mut self) -> Vec<NodeId>;
    /// What happens when the program ends.
    fn end_rule(&self) -> EndRule;
    /// The component of a node.
    fn component(&mut self, node: NodeId) -> CompId;
    /// The place that a node is.
    fn node_place(&mut self, node: NodeId) -> PlaceId;
    /// The return site of a box after an exit of its callee; `None` if the program does not go on
    /// there.
    fn site(&mut self, call: BoxId, exit: ExitId) -> Option<PlaceId>;
    /// What a place is.
    fn place(&self, place: PlaceId) -> Place;
    /// The position of a place in its component, if that is known.
    fn position(&self, place: PlaceId) -> Option<usize>;
    /// How many places with a position the component of a node has.
    fn places_around(&self, node: NodeId) -> usize;
    /// Appends the edges of a place to `out`.
    fn edges(&mut self, place: PlaceId, out: &mut Vec<Edge>);
    /// Sets the bits of the labels that a node has, in the order in which the source was given
    /// them.
    fn show(&mut self, node: NodeId, letter: &mut FixedBitSet);
    /// How many nodes were looked at, if they are made only then.
    fn produced(&self) -> u64;
    /// Whether anything else than its edges may follow a place. Known once they were asked for.
    fn is_hole(&self, _: PlaceId) -> bool {
        false
    }
    /// Whether the program may have no end, so that nothing that is found may be left for last.
    fn is_endless(&self) -> bool {
        false
    }
    /// Whether all that was said so far is true.
    ///
    /// # Errors
    /// That the source has failed: whatever it said since is not to be believed. The limit stands
    /// for the cause, which the source knows.
    fn check(&self) -> Result<(), Limit> {
        Ok(())
    }
}

/// A machine with all its tables.
pub(crate) struct Known<'m> {
    machine: &'m Machine,
    /// For each label of interest, the nodes that have it.
    labelled: Vec<FixedBitSet>,
}

impl<'m> Known<'m> {
    /// A machine, and the labels that are of interest.
    pub(crate) fn new(machine: &'m Machine, labels: &[String]) -> Self {
        let nodes = |name: &String| {
            let mut nodes = FixedBitSet::with_capacity(machine.node_count());
            if let Some(label) = machine.label(name) {
                nodes.extend(machine.labelled(label).iter().map(|node| node.index()));
            }
            nodes
        };
        Known { machine, labelled: labels.iter().map(nodes).collect() }
    }
}

impl Source for Known<'_> {
    fn initial(&mut self) -> Vec<NodeId> {
        self.machine.initial().to_vec()
    }
    fn end_rule(&self) -> EndRule {
        self.machine.end_rule()
    }
    fn component(&mut self, node: NodeId) -> CompId {
        self.machine.component_of(node)
    }
    fn node_place(&mut self, node: NodeId) -> PlaceId {
        self.machine.node_place(node)
    }
    fn site(&mut self, call: BoxId, exit: ExitId) -> Option<PlaceId> {
        self.machine.site(call, exit)
    }
    fn place(&self, place: PlaceId) -> Place {
        self.machine.place(place)
    }
    fn position(&self, place: PlaceId) -> Option<usize> {
        Some(self.machine.place_position(place))
    }
    fn places_around(&self, node: NodeId) -> usize {
        self.machine.places_of(self.machine.component_of(node)).len()
    }
    fn edges(&mut self, place: PlaceId, out: &mut Vec<Edge>) {
        out.extend_from_slice(self.machine.edges_at(place));
    }
    fn show(&mut self, node: NodeId, letter: &mut FixedBitSet) {
        for (bit, nodes) in self.labelled.iter().enumerate() {
            letter.set(bit, nodes.contains(node.index()));
        }
    }
    fn produced(&self) -> u64 {
        0
    }
}

/// A program whose nodes are made when the search gets to them.
pub(crate) struct Produced<'s, S> {
    space: &'s mut S,
    part: &'s mut Part,
    initial: Vec<NodeId>,
    /// The positions of the labels that are of interest among the propositions of the part.
    labels: Vec<Option<LabelId>>,
    /// Whether the space may be without end.
    endless: bool,
    meter: Meter<'s>,
    /// Why the space has failed, if it has.
    failed: Option<SpaceError>,
}

impl<'s, S: Space> Produced<'s, S> {
    /// A space, what is known of it already, and the labels that are of interest. The space was
    /// told of all of them.
    ///
    /// # Errors
    /// That the space does not even say where it begins.
    pub(crate) fn new(
        space: &'s mut S,
        part: &'s mut Part,
        labels: &[String],
        endless: bool,
        budget: &'s Budget,
    ) -> Result<Self, SpaceError> {
        let mut meter = Meter::new(budget);
        let initial = part.initial(space, &mut meter)?.to_vec();
        let position = |label| part.propositions().iter().position(|own| own == label);
        let labels = labels.iter().map(|label| position(label).map(LabelId::new)).collect();
        Ok(Produced { space, part, initial, labels, endless, meter, failed: None })
    }

    /// Why a search has ended, which was told this limit.
    pub(crate) fn cause(self, limit: Limit) -> SpaceError {
        self.failed.unwrap_or(SpaceError::Limit(limit))
    }

    fn ask(&mut self, place: PlaceId) -> &[Edge] {
        match self.part.edges(self.space, place, &mut self.meter) {
            Ok(edges) => edges,
            Err(error) => {
                self.failed.get_or_insert(error);
                &[]
            }
        }
    }
}

impl<S: Space> Source for Produced<'_, S> {
    fn initial(&mut self) -> Vec<NodeId> {
        self.initial.clone()
    }
    fn end_rule(&self) -> EndRule {
        self.space.end_rule()
    }
    fn component(&mut self, node: NodeId) -> CompId {
        self.part.component_of(node)
    }
    fn node_place(&mut self, node: NodeId) -> PlaceId {
        self.part.node_place(node)
    }
    fn site(&mut self, call: BoxId, exit: ExitId) -> Option<PlaceId> {
        let place = self.part.site(call, exit);
        let goes_on = !self.ask(place).is_empty() || self.part.is_hole(place);
        goes_on.then_some(place)
    }
    fn place(&self, place: PlaceId) -> Place {
        self.part.place(place)
    }
    fn position(&self, _: PlaceId) -> Option<usize> {
        None
    }
    fn places_around(&self, _: NodeId) -> usize {
        0
    }
    fn edges(&mut self, place: PlaceId, out: &mut Vec<Edge>) {
        out.extend_from_slice(self.ask(place));
    }
    fn show(&mut self, node: NodeId, letter: &mut FixedBitSet) {
        match self.part.labels(self.space, node, &mut self.meter) {
            Ok(on) => {
                for (bit, label) in self.labels.iter().enumerate() {
                    letter.set(bit, label.is_some_and(|label| on.binary_search(&label).is_ok()));
                }
            }
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }
    fn produced(&self) -> u64 {
        self.part.produced()
    }
    fn is_hole(&self, place: PlaceId) -> bool {
        self.part.is_hole(place)
    }
    fn is_endless(&self) -> bool {
        self.endless
    }
    fn check(&self) -> Result<(), Limit> {
        match &self.failed {
            None => Ok(()),
            Some(SpaceError::Limit(limit)) => Err(*limit),
            Some(_) => Err(Limit::Interrupted),
        }
    }
}

/// The labels that an automaton's letters speak of, in the order of their bits.
///
/// # Panics
/// If a proposition is not an atom: only those are decided by labels alone.
pub(crate) fn labels(formulas: &Formulas, propositions: &[FormulaId]) -> Vec<String> {
    let label = |&proposition: &FormulaId| match formulas.get(proposition) {
        Formula::Atom(atom) => formulas.atom_name(atom).to_owned(),
        other => unreachable!("{other:?} is not decided by labels alone"),
    };
    propositions.iter().map(label).collect()
}

/// The letters that nodes show to an automaton, as far as they were asked for.
pub(crate) struct Shown {
    of_place: Table<PlaceId, Option<LetterId>>,
    /// The letter of a state without labels.
    pub(crate) blank: LetterId,
    /// What a node shows, kept for its memory.
    shown: FixedBitSet,
}

impl Shown {
    /// Letters for a reader.
    pub(crate) fn new<A: Acceptor>(reader: &mut Reader<A>) -> Self {
        let shown = FixedBitSet::with_capacity(reader.acceptor().propositions().len());
        Shown { of_place: Table::new(), blank: reader.letter(&shown), shown }
    }

    /// The letter that a node shows; `place` is that of the node.
    pub(crate) fn of<A: Acceptor>(
        &mut self,
        source: &mut impl Source,
        reader: &mut Reader<A>,
        node: NodeId,
        place: PlaceId,
    ) -> LetterId {
        self.of_place.grow(place.index() + 1, None);
        if let Some(known) = self.of_place[place] {
            return known;
        }
        self.shown.clear();
        source.show(node, &mut self.shown);
        let letter = reader.letter(&self.shown);
        self.of_place[place] = Some(letter);
        letter
    }
}
