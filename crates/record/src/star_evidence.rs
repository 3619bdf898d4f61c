//! Evidence for claims in CTL* as JSON, and back. `docs/certificate.md` is its specification.
//!
//! ```text
//! {"kind": "star", "version": 1, "formulas": ["p","F p","A F p"],
//!  "base": [{"component": 0, "ended": true, "callees": [0,1]}, {"component": 1}],
//!  "layers": [{"sought": -2, "ground": null, "promises": [], "states": [[-2],[]],
//!   "contracts": [{"copy": 1, "entry": 4, "state": 0, "reached": [[4,0,0]],
//!                  "leaves": [[0,1,1,0,3]]}],
//!   "vertices": [[0,0,0,[2]], [0,-1,1,3]],
//!   "copies": [{"ground": 0, "callees": [0,1], "order": [7]}]}]}
//! ```
//! Formulas and everything of the machine are numbered as in `path_evidence`; pairs are written
//! flat.

use crate::flaw::{Flaw, Nonsense, Step, Within, pairs};
use crate::path_evidence::{Numbers, Reading, short};
use serde::{Deserialize, Serialize};
use tern_model::star_evidence::{
    BaseCopy, Contract, Fact, Standing, StarCopy, StarEvidence, StarLayer, StarSpot, StarVertex,
};
use tern_model::{BoxId, CompId, FormulaId, Formulas, Id, Machine, Obligation, PlaceId};

/// The version of the form.
const VERSION: u32 = 1;

/// Evidence, ready to be written.
#[derive(Serialize, Deserialize)]
pub(crate) struct StarJson {
    kind: String,
    version: u32,
    #[serde(default)]
    formulas: Vec<String>,
    base: Vec<BaseFile>,
    layers: Vec<LayerFile>,
}

#[derive(Serialize, Deserialize)]
struct BaseFile {
    component: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ended: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    callees: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct LayerFile {
    sought: i64,
    ground: Option<u32>,
    promises: Vec<i64>,
    states: Vec<Vec<i64>>,
    contracts: Vec<ContractFile>,
    /// Ground copy, spot (a place, or -1 for the sink), state, standing.
    vertices: Vec<(u32, i64, u32, StandingFile)>,
    copies: Vec<CopyFile>,
}

#[derive(Serialize, Deserialize)]
struct ContractFile {
    copy: u32,
    entry: u32,
    state: u32,
    reached: Vec<FactFile>,
    leaves: Vec<FactFile>,
}

/// Place or exit, state, rank, and then pairs of a promise that is kept and its rank.
type FactFile = Vec<u32>;

/// A level, or the distances of a good vertex.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StandingFile {
    Bad(u32),
    Good(Vec<u32>),
}

#[derive(Serialize, Deserialize)]
struct CopyFile {
    ground: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    callees: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<u32>,
}

impl StarJson {
    /// Numbers everything.
    pub(crate) fn new(formulas: &Formulas, claim: FormulaId, evidence: &StarEvidence) -> Self {
        let numbers = Numbers::new(formulas, Some(claim));
        let base = |copy: &BaseCopy| BaseFile {
            component: short(copy.component.index()),
            ended: copy.ended,
            callees: write_callees(&copy.callees),
        };
        StarJson {
            kind: "star".to_owned(),
            version: VERSION,
            formulas: numbers.texts(formulas),
            base: evidence.base.iter().map(base).collect(),
            layers: evidence.layers.iter().map(|layer| write_layer(&numbers, layer)).collect(),
        }
    }
}

fn write_callees(callees: &[(BoxId, u32)]) -> Vec<u32> {
    callees.iter().flat_map(|&(call, copy)| [short(call.index()), copy]).collect()
}

