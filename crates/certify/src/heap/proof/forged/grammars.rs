//! Grammars that proofs cannot rely on, and heaps that are none.

use super::super::grammar::Grammar;
use super::super::graph::FREED;
use super::super::refined::{Variant, refined};
use super::*;
use tern_model::budget::Meter;

/// What is said of the grammar, if it is changed.
fn changed(change: impl FnOnce(&mut Rules)) -> String {
    let mut rules = rules();
    change(&mut rules);
    said(Grammar::new(&rules, &types()))
}

fn rule<'r>(rules: &'r mut Rules, label: &str, number: usize) -> &'r mut Graph {
    &mut rules.nonterminals.get_mut(label).expect("it is there").rules[number]
}

#[test]
fn rules_give_each_field_once() {
    assert_eq!(changed(|_| {}), "");
    let null = changed(|it| {
        it.nonterminals.get_mut("List").expect("it is there").tentacles[0].1 = true;
    });
    assert_eq!(null, "a tentacle that may be null gets fields");
    let why = "a rule has another number of tentacles";
    assert_eq!(changed(|it| rule(it, "End", 0).externals.clear()), why);
    let more = changed(|it| {
        let end = rule(it, "End", 0);
        end.kinds.push("Leaf".to_owned());
        end.externals.push(2);
    });
    assert_eq!(more, why);
    let why = "a tentacle of a rule is of another type";
    assert_eq!(changed(|it| rule(it, "End", 0).kinds[0] = "Leaf".to_owned()), why);
    assert_eq!(changed(|it| rule(it, "End", 0).externals[0] = 0), why);
    let why = "an object has other fields than it should";
    // It provides no field that the other rule gives, nor gives an inner object its field.
    assert_eq!(changed(|it| rule(it, "List", 0).fields.clear()), why);
    assert_eq!(changed(|it| rule(it, "List", 1).edges.clear()), why);
    let why = "externals are not different objects";
    assert_eq!(changed(|it| rule(it, "Chain", 0).externals = vec![1, 1]), why);
    let why = "there is no such nonterminal";
    assert_eq!(changed(|it| rule(it, "List", 1).edges[0].0 = "Tree".to_owned()), why);
    let shape = |it: &mut Rules, change: fn(&mut Graph)| {
        change(&mut it.shapes.get_mut("List").expect("it is there")[0]);
    };
    let none = changed(|it| shape(it, |graph| graph.edges.clear()));
    assert_eq!(none, "an object has other fields than it should");
}

/// What is said of a heap with these parts, as one of a proof.
fn held(heap: &AbstractHeap) -> String {
    let (rules, types) = (rules(), types());
    said(Grammar::new(&rules, &types).expect("it is sound").check_held(heap))
}

#[test]
fn heaps_have_what_their_objects_need() {
    let right = heap(
        graph(&["Node", "Node"], &[(1, "next", 2)], &[("List", &[2, 0]), ("End", &[1])], &[1, 2]),
        &[(0, Held::Object(2)), (1, Held::Object(0))],
    );
    assert_eq!(held(&right), "");
    type Change = fn(&mut AbstractHeap);
    let changes: [(&str, Change); 20] = [
        ("a variable holds an object that is not there", |it| {
            it.slots.insert(Slot::Variable(1), Held::Object(3));
        }),
        ("externals are not different objects", |it| it.graph.externals = vec![0]),
        ("externals are not different objects", |it| it.graph.externals = vec![3]),
        ("externals are not different objects", |it| it.graph.externals = vec![2, 2]),
        ("a field of an object is given twice, or is of nothing", |it| {
            it.graph.fields.push((0, "next".to_owned(), 0));
        }),
        ("a field of an object is given twice, or is of nothing", |it| {
            it.graph.fields.push((3, "next".to_owned(), 0));
        }),
        ("a field of an object is given twice, or is of nothing", |it| it.graph.fields[0].2 = 3),
        ("a field of an object is given twice, or is of nothing", |it| {
            it.graph.fields.push((1, "next".to_owned(), 0));
        }),
        ("there is no such nonterminal", |it| it.graph.edges[1].0 = "Tree".to_owned()),
        ("a hyperedge has other tentacles", |it| it.graph.edges[1].1 = Vec::new()),
        ("a hyperedge has other tentacles", |it| it.graph.edges[1].1 = vec![1, 1]),
        ("a hyperedge has other tentacles", |it| it.graph.edges[1].1 = vec![3]),
        ("a hyperedge is attached to an object of another type", |it| {
            it.graph.edges[0].1 = vec![0, 2];
        }),
        ("a hyperedge is attached to an object of another type", |it| {
            it.graph.kinds.push("Leaf".to_owned());
            it.graph.edges[1].1 = vec![3];
        }),
        ("a field of an object is given twice", |it| {
            it.graph.edges.push(("List".to_owned(), vec![2, 0]));
        }),
        ("a field of an object is given twice", |it| {
            it.graph.edges.push(("List".to_owned(), vec![1, 0]));
        }),
        ("there is no such type", |it| it.graph.kinds.push("Tree".to_owned())),
        ("an object has other fields than it should", |it| it.graph.fields.clear()),
        ("an object has other fields than it should", |it| drop(it.graph.edges.remove(0))),
        ("an object has other fields than it should", |it| {
            it.graph.fields.push((1, "prev".to_owned(), 0));
        }),
    ];
    for (number, (why, change)) in changes.into_iter().enumerate() {
        let mut heap = right.clone();
        change(&mut heap);
        assert_eq!(held(&heap), why, "{number}");
    }
    // A freed object has no fields, and hyperedges that give it none may be at it.
    let mut freed = right.clone();
    freed.graph.kinds.push(FREED.to_owned());
    freed.graph.edges[1].1 = vec![3];
    assert_eq!(held(&freed), "");
    freed.graph.edges[0].1 = vec![2, 3];
    assert_eq!(held(&freed), "");
}

