//! A limit that is reached while a verdict is being explained does not cost the verdict.

use std::sync::atomic::{AtomicU64, Ordering};
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::logic::Logic;
use tern_model::{Budget, Formula, Formulas, Gap, Limit, Missing, Verdict};
use tern_testkit::sketch;

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
    for engine in ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl) {
        let options = Options {
            engine: Some(engine),
            evidence: true,
            regions: true,
            runs: Some(100),
            ..Options::default()
        };
        let mut seen: Vec<&str> = Vec::new();
        for looks in 0..1_000 {
            let outcome = checker.check(&formulas, claim, &options, &for_looks(looks));
            let missing: Vec<&str> = outcome.missing.iter().map(Missing::what).collect();
            let what = match (&outcome.verdict, &missing[..]) {
                (Verdict::Unknown(Gap::Limit(Limit::Memory(_))), []) => "verdict",
                (Verdict::Fails, [what, ..]) => what,
                (Verdict::Fails, []) => "nothing",
                other => panic!("{other:?}"),
            };
            let given = [
                outcome.verdict == Verdict::Fails,
                outcome.evidence.is_some(),
                !outcome.stories.is_empty(),
                outcome.regions.is_some(),
            ];
            let order = ["verdict", "evidence", "run", "list of where it holds", "nothing"];
            let due = order.iter().position(|&it| it == what).expect("one of these");
            assert_eq!(given, std::array::from_fn(|i| i < due), "{what} is missing");
            // All that was asked for and is not there is named.
            assert!(due == 0 || missing == order[due.min(4)..4], "{missing:?}");
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

#[test]
fn without_a_run_of_bearable_length_the_evidence_is_missing_as_well() {
    // Each component calls the next twice, so that q is a million moves away.
    let mut text = "component f0\n box b = f1\n * > a -> b.a\n b.x -> c\n c q -> c\n".to_owned();
    for level in 1..20 {
        let next = level + 1;
        text += &format!("component f{level}\n box b = f{next}\n box c = f{next}\n > a -> b.a\n");
        text += " b.x -> c.a\n c.x -> d\n d -> ^x\n exits x\n";
    }
    text += "component f20\n > a -> ^x\n exits x\n";
    let machine = sketch::machine(&text);
    let mut formulas = Formulas::new();
    let q = formulas.atom("q");
    let not = formulas.make(Formula::Not(q));
    let always = formulas.make(Formula::Globally(not));
    let claim = formulas.make(Formula::All(always));
    let budget = Budget::unlimited();
    let checker = Checker::new(&machine, &budget).expect("no limits are set");
    for engine in ["automata", "tableau", "on-the-fly", "hybrid"] {
        for (runs, evidence, expected) in [
            (Some(100), true, &["evidence", "run"][..]),
            (Some(100), false, &["run"]),
            (None, true, &["evidence"]),
            (None, false, &[]),
        ] {
            let named = Engine::named(engine);
            assert!(named.is_some());
            let options = Options { engine: named, evidence, runs, ..Options::default() };
            let outcome = checker.check(&formulas, claim, &options, &budget);
            assert_eq!(outcome.verdict, Verdict::Fails);
            let missing: Vec<&str> = outcome.missing.iter().map(Missing::what).collect();
            assert_eq!(missing, expected, "{engine}");
        }
    }
}
