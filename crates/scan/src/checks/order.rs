//! Locks that are taken in different orders: `synchronized` and `java.util.concurrent.locks`.
//!
//! A lock has a name that is the same in all procedures: a field, the objects of a class, or the
//! class itself. In each procedure the locks that are held are followed along the code; taking
//! another one, here or in what is called, is a pair. Two pairs in opposite orders are a finding;
//! so is one of two different objects of the same class, since another thread may exchange them.

use super::Place;
use crate::world::World;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{
    Access, BlockId, Body, Constant, Dispatch, FieldId, Jump, Operand, ProcId, Statement, Type,
    TypeId, VarId,
};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

/// A lock as one procedure sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Lock {
    Field(FieldId),
    Class(TypeId),
    /// The object that a parameter is, of a type.
    Parameter(u32, TypeId),
}

/// A lock by the name that all procedures share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Name {
    Field(FieldId),
    Class(TypeId),
    Objects(TypeId),
}

impl Lock {
    fn name(self) -> Name {
        match self {
            Lock::Field(field) => Name::Field(field),
            Lock::Class(ty) => Name::Class(ty),
            Lock::Parameter(_, ty) => Name::Objects(ty),
        }
    }
}

/// How many locks are followed at once, and how many a procedure tells its callers of.
const MOST_HELD: usize = 6;
const MOST_TAKEN: usize = 8;

type Taken = FxHashMap<ProcId, BTreeSet<Lock>>;
type Pairs = BTreeMap<(Name, Name), (ProcId, u32)>;

/// All pairs of locks that are taken in both orders.
pub(crate) fn find(world: &World, budget: &Budget) -> Result<Vec<Place>, Limit> {
    let taken = taken(world, budget)?;
    let same = Same::new(world, &taken);
    let mut pairs = Pairs::new();
    for (id, procedure) in world.program.procedures().iter() {
        if let Some(body) = &procedure.body {
            budget.check()?;
            follow(world, id, body, (&taken, &same), &mut pairs);
        }
    }
    let mut places = Vec::new();
    for (&(first, second), &(procedure, line)) in &pairs {
        let Some(&(other, at)) = pairs.get(&(second, first)) else { continue };
        let show = |name: Name| match name {
            Name::Field(field) => {
                format!("`{}`", world.program.text(world.program.fields()[field].name))
            }
            Name::Class(ty) => format!("`{}.class`", world.type_text(ty)),
            Name::Objects(ty) => format!("another `{}`", world.type_text(ty)),
        };
        let subject = format!("{} while {} is held", show(second), show(first));
        let title = world.program.title(other);
        let reason = format!("(`{}`, line {at})", crate::words::short(&title));
        let calls = Vec::new();
        places.push(Place { procedure, line, subject, reason, certain: false, calls });
    }
    Ok(places)
}

/// Parameters of private methods that every call gives the same object: to take both is to take
/// one.
struct Same(FxHashMap<ProcId, BTreeSet<(u32, u32)>>);

impl Same {
    fn new(world: &World, taken: &Taken) -> Same {
        let program = world.program;
        let is_asked = |id: ProcId| {
            let locks = taken.get(&id).into_iter().flatten();
            let given = locks.filter(|it| matches!(it, Lock::Parameter(..)));
            program.procedures()[id].access == Access::Private && given.count() > 1
        };
        let mut same: FxHashMap<ProcId, BTreeSet<(u32, u32)>> = FxHashMap::default();
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            let mut own: Option<Vec<Option<Lock>>> = None;
            each_call(world, id, body, |_, arguments, target| {
                if !is_asked(target) {
                    return;
                }
                let locks = own.get_or_insert_with(|| locks(world, body));
                let given = |position: u32| {
                    let lock = of(world, locks, arguments[position as usize]);
                    lock.filter(|it| matches!(it, Lock::Parameter(..)))
                };
                let all = 0..arguments.len() as u32;
                let each = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
                let here: BTreeSet<(u32, u32)> =
                    each.filter(|&(a, b)| given(a).is_some() && given(a) == given(b)).collect();
                same.entry(target)
                    .and_modify(|it| it.retain(|it| here.contains(it)))
                    .or_insert(here);
            });
        }
        Same(same)
    }

    fn is(&self, id: ProcId, one: Lock, other: Lock) -> bool {
        match (one, other) {
            (Lock::Parameter(a, _), Lock::Parameter(b, _)) => {
                self.0.get(&id).is_some_and(|it| it.contains(&(a, b)))
            }
            _ => false,
        }
    }
}

