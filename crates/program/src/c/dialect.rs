//! Claims as FuncTion writes them: `AU{x > 0}{exit: true}`, `AND{p}{q}`, `NOT{p}`.
//!
//! [`read`] gives the claim as a formula. In FuncTion, `AG` and `EG` are about
//! endless runs only, and a program that ends has none; with `endless` they are read so.

use tern_model::{Formula, FormulaId, Formulas};

/// The operators with their numbers of operands.
const OPERATORS: [(&str, usize); 11] = [
    ("AND", 2),
    ("NOT", 1),
    ("OR", 2),
    ("AX", 1),
    ("AF", 1),
    ("AG", 1),
    ("EX", 1),
    ("EF", 1),
    ("EG", 1),
    ("AU", 2),
    ("EU", 2),
];

/// How deep claims may be nested.
const DEPTH: usize = 100;

/// Reads such a claim; `None` if the text is none. Propositions are named by labels, or by the
/// texts of comparisons.
pub fn read(text: &str, endless: bool, formulas: &mut Formulas) -> Option<FormulaId> {
    formula(text, endless, formulas, 0)
}

fn formula(text: &str, endless: bool, formulas: &mut Formulas, depth: usize) -> Option<FormulaId> {
    let text = text.trim();
    if depth > DEPTH {
        return None;
    }
    for (name, arity) in OPERATORS {
        let Some(rest) = text.strip_prefix(name).map(str::trim_start) else { continue };
        if !rest.starts_with('{') {
            continue;
        }
        let operands = operands(rest)?;
        if operands.len() != arity {
            return None;
        }
        let parts: Option<Vec<FormulaId>> =
            operands.iter().map(|part| formula(part, endless, formulas, depth + 1)).collect();
        return Some(join(name, &parts?, endless, formulas));
    }
    if text.is_empty() || text.contains(['{', '}']) {
        return None;
    }
    Some(match text.split_once(':') {
        Some((label, test)) => {
            let label = formulas.atom(label.trim());
            match test.trim() {
                "" | "true" => label,
                test => {
                    let test = formulas.atom(test);
                    formulas.make(Formula::And(label, test))
                }
            }
        }
        None if text == "true" => formulas.make(Formula::True),
        None if text == "false" => formulas.make(Formula::False),
        None => formulas.atom(text),
    })
}

fn join(name: &str, parts: &[FormulaId], endless: bool, formulas: &mut Formulas) -> FormulaId {
    let first = parts[0];
    let path = match name {
        "NOT" => return formulas.make(Formula::Not(first)),
        "AND" => return formulas.make(Formula::And(first, parts[1])),
        "OR" => return formulas.make(Formula::Or(first, parts[1])),
        "AU" | "EU" => Formula::Until(first, parts[1]),
        "AX" | "EX" => Formula::Next(first),
        "AF" | "EF" => Formula::Finally(first),
        _ if endless => {
            let exit = formulas.atom("exit");
            let goes_on = formulas.make(Formula::Not(exit));
            Formula::Globally(formulas.make(Formula::And(first, goes_on)))
        }
        _ => Formula::Globally(first),
    };
    let path = formulas.make(path);
    formulas.make(match name.starts_with('A') {
        true => Formula::All(path),
        false => Formula::Exists(path),
    })
}

/// The texts in the braces that follow each other.
fn operands(text: &str) -> Option<Vec<&str>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                if depth == 0 {
                    start = at + 1;
                }
                depth += 1;
            }
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(&text[start..at]);
                }
            }
            c if depth == 0 && !c.is_whitespace() => return None,
            _ => {}
        }
    }
    (depth == 0).then_some(found)
}
