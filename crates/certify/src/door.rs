//! The one way in: whether evidence proves a verdict on a claim.
//!
//! [`check`] is what the command line, libraries and tests call. Which checker judges which kind of
//! evidence stands in one table, `weigh`: a new kind of evidence is a file of its own and a row
//! there.
//!
//! If the machine is abstract, or the claim names edges, evidence is about an ordinary machine and
//! claim ([`spoken_of`]), and is judged as such. If the claim begins elsewhere than at the initial
//! nodes, evidence is about a machine that begins there (`begun`).
//!
//! What a verdict says besides holding or failing is looked at here, for all kinds: a claim that
//! fails may be said to fail at an initial node, a claim that holds may not; and what is told to
//! people is replayed.

use crate::abstraction::Ordinary;
use crate::begun::Begun;
use crate::moves::State;
use crate::refusal::{Stopped, refuse};
use crate::run::{self, Checked, Scene};
use crate::{labelling, linear, star};
use std::borrow::Cow;
use tern_model::absence::Spot;
use tern_model::budget::Meter;
use tern_model::space::Part;
use tern_model::{
    Budget, Claim, Configuration, Evidence, FormulaId, Formulas, Id, Machine, NodeId, Outcome,
    Place, Property, Verdict,
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

/// What evidence for a verdict on a claim speaks of, if it is not the machine and the claim: that
/// is so for abstract machines, for claims that name edges, and for claims that begin inside calls.
///
/// # Errors
/// Why there can be none, or the limit that was reached.
pub fn spoken_of(
    subject: Subject<'_>,
    Asked { formulas, claim }: Asked<'_>,
    verdict: &Verdict,
    budget: &Budget,
) -> Result<Option<Ordinary>, Stopped> {
    let machine = match subject {
        Subject::Machine(machine) => Cow::Borrowed(machine),
        Subject::Part(machine, part) if part.is_closed() => Cow::Borrowed(machine),
        Subject::Part(machine, part) => Cow::Owned(coarse(machine, part, &claim.property, budget)?),
    };
    let begun = Begun::new(&machine, &claim.start, budget)?;
    let ordinary = ordinary(&begun.machine, formulas, &claim.property, verdict, budget)?;
    if ordinary.is_some() || !begun.has_copies() {
        return Ok(ordinary);
    }
    sound(&begun, verdict, None)?;
    let (formulas, claim) = (formulas.clone(), claim.property.clone());
    Ok(Some(Ordinary { machine: begun.machine.into_owned(), formulas, claim }))
}

/// The same, for a machine that begins where the claim does.
fn ordinary(
    machine: &Machine,
    formulas: &Formulas,
    property: &Property,
    verdict: &Verdict,
    budget: &Budget,
) -> Result<Option<Ordinary>, Stopped> {
    if !machine.is_abstract() && !property.names_edges() {
        return Ok(None);
    }
    claims(verdict)?;
    let holds = *verdict == Verdict::Holds;
    Ordinary::new(machine, formulas, property, holds, budget).map(Some)
}

/// What is judged, and by whom. Evidence about a part of which not all is known is about a machine
/// in which something else follows there, or about an abstract one in which it may.
fn judge(
    subject: Subject<'_>,
    asked: Asked<'_>,
    said: (&Verdict, Option<&Configuration>),
    evidence: &Evidence,
    told: Option<&Outcome>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let (machine, part) = match subject {
        Subject::Machine(machine) => return judge_on(machine, asked, said, evidence, told, budget),
        Subject::Part(machine, part) if part.is_closed() => {
            return judge_on(machine, asked, said, evidence, told, budget);
        }
        Subject::Part(machine, part) => (machine, part),
    };
    let is_coarse = machine.is_abstract() || told.is_some_and(|told| told.reduced.is_some());
    if !is_coarse && !asked.claim.property.names_edges() {
        let (guarded, known) = guarded(machine, part, evidence, budget)?;
        let judged = judge_on(&guarded, asked, said, &known, told, budget);
        if told.is_some() || !matches!(judged, Err(Stopped::Refused(_))) {
            return judged;
        }
    }
    let machine = coarse(machine, part, &asked.claim.property, budget)?;
    judge_on(&machine, asked, said, evidence, told, budget)
}

/// Judges evidence about a machine.
fn judge_on(
    machine: &Machine,
    asked: Asked<'_>,
    (verdict, culprit): (&Verdict, Option<&Configuration>),
    evidence: &Evidence,
    told: Option<&Outcome>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let Asked { formulas, claim } = asked;
    let begun = Begun::new(machine, &claim.start, budget)?;
    let culprit = sound(&begun, verdict, culprit)?;
    let machine = &*begun.machine;
    let case = Case { machine, formulas, verdict, culprit, budget };
    let Some(mut ordinary) = ordinary(machine, formulas, &claim.property, verdict, budget)? else {
        return weigh(case, &claim.property, evidence, told);
    };
    // Initial nodes are in the same order in both.
    let position = |node| machine.initial().iter().position(|&initial| initial == node);
    let culprit = culprit.and_then(position).map(|at| ordinary.machine.initial()[at]);
    if let Some(said) = told.and_then(|told| told.reduced.as_ref()?.claim.as_ref()) {
        // The outcome brings formulas of its own, which have to say the same.
        let imported = ordinary.formulas.import(&said.formulas, said.claim);
        if ordinary.claim.formula() != Some(imported) {
            return refuse("the evidence", "it is about another claim on the abstract machine");
        }
        (ordinary.formulas, ordinary.claim) = (said.formulas.clone(), said.claim.into());
    }
    let Ordinary { machine, formulas, claim } = &ordinary;
    let case = Case { machine, formulas, culprit, ..case };
    weigh(case, claim, evidence, told)
}

/// Who judges which evidence, and what is told with it.
fn weigh(
    case: Case<'_>,
    property: &Property,
    evidence: &Evidence,
    told: Option<&Outcome>,
) -> Result<(), Stopped> {
    match (evidence, property) {
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
            refuse("the claim", "edges have names that the machine does not know")
        }
    }
}

