//! What stories of claims about runs are told from: the runs that were found.

use super::{Decision, Lasso, Question, note};
use crate::tell::{self, Found, World};
use rustc_hash::FxHashMap;
use tern_automata::closure;
use tern_model::{
    Budget, Ending, Formula, FormulaId, Formulas, Gap, Limit, Machine, Missing, MoveKind, NodeId,
    Obligation, Reason, Run, Story,
};

/// Tells why a claim has its value: at each initial node from which a run was looked for and found,
/// or at the one at which there is none. What is too long, or takes too long, is noted as missing.
pub(crate) fn tell(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    question: Question,
    decision: &mut Decision,
    most_moves: usize,
    budget: &Budget,
) -> Vec<(NodeId, Story)> {
    let mut world = Linear { machine, formulas, known: FxHashMap::default(), run: None };
    world.know(claim, decision.holds);
    let mut one = |node: NodeId, run: Option<Run>| {
        world.run = run;
        let story = tell::tell(&mut world, formulas, claim, &node, most_moves, budget)?;
        Ok((!is_too_long(&story)).then_some((node, story)))
    };
    let told: Result<Vec<_>, Limit> = if decision.holds == question.holds_if_found {
        let lassos = decision.runs.iter();
        lassos
            .map(|Lasso { at, run }| {
                // The beginning of a run that is too long may be enough.
                let begun = |moves: &Vec<_>| Run { moves: moves.clone(), ending: Ending::Done };
                one(*at, Some(run.clone().unwrap_or_else(|moves| begun(&moves))))
            })
            .collect()
    } else {
        let at = decision.culprit.or(machine.initial().first().copied());
        at.into_iter().map(|at| one(at, None)).collect()
    };
    let told = match told {
        Ok(told) => told,
        Err(limit) => {
            note(&mut decision.missing, Missing::Run(Gap::Limit(limit)));
            return Vec::new();
        }
    };
    let too_long = |missing: &Missing| matches!(missing, Missing::Run(Gap::Unsupported(_)));
    decision.missing.retain(|missing| !too_long(missing));
    if told.iter().any(Option::is_none) {
        let why = Gap::Unsupported(format!("it has more than {most_moves} moves"));
        note(&mut decision.missing, Missing::Run(why));
    }
    told.into_iter().flatten().collect()
}

/// Whether a story has come to a run that is not told.
fn is_too_long(story: &Story) -> bool {
    let mut waiting = vec![story];
    while let Some(story) = waiting.pop() {
        match &story.reason {
            Reason::TooLong => return true,
            Reason::Operands(stories) => waiting.extend(stories),
            Reason::Labels | Reason::Run(_) | Reason::AllPaths => {}
        }
    }
    false
}

/// A machine, and a run of it from an initial node.
struct Linear<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    /// The truth of the claim, and of what it is the negation of.
    known: FxHashMap<FormulaId, bool>,
    run: Option<Run>,
}

impl Linear<'_> {
    fn know(&mut self, claim: FormulaId, holds: bool) {
        let (mut id, mut holds) = (claim, holds);
        self.known.insert(id, holds);
        while let Formula::Not(inner) = self.formulas.get(id)
            && self.formulas.is_state_formula(id)
        {
            (id, holds) = (inner, !holds);
            self.known.insert(id, holds);
        }
    }

    fn label(&self, id: FormulaId, node: Option<NodeId>) -> Option<bool> {
        let Formula::Atom(atom) = self.formulas.get(id) else { return None };
        let label = self.machine.label(self.formulas.atom_name(atom));
        Some(label.zip(node).is_some_and(|(label, node)| self.machine.has_label(node, label)))
    }
}

impl World for Linear<'_> {
    type Spot = NodeId;
    /// The nodes that a run passes; `None` in the sink.
    type Path = Vec<Option<NodeId>>;

    fn value(&self, id: FormulaId, &here: &NodeId) -> Option<bool> {
        if let Some(&known) = self.known.get(&id) {
            return Some(known);
        }
        let mut truth: FxHashMap<FormulaId, bool> = FxHashMap::default();
        for part in closure(self.formulas, id) {
            let label = self.label(part, Some(here));
            let value = label.or_else(|| self.formulas.get(part).boolean(|f| truth[&f]))?;
            truth.insert(part, value);
        }
        truth.get(&id).copied()
    }

    fn find(
        &mut self,
        _: FormulaId,
        _: Obligation,
        &here: &NodeId,
        _: usize,
    ) -> Result<Option<Found<Self::Path>>, Limit> {
        let Some(run) = self.run.take() else { return Ok(None) };
        let mut path = Vec::with_capacity(run.moves.len() + 1);
        let mut at = Some(here);
        path.push(at);
        for step in &run.moves {
            at = match step.kind {
                MoveKind::Sink => None,
                MoveKind::Stay => at,
                _ => Some(step.node),
            };
            path.push(at);
        }
        Ok(Some(Found { run, path }))
    }

    fn leaf(&self, path: &Self::Path, id: FormulaId, at: usize) -> Option<bool> {
        self.label(id, path[at])
    }

    fn spot(&self, _: &Self::Path, _: usize) -> NodeId {
        unreachable!("there is no quantifier inside that other runs would be told of")
    }
}
