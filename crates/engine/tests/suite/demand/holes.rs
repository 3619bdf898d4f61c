//! Programs with holes: a definite verdict must be that of every filling.
//!
//! Machines are made at random, and at some of their places only a part of the edges is told. Then
//! these places are filled in many ways: with nodes of their own that have any labels and lead to
//! each other and back, calls of anything, returns by exits that are there and by new ones, and
//! with nothing. All other engines decide the fillings.

#![allow(clippy::print_stdout)] // says how often verdicts were definite

use super::watched::Watched;
use super::{decide_and_check, written};
use fastrand::Rng;
use std::collections::BTreeMap;
use tern_engine::{Checker, ENGINES, Options, SpaceChecker};
use tern_model::{
    Budget, Builder, CompId, Edge, ExitId, Formula, FormulaId, Formulas, Gap, Machine, NodeId,
    Place, Verdict,
};
use tern_testkit::{sample, setting, sketch};

type Holes = BTreeMap<Place, Vec<Edge>>;

/// Places of a machine whose edges are told in part only.
fn holes(rng: &mut Rng, machine: &Machine) -> Holes {
    let count = 1 + rng.usize(..2);
    let mut holes = Holes::default();
    let mut places: Vec<Place> = machine
        .components()
        .flat_map(|component| machine.places_of(component))
        .map(|&place| machine.place(place))
        .collect();
    rng.shuffle(&mut places);
    for place in places.into_iter().take(count) {
        let edges = match place {
            Place::Node(node) => machine.edges(node),
            Place::Site(call, exit) => {
                machine.site(call, exit).map_or(&[][..], |it| machine.edges_at(it))
            }
        };
        let told = edges.iter().copied().filter(|_| rng.u8(..3) == 0).collect();
        holes.insert(place, told);
    }
    holes
}

/// The machine with something else in its holes.
fn filled(rng: &mut Rng, machine: &Machine, holes: &Holes) -> Machine {
    let mut b = Builder::new();
    b.end_rule(machine.end_rule());
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
    for (label, name) in machine.labels() {
        machine.labelled(label).iter().for_each(|node| b.label(node, name));
        machine.unknown(label).iter().for_each(|&node| b.unknown_label(node, name));
    }
    for &place in machine.components().flat_map(|it| machine.places_of(it)) {
        let place_is = machine.place(place);
        let told = holes.get(&place_is);
        for (edge, surety) in machine.edges_with_surety(place) {
            if told.is_none_or(|told| told.contains(&edge)) {
                b.edge_of(place_is, edge, surety);
            }
        }
    }
    machine.initial().iter().for_each(|&node| b.initial(node));
    for (number, &place) in holes.keys().enumerate() {
        fill(rng, machine, &mut b, place, number);
    }
    b.finish().expect("a filling is a machine")
}

fn fill(rng: &mut Rng, machine: &Machine, b: &mut Builder, place: Place, number: usize) {
    let component = match place {
        Place::Node(node) => machine.component_of(node),
        Place::Site(call, _) => machine.component_of_box(call),
    };
    let own: Vec<NodeId> = (0..rng.usize(..4))
        .map(|i| {
            let node = b.node(component, &format!("filling {number} {i}"));
            for label in sample::ATOMS {
                if rng.bool() {
                    b.label(node, label);
                }
            }
            node
        })
        .collect();
    let mut exits: Vec<ExitId> = machine.exits_of(component).to_vec();
    if rng.u8(..3) == 0 {
        let new = b.exit(component, &format!("filling {number}"));
        for &call in machine.callers_of(component) {
            let home: Vec<NodeId> = machine.nodes_of(machine.component_of_box(call)).collect();
            if rng.bool() {
                b.edge(Place::Site(call, new), Edge::Step(home[rng.usize(..home.len())]));
            }
        }
        exits.push(new);
    }
    let calls: Vec<Edge> = call_edges(machine, component);
    let nodes: Vec<NodeId> = machine.nodes_of(component).collect();
    let draw = |rng: &mut Rng, leaves: bool| match rng.u8(..8) {
        0 if leaves && !exits.is_empty() => Edge::Return(exits[rng.usize(..exits.len())]),
        1 if !calls.is_empty() => calls[rng.usize(..calls.len())],
        2 => Edge::Step(nodes[rng.usize(..nodes.len())]),
        _ if !own.is_empty() => Edge::Step(own[rng.usize(..own.len())]),
        _ => Edge::Step(nodes[rng.usize(..nodes.len())]),
    };
    let is_node = matches!(place, Place::Node(_));
    for _ in 0..rng.usize(..3) {
        b.edge(place, draw(rng, is_node));
    }
    for &node in &own {
        for _ in 0..rng.usize(..3) {
            b.edge(Place::Node(node), draw(rng, true));
        }
    }
}

fn call_edges(machine: &Machine, component: CompId) -> Vec<Edge> {
    let boxes = machine.boxes_of(component).iter();
    let calls = boxes.flat_map(|&call| {
        let entries = machine.entries_of(machine.callee(call)).iter();
        entries.map(move |&entry| Edge::Call(call, entry))
    });
    calls.collect()
}

