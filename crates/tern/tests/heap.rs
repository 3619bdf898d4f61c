//! Verdicts about pointer programs: a corpus of methods that are right or wrong, and random
//! programs against an interpreter that shares nothing with the analysis.

// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../../heap/tests/suite/oracle.rs"]
mod oracle;
#[path = "../../heap/tests/suite/random.rs"]
mod random;

use oracle::{Concrete, Interpreter, Proposition, looks_below};
use random::{Sketch, sketch};
use std::collections::{BTreeMap, BTreeSet};
use tern::front::Source;
use tern::heap::{HeapModel, HeapSettings};
use tern::{Budget, Options, Verdict};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn verdicts(model: &HeapModel, settings: HeapSettings, effort: u64) -> Vec<Verdict> {
    let decide = |claim| {
        let (options, budget) = (Options::default(), Budget::unlimited().with_effort(effort));
        let answer = model.decide(claim, settings, &options, &budget);
        let verdict = answer.answer.verdict().clone();
        assert_eq!(verdict == Verdict::Fails, answer.input.is_some(), "each failure has an input");
        verdict
    };
    (0..model.claims.list().len()).map(decide).collect()
}

/// A claim about runs, as a tree: what it means is written out below.
#[derive(Clone, Debug)]
enum Path {
    Atom(usize),
    Not(Box<Path>),
    And(Box<Path>, Box<Path>),
    Or(Box<Path>, Box<Path>),
    Next(Box<Path>),
    Finally(Box<Path>),
    Always(Box<Path>),
    Until(Box<Path>, Box<Path>),
}

/// What is true at each step of a run, as far as that is known, and from where on it repeats
/// itself. If nothing is known of how it goes on, the last step is one at which nothing is known.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    steps: Vec<Vec<Option<bool>>>,
    again: usize,
    has_element: bool,
}

impl Path {
    fn random(random: &mut fastrand::Rng, atoms: usize, depth: usize) -> Path {
        if depth == 0 {
            return Path::Atom(random.usize(..atoms));
        }
        let mut one = || Box::new(Path::random(random, atoms, depth - 1));
        let (first, second) = (one(), one());
        match random.u8(..9) {
            0 => Path::Atom(random.usize(..atoms)),
            1 => Path::Not(first),
            2 => Path::And(first, second),
            3 => Path::Or(first, second),
            4 => Path::Next(first),
            5 | 6 => Path::Finally(first),
            7 => Path::Always(first),
            _ => Path::Until(first, second),
        }
    }

    /// The atoms in it.
    fn atoms(&self) -> Vec<usize> {
        match self {
            Path::Atom(atom) => vec![*atom],
            Path::Not(it) | Path::Next(it) | Path::Finally(it) | Path::Always(it) => it.atoms(),
            Path::And(left, right) | Path::Or(left, right) | Path::Until(left, right) => {
                [left.atoms(), right.atoms()].concat()
            }
        }
    }

    fn text(&self, atoms: &[String]) -> String {
        let show = |it: &Path| it.text(atoms);
        match self {
            Path::Atom(atom) => format!("\"{}\"", atoms[*atom]),
            Path::Not(it) => format!("!{}", show(it)),
            Path::And(left, right) => format!("({} & {})", show(left), show(right)),
            Path::Or(left, right) => format!("({} | {})", show(left), show(right)),
            Path::Next(it) => format!("(X {})", show(it)),
            Path::Finally(it) => format!("(F {})", show(it)),
            Path::Always(it) => format!("(G {})", show(it)),
            Path::Until(left, right) => format!("({} U {})", show(left), show(right)),
        }
    }

