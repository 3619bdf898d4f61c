//! Settings of Attestor, each decided and put beside what was published about it.
//!
//! The list is a table with a heading: `id` is the name of the settings file without its ending,
//! `published_top`, `published_otf` and `published_rsm` are verdicts (`t` or `f`),
//! `states_total_top` and `time_top` what they took. A verdict that differs from a published one is
//! not wrong for that: the propositions have our meaning. Each is also held against the runs of the
//! certifier's interpreter on all concrete inputs up to five objects.

use crate::page::note;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tern::heap::{HeapModel, HeapSettings, Tried};
use tern_engine::Options;
use tern_front::Source;
use tern_model::{Budget, Verdict};

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
        } else if path.extension().is_some_and(|it| it == "attestor") {
            files.push(path);
        }
    }
    files.sort();
    let (mut definite, mut claims, mut slow, mut refused) = (0, 0, 0, 0);
    let (mut wrong, mut judged, mut faster, mut smaller) = (0, 0, Vec::new(), Vec::new());
    note(
        "| id | verdict | ms | states | runs: hold, fail, open | published top, otf, rsm | states | s \
         | claim |\n|---|---|---|---|---|---|---|---|---|",
    );
    for file in files {
        match one(&file, timeout) {
            Err(why) => {
                refused += 1;
                note(&format!("| {} | refused: {why} ||||||||", stem(&file)));
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
                    if let Ok(theirs) = column("time_top").parse::<f64>() {
                        faster.push(theirs / row.seconds.max(1e-6));
                    }
                    if let Ok(theirs) = column("states_total_top").parse::<f64>() {
                        smaller.push(theirs / row.states.max(1) as f64);
                    }
                    note(&format!(
                        "| {} | {} | {:.1} | {} | {hold}, {fail}, {open}{} | {} {} {} | {} | {} | \
                         `{}`{} |",
                        stem(&file),
                        row.verdict,
                        row.seconds * 1e3,
                        row.states,
                        if row.is_wrong() { " CONTRADICTS" } else { "" },
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
         {judged} judged on concrete inputs, {wrong} contradict; median ratio of published times \
         {:.1}, of states {:.1}",
        median(&mut faster),
        median(&mut smaller)
    ));
    Ok(())
}

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
}

impl Row {
    /// Whether runs on concrete inputs contradict the verdict.
    fn is_wrong(&self) -> bool {
        match self.verdict {
            "holds" => self.tried.fail > 0,
            "fails" => self.tried.fail == 0 && self.tried.open == 0,
            _ => false,
        }
    }
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |it| it.to_string_lossy().into_owned())
}

fn one(file: &PathBuf, timeout: Duration) -> Result<Vec<Row>, String> {
    let path = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let budget = Budget::unlimited();
    let model = HeapModel::attestor(&path, &Source::new(&path, text), &budget)
        .map_err(|error| error.to_string().replace('\n', " "))?;
    let decided = (0..model.claims.list().len()).map(|claim| {
        let budget = Budget::unlimited().with_timeout(timeout);
        let begin = Instant::now();
        let (settings, options) = (HeapSettings::default(), Options::default());
        let answer = model.decide(claim, settings, &options, &budget);
        let seconds = begin.elapsed().as_secs_f64();
        let tried = model.tried(claim, MOST_OBJECTS, &budget).unwrap_or_default();
        let property = &model.claims.list()[claim].property;
        let why = match answer.answer.verdict() {
            Verdict::Unknown(gap) => format!(" ({gap})"),
            Verdict::Fails => {
                format!(" (on {})", answer.input.as_deref().unwrap_or("an input"))
            }
            Verdict::Holds => String::new(),
        };
        Row {
            claim: property.show(&model.claims.formulas).to_string(),
            verdict: answer.answer.verdict().word(),
            why,
            states: answer.states,
            seconds,
            tried,
        }
    });
    Ok(decided.collect())
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
