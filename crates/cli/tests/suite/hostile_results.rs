//! Result files that were damaged at random, of every kind of evidence: numbers that are others,
//! parts that are missing, twice there or elsewhere, bytes that are flipped. Whatever comes out,
//! nothing panics, and what is accepted is true.
//!
//! `TERN_SEED` chooses other damage. A failure names the seed, the round and the text.

use crate::mutations::mutate;
use fastrand::Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use tern_certify::Asked;
use tern_engine::{Checker, Engine, Options};
use tern_front::{Source, claims, hoa, tern};
use tern_model::{
    Answer, AutomatonProperty, Budget, Claim, Claims, Formulas, Machine, Must, Property, Verdict,
};
use tern_record::json::{self, Results};
use tern_record::read_evidence;
use tern_record::result_file::{AutomatonRecord, ResultFile};
use tern_testkit::{sample, setting};

/// The kinds of evidence; those that are told apart by their states only are kinds, too.
const KINDS: [&str; 7] = [
    "labelling",
    "runs",
    "absence",
    "star",
    "absence, by states",
    "absence, by runs",
    "absence, by trees",
];

/// How many damaged files are tried.
const FILES: usize = 6_000;
/// How many of them are given to the program itself.
const GIVEN: usize = 120;

/// A machine, what was claimed of it, and a result file about that.
struct Case {
    machine: Machine,
    claims: Claims,
    text: String,
    kind: String,
}

impl Case {
    /// `None` if there is no evidence.
    fn new(seed: u64) -> Option<Self> {
        let budget = Budget::unlimited();
        let mut rng = Rng::with_seed(seed);
        // As it is read from a file, so that everything has the number that it has there.
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let written = Source::new("m.tern", tern::write(&machine, &Claims::new()));
        let (machine, _) = tern::read(&written, &budget).expect("it was written so");
        let mut claims = Claims::new();
        let formulas = &mut claims.formulas;
        let claim: Property = match seed % 4 {
            0 => sample::formula(&mut rng, formulas, 3).into(),
            1 => sample::ltl(&mut rng, formulas, 6).into(),
            2 => sample::ctl_star(&mut rng, formulas, 8).into(),
            _ => {
                let path = sample::ltl(&mut rng, formulas, 4);
                let automaton = tern_automata::translate(formulas, path, &budget);
                let written = hoa::write(&automaton.expect("no limits"), formulas);
                let read = hoa::read(&Source::new("some.hoa", written), formulas);
                let automaton = read.expect("it was written so").remove(0).automaton;
                let must = if rng.u8(..4) == 0 { Must::AcceptNone } else { Must::AcceptAll };
                let title = "some.hoa".to_owned();
                AutomatonProperty { automaton, must, fair: Vec::new(), title }.into()
            }
        };
        claims.push(Claim::new(claim));
        let checker = Checker::new(&machine, &budget).expect("no limits");
        // Without this, all that CTL can say has a labelling.
        let engine = (seed % 8 == 1).then(|| Engine::named("tableau")).flatten();
        let options = Options { engine, evidence: true, ..Options::default() };
        let outcome = checker.decide(&claims.formulas, &claims.list()[0], &options, &budget);
        let answers = [Answer::from(outcome)];
        let results = Results::new("m", &claims, &[1], &answers);
        let text = json::text(&Results { machine: Some(&machine), ..results });
        let parsed: Value = serde_json::from_str(&text).expect("JSON");
        let evidence = &parsed["results"][0]["evidence"];
        let watches = evidence["watches"].as_array().and_then(|list| list.first());
        let kind = match (evidence["kind"].as_str()?, watches) {
            ("absence", Some(Value::Object(_))) => "absence, by trees",
            ("absence", Some(_)) => "absence, by runs",
            ("absence", None) if evidence["states"].is_null() => "absence, by states",
            (kind, _) => kind,
        };
        Some(Case { machine, claims, kind: kind.to_owned(), text })
    }
}

