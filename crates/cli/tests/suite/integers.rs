//! Claims about C programs on the command line.

mod preconditions;
mod random;
mod runs;
mod states;
mod varied;

use std::fs;
use std::process::Command;
use tempfile::TempDir;

const SERVER: &str = "int req, ack;
void main() {
  int n, step;
  while (?) {
    req = 1;
    n = 100;
    while (n > 0) n = n - step;
    ack = 1; req = 0; ack = 0;
  }
}
";

const CLAIM: &str = "AG ({req == 1} -> AF {ack == 1})";

/// What Tern says of a program: its status, standard output and standard error.
fn tern(program: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    let output = command.current_dir(folder.path()).args(["check", "p.c"]).args(args).output();
    let output = output.expect("Tern runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn verdicts_and_statuses() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fails    AG (\"req == 1\" -> AF \"ack == 1\")\n"), "{out}");
    assert!(out.contains("step = "), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--given", "step > 0"]);
    assert_eq!((status, out.starts_with("holds")), (Some(0), true), "{out}");
    let square = "void main() { int x, y; y = x * x; }";
    let (status, out, _) = tern(square, &["-f", "EF {y == 4}", "--given", "y < 0 && x == 2"]);
    assert_eq!(status, Some(3), "{out}");
    assert!(out.contains("is not known at line 1"), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", "AF exit", "--given", "n > 0 && n < 0"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("no initial state that fits what is given has a run"), "{out}");
}

#[test]
fn choices_are_those_that_go_through_what_is_assumed_next() {
    let collatz = "while (n != 1) if (n % 2 == 0) n = n / 2; else n = 3 * n + 1;";
    let few = "assume(1 <= n && n <= 30);";
    let inside = format!("int n; void main() {{ n = nondet(); {few} {collatz} }}");
    let first = format!("void main() {{ int n = nondet(); {few} {collatz} }}");
    let two = "int m, n; void main() {
        m = nondet(); n = nondet(); assume(0 <= m && m <= 9 && n <= m && n >= 0); }";
    let error = "int m, n; void main() { n = nondet(); assume(1 / m > 0 && n == 1); }";
    let branch = "int m, n; void main() { n = nondet(); if (m) assume(n == 1); }";
    let again = "int n; void main() { n = nondet(); n = nondet(); assume(n == 1); }";
    let later = "int m, n; void main() { n = nondet(); m = n; assume(n <= m && n >= m); }";
    let only = "AG {n == 0 || n == 1}";
    for (text, claim, word) in [
        (inside.as_str(), "AF exit", "holds"),
        (&inside, "EF {n == 9232}", "holds"),
        (&inside, "AG {n < 9232}", "fails"),
        (&first, "AF exit", "holds"),
        (two, "AG {n <= 9}", "holds"),
        (two, "AG {n <= 8}", "fails"),
        (two, "EF {m == 9 && n == 9}", "holds"),
        // A state from which there is an error has a run, and so has one before another choice.
        (error, only, "fails"),
        (branch, only, "fails"),
        (again, only, "fails"),
        (again, "AF {n == 1}", "unknown"),
        (later, only, "fails"),
    ] {
        let (_, out, err) = tern(text, &["-f", claim, "--analysis", "explicit"]);
        assert!(out.starts_with(word), "{claim}\n{out}{err}");
    }
    // What is said of initial states is said where there are some.
    let (_, out, _) = tern(&inside, &["-f", "AF exit"]);
    assert!(out.starts_with("holds") && !out.contains("no initial state"), "{out}");
}

#[test]
fn a_value_that_is_not_returned_may_be_any() {
    for end in ["return;", ""] {
        let text = format!("int x; int f() {{ {end} }} void main() {{ x = f(); }}");
        for analysis in ["auto", "explicit", "numeric"] {
            let (_, out, _) = tern(&text, &["-f", "AG {x == 0}", "--analysis", analysis]);
            assert!(out.starts_with("fails"), "{end} {analysis}: {out}");
        }
    }
}

