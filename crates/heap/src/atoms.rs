//! Propositions about heaps.
//!
//! | atom | true when |
//! |---|---|
//! | `terminated` | the checked procedure has returned |
//! | `nullderef`, `thrown` | a null dereference, an exception has ended the run |
//! | `T == T`, `T != T` | the two terms are the same object, or both `null`; different ones |
//! | `shape(T, N)` | T is `null`, or what T reaches is in the language of N; with `N+` not `null` |
//! | `reach(T, T, f…)` | the second is reached from the first in zero or more steps by these fields, by any if none are named |
//! | `in(m)` | procedure m runs: its frame is on top |
//!
//! Terms: `null`, `return` (after the end), a variable of the checked procedure while a frame of it
//! is on top (parameters also before it is called), `m.x` for other procedures, `x@start` (what a
//! parameter was at the beginning), `elem` (any object of the input), `elem@f` (where its field f
//! led at the beginning); each with fields behind it. If a term has no value (its frame is not on
//! top, a field of `null`), the atom is false. Terms with `@` or `elem` are known in the start, in
//! the first frame of the checked procedure and at the end; what is asked elsewhere is not known.
//!
//! An atom is evaluated in all heaps that its fields are concretised to; if they do not agree, it
//! is unknown.

use crate::abstraction::{abstracted, collect_garbage};
use crate::canonical::{Externals, canonical};
use crate::code::{Code, Method};
use crate::grammar::Grammar;
use crate::grammar::check::all_folded;
use crate::graph::{Heap, ObjectId, Slot, Value, null};
use crate::machine::{At, Frame, HeapMachine};
use crate::regions::Regions;
use crate::text::lexer::nearest;
use crate::traced::Traced;
use std::collections::BTreeSet;
use tern_ir::ProcId;
use tern_model::budget::{Limit, Meter};
use tern_model::{NodeId, Tri};

/// What a ghost remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ghost {
    /// What a parameter was.
    Start(u32),
    /// Any object of the input.
    Element,
    /// Where a field of that object led.
    ElementField(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    Null,
    Return,
    Variable(ProcId, u32),
    Ghost(Ghost),
}

/// A term: something that refers to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    base: Base,
    fields: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Terminated,
    NullDereference,
    Thrown,
    In(ProcId),
    Compare(Term, Term, bool),
    Shape { term: Term, shape: usize, not_null: bool },
    Reach(Term, Term, Vec<String>),
}

/// A proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    kind: Kind,
}

impl Atom {
    /// Reads a proposition about a procedure.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(
        text: &str,
        code: &Code,
        grammar: &Grammar,
        checked: ProcId,
    ) -> Result<Atom, String> {
        let reader = Reader { code, grammar, checked };
        Ok(Atom { kind: reader.atom(text.trim())? })
    }

    /// The variables that it names, with their procedures.
    pub fn variables(&self) -> Vec<(ProcId, u32)> {
        let variable = |term: &&Term| match term.base {
            Base::Variable(procedure, variable) => Some((procedure, variable)),
            _ => None,
        };
        self.terms().iter().filter_map(variable).collect()
    }

    /// The ghosts that it needs.
    pub fn ghosts(&self) -> Vec<Ghost> {
        let ghost = |term: &&Term| match &term.base {
            Base::Ghost(ghost) => Some(ghost.clone()),
            _ => None,
        };
        self.terms().iter().filter_map(ghost).collect()
    }

    fn terms(&self) -> Vec<&Term> {
        match &self.kind {
            Kind::Compare(left, right, _) | Kind::Reach(left, right, _) => vec![left, right],
            Kind::Shape { term, .. } => vec![term],
            _ => Vec::new(),
        }
    }
}

struct Reader<'a> {
    code: &'a Code,
    grammar: &'a Grammar,
    checked: ProcId,
}

