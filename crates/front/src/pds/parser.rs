//! Takes a `.pds` text down as a pushdown system.
//!
//! What a `#` means depends on where it stands: it begins a comment, except where a name is
//! expected inside the brackets of a stack or behind `ATOMS`; exporters of Java programs call the
//! bottom of the stack so.

use super::expression::{ExprId, Expressions};
use super::variables::{Place, RuleScope, Variables, closing};
use crate::collector::Collector;
use crate::formula::shortened;
use crate::problem::Problem;
use crate::pushdown::{ControlId, Head, Push, Right, Rule, SymbolId, System};
use memchr::{memchr, memchr2};
use tern_model::budget::Meter;
use tern_model::{LabelId, Limit, Span};

/// What a text says.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) system: System,
    pub(super) variables: Variables,
    pub(super) expressions: Expressions,
    /// The relation of each rule.
    pub(super) relations: Vec<Option<ExprId>>,
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
    let mut parser = Parser {
        text,
        at: start,
        draft: Draft::default(),
        atoms: Vec::new(),
        start: None,
        symbols: Vec::new(),
        relations: Vec::new(),
        problems,
    };
    parser.blanks();
    while parser.at < text.len() {
        meter.tick()?;
        if parser.item().is_err() {
            parser.at = parser.line_end();
        }
        parser.blanks();
    }
    parser.finish(meter)
}

/// Something that could not be read; the problem has been reported.
struct Broken;

