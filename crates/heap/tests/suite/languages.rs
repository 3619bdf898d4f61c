//! Grammars and their operations against enumerated languages.

use std::collections::BTreeSet;
use tern_heap::abstraction::{Kept, abstracted};
use tern_heap::canonical::{Externals, canonical};
use tern_heap::grammar::{Confluence, Grammar, check, check::derived};
use tern_heap::graph::{Heap, ObjectId, SelectorId, Slot, Value, null};
use tern_heap::text::add_builtin;
use tern_heap::traced::Traced;
use tern_model::Budget;
use tern_model::budget::Meter;
use tern_model::index::Id;

const SHAPES: [(&str, &[&str]); 6] = [
    ("SLL", &["next"]),
    ("CSLL", &["next"]),
    ("DLL", &["next", "prev"]),
    ("CDLL", &["next", "prev"]),
    ("Tree", &["left", "right"]),
    ("PTree", &["left", "right", "parent"]),
];

fn grammar(shape: &str, selectors: &[&str]) -> Grammar {
    let mut grammar = Grammar::default();
    let kind = grammar.types.add_kind("Node");
    for selector in selectors {
        grammar.types.add_selector(kind, selector, kind);
    }
    add_builtin(&mut grammar, shape, "Node", selectors).expect("it is built in");
    let budget = Budget::unlimited();
    let flaws = check::check(&mut grammar, &mut Meter::new(&budget)).expect("no limits");
    assert_eq!(flaws, [], "{shape}");
    grammar
}

fn form(heap: &Heap) -> Heap {
    canonical(heap, Externals::Ordered).heap
}

/// All concrete heaps of a shape with up to so many objects; the root is in slot 0.
fn members(grammar: &Grammar, shape: &str, most: usize) -> Vec<Heap> {
    let budget = Budget::unlimited();
    let mut all = BTreeSet::new();
    for heap in &grammar.shape(shape).expect("it is there").heaps {
        for mut heap in derived(grammar, heap, most, &mut Meter::new(&budget)).expect("no limits") {
            let root = heap.externals()[0];
            heap.set_externals(Vec::new());
            heap.set_slot(Slot::Variable(0), Value::Object(root));
            all.insert(form(&heap));
        }
    }
    all.into_iter().collect()
}

/// Whether a heap has a shape, by looking: slot 0 is the root. Shares nothing with grammars.
fn is_member(shape: &str, heap: &Heap) -> bool {
    let Some(Value::Object(root)) = heap.slot(Slot::Variable(0)) else { return false };
    let get = |object: ObjectId, selector: usize| {
        heap.field(object, SelectorId::new(selector)).expect("the heap is concrete")
    };
    let everything = heap.len() - 1;
    match shape {
        "SLL" | "DLL" | "CSLL" | "CDLL" => {
            let (cyclic, double) = (shape.starts_with('C'), shape.ends_with("DLL"));
            let end = if cyclic { root } else { null() };
            let (mut at, mut seen) = (root, vec![root]);
            if double && !cyclic && get(root, 1) != null() {
                return false;
            }
            loop {
                let next = get(at, 0);
                if next != null() && double && get(next, 1) != at {
                    return false;
                }
                if next == end {
                    return seen.len() == everything;
                }
                if next == null() || seen.contains(&next) {
                    return false;
                }
                seen.push(next);
                at = next;
            }
        }
        _ => {
            let (mut open, mut seen) = (vec![(root, null())], Vec::new());
            while let Some((object, parent)) = open.pop() {
                if object == null() {
                    continue;
                }
                if seen.contains(&object) || (shape == "PTree" && get(object, 2) != parent) {
                    return false;
                }
                seen.push(object);
                open.push((get(object, 0), object));
                open.push((get(object, 1), object));
            }
            seen.len() == everything
        }
    }
}

#[test]
fn languages_are_what_their_names_say() {
    let catalan = [1, 2, 5, 14, 42];
    for (shape, selectors) in SHAPES {
        let grammar = grammar(shape, selectors);
        let members = members(&grammar, shape, 5);
        for count in 1..=5 {
            let wanted = if shape.ends_with("Tree") { catalan[count - 1] } else { 1 };
            let found = members.iter().filter(|heap| heap.len() == count + 1).count();
            assert_eq!(found, wanted, "{shape} of {count} objects");
        }
        assert!(members.iter().all(|heap| is_member(shape, heap) && grammar.check_provided(heap)));
    }
}

#[test]
fn built_in_grammars_are_confluent() {
    for (shape, selectors) in SHAPES {
        let (grammar, budget) = (grammar(shape, selectors), Budget::unlimited());
        let found = grammar.confluence(&mut Meter::new(&budget)).expect("no limits");
        assert_eq!(*found, Confluence::Confluent, "{shape}");
    }
}

/// The normal form with the root alone named.
fn normal(grammar: &Grammar, heap: &Heap, distance: usize) -> Traced {
    let budget = Budget::unlimited();
    let mut heap = Traced::new(heap);
    abstracted(grammar, &mut heap, Kept::within(distance), &mut Meter::new(&budget))
        .expect("no limits");
    heap
}

