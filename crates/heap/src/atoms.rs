//! Propositions about heaps.
//!
//! | atom | true when |
//! |---|---|
//! | `terminated` | the checked procedure has returned |
//! | `nullderef`, `thrown` | a null dereference, an exception has ended the run |
//! | `useafterfree` | a field of a freed object was asked for: that has ended the run |
//! | `doublefree` | an object was freed again: that has ended the run |
//! | `leak` | the last step has lost an object that was not freed: nothing leads to it any more |
//! | `freed(T)` | T is an object that was freed |
//! | `T == T`, `T != T` | the two terms are the same object, or both `null`; different ones |
//! | `shape(T, N)` | T is `null`, or what T reaches is in the language of N; with `N+` not `null` |
//! | `reach(T, T, f…)` | the second is reached from the first in zero or more steps by some fields |
//! | `whole(N)` | all objects that the program can come to, or was given, form a structure N |
//! | `in(m)` | procedure m runs: its frame is on top |
//!
//! Terms: `null`, `return` (after the end), a variable of the checked procedure while a frame of it
//! is on top (parameters also before it is called), `m.x` for other procedures, `x@start` (what a
//! parameter was at the beginning), `elem` (any object of the input), `elem@f` (where its field f
//! led at the beginning); each with fields behind it. If a term has no value (its frame is not on
//! top, a field of `null`), the atom is false. If `reach` names no fields, all count. Objects that
//! terms with `@` or `elem` refer to may lie outside of what a procedure can come to; then they
//! differ from all that it can.
//!
//! An atom is evaluated in all heaps that its fields are concretised to; if they do not agree, it
//! is unknown.

use crate::abstraction::{Kept, abstracted, collect_garbage, reachable};
use crate::canonical::Externals;
use crate::code::{Code, Method};
use crate::forms::{Forms, ROOT, form_of_unnamed, is_connected, unname};
use crate::grammar::Grammar;
use crate::graph::{Heap, ObjectId, SelectorId, Slot, Value, null};
use crate::machine::{At, Frame, HeapMachine};
use crate::regions::Regions;
use crate::step::End;
use crate::text::lexer::nearest;
use crate::traced::Traced;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use tern_ir::ProcId;
use tern_model::budget::{Limit, Meter};
use tern_model::{NodeId, Tri};

/// What a ghost remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ghost {
    /// What a parameter was.
    Start(u32),
    /// An object of the input that has a name, by its number.
    Named(u32),
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
    Ended(End),
    Leak,
    Freed(Term),
    In(ProcId),
    Compare(Term, Term, bool),
    Shape { term: Term, shape: usize, not_null: bool },
    Whole(usize),
    Reach(Term, Term, Vec<String>),
}

