//! What claims say about the variables of a program: `x + 2*y > 0 && z != 1`.

use super::Fault;
use super::cases::Cases;
use super::parse::expression;
use super::syntax::{Expr, Widths};
use tern_ir::flow::{Flow, Row};
use tern_model::Span;

/// Where an expression over the variables of a flow graph is true: one of these lists of rows.
///
/// # Errors
/// What is wrong with it, or cannot be treated.
pub fn rows(flow: &Flow, text: &str) -> Result<Vec<Vec<Row>>, Vec<Fault>> {
    let expr = expression(text)?;
    read(flow, &expr).map_err(|fault| vec![fault])
}

fn read(flow: &Flow, expr: &Expr) -> Result<Vec<Vec<Row>>, Fault> {
    // Numbers in claims are mathematical, so that bits need no width.
    let widths = Some(Widths::of_int(64));
    let resolve = |name: &str| flow.variables.iter().position(|known| known == name);
    let mut cases = Cases { resolve: &resolve, auxiliaries: Vec::new(), widths, typing: None };
    let tests = cases.tests(expr)?;
    if !cases.auxiliaries.is_empty() {
        let message = "claims can compare sums of multiples of variables only";
        let hint = "products, quotients and remainders are not treated in claims yet";
        return Err(Fault::new("C104", expr.span, message, hint));
    }
    if tests.iter().any(|test| test.outcome.is_none()) {
        let message = "this divides by zero";
        return Err(Fault::new("C104", Span::new(0..0), message, "leave that out"));
    }
    Ok(tests.into_iter().filter(|test| test.outcome == Some(true)).map(|test| test.guard).collect())
}
