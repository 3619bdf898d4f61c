//! From a formula to a generalised Büchi automaton, by symbolic expansion (Couvreur 1999, as in
//! Spot).
//!
//! A formula is unfolded into what it asks of the letter at hand, of the rest of the path (`next`
//! variables), and what it *promises* to do later (promise variables): `a U b` is `b`, or `a` and
//! next `a U b` and the promise of `b`. A state is such an unfolding, so formulas that unfold to
//! the same function share a state. For each class of letters that leave the same rest, the
//! smallest sets of next formulas are the ways on; a way carries the mark of every promise that it
//! does not make.

use super::bdd::{ALWAYS, Bdd, NEVER, Ref};
use super::counter::Counter;
use super::graph::{Edge, Graph, States};
use super::implication::Implication;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Formula, FormulaId, Formulas, Limit, StateId};

/// The propositions of some path formulas in negation normal form, in the order of their ids.
pub(super) fn propositions(
    formulas: &Formulas,
    roots: &[FormulaId],
    meter: &mut Meter<'_>,
) -> Result<Vec<FormulaId>, Limit> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        meter.tick()?;
        if !seen.insert(id) {
            continue;
        }
        match formulas.get(id) {
            Formula::Atom(_) | Formula::Exists(_) | Formula::All(_) => found.push(id),
            formula => stack.extend(formula.operands()),
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// What a variable behind those of the propositions stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Later {
    /// The formula is to hold from the next position on.
    Next(FormulaId),
    /// The formula is to hold at some later position.
    Promise(FormulaId),
}

/// Unfolds formulas into functions.
struct Expansion<'f, 'd, 'b> {
    formulas: &'f Formulas,
    implication: &'f Implication,
    bdd: &'d mut Bdd<'b>,
    propositions: FxHashMap<FormulaId, u32>,
    proposition_count: u32,
    later: Vec<Later>,
    variables: FxHashMap<Later, u32>,
    /// Unfoldings; the flag says that the formula stands right under `G`, which asks for it again.
    unfolded: FxHashMap<(FormulaId, bool), Ref>,
    promises: FxHashMap<FormulaId, usize>,
}

impl Expansion<'_, '_, '_> {
    fn later(&mut self, later: Later) -> Ref {
        let fresh = self.proposition_count + self.later.len() as u32;
        let variable = *self.variables.entry(later).or_insert(fresh);
        if variable == fresh {
            self.later.push(later);
            if let Later::Promise(f) = later {
                let count = self.promises.len();
                self.promises.insert(f, count);
            }
        }
        self.bdd.literal(variable, true)
    }

    fn unfold(&mut self, root: FormulaId) -> Result<Ref, Limit> {
        use Formula::*;
        let mut stack = vec![(root, false)];
        while let Some(&(id, again)) = stack.last() {
            self.bdd.tick()?;
            if self.unfolded.contains_key(&(id, again)) {
                stack.pop();
                continue;
            }
            let formula = self.formulas.get(id);
            let before = stack.len();
            let mut need = |f, again| {
                if !self.unfolded.contains_key(&(f, again)) {
                    stack.push((f, again));
                }
            };
            match formula {
                And(f, g) => [f, g].into_iter().for_each(|f| need(f, again)),
                Globally(f) => need(f, true),
                Next(_) | Not(_) | Atom(_) | Exists(_) | All(_) => (),
                _ => formula.operands().for_each(|f| need(f, false)),
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let value = self.unfold_one(id, formula, again)?;
            self.unfolded.insert((id, again), value);
        }
        Ok(self.unfolded[&(root, false)])
    }

    fn unfold_one(&mut self, id: FormulaId, formula: Formula, again: bool) -> Result<Ref, Limit> {
        use Formula::*;
        let of = |this: &Self, f| this.unfolded[&(f, false)];
        Ok(match formula {
            True => ALWAYS,
            False => NEVER,
            Not(f) => self.bdd.literal(self.propositions[&f], false),
            And(f, g) => {
                let (f, g) = (self.unfolded[&(f, again)], self.unfolded[&(g, again)]);
                self.bdd.and(f, g)?
            }
            Or(f, g) => self.bdd.or(of(self, f), of(self, g))?,
            Next(f) => self.next(f)?,
            Globally(f) => {
                let now = self.unfolded[&(f, true)];
                let next = self.later(Later::Next(id));
                self.bdd.and(now, next)?
            }
            Finally(f) => {
                let now = of(self, f);
                let before = if again { ALWAYS } else { self.before(f)? };
                let wait = self.wait(before, (!again).then_some(id), Some(f))?;
                self.bdd.or(now, wait)?
            }
            Until(f, g) => {
                let now = of(self, g);
                let wait = self.wait(of(self, f), Some(id), Some(g))?;
                self.bdd.or(now, wait)?
            }
            WeakUntil(f, g) => {
                let now = of(self, g);
                let wait = self.wait(of(self, f), Some(id), None)?;
                self.bdd.or(now, wait)?
            }
            Release(f, g) | StrongRelease(f, g) => {
                let promise = matches!(formula, StrongRelease(..)).then_some(f);
                let wait = self.wait(ALWAYS, Some(id), promise)?;
                let either = self.bdd.or(of(self, f), wait)?;
                self.bdd.and(of(self, g), either)?
            }
            _ => self.bdd.literal(self.propositions[&id], true),
        })
    }

    /// What may be asked for while `F f` waits: `F (a & e) = !a U (a & e)` if `a` is of states and
    /// `e` is eventual, and then it need not be guessed which `a` is meant.
    fn before(&mut self, f: FormulaId) -> Result<Ref, Limit> {
        let (mut states, mut eventual) = (ALWAYS, false);
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            self.bdd.tick()?;
            match self.formulas.get(f) {
                Formula::And(f, g) => stack.extend([f, g]),
                _ if self.formulas.is_state_formula(f) => {
                    states = self.bdd.and(states, self.unfolded[&(f, false)])?;
                }
                _ if self.implication.stability(f).eventual => eventual = true,
                _ => return Ok(ALWAYS),
            }
        }
        if eventual { self.bdd.not(states) } else { Ok(ALWAYS) }
    }

    /// That a formula holds from the next position on; its conjuncts one by one.
    fn next(&mut self, f: FormulaId) -> Result<Ref, Limit> {
        let mut whole = ALWAYS;
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            match self.formulas.get(f) {
                Formula::And(f, g) => stack.extend([f, g]),
                Formula::True => (),
                Formula::False => return Ok(NEVER),
                _ => {
                    let part = self.later(Later::Next(f));
                    whole = self.bdd.and(whole, part)?;
                }
            }
        }
        Ok(whole)
    }

    /// The formula that ends the wait for `f`: `a U b` goes on promising until `b` ends its own
    /// wait, so a promise of `a U b` is one of `b`.
    fn end_of(&self, mut f: FormulaId) -> FormulaId {
        loop {
            f = match self.formulas.get(f) {
                Formula::Finally(end) | Formula::Until(_, end) => end,
                Formula::StrongRelease(end, _) => end,
                _ => return f,
            };
        }
    }

    /// That `now` holds, and the rest is left for later.
    fn wait(
        &mut self,
        now: Ref,
        next: Option<FormulaId>,
        promise: Option<FormulaId>,
    ) -> Result<Ref, Limit> {
        let mut whole = now;
        let promise = promise.map(|f| Later::Promise(self.end_of(f)));
        for later in next.map(Later::Next).into_iter().chain(promise) {
            let part = self.later(later);
            whole = self.bdd.and(whole, part)?;
        }
        Ok(whole)
    }
}