fn formula(rng: &mut Rng, formulas: &mut Formulas, seed: u64) -> FormulaId {
    let size = 1 + (seed % 5) as usize;
    match seed % 5 {
        0 => sample::ctl_star(rng, formulas, size),
        1 => {
            let path = sample::ltl(rng, formulas, size);
            formulas.make(Formula::Exists(path))
        }
        2 | 3 => sample::ltl(rng, formulas, size),
        _ => sample::formula(rng, formulas, 1 + size / 2),
    }
}

#[derive(Debug, Default)]
struct Spoken {
    definite: usize,
    unknown: usize,
    /// Of the unknown verdicts by following runs, those for which some filling was found on either
    /// side, and all.
    both: usize,
    of: usize,
    evidence: usize,
}

#[test]
fn definite_verdicts_are_those_of_every_filling() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 200));
    let budget = Budget::unlimited();
    let shape = sample::Shape { components: 2, nodes: 4, ..sample::Shape::default() };
    let mut spoken = Spoken::default();
    for seed in first..first + pairs {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &shape);
        let holes = holes(&mut rng, &machine);
        let mut formulas = Formulas::new();
        let claim = formula(&mut rng, &mut formulas, seed);
        let fillings: Vec<bool> = (0..24)
            .map(|_| {
                let filled = filled(&mut rng, &machine, &holes);
                let checker = Checker::new(&filled, &budget).expect("no limits are set");
                let verdict = checker.check(&formulas, claim, &Options::default(), &budget).verdict;
                verdict.known().expect("no limits are set")
            })
            .collect();
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                continue;
            }
            let mut space = Watched::new(&machine);
            space.holes = holes.clone();
            let mut checker = SpaceChecker::new(space, []);
            let options =
                Options { engine, evidence: true, runs: Some(1_000), ..Options::default() };
            let (outcome, checked) =
                decide_and_check(&mut checker, &formulas, claim, &options, &budget);
            let name = engine.map_or("auto", |engine| engine.name);
            let case = || {
                format!(
                    "seed {seed}, {name}: {}\n{}\nholes {holes:?}",
                    formulas.show(claim),
                    sketch::show(&machine)
                )
            };
            spoken.evidence += usize::from(checked);
            match &outcome.verdict {
                Verdict::Unknown(Gap::Hole(_)) => {
                    spoken.unknown += 1;
                    if ["on-the-fly", "automata"].contains(&name) && seed % 5 != 0 {
                        spoken.of += 1;
                        spoken.both +=
                            usize::from(fillings.contains(&true) && fillings.contains(&false));
                    }
                }
                Verdict::Unknown(other) => panic!("{other}: {}", case()),
                verdict => {
                    spoken.definite += 1;
                    let holds = verdict.known();
                    assert!(
                        fillings.iter().all(|&filled| Some(filled) == holds),
                        "{verdict:?}, and fillings {fillings:?}: {}",
                        case()
                    );
                }
            }
        }
    }
    println!("{spoken:?}");
    assert!(spoken.definite > spoken.unknown, "verdicts are too often unknown: {spoken:?}");
    assert!(spoken.unknown * 20 > spoken.definite, "the holes hardly matter: {spoken:?}");
    assert!(spoken.both * 3 > spoken.of * 2, "unknown without need, it seems: {spoken:?}");
    assert!(spoken.evidence * 10 > spoken.definite * 8, "evidence is missing: {spoken:?}");
}

/// The same of abstract machines: what is filled in may be anything, so it says no less.
#[test]
fn abstract_machines_have_holes_too() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 150));
    let budget = Budget::unlimited();
    let shape = sample::Shape { components: 2, nodes: 4, ..sample::Shape::default() };
    let mut spoken = Spoken::default();
    for seed in first..first + pairs {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::abstract_machine(&mut rng, &shape);
        if !machine.is_abstract() {
            continue;
        }
        let holes = holes(&mut rng, &machine);
        let mut formulas = Formulas::new();
        let claim = formula(&mut rng, &mut formulas, seed);
        let fillings: Vec<Option<bool>> = (0..12)
            .map(|_| {
                let filled = filled(&mut rng, &machine, &holes);
                let checker = Checker::new(&filled, &budget).expect("no limits are set");
                checker.check(&formulas, claim, &Options::default(), &budget).verdict.known()
            })
            .collect();
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                continue;
            }
            let mut space = Watched::new(&machine);
            space.holes = holes.clone();
            let mut checker = SpaceChecker::new(space, []);
            let options =
                Options { engine, evidence: true, runs: Some(1_000), ..Options::default() };
            let (outcome, checked) =
                decide_and_check(&mut checker, &formulas, claim, &options, &budget);
            spoken.evidence += usize::from(checked);
            let Some(holds) = outcome.verdict.known() else {
                spoken.unknown += 1;
                continue;
            };
            spoken.definite += 1;
            let name = engine.map_or("auto", |engine| engine.name);
            assert!(
                fillings.iter().all(|&filled| filled == Some(holds)),
                "seed {seed}, {name}, {holds}, {fillings:?}: {}\n{}\nholes {holes:?}",
                formulas.show(claim),
                sketch::show(&machine)
            );
        }
    }
    println!("{spoken:?}");
    assert!(spoken.definite * 5 > spoken.unknown, "verdicts are too often unknown: {spoken:?}");
    assert!(spoken.evidence * 10 > spoken.definite * 9, "evidence is missing: {spoken:?}");
}

