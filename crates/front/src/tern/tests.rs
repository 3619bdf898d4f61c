//! The example of the format, round trips of random machines, and each problem with its place.

use super::*;
use crate::problem::Problem;
use std::collections::BTreeSet;
use tern_model::{Builder, DeadEndRule, Edge, EndRule, Id, NodeId, Place, PlaceId, Surety};

const EXAMPLE: &str = r#"// or # comments, and /* */
end sink;                       // optional; default `end loop`
deadlock error;                 // optional; default `deadlock loop`
component main {
  initial entry n1 {red, "any text"} -> b.n6, n2;
  node n2 -> n4, return x;      // return edge from an inner node
  box b: callee;
  box c: side;
  b.n9 -> n4, c.en;             # step, or call straight on
  port x;                       /* an exit that is not a node */
  exit n4 {black}
}
component callee { entry n6 {red} -> n6, n9;  exit n9 {red} }
component side { entry exit en; }
claim safe: AG (red -> EF black);
claim E [red U black];
"#;

const CANONICAL: &str = r#"end sink;
deadlock error;

component main {
  initial entry n1 {"any text", red} -> b.n6, n2;
  node n2 -> n4, return x;
  port x;
  exit n4 {black};
  box b: callee;
  b.n9 -> n4, c.en;
  box c: side;
}

component callee {
  entry n6 {red} -> n6, n9;
  exit n9 {red};
}

component side {
  entry exit en;
}

claim safe: AG (red -> EF black);
claim E [red U black];
"#;

fn read_text(text: &[u8]) -> Result<(Machine, Claims), Vec<Problem>> {
    match read(&Source::new("test.tern", text), &Budget::unlimited()) {
        Ok(read) => Ok(read),
        Err(Refusal::Problems(problems)) => Err(problems),
        Err(Refusal::Limit(limit)) => panic!("{limit}"),
    }
}

/// Each problem as `code "text at fault" message`.
fn problems(text: &str) -> Vec<String> {
    let line = |problem: &Problem| {
        let at = problem.at.as_ref().map_or("", |label| &text[label.span.range()]);
        format!("{} \"{at}\" {}", problem.code, problem.message)
    };
    match read_text(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(line).collect(),
    }
}

#[test]
fn the_example_is_read_and_written() {
    let (machine, claims) = read_text(EXAMPLE.as_bytes()).expect("sound");
    assert_eq!(machine.initial().len(), 1);
    assert_eq!(claims.list().len(), 2);
    assert_eq!(&EXAMPLE[claims.list()[1].span.range()], "E [red U black]");
    assert_eq!(write(&machine, &claims), CANONICAL);
    let (machine, claims) = read_text(CANONICAL.as_bytes()).expect("sound");
    assert_eq!(write(&machine, &claims), CANONICAL);
}

#[test]
fn the_examples_of_the_manual_are_sound() {
    let manual = include_str!("../../../../docs/tern-format.md");
    let blocks: Vec<&str> =
        manual.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let (machine, claims) =
            read_text(block.as_bytes()).unwrap_or_else(|p| panic!("{block}\n{p:#?}"));
        assert!(machine.node_count() > 0 && !claims.list().is_empty());
    }
}

#[test]
fn ways_to_write_the_same() {
    for (text, expected) in [
        ("component a { entry n }", "component a {\n  initial entry n;\n}\n"),
        (
            "\u{feff}component a {\r\n entry n {}; n -> n; n -> m, n;; node m {p,}; };",
            "component a {\n  initial entry n -> n, m, n;\n  node m {p};\n}\n",
        ),
        (
            "component \"box\" { initial node \"a.b\" {initial, a.b:c, \"G\", \"x y\"} -> return \"\"; port \"\" }",
            "component \"box\" {\n  initial \"a.b\" {\"G\", a.b:c, initial, \"x y\"} -> return \"\";\n  port \"\";\n}\n",
        ),
        (
            "initial b.m, a.n; component a { node n } component b { node m }",
            "initial b.m, a.n;\n\ncomponent a {\n  node n;\n}\n\ncomponent b {\n  node m;\n}\n",
        ),
        (
            "component a { entry n -> b . e; box b:a; b.x -> n; port x, y; entry e -> return x }",
            "component a {\n  initial entry n -> b.e;\n  initial entry e -> return x;\n  port x, y;\n  box b: a;\n  b.x -> n;\n}\n",
        ),
        (
            "component a { entry n {q ?, p} -> n?, b.e ? , return x?; box b:a; b.x -> n?, b.e; port x; entry e {\"a?\"?} }",
            "component a {\n  initial entry n {p, q?} -> n?, b.e?, return x?;\n  initial entry e {\"a?\"?};\n  port x;\n  box b: a;\n  b.x -> n?, b.e;\n}\n",
        ),
        (
            "component a { initial n } claim end: \"claim\" U\n p # c\n ;",
            "component a {\n  initial n;\n}\n\nclaim end: claim U p;\n",
        ),
    ] {
        let (machine, claims) =
            read_text(text.as_bytes()).unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
        assert_eq!(write(&machine, &claims), expected, "{text}");
    }
}

