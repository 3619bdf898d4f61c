//! Archives: `.jar`, `.war`, `.zip` and the modules (`.jmod`) of a JDK, which are archives behind
//! four bytes.
//!
//! Of multi-release archives the base entries are read, or those of the release that was asked for.
//! Archives inside (`WEB-INF/lib`, `BOOT-INF/lib`) are handed on as such.

use super::super::Options;
use super::{Item, Origin, Unread, Visit, all, providers, service_of, unreadable};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use tern_front::{Problem, Refusal};
use tern_model::Budget;
use zip::ZipArchive;

/// How much larger an entry can be than it is packed, with room to spare: 1032 times.
const LARGEST_RATIO: u64 = 1100;
/// What is allowed beyond that.
const SLACK: u64 = 1 << 20;

/// Calls `visit` with all classes of an archive.
pub(super) fn each(
    file: File,
    name: &str,
    options: &Options,
    budget: &Budget,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let size = file.metadata().map_or(0, |facts| facts.len());
    let mut archive = Archive::open(BufReader::new(file), size, name, budget)?;
    archive.each(options, visit, true)?;
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    for entry in class_path(&archive.manifest()?) {
        let path = folder.join(entry);
        if path.exists() {
            visit(Item::Beside(path))?;
        }
    }
    Ok(())
}

/// What the manifest of an archive names as its class path: relative names, separated by blanks.
/// What is no file is left out.
fn class_path(manifest: &str) -> Vec<String> {
    // A line that begins with a blank belongs to the one before.
    let joined = manifest.replace("\r\n", "\n").replace("\n ", "");
    let mut lines = joined.lines().take_while(|line| !line.is_empty());
    let value = lines.find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case("class-path").then_some(value)
    });
    let entries = value.unwrap_or_default().split_ascii_whitespace();
    let entries = entries.map(|entry| entry.strip_prefix("file:").unwrap_or(entry));
    entries.filter(|entry| !entry.contains(':')).map(|entry| entry.replace("%20", " ")).collect()
}

/// Calls `visit` with all classes of an archive inside another.
pub(super) fn nested(
    outer: &Path,
    inner: &str,
    options: &Options,
    budget: &Budget,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let file = File::open(outer).map_err(|error| unreadable(outer, &error))?;
    let size = file.metadata().map_or(0, |facts| facts.len());
    let name = outer.display().to_string();
    let mut archive = Archive::open(BufReader::new(file), size, &name, budget)?;
    let Some(index) = archive.zip.index_for_name(inner) else {
        let problem = Problem::error("J001", format!("`{name}` has no member `{inner}`"));
        return Err(problem.into());
    };
    let bytes = archive.entry(index, inner)?;
    let size = bytes.len() as u64;
    let name = format!("{name}!/{inner}");
    Archive::open(Cursor::new(bytes), size, &name, budget)?.each(options, visit, false)
}

struct Archive<'a, R> {
    zip: ZipArchive<R>,
    name: &'a str,
    budget: &'a Budget,
    /// How many bytes may still be unpacked.
    left: u64,
}

impl<'a, R: Read + Seek> Archive<'a, R> {
    fn open(input: R, size: u64, name: &'a str, budget: &'a Budget) -> Result<Self, Refusal> {
        let left = size.saturating_mul(LARGEST_RATIO).saturating_add(SLACK);
        match ZipArchive::new(input) {
            Ok(zip) => Ok(Archive { zip, name, budget, left }),
            Err(error) => {
                let message = format!("`{name}` cannot be read as an archive: {error}");
                let hint = "it may be damaged or encrypted; try `unzip -t`";
                Err(Problem::error("J004", message).hint(hint).into())
            }
        }
    }

    /// Unpacks an entry.
    fn entry(&mut self, index: usize, member: &str) -> Result<Vec<u8>, Refusal> {
        let damaged = |error: &dyn std::fmt::Display| {
            let message = format!("`{member}` in `{}` cannot be unpacked: {error}", self.name);
            let hint = "the archive may be damaged or encrypted; try `unzip -t`";
            Problem::error("J004", message).hint(hint)
        };
        self.budget.check()?;
        let mut entry = self.zip.by_index(index).map_err(|error| damaged(&error))?;
        match all(&mut entry, self.left, self.budget) {
            Ok(bytes) => {
                self.left -= bytes.len() as u64;
                Ok(bytes)
            }
            Err(Unread::Limit(limit)) => Err(limit.into()),
            Err(Unread::Io(error)) => Err(damaged(&error).into()),
            Err(Unread::TooLong) => {
                let message = format!("`{}` unpacks to more than an archive can hold", self.name);
                let hint = format!("its entries overlap; `{member}` was the one that went too far");
                Err(Problem::error("J005", message).hint(hint).into())
            }
        }
    }

