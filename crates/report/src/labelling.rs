//! A labelling as JSON, with names in place of ids.
//!
//! ```text
//! {"kind": "labelling",
//!  "program": [["atom","p"], ["not",0], ["eu",1,0], …],      operands by position, the last may
//!  "root": 4,                                                not be the root
//!  "layers": [{"term": 2, "formula": "E [!p U p]",
//!              "frames": [{"component": "main", "callees": {"b1": 1}, "holds": ["n1", "n2"]}],
//!              "roots": {"main": 0}}]}
//! ```
//! `formula` is for people and is null if it would be longer than [`LONGEST_TEXT`]: terms share
//! their operands, and written out some are longer than any file. `program` says the same in
//! linear size. Everything is written straight from the labelling, without a copy in memory.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{Formula, FormulaId, Formulas, Frame, Id, Labelling, Layer, Machine, TermId};

/// The longest text of a term that is written, roughly, in bytes.
const LONGEST_TEXT: u64 = 1 << 16;

/// A labelling with what is needed to name its parts.
pub(crate) struct LabellingJson<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    labelling: &'a Labelling,
    /// The terms as formulas, for printing.
    printable: Formulas,
    formula_of: Table<TermId, FormulaId>,
    length: Table<TermId, u64>,
}

impl<'a> LabellingJson<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        labelling: &'a Labelling,
    ) -> Self {
        let mut printable = Formulas::new();
        let mut formula_of: Table<TermId, FormulaId> = Table::new();
        let mut length: Table<TermId, u64> = Table::new();
        for (_, &term) in labelling.program.terms.iter() {
            let id = match term {
                Term::True => printable.make(Formula::True),
                Term::Atom(atom) => printable.atom(formulas.atom_name(atom)),
                Term::Not(f) => printable.make(Formula::Not(formula_of[f])),
                Term::And(f, g) => printable.make(Formula::And(formula_of[f], formula_of[g])),
                Term::Or(f, g) => printable.make(Formula::Or(formula_of[f], formula_of[g])),
                Term::Ex(f) => {
                    let path = printable.make(Formula::Next(formula_of[f]));
                    printable.make(Formula::Exists(path))
                }
                Term::Eu(f, g) => {
                    let path = printable.make(Formula::Until(formula_of[f], formula_of[g]));
                    printable.make(Formula::Exists(path))
                }
                Term::Eg(f) => {
                    let path = printable.make(Formula::Globally(formula_of[f]));
                    printable.make(Formula::Exists(path))
                }
            };
            formula_of.push(id);
            let own = match term {
                Term::Atom(atom) => formulas.atom_name(atom).len() as u64,
                _ => 8, // more than any operator with its brackets and spaces
            };
            length.push(term.operands().fold(own, |sum, f| sum.saturating_add(length[f])));
        }
        LabellingJson { machine, formulas, labelling, printable, formula_of, length }
    }
}

impl Serialize for LabellingJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let program = &self.labelling.program;
        let mut object = serializer.serialize_struct("Labelling", 4)?;
        object.serialize_field("kind", "labelling")?;
        object.serialize_field("program", &Terms(self))?;
        object.serialize_field("root", &program.root.index())?;
        object.serialize_field("layers", &Layers(self))?;
        object.end()
    }
}

struct Terms<'a>(&'a LabellingJson<'a>);

impl Serialize for Terms<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LabellingJson { formulas, labelling, .. } = self.0;
        serializer.collect_seq(labelling.program.terms.iter().map(|(_, &term)| match term {
            Term::True => TermJson::Constant(["true"]),
            Term::Atom(atom) => TermJson::Atom("atom", formulas.atom_name(atom)),
            Term::Not(f) => TermJson::Unary("not", f.index()),
            Term::And(f, g) => TermJson::Binary("and", f.index(), g.index()),
            Term::Or(f, g) => TermJson::Binary("or", f.index(), g.index()),
            Term::Ex(f) => TermJson::Unary("ex", f.index()),
            Term::Eu(f, g) => TermJson::Binary("eu", f.index(), g.index()),
            Term::Eg(f) => TermJson::Unary("eg", f.index()),
        }))
    }
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum TermJson<'a> {
    Constant([&'static str; 1]),
    Atom(&'static str, &'a str),
    Unary(&'static str, usize),
    Binary(&'static str, usize, usize),
}

struct Layers<'a>(&'a LabellingJson<'a>);

impl Serialize for Layers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let layers = &self.0.labelling.layers;
        serializer.collect_seq(layers.iter().map(|layer| LayerJson { whole: self.0, layer }))
    }
}

struct LayerJson<'a> {
    whole: &'a LabellingJson<'a>,
    layer: &'a Layer,
}

