//! Flow graphs in which quotients and remainders of variables are variables of their own.
//!
//! To *follow* a variable `x` modulo `m` is to have two more variables, `q` and `r`, of which
//! `x = m*q + r` and `0 <= r < m` are true in all states: [`followed`] makes every start and every
//! edge that writes `x` write them too, and says by them what edges know of `x` divided by `m`. The
//! graph has the same runs, with two more values in each state, so that claims have the same truth;
//! but what is true of remainders can be said by rows there.
//!
//! An edge may become several, for different remainders. They are in the place of the one.

use crate::flow::{Affine, Auxiliary, Column, Edge, Flow, Proposition, Row};
use std::collections::BTreeMap;
use tern_model::AtomId;

/// A variable that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The variable.
    pub variable: usize,
    /// What it is divided by; at least 2.
    pub modulus: i128,
    /// The variable that is its quotient, rounded down.
    pub quotient: usize,
    /// The variable that is its remainder, not negative.
    pub remainder: usize,
}

impl Followed {
    /// `variable - modulus * quotient - remainder`, which is 0.
    pub fn relation(&self) -> Option<Affine> {
        self.parts().relation()
    }

    fn parts(&self) -> Parts {
        let [whole, quotient, remainder] =
            [self.variable, self.quotient, self.remainder].map(Column::variable);
        Parts { whole, modulus: self.modulus, quotient, remainder }
    }
}

/// A column of which `whole = modulus * quotient + remainder`.
#[derive(Clone, Copy)]
struct Parts {
    whole: Column,
    modulus: i128,
    quotient: Column,
    remainder: Column,
}

impl Parts {
    fn relation(&self) -> Option<Affine> {
        let sum = Affine::column(self.whole).plus(-self.modulus, &Affine::column(self.quotient))?;
        sum.plus(-1, &Affine::column(self.remainder))
    }
}

/// The most edges that one may become for one variable.
const MOST_CASES: i128 = 4;

/// The flow graph with these variables followed, each with what it is divided by; `None` if that
/// cannot be done.
pub fn followed(flow: &Flow, wanted: &[(usize, i128)]) -> Option<Flow> {
    let count = flow.variables.len();
    if wanted.is_empty() {
        return Some(flow.clone());
    }
    if flow.summary.is_some() || !flow.followed.is_empty() {
        return None;
    }
    let mut made = Flow { edges: Default::default(), starts: Vec::new(), ..flow.clone() };
    for (number, &(variable, modulus)) in wanted.iter().enumerate() {
        if variable >= count || modulus < 2 || wanted[..number].contains(&(variable, modulus)) {
            return None;
        }
        let (quotient, remainder) = (made.variables.len(), made.variables.len() + 1);
        let name = &flow.variables[variable];
        made.variables.push(format!("{name} / {modulus}"));
        made.variables.push(format!("{name} % {modulus}"));
        made.followed.push(Followed { variable, modulus, quotient, remainder });
    }
    let all = made.followed.clone();
    for start in &flow.starts {
        made.starts.extend(begun(start, &all)?);
    }
    for edge in flow.edges.as_slice() {
        let mut edges = vec![edge.clone()];
        for it in &all {
            edges = each(edges, |edge| divided(edge, it.parts()))?;
        }
        // What is written by the edge is said by what was there before it.
        let written: Vec<&Followed> =
            all.iter().filter(|it| edge.written(Column::variable(it.variable)).is_some()).collect();
        for it in written {
            edges = each(edges, |edge| updated(edge, it, &all))?;
        }
        for mut edge in edges {
            edge.update.sort_by_key(|(variable, _)| *variable);
            made.edges.push(edge);
        }
    }
    Some(made)
}

/// Variables that propositions divide, each with what it is divided by; `None` if they divide
/// anything but a variable and a constant.
pub fn divisions(propositions: &BTreeMap<AtomId, Proposition>) -> Option<Vec<(usize, i128)>> {
    let mut found = Vec::new();
    for proposition in propositions.values() {
        let Proposition::Divided(edges) = proposition else { continue };
        for edge in edges {
            for number in 0..edge.auxiliaries.len() {
                let column = Column::auxiliary(number);
                if edge.rows().all(|row| row.affine().factor(column) == 0) {
                    continue;
                }
                let (of, modulus, _) = quotient(edge, number)?;
                let &[(column, 1 | -1)] = &of.terms[..] else { return None };
                let division = (column.as_variable()?, modulus);
                if !found.contains(&division) {
                    found.push(division);
                }
            }
        }
    }
    Some(found)
}

