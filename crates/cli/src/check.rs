//! `tern check`: decides claims on models and prints what was concluded.
//!
//! [`targets`] sorts what is named on the command line into models and files of claims. [`one`]
//! decides the claims on one model, [`many`] goes through several; [`demand`] is for programs
//! whose states come on demand, [`heap`] for pointer programs. [`explain`] finds what nobody
//! asked for and everybody wants to know, [`output`] prints, and [`page`] writes the page.

mod demand;
mod explain;
mod heap;
pub(crate) mod integers;
mod many;
mod one;
mod output;
mod page;
mod targets;

use crate::args::CheckArgs;
use crate::failure::{Failure, Status};
use crate::files::refuse_printed_page;
use crate::limits::Limits;
use crate::load;
use crate::progress::Progress;
use crate::terminal::Terminal;
pub(crate) use heap::{failure as heap_failure, read as read_heap};
use output::Output;
use std::path::Path;
use targets::Targets;
pub(crate) use targets::{Job, search};
use tern_engine::{ENGINES, Engine, Setting};
use tern_report::table::{Row, Verdicts};

/// What all parts of a check share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    args: &'a CheckArgs,
    limits: &'a Limits,
    progress: &'a Progress,
    output: &'a Output<'a>,
}

/// Runs the subcommand.
pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let limits = Limits::new(args.timeout, args.memory);
    limits.heed_interrupts();
    let progress = Progress::start(!args.quiet);
    let targets = refuse_nonsense(args).and_then(|()| Targets::find(args));
    let several = targets.as_ref().is_ok_and(|targets| targets.several);
    let output = Output::new(args, terminal, &progress, several);
    let shared = Shared { args, limits: &limits, progress: &progress, output: &output };
    let checked = targets.and_then(|targets| match targets.several {
        true => many::run(&targets, shared),
        false if integers::is_program(&targets.models[0]) => {
            let tally = integers::run(targets.job(0), shared)?;
            Ok(tally.status())
        }
        false => {
            let job = targets.job(0);
            heap::refuse_settings(job, args)?;
            if !CheckArgs::is_method(job.model, &args.heap) {
                integers::refuse_settings(&args.reading)?;
            }
            integers::refuse_precondition(args)?;
            let tally = one::run(job, shared)?;
            let row = Row { model: job.model, verdicts: tally.verdicts() };
            output.summary_line(&[row], tally.left_out == 0)?;
            Ok(tally.status())
        }
    });
    if let Err(failure) = &checked
        && !several
    {
        output.refused(&args.paths[0], failure)?;
        let row = Row { model: &args.paths[0], verdicts: Verdicts::Refused };
        output.summary_line(&[row], true)?;
    }
    if !matches!(checked, Err(Failure::Usage { .. })) {
        output.write_page()?;
    }
    checked
}

/// Whether the graph goes to standard output, and verdicts give way to it.
fn graph_is_printed(args: &CheckArgs) -> bool {
    args.dot.as_deref() == Some(Path::new("-"))
}

/// Refuses what makes no sense together.
fn refuse_nonsense(args: &CheckArgs) -> Result<(), Failure> {
    if args.json.is_some() && graph_is_printed(args) {
        return Err(Failure::Usage {
            message: "--json and --dot - both write to standard output".to_owned(),
            hint: "name a file for the graph: --dot FILE".to_owned(),
        });
    }
    refuse_printed_page(args.html.as_deref())?;
    load::refuse_reduction(args)?;
    refuse_idle_settings(args)
}

/// Refuses settings that the engine does not read.
fn refuse_idle_settings(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--seed", args.seed.is_some(), Setting::Seed),
        ("--shuffle", args.shuffle.is_some(), Setting::Shuffle),
    ];
    for (option, is_given, setting) in given {
        let reads = |engine: &&Engine| engine.reads(setting);
        if is_given && !args.engine.0.is_some_and(|engine| reads(&engine)) {
            let readers = ENGINES.into_iter().filter(reads).map(|engine| engine.name);
            let readers = readers.collect::<Vec<_>>().join(" or ");
            return Err(Failure::Usage {
                message: format!(
                    "{option} changes nothing for the engine `{}`",
                    args.engine.name()
                ),
                hint: format!("it is read by the engine {readers}: --engine {readers}"),
            });
        }
    }
    Ok(())
}
