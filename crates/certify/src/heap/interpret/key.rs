//! When two places of a run are alike: it goes on in the same way from both.

use super::{Frame, Interpreter, Value};
use std::collections::BTreeMap;
use tern_model::index::Id;

/// What must be the same for runs to go on in the same way: places, values with objects numbered as
/// they are found, and their fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Vec<String>);

impl Interpreter<'_> {
    /// The run as a whole, without the names of objects that nothing leads to.
    pub fn key(&self) -> Key {
        let mut roots: Vec<Option<Value>> = self.values.iter().copied().map(Some).collect();
        roots.push(self.element.map(Value::Object));
        self.described(&self.frames, &roots)
    }

    /// What the frame on top sees.
    pub fn view(&self) -> Key {
        self.described(&self.frames[self.frames.len().saturating_sub(1)..], &[])
    }

    fn described(&self, frames: &[Frame], roots: &[Option<Value>]) -> Key {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order: Vec<usize> = Vec::new();
        let mut lines = vec![format!("{:?} {} {}", self.mode, self.lost, self.has_taken)];
        let mut show = |value: &Option<Value>, order: &mut Vec<usize>| match value {
            Some(Value::Object(object)) => {
                let next = numbers.len();
                let number = *numbers.entry(*object).or_insert_with(|| {
                    order.push(*object);
                    next
                });
                format!("o{number}")
            }
            other => format!("{other:?}"),
        };
        for frame in frames {
            let mut line = format!(
                "{} {} {} {}:",
                frame.procedure.index(),
                frame.block.index(),
                frame.at,
                frame.case
            );
            for value in &frame.variables {
                line += &format!(" {}", show(value, &mut order));
            }
            lines.push(line);
        }
        lines.push(roots.iter().map(|it| show(it, &mut order) + " ").collect());
        let mut next = 0;
        while let Some(&object) = order.get(next) {
            next += 1;
            let object = &self.heap.objects[object];
            let known = (&object.numbers, object.is_new);
            let mut line = format!("{} {} {known:?}", object.kind, object.freed);
            for (name, to) in &object.fields {
                line += &format!(" {name}={}", show(&to.map(Value::Object), &mut order));
            }
            lines.push(line);
        }
        Key(lines)
    }
}
