//! Properties of the stack, and expressions over its symbols, against the stacks themselves.

use super::*;

/// The components of a stack, from the bottom.
type Stack<'a> = &'a [&'a str];

/// Whether a property is true of a stack.
type Says = fn(Stack<'_>) -> bool;

/// Properties of the stack, each with what it says.
const PROPERTIES: [(&str, Says); 8] = [
    ("called(c0)", |stack| stack.contains(&"c0")),
    ("called(c1)", |stack| stack.contains(&"c1")),
    ("stack(\"c0 .*\")", |stack| stack.first() == Some(&"c0")),
    ("stack(\".* c1\")", |stack| stack.last() == Some(&"c1")),
    ("stack(\". (. .)*\")", |stack| stack.len() % 2 == 1),
    ("stack(\"(c0 | c1 c1)+\")", |stack| {
        let mut rest = stack;
        while let [first, behind @ ..] = rest {
            rest = match (*first, behind) {
                ("c0", behind) => behind,
                ("c1", ["c1", behind @ ..]) => behind,
                _ => return false,
            };
        }
        !stack.is_empty()
    }),
    ("stack(\".* c0 .? c1 .*\")", |stack| {
        let pair = stack.windows(2).any(|it| it == ["c0", "c1"]);
        pair || stack.windows(3).any(|it| it[0] == "c0" && it[2] == "c1")
    }),
    ("stack(c0)", |stack| stack == ["c0"]),
];

/// Expressions over stack symbols, each with what it says of a stack, the top first, without `#`.
const EXPRESSIONS: [(&str, Says); 7] = [
    ("#b|.*#", |stack| stack.first() == Some(&"b")),
    ("#.|a$0|.*#", |stack| stack.get(1) == Some(&"a$0")),
    ("#.*|b#", |stack| stack.last() == Some(&"b")),
    ("#.|(.|.)*#", |stack| stack.len() % 2 == 1),
    ("#(b+a$0)*#", |stack| stack.iter().all(|it| ["b", "a$0"].contains(it))),
    ("#.*|b|a$0|.*#", |stack| stack.windows(2).any(|it| it == ["b", "a$0"])),
    ("#a$0+b|b#", |stack| stack == ["a$0"] || stack == ["b", "b"]),
];

#[test]
fn expressions_over_symbols_agree_with_the_stacks() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400));
    let (mut spoke, mut holds, mut open) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let system = System::random(&mut rng);
        let text = system.pds();
        let (expression, says) = EXPRESSIONS[rng.usize(..EXPRESSIONS.len())];
        let mentioned = |symbol: &str| {
            let own = SYMBOLS.iter().position(|it| *it == symbol);
            let words = system.rules.iter().flat_map(|(_, g, _, word)| word.iter().chain([g]));
            words.chain(&system.start).any(|it| Some(*it) == own)
        };
        if ["b", "a$0"].iter().any(|it| expression.contains(it) && !mentioned(it)) {
            continue;
        }
        let mut formulas = Formulas::new();
        let random = formula(&mut rng, &mut formulas, seed);
        let written = formulas.show(random).to_string();
        let is_word = |c: char| c.is_alphanumeric();
        let words = written.split_inclusive(|c| !is_word(c)).map(|piece| {
            let word = piece.trim_end_matches(|c| !is_word(c));
            let quoted = format!("\"{expression}\"");
            if word == sample::ATOMS[2] {
                piece.replacen(word, &quoted, 1)
            } else {
                piece.to_owned()
            }
        });
        let said: String = words.collect();
        let model = Model::read(Source::new("m.pds", text.as_str()), &Budget::unlimited());
        let mut model = model.unwrap_or_else(|(_, refusal)| panic!("{refusal}\n{text}"));
        let claim = model.claim(&said).unwrap_or_else(|error| panic!("{said}: {error}\n{text}"));
        let labels = |it: &Configuration| {
            let mut names = system.labels(it);
            names.remove(sample::ATOMS[2]);
            let stack: Vec<&str> = it.1.iter().map(|&symbol| SYMBOLS[symbol]).collect();
            let stack: Vec<&str> = stack.into_iter().filter(|it| *it != "#").collect();
            names.extend((!it.1.is_empty() && says(&stack)).then(|| expression.to_owned()));
            names
        };
        let is_deep = |(_, stack): &Configuration| stack.len() > DEPTH;
        let start = vec![(0, system.start.clone())];
        let unfolding = Unfolding::new(start, |it| system.steps(it), labels, is_deep);
        let property = model.claims.list()[claim].formula().expect("a formula");
        let Some(truth) = unfolding.truth(&model.claims.formulas, property) else { continue };
        let answer = model.ask(claim).evidence().certified().decide();
        let case = || format!("seed {seed}: {said}\n{text}");
        assert_eq!(answer.verdict(), &Verdict::from(truth), "{}", case());
        assert!(answer.certification.is_some_and(|it| it.accepted), "{}", case());
        spoke += 1;
        holds += u64::from(truth);
        open += u64::from(unfolding.beyond.is_some());
    }
    println!("{count} pairs from seed {first}: {spoke} decided, {holds} hold, {open} are deep");
    assert!(spoke > count / 5 && holds > count / 20 && spoke - holds > count / 20);
}

