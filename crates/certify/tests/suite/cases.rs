//! Machines whose answers are known by looking at them, one phenomenon each.

use tern_certify::oracle::{exact, unfold};
use tern_model::{Formulas, Machine, Tri};
use tern_testkit::sketch;

const LIMIT: usize = 100_000;

/// Both oracles must give the expected answers; unfolding may be silent.
fn check(machine: &Machine, claims: &[(&str, bool)]) {
    for &(text, expected) in claims {
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, text);
        let shown = sketch::show(machine);
        assert_eq!(
            exact::check(machine, &formulas, claim, LIMIT),
            Some(expected),
            "{text}\n{shown}"
        );
        let unfolded = unfold::check(machine, &formulas, claim, 6, 1000).expect("CTL");
        assert_ne!(unfolded, Tri::from(!expected), "unfolded: {text}\n{shown}");
    }
}

/// The answer of unfolding alone.
fn unfolded(machine: &Machine, text: &str) -> Tri {
    unfolded_to(machine, text, 6)
}

fn unfolded_to(machine: &Machine, text: &str, depth: usize) -> Tri {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, text);
    unfold::check(machine, &formulas, claim, depth, 1000).expect("CTL")
}

/// Whether a formula holds at a configuration given by names.
fn holds_at(machine: &Machine, text: &str, boxes: &[(&str, &str)], node: (&str, &str)) -> bool {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, text);
    let by_name = |&(component, name): &(&str, &str)| {
        let is_meant = |&b: &tern_model::BoxId| {
            let inside = machine.component_of_box(b);
            machine.component_name(inside) == component && machine.box_name(b) == name
        };
        machine.boxes().find(is_meant).expect("a box")
    };
    let stack: Vec<_> = boxes.iter().map(by_name).collect();
    let node = machine.find_node(node.0, node.1).expect("a node");
    let solution = exact::solve(machine, &formulas, claim, LIMIT).expect("CTL");
    solution.at(&stack, node).expect("a configuration")
}

/// `rec` leaves by `even` or `odd` according to how deep it went.
fn parity() -> Machine {
    sketch::machine(
        "component main
           box b = rec
           * s -> b.n
           b.even -> e
           b.odd -> o
           e even -> e
           o odd -> o
         component rec
           box b = rec
           > n -> b.n, xe
           xe -> ^even
           xo -> ^odd
           b.even -> xo
           b.odd -> xe
           exits even odd",
    )
}

#[test]
fn exits_tell_the_parity_of_the_depth() {
    let machine = parity();
    check(
        &machine,
        &[
            ("E F even", true),
            ("E F odd", true),
            ("E F & even odd", false),
            ("A F | even odd", false), // it may go deeper for ever
            ("A G E F | even odd", true),
            ("A G -> even A G even", true),
            ("A G -> even ! E F odd", true),
            ("E F & E F even ! E F odd", true),
            ("E G & E F even E F odd", true),
        ],
    );
    let (main, rec) = (("main", "b"), ("rec", "b"));
    assert!(holds_at(&machine, "A F even", &[main], ("rec", "xe")));
    assert!(!holds_at(&machine, "E F odd", &[main], ("rec", "xe")));
    assert!(holds_at(&machine, "A F odd", &[main, rec], ("rec", "xe")));
    assert!(holds_at(&machine, "A F even", &[main, rec, rec], ("rec", "xe")));
    assert!(holds_at(&machine, "A F even", &[main, rec], ("rec", "xo")));
}

#[test]
fn a_one_node_procedure_is_entered_and_then_returns() {
    let machine = sketch::machine(
        "component main
           box b = sub
           * s p -> b.n
           b.n -> t
           t q -> t
         component sub
           > n r -> ^n
           exits n",
    );
    check(
        &machine,
        &[
            ("A X r", true),
            ("E X q", false),
            ("A X A X q", true),
            ("A F A G q", true),
            ("E G ! q", false),
            ("A U | p r q", true),
        ],
    );
    assert_eq!(unfolded(&machine, "A F A G q"), Tri::True);
}

#[test]
fn a_return_site_may_call_straight_on() {
    let chain = sketch::machine(
        "component main
           box b = sub
           box c = sub
           * s -> b.n
           b.n -> c.n
           c.n -> t
           t q -> t
         component sub
           > n p -> ^n
           exits n",
    );
    check(&chain, &[("A X & p A X & p A X q", true), ("A F q", true), ("E X E X q", false)]);
    // The second call takes the place of the first, so the stack is never deeper than one box.
    assert_eq!(unfolded_to(&chain, "A F q", 1), Tri::True);
    let again = sketch::machine(
        "component main
           box b = sub
           * s -> b.n
           b.n -> b.n, t
           t q -> t
         component sub
           > n p -> ^n
           exits n",
    );
    check(&again, &[("A F q", false), ("E X E G p", true), ("A X & E X p E X q", true)]);
    let only_again = sketch::machine(
        "component main
           box b = sub
           * s -> b.n
           b.n -> b.n
         component sub
           > n p -> ^n
           exits n",
    );
    check(&only_again, &[("A X A G p", true), ("E F q", false), ("E F A X ! p", false)]);
}

