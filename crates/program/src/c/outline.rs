//! What a program consists of, for people.

use super::recursion::{outlined, recursive};
use super::syntax::Unit;
use std::collections::BTreeSet;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// Whether it calls itself, perhaps by way of others.
    pub is_recursive: bool,
}

/// The functions of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Those with a body, in order.
    pub functions: Vec<Function>,
    /// Those that are called and have none: they give any value.
    pub missing: BTreeSet<String>,
}

/// The functions of a program.
pub fn outline(unit: &Unit) -> Outline {
    let recursive = recursive(unit);
    let functions = unit.functions.iter().map(|function| Function {
        name: function.name.clone(),
        parameters: function.parameters.iter().map(|it| it.name.clone()).collect(),
        is_recursive: recursive.contains(function.name.as_str()),
    });
    let all = unit.functions.iter().flat_map(|function| outlined(&function.body).callees);
    let missing = all.filter(|name| unit.function(name).is_none()).map(str::to_owned);
    Outline { functions: functions.collect(), missing: missing.collect() }
}
