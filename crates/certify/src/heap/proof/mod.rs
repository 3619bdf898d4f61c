//! Proofs that claims about pointer programs hold: heaps with hyperedges at places of the program,
//! and for each step why what comes of it is there.
//!
//! A proof has *nodes*, each a place of the program with a heap; components of nodes, one for each
//! way in which a procedure is called; and exits, the heaps with which procedures return. For each
//! node the program is followed here on its heap ([`step`]), in all cases that the grammar leaves
//! open ([`grammar`]), and through calls ([`calls`]). For each thing that comes of it the proof
//! names a node or exit whose heap *covers* it ([`graph`]): hyperedges to be replaced by rules, and
//! which object is which. So no case is missing, and every run of the program from every input is a
//! run of the machine that these nodes form ([`inputs`] says what inputs there are). Measures show
//! which nodes are visited again and again ([`ranks`]), propositions are looked at by code of its
//! own ([`labels`], [`reach`]).
//!
//! A proof may tell apart more than the grammar does ([`refined`]). That some run exists is proved
//! by that all runs are so, perhaps of those that go one way wherever the program may go either.
//!
//! That the claim holds of this machine is proved by ordinary evidence about machines. Nothing is
//! searched for.
//!
//! There are no proofs where the program does something that is not followed.

pub mod calls;
pub mod grammar;
pub mod graph;
pub mod inputs;
pub mod labels;
pub mod ranks;
pub mod reach;
pub mod refined;
pub mod step;
mod ways;

use super::atoms::{Base, Kind, Proposition, Term};
use super::shapes::Nonterminal;
use super::{
    NoRun, Task, asks_for_some_path, for_all_paths, read_propositions, refused, without_quantifiers,
};
use calls::{Outside, fields_read, split};
use grammar::Grammar;
use graph::{AbstractHeap, Cover, Origin, Slot, Strictness, Tracked};
use inputs::{Marking, Remembered};
use labels::Spot;
use ranks::{Arrow, Avoiding, Measure, recurrent};
use reach::Reach;
use refined::Variant;
use std::collections::{BTreeMap, BTreeSet};
use step::{Next, Place, Stepper, first_place, has_one_run};
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::builder::Builder;
use tern_model::{
    Budget, Claim, Claims, CompId, Edge, ExitId, Fairness, Formula, FormulaId, Formulas, Id,
    Machine, NodeId, Place as Spring, Surety, Tri,
};
use ways::{Back, Way, arrows};

/// The label of nodes that may be visited again and again. Claims cannot name it.
const AGAIN: &str = "#again";

/// The label of nodes that runs visit again and again: by all measures, then by those of what is
/// left without some nodes.
fn again(kind: usize) -> String {
    match kind {
        0 => AGAIN.to_owned(),
        _ => format!("{AGAIN}{kind}"),
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its component.
    pub component: usize,
    /// Where it is.
    pub place: Place,
    /// Its heap.
    pub heap: usize,
}

/// Why something that comes of a step is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The node, exit or entry that covers it.
    pub cover: Cover,
    /// If it is a call, the slots that the caller still needs.
    pub keep: Vec<Slot>,
}

/// A proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Nonterminals that the grammar has not.
    pub more: BTreeMap<String, Nonterminal>,
    /// What nonterminals are told apart into, one after the other.
    pub refinements: Vec<Vec<Variant>>,
    /// The heaps.
    pub heaps: Vec<AbstractHeap>,
    /// The procedure of each component; nothing for those before and after the checked one.
    pub components: Vec<Option<ProcId>>,
    /// If the claim is about all of the heap, or about objects that lie around that of a frame:
    /// what lies around the heaps of each component, external what these have in common with it.
    pub views: Vec<AbstractHeap>,
    /// Why it does, for each node that calls.
    pub around: Vec<Cover>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The exits: component and heap.
    pub exits: Vec<(usize, usize)>,
    /// Why concretisation misses nothing.
    pub lemmas: Vec<Cover>,
    /// Why objects of inputs that claims or parameters speak of may be anywhere in them.
    pub markings: Vec<Marking>,
    /// For each kind of input the node that covers it.
    pub initial: Vec<Cover>,
    /// For each node why what comes of it is there.
    pub steps: Vec<Vec<Step>>,
    /// For each node that calls, and each exit of its callee, the node that covers what is there
    /// then.
    pub returns: Vec<Cover>,
    /// Why something has a shape: a node, a proposition, and a cover for each case.
    pub shapes: Vec<(usize, String, Vec<Cover>)>,
    /// Measures, in rounds.
    pub ranks: Vec<Vec<Measure>>,
    /// The same without some nodes.
    pub avoiding: Vec<Avoiding>,
}

