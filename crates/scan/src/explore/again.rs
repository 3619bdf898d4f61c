//! Tests that stand in a procedure more than once, `if (safe) lock(); … if (safe) unlock();`, or
//! are come by more than once, since they may end a loop.
//!
//! How such a test went is kept with the facts until something is written that it looks at, so that
//! it goes the same way again. A test is known by what it compares: variables, constants, fields
//! that were just read, what is computed from these, and what does not change: lengths of arrays,
//! classes of objects, questions to texts, and how much is to be logged. A getter of an object
//! (`list.getArity() == 1`) answers the same until something is done with the object.

use super::asked::{begins, is_piece};
use crate::world::World;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_ir::{
    BlockId, Body, Call, Comparison, Constant, ConstantId, Dispatch, FieldId, Jump, NameId,
    Operand, Operator, ProcId, SelectorId, Statement, Test, Type, TypeId, VarId,
};
use tern_model::index::Id;

/// Methods that ask how much is to be logged, besides `is…Enabled`.
const SETTINGS: [&str; 5] = ["isLoggable", "isVerbose", "isDebug", "isDebugging", "verbose"];

/// Classes whose methods without an object only compute: `Double.isNaN(x)`.
const COMPUTING: [&str; 10] = [
    "Boolean",
    "Byte",
    "Character",
    "Double",
    "Float",
    "Integer",
    "Long",
    "Math",
    "Short",
    "StrictMath",
];

/// How the names of methods begin that look at an object, and words of names of those that do more.
const LOOKS: [&str; 9] =
    ["get", "is", "has", "can", "size", "length", "contains", "equals", "hashCode"];
const MORE: [&str; 4] = ["Next", "More", "And", "Or"];

/// How many tests of a procedure are told apart.
const MOST: usize = 64;

/// What one side of a test is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Term {
    Constant(ConstantId),
    Local(VarId),
    Static(FieldId),
    Field(VarId, FieldId),
    Computed(Operator, Vec<Term>),
    /// The length of an array, which does not change.
    Length(Box<Term>),
    /// Whether an object is of a type, which does not change.
    Is(Box<Term>, TypeId),
    /// A question to a text, or how much is to be logged.
    Asked(NameId, SelectorId, Vec<Term>),
}

/// A test, and whether it is the opposite of the one that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub(crate) test: u8,
    pub(crate) is_opposite: bool,
    /// Whether it looks at fields that others may write.
    pub(crate) is_shared: bool,
}

/// The tests of a body that stand in it more than once.
#[derive(Debug, Default)]
pub(crate) struct Agains {
    /// For each block that ends with one, which.
    of: FxHashMap<BlockId, Again>,
    /// For each variable and field that they look at, which.
    variables: FxHashMap<VarId, u64>,
    fields: BTreeMap<FieldId, u64>,
    /// For each variable whose object they ask, which.
    objects: FxHashMap<VarId, u64>,
    /// For each block, those that may come in it or later.
    later: Vec<u64>,
}

