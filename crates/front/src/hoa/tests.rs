//! Automata as text: what is read, what is refused and where, and that nothing panics.

use super::{read, write};
use crate::Source;
use tern_model::automaton::Automaton;
use tern_model::{Formula, Formulas};

const FEW: &str = r#"HOA: v1
name: "a comment" /* and /* another */ one */
States: 2
Start: 0
acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0)) & Inf(1)
AP: 2 "a" "b c"
Alias: @x !0 | 1
properties: explicit-labels
--BODY--
State: 0 "first" {0}
[@x&!1] 1
[t] 0 {1}
State: [0] 1
0 {0 1}
--END--
"#;

fn try_read(text: &str) -> Result<(Automaton, Formulas), String> {
    let source = Source::new("t", text);
    let mut formulas = Formulas::new();
    match read(&source, &mut formulas) {
        Ok(mut found) => {
            assert_eq!(found.len(), 1, "one automaton was written");
            Ok((found.remove(0).automaton, formulas))
        }
        Err(problems) => {
            let show = |problem: &crate::Problem| {
                let at =
                    problem.at.as_ref().map(|label| source.position(label.span.start as usize));
                let at = at.map_or("?".to_owned(), |at| format!("{}:{}", at.line, at.column));
                assert!(problem.hint.is_some(), "{} has no hint", problem.message);
                assert!(super::CODES.iter().any(|(code, _)| *code == problem.code));
                format!("{} {at} {}\n", problem.code, problem.message)
            };
            Err(problems.iter().map(show).collect())
        }
    }
}

