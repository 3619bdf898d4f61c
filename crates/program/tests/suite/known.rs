//! Library procedures of which something is known although their code is not there.

use crate::reflection::{decide, eventful, may, program};
use tern_model::Formula;

const EVENT: &str = "enter(\"Main.e\")";

/// Whether code behind a call is surely reached: the call comes back, throws nothing and runs
/// nothing that could go on for ever.
fn comes_back(call: &str, others: &str) -> bool {
    let body = format!(
        "      v1 = new Own @ 1:0\n      {call} @ 1:1\n      call static Main::e() : void () @ 1:2"
    );
    let text = program("    var v0 : unknown\n    var v1 : unknown", &body, others);
    decide(&text, EVENT, |formulas, atom| {
        let path = formulas.make(Formula::Finally(atom));
        formulas.make(Formula::All(path))
    })
}

/// A class of the program that missing code may call back.
fn own(above: &str, methods: &str) -> String {
    format!("class Own extends {above} public {{\n{methods}}}\n")
}

/// A method of it that returns.
fn method(name: &str) -> String {
    let value = match name.rsplit_once(' ').expect("a type of the result").1 {
        "void" => "",
        "i32" => " 0",
        _ => " null",
    };
    format!(
        "  procedure {name} public {{\n    param v0 : unknown\n    b0 {{ return{value} @ 3:0 }}\n  }}\n"
    )
}

#[test]
fn what_is_plain_comes_back() {
    let others = own("java.lang.Object", "");
    let plain = [
        "v0 = call static java.lang.System::nanoTime() : i64 ()",
        "v0 = call static java.lang.Integer::valueOf(i32) : java.lang.Integer (3)",
        "v0 = call virtual java.lang.String::equals(java.lang.Object) : bool (v0, v1)",
        "v0 = call virtual java.lang.Object::getClass() : java.lang.Class (v1)",
        "v0 = call virtual Own::getClass() : java.lang.Class (v1)",
        "call exact java.lang.Object::<init>() : void (v1)",
        "call exact java.lang.IllegalStateException::<init>(java.lang.String) : void (v0, null)",
        "call exact java.io.IOException::<init>(java.lang.String, java.lang.Throwable) : void \
         (v0, null, v1)",
        "call virtual java.io.PrintStream::println(java.lang.String) : void (v0, null)",
        "call virtual java.lang.Throwable::addSuppressed(java.lang.Throwable) : void (v0, v1)",
    ];
    for call in plain {
        assert!(comes_back(call, &others), "{call}");
    }
}

#[test]
fn what_may_throw_or_call_back_is_not_plain() {
    let others = own("java.lang.Object", &method("toString() : java.lang.String"));
    let stubs = [
        // It throws if the text is no number.
        "v0 = call static java.lang.Integer::valueOf(java.lang.String) : java.lang.Integer (null)",
        // These ask objects for their text, or compare them.
        "call exact java.lang.RuntimeException::<init>(java.lang.Throwable) : void (v0, v1)",
        "call virtual java.io.PrintStream::println(java.lang.Object) : void (v0, v1)",
        "v0 = call virtual java.lang.StringBuilder::append(java.lang.Object) : \
         java.lang.StringBuilder (v0, v1)",
        // A class that nobody has seen may say how.
        "v0 = call virtual java.lang.Object::hashCode() : i32 (v0)",
        // Others may keep a log of what is made.
        "call exact java.sql.SQLException::<init>(java.lang.String) : void (v0, null)",
        "call exact com.example.SomeException::<init>(java.lang.String) : void (v0, null)",
        "v0 = call static java.lang.System::getProperty(java.lang.String) : java.lang.String (null)",
    ];
    for call in stubs {
        assert!(!comes_back(call, &others), "{call}");
    }
}

#[test]
fn classes_of_the_program_take_part() {
    let made = "call exact java.lang.Exception::<init>(java.lang.String) : void (v0, null)";
    let noting = |name: &str| own("java.lang.Exception", &method(name));
    assert!(comes_back(made, &noting("getMessage() : java.lang.String")));
    assert!(!comes_back(made, &noting("fillInStackTrace() : java.lang.Throwable")));
    let printed = "call virtual java.io.PrintStream::println(java.lang.String) : void (v0, null)";
    assert!(comes_back(printed, &own("java.io.InputStream", &method("read() : i32"))));
    assert!(!comes_back(printed, &own("java.io.OutputStream", &method("flush() : void"))));
}

#[test]
fn native_procedures_that_are_plain_come_back() {
    let throwable = |name: &str| {
        let own = own("java.lang.Object", &method("toString() : java.lang.String"));
        let native = format!("  extern procedure {name}(i32) : java.lang.Throwable private\n");
        format!("class java.lang.Throwable extends java.lang.Object public {{\n{native}}}\n{own}")
    };
    let call = |name: &str| {
        format!("v0 = call exact java.lang.Throwable::{name}(i32) : java.lang.Throwable (v0, 1)")
    };
    assert!(comes_back(&call("fillInStackTrace"), &throwable("fillInStackTrace")));
    assert!(!comes_back(&call("other"), &throwable("other")));
}

#[test]
fn a_thread_that_is_started_runs() {
    let class = |native: &str| {
        let run = eventful("", "run() : void public");
        let run = run.replacen("{\n", "{\n    param v0 : unknown\n", 1);
        format!(
            "class java.lang.Thread extends java.lang.Object public {{\n  extern procedure \
             {native}() : void private\n  procedure run() : void public {{\n    param v0 : unknown\n    \
             b0 {{ return @ 1:0 }}\n  }}\n}}\nclass Own extends java.lang.Thread public {{\n{run}}}\n"
        )
    };
    let started = |native: &str| {
        let body = format!(
            "      v1 = new Own @ 1:0\n      call exact java.lang.Thread::{native}() : void (v1) @ 1:1"
        );
        let text = program("    var v0 : unknown\n    var v1 : unknown", &body, &class(native));
        may(&text, EVENT)
    };
    assert!(started("start0"));
    assert!(!started("stop0"));
}
