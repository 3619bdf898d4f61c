//! Whether a concrete heap is of a shape: it is taken apart along the rules of a grammar.
//!
//! A shape is a list of graphs with a root. The part of the heap that the root reaches is of the
//! shape if one of the graphs can be laid on it so that each object that is no root or tentacle is
//! laid on another object, each field on the field of that name, and each hyperedge stands for a
//! part that one of its rules can be laid on in the same way, and all of this together uses every
//! object and every field of the part once. The search tries rules and, where nothing leads to an
//! object of a rule, all objects that are left. A hyperedge for which no rules fit the heap, were
//! it alone there, is not looked at further: else every way to cut a long list into pieces is tried
//! before a ring is known to be no list.

use super::interpret::Heap;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::Limit;
use tern_model::budget::Meter;

/// A graph of a rule or shape. Objects are numbered; 0 is `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The type of each object but `null`; the first is that of object 1.
    pub kinds: Vec<String>,
    /// The fields: object, name, target.
    pub fields: Vec<(usize, String, usize)>,
    /// The hyperedges: a nonterminal, and objects.
    pub edges: Vec<(String, Vec<usize>)>,
    /// The objects at the tentacles; of a shape the root.
    pub externals: Vec<usize>,
}

/// A nonterminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nonterminal {
    /// The type at each tentacle, and whether `null` may be there.
    pub tentacles: Vec<(String, bool)>,
    /// Its rules.
    pub rules: Vec<Graph>,
}

/// A grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The nonterminals by name.
    pub nonterminals: BTreeMap<String, Nonterminal>,
    /// The graphs of each shape.
    pub shapes: BTreeMap<String, Vec<Graph>>,
}

/// How many ways are tried.
const MOST_TRIED: usize = 200_000;

/// A hyperedge: a nonterminal, and objects of the heap.
type Placed<'g> = (&'g str, Vec<usize>);

/// What is left to do, and what is used up. Objects of the heap are numbered from 1; 0 is `null`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State<'g> {
    /// Hyperedges that must stand for something.
    edges: Vec<Placed<'g>>,
    fields: BTreeSet<(usize, String)>,
    objects: BTreeSet<usize>,
    /// How many rules in a row used up nothing.
    idle: usize,
}

impl State<'_> {
    /// Nothing is used up but some objects.
    fn new(objects: impl IntoIterator<Item = usize>) -> Self {
        let objects = objects.into_iter().collect();
        State { edges: Vec::new(), fields: BTreeSet::new(), objects, idle: 0 }
    }
}

/// A graph that is being laid on the heap.
#[derive(Clone)]
struct Laying<'g> {
    graph: &'g Graph,
    images: Vec<Option<usize>>,
    /// Which fields of the graph lie on fields of the heap.
    lies: Vec<bool>,
    state: State<'g>,
}

impl Rules {
    /// Whether what an object reaches is of a shape; nothing if too much would have to be tried.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn is_of(
        &self,
        heap: &Heap,
        root: usize,
        shape: &str,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, Limit> {
        let Some(graphs) = self.shapes.get(shape) else { return Ok(None) };
        let part = heap.reached(root);
        if part.iter().any(|&object| heap.objects[object].freed) {
            return Ok(Some(false));
        }
        let state = State::new([root + 1]);
        let layings = graphs.iter().filter_map(|it| laid(it, &[root + 1], state.clone()));
        self.lies(layings.collect(), heap, &part, meter)
    }

