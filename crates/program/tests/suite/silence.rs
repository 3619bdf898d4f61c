//! What is left out makes no difference: claims that do not ask for single steps, or only where
//! something happens, have the verdicts that they have on the machine with all steps and all
//! procedures. The oracle is the certifier's, which decides by the definition.

use crate::machines::{machine, read};
use crate::random;
use crate::renaming::{plain, procedures};
use fastrand::Rng;
use tern_certify::oracle::exact;
use tern_front::vocabulary::Wanted;
use tern_model::{Budget, Formula, FormulaId, Formulas, Machine, Property};
use tern_program::control::{Options, silence};
use tern_testkit::sample::{self, ATOMS, Shape};
use tern_testkit::setting;

/// How many values the oracle may keep.
const MOST: usize = 200_000;

/// A random CTL formula over some labels.
fn formula(rng: &mut Rng, formulas: &mut Formulas, labels: &[&str], depth: usize) -> FormulaId {
    if depth == 0 || rng.u8(..8) == 0 {
        let name = labels[rng.usize(..labels.len())];
        let atom = formulas.atom(name);
        return if rng.u8(..4) == 0 { formulas.make(Formula::Not(atom)) } else { atom };
    }
    let f = formula(rng, formulas, labels, depth - 1);
    let g = formula(rng, formulas, labels, depth - 1);
    let path = match rng.u8(..9) {
        0 => return formulas.make(Formula::And(f, g)),
        1 => return formulas.make(Formula::Or(f, g)),
        2 => return formulas.make(Formula::Implies(f, g)),
        3 => {
            let next = formulas.make(Formula::Next(f));
            let next = formulas.make(Formula::Exists(next));
            let atom = formulas.atom(labels[rng.usize(..labels.len())]);
            return formulas.make(match rng.bool() {
                true => Formula::Implies(atom, next),
                false => Formula::And(next, atom),
            });
        }
        4 => Formula::Finally(f),
        5 => Formula::Globally(f),
        6 => Formula::Until(f, g),
        7 => Formula::WeakUntil(f, g),
        _ => Formula::Next(f),
    };
    let path = formulas.make(path);
    formulas.make(if rng.bool() { Formula::Exists(path) } else { Formula::All(path) })
}

/// Formulas that cannot tell, whether each asks for a next step at all.
fn unable(rng: &mut Rng, labels: &[&str], count: usize) -> (Formulas, Vec<(FormulaId, bool)>) {
    let mut formulas = Formulas::new();
    let mut found = Vec::new();
    for _ in 0..count {
        let depth = rng.usize(1..5);
        let id = formula(rng, &mut formulas, labels, depth);
        let mut wanted = Wanted { beside: true, ..Wanted::default() };
        wanted.note(&formulas, &Property::Formula(id));
        if wanted.beside || !wanted.steps {
            found.push((id, wanted.steps));
        }
    }
    (formulas, found)
}

/// Compares verdicts on two machines; says how many there are, and how many of each.
fn compare(
    (one, other): (&Machine, &Machine),
    formulas: &Formulas,
    claims: &[(FormulaId, bool)],
    what: &str,
) -> (u64, u64, u64) {
    let (mut compared, mut next, mut holds) = (0, 0, 0);
    for &(id, steps) in claims {
        let expected = exact::check(one, formulas, id, MOST);
        let found = exact::check(other, formulas, id, MOST);
        let (Some(expected), Some(found)) = (expected, found) else { continue };
        assert_eq!(expected, found, "{} {what}", formulas.show(id));
        compared += 1;
        next += u64::from(steps);
        holds += u64::from(found);
    }
    (compared, next, holds)
}

/// What may happen in programs of procedures.
const OF_PROCEDURES: [&str; 7] = [
    "call(\"Main.e0\")",
    "call(\"Main.e1\")",
    "write(\"Main.go0:x0\")",
    "read(\"Main.go1:x1\")",
    "leave(\"Main.go1\")",
    "enter(\"A.m\")",
    "write(\"*:x2\")",
];

/// What may happen in programs of classes.
const OF_CLASSES: [&str; 10] = [
    "leave(\"*.<clinit>\")",
    "enter(\"*.<clinit>\")",
    "leave(\"*.m0\")",
    "enter(\"Main.s0\")",
    "call(\"Main.event\")",
    "write(\"C0.s\")",
    "read(\"*.s\")",
    "new(\"C0\")",
    "throw(\"E0\")",
    "line(\"P.java:2\")",
];

#[test]
fn what_is_passed_between_events_makes_no_difference() {
    let (seed, pairs) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 60));
    let (mut all, mut with_next, mut hold) = (0, 0, 0);
    for seed in seed..seed + pairs {
        let mut rng = Rng::with_seed(seed);
        // Programs with bindings of parameters, and such with initialisers and exceptions.
        let (text, mut labels) = match seed % 2 {
            0 => (plain(&procedures(&mut rng)), OF_PROCEDURES.to_vec()),
            _ => (random::program(seed), OF_CLASSES.to_vec()),
        };
        let mut program = read(&text);
        rng.shuffle(&mut labels);
        labels.truncate(rng.usize(1..4));
        let fewer = Options { implicit: rng.bool(), ..Options::default() };
        let full = machine(&mut program, &labels, Options { every_step: true, ..fewer });
        let small = machine(&mut program, &labels, fewer);
        let (formulas, claims) = unable(&mut rng, &labels, 24);
        let what = format!("on all steps and on fewer, seed {seed}\n{text}");
        let (compared, next, holds) = compare((&full, &small), &formulas, &claims, &what);
        all += compared;
        with_next += next;
        hold += holds;
        let smaller = silence::leave_out(&small, &Budget::unlimited()).expect("no limit");
        if let Some(smaller) = smaller {
            let what = format!("with silent procedures and without, seed {seed}\n{text}");
            compare((&small, &smaller), &formulas, &claims, &what);
        }
    }
    println!("{all} verdicts, {with_next} of claims with X, {hold} hold");
    assert!(all > 3 * pairs && with_next * 20 > all, "{all} verdicts, {with_next} with X");
    assert!(hold * 10 > all && hold * 10 < 9 * all, "{hold} of {all} hold");
}

#[test]
fn silent_components_make_no_difference() {
    let (seed, pairs) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 400));
    let (mut all, mut with_next, mut left_out) = (0, 0, 0);
    for seed in seed..seed + pairs {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            components: 4,
            nodes: 4,
            entries: 1,
            exits: 2,
            labels: 1,
            chain: rng.bool(),
            ..Shape::default()
        };
        let machine = sample::machine(&mut rng, &shape);
        let smaller = silence::leave_out(&machine, &Budget::unlimited()).expect("no limit");
        let Some(smaller) = smaller else { continue };
        let labels = &ATOMS[..1];
        let (formulas, claims) = unable(&mut rng, labels, 16);
        let what = format!("seed {seed}");
        let (compared, next, _) = compare((&machine, &smaller), &formulas, &claims, &what);
        all += compared;
        with_next += next;
        left_out += 1;
    }
    println!("{left_out} of {pairs} machines became smaller, {all} verdicts, {with_next} with X");
    assert!(left_out * 40 > pairs, "{left_out} of {pairs} machines became smaller");
}
