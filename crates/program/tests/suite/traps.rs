//! Integer programs on which checkers are known to go wrong, with what is true of them.

use crate::proofs::{self, Written};
use std::collections::BTreeMap;
use tern_model::logic::ctl;
use tern_model::{Budget, Formulas};
use tern_numeric::check::Verdict;
use tern_program::c::lower::{Settings, lower};
use tern_program::c::syntax::Unit;
use tern_program::c::{dialect, explicit, parse, sample, t2};

/// Decides a claim, written as FuncTion writes them.
pub(crate) fn decide(text: &str, shown: &str, given: &str) -> Option<bool> {
    let written = Written::read(text, &proofs::given(given), shown);
    let case = written.case();
    let decision = case.decide(&Budget::unlimited());
    let is_known = !matches!(decision.verdict, Verdict::Unknown(_));
    assert_eq!(case.proof(&decision).is_some(), is_known, "{shown}\n{text}");
    match decision.verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails { .. } => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// What is true of a program: claims with the initial values that are given, and their truth.
pub(crate) fn is_so(text: &str, claims: &[(&str, &str, bool)]) {
    for &(shown, given, truth) in claims {
        assert_eq!(decide(text, shown, given), Some(truth), "{shown} given {given}\n{text}");
    }
}

#[test]
fn break_leaves_the_loop_only() {
    let text = "void main() { int x; while (1) { if (x > 0) break; x++; } while (1) x = 1; }";
    is_so(text, &[("AF{exit: true}", "", false), ("AF{x > 0}", "", true)]);
}

#[test]
fn an_early_return_of_a_callee_goes_back_to_the_caller() {
    let text = "int f(int a) { if (a > 0) return 1; return 2; }
        void main() { int x; x = f(x); while (1) x = x; }";
    is_so(text, &[("AF{exit: true}", "", false), ("AF{AG{x == 1}}", "x > 0", true)]);
}

#[test]
fn the_value_of_an_effect_is_not_what_a_later_one_makes_of_the_variable() {
    let text = |y: &str| {
        format!(
            "int x, y; int f() {{ x = 100; return 3; }} int g(int a, int b) {{ return a + b; }}
            int id(int a) {{ return a; }} int a[2];
            void main() {{ _Bool b; int l; b = 1; l = 7; a[1] = 7; x = 5; y = {y}; x = x; }}"
        )
    };
    let claims = |value: i32| {
        let (is, same) =
            (format!("AF{{y == {value}}}"), format!("AG{{OR{{y == 0}}{{y == {value}}}}}"));
        [is, same]
    };
    for (y, value) in [
        ("x++ + f()", 8),
        ("++x + f()", 9),
        ("x-- - f()", 2),
        ("(x = 9) + f()", 12),
        ("(x += 2) + f()", 10),
        ("(x = id(4)) + f()", 7),
        ("g(x++, f())", 8),
        ("g(-(x++), x++)", 1),
        ("(l++ < f()) + 2*(x++ < f())", 0),
        ("-(x++) + (f() + l++)", 5),
        ("a[(x = 1)] + f()", 10),
        ("(x++ == 5) + f()", 4),
        ("(1, x++) + f()", 8),
        ("l++ + l++", 15),
    ] {
        for claim in claims(value) {
            is_so(&text(y), &[(&claim, "", true)]);
        }
    }
}

#[test]
fn functions_without_a_value_may_stand_where_none_is_needed() {
    let text = "int x, y; void f() { x = x + 1; } void g() { y = y + 1; }
        void main() { int c; c ? f() : g(); x = (y++, f(), x + 10); }";
    is_so(text, &[("AF{x == 12}", "c != 0", true), ("AF{y == 2}", "c == 0", true)]);
    // A test, then one step: the value is not stored.
    let text = "int x; void main() { int c; c > 0 ? x++ : x--; x = 5; }";
    is_so(
        text,
        &[("AX{AX{AX{x == 5}}}", "x == 0", true), ("AX{AX{x == 1}}", "c > 0 && x == 0", true)],
    );
}

#[test]
fn not_proved_is_not_refuted() {
    // y becomes a square, of which little is known.
    let text = "void main() { int x, y; y = x * x; }";
    is_so(text, &[("NOT{AF{y >= 0}}", "y < 0", false), ("AF{y >= 0}", "y < 0", true)]);
    assert_eq!(decide(text, "EF{y == 4}", "y < 0 && x == 2"), None);
}

#[test]
fn updates_come_back_to_the_head_of_a_loop() {
    let text = "void main() { int c; while (1) { c = 0; while (?) { c = 1; } } }";
    is_so(text, &[("AG{c != 1}", "c == 0", false), ("EF{c == 1}", "", true)]);
}

#[test]
fn the_end_of_a_program_stays_for_ever() {
    let text = "void main() { int x; x = 1; }";
    is_so(text, &[("EG{NOT{exit: true}}", "", false), ("AF{AG{x == 1}}", "", true)]);
}

#[test]
fn a_condition_and_a_choice_are_both_needed() {
    let text = "void main() { int x; if (x > 0 && ?) x = 0; while (1) x = x; }";
    is_so(text, &[("AF{x <= 0}", "x > 0", false), ("EF{x == 0}", "x > 0", true)]);
}

#[test]
fn what_was_never_set_may_be_anything() {
    let text = "int g; void main() { int x; x = x; }";
    is_so(
        text,
        &[("AG{x >= 0}", "", false), ("AG{g == 0}", "", true), ("AG{g == 0}", "g < 5", false)],
    );
}

#[test]
fn remainders_have_the_sign_of_the_left_side() {
    let text = "void main() { int x, r, q; r = x % 3; q = x / 3; }";
    is_so(
        text,
        &[
            ("AF{r == -1}", "x == -7", true),
            ("AF{AND{r == -1}{q == -2}}", "x == -7", true),
            ("AF{r > 0}", "x < 0 && r <= 0", false),
            ("AG{r < 3}", "r == 0", true),
        ],
    );
    let by_zero = "void main() { int x, y; x = 1 / y; }";
    is_so(by_zero, &[("AG{NOT{error: true}}", "", false), ("AF{exit: true}", "y > 0", true)]);
}

#[test]
fn unbounded_choices_are_made_well() {
    let text = "void main() { int x; x = ?; while (x != 1000000000000) x = x; }";
    is_so(text, &[("EF{exit: true}", "", true), ("AF{exit: true}", "", false)]);
    let late = "void main() { int n; n = ?; while (n > 0) n--; }";
    is_so(late, &[("AF{exit: true}", "", true)]);
}

#[test]
fn runs_into_dead_ends_do_not_exist() {
    let text = "void main() { int x; if (?) { x = 5; assume(x < 3); x = 6; } x = 0; }";
    is_so(text, &[("EF{x == 5}", "x == 1", false), ("AF{x == 0}", "x == 1", true)]);
    let never = "void main() { int x; assume(x > 0); assume(x < 0); }";
    is_so(never, &[("AG{x == 77}", "", true)]);
}

#[test]
fn jumps_into_loops_are_followed() {
    let text = "void main() { int x; if (x > 10) goto inside;
        while (x > 0) { x = x - 2; inside: x = x + 1; } }";
    is_so(text, &[("AF{exit: true}", "", true)]);
    let twice = "void main() { int x; if (?) goto a; goto b;
        a: x = x - 1; if (x < 0) goto end; goto b; b: x = x - 1; if (x < 0) goto end; goto a; end: ; }";
    is_so(twice, &[("AF{exit: true}", "", true), ("AF{end: true}", "", true)]);
}

