//! Tasks of the competition on software verification: a `.yml` file that names a program, and
//! properties with the verdicts that are expected of them.
//!
//! Of YAML, what such files use is read: keys and values, lists of these, text in quotes. A
//! property file says `CHECK( init(main()), LTL(...) )`. That `reach_error` is never called is
//! `AG !failed` here, that every run comes to its end is `AF (exit | failed | error)`, and formulas
//! of LTL are claims as they are. The data model gives the widths of types.

use super::Task;
use crate::failure::Failure;
use crate::load;
use crate::reading::ReadingArgs;
use std::ops::Range;
use std::path::Path;
use tern_front::{Problem, Source, Wrong, input};
use tern_model::{Budget, Span};
use tern_numeric::check::Verdict;

/// A task.
pub(super) struct Competition {
    /// The path of the program.
    pub(super) program: String,
    /// The claims, by the names of their properties.
    pub(super) claims: Vec<(String, String)>,
    /// The files that they are from.
    files: Vec<Source>,
    /// What is expected of each.
    expected: Vec<Option<bool>>,
}

impl Competition {
    /// Reads a task, and sets the widths that it says; `None` if the path names none.
    pub(super) fn read(
        path: &str,
        reading: &mut ReadingArgs,
        budget: &Budget,
    ) -> Result<Option<Competition>, Failure> {
        if !load::ends_in(path, &["yml"]) {
            return Ok(None);
        }
        let text = open(path, budget)?;
        let problem = |at: Range<usize>, message: String, hint: &str| {
            let source = Source::new(path, text.as_str());
            let problems = vec![Problem::error("C106", message).at(Span::new(at), "").hint(hint)];
            Wrong { source, problems }
        };
        let wrong = |at: &Range<usize>, message: String, hint: &str| {
            Failure::Input(vec![problem(at.clone(), message, hint)])
        };
        let end = text.trim_end().len()..text.trim_end().len();
        let entries = entries(&text);
        let of = |key: &'static str| {
            entries.iter().filter(move |entry| entry.key == key && !entry.value.is_empty())
        };
        let beside = |name: &str| {
            let folder = Path::new(path).parent().unwrap_or(Path::new(""));
            folder.join(name).to_string_lossy().into_owned()
        };
        let files: Vec<&Entry> = of("input_files").collect();
        let [program] = files.as_slice() else {
            let message = format!("a task names one program, and this one {}", files.len());
            let at = files.get(1).map_or(&end, |it| &it.place);
            return Err(wrong(at, message, "`input_files: program.c`"));
        };
        if let Some(language) = of("language").find(|it| it.value != "C") {
            let message = format!("programs in {} are not read here", language.value);
            return Err(wrong(&language.place, message, "the language must be C"));
        }
        let model = of("data_model").next().filter(|_| reading.int.is_none());
        match model.map(|it| it.value.as_str()) {
            Some("ILP32") => (reading.int, reading.long) = (Some(32), Some(32)),
            Some("LP64") => (reading.int, reading.long) = (Some(32), Some(64)),
            None => {}
            Some(other) => {
                let message = format!("the data model `{other}` is not known");
                let at = model.map_or(&end, |it| &it.place);
                return Err(wrong(at, message, "it is ILP32 or LP64"));
            }
        }
        let mut task = Competition {
            program: beside(&program.value),
            claims: Vec::new(),
            files: Vec::new(),
            expected: Vec::new(),
        };
        let mut problems = Vec::new();
        for (at, entry) in entries.iter().enumerate().filter(|(_, it)| it.key == "property_file") {
            let file = beside(&entry.value);
            let said = open(&file, budget)?;
            // Up to the next property.
            let mut own = entries[at + 1..].iter().take_while(|it| it.key != "property_file");
            let expected = own.find(|it| it.key == "expected_verdict");
            let truth = expected.map(|it| it.value.parse::<bool>());
            if let (Some(Err(_)), Some(it)) = (&truth, expected) {
                let message = format!("`{}` is no verdict", it.value);
                return Err(wrong(&it.place, message, "it is `true` or `false`"));
            }
            match property(&said) {
                Ok(claim) => {
                    task.claims.push((name_of(&entry.value), claim));
                    task.files.push(Source::new(file, said));
                    task.expected.push(truth.and_then(Result::ok));
                }
                Err((place, why)) => {
                    let source = Source::new(file, said);
                    let problem = Problem::error("C106", why).at(Span::new(place), "").hint(KNOWN);
                    problems.push(Wrong { source, problems: vec![problem] });
                }
            }
        }
        // What is not understood does not keep the others from being checked.
        if task.claims.is_empty() {
            return Err(match problems.is_empty() {
                true => wrong(&end, "this task has no property".to_owned(), KNOWN),
                false => Failure::Input(problems),
            });
        }
        Ok(Some(task))
    }

    /// The file that a claim is from, of so many in all, and where some of its text stands there.
    pub(super) fn place(
        &self,
        index: usize,
        count: usize,
        text: &str,
    ) -> Option<(Source, Option<Span>)> {
        let source = self.files.get((index + self.claims.len()).checked_sub(count)?)?;
        let said = String::from_utf8_lossy(&source.bytes);
        let at = said.find(text).map(|at| Span::new(at..at + text.len()));
        Some((source.clone(), at))
    }

    /// What is expected of a claim. Those of the command line come first, and have nothing.
    pub(super) fn expected(&self, index: usize, count: usize) -> Option<bool> {
        let own = (index + self.claims.len()).checked_sub(count)?;
        self.expected.get(own).copied().flatten()
    }
}

