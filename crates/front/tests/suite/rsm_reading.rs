//! Reading RSM JSON: what is understood, what is refused and how, and that nothing makes it panic.

use tern_front::rsm::{CODES, read};
use tern_front::{Problem, Refusal, Source};
use tern_model::{Budget, Edge, Limit, Machine, Place};

/// `main` calls `sub` by `b`; `sub` has one node, which is entry and exit.
const CALLING: &str = r#"{"initial_component": "main", "initial_node": "start", "components": [
  {"name": "main",
   "nodes": [{"name": "start", "is_entry": false, "is_exit": false, "labels": ["p", "q"]},
             {"name": "stop", "is_entry": false, "is_exit": true, "labels": []}],
   "boxes": [{"name": "b", "component": "sub", "call_nodes": ["only"], "return_nodes": ["only"]}],
   "transitions": [
     {"source": {"type": "node", "name": "start"},
      "targets": [{"type": "box_node", "box_name": "b", "node_name": "only"}]},
     {"source": {"type": "box_node", "box_name": "b", "node_name": "only"},
      "targets": [{"type": "node", "name": "stop"},
                  {"type": "box_node", "box_name": "b", "node_name": "only"}]}]},
  {"name": "sub",
   "nodes": [{"name": "only", "is_entry": true, "is_exit": true, "labels": ["p"]}],
   "boxes": [], "transitions": [{"source": {"type": "node", "name": "only"}, "targets": []}]}]}"#;

fn attempt(text: impl Into<Vec<u8>>) -> Result<Machine, Vec<Problem>> {
    match read(&Source::new("test.rsm", text), &Budget::unlimited()) {
        Ok(machine) => Ok(machine),
        Err(Refusal::Problems(problems)) => Err(problems),
        Err(Refusal::Limit(limit)) => panic!("{limit}"),
    }
}

fn accept(text: &str) -> Machine {
    attempt(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

/// Each problem as `code at-text: message | label | related-text: label | hint`, one a line.
fn refusal(text: &str) -> String {
    let problems = attempt(text).expect_err("this should be refused");
    let quote = |span: tern_model::Span| text.get(span.range()).unwrap_or("?").to_owned();
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            assert!(CODES.iter().any(|(code, _)| *code == problem.code), "{problem:?}");
            let mut line = problem.code.to_owned();
            if let Some(at) = &problem.at {
                line += &format!(" at {}", quote(at.span));
            }
            line += &format!(": {}", problem.message);
            if let Some(at) = &problem.at {
                line += &format!(" | {}", at.text);
            }
            for related in &problem.related {
                line += &format!(" | {}: {}", quote(related.span), related.text);
            }
            if let Some(hint) = &problem.hint {
                line += &format!(" | {hint}");
            }
            line
        })
        .collect();
    lines.join("\n")
}

/// Checks the refusal of [`CALLING`] with one piece exchanged.
#[track_caller]
fn refuses(piece: &str, by: &str, expected: &str) {
    assert!(CALLING.contains(piece), "the model has no {piece}");
    assert_eq!(refusal(&CALLING.replacen(piece, by, 1)), expected);
}

#[track_caller]
fn check_is_calling(m: &Machine) {
    assert_eq!((m.component_count(), m.node_count(), m.box_count()), (2, 3, 1));
    let [start, stop] = ["start", "stop"].map(|name| m.find_node("main", name).expect("declared"));
    let only = m.find_node("sub", "only").expect("declared");
    let call = m.boxes().next().expect("declared");
    let [exit] = m.exits_of(m.component_of(only)) else { panic!("one exit") };
    assert_eq!(m.initial(), [start]);
    assert!(m.is_entry(only) && !m.is_entry(start));
    assert_eq!(m.edges(start), [Edge::Call(call, only)]);
    assert!(matches!(m.edges(stop), [Edge::Return(_)]));
    assert_eq!(m.edges(only), [Edge::Return(*exit)]);
    let site = m.site(call, *exit).expect("it has edges");
    assert_eq!(m.place(site), Place::Site(call, *exit));
    assert_eq!(m.edges_at(site), [Edge::Step(stop), Edge::Call(call, only)]);
    let p = m.label("p").expect("used");
    assert_eq!(m.labelled(p).to_vec(), [start, only]);
}

