//! Claims about abstract machines, decided as two claims about an ordinary one; and claims that
//! name edges, decided on a machine that has labels for the names.
//!
//! `tern_model::abstraction` says what is asked: a claim holds if `must f` does, fails if `may f`
//! fails at an initial node, and otherwise the abstraction is too coarse. Any engine may answer.
//! Evidence and stories are about the ordinary machine, and the outcome says which that is.
//!
//! The place that is named if the abstraction is too coarse is the first on a run at which
//! something is not known: a run by which the claim may fail, or else one by which it may hold; if
//! there is no such run, or no place on it, the first that a search from the initial nodes meets.

use crate::checker::{Checker, Options};
use crate::engines::INCREMENTAL;
use crate::ground::terrain::{Layout, Terrain};
use fixedbitset::FixedBitSet;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tern_model::abstraction::{Back, Lane, Named, Reduced, Reduction, Translation};
use tern_model::budget::Meter;
use tern_model::fairness::name_edges;
use tern_model::{
    AtomId, Automaton, Budget, Claim, Coarse, Edge, Fairness, Followed, FormulaId, Formulas, Gap,
    Id, LabelId, Limit, Machine, Missing, Move, MoveKind, Must, NodeId, Outcome, Place, PlaceId,
    Reason, Start, Story, Surety, Verdict,
};

/// How long a run may be on which a place is looked for that is too coarse.
const MOST_MOVES: usize = 10_000;

/// An ordinary machine in the place of another, laid out once for all claims.
pub(crate) struct Prepared {
    /// The names for edges, with the edges.
    named: Vec<(String, Edges)>,
    reduction: Arc<Reduction>,
    layout: Arc<Layout>,
}

type Edges = Box<[(Place, Edge)]>;

impl Prepared {
    fn new(machine: &Machine, named: Vec<(String, Edges)>, budget: &Budget) -> Result<Self, Limit> {
        let list: Vec<Named<'_>> =
            named.iter().map(|(name, edges)| (&name[..], &**edges)).collect();
        let reduction = Arc::new(Reduction::new(machine, &list, budget)?);
        let layout = Terrain::new(&reduction.machine, budget)?.layout();
        Ok(Prepared { named, reduction, layout })
    }

    fn checker(&self) -> Checker<'_> {
        let layout = Arc::clone(&self.layout);
        Checker::on(Terrain::with_layout(&self.reduction.machine, layout))
    }
}