const KNOWN: &str = "read are unreach-call, termination, and formulas of LTL";

fn open(path: &str, budget: &Budget) -> Result<String, Failure> {
    let source = input::open(path, budget)
        .map_err(|refusal| load::Stop::new(Source::new(path, ""), refusal))?;
    Ok(String::from_utf8_lossy(&source.bytes).into_owned())
}

/// The name of a property: that of its file.
fn name_of(path: &str) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| path.to_owned()).replace('"', "'")
}

/// A key with its value; items of a list have the key of the list.
struct Entry {
    key: String,
    value: String,
    /// Where the line with the value stands.
    place: Range<usize>,
}

/// The keys and values of a text, in order, however deep they stand.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut list = String::new();
    for (place, line) in lines(text) {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') || line == "---" {
            continue;
        }
        let item = line.strip_prefix("- ").map(str::trim);
        let bare = item.unwrap_or(line);
        let pair = bare.split_once(": ").or_else(|| Some((bare.strip_suffix(':')?, "")));
        match pair.filter(|(key, _)| !key.starts_with(['\'', '"'])) {
            Some((key, value)) => {
                let value = value.trim();
                if value.is_empty() && item.is_none() {
                    list = key.trim().to_owned();
                }
                let inside = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
                let values: Vec<&str> = match inside {
                    Some(inside) => inside.split(',').collect(),
                    None => vec![value],
                };
                for value in values {
                    let (key, value) = (key.trim().to_owned(), unquoted(value).to_owned());
                    entries.push(Entry { key, value, place: place.clone() });
                }
            }
            None => {
                let (key, value) = (list.clone(), unquoted(bare).to_owned());
                entries.push(Entry { key, value, place });
            }
        }
    }
    entries
}

/// The lines of a text without blanks around them, with their places.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let bare = line.trim();
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        (begin..begin + bare.len(), bare)
    })
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(text)
}

