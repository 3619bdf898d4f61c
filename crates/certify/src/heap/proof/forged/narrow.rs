//! Narrow proofs: callees that are given less than they come to, and externals that lack fields.

use super::super::calls::fields_read;
use super::super::grammar::Grammar;
use super::super::graph::Origin;
use super::super::reach::Reach;
use super::super::step::Calling;
use super::*;
use tern_model::Tri;

/// The checked procedure gives the second of two pairs, which knows the first by `prev`, to a
/// procedure that does something to it.
fn world(make: impl FnOnce(&mut World) -> Vec<Statement>) -> World {
    let mut world = World::new(&["Pairs+"]);
    let pairs = graph(
        &["Pair", "Pair", "Pair"],
        &[
            (1, "next", 2),
            (1, "prev", 0),
            (2, "next", 3),
            (2, "prev", 1),
            (3, "next", 0),
            (3, "prev", 2),
        ],
        &[],
        &[1],
    );
    world.rules.shapes.insert("Pairs".to_owned(), vec![pairs]);
    let (load, call) = (world.load(0, 0, "next"), world.call(None, "aux", 1));
    let statements = make(&mut world);
    world.plain("main", 1, vec![(vec![load, call], Jump::Return(None))]);
    world.plain("aux", 1, vec![(statements, Jump::Return(None))]);
    world
}

/// A procedure that reads `next` only.
fn forward() -> World {
    world(|it| vec![it.load(1, 0, "next")])
}

