//! Writes automata.

use super::QUANTIFIED;
use std::fmt::Write;
use tern_model::automaton::{Cube, Transition};
use tern_model::index::Id;
use tern_model::quoted::push_quoted;
use tern_model::{Automaton, Formula, Formulas};

/// The automaton as a text that [`read`](super::read) reads back as the same automaton.
pub fn write(automaton: &Automaton, formulas: &Formulas) -> String {
    let mut text = String::new();
    put(&mut text, automaton, formulas).expect("strings can be written to");
    text
}

fn put(text: &mut String, automaton: &Automaton, formulas: &Formulas) -> std::fmt::Result {
    writeln!(text, "HOA: v1\ntool: \"tern\"\nStates: {}", automaton.state_count())?;
    for state in &automaton.initial {
        writeln!(text, "Start: {}", state.index())?;
    }
    write!(text, "AP: {}", automaton.propositions.len())?;
    let mut quantified = Vec::new();
    for (position, &proposition) in automaton.propositions.iter().enumerate() {
        text.push(' ');
        match formulas.get(proposition) {
            Formula::Atom(atom) => push_quoted(text, formulas.atom_name(atom)),
            _ => {
                push_quoted(text, &formulas.show(proposition).to_string());
                quantified.push(position.to_string());
            }
        }
    }
    text.push('\n');
    if !quantified.is_empty() {
        writeln!(text, "{QUANTIFIED}: {}", quantified.join(" "))?;
    }
    let count = automaton.mark_count;
    let condition: Vec<String> = (0..count).map(|mark| format!("Inf({mark})")).collect();
    match count {
        0 => writeln!(text, "acc-name: all\nAcceptance: 0 t")?,
        1 => writeln!(text, "acc-name: Buchi\nAcceptance: 1 Inf(0)")?,
        _ => writeln!(
            text,
            "acc-name: generalized-Buchi {count}\nAcceptance: {count} {}",
            condition.join("&")
        )?,
    }
    text.push_str("properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    for (state, row) in automaton.transitions.iter() {
        writeln!(text, "State: {}", state.index())?;
        for way in row {
            put_transition(text, way)?;
        }
    }
    text.push_str("--END--\n");
    Ok(())
}

fn put_transition(text: &mut String, way: &Transition) -> std::fmt::Result {
    let cube = |cube: &Cube| {
        let literals = cube.0.iter();
        let literals = literals.map(|literal| {
            format!("{}{}", if literal.holds { "" } else { "!" }, literal.proposition)
        });
        let literals: Vec<String> = literals.collect();
        if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
    };
    let cubes: Vec<String> = way.guard.iter().map(cube).collect();
    let label = if cubes.is_empty() { "f".to_owned() } else { cubes.join(" | ") };
    write!(text, "[{label}] {}", way.to.index())?;
    let marks = (0..u64::BITS).filter(|mark| way.marks >> mark & 1 == 1);
    let marks: Vec<String> = marks.map(|mark| mark.to_string()).collect();
    if !marks.is_empty() {
        write!(text, " {{{}}}", marks.join(" "))?;
    }
    text.push('\n');
    Ok(())
}
