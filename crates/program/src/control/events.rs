//! What claims about code may say: `call("java.io.*.<init>")` and its like.
//!
//! ```text
//! enter(M) leave(M)    a procedure begins; it ends, by returning or by throwing
//! call(P)              a procedure is called; it is not entered: claims are about who calls it
//! read(F) write(F)     a field, or with `M:x` a local variable or parameter of a procedure
//! new(T) throw(T)      an object of a class is made; is thrown
//! line("A.java:12")    a line of a file
//! ```
//! In names `*` stands for any letters. A name without its package, or without its class, stands
//! for all that end in it: `Main.main` is `org.app.Main.main` as well. Types of parameters may
//! follow, to tell procedures of one name apart: `Main.run(int,java.lang.String)`.

use tern_front::words::Nearest;
use tern_model::quoted;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// A procedure begins.
    Enter,
    /// A procedure ends.
    Leave,
    /// A procedure is called.
    Call,
    /// A field or local is read.
    Read,
    /// A field or local is written.
    Write,
    /// An object is made.
    New,
    /// An object is thrown.
    Throw,
    /// A line is reached.
    Line,
}

/// The words for events.
pub const WORDS: [(&str, Subject); 8] = [
    ("enter", Subject::Enter),
    ("leave", Subject::Leave),
    ("call", Subject::Call),
    ("read", Subject::Read),
    ("write", Subject::Write),
    ("new", Subject::New),
    ("throw", Subject::Throw),
    ("line", Subject::Line),
];

/// Something that code does, as a claim names it.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is about.
    pub subject: Subject,
    /// Whose name must fit.
    pub pattern: Pattern,
}

/// Why a proposition is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEvent {
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Event {
    /// The event that a proposition names.
    ///
    /// # Errors
    /// That it names none.
    pub fn parse(text: &str) -> Result<Event, NoEvent> {
        let usual = || {
            "claims about programs speak of enter(M), leave(M), call(M), read(F), \
                        write(F), new(T), throw(T) and line(\"File.java:12\")"
                .to_owned()
        };
        let (word, argument) = match text.split_once('(') {
            Some((word, rest)) if rest.ends_with(')') => (word, &rest[..rest.len() - 1]),
            _ => {
                let message = format!("`{text}` is nothing that a program does");
                return Err(NoEvent { message, hint: usual() });
            }
        };
        let Some(&(_, subject)) = WORDS.iter().find(|(own, _)| *own == word) else {
            let near = Nearest::new().among(word, WORDS.iter().map(|(own, _)| *own));
            let hint =
                near.map_or_else(usual, |near| format!("did you mean `{near}({argument})`?"));
            return Err(NoEvent { message: format!("there is no event `{word}`"), hint });
        };
        let name = match argument.starts_with('"') {
            true => quoted::unquote(argument).into_owned(),
            false => argument.to_owned(),
        };
        if name.is_empty() || subject == Subject::Line && line_of(&name).is_none() {
            let message = format!("`{word}` needs a name");
            let hint = match subject {
                Subject::Line => "write a file and a line: line(\"Main.java:12\")".to_owned(),
                _ => format!("write `{word}(\"*\")` for all"),
            };
            return Err(NoEvent { message, hint });
        }
        Ok(Event { subject, pattern: Pattern::new(&name) })
    }
}

/// The file and the line that `Main.java:12` names.
pub(super) fn line_of(name: &str) -> Option<(&str, u32)> {
    let (file, line) = name.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// A name in which `*` stands for any letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// The pattern of a text.
    pub fn new(text: &str) -> Self {
        Pattern { text: text.chars().filter(|c| *c != ' ').collect() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether types of parameters belong to it.
    pub fn has_types(&self) -> bool {
        self.text.contains('(')
    }

    /// Whether a name fits: all of it, or all that stands behind one of its dots. A class inside
    /// another may be written as in Java: `Outer.Inner` for `Outer$Inner`, or `Inner`.
    pub fn fits(&self, name: &str) -> bool {
        let pattern = self.text.as_bytes();
        let begins = name.split('(').next().unwrap_or(name);
        let dots = begins.bytes().enumerate().filter(|(_, byte)| b"./$".contains(byte));
        glob(pattern, name.as_bytes())
            || !self.text.starts_with('*')
                && dots.into_iter().any(|(dot, _)| glob(pattern, &name.as_bytes()[dot + 1..]))
    }

    /// The last word of every name that fits, if that is always the same.
    pub fn last_word(&self) -> Option<&str> {
        let name = self.text.split('(').next()?;
        let word = name.rsplit(['.', '/', '$']).next()?;
        (!word.contains('*')).then_some(word)
    }
}

/// Whether a text fits a pattern, in time of their product at most. A dot also stands for `$`.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where the last star is, and what it is tried to end before.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&letter) if letter == text[t] || (letter, text[t]) == (b'.', b'$') => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, end)) => {
                    star = Some((at, end + 1));
                    p = at + 1;
                    t = end + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&letter| letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_as_a_whole_or_behind_a_dot() {
        for (pattern, name, fits) in [
            ("Main.main", "Main.main", true),
            ("Main.main", "org.app.Main.main", true),
            ("Main.main", "org.app.xMain.main", false),
            ("main", "org.app.Main.main", true),
            ("*.close", "a.B.close", true),
            ("*.close", "a.B.closes", false),
            ("java.io.*.<init>", "java.io.File.<init>", true),
            ("java.io.*.<init>", "java.net.URL.<init>", false),
            ("*", "anything.at.all", true),
            ("a*b*c", "axxbyybzzc", true),
            ("a*b*c", "axxbyybzz", false),
            ("run(int)", "Main.run(int)", true),
            ("run(*)", "Main.run(java.lang.String)", true),
            ("String)", "Main.run(java.lang.String)", false),
            ("Entry.getKey", "java.util.Map$Entry.getKey", true),
            ("Map.Entry.getKey", "java.util.Map$Entry.getKey", true),
            ("Map$Entry.getKey", "java.util.Map$Entry.getKey", true),
            ("Map.Entry.getKey", "java.util.MapEntry.getKey", false),
            ("Map$Entry", "java.util.Map.Entry", false),
            ("main", "Main.lambda$main$0", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
        assert_eq!(Pattern::new("a.*.lock").last_word(), Some("lock"));
        assert_eq!(Pattern::new("a.lock*").last_word(), None);
        assert_eq!(Pattern::new("Outer$Inner").last_word(), Some("Inner"));
    }

    #[test]
    fn what_is_no_event_says_what_is_one() {
        let event = Event::parse("call(\"*.close\")").expect("an event");
        assert_eq!((event.subject, event.pattern.text()), (Subject::Call, "*.close"));
        assert_eq!(Event::parse("read(Foo.x)").expect("an event").subject, Subject::Read);
        let wrong = Event::parse("cal(x)").unwrap_err();
        assert_eq!(wrong.hint, "did you mean `call(x)`?");
        assert!(Event::parse("p").is_err());
        assert!(Event::parse("line(Main.java)").is_err());
        assert!(Event::parse("line(\"Main.java:12\")").is_ok());
    }
}
