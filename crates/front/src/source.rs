//! A text and the name it goes by.

use memchr::{memchr, memchr_iter, memrchr};
use std::sync::Arc;
use tern_model::{Origin, Span};

/// A text that was read, for error messages that quote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What to call it: a path, `models.zip:inner/path.rsm`, `standard input` or `formula 1`.
    pub name: String,
    /// Its bytes; not necessarily UTF-8 until a reader has looked.
    pub bytes: Vec<u8>,
    /// How it is meant to be read, where the text leaves that open or is to be overruled.
    pub settings: Vec<Setting>,
}

/// A setting of a reader; each format says which it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What is set.
    pub name: String,
    /// To what.
    pub value: String,
}

/// A place in a text as people count: from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Source {
    /// A source from its name and content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Source { name: name.into(), bytes: bytes.into(), settings: Vec::new() }
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.bytes.len());
        let start = self.line_start(offset);
        let line = memchr_iter(b'\n', &self.bytes[..start]).count() + 1;
        let column = String::from_utf8_lossy(&self.bytes[start..offset]).chars().count() + 1;
        Position { line, column }
    }

    /// The range of bytes of the line that an offset is in, without its line end.
    pub fn line_range(&self, offset: usize) -> std::ops::Range<usize> {
        let offset = offset.min(self.bytes.len());
        let start = self.line_start(offset);
        let end = memchr(b'\n', &self.bytes[offset..]).map_or(self.bytes.len(), |i| offset + i);
        let end = if end > start && self.bytes[end - 1] == b'\r' { end - 1 } else { end };
        start..end.max(start)
    }

    fn line_start(&self, offset: usize) -> usize {
        memrchr(b'\n', &self.bytes[..offset]).map_or(0, |i| i + 1)
    }
}

/// Finds places of a text that come one behind the other, in one pass over it.
pub(crate) struct Lines<'a> {
    source: &'a Source,
    file: Arc<str>,
    /// The offset that was asked for last.
    at: usize,
    position: Position,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        let position = Position { line: 1, column: 1 };
        Lines { source, file: source.name.as_str().into(), at: 0, position }
    }

    /// Where a span begins. It is found fast if it lies behind the one before.
    pub(crate) fn origin(&mut self, span: Span) -> Origin {
        let offset = (span.start as usize).min(self.source.bytes.len());
        if offset < self.at {
            *self = Lines::new(self.source);
        }
        let mut passed = &self.source.bytes[self.at..offset];
        if let Some(end) = memrchr(b'\n', passed) {
            self.position.line += memchr_iter(b'\n', passed).count();
            self.position.column = 1;
            passed = &passed[end + 1..];
        }
        self.position.column += String::from_utf8_lossy(passed).chars().count();
        self.at = offset;
        let Position { line, column } = self.position;
        // Texts are at most 4 GiB long.
        Origin::new(self.file.clone(), line as u32).at_column(column as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("t", "ab\r\nzü x\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(8), Position { line: 2, column: 4 });
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
        let mut lines = Lines::new(&source);
        for offset in [0, 1, 4, 8, 9, 5, 10] {
            let Origin { line, column, .. } = lines.origin(Span::new(offset..offset));
            let column = column.expect("known") as usize;
            assert_eq!(Position { line: line as usize, column }, source.position(offset));
        }
        assert_eq!(source.line_range(1), 0..2);
        assert_eq!(source.line_range(5), 4..9);
    }
}
