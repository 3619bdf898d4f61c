//! Which accesses of a local slot are accesses of the same variable.
//!
//! The compiler uses one slot for several variables, one after the other. Accesses belong together
//! if a value that one stores can be what the other loads (a *web*), or if the table of local
//! variables says that they are of the same variable. Any coarser partition would be right as well,
//! for a slot is one place of storage; the finer it is, the more is known. So when a method is too
//! large for this, all accesses of a slot with values of one kind are one variable.
//!
//! # Algorithm
//! Liveness of slots at the beginnings of blocks, backward, as sets of bits. Then one pass with
//! union-find: an element for each slot that is live where a block begins, and for each store; what
//! is current at the end of a block is united with the elements of the blocks it leads to. What is
//! thrown in a block may come after any of its stores, so that all of them reach its handlers.

use super::flow::Flow;
use crate::java::class::{Code, Instruction, Kind, Op};

/// How many words of bits may be gone through for one method.
const MOST_WORDS: usize = 1 << 22;

/// The variables of a method.
#[derive(Debug, Default)]
pub(crate) struct Locals {
    /// The variable of each access: blocks by number, instructions in order.
    pub(crate) accesses: Vec<u32>,
    /// Where the accesses of each block begin.
    pub(crate) first: Vec<u32>,
    /// The variables: parameters first, then by their first access.
    pub(crate) variables: Vec<LocalVariable>,
}

/// A variable in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalVariable {
    /// What its values are.
    pub(crate) kind: Kind,
    /// The row in the table of local variables, if there is one.
    pub(crate) row: Option<u32>,
    /// How many instructions write it, not counting calls that pass it.
    pub(crate) writes: u32,
}

/// An access of a slot by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    slot: u16,
    kind: Kind,
    reads: bool,
    writes: bool,
}

fn access(op: &Op) -> Option<Access> {
    match *op {
        Op::Load(kind, slot) => Some(Access { slot, kind, reads: true, writes: false }),
        Op::Store(kind, slot) => Some(Access { slot, kind, reads: false, writes: true }),
        Op::Increment(slot, _) => Some(Access { slot, kind: Kind::Int, reads: true, writes: true }),
        _ => None,
    }
}

/// Finds the variables of a method. `parameters` are slots with kinds; `kind_of_row` says what a
/// row of the table of local variables holds.
pub(crate) fn find(
    code: &Code,
    instructions: &[Instruction],
    flow: &Flow,
    parameters: &[(u16, Kind)],
    kind_of_row: &[Option<Kind>],
) -> Locals {
    let mut finder = Finder::new(code, instructions, flow, parameters, kind_of_row);
    if !finder.webs() {
        finder = Finder::new(code, instructions, flow, parameters, kind_of_row);
        finder.slots();
    }
    finder.finish()
}

struct Finder<'m> {
    code: &'m Code<'m>,
    instructions: &'m [Instruction],
    flow: &'m Flow,
    parameters: &'m [(u16, Kind)],
    kind_of_row: &'m [Option<Kind>],
    /// Union-find: the parent of each element. Rows of the table come first, then parameters.
    parent: Vec<u32>,
    /// The element of each access.
    elements: Vec<u32>,
    first: Vec<u32>,
    /// Numbers of the slots that are accessed, by slot.
    dense: Vec<u32>,
    slots: usize,
}

const NONE: u32 = u32::MAX;

impl<'m> Finder<'m> {
    fn new(
        code: &'m Code<'m>,
        instructions: &'m [Instruction],
        flow: &'m Flow,
        parameters: &'m [(u16, Kind)],
        kind_of_row: &'m [Option<Kind>],
    ) -> Self {
        let rows = code.locals.len();
        let highest = instructions.iter().filter_map(|i| access(&i.op)).map(|a| a.slot);
        let highest = highest.chain(parameters.iter().map(|&(slot, _)| slot)).max();
        let mut dense = vec![NONE; highest.map_or(0, |slot| usize::from(slot) + 1)];
        let mut slots = 0;
        let accessed = instructions.iter().filter_map(|i| access(&i.op)).map(|a| a.slot);
        for slot in accessed.chain(parameters.iter().map(|&(slot, _)| slot)) {
            let number = &mut dense[usize::from(slot)];
            if *number == NONE {
                *number = slots;
                slots += 1;
            }
        }
        Finder {
            code,
            instructions,
            flow,
            parameters,
            kind_of_row,
            parent: (0..(rows + parameters.len()) as u32).collect(),
            elements: Vec::new(),
            first: Vec::new(),
            dense,
            slots: slots as usize,
        }
    }

