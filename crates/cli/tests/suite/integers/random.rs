//! Random programs as a user asks about them: every definite verdict has evidence, of whatever
//! kind, that the certifier accepts.
//!
//! Whether the verdicts are true is tested beside the analysis. `TERN_PAIRS` says how many pairs of
//! program and claim are tried, `TERN_SEED` which; what has no evidence is printed with its seed.

use super::tern;
use serde_json::Value;
use tern_testkit::programs::{GIVEN, Maker};
use tern_testkit::setting;

/// What programs are like.
#[derive(Clone, Copy)]
struct Kind {
    recursive: bool,
    /// Whether numbers wrap, and variables have types of all kinds.
    typed: bool,
}

/// Asks about so many pairs, three claims about each program.
#[allow(clippy::print_stdout)] // says what has no evidence
fn ask(kind: Kind, usual: u64) {
    let (first, pairs) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", usual));
    let (mut asked, mut decided, mut without) = (0, 0, Vec::new());
    for seed in first.. {
        if asked >= pairs {
            break;
        }
        let mut maker = Maker::new(fastrand::Rng::with_seed(seed), kind.recursive, kind.typed);
        let text = maker.program();
        let claims: Vec<String> = (0..3)
            .map(|_| {
                let depth = maker.random.usize(1..4);
                maker.claim(depth)
            })
            .collect();
        let mut args = vec!["--json", "--certify", "--timeout", "120s", "--given", GIVEN];
        args.extend(claims.iter().flat_map(|claim| ["-f", claim]));
        if kind.typed {
            args.extend(["--int", ["16", "8", "32"][seed as usize % 3]]);
        }
        if seed.is_multiple_of(3) {
            args.extend(["--assert", "assume"]);
        }
        let (status, out, err) = tern(&text, &args);
        if kind.typed && status == Some(2) {
            // Too many cases, or nothing that a claim could be about.
            continue;
        }
        let object: Value = serde_json::from_str(&out)
            .unwrap_or_else(|_| panic!("seed {seed}: {status:?}\n{out}{err}\n{text}"));
        for (claim, result) in claims.iter().zip(object["results"].as_array().expect("a list")) {
            asked += 1;
            if result["verdict"] == "unknown" {
                // What the certifier refuses becomes unknown: a reason that is no reason.
                assert_ne!(result["certified"], false, "seed {seed}: {claim}\n{text}");
                continue;
            }
            decided += 1;
            if result["certified"] != true {
                println!("without evidence: seed {seed}\n{claim}\n{text}");
                without.push(seed);
            }
        }
    }
    println!("{asked} pairs from seed {first}: {decided} decided, without evidence {without:?}");
    assert!(without.is_empty(), "without evidence: seeds {without:?}");
}

#[test]
fn verdicts_about_random_programs_have_evidence() {
    ask(Kind { recursive: false, typed: false }, 60);
}

#[test]
fn verdicts_about_random_programs_that_call_themselves_have_evidence() {
    ask(Kind { recursive: true, typed: false }, 30);
}

#[test]
fn verdicts_about_random_programs_whose_numbers_wrap_have_evidence() {
    ask(Kind { recursive: false, typed: true }, 30);
}
