//! A run of a pointer program as pictures, one for each step, in the language of Graphviz.
//!
//! The steps are those of the certifier's interpreter, in which an object keeps its number. All
//! pictures have all objects of the run, in the same order, so that they stay in their places;
//! those that are not there are not drawn.

use super::{HeapModel, HeapRun};
use std::fmt::Write;
use tern_certify::heap::NoRun;
use tern_certify::heap::interpret::{Interpreter, Mode, Value};
use tern_model::Budget;
use tern_model::budget::Meter;

/// How many steps are drawn.
const MOST_STEPS: usize = 500;

impl HeapModel {
    /// The steps of a run as graphs, one after the other.
    ///
    /// # Errors
    /// Why the run cannot be followed, or a limit.
    pub fn dot(&self, run: &HeapRun, budget: &Budget) -> Result<String, NoRun> {
        let Some(number) = (0..self.given.len()).find(|&it| self.show_input(it) == run.given)
        else {
            return Err(NoRun::Refused("nothing is asked about this input".to_owned()));
        };
        let replay = super::evidence::read(run);
        self.with_task(number, |task| {
            let mut meter = Meter::new(budget);
            let mut all = Interpreter::new(task, &replay.input);
            let steps = replay.steps.min(MOST_STEPS);
            let mut choices = replay.choices.iter().copied();
            for _ in 0..steps {
                meter.tick()?;
                all.step(&mut || choices.next())?;
            }
            let count = all.heap.objects.len();
            let mut text = String::new();
            let mut now = Interpreter::new(task, &replay.input);
            let mut choices = replay.choices.iter().copied();
            for step in 0..=steps {
                meter.tick()?;
                self.draw(&now, step, count, &mut text);
                if step < steps {
                    now.step(&mut || choices.next())?;
                }
            }
            Ok(text)
        })
    }

    fn draw(&self, now: &Interpreter<'_>, step: usize, count: usize, text: &mut String) {
        let place = match (now.mode, now.place()) {
            (Mode::Begins, _) => "begin".to_owned(),
            (Mode::Returned(_), _) => "end".to_owned(),
            (mode, Some((name, line))) => {
                let what = match mode {
                    Mode::NullDereference => ": null dereference",
                    Mode::Thrown => ": thrown",
                    Mode::UseAfterFree => ": use after free",
                    Mode::DoubleFree => ": double free",
                    _ => "",
                };
                format!("{name}, line {line}{what}")
            }
            (_, None) => String::new(),
        };
        let _ = writeln!(text, "digraph step{step} {{");
        let _ = writeln!(text, "  label=\"{step}: {}\"; rankdir=LR;", escaped(&place));
        let _ = writeln!(text, "  null [shape=point, xlabel=\"null\"];");
        for number in 0..count {
            let style = match now.heap.objects.get(number) {
                None => ", style=invis",
                Some(object) if object.freed => ", style=dashed",
                Some(_) => "",
            };
            let _ = writeln!(text, "  o{number} [shape=circle, label=\"\"{style}];");
        }
        for (number, object) in now.heap.objects.iter().enumerate() {
            for (name, to) in &object.fields {
                let to = to.map_or("null".to_owned(), |to| format!("o{to}"));
                let _ = writeln!(text, "  o{number} -> {to} [label=\"{}\"];", escaped(name));
            }
        }
        for (name, value) in now.visible() {
            let to = match value {
                Value::Object(object) => format!("o{object}"),
                Value::Null => "null".to_owned(),
                Value::Integer(_) | Value::Unknown => continue,
            };
            let name = escaped(&name);
            let _ = writeln!(text, "  \"{name}\" [shape=plaintext];");
            let _ = writeln!(text, "  \"{name}\" -> {to} [style=dotted];");
        }
        text.push_str("}\n");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
