//! Propositions in heaps of which not everything is known.

use super::super::graph::FREED;
use super::super::inputs::Remembered;
use super::super::labels::Spot;
use super::*;
use tern_model::Tri;

/// A procedure that is given two things, and another one.
fn world() -> World {
    let mut world = World::new(&["List", "List"]);
    for name in ["main", "aux"] {
        world.plain(name, 2, vec![(Vec::new(), Jump::Return(None))]);
    }
    world
}

/// Where a proposition is looked at; what is remembered is held as well.
struct At<'a> {
    place: Place,
    procedure: Option<usize>,
    heap: &'a AbstractHeap,
    remembered: &'a [(Remembered, Held)],
    view: Option<&'a AbstractHeap>,
    covers: &'a [Cover],
    loses: bool,
}

/// In the checked procedure.
fn at(heap: &AbstractHeap) -> At<'_> {
    At {
        place: Place::At(0, 0, 0),
        procedure: Some(0),
        heap,
        remembered: &[],
        view: None,
        covers: &[],
        loses: false,
    }
}

impl At<'_> {
    fn truth_in(&self, world: &World, atom: &str) -> Result<Tri, NoRun> {
        self.truth_beside(world, atom, &[])
    }

    /// The same in a claim that names others, too.
    fn truth_beside(&self, world: &World, atom: &str, others: &[&str]) -> Result<Tri, NoRun> {
        world.prove(&[others, &[atom]].concat(), |prover, _, _| {
            let mut heap = self.heap.clone();
            for (remembered, held) in self.remembered {
                let ghost = prover.ghosts.iter().position(|it| it == remembered);
                heap.slots.insert(Slot::Ghost(ghost.expect("it is remembered")), *held);
            }
            let procedure = self.procedure.map(ProcId::new);
            let spot = prover.spot(procedure, self.place, &heap, self.view);
            let spot = Spot { loses: self.loses, ..spot };
            spot.truth(&prover.propositions[atom], self.covers)
        })
    }

    fn truth(&self, atom: &str) -> Tri {
        self.truth_in(&world(), atom).unwrap_or_else(|why| panic!("{atom}: {why}"))
    }

    /// Each proposition is as it is said to be.
    fn agrees(&self, wanted: &[(&str, Tri)]) {
        for (atom, wanted) in wanted {
            assert_eq!(self.truth(atom), *wanted, "{atom}");
        }
    }
}

const YES: Tri = Tri::True;
const NO: Tri = Tri::False;
const OPEN: Tri = Tri::Unknown;

/// The first object leads to a list, the second to nothing.
fn two() -> AbstractHeap {
    let graph = graph(
        &["Node", "Node", "Node"],
        &[(1, "next", 3), (2, "next", 0)],
        &[("List", &[3, 0])],
        &[],
    );
    heap(graph, &[(0, Held::Object(1)), (1, Held::Object(2)), (2, Held::Object(0)), (3, Held::Any)])
}

#[test]
fn places_are_told_apart() {
    let places = [
        (Place::End, "terminated"),
        (Place::NullDereference, "nullderef"),
        (Place::Thrown, "thrown"),
        (Place::UseAfterFree, "useafterfree"),
        (Place::DoubleFree, "doublefree"),
    ];
    let heap = two();
    for (place, _) in places.into_iter().chain([(Place::Begin, ""), (Place::At(0, 0, 0), "")]) {
        for (other, atom) in places {
            let here = At { place, ..at(&heap) };
            assert_eq!(here.truth(atom), (place == other).into(), "{atom} at {place:?}");
        }
    }
    at(&heap).agrees(&[("in(main)", YES), ("in(aux)", NO)]);
    At { procedure: Some(1), ..at(&heap) }.agrees(&[("in(main)", NO), ("in(aux)", YES)]);
    At { procedure: None, ..at(&heap) }.agrees(&[("in(main)", NO), ("in(aux)", NO)]);
}

