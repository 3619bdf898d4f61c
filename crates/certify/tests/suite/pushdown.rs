//! CTL* on recursive machines: against the finite oracle where configurations are finitely many,
//! against the CTL oracles, against runs that repeat or pump, and by hand.
#![allow(clippy::print_stderr)] // `--nocapture` shows how much the tests tested

mod window;

use fastrand::Rng;
use tern_certify::oracle::finite::{self, Structure};
use tern_certify::oracle::{exact, pushdown, unfold};
use tern_model::{FormulaId, Formulas, Machine, Tri};
use tern_testkit::{sample, setting, sketch, tiny};
use window::Window;

const LIMIT: usize = 1 << 20;

/// Machines for which products stay small.
fn small() -> sample::Shape {
    sample::Shape { components: 2, nodes: 4, boxes: 2, exits: 2, ..sample::Shape::default() }
}

/// A machine of four layers, each of which calls only lower ones. The outermost goes round for
/// ever, the others return, and labels are few: so what happens again and again often happens only
/// inside calls that lie in calls.
fn layered(rng: &mut Rng) -> Machine {
    let mut text = String::new();
    for layer in 0..4 {
        text += &format!("component c{layer}\n  exits x y\n");
        let boxes: &[&str] = if layer < 3 { &["a", "b"] } else { &[] };
        for name in boxes {
            text += &format!("  box {name} = c{}\n", rng.usize(layer + 1..4));
        }
        for (node, start) in ["n0", "n1", "n2"].iter().zip(["> ", "", ""]) {
            let start = if layer == 0 && *node == "n0" { "* > " } else { start };
            text += &format!("  {start}{node}");
            for label in sample::ATOMS.iter().filter(|_| rng.u8(..8) == 0) {
                text += &format!(" {label}");
            }
            let mut edges = vec![match (*node, layer) {
                ("n0", ..3) => format!("{}.n0", boxes[rng.usize(..2)]),
                (_, 0) => "n0".to_owned(),
                _ => ["^x", "^y"][rng.usize(..2)].to_owned(),
            }];
            if rng.u8(..3) == 0 {
                edges.push(["n1", "n2"][rng.usize(..2)].to_owned());
            }
            text += &format!(" -> {}\n", edges.join(", "));
        }
        for name in boxes {
            for exit in ["x", "y"] {
                let to = ["n1", "n1", "n2", "n2", "a.n0", "b.n0"][rng.usize(..6)];
                text += &format!("  {name}.{exit} -> {to}\n");
            }
        }
    }
    sketch::machine(&text)
}

/// Formulas about what happens again and again; what is needed may happen inside calls only.
const AGAIN: [&str; 10] = [
    "G F p",
    "F G p",
    "| F G p F G q",
    "| G F p G F q",
    "-> G F p G F q",
    "| F G p | F G q F G r",
    "-> & G F p G F q G F r",
    "xor G F p F G q",
    "G F & p X q",
    "F G -> p F q",
];

fn about(origin: &str, machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("{origin}\n{}\n{}", formulas.show(claim), sketch::show(machine))
}

/// What was compared, and how often a formula was true.
#[derive(Default)]
struct Tally {
    machines: u32,
    configurations: u32,
    held: u32,
    /// Beyond the size that is gone through.
    refused: u32,
}

impl Tally {
    fn note(&mut self, found: bool) {
        self.configurations += 1;
        self.held += u32::from(found);
    }

    /// Tests the test: it compared enough, and not always the same.
    fn check_worth(&self, name: &str, machines: u32) {
        let Tally { machines: compared, configurations, held, refused } = *self;
        eprintln!(
            "{name}: {compared} pairs, {configurations} configurations compared, true at {held}; \
             {refused} refused"
        );
        assert!(compared >= machines, "{name}: too few: {compared}");
        assert!(held * 5 >= configurations && held * 5 <= configurations * 4, "{name}: lopsided");
        assert!(refused * 20 <= compared, "{name}: too many refused: {refused}");
    }

    /// At every configuration, if there are finitely many.
    fn with_finite(&mut self, machine: &Machine, fs: &Formulas, claim: FormulaId, origin: &str) {
        let Some((structure, configurations)) = Structure::of_machine(machine, 60) else { return };
        let expected = finite::label(&structure, fs, claim, LIMIT).expect("it is small");
        let Some(solution) = pushdown::solve(machine, fs, claim, LIMIT) else {
            self.refused += 1;
            return;
        };
        self.machines += 1;
        for (configuration, expected) in configurations.iter().zip(expected) {
            let Some((stack, node)) = configuration else { continue };
            let found = solution.at(stack, *node).expect("it can be called");
            self.note(found);
            assert_eq!(found, expected, "{stack:?} {node:?} {}", about(origin, machine, fs, claim));
        }
    }

