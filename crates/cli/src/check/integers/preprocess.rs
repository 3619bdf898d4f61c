//! `--preprocess`: the text that `cc -E` makes of a C program, line by line where it was.
//!
//! Lines with `#include <...>` are taken out before: what standard headers declare is not needed,
//! and much of it is not read. Those that only define macros stay. What other headers say stands in
//! the line that includes them; [`Preprocessed::place`] says where it stood in the header.

use crate::failure::Failure;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use tern_front::{Problem, Source, Wrong};
use tern_model::Span;
use tern_program::c::syntax::Widths;

/// Standard headers that declare nothing.
const MACROS_ONLY: [&str; 3] = ["limits.h", "stdbool.h", "iso646.h"];

/// A text that was preprocessed.
pub(super) struct Preprocessed {
    pub(super) text: String,
    /// Parts of it that are lines of headers: where they are, the header and the number of the
    /// line.
    headers: Vec<(Range<usize>, String, usize)>,
}

fn failure(what: &str, hint: &str) -> Failure {
    Failure::Usage { message: format!("--preprocess: {what}"), hint: hint.to_owned() }
}

/// Whether a line includes a standard header that declares something.
fn is_left_out(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    let included = directive.and_then(|it| it.strip_prefix("include")).map(str::trim_start);
    let name = included.and_then(|it| it.strip_prefix('<'));
    name.is_some_and(|it| !MACROS_ONLY.iter().any(|name| it.trim_start().starts_with(name)))
}