#[test]
fn terms_are_compared() {
    let heap = two();
    at(&heap).agrees(&[
        ("x == y", NO),
        ("x != y", YES),
        ("x == x", YES),
        ("x != x", NO),
        ("z == null", YES),
        ("x == null", NO),
        ("w == x", OPEN),
        ("w != x", OPEN),
        ("w.next == x", OPEN),
        ("x.next != null", YES),
        ("y.next == null", YES),
        // A list may have one object, or more.
        ("x.next.next == null", OPEN),
        ("x.next.next != null", OPEN),
        ("x.next.next != y", YES),
        // There is no such thing.
        ("z.next == null", NO),
        ("z.next != null", NO),
        ("x.prev == null", NO),
        ("x.prev != null", NO),
        ("z.next == w", NO),
        ("return == null", NO),
        ("return != null", NO),
        ("aux.x == x", NO),
        ("aux.x != x", NO),
    ]);
    // Without a rule that gives the field there is no case, and nothing is known.
    let mut wrapped = world();
    let tentacles = wrapped.rules.nonterminals["List"].tentacles.clone();
    let rules = vec![graph(&["Node", "Node"], &[], &[("List", &[1, 2])], &[1, 2])];
    let wrap = Nonterminal { tentacles, rules };
    wrapped.rules.nonterminals.insert("Wrap".to_owned(), wrap);
    let inside = graph(&["Node"], &[], &[("Wrap", &[1, 0])], &[]);
    let inside = super::heap(inside, &[(0, Held::Object(1))]);
    assert_eq!(at(&inside).truth_in(&wrapped, "x.next == null"), Ok(OPEN));
    // Variables are those of the frame on top.
    At { procedure: Some(1), ..at(&heap) }.agrees(&[("aux.x == aux.x", YES), ("x == x", NO)]);
    let begin = At { place: Place::Begin, procedure: None, ..at(&heap) };
    begin.agrees(&[("x == x", YES), ("aux.x == aux.x", NO)]);
    let end = At { place: Place::End, procedure: None, ..at(&heap) };
    end.agrees(&[("x == x", NO), ("x != y", NO)]);
    let mut returned = heap.clone();
    returned.slots.insert(Slot::Return, Held::Object(1));
    let end = At { place: Place::End, procedure: None, ..at(&returned) };
    end.agrees(&[("return != null", YES), ("return == null", NO)]);
    at(&returned).agrees(&[("return != null", NO)]);
    // A number is no object, and a variable without a value has none.
    let mut number = heap.clone();
    number.slots.insert(Slot::Variable(0), Held::Integer(3));
    number.slots.remove(&Slot::Variable(1));
    at(&number).agrees(&[("x == x", NO), ("y == null", NO), ("y != null", NO)]);
}

#[test]
fn what_is_remembered_may_be_elsewhere() {
    let heap = two();
    let start = || Remembered::Start(0);
    let with = |held: Held| [(start(), held)];
    let here = with(Held::Object(1));
    let known = At { remembered: &here, ..at(&heap) };
    known.agrees(&[("x@start == x", YES), ("x@start == y", NO), ("x@start != y", YES)]);
    let number = with(Held::Integer(3));
    At { remembered: &number, ..at(&heap) }.agrees(&[("x@start == x", NO), ("x@start != x", NO)]);
    let any = with(Held::Any);
    At { remembered: &any, ..at(&heap) }.agrees(&[("x@start == x", OPEN), ("x@start != x", OPEN)]);
    // It is in a frame below, so it is no object here; of the two nothing is known.
    at(&heap).agrees(&[
        ("x@start == x", NO),
        ("x == x@start", NO),
        ("x@start != x", YES),
        ("x@start == null", NO),
        ("x@start == elem", OPEN),
        ("x@start != elem", OPEN),
        ("x@start.next == x", OPEN),
        ("x@start.next != x", OPEN),
        ("x@start == w", OPEN),
        ("reach(x, x@start)", OPEN),
        ("reach(x@start, x)", OPEN),
        ("freed(x@start)", OPEN),
        ("shape(x@start, List)", OPEN),
    ]);
    let end = At { place: Place::End, procedure: None, ..at(&heap) };
    end.agrees(&[("x@start == null", OPEN), ("x@start != null", OPEN)]);
    // Where the element has no such field, nothing is known of it.
    let element = [
        (Remembered::Element, Held::Object(1)),
        (Remembered::ElementField("prev".to_owned()), Held::Any),
    ];
    At { remembered: &element, ..at(&heap) }
        .agrees(&[("elem@prev == x", OPEN), ("elem@prev != x", OPEN)]);
    let next = Remembered::ElementField("next".to_owned());
    let element = [(Remembered::Element, Held::Object(1)), (next, Held::Object(3))];
    At { remembered: &element, ..at(&heap) }.agrees(&[("elem@next == x.next", YES)]);
}

