//! Which elements of arrays are variables of the flow graph.
//!
//! Those of small arrays are. Of a large one those are *followed* that the program, or what is
//! given, names by a number, and the first, which knows the type. Of the others nothing is known:
//! reading one gives a value that is not known, and writing one changes nothing that is. Whether an
//! index is beyond the array is known of all.

use super::lower::names;
use super::recursion::within;
use super::syntax::{Declared, Expr, Kind, StmtKind, Unit, element};
use std::collections::HashSet;

/// The largest array all of whose elements are followed.
const SMALL: usize = 32;

/// Which elements are followed.
pub(super) struct Followed {
    /// The large arrays.
    large: HashSet<String>,
    /// The elements that have names in the program.
    named: HashSet<String>,
}

impl Followed {
    /// Those of a program, with what is given of its initial states.
    pub(super) fn new(unit: &Unit, given: &[Expr]) -> Self {
        let mut found = Followed { large: HashSet::new(), named: HashSet::new() };
        found.named.extend(given.iter().flat_map(names));
        found.declare(&unit.globals);
        for function in &unit.functions {
            let (statements, exprs) = within(&function.body);
            for statement in statements {
                if let StmtKind::Declare(declared) = &statement.kind {
                    found.declare(declared);
                }
            }
            found.named.extend(exprs.into_iter().filter_map(named).map(str::to_owned));
        }
        found
    }

    fn declare(&mut self, declared: &[Declared]) {
        for one in declared {
            if let Some((array, number)) = one.name.split_once('[')
                && number == format!("{SMALL}]")
            {
                self.large.insert(array.to_owned());
            }
        }
    }

    /// Whether a variable, or an element of an array, is followed.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_large = |array: &str| self.large.contains(array) && name != element(array, 0);
        let array = name.split_once('[').map(|it| it.0);
        !array.is_some_and(is_large) || self.named.contains(name)
    }
}

/// The variable that an expression names or changes.
fn named(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        Kind::Name(name) | Kind::Assign(name, ..) | Kind::Increment(name, ..) => Some(name),
        _ => None,
    }
}
