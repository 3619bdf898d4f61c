//! An interpreter of pointer programs as they are generated, and what propositions mean, by
//! looking. Shares nothing with the crate.

use crate::random::{Condition, Instruction, Sketch, Structure};
use std::collections::BTreeSet;

/// A reference: an object, or none.
pub(crate) type Reference = Option<usize>;

/// A heap: for each object its fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Concrete {
    structure: Structure,
    fields: Vec<Vec<Reference>>,
    root: Reference,
}

/// What is known of a proposition.
#[derive(Clone, Copy)]
pub(crate) enum Truth {
    Is(bool),
    /// It is about what lies below the frame on top as well, which a machine need not know.
    Below(bool),
}

impl Truth {
    /// Whether it is true.
    pub(crate) fn value(self) -> bool {
        match self {
            Truth::Is(value) | Truth::Below(value) => value,
        }
    }
}

impl Concrete {
    /// All structures with up to so many objects.
    pub(crate) fn inputs(structure: Structure, most: usize) -> Vec<Concrete> {
        let mut all = Vec::new();
        for count in 0..=most {
            match structure {
                Structure::Sll | Structure::Dll => all.push(Concrete::list(structure, count)),
                Structure::Tree => all.extend(trees(count)),
            }
        }
        all
    }

    fn list(structure: Structure, count: usize) -> Concrete {
        let fields = (0..count)
            .map(|it| {
                let next = (it + 1 < count).then_some(it + 1);
                match structure {
                    Structure::Dll => vec![next, it.checked_sub(1)],
                    _ => vec![next],
                }
            })
            .collect();
        Concrete { structure, fields, root: (count > 0).then_some(0) }
    }

    /// Every choice of `elem`; one, if there is no such thing.
    pub(crate) fn elements(&self, wanted: bool) -> Vec<Reference> {
        if wanted { (0..self.fields.len()).map(Some).collect() } else { vec![None] }
    }

    fn has_shape(&self, from: Reference) -> bool {
        let Some(root) = from else { return true };
        match self.structure {
            Structure::Sll | Structure::Dll => {
                let double = self.structure == Structure::Dll;
                let (mut at, mut before, mut seen) = (Some(root), None, BTreeSet::new());
                while let Some(object) = at {
                    if !seen.insert(object) || (double && self.fields[object][1] != before) {
                        return false;
                    }
                    (before, at) = (Some(object), self.fields[object][0]);
                }
                true
            }
            Structure::Tree => {
                let (mut open, mut seen) = (vec![root], BTreeSet::new());
                while let Some(object) = open.pop() {
                    if !seen.insert(object) {
                        return false;
                    }
                    open.extend(self.fields[object].iter().flatten());
                }
                true
            }
        }
    }

    /// The objects that some lead to, these included.
    fn reached(&self, mut open: Vec<Reference>) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop() {
            if let Some(object) = at
                && seen.insert(object)
            {
                open.extend(&self.fields[object]);
            }
        }
        seen
    }

    fn reaches(&self, from: Reference, to: Reference, fields: &[usize]) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if let Some(object) = at
                && seen.insert(object)
            {
                open.extend(fields.iter().map(|&field| self.fields[object][field]));
            }
        }
        false
    }
}

/// All binary trees of so many objects, root first.
fn trees(count: usize) -> Vec<Concrete> {
    if count == 0 {
        return vec![Concrete { structure: Structure::Tree, fields: Vec::new(), root: None }];
    }
    let mut all = Vec::new();
    for left in 0..count {
        for a in trees(left) {
            for b in trees(count - 1 - left) {
                let moved = |tree: &Concrete, by: usize| -> Vec<Vec<Reference>> {
                    let shift = |it: &Reference| it.map(|it| it + by);
                    tree.fields.iter().map(|fields| fields.iter().map(shift).collect()).collect()
                };
                let mut fields =
                    vec![vec![a.root.map(|it| it + 1), b.root.map(|it| it + 1 + left)]];
                fields.extend(moved(&a, 1));
                fields.extend(moved(&b, 1 + left));
                all.push(Concrete { structure: Structure::Tree, fields, root: Some(0) });
            }
        }
    }
    all
}