#[test]
fn types_have_sizes() {
    let text = "typedef short small;
        void main() { int x; x = sizeof(char) + 10 * sizeof(int) + 100 * sizeof(small);
          x = x + 1000 * sizeof(unsigned long) + 10000 * sizeof(int16_t) + (-1 < sizeof(int)); }";
    // A size is unsigned: with bits, -1 becomes the largest number.
    let claims = |x: i32| format!("AG (exit -> {{x == {x}}})");
    let (_, out, err) = tern(text, &["-f", &claims(28_242)]);
    assert!(out.starts_with("holds"), "{out}{err}");
    let (_, out, err) = tern(text, &["-f", &claims(28_241), "--int", "32"]);
    assert!(out.starts_with("holds"), "{out}{err}");
    for (args, place) in [(["--int", "16"], "2:60"), (["--int", "64"], "2:60")] {
        let (status, _, err) = tern(text, &[&["-f", "AF exit"], &args[..]].concat());
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains(place) && err.contains("write the number of bytes"), "{err}");
    }
    let (status, _, err) = tern(text, &["-f", "AF {x == sizeof(int)}"]);
    assert_eq!(status, Some(2), "{err}");
}

#[test]
fn variables_and_elements_have_sizes() {
    let text = "short a[7]; long l; char c;
        int f(char c) { return sizeof c; }
        void main() { int x, i; x = 0;
          for (i = 0; i < sizeof(a) / sizeof(a[0]); i++) x = x + sizeof(l);
          x = x + 100 * sizeof a + 10000 * sizeof(a[i + 1]) + f(c) + sizeof(x) - sizeof(int); }";
    let (_, out, err) = tern(text, &["-f", "AF (exit & {x == 21457})", "--certify"]);
    assert!(out.starts_with("holds"), "{out}{err}");
    let twice = "char c; void f() { long c; c = 1; } void main() { int x; x = sizeof(c); }";
    for text in [twice, "void main() { int x; x = sizeof(x + 1); }"] {
        let (status, _, err) = tern(text, &["-f", "AF exit"]);
        assert!(status == Some(2) && err.contains("sizeof(int)"), "{err}");
    }
}

#[test]
fn mistakes_in_what_is_given_stand_there() {
    for (given, place) in [("y2 > 0", "--given:1:1"), ("n > 0 && n & 1", "--given:1:10")] {
        let (status, _, err) = tern(SERVER, &["-f", "AF exit", "--given", given]);
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains(place), "{err}");
    }
    let (_, _, err) = tern(SERVER, &["-f", "AF foo"]);
    assert!(err.contains("labels `exit`, `failed`, `error`"), "{err}");
    assert!(err.contains("variables `req`, `ack`, `n`, `step`"), "{err}");
}

#[test]
fn claims_as_function_writes_them() {
    let args = ["-f", "AG{OR{req != 1}{AF{ack == 1}}}", "-f", "NOT{AF{exit: true}}"];
    let (status, out, _) = tern(SERVER, &[&args[..], &["--given", "step > 0"]].concat());
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("AG (\"req != 1\" | AF \"ack == 1\")"), "{out}");
    assert!(out.contains("!AF exit"), "{out}");
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), SERVER).expect("written");
    let claims = "AU{ack == 0}{NOT{exit: true}}\nends: EF{exit: req == 0}\n";
    fs::write(folder.path().join("claims.ctl"), claims).expect("written");
    let (status, out, err) = in_folder(&folder, &["check", "p.c", "claims.ctl"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("ends"), "{out}");
}

#[test]
fn endless_recursion_takes_no_memory() {
    let text = "int f(int n) { f(n); return 3; } int main(void) { int z; z = f(3); return 0; }";
    let (status, out, _) = tern(text, &["-f", "{z != 0}", "-f", "AF exit"]);
    assert_eq!(status, Some(1), "{out}");
}

