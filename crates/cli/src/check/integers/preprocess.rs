//! `--preprocess`: the text that `cc -E` makes of a C program, line by line where it was.
//!
//! Lines with `#include <...>` are taken out before: what standard headers declare is not needed,
//! and much of it is not read. What other headers say stands in the line that includes them.

use crate::failure::Failure;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

fn failure(what: &str, hint: &str) -> Failure {
    Failure::Usage { message: format!("--preprocess: {what}"), hint: hint.to_owned() }
}

/// Runs the preprocessor on a text that was read from a path.
pub(super) fn run(text: &str, path: &str) -> Result<String, Failure> {
    let is_standard = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let included = directive.and_then(|it| it.strip_prefix("include"));
        included.is_some_and(|it| it.trim_start().starts_with('<'))
    };
    let lines = text.lines().map(|line| if is_standard(line) { "" } else { line });
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let folder = Path::new(path).parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let child = Command::new("cc")
        .args(["-E", "-x", "c", "-I"])
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
        scope.spawn(|| input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(cannot)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("it says nothing").to_owned();
        return Err(failure(&format!("`cc -E` fails: {first}"), "correct the program"));
    }
    Ok(in_place(&String::from_utf8_lossy(&output.stdout)))
}

/// Puts the lines of the main text where they were. Lines of headers join the line before.
fn in_place(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut at, mut is_main) = (0, true);
    for line in text.lines() {
        let marker = line.strip_prefix("# ").and_then(|rest| {
            let (number, file) = rest.split_once(' ')?;
            Some((number.parse::<usize>().ok()?, file))
        });
        if let Some((number, file)) = marker {
            is_main = file.starts_with("\"<stdin>\"");
            if is_main {
                at = number.saturating_sub(1);
            }
            continue;
        }
        if lines.len() <= at {
            lines.resize(at + 1, String::new());
        }
        lines[at].push_str(line);
        lines[at].push(' ');
        at += usize::from(is_main);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::in_place;

    #[test]
    fn lines_stay_where_they_were() {
        let text = "# 1 \"<stdin>\"\n# 1 \"<built-in>\"\n# 1 \"<stdin>\"\n\nint x;\n# 1 \"a.h\" 1\nint y;\n# 4 \"<stdin>\" 2\nint z;\n";
        let made = in_place(text);
        let lines: Vec<&str> = made.lines().map(str::trim).collect();
        assert_eq!(lines[1], "int x;");
        assert!(lines[2].contains("int y;"), "{lines:?}");
        assert_eq!(lines[3], "int z;");
    }
}
