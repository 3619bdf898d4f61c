//! Ways to spoil a certificate.
//!
//! Each kind takes a valid certificate and changes one thing that matters. It says `None` if there
//! is nothing for it to change, and otherwise the layer that has to be found at fault, if it is the
//! fault of one. Changes that would only make another valid certificate are avoided; why a change
//! matters is said where that is not plain.

mod frames;
mod ground;
mod proofs;
mod truth;
mod whole;

use fastrand::Rng;
use tern_model::evidence::{Event, Frame, Ground, Labelling, Layer, Proof, Summaries};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    BoxId, CompId, Edge, ExitId, Formulas, Gap, Id, Machine, NodeId, Place, PlaceId, TermId,
    Verdict,
};

/// A certificate with all that it is about.
pub(crate) struct Case<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) formulas: &'a Formulas,
    pub(crate) verdict: Verdict,
    pub(crate) labelling: Labelling,
    pub(crate) rng: Rng,
}

/// What was spoiled: the fault of a layer, or of the whole.
pub(crate) type Spoiled = Option<Option<usize>>;

/// A way to spoil.
pub(crate) type Kind = (&'static str, fn(&mut Case<'_>) -> Spoiled);

/// An id beyond all tables.
const BEYOND: usize = 1_000_000;

impl Case<'_> {
    /// One of the candidates, by chance.
    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.rng.usize(..from.len())].clone()) }
    }

    /// Whether a term is true at a node, if it has no temporal operators.
    fn plain(&self, term: TermId, node: NodeId) -> Option<bool> {
        Some(match self.labelling.program.terms[term] {
            Term::True => true,
            Term::Atom(atom) => self
                .machine
                .label(self.formulas.atom_name(atom))
                .is_some_and(|label| self.machine.has_label(node, label)),
            Term::Not(f) => !self.plain(f, node)?,
            Term::And(f, g) => self.plain(f, node)? && self.plain(g, node)?,
            Term::Or(f, g) => self.plain(f, node)? || self.plain(g, node)?,
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => return None,
        })
    }

    fn term(&self, layer: usize) -> Term {
        self.labelling.program.terms[self.labelling.layers[layer].term]
    }

    /// Changes one of the things that `find` lists, in all layers.
    fn one<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, usize) -> Vec<T>,
        change: impl FnOnce(&mut Layer, T, &Machine),
    ) -> Spoiled {
        let layers = self.labelling.layers.iter().enumerate();
        let found: Vec<(usize, T)> = layers
            .flat_map(|(i, layer)| find(self, layer, i).into_iter().map(move |found| (i, found)))
            .collect();
        let (layer, found) = self.pick(&found)?;
        change(&mut self.labelling.layers[layer], found, self.machine);
        Some(Some(layer))
    }

    /// Changes one of the ground frames of which `which` is true.
    fn ground(
        &mut self,
        which: impl Fn(&Layer, usize, &Ground) -> bool,
        change: impl FnOnce(&mut Ground, &Machine),
    ) -> Spoiled {
        self.one(
            |_, layer, _| {
                (0..layer.ground.len()).filter(|&g| which(layer, g, &layer.ground[g])).collect()
            },
            |layer, ground: usize, machine| change(&mut layer.ground[ground], machine),
        )
    }

    /// Changes one of the frames of which `which` is true.
    fn frame(
        &mut self,
        which: impl Fn(&Layer, usize, &Frame) -> bool,
        change: impl FnOnce(&mut Frame, &Machine),
    ) -> Spoiled {
        self.one(
            |_, layer, _| {
                (0..layer.frames.len()).filter(|&f| which(layer, f, &layer.frames[f])).collect()
            },
            |layer, frame: usize, machine| change(&mut layer.frames[frame], machine),
        )
    }

    /// Changes one of the things that `find` lists in summaries.
    fn summaries<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, &Summaries) -> Vec<T>,
        change: impl FnOnce(&mut Summaries, T),
    ) -> Spoiled {
        self.one(
            |case, layer, _| summaries_of(layer).map_or(vec![], |s| find(case, layer, s)),
            |layer, found, _| match &mut layer.proof {
                Proof::Until(summaries) | Proof::Globally(summaries, _) => change(summaries, found),
                Proof::Next => unreachable!("there are no summaries to find something in"),
            },
        )
    }

    /// Changes one of the things that `find` lists in the deaths of `EG p`, given p.
    fn deaths<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, &[(u32, PlaceId)], TermId) -> Vec<T>,
        change: impl FnOnce(&mut Vec<(u32, PlaceId)>, T),
    ) -> Spoiled {
        self.one(
            |case, layer, number| match (&layer.proof, case.term(number)) {
                (Proof::Globally(_, deaths), Term::Eg(p)) => find(case, layer, deaths, p),
                _ => vec![],
            },
            |layer, found, _| match &mut layer.proof {
                Proof::Globally(_, deaths) => change(deaths, found),
                _ => unreachable!("there are no deaths to find something in"),
            },
        )
    }
}

fn summaries_of(layer: &Layer) -> Option<&Summaries> {
    match &layer.proof {
        Proof::Until(summaries) | Proof::Globally(summaries, _) => Some(summaries),
        Proof::Next => None,
    }
}

fn ended(layer: &Layer, frame: &Frame) -> bool {
    layer.ground[frame.ground as usize].ended
}

/// The boxes by which ground frames call this one.
fn ground_callers(layer: &Layer, ground: usize) -> Vec<BoxId> {
    let links = layer.ground.iter().flat_map(|g| &g.callees);
    links.filter(|&&(_, to)| to as usize == ground).map(|&(call, _)| call).collect()
}

fn is_called(layer: &Layer, frame: usize) -> bool {
    layer.frames.iter().flat_map(|f| &f.callees).any(|&(_, to)| to as usize == frame)
}

/// Pairs of different places in a list.
fn pairs<T>(list: &[T]) -> impl Iterator<Item = (usize, usize)> {
    let len = list.len();
    (0..len).flat_map(move |i| (0..len).filter(move |&j| j != i).map(move |j| (i, j)))
}

fn place(node: NodeId) -> PlaceId {
    PlaceId::new(node.index())
}

/// All places and sites at which frames have a truth value that is not a node's.
fn sites(machine: &Machine, component: CompId) -> Vec<PlaceId> {
    let is_site = |&&place: &&PlaceId| matches!(machine.place(place), Place::Site(..));
    machine.places_of(component).iter().filter(is_site).copied().collect()
}

fn other_exit(machine: &Machine, component: CompId) -> Option<ExitId> {
    machine.exits().find(|&exit| machine.component_of_exit(exit) != component)
}

/// The starts that no event says to have a goal.
fn without_goal(summaries: &Summaries) -> Vec<u32> {
    let has_goal = |start: u32| {
        summaries.events.iter().any(|e| matches!(*e, Event::Goal { start: s, .. } if s == start))
    };
    (0..summaries.starts.len() as u32).filter(|&start| !has_goal(start)).collect()
}

fn start_of(event: Event) -> u32 {
    match event {
        Event::Reach { start, .. } | Event::Leave { start, .. } | Event::Goal { start, .. } => {
            start
        }
    }
}

/// All ways.
pub(crate) fn kinds() -> Vec<Kind> {
    [
        whole::WHOLE,
        ground::GROUND,
        frames::FRAMES,
        frames::CONTEXTS,
        whole::ROOTS,
        truth::TRUTH,
        truth::ORDERS,
        whole::OPERANDS,
        proofs::PROOFS,
        proofs::DEATHS,
    ]
    .concat()
}
