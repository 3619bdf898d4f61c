//! One method: the blocks of its bytecode become blocks of statements.
//!
//! # How the stack becomes variables
//! Blocks are run in an order in which each comes after one that leads to it, on a [`Stack`] of
//! operands. A block with one edge into it goes on with the operands of its predecessor. Where
//! several edges meet, each entry of the stack becomes a variable, and those who lead there copy
//! their operands into it; all copies of one jump happen at once, so that what one overwrites and
//! another reads is saved first. A handler begins with the thrown object in such a variable.
//!
//! # Monitors
//! A `synchronized` method enters the monitor in a block of its own before the first; it leaves it
//! before each return, and in a block at the end that takes whatever nobody else takes and throws
//! it again.

use super::Failure;
use super::flow::Flow;
use super::link::Linker;
use super::locals::Locals;
use super::stack::{Slot, Stack};
use crate::java::class::{Code, Instruction, Kind, Malformed};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tern_ir::{
    Block, BlockId, Body, Constant, Handler, Jump, Operand, Place, Statement, Type, TypeId, VarId,
    Variable,
};
use tern_model::budget::Meter;
use tern_model::index::Id;

/// How many operands may be looked at or copied because they are on the stack, in one method.
const MOST_COPIES: usize = 1 << 22;

/// What is known of a method before it is lowered.
pub(crate) struct Frame<'m> {
    pub(crate) code: &'m Code<'m>,
    pub(crate) instructions: &'m [Instruction],
    pub(crate) flow: &'m Flow,
    pub(crate) locals: &'m Locals,
    /// Types of the parameters, the receiver first.
    pub(crate) parameters: &'m [TypeId],
    /// Indices of names of the parameters, without the receiver; may be empty.
    pub(crate) names: &'m [u16],
    pub(crate) is_static: bool,
    pub(crate) is_synchronized: bool,
    pub(crate) result: TypeId,
}

/// Lowers a method.
pub(crate) fn lower(link: &mut Linker, frame: &Frame, meter: &mut Meter) -> Result<Body, Failure> {
    let mut lowering = Lowering::new(link, frame)?;
    lowering.handlers()?;
    for &block in &frame.flow.order {
        meter.tick()?;
        lowering.block(block as usize, meter)?;
    }
    Ok(lowering.finish())
}

/// A method while it is lowered.
pub(crate) struct Lowering<'m, 'l, 'a, 'p> {
    pub(crate) link: &'l mut Linker<'a, 'p>,
    pub(crate) frame: &'m Frame<'m>,
    pub(crate) stack: Stack,
    pub(crate) variables: Vec<Variable>,
    /// The round in which a variable was last copied into; 0 if it is not where edges meet.
    pub(super) merged: Vec<u32>,
    pub(super) round: u32,
    /// The first variable that is a temporary.
    first_temporary: usize,
    pub(crate) statements: Vec<Statement>,
    places: Vec<Place>,
    pub(crate) operands: Vec<Operand>,
    handlers: Vec<Handler>,
    /// Rows of handlers, by the rows of the flow that they come from.
    handler_rows: FxHashMap<(u32, u32), Range<u32>>,
    blocks: Vec<Option<Block>>,
    /// The stack at the beginning of each block, once something leads there.
    pub(super) entries: Vec<Option<Vec<Slot>>>,
    /// The last block that was connected to each block.
    pub(super) connected: Vec<u32>,
    /// Where the statements of the current block begin.
    block_start: usize,
    pub(crate) next_access: usize,
    pub(crate) place: Place,
    copies: usize,
    /// What a synchronized method holds, and the variable of what is thrown past it.
    pub(crate) monitor: Option<(Operand, VarId)>,
}

impl<'m, 'l, 'a, 'p> Lowering<'m, 'l, 'a, 'p> {
    fn new(link: &'l mut Linker<'a, 'p>, frame: &'m Frame<'m>) -> Result<Self, Malformed> {
        let blocks = frame.flow.blocks.len();
        let mut lowering = Lowering {
            link,
            frame,
            stack: Stack::default(),
            variables: Vec::with_capacity(frame.locals.variables.len() + 8),
            merged: Vec::new(),
            round: 0,
            first_temporary: 0,
            statements: Vec::with_capacity(frame.instructions.len() / 2),
            places: Vec::with_capacity(frame.instructions.len() / 2),
            operands: Vec::new(),
            handlers: Vec::new(),
            handler_rows: FxHashMap::default(),
            blocks: vec![None; blocks],
            entries: vec![None; blocks],
            connected: vec![u32::MAX; blocks],
            block_start: 0,
            next_access: 0,
            place: Place::default(),
            copies: 0,
            monitor: None,
        };
        lowering.declare()?;
        lowering.entries[0] = Some(Vec::new());
        if frame.is_synchronized {
            lowering.synchronize();
        }
        Ok(lowering)
    }