#[test]
fn freed_objects_are_known() {
    let graph = graph(&["Node", FREED], &[(1, "next", 2)], &[], &[]);
    let heap = heap(
        graph,
        &[(0, Held::Object(1)), (1, Held::Object(2)), (2, Held::Object(0)), (3, Held::Any)],
    );
    at(&heap).agrees(&[
        ("freed(x)", NO),
        ("freed(y)", YES),
        ("freed(z)", NO),
        ("freed(w)", OPEN),
        ("freed(x.next)", YES),
        ("freed(z.next)", NO),
        ("y.next == null", NO),
    ]);
    at(&heap).agrees(&[("leak", NO)]);
    At { loses: true, ..at(&heap) }.agrees(&[("leak", OPEN)]);
    // Something inside a hyperedge may be lost where not all of that is reached.
    let mut loose = world();
    let list = loose.rules.nonterminals.get_mut("List").expect("it is there");
    list.rules[0].kinds.push("Leaf".to_owned());
    assert_eq!(at(&two()).truth_in(&loose, "leak"), Ok(OPEN));
    let cover = Cover { to: 0, unfold: vec![(0, 1)], map: vec![1, 3] };
    let shown = At { covers: &[cover], ..at(&two()) }.truth_in(&loose, "shape(x, List)");
    assert_eq!(shown, Ok(OPEN));
}

#[test]
fn what_is_reached_is_told_by_rules() {
    let graph = graph(
        &["Node", "Node", "Node", "Pair", "Pair"],
        &[(2, "next", 0), (3, "next", 1), (4, "prev", 0), (5, "next", 0)],
        &[("List", &[1, 2]), ("Chain", &[4, 5])],
        &[],
    );
    let held = |all: [usize; 4]| {
        let slots: Vec<(usize, Held)> = all.map(Held::Object).into_iter().enumerate().collect();
        heap(graph.clone(), &slots)
    };
    let heap = held([1, 2, 3, 0]);
    at(&heap).agrees(&[
        ("reach(x, y)", YES),
        ("reach(x, x)", YES),
        ("reach(y, x)", NO),
        ("reach(x, z)", NO),
        ("reach(z, y)", YES),
        ("reach(z, y, next)", YES),
        ("reach(z, y, prev)", NO),
        ("reach(z, z, prev)", YES),
        ("reach(x, w)", YES),
        ("reach(x, null, prev)", NO),
        ("reach(w, w)", YES),
        ("reach(w, x)", NO),
        ("reach(w.next, x)", NO),
    ]);
    let heap = held([4, 5, 1, 0]);
    at(&heap).agrees(&[
        ("reach(x, y, next)", YES),
        ("reach(x, y, prev)", NO),
        ("reach(y, x, prev)", YES),
        ("reach(y, x, next)", NO),
        ("reach(x, null, next)", YES),
        ("reach(x, z)", NO),
    ]);
    // The fields are those of the proposition, and no others that a claim names.
    let others = ["reach(x, y, next)", "reach(x, y, prev)"];
    for (atom, wanted) in others.into_iter().zip([YES, NO]) {
        assert_eq!(at(&heap).truth_beside(&world(), atom, &others), Ok(wanted));
    }
    // A list that ends in a ring never comes to an end.
    let ring = super::graph(&["Node", "Node"], &[(2, "next", 2)], &[("List", &[1, 2])], &[1, 2]);
    at(&super::heap(ring, &[(0, Held::Object(1))])).agrees(&[("reach(x, null)", NO)]);
    // A rule by which the end is not reached: it may be, or not.
    let mut open = world();
    let list = open.rules.nonterminals.get_mut("List").expect("it is there");
    list.rules.push(super::graph(&["Node", "Node"], &[(1, "next", 0)], &[], &[1, 2]));
    let heap = held([1, 2, 3, 0]);
    assert_eq!(at(&heap).truth_in(&open, "reach(x, y)"), Ok(OPEN));
    assert_eq!(at(&heap).truth_in(&open, "reach(x, null)"), Ok(OPEN));
    assert_eq!(at(&heap).truth_in(&open, "reach(z, y, next)"), Ok(OPEN));
}