#[test]
fn normal_forms_decide_shapes() {
    for (shape, selectors) in SHAPES {
        let grammar = grammar(shape, selectors);
        let wanted: BTreeSet<Heap> = grammar
            .shape(shape)
            .expect("it is there")
            .heaps
            .iter()
            .map(|heap| {
                let mut heap = heap.clone();
                let root = heap.externals()[0];
                heap.set_externals(Vec::new());
                heap.set_slot(Slot::Variable(0), Value::Object(root));
                form(&heap)
            })
            .collect();
        let most = if selectors.len() == 3 { 4 } else { 5 };
        for heap in members(&grammar, shape, most) {
            assert!(wanted.contains(&form(normal(&grammar, &heap, 0).heap())), "{shape} {heap:?}");
            // Each heap with one or two fields changed.
            for (object, selector, to) in changes(&heap, selectors.len()) {
                let mut changed = heap.clone();
                changed.set_field(object, selector, to);
                let found = wanted.contains(&form(normal(&grammar, &changed, 0).heap()));
                assert_eq!(found, is_member(shape, &changed), "{shape} {changed:?}");
            }
        }
    }
}

fn changes(heap: &Heap, selectors: usize) -> Vec<(ObjectId, SelectorId, ObjectId)> {
    let objects = || heap.objects().skip(1);
    objects()
        .flat_map(|object| (0..selectors).map(move |selector| (object, SelectorId::new(selector))))
        .flat_map(|(object, selector)| heap.objects().map(move |to| (object, selector, to)))
        .collect()
}

fn all_derived(grammar: &Grammar, heap: &Heap, most: usize) -> BTreeSet<Heap> {
    let budget = Budget::unlimited();
    let all = derived(grammar, heap, most, &mut Meter::new(&budget)).expect("no limits");
    all.into_iter().collect()
}

/// Abstraction loses no heap, and concretisation at any field neither loses nor gains one. With
/// variables at up to two objects, or one of them external.
#[test]
fn operations_keep_the_language() {
    for (shape, selectors) in SHAPES {
        let grammar = grammar(shape, selectors);
        let mut seen = BTreeSet::new();
        for heap in members(&grammar, shape, 4) {
            for second in heap.objects() {
                for external in [false, true] {
                    for distance in 0..3 {
                        let mut named = heap.clone();
                        named.set_slot(Slot::Variable(1), Value::Object(second));
                        if external && second != null() {
                            named.retain_slots(|slot| slot == Slot::Variable(0));
                            named.set_externals(vec![second]);
                        }
                        let folded = normal(&grammar, &named, distance);
                        assert!(grammar.check_provided(folded.heap()), "{shape}");
                        let folded = form(folded.heap());
                        let all = all_derived(&grammar, &folded, 4);
                        assert!(all.contains(&form(&named)), "{shape} {named:?} {folded:?}");
                        if seen.insert(folded.clone()) {
                            concretisation_keeps(&grammar, &folded, &all, selectors.len());
                        }
                    }
                }
            }
        }
    }
}

fn concretisation_keeps(grammar: &Grammar, heap: &Heap, all: &BTreeSet<Heap>, selectors: usize) {
    let traced = Traced::new(heap);
    for object in heap.objects().skip(1) {
        for selector in (0..selectors).map(SelectorId::new) {
            let cases = grammar.concretised(&traced, object, selector).expect("it is provided");
            let mut together = BTreeSet::new();
            for case in &cases {
                assert!(grammar.check_provided(case.heap()));
                assert!(case.heap().field(object, selector).is_some());
                together.extend(all_derived(grammar, case.heap(), 4));
            }
            assert_eq!(&together, all, "{heap:?} at {object:?}.{selector:?}");
        }
    }
}

#[test]
fn grammars_that_cannot_be_used_are_refused() {
    let refused = |text: &str| -> String {
        let text =
            format!("type Node {{ next: Node }} {text} proc m(x: Node) {{ }} given m(x: null)");
        let problems = tern_heap::text::read(&text, "t.heap").expect_err("it is refused");
        problems.iter().map(|it| format!("{} {}\n", it.code, it.message)).collect()
    };
    let endless = refused("grammar L(a: Node, b: Node?) = a.next = n, L(n, b)");
    assert!(endless.contains("no heap can be derived"), "{endless}");
    let twice = refused("grammar L(a: Node, b: Node?) = a.next = b | a.next = b, L(a, b)");
    assert!(twice.contains("missing or given twice"), "{twice}");
    let stray = refused("grammar L(a: Node, b: Node?) = a.next = b, n.next = n, L(n, b)");
    assert!(stray.contains("H207"), "{stray}");
    // Unfolding at the front gives lists of one or two fields only, the other rule any.
    let not_local = refused("grammar L(a: Node, b: Node?) = a.next = b | L(a, n), L(n, b)");
    assert!(not_local.contains("derives more at `a.next`"), "{not_local}");
    let unit = refused(
        "grammar L(a: Node, b: Node?) = a.next = b | a.next = n, L(n, b) | M(a, b)
         grammar M(a: Node, b: Node?) = L(a, b)",
    );
    assert!(unit.contains("needs two hyperedges"), "{unit}");
}
