//! Proofs that claims about pointer programs hold: the certifier accepts them, refuses spoiled
//! ones, and accepts none for a claim or a program of which an input shows the contrary.
//!
//! `TERN_PAIRS` says how many random programs are tried, `TERN_SEED` which is the first.

#[path = "heap_proof/kinds.rs"]
mod kinds;
// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../../heap/tests/suite/random.rs"]
mod random;

use random::{sketch, spoiled};
use serde_json::{Value, json};
use tern::front::Source;
use tern::heap::{HeapModel, HeapProof, HeapSettings};
use tern::{Budget, Options, Verdict};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

/// What a claim came to: whether it holds or fails, and why there is no proof or a proof.
enum Found {
    Holds(Result<Box<HeapProof>, String>),
    Fails,
    Unknown,
}

fn decide(model: &HeapModel, claim: usize) -> Found {
    let (options, budget) = (Options { evidence: true, ..Options::default() }, Budget::unlimited());
    let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
    match answer.answer.verdict() {
        Verdict::Holds => Found::Holds(answer.proof.ok_or_else(|| {
            let missing = &answer.answer.outcome.missing;
            missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        })),
        Verdict::Fails => Found::Fails,
        Verdict::Unknown(_) => Found::Unknown,
    }
}

fn certified(model: &HeapModel, claim: usize, proof: &HeapProof) -> Result<(), String> {
    let formula = model.claims.list()[claim].formula().expect("it is a formula");
    let budget = Budget::unlimited();
    let found = model.certify_proof(&model.claims.formulas, formula, proof, &budget);
    found.map_err(|why| why.to_string())
}

/// The proof as the file has it, changed somewhere.
fn changed(proof: &Value, random: &mut fastrand::Rng) -> Option<HeapProof> {
    let mut proof = proof.clone();
    let parts = [
        "heaps",
        "components",
        "nodes",
        "exits",
        "lemmas",
        "markings",
        "nonterminals",
        "refinements",
        "avoiding",
        "initial",
        "steps",
        "returns",
        "shapes",
        "ranks",
    ];
    let mut at = proof.get_mut(parts[random.usize(..parts.len())])?;
    loop {
        let stop = random.u8(..6) == 0;
        match at {
            Value::Array(all) if all.is_empty() => return None,
            Value::Array(all) if stop => {
                let (a, b) = (random.usize(..all.len()), random.usize(..all.len()));
                match random.u8(..3) {
                    0 => drop(all.remove(a)),
                    1 => all.push(all[a].clone()),
                    _ => all.swap(a, b),
                }
                break;
            }
            Value::Array(all) => {
                let place = random.usize(..all.len());
                at = &mut all[place];
            }
            Value::Object(all) => {
                let place = random.usize(..all.len());
                at = all.values_mut().nth(place)?;
            }
            Value::Number(number) => {
                let number = number.as_i64()?;
                let other = if random.bool() || number == 0 { number + 1 } else { number - 1 };
                *at = other.into();
                break;
            }
            _ => return None,
        }
    }
    serde_json::from_value(proof).ok()
}

#[test]
fn what_holds_in_the_corpus_is_proved() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    let (mut proved, mut missing) = (0, std::collections::BTreeMap::<String, usize>::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default().to_owned();
        let model = HeapModel::read(Source::new(name.clone(), text)).expect("it can be read");
        for claim in 0..model.claims.list().len() {
            let shown = model.claims.list()[claim].property.show(&model.claims.formulas);
            match decide(&model, claim) {
                Found::Holds(Ok(proof)) => {
                    let found = certified(&model, claim, &proof);
                    assert_eq!(found, Ok(()), "{name}: {shown}");
                    proved += 1;
                }
                // Where `elem` has no such field, nothing is known of `elem@succ`, and nothing need
                // be.
                Found::Holds(Err(why)) if name == "nested.heap" => panic!("{shown}: {why}"),
                Found::Holds(Err(why)) => *missing.entry(why).or_default() += 1,
                Found::Fails | Found::Unknown => {}
            }
        }
    }
    println!("{proved} proved; not proved: {missing:#?}");
    assert!(proved > 140, "only {proved} are proved");
}

