//! Rewraps comments that are wider than a line may be, and nothing else.
//!
//! Words stay as they are and in their order. Of a paragraph, the lines before the first that is
//! too wide stay too. Tables, headings, definitions of links and code stay as they are, however
//! wide.

use super::WIDTH;

/// A line that is a comment alone: what stands before the text, and the text.
pub(crate) fn comment(line: &str) -> Option<(&str, &str)> {
    let begin = line.len() - line.trim_start().len();
    let rest = &line[begin..];
    let marker = ["///", "//!", "//"].into_iter().find(|marker| rest.starts_with(marker))?;
    // More slashes are a ruler, not a comment.
    if rest.starts_with("////") {
        return None;
    }
    Some(line.split_at(begin + marker.len()))
}

/// How wide a line is.
pub(crate) fn width(line: &str) -> usize {
    line.chars().count()
}

/// Whether a line is too wide, and could be broken.
fn is_wide(line: &str) -> bool {
    let breaks = || comment(line).is_some_and(|(_, text)| words(text).len() > 1);
    width(line) > WIDTH && breaks()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Goes on with the paragraph before.
    Text,
    /// Begins a paragraph, whose other lines begin at this column.
    Item(usize),
    /// Stays as it is, and ends the paragraph before.
    Fixed,
}

/// What the text of one line of a comment is, outside of blocks of code. `goes_on` in a paragraph.
fn kind(text: &str, goes_on: bool) -> Kind {
    let inner = text.trim_start();
    let indent = text.len() - inner.len();
    let is_definition = inner.starts_with('[') && inner.contains("]: ");
    let is_heading = inner.starts_with('#') && inner.trim_start_matches('#').starts_with(' ');
    if inner.is_empty() || inner.starts_with(['|', '>']) || is_heading || is_definition {
        return Kind::Fixed;
    }
    match item(inner) {
        Some(marker) => Kind::Item(indent + marker),
        // Four blanks more than the one after the marker are code.
        None if indent > 4 && !goes_on => Kind::Fixed,
        None => Kind::Text,
    }
}

/// The length of a list marker with the blank after it: `- `, `* `, `+ `, `12. `, `12) `.
fn item(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = text[digits..].chars().next()?;
    let fits = if digits == 0 { "-*+".contains(sign) } else { ".)".contains(sign) };
    let marker = digits + 1;
    (fits && text[marker..].starts_with(' ')).then_some(marker + 1)
}

/// The words of a text, as far as a line may end between them: code in backticks is one word, and
/// what would be a list, a heading or a table at the beginning of a line stays with the word
/// before.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for word in text.split_whitespace() {
        let first = word.chars().next().expect("words are not empty");
        let starts_block = "-*+#>|".contains(first) && !word.starts_with("**")
            || item(&format!("{word} ")).is_some();
        match words.last_mut() {
            Some(last) if inside || starts_block => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
        inside ^= word.matches('`').count() % 2 == 1;
    }
    words
}

/// Puts words into lines: the first begins with `first`, all others with `rest`.
fn fill(first: &str, rest: &str, text: &str, out: &mut Vec<String>) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words(text) {
        if !is_empty && width(&line) + 1 + width(&word) > WIDTH {
            out.push(std::mem::replace(&mut line, rest.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(&word);
        is_empty = false;
    }
    out.push(line);
}

/// One paragraph of a comment, as it is being read.
struct Paragraph<'a> {
    lines: Vec<&'a str>,
    /// The column at which further lines begin, after the marker of the comment.
    hanging: usize,
}

impl Paragraph<'_> {
    fn flush(&mut self, out: &mut Vec<String>) {
        let lines = std::mem::take(&mut self.lines);
        let Some(wide) = lines.iter().position(|line| is_wide(line)) else {
            out.extend(lines.into_iter().map(str::to_owned));
            return;
        };
        out.extend(lines[..wide].iter().map(|&line| line.to_owned()));
        let (prefix, text) = comment(lines[wide]).expect("paragraphs are comments");
        // The second line says how far lines are indented, if there is one.
        let hanging = match lines.get(1).and_then(|line| comment(line)) {
            Some((_, next)) => next.len() - next.trim_start().len(),
            None => self.hanging,
        };
        let indent = text.len() - text.trim_start().len();
        let mut first = format!("{prefix}{}", &text[..indent]);
        let mut words = text.trim_start();
        // A list marker is no word: it stays at the beginning.
        if wide == 0
            && let Some(marker) = item(words)
        {
            first.push_str(&words[..marker]);
            words = &words[marker..];
        }
        let mut all = words.to_owned();
        for line in &lines[wide + 1..] {
            all.push(' ');
            all.push_str(comment(line).expect("paragraphs are comments").1);
        }
        fill(&first, &format!("{prefix}{}", " ".repeat(hanging)), &all, out);
    }
}

