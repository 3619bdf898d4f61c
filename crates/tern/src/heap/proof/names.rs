//! Heaps of the analysis as the certifier has them, and back: there things have names.

use tern_certify::heap::proof::graph::{AbstractHeap, Held, Slot};
use tern_certify::heap::shapes::Graph;
use tern_heap::grammar::Grammar;
use tern_heap::graph::{self, Heap, ObjectId, Value};
use tern_model::index::Id;

/// The names of a grammar.
pub(in crate::heap) struct Names<'a> {
    pub(in crate::heap) grammar: &'a Grammar,
}

impl Names<'_> {
    /// A heap of the certifier; nothing if a name is not there.
    pub(super) fn heap(&self, from: &AbstractHeap) -> Option<Heap> {
        let types = &self.grammar.types;
        let mut heap = Heap::default();
        for kind in &from.graph.kinds {
            heap.add_object(types.kind(kind)?);
        }
        for (object, name, to) in &from.graph.fields {
            let object = ObjectId::new(*object);
            let selector = types.selector(heap.kind(object)?, name)?;
            heap.set_field(object, selector, ObjectId::new(*to));
        }
        for (label, at) in &from.graph.edges {
            let at: Vec<ObjectId> = at.iter().map(|it| ObjectId::new(*it)).collect();
            heap.add_edge(self.grammar.nonterminal(label)?, at);
        }
        for (slot, held) in &from.slots {
            let slot = match slot {
                Slot::Variable(number) => graph::Slot::Variable(u32::try_from(*number).ok()?),
                Slot::Return => graph::Slot::Return,
                Slot::Ghost(number) => graph::Slot::Ghost(u32::try_from(*number).ok()?),
            };
            let value = match held {
                Held::Object(object) => Value::Object(ObjectId::new(*object)),
                Held::Integer(number) => Value::Integer(*number),
                Held::Any => Value::Any,
            };
            heap.set_slot(slot, value);
        }
        heap.set_externals(from.graph.externals.iter().map(|it| ObjectId::new(*it)).collect());
        Some(heap)
    }

    /// The objects, fields, hyperedges and externals of a heap.
    pub(in crate::heap) fn graph(&self, heap: &Heap) -> Graph {
        let grammar = self.grammar;
        let kinds = heap.objects().filter_map(|object| heap.kind(object));
        let fields = heap.objects().flat_map(|object| {
            heap.fields(object).iter().map(move |&(selector, to)| {
                (object.index(), grammar.types.selectors[selector].name.clone(), to.index())
            })
        });
        let edges = heap.edges().iter().map(|edge| {
            let name = grammar.nonterminals[edge.label].name.clone();
            (name, edge.at.iter().map(|at| at.index()).collect())
        });
        Graph {
            kinds: kinds.map(|kind| grammar.types.kinds[kind].name.clone()).collect(),
            fields: fields.collect(),
            edges: edges.collect(),
            externals: heap.externals().iter().map(|it| it.index()).collect(),
        }
    }

    /// A heap as the certifier has it.
    pub(in crate::heap) fn written(&self, heap: &Heap) -> AbstractHeap {
        let slots = heap.slots().iter().map(|&(slot, value)| {
            let slot = match slot {
                graph::Slot::Variable(number) => Slot::Variable(number as usize),
                graph::Slot::Return => Slot::Return,
                graph::Slot::Ghost(number) => Slot::Ghost(number as usize),
            };
            let held = match value {
                Value::Object(object) => Held::Object(object.index()),
                Value::Integer(number) => Held::Integer(number),
                Value::Any => Held::Any,
            };
            (slot, held)
        });
        AbstractHeap { slots: slots.collect(), graph: self.graph(heap) }
    }
}
