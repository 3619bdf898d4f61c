//! The problems of one file, up to a bound, and the places that they point at.

use crate::problem::Problem;
use crate::words::Nearest;
use tern_model::Span;

/// How many problems of one file are reported; the rest is counted.
const REPORTED: usize = 100;

/// Collects problems. Beyond the bound they are counted, but not worded.
#[derive(Debug)]
pub(super) struct Problems {
    list: Vec<Problem>,
    count: usize,
    pub(super) nearest: Nearest,
}

impl Problems {
    pub(super) fn new() -> Self {
        Problems { list: Vec::new(), count: 0, nearest: Nearest::new() }
    }

    /// How many problems there were so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Notes a problem. It is worded only if it will be reported, for that may take a search.
    pub(super) fn push(&mut self, word: impl FnOnce(&mut Nearest) -> Problem) {
        self.count += 1;
        if self.list.len() < REPORTED {
            self.list.push(word(&mut self.nearest));
        }
    }

    /// All problems in the order of the text, and at the end how many are left out.
    pub(super) fn into_list(self) -> Vec<Problem> {
        let mut list = self.list;
        list.sort_by_key(|problem| problem.at.as_ref().map(|label| label.span.start));
        let more = self.count - list.len();
        if more > 0 {
            let problems = if more == 1 { "problem" } else { "problems" };
            list.push(
                Problem::error("R199", format!("{more} more {problems} in this file"))
                    .hint("mend those above first; many may have the same cause"),
            );
        }
        list
    }
}

/// The span of a string of the text, quotes included, from the offset of its first quote.
pub(super) fn string_span(text: &[u8], quote: u32) -> Span {
    let start = quote as usize;
    let mut end = start + 1;
    while let Some(&byte) = text.get(end) {
        end += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    Span::new(start..end.min(text.len()))
}
