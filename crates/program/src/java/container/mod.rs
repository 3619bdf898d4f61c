//! Where class files are kept: alone, in folders, in archives, in the image of a JDK; or made by a
//! compiler from source. The first bytes of a file decide what it is.
//!
//! Classes are handed on one at a time, in a fixed order, and are not kept. Whatever unpacks is
//! bounded: an archive by what its compression can hold, everything by the budget.

mod archive;
mod folder;
mod image;
mod source;

pub(super) use source::compiled;
pub use source::find_tool;

use super::Options;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use tern_front::{Problem, Refusal};
use tern_model::Budget;

/// Where a class file was found.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file that was named, or found in a folder.
    pub path: String,
    /// The name inside, for archives, folders and images.
    pub within: Option<String>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.within {
            Some(within) => write!(f, "{}:{within}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// Something that was found.
#[derive(Debug)]
pub enum Item<'a> {
    /// A class file.
    Class(Origin, &'a [u8]),
    /// Classes that provide a service.
    Service {
        /// The service.
        service: &'a str,
        /// Who provides it.
        providers: Vec<&'a str>,
    },
    /// Classes of a multi-release archive that are meant for a later Java, where nobody said for
    /// which one to read: how many, in which archive, and the newest Java that has some.
    Later {
        /// How many there are.
        count: usize,
        /// The archive.
        archive: &'a str,
        /// The newest release that has some.
        newest: u16,
    },
    /// An archive inside an archive, of what the classes beside it use.
    Nested(PathBuf),
    /// An archive or folder that the manifest of an archive names as its class path, if it is
    /// there.
    Beside(PathBuf),
}

/// Takes what was found.
pub type Visit<'v> = &'v mut dyn FnMut(Item) -> Result<(), Refusal>;

/// Calls `visit` with everything in a file or folder.
///
/// # Errors
/// What is wrong with it, what `visit` refuses, or the limit that was reached.
pub fn each(
    path: &Path,
    options: &Options,
    budget: &Budget,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let text = path.to_string_lossy();
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) => {
            if let Some((outer, inner)) = text.split_once("!/") {
                return archive::nested(Path::new(outer), inner, options, budget, visit);
            }
            if let Some((image, module)) = text.rsplit_once(':')
                && Path::new(image).is_file()
            {
                return image::each(Path::new(image), Some(module), budget, visit);
            }
            if let Some(folder) = text.strip_suffix("/*") {
                return folder::archives(Path::new(folder), options, budget, visit);
            }
            return Err(unreadable(path, &error).into());
        }
    };
    if facts.is_dir() {
        let image = path.join("lib").join("modules");
        return match image.is_file() {
            true => image::each(&image, None, budget, visit),
            false => folder::each(path, budget, visit),
        };
    }
    file(path, options, budget, visit)
}

fn file(path: &Path, options: &Options, budget: &Budget, visit: Visit<'_>) -> Result<(), Refusal> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut start = [0; 4];
    let mut filled = 0;
    while filled < start.len() {
        match file.read(&mut start[filled..]).map_err(|error| unreadable(path, &error))? {
            0 => break,
            more => filled += more,
        }
    }
    file.rewind().map_err(|error| unreadable(path, &error))?;
    let name = path.display().to_string();
    match &start {
        b"\xCA\xFE\xBA\xBE" => {
            let bytes = all(&mut file, u64::MAX, budget).map_err(|error| error.at(path))?;
            visit(Item::Class(Origin { path: name, within: None }, &bytes))
        }
        b"PK\x03\x04" | b"PK\x05\x06" | b"JM\x01\x00" => {
            archive::each(file, &name, options, budget, visit)
        }
        b"\xCA\xFE\xDA\xDA" | b"\xDA\xDA\xFE\xCA" => image::each(path, None, budget, visit),
        _ => Err(unknown(path).into()),
    }
}

fn unknown(path: &Path) -> Problem {
    let name = path.display();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "class" => Problem::error("J003", format!("`{name}` does not begin like a class file")),
        "jar" | "war" | "ear" | "zip" | "jmod" => {
            Problem::error("J004", format!("`{name}` does not begin like an archive"))
                .hint("it may be damaged or cut off; try `unzip -t`")
        }
        _ => Problem::error("J002", format!("`{name}` holds no classes")).hint(
            "class files, archives (`.jar`, `.war`, `.zip`, `.jmod`), folders, the image `lib/modules` \
             of a JDK and `.java` files are read",
        ),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::error("J001", format!("`{}` cannot be read: {error}", path.display()))
}

/// Why bytes could not be read.
enum Unread {
    Io(io::Error),
    TooLong,
    Limit(tern_model::Limit),
}

impl Unread {
    fn at(self, path: &Path) -> Refusal {
        let problem = match self {
            Unread::Limit(limit) => return limit.into(),
            Unread::Io(error) => unreadable(path, &error),
            Unread::TooLong => Problem::error("J005", format!("`{}` is too long", path.display())),
        };
        problem.into()
    }
}

/// Reads to the end, at most `most` bytes; asks the budget at each megabyte.
fn all(input: &mut impl Read, most: u64, budget: &Budget) -> Result<Vec<u8>, Unread> {
    const PIECE: u64 = 1 << 20;
    let mut bytes = Vec::new();
    loop {
        let read = input.by_ref().take(PIECE).read_to_end(&mut bytes).map_err(Unread::Io)?;
        if bytes.len() as u64 > most {
            return Err(Unread::TooLong);
        }
        if read < PIECE as usize {
            return Ok(bytes);
        }
        budget.check().map_err(Unread::Limit)?;
        budget.check_room_for(bytes.capacity() as u64).map_err(Unread::Limit)?;
    }
}

/// The classes that a file of `META-INF/services` names.
fn providers(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The service that a name in an archive or folder is about.
fn service_of(name: &str) -> Option<&str> {
    let (before, service) = name.rsplit_once("META-INF/services/")?;
    (before.is_empty() || before.ends_with('/')).then_some(service).filter(|s| !s.is_empty())
}
