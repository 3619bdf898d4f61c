//! Programs that call themselves, with the bodies of what `main` calls in `main`.
//!
//! In the graph of [calls](crate::summary) nothing is seen of what happens while a procedure runs.
//! [`unfolded`] is the same program, in which the body of each procedure that `main` calls is there
//! once more for each site, as if it were written there; only what is called in such a body is a
//! call. Its states are those of the program, step by step: what leads to the end of a body is one
//! step with what leaves the site, as a return is one step.
//!
//! Variables of procedures are not copied: in `main` no more than one body runs at a time, and
//! calls in it keep what is not global. So this is done once, and not to what was made by it.

use crate::calls::Calls;
use crate::flow::{Edge, Flow, PointId};
use crate::summary::{ENDS, Summarised};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::index::Table;

/// The most points of a program that is unfolded.
const MOST_POINTS: usize = 3000;
/// The most edges.
const MOST_EDGES: usize = 20_000;

/// A program as it is, or unfolded; `None` if that cannot be.
pub fn program(of: &Summarised, is_unfolded: bool) -> Option<(Flow, Calls)> {
    match is_unfolded {
        false => Some((of.flow.clone(), of.calls.clone())),
        true => unfolded(&of.flow, &of.calls),
    }
}

/// The program with the bodies of what `main` calls in `main`; `None` if it is already, if there is
/// nothing to unfold, or if it becomes too large.
pub fn unfolded(flow: &Flow, calls: &Calls) -> Option<(Flow, Calls)> {
    let main = reached(flow, flow.starts.iter().map(|start| start.to).collect());
    let sites: Vec<(PointId, usize)> = calls
        .sites
        .iter()
        .map(|(&site, &it)| (site, it))
        .filter(|it| main.contains(&it.0))
        .collect();
    if calls.unfolded || sites.is_empty() {
        return None;
    }
    let (mut made, mut calls) = (flow.clone(), Calls { unfolded: true, ..calls.clone() });
    let mut edges: Vec<Edge> = flow.edges.as_slice().to_vec();
    for (site, procedure) in sites {
        let callee = &calls.procedures[procedure];
        if callee.exit == Some(callee.enter.to) {
            return None;
        }
        let body = reached(flow, vec![callee.enter.to]);
        let mut copies: BTreeMap<PointId, PointId> = BTreeMap::new();
        for &point in body.iter().filter(|it| callee.exit != Some(**it)) {
            let mut copy = flow.points[point].clone();
            // Labels of procedures are none of the program, but for its ends.
            copy.labels.retain(|label| ENDS.contains(&label.as_str()));
            copies.insert(point, made.add_point(copy));
        }
        let enter = Edge { to: copies[&callee.enter.to], ..callee.enter.clone() };
        for edge in made.starts.iter_mut().chain(&mut edges).filter(|edge| edge.to == site) {
            *edge = Edge { from: edge.from, ..edge.then(&enter)? };
        }
        let returns: Vec<Edge> = edges.iter().filter(|edge| edge.from == site).cloned().collect();
        edges.retain(|edge| edge.from != site);
        for edge in flow.edges.as_slice().iter().filter(|edge| copies.contains_key(&edge.from)) {
            let from = copies[&edge.from];
            if let Some(&to) = copies.get(&edge.to) {
                edges.push(Edge { from, to, ..edge.clone() });
                continue;
            }
            // What leads to the end is the return: that is one step. Two returns are two.
            if calls.sites.contains_key(&edge.from) {
                return None;
            }
            made.points[from].total &= flow.points[site].total;
            for next in &returns {
                edges.push(Edge { from, ..edge.then_surely(next)? });
            }
        }
        if made.points.len() > MOST_POINTS || edges.len() > MOST_EDGES {
            return None;
        }
        calls.sites.remove(&site);
        let inner: Vec<(PointId, usize)> =
            copies.iter().filter_map(|(it, copy)| Some((*copy, *calls.sites.get(it)?))).collect();
        calls.sites.extend(inner);
    }
    made.edges = edges.into_iter().collect::<Table<_, _>>();
    Some((made, calls))
}