    fn element(&mut self) -> u32 {
        let element = self.parent.len() as u32;
        self.parent.push(element);
        element
    }

    fn root(&mut self, mut element: u32) -> u32 {
        while self.parent[element as usize] != element {
            let above = self.parent[self.parent[element as usize] as usize];
            self.parent[element as usize] = above;
            element = above;
        }
        element
    }

    fn unite(&mut self, left: u32, right: u32) {
        let (left, right) = (self.root(left), self.root(right));
        // The lower one stays, so that rows and parameters are found again.
        self.parent[left.max(right) as usize] = left.min(right);
    }

    fn parameter(&self, position: usize) -> u32 {
        (self.code.locals.len() + position) as u32
    }

    /// The accesses of a block, with the instructions.
    fn accesses(&self, block: usize) -> impl Iterator<Item = (&'m Instruction, Access)> + use<'m> {
        let rows = &self.flow.blocks[block].instructions;
        let instructions = &self.instructions[rows.start as usize..rows.end as usize];
        instructions.iter().filter_map(|i| Some((i, access(&i.op)?)))
    }

    /// Unites an element with the row of the table that an access belongs to.
    fn unite_row(&mut self, element: u32, slot: u16, kind: Kind, offset: u32) {
        if let Some(row) = self.code.local(slot, offset)
            && self.kind_of_row[row] == Some(kind)
        {
            self.unite(element, row as u32);
        }
    }

    fn unite_rows(&mut self, element: u32, instruction: &Instruction, access: Access) {
        // The scope of a variable begins behind the store.
        let offset = if access.reads { instruction.at } else { instruction.next };
        self.unite_row(element, access.slot, access.kind, offset);
    }

    /// All accesses of a slot with one kind of values become one variable.
    fn slots(&mut self) {
        let mut of = vec![[NONE; 6]; self.slots];
        for (position, &(slot, kind)) in self.parameters.iter().enumerate() {
            of[self.dense[usize::from(slot)] as usize][kind as usize] = self.parameter(position);
        }
        for block in 0..self.flow.blocks.len() {
            self.first.push(self.elements.len() as u32);
            for (instruction, access) in self.accesses(block) {
                let slot = self.dense[usize::from(access.slot)] as usize;
                if of[slot][access.kind as usize] == NONE {
                    of[slot][access.kind as usize] = self.element();
                }
                let element = of[slot][access.kind as usize];
                self.elements.push(element);
                self.unite_rows(element, instruction, access);
            }
        }
    }

    /// Finds webs; says no if that takes too much.
    fn webs(&mut self) -> bool {
        let words = self.slots.div_ceil(64).max(1);
        let Some(live) = self.liveness(words) else { return false };
        // Elements of slots that are live where a block begins, in the order of their bits.
        let mut entry: Vec<u32> = Vec::with_capacity(self.flow.blocks.len() + 1);
        let mut elements = self.parent.len();
        for block in live.chunks(words) {
            entry.push(elements as u32);
            elements += block.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            if elements > MOST_WORDS {
                return false;
            }
        }
        self.parent.extend(self.parent.len() as u32..elements as u32);
        let live = Live { words, bits: live, entry };
        for (position, &(slot, _)) in self.parameters.iter().enumerate() {
            if let Some(element) = live.element(0, self.dense[usize::from(slot)]) {
                self.unite(element, self.parameter(position));
            }
        }
        let mut current = vec![NONE; self.slots];
        for block in 0..self.flow.blocks.len() {
            self.block(block, &live, &mut current);
        }
        true
    }

    fn block(&mut self, block: usize, live: &Live, current: &mut [u32]) {
        let flow = self.flow;
        live.each(block, |slot, element| current[slot as usize] = element);
        let first = self.elements.len();
        self.first.push(first as u32);
        let handlers = flow.handlers(block);
        for handler in handlers {
            self.join(handler.block as usize, live, current);
        }
        for (instruction, access) in self.accesses(block) {
            let slot = self.dense[usize::from(access.slot)];
            let before = current[slot as usize];
            let element = match access.reads && before != NONE {
                true => before,
                false => self.element(),
            };
            current[slot as usize] = element;
            self.elements.push(element);
            self.unite_rows(element, instruction, access);
            if access.writes {
                for handler in handlers {
                    if let Some(caught) = live.element(handler.block as usize, slot) {
                        self.unite(caught, element);
                    }
                }
            }
        }
        for &next in flow.edges(block) {
            self.join(next as usize, live, current);
        }
        live.each(block, |slot, _| current[slot as usize] = NONE);
        for (_, access) in self.accesses(block) {
            current[self.dense[usize::from(access.slot)] as usize] = NONE;
        }
    }

    /// Unites what is current with what is live where a block begins.
    fn join(&mut self, block: usize, live: &Live, current: &[u32]) {
        live.each(block, |slot, element| {
            if current[slot as usize] != NONE {
                self.unite(current[slot as usize], element);
            }
        });
    }

    /// The slots that are live where each block begins; nothing if that takes too much.
    fn liveness(&self, words: usize) -> Option<Vec<u64>> {
        let blocks = self.flow.blocks.len();
        let size = blocks.checked_mul(words).filter(|&size| size <= MOST_WORDS)?;
        let mut live = vec![0u64; size];
        let mut written = vec![0u64; size];
        for block in 0..blocks {
            for (_, access) in self.accesses(block) {
                let slot = self.dense[usize::from(access.slot)] as usize;
                let (word, bit) = (block * words + slot / 64, 1u64 << (slot % 64));
                if access.reads && written[word] & bit == 0 {
                    live[word] |= bit;
                }
                if access.writes {
                    written[word] |= bit;
                }
            }
        }
        let mut spent = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks).rev() {
                let (edges, handlers) = (self.flow.edges(block), self.flow.handlers(block));
                spent += words * (edges.len() + handlers.len()) + 1;
                if spent > MOST_WORDS {
                    return None;
                }
                for word in 0..words {
                    let of = |block: u32| live[block as usize * words + word];
                    let after = edges.iter().fold(0, |bits, &next| bits | of(next));
                    let caught = handlers.iter().fold(0, |bits, h| bits | of(h.block));
                    let here = block * words + word;
                    let bits = live[here] | (after & !written[here]) | caught;
                    changed |= bits != live[here];
                    live[here] = bits;
                }
            }
        }
        Some(live)
    }

    /// Numbers the variables.
    fn finish(mut self) -> Locals {
        let rows = self.code.locals.len();
        for (position, &(slot, kind)) in self.parameters.iter().enumerate() {
            self.unite_row(self.parameter(position), slot, kind, 0);
        }
        let mut number = vec![NONE; self.parent.len()];
        let mut locals = Locals { first: std::mem::take(&mut self.first), ..Locals::default() };
        let row = |root: u32| ((root as usize) < rows).then_some(root);
        for (position, &(_, kind)) in self.parameters.iter().enumerate() {
            let root = self.root(self.parameter(position));
            number[root as usize] = position as u32;
            locals.variables.push(LocalVariable { kind, row: row(root), writes: 0 });
        }
        let elements = std::mem::take(&mut self.elements);
        let accesses = (0..self.flow.blocks.len()).flat_map(|b| self.accesses(b).map(|(_, a)| a));
        let accesses: Vec<Access> = accesses.collect();
        for (access, element) in accesses.into_iter().zip(elements) {
            let root = self.root(element);
            let variable = &mut number[root as usize];
            if *variable == NONE {
                *variable = locals.variables.len() as u32;
                let kind = access.kind;
                locals.variables.push(LocalVariable { kind, row: row(root), writes: 0 });
            }
            locals.variables[*variable as usize].writes += u32::from(access.writes);
            locals.accesses.push(*variable);
        }
        locals
    }
}

/// The slots that are live where blocks begin, each with an element.
struct Live {
    words: usize,
    bits: Vec<u64>,
    /// The first element of each block.
    entry: Vec<u32>,
}

impl Live {
    fn row(&self, block: usize) -> &[u64] {
        &self.bits[block * self.words..(block + 1) * self.words]
    }

    fn element(&self, block: usize, slot: u32) -> Option<u32> {
        let row = self.row(block);
        let (word, bit) = (slot as usize / 64, slot % 64);
        if row[word] >> bit & 1 == 0 {
            return None;
        }
        let before: u32 = row[..word].iter().map(|word| word.count_ones()).sum();
        let within = (row[word] & ((1u64 << bit) - 1)).count_ones();
        Some(self.entry[block] + before + within)
    }

    fn each(&self, block: usize, mut visit: impl FnMut(u32, u32)) {
        let mut element = self.entry[block];
        for (word, &bits) in self.row(block).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                visit(word as u32 * 64 + bits.trailing_zeros(), element);
                element += 1;
                bits &= bits - 1;
            }
        }
    }
}
