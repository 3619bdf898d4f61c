//! What callees are given, and what becomes of that.

use super::super::grammar::Grammar;
use super::super::graph::{FREED, Origin};
use super::super::step::Calling;
use super::*;

/// Two procedures with one parameter each.
fn world() -> World {
    let mut world = World::new(&["List"]);
    for name in ["main", "aux"] {
        world.plain(name, 1, vec![(Vec::new(), Jump::Return(None))]);
    }
    world
}

/// A call with a value, on which the caller keeps these slots.
fn called<T>(
    world: &World,
    heap: &AbstractHeap,
    values: &[Held],
    keep: &[Slot],
    then: impl FnOnce(Tracked, Outside) -> T,
) -> Result<T, NoRun> {
    called_for(Slot::Variable(2), world, heap, values, keep, then)
}

/// The same; the result goes to a slot.
fn called_for<T>(
    to: Slot,
    world: &World,
    heap: &AbstractHeap,
    values: &[Held],
    keep: &[Slot],
    then: impl FnOnce(Tracked, Outside) -> T,
) -> Result<T, NoRun> {
    world.with_task(|task| {
        let grammar = Grammar::new(&task.rules, &task.types)?;
        let calling = Calling {
            callee: ProcId::new(1),
            values: values.to_vec(),
            heap: Tracked::new(heap),
            to: Some(to),
            next: Place::At(0, 1, 0),
        };
        let keep = keep.iter().copied().collect();
        let (inside, outside) = split(task, &grammar, None, &calling, &keep)?;
        Ok(then(inside, outside))
    })
}

/// An object that leads to one that is given, from which two lead on; one of these the caller knows
/// as well, the other lies on a list.
fn given() -> AbstractHeap {
    let graph = graph(
        &["Node", "Pair", "Pair", "Pair", "Leaf"],
        &[(1, "next", 2), (2, "next", 3), (2, "prev", 0), (3, "prev", 2), (4, "next", 0)],
        &[("Chain", &[3, 4])],
        &[],
    );
    heap(graph, &[(0, Held::Object(1)), (1, Held::Object(3)), (3, Held::Object(5))])
}

fn slots(all: &[usize]) -> Vec<Slot> {
    all.iter().map(|it| Slot::Variable(*it)).collect()
}

#[test]
fn callees_see_what_they_reach() {
    let found =
        called(&world(), &given(), &[Held::Object(2)], &slots(&[0, 1]), |inside, outside| {
            // Objects 2, 3 and 4, with what leads from them; 2 and 3 are known outside.
            let graph = graph(
                &["Pair", "Pair", "Pair"],
                &[(1, "next", 2), (1, "prev", 0), (2, "prev", 1), (3, "next", 0)],
                &[("Chain", &[2, 3])],
                &[1, 2],
            );
            let null = Held::Object(0);
            let wanted = [(0, Held::Object(1)), (1, null), (2, null), (3, null)];
            assert_eq!(inside.heap, heap(graph.clone(), &wanted));
            let origins = [Origin::NONE, Origin::part(2), Origin::part(3), Origin::part(4)];
            assert_eq!(inside.objects, origins);
            assert_eq!(inside.edges, [Origin::part(6)]);
            // The leaf was known to a variable that is forgotten.
            assert!(outside.loses);
            // It comes back as it was, and the second object is the result.
            let mut result = heap(graph, &[]);
            result.slots.insert(Slot::Return, Held::Object(3));
            let (joined, left) = outside.joined(&result).expect("they fit");
            let kinds = ["Node", "Pair", "Pair", "Pair"];
            let fields =
                [(1, "next", 2), (2, "next", 3), (2, "prev", 0), (3, "prev", 2), (4, "next", 0)];
            let edges: [(&str, &[usize]); 1] = [("Chain", &[3, 4])];
            let slots = [(0, Held::Object(1)), (1, Held::Object(3)), (2, Held::Object(4))];
            assert_eq!(joined.heap, heap(super::graph(&kinds, &fields, &edges, &[]), &slots));
            let none = Origin::NONE;
            assert_eq!(
                left,
                (vec![none, none, none, none, Origin::part(3)], vec![Origin::part(4)])
            );
            let kept = [none, Origin::part(1), Origin::part(2), Origin::part(3), none];
            assert_eq!((&joined.objects[..], &joined.edges[..]), (&kept[..], &[none][..]));
        });
    assert_eq!(said(found), "");
}

