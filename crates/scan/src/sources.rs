//! Source files, where they are at hand: for excerpts, comments that suppress findings, and what
//! class files do not say.

use rustc_hash::FxHashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The longest source file that is read.
const MOST_BYTES: u64 = 16 << 20;

/// Folders in which sources are looked for.
#[derive(Debug, Default)]
pub struct Sources {
    roots: Vec<PathBuf>,
    known: Mutex<FxHashMap<String, Option<Arc<File>>>>,
}

/// A source file.
#[derive(Debug)]
pub struct File {
    /// Where it was found.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Sources {
    /// Sources below some folders; those of common layouts are looked at too.
    pub fn new(folders: &[PathBuf]) -> Self {
        let mut roots = Vec::new();
        for folder in folders {
            let folder = match folder.is_dir() {
                true => folder.clone(),
                false => folder.parent().map(Path::to_owned).unwrap_or_default(),
            };
            for below in ["", "src/main/java", "src/test/java", "src"] {
                let root = folder.join(below);
                if root.as_os_str().is_empty() || root.is_dir() {
                    roots.push(root);
                }
            }
        }
        Sources { roots, known: Mutex::default() }
    }

    /// The source file of that name: `org/app/Main.java`.
    pub fn find(&self, name: &str) -> Option<Arc<File>> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(name) {
            return known.clone();
        }
        let found = self.roots.iter().find_map(|root| {
            let path = root.join(name);
            let is_short =
                fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= MOST_BYTES);
            let text = is_short.then(|| fs::read(&path).ok()).flatten()?;
            let lines = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
            Some(Arc::new(File { path, lines }))
        });
        all.insert(name.to_owned(), found.clone());
        found
    }

    /// A line of a source file, from 1.
    pub fn line(&self, name: &str, line: u32) -> Option<String> {
        let file = self.find(name)?;
        file.lines.get((line as usize).checked_sub(1)?).cloned()
    }
}
