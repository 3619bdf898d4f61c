//! Propositions at the nodes of a proof: true, false, or not known.
//!
//! Fields of terms are looked at in all heaps in which they are there; if these do not agree, it is
//! not known. That something has a shape is known if a proof covers it by a graph of the shape;
//! that it has not is never known. What is reached, and what is below the frame on top, is not
//! known.

use super::super::atoms::{Base, Kind, Proposition, Term};
use super::super::interpret::Mode;
use super::super::{NoRun, Task};
use super::grammar::Grammar;
use super::graph::{AbstractHeap, Cover, Held, Slot, Strictness, Tracked};
use super::step::Place;
use tern_ir::ProcId;
use tern_model::Tri;

/// A node at which propositions are looked at.
pub struct Spot<'a> {
    /// The program.
    pub task: &'a Task<'a>,
    /// The grammar.
    pub grammar: &'a Grammar<'a>,
    /// The parameters that claims remember, in order.
    pub ghosts: &'a [usize],
    /// The procedure; nothing before and after the checked one.
    pub procedure: Option<ProcId>,
    /// Where it is.
    pub place: Place,
    /// The heap.
    pub heap: &'a AbstractHeap,
}

/// What a term is worth; `null` is object 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Nothing,
    Object(usize),
    /// An object that is not in the heap.
    Elsewhere,
    Unknown,
}