fn write_layer(numbers: &Numbers, layer: &StarLayer) -> LayerFile {
    let list = |list: &[Obligation]| list.iter().map(|&it| numbers.write(it)).collect();
    let vertex = |vertex: &StarVertex| {
        let spot = match vertex.spot {
            StarSpot::At(place) => i64::from(short(place.index())),
            StarSpot::Sink => -1,
        };
        let standing = match &vertex.standing {
            Standing::Good(distances) => StandingFile::Good(distances.clone()),
            Standing::Bad(level) => StandingFile::Bad(*level),
        };
        (vertex.copy, spot, vertex.state, standing)
    };
    let copy = |copy: &StarCopy| CopyFile {
        ground: copy.ground,
        callees: write_callees(&copy.callees),
        order: copy.order.clone(),
    };
    LayerFile {
        sought: numbers.write(layer.sought),
        ground: layer.ground,
        promises: list(&layer.promises),
        states: layer.states.iter().map(|state| list(state)).collect(),
        contracts: layer.contracts.iter().map(write_contract).collect(),
        vertices: layer.vertices.iter().map(vertex).collect(),
        copies: layer.copies.iter().map(copy).collect(),
    }
}

fn write_contract(contract: &Contract) -> ContractFile {
    let fact = |at: usize, fact: &Fact| {
        let kept = fact.kept.iter().flat_map(|&(promise, rank)| [promise, rank]);
        [short(at), fact.state, fact.rank].into_iter().chain(kept).collect()
    };
    let reached = contract.reached.iter().map(|(place, it)| fact(place.index(), it));
    let leaves = contract.leaves.iter().map(|(exit, it)| fact(exit.index(), it));
    ContractFile {
        copy: contract.copy,
        entry: short(contract.entry.index()),
        state: contract.state,
        reached: reached.collect(),
        leaves: leaves.collect(),
    }
}

/// Reads evidence for a claim in CTL* on a machine. What is read has sound ids of the machine and
/// the claim, and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim.
pub(crate) fn read_star_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    json: &str,
) -> Result<StarEvidence, Flaw> {
    let file: StarJson = serde_json::from_str(json)?;
    if file.kind != "star" || file.version != VERSION {
        return Err(Nonsense::Version { kind: file.kind, version: file.version }.into());
    }
    let reading = Reading { machine, numbers: Numbers::new(formulas, Some(claim)) };
    let base = |(i, copy): (usize, &BaseFile)| {
        let count = machine.component_count();
        let component: CompId =
            Reading::id(copy.component, count, "component").within(Step::Copy(i))?;
        let callees = read_callees(&reading, &copy.callees).within(Step::Copy(i))?;
        Ok(BaseCopy { component, ended: copy.ended, callees })
    };
    Ok(StarEvidence {
        base: file.base.iter().enumerate().map(base).collect::<Result<_, Flaw>>()?,
        layers: file
            .layers
            .into_iter()
            .enumerate()
            .map(|(i, layer)| read_layer(&reading, layer).within(Step::Layer(i)))
            .collect::<Result<_, _>>()?,
    })
}

fn read_callees(reading: &Reading<'_>, callees: &[u32]) -> Result<Vec<(BoxId, u32)>, Nonsense> {
    pairs(callees, "callees")?.map(|(call, copy)| Ok((reading.call(call)?, copy))).collect()
}

fn read_layer(reading: &Reading<'_>, layer: LayerFile) -> Result<StarLayer, Flaw> {
    type VertexFile = (u32, i64, u32, StandingFile);
    let vertex = |(copy, spot, state, standing): VertexFile| {
        let spot = match u32::try_from(spot) {
            Ok(place) => StarSpot::At(read_place(reading, place)?),
            Err(_) if spot == -1 => StarSpot::Sink,
            Err(_) => return Err(Nonsense::no_such("spot", spot)),
        };
        let standing = match standing {
            StandingFile::Good(distances) => Standing::Good(distances),
            StandingFile::Bad(level) => Standing::Bad(level),
        };
        Ok(StarVertex { copy, spot, state, standing })
    };
    let copy = |copy: CopyFile| {
        let callees = read_callees(reading, &copy.callees)?;
        Ok(StarCopy { ground: copy.ground, callees, order: copy.order })
    };
    let states = layer.states.iter().map(|state| reading.set(state));
    let contract = |(i, contract)| read_contract(reading, contract).within(Step::Contract(i));
    let contracts = layer.contracts.iter().enumerate().map(contract);
    let vertex = |(i, file): (usize, VertexFile)| vertex(file).within(Step::Vertex(i));
    Ok(StarLayer {
        sought: reading.numbers.read(layer.sought)?,
        ground: layer.ground,
        promises: reading.list(&layer.promises)?,
        states: states.collect::<Result<_, Nonsense>>()?,
        contracts: contracts.collect::<Result<_, _>>()?,
        vertices: layer.vertices.into_iter().enumerate().map(vertex).collect::<Result<_, _>>()?,
        copies: layer.copies.into_iter().map(copy).collect::<Result<_, Nonsense>>()?,
    })
}