/// What fails in the corpus does not hold of the nodes that the certifier sees, whatever statement,
/// proposition or way through calls it is that breaks it.
#[test]
fn what_fails_in_the_corpus_is_not_proved() {
    let (options, budget) = (Options::default(), Budget::unlimited());
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let few = HeapSettings { states: 300, ..HeapSettings::default() };
    let (mut looked_at, mut not_followed) = (0, 0);
    for folder in ["heap", "heap_more"] {
        let entries = std::fs::read_dir(tests.join(folder)).expect("the corpus is there");
        for file in entries.map(|entry| entry.expect("it can be listed").path()) {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            // What each claim comes to stands in comments.
            let said = text.lines().filter_map(|line| line.strip_prefix("//: "));
            let fails: Vec<bool> = said.map(|it| it.starts_with("fails")).collect();
            let model = HeapModel::read(Source::new("t.heap", text)).expect("it can be read");
            assert_eq!(fails.len(), model.claims.list().len(), "{}", file.display());
            for claim in (0..fails.len()).filter(|it| fails[*it]) {
                let shown = model.claims.list()[claim].property.show(&model.claims.formulas);
                for narrow in [false, true] {
                    let nodes = model.proof_nodes(claim, (few, narrow), &budget);
                    let verdict = nodes
                        .and_then(|nodes| model.decide_nodes(claim, &nodes, &options, &budget));
                    match verdict {
                        Ok(verdict) => {
                            assert_ne!(verdict, Verdict::Holds, "{}: {shown}", file.display());
                            looked_at += 1;
                        }
                        Err(_) if narrow => {}
                        Err(_) => not_followed += 1,
                    }
                }
            }
        }
    }
    println!("{looked_at} looked at, {not_followed} not followed");
    assert!(looked_at > 4 * not_followed, "{looked_at} looked at, {not_followed} not followed");
}

#[test]
fn no_proof_of_what_is_wrong_is_accepted() {
    let (pairs, first) = (setting("TERN_PAIRS", 8), setting("TERN_SEED", 1));
    let (mut proved, mut missing) = (0, std::collections::BTreeMap::<String, usize>::new());
    let (mut changed_refused, mut changed_accepted) = (0, 0);
    let (mut other_claim, mut other_program) = (0, 0);
    for seed in first..first + pairs {
        let random = &mut fastrand::Rng::with_seed(seed);
        let sketch = sketch(seed);
        let names = sketch.atoms();
        let mut text = sketch.text();
        let claims =
            ["G !nullderef", "F terminated", "F (terminated | nullderef)", "G !\"in(aux)\""];
        claims.iter().for_each(|claim| text += &format!("claim {claim}\n"));
        for name in &names {
            text += &format!("claim G \"{name}\"\nclaim F \"{name}\"\nclaim G !\"{name}\"\n");
        }
        let read = |text: &str| HeapModel::read(Source::new("t.heap", text.to_owned()));
        let model = read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let count = model.claims.list().len();
        let found: Vec<Found> = (0..count).map(|claim| decide(&model, claim)).collect();
        // A program in which one statement is another one.
        let other = spoiled(&text, random).and_then(|text| read(&text).ok());
        let other_found: Vec<Found> = match &other {
            Some(other) => (0..count).map(|claim| decide(other, claim)).collect(),
            None => Vec::new(),
        };
        for (claim, it) in found.iter().enumerate() {
            let proof = match it {
                Found::Holds(Ok(proof)) => proof,
                Found::Holds(Err(why)) => {
                    *missing.entry(why.clone()).or_default() += 1;
                    continue;
                }
                Found::Fails | Found::Unknown => continue,
            };
            proved += 1;
            let shown =
                model.claims.list()[claim].property.show(&model.claims.formulas).to_string();
            assert_eq!(certified(&model, claim, proof), Ok(()), "seed {seed}: {shown}\n{text}");
            let json = serde_json::to_value(proof).expect("it can be written");
            for _ in 0..4 {
                let Some(changed) = changed(&json, random) else { continue };
                match certified(&model, claim, &changed) {
                    Err(_) => changed_refused += 1,
                    Ok(()) => changed_accepted += 1,
                }
            }
            for (wrong, _) in found.iter().enumerate().filter(|it| matches!(it.1, Found::Fails)) {
                other_claim += 1;
                let accepted = certified(&model, wrong, proof).is_ok();
                assert!(!accepted, "seed {seed}: claims {claim}, {wrong}\n{text}");
            }
            if let (Some(other), Some(Found::Fails)) = (&other, other_found.get(claim)) {
                other_program += 1;
                let accepted = certified(other, claim, proof).is_ok();
                assert!(!accepted, "seed {seed}: claim {claim}, another program\n{text}");
            }
        }
    }
    println!("{proved} proved and certified; not proved: {missing:#?}");
    println!("changed: {changed_refused} refused, {changed_accepted} accepted");
    println!("refused: {other_claim} for another claim, {other_program} for another program");
    assert!(changed_refused > 4 * changed_accepted, "most changes matter");
}

