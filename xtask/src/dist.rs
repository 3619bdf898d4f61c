//! Builds what a user without Rust can unpack and run: `target/dist/tern-VERSION-TARGET.tar.gz`.
//!
//! The binary is linked statically, so that it runs on any Linux of the same processor; on other
//! systems it is linked as usual there.

use crate::page::note;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The shells that completions are made for, and what their files are called.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "tern.bash"), ("zsh", "_tern"), ("fish", "tern.fish")];

/// Builds the archive.
pub(crate) fn run() -> io::Result<()> {
    let target = host()?;
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("tern-{version}-{target}");
    let folder = Path::new("target/dist").join(&name);
    let binary = build(&target)?;
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(&binary, folder.join(binary.file_name().unwrap_or_default()))?;
    fs::write(folder.join("tern.1"), said(&binary, &["man"])?)?;
    for (shell, file) in COMPLETIONS {
        fs::write(folder.join("completions").join(file), said(&binary, &["completions", shell])?)?;
    }
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(file, folder.join(file))?;
    }
    let archive = format!("target/dist/{name}.tar.gz");
    succeed(Command::new("tar").args(["-czf", &archive, "-C", "target/dist", &name]))?;
    note(&format!("{archive} is ready, {} KiB", fs::metadata(&archive)?.len() / 1024));
    Ok(())
}

/// The computer this runs on, as Rust calls it.
fn host() -> io::Result<String> {
    let told = said(Path::new("rustc"), &["-vV"])?;
    let told = String::from_utf8_lossy(&told).into_owned();
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| io::Error::other("rustc does not tell its host"))
}

/// Builds the binary and says where it is.
fn build(target: &str) -> io::Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--locked", "--profile", "dist", "-p", "tern-cli", "--target", target]);
    if target.contains("linux") {
        cargo.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    succeed(&mut cargo)?;
    let file = format!("tern{}", std::env::consts::EXE_SUFFIX);
    Ok(Path::new("target").join(target).join("dist").join(file))
}

fn said(program: &Path, args: &[&str]) -> io::Result<Vec<u8>> {
    let output = Command::new(program).args(args).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{} {} failed", program.display(), args.join(" "))));
    }
    Ok(output.stdout)
}

fn succeed(command: &mut Command) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{command:?} failed"))),
    }
}
