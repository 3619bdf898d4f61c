//! CTL of integer programs on the suites of others: how much is decided, and is it right?
//!
//! With a list, the folder holds the programs of FuncTion, and the list their claims: file, kind,
//! claim, truth, what FuncTion answered and how long it took. Without, it is a copy of T2, with
//! `ctl-evaluation.sh`, or any folder with C files whose names say whether they terminate. Every
//! answer that is not the truth is printed. The evidence of each answer is written, read again and
//! checked (`evidence.rs`), and the time of that is compared with the time of the verdicts.

use crate::evidence::{self, Evidence, Tally};
use crate::page::note;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use tern_certify::integers::Question;
use tern_ir::flow::Flow;
use tern_model::logic::ctl;
use tern_model::{Budget, Formula, FormulaId, Formulas};
use tern_numeric::check::{Verdict, Wants};
use tern_program::c::syntax::Unit;
use tern_program::c::{self, claim, dialect, lower, parse, sample};

/// One claim of the suite.
struct Row {
    file: String,
    kind: String,
    property: String,
    expected: String,
    theirs: String,
    seconds: f64,
    folder: String,
    given: String,
}

/// What came of a claim.
enum Answer {
    Known(bool, Evidence),
    Unknown(String),
    Refused(String),
}

/// Decides all claims.
pub(crate) fn run(folder: &Path, list: &Path, timeout: Duration, only: &str) -> io::Result<()> {
    let text = std::fs::read_to_string(list)?;
    let mut counts: BTreeMap<(String, String), [usize; 5]> = BTreeMap::new();
    let (mut wrong, mut ours, mut theirs, mut slower) = (0, 0.0, 0.0, 0);
    let mut times = Vec::new();
    let mut tally = Tally::default();
    for row in rows(&text) {
        let is_next = row.file.ends_with("next.c");
        if is_next || !format!("{} {}", row.file, row.property).contains(only) {
            continue;
        }
        let (answer, seconds) = decide(folder, &row, timeout);
        let mut amiss = String::new();
        let truth = match row.expected.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let count = counts.entry((row.folder.clone(), row.expected.clone())).or_default();
        count[0] += 1;
        let is_right = match &answer {
            Answer::Known(known, evidence) => {
                count[1] += 1;
                times.push(seconds);
                amiss = tally.add(evidence, seconds);
                truth.is_none_or(|truth| truth == *known)
            }
            Answer::Unknown(_) => {
                count[2] += 1;
                true
            }
            Answer::Refused(_) => {
                count[3] += 1;
                true
            }
        };
        count[4] += usize::from(row.theirs == "TRUE");
        if matches!(answer, Answer::Known(..)) && row.theirs == "TRUE" {
            ours += seconds;
            theirs += row.seconds;
            slower += usize::from(seconds > row.seconds);
        }
        wrong += usize::from(!is_right);
        let word = match &answer {
            Answer::Known(known, _) => format!("{known}{amiss}"),
            Answer::Unknown(why) => format!("unknown: {why}"),
            Answer::Refused(why) => format!("refused: {why}"),
        };
        let mark = if is_right { "" } else { "WRONG " };
        let Row { file, property, given, expected, theirs, .. } = &row;
        note(&format!(
            "{mark}{file} {property} given {given}: {word} (truth {expected}, FuncTion {theirs}) {seconds:.3} s"
        ));
    }
    note("folder, truth: claims, decided, unknown, refused, proved by FuncTion");
    for ((folder, truth), [all, known, unknown, refused, proved]) in &counts {
        note(&format!("{folder}, {truth}: {all}, {known}, {unknown}, {refused}, {proved}"));
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    note(&format!(
        "{wrong} wrong answers; where both decide: {ours:.2} s, FuncTion {theirs:.2} s as recorded, \
         slower than that on {slower}; median of what is decided {:.1} ms",
        median * 1000.0
    ));
    tally.note();
    match wrong + tally.refused {
        0 => Ok(()),
        _ => Err(io::Error::other("there are wrong answers, or evidence that is refused")),
    }
}

/// Decides the claim of a row. Says how many seconds that took without evidence.
fn decide(folder: &Path, row: &Row, timeout: Duration) -> (Answer, f64) {
    match asked(row) {
        Ok((settings, formulas, root)) => {
            of_c(&folder.join(&row.file), &settings, &formulas, root, timeout)
        }
        Err(answer) => (answer, 0.0),
    }
}

/// What a row asks.
fn asked(row: &Row) -> Result<(lower::Settings, Formulas, FormulaId), Answer> {
    let property = match row.kind.as_str() {
        "termination" => "AF{exit: true}".to_owned(),
        "guarantee" if !row.property.starts_with('A') => format!("AF{{{}}}", row.property),
        "recurrence" if !row.property.starts_with('A') => format!("AG{{AF{{{}}}}}", row.property),
        _ => row.property.clone(),
    };
    let mut formulas = Formulas::new();
    let Some(root) = dialect::read(&property, true, &mut formulas) else {
        return Err(Answer::Refused(format!("claim {property} is not understood")));
    };
    let given = match row.given.as_str() {
        "" | "true" => Vec::new(),
        given => match parse::expression(given) {
            Ok(given) => vec![given],
            Err(faults) => return Err(refused(faults)),
        },
    };
    let settings =
        lower::Settings { given, any_globals: true, assume_assertions: true, widths: None };
    Ok((settings, formulas, root))
}

fn refused(faults: Vec<c::Fault>) -> Answer {
    let messages: Vec<String> = faults.into_iter().map(|fault| fault.message).collect();
    Answer::Refused(messages.join("; "))
}

/// Decides a claim about a program in C. Says how many seconds that took without evidence.
fn of_c(
    path: &Path,
    settings: &lower::Settings,
    formulas: &Formulas,
    root: FormulaId,
    timeout: Duration,
) -> (Answer, f64) {
    let begin = Instant::now();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return (Answer::Refused(error.to_string()), 0.0),
    };
    let unit = match parse::parse(&text) {
        Ok(unit) => unit,
        Err(faults) => return (refused(faults), 0.0),
    };
    let budget = Budget::unlimited().with_timeout(timeout);
    let flow = match lower::lower_within(&unit, settings, &text, &budget) {
        Ok(flow) => flow,
        Err(faults) => return (refused(faults), 0.0),
    };
    let source = Some((&unit, settings));
    of_flow(&Asked { flow: &flow, source, formulas, root }, begin, timeout)
}

