//! Levels that do not fall, and ranks that fall in words only.

use super::*;
use tern_ir::proof::{Group, Path};

/// Two points in turn, with a value chosen on each step: at least 1, and at most -1.
fn turns() -> Flow {
    let (mut there, mut back) = (edge(0, 1), edge(1, 0));
    for (edge, row) in [(&mut there, aux(1, -1)), (&mut back, aux(-1, -1))] {
        edge.auxiliaries.push(Auxiliary::Choice);
        edge.guard.push(row);
    }
    program(&["", "", "exit"], &[there, back, edge(2, 2)])
}

/// That a run leaves level 1, by these ranks of its cells.
fn ranked(order: &[(CellNumber, u32)], ranks: &[(CellNumber, Affine)], paths: Vec<Path>) -> Layer {
    let levels: Vec<_> = order.iter().map(|&(cell, _)| (cell, 1)).collect();
    let group = Group { level: 1, order: order.to_vec(), ranks: vec![ranks.to_vec()], paths };
    ending(Progress { levels, groups: vec![group] })
}

#[test]
fn ranks_are_about_variables() {
    let rank = Affine::column(Column::auxiliary(0));
    let falls = |reasons| Path::Falls(0, reasons);
    let paths =
        vec![falls(vec![sum(&[0, 1]), sum(&[0, 1])]), falls(vec![sum(&[0, 1]), Vec::new()])];
    let layer = ranked(&[(0, 0), (1, 0)], &[(0, rank)], paths);
    Forged::new(turns(), ends).with(layer).refused(true, "something that is no variable");
}

/// A loop that counts up to nothing, or down to the end.
fn counter(by: i128) -> Flow {
    let (mut round, mut out) = (edge(0, 0), edge(0, 1));
    let more = Affine { terms: vec![(Column::variable(0), 1)], constant: by };
    round.guard.push(x(1, -1));
    round.update.push((0, more));
    out.guard.push(x(-1, 0));
    program(&["", "exit"], &[round, out, edge(1, 1)])
}

#[test]
fn ranks_fall_and_are_not_negative() {
    let value = || Affine::column(Column::variable(0));
    let with = |flow: Flow, rank: Affine, paths: Vec<Path>| {
        let mut layer = ranked(&[(0, 0)], &[(0, rank)], paths);
        if let Layer::Always { refuted, .. } = &mut layer {
            refuted.levels.push((1, 0));
        }
        Forged::new(flow, ends).with(layer)
    };
    // Rows: the guard, then what is to be false.
    let good = || vec![Path::Falls(0, vec![Vec::new(), sum(&[0, 1])])];
    with(counter(-1), value(), good()).accepted(true);
    with(counter(1), value(), good()).refused(true, "level 1");
    with(counter(0), value(), good()).refused(true, "level 1");
    // It falls, but nothing says that it ends.
    let down = value().times(-1).expect("small");
    with(counter(1), down, good()).refused(true, "level 1");
    with(counter(1), value(), Vec::new()).refused(true, "a path is missing");
    let on = || vec![Path::On];
    with(counter(1), value(), on()).refused(true, "a path ends just where a cut is");
    let dead = vec![Path::Dead(sum(&[0]))];
    with(counter(1), value(), dead).refused(true, "level 1");
    let number = |number| vec![Path::Falls(number, vec![Vec::new(), sum(&[0, 1])])];
    with(counter(1), value(), number(1)).refused(true, "there is no such rank");
    // No rank rises, which is enough only where a run waits.
    let none = vec![Path::Falls(1, vec![Vec::new()])];
    with(counter(0), value(), none).refused(true, "there is no such rank");
    let few = vec![Path::Falls(0, vec![Vec::new()])];
    with(counter(-1), value(), few).refused(true, "not one reason for each");
    let twice = good().into_iter().chain(good()).collect();
    with(counter(-1), value(), twice).refused(true, "more paths than there can be");
    // Without a cut on the cycle there is no path to look at.
    let uncut = ranked(&[(0, 1)], &[], Vec::new());
    Forged::new(idle(), ends).with(uncut).refused(true, "a step does not fall in order");
    let unordered = ranked(&[], &[], Vec::new());
    let Layer::Always { mut refuted, .. } = unordered else { panic!("it is that kind") };
    refuted.levels = vec![(0, 1)];
    let forged = Forged::new(idle(), ends).with(ending(refuted));
    forged.refused(true, "its cells are not those in order");
}

#[test]
fn levels_fall() {
    let all =
        |flow: Flow, of: &[(CellNumber, u32)]| Forged::new(flow, ends).with(ending(levels(of)));
    all(line(), &[(0, 1), (1, 0)]).accepted(true);
    all(idle(), &[(0, 1)]).refused(true, "steps stay in it without ranks");
    all(idle(), &[(0, 0)]).refused(true, "level 0 is not what steps come to");
    let turns = || program(&["", "", "exit"], &[edge(0, 1), edge(1, 0), edge(2, 2)]);
    all(turns(), &[(0, 2), (1, 1)]).refused(true, "not down");
    all(turns(), &[(0, 2), (1, 1), (1, 3)]).refused(true, "two levels");
    all(line(), &[(0, 1)]).refused(true, "not down");
    let forged = Forged::new(line(), reached).with(until(levels(&[(0, 1), (1, 0)]), Vec::new()));
    forged.refused(true, "it has no steps");
    // The run may not come by what is not `a`.
    let until_exit = |labels: &[&str]| {
        let flow = program(labels, &[edge(0, 1), edge(1, 1)]);
        let forged = Forged::new(flow, |formulas| {
            let (a, exit) = (formulas.atom("a"), formulas.atom("exit"));
            some(formulas, Formula::Until(a, exit))
        });
        forged.with(until(levels(&[(0, 1), (1, 0)]), vec![(0, Way::All)]))
    };
    until_exit(&["a", "exit"]).accepted(true);
    until_exit(&["", "exit"]).refused(true, "the run may not come by here");
}

