//! The states of a flow graph one by one, as `tern_ir::flow` and `tern_ir::calls` define them.
//!
//! Values that nobody gave are `None`; to need one is an error of the caller's. A choice that has
//! many values and is bound to nothing else is left so. Where what is known of an auxiliary leaves
//! many values, only some are tried: those near what bounds it, and those that the operators of C
//! make of the values of the state.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use tern_ir::calls::Calls;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, PointId, Row};

/// What cannot be followed: a value that was never given is needed, or there is too much to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// A state: a point, the values of all variables, and what waits for calls to end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) point: PointId,
    pub(super) values: Vec<Option<i128>>,
    pub(super) waiting: Vec<(PointId, Vec<Option<i128>>)>,
}

/// Steps that one edge allows with one set of choices: one for each value that what is unknown may
/// have.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) states: Vec<State>,
    /// Whether there is a step for each such value, so that the edge can be taken for sure.
    pub(super) is_sure: bool,
}

/// A flow graph with its calls.
pub(super) struct Graph<'a> {
    pub(super) flow: &'a Flow,
    pub(super) calls: &'a Calls,
    leaving: Vec<Vec<&'a Edge>>,
}

/// The most values of one auxiliary that are all tried.
const MOST: i128 = 300;

/// So many values next to a bound are tried of an auxiliary that may have more.
const NEAR: i128 = 6;

/// The most ways to take one edge.
const MOST_WAYS: usize = 20_000;

impl<'a> Graph<'a> {
    pub(super) fn new(flow: &'a Flow, calls: &'a Calls) -> Self {
        let mut leaving = vec![Vec::new(); flow.points.len()];
        for (_, edge) in flow.edges.iter() {
            leaving[tern_model::Id::index(edge.from)].push(edge);
        }
        Graph { flow, calls, leaving }
    }

    /// The initial states.
    pub(super) fn starts(&self) -> Result<Vec<Group>, Lost> {
        let nothing = vec![None; self.flow.variables.len()];
        let mut found = Vec::new();
        for start in &self.flow.starts {
            for group in taken(start, &nothing)? {
                found.push(self.arrived(start.to, group, &[])?);
            }
        }
        Ok(found)
    }

    /// The steps from a state.
    pub(super) fn next(&self, state: &State) -> Result<Vec<Group>, Lost> {
        self.steps(state.point, &state.values, &state.waiting)
    }

    fn steps(
        &self,
        point: PointId,
        values: &[Option<i128>],
        waiting: &[(PointId, Vec<Option<i128>>)],
    ) -> Result<Vec<Group>, Lost> {
        let mut found = Vec::new();
        for edge in &self.leaving[tern_model::Id::index(point)] {
            for group in taken(edge, values)? {
                found.push(self.arrived(edge.to, group, waiting)?);
            }
        }
        Ok(found)
    }

    /// What it means to come to a point: it may be a call, or the end of one.
    fn arrived(
        &self,
        point: PointId,
        (all, is_sure): Taken,
        waiting: &[(PointId, Vec<Option<i128>>)],
    ) -> Result<Group, Lost> {
        let mut group = Group { states: Vec::new(), is_sure };
        for values in all {
            let mut state = State { point, values, waiting: waiting.to_vec() };
            if let Some(&number) = self.calls.sites.get(&point) {
                let procedure = &self.calls.procedures[number];
                state.waiting.push((point, state.values.clone()));
                let entered = taken(&procedure.enter, &state.values)?;
                for (entered, _) in entered {
                    for values in entered {
                        let point = procedure.enter.to;
                        group.states.push(State { point, values, ..state.clone() });
                    }
                }
                continue;
            }
            let ended = self.calls.procedures.iter().find(|it| it.exit == Some(point));
            let Some(procedure) = ended else {
                group.states.push(state);
                continue;
            };
            // The step that ends a call is the one in which the caller takes the result.
            let (site, before) = state.waiting.pop().expect("a call is open");
            let mut values = before;
            for &variable in self.calls.globals.iter().chain([&procedure.result]) {
                values[variable] = state.values[variable];
            }
            for returned in self.steps(site, &values, &state.waiting)? {
                group.is_sure &= returned.is_sure;
                group.states.extend(returned.states);
            }
        }
        Ok(group)
    }
}

/// The values after an edge for each value of what is unknown, and whether there is a step for
/// each.
type Taken = (Vec<Vec<Option<i128>>>, bool);

/// A row over auxiliaries only.
struct Bound {
    terms: Vec<(usize, i128)>,
    constant: i128,
    is_fact: bool,
}

