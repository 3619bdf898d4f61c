//! Evidence for claims in CTL*: the verdict that it proves is that of an oracle that shares no
//! code, the checker accepts it, and refuses it when it is spoilt.
//!
//! `TERN_PAIRS` sets the number of pairs of each test, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how much was tried

mod spoil;
mod stories;

use crate::certifier;
use fastrand::Rng;
use spoil::{Dice, Fate, SPOILS, scramble};
use std::collections::BTreeSet;
use std::time::Duration;
use tern_certify::Refusal;
use tern_certify::oracle::pushdown;
use tern_engine::{Checker, Proved, Reach, prove_star};
use tern_model::star_evidence::{Standing, StarEvidence, StarLayer, StarSpot};
use tern_model::{
    BoxId, Budget, Builder, CompId, Edge, EndRule, Evidence, ExitId, Formula, FormulaId, Formulas,
    Limit, Machine, NodeId, Place, Verdict,
};
use tern_testkit::{sample, setting, sketch, tiny};

/// How many heads or classes the oracle may use.
const LIMIT: usize = 20_000;

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", default)
}

/// Whether as much is tried as was meant, so that there is enough of everything.
fn is_whole() -> bool {
    std::env::var_os("TERN_PAIRS").is_none()
}

fn case(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("{}\n{}", sketch::show(machine), formulas.show(claim))
}

/// A random machine; every other one goes forward, so that more depends on stacks.
fn machine(rng: &mut Rng, seed: u64) -> Machine {
    if (seed / 4).is_multiple_of(2) {
        sample::machine(rng, &sample::Shape::default())
    } else {
        forward(rng)
    }
}

/// A machine whose nodes step only to later ones, and return in the end: what is true in a callee
/// is then often decided by where its caller goes on. Every node that calls has a box of its own.
fn forward(rng: &mut Rng) -> Machine {
    const NODES: usize = 5;
    let mut builder = Builder::new();
    let components: Vec<CompId> =
        (0..rng.usize(2..4)).map(|i| builder.component(&format!("c{i}"))).collect();
    let mut parts = Vec::new();
    for &component in &components {
        let nodes: Vec<NodeId> =
            (0..NODES).map(|i| builder.node(component, &format!("n{i}"))).collect();
        builder.entry(nodes[0]);
        let exits: Vec<ExitId> =
            (0..rng.usize(1..3)).map(|i| builder.exit(component, &format!("x{i}"))).collect();
        for &node in &nodes {
            for label in sample::ATOMS {
                if rng.u32(..100) < 25 {
                    builder.label(node, label);
                }
            }
        }
        parts.push((nodes, exits));
    }
    for (i, &component) in components.iter().enumerate() {
        let (nodes, exits) = &parts[i];
        // The last component is mostly a leaf, and others call those after them, or now and then
        // themselves.
        let calls = if i + 1 == components.len() { 10 } else { 65 };
        for (k, &node) in nodes.iter().enumerate() {
            if k + 1 == NODES {
                let exit = exits[rng.usize(..exits.len())];
                builder.edge(Place::Node(node), Edge::Return(exit));
            } else if rng.u32(..100) < calls {
                let recursive = i + 1 == components.len() || rng.u32(..100) < 15;
                let callee = if recursive { i } else { rng.usize(i + 1..components.len()) };
                let call = builder.call_box(component, &format!("b{k}"), components[callee]);
                builder.edge(Place::Node(node), Edge::Call(call, parts[callee].0[0]));
                for &exit in &parts[callee].1 {
                    let to = nodes[rng.usize(k + 1..NODES)];
                    builder.edge(Place::Site(call, exit), Edge::Step(to));
                }
            } else {
                for _ in 0..rng.usize(1..3) {
                    let to = nodes[rng.usize(k + 1..NODES)];
                    builder.edge(Place::Node(node), Edge::Step(to));
                }
            }
        }
        if rng.bool() {
            let exit = exits[rng.usize(..exits.len())];
            builder.edge(Place::Node(nodes[rng.usize(..NODES)]), Edge::Return(exit));
        }
    }
    builder.initial(parts[0].0[0]);
    builder.end_rule(if rng.bool() { EndRule::Loop } else { EndRule::Sink });
    builder.finish().expect("only sound parts are put in")
}

/// A random machine with a formula of CTL*, LTL or CTL in turn.
fn pair(seed: u64) -> (Machine, Formulas, FormulaId) {
    let mut rng = Rng::with_seed(seed);
    let machine = machine(&mut rng, seed);
    let mut formulas = Formulas::new();
    let claim = match seed % 4 {
        0 | 1 => {
            let size = rng.usize(4..13);
            sample::ctl_star(&mut rng, &mut formulas, size)
        }
        2 => {
            let size = rng.usize(2..8);
            sample::ltl(&mut rng, &mut formulas, size)
        }
        _ => sample::formula(&mut rng, &mut formulas, 3),
    };
    (machine, formulas, claim)
}