#[test]
fn a_model_is_read() {
    check_is_calling(&accept(CALLING));
}

#[test]
fn both_spellings_of_references_are_read() {
    let text = CALLING
        .replace(r#""box_name": "b", "node_name": "only"}"#, r#""box": "b", "node": "only"}"#)
        .replace(r#""type": "node", "name""#, r#""type": "node", "node""#);
    assert!(!text.contains("box_name") && !text.contains(r#""type": "node", "name""#));
    check_is_calling(&accept(&text));
}

#[test]
fn keys_come_in_any_order_and_unknown_keys_are_skipped() {
    let text = r#"{"x": [1, {"y": null}, -2.5e3], "components": [
      {"transitions": [
         {"targets": [{"node_name": "only", "box_name": "b", "type": "box_node"}],
          "source": {"name": "start", "type": "node"}},
         {"targets": [{"name": "stop", "type": "node"}],
          "source": {"node_name": "only", "box_name": "b", "type": "box_node", "x": true}},
         {"source": {"node_name": "only", "box_name": "b", "type": "box_node"},
          "targets": [{"node_name": "only", "type": "box_node", "box_name": "b"}]}],
       "boxes": [{"component": "sub", "formulas": {}, "name": "b"}],
       "nodes": [{"labels": ["p", "q"], "formulas": {"f": [true, "x"]}, "name": "start"},
                 {"is_exit": true, "name": "stop"}], "name": "main"},
      {"nodes": [{"is_exit": true, "is_entry": true, "labels": ["p"], "name": "only"}],
       "name": "sub"}], "initial_nodes": ["start"], "initial_component": "main"}"#;
    check_is_calling(&accept(text));
}

#[test]
fn line_ends_byte_order_mark_and_escapes_do_not_matter() {
    check_is_calling(&accept(&CALLING.replace('\n', "\r\n")));
    check_is_calling(&accept(&format!("\u{FEFF}{CALLING}\n")));
    check_is_calling(&accept(&CALLING.replace("\"start\"", r#""\u0073tart""#)));
    check_is_calling(&accept(&CALLING.replacen("nodes", r"n\u006fdes", 1)));
    let problems = attempt(CALLING.replace('\n', "\r\n").replacen("\"only\"]", "\"x\"]", 1))
        .expect_err("no node x");
    let at = problems[0].at.as_ref().expect("a place").span;
    assert_eq!(&CALLING.replace('\n', "\r\n").as_bytes()[at.range()][..2], b"\"o");
}

#[test]
fn several_initial_nodes_are_read() {
    for key in ["initial_node", "initial_nodes"] {
        let text = CALLING
            .replace(r#""initial_node": "start""#, &format!(r#""{key}": ["stop", "start"]"#));
        let m = accept(&text);
        let names: Vec<_> = m.initial().iter().map(|&node| m.node_name(node)).collect();
        assert_eq!(names, ["stop", "start"]);
    }
}

#[test]
fn idle_call_nodes_are_no_problem() {
    let text = CALLING.replace(r#""is_entry": true, "is_exit": true"#, r#""is_entry": true"#);
    let text = text.replace(r#""return_nodes": ["only"]"#, r#""return_nodes": []"#);
    let (head, tail) =
        text.split_once(r#""targets": [{"type": "node", "name": "stop"}"#).expect("there");
    let (_, tail) = tail.split_once("]}]}").expect("there");
    accept(&format!("{head}\"targets\": []}}]}}{tail}"));
}

#[test]
fn names_that_mean_nothing_are_refused() {
    refuses(
        r#""name": "stop"}"#,
        r#""name": "stopp"}"#,
        "R121 at \"stopp\": component `main` has no node `stopp` | no such node | did you mean `stop`?",
    );
    refuses(
        r#""box_name": "b""#,
        r#""box_name": "c""#,
        "R122 at \"c\": component `main` has no box `c` | no such box",
    );
    refuses(
        r#""component": "sub""#,
        r#""component": "sup""#,
        "R120 at \"sup\": there is no component `sup` | no such component | did you mean `sub`?",
    );
    refuses(
        r#""initial_component": "main""#,
        r#""initial_component": "mail""#,
        "R131 at \"mail\": the initial component `mail` does not exist | no such component | did you mean `main`?",
    );
    refuses(
        r#""initial_node": "start""#,
        r#""initial_node": "only""#,
        "R132 at \"only\": the initial node `only` is not a node of `main` | no such node",
    );
    refuses(
        r#""node_name": "only""#,
        r#""node_name": "start""#,
        "R121 at \"start\": box `b` calls `sub`, which has no node `start` | no such node",
    );
}

#[test]
fn calls_and_returns_pass_entries_and_exits() {
    let text = CALLING
        .replace(r#""is_entry": true, "is_exit": true"#, r#""is_entry": true, "is_exit": false"#);
    let expected = "R125 at \"only\": box `b` returns to `only`, which is not an exit of `sub` | \
                    `sub` has no exits | \"only\": declared here | \
                    if it should be one, declare it with \"is_exit\": true";
    assert_eq!(refusal(&text), [expected; 2].join("\n"));
    let text = CALLING.replace(
        r#"[{"name": "only", "is_entry": true, "is_exit": true, "labels": ["p"]}]"#,
        r#"[{"name": "only", "is_exit": true}, {"name": "in", "is_entry": true}]"#,
    );
    let expected = "R124 at \"only\": box `b` calls `only`, which is not an entry of `sub` | \
                    `sub` is entered only at `in` | \"only\": declared here | \
                    if it should be one, declare it with \"is_entry\": true";
    assert_eq!(refusal(&text), [expected; 3].join("\n"));
}

#[test]
fn exits_do_not_go_on() {
    refuses(
        r#""name": "start"},"#,
        r#""name": "stop"},"#,
        "R123 at \"stop\": exit `stop` of `main` has a transition to `only` | \
         an exit leaves the component; it cannot go on in it | \"stop\": declared as an exit here | \
         step to a separate exit node, or drop `is_exit`",
    );
}

#[test]
fn names_are_declared_once() {
    refuses(
        r#"{"name": "stop","#,
        r#"{"name": "start"}, {"name": "stop","#,
        "R111 at \"start\": component `main` has two nodes `start` | declared again | \
         \"start\": first declared here | rename one of them",
    );
    refuses(
        r#""boxes": [{"#,
        r#""boxes": [{"name": "b", "component": "main"}, {"#,
        "R112 at \"b\": component `main` has two boxes `b` | declared again | \
         \"b\": first declared here | rename one of them",
    );
    refuses(
        r#"{"name": "sub","#,
        r#"{"name": "sub", "nodes": []}, {"name": "sub","#,
        "R110 at \"sub\": there are two components `sub` | declared again | \
         \"sub\": first declared here | rename one of them",
    );
}

#[test]
fn every_wrong_value_is_named() {
    let text = r#"{"initial_component": 7, "initial_node": {}, "components": [
      {"name": ["m"], "nodes": [{"name": "n", "is_entry": "yes", "labels": "p"}, 3], "boxes": null,
       "transitions": [{"source": "n", "targets": [{"type": "nod", "name": "n"}]}]}]}"#;
    assert_eq!(
        refusal(text),
        "R104 at 7: `initial_component` must be a string, not a number | this is a number\n\
         R104 at {: `initial_node` must be a string or a list of strings, not an object | this is an object\n\
         R104 at [: `name` must be a string, not a list | this is a list\n\
         R104 at \"yes\": `is_entry` must be true or false, not a string | this is a string\n\
         R104 at \"p\": `labels` must be a list, not a string | this is a string\n\
         R104 at 3: each item of `nodes` must be an object, not a number | this is a number\n\
         R104 at null: `boxes` must be a list, not null | this is null\n\
         R104 at \"n\": `source` must be an object, not a string | this is a string\n\
         R107 at \"nod\": `type` must be `node` or `box_node`, not `nod` | neither of them | did you mean `node`?"
    );
    assert_eq!(
        refusal("[1]"),
        "R104 at [: the file must be an object, not a list | this is a list"
    );
}

#[test]
fn missing_and_repeated_keys_are_named() {
    let text = r#"{"components": [{"nodes": [{"labels": []}], "boxes": [{"name": "b"}],
      "transitions": [{"source": {"type": "node"}}, {"source": {"name": "n"}, "targets": [
        {"type": "box_node", "node": "n"}, {"type": "box_node", "box": "n"},
        {"type": "node", "name": "n", "box": "b"}]}]}]}"#;
    assert_eq!(
        refusal(text),
        "R105 at {: the file has no `initial_component` | `initial_component` is missing in here\n\
         R130 at {: the file names no initial node | `initial_node` is missing or empty in here | \
         say where the program starts: \"initial_node\": \"name\"\n\
         R105 at {: a component has no `name` | `name` is missing in here\n\
         R105 at {: a node has no `name` | `name` is missing in here\n\
         R105 at {: a box has no `component` | `component` is missing in here\n\
         R105 at {: a transition has no `targets` | `targets` is missing in here\n\
         R105 at {: a reference of type `node` has no `name` | `name` is missing in here\n\
         R105 at {: a reference has no `type` | `type` is missing in here\n\
         R105 at {: a reference of type `box_node` has no `box_name` | `box_name` is missing in here\n\
         R105 at {: a reference of type `box_node` has no `node_name` | `node_name` is missing in here\n\
         R107 at {: a reference of type `node` names a box | in here | \
         to go through a box, write \"type\": \"box_node\""
    );
    refuses(
        r#""type": "node", "name": "stop""#,
        r#""type": "node", "name": "stop", "node": "start""#,
        "R106 at \": a reference has `node` twice | the second value",
    );
    refuses(
        r#""initial_node": "start""#,
        r#""initial_node": "start", "initial_node": "stop""#,
        "R106 at \": the file has `initial_node` twice | the second value",
    );
}

#[test]
fn what_is_no_json_is_refused() {
    let hint = "what follows was not looked at";
    for (text, expected) in [
        (
            "{\"components\": [",
            "R101 at [: invalid JSON: the text ends within a list | `]` is missing",
        ),
        ("{\"a\": \"b", "R101 at b: invalid JSON: the text ends within a string | `\"` is missing"),
        ("{\"a\" 1}", "R101 at 1: invalid JSON: a key is not followed by `:` | expected `:`"),
        ("{\"a\": 1,}", "R101 at }: invalid JSON: a comma stands before the end | one too many?"),
        (
            "{\"a\": [1 2]}",
            "R101 at 2: invalid JSON: a list does not go on here | expected `,` or `]`",
        ),
        (
            "{\"a\": tru}",
            "R101 at t: invalid JSON: this is not a value | expected a string, number, list, object, true, false or null",
        ),
        ("{a: 1}", "R101 at a: invalid JSON: a key must be a string | expected `\"`"),
    ] {
        let cut = expected.contains("the text ends");
        let hint = if cut { "the file may have been cut off" } else { hint };
        assert_eq!(refusal(text), format!("{expected} | {hint}"));
    }
    let more = refusal(&format!("{CALLING} x"));
    assert_eq!(
        more,
        format!(
            "R101 at x: invalid JSON: there is more text behind the end | expected nothing more | {hint}"
        )
    );
    for empty in ["", " \r\n", "\u{FEFF}"] {
        assert!(refusal(empty).starts_with("R100: the file is empty | "), "{empty:?}");
    }
    let problems = attempt(b"{\"a\": \"\xFF\"}".as_slice()).expect_err("not UTF-8");
    assert_eq!(
        (problems[0].code, problems[0].at.as_ref().map(|at| at.span.start)),
        ("R102", Some(7))
    );
}

#[test]
fn of_very_many_problems_the_rest_is_counted() {
    let nodes = vec!["{}"; 250].join(",");
    let text = format!(
        r#"{{"initial_component": "c", "initial_node": "n", "components": [{{"name": "c", "nodes": [{nodes}]}}]}}"#
    );
    let problems = attempt(text).expect_err("no names");
    assert_eq!(problems.len(), 101);
    assert_eq!(problems[100].message, "150 more problems of this text not shown");
}

#[test]
fn deep_nesting_is_no_problem() {
    let deep = 200_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let value = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        check_is_calling(&accept(&CALLING.replacen('{', &format!("{{\"x\": {value},"), 1)));
        assert!(
            attempt(CALLING.replacen('{', &format!("{{\"x\": {}", open.repeat(deep)), 1)).is_err()
        );
        // Where a value is of the wrong type, it is skipped the same way.
        assert!(attempt(CALLING.replacen("\"start\"", &value, 1)).is_err());
    }
}

#[test]
fn many_nodes_are_read() {
    use std::fmt::Write as _;
    let count = 200_000;
    let (mut nodes, mut transitions) = (String::new(), String::new());
    for i in 0..count {
        let comma = if i == 0 { "" } else { "," };
        write!(nodes, "{comma}{{\"name\":\"n{i}\"}}").expect("a string");
        write!(
            transitions,
            "{comma}{{\"source\":{{\"type\":\"node\",\"name\":\"n{i}\"}},\"targets\":[{{\"type\":\"node\",\"name\":\"n{}\"}}]}}",
            (i + 1) % count
        )
        .expect("a string");
    }
    let m = accept(&format!(
        r#"{{"initial_component":"c","initial_node":"n0","components":[{{"name":"c","nodes":[{nodes}],"transitions":[{transitions}]}}]}}"#
    ));
    assert_eq!((m.node_count(), m.edge_count()), (count, count));
}

#[test]
fn a_hundred_thousand_components_with_equal_names_are_read() {
    use std::fmt::Write as _;
    let count = 100_000;
    let mut text = r#"{"initial_component":"c0","initial_node":"n","components":["#.to_owned();
    for i in 0..count {
        let comma = if i == 0 { "" } else { "," };
        let callee = (i + 1) % count;
        write!(
            text,
            r#"{comma}{{"name":"c{i}","nodes":[{{"name":"n","is_entry":true}},{{"name":"x","is_exit":true}}],"boxes":[{{"name":"b","component":"c{callee}"}}],"transitions":[{{"source":{{"type":"node","name":"n"}},"targets":[{{"type":"box_node","box":"b","node":"n"}}]}},{{"source":{{"type":"box_node","box":"b","node":"x"}},"targets":[{{"type":"node","name":"x"}}]}}]}}"#
        )
        .expect("a string");
    }
    let m = accept(&(text + "]}"));
    assert_eq!((m.component_count(), m.box_count(), m.edge_count()), (count, count, 3 * count));
}

#[test]
fn the_budget_is_kept() {
    let budget = Budget::unlimited();
    budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let refused = read(&Source::new("t", CALLING), &budget);
    assert_eq!(refused.err(), Some(Refusal::Limit(Limit::Interrupted)));
}

#[test]
fn cut_texts_are_refused_without_panic() {
    for end in 0..CALLING.len() {
        assert!(attempt(&CALLING[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut rng = fastrand::Rng::with_seed(1);
    let pieces: &[&[u8]] = &[
        b"\"", b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u00", b"\xC3", b"null", b"start",
        b"-",
    ];
    let mut read_anyway = 0;
    for _ in 0..20_000 {
        let mut bytes = CALLING.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..4) {
                0 => bytes[at] = rng.u8(..),
                1 => drop(bytes.remove(at)),
                2 => drop(bytes.splice(at..at, pieces[rng.usize(..pieces.len())].iter().copied())),
                _ => {
                    let end = (at + rng.usize(..30)).min(bytes.len());
                    drop(bytes.drain(at..end));
                }
            }
        }
        read_anyway += usize::from(attempt(bytes).is_ok());
    }
    assert!((100..19_000).contains(&read_anyway), "{read_anyway} of 20000 tell nothing");
}
