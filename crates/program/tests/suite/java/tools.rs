//! Finds a JDK, compiles and runs; tests that need one are skipped without.

use std::path::{Path, PathBuf};
use std::process::Command;
use tern_ir::verify;
use tern_model::Budget;
use tern_program::java::container::find_tool;
use tern_program::java::{Options, Reading, read};

/// A program of a JDK; prints why a test is skipped if there is none.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let found = find_tool(name);
    if found.is_none() {
        println!("skipped: there is no `{name}`; install a JDK or set JAVA_HOME");
    }
    found
}

/// The number that a variable of the environment gives, or else another.
pub(crate) fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Compiles classes given as file names with texts; false if there is no compiler.
pub(crate) fn compile(folder: &Path, files: &[(&str, &str)], options: &[&str]) -> bool {
    let Some(javac) = tool("javac") else { return false };
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
    for (path, (_, text)) in paths.iter().zip(files) {
        std::fs::write(path, text).expect("the folder can be written");
    }
    let mut command = Command::new(javac);
    command.args(["-g", "-nowarn", "-d"]).arg(folder).args(options).args(&paths);
    let output = command.output().expect("javac can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Reads files that must be fine.
pub(crate) fn reading(inputs: &[PathBuf]) -> Reading {
    let read = read(inputs, &Options::default(), &Budget::unlimited());
    let reading = read.unwrap_or_else(|refusal| panic!("{refusal}"));
    check(&reading);
    reading
}

/// What holds of every reading.
pub(crate) fn check(reading: &Reading) {
    let flaws = verify(&reading.program);
    assert!(flaws.is_empty(), "{}", flaws[0]);
}