/// What a proof is about, and what it relies on.
pub struct Prover<'a> {
    /// The program.
    pub task: &'a Task<'a>,
    /// The grammar.
    pub grammar: Grammar<'a>,
    /// The propositions of the claim.
    pub propositions: BTreeMap<String, Proposition>,
    /// What the claim remembers.
    pub ghosts: Vec<Remembered>,
    /// The variables that the claim names.
    pub named: BTreeSet<(ProcId, usize)>,
    /// Whether nothing is left to chance: each input has one run.
    one_run: bool,
    /// Whether the claim is about objects that are lost, or about all of the heap: no variable is
    /// forgotten.
    tracks: bool,
    /// Whether it is about all of the heap.
    pub whole: bool,
    /// What is reached by fields that the claim names.
    reaches: Vec<Reach>,
    /// If the proof is narrow: what procedures reach by the fields that they read.
    narrow: BTreeMap<ProcId, Reach>,
    /// Which way is taken wherever the program may go either, if the claim asks for some run.
    chosen: Option<bool>,
}

/// The machine of a proof, and the claim about it: that of the program, on runs that can happen.
#[derive(Debug)]
pub struct Assembled {
    /// The machine.
    pub machine: Machine,
    /// The claim.
    pub claims: Claims,
}

/// Steps of frames, and for each node how many objects and how many parts its heap has.
pub type Measured = (Vec<Arrow>, Vec<(usize, usize)>);

/// A call of a node: its entry, the component that is called, where the parts of the heap there
/// come from, and what is left outside.
struct Called {
    entry: usize,
    component: usize,
    given: Vec<Origin>,
    outside: Outside,
}

impl<'a> Prover<'a> {
    /// What a claim about a program is proved with.
    ///
    /// # Errors
    /// Why it cannot be proved.
    pub fn new(task: &'a Task<'a>, formulas: &Formulas, claim: FormulaId) -> Result<Self, NoRun> {
        let (mut propositions, mut ghosts) = (BTreeMap::new(), BTreeSet::new());
        let mut named = BTreeSet::new();
        let one_run = has_one_run(task);
        for (id, proposition) in read_propositions(task, formulas, claim)? {
            for term in terms(&proposition) {
                ghosts.extend(Remembered::of(&term.base));
                if let Base::Variable(procedure, number) = term.base {
                    named.insert((procedure, number));
                }
            }
            if let Formula::Atom(atom) = formulas.get(id) {
                propositions.insert(formulas.atom_name(atom).to_owned(), proposition);
            }
        }
        if ghosts.iter().any(|it| matches!(it, Remembered::ElementField(_))) {
            ghosts.insert(Remembered::Element);
        }
        let whole = propositions.values().any(|it| matches!(it.0, Kind::Whole(_)));
        let tracks = whole || propositions.values().any(|it| it.0 == Kind::Leak);
        if tracks {
            // Who calls still has what it gave.
            let names = task.given.len() + task.named.len();
            ghosts.extend((0..names).map(Remembered::Start));
        }
        let grammar = Grammar::new(&task.rules, &task.types)?;
        let fields: BTreeSet<&BTreeSet<String>> =
            propositions.values().filter_map(fields_followed).collect();
        let reaches = fields.into_iter().map(|it| Reach::new(&grammar, it.clone())).collect();
        let ghosts = ghosts.into_iter().collect();
        let narrow = BTreeMap::new();
        Ok(Prover {
            task,
            grammar,
            propositions,
            ghosts,
            named,
            one_run,
            tracks,
            whole,
            reaches,
            narrow,
            chosen: None,
        })
    }

