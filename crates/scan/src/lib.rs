//! Findings: the places of a program that break rules, each *certain* or *possible*.
//!
//! [`scan`] takes a program and [rules](rules), looks at the program as a whole ([`world`]),
//! explores its procedures with a few facts in each node ([`explore`]), and gives
//! [findings](findings). What it does not find is not proved: it never says that a rule holds.

mod certainty;
pub mod checks;
pub mod explore;
pub mod findings;
pub mod models;
pub mod output;
pub mod rules;
pub mod snippets;
pub mod sources;
pub mod state;
pub mod suppress;
pub mod values;
mod words;
pub mod world;

use explore::Explored;
use findings::Finding;
use rules::Rule;
use sources::Sources;
use tern_model::{Budget, Limit};
use tern_program::java::Reading;
use world::World;

/// What a scan found, and what it was about.
#[derive(Debug)]
pub struct Scan {
    /// All findings, in the order of files and lines.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub counts: Counts,
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
}

/// Scans a program that was read.
///
/// # Errors
/// When the budget runs out.
pub fn scan(
    reading: &mut Reading,
    rules: &[Rule],
    sources: &Sources,
    budget: &Budget,
) -> Result<Scan, Limit> {
    let library = reading.library;
    let world = World::new(&mut reading.program, rules, budget)?;
    let explored = Explored::new(&world, rules, budget)?;
    let findings = findings::findings(&explored, rules, sources, library, budget)?;
    let counts = Counts {
        classes: reading.report.classes,
        procedures: reading.report.with_code,
        components: explored.components.len(),
        nodes: explored.components.as_slice().iter().map(|it| it.nodes.len()).sum(),
    };
    Ok(Scan { findings, counts })
}