/// What of a file is accepted: the claims, and the verdicts on them.
fn accepted(case: &Case, text: &str) -> Vec<(Formulas, Claim, Verdict)> {
    let Ok(file) = ResultFile::read(text) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in &file.results {
        let verdict = match entry.verdict.as_str() {
            "holds" => Verdict::Holds,
            "fails" => Verdict::Fails,
            _ => continue,
        };
        let (formulas, claim) = match &entry.automaton {
            Some(held) => {
                let claim = case.claims.list()[0].property.clone();
                match claim.automaton() {
                    Some(own) if AutomatonRecord::new(&case.claims.formulas, own) == *held => {}
                    _ => continue,
                }
                (case.claims.formulas.clone(), claim)
            }
            None => {
                let mut claims = Claims::new();
                if claims::read_one(&mut claims, &entry.claim).is_err() {
                    continue;
                }
                let claim = claims.list()[0].property.clone();
                (claims.formulas, claim)
            }
        };
        let Some(json) = entry.evidence else { continue };
        let machine = &case.machine;
        let Ok(start) = entry.start(machine) else { continue };
        let Ok(evidence) = read_evidence(machine, &formulas, &claim, json.get()) else { continue };
        let mut starts = start.configurations(machine).into_iter();
        let culprit = entry.culprit.as_ref();
        let place = culprit.and_then(|words| starts.find(|it| it.show(machine) == *words));
        if culprit.is_some() != place.is_some() {
            continue;
        }
        let claim = Claim { start, ..Claim::new(claim) };
        let asked = Asked { formulas: &formulas, claim: &claim };
        let (place, budget) = (place.as_ref(), Budget::unlimited());
        let checked =
            tern_certify::check(machine.into(), asked, &verdict, place, &evidence, &budget);
        if checked.is_ok() {
            found.push((formulas, claim, verdict));
        }
    }
    found
}