impl Checker<'_> {
    /// The ordinary machine in the place of this one, with names for edges; made once as long as
    /// the names stay the same.
    fn prepared(
        &self,
        formulas: &Formulas,
        followed: &[Followed],
        budget: &Budget,
    ) -> Result<Arc<Prepared>, Limit> {
        let name = |followed: &Followed| {
            let atoms = formulas.atoms_of(followed.atom);
            let name = atoms.first().map_or("", |&atom| formulas.atom_name(atom));
            (name.to_owned(), followed.edges.clone())
        };
        let named: Vec<(String, Edges)> = followed.iter().map(name).collect();
        let mut made = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.as_ref().filter(|made| made.named == named) {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(Prepared::new(self.terrain.machine, named, budget)?);
        *made = Some(Arc::clone(&new));
        Ok(new)
    }

    /// Decides a formula at the initial nodes of a machine that is abstract, or of which edges are
    /// spoken of.
    pub(crate) fn check_reduced(
        &self,
        formulas: &Formulas,
        (claim, followed): (FormulaId, &[Followed]),
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let begin = Instant::now();
        let asked = Options { regions: false, ..options.clone() };
        let decided = self.prepared(formulas, followed, budget).and_then(|prepared| {
            if self.terrain.machine.is_abstract() {
                return self.decide_lanes(formulas, claim, &prepared, &asked, budget);
            }
            let outcome = prepared.checker().check(formulas, claim, &asked, budget);
            Ok(self.spoken_of(outcome, &prepared.reduction, None))
        });
        let mut outcome = decided.unwrap_or_else(|limit| {
            let engine = options.engine.unwrap_or(&INCREMENTAL).name;
            Outcome { engine, ..Outcome::from(Verdict::Unknown(Gap::Limit(limit))) }
        });
        if options.regions {
            let why = match self.terrain.machine.is_abstract() {
                true => "the machine is abstract",
                false => "the claim names edges",
            };
            outcome.missing.push(Missing::Regions(Gap::Unsupported(why.to_owned())));
        }
        outcome.seconds = begin.elapsed().as_secs_f64() - outcome.explaining;
        outcome
    }

    /// Decides whether an automaton accepts runs as it must, if fairness conditions name edges.
    pub(crate) fn check_automaton_on_edges(
        &self,
        formulas: &Formulas,
        automaton: &Automaton,
        must: Must,
        fair: &[Fairness],
        options: &Options,
        budget: &Budget,
    ) -> Outcome {
        let mut formulas = formulas.clone();
        let said = fair.iter().flat_map(Fairness::formulas).chain(automaton.propositions.clone());
        let taken: Vec<AtomId> = said.flat_map(|formula| formulas.atoms_of(formula)).collect();
        let (fair, followed) = name_edges(&mut formulas, fair, &taken);
        match self.prepared(&formulas, &followed, budget) {
            Ok(prepared) => {
                let checker = prepared.checker();
                let outcome =
                    checker.check_automaton(&formulas, automaton, must, &fair, options, budget);
                self.spoken_of(outcome, &prepared.reduction, None)
            }
            Err(limit) => Outcome::from(Verdict::Unknown(Gap::Limit(limit))),
        }
    }

    fn decide_lanes(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        prepared: &Prepared,
        options: &Options,
        budget: &Budget,
    ) -> Result<Outcome, Limit> {
        let (checker, reduction) = (prepared.checker(), &prepared.reduction);
        let ask = |translation: &Translation, options: &Options| {
            checker.check(&translation.formulas, translation.claim, options, budget)
        };
        let must = Translation::new(formulas, claim, Lane::Must);
        let surely = ask(&must, options);
        if surely.verdict == Verdict::Holds {
            return Ok(self.spoken_of(surely, reduction, Some(must)));
        }
        let may = Translation::new(formulas, claim, Lane::May);
        let mut perhaps = ask(&may, options);
        perhaps.stats += surely.stats;
        perhaps.explaining += surely.explaining;
        let gap = match (surely.verdict, &perhaps.verdict) {
            (_, Verdict::Fails) => {
                return Ok(self.spoken_of(perhaps, reduction, Some(may)));
            }
            (Verdict::Unknown(gap), _) => gap,
            (_, Verdict::Unknown(gap)) => gap.clone(),
            _ => {
                let runs = options.runs.or(Some(MOST_MOVES));
                let asked = Options { evidence: false, runs, ..options.clone() };
                // A run by which the claim may fail tells more than one by which it may hold.
                let told =
                    [(must, Verdict::Fails), (may, Verdict::Holds)].map(|(lane, verdict)| {
                        let stories = ask(&lane, &asked).stories;
                        let told = Outcome { stories, ..Outcome::from(verdict) };
                        self.spoken_of(told, reduction, Some(lane))
                    });
                let coarse = self.coarse(formulas, claim, reduction, &told, budget)?;
                if options.runs.is_some() {
                    let shown = told.into_iter().find(|told| told.stories.iter().any(has_run));
                    let shown = shown.unwrap_or(Outcome::from(Verdict::Holds));
                    (perhaps.stories, perhaps.reduced) = (shown.stories, shown.reduced);
                }
                Gap::TooCoarse(coarse)
            }
        };
        let known = Outcome::from(Verdict::Unknown(gap));
        let Outcome { stats, engine, explaining, stories, reduced, .. } = perhaps;
        let stories = if reduced.is_some() { stories } else { Vec::new() };
        Ok(Outcome { stats, engine, explaining, stories, reduced, ..known })
    }

    /// An outcome about the ordinary machine as one about this one.
    fn spoken_of(
        &self,
        outcome: Outcome,
        machine: &Arc<Reduction>,
        claim: Option<Translation>,
    ) -> Outcome {
        let culprit = outcome.culprit.as_ref();
        let culprit = culprit.and_then(|culprit| machine.node(culprit.node)).map(NodeId::into);
        let reduced = Reduced { machine: Arc::clone(machine), claim };
        Outcome { culprit, reduced: Some(Arc::new(reduced)), ..outcome }
    }

    /// Decides those of the claims about an abstract machine that take less together; see
    /// [`Checker::decide_together`]. What is too coarse is left out.
    pub(crate) fn decide_lanes_together(
        &self,
        formulas: &Formulas,
        claims: &[Claim],
        options: &Options,
        budget: &(impl Fn(usize) -> Budget + Sync),
    ) -> Vec<Option<Outcome>> {
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        outcomes.resize_with(claims.len(), || None);
        let Ok(prepared) = self.prepared(formulas, &[], &budget(0)) else { return outcomes };
        let (checker, reduction) = (prepared.checker(), &prepared.reduction);
        for (lane, wanted) in [(Lane::Must, Verdict::Holds), (Lane::May, Verdict::Fails)] {
            let open = outcomes.iter().zip(claims).enumerate();
            let open = open.filter_map(|(i, (outcome, claim))| match outcome {
                None if claim.start == Start::Initial => Some((i, claim.formula()?)),
                _ => None,
            });
            let mut arena = Formulas::new();
            let (numbers, asked): (Vec<usize>, Vec<(Claim, Translation)>) = open
                .map(|(i, formula)| {
                    let translation = Translation::new(formulas, formula, lane);
                    let claim = arena.import(&translation.formulas, translation.claim);
                    (i, (Claim::new(claim), translation))
                })
                .unzip();
            let (asked, translations): (Vec<Claim>, Vec<Translation>) = asked.into_iter().unzip();
            let budget = |i: usize| budget(numbers[i]);
            let found = checker.decide_batches(&arena, &asked, options, &budget);
            for ((&i, outcome), translation) in numbers.iter().zip(found).zip(translations) {
                outcomes[i] = outcome
                    .filter(|outcome| outcome.verdict == wanted)
                    .map(|outcome| self.spoken_of(outcome, reduction, Some(translation)));
            }
        }
        outcomes
    }

    /// Where the machine says too little for a claim.
    fn coarse(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        reduction: &Reduction,
        told: &[Outcome],
        budget: &Budget,
    ) -> Result<Coarse, Limit> {
        let machine = self.terrain.machine;
        let names = formulas.atoms_of(claim).into_iter().map(|atom| formulas.atom_name(atom));
        let labels: Vec<LabelId> = names.filter_map(|name| machine.label(name)).collect();
        let seeker = Seeker { machine, reduction, labels };
        let stories = told.iter().flat_map(|told| &told.stories);
        let mut waiting: VecDeque<(NodeId, &Story)> =
            stories.map(|(node, story)| (*node, story)).collect();
        let mut meter = Meter::new(budget);
        while let Some((node, story)) = waiting.pop_front() {
            meter.tick()?;
            if let Some(found) = seeker.in_story(node, story, &mut waiting) {
                return Ok(found);
            }
        }
        seeker.by_search(&mut meter)
    }
}

