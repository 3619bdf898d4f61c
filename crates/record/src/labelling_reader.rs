//! Reads a labelling back from the JSON of [`labelling`](crate::labelling).
//!
//! The text may come from anywhere, so nothing in it is believed: every position is compared with
//! what it is a position of before it becomes an id, and what does not fit is refused in words.
//! What is read has sound ids and nothing more; whether it proves anything is for the certifier to
//! say. Nothing is taken from the text as a size, so what is built is never much larger than the
//! text.

use crate::flaw::{Flaw, Nonsense, Step, Within, below, pairs};
use crate::labelling::VERSION;
use fixedbitset::FixedBitSet;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    AtomId, CompId, Event, FormulaId, Formulas, Frame, Ground, Id, Labelling, Layer, Machine,
    PlaceId, Proof, Summaries, TermId,
};

/// Reads a labelling of a claim on a machine.
///
/// # Errors
/// The first thing in it that makes no sense for this machine.
pub fn read_labelling(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    json: &str,
) -> Result<Labelling, Flaw> {
    // Another kind, or a later version, may look altogether different.
    let head: Head = serde_json::from_str(json)?;
    if head.kind != "labelling" {
        return Err(Nonsense::Kind(head.kind).into());
    }
    if head.version != VERSION {
        return Err(Nonsense::Version { kind: head.kind, version: head.version }.into());
    }
    let file: File = serde_json::from_str(json)?;
    let program = program(formulas, claim, &file.program, file.root)?;
    let mut layers: Vec<Layer> = Vec::new();
    for (number, json) in file.layers.into_iter().enumerate() {
        let layer = Reading { machine, program: &program, before: &layers }.layer(json);
        layers.push(layer.within(Step::Layer(number))?);
    }
    Ok(Labelling { program, layers })
}

#[derive(Deserialize)]
struct Head {
    kind: String,
    version: u32,
}

#[derive(Deserialize)]
struct File {
    program: Vec<Vec<Word>>,
    root: u32,
    layers: Vec<LayerFile>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    Number(u32),
    Text(String),
}

#[derive(Deserialize)]
struct LayerFile {
    term: u32,
    ground: Vec<GroundFile>,
    operands: Vec<OperandFile>,
    frames: Vec<FrameFile>,
    roots: Vec<u32>,
    proof: ProofFile,
}

#[derive(Deserialize)]
struct GroundFile {
    component: u32,
    #[serde(default)]
    ended: bool,
    #[serde(default)]
    closed: String,
    #[serde(default)]
    callees: Vec<u32>,
}

#[derive(Deserialize)]
struct OperandFile {
    layer: u32,
    frames: Vec<u32>,
}

#[derive(Deserialize)]
struct FrameFile {
    component: u32,
    ground: u32,
    #[serde(default)]
    callees: Vec<u32>,
    #[serde(default)]
    after: Vec<u32>,
    #[serde(default)]
    holds: String,
    #[serde(default)]
    order: Vec<u32>,
}

#[derive(Deserialize)]
struct ProofFile {
    kind: String,
    #[serde(default)]
    starts: Vec<u32>,
    #[serde(default)]
    events: Vec<EventFile>,
    #[serde(default)]
    deaths: Vec<u32>,
}

/// Three or four numbers, without a list of their own: there are many events.
struct EventFile {
    length: usize,
    cells: [u32; 4],
}

impl<'de> Deserialize<'de> for EventFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cells;
        impl<'de> Visitor<'de> for Cells {
            type Value = EventFile;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event: a list of three or four numbers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<EventFile, A::Error> {
                let mut event = EventFile { length: 0, cells: [0; 4] };
                while let Some(number) = list.next_element()? {
                    let cell = event.cells.get_mut(event.length);
                    *cell.ok_or_else(|| A::Error::invalid_length(event.length + 1, &self))? =
                        number;
                    event.length += 1;
                }
                Ok(event)
            }
        }
        deserializer.deserialize_seq(Cells)
    }
}

/// The positions in a row of bits, all of them below `count`. The set has room for those that are
/// written and no more: there may be many short rows of a long list.
fn read_row(digits: &str, count: usize, what: &'static str) -> Result<FixedBitSet, Nonsense> {
    let mut set = FixedBitSet::with_capacity(count.min(digits.len().saturating_mul(4)));
    for (i, digit) in digits.bytes().enumerate() {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return Err(Nonsense::Digit(what)),
        };
        for position in (0..4).filter(|bit| value >> bit & 1 == 1).map(|bit| 4 * i + bit) {
            if position >= count {
                return Err(Nonsense::Position { row: what, position });
            }
            set.insert(position);
        }
    }
    Ok(set)
}