/// What is known of an object comes from variables, fields and hyperedges outside, and from
/// externals of the caller.
#[test]
fn cutpoints_are_what_others_know() {
    let list =
        |edges: &[(&str, &[usize])], fields: &[(usize, &str, usize)], externals: &[usize]| {
            heap(
                graph(&["Node", "Node"], fields, edges, externals),
                &[(0, Held::Object(1)), (1, Held::Object(2))],
            )
        };
    let externals = |heap: &AbstractHeap, keep: &[usize]| {
        let found = called(&world(), heap, &[Held::Object(2)], &slots(keep), |inside, outside| {
            (inside.heap.graph.externals.len(), outside.loses)
        });
        found.unwrap_or_else(|why| panic!("{why}"))
    };
    let apart = list(&[], &[(1, "next", 0), (2, "next", 0)], &[]);
    assert_eq!(externals(&apart, &[0]), (0, false));
    assert_eq!(externals(&apart, &[0, 1]), (1, false));
    assert_eq!(externals(&apart, &[]), (0, true), "the first object is lost");
    let field = list(&[], &[(1, "next", 2), (2, "next", 0)], &[]);
    assert_eq!(externals(&field, &[0]), (1, false));
    assert_eq!(externals(&field, &[]), (0, true));
    let edge = list(&[("List", &[1, 2])], &[(2, "next", 0)], &[]);
    assert_eq!(externals(&edge, &[0]), (1, false));
    assert_eq!(externals(&edge, &[]), (0, true));
    let external = list(&[], &[(1, "next", 0), (2, "next", 0)], &[2]);
    assert_eq!(externals(&external, &[0]), (1, false));
    // What only the callee knows is none.
    let inner = heap(
        graph(
            &["Node", "Node", "Node"],
            &[(1, "next", 0), (2, "next", 3), (3, "next", 0)],
            &[],
            &[],
        ),
        &[(0, Held::Object(1))],
    );
    assert_eq!(externals(&inner, &[0]), (0, false));
    // A freed object is not lost, a hyperedge that nothing leads to is.
    let mut freed = list(&[], &[(2, "next", 0)], &[]);
    freed.graph.kinds[0] = FREED.to_owned();
    assert_eq!(externals(&freed, &[]), (0, false));
    freed.graph.edges.push(("End".to_owned(), vec![2]));
    assert_eq!(externals(&freed, &[]), (0, true));
}

/// Externals of the caller stay with it, wherever they are.
#[test]
fn externals_stay() {
    let fields = [(1, "next", 0), (2, "next", 0)];
    let heap = heap(graph(&["Node", "Node"], &fields, &[], &[2, 1]), &[(0, Held::Object(1))]);
    let found = called(&world(), &heap, &[Held::Object(1)], &slots(&[0]), |inside, outside| {
        let mut result = inside.heap;
        result.slots.clear();
        let (joined, _) = outside.joined(&result).expect("they fit");
        assert_eq!(joined.heap.graph.externals, [2, 1]);
    });
    assert_eq!(said(found), "");
}

#[test]
fn results_fit_what_is_left() {
    let heap = heap(graph(&["Node"], &[(1, "next", 0)], &[], &[]), &[(0, Held::Object(1))]);
    let joined = |result: AbstractHeap| {
        let found = called(&world(), &heap, &[Held::Object(1)], &slots(&[0]), |_, outside| {
            outside.joined(&result).map(|it| it.0.heap)
        });
        found.and_then(|it| it)
    };
    let result = |kind: &str, externals: &[usize]| {
        let graph = graph(&[kind, "Node"], &[(2, "next", 0)], &[], externals);
        AbstractHeap { graph, ..AbstractHeap::default() }
    };
    let why = "a callee has other externals";
    assert_eq!(said(joined(result("Node", &[]))), why);
    assert_eq!(said(joined(result("Node", &[1, 2]))), why);
    assert_eq!(said(joined(result("Leaf", &[1]))), "an object has another type");
    // It may have been freed; and a result of which nothing is said may be anything.
    let freed = joined(result(FREED, &[1])).expect("they fit");
    assert_eq!(freed.graph.kinds, [FREED, "Node"]);
    assert_eq!(freed.slots[&Slot::Variable(2)], Held::Any);
    // Where a run ends, nothing was returned then.
    let (values, keep) = ([Held::Object(1)], slots(&[0]));
    let ended = called_for(Slot::Return, &world(), &heap, &values, &keep, |_, outside| {
        outside.joined(&result("Node", &[1])).map(|it| it.0.heap.slots)
    });
    assert_eq!(ended.and_then(|it| it), Ok([(Slot::Variable(0), Held::Object(1))].into()));
}

