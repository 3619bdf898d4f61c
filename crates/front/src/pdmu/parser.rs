//! Takes a `.pdmu` text down as a pushdown system.

use crate::collector::Collector;
use crate::formula::shortened;
use crate::problem::Problem;
use crate::pushdown::{ControlId, Head, Right, Rule, SymbolId, System};
use memchr::{memchr, memchr2};
use tern_model::budget::Meter;
use tern_model::{Limit, Span};

/// What a text says.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) system: System,
    pub(super) warnings: Vec<Problem>,
}

/// Reads the text from `start` on.
///
/// # Errors
/// What ran out; problems of the text are collected.
pub(super) fn parse(
    text: &str,
    start: usize,
    meter: &mut Meter<'_>,
    problems: &mut Collector,
) -> Result<Draft, Limit> {
    let mut parser =
        Parser { text, at: start, draft: Draft::default(), symbols: Vec::new(), problems };
    let mut section = Section::Unknown;
    parser.blanks();
    while parser.at < text.len() {
        meter.tick()?;
        if let Some((title, span)) = parser.title() {
            section = Section::of(title);
            match section {
                Section::Property => parser.property(span),
                Section::Unknown => parser.unknown(title, span),
                Section::Rules | Section::Propositions => {}
            }
        } else {
            parser.statement(section);
        }
        parser.blanks();
    }
    parser.finish();
    Ok(parser.draft)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Rules,
    Propositions,
    Property,
    Unknown,
}

impl Section {
    fn of(title: &str) -> Section {
        let known = [
            ("rules", Section::Rules),
            ("propositions", Section::Propositions),
            ("mu property", Section::Property),
        ];
        let found = known.into_iter().find(|(name, _)| title.eq_ignore_ascii_case(name));
        found.map_or(Section::Unknown, |(_, section)| section)
    }
}

struct Parser<'a, 'p> {
    text: &'a str,
    /// The offset of what comes next.
    at: usize,
    draft: Draft,
    /// The symbols of the right side that was read last.
    symbols: Vec<SymbolId>,
    problems: &'p mut Collector,
}