impl Serialize for LayerJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LayerJson { whole, layer } = *self;
        let text = (whole.length[layer.term] <= LONGEST_TEXT)
            .then(|| whole.printable.show(whole.formula_of[layer.term]).to_string());
        let mut object = serializer.serialize_struct("Layer", 4)?;
        object.serialize_field("term", &layer.term.index())?;
        object.serialize_field("formula", &text)?;
        object.serialize_field("frames", &Frames { machine: whole.machine, layer })?;
        object.serialize_field("roots", &Roots { machine: whole.machine, layer })?;
        object.end()
    }
}

struct Frames<'a> {
    machine: &'a Machine,
    layer: &'a Layer,
}

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Frames { machine, layer } = *self;
        let mut list = serializer.serialize_seq(Some(layer.frames.len()))?;
        for frame in &layer.frames {
            list.serialize_element(&FrameJson { machine, frame })?;
        }
        list.end()
    }
}

struct FrameJson<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
}

impl Serialize for FrameJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FrameJson { machine, frame } = *self;
        let mut object = serializer.serialize_struct("Frame", 3)?;
        object.serialize_field("component", machine.component_name(frame.component))?;
        object.serialize_field("callees", &Callees { machine, frame })?;
        let holds = machine
            .nodes_of(frame.component)
            .enumerate()
            .filter(|&(position, _)| frame.holds.contains(position))
            .map(|(_, node)| machine.node_name(node));
        object.serialize_field("holds", &holds.collect::<Vec<_>>())?;
        object.end()
    }
}

struct Callees<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
}

impl Serialize for Callees<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let callees = self.frame.callees.iter();
        serializer.collect_map(callees.map(|&(call, frame)| (self.machine.box_name(call), frame)))
    }
}

struct Roots<'a> {
    machine: &'a Machine,
    layer: &'a Layer,
}

impl Serialize for Roots<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.layer.roots.len()))?;
        for &(component, frame) in &self.layer.roots {
            map.serialize_entry(self.machine.component_name(component), &frame)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::logic::ctl::lower;
    use tern_model::{Builder, Edge, Place};

    #[test]
    fn a_labelling_is_written_with_names() {
        let mut builder = Builder::new();
        let main = builder.component("main");
        let here = builder.node(main, "here");
        builder.edge(Place::Node(here), Edge::Step(here));
        builder.initial(here);
        let machine = builder.finish().expect("a machine");
        let mut formulas = Formulas::new();
        let p = formulas.atom("p");
        let path = formulas.make(Formula::Finally(p));
        let claim = formulas.make(Formula::Exists(path));
        let program = lower(&formulas, claim).expect("CTL");
        let mut holds = fixedbitset::FixedBitSet::with_capacity(1);
        holds.insert(0);
        let frame = Frame { component: main, callees: Vec::new(), holds };
        let layer = Layer { term: program.root, frames: vec![frame], roots: vec![(main, 0)] };
        let labelling = Labelling { program, layers: vec![layer] };
        let json = serde_json::to_value(LabellingJson::new(&machine, &formulas, &labelling))
            .expect("no map with odd keys");
        assert_eq!(json["kind"], "labelling");
        let layer = &json["layers"][0];
        assert_eq!(layer["formula"], "E [true U p]");
        assert_eq!(layer["roots"], serde_json::json!({"main": 0}));
        assert_eq!(
            layer["frames"],
            serde_json::json!([{"component": "main", "callees": {}, "holds": ["here"]}])
        );
        let root = json["root"].as_u64().expect("a position") as usize;
        assert_eq!(json["program"][root][0], "eu");
    }
}
