//! Blocks of bytecode: which can be reached, and where each goes on.
//!
//! A block begins where something jumps to, where a handler begins, or where the set of handlers
//! changes, so that all its instructions have the same handlers. Only blocks that can be reached
//! from the first instruction are made; code that cannot is dropped.
//!
//! # Subroutines
//! `jsr` and `ret` (compilers before Java 6) are resolved by copying: a block is an instruction and
//! a *context*, the list of subroutines that it runs in, each with the place it returns to. A
//! subroutine begins with the store of its return address, and so `ret` is matched with the
//! innermost subroutine of that local. A `jsr` to a subroutine that is active returns from it
//! first: a handler has left it, for subroutines are not recursive. [`MOST_INSTRUCTIONS`] bounds
//! the copies.

use crate::java::class::{Code, Instruction, Kind, Malformed, Op};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many instructions a method may have when subroutines are copied out.
const MOST_INSTRUCTIONS: usize = 1 << 18;
/// How many times it may be asked whether a handler covers a block.
const MOST_COVERS: usize = 1 << 24;
/// How many rows of handlers all blocks of a method may have.
const MOST_HANDLERS: usize = 1 << 20;

/// How deep subroutines may call each other.
const DEEPEST: u8 = 64;

/// The blocks of a method, by where they begin; the first is where it begins.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<FlowBlock>,
    /// Where blocks go on: the targets of the last instruction in its order, then the next one.
    pub(crate) edges: Vec<u32>,
    pub(crate) handlers: Vec<FlowHandler>,
    /// All blocks, each but the first after one that leads to it.
    pub(crate) order: Vec<u32>,
}

/// Instructions in a row.
#[derive(Clone, Debug)]
pub(crate) struct FlowBlock {
    /// Its instructions.
    pub(crate) instructions: Range<u32>,
    /// Rows of [`Flow::edges`].
    pub(crate) edges: Range<u32>,
    /// Rows of [`Flow::handlers`].
    pub(crate) handlers: Range<u32>,
    /// How many edges lead here.
    pub(crate) entered: u32,
    /// Whether it is a handler.
    pub(crate) catches: bool,
}

/// A handler of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowHandler {
    /// The index of the class it takes; 0 if it takes all.
    pub(crate) class: u16,
    /// The block where it begins.
    pub(crate) block: u32,
}

impl Flow {
    /// The blocks of some code.
    pub(crate) fn new(code: &Code, instructions: &[Instruction]) -> Result<Self, Malformed> {
        let mut search = Search::new(code, instructions)?;
        search.run()?;
        Ok(search.finish())
    }

    pub(crate) fn edges(&self, block: usize) -> &[u32] {
        let rows = &self.blocks[block].edges;
        &self.edges[rows.start as usize..rows.end as usize]
    }

    pub(crate) fn handlers(&self, block: usize) -> &[FlowHandler] {
        let rows = &self.blocks[block].handlers;
        &self.handlers[rows.start as usize..rows.end as usize]
    }
}

/// A subroutine that is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Context {
    /// The context of its caller.
    caller: u32,
    /// Its first instruction.
    entry: u32,
    /// The instruction it returns to.
    back: u32,
    /// The local with the return address.
    slot: Option<u16>,
    /// How many contexts are around it.
    depth: u8,
}

/// The context in which no subroutine is active.
const OUTSIDE: u32 = 0;

struct Search<'c> {
    code: &'c Code<'c>,
    instructions: &'c [Instruction],
    /// The instruction at each offset; `NONE` between instructions.
    at: Vec<u32>,
    /// Whether a block begins at an instruction.
    begins: Vec<bool>,
    contexts: Vec<Context>,
    context_of: FxHashMap<Context, u32>,
    /// The block of an instruction outside of subroutines; `NONE` if there is none.
    outside: Vec<u32>,
    inside: FxHashMap<(u32, u32), u32>,
    /// Instruction and context of each block.
    keys: Vec<(u32, u32)>,
    flow: Flow,
    copied: usize,
    covered: usize,
}

const NONE: u32 = u32::MAX;

