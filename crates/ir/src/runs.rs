//! Claims about runs that CTL cannot say, on a graph in which automata read the runs.
//!
//! [`read`] makes a graph and a claim of CTL about it that is true just where a claim of LTL or
//! CTL\* is true of a flow graph. The points of the flow graph come first, with their edges. Behind
//! them, for each formula `E f` that is not of CTL, are pairs of a point and a state of the
//! [automaton] of f, which reads a state of the program on each edge that leaves it.
//! An edge leads from a point to the pairs in which its run is read from the beginning, so that
//! `E f` is `EX (begins & EG reads)`. A run is accepted if it comes again and again to pairs that
//! are not *waiting* ([`Point::waiting`](crate::flow::Point::waiting)); no other run stays there.
//!
//! Where the automaton asks for a formula with a quantifier, an edge leads back from the pair to
//! its point, and `reads` demands that the formula is true there. All other operators are about
//! states that are not pairs.
//!
//! # Why it is right
//! A run of pairs is a run of the program with one of the automaton beside it, as edges of pairs
//! are edges of the program and no other. That the automaton accepts the runs that have f is shown
//! in [`automaton`]. Points keep their edges, so that a state has a run if and only if it has one
//! in the program: what begins in a pair is one as well. Only where edges lead back, a run could
//! begin to be read and come back for ever, without a step; so there are none of these if a state
//! of the program may have no step.

pub mod automaton;
mod terms;

use crate::flow::{Edge, EdgeId, Flow, PointId, Proposition, Row};
use automaton::{Automaton, Cover, Signed};
use std::collections::{BTreeMap, BTreeSet};
use terms::{Alone, alone, used};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Formula, FormulaId, Formulas, TermId};

/// The most subformulas of a claim.
const MOST_SUBFORMULAS: usize = 300;
/// The most points and edges of the graph.
const MOST_POINTS: usize = 3000;
const MOST_EDGES: usize = 20_000;
/// The most cases by which it is seen that a pair always has a step.
const MOST_CASES: usize = 200;
/// The most ways in which the propositions that a step asks for can be true.
const MOST_LISTS: usize = 64;

/// A graph in which runs are read, and a claim about it.
#[derive(Clone, Debug)]
pub struct Read {
    /// The graph.
    pub flow: Flow,
    /// The claim.
    pub program: Program,
    /// What its propositions mean.
    pub propositions: BTreeMap<AtomId, Proposition>,
    /// The point of each pair, and of each point itself.
    pub of: Vec<PointId>,
    /// The edge of the flow graph that each edge is; none if it is no step.
    pub steps: Table<EdgeId, Option<EdgeId>>,
    /// The formulas of the claim that terms stand for, and whether a formula is true where the term
    /// is false.
    pub parts: BTreeMap<TermId, Signed>,
}

/// The graph for a claim, in which a formula of paths is about all of them; `None` if it becomes
/// too large.
pub fn read(
    flow: &Flow,
    formulas: &Formulas,
    claim: FormulaId,
    propositions: &BTreeMap<AtomId, Proposition>,
) -> Option<Read> {
    let Alone { formulas, claim, propositions, written } = alone(formulas, claim, propositions);
    let order = formulas.subformulas(claim);
    if order.len() > MOST_SUBFORMULAS {
        return None;
    }
    let wanted = wanted(&formulas, claim, &order);
    let mut maker = Maker {
        flow,
        is_total: flow.points.as_slice().iter().all(|point| point.total),
        formulas: &formulas,
        leaving: flow.leaving(),
        made: flow.clone(),
        of: flow.points.ids().collect(),
        edges: flow.edges.ids().map(Some).collect(),
        parts: BTreeMap::new(),
        terms: Table::new(),
        next_atom: formulas.atoms_of(claim).len(),
        propositions,
        known: BTreeMap::new(),
    };
    let reads = maker.label(READS);
    for id in order {
        let Some(&everywhere) = wanted.get(&id) else { continue };
        let term = maker.state(id, everywhere, reads)?;
        maker.known.insert(id, term);
    }
    let root = match maker.known.get(&claim) {
        Some(&root) => root,
        None => {
            let some = maker.some((claim, true), false, reads)?;
            maker.parts.entry(some).or_insert((claim, true));
            maker.make(Term::Not(some))
        }
    };
    let Maker { made, terms, propositions, of, edges, parts, .. } = maker;
    let (program, moved) = used(&terms, root);
    let part = |(term, (formula, no))| Some((*moved.get(&term)?, (written[&formula], no)));
    let parts = parts.into_iter().filter_map(part).collect();
    Some(Read { flow: made, program, propositions, of, steps: edges, parts })
}

