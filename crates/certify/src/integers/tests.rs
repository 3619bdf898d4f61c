//! Refutations that are none, and ways that lead nowhere.

use super::linear::{Linear, System, entailed, refuted};
use super::{Question, check};
use crate::refusal::Stopped;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, EdgeId, Flow, Point, Proposition, Row};
use tern_ir::proof::{Branch, Kept, Layer, Progress, Proof, Reason, Start, Walk, Way};
use tern_model::budget::Meter;
use tern_model::logic::ctl::{Term, lower};
use tern_model::{Budget, Formula, Formulas, Id};

/// `factor * x + constant >= 0`
fn row(factor: i128, constant: i128) -> Row {
    Row::at_least_zero(Affine { terms: vec![(Column::variable(0), factor)], constant })
}

fn system(rows: &[Row]) -> System {
    rows.iter().map(|row| Linear::row(row).expect("numbers are small")).collect()
}

fn is_refuted(rows: &[Row], reasons: &[Reason]) -> bool {
    let budget = Budget::unlimited();
    match refuted(&mut system(rows), reasons, &String::new, &mut Meter::new(&budget)) {
        Ok(()) => true,
        Err(Stopped::Refused(_)) => false,
        Err(Stopped::Limit(limit)) => panic!("{limit}"),
    }
}

