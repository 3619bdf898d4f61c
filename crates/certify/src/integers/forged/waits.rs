//! Waiting points: that no run stays among them, and that a run that is shown to exist does not.

use super::*;
use tern_ir::proof::{Group, Path};
use tern_ir::runs::read;

/// Two points in turn, of which some wait, and the end.
fn turns(waiting: [bool; 2]) -> Flow {
    waits(program(&["", "", "exit"], &[edge(0, 1), edge(1, 0), edge(2, 2)]), waiting)
}

/// The same program, in which these of its first points wait.
fn waits(mut flow: Flow, waiting: [bool; 2]) -> Flow {
    for (point, is_waiting) in waiting.into_iter().enumerate() {
        flow.points[PointId::new(point)].waiting = is_waiting;
    }
    flow
}

/// Level 1, with a rank that is 0 but where another is given.
fn group(order: &[(CellNumber, u32)], rank: &[(CellNumber, Affine)], paths: Vec<Path>) -> Progress {
    let levels: Vec<_> = order.iter().map(|&(cell, _)| (cell, 1)).collect();
    let group = Group { level: 1, order: order.to_vec(), ranks: vec![rank.to_vec()], paths };
    Progress { levels, groups: vec![group] }
}

fn waited() -> Path {
    Path::Waits(vec![Vec::new()])
}

#[test]
fn nothing_need_fall_where_a_run_only_waits() {
    let cuts = [(0, 0), (1, 0)];
    let all = |flow: Flow, progress: Progress| Forged::new(flow, ends).with(ending(progress));
    let both = || group(&cuts, &[], vec![waited(), waited()]);
    all(turns([true, true]), both()).accepted(true);
    let goes_on = "a path ends just where a cut is";
    for waiting in [[true, false], [false, true], [false, false]] {
        all(turns(waiting), both()).refused(true, goes_on);
        // The one that does not wait is on the way.
        let through = group(&[(0, 0), (1, 1)], &[], vec![Path::On, waited()]);
        all(turns(waiting), through).refused(true, goes_on);
    }
    let early = group(&[(0, 0), (1, 1)], &[], vec![waited()]);
    all(turns([true, true]), early).refused(true, goes_on);
    let one = |reasons| group(&cuts, &[], vec![Path::Waits(reasons), waited()]);
    let few = "not one reason for each";
    all(turns([true, true]), one(Vec::new())).refused(true, few);
    all(turns([true, true]), one(vec![Vec::new(), Vec::new()])).refused(true, few);
    // The rank falls on the way there by as much as it rises on the way back.
    let high = [(0, Affine::constant(1))];
    let falls = Path::Falls(0, vec![Vec::new(), Vec::new()]);
    let rises = |back: Path| group(&cuts, &high, vec![falls.clone(), back]);
    all(turns([false, true]), rises(waited())).refused(true, "a reason is missing");
}

#[test]
fn no_way_waits_for_ever() {
    let lasting = |flow: Flow, cells: &[CellNumber], again: Progress| {
        let proved = cells.iter().map(|&cell| (cell, Way::All)).collect();
        let layer = Layer::Always { proved, again, refuted: Progress::default() };
        Forged::new(flow, stays).with(layer)
    };
    let down = || levels(&[(0, 1), (1, 0)]);
    lasting(turns([true, false]), &[0, 1], down()).accepted(true);
    let for_ever = "they may wait for ever";
    lasting(turns([true, false]), &[0, 1], Progress::default()).refused(true, for_ever);
    lasting(turns([true, false]), &[0, 1], levels(&[(1, 0)])).refused(true, for_ever);
    lasting(turns([true, true]), &[0, 1], down()).refused(true, "level 0 is not what steps");
    let cuts = [(0, 0), (1, 0)];
    let waits_on = group(&cuts, &[], vec![waited(), waited()]);
    let ends = "a path ends just where a cut is";
    lasting(turns([true, true]), &[0, 1], waits_on.clone()).refused(true, ends);
    // To come somewhere is not to wait for it either.
    let ways = vec![(0, Way::All), (1, Way::All)];
    let until = Forged::new(turns([true, true]), reached).with(until(waits_on, ways));
    until.refused(true, ends);
    // Cells that are not in the set are no ground.
    let mut out = turns([true, false]);
    out.edges.push(edge(0, 2));
    let other = levels(&[(0, 1), (1, 0), (2, 0)]);
    lasting(out, &[0, 1], other).refused(true, "leads out of the set");
}

