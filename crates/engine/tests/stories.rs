//! The stories that are told with verdicts are replayed, move by move, by what shares no code with the
//! engines.

use tern_certify::{run, sample, sketch};
use tern_engine::{Checker, Options};
use tern_model::{Budget, Ending, Evidence, Formulas, Reason, Story};

#[test]
fn stories_can_be_replayed() {
    let (mut runs, mut loops, mut pumps) = (0, 0, 0);
    for seed in 0..20_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let large =
            sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..Default::default() };
        let shape = if seed % 4 == 0 { &large } else { &sample::Shape::default() };
        let machine = sample::machine(&mut rng, shape);
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        let options = Options { evidence: true, runs: Some(1000), ..Options::default() };
        let outcome = checker.check(&formulas, claim, &options, &Budget::unlimited());
        let Some(Evidence::Labelling(labelling)) = &outcome.evidence else { continue };
        let Some(&first) = machine.initial().first() else { continue };
        let context =
            || format!("seed {seed}\n{}\n{}", sketch::show(&machine), formulas.show(claim));
        let story = outcome.story.as_ref().unwrap_or_else(|| panic!("no story: {}", context()));
        assert_eq!(Some(story.holds), outcome.verdict.known(), "{}", context());
        assert_eq!(story.term, labelling.program.root);
        let node = outcome.culprit.unwrap_or(first);
        run::replay(&machine, &formulas, labelling, (&[], node), story)
            .unwrap_or_else(|refusal| panic!("{refusal}\n{}\n{story:#?}", context()));
        let mut inner: Vec<&Story> = vec![story];
        while let Some(story) = inner.pop() {
            match &story.reason {
                Reason::Operands(stories) => inner.extend(stories),
                Reason::Run(run) => {
                    match run.ending {
                        Ending::Done => runs += 1,
                        Ending::Loop(_) => loops += 1,
                        Ending::Pump(..) => pumps += 1,
                    }
                    inner.extend(run.then.as_deref());
                }
                Reason::Labels | Reason::AllPaths | Reason::TooLong => {}
            }
        }
    }
    assert!(runs > 500 && loops > 100 && pumps > 20, "{runs} runs, {loops} loops, {pumps} pumps");
}
