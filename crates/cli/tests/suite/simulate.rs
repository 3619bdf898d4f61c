//! `tern simulate`, played from standard input.

use std::io::Write;
use std::process::{Command, Stdio};

/// What is printed for some commands, one a line.
fn played(args: &[&str], commands: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tern"))
        .arg("simulate")
        .args(args)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tern runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(commands.as_bytes()).expect("it listens");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn moves_are_made_and_taken_back() {
    let text = played(&["examples/again.tern"], "\n2\ns\n1\n1\nb\nb\nb\nb\nb\n7\nx y\nq\n1\n");
    let lines = [
        "  0  main.start  (examples/again.tern:2)",
        "     1: calls fetch by get, to fetch.try {waiting}  (examples/again.tern:8)",
        "  1    fetch.try {waiting}  (examples/again.tern:8)",
        "     1: to fetch.ok  (examples/again.tern:11)",
        "     2: calls fetch by again, to fetch.try {waiting}  (examples/again.tern:8)",
        "  2      fetch.try {waiting}  (examples/again.tern:8)",
        "     1: to fetch.ok  (examples/again.tern:11)",
        "     2: calls fetch by again, to fetch.try {waiting}  (examples/again.tern:8)",
        "  main.get calls fetch",
        "  fetch.again calls fetch",
        "  3      fetch.ok  (examples/again.tern:11)",
        "     1: returns by ok, to fetch.ok  (examples/again.tern:11)",
        "  4    fetch.ok  (examples/again.tern:11)",
        "     1: returns by ok, to main.done {done}  (examples/again.tern:5)",
        "  3      fetch.ok  (examples/again.tern:11)",
        "     1: returns by ok, to fetch.ok  (examples/again.tern:11)",
        "  2      fetch.try {waiting}  (examples/again.tern:8)",
        "     1: to fetch.ok  (examples/again.tern:11)",
        "     2: calls fetch by again, to fetch.try {waiting}  (examples/again.tern:8)",
        "  1    fetch.try {waiting}  (examples/again.tern:8)",
        "     1: to fetch.ok  (examples/again.tern:11)",
        "     2: calls fetch by again, to fetch.try {waiting}  (examples/again.tern:8)",
        "  0  main.start  (examples/again.tern:2)",
        "     1: calls fetch by get, to fetch.try {waiting}  (examples/again.tern:8)",
        "this is where it began",
        "choose a number from 1 to 1, or ? for help",
        "there is no such command; ? lists them",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn random_walks_follow_their_seed() {
    let walk = |seed: &str| played(&["examples/locks.tern", "--random", "40", "--seed", seed], "");
    assert_eq!(walk("3"), walk("3"));
    assert_eq!(walk("3").lines().count(), 42, "one line a move behind the beginning");
    assert!((0..20).any(|seed| walk(&seed.to_string()) != walk("3")));
}

/// One script, played on a model of each format: a step, back, two steps at random, the stack.
#[test]
fn all_formats_are_walked_through() {
    let models = [
        "again.tern",
        "retry.rsm",
        "counter.smv",
        "calling.smv",
        "climber.pds",
        "peterson.imp",
        "factorial.imp",
        "microwave.dot",
        "ping.aut",
    ];
    for model in models {
        let path = format!("examples/{model}");
        let text = played(&[&path], "1\nb\nr 2\ns\nb\nq\n");
        let lines: Vec<&str> = text.lines().collect();
        let first = lines[0];
        assert!(lines[1].starts_with("     1: "), "{model}\n{text}");
        assert_eq!(lines.iter().filter(|line| **line == first).count(), 2, "{model}\n{text}");
        let values = model.ends_with(".imp") || model == "counter.smv";
        let shows = |line: &&str| line.contains("} ") && line.contains('=');
        assert!(!values || lines.iter().any(shows), "{model}\n{text}");
        let walk = |seed| played(&[&path, "--random", "30", "--seed", seed], "");
        assert_eq!(walk("5"), walk("5"), "{model}");
    }
}

#[test]
fn what_is_only_possible_is_marked() {
    let text = played(&["examples/sender.tern"], "1\n1\n2\nq\n");
    let lines = [
        "  2    send.try {busy, last?}  (examples/sender.tern:19)",
        "     1: perhaps to send.sent  (examples/sender.tern:21)",
        "     2: perhaps to send.fewer  (examples/sender.tern:20)",
    ];
    let found: Vec<&str> = text.lines().collect();
    assert!(found.windows(3).any(|window| window == lines), "{text}");
    assert!(found[1].starts_with("     1: calls send"), "a sure step is not marked: {text}");
}

#[test]
fn values_are_shown_once() {
    let shown = played(&["examples/peterson.imp"], "");
    let first = shown.lines().next().expect("a line");
    assert_eq!(first.matches("turn").count(), 1, "{first}");
    assert!(first.starts_with("  0  main.l0 {at(l0)} flag1=false flag2=false turn=1"), "{first}");
    let shown = played(&["examples/counter.smv"], "");
    assert!(shown.starts_with("  0  main {at_zero} counter=0 state=s1 ready=FALSE"), "{shown}");
}
