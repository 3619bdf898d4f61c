//! Sides of tests that those who wrote them do not expect: that none of several classes is met
//! (`if (x instanceof A) v = …; else if (x instanceof B) v = …;`), or that something is what stands
//! for nothing at first (`int last = -1; … if (n != last) { last = n; v = open(n); }`).
//!
//! A variable that is `null`, and that the other sides give a value, is *doubted* there: a run that
//! uses it may be one that the program does not take.

use crate::state::{Slot, State};
use crate::values::{Cause, Value};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{
    BlockId, Body, Comparison, Constant, Jump, NameId, Operand, Statement, Type, TypeId, VarId,
};
use tern_model::Tri;
use tern_model::index::Id;

/// How the names of methods begin by which is told what was not expected.
const TOLD: [&str; 8] =
    ["printStackTrace", "log", "error", "warn", "severe", "fatal", "debug", "info"];

/// What is doubted where a block goes on at another.
#[derive(Clone, Debug)]
struct Aside {
    to: BlockId,
    variables: Vec<VarId>,
    /// What must be a negative number, as at first.
    sentinel: Option<VarId>,
}

/// The sides of a body that nobody expects.
#[derive(Debug, Default)]
pub(super) struct Asides {
    rows: FxHashMap<BlockId, Aside>,
}

impl Asides {
    pub(super) fn new(world: &World, body: &Body) -> Asides {
        let look = Look { world, body };
        let mut rows = FxHashMap::default();
        for block in body.blocks.ids() {
            if let Some((last, aside)) = look.chain(block) {
                rows.entry(last).or_insert(aside);
            }
            if let Some(aside) = look.sentinel(block) {
                rows.insert(block, aside);
            }
        }
        rows.retain(|_, aside: &mut Aside| !aside.variables.is_empty());
        Asides { rows }
    }

    /// What is not known for sure any more where a block goes on at another.
    pub(super) fn doubt(&self, from: BlockId, to: BlockId, state: &mut State) {
        let Some(aside) = self.rows.get(&from).filter(|it| it.to == to) else { return };
        let is_first = |it: VarId| matches!(state.get(Slot::Local(it)), Value::Number(low, high) if low == high && low < 0);
        if !aside.sentinel.is_none_or(is_first) {
            return;
        }
        for &variable in &aside.variables {
            if state.get(Slot::Local(variable)) == Value::Null(Cause::Written) {
                state.set(Slot::Local(variable), Value::Null(Cause::Doubted));
            }
        }
    }
}

/// A test of the class of something: what is tested, where it goes on if it is of the class, and
/// if not.
struct Kind {
    of: Operand,
    class: TypeId,
    yes: BlockId,
    no: BlockId,
}

struct Look<'l, 'p> {
    world: &'l World<'p>,
    body: &'l Body,
}

impl Look<'_, '_> {
    /// The test of a class by which a block ends.
    fn kind(&self, block: BlockId) -> Option<Kind> {
        let Jump::Branch { test, yes, no } = &self.body.blocks[block].jump else { return None };
        let is_zero = matches!(test.right, Operand::Constant(it)
            if self.world.program.constants()[it] == Constant::Integer(0));
        let (yes, no) = match test.comparison {
            Comparison::Equal if is_zero => (*no, *yes),
            Comparison::NotEqual if is_zero => (*yes, *no),
            _ => return None,
        };
        let (of, class) =
            self.body.statements(block).find_map(|(statement, _)| match statement {
                Statement::InstanceOf { to, from, ty } if Operand::Variable(*to) == test.left => {
                    Some((*from, *ty))
                }
                _ => None,
            })?;
        (yes != no).then_some(Kind { of, class, yes, no })
    }

    /// Tests of the classes of one thing that begin in a block: the last of them, and what is
    /// doubted where none of the classes is met.
    fn chain(&self, first: BlockId) -> Option<(BlockId, Aside)> {
        let mut kind = self.kind(first)?;
        let (mut sides, mut classes, mut last) = (vec![kind.yes], vec![kind.class], first);
        while let Some(next) = self.kind(kind.no).filter(|it| it.of == kind.of) {
            let rows = self.body.blocks[kind.no].statements.len();
            if rows > 1 || sides.len() > self.body.blocks.len() {
                break;
            }
            last = kind.no;
            sides.push(next.yes);
            classes.push(next.class);
            kind = next;
        }
        let after = self.reached(kind.no, first, &FxHashSet::default());
        let others = self.reached(sides[0], first, &FxHashSet::default());
        let is_whole = sides.len() > 1 && !self.is_left_out(kind.of, &classes);
        if !is_whole && !self.is_told(kind.no, &others) {
            return None;
        }
        let mut common: Option<FxHashSet<VarId>> = None;
        for &side in &sides {
            let inside = self.reached(side, first, &after);
            // Who does not come back to where all go on has nothing to say.
            if !inside.iter().any(|it| self.leads(*it, &after)) {
                continue;
            }
            let written = self.written(&inside);
            common = Some(match common {
                None => written,
                Some(known) => known.intersection(&written).copied().collect(),
            });
        }
        let mut variables: Vec<VarId> = common?.into_iter().collect();
        variables.retain(|it| self.is_reference(*it));
        variables.sort_unstable();
        Some((last, Aside { to: kind.no, variables, sentinel: None }))
    }

