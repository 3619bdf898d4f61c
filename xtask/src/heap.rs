//! Settings of Attestor, each decided and put beside what was published about it.
//!
//! The list is a table with a heading: `id` is the name of the settings file without its ending,
//! `published_top`, `published_otf` and `published_rsm` are verdicts (`t` or `f`),
//! `states_total_top` and `time_top` what they took. A verdict that differs from a published one is
//! not wrong for that: the propositions have our meaning. Each is also held against the runs of the
//! certifier's interpreter on all concrete inputs up to five objects, and its evidence is put
//! through the certifier.
//!
//! Pointer programs and Java sources are judged the same way. In `.heap` files a line `//: holds`
//! or `//: fails on 2` before each claim says what is expected, the number being that of the
//! objects of the smallest input; in Java a claim is a line `//: method | given | formula | holds`.

use crate::page::note;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use tern::heap::{HeapAnswer, HeapModel, HeapSettings, JavaAsked, NoRun, Tried};
use tern_engine::Options;
use tern_front::Source;
use tern_model::{Budget, Verdict};
use tern_program::sources::source_of;

/// Decides the claims of all settings in a folder.
pub(crate) fn run(folder: &Path, list: Option<&Path>, timeout: Duration) -> io::Result<()> {
    let published = match list {
        Some(list) => table(&std::fs::read_to_string(list)?),
        None => BTreeMap::new(),
    };
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if path.extension().is_some_and(|it| KINDS.iter().any(|kind| it == *kind)) {
            files.push(path);
        }
    }
    files.sort();
    let (mut definite, mut claims, mut slow, mut refused) = (0, 0, 0, 0);
    let (mut wrong, mut judged, mut faster, mut smaller) = (0, 0, Vec::new(), Vec::new());
    let mut evidence = BTreeMap::<&str, usize>::new();
    let (mut all, mut sums) = (0.0, [(0.0, 0.0); TIMES.len()]);
    note(
        "| id | verdict | ms | states | runs: hold, fail, open | evidence | published top, otf, rsm | \
         states | s | claim |\n|---|---|---|---|---|---|---|---|---|---|",
    );
    for file in files {
        match one(&file, timeout) {
            Err(why) => {
                refused += 1;
                note(&format!("| {} | refused: {why} |||||||||", stem(&file)));
            }
            Ok(rows) => {
                for row in rows {
                    claims += 1;
                    definite += usize::from(row.verdict != "unknown");
                    slow += usize::from(row.seconds > 0.15);
                    let theirs = published.get(&stem(&file));
                    let column =
                        |name: &str| theirs.and_then(|it| it.get(name)).map_or("", String::as_str);
                    let Tried { hold, fail, open } = row.tried;
                    judged += usize::from(hold + fail > 0);
                    wrong += usize::from(row.is_wrong());
                    *evidence.entry(row.evidence).or_default() += 1;
                    all += row.seconds;
                    for (name, sum) in TIMES.iter().zip(&mut sums) {
                        if let Ok(theirs) = column(name).parse::<f64>() {
                            *sum = (sum.0 + theirs, sum.1 + row.seconds);
                        }
                    }
                    if let Ok(theirs) = column("time_top").parse::<f64>() {
                        faster.push(theirs / row.seconds.max(1e-6));
                    }
                    if let Ok(theirs) = column("states_total_top").parse::<f64>() {
                        smaller.push(theirs / row.states.max(1) as f64);
                    }
                    note(&format!(
                        "| {} | {} | {:.1} | {} | {hold}, {fail}, {open}{} | {} | {} {} {} | {} | {} \
                         | `{}`{} |",
                        stem(&file),
                        row.verdict,
                        row.seconds * 1e3,
                        row.states,
                        if row.is_wrong() { " CONTRADICTS" } else { "" },
                        row.evidence,
                        column("published_top"),
                        column("published_otf"),
                        column("published_rsm"),
                        column("states_total_top"),
                        column("time_top"),
                        row.claim,
                        row.why,
                    ));
                }
            }
        }
    }
    note(&format!(
        "{claims} claims: {definite} definite, {slow} slower than 0.15 s; {refused} files refused; \
         {judged} judged on concrete inputs, {wrong} contradict; evidence {evidence:?}; median \
         ratio of published times {:.1}, of states {:.1}",
        median(&mut faster),
        median(&mut smaller)
    ));
    note(&format!("all together {all:.3} s"));
    for (name, (theirs, own)) in TIMES.iter().zip(sums).filter(|(_, it)| it.1 > 0.0) {
        note(&format!(
            "{name}: those with a published time take {own:.3} s together, published {theirs:.3} s, \
             ratio {:.0}",
            theirs / own
        ));
    }
    Ok(())
}

