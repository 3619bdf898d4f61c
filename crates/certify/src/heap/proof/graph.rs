//! Heaps with hyperedges, as proofs have them: replacement of a hyperedge by a rule, and the check
//! that one heap covers another.
//!
//! A heap *covers* another one if the other comes about from it by replacing hyperedges, up to the
//! numbers of objects and to what cannot be reached. Then it stands for at least the same heaps. A
//! proof says which hyperedges are replaced by which rules, and which object is which; nothing is
//! searched for.
//!
//! Each part of a heap (its objects, then its hyperedges) has an *origin*: the parts of an earlier
//! heap that its objects come from. Ranks need it.

use super::super::shapes::Graph;
use super::super::{NoRun, refused};
use super::grammar::Grammar;
use std::collections::{BTreeMap, BTreeSet};

/// Who holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// A variable of the procedure.
    Variable(usize),
    /// What a procedure returns.
    Return,
    /// What a claim remembers, by its place in the list of that.
    Ghost(usize),
}

/// What a slot holds; object 0 is `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// A reference.
    Object(usize),
    /// A number.
    Integer(i64),
    /// Something of which nothing is known.
    Any,
}

/// The type of objects that were freed. They have no fields.
pub const FREED: &str = "(freed)";

/// A heap with hyperedges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractHeap {
    /// Objects, fields, hyperedges and externals.
    pub graph: Graph,
    /// What is held.
    pub slots: BTreeMap<Slot, Held>,
}

/// The parts of an earlier heap that objects come from, and whether there may be new ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin(u128);

impl Origin {
    /// No objects.
    pub const NONE: Origin = Origin(0);
    /// Objects that were not there before.
    pub const NEW: Origin = Origin(1 << 127);

    /// A part, by its number; those with large numbers are not told apart from anything.
    pub fn part(number: usize) -> Origin {
        if number < 127 { Origin(1 << number) } else { Origin(u128::MAX) }
    }

    /// The parts as bits of a number; the last is for new objects.
    pub fn bits(self) -> u128 {
        self.0
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Origin) -> Origin {
        Origin(self.0 | other.0)
    }

    /// Whether all of the other is in it.
    pub fn includes(self, other: Origin) -> bool {
        other.0 & !self.0 == 0
    }

    /// The same in an even earlier heap, if these are the origins of all parts there.
    #[must_use]
    pub(super) fn through(self, origins: &[Origin]) -> Origin {
        if self == Origin(u128::MAX) {
            return self;
        }
        let mine = (0..).zip(origins).filter(|(part, _)| self.meets(Origin::part(*part)));
        mine.fold(Origin(self.0 & Origin::NEW.0), |sum, (_, origin)| sum.and(*origin))
    }

    /// Whether the two have something in common.
    pub fn meets(self, other: Origin) -> bool {
        self.0 & other.0 != 0
    }
}

/// A heap that is being changed, with the origins of its parts.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// The heap.
    pub heap: AbstractHeap,
    /// The origin of each object; `null` has none.
    pub objects: Vec<Origin>,
    /// The origin of each hyperedge.
    pub edges: Vec<Origin>,
}

/// What a proof says of a heap that covers another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// Which heap it is: a node, an exit or a rule, as the place says where this stands.
    pub to: usize,
    /// The hyperedges that are replaced, one after the other, each with the number of a rule.
    pub unfold: Vec<(usize, usize)>,
    /// For each object that is there then, from 1, the object of the other heap.
    pub map: Vec<usize>,
}

/// What must be the same of a heap and one that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Objects that cannot be reached may be missing.
    Reached,
    /// The same, and externals may be in another order.
    AnyOrder,
    /// Nothing may be missing.
    Whole,
}

/// What a cover says.
pub struct Covered {
    /// The objects and hyperedges that each part of the heap that covers stands for.
    parts: Vec<(Vec<usize>, Vec<usize>)>,
    /// The objects of the other heap that its externals are.
    pub externals: Vec<usize>,
    /// Whether objects of the other heap that were not freed are left out.
    pub loses: bool,
}

