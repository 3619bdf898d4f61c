//! Evidence by listed states: what is decided only so is certified, and forged evidence is refused.

use super::{in_folder, tern};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// What is known of a product is not enough for the analysis.
const SQUARES: &str = "int g;
void main() { int x, y; y = 0; while (x > 0) { y = x * x + g; x = x - 1; } }";

const GIVEN: &str = "x >= 0 && x <= 5 && y == 0";

/// One that holds, one that fails, and two that CTL cannot say.
const CLAIMS: [&str; 4] = ["AG {y != 3}", "AG {y != 16}", "F G {y <= 1}", "F G {x > 0}"];

/// A folder with the program and its results, with evidence.
fn with_results() -> (TempDir, Value) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), SQUARES).expect("written");
    let mut args = vec!["check", "p.c", "--given", GIVEN, "--json", "--evidence"];
    args.extend(CLAIMS.iter().flat_map(|claim| ["-f", claim]));
    let (status, json, err) = in_folder(&folder, &args);
    assert_eq!(status, Some(1), "{json} {err}");
    let value: Value = serde_json::from_str(&json).expect("it is JSON");
    for (result, verdict) in value["results"]
        .as_array()
        .expect("a list")
        .iter()
        .zip(["holds", "fails", "holds", "fails"])
    {
        assert_eq!(result["verdict"], verdict, "{}", result["claim"]);
        assert!(!result["evidence"].is_null(), "{result}");
    }
    (folder, value)
}

/// What the certifier says of results: its status, and what it prints.
fn certified(folder: &TempDir, results: &Value) -> (Option<i32>, String) {
    fs::write(folder.path().join("r.json"), results.to_string()).expect("written");
    let (status, out, err) = in_folder(folder, &["certify", "p.c", "r.json"]);
    (status, out + &err)
}

#[test]
fn what_is_decided_by_listing_states_is_certified() {
    let (folder, results) = with_results();
    for number in [0, 1] {
        assert_eq!(results["results"][number]["evidence"]["kind"], "states");
    }
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(0), "{said}");
    for claim in CLAIMS {
        let args = ["check", "p.c", "--given", GIVEN, "-f", claim, "--certify", "--quiet"];
        let (_, out, err) = in_folder(&folder, &args);
        assert!(!out.contains("no evidence") && !err.contains("no evidence"), "{out} {err}");
    }
}

#[test]
fn forged_evidence_by_states_is_refused() {
    let (folder, results) = with_results();
    let refused = |why: &str, forge: &dyn Fn(&mut Vec<Value>)| {
        let mut forged = results.clone();
        let list = forged["results"].as_array_mut().expect("a list");
        forge(list);
        let (status, said) = certified(&folder, &forged);
        assert_eq!(status, Some(1), "{why}: {said}");
        assert!(said.contains(why), "{why}: {said}");
    };
    for (number, other) in [(0, "fails"), (1, "holds")] {
        refused("refused", &|list| list[number]["verdict"] = json!(other));
    }
    // That it holds is shown by all initial states only.
    refused("does not show that a claim holds", &|list| {
        list[0]["evidence"]["start"] = json!({ "x": 1 });
    });
    refused("cannot be listed", &|list| list[0]["evidence"]["starts"] = json!(3));
    refused("refused", &|list| list[0]["evidence"]["states"] = json!(2));
    refused("refused", &|list| list[0]["evidence"]["size"] = json!(1));
    // Nobody can make the certifier list without end.
    for field in ["starts", "states", "choices"] {
        refused("more states than are listed", &|list| {
            list[0]["evidence"][field] = json!(1_000_000_000_000_000_u64);
        });
    }
    // That it fails, by an initial state; g is 0, and x is 5 at most.
    for start in [json!({ "x": 9, "y": 0 }), json!({ "x": 5, "y": 0, "g": 4 }), json!({ "z": 1 })] {
        refused("cannot be listed", &|list| list[1]["evidence"]["start"] = start.clone());
    }
    refused("refused", &|list| list[1]["evidence"]["start"] = json!({ "x": 2, "y": 0 }));
    // Evidence for another claim, and none at all.
    refused("refused", &|list| {
        let other = list[1]["evidence"].clone();
        list[1]["evidence"] = list[3]["evidence"].clone();
        list[3]["evidence"] = other;
    });
    refused("refused", &|list| list[0]["claim"] = json!("AG {y != 4}"));
    refused("refused", &|list| list[0]["evidence"]["evidence"] = Value::Null);
    refused("version", &|list| list[0]["evidence"]["version"] = json!(2));
}

#[test]
fn evidence_by_states_is_about_one_program() {
    let (folder, mut results) = with_results();
    fs::write(folder.path().join("p.c"), SQUARES.replace("x * x", "x * x - 1")).expect("written");
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
    fs::write(folder.path().join("p.c"), SQUARES).expect("written");
    results["given"] = json!(["x >= 0 && x <= 6 && y == 0"]);
    // All is true as well with one more value, but the evidence is about other states.
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
    results["given"] = json!([]);
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
}