/// The ways to take an edge, by its choices.
fn taken(edge: &Edge, values: &[Option<i128>]) -> Result<Vec<Taken>, Lost> {
    let mut rows = Vec::new();
    let mut is_lost = false;
    let facts = edge.facts.iter().map(|row| (row, true));
    for (row, is_fact) in facts.chain(edge.guard.iter().map(|row| (row, false))) {
        match bound(row, values, is_fact) {
            Some(row) if row.terms.is_empty() => {
                if row.constant < 0 {
                    return Ok(Vec::new());
                }
            }
            Some(row) => rows.push(row),
            None => is_lost = true,
        }
    }
    if is_lost {
        return Err(Lost);
    }
    let free = free(edge, &rows);
    let is_choice = |at: usize| edge.auxiliaries[at] == Auxiliary::Choice;
    let choices = |way: &[Option<i128>]| -> Vec<Option<i128>> {
        way.iter().enumerate().map(|(at, value)| value.filter(|_| is_choice(at))).collect()
    };
    let hints = LazyCell::new(|| hints(values));
    let mut search = Search { free: &free, hints: &hints, cut: vec![false; free.len()] };
    let all: Vec<&Bound> = rows.iter().collect();
    let mut groups: Vec<(Vec<Option<i128>>, Taken)> = Vec::new();
    for way in search.ways(&all)? {
        let (own, after) = (choices(&way), updated(edge, values, &way)?);
        match groups.iter_mut().find(|(of, _)| *of == own) {
            Some((_, group)) => group.0.push(after),
            None => groups.push((own, (vec![after], true))),
        }
    }
    // Unknown values that fit the facts, for choices that fit the guard: all must fit the rest.
    let on_choices = |row: &&Bound| row.is_fact || row.terms.iter().all(|it| is_choice(it.0));
    let (first, rest): (Vec<&Bound>, Vec<&Bound>) = rows.iter().partition(on_choices);
    search.cut.fill(false);
    let ways = search.ways(&first)?;
    let is_about_cut = |row: &&&Bound| row.terms.iter().any(|it| search.cut[it.0]);
    let is_open = rest.iter().any(|row| is_about_cut(&row));
    for way in &ways {
        let of = |at: usize| way[at];
        let fits = rest.iter().all(|row| row.value(of).is_some_and(|value| value >= 0));
        if let Some((_, group)) = groups.iter_mut().find(|(of, _)| *of == choices(way)) {
            group.1 &= fits && !is_open;
        }
    }
    if ways.is_empty() && !edge.auxiliaries.contains(&Auxiliary::Choice) {
        // What the program computes must fit the facts: a step for sure, which nothing can match.
        return Ok(vec![(Vec::new(), true)]);
    }
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

fn bound(row: &Row, values: &[Option<i128>], is_fact: bool) -> Option<Bound> {
    let affine = row.affine();
    let (mut terms, mut constant) = (Vec::new(), affine.constant);
    for &(column, factor) in &affine.terms {
        match column.as_variable() {
            Some(variable) => constant += factor * values[variable]?,
            None => terms.push((column.as_auxiliary()?, factor)),
        }
    }
    Some(Bound { terms, constant, is_fact })
}

impl Bound {
    fn value(&self, of: impl Fn(usize) -> Option<i128>) -> Option<i128> {
        let mut sum = self.constant;
        for &(at, factor) in &self.terms {
            sum += factor * of(at)?;
        }
        Some(sum)
    }
}

/// The choices of many values that nothing else depends on.
fn free(edge: &Edge, rows: &[Bound]) -> Vec<bool> {
    let is_free = |at: usize| {
        let mut about = rows.iter().filter(|row| row.terms.iter().any(|it| it.0 == at));
        let (low, high) = range(rows.iter(), at, &|_| (None, None));
        let is_many = low.zip(high).is_none_or(|(low, high)| high - low > 8);
        edge.auxiliaries[at] == Auxiliary::Choice && is_many && about.all(|it| it.terms.len() == 1)
    };
    (0..edge.auxiliaries.len()).map(is_free).collect()
}

type Range = (Option<i128>, Option<i128>);

/// What rows say of an auxiliary, given ranges of the others.
fn range<'a>(
    rows: impl Iterator<Item = &'a Bound>,
    at: usize,
    of: &dyn Fn(usize) -> Range,
) -> Range {
    let (mut low, mut high): Range = (None, None);
    for row in rows {
        let Some(&(_, own)) = row.terms.iter().find(|it| it.0 == at) else { continue };
        // own * value >= -(the most that the rest can be)
        let mut most = Some(row.constant);
        for &(other, factor) in row.terms.iter().filter(|it| it.0 != at) {
            let (least, greatest) = of(other);
            let end = if factor > 0 { greatest } else { least };
            most = most.zip(end).and_then(|(sum, end)| sum.checked_add(factor.checked_mul(end)?));
        }
        let Some(most) = most else { continue };
        if own > 0 {
            let least = -most.div_euclid(own);
            low = Some(low.map_or(least, |low: i128| low.max(least)));
        } else {
            let greatest = most.div_euclid(-own);
            high = Some(high.map_or(greatest, |high: i128| high.min(greatest)));
        }
    }
    (low, high)
}

