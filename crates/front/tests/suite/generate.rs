//! The families: the same seed gives the same text, sizes are as promised, and all is read back.

use tern_front::generate::{FAMILIES, Family, Make, Model, Parameters, Unmakeable, machines};
use tern_front::{Source, claims, rsm, tern};
use tern_model::logic::Logic;
use tern_model::{Budget, Claims, Machine};

fn parameters(family: &Family, size: usize, seed: u64) -> Parameters {
    Parameters::new(family, size, seed, &[]).expect("a size that every family has")
}

fn machine_families() -> impl Iterator<Item = (&'static Family, fn(&Parameters) -> Model)> {
    FAMILIES.iter().filter_map(|family| match family.make {
        Make::Machine(make) => Some((family, make)),
        Make::Formula(_) | Make::Pushdown(_) => None,
    })
}

fn made(name: &str, size: usize, given: &[(&str, usize)]) -> Machine {
    let family = machines(name).expect("a family of machines");
    let given: Vec<_> = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let Make::Machine(make) = family.make else { unreachable!("it makes machines") };
    make(&Parameters::new(family, size, 1, &given).expect("allowed")).machine
}

#[test]
fn the_same_seed_gives_the_same_text_and_another_another() {
    let mut random = 0;
    for (family, make) in machine_families() {
        let text = |seed| {
            let model = make(&parameters(family, 7, seed));
            tern::write(&model.machine, &model.claims)
        };
        assert_eq!(text(3), text(3), "{}", family.name);
        random += usize::from(text(3) != text(4));
    }
    assert_eq!(random, 2, "`literature` and `java` go by chance, the others do not");
}

#[test]
fn machines_are_read_back_from_both_formats() {
    let budget = Budget::unlimited();
    for (family, make) in machine_families() {
        for size in [1, 2, 3, 8] {
            let Model { machine, claims, expected } = make(&parameters(family, size, 5));
            assert_eq!(claims.list().len(), expected.len());
            let text = tern::write(&machine, &claims);
            let (again, read) = tern::read(&Source::new("made", text.as_str()), &budget)
                .unwrap_or_else(|wrong| panic!("{} {size}: {wrong:?}", family.name));
            assert_eq!(tern::write(&again, &read), text, "{} {size}", family.name);
            let json = rsm::write(&machine).expect("only what RSM JSON can say");
            let again = rsm::read(&Source::new("made", json.as_str()), &budget).expect("read");
            assert_eq!(again.edge_count(), machine.edge_count(), "{} {size}", family.name);
        }
    }
}

#[test]
fn the_machines_of_the_literature_have_their_sizes() {
    for size in [1, 2, 9, 20] {
        let machine = made("literature", size, &[]);
        assert_eq!(machine.component_count(), size);
        for comp in machine.components() {
            assert_eq!(machine.nodes_of(comp).len(), 3 * size);
            assert_eq!(machine.boxes_of(comp).len(), size / 3);
            assert!(!machine.entries_of(comp).is_empty() && !machine.exits_of(comp).is_empty());
        }
    }
    let machine = made("literature", 20, &[]);
    let share = |name| {
        let label = machine.label(name).expect("some node has it");
        machine.labelled(label).len() as f64 / machine.node_count() as f64
    };
    assert!((share("a") - 0.4).abs() < 0.05 && (share("b") - 0.6).abs() < 0.05);
    let ports = machine.exit_count() as f64 / machine.node_count() as f64;
    assert!((0.03..0.09).contains(&ports), "{ports}");
    // Edges among nodes: of all pairs of a source and a target a fifth.
    let inner = made("literature", 2, &[("density", 100)]);
    assert_eq!(inner.edge_count() - inner.exit_count(), {
        let pairs = |comp| {
            let nodes = inner.nodes_of(comp).len();
            (nodes - inner.exits_of(comp).len()) * (nodes - inner.entries_of(comp).len())
        };
        inner.components().map(pairs).sum()
    });
}

