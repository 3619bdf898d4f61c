//! The command line of Tern: arguments in, files read, claims decided, exit status out.
//!
//! Nothing is decided here. All problems of the inputs are reported before anything is checked,
//! and results go to standard output, everything else to standard error.

mod args;
mod automaton;
mod certify;
mod check;
mod codes;
mod convert;
mod draw;
mod failure;
mod files;
mod fmt;
mod generate;
mod grammar;
mod info;
mod limits;
mod load;
mod manual;
mod progress;
mod reading;
mod scan;
mod simulate;
mod terminal;
mod warnings;

use args::{Args, Command};
use clap::Parser;
use failure::{FAULT, Failure, Status};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use terminal::Terminal;

fn main() -> ExitCode {
    panic::set_hook(Box::new(ask_for_a_report));
    // A fault must never look like a verdict, so it has a status of its own.
    let status = panic::catch_unwind(run).unwrap_or(FAULT);
    ExitCode::from(status)
}

fn run() -> u8 {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(message) => {
            if let Some(path) = model_without_command(&message) {
                let terminal = Terminal::new(args::Color::Auto, usize::MAX);
                let message = format!("`{path}` is a file, and no command");
                let hint = format!("to check its claims: tern check {path}");
                return Failure::Usage { message, hint }.report(&terminal, "");
            }
            message.exit() // help and version are such messages, with status 0
        }
    };
    let terminal = Terminal::new(args.color, args.most_problems());
    let (result, consequence): (Result<Status, Failure>, _) = match &args.command {
        Command::Check(args) => (check::run(args, &terminal), "nothing was checked"),
        Command::Info(args) => (info::run(args, &terminal), "the model was not read"),
        Command::Convert(args) => (convert::run(args, &terminal), "nothing was written"),
        Command::Draw(args) => (draw::run(args, &terminal), "nothing was written"),
        Command::Grammar { file } => (grammar::run(file, &terminal), "no grammar was read"),
        Command::Fmt(args) => (fmt::run(args, &terminal), "these files are left as they are"),
        Command::Generate(args) => (generate::run(args, &terminal), "nothing was written"),
        Command::Automaton(args) => (automaton::run(args, &terminal), "nothing was written"),
        Command::Certify(args) => (certify::run(args, &terminal), "no evidence was checked"),
        Command::Scan(args) => (scan::run(args, &terminal), "nothing was scanned"),
        Command::Rules { command } => (scan::rules(command, &terminal), "no rule was tried"),
        Command::Simulate(args) => (simulate::run(args, &terminal), "the model was not read"),
        Command::Explain { code } => (codes::explain(code.as_deref(), &terminal), ""),
        Command::Completions { shell } => (manual::completions(*shell, &terminal), ""),
        Command::Man { subcommand } => (manual::page(subcommand.as_deref(), &terminal), ""),
    };
    match result {
        Ok(status) => status as u8,
        Err(failure) => failure.report(&terminal, consequence),
    }
}

/// The file that was named where a command should stand, if that is what is wrong.
fn model_without_command(message: &clap::Error) -> Option<String> {
    let first = std::env::args().nth(1)?;
    let is_no_command = message.kind() == clap::error::ErrorKind::InvalidSubcommand;
    (is_no_command && std::path::Path::new(&first).exists()).then_some(first)
}

fn ask_for_a_report(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let cause = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "no message",
    };
    let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
    Terminal::new(args::Color::Never, usize::MAX)
        .complain(&failure::fault(&format!("{cause}{place}")));
}
