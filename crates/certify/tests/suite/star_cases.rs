//! Recursive machines whose answers to CTL* are known by looking at them, one phenomenon each.

use tern_certify::oracle::pushdown;
use tern_model::{BoxId, Formulas, Machine};
use tern_testkit::sketch;

const LIMIT: usize = 1 << 20;

fn check(machine: &Machine, claims: &[(&str, bool)]) {
    for &(text, expected) in claims {
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, text);
        let found = pushdown::check(machine, &formulas, claim, LIMIT);
        assert_eq!(found, Some(expected), "{text}\n{}", sketch::show(machine));
    }
}

/// Whether a formula holds at a node under boxes of these names, outermost first.
fn holds_at(machine: &Machine, text: &str, boxes: &[&str], node: (&str, &str)) -> Option<bool> {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, text);
    let find = |&name: &&str| machine.boxes().find(|&b| machine.box_name(b) == name);
    let stack: Vec<BoxId> = boxes.iter().map(|name| find(name).expect("a box")).collect();
    let node = machine.find_node(node.0, node.1).expect("a node");
    pushdown::solve(machine, &formulas, claim, LIMIT).expect("small").at(&stack, node)
}

/// `even` and `odd` call each other for ever, and p is true at even depth.
#[test]
fn depth_alternates_for_ever() {
    let machine = sketch::machine(
        "component even
           box b = odd
           * > e p -> b.o
         component odd
           box c = even
           > o -> c.e",
    );
    check(
        &machine,
        &[
            ("G F p", true),
            ("A G F p", true),
            ("F G p", false),
            ("E F G p", false),
            ("G F ! p", true),
            ("G xor p X p", true),
            ("G <-> p X X p", true),
            ("A G -> p A X & ! p A X p", true),
            ("E G X p", false),
        ],
    );
    assert_eq!(holds_at(&machine, "G <-> p X X p", &["b", "c", "b"], ("odd", "o")), Some(true));
    assert_eq!(holds_at(&machine, "p", &["b", "c"], ("even", "e")), Some(true));
    assert_eq!(holds_at(&machine, "p", &["b", "b"], ("odd", "o")), None);
    assert_eq!(holds_at(&machine, "p", &["b"], ("even", "e")), None);
}

/// As many steps down as up: a, a, …, then b, b, …, and the end; or a for ever.
#[test]
fn what_was_called_returns() {
    let machine = sketch::machine(
        "component main
           box r = rec
           * s -> r.n
           r.x -> t
           t end -> t
         component rec
           box c = rec
           > n a -> c.n, m
           m b -> ^x
           c.x -> m
           exits x",
    );
    check(
        &machine,
        &[
            ("F end", false),
            ("E F end", true),
            ("E X G a", true),
            ("X | G a F end", true),
            ("X | A G a A F end", false),
            ("-> F b F G end", true),
            ("E & F b G ! end", false),
            ("E G F a", true),
            ("A -> G F a G ! b", true),
            ("A G -> b A F end", true),
            ("A G -> a E F end", true),
            ("E G E F & b X end", true),
            ("E & F G a G E F end", true),
            ("A G -> a A X | a A F G end", true),
            ("X W a U b G end", true),
            ("X U a U b G end", false),
            ("G -> & b X end X G end", true),
            // How many there were of a decides how many there will be of b.
            ("-> X & a X b X X X end", true),
            ("-> X & a X & a X b X X X X end", false),
            ("-> X & a X & a X b X X X X X end", true),
        ],
    );
    let at = |text: &str, boxes: &[&str]| holds_at(&machine, text, boxes, ("rec", "m"));
    assert_eq!(at("X end", &["r"]), Some(true));
    assert_eq!(at("X end", &["r", "c"]), Some(false));
    assert_eq!(at("& X b X X end", &["r", "c"]), Some(true));
    assert_eq!(at("& X X b X X X end", &["r", "c", "c"]), Some(true));
    assert_eq!(at("F G end", &["r", "c", "c", "c", "c", "c"]), Some(true));
}

/// A call that may never return: what comes after it is promised only on the paths that come back.
#[test]
fn calls_that_return_or_not() {
    let machine = sketch::machine(
        "component main
           box b = wait
           * s -> b.in
           b.out -> t
           t q -> t, s
         component wait
           > in i -> in, o
           o o -> ^out
           exits out",
    );
    check(
        &machine,
        &[
            ("F q", false),
            ("E F q", true),
            ("| F G i F q", true),
            ("| F G i G F | q o", true),
            ("G -> o X q", true),
            ("-> G F o G F q", true),
            ("-> G F ! i G F q", true),
            ("A -> G F q G F i", false),
            ("E & G F q G F i", true),
            ("E F G q", true),
            ("A G E F & i E G i", true),
            ("E & G F q G -> i X o", true),
        ],
    );
}