/// The claim of a property file, or what is wrong with it and where.
fn property(text: &str) -> Result<String, (Range<usize>, String)> {
    let said = lines(text).filter(|(_, it)| !it.is_empty() && !it.starts_with('#'));
    let checks: Vec<(Range<usize>, &str)> = said.collect();
    let [(place, check)] = checks.as_slice() else {
        let place = checks.get(1).map_or(0..0, |it| it.0.clone());
        return Err((place, "one line `CHECK( init(main()), LTL(...) )` is expected".to_owned()));
    };
    let wrong = |why: String| Err((place.clone(), why));
    let formula = check
        .strip_prefix("CHECK(")
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|rest| rest.trim().strip_prefix("init(main()),"))
        .map(str::trim)
        .and_then(|rest| rest.strip_prefix("LTL(")?.strip_suffix(')'))
        .map(str::trim);
    let Some(formula) = formula else {
        return wrong(format!("`{check}` is not understood"));
    };
    let plain: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    match plain.as_str() {
        "G!call(reach_error())" | "G!call(__VERIFIER_error())" => Ok("AG !failed".to_owned()),
        "Fend" => Ok("AF (exit | failed | error)".to_owned()),
        other if other.contains("call(") || !is_ltl(formula) => {
            wrong(format!("the property `{formula}` is not treated"))
        }
        _ => Ok(translated(formula)),
    }
}

/// Whether a text looks like a formula over comparisons: all words outside quotes are operators.
fn is_ltl(formula: &str) -> bool {
    let outside = formula.split('"').step_by(2);
    let words = outside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '-'));
    let operators = ["", "G", "F", "X", "U", "R", "W", "M", "AP", "true", "false"];
    let is_arrow = |word: &str| word.chars().all(|c| c == '-');
    words.into_iter().all(|word| operators.contains(&word) || is_arrow(word))
}

/// The formula in the notation of claims.
fn translated(formula: &str) -> String {
    let mut text = String::new();
    for (number, part) in formula.split('"').enumerate() {
        if number % 2 == 1 {
            text += &format!("{{{part}}}");
            continue;
        }
        let signs = [
            ("<==>", "<->"),
            ("==>", "->"),
            ("&&", "&"),
            ("||", "|"),
            ("[]", " G "),
            ("<>", " F "),
            ("AP(", "("),
        ];
        let part = signs.iter().fold(part.to_owned(), |part, (a, b)| part.replace(a, b));
        text += &part;
    }
    text
}

impl Task {
    /// A verdict in the words of the competition.
    pub(super) fn competition_verdict(&self, index: usize, verdict: &Verdict) -> String {
        let name = self.claims.list()[index].name.as_deref();
        match verdict {
            Verdict::Holds => "TRUE".to_owned(),
            Verdict::Fails { .. } => match name {
                Some(name) => format!("FALSE({name})"),
                None => "FALSE".to_owned(),
            },
            Verdict::Unknown(_) => "UNKNOWN".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{entries, property};

    #[test]
    fn tasks_are_read() {
        let text = "format_version: '2.0'\n\n# a note\ninput_files: 'a.c'\nproperties:\n  - property_file: ../p/unreach-call.prp\n    expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";
        let found: Vec<(String, String)> =
            entries(text).into_iter().map(|it| (it.key, it.value)).collect();
        let has = |key: &str, value: &str| found.contains(&(key.to_owned(), value.to_owned()));
        assert!(has("input_files", "a.c") && has("expected_verdict", "false"), "{found:?}");
        assert!(has("property_file", "../p/unreach-call.prp"), "{found:?}");
        assert!(has("data_model", "ILP32"), "{found:?}");
        let listed = entries("input_files:\n  - a.c\n  - 'b.c'\n");
        let names: Vec<&str> =
            listed.iter().filter(|it| !it.value.is_empty()).map(|it| it.value.as_str()).collect();
        assert_eq!(names, ["a.c", "b.c"]);
    }

    #[test]
    fn properties_are_claims() {
        let of = |formula: &str| property(&format!("CHECK( init(main()), LTL({formula}) )\n"));
        assert_eq!(of("G ! call(reach_error())"), Ok("AG !failed".to_owned()));
        assert_eq!(of("F end"), Ok("AF (exit | failed | error)".to_owned()));
        assert_eq!(
            of("[](\"x > 0\" ==> <> \"y == 1\")"),
            Ok(" G ({x > 0} ->  F  {y == 1})".to_owned())
        );
        assert!(of("G ! overflow").is_err());
        assert!(of("G valid-free").is_err());
        assert!(of("G ! call(other())").is_err());
    }
}
