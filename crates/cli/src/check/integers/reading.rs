//! Reads C programs and transition systems, and refuses settings that are for these only.

use super::preprocess;
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::load::{self, ends_in};
use crate::reading::{AssertionRule, GlobalRule, ReadingArgs};
use tern_front::{Problem, Source, Wrong, input};
use tern_ir::flow::Flow;
use tern_model::Budget;
use tern_program::c::lower::{Settings, lower_within};
use tern_program::c::sample::Asked;
use tern_program::c::syntax::Unit;
use tern_program::c::{Fault, claim, parse, t2};

/// Whether a path names a program rather than a model.
pub(crate) fn is_program(path: &str) -> bool {
    ends_in(path, &["c", "i", "t2", "yml"])
}

/// A program.
pub(crate) struct Code {
    pub(crate) source: Source,
    /// The syntax tree and what was set, if it is a program in C.
    pub(super) source_tree: Option<(Unit, Settings)>,
    /// The labels that claims may name.
    pub(crate) labels: Vec<String>,
    pub(crate) flow: Flow,
}

impl Code {
    /// The program as something whose states can be listed.
    pub(crate) fn asked(&self) -> Option<Asked<'_>> {
        let (unit, settings) = self.source_tree.as_ref()?;
        Some(Asked { unit, settings, flow: &self.flow })
    }
}

pub(super) fn problems(faults: Vec<Fault>, places: bool) -> Vec<Problem> {
    let problem = |fault: Fault| {
        let problem = Problem::error(fault.code, fault.message).hint(fault.hint);
        if places { problem.at(fault.span, "") } else { problem }
    };
    faults.into_iter().map(problem).collect()
}

/// Reads a program, or finds what is wrong with it.
pub(crate) fn read_code(
    path: &str,
    reading: &ReadingArgs,
    budget: &Budget,
) -> Result<Code, Failure> {
    if ends_in(path, &["yml"]) {
        return Err(Failure::Usage {
            message: format!("`{path}` is a task, which `tern check` reads"),
            hint: "name the program itself".to_owned(),
        });
    }
    let source = input::open(path, budget)
        .map_err(|refusal| load::Stop::new(Source::new(path, ""), refusal))?;
    let mut text = String::from_utf8_lossy(&source.bytes).into_owned();
    let mut preprocessed = None;
    if reading.preprocess && !ends_in(path, &["t2"]) {
        let made = preprocess::run(&text, path, reading.widths()?)?;
        text.clone_from(&made.text);
        preprocessed = Some(made);
    }
    let source = Source { bytes: text.clone().into_bytes(), ..source };
    let wrong = |faults: Vec<Fault>| {
        let (mut faults, mut found) = (faults, Vec::new());
        // What stands in a header is shown there.
        let is_own = |fault: &mut Fault| {
            let is_own = fault.given.is_none();
            let place =
                preprocessed.as_ref().filter(|_| is_own).and_then(|it| it.place(fault.span));
            let Some((source, span)) = place else { return true };
            let fault = Fault { span, ..fault.clone() };
            found.push(Wrong { source, problems: problems(vec![fault], true) });
            false
        };
        faults.retain_mut(is_own);
        if faults.is_empty() {
            return Failure::Input(found);
        }
        let given = faults.first().and_then(|fault| reading.given.get(fault.given?));
        let source = match given {
            Some(given) => Source::new("--given", given.as_str()),
            None => source.clone(),
        };
        found.insert(0, Wrong { source, problems: problems(faults, true) });
        Failure::Input(found)
    };
    let mut given = Vec::new();
    for one in &reading.given {
        given.push(parse::expression(one).map_err(|faults| {
            let source = Source::new("--given", one.as_str());
            Failure::Input(vec![Wrong { source, problems: problems(faults, true) }])
        })?);
    }
    if ends_in(path, &["t2"]) {
        let mut others = reading.clone();
        others.given.clear();
        refuse_settings(&others)?;
        let flow = t2::read(&text, &given).map_err(wrong)?;
        let labels = vec!["exit".to_owned()];
        return Ok(Code { source, source_tree: None, labels, flow });
    }
    let unit = parse::parse(&text).map_err(wrong)?;
    let settings = Settings {
        given,
        any_globals: reading.globals == Some(GlobalRule::Any),
        assume_assertions: reading.assert == Some(AssertionRule::Assume),
        widths: reading.widths()?,
    };
    let flow = lower_within(&unit, &settings, &text, budget).map_err(wrong)?;
    let labels = claim::labels(&unit);
    Ok(Code { source, source_tree: Some((unit, settings)), labels, flow })
}

/// Refuses the settings of C programs for anything else.
pub(crate) fn refuse_settings(reading: &ReadingArgs) -> Result<(), Failure> {
    let given = [
        ("--given", !reading.given.is_empty(), "C programs, `.t2`, and methods of Java programs"),
        ("--globals", reading.globals.is_some(), "C programs"),
        ("--assert", reading.assert.is_some(), "C programs"),
        ("--int", reading.int.is_some(), "C programs"),
        ("--preprocess", reading.preprocess, "C programs"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, what)) => Err(Failure::Usage {
            message: format!("{option} is for {what}"),
            hint: "leave it out".to_owned(),
        }),
    }
}

/// Refuses what is asked of claims about C programs for anything else.
pub(crate) fn refuse_precondition(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--precondition", args.precondition),
        ("--analysis", args.analysis.is_some()),
        ("--domain", args.domain.is_some()),
        ("--sv-comp", args.sv_comp),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Usage {
            message: format!("{option} is for C programs"),
            hint: "leave it out".to_owned(),
        }),
    }
}