impl Reader<'_> {
    fn atom(&self, text: &str) -> Result<Kind, String> {
        match text {
            "terminated" => return Ok(Kind::Terminated),
            "nullderef" => return Ok(Kind::NullDereference),
            "thrown" => return Ok(Kind::Thrown),
            _ => {}
        }
        for (sign, equal) in [("==", true), ("!=", false)] {
            if let Some((left, right)) = text.split_once(sign) {
                return Ok(Kind::Compare(self.term(left)?, self.term(right)?, equal));
            }
        }
        let Some((name, inside)) = text.strip_suffix(')').and_then(|it| it.split_once('(')) else {
            let known = ["terminated", "nullderef", "thrown"];
            let help = nearest(text, known).map_or(String::new(), |it| format!("; {it}"));
            return Err(format!("`{text}` is no proposition about heaps{help}"));
        };
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        match (name.trim(), &parts[..]) {
            ("in", [method]) => Ok(Kind::In(self.procedure(method)?)),
            ("shape", [term, shape]) => {
                let name = shape.strip_suffix('+').unwrap_or(shape).trim();
                let number = self.grammar.shapes.iter().position(|it| it.name == name);
                let number = number.ok_or_else(|| {
                    let known = self.grammar.shapes.iter().map(|it| &*it.name);
                    let help = nearest(name, known).map_or(String::new(), |it| format!("; {it}"));
                    format!("there is no shape `{name}`{help}")
                })?;
                let term = self.term(term)?;
                Ok(Kind::Shape { term, shape: number, not_null: shape.ends_with('+') })
            }
            ("reach", [from, to, fields @ ..]) => {
                for field in fields {
                    self.field(field)?;
                }
                let fields = fields.iter().map(|&it| it.to_owned()).collect();
                Ok(Kind::Reach(self.term(from)?, self.term(to)?, fields))
            }
            (other, _) => {
                let help = nearest(other, ["in", "shape", "reach"]);
                let help = help.map_or(String::new(), |it| format!("; {it}"));
                Err(format!("`{text}` is no proposition about heaps{help}"))
            }
        }
    }

    fn procedure(&self, name: &str) -> Result<ProcId, String> {
        let found = self.code.methods.iter().find(|(_, method)| method.name == name);
        found.map(|(id, _)| id).ok_or_else(|| {
            let known = self.code.methods.as_slice().iter().map(|it| &*it.name);
            let help = nearest(name, known).map_or(String::new(), |it| format!("; {it}"));
            format!("there is no procedure `{name}`{help}")
        })
    }

    fn field(&self, name: &str) -> Result<(), String> {
        let known = || self.grammar.types.selectors.as_slice().iter().map(|it| &*it.name);
        if known().any(|it| it == name) {
            return Ok(());
        }
        let help = nearest(name, known()).map_or(String::new(), |it| format!("; {it}"));
        Err(format!("there is no field `{name}`{help}"))
    }

    fn variable(&self, method: &Method, name: &str) -> Option<u32> {
        let found =
            method.locals.iter().position(|local| local.name == name && local.kind.is_some());
        u32::try_from(found?).ok()
    }

    fn term(&self, text: &str) -> Result<Term, String> {
        let mut words = text.trim().split('.').map(str::trim);
        let first = words.next().unwrap_or_default();
        let mut rest: Vec<&str> = words.collect();
        let method = &self.code.methods[self.checked];
        let base = if first == "null" {
            Base::Null
        } else if first == "return" {
            Base::Return
        } else if first == "elem" {
            Base::Ghost(Ghost::Element)
        } else if let Some(field) = first.strip_prefix("elem@") {
            self.field(field)?;
            Base::Ghost(Ghost::ElementField(field.to_owned()))
        } else if let Some(name) = first.strip_suffix("@start") {
            let found = self.variable(method, name).filter(|&it| (it as usize) < method.parameters);
            let found =
                found.ok_or_else(|| format!("`{}` has no parameter `{name}`", method.name))?;
            Base::Ghost(Ghost::Start(found))
        } else if let Some(variable) = self.variable(method, first) {
            Base::Variable(self.checked, variable)
        } else if let (Ok(procedure), false) = (self.procedure(first), rest.is_empty()) {
            let name = rest.remove(0);
            let found = self.variable(&self.code.methods[procedure], name);
            let found = found.ok_or_else(|| format!("`{first}` has no variable `{name}`"))?;
            Base::Variable(procedure, found)
        } else {
            let known = method.locals.iter().map(|it| &*it.name);
            let help = nearest(first, known).map_or(String::new(), |it| format!("; {it}"));
            return Err(format!("`{}` has no variable `{first}`{help}", method.name));
        };
        for field in &rest {
            self.field(field)?;
        }
        Ok(Term { base, fields: rest.into_iter().map(str::to_owned).collect() })
    }
}

