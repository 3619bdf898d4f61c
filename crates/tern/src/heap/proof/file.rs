//! Proofs as result files have them, and back.

use crate::heap::evidence::{read_value, write_value};
use std::collections::BTreeMap;
use tern_certify::heap::proof::graph::{AbstractHeap, Cover, Held, Slot};
use tern_certify::heap::proof::inputs::Marking;
use tern_certify::heap::proof::ranks::Avoiding;
use tern_certify::heap::proof::refined::Variant;
use tern_certify::heap::proof::step::Place;
use tern_certify::heap::proof::{Node, Proof, Step};
use tern_certify::heap::shapes::{Graph, Nonterminal};
use tern_certify::heap::{Input, NoRun, Start};
use tern_ir::ProcId;
use tern_model::index::Id;
use tern_record::heap_proof::{
    CoverFile, HeapFile, HeapProof, HeldFile, InputFile, KIND, MarkingFile, NonterminalFile,
    PlaceFile, SlotFile, VERSION, VariantFile,
};

/// A proof as a file has it.
pub(super) fn written(proof: &Proof, given: String, machine: serde_json::Value) -> HeapProof {
    let covers = |all: &[Cover]| all.iter().map(write_cover).collect::<Vec<_>>();
    let step = |it: &Step| (write_cover(&it.cover), it.keep.iter().map(write_slot).collect());
    let variant = |it: &Variant| (it.name.clone(), it.of.clone(), it.rules.clone());
    HeapProof {
        kind: KIND.to_owned(),
        version: VERSION,
        given,
        input: None,
        narrow: false,
        chosen: None,
        nonterminals: proof.more.iter().map(write_nonterminal).collect(),
        refinements: proof
            .refinements
            .iter()
            .map(|all| all.iter().map(variant).collect())
            .collect(),
        heaps: proof.heaps.iter().map(write_heap).collect(),
        components: proof.components.iter().map(|it| it.map(|it| it.index())).collect(),
        views: proof.views.iter().map(write_heap).collect(),
        around: covers(&proof.around),
        nodes: proof
            .nodes
            .iter()
            .map(|it| (it.component, write_place(it.place), it.heap))
            .collect(),
        exits: proof.exits.clone(),
        lemmas: covers(&proof.lemmas),
        markings: proof.markings.iter().map(write_marking).collect(),
        initial: covers(&proof.initial),
        steps: proof.steps.iter().map(|all| all.iter().map(step).collect()).collect(),
        returns: covers(&proof.returns),
        shapes: proof.shapes.iter().map(|(a, b, all)| (*a, b.clone(), covers(all))).collect(),
        ranks: proof.ranks.clone(),
        avoiding: proof.avoiding.iter().map(|it| (it.nodes.clone(), it.ranks.clone())).collect(),
        machine,
    }
}

/// A proof of a program with so many procedures.
pub(super) fn read(file: &HeapProof, procedures: usize) -> Result<Proof, NoRun> {
    if file.components.iter().flatten().any(|it| *it >= procedures) {
        return Err(NoRun::Refused("there is no such procedure".to_owned()));
    }
    let covers = |all: &[CoverFile]| all.iter().map(read_cover).collect::<Vec<_>>();
    let step = |(cover, keep): &(CoverFile, Vec<SlotFile>)| Step {
        cover: read_cover(cover),
        keep: keep.iter().map(read_slot).collect(),
    };
    let node = |&(component, place, heap): &(usize, PlaceFile, usize)| Node {
        component,
        place: read_place(place),
        heap,
    };
    Ok(Proof {
        more: read_more(file),
        refinements: read_refinements(file),
        heaps: file.heaps.iter().map(read_heap).collect(),
        components: file.components.iter().map(|it| it.map(ProcId::new)).collect(),
        views: file.views.iter().map(read_heap).collect(),
        around: covers(&file.around),
        nodes: file.nodes.iter().map(node).collect(),
        exits: file.exits.clone(),
        lemmas: covers(&file.lemmas),
        markings: file.markings.iter().map(read_marking).collect(),
        initial: covers(&file.initial),
        steps: file.steps.iter().map(|all| all.iter().map(step).collect()).collect(),
        returns: covers(&file.returns),
        shapes: file.shapes.iter().map(|(a, b, all)| (*a, b.clone(), covers(all))).collect(),
        ranks: file.ranks.clone(),
        avoiding: file
            .avoiding
            .iter()
            .cloned()
            .map(|(nodes, ranks)| Avoiding { nodes, ranks })
            .collect(),
    })
}

fn write_nonterminal((name, it): (&String, &Nonterminal)) -> NonterminalFile {
    let heap =
        |graph: &Graph| write_heap(&AbstractHeap { graph: graph.clone(), slots: BTreeMap::new() });
    (name.clone(), it.tentacles.clone(), it.rules.iter().map(heap).collect())
}

/// The nonterminals that a file adds to the grammar.
pub(super) fn read_more(file: &HeapProof) -> BTreeMap<String, Nonterminal> {
    let nonterminal = |(name, tentacles, rules): &NonterminalFile| {
        let rules = rules.iter().map(|it| read_heap(it).graph).collect();
        (name.clone(), Nonterminal { tentacles: tentacles.clone(), rules })
    };
    file.nonterminals.iter().map(nonterminal).collect()
}

