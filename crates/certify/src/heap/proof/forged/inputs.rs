//! Inputs that are forgotten, and objects of them that are marked nowhere.

use super::super::grammar::Grammar;
use super::*;
use tern_model::budget::Meter;

const MARK: Slot = Slot::Ghost(0);

/// Lists that are one object long, or two lists; and the same under another name.
fn rules() -> Rules {
    let pair = graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[1, 2]);
    let both = graph(&["Node"; 3], &[], &[("List", &[1, 3]), ("List", &[3, 2])], &[1, 2]);
    let tentacles = vec![("Node".to_owned(), false), ("Node".to_owned(), true)];
    let other = Nonterminal { tentacles: tentacles.clone(), rules: vec![pair.clone()] };
    let list = Nonterminal { tentacles, rules: vec![both, pair] };
    let nonterminals = [("List".to_owned(), list), ("Other".to_owned(), other)];
    Rules { nonterminals: nonterminals.into(), shapes: BTreeMap::new() }
}

/// Lists in a row, from object to object.
fn lists(count: usize, edges: &[[usize; 2]], externals: &[usize]) -> AbstractHeap {
    let edges: Vec<(&str, &[usize])> = edges.iter().map(|it| ("List", &it[..])).collect();
    heap(graph(&vec!["Node"; count], &[], &edges, externals), &[])
}

fn marked(mut heap: AbstractHeap, object: usize) -> AbstractHeap {
    heap.slots.insert(MARK, Held::Object(object));
    heap
}

/// Every object of a list is its first, or has a list before and behind it.
fn marking() -> Marking {
    let around = [
        lists(1, &[], &[1, 0]),
        lists(2, &[[1, 2]], &[2, 0]),
        lists(2, &[[2, 0]], &[1, 2]),
        lists(3, &[[1, 2], [3, 0]], &[2, 3]),
    ];
    let cover = |to: usize, unfold: &[usize], map: &[usize]| Cover {
        to,
        unfold: unfold.iter().map(|edge| (*edge, 0)).collect(),
        map: map.to_vec(),
    };
    Marking {
        marked: vec![
            marked(lists(1, &[[1, 0]], &[]), 1),
            marked(lists(2, &[[1, 2], [2, 0]], &[]), 2),
        ],
        around: around.map(|it| ("List".to_owned(), it)).to_vec(),
        covers: vec![
            // The list: its first object, or one inside.
            cover(0, &[], &[1]),
            cover(0, &[], &[1]),
            // Inside are two lists, with nothing around, one before, one behind, and both.
            cover(1, &[], &[1, 2]),
            cover(2, &[], &[1, 2]),
            cover(1, &[], &[1, 2]),
            cover(1, &[0], &[1, 3, 2]),
            cover(3, &[], &[1, 2, 3]),
            cover(1, &[0], &[1, 3, 2]),
            cover(1, &[1], &[1, 3, 2]),
            cover(2, &[0], &[1, 3, 2]),
            cover(3, &[], &[1, 3, 2]),
            cover(1, &[0, 0], &[1, 4, 2, 3]),
            cover(3, &[1], &[1, 2, 4, 3]),
            cover(3, &[0], &[1, 4, 3, 2]),
        ],
    }
}

fn checked(heaps: &[AbstractHeap], marking: &Marking) -> String {
    let (rules, types, budget) = (rules(), types(), Budget::unlimited());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    said(marking.check(&grammar, heaps, MARK, &mut Meter::new(&budget)))
}

#[test]
fn objects_inside_hyperedges_are_marked() {
    let list = [lists(1, &[[1, 0]], &[])];
    let changed = |change: &dyn Fn(&mut Marking)| {
        let mut marking = marking();
        change(&mut marking);
        checked(&list, &marking)
    };
    assert_eq!(changed(&|_| {}), "");
    assert_eq!(changed(&|it| drop(it.covers.pop())), "it is not said where an object is");
    assert_eq!(changed(&|it| it.covers.push(it.covers[0].clone())), "there is no such object");
    let why = "an object is elsewhere";
    assert_eq!(changed(&|it| it.covers[0].to = 2), why);
    assert_eq!(changed(&|it| it.covers[1].to = 4), why);
    // It is inside something else.
    let other = |it: &mut Marking| {
        it.around.push(("Other".to_owned(), it.around[0].1.clone()));
        it.covers[1].to = 4;
    };
    assert_eq!(changed(&other), why);
    let given = |it: &mut Marking| it.around[0].1.graph.fields.push((1, "next".to_owned(), 0));
    assert_eq!(changed(&given), "a field of an object is given twice");
    let given = |it: &mut Marking| it.marked[0].graph.fields.push((1, "next".to_owned(), 0));
    assert_eq!(changed(&given), "a field of an object is given twice");
    assert_eq!(changed(&|it| it.covers[3].to = 1), "a hyperedge is not there");
    assert_eq!(changed(&|it| it.covers[2].map.swap(0, 1)), "a hyperedge is not there");
}

