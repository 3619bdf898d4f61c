//! Whole proofs, each wrong in one place.

use super::*;
use tern_ir::{Comparison, Test};

/// Of a list with one or two objects, or none, the first is given to a procedure that gives it
/// back; the second is known to a variable.
fn world() -> World {
    let mut world = World::new(&["Two"]);
    let null = world.null();
    let test = Test { left: read(0), comparison: Comparison::Equal, right: null };
    let branch = Jump::Branch { test, yes: BlockId::new(2), no: BlockId::new(1) };
    let (load, call) = (world.load(1, 0, "next"), world.call(Some(2), "aux", 1));
    let blocks = vec![
        (Vec::new(), branch),
        (vec![load, call, copy(2, read(2)), copy(3, read(2))], Jump::Return(Some(read(3)))),
        (Vec::new(), Jump::Return(Some(read(0)))),
    ];
    world.plain("main", 1, blocks);
    let blocks = vec![(vec![copy(1, read(0))], Jump::Return(Some(read(1))))];
    world.plain("aux", 1, blocks);
    world
}

/// The number of a node at a place of a procedure; nothing stands for the frame below.
fn node(proof: &Proof, procedure: Option<usize>, place: Place) -> usize {
    let component = |node: &Node| proof.components[node.component].map(|it| it.index());
    let found = |it: &Node| it.place == place && component(it) == procedure;
    proof.nodes.iter().position(found).expect("there is such a node")
}

/// One more node, with the heap of another, of which nothing comes.
fn stray(proof: &mut Proof, component: usize, place: Place, like: usize) -> usize {
    let heap = proof.nodes[like].heap;
    proof.nodes.push(Node { component, place, heap });
    proof.steps.push(Vec::new());
    proof.nodes.len() - 1
}

/// Takes a slot out of the heap of a node.
fn forget(proof: &mut Proof, node: usize, slot: Slot) {
    let mut heap = proof.heaps[proof.nodes[node].heap].clone();
    assert!(heap.slots.remove(&slot).is_some(), "it is there");
    proof.heaps.push(heap);
    proof.nodes[node].heap = proof.heaps.len() - 1;
}

const CALL: Place = Place::At(1, 1, 0);
const AFTER: Place = Place::At(1, 2, 0);
const FIRST: Place = Place::At(0, 0, 0);

#[test]
fn numbers_are_of_things_that_are_there() {
    let world = world();
    type Change = fn(&mut Proof);
    let changes: [Change; 7] = [
        |it| it.nodes[0].heap = it.heaps.len(),
        |it| it.nodes[0].component = it.components.len(),
        |it| it.exits[0].0 = it.components.len(),
        |it| it.exits[0].1 = it.heaps.len(),
        |it| it.initial[0].to = it.nodes.len(),
        |it| drop(it.steps.pop()),
        |it| it.steps.push(Vec::new()),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let why = "something is named that is not there";
        assert_eq!(world.changed(&[], change), why, "{number}");
    }
    let wrong = |it: &mut Proof| it.heaps[0].graph.externals.push(9);
    assert_eq!(world.changed(&[], wrong), "externals are not different objects");
    let none = |it: &mut Proof| it.lemmas.clear();
    assert_eq!(world.changed(&[], none), "the grammar has another number of cases");
}

