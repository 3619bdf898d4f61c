//! Kinds of proofs, each with the spoiled ones that must be refused: refined grammars, measures,
//! the heap around, and runs that never repeat themselves.

use super::*;

/// A proof that needs to tell apart how many objects a part has.
const HALVES: &str = "
type Node { next: Node } grammar SLL = Node(next) grammar CSLL = Node(next)
proc halves(x: Node): Node {
  var slow: Node, fast: Node
  slow = x
  fast = x.next
  while fast != null {
    fast = fast.next
    if fast != null {
      fast = fast.next
      slow = slow.next
    }
  }
  slow = slow.next
  return slow
}
proc around(x: Node) {
  while x != null { x = x.next }
}
given halves(x: SLL+)
claim G !nullderef
given around(x: CSLL+)
claim G F \"x == elem\"
";

/// What is said of a proof that is changed.
fn said(model: &HeapModel, claim: usize, proof: &Value) -> String {
    let proof: HeapProof = serde_json::from_value(proof.clone()).expect("it has the form of one");
    certified(model, claim, &proof).err().unwrap_or_default()
}

/// A nonterminal is what its variants are only if these have all of its rules and no others.
#[test]
fn variants_have_the_rules_of_their_nonterminal() {
    let model = HeapModel::read(Source::new("t.heap", HALVES)).expect("it can be read");
    let Found::Holds(Ok(proof)) = decide(&model, 0) else { panic!("it is proved") };
    let json = serde_json::to_value(&*proof).expect("it can be written");
    assert_eq!(said(&model, 0, &json), "");
    type Change = fn(&mut Vec<Value>);
    let changes: [(&str, Change); 6] = [
        ("a nonterminal has variants that is not there", |all| all[0][1] = "Nothing".into()),
        ("a variant has a rule that its nonterminal has not", |all| all[0][2][0][0] = 99.into()),
        ("two variants have one name", |all| all[1][0] = all[0][0].clone()),
        ("a rule with some variants belongs to none", |all| {
            all[0][2].as_array_mut().expect("rules").pop();
        }),
        ("a rule with some variants belongs to none", |all| drop(all.remove(0))),
        ("a rule has variants of something else", |all| {
            let rules = all[1][2].as_array_mut().expect("rules");
            rules.push(serde_json::json!([1, ["Other"]]));
        }),
    ];
    for (why, change) in changes {
        let mut changed = json.clone();
        change(changed["refinements"][0].as_array_mut().expect("a list of variants"));
        assert_eq!(said(&model, 0, &changed), why);
    }
    let mut plain = json.clone();
    plain["refinements"] = serde_json::json!([]);
    assert_ne!(said(&model, 0, &plain), "", "its heaps have variants");
}

/// A proof adds nonterminals to the grammar, but changes none.
#[test]
fn nonterminals_are_not_changed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/heap/chains.heap");
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    let model = HeapModel::read(Source::new("t.heap", text)).expect("it can be read");
    let Found::Holds(Ok(proof)) = decide(&model, 0) else { panic!("it is proved") };
    let json = serde_json::to_value(&*proof).expect("it can be written");
    assert_eq!(said(&model, 0, &json), "");
    let mut changed = json.clone();
    changed["nonterminals"][0][0] = "DLL".into();
    assert_eq!(said(&model, 0, &changed), "a nonterminal is there already");
    let mut less = json.clone();
    less["nonterminals"] = serde_json::json!([]);
    assert_ne!(said(&model, 0, &less), "", "its heaps have these");
    // A rule that gives an object no fields is none.
    let mut wrong = json.clone();
    wrong["nonterminals"][0][2][0]["fields"] = serde_json::json!([]);
    assert_ne!(said(&model, 0, &wrong), "");
}

/// That something comes again and again needs measures of the runs on which it does not.
#[test]
fn what_is_avoided_is_measured() {
    let model = HeapModel::read(Source::new("t.heap", HALVES)).expect("it can be read");
    let Found::Holds(Ok(proof)) = decide(&model, 1) else { panic!("it is proved") };
    let json = serde_json::to_value(&*proof).expect("it can be written");
    assert_eq!(said(&model, 1, &json), "");
    let mut elsewhere = json.clone();
    elsewhere["avoiding"][0][0] = serde_json::json!([1_000_000]);
    assert_eq!(said(&model, 1, &elsewhere), "a node is avoided that is not there");
    let count = json["avoiding"].as_array().expect("a list").len();
    for part in 0..2 {
        let mut changed = json.clone();
        (0..count).for_each(|number| changed["avoiding"][number][part] = serde_json::json!([]));
        assert_ne!(said(&model, 1, &changed), "", "part {part} is needed");
    }
}

/// Lists of which a caller has the first part while its callee has the rest.
const LENGTH: &str = "
type Node { next: Node } grammar SLL = Node(next)
proc length(x: Node) {
  var n: Node
  n = x.next
  if n == null { return }
  length(n)
}
given length(x: SLL+)
claim G \"whole(SLL)\"
";

