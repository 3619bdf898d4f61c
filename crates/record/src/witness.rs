//! Why a claim holds or fails, as JSON, with names in place of ids.
//!
//! ```text
//! {"formula": "EF p", "holds": true, "reason": "run",
//!  "moves": [{"kind": "call", "node": "f.in", "box": "main.b", "exit": null}, …],
//!  "ending": {"kind": "done" | "loop" | "pump", "from": 2, "boxes": ["f.again"]},
//!  "values": [{"formula": "EF q", "holds": [true, …]}],  in one configuration after the other, for CTL*
//!  "asides": [{"at": 2, "why": {…}}]}      why something that matters is so in a configuration
//! {"formula": "p & q", "holds": false, "reason": "operands", "operands": [{…}]}
//! ```
//! There is one shape for all claims, a tree of such objects. The outermost also has `from`: the initial
//! node that it is told of. That of a claim about runs is an endless `run`, on which the claim holds or
//! fails; if it holds by a run from each of several initial nodes, the reason is `initial`, and the
//! `operands` are these runs, each with its `from`.
//!
//! Other reasons are `labels`, `all-paths` (no path makes it true) and `too-long`. Kinds of moves are
//! `step`, `call`, `return`, `return-and-call`, `stay` and `sink`; `node` is where a move leads, and null
//! for the sink, which is no node.
//! Configurations are counted from 0, the one in which the run begins.

use crate::terms::Terms;
use crate::wording::{Wording, Words};

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::json;
use tern_model::logic::ctl::Program;
use tern_model::{
    BoxId, Ending, ExitId, FormulaId, Formulas, Machine, Move, MoveKind, NodeId, Reason, Run,
    Story, Told,
};

/// Writes a story with what is needed to name its parts.
pub(crate) fn value(
    machine: &Machine,
    formulas: &Formulas,
    program: &Program,
    start: NodeId,
    story: &Story,
) -> Result<serde_json::Value, serde_json::Error> {
    outermost(machine, &Terms::new(formulas, program), start, story)
}

/// The same for a claim in CTL*.
pub(crate) fn star_value(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    start: NodeId,
    story: &Story<FormulaId>,
) -> Result<serde_json::Value, serde_json::Error> {
    outermost(machine, &Words::new(formulas, claim), start, story)
}

fn outermost<T: Copy>(
    machine: &Machine,
    words: &impl Wording<T>,
    start: NodeId,
    story: &Story<T>,
) -> Result<serde_json::Value, serde_json::Error> {
    let mut value = serde_json::to_value(StoryJson { machine, words, story, ended: false })?;
    if let Some(object) = value.as_object_mut() {
        object.insert("from".to_owned(), machine.node_path(start).into());
    }
    Ok(value)
}

/// The endless runs that decide a claim about runs, each with the initial node it begins at.
pub(crate) fn runs_value(
    machine: &Machine,
    claim: &str,
    holds: bool,
    runs: &[(NodeId, Run)],
) -> serde_json::Value {
    let told = |(start, run): &(NodeId, Run)| {
        json!({
            "formula": claim, "holds": holds, "reason": RUN, "from": machine.node_path(*start),
            "moves": moves(machine, run, false), "ending": EndingJson::new(machine, &run.ending),
            "values": [], "asides": [],
        })
    };
    match runs {
        [run] => told(run),
        runs => {
            let operands: Vec<_> = runs.iter().map(told).collect();
            json!({"formula": claim, "holds": holds, "reason": "initial", "operands": operands})
        }
    }
}

/// The reason of what holds or fails by a run.
const RUN: &str = "run";

/// The moves of a run, which begins in the sink if the program has `ended`.
fn moves(machine: &Machine, run: &Run, mut ended: bool) -> Vec<MoveJson> {
    let told = run.moves.iter().map(|&step| {
        ended |= step.kind == MoveKind::Sink; // and nothing leads out of it
        MoveJson::new(machine, step, ended)
    });
    told.collect()
}

