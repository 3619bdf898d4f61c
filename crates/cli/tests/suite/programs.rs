//! Programs on the command line: the verdicts of the examples, settings, and what becomes of
//! programs that are converted.

use std::path::{Path, PathBuf};
use std::process::Command;
use tern::{Budget, Model};
use tern_front::{Format, Source};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn status(args: &[&str]) -> i32 {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tern")).args(args).current_dir(examples()).output();
    output.expect("tern runs").status.code().expect("no signal")
}

fn model(name: &str) -> Model {
    let path = examples().join(name);
    Model::open(path.to_str().expect("UTF-8"), &Budget::unlimited())
        .unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The verdicts of the claims of a model, each with its evidence checked.
fn verdicts(model: &Model) -> Vec<&'static str> {
    (0..model.claims.list().len())
        .map(|claim| {
            let answer = model.ask(claim).evidence().certified().decide();
            assert!(answer.certification.as_ref().is_some_and(|it| it.accepted), "{claim}");
            answer.verdict().word()
        })
        .collect()
}

#[test]
fn the_examples_have_their_verdicts() {
    let cases: [(&str, &[&str]); 8] = [
        ("turn.imp", &["holds", "holds", "holds", "fails"]),
        ("parity.imp", &["holds", "holds", "fails", "holds"]),
        ("update.imp", &["holds", "holds", "holds"]),
        ("peterson.imp", &["holds", "holds", "fails"]),
        ("philosophers.imp", &["holds", "holds", "fails"]),
        ("bakery.imp", &["holds", "holds", "fails"]),
        ("buffer.imp", &["holds", "holds", "holds", "fails"]),
        ("factorial.imp", &["holds", "holds", "holds", "holds"]),
    ];
    for (name, expected) in cases {
        assert_eq!(verdicts(&model(name)), expected, "{name}");
    }
}

#[test]
fn settings_overrule_the_text() {
    assert_eq!(status(&["check", "turn.imp", "--claim", "no_starvation"]), 1);
    assert_eq!(status(&["check", "turn.imp", "--claim", "no_starvation", "--fair-processes"]), 0);
    assert_eq!(status(&["check", "update.imp"]), 0);
    assert_eq!(status(&["check", "update.imp", "--granularity", "fine"]), 1);
    let formula = "AF (x = 5 & y = 5)";
    assert_eq!(status(&["check", "update.imp", "-f", formula]), 1);
    assert_eq!(status(&["check", "update.imp", "-f", formula, "--composition", "synchronous"]), 0);
}

/// What a check prints, on both channels, and its status.
fn said(args: &[&str]) -> (String, String, i32) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tern")).args(args).current_dir(examples()).output();
    let output = output.expect("tern runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().expect("no signal"))
}

#[test]
fn reduction_is_told_of_and_never_certified() {
    let reduced = ["check", "bakery.imp", "--reduction", "on"];
    let (_, told, status) = said(&reduced);
    assert!(told.contains("warning[G040]") && status == 1, "{told}");
    // All states are wanted for X, for fair processes, and if they are few.
    for (more, why) in [
        (&["-f", "AG EX true"][..], "uses X"),
        (&["--fair-processes"], "process fairness"),
        (&["--composition", "synchronous"], "synchronously"),
    ] {
        let (_, told, _) = said(&[&reduced[..], more].concat());
        assert!(told.contains("warning[G041]") && told.contains(why), "{told}");
    }
    let (_, told, _) = said(&["check", "factorial.imp", "--reduction", "on"]);
    assert!(told.contains("G041") && told.contains("procedures"), "{told}");
    let (_, told, _) = said(&["check", "bakery.imp"]);
    assert!(!told.contains("G04"), "{told}");
    for option in ["--certify", "--evidence", "--where"] {
        let (_, told, status) = said(&[&reduced[..], &[option]].concat());
        assert!(status == 2 && told.contains(option), "{told}");
    }
    // Only what is decided counts.
    let one = ["--claim", "exclusion", "-f", "exclusion: AG !error", "-f", "EX error"];
    let (_, told, _) = said(&[&reduced[..], &one].concat());
    assert!(told.contains("G040"), "{told}");
}

