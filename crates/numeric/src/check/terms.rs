//! One round: labels all terms of a claim, says what is unknown, and splits cells there.

use super::{Doubt, Question, Round};
use crate::label::{Label, Labeller, Labels, Reasons};
use crate::partition::CellId;
use crate::refine::{self, Splits};
use tern_ir::flow::{Proposition, Row};
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{Limit, TermId};

/// Labels all terms of a claim.
pub(super) fn label(
    labeller: &mut Labeller<'_, '_>,
    question: &Question<'_>,
) -> Result<Round, Limit> {
    let flow = question.flow;
    let everywhere = labeller.labels(|_| Label::Proved);
    let is_total = flow.points.as_slice().iter().all(|point| point.total && !point.waiting);
    let live_reasons = if is_total { None } else { Some(labeller.always(&everywhere)?) };
    let live = match &live_reasons {
        None => everywhere.clone(),
        Some(reasons) => labeller.by_sets(reasons),
    };
    let mut terms: Table<TermId, Labels> = Table::new();
    let mut all_reasons: Table<TermId, Reasons> = Table::new();
    for (_, &term) in question.claim.terms.iter() {
        let with_run = |labeller: &Labeller<'_, '_>, labels: &Labels| {
            labeller.labels(|cell| labels[cell].and(live[cell]))
        };
        let mut reasons = Reasons::default();
        let labels = match term {
            Term::True => everywhere.clone(),
            Term::Atom(atom) => proposition(labeller, question.propositions.get(&atom))?,
            Term::Not(f) => labeller.labels(|cell| terms[f][cell].not()),
            Term::And(f, g) => labeller.labels(|cell| terms[f][cell].and(terms[g][cell])),
            Term::Or(f, g) => {
                labeller.labels(|cell| terms[f][cell].not().and(terms[g][cell].not()).not())
            }
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                reasons = match term {
                    Term::Ex(f) => {
                        let f = with_run(labeller, &terms[f]);
                        labeller.next(&f)?
                    }
                    Term::Eu(f, g) => {
                        let g = with_run(labeller, &terms[g]);
                        labeller.until(&terms[f], &g)?
                    }
                    Term::Eg(f) => labeller.always(&terms[f])?,
                    _ => Reasons::default(),
                };
                labeller.by_sets(&reasons)
            }
        };
        terms.push(labels);
        all_reasons.push(reasons);
    }
    Ok(Round { live, live_reasons, terms, reasons: all_reasons })
}

/// Where a proposition is true.
fn proposition(
    labeller: &mut Labeller<'_, '_>,
    meaning: Option<&Proposition>,
) -> Result<Labels, Limit> {
    let lists = match meaning {
        None => return Ok(labeller.labels(|_| Label::Unknown)),
        Some(Proposition::Label(name)) => {
            let flow = labeller.partition.flow;
            let has = |cell: CellId| {
                flow.points[labeller.partition.cells[cell].point].labels.contains(name)
            };
            return Ok(
                labeller.labels(|cell| if has(cell) { Label::Proved } else { Label::Refuted })
            );
        }
        Some(Proposition::Rows(lists)) => lists,
        // Whoever asks has said it by rows.
        Some(Proposition::Divided(_)) => return Ok(labeller.labels(|_| Label::Unknown)),
    };
    let mut labels = labeller.labels(|_| Label::Unknown);
    for cell in labeller.cells.clone() {
        let rows = labeller.partition.rows(cell);
        let mut value = Label::Refuted;
        for list in lists {
            let mut all = Label::Proved;
            for row in list {
                all = all.and(truth(labeller, &rows, row)?);
            }
            value = value.not().and(all.not()).not();
        }
        labels[cell] = value;
    }
    Ok(labels)
}

/// Whether a row is true in all states of a system, or in none.
fn truth(labeller: &mut Labeller<'_, '_>, rows: &[Row], row: &Row) -> Result<Label, Limit> {
    if labeller.solver.entails(rows, row)? {
        return Ok(Label::Proved);
    }
    match row.negated() {
        Some(negated) if labeller.solver.entails(rows, &negated)? => Ok(Label::Refuted),
        _ => Ok(Label::Unknown),
    }
}

/// What is unknown, innermost first, and where.
pub(super) fn doubt(
    labeller: &Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    starts: &[CellId],
) -> Doubt {
    for (id, _) in question.claim.terms.iter().filter(|(_, term)| term.is_temporal()) {
        let labels = &round.terms[id];
        let unknown = |cell: &&CellId| labels[**cell] == Label::Unknown;
        let found = starts.iter().find(unknown).or_else(|| labeller.cells.iter().find(unknown));
        if let Some(&cell) = found {
            let rows = labeller.partition.rows(cell);
            return (Some(id), Some(labeller.partition.cells[cell].point), rows);
        }
    }
    // All is known but whether there is a run at all.
    let unknown = |cell: &&CellId| round.live[**cell] == Label::Unknown;
    match starts.iter().find(unknown) {
        Some(&cell) => {
            let point = labeller.partition.cells[cell].point;
            (None, Some(point), labeller.partition.rows(cell))
        }
        None => (None, None, Vec::new()),
    }
}

/// Splits cells where something is unknown. Says whether any was split.
pub(super) fn refine(
    labeller: &mut Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    starts: &[CellId],
    ranks_first: bool,
) -> Result<bool, Limit> {
    let mut splits = Splits::new();
    for (cell, row) in std::mem::take(&mut labeller.hints) {
        splits.entry(cell).or_default().push(row);
    }
    let mut first = Splits::new();
    refine::note(labeller, &round.live, &round.live, &mut first)?;
    for (id, &term) in question.claim.terms.iter() {
        let labels = &round.terms[id];
        match term {
            Term::Ex(f) => refine::note(labeller, labels, &round.terms[f], &mut first)?,
            Term::Eu(..) | Term::Eg(_) => refine::note(labeller, labels, labels, &mut first)?,
            _ => {}
        }
    }
    for (cell, rows) in first {
        let all = splits.entry(cell).or_default();
        if ranks_first {
            all.extend(rows);
        } else {
            let hints = std::mem::replace(all, rows);
            all.extend(hints);
        }
    }
    if refine::apply(labeller, &splits)? {
        return Ok(true);
    }
    // Nothing suggests itself: values are told apart where they are few.
    let unknown = |labels: &Labels| starts.iter().any(|&cell| labels[cell] == Label::Unknown);
    let mut splits = Splits::new();
    if unknown(&round.live) {
        refine::tell_apart(labeller, &round.live, &mut splits)?;
    }
    for (id, _) in question.claim.terms.iter().filter(|(_, term)| term.is_temporal()) {
        if splits.is_empty() {
            refine::tell_apart(labeller, &round.terms[id], &mut splits)?;
        }
    }
    refine::apply(labeller, &splits)
}
