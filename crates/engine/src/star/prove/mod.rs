//! Writes down why a claim in CTL* holds or fails, for others to check: see
//! [`tern_model::star_evidence`].
//!
//! Nothing is taken from the engines that decide; what the proof shows is found here once more,
//! with the tableau of each quantified formula, whose states anybody can read. For each of them,
//! innermost first:
//!
//! 1. all moves are followed, from every node of every ground copy (`explore`);
//! 2. vertices from which a cycle with all promises can be reached are good, the others get levels
//!    (`standing`);
//! 3. what is not needed is left out (`needed`);
//! 4. copies are told apart from the empty stack upwards, by what goes on after their returns
//!    (`contexts`).
//!
//! A formula that stands below no other quantifier is asked for at the initial nodes only: it needs
//! no copies but those of empty stacks, and moves are followed only from there.

mod contexts;
mod cover;
mod explore;
mod moves;
mod needed;
mod standing;

use cover::{CopyId, Cover, Reached};
use explore::{Explorer, VertexId};
use fixedbitset::FixedBitSet;
use moves::Moves;
use rustc_hash::FxHashMap;
use tern_automata::{Tableau, closure};
use tern_model::automaton::MAX_MARKS;
use tern_model::budget::Meter;
use tern_model::star_evidence::{
    BaseCopy, Standing, StarEvidence, StarLayer, StarSpot, StarVertex,
};
use tern_model::{
    BoxId, Budget, EndRule, Formula, FormulaId, Formulas, Id, Limit, Machine, NodeId, Obligation,
    StateId,
};

/// A proof, and what it shows.
#[derive(Clone, Debug)]
pub struct Proved {
    /// An initial node at which the claim fails; it holds if there is none.
    pub culprit: Option<NodeId>,
    /// The proof.
    pub evidence: StarEvidence,
}

/// Proves a claim in CTL*, or that it fails. A formula that speaks of a path is meant for all
/// paths. `None` if a path formula makes more promises than the form has room for.
///
/// # Errors
/// When the budget runs out.
pub fn prove(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    budget: &Budget,
) -> Result<Option<Proved>, Limit> {
    let questions = Questions::new(formulas, claim);
    let mut meter = Meter::new(budget);
    let reached = Reached::new(machine, &mut meter)?;
    let mut cover = Cover::base(machine, &reached, &mut meter)?;
    let numbered = |&(call, callee): &(BoxId, CopyId)| (call, number(callee));
    let base = cover.component.ids().map(|copy| BaseCopy {
        component: cover.component[copy],
        ended: cover.ended[copy],
        callees: cover.callees[copy].iter().map(numbered).collect(),
    });
    let mut evidence = StarEvidence { base: base.collect(), layers: Vec::new() };
    let mut at_initial: FxHashMap<Obligation, Vec<bool>> = FxHashMap::default();
    for (layer, &sought) in questions.inner.iter().chain(&questions.outer).enumerate() {
        let is_inner = layer < questions.inner.len();
        let wanted =
            if is_inner { everywhere(machine, &cover, &reached) } else { initial(machine, &cover) };
        let Some(made) = Made::new(&cover, formulas, sought, &wanted, is_inner, budget)? else {
            return Ok(None);
        };
        let answer = |&(copy, spot): &(CopyId, StarSpot)| made.initial(copy, spot);
        at_initial.insert(sought, initial(machine, &cover).iter().map(answer).collect());
        let ground = layer.min(questions.inner.len()).checked_sub(1).map(|below| below as u32);
        if is_inner {
            let needed = |other: Obligation| questions.last_use.get(&other) > Some(&layer);
            cover = cover.refined(&made.layer.copies, needed);
            cover.add(sought, &made, needed(sought));
        }
        evidence.layers.push(StarLayer { ground, ..made.layer });
    }
    let fails = |&(number, &node): &(usize, &NodeId)| {
        !claim_at(machine, formulas, claim, node, |sought| at_initial[&sought][number])
    };
    let culprit = machine.initial().iter().enumerate().find(fails).map(|(_, &node)| node);
    Ok(Some(Proved { culprit, evidence }))
}

/// All spots of a cover at which a program shows something.
fn everywhere(machine: &Machine, cover: &Cover, reached: &Reached) -> Vec<(CopyId, StarSpot)> {
    let mut spots = Vec::new();
    for copy in cover.component.ids() {
        let nodes = machine.nodes_of(cover.component[copy]).map(|node| machine.node_place(node));
        let nodes = nodes.filter(|place| reached.places.contains(place.index()));
        spots.extend(nodes.map(|place| (copy, StarSpot::At(place))));
        if cover.ended[copy] && machine.end_rule() == EndRule::Sink {
            spots.push((copy, StarSpot::Sink));
        }
    }
    spots
}

/// The initial nodes, in the copies of empty stacks.
fn initial(machine: &Machine, cover: &Cover) -> Vec<(CopyId, StarSpot)> {
    let spot = |&node: &NodeId| {
        let component = machine.component_of(node);
        (cover.roots[&component], StarSpot::At(machine.node_place(node)))
    };
    machine.initial().iter().map(spot).collect()
}

/// What the layers are about.
struct Questions {
    /// What must be known everywhere, operands first.
    inner: Vec<Obligation>,
    /// What must be known at the initial nodes.
    outer: Vec<Obligation>,
    /// The number of the last layer that needs to know an inner one.
    last_use: FxHashMap<Obligation, usize>,
}

