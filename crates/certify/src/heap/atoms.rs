//! Propositions about pointer programs, read and looked at in one configuration of a run.

use super::interpret::{Interpreter, Mode, Value};
use super::{NoRun, Task};
use std::collections::BTreeSet;
use tern_ir::{ProcId, Type};
use tern_model::budget::Meter;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    Null,
    Return,
    /// A variable of a procedure while that is on top.
    Variable(ProcId, usize),
    /// What a parameter was, or what has a name.
    Start(usize),
    Element,
    /// Where a field of the element led.
    ElementField(String),
}

/// Something that refers to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) base: Base,
    pub(super) fields: Vec<String>,
}

/// A proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition(pub(super) Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Terminated,
    Mode(Mode),
    Leak,
    In(ProcId),
    Same(Term, Term),
    Different(Term, Term),
    Freed(Term),
    Shape(Term, String, bool),
    Reach(Term, Term, BTreeSet<String>),
    Whole(String),
}

impl Proposition {
    /// Reads a proposition.
    pub fn read(task: &Task<'_>, text: &str) -> Option<Self> {
        let text = text.trim();
        let term = |text: &str| Term::read(task, text);
        let kind = match text {
            "terminated" => Kind::Terminated,
            "nullderef" => Kind::Mode(Mode::NullDereference),
            "thrown" => Kind::Mode(Mode::Thrown),
            "useafterfree" => Kind::Mode(Mode::UseAfterFree),
            "doublefree" => Kind::Mode(Mode::DoubleFree),
            "leak" => Kind::Leak,
            _ => {
                if let Some((left, right)) = text.split_once("==") {
                    Kind::Same(term(left)?, term(right)?)
                } else if let Some((left, right)) = text.split_once("!=") {
                    Kind::Different(term(left)?, term(right)?)
                } else {
                    let (name, rest) = text.split_once('(')?;
                    let parts: Vec<&str> =
                        rest.strip_suffix(')')?.split(',').map(str::trim).collect();
                    match (name.trim(), &parts[..]) {
                        ("in", [name]) => Kind::In(*task.names.get(*name)?),
                        ("freed", [it]) => Kind::Freed(term(it)?),
                        ("whole", [shape]) => Kind::Whole((*shape).to_owned()),
                        ("shape", [it, shape]) => {
                            let name = shape.strip_suffix('+').unwrap_or(shape).trim();
                            Kind::Shape(term(it)?, name.to_owned(), shape.ends_with('+'))
                        }
                        ("reach", [from, to, fields @ ..]) => {
                            let fields = match fields {
                                [] => task.types.values().flatten().cloned().collect(),
                                some => some.iter().map(|it| (*it).to_owned()).collect(),
                            };
                            Kind::Reach(term(from)?, term(to)?, fields)
                        }
                        _ => return None,
                    }
                }
            }
        };
        Some(Proposition(kind))
    }

    /// What it looks at besides what the frame on top sees.
    fn looks(&self) -> Below {
        let mut below = Below::default();
        // Terms of which only the object matters, and terms of which also what it leads to does.
        let (objects, heaps): (Vec<&Term>, Vec<&Term>) = match &self.0 {
            Kind::Same(left, right) | Kind::Different(left, right) => (vec![left, right], vec![]),
            Kind::Freed(term) => (vec![term], vec![]),
            Kind::Reach(from, to, _) => (vec![to], vec![from]),
            Kind::Shape(term, ..) => (vec![], vec![term]),
            Kind::Leak | Kind::Whole(_) | Kind::Terminated | Kind::Mode(_) | Kind::In(_) => {
                (vec![], vec![])
            }
        };
        for term in objects.iter().chain(&heaps) {
            let is_first =
                matches!(term.base, Base::Start(_) | Base::Element | Base::ElementField(_));
            let follows = !term.fields.is_empty() || heaps.contains(term);
            if is_first && follows {
                below.led_to.insert(term.base.clone());
            } else if is_first {
                below.named.insert(term.base.clone());
            }
        }
        below.held = matches!(self.0, Kind::Leak | Kind::Whole(_));
        below.all = matches!(self.0, Kind::Whole(_));
        below
    }