#[test]
fn runs_begin_with_all_inputs() {
    let world = world();
    let why = "there is another number of inputs";
    assert_eq!(world.changed(&[], |it| drop(it.initial.pop())), why);
    assert_eq!(world.changed(&[], |it| it.initial.push(it.initial[0].clone())), why);
    let why = "a run begins elsewhere";
    let ended = |it: &mut Proof| {
        let like = it.initial[0].to;
        it.initial[0].to = stray(it, 0, Place::End, like);
    };
    assert_eq!(world.changed(&[], ended), why);
    let inside = |it: &mut Proof| {
        let like = it.initial[0].to;
        it.initial[0].to = stray(it, 1, Place::Begin, like);
    };
    assert_eq!(world.changed(&[], inside), why);
    let left_out = |it: &mut Proof| forget(it, it.initial[0].to, Slot::Variable(0));
    assert_eq!(world.changed(&[], left_out), "a variable is left out that the claim names");
    let other = |it: &mut Proof| it.initial.swap(0, 1);
    assert_eq!(world.changed(&[], other), "an object is mapped to one that it cannot be");
    // Nothing may be missing of a heap that is given.
    let mut given = super::World { given: vec![Given::Null], ..world };
    let leaf = graph(&["Leaf"], &[], &[], &[]);
    given.heaps = Some(vec![heap(leaf, &[(0, Held::Object(0))])]);
    let missing = |it: &mut Proof| {
        it.heaps.push(heap(Graph::default(), &[(0, Held::Object(0))]));
        let begin = it.initial[0].to;
        it.nodes[begin].heap = it.heaps.len() - 1;
        it.initial[0].map.clear();
    };
    assert_eq!(given.changed(&[], missing), "something is left out");
    // What is given is a heap, too.
    let wrong = graph(&["Node"], &[], &[], &[]);
    given.heaps = Some(vec![heap(wrong, &[(0, Held::Object(0))])]);
    let found = given.prove(&[], |prover, _, _| said(prover.inputs(|_, _| Ok(Vec::new()))));
    assert_eq!(found, "an object has other fields than it should");
}

#[test]
fn every_object_is_marked() {
    let (world, atoms) = (world(), ["elem == null"]);
    let why = "it is not said where an object may be";
    assert_eq!(world.changed(&atoms, |it| it.markings.clear()), why);
    let why = "it is not said where an object is";
    assert_eq!(world.changed(&atoms, |it| drop(it.markings[0].covers.pop())), why);
    let why = "there is no such object";
    let more = |it: &mut Proof| {
        let again = it.markings[0].covers[0].clone();
        it.markings[0].covers.push(again);
    };
    assert_eq!(world.changed(&atoms, more), why);
    let why = "an object is elsewhere";
    assert_eq!(world.changed(&atoms, |it| it.markings[0].covers[0].to = 9), why);
    // The other object is marked there.
    let why = "a variable holds something else";
    assert_eq!(world.changed(&atoms, |it| it.markings[0].covers.swap(0, 1)), why);
    let unmarked = |it: &mut Proof| it.markings[0].marked[0].slots.retain(|_, _| false);
    assert_eq!(world.changed(&atoms, unmarked), "a variable is left out that the claim names");
    let wrong = |it: &mut Proof| it.markings[0].marked[0].graph.fields.clear();
    assert_eq!(world.changed(&atoms, wrong), "an object has other fields than it should");
    // More is marked than there is.
    let more = |it: &mut Proof| {
        let again = it.markings[0].marked[0].clone();
        it.markings[0].marked.push(again);
    };
    assert_eq!(world.changed(&atoms, more), "there is another number of inputs");
}

#[test]
fn steps_lead_where_the_program_goes() {
    let world = world();
    let why = "a step has another number of cases";
    let at = |it: &Proof| node(it, Some(0), FIRST);
    assert_eq!(
        world.changed(&[], |it| {
            let at = at(it);
            it.steps[at].clear();
        }),
        why
    );
    let more = |it: &mut Proof| {
        let at = at(it);
        let again = it.steps[at][0].clone();
        it.steps[at].push(again);
    };
    assert_eq!(world.changed(&[], more), why);
    let why = "a step leads elsewhere";
    let place = |it: &mut Proof| {
        let to = it.steps[at(it)][0].cover.to;
        let (at, component) = (at(it), it.nodes[to].component);
        it.steps[at][0].cover.to = stray(it, component, FIRST, to);
    };
    assert_eq!(world.changed(&[], place), why);
    let component = |it: &mut Proof| {
        let to = it.steps[at(it)][0].cover.to;
        let (at, place) = (at(it), it.nodes[to].place);
        it.steps[at][0].cover.to = stray(it, 0, place, to);
    };
    assert_eq!(world.changed(&[], component), why);
    let nowhere = |it: &mut Proof| {
        let at = at(it);
        it.steps[at][0].cover.to = it.nodes.len();
    };
    assert_eq!(world.changed(&[], nowhere), "there is no such node");
    let forgets = |it: &mut Proof| forget(it, node(it, Some(0), CALL), Slot::Variable(1));
    let why = "a variable is left out that the claim names";
    assert_eq!(world.changed(&["y == null"], forgets), why);
    assert_eq!(world.changed(&["leak"], forgets), why);
    assert_eq!(world.changed(&["whole(Two)"], forgets), why);
    let ghost = |it: &mut Proof| forget(it, node(it, Some(0), CALL), Slot::Ghost(0));
    assert_eq!(world.changed(&["x@start == null"], ghost), why);
    // Others may be forgotten.
    let other = |it: &mut Proof| {
        forget(it, node(it, Some(0), CALL), Slot::Variable(3));
        let (call, after) = (node(it, Some(0), CALL), node(it, Some(0), AFTER));
        it.steps[call][0].keep.retain(|it| *it != Slot::Variable(3));
        forget(it, after, Slot::Variable(3));
        forget(it, node(it, Some(0), Place::At(1, 3, 0)), Slot::Variable(3));
    };
    assert_eq!(world.changed(&["y == null"], other), "");
}

