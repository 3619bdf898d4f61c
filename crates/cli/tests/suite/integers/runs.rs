//! The runs by which claims fail: each failing claim of `tests/integers/servers.md` has one that
//! the interpreter finds too, and so have claims whose run the analysis does not tell.

use super::tern;
use serde_json::Value;
use std::path::Path;

/// The result of a claim about a program.
fn result(program: &str, args: &[&str]) -> Value {
    let (_, out, err) = tern(program, &[args, &["--json"]].concat());
    let object: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    object["results"][0].clone()
}

/// That a claim fails by a run that was replayed and comes to an end, or is known for ever.
fn assert_told(program: &str, args: &[&str]) -> Value {
    let result = result(program, args);
    assert_eq!(result["verdict"], "fails", "{args:?} {result}");
    assert_eq!(result["replayed"], true, "{args:?} {result}");
    let mut part = &result["witness"];
    loop {
        assert!(part["moves"].is_array(), "{args:?} {result}");
        let kind = &part["ending"]["kind"];
        assert!(kind == "done" || kind == "loop" || kind == "grows", "{args:?} {result}");
        match part["asides"].get(0) {
            Some(aside) if aside["why"]["reason"] == "run" => part = &aside["why"],
            _ => return result,
        }
    }
}

#[test]
fn claims_of_servers_that_fail_have_runs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/integers/servers.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (mut code, mut count) = (String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line == "```c" {
            code = lines.by_ref().take_while(|line| *line != "```").collect::<Vec<_>>().join("\n");
        }
        let Some(claim) = line.strip_prefix("fails ") else { continue };
        if claim.starts_with("E ") {
            // No run can show that there is none.
            let reason = result(&code, &["-f", claim])["witness"]["reason"].clone();
            assert_eq!(reason, "all-paths", "{claim}");
            continue;
        }
        assert_told(&code, &["-f", claim]);
        assert_told(&code, &["-f", claim, "--analysis", "numeric"]);
        count += 1;
    }
    assert!(count >= 20, "only {count} claims were looked at");
}

#[test]
fn a_run_says_which_steps_repeat() {
    let program = "int a; void main() { a = 1; while (1) { a = 0; a = 2; } }";
    let result = assert_told(program, &["-f", "G F {a == 1} | F G {a == 0}"]);
    let witness = &result["witness"];
    assert_eq!(witness["formula"], "G F \"a == 1\" | F G \"a == 0\"");
    assert_eq!((&witness["holds"], &witness["reason"]), (&false.into(), &"run".into()));
    let moves = witness["moves"].as_array().expect("a list");
    let states: Vec<&Value> = std::iter::once(&witness["from"]).chain(moves).collect();
    assert_eq!(witness["ending"]["kind"], "loop", "{witness}");
    let from = witness["ending"]["from"].as_u64().expect("a number") as usize;
    // The last state is the one that it goes on from.
    assert_eq!(states.last(), states.get(from), "{witness}");
    let values: Vec<&str> =
        states[from..].iter().map(|it| it["values"]["a"].as_str().expect("a number")).collect();
    assert!(values.contains(&"2") && !values.contains(&"1"), "{values:?}");
}

#[test]
fn runs_go_through_functions_that_call_themselves() {
    let program = "int n, w;
        void work(int k) { if (k > 0) { w = 1; work(k - 1); w = 0; } }
        void main() { while (1) { n = ?; work(n); } }";
    for claim in ["AG {w == 0}", "AF {w == 1}", "AG AF {n == 3}", "G F {w == 1} | F G {n > 0}"] {
        assert_told(program, &["-f", claim]);
    }
}

#[test]
fn runs_follow_remainders() {
    let program = "int x; void main() { while (1) { x = x + 3; if (x > 20) x = 0; } }";
    assert_told(program, &["-f", "AG {x % 7 != 1}", "--analysis", "numeric"]);
}

