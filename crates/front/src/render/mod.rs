//! Problems as text for people: what, where, a piece of the source, and the way out.
//!
//! ```text
//! error[R104]: box `b` returns by `x`, which is no exit of `f`
//!   --> model.rsm:41:29
//!    |
//! 41 |     "return_nodes": ["n22", "n21"]
//!    |                             ^^^^^ not an exit of `f`
//!   ::: model.rsm:63:14
//! 63 |     {"name": "n21"}
//!    |              ----- declared here
//!    = help: add `"is_exit": true`
//! ```

mod excerpt;

use crate::problem::{Label, Problem, Refusal, Severity};
use crate::source::Source;
use excerpt::excerpt;
use std::fmt::{self, Write};
use tern_model::{Palette, brief, visible};

/// A source with what is wrong with it. It prints itself as text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The source; without content if it could not be opened.
    pub source: Source,
    /// What is wrong, at least one thing.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Wrong {
    /// The problems with pieces of the source and hints; of many only the first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, more) = first_of(std::slice::from_ref(self), SHOWN, Palette::PLAIN);
        f.write_str(text.trim_end())?;
        if more > 0 { write!(f, "\n\n{}", more_problems(more)) } else { Ok(()) }
    }
}

impl std::error::Error for Wrong {}

impl Problem {
    /// The problem with the pieces of its source that it speaks of, as text for people.
    pub fn show(&self, source: &Source) -> String {
        render(source, self, Palette::PLAIN).trim_end().to_owned()
    }
}

impl Refusal {
    /// The problems with the pieces of their source that they speak of, as text for people.
    pub fn show(&self, source: &Source) -> String {
        match self {
            Refusal::Limit(limit) => limit.to_string(),
            Refusal::Problems(problems) => {
                Wrong { source: source.clone(), problems: problems.clone() }.to_string()
            }
        }
    }
}

/// How many problems are shown in full unless more are asked for; the rest usually follow from
/// them.
pub const SHOWN: usize = 10;

/// The first problems of all sources, at most so many, and what follows from them. If there are
/// more, `more_by` says how to see them.
pub fn render_all(
    wrong: &[Wrong],
    most: usize,
    more_by: &str,
    consequence: &str,
    palette: Palette,
) -> String {
    let (mut text, more) = first_of(wrong, most, palette);
    if more > 0 {
        text.push_str(&format!("{} ({more_by}); ", more_problems(more)));
    }
    text.push_str(consequence);
    text.push('\n');
    text
}

/// The first problems, each with an empty line behind it, and how many more there are.
fn first_of(wrong: &[Wrong], most: usize, palette: Palette) -> (String, usize) {
    let all = wrong
        .iter()
        .flat_map(|wrong| wrong.problems.iter().map(move |problem| (&wrong.source, problem)));
    let mut text = String::new();
    for (source, problem) in all.clone().take(most) {
        text.push_str(&render(source, problem, palette));
        text.push('\n');
    }
    (text, all.skip(most).map(|(_, problem)| problem.count).sum())
}

fn more_problems(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} more problem{plural}")
}

/// One problem.
pub fn render(source: &Source, problem: &Problem, palette: Palette) -> String {
    let Palette { bad, warning, note, strong, reset, .. } = palette;
    let colour = match problem.severity {
        Severity::Error => bad,
        Severity::Warning => warning,
    };
    let (word, code) = (problem.severity, problem.code);
    let message = brief(&problem.message);
    let mut text = format!("{colour}{word}[{code}]{reset}{strong}: {message}{reset}\n");
    let places = problem.at.iter().chain(&problem.related);
    let last_line = places.map(|label| line_number(source, label)).max().unwrap_or(1);
    let gutter = last_line.to_string().len();
    match &problem.at {
        Some(label) => snippet(&mut text, source, label, gutter, Mark::Main(colour), palette),
        None => {
            // A source that could not be opened is usually named in the message already.
            if !problem.message.contains(&source.name) {
                let name = visible(&source.name);
                push(&mut text, format_args!("{:gutter$}{note}-->{reset} {name}\n", ""));
            }
        }
    }
    for label in &problem.related {
        snippet(&mut text, source, label, gutter, Mark::Related, palette);
    }
    for (i, line) in problem.hint.iter().flat_map(|hint| hint.lines()).enumerate() {
        let lead = if i == 0 { "= help:" } else { "       " };
        push(&mut text, format_args!("{:gutter$} {note}{lead}{reset} {}\n", "", brief(line)));
    }
    text
}

