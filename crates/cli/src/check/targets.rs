//! What is to be checked: the paths of the command line, sorted into models and files of claims.
//!
//! Files with the endings of claims are claims, and count for all models. Folders are searched for
//! models, by the endings of their names, in the order of names; what is hidden, and links to
//! folders, are left alone. All else is a model, whatever it is called. What is named twice counts
//! once.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::load::{
    self, AUTOMATON_ENDINGS, CLAIM_ENDINGS, FOR_AUTOMATA, ORDER, ends_in, misplaced,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tern_front::{Problem, Source, Wrong, claims, formats};
use tern_model::Claims;
use tern_program::sources::source_of;

/// Models, and files of claims for all of them.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) models: Vec<String>,
    pub(super) claims: Vec<String>,
    /// Files of claims that lie in folders, and are not named: they do not count.
    pub(super) overlooked: Vec<String>,
    /// Whether several models are asked for: then results are told apart, however many there are.
    pub(super) several: bool,
}

/// One model, and the files of claims for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) model: &'a str,
    pub(crate) claims: &'a [String],
    /// Whether it is one of several.
    pub(crate) of_several: bool,
}

impl Targets {
    /// Sorts the paths of a command line.
    pub(super) fn find(args: &CheckArgs) -> Result<Self, Failure> {
        load::refuse_double_input(args)?;
        let mut targets = Targets::default();
        for path in &args.paths {
            // Claims may come from standard input, if the model does not.
            let is_claims =
                ends_in(path, CLAIM_ENDINGS) || path == "-" && !targets.models.is_empty();
            if let Some(wanted) = forgotten_sign(path) {
                let problem = Problem::error("I001", format!("`{path}` does not exist"))
                    .hint(format!("{wanted}={path}`, with an equals sign"));
                return Err(refused(path, problem));
            }
            if looks_like_formula(path) {
                let problem = Problem::error("I001", format!("`{path}` does not exist"))
                    .hint(format!("a formula is given with -f: `-f '{path}'`"));
                return Err(refused(path, problem));
            }
            if ends_in(path, AUTOMATON_ENDINGS) {
                let wrong = misplaced(path, "an automaton, and no model", FOR_AUTOMATA);
                return Err(Failure::Input(vec![wrong]));
            }
            if is_claims {
                targets.claims.push(path.clone());
            } else if source_of(path).is_some() {
                targets.models.push(path.clone());
            } else if Path::new(path).is_dir() {
                targets.several = true;
                // Most `.json` files are no models.
                let endings = formats::endings().filter(|&ending| ending != "json");
                let endings: Vec<&str> = endings.chain(["heap"]).collect();
                let (claims, models) = in_folder(path, &[&endings[..], CLAIM_ENDINGS].concat())?
                    .into_iter()
                    .partition(|file| ends_in(file, CLAIM_ENDINGS));
                targets.models.extend(some_in(path, models)?);
                targets.overlooked.extend::<Vec<String>>(claims);
            } else {
                targets.models.push(path.clone());
            }
        }
        targets.several |= targets.models.len() > 1;
        name_once(&mut targets.models);
        name_once(&mut targets.claims);
        let named: BTreeSet<PathBuf> = targets.claims.iter().map(|path| whole(path)).collect();
        targets.overlooked.retain(|path| !named.contains(&whole(path)));
        if targets.models.is_empty() {
            let wrong = misplaced(&args.paths[0], "a file of claims, and no model", ORDER);
            return Err(Failure::Input(vec![wrong]));
        }
        Ok(targets)
    }

    /// What is to be done about one of the models.
    pub(super) fn job(&self, model: usize) -> Job<'_> {
        Job { model: &self.models[model], claims: &self.claims, of_several: self.several }
    }
}

/// Drops files that are named again, by the same or another path.
fn name_once(paths: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    paths.retain(|path| seen.insert(whole(path)));
}

/// The one path of a file that may be named by several.
fn whole(path: &str) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// What was probably meant by the value of an option that stands where a path should.
fn forgotten_sign(path: &str) -> Option<&'static str> {
    let wanted = match path {
        "full" | "short" => "for runs write `--witness",
        "lines" | "object" => "for JSON write `--json",
        _ => return None,
    };
    (!Path::new(path).exists()).then_some(wanted)
}

/// Whether a path that does not exist is meant as a formula: an operator with something behind it.
fn looks_like_formula(path: &str) -> bool {
    let has_blank = path.trim().contains([' ', '(']);
    let claims = &mut Claims::new();
    has_blank && !Path::new(path).exists() && claims::read_one(claims, path).is_ok()
}

/// The files with some endings in a folder and the folders in it. There must be some.
pub(crate) fn search(folder: &str, endings: &[&str]) -> Result<Vec<String>, Failure> {
    some_in(folder, in_folder(folder, endings)?)
}

/// Models that were found in a folder; none is a problem.
fn some_in(folder: &str, found: Vec<String>) -> Result<Vec<String>, Failure> {
    if found.is_empty() {
        let problem = Problem::error("M105", format!("there is no model in the folder `{folder}`"))
            .hint("`tern --help` lists the endings of models; other files are given by name");
        return Err(refused(folder, problem));
    }
    Ok(found)
}

fn in_folder(folder: &str, endings: &[&str]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(path) = open.pop() {
        if !path.is_dir() {
            found.push(path.to_string_lossy().into_owned());
            continue;
        }
        let is_hidden = |name: &str| name.starts_with('.');
        let inside = fs::read_dir(&path).map_err(|cause| {
            let folder = path.to_string_lossy();
            let message = format!("the folder `{folder}` cannot be searched: {cause}");
            refused(&folder, Problem::error("M105", message))
        })?;
        let mut inside: Vec<_> = inside
            .filter_map(Result::ok)
            .filter(|entry| !is_hidden(&entry.file_name().to_string_lossy()))
            .filter(|entry| {
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                let path = entry.path();
                let is_model = ends_in(&entry.file_name().to_string_lossy(), endings);
                if path.is_dir() { !is_link } else { is_model }
            })
            .map(|entry| entry.path())
            .collect();
        // The first is looked at next.
        inside.sort_unstable_by(|a, b| b.file_name().cmp(&a.file_name()));
        open.extend(inside);
    }
    Ok(found)
}

fn refused(folder: &str, problem: Problem) -> Failure {
    Failure::Input(vec![Wrong { source: Source::new(folder, ""), problems: vec![problem] }])
}
