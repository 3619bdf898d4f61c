//! Tells why a claim has its value in a configuration, as far as runs can show it: one teller for
//! all logics, of formulas as they are written.
//!
//! What decides claims also knows the truth of formulas in configurations, and finds runs; that is
//! a [`World`]. From it the teller makes a story: operands for what is boolean, and for `E` that is
//! true and `A` that is false a run. Of the run it says what its truth is due to ([`matters`]):
//! where parts of the path formula get the value that matters, and why state formulas that speak of
//! other paths are true or false there; of those that matter in many configurations, in the first
//! of them. A run is told no further than it matters.

mod matters;

use fixedbitset::FixedBitSet;
use matters::{Matters, Round};
use rustc_hash::FxHashSet;
use tern_automata::closure;
use tern_model::budget::Meter;
use tern_model::{
    AnnotatedRun, Budget, Ending, Formula, FormulaId, Formulas, Id, Limit, Obligation, Reason, Run,
    Story,
};

/// How many stories one story may be made of, and how deep they may nest.
const MOST_STORIES: usize = 500;
const DEEPEST: usize = 200;

/// What is known of a machine and a claim.
pub(crate) trait World {
    /// A configuration.
    type Spot: Clone;
    /// A run that was found, and what is known of its configurations.
    type Path;

    /// The truth of a state formula, or of the claim; `None` if it is not known.
    fn value(&self, id: FormulaId, here: &Self::Spot) -> Option<bool>;

    /// A run from here on which a path formula has a value; `id` is what asks for it. There is one.
    /// If it has more moves than allowed, only its beginning may be given, which ends; or nothing.
    fn find(
        &mut self,
        id: FormulaId,
        sought: Obligation,
        here: &Self::Spot,
        most_moves: usize,
    ) -> Result<Option<Found<Self::Path>>, Limit>;

    /// The truth of a proposition or a quantified formula in a configuration of a run.
    fn leaf(&self, path: &Self::Path, id: FormulaId, at: usize) -> Option<bool>;

    /// A configuration of a run.
    fn spot(&self, path: &Self::Path, at: usize) -> Self::Spot;
}

/// A run that was found.
#[derive(Clone)]
pub(crate) struct Found<P> {
    /// If it ends, it may go on in any way.
    pub(crate) run: Run,
    pub(crate) path: P,
}

/// Tells why a claim has its value in a configuration. Runs have at most `most_moves` moves
/// altogether.
pub(crate) fn tell<W: World>(
    world: &mut W,
    formulas: &Formulas,
    claim: FormulaId,
    here: &W::Spot,
    most_moves: usize,
    budget: &Budget,
) -> Result<Story, Limit> {
    Teller { world, formulas, moves_left: most_moves, stories: 0, budget }.story(claim, here, 0)
}

/// What a quantified formula asks for on some path; a claim that speaks of a path is meant for all.
pub(crate) fn sought(formulas: &Formulas, id: FormulaId) -> Option<Obligation> {
    match formulas.get(id) {
        Formula::Exists(formula) => Some(Obligation { formula, holds: true }),
        Formula::All(formula) => Some(Obligation { formula, holds: false }),
        _ if formulas.is_state_formula(id) => None,
        _ => Some(Obligation { formula: id, holds: false }),
    }
}

struct Teller<'a, W> {
    world: &'a mut W,
    formulas: &'a Formulas,
    moves_left: usize,
    stories: usize,
    budget: &'a Budget,
}

impl<W: World> Teller<'_, W> {
    /// Tells why a state formula, or the claim, has its value.
    fn story(&mut self, id: FormulaId, here: &W::Spot, depth: usize) -> Result<Story, Limit> {
        self.budget.check()?;
        let holds = self.world.value(id, here).expect("what is told of is known");
        self.stories += 1;
        let told = |reason| Ok(Story { of: id.into(), holds, reason });
        if self.stories > MOST_STORIES || depth > DEEPEST {
            return told(Reason::TooLong);
        }
        if let Some(sought) = sought(self.formulas, id) {
            // `E f` that is true, and `A f` that is false, is so because of a path.
            if holds != sought.holds {
                return told(Reason::AllPaths);
            }
            let found = self.world.find(id, sought, here, self.moves_left)?;
            let reason = found.map(|found| self.run(sought, found, depth));
            return told(reason.unwrap_or(Ok(Reason::TooLong))?);
        }
        let formula = self.formulas.get(id);
        let is = |f: FormulaId, truth: bool| self.world.value(f, here) == Some(truth);
        let operands: Vec<FormulaId> = match formula {
            Formula::And(f, g) | Formula::Or(f, g) => {
                // One operand decides a false `&` and a true `|`; otherwise both are needed.
                let decisive = matches!(formula, Formula::Or(..));
                let one = [f, g].into_iter().find(|&f| is(f, decisive));
                one.map_or(vec![f, g], |one| vec![one])
            }
            Formula::Implies(f, g) if holds => vec![if is(f, false) { f } else { g }],
            formula => formula.operands().collect(),
        };
        if operands.is_empty() {
            return told(Reason::Labels);
        }
        let mut stories = Vec::with_capacity(operands.len());
        for operand in operands {
            stories.push(self.story(operand, here, depth + 1)?);
        }
        told(Reason::Operands(stories))
    }

    /// Tells of a run on which an obligation is met.
    fn run(
        &mut self,
        sought: Obligation,
        found: Found<W::Path>,
        depth: usize,
    ) -> Result<Reason, Limit> {
        let Found { mut run, path } = found;
        let round = Round { count: run.configurations(), back_to: run.back_to() };
        let leaf = |id: FormulaId, at: usize| self.world.leaf(&path, id, at);
        let mut meter = Meter::new(self.budget);
        let Matters { holds, leaves, mut marks, last } =
            matters::find(self.formulas, sought.formula, round, leaf, &mut meter)?;
        if holds != Some(sought.holds) {
            debug_assert!(holds.is_none() && run.ending == Ending::Done, "{sought:?}: {run:?}");
            return Ok(Reason::TooLong);
        }
        if let Some(last) = last {
            run.moves.truncate(last);
            run.ending = Ending::Done;
        }
        if run.moves.len() > self.moves_left {
            return Ok(Reason::TooLong);
        }
        self.moves_left -= run.moves.len();
        let mut values = Vec::new();
        let mut speaks_of_paths = FixedBitSet::with_capacity(sought.formula.index() + 1);
        for id in closure(self.formulas, sought.formula) {
            let formula = self.formulas.get(id);
            let inside = formula.operands().any(|f| speaks_of_paths.contains(f.index()));
            speaks_of_paths.set(id.index(), inside || formula.is_quantifier());
            if formula.is_quantifier() {
                let value = |at| self.world.leaf(&path, id, at);
                let row: Option<Vec<bool>> = (0..run.configurations()).map(value).collect();
                values.extend(row.map(|row| (id, row)));
            }
        }
        marks.retain(|mark| {
            !self.formulas.is_state_formula(mark.of) || !speaks_of_paths.contains(mark.of.index())
        });
        let mut asides = Vec::new();
        let mut told = FxHashSet::default();
        for (at, id, holds) in leaves {
            if !speaks_of_paths.contains(id.index()) || !told.insert((id, holds)) {
                continue;
            }
            let there = self.world.spot(&path, at);
            asides.push((at, self.story(id, &there, depth + 1)?));
        }
        Ok(Reason::Run(AnnotatedRun { run, values, marks, asides }))
    }
}
