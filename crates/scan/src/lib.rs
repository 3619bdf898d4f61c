//! Findings: the places of a program that break rules, each *certain* or *possible*.
//!
//! [`scan`] takes a program and [rules], looks at the program as a whole ([`world`]), explores its
//! units with a few facts in each node ([`explore`]), and gives
//! [findings]. What it does not find is not proved: it never says that a rule holds.

pub mod cache;
mod certainty;
pub mod checks;
pub mod explore;
pub mod findings;
mod formula;
mod handing;
mod keys;
mod likely;
pub mod models;
pub mod output;
mod partners;
pub mod rules;
pub mod snippets;
pub mod sources;
pub mod state;
mod story;
pub mod suppress;
mod units;
pub mod values;
mod words;
pub mod world;

use cache::Cache;
use explore::{Setting, Use, View};
use findings::{Finding, Outcome};
use keys::{Basis, Former, Keys};
use rayon::prelude::*;
use rules::{BuiltIn, Claim, Rule};
use rustc_hash::FxHashSet;
use sources::Sources;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tern_ir::ProcId;
use tern_model::{Budget, Limit};
use tern_program::java::Reading;
use units::Unit;
use world::World;

/// What a scan found, and what it was about.
#[derive(Debug)]
pub struct Scan {
    /// All findings, in the order of files and lines.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub counts: Counts,
    /// What could not be analysed, each with a reason.
    pub left_out: Vec<String>,
    /// That the cache could not be written.
    pub unwritten: Option<String>,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Classes that were read.
    pub classes: usize,
    /// Procedures with code.
    pub procedures: usize,
    /// Procedures with facts at their entry.
    pub components: usize,
    /// Points with facts.
    pub nodes: usize,
    /// Classes of the source, with those inside them.
    pub units: usize,
    /// How many of these the cache knew.
    pub known: usize,
    /// Doubtful findings that are not shown.
    pub doubtful: usize,
}

/// How a scan goes about it.
pub struct How<'a> {
    /// How many units are explored at a time.
    pub threads: usize,
    /// What was found before, and is found now.
    pub cache: Option<&'a Cache>,
    /// The version of Tern, for the cache.
    pub version: &'a str,
    /// Whether doubtful findings are shown.
    pub doubtful: bool,
    /// Is told how many units are done, of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Default for How<'_> {
    fn default() -> Self {
        How { threads: 1, cache: None, version: "", doubtful: false, progress: &|_, _| {} }
    }
}

