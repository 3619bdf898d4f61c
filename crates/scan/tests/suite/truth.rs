//! What is certain, what is possible, and what is not reported.

use crate::{briefly, scanned, scanned_as};
use tern_scan::How;

fn check(members: &str, expected: &[&str]) {
    let Some((found, rules, _)) = scanned(members) else { return };
    assert_eq!(briefly(&found, &rules), expected, "{members}");
}

#[test]
fn null_on_every_path_is_certain_and_on_some_path_possible() {
    check("int f() { String s = null;\n return s.length(); }", &["null-dereference:3 certain"]);
    check(
        "int f(boolean b) { String s = b ? \"a\" : null;\n return s.length(); }",
        // Whoever comes by the branch with `null` goes wrong.
        &["null-dereference:3 certain"],
    );
    // Whoever calls g(null) goes wrong; g alone does not.
    check(
        "int g(String s) {\n return s.length(); }\nint f() { return g(null); }",
        &["null-dereference:3 certain"],
    );
    // No statement is on the bad paths only.
    check(
        "int f(boolean b) { String s = null; if (b) s = \"a\";\n return s.length(); }",
        &["null-dereference:3 possible"],
    );
}

/// What is not there may be called to throw: nobody knows, so nothing is certain.
#[test]
fn code_that_is_not_there_may_give_up() {
    let with = |call: &str| {
        format!(
            "private static final java.util.logging.Logger LOG = java.util.logging.Logger.getGlobal();
             native void abort(String s); native static void end();
             int f(int[] a) {{ if (a == null) {call};\n return a.length; }}"
        )
    };
    for (call, certainty) in [
        ("abort(\"nothing\")", "possible"),
        ("end()", "possible"),
        ("LOG.info(\"nothing\")", "certain"),
        ("System.out.println()", "certain"),
    ] {
        check(&with(call), &[&format!("null-dereference:5 {certainty}")]);
    }
}

/// Compilers jump where a condition is false, and back where the condition of a loop is true.
#[test]
fn tests_that_always_go_one_way_read_as_in_the_source() {
    for (condition, is_true) in [
        ("a.length() >= 0", true),
        ("a.length() < 0", false),
        ("b || a.length() >= 0", true),
        ("a.length() < 0 || b", false),
        ("a.length() >= 0 && b", true),
        ("b && a.length() < 0", false),
        ("(b || c) && a.length() >= 0", true),
        ("(a.length() < 0 || c) && b", false),
        ("(a.length() < 0 && c) || b", false),
    ] {
        for body in [
            format!("if ({condition}) return 1; return 0;"),
            format!("int n = 0; while ({condition}) {{ b = g(n); c = g(n); n++; }} return n;"),
            format!("int n = 0; do {{ n++; c = g(n); b = g(n); }} while ({condition}); return n;"),
        ] {
            let members = format!(
                "native boolean g(int n); int f(String a, boolean b, boolean c) {{ {body} }}"
            );
            let Some((found, rules, _)) = scanned(&members) else { return };
            let mut decided =
                found.findings.iter().filter(|it| rules[it.rule].name == "decided-branch");
            let message = decided.next().map(|it| it.message.as_str());
            // Loops that nothing ends are another rule's.
            if message.is_some() || body.starts_with("if") {
                let expected = format!("this test is always {is_true}");
                assert_eq!(message, Some(expected.as_str()), "{body}");
            }
            assert_eq!(decided.count(), 0, "{body}");
        }
    }
}

/// What ends a run before the rule is broken, in a callee too, leaves the finding possible.
#[test]
fn runs_that_end_on_the_way_make_nothing_certain() {
    let with = |helper: &str, call: &str| {
        let members = format!(
            "private static int size(String s, boolean b) {{ {helper} }}
             static int f(java.io.FileReader in, boolean b, boolean c) throws Exception {{
             // Who comes by here breaks the rule, if it is not the end before.
             if (c) in.close();
             {call}\n return in.read(); }}"
        );
        let (found, rules, _) = scanned(&members)?;
        let all = briefly(&found, &rules);
        all.into_iter().find(|it| it.starts_with("use-after-close"))
    };
    let some = "return b ? s.length() : 0;";
    let caught = "try { return b ? s.length() : 0; } catch (NullPointerException e) { return 0; }";
    let required = "if (b) java.util.Objects.requireNonNull(s); return 0;";
    let exits = "if (b) System.exit(1); return 0;";
    let in_try = "String s = null; try { Class.forName(\"B\"); b = s.isEmpty(); }
                  catch (ClassNotFoundException e) { b = false; }";
    if with(some, "").is_none() {
        return;
    }
    for (helper, call, certainty) in [
        (some, "", "certain"),
        (some, "size(\"a\", b);", "certain"),
        (some, "size(null, b);", "possible"),
        (caught, "size(null, b);", "certain"),
        (required, "size(\"a\", b);", "certain"),
        (required, "size(null, b);", "possible"),
        (exits, "size(\"a\", b);", "possible"),
        (some, in_try, "possible"),
    ] {
        let found = with(helper, call).unwrap_or_default();
        assert!(found.ends_with(certainty), "{helper} {call}: {found}");
    }
}

