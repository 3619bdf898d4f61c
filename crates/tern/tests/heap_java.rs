//! Methods of Java programs, followed on heaps. They are compiled by `javac`; without it the tests
//! say so and pass.

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use tern::heap::{HeapModel, HeapSettings, JavaAsked, NoRun};
use tern_engine::Options;
use tern_front::Source;
use tern_model::{Budget, Verdict};
use tern_program::sources::source_of;

fn has_compiler() -> bool {
    let found = Command::new("javac").arg("-version").output().is_ok();
    if !found {
        println!("there is no javac: nothing was tested");
    }
    found
}

fn model(path: &Path, asked: &JavaAsked) -> Result<HeapModel, tern::Error> {
    let budget = Budget::unlimited();
    let shown = path.to_string_lossy().into_owned();
    let kind = source_of(&shown).expect("it is Java");
    let reading = (kind.read)(path, &Default::default(), &budget).expect("it compiles");
    HeapModel::java(Source::new(shown, ""), reading, asked, &budget)
}

fn asked(method: &str, given: Option<&str>) -> JavaAsked {
    let given = given.map(str::to_owned);
    JavaAsked { method: Some(method.to_owned()), given, ..JavaAsked::default() }
}

/// The verdicts on claims; those that fail must be certified.
fn verdicts(model: &mut HeapModel, claims: &[&str]) -> Vec<String> {
    let budget = Budget::unlimited();
    model.clear_claims();
    for claim in claims {
        model.claim(0, claim).unwrap_or_else(|error| panic!("{claim}: {error}"));
    }
    let options = Options { evidence: true, ..Options::default() };
    (0..claims.len())
        .map(|claim| {
            let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
            if *answer.answer.verdict() == Verdict::Fails {
                let run = answer.evidence.unwrap_or_else(|| {
                    panic!("{}: {:?}", claims[claim], answer.answer.outcome.missing)
                });
                let formula = model.claims.list()[claim].formula().expect("it is one");
                let formulas = &model.claims.formulas;
                model.certify(formulas, formula, &run, &budget).unwrap_or_else(|why| {
                    panic!("{}: {why}\n{run:?}", claims[claim]);
                });
                refuses_spoiled_runs(model, formula, &run);
            }
            if *answer.answer.verdict() == Verdict::Holds {
                let formula = model.claims.list()[claim].formula().expect("it is one");
                match &answer.proof {
                    Some(proof) => model
                        .certify_proof(&model.claims.formulas, formula, proof, &budget)
                        .unwrap_or_else(|why| panic!("{}: {why}", claims[claim])),
                    None => println!("{}: {:?}", claims[claim], answer.answer.outcome.missing),
                }
            }
            answer.answer.verdict().word().to_owned()
        })
        .collect()
}

/// A run that is changed in one place shows nothing, or it shows the same.
fn refuses_spoiled_runs(
    model: &HeapModel,
    formula: tern_model::FormulaId,
    run: &tern::heap::HeapRun,
) {
    let budget = Budget::unlimited();
    let formulas = &model.claims.formulas;
    let refused = |spoiled: &tern::heap::HeapRun| {
        matches!(model.certify(formulas, formula, spoiled, &budget), Err(NoRun::Refused(_)))
    };
    let mut other = run.clone();
    other.given += "!";
    assert!(refused(&other), "another procedure");
    let mut other = run.clone();
    other.values.push(None);
    assert!(refused(&other), "another number of parameters");
    let mut other = run.clone();
    other.objects.push("Node".to_owned());
    assert!(refused(&other), "an object that belongs to nothing");
    let mut other = run.clone();
    other.steps = usize::MAX;
    assert!(refused(&other), "a run without end");
    let mut other = run.clone();
    other.choices.push(true);
    assert!(refused(&other), "a choice too many");
}

/// A method, what is given, and claims with their verdicts.
type Expected<'a> = (&'a str, Option<&'a str>, &'a [(&'a str, &'a str)]);

