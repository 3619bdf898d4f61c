//! Replacements in heaps, parts of heaps, and heaps that do not cover others.

use super::super::grammar::Grammar;
use super::super::graph::{FREED, Origin, Strictness};
use super::*;

/// A list whose first object a variable holds, and one in which that object has its field.
fn lists() -> (AbstractHeap, AbstractHeap) {
    let slots = [(0, Held::Object(1)), (1, Held::Any), (2, Held::Integer(3))];
    let target = graph(&["Node"], &[], &[("List", &[1, 0])], &[1]);
    let other = graph(&["Node", "Node"], &[(1, "next", 2)], &[("List", &[2, 0])], &[1]);
    (heap(target, &slots), heap(other, &slots))
}

/// How the first of [`lists`] covers the second.
fn right() -> Cover {
    Cover { to: 0, unfold: vec![(0, 1)], map: vec![1, 2] }
}

/// What is said of a cover of one heap by another.
fn covers(
    heap: &AbstractHeap,
    target: &AbstractHeap,
    cover: &Cover,
    strictness: Strictness,
) -> String {
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    said(Tracked::new(heap).covered(&grammar, target, cover, strictness, |_| true))
}

#[test]
fn a_heap_covers_what_comes_of_it() {
    let (target, other) = lists();
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let found =
        Tracked::new(&other).covered(&grammar, &target, &right(), Strictness::Whole, |_| true);
    let Ok(found) = found else { panic!("it does") };
    assert!(!found.loses);
    assert_eq!(found.externals, [1]);
    // The hyperedge stands for the second object and what follows.
    let tracked = Tracked::new(&other);
    let origins = found.origins(&tracked.objects, &tracked.edges);
    let rest = Origin::part(2).and(Origin::part(3));
    assert_eq!(origins, [Origin::NONE, Origin::part(1), rest]);
}

#[test]
fn replacements_and_objects_are_those_of_the_heap() {
    let (target, other) = lists();
    let leaf = heap(graph(&["Node", "Leaf"], &[(1, "next", 2)], &[], &[1]), &[]);
    let changed: [(&str, Cover); 9] = [
        ("there is no such rule or hyperedge", Cover { unfold: vec![(1, 1)], ..right() }),
        ("there is no such rule or hyperedge", Cover { unfold: vec![(0, 2)], ..right() }),
        ("not every object is mapped", Cover { map: vec![1], ..right() }),
        ("not every object is mapped", Cover { map: vec![1, 2, 3], ..right() }),
        ("an object is mapped to one that it cannot be", Cover { map: vec![1, 0], ..right() }),
        ("an object is mapped to one that it cannot be", Cover { map: vec![1, 1], ..right() }),
        ("an object is mapped to one that it cannot be", Cover { map: vec![1, 3], ..right() }),
        ("fields of objects are others", Cover { map: vec![2, 1], ..right() }),
        ("fields of objects are others", Cover { unfold: Vec::new(), map: vec![1], to: 0 }),
    ];
    for (why, cover) in changed {
        assert_eq!(covers(&other, &target, &cover, Strictness::Reached), why, "{cover:?}");
    }
    let target = heap(graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[1]), &[]);
    let cover = Cover { unfold: Vec::new(), ..right() };
    let why = "an object is mapped to one that it cannot be";
    assert_eq!(covers(&leaf, &target, &cover, Strictness::Reached), why, "of another type");
}