impl Covered {
    /// The origin of each part of the heap that covers, by those of objects and hyperedges.
    pub fn origins(&self, objects: &[Origin], edges: &[Origin]) -> Vec<Origin> {
        let of = |(mine, inner): &(Vec<usize>, Vec<usize>)| {
            let all = mine.iter().map(|it| objects[*it]).chain(inner.iter().map(|it| edges[*it]));
            all.fold(Origin::NONE, Origin::and)
        };
        self.parts.iter().map(of).collect()
    }
}

/// The object that is held, if it is one.
pub(super) fn object(held: &Held) -> Option<usize> {
    match held {
        Held::Object(object) => Some(*object),
        Held::Integer(_) | Held::Any => None,
    }
}

impl AbstractHeap {
    /// How many objects there are, `null` included.
    pub fn len(&self) -> usize {
        self.graph.kinds.len() + 1
    }

    /// Whether there is nothing but `null`.
    pub fn is_empty(&self) -> bool {
        self.graph.kinds.is_empty()
    }

    /// The type of an object.
    pub fn kind(&self, object: usize) -> Option<&str> {
        self.graph.kinds.get(object.checked_sub(1)?).map(String::as_str)
    }

    /// Where a field leads, if that is not left to a hyperedge.
    pub fn field(&self, object: usize, name: &str) -> Option<usize> {
        let found = self.graph.fields.iter().find(|(from, it, _)| *from == object && it == name);
        found.map(|(_, _, to)| *to)
    }

    /// Writes a field that is there.
    pub fn set_field(&mut self, object: usize, name: &str, to: usize) {
        for field in &mut self.graph.fields {
            if field.0 == object && field.1 == name {
                field.2 = to;
            }
        }
    }

    /// Whether an object was freed.
    pub fn is_freed(&self, object: usize) -> bool {
        self.kind(object) == Some(FREED)
    }

    /// The objects that slots and externals name.
    pub fn roots(&self) -> Vec<usize> {
        let held = self.slots.values().filter_map(object);
        held.chain(self.graph.externals.iter().copied()).filter(|it| *it != 0).collect()
    }
}

impl Tracked {
    /// A heap before anything has changed.
    pub fn new(heap: &AbstractHeap) -> Self {
        let objects = heap.len();
        Tracked {
            heap: heap.clone(),
            objects: (0..objects).map(Origin::part).collect(),
            edges: (0..heap.graph.edges.len()).map(|it| Origin::part(objects + it)).collect(),
        }
    }

    /// A new object without fields.
    pub fn add_object(&mut self, kind: &str, origin: Origin) -> usize {
        self.heap.graph.kinds.push(kind.to_owned());
        self.objects.push(origin);
        self.heap.graph.kinds.len()
    }

    /// Replaces a hyperedge by a rule. What is new comes from the hyperedge.
    ///
    /// # Errors
    /// Why that cannot be.
    pub fn replace(&mut self, edge: usize, rule: &Graph) -> Result<(), NoRun> {
        // Callers and the check of the grammar see to the next two and to fields; they are said
        // once more, because nothing holds without them.
        if edge >= self.heap.graph.edges.len() {
            return refused("a hyperedge is replaced that is not there");
        }
        let (_, at) = self.heap.graph.edges.remove(edge);
        let origin = self.edges.remove(edge);
        if rule.externals.len() != at.len() {
            return refused("a rule has another number of tentacles");
        }
        let mut image: Vec<Option<usize>> = vec![None; rule.kinds.len() + 1];
        image[0] = Some(0);
        for (&external, &object) in rule.externals.iter().zip(&at) {
            image[external] = Some(object);
        }
        let mut all = Vec::new();
        for (object, image) in image.into_iter().enumerate() {
            all.push(match image {
                Some(image) => image,
                None => self.add_object(&rule.kinds[object - 1], origin),
            });
        }
        for (object, name, to) in &rule.fields {
            let from = all[*object];
            if from == 0 || self.heap.field(from, name).is_some() {
                return refused("a rule gives a field that cannot be there");
            }
            self.heap.graph.fields.push((from, name.clone(), all[*to]));
        }
        for (label, at) in &rule.edges {
            let at = at.iter().map(|it| all[*it]).collect();
            self.heap.graph.edges.push((label.clone(), at));
            self.edges.push(origin);
        }
        Ok(())
    }

