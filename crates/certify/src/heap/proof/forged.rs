//! Forged proofs: for each thing that is looked at in a proof about a pointer program, a proof that
//! is wrong in that one thing only. Each must be refused for just this reason.
//!
//! Programs, grammars and heaps are put together by hand. Whole proofs come from [`followed`],
//! which folds nothing: each heap that comes about is a node of its own.

mod assembled;
mod calls;
mod chosen;
mod covers;
mod grammars;
mod inputs;
mod labels;
mod measures;
mod narrow;
mod steps;

use super::super::{Callee, Given, Meaning, NoRun, Task};
use super::calls::{Outside, split};
use super::graph::{AbstractHeap, Cover, Held, Slot, Tracked};
use super::inputs::{Case, Marking, cases_of};
use super::step::{Next, Place, first_place};
use super::{Node, Proof, Prover, Step};
use crate::heap::shapes::{Graph, Nonterminal, Rules};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{
    Access, Block, BlockId, Body, Call, Constant, Dispatch, Field, FieldId, Jump, Operand, ProcId,
    Procedure, Program, Selector, Statement, Type, TypeId, VarId, Variable,
};
use tern_model::index::{Id, Table};
use tern_model::{Budget, Formula, FormulaId, Formulas};

/// The words with which something is refused; none if it is not.
fn said<T>(found: Result<T, NoRun>) -> String {
    match found {
        Ok(_) => String::new(),
        Err(NoRun::Refused(why)) => why,
        Err(NoRun::Limit(limit)) => panic!("{limit}"),
    }
}

fn graph(
    kinds: &[&str],
    fields: &[(usize, &str, usize)],
    edges: &[(&str, &[usize])],
    externals: &[usize],
) -> Graph {
    Graph {
        kinds: kinds.iter().map(|it| (*it).to_owned()).collect(),
        fields: fields.iter().map(|(from, name, to)| (*from, (*name).to_owned(), *to)).collect(),
        edges: edges.iter().map(|(label, at)| ((*label).to_owned(), at.to_vec())).collect(),
        externals: externals.to_vec(),
    }
}

/// A heap with variables.
fn heap(graph: Graph, slots: &[(usize, Held)]) -> AbstractHeap {
    let slots = slots.iter().map(|(number, held)| (Slot::Variable(*number), *held)).collect();
    AbstractHeap { graph, slots }
}

/// Lists of nodes; pairs that know both neighbours; and ends, of which nothing more is known.
fn rules() -> Rules {
    let nonterminal = |tentacles: &[(&str, bool)], rules: Vec<Graph>| Nonterminal {
        tentacles: tentacles.iter().map(|(kind, null)| ((*kind).to_owned(), *null)).collect(),
        rules,
    };
    let list = vec![
        graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[1, 2]),
        graph(&["Node", "Node", "Node"], &[(1, "next", 3)], &[("List", &[3, 2])], &[1, 2]),
    ];
    let (there, back) = ([(1, "next", 3), (3, "prev", 1)], [(3, "next", 2), (2, "prev", 3)]);
    let pairs: [&str; 3] = ["Pair"; 3];
    let chain = vec![
        graph(&pairs[..2], &[(1, "next", 2), (2, "prev", 1)], &[], &[1, 2]),
        graph(&pairs, &there, &[("Chain", &[3, 2])], &[1, 2]),
        graph(&pairs, &back, &[("Chain", &[1, 3])], &[1, 2]),
    ];
    let nonterminals = [
        ("List".to_owned(), nonterminal(&[("Node", false), ("Node", true)], list)),
        ("Chain".to_owned(), nonterminal(&[("Pair", false), ("Pair", false)], chain)),
        ("End".to_owned(), nonterminal(&[("Node", true)], vec![graph(&["Node"], &[], &[], &[1])])),
    ];
    let two = graph(&["Node", "Node"], &[(1, "next", 2), (2, "next", 0)], &[], &[1]);
    let shapes = [
        ("List".to_owned(), vec![graph(&["Node"], &[], &[("List", &[1, 0])], &[1])]),
        ("One".to_owned(), vec![graph(&["Node"], &[(1, "next", 0)], &[], &[1])]),
        ("Two".to_owned(), vec![two]),
    ];
    Rules { nonterminals: nonterminals.into(), shapes: shapes.into() }
}

fn types() -> BTreeMap<String, Vec<String>> {
    let fields = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
    let types = [
        ("Node".to_owned(), fields(&["next"])),
        ("Pair".to_owned(), fields(&["next", "prev"])),
        ("Leaf".to_owned(), fields(&[])),
    ];
    types.into()
}

