//! Forged evidence about functions that call themselves: each is wrong in one thing only, and must
//! be refused for just that.

use super::*;
use tern_ir::proof::{Branch, CallProof, Reason};

/// A function that counts down, and one that it is told apart from by its argument.
const TEXT: &str = "int g;
int f(int a) { if (a <= 0) return 0; g = 1; return f(a - 1) + 1; }
void main() { int x; x = f(3); }";

/// Evidence for a claim, with some of it changed.
fn with_evidence(shown: &str, forge: impl FnOnce(&Flow, &mut CallProof)) -> Result<(), String> {
    let unit = parse::parse(TEXT).expect("it is a program");
    let flow = lower(&unit, &Settings::default(), TEXT).expect("it can be treated");
    let mut formulas = Formulas::new();
    let root = dialect::read(shown, false, &mut formulas).expect("it is a claim");
    let program = ctl::lower(&formulas, root).expect("it is CTL");
    let meanings = claim::meanings(&unit, &flow, &formulas, &program).expect("names are known");
    let case = Case { flow: &flow, formulas: &formulas, root, meanings: &meanings };
    let decision = case.decide(&Budget::unlimited());
    let mut proof = case.proof(&decision).expect("there is evidence");
    forge(&flow, proof.calls.as_mut().expect("it is about calls"));
    case.judge(true, &proof).map_err(|it| it.to_string())
}

/// `variable >= least`
fn at_least(variable: usize, least: i128) -> Row {
    let terms = vec![(Column::variable(variable), 1)];
    Row::at_least_zero(Affine { terms, constant: -least })
}

#[track_caller]
fn refused(why: &str, forge: impl FnOnce(&Flow, &mut CallProof)) {
    let found = with_evidence("AF{exit: true}", forge).expect_err("it is forged");
    assert!(found.contains(why), "{found}");
}

#[test]
fn what_is_said_of_procedures_is_whole() {
    assert_eq!(with_evidence("AF{exit: true}", |_, _| {}), Ok(()));
    let count = "there is not one of each";
    refused(count, |_, calls| _ = calls.known.pop());
    refused(count, |_, calls| _ = calls.inside.pop());
    refused(count, |_, calls| _ = calls.summaries.inside.pop());
    refused(count, |_, calls| _ = calls.summaries.regions.pop());
    refused(count, |_, calls| calls.summaries.regions[0].known = 9);
    refused("does not have its form", |_, calls| _ = calls.known[0].left.pop());
    refused("reasons for each point", |_, calls| _ = calls.inside[0].pop());
    refused("one layer for each term", |_, calls| calls.known[0].proof.layers.clear());
    refused("not one reason for each", |_, calls| {
        let mut left = calls.known.iter_mut().flat_map(|it| &mut it.left);
        _ = left.find(|it| !it.is_empty()).expect("something is left").pop();
    });
}

#[test]
fn what_is_said_of_procedures_is_about_what_it_may_be() {
    let other = "about other variables";
    let local = |flow: &Flow| {
        let is_x = |name: &String| name == "x";
        flow.variables.iter().position(is_x).expect("it is a variable of main")
    };
    refused(other, |flow, calls| calls.summaries.inside[0].push(at_least(local(flow), 0)));
    refused(other, |flow, calls| {
        let tree = vec![Branch::Split(at_least(local(flow), 0)), Branch::Leaf, Branch::Leaf];
        calls.summaries.known[0].trees[0] = tree;
    });
    refused(other, |flow, calls| {
        let mut exits = calls.summaries.known[0].exits.iter_mut().flatten();
        exits.next().expect("it is left").push(at_least(local(flow), 0));
    });
}

#[test]
fn what_is_said_of_procedures_has_reasons() {
    let global = |flow: &Flow| {
        flow.variables.iter().position(|name| name == "g").expect("there is such a global")
    };
    // That g is 7 at least while f runs.
    refused("a row about procedures", |flow, calls| {
        calls.summaries.inside[0].push(at_least(global(flow), 7));
        for reasons in &mut calls.inside[0] {
            reasons.push(vec![Reason::Sum(vec![(0, 1)])]);
        }
    });
    // The proof that calls end is about something else.
    refused("not that of the claim", |_, calls| {
        let truth = Term::True;
        let proof = &mut calls.known[0].proof;
        let terms: Table<_, Term> = std::iter::once(truth).collect();
        proof.claim = Program { root: terms.ids().next().expect("there is one"), terms };
        proof.layers = vec![Layer::Plain];
    });
}
