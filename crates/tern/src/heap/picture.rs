//! A run of a pointer program as pictures, one for each step, in the language of Graphviz.
//!
//! The steps are those of the certifier's interpreter, in which an object keeps its number. All
//! pictures have all objects of the run, in the same order, so that they stay in their places;
//! those that are not there are not drawn.

use super::{HeapModel, HeapRun};
use std::fmt::Write;
use tern_certify::heap::NoRun;
use tern_certify::heap::interpret::{Interpreter, Mode, Value};
use tern_ir::ProcId;
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
        let place = match (now.mode, place(now)) {
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
        for (name, value) in visible(now) {
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

/// What the procedure on top is called, and the line of what it does next.
fn place(now: &Interpreter<'_>) -> Option<(String, u32)> {
    let frame = now.frames.last()?;
    let body = now.task.program.procedures()[frame.procedure].body.as_ref()?;
    let place = match body.statements(frame.block).nth(frame.at) {
        Some((_, place)) => place,
        None => body.blocks[frame.block].place,
    };
    let name = now.task.names.iter().find(|(_, id)| **id == frame.procedure);
    Some((name.map_or(String::new(), |(name, _)| name.clone()), place.line))
}

/// The variables that have a name: of the procedure on top; before it is called the parameters; at
/// the end what is returned.
fn visible(now: &Interpreter<'_>) -> Vec<(String, Value)> {
    let names = |procedure: ProcId| {
        let names = now.task.locals.get(&procedure).into_iter().flatten();
        names.cloned().collect::<Vec<String>>().into_iter()
    };
    match (now.mode, now.frames.last()) {
        (Mode::Begins, _) => names(now.task.checked).zip(now.values.iter().copied()).collect(),
        (Mode::Returned(value), _) => {
            value.map(|value| ("return".to_owned(), value)).into_iter().collect()
        }
        (_, Some(frame)) => {
            let known = names(frame.procedure).zip(frame.variables.iter().copied());
            let known = known.filter(|(name, _)| !name.is_empty());
            known.filter_map(|(name, value)| Some((name, value?))).collect()
        }
        _ => Vec::new(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{HeapSettings, heap_parts};
    use std::collections::BTreeMap;
    use tern_engine::Options;
    use tern_front::Source;
    use tern_model::Reason;
    use tern_model::index::Id;

    /// How many variables were compared on the runs of the claims of a text that fail. The
    /// interpreter of the certifier gives each object a number of its own: two that are one object
    /// for it must be one here, and the reverse.
    fn compare(name: &str, text: String) -> usize {
        let model = HeapModel::read(Source::new(name, text)).expect("it can be read");
        let options = Options { evidence: true, runs: Some(1_000), ..Options::default() };
        let (settings, budget) = (HeapSettings::default(), Budget::unlimited());
        let mut compared = 0;
        for claim in 0..model.claims.list().len() {
            let answer = model.decide(claim, settings, &options, &budget);
            let (Some(run), Some((start, story))) =
                (&answer.evidence, answer.answer.outcome.stories.first())
            else {
                continue;
            };
            let Reason::Run(told) = &story.reason else { continue };
            let named = answer.identities.follow(*start, &told.run.moves);
            let nodes = std::iter::once(*start).chain(told.run.moves.iter().map(|it| it.node));
            let replay = crate::heap::evidence::read(run);
            model.with_task(model.about(claim), |task| {
                let mut now = Interpreter::new(task, &replay.input);
                let mut choices = replay.choices.iter().copied();
                let (mut theirs, mut ours) = (BTreeMap::new(), BTreeMap::new());
                for (step, (node, names)) in nodes.zip(&named).take(replay.steps).enumerate() {
                    let shown: BTreeMap<String, String> =
                        heap_parts(&answer.heaps[node.index()]).into_iter().collect();
                    for (variable, value) in visible(&now) {
                        let Value::Object(object) = value else { continue };
                        let Some(number) = shown.get(&variable).and_then(|it| it.strip_prefix('o'))
                        else {
                            continue;
                        };
                        let name = names[number.parse::<usize>().expect("a number") - 1];
                        let place = format!("{name}, claim {claim}, step {step}, {variable}");
                        assert_eq!(*ours.entry(name).or_insert(object), object, "{place}");
                        assert_eq!(*theirs.entry(object).or_insert(name), name, "{place}");
                        compared += 1;
                    }
                    now.step(&mut || choices.next()).unwrap_or_else(|why| panic!("{why:?}"));
                }
            });
        }
        compared
    }

    #[test]
    fn objects_keep_their_names_as_the_interpreter_sees_them() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap");
        let mut compared = 0;
        for file in std::fs::read_dir(folder).expect("the corpus is there") {
            let path = file.expect("it can be listed").path();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            compared += compare(&path.display().to_string(), text);
        }
        assert!(compared > 100, "{compared}");
    }

    #[test]
    fn objects_keep_their_names_through_calls() {
        let text = "type Node { next: Node }\ngrammar SLL = Node(next)\n\
            proc last(list: Node): Node {\n  var rest: Node\n  rest = list.next\n\
            if rest == null {\n return list\n }\n rest = last(rest)\n return rest\n}\n\
            given last(list: SLL+)\n\
            claim G (terminated -> \"list@start == return\" | \"list@start.next == return\")\n";
        assert!(compare("last.heap", text.to_owned()) > 10);
        // No field is ever written, so each has one value all along, and none is new.
        let model = HeapModel::read(Source::new("last.heap", text)).expect("it can be read");
        let options = Options { runs: Some(1_000), ..Options::default() };
        let (settings, budget) = (HeapSettings::default(), Budget::unlimited());
        let answer = model.decide(0, settings, &options, &budget);
        let (start, story) = &answer.answer.outcome.stories[0];
        let Reason::Run(told) = &story.reason else { panic!("{story:?}") };
        let named = answer.identities.follow(*start, &told.run.moves);
        let nodes = std::iter::once(*start).chain(told.run.moves.iter().map(|it| it.node));
        let mut fields: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for (node, names) in nodes.zip(&named) {
            let name = |object: &str| {
                let number = object.strip_prefix('o')?.parse::<usize>().ok()?;
                names.get(number - 1).copied()
            };
            for (left, right) in heap_parts(&answer.heaps[node.index()]) {
                let Some((from, _)) = left.split_once('.') else { continue };
                let Some(from) = name(from) else { continue };
                let to = name(&right);
                assert_eq!(*fields.entry(from).or_insert(to), to, "{named:?}");
            }
        }
        assert_eq!(fields.len(), 3, "{fields:?}");
    }
}