/// Texts with mistakes, and the problems that are told of each: code, place and message.
const WITH_PROBLEMS: &[(&str, &[&str])] = &[
    ("component a { entry n -% m; node m }", &["T002 \"-%\" unexpected `-%`"]),
    (
        "component a { entry \"n; }\nclaim p;",
        &[
            "T003 \"\"n; }\" the quote is not closed on its line",
            "T007 \"claim\" component `a` is not closed",
        ],
    ),
    ("component a { entry n } /* x", &["T004 \"/*\" the comment is never closed"]),
    (
        "component a { entry \"\\n\\q\" }",
        &["T005 \"\\\" a backslash before a character that needs none"],
    ),
    (
        "component a { entry n m; box b; node k -> n }",
        &["T006 \"m\" unexpected `m`", "T006 \";\" unexpected `;`"],
    ),
    ("component a { entry n -> m node m; }", &["T006 \"node\" unexpected `node`"]),
    (
        "component { entry n } node x; component b { node c -> zz }",
        &[
            "T006 \"{\" unexpected `{`",
            "T006 \"node\" unexpected `node`",
            "T025 \"zz\" component `b` has no node `zz`",
        ],
    ),
    ("component a { entry n } claim p", &["T006 \"\" the text ends too early"]),
    ("component a { entry n }\nclaim p\nclaim q;", &["T006 \"\" a `;` is missing"]),
    ("component a { entry n", &["T006 \"\" the text ends too early"]),
    ("component a { entry n;", &["T007 \"\" component `a` is not closed"]),
    (
        "component a { entry n;\ncomponent b { }",
        &["T007 \"component\" component `a` is not closed"],
    ),
    ("component a { entry n } }", &["T008 \"}\" `}` closes nothing"]),
    ("component a { entry return; node n -> n }", &["T009 \"return\" `return` is a keyword"]),
    ("component a { entry entry n }", &["T010 \"entry\" `entry` is said twice"]),
    (
        "end stop; deadlock sink; component a { entry n }",
        &["T011 \"stop\" there is no rule `stop`", "T011 \"sink\" there is no rule `sink`"],
    ),
    (
        "end sink; end loop; component a { entry n }",
        &["T012 \"end loop\" this rule is given twice"],
    ),
    (
        "component a { entry n; exit x -> n; x -> n; }",
        &["T013 \"x\" exit node `x` has edges", "T013 \"x\" exit node `x` has edges"],
    ),
    ("component a { entry n } component a { }", &["T020 \"a\" there are two components `a`"]),
    (
        "component a { entry n; node n; exit n }",
        &[
            "T021 \"n\" component `a` has two nodes `n`",
            "T021 \"n\" component `a` has two nodes `n`",
        ],
    ),
    (
        "component a { entry n; box n: a; box n: a; }",
        &["T022 \"n\" component `a` has two boxes `n`"],
    ),
    (
        "component a { entry exit n; port n, x, x }",
        &[
            "T023 \"n\" component `a` has two exits `n`",
            "T023 \"x\" component `a` has two exits `x`",
        ],
    ),
    ("component a { entry n; box b: c; n -> b.e; }", &["T024 \"c\" there is no component `c`"]),
    (
        "initial b.n, a.m; component a { entry n }",
        &["T024 \"b\" there is no component `b`", "T025 \"m\" component `a` has no node `m`"],
    ),
    (
        "component a { entry start -> strat, b; box b: a; k -> start }",
        &[
            "T025 \"strat\" component `a` has no node `strat`",
            "T025 \"b\" component `a` has no node `b`",
            "T025 \"k\" component `a` has no node `k`",
        ],
    ),
    (
        "component a { entry n -> c.n; d.n -> n }",
        &["T026 \"c\" component `a` has no box `c`", "T026 \"d\" component `a` has no box `d`"],
    ),
    (
        "component a { entry n -> b.m, b.k; node m; box b: a }",
        &["T027 \"m\" `m` is not an entry of `a`", "T027 \"k\" `k` is not an entry of `a`"],
    ),
    (
        "component a { entry n; box b: a; b.n -> n; b.x -> n }",
        &["T028 \"n\" `n` is not an exit of `a`", "T028 \"x\" `x` is not an exit of `a`"],
    ),
    ("component a { entry n -> return x }", &["T029 \"x\" `x` is not an exit of `a`"]),
    (
        "component a { entry n; box b: a; port x; b.x -> return x }",
        &["T030 \"x\" a return site cannot itself return"],
    ),
    ("component a { node n } component b { entry m }", &["T031 \"a\" no node is initial"]),
    ("", &["T031 \"\" the model has no component, so it starts nowhere"]),
    (
        "component a { entry n } claim x: p q; claim x: (p; claim r;",
        &[
            "F005 \"q\" there is no operator between `p` and `q`",
            "C002 \"x\" there are two claims `x`",
            "F002 \"(\" `(` is never closed",
        ],
    ),
];

