//! Reads a labelling back from the JSON of [`labelling`](crate::labelling).
//!
//! The text may come from anywhere, so nothing in it is believed: every position is compared with
//! what it is a position of before it becomes an id, and what does not fit is refused in words. What
//! is read has sound ids and nothing more; whether it proves anything is for the certifier to say.
//! Nothing is taken from the text as a size, so what is built is never much larger than the text.

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
/// The first thing in it that makes no sense for this machine, in a few words.
pub fn read_labelling(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    json: &str,
) -> Result<Labelling, String> {
    // Another kind, or a later version, may look altogether different.
    let head: Head = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if head.kind != "labelling" {
        return Err(format!("`{}` is no kind of evidence that this version knows", head.kind));
    }
    if head.version != VERSION {
        return Err(format!("version {} of labellings is not known here", head.version));
    }
    let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let program = program(formulas, claim, &file)?;
    let mut layers: Vec<Layer> = Vec::new();
    for (number, json) in file.layers.into_iter().enumerate() {
        let layer = Reading { machine, program: &program, before: &layers }.layer(json);
        layers.push(layer.map_err(|why| format!("layer {number}: {why}"))?);
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
enum Word {
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

/// A number below `count`.
fn below(number: u32, count: usize, what: &str) -> Result<usize, String> {
    let index = number as usize;
    if index < count { Ok(index) } else { Err(format!("there is no {what} {number}")) }
}

/// Pairs that are written flat.
fn pairs(numbers: &[u32], what: &str) -> Result<impl Iterator<Item = (u32, u32)>, String> {
    if !numbers.len().is_multiple_of(2) {
        return Err(format!("{what}: a list of pairs has an odd length"));
    }
    Ok(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])))
}

/// The positions in a row of bits, all of them below `count`. The set has room for those that are
/// written and no more: there may be many short rows of a long list.
fn read_row(digits: &str, count: usize, what: &str) -> Result<FixedBitSet, String> {
    let mut set = FixedBitSet::with_capacity(count.min(digits.len().saturating_mul(4)));
    for (i, digit) in digits.bytes().enumerate() {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return Err(format!("{what}: a digit that is none of 0-9 and a-f")),
        };
        for position in (0..4).filter(|bit| value >> bit & 1 == 1).map(|bit| 4 * i + bit) {
            if position >= count {
                return Err(format!("{what}: there is no position {position}"));
            }
            set.insert(position);
        }
    }
    Ok(set)
}

fn program(formulas: &Formulas, claim: FormulaId, file: &File) -> Result<Program, String> {
    let atoms = formulas.atoms_of(claim);
    let atoms = atoms.into_iter().map(|atom| (formulas.atom_name(atom), atom)).collect();
    let mut terms: Table<TermId, Term> = Table::new();
    for (number, words) in file.program.iter().enumerate() {
        let term = term(&atoms, number, words);
        terms.push(term.map_err(|why| format!("term {number} of the program: {why}"))?);
    }
    let root = TermId::new(below(file.root, terms.len(), "term")?);
    Ok(Program { terms, root })
}

