//! Whether `null` that the code itself tests for is then used whatever happens.
//!
//! A test says that a value may be `null`, but perhaps not together with what else the code
//! requires: in `if (a == null && b == null) …` nobody says that only one of them may be. So the
//! use counts only if it cannot be avoided from the test on, exceptions aside.

use crate::certainty::Chain;
use crate::explore::{Component, ComponentId, Edge, Ending, Explored, Violation, round};
use crate::state::{Slot, State};
use crate::values::{Cause, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tern_ir::{BlockId, Dispatch, Handler, Jump, NameId, Operand, ProcId, Statement};
use tern_model::Tri;
use tern_model::index::Id;

/// How many calls deep it is looked for what callees throw by chance.
const MOST_THROWN: usize = 3;

/// Whether components are left by exits that throw, looked at so many calls deep.
type Thrown = FxHashMap<(ComponentId, usize, usize), bool>;

/// Whether the use of a tested `null` follows from the test, or from another of what is used.
pub(crate) fn follows(explored: &Explored, violation: &Violation, chain: &Chain) -> bool {
    let rule = violation.rule;
    let mut bad: FxHashSet<(ComponentId, usize)> = FxHashSet::default();
    for (depth, &(id, last)) in chain.calls.iter().enumerate() {
        if depth > 0 {
            bad.insert((id, last));
        }
        let component = &explored.components[id];
        let mut first = last;
        while let Some(from) = component.nodes[first].from {
            if !has_tested(&component.nodes[from].state) {
                break;
            }
            if depth == 0
                && tests_what_is_used(explored, id, (from, first), violation)
                && unavoidable(explored, id, rule, &bad, first, false)
            {
                return true;
            }
            first = from;
        }
        let is_given = first == 0 && has_tested(&component.nodes[0].state);
        if !unavoidable(explored, id, rule, &bad, first, false) {
            return false;
        }
        if !is_given {
            return true;
        }
    }
    true
}

/// Whether callees use the `null` that they are given whatever else they are given: callers know
/// what goes together. Loops are taken to be gone round, and tests that what is given has no say in
/// to go either way.
pub(crate) fn is_for_all(explored: &Explored, rule: u8, chain: &Chain) -> bool {
    let mut bad: FxHashSet<(ComponentId, usize)> = FxHashSet::default();
    for (depth, &(id, last)) in chain.calls.iter().enumerate() {
        // Of several that a call may lead to, callers know which one it is.
        if depth > 0 {
            let callee = &explored.components[chain.calls[depth - 1].0];
            if !callee.callers.iter().any(|&(id, node)| leads_to_one(explored, id, node)) {
                return false;
            }
        }
        bad.insert((id, last));
        let entry = &explored.components[id].nodes[0].state;
        let is_null = |(slot, value): &(Slot, Value)| {
            matches!((slot, value), (Slot::Local(_), Value::Null(_)))
        };
        if !entry.slots().iter().any(is_null) {
            return true;
        }
        if !unavoidable(explored, id, rule, &bad, 0, true) {
            return false;
        }
    }
    true
}

/// Whether a step is the side of a test on which what is used later is `null`.
fn tests_what_is_used(
    explored: &Explored,
    id: ComponentId,
    (from, to): (usize, usize),
    violation: &Violation,
) -> bool {
    let component = &explored.components[id];
    let body = explored.body(component.procedure);
    let Jump::Branch { test, .. } = &body.blocks[component.nodes[from].block].jump else {
        return false;
    };
    let Some(statement) = body.statements.get(violation.statement as usize) else { return false };
    let is_null = |it: Operand| explored.operand_value(&component.nodes[to].state, it).is_null();
    let mut is_used = false;
    statement.operands(body, |it| is_used |= it == test.left || it == test.right);
    component.nodes[to].at == 0
        && is_used
        && [test.left, test.right].iter().all(|&it| is_null(it) == Tri::True)
}

fn has_tested(state: &State) -> bool {
    state.slots().iter().any(|(_, value)| *value == Value::Null(Cause::Tested))
}

/// Whether every way from a node of a component breaks the rule, or comes by one of some calls;
/// perhaps only those ways on which loops are entered.
fn unavoidable(
    explored: &Explored,
    id: ComponentId,
    rule: u8,
    calls: &FxHashSet<(ComponentId, usize)>,
    first: usize,
    enters_loops: bool,
) -> bool {
    let component = &explored.components[id];
    let count = component.nodes.len();
    let mut is_bad = vec![false; count];
    let is_use = |it: &&Violation| it.rule == rule;
    component.violations.iter().filter(is_use).for_each(|it| is_bad[it.node] = true);
    (0..count).filter(|&node| calls.contains(&(id, node))).for_each(|node| is_bad[node] = true);
    let depth = if enters_loops { MOST_THROWN } else { 0 };
    leads(explored, id, &is_bad, enters_loops, (depth, &mut Thrown::default()))[first]
}

/// The nodes of a component from which every way that ends comes by one of some nodes; perhaps only
/// those ways on which loops are entered. What callees throw by chance is followed so many calls
/// deep.
fn leads(
    explored: &Explored,
    id: ComponentId,
    is_bad: &[bool],
    enters_loops: bool,
    (depth, known): (usize, &mut Thrown),
) -> Vec<bool> {
    let ways = Ways::new(explored, id, enters_loops, (depth, known));
    let mut avoids = vec![false; is_bad.len()];
    let mut work: Vec<usize> = (0..is_bad.len()).rev().collect();
    while let Some(node) = work.pop() {
        if !avoids[node] && !is_bad[node] && ways.avoids(node, &avoids) {
            avoids[node] = true;
            work.extend(&ways.before[node]);
        }
    }
    avoids.into_iter().map(|it| !it).collect()
}

/// How the nodes of a component go on, exceptions aside.
struct Ways {
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// Handlers that are gone to by chance, whatever else is done.
    thrown: Vec<Vec<usize>>,
    /// Nodes by which the component is left.
    is_end: Vec<bool>,
    /// Nodes that end with a test that may go either way.
    is_chance: Vec<bool>,
    /// Nodes from which loops are passed by.
    is_cut: Vec<bool>,
}

impl Ways {
    fn new(
        explored: &Explored,
        id: ComponentId,
        enters_loops: bool,
        (depth, known): (usize, &mut Thrown),
    ) -> Ways {
        let component = &explored.components[id];
        let body = explored.body(component.procedure);
        let count = component.nodes.len();
        let none = || vec![Vec::new(); count];
        let never = || vec![false; count];
        let (is_end, is_chance, is_cut) = (never(), never(), never());
        let mut own =
            Ways { next: none(), before: none(), thrown: none(), is_end, is_chance, is_cut };
        for edge in &component.edges {
            let to = &component.nodes[edge.to];
            let from = component.nodes[edge.from].block;
            // What is thrown in the code itself is no exception to how it goes on.
            let is_thrown = matches!(body.blocks[from].jump, Jump::Throw(_));
            let is_handler = body.handlers(from).iter().any(|it| it.block == to.block);
            if to.at == 0 && is_handler && !is_thrown {
                let taken = surely_taken(explored, id, edge);
                if taken.is_some_and(|exit| throws(explored, exit, depth, known)) {
                    own.thrown[edge.from].push(edge.to);
                }
                continue;
            }
            own.is_chance[edge.from] |=
                enters_loops && to.at == 0 && goes_either_way(explored, component.procedure, from);
            own.next[edge.from].push(edge.to);
        }
        if enters_loops {
            own.enter_loops(explored, id);
        }
        for &(node, ending) in &component.leaving {
            own.is_end[node] |= ending == Ending::Return;
        }
        for node in 0..count {
            // Calls that do not come back, and what is thrown, are ends as well.
            own.is_end[node] |= own.next[node].is_empty() && !own.is_cut[node];
            for &to in own.next[node].iter().chain(&own.thrown[node]) {
                own.before[to].push(node);
            }
        }
        own
    }

    /// Leaves out the ways on which a loop is passed by: who comes back to its head leaves it.
    fn enter_loops(&mut self, explored: &Explored, id: ComponentId) {
        let component = &explored.components[id];
        let body = explored.body(component.procedure);
        let flow = explored.flow(component.procedure);
        let mut inside: FxHashMap<BlockId, FxHashSet<BlockId>> = FxHashMap::default();
        let mut exits: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut cut: Vec<(usize, usize)> = Vec::new();
        for (node, row) in component.nodes.iter().enumerate() {
            if row.at != 0 || !flow.heads[row.block.index()] {
                continue;
            }
            let own = inside.entry(row.block).or_insert_with(|| round(body, row.block));
            let ends = self.block_ends(component, node);
            let (stays, leaves): (Vec<_>, Vec<_>) =
                ends.into_iter().partition(|(_, to)| own.contains(&component.nodes[*to].block));
            if !stays.is_empty() && !leaves.is_empty() {
                exits.insert(node, leaves.iter().map(|it| it.1).collect());
                cut.extend(leaves);
            }
        }
        for (from, to) in cut {
            self.next[from].retain(|it| *it != to);
            self.is_cut[from] = true;
        }
        for (node, row) in component.nodes.iter().enumerate() {
            let is_back = |to: &usize| {
                let head = component.nodes[*to].block;
                exits.contains_key(to) && inside[&head].contains(&row.block) && head <= row.block
            };
            let all = std::mem::take(&mut self.next[node]);
            for to in all {
                match is_back(&to) {
                    true => self.next[node].extend(&exits[&to]),
                    false => self.next[node].push(to),
                }
            }
        }
    }

    /// The steps by which the block of a node is left from there.
    fn block_ends(&self, component: &Component, first: usize) -> Vec<(usize, usize)> {
        let (mut found, mut work) = (Vec::new(), vec![first]);
        let mut seen: FxHashSet<usize> = [first].into_iter().collect();
        while let Some(node) = work.pop() {
            for &to in &self.next[node] {
                if component.nodes[to].at == 0 {
                    found.push((node, to));
                } else if seen.insert(to) {
                    work.push(to);
                }
            }
        }
        found
    }

    /// Whether a node has a way on by nodes that are known to avoid something.
    fn avoids(&self, node: usize, avoids: &[bool]) -> bool {
        let next = &self.next[node];
        let goes_on = match self.is_chance[node] {
            true => next.iter().all(|&to| avoids[to]),
            false => next.iter().any(|&to| avoids[to]),
        };
        self.thrown[node].iter().all(|&to| avoids[to]) && (self.is_end[node] || goes_on)
    }
}

/// The exit of the only callee of a call by which something is thrown that a handler surely takes.
fn surely_taken(explored: &Explored, id: ComponentId, edge: &Edge) -> Option<(ComponentId, usize)> {
    let (callee, exit) = edge.via?;
    let caller = &explored.components[id];
    only_target(explored, id, edge.from)?;
    let class = thrown_class(explored.components[callee].exits[exit].ending)?;
    let (from, to) = (caller.nodes[edge.from].block, caller.nodes[edge.to].block);
    let mut handlers = explored.body(caller.procedure).handlers(from).iter();
    let takes =
        |it: &Handler| it.class.is_none_or(|it| explored.world.is_below(class, it) == Tri::True);
    handlers.any(|it| it.block == to && takes(it)).then_some((callee, exit))
}

/// The procedure that the call at a node runs, if there is only one.
fn only_target(explored: &Explored, id: ComponentId, node: usize) -> Option<ProcId> {
    let own = &explored.components[id];
    let at = &own.nodes[node];
    let row = explored.body(own.procedure).blocks[at.block].statements.start + at.at;
    match explored.call_at(own.procedure, row)?.targets.as_deref() {
        Some(&[target]) => Some(target),
        _ => None,
    }
}

/// Whether the call at a node runs one procedure only, given what is known there.
fn leads_to_one(explored: &Explored, id: ComponentId, node: usize) -> bool {
    let own = &explored.components[id];
    let at = &own.nodes[node];
    let row = explored.body(own.procedure).blocks[at.block].statements.start + at.at;
    let callee = explored.call_at(own.procedure, row);
    let targets = callee.and_then(|it| it.targets.as_deref()).unwrap_or_default();
    let is_run = |target: &&ProcId| {
        let mut all = explored.components_of(**target).iter();
        all.any(|&it| explored.components[it].callers.contains(&(id, node)))
    };
    targets.iter().filter(is_run).count() == 1
}

fn thrown_class(ending: Ending) -> Option<NameId> {
    match ending {
        Ending::Throw(class, _) => class,
        Ending::Return => None,
    }
}

/// Whether a component is left by an exit that throws, always or by chance, whatever it is given.
/// It or a callee must throw by itself.
fn throws(
    explored: &Explored,
    (id, exit): (ComponentId, usize),
    depth: usize,
    known: &mut Thrown,
) -> bool {
    let component = &explored.components[id];
    if depth == 0 || component.is_shared {
        return false;
    }
    let key = (id, exit, depth);
    if let Some(&answer) = known.get(&key) {
        return answer;
    }
    let ending = component.exits[exit].ending;
    let body = explored.body(component.procedure);
    let mut is_bad = vec![false; component.nodes.len()];
    for &(node, _) in component.leaving.iter().filter(|(_, by)| *by == ending) {
        let block = component.nodes[node].block;
        is_bad[node] |= matches!(body.blocks[block].jump, Jump::Throw(_))
            || body.handlers(block).is_empty()
                && passed_on(explored, (id, node), ending)
                    .is_some_and(|exit| throws(explored, exit, depth - 1, known));
    }
    let answer = leads(explored, id, &is_bad, true, (depth - 1, known))[0];
    known.insert(key, answer);
    answer
}

/// The exit of the only callee of a call that throws what the caller passes on.
fn passed_on(
    explored: &Explored,
    (id, node): (ComponentId, usize),
    ending: Ending,
) -> Option<(ComponentId, usize)> {
    let class = thrown_class(ending)?;
    let target = only_target(explored, id, node)?;
    let mut callees = explored.components_of(target).iter().copied();
    let callee = callees.find(|&it| explored.components[it].callers.contains(&(id, node)))?;
    let mut exits = explored.components[callee].exits.iter();
    let exit = exits.position(|it| thrown_class(it.ending) == Some(class))?;
    Some((callee, exit))
}

/// Whether a block ends with a test of what missing code answers that is told nothing but
/// constants: what the procedure is given has no say in it.
fn goes_either_way(explored: &Explored, procedure: ProcId, block: BlockId) -> bool {
    let body = explored.body(procedure);
    let Jump::Branch { test, .. } = &body.blocks[block].jump else { return false };
    let rows = body.blocks[block].statements.clone();
    let sides = [test.left, test.right].map(|it| chance(explored, procedure, &rows, it, 4));
    sides.contains(&Some(true)) && !sides.contains(&None)
}

/// Whether a value is by chance, or a constant; none if it is something else.
fn chance(
    explored: &Explored,
    procedure: ProcId,
    rows: &Range<u32>,
    operand: Operand,
    depth: usize,
) -> Option<bool> {
    let Operand::Variable(variable) = operand else { return Some(false) };
    let body = explored.body(procedure);
    let row = rows
        .clone()
        .rev()
        .find(|&row| body.statements[row as usize].written() == Some(variable))?;
    let statement = &body.statements[row as usize];
    let mut is_chance = match statement {
        _ if depth == 0 => return None,
        Statement::Copy { .. } | Statement::Unary { .. } | Statement::Binary { .. } => false,
        Statement::Call { call, .. } if call.dispatch == Dispatch::Static => {
            explored.call_at(procedure, row).filter(|it| it.is_missing)?;
            true
        }
        _ => return None,
    };
    let mut is_known = true;
    statement.operands(body, |it| {
        match chance(explored, procedure, &(rows.start..row), it, depth - 1) {
            Some(found) => is_chance |= found,
            None => is_known = false,
        }
    });
    is_known.then_some(is_chance)
}
