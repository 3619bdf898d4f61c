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
        let mut parts: Vec<Part> = Vec::new();
        let mut operators: Vec<Operator> = Vec::new();
        // Whether an operand has just ended, so that another one follows it.
        let mut ended = false;
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            let begins = !matches!(c, ')' | '|' | '*' | '+' | '?');
            if begins && ended {
                reduce(&mut parts, &mut operators, Operator::Then);
                operators.push(Operator::Then);
            }
            match c {
                '(' => operators.push(Operator::Open),
                ')' => {
                    if !ended {
                        return Err("something is missing before `)`".to_owned());
                    }
                    reduce(&mut parts, &mut operators, Operator::Or);
                    if operators.pop() != Some(Operator::Open) {
                        return Err("`)` closes nothing".to_owned());
                    }
                }
                '|' => {
                    if !ended {
                        return Err("something is missing before `|`".to_owned());
                    }
                    reduce(&mut parts, &mut operators, Operator::Or);
                    operators.push(Operator::Or);
                }
                '*' | '+' | '?' => match parts.pop().filter(|_| ended) {
                    Some(part) => parts.push(repeated(part, c)),
                    None => return Err(format!("`{c}` has nothing before it")),
                },
                '.' => parts.push(vec![Step::Any]),
                '\'' => {
                    let Some(end) = rest[1..].find('\'') else {
                        return Err("the quote is not closed".to_owned());
                    };
                    parts.push(vec![Step::Name(rest[1..=end].to_owned())]);
                    length = end + 2;
                }
                _ => {
                    length = name_length(rest);
                    if length == 0 {
                        return Err(format!("unexpected `{c}`; put the name in single quotes"));
                    }
                    parts.push(vec![Step::Name(rest[..length].to_owned())]);
                }
            }
            ended = !matches!(c, '(' | '|');
            rest = rest[length..].trim_start();
        }
        if !ended {
            return Err("the pattern ends too early".to_owned());
        }
        reduce(&mut parts, &mut operators, Operator::Or);
        match (operators.is_empty(), parts.pop()) {
            (true, Some(steps)) => Ok(Pattern { steps }),
            _ => Err("`(` is never closed".to_owned()),
        }
    }

    /// Reads a regular expression over stack symbols from the top of the stack, as PuMoC writes
    /// them: `a|b` is one after the other, `a+b` one of them, `a*` any number of times, `.` any
    /// symbol. The pattern reads from the bottom.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn from_top(text: &str) -> Result<Self, String> {
        let mut parts: Vec<Part> = Vec::new();
        let mut operators: Vec<Operator> = Vec::new();
        let mut ended = false;
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            let begins = !matches!(c, ')' | '|' | '*' | '+');
            match (begins, ended) {
                (true, true) => return Err(format!("`|` or `+` is missing before `{c}`")),
                (false, false) => return Err(format!("something is missing before `{c}`")),
                _ => {}
            }
            match c {
                '(' => operators.push(Operator::Open),
                ')' => {
                    reduce(&mut parts, &mut operators, Operator::Or);
                    if operators.pop() != Some(Operator::Open) {
                        return Err("`)` closes nothing".to_owned());
                    }
                }
                '|' => {
                    reduce(&mut parts, &mut operators, Operator::Before);
                    operators.push(Operator::Before);
                }
                '+' => {
                    reduce(&mut parts, &mut operators, Operator::Or);
                    operators.push(Operator::Or);
                }
                '*' => {
                    if let Some(part) = parts.pop() {
                        parts.push(repeated(part, '*'));
                    }
                }
                '.' => parts.push(vec![Step::Any]),
                _ => {
                    let ends = |c: char| c.is_whitespace() || "()|*+.".contains(c);
                    length = rest.find(ends).unwrap_or(rest.len());
                    parts.push(vec![Step::Name(rest[..length].to_owned())]);
                }
            }
            ended = !matches!(c, '(' | '|' | '+');
            rest = rest[length..].trim_start();
        }
        if !ended {
            return Err("the expression ends too early".to_owned());
        }
        reduce(&mut parts, &mut operators, Operator::Or);
        match (operators.is_empty(), parts.pop()) {
            (true, Some(steps)) => Ok(Pattern { steps }),
            _ => Err("`(` is never closed".to_owned()),
        }
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

/// The length of a bare name. It does not end in a dot.
fn name_length(text: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | ':' | '.');
    let length = text.find(|c: char| !inside(c)).unwrap_or(text.len());
    text[..length].trim_end_matches('.').len()
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

    #[test]
    fn expressions_are_read_from_the_top() {
        // The words begin at the bottom.
        for (text, yes, no) in [
            ("a", vec!["a"], vec!["", "a a", "b"]),
            ("a|.*", vec!["a", "b a", "a b a"], vec!["", "a b"]),
            (".|.|x:1$|.*", vec!["x:1$ b a", "c x:1$ b a"], vec!["x:1$ a", "x:1$", ""]),
            ("a+b|c", vec!["a", "c b"], vec!["b", "c a", "a c"]),
            ("(a+b)|c*", vec!["a", "b", "c c a"], vec!["a c", "c"]),
            (" ( a | b )* ", vec!["", "b a", "b a b a"], vec!["a b", "a"]),
        ] {
            let read = || Pattern::from_top(text).unwrap_or_else(|it| panic!("{text}: {it}"));
            for word in yes {
                assert!(accepts(read(), word), "{text}: {word}");
            }
            for word in no {
                assert!(!accepts(read(), word), "{text}: {word}");
            }
        }
        for wrong in ["", "a b", "a|", "|a", "a+", "*", "(a", "a)", "()", "a||b", "a .*"] {
            assert!(Pattern::from_top(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns_match_whole_stacks() {
        for (pattern, yes, no) in [
            ("main", vec!["main"], vec!["", "main main", "f"]),
            ("main .*", vec!["main", "main f", "main main"], vec!["", "f main"]),
            ("main .* lock .*", vec!["main lock", "main f lock g h"], vec!["main", "lock main"]),
            ("a b | c", vec!["a b", "c"], vec!["a", "b", "a c", "a b c"]),
            ("a (b | c)* d", vec!["a d", "a b c b d"], vec!["a", "a b", "d"]),
            ("a+ b?", vec!["a", "a a", "a a b"], vec!["", "b", "a b b"]),
            ("a.b 'x y'? .", vec!["a.b c"], vec!["a.b", "a c"]),
            ("(a|b)+", vec!["a", "b a b"], vec!["", "c"]),
            ("a*", vec!["", "a", "a a a"], vec!["b", "a b"]),
        ] {
            let read =
                || Pattern::parse(pattern).unwrap_or_else(|wrong| panic!("{pattern}: {wrong}"));
            for word in yes {
                assert!(accepts(read(), word), "{pattern}: {word}");
            }
            for word in no {
                assert!(!accepts(read(), word), "{pattern}: {word}");
            }
        }
        for wrong in ["", "(", "a)", "*", "a |", "| a", "(a", "()", "'a", "a (", "a - b"] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
        assert!(accepts(Pattern::containing("f"), "main f g"));
        assert!(accepts(Pattern::containing("f"), "f"));
        assert!(!accepts(Pattern::containing("f"), "main g"));
    }
}