fn term(atoms: &HashMap<&str, AtomId>, number: usize, words: &[Word]) -> Result<Term, String> {
    let operand = |position| below(position, number, "earlier term").map(TermId::new);
    let Some((Word::Text(operator), operands)) = words.split_first() else {
        return Err("it does not begin with an operator".to_owned());
    };
    match (operator.as_str(), operands) {
        ("true", []) => Ok(Term::True),
        ("atom", [Word::Text(name)]) => {
            let unknown = || format!("the claim does not speak of `{name}`");
            Ok(Term::Atom(*atoms.get(name.as_str()).ok_or_else(unknown)?))
        }
        ("not", &[Word::Number(f)]) => Ok(Term::Not(operand(f)?)),
        ("and", &[Word::Number(f), Word::Number(g)]) => Ok(Term::And(operand(f)?, operand(g)?)),
        ("or", &[Word::Number(f), Word::Number(g)]) => Ok(Term::Or(operand(f)?, operand(g)?)),
        ("ex", &[Word::Number(f)]) => Ok(Term::Ex(operand(f)?)),
        ("eu", &[Word::Number(f), Word::Number(g)]) => Ok(Term::Eu(operand(f)?, operand(g)?)),
        ("eg", &[Word::Number(f)]) => Ok(Term::Eg(operand(f)?)),
        _ => Err(format!("`{operator}` is no operator with such operands")),
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
    fn layer(&self, file: LayerFile) -> Result<Layer, String> {
        let term = TermId::new(below(file.term, self.program.terms.len(), "term")?);
        let grounds = file.ground.len();
        let frames = file.frames.len();
        let ground = file.ground.iter().enumerate().map(|(i, ground)| {
            self.ground(ground, grounds).map_err(|why| format!("ground frame {i}: {why}"))
        });
        let ground: Vec<Ground> = ground.collect::<Result<_, String>>()?;
        let mut operands = Vec::new();
        for operand in file.operands {
            let layer = below(operand.layer, self.before.len(), "earlier layer")?;
            let most = self.before[layer].frames.len();
            for &frame in &operand.frames {
                below(frame, most, "frame of an operand")?;
            }
            operands.push((layer, operand.frames));
        }
        let frame = file.frames.into_iter().enumerate().map(|(i, frame)| {
            self.frame(frame, grounds, frames).map_err(|why| format!("frame {i}: {why}"))
        });
        let frame: Vec<Frame> = frame.collect::<Result<_, String>>()?;
        let roots = pairs(&file.roots, "roots")?.map(|(component, frame)| {
            below(frame, frames, "frame")?;
            Ok((self.component(component)?, frame))
        });
        let roots = roots.collect::<Result<_, String>>()?;
        let proof = self.proof(&file.proof, grounds)?;
        Ok(Layer { term, ground, operands, frames: frame, roots, proof })
    }

    fn component(&self, number: u32) -> Result<CompId, String> {
        Ok(CompId::new(below(number, self.machine.component_count(), "component")?))
    }

    fn place(&self, number: u32) -> Result<PlaceId, String> {
        Ok(PlaceId::new(below(number, self.machine.place_count(), "place")?))
    }

    /// Pairs of an id, one of `count`, and a position, one of `most`.
    fn targets<I: Id>(
        numbers: &[u32],
        (count, what): (usize, &str),
        (most, where_to): (usize, &str),
    ) -> Result<Vec<(I, u32)>, String> {
        let pair = |(id, position)| {
            below(position, most, where_to)?;
            Ok((I::new(below(id, count, what)?), position))
        };
        pairs(numbers, what)?.map(pair).collect()
    }

    fn ground(&self, file: &GroundFile, grounds: usize) -> Result<Ground, String> {
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

    fn frame(&self, file: FrameFile, grounds: usize, frames: usize) -> Result<Frame, String> {
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
            order: order.collect::<Result<_, String>>()?,
        })
    }

    fn proof(&self, file: &ProofFile, grounds: usize) -> Result<Proof, String> {
        match file.kind.as_str() {
            "next" => Ok(Proof::Next),
            "until" => Ok(Proof::Until(self.summaries(file, grounds)?)),
            "globally" => {
                let death = |(ground, place)| {
                    below(ground, grounds, "ground frame")?;
                    Ok((ground, self.place(place)?))
                };
                let deaths =
                    pairs(&file.deaths, "deaths")?.map(death).collect::<Result<_, String>>();
                Ok(Proof::Globally(self.summaries(file, grounds)?, deaths?))
            }
            kind => Err(format!("`{kind}` is no kind of proof")),
        }
    }

    fn summaries(&self, file: &ProofFile, grounds: usize) -> Result<Summaries, String> {
        let machine = self.machine;
        let node = |number| below(number, machine.node_count(), "node").map(Id::new);
        let starts = pairs(&file.starts, "starts")?.map(|(ground, entry)| {
            below(ground, grounds, "ground frame")?;
            Ok((ground, node(entry)?))
        });
        let starts: Vec<_> = starts.collect::<Result<_, String>>()?;
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
                _ => return Err("this is no event".to_owned()),
            };
            below(start, starts.len(), "start")?;
            Ok(what)
        };
        let numbered = |(i, json)| event(json).map_err(|why| format!("event {i}: {why}"));
        let events = file.events.iter().enumerate().map(numbered).collect::<Result<_, String>>()?;
        Ok(Summaries { starts, events })
    }
}