/// What each variable holds, if it is a lock that has a name and is written once.
fn locks(world: &World, body: &Body) -> Vec<Option<Lock>> {
    let mut locks: Vec<Option<Lock>> = vec![None; body.variables.len()];
    let mut writes = vec![0u32; body.variables.len()];
    for parameter in body.parameters() {
        let ty = body.variables[parameter].ty;
        if matches!(world.program.types()[ty], Type::Reference(_)) {
            locks[parameter.index()] = Some(Lock::Parameter(parameter.index() as u32, ty));
        }
    }
    for statement in &body.statements {
        let Some(to) = statement.written() else { continue };
        writes[to.index()] += 1;
        locks[to.index()] = match statement {
            Statement::Load { field, .. } => Some(Lock::Field(world.field(*field))),
            Statement::Copy { from, .. } | Statement::Cast { from, .. } => of(world, &locks, *from),
            _ => None,
        };
        if writes[to.index()] > 1 {
            locks[to.index()] = None;
        }
    }
    locks
}

fn of(world: &World, locks: &[Option<Lock>], operand: Operand) -> Option<Lock> {
    match operand {
        Operand::Variable(variable) => locks[VarId::index(variable)],
        Operand::Constant(constant) => match world.program.constants()[constant] {
            Constant::Class(ty) => Some(Lock::Class(ty)),
            _ => None,
        },
    }
}