#[test]
fn an_automaton_is_read_and_written_back() {
    let (automaton, formulas) = try_read(FEW).expect("it is sound");
    assert_eq!((automaton.mark_count, automaton.state_count()), (2, 2));
    let text = write(&automaton, &formulas);
    insta::assert_snapshot!(text, @r#"
    HOA: v1
    tool: "tern"
    States: 2
    Start: 0
    AP: 2 "a" "b c"
    acc-name: generalized-Buchi 2
    Acceptance: 2 Inf(0)&Inf(1)
    properties: trans-labels explicit-labels trans-acc
    --BODY--
    State: 0
    [!0&!1] 1 {0}
    [t] 0 {0 1}
    State: 1
    [0] 0 {0 1}
    --END--
    "#);
    let (again, _) = try_read(&text).expect("it was written by us");
    assert_eq!(again.transitions.as_slice(), automaton.transitions.as_slice());
}

#[test]
fn labels_may_be_left_out() {
    let text =
        "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 0 1 State: 1 1 1 --END--";
    let (automaton, formulas) = try_read(text).expect("it is sound");
    let lines = write(&automaton, &formulas);
    assert!(lines.contains("State: 0\n[!0] 0\n[0] 1\nState: 1\n[!0] 1\n[0] 1\n"), "{lines}");
}

#[test]
fn formulas_with_quantifiers_come_back_as_such() {
    let mut formulas = Formulas::new();
    let p = formulas.atom("p \"q\"");
    let later = formulas.make(Formula::Finally(p));
    let exists = formulas.make(Formula::Exists(later));
    let (mut automaton, _) = try_read(FEW).expect("it is sound");
    automaton.propositions = vec![exists, p];
    let text = write(&automaton, &formulas);
    let read = read(&Source::new("t", text), &mut formulas).expect("it was written by us");
    assert_eq!(read[0].automaton.propositions, automaton.propositions);
}

#[test]
fn what_is_refused_is_named_with_its_place() {
    let with = |from: &str, to: &str| try_read(&FEW.replace(from, to)).expect_err("it is refused");
    assert_eq!(
        with("& Inf(1)", "| Inf(1)"),
        "A005 6:24 this acceptance condition is not supported\n"
    );
    assert_eq!(with("Inf(1)", "Fin(1)"), "A005 6:26 this acceptance condition is not supported\n");
    assert_eq!(
        with("[t] 0", "[t] 0&1"),
        "A006 13:6 an edge to several states at once is not supported\n"
    );
    assert_eq!(
        with("Start: 0", "Start: 0&1"),
        "A006 4:9 several initial states at once are not supported\n"
    );
    assert_eq!(with("[t] 0 {1}", "[t] 7 {1}"), "A007 13:5 there is no state 7, only 2 of them\n");
    assert_eq!(
        with("[t] 0 {1}", "[t] 0 {2}"),
        "A007 13:8 there is no acceptance set 2, only 2 of them\n"
    );
    assert_eq!(with("[@x&!1]", "[@y&!1]"), "A008 12:2 there is no alias `@y`\n");
    assert_eq!(with("[@x&!1]", "[@x&!2]"), "A008 12:6 there is no proposition 2, only 2 of them\n");
    assert_eq!(with("\"b c\"", "\"a\""), "A008 7:11 the proposition `a` is there twice\n");
    assert_eq!(with("State: [0] 1", "State: [0] 0"), "A011 14:12 state 0 is defined twice\n");
    assert_eq!(
        with("[@x&!1] 1", "1"),
        "A009 11:8 some edges have labels of their own and others not\n"
    );
    assert_eq!(
        with("--END--", "--ABORT--"),
        "A012 16:1 the tool that wrote this automaton gave it up\n"
    );
    assert_eq!(
        with("--END--", "--END-- State: 0"),
        "A012 16:9 what stands behind the end of the automaton is none\n"
    );
    assert_eq!(
        with("States: 2", "States: 99999999999"),
        "A007 3:9 99999999999 states are more than the text can define\n"
    );
    assert_eq!(
        try_read("").expect_err("nothing is there"),
        "A003 1:1 expected `HOA: v1` at the beginning, but found the end of the text\n"
    );
    assert_eq!(
        try_read("HOA:").expect_err("cut off"),
        "A003 1:5 expected the version `v1`, but found the end of the text\n"
    );
    assert_eq!(with("[t]", "[t"), "A003 13:4 expected `]`, but found `0`\n");
    assert_eq!(with("[t]", "[(t]"), "A003 13:4 expected `)`, but found `]`\n");
    assert_eq!(with("name:", "Name:"), "A004 2:1 the header `Name:` is not known\n");
    assert_eq!(with("[t]", "[t] ?"), "A002 13:5 this character has no meaning in HOA\n");
}

#[test]
fn several_problems_are_reported_at_once() {
    let text = FEW.replace("[t] 0", "[t] 9").replace("[@x&!1]", "[3]").replace("Inf(1)", "Inf(5)");
    let found = try_read(&text).expect_err("it is refused");
    assert_eq!(found.lines().count(), 3, "{found}");
}

#[test]
fn labels_may_be_nested_deeply_but_not_be_too_large() {
    let depth = tern_testkit::large(100_000);
    let deep = format!("[{}t{}] 0", "(!".repeat(depth), ")".repeat(depth));
    assert!(try_read(&FEW.replace("[t] 0", &deep)).is_ok());
    let names: String = (0..40).map(|i| format!(" \"p{i}\"")).collect();
    let label: Vec<String> = (0..20).map(|i| format!("({}|{})", 2 * i, 2 * i + 1)).collect();
    let text = FEW
        .replace("2 \"a\" \"b c\"", &format!("40{names}"))
        .replace("[t]", &format!("[{}]", label.join("&")));
    let found = try_read(&text).expect_err("it is too large");
    assert!(found.starts_with("A010 13:1 "), "{found}");
}

#[test]
fn mutilated_texts_never_panic() {
    for seed in 0..tern_testkit::setting("TERN_PAIRS", 4_000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bytes = FEW.as_bytes().to_vec();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(0..bytes.len().max(1));
            let piece = FEW.as_bytes();
            match rng.u8(0..4) {
                _ if at >= bytes.len() => (),
                0 => {
                    bytes.remove(at);
                }
                1 => bytes[at] = *rng.choice(piece).expect("not empty"),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let from = rng.usize(0..piece.len());
                    let to = rng.usize(from..piece.len().min(from + 12));
                    let piece = piece[from..to].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let source = Source::new("t", bytes);
        let mut formulas = Formulas::new();
        for super::Written { automaton, .. } in read(&source, &mut formulas).unwrap_or_default() {
            let text = write(&automaton, &formulas);
            let again = read(&Source::new("t", text), &mut formulas).expect("it was written by us");
            let again = &again[0].automaton;
            assert_eq!(
                again.transitions.as_slice(),
                automaton.transitions.as_slice(),
                "seed {seed}"
            );
            assert_eq!(again.initial, automaton.initial, "seed {seed}");
        }
    }
}

#[test]
fn a_text_may_hold_several_automata() {
    let one = |name: &str, atom: &str| {
        format!(
            "HOA: v1 {name} States: 1 Start: 0 AP: 1 \"{atom}\" Acceptance: 1 Inf(0) --BODY-- State: 0 {{0}} [0] 0 --END--\n"
        )
    };
    let text = [one("name: \"first\"", "a"), one("", "b"), one("name: \"\"", "a")].concat();
    let mut formulas = Formulas::new();
    let found = read(&Source::new("t", text.as_str()), &mut formulas).expect("they are sound");
    let names: Vec<_> = found.iter().map(|it| it.name.as_deref()).collect();
    assert_eq!(names, [Some("first"), None, Some("")]);
    let (a, b) = (formulas.atom("a"), formulas.atom("b"));
    let atoms: Vec<_> = found.iter().map(|it| it.automaton.propositions[0]).collect();
    assert_eq!(atoms, [a, b, a]);
    // The problems of all of them are found.
    let wrong = text.replace("[0] 0", "[1] 0");
    let problems = read(&Source::new("t", wrong.as_str()), &mut formulas).expect_err("refused");
    assert_eq!(problems.len(), 3);
    // Together they have no more states than a text of this length may ask for.
    let large = one("", "a").replace("States: 1", "States: 1000000").repeat(3);
    let problems = read(&Source::new("t", large.as_str()), &mut formulas).expect_err("refused");
    assert!(problems.iter().all(|it| it.message.ends_with("are more than the text can define")));
    assert_eq!(problems.len(), 2);
}
