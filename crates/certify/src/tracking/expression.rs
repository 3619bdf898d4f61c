//! Regular expressions over names, read from their texts, and their derivatives.

use crate::refusal::Stopped;
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::index::Table;

tern_model::indices! {
    /// An expression. Its parts have smaller numbers.
    pub(super) ExprId = "e";
}

/// An expression; equal ones are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Expr {
    /// Any of these; nothing at all if there are none. Sorted, without alternatives in it.
    Or(Vec<ExprId>),
    /// One after the other; the empty word if there are none.
    Then(Vec<ExprId>),
    Star(ExprId),
    Any,
    Name(String),
}

/// In which direction a text goes through the stack, and what its signs mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// `a b` is one after the other, `a | b` one of them.
    FromBottom,
    /// `a | b` is one after the other, `a + b` one of them.
    FromTop,
}

#[derive(Debug, Default)]
pub(super) struct Expressions {
    all: Table<ExprId, Expr>,
    /// Whether each accepts the empty word.
    done: Table<ExprId, bool>,
    known: BTreeMap<Expr, ExprId>,
}

/// What was read of an open parenthesis.
#[derive(Debug, Default)]
struct Frame {
    alternatives: Vec<ExprId>,
    /// The parts of the last alternative.
    parts: Vec<ExprId>,
}

impl Expressions {
    fn make(&mut self, expr: Expr) -> ExprId {
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        let done = match &expr {
            Expr::Or(list) => list.iter().any(|&id| self.done[id]),
            Expr::Then(list) => list.iter().all(|&id| self.done[id]),
            Expr::Star(_) => true,
            Expr::Any | Expr::Name(_) => false,
        };
        self.done.push(done);
        self.known.insert(expr.clone(), self.all.next_id());
        self.all.push(expr)
    }

