//! Rewriting of formulas, on formulas in a few characters.

use tern_model::Formulas;
use tern_model::logic::rewrite::distribute;
use tern_testkit::sketch;

#[test]
fn quantifiers_go_in() {
    for (before, after) in [
        ("E | X p & q F G p", "EX p | q & EF G p"),
        ("A & F p & G q X p", "AF p & AG q & AX p"),
        ("A -> q F G p", "!q | AF G p"),
        ("A -> F p G q", "A [!F p | G q]"),
        ("E & F p & q G p", "q & E [F p & G p]"),
        ("E q", "q"),
        ("A F E | G p X q", "AF (EG p | EX q)"),
    ] {
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, before);
        let found = distribute(&mut formulas, claim);
        assert_eq!(formulas.show(found).to_string(), after, "{before}");
    }
}