/// Propositions without divisions, said by what is followed; `None` if that is not possible.
pub fn undivided(
    flow: &Flow,
    propositions: &BTreeMap<AtomId, Proposition>,
) -> Option<BTreeMap<AtomId, Proposition>> {
    let one = |(&atom, proposition): (&AtomId, &Proposition)| {
        let Proposition::Divided(edges) = proposition else {
            return Some((atom, proposition.clone()));
        };
        let mut lists = Vec::new();
        for edge in edges {
            lists.extend(said(flow, edge)?);
        }
        Some((atom, Proposition::Rows(lists)))
    };
    propositions.iter().map(one).collect()
}

/// When the guard of an edge is true, as lists of rows about variables. Facts are true anyway.
fn said(flow: &Flow, edge: &Edge) -> Option<Vec<Vec<Row>>> {
    let mut edges = vec![edge.clone()];
    for it in &flow.followed {
        edges = each(edges, |edge| divided(edge, it.parts()))?;
    }
    let is_plain = |row: &Row| row.affine().terms.iter().all(|it| it.0.as_variable().is_some());
    let mut lists = Vec::new();
    for edge in edges {
        if !edge.guard.iter().all(is_plain) {
            return None;
        }
        if edge.guard.iter().all(|row| row.truth() != Some(false)) {
            lists.push(edge.guard.into_iter().filter(|row| row.truth().is_none()).collect());
        }
    }
    Some(lists)
}

fn each(edges: Vec<Edge>, of: impl Fn(Edge) -> Option<Vec<Edge>>) -> Option<Vec<Edge>> {
    let mut found = Vec::new();
    for edge in edges {
        found.extend(of(edge)?);
    }
    Some(found)
}

/// A start that also writes quotients and remainders; what it knows of quotients is said by them.
fn begun(start: &Edge, all: &[Followed]) -> Option<Vec<Edge>> {
    let mut starts = vec![start.clone()];
    for it in all {
        let column = Column::variable(it.variable);
        let value = start.written(column).cloned().unwrap_or_else(|| Affine::column(column));
        starts = each(starts, |mut start| {
            computed(&mut start, it, &value)?;
            let [quotient, remainder] = [it.quotient, it.remainder]
                .map(|new| start.written(Column::variable(new)).map(|it| it.terms.clone()));
            match (&value.terms[..], &quotient?[..], &remainder?[..]) {
                (&[(whole, 1)], &[(quotient, 1)], &[(remainder, 1)]) if value.constant == 0 => {
                    divided(start, Parts { whole, modulus: it.modulus, quotient, remainder })
                }
                _ => Some(vec![start]),
            }
        })?;
    }
    for start in &mut starts {
        start.update.sort_by_key(|(variable, _)| *variable);
    }
    Some(starts)
}

/// Adds that quotient and remainder are those of a value, which they are known by.
fn computed(edge: &mut Edge, it: &Followed, value: &Affine) -> Option<()> {
    if value.is_constant() {
        let [quotient, remainder] =
            [value.constant.div_euclid(it.modulus), value.constant.rem_euclid(it.modulus)];
        edge.update.push((it.quotient, Affine::constant(quotient)));
        edge.update.push((it.remainder, Affine::constant(remainder)));
        return Some(());
    }
    let [quotient, remainder] = [0, 1].map(|more| {
        let number = edge.auxiliaries.len() + more;
        Affine::column(Column::auxiliary(number))
    });
    edge.auxiliaries.extend([Auxiliary::Unknown; 2]);
    let sum = quotient.times(it.modulus)?.plus(1, &remainder)?;
    edge.facts.push(Row::greater_equal(value, &sum)?);
    edge.facts.push(Row::greater_equal(&sum, value)?);
    edge.facts.push(Row::greater_equal(&remainder, &Affine::constant(0))?);
    edge.facts.push(Row::greater(&Affine::constant(it.modulus), &remainder)?);
    edge.update.push((it.quotient, quotient));
    edge.update.push((it.remainder, remainder));
    Some(())
}

