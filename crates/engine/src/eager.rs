//! Eager checking of CTL: bottom-up over the subformulas, in all reachable contexts.
//!
//! For each temporal operator, operands first:
//!
//! 1. *Frames.* Take the frames on which all operands are labelled. One operand: its own frames.
//!    Several that are not refinements of each other: the reachable part of their product.
//! 2. *Inside.* Find where the operator is true without help from the caller ([`Prepared`]).
//! 3. *Contexts.* A bit of an exit matters in a frame only if some reachable node returns by it and
//!    is not true already. From the root frames down, evaluate each frame under its bits; the values
//!    at the return sites of a box are the bits of its callee. Equal (frame, relevant bits) are one new
//!    frame. Where no bit matters anywhere, the old frames serve on.
//!
//! An operator that no other temporal operator looks at is evaluated in the root frames only:
//! it needs no contexts of its own.
//!
//! # Invariants
//! * Exact: the row of a frame says where the operator holds under *every* stack that leads to it.
//! * The frames of an operator refine those of its operands.
//!
//! # Why it ends
//! A frame of n exits is split into at most 2^n new ones for each operator. All work between two
//! splits is linear in the edges of the frames, times their called entries.
//!
//! # Source
//! Alur, Chaudhuri, Etessami, Guha, Yannakakis: analysis of recursive state machines (the summaries),
//! and EagerCheck of Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines,
//! SoSyM 2024. We depart: contexts are not guessed but computed from the root down; they hold bits of
//! one operator at a time and only those that matter; the outermost operators have none.

use crate::bits;
use crate::frames::{self, Frames, Mode};
use crate::operator::{Kind, Operator, Prepared, View};
use crate::summary::NONE;
use crate::terrain::Terrain;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Formulas, Frame, Id, Labelling, Layer, Limit, NodeId, Stats, TermId};

/// What was decided: the truth of a program at each initial node, in their order.
pub(crate) struct Decision {
    pub(crate) at_initial: Vec<bool>,
    pub(crate) labelling: Option<Labelling>,
    pub(crate) stats: Stats,
}

/// Decides a program at the initial nodes, and everywhere if `everywhere` is set.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    everywhere: bool,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut meter = Meter::new(budget);
    let (base, modes) = frames::base(terrain, &mut meter)?;
    let mut run = Eager {
        terrain,
        program,
        atoms: atom_rows(terrain, formulas, program),
        in_sink: truth_in_sink(program),
        modes,
        stats: Stats { contexts: base.len() as u64, ..Stats::default() },
        families: vec![base],
        truth: Table::filled(None, program.terms.len()),
        meter,
    };
    let inner = inner_operators(program);
    for (id, term) in program.terms.iter() {
        if term.is_temporal() {
            run.operator(id, everywhere || inner.contains(id.index()))?;
        }
    }
    let at_initial = run.at_initial()?;
    let labelling = everywhere.then(|| run.labelling());
    Ok(Decision { at_initial, labelling, stats: run.stats })
}

/// The temporal terms that lie below another temporal term.
fn inner_operators(program: &Program) -> FixedBitSet {
    let mut inner = FixedBitSet::with_capacity(program.terms.len());
    for (id, &term) in program.terms.iter().rev() {
        if term.is_temporal() || inner.contains(id.index()) {
            inner.extend(term.operands().map(TermId::index));
        }
    }
    inner
}

/// The truth of each term in the sink: a state without labels whose only successor is itself.
fn truth_in_sink(program: &Program) -> Table<TermId, bool> {
    let mut truth: Table<TermId, bool> = Table::new();
    for (_, &term) in program.terms.iter() {
        let value = match term {
            Term::True => true,
            Term::Atom(_) => false,
            Term::Not(f) => !truth[f],
            Term::And(f, g) => truth[f] && truth[g],
            Term::Or(f, g) => truth[f] || truth[g],
            Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => truth[f],
        };
        truth.push(value);
    }
    truth
}

fn atom_rows(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
) -> FxHashMap<TermId, Vec<u64>> {
    let row = |(id, term): (TermId, &Term)| match *term {
        Term::Atom(atom) => {
            let label = terrain.machine.label(formulas.atom_name(atom));
            Some((id, terrain.label_row(label)))
        }
        _ => None,
    };
    program.terms.iter().filter_map(row).collect()
}

/// Where a temporal term holds.
#[derive(Clone)]
enum Truth {
    /// In each frame of a family: rows over the nodes of all frames.
    Rows { family: usize, rows: Vec<u64> },
    /// At the initial nodes only, in their order.
    Initial(Vec<bool>),
}

