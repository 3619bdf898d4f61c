//! A settled machine read by an automaton.
//!
//! A node (n, q) of the product is the machine about to be read at n by the automaton in state q;
//! an exit (x, q) is left with the automaton in state q, after the node that returns has been read.
//! A return site is passed in no time and reads nothing. Boxes are those of the machine; the
//! entries at which they are called carry the state.
//!
//! Made are the pairs that some path leads to from the initial nodes, or from all nodes under any
//! stack, in an initial state of the automaton; and what it takes to know that:
//!
//! *Summaries.* For each called entry, the exits it can be left by without leaving the frame
//! before, each with the union of the marks of *all* paths to it. That is exact for what it is used
//! for: a cycle that passes a call again and again may take another path through it every time.
//!
//! # Invariants
//! * `visitors` of a place are the called entries of its frame from which it is reached in the
//!   frame; their marks only grow. When the worklists are empty all are found.
//! * A return site is a place if some call to its box comes back by its exit; or if some node
//!   returns by it, where reading may have begun after the call.
//!
//! # Why it ends
//! A place is expanded once; a pair of place and called entry is looked at once when it is found
//! and once for each time that its marks grow, which is at most once for each mark.

use super::reader::NodeReader;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tern_model::automaton::{Acceptor, Marks};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    BoxId, CompId, Edge, ExitId, Formulas, Id, Limit, Machine, NodeId, StateId, indices,
};

indices! {
    /// A place of a product.
    pub(super) SpotId = "p";
    /// An exit of a product.
    pub(super) OutId = "x";
    /// A place of a product that is called.
    CalledId = "c";
    /// A node of a component in a state: a place of the product, once it is made.
    Cell = "n";
}

/// What a place of a product is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    /// About to read a node in a state.
    Node(NodeId, StateId),
    /// After a call that came back by an exit of the product.
    Site(BoxId, OutId),
}

/// One way on from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Onward {
    /// To a place of the same frame.
    Step(SpotId),
    /// Into the callee of a box, at a place that is a node.
    Call(BoxId, SpotId),
    /// Out of the frame by an exit of the product.
    Return(OutId),
}

/// The product, as far as it was asked for.
pub(super) struct Product<'m> {
    pub(super) machine: &'m Machine,
    pub(super) places: Table<SpotId, Spot>,
    nodes: Grid,
    sites: FxHashMap<(BoxId, OutId), SpotId>,
    /// The exits of the product.
    pub(super) exits: Table<OutId, (ExitId, StateId)>,
    exit_index: FxHashMap<(ExitId, StateId), OutId>,
    /// The ways on, each with its marks; those of a place lie together.
    ways: Vec<(Onward, Marks)>,
    ways_of: Table<SpotId, Range<u32>>,
    /// For each place, if there are pairs of strong fairness, those whose premise it shows.
    premises: Table<SpotId, Marks>,
    /// The places that are called.
    called_at: Table<SpotId, Option<CalledId>>,
    /// What is known of leaving their frames.
    called: Table<CalledId, Called>,
    /// For each place: the called entries of its frame that reach it.
    visitors: Table<SpotId, Vec<Visitor>>,
    to_expand: Vec<SpotId>,
    /// Places, and called entries that reach them, to look at.
    to_visit: Vec<(SpotId, SpotId)>,
    /// Whether reading begins at all nodes.
    everywhere: bool,
    pub(super) edges_seen: u64,
}

#[derive(Default)]
struct Called {
    /// The exits that can be left by, with the marks of all paths to them; sorted.
    exits: Vec<(OutId, Marks)>,
    /// The places that call, by which box, with the marks of the call.
    callers: Vec<(SpotId, BoxId, Marks)>,
}

#[derive(Clone, Copy)]
struct Visitor {
    entry: SpotId,
    marks: Marks,
    /// Whether it is among the things to look at.
    waiting: bool,
}

impl<'m> Product<'m> {
    /// Makes the product from the initial nodes, or from all nodes under any stack.
    pub(super) fn new(
        machine: &'m Machine,
        formulas: &Formulas,
        automaton: &mut impl Acceptor,
        everywhere: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut product = Product {
            machine,
            places: Table::new(),
            nodes: Grid::default(),
            sites: FxHashMap::default(),
            exits: Table::new(),
            exit_index: FxHashMap::default(),
            ways: Vec::new(),
            ways_of: Table::new(),
            premises: Table::new(),
            called_at: Table::new(),
            called: Table::new(),
            visitors: Table::new(),
            to_expand: Vec::new(),
            to_visit: Vec::new(),
            everywhere,
            edges_seen: 0,
        };
        let initial = automaton.initial();
        let mut reader = NodeReader::new(machine, formulas, automaton);
        for &state in &initial {
            if everywhere {
                for node in machine.nodes() {
                    meter.tick()?;
                    product.place(Spot::Node(node, state));
                }
            } else {
                for &node in machine.initial() {
                    meter.tick()?;
                    product.place(Spot::Node(node, state));
                }
            }
        }
        loop {
            meter.tick()?;
            if let Some(place) = product.to_expand.pop() {
                product.expand(place, &mut reader, meter)?;
            } else if let Some((place, entry)) = product.to_visit.pop() {
                product.visit(place, entry, meter)?;
            } else {
                break;
            }
        }
        if reader.has_pairs() {
            for (_, &spot) in product.places.iter() {
                meter.tick()?;
                product.premises.push(match spot {
                    Spot::Node(node, _) => reader.premises(node)?,
                    Spot::Site(..) => 0,
                });
            }
        }
        Ok(product)
    }

