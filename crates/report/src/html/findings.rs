//! Findings of a scan as data of the page: what their result file says.
//!
//! The findings are those of `tern-scan/1`:
//! `{counts, notAnalysed, unusedSuppressions, findings: [{rule, severity, file, line, run, …}]}`.
//! Those that count come first, certain before possible, and bad before harmless. Names and texts
//! occur again and again, so they are kept once, in `strings`, and meant by their number. Of the
//! sources the page has the lines that runs come by, and some around them.

use super::to_json;
use crate::visible;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How many lines are shown before and after one that a run comes by.
const AROUND: u64 = 4;
/// How many bytes of sources a page has room for.
const MOST_SOURCE: usize = 6 << 20;
/// A line of a source that is longer is cut off.
const LONGEST_LINE: usize = 400;
/// How many reasons are listed for what was not analysed.
const MOST_LEFT_OUT: usize = 500;

/// What is shown beside the findings of a scan.
#[derive(Clone, Copy)]
pub struct Scanned<'a> {
    /// What was scanned.
    pub name: &'a str,
    /// How long that took.
    pub seconds: f64,
    /// The rules that were looked for: name, and why it matters.
    pub rules: &'a [(&'a str, &'a str)],
    /// The line of a source file, from 1, if it is at hand.
    pub line: &'a dyn Fn(&str, u32) -> Option<String>,
}

/// Texts that are kept once.
#[derive(Default)]
struct Strings {
    numbers: BTreeMap<String, usize>,
    list: Vec<String>,
}