/// The variants of nonterminals that a file has.
pub(super) fn read_refinements(file: &HeapProof) -> Vec<Vec<Variant>> {
    let variant = |(name, of, rules): &VariantFile| Variant {
        name: name.clone(),
        of: of.clone(),
        rules: rules.clone(),
    };
    file.refinements.iter().map(|all| all.iter().map(variant).collect()).collect()
}

fn write_marking(it: &Marking) -> MarkingFile {
    MarkingFile {
        marked: it.marked.iter().map(write_heap).collect(),
        around: it.around.iter().map(|(label, it)| (label.clone(), write_heap(it))).collect(),
        covers: it.covers.iter().map(write_cover).collect(),
    }
}

fn read_marking(it: &MarkingFile) -> Marking {
    Marking {
        marked: it.marked.iter().map(read_heap).collect(),
        around: it.around.iter().map(|(label, it)| (label.clone(), read_heap(it))).collect(),
        covers: it.covers.iter().map(read_cover).collect(),
    }
}

fn write_cover(cover: &Cover) -> CoverFile {
    (cover.to, cover.unfold.clone(), cover.map.clone())
}

fn read_cover((to, unfold, map): &CoverFile) -> Cover {
    Cover { to: *to, unfold: unfold.clone(), map: map.clone() }
}

fn write_slot(slot: &Slot) -> SlotFile {
    match slot {
        Slot::Variable(number) => SlotFile::Variable(*number),
        Slot::Return => SlotFile::Return,
        Slot::Ghost(number) => SlotFile::Ghost(*number),
    }
}

fn read_slot(slot: &SlotFile) -> Slot {
    match slot {
        SlotFile::Variable(number) => Slot::Variable(*number),
        SlotFile::Return => Slot::Return,
        SlotFile::Ghost(number) => Slot::Ghost(*number),
    }
}

fn write_place(place: Place) -> PlaceFile {
    match place {
        Place::Begin => PlaceFile::Begin,
        Place::At(block, at, case) => PlaceFile::At(block, at, case),
        Place::End => PlaceFile::End,
        Place::NullDereference => PlaceFile::NullDereference,
        Place::Thrown => PlaceFile::Thrown,
        Place::UseAfterFree => PlaceFile::UseAfterFree,
        Place::DoubleFree => PlaceFile::DoubleFree,
    }
}

fn read_place(place: PlaceFile) -> Place {
    match place {
        PlaceFile::Begin => Place::Begin,
        PlaceFile::At(block, at, case) => Place::At(block, at, case),
        PlaceFile::End => Place::End,
        PlaceFile::NullDereference => Place::NullDereference,
        PlaceFile::Thrown => Place::Thrown,
        PlaceFile::UseAfterFree => Place::UseAfterFree,
        PlaceFile::DoubleFree => Place::DoubleFree,
    }
}

fn write_heap(heap: &AbstractHeap) -> HeapFile {
    let slots = heap.slots.iter().map(|(slot, held)| {
        let held = match held {
            Held::Object(object) => HeldFile::Object(*object),
            Held::Integer(number) => HeldFile::Number(*number),
            Held::Any => HeldFile::Any,
        };
        (write_slot(slot), held)
    });
    HeapFile {
        objects: heap.graph.kinds.clone(),
        fields: heap.graph.fields.clone(),
        edges: heap.graph.edges.clone(),
        externals: heap.graph.externals.clone(),
        slots: slots.collect(),
    }
}

fn read_heap(file: &HeapFile) -> AbstractHeap {
    let slots = file.slots.iter().map(|(slot, held)| {
        let held = match held {
            HeldFile::Object(object) => Held::Object(*object),
            HeldFile::Number(number) => Held::Integer(*number),
            HeldFile::Any => Held::Any,
        };
        (read_slot(slot), held)
    });
    AbstractHeap {
        slots: slots.collect(),
        graph: Graph {
            kinds: file.objects.clone(),
            fields: file.fields.clone(),
            edges: file.edges.clone(),
            externals: file.externals.clone(),
        },
    }
}

/// An input as a proof that a claim fails has it: what it has besides does not matter to proofs.
pub(super) fn write_input(input: &Input) -> InputFile {
    InputFile {
        objects: input.objects.clone(),
        fields: input.fields.clone(),
        values: input.values.iter().map(write_value).collect(),
    }
}

/// The input that a proof has.
pub(super) fn read_input(file: &InputFile) -> Input {
    Input {
        objects: file.objects.clone(),
        fields: file.fields.clone(),
        values: file.values.iter().map(read_value).collect(),
        ..Input::default()
    }
}

/// An input as a heap: all that is known of a run that begins with it.
pub(super) fn input_heap(input: &Input) -> AbstractHeap {
    let object = |it: &Option<usize>| it.map_or(0, |it| it + 1);
    let fields = input.fields.iter();
    let fields = fields.map(|(from, name, to)| (from + 1, name.clone(), object(to)));
    let held = |(number, value): (usize, &Start)| {
        let held = match value {
            Start::Object(it) => Held::Object(it + 1),
            Start::Null => Held::Object(0),
            Start::Integer(number) => Held::Integer(*number),
            Start::Unknown => Held::Any,
        };
        (Slot::Variable(number), held)
    };
    AbstractHeap {
        graph: Graph { kinds: input.objects.clone(), fields: fields.collect(), ..Graph::default() },
        slots: input.values.iter().enumerate().map(held).collect(),
    }
}
