//! Complements of automata: on every word that ends in a loop, exactly one of an automaton and its
//! complement accepts; and claims that automata stand for have the verdicts of the formulas that
//! the automata were made from, also on fair runs only.
//!
//! Whether a word is accepted is decided by `words`. Runs that are found are replayed by the
//! certifier, and read by the automaton once more. `TERN_PAIRS` and `TERN_SEED` say how many random
//! cases there are and where they begin.

#![allow(clippy::print_stdout)] // says how often each thing was met

use crate::certifier::{self, by_automaton, justice};
use fastrand::Rng;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::time::Duration;
use tern_automata::Complement;
use tern_automata::Tableau;
use tern_certify::run::{Checked, Scene, replay as replay_story};
use tern_engine::{Checker, Engine, Options};
use tern_model::automaton::{Acceptor, Cube, Literal, Transition};
use tern_model::index::{Id, Table};
use tern_model::logic::fair;
use tern_model::{
    Automaton, AutomatonProperty, Budget, Builder, Edge, Ending, Evidence, Formula, FormulaId,
    Formulas, Gap, Limit, Machine, MoveKind, Must, NodeId, Obligation, Outcome, Place, Reason, Run,
    Sought, StateId, Story, Verdict,
};
use tern_testkit::words::{Lasso, accepts, random_automaton};
use tern_testkit::{sample, setting, sketch};

/// All letters over some propositions.
fn letters(width: usize) -> impl Iterator<Item = FixedBitSet> {
    (0..1_usize << width).map(move |bits| {
        let mut letter = FixedBitSet::with_capacity(width);
        letter.extend((0..width).filter(|bit| bits >> bit & 1 == 1));
        letter
    })
}

fn is_deterministic(automaton: &mut Automaton) -> bool {
    automaton.initial.len() <= 1
        && (0..automaton.state_count()).all(|state| {
            letters(automaton.propositions.len()).all(|letter| {
                let mut ways = Vec::new();
                automaton.successors(StateId::new(state), &letter, &mut ways);
                ways.len() <= 1
            })
        })
}

/// The guard that lets one letter pass.
fn only(letter: &FixedBitSet) -> Vec<Cube> {
    let literal = |bit: usize| Literal { proposition: bit as u32, holds: letter.contains(bit) };
    vec![Cube((0..letter.len()).map(literal).collect())]
}

/// All that there is of an automaton that is made on demand.
fn explicit(acceptor: &mut impl Acceptor) -> Automaton {
    let propositions = acceptor.propositions().to_vec();
    let mark_count = acceptor.mark_count();
    let initial = acceptor.initial();
    let mut seen: Vec<StateId> = initial.clone();
    let mut transitions: FxHashMap<StateId, Vec<Transition>> = FxHashMap::default();
    while let Some(state) = seen.pop() {
        if transitions.contains_key(&state) {
            continue;
        }
        let mut row = Vec::new();
        for letter in letters(propositions.len()) {
            let mut ways = Vec::new();
            acceptor.successors(state, &letter, &mut ways);
            for (marks, to) in ways {
                row.push(Transition { guard: only(&letter), marks, to });
                seen.push(to);
            }
        }
        transitions.insert(state, row);
    }
    let rows = (0..transitions.len()).map(|state| transitions.remove(&StateId::new(state)));
    let transitions = Table::from_iter(rows.map(|row| row.expect("states are numbered densely")));
    Automaton { propositions, mark_count, initial, transitions }
}

/// An automaton with this many states and one mark, in which every state has several ways on for
/// each letter. With many states it has far too many trees.
fn dense_automaton(rng: &mut Rng, propositions: &[FormulaId], states: usize) -> Automaton {
    let (rare, stays) = (rng.u8(2..10), rng.bool());
    let mut transitions = Table::new();
    for from in 0..states {
        let mut row = Vec::new();
        for letter in letters(propositions.len()) {
            let third = if stays { from } else { rng.usize(..states) };
            for to in [rng.usize(..states), rng.usize(..states), third] {
                let (marks, to) = (u64::from(rng.u8(..rare) == 0), StateId::new(to));
                row.push(Transition { guard: only(&letter), marks, to });
            }
        }
        transitions.push(row);
    }
    let (propositions, initial) = (propositions.to_vec(), vec![StateId::new(0)]);
    Automaton { propositions, mark_count: 1, initial, transitions }
}

