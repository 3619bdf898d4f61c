//! Steps that no run takes for ever: levels of cells, and ranks inside of a level.

use super::{Cells, Labeller, Move, Reasons};
use crate::partition::CellId;
use crate::passing;
use crate::rank::{self, Outcome, Ranking, Relation, strongly_connected};
use std::rc::Rc;
use tern_ir::flow::{Affine, Edge, Row};
use tern_model::Limit;
use tern_model::index::Id;

impl Labeller<'_, '_> {
    /// The cells of `within` from which the given steps lead into `end` after finitely many; they
    /// get levels. If it may wait, the steps that stay among waiting points do not count.
    pub(super) fn well_founded(
        &mut self,
        (within, end): (&Cells, &Cells),
        steps: &[Move],
        reasons: &mut Reasons,
        may_wait: bool,
    ) -> Result<Cells, Limit> {
        let cells: Vec<CellId> = within.iter().copied().collect();
        let number = |cell: &CellId| cells.binary_search(cell).ok();
        let mut graph: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
        let mut is_lost = vec![false; cells.len()];
        for (from, _, to) in steps {
            let Some(from) = number(from) else { continue };
            match number(to) {
                Some(to) => graph[from].push(to),
                None => is_lost[from] |= !end.contains(to),
            }
        }
        let part = strongly_connected(&graph);
        let parts = part.iter().max().map_or(0, |most| most + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); parts];
        for cell in 0..cells.len() {
            members[part[cell]].push(cell);
        }
        let mut inside: Vec<Vec<&Move>> = vec![Vec::new(); parts];
        for step in steps {
            if let (Some(from), Some(to)) = (number(&step.0), number(&step.2))
                && part[from] == part[to]
            {
                inside[part[from]].push(step);
            }
        }
        // Components are numbered successors first.
        let mut is_good = vec![true; parts];
        for this in 0..parts {
            self.solver.check()?;
            let leads_well = |&cell: &usize| {
                !is_lost[cell]
                    && graph[cell].iter().all(|&to| part[to] == this || is_good[part[to]])
            };
            if !members[this].iter().all(leads_well) {
                is_good[this] = false;
                continue;
            }
            let ranking = match inside[this].is_empty() {
                true => None,
                false => {
                    let ranking = self.ranking(&inside[this], may_wait)?;
                    is_good[this] = ranking.is_some();
                    ranking
                }
            };
            if is_good[this] {
                let members: Vec<CellId> = members[this].iter().map(|&cell| cells[cell]).collect();
                reasons.rise(&members);
                reasons.ranked.extend(ranking.map(|ranking| (reasons.height, ranking)));
            }
        }
        Ok((0..cells.len()).filter(|&cell| is_good[part[cell]]).map(|cell| cells[cell]).collect())
    }

    /// Why no run takes these steps for ever, if a reason is found.
    fn ranking(&mut self, steps: &[&Move], may_wait: bool) -> Result<Option<Rc<Ranking>>, Limit> {
        let mut relations = Vec::new();
        for &(from, edge, to) in steps {
            let mut edge = Edge::clone(edge);
            let mut guard = self.partition.rows(*from);
            guard.append(&mut edge.guard);
            if let Some(before) = self.partition.before(&edge, *to) {
                guard.extend(before);
            }
            edge.guard = guard;
            match passing::relation(self.partition, (*from, *to), edge) {
                Some(Some(relation)) => {
                    let waits = relation.waits && may_wait;
                    relations.push(Relation { waits, ..relation });
                }
                Some(None) => {}
                None => return Ok(None),
            }
        }
        let Some(relations) = passing::shortened(self.partition, relations) else {
            return Ok(None);
        };
        let key: Vec<(usize, usize, Edge, bool)> =
            relations.iter().map(|it| (it.from, it.to, it.edge.clone(), it.waits)).collect();
        if let Some(known) = self.memory.ranks.get(&key) {
            return Ok(known.clone());
        }
        let ranking = match rank::find(&relations, self.solver)? {
            Outcome::Ranked(ranking) => Some(Rc::new(ranking)),
            Outcome::Stuck(paths) => {
                self.take_hints(&paths);
                None
            }
        };
        self.memory.ranks.insert(key, ranking.clone());
        Ok(ranking)
    }

    /// Rows that say that what a path compares falls on it.
    fn take_hints(&mut self, paths: &[Relation]) {
        let is_plain = |affine: &Affine| affine.terms.iter().all(|t| t.0.as_variable().is_some());
        for path in paths {
            for row in path.edge.guard.iter().filter(|row| is_plain(row.affine())) {
                let after = row.affine().substitute(|column| path.edge.written(column));
                let falls = after.and_then(|after| Row::greater(row.affine(), &after));
                if let Some(falls) = falls
                    && falls.truth().is_none()
                    && is_plain(falls.affine())
                {
                    self.hints.push((CellId::new(path.from), falls));
                }
            }
        }
    }
}
