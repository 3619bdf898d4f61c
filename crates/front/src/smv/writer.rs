//! Writes a finite machine as a module with one variable, the number of the state.
//!
//! ```text
//! MODULE main
//! VAR    state : 0..1;
//! ASSIGN init(state) := 0;
//!        next(state) := case state = 0 : {0, 1}; state = 1 : 0; esac;
//! DEFINE busy := state in {1};
//! ```
//! A state is a configuration. Labels are definitions, so that claims may speak of them as before.
//! A machine that recurses is refused: calls of modules have one entry and one exit, and a step of
//! their own, so that what they can say of `X` is not the same.

use super::lexer::is_name;
use crate::kripke::flat::{Flat, flatten};
use crate::problem::Problem;
use std::fmt::Write;
use tern_model::index::Table;
use tern_model::{LabelId, Machine, visible};

/// Writes all configurations of a machine as a module.
///
/// # Errors
/// That there is no end of them, or everything that cannot be a name.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    let flat = flatten(machine).map_err(|endless| {
        vec![Problem::error("S070", endless.to_string()).hint(endless.hint())]
    })?;
    let is_taken = |name: &str| machine.label(name).is_some();
    let unfit = machine.labels().filter(|(_, name)| !is_name(name) || is_own(name));
    let problems: Vec<Problem> = unfit
        .map(|(_, name)| {
            let message = format!("the label `{}` is no name in a module", visible(name));
            let hint = "names have letters, digits, `_ $ # -` and are no word of the language";
            Problem::error("S071", message).hint(hint)
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut variable = "state".to_owned();
    while is_taken(&variable) {
        variable.push('_');
    }
    let mut text = String::new();
    module(&mut text, machine, &flat, &variable).expect("a string takes all text");
    Ok(text)
}

/// Words that our reader gives a meaning, though they are not reserved.
fn is_own(name: &str) -> bool {
    matches!(name, "CALL" | "EXIT" | "main" | "running")
}

fn module(text: &mut String, machine: &Machine, flat: &Flat, variable: &str) -> std::fmt::Result {
    let last = flat.names.len() - 1;
    writeln!(text, "MODULE main\nVAR\n  {variable} : 0..{last};\nASSIGN")?;
    writeln!(text, "  init({variable}) := {};", any_of(&flat.initial))?;
    writeln!(text, "  next({variable}) := case")?;
    for (state, targets) in flat.edges.iter().enumerate() {
        let name = visible(&flat.names[state]);
        writeln!(text, "    {variable} = {state} : {}; -- {name}", any_of(targets))?;
    }
    writeln!(text, "  esac;")?;
    let mut labelled: Table<LabelId, Vec<usize>> = Table::filled(Vec::new(), machine.label_count());
    for (state, labels) in flat.labels.iter().enumerate() {
        labels.iter().for_each(|&label| labelled[label].push(state));
    }
    if machine.label_count() > 0 {
        writeln!(text, "DEFINE")?;
    }
    for (label, name) in machine.labels() {
        let states = &labelled[label];
        match states.is_empty() {
            true => writeln!(text, "  {name} := FALSE;")?,
            false => writeln!(text, "  {name} := {variable} in {{{}}};", listed(states))?,
        }
    }
    Ok(())
}

/// One of some states, as an assignment says it.
fn any_of(states: &[usize]) -> String {
    match states {
        [only] => only.to_string(),
        several => format!("{{{}}}", listed(several)),
    }
}

fn listed(states: &[usize]) -> String {
    let numbers: Vec<String> = states.iter().map(usize::to_string).collect();
    numbers.join(", ")
}