/// The columns with published seconds: at the top level, on the fly, over the machine.
const TIMES: [&str; 3] = ["time_top", "time_otf", "time_rsm"];

/// The middle of some numbers.
fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

/// How many objects the concrete inputs have.
const MOST_OBJECTS: usize = 5;

struct Row {
    claim: String,
    verdict: &'static str,
    why: String,
    states: usize,
    seconds: f64,
    tried: Tried,
    evidence: &'static str,
}

impl Row {
    /// Whether runs on concrete inputs contradict the verdict.
    fn is_wrong(&self) -> bool {
        match self.verdict {
            "holds" => self.tried.fail > 0,
            // If the time was not enough, no run says anything.
            "fails" => self.tried.fail == 0 && self.tried.open == 0 && self.tried.hold > 0,
            _ => false,
        }
    }
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |it| it.to_string_lossy().into_owned())
}

/// The endings of files that are judged.
const KINDS: [&str; 3] = ["attestor", "heap", "java"];

/// A program, and for each claim the verdict that is expected, if the file says one.
type Asked = (HeapModel, Vec<Option<String>>);

/// What a file asks.
fn asked(file: &Path) -> Result<Vec<Asked>, String> {
    let path = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let said: Vec<&str> = text.lines().filter_map(|it| it.trim().strip_prefix("//: ")).collect();
    let budget = Budget::unlimited();
    let plain = |error: tern::Error| error.to_string().replace('\n', " ");
    match path.rsplit('.').next() {
        Some("java") => said.iter().map(|line| java(file, line)).collect(),
        Some("heap") => {
            let model = HeapModel::read(Source::new(&path, text.clone())).map_err(plain)?;
            let mut expected: Vec<_> = said.iter().map(|it| Some((*it).to_owned())).collect();
            expected.resize(model.claims.list().len(), None);
            Ok(vec![(model, expected)])
        }
        _ => {
            let source = Source::new(&path, text.clone());
            let model = HeapModel::attestor(&path, &source, &budget).map_err(plain)?;
            let expected = vec![None; model.claims.list().len()];
            Ok(vec![(model, expected)])
        }
    }
}

/// A claim about a method, as a line of a Java source says it.
fn java(file: &Path, line: &str) -> Result<Asked, String> {
    let parts = line.split_once('|').and_then(|(method, rest)| {
        let (given, rest) = rest.split_once('|')?;
        // Formulas have this sign, too.
        let (formula, expected) = rest.rsplit_once('|')?;
        Some([method, given, formula, expected].map(str::trim))
    });
    let Some([method, given, formula, expected]) = parts else {
        return Err(format!("`{line}` is not `method | given | formula | verdict`"));
    };
    let shown = file.to_string_lossy().into_owned();
    let kind = source_of(&shown).ok_or("it is no Java source")?;
    let budget = Budget::unlimited();
    let reading = (kind.read)(file, &Default::default(), &budget)
        .map_err(|_| "it does not compile".to_owned())?;
    let given = (!given.is_empty()).then(|| given.to_owned());
    let asked = JavaAsked { method: Some(method.to_owned()), given, ..JavaAsked::default() };
    let plain = |error: tern::Error| format!("{method}: {error}").replace('\n', " ");
    let mut model =
        HeapModel::java(Source::new(shown, ""), reading, &asked, &budget).map_err(plain)?;
    model.clear_claims();
    model.claim(0, formula).map_err(|error| format!("{formula}: {error}").replace('\n', " "))?;
    Ok((model, vec![Some(expected.to_owned())]))
}