/// Steps through calls are joined only if there are few: here there are thousands of them.
#[test]
fn calls_in_turn_take_no_memory() {
    let text = "int x = 1; int y = 1; int z = 0;
        void f(int k) {
          if (k > 0) { x = 1; y = 2; y = 2; f(k - 1); x = 2; x = 2; }
          else {
            x = [0,1];
            if (x != -1) { if (z > -4) { z = z - 1; } z = -1; z = -1; }
            else { y = [-1,3]; if (z < 4) { z = z + 1; } z = 3; }
            while (x > 0) { x = x - 1; if (z > -4) { z = z - 1; } y = z; }
          }
        }
        int main() {
          if (x > 0) {
            f(2);
            if (x >= -1) { if (x < 4) { x = x + 1; } y = [-1,2]; }
            else { z = -1; x = y; if (z > -4) { z = z - 1; } }
            if (?) { x = [0,2]; z = 1; }
          }
          while (x < 2) { x = -1; f(2); while (x > 0) { x = x - 1; } }
        }";
    let claim = "E [G F ({y < 0} -> {x != z}) & G F E [G F {x != 0} & F G {z >= -1}]]";
    let (status, out, _) = tern(text, &["-f", claim, "--certify", "--memory", "2GiB"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("certified"), "{out}");
}

#[test]
fn results_as_json() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "-f", "EF exit", "--json"]);
    assert_eq!(status, Some(1));
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["schema"], "tern-integers/1");
    assert_eq!(value["results"][0]["verdict"], "fails");
    assert!(value["results"][0]["start"]["values"]["step"].is_string());
    assert_eq!(value["results"][1]["verdict"], "holds");
}

#[test]
fn what_is_wrong_is_said() {
    let (status, _, err) = tern("void main() { int x; x = y; }", &["-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("error[C102]: `y` is not declared"), "{err}");
    assert!(err.contains("p.c:1:26"), "{err}");
    let (status, _, err) = tern(SERVER, &["-f", "AF {nothing > 0}"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("`nothing` is not declared"), "{err}");
    let (status, _, err) = tern(SERVER, &["-f", "AF exit", "--where"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("--where is not there for C programs yet"), "{err}");
    let (status, _, err) = tern(SERVER, &[]);
    assert_eq!(status, Some(2));
    assert!(err.contains("there is no claim to check"), "{err}");
}

#[test]
fn assertions_and_globals_are_read_as_asked() {
    let text = "int g; void main() { int x; assert(x > 0); g = g; }";
    let given = |args: &[&str]| tern(text, args).0;
    assert_eq!(given(&["-f", "AG !failed"]), Some(1));
    assert_eq!(given(&["-f", "AG !failed", "--assert", "assume"]), Some(0));
    assert_eq!(given(&["-f", "AG {g == 0}"]), Some(0));
    assert_eq!(given(&["-f", "AG {g == 0}", "--globals", "any"]), Some(1));
}

/// What Tern says in a folder: its status, standard output and standard error.
fn in_folder(folder: &TempDir, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    let output = command.current_dir(folder.path()).args(args).output().expect("Tern runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn evidence_is_written_and_checked() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), SERVER).expect("written");
    let check =
        ["check", "p.c", "-f", CLAIM, "-f", "EF exit", "-f", "AF exit", "--given", "step > 0"];
    let (_, json, err) = in_folder(&folder, &[&check[..], &["--json", "--evidence"]].concat());
    assert!(json.contains("\"kind\":\"cells\""), "{json} {err}");
    fs::write(folder.path().join("r.json"), &json).expect("written");
    let (status, out, err) = in_folder(&folder, &["certify", "p.c", "r.json"]);
    assert_eq!(status, Some(0), "{out} {err}");
    assert_eq!(out.matches("accepted").count(), 4, "{out}");
    assert!(out.contains("given step > 0; globals zero; assert fail"), "{out}");
    // With the same settings it is the same, with others nothing is checked.
    let (status, ..) = in_folder(&folder, &["certify", "p.c", "r.json", "--given", "step > 0"]);
    assert_eq!(status, Some(0));
    for other in [["--given", "step > 1"], ["--globals", "any"], ["--assert", "assume"]] {
        let (status, _, err) =
            in_folder(&folder, &[&["certify", "p.c", "r.json"][..], &other].concat());
        assert_eq!(status, Some(2), "{other:?}");
        assert!(err.contains("error[E009]"), "{err}");
    }
    // A result that says otherwise, or is about another program, is refused.
    let forged = json.replace("\"holds\"", "\"fails\"");
    fs::write(folder.path().join("f.json"), forged).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "f.json"]);
    assert_eq!(status, Some(1), "{out}");
    let looser = json.replace("\"given\":[\"step > 0\"]", "\"given\":[]");
    assert_ne!(looser, json);
    fs::write(folder.path().join("g.json"), looser).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "g.json"]);
    assert_eq!(status, Some(1), "{out}");
    fs::write(folder.path().join("q.c"), SERVER.replace("n - step", "n - 0")).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "q.c", "r.json"]);
    assert_eq!(status, Some(1), "{out}");
    for text in ["", "{", "[]", "{\"schema\":\"tern-integers/1\"}"] {
        fs::write(folder.path().join("h.json"), text).expect("written");
        let (status, _, err) = in_folder(&folder, &["certify", "p.c", "h.json"]);
        assert_eq!(status, Some(2), "{text}: {err}");
    }
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "r.json", "--timeout", "0s"]);
    assert_eq!(status, Some(3), "{out}");
}

