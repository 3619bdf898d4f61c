//! Evidence about integer programs: what the analysis gives, and what becomes of it.

use tern_certify::Stopped;
use tern_certify::integers::{Question, check};
use tern_ir::flow::Flow;
use tern_ir::proof::Proof;
use tern_model::logic::ctl;
use tern_model::{Budget, FormulaId, Formulas};
use tern_numeric::check::{Decision, Verdict, Wants};
use tern_program::c::claim::{self, Meanings};
use tern_record::integers::{read_proof, write_proof};

/// A claim about a program, with what is needed to decide it and to check the answer.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) formulas: &'a Formulas,
    pub(crate) root: FormulaId,
    pub(crate) meanings: &'a Meanings,
}

impl Case<'_> {
    /// Decides the claim, with evidence.
    pub(crate) fn decide(&self, budget: &Budget) -> Decision {
        let program = ctl::lower(self.formulas, self.root).expect("it is CTL");
        let wants = Wants { evidence: true, steps: 300, ..Wants::default() };
        claim::answer(self.flow, &program, self.meanings, wants, budget)
    }

    /// What the certifier says of evidence.
    pub(crate) fn judge(&self, holds: bool, proof: &Proof) -> Result<(), Stopped> {
        let Case { flow, formulas, root, meanings } = *self;
        let question = Question { flow, formulas, claim: root, propositions: meanings };
        check(question, holds, proof, &Budget::unlimited())
    }

    /// The evidence of an answer, which must be accepted once it was written and read again; `None`
    /// if there is no answer, or if no evidence was found, which is printed.
    pub(crate) fn proof(&self, decision: &Decision) -> Option<Proof> {
        let holds = match decision.verdict {
            Verdict::Holds => true,
            Verdict::Fails { .. } => false,
            Verdict::Unknown(_) => return None,
        };
        let proof = match decision.proof.as_ref().expect("evidence was asked for") {
            Ok(proof) => proof,
            Err(gap) => {
                println!("no evidence: {gap:?}");
                return None;
            }
        };
        let json = write_proof(self.flow, self.formulas, proof).expect("it can be written");
        let read = read_proof(self.formulas, self.root, &json.to_string()).expect("it is sound");
        assert_eq!(*proof, read, "evidence is read as it was written");
        if let Err(stopped) = self.judge(holds, &read) {
            panic!("refused: {stopped}");
        }
        assert!(self.judge(!holds, &read).is_err(), "it proves the contrary as well");
        Some(read)
    }
}