#[test]
fn sums_must_be_negative_and_of_positive_multiples() {
    // x >= 1 and x <= 0
    let empty = [row(1, -1), row(-1, 0)];
    assert!(is_refuted(&empty, &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    assert!(!is_refuted(&empty, &[Reason::Sum(vec![(0, 1)])]), "x is left");
    assert!(!is_refuted(&empty, &[Reason::Sum(vec![(0, 1), (2, 1)])]), "there is no such row");
    assert!(!is_refuted(&empty, &[]), "a reason is missing");
    let twice = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(!is_refuted(&empty, &[twice(), twice()]), "there is one too many");
    // x >= 0 and x <= 0: the sum is 0. x >= 0 and x >= 1: a difference is negative.
    assert!(!is_refuted(&[row(1, 0), row(-1, 0)], &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    assert!(!is_refuted(&[row(1, 0), row(1, -1)], &[Reason::Sum(vec![(0, -1), (1, 1)])]));
    // Numbers that become too large prove nothing.
    let large = vec![(0, i128::MAX), (1, i128::MAX), (0, i128::MAX)];
    assert!(!is_refuted(&empty, &[Reason::Sum(large)]));
}

#[test]
fn both_sides_of_a_split_need_a_reason() {
    // 1 <= 2x <= 1, as rows that are not divided: x >= 1 and x <= 0 after rounding.
    let halves = [row(2, -1), row(-2, 1)];
    assert!(is_refuted(&halves, &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    // 0 <= x <= 1 has points on both sides of x >= 1.
    let some = [row(1, 0), row(-1, 1)];
    let upper = || Reason::Sum(vec![(1, 1), (2, 1)]);
    assert!(!is_refuted(&some, &[Reason::Split(row(1, -2)), upper()]));
    assert!(!is_refuted(&some, &[Reason::Split(row(1, -2)), upper(), upper()]));
    let empty = [row(1, -1), row(-1, 0)];
    let both = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(is_refuted(&empty, &[Reason::Split(row(1, -2)), both(), both()]));
}

#[test]
fn a_row_follows_if_its_contrary_cannot_be() {
    let budget = Budget::unlimited();
    let follows = |wanted: Row, reasons: &[Reason]| {
        let mut known = system(&[row(1, -1)]);
        let row = Linear::row(&wanted);
        entailed(&mut known, row, reasons, &String::new, &mut Meter::new(&budget)).is_ok()
    };
    let sum = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(follows(row(1, 0), &[sum()]));
    assert!(follows(row(1, -1), &[sum()]));
    assert!(!follows(row(1, -2), &[sum()]));
    assert!(follows(Row::at_least_zero(Affine::constant(0)), &[]));
    assert!(!follows(Row::at_least_zero(Affine::constant(0)), &[sum()]));
    assert!(!follows(Row::at_least_zero(Affine::constant(-1)), &[]));
    // From x >= 0 does not follow 2x >= 1: it is rounded to x >= 1.
    let twice = Affine { terms: vec![(Column::variable(0), 2)], constant: -1 };
    let mut known = system(&[row(1, 0)]);
    let meter = &mut Meter::new(&budget);
    assert!(entailed(&mut known, Linear::sum(&twice), &[sum()], &String::new, meter).is_err());
}

/// A point that is never left, for the facts of the edge that leads away are not true there; and
/// evidence that it is left, by an edge from whose facts all follows.
fn leave_without_values(kind: Auxiliary) -> Result<(), Stopped> {
    let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
    let labels = vec!["exit".to_owned()];
    let here = flow.add_point(Point { total: true, ..Point::default() });
    let there = flow.add_point(Point { total: true, labels, ..Point::default() });
    let mut leave = Edge::plain(here, there);
    leave.auxiliaries.push(kind);
    let outcome = |factor: i128, constant: i128| {
        Row::at_least_zero(Affine { terms: vec![(Column::auxiliary(0), factor)], constant })
    };
    leave.facts = vec![outcome(1, 0), outcome(-1, 1), row(1, -5)];
    leave.guard = vec![outcome(1, -1), outcome(-1, 1)];
    for edge in [Edge::plain(here, here), leave, Edge::plain(there, there)] {
        flow.edges.push(edge);
    }
    let mut start = Edge::plain(here, here);
    start.update.push((0, Affine::constant(0)));
    flow.starts.push(start);
    let mut formulas = Formulas::new();
    let exit = formulas.atom("exit");
    let finally = formulas.make(Formula::Finally(exit));
    let some = formulas.make(Formula::Exists(finally));
    let claim = formulas.make(Formula::Not(some));
    let program = lower(&formulas, claim).expect("it is CTL");
    let clash = || vec![Reason::Sum(vec![(0, 1), (3, 1)])];
    let way = Way::Take {
        edge: EdgeId::new(1),
        choices: Vec::new(),
        guard: vec![clash(), clash()],
        walk: vec![Walk::Dead(clash())],
    };
    let propositions = (program.terms.as_slice().iter())
        .filter_map(|term| if let Term::Atom(atom) = term { Some(*atom) } else { None })
        .map(|atom| (atom, Proposition::Label("exit".to_owned())))
        .collect();
    let layer = |term: &Term| match term {
        Term::Eu(..) => Layer::Until {
            proved: Progress { levels: vec![(0, 1)], groups: Vec::new() },
            ways: vec![(0, way.clone())],
            refuted: Vec::new(),
        },
        _ => Layer::Plain,
    };
    let stays = vec![Reason::Sum(vec![(0, 1), (1, 1)])];
    let proof = Proof {
        layers: program.terms.as_slice().iter().map(layer).collect(),
        claim: program,
        invariants: vec![Some(vec![row(-1, 0)]), Some(Vec::new())],
        begun: vec![Kept::Rows(vec![Vec::new()])],
        kept: vec![
            Some(Kept::Rows(vec![stays])),
            Some(Kept::Rows(Vec::new())),
            Some(Kept::Rows(Vec::new())),
        ],
        trees: vec![vec![Branch::Leaf], vec![Branch::Leaf]],
        starts: Vec::new(),
        steps: Vec::new(),
        live: None,
        start: Some(Start {
            start: 0,
            variables: vec![0],
            auxiliaries: Vec::new(),
            cell: 0,
            reasons: vec![Vec::new()],
        }),
        calls: None,
        descended: false,
        runs: false,
        followed: Vec::new(),
    };
    let question =
        Question { flow: &flow, formulas: &formulas, claim, propositions: &propositions };
    check(question, false, &proof, &Budget::unlimited())
}

#[test]
fn a_way_must_lead_somewhere_and_be_taken_for_sure() {
    let refused = |kind: Auxiliary| leave_without_values(kind).map_err(|it| it.to_string());
    let nowhere = refused(Auxiliary::Unknown).expect_err("it is no evidence");
    assert!(nowhere.contains("leads nowhere"), "{nowhere}");
    let unsure = refused(Auxiliary::Outcome).expect_err("it is no evidence");
    assert!(unsure.contains("nothing says that the edge is taken"), "{unsure}");
}
