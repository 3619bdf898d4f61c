//! `tern fmt`: lays `.tern` files out, in place.

use crate::args::FmtArgs;
use crate::check::search;
use crate::failure::{Failure, Status};
use crate::files::write_whole;
use crate::load::{ends_in, misplaced};
use crate::terminal::Terminal;
use std::fs;
use std::io::Read;
use std::path::Path;
use tern_front::{Problem, Refusal, Source, Wrong, tern};
use tern_model::Budget;
use tern_report::visible;

const ONLY_TERN: &str = "only .tern files are laid out; `tern convert` writes other formats";

/// Runs the subcommand. Files that are wrong are left as they are, and do not stop the rest.
pub(crate) fn run(args: &FmtArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        match Path::new(path).is_dir() {
            true => files.extend(search(path, &["tern"])?),
            false => files.push(path.clone()),
        }
    }
    let mut wrong = Vec::new();
    let mut status = Status::Good;
    for path in &files {
        match format(path) {
            Err(found) => wrong.push(found),
            Ok((_, new)) if path == "-" && !args.check => terminal.print(&new)?,
            Ok((old, new)) if old == new.as_bytes() => {}
            Ok(_) if args.check => {
                terminal.print(&format!("{}\n", visible(path)))?;
                status = Status::Fails;
            }
            Ok((_, new)) => {
                write_whole(Path::new(path), new.as_bytes())?;
                terminal.print(&format!("formatted {}\n", visible(path)))?;
            }
        }
    }
    if wrong.is_empty() { Ok(status) } else { Err(Failure::Input(wrong)) }
}

/// A file as it is, and laid out.
fn format(path: &str) -> Result<(Vec<u8>, String), Wrong> {
    if path != "-" && (!ends_in(path, &["tern"]) || path.to_ascii_lowercase().ends_with(".gz")) {
        return Err(misplaced(path, "no .tern file", ONLY_TERN));
    }
    let mut bytes = Vec::new();
    let read = match path {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
        _ => fs::read(path).map(|content| bytes = content),
    };
    if let Err(cause) = read {
        let message = format!("`{path}` could not be read: {cause}");
        let problems = vec![Problem::error("I004", message)];
        return Err(Wrong { source: Source::new(path, ""), problems });
    }
    let source = Source::new(if path == "-" { "standard input" } else { path }, bytes);
    match tern::format(&source, &Budget::unlimited()) {
        Ok(text) => Ok((source.bytes, text)),
        Err(Refusal::Problems(problems)) => Err(Wrong { source, problems }),
        Err(Refusal::Limit(limit)) => {
            let problems = vec![Problem::error("I004", limit.to_string())];
            Err(Wrong { source, problems })
        }
    }
}
