//! Procedures: variables, blocks, handlers, and where each statement stands in the source.

use crate::{
    Access, BlockId, ClassId, Jump, NameId, Operand, SelectorId, Statement, TypeId, VarId,
};
use std::ops::Range;
use tern_model::index::{Id, Table};

/// A procedure, method or function.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The class that it belongs to.
    pub class: Option<ClassId>,
    /// Its name and types.
    pub selector: SelectorId,
    /// Whether it has no receiver. Otherwise the receiver is its first parameter.
    pub is_static: bool,
    /// Who may name it.
    pub access: Access,
    /// Whether it has no code because the classes below give it.
    pub is_abstract: bool,
    /// What it does; nothing if it is abstract or its code is elsewhere (`native`, `extern`).
    pub body: Option<Body>,
}

/// A variable of a procedure: a parameter, a local of the source, or a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source. Temporaries have none; two variables may have the same.
    pub name: Option<NameId>,
    /// Its type.
    pub ty: TypeId,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line in the file of the procedure, from 1; 0 if it is not known.
    pub line: u32,
    /// How far into the code of the procedure: the bytecode offset, or the column of C.
    pub offset: u32,
}

/// The code of a procedure.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The file that lines count in, if that is known.
    pub file: Option<NameId>,
    /// How many of the variables are parameters, the receiver included: the first ones.
    pub parameters: usize,
    /// The variables.
    pub variables: Table<VarId, Variable>,
    /// The blocks; the first is where the procedure begins.
    pub blocks: Table<BlockId, Block>,
    /// The statements of all blocks, one block after the other.
    pub statements: Vec<Statement>,
    /// Where each statement stands; as many as there are statements.
    pub places: Vec<Place>,
    /// Arguments of calls and lengths of arrays: see [`Body::operands`].
    pub operands: Vec<Operand>,
    /// The handlers of blocks, in the order in which they are tried.
    pub handlers: Vec<Handler>,
}

/// Statements in a row, then a jump.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its statements, as rows of [`Body::statements`].
    pub statements: Range<u32>,
    /// How it ends.
    pub jump: Jump,
    /// Where the jump stands.
    pub place: Place,
    /// Who takes what is thrown in it, as rows of [`Body::handlers`], the first that matches.
    pub handlers: Range<u32>,
}

/// Who takes what is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The class of what it takes, with all classes below; `None` takes everything.
    pub class: Option<NameId>,
    /// The variable in which the thrown object arrives.
    pub variable: VarId,
    /// Where it goes on.
    pub block: BlockId,
}

impl Body {
    /// The statements of a block, each with its place.
    pub fn statements(&self, block: BlockId) -> impl ExactSizeIterator<Item = (&Statement, Place)> {
        let rows = self.blocks[block].statements.start as usize
            ..self.blocks[block].statements.end as usize;
        self.statements[rows.clone()].iter().zip(self.places[rows].iter().copied())
    }

    /// The handlers of a block, in the order in which they are tried.
    pub fn handlers(&self, block: BlockId) -> &[Handler] {
        let rows = &self.blocks[block].handlers;
        &self.handlers[rows.start as usize..rows.end as usize]
    }

    /// A stretch of operands that a statement points to.
    pub fn operands(&self, rows: &Range<u32>) -> &[Operand] {
        &self.operands[rows.start as usize..rows.end as usize]
    }

    /// The parameters, the receiver first if there is one.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = VarId> {
        (0..self.parameters).map(VarId::new)
    }
}