#[test]
fn a_word_is_accepted_by_an_automaton_or_its_complement() {
    let budget = Budget::unlimited();
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let (mut words, mut accepted, mut nondeterministic) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let mut propositions = vec![formulas.atom("p"), formulas.atom("q")];
        propositions.truncate(rng.usize(1..=2));
        let size = 3 + (seed % 7) as usize;
        let mut automaton = if seed % 3 == 0 {
            dense_automaton(&mut rng, &propositions, size)
        } else {
            random_automaton(&mut rng, &propositions, size)
        };
        nondeterministic += usize::from(!is_deterministic(&mut automaton));
        let mut complement = Complement::new(&automaton, &budget).expect("no limits");
        for _ in 0..30 {
            let lasso = Lasso::random(&mut rng, &propositions);
            let is_accepted = accepts(&mut automaton, &lasso);
            words += 1;
            accepted += usize::from(is_accepted);
            let refused = accepts(&mut complement, &lasso);
            let (truth, back) = (&lasso.truth, lasso.back);
            assert_ne!(is_accepted, refused, "seed {seed}: {automaton:#?} on {truth:?}, {back}");
        }
    }
    println!(
        "{words} words, {accepted} accepted; {nondeterministic} of {count} automata not deterministic"
    );
    assert!((words / 5..words * 4 / 5).contains(&accepted), "{accepted} of {words} are accepted");
    assert!(nondeterministic as u64 > count / 2, "{nondeterministic} of {count}");
}

/// All words over one proposition with up to so many letters.
fn short_lassos(p: FormulaId, most: usize) -> Vec<Lasso> {
    let mut all = Vec::new();
    for length in 1..=most {
        for back in 0..length {
            for bits in 0..1_u32 << length {
                let row = (0..length).map(|i| bits >> i & 1 == 1).collect();
                all.push(Lasso { truth: [(p, row)].into(), length, back });
            }
        }
    }
    all
}

/// All automata with two states, one proposition and one mark: one in 13, or with `TERN_WHOLE`
/// each.
#[test]
fn complements_of_all_tiny_automata_are_right() {
    let budget = Budget::unlimited();
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let lassos = short_lassos(p, 4);
    let states = [StateId::new(0), StateId::new(1)];
    // Each of 8 transitions is there with a mark, without, or not there.
    let stride = if setting("TERN_WHOLE", 0) > 0 { 1 } else { 13 };
    for number in (0..3_usize.pow(8)).step_by(stride) {
        let mut rest = number;
        let mut transitions = Table::new();
        for _ in states {
            let mut row = Vec::new();
            for letter in letters(1) {
                for to in states {
                    let kind = rest % 3;
                    rest /= 3;
                    if kind > 0 {
                        row.push(Transition { guard: only(&letter), marks: kind as u64 - 1, to });
                    }
                }
            }
            transitions.push(row);
        }
        for initial in [&states[..1], &states] {
            let (initial, transitions) = (initial.to_vec(), transitions.clone());
            let mut automaton =
                Automaton { propositions: vec![p], mark_count: 1, initial, transitions };
            let mut complement = Complement::new(&automaton, &budget).expect("no limits");
            for lasso in &lassos {
                let refused = accepts(&mut complement, lasso);
                let (truth, back) = (&lasso.truth, lasso.back);
                assert_ne!(accepts(&mut automaton, lasso), refused, "{number}: {truth:?}, {back}");
            }
        }
    }
}

/// The word that a run shows to an automaton.
fn word_of(
    machine: &Machine,
    formulas: &Formulas,
    propositions: &[FormulaId],
    (start, run): &(NodeId, Run),
) -> Lasso {
    let (Ending::Loop(back) | Ending::Pump(back, _)) = run.ending else {
        panic!("the run ends: {run:?}")
    };
    let moves = run.moves.iter().map(|step| (step.kind != MoveKind::Sink).then_some(step.node));
    let mut nodes: Vec<Option<NodeId>> = vec![Some(*start)];
    for (node, step) in moves.zip(&run.moves) {
        // Who is in the sink stays there.
        let in_sink = nodes.last() == Some(&None) && step.kind == MoveKind::Stay;
        nodes.push(if in_sink { None } else { node });
    }
    // The last configuration looks like the one to go back to.
    let last = nodes.pop();
    assert_eq!(last, nodes.get(back).copied(), "{run:?}");
    let shows = |proposition: FormulaId, node: Option<NodeId>| {
        let Formula::Atom(atom) = formulas.get(proposition) else { panic!("only atoms are read") };
        let label = machine.label(formulas.atom_name(atom));
        node.zip(label).is_some_and(|(node, label)| machine.labelled(label).contains(node))
    };
    let row = |p: FormulaId| nodes.iter().map(|&node| shows(p, node)).collect();
    let truth = propositions.iter().map(|&p| (p, row(p))).collect();
    Lasso { truth, length: nodes.len(), back }
}

