//! Proofs that claims about pointer programs hold.
//!
//! The program is followed once more, by the steps of the certifier. What comes of a step is folded
//! here, and how it was folded is written down, so that the certifier can unfold it again. Measures
//! are looked for as the analysis does, and ordinary engines prove the claim about the machine that
//! comes about.

mod again;
mod check;
mod file;
mod fold;
mod mark;
pub(super) mod names;
mod shapes;
mod told;

pub(super) use told::{Folds, bits};

use super::question::MOST_VALUES;
use super::{HeapModel, HeapSettings};
use check::opposite;
use fold::{Folded, Folding};
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use tern_certify::heap::proof::calls::Outside;
use tern_certify::heap::proof::graph::{Cover, Held, Slot, Tracked};
use tern_certify::heap::proof::step::{Calling, Next, Place, first_place};
use tern_certify::heap::proof::{Assembled, Node, Proof, Prover, Step};
use tern_certify::heap::{Input, NoRun, check_input};
use tern_engine::{Checker, Engine, Options};
use tern_heap::abstraction::Kept;
use tern_heap::canonical::Externals;
use tern_heap::graph::Heap;
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, FormulaId, Formulas, Verdict};
use tern_record::heap_proof::HeapProof;
use told::Told;

/// Variables that are read later on, at places of procedures.
type Live = BTreeMap<(ProcId, Place), BTreeSet<usize>>;

impl HeapModel {
    /// A proof that a claim about an input holds, if one is found.
    pub(super) fn proof(
        &self,
        (input, claim): (usize, FormulaId),
        folds: &Folds<'_>,
        options: &Options,
        budget: &Budget,
    ) -> Result<HeapProof, NoRun> {
        let about = (&self.claims.formulas, claim);
        self.with_prover(input, &folds.told(self), about, |prover| {
            self.proof_by(prover, input, about, folds, (options, budget))
        })
    }

    /// A proof that a claim fails on one input: no run on it is as the claim says.
    pub(super) fn refutation(
        &self,
        (input, claim): (usize, FormulaId),
        begins: &Input,
        folds: &Folds<'_>,
        options: &Options,
        budget: &Budget,
    ) -> Result<HeapProof, NoRun> {
        let (formulas, opposite) = opposite(&self.claims.formulas, claim);
        let about = (&formulas, opposite);
        let mut proof =
            self.with_prover_of((input, begins), &folds.told(self), about, budget, |prover| {
                self.proof_by(prover, input, about, folds, (options, budget))
            })?;
        proof.input = Some(Box::new(file::write_input(begins)));
        Ok(proof)
    }

    /// A proof in which inputs share the states that they have in common; if there is none, one in
    /// which each has its own.
    fn proof_by(
        &self,
        prover: &Prover<'_>,
        input: usize,
        about: (&Formulas, FormulaId),
        folds: &Folds<'_>,
        with: (&Options, &Budget),
    ) -> Result<HeapProof, NoRun> {
        match self.proof_of((prover, input), about, (folds, true), with) {
            Err(NoRun::Refused(_)) => self.proof_of((prover, input), about, (folds, false), with),
            other => other,
        }
    }