/// The points that can be reached from some.
fn reached(flow: &Flow, from: Vec<PointId>) -> BTreeSet<PointId> {
    let leaving = flow.leaving();
    let (mut found, mut todo) = (BTreeSet::new(), from);
    while let Some(point) = todo.pop() {
        if found.insert(point) {
            todo.extend(leaving[point].iter().map(|&edge| flow.edges[edge].to));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Procedure;
    use crate::flow::{Affine, Auxiliary, Column, Point, Row};
    use tern_model::index::Id;

    /// `main` calls at its second point and goes on at its third, by `back`; the callee has a body
    /// of one point, which leads to its end by `last`.
    fn program(last: Edge, back: Edge, is_total: bool) -> (Flow, Calls) {
        let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
        let [begin, site, after, body, end] = [true, is_total, true, true, true]
            .map(|total| flow.add_point(Point { total, ..Point::default() }));
        flow.starts = vec![Edge::plain(begin, begin)];
        let edges = [
            Edge::plain(begin, site),
            Edge { from: site, to: after, ..back },
            Edge::plain(after, after),
            Edge { from: body, to: end, ..last },
        ];
        flow.edges = edges.into_iter().collect();
        let callee = Procedure {
            name: "f".to_owned(),
            arguments: Vec::new(),
            copies: Vec::new(),
            result: 0,
            enter: Edge::plain(body, body),
            exit: Some(end),
        };
        let sites = BTreeMap::from([(site, 0)]);
        (flow, Calls { procedures: vec![callee], sites, ..Calls::default() })
    }

    fn plain() -> Edge {
        Edge::plain(PointId::new(0), PointId::new(0))
    }

    #[test]
    fn a_body_is_there_as_if_it_were_written_there() {
        let (flow, calls) = program(plain(), plain(), true);
        let (made, calls) = unfolded(&flow, &calls).expect("it is unfolded");
        assert!(calls.unfolded && calls.sites.is_empty());
        let copy = PointId::new(flow.points.len());
        let [begin, _, after] = [0, 1, 2].map(PointId::new);
        let has = |from: PointId, to: PointId| {
            made.edges.as_slice().iter().any(|edge| (edge.from, edge.to) == (from, to))
        };
        // The call is one step, and so is the return.
        assert!(has(begin, copy) && has(copy, after));
        assert_eq!(made.points.len(), flow.points.len() + 1);
        assert!(made.points[copy].total);
        assert!(unfolded(&made, &calls).is_none(), "it is done once");
    }

    #[test]
    fn what_would_count_other_steps_is_left_as_it_is() {
        // A procedure that has ended where it begins returns in no step of its own.
        let (flow, mut calls) = program(plain(), plain(), true);
        calls.procedures[0].exit = Some(calls.procedures[0].enter.to);
        assert!(unfolded(&flow, &calls).is_none());
        // A call whose return is that of the caller too would be two steps in one.
        let (flow, mut calls) = program(plain(), plain(), true);
        calls.sites.insert(calls.procedures[0].enter.to, 0);
        assert!(unfolded(&flow, &calls).is_none());
    }

    #[test]
    fn a_return_that_may_have_no_step_is_none_for_sure() {
        let (flow, calls) = program(plain(), plain(), false);
        let (made, _) = unfolded(&flow, &calls).expect("it is unfolded");
        assert!(!made.points[PointId::new(flow.points.len())].total);
    }

    #[test]
    fn what_is_known_under_conditions_on_unknown_values_is_a_condition() {
        // x becomes unknown; then, if it is positive, another unknown value is at least x.
        let unknown = Column::auxiliary(0);
        let last = Edge {
            auxiliaries: vec![Auxiliary::Unknown],
            update: vec![(0, Affine::column(unknown))],
            ..plain()
        };
        let x = Affine::column(Column::variable(0));
        let back = Edge {
            auxiliaries: vec![Auxiliary::Unknown],
            guard: Row::greater(&x, &Affine::constant(0)).into_iter().collect(),
            facts: Row::greater_equal(&Affine::column(unknown), &x).into_iter().collect(),
            ..plain()
        };
        let (flow, calls) = program(last, back, true);
        let (made, _) = unfolded(&flow, &calls).expect("it is unfolded");
        let copy = PointId::new(flow.points.len());
        let edge = made.edges.as_slice().iter().find(|edge| edge.from == copy).expect("a return");
        assert_eq!((edge.facts.len(), edge.guard.len()), (0, 2));
    }
}