#[test]
fn tests_of_the_program_are_understood() {
    check(
        "private static boolean ok(String s) { return s != null && !s.isEmpty(); }
         int f(String s) { if (!ok(s)) return 0; return s.length(); }
         int g(String s) { assert s != null; return s.length(); }
         private boolean flag = true;
         int h() { String s = null; if (flag) s = \"a\"; return s.length(); }
         int i(int n) { String s = null; if (n > 3) s = \"a\"; if (n > 5) return s.length(); return 0; }
         static long j(long n) { String s = null; if (n >= 2L) s = \"b\"; return n > 4L ? s.length() : 0; }",
        // The flag is never written again.
        &["decided-branch:6 possible"],
    );
}

#[test]
fn what_can_be_overridden_is_not_trusted() {
    check("protected String name() { return null; } int f() { return name().length(); }", &[]);
}

#[test]
fn locks_by_their_fields() {
    let lock = "java.util.concurrent.locks.ReentrantLock l = new java.util.concurrent.locks.ReentrantLock();";
    check(
        &format!("{lock} void f() {{\n l.lock();\n g(); }} void g() {{ }}"),
        &["unreleased-lock:3 certain"],
    );
    check(&format!("{lock} void f() {{ l.lock(); }} void g() {{ l.unlock(); }}"), &[]);
    check(
        &format!("{lock} void f(int n) {{\n l.lock();\n if (n > 0) l.unlock(); }}"),
        &["unreleased-lock:3 possible"],
    );
    check(
        &format!(
            "{lock} int n; void f() {{ take(); try {{ n++; }} finally {{ give(); }} }}
                  private void take() {{ l.lock(); }} private void give() {{ l.unlock(); }}"
        ),
        &[],
    );
}

#[test]
fn resources_and_their_owners() {
    check(
        "static class H { final java.io.Reader r; H(java.io.Reader r) { this.r = r; } }
         H f(String n) throws Exception { return new H(new java.io.FileReader(n)); }
         void close(java.io.Closeable c) { try { if (c != null) c.close(); } catch (java.io.IOException e) { } }
         int g(String n) throws Exception {
           java.io.FileReader r = new java.io.FileReader(n);
           try { return r.read(); } finally { close(r); }
         }
         java.util.List<Object> all = new java.util.ArrayList<>();
         void h(String n) throws Exception { all.add(new java.io.FileReader(n)); }",
        &[],
    );
    check(
        "void f(String n) throws Exception {\n new java.io.FileReader(n); }",
        &["unclosed-resource:3 certain"],
    );
}

#[test]
fn what_others_may_call_is_not_known_by_its_callers_alone() {
    check(
        "int f(Object o) { return f(o, null); }
         int f(Object o, String s) { if (s == null) return 0; return s.length(); }",
        &[],
    );
    check("int f() { return g(null); } int g(String s) {\n return s == null ? 1 : 2; }", &[]);
    check("int f() { return h(3); } int h(int n) { if (n == 3) return 1; return 2; }", &[]);
}

/// Who writes fields by names that are not known may write any.
#[test]
fn fields_that_are_written_by_reflection_have_no_constant_value() {
    let members = "int level = 3;\nint f() {\n if (level == 3) return 1;\n return 2; }\n";
    check(members, &["decided-branch:4 possible"]);
    let sets =
        "void set(String n, Object v) throws Exception { A.class.getField(n).set(this, v); }";
    check(&format!("{members}{sets}"), &[]);
}

/// What is handed over together, callers may know: such a finding is counted, and shown on demand.
#[test]
fn null_that_some_kinds_use_is_doubtful() {
    let members = "private static int size(int kind, String s) {
        if (kind == 3) return s.length();\n return kind; }
        static int f(int kind) { return size(kind, null); }";
    let Some((found, rules, _)) = scanned(members) else { return };
    assert_eq!(briefly(&found, &rules), [""; 0]);
    assert_eq!(found.counts.doubtful, 1);
    let how = How { doubtful: true, ..How::default() };
    let Some((found, rules, _)) = scanned_as(members, &how) else { return };
    assert_eq!(briefly(&found, &rules), ["null-dereference:3 possible"]);
    assert!(found.findings[0].doubtful);
    assert_eq!(found.counts.doubtful, 0);
}
