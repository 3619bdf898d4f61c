//! How programs grow: the classics for several sizes, with the numbers of their states, all and
//! those that are enough for some claims.
//!
//! `TERN_GROW=1 cargo test --release -p tern-front --test suite programs::growth -- --nocapture`
//! prints a table with CPU times, up to a million states and more.

use std::fmt::Write;
use tern_front::{Asked, Reduction, Source, When, claims, imp};
use tern_model::{Budget, Claims, Machine};

fn machine(text: &str) -> Machine {
    let read = imp::read(&Source::new("grown.imp", text), &Budget::unlimited());
    read.unwrap_or_else(|wrong| panic!("{wrong}\n{text}")).machine
}

/// The machine that is enough for some claims.
fn reduced(text: &str, said: &[&str]) -> Machine {
    let mut list = Claims::new();
    for claim in said {
        claims::read_one(&mut list, claim).expect("sound");
    }
    let budget = Budget::unlimited();
    let begun = imp::begin(&Source::new("grown.imp", text), &budget).expect("sound");
    let reduction = Reduction { when: When::Always, asked: Asked::of(&list) };
    let reading = begun.explore(reduction, &budget).expect("sound");
    assert_eq!(reading.warnings[0].code, "G040", "{text}");
    reading.machine
}

/// The CPU time of this process until now, in seconds, where the system tells.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which is in parentheses: the times are the 12th and 13th, in 1/100 s.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Processes made by a rule, side by side.
fn side_by_side(count: usize, process: impl Fn(usize) -> String) -> String {
    let list: Vec<String> = (0..count).map(process).collect();
    format!("cobegin\n  {}\ncoend\n", list.join("\n|| "))
}

/// Philosophers who take the left fork first.
fn philosophers(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "var fork{i} : 0..1 = 0;").expect("it can be written");
    }
    text + &side_by_side(count, |i| {
        let j = (i + 1) % count;
        format!("while true do lock(fork{i}); lock(fork{j}); unlock(fork{i}); unlock(fork{j}) od")
    })
}

/// Producers and one consumer around a buffer.
fn buffer(producers: usize, size: usize) -> String {
    let text = format!("var count : 0..{size} = 0;\nvar mutex : 0..1 = 0;\n");
    text + &side_by_side(producers + 1, |i| {
        let (test, step) = match i {
            0 => ("count > 0".to_owned(), "count - 1"),
            _ => (format!("count < {size}"), "count + 1"),
        };
        format!(
            "while true do lock(mutex); if {test} then count := {step} else skip fi; \
             unlock(mutex) od"
        )
    })
}

/// Peterson's algorithm for several processes: each goes through levels.
fn peterson(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "var level{i} : 0..{} = 0;", count - 1).expect("it can be written");
        if i > 0 {
            writeln!(text, "var last{i} : 0..{} = 0;", count - 1).expect("it can be written");
        }
    }
    text + &side_by_side(count, |i| {
        let mut body = String::new();
        for level in 1..count {
            let others: Vec<String> = (0..count)
                .filter(|&other| other != i)
                .map(|other| format!("level{other} < {level}"))
                .collect();
            write!(
                body,
                "level{i} := {level}; last{level} := {i}; wait (last{level} != {i} or {}); ",
                others.join(" and ")
            )
            .expect("it can be written");
        }
        format!("while true do {body}crit{i}: skip; level{i} := 0 od")
    })
}

/// The bakery algorithm, with tickets up to a bound.
fn bakery(count: usize, most: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "var ticket{i} : 0..{most} = 0; var draws{i} : bool = false; ")
            .expect("it can be written");
        writeln!(text, "var seen{i} : 0..{most} = 0;").expect("it can be written");
    }
    text + &side_by_side(count, |i| {
        let mut body = format!("draws{i} := true; seen{i} := 0; ");
        for j in (0..count).filter(|&j| j != i) {
            write!(body, "if ticket{j} > seen{i} then seen{i} := ticket{j} fi; ").expect("it can");
        }
        write!(body, "ticket{i} := seen{i} + 1; seen{i} := 0; draws{i} := false; ")
            .expect("it can");
        for j in (0..count).filter(|&j| j != i) {
            let before = if i < j { "<=" } else { "<" };
            write!(
                body,
                "wait (not draws{j}); wait (ticket{j} = 0 or ticket{i} {before} ticket{j}); "
            )
            .expect("it can be written");
        }
        format!("while true do {body}crit{i}: skip; ticket{i} := 0 od")
    })
}