impl Agains {
    pub(super) fn new(
        world: &World,
        procedure: ProcId,
        body: &Body,
        next: &[Vec<usize>],
        cycles: &[Option<usize>],
    ) -> Agains {
        let has_own = !world.program.procedures()[procedure].is_static;
        let look = Look { world, body, own: has_own.then(|| VarId::new(0)) };
        let mut groups: FxHashMap<(Term, u8, Term), Vec<(BlockId, bool)>> = FxHashMap::default();
        for (id, block) in body.blocks.iter() {
            let Jump::Branch { test, yes, no } = &block.jump else { continue };
            if yes == no {
                continue;
            }
            let Some((left, right)) = terms(look, id, test) else { continue };
            let (kind, is_opposite) = match test.comparison {
                Comparison::Equal => (0, false),
                Comparison::NotEqual => (0, true),
                // Nothing is shorter than nothing.
                Comparison::Greater if is_length(world, &left, &right) => (0, true),
                Comparison::LessEqual if is_length(world, &left, &right) => (0, false),
                Comparison::Less => (1, false),
                Comparison::GreaterEqual => (1, true),
                Comparison::Greater => (2, false),
                Comparison::LessEqual => (2, true),
            };
            groups.entry((left, kind, right)).or_default().push((id, is_opposite));
        }
        let is_again = |(left, _, right): &(Term, u8, Term), blocks: &[(BlockId, bool)]| {
            blocks.len() > 1 || is_steady_end(body, blocks[0].0, [left, right], cycles)
        };
        // A loop may wait until a getter answers something else.
        let is_waiting = |(left, _, right): &(Term, u8, Term), blocks: &[(BlockId, bool)]| {
            (left.asks_object(world) || right.asks_object(world))
                && blocks.iter().any(|(block, _)| may_end_loop(body, *block, cycles))
        };
        let mut several: Vec<_> = groups
            .into_iter()
            .filter(|(terms, blocks)| is_again(terms, blocks) && !is_waiting(terms, blocks))
            .collect();
        several.sort_by_key(|(_, blocks)| blocks[0].0);
        several.truncate(MOST);
        let mut own = Agains::default();
        if several.is_empty() {
            return own;
        }
        let mut at = vec![0u64; body.blocks.len()];
        for (number, ((left, _, right), blocks)) in several.into_iter().enumerate() {
            let bit = 1u64 << number;
            let mut is_shared = false;
            for term in [&left, &right] {
                own.depend(world, term, bit, &mut is_shared);
            }
            for (block, is_opposite) in blocks {
                at[block.index()] |= bit;
                own.of.insert(block, Again { test: number as u8, is_opposite, is_shared });
            }
        }
        own.later = at.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..next.len()).rev() {
                let after = next[block].iter().fold(at[block], |all, &to| all | own.later[to]);
                changed |= after != own.later[block];
                own.later[block] = after;
            }
        }
        own
    }

    fn depend(&mut self, world: &World, term: &Term, bit: u64, is_shared: &mut bool) {
        match term {
            Term::Constant(_) => {}
            Term::Local(variable) => *self.variables.entry(*variable).or_default() |= bit,
            Term::Static(field) => {
                *is_shared |= !world.is_fixed(*field);
                *self.fields.entry(*field).or_default() |= bit;
            }
            Term::Field(object, field) => {
                *is_shared |= !world.is_fixed(*field);
                *self.variables.entry(*object).or_default() |= bit;
                *self.fields.entry(*field).or_default() |= bit;
            }
            Term::Length(of) | Term::Is(of, _) => self.depend(world, of, bit, is_shared),
            Term::Asked(class, _, all) => {
                *is_shared |= !is_text(world, *class) && !is_computing(world, *class);
                if let (true, [Term::Local(object)]) = (term.asks_object(world), &all[..]) {
                    *self.objects.entry(*object).or_default() |= bit;
                }
                all.iter().for_each(|it| self.depend(world, it, bit, is_shared));
            }
            Term::Computed(_, all) => {
                all.iter().for_each(|it| self.depend(world, it, bit, is_shared));
            }
        }
    }

    /// The test that a block ends with, if it stands elsewhere too.
    pub(super) fn of(&self, block: BlockId) -> Option<Again> {
        self.of.get(&block).copied()
    }

    /// Tests that look at no variable that is written here, nor at a field.
    pub(super) fn without(&self, variable: Option<VarId>, field: Option<FieldId>) -> u64 {
        if self.of.is_empty() {
            return u64::MAX;
        }
        let by_variable = variable.and_then(|it| self.variables.get(&it)).copied().unwrap_or(0);
        let by_field = field.and_then(|it| self.fields.get(&it)).copied().unwrap_or(0);
        !(by_variable | by_field)
    }

    /// Tests that do not ask the object of a variable.
    pub(super) fn without_object(&self, variable: VarId) -> u64 {
        !self.objects.get(&variable).copied().unwrap_or(0)
    }

    /// Tests that look only at fields for which `stays` holds.
    pub(super) fn with_fields(&self, stays: impl Fn(FieldId) -> bool) -> u64 {
        let gone = self.fields.iter().filter(|(field, _)| !stays(**field));
        !gone.fold(0, |all, (_, bits)| all | bits)
    }

    /// Tests that may come in a block or later.
    pub(super) fn later(&self, block: BlockId) -> u64 {
        self.later.get(block.index()).copied().unwrap_or(0)
    }
}

/// A body, and the variable of the object whose method it is.
#[derive(Clone, Copy)]
struct Look<'l, 'p> {
    world: &'l World<'p>,
    body: &'l Body,
    own: Option<VarId>,
}