#[test]
fn procedures_return_from_themselves() {
    let world = world();
    let at = |it: &Proof| node(it, Some(1), Place::At(0, 1, 0));
    let why = "a procedure returns from another one";
    let other = |it: &mut Proof| {
        let at = at(it);
        let heap = it.exits[it.steps[at][0].cover.to].1;
        it.exits.push((0, heap));
        it.steps[at][0].cover.to = it.exits.len() - 1;
    };
    assert_eq!(world.changed(&[], other), why);
    let nowhere = |it: &mut Proof| {
        let at = at(it);
        it.steps[at][0].cover.to = it.exits.len();
    };
    assert_eq!(world.changed(&[], nowhere), "there is no such exit");
    let nothing = |it: &mut Proof| {
        let exit = it.steps[at(it)][0].cover.to;
        let mut heap = it.heaps[it.exits[exit].1].clone();
        heap.slots.clear();
        it.heaps.push(heap);
        it.exits[exit].1 = it.heaps.len() - 1;
    };
    assert_eq!(world.changed(&[], nothing), "a variable is left out that the claim names");
}

#[test]
fn calls_lead_to_where_callees_begin() {
    let world = world();
    let at = |it: &Proof| node(it, Some(0), CALL);
    let entry = |it: &Proof| it.steps[at(it)][0].cover.to;
    let why = "a call leads elsewhere";
    let place = |it: &mut Proof| {
        let (at, to) = (at(it), entry(it));
        let component = it.nodes[to].component;
        it.steps[at][0].cover.to = stray(it, component, Place::At(0, 1, 0), to);
    };
    assert_eq!(world.changed(&[], place), why);
    let procedure = |it: &mut Proof| {
        let (at, to) = (at(it), entry(it));
        let component = it.nodes[at].component;
        it.steps[at][0].cover.to = stray(it, component, FIRST, to);
    };
    assert_eq!(world.changed(&[], procedure), why);
    let nowhere = |it: &mut Proof| {
        let at = at(it);
        it.steps[at][0].cover.to = it.nodes.len();
    };
    assert_eq!(world.changed(&[], nowhere), "there is no such node");
    let forgets = |it: &mut Proof| {
        let at = at(it);
        it.steps[at][0].keep.retain(|it| *it != Slot::Variable(1));
    };
    let why = "a variable is forgotten that the claim names";
    assert_eq!(world.changed(&["y == null"], forgets), why);
    assert_eq!(world.changed(&["leak"], forgets), why);
    let ghost = |it: &mut Proof| {
        let at = at(it);
        it.steps[at][0].keep.retain(|it| !matches!(it, Slot::Ghost(_)));
    };
    assert_eq!(world.changed(&["x@start == null"], ghost), why);
    let given = |it: &mut Proof| forget(it, entry(it), Slot::Variable(0));
    let why = "a variable is left out that the claim names";
    assert_eq!(world.changed(&["aux.x == null"], given), why);
}

/// Two objects that a callee is given and that its caller knows: it may have them in another order.
#[test]
fn cutpoints_may_be_in_another_order() {
    let world = world();
    let turned = |it: &mut Proof| {
        let (call, callee) = (node(it, Some(0), CALL), node(it, Some(1), FIRST));
        assert_eq!(it.steps[call][0].cover.to, callee);
        for heap in &mut it.heaps {
            if heap.graph.externals == [1, 2] {
                heap.graph.externals = vec![2, 1];
            }
        }
    };
    assert_eq!(world.changed(&[], turned), "");
}