impl Strings {
    fn number(&mut self, text: &Value) -> usize {
        let text = visible(text.as_str().unwrap_or_default());
        if let Some(&known) = self.numbers.get(&*text) {
            return known;
        }
        self.list.push(text.clone().into_owned());
        self.numbers.insert(text.into_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}

/// The data of the findings, as JSON for the page.
pub(super) fn data(result: &Value, scanned: &Scanned<'_>) -> String {
    let mut strings = Strings::default();
    let mut sources = Sources::default();
    let list = result["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let mut order: Vec<&Value> = list.iter().collect();
    order.sort_by_cached_key(|finding| rank(finding));
    let names: Vec<&str> = scanned.rules.iter().map(|(name, _)| *name).collect();
    let rows: Vec<Value> = order
        .iter()
        .map(|finding| {
            sources.pass(finding);
            let mut run = Vec::new();
            for moment in finding["run"].as_array().into_iter().flatten() {
                sources.pass(moment);
                let texts = [&moment["file"], &moment["procedure"], &moment["text"]];
                run.push(moment["depth"].as_u64().unwrap_or(0));
                run.push(moment["line"].as_u64().unwrap_or(0));
                run.extend(texts.map(|text| strings.number(text) as u64));
                run.push(u64::from(moment["essential"] == true));
            }
            let rule = names.iter().position(|name| finding["rule"] == **name);
            let decided = &finding["decidedAt"];
            let suppression = &finding["suppression"];
            json!({
                "rule": rule,
                "severity": finding["severity"],
                "cwe": finding["cwe"],
                "file": strings.number(&finding["file"]),
                "line": finding["line"],
                "procedure": strings.number(&finding["procedure"]),
                "certain": finding["certainty"] == "certain",
                "message": visible(finding["message"].as_str().unwrap_or_default()),
                "decided": decided.is_object()
                    .then(|| json!([strings.number(&decided["file"]), decided["line"]])),
                "suppression": suppression.is_object().then(|| {
                    let reason = visible(suppression["reason"].as_str().unwrap_or_default());
                    json!([suppression["kind"], reason])
                }),
                "run": run,
            })
        })
        .collect();
    let unused = result["unusedSuppressions"].as_array().into_iter().flatten();
    let unused: Vec<Value> =
        unused.map(|it| json!([strings.number(&it["file"]), it["line"]])).collect();
    let left_out = result["notAnalysed"].as_array().map_or(&[][..], Vec::as_slice);
    let shown = |text: &Value| visible(text.as_str().unwrap_or_default()).into_owned();
    let (excerpts, is_whole) = sources.excerpts(scanned.line, &mut strings);
    let rules: Vec<Value> =
        scanned.rules.iter().map(|(name, why)| json!([visible(name), why])).collect();
    to_json(&json!({
        "name": visible(scanned.name),
        "seconds": scanned.seconds,
        "counts": result["counts"],
        "rules": rules,
        "list": rows,
        "left_out": left_out.iter().take(MOST_LEFT_OUT).map(shown).collect::<Vec<_>>(),
        "left_out_count": left_out.len(),
        "unused": unused,
        "excerpts": excerpts,
        "all_excerpts": is_whole,
        "strings": strings.list,
    }))
}

/// What comes first: findings that count, certain ones, bad ones, and then by place.
fn rank(finding: &Value) -> (bool, bool, usize, String, u64) {
    let severities = ["error", "warning", "note"];
    let severity = severities.iter().position(|name| finding["severity"] == **name);
    (
        finding["suppression"].is_object(),
        finding["certainty"] != "certain",
        severity.unwrap_or(severities.len()),
        finding["file"].as_str().unwrap_or_default().to_owned(),
        finding["line"].as_u64().unwrap_or(0),
    )
}

/// The lines that runs come by, file by file.
#[derive(Default)]
struct Sources {
    lines: BTreeMap<String, BTreeSet<u64>>,
}

impl Sources {
    /// Notes the place of a finding, or of a moment of its run.
    fn pass(&mut self, place: &Value) {
        let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) else {
            return;
        };
        if line > 0 {
            self.lines.entry(file.to_owned()).or_default().insert(line);
        }
    }

    /// What is shown of files: `[file, [[line, text], …]]`, and whether all of it has room. The
    /// lines that runs come by go before those around them.
    fn excerpts(
        &self,
        line: &dyn Fn(&str, u32) -> Option<String>,
        strings: &mut Strings,
    ) -> (Vec<Value>, bool) {
        let mut room = MOST_SOURCE;
        let mut is_whole = true;
        let mut shown: BTreeMap<&str, BTreeMap<u64, String>> = BTreeMap::new();
        for around in [0, AROUND] {
            for (file, passed) in &self.lines {
                let near = passed
                    .iter()
                    .flat_map(|&at| at.saturating_sub(around).max(1)..=at.saturating_add(around));
                for at in near.collect::<BTreeSet<u64>>() {
                    if shown.get(&**file).is_some_and(|lines| lines.contains_key(&at)) {
                        continue;
                    }
                    let Some(text) = u32::try_from(at).ok().and_then(|at| line(file, at)) else {
                        continue;
                    };
                    let text = cut(&text);
                    if text.len() + 16 > room {
                        is_whole = false;
                        continue;
                    }
                    room -= text.len() + 16;
                    shown.entry(file).or_default().insert(at, text);
                }
            }
        }
        let row = |(file, lines): (&str, BTreeMap<u64, String>)| {
            let lines: Vec<(u64, String)> = lines.into_iter().collect();
            json!([strings.number(&Value::from(file)), lines])
        };
        (shown.into_iter().map(row).collect(), is_whole)
    }
}

/// A line of a source, with tabs as spaces and everything visible, cut off where it is very long.
fn cut(text: &str) -> String {
    let plain = text.trim_end().replace('\t', "    ");
    let shown = visible(&plain);
    match shown.char_indices().nth(LONGEST_LINE) {
        None => shown.into_owned(),
        Some((end, _)) => format!("{}…", &shown[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(certain: bool, severity: &str, line: u64) -> Value {
        json!({
            "rule": "r", "severity": severity, "cwe": [667], "file": "a/A.java", "line": line,
            "procedure": "A.f()", "certainty": if certain { "certain" } else { "possible" },
            "message": "</script>", "run": [
                {"depth": 1, "file": "a/A.java", "line": line, "procedure": "A.f()", "text": "here",
                 "essential": true},
            ],
        })
    }

    #[test]
    fn certain_findings_come_first_and_names_are_kept_once() {
        let mut quiet = finding(true, "error", 1);
        quiet["suppression"] = json!({"kind": "comment", "reason": "known"});
        let list = [
            quiet,
            finding(false, "error", 7),
            finding(true, "note", 9),
            finding(true, "error", 8),
        ];
        let result = json!({"findings": list, "notAnalysed": ["x"], "counts": {"classes": 1}});
        let line = |_: &str, at: u32| (at <= 10).then(|| format!("line {at}\t<b>"));
        let scanned =
            Scanned { name: "app.jar", seconds: 1.0, rules: &[("r", "why")], line: &line };
        let text = data(&result, &scanned);
        assert!(!text.contains('<'), "{text}");
        let data: Value = serde_json::from_str(&text).expect("sound JSON");
        let rows = data["list"].as_array().expect("a list");
        let lines: Vec<u64> = rows.iter().filter_map(|it| it["line"].as_u64()).collect();
        assert_eq!(lines, [8, 9, 7, 1]);
        assert_eq!(rows[3]["suppression"], json!(["comment", "known"]));
        let strings = data["strings"].as_array().expect("a list");
        assert_eq!(strings.len(), 3, "{strings:?}");
        assert_eq!(rows[0]["run"], json!([1, 8, 0, 1, 2, 1]), "{strings:?}");
        // The lines around 1 and 7 to 9, as far as there are any.
        let (file, shown) = (&data["excerpts"][0][0], &data["excerpts"][0][1]);
        assert_eq!(strings[file.as_u64().expect("a number") as usize], "a/A.java");
        let shown = shown.as_array().expect("a list");
        assert_eq!(shown.len(), 10);
        assert_eq!(shown[7], json!([8, "line 8    <b>"]));
        assert_eq!(data["all_excerpts"], true);
    }

    #[test]
    fn lines_that_runs_come_by_have_room_before_others() {
        let list: Vec<Value> = (0..3_000).map(|i| finding(false, "note", 1 + 20 * i)).collect();
        let line = |_: &str, _: u32| Some("x".repeat(5_000));
        let scanned = Scanned { name: "", seconds: 0.0, rules: &[], line: &line };
        let text = data(&json!({ "findings": list }), &scanned);
        let data: Value = serde_json::from_str(&text).expect("sound JSON");
        assert!(text.len() < 2 * MOST_SOURCE, "{}", text.len());
        assert_eq!(data["all_excerpts"], false);
        let shown: BTreeSet<u64> = data["excerpts"][0][1]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|it| it[0].as_u64())
            .collect();
        assert!((0..3_000).all(|i| shown.contains(&(1 + 20 * i))));
    }
}