#[test]
fn paths_end_in_cuts_and_have_values_of_their_own() {
    let falls = || Path::Falls(0, vec![Vec::new(), Vec::new()]);
    let one = [(0, Affine::constant(1))];
    // It is said that a rank falls to a cell between cuts, and no more.
    let plain = program(&["", "", "exit"], &[edge(0, 1), edge(1, 0), edge(2, 2)]);
    let layer = ranked(&[(0, 0), (1, 1)], &one, vec![falls()]);
    Forged::new(plain, ends).with(layer).refused(true, "a path ends just where a cut is");
    // What is chosen on one step says nothing of what is chosen on the next.
    let dead = vec![Path::On, Path::Dead(sum(&[0, 1]))];
    let layer = ranked(&[(0, 0), (1, 1)], &[], dead);
    Forged::new(turns(), ends).with(layer).refused(true, "do not add up");
}

#[test]
fn ranks_before_the_one_that_falls_do_not_rise() {
    // Up and down for ever: each rank falls where the other rises.
    let (mut down, mut up) = (edge(0, 0), edge(0, 0));
    for (edge, row, by) in [(&mut down, x(1, -1), -1), (&mut up, x(-1, 0), 1)] {
        edge.guard.push(row);
        let terms = vec![(Column::variable(0), 1)];
        edge.update.push((0, Affine { terms, constant: by }));
    }
    let flow = program(&["", "exit"], &[down, up, edge(1, 1)]);
    let high = Affine::column(Column::variable(0));
    let low = Affine { terms: vec![(Column::variable(0), -1)], constant: 1 };
    let paths = vec![
        Path::Falls(0, vec![Vec::new(), sum(&[0, 1])]),
        Path::Falls(1, vec![Vec::new(), Vec::new(), sum(&[0, 1])]),
    ];
    let ranks = vec![vec![(0, high)], vec![(0, low)]];
    let group = Group { level: 1, order: vec![(0, 0)], ranks, paths };
    let layer = ending(Progress { levels: vec![(0, 1)], groups: vec![group] });
    Forged::new(flow, ends).with(layer).refused(true, "a reason is missing");
}

/// A point, and a passing one that is entered with 1, may set it to 0, and is left with 0 only.
fn through(order: &[(CellNumber, u32)], paths: Vec<Path>) -> Forged {
    let (mut enter, mut clear, mut leave) = (edge(0, 1), edge(1, 1), edge(1, 0));
    enter.update.push((0, Affine::constant(1)));
    clear.update.push((0, Affine::constant(0)));
    leave.guard.push(x(-1, 0));
    let mut flow = program(&["", "", "exit"], &[enter, clear, leave, edge(2, 2)]);
    flow.points[PointId::new(1)].passing = true;
    let mut forged = Forged::new(flow, ends).with(ranked(order, &[], paths));
    // Its cells: 1 where it is entered, 2 where it is left.
    forged.proof.trees[1] = vec![Branch::Split(x(1, -1)), Branch::Leaf, Branch::Leaf];
    let dead = |rows: &[u32]| Walk::Dead(sum(rows));
    let cleared = || vec![Walk::On, dead(&[1]), Walk::On];
    forged.proof.steps = vec![
        (0, vec![vec![Walk::On, Walk::On, dead(&[0])]]),
        (1, vec![cleared(), vec![dead(&[0, 1])]]),
        (2, vec![cleared(), vec![Walk::On]]),
    ];
    forged
}

#[test]
fn a_passing_point_is_one_place() {
    // Numbers that rise on a step inside, so that they can fall everywhere else.
    let order = [(0, 2), (1, 1), (2, 3)];
    through(&order, Vec::new()).refused(true, "cuts, or out of order");
    through(&[(0, 1), (1, 0), (2, 0)], Vec::new()).refused(true, "cuts, or out of order");
    // It is left from another cell than it is entered in.
    let entered = through(&[(0, 0), (1, 1), (2, 1)], vec![Path::On]);
    entered.refused(true, "a path is missing");
    // What steps inside change is not known when it is left.
    let (mut more, mut leave) = (edge(1, 1), edge(1, 0));
    leave.guard.push(x(1, -1));
    for (edge, by) in [(&mut more, 5), (&mut leave, -1)] {
        let terms = vec![(Column::variable(0), 1)];
        edge.update.push((0, Affine { terms, constant: by }));
    }
    let mut flow = program(&["", "", "exit"], &[edge(0, 1), more, leave, edge(2, 2)]);
    flow.points[PointId::new(1)].passing = true;
    let falls = Path::Falls(0, vec![Vec::new(), sum(&[0, 1])]);
    let rank = [(0, Affine::column(Column::variable(0)))];
    let layer = ranked(&[(0, 0), (1, 1)], &rank, vec![Path::On, falls]);
    Forged::new(flow, ends).with(layer).refused(true, "a reason is missing");
}