    /// Makes the variables of parameters and locals.
    fn declare(&mut self) -> Result<(), Malformed> {
        let frame = self.frame;
        let receiver = usize::from(!frame.is_static);
        for (position, local) in frame.locals.variables.iter().enumerate() {
            let row = local.row.map(|row| &frame.code.locals[row as usize]);
            let mut name = match row {
                Some(row) => Some(self.link.name(row.name)?),
                None => None,
            };
            let ty = match (frame.parameters.get(position), row) {
                (Some(&ty), _) => ty,
                (None, Some(row)) => self.link.type_at(row.descriptor)?,
                (None, None) => self.link.basics.widest(local.kind),
            };
            if name.is_none() && position < frame.parameters.len() {
                let named = position.checked_sub(receiver).and_then(|row| frame.names.get(row));
                name = match named {
                    Some(&index) if index != 0 => Some(self.link.name(index)?),
                    _ if position < receiver => Some(self.link.program.name("this")),
                    _ => None,
                };
            }
            self.variables.push(Variable { name, ty });
        }
        self.merged.resize(self.variables.len(), 0);
        self.first_temporary = self.variables.len();
        Ok(())
    }

    fn synchronize(&mut self) {
        let object = match self.frame.is_static {
            true => {
                let ty = self.link.program.ty(Type::Reference(self.link.host.name));
                self.link.constant(Constant::Class(ty))
            }
            false => Operand::Variable(VarId::new(0)),
        };
        // A method that writes `this` leaves the monitor of what it was.
        let held = match self.frame.is_static || self.frame.locals.variables[0].writes == 0 {
            true => object,
            false => {
                let to = self.temporary(self.frame.parameters[0]);
                self.emit(Statement::Copy { to, from: object });
                Operand::Variable(to)
            }
        };
        self.emit(Statement::Monitor { object: held, enter: true });
        let thrown = self.temporary(self.link.basics.throwable);
        self.monitor = Some((held, thrown));
    }

    /// The number of the first block that comes from bytecode.
    fn base(&self) -> usize {
        usize::from(self.monitor.is_some())
    }

    fn block_id(&self, block: u32) -> BlockId {
        BlockId::new(block as usize + self.base())
    }

    /// Makes the variables in which handlers find what was thrown.
    fn handlers(&mut self) -> Result<(), Malformed> {
        let flow = self.frame.flow;
        for handler in &flow.handlers {
            let ty = match handler.class {
                0 => self.link.basics.throwable,
                index => self.link.class_type(index)?,
            };
            let throwable = self.link.basics.throwable;
            match &mut self.entries[handler.block as usize] {
                Some(entry) => match entry.first_mut() {
                    Some(slot) if slot.ty != ty => {
                        slot.ty = throwable;
                        if let Operand::Variable(variable) = slot.operand {
                            self.variables[variable.index()].ty = throwable;
                        }
                    }
                    Some(_) => {}
                    None => return Err(Malformed { offset: 0, what: "code begins as a handler" }),
                },
                None => {
                    let slot = self.meeting(Kind::Reference, ty);
                    if let (Operand::Variable(variable), 0) =
                        (slot.operand, flow.blocks[handler.block as usize].entered)
                    {
                        // Nothing else arrives there: its type is known when all handlers are.
                        self.merged[variable.index()] = 0;
                    }
                    self.entries[handler.block as usize] = Some(vec![slot]);
                }
            }
        }
        Ok(())
    }

    /// A new variable that is written once, or where edges meet.
    pub(crate) fn temporary(&mut self, ty: TypeId) -> VarId {
        let variable = VarId::new(self.variables.len());
        self.variables.push(Variable { name: None, ty });
        self.merged.push(0);
        variable
    }

    /// A new variable where edges meet.
    pub(super) fn meeting(&mut self, kind: Kind, ty: TypeId) -> Slot {
        let variable = self.temporary(ty);
        // Any round but the current one.
        self.merged[variable.index()] = u32::MAX;
        Slot { operand: Operand::Variable(variable), kind, ty }
    }

    /// The type of an operand as far as it is certain: that of a variable where edges meet may
    /// still become wider.
    pub(crate) fn certain_type(&self, slot: &Slot) -> TypeId {
        match slot.operand {
            Operand::Variable(variable)
                if self.merged[variable.index()] != 0 && slot.kind == Kind::Reference =>
            {
                self.link.basics.object
            }
            _ => slot.ty,
        }
    }

    pub(crate) fn emit(&mut self, statement: Statement) {
        self.statements.push(statement);
        self.places.push(self.place);
    }

    /// Emits a statement that writes a new temporary, and puts that on the stack.
    pub(crate) fn define(&mut self, kind: Kind, ty: TypeId, make: impl FnOnce(VarId) -> Statement) {
        let to = self.temporary(ty);
        self.emit(make(to));
        self.stack.push(Slot { operand: Operand::Variable(to), kind, ty });
    }

    /// Notes that so many operands are looked at.
    pub(crate) fn spend(&mut self, operands: usize) -> Result<(), Malformed> {
        self.copies += operands;
        match self.copies > MOST_COPIES {
            true => Err(Malformed { offset: 0, what: "too much is on the operand stack" }),
            false => Ok(()),
        }
    }

