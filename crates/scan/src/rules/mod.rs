//! Rules: what must not happen in a program, to an object, to a variable, in a procedure.
//!
//! A rule is a text of its own (`*.rules`), and that text is its documentation:
//!
//! ```text
//! // Why it matters, in comments before the rule.
//! rule unreleased-lock {
//!   severity error; cwe 667, 772;
//!   object l: java.util.concurrent.locks.Lock;
//!   event take = l.lock() | l.tryLock(..) == true;
//!   event give = l.unlock();
//!   forget l.isHeldByCurrentThread();
//!   claim take -> give before lost(l);
//!   report "{object} is locked here and may still be locked {where}";
//!   bad  { void f(java.util.concurrent.locks.Lock l) { l.lock(); } }
//!   good { void f(java.util.concurrent.locks.Lock l) { l.lock(); l.unlock(); } }
//! }
//! ```
//!
//! A claim about events of an object becomes a small deterministic [`Automaton`]; the state that
//! each object is in is one of the facts that an exploration tracks. A claim may be any formula of
//! CTL* or LTL over events ([`Claim::Formula`]). Claims that speak of variables, branches, loops or
//! several objects are [`BuiltIn`].

mod automaton;
mod claims;
mod lexer;
mod library;
mod parse;

pub use automaton::{Automaton, ERROR, FORGOTTEN};
pub use library::{library, text};
pub use parse::{CODES, read};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It breaks the program.
    Error,
    /// It may break the program.
    Warning,
    /// It should be known.
    Note,
}

impl Severity {
    /// Its name in rules and reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Java code that breaks a rule, or does not: the members of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The code.
    pub text: String,
    /// Whether it breaks the rule.
    pub is_bad: bool,
    /// The line of the file where it begins.
    pub line: u32,
}

/// What an event does to the object that the rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// `x.m(..)`: it is the receiver.
    Receiver,
    /// `x = new T(..)`: it is made.
    Made,
    /// `x = C.m(..)`: it is the result.
    Result,
    /// `ignored C.m(..)`: the result of a call is not looked at.
    Ignored,
    /// `deref(null)`: nothing is used where an object must be.
    NullUse,
    /// `deref(unchecked)`: the same, with a result that may be nothing and was not tested.
    UncheckedUse,
}

/// A value that a pattern names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number; `false` and `true` are 0 and 1.
    Integer(i64),
    /// A text.
    Text(String),
    /// `null`
    Null,
}

/// What a pattern says of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// `_`: nothing.
    Any,
    /// The type of the parameter, by the end of its name.
    Type(String),
    /// Its value.
    Is(Literal),
}

/// Statements that are an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What happens to the object.
    pub what: What,
    /// The class that is named; that of the object if missing. `*` stands for any letters.
    pub class: Option<String>,
    /// The method. `*` stands for any letters.
    pub method: String,
    /// Types or values of the arguments, if the pattern gives them.
    pub parameters: Option<Vec<Given>>,
    /// The result that it must have.
    pub result: Option<bool>,
}

/// An event with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// One of these happens.
    pub patterns: Vec<Pattern>,
    /// But none of the events with these numbers.
    pub except: Vec<usize>,
}

/// Claims about more than the events of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltIn {
    /// What is written to a variable is read later, on some path.
    UnusedDefinition,
    /// A test can go both ways.
    DecidedBranch,
    /// A reference is tested before it is used, not after.
    CheckAfterUse,
    /// A loop can end.
    EndlessLoop,
    /// A procedure that calls itself can come back.
    EndlessRecursion,
    /// Locks are always taken in the same order.
    LockOrder,
    /// `wait()` stands in a loop.
    WaitOutsideLoop,
}

/// The built-in claims by their names.
pub const BUILT_IN: [(&str, BuiltIn); 7] = [
    ("unused-definition", BuiltIn::UnusedDefinition),
    ("decided-branch", BuiltIn::DecidedBranch),
    ("check-after-use", BuiltIn::CheckAfterUse),
    ("endless-loop", BuiltIn::EndlessLoop),
    ("endless-recursion", BuiltIn::EndlessRecursion),
    ("lock-order", BuiltIn::LockOrder),
    ("wait-outside-loop", BuiltIn::WaitOutsideLoop),
];

/// What a rule says; events are numbered as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// `take -> give before lost(x)`: each `take` has a `give` before nobody can give any more.
    Released {
        /// What must be undone.
        take: usize,
        /// What undoes it.
        give: usize,
    },
    /// `never bad after first until end`
    NeverAfter {
        /// What must not happen.
        bad: usize,
        /// Once this has happened.
        first: usize,
        /// Until this happens.
        until: Option<usize>,
    },
    /// `then only after first`: each `then` has a `first` of its own before it.
    OnlyAfter {
        /// What needs the other.
        then: usize,
        /// What must come before it.
        first: usize,
    },
    /// `never bad`
    Never(usize),
    /// `order r`: events happen in an order of a regular expression, to its end.
    Order(Regular),
    /// Any formula of CTL* or LTL over the events, `enter`, `leave` and `throw`.
    Formula(String),
    /// `built-in name`
    BuiltIn(BuiltIn),
}

/// A regular expression over events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regular {
    /// One event.
    Event(usize),
    /// One after the other.
    Sequence(Vec<Regular>),
    /// One of them.
    Choice(Vec<Regular>),
    /// Any number of times, from so many on; only once at most if bounded.
    Repeat(Box<Regular>, bool, bool),
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The comment before it.
    pub documentation: String,
    /// How bad it is to break it.
    pub severity: Severity,
    /// Numbers of the Common Weakness Enumeration.
    pub cwe: Vec<u32>,
    /// Whether it is only looked at when asked for.
    pub is_optional: bool,
    /// Whether callees are not told of what callers did.
    pub is_local: bool,
    /// The classes in which it is looked at, with those below them; all if there are none.
    pub within: Vec<String>,
    /// Rules that say more: nothing is reported in a line in which one of them reports something.
    pub unless: Vec<String>,
    /// Whether it is looked at only in methods that do both: what must be undone, and what undoes
    /// it.
    pub is_together: bool,
    /// Methods that call one of these, by name, are not looked at.
    pub without: Vec<String>,
    /// Names of methods: it is not looked at in them.
    pub outside: Vec<String>,
    /// The name of the object it is about, and the classes of such objects.
    pub object: Option<(String, Vec<String>)>,
    /// Classes of objects that it is not about.
    pub except: Vec<String>,
    /// Its events.
    pub events: Vec<Event>,
    /// Calls after which nothing is known of the object.
    pub forget: Vec<Pattern>,
    /// What it says.
    pub claim: Claim,
    /// What a finding says; `{object}`, `{method}`, `{where}` and `{line}` are filled in.
    pub report: String,
    /// Its tests.
    pub snippets: Vec<Snippet>,
    /// The file that it was read from.
    pub file: String,
}

impl Rule {
    /// Whether what it is about must be given back by `close()`.
    pub fn closes(&self) -> bool {
        match self.claim {
            Claim::Released { give, .. } => {
                self.events[give].patterns.iter().any(|it| it.method == "close")
            }
            _ => false,
        }
    }

    /// Whether it is about whatever has methods of some names, and says nothing of what they do.
    pub fn is_about_names(&self) -> bool {
        self.object.as_ref().is_some_and(|(_, names)| names.iter().any(|it| it == "*"))
    }

    /// The automaton of a claim about the events of one object.
    pub fn automaton(&self) -> Option<Automaton> {
        Automaton::of(&self.claim, self.events.len())
    }
}
