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

/// Makes programs and claims.
pub(crate) struct Maker {
    random: fastrand::Rng,
    in_loop: bool,
    in_callee: bool,
    /// Whether functions call themselves and each other.
    recursive: bool,
    /// Whether variables have types of all kinds, and there are operators on bits.
    typed: bool,
}

impl Maker {
    pub(crate) fn new(random: fastrand::Rng, recursive: bool, typed: bool) -> Self {
        Maker { random, in_loop: false, in_callee: false, recursive, typed }
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.usize(..from.len())]
    }

    fn variable(&mut self) -> &'static str {
        if self.in_callee { self.pick(&["a", "g"]) } else { self.pick(&["x", "y", "g"]) }
    }

    fn number(&mut self) -> i32 {
        self.random.i32(-2..4)
    }

    fn operand(&mut self) -> String {
        match self.random.usize(..3) {
            0 => self.number().to_string(),
            _ => self.variable().to_owned(),
        }
    }

    fn ty(&mut self) -> &'static str {
        match self.typed {
            false => "int",
            true => self.pick(&[
                "int",
                "char",
                "unsigned char",
                "unsigned",
                "short",
                "unsigned short",
                "long",
                "_Bool",
            ]),
        }
    }

    /// A value that depends on types.
    fn typed_value(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.random.usize(..9) {
            0 => format!("{a} {} {b}", self.pick(&["&", "|", "^"])),
            1 => format!("{a} {} {}", self.pick(&["&", "|", "^"]), self.random.i32(-9..20)),
            2 => format!("{a} {} {}", self.pick(&["<<", ">>"]), self.random.i32(0..9)),
            3 => format!("{a} {} {b}", self.pick(&["<<", ">>"])),
            4 => format!("~({a})"),
            5 => format!("({})({a} {} {b})", self.ty(), self.pick(&["+", "-", "*"])),
            6 => format!("{a} + {}", self.pick(&["127", "200u", "0x80", "-128", "255", "1000"])),
            7 => format!("{a} * {} - {b}", self.pick(&["3", "100", "-1", "64"])),
            _ => format!("-({a}) + {b} * 50"),
        }
    }

    fn value(&mut self) -> String {
        if self.typed && self.random.bool() {
            return self.typed_value();
        }
        let (a, b) = (self.operand(), self.operand());
        match self.random.usize(..17) {
            16 => format!("b[{a}]"),
            0 => format!("[{}, {}]", self.random.i32(-2..1), self.random.i32(1..3)),
            1 => "?".to_owned(),
            2 => format!("{a} * {b}"),
            3 => format!("{a} % {}", self.pick(&["2", "3", "-2"])),
            4 => format!("{a} / {}", self.pick(&["2", "-3", "2"])),
            5 => format!("{} ? {a} : {b}", self.condition()),
            6 => format!("({a} < {b})"),
            7 => format!("2 * {a} - {b}"),
            8 => format!("{a} % {b}"),
            9 => format!("{a} / {b}"),
            _ => format!("{a} {} {}", self.pick(&["+", "-"]), self.random.i32(0..3)),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.variable(), self.operand());
        let test = format!("{a} {} {b}", self.pick(&["<", "<=", ">", ">=", "==", "!="]));
        match self.random.usize(..10) {
            0 => format!("{test} && {}", self.condition()),
            1 => format!("{test} || {}", self.condition()),
            2 => format!("!({test})"),
            3 => "[0, 1]".to_owned(),
            4 => format!("{test} && [0, 1]"),
            _ => test,
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = self.random.usize(1..4);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn inside_loop(&mut self, depth: usize) -> String {
        let before = std::mem::replace(&mut self.in_loop, true);
        let body = self.block(depth);
        self.in_loop = before;
        body
    }

    fn statement(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 7 } else { 14 };
        let name = self.variable();
        match self.random.usize(..kinds) {
            0 if self.random.usize(..3) == 0 => {
                let (index, value) = (self.operand(), self.operand());
                format!("b[{index}] {} {value};\n", self.pick(&["=", "+=", "="]))
            }
            0 => format!("{name}{};\n", self.pick(&["++", "--"])),
            1 => format!("{name} {} {};\n", self.pick(&["+=", "-="]), self.number()),
            2 if self.in_loop => format!("{};\n", self.pick(&["break", "continue"])),
            3 if self.random.usize(..4) == 0 => match self.random.usize(..4) {
                0 => format!("assert({});\n", self.condition()),
                1 => format!("assume({});\n", self.condition()),
                2 if self.in_callee => format!("return {};\n", self.operand()),
                _ => "abort();\n".to_owned(),
            },
            4 | 5 if self.recursive => self.call(name),
            4 if !self.in_callee => format!("{name} = f({});\n", self.operand()),
            7 | 8 => {
                let condition = self.condition();
                format!("if ({condition}) {{\n{}}}\n", self.block(depth - 1))
            }
            9 => {
                let (condition, yes) = (self.condition(), self.block(depth - 1));
                format!("if ({condition}) {{\n{yes}}} else {{\n{}}}\n", self.block(depth - 1))
            }
            10 | 11 => {
                let condition = self.condition();
                format!("while ({condition}) {{\n{}}}\n", self.inside_loop(depth - 1))
            }
            12 => {
                let body = self.inside_loop(depth - 1);
                format!("do {{\n{body}}} while ({});\n", self.condition())
            }
            13 => self.long(depth),
            _ => format!("{name} = {};\n", self.value()),
        }
    }

    fn call(&mut self, name: &str) -> String {
        let callee = self.pick(&["f", "f", "h"]);
        let less = format!("a - {}", self.random.i32(0..3));
        let given = match self.in_callee && self.random.usize(..4) > 0 {
            true => less,
            false => self.operand(),
        };
        match self.random.usize(..5) {
            0 => format!("{callee}({given});\n"),
            1 if self.in_callee => format!("return {} + {callee}({given});\n", self.operand()),
            2 if self.in_callee => {
                format!("if (a > {}) return {callee}({given});\n", self.random.i32(-1..2))
            }
            3 => format!("{name} = {name} + {callee}({given});\n"),
            _ => format!("{name} = {callee}({given});\n"),
        }
    }

    fn long(&mut self, depth: usize) -> String {
        let name = self.variable();
        if self.random.bool() {
            let end = self.pick(&["break;", ""]);
            let (a, b) = (self.block(depth - 1), self.block(depth - 1));
            return format!(
                "switch ({name}) {{\ncase 1:\n{a}{end}\ncase 0:\n{b}break;\ndefault:\n{name}++;\n}}\n"
            );
        }
        let condition = self.condition();
        format!("for ({name} = 0; {condition}; {name}++) {{\n{}}}\n", self.inside_loop(depth - 1))
    }

    pub(crate) fn program(&mut self) -> String {
        self.in_callee = true;
        let callee = self.block(1);
        let last = self.operand();
        let (gives, takes) = (self.ty(), self.ty());
        let mut functions = format!("{gives} f({takes} a) {{\n{callee}return {last};\n}}\n");
        if self.recursive {
            let end = self.pick(&["a <= 0", "a == 0", "a < 1", "a == g", "[0, 1]"]);
            let (body, last) = (self.block(1), self.call("g"));
            functions += &format!(
                "int h(int a) {{\nif ({end}) return {};\n{body}{last}return {};\n}}\n",
                self.operand(),
                self.operand()
            );
        }
        self.in_callee = false;
        let body = self.block(2);
        let (g, b, x, y) = (self.ty(), self.ty(), self.ty(), self.ty());
        format!("{g} g;\n{b} b[2];\n{functions}void main() {{\n{x} x;\n{y} y;\n{body}}}\n")
    }

    fn atom(&mut self) -> String {
        match self.random.usize(..8) {
            0 => "exit: true".to_owned(),
            1 => "failed: true".to_owned(),
            _ => {
                let name = self.pick(&["x", "y", "g", "x", "y", "g", "b[0]", "b[1]"]);
                let other = self.pick(&["0", "1", "x", "2", "-1"]);
                format!("{name} {} {other}", self.pick(&["<", ">", "==", "!=", ">="]))
            }
        }
    }

    pub(crate) fn claim(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let operator =
            self.pick(&["AX", "AF", "AG", "EX", "EF", "EG", "AU", "EU", "AND", "OR", "NOT"]);
        let first = self.claim(depth - 1);
        match operator {
            "AU" | "EU" | "AND" | "OR" => {
                format!("{operator}{{{first}}}{{{}}}", self.claim(depth - 1))
            }
            _ => format!("{operator}{{{first}}}"),
        }
    }
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

/// What is given of all initial values.
const GIVEN: &str = "x >= -1 && x <= 1 && y >= -1 && y <= 1";

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
