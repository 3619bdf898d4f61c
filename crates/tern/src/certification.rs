//! Lets the certifier look at evidence.
//!
//! Nothing that an engine said is believed here: the evidence is checked against the model by a crate that knows no
//! engine. [`certified`] does that for an answer; [`accept`] for evidence that comes from elsewhere, such as from
//! a result file.

use std::time::Instant;
use tern_certify::linear::{self, Specification};
use tern_certify::{Stopped, labelling, run, star};
use tern_model::{
    Answer, AutomatonProperty, Budget, Certification, Claim, Evidence, Example, Formulas, Gap,
    Limit, Machine, Meaning, Missing, NodeId, Outcome, Property, Verdict, View,
};

/// What a verdict is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim.
    pub claim: &'a Claim,
}

/// What the certifier made of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It proves the verdict.
    Accepted,
    /// It does not, for this reason.
    Refused(String),
    /// A limit was reached before it had looked at everything.
    Limit(Limit),
}

/// An answer with a definite verdict is kept only if the certifier accepts its evidence. If a limit leaves
/// nothing to look at, or no time to look, the verdict stays, but is not certified.
pub fn certified(subject: Subject<'_>, mut answer: Answer, budget: &Budget) -> Answer {
    let outcome = &mut answer.outcome;
    let not_given = |missing: &Missing| matches!(missing, Missing::Evidence(_));
    if outcome.verdict.known().is_none() || outcome.missing.iter().any(not_given) {
        return answer;
    }
    let begin = Instant::now();
    let mut found = checked(subject, outcome, budget);
    if let (Checked::Accepted, Some(example)) = (&found, &answer.meaning.example) {
        found = check_example(subject, example, budget);
    }
    let seconds = begin.elapsed().as_secs_f64();
    match found {
        Checked::Accepted => {
            answer.certification = Some(Certification { accepted: true, seconds });
        }
        Checked::Limit(limit) => {
            outcome.missing.push(Missing::Certification(Gap::Limit(limit)));
        }
        Checked::Refused(why) => {
            answer = Answer {
                outcome: Outcome {
                    engine: outcome.engine,
                    stats: outcome.stats,
                    seconds: outcome.seconds,
                    explaining: outcome.explaining,
                    ..Outcome::from(Verdict::Unknown(Gap::Refused(why)))
                },
                certification: Some(Certification { accepted: false, seconds }),
                meaning: Meaning::default(),
            };
        }
    }
    answer
}

/// Lets the certifier look at the example of a claim, which fails to be absent where the claim begins.
fn check_example(subject: Subject<'_>, example: &Example, budget: &Budget) -> Checked {
    let Example { formulas, claim, outcome } = example;
    let claim = Claim { start: subject.claim.start.clone(), ..Claim::new(*claim) };
    match checked(Subject { formulas, claim: &claim, ..subject }, outcome, budget) {
        Checked::Refused(why) => Checked::Refused(format!("the example: {why}")),
        other => other,
    }
}

/// Lets the certifier look at the evidence and the story of an outcome.
pub fn checked(subject: Subject<'_>, outcome: &Outcome, budget: &Budget) -> Checked {
    let Some(evidence) = &outcome.evidence else {
        return Checked::Refused("there is none".to_owned());
    };
    let view = match view(subject, budget) {
        Ok(view) => view,
        Err(checked) => return checked,
    };
    if let Some(culprit) = outcome.culprit.as_ref().filter(|it| !view.starts.contains(it)) {
        return Checked::Refused(no_start(&culprit.show(subject.machine)));
    }
    let node = outcome.culprit.as_ref().map(|culprit| culprit.node);
    let (machine, verdict) = (&*view.machine, &outcome.verdict);
    let start = node.or(machine.initial().first().copied());
    let Subject { formulas, claim, .. } = subject;
    if let (&Property::Formula(claim), Evidence::Star(evidence)) = (&claim.property, evidence) {
        let accepted = star::Proof::check(machine, formulas, evidence, budget).and_then(|proof| {
            proof.decides(claim, verdict, node)?;
            match (&outcome.star_story, start) {
                (Some(story), Some(start)) => proof.replay(claim, start, story, budget),
                _ => Ok(()),
            }
        });
        return found(accepted);
    }
    let checked = accept_at(subject, &view, verdict, node, evidence, budget);
    let Evidence::Labelling(labelling) = evidence else { return checked };
    let (Checked::Accepted, Some(story), Some(start)) = (&checked, &outcome.story, start) else {
        return checked;
    };
    if story.of != labelling.program.root {
        return Checked::Refused("the story is not of the claim".to_owned());
    }
    let start = (&[][..], start);
    found(run::replay_within(machine, formulas, labelling, start, story, budget))
}

/// Whether evidence proves a verdict, and that the claim is false at the culprit, which is given in words.
pub fn accept(
    subject: Subject<'_>,
    verdict: &Verdict,
    culprit: Option<&str>,
    evidence: &Evidence,
    budget: &Budget,
) -> Checked {
    let view = match view(subject, budget) {
        Ok(view) => view,
        Err(checked) => return checked,
    };
    let mut starts = view.starts.iter();
    let named = |it: &str| starts.find(|start| start.show(subject.machine) == it);
    match (culprit, culprit.and_then(named)) {
        (Some(culprit), None) => Checked::Refused(no_start(culprit)),
        (_, start) => {
            let node = start.map(|start| start.node);
            accept_at(subject, &view, verdict, node, evidence, budget)
        }
    }
}

