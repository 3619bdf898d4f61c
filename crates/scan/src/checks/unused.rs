//! Values that are stored in a variable and read on no path.
//!
//! Liveness is computed on the nodes that were explored: paths that the facts rule out do not
//! count. Constants of `final` variables are copied to where they are read by compilers, so a
//! variable that is never read is reported only if it was not given a constant, or the source says
//! that it is not `final`.

use super::Place;
use crate::explore::{ComponentId, Explored};
use crate::sources::Sources;
use crate::words;
use rustc_hash::FxHashSet;
use tern_ir::{Block, BlockId, Body, Constant, Operand, ProcId, Program, Statement, VarId};
use tern_model::index::Id;

type Set = Vec<u64>;

fn has(set: &[u64], variable: VarId) -> bool {
    set[variable.index() / 64] & (1 << (variable.index() % 64)) != 0
}

pub(super) fn find(
    explored: &Explored,
    procedure: ProcId,
    sources: &Sources,
    places: &mut Vec<Place>,
) {
    let body = explored.body(procedure);
    let program = explored.world.program;
    let is_named = |variable: VarId| {
        let row = &body.variables[variable];
        row.name.is_some_and(|name| !program.text(name).contains('$'))
    };
    let mut written: FxHashSet<u32> = FxHashSet::default();
    for (row, statement) in body.statements.iter().enumerate() {
        if statement.written().is_some_and(is_named) {
            written.insert(row as u32);
        }
    }
    if written.is_empty() {
        return;
    }
    let (mut dead, mut reached) = (written.clone(), FxHashSet::default());
    for &id in explored.components_of(procedure) {
        live(explored, id, body, &mut dead, &mut reached);
    }
    let read = read(body);
    let file = words::file(program, procedure);
    let mut rows: Vec<u32> = dead.into_iter().filter(|row| reached.contains(row)).collect();
    rows.sort_unstable();
    let mut lines = FxHashSet::default();
    for row in rows {
        let statement = &body.statements[row as usize];
        let Some(to) = statement.written() else { continue };
        let is_handler = body.handlers.iter().any(|handler| {
            matches!(statement, Statement::Copy { from: Operand::Variable(it), .. }
                if *it == handler.variable)
        });
        let line = body.places[row as usize].line;
        if is_handler || line == 0 || is_step(body, statement, to) {
            continue;
        }
        let constant = match statement {
            Statement::Copy { from: Operand::Constant(constant), .. } => {
                Some(program.constants()[*constant])
            }
            _ => None,
        };
        let never_read = !has(&read, to);
        let is_noise = match constant {
            Some(constant) if never_read => {
                let source = sources.line(&file, line);
                is_trivial(program, constant) || source.is_none_or(|it| it.contains("final "))
            }
            Some(constant) => is_trivial(program, constant),
            None => false,
        };
        let is_noise = is_noise || never_read && is_each(program, body, statement);
        if is_noise
            || is_copied(body, row, line, to)
            || is_handled(explored, procedure, row, to)
            || !lines.insert((line, to))
        {
            continue;
        }
        let subject = words::operand(explored.world, body, Operand::Variable(to));
        let reason = String::new();
        let calls = Vec::new();
        places.push(Place { procedure, line, subject, reason, certain: false, calls });
    }
}

/// Whether a handler may read what a statement writes: what comes before the next write may throw,
/// whatever is known of it. That memory runs out is thrown where something is made.
fn is_handled(explored: &Explored, procedure: ProcId, row: u32, to: VarId) -> bool {
    let body = explored.body(procedure);
    let flow = explored.flow(procedure);
    let mut seen: FxHashSet<(usize, bool)> = FxHashSet::default();
    let is_inside = |(_, block): &(BlockId, &Block)| block.statements.contains(&row);
    let Some((first, _)) = body.blocks.iter().find(is_inside) else { return false };
    let mut work = vec![(first, row + 1)];
    while let Some((block, from)) = work.pop() {
        let rows = body.blocks[block].statements.clone();
        if !seen.insert((block.index(), from == rows.start)) {
            continue;
        }
        let handlers = body.handlers(block);
        let is_read =
            handlers.iter().any(|it| flow.live((it.block, 0)).is_some_and(|live| live.has(to)));
        let mut is_written = false;
        for at in from..rows.end {
            let statement = &body.statements[at as usize];
            let may_throw = matches!(
                statement,
                Statement::Call { .. } | Statement::New { .. } | Statement::NewArray { .. }
            );
            if is_read && may_throw {
                return true;
            }
            if statement.written() == Some(to) {
                is_written = true;
                break;
            }
        }
        if !is_written {
            let next = |it: BlockId| (it, body.blocks[it].statements.start);
            body.blocks[block].jump.targets(|it| work.push(next(it)));
        }
    }
    false
}

/// Whether another copy of the same line writes the variable too, as in `finally` blocks.
fn is_copied(body: &Body, row: u32, line: u32, to: VarId) -> bool {
    let same = |(other, statement): (usize, &Statement)| {
        other != row as usize
            && body.places[other].line == line
            && statement
                .written()
                .is_some_and(|it| body.variables[it].name == body.variables[to].name)
    };
    body.statements.iter().enumerate().any(same)
}

