//! The one way in: whether evidence proves a verdict on a claim.
//!
//! [`check`] is what the command line, libraries and tests call. Which checker judges which kind of
//! evidence stands in one table, `judge`: a new kind of evidence is a file of its own and a row
//! there.
//!
//! What a verdict says besides holding or failing is looked at here, for all kinds: a claim that
//! fails may be said to fail at an initial node, a claim that holds may not; and what is told to
//! people is replayed.

use crate::moves::State;
use crate::refusal::{Stopped, refuse};
use crate::run::{self, Checked, Scene};
use crate::{labelling, linear, star};
use std::borrow::Cow;
use tern_model::absence::Spot;
use tern_model::budget::Meter;
use tern_model::space::Part;
use tern_model::{
    Budget, Claim, Configuration, Evidence, FormulaId, Formulas, Gap, Id, Machine, NodeId, Outcome,
    Place, Property, Start, Verdict,
};

/// What a claim is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A machine.
    Machine(&'a Machine),
    /// A program that is produced on demand, as far as it was; with that part as a machine.
    Part(&'a Machine, &'a Part),
}

impl<'a> From<&'a Machine> for Subject<'a> {
    fn from(machine: &'a Machine) -> Self {
        Subject::Machine(machine)
    }
}

/// What is claimed.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Where the formulas live that the claim speaks of.
    pub formulas: &'a Formulas,
    /// The claim: what it says, and of which configurations. Names and places do not matter.
    pub claim: &'a Claim,
}

/// A verdict that is to be proved.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) formulas: &'a Formulas,
    pub(crate) verdict: &'a Verdict,
    /// An initial node at which the claim is said to fail.
    pub(crate) culprit: Option<NodeId>,
    pub(crate) budget: &'a Budget,
}

/// Checks that evidence proves a verdict on a claim, and that the claim fails where it is said to.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub fn check(
    subject: Subject<'_>,
    claim: Asked<'_>,
    verdict: &Verdict,
    culprit: Option<&Configuration>,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<(), Stopped> {
    judge(subject, claim, (verdict, culprit), evidence, None, budget)
}

/// Checks that the evidence of an outcome proves its verdict, and that the runs are so that are
/// told with it.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub fn check_outcome(
    subject: Subject<'_>,
    claim: Asked<'_>,
    outcome: &Outcome,
    budget: &Budget,
) -> Result<(), Stopped> {
    let said = (&outcome.verdict, outcome.culprit.as_ref());
    match &outcome.evidence {
        Some(evidence) => judge(subject, claim, said, evidence, Some(outcome), budget),
        None => refuse("the evidence", "there is none"),
    }
}

/// Who judges which evidence, and what is told with it.
fn judge(
    subject: Subject<'_>,
    Asked { formulas, claim }: Asked<'_>,
    (verdict, culprit): (&Verdict, Option<&Configuration>),
    evidence: &Evidence,
    told: Option<&Outcome>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let (machine, evidence) = match subject {
        Subject::Machine(machine) => (Cow::Borrowed(machine), Cow::Borrowed(evidence)),
        Subject::Part(machine, part) => guarded(machine, part, evidence, budget)?,
    };
    let evidence = &*evidence;
    let machine = &*begun(&machine, &claim.start, budget)?;
    let culprit = sound(machine, verdict, culprit)?;
    let case = Case { machine, formulas, verdict, culprit, budget };
    match (evidence, &claim.property) {
        (Evidence::Labelling(it), &Property::Formula(claim)) => {
            labelling::check(case, claim, it, told)
        }
        (Evidence::Runs { .. } | Evidence::Absence { .. }, property) => {
            linear::check(case, property, evidence, told)
        }
        (Evidence::Star(it), &Property::Formula(claim)) => star::check(case, claim, it, told),
        (Evidence::Labelling(_) | Evidence::Star(_), Property::Automaton(_)) => {
            refuse("the evidence", "it says nothing about automata")
        }
        (Evidence::Labelling(_) | Evidence::Star(_), Property::Runs(_)) => {
            refuse("the evidence", "it says nothing about runs")
        }
    }
}