    fn proof_of(
        &self,
        (prover, input): (&Prover<'_>, usize),
        about: (&Formulas, FormulaId),
        folds: (&Folds<'_>, bool),
        (options, budget): (&Options, &Budget),
    ) -> Result<HeapProof, NoRun> {
        let mut proof = self.followed(prover, folds, budget)?;
        let assembled = prover.assemble(about.0, about.1, &proof, budget)?;
        let mut machine = machine_evidence(&assembled, options, budget);
        if let Err(NoRun::Refused(_)) = machine {
            proof.avoiding = again::avoiding(prover, &proof, about, &assembled, budget)?;
            if !proof.avoiding.is_empty() {
                let assembled = prover.assemble(about.0, about.1, &proof, budget)?;
                machine = machine_evidence(&assembled, options, budget);
            }
        }
        let written = file::written(&proof, self.show_input(input), machine?);
        let Folds { narrow, chosen, .. } = *folds.0;
        Ok(HeapProof { narrow, chosen, ..written })
    }

    /// The nodes that a proof of a claim would have, narrow or not, without evidence that the claim
    /// holds of them.
    ///
    /// # Errors
    /// Why there is none.
    pub fn proof_nodes(
        &self,
        claim: usize,
        (settings, narrow): (HeapSettings, bool),
        budget: &Budget,
    ) -> Result<HeapProof, NoRun> {
        let Some(formula) = self.claims.list()[claim].formula() else {
            return none("the claim is no formula");
        };
        let (input, formulas) = (self.about[claim], &self.claims.formulas);
        let told = Told { narrow, ..Told::default() };
        self.with_prover(input, &told, (formulas, formula), |prover| {
            let HeapSettings { distance, states, .. } = settings;
            let numbers = MOST_VALUES;
            let folds = Folds { distance, numbers, states, narrow, ..Folds::plain(&self.grammar) };
            let proof = self.followed(prover, (&folds, false), budget)?;
            let machine = serde_json::Value::Null;
            Ok(HeapProof { narrow, ..file::written(&proof, self.show_input(input), machine) })
        })
    }

    /// What an engine says of a claim on the nodes of a proof, if the certifier accepts these.
    ///
    /// # Errors
    /// Why it does not.
    pub fn decide_nodes(
        &self,
        claim: usize,
        proof: &HeapProof,
        options: &Options,
        budget: &Budget,
    ) -> Result<Verdict, NoRun> {
        let Some(formula) = self.claims.list()[claim].formula() else {
            return none("the claim is no formula");
        };
        let (input, formulas) = (self.about[claim], &self.claims.formulas);
        self.with_prover(input, &Told::read(proof), (formulas, formula), |prover| {
            let read = file::read(proof, prover.task.program.procedures().len())?;
            let Assembled { machine, claims } =
                prover.assemble(formulas, formula, &read, budget)?;
            let checker = Checker::new(&machine, budget)?;
            let claim = &claims.list()[0];
            Ok(checker.decide(&claims.formulas, claim, options, budget).verdict)
        })
    }

    fn with_prover<T>(
        &self,
        input: usize,
        told: &Told,
        (formulas, claim): (&Formulas, FormulaId),
        then: impl FnOnce(&Prover<'_>) -> Result<T, NoRun>,
    ) -> Result<T, NoRun> {
        self.with_task(input, |task| {
            let task = told.added(task.clone())?;
            then(&told.prover(&task, (formulas, claim))?)
        })
    }

    /// The same for runs that begin with one input, which is checked.
    fn with_prover_of<T>(
        &self,
        (number, begins): (usize, &Input),
        told: &Told,
        (formulas, claim): (&Formulas, FormulaId),
        budget: &Budget,
        then: impl FnOnce(&Prover<'_>) -> Result<T, NoRun>,
    ) -> Result<T, NoRun> {
        self.with_task(number, |task| {
            check_input(task, begins, &mut Meter::new(budget))?;
            let mut task = told.added(task.clone())?;
            task.heaps = Some(vec![file::input_heap(begins)]);
            then(&told.prover(&task, (formulas, claim))?)
        })
    }

    /// The nodes of a proof; inputs may share a component.
    fn followed(
        &self,
        prover: &Prover<'_>,
        (folds, shared): (&Folds<'_>, bool),
        budget: &Budget,
    ) -> Result<Proof, NoRun> {
        let (live, heads) = self.live(prover.task.locals.keys().copied());
        let Told { more, refinements, .. } = folds.told(self);
        let mut explorer = Explorer {
            prover,
            names: Names { grammar: folds.grammar },
            live,
            heads,
            kept: folds.kept(&prover.ghosts, prover.task.given.len()),
            most_numbers: folds.numbers,
            states: folds.states,
            shared,
            views: folds.views,
            proof: Proof { more, refinements, ..Proof::default() },
            heaps: BTreeMap::new(),
            components: BTreeMap::new(),
            around: BTreeMap::new(),
            nodes: BTreeMap::new(),
            exits: BTreeMap::new(),
            called: BTreeMap::new(),
            returns: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        let mut meter = Meter::new(budget);
        explorer.lemmas(&mut meter)?;
        explorer.explore(&mut meter)?;
        let mut proof = explorer.finish(&mut meter)?;
        proof.ranks = again::ranks(prover, &proof, budget)?;
        Ok(proof)
    }

    /// What is read later on at each place, and the places where loops begin.
    fn live(&self, procedures: impl Iterator<Item = ProcId>) -> (Live, BTreeSet<(ProcId, Place)>) {
        let (mut live, mut heads) = (Live::new(), BTreeSet::new());
        // Procedures of the program in the order of the code.
        let procedures: Vec<ProcId> = match &self.program {
            super::Program::Text(_) => procedures.collect(),
            super::Program::Java(java) => java.reached.clone(),
        };
        for (method, procedure) in self.code.methods.as_slice().iter().zip(procedures) {
            for line in &method.lines {
                let (block, at, case) = line.at;
                let place = Place::At(block.index(), at, case);
                let known = live.entry((procedure, place)).or_default();
                known.extend(line.live.iter().map(|it| *it as usize));
                if line.head {
                    heads.insert((procedure, place));
                }
            }
        }
        (live, heads)
    }
}

fn none<T>(why: &str) -> Result<T, NoRun> {
    Err(NoRun::Refused(why.to_owned()))
}

/// Evidence that the claim holds of the machine of a proof.
fn machine_evidence(
    Assembled { machine, claims }: &Assembled,
    options: &Options,
    budget: &Budget,
) -> Result<serde_json::Value, NoRun> {
    let claim = &claims.list()[0];
    for engine in [options.engine, Engine::named("automata")] {
        let options =
            Options { engine, evidence: true, runs: None, regions: false, ..options.clone() };
        let checker = Checker::new(machine, budget)?;
        let outcome = checker.decide(&claims.formulas, claim, &options, budget);
        if outcome.verdict == Verdict::Holds
            && let Some(json) =
                tern_record::json::evidence_value(machine, &claims.formulas, claim, &outcome)
        {
            return Ok(json);
        }
    }
    none("the claim is not proved of the machine that the certifier sees")
}

/// How many objects and hyperedges may lie around the heap of a callee.
const MOST_AROUND: usize = 16;

/// A program that is followed.
struct Explorer<'a> {
    prover: &'a Prover<'a>,
    names: Names<'a>,
    live: Live,
    /// Where loops begin.
    heads: BTreeSet<(ProcId, Place)>,
    kept: Kept,
    most_numbers: usize,
    states: usize,
    /// Whether inputs share a component.
    shared: bool,
    /// Whether it is known what lies around heaps of callees that the claim remembers.
    views: bool,
    proof: Proof,
    heaps: BTreeMap<Heap, usize>,
    /// Components by their procedures, how they begin, and what lies around their heaps.
    components: BTreeMap<(Option<ProcId>, Begins, Heap), usize>,
    /// For each node that calls, why its callee's surroundings are what they are.
    around: BTreeMap<usize, Cover>,
    nodes: BTreeMap<(usize, Place, usize), usize>,
    exits: BTreeMap<(usize, usize), usize>,
    /// For each node that calls the component that it calls, and what is left outside.
    called: BTreeMap<usize, (usize, Outside)>,
    returns: BTreeMap<(usize, usize), Cover>,
    /// The numbers that variables were.
    numbers: BTreeMap<(ProcId, usize), BTreeSet<i64>>,
}

/// How a component begins.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Begins {
    /// With a heap.
    With(usize),
    /// With any input in which what the claim remembers is of the same types, and the same of it is
    /// `null` or the same object: each by the number of an external object, from 1.
    Like(Vec<(Slot, Held, Option<String>)>),
}

impl Explorer<'_> {
    fn lemmas(&mut self, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        for lemma in self.prover.grammar.lemmas()? {
            let found = fold::lemma(&self.names, &self.prover.grammar, &lemma, meter)?;
            match found {
                Some(cover) => self.proof.lemmas.push(cover),
                None => return none("a case of the grammar is not covered"),
            }
        }
        Ok(())
    }

    fn folded(
        &self,
        heap: &Tracked,
        externals: Externals,
        keeps: impl Fn(Slot) -> bool,
        kept: Kept,
        meter: &mut Meter<'_>,
    ) -> Result<Folded, NoRun> {
        let folding = Folding::new(&self.names, &self.prover.grammar, heap, keeps);
        let Some(mut folding) = folding else { return none("a heap cannot be folded") };
        folding.all(self.names.grammar, kept, meter)?;
        Ok(folding.canonical(externals))
    }

    fn heap(&mut self, heap: &Heap) -> usize {
        if let Some(known) = self.heaps.get(heap) {
            return *known;
        }
        self.proof.heaps.push(self.names.written(heap));
        self.heaps.insert(heap.clone(), self.proof.heaps.len() - 1);
        self.proof.heaps.len() - 1
    }

    /// How a callee begins with a heap that a caller gives it.
    fn begins(&self, caller: Option<ProcId>, heap: usize) -> Begins {
        if !self.shared || caller.is_some() {
            return Begins::With(heap);
        }
        let heap = &self.proof.heaps[heap];
        let remembered = heap.slots.iter().filter(|it| matches!(it.0, Slot::Ghost(_)));
        let place = |object: usize| {
            let place = heap.graph.externals.iter().position(|it| *it == object);
            place.map_or(0, |place| place + 1)
        };
        let like = remembered.map(|(slot, held)| match *held {
            Held::Object(object) => {
                let kind = heap.kind(object).map(str::to_owned);
                (*slot, Held::Object(place(object)), kind)
            }
            other => (*slot, other, None),
        });
        Begins::Like(like.collect())
    }

    fn component(&mut self, procedure: Option<ProcId>, begins: Begins, view: Heap) -> usize {
        let written = self.names.written(&view);
        *self.components.entry((procedure, begins, view)).or_insert_with(|| {
            self.proof.components.push(procedure);
            if self.prover.whole || self.views {
                self.proof.views.push(written);
            }
            self.proof.components.len() - 1
        })
    }

    /// What lies around the heap of a callee, folded as far as can be: nobody's names for it
    /// matter, but for what the claim remembers if it is not about all of the heap.
    fn view(
        &mut self,
        caller: usize,
        outside: &Outside,
        meter: &mut Meter<'_>,
    ) -> Result<Heap, NoRun> {
        let component = self.proof.nodes[caller].component;
        let Some(view) = self.proof.views.get(component) else { return Ok(Heap::default()) };
        let around = outside.around(view, !self.prover.whole)?;
        let (names, grammar) = (&self.names, &self.prover.grammar);
        let (folding, kept) = match self.prover.whole {
            true => (Folding::whole(names, &around.heap), Kept::within(0)),
            false => (Folding::new(names, grammar, &around, |_| true), self.kept),
        };
        let Some(mut folding) = folding else { return none("a heap cannot be folded") };
        folding.all(self.names.grammar, kept, meter)?;
        let folded = folding.canonical(Externals::Ordered);
        if folded.heap.len() + folded.heap.edges().len() > MOST_AROUND {
            return none("what lies around the heap of a callee is large");
        }
        self.around.insert(caller, folded.cover(0));
        Ok(folded.heap)
    }

    fn node(&mut self, component: usize, place: Place, heap: usize) -> usize {
        *self.nodes.entry((component, place, heap)).or_insert_with(|| {
            self.proof.nodes.push(Node { component, place, heap });
            self.proof.nodes.len() - 1
        })
    }

    /// Whether a slot is needed at a place.
    fn needs(&self, procedure: Option<ProcId>, place: Place, slot: Slot) -> bool {
        let is_live = match (procedure, place, slot) {
            (Some(procedure), Place::At(..), Slot::Variable(number)) => {
                self.live.get(&(procedure, place)).is_some_and(|live| live.contains(&number))
            }
            (_, place, _) if place.is_broken_off() => true,
            _ => false,
        };
        is_live || self.prover.keeps(procedure, slot)
    }

    fn explore(&mut self, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        let mut markings = Vec::new();
        let inputs = self.prover.inputs(|heaps, slot| {
            let marking = self.marking(heaps, slot, meter)?;
            let marked = marking.marked.clone();
            markings.push(marking);
            Ok(marked)
        })?;
        self.proof.markings = markings;
        for input in inputs {
            let folded = self.folded(
                &Tracked::new(&input),
                Externals::Ordered,
                |_| true,
                self.kept.between_loops(),
                meter,
            )?;
            let heap = self.heap(&folded.heap);
            let component = self.component(None, Begins::With(heap), Heap::default());
            let node = self.node(component, Place::Begin, heap);
            self.proof.initial.push(folded.cover(node));
        }
        let mut next = 0;
        while next < self.proof.nodes.len() {
            meter.tick()?;
            if next > self.states {
                return none("there are too many states");
            }
            self.follow(next, meter)?;
            next += 1;
        }
        Ok(())
    }

    fn follow(&mut self, number: usize, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        let Node { component, place, heap } = self.proof.nodes[number];
        let procedure = self.proof.components[component];
        let mut steps = Vec::new();
        for next in self.prover.next(procedure, place, &self.proof.heaps[heap])? {
            steps.push(match next {
                Next::Goes(place, mut heap) => {
                    self.forget(procedure, number, &mut heap);
                    let node = self.arrive(component, place, &heap, meter)?;
                    Step { cover: node, keep: Vec::new() }
                }
                Next::Returns(heap) => {
                    let folded = self.folded(
                        &heap,
                        Externals::Ordered,
                        |_| true,
                        self.kept.between_loops(),
                        meter,
                    )?;
                    let heap = self.heap(&folded.heap);
                    let count = self.proof.exits.len();
                    let exit = *self.exits.entry((component, heap)).or_insert(count);
                    if exit == count {
                        self.proof.exits.push((component, heap));
                        let callers = self.called.iter().filter(|(_, it)| it.0 == component);
                        for node in callers.map(|(node, _)| *node).collect::<Vec<_>>() {
                            self.come_back(node, exit, meter)?;
                        }
                    }
                    Step { cover: folded.cover(exit), keep: Vec::new() }
                }
                Next::Calls(calling) => self.call(number, &calling, meter)?,
            });
        }
        self.proof.steps.push(steps);
        Ok(())
    }

    /// The node at a place with a heap from which is dropped what is not needed.
    fn arrive(
        &mut self,
        component: usize,
        place: Place,
        heap: &Tracked,
        meter: &mut Meter<'_>,
    ) -> Result<Cover, NoRun> {
        let procedure = self.proof.components[component];
        let needs = |slot| self.needs(procedure, place, slot);
        let is_head = procedure.is_some_and(|it| self.heads.contains(&(it, place)));
        let kept = if is_head { self.kept } else { self.kept.between_loops() };
        let folded = self.folded(heap, Externals::Ordered, needs, kept, meter)?;
        let heap = self.heap(&folded.heap);
        Ok(folded.cover(self.node(component, place, heap)))
    }

    fn call(
        &mut self,
        number: usize,
        calling: &Calling,
        meter: &mut Meter<'_>,
    ) -> Result<Step, NoRun> {
        let procedure = self.proof.components[self.proof.nodes[number].component];
        let slots = calling.heap.heap.slots.keys().copied();
        let keep: BTreeSet<Slot> = slots
            .filter(|slot| {
                let written = calling.to == Some(*slot);
                self.prover.keeps(procedure, *slot)
                    || !written && self.needs(procedure, calling.next, *slot)
            })
            .collect();
        let (inside, mut outside) = self.prover.split(calling, &keep)?;
        let (callee, first) = (calling.callee, first_place(self.prover.task, calling.callee)?);
        let needs = |slot| self.needs(Some(callee), first, slot);
        let kept = self.kept.between_loops();
        let folded = self.folded(&inside, Externals::Unordered, needs, kept, meter)?;
        let heap = self.heap(&folded.heap);
        let cover = folded.cover(0);
        let externals = self.proof.heaps[heap].graph.externals.iter();
        let externals: Vec<usize> = externals.map(|it| cover.map[it - 1]).collect();
        outside.order(&inside.heap.graph.externals, &externals)?;
        let view = self.view(number, &outside, meter)?;
        let begins = self.begins(procedure, heap);
        let component = self.component(Some(callee), begins, view);
        let cover = Cover { to: self.node(component, first, heap), ..cover };
        self.called.insert(number, (component, outside));
        let exits = (0..self.proof.exits.len()).filter(|it| self.proof.exits[*it].0 == component);
        for exit in exits.collect::<Vec<_>>() {
            self.come_back(number, exit, meter)?;
        }
        Ok(Step { cover, keep: keep.into_iter().collect() })
    }

    fn come_back(&mut self, node: usize, exit: usize, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        let (_, outside) = &self.called[&node];
        let (heap, _) = outside.joined(&self.proof.heaps[self.proof.exits[exit].1])?;
        let (component, place) = (self.proof.nodes[node].component, outside.next);
        let cover = self.arrive(component, place, &heap, meter)?;
        self.returns.insert((node, exit), cover);
        Ok(())
    }

    /// A variable that was too many numbers is any from then on.
    fn forget(&mut self, procedure: Option<ProcId>, number: usize, heap: &mut Tracked) {
        let Some(procedure) = procedure else { return };
        let before = &self.proof.heaps[self.proof.nodes[number].heap].slots;
        for (slot, held) in &mut heap.heap.slots {
            let (Slot::Variable(variable), Held::Integer(now)) = (slot, *held) else { continue };
            if before.get(slot) == Some(&Held::Integer(now)) {
                continue;
            }
            let seen = self.numbers.entry((procedure, *variable)).or_default();
            if seen.len() < self.most_numbers {
                seen.insert(now);
            } else if !seen.contains(&now) {
                *held = Held::Any;
            }
        }
    }
}
