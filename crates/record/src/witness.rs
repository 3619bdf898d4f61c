//! Why a claim holds or fails, as JSON, with names in place of ids.
//!
//! ```text
//! {"formula": "EF p", "holds": true, "reason": "run",
//!  "moves": [{"kind": "call", "node": "f.in", "box": "main.b", "exit": null}, …],
//!  "ending": {"kind": "done" | "loop" | "pump", "from": 2, "boxes": ["f.again"]},
//!  "values": [{"formula": "EF q", "holds": [true, …]}],  in one configuration after the other
//!  "marks": [{"at": 1, "formula": "F q", "holds": false}],  what is so from a configuration on
//!  "asides": [{"at": 2, "why": {…}}]}      why something that matters is so in a configuration
//! {"formula": "p & q", "holds": false, "reason": "operands", "operands": [{…}]}
//! ```
//! There is one shape for all claims, a tree of such objects. The outermost also has `from`: the
//! initial node that it is told of. If a claim holds by a run from each of several initial nodes,
//! the reason is `initial`, and the `operands` are these runs, each with its `from`.
//!
//! Other reasons are `labels`, `all-paths` (no path makes it true) and `too-long`. Kinds of moves
//! are `step`, `call`, `return`, `return-and-call`, `stay` and `sink`; `node` is where a move
//! leads, and null for the sink, which is no node. Configurations are counted from 0, the one in
//! which the run begins. A run and a move have an `origin` if the machine knows where the first
//! node, or the one that the move leads to, comes from:
//! `{"file": "m.tern", "line": 3, "column": 5}`, and `procedure`, `offset` and `text` where these
//! are known.

use crate::trace::{RunTrace, Step, Trace, Why};
use serde_json::{Value, json};
use tern_model::{BoxId, Ending, ExitId, Machine, MoveKind, NodeId, Origin};

/// Writes the traces of a claim; nothing if there are none.
pub(crate) fn value(machine: &Machine, traces: &[(NodeId, Trace<'_>)]) -> Option<Value> {
    let outermost = |(start, trace): &(NodeId, Trace<'_>)| {
        let mut value = story(machine, trace);
        value["from"] = machine.node_path(*start).into();
        value
    };
    match traces {
        [] => None,
        [trace] => Some(outermost(trace)),
        [(_, first), ..] => Some(json!({
            "formula": first.formula, "holds": first.holds, "reason": "initial",
            "operands": traces.iter().map(outermost).collect::<Vec<_>>(),
        })),
    }
}

fn story(machine: &Machine, trace: &Trace<'_>) -> Value {
    let mut value = json!({"formula": trace.formula, "holds": trace.holds});
    let reason = match &trace.why {
        Why::Labels => "labels",
        Why::AllPaths(_) => "all-paths",
        Why::TooLong => "too-long",
        Why::Operands(traces) => {
            value["operands"] = traces.iter().map(|trace| story(machine, trace)).collect();
            "operands"
        }
        Why::Run(run) => {
            add_run(&mut value, machine, run);
            "run"
        }
    };
    value["reason"] = reason.into();
    if trace.perhaps {
        value["perhaps"] = true.into();
    }
    value
}

fn add_run(value: &mut Value, machine: &Machine, run: &RunTrace<'_>) {
    let RunTrace { steps, ending, values, asides } = run;
    // After the last move of an endless run it is where it was before.
    let after = |i: usize| match ending {
        Ending::Done => steps.get(i + 1),
        Ending::Loop(from) | Ending::Pump(from, _) => steps.get(i + 1).or(steps.get(*from)),
    };
    if let Some(origin) = steps.first().and_then(|step| step.origin.as_ref()) {
        value["origin"] = place(origin);
    }
    let moves = steps.iter().enumerate();
    value["moves"] = moves.filter_map(|(i, step)| move_value(machine, step, after(i))).collect();
    let (kind, from, boxes) = match ending {
        Ending::Done => ("done", None, &[][..]),
        Ending::Loop(from) => ("loop", Some(*from), &[][..]),
        Ending::Pump(from, boxes) => ("pump", Some(*from), &boxes[..]),
    };
    let boxes: Vec<String> = boxes.iter().map(|&call| machine.box_path(call)).collect();
    value["ending"] = json!({"kind": kind, "from": from, "boxes": boxes});
    let values = values.iter().map(|(of, holds)| json!({"formula": of, "holds": holds}));
    value["values"] = values.collect();
    let marks = steps.iter().enumerate().flat_map(|(at, step)| {
        let mark = move |note: &crate::trace::Note| {
            json!({"at": at, "formula": note.formula, "holds": note.holds})
        };
        step.marks.iter().map(mark)
    });
    value["marks"] = marks.collect();
    let asides = asides.iter().map(|(at, why)| json!({"at": at, "why": story(machine, why)}));
    value["asides"] = asides.collect();
}

/// The move that is made in a configuration, and leads to another.
fn move_value(machine: &Machine, step: &Step<'_>, after: Option<&Step<'_>>) -> Option<Value> {
    let (kind, call, exit): (_, Option<BoxId>, Option<ExitId>) = match step.next?.kind {
        MoveKind::Step => ("step", None, None),
        MoveKind::Call(call) => ("call", Some(call), None),
        MoveKind::Return(exit) => ("return", None, Some(exit)),
        MoveKind::ReturnAndCall(exit, call) => ("return-and-call", Some(call), Some(exit)),
        MoveKind::Stay => ("stay", None, None),
        MoveKind::Sink => ("sink", None, None),
    };
    let mut value = json!({
        "kind": kind,
        "node": after.and_then(|step| step.node).map(|node| machine.node_path(node)),
        "box": call.map(|call| machine.box_path(call)),
        "exit": exit.map(|exit| machine.exit_name(exit).to_owned()),
    });
    if step.perhaps {
        value["perhaps"] = true.into();
    }
    if let Some(origin) = after.and_then(|step| step.origin.as_ref()) {
        value["origin"] = place(origin);
    }
    Some(value)
}

/// Where a node comes from, with what is known of that.
fn place(origin: &Origin) -> Value {
    let Origin { file, line, column, procedure, offset, text } = origin;
    let mut value = json!({"file": &**file, "line": line});
    let numbers = [("column", column), ("offset", offset)];
    let words = [("procedure", procedure), ("text", text)];
    for (key, number) in numbers {
        if let Some(number) = number {
            value[key] = (*number).into();
        }
    }
    for (key, word) in words {
        if let Some(word) = word {
            value[key] = word.to_string().into();
        }
    }
    value
}