/// Checks that a run is one of the machine, whatever it shows.
fn replay(machine: &Machine, run: &(NodeId, Run)) {
    let mut formulas = Formulas::new();
    let never = formulas.make(Formula::False);
    let sought = Obligation { formula: never, holds: false };
    let evidence = Evidence::Runs { sought: Sought::Formula(sought), runs: vec![run.clone()] };
    let checked = certifier::certify(machine, &formulas, never, &Verdict::Fails, &evidence);
    assert!(checked.is_ok(), "{checked:?}: {run:?} of {}", sketch::show(machine));
}

/// Lets the certifier look at the evidence of an outcome. It must accept it, and must not accept it
/// for the opposite.
fn certify(
    machine: &Machine,
    formulas: &Formulas,
    claim: &AutomatonProperty,
    outcome: &Outcome,
    case: impl Fn() -> String,
) {
    let Some(evidence) = &outcome.evidence else { panic!("{:?}: {}", outcome.missing, case()) };
    let check = |verdict| certifier::certify(machine, formulas, claim.clone(), verdict, evidence);
    check(&outcome.verdict).unwrap_or_else(|why| panic!("{why}: {}", case()));
    let opposite = Verdict::from(outcome.verdict != Verdict::Holds);
    assert!(check(&opposite).is_err(), "{}", case());
}

/// The runs that a claim about an automaton is told by. Each is replayed, and refused if it is told
/// otherwise.
fn runs_of(machine: &Machine, formulas: &Formulas, outcome: &Outcome) -> Vec<(NodeId, Run)> {
    let budget = Budget::unlimited();
    let Some(Evidence::Runs { runs, .. }) = &outcome.evidence else { return Vec::new() };
    let holds = outcome.verdict == Verdict::Holds;
    let one = |(start, story): &(NodeId, Story)| {
        let scene = Scene { machine, formulas, claim: None, start: *start };
        let replay =
            |story: &Story| replay_story(scene, Checked::Runs(holds, runs), story, &budget);
        assert_eq!(replay(story), Ok(()));
        let Reason::Run(told) = &story.reason else { panic!("{story:?}") };
        assert!(replay(&Story { holds: !story.holds, ..story.clone() }).is_err());
        let mut shorter = told.clone();
        shorter.run.moves.pop();
        assert!(replay(&Story { reason: Reason::Run(shorter), ..story.clone() }).is_err());
        (*start, told.run.clone())
    };
    outcome.stories.iter().map(one).collect()
}

/// A boolean combination of atoms.
fn random_condition(rng: &mut Rng, formulas: &mut Formulas) -> FormulaId {
    let mut literal = || {
        let atom = formulas.atom(sample::ATOMS[rng.usize(..3)]);
        if rng.bool() { atom } else { formulas.make(Formula::Not(atom)) }
    };
    let (left, right) = (literal(), literal());
    match rng.u8(..8) {
        0 => formulas.make(Formula::And(left, right)),
        1 => formulas.make(Formula::Or(left, right)),
        2 => formulas.make(Formula::Iff(left, right)),
        3 => formulas.make(Formula::Xor(left, right)),
        4 => formulas.make(Formula::Implies(left, right)),
        5 => formulas.make(if rng.bool() { Formula::True } else { Formula::False }),
        _ => left,
    }
}

