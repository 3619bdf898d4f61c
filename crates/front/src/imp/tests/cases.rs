//! Single cases: the textbook's programs, procedures, hostile texts.

use super::{graph_of, labelled, machine};
use crate::imp::read;
use crate::problem::Refusal;
use crate::source::Source;
use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;
use tern_model::{Budget, Edge, Machine, NodeId, Place};
use tern_testkit::setting;

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn turns_have_the_structure_of_the_textbook() {
    let text = "var turn : 0..1 = 0;
        cobegin while true do wait (turn == 0); turn := 1 od
             || while true do wait (turn == 1); turn := 0 od coend";
    let machine = machine(text);
    let graph = graph_of(&machine);
    assert_eq!(graph.initial, names(&["l0,turn=0"]));
    // Nine reachable (turn, pc1, pc2) for either turn, but one; and the initial state.
    let expected = [
        "l0,turn=0",
        "l10,l20,turn=0",
        "l10,l21,turn=0",
        "l11,l20,turn=0",
        "l11,l21,turn=0",
        "l12,l20,turn=0",
        "l12,l21,turn=0",
        "l10,l20,turn=1",
        "l10,l21,turn=1",
        "l10,l22,turn=1",
        "l11,l20,turn=1",
        "l11,l21,turn=1",
        "l11,l22,turn=1",
    ];
    assert_eq!(graph.steps.keys().cloned().collect::<BTreeSet<_>>(), names(&expected));
    let waits = &graph.steps["l11,l21,turn=1"];
    assert_eq!(waits, &names(&["l11,l21,turn=1", "l11,l22,turn=1"]));
    assert!(machine.label("deadlock").is_none());
    assert_eq!(labelled(&machine, "at(l12)").len(), 2);
    assert_eq!(labelled(&machine, "turn = 1").len(), 6);
}

#[test]
fn updates_are_lost_in_fine_granularity_only() {
    let text = "var x : 0..9 = 3; var y : 0..9 = 2; cobegin x := x + y || y := y + x coend";
    let ends = |option: &str| {
        let machine = machine(&format!("{option}{text}"));
        labelled(&machine, "terminated")
    };
    let coarse = ["l3,x=5,y=7", "l3,x=8,y=5"];
    assert_eq!(ends(""), names(&coarse));
    let fine = ends("option granularity fine;");
    assert_eq!(fine, names(&["l3,x=5,y=5", "l3,x=5,y=7", "l3,x=8,y=5"]));
    assert_eq!(ends("option composition synchronous;"), names(&["l3,x=5,y=5"]));
}

#[test]
fn a_value_out_of_range_is_an_error_with_its_line() {
    let machine = machine("var x : 0..2 = 0;\nwhile true do\n  x := x + 1\nod");
    let errors = labelled(&machine, "error");
    assert_eq!(errors, names(&["l1,x=2,error=l1"]));
    let node = machine.labelled(machine.label("error").expect("it is there")).to_vec()[0];
    assert_eq!(machine.origin(node).map(|origin| origin.line), Some(3));
    assert_eq!(machine.edges(node), [Edge::Step(node)]);
}

#[test]
fn fairness_labels_say_who_moved() {
    let text = "option fairness processes; var x : 0..1 = 0;
        cobegin while x = 0 do skip od || x := 1 coend";
    let read = read(&Source::new("t.imp", text), &Budget::unlimited()).expect("sound");
    let fair: Vec<String> = read
        .claims
        .fair()
        .iter()
        .flat_map(|it| it.fairness.formulas())
        .map(|formula| read.claims.formulas.show(formula).to_string())
        .collect();
    assert_eq!(fair, ["scheduled(p1)", "scheduled(p2)"]);
    // A process that is at its end need not move.
    let ended = labelled(&read.machine, "at(l21)");
    assert!(!ended.is_empty() && ended.is_subset(&labelled(&read.machine, "scheduled(p2)")));
    let begun = labelled(&read.machine, "at(l20)");
    assert!(begun.is_disjoint(&labelled(&read.machine, "scheduled(p2)")));
}