    /// Whether all of a heap is derived from one with hyperedges, of which some objects are known;
    /// nothing if too much would have to be tried.
    pub(super) fn derives(
        &self,
        heap: &Heap,
        from: &Graph,
        known: &BTreeMap<usize, usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, Limit> {
        let kind = |it: &usize| from.kinds.get(it.checked_sub(1)?);
        if known.iter().any(|(it, at)| kind(it) != Some(&heap.objects[*at].kind)) {
            return Ok(Some(false));
        }
        let at: Vec<usize> = known.values().map(|it| it + 1).collect();
        let graph = Graph { externals: known.keys().copied().collect(), ..from.clone() };
        let laying = laid(&graph, &at, State::new(at.iter().copied()));
        let part = (0..heap.objects.len()).collect();
        self.lies(laying.into_iter().collect(), heap, &part, meter)
    }

    /// Whether one of some graphs can be laid on all of a part of a heap.
    fn lies<'g>(
        &'g self,
        mut open: Vec<Laying<'g>>,
        heap: &Heap,
        part: &BTreeSet<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, Limit> {
        let possible = self.possible(&open, heap, part, meter)?;
        let is_possible = |it: &Placed<'g>| possible.as_ref().is_none_or(|all| all.contains(it));
        let fields: usize = part.iter().map(|&it| heap.objects[it].fields.len()).sum();
        // Several ways may lead to the same that is left to do.
        let (mut tried, mut seen) = (0, BTreeSet::new());
        while let Some(laying) = open.pop() {
            meter.tick()?;
            tried += 1;
            if tried > MOST_TRIED {
                return Ok(None);
            }
            match laying.grown(heap, part) {
                Grown::Done(state) if !state.edges.iter().all(is_possible) => {}
                Grown::Done(state) if !seen.insert(state.clone()) => {}
                Grown::Done(state) => match self.next_edge(state, heap) {
                    None => {}
                    // The first rule first: those behind it tend to say the same in more ways.
                    Some(Ok(more)) => open.extend(more.into_iter().rev()),
                    Some(Err(state))
                        if state.fields.len() == fields && state.objects.len() == part.len() =>
                    {
                        return Ok(Some(true));
                    }
                    Some(Err(_)) => {}
                },
                Grown::Open(more) => open.extend(more),
            }
        }
        Ok(Some(false))
    }

    /// The hyperedges that may come about, each of which can stand for something in the heap, were
    /// nothing else there; nothing if too much would have to be tried.
    fn possible<'g>(
        &'g self,
        open: &[Laying<'g>],
        heap: &Heap,
        part: &BTreeSet<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<BTreeSet<Placed<'g>>>, Limit> {
        // What hyperedges may be replaced by.
        let mut ways: BTreeMap<Placed<'g>, Vec<Vec<Placed<'g>>>> = BTreeMap::new();
        let mut tried = 0;
        let mut asked = vec![(None, open.to_vec())];
        while let Some((edge, mut open)) = asked.pop() {
            while let Some(laying) = open.pop() {
                meter.tick()?;
                tried += 1;
                if tried > MOST_TRIED {
                    return Ok(None);
                }
                let state = match laying.grown(heap, part) {
                    Grown::Open(more) => {
                        open.extend(more);
                        continue;
                    }
                    Grown::Done(state) => state,
                };
                for inner in &state.edges {
                    if !ways.contains_key(inner) {
                        ways.insert(inner.clone(), Vec::new());
                        let mut alone =
                            State::new(inner.1.iter().copied().filter(|object| *object != 0));
                        alone.edges.push(inner.clone());
                        let more = self.next_edge(alone, heap).and_then(Result::ok);
                        asked.push((Some(inner.clone()), more.unwrap_or_default()));
                    }
                }
                if let Some(ways) = edge.as_ref().and_then(|edge| ways.get_mut(edge)) {
                    ways.push(state.edges);
                }
            }
        }
        let mut possible = BTreeSet::new();
        loop {
            let before = possible.len();
            for (edge, ways) in &ways {
                meter.tick()?;
                if ways.iter().any(|way| way.iter().all(|it| possible.contains(it))) {
                    possible.insert(edge.clone());
                }
            }
            if possible.len() == before {
                return Ok(Some(possible));
            }
        }
    }

    /// The ways to let the last hyperedge stand for something; the state itself if there is none
    /// left, nothing if a nonterminal is not there.
    fn next_edge<'g>(
        &'g self,
        mut state: State<'g>,
        heap: &Heap,
    ) -> Option<Result<Vec<Laying<'g>>, State<'g>>> {
        let Some((label, at)) = state.edges.pop() else { return Some(Err(state)) };
        let nonterminal = self.nonterminals.get(label)?;
        if nonterminal.tentacles.len() != at.len() || state.idle > self.nonterminals.len() {
            return None;
        }
        for (&object, (kind, nullable)) in at.iter().zip(&nonterminal.tentacles) {
            let fits = match object {
                0 => *nullable,
                object => heap.objects[object - 1].kind == *kind,
            };
            if !fits {
                return None;
            }
        }
        let laid = nonterminal.rules.iter().filter_map(|rule| {
            let mut state = state.clone();
            let uses = !rule.fields.is_empty() || rule.kinds.len() > rule.externals.len();
            state.idle = if uses { 0 } else { state.idle + 1 };
            laid(rule, &at, state)
        });
        Some(Ok(laid.collect()))
    }
}

/// A graph with its tentacles laid on objects.
fn laid<'g>(graph: &'g Graph, at: &[usize], state: State<'g>) -> Option<Laying<'g>> {
    let mut images = vec![None; graph.kinds.len() + 1];
    images[0] = Some(0);
    for (&external, &object) in graph.externals.iter().zip(at) {
        match images.get_mut(external) {
            Some(image) => *image = Some(object),
            None => return None,
        }
    }
    Some(Laying { graph, images, lies: vec![false; graph.fields.len()], state })
}

