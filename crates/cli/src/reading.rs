//! How models are to be read: the options that the formats of programs take.

use crate::failure::Failure;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use tern_front::{Setting, Source};
use tern_program::c::syntax::Widths;
use tern_program::code::Asked;
use tern_program::sources::Options;

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
    /// What is true of the initial states of a C program, such as 'n > 0'; may be repeated
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(crate) given: Vec<String>,
    /// What global variables of a C program begin with, if they are given no value
    #[arg(long, value_name = "RULE")]
    pub(crate) globals: Option<GlobalRule>,
    /// What becomes of runs of a C program through a false assertion
    #[arg(long, value_name = "RULE")]
    pub(crate) assert: Option<AssertionRule>,
    /// How many bits `int` has in a C program: integers wrap, and there are operators on bits
    #[arg(long, value_name = "BITS", value_parser = bits(&["8", "16", "32", "64"]))]
    pub(crate) int: Option<u32>,
    /// How many bits `long` has in a C program with --int
    #[arg(long, value_name = "BITS", value_parser = bits(&["32", "64"]), requires = "int")]
    pub(crate) long: Option<u32>,
    /// Run `cc -E` on a C program first; `#include <...>` is left out
    #[arg(long)]
    pub(crate) preprocess: bool,
    /// Where a program begins: Class.method, in which `*` stands for any letters
    #[arg(long, value_name = "METHOD")]
    entry: Vec<String>,
    /// Where classes are found that a program uses: archives and folders
    #[arg(long, value_name = "PATHS", value_delimiter = CLASS_PATH_SEPARATOR)]
    classpath: Vec<String>,
    /// Which Java to read multi-release archives for; without it, their base entries are read
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u16).range(8..))]
    release: Option<u16>,
    /// Let `null`, bad indices and their like throw
    #[arg(long)]
    implicit: bool,
    /// What code does that cannot be followed
    #[arg(long, value_name = "KIND")]
    stubs: Option<Stubs>,
}

/// What global variables begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GlobalRule {
    /// 0, unless --given names them
    Zero,
    /// Any number
    Any,
}

/// What becomes of runs through a false assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AssertionRule {
    /// They stay in a state with the label `failed`
    Fail,
    /// They do not exist
    Assume,
}

impl GlobalRule {
    pub(crate) fn word(self) -> &'static str {
        match self {
            GlobalRule::Zero => "zero",
            GlobalRule::Any => "any",
        }
    }
}

impl AssertionRule {
    pub(crate) fn word(self) -> &'static str {
        match self {
            AssertionRule::Fail => "fail",
            AssertionRule::Assume => "assume",
        }
    }
}

/// Reads one of some numbers of bits.
fn bits(numbers: &'static [&'static str]) -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(numbers).map(|text| text.parse().unwrap_or_default())
}

const CLASS_PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// What code does that cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stubs {
    /// It returns or throws
    Throw,
    /// It returns
    Return,
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
    /// How many bits the integers of a C program have; `None` if they are mathematical.
    pub(crate) fn widths(&self) -> Result<Option<Widths>, Failure> {
        let Some(int) = self.int else { return Ok(None) };
        let usual = Widths::of_int(int);
        match self.long {
            Some(long) if long < int => Err(Failure::Usage {
                message: format!("`long` cannot have fewer bits than `int`: {long} and {int}"),
                hint: "leave out --long, or give it more".to_owned(),
            }),
            Some(long) => Ok(Some(Widths { long, ..usual })),
            None => Ok(Some(usual)),
        }
    }

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
        self.entry.iter().for_each(|entry| set("entry", entry));
        self.classpath.iter().for_each(|path| set("classpath", path));
        if let Some(release) = self.release {
            set("release", &release.to_string());
        }
        if self.implicit {
            set("implicit", "true");
        }
        if self.stubs.is_some() {
            set("stubs", "given");
        }
    }

    /// How a program is to be read, or the setting that programs do not have.
    pub(crate) fn for_program(&self) -> Result<Options, &'static str> {
        if self.granularity.is_some() {
            return Err("granularity");
        }
        if self.composition.is_some() {
            return Err("composition");
        }
        if self.fair_processes {
            return Err("fairness");
        }
        let asked = Asked {
            entries: self.entry.clone(),
            implicit: self.implicit,
            stubs_return: self.stubs == Some(Stubs::Return),
        };
        let mut class_path: Vec<String> = Vec::new();
        for piece in &self.classpath {
            // `lib/modules:java.base` is one place.
            match class_path.last_mut() {
                Some(last) if last.ends_with("modules") && !piece.contains(['/', '\\']) => {
                    *last += &format!(":{piece}");
                }
                _ => class_path.push(piece.clone()),
            }
        }
        let class_path = class_path.into_iter().map(PathBuf::from).collect();
        Ok(Options { class_path, release: self.release, asked })
    }
}
