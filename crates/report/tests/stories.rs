//! Stories as text, and machines as graphs.

use tern_model::{
    AnnotatedRun, BoxId, Builder, Edge, Ending, Formula, FormulaId, Formulas, Machine, Mark, Move,
    MoveKind, NodeId, Outcome, Place, Property, Reason, Run, Story, Verdict,
};
use tern_record::trace::Trace;
use tern_report::dot;
use tern_report::story::{self, Length};
use tern_report::used::Used;

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

/// An outcome that is told by so many calls.
fn pumping(machine: &(Machine, NodeId, BoxId), of: FormulaId, count: usize) -> Outcome {
    let (_, node, again) = *machine;
    let moves = vec![Move { kind: MoveKind::Call(again), node }; count];
    let run = Run { moves, ending: Ending::Pump(count - 1, vec![again]) };
    let story = Story { of: of.into(), holds: true, reason: Reason::Run(run.into()) };
    Outcome { stories: vec![(node, story)], ..Outcome::from(Verdict::Holds) }
}

/// `EG p`.
fn claim() -> (Formulas, FormulaId) {
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let path = formulas.make(Formula::Globally(p));
    let claim = formulas.make(Formula::Exists(path));
    (formulas, claim)
}

fn shown(machine: &Machine, formulas: &Formulas, of: FormulaId, outcome: &Outcome) -> String {
    let mut text = String::new();
    for (_, trace) in Trace::all(machine, formulas, &Property::Formula(of), outcome) {
        story::write(&mut text, machine, &trace, Length::Folded).expect("a string");
    }
    text
}

fn told(count: usize, length: Length) -> String {
    let machine = machine();
    let (formulas, claim) = claim();
    let outcome = pumping(&machine, claim, count);
    let claim = Property::Formula(claim);
    let traces = Trace::all(&machine.0, &formulas, &claim, &outcome);
    let mut text = String::new();
    story::write(&mut text, &machine.0, &traces[0].1, length).expect("a string");
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
    assert_eq!(told(2, Length::Folded), lines.join("\n") + "\n");
}

#[test]
fn long_runs_are_folded_unless_wanted_in_full() {
    assert_eq!(told(40, Length::Folded), told(40, Length::Full));
    let folded = told(100, Length::Folded);
    assert!(folded.contains("\n     … 65 more …\n"), "{folded}");
    assert_eq!(folded.lines().count(), 1 + 20 + 1 + 15 + 1);
    assert_eq!(told(100, Length::Full).lines().count(), 1 + 100 + 1);
}

/// The outcome with some marks on its run.
fn marked(mut outcome: Outcome, list: &[(usize, FormulaId, bool)]) -> Outcome {
    let Reason::Run(AnnotatedRun { marks, .. }) = &mut outcome.stories[0].1.reason else {
        panic!("a run")
    };
    marks.extend(list.iter().map(|&(at, of, holds)| Mark { at, of, holds }));
    outcome
}

#[test]
fn marks_stand_behind_their_steps_and_are_not_folded() {
    let machine = machine();
    let mut formulas = Formulas::new();
    let (p, q) = (formulas.atom("p"), formulas.atom("q"));
    let (not_p, later) = (formulas.make(Formula::Not(p)), formulas.make(Formula::Finally(q)));
    let either = formulas.make(Formula::Or(not_p, later));
    let claim = formulas.make(Formula::Globally(either));
    let marks =
        [(0, not_p, false), (1, q, false), (50, q, false), (50, later, false), (51, p, true)];
    let outcome = marked(pumping(&machine, claim, 100), &marks);
    let text = shown(&machine.0, &formulas, claim, &outcome);
    let lines: Vec<&str> = text.lines().collect();
    // What the labels say is not said again.
    assert_eq!(lines[1], "  1  f.a \"b\\ {p}  calls f by again");
    assert_eq!(lines[2], "  2    f.a \"b\\ {p}  calls f by again  ← q fails");
    assert_eq!(lines[21], "     … 30 more …");
    let indent = " ".repeat(32);
    let there = format!(
        " 51  {indent}f.a \"b\\ {{p}}  calls f by again  ← q fails, from here on F q fails"
    );
    assert_eq!(lines[22], there);
    assert_eq!(lines[23], "     … 34 more …");
    assert_eq!(lines.len(), 1 + 20 + 1 + 1 + 1 + 15 + 1);
}

#[test]
fn what_is_so_on_all_paths_is_said_as_it_is_written() {
    let (machine, node, _) = machine();
    let mut formulas = Formulas::new();
    let (p, q) = (formulas.atom("p"), formulas.atom("q"));
    let implies = formulas.make(Formula::Implies(p, q));
    let not = formulas.make(Formula::Not(p));
    let (f, g) =
        (formulas.make(Formula::Finally(implies)), formulas.make(Formula::Globally(implies)));
    let (never, until) =
        (formulas.make(Formula::Globally(not)), formulas.make(Formula::Until(p, q)));
    let (next, gf) = (formulas.make(Formula::Next(p)), formulas.make(Formula::Globally(f)));
    let cases = [
        (Formula::Exists(f), "no path leads to p -> q"),
        (Formula::All(f), "all paths lead to p -> q"),
        (Formula::Exists(g), "no path stays in p -> q for ever"),
        (Formula::All(g), "all paths stay in p -> q for ever"),
        (Formula::All(never), "no path leads to p"),
        (Formula::Exists(until), "no path through p leads to q"),
        (Formula::All(until), "all paths have p U q"),
        (Formula::Exists(next), "no next state has p"),
        (Formula::All(next), "all next states have p"),
        (Formula::Exists(gf), "no path has G F (p -> q)"),
        (formulas.get(gf), "all paths have G F (p -> q)"),
    ];
    for (formula, text) in cases {
        let of = formulas.make(formula);
        let holds = !matches!(formula, Formula::Exists(_));
        let story = Story { of: of.into(), holds, reason: Reason::AllPaths };
        let outcome = Outcome { stories: vec![(node, story)], ..Outcome::from(Verdict::Holds) };
        assert_eq!(shown(&machine, &formulas, of, &outcome), format!("{text}\n"));
    }
}

#[test]
fn graphs_quote_names_and_colour_what_a_run_uses() {
    let machine = machine();
    let mut plain = String::new();
    dot::write(&mut plain, &machine.0, &[], &Used::default(), None).expect("a string");
    assert!(plain.contains(r#"[label="a \"b\\", peripheries=2, style=bold];"#), "{plain}");
    assert!(!plain.contains("penwidth"), "{plain}");
    let (formulas, of) = claim();
    let claim = Property::Formula(of);
    let story = Story { of: of.into(), holds: true, reason: Reason::AllPaths };
    let silent = vec![(machine.1, story)];
    let silent = Outcome { stories: silent, ..Outcome::from(Verdict::Holds) };
    let outcome = pumping(&machine, of, 1);
    let traces = [&silent, &outcome]
        .map(|outcome| Trace::all(&machine.0, &formulas, &claim, outcome).remove(0).1);
    let used = Used::by_traces(&machine.0, &traces);
    let mut lit = String::new();
    dot::write(&mut lit, &machine.0, &["p"], &used, None).expect("a string");
    // The node, the box, the call, and the way from the box to the entry; not the way back.
    assert_eq!(lit.matches("penwidth").count(), 4, "{lit}");
    assert!(lit.contains(r#"[label="a \"b\\\np","#), "{lit}");
}
