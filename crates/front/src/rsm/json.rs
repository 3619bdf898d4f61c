//! Pulls typed values out of JSON text, in any order of keys, and notes every value that is not
//! what it should be.
//!
//! A wrong value is noted and skipped, and reading goes on behind it; only text that is not JSON
//! at all stops the reader. Nothing recurses on the depth of the text: the format itself nests to
//! a fixed depth, and [`Json::skip`] keeps its own stack.

use super::scan::{Broken, Scanner};
use super::string_span;
use super::symbols::{Symbol, Symbols};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::words::{Nearest, did_you_mean};
use std::fmt;
use tern_model::budget::Meter;
use tern_model::{Budget, Limit, Span};

/// A string of the file and where it stands: the offset of its first quote.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) symbol: Symbol,
    pub(super) at: u32,
}

macro_rules! keys {
    ($($key:ident = $text:literal,)*) => {
        /// All keys.
        const KEYS: &[Key] = &[$(Key::$key,)*];

        /// A key that means something in some object of the format.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Key { $($key,)* }

        impl Key {
            fn of(text: &str) -> Option<Key> {
                match text {
                    $($text => Some(Key::$key),)*
                    _ => None,
                }
            }

            fn text(self) -> &'static str {
                match self {
                    $(Key::$key => $text,)*
                }
            }
        }
    };
}

keys! {
    InitialComponent = "initial_component",
    InitialNode = "initial_node",
    InitialNodes = "initial_nodes",
    Components = "components",
    Name = "name",
    Nodes = "nodes",
    Boxes = "boxes",
    Transitions = "transitions",
    IsEntry = "is_entry",
    IsExit = "is_exit",
    Labels = "labels",
    UnknownLabels = "unknown_labels",
    Component = "component",
    CallNodes = "call_nodes",
    ReturnNodes = "return_nodes",
    Source = "source",
    Targets = "targets",
    PossibleTargets = "possible_targets",
    Type = "type",
    Node = "node",
    NodeName = "node_name",
    Box = "box",
    BoxName = "box_name",
}

/// What the objects of one kind look like.
pub(super) struct Shape {
    /// What such an object is called.
    pub(super) what: &'static str,
    /// The keys that are looked at; others are skipped.
    pub(super) keys: KeySet,
    /// The keys that must be there.
    pub(super) required: &'static [Key],
}

impl Shape {
    /// The key of such an object that a text is; else whether it is odd and was not met before.
    fn meaning(&self, text: &str, odd_keys: &mut Vec<(String, &'static str)>) -> Result<Key, bool> {
        match Key::of(text) {
            Some(key) if self.keys.contains(key) => Ok(key),
            _ => {
                let is_it = |(odd, what): &(String, &str)| odd == text && *what == self.what;
                let is_new = odd_keys.len() < MOST_ODD_KEYS && !odd_keys.iter().any(is_it);
                if is_new {
                    odd_keys.push((text.to_owned(), self.what));
                }
                Err(is_new)
            }
        }
    }
}

/// Whether two keys differ in capital letters, hyphens and underscores only.
fn is_same_but_for_case(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|c| !matches!(c, '_' | '-'));
        kept.map(|c| c.to_ascii_lowercase()).collect()
    };
    letters(a) == letters(b)
}

/// A set of keys.
#[derive(Clone, Copy)]
pub(super) struct KeySet(u32);

impl KeySet {
    pub(super) const fn new(keys: &[Key]) -> Self {
        let mut set = KeySet(0);
        let mut i = 0;
        while i < keys.len() {
            set.0 |= 1 << keys[i] as u32;
            i += 1;
        }
        set
    }

    fn contains(self, key: Key) -> bool {
        self.0 & (1 << key as u32) != 0
    }

    /// Adds a key; says whether it is new.
    fn insert(&mut self, key: Key) -> bool {
        let new = !self.contains(key);
        self.0 |= 1 << key as u32;
        new
    }
}

/// Which value of the file is being read, for messages.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// All of it.
    File,
    /// The value of a key.
    Of(Key),
    /// One item of the list that is the value of a key.
    Item(Key),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::File => f.write_str("the file"),
            Value::Of(key) => write!(f, "`{}`", key.text()),
            Value::Item(key) => write!(f, "each item of `{}`", key.text()),
        }
    }
}

/// Why reading cannot go on.
pub(super) enum Stop {
    /// The text is not JSON.
    Syntax,
    /// The budget ran out.
    Limit(Limit),
}

impl From<Broken> for Stop {
    fn from(_: Broken) -> Self {
        Stop::Syntax
    }
}