    /// Some of the objects with some of the hyperedges, and the fields of some objects. The number
    /// of each object there.
    pub fn restricted(
        &self,
        objects: &[bool],
        fields: &[bool],
        edges: &[bool],
    ) -> (Tracked, Vec<Option<usize>>) {
        let mut numbers: Vec<Option<usize>> = vec![Some(0)];
        let mut part = Tracked {
            heap: AbstractHeap::default(),
            objects: vec![Origin::NONE],
            edges: Vec::new(),
        };
        for (object, kind) in (1..).zip(&self.heap.graph.kinds) {
            numbers.push(objects[object].then(|| part.add_object(kind, self.objects[object])));
        }
        for (object, name, to) in &self.heap.graph.fields {
            if let (true, Some(from), Some(to)) = (fields[*object], numbers[*object], numbers[*to])
            {
                part.heap.graph.fields.push((from, name.clone(), to));
            }
        }
        for (number, (label, at)) in self.heap.graph.edges.iter().enumerate() {
            let at: Option<Vec<usize>> = at.iter().map(|it| numbers[*it]).collect();
            if let (true, Some(at)) = (edges[number], at) {
                part.heap.graph.edges.push((label.clone(), at));
                part.edges.push(self.edges[number]);
            }
        }
        (part, numbers)
    }

    /// Checks that a heap covers this one. `keeps` says which slots must be in it.
    ///
    /// # Errors
    /// Why it does not.
    pub fn covered(
        &self,
        grammar: &Grammar<'_>,
        target: &AbstractHeap,
        cover: &Cover,
        strictness: Strictness,
        keeps: impl Fn(Slot) -> bool,
    ) -> Result<Covered, NoRun> {
        let mut unfolded = Tracked::new(target);
        for &(edge, rule) in &cover.unfold {
            let label = unfolded.heap.graph.edges.get(edge).map(|it| it.0.clone());
            let rule = label.and_then(|label| grammar.rule(&label, rule));
            match rule {
                Some(rule) => unfolded.replace(edge, rule)?,
                None => return refused("there is no such rule or hyperedge"),
            }
        }
        let mut image = vec![0];
        image.extend(&cover.map);
        self.check_objects(&unfolded.heap, &image)?;
        let edges = self.check_edges(grammar, &unfolded.heap, &image, strictness)?;
        self.check_slots(&unfolded.heap, &image, keeps)?;
        let externals: Vec<usize> =
            unfolded.heap.graph.externals.iter().map(|it| image[*it]).collect();
        let (mut mine, mut theirs) = (self.heap.graph.externals.clone(), externals.clone());
        if strictness == Strictness::AnyOrder {
            mine.sort_unstable();
            theirs.sort_unstable();
        }
        if mine != theirs {
            return refused("externals are other objects");
        }
        let count = target.len() + target.graph.edges.len();
        let mut parts = vec![(Vec::new(), Vec::new()); count];
        for (part, stands) in parts.iter_mut().enumerate() {
            let mine = Origin::part(part);
            let objects = unfolded.objects.iter().zip(&image).skip(1);
            stands.0.extend(objects.filter(|(it, _)| it.meets(mine)).map(|(_, image)| *image));
            let inner = unfolded.edges.iter().zip(&edges);
            stands.1.extend(inner.filter(|(it, _)| it.meets(mine)).map(|(_, edge)| *edge));
        }
        let lost = |object: usize| !image.contains(&object) && !self.heap.is_freed(object);
        let loses = edges.len() < self.heap.graph.edges.len() || (1..self.heap.len()).any(lost);
        Ok(Covered { parts, externals, loses })
    }

