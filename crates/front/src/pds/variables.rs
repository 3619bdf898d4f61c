//! Declarations of variables and constants, and what their names mean in a rule.
//!
//! ```text
//! define N 3                             a constant; the expression ends with its line
//! global bool l, r;                      variables of the program
//! local (m0, m1) int x(N), a[1,4](2);    variables of these stack symbols: numbers of so many bits
//! ```

use super::expression::{Expressions, Scope, Slots, When};
use super::solve::{Value, Values};
use crate::problem::Problem;
use crate::pushdown::SymbolId;
use rustc_hash::FxHashMap;
use tern_model::Span;

/// A variable, or an array of such.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    is_array: bool,
    /// The numbers of the first and the last element.
    from: i64,
    to: i64,
    /// Where its values begin among those of its owner.
    first: usize,
}

/// The variables of the program, or of a symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Owner {
    variables: Vec<Variable>,
    /// The largest value of each slot.
    pub(super) most: Vec<u16>,
}

impl Owner {
    fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Values in brackets, of those slots that are to be shown; nothing if there are none.
    pub(super) fn show(&self, values: &[u16], is_shown: impl Fn(usize) -> bool) -> String {
        let shown = self.variables.iter().filter(|it| is_shown(it.first));
        let text = |variable: &Variable| {
            let count = (variable.to - variable.from + 1) as usize;
            let own = values.get(variable.first..variable.first + count).unwrap_or_default();
            let own: Vec<String> = own.iter().map(ToString::to_string).collect();
            format!("{}={}", variable.name, own.join("."))
        };
        let texts: Vec<String> = shown.map(text).collect();
        if texts.is_empty() { String::new() } else { format!("[{}]", texts.join(",")) }
    }
}

/// All variables and constants of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    pub(super) globals: Owner,
    locals: FxHashMap<SymbolId, Owner>,
    constants: FxHashMap<String, i64>,
    nothing: Owner,
}

/// How many bits a number may have, and how many values variables of one owner may be.
const BITS: i64 = 16;
const SLOTS: usize = 4096;

/// Where a variable belongs.
pub(super) enum Place<'a> {
    Global,
    Local(&'a [SymbolId]),
}

impl Variables {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.globals.most.is_empty() && self.locals.is_empty()
    }

    /// The variables of a symbol.
    pub(super) fn of(&self, symbol: SymbolId) -> &Owner {
        self.locals.get(&symbol).unwrap_or(&self.nothing)
    }

    /// Adds a constant.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn define(
        &mut self,
        text: &str,
        name: &str,
        at: Span,
        value: Span,
    ) -> Result<(), Box<Problem>> {
        let number = self.constant_at(text, value)?;
        if self.constants.insert(name.to_owned(), number).is_some() {
            return Err(Box::new(
                Problem::error("P022", format!("`{name}` is defined twice")).at(at, "again here"),
            ));
        }
        Ok(())
    }

    /// The value of an expression of constants.
    fn constant_at(&self, text: &str, span: Span) -> Result<i64, Box<Problem>> {
        let mut all = Expressions::default();
        let id = all.parse(text, span, &Constants(self))?;
        match (Values { now: &[], next: &[] }).of(&all, id, &mut Vec::new()) {
            Value::Known(number) => Ok(number),
            _ => Err(Box::new(
                Problem::error("P023", "this has no value").at(span, "it cannot be computed"),
            )),
        }
    }

    /// Adds `name`, `name(bits)`, `name[to]`, `name[from,to](bits)`, which stands at a span.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn declare(
        &mut self,
        text: &str,
        item: Span,
        is_int: bool,
        place: &Place<'_>,
    ) -> Result<(), Box<Problem>> {
        let wrong = |message: String, at: Span| {
            let hint = "write `bool x`, `int x(bits)` or `int a[from,to](bits)`";
            Box::new(Problem::error("P023", message).at(at, "").hint(hint))
        };
        let start = item.start as usize;
        let whole = &text[start..item.end as usize];
        let length = whole.find(['[', '(']).unwrap_or(whole.len());
        let name = whole[..length].trim();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if name.is_empty() || !name.chars().all(is_word) {
            return Err(wrong(format!("`{}` is no variable", whole.trim()), item));
        }
        let mut rest = start + length;
        let (mut from, mut to, mut is_array) = (0, 0, false);
        if text[rest..].starts_with('[') {
            let end = closing(text, rest, item.end as usize, b'[', b']');
            let Some(end) = end else { return Err(wrong("`[` is never closed".to_owned(), item)) };
            let inner = &text[rest + 1..end];
            is_array = true;
            match inner.split_once(',') {
                Some((first, _)) => {
                    let middle = rest + 1 + first.len();
                    from = self.constant_at(text, Span::new(rest + 1..middle))?;
                    to = self.constant_at(text, Span::new(middle + 1..end))?;
                }
                None => to = self.constant_at(text, Span::new(rest + 1..end))? - 1,
            }
            rest = end + 1;
        }
        let mut bits = 1;
        let behind = text[rest..item.end as usize].trim();
        if is_int {
            let open = rest + text[rest..item.end as usize].find('(').unwrap_or(0);
            let end = closing(text, open, item.end as usize, b'(', b')');
            let (true, Some(end)) = (behind.starts_with('('), end) else {
                return Err(wrong(format!("`{name}` has no number of bits"), item));
            };
            bits = self.constant_at(text, Span::new(open + 1..end))?;
        } else if !behind.is_empty() {
            return Err(wrong(format!("unexpected `{behind}`"), item));
        }
        if !(1..=BITS).contains(&bits) || to < from || to - from >= SLOTS as i64 {
            let message = format!("`{name}` has no size that can be used");
            return Err(wrong(message, item));
        }
        // The bits are at most 16.
        let most = ((1u32 << bits) - 1) as u16;
        let add = |owner: &mut Owner| {
            if owner.find(name).is_some() {
                return Err(wrong(format!("`{name}` is declared twice"), item));
            }
            let first = owner.most.len();
            if first + (to - from) as usize >= SLOTS {
                return Err(wrong(format!("more than {SLOTS} values"), item));
            }
            owner.variables.push(Variable { name: name.to_owned(), is_array, from, to, first });
            owner.most.resize(first + (to - from) as usize + 1, most);
            Ok(())
        };
        match place {
            Place::Global => add(&mut self.globals),
            Place::Local(symbols) => {
                symbols.iter().try_for_each(|&symbol| add(self.locals.entry(symbol).or_default()))
            }
        }
    }
}