    fn or(&mut self, list: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut flat: Vec<ExprId> = Vec::new();
        for id in list {
            match &self.all[id] {
                Expr::Or(inner) => flat.extend(inner),
                _ => flat.push(id),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [only] => only,
            _ => self.make(Expr::Or(flat)),
        }
    }

    fn then(&mut self, list: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut flat: Vec<ExprId> = Vec::new();
        for id in list {
            match &self.all[id] {
                Expr::Or(none) if none.is_empty() => return id,
                Expr::Then(inner) => flat.extend(inner),
                _ => flat.push(id),
            }
        }
        match flat[..] {
            [only] => only,
            _ => self.make(Expr::Then(flat)),
        }
    }

    /// Whether nothing more needs to be read.
    pub(super) fn is_done(&self, id: ExprId) -> bool {
        self.done[id]
    }

    /// Whatever has a name in it.
    pub(super) fn containing(&mut self, name: &str) -> ExprId {
        let any = self.make(Expr::Any);
        let (around, name) = (self.make(Expr::Star(any)), self.make(Expr::Name(name.to_owned())));
        self.then([around, name, around])
    }

    /// What is left to be read after a name.
    pub(super) fn after(
        &mut self,
        id: ExprId,
        name: &str,
        meter: &mut Meter<'_>,
    ) -> Result<ExprId, Stopped> {
        // Parts first: they have smaller numbers.
        let (mut parts, mut open) = (std::collections::BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            meter.tick()?;
            if parts.insert(id) {
                match &self.all[id] {
                    Expr::Or(list) | Expr::Then(list) => open.extend(list),
                    Expr::Star(inner) => open.push(*inner),
                    Expr::Any | Expr::Name(_) => {}
                }
            }
        }
        let mut left: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        for part in parts {
            meter.tick()?;
            let after = match self.all[part].clone() {
                Expr::Or(list) => self.or(list.into_iter().map(|id| left[&id])),
                Expr::Then(list) => {
                    let mut ways = Vec::new();
                    for (i, first) in list.iter().enumerate() {
                        let rest = list[i + 1..].iter().copied();
                        ways.push(self.then([left[first]].into_iter().chain(rest)));
                        if !self.done[*first] {
                            break;
                        }
                    }
                    self.or(ways)
                }
                Expr::Star(inner) => self.then([left[&inner], part]),
                Expr::Any => self.then([]),
                Expr::Name(own) if own == name => self.then([]),
                Expr::Name(_) => self.or([]),
            };
            left.insert(part, after);
        }
        Ok(left[&id])
    }

    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(&mut self, text: &str, direction: Direction) -> Result<ExprId, String> {
        let mut frames = vec![Frame::default()];
        let mut rest = text.trim_start();
        let missing = || "something is missing".to_owned();
        while let Some(sign) = rest.chars().next() {
            let mut length = sign.len_utf8();
            let frame = frames.last_mut().ok_or_else(missing)?;
            match (sign, direction) {
                ('(', _) => frames.push(Frame::default()),
                (')', _) => {
                    let inner = frames.pop().ok_or_else(missing)?;
                    let inner = self.close(inner, direction)?;
                    frames.last_mut().ok_or("a parenthesis closes nothing")?.parts.push(inner);
                }
                ('|', Direction::FromTop) => {}
                ('|', Direction::FromBottom) | ('+', Direction::FromTop) => {
                    let parts = std::mem::take(&mut frame.parts);
                    let done = self.sequence(parts, direction)?;
                    frames.last_mut().ok_or_else(missing)?.alternatives.push(done);
                }
                ('*', _) | ('+' | '?', Direction::FromBottom) => {
                    let part = frame.parts.pop().ok_or_else(missing)?;
                    let again = self.make(Expr::Star(part));
                    let part = match sign {
                        '*' => again,
                        '+' => self.then([part, again]),
                        _ => {
                            let nothing = self.then([]);
                            self.or([part, nothing])
                        }
                    };
                    // `a+` is one part, also if it is several expressions.
                    frames.last_mut().ok_or_else(missing)?.parts.push(part);
                }
                ('.', _) => {
                    let any = self.make(Expr::Any);
                    frames.last_mut().ok_or_else(missing)?.parts.push(any);
                }
                _ => {
                    let (name, end) = name(rest, direction).ok_or_else(missing)?;
                    length = end;
                    let name = self.make(Expr::Name(name.to_owned()));
                    frames.last_mut().ok_or_else(missing)?.parts.push(name);
                }
            }
            rest = rest[length..].trim_start();
        }
        match (frames.pop(), frames.is_empty()) {
            (Some(whole), true) => self.close(whole, direction),
            _ => Err("a parenthesis is open".to_owned()),
        }
    }

    fn sequence(&mut self, parts: Vec<ExprId>, direction: Direction) -> Result<ExprId, String> {
        if parts.is_empty() {
            return Err("something is missing".to_owned());
        }
        Ok(match direction {
            Direction::FromBottom => self.then(parts),
            Direction::FromTop => self.then(parts.into_iter().rev()),
        })
    }

    fn close(&mut self, frame: Frame, direction: Direction) -> Result<ExprId, String> {
        let last = self.sequence(frame.parts, direction)?;
        Ok(self.or(frame.alternatives.into_iter().chain([last])))
    }
}

/// The name at the start of a text, and how long it is there.
fn name(text: &str, direction: Direction) -> Option<(&str, usize)> {
    if direction == Direction::FromTop {
        let ends = |c: char| c.is_whitespace() || "()|*+.".contains(c);
        let length = text.find(ends).unwrap_or(text.len());
        return (length > 0).then(|| (&text[..length], length));
    }
    if let Some(behind) = text.strip_prefix('\'') {
        let length = behind.find('\'')?;
        return Some((&behind[..length], length + 2));
    }
    let inside = |c: char| c.is_alphanumeric() || "_$@:.".contains(c);
    let length = text.find(|c| !inside(c)).unwrap_or(text.len());
    let name = text[..length].trim_end_matches('.');
    (!name.is_empty()).then_some((name, name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Budget;

    fn accepts(text: &str, direction: Direction, word: &str) -> bool {
        let budget = Budget::unlimited();
        let (mut all, mut meter) = (Expressions::default(), Meter::new(&budget));
        let mut left = all.read(text, direction).unwrap_or_else(|why| panic!("{text}: {why}"));
        for name in word.split_whitespace() {
            left = all.after(left, name, &mut meter).expect("no limit");
        }
        all.is_done(left)
    }

    #[test]
    fn words_are_read_to_the_end() {
        use Direction::{FromBottom, FromTop};
        for (text, direction, yes, no) in [
            ("main .* f .*", FromBottom, vec!["main f", "main g f h"], vec!["main", "f main"]),
            ("a b | c", FromBottom, vec!["a b", "c"], vec!["a", "a c", "a b c"]),
            ("a (b | c)* d", FromBottom, vec!["a d", "a b c b d"], vec!["a", "a b"]),
            ("a+ b?", FromBottom, vec!["a", "a a b"], vec!["", "b", "a b b"]),
            ("(a b)+ 'x y'?", FromBottom, vec!["a b", "a b a b"], vec!["a", "a b a"]),
            (".|.|x:1$|.*", FromTop, vec!["x:1$ b a", "c x:1$ b a"], vec!["x:1$ a", ""]),
            ("a+b|c", FromTop, vec!["a", "c b"], vec!["b", "c a", "a c"]),
            ("(a+b)|c*", FromTop, vec!["a", "c c b"], vec!["a c", "c"]),
        ] {
            for word in yes {
                assert!(accepts(text, direction, word), "{text}: {word}");
            }
            for word in no {
                assert!(!accepts(text, direction, word), "{text}: {word}");
            }
        }
    }

    #[test]
    fn there_are_finitely_many_derivatives() {
        let budget = Budget::unlimited();
        let (mut all, mut meter) = (Expressions::default(), Meter::new(&budget));
        let text = ".* (a | b . b)* .* a+ (b a)* .*";
        let start = all.read(text, Direction::FromBottom).expect("sound");
        let (mut seen, mut open) = (std::collections::BTreeSet::new(), vec![start]);
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                for name in ["a", "b", "c"] {
                    open.push(all.after(id, name, &mut meter).expect("no limit"));
                }
            }
            assert!(seen.len() < 2000);
        }
    }
}
