//! A program that was read and made ready to run, with what its points and variables are called:
//! all that is known before a state was looked at.

use super::compile::Compiled;
use super::dress::{Dress, scheduled};
use super::explore::{self, Explored, Explorer};
use super::labelling::Labelling;
use super::procedures;
use super::program::{Action, Composition, PointId, Program};
use super::reading::Names;
use super::reduce::Reducer;
use super::space::Produced;
use super::vocabulary::{Nodes, Words};
use crate::formats::Reading;
use crate::problem::{Problem, Refusal};
use crate::unexplored::{Reduction, Unexplored, When};
use crate::vocabulary::NotUnderstood;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::space::Space;
use tern_model::{Budget, Builder, Claims, Condition, Fairness, Limit, Origin};

/// A program, ready to run.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) program: Program,
    pub(super) compiled: Compiled,
    pub(super) labelling: Labelling,
    pub(super) names: Names,
    /// Where each point stands.
    pub(super) origins: Table<PointId, Origin>,
}

impl Prepared {
    /// Whether the program calls procedures.
    pub(super) fn calls(&self) -> bool {
        let calls = |action: &Action| matches!(action, Action::Call { .. });
        self.program.points.iter().any(|(_, point)| calls(&point.action))
    }

    /// The conditions that only runs fulfil on which every process goes on, if they are asked for.
    pub(super) fn conditions(&self, claims: &mut Claims) -> Vec<Condition> {
        let Prepared { program, labelling, .. } = self;
        if !program.mode.fair || program.mode.composition != Composition::Asynchronous {
            return Vec::new();
        }
        let children = program.processes.iter().filter(|(_, process)| process.parent.is_some());
        let condition = |id| {
            let formula = claims.formulas.atom(&scheduled(labelling, id));
            Fairness::Justice(formula).into()
        };
        children.map(|(id, _)| id).map(condition).collect()
    }
}

/// A program whose states were not looked for, with its claims.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) prepared: Arc<Prepared>,
    pub(super) claims: Claims,
}

/// How many states a program may have before those are left out that make no difference.
const LARGE: usize = 100_000;

type Found = (Builder, Explored);

/// Says that states were left out.
fn reduced(how_many: &str) -> Problem {
    let message = format!(
        "the program was reduced{how_many}: the states that were left out make no difference to \
         these claims"
    );
    Problem::warning("G040", message).hint("--reduction off looks at all states")
}

/// Says that none were, though that was asked for.
fn not_reduced(why: &str) -> Problem {
    Problem::warning("G041", format!("the program was not reduced: {why}"))
}

impl Waiting {
    /// What says which states are enough, or why it cannot be said.
    fn reducer(
        &self,
        Reduction { when, asked }: Reduction,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Reducer, String>, Limit> {
        match (when, asked) {
            (When::Never, _) => Ok(Err(String::new())),
            (_, Err(why)) => Ok(Err(why)),
            (_, Ok(asked)) => Reducer::new(&self.prepared, &asked, meter),
        }
    }

    /// The states of a program without procedures, and what to say of those that were left out.
    fn flat(
        &self,
        reduction: Reduction,
        dress: &mut Dress,
        meter: &mut Meter<'_>,
    ) -> Result<(Found, Option<Problem>), Refusal> {
        let when = reduction.when;
        let reducer = self.reducer(reduction, meter)?;
        if when == When::Large && reducer.is_ok() {
            let explorer = Explorer::new(self.prepared.clone(), None);
            if let Some(found) = explore::explore(explorer, LARGE, dress, meter)? {
                return Ok((found, None));
            }
            *dress = Dress::new(self.prepared.clone());
        }
        let (reducer, told) = match reducer {
            Ok(reducer) => (Some(reducer), None),
            Err(why) => (None, (when == When::Always).then(|| not_reduced(&why))),
        };
        let is_reduced = reducer.is_some();
        let explorer = Explorer::new(self.prepared.clone(), reducer);
        let found = explore::explore(explorer, usize::MAX, dress, meter)?;
        let found = found.expect("there is room for as many states as can be counted");
        let count = format!(" to {} states", found.1.states.len());
        Ok((found, told.or(is_reduced.then(|| reduced(&count)))))
    }
}

impl Waiting {
    /// The machine of the states that were found, with the claims and what knows more of it.
    fn reading(
        &self,
        builder: Builder,
        nodes: Nodes,
        told: Option<Problem>,
        budget: &Budget,
    ) -> Result<Reading, Refusal> {
        budget.check()?;
        let machine = builder.finish().map_err(|flaws| {
            let problem = |flaw: tern_model::Flaw| Problem::error("G090", flaw.to_string());
            flaws.into_iter().map(problem).collect::<Vec<_>>()
        })?;
        let vocabulary = Words { prepared: self.prepared.clone(), nodes };
        Ok(Reading {
            machine,
            claims: self.claims.clone(),
            warnings: told.into_iter().collect(),
            vocabulary: Some(Box::new(vocabulary)),
        })
    }
}

impl Unexplored for Waiting {
    fn claims(&self) -> &Claims {
        &self.claims
    }

    fn explore(self: Box<Self>, reduction: Reduction, budget: &Budget) -> Result<Reading, Refusal> {
        let mut meter = Meter::new(budget);
        let mut dress = Dress::new(self.prepared.clone());
        let (builder, nodes, told) = if self.prepared.calls() {
            let lowered = procedures::lower(&self.prepared, &mut dress, &mut meter)?;
            let why = "it calls procedures";
            let message = format!("the program was not reduced: {why}");
            let told = (reduction.when == When::Always).then(|| Problem::warning("G041", message));
            (lowered.0, Nodes::Frames(lowered.1), told)
        } else {
            let ((builder, explored), told) = self.flat(reduction, &mut dress, &mut meter)?;
            (builder, Nodes::Flat(explored), told)
        };
        self.reading(builder, nodes, told, budget)
    }

    fn small(&self, budget: &Budget) -> Result<Option<Reading>, Refusal> {
        let (mut meter, mut dress) = (Meter::new(budget), Dress::new(self.prepared.clone()));
        let explorer = Explorer::new(self.prepared.clone(), None);
        match explore::explore(explorer, LARGE, &mut dress, &mut meter)? {
            None => Ok(None),
            Some((builder, explored)) => {
                self.reading(builder, Nodes::Flat(explored), None, budget).map(Some)
            }
        }
    }

    fn can_wait(&self) -> bool {
        !self.prepared.calls()
    }

    fn space(
        self: Box<Self>,
        reduction: Reduction,
        budget: &Budget,
    ) -> Result<(Box<dyn Space + Send + Sync>, Vec<Problem>), Limit> {
        let is_wanted = reduction.when == When::Always;
        let (reducer, told) = match self.reducer(reduction, &mut Meter::new(budget))? {
            Ok(reducer) if is_wanted => (Some(reducer), Some(reduced(""))),
            Err(why) if is_wanted => (None, Some(not_reduced(&why))),
            _ => (None, None),
        };
        let space = Produced::new(self.prepared, reducer);
        Ok((Box::new(space), told.into_iter().collect()))
    }

    fn understand(&self, proposition: &str) -> Result<(), NotUnderstood> {
        self.prepared.meaning(proposition).map(|_| ())
    }
}
