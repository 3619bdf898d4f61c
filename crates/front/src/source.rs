//! A text and the name it goes by.

use memchr::{memchr, memchr_iter, memrchr};

/// A text that was read, for error messages that quote it.
#[derive(Clone, Debug)]
pub struct Source {
    /// What to call it: a path, `models.zip:inner/path.rsm`, `standard input` or `formula 1`.
    pub name: String,
    /// Its bytes; not necessarily UTF-8 until a reader has looked.
    pub bytes: Vec<u8>,
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
        Source { name: name.into(), bytes: bytes.into() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("t", "ab\r\nzü x\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(8), Position { line: 2, column: 4 });
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
        assert_eq!(source.line_range(1), 0..2);
        assert_eq!(source.line_range(5), 4..9);
    }
}
