//! The machine that is seen from the top level: the certifier makes its own, which must be the
//! same.

use fastrand::Rng;
use std::collections::BTreeSet;
use tern_model::{Budget, Edge, Machine};
use tern_testkit::{sample, sketch, tiny};

/// All that evidence and verdicts can depend on, edges as sets.
fn shape(machine: &Machine) -> impl PartialEq + std::fmt::Debug + use<> {
    let nodes: Vec<_> = machine
        .nodes()
        .map(|node| {
            let edges: BTreeSet<Edge> = machine.edges(node).iter().copied().collect();
            (machine.node_path(node), machine.is_entry(node), edges)
        })
        .collect();
    let labels: Vec<_> = machine
        .labels()
        .map(|(label, name)| (name.to_owned(), machine.labelled(label).to_vec()))
        .collect();
    let exits: Vec<_> = machine
        .exits()
        .map(|exit| (machine.component_of_exit(exit), machine.exit_name(exit).to_owned()))
        .collect();
    let counts = (machine.component_count(), machine.box_count(), machine.place_count());
    let rules = (machine.end_rule(), machine.dead_end_rule(), machine.initial().to_vec());
    (nodes, labels, exits, counts, rules)
}

fn compare(machine: &Machine) -> usize {
    let budget = Budget::unlimited();
    let engines = tern_engine::top_level(machine, &budget).expect("no limits");
    let own = tern_certify::top_level(machine, &budget).expect("no limits");
    assert_eq!(shape(&own), shape(&engines), "{}", sketch::show(machine));
    let steps =
        |machine: &Machine| machine.nodes().map(|it| machine.edges(it).len()).sum::<usize>();
    usize::from(machine.box_count() > 0 && steps(&own) != steps(machine))
}

#[test]
fn both_make_the_same_machine() {
    let mut changed = 0;
    for seed in 0..4_000 {
        let mut rng = Rng::with_seed(seed);
        changed += compare(&sample::machine(&mut rng, &sample::Shape::default()));
    }
    for family in tiny::Family::all() {
        let stride = (family.size() / 200).max(1);
        changed += family.machines(0, stride).map(|machine| compare(&machine)).sum::<usize>();
    }
    assert!(changed > 500, "{changed}");
}

#[test]
fn limits_are_kept() {
    let machine = sample::machine(&mut Rng::with_seed(1), &sample::Shape::default());
    let spent = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
    assert!(tern_certify::top_level(&machine, &spent).is_err());
}