#[test]
fn callers_go_on_where_they_called() {
    let world = world();
    let why = "it is not said where a call goes on";
    assert_eq!(world.changed(&[], |it| drop(it.returns.pop())), why);
    let why = "a call goes on that there is not";
    assert_eq!(world.changed(&[], |it| it.returns.push(it.returns[0].clone())), why);
    assert_eq!(world.changed(&[], |it| it.returns[0].to = 999), "there is no such node");
    // Which of the covers is that of the inner call.
    let back = |it: &Proof| {
        let after = node(it, Some(0), AFTER);
        it.returns.iter().position(|it| it.to == after).expect("it comes back")
    };
    let why = "a call goes on elsewhere";
    // The next node has the same heap.
    let place = |it: &mut Proof| {
        let (back, to) = (back(it), it.returns[back(it)].to);
        let next = it.steps[to][0].cover.to;
        assert_eq!(it.nodes[next].heap, it.nodes[to].heap);
        it.returns[back].to = next;
    };
    // A component of the same procedure, which is the same from there on.
    let component = |it: &mut Proof| {
        let (back, mut to) = (back(it), it.returns[back(it)].to);
        it.components.push(Some(ProcId::new(0)));
        let home = it.components.len() - 1;
        it.returns[back].to = it.nodes.len();
        loop {
            it.nodes.push(Node { component: home, ..it.nodes[to].clone() });
            let mut steps = it.steps[to].clone();
            let next = steps[0].cover.to;
            let is_last = matches!(it.nodes[to].place, Place::At(1, 4, 0));
            steps[0].cover.to = if is_last { it.exits.len() } else { it.nodes.len() };
            it.steps.push(steps);
            if is_last {
                let heap = it.exits[next].1;
                it.exits.push((home, heap));
                return;
            }
            to = next;
        }
    };
    assert_eq!(world.changed(&[], place), why);
    assert_eq!(world.changed(&[], component), why);
    let result = |it: &mut Proof| forget(it, node(it, None, Place::End), Slot::Return);
    assert_eq!(world.changed(&[], result), "a variable is left out that the claim names");
    let forgets = |it: &mut Proof| {
        for at in 2..5 {
            forget(it, node(it, Some(0), Place::At(1, at, 0)), Slot::Variable(1));
        }
    };
    let why = "a variable is left out that the claim names";
    assert_eq!(world.changed(&["y == null"], forgets), why);
}

/// The machine has an edge for each step, call and return, and labels for what is known.
#[test]
fn the_machine_has_all_steps() {
    let world = world();
    let atoms = ["terminated", "x == null"];
    world.prove(&atoms, |prover, formulas, claim| {
        let proof = followed(prover, false);
        let found = prover.assemble(formulas, claim, &proof, &Budget::unlimited());
        let machine = found.expect("it is right").machine;
        let steps = proof.steps.iter().map(Vec::len).sum::<usize>();
        assert_eq!(machine.edge_count(), steps + proof.returns.len());
        assert_eq!(machine.possible_count(), machine.edge_count());
        assert_eq!(machine.initial().len(), 2);
        let labelled = |name: &str| machine.label(name).map_or(0, |it| machine.labelled(it).len());
        let ends = proof.nodes.iter().filter(|it| it.place == Place::End).count();
        assert_eq!((labelled("terminated"), labelled("#again")), (ends, ends));
    });
}

/// Where nothing is known of a proposition, the machine says so.
#[test]
fn the_machine_says_what_is_not_known() {
    let mut world = World::new(&["List+"]);
    world.plain("main", 1, vec![(Vec::new(), Jump::Return(None))]);
    let atoms = ["x.next == null", "x == null", "x != null"];
    world.prove(&atoms, |prover, formulas, claim| {
        let proof = followed(prover, false);
        let found = prover.assemble(formulas, claim, &proof, &Budget::unlimited());
        let machine = found.expect("it is right").machine;
        let first = tern_model::NodeId::new(node(&proof, Some(0), FIRST));
        let known = atoms.map(|name| {
            let label = machine.label(name);
            label.map(|it| (machine.has_label(first, it), machine.is_unknown(first, it)))
        });
        assert_eq!(known, [Some((false, true)), None, Some((true, false))]);
    });
}