/// A call that is running.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    procedure: usize,
    at: usize,
    variables: Vec<Reference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Begin,
    Runs,
    Ended,
    NullDereference,
}

/// A run of a program.
pub(crate) struct Interpreter<'s> {
    sketch: &'s Sketch,
    heap: Concrete,
    /// The heap at the beginning.
    before: Concrete,
    first: Reference,
    element: Reference,
    stack: Vec<Frame>,
    mode: Mode,
    result: Reference,
}

impl<'s> Interpreter<'s> {
    /// The beginning of a run: the first parameter is the structure.
    pub(crate) fn new(sketch: &'s Sketch, heap: Concrete, element: Reference) -> Self {
        let first = heap.root;
        Interpreter {
            sketch,
            before: heap.clone(),
            heap,
            first,
            element,
            stack: Vec::new(),
            mode: Mode::Begin,
            result: None,
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.mode, Mode::Ended | Mode::NullDereference)
    }

    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// What must repeat for a run to repeat itself for ever.
    pub(crate) fn key(&self) -> impl Ord + use<> {
        self.described(&self.stack, &[self.first, self.element])
    }

    /// What the frame on top sees. If it comes again in a deeper frame, and nothing has gone below
    /// the first in between, the run goes deeper and deeper for ever.
    pub(crate) fn view(&self) -> impl Ord + use<> {
        self.described(&self.stack[self.stack.len().saturating_sub(1)..], &[])
    }

    /// Frames and what they lead to, with objects numbered as they are found.
    fn described(&self, stack: &[Frame], others: &[Reference]) -> impl Ord + use<> {
        let mut order: Vec<usize> = Vec::new();
        let number = |at: Reference, order: &mut Vec<usize>| {
            let object = at?;
            let known = order.iter().position(|it| *it == object);
            Some(known.unwrap_or_else(|| {
                order.push(object);
                order.len() - 1
            }))
        };
        let mut values: Vec<Reference> = Vec::new();
        for frame in stack {
            values.extend([Some(frame.procedure), Some(frame.at)]);
            values.extend(frame.variables.iter().map(|&it| number(it, &mut order)));
        }
        values.extend(others.iter().map(|&it| number(it, &mut order)));
        let mut next = 0;
        while let Some(&object) = order.get(next) {
            next += 1;
            values.extend(self.heap.fields[object].iter().map(|&it| number(it, &mut order)));
        }
        (self.mode, stack.len(), values)
    }

    pub(crate) fn show(&self) -> String {
        format!("{:?} {:?} {:?} element {:?}", self.mode, self.heap, self.stack, self.element)
    }

    /// The procedure that runs, and the line.
    pub(crate) fn place(&self) -> (&str, Option<u32>) {
        match (self.mode, self.stack.last()) {
            (Mode::Runs | Mode::NullDereference, Some(frame)) => {
                let procedure = &self.sketch.procedures[frame.procedure];
                (procedure.name, Some(procedure.code[frame.at].0))
            }
            _ => ("start", None),
        }
    }

    fn call(&mut self, procedure: usize, argument: Reference) {
        let count = self.sketch.procedures[procedure].variables.len();
        let mut variables = vec![None; count];
        variables[0] = argument;
        self.stack.push(Frame { procedure, at: 0, variables });
    }

