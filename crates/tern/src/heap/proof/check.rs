//! Proofs put before the certifier: that a claim holds, or that it fails on an input.

use super::{HeapModel, Told, file, none};
use tern_certify::heap::NoRun;
use tern_certify::heap::proof::{Assembled, Prover};
use tern_model::{Budget, Formula, FormulaId, Formulas, Verdict};
use tern_record::heap_proof::HeapProof;

impl HeapModel {
    /// Lets the certifier check a proof that a claim holds.
    ///
    /// # Errors
    /// Why it refuses that, or a limit.
    pub fn certify_proof(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        proof: &HeapProof,
        budget: &Budget,
    ) -> Result<(), NoRun> {
        if proof.input.is_some() {
            return none("it is about one input");
        }
        let about = (formulas, claim);
        self.with_prover(self.number_of(proof)?, &Told::read(proof), about, |prover| {
            accepted(prover, about, proof, budget)
        })
    }

    /// Lets the certifier check a proof that a claim fails on an input.
    ///
    /// # Errors
    /// Why it refuses that, or a limit.
    pub fn certify_refutation(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        proof: &HeapProof,
        budget: &Budget,
    ) -> Result<(), NoRun> {
        let Some(begins) = &proof.input else { return none("it is about no input") };
        let begins = file::read_input(begins);
        let (formulas, opposite) = opposite(formulas, claim);
        let (number, about) = (self.number_of(proof)?, (&formulas, opposite));
        self.with_prover_of((number, &begins), &Told::read(proof), about, budget, |prover| {
            accepted(prover, about, proof, budget)
        })
    }

    /// The number of what a proof is about.
    fn number_of(&self, proof: &HeapProof) -> Result<usize, NoRun> {
        match (0..self.given.len()).find(|&it| self.show_input(it) == proof.given) {
            Some(number) => Ok(number),
            None => {
                none(&format!("nothing is asked about `{}`", tern_model::visible(&proof.given)))
            }
        }
    }
}

/// What all runs must be like for a claim to fail: if it says something of all runs, one that is
/// not so is enough, and there is one.
pub(super) fn opposite(formulas: &Formulas, claim: FormulaId) -> (Formulas, FormulaId) {
    let (mut formulas, claim) = formulas.alone(claim);
    let path = match formulas.get(claim) {
        Formula::All(path) => path,
        _ => claim,
    };
    let opposite = formulas.make(Formula::Not(path));
    (formulas, opposite)
}

/// Lets the certifier check a proof of a claim.
fn accepted(
    prover: &Prover<'_>,
    (formulas, claim): (&Formulas, FormulaId),
    proof: &HeapProof,
    budget: &Budget,
) -> Result<(), NoRun> {
    let read = file::read(proof, prover.task.program.procedures().len())?;
    let Assembled { machine, claims } = prover.assemble(formulas, claim, &read, budget)?;
    let claim = &claims.list()[0];
    let asked = tern_certify::Asked { formulas: &claims.formulas, claim };
    let stopped = |stopped: tern_certify::Stopped| match stopped {
        tern_certify::Stopped::Refused(refusal) => NoRun::Refused(refusal.to_string()),
        tern_certify::Stopped::Limit(limit) => NoRun::Limit(limit),
    };
    let verdict = Verdict::Holds;
    let spoken = tern_certify::spoken_of((&machine).into(), asked, &verdict, budget);
    let json = proof.machine.to_string();
    let evidence = match spoken.map_err(stopped)? {
        None => tern_record::read_evidence(&machine, &claims.formulas, &claim.property, &json),
        Some(it) => tern_record::read_evidence(&it.machine, &it.formulas, &it.claim, &json),
    };
    let evidence = evidence.map_err(|flaw| NoRun::Refused(flaw.to_string()))?;
    tern_certify::check((&machine).into(), asked, &verdict, None, &evidence, budget)
        .map_err(stopped)
}