/// A hyperedge gives what the hyperedges give that it is replaced by.
#[test]
fn fields_are_given_through_hyperedges() {
    let (mut rules, types) = (rules(), types());
    let tentacles = rules.nonterminals["List"].tentacles.clone();
    let wrapped = vec![graph(&["Node", "Node"], &[], &[("List", &[1, 2])], &[1, 2])];
    let wrap = Nonterminal { tentacles, rules: wrapped };
    rules.nonterminals.insert("Wrap".to_owned(), wrap);
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let wrapped = graph(&["Node"], &[], &[("Wrap", &[1, 0])], &[]);
    assert_eq!(said(grammar.check_heap(&wrapped)), "");
}

/// What lies around a heap has no fields of what the two have in common.
#[test]
fn what_lies_around_gives_no_fields_to_externals() {
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let view = |graph: Graph| AbstractHeap { graph, ..AbstractHeap::default() };
    let mut around = view(graph(&["Node", "Node"], &[(1, "next", 2)], &[], &[2]));
    assert_eq!(said(grammar.check_view(&around)), "");
    let why = "an object has other fields than it should";
    let given = graph(&["Node", "Node"], &[(1, "next", 2), (2, "next", 0)], &[], &[2]);
    assert_eq!(said(grammar.check_view(&view(given))), why);
    assert_eq!(said(grammar.check_view(&view(graph(&["Node"], &[], &[], &[])))), why);
    around.slots.insert(Slot::Ghost(0), Held::Object(2));
    assert_eq!(said(grammar.check_view(&around)), "");
    around.slots.insert(Slot::Ghost(0), Held::Object(3));
    assert_eq!(said(grammar.check_view(&around)), "a variable holds an object that is not there");
}

/// That a field is given at once by enough rules needs a reason for each of the others.
#[test]
fn lemmas_say_why_rules_are_enough() {
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let budget = tern_model::Budget::unlimited();
    let said = |change: &dyn Fn(&mut Vec<Cover>)| {
        let mut covers = lemmas();
        change(&mut covers);
        said(grammar.check_lemmas(&covers, &mut Meter::new(&budget)))
    };
    assert_eq!(said(&|_| {}), "");
    let why = "the grammar has another number of cases";
    assert_eq!(said(&|it| drop(it.pop())), why);
    assert_eq!(said(&|it| it.push(it[0].clone())), why);
    let why = "a rule does not give the field at once";
    assert_eq!(said(&|it| it[0].to = 3), why);
    // The rule itself covers it, but says nothing of the field.
    let itself = |it: &mut Vec<Cover>| {
        it[0] = Cover { to: 2, unfold: vec![(0, 0)], map: vec![1, 2, 3] };
    };
    assert_eq!(said(&itself), why);
    assert_eq!(said(&|it| it[1].unfold[0].1 = 1), "fields of objects are others");
    assert_eq!(said(&|it| it[0].map.swap(0, 1)), "fields of objects are others");
}

