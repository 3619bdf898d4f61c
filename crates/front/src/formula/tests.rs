//! Each spelling, each problem, and what holds of all formulas.

use super::*;
use crate::claims;
use crate::source::Source;
use std::collections::BTreeSet;
use tern_model::{Budget, Claims, Formula};

fn shown(text: &str) -> String {
    let mut formulas = Formulas::new();
    match read(&mut formulas, text, 0) {
        Ok(parsed) => formulas.show(parsed.root).to_string(),
        Err(problems) => format!("{problems:#?}"),
    }
}

/// Each problem as `code start..end message`.
fn problems(text: &str) -> Vec<String> {
    let list = read(&mut Formulas::new(), text, 0).expect_err(text);
    let line = |problem: &Problem| {
        let at = problem.at.as_ref().expect("a place").span;
        format!("{} {}..{} {}", problem.code, at.start, at.end, problem.message)
    };
    list.iter().map(line).collect()
}

#[test]
fn every_spelling_is_read() {
    for (text, expected) in [
        // NuSMV
        ("AG (p -> AF q)", "AG (p -> AF q)"),
        ("E [p U q]", "E [p U q]"),
        ("A[p U q]", "A [p U q]"),
        ("SPEC AG(!p & q | r)", "AG (!p & q | r)"),
        ("CTLSPEC EF p;", "EF p"),
        ("LTLSPEC G F p ;", "G F p"),
        ("SPEC", "SPEC"),
        ("SPEC -> SPEC U p", "SPEC -> (SPEC U p)"),
        ("TRUE <-> FALSE xor p", "true <-> false xor p"),
        ("p V q", "p R q"),
        ("AX AX p -- twice", "AX AX p"),
        // RSMCheck
        ("A G ( a --> E F b )", "AG (a -> EF b)"),
        ("E a U b", "E [a U b]"),
        ("not a and b or ~c", "!a & b | !c"),
        ("a <--> b", "a <-> b"),
        // Spot
        ("[](p -> <>q)", "G (p -> F q)"),
        ("() p", "X p"),
        ("p U ()q", "p U X q"),
        ("a && b || c", "a & b | c"),
        ("a /\\ b \\/ c", "a & b | c"),
        ("a => b <=> c", "a -> b <-> c"),
        ("a ^ b", "a xor b"),
        ("true & 1 | false | 0", "true & true | false | false"),
        ("a W b M c R d", "a W (b M (c R d))"),
        ("\"quoted text\" U \"p\"", "\"quoted text\" U p"),
        ("\"a\\\"b\\\\c\\n\\r\\t\"", "\"a\\\"b\\\\c\\n\\r\\t\""),
        ("GFp0 & GF!p0", "G F p0 & G F !p0"),
        ("Xa", "X a"),
        // PuMoC
        (
            "AG(c0$$lock:PC10 -> A[!c0$$lock:PC10 U c$$unlock:PC20])",
            "AG (c0$$lock:PC10 -> A [!c0$$lock:PC10 U c$$unlock:PC20])",
        ),
        ("E[p W q]", "E [p W q]"),
        ("/* all */ AG /* of\nthem */ p /* here */", "AG p"),
        ("p // note\n & q # note\n", "p & q"),
        // Precedence
        ("a -> b -> c", "a -> b -> c"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a <-> b <-> c", "a <-> b <-> c"),
        ("a <-> (b <-> c)", "a <-> (b <-> c)"),
        ("a | b & c", "a | b & c"),
        ("a xor b | c & d xor e", "a xor b | c & d xor e"),
        ("a & b U c", "a & (b U c)"),
        // In the brackets of a quantifier, as in NuSMV, `U` splits the whole.
        ("E [a | b U c & d]", "E [(a | b) U (c & d)]"),
        ("!a U b", "!a U b"),
        ("X a U b", "X a U b"),
        ("a U b U c", "a U (b U c)"),
        // Quantifiers
        ("E F a U b", "(EF a) U b"),
        ("E X p or q", "EX p | q"),
        ("A G a --> b", "AG a -> b"),
        ("E !a U b", "E [!a U b]"),
        ("E (a) U b", "E [a U b]"),
        ("E (a U b) U c", "(E [a U b]) U c"),
        ("E a U E b U c", "E [a U (E [b U c])]"),
        ("E a U b U c", "E [a U (b U c)]"),
        ("E a U b & c", "E [a U b] & c"),
        ("x U E a U b", "x U (E [a U b])"),
        ("E [p] U q", "(E [p]) U q"),
        ("E p", "E [p]"),
        ("E p & q", "E [p] & q"),
        ("! E a U b", "!E [a U b]"),
        ("E E a U b", "E [E [a U b]]"),
        ("E []p", "EG p"),
        ("E<>p", "EF p"),
        ("A [G F p -> G F q]", "A [G F p -> G F q]"),
        ("AGF p", "AG F p"),
        ("[p & [q | r]]", "p & (q | r)"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

/// Each spelling of an atom, in a formula, in a claim of a `.tern` text, and in fairness
/// conditions.
#[test]
fn atoms_are_spelt_in_several_ways() {
    for (text, name) in [
        ("p", "p"),
        ("\"x > 0\"", "x > 0"),
        ("{x > 0}", "x > 0"),
        ("{ x > 0 }", "x > 0"),
        ("{p}", "p"),
        ("{a{b}c}", "a{b}c"),
        ("at(l)", "at(l)"),
        ("at( \"l\" )", "at(l)"),
        ("\"at(l)\"", "at(l)"),
        ("call(\"*.close\")", "call(\"*.close\")"),
        ("{call(\"*.close\")}", "call(\"*.close\")"),
        ("sent(a,\"b c\")", "sent(a, \"b c\")"),
        ("ended()", "ended()"),
    ] {
        for formula in [format!("AG ({text} -> F {text})"), format!("{text} U !{text}")] {
            let mut formulas = Formulas::new();
            let parsed = read(&mut formulas, &formula, 0).expect(&formula);
            let atoms = formulas.atoms_of(parsed.root);
            let names: Vec<&str> = atoms.iter().map(|&atom| formulas.atom_name(atom)).collect();
            assert_eq!(names, [name], "{formula}");
            let shown = formulas.show(parsed.root).to_string();
            assert_eq!(read(&mut formulas, &shown, 0).expect(&shown).root, parsed.root, "{shown}");
        }
        let model = format!(
            "component c {{ initial n {{\"p\"}} -> n; }}\nclaim a: AG {text};\nclaim {text};\nfair {text};"
        );
        let source = Source::new("m.tern", model.as_str());
        let (_, own) = crate::tern::read(&source, &Budget::unlimited()).expect(&model);
        let mut given = Claims::new();
        let file = format!("FAIRNESS {text}\na: AG {text}\n{text}\n");
        claims::read(&Source::new("c.ctl", file.as_str()), &mut given).expect(&file);
        for claims in [own, given] {
            assert_eq!((claims.list().len(), claims.fair().len()), (2, 1), "{text}");
            let of_claims = claims.formulas_as_written().map(|(_, formula)| formula);
            for formula in of_claims.chain(claims.fair()[0].fairness.formulas()) {
                let atoms = claims.formulas.atoms_of(formula);
                assert_eq!(atoms.len(), 1, "{text}");
                assert_eq!(claims.formulas.atom_name(atoms[0]), name, "{text}");
            }
        }
    }
}

#[test]
fn spellings_of_other_tools_are_read() {
    for (text, expected) in [
        ("□ (p → ◇ q)", "G (p -> F q)"),
        ("¬p ∧ q ∨ r", "!p & q | r"),
        ("∀ □ p ↔ ∃ ◊ ○ q", "AG p <-> EF X q"),
        ("INVARSPEC p | q", "AG (p | q)"),
        ("INVARSPEC", "INVARSPEC"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
    let mut claims = Claims::new();
    let file =
        "CTLSPEC NAME safe := AG p;\nINVARSPEC NAME inv := p -> q\nSPEC EF p\nLTLSPEC NAME l:=G p";
    claims::read(&Source::new("c.ctl", file), &mut claims).expect("sound");
    let read: Vec<(Option<&str>, String)> = claims
        .formulas_as_written()
        .map(|(claim, formula)| (claim.name.as_deref(), claims.formulas.show(formula).to_string()))
        .collect();
    let expected =
        [(Some("safe"), "AG p"), (Some("inv"), "AG (p -> q)"), (None, "EF p"), (Some("l"), "G p")];
    assert_eq!(read, expected.map(|(name, formula)| (name, formula.to_owned())));
}

#[test]
fn operands_in_braces_behind_operators() {
    let syntax = Syntax { comparisons: true };
    for (text, same) in [
        ("AF{exit: true}", "AF exit"),
        ("AU{x > 0}{exit:true}", "A [{x > 0} U exit]"),
        ("EU {x > 0} {AND{L: y == 1}{true}}", "E [{x > 0} U ((L & {y == 1}) & true)]"),
        ("NOT{EG{OR{x < 3}{AX{y != 0}}}}", "!EG ({x < 3} | AX {y != 0})"),
        ("AG{AF{x == 0}}", "AG AF {x == 0}"),
        ("AG{x == 0} & !AND{a}{b}", "AG {x == 0} & !({a} & {b})"),
        ("NOT{x > 0} | {y > 0}", "!{x > 0} | {y > 0}"),
        ("AND{x > 0}{y > 0} -> EX{EX{z < 1}}", "({x > 0} & {y > 0}) -> EX EX {z < 1}"),
    ] {
        let mut formulas = Formulas::new();
        let mut root = |text: &str| match read_as(&mut formulas, text, 0, syntax) {
            Ok(parsed) => parsed.root,
            Err(problems) => panic!("{text}: {problems:#?}"),
        };
        assert_eq!(root(text), root(same), "{text}");
    }
    // Elsewhere braces enclose propositions, and what is not closed stays a mistake.
    let mut formulas = Formulas::new();
    let elsewhere = read(&mut formulas, "AG{AF{x}}", 0).expect("a proposition").root;
    assert_eq!(formulas.show(elsewhere).to_string(), "AG \"AF{x}\"");
    for text in ["AU{x > 0}", "AND{x > 0}{}", "AU{x}{y", "AF{exit: true"] {
        assert!(read_as(&mut formulas, text, 0, syntax).is_err(), "{text}");
    }
    let deep = format!("{}x > 0{}", "AF{".repeat(5000), "}".repeat(5000));
    let _ = read_as(&mut formulas, &deep, 0, syntax);
}

#[test]
fn comparisons_stand_bare_only_where_there_are_values() {
    let syntax = Syntax { comparisons: true };
    for (text, shown) in [
        ("AG (x=1 -> AF y <= x+1)", "AG (\"x = 1\" -> AF \"y <= x + 1\")"),
        ("x = 1 U !(state != busy)", "\"x = 1\" U !\"state != busy\""),
        ("p & q -> x <-> y <-> x < y", "p & q -> x <-> y <-> \"x < y\""),
        ("G (p => F n - 1 >= 0)", "G (p -> F \"n - 1 >= 0\")"),
    ] {
        let mut formulas = Formulas::new();
        let parsed = read_as(&mut formulas, text, 0, syntax).expect(text);
        assert_eq!(formulas.show(parsed.root).to_string(), shown, "{text}");
    }
    let mut claims = Claims::new();
    claims.comparisons = true;
    claims::read_one(&mut claims, "mutex: AG !(x = 1 & y = 1)").expect("values are known");
    assert!(claims::read_one(&mut Claims::new(), "AG x = 1").is_err());
}

#[test]
fn every_problem_is_told_with_its_place() {
    let mut seen = BTreeSet::new();
    for (text, expected) in [
        ("p % q", &["F001 2..3 unexpected `%`"][..]),
        ("state = busy", &["F001 6..7 unexpected `=`"]),
        ("p# note", &["F001 1..2 unexpected `#`"]),
        ("AG (p -> (q", &["F002 9..10 `(` is never closed"]),
        ("E [(p U q]", &["F002 3..4 `(` is never closed"]),
        ("(p]", &["F003 2..3 `(` is closed by `]`"]),
        ("p &", &["F004 2..3 `&` is not followed by an operand"]),
        ("& p", &["F004 0..1 `&` has nothing on its left"]),
        ("p & | q", &["F004 2..3 `&` is followed by `|` instead of an operand"]),
        ("( )", &["F004 0..3 there is nothing in the parentheses"]),
        ("p & ()", &["F004 4..6 `()` is the operator next, and nothing follows it"]),
        ("AG", &["F004 1..2 `G` is not followed by an operand"]),
        ("p q r", &["F005 2..3 there is no operator between `p` and `q`"]),
        ("\"p", &["F006 0..2 the quote is not closed on its line"]),
        ("p /* q", &["F007 2..4 the comment is never closed"]),
        ("", &["F008 0..0 there is no formula here"]),
        (" ;", &["F008 1..2 there is no formula here"]),
        ("G (p -> O q)", &["F009 8..9 `O` is an operator of the past: not supported"]),
        ("X[3] p", &["F009 1..4 operators with bounds are not supported"]),
        ("G (p -> F[2:5] q)", &["F009 9..14 operators with bounds are not supported"]),
        ("p S q", &["F009 2..3 `S` is an operator of the past: not supported"]),
        ("p &&##", &["F010 4..6 there is no regular expression between `#` and `#`"]),
        ("p && # #", &["F010 5..8 there is no regular expression between `#` and `#`"]),
        ("\"a\\q\"", &["F011 2..3 a backslash before a character that needs none"]),
        ("{ }", &["F015 0..3 nothing stands between the braces"]),
        ("p & {x > 0", &["F016 4..10 the brace is not closed on its line"]),
        ("p }", &["F001 2..3 unexpected `}`"]),
        ("p) & q", &["F012 1..2 `)` closes nothing"]),
        ("AU(p, q)", &["F017 0..8 `AU` is written before its operands"]),
        ("stack(f+)", &["F018 0..9 what `stack` asks for needs quotes"]),
        ("p; q", &["F013 3..4 there is more text behind the end of the formula"]),
        (
            "(p & ) | q % r",
            &[
                "F004 3..4 `&` is followed by `)` instead of an operand",
                "F001 11..12 unexpected `%`",
            ],
        ),
    ] {
        assert_eq!(problems(text), expected, "{text}");
        seen.extend(expected.iter().map(|line| &line[..4]));
    }
    // F014 needs 4 GiB; F099 is tested below.
    let untested = CODES.iter().filter(|(code, _)| !seen.contains(code)).count();
    assert_eq!(untested, 2);
    let many = problems_of(&"% p ".repeat(500));
    assert_eq!(many.len(), 101);
    assert_eq!(many[100].code, "F099");
}

fn problems_of(text: &str) -> Vec<Problem> {
    read(&mut Formulas::new(), text, 0).expect_err("problems")
}

#[test]
fn two_operands_in_a_row_get_a_hint() {
    for (text, hint) in [
        ("safe:AG p", "a name needs white space behind the colon: `safe: AG …`"),
        ("Gpq r", "`Gpq` is one word, and so a proposition; `G pq` has an operator"),
        ("ag p", "operators are written in capitals: `AG`"),
        ("ag(p)", "operators are written in capitals: `AG`"),
        ("p u q", "operators are written in capitals: `U`"),
        ("call(x & y)", "a proposition with parentheses needs quotes: `\"call(…)\"`"),
        (
            "Always p",
            "`Always` is written `G`, and `AG` for all paths; in quotes it is a proposition",
        ),
        (
            "always(p)",
            "`always` is written `G`, and `AG` for all paths; in quotes it is a proposition",
        ),
        ("p implies q", "`implies` is written `->`; in quotes it is a proposition"),
        ("NOT p", "`NOT` is written `!`, or `not` in small letters; in quotes it is a proposition"),
        (
            "p AND q",
            "`AND` is written `&`, or `and` in small letters; in quotes it is a proposition",
        ),
        ("AGEF p", "`AGEF` is one word, and so a proposition; write `AG EF`"),
        ("in use", "if both belong to one name, put it in quotes: `\"in use\"`"),
    ] {
        assert_eq!(problems_of(text)[0].hint.as_deref(), Some(hint), "{text}");
    }
}

#[test]
fn places_are_those_of_the_occurrences() {
    let mut formulas = Formulas::new();
    let text = "AG ((p) -> Fp)";
    let parsed = read(&mut formulas, text, 100).expect(text);
    let parts: Vec<(String, &str)> = parsed
        .spans
        .iter()
        .map(|&(id, span)| {
            let range = span.range();
            (formulas.show(id).to_string(), &text[range.start - 100..range.end - 100])
        })
        .collect();
    let expected = [
        ("p", "p"),
        ("p", "p"),
        ("F p", "Fp"),
        ("p -> F p", "(p) -> Fp"),
        ("G (p -> F p)", "G ((p) -> Fp)"),
        ("AG (p -> F p)", "AG ((p) -> Fp)"),
    ];
    let expected = expected.map(|(formula, text)| (formula.to_owned(), text));
    assert_eq!(parts, expected);
    assert_eq!(parsed.span, Span { start: 100, end: 114 });
    let inner = read(&mut formulas, "(p)", 0).expect("sound");
    assert_eq!((inner.span.range(), inner.spans[0].1.range()), (0..3, 1..2));
}

/// A random formula over odd names; `size` is about how many operators it has.
pub(crate) fn random_formula(
    formulas: &mut Formulas,
    rng: &mut fastrand::Rng,
    size: usize,
) -> FormulaId {
    const NAMES: &[&str] = &[
        "p",
        "q",
        "G",
        "a b",
        "true",
        "x\"y",
        "",
        "größe",
        "SPEC",
        "Fp",
        "S",
        "O",
        "c0$$l:PC1",
        "#",
        "a\\n",
        "\n",
        "claim",
        "1",
        "2",
        "a.b",
        "é",
        "☃",
        "--",
        "/*",
        "EBF",
        "a:",
        "{",
        ";",
    ];
    let mut pool: Vec<FormulaId> = Vec::new();
    for _ in 0..size.max(1) {
        let name = NAMES[rng.usize(..NAMES.len())];
        let leaf = match rng.u8(..12) {
            0 => formulas.make(Formula::True),
            1 => formulas.make(Formula::False),
            _ => formulas.atom(name),
        };
        pool.push(leaf);
    }
    while pool.len() > 1 || rng.u8(..4) > 0 {
        let f = pool.swap_remove(rng.usize(..pool.len()));
        let unary = [
            Formula::Not,
            Formula::Exists,
            Formula::All,
            Formula::Next,
            Formula::Finally,
            Formula::Globally,
        ];
        if pool.is_empty() || rng.bool() {
            pool.push(formulas.make(unary[rng.usize(..unary.len())](f)));
            continue;
        }
        let g = pool.swap_remove(rng.usize(..pool.len()));
        let binary = [
            Formula::And,
            Formula::Or,
            Formula::Implies,
            Formula::Iff,
            Formula::Xor,
            Formula::Until,
            Formula::Release,
            Formula::WeakUntil,
            Formula::StrongRelease,
        ];
        pool.push(formulas.make(binary[rng.usize(..binary.len())](f, g)));
    }
    pool[0]
}

#[test]
fn printing_and_reading_back_is_the_identity() {
    let seed = 20_260_801;
    println_seed(seed);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut formulas = Formulas::new();
    for round in 0..20_000 {
        let size = 1 + rng.usize(..12);
        let formula = random_formula(&mut formulas, &mut rng, size);
        let text = formulas.show(formula).to_string();
        let parsed = read(&mut formulas, &text, 0)
            .unwrap_or_else(|problems| panic!("seed {seed}, round {round}: {text}\n{problems:#?}"));
        let back = formulas.show(parsed.root).to_string();
        assert_eq!(parsed.root, formula, "seed {seed}, round {round}: {text}\nread as {back}");
        let last = parsed.spans.last().expect("at least the root");
        assert_eq!(last.0, formula, "the root comes last: {text}");
    }
}

#[allow(clippy::print_stdout)] // shown by the test harness when the test fails
fn println_seed(seed: u64) {
    println!("seed {seed}");
}

#[test]
fn deep_formulas_are_read() {
    let depth = tern_testkit::large(200_000);
    let parens = format!("{}p{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(shown(&parens), "p");
    let mut formulas = Formulas::new();
    for (before, after) in [("!", ""), ("E[", "]"), ("p U (", ")"), ("E p U ", ""), ("AX ", "")] {
        let text = format!("{}p{}", before.repeat(depth), after.repeat(depth));
        let parsed = read(&mut formulas, &text, 0).expect(before);
        assert!(parsed.spans.len() > depth);
    }
    let left = format!("p{}", " & p".repeat(depth));
    assert!(read(&mut formulas, &left, 0).is_ok());
    let open = "(".repeat(depth);
    assert_eq!(problems_of(&open).len(), 1);
    assert_eq!(problems_of(&format!("{open}p")).len(), 1);
}

#[test]
fn the_patterns_of_the_literature_are_read() {
    let Some(folder) = tern_testkit::data("ltl") else { return };
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut count = 0;
    for file in files.map(|file| file.expect("readable folder").path()) {
        if file.extension().is_some_and(|extension| extension == "ltl") {
            let bytes = std::fs::read(&file).expect("readable file");
            let lines =
                String::from_utf8_lossy(&bytes).lines().filter(|l| !l.trim().is_empty()).count();
            let mut claims = Claims::new();
            claims::read(&Source::new("patterns", bytes), &mut claims)
                .unwrap_or_else(|problems| panic!("{}: {problems:#?}", file.display()));
            assert_eq!(claims.list().len(), lines, "{}", file.display());
            count += lines;
        }
    }
    assert_eq!(count, 169);
    for file in ["c", "java", "quick_start", "bp"] {
        let Some(path) = tern_testkit::data(&format!("pumoc/{file}.ctl")) else { continue };
        let source = Source::new(file, std::fs::read(path).expect("readable file"));
        let codes: Vec<_> = match claims::read(&source, &mut Claims::new()) {
            Ok(()) => Vec::new(),
            Err(problems) => problems.iter().map(|problem| problem.code).collect(),
        };
        assert!(codes.is_empty(), "{file}: {codes:?}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let seed = 7;
    let mut rng = fastrand::Rng::with_seed(seed);
    let pieces = [
        "p", "G", "AG", "E", "A", "U", "W", "(", ")", "[", "]", "[]", "()", "<>", "&", "|", "->",
        "!", "\"", "\\", "#", "/*", "*/", "//", "--", "-->", ";", "\n", " ", "=", "é", "☃", "S",
        "O", "SPEC", ":", ".", "\0", "xor", "{", "}", "\u{a0}",
    ];
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..rng.usize(..20) {
            text.push_str(pieces[rng.usize(..pieces.len())]);
        }
        let mut formulas = Formulas::new();
        if let Ok(parsed) = read(&mut formulas, &text, 0) {
            let printed = formulas.show(parsed.root).to_string();
            let again = read(&mut formulas, &printed, 0).expect("what is printed can be read");
            assert_eq!(again.root, parsed.root, "{text}");
        }
        let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| rng.u8(..)).collect();
        let _ = read(&mut formulas, &String::from_utf8_lossy(&bytes), 0);
    }
}

#[test]
fn the_manual_says_what_is_read() {
    let manual = include_str!("../../../../docs/formulas.md");
    let example = manual.split("```").find_map(|block| block.strip_prefix("text\n"));
    let mut claims = Claims::new();
    let source = Source::new("manual", example.expect("an example of claims"));
    claims::read(&source, &mut claims).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(claims.list().len(), 4);

    // Each row of the tables: all formulas in the first two columns are the same.
    let (mut rows, mut formulas) = (0, Formulas::new());
    for line in manual.lines().filter(|line| line.starts_with("| `")) {
        let line = line.replace("\\|", "\u{0}");
        let cells: Vec<&str> = line.split('|').skip(1).take(2).collect();
        let texts: Vec<String> = cells
            .iter()
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(|text| text.replace('\u{0}', "|"))
            .collect();
        // The table of precedence has bare operators.
        if texts.iter().all(|text| read(&mut formulas, text, 0).is_err()) {
            continue;
        }
        let mut root = |text: &str| read(&mut formulas, text, 0).expect(text).root;
        let first = root(&texts[0]);
        assert!(texts.iter().all(|text| root(text) == first), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 32);
}
