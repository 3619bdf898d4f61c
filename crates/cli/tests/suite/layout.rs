//! `tern fmt`, and the grammar for editors.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn fmt(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tern"))
        .arg("fmt")
        .args(args)
        .current_dir(folder)
        .output()
        .expect("Tern runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

#[test]
fn files_are_laid_out_in_place_and_bad_ones_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("there");
    let messy = "component main{initial entry a{p?}->a ?} // one node\nclaim   AG p ;";
    let neat = "component main {\n  initial entry a {p?} -> a?;\n} // one node\nclaim AG p;\n";
    write("messy.tern", messy);
    write("neat.tern", neat);
    assert_eq!(fmt(folder, &["--check", "."]), (1, "./messy.tern\n".into(), String::new()));
    assert_eq!(text("messy.tern"), messy);
    write("bad.tern", "component main {");
    write("other.rsm", "{}");
    let (status, out, err) = fmt(folder, &["bad.tern", "messy.tern", "neat.tern", "other.rsm"]);
    assert_eq!((status, out.as_str()), (2, "formatted messy.tern\n"));
    assert!(err.contains("error[T007]") && err.contains("`other.rsm` is no .tern file"), "{err}");
    assert!(err.ends_with("these files are left as they are\n"), "{err}");
    assert_eq!(
        (text("messy.tern").as_str(), text("bad.tern").as_str()),
        (neat, "component main {")
    );
    assert_eq!(fmt(folder, &["messy.tern", "--check"]), (0, String::new(), String::new()));
}

#[test]
fn the_grammar_for_editors_is_whole_and_knows_every_keyword() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/tern.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar is there");
    let grammar: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(grammar["scopeName"], "source.tern");
    let keywords =
        "box claim component entry exit initial node port return fair end deadlock loop sink error";
    for keyword in keywords.split(' ') {
        assert!(text.contains(keyword), "{keyword}");
    }
    for include in text.split("\"include\": \"#").skip(1) {
        let name = include.split('"').next().expect("the first part");
        assert!(grammar["repository"].get(name).is_some(), "{name}");
    }
}
