//! All configurations of a machine without recursion, as one graph.

use rustc_hash::{FxHashMap, FxHashSet};
use tern_model::moves::moves;
use tern_model::{Configuration, DeadEndRule, Edge, LabelId, Machine, MoveKind};

/// More configurations than this are not written down.
const MOST: usize = 1_000_000;

/// A finite graph of states.
pub(crate) struct Flat {
    /// What the states are called, each by another name.
    pub(crate) names: Vec<String>,
    /// The labels of the states, sorted by name.
    pub(crate) labels: Vec<Vec<LabelId>>,
    /// Where the states lead; never nowhere.
    pub(crate) edges: Vec<Vec<usize>>,
    /// Where the program may start.
    pub(crate) initial: Vec<usize>,
}

/// Why a machine is no finite graph, as far as we look.
pub(crate) enum Endless {
    /// A component is called while it is active already.
    Recursion(String),
    /// There are too many configurations.
    TooMany,
    /// Some edges are only possible, or some labels unknown.
    Abstract,
    /// A run can come to a dead end here, which the model forbids.
    DeadEnd(String),
}

impl Endless {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Endless::DeadEnd(_) => {
                "give it a step, or let runs stay there: `deadlock loop` in the model, or write .tern instead"
            }
            _ => "only machines without recursion are graphs; write .tern instead",
        }
    }
}

impl std::fmt::Display for Endless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Endless::Recursion(component) => {
                write!(
                    f,
                    "`{component}` is called while it is active, so that there is no end of states"
                )
            }
            Endless::TooMany => write!(f, "there are more than {MOST} states"),
            Endless::Abstract => {
                f.write_str("some edges are only possible, or some labels unknown")
            }
            Endless::DeadEnd(state) => {
                write!(f, "`{state}` is a dead end, and the model forbids those")
            }
        }
    }
}

/// Writes down all configurations that can be reached, in the order in which a search finds them.
pub(crate) fn flatten(machine: &Machine) -> Result<Flat, Endless> {
    if machine.is_abstract() {
        return Err(Endless::Abstract);
    }
    let by_node = machine.labels_by_node();
    let mut flat =
        Flat { names: Vec::new(), labels: Vec::new(), edges: Vec::new(), initial: Vec::new() };
    let mut numbers: FxHashMap<Option<Configuration>, usize> = FxHashMap::default();
    let mut todo: Vec<Option<Configuration>> = Vec::new();
    let mut number = |flat: &mut Flat, todo: &mut Vec<_>, state: Option<Configuration>| {
        if let Some(&known) = numbers.get(&state) {
            return Ok(known);
        }
        let new = flat.names.len();
        if new == MOST {
            return Err(Endless::TooMany);
        }
        if let Some(Configuration { stack, node }) = &state
            && stack.len() > machine.component_count()
        {
            // There are fewer components than open calls, so one of them is open twice.
            let mut open = stack.iter().map(|&call| machine.callee(call));
            let mut seen = FxHashSet::default();
            let twice = open.find(|&component| !seen.insert(component));
            let component = twice.unwrap_or(machine.component_of(*node));
            return Err(Endless::Recursion(machine.component_name(component).to_owned()));
        }
        flat.names.push(state.as_ref().map_or("end".to_owned(), |it| it.show(machine)));
        let mut labels = state.as_ref().map_or(Vec::new(), |it| by_node.of(it.node).to_vec());
        labels.sort_by_key(|&label| machine.label_name(label));
        flat.labels.push(labels);
        flat.edges.push(Vec::new());
        numbers.insert(state.clone(), new);
        todo.push(state);
        Ok(new)
    };
    for &node in machine.initial() {
        let first = number(&mut flat, &mut todo, Some(node.into()))?;
        flat.initial.push(first);
    }
    let mut next = 0;
    while let Some(state) = todo.get(next).cloned() {
        let mut targets = Vec::new();
        match &state {
            // The sink stays where it is.
            None => targets.push(next),
            Some(state) => {
                for step in moves(machine, state) {
                    if step.kind == MoveKind::Stay
                        && machine.dead_end_rule() == DeadEndRule::Error
                        && !ends_there(machine, state)
                    {
                        return Err(Endless::DeadEnd(state.show(machine)));
                    }
                    let mut to = state.clone();
                    to.advance(step);
                    let to = (step.kind != MoveKind::Sink).then_some(to);
                    targets.push(number(&mut flat, &mut todo, to)?);
                }
            }
        }
        let mut seen = FxHashSet::default();
        targets.retain(|&target| seen.insert(target));
        flat.edges[next] = targets;
        next += 1;
    }
    Ok(flat)
}

/// Whether the program may end in a configuration: nothing is open, and its node returns.
fn ends_there(machine: &Machine, state: &Configuration) -> bool {
    let returns = |edge: &Edge| matches!(edge, Edge::Return(_));
    state.stack.is_empty() && machine.edges(state.node).iter().any(returns)
}