#[test]
fn what_a_hole_cannot_change_is_definite() {
    // From `a` the program may go round for ever, or to a hole, after which it has been at `b`.
    let machine = sketch::machine("component main\n* a p -> a b\nb q -> h\nh r -> a\n");
    let hole = machine.find_node("main", "h").expect("it is there");
    let mut formulas = Formulas::new();
    let budget = Budget::unlimited();
    for (text, expected) in [
        ("G p", Some(false)), // at b, whatever follows
        ("F q", Some(false)), // by the loop at a
        ("p", Some(true)),
        ("(F q) | G p", Some(true)),
        ("G (q -> X r)", None), // b may be come to again
        ("G F p", None),
        ("F G p", None),
        ("G F p | F G !p", Some(true)), // true of every word
        ("q R p", Some(false)),
        ("E G p", Some(true)),
        ("E F r", Some(true)),
        ("A G E F p", None),
        ("E F A X r", Some(true)), // at b
        ("A G (q -> A X r)", None),
        ("E F (q & E X (r & E X p))", None),
        ("A F (r & E X p)", Some(false)),
    ] {
        let claim = written(&mut formulas, text);
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                continue;
            }
            let mut space = Watched::new(&machine);
            space.holes.insert(Place::Node(hole), Vec::new());
            let mut checker = SpaceChecker::new(space, []);
            let options = Options { engine, evidence: true, runs: Some(9), ..Options::default() };
            let (outcome, _) = decide_and_check(&mut checker, &formulas, claim, &options, &budget);
            let name = outcome.engine;
            // Engines that know nothing of holes do not see that a word or its negation is there.
            let blind = text == "G F p | F G !p" && outcome.verdict.known().is_none();
            let by_runs = ["on-the-fly", "hybrid", "automata", "tableau"].contains(&name);
            assert!(!by_runs || !blind, "{name}: {text}");
            if !blind {
                assert_eq!(outcome.verdict.known(), expected, "{name}: {text}");
            }
            if let Verdict::Unknown(gap) = &outcome.verdict {
                let why = "it depends on what follows main.h (native code), which is not known";
                assert_eq!(gap.to_string(), why);
            }
        }
    }
}

/// A node that can only return is stuck where nobody goes on; not if anything else may follow.
#[test]
fn a_hole_is_never_stuck() {
    let text = "component main\nbox f = sub\n* a -> f.in\ncomponent sub\n> in -> ^out\nexits out\n";
    let machine = sketch::machine(text);
    let inside = machine.find_node("sub", "in").expect("it is there");
    let mut formulas = Formulas::new();
    let budget = Budget::unlimited();
    for claim in ["F p", "G !p", "E G !p"].map(|text| written(&mut formulas, text)) {
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                continue;
            }
            let mut space = Watched::new(&machine);
            space.holes.insert(Place::Node(inside), machine.edges(inside).to_vec());
            let mut checker = SpaceChecker::new(space, []);
            let options = Options { engine, ..Options::default() };
            let (outcome, _) = decide_and_check(&mut checker, &formulas, claim, &options, &budget);
            assert!(matches!(outcome.verdict, Verdict::Unknown(Gap::Hole(_))), "{outcome:?}");
        }
    }
}

/// A return site with a hole and no edges is no place of the machine; still anything may follow it,
/// which a proof must not leave out.
#[test]
fn proofs_see_holes_where_calls_return() {
    let text = "component main\nbox f = sub\n* a -> f.in\nf.out -> a\ncomponent sub\n> in -> ^out\n\
                exits out\n";
    let machine = sketch::machine(text);
    let budget = Budget::unlimited();
    let site = machine.components().flat_map(|it| machine.places_of(it));
    let site = site.map(|&it| machine.place(it)).find(|it| matches!(it, Place::Site(..)));
    let mut formulas = Formulas::new();
    // True of every run, so that nothing is followed; and true of what is known.
    for (text, expected) in [("G X true", Some(true)), ("G !p", None), ("F p | !p", Some(true))] {
        let claim = written(&mut formulas, text);
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                continue;
            }
            let mut space = Watched::new(&machine);
            space.holes.insert(site.expect("it has an edge"), Vec::new());
            let mut checker = SpaceChecker::new(space, []);
            let options = Options { engine, evidence: true, ..Options::default() };
            let (outcome, checked) =
                decide_and_check(&mut checker, &formulas, claim, &options, &budget);
            assert_eq!(outcome.verdict.known(), expected, "{}: {text}", outcome.engine);
            assert_eq!(checked, expected.is_some(), "{}: {text}", outcome.engine);
        }
    }
}