/// A search for the values of auxiliaries.
struct Search<'a, F> {
    free: &'a [bool],
    hints: &'a LazyCell<BTreeSet<i128>, F>,
    /// Of which auxiliaries not all values were tried.
    cut: Vec<bool>,
}

impl<F: FnOnce() -> BTreeSet<i128>> Search<'_, F> {
    /// All values of the auxiliaries that fit rows, as far as they are tried.
    fn ways(&mut self, rows: &[&Bound]) -> Result<Vec<Vec<Option<i128>>>, Lost> {
        let mut ways = Vec::new();
        self.extend(rows, &mut vec![None; self.free.len()], &mut ways)?;
        Ok(ways)
    }

    fn extend(
        &mut self,
        rows: &[&Bound],
        chosen: &mut Vec<Option<i128>>,
        ways: &mut Vec<Vec<Option<i128>>>,
    ) -> Result<(), Lost> {
        let mut ranges: Vec<Range> = chosen.iter().map(|&it| (it, it)).collect();
        let is_open = |at: usize| chosen[at].is_none() && !self.free[at];
        for _ in 0..4 {
            for at in (0..chosen.len()).filter(|&at| is_open(at)) {
                let of = |other: usize| ranges[other];
                ranges[at] = range(rows.iter().copied(), at, &of);
            }
        }
        let width = |at: usize| match ranges[at] {
            (Some(low), Some(high)) => (high - low).max(-1),
            (None, None) => i128::MAX,
            _ => i128::MAX - 1,
        };
        let open = (0..ranges.len()).filter(|&at| is_open(at));
        let Some(at) = open.min_by_key(|&at| width(at)) else {
            let of = |at: usize| chosen[at];
            if rows.iter().all(|row| row.value(of).is_none_or(|value| value >= 0)) {
                ways.push(chosen.clone());
            }
            return if ways.len() > MOST_WAYS { Err(Lost) } else { Ok(()) };
        };
        let values: BTreeSet<i128> = match ranges[at] {
            (Some(low), Some(high)) if high - low < MOST => (low..=high).collect(),
            (low, high) => {
                self.cut[at] = true;
                let fits = |value: &i128| {
                    low.is_none_or(|low| low <= *value) && high.is_none_or(|high| *value <= high)
                };
                let near = low.into_iter().flat_map(|low| low..low + NEAR);
                let below = high.into_iter().flat_map(|high| high - NEAR + 1..=high);
                near.chain(below).chain(self.hints.iter().copied()).filter(fits).collect()
            }
        };
        for value in values {
            chosen[at] = Some(value);
            self.extend(rows, chosen, ways)?;
        }
        chosen[at] = None;
        Ok(())
    }
}

fn updated(
    edge: &Edge,
    values: &[Option<i128>],
    way: &[Option<i128>],
) -> Result<Vec<Option<i128>>, Lost> {
    let mut after = values.to_vec();
    for (variable, value) in &edge.update {
        after[*variable] = evaluate(value, values, way)?;
    }
    Ok(after)
}

fn evaluate(
    affine: &Affine,
    values: &[Option<i128>],
    way: &[Option<i128>],
) -> Result<Option<i128>, Lost> {
    let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => values[variable],
        (_, number) => number.and_then(|number| way[number]),
    };
    if let [(column, 1)] = affine.terms[..]
        && affine.constant == 0
    {
        return Ok(of(column));
    }
    let mut sum = affine.constant;
    for &(column, factor) in &affine.terms {
        sum += factor * of(column).ok_or(Lost)?;
    }
    Ok(Some(sum))
}

/// What operators that are not followed exactly may make of the values of a state.
fn hints(values: &[Option<i128>]) -> BTreeSet<i128> {
    let mut bare: BTreeSet<i128> = values.iter().flatten().copied().collect();
    bare.extend(-4..=9);
    let negative: Vec<i128> = bare.iter().copied().filter(|it| *it < 0).collect();
    for bits in [8, 16, 32, 64] {
        bare.extend(negative.iter().map(|it| it + (1_i128 << bits)));
    }
    let mut hints = bare.clone();
    for &a in &bare {
        for &b in &bare {
            hints.extend(a.checked_mul(b));
            hints.insert(a & b);
            if b != 0 {
                hints.extend([a / b, a % b]);
            }
        }
    }
    hints
}