/// The machine as the claim sees it.
fn view<'a>(subject: Subject<'a>, budget: &Budget) -> Result<View<'a>, Checked> {
    match subject.claim.start.view(subject.machine, budget) {
        Ok(view) if view.is_inside_calls() => {
            Err(Checked::Refused("nothing is proved of claims that begin inside calls".to_owned()))
        }
        Ok(view) => Ok(view),
        Err(Gap::Limit(limit)) => Err(Checked::Limit(limit)),
        Err(gap) => Err(Checked::Refused(gap.to_string())),
    }
}

fn no_start(culprit: &str) -> String {
    format!("{}, which is no initial node", said(culprit))
}

fn said(culprit: &str) -> String {
    format!("the claim is said to fail at {culprit}")
}

/// Whether evidence proves a verdict on a view, and that the claim is false at the culprit.
fn accept_at(
    subject: Subject<'_>,
    view: &View<'_>,
    verdict: &Verdict,
    culprit: Option<NodeId>,
    evidence: &Evidence,
    budget: &Budget,
) -> Checked {
    let machine = &*view.machine;
    let Subject { formulas, claim, .. } = subject;
    let checked = match (&claim.property, evidence) {
        (Property::Automaton(property), _) => {
            let AutomatonProperty { automaton, must, fair, .. } = &**property;
            let claim = Specification { automaton, must: *must, fair };
            let check = linear::check_automaton;
            found(check(machine, formulas, claim, verdict, evidence, budget))
        }
        (&Property::Formula(claim), Evidence::Labelling(labelling)) => {
            found(labelling::check_within(machine, formulas, claim, verdict, labelling, budget))
        }
        (&Property::Formula(claim), Evidence::Runs { .. } | Evidence::Absence { .. }) => {
            found(linear::check(machine, formulas, claim, verdict, evidence, budget))
        }
        (&Property::Formula(claim), Evidence::Star(evidence)) => {
            let check = star::check;
            return found(check(machine, formulas, claim, verdict, culprit, evidence, budget));
        }
    };
    let (Checked::Accepted, Some(node)) = (&checked, culprit) else { return checked };
    let fails_there = match evidence {
        Evidence::Labelling(labelling) => {
            labelling.holds_at(machine, formulas, &[], node) == Some(false)
        }
        Evidence::Runs { runs, .. } => runs.iter().any(|&(at, _)| at == node),
        Evidence::Absence { from, .. } => from.contains(&node),
        Evidence::Star(_) => true,
    };
    match fails_there {
        true => Checked::Accepted,
        false => Checked::Refused(format!(
            "{}, but that is not what the evidence shows",
            said(&machine.node_path(node))
        )),
    }
}

fn found<R: std::fmt::Display>(checked: Result<(), Stopped<R>>) -> Checked {
    match checked {
        Ok(()) => Checked::Accepted,
        Err(Stopped::Refused(refusal)) => Checked::Refused(refusal.to_string()),
        Err(Stopped::Limit(limit)) => Checked::Limit(limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_engine::{Checker, Options};
    use tern_front::Source;

    #[test]
    fn a_verdict_without_good_evidence_is_not_kept() {
        let text = "component main { initial entry a {p} -> a; }\nclaim EG p;";
        let budget = Budget::unlimited();
        let read = tern_front::tern::read(&Source::new("m.tern", text), &budget);
        let (machine, claims) = read.expect("sound");
        let claim = &claims.list()[0];
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.decide(&claims.formulas, claim, &options, &budget);
        let subject = Subject { machine: &machine, formulas: &claims.formulas, claim };
        let look = |outcome: Outcome| certified(subject, outcome.into(), &budget);

        let good = look(outcome.clone());
        assert_eq!(good.outcome.verdict, Verdict::Holds);
        assert!(good.certification.is_some_and(|it| it.accepted));

        let lie = Outcome { verdict: Verdict::Fails, ..outcome.clone() };
        let bare = Outcome { evidence: None, ..outcome.clone() };
        for bad in [lie, bare] {
            let answer = look(bad);
            let Verdict::Unknown(Gap::Refused(_)) = answer.outcome.verdict else {
                panic!("{answer:?}")
            };
            assert!(answer.certification.is_some_and(|it| !it.accepted));
            assert!(answer.outcome.evidence.is_none());
        }

        // Without time the verdict stays, but nobody vouches for it.
        let spent = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
        let answer = certified(subject, outcome.clone().into(), &spent);
        assert_eq!(answer.outcome.verdict, Verdict::Holds);
        assert!(answer.certification.is_none());
        let missing: Vec<_> = answer.outcome.missing.iter().map(ToString::to_string).collect();
        assert_eq!(missing, ["no certification: time limit of 0s reached"]);

        let evidence = outcome.evidence.as_ref().expect("it was asked for");
        let refused = |culprit: &str| {
            let (holds, culprit) = (Verdict::Holds, Some(culprit));
            match accept(subject, &holds, culprit, evidence, &budget) {
                Checked::Refused(why) => why,
                other => panic!("{other:?}"),
            }
        };
        assert!(refused("main.b").contains("no initial node"));
        assert!(refused("main.a").contains("not what the evidence shows"));
    }
}
