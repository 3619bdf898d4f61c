//! Folders: all class files below, in the order of their names.

use super::super::Options;
use super::{Item, Origin, Visit, all, each as each_input, providers, service_of, unreadable};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tern_front::Refusal;
use tern_model::Budget;

/// Calls `visit` with all classes in a folder and in those below.
pub(super) fn each(root: &Path, budget: &Budget, visit: Visit<'_>) -> Result<(), Refusal> {
    let mut open = entries(root)?;
    while let Some(path) = open.pop() {
        budget.check()?;
        // Links to folders may lead in circles, and are not followed.
        let facts = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, &error))?;
        if facts.is_dir() {
            open.extend(entries(&path)?);
            continue;
        }
        let within = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let is_class = within.ends_with(".class");
        let service = service_of(&within);
        if (!is_class && service.is_none()) || !path.is_file() {
            continue;
        }
        let mut file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        let bytes = all(&mut file, u64::MAX, budget).map_err(|error| error.at(&path))?;
        match service {
            Some(service) => {
                let text = String::from_utf8_lossy(&bytes);
                visit(Item::Service { service, providers: providers(&text) })?;
            }
            None => {
                let path = root.display().to_string();
                visit(Item::Class(Origin { path, within: Some(within) }, &bytes))?;
            }
        }
    }
    Ok(())
}

/// Calls `visit` with all classes in the archives of a folder, as `folder/*` on a class path does.
pub(super) fn archives(
    root: &Path,
    options: &Options,
    budget: &Budget,
    visit: Visit<'_>,
) -> Result<(), Refusal> {
    let is_archive = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jar")) && path.is_file()
    };
    for path in entries(root)?.into_iter().rev().filter(is_archive) {
        each_input(&path, options, budget, visit)?;
    }
    Ok(())
}

/// What is in a folder, the last name first.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let listed = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut paths: Vec<PathBuf> =
        listed.filter_map(|entry| entry.ok()).map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|left, right| right.cmp(left));
    Ok(paths)
}