/// Whether a story has a run in it, other than in what a run comes to.
fn has_run((_, story): &(NodeId, Story)) -> bool {
    let mut open = vec![story];
    while let Some(story) = open.pop() {
        match &story.reason {
            Reason::Run(_) => return true,
            Reason::Operands(operands) => open.extend(operands),
            Reason::Labels | Reason::AllPaths | Reason::TooLong => {}
        }
    }
    false
}

/// Looks for places at which something is not known.
struct Seeker<'a> {
    machine: &'a Machine,
    reduction: &'a Reduction,
    /// The labels of the claim.
    labels: Vec<LabelId>,
}

impl Seeker<'_> {
    /// On a run that a story tells of, from a node of the ordinary machine; what else it tells has
    /// to wait.
    fn in_story<'s>(
        &self,
        node: NodeId,
        story: &'s Story,
        waiting: &mut VecDeque<(NodeId, &'s Story)>,
    ) -> Option<Coarse> {
        let told = match &story.reason {
            Reason::Labels => return self.label_at(self.reduction.node(node)?),
            Reason::AllPaths | Reason::TooLong => return None,
            Reason::Operands(operands) => {
                waiting.extend(operands.iter().map(|story| (node, story)));
                return None;
            }
            Reason::Run(told) => told,
        };
        let mut asides = told.asides.iter().peekable();
        let mut at = node;
        for i in 0..=told.run.moves.len() {
            while let Some((_, story)) = asides.next_if(|(step, _)| *step <= i) {
                waiting.push_back((at, story));
            }
            let here = self.reduction.node(at);
            if let Some(found) = here.and_then(|here| self.label_at(here)) {
                return Some(found);
            }
            let Some(&step) = told.run.moves.get(i) else { break };
            let Back { step: back, surety } = self.reduction.back(self.machine, here, step);
            if let (Surety::Possible, Some(here)) = (surety, here) {
                return Some(self.step_from(here, back));
            }
            at = step.node;
        }
        None
    }

    /// The nearest place to the initial nodes, if it does not matter by which calls one got there.
    fn by_search(&self, meter: &mut Meter<'_>) -> Result<Coarse, Limit> {
        let machine = self.machine;
        let initial = machine.initial().iter().map(|&node| machine.node_place(node));
        let mut waiting: VecDeque<PlaceId> = initial.collect();
        let mut seen = FixedBitSet::with_capacity(machine.place_count());
        waiting.iter().for_each(|place| seen.insert(place.index()));
        while let Some(place) = waiting.pop_front() {
            let node = (place.index() < machine.node_count()).then(|| NodeId::new(place.index()));
            if let Some(found) = node.and_then(|node| self.label_at(node)) {
                return Ok(found);
            }
            for (edge, surety) in machine.edges_with_surety(place) {
                meter.tick()?;
                let mut add = |place: PlaceId| {
                    if !seen.put(place.index()) {
                        waiting.push_back(place);
                    }
                };
                let to = match edge {
                    Edge::Step(to) => Some(to),
                    Edge::Call(call, entry) => {
                        machine.sites_of(call).for_each(|(_, site)| add(site));
                        Some(entry)
                    }
                    Edge::Return(_) => None,
                };
                if surety == Surety::Possible {
                    return Ok(self.edge_at(place, to));
                }
                to.into_iter().for_each(|to| add(machine.node_place(to)));
            }
        }
        // All is known that can be reached, so that no claim is left open.
        Ok(Coarse { place: "the initial nodes".to_owned(), question: "enough".to_owned() })
    }

    fn label_at(&self, node: NodeId) -> Option<Coarse> {
        let unknown = |label: &&LabelId| self.machine.is_unknown(node, **label);
        let &label = self.labels.iter().find(unknown)?;
        let question = format!("whether `{}` is true", self.machine.label_name(label));
        Some(Coarse { place: self.place(node), question })
    }

    /// A step that is only possible.
    fn step_from(&self, from: NodeId, step: Move) -> Coarse {
        let question = match step.kind {
            MoveKind::Sink => "whether the program ends".to_owned(),
            MoveKind::Stay => "whether the program stays there".to_owned(),
            _ => format!("whether there is a step to {}", self.machine.node_path(step.node)),
        };
        Coarse { place: self.place(from), question }
    }

    fn edge_at(&self, place: PlaceId, to: Option<NodeId>) -> Coarse {
        let question = match to {
            None => "whether it returns".to_owned(),
            Some(to) => format!("whether there is a step to {}", self.machine.node_path(to)),
        };
        let place = match self.machine.place(place) {
            Place::Node(node) => self.place(node),
            Place::Site(call, exit) => {
                format!("{}.{}", self.machine.box_path(call), self.machine.exit_name(exit))
            }
        };
        Coarse { place, question }
    }

    fn place(&self, node: NodeId) -> String {
        let path = self.machine.node_path(node);
        match self.machine.origin(node) {
            Some(origin) => format!("{path} ({origin})"),
            None => path,
        }
    }
}
