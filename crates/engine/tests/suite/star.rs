//! CTL* against oracles that share no code with the engine: at random, and on machines of tiny
//! shapes.
//!
//! `TERN_PAIRS` sets the number of pairs of each test, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often the oracles spoke

use crate::certifier::justice;
use std::time::Duration;
use tern_certify::oracle::{exact, pushdown};
use tern_engine::{Checker, Reach};
use tern_model::{Budget, Builder, Edge, Formula, FormulaId, Formulas, Limit, Machine, Place};
use tern_testkit::{sample, setting, sketch, tiny};

/// How many rows, heads or classes the oracles may use.
const LIMIT: usize = 20_000;

/// How often the oracle had something to say, and how often that was yes.
#[derive(Default, Debug)]
struct Spoken {
    pairs: u64,
    spoken: u64,
    holds: u64,
}

impl Spoken {
    /// Compares one answer of the engine with what an oracle says.
    fn compare(&mut self, answer: bool, truth: Option<bool>, case: impl FnOnce() -> String) {
        self.pairs += 1;
        if let Some(truth) = truth {
            self.spoken += 1;
            self.holds += u64::from(truth);
            assert!(answer == truth, "the engine says {answer}, the oracle {truth}: {}", case());
        }
    }

    /// Tests the test: the oracle spoke, and not always the same.
    fn check(&self) {
        println!("{self:?}");
        assert!(self.spoken * 100 >= self.pairs * 95, "the oracle was silent too often: {self:?}");
        let share = self.holds * 100 / self.spoken;
        assert!((15..85).contains(&share), "the verdicts are one-sided: {self:?}");
    }
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", default)
}

fn case(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("{}\n{}", sketch::show(machine), formulas.show(claim))
}

/// Whether a claim holds, by automata for what is beyond CTL, and for everything: which must agree.
fn holds(machine: &Machine, formulas: &Formulas, claim: FormulaId, fair: &[FormulaId]) -> bool {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let [some, all] = [Reach::BeyondCtl, Reach::Everything].map(|reach| {
        let (answers, _) = checker
            .answers(formulas, claim, &justice(fair), reach, &budget)
            .expect("no limits are set");
        assert_eq!(answers.len(), machine.initial().len());
        answers.iter().all(|&answer| answer)
    });
    assert_eq!(some, all, "the two ways differ: {}", case(machine, formulas, claim));
    some
}

fn machine(rng: &mut fastrand::Rng, seed: u64) -> Machine {
    let usual = sample::Shape::default();
    let large = sample::Shape { components: 4, nodes: 8, boxes: 3, ..usual.clone() };
    sample::machine(rng, if seed.is_multiple_of(8) { &large } else { &usual })
}

/// Compares the engine with the oracle for CTL* on random machines.
fn compare_at_random(
    pairs: u64,
    mut claim: impl FnMut(&mut fastrand::Rng, &mut Formulas, u64) -> FormulaId,
) {
    let mut spoken = Spoken::default();
    for seed in seeds(pairs) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claim = claim(&mut rng, &mut formulas, seed);
        let answer = holds(&machine, &formulas, claim, &[]);
        let truth = pushdown::check(&machine, &formulas, claim, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, claim));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

#[test]
fn ltl_agrees_with_the_oracle() {
    compare_at_random(2_000, |rng, formulas, seed| {
        sample::ltl(rng, formulas, 2 + (seed % 7) as usize)
    });
}

#[test]
fn ctl_star_agrees_with_the_oracle() {
    compare_at_random(2_000, |rng, formulas, seed| {
        sample::ctl_star(rng, formulas, 4 + (seed % 9) as usize)
    });
}

/// A conjunction of literals of all propositions: true at few nodes, so that where it is seen
/// matters.
fn rare(rng: &mut fastrand::Rng, formulas: &mut Formulas) -> FormulaId {
    let mut literal = |name: &str, formulas: &mut Formulas| {
        let atom = formulas.atom(name);
        if rng.bool() { atom } else { formulas.make(Formula::Not(atom)) }
    };
    let mut all = literal(sample::ATOMS[0], formulas);
    for name in &sample::ATOMS[1..] {
        let next = literal(name, formulas);
        all = formulas.make(Formula::And(all, next));
    }
    all
}

