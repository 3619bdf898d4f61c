//! Java programs: class files, wherever they are kept, become a program of the intermediate
//! language.

pub mod class;
pub mod container;
mod lower;
mod report;

pub use report::{Omission, Report, Stub};

use class::ClassFile;
use container::{Item, Origin};
use lower::{Basics, Failure, Lowered};
use report::Tally;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use tern_front::{Problem, Refusal};
use tern_ir::{ClassId, NameId, Program};
use tern_model::Budget;
use tern_model::budget::Meter;

/// All codes of this reader, each with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("J001", "A file or folder that cannot be read."),
    ("J002", "A file that is no class file, archive, folder or image of a JDK."),
    ("J003", "A class file that is damaged."),
    ("J004", "An archive that is damaged."),
    ("J005", "An archive that unpacks to more than such an archive can hold."),
    ("J006", "An image of a JDK (`lib/modules`) that is damaged or of an unknown version."),
    ("J007", "Java source, but no `javac` to compile it."),
    ("J008", "Java source that `javac` refuses."),
    ("J009", "No class in what was named."),
    ("J010", "A module that the image of the JDK does not have."),
    ("J101", "Classes that were left out because others of the same name came first."),
    ("J102", "Class files inside an archive, folder or image that were left out as damaged."),
    ("J103", "Class files of a version of Java that is newer than those known."),
    ("J104", "Classes of multi-release archives for a later Java, which were left out."),
];

/// How programs are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where classes are found that the program uses, in this order.
    pub class_path: Vec<PathBuf>,
    /// The version of Java whose classes are taken from multi-release archives; if it is not given,
    /// the base entries are taken, and a warning says what was left out.
    pub release: Option<u16>,
}

/// A program that was read.
#[derive(Debug)]
pub struct Reading {
    /// The program.
    pub program: Program,
    /// The first class that comes from the class path: those before are of the program itself.
    pub library: ClassId,
    /// Services with classes that provide them, as archives and modules say.
    pub services: Vec<(NameId, NameId)>,
    /// What was read, and what of it was not modelled.
    pub report: Report,
    /// What should be known about the input.
    pub warnings: Vec<Problem>,
}

/// Reads programs: class files, archives, folders, images of a JDK (`lib/modules`, or
/// `lib/modules:java.base` for one module), and Java source if there is a compiler.
///
/// # Errors
/// All that is wrong with the input, or the limit that was reached. A damaged class inside an
/// archive, folder or image is left out with a warning.
pub fn read(inputs: &[PathBuf], options: &Options, budget: &Budget) -> Result<Reading, Refusal> {
    let mut reader = Reader::new(budget);
    let mut problems = Vec::new();
    let opened = container::compiled(inputs, options, budget)?;
    for input in opened.inputs() {
        reader.input(input, options, &mut problems)?;
    }
    let library = reader.program.classes().next_id();
    reader.beside(options, &mut problems)?;
    for input in &options.class_path {
        if std::fs::canonicalize(input).is_ok_and(|input| reader.seen.contains(&input)) {
            continue;
        }
        reader.input(input, options, &mut problems)?;
        reader.beside(options, &mut problems)?;
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    if reader.tally.report.classes == 0 {
        let names: Vec<String> = inputs.iter().map(|it| format!("`{}`", it.display())).collect();
        let message = format!("there is no class in {}", names.join(", "));
        let hint = "an archive may only name others; name those that hold the classes";
        return Err(Problem::error("J009", message).hint(hint).into());
    }
    Ok(reader.finish(library))
}

/// Reads one class file that is in memory; `name` is what messages call it.
///
/// # Errors
/// What is wrong with it, or the limit that was reached.
pub fn read_class(name: &str, bytes: &[u8], budget: &Budget) -> Result<Reading, Refusal> {
    let mut reader = Reader::new(budget);
    reader.class(&Origin { path: name.to_owned(), within: None }, bytes)?;
    let library = reader.program.classes().next_id();
    Ok(reader.finish(library))
}

struct Reader<'b> {
    program: Program,
    basics: Basics,
    tally: Tally,
    meter: Meter<'b>,
    services: Vec<(NameId, NameId)>,
    /// Archives inside others.
    nested: Vec<PathBuf>,
    /// What manifests name, and what of it was read already.
    named: Vec<PathBuf>,
    seen: FxHashSet<PathBuf>,
    /// How many classes came twice, and the first of them with where it was.
    duplicates: (usize, String),
    damaged: (usize, String),
    newer: (usize, String),
    /// How many classes are meant for a later Java, the first archive that has some, and the
    /// newest such Java.
    later: (usize, String, u16),
}

