//! Spaces that fail, and limits: no verdict but the right one.

#![allow(clippy::print_stdout)] // says how often verdicts were given

use super::watched::Watched;
use super::{decide_and_check, written};
use tern_certify::{Asked, Subject};
use tern_engine::{Checker, Engine, Options, SpaceChecker};
use tern_model::budget::Meter;
use tern_model::space::{Lent, Part};
use tern_model::{Budget, Claim, Formulas, Gap, Limit, Machine, Tri, Verdict};
use tern_testkit::{sample, setting, sketch};

#[test]
fn a_space_that_fails_leaves_no_wrong_verdict() {
    let budget = Budget::unlimited();
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 100).min(2_000));
    let (mut given, mut failed) = (0, 0);
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = match seed % 3 {
            0 => sample::formula(&mut rng, &mut formulas, 2),
            _ => sample::ltl(&mut rng, &mut formulas, 3),
        };
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let truth = checker.check(&formulas, claim, &Options::default(), &budget).verdict;
        for patience in 0..40 {
            let mut space = Watched::new(&machine);
            space.patience = patience;
            let mut checker = SpaceChecker::new(space, []);
            let options = Options { evidence: true, runs: Some(100), ..Options::default() };
            let claim = Claim::new(claim);
            match checker.decide(&formulas, &claim, &options, &budget).verdict {
                Verdict::Unknown(gap) => {
                    failed += 1;
                    assert_eq!(gap, Gap::Failed("the disk is full".to_owned()));
                    assert_eq!(
                        gap.to_string(),
                        "the program could not be produced: the disk is full"
                    );
                }
                verdict => {
                    given += 1;
                    assert_eq!(verdict, truth, "seed {seed}, patience {patience}");
                }
            }
        }
    }
    println!("{given} verdicts, {failed} failures");
    assert!(given > 0 && failed > 0);
}

#[test]
fn a_limit_leaves_no_wrong_verdict() {
    let text: String = (0..30_000).fold("component main\n* n0 -> n1\n".to_owned(), |text, i| {
        text + &format!("n{} -> n{}\n", i + 1, i + 2)
    }) + "n30001 p -> n30001\n";
    let machine = sketch::machine(&text);
    let mut formulas = Formulas::new();
    let never = written(&mut formulas, "G !p");
    let everywhere = written(&mut formulas, "A G E F p");
    for (claim, engine) in [(never, "on-the-fly"), (everywhere, "eager")] {
        let options = Options { engine: Engine::named(engine), ..Options::default() };
        let decide = |budget: &Budget| {
            let mut checker = SpaceChecker::new(Watched::new(&machine), []);
            let claim = Claim::new(claim);
            checker.decide(&formulas, &claim, &options, budget).verdict
        };
        let mut reached = 0;
        for effort in [0, 1, 3, 10, 30] {
            match decide(&Budget::unlimited().with_effort(effort)) {
                Verdict::Unknown(Gap::Limit(Limit::Effort)) => reached += 1,
                Verdict::Unknown(other) => panic!("{other}"),
                verdict => assert_eq!(verdict, decide(&Budget::unlimited())),
            }
        }
        assert!(reached >= 2, "{engine}: the limits were never reached");
    }
}

#[test]
fn a_space_that_is_no_machine_is_refused() {
    let machine = sketch::machine("component main\n* a -> b\nb p -> a\n");
    let mut formulas = Formulas::new();
    for text in ["G F p", "A G E F p"] {
        let claim = written(&mut formulas, text);
        let mut space = Watched::new(&machine);
        space.twins = true;
        let mut checker = SpaceChecker::new(space, []);
        let claim = Claim::new(claim);
        let outcome = checker.decide(&formulas, &claim, &Options::default(), &Budget::unlimited());
        let Verdict::Unknown(Gap::Failed(why)) = outcome.verdict else { panic!("{outcome:?}") };
        assert_eq!(why, "the space is not a machine: component `main` has two nodes `twin`");
    }
}

