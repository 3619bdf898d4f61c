//! Opens what the command line names: a file, standard input, or a member of a zip archive,
//! compressed by gzip or not.
//!
//! Content decides what is decompressed (the first bytes of a gzip or zip file), names decide
//! which member of an archive is meant. Reading polls the budget at every megabyte and before
//! memory is asked for, so that a small file that unpacks to a huge one is stopped in time.

use crate::formats;
use crate::problem::{Problem, Refusal};
use crate::source::Source;
use crate::words::{Nearest, listed};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;
use tern_model::Budget;
use zip::ZipArchive;

/// All codes of this module, each with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("I001", "The file does not exist."),
    ("I002", "The file may not be read."),
    ("I003", "The path names a directory."),
    ("I004", "The file could not be read to its end."),
    ("I005", "The file begins like a gzip file, but cannot be decompressed."),
    ("I006", "The file cannot be read as a zip archive."),
    ("I007", "The zip archive has no such member."),
    ("I008", "No member of the zip archive has a name that fits."),
    ("I009", "Several members of the zip archive fit; one must be named."),
    ("I010", "The text is too long; 4 GiB are too many."),
];

/// Opens a model: `-` is standard input, `models.zip:inner/path.rsm` a member of an archive, and
/// `models.zip` its only model.
///
/// # Errors
/// Why it cannot be read, or the limit that was reached.
pub fn open(path: &str, budget: &Budget) -> Result<Source, Refusal> {
    open_for(path, &formats::endings().collect::<Vec<_>>(), budget)
}

/// Opens a text of some kind, as [`open`] does for models: where a zip archive is named without a
/// member, the only member with one of the `extensions` is taken (given without the dot).
///
/// # Errors
/// Why it cannot be read, or the limit that was reached.
pub fn open_for(path: &str, extensions: &[&str], budget: &Budget) -> Result<Source, Refusal> {
    let opening = Opening { path, extensions, budget };
    if path == "-" {
        let mut input = BufReader::new(io::stdin().lock());
        let named = Opening { path: "standard input", ..opening };
        let start = input.fill_buf().map_err(|error| named.unreadable(&error))?;
        if is_zip(start) {
            // An archive is read from its end, so all of it is needed at once.
            let archive = read_all(&mut input, 0, &named)?;
            return named.member(Cursor::new(archive), None);
        }
        return named.text(input, 0, "standard input");
    }
    match (File::open(path), split_member(path)) {
        (Ok(file), _) => opening.file(file),
        (Err(_), Some((archive, member))) => {
            let within = Opening { path: archive, ..opening };
            let file = File::open(archive).map_err(|error| within.unopened(&error))?;
            within.member(BufReader::new(file), Some(member))
        }
        (Err(error), None) => Err(opening.unopened(&error).into()),
    }
}

/// `models.zip:inner/path.rsm` as the archive and the member.
fn split_member(path: &str) -> Option<(&str, &str)> {
    let colon = path.to_ascii_lowercase().find(".zip:")? + ".zip".len();
    Some((&path[..colon], &path[colon + 1..]))
}

fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

/// The ending of a name without the dot, not counting `.gz`.
pub(crate) fn extension(name: &str) -> &str {
    let name = name.rsplit(['/', '\\', ':']).next().unwrap_or(name);
    let stem = match name.len().checked_sub(3) {
        Some(cut) if name.is_char_boundary(cut) && name[cut..].eq_ignore_ascii_case(".gz") => {
            &name[..cut]
        }
        _ => name,
    };
    stem.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// One attempt to open something.
#[derive(Clone, Copy)]
struct Opening<'a> {
    /// The file, or the archive, in the user's words.
    path: &'a str,
    extensions: &'a [&'a str],
    budget: &'a Budget,
}

