//! What `--precondition` says of initial values.

use super::{CLAIM, SERVER, tern};

#[test]
fn preconditions_are_found() {
    let args = ["-f", CLAIM, "--precondition", "--json"];
    let (_, out, _) = tern(SERVER, &args);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["results"][0]["precondition"]["holds"], "step >= 1", "{out}");
    assert_eq!(value["results"][0]["precondition"]["fails"], "step <= 0", "{out}");
}

#[test]
fn preconditions_are_about_all_starts() {
    // The value of x makes two starts of one declaration.
    let program = "void main() { int n; int x = n > 0 ? 1 : 0; x = x; }";
    let (_, out, _) = tern(program, &["-f", "AG {x == 0}", "--precondition", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["results"][0]["precondition"]["holds"], "x <= 0", "{out}");
    assert_eq!(value["results"][0]["precondition"]["fails"], "x >= 1", "{out}");
}

#[test]
fn preconditions_that_lie_in_many_cells_are_one() {
    // Each case splits the initial values; together they are what the claim asks for.
    let program = "void main() { int x; int y = 0;\n switch (x) { case 1: y = 1; case 2: y += 2; break;\n default: y = 10; }\n if (x >= 1 && x <= 4) L: y = 0; }";
    let args = ["-f", "AF exit", "-f", "EF L", "-f", "AF {y == 2}", "--precondition", "--json"];
    let (_, out, _) = tern(program, &args);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let said = |claim: usize, kind: &str| value["results"][claim]["precondition"][kind].clone();
    assert_eq!(said(0, "holds"), "true", "{out}");
    assert_eq!(said(0, "fails"), "false", "{out}");
    assert_eq!(said(1, "holds"), "x <= 4 && x >= 1", "{out}");
    assert_eq!(said(1, "fails"), "x <= 0 || x >= 5", "{out}");
    assert_eq!(said(2, "holds"), "x == 2", "{out}");
}
