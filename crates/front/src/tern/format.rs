//! Lays a `.tern` text out anew: one statement a line, blanks where they help, comments kept.
//!
//! The text is gone through token by token; comments stand in the gaps between tokens. A comment
//! stays on its line if it stood behind something, and else has a line of its own. Formulas are
//! kept as they are written. Inside statements lines are broken only where they were, behind
//! commas and comments; of several empty lines one is kept. A text that is laid out is laid out as
//! itself.
//!
//! Only texts that can be read are laid out, and what comes out is read again: if that were not
//! the same machine with the same claims, nothing would be given.

use super::lexer::{Kind, Lexer, Token};
use super::{read, write};
use crate::claims::{Kind as Fair, read_claim};
use crate::collector::{Collector, utf8};
use crate::formula::Stop;
use crate::problem::{Problem, Refusal};
use crate::source::Source;
use tern_model::budget::Meter;
use tern_model::{Budget, Formulas, Limit};

/// Lays a text out.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn format(source: &Source, budget: &Budget) -> Result<String, Refusal> {
    let (machine, claims) = read(source, budget)?;
    let (text, start) = utf8(&source.bytes, "T001")?;
    let laid_out = layout(text, start, budget)?;
    let again = Source::new(source.name.clone(), laid_out.as_bytes());
    let is_same = read(&again, budget)
        .is_ok_and(|(other, said)| write(&other, &said) == write(&machine, &claims));
    match is_same {
        true => Ok(laid_out),
        false => Err(Problem::error("T091", "this text cannot be laid out without changing it")
            .hint("this is a fault in Tern; the text is left as it is")
            .into()),
    }
}

/// The layout of a text that can be read.
fn layout(text: &str, start: usize, budget: &Budget) -> Result<String, Limit> {
    let mut pen = Pen::default();
    let mut problems = Collector::default();
    let mut formulas = Formulas::new();
    let mut lexer = Lexer::new(text, start);
    let mut meter = Meter::new(budget);
    let mut behind = start;
    let mut in_labels = false;
    loop {
        meter.tick()?;
        let token = match in_labels {
            true => lexer.next_label(&mut problems),
            false => lexer.next(&mut problems),
        };
        let closes_component = token.kind == Kind::CloseBrace && !in_labels;
        if closes_component && pen.in_statement {
            pen.end_statement();
        }
        pen.gap(&text[behind..token.span.start as usize], closes_component);
        if token.kind == Kind::End {
            return Ok(pen.finish());
        }
        let word = lexer.text_of(token);
        let at_formula = token.kind == Kind::Word
            && pen.depth == 0
            && pen.begins_statement()
            && matches!(word, "claim" | "fair" | "compassion");
        if at_formula {
            let at = token.span.end as usize;
            let (formulas, problems) = (&mut formulas, &mut problems);
            let condition = |kind: Fair, formulas, problems| {
                kind.read(formulas, text, at, Stop::Statement.into(), problems).next
            };
            let next = match word {
                "claim" => read_claim(formulas, text, at, Stop::Statement, problems).next,
                "fair" => condition(Fair::Justice, formulas, problems),
                _ => condition(Fair::Compassion, formulas, problems),
            };
            pen.formula(word, text[at..next].trim());
            lexer.at = next;
        } else {
            let opens_labels = token.kind == Kind::OpenBrace && pen.depth == 1;
            let closes_labels = in_labels && token.kind == Kind::CloseBrace;
            in_labels = (in_labels || opens_labels) && !closes_labels;
            pen.token(token, word, opens_labels, closes_labels);
        }
        behind = lexer.at;
    }
}

/// What is written so far.
#[derive(Default)]
struct Pen {
    text: String,
    /// The line that is being written, without its indentation; empty at the start of one.
    line: String,
    /// How many components are open: none or one.
    depth: usize,
    /// Whether a statement has begun and not ended.
    in_statement: bool,
    /// Whether the line goes on with a statement of the line before.
    continues: bool,
    /// What was written last on this line, as far as blanks depend on it.
    last: Last,
    /// Whether an empty line was asked for.
    empty_line: bool,
    /// Whether the line opens a component, which what follows is in.
    opening: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    /// Nothing, or something behind which no blank stands.
    #[default]
    Open,
    /// Something that is a part of a statement.
    Part,
    /// The end of a statement.
    End,
}

