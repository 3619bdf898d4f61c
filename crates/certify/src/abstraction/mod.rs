//! Abstract machines: the ordinary machine and claim that evidence speaks of.
//!
//! A claim f about an abstract machine M holds if `must f` holds of an ordinary machine M', and
//! fails if `may f` fails of it; `docs/certificate.md` says what these are. Both are made here once
//! more, by the definition and by no code of an engine, and evidence is judged as evidence about
//! them. Nothing new has to be believed of evidence: only that M' and the two formulas are right.

mod formula;
mod machine;

use crate::refusal::Stopped;
use formula::{may, must};
use tern_model::{Budget, FormulaId, Formulas, Machine};

/// The label of nodes that are entered by steps that are only possible.
const MAYBE: &str = "maybe";

/// What evidence about an abstract machine speaks of.
#[derive(Clone, Debug)]
pub struct Ordinary {
    /// The machine.
    pub machine: Machine,
    /// Where the claim lives; all formulas of the original claim have the same ids here.
    pub formulas: Formulas,
    /// The claim about this machine, which has the verdict that is to be proved.
    pub claim: FormulaId,
}

impl Ordinary {
    /// What has to be proved for a claim about an abstract machine to hold, or to fail.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn new(
        machine: &Machine,
        formulas: &Formulas,
        claim: FormulaId,
        holds: bool,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut formulas = formulas.clone();
        let claim = match holds {
            true => must(&mut formulas, claim),
            false => may(&mut formulas, claim),
        };
        Ok(Ordinary { machine: machine::ordinary(machine, budget)?, formulas, claim })
    }
}