/// The nodes of a proof, changed somewhere, are refused, or the claim that fails still does not
/// hold of them.
#[test]
fn changed_nodes_do_not_prove_what_is_wrong() {
    let (pairs, first) = (setting("TERN_PAIRS", 8), setting("TERN_SEED", 1));
    let (options, budget) = (Options::default(), Budget::unlimited());
    let (mut refused, mut harmless) = (0, 0);
    for seed in first..first + pairs {
        let random = &mut fastrand::Rng::with_seed(seed);
        let sketch = sketch(seed);
        let mut text = sketch.text();
        let claims = ["G !nullderef", "F terminated", "G !terminated"];
        claims.iter().for_each(|claim| text += &format!("claim {claim}\n"));
        for name in &sketch.atoms() {
            text += &format!("claim G \"{name}\"\nclaim G !\"{name}\"\n");
        }
        let model = HeapModel::read(Source::new("t.heap", text.clone())).expect("it can be read");
        for claim in 0..model.claims.list().len() {
            let Found::Fails = decide(&model, claim) else { continue };
            // Callees are given all that they reach, or what they read.
            let narrow = random.bool();
            let nodes = model.proof_nodes(claim, (HeapSettings::default(), narrow), &budget);
            let Ok(nodes) = nodes else { continue };
            let verdict = |nodes: &HeapProof| model.decide_nodes(claim, nodes, &options, &budget);
            let right = verdict(&nodes).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
            assert_ne!(right, Verdict::Holds, "seed {seed}: claim {claim}\n{text}");
            let json = serde_json::to_value(&nodes).expect("it can be written");
            for _ in 0..setting("TERN_CHANGES", 6) {
                let Some(changed) = changed(&json, random) else { continue };
                match verdict(&changed) {
                    Err(_) => refused += 1,
                    Ok(Verdict::Holds) => {
                        let json = serde_json::to_string(&changed).expect("it can be written");
                        panic!("seed {seed}: claim {claim}\n{text}\n{json}")
                    }
                    Ok(_) => harmless += 1,
                }
            }
        }
    }
    println!("changed nodes: {refused} refused, {harmless} harmless");
    assert!(refused > 4 * harmless, "most changes matter");
}

/// Everything that can be changed in a value: each number, and each list.
fn places(value: &Value, here: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    match value {
        Value::Array(items) => {
            all.push(here.clone());
            for (number, item) in items.iter().enumerate() {
                here.push(number.to_string());
                places(item, here, all);
                here.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|it| it.0 != "machine") {
                here.push(name.clone());
                places(field, here, all);
                here.pop();
            }
        }
        Value::Number(_) => all.push(here.clone()),
        _ => {}
    }
}

