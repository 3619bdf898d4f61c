//! A readable piece of one line of a source, with a part of it marked.
//!
//! The line may be a whole file of many megabytes, may hold bytes that are no text, and may hold
//! what a terminal would obey. The piece is at most [`WINDOW`] columns wide whatever the line is,
//! and only a few hundred bytes around the mark are looked at.

use std::ops::Range;
use tern_model::visible_char;

/// The widest piece, in columns, without the signs that it was cut.
pub(super) const WINDOW: usize = 100;

/// Bytes that surely fill a window, unless they are all invisible.
const REACH: usize = 4 * WINDOW;

/// What stands for the text that was cut off.
const CUT: &str = "…";

/// A piece of a line, ready to print.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The piece.
    pub(super) text: String,
    /// The column at which the mark begins, from 0.
    pub(super) mark_at: usize,
    /// How many columns are marked; at least 1.
    pub(super) mark_width: usize,
}

/// One character as it is shown.
struct Cell {
    text: String,
    width: usize,
}

/// Takes a piece out of `line` around `mark`, a range of its bytes (cut to the line).
pub(super) fn excerpt(line: &[u8], mark: Range<usize>) -> Excerpt {
    let start = mark.start.min(line.len());
    let end = mark.end.clamp(start, line.len());
    let first = character_start(line, start.saturating_sub(REACH), start);
    let (before, before_cut) = (cells(&line[first..start]), first > 0);
    let (marked, marked_cut) = take(cells(&line[start..end.min(start + REACH)]), WINDOW);
    let marked_cut = marked_cut || end > start + REACH;
    let room = WINDOW - width(&marked);
    let after_end = (end + REACH).min(line.len());
    let after = if marked_cut { Vec::new() } else { cells(&line[end..after_end]) };
    // The text before gets two fifths of the room, or more if the text after needs less.
    let room_before = (room * 2 / 5).max(room.saturating_sub(width(&after)));
    let (before, dropped) = take_last(before, room_before);
    let before_cut = before_cut || dropped;
    let (after, dropped) = take(after, room - width(&before));
    let after_cut = marked_cut || dropped || after_end < line.len();

    let mut text = String::new();
    if before_cut {
        text.push_str(CUT);
    }
    text.extend(before.iter().map(|cell| cell.text.as_str()));
    let mark_at = width(&before) + usize::from(before_cut);
    text.extend(marked.iter().chain(&after).map(|cell| cell.text.as_str()));
    if after_cut {
        text.push_str(CUT);
    }
    Excerpt { text, mark_at, mark_width: width(&marked).max(1) }
}

/// The first byte at or after `at`, but before `end`, that may begin a character.
fn character_start(line: &[u8], at: usize, end: usize) -> usize {
    let continues = |&&byte: &&u8| byte & 0b1100_0000 == 0b1000_0000;
    at + line[at..end].iter().take_while(continues).take(3).count()
}

fn cells(bytes: &[u8]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for chunk in bytes.utf8_chunks() {
        cells.extend(chunk.valid().chars().map(cell));
        cells.extend(chunk.invalid().iter().map(|_| cell(char::REPLACEMENT_CHARACTER)));
    }
    cells
}

fn cell(c: char) -> Cell {
    match c {
        '\t' => Cell { text: "    ".to_owned(), width: 4 },
        _ => match visible_char(c) {
            Some(text) => Cell { width: text.chars().count(), text },
            None => Cell { text: c.to_string(), width: columns(c) },
        },
    }
}

/// How many columns a terminal gives to a character; right for what is common.
fn columns(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x1ab0..=0x1aff | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn width(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.width).sum()
}

/// The cells that fit from the front, and whether some did not.
fn take(mut cells: Vec<Cell>, room: usize) -> (Vec<Cell>, bool) {
    let fit = fitting(cells.iter(), room);
    let dropped = fit < cells.len();
    cells.truncate(fit);
    (cells, dropped)
}

/// The cells that fit from the back, and whether some did not.
fn take_last(mut cells: Vec<Cell>, room: usize) -> (Vec<Cell>, bool) {
    let drop = cells.len() - fitting(cells.iter().rev(), room);
    cells.drain(..drop);
    (cells, drop > 0)
}

fn fitting<'a>(cells: impl Iterator<Item = &'a Cell>, room: usize) -> usize {
    let mut used = 0;
    cells
        .take_while(|cell| {
            used += cell.width;
            used <= room
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, mark: Range<usize>) -> (String, usize, usize) {
        let Excerpt { text, mark_at, mark_width } = excerpt(line.as_bytes(), mark);
        (text, mark_at, mark_width)
    }

    #[test]
    fn short_lines_are_shown_whole() {
        assert_eq!(shown("a bc d", 2..4), ("a bc d".into(), 2, 2));
        assert_eq!(shown("", 0..0), (String::new(), 0, 1));
        assert_eq!(shown("abc", 3..3), ("abc".into(), 3, 1));
        assert_eq!(shown("abc", 7..9), ("abc".into(), 3, 1), "beyond the end");
    }

    #[test]
    fn columns_are_those_of_a_terminal() {
        assert_eq!(shown("\tx", 1..2), ("    x".into(), 4, 1));
        assert_eq!(shown("漢字 x", 7..8), ("漢字 x".into(), 5, 1));
        assert_eq!(shown("e\u{301}x", 3..4), ("e\u{301}x".into(), 1, 1));
        assert_eq!(shown("\x1b[1mx", 4..5), ("␛[1mx".into(), 4, 1));
        let odd = excerpt(b"\xff\xfex", 2..3);
        assert_eq!((odd.text.as_str(), odd.mark_at), ("\u{fffd}\u{fffd}x", 2));
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let line = "0123456789".repeat(800_000);
        let (text, at, marked) = shown(&line, 4_000_003..4_000_006);
        assert_eq!(text.chars().count(), WINDOW + 2);
        assert!(text.starts_with('…') && text.ends_with('…'));
        assert_eq!(marked, 3);
        assert_eq!(text.chars().skip(at).take(3).collect::<String>(), "345");
        let (text, at, _) = shown(&line, 0..1);
        assert!(text.starts_with("012") && text.ends_with('…') && at == 0);
        let (text, at, marked) = shown(&line, line.len()..line.len());
        assert!(text.starts_with('…') && text.ends_with('9'));
        assert_eq!((at, marked), (WINDOW + 1, 1));
        let (text, _, marked) = shown(&line, 5..7_000_000);
        assert_eq!((text.chars().count(), marked), (WINDOW + 2, WINDOW));
    }

    #[test]
    fn nothing_panics_wherever_the_mark_is() {
        let line = "ü漢\t\u{202e}e\u{301}".repeat(60);
        for start in 0..line.len() {
            for length in [0, 1, 5, 300] {
                let piece = excerpt(line.as_bytes(), start..start + length);
                assert!(piece.mark_at <= WINDOW + 1 && piece.mark_width <= WINDOW);
            }
        }
    }
}
