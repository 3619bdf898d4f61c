//! What is said of texts with mistakes: a code and a few words for each, all at once.

use tern_heap::text::{CODES, Problem, read};

/// Texts behind `type Node { next: Node }` and a grammar, with the problems that are found.
const BROKEN: &[(&str, &[(&str, &str)])] = &[
    ("proc m(x: Node) { x = § }", &[("H101", "`§` means nothing"), ("H102", "is expected")]),
    ("proc m(x: Node) { x = x.next.next }", &[("H102", "the end of the statement is expected")]),
    ("proc m(x: Node, x: Node) { }", &[("H103", "two variables `x`")]),
    ("type Node { other: Node }", &[("H103", "two types `Node`")]),
    ("proc m(x: Nod) { }", &[("H201", "no type `Nod`")]),
    ("proc m(x: Node) { x = x.nxt }", &[("H201", "no field `nxt`")]),
    ("shape S(x: Node) = SLL(x, y), z.next = x", &[("H202", "the type of `z`")]),
    ("shape S(x: Node) = LL(x, null)", &[("H203", "no grammar `LL`")]),
    ("grammar Heap = Node(next)", &[("H203", "is built in; there are SLL, CSLL")]),
    ("grammar CSLL = Node(nxt)", &[("H201", "no field `nxt`")]),
    ("grammar DLL = Node(next)", &[("H203", "takes 2 fields, but 1 is given")]),
    ("proc m(i: int) { i = 99999999999999999999 i = 1 }", &[("H101", "too large")]),
    ("shape S(x: Node) = SLL(x)", &[("H204", "has 2 tentacles, not 1")]),
    ("shape S(x: Node) = x.next = x, x.next = null", &[("H205", "given twice")]),
    ("shape S(x: Node) = SLL(null, x)", &[("H206", "must not be null")]),
    ("grammar L(a: Node, b: Node?) = a.next = n, L(n, b)", &[("H207", "no heap can be derived")]),
    ("shape S(x: Node) = x.next = y", &[("H207", "missing or given twice")]),
    ("proc m(x: Node) { y = x }", &[("H301", "no variable `y`")]),
    ("proc m(x: Node) { n(x) }", &[("H302", "no procedure `n`")]),
    ("proc m(x: Node) { m() }", &[("H302", "takes 1 arguments, not 0")]),
    ("proc m(x: Node): Node { }", &[("H303", "may end without")]),
    ("proc m(x: Node) { return x }", &[("H303", "has no result")]),
    ("proc m(x: Node, i: int) { x = i }", &[("H304", "type `Node`")]),
    ("proc m(x: Node) { } given m()", &[("H401", "what the parameter `x` is")]),
    ("proc m(x: Node) { } given m(x: SL)", &[("H401", "no shape `SL`")]),
    ("proc m(x: Node) { }", &[("H402", "which procedure to check")]),
    ("claim F terminated", &[("H402", "what the claim is about")]),
    (
        "proc m(x: Node) { y = x } proc n(x: Node) { x = x.nxt }",
        &[("H301", "`y`"), ("H201", "`nxt`")],
    ),
];

#[test]
fn mistakes_are_told_with_their_codes() {
    for (text, expected) in BROKEN {
        let whole = format!("type Node {{ next: Node }}\ngrammar SLL = Node(next)\n{text}\n");
        let problems = read(&whole, "t.heap").expect_err(text);
        let found: Vec<(&str, &str)> =
            problems.iter().map(|it| (it.code, it.message.as_str())).collect();
        let fits = found.len() == expected.len()
            && expected.iter().zip(&found).all(|(a, b)| a.0 == b.0 && b.1.contains(a.1));
        assert!(fits, "{text}: {found:?}");
        assert!(problems.iter().all(|it| it.span.range().end <= whole.len()));
        let advises_the_same = |it: &Problem| {
            it.hint.as_ref().is_some_and(|hint| {
                let named = hint.strip_prefix("did you mean ").unwrap_or("?").trim_end_matches('?');
                !named.is_empty() && it.message.starts_with(named)
            })
        };
        assert!(!problems.iter().any(advises_the_same), "{text}: it is there");
    }
}

#[test]
fn every_code_is_in_the_table() {
    let known = |code: &str| CODES.iter().any(|(it, _)| *it == code);
    assert!(BROKEN.iter().flat_map(|(_, it)| *it).all(|(code, _)| known(code)));
    // H305 is for programs from elsewhere, H403 for claims, H5 and H6 for Java and settings of
    // Attestor, which are read by others.
    let of_others = |code: &str| {
        ["H305", "H403"].contains(&code) || code.starts_with("H5") || code.starts_with("H6")
    };
    for (code, _) in CODES.iter().filter(|(code, _)| !of_others(code)) {
        assert!(BROKEN.iter().any(|(_, it)| it.iter().any(|(it, _)| it == code)), "{code}");
    }
}
