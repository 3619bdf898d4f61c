//! Texts of claims, and what is read from them.

use super::*;

/// The claims of a text as they are written, or its problems.
fn check(text: &[u8]) -> String {
    let mut claims = Claims::new();
    match read(&Source::new("test.claims", text), &mut claims) {
        Ok(()) => write(&claims),
        Err(problems) => {
            assert!(claims.list().is_empty());
            let line = |problem: &Problem| {
                let at = problem.at.as_ref().expect("a place").span;
                format!("{} {}..{} {}\n", problem.code, at.start, at.end, problem.message)
            };
            problems.iter().map(line).collect()
        }
    }
}

#[test]
fn claims_are_one_a_line() {
    let text = "\u{feff}# comment # with two\r\n\r\nsafe: AG (red -> EF black)  # why\r\n\
        -- NuSMV\n  // C\n/* several\nlines */\n\"no starvation\" : G (asked ->\n\n   F served)\n\
        SPEC p &\n  q\nE [a U b]; EF c;\n\"a # b\" U c0$$lock:PC10\nlast:\tp -- said\nwide:\n p";
    let expected = "safe: AG (red -> EF black)\n\"no starvation\": G (asked -> F served)\n\
        p & q\nE [a U b]\nEF c\n\"a # b\" U c0$$lock:PC10\nlast: p\nwide: p\n";
    assert_eq!(check(text.as_bytes()), expected);
    assert_eq!(check(expected.as_bytes()), expected);
    assert_eq!(check(b""), "");
    assert_eq!(check(b"# nothing\n"), "");
}

#[test]
fn fairness_conditions_stand_among_claims() {
    let text = "AF p\nFAIRNESS p & q;\nJUSTICE (EX p)\nFAIRNESS -> p\nFAIRNESS: q\nFAIRNESS U p\n";
    let expected =
        "FAIRNESS p & q\nFAIRNESS EX p\nAF p\nFAIRNESS -> p\nFAIRNESS: q\nFAIRNESS U p\n";
    assert_eq!(check(text.as_bytes()), expected);
    assert_eq!(check(expected.as_bytes()), expected);
    assert_eq!(
        check(b"FAIRNESS G p"),
        "C003 9..12 a fairness condition must speak of a state, not of a path\n"
    );
    assert_eq!(check(b"FAIRNESS(p)\nJUSTICE\tp"), "FAIRNESS p\nFAIRNESS p\n");
    let alone = "(FAIRNESS)\n(COMPASSION)\nCOMPASSION & p\nCOMPASSION: p\n";
    assert_eq!(check(alone.as_bytes()), alone);
    assert_eq!(
        check(b"p\nFAIRNESS  # later\nJUSTICE;\nFAIRNESS\n p\nCOMPASSION\nCOMPASSION p"),
        "C004 2..10 there is no condition behind `FAIRNESS`\n\
         C004 20..27 there is no condition behind `JUSTICE`\n\
         C004 29..37 there is no condition behind `FAIRNESS`\n\
         C004 41..51 there is no condition behind `COMPASSION`\n\
         C005 63..64 a strong fairness condition has two parts\n"
    );
}

