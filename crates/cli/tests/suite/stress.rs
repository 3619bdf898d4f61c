//! Sizes that break programs which recurse on their input, or square it: long chains, deep calls,
//! deep formulas, large files, many claims, many exits. All verdicts are known by construction.
//! Limits and interrupts end a run with `unknown` and its reason.
//!
//! Most are a fifth as large by default, and decided by `auto` alone: `TERN_LARGE=100` makes them
//! as large as their names say. Nothing is said about time here, only that an answer comes. Inputs
//! are written to a directory that is removed afterwards.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use tern_model::logic::Logic;
use tern_testkit::{large, setting};

/// The engines that must cope with everything here; `auto` is what users get, and begins as `eager`
/// does.
fn engines() -> &'static [&'static str] {
    if setting("TERN_LARGE", 0) < 100 { &["auto"] } else { &["auto", "eager"] }
}

struct Case {
    directory: TempDir,
}

impl Case {
    fn new() -> Self {
        Case { directory: tempfile::tempdir().expect("a directory") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file piece by piece, so that it need not fit into memory twice.
    fn stream(&self, name: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        let mut file = BufWriter::new(File::create(self.path(name)).expect("created"));
        write(&mut file).and_then(|()| file.flush()).expect("written");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
        command.args(args).current_dir(self.directory.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn tern(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("tern runs")
    }

    /// Decides the claims of a file with each engine and compares the verdicts.
    #[track_caller]
    fn expect(&self, engines: &[&str], model: &str, claims: &[(&str, bool)]) {
        let text: String = claims.iter().map(|(claim, _)| format!("{claim}\n")).collect();
        self.write("claims.ctl", &text);
        let expected: Vec<&str> =
            claims.iter().map(|&(_, holds)| if holds { "holds" } else { "fails" }).collect();
        for engine in engines {
            let args = ["check", model, "claims.ctl", "--json", "--engine", engine];
            let output = self.tern(&args);
            assert_eq!(verdicts(&output), expected, "{engine} on {model}: {}", complaint(&output));
        }
    }
}

fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    format!("{:?}, {}", output.status, text.chars().take(500).collect::<String>())
}

#[track_caller]
fn json(output: &Output) -> serde_json::Value {
    match serde_json::from_slice(&output.stdout) {
        Ok(json) => json,
        Err(error) => panic!("no JSON: {error}; {}", complaint(output)),
    }
}

#[track_caller]
fn verdicts(output: &Output) -> Vec<String> {
    let json = json(output);
    let results = json["results"].as_array().expect("a list");
    results.iter().map(|r| r["verdict"].as_str().expect("a word").to_owned()).collect()
}

/// A component with `length` nodes in a row, of which the last is labelled and loops.
fn write_chain(file: &mut dyn Write, length: usize) -> std::io::Result<()> {
    writeln!(file, "component main {{\n  initial n0 {{first}} -> n1;")?;
    for i in 1..length - 1 {
        writeln!(file, "  node n{i} -> n{};", i + 1)?;
    }
    writeln!(file, "  node n{0} {{last}} -> n{0};\n}}", length - 1)
}

/// The same in RSM JSON; each node carries `label`, which makes the file as long as one likes.
fn write_rsm_chain(file: &mut dyn Write, length: usize, label: &str) -> std::io::Result<()> {
    let head = r#"{"initial_component": "main", "initial_node": "n0", "components": [{"name": "main", "nodes": ["#;
    writeln!(file, "{head}")?;
    for i in 0..length {
        let (comma, last) = if i + 1 < length { (",", "") } else { ("", ", \"last\"") };
        writeln!(file, r#"{{"name": "n{i}", "labels": ["{label}"{last}]}}{comma}"#)?;
    }
    writeln!(file, r#"], "transitions": ["#)?;
    for i in 0..length {
        let (comma, next) = if i + 1 < length { (",", i + 1) } else { ("", i) };
        writeln!(
            file,
            r#"{{"source": {{"type": "node", "name": "n{i}"}}, "targets": [{{"type": "node", "name": "n{next}"}}]}}{comma}"#
        )?;
    }
    writeln!(file, "]}}]}}")
}

const CHAIN_CLAIMS: [(&str, bool); 6] = [
    ("AF last", true),
    ("AG EF last", true),
    ("EG !last", false),
    ("A [!last U last]", true),
    ("AF AG last", true),
    ("EX last", false),
];

#[test]
fn a_chain_of_a_million_nodes() {
    let case = Case::new();
    case.stream("chain.tern", |file| write_chain(file, large(1_000_000)));
    case.expect(&["auto"], "chain.tern", &CHAIN_CLAIMS);
}

#[test]
fn a_chain_of_a_hundred_thousand_calls() {
    let depth = large(100_000);
    let case = Case::new();
    case.stream("deep.tern", |file| {
        for i in 0..depth - 1 {
            let next = i + 1;
            writeln!(file, "component c{i} {{\n  entry down -> b.down;\n  box b: c{next};")?;
            writeln!(file, "  b.up -> up;\n  exit up{};\n}}", if i == 0 { " {end}" } else { "" })?;
        }
        let last = depth - 1;
        writeln!(file, "component c{last} {{\n  entry down {{deep}} -> up;\n  exit up;\n}}")
    });
    case.expect(
        engines(),
        "deep.tern",
        &[
            ("AF deep", true),
            ("AF end", true),
            ("AG EF end", true),
            ("E [!deep U end]", false),
            ("AG (deep -> AF end)", true),
            ("EF EG !end", false),
        ],
    );
    let info = case.tern(&["info", "deep.tern", "--calls"]);
    assert!(info.status.success(), "{}", complaint(&info));
}

#[test]
fn a_ring_of_a_hundred_thousand_components() {
    let length = large(100_000);
    let case = Case::new();
    case.stream("ring.tern", |file| {
        for i in 0..length {
            let next = (i + 1) % length;
            let label = if i == length / 2 { " {half}" } else { "" };
            writeln!(file, "component c{i} {{\n  entry down{label} -> b.down, up;")?;
            writeln!(file, "  box b: c{next};\n  b.up -> up;\n  exit up;\n}}")?;
        }
        Ok(())
    });
    case.expect(
        engines(),
        "ring.tern",
        &[
            ("EF half", true),
            ("AF half", false),
            ("EG EF half", true),
            ("AG (half -> EX true)", true),
        ],
    );
}

/// A component that calls itself in a box and comes back by one of `exits` exits, after each of
/// which it leaves by the next.
fn recursion(exits: usize) -> String {
    let mut text = "component main {\n  initial start -> w.down;\n  box w: walk;\n".to_owned();
    for i in 0..exits {
        let label = if i == 0 { "good" } else { "bad" };
        writeln!(text, "  w.x{i} -> e{i};\n  node e{i} {{{label}}} -> e{i};").expect("text");
    }
    text.push_str("}\ncomponent walk {\n  entry down -> again.down");
    for i in 0..exits {
        write!(text, ", x{i}").expect("text");
    }
    text.push_str(";\n  box again: walk;\n");
    for i in 0..exits {
        writeln!(text, "  exit x{i};\n  again.x{i} -> x{};", (i + 1) % exits).expect("text");
    }
    text.push_str("}\n");
    text
}

const RECURSION_CLAIMS: [(&str, bool); 6] = [
    ("EF good", true),
    ("EF bad", true),
    ("AF (good | bad)", false),
    ("AG (good -> AG good)", true),
    ("EG !(good | bad)", true),
    ("AG EF (good | bad)", true),
];

#[test]
fn a_recursion() {
    let case = Case::new();
    case.write("recursion.tern", &recursion(3));
    let engines = tern_engine::ENGINES.into_iter().filter(|engine| engine.logic != Logic::Ltl);
    let engines: Vec<&str> = engines.map(|engine| engine.name).collect();
    case.expect(&engines, "recursion.tern", &RECURSION_CLAIMS);
}

#[test]
fn a_recursion_with_a_thousand_exits() {
    let case = Case::new();
    case.write("wide.tern", &recursion(1_000));
    case.expect(engines(), "wide.tern", &RECURSION_CLAIMS);
}

#[test]
fn two_thousand_exits_and_two_thousand_boxes() {
    let many = large(2_000);
    let case = Case::new();
    case.stream("wide.tern", |file| {
        // Box i comes back by all exits, and goes on only after exit i, to box i + 1.
        writeln!(file, "component main {{\n  initial start -> b0.in;")?;
        for i in 0..many {
            writeln!(file, "  box b{i}: many;")?;
            if i + 1 < many {
                writeln!(file, "  b{i}.x{i} -> b{}.in;", i + 1)?;
            } else {
                writeln!(file, "  b{i}.x{i} -> end;")?;
            }
        }
        writeln!(file, "  node end {{end}} -> end;\n}}\ncomponent many {{\n  entry in -> x0")?;
        for i in 1..many {
            writeln!(file, "    , x{i}")?;
        }
        writeln!(file, "  ;")?;
        for i in 0..many {
            writeln!(file, "  exit x{i};")?;
        }
        writeln!(file, "}}")
    });
    case.expect(
        engines(),
        "wide.tern",
        &[("EF end", true), ("AF end", false), ("AG EF end", false), ("EF AG end", true)],
    );
}

/// `piece` again and again, then `inner`, then `tail` as often.
fn nested(piece: &str, inner: &str, tail: &str, depth: usize) -> String {
    piece.repeat(depth) + inner + &tail.repeat(depth)
}

#[test]
fn formulas_nested_ten_thousand_deep() {
    const DEPTH: usize = 10_000;
    let case = Case::new();
    // Two nodes by turns, with a procedure between them.
    let model = "component main {\n  initial a {p} -> c.in;\n  box c: f;\n  c.out -> b;\n  \
         node b {q} -> a;\n}\ncomponent f {\n  entry in {p} -> out;\n  exit out {p};\n}\n";
    case.write("turns.tern", model);
    let claims = [
        // Four steps make a turn, and ten thousand is a multiple of four.
        (nested("EX ", "q", "", DEPTH - 1), true),
        (nested("EX ", "q", "", DEPTH), false),
        (nested("AX ", "p & !q", "", DEPTH), true),
        (nested("!EF ", "q", "", DEPTH), true),
        (nested("!EF ", "q", "", DEPTH + 1), false),
        (nested("(", "p", ")", DEPTH), true),
        (nested("(", "EX p", ")", DEPTH), true),
        (nested("!", "p", "", DEPTH), true),
        (nested("E [p U ", "q", "]", DEPTH), true),
        (nested("A [p U ", "false", "]", DEPTH), false),
        (nested("(p | ", "q", ")", DEPTH), true),
        (nested("EF (p & EG ", "p", ")", DEPTH), false),
        (nested("AG EF ", "q", "", DEPTH), true),
    ];
    let claims: Vec<(&str, bool)> =
        claims.iter().map(|(claim, holds)| (claim.as_str(), *holds)).collect();
    case.expect(engines(), "turns.tern", &claims);
}

#[test]
fn a_long_run_is_told_of_a_large_formula() {
    let (case, length) = (Case::new(), large(3_000));
    case.stream("chain.tern", |file| write_chain(file, length));
    let labels: Vec<String> = (0..500).map(|i| format!("a{i}")).collect();
    let claim = format!("A F G (E F G first & ({}))", labels.join(" | "));
    let output =
        case.tern(&["check", "chain.tern", "-f", &claim, "--witness", "--certify", "--json"]);
    let result = &json(&output)["results"][0];
    assert_eq!(result["verdict"], "fails", "{}", complaint(&output));
    assert_eq!(result["witness"]["moves"].as_array().map(Vec::len), Some(length));
    assert_eq!(result["certified"], true, "{}", complaint(&output));
}

#[test]
fn a_model_of_100_mb() {
    let case = Case::new();
    case.stream("huge.rsm", |file| {
        write_rsm_chain(file, large(770_000), "a-label-that-all-nodes-have")
    });
    let size = std::fs::metadata(case.path("huge.rsm")).expect("written").len();
    assert!(size >= large(100_000_000) as u64, "only {size} bytes");
    case.expect(
        &["auto"],
        "huge.rsm",
        &[("AF last", true), ("AG \"a-label-that-all-nodes-have\"", true)],
    );
    let info = case.tern(&["info", "huge.rsm"]);
    assert!(info.status.success(), "{}", complaint(&info));
    let converted = case.tern(&["convert", "huge.rsm", "-o", "back.tern"]);
    assert!(converted.status.success(), "{}", complaint(&converted));
}

#[test]
fn forty_thousand_claims() {
    let many = large(40_000);
    let case = Case::new();
    case.write("two.tern", "component main {\n  initial a {p} -> b;\n  node b {q} -> a;\n}\n");
    case.stream("many.ctl", |file| {
        for i in 0..many {
            let claim = ["EF q", "AG (p -> AX q)", "E [p U q]", "EX p"][i % 4];
            writeln!(file, "\"claim {i}\": {claim}")?;
        }
        Ok(())
    });
    for engine in engines() {
        let output = case.tern(&["check", "two.tern", "many.ctl", "--json", "--engine", engine]);
        let verdicts = verdicts(&output);
        assert_eq!(verdicts.len(), many);
        for (i, verdict) in verdicts.iter().enumerate() {
            assert_eq!(verdict, if i % 4 == 3 { "fails" } else { "holds" }, "claim {i}");
        }
    }
    let output = case.tern(&["check", "two.tern", "many.ctl", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{}", complaint(&output));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), many / 4);
}

/// Expects that nothing was decided because of a limit, told in text and in JSON.
#[track_caller]
fn expect_limit(case: &Case, model: &str, limit: [&str; 2], words: &str) {
    let args = ["check", model, "-f", "AF last", limit[0], limit[1]];
    let output = case.tern(&args);
    assert_eq!(output.status.code(), Some(3), "{}", complaint(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("unknown  AF last\n") && text.contains(words), "{text}");
    let output = case.tern(&[&args[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", complaint(&output));
    let json = json(&output);
    assert_eq!(json["results"][0]["verdict"], "unknown");
    let reason = json["results"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains(words), "{reason}");
}

#[test]
fn limits_are_kept_on_a_large_model() {
    let case = Case::new();
    case.stream("chain.tern", |file| write_chain(file, 300_000));
    case.stream("chain.rsm", |file| write_rsm_chain(file, 300_000, "p"));
    for (model, mebibytes) in [("chain.tern", 20), ("chain.rsm", 48)] {
        expect_limit(&case, model, ["--timeout", "0s"], "time limit of 0s reached");
        expect_limit(&case, model, ["--memory", "1MiB"], "memory limit of 1.0 MiB reached");
        // Enough for the text, but not for what is made of it.
        let (limit, words) =
            (format!("{mebibytes}MiB"), format!("memory limit of {mebibytes}.0 MiB reached"));
        expect_limit(&case, model, ["--memory", &limit], &words);
    }
}

#[test]
fn a_small_file_that_unpacks_to_a_huge_one_is_stopped() {
    let case = Case::new();
    case.stream("bomb.rsm.gz", |file| {
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let blank = vec![b' '; 1 << 20];
        for _ in 0..48 {
            packed.write_all(&blank)?;
        }
        packed.finish().map(|_| ())
    });
    let size = std::fs::metadata(case.path("bomb.rsm.gz")).expect("written").len();
    assert!(size < 1 << 20, "{size} bytes");
    expect_limit(&case, "bomb.rsm.gz", ["--memory", "16MiB"], "memory limit of 16.0 MiB reached");
}

/// The model comes by a pipe: it has been read once it is written, and interrupts are heeded by
/// then.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_decided() {
    use std::io::{BufRead, BufReader, Read};
    let case = Case::new();
    // Far more than can be decided before the interrupt.
    case.write("claims.ctl", &"AF last\n".repeat(20_000));
    for json_wanted in [false, true] {
        let mut args = vec!["check", "-", "claims.ctl"];
        args.extend(json_wanted.then_some("--json"));
        let mut child = case.command(&args).stdin(Stdio::piped()).spawn().expect("tern starts");
        let mut model = BufWriter::new(child.stdin.take().expect("piped"));
        write_chain(&mut model, 100_000).expect("all is read");
        drop(model);
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut first = String::new();
        if !json_wanted {
            // With JSON nothing is printed before the end; it has begun to decide by now, or it has
            // not: it must end well in both cases.
            out.read_line(&mut first).expect("a line");
            assert_eq!(first, "holds    1: AF last  (claims.ctl:1)\n");
        }
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect("UTF-8");
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(3), "interrupted, with results so far");
        if json_wanted {
            let json: serde_json::Value = serde_json::from_str(&rest).expect("JSON");
            let results = json["results"].as_array().expect("a list");
            assert_eq!(results.len(), 20_000);
            let last = &results[results.len() - 1];
            assert_eq!(last["verdict"], "unknown");
            assert_eq!(last["reason"], "interrupted");
        } else {
            // What was not decided is one line, however much it is.
            let unknown: Vec<&str> =
                rest.lines().filter(|line| line.starts_with("unknown")).collect();
            assert_eq!(unknown.len(), 1, "{rest:.300}");
            assert!(unknown[0].ends_with(" more): interrupted"), "{}", unknown[0]);
        }
    }
}