struct Eager<'a> {
    terrain: &'a Terrain<'a>,
    program: &'a Program,
    atoms: FxHashMap<TermId, Vec<u64>>,
    in_sink: Table<TermId, bool>,
    modes: Vec<Mode>,
    /// All families of frames made so far; the first are the base frames.
    families: Vec<Frames>,
    /// For the temporal terms.
    truth: Table<TermId, Option<Truth>>,
    stats: Stats,
    meter: Meter<'a>,
}

impl Eager<'_> {
    /// Labels one temporal term, whose operands are labelled.
    fn operator(&mut self, id: TermId, everywhere: bool) -> Result<(), Limit> {
        let (kind, pass, goal) = match self.program.terms[id] {
            Term::Ex(f) => (Kind::Next, f, None),
            Term::Eg(f) => (Kind::Globally, f, None),
            Term::Eu(f, g) => (Kind::Until, f, Some(g)),
            _ => unreachable!("only temporal terms are labelled"),
        };
        let leaves = self.leaves([Some(pass), goal]);
        let family = self.common_family(&leaves)?;
        let operator = Operator {
            kind,
            pass: self.rows(pass, family)?,
            goal: goal.map(|goal| self.rows(goal, family)).transpose()?.unwrap_or_default(),
            in_sink: self.in_sink[id],
        };
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[family], modes };
        let prepared = Prepared::new(view, operator, stats, meter)?;
        let truth = if everywhere {
            match split(view, family, &prepared, stats, meter)? {
                Split::None(rows) => Truth::Rows { family, rows },
                Split::Finer(frames, rows) => {
                    stats.contexts += frames.len() as u64;
                    families.push(frames);
                    Truth::Rows { family: families.len() - 1, rows }
                }
            }
        } else {
            let mut values = FxHashMap::default();
            for (&comp, &root) in terrain.root_components.iter().zip(&view.frames.roots) {
                values.insert(comp, prepared.evaluate(view, root, &[], stats, meter)?);
            }
            let value = |&node: &NodeId| {
                let row = &values[&terrain.machine.component_of(node)];
                bits::get(row, terrain.machine.place_position(terrain.machine.node_place(node)))
            };
            Truth::Initial(terrain.machine.initial().iter().map(value).collect())
        };
        self.truth[id] = Some(truth);
        Ok(())
    }

    /// The temporal terms that some terms speak of without another temporal term between.
    fn leaves(&self, roots: [Option<TermId>; 2]) -> Vec<TermId> {
        let mut seen = FixedBitSet::with_capacity(self.program.terms.len());
        let mut stack: Vec<TermId> = roots.into_iter().flatten().collect();
        let mut leaves = Vec::new();
        while let Some(id) = stack.pop() {
            if seen.put(id.index()) {
                continue;
            }
            let term = self.program.terms[id];
            if term.is_temporal() {
                leaves.push(id);
            } else {
                stack.extend(term.operands());
            }
        }
        leaves
    }

    fn family_of(&self, id: TermId) -> usize {
        match self.truth[id] {
            Some(Truth::Rows { family, .. }) => family,
            _ => unreachable!("operands are labelled everywhere"),
        }
    }

    /// A family of frames that refines those of all the given terms.
    fn common_family(&mut self, leaves: &[TermId]) -> Result<usize, Limit> {
        let mut wanted: Vec<usize> = leaves.iter().map(|&leaf| self.family_of(leaf)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut common = 0;
        // Later families are finer, so begin there: much of the rest is refined already.
        for &family in wanted.iter().rev() {
            let refines = |fine: usize, coarse: usize| {
                fine == coarse || self.families[fine].coarser.iter().any(|&(id, _)| id == coarse)
            };
            if refines(common, family) {
                continue;
            }
            if refines(family, common) {
                common = family;
                continue;
            }
            let pair = [(common, &self.families[common]), (family, &self.families[family])];
            let product =
                frames::product(self.terrain, &self.modes, pair[0], pair[1], &mut self.meter)?;
            self.stats.contexts += product.len() as u64;
            self.families.push(product);
            common = self.families.len() - 1;
        }
        Ok(common)
    }

    /// The rows of a term, temporal or not, on a family that refines all it speaks of.
    fn rows(&mut self, root: TermId, family: usize) -> Result<Vec<u64>, Limit> {
        let steps = self.boolean_steps(root);
        let slot: FxHashMap<TermId, usize> = steps.iter().copied().zip(0..).collect();
        let frames = &self.families[family];
        self.meter.budget().check_room_for(frames.row_words() as u64 * 8)?;
        let mut rows = vec![0; frames.row_words()];
        let mut scratch = Vec::new();
        for frame in 0..frames.len() as u32 {
            let comp = frames.component[frame as usize];
            let words = self.terrain.row_words(comp);
            let nodes = self.terrain.machine.nodes_of(comp).len();
            scratch.clear();
            scratch.resize(words * steps.len(), 0);
            for (i, &id) in steps.iter().enumerate() {
                self.meter.tick()?;
                let (done, rest) = scratch.split_at_mut(i * words);
                let out = &mut rest[..words];
                let row = |f: TermId| &done[slot[&f] * words..][..words];
                match self.program.terms[id] {
                    Term::True => out.fill(u64::MAX),
                    Term::Atom(_) => {
                        out.copy_from_slice(self.terrain.row_of(&self.atoms[&id], comp));
                    }
                    Term::Not(f) => combine(out, row(f), row(f), |a, _| !a),
                    Term::And(f, g) => combine(out, row(f), row(g), |a, b| a & b),
                    Term::Or(f, g) => combine(out, row(f), row(g), |a, b| a | b),
                    Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                        out.copy_from_slice(self.truth_row(id, family, frame));
                    }
                }
                bits::trim(out, nodes);
            }
            rows[frames.row_start[frame as usize]..][..words]
                .copy_from_slice(&scratch[(steps.len() - 1) * words..]);
        }
        Ok(rows)
    }

    /// The terms to compute for `root`, down to propositions and temporal terms; operands first.
    fn boolean_steps(&self, root: TermId) -> Vec<TermId> {
        let mut steps = FixedBitSet::with_capacity(root.index() + 1);
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !steps.put(id.index()) && !self.program.terms[id].is_temporal() {
                stack.extend(self.program.terms[id].operands());
            }
        }
        steps.ones().map(TermId::new).collect()
    }

    /// The row of a temporal term in a frame of a family that refines its own.
    fn truth_row(&self, id: TermId, family: usize, frame: u32) -> &[u64] {
        let Some(Truth::Rows { family: own, rows }) = &self.truth[id] else {
            unreachable!("operands are labelled everywhere")
        };
        let own_frame = if *own == family {
            frame
        } else {
            let mut coarser = self.families[family].coarser.iter();
            let (_, map) = coarser.find(|(id, _)| id == own).expect("the family refines it");
            map[frame as usize]
        };
        self.families[*own].row(rows, own_frame)
    }

    /// The truth of the whole program at each initial node.
    fn at_initial(&mut self) -> Result<Vec<bool>, Limit> {
        let machine = self.terrain.machine;
        let steps = self.boolean_steps(self.program.root);
        let mut answers = Vec::with_capacity(machine.initial().len());
        let mut value: FxHashMap<TermId, bool> = FxHashMap::default();
        for (i, &node) in machine.initial().iter().enumerate() {
            let comp = machine.component_of(node);
            let position = machine.place_position(machine.node_place(node));
            for &id in &steps {
                self.meter.tick()?;
                let holds = match self.program.terms[id] {
                    Term::True => true,
                    Term::Atom(_) => {
                        bits::get(self.terrain.row_of(&self.atoms[&id], comp), position)
                    }
                    Term::Not(f) => !value[&f],
                    Term::And(f, g) => value[&f] && value[&g],
                    Term::Or(f, g) => value[&f] || value[&g],
                    Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => match &self.truth[id] {
                        Some(Truth::Initial(values)) => values[i],
                        Some(Truth::Rows { family, rows }) => {
                            let roots = &self.terrain.root_components;
                            let root = roots.binary_search(&comp).expect("it has an initial node");
                            let frames = &self.families[*family];
                            bits::get(frames.row(rows, frames.roots[root]), position)
                        }
                        None => unreachable!("operands come first"),
                    },
                };
                value.insert(id, holds);
            }
            answers.push(value[&self.program.root]);
        }
        Ok(answers)
    }

    fn labelling(&self) -> Labelling {
        let layer = |(id, truth): (TermId, &Option<Truth>)| match truth {
            Some(Truth::Rows { family, rows }) => {
                Some(self.layer(id, &self.families[*family], rows))
            }
            _ => None,
        };
        Labelling {
            program: self.program.clone(),
            layers: self.truth.iter().filter_map(layer).collect(),
        }
    }

    fn layer(&self, term: TermId, family: &Frames, rows: &[u64]) -> Layer {
        let machine = self.terrain.machine;
        let frame = |id: u32| {
            let component = family.component[id as usize];
            let links = machine.boxes_of(component).iter().zip(family.links_of(id));
            let mut callees: Vec<_> =
                links.filter(|&(_, &to)| to != NONE).map(|(&call, &to)| (call, to)).collect();
            callees.sort_unstable();
            let mut holds = FixedBitSet::with_capacity(machine.nodes_of(component).len());
            holds.extend(bits::ones(family.row(rows, id)));
            Frame { component, callees, holds }
        };
        Layer {
            term,
            frames: (0..family.len() as u32).map(frame).collect(),
            roots: self.terrain.root_components.iter().copied().zip(family.roots.clone()).collect(),
        }
    }
}