/// A walk along a list, and an object of which a claim speaks.
const SMALL: &str = "
type Node { next: Node } grammar SLL = Node(next)
proc last(x: Node): Node {
  var n: Node
  n = x.next
  while n != null {
    x = n
    n = x.next
  }
  return x
}
proc keep(x: Node): Node {
  return x
}
given last(x: SLL+)
claim F terminated
given keep(x: SLL)
claim G (\"elem != null\" & !\"keep.x == elem@next\" | !terminated)
";

/// What the certifier may say of a proof in which one number or list is changed. Where a check is
/// missing, its words do not come.
const REFUSALS: &[&str] = &[
    "a call goes on elsewhere",
    "a call goes on that there is not",
    "a call leads elsewhere",
    "a field of an object is given twice",
    "a field of an object is given twice, or is of nothing",
    "a hyperedge has other tentacles",
    "a hyperedge is attached to an object of another type",
    "a hyperedge is not there",
    "a measure may grow",
    "a procedure returns from another one",
    "a rule does not give the field at once",
    "a run begins elsewhere",
    "a step has another number of cases",
    "a step leads elsewhere",
    "a variable holds an object that is not there",
    "a variable holds something else",
    "a variable is forgotten that the claim names",
    "a variable is left out that the claim names",
    "an object has other fields than it should",
    "an object is elsewhere",
    "an object is mapped to one that it cannot be",
    "externals are not different objects",
    "externals are other objects",
    "fields of objects are others",
    "it is not said where a call goes on",
    "it is not said where an object is",
    "it is not said where an object may be",
    "not every object is mapped",
    "something is counted that is not there",
    "something is named that is not there",
    "the grammar has another number of cases",
    "there is another number of inputs",
    "there is no such exit",
    "there is no such node",
    "there is no such object",
    "there is no such procedure",
    "there is no such rule or hyperedge",
];

/// A value in which the number or list at a place is changed, in one of three ways.
fn changed_at(value: &Value, place: &[String], change: usize) -> Option<Value> {
    let mut changed = value.clone();
    let path: String = place.iter().map(|it| format!("/{it}")).collect();
    let at = changed.pointer_mut(&path)?;
    let number = at.as_i64();
    match (at, change) {
        (at @ Value::Number(_), 0) => *at = (number? + 1).into(),
        (at @ Value::Number(_), 1) if number > Some(0) => *at = (number? - 1).into(),
        (Value::Array(all), 0) if !all.is_empty() => drop(all.pop()),
        (Value::Array(all), 1) if !all.is_empty() => all.push(all[0].clone()),
        (Value::Array(all), 2) if all.len() > 1 => all.swap(0, 1),
        _ => return None,
    }
    Some(changed)
}

#[test]
fn every_check_of_a_proof_refuses_some_change() {
    let model = HeapModel::read(Source::new("t.heap", SMALL)).expect("it can be read");
    let mut never: Vec<&str> = REFUSALS.to_vec();
    let mut tried = 0;
    for claim in 0..model.claims.list().len() {
        let Found::Holds(Ok(proof)) = decide(&model, claim) else { panic!("{claim} is proved") };
        let json = serde_json::to_value(&*proof).expect("it can be written");
        let mut all = Vec::new();
        places(&json, &mut Vec::new(), &mut all);
        // What is changed on the outside matters most.
        fastrand::Rng::with_seed(1).shuffle(&mut all);
        all.sort_by_key(Vec::len);
        for (place, change) in all.iter().flat_map(|place| (0..3).map(move |it| (place, it))) {
            let Some(changed) = changed_at(&json, place, change) else { continue };
            let Ok(changed) = serde_json::from_value::<HeapProof>(changed) else { continue };
            tried += 1;
            if let Err(why) = certified(&model, claim, &changed) {
                never.retain(|it| **it != why);
            }
            if never.is_empty() {
                println!("{tried} changes");
                return;
            }
        }
    }
    panic!("{tried} changes, never said: {never:#?}");
}

/// What the certifier says of nodes and exits that nothing leads to, but that it looks at.
const STRAY: &[&str] = &[
    "a callee has other externals",
    "a node is where it cannot be",
    "a number is compared with an object",
    "an object has another type",
    "an object has no such field",
    "nothing is known of an object that is used",
    "something else than an object is freed",
    "something is counted at a node that is not there",
    "something is stored of which nothing is known",
    "there is no such block",
];

/// A program with a call that has a cutpoint, a store, and two types; and one that frees.
const STRAYED: &str = "
type Node { next: Node } type Leaf { left: Leaf, right: Leaf }
grammar SLL = Node(next) grammar Tree = Leaf(left, right)
proc main(x: Node) {
  var n: Node
  if x == null { return }
  n = x.next
  aux(n)
  x.next = n
}
proc aux(x: Node) {
  var t: Leaf
  t = new Leaf
}
given main(x: SLL)
claim F terminated
";

const FREEING: &str = "
type Node { next: Node } grammar SLL = Node(next)
proc main(x: Node) {
  free x
}
given main(x: SLL)
claim F terminated
";

/// Proofs with one more node or exit, which is like one that is there, but for one thing.
fn with_strays(json: &Value) -> Vec<Value> {
    let list = |value: &Value, name: &str| value[name].as_array().expect("a list").clone();
    let push = |value: &mut Value, name: &str, it: Value| {
        value[name].as_array_mut().expect("a list").push(it);
    };
    let (heaps, nodes, mut all) = (list(json, "heaps"), list(json, "nodes"), Vec::new());
    for (number, node) in nodes.iter().enumerate() {
        let heap = &heaps[node[2].as_u64().expect("a number") as usize];
        let mut with = |place: Value, heap: Value| {
            let mut stray = json.clone();
            push(&mut stray, "nodes", json!([node[0], place, heaps.len()]));
            push(&mut stray, "heaps", heap);
            push(&mut stray, "steps", json["steps"][number].clone());
            all.push(stray);
        };
        for place in [json!({"at": [99, 0, 0]}), json!({"at": [0, 0, 0]}), json!("end")] {
            with(place, heap.clone());
        }
        for slot in 0..list(heap, "slots").len() {
            for held in [json!("any"), json!({"number": 3}), json!({"object": 0})] {
                let mut heap = heap.clone();
                heap["slots"][slot][1] = held;
                with(node[1].clone(), heap);
            }
            let mut other = heap.clone();
            push(&mut other, "objects", json!("Leaf"));
            let object = list(&other, "objects").len();
            push(&mut other, "fields", json!([object, "left", 0]));
            push(&mut other, "fields", json!([object, "right", 0]));
            other["slots"][slot][1] = json!({"object": object});
            with(node[1].clone(), other);
        }
    }
    for exit in list(json, "exits") {
        let heap = &heaps[exit[1].as_u64().expect("a number") as usize];
        let mut fewer = heap.clone();
        drop(fewer["externals"].as_array_mut().expect("a list").pop());
        let mut others = heap.clone();
        push(&mut others, "objects", json!("Leaf"));
        let object = list(&others, "objects").len();
        push(&mut others, "fields", json!([object, "left", 0]));
        push(&mut others, "fields", json!([object, "right", 0]));
        others["externals"] = list(heap, "externals").iter().map(|_| json!(object)).collect();
        for heap in [fewer, others] {
            let mut stray = json.clone();
            push(&mut stray, "exits", json!([exit[0], heaps.len()]));
            push(&mut stray, "heaps", heap);
            let last = list(json, "returns").last().cloned().expect("a call returns");
            push(&mut stray, "returns", last);
            all.push(stray);
        }
    }
    let mut counted = json.clone();
    counted["ranks"] = json!([[[[nodes.len(), [1]]]]]);
    all.push(counted);
    all
}

#[test]
fn what_nothing_leads_to_is_looked_at_as_well() {
    let mut never: Vec<&str> = STRAY.to_vec();
    for text in [STRAYED, FREEING] {
        let model = HeapModel::read(Source::new("t.heap", text)).expect("it can be read");
        let Found::Holds(Ok(proof)) = decide(&model, 0) else { panic!("it is proved") };
        let json = serde_json::to_value(&*proof).expect("it can be written");
        for stray in with_strays(&json) {
            let stray = serde_json::from_value::<HeapProof>(stray).expect("it can be read");
            if let Err(why) = certified(&model, 0, &stray) {
                never.retain(|it| **it != why);
            }
        }
    }
    assert!(never.is_empty(), "never said: {never:#?}");
}

/// That some run exists is not shown by nodes that stand for more than there is; but it follows if
/// all runs are so.
#[test]
fn claims_that_some_run_exists_are_proved_of_all_runs() {
    let text = "type Node { next: Node } grammar SLL = Node(next)
proc main(x: Node) {
  if ? { x = null }
}
given main(x: SLL)
claim F terminated
claim E F terminated
claim A G (!(A F !terminated) | E X terminated)
claim E F \"x == null\"
claim (E F terminated) <-> (A F terminated)
claim A F \"x == null\"
claim E G \"x != null\"
";
    let model = HeapModel::read(Source::new("t.heap", text)).expect("it can be read");
    let proof = |claim: usize| match decide(&model, claim) {
        Found::Holds(Ok(proof)) => Ok(proof),
        Found::Holds(Err(why)) => Err(why),
        _ => panic!("it holds"),
    };
    let all = proof(0).expect("it is proved");
    assert_eq!(certified(&model, 0, &all), Ok(()));
    let some = proof(1).expect("it is proved");
    assert_eq!(certified(&model, 1, &some), Ok(()));
    // It holds, because the run that sets x is there, but not of all runs.
    assert!(certified(&model, 3, &all).is_err());
    let chosen = proof(3).expect("it is proved");
    assert_eq!(certified(&model, 3, &chosen), Ok(()));
    assert_eq!(chosen.chosen, Some(true));
    for other in [None, Some(false)] {
        let other = HeapProof { chosen: other, ..(*chosen).clone() };
        assert!(certified(&model, 3, &other).is_err(), "these runs are others");
    }
    let why = "a claim about all runs is proved of those that go one way";
    assert_eq!(certified(&model, 5, &chosen), Err(why.to_owned()));
    assert_eq!(certified(&model, 0, &chosen), Err(why.to_owned()));
    // Whatever is chosen, on some input there is no such run.
    assert!(matches!(decide(&model, 6), Found::Fails | Found::Unknown));
    // Below an equivalence a formula stands for more and for less.
    let why = "a claim is about all runs and about some";
    assert_eq!(certified(&model, 4, &all), Err(why.to_owned()));
}
