//! Why a claim holds or fails, as JSON, with names in place of ids.
//!
//! ```text
//! {"formula": "EF p", "holds": true, "reason": "run",
//!  "moves": [{"kind": "call", "node": "f.in", "box": "main.b", "exit": null}, …],
//!  "ending": {"kind": "done" | "loop" | "pump", "from": 2, "boxes": ["f.again"]},
//!  "then": {…}}                            why the operand holds at the end of the run, or null
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
use crate::{box_path, node_path};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::json;
use tern_model::logic::ctl::Program;
use tern_model::{
    BoxId, Ending, ExitId, FormulaId, Formulas, Machine, Move, MoveKind, NodeId, Reason, Run, Story,
};

/// Writes a story with what is needed to name its parts.
pub(crate) fn value(
    machine: &Machine,
    formulas: &Formulas,
    program: &Program,
    start: NodeId,
    story: &Story,
) -> Result<serde_json::Value, serde_json::Error> {
    let terms = Terms::new(formulas, program);
    let mut value =
        serde_json::to_value(StoryJson { machine, terms: &terms, story, ended: false })?;
    if let Some(object) = value.as_object_mut() {
        object.insert("from".to_owned(), node_path(machine, start).into());
    }
    Ok(value)
}

/// The endless runs that decide a claim about runs, each with the initial node it begins at.
pub(crate) fn runs_value(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    holds: bool,
    runs: &[(NodeId, Run)],
) -> serde_json::Value {
    let formula = formulas.show(claim).to_string();
    let told = |(start, run): &(NodeId, Run)| {
        json!({
            "formula": formula, "holds": holds, "reason": RUN, "from": node_path(machine, *start),
            "moves": moves(machine, run, false).0, "ending": EndingJson::new(machine, &run.ending), "then": null,
        })
    };
    match runs {
        [run] => told(run),
        runs => {
            let operands: Vec<_> = runs.iter().map(told).collect();
            json!({"formula": formula, "holds": holds, "reason": "initial", "operands": operands})
        }
    }
}

/// The reason of what holds or fails by a run.
const RUN: &str = "run";

/// The moves of a run, which begins in the sink if the program has `ended`; and whether it ends there.
fn moves(machine: &Machine, run: &Run, mut ended: bool) -> (Vec<MoveJson>, bool) {
    let told = run.moves.iter().map(|&step| {
        ended |= step.kind == MoveKind::Sink; // and nothing leads out of it
        MoveJson::new(machine, step, ended)
    });
    (told.collect(), ended)
}

#[derive(Clone, Copy)]
struct StoryJson<'a> {
    machine: &'a Machine,
    terms: &'a Terms<'a>,
    story: &'a Story,
    /// Whether it is told of the sink.
    ended: bool,
}

impl Serialize for StoryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StoryJson { machine, story, .. } = *self;
        let mut object = serializer.serialize_struct("Story", 6)?;
        object.serialize_field("formula", &self.terms.text(story.term))?;
        object.serialize_field("holds", &story.holds)?;
        let inner = |story, ended| StoryJson { story, ended, ..*self };
        match &story.reason {
            Reason::Labels => object.serialize_field("reason", "labels")?,
            Reason::AllPaths => object.serialize_field("reason", "all-paths")?,
            Reason::TooLong => object.serialize_field("reason", "too-long")?,
            Reason::Operands(stories) => {
                object.serialize_field("reason", "operands")?;
                let stories: Vec<_> = stories.iter().map(|it| inner(it, self.ended)).collect();
                object.serialize_field("operands", &stories)?;
            }
            Reason::Run(run) => {
                object.serialize_field("reason", RUN)?;
                let (moves, ended) = moves(machine, run, self.ended);
                object.serialize_field("moves", &moves)?;
                object.serialize_field("ending", &EndingJson::new(machine, &run.ending))?;
                object.serialize_field("then", &run.then.as_deref().map(|it| inner(it, ended)))?;
            }
        }
        object.end()
    }
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
            node: (!ended).then(|| node_path(machine, step.node)),
            call: call.map(|call| box_path(machine, call)),
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
        EndingJson { kind, from, boxes: boxes.iter().map(|&b| box_path(machine, b)).collect() }
    }
}
