//! The partition of the states of an integer program, as data of the page: cells with the values
//! of the parts of a claim, and with the ranks that fall on the way.
//!
//! ```text
//! variables  their names
//! terms      [{text, op, of, rows, values, ranks}]: the parts of the claim, the whole of it last;
//!            operator and operands; of comparisons, lists of rows of which one is true; a letter
//!            for each cell, t, f or u (unknown); cells with what falls there, the most important
//!            first
//! points     [{line, labels, first, invariant, tree}]: where the program may be; the number of its
//!            first cell; rows that are true there; rows in preorder, null for a cell
//! ```
//! A row, or sum, is a list of texts: the constant, then variables with their factors in turn. The
//! value of a row is true if it is not negative; the first side of a tree is where that is so.

use crate::visible;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Flow, Proposition};
use tern_ir::proof::{Branch, CellNumber, Layer, Progress, Proof};
use tern_model::index::{AtomId, Id, Table, TermId};
use tern_model::logic::ctl::Term;

/// A page has room for no more cells.
const MOST_CELLS: usize = 20_000;

/// What is known of a part of a claim in each cell, and what falls there.
#[derive(Clone, Debug, Default)]
struct Known {
    values: Vec<Option<bool>>,
    ranks: BTreeMap<CellNumber, Vec<Affine>>,
}

impl Known {
    fn set(&mut self, cells: impl IntoIterator<Item = CellNumber>, value: bool) {
        for cell in cells {
            if let Some(known) = self.values.get_mut(cell as usize) {
                *known = Some(value);
            }
        }
    }

    /// Takes over where something is reached in the end.
    fn reach(&mut self, progress: &Progress, value: bool) {
        self.set(progress.levels.iter().map(|level| level.0), value);
        for group in &progress.groups {
            for (place, rank) in group.ranks.iter().enumerate() {
                for (cell, sum) in rank {
                    let ranks = self.ranks.entry(*cell).or_default();
                    // Where a rank is not named it is 0.
                    ranks.resize(place.max(ranks.len()), Affine::default());
                    ranks.push(sum.clone());
                }
            }
        }
    }
}

/// The partition by which a claim was decided; `None` if it is too large for a page.
pub fn partition(
    flow: &Flow,
    meanings: &BTreeMap<AtomId, Proposition>,
    proof: &Proof,
    show: impl Fn(TermId) -> String,
) -> Option<Value> {
    let leaves = |tree: &Vec<Branch>| tree.iter().filter(|it| **it == Branch::Leaf).count();
    let cells: usize = proof.trees.iter().map(leaves).sum();
    // Of a graph in which runs are read, nobody knows the points.
    if cells > MOST_CELLS || proof.runs {
        return None;
    }
    let mut first = 0;
    let mut points = Vec::new();
    let mut owners = Vec::with_capacity(cells);
    for (point, tree) in flow.points.ids().zip(&proof.trees) {
        let count = leaves(tree);
        let place = &flow.points[point];
        let invariant = proof.invariants.get(point.index()).and_then(Option::as_ref);
        if let (Some(invariant), true) = (invariant, count > 0) {
            let rows: Vec<Value> = invariant.iter().map(|row| sum(row.affine())).collect();
            let labels: Vec<_> = place.labels.iter().map(|label| visible(label)).collect();
            let tree: Vec<Value> = tree.iter().map(branch).collect();
            points.push(json!({
                "line": place.line, "labels": labels, "first": first, "invariant": rows,
                "tree": tree,
            }));
        }
        first += count;
        owners.resize(first, point);
    }
    let mut known: Table<TermId, Known> = Table::new();
    for ((id, &term), layer) in proof.claim.terms.iter().zip(&proof.layers) {
        debug_assert_eq!(id.index(), known.len());
        let mut own = Known { values: vec![None; cells], ranks: BTreeMap::new() };
        match (term, layer) {
            (Term::Atom(atom), Layer::Plain) => {
                if let Some(Proposition::Label(name)) = meanings.get(&atom) {
                    let has = |&point| Some(flow.points[point].labels.contains(name));
                    own.values = owners.iter().map(has).collect();
                }
            }
            (_, Layer::Plain) => {
                for cell in 0..cells {
                    own.values[cell] = boolean(term, |of| known[of].values[cell]);
                }
            }
            (_, Layer::Rows { proved, refuted }) => {
                own.set(proved.iter().map(|it| it.0), true);
                own.set(refuted.iter().map(|it| it.0), false);
            }
            (_, Layer::Next { proved, refuted }) => {
                own.set(proved.iter().map(|it| it.0), true);
                own.set(refuted.iter().copied(), false);
            }
            (_, Layer::Until { proved, refuted, .. }) => {
                own.reach(proved, true);
                own.set(refuted.iter().copied(), false);
            }
            (_, Layer::Always { proved, refuted, .. }) => {
                own.set(proved.iter().map(|it| it.0), true);
                own.reach(refuted, false);
            }
        }
        known.push(own);
    }
    let terms: Vec<Value> = known
        .iter()
        .map(|(id, known)| {
            let letter = |value: &Option<bool>| match value {
                Some(true) => 't',
                Some(false) => 'f',
                None => 'u',
            };
            let values: String = known.values.iter().map(letter).collect();
            let ranks: Vec<Value> = known
                .ranks
                .iter()
                .map(|(cell, ranks)| json!([cell, ranks.iter().map(sum).collect::<Vec<_>>()]))
                .collect();
            let term = proof.claim.terms[id];
            let of: Vec<usize> = term.operands().map(Id::index).collect();
            json!({
                "text": visible(&show(id)), "op": operator(term), "of": of,
                "rows": comparison(term, meanings), "values": values, "ranks": ranks,
            })
        })
        .collect();
    let graph = proof.graph(flow);
    let variables: Vec<_> =
        graph.as_ref().unwrap_or(flow).variables.iter().map(|name| visible(name)).collect();
    Some(json!({"variables": variables, "terms": terms, "points": points}))
}