/// That a claim is decided, with evidence.
fn assert_decided(program: &str, claim: &str, given: &str, verdict: &str) {
    let given = if given.is_empty() { vec![] } else { vec!["--given", given] };
    assert_decided_with(program, claim, &given, verdict);
}

fn assert_decided_with(program: &str, claim: &str, given: &[&str], verdict: &str) {
    let args = [&["-f", claim, "--json", "--certify"], given].concat();
    let (_, out, err) = tern(program, &args);
    let object: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let result = &object["results"][0];
    assert_eq!(result["verdict"], verdict, "{claim} {given:?}\n{program}\n{result}");
    assert_eq!(result["certified"], true, "{claim} {given:?}\n{program}\n{result}");
}

#[test]
fn initial_values_that_only_the_claim_sees_are_left_open() {
    let parity = "int odd(int n);
        int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        void main() { int n, r; r = even(n); }";
    assert_decided(parity, "AF (exit & {r == 1})", "n == 6", "holds");
    assert_decided(parity, "AF (exit & {r == 1})", "n == 5", "fails");
    // Whether it is 7 at once is not known, but it is in the end.
    assert_decided("void main() { int x, y; y = 7; x = y * y; }", "AF {x == 49}", "", "holds");
    assert_decided("void main() { int x, y; y = 7; x = y * y; }", "EG {x != 49}", "", "fails");
    assert_decided("void main() { int x, y; y = 7; x = y * y; }", "AF G {x == 49}", "", "holds");
    // What is true at once of some values only is not true of all.
    assert_decided("void main() { int x, y; y = 7; x = y * y; }", "{x == 49}", "", "fails");
    assert_decided("void main() { int x, y; y = 7; x = y * y; }", "AG {x != 48}", "", "fails");
}

#[test]
fn many_states_are_listed_before_a_search_without_bounds() {
    let search = "void main() {
        int lo, hi, mid, x; lo = 0; hi = 100;
        while (lo < hi) { mid = (lo + hi) / 2; if (mid < x) lo = mid + 1; else hi = mid; }
    }";
    assert_decided(search, "AF (exit & {lo == x})", "x >= 0 && x <= 100", "holds");
}

#[test]
fn numbers_of_the_program_are_tried() {
    let text = "void main() { int i, n; i = 0; while (i < n) { assert(i < 100); i++; } }";
    assert_decided(text, "AG !failed", "", "fails");
    assert_decided(text, "AG !failed", "n <= 100", "holds");
}

#[test]
fn what_is_chosen_is_compared_with_numbers_of_the_claim() {
    let text = "void main() { int n, i; n = nondet(); i = 0; while (i < n) i++; }";
    assert_decided(text, "EF {i == 12345}", "", "holds");
    assert_decided(text, "EF {i == -5}", "i > 0", "fails");
}

#[test]
fn values_are_tried_on_the_program_as_it_is() {
    // Made plain twice, it would mean something else.
    let text = "int v = 3, w = 10;
        int main() { v = w > 100 ? (w = 1) : 3000000000; v = v * w; }";
    assert_decided(text, "AF (exit & {v == 30000000000})", "", "holds");
}

#[test]
fn initial_values_that_are_shown_are_those_of_the_evidence() {
    for (program, claim) in [
        (SQUARES, "AG {y != 16}"),
        ("void main() { int x, y; while (x > 0) x = x + 1; }", "AF exit"),
    ] {
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("p.c"), program).expect("written");
        let args = ["check", "p.c", "-f", claim, "--given", "x < 9 && y == 0"];
        let (_, json, _) = in_folder(&folder, &[&args[..], &["--json", "--evidence"]].concat());
        let mut results: Value = serde_json::from_str(&json).expect("it is JSON");
        let (status, text) = certified(&folder, &results);
        assert_eq!(status, Some(0), "{text}");
        results["results"][0]["start"]["values"]["x"] = json!("7");
        let (status, text) = certified(&folder, &results);
        assert!(status == Some(1) && text.contains("7 is shown"), "{text}");
    }
}

#[test]
fn sums_that_a_loop_leaves_as_they_are_bound_its_variables() {
    let text = "void main() { int x, y; y = 0; while (x > 0) { x -= 7; y++; } assert(y != 40); }";
    assert_decided(text, "AG !failed", "x <= 273", "holds");
}

#[test]
fn numbers_that_wrap_may_be_large_in_between() {
    let text = "unsigned long a, b; long c = 5; _Bool one() { return 1; }
        int main() { a = -1; b = a * a; c *= one() + (c - c); }";
    assert_decided_with(text, "AF (exit & {b == 1} & {c == 5})", &["--int", "32"], "holds");
    // Reasons by sums of variables have numbers that are too large; those by bounds have not.
    let bits = "void main() { unsigned x, r;
        r = (x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | (x & 8) >> 3; }";
    assert_decided_with(bits, "AF (exit & {r <= 15})", &["--int", "32"], "holds");
}