#[test]
fn fields_and_hyperedges_are_the_same() {
    let (target, right_heap) = lists();
    let cover = right();
    let said = |change: &dyn Fn(&mut AbstractHeap)| {
        let mut heap = right_heap.clone();
        change(&mut heap);
        covers(&heap, &target, &cover, Strictness::Reached)
    };
    let why = "fields of objects are others";
    assert_eq!(said(&|it| it.graph.fields[0].2 = 1), why);
    assert_eq!(said(&|it| it.graph.fields.clear()), why);
    assert_eq!(said(&|it| it.graph.fields.push((2, "more".to_owned(), 0))), why);
    let why = "a hyperedge is not there";
    assert_eq!(said(&|it| it.graph.edges[0].0 = "Chain".to_owned()), why);
    assert_eq!(said(&|it| it.graph.edges[0].1 = vec![2, 1]), why);
    assert_eq!(said(&|it| it.graph.edges.clear()), why);
    let why = "a hyperedge is left out that is needed";
    assert_eq!(said(&|it| it.graph.edges.push(("List".to_owned(), vec![1, 0]))), why);
    // One hyperedge is not two.
    let ends = |count: usize| {
        let edges: Vec<(&str, &[usize])> = (0..count).map(|_| ("End", &[1][..])).collect();
        heap(graph(&["Node"], &[(1, "next", 0)], &edges, &[]), &[])
    };
    let same = Cover { to: 0, unfold: Vec::new(), map: vec![1] };
    let found = covers(&ends(1), &ends(2), &same, Strictness::Reached);
    assert_eq!(found, "a hyperedge is not there");
    // What is left out gives nothing, but it is missed where nothing may be.
    assert_eq!(covers(&ends(2), &ends(1), &same, Strictness::Reached), "");
    assert_eq!(covers(&ends(2), &ends(1), &same, Strictness::Whole), "something is left out");
    let mut more = right_heap.clone();
    more.graph.kinds.push("Leaf".to_owned());
    assert_eq!(covers(&more, &target, &cover, Strictness::Reached), "");
    assert_eq!(covers(&more, &target, &cover, Strictness::AnyOrder), "");
    assert_eq!(covers(&more, &target, &cover, Strictness::Whole), "something is left out");
}

/// What is left out is lost, unless it was freed.
#[test]
fn it_is_known_what_is_lost() {
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let (target, right_heap) = lists();
    let loses = |change: &dyn Fn(&mut AbstractHeap)| {
        let mut heap = right_heap.clone();
        change(&mut heap);
        let reached = Strictness::Reached;
        let found = Tracked::new(&heap).covered(&grammar, &target, &right(), reached, |_| true);
        found.map(|it| it.loses).unwrap_or_else(|why| panic!("{why}"))
    };
    assert!(!loses(&|_| {}));
    assert!(loses(&|it| it.graph.kinds.push("Leaf".to_owned())));
    assert!(!loses(&|it| it.graph.kinds.push(FREED.to_owned())));
    assert!(loses(&|it| it.graph.edges.push(("End".to_owned(), vec![1]))));
}

#[test]
fn externals_are_the_same_objects() {
    let heap = |externals: &[usize]| {
        let fields = [(1, "next", 0), (2, "next", 0)];
        AbstractHeap {
            graph: graph(&["Node", "Node"], &fields, &[], externals),
            ..heap(Graph::default(), &[])
        }
    };
    let cover = Cover { to: 0, unfold: Vec::new(), map: vec![1, 2] };
    let all = [Strictness::Reached, Strictness::AnyOrder, Strictness::Whole];
    let why = "externals are other objects";
    for strictness in all {
        let found = |mine: &[usize], theirs: &[usize]| {
            covers(&heap(mine), &heap(theirs), &cover, strictness)
        };
        assert_eq!(found(&[1, 2], &[1, 2]), "");
        assert_eq!(found(&[1], &[2]), why, "{strictness:?}");
        assert_eq!(found(&[1, 2], &[1]), why, "{strictness:?}");
        let order = if strictness == Strictness::AnyOrder { "" } else { why };
        assert_eq!(found(&[1, 2], &[2, 1]), order, "{strictness:?}");
    }
}

#[test]
fn variables_hold_the_same() {
    let with = |held: Option<Held>| {
        let fields = [(1, "next", 0), (2, "next", 0)];
        let graph = graph(&["Node", "Node"], &fields, &[], &[1, 2]);
        heap(graph, &held.map(|it| (0, it)).into_iter().collect::<Vec<_>>())
    };
    let cover = Cover { to: 0, unfold: Vec::new(), map: vec![1, 2] };
    let (object, other, null) = (Held::Object(1), Held::Object(2), Held::Object(0));
    let (three, four, any) = (Held::Integer(3), Held::Integer(4), Held::Any);
    let all = [Some(object), Some(other), Some(null), Some(three), Some(four), Some(any), None];
    for mine in all {
        for theirs in all {
            let why = match (mine, theirs) {
                _ if mine == theirs => "",
                (Some(Held::Integer(_)), Some(Held::Any)) => "",
                (Some(_), None) => "a variable is left out that the claim names",
                _ => "a variable holds something else",
            };
            let found = covers(&with(mine), &with(theirs), &cover, Strictness::Reached);
            assert_eq!(found, why, "{mine:?} by {theirs:?}");
        }
    }
}