#[test]
fn a_run_that_grows_ends_with_a_round_and_is_replayed() {
    let program = "int x, y; void main() { while (x >= 0) { x = x + 1; y = 1 - y; } }";
    let cases = [
        ("AF exit", 0, Some("2")),
        ("AF {x < 0}", 0, Some("2")),
        ("G F {y == 0} -> F exit", 0, Some("2")),
        ("F G {y == 0}", 0, Some("2")),
        // From here on the claim sees the same in all rounds.
        ("F {x == 7} -> F exit", 24, Some("2")),
    ];
    for (claim, from, by) in cases {
        let result = result(program, &["-f", claim, "--certify"]);
        assert_eq!((&result["verdict"], &result["certified"]), (&"fails".into(), &true.into()));
        let ending = &result["witness"]["ending"];
        assert_eq!((&ending["kind"], &ending["from"]), (&"grows".into(), &from.into()), "{claim}");
        assert_eq!(ending["by"]["x"].as_str(), by, "{claim}");
        assert_eq!(ending["by"]["y"], Value::Null, "{claim}");
        assert_eq!(result["replayed"], true, "{claim}");
    }
}

#[test]
fn a_run_that_grows_is_followed_to_where_the_claim_fails() {
    let program = "int light, cars;
        void main() { while (1) { light = 1; cars = cars + 1; light = 0; } }";
    for more in [&[][..], &["--witness"]] {
        let result = result(program, &[&["-f", "F G {cars < 50}"], more].concat());
        let witness = &result["witness"];
        assert_eq!(witness["ending"]["kind"], "grows", "{more:?} {result}");
        assert_eq!(result["replayed"], true, "{more:?}");
        let moves = witness["moves"].as_array().expect("a list");
        let last = moves.last().expect("there are some");
        assert_eq!(last["values"]["cars"], "51", "{more:?}");
    }
}

#[test]
fn a_loop_that_counts_what_no_claim_sees_is_none_to_the_same_state() {
    let program = "int tries, won;
        void main() { while (won == 0) { tries = tries + 1; if (?) won = 1; } }";
    let result = result(program, &["-f", "F G {won == 1}"]);
    let ending = &result["witness"]["ending"];
    assert_eq!((&ending["kind"], &ending["by"]["tries"]), (&"grows".into(), &"1".into()));
    assert_eq!(result["replayed"], true);
}

#[test]
fn choices_and_quotients_grow_with_a_run() {
    let chosen = "int x, y; void main() { while (1) { y = nondet(); assume(y > x); x = y; } }";
    let halved = "int x, h; void main() { x = 1; while (x > 0) { h = x / 2; x = h + h + 2; } }";
    for (program, claim) in [(chosen, "F {x < 0}"), (halved, "AF exit"), (halved, "F exit")] {
        let result = result(program, &["-f", claim]);
        let ending = &result["witness"]["ending"];
        assert_eq!((&ending["kind"], &result["replayed"]), (&"grows".into(), &true.into()));
    }
}

#[test]
fn a_run_without_rounds_says_where_it_stays() {
    let program = "int x; void main() { x = 1; while (1) x = 2*x; }";
    for claim in ["AF {x < 0}", "G F {x < 0} | F G {x == 3}"] {
        let result = result(program, &["-f", claim]);
        let ending = &result["witness"]["ending"];
        assert_eq!((&result["verdict"], &ending["kind"]), (&"fails".into(), &"too-long".into()));
        let areas = ending["areas"].as_array().expect("a list");
        let is_above = |area: &Value| {
            area["line"] == 1 && area["rows"][0].as_str().is_some_and(|it| it.starts_with("x >= "))
        };
        assert!(!areas.is_empty() && areas.iter().all(is_above), "{ending}");
        assert_eq!(result["followed"], true, "{result}");
    }
}

#[test]
fn the_interpreter_goes_on_where_values_are_products() {
    let program = "int f, i, j; void main() { i = 1; f = 1;
        while (f != j) { f = f * i; i = i + 1; } }";
    let result = result(program, &["-f", "AF exit"]);
    assert_eq!((&result["verdict"], &result["followed"]), (&"fails".into(), &true.into()));
    let moves = result["witness"]["moves"].as_array().expect("a list");
    let factorials = moves.iter().filter_map(|state| state["values"]["f"].as_str());
    assert!(factorials.clone().any(|it| it == "3628800"), "{result}");
    assert!(!factorials.clone().any(|it| it == "3628801"), "{result}");
}