impl<'b> Reader<'b> {
    fn new(budget: &'b Budget) -> Self {
        let mut program = Program::new();
        let basics = Basics::new(&mut program);
        Reader {
            program,
            basics,
            tally: Tally::default(),
            meter: Meter::new(budget),
            services: Vec::new(),
            nested: Vec::new(),
            named: Vec::new(),
            seen: FxHashSet::default(),
            duplicates: (0, String::new()),
            damaged: (0, String::new()),
            newer: (0, String::new()),
            later: (0, String::new(), 0),
        }
    }

    /// Reads what a path names, and notes that it was.
    fn input(
        &mut self,
        path: &Path,
        options: &Options,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Refusal> {
        self.seen.extend(std::fs::canonicalize(path));
        let budget = self.meter.budget();
        let read = container::each(path, options, budget, &mut |item| self.item(item));
        match read {
            Err(Refusal::Problems(found)) => problems.extend(found),
            other => other?,
        }
        Ok(())
    }

    /// Reads archives inside those that were read, and what their manifests name. What is wrong
    /// with something that nobody named on purpose is only told.
    fn beside(&mut self, options: &Options, problems: &mut Vec<Problem>) -> Result<(), Refusal> {
        for path in std::mem::take(&mut self.nested) {
            self.input(&path, options, problems)?;
        }
        let mut open: Vec<PathBuf> = std::mem::take(&mut self.named);
        open.reverse();
        while let Some(path) = open.pop() {
            let whole = std::fs::canonicalize(&path).unwrap_or(path);
            if self.seen.contains(&whole) {
                continue;
            }
            let mut found = Vec::new();
            self.input(&whole, options, &mut found)?;
            for problem in found {
                note(&mut self.damaged, || problem.message.clone());
            }
            // What it names comes next.
            open.extend(std::mem::take(&mut self.named).into_iter().rev());
        }
        Ok(())
    }

    fn item(&mut self, item: Item) -> Result<(), Refusal> {
        match item {
            Item::Class(origin, bytes) => self.class(&origin, bytes),
            Item::Service { service, providers } => {
                let service = self.program.name(service);
                for provider in providers {
                    let provider = self.program.name(provider);
                    self.services.push((service, provider));
                }
                Ok(())
            }
            Item::Later { count, archive, newest } => {
                let (known, first, release) = &mut self.later;
                if *known == 0 {
                    archive.clone_into(first);
                }
                *known += count;
                *release = newest.max(*release);
                Ok(())
            }
            Item::Nested(path) => {
                self.nested.push(path);
                Ok(())
            }
            Item::Beside(path) => {
                self.named.push(path);
                Ok(())
            }
        }
    }

    fn class(&mut self, origin: &Origin, bytes: &[u8]) -> Result<(), Refusal> {
        let lowered = match ClassFile::read(bytes) {
            Ok(file) => {
                if file.is_newer {
                    note(&mut self.newer, || origin.to_string());
                }
                let (program, tally) = (&mut self.program, &mut self.tally);
                lower::class(program, self.basics, tally, &file, &mut self.meter)
            }
            Err(malformed) => Err(malformed.into()),
        };
        match lowered {
            Ok(Lowered::Class) => {}
            Ok(Lowered::Duplicate(name)) => {
                let name = self.program.text(name);
                note(&mut self.duplicates, || format!("{name} in {origin}"));
            }
            Ok(Lowered::Module(provided)) => self.services.extend(provided),
            Err(Failure::Limit(limit)) => return Err(limit.into()),
            Err(Failure::Malformed(malformed)) => match origin.within {
                None => {
                    let message = format!("`{origin}` is damaged: {malformed}");
                    return Err(Problem::error("J003", message).into());
                }
                Some(_) => note(&mut self.damaged, || format!("{origin}: {malformed}")),
            },
        }
        Ok(())
    }

    fn finish(self, library: ClassId) -> Reading {
        let mut warnings = Vec::new();
        let (count, first) = self.duplicates;
        if count > 0 {
            let message = format!("{count} classes came a second time and were left out");
            warnings.push(Problem::warning("J101", message).hint(format!("first: {first}")));
        }
        let (count, first) = self.damaged;
        if count > 0 {
            let message = format!("{count} damaged class files were left out");
            warnings.push(Problem::warning("J102", message).hint(format!("first: {first}")));
        }
        let (count, first) = self.newer;
        if count > 0 {
            let message = format!("{count} class files are of a newer Java than version 25");
            warnings.push(Problem::warning("J103", message).hint(format!("first: {first}")));
        }
        let (count, first, newest) = self.later;
        if count > 0 {
            let message =
                format!("{count} classes of multi-release archives for a later Java were left out");
            let hint = format!("first: in {first}; `--release {newest}` reads them");
            warnings.push(Problem::warning("J104", message).hint(hint));
        }
        Reading {
            program: self.program,
            library,
            services: self.services,
            report: self.tally.finish(),
            warnings,
        }
    }
}

fn note(counted: &mut (usize, String), first: impl FnOnce() -> String) {
    if counted.0 == 0 {
        counted.1 = first();
    }
    counted.0 += 1;
}