#[test]
fn states_on_demand_give_the_same_verdicts_and_are_certified() {
    for name in ["turn.imp", "update.imp", "peterson.imp", "philosophers.imp", "bakery.imp"] {
        let whole = said(&["check", name, "--quiet"]);
        for engine in ["on-the-fly", "hybrid"] {
            let claims = ["-f", "G !deadlock", "-f", "AG !error", "-f", "F terminated"];
            let whole =
                said(&[&["check", name, "--quiet", "--engine", "automata"], &claims[..]].concat());
            let demand = said(
                &[&["check", name, "--quiet", "--engine", engine, "--certify"], &claims[..]]
                    .concat(),
            );
            assert_eq!((&demand.0, demand.2), (&whole.0, whole.2), "{name} by {engine}");
        }
        assert_ne!(whole.2, 2, "{}", whole.1);
    }
    // Three billion states, and the claim fails in the third.
    let wide = "var x : 0..3000000000 = 0;\nwhile true do x := (x + 1) mod 3000000000 od\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.imp");
    std::fs::write(&path, wide).expect("it can be written");
    let path = path.to_str().expect("UTF-8");
    let (text, _, status) = said(&["check", path, "--engine", "on-the-fly", "-f", "AG x < 2"]);
    assert!(status == 1 && text.contains("x=2"), "{text}");
    let (_, told, status) = said(&["check", path, "--engine", "on-the-fly", "-f", "AG z < 2"]);
    assert!(status == 2 && told.contains("C006"), "{told}");
}

/// What is converted and read again has the same verdicts.
#[test]
fn converting_keeps_verdicts() {
    for name in ["turn.imp", "parity.imp", "update.imp", "buffer.imp", "bakery.imp"] {
        let original = model(name);
        let expected = verdicts(&original);
        for to in ["tern", "rsm", "dot"] {
            let format = Format::named(to).expect("it is a format");
            let writer = format.writer.expect("it can be written");
            let text = (writer.write)(&original.machine, &original.claims);
            let text = text.unwrap_or_else(|wrong| panic!("{name} to {to}: {wrong:?}"));
            let source = Source::new(format!("m.{to}"), text);
            let mut back = Model::read(source, &Budget::unlimited())
                .unwrap_or_else(|(_, wrong)| panic!("{name} to {to}: {wrong}"));
            if !writer.holds_claims {
                back.claims = original.claims.clone();
            }
            assert_eq!(verdicts(&back), expected, "{name} to {to}");
            assert_eq!(back.machine.node_count(), original.machine.node_count());
        }
    }
}

#[test]
fn what_is_wrong_about_methods_on_heaps_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("classes")).expect("a folder");
    std::fs::copy(examples().join("Walk.class"), folder.path().join("classes/Walk.class"))
        .expect("the example is there");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    let walk = "--class Walk\n--method main\n--classpath classes\n";
    write("unread.attestor", "--nosuch 1\n");
    write("absent.attestor", "--class A\n--method b\n--classpath nowhere\n");
    write("heap.attestor", &format!("{walk}--initial h.json\n"));
    write("h.json", "{\"nodes\":");
    write("formula.attestor", &format!("{walk}--model-checking \"F {{nonsense(x}}\"\n"));
    let class = "classes/Walk.class";
    let cases: [(&[&str], &str); 7] = [
        (&[class, "--method", "nosuch"], "H501"),
        (&[class, "--method", "main", "--grammar", "SLL=Nod(next)"], "H502"),
        (&[class, "--method", "main", "--grammar", "SLL=Walk(nextt)"], "H503"),
        (&["unread.attestor"], "H601"),
        (&["absent.attestor"], "H602"),
        (&["heap.attestor"], "H603"),
        (&["formula.attestor"], "H604"),
    ];
    for (args, code) in cases {
        let output = Command::new(env!("CARGO_BIN_EXE_tern"))
            .arg("check")
            .args(args)
            .current_dir(folder.path())
            .output()
            .expect("tern runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(&format!("error[{code}]")), "{args:?}: {said}");
    }
}