#[test]
fn methods_of_java_programs_are_judged() {
    if !has_compiler() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/Lists.java");
    let reversed = "G (terminated & \"elem@next != null\" -> \"elem@next.next == elem\")";
    let list = "G (terminated -> \"shape(return, SLL)\")";
    let expected: &[Expected<'_>] = &[
        (
            "reverse",
            None,
            &[
                ("G !nullderef", "holds"),
                ("F terminated", "holds"),
                (list, "holds"),
                (reversed, "holds"),
                ("F \"head == elem\"", "holds"),
            ],
        ),
        ("broken", None, &[("G !nullderef", "fails")]),
        (
            "broken",
            Some("head: SLL+"),
            &[
                ("G !nullderef", "holds"),
                ("F terminated", "holds"),
                ("G (terminated -> \"reach(return, elem)\")", "fails"),
            ],
        ),
        (
            "last",
            Some("list: SLL+"),
            &[
                ("G !nullderef & F terminated", "holds"),
                ("G (terminated -> \"return.next == null\")", "holds"),
            ],
        ),
        ("last", Some("list: CSLL+"), &[("F terminated", "fails")]),
        ("build", Some("length: 3"), &[("F terminated", "holds")]),
        ("build", None, &[(list, "holds"), ("G (terminated -> \"return == null\")", "fails")]),
        ("print", None, &[("F terminated", "unknown")]),
    ];
    let mut wrong = Vec::new();
    for (method, given, claims) in expected {
        let mut model = model(&path, &asked(method, *given))
            .unwrap_or_else(|error| panic!("{method}: {error}"));
        let texts: Vec<&str> = claims.iter().map(|it| it.0).collect();
        for ((claim, expected), found) in claims.iter().zip(verdicts(&mut model, &texts)) {
            if found != *expected {
                wrong.push(format!("{method} {given:?}: {claim}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let pure = JavaAsked { pure: vec!["*.println".to_owned()], ..asked("print", None) };
    let mut printed = model(&path, &pure).expect("it is read");
    assert_eq!(verdicts(&mut printed, &["F terminated", "G !nullderef"]), ["holds", "holds"]);
}

/// Arrays are not followed, but one that is `null` has no length.
#[test]
fn arrays_may_be_null() {
    if !has_compiler() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("tern-arrays-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a place for files");
    let path = folder.join("Arrays.java");
    let text = "class Arrays {
        static class Node { Node next; }
        static int count(String[] args) { return args.length; }
        static int none() { return count(null); }
        static Node first(Node list, String[] args) {
            if (args.length > 0) { return list.next; }
            return list;
        }
        static String at(String[] args) { return args[0]; }
        public static void main(String[] args) { int n = args.length; }
        static void again() { main(null); }
    }";
    std::fs::write(&path, text).expect("it can be written");
    for (method, claim, allowed) in [
        ("count", "G !nullderef", &["fails", "unknown"][..]),
        ("count", "F terminated", &["fails", "unknown"]),
        ("none", "G !nullderef", &["fails"]),
        ("none", "F terminated", &["fails"]),
        ("first", "G !nullderef", &["fails", "unknown"]),
        ("at", "G !nullderef", &["fails", "unknown"]),
        ("at", "F terminated", &["fails", "unknown"]),
        ("main", "G !nullderef", &["holds"]),
        ("again", "G !nullderef", &["fails"]),
    ] {
        let mut model = model(&path, &asked(method, None)).expect("it is read");
        let found = verdicts(&mut model, &[claim]);
        assert!(allowed.contains(&found[0].as_str()), "{method}: {claim}: {}", found[0]);
    }
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// A folder with the class files of a program.
fn compiled(class: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tern-{class}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a place for files");
    let path = folder.join(format!("{class}.java"));
    std::fs::write(&path, text).expect("it can be written");
    let compiled = Command::new("javac").args(["-g", "-d"]).arg(&folder).arg(&path).status();
    assert!(compiled.is_ok_and(|it| it.success()), "it compiles");
    folder
}

/// Compiles a class, and decides claims about its methods. What is wanted names verdicts.
fn judge(class: &str, text: &str, wanted: &[(&str, &str, &str)]) {
    if !has_compiler() {
        return;
    }
    let folder = compiled(class, text);
    for (method, claim, wanted) in wanted {
        let mut model = model(&folder, &asked(method, None)).expect("it is read");
        let found = verdicts(&mut model, &[claim]);
        assert!(wanted.contains(found[0].as_str()), "{method}: {claim}: {}", found[0]);
    }
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// Methods that look at numbers in fields.
const NUMBERS: &str = "class Numbers {
        static class Base { int key; }
        static class Node extends Base { Node next; int val; boolean mark; byte small; }
        static class Other extends Base { Other next; int key; }
        static Node find(Node x, int k) { while (x.val != k) { x = x.next; } return x; }
        static Node both(Node x) {
            if (x != null && x.val == 1 && x.val == 2) { return x.next.next; }
            return x;
        }
        static Node marked(Node x) {
            while (x != null && !x.mark) { x = x.next; }
            return x.next;
        }
        static Node made() {
            Node n = new Node();
            if (n.val == 0) { n = null; }
            return n.next;
        }
        static Node written(Node x) {
            if (x == null) { return x; }
            x.val = 7;
            put(x, 9);
            return x.val == 9 ? x.next.next.next : x;
        }
        static Node stored(Node x) {
            if (x == null) { return x; }
            x.val = 3;
            return x.val != 3 ? x.next.next : x;
        }
        static void mark(Node x) { x.mark = true; }
        static Node passed(Node x) {
            if (x == null) { return x; }
            mark(x);
            return x.mark ? x : x.next.next;
        }
        static Node first(Node x) {
            for (Node c = x; c != null; c = c.next) { c.mark = true; }
            return x != null && !x.mark ? x.next.next : x;
        }
        static Node other(Node x, Node y) {
            if (x == null || y == null) { return x; }
            x.val = 3;
            y.val = 4;
            return x.val == 4 ? x.next.next : y.val == 3 ? y.next.next : x;
        }
        static Node same(Node x) {
            Node y = x;
            if (x == null) { return x; }
            x.val = 3;
            y.val = 4;
            return x.val == 4 ? x.next.next : x;
        }
        static void put(Node x, int v) { if (x.next != null) { x.val = v; } }
        static Node sorted(Node x) {
            Node c = x;
            while (c != null && c.next != null && c.val <= c.next.val) { c = c.next; }
            return c.next.next;
        }
        static Node above(Node x) { return x != null && x.key > 0 ? x.next.next : x; }
        static Other hidden(Other x) { return x != null && x.key > 0 ? x.next.next : x; }
        static Node large(Node x) { return x != null && x.small > 127 ? x.next.next : x; }
        static void turn(Node x) { while (x != null && x.mark) { x.mark = x.val == 1; } }
        static Node kept(Node x, int k) {
            if (x == null) { return null; }
            x.val = x.val * k;
            return x.val == 6 ? null : x;
        }
    }";

/// Where a claim fails because of numbers in fields, the input has these.
#[test]
fn numbers_in_fields_are_tried() {
    judge(
        "Numbers",
        NUMBERS,
        &[
            ("find", "G !nullderef", "fails"),
            ("both", "G !nullderef", "unknown"),
            ("marked", "G !nullderef", "fails"),
            ("made", "G !nullderef", "fails"),
            ("made", "F nullderef", "holds or unknown"),
            ("written", "G !nullderef", "fails"),
            ("stored", "G !nullderef", "holds"),
            ("passed", "G !nullderef", "holds"),
            ("first", "G !nullderef", "holds"),
            ("other", "G !nullderef", "holds"),
            ("same", "G !nullderef", "fails"),
            ("sorted", "G !nullderef", "fails"),
            ("above", "G !nullderef", "fails"),
            ("hidden", "G !nullderef", "unknown"),
            ("large", "G !nullderef", "unknown"),
            ("turn", "F terminated", "fails"),
            ("turn", "G !nullderef", "holds"),
            ("kept", "G (terminated -> \"return == x@start\")", "fails"),
        ],
    );
}

/// Methods that catch.
const TAKEN: &str = "class Taken {
        static class Node { Node next; }
        static Node next(Node x) {
            try { return x.next; } catch (NullPointerException e) { return null; }
        }
        static Node wrong(Node x) {
            try { return x.next; } catch (IllegalStateException e) { return null; }
        }
        static Node last(Node x) {
            Node l = null;
            try { while (true) { l = x; x = x.next; } } catch (RuntimeException e) { return l; }
        }
        static Node again(Node x) {
            try { return x.next.next; } catch (Exception e) { return x.next; }
        }
        static Node after(Node x) {
            Node y = x;
            try { y = x.next; x = y.next; } catch (Throwable e) { return y == null ? x : y; }
            return x;
        }
        static Node fin(Node x) {
            try { return x.next; } finally { x = null; }
        }
        static Node deep(Node x) {
            try { return over(x); } catch (NullPointerException e) { return x; }
        }
        static Node over(Node x) { return x.next; }
        static Node other(Node x) {
            try { x = x.next; } catch (NullPointerException e) {
                throw new IllegalStateException();
            }
            return x;
        }
        static Node same(Node x) {
            try { x = x.next; } catch (NullPointerException e) { throw e; }
            return x;
        }
        static void pass(RuntimeException e) { throw e; }
        static Node passed(Node x) {
            try { x = x.next; } catch (NullPointerException e) { pass(e); }
            return x;
        }
        static void loop(Node x) {
            while (true) { try { x = x.next; } catch (NullPointerException e) { } }
        }
    }";

/// A null dereference that the procedure itself takes is none.
#[test]
fn null_dereferences_may_be_taken() {
    judge(
        "Taken",
        TAKEN,
        &[
            ("next", "G !nullderef", "holds"),
            ("next", "F terminated", "holds"),
            ("next", "G (terminated -> \"return != null\")", "fails"),
            ("wrong", "G !nullderef", "fails or unknown"),
            ("last", "G !nullderef", "holds"),
            ("last", "F terminated", "holds"),
            ("last", "G (terminated -> \"return == null\")", "holds"),
            ("again", "G !nullderef", "fails"),
            ("again", "F terminated", "fails"),
            ("after", "G !nullderef & F terminated", "holds"),
            ("after", "G (terminated -> \"return == x@start\")", "fails"),
            ("fin", "G !nullderef", "fails or unknown"),
            ("fin", "G !thrown", "holds or unknown"),
            ("deep", "G !nullderef", "holds or unknown"),
            ("other", "G !nullderef", "holds"),
            ("other", "G !thrown", "fails"),
            ("same", "G !nullderef", "fails or unknown"),
            ("same", "G !thrown", "holds or unknown"),
            ("passed", "G !nullderef", "fails or unknown"),
            ("passed", "G !thrown", "holds or unknown"),
            ("loop", "F terminated", "fails"),
            ("loop", "G !nullderef", "holds"),
        ],
    );
}

#[test]
fn what_is_asked_wrongly_is_said_at_once() {
    if !has_compiler() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/Lists.java");
    let refused = |asked: JavaAsked| model(&path, &asked).err().expect("it is refused").to_string();
    let text =
        refused(JavaAsked { grammars: vec!["SSL=Nod(nxt)".to_owned()], ..asked("revers", None) });
    for part in ["did you mean `reverse`?", "did you mean `SLL`?", "did you mean `Node`?"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = refused(JavaAsked {
        grammars: vec!["SLL=Node(nxt)".to_owned()],
        ..asked("reverse", Some("heat: SLL"))
    });
    for part in ["did you mean `next`?", "did you mean `head`?"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(refused(asked("reverse", Some("head: SLM"))).contains("did you mean `SLL`?"));
    assert!(refused(JavaAsked::default()).contains("--method"));
    // A class alone, without the one that it is about.
    let folder = std::env::temp_dir().join(format!("tern-Lists-{}", std::process::id()));
    let compiled = Command::new("javac").args(["-g", "-d"]).arg(&folder).arg(&path).status();
    assert!(compiled.is_ok_and(|it| it.success()), "it compiles");
    let alone = model(&folder.join("Lists.class"), &asked("reverse", Some("head: SLL")));
    let text = alone.err().expect("it is refused").to_string();
    assert!(text.contains("check the folder"), "{text}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// A class with another below it, and methods that see objects of both.
const BELOW: &str = "class Node { Node next; int val; Node step() { return next; } }
class Marked extends Node { boolean flag; Node twin; Node step() { return null; } }
class Below {
  static Node last(Node x) { while (x != null && x.next != null) x = x.next; return x; }
  static Node viaStep(Node x) { while (x != null) x = x.step(); return x; }
  static Node push(Node x) { Marked m = new Marked(); m.next = x; return m; }
  static Node pushed(Node x) { Node m = push(x); return m.next; }
  static Node sent(Node x) { Node m = push(x); return m.step(); }
  static Node walked(Node x) { Node m = push(x); while (m != null) m = m.step(); return m; }
  static Node counted(Node x) { Node m = push(x); if (x != null) x = x.step(); return m.step(); }
  static Node both(Node x) { Node m = push(x); while (m != null) m = m.next; return m; }
  static Node twins(Node x) { Marked m = new Marked(); m.twin = x; m.next = x; return m.twin; }
  static boolean isMarked(Node x) { return x instanceof Marked; }
}";

/// Heaps that are given have objects of the class that is named, whatever there is below it;
/// those that the program makes are of the class that it says.
#[test]
fn classes_below_others_do_not_hide_them() {
    let list = "G (terminated -> \"shape(return, SLL)\")";
    let same = "G (terminated -> \"return == x@start\")";
    let expected: &[(&str, &str, &str)] = &[
        ("last", "F terminated", "holds"),
        ("last", list, "holds"),
        ("viaStep", "F terminated", "holds"),
        ("viaStep", "F \"x == elem\"", "holds"),
        ("pushed", "G !nullderef", "holds"),
        ("pushed", same, "holds"),
        ("sent", "G (terminated -> \"return == null\")", "holds"),
        ("sent", "G !nullderef & F terminated", "holds"),
        ("walked", "F terminated", "holds"),
        ("walked", "F \"m == elem\"", "fails"),
        ("counted", "F (terminated & \"return == null\")", "holds"),
        ("counted", "G !nullderef", "holds"),
        ("both", "F terminated", "holds"),
        ("both", "G !nullderef", "holds"),
        ("push", list, "fails"),
        ("twins", same, "holds"),
        ("isMarked", "F terminated", "holds"),
    ];
    judge("Below", BELOW, expected);
    if !has_compiler() {
        return;
    }
    let folder = compiled("Below", BELOW);
    let grammars = vec!["SLL=Node(next)".to_owned()];
    let mut model = model(&folder, &JavaAsked { grammars, ..asked("last", Some("x: SLL+")) })
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verdicts(&mut model, &["F terminated"]), ["holds"]);
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// What is made of a class that is not there is no object of the only class below it.
#[test]
fn objects_of_other_classes_are_not_taken_for_those_below() {
    let text = "class Plain {
        static class Node { Node next; }
        static class Own extends Thread { Own next; }
        static Node cast(Node x) { Object o = new Object(); return (Node) o; }
        static boolean is(Node x) { Object o = new Object(); return o instanceof Node; }
        static Own thread(Own x) { Thread o = new Thread(); return (Own) o; }
    }";
    let expected: &[(&str, &str, &str)] = &[
        ("cast", "F terminated", "unknown"),
        ("is", "F terminated", "holds"),
        ("thread", "F terminated", "unknown"),
    ];
    judge("Plain", text, expected);
}

#[test]
fn who_names_a_shape_or_types_that_are_not_there_is_told_what_is() {
    if !has_compiler() {
        return;
    }
    let text = "class Pair { Pair a; Pair b; }
        class Two { static Pair same(Pair x, Pair y) { return x; } }";
    let folder = compiled("Two", text);
    let refused = |path: &Path, method: &str, given: Option<&str>| {
        model(path, &asked(method, given)).err().expect("it is refused").to_string()
    };
    let text = refused(&folder, "same", Some("x: SLL"));
    assert!(text.contains("there is no shape `SLL`") && text.contains("--grammar"), "{text}");
    let text = refused(&folder, "Two.same(Pair,int)", None);
    assert!(text.contains("did you mean `Two.same(Pair,Pair)`?"), "{text}");
    // Parameters of classes that are not there are named at once.
    let text = refused(&folder.join("Two.class"), "same", Some("x: SLL, y: SLL"));
    assert!(text.contains("the classes of `x`, `y` are not"), "{text}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// Divisions by what is known not to be zero, and null dereferences between handlers that cannot
/// take them.
#[test]
fn divisors_and_handlers_are_what_they_are_known_to_be() {
    let text = "class Divided {
        static class Node { Node next; }
        static int by(Node x) { int k = 3; int r = 10 / k; if (r != 3) x = x.next; return r % k; }
        static int byZero(Node x) { int k = 0; return 10 / k; }
        static int byAny(Node x, int k) { return 10 / k; }
        static Node other(Node x) {
            try { return x.next; } catch (ArithmeticException e) { return null; }
        }
        static Node inner(Node x) { return x.next; }
        static Node outer(Node x) {
            try { return inner(x); } catch (NullPointerException e) { return null; }
        }
    }";
    let expected: &[(&str, &str, &str)] = &[
        ("by", "G !nullderef", "holds"),
        ("by", "F terminated", "holds"),
        ("byZero", "F terminated", "unknown"),
        ("byAny", "F terminated", "unknown"),
        ("other", "G !nullderef", "fails"),
        ("other", "F (terminated | nullderef)", "holds"),
        ("outer", "F terminated", "unknown"),
    ];
    judge("Divided", text, expected);
}