    /// At every configuration up to a depth, by a formula of CTL that says the same.
    fn with_exact(
        &mut self,
        machine: &Machine,
        fs: &Formulas,
        (claim, in_ctl): (FormulaId, FormulaId),
        origin: &str,
    ) {
        let Some(solution) = pushdown::solve(machine, fs, claim, LIMIT) else {
            self.refused += 1;
            return;
        };
        let exact = exact::solve(machine, fs, in_ctl, LIMIT).expect("CTL");
        self.machines += 1;
        for (stack, node, unfolded) in unfold::label(machine, fs, in_ctl, 3, 60).expect("CTL") {
            let found = solution.at(&stack, node).expect("it can be called");
            self.note(found);
            let about = || format!("{stack:?} {node:?} {}", about(origin, machine, fs, claim));
            assert_eq!(Some(found), exact.at(&stack, node), "{}", about());
            assert_ne!(unfolded, Tri::from(!found), "{}", about());
        }
    }
}

#[test]
fn finitely_many_configurations_are_as_the_finite_oracle_has_them() {
    let (mut ltl, mut ctl_star) = (Tally::default(), Tally::default());
    for seed in 0..5000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &small());
        let mut formulas = Formulas::new();
        let size = rng.usize(3..9);
        let claim = sample::ltl(&mut rng, &mut formulas, size);
        ltl.with_finite(&machine, &formulas, claim, &format!("seed {seed}"));
        let claim = sample::ctl_star(&mut rng, &mut formulas, size + 3);
        ctl_star.with_finite(&machine, &formulas, claim, &format!("seed {seed}"));
    }
    ltl.check_worth("LTL, finite", 2000);
    ctl_star.check_worth("CTL*, finite", 2000);
}

#[test]
fn events_inside_calls_are_as_the_finite_oracle_has_them() {
    let mut tally = Tally::default();
    for seed in 30_000..32_000 {
        let mut rng = Rng::with_seed(seed);
        let machine = layered(&mut rng);
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, AGAIN[rng.usize(..AGAIN.len())]);
        tally.with_finite(&machine, &formulas, claim, &format!("seed {seed}"));
    }
    tally.check_worth("events inside calls", 1900);
}

#[test]
fn ctl_is_as_the_ctl_oracles_have_it() {
    let mut tally = Tally::default();
    for seed in 10_000..13_000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &small());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 3);
        tally.with_exact(&machine, &formulas, (claim, claim), &format!("seed {seed}"));
    }
    tally.check_worth("CTL", 2900);
}

/// Formulas of CTL* with a formula of CTL that says the same.
const LAWS: [(&str, &str); 20] = [
    ("A G F p", "A G A F p"),
    ("E F G p", "E F E G p"),
    ("G -> p F q", "A G -> p A F q"),
    ("G -> p X q", "A G -> p A X q"),
    ("E F & p X F q", "E F & p E X E F q"),
    ("E F & p X G q", "E F & p E X E G q"),
    ("E U p & q X U q r", "E U p & q E X E U q r"),
    ("X X X p", "A X A X A X p"),
    ("E X X ! p", "E X E X ! p"),
    ("G & F p F q", "& A G A F p A G A F q"),
    ("E F | G p G q", "E F | E G p E G q"),
    ("A R p F q", "A R p A F q"),
    ("E W p & q X G r", "E W p & q E X E G r"),
    ("E M & p X F q r", "E M & p E X E F q r"),
    ("A G E F G p", "A G E F E G p"),
    ("E F & p X A G F q", "E F & p E X A G A F q"),
    ("A G | p E F & q X G r", "A G | p E F & q E X E G r"),
    ("G -> p E F G q", "A G -> p E F E G q"),
    ("E R E X X p F A G F q", "E R E X E X p E F A G A F q"),
    ("| F G p F ! p", "true"),
];

#[test]
fn what_ctl_can_say_too_is_as_the_ctl_oracles_have_it() {
    let mut tally = Tally::default();
    for (number, (star, ctl)) in LAWS.iter().enumerate() {
        for round in 0..150 {
            let seed = 20_000 + 1000 * number as u64 + round;
            let mut rng = Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &small());
            let mut formulas = Formulas::new();
            let pair = [star, ctl].map(|text| sketch::formula(&mut formulas, text));
            tally.with_exact(&machine, &formulas, pair.into(), &format!("seed {seed}"));
        }
    }
    tally.check_worth("said in CTL too", 2000);
}

/// Formulas that CTL cannot say, in two ways; those on the right nest quantifiers.
const NESTED: [(&str, &str); 14] = [
    ("E G F p", "E F E G F p"),
    ("E G F p", "E X E G F p"),
    ("E G F p", "E G E G F p"),
    ("E G F p", "! A F G ! p"),
    ("F G p", "A G A F G p"),
    ("F G p", "A X A F G p"),
    ("A & F G p G F q", "& A F G p A G A F q"),
    ("E & G F p G F q", "E G E & G F p G F q"),
    ("E U p G F q", "E U p E G F q"),
    ("E | G F p F G q", "| E G F p E F E G q"),
    ("E F & p X & F q G F r", "E F & p E X E & F q G F r"),
    ("A W p F G q", "A W p A F G q"),
    ("G -> p | q X F G r", "A G -> p | q A X A F G r"),
    ("E M p F & q G F r", "E M p E F & q E G F r"),
];