/// What an unknown auxiliary is a quotient of, by facts: `a` and `m` if they say that
/// `0 <= a - m*auxiliary < m`, and the positions of these two facts.
pub fn quotient(edge: &Edge, number: usize) -> Option<(Affine, i128, [usize; 2])> {
    if edge.auxiliaries.get(number) != Some(&Auxiliary::Unknown) {
        return None;
    }
    let column = Column::auxiliary(number);
    for (low, row) in edge.facts.iter().enumerate() {
        let modulus = row.affine().factor(column).checked_neg()?;
        if modulus < 2 {
            continue;
        }
        let most = Affine::constant(modulus - 1).plus(-1, row.affine())?;
        let Some(high) = edge.facts.iter().position(|other| *other.affine() == most) else {
            continue;
        };
        let own = Affine { terms: vec![(column, modulus)], constant: 0 };
        return Some((row.affine().plus(1, &own)?, modulus, [low, high]));
    }
    None
}

/// The edge with what is known of the quotients of a variable said by the variables that follow it.
fn divided(edge: Edge, it: Parts) -> Option<Vec<Edge>> {
    let mut edges = vec![edge];
    let count = edges[0].auxiliaries.len();
    for number in 0..count {
        edges = each(edges, |edge| by_quotient(edge, it, number))?;
    }
    Some(edges)
}

fn by_quotient(mut edge: Edge, it: Parts, number: usize) -> Option<Vec<Edge>> {
    let Some((of, modulus, facts)) = quotient(&edge, number) else { return Some(vec![edge]) };
    let sign = match of.terms[..] {
        [(column, sign @ (1 | -1))] if column == it.whole => sign,
        _ => return Some(vec![edge]),
    };
    if modulus != it.modulus || it.quotient == Column::auxiliary(number) {
        return Some(vec![edge]);
    }
    edge.facts = (edge.facts.into_iter().enumerate())
        .filter(|(at, _)| !facts.contains(at))
        .map(|(_, row)| row)
        .collect();
    // of = sign * modulus * q + (sign * r + constant)
    let remainder = Affine { terms: vec![(it.remainder, sign)], constant: 0 };
    let rest = remainder.plus(1, &Affine::constant(of.constant))?;
    let (least, most) = match sign {
        1 => (of.constant, of.constant.checked_add(modulus - 1)?),
        _ => (of.constant.checked_sub(modulus - 1)?, of.constant),
    };
    let mut edges = Vec::new();
    for more in least.div_euclid(modulus)..=most.div_euclid(modulus) {
        let quotient = Affine { terms: vec![(it.quotient, sign)], constant: more };
        let mut part = replaced(&edge, Column::auxiliary(number), &quotient, it)?;
        part.guard.extend(between(&rest, more, modulus)?);
        edges.push(part);
    }
    Some(edges)
}

/// That a sum, once divided by a number, is this, rounded down.
fn between(sum: &Affine, quotient: i128, modulus: i128) -> Option<[Row; 2]> {
    let low = Affine::constant(quotient.checked_mul(modulus)?);
    let high = Affine::constant(low.constant.checked_add(modulus - 1)?);
    Some([Row::greater_equal(sum, &low)?, Row::greater_equal(&high, sum)?])
}

/// The edge with a value for an auxiliary, and with `r` in place of `x - m*q`.
fn replaced(edge: &Edge, column: Column, value: &Affine, it: Parts) -> Option<Edge> {
    let of = |read: Column| (read == column).then_some(value);
    let say = |affine: &Affine| {
        if affine.factor(column) == 0 {
            return Some(affine.clone());
        }
        let affine = affine.substitute(of)?;
        let factor = affine.factor(it.quotient);
        match factor % it.modulus {
            0 if factor != 0 => affine.plus(factor / it.modulus, &it.relation()?),
            _ => Some(affine),
        }
    };
    let rows = |rows: &[Row]| {
        rows.iter().map(|row| say(row.affine()).map(Row::at_least_zero)).collect::<Option<_>>()
    };
    let update = edge.update.iter().map(|(variable, value)| Some((*variable, say(value)?)));
    Some(Edge {
        facts: rows(&edge.facts)?,
        guard: rows(&edge.guard)?,
        update: update.collect::<Option<_>>()?,
        ..edge.clone()
    })
}