    /// Whether it is true now; nothing if that cannot be said.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn is_true(
        &self,
        run: &Interpreter<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, NoRun> {
        let known = |worth: Worth| match worth {
            Worth::Unknown => None,
            Worth::Nothing => Some(None),
            Worth::Is(it) => Some(Some(it)),
        };
        let both = |left: &Term, right: &Term| {
            let (left, right) = (known(left.worth(run))?, known(right.worth(run))?);
            Some(left.zip(right))
        };
        let truth = match &self.0 {
            Kind::Terminated => Some(matches!(run.mode, Mode::Returned(_))),
            Kind::Mode(mode) => Some(run.mode == *mode),
            Kind::Leak => Some(run.lost),
            Kind::In(procedure) => {
                let ends = matches!(run.mode, Mode::Begins | Mode::Returned(_));
                let top = run.frames.last().filter(|_| !ends);
                Some(top.is_some_and(|frame| frame.procedure == *procedure))
            }
            Kind::Same(left, right) => {
                both(left, right).map(|pair| pair.is_some_and(|(left, right)| left == right))
            }
            Kind::Different(left, right) => {
                both(left, right).map(|pair| pair.is_some_and(|(left, right)| left != right))
            }
            Kind::Freed(term) => known(term.worth(run))
                .map(|it| it.flatten().is_some_and(|object| run.heap.objects[object].freed)),
            Kind::Whole(shape) => is_whole(run, shape, meter)?,
            Kind::Reach(from, to, fields) => both(from, to)
                .map(|pair| pair.is_some_and(|(from, to)| reaches(run, from, to, fields))),
            Kind::Shape(term, shape, not_null) => match known(term.worth(run)) {
                None => None,
                Some(None) => Some(false),
                Some(Some(None)) => Some(!not_null),
                Some(Some(Some(root))) => run.task.rules.is_of(&run.heap, root, shape, meter)?,
            },
        };
        Ok(truth)
    }
}

/// What propositions look at besides what the frame on top sees.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// What is compared with other objects, or may be freed.
    named: BTreeSet<Base>,
    /// What is looked at with the objects that it leads to.
    led_to: BTreeSet<Base>,
    /// Whether it matters which objects frames below hold, or what was given leads to.
    pub(super) held: bool,
    /// Whether all objects matter that these hold.
    pub(super) all: bool,
}

impl Below {
    /// What some propositions look at.
    pub fn of<'p>(propositions: impl IntoIterator<Item = &'p Proposition>) -> Self {
        let mut all = Below::default();
        for proposition in propositions {
            let one = proposition.looks();
            all.named.extend(one.named);
            all.led_to.extend(one.led_to);
            all.held |= one.held;
            all.all |= one.all;
        }
        all
    }

    /// What is named is worth now, in a fixed order.
    pub(super) fn named(&self, run: &Interpreter<'_>) -> Vec<Option<Value>> {
        values(&self.named, run)
    }

    /// The same of what is looked at with the objects that it leads to.
    pub(super) fn led_to(&self, run: &Interpreter<'_>) -> Vec<Option<Value>> {
        values(&self.led_to, run)
    }
}

fn values(bases: &BTreeSet<Base>, run: &Interpreter<'_>) -> Vec<Option<Value>> {
    let value = |base: &Base| {
        let term = Term { base: base.clone(), fields: Vec::new() };
        match term.worth(run) {
            Worth::Nothing => None,
            Worth::Unknown => Some(Value::Unknown),
            Worth::Is(it) => Some(it.map_or(Value::Null, Value::Object)),
        }
    };
    bases.iter().map(value).collect()
}

/// What a term is worth: `null` is no object.
enum Worth {
    Nothing,
    Unknown,
    Is(Option<usize>),
}