#[test]
fn every_problem_is_told_with_its_place() {
    let mut seen = BTreeSet::new();
    for &(text, expected) in WITH_PROBLEMS {
        assert_eq!(problems(text), expected, "{text}");
        seen.extend(expected.iter().map(|line| line[..4].to_owned()));
    }
    let invalid = read_text(b"component \xff").expect_err("not UTF-8");
    assert_eq!(
        (invalid[0].code, invalid[0].at.as_ref().expect("a place").span.start),
        ("T001", 10)
    );
    let many = format!("component a {{ entry n -> {}n }}", "m, ".repeat(500));
    let many = read_text(many.as_bytes()).expect_err("unknown nodes");
    assert_eq!(many.len(), 101);
    assert_eq!(many[100].message, "400 more problems of this text not shown");
    seen.extend(["T001".to_owned(), many[100].code.to_owned()]);
    // These guard against slips of the reader and of `tern fmt`; no text is known that gives them.
    let untested = CODES.iter().map(|&(code, _)| code).filter(|&code| !seen.contains(code));
    assert_eq!(untested.collect::<Vec<_>>(), ["T090", "T091"]);
}

#[test]
fn hints_and_other_places_are_given() {
    let text = "component a { entry start -> strat; box b: a; start -> b.done; exit done }";
    let list = read_text(text.as_bytes()).expect_err("two problems");
    assert_eq!(list[0].hint.as_deref(), Some("did you mean `start`?"));
    assert_eq!(list[1].hint.as_deref(), Some("write `entry done` there if it may be called"));
    let related: Vec<_> = list[1].related.iter().map(|label| &text[label.span.range()]).collect();
    assert_eq!(related, ["b", "done"]);
}

