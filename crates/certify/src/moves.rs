//! States of the program, and the step relation of the machine, looked up move by move.

use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{
    BoxId, Edge, EndRule, ExitId, Formulas, Id, Labelling, Machine, Move, MoveKind, NodeId, Place,
    PlaceId, TermId,
};

/// A state of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    At(Vec<BoxId>, NodeId),
    Sink,
}

impl State {
    /// Whether the boxes and the node are of the machine, and fit together.
    pub(crate) fn exists(&self, machine: &Machine) -> bool {
        let State::At(stack, node) = self else { return true };
        let in_range = node.index() < machine.node_count()
            && stack.iter().all(|call| call.index() < machine.box_count());
        in_range
            && stack
                .windows(2)
                .all(|pair| machine.callee(pair[0]) == machine.component_of_box(pair[1]))
            && stack.last().is_none_or(|&top| machine.callee(top) == machine.component_of(*node))
    }

    pub(crate) fn height(&self) -> usize {
        match self {
            State::At(stack, _) => stack.len(),
            State::Sink => 0,
        }
    }

    /// Such as `f.n under main.b, c`; of a long stack only the innermost boxes.
    pub(crate) fn name(&self, machine: &Machine) -> String {
        const MOST: usize = 4;
        let State::At(stack, node) = self else { return "the sink".to_owned() };
        let mut name = node_name(machine, *node);
        for (i, &call) in stack.iter().rev().take(MOST).enumerate() {
            name += if i == 0 { " under " } else { ", " };
            name += &box_name(machine, call);
        }
        if stack.len() > MOST {
            name += &format!(" and {} more", stack.len() - MOST);
        }
        name
    }

    /// Which terms hold here by a labelling. The sink has no label and one successor, itself.
    pub(crate) fn truth(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        labelling: &Labelling,
    ) -> Option<Table<TermId, bool>> {
        let State::At(stack, node) = self else {
            let mut truth: Table<TermId, bool> = Table::new();
            for (_, &term) in labelling.program.terms.iter() {
                truth.push(match term {
                    Term::True => true,
                    Term::Atom(_) => false,
                    Term::Not(f) => !truth[f],
                    Term::And(f, g) => truth[f] && truth[g],
                    Term::Or(f, g) => truth[f] || truth[g],
                    Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => truth[f],
                });
            }
            return Some(truth);
        };
        crate::labelling::terms_at(machine, formulas, labelling, stack, *node)
    }

    /// All states that some move leads to.
    pub(crate) fn successors(&self, machine: &Machine) -> Vec<State> {
        let State::At(stack, node) = self else { return vec![State::Sink] };
        let on = |stack: &[BoxId], edge: Edge| match edge {
            Edge::Step(to) => State::At(stack.to_vec(), to),
            Edge::Call(call, entry) => State::At([stack, &[call]].concat(), entry),
            Edge::Return(_) => State::Sink, // only at the empty stack
        };
        let mut found = Vec::new();
        for &edge in machine.edges(*node) {
            match (edge, stack.split_last()) {
                (Edge::Return(exit), Some((&top, below))) => {
                    let site = machine.site(top, exit);
                    let edges = site.map_or(&[][..], |site| machine.edges_at(site));
                    found.extend(edges.iter().map(|&edge| on(below, edge)));
                }
                (Edge::Return(_), None) if machine.end_rule() == EndRule::Loop => {
                    found.push(self.clone());
                }
                _ => found.push(on(stack, edge)),
            }
        }
        if found.is_empty() {
            found.push(self.clone());
        }
        found
    }