#[test]
fn the_interpreter_goes_on_in_calls_that_do_not_end() {
    let descending = "int r, d;
        int f(int n) { if (n == 0) return 0; d = n; return f(n - 1); }
        void main() { int x; r = f(x); }";
    let choosing = "int r;
        int f(int n) { if (n == 0) return 0; if (nondet()) return f(0); return f(n - 1); }
        void main() { int x; r = f(x); }";
    let cases = [
        (descending, "AF exit", "inside"),
        (choosing, "AF exit", "inside"),
        // The only run that there is.
        (descending, "AF {d == 1}", "too-long"),
    ];
    for (program, claim, kind) in cases {
        let result = result(program, &["-f", claim]);
        let ending = &result["witness"]["ending"];
        assert_eq!((&result["verdict"], &ending["kind"]), (&"fails".into(), &kind.into()));
        assert_eq!(result["followed"], true, "{result}");
        let moves = result["witness"]["moves"].as_array().expect("a list");
        assert!(moves.len() >= 100, "{result}");
    }
}

#[test]
fn claims_of_ctl_are_asked_of_bodies_that_call_themselves() {
    let program = "int g, s;
        void f(int d) { g = 1; if (d > 0) f(d - 1); g = 0; }
        void main() { while (1) { s = ?; f(s); } }";
    let claim = "G F {g == 1} & G F {g == 0}";
    for analysis in ["auto", "numeric"] {
        let result = result(program, &["-f", claim, "--analysis", analysis, "--certify"]);
        assert_eq!((&result["verdict"], &result["certified"]), (&"holds".into(), &true.into()));
    }
}

#[test]
fn a_loop_comes_back_to_a_state_that_was_there() {
    // In the first round g becomes 0, which the claim does not depend on.
    let program = "int g, x; void main() { g = 2; while (x >= 0) { g = 0; x = 1 - x; } }";
    let result = assert_told(program, &["-f", "AF {x < 0}"]);
    let witness = &result["witness"];
    assert_eq!(witness["ending"]["kind"], "loop", "{witness}");
    let from = witness["ending"]["from"].as_u64().expect("a number") as usize;
    let moves = witness["moves"].as_array().expect("a list");
    let first = if from == 0 { &witness["from"] } else { &moves[from - 1] };
    assert_eq!(moves.last().expect("some")["values"], first["values"], "{witness}");
}

#[test]
fn values_that_the_analysis_does_not_know_are_the_interpreters() {
    let program = "int v = 3, w = 10; int main() { v = v * w * w; }";
    let result = assert_told(program, &["-f", "AF {v == 7}", "--certify"]);
    let last = result["witness"]["moves"].as_array().expect("a list").last().cloned();
    assert_eq!(last.expect("some")["values"]["v"], "300", "{result}");
}

#[test]
fn what_was_never_set_has_the_value_of_the_run() {
    let program =
        "int x; void main() { int n; n = 3; while (n > 0) n--; while (1) { int d; d = d; } }";
    assert_told(program, &["-f", "AF {x > 5}"]);
}

#[test]
fn a_run_that_tells_half_of_the_reason_is_followed() {
    // On the loop y can become 1 again and again, which is more than one run can show, and x
    // grows beyond what is listed.
    let program = "int x, y; void main() { while (1) { x = x + 1; y = 0; if (?) y = 1; } }";
    let result = result(program, &["-f", "AF AG {y == 0}"]);
    assert_eq!(
        (&result["verdict"], &result["witness"]["reason"]),
        (&"fails".into(), &"run".into())
    );
    let is_followed = result["followed"] == true || result["replayed"] == true;
    assert!(is_followed, "{result}");
}

#[test]
fn a_state_without_a_run_is_none_that_a_claim_fails_in() {
    let program = "int g = 1; void main() { int x, y = 1;
        while (1) { assume(1 != x); y = [0, 1]; y = 2 <= x ? g : y; y = 4 - g; } }";
    for analysis in ["auto", "numeric"] {
        let args = ["--given", "x >= 0 && x <= 1", "--analysis", analysis];
        let claim = ["-f", "EG (G {y > x} | EF exit)"];
        let result = result(program, &[&claim[..], &args].concat());
        assert_ne!(result["verdict"], "fails", "{result}");
        if analysis == "auto" {
            assert_eq!(result["verdict"], "holds", "{result}");
        }
    }
}
