//! What the exploration of one procedure needs to know of its code: live variables at the
//! beginning of blocks, heads of loops, constants that are compared with.

use super::again::Agains;
use super::asides::Asides;
use super::asked::Asked;
use crate::values::Value;
use crate::world::{Answers, World};
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{BlockId, Body, Handler, Jump, NameId, Operand, ProcId, Statement, Type, VarId};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::scc::Components;
use tern_model::{Budget, Tri};

/// Facts about the code of one procedure.
#[derive(Debug)]
pub(crate) struct Flow {
    /// For each block, a bit for each variable that is live at its beginning.
    live: Vec<Vec<u64>>,
    /// The same at points inside long blocks, where states are rid of what is dead on the way.
    inside: FxHashMap<(BlockId, u32), Vec<u64>>,
    /// Whether a block is the head of a loop.
    pub(crate) heads: Vec<bool>,
    /// Whether a block lies on a cycle.
    pub(crate) cyclic: Vec<bool>,
    /// Constants, in order, and their neighbours.
    pub(crate) thresholds: Vec<i64>,
    /// For each statement, how many calls come before it.
    pub(crate) sites: Vec<u32>,
    /// Whether what parameters turned out to be is told to callers.
    pub(crate) tells_parameters: bool,
    /// What its answers are worth.
    pub(crate) answers: Answers,
    /// Whether it asks whether two references are the same.
    pub(crate) compares_objects: bool,
    /// Tests that stand in it more than once.
    pub(super) agains: Agains,
    /// Sides of tests that nobody expects.
    pub(super) asides: Asides,
    /// Questions that are asked more than once.
    pub(super) asked: Asked,
    /// Handlers of which it is known what throws what they take.
    pub(super) explained: FxHashSet<(BlockId, NameId)>,
}

/// In blocks with more calls than this, dead variables are dropped behind each so many calls, so
/// that what is done for a call does not grow with the calls before it.
const STRIDE: usize = 16;

/// Procedures with more blocks than this do not tell callers what parameters turned out to be.
const MOST_TELLING: usize = 24;

impl Flow {
    pub(crate) fn new(world: &World, procedure: ProcId, body: &Body) -> Flow {
        let blocks = body.blocks.len();
        let words = body.variables.len().div_ceil(64);
        let next = successors(body);
        let mut live = vec![vec![0u64; words]; blocks];
        let (gen_, kill) = uses(body, words);
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks).rev() {
                let mut set = vec![0u64; words];
                for &to in &next[block] {
                    set.iter_mut().zip(&live[to]).for_each(|(a, b)| *a |= b);
                }
                // What handlers need is live throughout, also before it is written here.
                let mut handled = vec![0u64; words];
                for handler in body.handlers(BlockId::new(block)) {
                    let needed = &live[handler.block.index()];
                    handled.iter_mut().zip(needed).for_each(|(a, b)| *a |= b);
                }
                for word in 0..words {
                    let value =
                        (set[word] & !kill[block][word]) | gen_[block][word] | handled[word];
                    changed |= value != live[block][word];
                    live[block][word] = value;
                }
            }
        }
        let inside = inside(body, &next, &live);
        let (heads, cycles) = loops(&next);
        let cyclic: Vec<bool> = cycles.iter().map(Option::is_some).collect();
        let mut sites = Vec::with_capacity(body.statements.len());
        let mut count = 0;
        for statement in &body.statements {
            sites.push(count);
            count += u32::from(matches!(statement, Statement::Call { .. }));
        }
        let result = world.program.procedures()[procedure].selector;
        let result = world.program.selectors()[result].result;
        let is_answer = matches!(
            world.program.types()[result],
            tern_ir::Type::Boolean | tern_ir::Type::Void | tern_ir::Type::Integer { .. }
        );
        let asked = Asked::new(world, procedure, body, &sites, &next);
        Flow {
            live,
            inside,
            asides: Asides::new(world, body),
            asked,
            explained: explained(world, procedure, body, &sites),
            heads,
            thresholds: thresholds(world, body),
            sites,
            tells_parameters: is_answer && blocks <= MOST_TELLING,
            answers: world.answers(procedure, &cyclic),
            compares_objects: compares_objects(world, body),
            cyclic,
            agains: Agains::new(world, procedure, body, &next, &cycles),
        }
    }

    /// The variables that are live at a point: at the beginning of a block, and at some others.
    pub(crate) fn live(&self, (block, at): (BlockId, u32)) -> Option<Live<'_>> {
        match at {
            0 => Some(Live(&self.live[block.index()])),
            _ => self.inside.get(&(block, at)).map(|row| Live(row)),
        }
    }
}