/// The label of pairs; no label of a program has a blank.
const READS: &str = "a run is read";

/// The formulas about states that are asked for, and whether they are asked for anywhere but at
/// the beginning.
fn wanted(formulas: &Formulas, claim: FormulaId, order: &[FormulaId]) -> BTreeMap<FormulaId, bool> {
    let mut wanted: BTreeMap<FormulaId, bool> = BTreeMap::new();
    // Inside of formulas of paths: those with quantifiers are asked for.
    let mut inside: BTreeSet<FormulaId> = BTreeSet::new();
    if formulas.is_state_formula(claim) {
        wanted.insert(claim, false);
    } else {
        inside.insert(claim);
    }
    for &id in order.iter().rev() {
        let formula = formulas.get(id);
        if inside.contains(&id) {
            match formula.is_quantifier() {
                true => drop(wanted.insert(id, true)),
                false => inside.extend(formula.operands()),
            }
        }
        let Some(&everywhere) = wanted.get(&id) else { continue };
        for operand in formula.operands() {
            if !formula.is_quantifier() {
                *wanted.entry(operand).or_default() |= everywhere;
            } else if let Some(operator) = direct(formulas, formula) {
                wanted.extend(operator.operands().map(|it| (it, true)));
            } else {
                inside.insert(operand);
            }
        }
    }
    wanted
}

/// The operator of CTL that a formula with a quantifier is, with its operands.
fn direct(formulas: &Formulas, formula: Formula) -> Option<Formula> {
    let (path, is_all) = match formula {
        Formula::Exists(path) => (path, false),
        Formula::All(path) => (path, true),
        _ => return None,
    };
    let path = formulas.get(path);
    let is_known = match path {
        Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) => true,
        Formula::Until(..) => !is_all,
        _ => false,
    };
    (is_known && path.operands().all(|it| formulas.is_state_formula(it))).then_some(path)
}

struct Maker<'a> {
    flow: &'a Flow,
    /// Whether every state of the flow graph has a step.
    is_total: bool,
    formulas: &'a Formulas,
    leaving: Table<PointId, Vec<EdgeId>>,
    made: Flow,
    of: Vec<PointId>,
    /// The edge of the flow graph that each edge is.
    edges: Table<EdgeId, Option<EdgeId>>,
    /// What terms stand for.
    parts: BTreeMap<TermId, Signed>,
    terms: Table<TermId, Term>,
    propositions: BTreeMap<AtomId, Proposition>,
    next_atom: usize,
    /// The terms of formulas about states.
    known: BTreeMap<FormulaId, TermId>,
}

/// A pair: a point, the state of the automaton, how many promises were kept since the last pair
/// that is not waiting, and what the automaton asks for.
type Pair = (PointId, usize, usize, BTreeSet<Signed>);

