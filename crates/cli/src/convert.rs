//! `tern convert`: writes a model in another format, whole or not at all.

use crate::args::ConvertArgs;
use crate::failure::{Failure, Status};
use crate::load;
use crate::terminal::Terminal;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tern_front::Wrong;
use tern_front::render::render;
use tern_front::{FORMATS, Format, Problem, Source};
use tern_model::{Budget, Claims, Machine, Start};
use tern_report::counted;

/// Runs the subcommand.
pub(crate) fn run(args: &ConvertArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    let format = output_format(args)?;
    if !to_stdout && !args.force && is_regular_file(&args.output) {
        return Err(Failure::Usage {
            message: format!("`{}` exists", args.output.display()),
            hint: "overwrite it with --force".to_owned(),
        });
    }
    let model = load::model(&args.input, &args.reading, &Budget::unlimited())?;
    let text = written(format, &model.source.name, &model.machine, &model.claims, terminal)?;
    if to_stdout {
        terminal.print(&text)?;
    } else {
        write_whole(&args.output, text.as_bytes())
            .map_err(|cause| Failure::File(args.output.display().to_string(), cause))?;
    }
    Ok(Status::Good)
}

fn output_format(args: &ConvertArgs) -> Result<&'static Format, Failure> {
    if let Some(format) = args.to.or(format_of(Some(&args.output))) {
        return Ok(format);
    }
    if let Some(format) = Format::of_name(&args.output.to_string_lossy()) {
        return Err(not_written(format));
    }
    let written: Vec<&Format> = FORMATS.into_iter().filter(|it| it.writer.is_some()).collect();
    let said = |say: fn(&&Format) -> String| {
        let words: Vec<String> = written.iter().map(say).collect();
        words.join(" or ")
    };
    let endings = said(|format| format!(".{}", format.endings[0]));
    let options = said(|format| format!("--to {}", format.name));
    Err(Failure::Usage {
        message: format!("cannot tell the format to write from `{}`", args.output.display()),
        hint: format!("name a {endings} file, or say {options}"),
    })
}

/// The format that the name of an output tells, if it can be written.
pub(crate) fn format_of(output: Option<&Path>) -> Option<&'static Format> {
    Format::of_name(output?.to_str()?).filter(|format| format.writer.is_some())
}

/// A model in a format that can be written. What is left out is warned of.
pub(crate) fn written(
    format: &Format,
    name: &str,
    machine: &Machine,
    claims: &Claims,
    terminal: &Terminal,
) -> Result<String, Failure> {
    let source = Source::new(name, "");
    let Some(writer) = format.writer else { return Err(not_written(format)) };
    let text = (writer.write)(machine, claims)
        .map_err(|problems| Failure::Input(vec![Wrong { source: source.clone(), problems }]))?;
    let elsewhere = claims.list().iter().filter(|claim| claim.start != Start::Initial).count();
    if writer.holds_claims && elsewhere > 0 {
        let (claims, ending) = (counted(elsewhere, "claim"), format.endings[0]);
        let message = format!(
            "{claims} left out: a .{ending} file cannot say that a claim begins elsewhere than \
             the program"
        );
        let problem = Problem::warning("W208", message).hint("check them on the model as it is");
        terminal.complain(&render(&source, &problem, terminal.err));
    }
    if !writer.holds_claims {
        let (ending, count) = (format.endings[0], claims.list().len());
        if count > 0 {
            let message =
                format!("{} left out: .{ending} files hold no claims", counted(count, "claim"));
            let problem = Problem::warning("W203", message).hint("keep them in a .ctl file");
            terminal.complain(&render(&source, &problem, terminal.err));
        }
        if !claims.fair().is_empty() {
            let message =
                format!("the fairness conditions are left out: .{ending} files hold none");
            let problem = Problem::warning("W204", message)
                .hint("give them with --fair or --compassion, or as FAIRNESS or COMPASSION lines in a .ctl file");
            terminal.complain(&render(&source, &problem, terminal.err));
        }
    }
    Ok(text)
}

/// Why a format is read only.
fn not_written(format: &Format) -> Failure {
    let (ending, called) = (format.endings[0], format.called);
    Failure::Usage {
        message: format!("no model is written as {called}, which .{ending} files are"),
        hint: format!(
            "their statements cannot be found again in states ({}); write .tern instead",
            format.page
        ),
    }
}

/// Whether a file is there that would be overwritten.
pub(crate) fn is_regular_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Writes a file so that it is seen with all of its new content or not at all.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.exists() && !is_regular_file(path) {
        // A pipe or a device is written to; it must not be replaced by a file.
        return File::options().write(true).open(path)?.write_all(content);
    }
    // Through links, so that the file itself is replaced and not the link to it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let mut file = File::options().write(true).create_new(true).open(&temporary)?;
    let written = file
        .write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // What matters is the first error; the leftover is named so that it can be recognised.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out.tern");
        write_whole(&path, b"one").expect("written");
        write_whole(&path, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 1);
        assert!(write_whole(&directory.path().join("no/such/dir"), b"x").is_err());
        assert!(write_whole(directory.path(), b"x").is_err(), "a directory");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let directory = tempfile::tempdir().expect("a directory");
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_whole(&link, b"new").expect("written");
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