#[test]
fn a_callee_from_two_places_returns_to_each() {
    let text = "int g; void up(int by) { g = g + by; }
        void main() { int x; up(1); x = g; up(10); }";
    is_so(text, &[("AF{AND{x == 1}{g == 11}}", "x == 0", true), ("EF{x == 11}", "x == 0", false)]);
}

#[test]
fn assertions_fail_in_a_state_of_their_own() {
    let text = "void main() { int x; assert(x != 3); x = 0; }";
    is_so(text, &[("AG{NOT{failed: true}}", "", false), ("AG{NOT{failed: true}}", "x > 3", true)]);
}

#[test]
fn large_numbers_cost_no_more() {
    let text = "void main() { int x; while (x < 1000000000000000000) x = x + 3; }";
    is_so(text, &[("AF{exit: true}", "", true), ("AF{x >= 999999999999999999}", "", true)]);
}

#[test]
fn elements_of_arrays_are_variables() {
    let text = "int a[3]; void main() { int i, s; i = 0; s = 0;
        while (i < 3) { a[i] = i; s = s + a[i]; i++; } a[1] += 5; s = a[i - 1]; a[i - 3]++; }";
    is_so(
        text,
        &[
            ("AF{AND{exit: true}{a[1] == 6}}", "", true),
            ("AF{AND{exit: true}{a[0] == 1}}", "", true),
            ("AG{NOT{error: true}}", "", true),
            ("AF{s == 3}", "", true),
        ],
    );
    let beyond = "void main() { int a[2], i; a[i] = 1; i = a[i]; }";
    is_so(
        beyond,
        &[
            ("AG{NOT{error: true}}", "i >= 0 && i < 2", true),
            ("AF{error: true}", "i > 1", true),
            ("AF{error: true}", "i < 0", true),
            ("AF{AND{exit: true}{i == 1}}", "i == 0", true),
        ],
    );
}