/// Propositions that are one word.
static WORDS: [(&str, Kind); 6] = [
    ("terminated", Kind::Terminated),
    ("nullderef", Kind::Ended(End::NullDereference)),
    ("thrown", Kind::Ended(End::Thrown)),
    ("useafterfree", Kind::Ended(End::UseAfterFree)),
    ("doublefree", Kind::Ended(End::DoubleFree)),
    ("leak", Kind::Leak),
];

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

    /// Whether it is about the heap as a whole.
    pub fn is_whole(&self) -> bool {
        matches!(self.kind, Kind::Whole(_))
    }

    /// Whether it is about objects that are lost.
    pub fn is_leak(&self) -> bool {
        self.kind == Kind::Leak
    }

    /// The fields by which it asks what is reached, if it does.
    pub fn follows(&self, grammar: &Grammar) -> Option<Vec<SelectorId>> {
        let Kind::Reach(_, _, fields) = &self.kind else { return None };
        let wanted = |name: &String| fields.is_empty() || fields.contains(name);
        let all = grammar.types.selectors.iter();
        Some(all.filter(|(_, it)| wanted(&it.name)).map(|(id, _)| id).collect())
    }

    /// The ghosts that it needs.
    pub fn ghosts(&self) -> Vec<Ghost> {
        let ghost = |term: &&Term| match &term.base {
            Base::Ghost(ghost) => Some(ghost.clone()),
            _ => None,
        };
        self.terms().iter().filter_map(ghost).collect()
    }

    /// The ghosts of which it asks for fields.
    pub fn reads(&self) -> Vec<Ghost> {
        let looks = matches!(self.kind, Kind::Shape { .. } | Kind::Reach(..));
        let ghost = |term: &&Term| match &term.base {
            Base::Ghost(ghost) if looks || !term.fields.is_empty() => Some(ghost.clone()),
            _ => None,
        };
        self.terms().iter().filter_map(ghost).collect()
    }

    fn terms(&self) -> Vec<&Term> {
        match &self.kind {
            Kind::Compare(left, right, _) | Kind::Reach(left, right, _) => vec![left, right],
            Kind::Shape { term, .. } | Kind::Freed(term) => vec![term],
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
        if let Some((_, kind)) = WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(kind.clone());
        }
        for (sign, equal) in [("==", true), ("!=", false)] {
            if let Some((left, right)) = text.split_once(sign) {
                return Ok(Kind::Compare(self.term(left)?, self.term(right)?, equal));
            }
        }
        let Some((name, inside)) = text.strip_suffix(')').and_then(|it| it.split_once('(')) else {
            let known = WORDS.iter().map(|(word, _)| *word);
            let help = nearest(text, known).map_or(String::new(), |it| format!("; {it}"));
            return Err(format!("`{text}` is no proposition about heaps{help}"));
        };
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        match (name.trim(), &parts[..]) {
            ("in", [method]) => Ok(Kind::In(self.procedure(method)?)),
            ("freed", [term]) => Ok(Kind::Freed(self.term(term)?)),
            ("whole", [shape]) => Ok(Kind::Whole(self.shape(shape)?)),
            ("shape", [term, shape]) => {
                let name = shape.strip_suffix('+').unwrap_or(shape).trim();
                let number = self.shape(name)?;
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
                let help = nearest(other, ["in", "shape", "reach", "freed", "whole"]);
                let help = help.map_or(String::new(), |it| format!("; {it}"));
                Err(format!("`{text}` is no proposition about heaps{help}"))
            }
        }
    }

    fn shape(&self, name: &str) -> Result<usize, String> {
        let number = self.grammar.shapes.iter().position(|it| it.name == name);
        number.ok_or_else(|| {
            let known = self.grammar.shapes.iter().map(|it| &*it.name);
            let help = nearest(name, known).map_or(String::new(), |it| format!("; {it}"));
            format!("there is no shape `{name}`{help}")
        })
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
        } else if let Some(name) = self.code.named.iter().position(|it| it == first) {
            Base::Ghost(Ghost::Named(u32::try_from(name).expect("few")))
        } else if let (Ok(procedure), false) = (self.procedure(first), rest.is_empty()) {
            let name = rest.remove(0);
            let found = self.variable(&self.code.methods[procedure], name);
            let found = found.ok_or_else(|| format!("`{first}` has no variable `{name}`"))?;
            Base::Variable(procedure, found)
        } else {
            if method.locals.iter().any(|it| it.name == first) {
                let name = &method.name;
                return Err(format!(
                    "`{first}` of `{name}` holds no object: propositions name only those"
                ));
            }
            let known = method.locals.iter().filter(|it| it.kind.is_some()).map(|it| &*it.name);
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
    /// An object outside of the heap of a frame.
    Elsewhere,
    Unknown,
}

/// A heap with what a term is worth in it.
type Case<'h> = (Cow<'h, Heap>, Worth);

/// Evaluates propositions at nodes of a machine.
pub struct Evaluation<'m, 'p> {
    machine: &'m HeapMachine<'p>,
    ghosts: &'m [Ghost],
    /// The normal forms of each shape that was asked for, with its root and without names.
    forms: Vec<[OnceCell<Forms>; 2]>,
    /// For heaps in which nothing has a name, whether they are of a shape as a whole. From line to
    /// line most often only variables change.
    whole: RefCell<FxHashMap<(usize, Heap), Tri>>,
    /// What is reached by the fields that propositions have named so far.
    regions: RefCell<BTreeMap<Vec<SelectorId>, Rc<Regions<'p>>>>,
}

impl<'m, 'p> Evaluation<'m, 'p> {
    /// Prepares to evaluate propositions. Ghosts are in slots of their numbers.
    pub fn new(machine: &'m HeapMachine<'p>, ghosts: &'m [Ghost]) -> Self {
        let forms = machine.grammar.shapes.iter().map(|_| Default::default()).collect();
        let (whole, regions) = (RefCell::default(), RefCell::default());
        Evaluation { machine, ghosts, forms, whole, regions }
    }

    /// The normal forms of a shape, with its root or without names.
    fn forms(&self, shape: usize, rooted: bool, meter: &mut Meter<'_>) -> Result<&Forms, Limit> {
        let known = &self.forms[shape][usize::from(rooted)];
        if let Some(known) = known.get() {
            return Ok(known);
        }
        let forms = Forms::new(self.machine.grammar, shape, rooted, meter)?;
        Ok(known.get_or_init(|| forms))
    }

