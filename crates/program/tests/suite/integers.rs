//! Claims about random C programs: the analysis against an interpreter of the syntax tree.
//!
//! The oracle lists states by the interpreter, and decides claims on them in three values. Its
//! definite answers are proofs; the analysis must not contradict them.

use crate::proofs::Case;
use std::collections::BTreeMap;
use tern_ir::flow::Flow;
use tern_model::logic::ctl;
use tern_model::{Budget, FormulaId, Formulas};
use tern_numeric::check::Verdict;
use tern_program::c::claim::Meanings;
use tern_program::c::explicit::{self, Bounds, Listed};
use tern_program::c::hoist::hoisted;
use tern_program::c::interpret::Interpreter;
use tern_program::c::lower::{Settings, lower_within};
use tern_program::c::syntax::{Unit, Widths};
use tern_program::c::{claim, dialect, parse};
use tern_testkit::programs::{GIVEN, Maker};

/// The initial states for all small values, and what can be reached from them by small values.
fn explore<'a>(
    interpreter: Interpreter<'a>,
    (low, high): (i128, i128),
    bounds: Bounds,
) -> Option<Listed<'a>> {
    let open = interpreter.open().ok()?;
    let width = (high - low + 1) as usize;
    let mut starts = Vec::new();
    for choice in 0..width.pow(open.len() as u32) {
        let (mut values, mut rest) = (BTreeMap::new(), choice);
        for name in &open {
            values.insert(name.clone(), low + (rest % width) as i128);
            rest /= width;
        }
        starts.extend(interpreter.start(&values).ok()?);
    }
    explicit::explore(interpreter, starts, bounds).ok()
}

pub(crate) fn number_from(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[derive(Default)]
struct Counts {
    pairs: usize,
    oracle: usize,
    both: usize,
    analysis: usize,
    proofs: usize,
}

/// A random program with random claims.
pub(crate) struct Made {
    pub(crate) text: String,
    pub(crate) flow: Flow,
    /// Where each claim lives, the claim, what its propositions mean, and how it is written.
    pub(crate) claims: Vec<(Formulas, FormulaId, Meanings, String)>,
}

pub(crate) fn settings(seed: u64) -> Settings {
    let given = vec![parse::expression(GIVEN).expect("it is an expression")];
    Settings { given, any_globals: false, assume_assertions: seed.is_multiple_of(3), widths: None }
}

/// The random program of a seed; `None` if it cannot be treated.
pub(crate) fn made(seed: u64, recursive: bool) -> Option<Made> {
    let random = fastrand::Rng::with_seed(seed);
    let mut maker = Maker::new(random, recursive, false);
    let text = maker.program();
    let unit: Unit = parse::parse(&text).ok()?;
    let flow = lower_within(&unit, &settings(seed), &text, &little()).ok()?;
    let mut claims = Vec::new();
    for _ in 0..3 {
        let depth = maker.random.usize(1..4);
        let shown = maker.claim(depth);
        let mut formulas = Formulas::new();
        let root = dialect::read(&shown, false, &mut formulas)?;
        let program = ctl::lower(&formulas, root).ok()?;
        let meanings = claim::meanings(&unit, &flow, &formulas, &program).ok()?;
        claims.push((formulas, root, meanings, shown));
    }
    Some(Made { text, flow, claims })
}

/// So many systems of rows may be solved: some programs would have the analysis solve hundreds of
/// thousands, which takes minutes.
fn little() -> Budget {
    Budget::unlimited().with_effort(4000)
}

fn compare(seed: u64, recursive: bool, widths: Option<Widths>, counts: &mut Counts) {
    let random = fastrand::Rng::with_seed(seed);
    let typed = widths.is_some();
    let mut maker = Maker::new(random, recursive, typed);
    let text = maker.program();
    let unit: Unit = parse::parse(&text).unwrap_or_else(|it| panic!("seed {seed}: {it:?}\n{text}"));
    let (given, settings) = (GIVEN, Settings { widths, ..settings(seed) });
    let flow = match lower_within(&unit, &settings, &text, &little()) {
        Ok(flow) => flow,
        // Too many cases, or nothing that a claim could be about.
        Err(_) if typed => return,
        Err(faults) => panic!("seed {seed}: {faults:?}\n{text}"),
    };
    let plain = hoisted(&unit);
    let interpreter = Interpreter::new(&plain, &settings);
    // Every state has its stack: where calls never end, many states are large.
    let states = if recursive { 600 } else { 3000 };
    let bounds = Bounds { size: if typed { 1 << 20 } else { 9 }, states, whole: false };
    let Some(listed) = explore(interpreter, (-1, 1), bounds) else { return };
    for _ in 0..3 {
        let depth = maker.random.usize(1..4);
        let shown = maker.claim(depth);
        let mut formulas = Formulas::new();
        let root = dialect::read(&shown, false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let meanings = claim::meanings(&unit, &flow, &formulas, &program)
            .unwrap_or_else(|it| panic!("seed {seed}: {it:?}"));
        let truth = listed.decide(&program, &formulas);
        let budget = little();
        let case = Case { flow: &flow, formulas: &formulas, root, meanings: &meanings };
        let decision = case.decide(&budget);
        let shown_with = format!("seed {seed}\n{shown}\ngiven {given}\n{text}");
        let proof =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.proof(&decision)));
        let proof = proof.unwrap_or_else(|_| panic!("{shown_with}"));
        counts.proofs += usize::from(proof.is_some());
        let found = match decision.verdict {
            Verdict::Holds => Some(true),
            Verdict::Fails { .. } => Some(false),
            Verdict::Unknown(_) => None,
        };
        if found.is_some() && proof.is_none() {
            println!("without evidence: {shown_with}");
        }
        counts.pairs += 1;
        counts.oracle += usize::from(truth.is_some());
        counts.analysis += usize::from(found.is_some());
        if let (Some(truth), Some(found)) = (truth, found) {
            counts.both += 1;
            assert_eq!(truth, found, "{shown_with}");
        }
    }
}