impl Term {
    fn read(task: &Task<'_>, text: &str) -> Option<Term> {
        let mut words = text.trim().split('.').map(str::trim);
        let first = words.next()?;
        let mut fields: Vec<String> = words.map(str::to_owned).collect();
        let variable = |procedure: ProcId, name: &str| {
            let body = task.program.procedures()[procedure].body.as_ref()?;
            let is_object = |number: usize| {
                let ty = task.program.types()[body.variables.as_slice()[number].ty];
                match ty {
                    Type::Reference(class) => task.meaning.kind(task.program.text(class)).is_some(),
                    _ => false,
                }
            };
            let names = task.locals.get(&procedure)?.iter().enumerate();
            let mut found = names.filter(|(number, it)| *it == name && is_object(*number));
            found.next().map(|(number, _)| number)
        };
        let base = match first {
            "null" => Base::Null,
            "return" => Base::Return,
            "elem" => Base::Element,
            _ => {
                if let Some(field) = first.strip_prefix("elem@") {
                    Base::ElementField(field.to_owned())
                } else if let Some(name) = first.strip_suffix("@start") {
                    Base::Start(variable(task.checked, name).filter(|it| *it < task.given.len())?)
                } else if let Some(number) = variable(task.checked, first) {
                    Base::Variable(task.checked, number)
                } else if let Some(name) = task.named.iter().position(|it| it == first) {
                    Base::Start(task.given.len() + name)
                } else {
                    let procedure = *task.names.get(first)?;
                    if fields.is_empty() {
                        return None;
                    }
                    let name = fields.remove(0);
                    Base::Variable(procedure, variable(procedure, &name)?)
                }
            }
        };
        Some(Term { base, fields })
    }

    fn worth(&self, run: &Interpreter<'_>) -> Worth {
        let of = |value: Option<Value>| match value {
            None | Some(Value::Integer(_)) => Worth::Nothing,
            Some(Value::Null) => Worth::Is(None),
            Some(Value::Object(object)) => Worth::Is(Some(object)),
            Some(Value::Unknown) => Worth::Unknown,
        };
        let mut worth = match &self.base {
            Base::Null => Worth::Is(None),
            Base::Return => match run.mode {
                Mode::Returned(value) => of(value),
                _ => Worth::Nothing,
            },
            Base::Variable(procedure, number) => match (run.mode, run.frames.last()) {
                (Mode::Begins, _) if *procedure == run.task.checked => {
                    of(run.values.get(*number).copied())
                }
                (Mode::Begins | Mode::Returned(_), _) | (_, None) => Worth::Nothing,
                (_, Some(frame)) if frame.procedure == *procedure => {
                    of(frame.variables.get(*number).copied().flatten())
                }
                _ => Worth::Nothing,
            },
            Base::Start(number) => of(run.values.get(*number).copied()),
            Base::Element => run.element.map_or(Worth::Unknown, |it| Worth::Is(Some(it))),
            Base::ElementField(field) => match run.element {
                Some(element) => match run.first.objects[element].fields.get(field) {
                    Some(to) => Worth::Is(*to),
                    None => Worth::Unknown,
                },
                None => Worth::Unknown,
            },
        };
        for field in &self.fields {
            worth = match worth {
                Worth::Is(Some(object)) => match run.heap.objects[object].fields.get(field) {
                    Some(to) => Worth::Is(*to),
                    None => Worth::Nothing,
                },
                Worth::Is(None) => Worth::Nothing,
                other => other,
            };
        }
        worth
    }
}

/// Whether all objects that something leads to form one structure of a shape.
fn is_whole(
    run: &Interpreter<'_>,
    shape: &str,
    meter: &mut Meter<'_>,
) -> Result<Option<bool>, NoRun> {
    let all = run.reached();
    for &root in &all {
        if run.heap.reached(root) == all {
            match run.task.rules.is_of(&run.heap, root, shape, meter)? {
                Some(false) => {}
                other => return Ok(other),
            }
        }
    }
    Ok(Some(false))
}

/// Whether one is reached from the other in zero or more steps by some fields.
fn reaches(
    run: &Interpreter<'_>,
    from: Option<usize>,
    to: Option<usize>,
    fields: &BTreeSet<String>,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        if let Some(object) = next
            && seen.insert(object)
        {
            let all = &run.heap.objects[object].fields;
            open.extend(all.iter().filter(|(name, _)| fields.contains(*name)).map(|(_, to)| *to));
        }
    }
    false
}
