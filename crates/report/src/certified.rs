//! What the certifier found, as lines for people and as one JSON object, schema `tern-certify/1`.
//!
//! ```text
//! schema    "tern-certify/1"
//! tern      the version that wrote it
//! model     what the model was read from
//! result    what the result was read from
//! top_level whether calls were taken for single steps
//! settings  {given, globals, assert}: how a C program was read, as the result says; left out for
//!           models
//! results   one for each result, in order:
//!   claim     the formula      name      the name given to it, or null
//!   verdict   "holds", "fails" or "unknown", as the result file says
//!   status    "accepted", "refused", "not checked" (a limit was reached) or "no evidence"
//!   reason    why it is refused or not checked, or null
//!   seconds   the time it took
//! ```
//! Fields may be added; those above keep their names and meanings while the schema is `/1`.

use crate::Palette;
use crate::text::TOP_LEVEL;
use crate::{brief, counted};
use serde::Serialize;
use serde_json::{Map, Value};

/// What became of a piece of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It proves the verdict.
    Accepted,
    /// It does not.
    Refused,
    /// A limit was reached before all of it was looked at.
    #[serde(rename = "not checked")]
    NotChecked,
    /// There is none, or nothing that it could prove.
    #[serde(rename = "no evidence")]
    NoEvidence,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Status::Accepted => "accepted",
            Status::Refused => "refused",
            Status::NotChecked => "not checked",
            Status::NoEvidence => "no evidence",
        }
    }
}

/// What was found of one result.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The claim.
    pub claim: String,
    /// The name given to it.
    pub name: Option<String>,
    /// The verdict, as the result file says.
    pub verdict: &'static str,
    /// What became of it.
    pub status: Status,
    /// Why it is refused or not checked.
    pub reason: Option<String>,
    /// The time it took, in seconds.
    pub seconds: f64,
}

/// What was found of all results of a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the model was read from.
    pub model: String,
    /// What the result was read from.
    pub result: String,
    /// Whether calls were taken for single steps.
    pub top_level: bool,
    /// How the model was read, as far as the result says so: names with values.
    pub settings: Vec<(&'static str, String)>,
    /// What was found, in the order of the results.
    pub findings: Vec<Finding>,
}

impl Report {
    /// One line for each result, one for each reason, and one for all together.
    pub fn text(&self, palette: Palette) -> String {
        let Palette { good, bad, warning, reset, .. } = palette;
        let mut text = String::new();
        for finding in &self.findings {
            let colour = match finding.status {
                Status::Accepted => good,
                Status::Refused => bad,
                Status::NotChecked | Status::NoEvidence => warning,
            };
            let (word, verdict) = (finding.status.word(), finding.verdict);
            text += &format!("{colour}{word:<11}{reset}  {verdict:<7}  ");
            if let Some(name) = &finding.name {
                text += &format!("{}: ", brief(name));
            }
            text += &brief(&finding.claim);
            if self.top_level {
                text += &format!(" {warning}{TOP_LEVEL}{reset}");
            }
            text.push('\n');
            if let Some(reason) = &finding.reason {
                text += &format!("{:13}because: {}\n", "", brief(reason));
            }
        }
        if !self.settings.is_empty() {
            let shown = self.settings.iter().map(|(name, value)| format!("{name} {value}"));
            text += &format!("{:13}{}\n", "", brief(&shown.collect::<Vec<_>>().join("; ")));
        }
        match self.findings.len() {
            0 => text += "there are no results\n",
            1 => {}
            _ => text += &format!("\n{}\n", self.summary()),
        }
        if self.is_bare() {
            text += "`tern check` writes evidence into its result with --json --evidence\n";
        }
        text
    }

    /// Whether there are verdicts, and evidence for none of them.
    fn is_bare(&self) -> bool {
        let mut verdicts = self.findings.iter().filter(|it| it.verdict != "unknown").peekable();
        verdicts.peek().is_some() && verdicts.all(|it| it.status == Status::NoEvidence)
    }

    /// Such as `3 results: 2 accepted, 1 refused`.
    fn summary(&self) -> String {
        let mut text = counted(self.findings.len(), "result");
        let mut joint = ": ";
        for status in [Status::Accepted, Status::Refused, Status::NotChecked, Status::NoEvidence] {
            let count = self.findings.iter().filter(|it| it.status == status).count();
            if count > 0 {
                let word =
                    if status == Status::NoEvidence { "without evidence" } else { status.word() };
                text += &format!("{joint}{count} {word}");
                joint = ", ";
            }
        }
        text
    }

    /// One JSON object and a line end.
    pub fn json(&self, version: &str) -> String {
        #[derive(Serialize)]
        struct File<'a> {
            schema: &'static str,
            tern: &'a str,
            model: &'a str,
            result: &'a str,
            top_level: bool,
            #[serde(skip_serializing_if = "Map::is_empty")]
            settings: Map<String, Value>,
            results: &'a [Finding],
        }
        let settings = self.settings.iter();
        let file = File {
            schema: "tern-certify/1",
            tern: version,
            model: &self.model,
            result: &self.result,
            top_level: self.top_level,
            settings: settings
                .map(|(name, value)| ((*name).into(), value.as_str().into()))
                .collect(),
            results: &self.findings,
        };
        serde_json::to_string(&file).expect("strings and numbers can be written") + "\n"
    }
}
