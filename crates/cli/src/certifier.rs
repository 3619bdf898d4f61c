//! Lets the certifier look at evidence, for `tern certify` and `tern check --certify`.
//!
//! Nothing that an engine said is believed here: the evidence is checked against the model by a crate that knows no
//! engine.

use crate::meaning;
use std::time::Instant;
use tern_certify::linear::{self, Specification};
use tern_certify::{Stopped, labelling, run, star};
use tern_model::{Answer, Certification, Meaning};
use tern_model::{
    AutomatonProperty, Budget, Evidence, Formulas, Gap, Limit, Machine, Missing, Outcome, Property,
    Verdict,
};

/// What a verdict is about.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Where the claim lives.
    pub(crate) formulas: &'a Formulas,
    /// The claim.
    pub(crate) claim: &'a Property,
}

/// What the certifier made of evidence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Accepted,
    Refused(String),
    /// A limit was reached before it had looked at everything.
    Limit(Limit),
}

/// An answer with a definite verdict is kept only if the certifier accepts its evidence. If a limit leaves
/// nothing to look at, or no time to look, the verdict stays, but is not certified.
pub(crate) fn certified(
    machine: &Machine,
    subject: Subject<'_>,
    mut answer: Answer,
    budget: &Budget,
) -> Answer {
    let outcome = &mut answer.outcome;
    let not_given = |missing: &Missing| matches!(missing, Missing::Evidence(_));
    if outcome.verdict.known().is_none() || outcome.missing.iter().any(not_given) {
        return answer;
    }
    let begin = Instant::now();
    let mut found = checked(machine, subject, outcome, budget);
    if let (Checked::Accepted, Some(example)) = (&found, &answer.meaning.example) {
        found = meaning::certified(machine, example, budget);
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

/// Lets the certifier look at the evidence and the story of an outcome.
pub(crate) fn checked(
    machine: &Machine,
    subject: Subject<'_>,
    outcome: &Outcome,
    budget: &Budget,
) -> Checked {
    let Some(evidence) = &outcome.evidence else {
        return Checked::Refused("there is none".to_owned());
    };
    let Subject { formulas, claim } = subject;
    let (verdict, culprit) = (&outcome.verdict, outcome.culprit);
    let start = culprit.or(machine.initial().first().copied());
    if let (&Property::Formula(claim), Evidence::Star(evidence)) = (claim, evidence) {
        let accepted = star::Proof::check(machine, formulas, evidence, budget).and_then(|proof| {
            proof.decides(claim, verdict, culprit)?;
            match (&outcome.star_story, start) {
                (Some(story), Some(start)) => proof.replay(claim, start, story, budget),
                _ => Ok(()),
            }
        });
        return found(accepted);
    }
    let culprit = culprit.map(|node| machine.node_path(node));
    let checked = accept(machine, subject, verdict, culprit.as_deref(), evidence, budget);
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

/// Whether evidence proves a verdict, and that the claim is false at the culprit.
pub(crate) fn accept(
    machine: &Machine,
    subject: Subject<'_>,
    verdict: &Verdict,
    culprit: Option<&str>,
    evidence: &Evidence,
    budget: &Budget,
) -> Checked {
    let said = culprit.map(|culprit| format!("the claim is said to fail at {culprit}"));
    let said = said.unwrap_or_default();
    let mut initial = machine.initial().iter().copied();
    let node = initial.find(|&node| culprit.is_some_and(|it| it == machine.node_path(node)));
    if culprit.is_some() && node.is_none() {
        return Checked::Refused(format!("{said}, which is no initial node"));
    }
    let Subject { formulas, claim } = subject;
    let checked = match (claim, evidence) {
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
            return found(star::check(machine, formulas, claim, verdict, node, evidence, budget));
        }
    };
    let (Checked::Accepted, Some(node)) = (&checked, node) else { return checked };
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
        false => Checked::Refused(format!("{said}, but that is not what the evidence shows")),
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
        let subject = Subject { formulas: &claims.formulas, claim: &claim.property };
        let look = |outcome: Outcome| certified(&machine, subject, outcome.into(), &budget);

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
        let answer = certified(&machine, subject, outcome.clone().into(), &spent);
        assert_eq!(answer.outcome.verdict, Verdict::Holds);
        assert!(answer.certification.is_none());
        let missing: Vec<_> = answer.outcome.missing.iter().map(ToString::to_string).collect();
        assert_eq!(missing, ["no certification: time limit of 0s reached"]);

        let evidence = outcome.evidence.as_ref().expect("it was asked for");
        let refused = |culprit: &str| {
            let (holds, culprit) = (Verdict::Holds, Some(culprit));
            match accept(&machine, subject, &holds, culprit, evidence, &budget) {
                Checked::Refused(why) => why,
                other => panic!("{other:?}"),
            }
        };
        assert!(refused("main.b").contains("no initial node"));
        assert!(refused("main.a").contains("not what the evidence shows"));
    }
}
