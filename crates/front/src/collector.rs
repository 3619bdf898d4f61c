//! Collects the problems of one text: the first hundred in full, of the others the number.
//!
//! A text that is wrong all over is still read in linear time and memory, because a problem beyond
//! the hundredth is never worded.

use crate::problem::Problem;
use crate::words::Nearest;
use tern_model::Span;

/// How many problems of one text are reported in full.
pub(crate) const MOST: usize = 100;

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    list: Vec<Problem>,
    more: usize,
    nearest: Nearest,
}

impl Collector {
    /// Adds a problem, which is worded only if it will be reported: that may take a search for the
    /// name that was meant.
    pub(crate) fn add(&mut self, word: impl FnOnce(&mut Nearest) -> Problem) {
        if self.list.len() < MOST {
            self.list.push(word(&mut self.nearest));
        } else {
            self.more += 1;
        }
    }

    /// Adds a place that explains the problem that was added last.
    pub(crate) fn relate_last(&mut self, span: Span, text: &str) {
        if self.more == 0
            && let Some(last) = self.list.last_mut()
        {
            last.related.push(crate::problem::Label { span, text: text.to_owned() });
        }
    }

    /// How many problems there are.
    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Whether no more problems are reported in full.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() == MOST
    }

    /// Forgets the problems beyond the first `count`.
    pub(crate) fn rewind(&mut self, count: usize) {
        self.list.truncate(count);
        self.more = count - self.list.len();
    }

    /// The problems in the order of their places, and `more_code` with the number of those that
    /// were left out; or nothing if there are none.
    pub(crate) fn finish(mut self, more_code: &'static str) -> Result<(), Vec<Problem>> {
        if self.list.is_empty() {
            return Ok(());
        }
        self.list.sort_by_key(|problem| problem.at.as_ref().map(|label| label.span.start));
        if self.more > 0 {
            let problems = if self.more == 1 { "problem" } else { "problems" };
            let message = format!("{} more {problems} of this text not shown", self.more);
            let hint = "mend those above first; many may have the same cause";
            let rest = Problem::error(more_code, message).hint(hint);
            self.list.push(Problem { count: self.more, ..rest });
        }
        Err(self.list)
    }
}

/// The text of a source, without a byte order mark and with the offset at which it begins.
///
/// # Errors
/// One problem if the bytes are not UTF-8, or more than spans can count.
pub(crate) fn utf8<'a>(
    bytes: &'a [u8],
    code: &'static str,
) -> Result<(&'a str, usize), Vec<Problem>> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(vec![Problem::error(code, "the text is longer than 4 GiB")]);
    }
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    std::str::from_utf8(bytes).map(|text| (text, start)).map_err(|error| {
        let at = error.valid_up_to();
        let end = (at + error.error_len().unwrap_or(1)).min(bytes.len());
        vec![
            Problem::error(code, "the text is not UTF-8")
                .at(Span::new(at..end), format!("byte {:#04x} does not fit here", bytes[at]))
                .hint(encoding_hint(bytes)),
        ]
    })
}

/// What to do about bytes that are not UTF-8.
pub(crate) fn encoding_hint(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "this looks like UTF-16; save it as UTF-8",
        _ if bytes.contains(&0) => "this looks like a binary file; a text is expected",
        _ => "save the file as UTF-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_beyond_the_hundredth_are_counted() {
        let mut found = Collector::default();
        for i in 0..103 {
            found.add(|_| Problem::error("T000", "wrong").at(Span::new(200 - i..201 - i), ""));
        }
        found.rewind(102);
        let list = found.finish("T999").expect_err("there are problems");
        assert_eq!(list.len(), 101);
        assert_eq!(list[0].at.as_ref().map(|label| label.span.start), Some(101));
        assert_eq!(list[100].message, "2 more problems of this text not shown");
        assert_eq!(list[100].count, 2);
        assert_eq!(Collector::default().finish("T999"), Ok(()));
    }
}