/// An edge that writes a variable, with quotient and remainder written too.
fn updated(mut edge: Edge, it: &Followed, all: &[Followed]) -> Option<Vec<Edge>> {
    let value = edge.written(Column::variable(it.variable))?.clone();
    match by_remainders(&value, it, all) {
        Some((rest, least, most)) => {
            let quotients = least.div_euclid(it.modulus)..=most.div_euclid(it.modulus);
            let mut edges = Vec::new();
            for more in quotients {
                let mut part = edge.clone();
                let rows = between(&rest, more, it.modulus)?;
                // What is true for all remainders need not be said.
                let is_one = least.div_euclid(it.modulus) == most.div_euclid(it.modulus);
                part.guard.extend(rows.into_iter().filter(|row| !is_one && row.truth().is_none()));
                let taken = Affine::constant(more.checked_mul(it.modulus)?);
                let remainder = rest.plus(-1, &taken)?;
                let quotient = whole_quotient(&value, &remainder, it, all)?;
                part.update.push((it.remainder, remainder));
                part.update.push((it.quotient, quotient));
                edges.push(part);
            }
            Some(edges)
        }
        None => {
            computed(&mut edge, it, &value)?;
            Some(vec![edge])
        }
    }
}

/// A sum of remainders that is the same as a value modulo what it is divided by, with its least and
/// its greatest value; `None` if there is none, or if it would be divided into too many cases.
fn by_remainders(value: &Affine, it: &Followed, all: &[Followed]) -> Option<(Affine, i128, i128)> {
    let modulus = it.modulus;
    let mut rest = Affine::constant(value.constant.rem_euclid(modulus));
    let (mut least, mut most) = (rest.constant, rest.constant);
    for &(column, factor) in &value.terms {
        let factor = match factor.rem_euclid(modulus) {
            0 => continue,
            factor if factor == modulus - 1 && modulus > 2 => -1,
            factor => factor,
        };
        // A remainder is its own, if it is that of anything.
        let own = all.iter().find(|other| Column::variable(other.remainder) == column);
        let known = own.or_else(|| {
            let of = |it: &&Followed| Column::variable(it.variable) == column;
            all.iter().filter(|other| other.modulus == modulus).find(of)
        })?;
        rest = rest.plus(factor, &Affine::column(Column::variable(known.remainder)))?;
        let reach = factor.checked_mul(known.modulus - 1)?;
        least = least.checked_add(reach.min(0))?;
        most = most.checked_add(reach.max(0))?;
    }
    let cases = most.div_euclid(modulus) - least.div_euclid(modulus);
    (cases < MOST_CASES).then_some((rest, least, most))
}

