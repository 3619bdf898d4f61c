//! What was found in units, kept on disk: one file, `scan.cache`, in a folder.
//!
//! The first line says what the file is and has a number for the rest, so that damage is noticed;
//! then there is one line a unit: its key, a blank, and as JSON what the findings rest on, and what
//! was found; and one line a summary (`keys/summaries.rs`), which begins with `=` and a blank.
//! Units name summaries by their numbers in the file. A file that is damaged, or of another
//! version, counts as none.

use crate::Kept;
use crate::findings::Outcome;
use crate::keys::{Basis, Digest};
use rustc_hash::FxHashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the file begins.
const HEADER: &str = "tern-scan-cache/7";
/// How summaries begin, in the place of a key.
const SUMMARY: &str = "=";
/// The name of the file.
const NAME: &str = "scan.cache";

/// Outcomes of units by their keys.
#[derive(Debug, Default)]
pub struct Cache {
    folder: PathBuf,
    known: FxHashMap<String, String>,
    summaries: Vec<String>,
    /// Why what was there could not be used.
    pub damage: Option<String>,
}

impl Cache {
    /// Reads what is there.
    pub fn open(folder: &Path) -> Cache {
        let mut cache = Cache { folder: folder.to_owned(), ..Cache::default() };
        let path = folder.join(NAME);
        match fs::read_to_string(&path) {
            Ok(text) => match read(&text) {
                Ok((known, summaries)) => (cache.known, cache.summaries) = (known, summaries),
                Err(why) => cache.damage = Some(format!("{}: {why}", path.display())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => cache.damage = Some(format!("{}: {error}", path.display())),
        }
        cache
    }

    /// What was found in the unit of a key, and what that rests on. What cannot be read counts as
    /// nothing.
    pub(crate) fn get(&self, key: &str) -> Option<(Basis, Outcome)> {
        serde_json::from_str(self.known.get(key)?).ok()
    }

    /// The summaries that were kept.
    pub(crate) fn summaries(&self) -> &[String] {
        &self.summaries
    }

    /// Writes what was found, with the summaries that it rests on, and nothing else: what is not
    /// used any more goes.
    ///
    /// # Errors
    /// When the folder or file cannot be written.
    pub(crate) fn write<'o>(
        &self,
        rows: impl Iterator<Item = (&'o str, &'o Kept)>,
    ) -> io::Result<()> {
        let (mut body, mut tail) = (String::new(), String::new());
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        for (key, kept) in rows {
            let mut uses = Vec::new();
            for row in &kept.summaries {
                let next = numbers.len() as u32;
                uses.push(*numbers.entry(row).or_insert_with(|| {
                    tail += SUMMARY;
                    tail.push(' ');
                    tail += row;
                    tail.push('\n');
                    next
                }));
            }
            let mut basis = kept.basis.clone();
            basis.uses = uses;
            body += key;
            body.push(' ');
            body += &serde_json::to_string(&(basis, &kept.outcome))?;
            body.push('\n');
        }
        body += &tail;
        let sum = *Digest::new().bytes(body.as_bytes());
        fs::create_dir_all(&self.folder)?;
        // Renamed at the end, so that whoever reads sees all or nothing.
        let draft = self.folder.join(format!("{NAME}.{}", std::process::id()));
        fs::write(&draft, format!("{HEADER} {sum}\n{body}"))?;
        fs::rename(&draft, self.folder.join(NAME))
    }
}

/// Units by their keys, and summaries.
type Rows = (FxHashMap<String, String>, Vec<String>);

fn read(text: &str) -> Result<Rows, String> {
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let Some(sum) = first.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix(' ')) else {
        return Err("it is no cache of this version".to_owned());
    };
    if sum != Digest::new().bytes(body.as_bytes()).to_string() {
        return Err("it is damaged".to_owned());
    }
    let (mut known, mut summaries) = Rows::default();
    for (key, row) in body.lines().filter_map(|line| line.split_once(' ')) {
        match key {
            SUMMARY => summaries.push(row.to_owned()),
            _ => drop(known.insert(key.to_owned(), row.to_owned())),
        }
    }
    Ok((known, summaries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        assert_eq!(cache.damage, None);
        let outcome = Outcome { nodes: 7, ..Outcome::default() };
        let kept = Kept { outcome, ..Kept::default() };
        cache.write([("k", &kept)].into_iter()).unwrap();
        let again = Cache::open(folder.path());
        assert_eq!((again.get("k"), again.get("l")), (Some((kept.basis, kept.outcome)), None));
        let path = folder.path().join(NAME);
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(Cache::open(folder.path()).damage.is_some(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut spoiled = whole.clone();
            spoiled[at] ^= 1;
            fs::write(&path, &spoiled).unwrap();
            assert!(Cache::open(folder.path()).damage.is_some(), "spoiled at {at}");
        }
    }
}
