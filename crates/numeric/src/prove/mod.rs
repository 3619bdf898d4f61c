//! Writes down why a verdict is right, as a [`Proof`] that can be checked by multiplying and
//! adding.
//!
//! The labels of the last round are gone through again, as far as the verdict rests on them
//! (`demand`), and for each condition that they meet a reason is found: the solver says why a
//! system has no point, and ranks are followed along the paths between cuts (`paths`). The systems
//! are those that `tern_ir::proof` speaks of, row by row in the same order.

mod demand;
mod paths;

use crate::check::{Example, Question, Round};
use crate::label::{Labeller, Reasons, Way};
use crate::partition::{CellId, Partition, choose};
use crate::system::Solver;
use demand::{Demand, Need};
use rustc_hash::FxHashMap;
use tern_ir::flow::{Edge, EdgeId, Proposition, Row};
use tern_ir::proof::{self, Branch, CellNumber, Kept, Layer, Progress, Proof, Refutation, Walk};
use tern_model::Limit;
use tern_model::logic::ctl::Term;

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A limit was reached.
    Limit(Limit),
    /// No reason was found for something of this kind.
    NotFound(&'static str),
}

impl From<Limit> for Gap {
    fn from(limit: Limit) -> Self {
        Gap::Limit(limit)
    }
}

type Result<T> = std::result::Result<T, Gap>;

