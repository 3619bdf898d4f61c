//! Which variables the temporaries of a procedure have the values of, where it calls something.
//!
//! An argument may wait while a later one is worked out, as in `f(x, a && b)`. If there is a branch
//! meanwhile, it waits in a temporary: a variable without a name. It is the argument `x` all the
//! same, unless `x` is written before the call.
//!
//! # How
//! Forward through the blocks: which temporaries have the value of which variable on all ways to a
//! place. A copy adds a pair, a write of either side takes it away, and where ways meet, the pairs
//! of all of them are left. Sets only shrink, so it ends. Handlers begin with nothing: no argument
//! waits there.

use rustc_hash::FxHashMap;
use tern_ir::{BlockId, Body, Operand, Statement, VarId};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

/// A temporary, and the variable that it has the value of.
type Pair = (VarId, VarId);

/// For temporaries that are arguments of calls, by the row of the call, the variables that they
/// have the values of.
pub(super) type Copies = FxHashMap<(usize, VarId), VarId>;

/// Looks through a procedure.
pub(super) fn copies(body: &Body, meter: &mut Meter<'_>) -> Result<Copies, Limit> {
    let mut found = Copies::default();
    if !body.statements.iter().any(|statement| copied(body, statement).is_some()) {
        return Ok(found);
    }
    let mut begins: Vec<Option<Vec<Pair>>> = vec![None; body.blocks.len()];
    let mut open: Vec<BlockId> = vec![BlockId::new(0)];
    for handler in &body.handlers {
        if begins[handler.block.index()].replace(Vec::new()).is_none() {
            open.push(handler.block);
        }
    }
    begins[0] = Some(Vec::new());
    while let Some(block) = open.pop() {
        let mut pairs = begins[block.index()].clone().unwrap_or_default();
        for row in body.blocks[block].statements.clone() {
            meter.tick()?;
            pass(body, &body.statements[row as usize], &mut pairs);
        }
        let mut nexts: Vec<BlockId> = Vec::new();
        body.blocks[block].jump.targets(|to| nexts.push(to));
        for next in nexts {
            for _ in 0..=pairs.len() {
                meter.tick()?;
            }
            match &mut begins[next.index()] {
                Some(known) => {
                    let before = known.len();
                    known.retain(|pair| pairs.contains(pair));
                    if known.len() < before {
                        open.push(next);
                    }
                }
                none => {
                    *none = Some(pairs.clone());
                    open.push(next);
                }
            }
        }
    }
    for (block, begin) in begins.into_iter().enumerate() {
        let Some(mut pairs) = begin else { continue };
        for row in body.blocks[BlockId::new(block)].statements.clone() {
            meter.tick()?;
            let statement = &body.statements[row as usize];
            if let Statement::Call { call, .. } = statement {
                for argument in body.operands(&call.arguments) {
                    let Operand::Variable(temporary) = *argument else { continue };
                    if let Some(variable) = value(&pairs, temporary) {
                        found.insert((row as usize, temporary), variable);
                    }
                }
            }
            pass(body, statement, &mut pairs);
        }
    }
    Ok(found)
}

/// What a statement does to the pairs.
fn pass(body: &Body, statement: &Statement, pairs: &mut Vec<Pair>) {
    let added = copied(body, statement).map(|(to, from)| (to, value(pairs, from).unwrap_or(from)));
    if let Some(written) = statement.written() {
        pairs.retain(|&(to, from)| to != written && from != written);
    }
    pairs.extend(added.filter(|&(to, from)| to != from && !is_temporary(body, from)));
}

/// The temporary that a statement copies a variable into.
fn copied(body: &Body, statement: &Statement) -> Option<Pair> {
    match *statement {
        Statement::Copy { to, from: Operand::Variable(from) } => {
            is_temporary(body, to).then_some((to, from))
        }
        _ => None,
    }
}

fn is_temporary(body: &Body, variable: VarId) -> bool {
    variable.index() >= body.parameters && body.variables[variable].name.is_none()
}

fn value(pairs: &[Pair], temporary: VarId) -> Option<VarId> {
    pairs.iter().find(|pair| pair.0 == temporary).map(|pair| pair.1)
}