#[test]
fn points_beyond_nine_are_told_apart() {
    let mut text = "cobegin ".to_owned();
    let steps = |count: usize| vec!["skip"; count].join("; ");
    for process in 1..=11 {
        let divider = if process > 1 { " || " } else { "" };
        write!(text, "{divider}{}", steps(if process == 1 { 11 } else { 1 })).expect("it can be");
    }
    let source = Source::new("t.imp", text + " coend");
    let budget = Budget::unlimited();
    let mut meter = tern_model::budget::Meter::new(&budget);
    let (_, labelling) = crate::imp::program(&source, &mut meter).expect("sound");
    let all: BTreeSet<&String> = labelling.points.iter().map(|(_, name)| name).collect();
    assert_eq!(all.len(), labelling.points.len());
    for name in ["l0", "l12", "l1_10", "l11_0", "l1_11", "l11_1", "l21"] {
        assert!(labelling.by_name.contains_key(name), "{name} of {all:?}");
    }
}

/// The configurations that can be reached: names of boxes and a node, up to a depth.
fn configurations(machine: &Machine) -> BTreeSet<Vec<String>> {
    let mut todo: Vec<(Vec<tern_model::BoxId>, NodeId)> =
        machine.initial().iter().map(|&node| (Vec::new(), node)).collect();
    let mut seen: BTreeSet<(Vec<_>, NodeId)> = todo.iter().cloned().collect();
    while let Some((stack, node)) = todo.pop() {
        let mut next = Vec::new();
        for &edge in machine.edges(node) {
            match edge {
                Edge::Step(to) => next.push((stack.clone(), to)),
                Edge::Call(call, to) => next.push(([&stack[..], &[call]].concat(), to)),
                Edge::Return(exit) => {
                    let (&call, below) = stack.split_last().expect("only procedures return");
                    let site = machine.site(call, exit).expect("every call goes on");
                    assert_eq!(machine.place(site), Place::Site(call, exit));
                    for edge in machine.edges_at(site) {
                        let Edge::Step(to) = *edge else { panic!("{edge:?}") };
                        next.push((below.to_vec(), to));
                    }
                }
            }
        }
        todo.extend(next.into_iter().filter(|it| seen.insert(it.clone())));
    }
    let name = |(stack, node): (Vec<tern_model::BoxId>, NodeId)| {
        let calls = stack.iter().map(|&call| machine.box_path(call));
        calls.chain([machine.node_path(node)]).collect()
    };
    seen.into_iter().map(name).collect()
}

