//! Where things come from: places in files, as people count, for claims and for nodes of machines.
//!
//! A machine that was read or made from a program can say of each node which line it stands for.
//! [`Origins`] keeps that in columns, of which only those take memory that are in use: most formats
//! know files and lines, some also columns, procedures, offsets in code, or the text itself.

use crate::index::{Id, NodeId};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// A place in a file, as people count: from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What the file is called.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: Option<u32>,
    /// The procedure that it is in.
    pub procedure: Option<Arc<str>>,
    /// How far it is into the code of the procedure.
    pub offset: Option<u32>,
    /// What is written there.
    pub text: Option<Arc<str>>,
}

impl Origin {
    /// A line of a file, of which no more is known.
    pub fn new(file: impl Into<Arc<str>>, line: u32) -> Self {
        let file = file.into();
        Origin { file, line, column: None, procedure: None, offset: None, text: None }
    }

    /// The same, with its column.
    #[must_use]
    pub fn at_column(self, column: u32) -> Self {
        Origin { column: Some(column), ..self }
    }
}

impl fmt::Display for Origin {
    /// The file and the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Where the nodes of a machine come from, as far as that is known.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Names of files and procedures, and pieces of text, each once.
    words: Vec<Arc<str>>,
    known: FxHashMap<Arc<str>, u32>,
    /// The file of the node that was told of last: most often that of the next.
    last_file: Option<(Arc<str>, u32)>,
    /// Its procedure, likewise.
    last_procedure: Option<(Arc<str>, u32)>,
    files: Column,
    lines: Column,
    columns: Column,
    procedures: Column,
    offsets: Column,
    texts: Column,
}

impl Origins {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Notes where a node comes from.
    pub fn set(&mut self, node: NodeId, origin: Origin) {
        let Origin { file, line, column, procedure, offset, text } = origin;
        if !is_same(self.last_file.as_ref(), &file) {
            let number = self.word(file.clone());
            self.last_file = Some((file, number));
        }
        self.files.set(node, self.last_file.as_ref().map(|it| it.1));
        self.lines.set(node, Some(line));
        self.columns.set(node, column);
        let procedure = procedure.and_then(|procedure| {
            if !is_same(self.last_procedure.as_ref(), &procedure) {
                let number = self.word(procedure.clone());
                self.last_procedure = Some((procedure, number));
            }
            self.last_procedure.as_ref().map(|it| it.1)
        });
        self.procedures.set(node, procedure);
        self.offsets.set(node, offset);
        let text = text.map(|text| self.word(text));
        self.texts.set(node, text);
    }

    /// Where a node comes from.
    pub fn get(&self, node: NodeId) -> Option<Origin> {
        let word = |number: u32| self.words[number as usize].clone();
        Some(Origin {
            file: word(self.files.get(node)?),
            line: self.lines.get(node)?,
            column: self.columns.get(node),
            procedure: self.procedures.get(node).map(word),
            offset: self.offsets.get(node),
            text: self.texts.get(node).map(word),
        })
    }

    fn word(&mut self, word: Arc<str>) -> u32 {
        if let Some(&known) = self.known.get(&word) {
            return known;
        }
        let number = u32::try_from(self.words.len()).expect("fewer words than bytes of a text");
        self.words.push(word.clone());
        self.known.insert(word, number);
        number
    }
}

/// Whether a word is the one that was told of last. Words that are equal but stand elsewhere are
/// not compared: to look their number up is what this saves.
fn is_same(last: Option<&(Arc<str>, u32)>, word: &Arc<str>) -> bool {
    last.is_some_and(|(last, _)| Arc::ptr_eq(last, word))
}

/// A number for each node, or none. As long as it is the same for all nodes up to the last that
/// has one, it is kept once.
#[derive(Clone, Debug, Default)]
struct Column {
    /// How many nodes are told of.
    count: usize,
    /// What all of them have, while `values` is empty.
    same: Option<u32>,
    /// One more than the number of each; 0 if it has none.
    values: Vec<u32>,
}

impl Column {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn set(&mut self, node: NodeId, value: Option<u32>) {
        let at = node.index();
        let value = value.and_then(|value| value.checked_add(1));
        if self.values.is_empty() {
            if self.count == 0 && at == 0 {
                (self.count, self.same) = (1, value);
                return;
            }
            if at <= self.count && value == self.same {
                self.count = self.count.max(at + 1);
                return;
            }
            self.values = vec![self.same.unwrap_or(0); self.count];
        }
        if at >= self.values.len() {
            self.values.resize(at + 1, 0);
        }
        self.values[at] = value.unwrap_or(0);
        self.count = self.values.len();
    }

    fn get(&self, node: NodeId) -> Option<u32> {
        let value = match self.values.get(node.index()) {
            Some(&value) => value,
            None if self.values.is_empty() && node.index() < self.count => self.same?,
            None => 0,
        };
        value.checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_found_and_nothing_else() {
        let full = |line: u32| Origin {
            column: Some(line + 1),
            procedure: Some(format!("p{}", line % 3).into()),
            offset: Some(0),
            text: Some("x = y".into()),
            ..Origin::new("a.c", line)
        };
        // In several orders, with gaps, and with more and less that is known.
        for (seed, count) in [(1u64, 1usize), (2, 5), (3, 40), (4, 200)] {
            let mut rng = seed;
            let mut next = |bound: usize| {
                rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (rng >> 33) as usize % bound
            };
            let mut origins = Origins::default();
            assert!(origins.is_empty());
            let mut expected: Vec<Option<Origin>> = vec![None; count];
            for round in 0..count {
                let at = if seed % 2 == 0 { round } else { next(count) };
                let line = next(4) as u32 + 1;
                let origin = match next(3) {
                    0 => full(line),
                    1 => Origin::new("b.c", line).at_column(7),
                    _ => Origin::new("a.c", line),
                };
                origins.set(NodeId::new(at), origin.clone());
                expected[at] = Some(origin);
            }
            for (i, expected) in expected.iter().enumerate() {
                assert_eq!(origins.get(NodeId::new(i)), *expected, "node {i} of {count}");
            }
            assert_eq!(origins.get(NodeId::new(count)), None);
        }
    }

    #[test]
    fn a_file_is_kept_once() {
        let mut origins = Origins::default();
        for i in 0..1000 {
            origins.set(NodeId::new(i), Origin::new("one.tern", i as u32 + 1));
        }
        assert!(origins.files.values.is_empty() && origins.columns.values.is_empty());
        assert_eq!(origins.words.len(), 1);
        assert_eq!(origins.get(NodeId::new(999)), Some(Origin::new("one.tern", 1000)));
    }
}
