//! Verdicts about pointer programs: a corpus of methods that are right or wrong, and random
//! programs against an interpreter that shares nothing with the analysis.

// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../../heap/tests/suite/oracle.rs"]
mod oracle;
#[path = "../../heap/tests/suite/random.rs"]
mod random;

use oracle::{Concrete, Interpreter, Truth};
use random::{Sketch, sketch};
use tern::front::Source;
use tern::heap::{HeapModel, HeapSettings};
use tern::{Budget, Options, Verdict};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn verdicts(model: &HeapModel) -> Vec<Verdict> {
    let decide = |claim| {
        let (options, budget) = (Options::default(), Budget::unlimited());
        let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
        let verdict = answer.answer.verdict().clone();
        assert_eq!(verdict == Verdict::Fails, answer.input.is_some(), "each failure has an input");
        verdict
    };
    (0..model.claims.list().len()).map(decide).collect()
}

/// What claims about a run mean, written out by hand.
const CLAIMS: [&str; 8] = [
    "G !nullderef",
    "F terminated",
    "F (terminated | nullderef)",
    "G (terminated -> \"shape(return, SHAPE)\")",
    "F \"x == null\"",
    "G (\"x == null\" -> F (terminated | nullderef))",
    "G F \"in(aux)\"",
    "X X \"y == z\"",
];

/// A run: what is true at each step, and whether it ends. If it does, it stays where it is.
struct Run {
    steps: Vec<Vec<bool>>,
    ends: bool,
    /// From where on it repeats itself, if it does.
    again: Option<usize>,
}

fn atoms(sketch: &Sketch) -> [String; 7] {
    let shape =
        sketch.atoms().iter().find_map(|it| it.strip_prefix("shape(x, ").map(str::to_owned));
    let shape = shape.expect("there is such an atom");
    [
        "terminated".to_owned(),
        "nullderef".to_owned(),
        format!("shape(return, {shape}"),
        "x == null".to_owned(),
        "in(aux)".to_owned(),
        "y == z".to_owned(),
        "in(main)".to_owned(),
    ]
}