/// The certifier refuses copies that do something else, or have labels that are not true.
#[test]
fn spoiled_copies_are_refused() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400) / 4);
    let budget = Budget::unlimited();
    let (mut spoiled, mut accepted) = (0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let text = tern::front::tern::write(&machine, &tern::model::Claims::new());
        let model = Model::read(Source::new("m.tern", text.as_str()), &budget);
        let mut model = model.unwrap_or_else(|(_, refusal)| panic!("{refusal}"));
        let (name, _) = PROPERTIES[rng.usize(..PROPERTIES.len())];
        if model.claim(&format!("EF {name}")).is_err() {
            continue;
        }
        let words = model.vocabulary.as_deref().expect("it was copied");
        let copies = words.copies();
        let [own] = &copies[..] else { panic!("it was copied once") };
        let check = |copy: &Machine, nodes: &[NodeId]| {
            let (original, names) = (own.before, &own.names[..]);
            let copied = Copied { original, copy, nodes, names, symbols: None };
            check_copies(copied, [name], &budget).is_ok()
        };
        assert!(check(&model.machine, own.nodes), "seed {seed}: {name}\n{text}");
        accepted += 1;
        // A label where it does not belong; all copies are called from the start.
        let nodes: Vec<NodeId> = model.machine.nodes().collect();
        let node = nodes[rng.usize(..nodes.len())];
        let label = model.machine.label(name).expect("it was made");
        if !model.machine.has_label(node, label) {
            let mut other = model.machine.clone();
            other.add_labels([(name, vec![node])]);
            assert!(!check(&other, own.nodes), "seed {seed}: {name}\n{text}");
            spoiled += 1;
        }
        // Two nodes that are taken for each other.
        let mut swapped = own.nodes.to_vec();
        let (a, b) = (rng.usize(..swapped.len()), rng.usize(..swapped.len()));
        if swapped[a] != swapped[b] {
            swapped.swap(a, b);
            assert!(!check(&model.machine, &swapped), "seed {seed}: {name}\n{text}");
            spoiled += 1;
        }
        // Another program.
        let other = sample::machine(&mut Rng::with_seed(seed + 1), &sample::Shape::default());
        let all: Vec<NodeId> = other.nodes().collect();
        if tern::front::tern::write(&other, &tern::model::Claims::new()) != text {
            assert!(!check(&other, &all), "seed {seed}: {name}\n{text}");
            spoiled += 1;
        }
    }
    assert!(accepted > count / 4 && spoiled > accepted, "{accepted} {spoiled}");
}

/// What is only possible stays so where components are copied: a claim has the verdict that it has
/// beside something that is true of every stack.
#[test]
fn properties_of_the_stack_keep_what_is_only_possible() {
    let text = "component main { initial a -> b?, a; box c: f; node b -> c.i; c.o -> a; }\n\
                component f { entry i {p?} -> o; exit o; }\n";
    let model = |text: &str| {
        let read = Model::read(Source::new("m.tern", text), &Budget::unlimited());
        read.unwrap_or_else(|(_, refusal)| panic!("{refusal}"))
    };
    let mut doubtful = model(text);
    let claim = doubtful.claim("EF called(f)").expect("a claim");
    let answer = doubtful.ask(claim).decide();
    assert!(answer.verdict().known().is_none(), "{:?}", answer.verdict());
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400));
    let mut unknown = 0;
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::abstract_machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let random = formula(&mut rng, &mut formulas, seed);
        let written = formulas.show(random).to_string();
        let text = tern::front::tern::write(&machine, &tern::model::Claims::new());
        let decide = |said: &str| {
            let mut model = model(&text);
            let claim = model.claim(said).unwrap_or_else(|error| panic!("{said}: {error}"));
            model.ask(claim).decide().verdict().known()
        };
        let component = machine.component_name(machine.components().next().expect("one"));
        let always = format!("(called({component}) | !called({component}))");
        let (alone, beside) = (decide(&written), decide(&format!("({written}) & {always}")));
        assert_eq!(alone, beside, "seed {seed}: {written}\n{text}");
        unknown += u64::from(alone.is_none());
    }
    assert!(unknown > count / 10, "{unknown} of {count} are unknown");
}