/// What lies around the heap of a callee is part of a proof about all of the heap.
#[test]
fn claims_about_all_of_the_heap_look_around() {
    let model = HeapModel::read(Source::new("t.heap", LENGTH)).expect("it can be read");
    let Found::Holds(Ok(proof)) = decide(&model, 0) else { panic!("it is proved") };
    let json = serde_json::to_value(&*proof).expect("it can be written");
    assert_eq!(said(&model, 0, &json), "");
    let empty = json!({"objects": [], "fields": [], "edges": [], "externals": [], "slots": []});
    let views = json["views"].as_array().expect("a list");
    let is_first = |it: usize| json["components"][it].is_null();
    for number in 0..views.len() {
        // An object beside the others, to which nothing leads.
        let mut more = json.clone();
        let view = more["views"][number].as_object_mut().expect("a heap");
        view["objects"].as_array_mut().expect("a list").push("Node".into());
        let object = view["objects"].as_array().expect("a list").len();
        view["fields"].as_array_mut().expect("a list").push(json!([object, "next", 0]));
        let why = match is_first(number) {
            true => "something lies around all of the heap",
            false => "not every object is mapped",
        };
        assert_eq!(said(&model, 0, &more), why, "{number}");
        if views[number] != empty {
            let mut less = json.clone();
            less["views"][number] = empty.clone();
            assert_ne!(said(&model, 0, &less), "", "{number}");
        }
        let mut freed = json.clone();
        let fields = freed["views"][number]["fields"].as_array_mut().expect("a list");
        if fields.pop().is_some() {
            let why = "an object has other fields than it should";
            assert_eq!(said(&model, 0, &freed), why, "{number}");
        }
    }
    for part in ["views", "around"] {
        let mut less = json.clone();
        less[part].as_array_mut().expect("a list").pop();
        let why = "it is not said what lies around a heap";
        assert_eq!(said(&model, 0, &less), why, "{part}");
    }
    let mut none = json.clone();
    none["views"] = json!([]);
    none["around"] = json!([]);
    assert_ne!(said(&model, 0, &none), "", "without, only the frame below is known");
}

/// A list that grows for ever, whatever it is at first, and one that only grows if it is not empty.
const GROWS: &str = "
type Node { next: Node } grammar SLL = Node(next)
proc main(x: Node) {
  var n: Node
  while x != null {
    n = new Node
    n.next = x
    x = n
  }
}
given main(x: SLL)
claim F terminated
claim G !terminated
";

/// A run that makes objects for ever cannot be shown to its end: that the claim fails is proved of
/// all runs on one input.
#[test]
fn what_never_repeats_itself_is_refuted_by_a_proof() {
    let model = HeapModel::read(Source::new("t.heap", GROWS)).expect("it can be read");
    let (options, budget) = (Options { evidence: true, ..Options::default() }, Budget::unlimited());
    let answer = model.decide(0, HeapSettings::default(), &options, &budget);
    assert_eq!(*answer.answer.verdict(), Verdict::Fails);
    assert!(answer.evidence.is_none(), "no run repeats itself");
    let proof = *answer.proof.expect("there is a proof");
    let said = |claim: usize, proof: &HeapProof| {
        let formula = model.claims.list()[claim].formula().expect("it is a formula");
        let found = model.certify_refutation(&model.claims.formulas, formula, proof, &budget);
        found.err().map(|why| why.to_string())
    };
    assert_eq!(said(0, &proof), None);
    // It says nothing of other claims, nor of other inputs, nor that anything holds.
    assert!(said(1, &proof).is_some());
    assert_eq!(certified(&model, 0, &proof), Err("it is about one input".to_owned()));
    assert_eq!(certified(&model, 1, &proof), Err("it is about one input".to_owned()));
    let without = HeapProof { input: None, ..proof.clone() };
    assert_eq!(said(0, &without).as_deref(), Some("it is about no input"));
    assert!(certified(&model, 1, &without).is_err(), "the empty list is an input, too");
    let input = |change: fn(&mut tern::heap::InputFile)| {
        let mut changed = proof.clone();
        change(changed.input.as_mut().expect("it has an input"));
        said(0, &changed)
    };
    let why = "a parameter is not what was asked for";
    assert_eq!(input(|it| it.fields[0].2 = Some(0)).as_deref(), Some(why), "a ring");
    let why = "an object that belongs to no structure";
    assert_eq!(input(|it| it.values[0] = None).as_deref(), Some(why));
    assert!(
        input(|it| *it = tern::heap::InputFile { values: vec![None], ..Default::default() })
            .is_some()
    );
}

