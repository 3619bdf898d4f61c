//! What is known of library procedures without looking at their code, because there is none: they
//! are native, or their class is missing.
//!
//! *Plain* procedures come back, throw nothing and call nothing of a program: clocks, boxes of
//! numbers, constructors of exceptions. The table is short on purpose. What is in it is true of
//! whatever arguments, `null` included, by the documentation of the library (but for an exception
//! that is suppressed by itself); who may be asked to print or compare an object of the program is
//! not in it. A virtual call may lead to a class that nobody has seen, so of these only procedures
//! that cannot be overridden are plain, and printing where no class of the program is printed to.
//!
//! Some native procedures *run* others: those that start threads.

use super::Lookup;
use tern_ir::{Dispatch, NameId, ProcId, Program, SelectorId, Type, TypeId};

/// Which arguments a row is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Numbers and truth values.
    Numbers,
    /// These and texts: nothing of the program can be reached from them.
    Values,
    /// Whatever arguments.
    Anything,
}

/// How a row may be called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// The target is the procedure itself: it is static, a constructor, native or cannot be
    /// overridden.
    Itself,
    /// A call through an object may lead elsewhere.
    Overridable,
}

/// Classes, with procedures of them. A `*` before or behind a name stands for any letters.
const PLAIN: &[(&str, &[&str], Of, How)] = {
    use How::*;
    use Of::*;
    &[
        ("java.lang.Object", &["<init>", "hashCode"], Values, Overridable),
        ("java.lang.Object", &["getClass"], Values, Itself),
        ("java.lang.Record", &["<init>"], Values, Overridable),
        ("java.lang.Enum", &["<init>"], Values, Overridable),
        ("java.lang.Enum", &["name", "ordinal"], Values, Itself),
        ("java.lang.Throwable", &["addSuppressed"], Anything, Itself),
        ("java.lang.String", STRING, Values, Itself),
        ("java.lang.String", &["equals"], Anything, Itself),
        ("java.lang.StringBuilder", BUILDER, Values, Itself),
        ("java.lang.StringBuffer", BUILDER, Values, Itself),
        ("java.lang.Boolean", BOX, Numbers, Itself),
        ("java.lang.Byte", BOX, Numbers, Itself),
        ("java.lang.Character", BOX, Numbers, Itself),
        ("java.lang.Short", BOX, Numbers, Itself),
        ("java.lang.Integer", BOX, Numbers, Itself),
        ("java.lang.Long", BOX, Numbers, Itself),
        ("java.lang.Float", BOX, Numbers, Itself),
        ("java.lang.Double", BOX, Numbers, Itself),
        ("java.lang.Math", MATH, Numbers, Itself),
        ("java.lang.StrictMath", MATH, Numbers, Itself),
        ("java.lang.System", &["currentTimeMillis", "nanoTime", "lineSeparator"], Values, Itself),
        ("java.lang.System", &["identityHashCode"], Anything, Itself),
        ("java.lang.Thread", &["currentThread", "yield", "onSpinWait"], Values, Itself),
        ("java.lang.Class", &["desiredAssertionStatus*"], Anything, Itself),
        ("java.lang.Class", &["isArray", "isInterface", "isPrimitive"], Values, Itself),
        ("java.lang.Runtime", &["*Memory", "availableProcessors"], Values, Itself),
        ("java.io.PrintStream", &["print", "println", "flush"], Values, Overridable),
        ("jdk.internal.misc.Unsafe", UNSAFE, Anything, Itself),
    ]
};

const STRING: &[&str] = &[
    "length",
    "isEmpty",
    "isBlank",
    "trim",
    "strip",
    "equalsIgnoreCase",
    "hashCode",
    "toString",
    "intern",
    "toCharArray",
    "valueOf",
];
const BUILDER: &[&str] = &["append", "toString", "length"];
const BOX: &[&str] = &[
    "valueOf",
    "*Value",
    "compare",
    "hashCode",
    "is*",
    "toUpperCase",
    "toLowerCase",
    "floatTo*",
    "doubleTo*",
    "*BitsToFloat",
    "*BitsToDouble",
];
const MATH: &[&str] = &[
    "abs", "min", "max", "sqrt", "cbrt", "pow", "exp", "log", "log10", "floor", "ceil", "rint",
    "round", "random", "signum", "hypot", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "expm1", "log1p",
];
/// Those that are native and touch memory only; others throw, make objects or run initialisers.
const UNSAFE: &[&str] = &["compareAnd*", "get*", "put*", "*Fence", "park", "unpark", "*Offset0"];

/// Native procedures that run others: the class and name of either, and what the first must take.
/// What is run is a procedure without parameters, found by the class of the object.
const RUNS: &[(&str, &str, &str, &str)] = &[
    ("java.lang.Thread", "start0", "java.lang.Thread", "run"),
    ("java.security.AccessController", "doPrivileged", "java.security.PrivilegedAction", "run"),
    (
        "java.security.AccessController",
        "doPrivileged",
        "java.security.PrivilegedExceptionAction",
        "run",
    ),
];

/// What is known of library procedures, as far as it depends on the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Whether some class says how the stack of an exception is noted.
    notes_stacks: bool,
    /// Whether some class with code is one that is printed to.
    is_printed_to: bool,
}