/// A part of a program as a machine in which something else follows wherever not all is known, and
/// evidence about it. If the evidence took what is known for all that there is, it is wrong there.
fn guarded<'a>(
    machine: &'a Machine,
    part: &Part,
    evidence: &'a Evidence,
    budget: &Budget,
) -> Result<(Cow<'a, Machine>, Cow<'a, Evidence>), Stopped> {
    if part.is_closed() {
        return Ok((Cow::Borrowed(machine), Cow::Borrowed(evidence)));
    }
    let guarded = match part.guarded(machine, &mut Meter::new(budget))?.finish() {
        Ok(guarded) => guarded,
        Err(_) => return refuse("the part", "it is not made of this machine"),
    };
    let mut evidence = evidence.clone();
    if let Evidence::Absence { proof, .. } = &mut evidence {
        for vertex in proof.starts.iter_mut().flat_map(|start| &mut start.vertices) {
            // Places have other numbers, since there are more.
            let Spot::At(place) = &mut vertex.spot else { continue };
            let known = (place.index() < machine.place_count()).then(|| machine.place(*place));
            *place = match known {
                Some(Place::Node(node)) => guarded.node_place(node),
                Some(Place::Site(call, exit)) => guarded.site(call, exit).unwrap_or(*place),
                None => return refuse("the evidence", "it speaks of a place that does not exist"),
            };
        }
    }
    Ok((Cow::Owned(guarded), Cow::Owned(evidence)))
}

/// The machine, with initial nodes where a claim begins. There evidence speaks of empty stacks
/// only.
fn begun<'m>(
    machine: &'m Machine,
    start: &Start,
    budget: &Budget,
) -> Result<Cow<'m, Machine>, Stopped> {
    const PLACE: &str = "the start of the claim";
    if let Start::At(list) = start {
        let exists = |it: &Configuration| State::At(it.stack.clone(), it.node).exists(machine);
        if list.is_empty() || !list.iter().all(exists) {
            return refuse(PLACE, "there is none, or one that is no configuration of the machine");
        }
        if list.iter().any(|it| !it.stack.is_empty()) {
            return refuse(PLACE, "nothing is proved of claims that begin inside calls");
        }
    }
    match start.view(machine, budget) {
        Ok(view) => Ok(view.machine),
        Err(Gap::Limit(limit)) => Err(limit.into()),
        Err(gap) => refuse(PLACE, gap.to_string()),
    }
}

/// Checks that a verdict makes sense, before anything is proved. Gives the initial node at which
/// the claim is said to fail.
fn sound(
    machine: &Machine,
    verdict: &Verdict,
    culprit: Option<&Configuration>,
) -> Result<Option<NodeId>, Stopped> {
    const PLACE: &str = "the verdict";
    let Some(holds) = verdict.known() else {
        return refuse(PLACE, "it claims nothing, so there is nothing to certify");
    };
    let Some(Configuration { stack, node }) = culprit else { return Ok(None) };
    let said = State::At(stack.clone(), *node).name(machine);
    let said = format!("the claim is said to fail at {said}");
    if !stack.is_empty() || !machine.initial().contains(node) {
        return refuse(PLACE, format!("{said}, which is no initial node"));
    }
    if holds {
        return refuse(PLACE, format!("{said}, and to hold"));
    }
    Ok(Some(*node))
}

impl Case<'_> {
    /// Replays what is told of a claim, or, without one, of an automaton. The evidence has been
    /// checked.
    pub(crate) fn replay(
        &self,
        claim: Option<FormulaId>,
        evidence: Checked<'_>,
        told: Option<&Outcome>,
    ) -> Result<(), Stopped> {
        let Case { machine, formulas, culprit, budget, .. } = *self;
        for &(start, ref story) in told.map_or(&[][..], |outcome| &outcome.stories) {
            if culprit.is_some_and(|culprit| culprit != start) {
                return refuse("the story", "it is not told of where the claim is said to fail");
            }
            run::replay(Scene { machine, formulas, claim, start }, evidence, story, budget)?;
        }
        Ok(())
    }
}