impl From<Limit> for Stop {
    #[cold]
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// JSON text, read up to some point.
pub(super) struct Json<'s> {
    pull: Scanner<'s>,
    text: &'s str,
    meter: Meter<'s>,
    pub(super) names: Symbols<'s>,
    pub(super) problems: Collector,
    /// Keys that mean nothing where they stand, each with the kind of object: the first few.
    odd_keys: Vec<(String, &'static str)>,
    /// What is not wrong, but perhaps not meant.
    pub(super) warnings: Vec<Problem>,
}

/// How many different keys without a meaning are looked at for one that was meant.
const MOST_ODD_KEYS: usize = 16;

impl<'s> Json<'s> {
    /// Starts to read `text` at an offset.
    pub(super) fn new(text: &'s str, start: usize, budget: &'s Budget) -> Self {
        Json {
            pull: Scanner::new(text, start),
            text,
            meter: Meter::new(budget),
            names: Symbols::for_text(text),
            problems: Collector::default(),
            odd_keys: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The offset reached.
    #[inline]
    fn offset(&self) -> u32 {
        // Texts of 4 GiB and more have been refused.
        self.pull.offset() as u32
    }

    /// Reads an object; `field` takes each value whose key belongs to the shape. Says where the
    /// object begins, or `None` if there is no object.
    #[inline]
    pub(super) fn object(
        &mut self,
        value: Value,
        shape: &Shape,
        mut field: impl FnMut(&mut Self, Key) -> Result<(), Stop>,
    ) -> Result<Option<u32>, Stop> {
        let found = self.pull.peek_value()?;
        if found != b'{' {
            self.mistyped(value, "an object", found)?;
            return Ok(None);
        }
        let start = self.offset();
        let mut seen = KeySet::new(&[]);
        let odd_keys = &mut self.odd_keys;
        let mut key = self.pull.key(true, |text| shape.meaning(text, odd_keys))?;
        while let Some(current) = key {
            self.meter.tick()?;
            match current {
                Ok(known) => {
                    if seen.insert(known) {
                        field(self, known)?;
                    } else {
                        self.repeated(known, shape)?;
                    }
                }
                Err(is_new) => {
                    if is_new {
                        self.note_odd_key(shape);
                    }
                    self.skip()?;
                }
            }
            let odd_keys = &mut self.odd_keys;
            key = self.pull.key(false, |text| shape.meaning(text, odd_keys))?;
        }
        for &key in shape.required {
            if !seen.contains(key) {
                self.missing(key, shape.what, start);
            }
        }
        Ok(Some(start))
    }

    /// Warns of the last odd key, which was just read, if it is like a key that has a meaning.
    #[cold]
    fn note_odd_key(&mut self, shape: &Shape) {
        let Some((odd, _)) = self.odd_keys.last() else { return };
        let known = KEYS.iter().filter(|&&key| shape.keys.contains(key)).map(|key| key.text());
        let near = known.clone().find(|key| is_same_but_for_case(key, odd));
        let Some(near) = near.or_else(|| Nearest::new().among(odd, known)) else { return };
        let message = format!("`{odd}` means nothing in {}, and is passed over", shape.what);
        let mut problem = Problem::warning("R150", message).hint(format!("did you mean `{near}`?"));
        let before = &self.text[..self.pull.offset()];
        if let Some(at) = before.rfind(&format!("\"{odd}\"")) {
            problem = problem.at(Span::new(at..at + odd.len() + 2), "the first of this name");
        }
        self.warnings.push(problem);
    }

    /// Reads a list; `item` takes each of its values.
    #[inline]
    pub(super) fn list(
        &mut self,
        key: Key,
        mut item: impl FnMut(&mut Self, Value) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let found = self.pull.peek_value()?;
        if found != b'[' {
            return self.mistyped(Value::Of(key), "a list", found);
        }
        let mut more = self.pull.item(true)?;
        while more {
            self.meter.tick()?;
            item(self, Value::Item(key))?;
            more = self.pull.item(false)?;
        }
        Ok(())
    }

    /// Reads a string.
    #[inline]
    pub(super) fn name(&mut self, value: Value) -> Result<Option<Name>, Stop> {
        let found = self.pull.peek_value()?;
        if found != b'"' {
            self.mistyped(value, "a string", found)?;
            return Ok(None);
        }
        let at = self.offset();
        let string = self.pull.string()?;
        let symbol = self.names.intern(at as usize + 1, string);
        Ok(Some(Name { symbol, at }))
    }

    /// Reads a string or a list of strings.
    pub(super) fn one_or_more_names(
        &mut self,
        key: Key,
        names: &mut Vec<Name>,
    ) -> Result<(), Stop> {
        match self.pull.peek_value()? {
            b'"' => {
                names.extend(self.name(Value::Of(key))?);
                Ok(())
            }
            b'[' => self.list(key, |json, item| {
                names.extend(json.name(item)?);
                Ok(())
            }),
            found => self.mistyped(Value::Of(key), "a string or a list of strings", found),
        }
    }

    /// Reads a string that must be one of `words`; says which.
    #[inline]
    pub(super) fn word(&mut self, key: Key, words: [&str; 2]) -> Result<Option<usize>, Stop> {
        let found = self.pull.peek_value()?;
        if found != b'"' {
            self.mistyped(Value::Of(key), "a string", found)?;
            return Ok(None);
        }
        let at = self.offset();
        let said = self.pull.string()?;
        let position = words.iter().position(|&word| *word == *said);
        if position.is_none() {
            let [one, other] = words;
            let message = format!("`{}` must be `{one}` or `{other}`, not `{said}`", key.text());
            let span = string_span(self.text.as_bytes(), at);
            self.problems.add(|nearest| {
                let mut problem = Problem::error("R107", message).at(span, "neither of them");
                problem.hint = did_you_mean(nearest.among(&said, words));
                problem
            });
        }
        Ok(position)
    }

    /// Reads `true` or `false`.
    #[inline]
    pub(super) fn truth(&mut self, key: Key) -> Result<bool, Stop> {
        let found = self.pull.peek_value()?;
        if found != b't' && found != b'f' {
            self.mistyped(Value::Of(key), "true or false", found)?;
            return Ok(false);
        }
        self.pull.skip_scalar()?;
        Ok(found == b't')
    }

    /// Passes over a value of any depth.
    fn skip(&mut self) -> Result<(), Stop> {
        // For each list or object around: whether it is an object.
        let mut around: Vec<bool> = Vec::new();
        loop {
            self.meter.tick()?;
            match self.pull.peek_value()? {
                b'[' => {
                    if self.pull.item(true)? {
                        around.push(false);
                        continue;
                    }
                }
                b'{' => {
                    if self.pull.key(true, |_| ())?.is_some() {
                        around.push(true);
                        continue;
                    }
                }
                _ => self.pull.skip_scalar()?,
            }
            // A value has ended, and with it perhaps some of those around it.
            loop {
                let more = match around.last() {
                    None => return Ok(()),
                    Some(true) => self.pull.key(false, |_| ())?.is_some(),
                    Some(false) => self.pull.item(false)?,
                };
                if more {
                    break;
                }
                around.pop();
            }
        }
    }

    /// Makes sure that nothing follows the value.
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        match self.pull.peek() {
            None => Ok(()),
            Some(_) => {
                Ok(self.pull.error("there is more text behind the end", "expected nothing more")?)
            }
        }
    }

    /// Notes that `key` of the object that begins at `start` is not there.
    #[cold]
    pub(super) fn missing(&mut self, key: Key, what: &str, start: u32) {
        self.problems.add(|_| {
            Problem::error("R105", format!("{what} has no `{}`", key.text()))
                .at(one_byte(start), format!("`{}` is missing in here", key.text()))
        });
    }

    #[cold]
    fn mistyped(&mut self, value: Value, wanted: &str, found: u8) -> Result<(), Stop> {
        let start = self.offset();
        self.skip()?;
        let is = match found {
            b'n' => "null",
            b't' | b'f' => "a truth value",
            b'"' => "a string",
            b'[' => "a list",
            b'{' => "an object",
            _ => "a number",
        };
        let span = match found {
            b'[' | b'{' => one_byte(start),
            _ => Span { start, end: self.offset() },
        };
        self.problems.add(|_| {
            Problem::error("R104", format!("{value} must be {wanted}, not {is}"))
                .at(span, format!("this is {is}"))
        });
        Ok(())
    }

    #[cold]
    pub(super) fn repeated(&mut self, key: Key, shape: &Shape) -> Result<(), Stop> {
        self.pull.peek_value()?;
        let span = one_byte(self.offset());
        self.problems.add(|_| {
            let message = format!("{} has `{}` twice", shape.what, key.text());
            Problem::error("R106", message).at(span, "the second value")
        });
        self.skip()
    }

    /// Notes that the text is not JSON, and why.
    pub(super) fn syntax_problem(&mut self) {
        let Some(error) = self.pull.syntax_error() else { return };
        let last = self.text.len().saturating_sub(1);
        let at = one_byte(error.at.min(last) as u32);
        let (before, rest) = self.text.split_at(error.at.min(self.text.len()));
        let hint = match rest.bytes().next() {
            None => "the file may have been cut off",
            Some(b'/' | b'#') => "JSON has no comments; what follows was not looked at",
            Some(b'\'') => "JSON has double quotes only; what follows was not looked at",
            _ if before.trim_start_matches('\u{FEFF}').trim_ascii().is_empty() => {
                "an .rsm file holds a JSON object; a model in Tern's own language is a .tern file"
            }
            _ => "what follows was not looked at",
        };
        self.problems.add(|_| {
            Problem::error("R101", format!("invalid JSON: {}", error.message))
                .at(at, error.label)
                .hint(hint)
        });
    }
}

/// The span of the byte at `offset`.
pub(super) fn one_byte(offset: u32) -> Span {
    Span { start: offset, end: offset.saturating_add(1) }
}