impl Maker<'_> {
    /// A term, the same for equal ones.
    fn make(&mut self, term: Term) -> TermId {
        let known = self.terms.iter().find(|(_, known)| **known == term).map(|(id, _)| id);
        known.unwrap_or_else(|| self.terms.push(term))
    }

    fn and(&mut self, f: TermId, g: TermId) -> TermId {
        self.make(Term::And(f, g))
    }

    fn not(&mut self, f: TermId) -> TermId {
        self.make(Term::Not(f))
    }

    /// The term for a label that is new.
    fn label(&mut self, label: &str) -> TermId {
        let atom = AtomId::new(self.next_atom);
        self.next_atom += 1;
        self.propositions.insert(atom, Proposition::Label(label.to_owned()));
        self.make(Term::Atom(atom))
    }

    /// A formula about states, by its operands.
    fn state(&mut self, id: FormulaId, everywhere: bool, reads: TermId) -> Option<TermId> {
        let of = |this: &Self, it: FormulaId| this.known.get(&it).copied();
        let formula = self.formulas.get(id);
        Some(match formula {
            Formula::True => self.make(Term::True),
            Formula::False => {
                let yes = self.make(Term::True);
                self.not(yes)
            }
            Formula::Atom(atom) => self.make(Term::Atom(atom)),
            Formula::Not(f) => {
                let f = of(self, f)?;
                self.not(f)
            }
            Formula::And(f, g) => {
                let (f, g) = (of(self, f)?, of(self, g)?);
                self.and(f, g)
            }
            Formula::Or(f, g) => {
                let (f, g) = (of(self, f)?, of(self, g)?);
                self.make(Term::Or(f, g))
            }
            Formula::Implies(f, g) => {
                let (f, g) = (of(self, f)?, of(self, g)?);
                let not = self.not(f);
                self.make(Term::Or(not, g))
            }
            it @ (Formula::Iff(f, g) | Formula::Xor(f, g)) => {
                let (f, g) = (of(self, f)?, of(self, g)?);
                let (not_f, not_g) = (self.not(f), self.not(g));
                let is_same = matches!(it, Formula::Iff(..));
                let (g, not_g) = if is_same { (g, not_g) } else { (not_g, g) };
                let (both, neither) = (self.and(f, g), self.and(not_f, not_g));
                self.make(Term::Or(both, neither))
            }
            Formula::Exists(path) | Formula::All(path) => {
                let is_all = matches!(formula, Formula::All(_));
                let some = match direct(self.formulas, formula) {
                    Some(operator) => self.operator(operator, is_all, reads)?,
                    None => self.some((path, is_all), everywhere, reads)?,
                };
                self.parts.entry(some).or_insert((id, is_all));
                if is_all { self.not(some) } else { some }
            }
            _ => return None,
        })
    }

    /// That an operator of CTL, or its negation, is true on some path outside of pairs.
    fn operator(&mut self, operator: Formula, no: bool, reads: TermId) -> Option<TermId> {
        let main = self.not(reads);
        let of = |this: &mut Self, it: FormulaId| {
            let it = this.known.get(&it).copied()?;
            let it = if no { this.not(it) } else { it };
            Some(this.and(main, it))
        };
        Some(match operator {
            Formula::Next(f) => {
                let f = of(self, f)?;
                self.make(Term::Ex(f))
            }
            Formula::Finally(f) | Formula::Globally(f) => {
                let is_always = matches!(operator, Formula::Globally(_)) != no;
                let f = of(self, f)?;
                self.make(if is_always { Term::Eg(f) } else { Term::Eu(main, f) })
            }
            Formula::Until(f, g) => {
                let (f, g) = (of(self, f)?, of(self, g)?);
                self.make(Term::Eu(f, g))
            }
            _ => return None,
        })
    }

    /// That a formula is true on some path: makes the pairs that read it.
    fn some(&mut self, path: Signed, everywhere: bool, reads: TermId) -> Option<TermId> {
        let automaton = Automaton::new(self.formulas, path)?;
        let begins = format!("a run begins {}", self.next_atom);
        let from: BTreeSet<PointId> = match everywhere {
            true => self.flow.points.ids().collect(),
            false => self.flow.starts.iter().map(|start| start.to).collect(),
        };
        let mut pairs: BTreeMap<Pair, PointId> = BTreeMap::new();
        let mut todo: Vec<Pair> = Vec::new();
        for point in from {
            for asks in automaton.asks(0) {
                let pair = (point, 0, 0, asks);
                let to = self.pair(&pair, &automaton, &mut pairs, &mut todo)?;
                self.made.points[to].labels.push(begins.clone());
                self.edge(Edge::plain(point, to), None)?;
            }
        }
        while let Some(pair) = todo.pop() {
            for cover in automaton.covers(pair.1).iter().filter(|it| it.asks == pair.3) {
                self.steps(&pair, cover, &automaton, &mut pairs, &mut todo)?;
            }
        }
        let mut good = reads;
        let asked: BTreeSet<Signed> = pairs.keys().flat_map(|pair| pair.3.clone()).collect();
        for (formula, no) in asked {
            // Where it is asked for, it is true in the state itself.
            let asks = self.label(&asks((formula, no)));
            let it = self.known.get(&formula).copied()?;
            let it = if no { self.not(it) } else { it };
            let main = self.not(reads);
            let here = self.and(main, it);
            let here = self.make(Term::Ex(here));
            let not = self.not(asks);
            let holds = self.make(Term::Or(not, here));
            good = self.and(good, holds);
        }
        let begins = self.label(&begins);
        let always = self.make(Term::Eg(good));
        let from_here = self.and(begins, always);
        Some(self.make(Term::Ex(from_here)))
    }

    /// Adds an edge, which is a step or none.
    fn edge(&mut self, edge: Edge, step: Option<EdgeId>) -> Option<()> {
        self.made.edges.push(edge);
        self.edges.push(step);
        (self.made.edges.len() <= MOST_EDGES).then_some(())
    }

    /// The point of a pair.
    fn pair(
        &mut self,
        pair: &Pair,
        automaton: &Automaton,
        pairs: &mut BTreeMap<Pair, PointId>,
        todo: &mut Vec<Pair>,
    ) -> Option<PointId> {
        if let Some(&known) = pairs.get(pair) {
            return Some(known);
        }
        let (base, state, kept, asked) = pair;
        let mut point = self.flow.points[*base].clone();
        point.waiting = *kept != automaton.promises();
        let covers = automaton.covers(*state).iter().filter(|it| it.asks == *asked);
        let covers = covers.filter(|it| !automaton.covers(it.next).is_empty());
        let covers: Vec<_> = covers.filter_map(|it| self.open(*base, it)).collect();
        let mut cases = MOST_CASES;
        point.total &= asked.is_empty() && is_sure(&covers, &mut cases);
        point.labels.push(READS.to_owned());
        point.labels.extend(asked.iter().map(|&it| asks(it)));
        let id = self.made.add_point(point);
        self.of.push(*base);
        if !asked.is_empty() {
            // To begin to read and to come back are no steps: where the program may have none, a
            // state without a run would have one by these.
            if !self.is_total {
                return None;
            }
            self.edge(Edge::plain(id, *base), None)?;
        }
        pairs.insert(pair.clone(), id);
        todo.push(pair.clone());
        (self.made.points.len() <= MOST_POINTS).then_some(id)
    }

    /// The propositions about variables that a step asks for at a point; `None` if a label is not
    /// as it should be.
    fn open(&self, base: PointId, cover: &Cover) -> Option<BTreeMap<AtomId, bool>> {
        let mut open = BTreeMap::new();
        for (&atom, &value) in &cover.literals {
            match self.propositions.get(&atom) {
                Some(Proposition::Label(name)) => {
                    if self.flow.points[base].labels.contains(name) != value {
                        return None;
                    }
                }
                _ => {
                    open.insert(atom, value);
                }
            }
        }
        Some(open)
    }

    /// Adds the edges of a pair on which the automaton moves as a cover says.
    fn steps(
        &mut self,
        pair: &Pair,
        cover: &Cover,
        automaton: &Automaton,
        pairs: &mut BTreeMap<Pair, PointId>,
        todo: &mut Vec<Pair>,
    ) -> Option<()> {
        let &(base, _, kept, _) = pair;
        let from = pairs[pair];
        let Some(open) = self.open(base, cover) else { return Some(()) };
        let mut lists: Vec<Vec<Row>> = vec![Vec::new()];
        for (atom, value) in open {
            // What is not said by rows cannot be read.
            let Some(Proposition::Rows(rows)) = self.propositions.get(&atom) else { return None };
            let own = if value { rows.clone() } else { negated(rows)? };
            let all =
                lists.iter().flat_map(|list| own.iter().map(move |it| [&list[..], it].concat()));
            lists = all.collect();
            if lists.len() > MOST_LISTS {
                return None;
            }
        }
        let next = automaton.kept(kept, cover);
        for step in self.leaving[base].clone() {
            let edge = self.flow.edges[step].clone();
            for asks in automaton.asks(cover.next) {
                let to = self.pair(&(edge.to, cover.next, next, asks), automaton, pairs, todo)?;
                for list in &lists {
                    let mut edge = Edge { from, to, ..edge.clone() };
                    edge.guard.extend(list.iter().cloned());
                    self.edge(edge, Some(step))?;
                }
            }
        }
        Some(())
    }
}

