//! Claims of rules: patterns, regular expressions, formulas.

use super::lexer::{Reader, Word};
use super::parse::Draft;
use super::{BUILT_IN, Claim, Regular};
use crate::formula::WORDS;
use tern_front::Problem;
use tern_model::{Formulas, Span};

/// How deep regular expressions may be nested.
const MOST_DEEP: usize = 64;

impl<'a> Reader<'a> {
    pub(super) fn claim(&mut self, draft: &Draft) -> Option<Claim> {
        if let Some(formula) = self.formula(draft) {
            return formula;
        }
        let word = self.name("a claim")?;
        match word.text {
            "built-in" => {
                let name = self.name("the name of a built-in claim")?;
                let found = BUILT_IN.iter().find(|(own, _)| *own == name.text);
                if found.is_none() {
                    let names: Vec<&str> = BUILT_IN.iter().map(|(own, _)| *own).collect();
                    let message = format!("there is no built-in claim `{}`", name.text);
                    let hint = format!("there are {}", names.join(", "));
                    let problem = Problem::error("U003", message).at(name.span, "").hint(hint);
                    self.problems.push(problem);
                }
                found.map(|(_, claim)| Claim::BuiltIn(*claim))
            }
            "never" => {
                let bad = self.name("the name of an event")?;
                let bad = self.event_of(draft, bad)?;
                if !self.take("after") {
                    return Some(Claim::Never(bad));
                }
                let first = self.name("the name of an event")?;
                let first = self.event_of(draft, first)?;
                let mut until = None;
                if self.take("until") {
                    let end = self.name("the name of an event")?;
                    until = Some(self.event_of(draft, end)?);
                }
                Some(Claim::NeverAfter { bad, first, until })
            }
            "order" => self.choice(draft, 0).map(Claim::Order),
            _ => {
                let first = self.event_of(draft, word)?;
                if self.take("->") {
                    let give = self.name("the name of an event")?;
                    let give = self.event_of(draft, give)?;
                    self.expect("before")?;
                    self.expect("lost")?;
                    self.expect("(")?;
                    self.name("the object of the rule")?;
                    self.expect(")")?;
                    return Some(Claim::Released { take: first, give });
                }
                self.expect("only")?;
                self.expect("after")?;
                let before = self.name("the name of an event")?;
                Some(Claim::OnlyAfter { then: first, first: self.event_of(draft, before)? })
            }
        }
    }

    /// A claim that is no pattern is a formula. Nothing if it is a pattern.
    fn formula(&mut self, draft: &Draft) -> Option<Option<Claim>> {
        self.pass();
        let rest = &self.text[self.at..];
        let text = &rest[..rest.find(';').unwrap_or(rest.len())];
        let words: Vec<&str> = text.split_whitespace().collect();
        let has = |word: &str| words.contains(&word);
        let begins = |word: &&str| words.first() == Some(word);
        if ["never", "order", "built-in"].iter().any(begins) || has("before") || has("only") {
            return None;
        }
        let start = self.at;
        self.at += text.len();
        let mut formulas = Formulas::new();
        let parsed = match tern_front::formula::read(&mut formulas, text, start) {
            Ok(parsed) => parsed,
            Err(problems) => {
                self.problems.extend(problems);
                return Some(None);
            }
        };
        let mut is_known = true;
        for atom in formulas.atoms_of(parsed.root) {
            let name = formulas.atom_name(atom);
            if !WORDS.contains(&name) {
                let at = text.find(name).map_or(start, |at| start + at);
                let span = Span::new(at..at + name.len());
                is_known &= self.event_of(draft, Word { text: name, span }).is_some();
            }
        }
        Some(is_known.then(|| Claim::Formula(text.trim().to_owned())))
    }

    fn choice(&mut self, draft: &Draft, depth: usize) -> Option<Regular> {
        if depth > MOST_DEEP {
            self.unexpected("an expression that is nested less deeply");
            return None;
        }
        let mut parts = vec![self.sequence(draft, depth)?];
        while self.take("|") {
            parts.push(self.sequence(draft, depth)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Regular::Choice(parts) })
    }

    fn sequence(&mut self, draft: &Draft, depth: usize) -> Option<Regular> {
        let mut parts = vec![self.repeated(draft, depth)?];
        while self.take(",") {
            parts.push(self.repeated(draft, depth)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Regular::Sequence(parts) })
    }

    fn repeated(&mut self, draft: &Draft, depth: usize) -> Option<Regular> {
        let mut part = if self.take("(") {
            let inner = self.choice(draft, depth + 1)?;
            self.expect(")")?;
            inner
        } else {
            // A star behind the name of an event is not part of that name.
            let word = self.name("the name of an event")?;
            let name = word.text.trim_end_matches('*');
            self.at -= word.text.len() - name.len();
            Regular::Event(self.event_of(draft, Word { text: name, span: word.span })?)
        };
        loop {
            let (from_zero, is_bounded) = match self.peek().map(|word| word.text) {
                Some("*") => (true, false),
                Some("+") => (false, false),
                Some("?") => (true, true),
                _ => return Some(part),
            };
            self.next();
            part = Regular::Repeat(Box::new(part), from_zero, is_bounded);
        }
    }
}