/// Whether a statement takes or gives a lock, and which.
fn effect(world: &World, body: &Body, statement: &Statement) -> Option<(Operand, bool)> {
    match statement {
        Statement::Monitor { object, enter } => Some((*object, *enter)),
        Statement::Call { call, .. } if call.dispatch != Dispatch::Static => {
            let class = world.program.text(call.class);
            let method = world.program.text(world.program.selectors()[call.selector].name);
            let is_lock = class.starts_with("java.util.concurrent.locks.");
            let object = body.operands(&call.arguments)[0];
            match method {
                "lock" | "lockInterruptibly" if is_lock => Some((object, true)),
                "unlock" if is_lock => Some((object, false)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What each procedure takes, with all it calls, as it sees it.
fn taken(world: &World, budget: &Budget) -> Result<Taken, Limit> {
    let mut taken = Taken::default();
    let program = world.program;
    for (id, procedure) in program.procedures().iter() {
        let Some(body) = &procedure.body else { continue };
        let takes = |it: &Statement| effect(world, body, it).is_some_and(|(_, takes)| takes);
        if body.statements.iter().any(takes) {
            let locks = locks(world, body);
            let of = |(object, takes): (Operand, bool)| {
                if takes { of(world, &locks, object) } else { None }
            };
            let all =
                body.statements.iter().filter_map(|it| effect(world, body, it)).filter_map(of);
            taken.insert(id, all.collect());
        }
    }
    // Callers of callers: a few rounds are enough for what people can see.
    for _ in 0..4 {
        budget.check()?;
        let mut more = Vec::new();
        for (id, procedure) in program.procedures().iter() {
            let Some(body) = &procedure.body else { continue };
            let mut own: Option<Vec<Option<Lock>>> = None;
            each_call(world, id, body, |_, arguments, target| {
                let Some(theirs) = taken.get(&target) else { return };
                let locks = own.get_or_insert_with(|| locks(world, body));
                for lock in theirs {
                    let lock = translated(world, locks, arguments, *lock);
                    more.extend(lock.map(|lock| (id, lock)));
                }
            });
        }
        let mut changed = false;
        for (id, lock) in more {
            let set = taken.entry(id).or_default();
            changed |= set.len() < MOST_TAKEN && set.insert(lock);
        }
        if !changed {
            break;
        }
    }
    Ok(taken)
}

/// A lock of a callee as the caller sees it.
fn translated(
    world: &World,
    locks: &[Option<Lock>],
    arguments: &[Operand],
    lock: Lock,
) -> Option<Lock> {
    match lock {
        Lock::Parameter(position, _) => of(world, locks, *arguments.get(position as usize)?),
        other => Some(other),
    }
}

fn each_call(
    world: &World,
    id: ProcId,
    body: &Body,
    mut visit: impl FnMut(usize, &[Operand], ProcId),
) {
    let mut site = 0;
    for (row, statement) in body.statements.iter().enumerate() {
        let Statement::Call { call, .. } = statement else { continue };
        let callee = world.callee(id, site);
        site += 1;
        for &target in callee.targets.iter().flatten() {
            visit(row, body.operands(&call.arguments), target);
        }
    }
}

fn follow(
    world: &World,
    id: ProcId,
    body: &Body,
    (taken, same): (&Taken, &Same),
    pairs: &mut Pairs,
) {
    let takes = |it: &Statement| effect(world, body, it).is_some();
    if !body.statements.iter().any(takes) {
        return;
    }
    let locks = locks(world, body);
    let mut calls: FxHashMap<usize, Vec<Lock>> = FxHashMap::default();
    each_call(world, id, body, |row, arguments, target| {
        for lock in taken.get(&target).into_iter().flatten() {
            calls.entry(row).or_default().extend(translated(world, &locks, arguments, *lock));
        }
    });
    // What is held, and the monitors that were entered, if it is known which.
    type Held = (Vec<Lock>, Vec<Option<Lock>>);
    let mut seen: BTreeSet<(usize, Held)> = BTreeSet::new();
    let mut work: Vec<(usize, Held)> = vec![(0, Held::default())];
    while let Some((block, (mut held, mut entered))) = work.pop() {
        let state = (block, (held.clone(), entered.clone()));
        if seen.len() > 64 * body.blocks.len() || entered.len() > MOST_HELD || !seen.insert(state) {
            continue;
        }
        let id_of = BlockId::new(block);
        let rows = body.blocks[id_of].statements.clone();
        // What is held where something may be thrown.
        let mut thrown: Vec<Held> = Vec::new();
        for row in rows.start as usize..rows.end as usize {
            if matches!(body.statements[row], Statement::Call { .. }) {
                thrown.push((held.clone(), entered.clone()));
            }
            let mut note = |lock: Lock, held: &[Lock]| {
                let is_other = |it: &&Lock| **it != lock && !same.is(id, **it, lock);
                for &other in held.iter().filter(|it| is_other(it) && !held.contains(&lock)) {
                    let place = (id, body.places[row].line);
                    pairs.entry((other.name(), lock.name())).or_insert(place);
                }
            };
            calls.get(&row).into_iter().flatten().for_each(|&lock| note(lock, &held));
            if let Some((object, takes)) = effect(world, body, &body.statements[row])
                && let Some(lock) = of(world, &locks, object)
            {
                if takes {
                    note(lock, &held);
                    if held.len() < MOST_HELD {
                        held.push(lock);
                    }
                } else if let Some(place) = held.iter().rposition(|it| *it == lock) {
                    held.remove(place);
                }
            }
            // Of what is kept in a variable that is written again it is not known which lock it
            // is; but the last that was entered is left.
            if let Statement::Monitor { object, enter } = &body.statements[row] {
                let known = of(world, &locks, *object);
                match (enter, known) {
                    (true, known) => entered.push(known),
                    (false, Some(_)) => {
                        entered.pop();
                    }
                    (false, None) => {
                        let last = entered.pop().flatten();
                        let place = last.and_then(|it| held.iter().rposition(|own| *own == it));
                        place.map(|place| held.remove(place));
                    }
                }
            }
        }
        let jump = &body.blocks[id_of].jump;
        jump.targets(|to| work.push((to.index(), (held.clone(), entered.clone()))));
        if matches!(jump, Jump::Throw(_)) {
            thrown.push((held, entered));
        }
        thrown.sort_unstable();
        thrown.dedup();
        for handler in crate::explore::reached(body.handlers(id_of)) {
            work.extend(thrown.iter().map(|it| (handler.block.index(), it.clone())));
        }
    }
}