    /// Whether the program has a class that a variable may be of, and that none of some types
    /// stands for.
    fn is_left_out(&self, of: Operand, classes: &[TypeId]) -> bool {
        let types = self.world.program.types();
        let Operand::Variable(variable) = of else { return false };
        let Type::Reference(own) = types[self.body.variables[variable].ty] else { return false };
        let is_met = |name: NameId| {
            classes.iter().any(|it| match types[*it] {
                Type::Reference(above) => self.world.is_below(name, above) == Tri::True,
                _ => false,
            })
        };
        let below = self.world.classes_below(own).unwrap_or_default();
        below.into_iter().any(|it| !is_met(it))
    }

    /// What is doubted where something is equal to a variable that stands for nothing at first, and
    /// else for what was met last.
    fn sentinel(&self, block: BlockId) -> Option<Aside> {
        let Jump::Branch { test, yes, no } = &self.body.blocks[block].jump else { return None };
        let (same, other) = match test.comparison {
            Comparison::Equal => (*yes, *no),
            Comparison::NotEqual => (*no, *yes),
            _ => return None,
        };
        let (Operand::Variable(left), Operand::Variable(right)) = (test.left, test.right) else {
            return None;
        };
        let is_last = |it: VarId, met: VarId| {
            let mut writers = self.body.statements.iter().filter(|row| row.written() == Some(it));
            let mut is_written = false;
            let fits = writers.all(|row| match row {
                Statement::Copy { from: Operand::Constant(it), .. } => {
                    matches!(self.world.program.constants()[*it], Constant::Integer(it) if it < 0)
                }
                Statement::Copy { from: Operand::Variable(from), .. } => {
                    is_written = true;
                    *from == met
                }
                _ => false,
            });
            it.index() >= self.body.parameters && fits && is_written
        };
        let last = match (is_last(left, right), is_last(right, left)) {
            (true, _) => left,
            (_, true) => right,
            _ => return None,
        };
        let after = self.reached(same, block, &FxHashSet::default());
        let written = self.written(&self.reached(other, block, &after));
        let mut variables: Vec<VarId> =
            written.into_iter().filter(|it| self.is_reference(*it)).collect();
        variables.sort_unstable();
        Some(Aside { to: same, variables, sentinel: Some(last) })
    }

    /// The blocks that are reached from one without coming by another, or by some that are known.
    fn reached(
        &self,
        from: BlockId,
        without: BlockId,
        known: &FxHashSet<BlockId>,
    ) -> FxHashSet<BlockId> {
        let (mut found, mut work) = (FxHashSet::default(), vec![from]);
        while let Some(block) = work.pop() {
            if block != without && !known.contains(&block) && found.insert(block) {
                self.body.blocks[block].jump.targets(|to| work.push(to));
            }
        }
        found
    }

    fn leads(&self, block: BlockId, after: &FxHashSet<BlockId>) -> bool {
        let mut found = false;
        self.body.blocks[block].jump.targets(|to| found |= after.contains(&to));
        found
    }

    fn written(&self, blocks: &FxHashSet<BlockId>) -> FxHashSet<VarId> {
        let rows = blocks.iter().flat_map(|it| self.body.statements(*it));
        rows.filter_map(|(statement, _)| statement.written()).collect()
    }

    /// Whether it is told that something was not expected, from a block on and before others.
    fn is_told(&self, from: BlockId, others: &FxHashSet<BlockId>) -> bool {
        let program = self.world.program;
        let own = self.reached(from, from, others);
        let first = (!others.contains(&from)).then_some(from);
        own.into_iter().chain(first).flat_map(|it| self.body.statements(it)).any(|(row, _)| {
            matches!(row, Statement::Call { call, .. } if {
                let name = program.text(program.selectors()[call.selector].name);
                TOLD.iter().any(|it| super::asked::begins(name, it))
            })
        })
    }

    fn is_reference(&self, variable: VarId) -> bool {
        let ty = self.world.program.types()[self.body.variables[variable].ty];
        matches!(ty, Type::Reference(_) | Type::Array(_) | Type::Unknown)
    }
}