    /// Its value at each step of a run.
    fn values(&self, run: &Run) -> Vec<Option<bool>> {
        let count = run.steps.len();
        let next = |step: usize| if step + 1 < count { step + 1 } else { run.again };
        let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let not = |a: Option<bool>| a.map(|it| !it);
        let or = |a: Option<bool>, b: Option<bool>| not(and(not(a), not(b)));
        let until = |left: &[Option<bool>], right: &[Option<bool>]| {
            let mut values = vec![Some(false); count];
            loop {
                let before = values.clone();
                for step in (0..count).rev() {
                    values[step] = or(right[step], and(left[step], values[next(step)]));
                }
                if before == values {
                    return values;
                }
            }
        };
        let all = |value: bool| vec![Some(value); count];
        let each = |values: Vec<Option<bool>>| values.into_iter().map(not).collect::<Vec<_>>();
        match self {
            Path::Atom(atom) => run.steps.iter().map(|step| step[*atom]).collect(),
            Path::Not(it) => each(it.values(run)),
            Path::And(left, right) => {
                let pairs = left.values(run).into_iter().zip(right.values(run));
                pairs.map(|(left, right)| and(left, right)).collect()
            }
            Path::Or(left, right) => {
                let pairs = left.values(run).into_iter().zip(right.values(run));
                pairs.map(|(left, right)| or(left, right)).collect()
            }
            Path::Next(it) => {
                let values = it.values(run);
                (0..count).map(|step| values[next(step)]).collect()
            }
            Path::Finally(it) => until(&all(true), &it.values(run)),
            Path::Always(it) => each(until(&all(true), &each(it.values(run)))),
            Path::Until(left, right) => until(&left.values(run), &right.values(run)),
        }
    }
}

/// The claims that every program gets, by numbers of atoms of [`Sketch::atoms`].
fn usual(atoms: &[String]) -> Vec<Path> {
    let atom = |name: &str| {
        let number = atoms.iter().position(|it| it.starts_with(name));
        Box::new(Path::Atom(number.expect("there is such an atom")))
    };
    let not = |it: Box<Path>| Box::new(Path::Not(it));
    let or = |left: Box<Path>, right: Box<Path>| Box::new(Path::Or(left, right));
    let ends = || or(atom("terminated"), atom("nullderef"));
    vec![
        Path::Always(not(atom("nullderef"))),
        Path::Finally(atom("terminated")),
        Path::Finally(ends()),
        Path::Always(or(not(atom("terminated")), atom("shape(return"))),
        Path::Finally(atom("x == null")),
        Path::Always(or(not(atom("x == null")), Box::new(Path::Finally(ends())))),
        Path::Always(Box::new(Path::Finally(atom("in(aux)")))),
        Path::Next(Box::new(Path::Next(atom("y == z")))),
    ]
}

/// Claims about all of the heap, in each procedure.
fn about_all(atoms: &[String]) -> Vec<Path> {
    let atom = |name: &str| {
        let number = atoms.iter().position(|it| it.starts_with(name));
        number.map(|number| Box::new(Path::Atom(number)))
    };
    let (Some(whole), Some(aux)) = (atom("whole"), atom("in(aux)")) else { return Vec::new() };
    let not = |it: &Path| Box::new(Path::Not(Box::new(it.clone())));
    vec![
        Path::Always(whole.clone()),
        Path::Always(Box::new(Path::Or(not(&aux), whole.clone()))),
        Path::Always(Box::new(Path::Or(not(&aux), not(&whole)))),
        Path::Finally(Box::new(Path::And(aux, whole))),
    ]
}

/// How many steps of a run are looked at, and of one of several by chance.
const MOST_STEPS: usize = 600;
const MOST_BY_CHANCE: usize = 300;

/// A program with its propositions; `None` for those that no claim names.
struct Asked<'s> {
    sketch: &'s Sketch,
    atoms: Vec<Option<(String, Proposition)>>,
}

impl<'s> Asked<'s> {
    fn new(sketch: &'s Sketch, claims: &[Path]) -> Self {
        let named: BTreeSet<usize> = claims.iter().flat_map(Path::atoms).collect();
        let atom = |(number, name): (usize, String)| {
            named.contains(&number).then(|| {
                let atom = Proposition::read(sketch, &name);
                (name, atom)
            })
        };
        Asked { sketch, atoms: sketch.atoms().into_iter().enumerate().map(atom).collect() }
    }
}