/// Why the only lemmas of [`rules`] are so: a chain may begin with an object, or end with one.
fn lemmas() -> Vec<Cover> {
    let cover = |to, rule, map: &[usize]| Cover { to, unfold: vec![(0, rule)], map: map.to_vec() };
    vec![
        cover(1, 0, &[1, 2, 3]),
        cover(1, 2, &[1, 2, 4, 3]),
        cover(2, 0, &[1, 2, 3]),
        cover(2, 1, &[1, 2, 4, 3]),
    ]
}

/// What a program means: classes are types, and callees have names that say what they are.
struct Spoken<'a>(&'a Program);

impl Meaning for Spoken<'_> {
    fn kind(&self, class: &str) -> Option<String> {
        types().contains_key(class).then(|| class.to_owned())
    }

    fn keeps(&self, field: &Field) -> Option<bool> {
        match self.0.text(field.name) {
            "count" => Some(false),
            "several" => None,
            _ => Some(true),
        }
    }

    fn callee(&self, call: &Call) -> Callee {
        match self.0.text(self.0.selectors()[call.selector].name) {
            "nothing" => Callee::Nothing,
            "pure" => Callee::Pure,
            "free" => Callee::Free,
            _ => match self.0.find_procedure(None, call.selector) {
                Some(procedure) => Callee::Procedure(procedure),
                None => Callee::Unknown,
            },
        }
    }

    fn is_of(&self, kind: &str, class: &str) -> bool {
        kind == class || class == "Object"
    }
}

/// A program, and what it is given. The first procedure is checked.
struct World {
    program: Program,
    given: Vec<Given>,
    heaps: Option<Vec<AbstractHeap>>,
    blank: bool,
    rules: Rules,
}

/// A variable.
fn var(number: usize) -> VarId {
    VarId::new(number)
}

/// What a variable is worth.
fn read(number: usize) -> Operand {
    Operand::Variable(var(number))
}

fn copy(to: usize, from: Operand) -> Statement {
    Statement::Copy { to: var(to), from }
}

impl World {
    /// A program without procedures, whose first one is given structures of these shapes.
    fn new(shapes: &[&str]) -> Self {
        let given = shapes.iter().map(|it| match it.strip_suffix('+') {
            Some(name) => Given::Shape(name.to_owned(), false),
            None => Given::Shape((*it).to_owned(), true),
        });
        let (given, program) = (given.collect(), Program::new());
        World { program, given, heaps: None, blank: false, rules: rules() }
    }

    fn reference(&mut self, class: &str) -> TypeId {
        let class = self.program.name(class);
        self.program.ty(Type::Reference(class))
    }

    fn constant(&mut self, constant: Constant) -> Operand {
        Operand::Constant(self.program.constant(constant))
    }

    fn null(&mut self) -> Operand {
        self.constant(Constant::Null)
    }

    fn number(&mut self, number: i128) -> Operand {
        self.constant(Constant::Integer(number))
    }

    fn field(&mut self, name: &str) -> FieldId {
        let (class, ty) = (self.program.name("Node"), self.reference("Node"));
        let name = self.program.name(name);
        self.program.field(Field { class, name, ty })
    }

    fn load(&mut self, to: usize, object: usize, name: &str) -> Statement {
        let field = self.field(name);
        Statement::Load { to: var(to), object: Some(read(object)), field }
    }

    fn store(&mut self, object: usize, name: &str, value: Operand) -> Statement {
        let field = self.field(name);
        Statement::Store { object: Some(read(object)), field, value }
    }

    fn made(&mut self, to: usize, class: &str) -> Statement {
        Statement::New { to: var(to), class: self.program.name(class) }
    }

    fn selector(&mut self, name: &str) -> tern_ir::SelectorId {
        let (name, result) = (self.program.name(name), self.program.ty(Type::Void));
        self.program.selector(Selector { name, parameters: [].into(), result })
    }

    /// A procedure with so many parameters and variables of a type, and with these blocks. Calls
    /// have all of its operands as arguments, from a row on.
    fn procedure(
        &mut self,
        name: &str,
        (parameters, variables): (usize, &[TypeId]),
        blocks: Vec<(Vec<Statement>, Jump)>,
        operands: Vec<Operand>,
    ) -> ProcId {
        let mut body = Body { parameters, operands, ..Body::default() };
        body.variables = variables.iter().map(|ty| Variable { name: None, ty: *ty }).collect();
        let mut all: Table<BlockId, Block> = Table::default();
        for (statements, jump) in blocks {
            let first = body.statements.len() as u32;
            body.places.extend(statements.iter().map(|_| tern_ir::Place::default()));
            body.statements.extend(statements);
            let statements = first..body.statements.len() as u32;
            let place = tern_ir::Place::default();
            all.push(Block { statements, jump, place, handlers: 0..0 });
        }
        body.blocks = all;
        let (selector, access) = (self.selector(name), Access::Public);
        let (class, body) = (None, Some(body));
        let procedure =
            Procedure { class, selector, is_static: true, access, is_abstract: false, body };
        self.program.add_procedure(procedure)
    }

