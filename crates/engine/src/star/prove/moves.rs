//! The moves of a layer: what the alternatives of a state and the edges of the program lead to.

use super::cover::Cover;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_automata::Tableau;
use tern_model::automaton::Marks;
use tern_model::star_evidence::StarSpot;
use tern_model::{
    Acceptor, BoxId, Edge, EndRule, ExitId, Formula, FormulaId, Formulas, Id, Limit, NodeId,
    Obligation, Place, StateId,
};

/// Where a state goes when it reads a letter, with the marks on the way.
type Successors = Rc<[(Marks, StateId)]>;

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
    Call(BoxId, NodeId, u32),
    Return(ExitId),
}

/// The moves of a layer, over a ground.
pub(super) struct Moves<'a> {
    pub(super) cover: &'a Cover<'a>,
    pub(super) tableau: Tableau<'a>,
    propositions: Vec<Proposition>,
    letter_ids: FxHashMap<FixedBitSet, u32>,
    letters: Vec<FixedBitSet>,
    letters_at: FxHashMap<(u32, StarSpot), u32>,
    successors: FxHashMap<(StateId, u32), Successors>,
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
            tableau,
            letter_ids: FxHashMap::default(),
            letters: Vec::new(),
            letters_at: FxHashMap::default(),
            successors: FxHashMap::default(),
        }
    }

    /// What is true at a node of a copy, or in the sink, by number.
    fn letter(&mut self, copy: u32, spot: StarSpot) -> u32 {
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
        let letters = &mut self.letters;
        let id = *self.letter_ids.entry(letter).or_insert_with_key(|letter| {
            letters.push(letter.clone());
            (letters.len() - 1) as u32
        });
        self.letters_at.insert((copy, spot), id);
        id
    }

    fn successors(
        &mut self,
        copy: u32,
        spot: StarSpot,
        state: StateId,
    ) -> Result<Successors, Limit> {
        let letter = self.letter(copy, spot);
        if let Some(known) = self.successors.get(&(state, letter)) {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        self.tableau.successors(state, &self.letters[letter as usize], &mut found);
        if let Some(limit) = self.tableau.limit() {
            return Err(limit);
        }
        let found: Successors = found.into();
        self.successors.insert((state, letter), Rc::clone(&found));
        Ok(found)
    }

    /// All moves from a spot with a state.
    pub(super) fn of(
        &mut self,
        copy: u32,
        spot: StarSpot,
        state: StateId,
    ) -> Result<Vec<Move>, Limit> {
        let cover = self.cover;
        let machine = cover.machine;
        let way = |edge: &Edge| match *edge {
            Edge::Step(to) => Way::To(StarSpot::At(machine.node_place(to))),
            Edge::Call(call, entry) => Way::Call(call, entry, cover.callee(copy, call)),
            Edge::Return(exit) => Way::Return(exit),
        };
        let ways: Vec<Way> = match spot {
            StarSpot::Sink => vec![Way::To(spot)],
            StarSpot::At(place) => match machine.place(place) {
                Place::Site(..) => {
                    let ways = machine.edges_at(place).iter().map(way);
                    return Ok(ways.map(|way| Move { way, state, marks: 0 }).collect());
                }
                Place::Node(node) => {
                    let edges = machine.edges(node);
                    let returns = |edge: &&Edge| matches!(edge, Edge::Return(_));
                    if edges.is_empty() || cover.is_stuck(copy, node) {
                        vec![Way::To(spot)]
                    } else if cover.ended[copy as usize] && edges.iter().any(|it| returns(&it)) {
                        let end = match machine.end_rule() {
                            EndRule::Loop => spot,
                            EndRule::Sink => StarSpot::Sink,
                        };
                        let others = edges.iter().filter(|it| !returns(it)).map(way);
                        others.chain([Way::To(end)]).collect()
                    } else {
                        edges.iter().map(way).collect()
                    }
                }
            },
        };
        let next = self.successors(copy, spot, state)?;
        let all = next
            .iter()
            .flat_map(|&(marks, state)| ways.iter().map(move |&way| Move { way, state, marks }));
        Ok(all.collect())
    }
}