    pub(crate) fn step(&mut self, random: &mut fastrand::Rng) {
        if self.mode == Mode::Begin {
            self.mode = Mode::Runs;
            return self.call(0, self.first);
        }
        if self.has_ended() {
            return;
        }
        let Some(frame) = self.stack.last_mut() else { return };
        let code = &self.sketch.procedures[frame.procedure].code;
        let variables = &mut frame.variables;
        frame.at += 1;
        match code[frame.at - 1].1 {
            Instruction::Copy(to, from) => variables[to] = from.and_then(|it| variables[it]),
            Instruction::New(to) => {
                let fields = vec![None; self.heap.structure.fields().len()];
                variables[to] = Some(self.heap.fields.len());
                self.heap.fields.push(fields);
            }
            Instruction::Load(to, from, field) => match variables[from] {
                Some(object) => variables[to] = self.heap.fields[object][field],
                None => {
                    frame.at -= 1;
                    self.mode = Mode::NullDereference;
                }
            },
            Instruction::Store(to, field, from) => match variables[to] {
                Some(object) => {
                    self.heap.fields[object][field] = from.and_then(|it| variables[it]);
                }
                None => {
                    frame.at -= 1;
                    self.mode = Mode::NullDereference;
                }
            },
            Instruction::Call(_, procedure, argument) => {
                let argument = variables[argument];
                // The call is still at its line until it comes back.
                frame.at -= 1;
                self.call(procedure, argument);
            }
            Instruction::Jump(condition, otherwise) => {
                let holds = match condition {
                    Condition::Any => random.bool(),
                    Condition::Equal(a, b) => variables[a] == b.and_then(|it| variables[it]),
                    Condition::Different(a, b) => variables[a] != b.and_then(|it| variables[it]),
                };
                if !holds {
                    frame.at = otherwise;
                }
            }
            Instruction::Goto(_) => unreachable!("jumps take no step"),
            Instruction::Return(from) => {
                self.result = from.and_then(|it| variables[it]);
                self.stack.pop();
                match self.stack.last_mut() {
                    None => self.mode = Mode::Ended,
                    Some(caller) => {
                        let code = &self.sketch.procedures[caller.procedure].code;
                        let Instruction::Call(to, ..) = code[caller.at].1 else {
                            unreachable!("callers call")
                        };
                        to.iter().for_each(|&to| caller.variables[to] = self.result);
                        caller.at += 1;
                    }
                }
            }
        }
        self.follow_jumps();
    }

    fn follow_jumps(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            let code = &self.sketch.procedures[frame.procedure].code;
            while let Instruction::Goto(to) = code[frame.at].1 {
                frame.at = to;
            }
        }
    }

    /// Whether a proposition is true now.
    pub(crate) fn truth(&self, atom: &Proposition) -> Truth {
        let value = match &atom.kind {
            Kind::Terminated => self.mode == Mode::Ended,
            Kind::NullDereference => self.mode == Mode::NullDereference,
            Kind::In(name) => self.place().0 == name,
            Kind::Whole => self.is_whole(),
            Kind::Shape(term) => self.term(term).is_some_and(|it| self.heap.has_shape(it)),
            Kind::Reach(from, to, fields) => match (self.term(from), self.term(to)) {
                (Some(from), Some(to)) => self.heap.reaches(from, to, fields),
                _ => false,
            },
            Kind::Compare(left, right, equal) => match (self.term(left), self.term(right)) {
                (Some(left), Some(right)) => (left == right) == *equal,
                _ => false,
            },
        };
        match atom.is_below && self.stack.len() > 1 {
            true => Truth::Below(value),
            false => Truth::Is(value),
        }
    }

    /// Whether all objects that variables lead to, or what the first procedure was given, are one
    /// structure.
    fn is_whole(&self) -> bool {
        let variables = self.stack.iter().flat_map(|frame| frame.variables.iter().copied());
        let result = self.result.filter(|_| self.mode == Mode::Ended);
        let all = self.heap.reached(variables.chain([self.first, result]).collect());
        let is_root = |it: usize| self.heap.reached(vec![Some(it)]) == all;
        all.iter().any(|&it| is_root(it) && self.heap.has_shape(Some(it)))
    }

    /// A variable of a procedure, if that is on top.
    fn variable(&self, procedure: usize, number: usize) -> Option<Reference> {
        let (Mode::Runs | Mode::NullDereference, Some(frame)) = (self.mode, self.stack.last())
        else {
            return None;
        };
        (frame.procedure == procedure).then(|| frame.variables[number])
    }

    /// What a term refers to; `None` if it has no value.
    fn term(&self, term: &Term) -> Option<Reference> {
        let mut at: Reference = match term.base {
            Base::Null => None,
            Base::Return if self.mode == Mode::Ended => self.result,
            Base::Return => return None,
            Base::Element => self.element,
            Base::Start => self.first,
            Base::ElementField(field) => self.before.fields[self.element?][field],
            Base::Variable(0, 0) if self.mode == Mode::Begin => self.first,
            Base::Variable(procedure, number) => self.variable(procedure, number)?,
        };
        for &field in &term.fields {
            at = self.heap.fields[at?][field];
        }
        Some(at)
    }
}

