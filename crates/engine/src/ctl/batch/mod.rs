//! Many claims of one shape, decided at once: words of truth values where one claim has a bit.
//!
//! Claims are of one *shape* if their programs are the same but for the names of propositions. Up
//! to 64 of them are a batch, or 256 if there are as many, each in a *lane* of its own ([`lanes`]).
//! The eager pass ([`crate::ctl::eager`]) is done once for all of them: operators bottom-up, each
//! on the frames of its operands, which it splits by its context bits. Lanes are independent
//! problems over one graph, and what is done to a place is the same in all of them; only the frames
//! differ, and these are shared as far as they are the same in several lanes ([`family`]).
//!
//! # Invariants
//! In each lane the values and the verdict are those of the eager pass on that claim alone. So are
//! the frames of each operator, but families may be put together in another order, since they are
//! numbered otherwise.
//!
//! # Why it ends
//! As the eager pass does. When there are more frames than are worth it, [`Stop::Apart`] says so,
//! and claims are decided one by one, by an engine that builds fewer.

mod agenda;
mod endless;
mod family;
mod free;
mod lanes;
mod operator;
mod split;
mod summaries;

pub(crate) use agenda::Knots;
pub(crate) use family::Stop;
pub(crate) use lanes::WIDE;

use crate::ctl::eager::Decision;
use crate::ctl::plan::Plan;
use crate::ground::bits;
use crate::ground::frames::{self, Modes};
use crate::ground::ids::{FamilyId, FrameId, Positions};
use crate::ground::terrain::Terrain;
use family::{Both, Family, Same, unfold};
use lanes::Lanes;
use operator::{Operator, Prepared, View};
use rustc_hash::FxHashMap;
use split::split;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::subsets::Subset;
use tern_model::{AtomId, Budget, CompId, EndRule, Formulas, Id, Limit, Machine, Stats, TermId};

/// How many claims are decided at once with so many words.
pub(crate) const fn lanes(words: usize) -> usize {
    words * u64::BITS as usize
}

/// Labels of many nodes are brought to lanes by squares of so many nodes and lanes.
const WORD: usize = u64::BITS as usize;

/// How many frames a family may have for each base frame; and some more, for small machines.
const FRAMES_A_FRAME: usize = 16;
const SOME_FRAMES: usize = 1024;

/// What programs of one shape have in common: all but the names of propositions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape(Box<[Term]>, TermId);

impl Shape {
    pub(crate) fn of(program: &Program) -> Self {
        let nameless = |&term: &Term| match term {
            Term::Atom(_) => Term::Atom(AtomId::new(0)),
            term => term,
        };
        Shape(program.terms.as_slice().iter().map(nameless).collect(), program.root)
    }
}

/// Decides programs of one shape at the initial nodes; at most as many as `W` words have bits. In
/// the counts of work, contexts and copies are those of each claim; the rest is shared out among
/// all.
pub(crate) fn decide<const W: usize>(
    terrain: &Terrain<'_>,
    knots: &Knots,
    formulas: &Formulas,
    programs: &[&Program],
    budget: &Budget,
) -> Result<Vec<Decision>, Stop> {
    let [first, ..] = programs else { return Ok(Vec::new()) };
    let mut batch: Batch<'_, W> = Batch::new((terrain, knots), formulas, programs, budget)?;
    for (id, term) in first.terms.iter() {
        if term.is_temporal() {
            batch.operator(id)?;
        }
    }
    let at_initial = batch.at_initial()?;
    let stats = batch.shares(programs.len());
    let decided = stats.into_iter().enumerate().map(|(lane, stats)| Decision {
        at_initial: at_initial.iter().map(|lanes| lanes.has(lane)).collect(),
        stats,
    });
    Ok(decided.collect())
}

/// Where a temporal term holds.
enum Truth<const W: usize> {
    /// In each frame of a family: words over the places of all frames.
    Words { family: FamilyId, words: Vec<Lanes<W>> },
    /// At the initial nodes only, in their order.
    Initial(Vec<Lanes<W>>),
}

struct Batch<'a, const W: usize> {
    terrain: &'a Terrain<'a>,
    knots: &'a Knots,
    /// The program of the first claim stands for all; but not its propositions.
    plan: Plan<'a>,
    all: Lanes<W>,
    /// For each proposition the lanes in which a node has it, by component and position.
    atoms: FxHashMap<TermId, Vec<Lanes<W>>>,
    first_node: Table<CompId, usize>,
    modes: Modes,
    /// All families made so far; the first are the base frames.
    families: Table<FamilyId, Family<W>>,
    truth: Table<TermId, Option<Truth<W>>>,
    most_frames: usize,
    /// For each lane, how many contexts were built.
    contexts: Vec<u64>,
    stats: Stats,
    meter: Meter<'a>,
}