/// A random machine: components with nodes, exits and boxes in any order and of any use.
fn random_machine(rng: &mut fastrand::Rng) -> Machine {
    const NAMES: &[&str] =
        &["a", "n1", "exit", "", "a.b", "x y", "é", "\"", "1", "G", "a\nb", "$@_", "claim", "b:c"];
    let mut b = Builder::new();
    let comps: Vec<_> = (0..1 + rng.usize(..4)).map(|i| b.component(&odd(NAMES, i, rng))).collect();
    let mut nodes = vec![Vec::new(); comps.len()];
    let mut entries = vec![Vec::new(); comps.len()];
    let mut exits = vec![Vec::new(); comps.len()];
    let mut boxes = vec![Vec::new(); comps.len()];
    for _ in 0..rng.usize(..20) {
        let c = rng.usize(..comps.len());
        let name = odd(NAMES, nodes[c].len(), rng);
        let node = b.node(comps[c], &name);
        if rng.u8(..3) == 0 {
            b.entry(node);
            entries[c].push(node);
        }
        nodes[c].push((node, name));
        for _ in 0..rng.usize(..3) {
            let name = NAMES[rng.usize(..NAMES.len())];
            if rng.u8(..5) == 0 { b.unknown_label(node, name) } else { b.label(node, name) }
        }
    }
    for (c, &comp) in comps.iter().enumerate() {
        let mut order: Vec<usize> = (0..nodes[c].len()).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        for i in order {
            let (node, name) = &nodes[c][i];
            match rng.u8(..6) {
                0 | 1 => exits[c].push(b.exit_node(*node)),
                2 => exits[c].push(b.exit(comp, name)),
                3 => exits[c].push(b.exit(comp, &format!("port {i}"))),
                _ => (),
            }
        }
        for i in 0..rng.usize(..4) {
            let callee = rng.usize(..comps.len());
            boxes[c].push((b.call_box(comp, &odd(NAMES, i, rng), comps[callee]), callee));
        }
    }
    for c in 0..comps.len() {
        let mut places: Vec<Place> = nodes[c].iter().map(|&(node, _)| Place::Node(node)).collect();
        for &(call, callee) in &boxes[c] {
            places.extend(exits[callee].iter().map(|&exit| Place::Site(call, exit)));
        }
        for _ in 0..rng.usize(..=2 * places.len()) {
            let from = places[rng.usize(..places.len())];
            let surety = if rng.u8(..5) == 0 { Surety::Possible } else { Surety::Sure };
            match rng.u8(..3) {
                0 if !nodes[c].is_empty() => {
                    let to = nodes[c][rng.usize(..nodes[c].len())].0;
                    b.edge_of(from, Edge::Step(to), surety);
                }
                1 if !boxes[c].is_empty() => {
                    let (call, callee) = boxes[c][rng.usize(..boxes[c].len())];
                    if let Some(&entry) = rng.choice(&entries[callee]) {
                        b.edge_of(from, Edge::Call(call, entry), surety);
                    }
                }
                _ => {
                    if let (Place::Node(_), Some(&exit)) = (from, rng.choice(&exits[c])) {
                        b.edge_of(from, Edge::Return(exit), surety);
                    }
                }
            }
        }
    }
    if nodes.iter().all(Vec::is_empty) {
        b.node(comps[0], "only");
    }
    let count = nodes.iter().map(Vec::len).sum::<usize>().max(1);
    for _ in 0..1 + rng.usize(..3) {
        b.initial(NodeId::new(rng.usize(..count)));
    }
    b.end_rule(if rng.bool() { EndRule::Loop } else { EndRule::Sink });
    b.dead_end_rule(if rng.bool() { DeadEndRule::Loop } else { DeadEndRule::Error });
    b.finish().expect("random machines are sound")
}

/// A name that is unique among those of different `i`.
fn odd(names: &[&str], i: usize, rng: &mut fastrand::Rng) -> String {
    match (i, rng.bool()) {
        (0, true) => names[rng.usize(..names.len())].to_owned(),
        _ => format!("{}-{i}", names[rng.usize(..names.len())]),
    }
}

