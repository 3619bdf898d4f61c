//! What is lowered does what the Java virtual machine does: random programs are compiled, run by
//! `java` and by an interpreter of what was lowered, and must print the same.
//!
//! `java` interprets them, too: what its compilers make of a program that runs long enough is not
//! always right. Program 330001316 prints other numbers from run to run under HotSpot 17.0.15 when
//! its first compiler keeps profiles, and always the same without them, or interpreted.
//!
//! `TERN_PAIRS` sets how many programs, `TERN_SEED` where they begin.

use super::generate::program;
use super::machine::Machine;
use super::tools::{compile, reading, setting, tool};
use std::fmt::Write;
use std::process::Command;
use tern_ir::{NameId, ProcId, Program};

/// How many programs are compiled and run at a time.
const BATCH: u64 = 100;

fn runs_of(program: &Program, class: NameId) -> (Vec<ProcId>, ProcId) {
    let is_own = |name: &str, own: &str| name == own || name.starts_with(&format!("{own}$"));
    let own = program.text(class);
    let title = |procedure: ProcId| {
        let selector = &program.selectors()[program.procedures()[procedure].selector];
        program.text(selector.name)
    };
    let (mut beginnings, mut run) = (Vec::new(), None);
    for class in program.classes().as_slice() {
        if is_own(program.text(class.name), own) {
            let named = |name: &str| class.procedures.iter().copied().find(|&p| title(p) == name);
            beginnings.extend(named("<clinit>"));
            run = run.or(named("run"));
        }
    }
    (beginnings, run.expect("a method `run`"))
}

/// Compiles and runs some programs, and compares; says how many numbers were printed.
fn compare(seeds: std::ops::Range<u64>, options: &[&str]) -> usize {
    let Some(java) = tool("java") else { return 0 };
    let folder = tempfile::tempdir().expect("a folder");
    let mut main = String::from("class Main { public static void main(String[] a) {\n");
    let mut files = Vec::new();
    for seed in seeds.clone() {
        writeln!(main, "System.out.println(\"#{seed}\"); P{seed}.run();").expect("text");
        files.push((format!("P{seed}.java"), program(seed, seed)));
    }
    main.push_str("}}");
    files.push(("Main.java".to_owned(), main));
    let texts: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    if !compile(folder.path(), &texts, options) {
        return 0;
    }
    let output = Command::new(java).arg("-Xint").arg("-cp").arg(folder.path()).arg("Main").output();
    let output = String::from_utf8(output.expect("java can be started").stdout).expect("text");
    let mut expected = output.split('#').skip(1);
    let mut reading = reading(&[folder.path().to_owned()]);
    assert_eq!(reading.report.stubs, []);
    let names = Machine::prepare(&mut reading.program);
    let program = &reading.program;
    let mut printed = 0;
    for seed in seeds {
        let mut lines = expected.next().expect("output of each program").lines();
        assert_eq!(lines.next(), Some(seed.to_string().as_str()));
        let expected: Vec<i128> = lines.map(|line| line.parse().expect("a number")).collect();
        let class = program.find_name(&format!("P{seed}")).expect("the class");
        let (beginnings, run) = runs_of(program, class);
        let mut machine = Machine::new(program, names.clone());
        beginnings.into_iter().for_each(|beginning| assert!(machine.run(beginning)));
        assert!(machine.run(run), "seed {seed}: something was thrown");
        let same = machine.printed.iter().zip(&expected).take_while(|(a, b)| a == b).count();
        assert!(
            machine.printed == expected,
            "seed {seed}: at number {same}: {:?} instead of {:?}",
            machine.printed.get(same),
            expected.get(same)
        );
        assert_eq!(machine.monitors, 0, "seed {seed}");
        assert_eq!(machine.misfits, 0, "seed {seed}");
        printed += expected.len();
    }
    printed
}

#[test]
fn random_programs_print_what_java_prints() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 10));
    let (mut printed, mut next) = (0, first);
    while next < first + count {
        let end = (next + BATCH).min(first + count);
        printed += compare(next..end, &[]);
        next = end;
    }
    println!("{count} programs from seed {first} printed {printed} numbers");
    if tool("java").is_some() {
        assert!(printed as u64 > 20 * count, "programs print too little to test anything");
    }
}

/// The program of which compilers of a virtual machine make something else.
#[test]
fn a_program_that_was_compiled_wrongly_prints_what_it_says() {
    let printed = compare(330_001_316..330_001_317, &[]);
    assert!(printed == 0 || printed > 6_000, "it must run long, unless there is no `java`");
}

#[test]
fn programs_without_tables_mean_the_same() {
    let first = setting("TERN_SEED", 0) + 1_000_000;
    compare(first..first + setting("TERN_PAIRS", 10).min(200), &["-g:none"]);
}