    /// The same for narrow proofs. Claims about all of the heap, or about what is lost, have none.
    ///
    /// # Errors
    /// Why there is none.
    pub fn narrowed(mut self) -> Result<Self, NoRun> {
        if self.tracks {
            return refused("a claim about all of the heap is proved with all that callees reach");
        }
        for &procedure in self.task.locals.keys() {
            let fields = fields_read(self.task, procedure)?;
            self.narrow.insert(procedure, Reach::new(&self.grammar, fields));
        }
        self.grammar.narrow = true;
        Ok(self)
    }

    /// The same for runs that go one way wherever the program may go either. There are such runs on
    /// every input, and all of them are as the claim says: so it has the run that it asks for.
    ///
    /// # Errors
    /// If the claim says something of all runs.
    pub fn choosing(
        mut self,
        chosen: bool,
        (formulas, claim): (&Formulas, FormulaId),
    ) -> Result<Self, NoRun> {
        if !asks_for_some_path(formulas, claim) {
            return refused("a claim about all runs is proved of those that go one way");
        }
        self.chosen = Some(chosen);
        Ok(self)
    }

    /// What a callee is given, and what is left of the heap of a caller that keeps some slots.
    ///
    /// # Errors
    /// If the callee has no code.
    pub fn split(
        &self,
        calling: &step::Calling,
        keep: &BTreeSet<Slot>,
    ) -> Result<(Tracked, Outside), NoRun> {
        split(self.task, &self.grammar, self.narrow.get(&calling.callee), calling, keep)
    }

    /// Whether a slot may not be forgotten in a frame.
    pub fn keeps(&self, procedure: Option<ProcId>, slot: Slot) -> bool {
        match (slot, procedure) {
            (Slot::Ghost(_) | Slot::Return, _) => true,
            (Slot::Variable(number), Some(procedure)) => {
                self.tracks || self.named.contains(&(procedure, number))
            }
            (Slot::Variable(_), None) => false,
        }
    }

    /// What may come of a node.
    ///
    /// # Errors
    /// What is not followed.
    pub fn next(
        &self,
        procedure: Option<ProcId>,
        place: Place,
        heap: &AbstractHeap,
    ) -> Result<Vec<Next>, NoRun> {
        let (task, grammar, chosen) = (self.task, &self.grammar, self.chosen);
        Stepper { task, grammar, procedure, place, heap, chosen }.next()
    }