/// The label of pairs in which the automaton asks for a formula.
fn asks((formula, no): Signed) -> String {
    format!("asks for {} {}", if no { "no" } else { "a" }, formula.index())
}

/// Whether one of these is true, whatever propositions are; not, if that is not seen by so many
/// cases.
fn is_sure(covers: &[BTreeMap<AtomId, bool>], cases: &mut usize) -> bool {
    let Some(first) = covers.iter().min_by_key(|it| it.len()) else { return false };
    let Some((&atom, _)) = first.first_key_value() else { return true };
    let is_more = *cases > 0;
    *cases = cases.saturating_sub(1);
    is_more
        && [true, false].into_iter().all(|value| {
            let mut rest: Vec<BTreeMap<AtomId, bool>> = covers.to_vec();
            rest.retain(|it| it.get(&atom).is_none_or(|&it| it == value));
            for cover in &mut rest {
                cover.remove(&atom);
            }
            is_sure(&rest, cases)
        })
}

/// The lists of rows of the negation of such lists; `None` if there are too many, or if numbers
/// become too large.
fn negated(lists: &[Vec<Row>]) -> Option<Vec<Vec<Row>>> {
    let mut negated: Vec<Vec<Row>> = vec![Vec::new()];
    for list in lists {
        let own: Vec<Row> = list.iter().map(Row::negated).collect::<Option<_>>()?;
        let all = negated.iter().flat_map(|it| {
            own.iter().map(move |row| [&it[..], std::slice::from_ref(row)].concat())
        });
        negated = all.collect();
        if negated.len() > MOST_LISTS {
            return None;
        }
    }
    Some(negated)
}
