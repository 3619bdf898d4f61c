//! Methods that throw unless what they are told is so: assertions of tests, checks of arguments.
//!
//! Libraries of these are seldom scanned together with who calls them, so they are known by their
//! names. Who inherits them calls them by its own class: `class ATest extends TestCase`.

/// What a call demands, or it does not come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asserted {
    /// The argument at this position is an object.
    Object(usize),
    /// It is null.
    Null(usize),
    /// It is true.
    True(usize),
    /// It is false.
    False(usize),
    /// Nothing that could be: it never comes back.
    Never,
}

/// A method that is called without an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called<'a> {
    /// The class that the call names.
    pub(super) class: &'a str,
    /// The name of the method.
    pub(super) method: &'a str,
    /// The types of its parameters, as Java writes them.
    pub(super) types: &'a [String],
    /// The type of its result.
    pub(super) result: &'a str,
    /// Whether its code is not there.
    pub(super) is_missing: bool,
}

/// What a method demands, if that is known.
pub(super) fn asserted(called: Called) -> Option<Asserted> {
    let Called { class, method, types, result, is_missing } = called;
    let position = |wanted: &str| types.iter().position(|it| it == wanted);
    // The object that is looked at, beside a message.
    let object = || position("java.lang.Object").or(Some(0)).filter(|&it| it < types.len());
    let simple = class.rsplit('.').next().unwrap_or(class);
    let is_checker = ["Assert", "Assertions", "Asserts", "Preconditions", "Validate", "Verify"]
        .contains(&simple);
    let by = |make: fn(usize) -> Asserted, position: Option<usize>| position.map(make);
    if !is_missing {
        // What the code of these does is not followed: it is told by words.
        return match (class, method) {
            ("java.util.Objects", "requireNonNull")
            | ("com.google.common.base.Preconditions", "checkNotNull")
            | ("org.springframework.util.Assert", "notNull")
            | ("org.apache.commons.lang3.Validate", "notNull") => by(Asserted::Object, object()),
            _ => None,
        };
    }
    // A predicate has a truth as its answer.
    let is_predicate = result == "boolean" && !is_checker;
    match method {
        _ if is_predicate => None,
        "checkNotNull" | "requireNonNull" | "checkNonNull" | "requireNotNull" | "ensureNotNull"
        | "assertNotNull" | "assertNonNull" => by(Asserted::Object, object()),
        "isNotNull" | "notNull" if is_checker => by(Asserted::Object, object()),
        _ if is_null_check_of_compiler(method) => by(Asserted::Object, object()),
        "assertNull" => by(Asserted::Null, object()),
        "isNull" if is_checker => by(Asserted::Null, object()),
        "assertTrue" => by(Asserted::True, position("boolean")),
        "assertFalse" => by(Asserted::False, position("boolean")),
        "isTrue" | "checkArgument" | "checkState" | "state" | "verify" if is_checker => {
            by(Asserted::True, position("boolean"))
        }
        "isFalse" if is_checker => by(Asserted::False, position("boolean")),
        "fail" if result == "void" || result == "java.lang.Object" => Some(Asserted::Never),
        _ if method.starts_with("throw") && result == "void" => {
            // `throwOnFailure(result)` looks at what it is given.
            types.iter().all(|it| it == "java.lang.String").then_some(Asserted::Never)
        }
        _ => None,
    }
}

/// Whether a method is one with which compilers make sure of objects:
/// `checkNotNullExpressionValue`, `checkParameterIsNotNull`.
fn is_null_check_of_compiler(method: &str) -> bool {
    method.starts_with("check") && (method.contains("NotNull") || method.contains("NonNull"))
}

#[cfg(test)]
mod tests {
    use super::{Asserted, Called, asserted};

    fn of(class: &str, method: &str, types: &[&str], is_missing: bool) -> Option<Asserted> {
        let types: Vec<String> = types.iter().map(|it| (*it).to_owned()).collect();
        asserted(Called { class, method, types: &types, result: "void", is_missing })
    }

    /// What is not there is known by its name; what is there, by its code.
    #[test]
    fn assertions_have_names() {
        let (object, text) = ("java.lang.Object", "java.lang.String");
        let first = Some(Asserted::Object(0));
        assert_eq!(of("java.util.Objects", "requireNonNull", &[object], false), first);
        assert_eq!(of("io.netty.util.ObjectUtil", "checkNotNull", &[object], true), first);
        assert_eq!(of("app.Checks", "checkNotNull", &[object], false), None);
        assert_eq!(of("app.Checks", "check", &["boolean"], true), None);
        assert_eq!(
            of("app.ATest", "assertTrue", &[text, "boolean"], true),
            Some(Asserted::True(1))
        );
        assert_eq!(
            of("app.ATest", "assertNotNull", &[text, object], true),
            Some(Asserted::Object(1))
        );
        assert_eq!(
            of("org.junit.jupiter.api.Assertions", "assertNotNull", &[object, text], true),
            first
        );
        assert_eq!(of("app.ATest", "fail", &[], true), Some(Asserted::Never));
        assert_eq!(of("app.ATest", "fail", &[], false), None);
        assert_eq!(of("kotlin.ResultKt", "throwOnFailure", &[object], true), None);
        assert_eq!(
            of("kotlin.jvm.internal.Intrinsics", "throwNpe", &[], true),
            Some(Asserted::Never)
        );
        assert_eq!(of("app.Log", "verify", &["boolean"], true), None);
    }
}