impl Opening<'_> {
    fn file(&self, file: File) -> Result<Source, Refusal> {
        let facts = file.metadata().map_err(|error| self.unreadable(&error))?;
        if facts.is_dir() {
            return Err(self.directory().into());
        }
        let mut input = BufReader::new(file);
        let start = input.fill_buf().map_err(|error| self.unreadable(&error))?;
        // What is called an archive and is none should be reported as a broken archive.
        if is_zip(start) || extension(self.path).eq_ignore_ascii_case("zip") {
            return self.member(input, None);
        }
        self.text(input, facts.len(), self.path)
    }

    /// Reads a text, which gzip may have compressed.
    fn text(&self, mut input: impl BufRead, size: u64, name: &str) -> Result<Source, Refusal> {
        let start = input.fill_buf().map_err(|error| self.unreadable(&error))?;
        let bytes = if start.starts_with(b"\x1F\x8B") {
            let mut unpacked = MultiGzDecoder::new(input);
            read_all(&mut unpacked, 0, self).map_err(|refusal| self.broken_gzip(refusal))?
        } else {
            read_all(&mut input, size, self)?
        };
        Ok(Source::new(name, bytes))
    }

    /// Reads a member of an archive: the one named, or else the only one that fits.
    fn member(&self, input: impl Read + Seek, wanted: Option<&str>) -> Result<Source, Refusal> {
        let mut archive = ZipArchive::new(input).map_err(|error| self.broken_zip(&error))?;
        let names: Vec<(usize, String)> = (0..archive.len())
            .filter_map(|index| Some((index, archive.name_for_index(index)?.ok()?.into_owned())))
            // Directories, and what macOS adds for itself.
            .filter(|(_, name)| !name.ends_with('/') && !name.starts_with("__MACOSX/"))
            .collect();
        let (index, name) = match wanted {
            Some(wanted) => names
                .iter()
                .find(|(_, name)| name == wanted)
                .ok_or_else(|| self.no_member(wanted, &names))?,
            None => self.only_member(&names)?,
        };
        let member = archive.by_index(*index).map_err(|error| self.broken_zip(&error))?;
        // The archive may lie about the size, so it is believed up to a point.
        let size = member.size().min(64 << 20);
        let full_name = format!("{}:{name}", self.path);
        Opening { path: &full_name, ..*self }.text(BufReader::new(member), size, &full_name)
    }

    fn only_member<'n>(
        &self,
        names: &'n [(usize, String)],
    ) -> Result<&'n (usize, String), Refusal> {
        let fits = |name: &str| {
            self.extensions.iter().any(|ending| extension(name).eq_ignore_ascii_case(ending))
        };
        let fitting: Vec<_> = names.iter().filter(|(_, name)| fits(name)).collect();
        // The same model in several formats: the first format of the table counts.
        let stem = |name: &'n str| name.strip_suffix(extension(name)).unwrap_or(name);
        let are_one = fitting.windows(2).all(|pair| stem(&pair[0].1) == stem(&pair[1].1));
        let rank = |name: &str| {
            let fits = |ending: &&str| extension(name).eq_ignore_ascii_case(ending);
            self.extensions.iter().position(fits)
        };
        let first = fitting.iter().min_by_key(|(_, name)| rank(name)).filter(|_| are_one);
        match (first, fitting.as_slice()) {
            (Some(first), _) => Ok(first),
            (None, []) => {
                let endings: Vec<_> = self.extensions.iter().map(|e| format!("`.{e}`")).collect();
                let message =
                    format!("no member of `{}` ends in {}", self.path, endings.join(" or "));
                Err(Problem::error("I008", message).hint(holdings(names)).into())
            }
            (None, [(_, first), ..]) => {
                let all = listed(SHOWN_MEMBERS, fitting.iter().map(|(_, name)| name.as_str()));
                let message = format!("several members of `{}` fit: {all}", self.path);
                let hint = format!("name one of them, as in `{}:{first}`", self.path);
                Err(Problem::error("I009", message).hint(hint).into())
            }
        }
    }

    fn no_member(&self, wanted: &str, names: &[(usize, String)]) -> Problem {
        let all = || names.iter().map(|(_, name)| name.as_str());
        let elsewhere = all().find(|name| name.rsplit('/').next() == Some(wanted));
        let near = elsewhere.or_else(|| Nearest::new().among(wanted, all()));
        Problem::error("I007", format!("`{}` has no member `{wanted}`", self.path)).hint(match near
        {
            Some(near) => format!("did you mean `{}:{near}`?", self.path),
            None => holdings(names),
        })
    }

    fn unopened(&self, error: &io::Error) -> Problem {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => self.missing(),
            ErrorKind::PermissionDenied => {
                Problem::error("I002", format!("`{}` may not be read", self.path))
                    .hint("permission denied; see who owns the file and who may read it")
            }
            ErrorKind::IsADirectory => self.directory(),
            _ => self.unreadable(error),
        }
    }

    fn missing(&self) -> Problem {
        let problem = Problem::error("I001", format!("`{}` does not exist", self.path));
        let path = Path::new(self.path);
        let Some(wanted) = path.file_name().and_then(|name| name.to_str()) else {
            return problem;
        };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let Ok(entries) = std::fs::read_dir(directory.unwrap_or(Path::new("."))) else {
            let directory = directory.map(|parent| parent.display().to_string());
            let there = directory.unwrap_or_default();
            return problem.hint(format!("there is no directory `{there}`, or it may not be read"));
        };
        let mut names: Vec<String> = entries
            .take(10_000)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        // Directories list in no order, and hints should not depend on chance.
        names.sort_unstable();
        match Nearest::new().among(wanted, names.iter().map(String::as_str)) {
            Some(near) => {
                problem.hint(format!("did you mean `{}`?", path.with_file_name(near).display()))
            }
            None => problem,
        }
    }

    fn directory(&self) -> Problem {
        Problem::error("I003", format!("`{}` is a directory", self.path)).hint("name a file in it")
    }

    fn unreadable(&self, error: &io::Error) -> Problem {
        Problem::error("I004", format!("`{}` could not be read: {error}", self.path))
    }

    fn too_long(&self) -> Problem {
        Problem::error("I010", format!("`{}` is longer than 4 GiB", self.path))
            .hint("texts of 4 GiB and more are not supported")
    }

    fn broken_zip(&self, error: &zip::result::ZipError) -> Problem {
        Problem::error("I006", format!("`{}` cannot be read as a zip archive: {error}", self.path))
            .hint("it may be damaged or encrypted; try `unzip -t`")
    }

    /// Decompression reports damage as a failure to read.
    fn broken_gzip(&self, refusal: Refusal) -> Refusal {
        match refusal {
            Refusal::Problems(problems) if problems.iter().any(|p| p.code == "I004") => {
                Problem::error("I005", format!("`{}` cannot be decompressed", self.path))
                    .hint("it begins like a gzip file, but is damaged or cut off; try `gzip -t`")
                    .into()
            }
            other => other,
        }
    }
}

