//! The command line for linear time: engines, fairness, automata and the view from the top level.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A place of its own for a test, and the examples.
struct Case {
    directory: tempfile::TempDir,
}

/// A program that asks and may call itself for ever before it answers.
const MODEL: &str = "component main {
  initial entry ask {asked} -> w.in;
  box w: work;
  w.out -> answer;
  node answer {answered} -> ask;
}
component work {
  entry in {busy} -> out, again.in;
  box again: work;
  again.out -> out;
  exit out;
}
";

/// An automaton that accepts nothing.
const NEVER: &str = "HOA: v1
States: 1
Start: 0
AP: 0
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
--END--
";

impl Case {
    fn new() -> Self {
        let case = Case { directory: tempfile::tempdir().expect("a directory") };
        case.write("m.tern", MODEL);
        case
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.directory.path().join(name), text).expect("written");
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tern"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("tern runs")
    }

    /// The verdicts of a check, and its exit status.
    fn verdicts(&self, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let word = |line: &str| Some(line.split_whitespace().next()?.to_owned());
        let is_verdict = |word: &String| ["holds", "fails", "unknown"].contains(&word.as_str());
        let lines = text.lines().filter(|line| !line.starts_with(' '));
        (lines.filter_map(word).filter(is_verdict).collect(), output.status.code())
    }
}