#[test]
fn what_is_rare_and_recurs_agrees_with_the_oracle() {
    compare_at_random(1_200, |rng, formulas, seed| {
        let mut recurs = |formulas: &mut Formulas| {
            let rare = rare(rng, formulas);
            let later = formulas.make(Formula::Finally(rare));
            formulas.make(Formula::Globally(later))
        };
        let (f, g) = (recurs(formulas), recurs(formulas));
        let both = formulas.make(Formula::And(f, g));
        let some = formulas.make(Formula::Exists(if seed.is_multiple_of(2) { f } else { both }));
        let always = formulas.make(Formula::Globally(some));
        let ever = formulas.make(Formula::Finally(some));
        match seed % 6 {
            0 | 1 => some,
            2 | 3 => formulas.make(Formula::Exists(always)),
            _ => formulas.make(Formula::All(ever)),
        }
    });
}

#[test]
fn ctl_by_automata_is_ctl() {
    let mut spoken = Spoken::default();
    for seed in seeds(1_000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let answer = holds(&machine, &formulas, claim, &[]);
        let truth = exact::check(&machine, &formulas, claim, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, claim));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

#[test]
fn fair_paths_agree_with_the_oracle() {
    let mut spoken = Spoken::default();
    for seed in seeds(1_000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 5) as usize);
        let fair: Vec<FormulaId> =
            (0..1 + seed % 2).map(|_| sample::formula(&mut rng, &mut formulas, 1)).collect();
        let always = fair.iter().fold(None, |all: Option<FormulaId>, &condition| {
            let later = formulas.make(Formula::Finally(condition));
            let recurs = formulas.make(Formula::Globally(later));
            Some(all.map_or(recurs, |all| formulas.make(Formula::And(recurs, all))))
        });
        let always = always.expect("there is a condition");
        let (claim, restricted) = match seed % 3 {
            0 => (path, formulas.make(Formula::Implies(always, path))),
            1 => {
                let restricted = formulas.make(Formula::Implies(always, path));
                (formulas.make(Formula::All(path)), formulas.make(Formula::All(restricted)))
            }
            _ => {
                let restricted = formulas.make(Formula::And(always, path));
                (formulas.make(Formula::Exists(path)), formulas.make(Formula::Exists(restricted)))
            }
        };
        let answer = holds(&machine, &formulas, claim, &fair);
        // A claim about the state alone asks for no path.
        let meant = if seed.is_multiple_of(3) && formulas.is_state_formula(path) {
            path
        } else {
            restricted
        };
        let truth = pushdown::check(&machine, &formulas, meant, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, meant));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