const LISTS: &str = "type Node { next: Node } grammar SLL = Node(next)
proc walk(x: Node) { while x != null { x = x.next } }
given walk(x: SLL)
claim G !nullderef
claim F terminated
";

fn in_folder(folder: &std::path::Path, args: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    command.args(args).current_dir(folder).output().expect("tern runs")
}

#[test]
fn proofs_about_pointer_programs_are_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write("walk.heap", LISTS);
    let checked = in_folder(folder.path(), &["check", "walk.heap", "--json", "--evidence"]);
    assert_eq!(checked.status.code(), Some(0));
    write("walk.json", &String::from_utf8_lossy(&checked.stdout));
    let certified = in_folder(folder.path(), &["certify", "walk.heap", "walk.json"]);
    let said = String::from_utf8_lossy(&certified.stdout);
    assert_eq!(certified.status.code(), Some(0), "{said}");
    assert!(said.contains("2 results: 2 accepted"), "{said}");
    let together = in_folder(folder.path(), &["check", "walk.heap", "--certify"]);
    let said = String::from_utf8_lossy(&together.stdout);
    assert_eq!(said.matches("certified").count(), 2, "{said}");
    // The same proof about a program that looks at a field of null, and does not end.
    write("walk.heap", &LISTS.replace("while x != null {", "while x == x {"));
    let refused = in_folder(folder.path(), &["certify", "walk.heap", "walk.json"]);
    let said = String::from_utf8_lossy(&refused.stdout);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(!said.contains("accepted"), "{said}");
}

#[test]
fn claims_about_pointer_programs_are_chosen_and_told_with_their_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "type Node { next: Node } grammar SLL = Node(next)
proc m(x: Node) { x = x.next }
given m(x: SLL+)
claim safe: G !nullderef
given m(x: SLL)
claim G !nullderef
claim ends: F terminated
";
    std::fs::write(folder.path().join("m.heap"), text).expect("it can be written");
    let check = |args: &[&str]| {
        let told = in_folder(folder.path(), &[&["check", "m.heap"], args].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (told.status.code(), text(&told.stdout), text(&told.stderr))
    };
    let (code, said, _) = check(&["--claim", "safe"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("given m(x: SLL+)") && !said.contains("given m(x: SLL)"), "{said}");
    let (code, said, _) = check(&["--claim", "2", "--json=lines"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("\"number\":2,") && said.contains("\"input\":\"x=null\""), "{said}");
    let (_, said, _) = check(&["--claim", "safe", "--claim", "3", "--json"]);
    assert_eq!(said.matches("\"verdict\"").count(), 2, "{said}");
    assert_eq!(said.matches("\"input\":\"x=null\"").count(), 1, "{said}");
    let (code, _, said) = check(&["--claim", "end"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("did you mean `ends`?"), "{said}");
}

#[test]
fn grammars_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write("lists.heap", LISTS);
    let told = in_folder(folder.path(), &["grammar", "lists.heap"]);
    let said = String::from_utf8_lossy(&told.stdout);
    assert_eq!(told.status.code(), Some(0), "{said}");
    assert!(said.contains("SLL(a: Node gets next; b: Node or null), rank 2"), "{said}");
    assert!(said.contains("It is confluent"), "{said}");
    // Lists of one kind of object that two nonterminals describe.
    let two = "type N { next: N }
grammar A(a: N, b: N?) = a.next = b | a.next = n, A(n, b)
grammar B(a: N, b: N?) = a.next = b | a.next = n, B(n, b)
";
    write("two.heap", two);
    let told = in_folder(folder.path(), &["grammar", "two.heap"]);
    let said = String::from_utf8_lossy(&told.stdout);
    assert!(said.contains("It is not confluent"), "{said}");
    write("bad.heap", "type N { next: N } grammar A(a: N) = a.next = n, A(n)\n");
    let told = in_folder(folder.path(), &["grammar", "bad.heap"]);
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(2), "{said}");
    assert!(said.contains("H207"), "{said}");
}