/// Scans a program that was read.
///
/// # Errors
/// When the budget runs out before the first unit is explored. Units for which it does not last are
/// left out.
pub fn scan(
    reading: &mut Reading,
    rules: &[Rule],
    sources: &Sources,
    how: &How,
    budget: &Budget,
) -> Result<Scan, Limit> {
    let library = reading.library;
    let world = World::new(&mut reading.program, &reading.report, rules, budget)?;
    let units = units::units(&world, library);
    let keys = how.cache.map(|_| Keys::new(&world, rules, how.version));
    let names: Vec<String> =
        keys.iter().flat_map(|keys| units.iter().map(|it| keys.of(it, sources))).collect();
    let (done, known) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let former = Former::new(how.cache.map_or(&[], Cache::summaries));
    let find = |setting: &Setting, number: usize, unit: &Unit| {
        let (cache, keys) = (how.cache?, keys.as_ref()?);
        let (basis, outcome) = cache.get(&names[number])?;
        let summaries = keys.is_known(setting, unit, &former, (&basis, &outcome))?;
        Some(Kept { basis, outcome, summaries })
    };
    let one = |setting: &mut Setting, (number, unit): (usize, &Unit)| -> Result<Kept, Limit> {
        let outcome = match find(setting, number, unit) {
            Some(found) => {
                known.fetch_add(1, Ordering::Relaxed);
                Ok(found)
            }
            None => explored(setting, sources, library, unit).map(|(outcome, looked, uses)| {
                let looked = (looked.as_slice(), uses.as_slice());
                let basis = keys.as_ref().and_then(|keys| keys.basis(setting, unit, looked));
                let (basis, summaries) = basis.unwrap_or_default();
                Kept { basis, outcome, summaries }
            }),
        };
        (how.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, units.len());
        outcome
    };
    let setting = || Setting::new(&world, rules, budget);
    let in_order = || {
        let mut setting = setting();
        units.iter().enumerate().map(|row| one(&mut setting, row)).collect()
    };
    let results: Vec<Result<Kept, Limit>> = match how.threads {
        0 | 1 => in_order(),
        threads => match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => {
                pool.install(|| units.par_iter().enumerate().map_init(setting, one).collect())
            }
            Err(_) => in_order(),
        },
    };
    let rows = || results.iter().enumerate().filter_map(|(row, it)| Some((row, it.as_ref().ok()?)));
    let unwritten = how.cache.and_then(|cache| {
        let rows = rows().map(|(row, found)| (names[row].as_str(), found));
        cache.write(rows).err().map(|error| error.to_string())
    });
    let mut counts = Counts {
        classes: reading.report.classes,
        procedures: reading.report.with_code,
        components: rows().map(|(_, it)| it.outcome.components).sum(),
        nodes: rows().map(|(_, it)| it.outcome.nodes).sum(),
        units: units.len(),
        known: known.into_inner(),
        doubtful: 0,
    };
    let (mut outcomes, mut left_out) = (Vec::new(), Vec::new());
    for (unit, result) in units.iter().zip(results) {
        match result {
            Ok(kept) => outcomes.push(kept.outcome),
            Err(limit) => left_out.push(format!("{}: {limit}", unit.name)),
        }
    }
    outcomes.push(lock_order(&world, rules, library, budget, &mut left_out));
    let (findings, doubtful) = findings::together(outcomes, rules, how.doubtful);
    counts.doubtful = doubtful;
    Ok(Scan { findings, counts, left_out, unwritten })
}

/// What was found in a unit, and what that rests on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    basis: Basis,
    outcome: Outcome,
    /// The summaries that were used, as they are kept.
    summaries: Vec<Arc<str>>,
}

/// Explores a unit; if that is too much, without entering what it calls. Says also which procedures
/// were looked at, and of which only the exits were.
fn explored(
    setting: &Setting,
    sources: &Sources,
    library: tern_ir::ClassId,
    unit: &Unit,
) -> Result<(Outcome, Vec<ProcId>, Vec<Use>), Limit> {
    setting.budget.check()?;
    let (outcome, looked) = match units::explore(setting, sources, library, &unit.view) {
        Err(Limit::Effort) => {
            let roots = unit.view.roots.clone();
            let narrow = View { inside: roots.iter().copied().collect(), roots };
            let (outcome, _) = units::explore(setting, sources, library, &narrow)?;
            // That it was too much may be due to anything.
            (outcome, (unit.view.inside.clone(), FxHashSet::default()))
        }
        other => other?,
    };
    let (mut looked, mut uses): (Vec<ProcId>, Vec<Use>) =
        (looked.0.into_iter().collect(), looked.1.into_iter().collect());
    looked.sort_unstable();
    uses.sort_unstable();
    Ok((outcome, looked, uses))
}

/// The order of locks is a matter of the whole program.
fn lock_order(
    world: &World,
    rules: &[Rule],
    library: tern_ir::ClassId,
    budget: &Budget,
    left_out: &mut Vec<String>,
) -> Outcome {
    let is_own = |id: tern_ir::ProcId| {
        let class = world.program.procedures()[id].class;
        class.is_none_or(|class| class < library)
    };
    let mut outcome = Outcome::default();
    for (number, rule) in rules.iter().enumerate() {
        if rule.claim != Claim::BuiltIn(BuiltIn::LockOrder) {
            continue;
        }
        match checks::lock_order(world, budget) {
            Ok(places) => {
                let own = places.iter().filter(|place| is_own(place.procedure));
                let found = own.map(|it| (findings::built_in(world, rules, number, it), None));
                outcome.findings.extend(found);
            }
            Err(limit) => left_out.push(format!("the order of locks: {limit}")),
        }
    }
    outcome
}