/// A claim about a flow graph, and the program that it was made of.
struct Asked<'a> {
    flow: &'a Flow,
    source: Option<(&'a Unit, &'a lower::Settings)>,
    formulas: &'a Formulas,
    root: FormulaId,
}

/// Decides a claim. Says how many seconds that took since the beginning, without evidence.
fn of_flow(asked: &Asked<'_>, begin: Instant, timeout: Duration) -> (Answer, f64) {
    let Asked { flow, source, formulas, root } = *asked;
    let budget = &Budget::unlimited().with_timeout(timeout);
    let Ok(program) = ctl::lower(formulas, root) else {
        return (Answer::Refused("the claim is not CTL".to_owned()), 0.0);
    };
    let labels = source.map_or_else(|| vec!["exit".to_owned()], |(unit, _)| claim::labels(unit));
    let meanings = match claim::meanings_by(&labels, flow, formulas, &program) {
        Ok(meanings) => meanings,
        Err(wrong) => {
            return (refused(wrong.into_iter().map(|(_, fault)| fault).collect()), 0.0);
        }
    };
    let mut decision = claim::check(flow, &program, &meanings, budget);
    let mut sampled = None;
    if matches!(decision.verdict, Verdict::Unknown(_))
        && let Some((unit, settings)) = source
    {
        let most = sample::MOST_VALUES;
        sampled = sample::decide(unit, settings, flow, (&program, formulas), most, budget);
        decision.verdict = sampled.clone().unwrap_or(decision.verdict);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let known = match decision.verdict {
        Verdict::Holds => true,
        Verdict::Fails { .. } => false,
        Verdict::Unknown(why) => {
            let about = decision.about.as_deref().unwrap_or(flow);
            let place = why.point.map_or(0, |point| about.points[point].line);
            let limit = why.limit.map(|limit| limit.to_string()).unwrap_or_default();
            let rows: Vec<String> = why.rows.iter().map(|row| flow.show(row)).collect();
            let rows = rows.join(", ");
            let (cells, rounds) = (decision.cells, decision.rounds);
            let why = format!("line {place} {limit} {cells} cells {rounds} rounds: {rows}");
            return (Answer::Unknown(why), seconds);
        }
    };
    let budget = &Budget::unlimited().with_timeout(timeout);
    let proof = match sampled {
        None => {
            let wants = Wants { evidence: true, ..Wants::default() };
            match claim::answer(flow, &program, &meanings, wants, budget).proof {
                Some(Ok(proof)) => Ok(proof),
                Some(Err(gap)) => Err(format!("{gap:?}")),
                None => Err("it is not decided the second time".to_owned()),
            }
        }
        Some(found) => sample::prove(flow, &program, &meanings, &found, budget)
            .ok_or_else(|| "found by trying values".to_owned()),
    };
    let question = Question { flow, formulas, claim: root, propositions: &meanings };
    (Answer::Known(known, evidence::look(question, known, proof, budget)), seconds)
}

/// Decides termination of all programs of a folder whose names say the truth, as those of SV-COMP
/// and of the termination competition do.
pub(crate) fn terminations(folder: &Path, timeout: Duration, only: &str) -> io::Result<()> {
    let mut files = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(at) = todo.pop() {
        for entry in std::fs::read_dir(at)? {
            let path = entry?.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|it| it == "c") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut formulas = Formulas::new();
    let Some(root) = dialect::read("AF{exit: true}", false, &mut formulas) else { return Ok(()) };
    let settings = lower::Settings::default();
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let (mut times, mut total, mut tally) = (Vec::new(), 0.0, Tally::default());
    for path in files {
        let name = path.display().to_string();
        if !name.contains(only) {
            continue;
        }
        let truth = match name.as_str() {
            name if name.contains("true-termination") => "true",
            name if name.contains("false-termination") => "false",
            _ => "not known",
        };
        let (answer, seconds) = of_c(&path, &settings, &formulas, root, timeout);
        let count = counts.entry(truth).or_default();
        let word = match &answer {
            Answer::Known(known, evidence) => {
                let is_right = truth == "not known" || known.to_string() == truth;
                count[if is_right { 0 } else { 3 }] += 1;
                times.push(seconds);
                let mark = if is_right { "" } else { "WRONG " };
                format!("{mark}{known}{}", tally.add(evidence, seconds))
            }
            Answer::Unknown(why) => {
                count[1] += 1;
                format!("unknown: {why}")
            }
            Answer::Refused(why) => {
                count[2] += 1;
                format!("refused: {why}")
            }
        };
        total += seconds;
        note(&format!("{name}: {word} (truth {truth}) {seconds:.3} s"));
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    note("truth: right, unknown, refused, wrong");
    for (truth, [right, unknown, refused, wrong]) in &counts {
        note(&format!("{truth}: {right}, {unknown}, {refused}, {wrong}"));
    }
    note(&format!("{total:.1} s in all; median of what is decided {:.1} ms", median * 1000.0));
    tally.note();
    match tally.refused == 0 && counts.values().all(|count| count[3] == 0) {
        true => Ok(()),
        false => Err(io::Error::other("there are wrong answers, or evidence that is refused")),
    }
}

/// Decides T2's claims about its programs, and their negations.
pub(crate) fn t2(folder: &Path, timeout: Duration, only: &str) -> io::Result<()> {
    let script = std::fs::read_to_string(folder.join("ctl-evaluation.sh"))?;
    let (mut known, mut all, mut both, mut tally) = (0, 0, 0, Tally::default());
    for line in script.lines() {
        let Some((number, claim)) =
            line.strip_prefix("EXAMPLES[").and_then(|it| it.split_once("]='"))
        else {
            continue;
        };
        let path = folder.join(format!("test/cav13-ctl-examples/P{number}.t2"));
        let claim = claim.trim_end().trim_end_matches('\'');
        if !path.display().to_string().contains(only) {
            continue;
        }
        let mut proved = 0;
        for is_negated in [false, true] {
            let mut formulas = Formulas::new();
            let Some(mut root) = bracketed(claim, &mut formulas) else {
                return Err(io::Error::other(format!("{claim} is not understood")));
            };
            if is_negated {
                root = formulas.make(Formula::Not(root));
            }
            let begin = Instant::now();
            let (answer, seconds) = match c::t2::read(&std::fs::read_to_string(&path)?, &[]) {
                Ok(flow) => {
                    let formulas = &formulas;
                    let asked = Asked { flow: &flow, source: None, formulas, root };
                    of_flow(&asked, begin, timeout)
                }
                Err(faults) => (refused(faults), 0.0),
            };
            all += 1;
            let word = match answer {
                Answer::Known(is_true, evidence) => {
                    known += 1;
                    proved += usize::from(is_true);
                    format!("{is_true}{}", tally.add(&evidence, seconds))
                }
                Answer::Unknown(why) => format!("unknown: {why}"),
                Answer::Refused(why) => format!("refused: {why}"),
            };
            let sign = if is_negated { "not " } else { "" };
            note(&format!("P{number} {sign}{claim}: {word} {seconds:.3} s"));
        }
        both += usize::from(proved == 2);
    }
    note(&format!("{known} of {all} decided; claim and negation proved of {both} programs"));
    tally.note();
    match both + tally.refused {
        0 => Ok(()),
        _ => Err(io::Error::other("there are wrong answers, or evidence that is refused")),
    }
}

/// Reads a claim as T2 writes it: `[AG](x != 1 || [AF](y == 1))`.
fn bracketed(text: &str, formulas: &mut Formulas) -> Option<FormulaId> {
    let text = text.trim();
    for (sign, is_and) in [("||", false), ("&&", true)] {
        if let Some(at) = outside(text, sign) {
            let left = bracketed(&text[..at], formulas)?;
            let right = bracketed(&text[at + 2..], formulas)?;
            let joined = if is_and { Formula::And(left, right) } else { Formula::Or(left, right) };
            return Some(formulas.make(joined));
        }
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (operator, rest) = rest.split_once(']')?;
        let operand = rest.trim().strip_prefix('(')?.strip_suffix(')')?;
        let inner = bracketed(operand, formulas)?;
        let path = match operator.chars().nth(1)? {
            'F' => formulas.make(Formula::Finally(inner)),
            'G' => formulas.make(Formula::Globally(inner)),
            _ => return None,
        };
        return Some(match operator.starts_with('A') {
            true => formulas.make(Formula::All(path)),
            false => formulas.make(Formula::Exists(path)),
        });
    }
    match text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        Some(inner) => bracketed(inner, formulas),
        None => Some(formulas.atom(text)),
    }
}

/// Where a sign stands outside of parentheses.
fn outside(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && text[at..].starts_with(sign) => return Some(at),
            _ => {}
        }
    }
    None
}

/// The rows of a table of values with commas between them, some in quotes.
fn rows(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let (mut fields, mut field, mut in_quotes) = (Vec::new(), String::new(), false);
        for c in line.chars() {
            match c {
                '"' => in_quotes = !in_quotes,
                ',' if !in_quotes => fields.push(std::mem::take(&mut field)),
                c => field.push(c),
            }
        }
        fields.push(field);
        let field = |at: usize| fields.get(at).cloned().unwrap_or_default();
        rows.push(Row {
            file: field(0),
            kind: field(1),
            property: field(2),
            expected: field(4),
            theirs: field(5),
            seconds: field(6).parse().unwrap_or(0.0),
            folder: field(7),
            given: field(8),
        });
    }
    rows
}