fn run(asked: &Asked<'_>, (input, element): (&Concrete, Option<usize>), seed: u64) -> Run {
    let Asked { sketch, atoms } = asked;
    let has_choice = sketch.has_choice();
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut interpreter = Interpreter::new(sketch, input.clone(), element);
    let has_element = element.is_some();
    let mut steps: Vec<Vec<Option<bool>>> = Vec::new();
    let (mut keys, mut views) = (BTreeMap::new(), Vec::<BTreeMap<_, usize>>::new());
    for step in 0..if has_choice { MOST_BY_CHANCE } else { MOST_STEPS } {
        if !has_choice && !interpreter.has_ended() {
            let known = *keys.entry(interpreter.key()).or_insert(step);
            if known < step {
                return Run { steps, again: known, has_element };
            }
            let depth = interpreter.depth();
            views.resize_with(depth + 1, BTreeMap::new);
            let view = interpreter.view();
            let below = views[..depth].iter().filter_map(|it| it.get(&view)).next();
            if let Some(&again) = below {
                // What looks below the frame on top may be different each time.
                let is_below = |it: &Option<(String, Proposition)>| {
                    it.as_ref().is_some_and(|(name, _)| looks_below(name))
                };
                for step in &mut steps[again..] {
                    for (value, _) in step.iter_mut().zip(atoms).filter(|it| is_below(it.1)) {
                        *value = None;
                    }
                }
                return Run { steps, again, has_element };
            }
            views[depth].entry(view).or_insert(step);
        }
        let truth = |it: &(String, Proposition)| interpreter.truth(&it.1).value();
        steps.push(atoms.iter().map(|it| it.as_ref().map(truth)).collect());
        if interpreter.has_ended() {
            return Run { steps, again: step, has_element };
        }
        interpreter.step(random);
    }
    steps.push(vec![None; atoms.len()]);
    Run { again: steps.len() - 1, steps, has_element }
}

/// `TERN_PAIRS` says how many programs are tried, `TERN_SEED` which is the first. Random programs
/// often have heaps that no grammar describes; so what is spent on a claim is little: `TERN_STATES`
/// states, and `TERN_EFFORT` looks at the budget.
#[test]
fn no_verdict_contradicts_the_interpreter() {
    let (pairs, first) = (setting("TERN_PAIRS", 10), setting("TERN_SEED", 1));
    let states = usize::try_from(setting("TERN_STATES", 1_500)).expect("few");
    let (settings, effort) =
        (HeapSettings { states, ..HeapSettings::default() }, setting("TERN_EFFORT", 3_000));
    // Of the usual claims and of random ones.
    let (mut holds, mut fails, mut unknown, mut settled) = ([0; 2], [0; 2], [0; 2], 0);
    for seed in first..first + pairs {
        let sketch = sketch(seed);
        let names = sketch.atoms();
        let random = &mut fastrand::Rng::with_seed(seed);
        let mut claims = usual(&names);
        let usual = claims.len();
        claims.extend((0..4).map(|number| Path::random(random, names.len(), 1 + number % 3)));
        claims.extend(about_all(&names));
        let mut text = sketch.text();
        claims.iter().for_each(|claim| text += &format!("claim {}\n", claim.text(&names)));
        let model = HeapModel::read(Source::new("t.heap", text.clone()))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let found = verdicts(&model, settings, effort);
        let tries = if sketch.has_choice() { 8 } else { 1 };
        let asked = Asked::new(&sketch, &claims);
        // Most runs are alike.
        let mut runs = BTreeSet::new();
        for input in Concrete::inputs(sketch.structure, 5) {
            for element in input.elements(sketch.with_element) {
                runs.extend((0..tries).map(|it| run(&asked, (&input, element), seed + it)));
            }
            // Claims that do not name `elem` are about the empty input, too.
            if sketch.with_element && input.elements(true).is_empty() {
                runs.extend((0..tries).map(|it| run(&asked, (&input, None), seed + it)));
            }
        }
        for ((claim, verdict), number) in claims.iter().zip(&found).zip(0..) {
            let kind = usize::from(number >= usual);
            match verdict {
                Verdict::Unknown(_) => unknown[kind] += 1,
                Verdict::Holds => holds[kind] += 1,
                Verdict::Fails => fails[kind] += 1,
            }
            let of_element = claim.text(&names).contains("elem");
            let about = runs.iter().filter(|run| !of_element || run.has_element);
            let values: Vec<Option<bool>> = about.map(|run| claim.values(run)[0]).collect();
            let wrong = match verdict {
                Verdict::Holds => values.contains(&Some(false)),
                // All runs were seen, and none violates it. With choices not all were seen.
                Verdict::Fails => !sketch.has_choice() && values.iter().all(|it| *it == Some(true)),
                Verdict::Unknown(_) => false,
            };
            settled += usize::from(!values.contains(&None));
            assert!(!wrong, "seed {seed}: `{}` {verdict:?}\n{text}", claim.text(&names));
        }
    }
    for (kind, name) in ["usual", "random"].iter().enumerate() {
        let (holds, fails, unknown) = (holds[kind], fails[kind], unknown[kind]);
        println!("{name} claims: {holds} hold, {fails} fail, {unknown} unknown");
    }
    let count: usize = [holds, fails, unknown].iter().flatten().sum();
    println!("{pairs} programs from seed {first}, {count} claims, none contradicted");
    println!("{settled} claims have a known value on every input");
    assert!(holds[0] + fails[0] > 2 * unknown[0], "most claims are decided");
}