    /// A procedure with four variables that are references, and so many parameters.
    fn plain(&mut self, name: &str, parameters: usize, blocks: Vec<(Vec<Statement>, Jump)>) {
        let node = self.reference("Node");
        let operands = (0..4).map(read).collect();
        self.procedure(name, (parameters, &[node; 4]), blocks, operands);
    }

    /// A call with the first so many variables of the caller.
    fn call(&mut self, to: Option<usize>, name: &str, arguments: u32) -> Statement {
        let (class, selector) = (self.program.name(""), self.selector(name));
        let call = Call { dispatch: Dispatch::Static, class, selector, arguments: 0..arguments };
        Statement::Call { to: to.map(var), call: Box::new(call) }
    }

    fn with_task<T>(&self, then: impl FnOnce(&Task<'_>) -> T) -> T {
        let procedures = self.program.procedures();
        let name = |id: ProcId| {
            let selector = &self.program.selectors()[procedures[id].selector];
            self.program.text(selector.name).to_owned()
        };
        let names = ["x", "y", "z", "w"].map(str::to_owned).to_vec();
        then(&Task {
            program: &self.program,
            meaning: &Spoken(&self.program),
            names: procedures.ids().map(|id| (name(id), id)).collect(),
            locals: procedures.ids().map(|id| (id, names.clone())).collect(),
            checked: ProcId::new(0),
            blank: self.blank,
            types: types(),
            rules: self.rules.clone(),
            given: self.given.clone(),
            heaps: self.heaps.clone(),
            named: Vec::new(),
        })
    }

    /// What a claim that names these propositions is proved with.
    fn prove<T>(
        &self,
        atoms: &[&str],
        then: impl FnOnce(&Prover<'_>, &Formulas, FormulaId) -> T,
    ) -> T {
        let mut formulas = Formulas::new();
        let mut claim = formulas.make(Formula::True);
        for atom in atoms {
            let atom = formulas.atom(atom);
            claim = formulas.make(Formula::And(claim, atom));
        }
        claim = formulas.make(Formula::Globally(claim));
        claim = formulas.make(Formula::All(claim));
        self.with_task(|task| {
            let prover = Prover::new(task, &formulas, claim).expect("it can be proved with");
            then(&prover, &formulas, claim)
        })
    }

    /// What is said of the proof that follows the program, if it is changed.
    fn changed(&self, atoms: &[&str], change: impl FnOnce(&mut Proof)) -> String {
        self.prove(atoms, |prover, formulas, claim| {
            let mut proof = followed(prover, false);
            let budget = Budget::unlimited();
            assert_eq!(said(prover.assemble(formulas, claim, &proof, &budget)), "");
            change(&mut proof);
            said(prover.assemble(formulas, claim, &proof, &budget))
        })
    }
}

/// A cover by the same heap.
fn same(to: usize, heap: &AbstractHeap) -> Cover {
    Cover { to, unfold: Vec::new(), map: (1..heap.len()).collect() }
}

/// The place of something in a list, behind which it is put if it is not there.
fn number_of<T: PartialEq>(all: &mut Vec<T>, it: T) -> usize {
    all.iter().position(|other| *other == it).unwrap_or_else(|| {
        all.push(it);
        all.len() - 1
    })
}

/// A proof in the making.
#[derive(Default)]
struct Making {
    proof: Proof,
    /// Whether objects that nothing leads to are left out.
    trims: bool,
    /// The entry of each component that is called.
    entries: BTreeMap<usize, usize>,
}

impl Making {
    /// A heap as the proof has it: its number, and the objects that are left.
    fn heap(&mut self, prover: &Prover<'_>, heap: &Tracked) -> (usize, Vec<usize>) {
        let AbstractHeap { graph, slots } = &heap.heap;
        let reached = match self.trims {
            true => prover.grammar.reached(graph, heap.heap.roots()),
            false => vec![true; heap.heap.len()],
        };
        let edges: Vec<bool> =
            graph.edges.iter().map(|it| it.1.iter().all(|it| reached[*it])).collect();
        let (mut part, numbers) = heap.restricted(&reached, &reached, &edges);
        part.heap.graph.externals = graph.externals.iter().filter_map(|it| numbers[*it]).collect();
        part.heap.slots = slots.clone();
        for held in part.heap.slots.values_mut() {
            if let Held::Object(object) = held {
                *object = numbers[*object].expect("it is reached");
            }
        }
        let left = (1..reached.len()).filter(|it| reached[*it]).collect();
        (number_of(&mut self.proof.heaps, part.heap), left)
    }

    fn node(&mut self, prover: &Prover<'_>, at: (usize, Place), heap: &Tracked) -> Cover {
        let (heap, map) = self.heap(prover, heap);
        let node = Node { component: at.0, place: at.1, heap };
        Cover { to: number_of(&mut self.proof.nodes, node), unfold: Vec::new(), map }
    }

    /// One step of a node, and the call that it makes.
    fn step(&mut self, prover: &Prover<'_>, number: usize) -> Option<(usize, Outside)> {
        let Node { component, place, heap } = self.proof.nodes[number].clone();
        let procedure = self.proof.components[component];
        let heap = self.proof.heaps[heap].clone();
        let next = prover.next(procedure, place, &heap).expect("it is followed");
        let (mut steps, mut called) = (Vec::new(), None);
        for next in next {
            steps.push(match next {
                Next::Goes(place, heap) => {
                    let cover = self.node(prover, (component, place), &heap);
                    Step { cover, keep: Vec::new() }
                }
                Next::Returns(heap) => {
                    let (heap, map) = self.heap(prover, &heap);
                    let to = number_of(&mut self.proof.exits, (component, heap));
                    Step { cover: Cover { to, unfold: Vec::new(), map }, keep: Vec::new() }
                }
                Next::Calls(calling) => {
                    let keep: BTreeSet<Slot> = calling.heap.heap.slots.keys().copied().collect();
                    let split = prover.split(&calling, &keep);
                    let (inside, outside) = split.expect("it can be called");
                    let first = first_place(prover.task, calling.callee).expect("it has code");
                    let known = self.entries.iter().find(|(_, node)| {
                        let node = &self.proof.nodes[**node];
                        let callee = self.proof.components[node.component];
                        callee == Some(calling.callee) && self.proof.heaps[node.heap] == inside.heap
                    });
                    let component = known.map_or(self.proof.components.len(), |it| *it.0);
                    if component == self.proof.components.len() {
                        self.proof.components.push(Some(calling.callee));
                    }
                    let cover = self.node(prover, (component, first), &inside);
                    self.entries.insert(component, cover.to);
                    called = Some((component, outside));
                    Step { cover, keep: keep.into_iter().collect() }
                }
            });
        }
        self.proof.steps.push(steps);
        called
    }
}

/// The proof that a program is followed by, each heap as it comes about, or without what nothing
/// leads to.
fn followed(prover: &Prover<'_>, trims: bool) -> Proof {
    let mut making = Making { trims, ..Making::default() };
    making.proof.components.push(None);
    let mut markings = Vec::new();
    let inputs = prover.inputs(|heaps, slot| {
        let mut marking = Marking::default();
        for case in heaps.iter().flat_map(|it| cases_of(it, slot)) {
            let Case::Marked(heap) = case else { panic!("only objects are marked") };
            marking.covers.push(same(marking.marked.len(), &heap.heap));
            marking.marked.push(heap.heap);
        }
        markings.push(marking.clone());
        Ok(marking.marked)
    });
    let inputs = inputs.expect("there are inputs");
    for input in &inputs {
        let cover = making.node(prover, (0, Place::Begin), &Tracked::new(input));
        making.proof.initial.push(cover);
    }
    making.proof.markings = markings;
    making.proof.lemmas = lemmas();
    loop {
        let before = (making.proof.nodes.len(), making.proof.exits.len());
        making.proof.steps.clear();
        making.proof.returns.clear();
        let (mut called, mut number) = (BTreeMap::new(), 0);
        while number < making.proof.nodes.len() {
            called.extend(making.step(prover, number).map(|it| (number, it)));
            number += 1;
        }
        for (node, (component, outside)) in &called {
            for (_, heap) in making.proof.exits.clone().iter().filter(|it| it.0 == *component) {
                let joined = outside.joined(&making.proof.heaps[*heap]);
                let (heap, _) = joined.expect("they fit");
                let home = making.proof.nodes[*node].component;
                let cover = making.node(prover, (home, outside.next), &heap);
                making.proof.returns.push(cover);
            }
        }
        if before == (making.proof.nodes.len(), making.proof.exits.len()) {
            return making.proof;
        }
    }
}