#[test]
fn strong_fairness_is_a_pair() {
    let text = "COMPASSION (p, q)\nAF p\n";
    for spelt in ["(p, q)", "p, q", "p,\n q", "((p), (q))", "(p), (q);", "(p,\nq) # why"] {
        assert_eq!(check(format!("COMPASSION {spelt}\nAF p").as_bytes()), text, "{spelt}");
    }
    assert_eq!(check(b"COMPASSION(p,q)\nAF p"), text);
    let text = "COMPASSION (p & q | r, EX f(a, b))\nCOMPASSION (\"a, b\", {c, d})\n";
    assert_eq!(check(text.as_bytes()), text.replace("{c, d}", "\"c, d\""));
    let two = "a strong fairness condition has two parts\n";
    for (text, expected) in [
        ("COMPASSION (p, q, r)", format!("C005 11..20 {two}")),
        ("COMPASSION (p & q)\nEF p", format!("C005 11..18 {two}")),
        ("COMPASSION ((p, q) & r)", format!("C005 11..23 {two}")),
        ("COMPASSION (p, )", "F008 16..16 there is no formula here\n".to_owned()),
        ("COMPASSION , p", "F001 11..12 unexpected `,`\n".to_owned()),
        (
            "COMPASSION G p, X q",
            "C003 11..14 a fairness condition must speak of a state, not of a path\n\
             C003 16..19 a fairness condition must speak of a state, not of a path\n"
                .to_owned(),
        ),
    ] {
        assert_eq!(check(text.as_bytes()), expected, "{text}");
    }
    let mut claims = Claims::new();
    read_compassion(&mut claims.formulas, "p, q").expect("sound");
    let problems = read_compassion(&mut claims.formulas, "p").expect_err("half of it");
    assert_eq!(problems[0].code, "C005");
    let problems = read_one(&mut claims, "COMPASSION (p, q)").expect_err("no claim");
    assert!(problems[0].hint.as_ref().is_some_and(|hint| hint.contains("--compassion")));
}

#[test]
fn all_problems_of_a_file_are_told() {
    assert_eq!(
        check(b"a: q r\nAG (p\nEF %\nok: p\nok: AG p\n"),
        "F005 5..6 there is no operator between `q` and `r`\n\
         F002 10..11 `(` is never closed\n\
         F001 16..17 unexpected `%`\n\
         C002 24..26 there are two claims `ok`\n"
    );
    assert_eq!(
        check(b"two words: AG p\n in  three words :\tq r\nforall x: p\n"),
        "C007 0..9 a name of several words needs quotes\n\
         C007 17..32 a name of several words needs quotes\n\
         F005 37..38 there is no operator between `q` and `r`\n\
         F005 46..47 there is no operator between `forall` and `x`\n\
         F001 47..48 unexpected `:`\n"
    );
    assert_eq!(check(b"p\n\xff"), "C001 2..3 the text is not UTF-8\n");
    assert_eq!(check(b"name: ;\np"), "F008 6..7 there is no formula here\n");
}

#[test]
fn a_file_that_is_wrong_all_over_is_read_in_linear_time() {
    let text = "AG (p\n".repeat(tern_testkit::large(300_000));
    let mut claims = Claims::new();
    let problems = read(&Source::new("t", text), &mut claims).expect_err("unclosed");
    assert_eq!(problems.len(), 100);
}

#[test]
fn one_claim_is_read_from_the_command_line() {
    let mut claims = Claims::new();
    read_one(&mut claims, "safe: AG (p ->\n EF q)").expect("sound");
    read_one(&mut claims, "EF p;").expect("sound");
    assert_eq!(write(&claims), "safe: AG (p -> EF q)\nEF p\n");
    assert_eq!(claims.list()[0].span.range(), 6..21);
    let problems = read_one(&mut claims, "safe: p; q").expect_err("two problems");
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["C002", "F013"]);
    assert_eq!(claims.list().len(), 2);
}

#[test]
fn odd_names_are_read_back() {
    let mut claims = Claims::new();
    let p = claims.formulas.atom("x");
    for name in ["", "a b", "G", "claim", "a:b", "a:", "q\"uote", "\n", "#"] {
        let span = Span { start: 0, end: 0 };
        let name = Some(name.to_owned());
        claims.push(Claim { name, span, ..Claim::new(p) });
    }
    let text = write(&claims);
    let mut back = Claims::new();
    read(&Source::new("t", text), &mut back).expect("what is written can be read");
    let names = |claims: &Claims| -> Vec<_> {
        claims.list().iter().map(|claim| claim.name.clone()).collect()
    };
    assert_eq!(names(&back), names(&claims));
}
