//! `tern convert`: writes a model in another format, whole or not at all.

use crate::args::ConvertArgs;
use crate::failure::{Failure, Status};
use crate::files::Output;
use crate::load;
use crate::terminal::Terminal;
use std::path::Path;
use tern_front::Wrong;
use tern_front::render::render;
use tern_front::{FORMATS, Format, Problem, Source};
use tern_model::{Budget, Claims, Machine, Start};
use tern_report::counted;

/// Runs the subcommand.
pub(crate) fn run(args: &ConvertArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let format = output_format(args)?;
    let output = Output::new(&args.output, args.force)?;
    let model = load::model(&args.input, &args.reading, &Budget::unlimited())?;
    let text = written(format, &model.source.name, &model.machine, &model.claims, terminal)?;
    output.write(&text, terminal)?;
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
