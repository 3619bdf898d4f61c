//! `tern grammar`: what the graph grammars of a `.heap` file are.

use crate::check::heap_failure;
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;
use tern_front::problem::Refusal;
use tern_front::{Source, Wrong, input};
use tern_model::Budget;

/// Runs the subcommand.
pub(crate) fn run(file: &str, terminal: &Terminal) -> Result<Status, Failure> {
    let budget = Budget::unlimited();
    let source = input::open_for(file, &["heap"], &budget).map_err(|refusal| match refusal {
        Refusal::Problems(problems) => {
            Failure::Input(vec![Wrong { source: Source::new(file, ""), problems }])
        }
        Refusal::Limit(limit) => Failure::Limit(limit),
    })?;
    let report = tern::heap::grammar_report(&source).map_err(heap_failure)?;
    terminal.print(&report)?;
    Ok(Status::Good)
}
