//! Abstract machines, and edges with names: the machine and claim that evidence speaks of.
//!
//! A claim f about an abstract machine M holds if `must f` holds of an ordinary machine M', and
//! fails if `may f` fails of it; `docs/certificate.md` says what these are. Both are made here once
//! more, by the definition and by no code of an engine, and evidence is judged as evidence about
//! them. If a claim names edges, the machine has labels for the names. Nothing new has to be
//! believed of evidence: only that M' and the two formulas are right.

mod formula;
mod machine;

use crate::refusal::{Stopped, refuse};
use formula::{may, must};
use machine::Name;
use tern_model::fairness::name_edges;
use tern_model::{AutomatonProperty, Budget, Followed, Formula, Formulas, Machine, Property};

/// The label of nodes that are entered by steps that are only possible.
const MAYBE: &str = "maybe";

/// What evidence speaks of, if the machine is abstract or the claim names edges.
#[derive(Clone, Debug)]
pub struct Ordinary {
    /// The machine.
    pub machine: Machine,
    /// Where the claim lives; all formulas of the original claim have the same ids here.
    pub formulas: Formulas,
    /// The claim about this machine, which has the verdict that is to be proved.
    pub claim: Property,
}

impl Ordinary {
    /// What has to be proved for a claim to hold, or to fail.
    ///
    /// # Errors
    /// Why nothing can be proved, or the limit that was reached.
    pub fn new(
        machine: &Machine,
        formulas: &Formulas,
        claim: &Property,
        holds: bool,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut formulas = formulas.clone();
        let (said, followed) = match claim {
            Property::Formula(formula) => (*formula, &[][..]),
            Property::Runs(property) => (property.formula, &property.followed[..]),
            Property::Automaton(_) if machine.is_abstract() => {
                return refuse(
                    "the machine",
                    "it is abstract, and automata are not proved of such",
                );
            }
            Property::Automaton(property) => {
                let taken = claim.atoms(&formulas);
                let (fair, followed) = name_edges(&mut formulas, &property.fair, &taken);
                let claim = AutomatonProperty { fair, ..(**property).clone() }.into();
                let names = names(&formulas, &followed);
                let machine = machine::ordinary(machine, &names, budget)?;
                return Ok(Ordinary { machine, formulas, claim });
            }
        };
        let ordinary = machine::ordinary(machine, &names(&formulas, followed), budget)?;
        let claim = match (machine.is_abstract(), holds) {
            (false, _) => said,
            (true, true) => must(&mut formulas, said),
            (true, false) => may(&mut formulas, said),
        };
        Ok(Ordinary { machine: ordinary, formulas, claim: claim.into() })
    }
}

/// What sets of edges are called.
fn names<'a>(formulas: &'a Formulas, followed: &'a [Followed]) -> Vec<Name<'a>> {
    let name = |it: &'a Followed| match formulas.get(it.atom) {
        Formula::Atom(atom) => Some((formulas.atom_name(atom), &*it.edges)),
        _ => None,
    };
    followed.iter().filter_map(name).collect()
}