/// A part of a program as a machine in which something else follows wherever not all is known, and
/// evidence about it. If the evidence took what is known for all that there is, it is wrong there.
fn guarded(
    machine: &Machine,
    part: &Part,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<(Machine, Evidence), Stopped> {
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
    Ok((guarded, evidence))
}

/// A part of a program as an abstract machine, in which anything may follow where not all is known.
fn coarse(
    machine: &Machine,
    part: &Part,
    property: &Property,
    budget: &Budget,
) -> Result<Machine, Stopped> {
    if property.names_edges() {
        return refuse("the part", "not all is known of the edges that are followed");
    }
    match part.coarse(machine, &mut Meter::new(budget))?.finish() {
        Ok(coarse) => Ok(coarse),
        Err(_) => refuse("the part", "it is not made of this machine"),
    }
}

/// Checks that a verdict makes sense, before anything is proved. Gives the initial node at which
/// the claim is said to fail.
fn sound(
    begun: &Begun<'_>,
    verdict: &Verdict,
    culprit: Option<&Configuration>,
) -> Result<Option<NodeId>, Stopped> {
    let holds = claims(verdict)?;
    let Some(culprit) = culprit else { return Ok(None) };
    let said = || {
        let name = State::At(culprit.stack.clone(), culprit.node).name(&begun.machine);
        format!("the claim is said to fail at {name}")
    };
    let Some(node) = begun.initial(culprit) else {
        return refuse(VERDICT, format!("{}, which is no initial node", said()));
    };
    if holds {
        return refuse(VERDICT, format!("{}, and to hold", said()));
    }
    Ok(Some(node))
}

const VERDICT: &str = "the verdict";

/// Whether a verdict says that the claim holds.
fn claims(verdict: &Verdict) -> Result<bool, Stopped> {
    match verdict.known() {
        Some(holds) => Ok(holds),
        None => refuse(VERDICT, "it claims nothing, so there is nothing to certify"),
    }
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
