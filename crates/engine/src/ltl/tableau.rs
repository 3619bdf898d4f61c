//! The tableau of a path formula: an automaton whose states are made when they are asked for.
//!
//! A state is a set of formulas that are to hold from here on (its *obligations*). When it reads a
//! letter, each obligation is unfolded by its expansion law, and what the letter leaves open is to hold
//! next. `a U b` may be *postponed*, that is, left for later without `b`; there is a mark for each
//! such formula, on every step that does not postpone it. Of several ways on, those are kept that ask
//! for least.

use super::counter::Counter;
use super::expand::propositions;
use super::simplify::simplify;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::automaton::{Acceptor, Marks};
use tern_model::budget::Meter;
use tern_model::index::{Id, Table};
use tern_model::{Budget, Formula, FormulaId, Formulas, Limit, StateId};

/// A subformula, with operands by their positions among all subformulas, and literals by the position
/// of their proposition.
#[derive(Clone, Copy, Debug)]
enum Part {
    Constant(bool),
    Literal(u32, bool),
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Finally(u32),
    Globally(u32),
    Until(u32, u32),
    WeakUntil(u32, u32),
    /// Second operand up to and including where the first holds; the flag says that it must.
    Release(u32, u32, bool),
}

/// Something left for later: twice the position of a formula that is to hold next, or that plus one
/// for a formula that is postponed.
type Rest = u32;

/// An automaton for a path formula, made while one looks at it.
pub struct Tableau<'b> {
    propositions: Vec<FormulaId>,
    ids: Vec<FormulaId>,
    parts: Vec<Part>,
    /// For each part the number of its condition, if it can be postponed.
    conditions: Vec<Option<u32>>,
    counter: Counter,
    states: Table<StateId, State>,
    numbers: FxHashMap<State, StateId>,
    first: StateId,
    meter: Meter<'b>,
    limit: Option<Limit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// Positions of the obligations, sorted.
    set: Box<[u32]>,
    /// Which of the conditions without a mark of their own is waited for.
    level: usize,
    /// The obligations as formulas.
    obligations: Box<[FormulaId]>,
}