/// Where a bracket that opens at an offset is closed.
pub(super) fn closing(text: &str, open: usize, end: usize, opens: u8, closes: u8) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_comment = false;
    for (i, &byte) in text.as_bytes()[open..end].iter().enumerate() {
        match byte {
            b'\n' => in_comment = false,
            _ if in_comment => {}
            b'#' => in_comment = true,
            _ if byte == opens => depth += 1,
            _ if byte == closes && depth <= 1 => return (depth == 1).then_some(open + i),
            _ if byte == closes => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Only constants are known.
struct Constants<'a>(&'a Variables);

impl Scope for Constants<'_> {
    fn constant(&self, name: &str) -> Option<i64> {
        self.0.constants.get(name).copied()
    }

    fn variable(&self, name: &str, _: When) -> Result<(Slots, bool), String> {
        Err(format!("`{name}` is no constant"))
    }
}

/// What names mean in a rule.
pub(super) struct RuleScope<'a> {
    pub(super) variables: &'a Variables,
    /// The symbol of the left side, and those of the right side.
    pub(super) left: SymbolId,
    pub(super) right: &'a [SymbolId],
}

impl Scope for RuleScope<'_> {
    fn constant(&self, name: &str) -> Option<i64> {
        self.variables.constants.get(name).copied()
    }

    fn variable(&self, name: &str, when: When) -> Result<(Slots, bool), String> {
        let all = self.variables;
        let globals = all.globals.most.len();
        let (symbol, first) = match when {
            When::Now => (Some(self.left), globals),
            When::Next => (self.right.first().copied(), globals),
            When::Below => {
                let above = self.right.first().map_or(0, |&it| all.of(it).most.len());
                (self.right.get(1).copied(), globals + above)
            }
        };
        let local = symbol.and_then(|symbol| all.of(symbol).find(name));
        let global = all.globals.find(name).filter(|_| when != When::Below);
        let slots = |it: &Variable, first: usize| {
            let Variable { from, to, .. } = *it;
            (Slots { when, first: first + it.first, from, to }, it.is_array)
        };
        match (local, global) {
            (Some(local), _) => Ok(slots(local, first)),
            (None, Some(global)) => Ok(slots(global, 0)),
            (None, None) => Err(match when {
                When::Now => format!("`{name}` is no variable of the left side"),
                When::Next => format!("`{name}'` is no variable of the right side"),
                When::Below => format!("`{name}''` is no variable of the second symbol pushed"),
            }),
        }
    }
}