#[test]
fn nested_quantifiers_say_what_one_says() {
    let mut tally = Tally::default();
    for (number, (single, nested)) in NESTED.iter().enumerate() {
        for round in 0..150 {
            let seed = 60_000 + 1000 * number as u64 + round;
            let mut rng = Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &small());
            let mut formulas = Formulas::new();
            let [single, nested, anything] =
                [*single, *nested, "true"].map(|text| sketch::formula(&mut formulas, text));
            let solve = |claim| pushdown::solve(&machine, &formulas, claim, LIMIT);
            let (Some(left), Some(right)) = (solve(single), solve(nested)) else {
                tally.refused += 1;
                continue;
            };
            tally.machines += 1;
            for (stack, node, _) in
                unfold::label(&machine, &formulas, anything, 3, 60).expect("CTL")
            {
                let found = left.at(&stack, node).expect("it can be called");
                tally.note(found);
                assert_eq!(
                    Some(found),
                    right.at(&stack, node),
                    "{stack:?} {node:?} {}",
                    about(&format!("seed {seed}"), &machine, &formulas, nested)
                );
            }
        }
    }
    tally.check_worth("nested quantifiers", 2000);
}

/// LTL where stacks grow without bound: what a window on the stack shows is true.
#[derive(Default)]
struct Seen {
    pairs: u32,
    spoke: u32,
    held: u32,
}

impl Seen {
    fn compare(&mut self, machine: &Machine, fs: &mut Formulas, claim: FormulaId, origin: &str) {
        let Some(found) = pushdown::check(machine, fs, claim, LIMIT) else { return };
        self.pairs += 1;
        self.held += u32::from(found);
        for window in [Window { boxes: 1, limit: 60 }, Window { boxes: 2, limit: 200 }] {
            if let Some(seen) = window.check(machine, fs, claim) {
                self.spoke += 1;
                assert_eq!(found, seen, "{window:?} {}", about(origin, machine, fs, claim));
                return;
            }
        }
    }

    fn check_worth(&self, name: &str, pairs: u32, spoken_percent: u32) {
        let Seen { pairs: compared, spoke, held } = *self;
        eprintln!("{name}: {compared} pairs, {held} hold; the window spoke on {spoke}");
        assert!(compared >= pairs && spoke * 100 >= compared * spoken_percent, "{name}: silent");
        assert!(held * 5 >= compared && held * 5 <= compared * 4, "{name}: lopsided");
    }
}

#[test]
fn unbounded_stacks_are_as_a_window_shows_them() {
    let mut seen = Seen::default();
    for seed in 40_000..44_000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &small());
        if Structure::of_machine(&machine, 60).is_some() {
            continue;
        }
        let mut formulas = Formulas::new();
        let size = rng.usize(3..9);
        let claim = sample::ltl(&mut rng, &mut formulas, size);
        seen.compare(&machine, &mut formulas, claim, &format!("seed {seed}"));
    }
    seen.check_worth("unbounded stacks", 1000, 80);
}

/// All formulas of depth 2 on all machines of the smallest families: those of up to `TERN_WHOLE`.
#[test]
fn all_small_formulas_on_the_smallest_machines() {
    let mut formulas = Formulas::new();
    let ltl = tiny::ltl_formulas(&mut formulas, 2);
    let mut seen = Seen::default();
    let whole = setting("TERN_WHOLE", 32);
    for family in tiny::Family::all().into_iter().filter(|family| family.size() <= whole) {
        for (number, machine) in family.machines(0, 1).enumerate() {
            for &claim in &ltl {
                seen.compare(&machine, &mut formulas, claim, &format!("{family:?} {number}"));
            }
        }
    }
    seen.check_worth("smallest machines", 50_000, 80);
}

/// Machines of all tiny families, and each with some of the formulas of depth 2 or of CTL.
#[test]
fn tiny_machines() {
    let mut formulas = Formulas::new();
    let ctl = tiny::formulas(&mut formulas);
    let ltl = tiny::ltl_formulas(&mut formulas, 2);
    let (mut finite, mut exact) = (Tally::default(), Tally::default());
    let mut turn = 0;
    for family in tiny::Family::all() {
        let stride = (family.size() / 512) | 1;
        for (count, machine) in family.machines(0, stride).enumerate() {
            let origin = format!("{family:?} number {}", count as u64 * stride);
            for _ in 0..3 {
                turn += 1;
                let claim = ctl[turn % ctl.len()];
                exact.with_exact(&machine, &formulas, (claim, claim), &origin);
                finite.with_finite(&machine, &formulas, ltl[turn * 7 % ltl.len()], &origin);
            }
        }
    }
    finite.check_worth("tiny machines, LTL", 5000);
    exact.check_worth("tiny machines, CTL", 5000);
}
