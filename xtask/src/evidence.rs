//! Evidence about integer programs, written, read again and checked.

use crate::page::note;
use std::time::Instant;
use tern_certify::integers::{Question, check};
use tern_ir::proof::Proof;
use tern_model::Budget;
use tern_record::integers::{read_proof, write_proof};

/// What came of the evidence of an answer.
pub(crate) enum Evidence {
    /// It was accepted, after so many seconds; so many bytes of text.
    Accepted(f64, usize),
    Missing(String),
    Refused(String),
}

/// Writes, reads and checks a proof, or says why there is none.
pub(crate) fn look(
    question: Question<'_>,
    holds: bool,
    proof: Result<Proof, String>,
    budget: &Budget,
) -> Evidence {
    let proof = match proof {
        Ok(proof) => proof,
        Err(why) => return Evidence::Missing(why),
    };
    let text = match write_proof(question.flow, question.formulas, &proof) {
        Ok(json) => json.to_string(),
        Err(error) => return Evidence::Missing(error.to_string()),
    };
    let begin = Instant::now();
    let read = match read_proof(question.formulas, question.claim, &text) {
        Ok(read) => read,
        Err(flaw) => return Evidence::Refused(flaw.to_string()),
    };
    match check(question, holds, &read, budget) {
        Ok(()) => Evidence::Accepted(begin.elapsed().as_secs_f64(), text.len()),
        Err(stopped) => Evidence::Refused(stopped.to_string()),
    }
}

/// How much evidence there was, and what it took to check it.
#[derive(Default)]
pub(crate) struct Tally {
    accepted: usize,
    missing: usize,
    pub(crate) refused: usize,
    deciding: f64,
    checking: f64,
    bytes: usize,
}

impl Tally {
    /// Counts the evidence of an answer that took so many seconds. Says what is amiss with it.
    pub(crate) fn add(&mut self, evidence: &Evidence, seconds: f64) -> String {
        self.deciding += seconds;
        match evidence {
            Evidence::Accepted(own, size) => {
                self.accepted += 1;
                self.checking += own;
                self.bytes += size;
                String::new()
            }
            Evidence::Missing(why) => {
                self.missing += 1;
                format!(" NO EVIDENCE: {why}")
            }
            Evidence::Refused(why) => {
                self.refused += 1;
                format!(" EVIDENCE REFUSED: {why}")
            }
        }
    }

    pub(crate) fn note(&self) {
        let Tally { accepted, missing, refused, deciding, checking, bytes } = self;
        let megabytes = *bytes as f64 / 1e6;
        note(&format!(
            "evidence: {accepted} accepted, {missing} missing, {refused} refused; {deciding:.2} s \
             to decide, {checking:.2} s to read and check {megabytes:.1} MB"
        ));
    }
}
