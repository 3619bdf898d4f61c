//! Conditions on initial values under which claims hold or fail: what is said of each initial state
//! is what the interpreter finds from there.

use crate::integers::{number_from, settings};
use std::collections::BTreeMap;
use tern_ir::flow::{Column, Row};
use tern_model::logic::ctl;
use tern_model::{Budget, Formulas};
use tern_numeric::check::Wants;
use tern_program::c::explicit::{self, Bounds};
use tern_program::c::hoist::hoisted;
use tern_program::c::interpret::{Interpreter, State};
use tern_program::c::lower::lower_within;
use tern_program::c::{claim, dialect, parse};
use tern_testkit::programs::Maker;

/// Values that follow from others in the beginning: several starts, some with conditions.
const HEADS: [&str; 4] =
    ["int z = x > 0 ? 1 : y;", "int z = x;", "_Bool z = x + y;", "int z = x % 2;"];

/// Whether rows are true in a state; `None` if one is about something without a value.
fn fits(rows: &[Row], state: &State<'_>, variables: &[String]) -> Option<bool> {
    let mut is_true = true;
    for row in rows {
        for (column, _) in &row.affine().terms {
            state.visible(&variables[column.as_variable()?])?;
        }
        let of = |column: Column| {
            let name = column.as_variable().map(|it| &variables[it]);
            name.and_then(|name| state.visible(name)).unwrap_or(0)
        };
        is_true &= row.affine().evaluate(of)? >= 0;
    }
    Some(is_true)
}

#[test]
fn preconditions_agree_with_the_interpreter() {
    let (first, count) = (number_from("TERN_SEED", 1), number_from("TERN_PAIRS", 150));
    let (mut looked_at, mut split) = (0, 0);
    for seed in first..first + count {
        let mut maker = Maker::new(fastrand::Rng::with_seed(seed), false, false);
        let head = HEADS[seed as usize % HEADS.len()];
        let text = maker.program().replacen("int y;\n", &format!("int y;\n{head}\n"), 1);
        let unit = parse::parse(&text).unwrap_or_else(|it| panic!("seed {seed}: {it:?}\n{text}"));
        let (settings, budget) = (settings(seed), Budget::unlimited().with_effort(4000));
        let Ok(flow) = lower_within(&unit, &settings, &text, &budget) else { continue };
        let shown = maker.claim(2).replace("b[0]", "z");
        let mut formulas = Formulas::new();
        let root = dialect::read(&shown, false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let meanings = claim::meanings(&unit, &flow, &formulas, &program).expect("names are known");
        let wants = Wants { precondition: true, ..Wants::default() };
        let regions = claim::answer(&flow, &program, &meanings, wants, &budget).regions;
        let said = |holds: bool| regions.iter().any(|it| it.holds == Some(holds));
        split += usize::from(said(true) && said(false));
        let plain = hoisted(&unit);
        let interpreter = Interpreter::new(&plain, &settings);
        for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))) {
            let values = BTreeMap::from([("x".to_owned(), x), ("y".to_owned(), y)]);
            let Ok(Some(state)) = interpreter.start(&values) else { continue };
            let bounds = Bounds { size: 9, states: 1000, whole: false };
            let listed = explicit::explore(interpreter, [state.clone()], bounds);
            let Ok(listed) = listed else { continue };
            let Some(truth) = listed.decide(&program, &formulas) else { continue };
            // A state without a run is none that anything is said of.
            if listed.has_no_run() {
                continue;
            }
            for region in regions.iter().filter(|it| it.holds.is_some()) {
                if fits(&region.rows, &state, &flow.variables) == Some(true) {
                    looked_at += 1;
                    assert_eq!(
                        region.holds,
                        Some(truth),
                        "seed {seed}: x = {x}, y = {y}\n{shown}\n{text}\n{region:?}"
                    );
                }
            }
        }
    }
    println!("{looked_at} initial states from seed {first}, {split} claims that hold and fail");
    assert!(looked_at as u64 > count && split as u64 * 15 > count, "too little is looked at");
}
