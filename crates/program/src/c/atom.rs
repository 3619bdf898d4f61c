//! What claims say about the variables of a program: `x + 2*y > 0 && z % 3 != 1`.

use super::Fault;
use super::cases::Cases;
use super::parse::expression;
use super::syntax::{Expr, Widths};
use std::collections::BTreeMap;
use tern_ir::flow::{Edge, Flow, PointId, Proposition};
use tern_ir::remainder::divisions;
use tern_model::{AtomId, Id, Span};

/// Where an expression over the variables of a flow graph is true.
///
/// # Errors
/// What is wrong with it, or cannot be treated.
pub fn read(flow: &Flow, text: &str) -> Result<Proposition, Vec<Fault>> {
    let expr = expression(text)?;
    meaning(flow, &expr).map_err(|fault| vec![fault])
}

fn meaning(flow: &Flow, expr: &Expr) -> Result<Proposition, Fault> {
    // Numbers in claims are mathematical, so that bits need no width.
    let widths = Some(Widths::of_int(64));
    let resolve = |name: &str| flow.variables.iter().position(|known| known == name);
    let mut cases = Cases { resolve: &resolve, auxiliaries: Vec::new(), widths, typing: None };
    let tests = cases.tests(expr)?;
    if tests.iter().any(|test| test.outcome.is_none()) {
        let message = "this divides by zero";
        return Err(Fault::new("C104", Span::new(0..0), message, "leave that out"));
    }
    let auxiliaries = cases.auxiliaries;
    let tests = tests.into_iter().filter(|test| test.outcome == Some(true));
    if auxiliaries.is_empty() {
        return Ok(Proposition::Rows(tests.map(|test| test.guard).collect()));
    }
    let at = PointId::new(0);
    let edge = |(facts, guard)| Edge {
        facts,
        guard,
        auxiliaries: auxiliaries.clone(),
        ..Edge::plain(at, at)
    };
    let divided = Proposition::Divided(tests.map(|test| edge((test.facts, test.guard))).collect());
    let alone = BTreeMap::from([(AtomId::new(0), divided.clone())]);
    match divisions(&alone).is_some() && flow.summary.is_none() {
        true => Ok(divided),
        false => {
            let message = "claims can compare sums of multiples of variables only";
            let hint = "quotients and remainders are treated if a variable, perhaps with a constant \
                        added, is divided by a constant, in programs without recursion";
            Err(Fault::new("C104", expr.span, message, hint))
        }
    }
}