#[test]
fn what_depends_on_a_value_that_is_not_known_is_not_known() {
    // -3 / 2 is -1: that the product is not negative is a condition, and no fact.
    let text = "void main() { int x, y, z; z = (x * y) / 2; }";
    let given = "x == -1 && y == 3";
    assert_ne!(decide(text, "EX{z >= 0}", given), Some(true));
    assert_ne!(decide(text, "AX{z < 0}", given), Some(false));
    assert_ne!(decide(text, "EF{z == 7}", given), Some(true));
    let begin = "void main() { int x, y; int p = x * y; int z = p / 2; x = 0; }";
    assert_ne!(decide(begin, "AX{z < 0}", given), Some(false));
    let remainder = "void main() { int x, y, z; z = (x * y) % 2; }";
    assert_ne!(decide(remainder, "EX{z >= 0}", given), Some(true));
    assert_eq!(decide(remainder, "AX{z < 2}", given), Some(true));
}

#[test]
fn several_mistakes_are_told_of_at_once() {
    let text = "int g = ;\nvoid main() {\nint x;\nx = ;\nif (x > ) { x = 1; }\nx = 2 +;\n}\nint h() { return }\n";
    let faults = parse::parse(text).expect_err("it is wrong");
    let lines: Vec<usize> =
        faults.iter().map(|it| text[..it.span.start as usize].lines().count()).collect();
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert_eq!(lines, [1, 4, 5, 6, 8], "{faults:?}");
}

#[test]
fn what_is_not_treated_is_refused_with_a_place() {
    let refused = [
        ("void main() { int a[3][2]; }", "C104"),
        ("void main() { int a[30000]; }", "C104"),
        ("void main() { int a; a[1] = 1; }", "C103"),
        ("void main() { int *p; }", "C103"),
        ("void main() { double d; }", "C103"),
        ("void main() { int x; x = x & 1; }", "C104"),
        ("void main() { x = 1; }", "C102"),
        ("extern int x; void main() { x = 1; }", "C104"),
        ("void main() { static int x; x = 1; }", "C104"),
        ("void main() { int x; x = sizeof(x + 1); }", "C103"),
        ("void main() { int x; x = sizeof(int *); }", "C103"),
        ("void main() { __int128 x; }", "C103"),
        ("void main() { int x; int x; }", "C102"),
        ("void main() { goto nowhere; }", "C102"),
        ("void main() { break; }", "C101"),
        ("void main() { int x = ; }", "C101"),
        ("int f() { return 1; }", "C105"),
        ("void main() { int x; x = '", "C101"),
        ("void main() { f(\"open); }", "C101"),
        ("#define X(a) a ## 1", "C101"),
        ("#if 1\\", "C101"),
        ("#if X > 1\n#endif", "C101"),
        ("enum { A }; void main() { int A; }", "C102"),
        ("void main() { /* open", "C101"),
    ];
    for (text, code) in refused {
        let faults = match parse::parse(text) {
            Err(faults) => faults,
            Ok(unit) => lower(&unit, &Settings::default(), text).expect_err(text),
        };
        assert_eq!(faults[0].code, code, "{text}: {faults:?}");
        assert!(!faults[0].hint.is_empty());
    }
}

