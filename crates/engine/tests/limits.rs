//! A limit that is reached while a verdict is being explained does not cost the verdict.

use std::sync::atomic::{AtomicU64, Ordering};
use tern_certify::sketch;
use tern_engine::{Checker, ENGINES, Options};
use tern_model::{Budget, Formula, Formulas, Gap, Limit, Missing, Verdict};

/// How often the budget may still be looked at.
static LOOKS_LEFT: AtomicU64 = AtomicU64::new(0);

/// A budget that ends the work after so many looks at it.
fn for_looks(looks: u64) -> Budget {
    LOOKS_LEFT.store(looks, Ordering::Relaxed);
    Budget::unlimited().with_memory(1 << 40, || {
        let left = LOOKS_LEFT.load(Ordering::Relaxed);
        LOOKS_LEFT.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { u64::MAX } else { 0 }
    })
}

#[test]
fn verdicts_outlive_what_explains_them() {
    let machine = sketch::machine(
        "component f
           box b = f
           * > a p -> b.a, c
           c q -> ^x
           b.x -> c
           exits x",
    );
    let mut formulas = Formulas::new();
    let q = formulas.atom("q");
    let finally = formulas.make(Formula::Finally(q));
    let claim = formulas.make(Formula::All(finally));
    let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
    for engine in ENGINES.iter().filter(|engine| engine.logic == "CTL") {
        let options = Options {
            engine: Some(engine.name),
            evidence: true,
            regions: true,
            runs: Some(100),
            ..Options::default()
        };
        let mut seen: Vec<&str> = Vec::new();
        for looks in 0..1_000 {
            let outcome = checker.check(&formulas, claim, &options, &for_looks(looks));
            let what = match (&outcome.verdict, outcome.missing) {
                (Verdict::Unknown(Gap::Limit(Limit::Memory(_))), None) => "verdict",
                (Verdict::Fails, Some(Missing { what, .. })) => what,
                (Verdict::Fails, None) => "nothing",
                other => panic!("{other:?}"),
            };
            let given = [
                outcome.verdict == Verdict::Fails,
                outcome.evidence.is_some(),
                outcome.story.is_some(),
                outcome.regions.is_some(),
            ];
            let order = ["verdict", "evidence", "run", "list of where it holds", "nothing"];
            let due = order.iter().position(|&it| it == what).expect("one of these");
            assert_eq!(given, std::array::from_fn(|i| i < due), "{what} is missing");
            if seen.last() != Some(&what) {
                seen.push(what);
            }
            if what == "nothing" {
                break;
            }
        }
        let all = ["verdict", "evidence", "run", "list of where it holds", "nothing"];
        assert_eq!(seen, all, "{}", engine.name);
    }
}