/// A claim from its terms.
pub(crate) fn program(
    formulas: &Formulas,
    claim: FormulaId,
    list: &[Vec<Word>],
    root: u32,
) -> Result<Program, Flaw> {
    let atoms = formulas.atoms_of(claim);
    let atoms = atoms.into_iter().map(|atom| (formulas.atom_name(atom), atom)).collect();
    let mut terms: Table<TermId, Term> = Table::new();
    for (number, words) in list.iter().enumerate() {
        let term = term(&atoms, number, words);
        terms.push(term.within(Step::Term(number))?);
    }
    let root = TermId::new(below(root, terms.len(), "term")?);
    Ok(Program { terms, root })
}

fn term(atoms: &HashMap<&str, AtomId>, number: usize, words: &[Word]) -> Result<Term, Nonsense> {
    let operand = |position| below(position, number, "earlier term").map(TermId::new);
    let Some((Word::Text(operator), operands)) = words.split_first() else {
        return Err(Nonsense::NoOperator);
    };
    match (operator.as_str(), operands) {
        ("true", []) => Ok(Term::True),
        ("atom", [Word::Text(name)]) => {
            let unknown = || Nonsense::Proposition(name.clone());
            Ok(Term::Atom(*atoms.get(name.as_str()).ok_or_else(unknown)?))
        }
        ("not", &[Word::Number(f)]) => Ok(Term::Not(operand(f)?)),
        ("and", &[Word::Number(f), Word::Number(g)]) => Ok(Term::And(operand(f)?, operand(g)?)),
        ("or", &[Word::Number(f), Word::Number(g)]) => Ok(Term::Or(operand(f)?, operand(g)?)),
        ("ex", &[Word::Number(f)]) => Ok(Term::Ex(operand(f)?)),
        ("eu", &[Word::Number(f), Word::Number(g)]) => Ok(Term::Eu(operand(f)?, operand(g)?)),
        ("eg", &[Word::Number(f)]) => Ok(Term::Eg(operand(f)?)),
        _ => Err(Nonsense::Operator(operator.clone())),
    }
}

/// What a layer may speak of.
struct Reading<'a> {
    machine: &'a Machine,
    program: &'a Program,
    /// The layers before it.
    before: &'a [Layer],
}