impl<'c> Search<'c> {
    fn new(code: &'c Code<'c>, instructions: &'c [Instruction]) -> Result<Self, Malformed> {
        let mut at = vec![NONE; code.instructions.len() + 1];
        for (row, instruction) in instructions.iter().enumerate() {
            at[instruction.at as usize] = row as u32;
        }
        let outermost = Context { caller: OUTSIDE, entry: NONE, back: NONE, slot: None, depth: 0 };
        let mut search = Search {
            code,
            instructions,
            at,
            begins: vec![false; instructions.len()],
            contexts: vec![outermost],
            context_of: FxHashMap::default(),
            outside: vec![NONE; instructions.len()],
            inside: FxHashMap::default(),
            keys: Vec::new(),
            flow: Flow::default(),
            copied: 0,
            covered: 0,
        };
        search.mark()?;
        Ok(search)
    }

    fn wrong(&self, row: usize, what: &'static str) -> Malformed {
        let offset = self.instructions.get(row).map_or(0, |instruction| instruction.at as usize);
        Malformed { offset: self.code.start + offset, what }
    }

    fn instruction_at(&self, offset: u32, from: usize) -> Result<u32, Malformed> {
        match self.at.get(offset as usize) {
            Some(&row) if row != NONE => Ok(row),
            _ => Err(self.wrong(from, "a jump that does not lead to an instruction")),
        }
    }

    /// Marks the instructions at which blocks begin.
    fn mark(&mut self) -> Result<(), Malformed> {
        for (row, instruction) in self.instructions.iter().enumerate() {
            let mut wrong = None;
            instruction.op.targets(|target| match self.at.get(target as usize) {
                Some(&target) if target != NONE => self.begins[target as usize] = true,
                _ => wrong = Some(row),
            });
            if let Some(row) = wrong {
                return Err(self.wrong(row, "a jump that does not lead to an instruction"));
            }
        }
        for row in &self.code.handlers {
            let offset = self.code.start + usize::from(row.handler);
            let wrong = |what| Malformed { offset, what };
            if row.start >= row.end || usize::from(row.end) > self.code.instructions.len() {
                return Err(wrong("a handler of a range that is none"));
            }
            match self.at.get(usize::from(row.handler)) {
                Some(&handler) if handler != NONE => self.begins[handler as usize] = true,
                _ => return Err(wrong("a handler that does not begin at an instruction")),
            }
            for border in [row.start, row.end] {
                let first = |instruction: &Instruction| instruction.at < u32::from(border);
                let row = self.instructions.partition_point(first);
                if let Some(begins) = self.begins.get_mut(row) {
                    *begins = true;
                }
            }
        }
        Ok(())
    }

    /// The block of an instruction in a context, which is made if it is new.
    fn block(&mut self, instruction: u32, context: u32) -> u32 {
        let next = self.keys.len() as u32;
        let known = match context {
            OUTSIDE => &mut self.outside[instruction as usize],
            _ => self.inside.entry((instruction, context)).or_insert(NONE),
        };
        if *known == NONE {
            *known = next;
            self.keys.push((instruction, context));
        }
        *known
    }

    /// Finds all blocks: the list of keys is the worklist.
    fn run(&mut self) -> Result<(), Malformed> {
        self.block(0, OUTSIDE);
        let mut done = 0;
        while done < self.keys.len() {
            let (start, context) = self.keys[done];
            let rows = self.stretch(start as usize);
            self.copied += rows.len();
            if self.copied > MOST_INSTRUCTIONS {
                return Err(self.wrong(start as usize, "subroutines need too many copies"));
            }
            let edges = self.flow.edges.len() as u32;
            self.leave(rows.end - 1, context)?;
            let edges = edges..self.flow.edges.len() as u32;
            let handlers = self.cover(start as usize, context)?;
            let instructions = start..rows.end as u32;
            let block = FlowBlock { instructions, edges, handlers, entered: 0, catches: false };
            self.flow.blocks.push(block);
            done += 1;
        }
        Ok(())
    }

    /// From an instruction to the end of its block.
    fn stretch(&self, start: usize) -> Range<usize> {
        let mut end = start;
        loop {
            let op = &self.instructions[end].op;
            end += 1;
            let jumps = op.ends() || matches!(op, Op::IfZero(..) | Op::If(..) | Op::IfNull(..));
            if jumps || end == self.instructions.len() || self.begins[end] {
                return start..end;
            }
        }
    }

