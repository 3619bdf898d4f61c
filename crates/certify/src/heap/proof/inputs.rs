//! What a procedure may be given, as heaps with hyperedges, and any object of that.
//!
//! Claims speak of any object of the input, and a parameter may be any object of another one's
//! structure. Such an object is *marked*: a slot holds it. It is an object of the heap, or lies
//! inside one of its hyperedges. In that case look at what lies *around* the hyperedge: the heap
//! without it, external what it was attached to. The hyperedge is replaced by one of its rules; the
//! object is one of those of the rule, or inside a hyperedge of the rule. A proof has finitely many
//! such surroundings, and finitely many marked heaps, and says for each case which of them covers
//! it. By induction over derivations every object of every input is marked in one of these heaps.

use super::super::atoms::Base;
use super::super::shapes::Graph;
use super::super::{Given, NoRun, refused};
use super::Prover;
use super::grammar::Grammar;
use super::graph::{AbstractHeap, Cover, Held, Slot, Strictness, Tracked};
use tern_model::budget::Meter;

/// What claims remember of the input. Those of the element come last, its fields behind it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remembered {
    /// What a parameter was, or what has a name.
    Start(usize),
    /// Any object.
    Element,
    /// Where a field of that led.
    ElementField(String),
}

impl Remembered {
    /// What is remembered for a term, if anything is.
    pub(super) fn of(base: &Base) -> Option<Self> {
        match base {
            Base::Start(parameter) => Some(Remembered::Start(*parameter)),
            Base::Element => Some(Remembered::Element),
            Base::ElementField(name) => Some(Remembered::ElementField(name.clone())),
            Base::Null | Base::Return | Base::Variable(..) => None,
        }
    }
}

/// Why every object of some heaps is marked in one of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// The heaps with a mark.
    pub marked: Vec<AbstractHeap>,
    /// What lies around hyperedges, each with the nonterminal of that.
    pub around: Vec<(String, AbstractHeap)>,
    /// For each case, in order, which of these covers it.
    pub covers: Vec<Cover>,
}

/// A case: where an object may be.
#[derive(Debug)]
pub enum Case {
    /// It is marked in a heap.
    Marked(Tracked),
    /// It lies inside what a nonterminal derives; the heap is what lies around that.
    Inside(String, Tracked),
}

/// The cases of an object of a heap.
pub fn cases_of(heap: &AbstractHeap, slot: Slot) -> Vec<Case> {
    cases(heap, (1, 0), slot)
}

/// The cases of an object inside what a nonterminal derives, with what lies around that.
///
/// # Errors
/// Why the two do not fit.
pub fn cases_inside(
    grammar: &Grammar<'_>,
    label: &str,
    around: &AbstractHeap,
    slot: Slot,
) -> Result<Vec<Case>, NoRun> {
    let first = (around.len(), around.graph.edges.len());
    let mut all = Vec::new();
    for number in 0.. {
        let Some(rule) = grammar.rule(label, number) else { break };
        let mut heap = Tracked::new(&closed(label, around));
        heap.replace(first.1, rule)?;
        all.extend(cases(&heap.heap, first, slot));
    }
    Ok(all)
}

/// The cases of an object from one number on, or inside a hyperedge from one number on.
fn cases(heap: &AbstractHeap, (objects, edges): (usize, usize), slot: Slot) -> Vec<Case> {
    let marked = (objects..heap.len()).map(|object| {
        let mut heap = heap.clone();
        heap.slots.insert(slot, Held::Object(object));
        Case::Marked(Tracked::new(&heap))
    });
    let inside = (edges..heap.graph.edges.len()).map(|edge| {
        let mut heap = heap.clone();
        let (label, at) = heap.graph.edges.remove(edge);
        heap.graph.externals = at;
        Case::Inside(label, Tracked::new(&heap))
    });
    marked.chain(inside).collect()
}

/// What lies around a hyperedge, with the hyperedge.
fn closed(label: &str, around: &AbstractHeap) -> AbstractHeap {
    let mut heap = around.clone();
    let at = std::mem::take(&mut heap.graph.externals);
    heap.graph.edges.push((label.to_owned(), at));
    heap
}

impl Marking {
    /// Checks that every object of some heaps is marked.
    pub(super) fn check(
        &self,
        grammar: &Grammar<'_>,
        heaps: &[AbstractHeap],
        slot: Slot,
        meter: &mut Meter<'_>,
    ) -> Result<(), NoRun> {
        self.marked.iter().try_for_each(|it| grammar.check_held(it))?;
        for (label, around) in &self.around {
            grammar.check_held(&closed(label, around))?;
        }
        let mut covers = self.covers.iter();
        let mut covered = |case: Case| {
            meter.tick()?;
            let Some(cover) = covers.next() else {
                return refused("it is not said where an object is");
            };
            let (heap, target) = match case {
                Case::Marked(heap) => (heap, self.marked.get(cover.to)),
                Case::Inside(label, heap) => {
                    let around = self.around.get(cover.to).filter(|it| it.0 == label);
                    (heap, around.map(|it| &it.1))
                }
            };
            let Some(target) = target else { return refused("an object is elsewhere") };
            heap.covered(grammar, target, cover, Strictness::Whole, |_| true)?;
            Ok(())
        };
        heaps.iter().flat_map(|it| cases_of(it, slot)).try_for_each(&mut covered)?;
        for (label, around) in &self.around {
            let cases = cases_inside(grammar, label, around, slot)?;
            cases.into_iter().try_for_each(&mut covered)?;
        }
        match covers.next() {
            Some(_) => refused("there is no such object"),
            None => Ok(()),
        }
    }
}