/// What a term is worth: nothing, an object, or something that is not known here.
#[derive(Clone, Copy)]
enum Worth {
    Nothing,
    Object(ObjectId),
    Unknown,
}

/// A heap with what a term is worth in it.
type Case = (Traced, Worth);

/// Evaluates propositions at nodes of a machine.
pub struct Evaluation<'m, 'p> {
    machine: &'m HeapMachine<'p>,
    ghosts: &'m [Ghost],
    /// The normal forms of each shape, with the root in a slot.
    shapes: Vec<BTreeSet<Heap>>,
}

/// Where the root of what is asked about a shape is.
const ROOT: Slot = Slot::Variable(0);

/// How many heaps are looked at to find out whether a concrete heap has a shape.
const MOST_FOLDED: usize = 5_000;

impl<'m, 'p> Evaluation<'m, 'p> {
    /// Prepares to evaluate propositions. Ghosts are in slots of their numbers.
    pub fn new(
        machine: &'m HeapMachine<'p>,
        ghosts: &'m [Ghost],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut shapes = Vec::new();
        for shape in &machine.grammar.shapes {
            let mut forms = BTreeSet::new();
            for heap in &shape.heaps {
                let mut heap = Traced::new(heap);
                let root = heap.heap().externals()[0];
                heap.heap_mut().set_externals(Vec::new());
                heap.heap_mut().set_slot(ROOT, Value::Object(root));
                abstracted(machine.grammar, &mut heap, 0, meter)?;
                forms.insert(heap.canonical(Externals::Ordered).0);
            }
            shapes.push(forms);
        }
        Ok(Evaluation { machine, ghosts, shapes })
    }

