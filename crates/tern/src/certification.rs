//! Lets the certifier look at an answer.
//!
//! Nothing that an engine said is believed here: the evidence is checked against the model by a
//! crate that knows no engine. For evidence that comes from elsewhere, such as from a result file,
//! [`tern_certify::check`] is the way in.

use std::time::Instant;
use tern_certify::{Asked, Refusal, Stopped, check_outcome, tracking};
use tern_front::Vocabulary;
use tern_front::vocabulary::Copies;
use tern_model::{
    Answer, Budget, Certification, Claim, Example, Formulas, Gap, Machine, Meaning, Missing,
    Outcome, Verdict,
};

/// What a verdict is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The machine, or what was produced of one.
    pub machine: tern_certify::Subject<'a>,
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim.
    pub claim: &'a Claim,
}

/// Checks that the copies of components that a model has, for properties of the stack, are right.
///
/// # Errors
/// What is wrong with them, or the limit that was reached.
pub fn check_copies(
    machine: &Machine,
    vocabulary: Option<&dyn Vocabulary>,
    propositions: &[&str],
    budget: &Budget,
) -> Result<(), Stopped> {
    let mut copy = machine;
    for Copies { before, nodes, names, symbols } in
        vocabulary.into_iter().flat_map(|words| words.copies())
    {
        let owned = |word: Vec<&str>| word.into_iter().map(str::to_owned).collect();
        let of_node = |node| symbols.map_or(Vec::new(), |it| owned(it.of_node(node)));
        let of_box = |call| symbols.map_or(Vec::new(), |it| owned(it.of_box(call)));
        let words = tracking::Symbols { of_node: &of_node, of_box: &of_box };
        let symbols = symbols.map(|_| words);
        let copied = tracking::Copied { original: before, copy, nodes, names: &names, symbols };
        tracking::check_copies(copied, propositions.iter().copied(), budget)?;
        copy = before;
    }
    Ok(())
}

/// An answer with a definite verdict is kept only if the certifier accepts its evidence. If a limit
/// leaves nothing to look at, or no time to look, the verdict stays, but is not certified.
pub fn certified(subject: Subject<'_>, mut answer: Answer, budget: &Budget) -> Answer {
    let outcome = &mut answer.outcome;
    let not_given = |missing: &Missing| matches!(missing, Missing::Evidence(_));
    if outcome.verdict.known().is_none() || outcome.missing.iter().any(not_given) {
        return answer;
    }
    let begin = Instant::now();
    let Subject { machine, formulas, claim } = subject;
    let mut found = check_outcome(machine, Asked { formulas, claim }, outcome, budget);
    if let (Ok(()), Some(example)) = (&found, &answer.meaning.example) {
        found = check_example(subject, example, budget);
    }
    let seconds = begin.elapsed().as_secs_f64();
    match found {
        Ok(()) => {
            answer.certification = Some(Certification { accepted: true, seconds });
        }
        Err(Stopped::Limit(limit)) => {
            outcome.missing.push(Missing::Certification(Gap::Limit(limit)));
        }
        Err(Stopped::Refused(why)) => {
            answer = Answer {
                outcome: Outcome {
                    engine: outcome.engine,
                    stats: outcome.stats,
                    seconds: outcome.seconds,
                    explaining: outcome.explaining,
                    ..Outcome::from(Verdict::Unknown(Gap::Refused(why.to_string())))
                },
                certification: Some(Certification { accepted: false, seconds }),
                meaning: Meaning::default(),
            };
        }
    }
    answer
}

/// Lets the certifier look at the example of a claim, which fails to be absent where the claim
/// begins.
fn check_example(subject: Subject<'_>, example: &Example, budget: &Budget) -> Result<(), Stopped> {
    let Example { formulas, claim, outcome } = example;
    let claim = &Claim { start: subject.claim.start.clone(), ..Claim::new(*claim) };
    let checked = check_outcome(subject.machine, Asked { formulas, claim }, outcome, budget);
    checked.map_err(|stopped| match stopped {
        Stopped::Refused(refusal) => {
            let place = format!("the example: {}", refusal.place);
            Stopped::Refused(Refusal { place, ..refusal })
        }
        limit @ Stopped::Limit(_) => limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_certify::check;
    use tern_engine::{Checker, Options};
    use tern_front::Source;
    use tern_model::{Configuration, NodeId, Start};

    #[test]
    fn a_verdict_without_good_evidence_is_not_kept() {
        let text = "component main { initial entry a {p} -> a; node b -> a; }\nclaim EG p;";
        let budget = Budget::unlimited();
        let read = tern_front::tern::read(&Source::new("m.tern", text), &budget);
        let (machine, claims) = read.expect("sound");
        let claim = &claims.list()[0];
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.decide(&claims.formulas, claim, &options, &budget);
        let subject = Subject { machine: (&machine).into(), formulas: &claims.formulas, claim };
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
        let [a, b] = ["a", "b"].map(|name| machine.find_node("main", name).expect("it is there"));
        let refused = |start: Start, culprit: Option<NodeId>| {
            let claim = &Claim { start, ..claim.clone() };
            let asked = Asked { formulas: &claims.formulas, claim };
            let culprit = culprit.map(Configuration::from);
            let (verdict, culprit) = (&outcome.verdict, culprit.as_ref());
            let checked = check((&machine).into(), asked, verdict, culprit, evidence, &budget);
            checked.expect_err("it is wrong").to_string()
        };
        assert!(refused(Start::Initial, Some(b)).contains("main.b, which is no initial node"));
        assert!(refused(Start::Initial, Some(a)).contains("main.a, and to hold"));
        assert!(refused(Start::At(vec![b.into()]), None).contains("false at main.b"));
        assert!(refused(Start::At(Vec::new()), None).contains("no configuration"));
    }
}