/// The sides of a test, unless one is `null`: values know about that.
fn terms(look: Look, block: BlockId, test: &Test) -> Option<(Term, Term)> {
    let Look { world, body, .. } = look;
    let rows = body.blocks[block].statements.clone();
    let (mut left, mut right) = (test.left, test.right);
    let last = (rows.end > rows.start).then(|| &body.statements[rows.end as usize - 1]);
    if let Some(Statement::Binary { to, operator: Operator::Compare, left: a, right: b }) = last
        && left == Operand::Variable(*to)
        && matches!(right, Operand::Constant(_))
    {
        // The comparison of two long numbers with zero.
        (left, right) = (*a, *b);
    }
    let is_null = |it: Operand| matches!(it, Operand::Constant(it) if world.program.constants()[it] == Constant::Null);
    // Neither of `x < y` and `x >= y` is true of what is no number.
    let is_float = |it: Operand| {
        matches!(it, Operand::Variable(it)
            if matches!(world.program.types()[body.variables[it].ty], Type::Float { .. }))
    };
    if is_null(left) || is_null(right) || is_float(left) || is_float(right) {
        return None;
    }
    let end = rows.end as usize;
    let left = term(look, rows.start as usize, end, left, 3)?;
    let right = term(look, rows.start as usize, end, right, 3)?;
    let both = matches!((&left, &right), (Term::Constant(_), Term::Constant(_)));
    (!both).then_some((left, right))
}

impl Term {
    /// Whether it is the answer of a getter, until something is done with the object.
    fn asks_object(&self, world: &World) -> bool {
        match self {
            Term::Asked(class, selector, all) => {
                matches!(&all[..], [Term::Local(_)])
                    && !is_text(world, *class)
                    && !is_computing(world, *class)
                    && !is_setting(world, *selector)
            }
            Term::Computed(_, all) => all.iter().any(|it| it.asks_object(world)),
            Term::Length(of) | Term::Is(of, _) => of.asks_object(world),
            Term::Constant(_) | Term::Local(_) | Term::Static(_) | Term::Field(..) => false,
        }
    }

    /// The variables that it looks at.
    fn variables(&self, found: &mut Vec<VarId>) {
        match self {
            Term::Constant(_) | Term::Static(_) => {}
            Term::Local(variable) | Term::Field(variable, _) => found.push(*variable),
            Term::Length(of) | Term::Is(of, _) => of.variables(found),
            Term::Computed(_, all) | Term::Asked(_, _, all) => {
                all.iter().for_each(|it| it.variables(found));
            }
        }
    }
}

/// Whether a test may end a loop, and looks at nothing that is written in it: it goes the same way
/// in every round.
fn is_steady_end(body: &Body, block: BlockId, terms: [&Term; 2], cycles: &[Option<usize>]) -> bool {
    let stays = |id: BlockId| cycles[id.index()] == cycles[block.index()];
    if !may_end_loop(body, block, cycles) {
        return false;
    }
    let mut variables = Vec::new();
    terms.into_iter().for_each(|it| it.variables(&mut variables));
    let mut inside = body.blocks.ids().filter(|&id| stays(id)).flat_map(|id| body.statements(id));
    !inside.any(|(it, _)| it.written().is_some_and(|it| variables.contains(&it)))
}

/// Whether one side of a test leaves the loop that it is in.
fn may_end_loop(body: &Body, block: BlockId, cycles: &[Option<usize>]) -> bool {
    let own = cycles[block.index()];
    let stays = |id: BlockId| cycles[id.index()] == own;
    matches!(&body.blocks[block].jump,
        Jump::Branch { yes, no, .. } if own.is_some() && stays(*yes) != stays(*no))
}

/// Whether the length of an array or text is compared with zero.
fn is_length(world: &World, left: &Term, right: &Term) -> bool {
    let program = world.program;
    let is_zero = matches!(right, Term::Constant(it)
        if program.constants()[*it] == Constant::Integer(0));
    let is_length = match left {
        Term::Length(_) => true,
        Term::Asked(_, selector, _) => {
            program.text(program.selectors()[*selector].name) == "length"
        }
        _ => false,
    };
    is_zero && is_length
}

fn is_text(world: &World, class: NameId) -> bool {
    world.program.text(class) == "java.lang.String"
}

/// Whether a method says how much is to be logged, which stays as it was set up:
/// `isDebugEnabled()`.
fn is_setting(world: &World, selector: SelectorId) -> bool {
    let selector = &world.program.selectors()[selector];
    let name = world.program.text(selector.name);
    world.program.types()[selector.result] == Type::Boolean
        && (name.starts_with("is") && name.ends_with("Enabled") || SETTINGS.contains(&name))
}

/// Whether the methods of a class that are called without an object only compute.
fn is_computing(world: &World, class: NameId) -> bool {
    let name = world.program.text(class).strip_prefix("java.lang.");
    name.is_some_and(|it| COMPUTING.contains(&it))
}