#[test]
fn automata_have_the_verdicts_of_their_formulas() {
    let budget = Budget::unlimited();
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let (mut holds, mut nondeterministic, mut replayed) = (0, 0, 0);
    for seed in first..first + pairs {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 11) as usize);
        let opposite = formulas.make(Formula::Not(path));
        // Every other machine is seen under fairness conditions.
        let count = if seed % 2 == 0 { 0 } else { rng.usize(1..=3) };
        let conditions: Vec<FormulaId> =
            (0..count).map(|_| random_condition(&mut rng, &mut formulas)).collect();
        let claim = formulas.make(Formula::All(path));
        let claim = fair::under(&mut formulas, claim, &justice(&conditions));
        let Formula::All(on_runs) = formulas.get(claim) else { panic!("it was made so") };
        let mut given = Vec::new();
        for (must, path) in [(Must::AcceptAll, path), (Must::AcceptNone, opposite)] {
            let small = tern_automata::translate(&mut formulas, path, &budget).expect("no limits");
            let sought = Obligation { formula: path, holds: true };
            let large = explicit(&mut Tableau::new(&formulas, sought, &budget));
            given.extend([(must, small), (must, large)]);
        }
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let engine = ["automata", "tableau", "on-the-fly"][(seed % 3) as usize];
        let options = Options { engine: Engine::named(engine), ..Options::default() };
        assert!(options.engine.is_some());
        let expected = checker.check(&formulas, claim, &options, &budget).verdict;
        holds += usize::from(expected.known() == Some(true));
        for (must, mut automaton) in given {
            let options = Options { runs: Some(100_000), evidence: true, ..Options::default() };
            let outcome = checker.check_automaton(
                &formulas,
                &automaton,
                must,
                &justice(&conditions),
                &options,
                &budget,
            );
            let case = || {
                let (machine, claim) = (sketch::show(&machine), formulas.show(claim));
                format!("seed {seed}, {must:?}\n{machine}\n{claim}")
            };
            assert_eq!(outcome.verdict, expected, "{}", case());
            let claim_by_automaton = by_automaton(&automaton, must, &conditions);
            certify(&machine, &formulas, &claim_by_automaton, &outcome, case);
            let all = must == Must::AcceptAll;
            nondeterministic += usize::from(all && !is_deterministic(&mut automaton));
            assert_eq!(outcome.stories.is_empty(), expected == Verdict::Holds, "{}", case());
            for run in &runs_of(&machine, &formulas, &outcome) {
                replay(&machine, run);
                let word = word_of(&machine, &formulas, &automaton.propositions, run);
                assert_ne!(accepts(&mut automaton, &word), all, "{}", case());
                // The formula, too, is evaluated on the run, with the conditions.
                let sought = Obligation { formula: on_runs, holds: false };
                let evidence =
                    Evidence::Runs { sought: Sought::Formula(sought), runs: vec![run.clone()] };
                let verdict = Verdict::Fails;
                certifier::certify(&machine, &formulas, claim, &verdict, &evidence)
                    .unwrap_or_else(|refusal| panic!("{refusal}: {}", case()));
                replayed += 1;
            }
        }
    }
    println!(
        "{pairs} pairs, {holds} hold; {nondeterministic} automata not deterministic; {replayed} runs"
    );
    let share = |count: usize| count as u64 * 100 / pairs;
    assert!((20..80).contains(&share(holds)), "{holds} of {pairs} hold");
    assert!(share(nondeterministic) >= 40 && share(replayed) >= 50);
}

/// Automata that no formula gives, on machines: what is found is so, and of both verdicts there are
/// enough.
#[test]
fn runs_that_are_found_are_not_accepted() {
    // Complements may grow out of all proportion: 8 million units of work are mostly enough.
    let enough = || Budget::unlimited().with_effort(2_000);
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 600));
    let (mut holds, mut fails, mut long, mut large) = (0, 0, 0, 0);
    for seed in first..first + pairs {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let propositions = [formulas.atom("p"), formulas.atom("q")];
        let mut automaton = random_automaton(&mut rng, &propositions, 5);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits");
        let options = Options { runs: Some(100_000), evidence: true, ..Options::default() };
        let ask =
            |must| checker.check_automaton(&formulas, &automaton, must, &[], &options, &enough());
        let (all, none) = (ask(Must::AcceptAll), ask(Must::AcceptNone));
        if all.verdict == Verdict::Unknown(Gap::Limit(Limit::Effort)) {
            large += 1;
            continue;
        }
        // There are runs, so not both.
        assert!(all.verdict == Verdict::Fails || none.verdict == Verdict::Fails, "seed {seed}");
        holds += usize::from(all.verdict == Verdict::Holds);
        fails += usize::from(all.verdict == Verdict::Fails);
        for (outcome, accepted) in [(all, false), (none, true)] {
            let must = if accepted { Must::AcceptNone } else { Must::AcceptAll };
            // Runs grow exponentially with calls inside calls; some are too long to be shown.
            let is_large =
                |why: &Gap| *why == Gap::Limit(Limit::Effort) || why.to_string().contains("moves");
            if outcome.missing.iter().any(|what| is_large(what.why())) {
                long += 1;
                continue;
            }
            let claim = by_automaton(&automaton, must, &[]);
            certify(&machine, &formulas, &claim, &outcome, || format!("seed {seed}, {must:?}"));
            for run in &runs_of(&machine, &formulas, &outcome) {
                replay(&machine, run);
                let word = word_of(&machine, &formulas, &propositions, run);
                assert_eq!(accepts(&mut automaton, &word), accepted, "seed {seed}");
            }
        }
    }
    println!("{holds} hold, {fails} fail; {long} runs and {large} complements are too large");
    assert!(holds as u64 * 20 >= pairs && fails as u64 * 5 >= pairs, "{holds} hold, {fails} fail");
    assert!(
        (long + large) * 500 <= pairs.max(1_000),
        "{long} runs and {large} complements are too large"
    );
}