#[test]
fn shapes_are_shown_by_covers() {
    let heap = two();
    let right = Cover { to: 0, unfold: vec![(0, 1)], map: vec![1, 3] };
    let covers = [right.clone()];
    let shown = At { covers: &covers, ..at(&heap) };
    shown.agrees(&[
        ("shape(x, List)", YES),
        ("shape(x, List+)", YES),
        ("shape(z, List)", YES),
        ("shape(z, List+)", NO),
        ("shape(z.next, List)", NO),
        ("shape(w, List)", OPEN),
        ("shape(x, Nothing)", OPEN),
    ]);
    at(&heap).agrees(&[("shape(x, List)", OPEN), ("shape(z, List)", YES), ("shape(z, List+)", NO)]);
    let wrong = |cover: Cover| {
        let covers = [cover];
        said(At { covers: &covers, ..at(&heap) }.truth_in(&world(), "shape(x, List)"))
    };
    assert_eq!(wrong(right.clone()), "");
    let why = "an object is mapped to one that it cannot be";
    assert_eq!(wrong(Cover { map: vec![1, 1], ..right.clone() }), why);
    // It is a list that begins with another object.
    let other = Cover { unfold: Vec::new(), map: vec![3], ..right.clone() };
    assert_eq!(wrong(other), "externals are other objects");
    let elsewhere = [Cover { to: 1, ..right.clone() }];
    At { covers: &elsewhere, ..at(&heap) }.agrees(&[("shape(x, List)", OPEN)]);
    // One cover for each case.
    let cases = [Cover { to: 0, unfold: Vec::new(), map: vec![4] }];
    At { covers: &cases, ..at(&heap) }.agrees(&[("shape(x.next.next, List)", YES)]);
    at(&heap).agrees(&[("shape(x.next.next, List)", OPEN)]);
    // A graph of which not all is reached from its root shows nothing, nor does one without a root.
    let mut loose = world();
    let two = || super::graph(&["Node", "Node"], &[(1, "next", 0), (2, "next", 0)], &[], &[1]);
    loose.rules.shapes.insert("Loose".to_owned(), vec![two()]);
    loose.rules.shapes.insert("None".to_owned(), vec![Graph { externals: Vec::new(), ..two() }]);
    loose.rules.shapes.insert("Both".to_owned(), vec![Graph { externals: vec![1, 2], ..two() }]);
    let heap = super::heap(Graph { externals: Vec::new(), ..two() }, &[(0, Held::Object(1))]);
    let covers = [Cover { to: 0, unfold: Vec::new(), map: vec![1, 2] }];
    for name in ["Loose", "None", "Both"] {
        let shown = At { covers: &covers, ..at(&heap) };
        assert_eq!(shown.truth_in(&loose, &format!("shape(x, {name})")), Ok(OPEN), "{name}");
    }
}