#[test]
fn propositions_are_told_first_and_again_if_there_are_more() {
    let machine = sketch::machine("component main\n* a p -> b\nb q -> a\n");
    let mut formulas = Formulas::new();
    let budget = Budget::unlimited();
    let mut checker = SpaceChecker::new(Watched::new(&machine), ["q".to_owned(), "q".to_owned()]);
    let first = written(&mut formulas, "G F q");
    let (outcome, _) =
        decide_and_check(&mut checker, &formulas, first, &Options::default(), &budget);
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert_eq!(checker.space().told.as_deref(), Some(&["q".to_owned()][..]));
    let second = written(&mut formulas, "G (p | q)");
    let (outcome, _) =
        decide_and_check(&mut checker, &formulas, second, &Options::default(), &budget);
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert_eq!(checker.space().told.as_deref(), Some(&["q".to_owned(), "p".to_owned()][..]));
    assert_eq!(checker.space().edges.len(), 2);
}

/// Where not all edges are known there are no dead ends, and nothing is proved.
#[test]
fn evidence_that_takes_a_part_for_the_whole_is_refused() {
    let budget = Budget::unlimited();
    let text = "component main\nbox f = sub\n* a -> f.in\nf.out -> b\nb -> c\nc p -> c\n\
                component sub\n> in -> ^out\nexits out\n";
    let machine = sketch::machine(text);
    let mut formulas = Formulas::new();
    // The first ends before the call returns, the second before `c` is asked for.
    for soon in ["X !p", "X X !p"].map(|text| written(&mut formulas, text)) {
        let mut checker = SpaceChecker::new(Watched::new(&machine), []);
        let options = Options { evidence: true, runs: Some(100), ..Options::default() };
        let (outcome, checked) = decide_and_check(&mut checker, &formulas, soon, &options, &budget);
        assert!(checked, "{outcome:?}");
        let (part_machine, part) = checker.subject().expect("sound");
        assert!(!part.is_closed());
        let claims = ["G !p", "F p", "G F !p", "E G !p", "E F p"];
        for claim in claims.map(|text| written(&mut formulas, text)) {
            let wrong = Checker::new(part_machine, &budget).expect("no limits are set");
            for engine in ["automata", "tableau"].map(Engine::named) {
                let options = Options { engine, ..options.clone() };
                let outcome = wrong.check(&formulas, claim, &options, &budget);
                let claim = Claim::new(claim);
                let asked = Asked { formulas: &formulas, claim: &claim };
                let check =
                    |subject| tern_certify::check_outcome(subject, asked, &outcome, &budget);
                assert!(check(part_machine.into()).is_ok());
                assert!(check(Subject::Part(part_machine, part)).is_err(), "{outcome:?}");
            }
        }
    }
}

/// Labels that nobody asked for may be anything.
#[test]
fn evidence_that_makes_labels_up_is_refused() {
    let machine = sketch::machine("component main\n* a q -> a, b\nb p -> b\n");
    let budget = Budget::unlimited();
    let (mut space, mut part) = (Lent::new(&machine), Part::default());
    let names = ["p".to_owned(), "q".to_owned()];
    part.tell(&mut space, &names).expect("it has labels of any name");
    let mut meter = Meter::new(&budget);
    let a = part.initial(&mut space, &mut meter).expect("there is one")[0];
    part.labels(&mut space, a, &mut meter).expect("it is asked");
    let place = part.node_place(a);
    part.edges(&mut space, place, &mut meter).expect("it is asked");
    let produced = part.machine(&space).expect("sound");
    let coarse = part.coarse(&produced, &mut meter).expect("no limits");
    let coarse = coarse.finish().expect("sound");
    let b = coarse.find_node("main", "b").expect("it was found");
    let made_up = sample::remade(
        &coarse,
        |_, _, surety| Some(surety),
        |node, _, has| if node == b { Tri::False } else { has },
    );
    let mut formulas = Formulas::new();
    let mut accepted = |text: &str, machine: &Machine| {
        let claim = Claim::new(written(&mut formulas, text));
        let options = Options { evidence: true, ..Options::default() };
        let checker = Checker::new(machine, &budget).expect("no limits are set");
        let outcome = checker.decide(&formulas, &claim, &options, &budget);
        assert_eq!(outcome.verdict, Verdict::Holds, "{text}");
        let asked = Asked { formulas: &formulas, claim: &claim };
        let subject = Subject::Part(&produced, &part);
        tern_certify::check_outcome(subject, asked, &outcome, &budget).is_ok()
    };
    assert!(accepted("q", &coarse));
    assert!(accepted("E X q", &coarse));
    assert!(!accepted("A X !p", &made_up));
}