fn combine(out: &mut [u64], f: &[u64], g: &[u64], op: impl Fn(u64, u64) -> u64) {
    for ((out, &f), &g) in out.iter_mut().zip(f).zip(g) {
        *out = op(f, g);
    }
}

/// How an operator's frames come out.
enum Split {
    /// No context bit matters: the operator's rows on the frames it was given.
    None(Vec<u64>),
    /// New frames, and the operator's rows on them.
    Finer(Frames, Vec<u64>),
}

/// Tells frames apart by the context bits of an operator, as far as they matter.
fn split(
    view: View<'_>,
    family: usize,
    prepared: &Prepared,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Split, Limit> {
    let (terrain, machine, frames) = (view.terrain, view.terrain.machine, view.frames);
    let mut without = Vec::with_capacity(frames.len());
    let mut relevant = Vec::with_capacity(frames.len());
    for frame in 0..frames.len() as u32 {
        let values = prepared.evaluate(view, frame, &[], stats, meter)?;
        let ended = view.modes[frames.mode[frame as usize] as usize].ended;
        relevant.push(if ended {
            Box::default()
        } else {
            prepared.relevant_exits(view, frame, &values)
        });
        without.push(values);
    }
    let words = |frame: u32| terrain.row_words(frames.component[frame as usize]);
    if relevant.iter().all(|row| row.is_empty()) {
        let mut rows = Vec::with_capacity(frames.row_words());
        for frame in 0..frames.len() as u32 {
            push_node_row(
                &mut rows,
                machine,
                frames,
                frame,
                &without[frame as usize],
                words(frame),
            );
        }
        return Ok(Split::None(rows));
    }

    let mut finer = Frames::new();
    let mut rows = Vec::new();
    // For each new frame: the frame it comes from, and its context bits.
    let mut contexts: Vec<(u32, Box<[u64]>)> = Vec::new();
    let mut known: FxHashMap<(u32, Box<[u64]>), u32> = FxHashMap::default();
    let mut intern = |finer: &mut Frames, contexts: &mut Vec<_>, frame: u32, after: Box<[u64]>| {
        *known.entry((frame, after)).or_insert_with_key(|(frame, after)| {
            contexts.push((*frame, after.clone()));
            let mode = frames.mode[*frame as usize];
            let ended = view.modes[mode as usize].ended;
            finer.push(terrain, frames.component[*frame as usize], mode, ended)
        })
    };
    for &root in &frames.roots {
        let root = intern(&mut finer, &mut contexts, root, Box::default());
        finer.roots.push(root);
    }
    let mut next = 0;
    while next < contexts.len() {
        meter.tick()?;
        let (frame, after) = contexts[next].clone();
        let evaluated;
        let values = if after.is_empty() {
            &without[frame as usize]
        } else {
            evaluated = prepared.evaluate(view, frame, &after, stats, meter)?;
            &evaluated
        };
        push_node_row(&mut rows, machine, frames, frame, values, words(frame));
        meter.budget().check()?;
        for (position, &call) in
            machine.boxes_of(frames.component[frame as usize]).iter().enumerate()
        {
            let callee = frames.link(frame, position);
            if callee == NONE {
                continue;
            }
            let after = bits_after(machine, call, &relevant[callee as usize], values);
            let to = intern(&mut finer, &mut contexts, callee, after);
            finer.set_link(next as u32, position, to);
        }
        next += 1;
    }
    finer.coarser = frames::inherited(family, frames, contexts.iter().map(|&(frame, _)| frame));
    Ok(Split::Finer(finer, rows))
}

/// The context bits that a box gives its callee: the values at its return sites, as far as they
/// are relevant. Empty if all are false.
fn bits_after(
    machine: &tern_model::Machine,
    call: tern_model::BoxId,
    relevant: &[u64],
    values: &[u64],
) -> Box<[u64]> {
    let mut after: Box<[u64]> = Box::default();
    if relevant.is_empty() {
        return after;
    }
    for (exit, site) in machine.sites_of(call) {
        let exit = machine.exit_position(exit);
        if bits::get(relevant, exit) && bits::get(values, machine.place_position(site)) {
            if after.is_empty() {
                after = vec![0; relevant.len()].into();
            }
            bits::insert(&mut after, exit);
        }
    }
    after
}

/// Appends the nodes' part of the values at the places of a frame.
fn push_node_row(
    rows: &mut Vec<u64>,
    machine: &tern_model::Machine,
    frames: &Frames,
    frame: u32,
    values: &[u64],
    words: usize,
) {
    let from = rows.len();
    rows.extend_from_slice(&values[..words]);
    bits::trim(&mut rows[from..], machine.nodes_of(frames.component[frame as usize]).len());
}
