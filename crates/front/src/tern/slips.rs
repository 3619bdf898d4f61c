//! Words that other languages have where `.tern` has its own, and what to say of them.

use tern_model::logic::words;

/// A word that stands where a keyword of `.tern` should, and that keyword.
type Synonym = (&'static [&'static str], &'static str);

/// Outside components.
const OUTSIDE: &[Synonym] = &[
    (
        &[
            "procedure",
            "proc",
            "function",
            "func",
            "fn",
            "def",
            "method",
            "process",
            "proctype",
            "module",
            "automaton",
            "machine",
            "thread",
        ],
        "component",
    ),
    (&["property", "spec", "assert", "assertion", "formula", "ctlspec", "ltlspec"], "claim"),
    (&["fairness", "justice"], "fair"),
    (&["compassion"], "compassion"),
];

/// Inside components.
const INSIDE: &[Synonym] = &[
    (&["state", "location", "vertex", "place"], "node"),
    (&["start", "init", "begin"], "initial"),
    (&["final", "accepting", "terminal"], "exit"),
];

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// Outside components.
    Outside,
    /// Inside a component.
    Inside,
}

/// The keyword for what a word means elsewhere, whatever its capitals.
pub(super) fn keyword_for(word: &str, place: Where) -> Option<&'static str> {
    let small = word.to_lowercase();
    let table = if place == Where::Outside { OUTSIDE } else { INSIDE };
    let found = table.iter().find(|(others, _)| others.contains(&small.as_str()));
    found.map(|&(_, keyword)| keyword)
}

/// What to do about something unexpected: `found`, where `what` was expected.
pub(super) fn way_out(what: &str, found: &str) -> Option<String> {
    let hint = match found {
        "," if what.contains("`->`") => "one node a statement: `node a; node b;`".to_owned(),
        ";" if what.contains("an exit of this component") => {
            "`return` names the exit: `return ok`, with `exit ok;` or `port ok;`".to_owned()
        }
        "call" | "goto" | "if" | "while" => format!(
            "`.tern` has nodes and edges, no `{found}`; a call goes through a box: `box b: f;`, `n -> b.entry;`"
        ),
        "->" | ";" if what == "`,` or `}`" => "close the labels by `}`".to_owned(),
        _ if what == "`,` or `}`" => "labels have commas between them: `{p, q}`".to_owned(),
        _ if what.starts_with("`component`") => {
            "a model is made of components: `component main { initial n {p} -> n; }`".to_owned()
        }
        _ => return None,
    };
    Some(hint)
}

/// What to say of signs that mean nothing here, by what stands before them on the line.
pub(super) fn about_signs(signs: &str, before: &str) -> &'static str {
    let first_word = &before[..words::word_length(before)];
    match (signs.chars().next(), first_word) {
        (Some('('), "component") => "components have no parameters: `component main { … }`",
        (Some('('), "box") => "calls have no arguments: `box b: f;`",
        (Some('('), _) if before.contains("->") => {
            "a call goes through a box: `box b: f;`, and `-> b.entry` calls it"
        }
        (Some('[' | '('), _) => "labels stand in braces: `{p, q}`",
        (Some('='), "box") => "what a box calls stands behind a colon: `box b: f;`",
        (Some('-' | '=' | '>' | '→'), _) => {
            "an edge is written `->`; a name with this sign needs quotes"
        }
        _ => "a name with this character needs double quotes",
    }
}

#[cfg(test)]
mod tests {
    use crate::{Problem, Source};
    use tern_model::Budget;

    /// Code, message and hint of each problem of a text.
    fn told(text: &str) -> Vec<String> {
        let source = Source::new("m.tern", text);
        let refusal = crate::tern::read(&source, &Budget::unlimited()).expect_err(text);
        let crate::problem::Refusal::Problems(problems) = refusal else { panic!("{text}") };
        let line = |it: &Problem| {
            format!("{} {}: {}", it.code, it.message, it.hint.as_deref().unwrap_or("-"))
        };
        problems.iter().map(line).collect()
    }

    #[test]
    fn each_mistake_is_one_message_with_a_way_out() {
        let inside = |statement: &str| {
            format!("component main {{\n initial a -> b;\n {statement}\n exit b;\n}}\n")
        };
        let top =
            |item: &str| format!("{item}\ncomponent main {{\n initial a -> b;\n exit b;\n}}\n");
        for (text, expected) in [
            (
                "component main() {\n initial entry a -> b;\n node b {p} -> b;\n}\nclaim AF p;\n"
                    .to_owned(),
                "T002 unexpected `()`: components have no parameters: `component main { … }`",
            ),
            (
                "component main(int x) {\n initial a -> a;\n}\n".to_owned(),
                "T002 unexpected `(`: components have no parameters: `component main { … }`",
            ),
            (
                "procedure foo {\n initial entry a -> b;\n exit b;\n}\n".to_owned(),
                "T006 unexpected `procedure`: what others call `procedure` is a `component` here",
            ),
            (
                top("CTLSPEC AF p;"),
                "T006 unexpected `CTLSPEC`: what others call `CTLSPEC` is a `claim` here",
            ),
            (
                top("int main() {\n return 0;\n}"),
                "T006 unexpected `int`: a model is made of components: `component main { initial n {p} -> n; }`",
            ),
            (
                inside("return ok;"),
                "T009 `return` is no statement, but an edge: write `node n -> return ok;` and `port ok;`, or `exit ok;` for a node that returns",
            ),
            (
                inside("state c -> b;"),
                "T006 unexpected `state`: what others call `state` is a `node` here",
            ),
            (inside("node c, d;"), "T006 unexpected `,`: one node a statement: `node a; node b;`"),
            (
                inside("node c -> return;"),
                "T006 unexpected `;`: `return` names the exit: `return ok`, with `exit ok;` or `port ok;`",
            ),
            (
                inside("node c {p q};"),
                "T006 unexpected `q`: labels have commas between them: `{p, q}`",
            ),
            (
                inside("box c = main;"),
                "T002 unexpected `=`: what a box calls stands behind a colon: `box b: f;`",
            ),
            (
                inside("node c -> main(x);"),
                "T002 unexpected `(`: a call goes through a box: `box b: f;`, and `-> b.entry` calls it",
            ),
            (
                inside("box c: main; c -> b;"),
                "T025 component `main` has no node `c`: `c` is a box; say by which exit its call returns: `c.exit -> …`",
            ),
            (
                inside("node c -> main;"),
                "T025 component `main` has no node `main`: `main` is a component; it is called through a box: `box b: main;`, and `b.entry` calls it",
            ),
            (
                inside("node c -> other;") + "component f { node other; }",
                "T025 component `main` has no node `other`: `other` is a node of `f`; edges stay in their component, and calls go through boxes",
            ),
            (
                top("claim : AF done;"),
                "F001 unexpected `:`: the name before it is missing, or it is too much: `safe: AG p`",
            ),
        ] {
            assert_eq!(told(&text), [expected], "{text}");
        }
    }

    #[test]
    fn a_wrong_rule_does_not_hide_an_unknown_component() {
        let text = "end lop;\ncomponent main {\n initial a -> c.x;\n box c: nothere;\n}\n";
        assert_eq!(
            told(text),
            [
                "T011 there is no rule `lop`: did you mean `loop`?",
                "T024 there is no component `nothere`: -",
            ]
        );
    }
}