/// Runs the preprocessor on a text that was read from a path. With widths, `INT_MAX` and
/// `LONG_MAX` are those of the widths.
pub(super) fn run(text: &str, path: &str, widths: Option<Widths>) -> Result<Preprocessed, Failure> {
    let lines = text.lines().map(|line| if is_left_out(line) { "" } else { line });
    // Messages are to name the file.
    let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
    let mut given = format!("# 1 \"{quoted}\"\n");
    given.extend(lines.flat_map(|line| [line, "\n"]));
    let folder = Path::new(path).parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut command = Command::new("cc");
    command.args(["-E", "-x", "c"]);
    for (name, bits, suffix) in
        widths.into_iter().flat_map(|it| [("INT", it.int, ""), ("LONG", it.long, "L")])
    {
        let most = (1_u128 << (bits - 1)) - 1;
        command.arg(format!("-U__{name}_MAX__")).arg(format!("-D__{name}_MAX__={most}{suffix}"));
    }
    let child = command
        .arg("-I")
        .arg(folder)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let cannot = |cause: std::io::Error| {
        let hint = "a C compiler must be installed under the name `cc`";
        failure(&format!("`cc -E` cannot be run: {cause}"), hint)
    };
    let mut child = child.map_err(cannot)?;
    let input = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // In a thread of its own, so that neither side waits for the other.
        scope.spawn(|| input.map(|mut input| input.write_all(given.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(cannot)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(refused(&said, text, path));
    }
    Ok(in_place(&String::from_utf8_lossy(&output.stdout), &quoted))
}

/// What the preprocessor says is wrong, where it says so: `file:line:column: error: message`,
/// perhaps without the column.
fn refused(said: &str, text: &str, path: &str) -> Failure {
    const HINT: &str = "correct the program";
    let is_error = |line: &&str| line.contains("error: ");
    let first = said.lines().find(is_error).or_else(|| said.lines().next());
    let first = first.unwrap_or("it says nothing");
    let placed = first.strip_prefix(path).and_then(|it| it.strip_prefix(':')).and_then(|rest| {
        let (place, message) = rest.split_once("error: ")?;
        let mut numbers = place.split(':').filter_map(|it| it.trim().parse::<usize>().ok());
        let (line, column) = (numbers.next()?, numbers.next().unwrap_or(1));
        let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
        Some((lines.map(str::len).sum::<usize>() + column.saturating_sub(1), message))
    });
    let Some((at, message)) = placed else {
        return failure(&format!("`cc -E` fails: {first}"), HINT);
    };
    let at = at.min(text.len());
    let problem = Problem::error("C101", format!("`cc -E` says: {message}"));
    let problems = vec![problem.at(Span::new(at..at), "").hint(HINT)];
    Failure::Input(vec![Wrong { source: Source::new(path, text), problems }])
}

/// Puts the lines of the main text where they were. Lines of headers join the line before.
fn in_place(text: &str, main: &str) -> Preprocessed {
    let mut lines: Vec<String> = Vec::new();
    // Of each line of a header: the line it joins, where there, the header and its line.
    let mut joined: Vec<(usize, Range<usize>, String, usize)> = Vec::new();
    let (mut at, mut header) = (0, None);
    for line in text.lines() {
        let marker = line.strip_prefix("# ").and_then(|rest| {
            let (number, file) = rest.split_once(' ')?;
            let file = file.strip_prefix('"')?;
            Some((number.parse::<usize>().ok()?, &file[..file.rfind('"')?]))
        });
        if let Some((number, file)) = marker {
            if file == main {
                (at, header) = (number.saturating_sub(1), None);
            } else {
                header = Some((file.to_owned(), number));
            }
            continue;
        }
        if lines.len() <= at {
            lines.resize(at + 1, String::new());
        }
        let begin = lines[at].len();
        lines[at].push_str(line);
        lines[at].push(' ');
        match &mut header {
            None => at += 1,
            Some((file, number)) => {
                joined.push((at, begin..lines[at].len(), file.clone(), *number));
                *number += 1;
            }
        }
    }
    let mut begins = Vec::new();
    let mut sum = 0;
    for line in &lines {
        begins.push(sum);
        sum += line.len() + 1;
    }
    let headers = joined.into_iter().map(|(line, range, file, number)| {
        let begin = begins[line];
        (begin + range.start..begin + range.end, file, number)
    });
    let headers = headers.collect();
    Preprocessed { text: lines.join("\n") + "\n", headers }
}

impl Preprocessed {
    /// Where something stands that is in a header: the header, and the place there. The column is
    /// known if no macro of the line was replaced before it.
    pub(super) fn place(&self, at: Span) -> Option<(Source, Span)> {
        let at = at.range();
        let (range, file, number) = self.headers.iter().find(|it| it.0.contains(&at.start))?;
        let text = std::fs::read_to_string(file).ok()?;
        let lines = text.split_inclusive('\n').take(number.saturating_sub(1));
        let before: usize = lines.map(str::len).sum();
        let line = text[before..].lines().next().unwrap_or_default();
        let is_same = line.starts_with(&self.text[range.start..at.start]);
        let begin = if is_same { at.start - range.start } else { 0 };
        let end = (begin + at.len()).min(line.len()).max(begin);
        Some((Source::new(file.as_str(), text.as_str()), Span::new(before + begin..before + end)))
    }
}

#[cfg(test)]
mod tests {
    use super::{in_place, is_left_out};

    #[test]
    fn lines_stay_where_they_were() {
        let text = "# 0 \"m.c\"\n# 1 \"<built-in>\"\n# 1 \"m.c\"\n\nint x;\n# 1 \"a.h\" 1\n\nint y;\n# 4 \"m.c\" 2\nint z;\n";
        let made = in_place(text, "m.c");
        let lines: Vec<&str> = made.text.lines().map(str::trim).collect();
        assert_eq!(lines[1], "int x;");
        assert!(lines[2].contains("int y;"), "{lines:?}");
        assert_eq!(lines[3], "int z;");
        let places: Vec<(&str, usize)> =
            made.headers.iter().map(|(at, _, line)| (&made.text[at.clone()], *line)).collect();
        assert_eq!(places, [(" ", 1), ("int y; ", 2)]);
    }

    #[test]
    fn headers_that_declare_something_are_left_out() {
        assert!(is_left_out("#include <stdio.h>") && is_left_out(" # include<assert.h>"));
        assert!(!is_left_out("#include <limits.h>") && !is_left_out("#include \"a.h\""));
    }
}
