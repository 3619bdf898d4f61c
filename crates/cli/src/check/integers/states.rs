//! Evidence by states that are listed one by one.
//!
//! Where there is no evidence by cells, a verdict is proved by the states of the program, as far as
//! they are listed by the interpreter: they are a machine, in which what is not listed is a node of
//! which nothing is known, and evidence about machines proves the verdict on it. Who checks that
//! makes the machine anew ([`check`]): it relies on the interpreter, and on nothing of the analysis
//! or of the flow graph but which ranges initial values have.

use super::{Task, beyond};
use crate::certify::Stop;
use std::collections::BTreeMap;
use tern_certify::{Asked as Said, Ordinary};
use tern_engine::{Checker, Options};
use tern_model::{Budget, Claim, Formulas, Machine, Verdict as Decided};
use tern_numeric::check::Verdict;
use tern_program::c::sample::{Asked, Most, States};
use tern_record::integers::{ListedStates, write_states};
use tern_record::json::evidence_value;
use tern_record::read_evidence;

/// How far states are listed, from little to much; the largest number is counted from the initial
/// values on.
const FAR: [Most; 3] = [
    Most { starts: 1 << 10, states: 3_000, choices: 9, size: 100, all_only: false, whole: false },
    Most {
        starts: 1 << 10,
        states: 5_000,
        choices: 256,
        size: i128::MAX,
        all_only: false,
        whole: false,
    },
    super::deciding::MOST_STATES,
];

/// Works on the machine of states that begin with one of some values, or with all; on none if no
/// initial state has a run.
fn with_machine<T>(
    asked: Asked<'_>,
    (formulas, claim): (&Formulas, &Claim),
    (start, most): (Option<&BTreeMap<String, i128>>, Most),
    budget: &Budget,
    work: impl Fn(Option<&Machine>, bool) -> Option<T>,
) -> Option<T> {
    let names = beyond::propositions(formulas, claim);
    let made = |states: &States<'_>| {
        if states.listed.has_no_run() {
            return work(None, states.is_all);
        }
        let all: Vec<usize> = (0..states.starts.len()).collect();
        work(Some(&states.listed.machine(&names, &all)?), states.is_all)
    };
    match start {
        Some(values) => asked.listing_from(values, most, budget, made),
        None => asked.listing(&beyond::mentioned(&names), most, budget, made),
    }
}

impl Task {
    /// Evidence for a verdict by listing states.
    pub(super) fn listed_evidence(
        &self,
        index: usize,
        verdict: &Verdict,
        budget: &Budget,
    ) -> Option<serde_json::Value> {
        let start = match verdict {
            Verdict::Unknown(_) => return None,
            Verdict::Holds => None,
            Verdict::Fails { .. } => Some(self.begun(verdict)?),
        };
        let largest = start.iter().flat_map(BTreeMap::values).map(|it| it.saturating_abs()).max();
        FAR.iter().find_map(|far| {
            budget.check().ok()?;
            let size = far.size.saturating_add(largest.unwrap_or_default());
            self.evidence_from(index, (start.as_ref(), Most { size, ..*far }), budget)
        })
    }

    /// The values of a failure that initial states may differ in.
    pub(super) fn begun(&self, verdict: &Verdict) -> Option<BTreeMap<String, i128>> {
        let Verdict::Fails { values, .. } = verdict else { return None };
        let named = self.named(values).map(|(name, value)| (name.to_owned(), value));
        self.asked()?.among_open(named.collect())
    }

    fn evidence_from(
        &self,
        index: usize,
        from: (Option<&BTreeMap<String, i128>>, Most),
        budget: &Budget,
    ) -> Option<serde_json::Value> {
        let (claim, formulas) = (&self.claims.list()[index], &self.claims.formulas);
        let options = Options { evidence: true, ..Options::default() };
        let evidence =
            with_machine(self.asked()?, (formulas, claim), from, budget, |machine, is_all| {
                let Some(machine) = machine else {
                    return (from.0.is_none() && is_all).then_some(serde_json::Value::Null);
                };
                let checker = Checker::new(machine, budget).ok()?;
                let outcome = checker.decide(formulas, claim, &options, budget);
                let is_shown = match (&outcome.verdict, from.0) {
                    (Decided::Holds, None) => is_all,
                    (Decided::Fails, Some(_)) => true,
                    _ => false,
                };
                evidence_value(machine, formulas, claim, &outcome).filter(|_| is_shown)
            })?;
        let (start, Most { starts, states, choices, size, .. }) = from;
        let start = start.cloned();
        write_states(ListedStates { start, starts, states, choices, size, evidence }).ok()
    }
}

/// Checks evidence by listed states: that it proves that a claim holds, or that it fails.
pub(crate) fn check(
    asked: Option<Asked<'_>>,
    (formulas, claim): (&Formulas, &Claim),
    holds: bool,
    evidence: &ListedStates<String>,
    budget: &Budget,
) -> Result<(), Stop> {
    let refused = |why: &str| Err(Stop::Refused(why.to_owned()));
    let Some(asked) = asked else { return refused("the states of this program are not listed") };
    let &ListedStates { ref start, starts, states, choices, size, .. } = evidence;
    if holds && start.is_some() {
        return refused("one initial state does not show that a claim holds");
    }
    let far = super::deciding::MOST_STATES;
    if starts > far.starts || states > far.states || !(1..=far.choices).contains(&choices) {
        return refused("it is about more states than are listed for any claim");
    }
    let most = Most { starts, states, choices, size, all_only: holds, whole: false };
    let verdict = if holds { Decided::Holds } else { Decided::Fails };
    let judge = |machine: Option<&Machine>, is_all: bool| -> Result<(), Stop> {
        if holds && !is_all {
            return refused("there are more initial states than are listed");
        }
        let is_about_none = evidence.evidence == "null";
        let machine = match machine {
            Some(machine) if !is_about_none => machine,
            None if is_about_none && holds => return Ok(()),
            Some(_) => return refused("an initial state has a run"),
            None => return refused("no initial state has a run"),
        };
        let said = Said { formulas, claim };
        let ordinary = tern_certify::spoken_of(machine.into(), said, &verdict, budget)?;
        let read = match ordinary {
            None => read_evidence(machine, formulas, &claim.property, &evidence.evidence),
            Some(Ordinary { machine, formulas, claim }) => {
                read_evidence(&machine, &formulas, &claim, &evidence.evidence)
            }
        };
        let read = read.map_err(|flaw| Stop::Refused(flaw.to_string()))?;
        Ok(tern_certify::check(machine.into(), said, &verdict, None, &read, budget)?)
    };
    let asked_of = (formulas, claim);
    let work = |machine: Option<&Machine>, is_all: bool| Some(judge(machine, is_all));
    let found = with_machine(asked, asked_of, (start.as_ref(), most), budget, work);
    budget.check()?;
    found.unwrap_or_else(|| refused("the states that it is about cannot be listed"))
}