impl Reading<'_> {
    fn layer(&self, file: LayerFile) -> Result<Layer, Flaw> {
        let term = TermId::new(below(file.term, self.program.terms.len(), "term")?);
        let grounds = file.ground.len();
        let frames = file.frames.len();
        let ground = file
            .ground
            .iter()
            .enumerate()
            .map(|(i, ground)| self.ground(ground, grounds).within(Step::GroundFrame(i)));
        let ground: Vec<Ground> = ground.collect::<Result<_, Flaw>>()?;
        let mut operands = Vec::new();
        for operand in file.operands {
            let layer = below(operand.layer, self.before.len(), "earlier layer")?;
            let most = self.before[layer].frames.len();
            for &frame in &operand.frames {
                below(frame, most, "frame of an operand")?;
            }
            operands.push((layer, operand.frames));
        }
        let frame = file
            .frames
            .into_iter()
            .enumerate()
            .map(|(i, frame)| self.frame(frame, grounds, frames).within(Step::Frame(i)));
        let frame: Vec<Frame> = frame.collect::<Result<_, Flaw>>()?;
        let roots = pairs(&file.roots, "roots")?.map(|(component, frame)| {
            below(frame, frames, "frame")?;
            Ok((self.component(component)?, frame))
        });
        let roots = roots.collect::<Result<_, Nonsense>>()?;
        let proof = self.proof(&file.proof, grounds)?;
        Ok(Layer { term, ground, operands, frames: frame, roots, proof })
    }

    fn component(&self, number: u32) -> Result<CompId, Nonsense> {
        Ok(CompId::new(below(number, self.machine.component_count(), "component")?))
    }

    fn place(&self, number: u32) -> Result<PlaceId, Nonsense> {
        Ok(PlaceId::new(below(number, self.machine.place_count(), "place")?))
    }

    /// Pairs of an id, one of `count`, and a position, one of `most`.
    fn targets<I: Id>(
        numbers: &[u32],
        (count, what): (usize, &'static str),
        (most, where_to): (usize, &'static str),
    ) -> Result<Vec<(I, u32)>, Nonsense> {
        let pair = |(id, position)| {
            below(position, most, where_to)?;
            Ok((I::new(below(id, count, what)?), position))
        };
        pairs(numbers, what)?.map(pair).collect()
    }

    fn ground(&self, file: &GroundFile, grounds: usize) -> Result<Ground, Nonsense> {
        let machine = self.machine;
        let component = self.component(file.component)?;
        let boxes = (machine.box_count(), "box");
        Ok(Ground {
            component,
            ended: file.ended,
            closed: read_row(&file.closed, machine.exits_of(component).len(), "closed")?,
            callees: Self::targets(&file.callees, boxes, (grounds, "ground frame"))?,
        })
    }

    fn frame(&self, file: FrameFile, grounds: usize, frames: usize) -> Result<Frame, Nonsense> {
        let machine = self.machine;
        let component = self.component(file.component)?;
        below(file.ground, grounds, "ground frame")?;
        let boxes = (machine.box_count(), "box");
        let exits = (machine.exit_count(), "exit");
        let after = Self::targets(&file.after, exits, (2, "truth value"))?;
        let places = machine.places_of(component);
        let nodes = machine.nodes_of(component).len();
        let row = read_row(&file.holds, places.len(), "holds")?;
        let mut holds = FixedBitSet::with_capacity(nodes.min(row.len()));
        holds.extend(row.ones().take_while(|&position| position < nodes));
        let mut sites: Vec<PlaceId> =
            row.ones().filter(|&position| position >= nodes).map(|at| places[at]).collect();
        sites.sort_unstable();
        let order = file.order.into_iter().map(|number| self.place(number));
        Ok(Frame {
            component,
            ground: file.ground,
            callees: Self::targets(&file.callees, boxes, (frames, "frame"))?,
            after: after.into_iter().map(|(exit, holds)| (exit, holds == 1)).collect(),
            holds,
            sites,
            order: order.collect::<Result<_, Nonsense>>()?,
        })
    }

    fn proof(&self, file: &ProofFile, grounds: usize) -> Result<Proof, Flaw> {
        match file.kind.as_str() {
            "next" => Ok(Proof::Next),
            "until" => Ok(Proof::Until(self.summaries(file, grounds)?)),
            "globally" => {
                let death = |(ground, place)| {
                    below(ground, grounds, "ground frame")?;
                    Ok((ground, self.place(place)?))
                };
                let deaths =
                    pairs(&file.deaths, "deaths")?.map(death).collect::<Result<_, Nonsense>>();
                Ok(Proof::Globally(self.summaries(file, grounds)?, deaths?))
            }
            kind => Err(Nonsense::Proof(kind.to_owned()).into()),
        }
    }

    fn summaries(&self, file: &ProofFile, grounds: usize) -> Result<Summaries, Flaw> {
        let machine = self.machine;
        let node = |number| below(number, machine.node_count(), "node").map(Id::new);
        let starts = pairs(&file.starts, "starts")?.map(|(ground, entry)| {
            below(ground, grounds, "ground frame")?;
            Ok((ground, node(entry)?))
        });
        let starts: Vec<_> = starts.collect::<Result<_, Nonsense>>()?;
        let event = |event: &EventFile| {
            let start = event.cells[1];
            let what = match (&event.cells, event.length) {
                (&[0, _, place, from], 4) => {
                    Event::Reach { start, place: self.place(place)?, from: self.place(from)? }
                }
                (&[1, _, at, exit], 4) => {
                    let exit = Id::new(below(exit, machine.exit_count(), "exit")?);
                    Event::Leave { start, node: node(at)?, exit }
                }
                (&[2, _, place, _], 3) => Event::Goal { start, place: self.place(place)? },
                _ => {
                    let numbers = event.cells[..event.length].to_vec();
                    return Err(Nonsense::NotOne { what: "event", numbers });
                }
            };
            below(start, starts.len(), "start")?;
            Ok(what)
        };
        let numbered = |(i, json)| event(json).within(Step::Event(i));
        let events = file.events.iter().enumerate().map(numbered).collect::<Result<_, Flaw>>()?;
        Ok(Summaries { starts, events })
    }
}