/// `(value - remainder) / modulus`, by the quotients and remainders of what is followed.
fn whole_quotient(
    value: &Affine,
    remainder: &Affine,
    it: &Followed,
    all: &[Followed],
) -> Option<Affine> {
    let mut sum = value.plus(-1, remainder)?;
    for &(column, factor) in &value.terms {
        let known = all.iter().find(|other| {
            other.modulus == it.modulus && Column::variable(other.variable) == column
        });
        if let Some(known) = known {
            sum = sum.plus(-factor, &known.relation()?)?;
        }
    }
    let over = |number: i128| (number % it.modulus == 0).then_some(number / it.modulus);
    let terms = sum.terms.iter().map(|&(column, factor)| Some((column, over(factor)?)));
    Some(Affine { terms: terms.collect::<Option<_>>()?, constant: over(sum.constant)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Point, PointId};
    use tern_model::index::Id;

    /// One point, one variable, and these edges from the point to itself.
    fn flow(edges: Vec<Edge>) -> Flow {
        let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
        flow.add_point(Point { total: true, ..Point::default() });
        edges.into_iter().for_each(|edge| {
            flow.edges.push(edge);
        });
        flow.starts.push(Edge::plain(PointId::new(0), PointId::new(0)));
        flow
    }

    fn x() -> Affine {
        Affine::column(Column::variable(0))
    }

    fn assigning(value: Affine) -> Edge {
        let mut edge = Edge::plain(PointId::new(0), PointId::new(0));
        edge.update.push((0, value));
        edge
    }

    /// What the edges make of a number: the values of all variables, by the one edge whose guard is
    /// true.
    fn step(flow: &Flow, number: i128) -> Vec<i128> {
        let it = flow.followed[0];
        let state = [number, number.div_euclid(it.modulus), number.rem_euclid(it.modulus)];
        let of = |column: Column| state[column.as_variable().expect("no auxiliaries")];
        let fits = |edge: &&Edge| {
            edge.guard.iter().all(|row| row.affine().evaluate(of).expect("small") >= 0)
        };
        let fitting: Vec<&Edge> = flow.edges.as_slice().iter().filter(fits).collect();
        assert_eq!(fitting.len(), 1, "one case fits {number}");
        let value = |variable: usize| match fitting[0].written(Column::variable(variable)) {
            Some(value) => value.evaluate(of).expect("small"),
            None => state[variable],
        };
        (0..3).map(value).collect()
    }

    #[test]
    fn sums_are_followed_case_by_case() {
        for modulus in 2..7 {
            for factor in [-2, -1, 0, 1, 2, 3] {
                for constant in -9..9 {
                    let value = Affine::constant(constant).plus(factor, &x()).expect("small");
                    let flow = flow(vec![assigning(value)]);
                    let made = followed(&flow, &[(0, modulus)]).expect("it is followed");
                    if made.edges.as_slice().iter().any(|edge| !edge.auxiliaries.is_empty()) {
                        assert!(factor.abs() > 1, "{factor} is simple");
                        continue;
                    }
                    for number in -20..20 {
                        let now = factor * number + constant;
                        let wanted = vec![now, now.div_euclid(modulus), now.rem_euclid(modulus)];
                        assert_eq!(step(&made, number), wanted, "{factor}*{number}+{constant}");
                    }
                }
            }
        }
    }

    #[test]
    fn quotients_of_edges_are_said_by_what_is_followed() {
        for modulus in 2..6 {
            for (sign, constant) in [(1, 0), (-1, 0), (1, 1), (-1, 3), (1, -7)] {
                let mut edge = Edge::plain(PointId::new(0), PointId::new(0));
                edge.auxiliaries.push(Auxiliary::Unknown);
                let of = Affine::constant(constant).plus(sign, &x()).expect("small");
                let own = Affine::column(Column::auxiliary(0));
                let rest = of.plus(-modulus, &own).expect("small");
                edge.facts.extend(Row::greater_equal(&rest, &Affine::constant(0)));
                edge.facts.extend(Row::greater(&Affine::constant(modulus), &rest));
                edge.update.push((0, own.plus(100, &rest).expect("small")));
                let made = followed(&flow(vec![edge]), &[(0, modulus)]).expect("it is followed");
                for number in -20..20 {
                    let of = sign * number + constant;
                    let now = of.div_euclid(modulus) + 100 * of.rem_euclid(modulus);
                    // Of what is written here, the remainder is not known by remainders.
                    let found = written(&made, number);
                    assert_eq!(found, now, "{sign}*{number}+{constant} by {modulus}");
                }
            }
        }
    }

    /// What the one edge whose guard is true gives the first variable.
    fn written(flow: &Flow, number: i128) -> i128 {
        let it = flow.followed[0];
        let state = [number, number.div_euclid(it.modulus), number.rem_euclid(it.modulus)];
        let of = |column: Column| state[column.as_variable().expect("no auxiliaries")];
        let fits = |edge: &&Edge| {
            let is_plain =
                |row: &&Row| row.affine().terms.iter().all(|term| term.0.as_variable().is_some());
            let mut plain = edge.guard.iter().filter(is_plain);
            plain.all(|row| row.affine().evaluate(of).expect("small") >= 0)
        };
        let fitting: Vec<&Edge> = flow.edges.as_slice().iter().filter(fits).collect();
        assert_eq!(fitting.len(), 1, "one case fits {number}");
        let value = fitting[0].written(Column::variable(0)).expect("it is written");
        value.evaluate(of).expect("small")
    }
}
