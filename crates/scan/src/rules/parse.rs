//! Reads `*.rules` files. All problems of a text are found at once; after a problem the reader goes
//! on at the next `;`.

use super::lexer::{Reader, Word};
use super::{Claim, Event, Given, Literal, Pattern, Rule, Severity, Snippet, What};
use tern_front::words::Nearest;
use tern_front::{Problem, Source};
use tern_model::Span;

/// All codes of this reader, each with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("U001", "A text of rules that is not understood at some word."),
    ("U002", "A rule without a part that it needs."),
    ("U003", "A name in a rule that nothing declares."),
    ("U004", "A rule, event or part that is given twice."),
    ("U005", "A rule that no file or library has."),
    ("U006", "A line of `tern.toml` that is not understood."),
    ("U007", "A baseline that is not understood."),
    ("U101", "A cache of findings that is damaged or of another version, and was made anew."),
    ("U102", "A cache of findings that could not be written."),
];

/// After so many problems the reader stops.
const MOST_PROBLEMS: usize = 100;
/// How many events a rule may have.
const MOST_EVENTS: usize = 32;

/// The words that begin a part of a rule.
const PARTS: [&str; 16] = [
    "severity", "cwe", "optional", "local", "within", "unless", "together", "without", "outside",
    "object", "event", "forget", "claim", "report", "bad", "good",
];

/// Reads the rules of a text.
///
/// # Errors
/// All that is wrong with it.
pub fn read(source: &Source) -> Result<Vec<Rule>, Vec<Problem>> {
    let Ok(text) = std::str::from_utf8(&source.bytes) else {
        return Err(vec![Problem::error("U001", "the text is not UTF-8")]);
    };
    let mut reader = Reader { source, text, at: 0, problems: Vec::new(), comment: String::new() };
    let mut rules: Vec<Rule> = Vec::new();
    while let Some(word) = reader.peek() {
        if reader.problems.len() >= MOST_PROBLEMS {
            break;
        }
        if word.text != "rule" {
            reader.unexpected("`rule`");
            reader.skip_statement(false);
            continue;
        }
        let comment = std::mem::take(&mut reader.comment);
        reader.next();
        if let Some((rule, name)) = reader.rule(&comment) {
            if rules.iter().any(|other| other.name == rule.name) {
                let message = format!("rule `{}` is there twice", rule.name);
                reader.problems.push(Problem::error("U004", message).at(name, ""));
            }
            rules.push(rule);
        }
    }
    if reader.problems.is_empty() { Ok(rules) } else { Err(reader.problems) }
}

/// A rule while its parts are read.
#[derive(Default)]
pub(super) struct Draft {
    severity: Option<Severity>,
    cwe: Vec<u32>,
    is_optional: bool,
    is_local: bool,
    within: Vec<String>,
    unless: Vec<String>,
    is_together: bool,
    without: Vec<String>,
    outside: Vec<String>,
    object: Option<(String, Vec<String>)>,
    except: Vec<String>,
    pub(super) events: Vec<Event>,
    forget: Vec<Pattern>,
    claim: Option<Claim>,
    report: Option<String>,
    snippets: Vec<Snippet>,
}

impl<'a> Reader<'a> {
    fn rule(&mut self, comment: &str) -> Option<(Rule, Span)> {
        let name = self.name("the name of the rule")?;
        self.expect("{")?;
        let mut draft = Draft::default();
        while let Some(word) = self.peek() {
            if word.text == "}" {
                break;
            }
            if self.part(&mut draft).is_none() {
                self.skip_statement(true);
            }
        }
        self.expect("}")?;
        let missing = |what: &str, hint: &str| {
            Problem::error("U002", format!("rule `{}` has no {what}", name.text))
                .at(name.span, "")
                .hint(hint.to_owned())
        };
        let Some(claim) = draft.claim else {
            self.problems.push(missing("claim", "for example `claim never use after close;`"));
            return None;
        };
        let Some(report) = draft.report else {
            let hint = "for example `report \"{object} is used after it was closed\";`";
            self.problems.push(missing("report", hint));
            return None;
        };
        let rule = Rule {
            name: name.text.to_owned(),
            documentation: comment.trim().to_owned(),
            severity: draft.severity.unwrap_or(Severity::Warning),
            cwe: draft.cwe,
            is_optional: draft.is_optional,
            is_local: draft.is_local,
            within: draft.within,
            unless: draft.unless,
            is_together: draft.is_together,
            without: draft.without,
            outside: draft.outside,
            object: draft.object,
            except: draft.except,
            events: draft.events,
            forget: draft.forget,
            claim,
            report,
            snippets: draft.snippets,
            file: self.source.name.clone(),
        };
        Some((rule, name.span))
    }

