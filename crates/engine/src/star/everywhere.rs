//! Where in a settled machine does some path have a property that an automaton accepts?
//!
//! From a place that wins ([`winning`]) such a path stays in its frame or goes deeper. Any other
//! such path leaves its frame, and those below, until it comes to a return site that wins. So the
//! answer in every configuration is "a winning place can be reached" in the product: a question of
//! CTL on a recursive machine whose boxes are those of the settled one, and the eager engine
//! answers it for all stacks.

use super::accept::{winning, winning_with_pairs};
use super::multiply::has;
use super::product::{Onward, OutId, Product, Spot, SpotId};
use crate::ctl::eager;
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::PlacePos;
use crate::ground::survey;
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use std::fmt::Write;
use tern_model::automaton::Acceptor;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl;
use tern_model::{
    Budget, Builder, CompId, Edge, ExitId, Formula, Formulas, Id, Limit, Machine, NodeId, Place,
    StateId, Stats,
};

/// The answer for each initial node.
pub(super) fn at_initial(
    machine: &Machine,
    formulas: &Formulas,
    automaton: &mut impl Acceptor,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Vec<bool>, Limit> {
    let read = Read::new(machine, formulas, automaton, false, stats, budget)?;
    // Components at the bottom of the stack never return: a path that is not there for ever goes
    // deeper.
    Ok(machine.initial().iter().map(|&node| read.wins(node)).collect())
}

/// The answer in all configurations.
pub(super) enum Everywhere {
    /// It is the same in all.
    Always(bool),
    /// For each frame a row over the nodes of its component.
    Rows(Box<Frames>, Vec<Box<[u64]>>),
}

/// The answer in all configurations.
pub(super) fn everywhere(
    machine: &Machine,
    formulas: &Formulas,
    automaton: &mut impl Acceptor,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Everywhere, Limit> {
    let read = Read::new(machine, formulas, automaton, true, stats, budget)?;
    if read.winning.is_clear() {
        return Ok(Everywhere::Always(false));
    }
    if machine.nodes().all(|node| read.wins(node)) {
        return Ok(Everywhere::Always(true));
    }
    let mut meter = Meter::new(budget);
    let (reached, node_of) = read.machine(&mut meter)?;
    let mut goal = Formulas::new();
    let wins = goal.atom(WINS);
    let eventually = goal.make(Formula::Finally(wins));
    let claim = goal.make(Formula::Exists(eventually));
    let program = ctl::lower(&goal, claim).expect("EF is CTL");
    let terrain = Terrain::with_survey(&reached, survey::everything(&reached));
    let labelled = eager::label(&terrain, &goal, &program, budget)?;
    *stats += labelled.stats;
    let mut rows = Vec::with_capacity(labelled.frames.len());
    for frame in labelled.frames.ids() {
        let truth = labelled.frames.row(&labelled.rows, frame);
        let nodes = machine.nodes_of(labelled.frames.component[frame]);
        let mut row = vec![0; bits::words_for(nodes.len())];
        for (position, node) in nodes.enumerate() {
            meter.tick()?;
            if read.begin(node).any(|place| has(&reached, truth, node_of[place])) {
                bits::insert(&mut row, PlacePos::new(position));
            }
        }
        rows.push(row.into());
    }
    Ok(Everywhere::Rows(Box::new(labelled.frames), rows))
}

/// The label of winning places.
const WINS: &str = "wins";

/// A machine that was read by an automaton.
struct Read<'m> {
    product: Product<'m>,
    initial: Vec<StateId>,
    winning: FixedBitSet,
}

impl<'m> Read<'m> {
    fn new(
        machine: &'m Machine,
        formulas: &Formulas,
        automaton: &mut impl Acceptor,
        everywhere: bool,
        stats: &mut Stats,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut meter = Meter::new(budget);
        let initial = automaton.initial();
        let product = Product::new(machine, formulas, automaton, everywhere, &mut meter)?;
        let (marks, pairs) = (automaton.mark_count(), automaton.pair_count());
        let winning = match pairs {
            0 => winning(&product, marks, &mut meter)?,
            _ => winning_with_pairs(&product, marks, pairs, &mut meter)?,
        };
        stats.product_nodes += product.places.len() as u64;
        stats.evaluations += product.places.len() as u64;
        stats.edges += product.edges_seen;
        Ok(Read { product, initial, winning })
    }

    /// The places at which reading may begin at a node.
    fn begin(&self, node: NodeId) -> impl Iterator<Item = SpotId> {
        self.initial.iter().filter_map(move |&state| self.product.node(node, state))
    }

    /// Whether a path from a node is accepted that stays in its frame or goes deeper.
    fn wins(&self, node: NodeId) -> bool {
        self.begin(node).any(|place| self.winning.contains(place.index()))
    }

    /// The product as a machine in which winning places are labelled, or step to a node that is;
    /// and the node of each place. Components and boxes are in the order of those of the machine
    /// that was read.
    ///
    /// What lies behind winning places is left out, as nobody asks for it. A node that only returns
    /// also steps to itself, which says no more about what can be reached: so nothing can be stuck,
    /// and no frames are told apart by that.
    fn machine(&self, meter: &mut Meter<'_>) -> Result<(Machine, Table<SpotId, NodeId>), Limit> {
        let Product { machine, places, exits, .. } = &self.product;
        let mut builder = Builder::new();
        let mut name = String::new();
        let mut numbers = 0_usize;
        let mut next_name = move || {
            name.clear();
            write!(name, "{numbers}").expect("strings take everything");
            numbers += 1;
            name.clone()
        };
        for _ in machine.components() {
            meter.tick()?;
            builder.component(&next_name());
        }
        for call in machine.boxes() {
            meter.tick()?;
            builder.call_box(machine.component_of_box(call), &next_name(), machine.callee(call));
        }
        let mut exit_of: Table<OutId, ExitId> = Table::new();
        for (_, &(exit, _)) in exits.iter() {
            meter.tick()?;
            exit_of.push(builder.exit(machine.component_of_exit(exit), &next_name()));
        }
        let mut won: Table<CompId, Option<NodeId>> = Table::filled(None, machine.component_count());
        let mut node_of: Table<SpotId, NodeId> = Table::new();
        for (place, &spot) in places.iter() {
            meter.tick()?;
            let wins = self.winning.contains(place.index());
            node_of.push(match spot {
                Spot::Node(node, _) => {
                    let new = builder.node(machine.component_of(node), &next_name());
                    if machine.is_entry(node) {
                        builder.entry(new);
                    }
                    if wins {
                        builder.label(new, WINS);
                    }
                    new
                }
                Spot::Site(call, _) => {
                    let component: CompId = machine.component_of_box(call);
                    *won[component].get_or_insert_with(|| {
                        let new = builder.node(component, &next_name());
                        builder.label(new, WINS);
                        new
                    })
                }
            });
        }
        let mut onwards: Vec<Onward> = Vec::new();
        for (place, &spot) in places.iter() {
            let from = match spot {
                Spot::Node(..) => Place::Node(node_of[place]),
                Spot::Site(call, exit) => Place::Site(call, exit_of[exit]),
            };
            if self.winning.contains(place.index()) {
                builder.edge(from, Edge::Step(node_of[place]));
                continue;
            }
            onwards.clear();
            onwards.extend(self.product.ways(place).iter().map(|&(onward, _)| onward));
            onwards.sort_unstable();
            onwards.dedup();
            if !onwards.is_empty() && onwards.iter().all(|on| matches!(on, Onward::Return(_))) {
                builder.edge(from, Edge::Step(node_of[place]));
            }
            for &onward in &onwards {
                meter.tick()?;
                let edge = match onward {
                    Onward::Step(to) => Edge::Step(node_of[to]),
                    Onward::Call(call, entry) => Edge::Call(call, node_of[entry]),
                    Onward::Return(exit) => Edge::Return(exit_of[exit]),
                };
                builder.edge(from, edge);
            }
        }
        for &node in machine.initial() {
            for place in self.begin(node) {
                builder.initial(node_of[place]);
            }
        }
        Ok((builder.finish().expect("a product of a sound machine"), node_of))
    }
}
