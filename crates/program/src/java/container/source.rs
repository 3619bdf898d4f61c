//! Java source: compiled by `javac -g` into a temporary folder, which is then read.

use super::super::Options;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tern_front::{Problem, Refusal};
use tern_model::Budget;

/// What is to be read, with source compiled; the classes made of it last as long as this.
#[derive(Debug)]
pub(in super::super) struct Opened {
    inputs: Vec<PathBuf>,
    _made: Option<TempDir>,
}

impl Opened {
    /// Files and folders with classes.
    pub(in super::super) fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }
}

/// Compiles what is source among the inputs, all of it at once.
pub(in super::super) fn compiled(
    inputs: &[PathBuf],
    options: &Options,
    budget: &Budget,
) -> Result<Opened, Refusal> {
    let (sources, mut inputs): (Vec<PathBuf>, Vec<PathBuf>) =
        inputs.iter().cloned().partition(|path| path.extension().is_some_and(|e| e == "java"));
    if sources.is_empty() {
        return Ok(Opened { inputs, _made: None });
    }
    let Some(javac) = find_tool("javac") else {
        let message = format!("`{}` is source, and there is no `javac`", sources[0].display());
        let hint = "install a JDK, or set JAVA_HOME; or compile it with `javac -g` elsewhere and \
                    name the class files";
        return Err(Problem::error("J007", message).hint(hint).into());
    };
    let failed = |what: String| Refusal::from(Problem::error("J008", what));
    let made = tempfile::tempdir()
        .map_err(|error| failed(format!("no temporary folder for `javac`: {error}")))?;
    let said = made.path().join("javac.txt");
    let log = File::create(&said)
        .map_err(|error| failed(format!("no temporary file for `javac`: {error}")))?;
    let mut command = Command::new(&javac);
    command.args(["-g", "-nowarn", "-proc:none", "-d"]).arg(made.path());
    let path = env::join_paths(inputs.iter().chain(&options.class_path));
    if let (Ok(path), false) = (path, inputs.is_empty() && options.class_path.is_empty()) {
        command.arg("-cp").arg(path);
    }
    command.args(&sources).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let done = run(command, budget)
        .map_err(|error| failed(format!("`{}` cannot be started: {error}", javac.display())))??;
    if !done {
        let mut text = String::new();
        let reading = File::open(&said).map(|file| file.take(4000).read_to_string(&mut text));
        let hint = if reading.is_ok() { text.trim_end() } else { "it said nothing" };
        let message = format!("`javac` refuses `{}`", sources[0].display());
        return Err(Problem::error("J008", message).hint(hint).into());
    }
    inputs.insert(0, made.path().to_owned());
    Ok(Opened { inputs, _made: Some(made) })
}

/// Runs a command to its end, or to that of the budget; says whether it succeeded.
fn run(mut command: Command, budget: &Budget) -> std::io::Result<Result<bool, Refusal>> {
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status.success()));
        }
        if let Err(limit) = budget.check() {
            child.kill()?;
            child.wait()?;
            return Ok(Err(limit.into()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program of a JDK: that of `JAVA_HOME`, the one on the path, or one of `/usr/lib/jvm`.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    installed.sort();
    let places = home.into_iter().chain(env::split_paths(&path).collect::<Vec<_>>());
    places.chain(installed).map(|place| place.join(name)).find(|tool| tool.is_file())
}
