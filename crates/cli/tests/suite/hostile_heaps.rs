//! Result files about pointer programs that were damaged: proofs, runs, and proofs about one input.
//! Whatever comes out, nothing panics, and nothing shows the contrary of what is true.
//!
//! `TERN_SEED` chooses other damage, `TERN_PAIRS` how many files are damaged.

use crate::hostile_results::change;
use crate::mutations::mutate;
use fastrand::Rng;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use tern::heap::{HeapModel, HeapProof, HeapRun};
use tern_front::Source;
use tern_model::{Budget, FormulaId};
use tern_testkit::setting;

/// A walk with a call, a loop that may be left, and a method that makes objects for ever.
const PROGRAM: &str = "
type Node { next: Node } grammar SLL = Node(next)
proc walk(x: Node): Node {
  var y: Node
  y = x
  while y != null { y = step(y) }
  return x
}
proc step(n: Node): Node { n = n.next return n }
proc drop(x: Node): Node {
  while ? { x = x.next }
  return x
}
proc more(x: Node) {
  var n: Node
  while x != null { n = new Node n.next = x x = n }
}
given walk(x: SLL)
claim F terminated
claim G (terminated -> \"shape(return, SLL)\" & \"reach(return, elem)\")
claim G !\"x == elem\"
claim G (\"in(walk)\" -> whole(SLL))
given drop(x: SLL)
claim G !nullderef
claim F terminated
claim E F (terminated | nullderef)
given more(x: SLL+)
claim F terminated
claim G !nullderef
";

/// What each claim is about, and what it comes to.
const TRUTH: [(&str, &str); 9] = [
    ("walk", "holds"),
    ("walk", "holds"),
    ("walk", "fails"),
    ("walk", "fails"),
    ("drop", "fails"),
    ("drop", "fails"),
    ("drop", "holds"),
    ("more", "fails"),
    ("more", "holds"),
];

/// The program and its results in a folder, as the command writes them: each result alone.
fn results(folder: &Path) -> Vec<Value> {
    std::fs::write(folder.join("p.heap"), PROGRAM).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    command.args(["check", "p.heap", "--json", "--evidence"]).current_dir(folder);
    let output = command.output().expect("tern runs");
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = all["results"].as_array().expect("a list");
    let found: Vec<&str> = results.iter().filter_map(|it| it["verdict"].as_str()).collect();
    assert_eq!(found, TRUTH.map(|it| it.1));
    let alone = |result: &Value| {
        let mut one = all.clone();
        one["results"] = json!([result]);
        one
    };
    results.iter().map(alone).collect()
}

/// Whether evidence is accepted for a claim and a verdict.
fn is_accepted(model: &HeapModel, formula: FormulaId, verdict: &str, evidence: &str) -> bool {
    let (formulas, budget) = (&model.claims.formulas, Budget::unlimited());
    let proof = HeapProof::read(evidence).ok();
    let run = HeapRun::read(evidence).ok();
    match (verdict, proof, run) {
        ("holds", Some(proof), _) => {
            model.certify_proof(formulas, formula, &proof, &budget).is_ok()
        }
        ("fails", Some(proof), _) => {
            model.certify_refutation(formulas, formula, &proof, &budget).is_ok()
        }
        ("fails", None, Some(run)) => model.certify(formulas, formula, &run, &budget).is_ok(),
        _ => false,
    }
}

#[test]
fn damaged_results_show_nothing_that_is_wrong() {
    let (seed, rounds) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 400));
    let folder = tempfile::tempdir().expect("a folder");
    let results = results(folder.path());
    let model = HeapModel::read(Source::new("p.heap", PROGRAM)).expect("it is a program");
    let claims: Vec<FormulaId> =
        model.claims.list().iter().map(|it| it.formula().expect("a formula")).collect();
    for (number, result) in results.iter().enumerate() {
        let evidence = result["results"][0]["evidence"].to_string();
        let accepted = is_accepted(&model, claims[number], TRUTH[number].1, &evidence);
        assert!(accepted, "claim {number} has evidence");
    }
    let mut rng = Rng::with_seed(seed);
    let (mut read, mut accepted) = (0, 0);
    for round in 0..rounds {
        let number = rng.usize(..results.len());
        let mut result = results[number].clone();
        for _ in 0..rng.usize(1..=3) {
            change(&mut result, &mut rng);
        }
        let evidence = result.pointer("/results/0/evidence").unwrap_or(&Value::Null).to_string();
        let attempt = AssertUnwindSafe(|| {
            for (claim, (about, truth)) in claims.iter().zip(TRUTH) {
                let contrary = if truth == "holds" { "fails" } else { "holds" };
                // Evidence says what it is about; of another procedure the claim may be true.
                let wrong = evidence.contains(&format!("\"given {about}("))
                    && is_accepted(&model, *claim, contrary, &evidence);
                assert!(!wrong, "it shows that claim {claim:?} of {about} {contrary}");
            }
            is_accepted(&model, claims[number], TRUTH[number].1, &evidence)
        });
        read += u64::from(HeapProof::read(&evidence).is_ok() || HeapRun::read(&evidence).is_ok());
        match catch_unwind(attempt) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(_) => panic!("seed {seed}, round {round}: see above. The evidence:\n{evidence}"),
        }
    }
    // Files that cannot be read show nothing of the checks.
    assert!(3 * read > rounds && 2 * accepted < rounds, "{read} read, {accepted} accepted");
}

#[test]
fn the_program_ends_as_it_should() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rng = Rng::with_seed(setting("TERN_SEED", 1));
    let certify = |text: &[u8]| {
        std::fs::write(folder.path().join("r.json"), text).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
        command.args(["certify", "p.heap", "r.json"]).current_dir(folder.path());
        let output = command.output().expect("tern runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = output.status.code();
        assert!(matches!(status, Some(0..=2)) && !said.contains("panicked"), "{status:?}: {said}");
        status
    };
    for result in results(folder.path()) {
        let text = result.to_string();
        assert_eq!(certify(text.as_bytes()), Some(0));
        // A number that is too large, lists in lists, a text that is cut.
        let evidence = &result["results"][0]["evidence"];
        let steps = evidence["steps"].to_string();
        let large = text.replace(&format!("\"steps\":{steps}"), "\"steps\":99999999999999999999");
        assert_ne!(certify(large.as_bytes()), Some(0));
        let deep = "[".repeat(200_000);
        let deep = text.replace(&format!("\"steps\":{steps}"), &format!("\"steps\":{deep}"));
        assert_eq!(certify(deep.as_bytes()), Some(2));
        assert_eq!(certify(&text.as_bytes()[..rng.usize(..text.len())]), Some(2));
        for _ in 0..4 {
            let mut bytes = text.clone().into_bytes();
            mutate(&mut bytes, &mut rng);
            certify(&bytes);
        }
    }
}