#[test]
fn certified_at_once() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--given", "step > 0", "--certify"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("certified in"), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--certify"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("certified in"), "{out}");
    // A failure that was found by trying values is certified where the analysis sees it from these.
    let text = "int g; void main() { int x, y; while (1) { assume(y == 0); } y = x - g; }";
    let given = ["--given", "x >= 1 && x <= 2", "--given", "y >= 0 && y <= 1", "--certify"];
    let (status, out, _) = tern(text, &[&["-f", "AF {g != 1} -> {x == y}"], &given[..]].concat());
    assert!(status == Some(1) || status == Some(3), "{out}");
    assert!(!out.contains("refuses"), "{out}");
    // What procedures do that call themselves is certified too.
    let text =
        "int f(int a) { if (a > 0) return f(a - 1); return 0; } void main() { int x; x = f(x); }";
    let (_, out, _) = tern(text, &["-f", "AF exit", "--certify"]);
    assert!(out.contains("certified in"), "{out}");
}

#[test]
fn runs_have_lines_and_values() {
    let text = "void main() { int x;\n x = 0;\n while (x < 3) {\n x = x + 1;\n }\n}\n";
    let (status, out, _) =
        tern(text, &["-f", "AG {x != 2}", "--given", "x == 7", "--witness=full"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("this run:"), "{out}");
    assert!(out.contains(" 1  line 2  x = 7\n"), "{out}");
    assert!(out.contains("x = 2\n"), "{out}");
    assert!(out.contains("replayed by an interpreter"), "{out}");
    let loops = "void main() { int x;\n while (1) {\n x = 1 - x;\n }\n}\n";
    let (_, out, _) = tern(loops, &["-f", "AF {x > 1}", "--given", "x == 0", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let witness = &value["results"][0]["witness"];
    assert_eq!(witness["ending"]["kind"], "loop", "{out}");
    assert_eq!(witness["from"]["values"]["x"], "0", "{out}");
}

const WRAPS: &str = "unsigned char c;
void main() {
  int x;
  c = x;
  c = c & 12;
  x = 2147483647;
  x = x + 1;
}
";

#[test]
fn numbers_have_bits_if_asked() {
    let (status, _, err) = tern(WRAPS, &["-f", "AG {c <= 255}"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("error[C104]") && err.contains("--int 32"), "{err}");
    let claims = ["-f", "AF (exit & {c <= 12})", "-f", "AF {x < 0}", "-f", "AG {c <= 11}"];
    let (status, out, err) = tern(WRAPS, &[&["--int", "32"][..], &claims].concat());
    assert_eq!(status, Some(1), "{out} {err}");
    let verdicts: Vec<&str> = out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(verdicts[0].starts_with("holds") && verdicts[1].starts_with("holds"), "{out}");
    assert!(verdicts[2].starts_with("fails"), "{out}");
    let (status, _, err) = tern(WRAPS, &["--int", "12", "-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("8, 16, 32, 64"), "{err}");
    let (status, _, err) = tern(WRAPS, &["--int", "64", "--long", "32", "-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("fewer bits"), "{err}");
}

#[test]
fn widths_are_part_of_the_claim() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), WRAPS).expect("written");
    let check = ["check", "p.c", "-f", "AG {c <= 255}", "-f", "AF {x < 0}"];
    let check = [&check[..], &["--int", "32", "--json", "--evidence"]].concat();
    let (_, json, err) = in_folder(&folder, &check);
    assert!(json.contains("\"int\":32") && json.contains("\"long\":64"), "{json} {err}");
    fs::write(folder.path().join("r.json"), &json).expect("written");
    let (status, out, err) = in_folder(&folder, &["certify", "p.c", "r.json"]);
    assert_eq!(status, Some(0), "{out} {err}");
    assert!(out.contains("2 results: 2 accepted"), "{out}");
    assert!(out.contains("int 32; long 64"), "{out}");
    let same = ["certify", "p.c", "r.json", "--int", "32"];
    assert_eq!(in_folder(&folder, &same).0, Some(0));
    for other in [&["--int", "16"][..], &["--int", "32", "--long", "32"]] {
        let args = [&["certify", "p.c", "r.json"][..], other].concat();
        let (status, _, err) = in_folder(&folder, &args);
        assert_eq!(status, Some(2), "{other:?}");
        assert!(err.contains("error[E009]"), "{err}");
    }
    // What is true of numbers that wrap is not accepted of others.
    let plain = json.replace("\"int\":32", "\"int\":null").replace("\"long\":64", "\"long\":null");
    fs::write(folder.path().join("f.json"), plain).expect("written");
    let (status, out, err) = in_folder(&folder, &["certify", "p.c", "f.json"]);
    assert_ne!(status, Some(0), "{out} {err}");
}

#[test]
fn claims_beyond_ctl() {
    let text = "void main() { int x, on; on = 0; while (x > 0) { x = x - 1; on = ?; } on = 1; }";
    let decided = |claim: &str, args: &[&str]| tern(text, &[&["-f", claim][..], args].concat()).0;
    assert_eq!(decided("F G {on == 1}", &[]), Some(0));
    assert_eq!(decided("F G {x > 5}", &[]), Some(1));
    assert_eq!(decided("F G {on == 1} & G F exit", &[]), Some(0));
    // Evidence is that of the claim that decided.
    for claim in ["F G {on == 1}", "F G {x > 5}", "E [G F {on == 1} & F {on == 0}]"] {
        let (_, out, _) = tern(text, &["-f", claim, "--certify"]);
        assert!(out.contains("certified in"), "{out}");
    }
    let small = ["--given", "x <= 3 && x >= 0 && on == 0"];
    assert_eq!(decided("E [G F {on == 0}]", &small), Some(1));
    assert_eq!(decided("(F {on == 1}) & (F G {x <= 0})", &small), Some(0));
}

#[test]
fn functions_that_are_called_often_are_looked_at_once() {
    // Each calls the one below twice, so that there are 2^n calls of the first.
    let doubling = |size: usize| {
        let mut text = "int f0(int a) { while (a > 0) a = a - 1; return a; }\n".to_owned();
        for (below, level) in (1..=size).enumerate() {
            text += &format!("int f{level}(int a) {{ a = f{below}(a); return f{below}(a); }}\n");
        }
        text + &format!("void main() {{ int x; x = f{size}(x); }}")
    };
    for size in [5, 6, 7, 8, 9, 20] {
        let (_, out, err) = tern(&doubling(size), &["-f", "AF exit", "--stats"]);
        assert!(out.starts_with("holds"), "{size}: {out}{err}");
        let systems = out.split(" systems of rows").next().and_then(|it| it.rsplit(' ').next());
        let systems: u64 = systems.and_then(|it| it.parse().ok()).expect("a number");
        assert!(systems < 20_000, "{size}: {systems} systems of rows");
    }
    let calls = "x = add(x, 1);\n".repeat(150);
    let program = format!(
        "int add(int a, int b) {{ int c; c = a + b; return c; }}\n\
         void main() {{ int x = 0;\n{calls}}}"
    );
    let (_, out, err) = tern(&program, &["-f", "AF (exit & {x == 150})"]);
    assert!(out.starts_with("holds"), "{out}{err}");
}

#[test]
fn long_chains_of_operators_end_in_time() {
    let program = "void main() { int x; while (x > 0) x = x - 1; }";
    for count in [24, 60] {
        let same = vec!["exit"; count].join(" U ");
        let other: Vec<String> = (0..count).map(|it| format!("{{x == {it}}}")).collect();
        for claim in [same, other.join(" U ")] {
            let (status, out, err) = tern(program, &["-f", &claim, "--certify"]);
            assert_eq!(status, Some(1), "{err}");
            // As texts the claims of CTL that decide would be as long as no memory is.
            assert!(out.len() < 200_000, "{} bytes", out.len());
        }
    }
}

#[test]
fn analyses_agree_on_what_all_decide() {
    let text = "void main() { char x; int y; y = 0; while (x != 0) { x = x & (x - 1); y++; } }";
    let given = ["--int", "16", "--given", "x >= 0 && y == 0"];
    for claim in ["AF (exit & {y <= 7})", "AG {y <= 6}", "F G {y <= 7}"] {
        let by = |kind: &str| {
            let args = [&given[..], &["-f", claim, "--analysis", kind]].concat();
            tern(text, &args).0
        };
        let [explicit, machine, auto] = ["explicit", "machine", "auto"].map(by);
        assert_eq!(machine, auto, "{claim}");
        assert!(explicit == auto || claim.starts_with("F G"), "{claim}");
        assert!(matches!(auto, Some(0 | 1)), "{claim}");
        assert!(by("numeric") == auto || by("numeric") == Some(3), "{claim}");
    }
    for domain in ["intervals", "octagons", "polyhedra"] {
        let args = ["-f", CLAIM, "--given", "step > 0", "--domain", domain];
        assert_eq!(tern(SERVER, &args).0, Some(0), "{domain}");
    }
}

#[test]
fn tasks_of_the_competition() {
    let folder = TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write(
        "p.c",
        "extern void reach_error(void); unsigned __VERIFIER_nondet_uint(void);
int main() { unsigned n = __VERIFIER_nondet_uint(); if (n == 7) reach_error();
while (n > 8) { n = n - 2; } return 0; }",
    );
    write("unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    write("termination.prp", "CHECK( init(main()), LTL(F end) )\n");
    write("no-overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let task = "format_version: '2.0'
input_files: 'p.c'
properties:
  - property_file: unreach-call.prp
    expected_verdict: false
  - property_file: termination.prp
    expected_verdict: true
  - property_file: no-overflow.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
";
    write("t.yml", task);
    let (status, out, err) = in_folder(&folder, &["check", "t.yml", "--sv-comp"]);
    assert_eq!(status, Some(1), "{out} {err}");
    assert_eq!(out, "unreach-call: FALSE(unreach-call)\ntermination: TRUE\n");
    let (_, out, _) = in_folder(&folder, &["check", "t.yml", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((&value["int"], &value["long"]), (&32.into(), &32.into()));
    assert_eq!(value["results"][0]["expected"], false);
    assert_eq!(value["results"][1]["expected"], true);
    write(
        "u.yml",
        &task
            .replace("unreach-call.prp", "no-overflow.prp")
            .replace("termination.prp", "no-overflow.prp"),
    );
    let (status, _, err) = in_folder(&folder, &["check", "u.yml"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("error[C106]") && err.contains("overflow"), "{err}");
    assert!(err.contains("no-overflow.prp:1:1"), "{err}");
}

#[test]
fn mistakes_in_tasks_have_places() {
    let folder = TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("p.c", "int main() { int n; return 0; }");
    write("u.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    write("l.prp", "# a note\nCHECK( init(main()), LTL(F \"m > 0\") )\n");
    let task = |from: &str, to: &str| {
        let task = "input_files: 'p.c'
properties:
  - property_file: u.prp
    expected_verdict: false
options:
  language: C
  data_model: ILP32
";
        assert!(task.contains(from), "{from}");
        write("t.yml", &task.replace(from, to));
        let (status, _, err) = in_folder(&folder, &["check", "t.yml"]);
        assert_eq!(status, Some(2), "{err}");
        err
    };
    for (from, to, place) in [
        ("verdict: false", "verdict: maybe", "t.yml:4:5"),
        ("language: C", "language: Java", "t.yml:6:3"),
        ("ILP32", "ILP23", "t.yml:7:3"),
        ("u.prp", "l.prp", "l.prp:2:29"),
    ] {
        let err = task(from, to);
        assert!(err.contains(place), "{place}: {err}");
    }
}

#[test]
fn initial_values_of_transition_systems_may_be_given() {
    let folder = TempDir::new().expect("a folder");
    let text =
        "START: 0;\nFROM: 0; assume(x > 0); x := x - y; TO: 0;\nFROM: 0; assume(x <= 0); TO: 1;\n";
    fs::write(folder.path().join("p.t2"), text).expect("written");
    let check = ["check", "p.t2", "-f", "AF exit"];
    let given = |given: &[&str]| in_folder(&folder, &[&check[..], given].concat());
    let (status, out, _) = given(&[]);
    assert!(status == Some(1) && out.contains("from line 2 with"), "{out}");
    assert_eq!(given(&["--given", "y >= 1"]).0, Some(0));
    let (status, _, err) = given(&["--given", "y >= 1 && z > 0"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("--given:1:11"), "{err}");
    // It is part of the result.
    let (_, json, _) = given(&["--given", "y >= 1", "--json", "--evidence"]);
    fs::write(folder.path().join("r.json"), &json).expect("written");
    let (status, out, err) = in_folder(&folder, &["certify", "p.t2", "r.json"]);
    assert_eq!(status, Some(0), "{out} {err}");
    let looser = json.replace("\"given\":[\"y >= 1\"]", "\"given\":[]");
    assert_ne!(looser, json);
    fs::write(folder.path().join("r.json"), looser).expect("written");
    assert_eq!(in_folder(&folder, &["certify", "p.t2", "r.json"]).0, Some(1));
}

#[test]
fn several_programs() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("a.c"), "void main() { int x; while (x > 0) x--; }").expect("a");
    fs::write(folder.path().join("b.c"), "void main() { int x; while (x > 0) x++; }").expect("b");
    let (status, out, err) = in_folder(&folder, &["check", "a.c", "b.c", "-f", "AF exit"]);
    assert_eq!(status, Some(1), "{out} {err}");
    assert!(out.contains("a.c") && out.contains("holds") && out.contains("fails"), "{out}");
    let (_, out, _) = in_folder(&folder, &["check", "a.c", "b.c", "-f", "AF exit", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["models"][1]["results"][0]["verdict"], "fails", "{out}");
}

#[test]
fn what_a_program_consists_of() {
    let folder = TempDir::new().expect("a folder");
    let text = "int g; int f(int n) { return n > 0 ? f(n - 1) : 0; }
void main() { int x; x = f(read(1));
while (x > 0) x--; }";
    fs::write(folder.path().join("p.c"), text).expect("written");
    let (status, out, err) = in_folder(&folder, &["info", "p.c"]);
    assert_eq!(status, Some(0), "{out} {err}");
    for part in ["f (calls itself)", "read: functions without a body", "g, x", "at line 1, 3"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (_, out, _) = in_folder(&folder, &["info", "p.c", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["missing"][0], "read");
}

#[test]
fn macros_by_the_preprocessor() {
    let text = "#include <stdio.h>
#define TWICE(a) ((a) + (a))
#if TWICE(1) == 2
int g;
#endif
void main() { g = TWICE(g + 1); h = 1; }
";
    let (status, _, err) = tern(text, &["-f", "AF {g == 2}", "--preprocess"]);
    if err.contains("cannot be run") {
        println!("skipped: there is no `cc`");
        return;
    }
    // The place is that in the text.
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("`h` is not declared") && err.contains("p.c:6"), "{err}");
    let (status, out, err) =
        tern(&text.replace("h = 1;", ""), &["-f", "AF {g == 2}", "--preprocess"]);
    assert_eq!(status, Some(0), "{out} {err}");
    // What the preprocessor does not accept stands where it is, and so does what is in a header.
    let (status, _, err) =
        tern("int g;\n#error no\nvoid main() { }", &["--preprocess", "-f", "AF exit"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("p.c:2:2") && err.contains("#error no"), "{err}");
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("a.h"), "\nint g = ;\n").expect("written");
    fs::write(folder.path().join("p.c"), "#include \"a.h\"\nvoid main() { }").expect("written");
    let (status, _, err) = in_folder(&folder, &["check", "p.c", "--preprocess", "-f", "AF exit"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("a.h:2:9"), "{err}");
    // Limits are those of the widths that are asked for.
    let text = "#include <limits.h>\nint g; void main() { g = INT_MAX; }";
    for (bits, claim) in [("16", "AF {g == 32767}"), ("32", "AF {g == 2147483647}")] {
        let (status, out, err) = tern(text, &["-f", claim, "--preprocess", "--int", bits]);
        assert_eq!(status, Some(0), "{out} {err}");
    }
}

#[test]
fn values_with_too_many_cases_are_listed() {
    let text = "void main() { int i0; unsigned char o0 = 0;
  o0 = (((i0 % 16) >> ((i0 + i0) & 7)) != ((i0 % 3) != (i0 ? 31 : i0)));
}";
    for (claim, status) in [("AF (exit & {o0 == 1})", 0), ("AF (exit & {o0 == 0})", 1)] {
        let given = ["--int", "64", "--given", "i0 >= 2 && i0 <= 3", "--certify"];
        let (found, out, err) = tern(text, &[&["-f", claim][..], &given].concat());
        assert_eq!(found, Some(status), "{out} {err}");
        assert!(out.contains("certified in"), "{out}");
    }
}

#[test]
fn a_mistake_is_told_once() {
    let text = "int a[30000];\nvoid main() { int i; a[i] = 1; i = a[2]; }";
    let (status, _, err) = tern(text, &["-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert_eq!(err.matches("error[").count(), 1, "{err}");
}

#[test]
fn many_functions_that_call_each_other_are_read_soon() {
    let ring = |count: usize| {
        let declared: String = (0..count).map(|it| format!("int f{it}(int n);\n")).collect();
        let body = |it: usize| {
            let next = (it + 1) % count;
            format!("int f{it}(int n) {{ if (n <= 0) return 0; return f{next}(n - 1); }}\n")
        };
        let bodies: String = (0..count).map(body).collect();
        format!("{declared}{bodies}void main() {{ int x; x = f0(x); }}")
    };
    let (status, out, err) = tern(&ring(90), &["-f", "AF exit"]);
    assert_eq!(status, Some(0), "{out}{err}");
    // Too many, and that is said at once.
    let (status, _, err) = tern(&ring(3000), &["-f", "AF exit", "--timeout", "2s"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("there are too many variables"), "{err}");
}
