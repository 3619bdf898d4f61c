//! `tern generate`, and the verdicts that are known by construction: with every engine, on machines
//! that were written and read again.

use std::process::{Command, Output};
use tern_engine::{Checker, ENGINES, Options};
use tern_front::generate::{FAMILIES, Make, Parameters};
use tern_front::{Format, Source, claims, pds, tern};
use tern_model::{Budget, Claim, Claims, Gap, Machine, Verdict};

#[test]
fn every_engine_finds_the_verdicts_known_by_construction() {
    let budget = Budget::unlimited();
    for family in FAMILIES {
        let Make::Machine(make) = family.make else { continue };
        let mut decided = 0;
        for (size, seed) in [(1, 0), (2, 1), (3, 2), (6, 3)] {
            let deep = family.parameters.iter().any(|p| p.name == "deep");
            let given: Vec<_> = deep.then(|| ("deep".to_owned(), 1)).into_iter().collect();
            let made = make(&Parameters::new(family, size, seed, &given).expect("allowed"));
            let text = tern::write(&made.machine, &made.claims);
            let (machine, claims) =
                tern::read(&Source::new("made", text.as_str()), &budget).expect("read back");
            let checker = Checker::new(&machine, &budget).expect("no limits are set");
            for (claim, expected) in claims.list().iter().zip(&made.expected) {
                let mut agreed = *expected;
                for engine in ENGINES {
                    let options = Options { engine: Some(engine), ..Options::default() };
                    let outcome = checker.decide(&claims.formulas, claim, &options, &budget);
                    let name = claim.name.as_deref().unwrap_or_default();
                    let case = format!("{} {size}, `{name}`, {}", family.name, engine.name);
                    match outcome.verdict {
                        Verdict::Unknown(Gap::Unsupported(_)) => continue,
                        Verdict::Unknown(gap) => panic!("{case}: {gap}"),
                        Verdict::Holds | Verdict::Fails => {}
                    }
                    let holds = outcome.verdict.known();
                    assert_eq!(holds, agreed.or(holds), "{case}\n{text}");
                    agreed = holds;
                    decided += 1;
                }
            }
        }
        assert!(made_without_claims(family.name) || decided > 0, "{}", family.name);
    }
}

/// The verdicts on claims about a text of a format, by whatever engine is chosen.
fn verdicts(format: &str, text: &str, claims: &Claims) -> Vec<&'static str> {
    let budget = Budget::unlimited();
    let format = Format::named(format).expect("there is such a format");
    let reading = format
        .read(&Source::new("made", text), &budget)
        .unwrap_or_else(|refusal| panic!("{}: {refusal}\n{text}", format.name));
    let checker = Checker::new(&reading.machine, &budget).expect("no limits are set");
    let decide = |claim: &Claim| {
        checker.decide(&claims.formulas, claim, &Options::default(), &budget).verdict.word()
    };
    claims.list().iter().map(decide).collect()
}

fn written(format: &str, machine: &Machine) -> Option<String> {
    let writer = Format::named(format).and_then(|format| format.writer).expect("it is written");
    (writer.write)(machine, &Claims::new()).ok()
}

#[test]
fn what_is_generated_means_the_same_as_a_pushdown_system() {
    let budget = Budget::unlimited();
    let mut compared = 0;
    for family in FAMILIES {
        for (size, seed) in [(1, 0), (2, 1), (4, 2), (9, 3), (17, 4)] {
            let parameters = Parameters::new(family, size, seed, &[]);
            let Ok(parameters) = parameters else { continue };
            let (machine, mut list) = match family.make {
                Make::Machine(make) => {
                    let made = make(&parameters);
                    (made.machine, made.claims)
                }
                Make::Pushdown(make) => {
                    let text = make(&parameters);
                    let read = pds::read(&Source::new("made.pds", text.as_str()), &budget)
                        .unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
                    (read.machine, Claims::new())
                }
                Make::Formula(_) => continue,
            };
            let labels: Vec<String> = machine.labels().map(|(_, name)| name.to_owned()).collect();
            for label in labels.iter().take(6) {
                for shape in ["AG EF p", "AF p", "EX EX p", "G F p", "F G X p", "E [!p U AX p]"] {
                    let quoted = format!("\"{label}\"");
                    claims::read_one(&mut list, &shape.replace('p', &quoted)).expect("a claim");
                }
            }
            let own = tern::write(&machine, &Claims::new());
            let expected = verdicts("tern", &own, &list);
            for format in ["pds", "pdmu", "rsm"] {
                let Some(text) = written(format, &machine) else { continue };
                let found = verdicts(format, &text, &list);
                assert_eq!(found, expected, "{} {size} as {format}\n{text}", family.name);
                compared += found.len();
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

fn made_without_claims(family: &str) -> bool {
    family == "literature"
}

fn generate(directory: &std::path::Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tern"))
        .arg("generate")
        .args(args)
        .current_dir(directory)
        .output()
        .expect("tern runs")
}

#[test]
fn a_made_machine_tells_how_to_make_it_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = ["--family", "chain", "--size", "3", "--set", "idle=1"];
    let args = [&["rsm"], &options[..]].concat();
    let printed = generate(directory.path(), &args);
    assert!(printed.status.success());
    let text = String::from_utf8(printed.stdout).expect("UTF-8");
    assert!(text.starts_with(
        "// tern generate rsm --family chain --size 3 --seed 0 --set idle=1\n\
         // by construction: may holds\n"
    ));
    assert!(generate(directory.path(), &[&args[..], &["-o", "a.tern"]].concat()).status.success());
    assert_eq!(std::fs::read_to_string(directory.path().join("a.tern")).expect("written"), text);
    let again = generate(directory.path(), &[&args[..], &["-o", "a.tern"]].concat());
    assert_eq!(again.status.code(), Some(2), "it exists");
    let json = generate(directory.path(), &[&args[..], &["-o", "a.rsm"]].concat());
    assert!(json.status.success());
    assert!(String::from_utf8_lossy(&json.stderr).contains("3 claims left out"));
    let read = std::fs::read_to_string(directory.path().join("a.rsm")).expect("written");
    assert!(read.starts_with('{'), "{read}");
}

#[test]
fn formulas_are_printed_as_claims_and_mistakes_are_explained() {
    let directory = tempfile::tempdir().expect("a directory");
    let made = generate(directory.path(), &["formula", "--family", "literature", "--size", "18"]);
    assert!(made.status.success());
    assert_eq!(String::from_utf8_lossy(&made.stdout).lines().count(), 1);
    for (args, said) in [
        (&["rsm", "--family", "cain", "--size", "1"][..], "literature, chain, mutual"),
        (&["formula", "--family", "chain", "--size", "1"], "the families are literature"),
        (&["rsm", "--family", "chain", "--size", "0"], "--size is 1 to"),
        (&["rsm", "--family", "java", "--size", "5", "--set", "exits=0"], "exits 1 to 1000"),
        (&["rsm", "--family", "java", "--size", "5", "--set", "wings=2"], "no parameter `wings`"),
    ] {
        let output = generate(directory.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.contains(said), "{args:?}: {complaint}");
    }
}