/// The place of a label as `file:line:column`.
pub fn place(source: &Source, label: &Label) -> String {
    let position = source.position(label.span.start as usize);
    format!("{}:{}:{}", source.name, position.line, position.column)
}

#[derive(Clone, Copy)]
enum Mark {
    /// The place at fault, in this colour.
    Main(&'static str),
    /// A place that explains it.
    Related,
}

fn snippet(
    text: &mut String,
    source: &Source,
    label: &Label,
    gutter: usize,
    mark: Mark,
    palette: Palette,
) {
    let Palette { note, reset, .. } = palette;
    let (colour, arrow, sign) = match mark {
        Mark::Main(colour) => (colour, "-->", "^"),
        Mark::Related => (note, ":::", "-"),
    };
    let start = (label.span.start as usize).min(source.bytes.len());
    let line = source.line_range(start);
    let from = start.clamp(line.start, line.end) - line.start;
    let to = (label.span.end as usize).clamp(line.start + from, line.end) - line.start;
    let piece = excerpt(&source.bytes[line], from..to);
    let place = place(source, label);
    let number = line_number(source, label);
    push(text, format_args!("{:gutter$}{note}{arrow}{reset} {}\n", "", visible(&place)));
    if matches!(mark, Mark::Main(_)) {
        push(text, format_args!("{:gutter$} {note}|{reset}\n", ""));
    }
    push(text, format_args!("{note}{number:>gutter$} |{reset} {}\n", piece.text));
    let (pad, marks) = (" ".repeat(piece.mark_at), sign.repeat(piece.mark_width));
    let words = brief(&label.text);
    let words = if words.is_empty() { words } else { format!(" {words}").into() };
    push(text, format_args!("{:gutter$} {note}|{reset} {pad}{colour}{marks}{words}{reset}\n", ""));
}

fn line_number(source: &Source, label: &Label) -> usize {
    source.position(label.span.start as usize).line
}

fn push(text: &mut String, piece: std::fmt::Arguments<'_>) {
    text.write_fmt(piece).expect("a string takes all text");
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Span;

    fn shown(source: &str, problem: &Problem) -> String {
        render(&Source::new("m.rsm", source), problem, Palette::PLAIN)
    }

    fn at(span: std::ops::Range<usize>) -> Problem {
        Problem::error("R104", "no such exit").at(Span::new(span), "here")
    }

    #[test]
    fn a_problem_is_shown_with_its_places() {
        let problem = at(4..7).related(Span::new(0..3), "declared here").hint("use `abc`\nor not");
        insta::assert_snapshot!(shown("abc\nxyz w\n", &problem), @r"
        error[R104]: no such exit
         --> m.rsm:2:1
          |
        2 | xyz w
          | ^^^ here
         ::: m.rsm:1:1
        1 | abc
          | --- declared here
          = help: use `abc`
                  or not
        ");
    }

    #[test]
    fn the_gutter_fits_the_largest_line_number() {
        let text = "\n".repeat(11) + "x";
        insta::assert_snapshot!(shown(&text, &at(11..12).related(Span::new(0..0), "")), @r"
        error[R104]: no such exit
          --> m.rsm:12:1
           |
        12 | x
           | ^ here
          ::: m.rsm:1:1
         1 | 
           | -
        ");
    }

    #[test]
    fn ends_of_files_and_empty_files_have_places() {
        insta::assert_snapshot!(shown("", &at(0..0)), @r"
        error[R104]: no such exit
         --> m.rsm:1:1
          |
        1 | 
          | ^ here
        ");
        insta::assert_snapshot!(shown("ab\n", &at(3..3)), @r"
        error[R104]: no such exit
         --> m.rsm:2:1
          |
        2 | 
          | ^ here
        ");
        insta::assert_snapshot!(shown("ab\r\n", &at(2..90)), @r"
        error[R104]: no such exit
         --> m.rsm:1:3
          |
        1 | ab
          |   ^ here
        ");
        assert!(shown("ab", &at(900..901)).contains("m.rsm:1:3"));
    }

    #[test]
    fn a_span_over_several_lines_is_marked_to_the_end_of_its_first() {
        insta::assert_snapshot!(shown("a {\n b\n}", &at(2..8)), @r"
        error[R104]: no such exit
         --> m.rsm:1:3
          |
        1 | a {
          |   ^ here
        ");
    }

    #[test]
    fn problems_without_a_place_name_the_source() {
        let problem = Problem::error("I001", "cannot read `m.rsm`").hint("does it exist?");
        insta::assert_snapshot!(shown("", &problem), @r"
        error[I001]: cannot read `m.rsm`
          = help: does it exist?
        ");
    }

    #[test]
    fn one_long_line_stays_readable() {
        let text = "[".to_owned() + &"\"n\",".repeat(2_000_000) + "]";
        let rendered = shown(&text, &at(4_000_001..4_000_004));
        assert!(rendered.lines().all(|line| line.chars().count() < 120), "{rendered}");
        assert!(rendered.contains("^^^ here"));
    }

    #[test]
    fn problems_show_themselves_in_their_source() {
        let source = Source::new("m.rsm", "abc\nxyz w\n");
        let problem = at(4..7).hint("use `abc`");
        let text = "error[R104]: no such exit\n --> m.rsm:2:1\n  |\n2 | xyz w\n  | ^^^ here\n  = help: use `abc`";
        assert_eq!(problem.show(&source), text);
        let refusal = Refusal::Problems(vec![problem.clone()]);
        assert_eq!(refusal.show(&source), text);
        assert_eq!(problem.to_string(), "error[R104]: no such exit\n  = help: use `abc`");
        let wrong = Wrong { source, problems: vec![problem; 11] };
        assert!(wrong.to_string().ends_with("\n\n1 more problem"), "{wrong}");
    }

    #[test]
    fn what_steers_a_terminal_is_never_printed() {
        let evil = "a\u{1b}[2J \u{202e}b\u{2066}";
        let source = Source::new(format!("{evil}.tern"), evil);
        let span = Span::new(2..9);
        let problem = Problem::error("T001", evil).at(span, evil).related(span, evil).hint(evil);
        let placeless = Problem::error("T001", evil).hint(evil);
        let shown = [problem.show(&source), placeless.show(&source)];
        let shown = shown.into_iter().chain([problem.to_string(), placeless.to_string()]);
        for text in shown {
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2066}']), "{text:?}");
            assert!(text.contains("\\u{202e}"), "{text:?}");
        }
    }

    #[test]
    fn many_problems_are_counted_not_shown() {
        let problems = vec![at(0..1); 12];
        let wrong = [Wrong { source: Source::new("m.rsm", "abc"), problems }];
        let text = render_all(&wrong, SHOWN, "ask", "nothing was checked", Palette::PLAIN);
        assert_eq!(text.matches("error[").count(), 10);
        let all = render_all(&wrong, usize::MAX, "", "nothing was checked", Palette::PLAIN);
        assert_eq!(all.matches("error[").count(), 12);
        assert!(all.ends_with("\n\nnothing was checked\n"), "{all}");
        assert!(text.ends_with("\n2 more problems (ask); nothing was checked\n"), "{text}");
        let rest = Problem { count: 50, ..Problem::error("R199", "50 more") };
        let problems = [vec![at(0..1); 100], vec![rest]].concat();
        let wrong = [Wrong { source: Source::new("m.rsm", "abc"), problems }];
        let text = render_all(&wrong, SHOWN, "ask", "nothing was checked", Palette::PLAIN);
        assert!(text.ends_with("\n140 more problems (ask); nothing was checked\n"), "{text}");
    }
}
