//! Writes `.pds` texts: the initial configuration, the atoms, the rules, in the order of the
//! machine. What system a machine becomes is said in `crate::pushdown`.

use super::parser::split_atoms;
use crate::problem::Problem;
use crate::pushdown::{Flat, System, flatten};
use std::fmt::Write;
use tern_model::index::Lists;
use tern_model::{LabelId, Machine};

/// Writes a machine as a pushdown system.
///
/// # Errors
/// Everything about the machine that the format cannot say.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    // A list of atoms ends with its line, and the next atom must not become a part of this one.
    let unsayable = |&(_, name): &(LabelId, &str)| {
        name.contains(['\n', '\r']) || !split_atoms(&format!("{name}, x")).eq([name, "x"])
    };
    let odd: Vec<Problem> = machine
        .labels()
        .filter(unsayable)
        .map(|(_, name)| {
            let message = format!("a .pds file cannot hold the label `{}`", name.escape_debug());
            Problem::error("P080", message).hint("write .tern instead")
        })
        .collect();
    if !odd.is_empty() {
        return Err(odd);
    }
    let Flat { system, .. } = flatten(machine, &[], "P081")?;
    let mut text = String::new();
    System::write(&system, &mut text).expect("a string takes all that is written to it");
    Ok(text)
}

impl System {
    fn write(&self, text: &mut String) -> std::fmt::Result {
        let System { controls, symbols, labels, .. } = self;
        if let Some((head, _)) = self.start {
            writeln!(text, "({} <{}>)\n", controls.of(head.control), symbols.of(head.symbol))?;
        }
        let of_symbols = Lists::group(symbols.len(), &self.of_symbols);
        let of_controls = Lists::group(controls.len(), &self.of_controls);
        let mut atoms = |name: &str, own: &[LabelId]| {
            let mut names: Vec<&str> = own.iter().map(|&label| labels.of(label)).collect();
            names.sort_unstable();
            match names.is_empty() {
                true => Ok(()),
                false => writeln!(text, "ATOMS {name} {}", names.join(", ")),
            }
        };
        for (symbol, name) in symbols.names().iter() {
            atoms(name, of_symbols.of(symbol))?;
        }
        for (control, name) in controls.names().iter() {
            atoms(name, of_controls.of(control))?;
        }
        text.push('\n');
        for rule in &self.rules {
            let (head, right) = (rule.head, rule.right);
            let (from, to) = (controls.of(head.control), controls.of(right.control));
            write!(text, "{from} <{}> --> {to} <", symbols.of(head.symbol))?;
            let word = self.words.pushed(right.push);
            let word: Vec<&str> = word.into_iter().map(|it| symbols.of(it)).collect();
            writeln!(text, "{}>", word.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Builder, Edge, Place};

    #[test]
    fn labels_that_would_run_into_others_are_refused() {
        for (label, is_sayable) in [("a", true), ("a(b)", true), ("a(", false), ("a\nb", false)] {
            let mut builder = Builder::new();
            let main = builder.component("main");
            let node = builder.node(main, "n");
            builder.initial(node);
            builder.label(node, label);
            builder.label(node, "z");
            builder.edge(Place::Node(node), Edge::Step(node));
            let machine = builder.finish().expect("a sound machine");
            assert_eq!(write(&machine).is_ok(), is_sayable, "{label:?}");
        }
    }
}
