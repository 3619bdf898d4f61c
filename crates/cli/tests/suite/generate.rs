//! `tern generate`, and the verdicts that are known by construction: with every engine, on machines
//! that were written and read again.

use std::process::{Command, Output};
use tern_engine::{Checker, ENGINES, Options};
use tern_front::generate::{FAMILIES, Make, Parameters};
use tern_front::{Source, tern};
use tern_model::{Budget, Gap, Verdict};

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
