//! Propositions at the nodes of a proof: true, false, or not known.
//!
//! Fields of terms are looked at in all heaps in which they are there; if these do not agree, it is
//! not known. That something has a shape is known if a proof covers it by a graph of the shape;
//! that it has not is never known. What is reached from objects below the frame on top is known if
//! the proof says what lies around its heap; claims about all of the heap need that, too.

use super::super::atoms::{Base, Kind, Proposition, Term};
use super::super::interpret::Mode;
use super::super::{NoRun, Task};
use super::grammar::Grammar;
use super::graph::{AbstractHeap, Cover, Held, Slot, Strictness, Tracked};
use super::inputs::Remembered;
use super::reach::Reach;
use super::step::Place;
use tern_ir::ProcId;
use tern_model::Tri;

/// A node at which propositions are looked at.
pub struct Spot<'a> {
    /// The program.
    pub task: &'a Task<'a>,
    /// The grammar.
    pub grammar: &'a Grammar<'a>,
    /// What claims remember, in order.
    pub ghosts: &'a [Remembered],
    /// What is reached by fields that claims name.
    pub reaches: &'a [Reach],
    /// The procedure; nothing before and after the checked one.
    pub procedure: Option<ProcId>,
    /// Where it is.
    pub place: Place,
    /// The heap.
    pub heap: &'a AbstractHeap,
    /// Whether the step that led there may have lost objects that were not freed.
    pub loses: bool,
    /// What lies around the heap, if that is known.
    pub view: Option<&'a AbstractHeap>,
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
        let heap = self.seen()?;
        Ok(match &proposition.0 {
            Kind::Terminated => (self.place == Place::End).into(),
            Kind::Mode(Mode::NullDereference) => (self.place == Place::NullDereference).into(),
            Kind::Mode(Mode::Thrown) => (self.place == Place::Thrown).into(),
            Kind::Mode(Mode::UseAfterFree) => (self.place == Place::UseAfterFree).into(),
            Kind::Mode(Mode::DoubleFree) => (self.place == Place::DoubleFree).into(),
            Kind::Mode(_) => Tri::Unknown,
            Kind::Freed(term) => {
                let truth = |(case, worth): &(Tracked, Worth)| match worth {
                    Worth::Nothing => Tri::False,
                    Worth::Object(object) => case.heap.is_freed(*object).into(),
                    Worth::Elsewhere | Worth::Unknown => Tri::Unknown,
                };
                agreed(&self.cases(heap, term)?.iter().map(truth).collect::<Vec<_>>())
            }
            // What is inside hyperedges is not lost if all of it is reached.
            Kind::Leak if self.grammar.reaches_all && !self.loses => Tri::False,
            Kind::In(procedure) => (self.procedure == Some(*procedure)).into(),
            Kind::Same(left, right) => {
                self.pairs(&heap, left, right, Tri::False, |_, a, b| (a == b).into())?
            }
            Kind::Different(left, right) => {
                self.pairs(&heap, left, right, Tri::True, |_, a, b| (a != b).into())?
            }
            Kind::Reach(from, to, fields) => {
                let Some(reach) = self.reaches.iter().find(|it| it.fields == *fields) else {
                    return Ok(Tri::Unknown);
                };
                // Externals may lead on where it is not seen.
                let leads_out = |case: &AbstractHeap, from: usize| {
                    let entered = reach.entered(&case.graph, &[from]);
                    self.grammar.narrow && case.graph.externals.iter().any(|it| entered[*it])
                };
                self.pairs(&heap, from, to, Tri::Unknown, |case, a, b| {
                    match reach.truth(case, a, b) {
                        Tri::False if leads_out(case, a) => Tri::Unknown,
                        truth => truth,
                    }
                })?
            }
            Kind::Shape(term, shape, not_null) => {
                let mut covers = covers.iter();
                let mut values = Vec::new();
                for (case, worth) in self.cases(heap, term)? {
                    values.push(match worth {
                        Worth::Nothing => Tri::False,
                        Worth::Object(0) => (!not_null).into(),
                        Worth::Object(object) => match covers.next() {
                            Some(cover) => self.has_shape(&case, Some(object), shape, cover)?,
                            None => Tri::Unknown,
                        },
                        Worth::Elsewhere | Worth::Unknown => Tri::Unknown,
                    });
                }
                agreed(&values)
            }
            Kind::Whole(shape) => match (self.all()?, covers) {
                (Some(all), _) if all.heap.is_empty() => Tri::False,
                (Some(all), [cover]) => self.has_shape(&all, None, shape, cover)?,
                _ => Tri::Unknown,
            },
            Kind::Leak => Tri::Unknown,
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
        if let Kind::Whole(shape) = &proposition.0 {
            all.extend(self.all()?.map(|it| (it, shape.as_str())));
        }
        if let Kind::Shape(term, shape, _) = &proposition.0 {
            for (case, worth) in self.cases(self.seen()?, term)? {
                if let Worth::Object(object) = worth
                    && object != 0
                {
                    all.push((rooted(&case, object), shape.as_str()));
                }
            }
        }
        Ok(all)
    }

    /// Whether what an object reaches has a shape, or all of the heap, if no object is named.
    fn has_shape(
        &self,
        case: &Tracked,
        object: Option<usize>,
        shape: &str,
        cover: &Cover,
    ) -> Result<Tri, NoRun> {
        let Some(graph) = self.grammar.shape(shape).get(cover.to) else { return Ok(Tri::Unknown) };
        let [root] = graph.externals[..] else { return Ok(Tri::Unknown) };
        let image = cover.map.get(root.wrapping_sub(1)).copied();
        // What the object reaches must be all of the structure.
        let (Some(at), true) =
            (object.or(image), self.grammar.reaches_all && self.grammar.reaches_whole(graph, root))
        else {
            return Ok(Tri::Unknown);
        };
        let strictness = object.map_or(Strictness::Whole, |_| Strictness::Reached);
        let target = AbstractHeap { graph: graph.clone(), ..Default::default() };
        rooted(case, at).covered(self.grammar, &target, cover, strictness, |_| true)?;
        Ok(Tri::True)
    }

    /// The heap, with what lies around it if what is remembered of that is known. Fields of objects
    /// there do not change while the frame runs.
    fn seen(&self) -> Result<Tracked, NoRun> {
        let mut heap = Tracked::new(self.heap);
        if let Some(view) = self.view.filter(|it| !it.slots.is_empty()) {
            heap.surround(view)?;
        }
        Ok(heap)
    }

    /// All objects that something leads to, if these are known: those of the heap, and what lies
    /// around it. What a field of the element led to at first does not count.
    fn all(&self) -> Result<Option<Tracked>, NoRun> {
        let counts = |it: &Remembered| !matches!(it, Remembered::ElementField(_));
        let Some(view) = self.view.filter(|_| self.ghosts.iter().all(counts)) else {
            return Ok(None);
        };
        let graph = &self.heap.graph;
        let reached = self.grammar.reached(graph, self.heap.roots());
        let edges = self.grammar.led(graph, &reached);
        let (mut all, numbers) = Tracked::new(self.heap).restricted(&reached, &reached, &edges);
        let at: Vec<usize> = graph.externals.iter().filter_map(|it| numbers[*it]).collect();
        all.glue(view, &at)?;
        Ok(Some(all))
    }

    /// What is true of two terms: of two objects of the heap, and `apart` of one that is there and
    /// one that is not.
    fn pairs(
        &self,
        heap: &Tracked,
        left: &Term,
        right: &Term,
        apart: Tri,
        truth: impl Fn(&AbstractHeap, usize, usize) -> Tri,
    ) -> Result<Tri, NoRun> {
        let mut values = Vec::new();
        for (case, left) in self.cases(heap.clone(), left)? {
            for (case, right) in self.cases(case, right)? {
                values.push(match (left, right) {
                    (Worth::Nothing, _) | (_, Worth::Nothing) => Tri::False,
                    (Worth::Object(a), Worth::Object(b)) => truth(&case.heap, a, b),
                    (Worth::Elsewhere, Worth::Object(_)) | (Worth::Object(_), Worth::Elsewhere) => {
                        apart
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
                    Worth::Object(object) => object,
                    Worth::Nothing => {
                        next.push((case, Worth::Nothing));
                        continue;
                    }
                    Worth::Elsewhere | Worth::Unknown => {
                        next.push((case, Worth::Unknown));
                        continue;
                    }
                };
                // `null` has no type.
                let kind = case.heap.kind(object).and_then(|kind| self.task.types.get(kind));
                if !kind.is_some_and(|fields| fields.contains(field)) {
                    next.push((case, Worth::Nothing));
                    continue;
                }
                if self.grammar.lacks(&case.heap.graph, object, field) {
                    next.push((case, Worth::Unknown));
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
            Base::Start(_) | Base::Element | Base::ElementField(_) => {
                let remembered = Remembered::of(base);
                let number = self.ghosts.iter().position(|it| Some(it) == remembered.as_ref());
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