#[test]
fn hyperedges_are_replaced_by_their_rules() {
    let rules = rules();
    let rule = |label: &str, number: usize| rules.nonterminals[label].rules[number].clone();
    let (target, _) = lists();
    let said = |change: &dyn Fn(&mut AbstractHeap), edge: usize, rule: &Graph| {
        let mut heap = target.clone();
        change(&mut heap);
        said(Tracked::new(&heap).replace(edge, rule))
    };
    assert_eq!(said(&|_| {}, 0, &rule("List", 1)), "");
    assert_eq!(said(&|_| {}, 1, &rule("List", 1)), "a hyperedge is replaced that is not there");
    let why = "a rule has another number of tentacles";
    assert_eq!(said(&|_| {}, 0, &rule("End", 0)), why);
    assert_eq!(said(&|it| it.graph.edges[0].1 = vec![1], 0, &rule("List", 0)), why);
    let why = "a rule gives a field that cannot be there";
    let give = |it: &mut AbstractHeap| it.graph.fields.push((1, "next".to_owned(), 0));
    assert_eq!(said(&give, 0, &rule("List", 0)), why);
    assert_eq!(said(&|it| it.graph.edges[0].1 = vec![0, 1], 0, &rule("List", 0)), why);
}

#[test]
fn parts_of_heaps_keep_what_they_had() {
    let fields = [(1, "next", 2), (2, "next", 3), (3, "next", 0)];
    let edges: [(&str, &[usize]); 3] = [("End", &[1]), ("End", &[2]), ("End", &[2])];
    let whole = Tracked::new(&heap(graph(&["Node"; 3], &fields, &edges, &[]), &[]));
    let (objects, fields) = ([true, true, false, true], [false, true, true, false]);
    let (part, numbers) = whole.restricted(&objects, &fields, &[true, true, true]);
    assert_eq!(numbers, [Some(0), Some(1), None, Some(2)]);
    assert_eq!(part.heap.graph, graph(&["Node"; 2], &[], &[("End", &[1])], &[]));
    assert_eq!(part.objects, [Origin::NONE, Origin::part(1), Origin::part(3)]);
    assert_eq!(part.edges, [Origin::part(4)]);
    let (part, _) = whole.restricted(&[true; 4], &fields, &[false, false, true]);
    let kept = [(1, "next", 2), (2, "next", 3)];
    assert_eq!(part.heap.graph, graph(&["Node"; 3], &kept, &[("End", &[2])], &[]));
    assert_eq!(part.edges, [Origin::part(6)]);
}

#[test]
fn fields_are_written_where_they_are() {
    let fields = [(1, "next", 2), (1, "prev", 2), (2, "next", 1)];
    let mut heap = heap(graph(&["Pair", FREED], &fields, &[], &[2]), &[(0, Held::Object(1))]);
    heap.set_field(1, "next", 0);
    let now = [(1, "next", 0), (1, "prev", 2), (2, "next", 1)];
    assert_eq!(heap.graph.fields, graph(&[], &now, &[], &[]).fields);
    assert!(heap.is_freed(2) && !heap.is_freed(1) && !heap.is_freed(0));
    assert_eq!(heap.roots(), [1, 2]);
}

/// Parts of large heaps are not told apart from anything.
#[test]
fn origins_forget_nothing() {
    let all = Origin::part(127);
    assert!(all.includes(Origin::NEW) && all.includes(Origin::part(126)));
    assert_eq!(Origin::part(500), all);
    assert!(!Origin::part(126).meets(Origin::NEW));
    assert_eq!(all.through(&[Origin::NONE, Origin::part(1)]), all);
    let from = Origin::part(1).and(Origin::NEW);
    let before = [Origin::NONE, Origin::part(3), Origin::part(4)];
    assert_eq!(from.through(&before), Origin::part(3).and(Origin::NEW));
}