/// The steps of a configuration, by the rules of machines.
fn machine_steps(machine: &Machine, at: &Run) -> Vec<Run> {
    let Run { stack, node: Some(node) } = at else { return vec![at.clone()] };
    let mut next = Vec::new();
    let go = |stack: Vec<BoxId>, edge: Edge| match edge {
        Edge::Step(to) => Run { stack, node: Some(to) },
        Edge::Call(call, entry) => {
            let stack = stack.into_iter().chain([call]).collect();
            Run { stack, node: Some(entry) }
        }
        Edge::Return(_) => unreachable!("taken apart before"),
    };
    for &edge in machine.edges(*node) {
        match (edge, stack.split_last()) {
            (Edge::Return(exit), Some((&top, below))) => {
                let site = machine.site(top, exit);
                for &onward in site.map_or(&[][..], |site| machine.edges_at(site)) {
                    next.push(go(below.to_vec(), onward));
                }
            }
            (Edge::Return(_), None) => {
                let ends = machine.end_rule() == tern::model::EndRule::Loop;
                let node = ends.then_some(*node);
                next.push(Run { stack: Vec::new(), node });
                continue;
            }
            (edge, _) => next.push(go(stack.clone(), edge)),
        }
    }
    if next.is_empty() {
        next.push(at.clone());
    }
    next
}

/// A configuration of a machine; without a node it has ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    stack: Vec<BoxId>,
    node: Option<NodeId>,
}

#[test]
fn properties_of_the_stack_agree_with_the_stacks() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400));
    let (mut spoke, mut holds, mut open) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let (name, says) = PROPERTIES[rng.usize(..PROPERTIES.len())];
        let &[start] = machine.initial() else { continue };
        let components: Vec<&str> =
            machine.components().map(|it| machine.component_name(it)).collect();
        if ["c0", "c1"].iter().any(|it| name.contains(it) && !components.contains(it)) {
            continue;
        }
        let mut formulas = Formulas::new();
        let random = formula(&mut rng, &mut formulas, seed);
        // The last of the atoms stands for the property.
        let is_word = |c: char| c.is_alphanumeric();
        let text = formulas.show(random).to_string();
        let words = text.split_inclusive(|c| !is_word(c)).map(|piece| {
            let word = piece.trim_end_matches(|c| !is_word(c));
            if word == sample::ATOMS[2] { piece.replacen(word, name, 1) } else { piece.to_owned() }
        });
        let text: String = words.collect();
        let source =
            Source::new("m.tern", tern::front::tern::write(&machine, &tern::model::Claims::new()));
        let model = Model::read(source, &Budget::unlimited());
        let mut model = model.unwrap_or_else(|(_, refusal)| panic!("{refusal}"));
        let plain = model.machine.clone();
        let claim = model.claim(&text).unwrap_or_else(|error| panic!("{text}: {error}"));

        let labels = |run: &Run| {
            let Some(node) = run.node else { return BTreeSet::new() };
            let own = machine.labels().filter(|&(label, _)| machine.has_label(node, label));
            let mut names: BTreeSet<String> = own.map(|(_, name)| name.to_owned()).collect();
            names.remove(sample::ATOMS[2]);
            let below = run.stack.iter().map(|&call| machine.component_of_box(call));
            let stack: Vec<&str> = below
                .chain([machine.component_of(node)])
                .map(|component| machine.component_name(component))
                .collect();
            names.extend(says(&stack).then(|| name.to_owned()));
            names
        };
        let start = Run { stack: Vec::new(), node: Some(start) };
        let is_deep = |run: &Run| run.stack.len() > DEPTH;
        let unfolding =
            Unfolding::new(vec![start], |it| machine_steps(&machine, it), labels, is_deep);
        let property = model.claims.list()[claim].formula().expect("a formula");
        let Some(truth) = unfolding.truth(&model.claims.formulas, property) else { continue };
        for engine in ENGINES.into_iter().filter(|it| it.decides(&model.claims.formulas, property))
        {
            let asked = model.ask(claim).engine(engine.name).expect("an engine");
            let answer = asked.evidence().certified().decide();
            let case = || format!("seed {seed}, {}: {text}\n{}", engine.name, model.source.name);
            assert_eq!(answer.verdict(), &Verdict::from(truth), "{}", case());
            assert!(answer.certification.is_some_and(|it| it.accepted), "{}", case());
        }
        assert!(model.machine.node_count() > 0 && plain.node_count() > 0);
        spoke += 1;
        holds += u64::from(truth);
        open += u64::from(unfolding.beyond.is_some());
    }
    println!("{count} pairs from seed {first}: {spoke} decided, {holds} hold, {open} are deep");
    assert!(spoke > count / 5 && holds > count / 20 && spoke - holds > count / 20);
}
