//! Strong fairness of edges: the engines against an oracle on unfolded configurations that remember
//! which edges were followed, and against machines in which edges are nodes. Evidence is checked
//! each time.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often the oracle spoke

use crate::abstraction::{assert_same, completions};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use tern_certify::oracle::finite::{self, Structure};
use tern_certify::{Asked, Ordinary, check_outcome};
use tern_engine::{Checker, ENGINES, Options};
use tern_model::abstraction::Reduction;
use tern_model::logic::Logic;
use tern_model::{
    AutomatonProperty, BoxId, Budget, Builder, Claim, Claims, Condition, Configuration, Edge,
    EndRule, Fairness, Formula, FormulaId, Formulas, Gap, Id, Machine, Must, NodeId, Outcome, Pair,
    Place, PlaceId, Property, Side, Start, Verdict,
};
use tern_testkit::sample::{self, Shape};
use tern_testkit::words::random_automaton;
use tern_testkit::{setting, sketch};

/// How many pairs of states and guesses the oracle may look at.
const LIMIT: usize = 20_000;

fn seeds(count: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", count)
}

type Named = (Place, Edge);

/// All edges of a machine.
fn edges(machine: &Machine) -> Vec<Named> {
    let places = (0..machine.place_count()).map(PlaceId::new);
    let of = |place| machine.edges_at(place).iter().map(move |&edge| (machine.place(place), edge));
    places.flat_map(of).collect()
}

/// Some of some edges, and perhaps one that the machine does not have.
fn some_edges(rng: &mut Rng, all: &[Named]) -> Side {
    let count = rng.usize(0..4);
    let mut chosen: Vec<Named> =
        (0..count.min(all.len())).map(|_| all[rng.usize(..all.len())]).collect();
    if rng.u32(..5) == 0 {
        chosen.push((Place::Node(NodeId::new(1_000_000)), Edge::Step(NodeId::new(0))));
    }
    Side::edges(chosen)
}

/// A pair, of which at least one side names edges.
fn pair(rng: &mut Rng, formulas: &mut Formulas, all: &[Named]) -> Pair {
    let label = |rng: &mut Rng, formulas: &mut Formulas| {
        Side::State(formulas.atom(sample::ATOMS[rng.usize(..2)]))
    };
    match rng.u32(..3) {
        0 => Pair { when: label(rng, formulas), then: some_edges(rng, all) },
        1 => Pair { when: some_edges(rng, all), then: label(rng, formulas) },
        _ => Pair { when: some_edges(rng, all), then: some_edges(rng, all) },
    }
}

/// A claim about the runs that keep some pairs.
fn fair_claim(formulas: &Formulas, claim: FormulaId, pairs: &[Pair]) -> (Formulas, Claim) {
    let mut claims = Claims::from(formulas.clone());
    claims.push(Claim::new(claim));
    claims.restrict(pairs.iter().cloned().map(Condition::from));
    (claims.formulas.clone(), claims.list()[0].clone())
}

/// Which of some sets of edges were followed.
type Followed = BTreeSet<usize>;

/// What the program may be in: a configuration or the sink, and what was followed just before.
type State = (Option<(Vec<BoxId>, NodeId)>, Followed);

