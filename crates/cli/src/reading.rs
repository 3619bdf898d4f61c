//! How models are to be read: the options that the formats of programs take.

use clap::ValueEnum;
use tern_front::{Setting, Source};

/// What overrules a model on how it is to be read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Programs")]
pub(crate) struct ReadingArgs {
    /// What one step of a program is
    #[arg(long, value_name = "KIND")]
    granularity: Option<Granularity>,
    /// How the steps of processes are put together
    #[arg(long, value_name = "KIND")]
    composition: Option<Composition>,
    /// Ask only of runs on which every process goes on, unless it is at its end
    #[arg(long)]
    fair_processes: bool,
}

/// What one step of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Granularity {
    /// A statement
    Statement,
    /// A load, an operation or a store
    Fine,
}

/// How the steps of processes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Composition {
    /// One process at a time
    Asynchronous,
    /// All processes at once
    Synchronous,
}

impl ReadingArgs {
    /// Lets a text be read in this way.
    pub(crate) fn apply(&self, source: &mut Source) {
        let mut set = |name: &str, value: &str| {
            let (name, value) = (name.to_owned(), value.to_owned());
            source.settings.push(Setting { name, value });
        };
        match self.granularity {
            Some(Granularity::Statement) => set("granularity", "statement"),
            Some(Granularity::Fine) => set("granularity", "fine"),
            None => {}
        }
        match self.composition {
            Some(Composition::Asynchronous) => set("composition", "asynchronous"),
            Some(Composition::Synchronous) => set("composition", "synchronous"),
            None => {}
        }
        if self.fair_processes {
            set("fairness", "processes");
        }
    }
}
