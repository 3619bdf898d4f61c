//! The moves of a layer: what the alternatives of a state and the edges of the program lead to.

use super::cover::{CopyId, Cover};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_automata::{LetterId, Reader, Tableau};
use tern_model::automaton::Marks;
use tern_model::star_evidence::StarSpot;
use tern_model::step::Onward;
use tern_model::{
    Acceptor, BoxId, Edge, ExitId, Formula, FormulaId, Formulas, Id, Limit, NodeId, Obligation,
    Place, StateId,
};

/// One move from a spot.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) way: Way,
    pub(super) state: StateId,
    pub(super) marks: Marks,
}

#[derive(Clone, Copy)]
pub(super) enum Way {
    To(StarSpot),
    /// Into the callee of a box, which is in this copy.
    Call(BoxId, NodeId, CopyId),
    Return(ExitId),
}

/// The moves of a layer, over a ground.
pub(super) struct Moves<'a> {
    pub(super) cover: &'a Cover<'a>,
    /// The order of a state's alternatives is that of the tableau: it is seen in the proof.
    pub(super) reader: Reader<Tableau<'a>>,
    propositions: Vec<Proposition>,
    letters_at: FxHashMap<(CopyId, StarSpot), LetterId>,
}

/// What decides a proposition.
enum Proposition {
    /// It is true at some nodes.
    Label(FixedBitSet),
    /// It is true where an obligation can be met, or where it cannot.
    Met(Obligation, bool),
}

impl<'a> Moves<'a> {
    pub(super) fn new(cover: &'a Cover<'a>, formulas: &Formulas, tableau: Tableau<'a>) -> Self {
        let machine = cover.machine;
        let proposition = |&id: &FormulaId| match formulas.get(id) {
            Formula::Atom(atom) => {
                let mut nodes = FixedBitSet::with_capacity(machine.node_count());
                if let Some(label) = machine.label(formulas.atom_name(atom)) {
                    nodes.extend(machine.labelled(label).iter().map(|node| node.index()));
                }
                Proposition::Label(nodes)
            }
            quantified => {
                let sought = super::sought(quantified).expect("nothing else is a proposition");
                Proposition::Met(sought, sought.holds)
            }
        };
        Moves {
            propositions: tableau.propositions().iter().map(proposition).collect(),
            cover,
            reader: Reader::new(tableau, |_| ()),
            letters_at: FxHashMap::default(),
        }
    }

    pub(super) fn tableau(&self) -> &Tableau<'a> {
        self.reader.acceptor()
    }

    /// What is true at a node of a copy, or in the sink.
    fn letter(&mut self, copy: CopyId, spot: StarSpot) -> LetterId {
        if let Some(&known) = self.letters_at.get(&(copy, spot)) {
            return known;
        }
        let mut letter = FixedBitSet::with_capacity(self.propositions.len());
        for (bit, proposition) in self.propositions.iter().enumerate() {
            let holds = match (proposition, spot) {
                // Nodes are the first places.
                (Proposition::Label(nodes), StarSpot::At(place)) => nodes.contains(place.index()),
                (Proposition::Label(_), StarSpot::Sink) => false,
                (&Proposition::Met(sought, if_met), _) => {
                    self.cover.is_met(sought, copy, spot) == if_met
                }
            };
            letter.set(bit, holds);
        }
        let id = self.reader.letter(&letter);
        self.letters_at.insert((copy, spot), id);
        id
    }

    /// All moves from a spot with a state.
    pub(super) fn of(
        &mut self,
        copy: CopyId,
        spot: StarSpot,
        state: StateId,
    ) -> Result<Vec<Move>, Limit> {
        let cover = self.cover;
        let machine = cover.machine;
        let way = |edge: Edge| match edge {
            Edge::Step(to) => Way::To(StarSpot::At(machine.node_place(to))),
            Edge::Call(call, entry) => Way::Call(call, entry, cover.callee(copy, call)),
            Edge::Return(exit) => Way::Return(exit),
        };
        let mut onward = Vec::new();
        match spot {
            StarSpot::Sink => onward.push(Onward::Sink),
            StarSpot::At(place) => match machine.place(place) {
                Place::Site(..) => {
                    let ways = machine.edges_at(place).iter().map(|&edge| way(edge));
                    return Ok(ways.map(|way| Move { way, state, marks: 0 }).collect());
                }
                Place::Node(node) => cover.onward(copy, node, &mut onward),
            },
        }
        let ways: Vec<Way> = onward
            .into_iter()
            .map(|next| match next {
                Onward::Edge(edge) => way(edge),
                Onward::Stay => Way::To(spot),
                Onward::Sink => Way::To(StarSpot::Sink),
            })
            .collect();
        let letter = self.letter(copy, spot);
        let steps = self.reader.read(state, letter)?.map(|step| self.reader.step(step));
        let all = steps
            .flat_map(|(marks, state)| ways.iter().map(move |&way| Move { way, state, marks }));
        Ok(all.collect())
    }
}
