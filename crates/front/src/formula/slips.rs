//! What other tools and other books write, recognised as a whole where it begins, so that it is one
//! mistake with one message.
//!
//! Each function looks at the text from the place of a word on. What it recognises it reports and
//! passes over; it leaves a token behind that the parser takes for an operand, or nothing where an
//! operand still follows.

use super::lexer::{Kind, Lexer, shortened};
use crate::problem::Problem;
use tern_model::logic::words;

impl Lexer<'_> {
    /// Whether the word of this length was recognised as a slip, and passed over.
    pub(super) fn slip(&mut self, length: usize) -> bool {
        let word = &self.text[self.at..self.at + length];
        match word {
            "COMPUTE" if self.lexed.tokens.is_empty() => self.number_asked_for(length),
            "AU" | "EU" | "AR" | "ER" | "AW" | "EW" | "AV" | "EV" | "AM" | "EM" => {
                self.operator_before_operands(length)
            }
            "stack" | "called" => self.pattern_without_quotes(length),
            _ => false,
        }
    }

    /// `COMPUTE MIN [p, q]` of NuSMV asks for a number.
    fn number_asked_for(&mut self, length: usize) -> bool {
        let rest = self.text[self.at + length..].trim_start_matches([' ', '\t']);
        let kind = &rest[..words::word_length(rest)];
        if !matches!(kind, "MIN" | "MAX") {
            return false;
        }
        let end = self.statement_end();
        let place = self.place(self.at, self.text.len() - rest.len() + kind.len());
        let message = format!("`COMPUTE {kind}` asks for a number: not supported");
        self.problems.add(|_| {
            Problem::error("F009", message).at(place, "").hint(
                "claims hold or fail; `EF q` asks whether q is reached at all, and --witness shows a shortest run",
            )
        });
        self.push(Kind::BadOperand, end - self.at);
        true
    }

    /// `AU(p, q)`, for `A [p U q]`.
    fn operator_before_operands(&mut self, length: usize) -> bool {
        let word = &self.text[self.at..self.at + length];
        let open = self.at + length + blanks(&self.text[self.at + length..]);
        let Some((end, comma)) = enclosed(&self.text[..self.statement_end()], open) else {
            return false;
        };
        let Some(comma) = comma else { return false };
        let (quantifier, operator) = word.split_at(1);
        let [left, right] =
            [&self.text[open + 1..comma], &self.text[comma + 1..end - 1]].map(str::trim);
        let meant = format!("{quantifier} [{left} {operator} {right}]");
        let (place, word) = (self.place(self.at, end), word.to_owned());
        self.problems.add(|_| {
            Problem::error("F017", format!("`{word}` is written before its operands"))
                .at(place, format!("`{operator}` stands between its operands"))
                .hint(format!("write `{}`", shortened(&meant)))
        });
        self.push(Kind::BadOperand, end - self.at);
        true
    }

    /// `stack(main .* f)`, for `stack("main .* f")`.
    fn pattern_without_quotes(&mut self, length: usize) -> bool {
        let open = self.at + length;
        if words::applied(&self.text[self.at..]).is_some() {
            return false;
        }
        let Some((end, _)) = enclosed(&self.text[..self.statement_end()], open) else {
            return false;
        };
        let word = self.text[self.at..open].to_owned();
        let inside = self.text[open + 1..end - 1].trim();
        let meant = shortened(&format!("{word}(\"{inside}\")"));
        let place = self.place(self.at, end);
        self.problems.add(|_| {
            Problem::error("F018", format!("what `{word}` asks for needs quotes"))
                .at(place, "")
                .hint(format!("write `{meant}`"))
        });
        self.push(Kind::BadOperand, end - self.at);
        true
    }

    /// Refuses bounds behind an operator, as in `X[3]`, `F[2:5]` and `F<=3`.
    pub(super) fn bounds(&mut self) {
        let rest = &self.text[self.at..];
        let Some(length) = bounds_length(rest) else { return };
        let place = self.place(self.at, self.at + length);
        let (message, hint) = match &rest[..length] {
            "[!]" => (
                "`[!]` is for runs that end: not supported",
                "runs of a model never end, so that `X p` says the same as `X[!] p`",
            ),
            _ => (
                "operators with bounds are not supported",
                "write them out: `X X X p` for `X[3] p`, `p | X (p | X p)` for `F[0:2] p`",
            ),
        };
        self.problems.add(|_| Problem::error("F009", message).at(place, "").hint(hint));
        self.at += length;
    }

    /// Passes over the range of a bounded operator of NuSMV, `EBF 1..3 p`; the parser refuses the
    /// operator.
    pub(super) fn range(&mut self) {
        let rest = &self.text[self.at..];
        let begin = blanks(rest);
        let digits = |at: usize| rest[at..].bytes().take_while(u8::is_ascii_digit).count();
        let dots = begin + digits(begin);
        if dots == begin || !rest[dots..].starts_with("..") {
            return;
        }
        let end = dots + 2 + digits(dots + 2);
        self.at += end;
    }

    /// Where the statement ends at the latest: at a semicolon, or at the end of the line.
    fn statement_end(&self) -> usize {
        let rest = &self.text[self.at..];
        rest.find(['\n', ';']).map_or(self.text.len(), |length| self.at + length)
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// What is in the parentheses or brackets that open at `open`: where they end, and the first comma
/// that is in no others.
fn enclosed(text: &str, open: usize) -> Option<(usize, Option<usize>)> {
    if !text[open..].starts_with(['(', '[']) {
        return None;
    }
    let (mut depth, mut comma, mut in_quotes) = (0usize, None, false);
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some((at + 1, comma));
                }
            }
            b',' if depth == 1 && comma.is_none() => comma = Some(at),
            _ => {}
        }
    }
    None
}

