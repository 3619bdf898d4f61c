//! Evidence for claims in CTL* as JSON, and back. `docs/certificate.md` is its specification.
//!
//! ```text
//! {"kind": "star", "version": 1, "formulas": ["p","F p","A F p"],
//!  "base": [{"component": 0, "ended": true, "callees": [0,1]}, {"component": 1}],
//!  "layers": [{"sought": -2, "ground": null, "promises": [], "states": [[-2],[]],
//!   "contracts": [{"copy": 1, "entry": 4, "state": 0, "reached": [[4,0,0]], "leaves": [[0,1,1,0,3]]}],
//!   "vertices": [[0,0,0,[2]], [0,-1,1,3]],
//!   "copies": [{"ground": 0, "callees": [0,1], "order": [7]}]}]}
//! ```
//! Formulas and everything of the machine are numbered as in `path_evidence`; pairs are written flat.

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

/// Reads evidence for a claim in CTL* on a machine. What is read has sound ids of the machine and the claim, and
/// nothing more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim, in a few words.
pub(crate) fn read_star_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    json: &str,
) -> Result<StarEvidence, String> {
    let file: StarJson = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if file.kind != "star" || file.version != VERSION {
        return Err(format!("version {} of `{}` is not known here", file.version, file.kind));
    }
    let reading = Reading { machine, numbers: Numbers::new(formulas, Some(claim)) };
    let base = |copy: &BaseFile| {
        let count = machine.component_count();
        let component: CompId = Reading::id(copy.component, count, "component")?;
        let callees = read_callees(&reading, &copy.callees)?;
        Ok(BaseCopy { component, ended: copy.ended, callees })
    };
    Ok(StarEvidence {
        base: file.base.iter().map(base).collect::<Result<_, String>>()?,
        layers: file
            .layers
            .into_iter()
            .map(|layer| read_layer(&reading, layer))
            .collect::<Result<_, _>>()?,
    })
}

/// Pairs that were written flat.
fn pairs(flat: &[u32]) -> Result<Vec<(u32, u32)>, String> {
    let (pairs, rest) = flat.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("a list of pairs has half a pair at its end".to_owned());
    }
    Ok(pairs.iter().map(|&[first, second]| (first, second)).collect())
}

fn read_callees(reading: &Reading<'_>, callees: &[u32]) -> Result<Vec<(BoxId, u32)>, String> {
    pairs(callees)?.into_iter().map(|(call, copy)| Ok((reading.call(call)?, copy))).collect()
}

fn read_layer(reading: &Reading<'_>, layer: LayerFile) -> Result<StarLayer, String> {
    let vertex = |(copy, spot, state, standing): (u32, i64, u32, StandingFile)| {
        let spot = match u32::try_from(spot) {
            Ok(place) => StarSpot::At(read_place(reading, place)?),
            Err(_) if spot == -1 => StarSpot::Sink,
            Err(_) => return Err(format!("there is no spot {spot}")),
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
    let contracts = layer.contracts.iter().map(|contract| read_contract(reading, contract));
    Ok(StarLayer {
        sought: reading.numbers.read(layer.sought)?,
        ground: layer.ground,
        promises: reading.list(&layer.promises)?,
        states: states.collect::<Result<_, _>>()?,
        contracts: contracts.collect::<Result<_, _>>()?,
        vertices: layer.vertices.into_iter().map(vertex).collect::<Result<_, String>>()?,
        copies: layer.copies.into_iter().map(copy).collect::<Result<_, String>>()?,
    })
}

fn read_place(reading: &Reading<'_>, place: u32) -> Result<PlaceId, String> {
    Reading::id(place, reading.machine.place_count(), "place")
}

fn read_contract(reading: &Reading<'_>, contract: &ContractFile) -> Result<Contract, String> {
    let fact = |file: &FactFile| match &file[..] {
        &[at, state, rank, ref kept @ ..] => Ok((at, Fact { state, rank, kept: pairs(kept)? })),
        _ => Err("a fact has a place or exit, a state and a rank".to_owned()),
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
        reached: reached.collect::<Result<_, String>>()?,
        leaves: leaves.collect::<Result<_, String>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use tern_certify::star;
    use tern_engine::prove_star;
    use tern_model::{Budget, Verdict};
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
            assert_eq!(
                star::check(&machine, &others, same, &verdict, None, &read, &Budget::unlimited()),
                Ok(())
            );
            layers += read.layers.len();
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
        assert_eq!(read(wrong), Err("version 2 of `star` is not known here".to_owned()));
        let wrong = r#"{"kind":"star","version":1,"base":[{"component":0}],"layers":[]}"#;
        assert_eq!(read(wrong), Err("there is no component 0".to_owned()));
        let wrong = r#"{"kind":"star","version":1,"base":[],"layers":[{"sought":2,"ground":null,
            "promises":[],"states":[],"contracts":[],"vertices":[],"copies":[]}]}"#;
        assert_eq!(read(wrong), Err("there is no subformula 2".to_owned()));
    }
}