fn count(machine: &Machine, label: &str) -> usize {
    machine.label(label).map_or(0, |label| machine.labelled(label).len())
}

#[test]
fn philosophers_block_each_other_in_one_state() {
    for size in 2..5 {
        let machine = machine(&philosophers(size));
        assert_eq!(count(&machine, "deadlock"), 1, "{size} philosophers");
        assert_eq!(count(&machine, "error"), 0);
    }
}

#[test]
fn processes_exclude_each_other() {
    for (text, errors) in [(peterson(2), false), (peterson(3), false), (bakery(2, 3), true)] {
        let machine = machine(&text);
        let label = |i: usize| machine.label(&format!("at(crit{i})")).expect("it is reached");
        let second = machine.labelled(label(1));
        let both = machine.labelled(label(0)).iter().filter(|&node| second.contains(node)).count();
        assert_eq!(both, 0, "{text}");
        assert_eq!(count(&machine, "deadlock"), 0, "{text}");
        assert_eq!(count(&machine, "error") > 0, errors, "{text}");
    }
}

#[test]
fn buffers_stay_in_bounds() {
    let machine = machine(&buffer(2, 3));
    assert_eq!(count(&machine, "error") + count(&machine, "deadlock"), 0);
    assert!(count(&machine, "count = 3") > 0);
}

/// What is grown, the claims that it is reduced for, and its sizes with their texts.
type Grown = (&'static str, &'static [&'static str], Vec<(String, String)>);

#[test]
fn growth() {
    let whole = std::env::var_os("TERN_GROW").is_some();
    let exclusion = &["AG !deadlock", "AG !(at(crit0) & at(crit1))"][..];
    let sizes: [Grown; 4] = [
        ("philosophers", &["AG !deadlock"], {
            let most = if whole { 9 } else { 4 };
            (3..=most).map(|n| (n.to_string(), philosophers(n))).collect()
        }),
        ("Peterson, processes", exclusion, {
            let most = if whole { 4 } else { 3 };
            (2..=most).map(|n| (n.to_string(), peterson(n))).collect()
        }),
        ("bakery, processes and tickets", exclusion, {
            let all = [(2, 4), (2, 16), (3, 3), (3, 6)];
            let list = all.into_iter().take(if whole { 4 } else { 1 });
            list.map(|(n, most)| (format!("{n}, {most}"), bakery(n, most))).collect()
        }),
        ("buffer, producers and size", &["AG !deadlock", "AG !error"], {
            let all = [(2, 4), (4, 16), (6, 64), (8, 64), (9, 64)];
            let list = all.into_iter().take(if whole { 5 } else { 1 });
            list.map(|(n, size)| (format!("{n}, {size}"), buffer(n, size))).collect()
        }),
    ];
    println!("| program | size | states | steps | CPU s | reduced | CPU s |");
    println!("|---|---|---|---|---|---|---|");
    for (name, said, list) in sizes {
        for (size, text) in list {
            let begin = cpu_seconds();
            let machine = machine(&text);
            let (states, steps) = (machine.node_count(), machine.edge_count());
            drop(machine);
            let middle = cpu_seconds();
            let kept = reduced(&text, said).node_count();
            let (all, few) = (middle - begin, cpu_seconds() - middle);
            println!("| {name} | {size} | {states} | {steps} | {all:.2} | {kept} | {few:.2} |");
            assert!(states > 10 && kept <= states);
        }
    }
}