/// Compares so many pairs, and says how many were decided.
fn compare_all(usual: u64, recursive: bool, widths: impl Fn(u64) -> Option<Widths>) -> Counts {
    let pairs = number_from("TERN_PAIRS", usual) as usize;
    let first = number_from("TERN_SEED", 1);
    let mut counts = Counts::default();
    let mut seed = first;
    while counts.pairs < pairs {
        compare(seed, recursive, widths(seed), &mut counts);
        seed += 1;
    }
    let Counts { pairs, oracle, both, analysis, proofs } = counts;
    println!(
        "{pairs} pairs from seed {first}: {oracle} by the oracle, {analysis} decided, {both} by both; \
         {proofs} proofs accepted"
    );
    counts
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let Counts { pairs, oracle, both, analysis, proofs } = compare_all(600, false, |_| None);
    assert!(proofs * 50 >= analysis * 49, "evidence is missing too often");
    assert!(oracle * 2 > pairs, "the oracle is silent too often to test anything");
    assert!(both * 3 > oracle, "the analysis is silent too often to test anything");
}

#[test]
fn random_programs_that_call_themselves_agree_with_the_interpreter() {
    let Counts { pairs, oracle, both, analysis, proofs } = compare_all(150, true, |_| None);
    assert!(proofs * 50 >= analysis * 49, "evidence is missing too often");
    assert!(oracle * 3 > pairs, "the oracle is silent too often to test anything");
    assert!(both * 3 > oracle, "the analysis is silent too often to test anything");
}

/// Mostly 8 bits, so that numbers wrap.
fn some_widths(seed: u64) -> Option<Widths> {
    Some(match seed % 5 {
        0 => Widths::of_int(16),
        1 => Widths { int: 32, long: 32 },
        _ => Widths::of_int(8),
    })
}

#[test]
fn random_programs_whose_numbers_wrap_agree_with_the_interpreter() {
    let Counts { pairs, oracle, both, .. } = compare_all(200, false, some_widths);
    assert!(oracle * 4 > pairs, "the oracle is silent too often to test anything");
    assert!(both * 6 > oracle, "the analysis is silent too often to test anything");
}
