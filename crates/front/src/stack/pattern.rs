//! Regular expressions over components, as automata that read a stack from the bottom.
//!
//! ```text
//! main            a component; names with other signs than letters, digits, _ $ @ : . stand in
//!                 single quotes
//! .               any component
//! a b   a | b     one after the other, or one of them
//! a*  a+  a?      any number of times, at least once, at most once
//! ( )             to group
//! ```
//! A pattern is read with an explicit stack of operators into steps of a nondeterministic automaton
//! (Thompson), whose sets of states are then the states of a deterministic one, made when they are
//! reached.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a step of the automaton reads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The component of this name, then the next step.
    Name(String),
    /// Any component, then the next step.
    Any,
    /// Nothing, and goes on at these steps.
    Fork(Vec<usize>),
}

/// A nondeterministic automaton. A run that is behind the last step has read all of the pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    steps: Vec<Step>,
}

/// A part of an automaton: its steps, with jumps relative to its own beginning.
type Part = Vec<Step>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Open,
    Or,
    Then,
    /// As `Then`, but what stands behind is read first.
    Before,
}

impl Pattern {
    /// `.* name .*`.
    pub(super) fn containing(name: &str) -> Self {
        let any = || vec![Step::Fork(vec![1, 3]), Step::Any, Step::Fork(vec![0])];
        let mut part = any();
        part.push(Step::Name(name.to_owned()));
        append(&mut part, any());
        Pattern { steps: part }
    }

    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let language = Language {
            signs: &[('|', Operator::Or)],
            repeats: "*+?",
            side_by_side: Some(Operator::Then),
            name: bare_or_quoted,
        };
        language.read(text)
    }

    /// Reads a regular expression over stack symbols from the top of the stack, as PuMoC writes
    /// them: `a|b` is one after the other, `a+b` one of them, `a*` any number of times, `.` any
    /// symbol. The pattern reads from the bottom.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn from_top(text: &str) -> Result<Self, String> {
        let language = Language {
            signs: &[('|', Operator::Before), ('+', Operator::Or)],
            repeats: "*",
            side_by_side: None,
            name: |text| {
                let ends = |c: char| c.is_whitespace() || "()|*+.".contains(c);
                let length = text.find(ends).unwrap_or(text.len());
                Ok((&text[..length], length))
            },
        };
        language.read(text)
    }

    /// The names in the pattern.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for step in &self.steps {
            if let Step::Name(name) = step {
                names.insert(name.as_str());
            }
        }
        names
    }

    /// All steps at which a run can be that is at these, without reading.
    fn closed(&self, at: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut todo: Vec<usize> = at.into_iter().collect();
        while let Some(step) = todo.pop() {
            if seen.insert(step)
                && let Some(Step::Fork(to)) = self.steps.get(step)
            {
                todo.extend(to);
            }
        }
        let reads = |step: &usize| !matches!(self.steps.get(*step), Some(Step::Fork(_)));
        seen.into_iter().filter(reads).collect()
    }
}

/// How expressions are written. All have `( )` to group and `.` for anything.
struct Language {
    /// The signs of operators.
    signs: &'static [(char, Operator)],
    /// The signs behind what is repeated.
    repeats: &'static str,
    /// The operator that is meant where two operands stand side by side.
    side_by_side: Option<Operator>,
    /// The name at the beginning of a text, and how long it is as written.
    name: fn(&str) -> Result<(&str, usize), String>,
}