#[test]
fn where_a_run_waits_it_need_not_go_on() {
    let flow = waits(line(), [false, true]);
    let next_of = Layer::Next { proved: vec![(0, Way::All)], refuted: Vec::new() };
    Forged::new(flow, next).with(next_of).refused(true, "its way does not lead there");
}

#[test]
fn evidence_about_runs_is_about_the_claim() {
    // What stands for the claim is not looked at, so nothing may rest on it.
    let mut forged = Forged::new(line(), |formulas| {
        let exit = formulas.atom("exit");
        formulas.make(Formula::Not(exit))
    });
    let truth = |formulas: &mut Formulas| formulas.make(Formula::True);
    forged.proof = Forged::new(line(), truth).proof;
    forged.refused(true, "");
    forged.proof.runs = true;
    forged.refused(true, "there is not one layer for each term");
}

#[test]
fn where_nothing_more_can_be_read_no_run_goes_on() {
    let of_runs = |flow: Flow, path: fn(&mut Formulas) -> Formula| {
        let truth = |formulas: &mut Formulas| formulas.make(Formula::True);
        let mut forged = Forged::new(flow, truth);
        let path = path(&mut forged.formulas);
        forged.claim = some(&mut forged.formulas, path);
        for atom in forged.formulas.atoms_of(forged.claim) {
            let label = forged.formulas.atom_name(atom).to_owned();
            forged.propositions.insert(atom, Proposition::Label(label));
        }
        let Forged { flow, formulas, claim, propositions, .. } = &forged;
        let read = read(flow, formulas, *claim, propositions).expect("it is small");
        let pairs = flow.points.len()..read.flow.points.len();
        let begins = read.flow.edges.iter().find(|(_, edge)| pairs.contains(&edge.to.index()));
        let (begins, edge) = begins.expect("a run is read");
        let from = edge.from.index() as CellNumber;
        let lasting: Vec<_> = pairs.map(|pair| (pair as CellNumber, Way::All)).collect();
        let layer = |term: &Term| match term {
            Term::Ex(_) => {
                let proved = vec![(from, take(begins.index(), Vec::new()))];
                Layer::Next { proved, refuted: Vec::new() }
            }
            Term::Eg(_) => {
                let (again, refuted) = Default::default();
                Layer::Always { proved: lasting.clone(), again, refuted }
            }
            _ => Layer::Plain,
        };
        let layers = read.program.terms.as_slice().iter().map(layer).collect();
        let proof = Forged::new(read.flow, truth).proof;
        forged.proof = Proof { layers, runs: true, ..proof };
        forged
    };
    // Now, and in the next state.
    let twice: fn(&mut Formulas) -> Formula = |formulas| {
        let exit = formulas.atom("exit");
        let next = formulas.make(Formula::Next(exit));
        Formula::And(exit, next)
    };
    of_runs(program(&["exit"], &[edge(0, 0)]), twice).accepted(true);
    let no_step = "there may be no step at all";
    // What is read is not so, and what is to be read next never is.
    of_runs(idle(), twice).refused(true, no_step);
    of_runs(program(&["exit"], &[edge(0, 0)]), |formulas| {
        let (exit, no) = (formulas.atom("exit"), formulas.make(Formula::False));
        let next = formulas.make(Formula::Next(no));
        Formula::And(exit, next)
    })
    .refused(true, no_step);
}
