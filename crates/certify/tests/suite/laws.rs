//! Laws of CTL, which say the same in two ways: each oracle must find both sides equal everywhere.
//!
//! Both oracles are asked, because they share neither laws nor tables: the unfolding solves every
//! operator by itself, the table reduces all of them to three.

use fastrand::Rng;
use tern_certify::oracle::{exact, unfold};
use tern_model::{Formulas, Tri};
use tern_testkit::{sample, sketch};

/// Left and right side; `$f` and `$g` stand for any state formulas.
const LAWS: [(&str, &str); 36] = [
    // Duals.
    ("A X $f", "! E X ! $f"),
    ("A F $f", "! E G ! $f"),
    ("A G $f", "! E F ! $f"),
    ("A U $f $g", "! E R ! $f ! $g"),
    ("A R $f $g", "! E U ! $f ! $g"),
    ("A W $f $g", "! E M ! $f ! $g"),
    ("A M $f $g", "! E W ! $f ! $g"),
    // Expansion: now, or the same again in the next state.
    ("E F $f", "| $f E X E F $f"),
    ("A F $f", "| $f A X A F $f"),
    ("E G $f", "& $f E X E G $f"),
    ("A G $f", "& $f A X A G $f"),
    ("E U $f $g", "| $g & $f E X E U $f $g"),
    ("A U $f $g", "| $g & $f A X A U $f $g"),
    ("E R $f $g", "& $g | $f E X E R $f $g"),
    ("A R $f $g", "& $g | $f A X A R $f $g"),
    ("E W $f $g", "| $g & $f E X E W $f $g"),
    ("A W $f $g", "| $g & $f A X A W $f $g"),
    ("E M $f $g", "& $g | $f E X E M $f $g"),
    ("A M $f $g", "& $g | $f A X A M $f $g"),
    // One operator by another.
    ("E F $f", "E U true $f"),
    ("A G $f", "A R false $f"),
    ("E G $f", "E W $f false"),
    ("A F $f", "A M $f true"),
    ("E W $f $g", "E R $g | $f $g"),
    ("A W $f $g", "A R $g | $f $g"),
    ("E M $f $g", "E U $g & $f $g"),
    ("A M $f $g", "A U $g & $f $g"),
    // Distribution, and operators that add nothing to themselves.
    ("E X | $f $g", "| E X $f E X $g"),
    ("A X & $f $g", "& A X $f A X $g"),
    ("E F | $f $g", "| E F $f E F $g"),
    ("A G & $f $g", "& A G $f A G $g"),
    ("E F E F $f", "E F $f"),
    ("A F A F $f", "A F $f"),
    ("E G E G $f", "E G $f"),
    // Connectives.
    ("xor $f $g", "! <-> $f $g"),
    ("-> $f $g", "| ! $f $g"),
];

const OPERANDS: [&str; 12] = [
    "p",
    "! q",
    "& p q",
    "xor p r",
    "E X p",
    "A X q",
    "E F & p q",
    "A F p",
    "E G q",
    "A U p q",
    "E R p q",
    "-> p E X r",
];

#[test]
fn both_sides_of_a_law_are_one() {
    let mut decided = 0;
    for (number, (left, right)) in LAWS.iter().enumerate() {
        for round in 0..100 {
            let seed = 1000 * number as u64 + round;
            let mut rng = Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &sample::Shape::default());
            let mut formulas = Formulas::new();
            let (f, g) = (OPERANDS[rng.usize(..12)], OPERANDS[rng.usize(..12)]);
            let mut make = |template: &str| {
                sketch::formula(&mut formulas, &template.replace("$f", f).replace("$g", g))
            };
            let (left, right) = (make(left), make(right));
            let about = || {
                let (left, right) = (formulas.show(left), formulas.show(right));
                format!("seed {seed}\n{left}\n{right}\n{}", sketch::show(&machine))
            };
            let solve = |side| exact::solve(&machine, &formulas, side, 500_000).expect("small");
            let (table_left, table_right) = (solve(left), solve(right));
            let unfolded = |side| unfold::label(&machine, &formulas, side, 3, 200).expect("CTL");
            for ((stack, node, a), (_, _, b)) in unfolded(left).into_iter().zip(unfolded(right)) {
                let truth = table_left.at(&stack, node);
                assert!(truth.is_some(), "{}", about());
                assert_eq!(truth, table_right.at(&stack, node), "{}", about());
                // A side may know less than the other: Kleene's logic is not blind to wording.
                if a != Tri::Unknown && b != Tri::Unknown {
                    decided += 1;
                    assert_eq!(a, b, "unfolded: {}", about());
                }
            }
        }
    }
    assert!(decided >= 20_000, "unfolding decided too little: {decided}");
}