/// A rule covers all of a case, with its tentacles in their order.
#[test]
fn lemmas_are_about_all_of_a_rule() {
    let ring = |more: &[&str]| {
        let kinds = [&["Node", "Node"], more].concat();
        let rules = vec![
            graph(&["Node", "Node"], &[(1, "next", 2), (2, "next", 1)], &[], &[1, 2]),
            graph(&kinds, &[], &[("Ring", &[2, 1])], &[1, 2]),
        ];
        let tentacles = vec![("Node".to_owned(), false); 2];
        let ring = Nonterminal { tentacles, rules };
        Rules { nonterminals: [("Ring".to_owned(), ring)].into(), shapes: BTreeMap::new() }
    };
    let said = |rules: &Rules, map: &[usize]| {
        let types = types();
        let grammar = Grammar::new(rules, &types).expect("it is sound");
        let covers = vec![Cover { to: 0, unfold: Vec::new(), map: map.to_vec() }; 2];
        let budget = tern_model::Budget::unlimited();
        said(grammar.check_lemmas(&covers, &mut Meter::new(&budget)))
    };
    assert_eq!(said(&ring(&[]), &[1, 2]), "");
    assert_eq!(said(&ring(&[]), &[2, 1]), "externals are other objects");
    assert_eq!(said(&ring(&["Leaf"]), &[1, 2]), "something is left out");
}

/// A field is looked at in all heaps in which it is there.
#[test]
fn concretisation_misses_no_rule() {
    let (rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    let chain = heap(graph(&["Pair", "Pair"], &[], &[("Chain", &[1, 2])], &[1, 2]), &[]);
    let found = |object: usize, name: &str| -> Vec<Graph> {
        let cases = grammar.concretised(&Tracked::new(&chain), object, name);
        cases.expect("it has the field").into_iter().map(|it| it.heap.graph).collect()
    };
    let rule = |number: usize| rules.nonterminals["Chain"].rules[number].clone();
    assert_eq!(found(1, "next"), [rule(0), rule(1)]);
    assert_eq!(found(2, "prev"), [rule(0), rule(2)]);
    let none = grammar.concretised(&Tracked::new(&chain), 1, "prev");
    assert_eq!(said(none), "an object has no such field");
}

/// Variants multiply: of one graph, and of all graphs of a shape.
#[test]
fn there_are_not_too_many_variants() {
    let variants = ["A", "B"].map(|name| Variant {
        name: name.to_owned(),
        of: "End".to_owned(),
        rules: vec![(0, Vec::new())],
    });
    let others = ["List", "Chain"].map(|name| {
        let rules = &rules().nonterminals[name].rules;
        let chosen = |it: &Graph| it.edges.iter().map(|it| it.0.clone()).collect();
        let rules = rules.iter().enumerate().map(|(number, it)| (number, chosen(it))).collect();
        Variant { name: name.to_owned(), of: name.to_owned(), rules }
    });
    let variants = [&variants[..], &others].concat();
    let of = |graphs: usize, edges: usize| {
        let mut rules = rules();
        let edges: Vec<(&str, &[usize])> = (0..edges).map(|_| ("End", &[1][..])).collect();
        let graph = graph(&["Node"], &[(1, "next", 0)], &edges, &[1]);
        rules.shapes.insert("Many".to_owned(), vec![graph; graphs]);
        refined(&rules, &variants).map(|it| it.shapes["Many"].len())
    };
    assert_eq!(of(1, 11), Ok(2048));
    assert_eq!(said(of(1, 12)), "there are too many variants");
    assert_eq!(said(of(2, 11)), "there are too many variants");
    // The same in a rule.
    let mut many = rules();
    let ends = many.nonterminals.get_mut("List").expect("it is there");
    ends.rules[0].edges = vec![("End".to_owned(), vec![1]); 12];
    assert_eq!(said(refined(&many, &variants)), "there are too many variants");
}

#[test]
fn it_is_known_what_is_reached() {
    let (mut rules, types) = (rules(), types());
    let grammar = Grammar::new(&rules, &types).expect("it is sound");
    // A list may be left from its beginning, not from its end.
    let list = graph(&["Node", "Node"], &[(2, "next", 0)], &[("List", &[1, 2])], &[]);
    assert_eq!(grammar.reached(&list, [1]), [true, true, true]);
    assert_eq!(grammar.reached(&list, [2]), [true, false, true]);
    assert_eq!(grammar.led(&list, &[true, true, false]), [true]);
    assert_eq!(grammar.led(&list, &[true, false, true]), [false]);
    assert!(grammar.reaches_whole(&list, 1) && !grammar.reaches_whole(&list, 2));
    let fields = graph(&["Node", "Node"], &[(1, "next", 2), (2, "next", 0)], &[], &[]);
    assert_eq!(grammar.reached(&fields, [1]), [true, true, true]);
    assert_eq!(grammar.reached(&fields, [2]), [true, false, true]);
    // Everything is reached but something at `null` that nothing leads to.
    let beside = graph(&["Node"], &[(1, "next", 0)], &[("End", &[0])], &[]);
    assert!(!grammar.reaches_whole(&beside, 1));
    assert!(grammar.reaches_all);
    // An object of a rule that nothing leads to.
    let lost = rule(&mut rules, "List", 0);
    lost.kinds.push("Leaf".to_owned());
    assert!(!Grammar::new(&rules, &types).expect("it is sound").reaches_all);
}