enum Grown<'g> {
    /// All of the graph lies on the heap.
    Done(State<'g>),
    /// Ways to go on; none if it does not fit.
    Open(Vec<Laying<'g>>),
}

impl<'g> Laying<'g> {
    /// Lays fields whose object is known; if nothing leads to an object, tries all.
    fn grown(mut self, heap: &Heap, part: &BTreeSet<usize>) -> Grown<'g> {
        loop {
            let mut grew = false;
            for (number, (object, name, to)) in self.graph.fields.iter().enumerate() {
                let Some(from) = self.images[*object].filter(|_| !self.lies[number]) else {
                    continue;
                };
                if from == 0 {
                    return Grown::Open(Vec::new());
                }
                let key = (from, name.clone());
                let target = heap.objects[from - 1].fields.get(name);
                let target = target.map(|it| it.map_or(0, |it| it + 1));
                match (target, self.images[*to]) {
                    (None, _) => return Grown::Open(Vec::new()),
                    (Some(target), Some(image)) if target != image => {
                        return Grown::Open(Vec::new());
                    }
                    (Some(target), None) => {
                        if !self.take(*to, target, heap) {
                            return Grown::Open(Vec::new());
                        }
                        grew = true;
                    }
                    _ => {}
                }
                // Each field of the heap is used once.
                if !self.state.fields.insert(key) {
                    return Grown::Open(Vec::new());
                }
                self.lies[number] = true;
            }
            if !grew {
                break;
            }
        }
        match self.images.iter().position(Option::is_none) {
            None => {
                let images: Vec<usize> = self.images.iter().flatten().copied().collect();
                for (label, at) in &self.graph.edges {
                    let at = at.iter().map(|it| images[*it]).collect();
                    self.state.edges.push((label, at));
                }
                self.state.edges.sort_unstable();
                Grown::Done(self.state)
            }
            Some(open) => {
                let mut all = Vec::new();
                for &object in part {
                    let mut next = self.clone();
                    if next.take(open, object + 1, heap) {
                        all.push(next);
                    }
                }
                Grown::Open(all)
            }
        }
    }

    /// Lays an object that is no tentacle on one that nothing was laid on.
    fn take(&mut self, object: usize, image: usize, heap: &Heap) -> bool {
        let fits = image != 0
            && heap.objects[image - 1].kind == self.graph.kinds[object - 1]
            && self.state.objects.insert(image);
        if fits {
            self.images[object] = Some(image);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::interpret::Object;
    use tern_model::Budget;

    /// Lists that end in `null` or come back to their root; segments may be cut in two.
    fn lists() -> Rules {
        let kinds = |count: usize| vec!["Node".to_owned(); count];
        let next = |from, to| (from, "next".to_owned(), to);
        let list = |from, to| ("SLL".to_owned(), vec![from, to]);
        let rule = |count, fields, edges| Graph {
            kinds: kinds(count),
            fields,
            edges,
            externals: vec![1, 2],
        };
        let rules = vec![
            rule(2, vec![next(1, 2)], Vec::new()),
            rule(3, vec![next(1, 3)], vec![list(3, 2)]),
            rule(3, Vec::new(), vec![list(1, 3), list(3, 2)]),
        ];
        let shape = |end| Graph {
            kinds: kinds(1),
            fields: Vec::new(),
            edges: vec![list(1, end)],
            externals: vec![1],
        };
        let tentacles = vec![("Node".to_owned(), false), ("Node".to_owned(), true)];
        Rules {
            nonterminals: [("SLL".to_owned(), Nonterminal { tentacles, rules })].into(),
            shapes: [("SLL".to_owned(), vec![shape(0)]), ("CSLL".to_owned(), vec![shape(1)])]
                .into(),
        }
    }

    /// Whether a list is of a shape whose last object leads to another.
    fn is_of(count: usize, last: Option<usize>, shape: &str) -> Option<bool> {
        let object = |number: usize| Object {
            kind: "Node".to_owned(),
            fields: [("next".to_owned(), number.checked_sub(1).or(last))].into(),
            numbers: BTreeMap::new(),
            is_new: false,
            freed: false,
        };
        // The numbers of objects fall along the list.
        let heap = Heap { objects: (0..count).map(object).collect() };
        let budget = Budget::unlimited();
        let meter = &mut Meter::new(&budget);
        lists().is_of(&heap, count - 1, shape, meter).expect("there is no limit")
    }

    #[test]
    fn long_lists_are_told_from_rings_and_lassos() {
        for count in [1, 2, 3, 22] {
            assert_eq!(is_of(count, None, "SLL"), Some(true), "a list of {count}");
            assert_eq!(is_of(count, None, "CSLL"), Some(false), "a list of {count}");
            for end in 0..count {
                let name = format!("{count} objects, the last leads to {end}");
                assert_eq!(is_of(count, Some(end), "SLL"), Some(false), "{name}");
                assert_eq!(is_of(count, Some(end), "CSLL"), Some(end == count - 1), "{name}");
            }
        }
    }
}
