//! Integer programs whose functions call themselves, with what is true of them.

use crate::proofs::{Written, given};
use crate::traps::{decide, is_so};
use tern_model::Budget;
use tern_numeric::check::Verdict;

#[test]
fn a_function_that_counts_down_ends() {
    let text = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
        void main() { int x, r; r = f(x); }";
    is_so(
        text,
        &[
            ("AF{exit: true}", "", true),
            ("AF{AND{exit: true}{r == x}}", "x >= 0", true),
            ("AF{AND{exit: true}{r == 0}}", "x < 0", true),
            ("EF{r == 3}", "x == 2 && r == 0", false),
            ("AG{r != 7}", "x == 7 && r == 0", false),
        ],
    );
}

#[test]
fn functions_are_looked_into_as_far_as_a_claim_needs() {
    let count = "int f(int n) { if (n <= 0) return 1; return f(n - 1) + 1; }
        void main() { int n, r; r = f(n); }";
    let mccarthy = "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
        void main() { int n, r; r = f(n); }";
    for (text, claim, assumed, wanted) in [
        (count, "AF{exit: true}", "", "bodies"),
        (count, "AF{exit: r >= 1}", "", "summaries"),
        (mccarthy, "AF{exit: r == 91}", "n <= 100", "variants"),
    ] {
        let written = Written::read(text, &given(assumed), claim);
        let case = written.case();
        let decision = case.decide(&Budget::unlimited());
        assert_eq!(decision.verdict, Verdict::Holds, "{claim}");
        let finer = decision.about.as_ref().map(|flow| {
            let summary = flow.summary.as_ref().expect("it calls itself");
            summary.finer.is_some()
        });
        let depth = match finer {
            None => "bodies",
            Some(true) => "summaries",
            Some(false) => "variants",
        };
        assert_eq!(depth, wanted, "{claim}");
        assert!(case.proof(&decision).is_some(), "{claim} has evidence that is accepted");
    }
}

#[test]
fn a_function_that_never_comes_to_its_end_is_found() {
    let text = "int f(int n) { if (n == 0) return 0; return f(n - 1); }
        void main() { int x, r; r = f(x); }";
    is_so(
        text,
        &[
            ("AF{exit: true}", "x >= 0", true),
            ("AF{exit: true}", "", false),
            ("AF{exit: true}", "x < 0", false),
            ("AG{NOT{exit: true}}", "x < 0", true),
            ("EG{NOT{exit: true}}", "x < 0", true),
            ("EF{exit: true}", "x >= 0", true),
        ],
    );
}

#[test]
fn known_recursive_functions_end() {
    let ackermann =
        "int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1);
        return a(m - 1, a(m, n - 1)); }
        void main() { int m, n, r; r = a(m, n); }";
    is_so(ackermann, &[("AF{exit: true}", "m >= 0 && n >= 0", true)]);
    let fibonacci = "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }
        void main() { int n, r; r = f(n); }";
    is_so(fibonacci, &[("AF{exit: true}", "", true), ("AG{r >= 0}", "n >= 0 && r == 0", true)]);
    let gcd = "int g(int a, int b) { if (a == b) return a; if (a > b) return g(a - b, b);
        return g(a, b - a); }
        void main() { int a, b, r; r = g(a, b); }";
    is_so(
        gcd,
        &[
            ("AF{exit: true}", "a > 0 && b > 0", true),
            ("AF{AND{exit: true}{r >= 1}}", "a > 0 && b > 0", true),
            ("AF{exit: true}", "a > 0 && b == 0", false),
        ],
    );
    let odd = "int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        void main() { int n, r; r = even(n); }";
    is_so(odd, &[("AF{exit: true}", "n >= 0", true), ("AF{exit: true}", "n < 0", false)]);
    let mccarthy = "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
        void main() { int n, r; r = f(n); }";
    is_so(
        mccarthy,
        &[
            ("AF{exit: true}", "", true),
            ("AF{AND{exit: true}{r == 91}}", "n <= 100", true),
            ("AF{AND{exit: true}{r == n - 10}}", "n > 100", true),
        ],
    );
}

#[test]
fn globals_are_seen_while_calls_are_open() {
    let text = "int g; void f(int n) { if (n > 0) { g = g + 1; f(n - 1); g = g - 1; } }
        void main() { int x; f(x); }";
    is_so(
        text,
        &[
            ("AF{AND{exit: true}{g == 0}}", "", true),
            ("AG{g >= 0}", "", true),
            ("AF{exit: true}", "", true),
        ],
    );
    assert_ne!(decide(text, "AG{g <= 1}", ""), Some(true));
    let server = "int req, ack; int wait(int n) { if (n > 0) return wait(n - 1); return 0; }
        void main() { int n; while (1) { req = 1; n = ?; n = wait(n); ack = 1; req = 0; ack = 0; } }";
    is_so(
        server,
        &[
            ("AG{OR{req != 1}{AF{ack == 1}}}", "", true),
            ("AG{AF{req == 1}}", "", true),
            ("AF{exit: true}", "", false),
            ("EG{ack == 0}", "", false),
        ],
    );
}