/// Objects are lost where a variable is written, where a procedure returns, where its result takes
/// the place of another, and where something is called and what was lost before is dropped.
#[test]
fn it_is_known_where_something_is_lost() {
    let mut world = World::new(&["One"]);
    let (made, null) = (world.made(1, "Leaf"), world.null());
    let call = world.call(Some(1), "aux", 1);
    let blocks = vec![(
        vec![made.clone(), copy(1, null), call.clone(), made.clone(), call],
        Jump::Return(None),
    )];
    world.plain("main", 1, blocks);
    world.plain("aux", 1, vec![(vec![made], Jump::Return(Some(read(0))))]);
    let lost = |trims: bool| -> BTreeSet<(usize, usize)> {
        world.prove(&["leak"], |prover, formulas, claim| {
            assert_eq!(prover.ghosts, [super::super::inputs::Remembered::Start(0)]);
            let proof = followed(prover, trims);
            let found = prover.assemble(formulas, claim, &proof, &Budget::unlimited());
            let machine = found.expect("it is right").machine;
            let label = machine.label("leak").expect("it is not known everywhere");
            let nodes = machine.unknown(label).iter().map(|it| &proof.nodes[it.index()]);
            let places = nodes.map(|node| match (proof.components[node.component], node.place) {
                (Some(procedure), Place::At(_, at, _)) => (procedure.index(), at),
                (_, place) => panic!("{place:?}"),
            });
            places.collect()
        })
    };
    // Behind the assignment, and behind both calls: the callee loses what it made, and the second
    // result takes the place of what was made before.
    assert_eq!(lost(true), [(0, 2), (0, 3), (0, 5)].into());
    // What was lost before is dropped at calls.
    assert_eq!(lost(false), [(1, 0)].into());
    let mut kept = world.program.body_mut(ProcId::new(1)).as_mut().expect("it has code").clone();
    kept.statements[0] = copy(1, read(0));
    *world.program.body_mut(ProcId::new(1)) = Some(kept);
    let lost = world.prove(&["leak"], |prover, formulas, claim| {
        let proof = followed(prover, true);
        let found = prover.assemble(formulas, claim, &proof, &Budget::unlimited());
        let machine = found.expect("it is right").machine;
        machine.label("leak").map_or(0, |it| machine.unknown(it).len())
    });
    assert_eq!(lost, 4, "two places, with and without a list");
}

/// The second object of a list is given to a callee; around it lies the first.
#[test]
fn what_lies_around_is_what_it_is() {
    let mut world = World::new(&["Two+"]);
    let (load, call) = (world.load(0, 0, "next"), world.call(None, "aux", 1));
    world.plain("main", 1, vec![(vec![load, call], Jump::Return(None))]);
    world.plain("aux", 1, vec![(Vec::new(), Jump::Return(None))]);
    let view = |graph: Graph| AbstractHeap { graph, ..AbstractHeap::default() };
    let said = |change: &dyn Fn(&mut Proof)| {
        world.changed(&["whole(Two)"], |it| {
            let alone = view(graph(&["Node"], &[], &[], &[1]));
            let both = view(graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]));
            it.around = vec![same(0, &alone), same(0, &both)];
            it.views = vec![AbstractHeap::default(), alone, both];
            change(it);
        })
    };
    assert_eq!(said(&|_| {}), "");
    let why = "it is not said what lies around a heap";
    assert_eq!(said(&|it| it.views.clear()), why);
    assert_eq!(said(&|it| it.around.clear()), why);
    assert_eq!(said(&|it| drop(it.views.pop())), why);
    assert_eq!(said(&|it| drop(it.around.pop())), why);
    assert_eq!(said(&|it| it.around.push(it.around[0].clone())), why);
    let why = "something lies around all of the heap";
    assert_eq!(said(&|it| it.views[0].graph.kinds.push("Leaf".to_owned())), why);
    let why = "an object has other fields than it should";
    assert_eq!(said(&|it| it.views[2].graph.fields.push((2, "next".to_owned(), 0))), why);
    assert_eq!(said(&|it| it.around[1].map.swap(0, 1)), "fields of objects are others");
    let less = |it: &mut Proof| {
        it.views[2] = view(graph(&["Node"], &[], &[], &[1]));
        it.around[1].map = vec![2];
    };
    assert_eq!(said(&less), "something is left out");
}