fn one(file: &Path, timeout: Duration) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (model, expected) in asked(file)? {
        let each = expected.iter().enumerate();
        rows.extend(each.map(|(claim, it)| row(&model, claim, it.as_deref(), timeout)));
    }
    Ok(rows)
}

/// Decides a claim, lets runs judge it, and puts its evidence through the certifier.
fn row(model: &HeapModel, claim: usize, expected: Option<&str>, timeout: Duration) -> Row {
    let settings = HeapSettings::default();
    let limited = || Budget::unlimited().with_timeout(timeout);
    let begin = Instant::now();
    let answer = model.decide(claim, settings, &Options::default(), &limited());
    let seconds = begin.elapsed().as_secs_f64();
    let tried = model.tried(claim, MOST_OBJECTS, &limited()).unwrap_or_default();
    let options = Options { evidence: true, ..Options::default() };
    let proved = model.decide(claim, settings, &options, &limited());
    let (evidence, missing) = evidence(model, claim, &proved);
    let verdict = answer.answer.verdict();
    let mut why = match verdict {
        Verdict::Unknown(gap) => format!(" ({gap})"),
        Verdict::Fails => format!(" (on {})", answer.input.as_deref().unwrap_or("an input")),
        Verdict::Holds => String::new(),
    } + &missing;
    let found = match &proved.evidence {
        Some(run) => format!("fails on {}", run.objects.len()),
        None => verdict.word().to_owned(),
    };
    if let Some(expected) = expected.filter(|it| *it != found && *it != verdict.word()) {
        why = format!(" EXPECTED {expected}, found {found}{why}");
    }
    Row {
        claim: model.claims.list()[claim].property.show(&model.claims.formulas).to_string(),
        verdict: verdict.word(),
        why,
        states: answer.states,
        seconds,
        tried,
        evidence,
    }
}

/// What the certifier says of the evidence for a verdict, and why there is none or it is refused.
fn evidence(model: &HeapModel, claim: usize, answer: &HeapAnswer) -> (&'static str, String) {
    let Some(formula) = model.claims.list()[claim].formula() else {
        return ("none", String::new());
    };
    let (formulas, budget) = (&model.claims.formulas, Budget::unlimited());
    let checked = match (&answer.evidence, &answer.proof) {
        (Some(run), _) => model.certify(formulas, formula, run, &budget),
        (_, Some(proof)) if *answer.answer.verdict() == Verdict::Fails => {
            model.certify_refutation(formulas, formula, proof, &budget)
        }
        (_, Some(proof)) => model.certify_proof(formulas, formula, proof, &budget),
        _ if matches!(answer.answer.verdict(), Verdict::Unknown(_)) => {
            return ("none", String::new());
        }
        _ => return ("missing", format!(" [no evidence: {:?}]", answer.answer.outcome.missing)),
    };
    match checked {
        Ok(()) => ("accepted", String::new()),
        Err(NoRun::Refused(why)) => ("REFUSED", format!(" [{why}]")),
        Err(NoRun::Limit(limit)) => ("limit", format!(" [{limit}]")),
    }
}

/// The rows of a table with commas, by their first column; values may be quoted.
fn table(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let cells = |line: &str| {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for char in line.chars() {
            match (char, cells.last_mut()) {
                ('"', _) => quoted = !quoted,
                (',', _) if !quoted => cells.push(String::new()),
                (char, Some(cell)) => cell.push(char),
                (_, None) => {}
            }
        }
        cells
    };
    let mut lines = text.lines();
    let heading = lines.next().map(cells).unwrap_or_default();
    lines
        .map(|line| {
            let row: BTreeMap<String, String> = heading.iter().cloned().zip(cells(line)).collect();
            (row.get("id").cloned().unwrap_or_default(), row)
        })
        .collect()
}