/// Machines whose answers are known by looking at them, one phenomenon each.
const CASES: &[(&str, &[(&str, bool)])] = &[
    // What recurs is seen by a node that calls, in a callee.
    (
        "component main
           box b = f
           * m -> b.n
           b.x -> m
         component f
           box c = g
           > n p -> c.e
           d -> ^x
           c.y -> d
           exits x
         component g
           > e q -> ^y
           exits y",
        &[
            ("G F p", true),
            ("E & G F p G F q", true),
            ("A F E & G F p G F q", true),
            ("E F G ! p", false),
            ("A G E X E & G F p G F q", true),
        ],
    ),
    // The same, where it is known already how what is called comes back.
    (
        "component main
           box c = g
           box b = f
           * m -> c.e
           c.y -> b.n
           b.x -> m
         component f
           box d = g
           > n p -> d.e
           k -> ^x
           d.y -> k
           exits x
         component g
           > e -> ^y
           exits y",
        &[("G F p", true), ("A G E & G F p G F ! p", true), ("F G ! p", false)],
    ),
    // A way through the callee without p, and one with p, which is found later.
    (
        "component main
           box b = f
           * m -> b.a
           b.x -> m
         component f
           > a -> d, e
           e p -> g
           g -> d
           d -> ^x
           exits x",
        &[("E G F p", true), ("G F p", false), ("E F G ! p", true), ("A G E G F p", true)],
    ),
    // Either p or q at every call: both recur if one takes turns.
    (
        "component main
           box b = f
           * m r -> b.a
           b.x -> m
         component f
           > a -> l, k
           l p -> ^x
           k q -> ^x
           exits x",
        &[
            ("E & G F p G F q", true),
            ("E G -> p F & r X F q", true),
            ("E F & & p X X X q G F r", true),
            ("A | G F p G F q", true),
            ("E F & p X q", false),
        ],
    ),
    // Two calls that follow each other for ever, without a node between.
    (
        "component main
           box b = f
           box c = f
           * m -> b.a
           b.x -> c.a
           c.x -> b.a
         component f
           > a p -> d
           d -> ^x
           exits x",
        &[
            ("X G F p", true),
            ("A G E G F p", true),
            ("E X X & ! p E & G F p G F ! p", true),
            ("E F G p", false),
        ],
    ),
    // Only endless recursion sees p again and again.
    (
        "component f
           box b = f
           * > n p -> b.n, d
           b.x -> d
           d -> ^x
           exits x",
        &[
            ("E G F p", true),
            ("A F G ! p", false),
            ("A G E G F p", false),
            ("A G -> p E G F p", true),
            ("A F | G p G ! p", true),
        ],
    ),
    // The callee of a callee knows the stack two boxes down; its caller looks the same under both.
    (
        "component main
           box b = f
           box c = f
           * m -> b.a
           b.x -> y
           y p -> z
           z q -> c.a
           c.x -> w
           w -> w
         component f
           box d = g
           > a -> d.e
           d.x -> n
           n -> ^x
           exits x
         component g
           > e -> ^x
           exits x",
        &[
            ("E F E & X X p G F ! q", true),
            ("E F & q E F E X X p", false),
            ("E F & q E F E & X X p G F ! q", false),
            ("A G -> q A G A F | X X p G ! p", true),
        ],
    ),
    // The program ends: it stays, or goes to a state without labels.
    ("component f\n * > n p -> ^x\n exits x", &[("F G p", true), ("E G F ! p", false)]),
    (
        "end sink\ncomponent f\n * > n p -> ^x\n exits x",
        &[("F G p", false), ("G F ! p", true), ("E & p X G ! p", true), ("A G E G F ! p", true)],
    ),
    // A node that can only return is stuck under one box and not under the other.
    (
        "component main
           box b = f
           box c = f
           * m -> b.a, c.a
           b.x -> w
           w -> w
         component f
           > a p -> ^x
           exits x",
        &[
            ("E F G p", true),
            ("F G p", false),
            ("E F G ! p", true),
            ("E F & p E & G F p F G p", true),
        ],
    ),
];

#[test]
fn cases_have_their_answers() {
    for &(text, claims) in CASES {
        let machine = sketch::machine(text);
        for &(claim, expected) in claims {
            let mut formulas = Formulas::new();
            let claim = sketch::formula(&mut formulas, claim);
            let case = || case(&machine, &formulas, claim);
            let truth = pushdown::check(&machine, &formulas, claim, LIMIT);
            assert_eq!(truth, Some(expected), "so says the oracle: {}", case());
            assert_eq!(holds(&machine, &formulas, claim, &[]), expected, "{}", case());
        }
    }
}

