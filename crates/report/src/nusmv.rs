//! Answers as NuSMV prints them: of each state only the values that changed.
//!
//! ```text
//! -- specification AG c = 0  is false
//! -- as demonstrated by the following execution sequence
//! Trace Description: Counterexample
//! Trace Type: Counterexample
//!   -> State: 1.1 <-
//!     c = 0
//!   -> State: 1.2 <-
//!     c = 1
//! ```
//! A story that goes on from the last state of a run is one trace with it. Where the state of a
//! loop is that comes back, `-- Loop starts here` stands before it. In a program with calls a
//! comment says which component runs; its values are then all printed.

use crate::visible;
use std::fmt::{self, Write};
use tern_model::{CompId, Ending, Machine, NodeId};
use tern_record::trace::{Trace, Why};

/// The names of variables with their values.
pub type Values = Vec<(String, String)>;

/// Says what was found of a claim.
///
/// # Errors
/// If `out` cannot be written.
pub fn verdict(out: &mut impl Write, claim: &str, holds: bool) -> fmt::Result {
    writeln!(out, "-- specification {}  is {holds}", visible(claim))
}

/// Writes the trace of a story, the `number`th of all. `values` knows the values at nodes; where it
/// knows none, the name of the node stands for them.
///
/// # Errors
/// If `out` cannot be written.
pub fn trace(
    out: &mut impl Write,
    machine: &Machine,
    (start, trace): (NodeId, &Trace<'_>),
    number: usize,
    values: &dyn Fn(NodeId) -> Values,
) -> fmt::Result {
    let kind = if trace.holds { "Witness" } else { "Counterexample" };
    writeln!(out, "-- as demonstrated by the following execution sequence")?;
    writeln!(out, "Trace Description: {kind}\nTrace Type: {kind}")?;
    let Path { nodes, loop_start, deeper } = Path::of(start, trace);
    let mut before: Values = Vec::new();
    let mut component: Option<CompId> = None;
    for (i, node) in nodes.iter().enumerate() {
        if loop_start == Some(i) {
            writeln!(out, "  -- Loop starts here")?;
        }
        writeln!(out, "  -> State: {number}.{} <-", i + 1)?;
        let Some(node) = *node else {
            writeln!(out, "    -- the end of the program")?;
            before.clear();
            continue;
        };
        let own = machine.component_of(node);
        if component != Some(own) && machine.component_count() > 1 {
            writeln!(out, "    -- in {}", visible(machine.component_name(own)))?;
            before.clear();
        }
        component = Some(own);
        let mut now = values(node);
        if now.is_empty() {
            now.push(("node".to_owned(), machine.node_path(node)));
        }
        for (name, value) in now.iter().filter(|it| !before.contains(it)) {
            writeln!(out, "    {} = {}", visible(name), visible(value))?;
        }
        before = now;
    }
    if deeper {
        writeln!(out, "  -- and so on, with ever more calls")?;
    }
    Ok(())
}

/// The states of a story, one behind the other.
struct Path {
    /// `None` for the sink.
    nodes: Vec<Option<NodeId>>,
    loop_start: Option<usize>,
    /// Whether it goes on with a stack that grows.
    deeper: bool,
}

impl Path {
    /// The runs of a story as far as one begins where the other ends.
    fn of(start: NodeId, trace: &Trace<'_>) -> Self {
        let mut path = Path { nodes: vec![Some(start)], loop_start: None, deeper: false };
        let mut next = Some(trace);
        while let Some(trace) = next.take() {
            match &trace.why {
                Why::Operands(parts) => {
                    let has_run = |part: &&Trace<'_>| matches!(part.why, Why::Run(_));
                    next = parts
                        .iter()
                        .find(has_run)
                        .or_else(|| parts.iter().find(|part| matches!(part.why, Why::Operands(_))));
                }
                Why::Run(run) => {
                    let first = path.nodes.len() - 1;
                    path.nodes.extend(run.steps.iter().skip(1).map(|step| step.node));
                    match run.ending {
                        Ending::Done => {
                            let last = run.steps.len() - 1;
                            let aside = run.asides.iter().find(|(at, _)| *at == last);
                            next = aside.map(|(_, trace)| trace);
                        }
                        Ending::Loop(at) => {
                            path.loop_start = Some(first + at);
                            // The state that comes back is shown again.
                            path.nodes.push(path.nodes[first + at]);
                        }
                        Ending::Pump(at, _) => {
                            path.loop_start = Some(first + at);
                            path.deeper = true;
                        }
                    }
                }
                Why::Labels | Why::AllPaths(_) | Why::TooLong => {}
            }
        }
        path
    }
}