struct Parser<'a, 'p> {
    text: &'a str,
    /// The offset of what comes next.
    at: usize,
    draft: Draft,
    /// The names that atoms are given for, where they stand, and the atoms.
    atoms: Vec<(&'a str, Span, LabelId)>,
    /// Where the initial configuration stands.
    start: Option<Span>,
    /// The symbols between brackets that were read last.
    symbols: Vec<SymbolId>,
    /// Where the relation of each rule stands.
    relations: Vec<Option<Span>>,
    problems: &'p mut Collector,
}

/// Characters.
impl<'a> Parser<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn line_end(&self) -> usize {
        memchr(b'\n', self.rest().as_bytes()).map_or(self.text.len(), |found| self.at + found)
    }

    /// Goes to what comes next, behind blanks and comments.
    fn blanks(&mut self) {
        loop {
            self.spaces();
            if self.next() != Some(b'#') {
                return;
            }
            self.at = self.line_end();
        }
    }

    /// Goes behind blanks, but not behind comments.
    fn spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reads up to the first character that ends a name here.
    fn name(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c: char| c.is_whitespace() || ends(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn span(&self, from: usize) -> Span {
        Span::new(from..self.at)
    }

    /// Reports that something else is expected here.
    fn unexpected(&mut self, what: &str, hint: Option<&str>) -> Broken {
        let rest = self.rest();
        let found = rest.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let span = Span::new(self.at..self.at + found.len());
        self.problems.add(|_| {
            let problem = match found {
                "" if rest.is_empty() => Problem::error("P002", "the text ends too early"),
                "" => Problem::error("P002", "the line ends too early"),
                found => Problem::error("P002", format!("unexpected `{}`", shortened(found))),
            };
            let problem = problem.at(span, format!("{what} is expected"));
            match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        });
        Broken
    }
}

/// Items.
impl<'a> Parser<'a, '_> {
    fn item(&mut self) -> Result<(), Broken> {
        if self.next() == Some(b'(') {
            return self.initial();
        }
        match self.keyword().as_deref() {
            Some("atoms") => self.atoms(),
            Some("define") => self.define(),
            Some("global") => self.declare(false),
            Some("local") => self.declare(true),
            _ => self.rule(),
        }
    }

    /// The word that begins a declaration here, in small letters. What brackets follow is a control
    /// state.
    fn keyword(&self) -> Option<String> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphabetic())?;
        let word = rest[..length].to_ascii_lowercase();
        let behind = rest[length..].trim_start();
        let is_known = ["atoms", "define", "global", "local"].contains(&word.as_str());
        let ends = rest[length..].starts_with(|c: char| c.is_whitespace() || c == '(');
        (is_known && ends && !behind.starts_with('<')).then_some(word)
    }

    /// Reads `( control <symbols> )`, or the same without brackets.
    fn initial(&mut self) -> Result<(), Broken> {
        let from = self.at;
        self.at += 1;
        self.spaces();
        let at = self.at;
        // A parenthesis may be part of the name, as elsewhere.
        let control = self.name(|c| c == '<');
        if control.is_empty() {
            return Err(self.unexpected("the control state of the initial configuration", None));
        }
        let control = self.draft.system.controls.intern(control);
        self.spaces();
        if self.next() == Some(b'<') {
            self.brackets()?;
            self.spaces();
        } else {
            self.symbols.clear();
            while !matches!(self.next(), None | Some(b')')) {
                let symbol = self.name(|c| c == ')' || c == '<');
                if symbol.is_empty() {
                    break;
                }
                self.symbols.push(self.draft.system.symbols.intern(symbol));
                self.spaces();
            }
        }
        if self.next() != Some(b')') {
            return Err(self.unexpected("`)`", None));
        }
        self.at += 1;
        let span = self.span(from);
        if let Some(first) = self.start {
            self.problems.add(|_| {
                Problem::error("P006", "a second initial configuration")
                    .at(span, "here")
                    .related(first, "the first one")
                    .hint("let a new control state choose between them")
            });
            return Ok(());
        }
        self.start = Some(span);
        let words = &mut self.draft.system.words;
        let (symbol, below) = match words.push(&self.symbols) {
            Push::One(symbol) => (symbol, None),
            Push::More(symbol, word) => (symbol, Some(word)),
            Push::Nothing => {
                let span = self.span(at);
                self.problems.add(|_| {
                    Problem::error("P007", "the initial configuration has no stack")
                        .at(span, "at least one stack symbol is expected")
                        .hint("write it as `(control <symbol>)`")
                });
                return Ok(());
            }
        };
        self.draft.system.start = Some((Head { control, symbol }, below));
        Ok(())
    }

    /// Reads the stack symbols between `<` and `>`, which are on one line.
    fn brackets(&mut self) -> Result<(), Broken> {
        let open = self.at;
        let inner = &self.text[open + 1..];
        let length = match memchr2(b'>', b'\n', inner.as_bytes()) {
            Some(length) if inner.as_bytes()[length] == b'>' => length,
            _ => {
                let end = self.line_end();
                self.problems.add(|_| {
                    Problem::error("P003", "the `<` is not closed on its line")
                        .at(Span::new(open..open + 1), "opened here")
                        .hint("stack symbols stand in brackets: `<g1 g2>`; a pop is `<>`")
                });
                self.at = end;
                return Err(Broken);
            }
        };
        self.symbols.clear();
        for symbol in inner[..length].split_whitespace() {
            self.symbols.push(self.draft.system.symbols.intern(symbol));
        }
        self.at = open + 1 + length + 1;
        Ok(())
    }

    /// Reads a control state and the stack behind it.
    fn side(&mut self, what: &str) -> Result<ControlId, Broken> {
        let control = self.name(|c| c == '<');
        if control.is_empty() {
            return Err(self.unexpected(what, None));
        }
        let at = self.at;
        self.blanks();
        if self.next() != Some(b'<') {
            self.at = if self.line_end() < at { at } else { self.at };
            let hint = "a rule is written `p <g> --> q <g1 g2>`";
            return Err(self.unexpected("a stack in `<` and `>`", Some(hint)));
        }
        let control = self.draft.system.controls.intern(control);
        self.brackets()?;
        Ok(control)
    }

    fn rule(&mut self) -> Result<(), Broken> {
        let from = self.at;
        let control = self.side("a control state")?;
        let symbol = match self.symbols[..] {
            [symbol] => symbol,
            _ => {
                let span = self.span(from);
                self.problems.add(|_| {
                    Problem::error("P004", "the left side of a rule has one stack symbol")
                        .at(span, "exactly one is expected between `<` and `>`")
                });
                return Err(Broken);
            }
        };
        self.blanks();
        if !self.rest().starts_with("-->") {
            let hint = self.rest().starts_with(['-', '=']).then_some("an arrow is written `-->`");
            return Err(self.unexpected("`-->`", hint));
        }
        self.at += "-->".len();
        self.blanks();
        let to = self.side("the control state of the right side")?;
        let push = self.draft.system.words.push(&self.symbols);
        // Texts are at most 4 GiB long.
        let (head, right) = (Head { control, symbol }, Right { control: to, push });
        self.draft.system.rules.push(Rule { head, right, at: from as u32 });
        self.relations.push(None);
        self.title()?;
        self.relation()
    }

    /// Notes where the relation of a rule stands, if it has one.
    fn relation(&mut self) -> Result<(), Broken> {
        self.blanks();
        let open = self.at;
        if self.next() != Some(b'(') || self.start.is_none() && self.is_initial() {
            return Ok(());
        }
        let Some(close) = closing(self.text, open, self.text.len(), b'(', b')') else {
            self.problems.add(|_| {
                Problem::error("P009", "the parenthesis is never closed")
                    .at(Span::new(open..open + 1), "opened here")
            });
            self.at = self.text.len();
            return Err(Broken);
        };
        self.at = close + 1;
        // The parentheses are left out.
        if let Some(last) = self.relations.last_mut() {
            *last = Some(Span::new(open + 1..close));
        }
        Ok(())
    }

    /// Whether what follows is an initial configuration behind the rules.
    fn is_initial(&self) -> bool {
        let line = &self.text[self.at..self.line_end()];
        let inner = line.trim_end().strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let stack = inner.and_then(|it| it.trim_end().strip_suffix('>'));
        stack.and_then(|it| it.split_once('<')).is_some_and(|(control, stack)| {
            !control.trim().contains(char::is_whitespace) && !stack.contains(['<', '>'])
        })
    }

    /// Reads `define NAME expression`, to the end of the line.
    fn define(&mut self) -> Result<(), Broken> {
        self.name(|_| false);
        self.spaces();
        let (end, from) = (self.line_end(), self.at);
        let name = self.name(|_| false);
        let at = self.span(from);
        if name.is_empty() || self.at >= end {
            return Err(self.unexpected("a name and an expression", Some("write `define N 3`")));
        }
        let line = &self.text[self.at..end];
        let length = line.find('#').unwrap_or(line.len());
        let value = Span::new(self.at..self.at + length);
        self.at = end;
        if let Err(problem) = self.draft.variables.define(self.text, name, at, value) {
            self.problems.add(|_| *problem);
        }
        Ok(())
    }

    /// Reads the variables of the program, or of some stack symbols, up to the semicolon.
    fn declare(&mut self, is_local: bool) -> Result<(), Broken> {
        self.name(|c| c == '(');
        self.blanks();
        let mut owners = Vec::new();
        if is_local {
            let close = closing(self.text, self.at, self.line_end(), b'(', b')');
            let (Some(b'('), Some(close)) = (self.next(), close) else {
                return Err(self.unexpected("stack symbols in parentheses", None));
            };
            let inner = self.text[self.at + 1..close].split([',', ' ', '\t']);
            for name in inner.map(str::trim).filter(|name| !name.is_empty()) {
                owners.push(self.draft.system.symbols.intern(name));
            }
            self.at = close + 1;
            self.blanks();
        }
        let from = self.at;
        let kind = self.name(|c| c == ';');
        if kind != "bool" && kind != "int" {
            self.at = from;
            return Err(self.unexpected("`bool` or `int`", None));
        }
        let Some(length) = memchr(b';', self.rest().as_bytes()) else {
            return Err(self.unexpected("`;` behind the variables", None));
        };
        let end = self.at + length;
        let place = if is_local { Place::Local(&owners) } else { Place::Global };
        for item in items(self.text, self.at, end) {
            if let Err(problem) =
                self.draft.variables.declare(self.text, item, kind == "int", &place)
            {
                self.problems.add(|_| *problem);
            }
        }
        self.at = end + 1;
        Ok(())
    }

    /// Goes behind the text in quotes that a rule may have.
    fn title(&mut self) -> Result<(), Broken> {
        self.blanks();
        if self.next() != Some(b'"') {
            return Ok(());
        }
        let open = self.at;
        let line = &self.text[open + 1..self.line_end()];
        let Some(length) = line.find('"') else {
            self.problems.add(|_| {
                Problem::error("P009", "the quote is not closed on its line")
                    .at(Span::new(open..open + 1), "opened here")
            });
            return Err(Broken);
        };
        self.at = open + 1 + length + 1;
        Ok(())
    }

    /// Reads `ATOMS name atom, atom`, to the end of the line.
    fn atoms(&mut self) -> Result<(), Broken> {
        let from = self.at;
        let end = self.line_end();
        self.name(|_| false);
        let line = &self.text[self.at..end];
        let start = self.at + (line.len() - line.trim_start().len());
        self.at = start.min(end);
        let name = self.name(|_| false);
        let of = self.span(start);
        let list = if self.at < end { &self.text[self.at..end] } else { "" };
        let mut count = 0;
        for atom in split_atoms(list) {
            let label = self.draft.system.labels.intern(atom);
            self.atoms.push((name, of, label));
            count += 1;
        }
        self.at = end;
        if name.is_empty() || count == 0 {
            let span = Span::new(from..end);
            self.problems.add(|_| {
                Problem::error("P008", "there is no atom in this line")
                    .at(span, "a name and atoms are expected")
                    .hint("write `ATOMS symbol p, q`")
            });
        }
        Ok(())
    }
}