impl Language {
    fn read(&self, text: &str) -> Result<Pattern, String> {
        let mut parts: Vec<Part> = Vec::new();
        let mut operators: Vec<Operator> = Vec::new();
        // Whether an operand has just ended.
        let mut ended = false;
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            let sign =
                self.signs.iter().find(|(sign, _)| *sign == c).map(|&(_, operator)| operator);
            let repeats = self.repeats.contains(c);
            let begins = sign.is_none() && !repeats && c != ')';
            if !begins && !ended {
                return Err(format!("something is missing before `{c}`"));
            }
            if begins && ended {
                let Some(operator) = self.side_by_side else {
                    let signs: Vec<String> =
                        self.signs.iter().map(|(sign, _)| format!("`{sign}`")).collect();
                    return Err(format!("{} is missing before `{c}`", signs.join(" or ")));
                };
                reduce(&mut parts, &mut operators, operator);
                operators.push(operator);
            }
            if let Some(operator) = sign {
                reduce(&mut parts, &mut operators, operator);
                operators.push(operator);
            } else if repeats {
                let part = parts.pop().map(|part| repeated(part, c));
                parts.extend(part);
            } else if c == '(' {
                operators.push(Operator::Open);
            } else if c == ')' {
                reduce(&mut parts, &mut operators, Operator::Or);
                if operators.pop() != Some(Operator::Open) {
                    return Err("`)` closes nothing".to_owned());
                }
            } else if c == '.' {
                parts.push(vec![Step::Any]);
            } else {
                let (name, written) = (self.name)(rest)?;
                parts.push(vec![Step::Name(name.to_owned())]);
                length = written;
            }
            ended = c != '(' && sign.is_none();
            rest = rest[length..].trim_start();
        }
        if !ended {
            return Err("it ends too early".to_owned());
        }
        reduce(&mut parts, &mut operators, Operator::Or);
        match (operators.is_empty(), parts.pop()) {
            (true, Some(steps)) => Ok(Pattern { steps }),
            _ => Err("`(` is never closed".to_owned()),
        }
    }
}

/// The name at the beginning of a text, perhaps in quotes. A bare one does not end in a dot.
fn bare_or_quoted(text: &str) -> Result<(&str, usize), String> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let end = quoted.find('\'').ok_or("the quote is not closed")?;
        return Ok((&quoted[..end], end + 2));
    }
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | ':' | '.');
    let length = text.find(|c: char| !inside(c)).unwrap_or(text.len());
    match text[..length].trim_end_matches('.') {
        "" => {
            let sign: String = text.chars().take(1).collect();
            Err(format!("unexpected `{sign}`; put the name in single quotes"))
        }
        name => Ok((name, name.len())),
    }
}

/// Applies the operators on top that bind at least as tightly.
fn reduce(parts: &mut Vec<Part>, operators: &mut Vec<Operator>, least: Operator) {
    while let Some(&operator) = operators.last() {
        let applies = match operator {
            Operator::Open => false,
            Operator::Or => least == Operator::Or,
            Operator::Then | Operator::Before => true,
        };
        if !applies {
            return;
        }
        operators.pop();
        let (Some(second), Some(first)) = (parts.pop(), parts.pop()) else { return };
        parts.push(match operator {
            Operator::Or => either(first, second),
            Operator::Then | Operator::Open => one_after_the_other(first, second),
            Operator::Before => one_after_the_other(second, first),
        });
    }
}

fn one_after_the_other(mut first: Part, second: Part) -> Part {
    append(&mut first, second);
    first
}

fn append(part: &mut Part, behind: Part) {
    let by = part.len();
    part.extend(behind.into_iter().map(|step| shifted(step, by)));
}

fn shifted(step: Step, by: usize) -> Step {
    match step {
        Step::Fork(to) => Step::Fork(to.into_iter().map(|at| at + by).collect()),
        other => other,
    }
}

fn either(first: Part, second: Part) -> Part {
    let (behind, end) = (first.len() + 2, first.len() + second.len() + 2);
    let mut part = vec![Step::Fork(vec![1, behind])];
    append(&mut part, first);
    part.push(Step::Fork(vec![end]));
    append(&mut part, second);
    part
}

fn repeated(part: Part, sign: char) -> Part {
    let length = part.len();
    let mut whole = Vec::with_capacity(length + 2);
    if sign != '+' {
        let end = if sign == '*' { length + 2 } else { length + 1 };
        whole.push(Step::Fork(vec![1, end]));
    }
    let start = whole.len();
    append(&mut whole, part);
    match sign {
        '*' => whole.push(Step::Fork(vec![0])),
        '+' => whole.push(Step::Fork(vec![start, length + 1])),
        _ => {}
    }
    whole
}

/// The deterministic automaton of a pattern, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pattern: Pattern,
    /// The sets of steps that are states.
    states: Vec<Vec<usize>>,
    known: FxHashMap<Vec<usize>, usize>,
}