/// The variables that are live at a point.
#[derive(Clone, Copy)]
pub(crate) struct Live<'a>(&'a [u64]);

impl Live<'_> {
    pub(crate) fn has(self, variable: VarId) -> bool {
        self.0[variable.index() / 64] & (1 << (variable.index() % 64)) != 0
    }
}

/// The handlers to which something may come: what takes all leaves nothing to those behind it.
pub(crate) fn reached(handlers: &[Handler]) -> &[Handler] {
    let last = handlers.iter().position(|it| it.class.is_none());
    &handlers[..last.map_or(handlers.len(), |it| it + 1)]
}

/// The blocks that may follow each block, handlers included.
pub(crate) fn successors(body: &Body) -> Vec<Vec<usize>> {
    let each = body.blocks.iter().map(|(id, block)| {
        let mut next = Vec::new();
        block.jump.targets(|to| next.push(to.index()));
        next.extend(reached(body.handlers(id)).iter().map(|handler| handler.block.index()));
        next.sort_unstable();
        next.dedup();
        next
    });
    each.collect()
}

/// For each block, what it reads before it writes it, and what it writes.
fn uses(body: &Body, words: usize) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let blocks = body.blocks.len();
    let (mut reads, mut writes) =
        (vec![vec![0u64; words]; blocks], vec![vec![0u64; words]; blocks]);
    for (id, block) in body.blocks.iter() {
        let (reads, writes) = (&mut reads[id.index()], &mut writes[id.index()]);
        let mut read = |operand: Operand, writes: &[u64]| {
            if let Operand::Variable(variable) = operand {
                let (word, bit) = (variable.index() / 64, 1 << (variable.index() % 64));
                if writes[word] & bit == 0 {
                    reads[word] |= bit;
                }
            }
        };
        for (statement, _) in body.statements(id) {
            statement.operands(body, |operand| read(operand, writes));
            if let Some(to) = statement.written() {
                writes[to.index() / 64] |= 1 << (to.index() % 64);
            }
        }
        block.jump.operands(|operand| read(operand, writes));
    }
    (reads, writes)
}

/// Exceptions for which anything may be the reason.
const BROAD: [&str; 5] = [
    "java.lang.Throwable",
    "java.lang.Exception",
    "java.lang.RuntimeException",
    "java.io.IOException",
    "java.sql.SQLException",
];

/// The handlers, by their blocks and what they take, for which some call is known to throw that.
fn explained(
    world: &World,
    procedure: ProcId,
    body: &Body,
    sites: &[u32],
) -> FxHashSet<(BlockId, NameId)> {
    let mut found = FxHashSet::default();
    let is_narrow = |class: &NameId| !BROAD.contains(&world.program.text(*class));
    let is_call = |row: &u32| matches!(body.statements[*row as usize], Statement::Call { .. });
    for (id, block) in body.blocks.iter() {
        let calls = || block.statements.clone().filter(is_call);
        for handler in body.handlers(id) {
            let Some(class) = handler.class.filter(is_narrow) else { continue };
            let is_known = calls().any(|row| {
                let callee = world.callee(procedure, sites[row as usize] as usize);
                let may = callee.model.may.and_then(|it| world.program.find_name(it));
                let far = callee.targets.iter().flatten().flat_map(|it| world.failing(*it));
                let mut thrown = callee.throws.iter().chain(&may).chain(far);
                thrown.any(|it| world.is_below(*it, class) == Tri::True)
            });
            if is_known {
                found.insert((handler.block, class));
            }
        }
    }
    found
}