#[test]
fn the_formulas_of_the_literature_have_their_depth() {
    let family = FAMILIES.iter().find(|f| matches!(f.make, Make::Formula(_))).expect("there is");
    let Make::Formula(make) = family.make else { unreachable!("it makes formulas") };
    for size in [1, 8, 9, 26, 27, 50] {
        for seed in 0..20 {
            let made = make(&parameters(family, size, seed));
            let formula = made.list()[0].formula().expect("a formula");
            let text = claims::write(&made);
            assert_eq!(text, claims::write(&make(&parameters(family, size, seed))));
            let mut depth = vec![0; made.formulas.len()];
            for id in made.formulas.subformulas(formula) {
                let below = made.formulas.get(id).operands();
                let most = below.map(|f| depth[tern_model::Id::index(f)]).max().unwrap_or(0);
                depth[tern_model::Id::index(id)] =
                    most + usize::from(made.formulas.get(id).is_quantifier());
            }
            assert_eq!(depth[tern_model::Id::index(formula)], size / 9, "{text}");
            let logic = if size < 9 { Logic::Propositional } else { Logic::Ctl };
            assert_eq!(made.formulas.logic(formula), logic, "{text}");
            let mut again = Claims::new();
            claims::read(&Source::new("made", text.as_str()), &mut again).expect("read back");
            assert_eq!(claims::write(&again), text);
        }
    }
}

#[test]
fn the_other_families_have_their_sizes() {
    assert_eq!(made("chain", 10, &[]).component_count(), 11);
    assert_eq!(made("chain", 10, &[("idle", 7)]).node_count(), 10 * 10 + 6);
    assert_eq!(made("mutual", 12, &[]).component_count(), 13);
    assert_eq!(made("exits", 9, &[]).exit_count(), 9);
    assert_eq!(made("exits", 9, &[]).box_count(), 9);
    assert_eq!(made("nested", 9, &[]).node_count(), made("nested", 2, &[]).node_count());
    assert_eq!(made("exponential", 9, &[]).exit_count(), 9 * 10 / 2);
    assert_eq!(made("exponential", 9, &[]).box_count(), 18);
    let java = made("java", 400, &[]);
    assert_eq!(java.component_count(), 400);
    let average = java.node_count() as f64 / 400.0;
    assert!((22.0..32.0).contains(&average), "{average} nodes a method");
    let single = java.components().filter(|&comp| java.exits_of(comp).len() == 1).count();
    assert!((200..280).contains(&single), "{single} methods with one exit");
    assert!(java.components().any(|comp| java.exits_of(comp).len() > 10), "a tail");
    let few = made("java", 400, &[("exits", 3)]);
    assert!(few.components().all(|comp| few.exits_of(comp).len() <= 3));
}

#[test]
fn impossible_parameters_are_refused() {
    let family = machines("java").expect("there");
    let refused = |size, name: &str, value| {
        Parameters::new(family, size, 0, &[(name.to_owned(), value)]).expect_err("refused")
    };
    assert!(matches!(refused(0, "exits", 3), Unmakeable::Size { .. }));
    assert!(matches!(refused(1, "wings", 3), Unmakeable::NoParameter { .. }));
    assert!(matches!(refused(1, "exits", 0), Unmakeable::Value { least: 1, .. }));
}

#[test]
fn pushdown_systems_are_rules_and_the_same_by_seed() {
    let family = tern_front::generate::pushdowns("random").expect("there is one");
    let Make::Pushdown(make) = family.make else { unreachable!("it makes pushdown systems") };
    let text = |seed| make(&Parameters::new(family, 20, seed, &[]).expect("within bounds"));
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
    let rules: Vec<String> =
        text(1).lines().filter(|l| l.contains("-->")).map(str::to_owned).collect();
    assert!(rules.len() > 10, "{rules:?}");
    for shape in [" <>", "> --> q"] {
        assert!(rules.iter().any(|rule| rule.contains(shape)), "no rule has {shape}");
    }
    assert!(rules.iter().all(|rule| rule.split(" --> ").count() == 2), "{rules:?}");
}