    /// The last statement of the block, if it writes just the temporary that is given, which is the
    /// newest one and not on the stack.
    pub(crate) fn last_defines(&mut self, operand: Operand) -> Result<bool, Malformed> {
        let newest = self.variables.len() - 1;
        let is_newest = newest >= self.first_temporary
            && operand == Operand::Variable(VarId::new(newest))
            && self.merged[newest] == 0
            && self.statements.len() > self.block_start
            && self.statements.last().and_then(Statement::written) == Some(VarId::new(newest));
        if !is_newest {
            return Ok(false);
        }
        self.spend(self.stack.slots().len())?;
        Ok(!self.stack.holds(operand))
    }

    /// Takes back the newest temporary, which nothing names any more.
    pub(crate) fn forget_newest(&mut self) {
        self.variables.pop();
        self.merged.pop();
    }

    /// Takes back the last statement.
    pub(crate) fn retract(&mut self) -> Option<Statement> {
        self.places.pop();
        self.statements.pop()
    }

    fn block(&mut self, block: usize, meter: &mut Meter) -> Result<(), Failure> {
        let frame = self.frame;
        let rows = frame.flow.blocks[block].instructions.clone();
        let entry = self.entries[block].clone();
        let Some(entry) = entry else {
            return Err(
                Malformed { offset: frame.code.start, what: "a block without a stack" }.into()
            );
        };
        self.spend(entry.len())?;
        self.stack = Stack::new(entry);
        self.block_start = self.statements.len();
        self.next_access = frame.locals.first[block] as usize;
        let instructions = &frame.instructions[rows.start as usize..rows.end as usize];
        let mut jump = None;
        for instruction in instructions {
            meter.tick()?;
            self.place = Place { line: frame.code.line(instruction.at), offset: instruction.at };
            jump =
                self.instruction(&instruction.op, block).map_err(|wrong| match wrong.offset {
                    0 => Malformed { offset: frame.code.start + instruction.at as usize, ..wrong },
                    _ => wrong,
                })?;
        }
        let jump = match jump {
            Some(jump) => jump,
            None => {
                self.connect(block, &mut [])?;
                Jump::Goto(self.target(block, 0))
            }
        };
        let handlers = self.handler_rows(block)?;
        self.blocks[block] = Some(Block {
            statements: self.block_start as u32..self.statements.len() as u32,
            jump,
            place: self.place,
            handlers,
        });
        Ok(())
    }

    /// The block that an edge of a block leads to.
    pub(crate) fn target(&self, block: usize, edge: usize) -> BlockId {
        self.block_id(self.frame.flow.edges(block)[edge])
    }

    fn handler_rows(&mut self, block: usize) -> Result<Range<u32>, Malformed> {
        let flow = self.frame.flow;
        let rows = &flow.blocks[block].handlers;
        if let Some(known) = self.handler_rows.get(&(rows.start, rows.end)) {
            return Ok(known.clone());
        }
        let first = self.handlers.len() as u32;
        let mut takes_all = false;
        for handler in flow.handlers(block) {
            let class = match handler.class {
                0 => None,
                index => Some(self.link.class(index)?),
            };
            takes_all |= class.is_none();
            let entry = self.entries[handler.block as usize].as_deref();
            if let Some([Slot { operand: Operand::Variable(variable), .. }, ..]) = entry {
                let block = self.block_id(handler.block);
                self.handlers.push(Handler { class, variable: *variable, block });
            }
        }
        if let (Some((_, variable)), false) = (self.monitor, takes_all) {
            let block = self.block_id(flow.blocks.len() as u32);
            self.handlers.push(Handler { class: None, variable, block });
        }
        let known = first..self.handlers.len() as u32;
        self.handler_rows.insert((rows.start, rows.end), known.clone());
        Ok(known)
    }

    fn finish(mut self) -> Body {
        let frame = self.frame;
        let mut blocks = Vec::with_capacity(self.blocks.len() + 2);
        if let Some((held, thrown)) = self.monitor {
            // What was emitted first of all: the monitor is entered.
            let entered =
                self.statements.iter().position(|s| matches!(s, Statement::Monitor { .. }));
            let end = entered.map_or(0, |row| row as u32 + 1);
            let to = BlockId::new(1);
            let jump = Jump::Goto(to);
            let place = Place::default();
            blocks.push(Block { statements: 0..end, jump, place, handlers: 0..0 });
            blocks.extend(std::mem::take(&mut self.blocks).into_iter().flatten());
            let start = self.statements.len() as u32;
            self.place = Place::default();
            self.emit(Statement::Monitor { object: held, enter: false });
            let jump = Jump::Throw(Operand::Variable(thrown));
            blocks.push(Block { statements: start..start + 1, jump, place, handlers: 0..0 });
        } else {
            blocks.extend(self.blocks.into_iter().flatten());
        }
        self.statements.shrink_to_fit();
        self.places.shrink_to_fit();
        Body {
            file: self.link.host.file,
            parameters: frame.parameters.len(),
            variables: self.variables.into_iter().collect(),
            blocks: blocks.into_iter().collect(),
            statements: self.statements,
            places: self.places,
            operands: self.operands,
            handlers: self.handlers,
        }
    }
}