fn example(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn every_engine_for_runs_decides_and_proves() {
    let case = Case::new();
    for engine in ["auto", "automata", "tableau", "on-the-fly", "hybrid"] {
        let (found, status) = case.verdicts(&[
            "check",
            "m.tern",
            "--engine",
            engine,
            "--certify",
            "--witness",
            "-f",
            "G F asked",
            "-f",
            "G F asked | F G busy",
            "-f",
            "E F G busy",
            "-f",
            "E (G F asked & F G !busy)",
        ]);
        assert_eq!(found, ["fails", "holds", "holds", "fails"], "{engine}");
        assert_eq!(status, Some(1), "{engine}");
    }
    // A limit on what is shown is none on what is evidence.
    let short =
        ["check", "m.tern", "-f", "F G asked", "--witness", "--max-steps", "1", "--certify"];
    let output = case.run(&short);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("no run: it has more than 1 moves"), "{text}");
    assert!(text.contains("certified in"), "{text}");
    // What an engine does not decide is unknown, with a way out.
    let output = case.run(&["check", "m.tern", "--engine", "tableau", "-f", "A F E G F asked"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("engine `tableau` decides LTL"), "{text}");
}

#[test]
fn all_that_could_not_be_given_is_named() {
    let case = Case::new();
    case.write("none.hoa", NEVER);
    let too_long = "no run: it has more than 1 moves";
    let unlisted = "no list of where it holds: it is given for claims that are decided as CTL";
    let claims: [(&[&str], &[&str]); 3] = [
        (&["-f", "F G asked"], &[too_long, unlisted]),
        (&["-f", "A F (E X asked & X G asked)"], &[unlisted]),
        (&["--automaton", "none.hoa"], &[unlisted]),
    ];
    let options = ["--json", "--evidence", "--where", "--witness", "--max-steps", "1"];
    for (claim, lost) in claims {
        let output = case.run(&[&["check", "m.tern"], &options[..], claim].concat());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["results"][0]["missing"], serde_json::json!(lost), "{json}");
        let output = case.run(&[&["check", "m.tern"], &options[1..], claim].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        for thing in lost {
            assert!(text.contains(thing), "{text}");
        }
    }
}

#[test]
fn a_file_may_hold_several_automata() {
    let case = Case::new();
    let named = NEVER.replacen("HOA: v1", "HOA: v1 name: \"the first\"", 1);
    let always = NEVER.replace("[t] 0", "[t] 0 {0}");
    case.write("two.hoa", &format!("{named}{always}"));
    let (found, _) = case.verdicts(&["check", "m.tern", "--automaton", "two.hoa"]);
    assert_eq!(found, ["holds", "fails"]);
    let output = case.run(&["check", "m.tern", "--automaton", "two.hoa"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the first: \"no run is accepted by automaton 1 of two.hoa\""), "{text}");
    assert!(text.contains(" \"no run is accepted by automaton 2 of two.hoa\""), "{text}");
    assert!(text.contains("2 claims"), "{text}");
}

#[test]
fn fairness_leaves_runs_out() {
    let case = Case::new();
    let check = |arguments: &[&str]| case.verdicts(&[&["check", "m.tern"], arguments].concat());
    assert_eq!(check(&["-f", "AG (asked -> AF answered)"]).0, ["fails"]);
    assert_eq!(
        check(&["-f", "AG (asked -> AF answered)", "--fair", "!busy", "--certify"]).0,
        ["holds"]
    );
    assert_eq!(
        check(&["-f", "G (asked -> F answered)", "--fair", "!busy", "--certify"]).0,
        ["holds"]
    );
    assert_eq!(check(&["-f", "EG !answered", "--fair", "!busy", "--certify"]).0, ["fails"]);
    // In a file of claims, and in the model, it counts as well.
    case.write("fair.ctl", "FAIRNESS !busy\nAG (asked -> AF answered)\n");
    assert_eq!(check(&["fair.ctl"]).0, ["holds"]);
    case.write("fair.tern", &format!("{MODEL}fair !busy;\nclaim AF answered;\n"));
    assert_eq!(case.verdicts(&["check", "fair.tern"]).0, ["holds"]);
    assert_eq!(case.verdicts(&["check", "fair.tern", "-f", "AF answered"]).0, ["holds"]);
    // A condition on a path is refused, with its place.
    let output = case.run(&["check", "m.tern", "-f", "AF answered", "--fair", "G !busy"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("error[C003]") && text.contains("fairness condition 1:1:1"), "{text}");
}

/// A message that may be lost is sent again by a call, until it gets through.
const LOSSY: &str = include_str!("../../../../examples/lossy.tern");

#[test]
fn strong_fairness_leaves_runs_out() {
    let case = Case::new();
    case.write("lossy.tern", LOSSY);
    let check = |arguments: &[&str]| case.verdicts(&[&["check", "lossy.tern"], arguments].concat());
    let strong = ["--compassion", "sent, got", "--certify"];
    for engine in ["auto", "automata", "tableau", "on-the-fly", "hybrid"] {
        let by = [&strong[..], &["--engine", engine]].concat();
        assert_eq!(check(&[&["-f", "F done"], &by[..]].concat()).0, ["holds"], "{engine}");
        assert_eq!(check(&[&["-f", "F G !done"], &by[..]].concat()).0, ["fails"], "{engine}");
    }
    for (formula, verdict) in [
        ("AF done", "holds"),
        ("AG AF done", "holds"),
        ("EG !done", "fails"),
        ("E F E G F got", "fails"),
        ("AG (sent -> EF got)", "holds"),
    ] {
        assert_eq!(check(&[&["-f", formula], &strong[..]].concat()).0, [verdict], "{formula}");
    }
    // Weak fairness asks for more: no run is fair then.
    assert_eq!(check(&["-f", "AF done", "--fair", "got"]).0, ["holds"]);
    assert_eq!(check(&["-f", "AF false", "--fair", "got"]).0, ["holds"]);
    assert_eq!(check(&["-f", "AF false", "--compassion", "sent, got"]).0, ["fails"]);
    // In a file of claims, and in the model, it counts as well.
    case.write("strong.ctl", "COMPASSION (sent, got)\nAF done\n");
    assert_eq!(check(&["strong.ctl"]).0, ["holds"]);
    case.write("strong.tern", &format!("{LOSSY}compassion sent, got;\n"));
    assert_eq!(case.verdicts(&["check", "strong.tern"]).0, ["holds"]);
    assert_eq!(case.verdicts(&["check", "strong.tern", "-f", "AF done"]).0, ["holds"]);
    case.run(&["convert", "strong.tern", "-o", "again.tern"]);
    assert_eq!(case.verdicts(&["check", "again.tern"]).0, ["holds"]);
    // What is no pair is refused, with its place; a misspelt label is warned of.
    let output = case.run(&["check", "lossy.tern", "--compassion", "G sent, got"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    let place = "strong fairness condition 1:1:1";
    assert!(text.contains("error[C003]") && text.contains(place), "{text}");
    let output = case.run(&["check", "lossy.tern", "--compassion", "sent, gott"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("W201") && text.contains("condition 1:1:7"), "{text}");
}

#[test]
fn unknown_labels_are_shown_where_they_are_written() {
    let case = Case::new();
    case.write("fair.tern", &format!("{MODEL}fair !bussy;\nclaim AF answered;\n"));
    case.write("fair.ctl", "AF answered\n\nFAIRNESS answred | asked\n");
    let hoa = NEVER.replace("AP: 0", "AP: 2 \"asked\" \"answred\"");
    case.write("never.hoa", &hoa);
    let cases: [(&[&str], &str); 6] = [
        (&["fair.tern"], "fair.tern:13:7"),
        (&["fair.tern", "-f", "AF asked"], "fair.tern:13:7"),
        (&["m.tern", "fair.ctl"], "fair.ctl:3:10"),
        (
            &["m.tern", "-f", "AF asked", "--fair", "asked", "--fair", "!bussy"],
            "fairness condition 2:1:2",
        ),
        (&["m.tern", "--automaton", "never.hoa"], "never.hoa:4:15"),
        // The claim itself comes first.
        (&["m.tern", "-f", "AF bussy", "--fair", "bussy"], "formula 1:1:4"),
    ];
    for (arguments, place) in cases {
        let output = case.run(&[&["check", "--json"], arguments].concat());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let warnings = json["warnings"].as_array().expect("a list").iter();
        let warnings: Vec<_> = warnings.filter(|found| found["code"] == "W201").collect();
        assert_eq!(warnings.len(), 1, "{json}");
        assert_eq!((&warnings[0]["code"], &warnings[0]["place"]), (&"W201".into(), &place.into()));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(&format!("--> {place}\n")), "{text}");
    }
}

#[test]
fn automata_are_read_and_written() {
    let case = Case::new();
    for (formula, holds) in [
        ("G F asked | F G busy", true),
        ("G F asked", false),
        ("G (asked -> X busy)", true),
        ("G (answered -> X X busy)", true),
        ("F G !asked", false),
    ] {
        for acceptance in ["generalised", "buchi", "state"] {
            let output =
                case.run(&["automaton", formula, "--negation", "--acceptance", acceptance]);
            assert_eq!(output.status.code(), Some(0));
            case.write("n.hoa", &String::from_utf8(output.stdout).expect("UTF-8"));
            let (found, status) = case.verdicts(&["check", "m.tern", "--automaton", "n.hoa"]);
            assert_eq!(found, [if holds { "holds" } else { "fails" }], "{formula}, {acceptance}");
            assert_eq!(status, Some(i32::from(!holds)));
        }
    }
    // Automata of what is claimed, deterministic or not.
    for (formula, holds) in [
        ("G (asked -> X busy)", true),
        ("G F asked", false),
        ("G F asked | F G busy", true),
        ("F G !asked", false),
        ("F G !asked | G F asked", true),
    ] {
        for acceptance in ["generalised", "buchi", "state"] {
            let output = case.run(&["automaton", formula, "--acceptance", acceptance]);
            case.write("p.hoa", &String::from_utf8(output.stdout).expect("UTF-8"));
            let (found, _) = case.verdicts(&["check", "m.tern", "--automaton-positive", "p.hoa"]);
            assert_eq!(found, [if holds { "holds" } else { "fails" }], "{formula}, {acceptance}");
        }
    }
}

#[test]
fn automata_are_for_fair_runs_if_there_are_conditions() {
    let case = Case::new();
    let automaton = |arguments: &[&str], name: &str| {
        let output = case.run(&[&["automaton"], arguments].concat());
        case.write(name, &String::from_utf8(output.stdout).expect("UTF-8"));
    };
    for (formula, fair, unfair) in [
        ("G F asked", true, false),
        ("F G busy", false, false),
        ("G (asked -> X busy)", true, true),
    ] {
        automaton(&[formula], "p.hoa");
        automaton(&[formula, "--negation"], "n.hoa");
        for (option, file) in [("--automaton", "n.hoa"), ("--automaton-positive", "p.hoa")] {
            let check = ["check", "m.tern", option, file];
            let verdict = |holds: bool| [if holds { "holds" } else { "fails" }];
            assert_eq!(case.verdicts(&check).0, verdict(unfair), "{formula} {option}");
            let with = [&check[..], &["--fair", "!busy", "--fair", "true"]].concat();
            assert_eq!(case.verdicts(&with).0, verdict(fair), "{formula} {option}");
            // The same condition in the model.
            case.write("fair.tern", &format!("{MODEL}fair !busy;\n"));
            let with = ["check", "fair.tern", option, file];
            assert_eq!(case.verdicts(&with).0, verdict(fair), "{formula} {option}");
        }
    }
    automaton(&["F G busy", "--negation"], "n.hoa");
    let arguments = ["check", "m.tern", "--automaton", "n.hoa", "--fair", "!busy", "--witness"];
    let output = case.run(&arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("no run with G F !busy is accepted by n.hoa"), "{text}");
    assert!(text.contains("{busy}"), "the labels that the automaton reads are shown: {text}");
    // A condition that labels do not decide is refused.
    let output = case.run(&["check", "m.tern", "--automaton", "n.hoa", "--fair", "EF asked"]);
    assert_eq!(output.status.code(), Some(2));
    // A condition with a misspelt label is warned of.
    let output = case.run(&["check", "m.tern", "--automaton", "n.hoa", "--fair", "!bussy"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no node has the label `bussy`"));
}

#[test]
fn engines_that_know_no_automata_say_so() {
    let case = Case::new();
    let output = case.run(&["automaton", "G F asked", "--negation"]);
    case.write("n.hoa", &String::from_utf8(output.stdout).expect("UTF-8"));
    let check = ["check", "m.tern", "--automaton", "n.hoa", "--engine"];
    for engine in ["auto", "automata"] {
        assert_eq!(case.verdicts(&[&check[..], &[engine]].concat()).0, ["fails"]);
    }
    for engine in ["eager", "tableau", "on-the-fly"] {
        let output = case.run(&[&check[..], &[engine]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains(engine) && text.contains("engine `auto` decides it"), "{text}");
    }
}

/// An automaton with many more trees of states than fit anywhere ends at the limit of memory.
#[test]
fn a_complement_that_is_too_large_is_unknown() {
    let case = Case::new();
    let (states, letters) = (24_u32, 16_u32);
    let labels = |letter: u32| (0..4).filter(move |bit| letter >> bit & 1 == 1);
    let mut model = "component main {\n".to_owned();
    let all: Vec<String> = (0..letters).map(|letter| format!("n{letter}")).collect();
    for letter in 0..letters {
        let own: Vec<String> = labels(letter).map(|bit| format!("p{bit}")).collect();
        let entry = if letter == 0 { "initial entry" } else { "node" };
        let (own, all) = (own.join(", "), all.join(", "));
        model += &format!("  {entry} n{letter} {{{own}}} -> {all};\n");
    }
    case.write("all.tern", &(model + "}\n"));
    let mut automaton = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: 4 \"p0\" \"p1\" \"p2\" \"p3\"\nAcceptance: 1 Inf(0)\n--BODY--\n"
    );
    // Random edges.
    let mut seed = 1_u32;
    let mut draw = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    for state in 0..states {
        automaton += &format!("State: {state}\n");
        for letter in 0..letters {
            let sign = |bit: u32| if letter >> bit & 1 == 1 { "" } else { "!" };
            let label = format!("[{}0&{}1&{}2&{}3]", sign(0), sign(1), sign(2), sign(3));
            for to in [state, draw(states), draw(states)] {
                let mark = if draw(8) == 0 { " {0}" } else { "" };
                automaton += &format!("{label} {to}{mark}\n");
            }
        }
    }
    case.write("large.hoa", &(automaton + "--END--\n"));
    let check = ["check", "all.tern", "--automaton-positive", "large.hoa", "--memory", "48MiB"];
    let output = case.run(&check);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("memory limit of 48.0 MiB reached"), "{text}");
}

#[test]
fn the_top_level_misses_what_happens_inside() {
    let case = Case::new();
    let model = example("traversal.tern");
    for engine in ["auto", "tableau", "on-the-fly", "automata"] {
        let check = |more: &[&str]| {
            let arguments = ["check", &model, "-f", "G same", "--engine", engine, "--certify"];
            case.verdicts(&[&arguments[..], more].concat()).0
        };
        assert_eq!(check(&[]), ["fails"], "{engine}");
        assert_eq!(check(&["--top-level"]), ["holds"], "{engine}");
    }
    // Evidence is about the machine that was checked.
    let check = ["check", &model, "-f", "G same", "--top-level", "--json", "--evidence"];
    let output = case.run(&check);
    case.write("r.json", &String::from_utf8(output.stdout).expect("UTF-8"));
    assert_eq!(case.run(&["certify", &model, "r.json", "--top-level"]).status.code(), Some(0));
    assert_ne!(case.run(&["certify", &model, "r.json"]).status.code(), Some(0));
}

#[test]
fn nodes_are_produced_on_demand_and_kept() {
    let case = Case::new();
    let produced = |engine: &str| -> Vec<u64> {
        let output = case.run(&[
            "check",
            "m.tern",
            "--engine",
            engine,
            "--json",
            "-f",
            "G !busy",
            "-f",
            "G F asked",
        ]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = json["results"].as_array().expect("a list").iter();
        results.map(|it| it["stats"]["produced"].as_u64().expect("a number")).collect()
    };
    let alone = produced("on-the-fly");
    assert!(alone.iter().all(|&nodes| (1..=5).contains(&nodes)), "{alone:?}");
    let kept = produced("hybrid");
    assert_eq!(kept[0], alone[0]);
    assert!(kept[1] < alone[1], "{kept:?} after {alone:?}");
}

#[test]
fn results_of_the_top_level_are_marked() {
    let case = Case::new();
    let model = example("traversal.tern");
    let claim = ["-f", "G same", "-f", "F !same"];
    let run = |command: &[&str]| {
        let output = case.run(command);
        (String::from_utf8(output.stdout.clone()).expect("UTF-8"), output)
    };
    let (text, _) = run(&[&["check", &model, "--top-level", "--quiet"], &claim[..]].concat());
    assert_eq!(text, "fails    2: F !same (top level only)\n");
    let (text, _) = run(&[&["check", &model, "--top-level"], &claim[..]].concat());
    assert!(text.starts_with("holds    1: G same (top level only)\n"), "{text}");
    for (mark, option) in [(true, &["--top-level"][..]), (false, &[])] {
        let check = ["check", &model, "--json", "--evidence"];
        let (json, _) = run(&[&check, option, &claim[..]].concat());
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["top_level"], mark, "{json}");
        case.write("r.json", &json);
        let certify = ["certify", &model, "r.json"];
        let (text, output) = run(&[&certify, option].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(text.contains("G same (top level only)\n"), mark, "{text}");
        let (json, _) = run(&[&certify, option, &["--json"]].concat());
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["top_level"], mark, "{json}");
        // The other way round it is refused, with the way out.
        let other = if mark { &[][..] } else { &["--top-level"] };
        let (_, output) = run(&[&certify, other].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("E004") && message.contains("--top-level"), "{message}");
    }
}
