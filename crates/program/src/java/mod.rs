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
];

/// How programs are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where classes are found that the program uses, in this order.
    pub class_path: Vec<PathBuf>,
    /// The version of Java whose classes are taken from multi-release archives; the oldest if not
    /// given.
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
    let nested = std::mem::take(&mut reader.nested);
    for input in nested.iter().chain(&options.class_path) {
        reader.input(input, options, &mut problems)?;
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
    nested: Vec<PathBuf>,
    /// How many classes came twice, and the first of them with where it was.
    duplicates: (usize, String),
    damaged: (usize, String),
    newer: (usize, String),
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
            duplicates: (0, String::new()),
            damaged: (0, String::new()),
            newer: (0, String::new()),
        }
    }

    fn input(
        &mut self,
        path: &Path,
        options: &Options,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Refusal> {
        let budget = self.meter.budget();
        let read = container::each(path, options, budget, &mut |item| self.item(item));
        match read {
            Err(Refusal::Problems(found)) => problems.extend(found),
            other => other?,
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
            Item::Nested(path) => {
                self.nested.push(path);
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