#[test]
fn all_of_the_heap_is_what_lies_around_as_well() {
    let one = graph(&["Node"], &[], &[("List", &[1, 0])], &[1]);
    let heap = super::heap(one.clone(), &[(0, Held::Object(1))]);
    let around = AbstractHeap {
        graph: graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]),
        ..Default::default()
    };
    let covers = [Cover { to: 0, unfold: vec![(0, 1)], map: vec![2, 1] }];
    let whole = At { covers: &covers, view: Some(&around), ..at(&heap) };
    whole.agrees(&[("whole(List)", YES)]);
    // Without what lies around nothing is known; nor without a cover, nor if one is too many.
    At { covers: &covers, ..at(&heap) }.agrees(&[("whole(List)", OPEN)]);
    At { covers: &[], view: Some(&around), ..at(&heap) }.agrees(&[("whole(List)", OPEN)]);
    let alone = [Cover { to: 0, unfold: Vec::new(), map: vec![1] }];
    let found = At { covers: &alone, view: Some(&around), ..at(&heap) };
    assert_ne!(said(found.truth_in(&world(), "whole(List)")), "");
    // What a field of the element led to at first is no reason that something is there.
    let found = whole.truth_beside(&world(), "whole(List)", &["elem@next == null"]);
    assert_eq!(found, Ok(OPEN));
    // What nothing leads to is no part of it; what a variable leads to is.
    let beside = |slots: &[(usize, Held)]| {
        let two = graph(&["Node", "Leaf"], &[], &[("List", &[1, 0])], &[]);
        super::heap(two, slots)
    };
    let nothing = AbstractHeap::default();
    let covers = [Cover { to: 0, unfold: Vec::new(), map: vec![1] }];
    let lost = beside(&[(0, Held::Object(1))]);
    At { covers: &covers, view: Some(&nothing), ..at(&lost) }.agrees(&[("whole(List)", YES)]);
    let known = beside(&[(0, Held::Object(1)), (1, Held::Object(2))]);
    let found = At { covers: &covers, view: Some(&nothing), ..at(&known) };
    assert_eq!(said(found.truth_in(&world(), "whole(List)")), "something is left out");
    let empty = super::heap(Graph::default(), &[]);
    At { view: Some(&nothing), ..at(&empty) }.agrees(&[("whole(List)", NO)]);
}

#[test]
fn what_is_remembered_around_a_frame_is_looked_at() {
    let one = graph(&["Node"], &[], &[("List", &[1, 0])], &[1]);
    let heap = super::heap(one, &[(0, Held::Object(1))]);
    let around = graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]);
    let slots = [(Slot::Ghost(0), Held::Object(1))].into();
    let around = AbstractHeap { graph: around, slots };
    let known = At { view: Some(&around), ..at(&heap) };
    known.agrees(&[
        ("x@start.next == x", YES),
        ("x@start == x", NO),
        ("x@start.next.next == x", NO),
        ("reach(x@start, x)", YES),
        ("reach(x, x@start)", NO),
        ("shape(x@start, List)", OPEN),
    ]);
    let covers = [Cover { to: 0, unfold: vec![(0, 1)], map: vec![2, 1] }];
    At { covers: &covers, ..known }.agrees(&[("shape(x@start, List)", YES)]);
    // Without names for what lies around, it is not known.
    let unnamed = AbstractHeap { slots: BTreeMap::new(), ..around };
    for view in [None, Some(&unnamed)] {
        At { view, ..at(&heap) }.agrees(&[
            ("x@start.next == x", OPEN),
            ("reach(x@start, x)", OPEN),
            ("shape(x@start, List)", OPEN),
        ]);
    }
}