/// A way on before marks are numbered: guard, promises made, target.
type Way = (Ref, Vec<usize>, StateId);

/// The automaton of a path formula in negation normal form, over its propositions.
pub(super) fn expand(
    formulas: &Formulas,
    root: FormulaId,
    implication: &Implication,
    propositions: &[FormulaId],
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    let count = u32::try_from(propositions.len()).expect("ids of formulas fit");
    let mut expansion = Expansion {
        formulas,
        implication,
        bdd,
        propositions: propositions.iter().copied().zip(0..).collect(),
        proposition_count: count,
        later: Vec::new(),
        variables: FxHashMap::default(),
        unfolded: FxHashMap::default(),
        promises: FxHashMap::default(),
    };
    let first = expansion.unfold(root)?;
    let mut states: States<Ref> = States::default();
    states.id(first);
    let mut ways: Table<StateId, Vec<Way>> = Table::new();
    while let Some(&state) = states.rows().get(ways.next_id()) {
        let mut row = Vec::new();
        for (guard, rest) in expansion.bdd.rests(state, count)? {
            for prime in expansion.bdd.primes(rest)? {
                expansion.bdd.tick()?;
                let mut target = ALWAYS;
                let mut promised = Vec::new();
                for variable in prime {
                    match expansion.later[(variable - count) as usize] {
                        Later::Next(f) => {
                            let part = expansion.unfold(f)?;
                            target = expansion.bdd.and(target, part)?;
                        }
                        Later::Promise(f) => promised.push(expansion.promises[&f]),
                    }
                }
                if target == NEVER {
                    continue;
                }
                row.push((guard, promised, states.id(target)));
            }
        }
        ways.push(row);
    }
    number_marks(&ways, expansion.promises.len(), expansion.bdd)
}

/// Turns promises into marks; those beyond the number of marks are counted off one after the other.
fn number_marks(
    ways: &Table<StateId, Vec<Way>>,
    promises: usize,
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    let counter = Counter::new(promises);
    let Some(first) = ways.ids().next() else { return Ok(Graph::nothing()) };
    let count = counter.mark_count();
    let (mut graph, _) = Graph::unfold(count, (first, 0), |&(state, level), states| {
        let mut row = Vec::new();
        for (guard, promised, to) in &ways[state] {
            bdd.tick()?;
            let (marks, level) = counter.step(level, |i| !promised.contains(&i));
            row.push(Edge { to: states.id((*to, level)), marks, guard: *guard });
        }
        Ok(row)
    })?;
    graph.tidy(bdd)?;
    Ok(graph)
}