    /// The pairs of strong fairness whose premise a place shows.
    pub(super) fn premises(&self, place: SpotId) -> Marks {
        self.premises.get(place).copied().unwrap_or(0)
    }

    /// The place of a node in a state, if it was made.
    pub(super) fn node(&self, node: NodeId, state: StateId) -> Option<SpotId> {
        self.nodes.get(self.machine, node, state)
    }

    /// The return site of a box after an exit of the product, if some call comes back there.
    fn site(&self, call: BoxId, exit: OutId) -> Option<SpotId> {
        self.sites.get(&(call, exit)).copied()
    }

    /// The ways on from a place, with their marks.
    pub(super) fn ways(&self, place: SpotId) -> &[(Onward, Marks)] {
        &self.ways[self.range(place)]
    }

    fn range(&self, place: SpotId) -> Range<usize> {
        let Range { start, end } = self.ways_of[place];
        start as usize..end as usize
    }

    /// The return sites that a call of an entry through a box comes back to, with the marks on the
    /// way.
    pub(super) fn returns(
        &self,
        call: BoxId,
        entry: SpotId,
    ) -> impl Iterator<Item = (SpotId, Marks)> {
        let called = self.called_at[entry].map(|at| &self.called[at]);
        let exits = called.into_iter().flat_map(|called| &called.exits);
        exits.filter_map(move |&(exit, marks)| Some((self.site(call, exit)?, marks)))
    }

    /// The exits of the product by which a call of an entry through a box comes back, and the
    /// return sites.
    pub(super) fn exits_through(
        &self,
        call: BoxId,
        entry: SpotId,
    ) -> impl Iterator<Item = (OutId, SpotId)> {
        let called = self.called_at[entry].map(|at| &self.called[at]);
        let exits = called.into_iter().flat_map(|called| &called.exits);
        exits.filter_map(move |&(exit, _)| Some((exit, self.site(call, exit)?)))
    }

    fn place(&mut self, spot: Spot) -> SpotId {
        let place = SpotId::new(self.places.len());
        let known = match spot {
            Spot::Node(node, state) => self.nodes.get_or_set(self.machine, node, state, place),
            Spot::Site(call, exit) => *self.sites.entry((call, exit)).or_insert(place),
        };
        if known == place {
            self.places.push(spot);
            self.ways_of.push(0..0);
            self.called_at.push(None);
            self.visitors.push(Vec::new());
            self.to_expand.push(place);
        }
        known
    }

    fn exit(&mut self, exit: ExitId, state: StateId) -> OutId {
        if let Some(&known) = self.exit_index.get(&(exit, state)) {
            return known;
        }
        let new = self.exits.push((exit, state));
        self.exit_index.insert((exit, state), new);
        if self.everywhere {
            for &call in self.machine.callers_of(self.machine.component_of_exit(exit)) {
                self.comes_back(call, new);
            }
        }
        new
    }

    /// Finds the ways on from a place.
    fn expand<A: Acceptor>(
        &mut self,
        place: SpotId,
        reader: &mut NodeReader<'_, A>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let machine = self.machine;
        let begin = self.ways.len();
        match self.places[place] {
            Spot::Node(node, state) => {
                for read in reader.read(node, state)? {
                    let (marks, state) = reader.step(read);
                    for &edge in machine.edges(node) {
                        meter.tick()?;
                        self.add_way(edge, marks, state);
                    }
                }
            }
            Spot::Site(call, exit) => {
                let (exit, state) = self.exits[exit];
                let site = machine.site(call, exit).expect("only sites with edges are places");
                for &edge in machine.edges_at(site) {
                    meter.tick()?;
                    self.add_way(edge, 0, state);
                }
            }
        }
        let end = self.ways.len();
        let position = |index: usize| u32::try_from(index).expect("fewer than 2^32 ways");
        self.ways_of[place] = position(begin)..position(end);
        for way in begin..end {
            self.edges_seen += 1;
            if let (Onward::Call(call, entry), marks) = self.ways[way] {
                self.add_caller(entry, (place, call, marks));
            }
        }
        Ok(())
    }

    fn add_way(&mut self, edge: Edge, marks: Marks, state: StateId) {
        let onward = match edge {
            Edge::Step(to) => Onward::Step(self.place(Spot::Node(to, state))),
            Edge::Call(call, entry) => Onward::Call(call, self.place(Spot::Node(entry, state))),
            Edge::Return(exit) => Onward::Return(self.exit(exit, state)),
        };
        self.ways.push((onward, marks));
    }

