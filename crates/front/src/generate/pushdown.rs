//! Random pushdown systems, in the syntax of Moped and PuMoC.
//!
//! N stack symbols, a few control states, and for each control state and symbol some rules by
//! chance: half of them switch the symbol, a quarter push a second one, a quarter pop. Each symbol
//! has the atoms `p` and `q` with probability one half. Rules stand in the order of their left
//! sides.

use super::{Family, Make, Parameter, Parameters};
use std::fmt::Write;

pub(super) const FAMILY: Family = Family {
    name: "random",
    about: "random pushdown systems, as rules for Moped or PuMoC",
    size: "stack symbols",
    most: 100_000,
    parameters: &[
        Parameter { name: "controls", about: "control states", default: 2, least: 1, most: 100 },
        Parameter {
            name: "rules",
            about: "rules for each control state and symbol, at most",
            default: 2,
            least: 1,
            most: 20,
        },
    ],
    make: Make::Pushdown(make),
};

fn make(p: &Parameters) -> String {
    let mut rng = p.rng();
    let (controls, symbols) = (p.get("controls"), p.size);
    let mut text = "(q0 <s0>)\n\n".to_owned();
    let line = |text: &mut String, line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("a string takes all text");
        text.push('\n');
    };
    for symbol in 0..symbols {
        let atoms: Vec<&str> = ["p", "q"].into_iter().filter(|_| rng.bool()).collect();
        if !atoms.is_empty() {
            line(&mut text, format_args!("ATOMS s{symbol} {}", atoms.join(", ")));
        }
    }
    text.push('\n');
    for control in 0..controls {
        for symbol in 0..symbols {
            for _ in 0..rng.usize(..=p.get("rules")) {
                let (to, top, below) =
                    (rng.usize(..controls), rng.usize(..symbols), rng.usize(..symbols));
                let from = format_args!("q{control} <s{symbol}>").to_string();
                match rng.u8(..4) {
                    0 => line(&mut text, format_args!("{from} --> q{to} <>")),
                    1 => line(&mut text, format_args!("{from} --> q{to} <s{top} s{below}>")),
                    _ => line(&mut text, format_args!("{from} --> q{to} <s{top}>")),
                }
            }
        }
    }
    text
}