struct StoryJson<'a, T, W> {
    machine: &'a Machine,
    words: &'a W,
    story: &'a Story<T>,
    /// Whether it is told of the sink.
    ended: bool,
}

impl<T: Copy, W: Wording<T>> Serialize for StoryJson<'_, T, W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StoryJson { machine, words, story, ended } = *self;
        let mut object = serializer.serialize_struct("Story", 7)?;
        object.serialize_field("formula", &words.text(story.of))?;
        object.serialize_field("holds", &story.holds)?;
        let inner = |story, ended| StoryJson { machine, words, story, ended };
        match &story.reason {
            Reason::Labels => object.serialize_field("reason", "labels")?,
            Reason::AllPaths => object.serialize_field("reason", "all-paths")?,
            Reason::TooLong => object.serialize_field("reason", "too-long")?,
            Reason::Operands(stories) => {
                object.serialize_field("reason", "operands")?;
                let stories: Vec<_> = stories.iter().map(|it| inner(it, ended)).collect();
                object.serialize_field("operands", &stories)?;
            }
            Reason::Run(Told { run, values, asides }) => {
                object.serialize_field("reason", RUN)?;
                object.serialize_field("moves", &moves(machine, run, ended))?;
                object.serialize_field("ending", &EndingJson::new(machine, &run.ending))?;
                let values =
                    values.iter().map(|(of, holds)| ValuesJson { formula: words.text(*of), holds });
                object.serialize_field("values", &values.collect::<Vec<_>>())?;
                let sink = run.moves.iter().position(|step| step.kind == MoveKind::Sink);
                let asides = asides.iter().map(|&(at, ref story)| {
                    let ended = ended || sink.is_some_and(|sink| sink < at);
                    AsideJson { at, why: inner(story, ended) }
                });
                object.serialize_field("asides", &asides.collect::<Vec<_>>())?;
            }
        }
        object.end()
    }
}

#[derive(serde::Serialize)]
struct ValuesJson<'a> {
    formula: String,
    holds: &'a [bool],
}

#[derive(serde::Serialize)]
struct AsideJson<S> {
    at: usize,
    why: S,
}

#[derive(serde::Serialize)]
struct MoveJson {
    kind: &'static str,
    /// Where the move leads; null for the sink.
    node: Option<String>,
    #[serde(rename = "box")]
    call: Option<String>,
    exit: Option<String>,
}

impl MoveJson {
    fn new(machine: &Machine, step: Move, ended: bool) -> Self {
        let (kind, call, exit): (_, Option<BoxId>, Option<ExitId>) = match step.kind {
            MoveKind::Step => ("step", None, None),
            MoveKind::Call(call) => ("call", Some(call), None),
            MoveKind::Return(exit) => ("return", None, Some(exit)),
            MoveKind::ReturnAndCall(exit, call) => ("return-and-call", Some(call), Some(exit)),
            MoveKind::Stay => ("stay", None, None),
            MoveKind::Sink => ("sink", None, None),
        };
        MoveJson {
            kind,
            node: (!ended).then(|| machine.node_path(step.node)),
            call: call.map(|call| machine.box_path(call)),
            exit: exit.map(|exit| machine.exit_name(exit).to_owned()),
        }
    }
}

#[derive(serde::Serialize)]
struct EndingJson {
    kind: &'static str,
    from: Option<usize>,
    boxes: Vec<String>,
}

impl EndingJson {
    fn new(machine: &Machine, ending: &Ending) -> Self {
        let (kind, from, boxes) = match ending {
            Ending::Done => ("done", None, &[][..]),
            Ending::Loop(from) => ("loop", Some(*from), &[][..]),
            Ending::Pump(from, boxes) => ("pump", Some(*from), &boxes[..]),
        };
        EndingJson { kind, from, boxes: boxes.iter().map(|&b| machine.box_path(b)).collect() }
    }
}
