//! A labelling as JSON: the certificate that a result file carries. `docs/certificate.md` is its
//! specification; [`read_labelling`](crate::read_labelling) is the way back.
//!
//! ```text
//! {"kind": "labelling", "version": 1,
//!  "program": [["atom","p"], ["not",0], ["eu",1,0], …],      operands by position, the last may
//!  "root": 4,                                                not be the root
//!  "layers": [{"term": 2, "formula": "E [!p U p]",
//!              "ground": [{"component": 0, "ended": true, "closed": "1", "callees": [0,1, 2,1]}],
//!              "operands": [{"layer": 0, "frames": [0,2]}],
//!              "frames": [{"component": 0, "ground": 0, "callees": [0,1], "after": [3,1],
//!                          "holds": "0f7", "order": [2,1,0]}],
//!              "roots": [0,0],
//!              "proof": {"kind": "until", "starts": [1,4],
//!                        "events": [[0,0,5,4], [1,0,5,3], [2,0,5]]}}]}
//! ```
//! Everything of the machine goes by its position in the model, so that no name is repeated. Pairs
//! are written flat, sets as [rows of bits](write_row), and what is empty or false in a frame is
//! left out. `formula` is for people and is null if it would be longer than [`LONGEST_TEXT`]: terms
//! share their operands, and written out some are longer than any file. `program` says the same in
//! linear size. Everything is written straight from the labelling, without a copy in memory.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    Event, Formula, FormulaId, Formulas, Frame, Ground, Id, Labelling, Layer, Machine, Proof,
    Summaries, TermId,
};

/// The version of the form.
pub(crate) const VERSION: u32 = 1;

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
        let mut object = serializer.serialize_struct("Labelling", 5)?;
        object.serialize_field("kind", "labelling")?;
        object.serialize_field("version", &VERSION)?;
        object.serialize_field("program", &Terms { formulas: self.formulas, program })?;
        object.serialize_field("root", &program.root.index())?;
        object.serialize_field("layers", &Layers(self))?;
        object.end()
    }
}

/// The terms of a claim, operands by their positions.
pub(crate) struct Terms<'a> {
    pub(crate) formulas: &'a Formulas,
    pub(crate) program: &'a Program,
}

impl Serialize for Terms<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Terms { formulas, program } = self;
        serializer.collect_seq(program.terms.iter().map(|(_, &term)| match term {
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

/// A sequence that is made while it is written.
struct Seq<F>(F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Seq<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Pairs of numbers, one behind the other.
fn flat<'a, A: Copy, B: Copy>(
    pairs: &'a [(A, B)],
    number: impl Fn(A, B) -> [usize; 2] + Copy + 'a,
) -> impl Serialize + 'a {
    Seq(move || pairs.iter().flat_map(move |&(a, b)| number(a, b)))
}

/// Pairs of an id and a position.
fn flat_by_id<I: Id>(pairs: &[(I, u32)]) -> impl Serialize {
    flat(pairs, |id, position| [id.index(), position as usize])
}

/// Pairs of a position and an id.
fn flat_to_id<I: Id>(pairs: &[(u32, I)]) -> impl Serialize {
    flat(pairs, |position, id| [position as usize, id.index()])
}

/// A set of positions as hexadecimal digits. The first digit has the positions 0 (worth 1), 1
/// (worth 2), 2 (worth 4) and 3 (worth 8), the next one 4 to 7, and so on; zeros at the end are
/// left out.
pub(crate) fn write_row(positions: impl Iterator<Item = usize>) -> String {
    let mut digits: Vec<u8> = Vec::new();
    for position in positions {
        if digits.len() <= position / 4 {
            digits.resize(position / 4 + 1, 0);
        }
        digits[position / 4] |= 1 << (position % 4);
    }
    digits.iter().map(|&digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
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
        let machine = whole.machine;
        let text = (whole.length[layer.term] <= LONGEST_TEXT)
            .then(|| whole.printable.show(whole.formula_of[layer.term]).to_string());
        let mut object = serializer.serialize_struct("Layer", 7)?;
        object.serialize_field("term", &layer.term.index())?;
        object.serialize_field("formula", &text)?;
        object.serialize_field("ground", &Seq(|| layer.ground.iter().map(GroundJson)))?;
        let operands =
            || layer.operands.iter().map(|(layer, frames)| OperandJson { layer: *layer, frames });
        object.serialize_field("operands", &Seq(operands))?;
        let frames = || layer.frames.iter().map(|frame| FrameJson { machine, frame });
        object.serialize_field("frames", &Seq(frames))?;
        object.serialize_field("roots", &flat_by_id(&layer.roots))?;
        object.serialize_field("proof", &ProofJson(&layer.proof))?;
        object.end()
    }
}

#[derive(serde::Serialize)]
struct OperandJson<'a> {
    layer: usize,
    frames: &'a [u32],
}

struct GroundJson<'a>(&'a Ground);

impl Serialize for GroundJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ground = self.0;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("component", &ground.component.index())?;
        if ground.ended {
            object.serialize_entry("ended", &true)?;
        }
        if !ground.closed.is_clear() {
            object.serialize_entry("closed", &write_row(ground.closed.ones()))?;
        }
        if !ground.callees.is_empty() {
            object.serialize_entry("callees", &flat_by_id(&ground.callees))?;
        }
        object.end()
    }
}

struct FrameJson<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
}

impl Serialize for FrameJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FrameJson { machine, frame } = *self;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("component", &frame.component.index())?;
        object.serialize_entry("ground", &frame.ground)?;
        if !frame.callees.is_empty() {
            object.serialize_entry("callees", &flat_by_id(&frame.callees))?;
        }
        if !frame.after.is_empty() {
            let after = flat(&frame.after, |exit, holds| [exit.index(), usize::from(holds)]);
            object.serialize_entry("after", &after)?;
        }
        // Nodes come before return sites in the list of places, and so they do in the row.
        let sites = frame.sites.iter().map(|&site| machine.place_position(site));
        let holds = write_row(frame.holds.ones().chain(sites));
        if !holds.is_empty() {
            object.serialize_entry("holds", &holds)?;
        }
        if !frame.order.is_empty() {
            let order = Seq(|| frame.order.iter().map(|place| place.index()));
            object.serialize_entry("order", &order)?;
        }
        object.end()
    }
}

struct ProofJson<'a>(&'a Proof);

impl Serialize for ProofJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        let (kind, summaries, deaths) = match self.0 {
            Proof::Next => ("next", None, None),
            Proof::Until(summaries) => ("until", Some(summaries), None),
            Proof::Globally(summaries, deaths) => ("globally", Some(summaries), Some(deaths)),
        };
        object.serialize_entry("kind", kind)?;
        if let Some(Summaries { starts, events }) = summaries {
            object.serialize_entry("starts", &flat_to_id(starts))?;
            object.serialize_entry("events", &Seq(|| events.iter().map(EventJson::new)))?;
        }
        if let Some(deaths) = deaths {
            object.serialize_entry("deaths", &flat_to_id(deaths))?;
        }
        object.end()
    }
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum EventJson {
    Three([usize; 3]),
    Four([usize; 4]),
}

impl EventJson {
    fn new(event: &Event) -> Self {
        match *event {
            Event::Reach { start, place, from } => {
                EventJson::Four([0, start as usize, place.index(), from.index()])
            }
            Event::Leave { start, node, exit } => {
                EventJson::Four([1, start as usize, node.index(), exit.index()])
            }
            Event::Goal { start, place } => EventJson::Three([2, start as usize, place.index()]),
        }
    }
}