/// A text of Rust with all its comments within the width.
pub(crate) fn wrap(text: &str) -> String {
    look_through(text).0
}

/// The lines, counted from 1, whose comments are too wide.
pub(crate) fn wide_lines(text: &str) -> Vec<usize> {
    look_through(text).1
}

/// The text with its comments wrapped, and which lines were too wide.
fn look_through(text: &str) -> (String, Vec<usize>) {
    let mut out: Vec<String> = Vec::new();
    let mut wide = Vec::new();
    let mut paragraph = Paragraph { lines: Vec::new(), hanging: 1 };
    let mut prefix = "";
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((here, inner)) = comment(line) else {
            paragraph.flush(&mut out);
            (prefix, in_code) = ("", false);
            out.push(line.to_owned());
            continue;
        };
        if here != prefix {
            paragraph.flush(&mut out);
            (prefix, in_code) = (here, false);
        }
        let is_fence = inner.trim_start().starts_with("```");
        let goes_on = !paragraph.lines.is_empty();
        let kind = if in_code || is_fence { Kind::Fixed } else { kind(inner, goes_on) };
        in_code ^= is_fence;
        wide.extend((kind != Kind::Fixed && is_wide(line)).then_some(number));
        match kind {
            Kind::Fixed => {
                paragraph.flush(&mut out);
                out.push(line.to_owned());
            }
            Kind::Item(hanging) => {
                paragraph.flush(&mut out);
                paragraph = Paragraph { lines: vec![line], hanging };
            }
            Kind::Text => {
                if paragraph.lines.is_empty() {
                    paragraph.hanging = inner.len() - inner.trim_start().len();
                }
                paragraph.lines.push(line);
            }
        }
    }
    paragraph.flush(&mut out);
    let mut wrapped = out.join("\n");
    if text.ends_with('\n') {
        wrapped.push('\n');
    }
    (wrapped, wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    #[test]
    fn paragraphs_and_lists_keep_their_shape() {
        let item = format!("    /// - {}\n    ///   more\n", long(30));
        let text = format!("    /// First.\n{item}    ///\n    /// x\n");
        assert_eq!(wide_lines(&text), [2]);
        let wrapped = wrap(&text);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert_eq!(lines[0], "    /// First.");
        assert!(lines[1].starts_with("    /// - word word"), "{wrapped}");
        assert!(lines[2].starts_with("    ///   word"), "{wrapped}");
        assert!(lines[2].ends_with("word more"), "{wrapped}");
        assert_eq!(&lines[3..], ["    ///", "    /// x"]);
        assert!(lines.iter().all(|line| width(line) <= WIDTH), "{wrapped}");
        assert_eq!(wrap(&wrapped), wrapped);
    }

    #[test]
    fn what_is_not_prose_stays() {
        let wide = "x".repeat(120);
        for line in [
            format!("/// | {wide} | y z |"),
            format!("/// # {wide} y"),
            format!("/// [a b]: https://{wide}"),
            format!("//! ```text\n//! {wide} {wide}\n//! ```"),
            format!("///     {wide} y"),
            format!("let a = \"{wide} {wide}\"; // {wide} y"),
        ] {
            assert_eq!(wrap(&line), line);
        }
    }

    #[test]
    fn no_line_begins_with_what_would_be_a_list_and_code_is_not_broken() {
        let text = format!("// {} - `a {} b` c\n", long(19), long(5));
        let wrapped = wrap(&text);
        assert!(wrapped.lines().all(|line| !line.starts_with("// -")), "{wrapped}");
        let span = format!("`a {} b`", long(5));
        assert!(wrapped.contains(&span), "{wrapped}");
    }

    #[test]
    fn comments_of_other_kinds_are_not_mixed() {
        let text = format!("//! {}\n\n/// {}\n// y\nfn f() {{}}\n", long(25), long(25));
        let wrapped = wrap(&text);
        assert!(wrapped.contains("word\n// y\nfn f() {}\n"), "{wrapped}");
        assert!(wrapped.lines().all(|line| width(line) <= WIDTH), "{wrapped}");
    }
}