impl<'b> Tableau<'b> {
    /// The tableau of a path formula. Atoms and formulas that begin with a quantifier are propositions.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(
        formulas: &mut Formulas,
        path: FormulaId,
        budget: &'b Budget,
    ) -> Result<Self, Limit> {
        let root = simplify(formulas, path, true, budget)?;
        let mut meter = Meter::new(budget);
        let propositions = propositions(formulas, root, &mut meter)?;
        let mut tableau = Tableau {
            propositions,
            ids: Vec::new(),
            parts: Vec::new(),
            conditions: Vec::new(),
            counter: Counter::new(0),
            states: Table::new(),
            numbers: FxHashMap::default(),
            first: StateId::new(0),
            meter,
            limit: None,
        };
        let last = tableau.list_parts(formulas, root)?;
        let mut set = Vec::new();
        tableau.add_conjuncts(last, &mut set);
        set.sort_unstable();
        set.dedup();
        tableau.first = tableau.state(set, 0);
        Ok(tableau)
    }

    /// Lists the subformulas, operands first; the position of the whole.
    fn list_parts(&mut self, formulas: &Formulas, root: FormulaId) -> Result<u32, Limit> {
        let mut stack = vec![root];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            self.meter.tick()?;
            let formula = formulas.get(id);
            if seen.insert(id) && !matches!(formula, Formula::Exists(_) | Formula::All(_)) {
                stack.extend(formula.operands());
            }
        }
        self.ids.extend(seen);
        self.ids.sort_unstable();
        let positions: FxHashMap<FormulaId, u32> = self.ids.iter().copied().zip(0..).collect();
        let literals: FxHashMap<FormulaId, u32> =
            self.propositions.iter().copied().zip(0..).collect();
        let of = |f: FormulaId| positions[&f];
        let mut count = 0;
        for &id in &self.ids {
            use Formula::*;
            let part = match formulas.get(id) {
                True => Part::Constant(true),
                False => Part::Constant(false),
                Not(f) => Part::Literal(literals[&f], false),
                And(f, g) => Part::And(of(f), of(g)),
                Or(f, g) => Part::Or(of(f), of(g)),
                Next(f) => Part::Next(of(f)),
                Finally(f) => Part::Finally(of(f)),
                Globally(f) => Part::Globally(of(f)),
                Until(f, g) => Part::Until(of(f), of(g)),
                WeakUntil(f, g) => Part::WeakUntil(of(f), of(g)),
                Release(f, g) => Part::Release(of(f), of(g), false),
                StrongRelease(f, g) => Part::Release(of(f), of(g), true),
                _ => Part::Literal(literals[&id], true),
            };
            let postponable =
                matches!(part, Part::Finally(_) | Part::Until(..) | Part::Release(.., true));
            self.conditions.push(postponable.then_some(count));
            count += u32::from(postponable);
            self.parts.push(part);
        }
        self.counter = Counter::new(count as usize);
        Ok(of(root))
    }

    /// What has to hold in a state, sorted. The empty set is no obligation at all.
    pub fn obligations(&self, state: StateId) -> &[FormulaId] {
        &self.states[state].obligations
    }

    /// How many states were made so far.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    fn state(&mut self, set: Vec<u32>, level: usize) -> StateId {
        let obligations = set.iter().map(|&part| self.ids[part as usize]).collect();
        let state = State { set: set.into(), level, obligations };
        if let Some(&id) = self.numbers.get(&state) {
            return id;
        }
        let id = self.states.push(state.clone());
        self.numbers.insert(state, id);
        id
    }

    /// Adds a formula to a set, its conjuncts one by one.
    fn add_conjuncts(&self, part: u32, set: &mut Vec<u32>) {
        let mut stack = vec![part];
        while let Some(part) = stack.pop() {
            match self.parts[part as usize] {
                Part::And(f, g) => stack.extend([g, f]),
                Part::Constant(true) => (),
                _ => set.push(part),
            }
        }
    }

    fn next(&self, part: u32) -> Vec<Vec<Rest>> {
        let mut set = Vec::new();
        self.add_conjuncts(part, &mut set);
        let impossible = |&part: &u32| matches!(self.parts[part as usize], Part::Constant(false));
        if set.iter().any(impossible) {
            return Vec::new();
        }
        set.sort_unstable();
        set.dedup();
        vec![set.into_iter().map(|part| 2 * part).collect()]
    }

    /// The smallest ways to satisfy all parts of a set on a letter.
    fn ways(&mut self, set: &[u32], letter: &FixedBitSet) -> Result<Vec<Vec<Rest>>, Limit> {
        let mut known: FxHashMap<u32, Vec<Vec<Rest>>> = FxHashMap::default();
        let mut all = vec![Vec::new()];
        for &part in set {
            let mut stack = vec![part];
            while let Some(&part) = stack.last() {
                self.meter.tick()?;
                if known.contains_key(&part) {
                    stack.pop();
                    continue;
                }
                let before = stack.len();
                let (first, second) = match self.parts[part as usize] {
                    Part::Constant(_) | Part::Literal(..) | Part::Next(_) => (None, None),
                    Part::Finally(f) | Part::Globally(f) => (Some(f), None),
                    Part::And(f, g)
                    | Part::Or(f, g)
                    | Part::Until(f, g)
                    | Part::WeakUntil(f, g)
                    | Part::Release(f, g, _) => (Some(f), Some(g)),
                };
                let operands = [first, second].into_iter().flatten();
                stack.extend(operands.filter(|f| !known.contains_key(f)));
                if stack.len() > before {
                    continue;
                }
                stack.pop();
                let ways = self.ways_of(part, letter, &known)?;
                known.insert(part, ways);
            }
            all = self.both(&all, &known[&part])?;
        }
        Ok(all)
    }

    fn ways_of(
        &mut self,
        part: u32,
        letter: &FixedBitSet,
        known: &FxHashMap<u32, Vec<Vec<Rest>>>,
    ) -> Result<Vec<Vec<Rest>>, Limit> {
        let of = |f: u32| &known[&f];
        let (hold, postpone) = (vec![vec![2 * part]], vec![vec![2 * part, 2 * part + 1]]);
        Ok(match self.parts[part as usize] {
            Part::Constant(true) => vec![Vec::new()],
            Part::Constant(false) => Vec::new(),
            Part::Literal(proposition, holds) => {
                if letter.contains(proposition as usize) == holds {
                    vec![Vec::new()]
                } else {
                    Vec::new()
                }
            }
            Part::And(f, g) => self.both(of(f), of(g))?,
            Part::Or(f, g) => self.either(of(f), of(g))?,
            Part::Next(f) => self.next(f),
            Part::Finally(f) => self.either(of(f), &postpone)?,
            Part::Globally(f) => self.both(of(f), &hold)?,
            Part::Until(f, g) => {
                let wait = self.both(of(f), &postpone)?;
                self.either(of(g), &wait)?
            }
            Part::WeakUntil(f, g) => {
                let wait = self.both(of(f), &hold)?;
                self.either(of(g), &wait)?
            }
            Part::Release(f, g, strong) => {
                let end = self.either(of(f), if strong { &postpone } else { &hold })?;
                self.both(of(g), &end)?
            }
        })
    }

    fn either(&mut self, f: &[Vec<Rest>], g: &[Vec<Rest>]) -> Result<Vec<Vec<Rest>>, Limit> {
        let mut ways = f.to_vec();
        for way in g {
            self.add_way(&mut ways, way.clone())?;
        }
        Ok(ways)
    }

    fn both(&mut self, f: &[Vec<Rest>], g: &[Vec<Rest>]) -> Result<Vec<Vec<Rest>>, Limit> {
        match (f, g) {
            ([only], _) if only.is_empty() => return Ok(g.to_vec()),
            (_, [only]) if only.is_empty() => return Ok(f.to_vec()),
            _ => (),
        }
        let mut ways = Vec::new();
        for first in f {
            for second in g {
                let mut way = [&first[..], &second[..]].concat();
                way.sort_unstable();
                way.dedup();
                self.add_way(&mut ways, way)?;
            }
        }
        Ok(ways)
    }

    /// Adds a way unless one that asks for less is there, and removes those that ask for more.
    fn add_way(&mut self, ways: &mut Vec<Vec<Rest>>, way: Vec<Rest>) -> Result<(), Limit> {
        for known in ways.iter() {
            self.meter.tick()?;
            if super::bdd::is_subset(known, &way) {
                return Ok(());
            }
        }
        ways.retain(|known| !super::bdd::is_subset(&way, known));
        ways.push(way);
        Ok(())
    }

    fn append_successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) -> Result<(), Limit> {
        let State { set, level, .. } = self.states[state].clone();
        for way in self.ways(&set, letter)? {
            let postponed: Vec<u32> = way
                .iter()
                .filter(|&rest| rest % 2 == 1)
                .filter_map(|rest| self.conditions[*rest as usize / 2])
                .collect();
            let is_met = |i: usize| !postponed.contains(&(i as u32));
            let (marks, level) = self.counter.step(level, is_met);
            let next = way.iter().filter(|&rest| rest % 2 == 0).map(|rest| rest / 2).collect();
            out.push((marks, self.state(next, level)));
        }
        Ok(())
    }
}

impl Acceptor for Tableau<'_> {
    fn propositions(&self) -> &[FormulaId] {
        &self.propositions
    }

    fn mark_count(&self) -> u32 {
        self.counter.mark_count()
    }

    fn initial(&mut self) -> Vec<StateId> {
        vec![self.first]
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        if let Err(limit) = self.append_successors(state, letter, out) {
            self.limit = Some(limit);
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.limit
    }
}