    fn part(&mut self, draft: &mut Draft) -> Option<()> {
        let word = self.name("a part of a rule")?;
        match word.text {
            "severity" => {
                let level = self.name("`error`, `warning` or `note`")?;
                draft.severity = Some(match level.text {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    "note" => Severity::Note,
                    _ => return self.wrong(level, "`error`, `warning` or `note`"),
                });
            }
            "cwe" => loop {
                let number = self.name("a number")?;
                match number.text.parse() {
                    Ok(number) => draft.cwe.push(number),
                    Err(_) => return self.wrong(number, "a number"),
                }
                if !self.take(",") {
                    break;
                }
            },
            "optional" => draft.is_optional = true,
            "local" => draft.is_local = true,
            "together" => draft.is_together = true,
            "object" => {
                let name = self.name("the name of the object")?;
                self.expect(":")?;
                let classes = self.classes()?;
                draft.object = Some((name.text.to_owned(), classes));
                if self.take("except") {
                    draft.except = self.classes()?;
                }
            }
            "within" => draft.within = self.classes()?,
            "unless" => draft.unless = self.names("the name of a rule")?,
            "without" => draft.without = self.names("the name of a method")?,
            "outside" => draft.outside = self.names("the name of a method")?,
            "event" => self.event(draft)?,
            "forget" => {
                let patterns = self.patterns(draft)?;
                draft.forget.extend(patterns);
            }
            "claim" => draft.claim = Some(self.claim(draft)?),
            "report" => {
                let text = self.next()?;
                let inner = text.text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
                match inner {
                    Some(inner) => draft.report = Some(inner.to_owned()),
                    None => return self.wrong(text, "a text in quotes"),
                }
            }
            "bad" | "good" => {
                self.snippet(draft, word.text == "bad")?;
                return Some(());
            }
            _ => {
                let near = Nearest::new().among(word.text, PARTS);
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("a rule has {}", PARTS.join(", ")),
                };
                let message = format!("`{}` begins no part of a rule", word.text);
                self.problems.push(Problem::error("U001", message).at(word.span, "").hint(hint));
                return None;
            }
        }
        self.expect(";")
    }

    pub(super) fn wrong<T>(&mut self, word: Word<'a>, wanted: &str) -> Option<T> {
        let message = format!("expected {wanted}, found `{}`", word.text);
        self.problems.push(Problem::error("U001", message).at(word.span, ""));
        None
    }

    /// Names with commas between them.
    fn names(&mut self, what: &str) -> Option<Vec<String>> {
        let mut names = vec![self.name(what)?.text.to_owned()];
        while self.take(",") {
            names.push(self.name(what)?.text.to_owned());
        }
        Some(names)
    }

    /// Names of classes.
    fn classes(&mut self) -> Option<Vec<String>> {
        let mut classes = vec![self.name("the name of a class")?.text.to_owned()];
        while self.take("|") {
            classes.push(self.name("the name of a class")?.text.to_owned());
        }
        Some(classes)
    }

    fn event(&mut self, draft: &mut Draft) -> Option<()> {
        let name = self.name("the name of the event")?;
        let known = draft.events.iter().any(|event| event.name == name.text);
        if known || draft.events.len() >= MOST_EVENTS {
            let message = match known {
                true => format!("event `{}` is there twice", name.text),
                false => format!("a rule has at most {MOST_EVENTS} events"),
            };
            self.problems.push(Problem::error("U004", message).at(name.span, ""));
            return None;
        }
        self.expect("=")?;
        let patterns = self.patterns(draft)?;
        let mut except = Vec::new();
        while self.take("except") {
            let other = self.name("the name of an event")?;
            except.push(self.event_of(draft, other)?);
        }
        draft.events.push(Event { name: name.text.to_owned(), patterns, except });
        Some(())
    }

    fn patterns(&mut self, draft: &Draft) -> Option<Vec<Pattern>> {
        let mut patterns = vec![self.pattern(draft)?];
        while self.take("|") {
            patterns.push(self.pattern(draft)?);
        }
        Some(patterns)
    }

    fn pattern(&mut self, draft: &Draft) -> Option<Pattern> {
        let mut word = self.name("what happens")?;
        let object = draft.object.as_ref().map(|(name, _)| name.as_str());
        let mut what = What::Receiver;
        if word.text == "deref" {
            self.expect("(")?;
            let of = self.name("`null` or `unchecked`")?;
            self.expect(")")?;
            let what = match of.text {
                "null" => What::NullUse,
                "unchecked" => What::UncheckedUse,
                _ => return self.wrong(of, "`null` or `unchecked`"),
            };
            let (class, method) = (None, String::new());
            return Some(Pattern { what, class, method, parameters: None, result: None });
        }
        if word.text == "ignored" {
            what = What::Ignored;
            word = self.name("a call")?;
        } else if Some(word.text) == object {
            self.expect("=")?;
            what = What::Result;
            word = self.name("`new` or a call")?;
            if word.text == "new" {
                what = What::Made;
                word = self.name("the name of a class")?;
            }
        }
        let (class, method) = match (&what, word.text.rsplit_once('.')) {
            (What::Made, _) => (Some(word.text), "<init>"),
            (_, Some((class, method))) => (Some(class), method),
            _ => return self.wrong(word, "a class or object, a dot, and a method"),
        };
        let class = match class {
            Some(class) if Some(class) == object => None,
            Some("_") => Some("*".to_owned()),
            class => class.map(str::to_owned),
        };
        if class.is_some() && what == What::Receiver {
            return self.wrong(word, "a call of the object of the rule");
        }
        let parameters = self.parameters()?;
        let mut result = None;
        if self.take("==") {
            let value = self.name("`true` or `false`")?;
            result = Some(match value.text {
                "true" => true,
                "false" => false,
                _ => return self.wrong(value, "`true` or `false`"),
            });
        }
        let method = if method == "_" { "*" } else { method };
        Some(Pattern { what, class, method: method.to_owned(), parameters, result })
    }

    fn parameters(&mut self) -> Option<Option<Vec<Given>>> {
        self.expect("(")?;
        if self.take("..") {
            self.expect(")")?;
            return Some(None);
        }
        let mut given = Vec::new();
        while !self.take(")") {
            if !given.is_empty() {
                self.expect(",")?;
            }
            given.push(self.given()?);
        }
        Some(Some(given))
    }

    /// What is said of one argument: a type, a constant, or nothing.
    fn given(&mut self) -> Option<Given> {
        let is_negative = self.take("-");
        let text = self.peek().filter(|it| it.text.starts_with('"') && !is_negative);
        if let Some(word) = text {
            self.next();
            let inner = word.text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            return match inner {
                Some(inner) => Some(Given::Is(Literal::Text(inner.to_owned()))),
                None => self.wrong(word, "a text that ends"),
            };
        }
        let word = self.name("a type, a constant, `_` or `..`")?;
        let number = word.text.parse::<i64>().ok();
        if word.text.starts_with(|c: char| c.is_ascii_digit()) || is_negative {
            return match number {
                Some(number) if is_negative => Some(Given::Is(Literal::Integer(-number))),
                Some(number) => Some(Given::Is(Literal::Integer(number))),
                None => self.wrong(word, "a number"),
            };
        }
        Some(match word.text {
            "_" => Given::Any,
            "true" => Given::Is(Literal::Integer(1)),
            "false" => Given::Is(Literal::Integer(0)),
            "null" => Given::Is(Literal::Null),
            ty => Given::Type(ty.to_owned()),
        })
    }

    pub(super) fn event_of(&mut self, draft: &Draft, name: Word<'_>) -> Option<usize> {
        let found = draft.events.iter().position(|event| event.name == name.text);
        if found.is_none() {
            let names = draft.events.iter().map(|event| event.name.as_str());
            let near = Nearest::new().among(name.text, names);
            let hint = near
                .map_or("declare it by `event … = …;` before the claim".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
            let message = format!("there is no event `{}`", name.text);
            self.problems.push(Problem::error("U003", message).at(name.span, "").hint(hint));
        }
        found
    }

    /// Java code between braces; braces in texts and comments do not count.
    fn snippet(&mut self, draft: &mut Draft, is_bad: bool) -> Option<()> {
        self.expect("{")?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let (mut depth, mut at) = (1usize, start);
        while at < bytes.len() {
            match bytes[at] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                quote @ (b'"' | b'\'') => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != quote {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    while at < bytes.len() && bytes[at] != b'\n' {
                        at += 1;
                    }
                }
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            self.at = self.text.len();
            self.unexpected("`}`");
            return None;
        }
        let text = self.text[start..at - 1].to_owned();
        let line = self.source.position(start).line as u32;
        draft.snippets.push(Snippet { text, is_bad, line });
        self.at = at;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Regular;
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let problems = read(&Source::new("a.rules", text)).unwrap_err();
        problems.iter().map(|it| format!("{} {}", it.code, it.message)).collect()
    }

    #[test]
    fn a_rule_is_read() {
        let text = "// Why.\n// Because.\nrule a-b { severity note; cwe 1, 2; object l: x.Lock | y.*;
            event take = l.lock() | l = new x.Lock(..) | l.tryLock(..) == true | l = _.make*(int, ..x);
            event use = l._(..) except take;
            claim order (take, use*)+ | use?; report \"{object}\"; bad { void f() { g(\"}\"); } } }";
        let text = text.replace("int, ..x", "int, String");
        let rules = read(&Source::new("a.rules", text)).unwrap();
        let [rule] = &rules[..] else { panic!("{rules:?}") };
        assert_eq!(rule.documentation, "Why.\nBecause.");
        assert_eq!((rule.severity, &rule.cwe[..]), (Severity::Note, &[1, 2][..]));
        assert_eq!(rule.events[0].patterns.len(), 4);
        assert_eq!(rule.events[0].patterns[3].method, "make*");
        assert_eq!(rule.events[1].except, [0]);
        assert!(matches!(&rule.claim, Claim::Order(Regular::Choice(parts)) if parts.len() == 2));
        assert_eq!(rule.snippets[0].text, " void f() { g(\"}\"); } ");
    }

    #[test]
    fn arguments_are_types_or_constants() {
        let pattern = |given: &str| {
            let text = format!(
                "rule a {{ object c: C; event e = c.m({given}); claim never e; report \"\"; }}"
            );
            read(&Source::new("a.rules", text)).map(|rules| rules[0].events[0].patterns[0].clone())
        };
        let all = pattern("int, _, true, -3, 7, \"a b\", null").unwrap().parameters.unwrap();
        let number = |it| Given::Is(Literal::Integer(it));
        assert_eq!(
            all,
            [
                Given::Type("int".to_owned()),
                Given::Any,
                number(1),
                number(-3),
                number(7),
                Given::Is(Literal::Text("a b".to_owned())),
                Given::Is(Literal::Null),
            ]
        );
        for wrong in ["3x", "-int", "- 99999999999999999999", "\"a"] {
            assert!(pattern(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_problems_are_found_at_once() {
        let text = "rule a { severty error; object l: A; event x = l.m(); claim never y; report 3; }\n\
                    rule b { }";
        assert_eq!(
            problems(text),
            [
                "U001 `severty` begins no part of a rule",
                "U003 there is no event `y`",
                "U001 expected a text in quotes, found `3`",
                "U002 rule `a` has no claim",
                "U002 rule `b` has no claim",
            ]
        );
        assert_eq!(
            problems("rule a { bad { "),
            ["U001 expected `}`, found the end of the text"; 2]
        );
    }
}
