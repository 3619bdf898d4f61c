//! CTL* on finite structures: against the evaluator on words, where there is one path; against all
//! short lassos, where there are many; against the CTL oracles; and by hand.
#![allow(clippy::print_stderr)] // `--nocapture` shows how much the tests tested

use fastrand::Rng;
use std::collections::BTreeSet;
use tern_certify::lasso::{self, Letter};
use tern_certify::oracle::exact;
use tern_certify::oracle::finite::{self, Structure};
use tern_model::{Formula, FormulaId, Formulas};
use tern_testkit::{sample, sketch, tiny};

const LIMIT: usize = 1 << 20;

/// A structure whose labels are characters, one text a state; all other characters mean nothing.
fn structure(initial: usize, successors: &[&[usize]], labels: &[&str]) -> Structure {
    let names = |text: &&str| -> BTreeSet<String> {
        text.chars().filter(char::is_ascii_lowercase).map(String::from).collect()
    };
    let successors = successors.iter().map(|list| list.to_vec()).collect();
    Structure::new(vec![initial], successors, labels.iter().map(names).collect()).expect("sound")
}

fn check(structure: &Structure, claims: &[(&str, bool)]) {
    for &(text, expected) in claims {
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, text);
        assert_eq!(finite::check(structure, &formulas, claim, LIMIT), Some(expected), "{text}");
    }
}

#[test]
fn always_again_is_not_for_ever() {
    // p and not p in turn.
    let alternating = structure(0, &[&[1], &[0]], &["p", ""]);
    check(
        &alternating,
        &[
            ("A G F p", true),
            ("A F G p", false),
            ("E F G p", false),
            ("A G F ! p", true),
            ("G xor p X p", true),
            ("G -> p X X p", true),
            ("G X p", false),
        ],
    );
    // p for ever, or once through a state without it and p for ever: the textbook's difference
    // between LTL and CTL.
    let once = structure(0, &[&[0, 1], &[2], &[2]], &["p", "", "p"]);
    check(
        &once,
        &[
            ("F G p", true),
            ("A F G p", true),
            ("A F A G p", false),
            ("E F G p", true),
            ("E G F ! p", false),
            ("A G F p", true),
            ("E F & ! p X G p", true),
            ("A & F G p E F ! p", true),
            ("A G E F ! p", false),
            ("E G E F ! p", true),
        ],
    );
}

#[test]
fn one_path_must_do_both() {
    // A choice between p for ever and q for ever.
    let choice = structure(0, &[&[1, 2], &[1], &[2]], &["", "p", "q"]);
    check(
        &choice,
        &[
            ("& E F p E F q", true),
            ("E & F p F q", false),
            ("A | F p F q", true),
            ("| A F p A F q", false),
            ("| F p F q", true),
            ("A X | G p G q", true),
            ("A X | A G p A G q", true),
            ("xor F G p F G q", true),
            ("E W ! p q", true),
            ("E M q ! p", true),
            ("A W ! p q", false),
        ],
    );
    // A state to which one may come back, after p or after q.
    let back = structure(0, &[&[1, 2], &[0], &[0]], &["", "p", "q"]);
    check(
        &back,
        &[
            ("E & G F p G F q", true),
            ("E & G F p F G ! q", true),
            ("A | G F p G F q", true),
            ("A G F p", false),
            ("A -> G F p F q", false),
            ("A -> G F p G F q", false),
            ("A -> & G F p G F q G F & ! p ! q", true),
            ("E F G p", false),
            ("A G E & F p X F q", true),
            ("A G A | F p X F q", true),
            ("E U ! p & q X X p", true),
        ],
    );
}

#[test]
fn unsound_structures_and_large_products_are_refused() {
    let none = || vec![BTreeSet::new()];
    assert_eq!(Structure::new(vec![0], vec![vec![]], none()), None);
    assert_eq!(Structure::new(vec![1], vec![vec![0]], none()), None);
    assert_eq!(Structure::new(vec![0], vec![vec![1]], none()), None);
    assert_eq!(Structure::new(vec![0], vec![vec![0]], Vec::new()), None);
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "A X X X X p");
    let single = structure(0, &[&[0]], &["p"]);
    assert_eq!(finite::check(&single, &formulas, claim, 16), Some(true));
    assert_eq!(finite::check(&single, &formulas, claim, 15), None);
    let mut deep = claim;
    for _ in 0..100 {
        deep = formulas.make(Formula::Next(deep));
    }
    assert_eq!(finite::check(&single, &formulas, deep, usize::MAX), None);
}