impl Reader {
    /// The state in which nothing has been read.
    pub(super) const START: usize = 0;

    pub(super) fn new(pattern: Pattern) -> Self {
        let start = pattern.closed([0]);
        let known = FxHashMap::from_iter([(start.clone(), Self::START)]);
        Reader { pattern, states: vec![start], known }
    }

    /// The state after a component.
    pub(super) fn after(&mut self, state: usize, component: &str) -> usize {
        let reads = |step: &usize| match self.pattern.steps.get(*step) {
            Some(Step::Name(name)) => name == component,
            Some(Step::Any) => true,
            Some(Step::Fork(_)) | None => false,
        };
        let next: Vec<usize> = self.states[state].iter().copied().filter(reads).collect();
        let next = self.pattern.closed(next.into_iter().map(|step| step + 1));
        let count = self.states.len();
        match self.known.get(&next) {
            Some(&known) => known,
            None => {
                self.known.insert(next.clone(), count);
                self.states.push(next);
                count
            }
        }
    }

    /// Whether all of the pattern was read.
    pub(super) fn accepts(&self, state: usize) -> bool {
        self.states[state].contains(&self.pattern.steps.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(pattern: Pattern, word: &str) -> bool {
        let mut reader = Reader::new(pattern);
        let mut state = Reader::START;
        for name in word.split_whitespace() {
            state = reader.after(state, name);
        }
        reader.accepts(state)
    }

    /// A text, words that it matches, and others.
    type Case = (&'static str, Vec<&'static str>, Vec<&'static str>);

    fn expect(read: fn(&str) -> Result<Pattern, String>, cases: Vec<Case>, wrong: &[&str]) {
        for (text, yes, no) in cases {
            for (words, expected) in [(yes, true), (no, false)] {
                for word in words {
                    let pattern = read(text).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
                    assert_eq!(accepts(pattern, word), expected, "{text}: {word}");
                }
            }
        }
        for text in wrong {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn expressions_are_read_from_the_top() {
        // The words begin at the bottom.
        let cases = vec![
            ("a", vec!["a"], vec!["", "a a", "b"]),
            ("a|.*", vec!["a", "b a", "a b a"], vec!["", "a b"]),
            (".|.|x:1$|.*", vec!["x:1$ b a", "c x:1$ b a"], vec!["x:1$ a", "x:1$", ""]),
            ("a+b|c", vec!["a", "c b"], vec!["b", "c a", "a c"]),
            ("(a+b)|c*", vec!["a", "b", "c c a"], vec!["a c", "c"]),
            (" ( a | b )* ", vec!["", "b a", "b a b a"], vec!["a b", "a"]),
        ];
        let wrong = ["", "a b", "a|", "|a", "a+", "*", "(a", "a)", "()", "a||b", "a .*"];
        expect(Pattern::from_top, cases, &wrong);
    }

    #[test]
    fn patterns_match_whole_stacks() {
        let cases = vec![
            ("main", vec!["main"], vec!["", "main main", "f"]),
            ("main .*", vec!["main", "main f", "main main"], vec!["", "f main"]),
            ("main .* lock .*", vec!["main lock", "main f lock g h"], vec!["main", "lock main"]),
            ("a b | c", vec!["a b", "c"], vec!["a", "b", "a c", "a b c"]),
            ("a (b | c)* d", vec!["a d", "a b c b d"], vec!["a", "a b", "d"]),
            ("a+ b?", vec!["a", "a a", "a a b"], vec!["", "b", "a b b"]),
            ("a.b 'x y'? .", vec!["a.b c"], vec!["a.b", "a c"]),
            ("(a|b)+", vec!["a", "b a b"], vec!["", "c"]),
            ("a*", vec!["", "a", "a a a"], vec!["b", "a b"]),
        ];
        let wrong = ["", "(", "a)", "*", "a |", "| a", "(a", "()", "'a", "a (", "a - b"];
        expect(Pattern::parse, cases, &wrong);
        assert!(accepts(Pattern::containing("f"), "main f g"));
        assert!(accepts(Pattern::containing("f"), "f"));
        assert!(!accepts(Pattern::containing("f"), "main g"));
    }
}