/// Everything about a machine in names, component by component.
fn described(m: &Machine) -> String {
    let labels = m.labels_by_node();
    let node = |n: NodeId| (m.component_name(m.component_of(n)), m.node_name(n));
    let unknown = m.unknown_by_node();
    let edges = |place: PlaceId| -> Vec<String> {
        let edge = |(edge, surety): (Edge, Surety)| match edge {
            Edge::Step(to) => format!("{surety:?} step {:?}", node(to)),
            Edge::Call(call, entry) => {
                format!("{surety:?} call {:?} {:?}", m.box_name(call), node(entry))
            }
            Edge::Return(exit) => format!("{surety:?} return {:?}", m.exit_name(exit)),
        };
        m.edges_with_surety(place).map(edge).collect()
    };
    let mut text = format!("{:?} {:?}\n", m.end_rule(), m.dead_end_rule());
    text += &format!("{:?}\n", m.initial().iter().map(|&n| node(n)).collect::<Vec<_>>());
    for comp in m.components() {
        text += &format!("component {:?}\n", m.component_name(comp));
        for n in m.nodes_of(comp) {
            let names: BTreeSet<_> = labels.of(n).iter().map(|&l| m.label_name(l)).collect();
            let doubts: BTreeSet<_> = unknown.of(n).iter().map(|&l| m.label_name(l)).collect();
            let edges = edges(m.node_place(n));
            text += &format!("{:?} {} {names:?} {doubts:?} {edges:?}\n", node(n), m.is_entry(n));
        }
        let exits: Vec<_> = m.exits_of(comp).iter().map(|&x| m.exit_name(x)).collect();
        text += &format!("exits {exits:?}\n");
        for &call in m.boxes_of(comp) {
            text += &format!("{:?} {:?}\n", m.box_name(call), m.component_name(m.callee(call)));
            for (exit, site) in m.sites_of(call) {
                text += &format!("{:?} {:?}\n", m.exit_name(exit), edges(site));
            }
        }
    }
    text
}

#[test]
fn machines_are_read_back_as_they_were() {
    let seed = 4_711;
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut exit_lines, mut port_lines) = (0, 0);
    for round in 0..5_000 {
        let machine = random_machine(&mut rng);
        let mut claims = Claims::new();
        for i in 0..rng.usize(..3) {
            let size = 1 + rng.usize(..5);
            let formula = crate::formula::random_formula(&mut claims.formulas, &mut rng, size);
            let name = rng.bool().then(|| odd(&["a b", "claim", "", ":", "x"], i + 1, &mut rng));
            claims.push(tern_model::Claim { name, ..tern_model::Claim::new(formula) });
        }
        let text = write(&machine, &claims);
        let (back, back_claims) = read_text(text.as_bytes())
            .unwrap_or_else(|p| panic!("seed {seed}, round {round}\n{text}\n{p:#?}"));
        assert_eq!(described(&back), described(&machine), "seed {seed}, round {round}\n{text}");
        assert_eq!(write(&back, &back_claims), text, "seed {seed}, round {round}");
        assert_eq!(crate::claims::write(&back_claims), crate::claims::write(&claims));
        exit_lines += text.matches("  exit ").count();
        port_lines += text.matches("  port ").count();
    }
    assert!(exit_lines > 1_000 && port_lines > 1_000, "{exit_lines} {port_lines}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    for text in [EXAMPLE, CANONICAL] {
        for end in 0..=text.len() {
            let _ = read_text(&text.as_bytes()[..end]);
        }
    }
    let mut rng = fastrand::Rng::with_seed(99);
    let pieces: Vec<&str> = EXAMPLE.split_inclusive([' ', '{', '}', ';', ',', '.', '\n']).collect();
    for _ in 0..5_000 {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        for _ in 0..1 + rng.usize(..5) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..4) {
                0 => bytes[at] = rng.u8(..),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{};,.:\"->#/*"[rng.usize(..12)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Ok((machine, claims)) = read_text(&bytes) {
            let text = write(&machine, &claims);
            assert!(read_text(text.as_bytes()).is_ok(), "{text}");
        }
        let mut soup = String::new();
        for _ in 0..rng.usize(..40) {
            soup.push_str(pieces[rng.usize(..pieces.len())]);
        }
        let _ = read_text(soup.as_bytes());
    }
}

#[test]
fn many_nodes_are_read() {
    let mut text = String::from("component main {\n  initial entry n0 -> n1;\n");
    let count = tern_testkit::large(200_000);
    for i in 1..count {
        text += &format!("  node n{i} {{p{}, even}} -> n{}, n{};\n", i % 100, i - 1, i / 2);
    }
    text += "}\n";
    let (machine, claims) = read_text(text.as_bytes()).expect("sound");
    assert_eq!(machine.node_count(), count);
    assert_eq!(machine.edge_count(), 2 * count - 1);
    assert_eq!(write(&machine, &claims).len(), text.len());
}

#[test]
fn reading_stops_when_the_time_is_up() {
    let budget = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
    let refusal = read(&Source::new("t", EXAMPLE), &budget).expect_err("no time");
    assert!(matches!(refusal, Refusal::Limit(_)));
}
