//! Pictures of models, and runs in them.

use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = r#"
component main {
  initial entry a {p} -> w.in, b;
  box w: "</g><script>";
  w.out -> a;
  node b {"<q>"} -> b;
}
component "</g><script>" { entry in -> in, out; exit out; }
claim loops: AG EF "<q>";
claim fails: AF "<q>";
"#;

fn tern(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    command.args(arguments).current_dir(folder).output().expect("Tern runs")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.tern"), MODEL).expect("written");
    folder
}

fn drawn(folder: &Path, arguments: &[&str]) -> String {
    let output = tern(folder, &[&["draw", "m.tern", "-o", "-"], arguments].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// What a picture is refused with.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = tern(folder, &[&["draw"], arguments].concat());
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn models_are_drawn_whole_or_in_part() {
    let folder = folder();
    let whole = drawn(folder.path(), &["--to", "svg"]);
    assert!(whole.starts_with("<svg ") && whole.ends_with("</svg>\n"), "{whole}");
    assert!(!whole.contains("<script") && whole.contains("&lt;script&gt;"), "{whole}");
    // Two components with three and two nodes, and a box.
    assert_eq!(whole.matches("<title>").count(), 5, "{whole}");
    assert!(!whole.contains("class=\"lit\""), "{whole}");
    let part = drawn(folder.path(), &["--to", "svg", "--component", "main"]);
    assert_eq!(part.matches("<title>").count(), 3, "{part}");
    let graph = drawn(folder.path(), &["--to", "dot", "--component", "main"]);
    assert_eq!(graph.matches("subgraph").count(), 1, "{graph}");
    assert_eq!(drawn(folder.path(), &["--to", "dot"]).matches("subgraph").count(), 2);
}

#[test]
fn a_run_of_a_result_is_lit() {
    let folder = folder();
    let result = tern(folder.path(), &["check", "m.tern", "--json", "--witness"]);
    std::fs::write(folder.path().join("r.json"), &result.stdout).expect("written");
    let run = ["--run", "r.json", "--claim", "fails"];
    for (format, lit) in [("svg", "class=\"lit\""), ("dot", "penwidth")] {
        let text = drawn(folder.path(), &[&["--to", format], &run[..]].concat());
        let text = text.replace("entry lit", "lit").replace("box lit", "lit");
        assert!(text.matches(lit).count() >= 3, "{text}");
    }
    // On another model of the same size the run cannot be made.
    let other = MODEL.replace("-> w.in, b;", "-> b, b;").replace("w.out -> a;", "w.out -> w.in;");
    std::fs::write(folder.path().join("other.tern"), other).expect("written");
    let why =
        refused(folder.path(), &[&["other.tern", "--to", "svg", "-o", "-"], &run[..]].concat());
    assert!(why.contains("E004") && why.contains("another model"), "{why}");
    let why = refused(
        folder.path(),
        &["m.tern", "--to", "svg", "-o", "-", "--run", "r.json", "--claim", "9"],
    );
    assert!(why.contains("there is no run for a claim `9`"), "{why}");
    std::fs::write(folder.path().join("bad.json"), "{").expect("written");
    let why = refused(folder.path(), &["m.tern", "--to", "svg", "-o", "-", "--run", "bad.json"]);
    assert!(why.contains("E001"), "{why}");
}

#[test]
fn pictures_are_refused_with_a_way_out() {
    let folder = folder();
    let why = refused(folder.path(), &["m.tern", "-o", "m.png"]);
    assert!(why.contains("name a .svg or .dot file"), "{why}");
    let why = refused(folder.path(), &["m.tern", "-o", "m.svg", "--component", "mian"]);
    assert!(why.contains("did you mean `main`?"), "{why}");
    assert_eq!(tern(folder.path(), &["draw", "m.tern", "-o", "m.svg"]).status.code(), Some(0));
    let why = refused(folder.path(), &["m.tern", "-o", "m.svg"]);
    assert!(why.contains("overwrite it with --force"), "{why}");
    let why = tern(folder.path(), &["check", "m.tern", "--html", "-"]);
    assert_eq!(why.status.code(), Some(2));
    assert!(!folder.path().join("-").exists());
}

#[test]
fn integer_programs_are_drawn_as_flow_graphs() {
    let folder = folder();
    let program = "int ack;\nvoid main() {\n  int n, step;\n  while (n > 0) {\n    n = n - step; // </g><script>\n  }\n  ack = 1;\n}\n";
    std::fs::write(folder.path().join("m.c"), program).expect("written");
    let draw = |arguments: &[&str]| {
        let output = tern(folder.path(), &[&["draw", "m.c", "-o", "-"], arguments].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    let graph = draw(&["--to", "dot"]);
    assert!(graph.contains("5: n = n - step;") && graph.contains("end\\nexit"), "{graph}");
    assert_eq!(graph.matches(" -> n").count(), 6, "{graph}");
    assert!(draw(&["--to", "svg"]).starts_with("<svg "));
    let check = |claim: &str| {
        let result = tern(folder.path(), &["check", "m.c", "-f", claim, "--json", "--witness"]);
        std::fs::write(folder.path().join("r.json"), &result.stdout).expect("written");
    };
    check("AF {ack == 1}");
    let run = draw(&["--to", "dot", "--run", "r.json"]);
    // The loop, there and back, and nothing behind it.
    assert_eq!(run.matches("penwidth").count(), 4, "{run}");
    // A result about another program, or without a run.
    std::fs::write(
        folder.path().join("o.c"),
        program.replace("  ack", "\n\n\n  ack").replace("int ack;", "int ack;\n"),
    )
    .expect("written");
    let why = refused(folder.path(), &["o.c", "--to", "svg", "-o", "-", "--run", "r.json"]);
    assert!(why.contains("E004") && why.contains("another model"), "{why}");
    check("EF exit");
    let why = refused(folder.path(), &["m.c", "--to", "svg", "-o", "-", "--run", "r.json"]);
    assert!(why.contains("there is no run"), "{why}");
    let why = refused(folder.path(), &["m.c", "--to", "svg", "-o", "-", "--run", "m.c"]);
    assert!(why.contains("E001"), "{why}");
}

#[test]
fn pointer_programs_are_drawn_with_their_heaps() {
    let folder = folder();
    let text = "type Node { next: Node }\ngrammar SLL = Node(next)\n\
        proc second(list: Node): Node {\n  var rest: Node\n  rest = list.next\n  return rest\n}\n\
        given second(list: SLL)\nclaim null: G !nullderef\n";
    std::fs::write(folder.path().join("m.heap"), text).expect("written");
    let draw = |arguments: &[&str]| {
        let output = tern(folder.path(), &[&["draw", "m.heap", "-o", "-"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        String::from_utf8(output.stdout).expect("text")
    };
    // All inputs at once: the list is folded.
    let graph = draw(&["--to", "dot"]);
    assert!(graph.contains("SLL") && graph.contains("nullderef"), "{graph}");
    assert!(draw(&["--to", "svg", "--component", "start0"]).starts_with("<svg "));
    let result = tern(folder.path(), &["check", "m.heap", "--json", "--witness"]);
    std::fs::write(folder.path().join("r.json"), &result.stdout).expect("written");
    let run = draw(&["--to", "dot", "--run", "r.json", "--claim", "null"]);
    assert!(!run.contains("SLL") && run.matches("penwidth").count() >= 4, "{run}");
    std::fs::write(
        folder.path().join("o.heap"),
        text.replace("  rest =", "  rest = null\n  rest ="),
    )
    .expect("written");
    let why = refused(folder.path(), &["o.heap", "--to", "svg", "-o", "-", "--run", "r.json"]);
    assert!(why.contains("E004"), "{why}");
}
