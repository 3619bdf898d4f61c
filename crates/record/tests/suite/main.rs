//! The tests of result files, in one binary: each test binary links everything anew.
//! `cargo test -p tern-record --test suite NAME::` runs one file.

mod automaton_evidence;
mod certificate;

use tern_model::{Answer, Claims, Machine, Outcome};
use tern_record::json::{self, Results};

/// A result file about one claim.
fn written(machine: &Machine, claims: &Claims, outcome: Outcome) -> String {
    let answers = [Answer::from(outcome)];
    let results = Results::new("m", claims, &[1], &answers);
    json::text(&Results { machine: Some(machine), ..results })
}