impl<'a> Parser<'a, '_> {
    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The line that comes next, without its end.
    fn line(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        rest[..end].trim_end()
    }

    /// Goes behind the title of a section, if there is one: words and a colon, alone on a line.
    fn title(&mut self) -> Option<(&'a str, Span)> {
        // Most lines end otherwise, and this is all that is looked at.
        let line = self.line();
        let title = line.strip_suffix(':')?;
        let is_word = |c: char| c.is_alphabetic() || c == ' ';
        if title.is_empty() || !title.chars().all(is_word) {
            return None;
        }
        let span = Span::new(self.at..self.at + line.len());
        self.at += line.len();
        Some((title, span))
    }

    /// Reads a rule or the propositions of a head, up to the semicolon.
    fn statement(&mut self, section: Section) {
        let from = self.at;
        let rest = &self.text[from..];
        let end = memchr2(b';', b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let statement = rest[..end].trim_end();
        let span = Span::new(from..from + statement.len());
        self.at = from + end + usize::from(rest.as_bytes().get(end) == Some(&b';'));
        if rest.as_bytes().get(end) != Some(&b';') {
            return self.problems.add(|_| {
                Problem::error("D003", "a `;` is missing")
                    .at(span, "this ends at its line without one")
                    .hint("each rule, and the propositions of each head, end in `;`")
            });
        }
        let read = match section {
            Section::Rules => self.rule(statement, from),
            Section::Propositions => self.propositions(statement),
            Section::Property | Section::Unknown => None,
        };
        if read.is_none() {
            self.problems.add(|_| {
                let what = match section {
                    Section::Rules => "a rule `p g -> q g1 g2`, or `p g -> q _`, is expected",
                    Section::Propositions => "a head and its labels, `p g a b`, are expected",
                    Section::Property | Section::Unknown => "`Rules:` is expected",
                };
                let found = shortened(statement);
                Problem::error("D002", format!("unexpected `{found}`")).at(span, what)
            });
        }
    }

    fn control(&mut self, name: &str) -> ControlId {
        self.draft.system.controls.intern(name)
    }

    fn symbol(&mut self, name: &str) -> SymbolId {
        self.draft.system.symbols.intern(name)
    }

    fn head(&mut self, control: &str, symbol: &str) -> Head {
        Head { control: self.control(control), symbol: self.symbol(symbol) }
    }

    fn rule(&mut self, statement: &str, from: usize) -> Option<()> {
        let mut words = statement.split_whitespace();
        let (control, symbol) = (words.next()?, words.next()?);
        if words.next()? != "->" || is_odd(control) || is_odd(symbol) {
            return None;
        }
        let to = words.next()?;
        let mut pushed = words.peekable();
        pushed.peek()?;
        let head = self.head(control, symbol);
        let to = self.control(to);
        self.symbols.clear();
        for name in pushed {
            if is_odd(name) {
                return None;
            }
            if name != EMPTY {
                let symbol = self.symbol(name);
                self.symbols.push(symbol);
            }
        }
        let push = self.draft.system.words.push(&self.symbols);
        let right = Right { control: to, push };
        // Texts are at most 4 GiB long.
        self.draft.system.rules.push(Rule { head, right, at: from as u32 });
        Some(())
    }

    fn propositions(&mut self, statement: &str) -> Option<()> {
        let mut words = statement.split_whitespace();
        let head = self.head(words.next()?, words.next()?);
        for name in words {
            let label = self.draft.system.labels.intern(name);
            self.draft.system.of_heads.push((head, label));
        }
        Some(())
    }

    /// Goes behind the mu property, to the next title or the end.
    fn property(&mut self, title: Span) {
        let mut open: Vec<(u8, usize)> = Vec::new();
        loop {
            self.blanks();
            let (start, line) = (self.at, self.line());
            if line.is_empty() {
                break;
            }
            if open.is_empty() && self.title().is_some() {
                self.at = start;
                break;
            }
            for (i, byte) in line.bytes().enumerate() {
                let opens = |byte| match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'<',
                };
                match byte {
                    b'(' | b'[' | b'<' => open.push((byte, self.at + i)),
                    b')' | b']' | b'>' if open.last().is_none_or(|it| it.0 != opens(byte)) => {
                        let at = Span::new(self.at + i..self.at + i + 1);
                        let sign = char::from(byte);
                        self.problems.add(|_| {
                            Problem::error("D005", format!("`{sign}` closes nothing"))
                                .at(at, "no such bracket is open here")
                        });
                        self.at = self.text.len();
                        return;
                    }
                    b')' | b']' | b'>' => drop(open.pop()),
                    _ => {}
                }
            }
            self.at += line.len();
        }
        if let Some(&(byte, at)) = open.last() {
            let sign = char::from(byte);
            self.problems.add(|_| {
                Problem::error("D005", format!("`{sign}` is never closed"))
                    .at(Span::new(at..at + 1), "opened here")
            });
        }
        let message = "the mu property is left out";
        let hint = "its modalities are beyond CTL*; say what is meant with -f, or in a .ctl file";
        let warning = Problem::warning("D006", message).at(title, "").hint(hint);
        self.draft.warnings.push(warning);
    }

    /// Goes behind a section that is not known, to the next title or the end.
    fn unknown(&mut self, title: &str, span: Span) {
        let message = format!("the part `{title}` is left out");
        let hint = "parts that are read are `Rules`, `Propositions` and `Mu Property`";
        self.draft.warnings.push(Problem::warning("D008", message).at(span, "").hint(hint));
        loop {
            self.blanks();
            let (at, line) = (self.at, self.line());
            if line.is_empty() {
                return;
            }
            if self.title().is_some() {
                self.at = at;
                return;
            }
            self.at += line.len();
        }
    }

    /// Finds where the system starts.
    fn finish(&mut self) {
        let System { controls, symbols, rules, start, .. } = &mut self.draft.system;
        let conventional = controls.get("csinit").zip(symbols.get("#"));
        let conventional = conventional.map(|(control, symbol)| Head { control, symbol });
        let is_left = |head: &Head| rules.iter().any(|rule| rule.head == *head);
        match (conventional.filter(is_left), rules.first()) {
            (Some(head), _) => *start = Some((head, None)),
            (None, Some(first)) => {
                let (control, symbol) = (first.head.control, first.head.symbol);
                let (control, symbol) = (controls.of(control), symbols.of(symbol));
                let message =
                    format!("the system is taken to start as its first rule: {control} {symbol}");
                let hint = "another start is said by a rule for `csinit #`";
                let at = Span { start: first.at, end: first.at };
                self.draft.warnings.push(Problem::warning("D007", message).at(at, "").hint(hint));
                *start = Some((first.head, None));
            }
            (None, None) if self.problems.count() > 0 => {}
            (None, None) => self.problems.add(|_| {
                let hint = "rules stand behind `Rules:`, one a line: `p g -> q g1 g2;`";
                Problem::error("D004", "there is no rule").hint(hint)
            }),
        }
    }
}

/// How the empty word is written.
pub(super) const EMPTY: &str = "_";

/// Whether a word can be no name of a control state or symbol.
fn is_odd(name: &str) -> bool {
    name == "->" || name.contains(['<', '>'])
}