/// A machine whose runs show all words over some propositions.
fn all_words(names: &[String]) -> Machine {
    let mut builder = Builder::new();
    let main = builder.component("main");
    let nodes: Vec<NodeId> =
        (0..1_usize << names.len()).map(|i| builder.node(main, &format!("n{i}"))).collect();
    for (i, &node) in nodes.iter().enumerate() {
        builder.initial(node);
        for (_, name) in names.iter().enumerate().filter(|(bit, _)| i >> bit & 1 == 1) {
            builder.label(node, name);
        }
        nodes.iter().for_each(|&to| builder.edge(Place::Node(node), Edge::Step(to)));
    }
    builder.finish().expect("a sound machine")
}

#[test]
fn a_complement_that_is_too_large_ends_in_a_limit() {
    let names: Vec<String> = (0..5).map(|i| format!("p{i}")).collect();
    let mut formulas = Formulas::new();
    let propositions: Vec<FormulaId> = names.iter().map(|name| formulas.atom(name)).collect();
    let automaton = dense_automaton(&mut Rng::with_seed(1), &propositions, 24);
    let machine = all_words(&names);
    let checker = Checker::new(&machine, &Budget::unlimited()).expect("small enough");
    let options = Options::default();
    let check = |budget: &Budget| {
        checker.check_automaton(&formulas, &automaton, Must::AcceptAll, &[], &options, budget)
    };
    let late = Budget::unlimited().with_timeout(Duration::ZERO);
    let said = Verdict::Unknown(Gap::Limit(Limit::Time(Duration::ZERO)));
    assert_eq!(check(&late).verdict, said);
    let effort = Budget::unlimited().with_effort(200);
    assert_eq!(check(&effort).verdict, Verdict::Unknown(Gap::Limit(Limit::Effort)));
    let stopped = Budget::unlimited();
    stopped.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(check(&stopped).verdict, Verdict::Unknown(Gap::Limit(Limit::Interrupted)));
}

#[test]
fn conditions_that_do_not_fit_are_refused() {
    let mut formulas = Formulas::new();
    let names = ["p".to_owned()];
    let machine = all_words(&names);
    let p = formulas.atom("p");
    let mut automaton = dense_automaton(&mut Rng::with_seed(1), &[p], 1);
    let row = &mut automaton.transitions[StateId::new(0)];
    row.iter_mut().for_each(|way| way.marks = 1);
    let budget = Budget::unlimited();
    let checker = Checker::new(&machine, &budget).expect("no limits");
    let check = |formulas: &Formulas, fair: &[FormulaId], engine| {
        let options = Options { engine, ..Options::default() };
        let must = Must::AcceptNone;
        let fair = justice(fair);
        checker.check_automaton(formulas, &automaton, must, &fair, &options, &budget).verdict
    };
    assert_eq!(check(&formulas, &[p; 63], None), Verdict::Fails);
    assert_eq!(check(&formulas, &[p; 63], Engine::named("automata")), Verdict::Fails);
    let later = formulas.make(Formula::Finally(p));
    let possible = formulas.make(Formula::Exists(later));
    let tableau = Engine::named("tableau");
    for (fair, engine) in [(vec![p; 64], None), (vec![possible], None), (vec![], tableau)] {
        let verdict = check(&formulas, &fair, engine);
        assert!(matches!(verdict, Verdict::Unknown(Gap::Unsupported(_))), "{verdict:?}");
    }
}
