//! Many claims on one machine: those that differ in the names of propositions only are decided
//! together.

use crate::checker::{Checker, Options};
use crate::ctl::batch::{self, Knots, Shape, Stop, WIDE};
use crate::ctl::eager::Decision;
use crate::engines::{self, EAGER, Engine, Route};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::time::Instant;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Claim, Formulas, Machine, Outcome, Start, Stats, TermId};

/// The fewest claims of one shape that are worth a batch.
const LEAST: usize = 4;

/// How many words batches of few claims have, and how many claims that is; and how many others are
/// at most.
const NARROW: usize = 1;
const NARROW_LANES: usize = batch::lanes(NARROW);
const WIDE_LANES: usize = batch::lanes(WIDE);

impl Checker<'_> {
    /// Decides claims whose formulas live in one arena, each within a budget that is asked for, by
    /// the number of the claim, when its turn comes. The answers are in the order of the claims.
    pub fn check_many(
        &self,
        formulas: &Formulas,
        claims: &[Claim],
        options: &Options,
        budget: &(impl Fn(usize) -> Budget + Sync),
    ) -> Vec<Outcome> {
        let together = self.decide_together(formulas, claims, options, budget);
        let rest = together.into_par_iter().zip(claims).enumerate();
        rest.map(|(i, (outcome, claim))| {
            outcome.unwrap_or_else(|| self.decide(formulas, claim, options, &budget(i)))
        })
        .collect()
    }

    /// Decides those of the claims that take less together than one by one, and leaves out the
    /// others. Claims are decided together if they are CTL and differ in the names of propositions
    /// only, if nothing but the verdict is asked for, and if no engine is, or `eager`. As soon as
    /// such claims have too little in common after all, or a limit is reached, they are left out as
    /// well: each of them may be decided alone.
    ///
    /// In the counts of work of such a claim, contexts and copies are its own; evaluations and
    /// edges, and the time, are its share of what was done for all.
    pub fn decide_together(
        &self,
        formulas: &Formulas,
        claims: &[Claim],
        options: &Options,
        budget: &(impl Fn(usize) -> Budget + Sync),
    ) -> Vec<Option<Outcome>> {
        match self.terrain.machine.is_abstract() {
            true => self.decide_lanes_together(formulas, claims, options, budget),
            false => self.decide_batches(formulas, claims, options, budget),
        }
    }

    /// The same for a machine that is not abstract.
    pub(crate) fn decide_batches(
        &self,
        formulas: &Formulas,
        claims: &[Claim],
        options: &Options,
        budget: &(impl Fn(usize) -> Budget + Sync),
    ) -> Vec<Option<Outcome>> {
        let mut outcomes = Vec::new();
        outcomes.resize_with(claims.len(), || None);
        if options.evidence || options.regions || options.runs.is_some() || claims.len() < LEAST {
            return outcomes;
        }
        let Batches { groups: batches, constant } =
            batches(self.terrain.machine, formulas, claims, options.engine);
        for (i, value) in constant {
            let at_initial = vec![value; self.terrain.machine.initial().len()];
            let decision = Decision { at_initial, stats: Stats::default() };
            outcomes[i] = Some(Outcome { engine: EAGER.name, ..self.of_answers(&decision) });
        }
        let Some(first) = batches.first().and_then(|batch| batch.first()) else { return outcomes };
        let budgeted = budget(first.0);
        let Ok(knots) = Knots::new(self.terrain.machine, &mut Meter::new(&budgeted)) else {
            return outcomes;
        };
        let decided: Vec<Vec<(usize, Outcome)>> = batches
            .par_iter()
            .map(|batch| self.decide_batch(formulas, &knots, batch, &budget(batch[0].0)))
            .collect();
        for (i, outcome) in decided.into_iter().flatten() {
            outcomes[i] = Some(outcome);
        }
        outcomes
    }

    /// Decides programs of one shape, and says the number of each with its outcome.
    fn decide_batch(
        &self,
        formulas: &Formulas,
        knots: &Knots,
        batch: &[(usize, Program)],
        budget: &Budget,
    ) -> Vec<(usize, Outcome)> {
        let begin = Instant::now();
        let programs: Vec<&Program> = batch.iter().map(|(_, program)| program).collect();
        let terrain = &self.terrain;
        let decided = match batch.len() > NARROW_LANES {
            true => batch::decide::<WIDE>(terrain, knots, formulas, &programs, budget),
            false => batch::decide::<NARROW>(terrain, knots, formulas, &programs, budget),
        };
        let decisions = match decided {
            Ok(decisions) => decisions,
            // With less memory at a time there may be enough of it, and with fewer claims they may
            // have more in common.
            Err(_) if batch.len() > NARROW_LANES => {
                let parts = batch.chunks(NARROW_LANES).filter(|part| part.len() >= LEAST);
                return parts
                    .flat_map(|part| self.decide_batch(formulas, knots, part, budget))
                    .collect();
            }
            Err(Stop::Apart | Stop::Limit(_)) => return Vec::new(),
        };
        let seconds = begin.elapsed().as_secs_f64() / batch.len() as f64;
        let outcome =
            |decision| Outcome { engine: EAGER.name, seconds, ..self.of_answers(&decision) };
        batch.iter().zip(decisions).map(|((i, _), decision)| (*i, outcome(decision))).collect()
    }
}

