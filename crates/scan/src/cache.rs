//! What was found in units, kept on disk: one file, `scan.cache`, in a folder.
//!
//! The first line says what the file is and has a number for the rest, so that damage is noticed;
//! then there is one line a unit: its key, a blank, and as JSON what the findings rest on, and what
//! was found. A file that is damaged, or of another version, counts as none.

use crate::findings::Outcome;
use crate::keys::{Basis, Digest};
use rustc_hash::FxHashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the file begins.
const HEADER: &str = "tern-scan-cache/5";
/// The name of the file.
const NAME: &str = "scan.cache";

/// Outcomes of units by their keys.
#[derive(Debug, Default)]
pub struct Cache {
    folder: PathBuf,
    known: FxHashMap<String, String>,
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
                Ok(known) => cache.known = known,
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

    /// Writes what was found, and nothing else: what is not used any more goes.
    ///
    /// # Errors
    /// When the folder or file cannot be written.
    pub(crate) fn write<'o>(
        &self,
        rows: impl Iterator<Item = (&'o str, &'o (Basis, Outcome))>,
    ) -> io::Result<()> {
        let mut body = String::new();
        for (key, found) in rows {
            body += key;
            body.push(' ');
            body += &serde_json::to_string(found)?;
            body.push('\n');
        }
        let sum = *Digest::new().bytes(body.as_bytes());
        fs::create_dir_all(&self.folder)?;
        // Renamed at the end, so that whoever reads sees all or nothing.
        let draft = self.folder.join(format!("{NAME}.{}", std::process::id()));
        fs::write(&draft, format!("{HEADER} {sum}\n{body}"))?;
        fs::rename(&draft, self.folder.join(NAME))
    }
}

fn read(text: &str) -> Result<FxHashMap<String, String>, String> {
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let Some(sum) = first.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix(' ')) else {
        return Err("it is no cache of this version".to_owned());
    };
    if sum != Digest::new().bytes(body.as_bytes()).to_string() {
        return Err("it is damaged".to_owned());
    }
    let rows = body.lines().filter_map(|line| line.split_once(' '));
    Ok(rows.map(|(key, row)| (key.to_owned(), row.to_owned())).collect())
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
        let outcome = (Basis::default(), outcome);
        cache.write([("k", &outcome)].into_iter()).unwrap();
        let again = Cache::open(folder.path());
        assert_eq!((again.get("k"), again.get("l")), (Some(outcome), None));
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