    fn add_caller(&mut self, entry: SpotId, caller: (SpotId, BoxId, Marks)) {
        let known = self.called_at[entry];
        let at = known.unwrap_or_else(|| self.called.push(Called::default()));
        self.called_at[entry] = Some(at);
        self.called[at].callers.push(caller);
        for i in 0..self.called[at].exits.len() {
            self.comes_back(caller.1, self.called[at].exits[i].0);
        }
        if known.is_none() {
            self.reach(entry, entry, 0);
        }
    }

    /// The return site of a box, if it has one: a place from now on.
    fn comes_back(&mut self, call: BoxId, exit: OutId) -> Option<SpotId> {
        self.machine.site(call, self.exits[exit].0)?;
        Some(self.place(Spot::Site(call, exit)))
    }

    /// Notes that a called entry reaches a place of its frame, on paths with these marks.
    fn reach(&mut self, place: SpotId, entry: SpotId, marks: Marks) {
        let visitors = &mut self.visitors[place];
        match visitors.binary_search_by_key(&entry, |visitor| visitor.entry) {
            Ok(found) => {
                let visitor = &mut visitors[found];
                if visitor.marks | marks == visitor.marks {
                    return;
                }
                visitor.marks |= marks;
                if std::mem::replace(&mut visitor.waiting, true) {
                    return;
                }
            }
            Err(at) => visitors.insert(at, Visitor { entry, marks, waiting: true }),
        }
        self.to_visit.push((place, entry));
    }

    /// Follows the ways on from a place for a called entry that reaches it.
    fn visit(&mut self, place: SpotId, entry: SpotId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let visitors = &mut self.visitors[place];
        let found = visitors.binary_search_by_key(&entry, |visitor| visitor.entry);
        let visitor = &mut visitors[found.expect("it reaches the place")];
        visitor.waiting = false;
        let so_far = visitor.marks;
        for way in self.range(place) {
            meter.tick()?;
            self.edges_seen += 1;
            let (onward, marks) = self.ways[way];
            let marks = so_far | marks;
            match onward {
                Onward::Step(to) => self.reach(to, entry, marks),
                Onward::Call(call, callee) => {
                    let callee = self.called_at[callee].expect("its place is called");
                    for i in 0..self.called[callee].exits.len() {
                        let (exit, inner) = self.called[callee].exits[i];
                        if let Some(site) = self.site(call, exit) {
                            self.reach(site, entry, marks | inner);
                        }
                    }
                }
                Onward::Return(exit) => self.leave(entry, exit, marks, meter)?,
            }
        }
        Ok(())
    }

    /// Notes that a called entry is left by an exit, on paths with these marks, and tells its
    /// callers.
    fn leave(
        &mut self,
        entry: SpotId,
        exit: OutId,
        marks: Marks,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let at = self.called_at[entry].expect("only called entries visit places");
        let exits = &mut self.called[at].exits;
        let all = match exits.binary_search_by_key(&exit, |&(exit, _)| exit) {
            Ok(found) => {
                let known = &mut exits[found].1;
                if *known | marks == *known {
                    return Ok(());
                }
                *known |= marks;
                *known
            }
            Err(place) => {
                exits.insert(place, (exit, marks));
                marks
            }
        };
        for i in 0..self.called[at].callers.len() {
            let (place, call, marks) = self.called[at].callers[i];
            let Some(site) = self.comes_back(call, exit) else { continue };
            for j in 0..self.visitors[place].len() {
                meter.tick()?;
                let visitor = self.visitors[place][j];
                self.reach(site, visitor.entry, visitor.marks | marks | all);
            }
        }
        Ok(())
    }
}

/// The places of nodes in states: a block for each state and component that come together.
#[derive(Default)]
struct Grid {
    /// For each state, where the blocks of the components begin, if there is one.
    blocks: Table<StateId, Table<CompId, Option<Cell>>>,
    /// For the nodes of a component, by position, in one state: the place, if it was made.
    cells: Table<Cell, Option<SpotId>>,
}

impl Grid {
    fn get(&self, machine: &Machine, node: NodeId, state: StateId) -> Option<SpotId> {
        let blocks = self.blocks.as_slice().get(state.index())?.as_slice();
        let block = (*blocks.get(machine.component_of(node).index())?)?;
        self.cells[cell(machine, block, node)]
    }

    /// The place of a node in a state, which is `new` if it has none yet.
    fn get_or_set(
        &mut self,
        machine: &Machine,
        node: NodeId,
        state: StateId,
        new: SpotId,
    ) -> SpotId {
        let Grid { blocks, cells } = self;
        let component = machine.component_of(node);
        blocks.grow(state.index() + 1, Table::new());
        blocks[state].grow(machine.component_count(), None);
        let block = *blocks[state][component].get_or_insert_with(|| {
            let begin = Cell::new(cells.len());
            cells.grow(cells.len() + machine.nodes_of(component).len(), None);
            begin
        });
        *cells[cell(machine, block, node)].get_or_insert(new)
    }
}

/// The cell of a node in a block of its component.
fn cell(machine: &Machine, block: Cell, node: NodeId) -> Cell {
    Cell::new(block.index() + machine.place_position(machine.node_place(node)))
}