/// Nothing of a heap may be missing where an object of it is marked.
#[test]
fn marked_heaps_are_whole() {
    let one = |kinds: &[&str]| heap(graph(kinds, &[(1, "next", 0)], &[], &[]), &[]);
    let cover = Cover { to: 0, unfold: Vec::new(), map: vec![1] };
    let marking = |kinds: &[&str], covers: Vec<Cover>| Marking {
        marked: vec![marked(one(kinds), 1)],
        around: Vec::new(),
        covers,
    };
    assert_eq!(checked(&[one(&["Node"])], &marking(&["Node"], vec![cover.clone()])), "");
    let more = checked(&[one(&["Node", "Leaf"])], &marking(&["Node"], vec![cover; 2]));
    assert_eq!(more, "something is left out");
}

/// What is given, in so many heaps.
fn inputs(world: &World, atoms: &[&str]) -> Result<Vec<AbstractHeap>, NoRun> {
    world.prove(atoms, |prover, _, _| {
        prover.inputs(|heaps, slot| {
            let mark = |heap: &AbstractHeap| {
                let mut heap = heap.clone();
                heap.slots.insert(slot, Held::Object(1));
                heap
            };
            Ok(heaps.iter().map(mark).collect())
        })
    })
}

fn world(given: &[Given]) -> World {
    let mut world = World { given: given.to_vec(), ..World::new(&[]) };
    world.plain("main", given.len(), vec![(Vec::new(), Jump::Return(None))]);
    world
}

#[test]
fn everything_that_may_be_given_is() {
    let shape = |name: &str, nullable: bool| Given::Shape(name.to_owned(), nullable);
    let count = |given: &[Given]| inputs(&world(given), &[]).map(|it| it.len());
    assert_eq!(count(&[shape("One", true)]), Ok(2));
    assert_eq!(count(&[shape("One", false)]), Ok(1));
    assert_eq!(count(&[shape("One", true), shape("Two", true)]), Ok(4));
    assert_eq!(count(&[shape("One", true), Given::Null, Given::Any, Given::Integer(3)]), Ok(2));
    // Two structures have no object in common, and a parameter may be an object of another.
    let both = inputs(&world(&[shape("One", false), shape("Two", false), Given::In(1)]), &[]);
    let fields = [(1, "next", 0), (2, "next", 3), (3, "next", 0)];
    let slots = [(0, Held::Object(1)), (1, Held::Object(2)), (2, Held::Object(2))];
    assert_eq!(both, Ok(vec![heap(graph(&["Node"; 3], &fields, &[], &[]), &slots)]));
    let mut rootless = world(&[shape("Both", false)]);
    let two = graph(&["Leaf", "Leaf"], &[], &[], &[1, 2]);
    rootless.rules.shapes.insert("Both".to_owned(), vec![two]);
    assert_eq!(said(inputs(&rootless, &[])), "a shape has not one root");
}

#[test]
fn what_is_remembered_is_that_of_the_start() {
    let leaf = |slots: &[(usize, Held)]| heap(graph(&["Leaf"], &[], &[], &[]), slots);
    let given = |heap: AbstractHeap, atom: &str| {
        let world = World { heaps: Some(vec![heap]), ..world(&[Given::Null]) };
        let found = inputs(&world, &[atom]).unwrap_or_else(|why| panic!("{why}"));
        found[0].slots.clone()
    };
    let (x, ghost) = (Slot::Variable(0), Slot::Ghost);
    let held = given(leaf(&[(0, Held::Object(1))]), "x@start == null");
    assert_eq!(held, [(x, Held::Object(1)), (ghost(0), Held::Object(1))].into());
    // Nothing is known of what is not given, and names are no variables.
    assert_eq!(given(leaf(&[]), "x@start == null"), [(ghost(0), Held::Any)].into());
    let named = given(leaf(&[(0, Held::Object(0)), (1, Held::Object(1))]), "x == null");
    assert_eq!(named, [(x, Held::Object(0))].into());
    // Where the element has no such field, nothing is known of it; else it is where it leads.
    let element = given(leaf(&[]), "elem@next == null");
    assert_eq!(element, [(ghost(0), Held::Object(1)), (ghost(1), Held::Any)].into());
    let node = heap(graph(&["Node"], &[(1, "next", 1)], &[], &[]), &[]);
    let element = given(node, "elem@next == null");
    assert_eq!(element, [(ghost(0), Held::Object(1)), (ghost(1), Held::Object(1))].into());
    let list = heap(graph(&["Node"], &[], &[("List", &[1, 0])], &[]), &[]);
    let world = World { heaps: Some(vec![list]), ..world(&[Given::Null]) };
    let found = inputs(&world, &["elem@next == null"]).map(|it| it.len());
    assert_eq!(found, Ok(2), "one for each rule");
}