    /// Where propositions are looked at.
    pub fn spot<'s>(
        &'s self,
        procedure: Option<ProcId>,
        place: Place,
        heap: &'s AbstractHeap,
        view: Option<&'s AbstractHeap>,
    ) -> Spot<'s> {
        let (task, grammar, ghosts) = (self.task, &self.grammar, &self.ghosts[..]);
        let reaches = &self.reaches[..];
        Spot { task, grammar, ghosts, reaches, procedure, place, heap, loses: true, view }
    }

    /// Checks all of a proof but that the claim holds of its machine, which it makes.
    ///
    /// # Errors
    /// What is wrong with it, or a limit.
    pub fn assemble(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        proof: &Proof,
        budget: &Budget,
    ) -> Result<Assembled, NoRun> {
        let mut meter = Meter::new(budget);
        let (assembly, called) = self.followed(proof, &mut meter)?;
        assembly.finish((formulas, claim), &called, &mut meter)
    }

    /// The steps of frames of a proof, and the numbers of objects and parts of heaps at its nodes:
    /// what measures are about.
    ///
    /// # Errors
    /// What is wrong with the proof, or a limit.
    pub fn arrows(&self, proof: &Proof, budget: &Budget) -> Result<Measured, NoRun> {
        let meter = &mut Meter::new(budget);
        let (assembly, _) = self.followed(proof, meter)?;
        Ok((arrows(&assembly.ways, meter)?, assembly.sizes()))
    }

    fn followed<'p>(
        &'p self,
        proof: &'p Proof,
        meter: &mut Meter<'_>,
    ) -> Result<(Assembly<'p>, BTreeMap<usize, Called>), NoRun> {
        check_numbers(proof)?;
        for heap in &proof.heaps {
            meter.tick()?;
            self.grammar.check_held(heap)?;
        }
        proof.views.iter().try_for_each(|it| self.grammar.check_view(it))?;
        self.grammar.check_lemmas(&proof.lemmas, meter)?;
        let mut assembly = Assembly {
            prover: self,
            proof,
            ways: proof.nodes.iter().map(|_| Vec::new()).collect(),
            edges: Vec::new(),
            loses: vec![false; proof.nodes.len()],
            exit_loses: vec![false; proof.exits.len()],
        };
        assembly.begin(meter)?;
        let mut called = BTreeMap::new();
        for node in 0..proof.nodes.len() {
            meter.tick()?;
            called.extend(assembly.follow(node)?.map(|it| (node, it)));
        }
        assembly.come_back(&called, meter)?;
        assembly.look_around(&called, meter)?;
        Ok((assembly, called))
    }
}

/// The machine of a proof in the making.
struct Assembly<'p> {
    prover: &'p Prover<'p>,
    proof: &'p Proof,
    ways: Vec<Vec<Way>>,
    edges: Vec<(Spring, Edge)>,
    /// For each node and exit, whether a step there may lose objects that were not freed.
    loses: Vec<bool>,
    exit_loses: Vec<bool>,
}

