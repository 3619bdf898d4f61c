//! Writes `.pdmu` texts: rules, then the propositions of each head. What system a machine becomes
//! is said in `crate::pushdown`. The start is called `csinit #`, as exporters call it: a copy of
//! the initial head, to which no rule leads back.

use super::parser::EMPTY;
use crate::problem::Problem;
use crate::pushdown::{Flat, Head, System, flatten};
use std::fmt::Write;
use tern_model::index::Lists;
use tern_model::{LabelId, Machine};

/// Writes a machine as rules of PDSolver.
///
/// # Errors
/// Everything about the machine that the format cannot say.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    let is_sign = |c: char| c == ';' || c.is_whitespace();
    let is_odd = |name: &str| name.is_empty() || name.contains(is_sign);
    let odd: Vec<Problem> = machine
        .labels()
        .filter(|(_, name)| is_odd(name))
        .map(|(_, name)| {
            let message = format!("a .pdmu file cannot hold the label `{}`", name.escape_debug());
            Problem::error("D080", message).hint("write .tern instead")
        })
        .collect();
    if !odd.is_empty() {
        return Err(odd);
    }
    let flat = flatten(machine, &["csinit", "#", EMPTY], "D081")?;
    let start = flat.system.start.map(|(head, _)| head);
    if !flat.system.rules.iter().any(|rule| Some(rule.head) == start) {
        let message = "a .pdmu file cannot say that there is no step from the start";
        return Err(vec![Problem::error("D081", message).hint("write .pds or .tern instead")]);
    }
    let mut text = String::new();
    Writer { flat: &flat, text: &mut text }
        .write()
        .expect("a string takes all that is written to it");
    Ok(text)
}

struct Writer<'a> {
    flat: &'a Flat,
    text: &'a mut String,
}

impl Writer<'_> {
    fn write(mut self) -> std::fmt::Result {
        let Flat { system, heads } = self.flat;
        let System { controls, symbols, labels, .. } = system;
        let start = system.start.map(|(head, _)| head);
        let name =
            |head: Head| format!("{} {}", controls.of(head.control), symbols.of(head.symbol));
        self.text.push_str("Rules:\n\n");
        self.rules("csinit #", |head| Some(head) == start)?;
        for rule in 0..system.rules.len() {
            let head = system.rules[rule].head;
            self.rule(&name(head), rule)?;
        }
        self.text.push_str("\nPropositions:\n\n");
        let of_symbols = Lists::group(symbols.len(), &system.of_symbols);
        let of_controls = Lists::group(controls.len(), &system.of_controls);
        let mut propositions = |title: &str, head: Head| {
            let of_symbol = of_symbols.of(head.symbol).iter();
            let own = of_symbol.chain(of_controls.of(head.control));
            let mut names: Vec<&str> = own.map(|&label: &LabelId| labels.of(label)).collect();
            names.sort_unstable();
            names.insert(0, title);
            writeln!(self.text, "{};", names.join(" "))
        };
        if let Some(head) = start {
            propositions("csinit #", head)?;
        }
        for &head in heads {
            propositions(&name(head), head)?;
        }
        Ok(())
    }

    fn rules(&mut self, title: &str, fits: impl Fn(Head) -> bool) -> std::fmt::Result {
        for rule in 0..self.flat.system.rules.len() {
            if fits(self.flat.system.rules[rule].head) {
                self.rule(title, rule)?;
            }
        }
        Ok(())
    }

    fn rule(&mut self, left: &str, rule: usize) -> std::fmt::Result {
        let System { controls, symbols, words, rules, .. } = &self.flat.system;
        let right = rules[rule].right;
        let word = words.pushed(right.push).into_iter();
        let mut word: Vec<&str> = word.map(|it| symbols.of(it)).collect();
        if word.is_empty() {
            word.push(EMPTY);
        }
        writeln!(self.text, "{left} -> {} {};", controls.of(right.control), word.join(" "))
    }
}
