//! How long it takes to find out whether a system of rows has an integer point.
//!
//! Systems are drawn at random, sparse and small as those of programs are: sums of up to three
//! variables, whose constants leave some of the systems empty. Each is asked of a new solver, and
//! once more of the same one, which remembers.

use crate::page::note;
use std::io;
use std::time::Instant;
use tern_ir::flow::{Affine, Column, Row};
use tern_model::Budget;
use tern_numeric::system::Solver;

const VARIABLES: usize = 8;
const ROWS: usize = 16;
const COUNT: u64 = 2000;

/// Prints the times.
pub(crate) fn run() -> io::Result<()> {
    let budget = Budget::unlimited();
    let (mut alone, mut again, mut empty) = (Vec::new(), Vec::new(), 0);
    for seed in 0..COUNT {
        let rows = system(seed);
        let mut solver = Solver::new(&budget);
        for times in [&mut alone, &mut again] {
            let begin = Instant::now();
            let is_empty =
                solver.is_empty(&rows).map_err(|limit| io::Error::other(limit.to_string()))?;
            times.push(begin.elapsed().as_secs_f64() * 1e6);
            empty += usize::from(is_empty);
        }
    }
    for (name, times) in [("first", &mut alone), ("again", &mut again)] {
        times.sort_by(f64::total_cmp);
        let at = |part: usize| times[times.len() * part / 100];
        note(&format!(
            "is_empty, {VARIABLES} variables, {ROWS} rows, {name}: median {:.1} µs, 90 % within {:.1} µs",
            at(50),
            at(90)
        ));
    }
    note(&format!("{} of {COUNT} systems are empty", empty / 2));
    Ok(())
}

fn system(seed: u64) -> Vec<Row> {
    let mut random = fastrand::Rng::with_seed(seed);
    let row = |_| {
        let mut sum = Affine::constant(random.i128(-2..12));
        for _ in 0..random.usize(1..4) {
            let column = Affine::column(Column::variable(random.usize(..VARIABLES)));
            sum = sum.plus(random.i128(-3..4), &column).unwrap_or(sum);
        }
        Row::at_least_zero(sum)
    };
    (0..ROWS).map(row).collect()
}