#[test]
fn what_holds_because_no_state_has_a_run_is_certified() {
    let program = "int g = 2;
        int f(int n) { if (n <= 0) return 0; g = (g + 1) % 3; assert(g < 1); g = f(0); return 0; }
        void main() { int x; x = f(2); assume(0); }";
    assert_decided(program, "EF {x == 7}", "", "holds");
    assert_decided(program, "AG {x == 7}", "x >= -1 && x <= 0", "holds");
    // The same is not said where a state has a run.
    let program = program.replace("assume(0)", "assume(x == 0)");
    assert_decided(&program, "EF {x == 7}", "x == 0", "fails");
}

#[test]
fn initial_values_may_follow_from_others() {
    let program = "void main() { int x; int y = x; x = 5; }";
    for analysis in ["explicit", "machine"] {
        for claim in ["F {y == 0}", "F ({y == 0} M true)", "{y == 0}"] {
            let args = ["-f", claim, "--given", "x >= 0 && x <= 1", "--analysis", analysis];
            let (_, out, err) = tern(program, &[&args[..], &["--json", "--certify"]].concat());
            let object: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
            let result = &object["results"][0];
            assert_eq!(result["verdict"], "fails", "{result}");
            assert_eq!(result["start"]["values"], json!({"x": "1", "y": "1"}), "{result}");
            assert_eq!(result["certified"], true, "{result}");
        }
        let chosen = "void main() { _Bool x = [0, 1]; x = x; }";
        assert_decided_with(chosen, "AG {x == 0}", &["--analysis", analysis], "fails");
    }
}

#[test]
fn evidence_from_values_that_were_tried_is_about_the_starts_of_the_program() {
    // The claim is decided by trying values, and proved on the graph in which calls are entered.
    let program = "int g0 = 0; int g1; int arr[2] = {1, 0};
        void f1(int n, int m);
        int f0(int n) { if (n <= 0) return 0; g1 = f0(n - 1); f1(2, 2); }
        void f1(int n, int m) {
          int g0 = 2;
          if (n <= 0) return;
          f1(n - 2, -1);
          assert(arr[(g0 < 0 ? 0 : g0) % 2] == 2);
        }
        int main() {
          int x;
          while (2 > 2) {}
          g0 = f0(0);
          if (x == 0) { L1: g0 = 1 - g0; } else { if (arr[g0] < 0) {} }
          if (x) arr[(g1 < 0 ? 0 : g1) % 2] = (arr[1] + 2) % 2;
          g0 = f0(g0);
          g0++;
          g1 = 3 - g0;
          g0 = (x = (g0 + 2) % 2);
        }";
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), program).expect("written");
    let given = ["--given", "g1 >= 0 && g1 <= 2", "--given", "x >= 0 && x <= 2"];
    let args = ["check", "p.c", "-f", "AG !L1", "--json", "--evidence"];
    let (status, json, err) = in_folder(&folder, &[&args[..], &given].concat());
    assert_eq!(status, Some(1), "{json} {err}");
    let results: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_ne!(results["results"][0]["evidence"]["kind"], "states", "nothing is tested");
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn a_loop_without_steps_is_where_its_label_is() {
    // The comma makes several statements of one, which all stand in one place.
    let program = "void main() { int x; if (x > 0) { L0: do { goto L0; } while ((1, x)); } }";
    for analysis in ["numeric", "explicit", "machine"] {
        let args = ["--given", "x >= 1 && x <= 2", "--analysis", analysis];
        assert_decided_with(program, "EF L0", &args, "holds");
    }
}

#[test]
fn large_arrays_are_followed_where_they_are_named() {
    let program = "int a[100]; void main() { int i, s;
        for (i = 0; i < 100; i++) a[i] = i;
        s = 0;
        for (i = 0; i < 100; i++) s += a[i];
        a[7] = 3;
        s = a[7];
        s = a[i]; }";
    for (claim, verdict) in [
        ("AF error", "holds"),
        ("AF {a[7] == 7}", "holds"),
        ("AF {s == 3}", "holds"),
        ("AF {a[7] == 8}", "fails"),
        ("AG {s < 10}", "fails"),
        ("EF {s == 4950}", "holds"),
    ] {
        assert_decided(program, claim, "", verdict);
    }
    let (status, _, err) = tern(program, &["-f", "AG {a[8] >= 0}"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("an element of a large array that the program does not name"), "{err}");
    // What is not followed may be anything: nothing is concluded from that.
    let unknown = "void main() { int a[50], i; i = a[3] + 5; if (i > 4 && i < 50) i = a[i]; }";
    let (_, out, _) = tern(unknown, &["-f", "EF {i == 1000}", "-f", "AG {i != 1000}"]);
    assert!(!out.contains("holds    2"), "{out}");
}