/// What a quantified formula asks for on some path.
pub(super) fn sought(formula: Formula) -> Option<Obligation> {
    match formula {
        Formula::Exists(path) => Some(Obligation { formula: path, holds: true }),
        Formula::All(path) => Some(Obligation { formula: path, holds: false }),
        _ => None,
    }
}

impl Questions {
    fn new(formulas: &Formulas, claim: FormulaId) -> Self {
        let subformulas = formulas.subformulas(claim);
        let mut below = FixedBitSet::with_capacity(claim.index() + 1);
        below.set(claim.index(), !formulas.is_state_formula(claim));
        for &id in subformulas.iter().rev() {
            let formula = formulas.get(id);
            if formula.is_quantifier() || below.contains(id.index()) {
                below.extend(formula.operands().map(FormulaId::index));
            }
        }
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for id in subformulas {
            let list = if below.contains(id.index()) { &mut inner } else { &mut outer };
            list.extend(sought(formulas.get(id)));
        }
        if !formulas.is_state_formula(claim) {
            outer.push(Obligation { formula: claim, holds: false });
        }
        let mut last_use = FxHashMap::default();
        for (number, asked) in inner.iter().chain(&outer).enumerate() {
            for id in closure(formulas, asked.formula) {
                if let Some(used) = sought(formulas.get(id)) {
                    last_use.insert(used, number);
                }
            }
        }
        Questions { inner, outer, last_use }
    }
}

/// A layer, and where it finds what it seeks.
struct Made {
    layer: StarLayer,
    /// For each node and sink with the sought obligation alone: its vertex.
    sought: FxHashMap<(CopyId, StarSpot), VertexId>,
}

impl Made {
    /// `None` if there are more promises than the form has room for.
    fn new(
        cover: &Cover,
        formulas: &Formulas,
        sought: Obligation,
        wanted: &[(CopyId, StarSpot)],
        is_inner: bool,
        budget: &Budget,
    ) -> Result<Option<Made>, Limit> {
        let tableau = Tableau::new(formulas, sought, budget);
        if tableau.promises().len() > MAX_MARKS as usize {
            return Ok(None);
        }
        let promises = tableau.promises().to_vec();
        let mut meter = Meter::new(budget);
        let moves = Moves::new(cover, formulas, tableau);
        let mut explorer = Explorer::new(moves, is_inner);
        let first = explorer.run(wanted, &mut meter)?;
        let explored = explorer.finish(&mut meter)?;
        let standing = standing::find(&explored, promises.len() as u32, &mut meter)?;
        let (explored, standing, first) =
            needed::keep(cover, explored, standing, wanted, first, is_inner, &mut meter)?;
        let copies = if is_inner {
            contexts::tell_apart(cover, &explored, &standing, &mut meter)?
        } else {
            contexts::bottom(cover)
        };
        let vertices = explored.vertices.as_slice().iter().zip(standing);
        let vertices = vertices.map(|(&(copy, spot, state), standing)| StarVertex {
            copy: number(copy),
            spot,
            state: number(state),
            standing,
        });
        let nodes = cover.machine.node_count();
        let sought_at = |&(copy, spot, state): &(CopyId, StarSpot, StateId)| {
            let is_site = matches!(spot, StarSpot::At(place) if place.index() >= nodes);
            (state == first && !is_site).then_some((copy, spot))
        };
        let places = explored.vertices.iter();
        let places = places.filter_map(|(id, vertex)| Some((sought_at(vertex)?, id)));
        let places = places.collect();
        let layer = StarLayer {
            sought,
            ground: None,
            promises,
            states: explored.states.into_iter().collect(),
            contracts: explored.contracts.into_iter().collect(),
            vertices: vertices.collect(),
            copies,
        };
        Ok(Some(Made { layer, sought: places }))
    }

    /// Whether what is sought can be met at a spot of a ground copy without leaving the frame.
    fn initial(&self, copy: CopyId, spot: StarSpot) -> bool {
        self.sought.get(&(copy, spot)).is_some_and(|&vertex| self.is_good(vertex))
    }

    fn is_good(&self, vertex: VertexId) -> bool {
        matches!(self.layer.vertices[vertex.index()].standing, Standing::Good(_))
    }
}

/// An id as a number of the form.
fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are 32 bits")
}

/// Whether a claim is true at an initial node, given what can be met there.
fn claim_at(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    node: NodeId,
    met: impl Fn(Obligation) -> bool,
) -> bool {
    if !formulas.is_state_formula(claim) {
        return !met(Obligation { formula: claim, holds: false });
    }
    let mut truth = FixedBitSet::with_capacity(claim.index() + 1);
    for id in closure(formulas, claim) {
        let of = |f: FormulaId| truth.contains(f.index());
        let value = match formulas.get(id) {
            Formula::Atom(atom) => machine
                .label(formulas.atom_name(atom))
                .is_some_and(|label| machine.has_label(node, label)),
            Formula::Exists(formula) => met(Obligation { formula, holds: true }),
            Formula::All(formula) => !met(Obligation { formula, holds: false }),
            formula => formula.boolean(of).expect("a state formula has no path operators outside"),
        };
        truth.set(id.index(), value);
    }
    truth.contains(claim.index())
}