impl Assembly<'_> {
    fn heap(&self, node: usize) -> &AbstractHeap {
        &self.proof.heaps[self.proof.nodes[node].heap]
    }

    fn sizes(&self) -> Vec<(usize, usize)> {
        let heaps = (0..self.proof.nodes.len()).map(|node| self.heap(node));
        heaps.map(|heap| (heap.len(), heap.len() + heap.graph.edges.len())).collect()
    }

    /// An edge of the machine; several cases may lead to one node.
    fn edge(&mut self, spring: Spring, edge: Edge) {
        let mut same = self.edges.iter().rev().take_while(|it| it.0 == spring);
        if !same.any(|it| it.1 == edge) {
            self.edges.push((spring, edge));
        }
    }

    fn procedure(&self, node: usize) -> Option<ProcId> {
        self.proof.components[self.proof.nodes[node].component]
    }

    /// Every input is covered by a node before the checked procedure is called.
    fn begin(&self, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        let mut markings = self.proof.markings.iter();
        let inputs = self.prover.inputs(|heaps, slot| {
            let Some(marking) = markings.next() else {
                return refused("it is not said where an object may be");
            };
            marking.check(&self.prover.grammar, heaps, slot, meter)?;
            Ok(marking.marked.clone())
        })?;
        if inputs.len() != self.proof.initial.len() {
            return refused("there is another number of inputs");
        }
        for (input, cover) in inputs.iter().zip(&self.proof.initial) {
            let node = &self.proof.nodes[cover.to];
            if node.place != Place::Begin || self.procedure(cover.to).is_some() {
                return refused("a run begins elsewhere");
            }
            let (input, heap) = (Tracked::new(input), self.heap(cover.to));
            input.covered(&self.prover.grammar, heap, cover, Strictness::Whole, |_| true)?;
        }
        Ok(())
    }

    /// What comes of a node is there. The call that it makes, if it makes one.
    fn follow(&mut self, number: usize) -> Result<Option<Called>, NoRun> {
        let Node { component, place, .. } = self.proof.nodes[number];
        let procedure = self.procedure(number);
        let next = self.prover.next(procedure, place, self.heap(number))?;
        let steps = &self.proof.steps[number];
        if next.len() != steps.len() {
            return refused("a step has another number of cases");
        }
        let mut called = None;
        for (next, Step { cover, keep }) in next.iter().zip(steps) {
            let grammar = &self.prover.grammar;
            let spring = Spring::Node(NodeId::new(number));
            match next {
                Next::Goes(place, heap) => {
                    let Some(to) = self.proof.nodes.get(cover.to) else {
                        return refused("there is no such node");
                    };
                    if to.place != *place || to.component != component {
                        return refused("a step leads elsewhere");
                    }
                    let keeps = |slot| self.prover.keeps(procedure, slot);
                    let target = self.heap(cover.to);
                    let found = heap.covered(grammar, target, cover, Strictness::Reached, keeps)?;
                    let origins = found.origins(&heap.objects, &heap.edges);
                    self.loses[cover.to] |= found.loses;
                    self.ways[number].push(Way::Goes(cover.to, origins));
                    self.edge(spring, Edge::Step(NodeId::new(cover.to)));
                }
                Next::Returns(heap) => {
                    let Some(&(of, exit)) = self.proof.exits.get(cover.to) else {
                        return refused("there is no such exit");
                    };
                    if of != component {
                        return refused("a procedure returns from another one");
                    }
                    let target = &self.proof.heaps[exit];
                    let found =
                        heap.covered(grammar, target, cover, Strictness::Reached, |_| true)?;
                    self.exit_loses[cover.to] |= found.loses;
                    let origins = found.origins(&heap.objects, &heap.edges);
                    self.ways[number].push(Way::Returns(cover.to, origins));
                    self.edge(spring, Edge::Return(ExitId::new(cover.to)));
                }
                Next::Calls(calling) => {
                    let keep: BTreeSet<Slot> = keep.iter().copied().collect();
                    let mut held = calling.heap.heap.slots.keys();
                    if held.any(|it| self.prover.keeps(procedure, *it) && !keep.contains(it)) {
                        return refused("a variable is forgotten that the claim names");
                    }
                    let (inside, mut outside) = self.prover.split(calling, &keep)?;
                    let Some(entry) = self.proof.nodes.get(cover.to) else {
                        return refused("there is no such node");
                    };
                    let first = first_place(self.prover.task, calling.callee)?;
                    if entry.place != first || self.procedure(cover.to) != Some(calling.callee) {
                        return refused("a call leads elsewhere");
                    }
                    let keeps = |slot| self.prover.keeps(Some(calling.callee), slot);
                    let target = self.heap(cover.to);
                    let found =
                        inside.covered(grammar, target, cover, Strictness::AnyOrder, keeps)?;
                    outside.order(&inside.heap.graph.externals, &found.externals)?;
                    let given = found.origins(&inside.objects, &inside.edges);
                    // What a claim about lost objects is proved with forgets no variable, so that
                    // the callee has all that it is given.
                    self.loses[cover.to] |= outside.loses;
                    let component = entry.component;
                    called = Some(Called { entry: cover.to, component, given, outside });
                }
            }
        }
        Ok(called)
    }

    /// The exits of a component.
    fn exits(&self, component: usize) -> impl Iterator<Item = usize> {
        let exits = self.proof.exits.iter().enumerate();
        exits.filter(move |(_, it)| it.0 == component).map(|(number, _)| number)
    }

    /// Callers go on when callees return.
    fn come_back(
        &mut self,
        called: &BTreeMap<usize, Called>,
        meter: &mut Meter<'_>,
    ) -> Result<(), NoRun> {
        let mut covers = self.proof.returns.iter();
        let (mut edges, mut loses) = (Vec::new(), Vec::new());
        for (number, (&node, call)) in called.iter().enumerate() {
            let Called { entry, component, given, outside } = call;
            let mut backs = Vec::new();
            for exit in self.exits(*component) {
                meter.tick()?;
                let Some(cover) = covers.next() else {
                    return refused("it is not said where a call goes on");
                };
                let Some(to) = self.proof.nodes.get(cover.to) else {
                    return refused("there is no such node");
                };
                if to.place != outside.next || to.component != self.proof.nodes[node].component {
                    return refused("a call goes on elsewhere");
                }
                let (heap, left) = outside.joined(&self.proof.heaps[self.proof.exits[exit].1])?;
                let procedure = self.procedure(node);
                let keeps = |slot| self.prover.keeps(procedure, slot);
                let (grammar, target) = (&self.prover.grammar, self.heap(cover.to));
                let found = heap.covered(grammar, target, cover, Strictness::Reached, keeps)?;
                if found.loses || self.exit_loses[exit] {
                    loses.push(cover.to);
                }
                let kept = found.origins(&heap.objects, &heap.edges);
                let left = found.origins(&left.0, &left.1);
                backs.push(Back { exit, to: cover.to, kept, left });
                let site = Spring::Site(tern_model::BoxId::new(number), ExitId::new(exit));
                edges.push((site, Edge::Step(NodeId::new(cover.to))));
            }
            self.ways[node].push(Way::Calls(*entry, given.clone(), backs));
        }
        if covers.next().is_some() {
            return refused("a call goes on that there is not");
        }
        self.edges.extend(edges);
        loses.into_iter().for_each(|node| self.loses[node] = true);
        Ok(())
    }

    /// What lies around the heaps of components is as it is said to be.
    fn look_around(
        &self,
        called: &BTreeMap<usize, Called>,
        meter: &mut Meter<'_>,
    ) -> Result<(), NoRun> {
        let Proof { components, views, around, .. } = self.proof;
        if views.is_empty() && around.is_empty() {
            return Ok(());
        }
        if views.len() != components.len() || around.len() != called.len() {
            return refused("it is not said what lies around a heap");
        }
        // Nothing lies around the heaps that runs begin with.
        let is_first = |number: &usize| components[*number].is_none();
        if (0..views.len()).filter(is_first).any(|it| views[it] != AbstractHeap::default()) {
            return refused("something lies around all of the heap");
        }
        if self.prover.grammar.narrow {
            return refused("what lies around a heap is no matter of a narrow proof");
        }
        // Nothing is asked of what is not remembered, unless it is about all of the heap.
        let (remembers, strictness) = match self.prover.whole {
            true => (false, Strictness::Whole),
            false => (true, Strictness::Reached),
        };
        for ((node, Called { component, outside, .. }), cover) in called.iter().zip(around) {
            meter.tick()?;
            let heap = outside.around(&views[self.proof.nodes[*node].component], remembers)?;
            let (grammar, view) = (&self.prover.grammar, &views[*component]);
            heap.covered(grammar, view, cover, strictness, |_| true)?;
        }
        Ok(())
    }

    fn finish(
        &self,
        (formulas, claim): (&Formulas, FormulaId),
        called: &BTreeMap<usize, Called>,
        meter: &mut Meter<'_>,
    ) -> Result<Assembled, NoRun> {
        let sizes = self.sizes();
        let arrows = arrows(&self.ways, meter)?;
        let mut visited = vec![recurrent(&arrows, &sizes, &self.proof.ranks, meter)?];
        for avoiding in &self.proof.avoiding {
            visited.push(avoiding.visited(&arrows, &sizes, meter)?);
        }
        let mut builder = Builder::new();
        for number in 0..self.proof.components.len() {
            builder.component(&format!("c{number}"));
        }
        for (number, node) in self.proof.nodes.iter().enumerate() {
            builder.node(CompId::new(node.component), &format!("n{number}"));
        }
        called.values().for_each(|it| builder.entry(NodeId::new(it.entry)));
        for number in 0..self.proof.nodes.len() {
            for (kind, _) in visited.iter().enumerate().filter(|(_, it)| it[number]) {
                builder.label(NodeId::new(number), &again(kind));
            }
        }
        self.label(&mut builder, meter)?;
        for (number, (component, _)) in self.proof.exits.iter().enumerate() {
            builder.exit(CompId::new(*component), &format!("x{number}"));
        }
        for (node, it) in called {
            let home = CompId::new(self.proof.nodes[*node].component);
            let call = builder.call_box(home, &format!("b{node}"), CompId::new(it.component));
            let edge = Edge::Call(call, NodeId::new(it.entry));
            builder.edge_of(Spring::Node(NodeId::new(*node)), edge, Surety::Possible);
        }
        for &(spring, edge) in &self.edges {
            builder.edge_of(spring, edge, Surety::Possible);
        }
        let initial: BTreeSet<usize> = self.proof.initial.iter().map(|it| it.to).collect();
        initial.into_iter().for_each(|node| builder.initial(NodeId::new(node)));
        let Ok(machine) = builder.finish() else {
            return refused("the nodes form no machine");
        };
        let (mut formulas, mut formula) = formulas.alone(claim);
        formula = match self.prover.one_run {
            true => without_quantifiers(&mut formulas, formula),
            false => match for_all_paths(&mut formulas, formula) {
                Some(stronger) => stronger,
                None => return refused("a claim is about all runs and about some"),
            },
        };
        let mut claims = Claims::from(formulas);
        let fair: Vec<FormulaId> =
            (0..visited.len()).map(|kind| claims.formulas.atom(&again(kind))).collect();
        claims.push(Claim::new(formula));
        claims.restrict(fair.into_iter().map(|it| Fairness::Justice(it).into()));
        Ok(Assembled { machine, claims })
    }

    fn label(&self, builder: &mut Builder, meter: &mut Meter<'_>) -> Result<(), NoRun> {
        let mut shapes: BTreeMap<(usize, &str), &[Cover]> = BTreeMap::new();
        for (node, name, covers) in &self.proof.shapes {
            shapes.insert((*node, name), covers);
        }
        for (number, node) in self.proof.nodes.iter().enumerate() {
            let (heap, view) = (self.heap(number), self.proof.views.get(node.component));
            let spot = self.prover.spot(self.procedure(number), node.place, heap, view);
            let spot = Spot { loses: self.loses[number], ..spot };
            for (name, proposition) in &self.prover.propositions {
                meter.tick()?;
                let covers = shapes.get(&(number, name.as_str())).copied().unwrap_or_default();
                match spot.truth(proposition, covers)? {
                    Tri::True => builder.label(NodeId::new(number), name),
                    Tri::Unknown => builder.unknown_label(NodeId::new(number), name),
                    Tri::False => {}
                }
            }
        }
        Ok(())
    }
}

