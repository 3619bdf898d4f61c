//! Steps that every state of a cell has: an edge with its choices made, or all steps of a total
//! point.

use super::{Chance, Choices, Labeller, Way};
use crate::partition::{CellId, Step, choices, choose};
use std::rc::Rc;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, EdgeId, Row};
use tern_model::Limit;

impl Labeller<'_, '_> {
    pub(super) fn way(
        &mut self,
        cell: CellId,
        inside: impl Fn(CellId) -> bool,
    ) -> Result<Option<Way>, Limit> {
        Ok(self.find_ways(cell, &inside, 1)?.pop())
    }

    pub(super) fn ways(
        &mut self,
        cell: CellId,
        inside: impl Fn(CellId) -> bool,
    ) -> Result<Vec<Way>, Limit> {
        self.find_ways(cell, &inside, 8)
    }

    /// Ways by which every state of a cell has a step into cells that are `inside`; at most so
    /// many.
    fn find_ways(
        &mut self,
        cell: CellId,
        inside: &dyn Fn(CellId) -> bool,
        most: usize,
    ) -> Result<Vec<Way>, Limit> {
        let mut ways = Vec::new();
        let steps: Vec<Step> = self.partition.steps(cell).to_vec();
        let flow = self.partition.flow;
        let is_total = flow.points[self.partition.cells[cell].point].total;
        let mut edges: Vec<EdgeId> =
            steps.iter().filter(|step| inside(step.to)).map(|step| step.edge).collect();
        edges.dedup();
        edges.retain(|&edge| !flow.edges[edge].auxiliaries.contains(&Auxiliary::Outcome));
        for edge in edges {
            let targets: Vec<CellId> =
                steps.iter().filter(|step| step.edge == edge).map(|step| step.to).collect();
            let is_open = flow.edges[edge].auxiliaries.contains(&Auxiliary::Choice);
            let aims: Vec<Option<CellId>> = match is_open {
                true => targets.iter().copied().filter(|&to| inside(to)).map(Some).collect(),
                false => vec![None],
            };
            let mut tried = 0;
            for aim in aims {
                let chances = self.chances(cell, edge, aim, &targets)?;
                for chance in chances.iter() {
                    if ways.len() >= most {
                        return Ok(ways);
                    }
                    if chance.to.iter().all(|&to| inside(to)) {
                        let by = Some((edge, chance.choices.clone()));
                        let step = |&to: &CellId| (Rc::clone(&chance.edge), to);
                        ways.push(Way { steps: chance.to.iter().map(step).collect(), by });
                    }
                }
                tried += chances.len();
                if tried > MOST_CHOICES {
                    break;
                }
            }
        }
        let leads_inside = !steps.is_empty() && steps.iter().all(|step| inside(step.to));
        if ways.is_empty() && is_total && leads_inside {
            let all = steps.iter().map(|it| (Rc::clone(&self.partition.edges[it.edge]), it.to));
            ways.push(Way { steps: all.collect(), by: None });
        }
        Ok(ways)
    }

    /// How every state of a cell can take an edge, with choices that may lead to a cell.
    fn chances(
        &mut self,
        cell: CellId,
        edge: EdgeId,
        aim: Option<CellId>,
        targets: &[CellId],
    ) -> Result<Rc<[Chance]>, Limit> {
        if let Some((then, known)) = self.memory.chances.get(&(cell, edge, aim))
            && then == targets
        {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        let plain = Rc::clone(&self.partition.edges[edge]);
        let chosen = match aim {
            None => vec![(plain, Choices::new())],
            Some(to) => self.choices(&plain, to),
        };
        for (edge, choices) in chosen {
            if let Some(to) = self.follow(cell, &edge, targets)? {
                found.push(Chance { edge, choices, to });
            }
        }
        let found: Rc<[Chance]> = found.into();
        self.memory.chances.insert((cell, edge, aim), (targets.to_vec(), Rc::clone(&found)));
        Ok(found)
    }

    /// The edge with choices that may lead to a cell.
    fn choices(&self, edge: &Edge, to: CellId) -> Vec<(Rc<Edge>, Choices)> {
        let mut partial = vec![(edge.clone(), Choices::new())];
        for number in choices(edge) {
            let mut next = Vec::new();
            for (edge, made) in &partial {
                let mut rows = edge.guard.clone();
                rows.extend(self.partition.before(edge, to).unwrap_or_default());
                let point = self.partition.cells[to].point;
                for row in self.partition.invariants[point].iter().flatten() {
                    rows.extend(row.substitute(|column| edge.written(column)));
                }
                for value in candidates(&rows, Column::auxiliary(number)) {
                    let choice = [(number, value)];
                    let chosen = choose(edge, &choice);
                    next.extend(chosen.map(|edge| (edge, [made, &choice[..]].concat())));
                }
            }
            next.truncate(MOST_CHOICES);
            partial = next;
        }
        partial.into_iter().map(|(edge, made)| (Rc::new(edge), made)).collect()
    }

    /// The cells that an edge without further choices leads to, if every state of the cell can take
    /// it.
    fn follow(
        &mut self,
        cell: CellId,
        edge: &Edge,
        targets: &[CellId],
    ) -> Result<Option<Vec<CellId>>, Limit> {
        let rows = self.partition.rows(cell);
        // Facts can be relied on only where the guard is true as far as it says nothing of them.
        let mut known = rows.clone();
        let is_plain = |row: &&Row| row.affine().terms.iter().all(|t| t.0.as_variable().is_some());
        let (plain, others): (Vec<&Row>, Vec<&Row>) = edge.guard.iter().partition(is_plain);
        for row in plain {
            if !self.solver.entails(&known, row)? {
                return Ok(None);
            }
        }
        known.extend_from_slice(&edge.facts);
        for row in others {
            if !self.solver.entails(&known, row)? {
                return Ok(None);
            }
        }
        let mut reached = Vec::new();
        for &to in targets {
            if self.partition.may_step(&rows, edge, to, self.solver)? {
                reached.push(to);
            }
        }
        // A way leads somewhere, whatever else was concluded of a cell that has no states.
        Ok((!reached.is_empty()).then_some(reached))
    }
}

/// The most choices of an edge that are tried.
const MOST_CHOICES: usize = 24;

/// Values for a column that are as small or as large as some row allows, by the variables.
fn candidates(rows: &[Row], column: Column) -> Vec<Affine> {
    let mut found: Vec<Affine> = Vec::new();
    let mut others: Vec<Affine> = Vec::new();
    for row in rows {
        let factor = row.affine().factor(column);
        if factor.abs() != 1 {
            continue;
        }
        // column >= -rest, or column <= rest
        let term = Affine { terms: vec![(column, -factor)], constant: 0 };
        let rest = row.affine().plus(1, &term).and_then(|rest| rest.times(-factor));
        let Some(rest) = rest else { continue };
        match rest.terms.iter().all(|term| term.0.as_variable().is_some()) {
            true => found.push(rest),
            false => others.push(Affine::constant(rest.constant)),
        }
    }
    found.append(&mut others);
    found.push(Affine::constant(0));
    let mut unique: Vec<Affine> = Vec::new();
    for value in found {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique.truncate(10);
    unique
}