/// The variables that are live behind each [`STRIDE`]th call of long blocks.
fn inside(
    body: &Body,
    next: &[Vec<usize>],
    live: &[Vec<u64>],
) -> FxHashMap<(BlockId, u32), Vec<u64>> {
    let mut found = FxHashMap::default();
    for (id, block) in body.blocks.iter() {
        let is_call = |statement: &Statement| matches!(statement, Statement::Call { .. });
        let mut calls = body.statements(id).filter(|(it, _)| is_call(it)).count();
        if calls <= STRIDE {
            continue;
        }
        // Handlers are among the blocks that follow: what they need is live throughout.
        let mut handled = vec![0u64; live[id.index()].len()];
        let mut set = handled.clone();
        let add = |set: &mut [u64], other: &[u64]| {
            set.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
        };
        next[id.index()].iter().for_each(|&to| add(&mut set, &live[to]));
        body.handlers(id).iter().for_each(|it| add(&mut handled, &live[it.block.index()]));
        let read = |operand: Operand, set: &mut [u64]| {
            if let Operand::Variable(variable) = operand {
                set[variable.index() / 64] |= 1 << (variable.index() % 64);
            }
        };
        block.jump.operands(|operand| read(operand, &mut set));
        let statements: Vec<&Statement> = body.statements(id).map(|(it, _)| it).collect();
        for (at, statement) in statements.iter().enumerate().rev() {
            if is_call(statement) {
                if calls.is_multiple_of(STRIDE) {
                    found.insert((id, at as u32 + 1), set.clone());
                }
                calls -= 1;
            }
            if let Some(to) = statement.written() {
                set[to.index() / 64] &= !(1 << (to.index() % 64));
            }
            statement.operands(body, |operand| read(operand, &mut set));
            add(&mut set, &handled);
        }
    }
    found
}

/// Which blocks are heads of loops (a step back in a depth-first search leads there), and which lie
/// on a cycle.
fn loops(next: &[Vec<usize>]) -> (Vec<bool>, Vec<Option<usize>>) {
    let count = next.len();
    let (mut heads, mut cycles) = (vec![false; count], vec![None; count]);
    // 0: new, 1: on the path, 2: done.
    let mut marks = vec![0u8; count];
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if marks[root] != 0 {
            continue;
        }
        marks[root] = 1;
        path.push((root, 0));
        while let Some((block, position)) = path.last_mut() {
            let Some(&to) = next[*block].get(*position) else {
                marks[*block] = 2;
                path.pop();
                continue;
            };
            *position += 1;
            match marks[to] {
                0 => {
                    marks[to] = 1;
                    path.push((to, 0));
                }
                1 => heads[to] = true,
                _ => {}
            }
        }
    }
    let step = |block: BlockId| next[block.index()].iter().map(|&to| BlockId::new(to));
    let budget = Budget::unlimited();
    let found = Components::new(count, step, &mut Meter::new(&budget));
    let Ok(found) = found else { return (heads, vec![Some(0); count]) };
    for component in found.ids() {
        let members = found.members(component);
        let first = members[0].index();
        let alone = members.len() == 1 && !next[first].contains(&first);
        members.iter().filter(|_| !alone).for_each(|block| cycles[block.index()] = Some(first));
    }
    (heads, cycles)
}

/// The blocks from which the head of a loop is come back to without coming by it before.
pub(crate) fn round(body: &Body, head: BlockId) -> FxHashSet<BlockId> {
    let mut before: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
    for (id, block) in body.blocks.iter() {
        block.jump.targets(|to| before.entry(to).or_default().push(id));
    }
    let mut inside: FxHashSet<BlockId> = [head].into_iter().collect();
    let back = before.get(&head).into_iter().flatten().filter(|it| **it >= head);
    let mut work: Vec<BlockId> = back.copied().collect();
    while let Some(block) = work.pop() {
        if inside.insert(block) {
            work.extend(before.get(&block).into_iter().flatten());
        }
    }
    inside
}

/// Whether a test compares two variables that hold references.
fn compares_objects(world: &World, body: &Body) -> bool {
    let is_reference = |operand: Operand| match operand {
        Operand::Variable(variable) => matches!(
            world.program.types()[body.variables[variable].ty],
            Type::Reference(_) | Type::Array(_) | Type::Unknown
        ),
        Operand::Constant(_) => false,
    };
    body.blocks.as_slice().iter().any(|block| match &block.jump {
        Jump::Branch { test, .. } => is_reference(test.left) && is_reference(test.right),
        _ => false,
    })
}

fn thresholds(world: &World, body: &Body) -> Vec<i64> {
    let mut found = vec![0, 1, -1];
    let mut note = |operand: Operand| {
        if let Operand::Constant(constant) = operand
            && let Value::Number(value, _) = world.constant(constant)
            && found.len() < 64
        {
            found.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
        }
    };
    for statement in &body.statements {
        statement.operands(body, &mut note);
    }
    body.blocks.as_slice().iter().for_each(|block| block.jump.operands(&mut note));
    found.sort_unstable();
    found.dedup();
    found
}
