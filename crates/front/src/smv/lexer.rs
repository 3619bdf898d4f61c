//! Cuts an SMV text into tokens, one at a time, by the rules of NuSMV 2.6.
//!
//! A name begins with a letter or `_` and goes on with letters, digits and `_ $ # -`, so that
//! `x-1` is a name. One departure: in `p->q` the name ends before the arrow; NuSMV reads `p-` and
//! then complains that there is no such thing.

use crate::collector::Collector;
use crate::problem::Problem;
use tern_model::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name: what it names is found out later.
    Name,
    /// A number without a sign.
    Number(i64),
    /// A reserved word.
    Key(Key),
    /// A sign.
    Sign(Sign),
    /// Something that was reported.
    Bad,
    End,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

macro_rules! tokens {
    ($(#[$doc:meta])* $name:ident, $table:ident: $($variant:ident = $text:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // each is its own spelling
        pub(super) enum $name { $($variant),* }

        const $table: &[(&str, $name)] = &[$(($text, $name::$variant)),*];

        impl $name {
            /// As it is written.
            pub(super) fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

tokens! {
    /// The reserved words. `CALL` and `EXIT` are none: NuSMV knows nothing of them.
    Key, KEYS:
    Module = "MODULE", Process = "process", Define = "DEFINE", Mdefine = "MDEFINE", Var = "VAR",
    Fun = "FUN", FrozenVar = "FROZENVAR", Ivar = "IVAR", Init = "INIT", Trans = "TRANS",
    Invar = "INVAR", Spec = "SPEC", CtlSpec = "CTLSPEC", LtlSpec = "LTLSPEC", PslSpec = "PSLSPEC",
    Compute = "COMPUTE", InvarSpec = "INVARSPEC", Name = "NAME", Constraint = "CONSTRAINT",
    Itype = "ITYPE", Constants = "CONSTANTS", InContext = "IN", Fairness = "FAIRNESS",
    Justice = "JUSTICE", Compassion = "COMPASSION", Isa = "ISA", Assign = "ASSIGN",
    Array = "array", Bool = "bool", Of = "of", Boolean = "boolean", Word1 = "word1",
    Word = "word", WordToo = "Word", Signed = "signed", Unsigned = "unsigned", Extend = "extend",
    Uwconst = "uwconst", Swconst = "swconst", Resize = "resize", Sizeof = "sizeof",
    Toint = "toint", Count = "count", Read = "READ", Write = "WRITE", ConstArray = "CONSTARRAY",
    Typeof = "typeof",
    Ex = "EX", Ax = "AX", Ef = "EF", Af = "AF", Eg = "EG", Ag = "AG", E = "E", A = "A",
    F = "F", O = "O", G = "G", H = "H", X = "X", Y = "Y", Z = "Z", U = "U", S = "S", V = "V",
    T = "T", Bu = "BU", Ebf = "EBF", Abf = "ABF", Ebg = "EBG", Abg = "ABG",
    MinOf = "MIN", MaxOf = "MAX", False = "FALSE", True = "TRUE", Case = "case", Esac = "esac",
    Mod = "mod", Next = "next", SmallInit = "init", SelfWord = "self", Union = "union", In = "in",
    Abs = "abs", Min = "min", Max = "max", Xor = "xor", Xnor = "xnor",
}

tokens! {
    /// The signs. Of two that begin alike the longer stands first.
    Sign, SIGNS:
    Iff = "<->", RotateLeft = "<<<", RotateRight = ">>>", ShiftLeft = "<<", ShiftRight = ">>",
    AtMost = "<=", AtLeast = ">=", NotEqual = "!=", Implies = "->", Becomes = ":=",
    Concatenate = "::", Dots = "..", Open = "(", Close = ")", OpenBracket = "[",
    CloseBracket = "]", OpenBrace = "{", CloseBrace = "}", Plus = "+", Minus = "-", Times = "*",
    Divide = "/", Equal = "=", Less = "<", Greater = ">", Dot = ".", Or = "|", And = "&",
    Not = "!", Question = "?", Comma = ",", Colon = ":", Semicolon = ";",
}

impl Key {
    /// Whether it begins a part of a module.
    pub(super) fn begins_section(self) -> bool {
        use Key::*;
        matches!(
            self,
            Module
                | Define
                | Mdefine
                | Var
                | Fun
                | FrozenVar
                | Ivar
                | Init
                | Trans
                | Invar
                | Spec
                | CtlSpec
                | LtlSpec
                | PslSpec
                | Compute
                | InvarSpec
                | Constants
                | Fairness
                | Justice
                | Compassion
                | Isa
                | Assign
        )
    }
}

fn reserved(word: &str) -> Option<Key> {
    // Most names are no reserved words, and most of these can be told by their length.
    if word.len() > 10 {
        return None;
    }
    KEYS.iter().find(|(text, _)| *text == word).map(|&(_, key)| key)
}

/// Whether a text can be a name of a module's own.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len() && reserved(text).is_none()
}

/// The length of the name at the start of a text; 0 if there is none.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return 0;
    }
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$#-".contains(byte);
    let length = bytes.iter().position(|byte| !inside(byte)).unwrap_or(bytes.len());
    match bytes[length - 1] == b'-' && bytes.get(length) == Some(&b'>') {
        true => length - 1,
        false => length,
    }
}

/// Reads tokens from a place on.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    /// The place behind the last token.
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Lexer { text, at }
    }

    /// The next token. What is wrong with it is reported once.
    pub(super) fn next(&mut self, problems: &mut Collector) -> Token {
        self.skip_blanks(problems);
        let rest = &self.text[self.at..];
        let (kind, length) = self.token(rest, problems);
        let span = Span::new(self.at..self.at + length);
        self.at += length;
        Token { kind, span }
    }

    fn skip_blanks(&mut self, problems: &mut Collector) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches([' ', '\n', '\t', '\r', '\x0c']);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("/--") {
                match trimmed.find("--/") {
                    Some(end) => self.at += end + 3,
                    None => {
                        let span = Span::new(self.at..self.at + 3);
                        problems.add(|_| {
                            let message = "a comment is never closed";
                            let problem = Problem::error("S003", message).at(span, "opened here");
                            problem.hint("close it with `--/`")
                        });
                        self.at = self.text.len();
                    }
                }
            } else if trimmed.starts_with("--") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    fn token(&self, rest: &str, problems: &mut Collector) -> (Kind, usize) {
        let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
        let length = name_length(rest);
        if length > 0 {
            return (reserved(&rest[..length]).map_or(Kind::Name, Kind::Key), length);
        }
        if first.is_ascii_digit() {
            return self.number(rest, problems);
        }
        if let Some((text, sign)) = SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
            return (Kind::Sign(*sign), text.len());
        }
        let length = first.len_utf8();
        let span = Span::new(self.at..self.at + length);
        problems.add(|_| {
            let problem = Problem::error("S002", format!("`{first}` has no meaning here"));
            let problem = problem.at(span, "not part of the language");
            match first {
                '"' => problem.hint("names stand without quotes"),
                '~' => problem.hint("write `!` for not"),
                _ => problem,
            }
        });
        (Kind::Bad, length)
    }

    fn number(&self, rest: &str, problems: &mut Collector) -> (Kind, usize) {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let word = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let length = word.count();
        if length > digits {
            let span = Span::new(self.at..self.at + length);
            problems.add(|_| {
                let message = format!("`{}` is no number that is supported", &rest[..length]);
                let problem = Problem::error("S004", message).at(span, "not a whole number");
                problem.hint("constants of word types and of reals are not supported")
            });
            return (Kind::Bad, length);
        }
        match rest[..digits].parse::<i64>() {
            Ok(number) if number <= i64::from(i32::MAX) => (Kind::Number(number), digits),
            _ => {
                let span = Span::new(self.at..self.at + digits);
                problems.add(|_| {
                    let problem = Problem::error("S004", "this number is too large");
                    problem.at(span, format!("at most {}", i32::MAX))
                });
                (Kind::Bad, digits)
            }
        }
    }
}