    /// Whether objects are mapped to other ones each, of the same type and with the same fields.
    fn check_objects(&self, other: &AbstractHeap, image: &[usize]) -> Result<(), NoRun> {
        if image.len() != other.len() {
            return refused("not every object is mapped");
        }
        let mut taken = BTreeSet::new();
        for (object, &to) in image.iter().enumerate().skip(1) {
            if !taken.insert(to) || self.heap.kind(to) != other.kind(object) {
                return refused("an object is mapped to one that it cannot be");
            }
        }
        let mine = self.heap.graph.fields.iter().filter(|it| taken.contains(&it.0));
        let mine: BTreeSet<(usize, &str, usize)> =
            mine.map(|(from, name, to)| (*from, name.as_str(), *to)).collect();
        let theirs: BTreeSet<(usize, &str, usize)> = (other.graph.fields.iter())
            .map(|(from, name, to)| (image[*from], name.as_str(), image[*to]))
            .collect();
        if mine == theirs { Ok(()) } else { refused("fields of objects are others") }
    }

    /// Whether hyperedges are there, and what else there is provides nothing of what is left. For
    /// each hyperedge the one it is.
    fn check_edges(
        &self,
        grammar: &Grammar<'_>,
        other: &AbstractHeap,
        image: &[usize],
        strictness: Strictness,
    ) -> Result<Vec<usize>, NoRun> {
        let mut left: Vec<bool> = vec![true; self.heap.graph.edges.len()];
        let mut found = Vec::new();
        for (label, at) in &other.graph.edges {
            let at: Vec<usize> = at.iter().map(|it| image[*it]).collect();
            let mut mine = self.heap.graph.edges.iter().enumerate();
            let it = mine.find(|(number, it)| left[*number] && it.0 == *label && it.1 == at);
            let Some((number, _)) = it else {
                return refused("a hyperedge is not there");
            };
            left[number] = false;
            found.push(number);
        }
        // Heaps of proofs have each field of each object once, so with the same fields and
        // hyperedges nothing else can be needed: this is said once more.
        let kept: BTreeSet<usize> = image[1..].iter().copied().collect();
        for (edge, _) in self.heap.graph.edges.iter().zip(&left).filter(|it| *it.1) {
            if edge.1.iter().enumerate().any(|(tentacle, object)| {
                kept.contains(object) && grammar.provides_any(&edge.0, tentacle)
            }) {
                return refused("a hyperedge is left out that is needed");
            }
        }
        // Names lead to all of an input, and externals to all of a rule, in every grammar that is
        // taken; if not, it would matter.
        if strictness == Strictness::Whole
            && (left.contains(&true) || image.len() != self.heap.len())
        {
            return refused("something is left out");
        }
        Ok(found)
    }

    fn check_slots(
        &self,
        other: &AbstractHeap,
        image: &[usize],
        keeps: impl Fn(Slot) -> bool,
    ) -> Result<(), NoRun> {
        for (slot, held) in &other.slots {
            let fits = match (held, self.heap.slots.get(slot)) {
                (Held::Object(there), Some(Held::Object(here))) => image.get(*there) == Some(here),
                (Held::Any, Some(Held::Integer(_) | Held::Any)) => true,
                (Held::Integer(there), Some(Held::Integer(here))) => there == here,
                _ => false,
            };
            if !fits {
                return refused("a variable holds something else");
            }
        }
        match self.heap.slots.keys().any(|it| keeps(*it) && !other.slots.contains_key(it)) {
            true => refused("a variable is left out that the claim names"),
            false => Ok(()),
        }
    }
}