/// Entering is the step to the entry; a return is the step to where the return site leads.
#[test]
fn next_at_calls_and_returns() {
    let machine = sketch::machine(
        "component main
           box b = one
           box c = one
           * s -> b.in
           b.out -> c.in
           c.out -> t
           t q -> ^end
           exits end
         component one
           > in i -> ^out
           exits out",
    );
    check(
        &machine,
        &[
            ("X i", true),
            ("X X i", true),
            ("X X q", false),
            ("X X X q", true),
            ("X X X G q", true),
            ("X U i G q", true),
        ],
    );
    // The same call again, straight from its own return site, for ever.
    let again = sketch::machine(
        "component main
           box b = one
           * s -> b.in
           b.out -> b.in, t
           t q -> t
         component one
           > in i -> ^out
           exits out",
    );
    check(
        &again,
        &[
            ("X i", true),
            ("X W i q", true),
            ("X U i q", false),
            ("E X G i", true),
            ("X | G i U i G q", true),
            ("E X & X i X X q", true),
        ],
    );
}

/// A node that returns is a dead end under a box that does not go on, and stutters there only.
#[test]
fn stuttering_depends_on_the_caller() {
    let machine = sketch::machine(
        "component main
           box open = sub
           box shut = sub
           * s -> open.in, shut.in
           open.out -> t
           t q -> t
         component sub
           > in i -> ^out
           exits out",
    );
    check(
        &machine,
        &[
            ("X i", true),
            ("X | G i X G q", true),
            ("E X G i", true),
            ("E X X q", true),
            ("X | G i A X q", true),
            ("A X | A G i A X q", true),
            ("E X & i E X q", true),
            ("E & X X q G F i", false),
        ],
    );
    assert_eq!(holds_at(&machine, "G i", &["shut"], ("sub", "in")), Some(true));
    assert_eq!(holds_at(&machine, "F i", &["open"], ("sub", "in")), Some(true));
    assert_eq!(holds_at(&machine, "X i", &["open"], ("sub", "in")), Some(false));
}

#[test]
fn the_end_loops_or_sinks() {
    let text = "component main
           * s p -> t
           t p -> ^x
           exits x";
    let looping = sketch::machine(text);
    check(&looping, &[("G p", true), ("X X X p", true), ("F G ! p", false)]);
    let sinking = sketch::machine(&format!("end sink\n{text}"));
    check(
        &sinking,
        &[
            ("G p", false),
            ("X p", true),
            ("X X ! p", true),
            ("F G ! p", true),
            ("& X p X X G ! p", true),
            ("A U p A G ! p", true),
        ],
    );
    // A recursion that returns ends under the empty stack only.
    let recursive = sketch::machine(
        "end sink
         component rec
           box c = rec
           * > n p -> c.n, ^x
           c.x -> m
           m q -> ^x
           exits x",
    );
    check(
        &recursive,
        &[
            ("| G p F G & ! p ! q", true),
            ("E F & q X ! q", true),
            ("-> F q F G ! q", true),
            ("U p | q ! p", false),
            ("W p U q G & ! p ! q", true),
            ("-> & X p X X q X X X ! q", true),
        ],
    );
}

/// Several exits, told apart by what was done inside.
#[test]
fn exits_are_told_apart() {
    let machine = sketch::machine(
        "component main
           box b = rec
           * s -> b.n
           b.even -> e
           b.odd -> o
           e even -> s
           o odd -> s
         component rec
           box c = rec
           > n n -> c.n, ^even
           c.even -> l
           c.odd -> k
           l -> ^odd
           k -> ^even
           exits even odd",
    );
    check(
        &machine,
        &[
            ("E & G F even G F odd", true),
            ("| F G n G F | even odd", true),
            ("A -> G F even G F odd", false),
            ("E & G F even G ! odd", true),
            // One n is zero calls, two are one call, …
            ("-> X & n X ! n X X even", true),
            ("-> X & n X & n X ! n X X X X odd", true),
            ("A G E F & even X X X odd", false),
            ("A G E F & even F odd", true),
        ],
    );
}

/// What is needed infinitely often happens only inside calls, at different depths, that all return.
#[test]
fn events_inside_calls_count() {
    let machine = sketch::machine(
        "component main
           box b = outer
           * s -> b.in
           b.out -> s
         component outer
           box c = middle
           > in -> c.in
           c.out -> o
           o -> ^out
           exits out
         component middle
           box d = inner
           > in q -> d.in, o
           d.out -> o
           o -> ^out
           exits out
         component inner
           > in p -> ^out
           exits out",
    );
    check(
        &machine,
        &[
            ("G F q", true),
            ("G F p", false),
            ("E G F p", true),
            ("E & G F p G F q", true),
            ("E & G F p G F & q X ! p", true),
            ("E & G F p F G -> q X p", true),
            ("E & G F & p X p G F q", false),
            ("-> F G ! p F G -> q X ! p", true),
            ("E & G F q G ! p", true),
            ("A G E G F p", true),
            ("E G & F p E G ! p", false),
            ("E G & F p E F G ! p", true),
        ],
    );
}
