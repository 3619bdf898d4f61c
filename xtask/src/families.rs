//! Families of integer programs: how the cost of a claim grows with one thing at a time.
//!
//! Each family has a program for every size, and a claim of which the truth is known. Printed are
//! time and memory for each size, and the exponent of growth by time.

use crate::growth::exponent;
use crate::measure::with_memory;
use crate::page::note;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};
use tern_model::logic::ctl;
use tern_model::{Budget, Formulas};
use tern_numeric::check::Verdict;
use tern_program::c::{claim, dialect, lower, parse};

/// A family: its name, its programs, a claim, and whether it holds.
type Family = (&'static str, fn(usize) -> String, &'static str, bool);

const FAMILIES: [Family; 8] = [
    ("nested loops", nested, "AF{exit: true}", true),
    ("loops in a row", row, "AF{exit: true}", true),
    ("loops in a row, false claim", row, "AG{NOT{exit: true}}", false),
    ("variables", variables, "AF{exit: true}", true),
    ("branches", branches, "AF{exit: true}", true),
    ("call depth", calls, "AF{exit: true}", true),
    ("calls that double", doubling, "AF{exit: true}", true),
    ("constants", constants, "AF{exit: true}", true),
];

const SIZES: [usize; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Decides the claims of all families.
pub(crate) fn run(timeout: Duration, only: &str) -> io::Result<()> {
    let mut wrong = 0;
    for (name, make, shown, truth) in FAMILIES {
        if !name.contains(only) {
            continue;
        }
        let mut points = Vec::new();
        for size in SIZES {
            let text = make(size);
            let begin = Instant::now();
            let (verdict, memory) = with_memory(|| decide(&text, shown, timeout));
            let seconds = begin.elapsed().as_secs_f64();
            points.push((size as f64, seconds));
            wrong += usize::from(verdict.is_some_and(|it| it != truth));
            let word = verdict.map_or("unknown".to_owned(), |it| it.to_string());
            note(&format!("{name} {size}: {word} {seconds:.3} s, {} MB", memory.peak / 1_000_000));
        }
        let exponent = exponent(&points[2..]).unwrap_or(0.0);
        note(&format!("{name}: time grows with the power {exponent:.1} of the size"));
    }
    if wrong == 0 { Ok(()) } else { Err(io::Error::other("there are wrong answers")) }
}

fn decide(text: &str, shown: &str, timeout: Duration) -> Option<bool> {
    let budget = Budget::unlimited().with_timeout(timeout);
    let unit = parse::parse(text).ok()?;
    let flow = lower::lower_within(&unit, &lower::Settings::default(), text, &budget).ok()?;
    let mut formulas = Formulas::new();
    let root = dialect::read(shown, false, &mut formulas)?;
    let program = ctl::lower(&formulas, root).ok()?;
    let meanings = claim::meanings(&unit, &flow, &formulas, &program).ok()?;
    match claim::check(&flow, &program, &meanings, &budget).verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails { .. } => Some(false),
        Verdict::Unknown(_) => None,
    }
}

fn nested(size: usize) -> String {
    let (mut head, mut tail) = (String::new(), String::new());
    for level in 0..size {
        let _ = write!(head, "i{level} = 0; while (i{level} < n) {{ ");
        let _ = write!(tail, "i{0} = i{0} + 1; }} ", size - 1 - level);
    }
    format!("void main() {{ int n, {}; {head}{tail}}}", names("i", size))
}

fn row(size: usize) -> String {
    let mut body = String::new();
    for loop_ in 0..size {
        let _ = write!(body, "while (i{loop_} > 0) i{loop_} = i{loop_} - 1; ");
    }
    format!("void main() {{ int {}; {body}}}", names("i", size))
}

fn variables(size: usize) -> String {
    let mut body = String::new();
    for other in 0..size {
        let _ = write!(body, "y{other} = y{other} + x; ");
    }
    format!("void main() {{ int x, {}; while (x > 0) {{ x = x - 1; {body}}} }}", names("y", size))
}

fn branches(size: usize) -> String {
    let mut body = String::new();
    for branch in 0..size {
        let _ = write!(body, "if (y{branch} > x) y{branch} = y{branch} - 1; ");
    }
    format!("void main() {{ int x, {}; while (x > 0) {{ x = x - 1; {body}}} }}", names("y", size))
}

fn calls(size: usize) -> String {
    let mut text = "int f0(int a) { while (a > 0) a = a - 1; return a; }\n".to_owned();
    for level in 1..=size {
        let _ = writeln!(text, "int f{level}(int a) {{ return f{}(a) + 1; }}", level - 1);
    }
    text + &format!("void main() {{ int x; x = f{size}(x); }}")
}

fn doubling(size: usize) -> String {
    let mut text = "int f0(int a) { while (a > 0) a = a - 1; return a; }\n".to_owned();
    for level in 1..=size {
        let below = level - 1;
        let _ = writeln!(text, "int f{level}(int a) {{ a = f{below}(a); return f{below}(a); }}");
    }
    text + &format!("void main() {{ int x; x = f{size}(x); }}")
}

fn constants(size: usize) -> String {
    let most = 10_u64.pow((3 * size / 2) as u32);
    format!("void main() {{ int x; x = 0; while (x < {most}) x = x + {}; }}", most / 7 + 1)
}

fn names(stem: &str, count: usize) -> String {
    (0..count).map(|number| format!("{stem}{number}")).collect::<Vec<_>>().join(", ")
}