/// The ways to all values in a piece of JSON.
fn places(value: &Value, way: &str, found: &mut Vec<String>) {
    found.push(way.to_owned());
    match value {
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                places(inner, &format!("{way}/{i}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                places(inner, &format!("{way}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// Numbers that readers trip over.
const NUMBERS: [i64; 12] =
    [0, 1, 2, 3, -1, -2, 63, 64, 4294967294, 4294967295, 4294967296, i64::MIN];

/// Changes a value somewhere in the result.
pub(crate) fn change(json: &mut Value, rng: &mut Rng) {
    let mut ways = Vec::new();
    places(&json["results"], "/results", &mut ways);
    let way = &ways[rng.usize(..ways.len())];
    let other = ways[rng.usize(..ways.len())].clone();
    let other = json.pointer(&other).cloned().unwrap_or(Value::Null);
    let Some(value) = json.pointer_mut(way) else { return };
    match value {
        Value::Number(number) if rng.u8(..4) > 0 => {
            let near = number.as_i64().unwrap_or(0).wrapping_add(rng.i64(-2..=2));
            let choice = rng.usize(..NUMBERS.len() * 2);
            *value = NUMBERS.get(choice).copied().unwrap_or(near).into();
        }
        Value::Array(list) if !list.is_empty() => {
            let at = rng.usize(..list.len());
            match rng.u8(..4) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.swap(0, at),
                _ => list.clear(),
            }
        }
        Value::String(text) if text == "holds" => *value = "fails".into(),
        Value::String(text) if text == "fails" => *value = "holds".into(),
        Value::Bool(truth) => *truth = !*truth,
        Value::Object(fields) if rng.u8(..4) == 0 => {
            let names: Vec<String> = fields.keys().cloned().collect();
            if let Some(name) = rng.choice(&names) {
                fields.remove(name);
            }
        }
        _ => *value = other,
    }
}

fn damaged(case: &Case, rng: &mut Rng) -> String {
    if rng.u8(..4) == 0 {
        let mut bytes = case.text.clone().into_bytes();
        mutate(&mut bytes, rng);
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let mut json: Value = serde_json::from_str(&case.text).expect("JSON");
    for _ in 0..rng.usize(1..=2) {
        change(&mut json, rng);
    }
    json.to_string()
}

/// What an engine says.
fn truth(machine: &Machine, formulas: &Formulas, claim: &Claim) -> Option<bool> {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits");
    checker.decide(formulas, claim, &Options::default(), &budget).verdict.known()
}

/// Some cases of every kind of evidence.
fn cases(seed: u64) -> Vec<Case> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases = Vec::new();
    for case in (0..4_000).filter_map(|i| Case::new(seed * 10_000 + i)) {
        let count = counts.entry(case.kind.clone()).or_default();
        if *count < 12 {
            *count += 1;
            cases.push(case);
        }
        if counts.len() == KINDS.len() && counts.values().all(|&count| count >= 8) {
            return cases;
        }
    }
    panic!("{counts:?}");
}

#[test]
fn damaged_results_are_refused_or_true() {
    let seed = setting("TERN_SEED", 1);
    let cases = cases(seed);
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in &cases {
        let whole = accepted(case, &case.text);
        assert_eq!(whole.len(), 1, "it is as the engine gave it: {}", case.text);
    }
    let mut rng = Rng::with_seed(seed);
    for round in 0..FILES {
        let case = &cases[round % cases.len()];
        let text = damaged(case, &mut rng);
        let count = kinds.entry(&case.kind).or_default();
        count.0 += 1;
        let attempt = AssertUnwindSafe(|| {
            let found = accepted(case, &text);
            for (formulas, claim, accepted) in &found {
                let truth = truth(&case.machine, formulas, claim).map(Verdict::from);
                let shown = claim.property.show(formulas);
                assert_eq!(truth.as_ref(), Some(accepted), "{shown}");
            }
            found.len()
        });
        match catch_unwind(attempt) {
            Ok(accepted) => count.1 += accepted,
            Err(_) => panic!("seed {seed}, round {round}: see the panic above. The text:\n{text}"),
        }
    }
    for kind in KINDS {
        let &(tried, accepted) = kinds.get(kind).unwrap_or(&(0, 0));
        assert!(tried >= 40, "{kind}: {tried} files were tried");
        assert!(accepted < tried, "{kind}: nothing is refused");
    }
}

#[test]
fn the_program_ends_as_it_should() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rng = Rng::with_seed(7);
    let mut statuses: BTreeMap<i32, usize> = BTreeMap::new();
    for i in 0..GIVEN as u64 {
        let Some(case) = Case::new(5_000 + i) else { continue };
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("m.tern"), tern::write(&case.machine, &Claims::new()))
            .expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
        command.args(["certify", "m.tern", "r.json"]).current_dir(directory.path());
        if let Some(own) = case.claims.list()[0].property.automaton() {
            let hoa = hoa::write(&own.automaton, &case.claims.formulas);
            std::fs::write(path("some.hoa"), hoa).expect("written");
            command.args(match own.must {
                Must::AcceptNone => ["--automaton", "some.hoa"],
                Must::AcceptAll => ["--automaton-positive", "some.hoa"],
            });
        }
        let text = if i % 4 == 0 { case.text.clone() } else { damaged(&case, &mut rng) };
        std::fs::write(path("r.json"), &text).expect("written");
        let output = command.output().expect("tern runs");
        let status = output.status.code().expect("no signal");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!([0, 1, 2, 3].contains(&status), "round {i}: {status}, {said}: {text}");
        assert!(i % 4 != 0 || status == 0, "round {i}: {status}, {said}: {text}");
        *statuses.entry(status).or_default() += 1;
    }
    assert!([0, 1, 2].iter().all(|status| statuses.contains_key(status)), "{statuses:?}");
}
