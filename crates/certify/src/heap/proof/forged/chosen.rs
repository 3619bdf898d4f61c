//! Runs that go one way wherever the program may go either: enough for claims that ask for a run.

use super::*;
use crate::heap::asks_for_some_path;
use tern_ir::{Comparison, Test};

/// A procedure that returns what it is given, or `null`.
fn world(left: Constant, right: Constant) -> World {
    let mut world = World::new(&["One+"]);
    let (left, right) = (world.constant(left), world.constant(right));
    let test = Test { left, comparison: Comparison::NotEqual, right };
    let (yes, no, null) = (BlockId::new(1), BlockId::new(2), world.null());
    let blocks = vec![
        (Vec::new(), Jump::Branch { test, yes, no }),
        (Vec::new(), Jump::Return(Some(read(0)))),
        (Vec::new(), Jump::Return(Some(null))),
    ];
    world.plain("main", 1, blocks);
    world
}

/// A claim that asks for a run, or for all.
fn claim(formulas: &mut Formulas, quantifier: fn(FormulaId) -> Formula) -> FormulaId {
    let atom = formulas.atom("terminated");
    let path = formulas.make(Formula::Finally(atom));
    formulas.make(quantifier(path))
}

/// Where the program goes from its first place.
fn goes(world: &World, chosen: Option<bool>) -> Vec<Place> {
    let mut formulas = Formulas::new();
    let claim = claim(&mut formulas, Formula::Exists);
    world.with_task(|task| {
        let mut prover = Prover::new(task, &formulas, claim).expect("it can be proved with");
        if let Some(chosen) = chosen {
            prover = prover.choosing(chosen, (&formulas, claim)).expect("it asks for a run");
        }
        let heap = heap(Graph::default(), &[(0, Held::Object(0))]);
        let next = prover.next(Some(ProcId::new(0)), Place::At(0, 0, 0), &heap);
        let place = |it: &Next| match it {
            Next::Goes(place, _) => *place,
            _ => panic!("it goes on"),
        };
        next.expect("it is followed").iter().map(place).collect()
    })
}

#[test]
fn only_what_is_left_open_is_chosen() {
    let (yes, no) = (Place::At(1, 0, 0), Place::At(2, 0, 0));
    let mut open = world(Constant::Any, Constant::Any);
    assert_eq!(goes(&open, None), [yes, no]);
    assert_eq!(goes(&open, Some(true)), [yes]);
    assert_eq!(goes(&open, Some(false)), [no]);
    // Elsewhere what is not known may be of the input.
    open.blank = true;
    assert_eq!(goes(&open, Some(true)), [yes, no]);
    for world in [world(Constant::Any, Constant::Null), world(Constant::Null, Constant::Any)] {
        assert_eq!(goes(&world, Some(true)), [yes, no]);
    }
    assert_eq!(goes(&world(Constant::Null, Constant::Null), Some(true)), [no]);
}

#[test]
fn claims_about_all_runs_are_not_proved_so() {
    let world = world(Constant::Any, Constant::Any);
    let found = |quantifier: fn(FormulaId) -> Formula| {
        let mut formulas = Formulas::new();
        let claim = claim(&mut formulas, quantifier);
        world.with_task(|task| {
            let prover = Prover::new(task, &formulas, claim).expect("it can be proved with");
            said(prover.choosing(true, (&formulas, claim)))
        })
    };
    assert_eq!(found(Formula::Exists), "");
    let why = "a claim about all runs is proved of those that go one way";
    assert_eq!(found(Formula::All), why);
    assert_eq!(found(Formula::Globally), why, "this is meant of all runs");
}

#[test]
fn more_paths_keep_what_asks_for_some() {
    use Formula::{All, And, Exists, Finally, Globally, Iff, Implies, Not, Or, Until, Xor};
    let formulas = &mut Formulas::new();
    let p = formulas.atom("p");
    let path = formulas.make(Finally(p));
    let (some, all) = (formulas.make(Exists(path)), formulas.make(All(path)));
    let [no_some, no_all] = [some, all].map(|it| formulas.make(Not(it)));
    let path = formulas.make(Finally(some));
    let all_some = formulas.make(All(path));
    let follows =
        [(all, p), (p, some), (some, all)].map(|(left, right)| formulas.make(Implies(left, right)));
    let mut asked = |formula: Formula| {
        let inner = formulas.make(formula);
        let path = formulas.make(Globally(inner));
        let whole = formulas.make(Exists(path));
        asks_for_some_path(formulas, whole)
    };
    assert_eq!(
        [p, some, all, no_some, no_all].map(|it| asked(Finally(it))),
        [true, true, false, false, true]
    );
    for both in [And, Or, Until] {
        assert!(asked(both(some, p)) && asked(both(p, no_all)));
        assert!(!asked(both(all, p)) && !asked(both(p, no_some)) && !asked(both(some, all)));
    }
    // What is negated must stay false.
    assert_eq!([no_some, no_all, all_some].map(|it| asked(Not(it))), [true, false, false]);
    assert_eq!(follows.map(|it| asked(Not(it))), [false, false, true]);
    assert!(asked(Implies(all, some)) && asked(Implies(p, p)));
    assert!(!asked(Implies(some, p)) && !asked(Implies(p, all)));
    for both in [Iff, Xor] {
        assert!(asked(both(p, p)));
        for it in [some, all] {
            assert!(!asked(both(it, p)) && !asked(both(p, it)));
        }
    }
}