#[test]
fn main_may_call_itself() {
    let text = "int main(int x) { if (x <= 0) { return 0; } else { main(x - 1); } }";
    is_so(text, &[("AF{exit: true}", "", true), ("AG{x == 3}", "x == 3", true)]);
}

#[test]
fn a_choice_decides_whether_a_call_ends() {
    let text = "void f() { if (?) f(); } void main() { int x; x = 0; f(); x = 1; }";
    is_so(text, &[("AF{exit: true}", "", false), ("EG{NOT{exit: true}}", "", true)]);
    assert_ne!(decide(text, "AG{NOT{exit: true}}", ""), Some(true));
}

#[test]
fn calls_may_fail_or_stop_the_program() {
    let text = "void f(int n) { assert(n != 3); if (n > 0) f(n - 1); else abort(); }
        void main() { int x, y; y = 0; f(x); y = 1; }";
    is_so(
        text,
        &[
            ("AG{NOT{failed: true}}", "x < 3", true),
            ("AF{exit: true}", "x < 3", true),
            ("AG{y == 0}", "x < 3 && y == 0", true),
        ],
    );
    assert_ne!(decide(text, "AG{NOT{failed: true}}", "x > 5"), Some(true));
}

#[test]
fn what_happens_inside_of_calls_is_seen() {
    let flag = "int g; void f(int n) { if (n > 0) { g = 1; f(n - 1); } }
        void main() { int n; f(n); g = 0; }";
    is_so(
        flag,
        &[
            ("EF{g == 1}", "n > 0", true),
            ("EF{g == 1}", "n <= 0", false),
            ("AF{g == 1}", "n > 3", true),
            ("AG{g == 0}", "", false),
            ("AF{AND{exit: true}{g == 0}}", "", true),
            ("AU{g == 0}{g == 1}", "n > 0", true),
            ("EU{g == 1}{exit: true}", "", false),
        ],
    );
    let deep =
        "int depth; void f(int n) { depth = depth + 1; if (n > 0) f(n - 1); depth = depth - 1; }
        void main() { int n; f(n); }";
    is_so(
        deep,
        &[
            ("EF{depth == 2}", "n > 0", true),
            ("EF{depth == 3}", "n == 1", false),
            ("AG{OR{depth != 2}{AF{depth == 0}}}", "", true),
        ],
    );
    // The second is passed by on the way up only.
    let around = "int g; void f(int n) { if (n > 0) f(n - 1); g = 2; g = 0; }
        void main() { int n; g = 1; f(n); while (1) g = 0; }";
    is_so(around, &[("AF{g == 2}", "", true), ("EG{g != 2}", "", false)]);
    assert_ne!(decide(around, "AG{g != 2}", ""), Some(true));
}

#[test]
fn a_call_that_may_come_back_is_not_taken_for_one_that_stays() {
    // From every state in f there is a way back, and from the last ones there is no other.
    let text = "int x; void f() { x = 2; if (?) f(); x = 2; } void main() { f(); x = 1; }";
    is_so(text, &[("EF{EG{x == 2}}", "", true), ("AF{x == 1}", "", false)]);
    assert_ne!(decide(text, "AG{OR{x != 2}{EF{x == 1}}}", ""), Some(false));
    assert_ne!(decide(text, "AG{OR{x != 2}{EG{x == 2}}}", ""), Some(true));
    let ends = "int x; void f(int n) { x = 2; if (n > 0) f(n - 1); x = 2; }
        void main() { int n; f(n); x = 1; }";
    is_so(ends, &[("EF{EG{x == 2}}", "", false), ("AG{AF{x == 1}}", "", true)]);
}

#[test]
fn what_is_added_on_the_way_up_is_known() {
    let text = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 3; }
        void main() { int n, r; r = f(n); }";
    is_so(
        text,
        &[
            ("AG{OR{NOT{exit: true}}{r == n + n + n}}", "n >= 0", true),
            ("AG{OR{NOT{exit: true}}{r == n + n + n}}", "", false),
        ],
    );
}

#[test]
fn that_a_call_can_last_is_known_of_its_beginning_only() {
    // Once g is set, or is about to be, the call ends.
    let text = "int g; void f(int n) { if (n > 0) { f(n - 1); return; } if (?) { g = 1; return; } while (1) ; }
        void main() { int n; f(n); }";
    let lasts = "EG{NOT{exit: true}}";
    assert_ne!(decide(text, &format!("AG{{OR{{exit: true}}{{{lasts}}}}}"), ""), Some(true));
    assert_ne!(decide(text, &format!("AG{{OR{{g != 1}}{{{lasts}}}}}"), ""), Some(true));
    is_so(text, &[(lasts, "", true), ("AF{exit: true}", "", false)]);
}
