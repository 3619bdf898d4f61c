//! The parts of a program that calls itself: `main`, and the body of each procedure.
//!
//! Each part is a flow graph with points of its own and the variables of the program. A part has
//! what can be reached in it without entering a call, and all points that stay for ever. Beside
//! the parts there is what can be read off them: which procedures a procedure may come to call,
//! and which global variables it may change meanwhile.

use crate::calls::Calls;
use crate::flow::{Edge, Flow, PointId};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a flow graph with points of its own; variables are those of the program.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its flow graph.
    pub flow: Flow,
    /// The procedures that are called, by site.
    pub sites: BTreeMap<PointId, usize>,
    /// Where it has ended.
    pub exit: Option<PointId>,
}

/// A program with procedures that call themselves.
#[derive(Clone, Debug)]
pub struct Whole<'a> {
    /// What is called in it.
    pub calls: &'a Calls,
    /// What is no procedure that calls itself.
    pub main: Body,
    /// The bodies of the procedures, each with one start: its `enter`.
    pub bodies: Vec<Body>,
    /// The procedures that each may come to call, itself included.
    pub reached: Vec<BTreeSet<usize>>,
    /// The global variables that each may change, calls included.
    pub modified: Vec<BTreeSet<usize>>,
    /// The global variables that any procedure reads or changes.
    pub used_globals: BTreeSet<usize>,
}

impl<'a> Whole<'a> {
    /// Takes a program apart.
    pub fn new(flow: &Flow, calls: &'a Calls) -> Self {
        let main = part(flow, calls, &flow.starts, None);
        let bodies: Vec<Body> = calls
            .procedures
            .iter()
            .map(|it| part(flow, calls, std::slice::from_ref(&it.enter), it.exit))
            .collect();
        let reached: Vec<BTreeSet<usize>> = (0..bodies.len())
            .map(|own| {
                let (mut all, mut todo) = (BTreeSet::from([own]), vec![own]);
                while let Some(next) = todo.pop() {
                    todo.extend(bodies[next].sites.values().filter(|&&it| all.insert(it)));
                }
                all
            })
            .collect();
        let is_global = |variable: &usize| calls.globals.contains(variable);
        let changed: Vec<BTreeSet<usize>> = bodies
            .iter()
            .map(|body| {
                let edges = body.flow.edges.as_slice().iter();
                edges.flat_map(|it| &it.update).map(|it| it.0).filter(is_global).collect()
            })
            .collect();
        let modified = reached
            .iter()
            .map(|all| all.iter().flat_map(|&it| changed[it].clone()).collect())
            .collect();
        let used = |body: &Body| -> BTreeSet<usize> {
            body.flow.edges.as_slice().iter().flat_map(variables).filter(is_global).collect()
        };
        let used_globals = bodies.iter().flat_map(used).collect();
        Whole { calls, main, bodies, reached, modified, used_globals }
    }

    /// The copies of global variables that a procedure has, with what they copy.
    pub fn copies_of_globals(&self, procedure: usize) -> Vec<(usize, usize)> {
        let it = &self.calls.procedures[procedure];
        let copies = &it.copies[it.arguments.len()..];
        copies.iter().copied().zip(self.calls.globals.iter().copied()).collect()
    }

    /// The copies of arguments that a procedure has, with what they copy.
    pub fn copies_of_arguments(&self, procedure: usize) -> Vec<(usize, usize)> {
        let it = &self.calls.procedures[procedure];
        it.copies.iter().copied().zip(it.arguments.iter().copied()).collect()
    }
}

/// The variables that an edge reads or writes.
pub fn variables(edge: &Edge) -> Vec<usize> {
    let rows = edge.rows().flat_map(|row| &row.affine().terms);
    let read = edge.update.iter().flat_map(|(_, value)| &value.terms);
    let written = edge.update.iter().map(|(variable, _)| *variable);
    rows.chain(read).filter_map(|term| term.0.as_variable()).chain(written).collect()
}

/// What can be reached from these edges, and all points that stay for ever.
fn part(flow: &Flow, calls: &Calls, starts: &[Edge], exit: Option<PointId>) -> Body {
    let leaving = flow.leaving();
    let stays = |point: PointId| {
        !leaving[point].is_empty() && leaving[point].iter().all(|&it| flow.edges[it].to == point)
    };
    let roots = starts.iter().map(|edge| edge.to);
    let ends = flow.points.iter().filter(|(id, it)| !it.labels.is_empty() && stays(*id));
    let mut todo: Vec<PointId> = roots.chain(ends.map(|(id, _)| id)).collect();
    let mut number: BTreeMap<PointId, PointId> = BTreeMap::new();
    let mut own = Flow { variables: flow.variables.clone(), ..Flow::default() };
    let mut order = Vec::new();
    while let Some(point) = todo.pop() {
        if number.contains_key(&point) {
            continue;
        }
        number.insert(point, own.add_point(flow.points[point].clone()));
        order.push(point);
        todo.extend(leaving[point].iter().map(|&edge| flow.edges[edge].to));
    }
    let moved = |edge: &Edge| {
        let mut edge = edge.clone();
        edge.to = number[&edge.to];
        edge.from = number.get(&edge.from).copied().unwrap_or(edge.to);
        edge
    };
    for point in order {
        for &edge in &leaving[point] {
            own.edges.push(moved(&flow.edges[edge]));
        }
    }
    own.starts = starts.iter().map(moved).collect();
    let sites = calls.sites.iter().filter_map(|(site, it)| Some((*number.get(site)?, *it)));
    let sites = sites.collect();
    Body { flow: own, sites, exit: exit.and_then(|exit| number.get(&exit).copied()) }
}
