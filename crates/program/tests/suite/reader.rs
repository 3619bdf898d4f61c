//! Texts of C as people and competitions write them, and such as nobody should.

use crate::traps::is_so;
use std::fmt::Write;
use tern_program::c::lower::{Settings, lower};
use tern_program::c::parse;

#[test]
fn programs_of_the_competition() {
    let text = "extern void abort(void);
        extern void __assert_fail(const char *, const char *, unsigned int, const char *)
            __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
        extern void __VERIFIER_error(void) __attribute__ ((__noreturn__));
        void reach_error() { __assert_fail(\"0\", \"p.c\", 3, \"reach_error\"); }
        extern int __VERIFIER_nondet_int(void);
        extern _Bool __VERIFIER_nondet_bool(void);
        void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
        void __VERIFIER_assert(int cond) {
          if (!(cond)) { ERROR: { reach_error(); abort(); } }
          return;
        }
        typedef unsigned int u32;
        typedef enum { RED, GREEN = 5, BLUE } color;
        static const int LIMIT = 0x10;
        static int step(int by) { return by > 0 ? by : 1; }
        int main(void) {
          u32 i = 0;
          color c = BLUE;
          int n = __VERIFIER_nondet_int();
          assume_abort_if_not(n > 0 && n < LIMIT);
          for (int i = 0; i < 3; i++) { int i = 7; c += i - 7; }
          do { i += step(__VERIFIER_nondet_bool()); } while (i < n);
          __VERIFIER_assert(i >= n && c == 'B' - 074);
          return 0;
        }";
    is_so(
        text,
        &[
            ("AG{NOT{failed: true}}", "", true),
            ("AF{exit: true}", "", true),
            ("EF{AND{exit: true}{i == 20}}", "", false),
            ("EF{AND{exit: true}{i == 15}}", "n == 15", true),
        ],
    );
}

#[test]
fn macros_with_and_without_parameters() {
    let text = "#define N 3 /* of them */
        #define TWICE(a) ((a) + (a)) // again
        #define SWAP(a, b) do { int t = a; \\
                                a = b; b = t; } while (0)
        #define M N
        #define LATER EARLIER
        #define EARLIER 9
        #define SELF SELF2
        #define SELF2 SELF
        #define NONE() 1
        #define OLD 1
        #ifdef OLD
        #undef OLD
        #else
        #error never
        #endif
        #if 0
        this is not C ' at all
        #ifdef N
        #endif
        #else
        int old;
        #endif
        #ifndef GUARD
        #define GUARD
        int OLD;
        #endif
        int SELF;
        void main() {
          int x, y, N2;
          x = TWICE(TWICE(N)); y = M;
          SWAP(x, y);
          SELF = LATER + NONE();
          #undef N
          #define N 4
          OLD = M;
          old = TWICE( (x , y) );
        }";
    is_so(
        text,
        &[(
            "AF{AND{exit: true}{x == 3 && y == 12 && SELF == 10 && OLD == 4 && old == 24}}",
            "",
            true,
        )],
    );
    for (text, wanted) in [
        ("#define A(x) x\nvoid main() { A(1, 2); }", "2"),
        ("#define A(x) x\nvoid main() { A(1", "do not end"),
        ("#define A(x) #x\nvoid main() { A(1); }", "not understood"),
        ("#ifdef X\nint x;", "never closed"),
        ("void main() { } /* more", "never closed"),
    ] {
        let faults = parse::parse(text).expect_err(text);
        assert!(faults[0].message.contains(wanted), "{text}: {faults:?}");
    }
}

#[test]
fn characters_and_numbers() {
    let text = "void main() { int a, b, c, d, e;
        a = '\\n'; b = '\\x41'; c = '\\377'; d = '\\\\'; e = 010 + 0x1F + 0b11 + 1u + 2UL + 'a'; }";
    let all = "a == 10 && b == 65 && c == -1 && d == 92 && e == 8 + 31 + 3 + 1 + 2 + 97";
    is_so(text, &[(&format!("AF{{AND{{exit: true}}{{{all}}}}}"), "", true)]);
}

#[test]
fn labels_and_jumps() {
    let text = "void main() { int x, y; y = 0;
        goto inside;
        while (y < 3) { y++; inside: if (x > 0) { x--; goto inside; } if (y == 2) goto out; }
        y = 10;
        out: ; }";
    is_so(
        text,
        &[
            ("AF{AND{exit: true}{y == 2 && x <= 0}}", "", true),
            ("AG{y != 10}", "y == 0", true),
            ("AF{out: true}", "", true),
            ("AG{OR{NOT{inside: true}}{y < 3}}", "", true),
        ],
    );
}

#[test]
fn all_mistakes_are_told_with_their_places() {
    let text = "int *p;\nfloat f;\nstruct s { int a; };\nvoid main() {\n  int x;\n  x = 1.5;\n}\n";
    let faults = parse::parse(text).expect_err("it is wrong");
    assert_eq!(faults[0].code, "C101");
    let text = text.replace("1.5", "p->a");
    let faults = parse::parse(&text).expect_err("it is wrong");
    let lines: Vec<usize> = faults
        .iter()
        .map(|fault| text[..fault.span.start as usize].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [1, 2, 3, 6], "{faults:?}");
    assert!(faults.iter().all(|fault| fault.code == "C103" && !fault.hint.is_empty()));
}

/// Reads and lowers a text, whatever comes of it.
fn digest(text: &str) -> bool {
    let unit = parse::parse(text);
    unit.is_ok_and(|unit| lower(&unit, &Settings::default(), text).is_ok())
}

#[test]
fn hostile_texts_do_no_harm() {
    let many = 100_000;
    let nested = |open: &str, inner: &str, close: &str| {
        let (open, close) = (open.repeat(many), close.repeat(many));
        format!("void main() {{ int x; {open}{inner}{close} }}")
    };
    let texts = [
        String::new(),
        "\0\u{1}\u{fffd}".repeat(many),
        nested("x = (", "1", ");"),
        nested("(", "x", ")"),
        nested("{", "x = 1;", "}"),
        nested("if (x) ", "x = 1;", ""),
        nested("while (x) ", ";", ""),
        nested("L: ", ";", ""),
        nested("!", "x;", ""),
        nested("- ", "x;", ""),
        nested("x ? x : ", "x;", ""),
        nested("x = ", "1;", ""),
        nested("x + ", "1;", ""),
        nested("b[", "1", "];"),
        nested("f(", "1", ");"),
        nested("switch (x) case 1: ", ";", ""),
        "#define A A\n".repeat(many),
        format!(
            "{}void main() {{ A0; }}",
            (0..many).fold(String::new(), |mut text, at| {
                let _ = writeln!(text, "#define A{at} A{}", at + 1);
                text
            })
        ),
        format!(
            "{}void main() {{ int x; x = A40; }}",
            (1..41).fold(String::new(), |mut text, at| {
                let _ = writeln!(text, "#define A{at} A{} + A{}", at - 1, at - 1);
                text
            })
        ),
        "#if 1\n".repeat(many),
        "#if 0\n".repeat(many),
        "int x;".repeat(many),
        format!("void main() {{ {} }}", "int x; ".repeat(300)),
        "/*".repeat(many),
        "'".repeat(many),
        "\"".repeat(many),
    ];
    for text in &texts {
        assert!(!digest(text), "{}", &text[..text.len().min(60)]);
    }
    assert!(digest(&format!("void main() {{ int x; {} }}", "x = x + 1;\n".repeat(20_000))));
    assert!(digest(&format!("void main() {{ int x; {} }}", ";".repeat(200_000))));
}