    /// Whether a proposition is true at a node.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn at(&self, node: NodeId, atom: &Atom, meter: &mut Meter<'_>) -> Result<Tri, Limit> {
        let state = self.machine.state(node);
        if matches!(state.at, At::Ended(End::Hole, _)) {
            return Ok(Tri::Unknown);
        }
        let heap = || self.machine.seen(node);
        Ok(match &atom.kind {
            Kind::Terminated => (state.at == At::End).into(),
            Kind::Ended(end) => matches!(state.at, At::Ended(it, _) if it == *end).into(),
            Kind::Leak if self.machine.grammar.reaches_all => state.lost.into(),
            // Something may be lost inside what counts as reached.
            Kind::Leak if state.lost => Tri::True,
            Kind::Leak => Tri::Unknown,
            Kind::Freed(term) => {
                let freed = self.machine.code.freed;
                let heap = heap();
                let cases = self.cases(node, &heap, term);
                let values = cases.iter().map(|(case, worth)| match worth {
                    Worth::Nothing => Tri::False,
                    Worth::Unknown | Worth::Elsewhere => Tri::Unknown,
                    Worth::Object(object) => {
                        (freed.is_some() && case.kind(*object) == freed).into()
                    }
                });
                agreed(&values.collect::<Vec<_>>())
            }
            Kind::In(procedure) => {
                (self.machine.frame(node) == Frame::Procedure(*procedure)).into()
            }
            Kind::Compare(left, right, equal) => {
                self.pairs(node, &heap(), left, right, (!equal).into(), |_, a, b| {
                    ((a == b) == *equal).into()
                })
            }
            Kind::Reach(from, to, _) => {
                let selectors = atom.follows(self.machine.grammar).unwrap_or_default();
                let made = || Rc::new(Regions::new(self.machine.grammar, selectors.clone()));
                let mut known = self.regions.borrow_mut();
                let regions = Rc::clone(known.entry(selectors.clone()).or_insert_with(made));
                self.pairs(node, &heap(), from, to, Tri::Unknown, |case, a, b| {
                    match regions.reaches(case, a, b) {
                        Tri::False if self.machine.is_partial(case) => Tri::Unknown,
                        other => other,
                    }
                })
            }
            Kind::Whole(shape) => match self.machine.all_of(node) {
                Some(all) if !self.remembers_fields() => self.is_whole(&all, *shape, meter)?,
                _ => Tri::Unknown,
            },
            Kind::Shape { term, shape, not_null } => {
                let mut values = Vec::new();
                for (case, worth) in self.cases(node, &heap(), term) {
                    values.push(match worth {
                        Worth::Nothing => Tri::False,
                        Worth::Unknown | Worth::Elsewhere => Tri::Unknown,
                        Worth::Object(object) if object == null() => (!not_null).into(),
                        Worth::Object(object) => self.has_shape(&case, object, *shape, meter)?,
                    });
                }
                agreed(&values)
            }
        })
    }

    /// Whether objects are remembered that nothing else may lead to any more: what fields of `elem`
    /// were.
    fn remembers_fields(&self) -> bool {
        self.ghosts.iter().any(|it| matches!(it, Ghost::ElementField(_)))
    }

    /// Whether all objects of a heap form one structure of a shape.
    fn is_whole(&self, heap: &Heap, shape: usize, meter: &mut Meter<'_>) -> Result<Tri, Limit> {
        let grammar = self.machine.grammar;
        if grammar.tells_shapes(meter)? {
            // A heap has one normal form, and so do all that it stands for.
            let mut heap = heap.clone();
            unname(&mut heap);
            let unnamed = (shape, form_of_unnamed(&heap));
            if let Some(&known) = self.whole.borrow().get(&unnamed) {
                return Ok(known);
            }
            let heap = Traced::from(heap);
            let mut folded = heap.clone();
            abstracted(grammar, &mut folded, Kept::within(0), meter)?;
            let forms = self.forms(shape, false, meter)?;
            let found = match forms.says(&folded.canonical(Externals::Ordered).0) {
                None => Tri::False,
                Some(Tri::Unknown) if heap.heap().is_concrete() => {
                    forms.decide(grammar, &heap, meter)?
                }
                Some(known) => known,
            };
            self.whole.borrow_mut().insert(unnamed, found);
            return Ok(found);
        }
        let mut found = Tri::False;
        for root in heap.objects().skip(1) {
            let all = reachable(grammar, heap, [root]);
            if all.contains(&false) {
                continue;
            }
            match self.has_shape(heap, root, shape, meter)? {
                // Something may be lost inside what counts as reached.
                Tri::True if grammar.reaches_all || heap.is_concrete() => {
                    return Ok(Tri::True);
                }
                Tri::True | Tri::Unknown => found = Tri::Unknown,
                Tri::False => {}
            }
        }
        // A root may lie inside a hyperedge, unless there are parts without connection.
        let is_clear = heap.is_concrete() || !is_connected(heap);
        Ok(if is_clear { found } else { Tri::Unknown })
    }

    /// A proposition about two terms. `apart` is what it is worth if one of the two lies outside of
    /// the heap and the other does not.
    fn pairs(
        &self,
        node: NodeId,
        heap: &Heap,
        left: &Term,
        right: &Term,
        apart: Tri,
        holds: impl Fn(&Heap, ObjectId, ObjectId) -> Tri,
    ) -> Tri {
        let mut values = Vec::new();
        for (case, left) in self.cases(node, heap, left) {
            for (case, right) in self.cases(node, &case, right) {
                values.push(match (left, right) {
                    (Worth::Nothing, _) | (_, Worth::Nothing) => Tri::False,
                    (Worth::Unknown, _) | (_, Worth::Unknown) => Tri::Unknown,
                    (Worth::Elsewhere, Worth::Elsewhere) => Tri::Unknown,
                    (Worth::Elsewhere, _) | (_, Worth::Elsewhere) => apart,
                    (Worth::Object(a), Worth::Object(b)) => holds(&case, a, b),
                });
            }
        }
        agreed(&values)
    }

    /// All heaps in which the fields of a term are there, with what it is worth.
    fn cases<'h>(&self, node: NodeId, heap: &'h Heap, term: &Term) -> Vec<Case<'h>> {
        let base = self.base(node, heap, &term.base);
        let mut cases = vec![(Cow::Borrowed(heap), base)];
        for field in &term.fields {
            let mut next = Vec::new();
            for (case, worth) in cases {
                let Worth::Object(object) = worth else {
                    let worth = match worth {
                        Worth::Elsewhere => Worth::Unknown,
                        other => other,
                    };
                    next.push((case, worth));
                    continue;
                };
                let selector = case
                    .kind(object)
                    .and_then(|kind| self.machine.grammar.types.selector(kind, field));
                let Some(selector) = selector else {
                    next.push((case, Worth::Nothing));
                    continue;
                };
                // A callee may have been given an object without a field that it does not read.
                if let Some(target) = case.field(object, selector) {
                    next.push((case, Worth::Object(target)));
                    continue;
                }
                let Some(found) = self.machine.grammar.cases(&case, object, selector) else {
                    next.push((case, Worth::Unknown));
                    continue;
                };
                for case in found {
                    let target = case.field(object, selector).expect("it is there now");
                    next.push((Cow::Owned(case), Worth::Object(target)));
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
                    None => {
                        // Ghosts are known in every frame whose heap has their object.
                        let is_deep = matches!(frame, Frame::Procedure(_));
                        let is_there = !matches!(ghost, Ghost::ElementField(_));
                        return match is_deep && is_there {
                            true => Worth::Elsewhere,
                            false => Worth::Unknown,
                        };
                    }
                }
            }
        };
        match heap.slot(slot) {
            Some(Value::Object(object)) => Worth::Object(object),
            Some(Value::Any) => Worth::Unknown,
            _ => Worth::Nothing,
        }
    }

    /// Whether what an object reaches has a shape.
    fn has_shape(
        &self,
        heap: &Heap,
        root: ObjectId,
        shape: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Tri, Limit> {
        let grammar = self.machine.grammar;
        let mut part = heap.clone();
        unname(&mut part);
        let mut part = Traced::from(part);
        part.heap_mut().set_slot(ROOT, Value::Object(root));
        collect_garbage(grammar, &mut part);
        if self.machine.is_partial(part.heap()) {
            return Ok(Tri::Unknown);
        }
        let whole = part.clone();
        abstracted(grammar, &mut part, Kept::within(0), meter)?;
        let form = part.canonical(Externals::Ordered).0;
        let forms = self.forms(shape, true, meter)?;
        match forms.says(&form) {
            Some(Tri::True) => Ok(Tri::True),
            None if grammar.tells_shapes(meter)? => Ok(Tri::False),
            _ if whole.heap().is_concrete() => forms.decide(grammar, &whole, meter),
            _ => Ok(Tri::Unknown),
        }
    }
}

/// The value that all cases have, if they agree.
fn agreed(values: &[Tri]) -> Tri {
    match values.split_first() {
        Some((first, rest)) if rest.iter().all(|it| it == first) => *first,
        _ => Tri::Unknown,
    }
}