impl Pen {
    fn begins_statement(&self) -> bool {
        !self.in_statement
    }

    /// Ends the line, if there is anything on it.
    fn end_line(&mut self) {
        if self.line.is_empty() {
            return;
        }
        if self.empty_line && !self.text.is_empty() && !self.text.ends_with("{\n") {
            self.text.push('\n');
        }
        self.empty_line = false;
        let indent = 2 * self.depth + if self.continues { 4 } else { 0 };
        self.text.push_str(&" ".repeat(indent));
        self.text.push_str(self.line.trim_end());
        self.text.push('\n');
        self.line.clear();
        self.last = Last::Open;
        self.continues = self.in_statement;
        if std::mem::take(&mut self.opening) {
            self.depth = 1;
        }
    }

    /// Writes what stands between two tokens: comments, and ends of lines as far as they are kept.
    fn gap(&mut self, gap: &str, closes: bool) {
        let mut rest = gap;
        loop {
            let comment = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
            let (blank, from) = rest.split_at(comment);
            let lines = blank.matches('\n').count();
            if lines > 0 {
                self.line_ends(closes, lines, from.is_empty());
            }
            if from.is_empty() {
                return;
            }
            let length = match from.strip_prefix("/*").and_then(|body| body.find("*/")) {
                Some(length) => length + 4,
                None => from.find('\n').unwrap_or(from.len()),
            };
            let (comment, behind) = from.split_at(length);
            self.comment(blank, comment.trim_end());
            rest = behind;
        }
    }

    /// Heeds ends of lines in a gap; `before_token` if a token follows, and no comment.
    fn line_ends(&mut self, closes: bool, lines: usize, before_token: bool) {
        let breaks = !before_token || !self.in_statement || self.line.ends_with(',');
        if breaks {
            self.end_line();
        }
        self.empty_line |= lines > 1 && !self.in_statement && !(closes && before_token);
    }

    /// Writes a comment; `blank` is what stood before it.
    fn comment(&mut self, blank: &str, comment: &str) {
        if !self.line.is_empty() {
            // As far from the text as it was, so that what stands in a column stays there.
            let width = blank.rsplit('\n').next().unwrap_or_default().chars().count();
            self.line.push_str(&" ".repeat(width.max(1)));
        }
        self.line.push_str(comment);
        self.last = Last::Part;
        if !comment.starts_with("/*") {
            self.end_line();
        }
    }

    /// Writes a token, on a new line if it begins a statement.
    fn token(&mut self, token: Token, word: &str, opens_labels: bool, closes_labels: bool) {
        match token.kind {
            Kind::Semicolon if !self.in_statement => {} // a statement of nothing
            Kind::Semicolon => self.end_statement(),
            Kind::OpenBrace if !opens_labels => {
                self.part("{", true);
                self.in_statement = false;
                self.last = Last::End;
                self.opening = true;
            }
            Kind::CloseBrace if !closes_labels => {
                self.end_line();
                self.empty_line = false;
                self.depth = 0;
                self.line.push('}');
                self.last = Last::End;
            }
            Kind::Comma | Kind::Colon | Kind::Question | Kind::CloseBrace => {
                self.part(word, false);
            }
            Kind::Dot => {
                self.part(word, false);
                self.last = Last::Open;
            }
            Kind::OpenBrace => {
                self.part(word, true);
                self.last = Last::Open;
            }
            _ => self.part(word, true),
        }
    }

    fn end_statement(&mut self) {
        self.part(";", false);
        self.in_statement = false;
        self.last = Last::End;
    }

    /// Writes a part of a statement.
    fn part(&mut self, word: &str, with_blank: bool) {
        if self.last == Last::End {
            self.end_line();
        }
        if with_blank && self.last == Last::Part && !self.line.is_empty() {
            self.line.push(' ');
        }
        if !self.in_statement {
            self.continues = false;
            self.in_statement = true;
        }
        self.line.push_str(word);
        self.last = Last::Part;
    }