impl Known {
    pub(super) fn new(lookup: &Lookup<'_>) -> Self {
        let Lookup { program, hierarchy } = *lookup;
        let notes_stacks = program.procedures().iter().any(|(_, procedure)| {
            let is_own = procedure.class.is_none_or(|class| {
                program.text(program.classes()[class].name) != "java.lang.Throwable"
            });
            let name = program.selectors()[procedure.selector].name;
            is_own && program.text(name) == "fillInStackTrace"
        });
        let below = |name: &str| {
            let kind = program.find_name(name).and_then(|name| hierarchy.find(name));
            kind.map_or_else(Vec::new, |kind| hierarchy.below(kind))
        };
        let is_printed_to =
            below("java.io.OutputStream").iter().any(|&kind| hierarchy.class(kind).is_some());
        Known { notes_stacks, is_printed_to }
    }

    /// Whether what a call names comes back, throws nothing, and calls nothing of the program,
    /// where it leads to no code that is there.
    pub(super) fn is_plain(
        self,
        program: &Program,
        class: NameId,
        selector: SelectorId,
        dispatch: Dispatch,
    ) -> bool {
        let class = program.text(class);
        let selector = &program.selectors()[selector];
        let name = program.text(selector.name);
        let all = |of: Of| selector.parameters.iter().all(|&it| is(program, it, of));
        if name == "<init>" && is_throwable(class) {
            return !self.notes_stacks && takes_no_more(program, &selector.parameters);
        }
        if name == "fillInStackTrace" && class == "java.lang.Throwable" {
            return dispatch != Dispatch::Virtual && all(Of::Numbers);
        }
        let is_printing = class == "java.io.PrintStream";
        PLAIN.iter().any(|(of, names, arguments, how)| {
            let is_called_so = match how {
                How::Itself => true,
                How::Overridable if is_printing => !self.is_printed_to,
                How::Overridable => dispatch != Dispatch::Virtual,
            };
            *of == class
                && is_called_so
                && all(*arguments)
                && names.iter().any(|pattern| fits(pattern, name))
        })
    }

    /// The same, of a procedure without code that is known to be what is run.
    pub(super) fn is_plain_procedure(self, program: &Program, id: ProcId) -> bool {
        let procedure = &program.procedures()[id];
        procedure.body.is_none()
            && procedure.class.is_some_and(|class| {
                let class = program.classes()[class].name;
                self.is_plain(program, class, procedure.selector, Dispatch::Exact)
            })
    }
}

/// What a native procedure runs: a class, and a procedure of it that has no parameters.
pub(super) fn run_by(program: &Program, id: ProcId) -> Option<(NameId, SelectorId)> {
    let procedure = &program.procedures()[id];
    if procedure.body.is_some() {
        return None;
    }
    let class = program.text(program.classes()[procedure.class?].name);
    let selector = &program.selectors()[procedure.selector];
    let name = program.text(selector.name);
    let takes = |class: &str| {
        let first = selector.parameters.first().map(|&ty| program.types()[ty]);
        matches!(first, Some(Type::Reference(first)) if program.text(first) == class)
    };
    let is_run = |row: &&(&str, &str, &str, &str)| {
        (row.0, row.1) == (class, name) && (row.0 == row.2 || takes(row.2))
    };
    let row = RUNS.iter().find(is_run)?;
    let class = program.find_name(row.2)?;
    let found = program.classes().iter().find(|(_, it)| it.name == class)?.1;
    let selectors = found.procedures.iter().map(|&it| program.procedures()[it].selector);
    let mut runs = selectors.filter(|&it| {
        let selector = &program.selectors()[it];
        program.text(selector.name) == row.3 && selector.parameters.is_empty()
    });
    Some((class, runs.next()?))
}

/// Packages whose exceptions keep what they are given, note the stack, and do no more.
const PACKAGES: [&str; 5] =
    ["java.lang", "java.io", "java.util", "java.util.concurrent", "java.net"];

/// Whether a name is that of such an exception.
fn is_throwable(class: &str) -> bool {
    class.rsplit_once('.').is_some_and(|(package, name)| {
        let is_one = ["Throwable", "Exception", "Error"].iter().any(|end| name.ends_with(end));
        is_one && PACKAGES.contains(&package)
    })
}

/// Whether parameters are a text and the like, with a cause behind it perhaps: a cause alone is
/// asked for its text.
fn takes_no_more(program: &Program, parameters: &[TypeId]) -> bool {
    let is_value = |it: &TypeId| is(program, *it, Of::Values);
    match parameters {
        [message, cause] if is_value(message) => {
            let is_cause = matches!(program.types()[*cause],
                Type::Reference(class) if program.text(class) == "java.lang.Throwable");
            is_cause || is_value(cause)
        }
        _ => parameters.iter().all(is_value),
    }
}

fn is(program: &Program, ty: TypeId, of: Of) -> bool {
    match program.types()[ty] {
        Type::Integer { .. } | Type::Float { .. } | Type::Boolean => true,
        Type::Reference(class) if program.text(class) == "java.lang.String" => of != Of::Numbers,
        _ => of == Of::Anything,
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(start), _) => name.starts_with(start),
        (None, Some(end)) => name.ends_with(end),
        (None, None) => name == pattern,
    }
}
