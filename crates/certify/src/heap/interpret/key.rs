//! When two places of a run are alike: it goes on in the same way from both.

use super::super::atoms::Below;
use super::{Frame, Interpreter, Value};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::index::Id;

/// What must be the same for runs to go on in the same way: places, values with objects numbered as
/// they are found, and their fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Vec<String>);

impl Interpreter<'_> {
    /// The run as a whole, without the names of objects that nothing leads to.
    pub fn key(&self) -> Key {
        let mut numbering = Numbering::new(self);
        self.frames.iter().for_each(|frame| numbering.frame(frame));
        let mut roots: Vec<Option<Value>> = self.values.iter().copied().map(Some).collect();
        roots.push(self.element.map(Value::Object));
        // Where its fields led at the beginning: claims may name that.
        let element = self.element.map(|it| &self.first.objects[it]);
        let first = element.into_iter().flat_map(|it| it.fields.values());
        roots.extend(first.map(|to| to.map(Value::Object)));
        numbering.roots(&roots);
        numbering.objects();
        Key(numbering.lines)
    }

    /// What the frame on top sees, with what claims look at besides. Frames below change nothing as
    /// long as they wait, nor does anybody change what the frame on top does not see: so the run
    /// goes on in the same way from places with the same view, and claims are true of the same
    /// steps. Nothing if a claim looks at something that is not seen.
    pub fn view(&self, below: &Below) -> Option<Key> {
        let mut numbering = Numbering::new(self);
        self.frames.last().into_iter().for_each(|frame| numbering.frame(frame));
        numbering.roots(&below.led_to(self));
        numbering.objects();
        numbering.names(&below.named(self));
        if below.held && !numbering.held(below.all) {
            return None;
        }
        Some(Key(numbering.lines))
    }

    /// What frames below the one on top hold, and what was given.
    fn held_below(&self) -> Vec<usize> {
        let waiting = &self.frames[..self.frames.len().saturating_sub(1)];
        let variables = waiting.iter().flat_map(|frame| frame.variables.iter().flatten());
        let held = variables.chain(&self.values).filter_map(|value| match value {
            Value::Object(object) => Some(*object),
            _ => None,
        });
        held.chain(self.element).collect()
    }
}

/// Objects with numbers in the order in which they are found, and what is written of them.
struct Numbering<'a> {
    run: &'a Interpreter<'a>,
    numbers: BTreeMap<usize, usize>,
    order: Vec<usize>,
    lines: Vec<String>,
}

impl<'a> Numbering<'a> {
    fn new(run: &'a Interpreter<'a>) -> Self {
        let lines = vec![format!("{:?} {} {}", run.mode, run.lost, run.has_taken)];
        Numbering { run, numbers: BTreeMap::new(), order: Vec::new(), lines }
    }

    fn show(&mut self, value: &Option<Value>) -> String {
        let Some(Value::Object(object)) = value else { return format!("{value:?}") };
        let next = self.numbers.len();
        let order = &mut self.order;
        let number = *self.numbers.entry(*object).or_insert_with(|| {
            order.push(*object);
            next
        });
        format!("o{number}")
    }

    fn frame(&mut self, frame: &Frame) {
        let mut line = format!(
            "{} {} {} {}:",
            frame.procedure.index(),
            frame.block.index(),
            frame.at,
            frame.case
        );
        for value in &frame.variables {
            line += &format!(" {}", self.show(value));
        }
        self.lines.push(line);
    }

    fn roots(&mut self, roots: &[Option<Value>]) {
        let line = roots.iter().map(|it| self.show(it) + " ").collect();
        self.lines.push(line);
    }

    /// All objects that have numbers, and those that they lead to.
    fn objects(&mut self) {
        let mut next = 0;
        while let Some(&object) = self.order.get(next) {
            next += 1;
            let object = &self.run.heap.objects[object];
            let known = (&object.numbers, object.is_new);
            let mut line = format!("{} {} {known:?}", object.kind, object.freed);
            for (name, to) in &object.fields {
                line += &format!(" {name}={}", self.show(&to.map(Value::Object)));
            }
            self.lines.push(line);
        }
    }

    /// Which of the objects some values are. Of others it matters whether they were freed, and
    /// that they stay what they are.
    fn names(&mut self, values: &[Option<Value>]) {
        for value in values {
            let line = match value {
                Some(Value::Object(object)) => match self.numbers.get(object) {
                    Some(number) => format!("o{number}"),
                    None => format!("elsewhere {}", self.run.heap.objects[*object].freed),
                },
                other => format!("{other:?}"),
            };
            self.lines.push(line);
        }
    }

    /// Which of the objects are held from elsewhere: these are lost only if that lets them go, too.
    /// False if there are other objects, but all should be seen.
    fn held(&mut self, all: bool) -> bool {
        let (mut held, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = self.run.held_below();
        while let Some(object) = open.pop() {
            match self.numbers.get(&object) {
                Some(&number) => {
                    held.insert(number);
                }
                None if all => return false,
                None if seen.insert(object) => {
                    open.extend(self.run.heap.objects[object].fields.values().flatten());
                }
                None => {}
            }
        }
        self.lines.push(format!("{held:?}"));
        true
    }
}