/// The configurations of a machine, each with the sets of edges of which one was followed just
/// before; these are labels `edges 0` and so on. By the rules for steps, and by nothing else.
fn unfolded(machine: &Machine, sets: &[Vec<Named>], limit: usize) -> Option<Structure> {
    let followed = |list: &[Named]| -> Followed {
        let met = |&number: &usize| list.iter().any(|edge| sets[number].contains(edge));
        (0..sets.len()).filter(met).collect()
    };
    let mut number: BTreeMap<State, usize> = BTreeMap::new();
    let mut states: Vec<State> = Vec::new();
    let mut visit = |state: State, states: &mut Vec<State>| {
        *number.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    let none = Followed::new;
    let begin = |&node: &NodeId| (Some((Vec::new(), node)), none());
    let initial: Vec<usize> =
        machine.initial().iter().map(|node| visit(begin(node), &mut states)).collect();
    let mut successors: Vec<Vec<usize>> = Vec::new();
    while successors.len() < states.len() {
        if states.len() > limit {
            return None;
        }
        let mut next: Vec<State> = Vec::new();
        if let Some((stack, node)) = states[successors.len()].0.clone() {
            let at = Place::Node(node);
            let on = |stack: &[BoxId], edge: Edge| match edge {
                Edge::Step(to) => Some((stack.to_vec(), to)),
                Edge::Call(call, to) => Some(([stack, &[call]].concat(), to)),
                Edge::Return(_) => unreachable!("not after a return"),
            };
            for &edge in machine.edges(node) {
                let Edge::Return(exit) = edge else {
                    next.push((on(&stack, edge), followed(&[(at, edge)])));
                    continue;
                };
                let Some((&call, below)) = stack.split_last() else {
                    let stays = machine.end_rule() == EndRule::Loop;
                    next.push((stays.then(|| (Vec::new(), node)), none()));
                    continue;
                };
                let Some(site) = machine.site(call, exit) else { continue };
                for &then in machine.edges_at(site) {
                    let both = [(at, edge), (Place::Site(call, exit), then)];
                    next.push((on(below, then), followed(&both)));
                }
            }
            if next.is_empty() {
                next.push((Some((stack, node)), none()));
            }
        } else {
            next.push((None, none()));
        }
        successors.push(next.into_iter().map(|state| visit(state, &mut states)).collect());
    }
    let labels = states.iter().map(|(at, followed)| {
        let mut names: BTreeSet<String> = followed.iter().map(|i| format!("edges {i}")).collect();
        let own = machine.labels().filter(|&(label, _)| {
            at.as_ref().is_some_and(|(_, node)| machine.has_label(*node, label))
        });
        names.extend(own.map(|(_, name)| name.to_owned()));
        names
    });
    let labels = labels.collect();
    Structure::new(initial, successors, labels)
}

/// The pairs as pairs of state formulas, and the edges that these speak of by `edges 0` and so on.
fn as_states(
    formulas: &mut Formulas,
    pairs: &[Pair],
) -> (Vec<(FormulaId, FormulaId)>, Vec<Vec<Named>>) {
    let mut sets: Vec<Vec<Named>> = Vec::new();
    let mut side = |side: &Side| match side {
        Side::State(formula) => *formula,
        Side::Edges(edges) => {
            sets.push(edges.to_vec());
            formulas.atom(&format!("edges {}", sets.len() - 1))
        }
    };
    let sides = pairs.iter().map(|pair| (side(&pair.when), side(&pair.then))).collect();
    (sides, sets)
}

/// Decides a claim by every engine that can, with evidence, and compares. Counts what is decided.
fn decide(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    expected: Option<bool>,
    case: &dyn Fn() -> String,
) -> usize {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let named = ENGINES.into_iter().filter(|engine| engine.logic != Logic::Ctl).map(Some);
    let mut decided = 0;
    for engine in named.chain([None]) {
        let name = engine.map_or("auto", |engine| engine.name);
        let options = Options { engine, evidence: true, runs: Some(100_000), ..Options::default() };
        let outcome = checker.decide(formulas, claim, &options, &budget);
        let Some(holds) = outcome.verdict.known() else {
            assert!(engine.is_some(), "{:?}: {}", outcome.verdict, case());
            continue;
        };
        decided += 1;
        assert_eq!(Some(holds), expected, "{name}: {}", case());
        assert!(outcome.evidence.is_some(), "{name}, {:?}: {}", outcome.missing, case());
        accepted(machine, formulas, claim, &outcome, case);
    }
    decided
}

fn accepted(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    outcome: &Outcome,
    case: &dyn Fn() -> String,
) {
    let asked = Asked { formulas, claim };
    let checked = check_outcome(machine.into(), asked, outcome, &Budget::unlimited());
    assert_eq!(checked.map_err(|it| format!("{it:?}")), Ok(()), "{}", case());
}

fn random_claim(rng: &mut Rng, formulas: &mut Formulas, seed: u64) -> FormulaId {
    match seed % 4 {
        0 => sample::formula(rng, formulas, 2),
        1 => sample::ctl_star(rng, formulas, 3 + (seed % 5) as usize),
        _ => sample::ltl(rng, formulas, 1 + (seed % 4) as usize),
    }
}

fn text(
    seed: u64,
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    pairs: &[Pair],
) -> String {
    let shown = claim.property.show(formulas);
    format!("seed {seed}\n{}\n{shown}\n{pairs:?}", sketch::show(machine))
}

#[test]
fn claims_agree_with_the_oracle_on_finite_machines() {
    let (mut spoken, mut holds) = (0, 0);
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape { nodes: 5, boxes: 1, chain: seed % 2 == 0, ..Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let claim = random_claim(&mut rng, &mut formulas, seed);
        let all = edges(&machine);
        let pairs: Vec<Pair> =
            (0..1 + seed % 4).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (sides, sets) = as_states(&mut formulas, &pairs);
        let Some(structure) = unfolded(&machine, &sets, 60) else { continue };
        let Some(truth) = finite::check_fair(&structure, &formulas, claim, &sides, LIMIT) else {
            continue;
        };
        spoken += 1;
        holds += u64::from(truth);
        let (formulas, claim) = fair_claim(&formulas, claim, &pairs);
        let case = || text(seed, &machine, &formulas, &claim, &pairs);
        let decided = decide(&machine, &formulas, &claim, Some(truth), &case);
        assert!(decided > 0, "{}", case());
    }
    println!("the oracle spoke {spoken} times, {holds} claims hold");
    let pairs = setting("TERN_PAIRS", 300);
    assert!(spoken * 3 > pairs, "the oracle was silent too often: {spoken}");
    assert!((spoken / 6..spoken * 5 / 6).contains(&holds), "{holds} of {spoken}");
}

/// The machine in which each named edge, none of them a return, passes a node of its own. It has
/// the labels of where the edge leads, so that nothing can tell but what counts steps, and a label
/// for each set that the edge is in.
fn with_nodes(machine: &Machine, sets: &[Vec<Named>]) -> Machine {
    let mut b = Builder::new();
    for component in machine.components() {
        b.component(machine.component_name(component));
    }
    for node in machine.nodes() {
        b.node(machine.component_of(node), machine.node_name(node));
        if machine.is_entry(node) {
            b.entry(node);
        }
    }
    for exit in machine.exits() {
        b.exit(machine.component_of_exit(exit), machine.exit_name(exit));
    }
    for call in machine.boxes() {
        b.call_box(machine.component_of_box(call), machine.box_name(call), machine.callee(call));
    }
    let labels_of = |node: NodeId| -> Vec<String> {
        let own = machine.labels().filter(|&(label, _)| machine.has_label(node, label));
        own.map(|(_, name)| name.to_owned()).collect()
    };
    for node in machine.nodes() {
        labels_of(node).iter().for_each(|label| b.label(node, label));
    }
    for (number, (place, edge)) in edges(machine).into_iter().enumerate() {
        let of: Vec<usize> =
            (0..sets.len()).filter(|&set| sets[set].contains(&(place, edge))).collect();
        let (Edge::Step(to) | Edge::Call(_, to), false) = (edge, of.is_empty()) else {
            b.edge(place, edge);
            continue;
        };
        let component = match place {
            Place::Node(node) => machine.component_of(node),
            Place::Site(call, _) => machine.component_of_box(call),
        };
        let passed = b.node(component, &format!("edge {number}"));
        labels_of(to).iter().for_each(|label| b.label(passed, label));
        of.iter().for_each(|set| b.label(passed, &format!("edges {set}")));
        b.edge(place, Edge::Step(passed));
        b.edge(Place::Node(passed), edge);
    }
    b.end_rule(machine.end_rule());
    machine.initial().iter().for_each(|&node| b.initial(node));
    b.finish().expect("a sound machine")
}

#[test]
fn claims_agree_with_machines_in_which_edges_are_nodes() {
    let budget = Budget::unlimited();
    let (mut claims, mut holds) = (0, 0);
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let large = Shape { components: 4, nodes: 8, boxes: 4, ..Shape::default() };
        let shape = if seed % 4 == 0 { large } else { Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let claim = loop {
            let claim = random_claim(&mut rng, &mut formulas, seed);
            let parts = formulas.subformulas(claim);
            if parts.iter().all(|&id| !matches!(formulas.get(id), Formula::Next(_))) {
                break claim;
            }
        };
        let mut all = edges(&machine);
        all.retain(|(_, edge)| !matches!(edge, Edge::Return(_)));
        let pairs: Vec<Pair> =
            (0..1 + seed % 3).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (sides, sets) = as_states(&mut formulas, &pairs);
        let split = with_nodes(&machine, &sets);
        let state = |(when, then): &(FormulaId, FormulaId)| Pair {
            when: Side::State(*when),
            then: Side::State(*then),
        };
        let of_states: Vec<Pair> = sides.iter().map(state).collect();
        let (arena, plain) = fair_claim(&formulas, claim, &of_states);
        let checker = Checker::new(&split, &budget).expect("no limits are set");
        let expected = checker.decide(&arena, &plain, &Options::default(), &budget).verdict;
        claims += 1;
        holds += u64::from(expected == Verdict::Holds);
        let (formulas, claim) = fair_claim(&formulas, claim, &pairs);
        let case = || text(seed, &machine, &formulas, &claim, &pairs);
        decide(&machine, &formulas, &claim, expected.known(), &case);
    }
    println!("{holds} of {claims} claims hold");
    assert!((claims / 6..claims * 5 / 6).contains(&holds), "{holds} of {claims}");
}

#[test]
fn automata_agree_with_the_unfolded_machine() {
    let budget = Budget::unlimited();
    let (mut spoken, mut holds) = (0, 0);
    for seed in seeds(200) {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape { nodes: 5, boxes: 1, chain: seed % 2 == 0, ..Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let propositions = [formulas.atom("p"), formulas.atom("q")];
        let automaton = random_automaton(&mut rng, &propositions, 3);
        let all = edges(&machine);
        let pairs: Vec<Pair> =
            (0..1 + seed % 3).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (sides, sets) = as_states(&mut formulas, &pairs);
        let Some((flat, flat_pairs)) = flattened(&machine, &sets, &sides) else { continue };
        let must = if seed % 3 == 0 { Must::AcceptAll } else { Must::AcceptNone };
        let property = |fair: Vec<Fairness>| AutomatonProperty {
            automaton: automaton.clone(),
            must,
            fair,
            title: "an automaton".to_owned(),
        };
        let claim = |pairs: &[Pair]| {
            Claim::new(property(pairs.iter().cloned().map(Fairness::from).collect()))
        };
        let options = Options { evidence: true, runs: Some(10_000), ..Options::default() };
        let checker = Checker::new(&flat, &budget).expect("no limits are set");
        let truth = checker.decide(&formulas, &claim(&flat_pairs), &options, &budget).verdict;
        let (claim, case) =
            (claim(&pairs), || text(seed, &machine, &formulas, &claim(&pairs), &pairs));
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let outcome = checker.decide(&formulas, &claim, &options, &budget);
        assert_eq!(outcome.verdict, truth, "{}", case());
        assert!(outcome.evidence.is_some(), "{}", case());
        accepted(&machine, &formulas, &claim, &outcome, &case);
        spoken += 1;
        holds += u64::from(truth == Verdict::Holds);
    }
    println!("{spoken} automata, {holds} hold");
    assert!(spoken > 0 && holds > 0 && holds < spoken);
}

/// The unfolded configurations as a machine, and pairs that speak of its labels.
fn flattened(
    machine: &Machine,
    sets: &[Vec<Named>],
    sides: &[(FormulaId, FormulaId)],
) -> Option<(Machine, Vec<Pair>)> {
    let structure = unfolded(machine, sets, 60)?;
    let mut b = Builder::new();
    let main = b.component("main");
    let nodes: Vec<NodeId> =
        (0..structure.state_count()).map(|i| b.node(main, &format!("n{i}"))).collect();
    for (state, &node) in nodes.iter().enumerate() {
        structure.labels_of(state).iter().for_each(|label| b.label(node, label));
        for &to in structure.successors_of(state) {
            b.edge(Place::Node(node), Edge::Step(nodes[to]));
        }
    }
    structure.initial().iter().for_each(|&state| b.initial(nodes[state]));
    let pairs = sides.iter().map(|&(when, then)| Pair { when: when.into(), then: then.into() });
    Some((b.finish().expect("a sound machine"), pairs.collect()))
}

/// What is known of an abstract machine is so in all programs that it stands for.
#[test]
fn abstract_machines_have_edges_too() {
    let budget = Budget::unlimited();
    let (mut definite, mut programs) = (0, 0);
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape { components: 2, nodes: 3, boxes: 1, labels: 2, ..Shape::default() };
        let machine = sample::abstract_machine(&mut rng, &shape);
        let Some(completions) = completions(&machine) else { continue };
        let mut formulas = Formulas::new();
        let claim = random_claim(&mut rng, &mut formulas, seed);
        let all = edges(&machine);
        let pairs: Vec<Pair> =
            (0..1 + seed % 2).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (formulas, claim) = fair_claim(&formulas, claim, &pairs);
        let case = || text(seed, &machine, &formulas, &claim, &pairs);
        let options = Options { evidence: true, runs: Some(1_000), ..Options::default() };
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let outcome = checker.decide(&formulas, &claim, &options, &budget);
        let Some(holds) = outcome.verdict.known() else {
            assert!(matches!(outcome.verdict, Verdict::Unknown(Gap::TooCoarse(_))), "{}", case());
            continue;
        };
        accepted(&machine, &formulas, &claim, &outcome, &case);
        definite += 1;
        for program in completions {
            programs += 1;
            let checker = Checker::new(&program, &budget).expect("no limits are set");
            let truth = checker.decide(&formulas, &claim, &Options::default(), &budget).verdict;
            assert_eq!(truth.known(), Some(holds), "{}\n{}", case(), sketch::show(&program));
        }
    }
    println!("{definite} definite verdicts, {programs} programs");
    assert!(definite > 0);
}

/// The certifier makes the same machine, with code of its own; and does not take evidence about
/// other edges.
#[test]
fn evidence_is_about_these_edges() {
    let budget = Budget::unlimited();
    let (mut refused, mut untrue) = (0, 0);
    for seed in seeds(200) {
        let mut rng = Rng::with_seed(seed);
        let machine = match seed % 3 {
            0 => sample::abstract_machine(&mut rng, &Shape::default()),
            _ => sample::machine(&mut rng, &Shape::default()),
        };
        let mut formulas = Formulas::new();
        let claim = random_claim(&mut rng, &mut formulas, seed);
        let all = edges(&machine);
        let pairs: Vec<Pair> = (0..2).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (arena, asked) = fair_claim(&formulas, claim, &pairs);
        let case = || text(seed, &machine, &arena, &asked, &pairs);
        let Property::Runs(property) = &asked.property else { panic!("edges are named") };
        let names: Vec<String> =
            property.followed.iter().map(|it| arena.show(it.atom).to_string()).collect();
        let names: Vec<&str> = names.iter().map(|name| name.trim_matches('"')).collect();
        let edges = property.followed.iter().map(|it| &*it.edges);
        let named: Vec<(&str, &[Named])> = names.into_iter().zip(edges).collect();
        let own = Reduction::new(&machine, &named, &budget).expect("no limits");
        let theirs = Ordinary::new(&machine, &arena, &asked.property, true, &budget);
        assert_same(&own.machine, &theirs.expect("no limits").machine, &case);

        let others: Vec<Pair> = (0..2).map(|_| pair(&mut rng, &mut formulas, &all)).collect();
        let (other_arena, other) = fair_claim(&formulas, claim, &others);
        let options = Options { evidence: true, ..Options::default() };
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let outcome = checker.decide(&arena, &asked, &options, &budget);
        if outcome.verdict.known().is_none() {
            continue;
        }
        let truth = checker.decide(&other_arena, &other, &Options::default(), &budget).verdict;
        let asked = Asked { formulas: &other_arena, claim: &other };
        let checked = check_outcome((&machine).into(), asked, &outcome, &budget);
        refused += u64::from(checked.is_err());
        untrue += u64::from(truth != outcome.verdict);
        assert!(checked.is_err() || truth == outcome.verdict, "{}\n{others:?}", case());
    }
    println!("{refused} refused, {untrue} untrue");
    assert!(refused > 0 && untrue > 0);
}

/// Single cases that are easily got wrong.
#[test]
fn edges_by_example() {
    let budget = Budget::unlimited();
    let verdict = |text: &str, formula: &str, pair: &dyn Fn(&Machine) -> Pair| {
        let machine = sketch::machine(text);
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, formula);
        let (formulas, claim) = fair_claim(&formulas, claim, &[pair(&machine)]);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        checker.decide(&formulas, &claim, &Options::default(), &budget).verdict.known()
    };
    let nothing = || Side::edges([]);
    let step = |machine: &Machine, from: &str, to: &str| {
        let node = |name| machine.find_node("main", name).expect("it is there");
        Side::edges([(Place::Node(node(from)), Edge::Step(node(to)))])
    };
    // One of two edges between the same labels: the loop at a cannot be followed for ever.
    let text = "component main\n* a -> a, b\nb p -> b";
    let no_loop = |machine: &Machine| Pair { when: step(machine, "a", "a"), then: nothing() };
    assert_eq!(verdict(text, "F p", &no_loop), Some(true));
    let loops = |machine: &Machine| Pair { when: step(machine, "b", "b"), then: nothing() };
    assert_eq!(verdict(text, "F p", &loops), Some(false));
    // Where the program has ended, no edge is followed, whichever led there.
    let text = "component main\n* a -> b\nb p";
    let last = |machine: &Machine| Pair { when: step(machine, "a", "b"), then: nothing() };
    assert_eq!(verdict(text, "G ! p", &last), Some(false));
    // A return follows the edge of the return site as well.
    let text = "component main\nbox f = f\n* a -> f.b\nf.x -> a\n\ncomponent f\n> b -> ^x, c\nc p -> c\nexits x";
    let site = |machine: &Machine| {
        let exit = machine.exits().next().expect("there is one");
        let a = machine.find_node("main", "a").expect("it is there");
        let edge = (Place::Site(BoxId::new(0), exit), Edge::Step(a));
        Pair { when: Side::edges([edge]), then: nothing() }
    };
    assert_eq!(verdict(text, "F p", &site), Some(true));
    let by_return = |machine: &Machine| {
        let exit = machine.exits().next().expect("there is one");
        let b = machine.find_node("f", "b").expect("it is there");
        Pair { when: Side::edges([(Place::Node(b), Edge::Return(exit))]), then: nothing() }
    };
    assert_eq!(verdict(text, "F p", &by_return), Some(true));
    // Inside calls nodes have other numbers, so edges have no names there.
    let machine = sketch::machine(text);
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "F p");
    let (formulas, mut claim) = fair_claim(&formulas, claim, &[site(&machine)]);
    let node = machine.find_node("f", "b").expect("it is there");
    claim.start = Start::At(vec![Configuration { stack: vec![BoxId::new(0)], node }]);
    let checker = Checker::new(&machine, &budget).expect("no limits are set");
    let outcome = checker.decide(&formulas, &claim, &Options::default(), &budget);
    assert!(matches!(outcome.verdict, Verdict::Unknown(Gap::Unsupported(_))));
}