/// What an operator is called on the page.
fn operator(term: Term) -> &'static str {
    match term {
        Term::True => "true",
        Term::Atom(_) => "atom",
        Term::Not(_) => "!",
        Term::And(..) => "&",
        Term::Or(..) => "|",
        Term::Ex(_) => "EX",
        Term::Eu(..) => "EU",
        Term::Eg(_) => "EG",
    }
}

/// The rows of a comparison: it is true where all of one of the lists are.
fn comparison(term: Term, meanings: &BTreeMap<AtomId, Proposition>) -> Option<Vec<Vec<Value>>> {
    let Term::Atom(atom) = term else { return None };
    let Proposition::Rows(cases) = meanings.get(&atom)? else { return None };
    let rows = cases.iter().map(|rows| rows.iter().map(|row| sum(row.affine())).collect());
    Some(rows.collect())
}

/// The value of a boolean operator, as far as those of its operands settle it.
fn boolean(term: Term, of: impl Fn(TermId) -> Option<bool>) -> Option<bool> {
    match term {
        Term::True => Some(true),
        Term::Not(f) => of(f).map(|value| !value),
        Term::And(f, g) => match (of(f), of(g)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Term::Or(f, g) => match (of(f), of(g)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Term::Atom(_) | Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => None,
    }
}

fn branch(branch: &Branch) -> Value {
    match branch {
        Branch::Split(row) => sum(row.affine()),
        Branch::Leaf => Value::Null,
    }
}

/// A sum of variables: they are all that evidence is about between steps.
fn sum(sum: &Affine) -> Value {
    let terms = sum.terms.iter().filter_map(|&(column, factor)| {
        column.as_variable().map(|variable| [variable.to_string(), factor.to_string()])
    });
    let mut all = vec![sum.constant.to_string()];
    all.extend(terms.flatten());
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_ir::flow::{Column, Point, Row};
    use tern_ir::proof::Group;
    use tern_model::logic::ctl::Program;

    /// One point `x >= 0`, split at `x >= 3`, and `!EG true`, which is refuted by the rank x.
    fn example() -> (Flow, Proof) {
        let x = Affine::column(Column::variable(0));
        let row =
            |least: i128| Row::at_least_zero(x.plus(1, &Affine::constant(-least)).expect("small"));
        let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
        flow.points.push(Point { line: 7, labels: vec!["exit".to_owned()], ..Point::default() });
        let mut terms: Table<TermId, Term> = Table::new();
        let truth = terms.push(Term::True);
        let always = terms.push(Term::Eg(truth));
        let root = terms.push(Term::Not(always));
        let refuted = Progress {
            levels: vec![(1, 0)],
            groups: vec![Group { ranks: vec![vec![], vec![(1, x.clone())]], ..Group::default() }],
        };
        let again = Progress::default();
        let always = Layer::Always { proved: Vec::new(), again, refuted };
        let proof = Proof {
            claim: Program { terms, root },
            invariants: vec![Some(vec![row(0)])],
            begun: Vec::new(),
            kept: Vec::new(),
            trees: vec![vec![Branch::Split(row(3)), Branch::Leaf, Branch::Leaf]],
            starts: Vec::new(),
            steps: Vec::new(),
            live: None,
            layers: vec![Layer::Plain, always, Layer::Plain],
            start: None,
            calls: None,
            descended: false,
            runs: false,
            followed: Vec::new(),
        };
        (flow, proof)
    }

    #[test]
    fn cells_have_the_values_and_ranks_of_the_evidence() {
        let (flow, proof) = example();
        let data = partition(&flow, &BTreeMap::new(), &proof, |term| format!("<{}", term.index()))
            .expect("small");
        let point = json!({
            "line": 7, "labels": ["exit"], "first": 0, "invariant": [["0", "0", "1"]],
            "tree": [["-3", "0", "1"], null, null],
        });
        assert_eq!(data["points"], json!([point]));
        let values: Vec<&Value> = (0..3).map(|term| &data["terms"][term]["values"]).collect();
        assert_eq!(values, ["tt", "uf", "ut"]);
        // The first rank is not named in the cell, and so it is 0.
        assert_eq!(data["terms"][1]["ranks"], json!([[1, [["0"], ["0", "0", "1"]]]]));
    }
}
