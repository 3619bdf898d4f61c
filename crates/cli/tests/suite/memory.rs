//! `--memory`: a claim that would take more ends as `unknown` with that reason, and the program
//! never holds more than a fifth above the limit.

#![allow(clippy::print_stdout)] // says so where this cannot be measured

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The most memory that a program has held so far, by the system's count.
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// Checks the claims of a member of a family; gives the output, and the most memory that was seen.
fn check(model: &Path, engine: &str, mebibytes: u64) -> (String, u64) {
    let output = model.with_extension(format!("{engine}-{mebibytes}"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_tern"))
        .arg("check")
        .arg(model)
        .args(["--engine", engine, "--memory", &format!("{mebibytes}MiB")])
        .stdout(fs::File::create(&output).expect("an output file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("tern starts");
    let mut most = 0;
    // The peak only grows, so the last look at it, shortly before the end, is what counts.
    while child.try_wait().expect("tern is our child").is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    (fs::read_to_string(output).expect("the output"), most)
}

fn generate(folder: &Path, family: &str, size: &str) -> std::path::PathBuf {
    let model = folder.join(format!("{family}.tern"));
    let done = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(["generate", "rsm", "--family", family, "--size", size, "-o"])
        .arg(&model)
        .status()
        .expect("tern starts");
    assert!(done.success());
    model
}

#[test]
fn memory_stays_within_a_fifth_of_the_limit() {
    if peak(std::process::id()).is_none() {
        println!("skipped: this system does not say how much memory a program holds");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // 2^30 contexts: no limit suffices.
    let contexts = generate(folder.path(), "exponential", "30");
    // A hundred thousand nodes, and much to be known of each.
    let chain = generate(folder.path(), "chain", "20000");
    for (model, engine, limit) in [
        (&contexts, "eager", 96), // the program itself takes a part of the fifth
        (&contexts, "global", 96),
        (&chain, "ternary", 48),
        (&chain, "lazy", 32),
    ] {
        let (said, most) = check(model, engine, limit);
        assert!(
            said.contains(&format!("memory limit of {limit}.0 MiB reached")),
            "{engine}: {said}"
        );
        // On a busy machine the last look may come early: how much was seen decides nothing.
        println!("{engine} held {most} bytes of {limit} MiB");
        assert!(most <= (limit << 20) / 5 * 6, "{engine} held {most} bytes of {limit} MiB");
    }
}