enum Base {
    Null,
    Return,
    Element,
    ElementField(usize),
    /// What the first parameter was.
    Start,
    /// A variable of a procedure, both by number.
    Variable(usize, usize),
}

struct Term {
    base: Base,
    fields: Vec<usize>,
}

enum Kind {
    Terminated,
    NullDereference,
    In(String),
    Shape(Term),
    Whole,
    Reach(Term, Term, Vec<usize>),
    Compare(Term, Term, bool),
}

/// Whether a proposition looks below the frame on top.
pub(crate) fn looks_below(atom: &str) -> bool {
    ["@", "elem", "whole"].iter().any(|it| atom.contains(it))
}

/// A proposition.
pub(crate) struct Proposition {
    kind: Kind,
    /// Whether it looks below the frame on top.
    is_below: bool,
}

impl Proposition {
    /// Reads one of the propositions of a program.
    pub(crate) fn read(sketch: &Sketch, atom: &str) -> Self {
        let names = sketch.structure.fields();
        let term = |text: &str| Term::read(sketch, text);
        let inside = |word: &str| atom.strip_prefix(word)?.strip_suffix(')');
        let kind = if atom == "terminated" {
            Kind::Terminated
        } else if atom == "nullderef" {
            Kind::NullDereference
        } else if let Some(name) = inside("in(") {
            Kind::In(name.to_owned())
        } else if inside("whole(").is_some() {
            Kind::Whole
        } else if let Some(inside) = inside("shape(") {
            Kind::Shape(term(inside.split_once(',').expect("two parts").0))
        } else if let Some(inside) = inside("reach(") {
            let parts: Vec<&str> = inside.split(", ").collect();
            let fields = (0..names.len())
                .filter(|&it| parts.len() == 2 || parts[2..].contains(&names[it]))
                .collect();
            Kind::Reach(term(parts[0]), term(parts[1]), fields)
        } else if let Some((left, right)) = atom.split_once(" == ") {
            Kind::Compare(term(left), term(right), true)
        } else {
            let (left, right) = atom.split_once(" != ").expect("a comparison");
            Kind::Compare(term(left), term(right), false)
        };
        Proposition { kind, is_below: looks_below(atom) }
    }
}

impl Term {
    fn read(sketch: &Sketch, text: &str) -> Self {
        let mut words = text.split('.');
        let field = |name: &str| {
            let found = sketch.structure.fields().iter().position(|it| *it == name);
            found.expect("there is such a field")
        };
        let variable = |procedure: usize, name: &str| {
            let names = &sketch.procedures[procedure].variables;
            let number = names.iter().position(|it| *it == name);
            Base::Variable(procedure, number.expect("there is such a variable"))
        };
        let base = match words.next().expect("it has a first word") {
            "null" => Base::Null,
            "return" => Base::Return,
            "elem" => Base::Element,
            name if name.ends_with("@start") => Base::Start,
            name if name.starts_with("elem@") => Base::ElementField(field(&name[5..])),
            "aux" => variable(1, words.next().expect("a variable is named")),
            name => variable(0, name),
        };
        Term { base, fields: words.map(field).collect() }
    }
}