/// Whether all numbers in a proof are of things that are there.
fn check_numbers(proof: &Proof) -> Result<(), NoRun> {
    let (heaps, components) = (proof.heaps.len(), proof.components.len());
    let sound = proof.nodes.iter().all(|it| it.heap < heaps && it.component < components)
        && proof.exits.iter().all(|it| it.0 < components && it.1 < heaps)
        && proof.initial.iter().all(|it| it.to < proof.nodes.len())
        && proof.steps.len() == proof.nodes.len();
    if sound { Ok(()) } else { refused("something is named that is not there") }
}

/// The fields by which a proposition asks what is reached.
fn fields_followed(proposition: &Proposition) -> Option<&BTreeSet<String>> {
    match &proposition.0 {
        Kind::Reach(_, _, fields) => Some(fields),
        _ => None,
    }
}

fn terms(proposition: &Proposition) -> Vec<&Term> {
    match &proposition.0 {
        Kind::Same(left, right) | Kind::Different(left, right) | Kind::Reach(left, right, _) => {
            vec![left, right]
        }
        Kind::Freed(term) | Kind::Shape(term, ..) => vec![term],
        Kind::Terminated | Kind::Mode(_) | Kind::Leak | Kind::Whole(_) | Kind::In(_) => Vec::new(),
    }
}

#[cfg(test)]
mod forged;