impl Prover<'_> {
    /// All kinds of inputs, in order. `mark` is asked for heaps in which a slot holds any object of
    /// other heaps.
    ///
    /// # Errors
    /// If inputs are asked for that are not followed.
    pub fn inputs(
        &self,
        mut mark: impl FnMut(&[AbstractHeap], Slot) -> Result<Vec<AbstractHeap>, NoRun>,
    ) -> Result<Vec<AbstractHeap>, NoRun> {
        let given = &self.task.given;
        let mut all = match &self.task.heaps {
            Some(heaps) => heaps.clone(),
            None => self.beginnings(&mut mark)?,
        };
        all.iter().try_for_each(|heap| self.grammar.check_held(heap))?;
        for (number, remembered) in self.ghosts.iter().enumerate() {
            let slot = Slot::Ghost(number);
            match remembered {
                Remembered::Start(parameter) => {
                    for heap in &mut all {
                        let held = heap.slots.get(&Slot::Variable(*parameter)).copied();
                        heap.slots.insert(slot, held.unwrap_or(Held::Any));
                    }
                }
                Remembered::Element => all = mark(&all, slot)?,
                Remembered::ElementField(name) => all = self.with_field(&all, slot, name)?,
            }
        }
        let is_name = |slot: &Slot| matches!(slot, Slot::Variable(it) if *it >= given.len());
        all.iter_mut().for_each(|heap| heap.slots.retain(|slot, _| !is_name(slot)));
        Ok(all)
    }

    /// The heaps of all parameters.
    fn beginnings(
        &self,
        mark: &mut impl FnMut(&[AbstractHeap], Slot) -> Result<Vec<AbstractHeap>, NoRun>,
    ) -> Result<Vec<AbstractHeap>, NoRun> {
        let given = &self.task.given;
        let mut all = vec![AbstractHeap::default()];
        for (number, it) in given.iter().enumerate() {
            if matches!(it, Given::In(_)) {
                continue;
            }
            let mut some = self.structures(it, number)?;
            let inside = given.iter().enumerate().filter(|it| *it.1 == Given::In(number));
            for (inner, _) in inside {
                some = mark(&some, Slot::Variable(inner))?;
            }
            all = all.iter().flat_map(|heap| some.iter().map(|it| beside(heap, it))).collect();
        }
        Ok(all)
    }

    /// The heaps of one parameter alone.
    fn structures(&self, given: &Given, number: usize) -> Result<Vec<AbstractHeap>, NoRun> {
        let with = |graph: Graph, held: Held| AbstractHeap {
            graph,
            slots: [(Slot::Variable(number), held)].into(),
        };
        let alone = |held: Held| with(Graph::default(), held);
        Ok(match given {
            Given::Null => vec![alone(Held::Object(0))],
            Given::Integer(number) => vec![alone(Held::Integer(*number))],
            Given::Any => vec![alone(Held::Any)],
            Given::In(_) => Vec::new(),
            Given::Shape(name, nullable) => {
                let mut all: Vec<AbstractHeap> =
                    nullable.then(|| alone(Held::Object(0))).into_iter().collect();
                for graph in self.grammar.shape(name) {
                    let [root] = graph.externals[..] else {
                        return refused("a shape has not one root");
                    };
                    let graph = Graph { externals: Vec::new(), ..graph.clone() };
                    all.push(with(graph, Held::Object(root)));
                }
                all
            }
        })
    }

    /// The heaps in which a field of the element is there, with its target in a slot.
    fn with_field(
        &self,
        heaps: &[AbstractHeap],
        slot: Slot,
        name: &str,
    ) -> Result<Vec<AbstractHeap>, NoRun> {
        let element = self.ghosts.iter().position(|it| *it == Remembered::Element);
        let mut all = Vec::new();
        for heap in heaps {
            let held = element.and_then(|it| heap.slots.get(&Slot::Ghost(it)));
            let Some(Held::Object(object)) = held else { return refused("no element is marked") };
            let fields = heap.kind(*object).and_then(|kind| self.task.types.get(kind));
            if fields.is_some_and(|it| !it.iter().any(|it| it == name)) {
                let slots = heap.slots.clone().into_iter().chain([(slot, Held::Any)]).collect();
                all.push(AbstractHeap { slots, ..heap.clone() });
                continue;
            }
            for mut case in self.grammar.concretised(&Tracked::new(heap), *object, name)? {
                let Some(target) = case.heap.field(*object, name) else {
                    return refused("an object has no such field");
                };
                case.heap.slots.insert(slot, Held::Object(target));
                all.push(case.heap);
            }
        }
        Ok(all)
    }
}

/// Two heaps side by side; only `null` is common.
fn beside(heap: &AbstractHeap, other: &AbstractHeap) -> AbstractHeap {
    let (mut all, shift) = (heap.clone(), heap.graph.kinds.len());
    let moved = |object: usize| if object == 0 { 0 } else { object + shift };
    let graph = &other.graph;
    all.graph.kinds.extend(graph.kinds.iter().cloned());
    let fields = graph.fields.iter();
    let fields = fields.map(|(from, name, to)| (moved(*from), name.clone(), moved(*to)));
    all.graph.fields.extend(fields);
    let edges = graph.edges.iter();
    let edges = edges.map(|(label, at)| (label.clone(), at.iter().map(|it| moved(*it)).collect()));
    all.graph.edges.extend(edges);
    for (slot, held) in &other.slots {
        let held = match held {
            Held::Object(object) => Held::Object(moved(*object)),
            other => *other,
        };
        all.slots.insert(*slot, held);
    }
    all
}