    /// Writes a claim or a fairness condition with the semicolon that ends it.
    fn formula(&mut self, keyword: &str, formula: &str) {
        self.part(keyword, true);
        let is_plain = !formula.contains('\n');
        let formula = match formula.strip_suffix(';') {
            Some(formula) if is_plain => formula.trim_end(),
            _ => formula.strip_suffix(';').unwrap_or(formula),
        };
        self.line.push(' ');
        self.line.push_str(formula);
        self.end_statement();
    }

    fn finish(mut self) -> String {
        self.end_line();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Claim, Claims};
    use tern_testkit::sample::{self, Shape};
    use tern_testkit::setting;

    fn formatted(text: &str) -> String {
        let source = Source::new("m.tern", text);
        let out = format(&source, &Budget::unlimited());
        out.unwrap_or_else(|refusal| panic!("{}\n{text}", refusal.show(&source)))
    }

    #[test]
    fn statements_have_lines_of_their_own_and_comments_stay() {
        let text = "// First.


# Second.
component   main{ // the main one
node c;initial entry a{p,q}->b . en ,
  c;   ;;  // behind


  /* above */ box b:f; b.x->c
  // before the end
}
component f {entry en{}->x;exit x}   // all of f
claim  safe :  AG (p
   -> q) ;fair p;  claim q ; # last";
        let expected = "// First.

# Second.
component main { // the main one
  node c;
  initial entry a {p, q} -> b.en,
      c;  // behind

  /* above */ box b: f;
  b.x -> c;
  // before the end
}
component f {
  entry en {} -> x;
  exit x;
}   // all of f
claim safe :  AG (p
   -> q) ;
fair p;
claim q; # last
";
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected);
    }

    /// The text with other gaps between its words, and the comments that were put there.
    fn scrambled(text: &str, rng: &mut fastrand::Rng) -> (String, Vec<String>) {
        let (mut out, mut comments) = (String::new(), Vec::new());
        for line in text.lines() {
            let is_formula =
                ["claim", "fair", "compassion"].iter().any(|word| line.starts_with(word));
            for c in line.trim_start().chars() {
                let gap = c == ' ' && !is_formula && !line.contains('"');
                match (gap, rng.u8(..6)) {
                    (true, 0) => out.push('\n'),
                    (true, 1) => out.push_str("  \t"),
                    (true, kind @ (2 | 3)) => {
                        let number = comments.len();
                        let (comment, end) = match kind {
                            2 => (format!("// c{number}"), "\n"),
                            _ => (format!("/* c{number} */"), " "),
                        };
                        out.push_str(if rng.bool() { " " } else { "\n" });
                        out.push_str(&comment);
                        out.push_str(end);
                        comments.push(comment);
                    }
                    _ => out.push(c),
                }
            }
            out.push_str(if rng.bool() { "\n" } else { "\n\n\n" });
        }
        (out, comments)
    }

    #[test]
    fn the_meaning_and_the_comments_are_kept_and_twice_is_once() {
        let mut rng = fastrand::Rng::with_seed(12);
        let mut kept = 0;
        for seed in 0..setting("TERN_PAIRS", 300) {
            let machine = sample::machine(&mut rng, &Shape::default());
            let mut claims = Claims::new();
            let formula = sample::formula(&mut rng, &mut claims.formulas, 3);
            claims.push(Claim::new(formula));
            let text = write(&machine, &claims);
            let (scrambled, comments) = scrambled(&text, &mut rng);
            let once = formatted(&scrambled);
            assert_eq!(formatted(&once), once, "round {seed}\n{scrambled}");
            let mut rest = once.as_str();
            for comment in &comments {
                let at = rest.find(comment.as_str());
                let at = at.unwrap_or_else(|| panic!("{comment} is lost\n{scrambled}\n{once}"));
                rest = &rest[at + comment.len()..];
            }
            kept += comments.len();
            let (machine, claims) =
                read(&Source::new("m.tern", once), &Budget::unlimited()).expect("sound");
            assert_eq!(write(&machine, &claims), text, "round {seed}");
        }
        assert!(kept > 100, "only {kept} comments were tried");
    }
}