    /// Adds the edges that leave a block by its last instruction.
    fn leave(&mut self, last: usize, context: u32) -> Result<(), Malformed> {
        let instructions = self.instructions;
        let instruction = &instructions[last];
        match &instruction.op {
            Op::Jsr(target) => {
                let entry = self.instruction_at(*target, last)?;
                let back = self.instruction_at(instruction.next, last)?;
                let inner = self.enter(entry, back, context, last)?;
                let block = self.block(entry, inner);
                self.flow.edges.push(block);
                return Ok(());
            }
            Op::Ret(slot) => {
                let left = self.active(context, |active| active.slot == Some(*slot));
                let Some(left) = left else {
                    return Err(self.wrong(last, "a return from a subroutine that is not active"));
                };
                let Context { caller, back, .. } = self.contexts[left as usize];
                let block = self.block(back, caller);
                self.flow.edges.push(block);
                return Ok(());
            }
            _ => {}
        }
        let mut targets = Vec::new();
        instruction.op.targets(|target| targets.push(target));
        if !instruction.op.ends() {
            targets.push(instruction.next);
        }
        for target in targets {
            let Ok(target) = self.instruction_at(target, last) else {
                return Err(self.wrong(last, "the code goes on behind its end"));
            };
            let block = self.block(target, context);
            self.flow.edges.push(block);
        }
        Ok(())
    }

    /// The innermost context, from the given one outwards, that has a property.
    fn active(&self, context: u32, has: impl Fn(&Context) -> bool) -> Option<u32> {
        let mut context = context;
        while context != OUTSIDE {
            let active = &self.contexts[context as usize];
            if has(active) {
                return Some(context);
            }
            context = active.caller;
        }
        None
    }

    /// The context of a subroutine that is called.
    fn enter(
        &mut self,
        entry: u32,
        back: u32,
        context: u32,
        from: usize,
    ) -> Result<u32, Malformed> {
        let slot = match self.instructions[entry as usize].op {
            Op::Store(Kind::Reference, slot) => Some(slot),
            Op::Shuffle(_) => None,
            _ => return Err(self.wrong(from, "a subroutine that does not store where it returns")),
        };
        let left = self.active(context, |active| active.entry == entry);
        let caller = left.map_or(context, |left| self.contexts[left as usize].caller);
        let depth = self.contexts[caller as usize].depth + 1;
        if depth > DEEPEST {
            return Err(self.wrong(from, "subroutines that call each other too deeply"));
        }
        let key = Context { caller, entry, back, slot, depth };
        let next = self.contexts.len() as u32;
        Ok(*self.context_of.entry(key).or_insert_with(|| {
            self.contexts.push(key);
            next
        }))
    }

    /// The handlers of a block: all rows that cover its first instruction, up to one for all.
    fn cover(&mut self, start: usize, context: u32) -> Result<Range<u32>, Malformed> {
        let code = self.code;
        self.covered += code.handlers.len();
        if self.covered > MOST_COVERS || self.flow.handlers.len() > MOST_HANDLERS {
            return Err(self.wrong(start, "too many handlers"));
        }
        let before = self.flow.blocks.last().map_or(0..0, |block| block.handlers.clone());
        let first = self.flow.handlers.len();
        let offset = self.instructions[start].at;
        for row in &code.handlers {
            if (u32::from(row.start)..u32::from(row.end)).contains(&offset) {
                let handler = self.at[usize::from(row.handler)];
                let block = self.block(handler, context);
                self.flow.handlers.push(FlowHandler { class: row.class, block });
                if row.class == 0 {
                    break;
                }
            }
        }
        // Neighbours often have the same handlers.
        let handlers = &mut self.flow.handlers;
        if handlers[first..] == handlers[before.start as usize..before.end as usize] {
            handlers.truncate(first);
            return Ok(before);
        }
        Ok(first as u32..handlers.len() as u32)
    }

    /// Numbers the blocks by where they begin, and counts what leads to them.
    fn finish(self) -> Flow {
        let Search { keys, mut flow, .. } = self;
        let mut by_place: Vec<u32> = (0..keys.len() as u32).collect();
        by_place.sort_by_key(|&block| keys[block as usize]);
        let mut number = vec![0u32; keys.len()];
        for (new, &old) in by_place.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        flow.edges.iter_mut().for_each(|block| *block = number[*block as usize]);
        flow.handlers.iter_mut().for_each(|handler| handler.block = number[handler.block as usize]);
        flow.blocks = by_place.iter().map(|&old| flow.blocks[old as usize].clone()).collect();
        for &block in &flow.edges {
            flow.blocks[block as usize].entered += 1;
        }
        for handler in &flow.handlers {
            flow.blocks[handler.block as usize].catches = true;
        }
        flow.order = number;
        flow
    }
}
