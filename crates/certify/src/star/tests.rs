//! Covers that are none. (Whole proofs are spoilt where they are made, in the tests of the engine.)

use crate::{Asked, check};
use tern_model::star_evidence::{BaseCopy, StarEvidence};
use tern_model::{BoxId, Budget, Claim, CompId, Evidence, Formulas, Id, Machine, Verdict};
use tern_testkit::sketch;

/// Two calls, of which only the first goes on; so `sub.in` is stuck in the second.
const TWO_CALLS: &str = "component main
  box a = sub
  box b = sub
  * start -> a.in, b.in
  end
  a.out -> end
  exits
component sub
  > in -> ^out
  exits out";

fn copy(component: usize, ended: bool, callees: &[(usize, u32)]) -> BaseCopy {
    let callees = callees.iter().map(|&(call, copy)| (BoxId::new(call), copy)).collect();
    BaseCopy { component: CompId::new(component), ended, callees }
}

/// What the checker says of a base, with a claim that needs nothing else.
fn verdict(machine: &Machine, base: Vec<BaseCopy>) -> Result<(), String> {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "true");
    let evidence = Evidence::Star(StarEvidence { base, layers: Vec::new() });
    let asked = Asked { formulas: &formulas, claim: &Claim::new(claim) };
    let budget = Budget::unlimited();
    let checked = check(machine.into(), asked, &Verdict::Holds, None, &evidence, &budget);
    checked.map_err(|refusal| refusal.to_string())
}

#[test]
fn calls_that_differ_in_what_is_stuck_are_told_apart() {
    let machine = sketch::machine(TWO_CALLS);
    let apart = vec![copy(0, true, &[(0, 1), (1, 2)]), copy(1, false, &[]), copy(1, false, &[])];
    assert_eq!(verdict(&machine, apart), Ok(()));
    let together = vec![copy(0, true, &[(0, 1), (1, 1)]), copy(1, false, &[])];
    let refusal = "copy 1: its callers disagree on whether sub.in is stuck";
    assert_eq!(verdict(&machine, together), Err(refusal.to_owned()));
}

#[test]
fn links_lead_to_copies_of_the_callee_under_a_caller() {
    let machine = sketch::machine(TWO_CALLS);
    let elsewhere = "copy 0: a box leads to what is no copy of its callee under a caller";
    for target in [copy(1, true, &[]), copy(0, false, &[])] {
        let base = vec![copy(0, true, &[(0, 1)]), target];
        assert_eq!(verdict(&machine, base), Err(elsewhere.to_owned()));
    }
    assert_eq!(verdict(&machine, vec![copy(0, true, &[(0, 9)])]), Err(elsewhere.to_owned()));
    let others = vec![copy(0, true, &[]), copy(1, false, &[(0, 1)])];
    let refusal = "copy 1: it links a box of another component";
    assert_eq!(verdict(&machine, others), Err(refusal.to_owned()));
}

#[test]
fn a_stack_is_in_one_copy() {
    let machine = sketch::machine(TWO_CALLS);
    let twice = vec![copy(0, true, &[]), copy(0, true, &[])];
    let refusal = "copy 1: the empty stack has a copy already";
    assert_eq!(verdict(&machine, twice), Err(refusal.to_owned()));
    let twice = vec![copy(0, true, &[(0, 1), (0, 2)]), copy(1, false, &[]), copy(1, false, &[])];
    assert_eq!(verdict(&machine, twice), Err("copy 0: its boxes are not sorted".to_owned()));
}

#[test]
fn copies_are_of_components() {
    let machine = sketch::machine(TWO_CALLS);
    let refusal = "copy 0: there is no such component";
    assert_eq!(verdict(&machine, vec![copy(7, true, &[])]), Err(refusal.to_owned()));
}