/// Claims that are decided together, each with its number.
#[derive(Default)]
struct Batches {
    /// Those of one shape: at most as many as there are lanes.
    groups: Vec<Vec<(usize, Program)>>,
    /// Those that need no lane, with what they are.
    constant: Vec<(usize, bool)>,
}

fn batches(
    machine: &Machine,
    formulas: &Formulas,
    claims: &[Claim],
    engine: Option<&'static Engine>,
) -> Batches {
    let mut batches = Batches::default();
    // The last group of each shape, which is not full.
    let mut open: FxHashMap<Shape, usize> = FxHashMap::default();
    if engine.is_some_and(|engine| !std::ptr::eq(engine, &EAGER)) {
        return batches;
    }
    let programs = claims.iter().enumerate().filter_map(|(i, claim)| {
        let (Some(formula), Start::Initial) = (claim.formula(), &claim.start) else { return None };
        match engines::route(formulas, formula, engine) {
            Ok((_, Route::Contexts(_, program))) => Some((i, Shape::of(&program), program)),
            _ => None,
        }
    });
    let programs: Vec<(usize, Shape, Program)> = programs.collect();
    let mut of_shape: FxHashMap<Shape, usize> = FxHashMap::default();
    for (_, shape, _) in &programs {
        *of_shape.entry(shape.clone()).or_default() += 1;
    }
    for (i, shape, program) in programs {
        // Where there are few claims, nothing is gained.
        if of_shape[&shape] > 2 * NARROW_LANES
            && let Some(value) = constant(machine, formulas, &program)
        {
            batches.constant.push((i, value));
            continue;
        }
        let group = open.entry(shape).or_insert(usize::MAX);
        if batches.groups.get(*group).is_none_or(|group| group.len() == WIDE_LANES) {
            *group = batches.groups.len();
            batches.groups.push(Vec::new());
        }
        batches.groups[*group].push((i, program));
    }
    batches.groups.retain(|group| group.len() >= LEAST);
    batches
}

/// What a program is at every configuration, if that follows from which propositions hold nowhere:
/// many of the things that a claim ranges over never happen.
fn constant(machine: &Machine, formulas: &Formulas, program: &Program) -> Option<bool> {
    let mut values: Table<TermId, Option<bool>> = Table::new();
    for (_, &term) in program.terms.iter() {
        let of = |id: TermId| values[id];
        let value = match term {
            Term::True => Some(true),
            Term::Atom(atom) => {
                let label = machine.label(formulas.atom_name(atom));
                label.is_none_or(|label| machine.labelled(label).is_empty()).then_some(false)
            }
            Term::Not(f) => of(f).map(|value| !value),
            Term::And(f, g) if of(f) == Some(false) || of(g) == Some(false) => Some(false),
            Term::Or(f, g) if of(f) == Some(true) || of(g) == Some(true) => Some(true),
            Term::And(f, g) | Term::Or(f, g) => of(f).filter(|_| of(f) == of(g)),
            // Every configuration has a step, and what is reached at once is reached.
            Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => of(f),
        };
        values.push(value);
    }
    values[program.root]
}
