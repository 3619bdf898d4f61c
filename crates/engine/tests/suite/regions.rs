//! Where claims hold: the list is the same whatever else is asked for, and agrees with unfolding.

use tern_certify::oracle::unfold;
use tern_engine::{Checker, Options};
use tern_model::{Budget, Formulas, Region};
use tern_testkit::{sample, sketch};

const DEPTH: usize = 4;
const CONFIGURATIONS: usize = 400;

#[test]
fn exactly_what_is_reached_is_listed() {
    let (mut compared, mut partly) = (0, 0);
    for seed in 0..6_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        let case = || format!("seed {seed}\n{}\n{}", sketch::show(&machine), formulas.show(claim));
        let list = |evidence: bool| -> Vec<Region> {
            let options = Options { regions: true, evidence, ..Options::default() };
            let outcome = checker.check(&formulas, claim, &options, &Budget::unlimited());
            outcome.regions.expect("it was asked for")
        };
        let regions = list(false);
        assert_eq!(regions, list(true), "{}", case());
        let reachable = &checker.survey().reachable;
        let mut listed = fixedbitset::FixedBitSet::with_capacity(machine.node_count());
        for region in &regions {
            listed.extend(region.nodes.iter().map(|&node| tern_model::Id::index(node)));
            assert!(!region.nodes.is_empty(), "{}", case());
            partly += usize::from(!region.holds.is_empty() && region.holds != region.nodes);
        }
        assert_eq!(&listed, reachable, "{}", case());
        let Some(unfolded) = unfold::label(&machine, &formulas, claim, DEPTH, CONFIGURATIONS)
        else {
            continue;
        };
        for (stack, node, truth) in &unfolded {
            let Some(truth) = truth.known() else { continue };
            compared += 1;
            let fits = |region: &&Region| {
                region.component == machine.component_of(*node)
                    && region.nodes.contains(node)
                    && region.holds.contains(node) == truth
            };
            assert!(regions.iter().any(|r| fits(&r)), "{stack:?} {node:?} {truth}: {}", case());
        }
        for region in regions.iter().filter(|region| region.stack.len() < DEPTH) {
            let same = |stack: &[_], node| stack == region.stack && region.nodes.contains(&node);
            let exists = unfolded.iter().any(|(stack, node, _)| same(stack, *node));
            assert!(exists, "{region:?}: {}", case());
        }
    }
    assert!(compared > 10_000 && partly > 1_000, "{compared} compared, {partly} in part");
}
