//! Random programs: the machine has exactly the states and steps that the interpreter finds.

use super::interpreter::{E, Interpreter, P, S, V};
use super::{graph_of, labelled, machine};
use fastrand::Rng;
use tern_testkit::setting;

fn pick<T: Clone>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.usize(..list.len())].clone()
}

/// `x` and `y` are numbers, `b` is a truth value, `m` a lock.
fn variables(rng: &mut Rng) -> Vec<V> {
    let number = |name, low, high, initial| V { name, low, high, truth: false, initial };
    let some = |rng: &mut Rng, value| if rng.u8(..4) == 0 { None } else { Some(value) };
    let first = some(rng, 0);
    let second = some(rng, 1);
    vec![
        number("x", -1, 2, first),
        number("y", 0, 2, second),
        V { name: "b", low: 0, high: 1, truth: true, initial: some(rng, 1) },
        number("m", 0, 1, Some(0)),
    ]
}

fn value(rng: &mut Rng, depth: u32) -> E {
    match rng.u8(..if depth == 0 { 4 } else { 8 }) {
        0 => E::Number(rng.i64(0..3)),
        1 => E::Var(0),
        2 => E::Var(1),
        3 => E::Var(pick(rng, &[0, 1, 3])),
        4 => E::Minus(Box::new(value(rng, depth - 1))),
        _ => {
            let sign = pick(rng, &["+", "+", "-", "*", "mod", "/"]);
            E::Op(sign, Box::new(value(rng, depth - 1)), Box::new(value(rng, depth - 1)))
        }
    }
}

pub(super) fn condition(rng: &mut Rng, depth: u32) -> E {
    match rng.u8(..if depth == 0 { 4 } else { 7 }) {
        0 => E::Var(2),
        1 => E::Truth(rng.bool()),
        2 | 3 => {
            let sign = pick(rng, &["=", "!=", "<", "<="]);
            E::Op(sign, Box::new(value(rng, 1)), Box::new(value(rng, 1)))
        }
        4 => E::Not(Box::new(condition(rng, depth - 1))),
        _ => {
            let sign = pick(rng, &["and", "or"]);
            E::Op(sign, Box::new(condition(rng, depth - 1)), Box::new(condition(rng, depth - 1)))
        }
    }
}

/// A statement that makes at most `size` points, more or less.
fn statement(rng: &mut Rng, size: u32, forks: u32) -> S {
    if size >= 2 && rng.u8(..3) > 0 {
        let first = rng.u32(1..size);
        return S::Seq(vec![statement(rng, first, forks), statement(rng, size - first, forks)]);
    }
    match rng.u8(..if size < 2 { 7 } else { 10 }) {
        0 => S::Skip,
        1 => S::Lock(3),
        2 => S::Unlock(3),
        3 => S::Wait(condition(rng, 1)),
        4 => S::Assign(2, condition(rng, 1)),
        5 | 6 => S::Assign(rng.usize(..2), value(rng, 2)),
        7 => {
            let no = rng.bool().then(|| Box::new(statement(rng, size / 2, forks)));
            S::If(condition(rng, 2), Box::new(statement(rng, size / 2, forks)), no)
        }
        8 => S::While(condition(rng, 1), Box::new(statement(rng, size - 1, forks))),
        _ if forks == 0 => S::Skip,
        _ => {
            let count = rng.u32(1..=3);
            S::Co((0..count).map(|_| statement(rng, size.min(4), forks - 1)).collect())
        }
    }
}

fn settings() -> (u64, u64) {
    (setting("TERN_SEED", 1), setting("TERN_PAIRS", 150))
}