    /// Whether a proposition is true at a node.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn at(&self, node: NodeId, atom: &Atom, meter: &mut Meter<'_>) -> Result<Tri, Limit> {
        let state = self.machine.state(node);
        let heap = Traced::new(self.machine.heap(state.heap));
        Ok(match &atom.kind {
            Kind::Terminated => (state.at == At::End).into(),
            Kind::NullDereference => matches!(state.at, At::NullDereference(_)).into(),
            Kind::Thrown => matches!(state.at, At::Thrown(_)).into(),
            Kind::In(procedure) => {
                (self.machine.frame(node) == Frame::Procedure(*procedure)).into()
            }
            Kind::Compare(left, right, equal) => {
                self.pairs(node, &heap, left, right, |_, a, b| ((a == b) == *equal).into())
            }
            Kind::Reach(from, to, fields) => {
                let all = self.machine.grammar.types.selectors.iter();
                let wanted = |name: &String| fields.is_empty() || fields.contains(name);
                let selectors = all.filter(|(_, it)| wanted(&it.name)).map(|(id, _)| id);
                let regions = Regions::new(self.machine.grammar, selectors.collect());
                self.pairs(node, &heap, from, to, |case, a, b| regions.reaches(case.heap(), a, b))
            }
            Kind::Shape { term, shape, not_null } => {
                let mut values = Vec::new();
                for (case, worth) in self.cases(node, &heap, term) {
                    values.push(match worth {
                        Worth::Nothing => Tri::False,
                        Worth::Unknown => Tri::Unknown,
                        Worth::Object(object) if object == null() => (!not_null).into(),
                        Worth::Object(object) => self.has_shape(&case, object, *shape, meter)?,
                    });
                }
                agreed(&values)
            }
        })
    }

    /// A proposition about two terms.
    fn pairs(
        &self,
        node: NodeId,
        heap: &Traced,
        left: &Term,
        right: &Term,
        holds: impl Fn(&Traced, ObjectId, ObjectId) -> Tri,
    ) -> Tri {
        let mut values = Vec::new();
        for (case, left) in self.cases(node, heap, left) {
            for (case, right) in self.cases(node, &case, right) {
                values.push(match (left, right) {
                    (Worth::Nothing, _) | (_, Worth::Nothing) => Tri::False,
                    (Worth::Unknown, _) | (_, Worth::Unknown) => Tri::Unknown,
                    (Worth::Object(a), Worth::Object(b)) => holds(&case, a, b),
                });
            }
        }
        agreed(&values)
    }

    /// All heaps in which the fields of a term are there, with what it is worth.
    fn cases(&self, node: NodeId, heap: &Traced, term: &Term) -> Vec<Case> {
        let base = self.base(node, heap.heap(), &term.base);
        let mut cases = vec![(heap.clone(), base)];
        for field in &term.fields {
            let mut next = Vec::new();
            for (case, worth) in cases {
                let Worth::Object(object) = worth else {
                    next.push((case, worth));
                    continue;
                };
                let selector = case
                    .heap()
                    .kind(object)
                    .and_then(|kind| self.machine.grammar.types.selector(kind, field));
                let Some(selector) = selector else {
                    next.push((case, Worth::Nothing));
                    continue;
                };
                let found = self.machine.grammar.concretised(&case, object, selector);
                for case in found.expect("each field is provided") {
                    let target = case.heap().field(object, selector).expect("it is there now");
                    next.push((case, Worth::Object(target)));
                }
            }
            cases = next;
        }
        cases
    }

    fn base(&self, node: NodeId, heap: &Heap, base: &Base) -> Worth {
        let state = self.machine.state(node);
        let frame = self.machine.frame(node);
        let slot = match base {
            Base::Null => return Worth::Object(null()),
            Base::Return if state.at == At::End => Slot::Return,
            Base::Return => return Worth::Nothing,
            Base::Variable(procedure, variable) => {
                let begins = state.at == At::Begin && *procedure == self.machine.checked();
                if frame != Frame::Procedure(*procedure) && !begins {
                    return Worth::Nothing;
                }
                Slot::Variable(*variable)
            }
            Base::Ghost(ghost) => {
                let number = self.ghosts.iter().position(|it| it == ghost);
                let Some(number) = number else { return Worth::Unknown };
                let slot = Slot::Ghost(u32::try_from(number).expect("few"));
                match heap.slot(slot) {
                    Some(Value::Object(object)) => return Worth::Object(object),
                    Some(_) => return Worth::Nothing,
                    // A deeper frame, which does not see it; at the start, `elem.f` of no object.
                    None => return Worth::Unknown,
                }
            }
        };
        match heap.slot(slot) {
            Some(Value::Object(object)) => Worth::Object(object),
            _ => Worth::Nothing,
        }
    }

    /// Whether what an object reaches has a shape.
    fn has_shape(
        &self,
        heap: &Traced,
        root: ObjectId,
        shape: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Tri, Limit> {
        let grammar = self.machine.grammar;
        let mut part = heap.clone();
        part.heap_mut().retain_slots(|_| false);
        part.heap_mut().set_externals(Vec::new());
        part.heap_mut().set_slot(ROOT, Value::Object(root));
        collect_garbage(grammar, &mut part);
        let whole = part.clone();
        abstracted(grammar, &mut part, 0, meter)?;
        let form = canonical(part.heap(), Externals::Ordered).heap;
        if self.shapes[shape].contains(&form) {
            return Ok(Tri::True);
        }
        if grammar.confluent && grammar.reaches_all {
            return Ok(Tri::False);
        }
        if !whole.heap().is_concrete() {
            return Ok(Tri::Unknown);
        }
        let mut found = false;
        let nothing = |heap: &Heap| vec![false; heap.len()];
        let done = all_folded(grammar, &whole, nothing, MOST_FOLDED, meter, |heap| {
            found |= self.shapes[shape].contains(heap);
            found
        })?;
        Ok(if found {
            Tri::True
        } else if done {
            Tri::False
        } else {
            Tri::Unknown
        })
    }
}

/// The value that all cases have, if they agree.
fn agreed(values: &[Tri]) -> Tri {
    match values.split_first() {
        Some((first, rest)) if rest.iter().all(|it| it == first) => *first,
        _ => Tri::Unknown,
    }
}
