//! Measures that grow or count what is not there, and steps of which something is forgotten.

use super::super::graph::Origin;
use super::super::ranks::{Arrow, Avoiding, Measure, recurrent};
use super::super::ways::{Back, Way, arrows};
use super::*;
use tern_model::budget::Meter;

fn part(number: usize) -> Origin {
    Origin::part(number)
}

fn arrow(from: usize, to: usize, origins: &[Origin]) -> Arrow {
    Arrow { from, to, origins: origins.to_vec() }
}

/// Which nodes may be visited again and again. Each heap has two objects and one hyperedge beside
/// `null`.
fn again(arrows: &[Arrow], rounds: &[Vec<Measure>]) -> Result<Vec<bool>, NoRun> {
    let budget = Budget::unlimited();
    recurrent(arrows, &[(3, 4); 3], rounds, &mut Meter::new(&budget))
}

/// What is counted at nodes 0 and 1.
fn counted(first: &[usize], second: &[usize]) -> Vec<Vec<Measure>> {
    vec![vec![vec![(0, first.to_vec()), (1, second.to_vec())]]]
}

/// A circle of two nodes, from which a third is left. On the first step the second object comes
/// from the hyperedge, and the first is dropped; on the other all stays as it is.
fn circle() -> Vec<Arrow> {
    let rest = part(3);
    let stays = [Origin::NONE, part(1), part(2), part(3)];
    vec![arrow(0, 1, &[Origin::NONE, rest, rest, rest]), arrow(1, 0, &stays), arrow(1, 2, &stays)]
}

#[test]
fn what_shrinks_is_not_visited_again() {
    let found = |arrows: &[Arrow], rounds: &[Vec<Measure>]| again(arrows, rounds).expect("sound");
    assert_eq!(found(&circle(), &[]), [true, true, false]);
    // The object that is dropped is counted; or those that leave what is counted.
    assert_eq!(found(&circle(), &counted(&[3], &[3])), [false; 3]);
    assert_eq!(found(&circle(), &counted(&[1, 2, 3], &[1, 2, 3])), [false; 3]);
    // Nothing leaves what is counted: the hyperedge may stand for the same as before.
    let stays = [Origin::NONE, part(1), part(2), part(3)];
    let idle = [arrow(0, 1, &stays), arrow(1, 0, &stays)];
    for parts in [&[1, 3][..], &[3], &[1, 2, 3], &[]] {
        assert_eq!(found(&idle, &counted(parts, parts)), [true, true, false], "{parts:?}");
    }
    // An object that is not counted any more and comes from elsewhere, too, may be another.
    let (one, new) = (part(1).and(part(2)), part(1).and(Origin::NEW));
    for origin in [one, new, Origin::NONE] {
        let step = [Origin::NONE, origin, Origin::NONE, part(1)];
        let back = [Origin::NONE, part(3), Origin::NONE, Origin::NONE];
        let moves = [arrow(0, 1, &step), arrow(1, 0, &back)];
        assert_eq!(found(&moves, &counted(&[1], &[3])), [true, true, false], "{origin:?}");
    }
    // A hyperedge that is not counted any more may stand for nothing, and `null` is no object.
    let step = [part(3), Origin::NONE, Origin::NONE, part(3)];
    let moves = [arrow(0, 1, &step), arrow(1, 0, &[Origin::NONE; 4])];
    assert_eq!(found(&moves, &counted(&[3], &[])), [true, true, false]);
}

#[test]
fn measures_do_not_grow() {
    let grows = |origins: &[Origin], first: &[usize], second: &[usize]| {
        let stays = [Origin::NONE, part(1), part(2), part(3)];
        let arrows = [arrow(0, 1, origins), arrow(1, 0, &stays)];
        said(again(&arrows, &counted(first, second)))
    };
    let why = "a measure may grow";
    assert_eq!(grows(&[Origin::NONE, part(1), part(2), part(3)], &[1], &[1]), "");
    assert_eq!(grows(&[Origin::NONE, part(1), part(2), part(3)], &[1], &[2]), why);
    assert_eq!(grows(&[Origin::NONE, part(1), part(2), part(3)], &[1], &[1, 2]), why);
    let new = part(1).and(Origin::NEW);
    assert_eq!(grows(&[Origin::NONE, new, part(2), part(3)], &[1, 2, 3], &[1]), why);
    assert_eq!(grows(&[Origin::NONE, Origin::NEW, part(2), part(3)], &[1], &[1]), why);
    // It is looked at within one circle only; from there it may lead to where more is counted.
    let mut leads = circle();
    leads[2].origins = vec![Origin::NEW; 4];
    let mut rounds = counted(&[3], &[3]);
    rounds[0][0].push((2, vec![1]));
    assert_eq!(again(&leads, &rounds), Ok(vec![false; 3]));
    leads.push(arrow(2, 2, &[Origin::NEW; 4]));
    assert_eq!(again(&leads, &rounds), Ok(vec![false, false, true]));
}