#[test]
fn states_and_steps_are_those_of_a_naive_interpreter() {
    let (first, count) = settings();
    let (mut compared, mut states, mut ends, mut faults, mut waits, mut conflicts) =
        (0, 0, 0, 0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let variables = variables(&mut rng);
        let size = rng.u32(1..5);
        let body = match rng.u8(..3) {
            0 => statement(&mut rng, size, 2),
            _ => {
                let list = (0..rng.u32(2..=3)).map(|_| statement(&mut rng, size, 1));
                S::Co(list.collect())
            }
        };
        let program = P { variables, body };
        for synchronous in [false, true] {
            let Some(expected) = Interpreter::graph(&program, synchronous, 3_000) else { continue };
            let option = if synchronous { "option composition synchronous;\n" } else { "" };
            let text = option.to_owned() + &program.text();
            let machine = machine(&text);
            let found = graph_of(&machine);
            assert_eq!(found, expected, "seed {seed}\n{text}");
            compared += 1;
            states += expected.steps.len();
            ends += labelled(&machine, "terminated").len();
            faults += labelled(&machine, "error").len();
            waits += labelled(&machine, "deadlock").len();
            conflicts += labelled(&machine, "conflict").len();
            let stuck =
                expected.steps.iter().filter(|(from, to)| to.len() == 1 && to.contains(*from));
            let special = ["terminated", "error", "deadlock", "conflict"];
            let known: usize = special.iter().map(|it| labelled(&machine, it).len()).sum();
            assert_eq!(stuck.count(), known, "seed {seed}\n{text}");
        }
    }
    println!(
        "seeds {first}..: {compared} programs, {states} states, {ends} ends, {faults} errors, \
        {waits} deadlocks, {conflicts} conflicts"
    );
    assert!(compared > count && ends > 0 && faults > 0 && waits > 0 && conflicts > 0);
}

/// The same program with assignments and conditions written out in loads, operations and stores.
/// Each process has registers of its own; conditions of loops are computed again behind the body.
#[test]
fn fine_granularity_is_what_registers_would_do() {
    let (first, count) = settings();
    let mut compared = 0;
    for seed in first..first + count / 4 {
        let mut rng = Rng::with_seed(seed);
        let (mut fine, mut spelled) = (Vec::new(), Vec::new());
        for process in 0..2 {
            let (mut own, mut out) = (Vec::new(), Vec::new());
            for _ in 0..rng.u8(1..=2) {
                let target = pick(&mut rng, &["x", "y"]);
                let [a, b, c] = [(); 3].map(|()| pick(&mut rng, &["x", "y", "1", "2"]));
                let (o, p) = (pick(&mut rng, &["+", "-", "*"]), pick(&mut rng, &["+", "-"]));
                let r = format!("r{process}");
                if rng.bool() {
                    own.push(format!("{target} := ({a} {o} {b}) {p} {c}"));
                    out.push(format!("{r} := {a}; {r} := {r} {o} {b}; {r} := {r} {p} {c}"));
                } else {
                    let s = format!("s{process}");
                    own.push(format!("{target} := {a} {p} ({b} {o} {c})"));
                    out.push(format!(
                        "{r} := {a}; {s} := {b}; {s} := {s} {o} {c}; {r} := {r} {p} {s}"
                    ));
                }
                out.push(format!("{target} := {r}"));
            }
            fine.push(own.join("; "));
            spelled.push(out.join("; "));
        }
        let variables = "var x : -40..40 = 3; var y : -40..40 = 2;\n";
        let registers = "var r0, r1, s0, s1 : -9999..9999 = 0;\n";
        let fine =
            format!("option granularity fine;\n{variables}cobegin {} coend", fine.join(" || "));
        let spelled = format!("{variables}{registers}cobegin {} coend", spelled.join(" || "));
        let ends = |text: &str| {
            let machine = machine(text);
            let value = |name: &str| {
                let name = name.to_owned();
                move |part: &&str| part.starts_with(&name)
            };
            let pick = |label: &str| {
                let names = labelled(&machine, label);
                let pair = |name: &String| {
                    let x = name.split(',').find(value("x=")).map(str::to_owned);
                    let y = name.split(',').find(value("y=")).map(str::to_owned);
                    (x, y)
                };
                names.iter().map(pair).collect::<std::collections::BTreeSet<_>>()
            };
            (pick("terminated"), pick("error"))
        };
        let found = ends(&fine);
        assert_eq!(found, ends(&spelled), "seed {seed}\n{fine}\n{spelled}");
        compared += usize::from(found.0.len() > 1);
    }
    assert!(compared as u64 > count / 16, "{compared} programs with several ends");
}