#[test]
fn an_element_may_be_chosen_at_random() {
    let text = "int a[2]; void main() { int x; x = 0; a[[0, 1]] = 1; x = a[0] + a[1]; }";
    is_so(
        text,
        &[
            ("AF{AND{exit: true}{x == 1}}", "", true),
            ("EF{AND{exit: true}{a[0] == 1}}", "", true),
            ("EF{AND{a[0] == 1}{a[1] == 1}}", "", false),
        ],
    );
    let text = "int a[2]; void main() { int x; x = 0; a[?] += 3; x = 1; }";
    is_so(text, &[("AF{exit: true}", "", false), ("EF{error: true}", "", true)]);
}

#[test]
fn a_value_that_is_not_needed_may_be_an_error() {
    let text = "int a[2]; void main() { int i; 1 / i; a[i], i++; foo(1 % (i - 1)); }";
    is_so(
        text,
        &[
            ("EF{error: true}", "i == 0", true),
            ("AF{error: true}", "i == 2", true),
            ("AF{exit: true}", "i == 1", true),
            ("AX{AX{i == 1}}", "i == 1", true),
        ],
    );
    // What cannot be an error takes no step.
    is_so("void main() { int i; i + 1; i; i = 2; }", &[("AX{i == 2}", "", true)]);
}

