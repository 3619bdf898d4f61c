//! Evidence for claims that automata stand for is read back from JSON as it was written, is still
//! accepted, and what is damaged is read or refused, and never ends in a panic.

use crate::written;
use fastrand::Rng;
use tern_certify::{Asked, check};
use tern_engine::{Checker, Options};
use tern_model::absence::States;
use tern_model::complement_state::ComplementState;
use tern_model::{AutomatonProperty, Budget, Claim, Claims, Evidence, Fairness, Must, Pair};
use tern_record::read_evidence;
use tern_record::result_file::{AutomatonRecord, ResultFile};
use tern_testkit::sample;

/// What kind of evidence there is, for counting.
fn kind(evidence: &Evidence) -> usize {
    match evidence {
        Evidence::Absence { proof, .. } => match &proof.states {
            States::Complement(watches) => match watches.first() {
                Some(ComplementState::Tree { .. }) => 3,
                _ => 2,
            },
            _ => 1,
        },
        _ => 0,
    }
}

#[test]
fn evidence_is_read_back_as_it_was_written() {
    let budget = Budget::unlimited();
    let mut met = [0; 4];
    for seed in 0..1_500 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut claims = Claims::new();
        let formulas = &mut claims.formulas;
        let path = sample::ltl(&mut rng, formulas, 2 + (seed % 7) as usize);
        let automaton = tern_automata::translate(formulas, path, &budget).expect("no limits");
        let must = if rng.bool() { Must::AcceptNone } else { Must::AcceptAll };
        let weak = sample::ATOMS[..rng.usize(..3)].iter();
        let mut fair: Vec<Fairness> =
            weak.map(|name| Fairness::Justice(formulas.atom(name))).collect();
        if rng.bool() {
            let mut side = || formulas.atom(sample::ATOMS[rng.usize(..3)]);
            fair.push(Pair { when: side().into(), then: side().into() }.into());
        }
        let title = "some automaton".to_owned();
        claims.push(Claim::new(AutomatonProperty { automaton, must, fair, title }));
        let (formulas, property) = (&claims.formulas, &claims.list()[0].property);
        let held = property.automaton().expect("it is one");
        let AutomatonProperty { automaton, fair, .. } = held;
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.check_automaton(formulas, automaton, must, fair, &options, &budget);
        let verdict = outcome.verdict.clone();
        let given = outcome.evidence.clone().expect("no limits");
        met[kind(&given)] += 1;

        let text = written(&machine, &claims, outcome);
        let file = ResultFile::read(&text).expect("a result file");
        let entry = &file.results[0];
        assert_eq!(entry.automaton, Some(AutomatonRecord::new(formulas, held)));
        assert_eq!(entry.automaton.as_ref().and_then(AutomatonRecord::must), Some(must));
        let json = entry.evidence.expect("it was written").get();
        let read = read_evidence(&machine, formulas, property, json)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}: {json}"));
        assert_eq!(format!("{given:?}"), format!("{read:?}"), "seed {seed}: {json}");
        let asked = Asked { formulas, claim: &claims.list()[0] };
        check((&machine).into(), asked, &verdict, None, &read, &budget)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}"));

        // A digit is another one: whatever it then says, nothing breaks.
        let digits: Vec<usize> = json
            .bytes()
            .enumerate()
            .filter(|(_, b)| b.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let mut damaged = json.as_bytes().to_vec();
        damaged[digits[rng.usize(..digits.len())]] = b'0' + rng.u8(..10);
        let damaged = String::from_utf8(damaged).expect("ASCII");
        if let Ok(read) = read_evidence(&machine, formulas, property, &damaged) {
            let _ = check((&machine).into(), asked, &verdict, None, &read, &budget);
        }
    }
    assert!(met.iter().all(|&count| count > 30), "{met:?}");
}