/// Where every state has one successor there is one path, which the evaluator on words knows.
#[test]
fn on_one_path_words_are_believed() {
    let mut held = 0;
    for seed in 0..3000 {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let size = rng.usize(1..12);
        let claim = sample::ltl(&mut rng, &mut formulas, size);
        let atoms = sample::ATOMS.map(|name| formulas.atom(name));
        let (before, round) = (rng.usize(..4), rng.usize(1..5));
        let states = before + round;
        let labels: Vec<BTreeSet<String>> = (0..states)
            .map(|_| sample::ATOMS.iter().filter(|_| rng.bool()).map(|&a| a.to_owned()).collect())
            .collect();
        let successors =
            (0..states).map(|s| vec![if s + 1 < states { s + 1 } else { before }]).collect();
        let letter = |names: &BTreeSet<String>| -> Letter {
            (0..3).filter(|&a| names.contains(sample::ATOMS[a])).map(|a| atoms[a]).collect()
        };
        let letters: Vec<Letter> = labels.iter().map(letter).collect();
        let expected = lasso::holds(&formulas, claim, &letters[..before], &letters[before..]);
        held += usize::from(expected == Some(true));
        let structure = Structure::new(vec![0], successors, labels).expect("sound");
        for claim in
            [claim, formulas.make(Formula::Exists(claim)), formulas.make(Formula::All(claim))]
        {
            let found = finite::check(&structure, &formulas, claim, LIMIT);
            assert_eq!(found, expected, "seed {seed}: {}", formulas.show(claim));
        }
    }
    eprintln!("one path: 9000 claims compared, {held} of 3000 formulas hold");
    assert!((750..2250).contains(&held), "{held}");
}

/// All lassos of at most `longest` states from a state: prefix and cycle.
fn lassos(successors: &[Vec<usize>], from: usize, longest: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut found = Vec::new();
    let mut paths = vec![vec![from]];
    while let Some(path) = paths.pop() {
        for &next in &successors[path[path.len() - 1]] {
            for (i, _) in path.iter().enumerate().filter(|&(_, &state)| state == next) {
                found.push((path[..i].to_vec(), path[i..].to_vec()));
            }
            if path.len() < longest {
                paths.push(path.iter().copied().chain([next]).collect());
            }
        }
    }
    found
}

/// Some path satisfies a formula if and only if some lasso does. On two states, and for formulas of
/// depth 2, those of at most 6 states turn out to suffice.
#[test]
fn on_many_paths_all_short_lassos_are_believed() {
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let list = tiny::ltl_formulas(&mut formulas, 2);
    let (mut compared, mut held) = (0, 0);
    // Each of two states has one successor or two, and a label or none.
    for choice in 0..9 {
        for labels in [["", ""], ["p", ""], ["", "p"], ["p", "p"]] {
            let lists = [vec![0], vec![1], vec![0, 1]];
            let successors = vec![lists[choice / 3].clone(), lists[choice % 3].clone()];
            let slices: Vec<&[usize]> = successors.iter().map(Vec::as_slice).collect();
            let structure = structure(0, &slices, &labels);
            let word = |states: &[usize]| -> Vec<Letter> {
                let letter = |&s: &usize| if labels[s] == "p" { [p].into() } else { Letter::new() };
                states.iter().map(letter).collect()
            };
            let mut words: Vec<(Vec<Letter>, Vec<Letter>)> = lassos(&successors, 0, 6)
                .iter()
                .map(|(prefix, cycle)| (word(prefix), word(cycle)))
                .collect();
            words.sort();
            words.dedup();
            for &f in &list {
                let holds = |(prefix, cycle): &(Vec<Letter>, Vec<Letter>)| {
                    lasso::holds(&formulas, f, prefix, cycle) == Some(true)
                };
                let expected = words.iter().any(holds);
                let claim = formulas.make(Formula::Exists(f));
                let found = finite::check(&structure, &formulas, claim, LIMIT);
                assert_eq!(found, Some(expected), "{}\n{structure:?}", formulas.show(claim));
                compared += 1;
                held += usize::from(expected);
            }
        }
    }
    eprintln!("many paths: {compared} claims compared, {held} hold");
}

/// The CTL oracle knows the truth of CTL at all configurations.
#[test]
fn ctl_is_as_the_ctl_oracle_has_it() {
    let (mut machines, mut compared, mut held) = (0, 0, 0);
    for seed in 0..3000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let Some((structure, configurations)) = Structure::of_machine(&machine, 200) else {
            continue;
        };
        let mut formulas = Formulas::new();
        let claim: FormulaId = sample::formula(&mut rng, &mut formulas, 3);
        let truth = finite::label(&structure, &formulas, claim, LIMIT).expect("it is small");
        let solution = exact::solve(&machine, &formulas, claim, LIMIT).expect("CTL");
        machines += 1;
        for (configuration, found) in configurations.iter().zip(truth) {
            let Some((stack, node)) = configuration else { continue };
            compared += 1;
            held += u32::from(found);
            assert_eq!(
                Some(found),
                solution.at(stack, *node),
                "seed {seed}, {stack:?} {node:?}\n{}\n{}",
                formulas.show(claim),
                sketch::show(&machine)
            );
        }
    }
    eprintln!("CTL: {machines} machines, {compared} configurations compared, true at {held}");
    assert!(machines >= 500 && held * 4 >= compared && held * 4 <= compared * 3);
}