#[test]
fn the_interpreter_follows_endless_calls_and_labels() {
    let text = "int f(int n) { f(n); return 3; } int main(void) { int z; z = f(3); return 0; }";
    let unit = parse::parse(text).expect("it is a program");
    let listed = |unit: &Unit, shown: &str| {
        let mut formulas = Formulas::new();
        let root = dialect::read(shown, false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let values = BTreeMap::from([("z".to_owned(), 0)]);
        let claim = (&program, &formulas);
        explicit::replay(unit, &Settings::default(), &values, claim, &Budget::unlimited())
    };
    assert_eq!(listed(&unit, "z != 0"), Some(false));
    assert_eq!(listed(&unit, "AF{exit: true}"), None);
    let text = "void main() { int z; z = 0; L: z++; if (z < 3) goto L; M: for (;;); }";
    let unit = parse::parse(text).expect("it is a program");
    assert_eq!(listed(&unit, "AX{AND{L: z == 0}{AX{NOT{L: true}}}}"), Some(true));
    assert_eq!(listed(&unit, "AF{AG{M: z == 3}}"), Some(true));
    assert_eq!(listed(&unit, "EF{AND{L: true}{z == 3}}"), Some(false));
}

#[test]
fn what_an_unsigned_variable_is_set_to_may_be_negative() {
    for text in [
        "int main(void) { int x; unsigned b = -1; return 0; }",
        "unsigned b = -1; int main(void) { int x; x = 0; return 0; }",
        "unsigned b[3] = { -1, 1, 3 }; int main(void) { int x; x = 0; return 0; }",
        "int main(void) { int x; unsigned b = x; b = 0; return 0; }",
    ] {
        let unit = parse::parse(text).expect("it is a program");
        let given = vec![parse::expression("x >= -2 && x <= 5").expect("it is an expression")];
        let settings = Settings { given, ..Settings::default() };
        let flow = lower(&unit, &settings, text).expect("it can be treated");
        let mut formulas = Formulas::new();
        let root = dialect::read("AG{x >= 0}", false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let asked = sample::Asked { unit: &unit, settings: &settings, flow: &flow };
        let most = sample::Most {
            starts: 100,
            states: 1000,
            choices: 100,
            size: i128::MAX,
            all_only: true,
            whole: false,
        };
        let verdict = asked.exhaust(&program, &formulas, most, &Budget::unlimited());
        assert!(matches!(verdict, Some(Verdict::Fails { .. })), "{verdict:?}\n{text}");
        // Of no states nothing is said.
        let given = vec![parse::expression("x > 0 && x < 0").expect("it is an expression")];
        let settings = Settings { given, ..Settings::default() };
        let asked = sample::Asked { settings: &settings, ..asked };
        assert!(asked.exhaust(&program, &formulas, most, &Budget::unlimited()).is_none());
    }
}

#[test]
fn wrong_transition_systems_are_refused() {
    for text in [
        "START: a;\nFROM: a;",
        "FROM: a; TO: b;",
        "START: a; FROM: a; x = 1; TO: a;",
        "START: a; START: a; FROM: a; TO: a;",
        "START: c; FROM: a; TO: b;",
    ] {
        let faults = t2::read(text, &[]).expect_err(text);
        assert_eq!(faults[0].code, "C107", "{text}: {faults:?}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    const WORDS: [&str; 30] = [
        "int", "void", "main", "(", ")", "{", "}", ";", "x", "=", "1", "+", "while", "if", "else",
        "do", "for", "switch", "case", ":", "?", "[", "]", ",", "goto", "return", "'", "\"",
        "#define", "\n",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..4000 {
        let begin = if random.bool() { "void main() { int x; " } else { "" };
        let count = random.usize(1..25);
        let words: Vec<&str> = (0..count).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
        let text = format!("{begin}{}", words.join(" "));
        if let Ok(unit) = parse::parse(&text) {
            let _ = lower(&unit, &Settings::default(), &text);
        }
    }
    let long = format!("void main() {{ int x; x = 1{}; }}", " + x".repeat(100_000));
    assert_eq!(parse::parse(&long).expect_err("too long")[0].code, "C101");
    let deep = format!("void main() {{ int x; x = {}1; }}", "(".repeat(100_000));
    assert_eq!(parse::parse(&deep).expect_err("too deep")[0].code, "C101");
    let nested = format!("void main() {{ {}", "{".repeat(100_000));
    assert_eq!(parse::parse(&nested).expect_err("too deep")[0].code, "C101");
}

#[test]
fn labels_of_the_program_are_none_of_its_ends() {
    let text = "void main() { int x; exit: x = 1; x = 2; error: failed: while (1) x = 3; }";
    let claims = [("EF{exit: true}", "", false), ("EF{error: true}", "", false)];
    is_so(text, &claims);
    is_so(text, &[("EF{failed: true}", "", false), ("AF{x == 3}", "", true)]);
}

#[test]
fn names_that_stand_for_two_things_are_refused() {
    for text in [
        "int f() { return 1; } int f() { return 2; } void main() { int x; x = f(); }",
        "int f(int a, int a) { return a; } void main() { int x; x = f(1, 2); }",
        "int f; int f() { return 1; } void main() { int x; x = f(); }",
        "void f() { } void main() { int x; x = f(); }",
        "void f() { } void main() { int x; if (f()) x = 1; }",
    ] {
        let unit = parse::parse(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        assert!(lower(&unit, &Settings::default(), text).is_err(), "{text}");
    }
}

#[test]
fn values_that_were_tried_are_shown_as_they_begin() {
    let text = "int g = 1; void main() { int x = 2; int y = x + 3; int z; while (1) { y = 2; } }";
    let unit = parse::parse(text).expect("it is a program");
    let settings = Settings::default();
    let flow = lower(&unit, &settings, text).expect("it can be treated");
    let mut formulas = Formulas::new();
    let root = dialect::read("AG{x < 1}", false, &mut formulas).expect("it is a claim");
    let program = ctl::lower(&formulas, root).expect("it is CTL");
    let budget = Budget::unlimited();
    let found = sample::decide(
        &unit,
        &settings,
        &flow,
        (&program, &formulas),
        sample::MOST_VALUES,
        &budget,
    );
    let Some(Verdict::Fails { values, .. }) = found else { panic!("it fails: {found:?}") };
    assert_eq!(values[..3], [1, 2, 5], "{:?}", flow.variables);
}

#[test]
fn remainders_have_the_sign_of_what_is_divided() {
    let text = "void main() { int x; while (1) x = x + 2; }";
    is_so(
        text,
        &[
            ("AG{x % 2 == 1 || x % 2 == -1}", "x % 2 != 0", true),
            ("AG{x % 2 == 1}", "x % 2 != 0", false),
            ("AG{x / 2 * 2 == x}", "x % 2 == 0", true),
            ("AF{(x - 1) / 3 == 5}", "x == -7", true),
        ],
    );
}

#[test]
fn an_index_that_is_itself_an_error_ends_there() {
    for target in ["a[a[i]]", "a[(i / i) * 0]", "a[i ? 1 : a[7]]"] {
        let value = if target.contains('/') || target.contains('?') { 0 } else { 5 };
        let text = format!("int a[2]; void main() {{ int i = {value}; int x = 0; {target} = 1; }}");
        is_so(&text, &[("AF{exit: true}", "", false), ("AF{error: true}", "", true)]);
    }
}

#[test]
fn products_have_the_sign_of_their_factors() {
    let text = "void main() { int x, y, z; z = x * y; while (1) z = z; }";
    is_so(
        text,
        &[
            ("AF{z >= x && z >= y}", "x > 0 && y > 0 && z < 0", true),
            ("AF{z < 0}", "x > 0 && y < 0", true),
            ("AF{z == 0}", "x == 0", true),
            ("AF{z > 0}", "x < 0 && y < 0 && z == 0", true),
            ("EF{z > 0}", "x < 0 && y > 0 && z < 0", false),
        ],
    );
}

#[test]
fn what_is_only_tested_has_two_outcomes() {
    let many = "if (?) y = y + 1; else y = y - 1; ".repeat(12);
    let text = format!("void main() {{ int x, y; while (x > 0) {{ {many} x = x - 1; }} }}");
    is_so(&text, &[("AF{exit: true}", "", true)]);
}

#[test]
fn equations_that_nobody_wrote_are_found() {
    let counts = "void main() { int n, i, s; i = 0; s = 0; while (i < n) { s = s + 2; i++; }
        if (s > n + n) assert(n < 0); }";
    is_so(counts, &[("AG{NOT{failed: true}}", "", true)]);
    let rates = "void main() { int i, a, b; i = 0; a = 0; b = 0; while (?) { if (?) a = a + 3; else b = b + 3;
        i++; } assert(a + b <= i + i + i); }";
    is_so(rates, &[("AG{NOT{failed: true}}", "", true), ("AF{exit: true}", "", false)]);
    // Where ways meet, without a loop.
    let cases = "void main() { int x, y; if (?) { x = 1; y = 5; } else { x = 4; y = 20; }
        assert(y == x + x + x + x + x); }";
    is_so(cases, &[("AG{NOT{failed: true}}", "", true)]);
    let behind = "void main() { int n, x, y; x = 0; y = 0; while (x < n) { x++; if (?) y++; } }";
    is_so(
        behind,
        &[
            ("AG{OR{NOT{exit: true}}{y <= n}}", "n >= 0", true),
            ("AG{OR{NOT{exit: true}}{y < n}}", "n >= 0", false),
        ],
    );
}

#[test]
fn what_is_behind_many_calls_in_a_row_is_seen() {
    let mut text = "int f0(int a) { while (a > 0) a = a - 1; return a; }\n".to_owned();
    for level in 1..=50 {
        text += &format!("int f{level}(int a) {{ return f{}(a) + 1; }}\n", level - 1);
    }
    text += "void main() { int x; x = f50(x); }";
    let claims = [
        ("AF{exit: true}", "", true),
        ("AG{OR{NOT{exit: true}}{x <= 50}}", "", true),
        ("AG{OR{NOT{exit: true}}{x >= 0}}", "", false),
        ("AG{OR{NOT{exit: true}}{x >= 0}}", "x >= -50", true),
    ];
    is_so(&text, &claims);
}
