//! A flow graph under construction, with edges that take no step.
//!
//! A point has steps, or goes on silently at another point, perhaps after variables came into being
//! with any value. [`Graph::finish`] takes silent points out: an edge that leads to one leads to
//! where it goes on, and sets the variables there and then. A silent cycle (`for (;;);`) stays at
//! one of its points for ever.

use std::collections::BTreeSet;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, Point, PointId, Row};
use tern_model::index::{Id, Table};

/// A variable that comes into being, with the numbers it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Birth {
    pub(super) variable: usize,
    pub(super) range: (Option<i128>, Option<i128>),
}

impl Birth {
    /// The edge that gives the variable any value.
    fn edge(self, at: PointId) -> Edge {
        let value = Affine::column(Column::auxiliary(0));
        let mut edge = Edge::plain(at, at);
        edge.auxiliaries.push(Auxiliary::Choice);
        if let (Some(low), _) = self.range {
            edge.guard.extend(Row::greater_equal(&value, &Affine::constant(low)));
        }
        if let (_, Some(high)) = self.range {
            edge.guard.extend(Row::greater_equal(&Affine::constant(high), &value));
        }
        edge.update.push((self.variable, value));
        edge
    }
}

/// A flow graph under construction.
#[derive(Default)]
pub(super) struct Graph {
    points: Table<PointId, Point>,
    silent: Table<PointId, Option<(PointId, Option<Birth>)>>,
    edges: Vec<Edge>,
}

impl Graph {
    pub(super) fn point(&mut self, line: u32) -> PointId {
        self.silent.push(None);
        self.points.push(Point { line, total: true, ..Point::default() })
    }

    pub(super) fn point_mut(&mut self, point: PointId) -> &mut Point {
        &mut self.points[point]
    }

    /// From here on without a step.
    pub(super) fn go(&mut self, from: PointId, to: PointId) {
        self.silent[from] = Some((to, None));
    }

    /// From here on without a step, with a new variable.
    pub(super) fn bear(&mut self, from: PointId, to: PointId, birth: Birth) {
        self.silent[from] = Some((to, Some(birth)));
    }

    pub(super) fn step(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// Where a point goes on silently, and the variables that come into being on the way.
    fn resolve(&self, point: PointId) -> (PointId, BTreeSet<Birth>) {
        let (mut at, mut births) = (point, BTreeSet::new());
        while let Some((next, birth)) = self.silent[at] {
            births.extend(birth);
            at = next;
        }
        (at, births)
    }

    /// Makes each silent cycle stay at its first point.
    fn open_cycles(&mut self) {
        for point in self.points.ids() {
            let (mut at, mut births, mut steps) = (point, BTreeSet::new(), 0);
            while let Some((next, birth)) = self.silent[at]
                && steps <= self.points.len()
            {
                births.extend(birth);
                at = next;
                steps += 1;
                if at == point {
                    self.silent[point] = None;
                    let mut edge = Edge::plain(point, point);
                    for birth in &births {
                        edge = edge.then(&birth.edge(point)).unwrap_or(edge);
                    }
                    self.edges.push(edge);
                    break;
                }
            }
        }
    }

    /// The graph without silent points, as far as it can be reached from the starts and from where
    /// procedures are entered. `None` if numbers became too large.
    pub(super) fn finish(
        mut self,
        variables: Vec<String>,
        starts: &[Edge],
        enters: &[Edge],
    ) -> Option<Finished> {
        self.open_cycles();
        for point in self.points.ids() {
            if self.silent[point].is_some() {
                let labels = std::mem::take(&mut self.points[point].labels);
                let (to, _) = self.resolve(point);
                self.points[to].labels.extend(labels);
            }
        }
        let resolved = |edge: &Edge| {
            let (to, births) = self.resolve(edge.to);
            let mut edge = edge.clone();
            for birth in births {
                edge = edge.then(&birth.edge(to))?;
            }
            edge.to = to;
            Some(edge)
        };
        let edges: Vec<Edge> = self.edges.iter().map(resolved).collect::<Option<_>>()?;
        let starts: Vec<Edge> = starts.iter().map(resolved).collect::<Option<_>>()?;
        let enters: Vec<Edge> = enters.iter().map(resolved).collect::<Option<_>>()?;
        let mut leaving: Table<PointId, Vec<&Edge>> = Table::filled(Vec::new(), self.points.len());
        for edge in &edges {
            leaving[edge.from].push(edge);
        }
        let mut number: Table<PointId, Option<PointId>> = Table::filled(None, self.points.len());
        let mut flow = Flow { variables, ..Flow::default() };
        let mut todo: Vec<PointId> = Vec::new();
        let mut reach = |point: PointId, flow: &mut Flow, todo: &mut Vec<PointId>| -> PointId {
            *number[point].get_or_insert_with(|| {
                let mut found = self.points[point].clone();
                found.labels.sort();
                found.labels.dedup();
                todo.push(point);
                flow.add_point(found)
            })
        };
        let mut begin = |mut edge: Edge, flow: &mut Flow, todo: &mut Vec<PointId>| {
            edge.to = reach(edge.to, flow, todo);
            edge.from = edge.to;
            tidy(edge)
        };
        for start in starts {
            let start = begin(start, &mut flow, &mut todo);
            flow.starts.push(start);
        }
        let enters = enters.into_iter().map(|it| begin(it, &mut flow, &mut todo)).collect();
        let mut at = 0;
        while let Some(&point) = todo.get(at) {
            let from = PointId::new(at);
            for edge in &leaving[point] {
                let to = reach(edge.to, &mut flow, &mut todo);
                flow.edges.push(tidy(Edge { from, to, ..(*edge).clone() }));
            }
            at += 1;
        }
        Some(Finished { flow, enters, number })
    }
}

/// What became of a graph.
pub(super) struct Finished {
    pub(super) flow: Flow,
    /// Where procedures are entered.
    pub(super) enters: Vec<Edge>,
    /// The new numbers of points that have one.
    pub(super) number: Table<PointId, Option<PointId>>,
}

/// The edge without rows that are always true, and without auxiliaries that do not occur.
fn tidy(mut edge: Edge) -> Edge {
    edge.guard.retain(|row| row.truth() != Some(true));
    edge.facts.retain(|row| row.truth() != Some(true));
    let terms = edge.rows().flat_map(|row| &row.affine().terms);
    let written = edge.update.iter().flat_map(|(_, value)| &value.terms);
    let used: BTreeSet<usize> =
        terms.chain(written).filter_map(|term| term.0.as_auxiliary()).collect();
    let mut values: Vec<Option<Affine>> = vec![None; edge.auxiliaries.len()];
    for (new, &old) in used.iter().enumerate() {
        values[old] = Some(Affine::column(Column::auxiliary(new)));
    }
    let of = |column: Column| values.get(column.as_auxiliary()?)?.as_ref();
    let renamed = |rows: &[Row]| rows.iter().map(|row| row.substitute(of)).collect::<Option<_>>();
    let (Some(facts), Some(guard)) = (renamed(&edge.facts), renamed(&edge.guard)) else {
        return edge;
    };
    let update: Option<Vec<_>> =
        edge.update.iter().map(|(to, value)| Some((*to, value.substitute(of)?))).collect();
    let Some(update) = update else { return edge };
    let auxiliaries = used.iter().map(|&old| edge.auxiliaries[old]).collect();
    Edge { facts, guard, update, auxiliaries, ..edge }
}