    /// Where a move leads, if it is a step of the machine.
    pub(crate) fn follow(self, machine: &Machine, step: Move) -> Result<State, String> {
        let State::At(mut stack, node) = self else {
            return match step.kind {
                MoveKind::Stay | MoveKind::Sink => Ok(State::Sink),
                _ => Err("the sink has no such step".to_owned()),
            };
        };
        let edges = machine.edges(node);
        let to = step.node;
        let missing = |what: &str| Err(format!("no {what} to {}", node_name(machine, to)));
        match step.kind {
            MoveKind::Step if edges.contains(&Edge::Step(to)) => {}
            MoveKind::Step => return missing("step"),
            MoveKind::Call(call) if edges.contains(&Edge::Call(call, to)) => stack.push(call),
            MoveKind::Call(call) => {
                return missing(&format!("call by {}", box_name(machine, call)));
            }
            MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) => {
                if !edges.contains(&Edge::Return(exit)) {
                    return Err(format!("no return by {}", exit_name(machine, exit)));
                }
                let Some(top) = stack.pop() else { return Err("nobody has called".to_owned()) };
                let next = match step.kind {
                    MoveKind::ReturnAndCall(_, call) => Edge::Call(call, to),
                    _ => Edge::Step(to),
                };
                let site = machine.site(top, exit);
                if !site.is_some_and(|site| machine.edges_at(site).contains(&next)) {
                    let (call, exit) = (box_name(machine, top), exit_name(machine, exit));
                    return missing(&format!("way on after {call} has come back by {exit}"));
                }
                if let Edge::Call(call, _) = next {
                    stack.push(call);
                }
            }
            MoveKind::Stay | MoveKind::Sink => {
                if to != node {
                    return Err("a run that stays cannot be at another node".to_owned());
                }
                let ends = stack.is_empty() && edges.iter().any(|e| matches!(e, Edge::Return(_)));
                let sinks = ends && machine.end_rule() == EndRule::Sink;
                let loops = ends && machine.end_rule() == EndRule::Loop;
                match step.kind {
                    MoveKind::Sink if sinks => return Ok(State::Sink),
                    MoveKind::Sink => return Err("the program does not go to the sink".to_owned()),
                    _ if loops || !has_step(machine, &stack, node) => {}
                    _ => return Err("the program does not stay here".to_owned()),
                }
            }
        }
        Ok(State::At(stack, to))
    }
}

fn has_step(machine: &Machine, stack: &[BoxId], node: NodeId) -> bool {
    machine.edges(node).iter().any(|&edge| match (edge, stack.last()) {
        (Edge::Return(exit), Some(&top)) => machine.site(top, exit).is_some(),
        _ => true, // the end of the program is a step as well
    })
}

pub(crate) fn node_name(machine: &Machine, node: NodeId) -> String {
    if node.index() >= machine.node_count() {
        return format!("a node that does not exist ({node:?})");
    }
    let component = machine.component_name(machine.component_of(node));
    format!("{component}.{}", machine.node_name(node))
}

fn box_name(machine: &Machine, call: BoxId) -> String {
    if call.index() >= machine.box_count() {
        return format!("a box that does not exist ({call:?})");
    }
    let component = machine.component_name(machine.component_of_box(call));
    format!("{component}.{}", machine.box_name(call))
}

fn exit_name(machine: &Machine, exit: ExitId) -> String {
    if exit.index() >= machine.exit_count() {
        return format!("an exit that does not exist ({exit:?})");
    }
    machine.exit_name(exit).to_owned()
}

/// The name of a place of the machine.
pub(crate) fn place_name(machine: &Machine, place: PlaceId) -> String {
    match machine.place(place) {
        Place::Node(node) => node_name(machine, node),
        Place::Site(call, exit) => {
            format!("{} after {}", box_name(machine, call), exit_name(machine, exit))
        }
    }
}

/// Whether a run that has come from `middle` to `end` by some moves can repeat them for ever, on a
/// stack that grows by some boxes each time.
pub(crate) fn pumps(
    middle: &State,
    end: &State,
    period: &[Move],
    boxes: &[BoxId],
) -> Result<(), &'static str> {
    let (State::At(low, node), State::At(high, back)) = (middle, end) else {
        return Err("the sink does not call");
    };
    if node != back {
        return Err("the run is not back at the node where the pumping begins");
    }
    if boxes.is_empty() || high.strip_prefix(&low[..]) != Some(boxes) {
        return Err("the stack has not grown by the boxes that are named");
    }
    let mut height = low.len();
    for step in period {
        // How much of the stack the move leaves alone, and how high it is afterwards.
        let (untouched, after) = match step.kind {
            MoveKind::Step => (Some(height), height),
            MoveKind::Call(_) => (Some(height), height + 1),
            MoveKind::Return(_) => (height.checked_sub(1), height.saturating_sub(1)),
            MoveKind::ReturnAndCall(..) | MoveKind::Stay => (height.checked_sub(1), height),
            MoveKind::Sink => (None, height),
        };
        if untouched.is_none_or(|untouched| untouched < low.len()) {
            return Err("the part to repeat looks at the stack it began on");
        }
        height = after;
    }
    Ok(())
}