    /// `may_nest` says whether archives inside are handed on.
    fn each(&mut self, options: &Options, visit: Visit<'_>, may_nest: bool) -> Result<(), Refusal> {
        if options.release.is_none() && self.is_multi_release()? {
            let is_class = |name: &str| name.ends_with(".class") && name != "module-info.class";
            let release = |name: &str| {
                let (release, base) = versioned(name)?;
                (release < u16::MAX && is_class(base)).then_some(release)
            };
            let releases = self.zip.file_names().filter_map(|name| release(&name.ok()?));
            let (count, newest) = releases.fold((0, 0), |(n, newest), it| (n + 1, it.max(newest)));
            if count > 0 {
                visit(Item::Later { count, archive: self.name, newest })?;
            }
        }
        for (index, member) in self.members(options)? {
            if let Some(service) = service_of(&member) {
                let bytes = self.entry(index, &member)?;
                let text = String::from_utf8_lossy(&bytes);
                visit(Item::Service { service, providers: providers(&text) })?;
            } else if member.ends_with(".class") {
                let bytes = self.entry(index, &member)?;
                let origin = Origin { path: self.name.to_owned(), within: Some(member) };
                visit(Item::Class(origin, &bytes))?;
            } else if may_nest {
                visit(Item::Nested(PathBuf::from(format!("{}!/{member}", self.name))))?;
            }
        }
        Ok(())
    }

    /// The entries that count, in their order.
    fn members(&mut self, options: &Options) -> Result<Vec<(usize, String)>, Refusal> {
        let names = (0..self.zip.len())
            .filter_map(|index| Some((index, self.zip.name_for_index(index)?.ok()?.into_owned())));
        let names: Vec<(usize, String)> = names.collect();
        let release = match options.release {
            Some(release) if self.is_multi_release()? => release,
            _ => 0,
        };
        let mut members: Vec<(usize, String)> = Vec::new();
        // Where the entry of a name is among the members, and of which release it is.
        let mut newest: FxHashMap<String, (usize, u16)> = FxHashMap::default();
        for (index, name) in names {
            let is_library = name.ends_with(".jar")
                && (name.starts_with("WEB-INF/lib/") || name.starts_with("BOOT-INF/lib/"));
            if !name.ends_with(".class") && service_of(&name).is_none() && !is_library {
                continue;
            }
            let Some((version, base)) = versioned(&name) else {
                let row = members.len();
                if release > 0 {
                    match newest.get(&name) {
                        Some(_) => continue,
                        None => newest.insert(name.clone(), (row, 0)),
                    };
                }
                members.push((index, name));
                continue;
            };
            if version > release {
                continue;
            }
            match newest.get_mut(base) {
                Some((row, known)) => {
                    if version > *known {
                        *known = version;
                        members[*row] = (index, name);
                    }
                }
                None => {
                    newest.insert(base.to_owned(), (members.len(), version));
                    members.push((index, name));
                }
            }
        }
        Ok(members)
    }

    fn is_multi_release(&mut self) -> Result<bool, Refusal> {
        let text = self.manifest()?.to_ascii_lowercase();
        Ok(text.lines().any(|line| {
            let value = line.strip_prefix("multi-release:");
            value.is_some_and(|value| value.trim() == "true")
        }))
    }

    /// The manifest; empty if there is none.
    fn manifest(&mut self) -> Result<String, Refusal> {
        const MANIFEST: &str = "META-INF/MANIFEST.MF";
        let Some(index) = self.zip.index_for_name(MANIFEST) else { return Ok(String::new()) };
        let text = self.entry(index, MANIFEST)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The release and the base name of an entry of a multi-release archive. What has no number there
/// is of no release.
fn versioned(name: &str) -> Option<(u16, &str)> {
    let rest = name.strip_prefix("META-INF/versions/")?;
    let (version, base) = rest.split_once('/').unwrap_or((rest, ""));
    Some((version.parse().unwrap_or(u16::MAX), base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_a_class_path() {
        let text = "Manifest-Version: 1.0\r\nclass-path: lib/a.jar li\r\n b/b.jar  http://x/c.jar\r\n  \
                    ../d%20e/\r\n\r\nName: x\r\nClass-Path: f.jar\r\n";
        assert_eq!(class_path(text), ["lib/a.jar", "lib/b.jar", "../d e/"]);
        assert!(class_path("Main-Class: A\n").is_empty());
    }
}
