//! Which calls end.
//!
//! An endless run of a procedure goes down by calls that never return, for ever or until one that
//! does not end by itself; calls that do return are steps of it. So it is an endless run of a flow
//! graph in which every call may return at once, as summaries say, or lead to the beginning of its
//! callee for good. In that graph `AF end` is decided as any claim is; its initial states are all
//! states in which procedures are entered. Conversely every step of the graph that does not return
//! is a step of the program, and that calls return is never taken for sure: an endless run that is
//! shown to exist in the graph exists in the program.

use super::body::Whole;
use super::summary::{Known, followed};
use crate::check::{Part, Proposition, Question, Wants, parts};
use crate::label::Label;
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, PointId, Row};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, Limit, TermId};

/// Whether a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// On every run.
    Ends,
    /// On no run, and there is one.
    Never,
    /// Not on every run.
    Stays,
    /// That is not known.
    Unknown,
}

/// Some calls of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Rows about arguments and global variables.
    pub(super) guard: Vec<Row>,
    pub(super) class: Class,
}

/// The graph of calls that do not return.
struct Descent {
    flow: Flow,
    invariants: Table<PointId, Option<Vec<Row>>>,
    /// The variant of each point, and its point in the body.
    origin: Vec<(usize, PointId)>,
}

/// The kinds of calls of each procedure; they cover all calls that there are.
pub(super) fn regions(
    whole: &Whole<'_>,
    known: &Known,
    budget: &Budget,
) -> Result<Vec<Vec<Region>>, Limit> {
    let graph = descent(whole, known);
    let end = AtomId::new(0);
    let mut terms: Table<TermId, Term> = Table::new();
    let atom = terms.push(Term::Atom(end));
    let not = terms.push(Term::Not(atom));
    let stays = terms.push(Term::Eg(not));
    let root = terms.push(Term::Not(stays));
    let claim = Program { terms, root };
    let propositions = BTreeMap::from([(end, Proposition::Label("end".to_owned()))]);
    let (flow, propositions) = (&graph.flow, &propositions);
    let question = Question { flow, claim: &claim, propositions, wants: Wants::default() };
    let found = parts(question, &graph.invariants, budget)?;
    let mut regions: Vec<Vec<Region>> = vec![Vec::new(); whole.calls.procedures.len()];
    for Part { point, rows, label } in found {
        let (variant, _) = graph.origin[point.index()];
        let procedure = known.variants[variant].procedure;
        let (own, is_whole) = about_arguments(whole, procedure, &rows);
        let mut guard = known.variants[variant].cell.clone();
        guard.extend(own);
        let class = match label {
            _ if !is_whole => Class::Unknown,
            Label::Proved => Class::Ends,
            _ if never_ends(whole, known, variant, label) => Class::Never,
            Label::Refuted => Class::Stays,
            Label::Unknown => Class::Unknown,
        };
        regions[procedure].push(Region { guard, class });
    }
    for (procedure, all) in regions.iter_mut().enumerate() {
        if all.iter().all(|region| region.class == Class::Ends) {
            // Whatever is called ends.
            *all = vec![Region { guard: Vec::new(), class: Class::Ends }];
        }
        debug_assert!(!all.is_empty(), "procedure {procedure} has no region");
    }
    Ok(regions)
}

/// Whether a variant is neither left nor ends otherwise.
fn never_ends(whole: &Whole<'_>, known: &Known, variant: usize, label: Label) -> bool {
    let procedure = known.variants[variant].procedure;
    let (may_block, ends) = super::fates(whole, known, procedure);
    !known.returns(variant) && ends.is_empty() && (label == Label::Refuted || !may_block)
}

