//! What options may be set to.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::num::NonZero;
use tern_engine::{ENGINES, Engine};
use tern_front::{FORMATS, Format};

/// When states of programs are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReductionWhen {
    /// In large programs
    Auto,
    /// Wherever it can be done
    On,
    /// Never
    Off,
}

/// How the runs of an automaton are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Acceptance {
    /// Several marks on transitions, each again and again
    Generalised,
    /// One mark on transitions
    Buchi,
    /// One mark, on states
    State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// A picture
    Svg,
    /// A graph, to be laid out by Graphviz
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JsonForm {
    /// One object, when all is done
    Object,
    /// One result a line, each as soon as it and all before it are known
    Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Witness {
    /// The beginning and the end of a long run
    Short,
    /// All of it
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceStyle {
    /// As NuSMV prints counterexamples
    Nusmv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deadlock {
    /// They stay where they are for ever, with a warning
    Loop,
    /// A model that can reach one is refused
    Error,
}

/// The name by which Tern is asked to choose an engine.
pub(super) const AUTO: &str = "auto";

/// An engine by its name, or none: Tern chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EngineChoice(pub(crate) Option<&'static Engine>);

impl EngineChoice {
    /// The name as it is written on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.0.map_or(AUTO, |engine| engine.name)
    }
}

/// The formats that models can be written in, by name.
pub(super) fn written_formats() -> impl TypedValueParser<Value = &'static Format> {
    let written = FORMATS.into_iter().filter(|format| format.writer.is_some());
    let values = written.map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(values)
        .map(|name| Format::named(&name).expect("only names of formats are taken"))
}

pub(super) fn engines() -> impl TypedValueParser<Value = EngineChoice> {
    let auto = PossibleValue::new(AUTO).help("the best default that can decide the claim");
    let named = ENGINES.into_iter().map(|engine| {
        PossibleValue::new(engine.name).help(format!("{}: {}", engine.logic, engine.about))
    });
    PossibleValuesParser::new(std::iter::once(auto).chain(named))
        .map(|name| EngineChoice(Engine::named(&name)))
}

/// More threads than this take longer to start than most claims take to be decided.
const MOST_THREADS: usize = 1024;

pub(crate) fn threads(text: &str) -> Result<NonZero<usize>, String> {
    let wanted = text.parse::<NonZero<usize>>().ok().filter(|wanted| wanted.get() <= MOST_THREADS);
    wanted.ok_or_else(|| format!("write a number from 1 to {MOST_THREADS}"))
}