#[test]
fn what_is_counted_is_there() {
    let why = "something is counted that is not there";
    assert_eq!(said(again(&circle(), &counted(&[0], &[3]))), why);
    assert_eq!(said(again(&circle(), &counted(&[4], &[3]))), why);
    let elsewhere = vec![vec![vec![(3, vec![1])]]];
    let found = said(again(&circle(), &elsewhere));
    assert_eq!(found, "something is counted at a node that is not there");
    // Parts of large heaps are not told apart.
    let budget = Budget::unlimited();
    let of = |count: usize| {
        let rounds = counted(&[3], &[3]);
        recurrent(&circle(), &[(3, count); 3], &rounds, &mut Meter::new(&budget))
    };
    assert_eq!((said(of(126)).as_str(), said(of(127)).as_str()), ("", why));
}

/// Measures go on in rounds: what is left of a circle may have circles.
#[test]
fn rounds_look_at_what_is_left() {
    let stays = [Origin::NONE, part(1), part(2), part(3)];
    let mut arrows = circle();
    arrows.push(arrow(0, 0, &stays));
    let first = counted(&[3], &[3]);
    assert_eq!(again(&arrows, &first), Ok(vec![true, false, false]));
    arrows[3].origins = vec![Origin::NONE, part(2), Origin::NONE, part(3)];
    assert_eq!(again(&arrows, &first), Ok(vec![true, false, false]));
    let second = [first[0].clone(), vec![vec![(0, vec![1, 2])]]];
    assert_eq!(again(&arrows, &second), Ok(vec![false; 3]));
    // In the first round node 1 counts nothing of it, so that it grows.
    let swapped = [second[1].clone(), second[0].clone()];
    assert_eq!(said(again(&arrows, &swapped)), "a measure may grow");
}

/// Without some nodes there is less to be measured; but these may be visited then.
#[test]
fn what_is_avoided_may_be_visited() {
    let stays = [Origin::NONE, part(1), part(2), part(3)];
    let mut arrows = circle();
    arrows.push(arrow(0, 0, &stays));
    arrows.push(arrow(2, 2, &stays));
    let budget = Budget::unlimited();
    let visited = |nodes: &[usize]| {
        let avoiding = Avoiding { nodes: nodes.to_vec(), ranks: Vec::new() };
        avoiding.visited(&arrows, &[(3, 4); 3], &mut Meter::new(&budget))
    };
    assert_eq!(visited(&[]), Ok(vec![true; 3]));
    assert_eq!(visited(&[0]), Ok(vec![true, false, true]));
    assert_eq!(visited(&[1]), Ok(vec![true; 3]));
    assert_eq!(visited(&[2]), Ok(vec![true; 3]));
    let avoiding = Avoiding { nodes: vec![0], ranks: vec![vec![vec![(2, vec![1])]]] };
    let found = avoiding.visited(&arrows, &[(3, 4); 3], &mut Meter::new(&budget));
    assert_eq!(found, Ok(vec![true, false, true]));
    assert_eq!(said(visited(&[3])), "a node is avoided that is not there");
}

/// Two procedures: the first calls the second at node 0, whose entry is node 2, with its parts in
/// another order, and goes on at node 1; the second goes on at node 3 and returns, or calls itself
/// first.
fn ways() -> Vec<Vec<Way>> {
    let (kept, left) = (vec![Origin::NONE, part(2)], vec![Origin::NONE, part(1)]);
    let back = |to| Back { exit: 0, to, kept: kept.clone(), left: left.clone() };
    let given = vec![Origin::NONE, part(3), part(4)];
    let same = vec![Origin::NONE, part(1), part(2)];
    let other = vec![Origin::NONE, part(2), part(1)];
    vec![
        vec![Way::Calls(2, given, vec![back(1)])],
        Vec::new(),
        vec![Way::Goes(3, same.clone())],
        vec![Way::Calls(2, other, vec![back(4)]), Way::Returns(0, same.clone())],
        vec![Way::Returns(0, same)],
    ]
}

#[test]
fn origins_go_through_calls() {
    let budget = Budget::unlimited();
    let found = arrows(&ways(), &mut Meter::new(&budget)).expect("no limit");
    let of = |from: usize, to: usize| {
        let mut all = found.iter().filter(|it| (it.from, it.to) == (from, to));
        let origins = all.next().map(|it| it.origins.clone());
        assert!(all.next().is_none(), "{from} {to}");
        origins.unwrap_or_default()
    };
    assert_eq!(found.len(), 5);
    assert_eq!(of(0, 2), [Origin::NONE, part(3), part(4)]);
    assert_eq!(of(2, 3), [Origin::NONE, part(1), part(2)]);
    assert_eq!(of(3, 2), [Origin::NONE, part(2), part(1)]);
    // A call that comes back at once leaves the first part of what it was given; one that calls
    // itself leaves that and, of the caller, the second.
    let both = part(1).and(part(2));
    assert_eq!(of(3, 4), [Origin::NONE, both]);
    assert_eq!(of(0, 1), [Origin::NONE, part(2).and(part(3)).and(part(4))]);
}