#[test]
fn arguments_are_those_of_the_callee() {
    let empty = AbstractHeap::default();
    let (one, two) = ([Held::Object(0)], [Held::Object(0); 2]);
    let said = |world: &World, values: &[Held]| said(called(world, &empty, values, &[], |_, _| ()));
    assert_eq!(said(&world(), &one), "");
    assert_eq!(said(&world(), &two), "a procedure takes other arguments");
    assert_eq!(said(&world(), &[]), "a procedure takes other arguments");
    let mut without = world();
    *without.program.body_mut(ProcId::new(1)) = None;
    assert_eq!(said(&without, &one), "a procedure has no code");
    // Where variables have a value at first, it is nothing: 0, or no object.
    let blanks = |world: &World| {
        let found = called(world, &empty, &one, &[], |inside, _| inside.heap.slots);
        found.unwrap_or_else(|why| panic!("{why}"))
    };
    let mut numbers = world();
    let number = numbers.program.ty(Type::Integer { bits: 32, signed: true });
    let body = numbers.program.body_mut(ProcId::new(1)).as_mut().expect("it has code");
    body.variables[var(2)].ty = number;
    let zero = [Held::Object(0), Held::Object(0), Held::Integer(0), Held::Object(0)];
    assert_eq!(blanks(&numbers), (0..).map(Slot::Variable).zip(zero).collect());
    numbers.blank = true;
    assert_eq!(blanks(&numbers), [(Slot::Variable(0), Held::Object(0))].into());
}

/// What a claim remembers is in the heap of every frame that can come to it.
#[test]
fn callees_see_what_is_remembered() {
    let fields = [(1, "next", 0), (2, "next", 0)];
    let mut heap = heap(graph(&["Node", "Node"], &fields, &[], &[]), &[(0, Held::Object(1))]);
    heap.slots.insert(Slot::Ghost(0), Held::Object(1));
    heap.slots.insert(Slot::Ghost(1), Held::Object(2));
    let keep = [Slot::Variable(0), Slot::Ghost(0), Slot::Ghost(1)];
    let found = called(&world(), &heap, &[Held::Object(1)], &keep, |inside, outside| {
        assert_eq!(inside.heap.slots.get(&Slot::Ghost(0)), Some(&Held::Object(1)));
        assert_eq!(inside.heap.slots.get(&Slot::Ghost(1)), None);
        let mut result = inside.heap;
        result.slots.clear();
        let (joined, _) = outside.joined(&result).expect("they fit");
        assert_eq!(joined.heap.slots.get(&Slot::Ghost(1)), Some(&Held::Object(2)));
    });
    assert_eq!(said(found), "");
}

/// Callees may have externals in another order: it says which are which.
#[test]
fn externals_are_put_in_order() {
    let fields = [(1, "next", 2), (2, "next", 0)];
    let heap = heap(
        graph(&["Node", "Node"], &fields, &[], &[]),
        &[(0, Held::Object(1)), (1, Held::Object(2))],
    );
    let found =
        called(&world(), &heap, &[Held::Object(1)], &slots(&[0, 1]), |inside, mut outside| {
            let mut result = inside.heap.clone();
            result.slots.clear();
            result.graph.externals = vec![2, 1];
            assert_eq!(said(outside.order(&[1, 2], &[2, 3])), "externals are other objects");
            outside.order(&[1, 2], &[2, 1]).expect("they are the same");
            let (joined, _) = outside.joined(&result).expect("they fit");
            assert_eq!(joined.heap.graph.fields, inside.heap.graph.fields);
        });
    assert_eq!(said(found), "");
}

/// What lies around the heap of a callee is what is left of the caller, and what lies around that.
#[test]
fn callees_have_more_around_them() {
    let fields = [(1, "next", 2), (2, "next", 0)];
    let heap = heap(graph(&["Node", "Node"], &fields, &[], &[1]), &[(0, Held::Object(1))]);
    let around = AbstractHeap {
        graph: graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]),
        ..Default::default()
    };
    let found = called(&world(), &heap, &[Held::Object(2)], &slots(&[0]), |_, outside| {
        let all = outside.around(&around, false).expect("they fit").heap;
        let fields = [(1, "next", 2), (3, "next", 1)];
        let wanted = graph(&["Node"; 3], &fields, &[], &[2]);
        assert_eq!(all, AbstractHeap { graph: wanted, ..Default::default() });
    });
    assert_eq!(said(found), "");
}
