//! Macros of C: words that stand for other words, with parameters or without.
//!
//! A word is replaced where it is used, by what its macro says there; what comes out is looked at
//! again, but a macro is not replaced in what it has made itself; arguments are not made by it.
//! `#` and `##` are not treated.
//!
//! # Source
//! ISO/IEC 9899:2018, 6.10.3.

use super::Fault;
use super::lexer::{Lexeme, Token};
use std::collections::HashMap;
use std::rc::Rc;
use tern_model::Span;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// The names of its parameters; `None` if it is used without parentheses.
    pub(super) parameters: Option<Vec<String>>,
    pub(super) words: Vec<Token>,
}

/// What a directive says of a name.
#[derive(Clone, Debug)]
pub(super) enum Directive {
    Define(String, Macro),
    Undefine(String),
}

/// The most words that macros may make.
const MOST_WORDS: usize = 2_000_000;

/// How deep macros may stand in each other.
const DEPTH: usize = 200;

/// The macros that a word comes from, innermost first.
type Origin = Option<Rc<From>>;

struct From {
    name: String,
    outer: Origin,
    depth: usize,
}

fn comes_from(origin: &Origin, name: &str) -> bool {
    let mut at = origin;
    while let Some(from) = at {
        if from.name == name {
            return true;
        }
        at = &from.outer;
    }
    false
}

/// A word with the macros that it comes from.
#[derive(Clone)]
struct Item {
    lexeme: Lexeme,
    origin: Origin,
}

struct Expander<'a> {
    input: std::vec::IntoIter<Lexeme>,
    directives: std::iter::Peekable<std::vec::IntoIter<(usize, Directive)>>,
    /// How many words of the input were taken.
    taken: usize,
    /// What comes before the rest of the input, last first.
    pending: Vec<Item>,
    macros: HashMap<String, Rc<Macro>>,
    made: usize,
    faults: &'a mut Vec<Fault>,
}

/// Replaces macros in a list of words. Each directive has the number of words before it.
pub(super) fn expand(
    words: Vec<Lexeme>,
    directives: Vec<(usize, Directive)>,
    faults: &mut Vec<Fault>,
) -> Vec<Lexeme> {
    let mut expander = Expander {
        input: words.into_iter(),
        directives: directives.into_iter().peekable(),
        taken: 0,
        pending: Vec::new(),
        macros: HashMap::new(),
        made: 0,
        faults,
    };
    let mut done = Vec::new();
    while let Some(item) = expander.next() {
        done.extend(expander.replaced(item));
    }
    done
}

impl Expander<'_> {
    fn next(&mut self) -> Option<Item> {
        if let Some(item) = self.pending.pop() {
            return Some(item);
        }
        while let Some((_, directive)) = self.directives.next_if(|(at, _)| *at <= self.taken) {
            match directive {
                Directive::Define(name, made) => {
                    self.macros.insert(name, Rc::new(made));
                }
                Directive::Undefine(name) => {
                    self.macros.remove(&name);
                }
            }
        }
        let lexeme = self.input.next()?;
        self.taken += 1;
        Some(Item { lexeme, origin: None })
    }

    fn fault(&mut self, span: Span, message: String, hint: &str) {
        self.faults.push(Fault::new("C101", span, message, hint));
        // What follows from it is no further mistake.
        self.pending.clear();
        self.input = Vec::new().into_iter();
    }

    /// The word itself, unless it is a macro: then what that stands for comes next.
    fn replaced(&mut self, item: Item) -> Option<Lexeme> {
        let Token::Word(name) = &item.lexeme.token else { return Some(item.lexeme) };
        let Some(found) = self.macros.get(name).cloned() else { return Some(item.lexeme) };
        if comes_from(&item.origin, name) {
            return Some(item.lexeme);
        }
        let (name, span) = (name.clone(), item.lexeme.span);
        let depth = item.origin.as_ref().map_or(0, |from| from.depth) + 1;
        if depth > DEPTH {
            let message = format!("the macro `{name}` is nested too deeply");
            self.fault(span, message, "write it in smaller pieces");
            return None;
        }
        let arguments = match &found.parameters {
            None => Vec::new(),
            Some(parameters) => {
                // Without parentheses it is an ordinary word.
                match self.next() {
                    Some(next) if next.lexeme.token == Token::Sign("(") => {}
                    other => {
                        self.pending.extend(other);
                        return Some(item.lexeme);
                    }
                }
                self.arguments(&name, span, parameters.len())?
            }
        };
        let origin = Some(Rc::new(From { name, outer: item.origin.clone(), depth }));
        for token in found.words.iter().rev() {
            let parameter = found.parameters.as_ref().and_then(|all| {
                all.iter().position(|it| matches!(token, Token::Word(word) if word == it))
            });
            match parameter {
                None => {
                    let lexeme = Lexeme { token: token.clone(), span };
                    self.push(Item { lexeme, origin: origin.clone() });
                }
                Some(number) => {
                    for item in arguments[number].iter().rev() {
                        self.push(item.clone());
                    }
                }
            }
        }
        None
    }

    fn push(&mut self, item: Item) {
        self.made += 1;
        if self.made == MOST_WORDS {
            let message = "the macros here make too many words".to_owned();
            self.fault(item.lexeme.span, message, "write them in smaller pieces");
        }
        if self.made < MOST_WORDS {
            self.pending.push(item);
        }
    }

    /// The arguments of a macro, behind its parenthesis.
    fn arguments(&mut self, name: &str, span: Span, wanted: usize) -> Option<Vec<Vec<Item>>> {
        let mut found: Vec<Vec<Item>> = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            let Some(mut item) = self.next() else {
                let message = format!("the arguments of the macro `{name}` do not end");
                self.fault(span, message, "write `)` behind them");
                return None;
            };
            match item.lexeme.token {
                Token::Sign(")") if depth == 0 => break,
                Token::Sign(",") if depth == 0 => {
                    found.push(Vec::new());
                    continue;
                }
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => depth -= 1,
                _ => {}
            }
            item.lexeme.span = span;
            if let Some(last) = found.last_mut() {
                last.push(item);
            }
        }
        if wanted == 0 && found[0].is_empty() {
            found.pop();
        }
        if found.len() != wanted {
            let given = found.len();
            let message =
                format!("the macro `{name}` has {wanted} parameters, and is given {given}");
            self.fault(span, message, "give one argument for each");
            return None;
        }
        Some(found)
    }
}