/// The places of what stands between commas that are in no brackets.
fn items(text: &str, from: usize, end: usize) -> Vec<Span> {
    let (mut spans, mut depth, mut start) = (Vec::new(), 0usize, from);
    for (i, byte) in text.as_bytes()[from..end].iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                spans.push(Span::new(start..from + i));
                start = from + i + 1;
            }
            _ => {}
        }
    }
    spans.push(Span::new(start..end));
    let is_blank = |span: &Span| text.as_bytes()[span.start as usize].is_ascii_whitespace();
    for span in &mut spans {
        while span.start < span.end && is_blank(span) {
            span.start += 1;
        }
    }
    spans
}

/// The atoms of a list: texts between commas that are in no parentheses, without a comment at the
/// end.
pub(super) fn split_atoms(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        loop {
            let text = rest.take()?.trim_start();
            let mut depth = 0usize;
            let mut end = text.len();
            let mut blank = false;
            for (i, c) in text.char_indices() {
                let alone =
                    || text[i + 1..].trim_start().is_empty() || text[i + 1..].starts_with(',');
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    ',' if depth == 0 => {
                        rest = Some(&text[i + 1..]);
                        end = i;
                        break;
                    }
                    '#' if i == 0 && alone() => {}
                    '#' if i == 0 || blank => {
                        end = i;
                        break;
                    }
                    _ => {}
                }
                blank = c.is_whitespace();
            }
            let atom = text[..end].trim_end();
            if !atom.is_empty() {
                return Some(atom);
            }
        }
    })
}