/// Whether a call computes something of numbers.
fn computes(world: &World, body: &Body, call: &Call) -> bool {
    call.dispatch == Dispatch::Static
        && is_computing(world, call.class)
        && body.operands(&call.arguments).iter().all(|it| does_not_change(world, body, *it))
}

/// Whether the name of a method says that it looks at an object.
pub(super) fn looks(name: &str) -> bool {
    LOOKS.iter().any(|it| begins(name, it)) && !MORE.iter().any(|it| name.contains(it))
}

/// Whether a call is a getter of an object that a variable holds, not the one whose method this is,
/// and not of the library, whose objects change in many ways.
fn is_getter(look: Look, call: &Call) -> bool {
    let Look { world, body, own } = look;
    let name = world.program.text(world.program.selectors()[call.selector].name);
    let class = world.program.text(call.class);
    let is_word = LOOKS.contains(&name);
    let is_other = matches!(body.operands(&call.arguments), [Operand::Variable(it)]
        if Some(*it) != own);
    call.dispatch == Dispatch::Virtual
        && is_other
        && looks(name)
        && !is_word
        && !is_piece(class, name)
        && (!class.starts_with("java.") || class == "java.lang.Class")
}

/// Whether an operand is a text, or no reference at all.
fn does_not_change(world: &World, body: &Body, operand: Operand) -> bool {
    let Operand::Variable(variable) = operand else { return true };
    match world.program.types()[body.variables[variable].ty] {
        Type::Reference(class) => is_text(world, class),
        Type::Array(_) | Type::Unknown => false,
        _ => true,
    }
}

/// What an operand is before the statement `end` of a block that begins at `start`.
fn term(look: Look, start: usize, end: usize, operand: Operand, depth: usize) -> Option<Term> {
    let Look { world, body, .. } = look;
    let variable = match operand {
        Operand::Constant(constant) => return Some(Term::Constant(constant)),
        Operand::Variable(variable) => variable,
    };
    let Some(row) =
        (start..end).rev().find(|&row| body.statements[row].written() == Some(variable))
    else {
        return Some(Term::Local(variable));
    };
    let statement = &body.statements[row];
    // What it is made of must stay what it is until the test.
    let rest = &body.statements[row + 1..end];
    let is_written = |it: VarId| rest.iter().any(|other| other.written() == Some(it));
    let mut stays = true;
    statement.operands(body, |it| {
        stays &= !matches!(it, Operand::Variable(it) if is_written(it));
    });
    if !stays || depth == 0 {
        return Some(Term::Local(variable));
    }
    let field_stays = |field: FieldId| {
        rest.iter().all(|other| match other {
            Statement::Store { field: written, .. } => world.field(*written) != field,
            Statement::Call { .. } | Statement::Monitor { .. } => world.is_fixed(field),
            _ => true,
        })
    };
    let inner = |operand: Operand| term(look, start, row, operand, depth - 1);
    let found = match statement {
        Statement::Copy { from, .. } => inner(*from),
        Statement::Load { object, field, .. } if field_stays(world.field(*field)) => {
            let field = world.field(*field);
            match object {
                None => Some(Term::Static(field)),
                Some(object) => match inner(*object) {
                    Some(Term::Local(object)) => Some(Term::Field(object, field)),
                    _ => None,
                },
            }
        }
        Statement::Binary { operator, left, right, .. } => {
            let both: Option<Vec<Term>> = [*left, *right].into_iter().map(inner).collect();
            both.map(|it| Term::Computed(*operator, it))
        }
        Statement::Length { array, .. } => inner(*array).map(|it| Term::Length(Box::new(it))),
        Statement::InstanceOf { from, ty, .. } => {
            inner(*from).map(|it| Term::Is(Box::new(it), *ty))
        }
        Statement::Call { call, .. } => {
            let arguments = body.operands(&call.arguments);
            let stays = || arguments.iter().all(|it| does_not_change(world, body, *it));
            let is_known = is_setting(world, call.selector)
                || computes(world, body, call)
                || is_text(world, call.class) && stays();
            let terms = || arguments.iter().map(|it| inner(*it)).collect::<Option<Vec<Term>>>();
            let asked = |terms: Vec<Term>| Term::Asked(call.class, call.selector, terms);
            match is_known {
                true => terms().map(asked),
                // What is done with an object is seen by its variable.
                false if is_getter(look, call) => {
                    terms().filter(|terms| matches!(&terms[..], [Term::Local(_)])).map(asked)
                }
                false => None,
            }
        }
        _ => None,
    };
    Some(found.unwrap_or(Term::Local(variable)))
}
