//! Pushdown systems as Moped and PuMoC write them: the format `.pds`.
//!
//! ```text
//! (q <main0>)                       # the configuration at which it starts
//! ATOMS m1 p, q                     # labels of a stack symbol, or of a control state
//! q <main0> --> q <m0 main1>        # a call
//! q <m0> --> q <m1>                 # a step
//! q <m1> --> q <>                   # a return
//! q <main1> --> q <main1>
//! ```
//! Variables and relations between their values are multiplied out (`expand.rs`). The grammar and
//! its meaning are in `docs/pds-format.md`; what machine that is, in `crate::pushdown`. A stack
//! symbol is also a label: that of all configurations that have it on top.
//!
//! [`read()`] goes through the text once. All problems are reported at once; after one, reading
//! goes on in the next line.

mod expand;
mod expression;
mod parser;
mod solve;
mod variables;
mod writer;

pub use writer::write;

use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Reading, Writer};
use crate::problem::{Problem, Refusal};
use crate::pushdown::{self, Indexed};
use crate::source::Source;
use expand::Expanded;
use tern_model::budget::Meter;
use tern_model::{Budget, Claims, Fairness, Formula, Machine, NodeId};

/// The codes of problems with `.pds` texts, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("P001", "bytes that are not UTF-8, or a text too long to be read"),
    ("P002", "something else is expected here"),
    ("P003", "a `<` that is not closed on its line"),
    ("P004", "a left side that does not have exactly one stack symbol"),
    ("P005", "no initial configuration"),
    ("P006", "a second initial configuration"),
    ("P007", "an initial configuration without a stack"),
    ("P008", "ATOMS without a name or without atoms"),
    ("P009", "a quote or a parenthesis that is never closed"),
    ("P010", "atoms of something that no rule mentions (a warning)"),
    ("P020", "an expression that cannot be read"),
    ("P021", "an unknown variable in a relation"),
    ("P022", "a constant that is defined twice"),
    ("P023", "a declaration that cannot be used"),
    ("P024", "a rule that pushes a third symbol with variables"),
    ("P030", "a system that is too large when its variables are multiplied out"),
    ("P031", "places at which no rule fits the values of the variables (a warning)"),
    ("P080", "a label that such a file cannot hold"),
    ("P081", "a machine that no such pushdown system is the same as"),
    ("P090", "a machine that is not sound"),
    ("P099", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "pds",
    called: "a pushdown system",
    about: "pushdown systems of Moped and PuMoC",
    endings: &["pds"],
    likeness,
    read,
    has_values: false,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/pds-format.md",
    codes: CODES,
};

/// By what comes first behind comments: an initial configuration, a declaration, or a rule.
fn likeness(text: &[u8]) -> Likeness {
    let mut rest = text;
    while let [b'#', ..] = rest {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    // Other formats have lines of megabytes.
    let rest = &rest[..rest.len().min(4096)];
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let line = rest[..end].trim_ascii();
    let has = |part: &[u8]| line.windows(part.len()).any(|window| window == part);
    let declares = [&b"define "[..], b"global ", b"local ", b"local("];
    match line {
        // A list of transitions looks a little like that.
        [b'(', ..] if has(b",") => Likeness::None,
        [b'(', ..] if has(b")") && (has(b"<") || has(b" ")) => Likeness::Certain,
        _ if has(b"-->") && has(b"<") => Likeness::Certain,
        _ if declares.iter().any(|&word| line.starts_with(word)) => Likeness::Some,
        _ => Likeness::None,
    }
}

/// Reads a machine.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Reading, Refusal> {
    let (text, start) = utf8(&source.bytes, "P001")?;
    let mut meter = Meter::new(budget);
    let mut problems = Collector::default();
    let mut draft = parser::parse(text, start, &mut meter, &mut problems)?;
    problems.finish("P099")?;
    let mut warnings = std::mem::take(&mut draft.warnings);
    let is_plain = draft.variables.is_empty() && draft.relations.iter().all(Option::is_none);
    if is_plain {
        let mut system = Indexed::from(draft.system);
        let (machine, symbols) = pushdown::machine(&mut system, source, "P090", &mut meter)?;
        let claims = Claims::new();
        return Ok(Reading { machine, claims, warnings, vocabulary: Some(Box::new(symbols)) });
    }
    let mut system = Expanded::new(draft);
    let (mut machine, symbols) = pushdown::machine(&mut system, source, "P090", &mut meter)?;
    let mut claims = Claims::new();
    warnings.extend(leave_out_blocked(&mut machine, &mut claims));
    Ok(Reading { machine, claims, warnings, vocabulary: Some(Box::new(symbols)) })
}

/// Lets claims be about runs that do not come to where rules are written but none fits the values:
/// as Moped means it. Such nodes get a label, and runs on which it holds for ever are not fair.
fn leave_out_blocked(machine: &mut Machine, claims: &mut Claims) -> Option<Problem> {
    // A node has an origin if there is a rule for it in the text.
    let is_blocked =
        |node: &NodeId| machine.edges(*node).is_empty() && machine.origin(*node).is_some();
    let blocked: Vec<NodeId> = machine.nodes().filter(is_blocked).collect();
    if blocked.is_empty() {
        return None;
    }
    let mut name = "blocked".to_owned();
    while machine.label(&name).is_some() {
        name.push('\'');
    }
    let (count, atom) = (blocked.len(), claims.formulas.atom(&name));
    machine.add_labels([(name.as_str(), blocked)]);
    let formula = claims.formulas.make(Formula::Not(atom));
    claims.restrict([Fairness::Justice(formula).into()]);
    let nodes = if count == 1 { "node" } else { "nodes" };
    let message =
        format!("at {count} {nodes} no rule fits the values: runs that end so do not count");
    let hint = format!("claims are about runs with `G F !{name}`; Moped counts infinite runs only");
    Some(Problem::warning("P031", message).hint(hint))
}
