//! The kinds of programs that can be read, as a table: a new kind is a row of [`SOURCES`].

use crate::code::{Asked, Code};
use crate::{java, text};
use std::path::{Path, PathBuf};
use tern_front::{Problem, Refusal, Source as Text};
use tern_ir::{ClassId, NameId, Program};
use tern_model::Budget;
use tern_model::index::Id;

/// A kind of programs.
#[derive(Debug)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// The endings of its files, without the dot.
    pub endings: &'static [&'static str],
    /// The page of the guide on it.
    pub page: &'static str,
    /// The codes of its problems, each with what it means.
    pub codes: &'static [(&'static str, &'static str)],
    /// Whether something that has none of the endings, such as a folder, is such a program.
    pub is_one: fn(&Path) -> bool,
    /// Reads a program.
    pub read: fn(&Path, &Options, &Budget) -> Result<Reading, Refusal>,
}

/// How programs are read and looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where else code is found that the program uses.
    pub class_path: Vec<PathBuf>,
    /// The version of Java whose classes are taken from multi-release archives.
    pub release: Option<u16>,
    /// What is asked of the program.
    pub asked: Asked,
}

/// A program that was read.
#[derive(Debug)]
pub struct Reading {
    /// The program.
    pub program: Program,
    /// The first class that is not of the program itself.
    pub library: ClassId,
    /// Classes that provide services: a loader of services makes objects of them.
    pub providers: Vec<NameId>,
    /// What the reader left out, and how often.
    pub omitted: Vec<(String, usize)>,
    /// What should be known about the input.
    pub warnings: Vec<Problem>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// All kinds.
pub static SOURCES: [&Source; 2] = [&JAVA, &TEXT];

/// Class files, wherever they are kept, and Java source.
static JAVA: Source = Source {
    name: "java",
    endings: &["jar", "class", "java", "jmod", "war"],
    page: "docs/java.md",
    codes: java::CODES,
    is_one: holds_classes,
    read: read_java,
};

fn read_java(path: &Path, options: &Options, budget: &Budget) -> Result<Reading, Refusal> {
    let class_path = options.class_path.clone();
    let java = java::Options { class_path, release: options.release };
    let read = java::read(&[path.to_owned()], &java, budget)?;
    let java::Reading { program, library, services, report, warnings, .. } = read;
    let mut omitted: Vec<(String, usize)> =
        report.omissions.into_iter().map(|it| (it.reason, it.count)).collect();
    if !report.stubs.is_empty() {
        omitted.push(("methods whose code could not be translated".to_owned(), report.stubs.len()));
    }
    let providers = services.into_iter().map(|(_, provider)| provider).collect();
    Ok(Reading { program, library, providers, omitted, warnings, seconds: 0.0 })
}

/// How many files of a folder are looked at to tell whether it holds classes.
const MOST_LOOKED_AT: usize = 10_000;

/// Whether a path names the image of a JDK, or a folder of classes.
fn holds_classes(path: &Path) -> bool {
    let name = path.file_name().map_or("".into(), |name| name.to_string_lossy());
    if name == "modules" || name.starts_with("modules:") {
        return true;
    }
    let mut open = if path.is_dir() { vec![path.to_owned()] } else { Vec::new() };
    let mut looked_at = 0;
    while let Some(folder) = open.pop() {
        let Ok(inside) = std::fs::read_dir(folder) else { continue };
        for entry in inside.filter_map(Result::ok) {
            looked_at += 1;
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "class") {
                return true;
            }
            if looked_at < MOST_LOOKED_AT && entry.file_type().is_ok_and(|it| it.is_dir()) {
                open.push(path);
            }
        }
    }
    false
}

/// Programs in the text form of the intermediate language.
static TEXT: Source = Source {
    name: "ir",
    endings: &["ir"],
    page: "docs/java.md",
    codes: text::CODES,
    is_one: |_| false,
    read: read_text,
};

fn read_text(path: &Path, _: &Options, budget: &Budget) -> Result<Reading, Refusal> {
    let source: Text = tern_front::input::open_for(&path.to_string_lossy(), &["ir"], budget)?;
    let program = text::read(&source)?;
    let library = ClassId::new(program.classes().len());
    let (providers, omitted, warnings) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Reading { program, library, providers, omitted, warnings, seconds: 0.0 })
}

/// The kind of program that a path names, if it names one.
pub fn source_of(path: &str) -> Option<&'static Source> {
    let lower = path.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    let named = SOURCES.into_iter().find(|source| source.endings.contains(&ending));
    named.or_else(|| SOURCES.into_iter().find(|source| (source.is_one)(Path::new(path))))
}

/// Reads a program and finds where its calls lead.
///
/// # Errors
/// All that is wrong with it, or a limit.
pub fn open(
    source: &Source,
    path: &str,
    options: &Options,
    budget: &Budget,
) -> Result<(Code, Vec<Problem>), Refusal> {
    let begin = std::time::Instant::now();
    let mut reading = (source.read)(Path::new(path), options, budget)?;
    reading.seconds = begin.elapsed().as_secs_f64();
    let warnings = reading.warnings.clone();
    Ok((Code::new(reading, &options.asked, budget)?, warnings))
}
