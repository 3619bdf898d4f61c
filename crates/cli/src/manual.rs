//! Completion scripts and manual pages, made from the definition of the command line.

use crate::args::Args;
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell, terminal: &Terminal) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "tern", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Good)
}

/// Prints a manual page: that of a subcommand, or that of `tern`.
pub(crate) fn page(subcommand: Option<&str>, terminal: &Terminal) -> Result<Status, Failure> {
    let mut command = Args::command();
    command.build(); // so that subcommands know the options they share
    let command: Command = match subcommand {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                return Err(Failure::Usage {
                    message: format!("there is no subcommand `{name}`"),
                    hint: format!("the subcommands are {}", names.join(", ")),
                });
            }
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::Output)?;
    terminal.print(&String::from_utf8_lossy(&page))?;
    Ok(Status::Good)
}