#[test]
fn deep_formulas_and_deep_calls_are_no_problem() {
    // On the machine p comes every fourth step, first after one; each level asks for it one step
    // earlier.
    let machine = sketch::machine(CASES[0].0);
    let mut formulas = Formulas::new();
    let (p, q) = (formulas.atom("p"), formulas.atom("q"));
    let later = formulas.make(Formula::Finally(q));
    let recurs = formulas.make(Formula::Globally(later));
    let mut claim = p;
    for depth in 1..=501 {
        let next = formulas.make(Formula::Next(claim));
        let both = formulas.make(Formula::And(next, recurs));
        claim = formulas.make(Formula::Exists(both));
        if depth >= 499 {
            assert_eq!(holds(&machine, &formulas, claim, &[]), depth % 4 == 1, "{depth} deep");
        }
    }

    // Each component calls the next, and the last one returns; then all begins again.
    let mut builder = Builder::new();
    let depth = tern_testkit::large(20_000);
    let parts: Vec<_> = (0..depth)
        .map(|i| {
            let component = builder.component(&i.to_string());
            let (entry, end) = (builder.node(component, "entry"), builder.node(component, "end"));
            builder.entry(entry);
            (component, entry, end, builder.exit(component, "x"))
        })
        .collect();
    for (i, &(component, entry, end, exit)) in parts.iter().enumerate() {
        if let Some(&(callee, inner, _, left)) = parts.get(i + 1) {
            let call = builder.call_box(component, "b", callee);
            builder.edge(Place::Node(entry), Edge::Call(call, inner));
            builder.edge(Place::Site(call, left), Edge::Step(end));
        } else {
            builder.label(entry, "deep");
            builder.edge(Place::Node(entry), Edge::Step(end));
        }
        let on = if i == 0 { Edge::Step(entry) } else { Edge::Return(exit) };
        builder.edge(Place::Node(end), on);
    }
    builder.initial(parts[0].1);
    let machine = builder.finish().expect("a sound machine");
    for (text, expected) in [
        ("G F deep", true),
        ("F G deep", false),
        ("A G E & G F deep G F ! deep", true),
        ("E F & deep E X F G ! deep", false),
    ] {
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, text);
        assert_eq!(holds(&machine, &formulas, claim, &[]), expected, "{text}");
    }
}

#[test]
fn limits_are_kept() {
    let machine = sketch::machine(CASES[0].0);
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "A F E & G F p G F q");
    let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
    let spent = Budget::unlimited().with_timeout(Duration::ZERO);
    for reach in [Reach::BeyondCtl, Reach::Everything] {
        let answers = checker.answers(&formulas, claim, &[], reach, &spent);
        assert_eq!(answers.err(), Some(Limit::Time(Duration::ZERO)));
    }
}

#[test]
fn work_is_counted() {
    let machine = sketch::machine(CASES[0].0);
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "A F E & G F p G F q");
    let budget = Budget::unlimited();
    let checker = Checker::new(&machine, &budget).expect("no limits are set");
    let count = |reach| {
        let answers = checker.answers(&formulas, claim, &[], reach, &budget);
        answers.expect("no limits are set").1
    };
    let (some, all) = (count(Reach::BeyondCtl), count(Reach::Everything));
    assert!(some.automaton_states > 0 && some.product_nodes > 0, "{some:?}");
    assert!(all.automaton_states > some.automaton_states, "{all:?}");
    assert_eq!(some, count(Reach::BeyondCtl), "counts are the same at every run");
}

/// All small path formulas on all tiny machines: of each family every so many pairs, or all if
/// there are no more than `TERN_PAIRS`.
#[test]
fn small_path_formulas_agree_with_the_oracle_on_tiny_machines() {
    let mut formulas = Formulas::new();
    let claims = tiny::ltl_formulas(&mut formulas, 2);
    let mut spoken = Spoken::default();
    for family in tiny::Family::all() {
        let pairs = family.size() * claims.len() as u64;
        let stride = pairs / setting("TERN_PAIRS", 200);
        // Odd, and so prime to the number of machines: pairs take turns in both.
        let stride = if stride < 2 { 1 } else { stride | 1 };
        let first = setting("TERN_SEED", 0) % stride;
        for pair in (first..pairs).step_by(stride as usize) {
            let machine = family.machine(pair % family.size());
            let claim = claims[(pair / family.size()) as usize];
            let answer = holds(&machine, &formulas, claim, &[]);
            let truth = pushdown::check(&machine, &formulas, claim, LIMIT);
            spoken.compare(answer, truth, || case(&machine, &formulas, claim));
        }
    }
    spoken.check();
}