/// Sequential statements with calls of `f` and `g`, as trees.
#[derive(Clone, Debug)]
enum C {
    /// A variable, and what is added to it, modulo 3.
    Add(&'static str, &'static str, i64),
    If(&'static str, Vec<C>, Vec<C>),
    Call(&'static str, &'static str),
}

fn calls(rng: &mut Rng, own: &'static str, size: u32) -> Vec<C> {
    let local = match own {
        "f" => ["n", "a"],
        "g" => ["k", "k"],
        _ => ["x", "y"],
    };
    let variables = [local[0], local[1], "x", "y"];
    (0..rng.u32(1..=size))
        .map(|_| match rng.u8(..6) {
            0 | 1 => C::Add(variables[rng.usize(..4)], variables[rng.usize(..4)], rng.i64(0..3)),
            2 if size > 1 => {
                let condition = variables[rng.usize(..4)];
                C::If(condition, calls(rng, own, size / 2), calls(rng, own, size / 2))
            }
            // Calls go down, so that every run ends.
            3 | 4 if own.is_empty() => {
                C::Call(["f", "g"][rng.usize(..2)], variables[rng.usize(..4)])
            }
            3 | 4 if own == "f" => C::Call("g", variables[rng.usize(..4)]),
            _ => C::Add("x", variables[rng.usize(..4)], 1),
        })
        .collect()
}

fn text_of(list: &[C]) -> String {
    let text = |statement: &C| match statement {
        C::Add(to, from, more) => format!("{to} := ({from} + {more}) mod 3"),
        C::If(on, yes, no) => format!("if {on} = 1 then {} else {} fi", text_of(yes), text_of(no)),
        C::Call(to, with) => format!("{to}({with})"),
    };
    list.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Runs statements by recursion, and notes the values of all variables that are there.
fn run(
    list: &[C],
    program: &[Vec<C>; 3],
    own: &mut Vec<(&'static str, i64)>,
    xy: &mut [i64; 2],
    depth: usize,
    seen: &mut BTreeSet<String>,
) {
    fn get(own: &[(&'static str, i64)], xy: &[i64; 2], name: &str) -> i64 {
        match name {
            "x" => xy[0],
            "y" => xy[1],
            _ => own.iter().find(|it| it.0 == name).expect("it is there").1,
        }
    }
    fn note(own: &[(&'static str, i64)], xy: &[i64; 2], depth: usize, seen: &mut BTreeSet<String>) {
        let own: Vec<String> = own.iter().map(|(name, value)| format!("{name}={value}")).collect();
        seen.insert(format!("{depth} x={} y={} {}", xy[0], xy[1], own.join(" ")));
    }
    note(own, xy, depth, seen);
    for statement in list {
        match statement {
            C::Add(to, from, more) => {
                let value = (get(own, xy, from) + more) % 3;
                match *to {
                    "x" => xy[0] = value,
                    "y" => xy[1] = value,
                    _ => own.iter_mut().find(|it| it.0 == *to).expect("it is there").1 = value,
                }
            }
            C::If(on, yes, no) => {
                let branch = if get(own, xy, on) == 1 { yes } else { no };
                run(branch, program, own, xy, depth, seen);
            }
            C::Call(to, with) => {
                let value = get(own, xy, with);
                let (at, mut inside) = match *to {
                    "f" => (1, vec![("n", value), ("a", 0)]),
                    _ => (2, vec![("k", value)]),
                };
                run(&program[at], program, &mut inside, xy, depth + 1, seen);
            }
        }
        note(own, xy, depth, seen);
    }
}

#[test]
fn procedures_do_what_recursion_does() {
    for seed in 1..200 {
        let mut rng = Rng::with_seed(seed);
        let program = ["", "f", "g"].map(|own| calls(&mut rng, own, 4));
        let text = format!(
            "var x : 0..2 = 1; var y : 0..2 = 0;\n\
             proc f(n : 0..2) var a : 0..2 = 0; {} end\nproc g(k : 0..2) {} end\n{}; g(0)",
            text_of(&program[1]),
            text_of(&program[2]),
            text_of(&program[0])
        );
        let mut main = program.clone();
        main[0].push(C::Call("g", "zero"));
        let machine = machine(&text);
        // The names of nodes have everything that the interpreter notes.
        let found: BTreeSet<String> = configurations(&machine)
            .into_iter()
            .map(|names| {
                let (node, calls) = names.split_last().expect("there is a node");
                let value = |part: &str| {
                    let (name, value) = part.split_once('=')?;
                    let name = name.rsplit('.').next()?;
                    Some((name.to_owned(), value.to_owned()))
                };
                let values: Vec<_> = node.split(',').filter_map(value).collect();
                let show = |(name, value): &(String, String)| format!("{name}={value}");
                let own: Vec<String> = values[2..].iter().map(show).collect();
                let [x, y] = [show(&values[0]), show(&values[1])];
                format!("{} {x} {y} {}", calls.len(), own.join(" "))
            })
            .collect();
        let (mut seen, mut xy) = (BTreeSet::new(), [1, 0]);
        let mut own = vec![("zero", 0)];
        let mut hidden = BTreeSet::new();
        run(&main[0], &main, &mut own, &mut xy, 0, &mut hidden);
        seen.extend(hidden.into_iter().map(|it| it.replace("zero=0", "")));
        assert_eq!(found, seen, "seed {seed}\n{text}");
        assert_eq!(labelled(&machine, "terminated").len(), 1, "seed {seed}\n{text}");
    }
}

#[test]
fn recursion_without_end_is_a_machine() {
    let machine = machine(
        "var x : 0..1 = 0; proc p() x := 1 - x; if x = 1 then p() else skip fi; x := 0 end p()",
    );
    assert_eq!(machine.component_count(), 2);
    assert!(machine.box_count() >= 1 && machine.node_count() < 20);
    assert_eq!(labelled(&machine, "terminated").len(), 1);
}

#[test]
fn conditions_that_are_no_labels_are_understood() {
    let text = "var x : 0..3 = 0; while x < 3 do crit: x := x + 1 od";
    let read = read(&Source::new("t.imp", text), &Budget::unlimited()).expect("sound");
    let words = read.vocabulary.expect("programs have one");
    let count = |text: &str| words.nodes(text, &Budget::unlimited()).map(|nodes| nodes.len());
    assert_eq!(count("x >= 2"), Ok(3 + 1));
    assert_eq!(count("x + 1 = 2 or x = 0"), Ok(4));
    assert_eq!(count("at(crit)"), Ok(3));
    assert_eq!(count("at(l1)"), Ok(3));
    assert_eq!(count("deadlock"), Ok(0));
    assert_eq!(words.values(read.machine.initial()[0]), [("x".to_owned(), "0".to_owned())]);
    for wrong in ["z = 1", "x", "at(l9)", "x = true", "x = 1 x", "x <", "%"] {
        assert!(count(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn deep_nesting_costs_no_stack() {
    let depth = 100_000;
    let text = |open: &str, inner: &str, close: &str| {
        format!("var x : 0..1 = 0; {}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for text in [
        text("if x = 0 then ", "skip", " fi"),
        text("x := (", "0", ")"),
        format!("var x : 0..1 = 0; x := {}0{}", "(1 - ".repeat(depth), ")".repeat(depth)),
        format!("var b : bool = true; b := {}b{}", "(b and ".repeat(depth), ")".repeat(depth)),
    ] {
        let limited = Budget::unlimited().with_effort(100);
        let _any = read(&Source::new("t.imp", text), &limited);
    }
    let loops = text("while x = 0 do ", "x := 1", " od");
    let limited = Budget::unlimited().with_effort(1000);
    match read(&Source::new("t.imp", loops), &limited) {
        Ok(_) | Err(Refusal::Limit(_)) => {}
        Err(Refusal::Problems(problems)) => panic!("{problems:?}"),
    }
}

#[test]
fn broken_texts_never_panic() {
    let (seed, count) = (setting("TERN_SEED", 7), setting("TERN_PAIRS", 1500));
    let words = "var x : 0 .. 3 = 1 ; y bool const N option granularity fine composition \
        synchronous fairness processes proc p ( ) end claim AG fair if then else fi while do od \
        cobegin || coend wait lock unlock skip call true false not and or mod := + - * / < = != \
        , 99999999999999999999 \" { é l0 : x x y";
    let words: Vec<&str> = words.split_whitespace().collect();
    let sound = "var x, y : 0..2 = 0; var m : 0..1 = 0; proc p(a : 0..2) x := a end \
        while x < 2 do lock(m); if y = x then x := x + 1 else p(x) fi; unlock(m) od claim AF x = 2;";
    let sound: Vec<&str> = sound.split_whitespace().collect();
    let (mut good, mut bad) = (0, 0);
    let mut rng = Rng::with_seed(seed);
    for round in 0..count {
        let mut text: Vec<&str> = if round % 2 == 0 { sound.clone() } else { Vec::new() };
        for _ in 0..rng.usize(..if round % 2 == 0 { 3 } else { 25 }) {
            let at = rng.usize(..=text.len());
            match rng.u8(..3) {
                0 if at < text.len() => {
                    text.remove(at);
                }
                _ => text.insert(at, words[rng.usize(..words.len())]),
            }
        }
        let budget = Budget::unlimited().with_effort(50);
        match read(&Source::new("t.imp", text.join(" ")), &budget) {
            Ok(_) => good += 1,
            Err(Refusal::Limit(_)) => {}
            Err(Refusal::Problems(problems)) => {
                bad += 1;
                assert!(!problems.is_empty(), "seed {seed}, round {round}: {text:?}");
            }
        }
    }
    println!("seed {seed}: {good} sound and {bad} broken texts");
    assert!(good > 0 && bad > 0);
}