fn narrow<T>(
    world: &World,
    atoms: &[&str],
    then: impl FnOnce(&Prover<'_>, &Formulas, FormulaId) -> T,
) -> Result<T, NoRun> {
    let mut formulas = Formulas::new();
    let mut claim = formulas.make(Formula::True);
    for atom in atoms {
        let atom = formulas.atom(atom);
        claim = formulas.make(Formula::And(claim, atom));
    }
    world.with_task(|task| {
        let prover = Prover::new(task, &formulas, claim)?.narrowed()?;
        Ok(then(&prover, &formulas, claim))
    })
}

fn names(fields: &[&str]) -> BTreeSet<String> {
    fields.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn fields_are_those_that_anybody_reads() {
    let used = |world: &World, procedure: usize| {
        world.with_task(|task| fields_read(task, ProcId::new(procedure)))
    };
    assert_eq!(used(&forward(), 1), Ok(names(&["next"])));
    let stores = world(|it| {
        let null = it.null();
        vec![it.store(0, "prev", null)]
    });
    assert_eq!(used(&stores, 1), Ok(names(&[])));
    // Who calls has its own fields and those of the callee.
    let back = world(|it| vec![it.load(1, 0, "prev")]);
    assert_eq!(used(&back, 0), Ok(names(&["next", "prev"])));
    let calls = world(|it| vec![it.call(None, "main", 1), it.call(None, "pure", 1)]);
    assert_eq!(used(&calls, 1), Ok(names(&["next"])));
    let why = "it is not known which fields a callee reads";
    assert_eq!(said(used(&world(|it| vec![it.call(None, "free", 1)]), 1)), why);
    assert_eq!(said(used(&world(|it| vec![it.call(None, "elsewhere", 1)]), 1)), why);
    let mut without = forward();
    *without.program.body_mut(ProcId::new(1)) = None;
    assert_eq!(said(used(&without, 1)), "a procedure has no code");
    assert_eq!(said(used(&without, 0)), "a procedure has no code");
}

/// A callee has what it reaches with all of its fields; the first pair is beyond, and so is what a
/// hyperedge leads to that it is attached to.
#[test]
fn callees_have_what_they_come_to() {
    let heap = heap(
        graph(
            &["Pair", "Pair", "Pair", "Pair"],
            &[
                (1, "next", 2),
                (1, "prev", 0),
                (2, "prev", 1),
                (3, "next", 4),
                (4, "next", 0),
                (4, "prev", 3),
            ],
            &[("Chain", &[2, 3])],
            &[],
        ),
        &[(0, Held::Object(1))],
    );
    let called = |fields: &[&str], given: usize| {
        forward().with_task(|task| {
            let grammar = Grammar::new(&task.rules, &task.types).expect("it is sound");
            let reach = Reach::new(&grammar, names(fields));
            let calling = Calling {
                callee: ProcId::new(1),
                values: vec![Held::Object(given)],
                heap: Tracked::new(&heap),
                to: None,
                next: Place::At(0, 1, 0),
            };
            let keep = [Slot::Variable(0)].into();
            let split = split(task, &grammar, Some(&reach), &calling, &keep);
            let (inside, outside) = split.expect("it can be called");
            let mut result = inside.heap.clone();
            result.slots.clear();
            let (joined, left) = outside.joined(&result).expect("they fit");
            (inside, joined.heap.graph, left)
        })
    };
    let sorted = |mut graph: Graph| {
        graph.fields.sort();
        graph.edges.sort();
        graph
    };
    // From the second pair on, by `next`: all but the first, which lacks its fields.
    let (inside, joined, left) = called(&["next"], 2);
    let wanted = graph(
        &["Pair", "Pair", "Pair", "Pair"],
        &[(2, "prev", 1), (3, "next", 4), (4, "next", 0), (4, "prev", 3)],
        &[("Chain", &[2, 3])],
        &[1, 2],
    );
    assert_eq!(inside.heap.graph, wanted);
    assert_eq!(sorted(joined), sorted(heap.graph.clone()), "it comes back as it was");
    assert_eq!(left.0[1..3], [Origin::NONE, Origin::NONE]);
    // By `prev`: the second and the first; the chain leads on to the third, which is beyond.
    let (inside, joined, _) = called(&["prev"], 2);
    let wanted = graph(
        &["Pair", "Pair", "Pair"],
        &[(1, "next", 2), (1, "prev", 0), (2, "prev", 1)],
        &[("Chain", &[2, 3])],
        &[1, 3],
    );
    assert_eq!(inside.heap.graph, wanted);
    assert_eq!(joined.kinds.len(), 4);
    assert_eq!(joined.edges.len(), 1);
    // By no field: the pair itself.
    let (inside, ..) = called(&[], 4);
    assert_eq!(inside.heap.graph.kinds.len(), 2);
    assert_eq!(inside.heap.graph.externals.len(), 2);
}

#[test]
fn what_is_not_given_is_not_looked_at() {
    let budget = Budget::unlimited();
    let proved = |world: &World| {
        narrow(world, &[], |prover, formulas, claim| {
            let proof = followed(prover, true);
            let (rules, types) = (rules(), types());
            let wide = Grammar::new(&rules, &types).expect("it is sound");
            let lacks = proof.heaps.iter().any(|it| wide.check_held(it).is_err());
            (said(prover.assemble(formulas, claim, &proof, &budget)), lacks)
        })
    };
    assert_eq!(proved(&forward()), Ok((String::new(), true)));
    // The same nodes are none of a proof that is not narrow.
    let other = narrow(&forward(), &[], |prover, _, _| followed(prover, true)).expect("narrow");
    let found = forward().prove(&[], |prover, formulas, claim| {
        said(prover.assemble(formulas, claim, &other, &budget))
    });
    assert_eq!(found, "an object has other fields than it should");
    // Objects that are no externals lack nothing, and externals have no more than they may.
    let changed = |change: &dyn Fn(&mut AbstractHeap)| {
        narrow(&forward(), &[], |prover, formulas, claim| {
            let mut proof = followed(prover, true);
            let entry = proof.components.len() - 1;
            let at = proof.nodes.iter().position(|it| it.component == entry).expect("an entry");
            let heap = proof.nodes[at].heap;
            change(&mut proof.heaps[heap]);
            said(prover.assemble(formulas, claim, &proof, &budget))
        })
    };
    assert_eq!(changed(&|_| {}), Ok(String::new()));
    let why = Ok("an object has other fields than it should".to_owned());
    assert_eq!(changed(&|it| it.graph.externals.clear()), why);
    let more = |it: &mut AbstractHeap| {
        let external = it.graph.externals[0];
        it.graph.fields.push((external, "more".to_owned(), 0));
    };
    assert_eq!(changed(&more), why);
    // What lies around heaps is said nowhere.
    let around = narrow(&forward(), &[], |prover, formulas, claim| {
        let mut proof = followed(prover, true);
        proof.views = vec![AbstractHeap::default(); proof.components.len()];
        proof.around = vec![Cover::default(); 2];
        said(prover.assemble(formulas, claim, &proof, &budget))
    });
    let why = "what lies around a heap is no matter of a narrow proof";
    assert_eq!(around, Ok(why.to_owned()));
    // Its fields cannot be looked at.
    let found = narrow(&forward(), &[], |prover, _, _| {
        let pair = graph(&["Pair"], &[], &[], &[1]);
        let heap = heap(pair, &[(0, Held::Object(1))]);
        said(prover.next(Some(ProcId::new(1)), Place::At(0, 0, 0), &heap))
    });
    assert_eq!(found, Ok("an object has no such field".to_owned()));
    // Claims that are about everything are not proved so.
    let why = "a claim about all of the heap is proved with all that callees reach";
    assert_eq!(said(narrow(&forward(), &["leak"], |_, _, _| ())), why);
    assert_eq!(said(narrow(&forward(), &["whole(Two)"], |_, _, _| ())), why);
    let frees = world(|it| vec![it.call(None, "free", 1)]);
    let why = "it is not known which fields a callee reads";
    assert_eq!(said(narrow(&frees, &[], |_, _, _| ())), why);
}

/// Behind an external it is not known what is reached, nor what its fields are.
#[test]
fn nothing_is_known_behind_externals() {
    let pairs = graph(
        &["Pair", "Pair", "Pair"],
        &[(2, "next", 0), (2, "prev", 1), (3, "next", 0), (3, "prev", 0)],
        &[],
        &[1],
    );
    let heap = heap(pairs, &[(0, Held::Object(2)), (1, Held::Object(1)), (2, Held::Object(3))]);
    let truth_in = |heap: &AbstractHeap, atom: &str| {
        let found = narrow(&forward(), &[atom], |prover, _, _| {
            let spot = prover.spot(Some(ProcId::new(0)), Place::At(0, 0, 0), heap, None);
            spot.truth(&prover.propositions[atom], &[])
        });
        found.and_then(|it| it)
    };
    for (atom, wanted) in [
        ("x.prev == y", Tri::True),
        ("y.next == null", Tri::Unknown),
        ("y.next != x", Tri::Unknown),
        ("x.prev.next == x", Tri::Unknown),
        ("reach(x, y, prev)", Tri::True),
        ("reach(x, z, prev)", Tri::Unknown),
        ("reach(x, z, next)", Tri::False),
        ("reach(z, x)", Tri::False),
        ("reach(y, z)", Tri::Unknown),
    ] {
        assert_eq!(truth_in(&heap, atom), Ok(wanted), "{atom}");
    }
    // What a field or a hyperedge gives is known nevertheless.
    let slots = [(0, Held::Object(1)), (1, Held::Object(2))];
    let field = graph(&["Pair", "Pair"], &[(1, "next", 2)], &[], &[1, 2]);
    let edge = graph(&["Pair", "Pair"], &[], &[("Chain", &[1, 2])], &[1, 2]);
    for (graph, wanted) in [(field, Tri::True), (edge, Tri::Unknown)] {
        let heap = super::heap(graph, &slots);
        assert_eq!(truth_in(&heap, "x.next == y"), Ok(wanted));
        assert_eq!(truth_in(&heap, "x.next != null"), Ok(Tri::True));
    }
}

/// A callee may come to all that some rule leads to.
#[test]
fn what_is_perhaps_reached_is_given() {
    let mut rules = rules();
    let list = rules.nonterminals.get_mut("List").expect("it is there");
    list.rules.push(graph(&["Node", "Node"], &[(1, "next", 0)], &[], &[1, 2]));
    let types = types();
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let reach = Reach::new(&grammar, names(&["next"]));
    let list = graph(&["Node", "Node"], &[(2, "next", 0)], &[("List", &[1, 2])], &[]);
    assert_eq!(reach.entered(&list, &[1]), [true; 3]);
    assert_eq!(reach.entered(&list, &[2]), [true, false, true]);
    assert_eq!(reach.entered(&list, &[]), [true, false, false]);
}