/// The end.
impl Parser<'_, '_> {
    /// Reads the relations of the rules: variables may be declared behind them.
    fn relate(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Draft { system, variables, expressions, relations, .. } = &mut self.draft;
        for (rule, span) in system.rules.iter().zip(&self.relations) {
            meter.tick()?;
            let right = system.words.pushed(rule.right.push);
            let deep = right.iter().skip(2).any(|&it| !variables.of(it).most.is_empty());
            if deep {
                let at = Span { start: rule.at, end: rule.at };
                self.problems.add(|_| {
                    Problem::error("P024", "a third symbol with variables is pushed")
                        .at(at, "here")
                        .hint("push it below the first two by a rule of its own")
                });
            }
            let scope = RuleScope { variables, left: rule.head.symbol, right: &right };
            let relation = match span {
                Some(span) => match expressions.parse(self.text, *span, &scope) {
                    Ok(relation) => Some(relation),
                    Err(problem) => {
                        self.problems.add(|_| *problem);
                        None
                    }
                },
                None => None,
            };
            relations.push(relation);
        }
        Ok(())
    }

    fn finish(mut self, meter: &mut Meter<'_>) -> Result<Draft, Limit> {
        if self.start.is_none() && self.problems.count() == 0 {
            let hint = "say where the system starts: `(control <symbol>)`, before the rules";
            self.problems
                .add(|_| Problem::error("P005", "there is no initial configuration").hint(hint));
        }
        self.relate(meter)?;
        let System { controls, symbols, labels, of_symbols, of_controls, .. } =
            &mut self.draft.system;
        for (symbol, name) in symbols.names().iter() {
            meter.tick()?;
            of_symbols.push((symbol, labels.intern(name)));
        }
        for (name, at, label) in self.atoms {
            meter.tick()?;
            if let Some(symbol) = symbols.get(name) {
                of_symbols.push((symbol, label));
            } else if let Some(control) = controls.get(name) {
                of_controls.push((control, label));
            } else if self.draft.warnings.last().is_none_or(|last| !is_at(last, at)) {
                let message = format!("no rule mentions `{name}`, so its atoms hold nowhere");
                self.draft.warnings.push(Problem::warning("P010", message).at(at, ""));
            }
        }
        Ok(self.draft)
    }
}

fn is_at(problem: &Problem, at: Span) -> bool {
    problem.at.as_ref().is_some_and(|label| label.span == at)
}