/// The same for a claim that remembers the first object.
#[test]
fn what_is_remembered_around_a_frame_is_what_it_is() {
    let mut world = World::new(&["Two+"]);
    let (load, call) = (world.load(0, 0, "next"), world.call(None, "aux", 1));
    world.plain("main", 1, vec![(vec![load, call], Jump::Return(None))]);
    world.plain("aux", 1, vec![(Vec::new(), Jump::Return(None))]);
    let view = |graph: Graph| {
        let slots = [(Slot::Ghost(0), Held::Object(1))].into();
        AbstractHeap { graph, slots }
    };
    let said = |change: &dyn Fn(&mut Proof)| {
        world.changed(&["x@start != null"], |it| {
            let alone = view(graph(&["Node"], &[], &[], &[1]));
            let both = view(graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]));
            it.around = vec![same(0, &alone), same(0, &both)];
            it.views = vec![AbstractHeap::default(), alone, both];
            change(it);
        })
    };
    assert_eq!(said(&|_| {}), "");
    let why = "a variable is left out that the claim names";
    assert_eq!(said(&|it| it.views[1].slots.clear()), why);
    assert_eq!(said(&|it| it.views[2].slots.clear()), why);
    let why = "a variable holds something else";
    let put = |it: &mut Proof, slot: Slot, held: Held| {
        it.views[2].slots.insert(slot, held);
    };
    assert_eq!(said(&|it| put(it, Slot::Ghost(0), Held::Object(2))), why);
    assert_eq!(said(&|it| put(it, Slot::Ghost(0), Held::Any)), why);
    assert_eq!(said(&|it| put(it, Slot::Ghost(1), Held::Object(1))), why);
    assert_eq!(said(&|it| put(it, Slot::Variable(0), Held::Object(1))), why);
    let why = "a variable holds an object that is not there";
    assert_eq!(said(&|it| put(it, Slot::Ghost(0), Held::Object(3))), why);
}

/// Where an input has one run, quantifiers say nothing; else what holds on some path is shown of
/// all, which is no use below an equivalence.
#[test]
fn claims_are_about_runs_that_there_are() {
    let claim = |chance: bool, make: &dyn Fn(&mut Formulas) -> FormulaId| {
        let mut world = World::new(&["One"]);
        let from = if chance { world.constant(Constant::Any) } else { read(0) };
        world.plain("main", 1, vec![(vec![copy(1, from)], Jump::Return(None))]);
        let mut formulas = Formulas::new();
        let claim = make(&mut formulas);
        world.with_task(|task| {
            let prover = Prover::new(task, &formulas, claim).expect("it can be proved with");
            let proof = followed(&prover, false);
            let found = prover.assemble(&formulas, claim, &proof, &Budget::unlimited());
            found.map(|it| {
                let formula = it.claims.list()[0].formula().expect("it is one");
                it.claims.formulas.show(formula).to_string()
            })
        })
    };
    let ends = |formulas: &mut Formulas| {
        let ended = formulas.atom("terminated");
        let path = formulas.make(Formula::Finally(ended));
        let some = formulas.make(Formula::Exists(path));
        let path = formulas.make(Formula::Globally(some));
        formulas.make(Formula::All(path))
    };
    let same = |formulas: &mut Formulas| {
        let (some, atom) = (ends(formulas), formulas.atom("terminated"));
        formulas.make(Formula::Iff(some, atom))
    };
    assert_eq!(claim(false, &ends).as_deref(), Ok("A [G F \"#again\" -> G F terminated]"));
    assert_eq!(
        claim(true, &ends).as_deref(),
        Ok("A [G F \"#again\" -> G A [G F \"#again\" -> F terminated]]")
    );
    assert_eq!(said(claim(true, &same)), "a claim is about all runs and about some");
    assert_eq!(said(claim(false, &same)), "");
}