fn read_place(reading: &Reading<'_>, place: u32) -> Result<PlaceId, Nonsense> {
    Reading::id(place, reading.machine.place_count(), "place")
}

fn read_contract(reading: &Reading<'_>, contract: &ContractFile) -> Result<Contract, Nonsense> {
    let fact = |file: &FactFile| match &file[..] {
        &[at, state, rank, ref kept @ ..] => {
            let kept = pairs(kept, "kept promises")?.collect();
            Ok((at, Fact { state, rank, kept }))
        }
        _ => Err(Nonsense::NotOne { what: "fact", numbers: file.clone() }),
    };
    let reached = contract.reached.iter().map(|file| {
        let (place, fact) = fact(file)?;
        Ok((read_place(reading, place)?, fact))
    });
    let leaves = contract.leaves.iter().map(|file| {
        let (exit, fact) = fact(file)?;
        Ok((reading.exit(exit)?, fact))
    });
    Ok(Contract {
        copy: contract.copy,
        entry: reading.node(contract.entry)?,
        state: contract.state,
        reached: reached.collect::<Result<_, Nonsense>>()?,
        leaves: leaves.collect::<Result<_, Nonsense>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use tern_certify::{Asked, check};
    use tern_engine::prove_star;
    use tern_model::{Budget, Claim, Evidence, Verdict};
    use tern_testkit::sample;

    /// Written, read back and checked, in an arena in which formulas have other ids.
    #[test]
    fn evidence_survives_json() {
        let mut layers = 0;
        for seed in 0..200 {
            let mut rng = Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &sample::Shape::default());
            let mut formulas = Formulas::new();
            let mut again = rng.clone();
            let claim = sample::ctl_star(&mut rng, &mut formulas, 8);
            let proved = prove_star(&machine, &formulas, claim, &Budget::unlimited());
            let proved = proved.expect("no limits are set").expect("there are few promises");
            let json = StarJson::new(&formulas, claim, &proved.evidence);
            let text = serde_json::to_string(&json).expect("numbers and strings");
            let read = read_star_evidence(&machine, &formulas, claim, &text);
            assert_eq!(read.as_ref(), Ok(&proved.evidence), "seed {seed}");
            let mut others = Formulas::new();
            for name in ["r", "q", "x", "p"] {
                others.atom(name);
            }
            let same = sample::ctl_star(&mut again, &mut others, 8);
            let read = read_star_evidence(&machine, &others, same, &text).expect("the same claim");
            let verdict = Verdict::from(proved.culprit.is_none());
            layers += read.layers.len();
            let (evidence, budget) = (Evidence::Star(read), Budget::unlimited());
            let asked = Asked { formulas: &others, claim: &Claim::new(same) };
            let checked = check((&machine).into(), asked, &verdict, None, &evidence, &budget);
            assert_eq!(checked, Ok(()));
        }
        assert!(layers >= 200, "{layers}");
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let machine = Machine::default();
        let mut formulas = Formulas::new();
        let claim = formulas.atom("p");
        let read = |text: &str| read_star_evidence(&machine, &formulas, claim, text);
        assert!(read("{").is_err());
        let wrong = r#"{"kind":"star","version":2,"base":[],"layers":[]}"#;
        let said = |text: &str| read(text).expect_err("it makes no sense").to_string();
        assert_eq!(said(wrong), "version 2 of `star` is not known here");
        let wrong = r#"{"kind":"star","version":1,"base":[{"component":0}],"layers":[]}"#;
        assert_eq!(said(wrong), "copy 0: there is no component 0");
        let wrong = r#"{"kind":"star","version":1,"base":[],"layers":[{"sought":2,"ground":null,
            "promises":[],"states":[],"contracts":[],"vertices":[],"copies":[]}]}"#;
        assert_eq!(said(wrong), "layer 0: there is no subformula 2");
    }
}
