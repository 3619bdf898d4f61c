//! Evidence about integer programs: what the analysis gives, and what becomes of it.

use tern_certify::Stopped;
use tern_certify::integers::{Question, check};
use tern_ir::flow::Flow;
use tern_ir::proof::Proof;
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, FormulaId, Formulas};
use tern_numeric::check::{Decision, Verdict, Wants};
use tern_program::c::claim::{self, Meanings};
use tern_program::c::lower::{Settings, lower};
use tern_program::c::{dialect, parse};
use tern_record::integers::{read_proof, write_proof};

/// A claim about a program, with what is needed to decide it and to check the answer.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) formulas: &'a Formulas,
    pub(crate) root: FormulaId,
    pub(crate) meanings: &'a Meanings,
}

/// A program with a claim, read from their texts.
pub(crate) struct Written {
    pub(crate) flow: Flow,
    pub(crate) formulas: Formulas,
    pub(crate) root: FormulaId,
    pub(crate) program: Program,
    pub(crate) meanings: Meanings,
}

impl Written {
    /// Reads a program, and a claim as FuncTion writes them.
    pub(crate) fn read(text: &str, settings: &Settings, shown: &str) -> Written {
        let unit = parse::parse(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let flow = lower(&unit, settings, text);
        let flow = flow.unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let mut formulas = Formulas::new();
        let root = dialect::read(shown, false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let meanings = claim::meanings(&unit, &flow, &formulas, &program).expect("names are known");
        Written { flow, formulas, root, program, meanings }
    }

    pub(crate) fn case(&self) -> Case<'_> {
        let Written { flow, formulas, root, meanings, .. } = self;
        Case { flow, formulas, root: *root, meanings }
    }
}

/// What is given of initial values; nothing if it is empty.
pub(crate) fn given(text: &str) -> Settings {
    let given = match text {
        "" => Vec::new(),
        text => vec![parse::expression(text).expect("it is an expression")],
    };
    Settings { given, ..Settings::default() }
}

impl Case<'_> {
    /// Decides the claim, with evidence.
    pub(crate) fn decide(&self, budget: &Budget) -> Decision {
        let wants = Wants { evidence: true, steps: 300, ..Wants::default() };
        match ctl::lower(self.formulas, self.root) {
            Ok(program) => claim::answer(self.flow, &program, self.meanings, wants, budget),
            Err(_) => {
                let formula = (self.formulas, self.root);
                claim::by_runs(self.flow, formula, self.meanings, wants, budget)
            }
        }
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