/// The length of bounds such as `[3]`, `[2:5]`, `[:5]`, `[2,5]`, `[2..]`, `[!]` and `<=3` at the
/// start of a text.
fn bounds_length(text: &str) -> Option<usize> {
    let is_digit = |c: char| c.is_ascii_digit();
    for sign in ["<=", "≤", "<", ">=", "≥"] {
        if let Some(rest) = text.strip_prefix(sign)
            && rest.starts_with(is_digit)
        {
            return Some(sign.len() + rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
        }
    }
    let inside = text.strip_prefix('[')?;
    let is_bound = |c: char| is_digit(c) || ":,. $".contains(c);
    // Looks no further than bounds go: a formula may have a million brackets that are none.
    let end = inside.find(|c| !is_bound(c) && c != '!')?;
    let bounds = inside[end..].starts_with(']').then(|| &inside[..end])?;
    let are_bounds = bounds.contains(is_digit) && bounds.chars().all(is_bound);
    (are_bounds || bounds == "!").then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use tern_model::Formulas;

    /// Code, message and hint of each problem of a text.
    fn told(text: &str) -> Vec<String> {
        let problems = super::super::read(&mut Formulas::new(), text, 0).expect_err(text);
        let line = |it: &crate::Problem| {
            format!("{} {}: {}", it.code, it.message, it.hint.as_deref().unwrap_or("-"))
        };
        problems.iter().map(line).collect()
    }

    #[test]
    fn what_others_write_is_one_mistake_with_a_way_out() {
        let written_out = "operators with bounds are not supported: write them out: `X X X p` for `X[3] p`, `p | X (p | X p)` for `F[0:2] p`";
        let bounds = format!("F009 {written_out}");
        let past = |operator: &str| {
            format!(
                "F009 `{operator}` is an operator with bounds: not supported: if `{operator}` is a proposition, put it in quotes"
            )
        };
        for (text, expected) in [
            ("F[:3] p", bounds.as_str()),
            ("G (p -> F[2..] q)", &bounds),
            ("F<=3 p", &bounds),
            ("F≤3 p", &bounds),
            (
                "X[!] p",
                "F009 `[!]` is for runs that end: not supported: runs of a model never end, so that `X p` says the same as `X[!] p`",
            ),
            ("EBF 1..3 p", &past("EBF")),
            ("AG (p -> ABG 0..9 q)", &past("ABG")),
            ("E [p BU 1..3 q]", &past("BU")),
            (
                "COMPUTE MIN [p, q]",
                "F009 `COMPUTE MIN` asks for a number: not supported: claims hold or fail; `EF q` asks whether q is reached at all, and --witness shows a shortest run",
            ),
            ("AU(a,b)", "F017 `AU` is written before its operands: write `A [a U b]`"),
            (
                "AG (r -> EU (p & q, f(x, y)))",
                "F017 `EU` is written before its operands: write `E [p & q U f(x, y)]`",
            ),
            (
                "EF stack(main .* f)",
                "F018 what `stack` asks for needs quotes: write `stack(\"main .* f\")`",
            ),
            (
                ": AF p",
                "F001 unexpected `:`: the name before it is missing, or it is too much: `safe: AG p`",
            ),
            ("% p", "F001 unexpected `%`: a proposition with such a character needs double quotes"),
            (
                "AG (p, q)",
                "F001 unexpected `,`: join formulas by `&`, `|`, `->` or `U`; a claim is one formula",
            ),
            (
                "AG p.",
                "F001 unexpected `.`: a formula ends without a full stop; a name with `.` at its end needs quotes",
            ),
        ] {
            assert_eq!(told(text), [expected], "{text}");
        }
    }

    #[test]
    fn signs_that_look_alike_are_read() {
        for (text, meaning) in [
            ("⊤ & ⊥", "true & false"),
            ("a ⟹ b", "a -> b"),
            ("a ⟶ b", "a -> b"),
            ("a ⊃ b", "a -> b"),
            ("a ⟺ b", "a <-> b"),
            ("a ≡ b", "a <-> b"),
            ("a ⊕ b", "a xor b"),
            ("◯ a", "X a"),
            ("♢ a", "F a"),
            ("⋄ a", "F a"),
            ("◻ a", "G a"),
            ("∀◻ (a ⇒ ∃♢ b)", "AG (a -> EF b)"),
        ] {
            let mut formulas = Formulas::new();
            let parsed = super::super::read(&mut formulas, text, 0).expect(text);
            assert_eq!(formulas.show(parsed.root).to_string(), meaning, "{text}");
        }
    }
}