fn run(sketch: &Sketch, input: &Concrete, random: &mut fastrand::Rng) -> Run {
    let names = atoms(sketch);
    let mut interpreter = Interpreter::new(sketch, input.clone(), None);
    let (mut steps, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..400 {
        let truth = |name: &String| match interpreter.truth(name) {
            Truth::Is(value) => value,
            Truth::Unknown => unreachable!("no ghosts are asked for"),
        };
        steps.push(names.iter().map(truth).collect());
        if interpreter.has_ended() {
            return Run { steps, ends: true, again: None };
        }
        let key = interpreter.key();
        if let Some(before) = keys.iter().position(|it| *it == key)
            && !sketch.has_choice()
        {
            return Run { steps, ends: false, again: Some(before) };
        }
        keys.push(key);
        interpreter.step(random);
    }
    Run { steps, ends: false, again: None }
}

/// Whether a run violates or fulfils a claim, if that can be said.
fn judge(claim: usize, run: &Run) -> Option<bool> {
    let endless = run.again.is_some();
    let known = run.ends || endless;
    let on = |atom: usize, step: &Vec<bool>| step[atom];
    let ever = |atom: usize| run.steps.iter().any(|step| on(atom, step));
    let halts = |step: &Vec<bool>| step[0] || step[1];
    match claim {
        0 => {
            if ever(1) {
                Some(false)
            } else {
                known.then_some(true)
            }
        }
        1 => {
            if ever(0) {
                Some(true)
            } else {
                known.then_some(false)
            }
        }
        2 => {
            if run.steps.iter().any(halts) {
                Some(true)
            } else {
                known.then_some(false)
            }
        }
        3 => {
            let bad = run.steps.iter().any(|step| on(0, step) && !on(2, step));
            if bad { Some(false) } else { known.then_some(true) }
        }
        4 => {
            if ever(3) {
                Some(true)
            } else {
                known.then_some(false)
            }
        }
        5 => {
            if run.ends {
                return Some(true);
            }
            // A run that does not end must never have x == null.
            endless.then(|| !ever(3))
        }
        6 => match run.again {
            Some(again) => Some(run.steps[again..].iter().any(|step| on(4, step))),
            None if run.ends => Some(run.steps.last().is_some_and(|step| on(4, step))),
            None => None,
        },
        _ => {
            let at = |step: usize| {
                let step = match run.again {
                    Some(_) => step,
                    None => step.min(run.steps.len() - 1),
                };
                run.steps.get(step).map(|it| on(5, it))
            };
            if known || run.steps.len() > 2 { at(2) } else { None }
        }
    }
}

#[test]
fn no_verdict_contradicts_the_interpreter() {
    let (pairs, first) = (setting("TERN_PAIRS", 10), setting("TERN_SEED", 1));
    let (mut decided, mut unknown, mut refuted) = (0, 0, 0);
    for seed in first..first + pairs {
        let sketch = sketch(seed);
        let mut text = sketch.text();
        let shape = atoms(&sketch)[2].clone();
        for claim in CLAIMS {
            let claim = claim.replace("shape(return, SHAPE)", &shape);
            text += &format!("claim {claim}\n");
        }
        let model = HeapModel::read(Source::new("t.heap", text.clone()))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let found = verdicts(&model);
        let mut random = fastrand::Rng::with_seed(seed);
        let tries = if sketch.has_choice() { 8 } else { 1 };
        for (claim, verdict) in found.iter().enumerate() {
            match verdict {
                Verdict::Unknown(_) => unknown += 1,
                Verdict::Holds => decided += 1,
                Verdict::Fails => {
                    decided += 1;
                    refuted += 1;
                }
            }
            let mut violated = Some(false);
            for input in Concrete::inputs(sketch_structure(&sketch), 5) {
                for _ in 0..tries {
                    match judge(claim, &run(&sketch, &input, &mut random)) {
                        Some(false) => violated = Some(true),
                        None if violated == Some(false) => violated = None,
                        _ => {}
                    }
                }
            }
            let wrong = match verdict {
                Verdict::Holds => violated == Some(true),
                // All runs were seen, and none violates it. With choices not all were seen.
                Verdict::Fails => violated == Some(false) && !sketch.has_choice(),
                Verdict::Unknown(_) => false,
            };
            assert!(!wrong, "seed {seed}: `{}` {verdict:?}\n{text}", CLAIMS[claim]);
        }
    }
    println!("{decided} decided, {refuted} of these refuted, {unknown} unknown");
    assert!(decided > 2 * unknown, "{decided} decided, {unknown} unknown");
}

fn sketch_structure(sketch: &Sketch) -> random::Structure {
    sketch.structure
}

/// Methods with claims: what stands behind a claim is what it must be.
#[test]
fn methods_of_the_corpus_are_judged_rightly() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        // The expected verdicts stand in comments: `//: holds`.
        let expected: Vec<String> =
            text.lines().filter_map(|line| line.strip_prefix("//: ")).map(str::to_owned).collect();
        let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default().to_owned();
        let model = HeapModel::read(Source::new(name.clone(), text))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = verdicts(&model);
        assert_eq!(found.len(), expected.len(), "{name}: each claim has a verdict");
        for (claim, (found, expected)) in found.iter().zip(&expected).enumerate() {
            count += 1;
            if found.word() != expected {
                let formula = model.claims.list()[claim].property.show(&model.claims.formulas);
                let input = model.show_input(model.about(claim));
                wrong.push(format!("{name}: {input}: {formula}: {found:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn claims_about_nothing_are_refused() {
    let refused = |claim: &str| -> String {
        let text = format!(
            "type Node {{ next: Node }} grammar SLL = Node(next)\n\
             proc main(x: Node) {{ }} given main(x: SLL)\nclaim {claim}\n"
        );
        let read = HeapModel::read(Source::new("t.heap", text));
        read.err().expect("it is refused").to_string()
    };
    let wrong = [
        ("F terminate", "did you mean `terminated`?"),
        ("G \"xx == null\"", "did you mean `x`?"),
        ("G \"shape(x, SL)\"", "did you mean `SLL`?"),
        ("G \"x.nxt == x\"", "did you mean `next`?"),
        ("G \"in(man)\"", "did you mean `main`?"),
    ];
    for (claim, hint) in wrong {
        let error = refused(claim);
        assert!(error.contains("H403") && error.contains(hint), "{error}");
        assert!(error.contains("t.heap:3:"), "{error}");
    }
    assert!(refused("F (terminated").contains("t.heap:3:"), "the place is in the file");
}