/// Reads to the end. `size` is how long the text probably is.
fn read_all(input: &mut impl Read, size: u64, opening: &Opening) -> Result<Vec<u8>, Refusal> {
    const PIECE: u64 = 1 << 20;
    let budget = opening.budget;
    let too_long = |bytes: u64| bytes > u64::from(u32::MAX);
    if too_long(size) {
        return Err(opening.too_long().into());
    }
    budget.check_room_for(size)?;
    // One byte more, so that the end is noticed without growing.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    loop {
        budget.check()?;
        if bytes.capacity() - bytes.len() < PIECE as usize && bytes.len() as u64 > size {
            budget.check_room_for(bytes.capacity() as u64)?;
        }
        let read = input
            .by_ref()
            .take(PIECE)
            .read_to_end(&mut bytes)
            .map_err(|error| opening.unreadable(&error))?;
        if read == 0 {
            break;
        }
        if too_long(bytes.len() as u64) {
            return Err(opening.too_long().into());
        }
    }
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// How many members of an archive a message names.
const SHOWN_MEMBERS: usize = 20;

fn holdings(names: &[(usize, String)]) -> String {
    match names {
        [] => "the archive is empty".to_owned(),
        _ => {
            format!("it holds {}", listed(SHOWN_MEMBERS, names.iter().map(|(_, n)| n.as_str())))
        }
    }
}