/// Whether a value is an element of what a loop goes through: who only counts them has to name it.
fn is_each(program: &Program, body: &Body, statement: &Statement) -> bool {
    match statement {
        Statement::LoadElement { array: Operand::Variable(array), .. } => {
            body.variables[*array].name.is_none()
        }
        Statement::Call { call, .. } => {
            program.text(program.selectors()[call.selector].name) == "next"
        }
        Statement::Cast { from: Operand::Variable(from), .. }
        | Statement::Copy { from: Operand::Variable(from), .. } => {
            let mut all = body.statements.iter();
            let made = all.find(|it| it.written() == Some(*from));
            body.variables[*from].name.is_none()
                && made.is_some_and(|it| {
                    matches!(it, Statement::LoadElement { .. } | Statement::Call { .. })
                        && is_each(program, body, it)
                })
        }
        _ => false,
    }
}

/// Whether a value is one that variables are given for want of a better one.
fn is_trivial(program: &Program, constant: Constant) -> bool {
    match constant {
        Constant::Integer(value) => (-1..=1).contains(&value),
        Constant::Float(bits) => f64::from_bits(bits) == 0.0,
        Constant::Text(name) => program.text(name).is_empty(),
        Constant::Null => true,
        Constant::Class(_) | Constant::Any => false,
    }
}

/// Whether a variable is counted on, as in `i++`.
fn is_step(body: &Body, statement: &Statement, to: VarId) -> bool {
    let name = body.variables[to].name;
    let mut is_own = false;
    if matches!(statement, Statement::Binary { .. }) {
        statement.operands(body, |operand| {
            is_own |= matches!(operand, Operand::Variable(it) if body.variables[it].name == name);
        });
    }
    is_own
}

/// All variables that are read somewhere, by name.
fn read(body: &Body) -> Set {
    let mut set = vec![0; body.variables.len().div_ceil(64)];
    let mut note = |operand: Operand| {
        if let Operand::Variable(it) = operand {
            set[it.index() / 64] |= 1 << (it.index() % 64);
        }
    };
    body.statements.iter().for_each(|statement| statement.operands(body, &mut note));
    body.blocks.as_slice().iter().for_each(|block| block.jump.operands(&mut note));
    set
}

/// Takes out of `dead` the statements whose value is read later, on nodes of a component.
fn live(
    explored: &Explored,
    id: ComponentId,
    body: &Body,
    dead: &mut FxHashSet<u32>,
    reached: &mut FxHashSet<u32>,
) {
    let component = &explored.components[id];
    let words = body.variables.len().div_ceil(64);
    let count = component.nodes.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in &component.edges {
        before[edge.to].push(edge.from);
        after[edge.from].push(edge.to);
    }
    let entering = entering(explored, id);
    let mut sets: Vec<Set> = vec![vec![0; words]; count];
    let mut work: Vec<usize> = (0..count).collect();
    let mut is_waiting = vec![true; count];
    let mut is_final = false;
    loop {
        let Some(node) = work.pop() else {
            if is_final {
                return;
            }
            // Once more through all, now that the sets are known.
            is_final = true;
            work = (0..count).collect();
            continue;
        };
        is_waiting[node] = false;
        let own = &component.nodes[node];
        let rows = body.blocks[own.block].statements.clone();
        let within = |to: &&usize| {
            let next = &component.nodes[**to];
            next.block == own.block && next.at > own.at
        };
        let end = after[node].iter().filter(within).map(|&to| component.nodes[to].at).min();
        let mut set: Set = vec![0; words];
        let mut handled: Set = vec![0; words];
        for &to in &after[node] {
            set.iter_mut().zip(&sets[to]).for_each(|(a, b)| *a |= b);
            if body.handlers(own.block).iter().any(|it| it.block == component.nodes[to].block) {
                handled.iter_mut().zip(&sets[to]).for_each(|(a, b)| *a |= b);
            }
        }
        let last = match end {
            Some(end) => rows.start + end,
            None if entering.contains(&node) => {
                // Nobody that was seen comes back, so nothing is written here; others may, and read
                // whatever there is.
                set.fill(u64::MAX);
                rows.start + own.at
            }
            None => {
                body.blocks[own.block].jump.operands(|operand| mark(&mut set, operand));
                rows.end
            }
        };
        // A node at a call that waits is passed as a whole.
        let last = last.max(rows.start + own.at);
        for row in (rows.start + own.at..last).rev() {
            let statement = &body.statements[row as usize];
            if let Some(to) = statement.written() {
                if is_final {
                    reached.insert(row);
                    if has(&set, to) {
                        dead.remove(&row);
                    }
                }
                set[to.index() / 64] &= !(1 << (to.index() % 64));
            }
            statement.operands(body, |operand| mark(&mut set, operand));
        }
        set.iter_mut().zip(&handled).for_each(|(a, b)| *a |= b);
        if !is_final && set != sets[node] {
            sets[node] = set;
            for &from in &before[node] {
                if !std::mem::replace(&mut is_waiting[from], true) {
                    work.push(from);
                }
            }
        }
    }
}

/// The nodes of a component that enter others.
fn entering(explored: &Explored, id: ComponentId) -> FxHashSet<usize> {
    let callers = explored.components.as_slice().iter().flat_map(|it| &it.callers);
    callers.filter(|(caller, _)| *caller == id).map(|&(_, node)| node).collect()
}

fn mark(set: &mut Set, operand: Operand) {
    if let Operand::Variable(it) = operand {
        set[it.index() / 64] |= 1 << (it.index() % 64);
    }
}
