//! Settings of Attestor against runs on concrete inputs: no verdict contradicts these.
//!
//! `TERN_SETTINGS` names a folder with settings, which are looked for in it and below. Without it
//! nothing is tested, and the test says so.

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tern::front::Source;
use tern::heap::{HeapAnswer, HeapModel, HeapProof, HeapRun, HeapSettings, StartValue, Tried};
use tern::{Budget, Options, Verdict};

fn settings(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("it can be listed");
            open.extend(entries.map(|it| it.expect("it can be listed").path()));
        } else if path.extension().is_some_and(|it| it == "attestor") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn no_verdict_on_settings_contradicts_runs_on_inputs() {
    let Ok(folder) = std::env::var("TERN_SETTINGS") else {
        println!("TERN_SETTINGS names no folder with settings: nothing was tested");
        return;
    };
    let (mut claims, mut definite, mut judged, mut refused) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for file in settings(Path::new(&folder)) {
        let path = file.to_string_lossy().into_owned();
        let name = file.file_stem().map_or(String::new(), |it| it.to_string_lossy().into_owned());
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let budget = Budget::unlimited();
        let model = match HeapModel::attestor(&path, &Source::new(&path, text), &budget) {
            Ok(model) => model,
            Err(error) => {
                refused += 1;
                println!("{name} | refused: {}", error.to_string().replace('\n', " "));
                continue;
            }
        };
        for claim in 0..model.claims.list().len() {
            let limited = Budget::unlimited().with_timeout(Duration::from_secs(60));
            let begin = Instant::now();
            let (settings, options) = (HeapSettings::default(), Options::default());
            let answer = model.decide(claim, settings, &options, &limited);
            let seconds = begin.elapsed().as_secs_f64();
            let tried = model.tried(claim, 5, &limited).unwrap_or_default();
            let Tried { hold, fail, open } = tried;
            let verdict = answer.answer.verdict();
            let shown =
                model.claims.list()[claim].property.show(&model.claims.formulas).to_string();
            let why = match verdict {
                Verdict::Unknown(gap) => format!(" ({gap})"),
                Verdict::Fails => format!(" (on {})", answer.input.as_deref().unwrap_or("?")),
                Verdict::Holds => String::new(),
            };
            println!(
                "{name} | {} | {:.1} | {} | {hold} {fail} {open} | {shown}{why}",
                verdict.word(),
                seconds * 1e3,
                answer.states,
            );
            claims += 1;
            definite += usize::from(!matches!(verdict, Verdict::Unknown(_)));
            judged += usize::from(hold + fail > 0);
            let contradicts = match verdict {
                Verdict::Holds => fail > 0,
                Verdict::Fails => fail == 0 && open == 0,
                Verdict::Unknown(_) => false,
            };
            if contradicts {
                wrong.push(format!("{name}: {shown}: {}, runs {tried:?}", verdict.word()));
            }
        }
    }
    println!("{claims} claims, {definite} definite, {judged} judged, {refused} files refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The settings beside this test, unless there is no `javac`.
fn read(name: &str) -> Option<HeapModel> {
    if std::process::Command::new("javac").arg("-version").output().is_err() {
        println!("there is no javac: nothing was tested");
        return None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/settings").join(name);
    let text = std::fs::read_to_string(&path).expect("it can be read");
    let path = path.to_string_lossy().into_owned();
    let model = HeapModel::attestor(&path, &Source::new(&path, text), &Budget::unlimited());
    Some(model.unwrap_or_else(|error| panic!("{error}")))
}

fn decided(model: &HeapModel, claim: usize) -> HeapAnswer {
    let options = Options { evidence: true, ..Options::default() };
    model.decide(claim, HeapSettings::default(), &options, &Budget::unlimited())
}

/// What the certifier says of a proof, which is changed.
fn proof_of(model: &HeapModel, claim: usize, change: impl Fn(&mut HeapProof)) -> Option<String> {
    let mut proof = decided(model, claim).proof.expect("there is a proof");
    change(&mut proof);
    let formula = model.claims.list()[claim].formula().expect("it is a formula");
    let budget = Budget::unlimited();
    let said = model.certify_proof(&model.claims.formulas, formula, &proof, &budget);
    said.err().map(|why| why.to_string())
}

/// The same of a run.
fn run_of(model: &HeapModel, claim: usize, change: impl Fn(&mut HeapRun)) -> Option<String> {
    let mut run = decided(model, claim).evidence.expect("there is a run");
    change(&mut run);
    let formula = model.claims.list()[claim].formula().expect("it is a formula");
    let said = model.certify(&model.claims.formulas, formula, &run, &Budget::unlimited());
    said.err().map(|why| why.to_string())
}

/// A list of rings, by a grammar as JSON; the class of the rings lies beside, and the program asks
/// for the number of its arguments.
#[test]
fn grammars_are_read_as_json() {
    let Some(model) = read("rings.attestor") else { return };
    assert_eq!(proof_of(&model, 0, |_| {}), None);
}

/// Lists of two objects at least, the first of which has a name.
#[test]
fn heaps_that_are_given_have_evidence() {
    let Some(model) = read("walk.attestor") else { return };
    for claim in 0..4 {
        assert_eq!(proof_of(&model, claim, |_| {}), None, "claim {claim}");
    }
    // The heap of a callee alone is a list as well, whatever lies around it.
    let bare = |proof: &mut HeapProof| proof.views.clear();
    assert_eq!(
        proof_of(&model, 1, bare).as_deref(),
        Some("it is not said what lies around a heap")
    );
    assert_eq!(run_of(&model, 4, |_| {}), None);
    let none = Some("the input is none of the heaps that are given");
    let shorter = |run: &mut HeapRun| {
        run.objects.pop();
        run.fields = vec![(0, "next".to_owned(), None)];
    };
    assert_eq!(run_of(&model, 4, shorter).as_deref(), none);
    let elsewhere = |run: &mut HeapRun| run.values[1] = run.fields[0].2.map(StartValue::Object);
    assert_eq!(run_of(&model, 4, elsewhere).as_deref(), none);
    let nothing = |run: &mut HeapRun| run.values[0] = None;
    assert_eq!(run_of(&model, 4, nothing).as_deref(), none);
    let ring = |run: &mut HeapRun| run.fields.iter_mut().for_each(|it| it.2 = Some(0));
    assert_eq!(run_of(&model, 4, ring).as_deref(), none);
    let unknown = |run: &mut HeapRun| run.values[1] = Some(StartValue::Any);
    let why = "a proposition cannot be evaluated";
    assert_eq!(run_of(&model, 4, unknown).as_deref(), Some(why));
}

/// What is cut off is still there if it has a name: then there are two lists.
#[test]
fn what_has_a_name_is_part_of_the_whole() {
    let Some(model) = read("cut.attestor") else { return };
    for claim in 0..2 {
        let answer = decided(&model, claim);
        assert_eq!(*answer.answer.verdict(), Verdict::Fails, "claim {claim}");
        assert_eq!(run_of(&model, claim, |_| {}), None, "claim {claim}");
        let tried = model.tried(claim, 4, &Budget::unlimited()).expect("there is no limit");
        assert_eq!((tried.hold, tried.open), (0, 0), "claim {claim}");
    }
    assert_eq!(proof_of(&model, 2, |_| {}), None);
}
