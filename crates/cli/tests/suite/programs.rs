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