#[test]
fn an_exit_that_the_box_does_not_list_is_no_way_out() {
    let machine = sketch::machine(
        "component main
           box b = sub
           * s -> b.n
           b.y -> t
           t q -> t
         component sub
           > n -> y, z, m
           y -> ^y
           z p -> ^z
           m r -> ^z, y
           exits y z",
    );
    check(
        &machine,
        &[
            ("E F E G p", true), // z stutters
            ("A G -> p A G p", true),
            ("A F q", false),
            ("A G -> r A X A X q", true), // m has a step, so its closed exit does not stutter
        ],
    );
    // The same node is a dead end under one box only.
    let two = sketch::machine(
        "component main
           box b = sub
           box c = sub
           * s -> b.n
           b.n -> c.n
         component sub
           > n p -> ^n
           exits n",
    );
    check(&two, &[("A X A G p", true)]);
    assert!(holds_at(&two, "E X E X p", &[("main", "b")], ("sub", "n")));
}

#[test]
fn next_sees_the_entry_at_a_call_and_the_site_at_a_return() {
    let machine = sketch::machine(
        "component main
           box b = sub
           * s -> b.n, b.m
           b.x -> t, u
           t q
           u r
         component sub
           > n p -> ^x
           > m -> ^x
           exits x",
    );
    check(&machine, &[("E X p", true), ("A X p", false), ("E X q", false)]);
    check(&machine, &[("A X & E X q E X r", true), ("E X A X q", false), ("A X A X | q r", true)]);
    assert!(holds_at(&machine, "E X q", &[("main", "b")], ("sub", "n")));
    assert!(!holds_at(&machine, "A X q", &[("main", "b")], ("sub", "n")));
}

#[test]
fn the_end_loops_or_sinks() {
    let body = "component main
                  * s p -> ^x, t
                  t p -> ^x
                  exits x";
    let looping = sketch::machine(body);
    check(&looping, &[("A G p", true), ("E G p", true), ("A F ! p", false), ("E X p", true)]);
    assert_eq!(unfolded(&looping, "A G p"), Tri::True);
    let sinking = sketch::machine(&format!("end sink\n{body}"));
    check(
        &sinking,
        &[("A G p", false), ("E G p", false), ("A F A G ! p", true), ("E X ! p", true)],
    );
    check(&sinking, &[("A F E X A G ! E F p", true), ("A U p ! p", true), ("A X A X ! p", true)]);
    assert_eq!(unfolded(&sinking, "A F A G ! p"), Tri::True);
}

#[test]
fn a_dead_end_stutters() {
    let machine = sketch::machine(
        "end sink
         component main
           * s p -> t
           t q",
    );
    check(
        &machine,
        &[
            ("A F A G q", true),
            ("A X E X q", true),
            ("A X A X q", true),
            ("E F & q A X ! q", false),
        ],
    );
}

#[test]
fn recursion_that_never_returns_is_a_path() {
    let machine = sketch::machine(
        "component main
           box b = main
           * > s p -> b.s",
    );
    check(&machine, &[("E G p", true), ("A G p", true), ("A F q", false), ("A G E X p", true)]);
    assert_eq!(unfolded(&machine, "E G p"), Tri::Unknown);
    assert_eq!(unfolded(&machine, "E X E X p"), Tri::True);
}

#[test]
fn a_program_that_may_recurse_for_ever_need_not_end() {
    let machine = sketch::machine(
        "component main
           box b = rec
           * s -> b.n
           b.x -> done
           done done -> ^end
           exits end
         component rec
           box b = rec
           > n p -> b.n, e
           b.x -> e
           e -> ^x
           exits x",
    );
    check(
        &machine,
        &[
            ("A F done", false),
            ("E F done", true),
            ("A G E F done", true),
            ("E X E G p", true),
            ("A G -> E X ! p A F done", false), // n itself may step to e, or go deeper
            ("A G -> & ! p E X ! p A F done", true),
        ],
    );
}

#[test]
fn what_is_not_ctl_is_not_answered() {
    let machine = parity();
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "A F G even");
    assert_eq!(exact::check(&machine, &formulas, claim, LIMIT), None);
    assert_eq!(unfold::check(&machine, &formulas, claim, 3, 100), None);
    let plain = sketch::formula(&mut formulas, "F even");
    assert_eq!(exact::check(&machine, &formulas, plain, LIMIT), Some(false));
    assert_eq!(exact::check(&machine, &formulas, plain, 5), None, "a table that is too small");
    assert_eq!(unfold::check(&machine, &formulas, plain, 3, 0), Some(Tri::Unknown));
}
