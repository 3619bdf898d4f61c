//! The code of a method, with its tables of handlers, lines and local variables.

use super::bytes::{Bytes, Malformed};
use super::file::attributes;
use super::pool::Pool;

/// The code of a method.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// How many slots for locals there are.
    pub max_locals: u16,
    /// The instructions.
    pub instructions: &'a [u8],
    /// Where they begin in the file.
    pub start: usize,
    /// The handlers, in the order in which they are tried.
    pub handlers: Vec<ExceptionRow>,
    /// Offsets with the lines that begin there, by offset.
    pub lines: Vec<(u16, u16)>,
    /// Local variables, by slot, then by where their scope begins.
    pub locals: Vec<LocalRow>,
}

/// A stretch of code with the handler of what is thrown there.
#[derive(Clone, Copy, Debug)]
pub struct ExceptionRow {
    /// The first offset that is covered.
    pub start: u16,
    /// The first offset behind.
    pub end: u16,
    /// The offset of the handler.
    pub handler: u16,
    /// The index of the class that it takes; 0 if it takes all.
    pub class: u16,
}

/// A local variable with its scope.
#[derive(Clone, Copy, Debug)]
pub struct LocalRow {
    /// Its slot.
    pub slot: u16,
    /// The first offset of its scope.
    pub start: u32,
    /// The first offset behind its scope.
    pub end: u32,
    /// The index of its name.
    pub name: u16,
    /// The index of its descriptor.
    pub descriptor: u16,
}

impl<'a> Code<'a> {
    /// Reads the attribute `Code`.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(mut bytes: Bytes<'a>, pool: &Pool<'a>) -> Result<Self, Malformed> {
        let _max_stack = bytes.u2()?;
        let max_locals = bytes.u2()?;
        let len = bytes.u4()? as usize;
        let start = bytes.at();
        if len == 0 || len > usize::from(u16::MAX) {
            return Err(bytes.wrong("code must have between 1 and 65535 bytes"));
        }
        let instructions = bytes.take(len)?;
        let mut code = Code {
            max_locals,
            instructions,
            start,
            handlers: Vec::new(),
            lines: Vec::new(),
            locals: Vec::new(),
        };
        for _ in 0..bytes.u2()? {
            let (start, end) = (bytes.u2()?, bytes.u2()?);
            let (handler, class) = (bytes.u2()?, bytes.u2()?);
            code.handlers.push(ExceptionRow { start, end, handler, class });
        }
        let (lines, locals) = (&mut code.lines, &mut code.locals);
        attributes(&mut bytes, pool, |name, mut content| {
            match name {
                b"LineNumberTable" => {
                    for _ in 0..content.u2()? {
                        lines.push((content.u2()?, content.u2()?));
                    }
                }
                b"LocalVariableTable" => {
                    for _ in 0..content.u2()? {
                        locals.push(local(&mut content)?);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        lines.sort_by_key(|&(offset, _)| offset);
        locals.sort_by_key(|row| (row.slot, row.start));
        Ok(code)
    }

    /// The line of an offset; 0 if it is not known.
    pub fn line(&self, offset: u32) -> u32 {
        let behind = self.lines.partition_point(|&(start, _)| u32::from(start) <= offset);
        behind.checked_sub(1).map_or(0, |row| u32::from(self.lines[row].1))
    }

    /// The row of the local variable that a slot holds at an offset.
    pub fn local(&self, slot: u16, offset: u32) -> Option<usize> {
        let behind = self.locals.partition_point(|row| (row.slot, row.start) <= (slot, offset));
        let row = behind.checked_sub(1)?;
        let found = &self.locals[row];
        (found.slot == slot && offset < found.end).then_some(row)
    }
}

fn local(bytes: &mut Bytes) -> Result<LocalRow, Malformed> {
    let start = u32::from(bytes.u2()?);
    let end = start + u32::from(bytes.u2()?);
    Ok(LocalRow { start, end, name: bytes.u2()?, descriptor: bytes.u2()?, slot: bytes.u2()? })
}