/// Loops that go on by what a procedure gives back: the next object, by steps of its own, or by
/// calling itself or another one.
const STEPS: [&str; 3] = [
    "proc step(n: Node, k: Node): Node { n = n.next return n }",
    "proc step(n: Node, k: Node): Node { n = same(n) n = n.next n = same(n) return n }
     proc same(n: Node): Node { return n }",
    "proc step(n: Node, k: Node): Node {
       if k == null { n = n.next return n }
       k = k.next
       n = step(n, k)
       return n
     }",
];

/// The same, but that they come to no end on some input.
const STANDS: [&str; 5] = [
    // The object that is given back is new, or is the one that was given.
    "proc step(n: Node, k: Node): Node { k = new Node n = n.next k.next = n return k }",
    "proc step(n: Node, k: Node): Node { return n }",
    "proc step(n: Node, k: Node): Node {
       if k == null { return n }
       k = k.next
       n = step(n, k)
       return n
     }",
    // One way goes on, the other does not; the one comes back by a call inside.
    "proc step(n: Node, k: Node): Node { if ? { return n } n = n.next return n }",
    "proc step(n: Node, k: Node): Node {
       if ? { k = n.next n.next = null n.next = k return n }
       n = n.next
       return n
     }",
];

/// What callees do with objects counts for measures: across calls that come back objects have
/// origins, and none is lost or forgotten on any way.
#[test]
fn measures_shrink_through_calls() {
    let read = |step: &str| {
        let text = format!(
            "type Node {{ next: Node }} grammar SLL = Node(next)
             proc main(x: Node) {{
               var y: Node
               y = x
               while y != null {{ y = step(y, y) }}
             }}
             {step}
             given main(x: SLL)
             claim F terminated"
        );
        HeapModel::read(Source::new("t.heap", text)).expect("it can be read")
    };
    for step in STEPS {
        let model = read(step);
        let Found::Holds(Ok(proof)) = decide(&model, 0) else { panic!("{step} is proved") };
        assert_eq!(certified(&model, 0, &proof), Ok(()), "{step}");
        // The measures are needed.
        let without = HeapProof { ranks: Vec::new(), ..*proof };
        assert!(certified(&model, 0, &without).is_err(), "{step}");
    }
    let (options, budget) = (Options::default(), Budget::unlimited());
    for step in STANDS {
        let model = read(step);
        assert!(matches!(decide(&model, 0), Found::Fails), "{step}");
        let settings = (HeapSettings::default(), false);
        let nodes = model.proof_nodes(0, settings, &budget).expect("it is followed");
        let verdict = model.decide_nodes(0, &nodes, &options, &budget).expect("nodes are right");
        assert_ne!(verdict, Verdict::Holds, "{step}");
    }
}

/// Where any object of the input is marked there are many kinds of inputs; states that they have in
/// common are there once, or the proof would be too large.
#[test]
fn inputs_share_states() {
    let text = include_str!("../heap_more/lindstrom.heap");
    let model = HeapModel::read(Source::new("lindstrom.heap", text)).expect("it can be read");
    let Found::Holds(Ok(proof)) = decide(&model, 1) else { panic!("it is proved") };
    assert!(proof.initial.len() > 4, "there are several kinds of inputs");
    assert_eq!(certified(&model, 1, &proof), Ok(()));
    // Each input goes on from each exit that they share.
    let json = serde_json::to_value(&*proof).expect("it can be written");
    let mut changed = json.clone();
    let returns = changed["returns"].as_array_mut().expect("a list");
    returns.pop();
    assert_eq!(said(&model, 1, &changed), "it is not said where a call goes on");
}

/// Trees whose objects know their parents: callees that do not read these are given subtrees.
const PARENTS: &str = "
type P { left: P, right: P, up: P }
grammar PTree = P(left, right, up)
proc visit(x: P) {
  var y: P
  if x == null { return }
  y = x.left
  visit(y)
  y = x.right
  visit(y)
}
proc hang(x: P, p: P) {
  var y: P
  if x == null { return }
  x.up = p
  y = x.left
  hang(y, x)
  y = x.right
  hang(y, x)
}
given visit(x: PTree)
claim G !nullderef & F terminated
claim G (terminated -> \"shape(x@start, PTree)\")
given hang(x: PTree, p: null)
claim G !nullderef & F terminated
claim G (terminated -> \"shape(x@start, PTree)\")
";

#[test]
fn callees_may_be_given_what_they_read() {
    let model = HeapModel::read(Source::new("t.heap", PARENTS)).expect("it can be read");
    for claim in 0..4 {
        let proof = match decide(&model, claim) {
            Found::Holds(Ok(proof)) => proof,
            Found::Holds(Err(why)) => panic!("{claim}: {why}"),
            _ => panic!("{claim} holds"),
        };
        assert!(proof.narrow, "{claim}: else there is an external for each frame that waits");
        assert_eq!(certified(&model, claim, &proof), Ok(()));
        let wide = HeapProof { narrow: false, ..*proof };
        assert!(certified(&model, claim, &wide).is_err(), "{claim}: its externals lack fields");
    }
}
