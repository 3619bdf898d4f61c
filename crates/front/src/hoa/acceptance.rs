//! Acceptance conditions: which sets are to be met again and again.

use super::Reader;
use super::lexer::Token;
use tern_model::Span;
use tern_model::automaton::{MAX_MARKS, Marks};

/// A conjunction of `Inf`.
#[derive(Debug, Default)]
pub(super) struct Acceptance {
    /// How many sets the automaton names; unknown if the condition could not be read.
    pub(super) set_count: Option<usize>,
    /// The sets that are to be met again and again, in the order of their marks.
    sets: Vec<usize>,
}

impl Acceptance {
    pub(super) fn mark_count(&self) -> u32 {
        u32::try_from(self.sets.len()).unwrap_or(MAX_MARKS)
    }

    /// The marks of a set; none if the condition does not speak of it.
    pub(super) fn marks(&self, set: usize) -> Marks {
        self.sets.iter().position(|&known| known == set).map_or(0, |mark| 1 << mark)
    }
}

const SUPPORTED: &str = "Tern reads Büchi, generalised Büchi and all: `t`, `Inf(0)`, `Inf(0)&Inf(1)`, …; \
                         with Spot, `autfilt --gba` makes such an automaton";

/// Reads what stands behind `Acceptance:`.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Acceptance> {
    let (set_count, _) = reader.number("the number of acceptance sets")?;
    let mut sets = Vec::new();
    let mut depth = 0_usize;
    loop {
        match reader.tokens.peek() {
            (Token::Sign('('), _) => {
                reader.tokens.next();
                depth += 1;
                continue;
            }
            (Token::Word("t"), _) => {
                reader.tokens.next();
            }
            (Token::Word("Inf"), _) => {
                let (set, span) = read_inf(reader)?;
                if set >= set_count {
                    let message =
                        format!("there is no acceptance set {set}, only {set_count} of them");
                    reader.problem(
                        "A007",
                        span,
                        message,
                        "counted from 0",
                        "mend one of the two numbers",
                    );
                }
                if !sets.contains(&set) {
                    sets.push(set);
                }
                if sets.len() > MAX_MARKS as usize {
                    let message = format!("more than {MAX_MARKS} acceptance sets");
                    reader.problem("A005", span, message, "one too many", "degeneralise it first");
                    return None;
                }
            }
            (Token::Word("Fin" | "f"), span) => return refuse(reader, span),
            _ => {
                reader.unexpected("an acceptance condition");
                return None;
            }
        }
        while depth > 0 && reader.tokens.peek().0 == Token::Sign(')') {
            reader.tokens.next();
            depth -= 1;
        }
        match reader.tokens.peek() {
            (Token::Sign('&'), _) => {
                reader.tokens.next();
            }
            (Token::Sign('|'), span) => return refuse(reader, span),
            _ if depth > 0 => {
                reader.unexpected("`)`");
                return None;
            }
            _ => return Some(Acceptance { set_count: Some(set_count), sets }),
        }
    }
}

fn read_inf(reader: &mut Reader<'_>) -> Option<(usize, Span)> {
    reader.tokens.next();
    reader.expect(Token::Sign('('), "`(`")?;
    if let (Token::Sign('!'), span) = reader.tokens.peek() {
        return refuse(reader, span);
    }
    let found = reader.number("the number of an acceptance set")?;
    reader.expect(Token::Sign(')'), "`)`")?;
    Some(found)
}

fn refuse<T>(reader: &mut Reader<'_>, span: Span) -> Option<T> {
    let message = "this acceptance condition is not supported".to_owned();
    reader.problem("A005", span, message, "not a conjunction of `Inf`", SUPPORTED);
    None
}