fn proved(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> Proved {
    let proved = prove_star(machine, formulas, claim, &Budget::unlimited());
    proved.expect("no limits are set").expect("there are few promises")
}

/// What the certifier says of a proof.
fn certify(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    verdict: &Verdict,
    evidence: &StarEvidence,
) -> Result<(), Refusal> {
    let evidence = Evidence::Star(evidence.clone());
    certifier::certify(machine, formulas, claim, verdict, &evidence)
}

/// Proves a claim, and compares with the oracle and the engine. Says what the oracle says, and
/// whether the proof tells stacks apart.
fn compare(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    engine: bool,
) -> Option<(bool, bool)> {
    let Proved { culprit, evidence } = proved(machine, formulas, claim);
    let splits = evidence.layers.iter().any(|layer| {
        let grounds: BTreeSet<u32> = layer.copies.iter().map(|copy| copy.ground).collect();
        grounds.len() < layer.copies.len()
    });
    let verdict = Verdict::from(culprit.is_none());
    let case = || case(machine, formulas, claim);
    if let Err(refusal) = certify(machine, formulas, claim, &verdict, &evidence) {
        panic!("{refusal:?}\n{}\n{evidence:#?}", case());
    }
    let opposite = Verdict::from(culprit.is_some());
    let proves_opposite = certify(machine, formulas, claim, &opposite, &evidence);
    assert!(proves_opposite.is_err(), "{}", case());
    let truth = pushdown::check(machine, formulas, claim, LIMIT)?;
    assert_eq!(culprit.is_none(), truth, "the oracle disagrees: {}", case());
    if engine {
        let budget = Budget::unlimited();
        let checker = Checker::new(machine, &budget).expect("no limits are set");
        let answers = checker.answers(formulas, claim, &[], Reach::Everything, &budget);
        let (answers, _) = answers.expect("no limits are set");
        assert_eq!(answers.iter().all(|&answer| answer), truth, "{}", case());
    }
    Some((truth, splits))
}

#[test]
fn random_machines_against_the_oracle() {
    let (mut pairs, mut spoken, mut holds, mut split) = (0, 0, 0, 0);
    for seed in seeds(1000) {
        let (machine, formulas, claim) = pair(seed);
        pairs += 1;
        if let Some((truth, splits)) = compare(&machine, &formulas, claim, seed.is_multiple_of(8)) {
            split += u64::from(splits);
            spoken += 1;
            holds += u64::from(truth);
        }
    }
    println!("{pairs} pairs, the oracle spoke {spoken} times, {holds} hold, {split} split copies");
    assert!(split * 100 >= pairs, "hardly anything depends on stacks");
    assert!(spoken * 100 >= pairs * 95, "the oracle was silent too often");
    assert!((15..85).contains(&(holds * 100 / spoken)), "the verdicts are one-sided");
}

#[test]
fn tiny_machines_against_the_oracle() {
    let texts = [
        "A | G F p F G E X p",
        "E & F p G A X E F ! p",
        "A G -> p E U X p G ! p",
        "E X A F G p",
        "-> G F p F G ! p",
    ];
    let mut holds = [0; 2];
    for family in tiny::Family::all() {
        let stride = (family.size() / setting("TERN_PAIRS", 30)).max(1);
        for machine in family.machines(setting("TERN_SEED", 0) % stride, stride) {
            for text in texts {
                let mut formulas = Formulas::new();
                let claim = sketch::formula(&mut formulas, text);
                if let Some((truth, _)) = compare(&machine, &formulas, claim, false) {
                    holds[usize::from(truth)] += 1;
                }
            }
        }
    }
    println!("{} fail, {} hold", holds[0], holds[1]);
    assert!(holds.iter().all(|&count| count >= 100) || !is_whole(), "{holds:?}");
}

/// Compares what a layer says about all stacks of up to three boxes with the oracle; says how often
/// it did.
fn compare_layer(
    machine: &Machine,
    formulas: &Formulas,
    evidence: &StarEvidence,
    layer: usize,
) -> u64 {
    let StarLayer { sought, ground, states, vertices, copies, .. } = &evidence.layers[layer];
    let mut formulas = formulas.clone();
    let quantified = formulas.make(if sought.holds {
        Formula::Exists(sought.formula)
    } else {
        Formula::All(sought.formula)
    });
    let solution = pushdown::solve(machine, &formulas, quantified, LIMIT);
    let Some(solution) = solution else { return 0 };
    let state = states.iter().position(|state| state[..] == [*sought]);
    let base = |copy: usize| {
        let (mut ground, mut copy) = (*ground, copies[copy].ground);
        while let Some(layer) = ground {
            copy = evidence.layers[layer as usize].copies[copy as usize].ground;
            ground = evidence.layers[layer as usize].ground;
        }
        &evidence.base[copy as usize]
    };
    let roots = (0..copies.len()).filter(|&copy| base(copy).ended);
    let mut stacks: Vec<(usize, Vec<BoxId>)> = roots.map(|copy| (copy, Vec::new())).collect();
    let mut compared = 0;
    while let Some((copy, stack)) = stacks.pop() {
        for (number, vertex) in (0..).zip(vertices) {
            let StarSpot::At(place) = vertex.spot else { continue };
            let is_sought = Some(vertex.state as usize) == state;
            let Place::Node(node) = machine.place(place) else { continue };
            if vertex.copy != copies[copy].ground || !is_sought {
                continue;
            }
            let good = matches!(vertex.standing, Standing::Good(_));
            let met = good || copies[copy].order.contains(&number);
            let truth = solution.at(&stack, node).expect("a configuration of the machine");
            let place = || format!("{stack:?} {node:?}, {}", case(machine, &formulas, quantified));
            assert_eq!(met == sought.holds, truth, "{}", place());
            compared += 1;
        }
        if stack.len() < 3 {
            let deeper = |&(call, to): &(BoxId, u32)| (to as usize, [&stack[..], &[call]].concat());
            stacks.extend(copies[copy].callees.iter().map(deeper));
        }
    }
    compared
}

#[test]
fn inner_layers_are_right_under_all_stacks() {
    let mut compared = 0;
    for seed in seeds(1000) {
        let (machine, formulas, claim) = pair(seed);
        let Proved { evidence, .. } = proved(&machine, &formulas, claim);
        for layer in 0..evidence.layers.len() {
            compared += compare_layer(&machine, &formulas, &evidence, layer);
        }
    }
    println!("{compared} configurations");
    assert!(compared >= 5_000 || !is_whole());
}

#[test]
fn spoilt_evidence_is_refused() {
    let mut counts = vec![(0_u64, 0_u64); SPOILS.len()];
    for seed in seeds(800) {
        let (machine, formulas, claim) = pair(seed);
        let Proved { culprit, evidence } = proved(&machine, &formulas, claim);
        let verdict = Verdict::from(culprit.is_none());
        let opposite = Verdict::from(culprit.is_some());
        let dice = Dice::new(seed);
        for (&(name, fate, spoil), count) in SPOILS.iter().zip(&mut counts) {
            for _ in 0..3 {
                let mut spoilt = evidence.clone();
                if spoil(&dice, &mut spoilt).is_none() || spoilt == evidence {
                    continue;
                }
                count.0 += 1;
                let about = || format!("{name}, seed {seed}\n{}", case(&machine, &formulas, claim));
                let proves_opposite = certify(&machine, &formulas, claim, &opposite, &spoilt);
                assert!(proves_opposite.is_err(), "proves the opposite: {}", about());
                match certify(&machine, &formulas, claim, &verdict, &spoilt) {
                    Ok(()) => assert_eq!(fate, Fate::Same, "accepted: {}", about()),
                    Err(_) => count.1 += 1,
                }
            }
        }
    }
    let mut few: Vec<&str> = Vec::new();
    for (&(name, fate, _), (tried, refused)) in SPOILS.iter().zip(&counts) {
        println!("{refused:6} of {tried:6} refused: {name}");
        let least = if fate == Fate::Refused { 20 } else { 5 };
        few.extend((*refused < least).then_some(name));
    }
    assert!(few.is_empty() || !is_whole(), "hardly tried: {few:?}");
}

/// Whatever number stands where: the checker says what is wrong, and does not panic.
#[test]
fn no_number_makes_the_checker_panic() {
    for seed in seeds(80) {
        let (machine, formulas, claim) = pair(seed);
        let Proved { culprit, evidence } = proved(&machine, &formulas, claim);
        let verdict = Verdict::from(culprit.is_none());
        let dice = Dice::new(seed);
        for _ in 0..40 {
            let mut spoilt = evidence.clone();
            if scramble(&dice, &mut spoilt).is_some() {
                // Whether it is refused is another test's concern.
                let _ = certify(&machine, &formulas, claim, &verdict, &spoilt);
            }
        }
    }
}

#[test]
fn limits_are_kept() {
    let (machine, formulas, claim) = pair(0);
    let spent = Budget::unlimited().with_timeout(Duration::ZERO);
    let stopped = prove_star(&machine, &formulas, claim, &spent);
    assert_eq!(stopped.err(), Some(Limit::Time(Duration::ZERO)));
    // More promises than there are bits.
    let (mut formulas, mut claim) = (Formulas::new(), None);
    for i in 0..65 {
        let atom = formulas.atom(&format!("p{i}"));
        let later = formulas.make(Formula::Finally(atom));
        claim = Some(claim.map_or(later, |all| formulas.make(Formula::And(all, later))));
    }
    let claim = claim.expect("there are 65");
    let proved = prove_star(&machine, &formulas, claim, &Budget::unlimited());
    assert!(matches!(proved, Ok(None)));
}