/// What is proved.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'g> {
    /// The claim holds in all states that these starts lead to.
    Holds(&'g [(usize, CellId)]),
    /// The claim fails in this state.
    Fails(&'g Example),
}

/// How much effort a proof may take, as a multiple of what was allowed for to find the verdict:
/// nothing else can be tried in its place.
pub(crate) const EFFORT: u64 = 8;

/// Proves the verdict of a round.
pub(crate) fn prove(
    labeller: &mut Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    goal: Goal<'_>,
) -> Result<Proof> {
    labeller.solver.budget().renew_effort(EFFORT);
    let calls = match &question.flow.summary {
        None => None,
        Some(found) => Some(Box::new(crate::recursion::prove(found, labeller.solver.budget())?)),
    };
    let (root, live) = match &goal {
        Goal::Holds(starts) => {
            let cells: Vec<CellId> = starts.iter().map(|&(_, cell)| cell).collect();
            demand::of_starts(&cells, &round.terms[question.claim.root])
        }
        Goal::Fails(example) => {
            let (mut root, mut live) = (Need::default(), Need::default());
            root.refuted.insert(example.cell);
            live.proved.insert(example.cell);
            (root, live)
        }
    };
    let partition = &*labeller.partition;
    let demand = Demand::close(root, live, question, partition, round);
    let (trees, numbers) = trees(partition);
    let mut prover = Prover { partition, solver: labeller.solver, numbers };
    let starts = match &goal {
        Goal::Holds(_) => partition.flow.starts.clone(),
        Goal::Fails(example) => {
            let start = &partition.flow.starts[example.start];
            vec![example.start(start).ok_or(Gap::NotFound("an initial state"))?]
        }
    };
    let (begun, kept) = prover.invariants(&starts)?;
    let mut starts = Vec::new();
    if let Goal::Holds(reached) = &goal {
        for (number, start) in partition.flow.starts.iter().enumerate() {
            let alive: Vec<CellId> =
                reached.iter().filter(|it| it.0 == number).map(|it| it.1).collect();
            starts.push(prover.walk(&[], start, &alive)?);
        }
    }
    let mut steps = Vec::new();
    for &cell in &demand.steps {
        steps.push((prover.number(cell), prover.steps(cell)?));
    }
    steps.sort_by_key(|it| it.0);
    let live = match &round.live_reasons {
        None => None,
        Some(reasons) => Some(prover.always(&demand.live, reasons)?),
    };
    let mut layers = Vec::new();
    for (id, &term) in question.claim.terms.iter() {
        let (need, reasons) = (&demand.terms[id], &round.reasons[id]);
        layers.push(match term {
            Term::True | Term::Not(_) | Term::And(..) | Term::Or(..) => Layer::Plain,
            Term::Atom(atom) => match question.propositions.get(&atom) {
                Some(Proposition::Rows(lists)) => prover.rows(need, lists)?,
                _ => Layer::Plain,
            },
            Term::Ex(_) => Layer::Next {
                proved: prover.ways(need, reasons)?,
                refuted: prover.set(need.refuted.iter()),
            },
            Term::Eu(..) => Layer::Until {
                proved: prover.progress(&need.proved, reasons, true)?,
                ways: prover.ways(need, reasons)?,
                refuted: prover.set(need.refuted.iter()),
            },
            Term::Eg(_) => prover.always(need, reasons)?,
        });
    }
    let start = match goal {
        Goal::Holds(_) => None,
        Goal::Fails(example) => Some(prover.start(example)?),
    };
    let invariants = partition.invariants.as_slice().to_vec();
    let claim = question.claim.clone();
    let followed = question.flow.followed.iter().map(|it| (it.variable as u32, it.modulus));
    Ok(Proof {
        claim,
        invariants,
        begun,
        kept,
        trees,
        starts,
        steps,
        live,
        layers,
        start,
        calls,
        descended: false,
        runs: false,
        followed: followed.collect(),
    })
}

/// The trees of cells, and the numbers of their leaves.
fn trees(partition: &Partition<'_>) -> (Vec<Vec<Branch>>, FxHashMap<CellId, CellNumber>) {
    let (mut trees, mut numbers) = (Vec::new(), FxHashMap::default());
    for point in partition.flow.points.ids() {
        let mut tree = Vec::new();
        let mut todo: Vec<CellId> = partition.root(point).into_iter().collect();
        while let Some(cell) = todo.pop() {
            tree.push(match partition.parts(cell) {
                None => {
                    let next = numbers.len() as CellNumber;
                    numbers.insert(cell, next);
                    Branch::Leaf
                }
                Some((row, [yes, no])) => {
                    todo.extend([no, yes]);
                    Branch::Split(row.clone())
                }
            });
        }
        trees.push(tree);
    }
    (trees, numbers)
}

/// Why a row follows from a system.
pub(crate) fn entailed(
    solver: &mut Solver<'_>,
    rows: &[Row],
    row: Option<Row>,
    what: &'static str,
) -> Result<Refutation> {
    let row = row.ok_or(Gap::NotFound(what))?;
    if row.truth() == Some(true) {
        return Ok(Refutation::new());
    }
    if let Some(at) = rows.iter().position(|known| *known == row) {
        let sum = vec![(at as u32, 1), (rows.len() as u32, 1)];
        return Ok(vec![proof::Reason::Sum(sum)]);
    }
    let negated = row.negated().ok_or(Gap::NotFound(what))?;
    let mut system = rows.to_vec();
    system.push(negated);
    solver.refute(&system)?.ok_or(Gap::NotFound(what))
}

/// Finds reasons.
struct Prover<'p, 'a> {
    partition: &'p Partition<'a>,
    solver: &'p mut Solver<'a>,
    numbers: FxHashMap<CellId, CellNumber>,
}

impl Prover<'_, '_> {
    fn number(&self, cell: CellId) -> CellNumber {
        self.numbers.get(&cell).copied().unwrap_or(CellNumber::MAX)
    }

    fn set<'c>(&self, cells: impl Iterator<Item = &'c CellId>) -> Vec<CellNumber> {
        let mut numbers: Vec<CellNumber> = cells.map(|&cell| self.number(cell)).collect();
        numbers.sort_unstable();
        numbers
    }

    fn entailed(
        &mut self,
        rows: &[Row],
        row: Option<Row>,
        what: &'static str,
    ) -> Result<Refutation> {
        entailed(self.solver, rows, row, what)
    }

    /// Why invariants are true after starts, and stay true on edges.
    fn invariants(&mut self, starts: &[Edge]) -> Result<(Vec<Kept>, Vec<Option<Kept>>)> {
        let flow = self.partition.flow;
        let mut begun = Vec::new();
        for start in starts {
            begun.push(self.kept(&[], start)?);
        }
        let mut kept = Vec::new();
        for (_, edge) in flow.edges.iter() {
            kept.push(match &self.partition.invariants[edge.from] {
                None => None,
                Some(rows) => Some(self.kept(rows, edge)?),
            });
        }
        Ok((begun, kept))
    }

    fn kept(&mut self, before: &[Row], edge: &Edge) -> Result<Kept> {
        const WHAT: &str = "an invariant";
        let mut rows = before.to_vec();
        rows.extend(edge.rows().cloned());
        let Some(after) = &self.partition.invariants[edge.to] else {
            let dead = self.solver.refute(&rows)?;
            return dead.map(Kept::Dead).ok_or(Gap::NotFound(WHAT));
        };
        let mut reasons = Vec::new();
        for row in after {
            let row = row.substitute(|column| edge.written(column));
            reasons.push(self.entailed(&rows, row, WHAT)?);
        }
        Ok(Kept::Rows(reasons))
    }

    /// Through the tree of the target of an edge: which cells are not reached, and why.
    fn walk(&mut self, before: &[Row], edge: &Edge, alive: &[CellId]) -> Result<Vec<Walk>> {
        let mut rows = before.to_vec();
        rows.extend(edge.rows().cloned());
        let base = rows.len();
        let mut walk = Vec::new();
        let mut todo: Vec<CellId> = self.partition.root(edge.to).into_iter().collect();
        while let Some(cell) = todo.pop() {
            let is_alive = self.partition.leaves_of(cell).iter().any(|leaf| alive.contains(leaf));
            if !is_alive && let Some(own) = self.partition.before(edge, cell) {
                rows.truncate(base);
                rows.extend(own);
                if let Some(dead) = self.solver.refute(&rows)? {
                    walk.push(Walk::Dead(dead));
                    continue;
                }
            }
            walk.push(Walk::On);
            match self.partition.parts(cell) {
                Some((_, [yes, no])) => todo.extend([no, yes]),
                None if is_alive => {}
                None => return Err(Gap::NotFound("a step that is not there")),
            }
        }
        Ok(walk)
    }

    /// Where all edges of a cell lead.
    fn steps(&mut self, cell: CellId) -> Result<Vec<Vec<Walk>>> {
        let rows = self.partition.rows(cell);
        let mut walks = Vec::new();
        for &edge in self.partition.leaving(cell) {
            let steps = self.partition.steps(cell).iter().filter(|step| step.edge == edge);
            let alive: Vec<CellId> = steps.map(|step| step.to).collect();
            walks.push(self.walk(&rows, &self.partition.flow.edges[edge], &alive)?);
        }
        Ok(walks)
    }

    /// The edge of a way, with its choices made.
    fn chosen(&self, way: &Way) -> Result<Option<(EdgeId, Edge)>> {
        let Some((id, choices)) = &way.by else { return Ok(None) };
        let edge = choose(&self.partition.flow.edges[*id], choices);
        edge.map(|edge| Some((*id, edge))).ok_or(Gap::NotFound("a way"))
    }

    fn way(&mut self, cell: CellId, way: &Way) -> Result<proof::Way> {
        const WHAT: &str = "a guard that is true";
        let Some((id, chosen)) = self.chosen(way)? else { return Ok(proof::Way::All) };
        let rows = self.partition.rows(cell);
        let mut with_facts = rows.clone();
        with_facts.extend_from_slice(&chosen.facts);
        let mut guard = Vec::new();
        for row in &chosen.guard {
            let is_plain = row.affine().terms.iter().all(|term| term.0.as_variable().is_some());
            let known = if is_plain { &rows } else { &with_facts };
            guard.push(self.entailed(known, Some(row.clone()), WHAT)?);
        }
        let alive: Vec<CellId> = way.steps.iter().map(|&(_, to)| to).collect();
        let walk = self.walk(&rows, &chosen, &alive)?;
        let made = way.by.iter().flat_map(|(_, choices)| choices);
        let choices = made.map(|(number, value)| (*number as u32, value.clone())).collect();
        Ok(proof::Way::Take { edge: id, choices, guard, walk })
    }

    /// The ways of cells that have to be proved.
    fn ways(&mut self, need: &Need, reasons: &Reasons) -> Result<Vec<(CellNumber, proof::Way)>> {
        let mut ways = Vec::new();
        for &cell in &need.proved {
            if let Some(way) = reasons.ways.get(&cell) {
                ways.push((self.number(cell), self.way(cell, way)?));
            }
        }
        ways.sort_by_key(|it| it.0);
        Ok(ways)
    }

    fn always(&mut self, need: &Need, reasons: &Reasons) -> Result<Layer> {
        let again = match &reasons.again {
            None => Progress::default(),
            Some(again) => self.progress(&need.proved, again, true)?,
        };
        Ok(Layer::Always {
            proved: self.ways(need, reasons)?,
            again,
            refuted: self.progress(&need.refuted, reasons, false)?,
        })
    }

    /// Where a proposition is true and false.
    fn rows(&mut self, need: &Need, lists: &[Vec<Row>]) -> Result<Layer> {
        const WHAT: &str = "a proposition";
        let (mut proved, mut refuted) = (Vec::new(), Vec::new());
        for &cell in &need.proved {
            let rows = self.partition.rows(cell);
            let mut found = None;
            for (number, list) in lists.iter().enumerate() {
                let mut reasons = Vec::new();
                for row in list {
                    match self.entailed(&rows, Some(row.clone()), WHAT) {
                        Ok(reason) => reasons.push(reason),
                        Err(Gap::NotFound(_)) => break,
                        Err(limit) => return Err(limit),
                    }
                }
                if reasons.len() == list.len() {
                    found = Some((self.number(cell), number as u32, reasons));
                    break;
                }
            }
            proved.push(found.ok_or(Gap::NotFound(WHAT))?);
        }
        for &cell in &need.refuted {
            let mut rows = self.partition.rows(cell);
            let mut reasons = Vec::new();
            for list in lists {
                let mut found = None;
                for (number, row) in list.iter().enumerate() {
                    rows.push(row.clone());
                    let dead = self.solver.refute(&rows)?;
                    rows.pop();
                    if let Some(dead) = dead {
                        found = Some((number as u32, dead));
                        break;
                    }
                }
                reasons.push(found.ok_or(Gap::NotFound(WHAT))?);
            }
            refuted.push((self.number(cell), reasons));
        }
        proved.sort_by_key(|it| it.0);
        refuted.sort_by_key(|it| it.0);
        Ok(Layer::Rows { proved, refuted })
    }

    /// Why a state is an initial one, and in its cell.
    fn start(&mut self, example: &Example) -> Result<proof::Start> {
        const WHAT: &str = "an initial state";
        let start = &self.partition.flow.starts[example.start];
        let facts = example.fixed(start, &start.facts).ok_or(Gap::NotFound(WHAT))?;
        let mut wanted = start.guard.clone();
        let after = |row: &Row| row.substitute(|column| start.written(column));
        let cell: Option<Vec<Row>> = self.partition.rows(example.cell).iter().map(after).collect();
        wanted.extend(cell.ok_or(Gap::NotFound(WHAT))?);
        let mut reasons = Vec::new();
        for row in example.fixed(start, &wanted).ok_or(Gap::NotFound(WHAT))? {
            reasons.push(self.entailed(&facts, Some(row), WHAT)?);
        }
        Ok(proof::Start {
            start: example.start as u32,
            variables: example.variables.clone(),
            auxiliaries: example.auxiliaries.clone(),
            cell: self.number(example.cell),
            reasons,
        })
    }
}