/// Methods with claims: what stands behind a claim is what it must be.
#[test]
fn methods_of_the_corpus_are_judged_rightly() {
    let mut files = Vec::new();
    for folder in ["tests/heap", "tests/heap_more"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let entries = std::fs::read_dir(folder).expect("the corpus is there");
        files.extend(entries.map(|entry| entry.expect("it can be listed").path()));
    }
    files.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        // The expected verdicts stand in comments: `//: holds`, `//: fails on 2`, the number of
        // objects of the smallest input.
        let expected: Vec<String> =
            text.lines().filter_map(|line| line.strip_prefix("//: ")).map(str::to_owned).collect();
        let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default().to_owned();
        let model = HeapModel::read(Source::new(name.clone(), text))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = verdicts(&model, HeapSettings::default(), u64::MAX);
        assert_eq!(found.len(), expected.len(), "{name}: each claim has a verdict");
        for (claim, (found, expected)) in found.iter().zip(&expected).enumerate() {
            count += 1;
            let (word, on) = expected.split_once(" on ").unwrap_or((expected, ""));
            if let Ok(objects) = on.parse::<usize>() {
                let size = smallest(&model, claim);
                assert_eq!(size, Some(objects), "{name}: claim {claim}, the smallest input");
            }
            if found.word() != word {
                let formula = model.claims.list()[claim].property.show(&model.claims.formulas);
                let input = model.show_input(model.about(claim));
                wrong.push(format!("{name}: {input}: {formula}: {found:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many objects the input has on which a claim fails.
fn smallest(model: &HeapModel, claim: usize) -> Option<usize> {
    let (options, budget) = (Options { evidence: true, ..Options::default() }, Budget::unlimited());
    let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
    answer.evidence.map(|run| run.objects.len())
}

/// Where claims fail by recursion without end, or on an input that has one run only, the certifier
/// sees it, also if they are about what was given.
#[test]
fn what_fails_without_end_is_certified() {
    let text = include_str!("heap_more/deeper.heap");
    let model = HeapModel::read(Source::new("deeper.heap", text)).expect("it can be read");
    let (options, budget) = (Options { evidence: true, ..Options::default() }, Budget::unlimited());
    let formulas = &model.claims.formulas;
    let mut certified = 0;
    for claim in 0..model.claims.list().len() {
        let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
        if *answer.answer.verdict() == Verdict::Fails {
            let formula = model.claims.list()[claim].formula().expect("it is one");
            let run = answer.evidence.unwrap_or_else(|| panic!("{claim}: there is no run"));
            let found = model.certify(formulas, formula, &run, &budget);
            assert!(found.is_ok(), "{claim}: {found:?}");
            certified += 1;
        }
    }
    assert_eq!(certified, 13);
}

/// Objects of a ring take turns: a run is back where it was only if the object that a claim names
/// is there, too.
#[test]
fn a_run_is_not_back_before_what_is_named_is() {
    let text = include_str!("heap_more/deeper.heap");
    let mut model = HeapModel::read(Source::new("deeper.heap", text)).expect("it can be read");
    let (options, budget) = (Options { evidence: true, ..Options::default() }, Budget::unlimited());
    let shown = |it: usize| model.show_input(model.about(it)).starts_with("given turn");
    let turn = (0..model.claims.list().len()).find(|&it| shown(it)).expect("it is there");
    let answer = model.decide(turn, HeapSettings::default(), &options, &budget);
    let mut run = answer.evidence.expect("it fails");
    let given = model.about(turn);
    let holds = model.claim(given, "F terminated | G F \"a != elem@next\"").expect("it is one");
    let tern::heap::RunEnding::Again(first) = run.ending else { panic!("{:?}", run.ending) };
    // Half a round later another object is there.
    run.steps = first + (run.steps - first) / 2;
    let formula = model.claims.list()[holds].formula().expect("it is one");
    let found = model.certify(&model.claims.formulas, formula, &run, &budget);
    assert!(format!("{found:?}").contains("does not come back"), "{found:?}");
}

fn model(text: &str) -> HeapModel {
    let text = format!("type Node {{ next: Node }} grammar SLL = Node(next)\n{text}");
    HeapModel::read(Source::new("t.heap", text)).unwrap_or_else(|error| panic!("{error}"))
}

fn decided(model: &HeapModel, settings: HeapSettings) -> &'static str {
    let (options, budget) = (Options::default(), Budget::unlimited());
    model.decide(0, settings, &options, &budget).answer.verdict().word()
}

/// The fifth object of a list is looked at without a test: inputs of four objects do not show it.
#[test]
fn inputs_are_tried_up_to_the_size_that_is_asked_for() {
    let deep = model(
        "proc deep(x: Node) {
           if x == null { return }
           x = x.next
           if x == null { return }
           x = x.next
           if x == null { return }
           x = x.next
           if x == null { return }
           x = x.next
           if x == null { return }
           x = x.next
           x = x.next
         }
         given deep(x: SLL)
         claim G !nullderef",
    );
    let with = |inputs: usize| decided(&deep, HeapSettings { inputs, ..HeapSettings::default() });
    assert_eq!(with(4), "unknown");
    assert_eq!(with(5), "fails");
    let empty = model("proc m(x: Node) { x = x.next } given m(x: SLL) claim G !nullderef");
    let none = HeapSettings { inputs: 0, ..HeapSettings::default() };
    assert_eq!(decided(&empty, none), "fails", "the empty input is one");
}

/// The sixth object is found again where it was, which is known if four fields are kept: whether
/// there is one object or none in the part behind these is told apart anyway.
#[test]
fn objects_nearer_than_the_distance_keep_their_fields() {
    let steps = 6;
    let walk = "y = y.next\n if y == null { return }\n".repeat(steps - 1);
    let again = "z = z.next\n".repeat(steps - 1);
    let again = model(&format!(
        "proc again(x: Node) {{
           var y: Node, z: Node, n: Node
           y = x.next
           if y == null {{ return }}
           {walk}
           z = x.next
           {again}
           if z != y {{ n = null  n = n.next }}
         }}
         given again(x: SLL+)
         claim G !nullderef"
    ));
    let with =
        |distance: usize| decided(&again, HeapSettings { distance, ..HeapSettings::default() });
    assert_eq!(with(1), "unknown");
    assert_eq!(with(steps - 3), "unknown");
    assert_eq!(with(steps - 2), "holds");
    assert_eq!(with(steps), "holds");
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

/// Where a program goes either way, each way counts.
#[test]
fn runs_are_tried_in_all_ways() {
    let tried = |body: &str, claim: &str| {
        let text = format!(
            "type Node {{ next: Node }} grammar SLL = Node(next)\n\
             proc main(x: Node): Node {{ {body} return x }} given main(x: SLL)\nclaim {claim}\n"
        );
        let model = HeapModel::read(Source::new("t.heap", text)).expect("it is a program");
        let tried = model.tried(0, 2, &Budget::unlimited()).expect("there is no limit");
        (tried.hold, tried.fail, tried.open)
    };
    // Lists of no, one and two objects.
    assert_eq!(tried("if ? { x = null }", "F terminated"), (3, 0, 0));
    assert_eq!(tried("if ? { x = null }", "F \"return != null\""), (0, 3, 0));
    // The loop may be left later than is looked at.
    assert_eq!(tried("while ? { }", "G !nullderef"), (0, 0, 3));
    assert_eq!(tried("while ? { }", "F terminated"), (0, 3, 0));
    assert_eq!(tried("while ? { x = x.next }", "G !nullderef"), (0, 3, 0));
}

/// Components have names of their own: `a1` with number 2 is not `a` with number 12.
#[test]
fn names_of_procedures_may_end_in_digits() {
    let names = ["a1", "b", "c", "d", "e", "a"];
    let procedures = names.map(|name| format!("proc {name}(x: Node) {{ x = null }}\n")).concat();
    let calls = names.map(|name| format!("  {name}(x)\n")).concat();
    let text = format!(
        "type Node {{ next: Node }}\ngrammar SLL = Node(next)\n{procedures}proc go(x: Node) {{\n\
         {calls}}}\ngiven go(x: SLL)\nclaim F terminated\n"
    );
    let model = HeapModel::read(Source::new("names.heap", text)).expect("it is right");
    let machine = model.machine(0, HeapSettings::default(), &Budget::unlimited());
    let machine = machine.expect("no limits");
    let found: BTreeSet<&str> = machine.components().map(|it| machine.component_name(it)).collect();
    assert_eq!(found.len(), machine.components().count());
    assert!(found.contains("a1_2") && found.contains("a12"), "{found:?}");
}