impl<'a, const W: usize> Batch<'a, W> {
    fn new(
        (terrain, knots): (&'a Terrain<'a>, &'a Knots),
        formulas: &Formulas,
        programs: &[&'a Program],
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let mut meter = Meter::new(budget);
        let all = Lanes::first(programs.len());
        let (base, modes) = frames::shared_base(terrain, &mut meter)?;
        let most_frames = base.len() * FRAMES_A_FRAME + SOME_FRAMES;
        let (roots, limits) = (base.roots.as_slice(), (all, most_frames));
        let (base, _) = unfold(terrain, &modes, &mut Same(&base), roots, limits, &mut meter)?;
        let machine = terrain.machine;
        let mut first_node = Table::new();
        let mut nodes = 0;
        for comp in machine.components() {
            first_node.push(nodes);
            nodes += machine.nodes_of(comp).len();
        }
        let mut atoms: FxHashMap<TermId, Vec<Lanes<W>>> = FxHashMap::default();
        for (id, _) in programs[0].terms.iter().filter(|(_, term)| matches!(term, Term::Atom(_))) {
            let by_node = labelled(machine, formulas, &named(programs, id), &mut meter)?;
            let mut words = vec![Lanes::NONE; nodes];
            for (node, &lanes) in machine.nodes().zip(&by_node) {
                let position = machine.node_pos(node).index();
                words[first_node[machine.component_of(node)] + position] = lanes;
            }
            atoms.insert(id, words);
        }
        Ok(Batch {
            terrain,
            knots,
            plan: Plan::shape(terrain, programs[0]),
            all,
            atoms,
            first_node,
            modes,
            families: Table::from_iter([base]),
            truth: (0..programs[0].terms.len()).map(|_| None).collect(),
            most_frames,
            contexts: vec![0; programs.len()],
            stats: Stats::default(),
            meter,
        })
    }

    /// Decides one temporal term, whose operands are known.
    fn operator(&mut self, id: TermId) -> Result<(), Stop> {
        let (kind, pass, goal) = self.plan.operator(id);
        let leaves = self.plan.leaves([Some(pass), goal]);
        let ground = self.common_family(&leaves)?;
        let goal = goal.map(|goal| self.words(goal, ground)).transpose()?.unwrap_or_default();
        let (in_sink, is_free) = (self.plan.in_sink(id), self.plan.is_free(id));
        if let Some(ways) = self.terrain.survey().ways.as_deref().filter(|_| is_free)
            && !self.plan.is_inner(id)
            && !(in_sink && self.terrain.machine.end_rule() == EndRule::Sink)
        {
            let Batch { terrain, knots, modes, families, stats, meter, .. } = self;
            let view = View { terrain, knots, modes, family: &families[ground] };
            let words = free::at_initial(view, &goal, ways, stats, meter)?;
            self.truth[id] = Some(Truth::Initial(words));
            return Ok(());
        }
        let pass = self.words(pass, ground)?;
        let operator = Operator { kind, pass, goal, in_sink, is_free };
        let Batch { terrain, knots, modes, families, stats, meter, .. } = self;
        let view = View { terrain, knots, modes, family: &families[ground] };
        let prepared = Prepared::new(view, operator, stats, meter)?;
        if !self.plan.is_inner(id) {
            let machine = terrain.machine;
            let value = |&node| {
                let root = view.family.roots[terrain.root_of(node)];
                prepared.inside[view.family.at(machine, root, machine.node_place(node))]
            };
            self.truth[id] = Some(Truth::Initial(machine.initial().iter().map(value).collect()));
            return Ok(());
        }
        let split = split(view, ground, prepared, self.most_frames, stats, meter)?;
        let family = match split.finer {
            None => ground,
            Some(finer) => self.add_family(finer, ground),
        };
        self.truth[id] = Some(Truth::Words { family, words: split.words });
        Ok(())
    }

    /// Keeps a family, and counts in each lane the frames that are not merely taken over from a
    /// coarser one.
    fn add_family(&mut self, family: Family<W>, coarser: FamilyId) -> FamilyId {
        let now = frames_by_lane(&family, self.all, self.contexts.len());
        let before = frames_by_lane(&self.families[coarser], self.all, self.contexts.len());
        for (count, (now, before)) in self.contexts.iter_mut().zip(now.into_iter().zip(before)) {
            *count += now - before;
        }
        self.families.push(family)
    }

    /// A family that refines those of all the given terms.
    fn common_family(&mut self, leaves: &[TermId]) -> Result<FamilyId, Stop> {
        let family_of = |leaf: &TermId| match self.truth[*leaf] {
            Some(Truth::Words { family, .. }) => family,
            _ => unreachable!("operands are labelled everywhere"),
        };
        let mut wanted: Vec<FamilyId> = leaves.iter().map(family_of).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut common = FamilyId::base();
        // Later families are finer, so begin there: much of the rest is refined already.
        for &family in wanted.iter().rev() {
            let refines = |fine: FamilyId, coarse: FamilyId| {
                fine == coarse || self.families[fine].coarser.iter().any(|&(id, _)| id == coarse)
            };
            if refines(common, family) {
                continue;
            }
            if refines(family, common) {
                common = family;
                continue;
            }
            let product = self.product(common, family)?;
            common = self.add_family(product, common);
        }
        Ok(common)
    }

    fn product(&mut self, left: FamilyId, right: FamilyId) -> Result<Family<W>, Stop> {
        let (a, b) = (&self.families[left], &self.families[right]);
        let roots: Vec<_> = a.roots.iter().map(|(root, &frame)| (frame, b.roots[root])).collect();
        let limits = (self.all, self.most_frames);
        let meter = &mut self.meter;
        let (mut product, pairs) =
            unfold(self.terrain, &self.modes, &mut Both(a, b), &roots, limits, meter)?;
        product.coarser = a.inherited(left, &pairs.iter().map(|(_, &(a, _))| a).collect());
        let mut others = b.inherited(right, &pairs.iter().map(|(_, &(_, b))| b).collect());
        others.retain(|(id, _)| product.coarser.iter().all(|(known, _)| known != id));
        product.coarser.append(&mut others);
        Ok(product)
    }

    /// The words of a term, temporal or not, over the places of a family that refines all it speaks
    /// of. At return sites they mean nothing.
    fn words(&mut self, root: TermId, family: FamilyId) -> Result<Vec<Lanes<W>>, Limit> {
        let Batch { terrain, plan, families, truth, meter, .. } = self;
        let frames = &families[family];
        meter.budget().check_room_for((frames.place_count() * size_of::<Lanes<W>>()) as u64)?;
        let steps = plan.steps(root);
        let slot: FxHashMap<TermId, usize> = steps.iter().copied().zip(0..).collect();
        let mut words = Vec::with_capacity(frames.place_count());
        let mut scratch: Vec<Lanes<W>> = Vec::new();
        for frame in frames.ids() {
            let comp = frames.component[frame];
            let nodes = terrain.machine.nodes_of(comp).len();
            scratch.clear();
            scratch.resize(nodes * steps.len(), Lanes::NONE);
            for (i, &id) in steps.iter().enumerate() {
                meter.tick()?;
                let (done, rest) = scratch.split_at_mut(i * nodes);
                let out = &mut rest[..nodes];
                let row = |f: TermId| &done[slot[&f] * nodes..][..nodes];
                match plan.program.terms[id] {
                    Term::True => out.fill(Lanes::ALL),
                    Term::Atom(_) => {
                        out.copy_from_slice(&self.atoms[&id][self.first_node[comp]..][..nodes]);
                    }
                    Term::Not(f) => combine(out, row(f), row(f), |a, _| !a),
                    Term::And(f, g) => combine(out, row(f), row(g), |a, b| a & b),
                    Term::Or(f, g) => combine(out, row(f), row(g), |a, b| a | b),
                    Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                        out.copy_from_slice(&known(families, &truth[id], family, frame)[..nodes]);
                    }
                }
            }
            words.extend_from_slice(&scratch[(steps.len() - 1) * nodes..]);
            let sites = terrain.machine.places_of(comp).len() - nodes;
            words.resize(words.len() + sites, Lanes::NONE);
        }
        Ok(words)
    }

    /// The truth of the whole program at each initial node.
    fn at_initial(&mut self) -> Result<Vec<Lanes<W>>, Limit> {
        let machine = self.terrain.machine;
        let program = self.plan.program;
        let steps = self.plan.steps(program.root);
        let mut answers = Vec::with_capacity(machine.initial().len());
        for (i, &node) in machine.initial().iter().enumerate() {
            self.meter.tick()?;
            let position = machine.node_pos(node).index();
            let mut value: FxHashMap<TermId, Lanes<W>> = FxHashMap::default();
            for &id in &steps {
                let word = match program.terms[id] {
                    Term::True => Lanes::ALL,
                    Term::Atom(_) => {
                        self.atoms[&id][self.first_node[machine.component_of(node)] + position]
                    }
                    Term::Not(f) => !value[&f],
                    Term::And(f, g) => value[&f] & value[&g],
                    Term::Or(f, g) => value[&f] | value[&g],
                    Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => match &self.truth[id] {
                        Some(Truth::Initial(words)) => words[i],
                        Some(Truth::Words { family, words }) => {
                            let frames = &self.families[*family];
                            let root = frames.roots[self.terrain.root_of(node)];
                            words[frames.first_place(root) + position]
                        }
                        None => unreachable!("operands come first"),
                    },
                };
                value.insert(id, word);
            }
            answers.push(value[&program.root]);
        }
        Ok(answers)
    }

    /// The work that each of so many claims took: its own contexts, and its share of the rest.
    fn shares(&self, claims: usize) -> Vec<Stats> {
        let base = self.families[FamilyId::base()].len() as u64;
        let share = |total: u64, lane: usize| {
            let (even, more) = (total / claims as u64, total % claims as u64);
            even + u64::from((lane as u64) < more)
        };
        let stats = |lane: usize| Stats {
            contexts: self.contexts[lane],
            copies: base + self.contexts[lane],
            evaluations: share(self.stats.evaluations, lane),
            edges: share(self.stats.edges, lane),
            ..Stats::default()
        };
        (0..claims).map(stats).collect()
    }
}

/// For each lane, in how many frames of a family it is.
fn frames_by_lane<const W: usize>(family: &Family<W>, all: Lanes<W>, count: usize) -> Vec<u64> {
    let (mut in_all, mut by_lane) = (0, vec![0; count]);
    for &lanes in family.lanes.as_slice() {
        // As a rule it is all of them.
        match lanes == all {
            true => in_all += 1,
            false => lanes.iter().for_each(|lane| by_lane[lane] += 1),
        }
    }
    by_lane.iter_mut().for_each(|count| *count += in_all);
    by_lane
}

/// What a proposition is called in programs of one shape, each name once, and in which lanes.
fn named<const W: usize>(programs: &[&Program], id: TermId) -> Vec<(AtomId, Lanes<W>)> {
    let mut names: Vec<(AtomId, Lanes<W>)> = Vec::with_capacity(programs.len());
    for (lane, program) in programs.iter().enumerate() {
        if let Term::Atom(atom) = program.terms[id] {
            names.push((atom, Lanes::one(lane)));
        }
    }
    names.sort_unstable_by_key(|&(atom, _)| atom);
    names.dedup_by(|(atom, lanes), (same, all)| {
        let is_same = atom == same;
        *all |= if is_same { *lanes } else { Lanes::NONE };
        is_same
    });
    names
}

/// For each node, the lanes in which it has the label that is named there.
fn labelled<const W: usize>(
    machine: &Machine,
    formulas: &Formulas,
    names: &[(AtomId, Lanes<W>)],
    meter: &mut Meter<'_>,
) -> Result<Vec<Lanes<W>>, Limit> {
    let mut words: Vec<Lanes<W>> = vec![Lanes::NONE; machine.node_count()];
    // Labels that many nodes have, which are rows of bits, by lane.
    let mut rows: [[Option<&[u64]>; WORD]; W] = [[None; WORD]; W];
    for &(atom, lanes) in names {
        let label = machine.label(formulas.atom_name(atom));
        let nodes = label.map_or(Subset::EMPTY, |label| machine.labelled(label));
        match nodes.bits() {
            Some(row) => {
                lanes.iter().for_each(|lane| rows[lane / WORD][lane % WORD] = Some(row));
            }
            None => {
                for node in nodes {
                    meter.tick()?;
                    words[node.index()] |= lanes;
                }
            }
        }
    }
    for (word, rows) in rows.iter().enumerate().filter(|(_, rows)| rows.iter().any(Option::is_some))
    {
        for (at, nodes) in words.chunks_mut(WORD).enumerate() {
            meter.tick()?;
            let mut square = rows.map(|row| row.map_or(0, |row| row[at]));
            bits::transpose(&mut square);
            nodes.iter_mut().zip(square).for_each(|(node, lanes)| node.add_word(word, lanes));
        }
    }
    Ok(words)
}

/// The words of a temporal term in a frame of a family that refines the one it is labelled on.
fn known<'a, const W: usize>(
    families: &'a Table<FamilyId, Family<W>>,
    truth: &'a Option<Truth<W>>,
    family: FamilyId,
    frame: FrameId,
) -> &'a [Lanes<W>] {
    let Some(Truth::Words { family: own, words }) = truth else {
        unreachable!("operands are labelled everywhere")
    };
    families[*own].words(words, families[family].coarsened(family, *own, frame))
}

fn combine<const W: usize>(
    out: &mut [Lanes<W>],
    f: &[Lanes<W>],
    g: &[Lanes<W>],
    op: impl Fn(Lanes<W>, Lanes<W>) -> Lanes<W>,
) {
    for ((out, &f), &g) in out.iter_mut().zip(f).zip(g) {
        *out = op(f, g);
    }
}