/// The rows at the beginning of a procedure as rows at its site, and whether none was lost.
fn about_arguments(whole: &Whole<'_>, procedure: usize, rows: &[Row]) -> (Vec<Row>, bool) {
    let it = &whole.calls.procedures[procedure];
    let values: BTreeMap<Column, &Affine> =
        it.enter.update.iter().map(|(to, value)| (Column::variable(*to), value)).collect();
    let is_given = |column: Column| {
        column.as_variable().is_some_and(|variable| {
            it.arguments.contains(&variable) || whole.calls.globals.contains(&variable)
        })
    };
    let (mut found, mut is_whole) = (Vec::new(), true);
    for row in rows {
        let row = row.substitute(|column| values.get(&column).copied());
        match row.filter(|row| row.affine().terms.iter().all(|term| is_given(term.0))) {
            Some(row) => found.push(row),
            None => is_whole = false,
        }
    }
    (found, is_whole)
}

fn descent(whole: &Whole<'_>, known: &Known) -> Descent {
    let variables = whole.main.flow.variables.clone();
    let mut flow = Flow { variables, ..Flow::default() };
    let (mut invariants, mut origin) = (Table::new(), Vec::new());
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for variant in 0..known.variants.len() {
        let Some(table) = known.invariants(variant) else { continue };
        first.insert(variant, origin.len());
        let body = &whole.bodies[known.variants[variant].procedure];
        for (id, point) in body.flow.points.iter() {
            let mut point = point.clone();
            let is_end = point.labels.iter().any(|it| super::ENDS.contains(&it.as_str()));
            point.labels.clear();
            if is_end || body.exit == Some(id) {
                point.labels.push("end".to_owned());
            }
            flow.add_point(point);
            invariants.push(table[id].clone());
            origin.push((variant, id));
        }
    }
    for (&variant, &offset) in &first {
        let at = |point: PointId| PointId::new(offset + point.index());
        let body = &whole.bodies[known.variants[variant].procedure];
        if let Some(exit) = body.exit {
            flow.edges.push(Edge::plain(at(exit), at(exit)));
        }
        for edge in body.flow.edges.as_slice() {
            let mut moved = |mut edge: Edge| {
                (edge.from, edge.to) = (at(edge.from), at(edge.to));
                flow.edges.push(edge);
            };
            let Some(&callee) = body.sites.get(&edge.from) else {
                moved(edge.clone());
                continue;
            };
            for returned in 0..known.variants.len() {
                if let Some(mut step) = known.step(whole, returned, callee, false) {
                    perhaps(&mut step);
                    moved(followed(step, edge));
                }
            }
        }
        for (&site, &callee) in &body.sites {
            for entered in known.entered(callee) {
                for mut down in enter(whole, known, entered, false) {
                    let Some(offset) = first.get(&entered) else { continue };
                    down.from = at(site);
                    down.to = PointId::new(offset + down.to.index());
                    flow.edges.push(down);
                }
            }
        }
        for mut start in enter(whole, known, variant, true) {
            start.to = at(start.to);
            start.from = start.to;
            flow.starts.push(start);
        }
    }
    Descent { flow, invariants, origin }
}

/// The edge from a site into a variant.
fn enter(whole: &Whole<'_>, known: &Known, variant: usize, with_rows: bool) -> Vec<Edge> {
    let mut given = Edge::plain(PointId::new(0), PointId::new(0));
    given.guard.clone_from(&known.variants[variant].cell);
    if with_rows {
        given.guard.extend(known.entry_rows(variant));
    }
    let body = &whole.bodies[known.variants[variant].procedure];
    let entered = body.flow.starts.iter().map(|start| {
        let mut edge = given.then(start).unwrap_or_else(|| start.clone());
        edge.to = start.to;
        edge
    });
    entered.collect()
}

/// Makes a step one that may happen, but never for sure.
fn perhaps(edge: &mut Edge) {
    let value = Affine::column(Column::auxiliary(edge.auxiliaries.len()));
    edge.auxiliaries.push(Auxiliary::Unknown);
    let (zero, one) = (Affine::constant(0), Affine::constant(1));
    edge.facts.extend(Row::greater_equal(&value, &zero));
    edge.facts.extend(Row::greater_equal(&one, &value));
    edge.guard.extend(Row::greater_equal(&value, &one));
}