impl Spot<'_> {
    /// Whether a proposition is true. `covers` show that things have a shape, one for each case.
    ///
    /// # Errors
    /// Why a field cannot be looked at.
    pub fn truth(&self, proposition: &Proposition, covers: &[Cover]) -> Result<Tri, NoRun> {
        let heap = Tracked::new(self.heap);
        Ok(match &proposition.0 {
            Kind::Terminated => (self.place == Place::End).into(),
            Kind::Mode(Mode::NullDereference) => (self.place == Place::NullDereference).into(),
            Kind::Mode(Mode::Thrown) => (self.place == Place::Thrown).into(),
            // Nothing is freed in programs that are proved something of.
            Kind::Mode(_) | Kind::Freed(_) => Tri::False,
            Kind::In(procedure) => (self.procedure == Some(*procedure)).into(),
            Kind::Same(left, right) => self.pairs(&heap, left, right, true)?,
            Kind::Different(left, right) => self.pairs(&heap, left, right, false)?,
            Kind::Shape(term, shape, not_null) => {
                let mut covers = covers.iter();
                let mut values = Vec::new();
                for (case, worth) in self.cases(heap, term)? {
                    values.push(match worth {
                        Worth::Nothing => Tri::False,
                        Worth::Object(0) => (!not_null).into(),
                        Worth::Object(object) => match covers.next() {
                            Some(cover) if self.has_shape(&case, object, shape, cover)? => {
                                Tri::True
                            }
                            _ => Tri::Unknown,
                        },
                        Worth::Elsewhere | Worth::Unknown => Tri::Unknown,
                    });
                }
                agreed(&values)
            }
            Kind::Leak | Kind::Whole(_) | Kind::Reach(..) => Tri::Unknown,
        })
    }

    /// The heaps in which an object is known whose shape is to be shown, in order, with the shape.
    ///
    /// # Errors
    /// Why a field cannot be looked at.
    pub fn shaped<'n>(
        &self,
        proposition: &'n Proposition,
    ) -> Result<Vec<(Tracked, &'n str)>, NoRun> {
        let mut all = Vec::new();
        if let Kind::Shape(term, shape, _) = &proposition.0 {
            for (case, worth) in self.cases(Tracked::new(self.heap), term)? {
                if let Worth::Object(object) = worth
                    && object != 0
                {
                    all.push((rooted(&case, object), shape.as_str()));
                }
            }
        }
        Ok(all)
    }

    fn has_shape(
        &self,
        case: &Tracked,
        object: usize,
        shape: &str,
        cover: &Cover,
    ) -> Result<bool, NoRun> {
        let Some(graph) = self.grammar.shape(shape).get(cover.to) else { return Ok(false) };
        let [root] = graph.externals[..] else { return Ok(false) };
        // What the object reaches must be all of the structure.
        if !self.grammar.reaches_all || !self.grammar.reaches_whole(graph, root) {
            return Ok(false);
        }
        let target = AbstractHeap { graph: graph.clone(), ..Default::default() };
        let case = rooted(case, object);
        case.covered(self.grammar, &target, cover, Strictness::Reached, |_| true)?;
        Ok(true)
    }

    fn pairs(&self, heap: &Tracked, left: &Term, right: &Term, equal: bool) -> Result<Tri, NoRun> {
        let mut values = Vec::new();
        for (case, left) in self.cases(heap.clone(), left)? {
            for (_, right) in self.cases(case, right)? {
                values.push(match (left, right) {
                    (Worth::Nothing, _) | (_, Worth::Nothing) => Tri::False,
                    (Worth::Object(a), Worth::Object(b)) => ((a == b) == equal).into(),
                    (Worth::Elsewhere, Worth::Object(_)) | (Worth::Object(_), Worth::Elsewhere) => {
                        (!equal).into()
                    }
                    _ => Tri::Unknown,
                });
            }
        }
        Ok(agreed(&values))
    }

    fn cases(&self, heap: Tracked, term: &Term) -> Result<Vec<(Tracked, Worth)>, NoRun> {
        let base = self.base(&heap.heap, &term.base);
        let mut cases = vec![(heap, base)];
        for field in &term.fields {
            let mut next = Vec::new();
            for (case, worth) in cases {
                let object = match worth {
                    Worth::Object(object) if object != 0 => object,
                    Worth::Object(_) | Worth::Nothing => {
                        next.push((case, Worth::Nothing));
                        continue;
                    }
                    Worth::Elsewhere | Worth::Unknown => {
                        next.push((case, Worth::Unknown));
                        continue;
                    }
                };
                let kind = case.heap.kind(object).and_then(|kind| self.task.types.get(kind));
                if !kind.is_some_and(|fields| fields.contains(field)) {
                    next.push((case, Worth::Nothing));
                    continue;
                }
                for case in self.grammar.concretised(&case, object, field)? {
                    let target = case.heap.field(object, field);
                    next.push((case, target.map_or(Worth::Unknown, Worth::Object)));
                }
            }
            cases = next;
        }
        Ok(cases)
    }

    fn base(&self, heap: &AbstractHeap, base: &Base) -> Worth {
        let slot = match base {
            Base::Null => return Worth::Object(0),
            Base::Return if self.place == Place::End => Slot::Return,
            Base::Return => return Worth::Nothing,
            Base::Variable(procedure, number) => {
                let begins = self.place == Place::Begin && *procedure == self.task.checked;
                if self.procedure != Some(*procedure) && !begins {
                    return Worth::Nothing;
                }
                Slot::Variable(*number)
            }
            Base::Start(parameter) => {
                let number = self.ghosts.iter().position(|it| it == parameter);
                let Some(number) = number else { return Worth::Unknown };
                return match heap.slots.get(&Slot::Ghost(number)) {
                    Some(Held::Object(object)) => Worth::Object(*object),
                    Some(Held::Integer(_)) => Worth::Nothing,
                    Some(Held::Any) => Worth::Unknown,
                    // It is in the heap of every frame that can come to its object.
                    None if self.procedure.is_some() => Worth::Elsewhere,
                    None => Worth::Unknown,
                };
            }
            Base::Element | Base::ElementField(_) => return Worth::Unknown,
        };
        match heap.slots.get(&slot) {
            Some(Held::Object(object)) => Worth::Object(*object),
            Some(Held::Any) => Worth::Unknown,
            // Variables that claims name are never left out, so it has no value yet.
            Some(Held::Integer(_)) | None => Worth::Nothing,
        }
    }
}

/// A heap in which one object is known, and nothing else is.
pub(super) fn rooted(heap: &Tracked, object: usize) -> Tracked {
    let mut heap = heap.clone();
    heap.heap.slots.clear();
    heap.heap.graph.externals = vec![object];
    heap
}

/// The value that all cases have, if they agree.
fn agreed(values: &[Tri]) -> Tri {
    match values.split_first() {
        Some((first, rest)) if rest.iter().all(|it| it == first) => *first,
        _ => Tri::Unknown,
    }
}
