//! Reads and writes strong fairness conditions: two state formulas with a comma between, with or
//! without parentheses around both, as in `(asked, served)`.

use super::{Kind, Piece, lex_piece, speaks_of_state};
use crate::collector::Collector;
use crate::formula::{self, Bracket, Lexed, Reading, Token, parse};
use crate::problem::Problem;
use tern_model::{Condition, Fairness, Formulas, Pair, Span};

/// Reads the pair that begins at `at`.
pub(super) fn read(
    formulas: &mut Formulas,
    text: &str,
    at: usize,
    reading: Reading,
    problems: &mut Collector,
) -> Piece<Condition> {
    let reading = Reading { commas: true, ..reading };
    let before = problems.count();
    let (text, lexed, runaway) = lex_piece(text, at, reading, problems);
    let piece = |found| Piece { found, next: lexed.next, semicolon: lexed.semicolon, runaway };
    let Some((when, then)) = halves(&lexed.tokens) else {
        if problems.count() == before {
            let end = lexed.next - usize::from(lexed.semicolon);
            let all = Span::new(at..at.max(text[..end].trim_end().len()));
            problems.add(|_| {
                Problem::error("C005", "a strong fairness condition has two parts")
                    .at(all, "two state formulas with a comma between are expected")
                    .hint("write `p, q` for: if p holds again and again, so does q")
            });
        }
        return piece(None);
    };
    let mut spans = Vec::new();
    let mut side = |tokens: &[Token], end: usize| {
        let half = Lexed { tokens: tokens.to_vec(), next: end, semicolon: false, depth: 0 };
        let parsed = parse(formulas, text, 0, &half, problems)?;
        spans.extend(parsed.spans);
        speaks_of_state(formulas, parsed.root, parsed.span, problems).then_some(parsed.root)
    };
    let begin = |tokens: &[Token]| tokens.first().map(|token| token.span.range().start);
    let end = lexed.next - usize::from(lexed.semicolon);
    let when = side(when, begin(then).unwrap_or(end));
    let then = side(then, end);
    let sides = when.zip(then);
    piece(sides.map(|(when, then)| {
        let fairness = Pair { when: when.into(), then: then.into() }.into();
        Condition { fairness, spans }
    }))
}

/// The tokens before and behind the only comma: outside all brackets, or inside a pair of
/// parentheses around everything.
fn halves(tokens: &[Token]) -> Option<(&[Token], &[Token])> {
    let enclosed = match tokens {
        [first, inner @ .., last]
            if first.kind == formula::Kind::Open(Bracket::Round)
                && last.kind == formula::Kind::Close(Bracket::Round) =>
        {
            commas(inner).map(|commas| (inner, commas))
        }
        _ => None,
    };
    let (tokens, commas) = match enclosed {
        Some((inner, commas)) if !commas.is_empty() => (inner, commas),
        _ => (tokens, commas(tokens)?),
    };
    let [comma] = commas[..] else { return None };
    Some((&tokens[..comma], &tokens[comma + 1..]))
}

/// Where commas stand outside all brackets; `None` if one is closed that was not opened.
fn commas(tokens: &[Token]) -> Option<Vec<usize>> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            formula::Kind::Open(_) => depth += 1,
            formula::Kind::Close(_) => depth = depth.checked_sub(1)?,
            formula::Kind::Comma if depth == 0 => found.push(position),
            formula::Kind::Comma => return None,
            _ => (),
        }
    }
    Some(found)
}

/// A condition as it is written behind its keyword. A pair that names edges is in no file.
pub(crate) fn written(formulas: &Formulas, fairness: &Fairness) -> Option<(Kind, String)> {
    Some(match fairness {
        Fairness::Justice(formula) => (Kind::Justice, formulas.show(*formula).to_string()),
        Fairness::Compassion(Pair { when, then }) => {
            let (when, then) = (formulas.show(when.formula()?), formulas.show(then.formula()?));
            (Kind::Compassion, format!("({when}, {then})"))
        }
    })
}
