//! What was read, and what of it was not modelled.

use std::collections::BTreeMap;
use tern_ir::{FieldId, NameId, ProcId};

/// What a reading did, for whoever shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Classes and interfaces that were read; those made for lambdas are not counted.
    pub classes: usize,
    /// Classes that were made for lambdas and method references.
    pub lambdas: usize,
    /// Methods.
    pub methods: usize,
    /// Methods with code that was lowered.
    pub with_code: usize,
    /// Methods whose code is elsewhere.
    pub native: usize,
    /// Bytecode instructions, those that are never reached included.
    pub instructions: usize,
    /// Methods that have code which could not be lowered, in the order of the classes.
    pub stubs: Vec<Stub>,
    /// Methods that say what they throw, with the classes.
    pub declared: Vec<(ProcId, Box<[NameId]>)>,
    /// Fields of classes that no code outside can write: private ones, and those that are final, as
    /// it says of each.
    pub hidden: Vec<(FieldId, bool)>,
    /// Fields that code outside may write at any time: neither private nor final, of public
    /// classes.
    pub exposed: Vec<FieldId>,
    /// Fields that other threads may write at any time (`volatile`).
    pub volatile: Vec<FieldId>,
    /// What was read but is not modelled, by reason.
    pub omissions: Vec<Omission>,
}

/// A method whose code could not be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// The method.
    pub procedure: ProcId,
    /// Why.
    pub reason: String,
}

/// Something that the program does and the translation leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// What it is.
    pub reason: String,
    /// How often it occurs.
    pub count: usize,
    /// The first method that it occurs in: `Class.method`.
    pub first: String,
}

/// A report while it grows.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) report: Report,
    omissions: BTreeMap<String, (usize, String)>,
    /// The method that is lowered now.
    pub(crate) current: String,
}

impl Tally {
    /// Notes something that is not modelled in the method that is lowered now.
    pub(crate) fn omit(&mut self, reason: impl Into<String>) {
        let current = &self.current;
        self.omissions.entry(reason.into()).or_insert_with(|| (0, current.clone())).0 += 1;
    }

    pub(crate) fn finish(mut self) -> Report {
        let rows = self.omissions.into_iter();
        self.report.omissions =
            rows.map(|(reason, (count, first))| Omission { reason, count, first }).collect();
        self.report
    }
}
