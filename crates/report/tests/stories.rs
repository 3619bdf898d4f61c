//! Stories as text, and machines as graphs.

use tern_model::logic::ctl;
use tern_model::{
    BoxId, Builder, Edge, Ending, Formula, Formulas, Machine, Move, MoveKind, NodeId, Outcome,
    Place, Reason, Run, Story, Verdict,
};
use tern_report::{dot, story};

/// A component that calls itself, with names that need care.
fn machine() -> (Machine, NodeId, BoxId) {
    let mut builder = Builder::new();
    let f = builder.component("f");
    let begin = builder.node(f, "a \"b\\");
    let again = builder.call_box(f, "again", f);
    builder.entry(begin);
    builder.label(begin, "p");
    builder.label(begin, "unrelated");
    let exit = builder.exit_node(begin);
    builder.edge(Place::Node(begin), Edge::Call(again, begin));
    builder.edge(Place::Site(again, exit), Edge::Step(begin));
    builder.initial(begin);
    (builder.finish().expect("a machine"), begin, again)
}

/// `EG p` by so many calls.
fn pumping(again: BoxId, node: NodeId, count: usize) -> (Formulas, ctl::Program, Story) {
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let path = formulas.make(Formula::Globally(p));
    let claim = formulas.make(Formula::Exists(path));
    let program = ctl::lower(&formulas, claim).expect("CTL");
    let moves = vec![Move { kind: MoveKind::Call(again), node }; count];
    let run = Run { moves, ending: Ending::Pump(count - 1, vec![again]) };
    let story = Story { of: program.root, holds: true, reason: Reason::Run(run.into()) };
    (formulas, program, story)
}

fn told(count: usize, full: bool) -> String {
    let (machine, node, again) = machine();
    let (formulas, program, told) = pumping(again, node, count);
    let mut text = String::new();
    story::write(&mut text, &machine, &formulas, &program, node, &told, full).expect("a string");
    text
}

#[test]
fn a_run_is_a_line_for_each_configuration_with_calls_indented() {
    let lines = [
        "EG p holds by this run:",
        " 1  f.a \"b\\ {p}  calls f by again",
        " 2    f.a \"b\\ {p}  calls f by again",
        "    … and so on from step 2, deeper for ever: again again again …",
    ];
    assert_eq!(told(2, false), lines.join("\n") + "\n");
}

#[test]
fn long_runs_are_folded_unless_wanted_in_full() {
    assert_eq!(told(40, false), told(40, true));
    let folded = told(100, false);
    assert!(folded.contains("\n     … 65 more …\n"), "{folded}");
    assert_eq!(folded.lines().count(), 1 + 20 + 1 + 15 + 1);
    assert_eq!(told(100, true).lines().count(), 1 + 100 + 1);
}

#[test]
fn graphs_quote_names_and_colour_what_a_run_uses() {
    let (machine, node, again) = machine();
    let mut plain = String::new();
    dot::write(&mut plain, &machine, &[], &[]).expect("a string");
    assert!(plain.contains(r#"[label="a \"b\\", peripheries=2, style=bold];"#), "{plain}");
    assert!(!plain.contains("penwidth"), "{plain}");
    let (_, _, told) = pumping(again, node, 1);
    let mut lit = String::new();
    let silent = Outcome::from(Verdict::Holds);
    let outcome = Outcome { story: Some(told), ..silent.clone() };
    dot::write(&mut lit, &machine, &["p"], &[&silent, &outcome]).expect("a string");
    // The node, the box, the call, and the way from the box to the entry; not the way back.
    assert_eq!(lit.matches("penwidth").count(), 4, "{lit}");
    assert!(lit.contains(r#"[label="a \"b\\\np","#), "{lit}");
}
