//! Pushdown systems: every engine agrees with an oracle that works on the rules directly, and what
//! is written is the same to every formula.
//!
//! The oracle writes down the configurations of a system one by one, up to a depth of the stack.
//! Where these are all, formulas of CTL* are evaluated on the finite structure; else those of CTL
//! in three values, with everything beyond unknown. No machine stands between.
//!
//! `TERN_PAIRS` sets the number of systems and formulas, `TERN_SEED` where they begin.

use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tern::certify::oracle::finite::{self, Structure};
use tern::certify::tracking::{Copied, check_copies};
use tern::front::{Source, pdmu, pds};
use tern::model::{BoxId, Edge, Formula, FormulaId, NodeId, Tri};
use tern::{Budget, Claim, ENGINES, Formulas, Machine, Model, Options, Session, Verdict};
use tern_testkit::{data, sample, setting};

/// How many symbols a stack may have, and how many configurations there may be.
const DEPTH: usize = 7;
const MOST: usize = 250;

const CONTROLS: [&str; 3] = ["csinit", "c1", "c:2"];
const SYMBOLS: [&str; 4] = ["#", "a$0", "b", "m(x)"];

type Configuration = (usize, Vec<usize>);

/// A system with several control states.
struct System {
    /// The left side, and the right side with the top first.
    rules: Vec<(usize, usize, usize, Vec<usize>)>,
    /// The stack at the start, the top first; the control state is the first.
    start: Vec<usize>,
    /// Labels of symbols, and of control states.
    of_symbols: Vec<BTreeSet<&'static str>>,
    of_controls: Vec<BTreeSet<&'static str>>,
}

impl System {
    fn random(rng: &mut Rng) -> Self {
        let (controls, symbols) = (rng.usize(1..=3), rng.usize(1..=4));
        let mut rules = Vec::new();
        for control in 0..controls {
            for symbol in 0..symbols {
                for _ in 0..rng.usize(..=2) {
                    let length = [0, 0, 1, 1, 1, 2, 2, 3][rng.usize(..8)];
                    let word = (0..length).map(|_| rng.usize(..symbols)).collect();
                    rules.push((control, symbol, rng.usize(..controls), word));
                }
            }
        }
        if !rules.iter().any(|&(control, symbol, ..)| (control, symbol) == (0, 0)) {
            rules.push((0, 0, rng.usize(..controls), vec![rng.usize(..symbols)]));
        }
        rng.shuffle(&mut rules);
        let depth = [1, 1, 2, 3][rng.usize(..4)];
        let mut start: Vec<usize> = (0..depth).map(|_| rng.usize(..symbols)).collect();
        start[0] = 0;
        let mut labels = |count: usize, chance: usize| -> Vec<BTreeSet<&'static str>> {
            let set = |rng: &mut Rng| {
                sample::ATOMS.into_iter().filter(|_| rng.usize(..100) < chance).collect()
            };
            (0..count).map(|_| set(rng)).collect()
        };
        let (of_symbols, of_controls) = (labels(symbols, 40), labels(controls, 10));
        System { rules, start, of_symbols, of_controls }
    }

    fn stack(word: &[usize]) -> String {
        word.iter().map(|&symbol| SYMBOLS[symbol]).collect::<Vec<_>>().join(" ")
    }

    fn pds(&self) -> String {
        let mut text =
            format!("({} <{}>) # where it starts\n", CONTROLS[0], Self::stack(&self.start));
        let symbols = SYMBOLS.into_iter().zip(&self.of_symbols);
        for (name, labels) in symbols.chain(CONTROLS.into_iter().zip(&self.of_controls)) {
            let mentioned = self.rules.iter().any(|(p, g, q, word)| {
                let mut symbols = word.iter().chain(&self.start).chain([g]).map(|&it| SYMBOLS[it]);
                [CONTROLS[*p], CONTROLS[*q]].contains(&name) || symbols.any(|it| it == name)
            });
            if !labels.is_empty() && mentioned {
                let labels: Vec<&str> = labels.iter().copied().collect();
                writeln!(text, "ATOMS {name} {}", labels.join(", ")).expect("a string");
            }
        }
        for (p, g, q, word) in &self.rules {
            let (p, g, q, word) = (CONTROLS[*p], SYMBOLS[*g], CONTROLS[*q], Self::stack(word));
            writeln!(text, "{p} <{g}> --> {q} <{word}>").expect("a string");
        }
        text
    }

    fn labels(&self, (control, stack): &Configuration) -> BTreeSet<String> {
        let Some(&top) = stack.first() else { return BTreeSet::new() };
        let own = self.of_symbols[top].iter().chain(&self.of_controls[*control]);
        own.copied().chain([SYMBOLS[top]]).map(str::to_owned).collect()
    }

    fn pdmu(&self) -> String {
        let mut text = "Rules:\n".to_owned();
        for (p, g, q, word) in &self.rules {
            let (p, g, q) = (CONTROLS[*p], SYMBOLS[*g], CONTROLS[*q]);
            let word = if word.is_empty() { "_".to_owned() } else { Self::stack(word) };
            writeln!(text, "{p} {g} -> {q} {word};").expect("a string");
        }
        text += "Propositions:\n";
        for (control, p) in CONTROLS.iter().enumerate().take(self.of_controls.len()) {
            for (symbol, g) in SYMBOLS.iter().enumerate().take(self.of_symbols.len()) {
                let labels = self.labels(&(control, vec![symbol])).into_iter().collect::<Vec<_>>();
                writeln!(text, "{p} {g} {};", labels.join(" ")).expect("a string");
            }
        }
        text
    }

    fn steps(&self, (control, stack): &Configuration) -> Vec<Configuration> {
        let mut next = Vec::new();
        if let Some((&top, below)) = stack.split_first() {
            for (p, g, q, word) in &self.rules {
                if (*p, *g) == (*control, top) {
                    next.push((*q, word.iter().chain(below).copied().collect::<Vec<_>>()));
                }
            }
        }
        // The empty stack, and dead ends.
        if next.is_empty() {
            next.push((*control, stack.clone()));
        }
        next
    }
}

/// The configurations of a system, as far as they were looked at.
struct Unfolding {
    successors: Vec<Vec<usize>>,
    labels: Vec<BTreeSet<String>>,
    /// Stands for all that was not looked at, if there is such.
    beyond: Option<usize>,
}

impl Unfolding {
    fn of_system(system: &System) -> Self {
        let start = (0, system.start.clone());
        let deep = |(_, stack): &Configuration| stack.len() > DEPTH;
        Self::new(vec![start], |it| system.steps(it), |it| system.labels(it), deep)
    }

    fn new<C: Clone + Ord>(
        mut states: Vec<C>,
        steps: impl Fn(&C) -> Vec<C>,
        labels: impl Fn(&C) -> BTreeSet<String>,
        is_deep: impl Fn(&C) -> bool,
    ) -> Self {
        let mut number: BTreeMap<C, usize> = BTreeMap::new();
        number.insert(states[0].clone(), 0);
        let mut successors: Vec<Vec<Option<usize>>> = Vec::new();
        while successors.len() < states.len() {
            let mut own = Vec::new();
            for to in steps(&states[successors.len()].clone()) {
                let known = number.get(&to).copied();
                own.push(known.or_else(|| {
                    (!is_deep(&to) && states.len() < MOST).then(|| {
                        number.insert(to.clone(), states.len());
                        states.push(to);
                        states.len() - 1
                    })
                }));
            }
            successors.push(own);
        }
        let beyond = states.len();
        let is_open = successors.iter().flatten().any(Option::is_none);
        let number = |own: Vec<Option<usize>>| own.into_iter().map(|to| to.unwrap_or(beyond));
        let mut successors: Vec<Vec<usize>> =
            successors.into_iter().map(|own| number(own).collect()).collect();
        let labels = states.iter().map(labels).collect();
        if is_open {
            successors.push(vec![beyond]);
        }
        Unfolding { successors, labels, beyond: is_open.then_some(beyond) }
    }

    /// Whether a formula holds at the start, if that can be told.
    fn truth(&self, formulas: &Formulas, claim: FormulaId) -> Option<bool> {
        if self.beyond.is_some() {
            return self.in_three_values(formulas, claim)?[0].known();
        }
        let structure = Structure::new(vec![0], self.successors.clone(), self.labels.clone());
        finite::check(&structure.expect("a structure"), formulas, claim, 20_000)
    }

    /// The values of a formula of CTL in all states.
    fn in_three_values(&self, formulas: &Formulas, claim: FormulaId) -> Option<Vec<Tri>> {
        use Formula::*;
        let mut values: BTreeMap<FormulaId, Vec<Tri>> = BTreeMap::new();
        for id in formulas.subformulas(claim) {
            let of = |f: FormulaId, i: usize| values.get(&f).map(|row| row[i]);
            let each = |value: &dyn Fn(usize) -> Option<Tri>| -> Option<Vec<Tri>> {
                (0..self.successors.len()).map(value).collect()
            };
            let implies = |f, g, i| Some(!of(f, i)? | of(g, i)?);
            let same = |f, g, i| Some(implies(f, g, i)? & implies(g, f, i)?);
            let row =
                match formulas.get(id) {
                    True => each(&|_| Some(Tri::True)),
                    False => each(&|_| Some(Tri::False)),
                    Atom(atom) => each(&|i| {
                        let labels = self.labels.get(i);
                        Some(labels.map_or(Tri::Unknown, |it| {
                            it.contains(formulas.atom_name(atom)).into()
                        }))
                    }),
                    Not(f) => each(&|i| Some(!of(f, i)?)),
                    And(f, g) => each(&|i| Some(of(f, i)? & of(g, i)?)),
                    Or(f, g) => each(&|i| Some(of(f, i)? | of(g, i)?)),
                    Implies(f, g) => each(&|i| implies(f, g, i)),
                    Iff(f, g) => each(&|i| same(f, g, i)),
                    Xor(f, g) => each(&|i| Some(!same(f, g, i)?)),
                    Exists(path) => self.quantified(&values, formulas.get(path), true),
                    All(path) => self.quantified(&values, formulas.get(path), false),
                    path if id == claim => self.quantified(&values, path, false),
                    _ => continue,
                };
            values.insert(id, row?);
        }
        values.remove(&claim)
    }

    /// A temporal operator by its law, solved with all that is unknown as false, and as true.
    fn quantified(
        &self,
        values: &BTreeMap<FormulaId, Vec<Tri>>,
        path: Formula,
        exists: bool,
    ) -> Option<Vec<Tri>> {
        if !path.is_temporal() {
            return None;
        }
        let operands: Vec<&Vec<Tri>> =
            path.operands().map(|f| values.get(&f)).collect::<Option<_>>()?;
        let solve = |unknown: bool| {
            let truth = |which: usize, i: usize| operands[which][i].known().unwrap_or(unknown);
            let soon = |holds: &[bool], i: usize| {
                let mut next = self.successors[i].iter().map(|&to| holds[to]);
                if exists { next.any(|it| it) } else { next.all(|it| it) }
            };
            let least = matches!(
                path,
                Formula::Finally(_) | Formula::Until(..) | Formula::StrongRelease(..)
            );
            let mut holds = vec![!least; self.successors.len()];
            loop {
                let before = holds.clone();
                for i in 0..holds.len() {
                    holds[i] = match path {
                        _ if Some(i) == self.beyond => unknown,
                        Formula::Next(_) => {
                            let now: Vec<bool> = (0..holds.len()).map(|i| truth(0, i)).collect();
                            soon(&now, i)
                        }
                        Formula::Finally(_) => truth(0, i) || soon(&holds, i),
                        Formula::Globally(_) => truth(0, i) && soon(&holds, i),
                        Formula::Until(..) | Formula::WeakUntil(..) => {
                            truth(1, i) || truth(0, i) && soon(&holds, i)
                        }
                        _ => truth(1, i) && (truth(0, i) || soon(&holds, i)),
                    };
                }
                if before == holds {
                    return holds;
                }
            }
        };
        let both = solve(false).into_iter().zip(solve(true));
        Some(both.map(|(low, high)| if low == high { low.into() } else { Tri::Unknown }).collect())
    }
}

fn read(name: &str, text: &str) -> Machine {
    let source = Source::new(name, text);
    let model = Model::read(source, &Budget::unlimited());
    model.unwrap_or_else(|(_, refusal)| panic!("{refusal}\n{text}")).machine
}

fn formula(rng: &mut Rng, formulas: &mut Formulas, seed: u64) -> FormulaId {
    match seed % 4 {
        0 | 1 => sample::formula(rng, formulas, 2),
        2 => sample::ltl(rng, formulas, 4),
        _ => sample::ctl_star(rng, formulas, 5),
    }
}

#[test]
fn engines_agree_with_the_rules() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400));
    let (mut spoke, mut holds, mut open) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let system = System::random(&mut rng);
        let mut formulas = Formulas::new();
        let formula = formula(&mut rng, &mut formulas, seed);
        let unfolding = Unfolding::of_system(&system);
        let Some(truth) = unfolding.truth(&formulas, formula) else { continue };
        let text = system.pds();
        let case = |what: &str| format!("seed {seed}: {what}\n{text}{}", formulas.show(formula));
        let mut machines = vec![("pds", read("m.pds", &text))];
        if system.start.len() == 1 {
            machines.push(("pdmu", read("m.pdmu", &system.pdmu())));
        }
        // Written and read again, as either.
        for (from, to) in [("pds as pds", "m.pds"), ("pds as pdmu", "m.pdmu")] {
            let written = match to {
                "m.pds" => pds::write(&machines[0].1),
                _ => pdmu::write(&machines[0].1),
            };
            let again = written.unwrap_or_else(|found| panic!("{}", case(&format!("{found:?}"))));
            machines.push((from, read(to, &again)));
        }
        let (expected, budget) = (Verdict::from(truth), Budget::unlimited());
        for (what, machine) in &machines {
            let session = Session::new(machine, &budget).expect("no limits");
            let claim = Claim::new(formula);
            let engines = ENGINES.into_iter().filter(|it| it.decides(&formulas, formula)).map(Some);
            for engine in engines.chain([None]) {
                let options = Options { engine, evidence: engine.is_none(), ..Options::default() };
                let answer = session.decide(&formulas, &claim, &options, &budget);
                assert_eq!(answer.outcome.verdict, expected, "{engine:?} {}", case(what));
                if engine.is_none() {
                    let answer = session.certified(&formulas, &claim, answer, &budget);
                    assert!(answer.certification.is_some_and(|it| it.accepted), "{}", case(what));
                }
            }
        }
        spoke += 1;
        holds += u64::from(truth);
        open += u64::from(unfolding.beyond.is_some());
    }
    println!("{count} pairs from seed {first}: {spoke} decided, {holds} hold, {open} are deep");
    let enough = count / 10;
    assert!(spoke > count / 2 && holds > enough && spoke - holds > enough && open > enough / 2);
}

#[test]
fn machines_are_the_same_as_what_is_written_of_them() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 400));
    let (mut same, mut plain) = (0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let formula = formula(&mut rng, &mut formulas, seed);
        let budget = Budget::unlimited();
        let verdict = |machine: &Machine| {
            let session = Session::new(machine, &budget).expect("no limits");
            let claim = Claim::new(formula);
            session.decide(&formulas, &claim, &Options::default(), &budget).outcome.verdict
        };
        for (name, write) in [("m.pds", pds::write as fn(&Machine) -> _), ("m.pdmu", pdmu::write)] {
            let Ok(text) = write(&machine) else { continue };
            let again = read(name, &text);
            assert_eq!(verdict(&machine), verdict(&again), "seed {seed}\n{text}");
            same += 1;
            plain += u64::from(text.starts_with("(q <"));
        }
    }
    println!("{count} machines from seed {first}: {same} texts, {plain} with nodes on the stack");
    assert!(same > count / 4 && plain > 0 && plain < same);
}

#[test]
fn three_formats_give_the_same_verdicts_of_real_programs() {
    for (name, claims, holding) in
        [("dataflow", 3, 2), ("avroraReg", 412, 321), ("fop2pdf", 1546, 1152)]
    {
        let Some(archive) = data(&format!("java/{name}.zip")) else { return };
        let archive = archive.display();
        let verdicts = ["rsm", "pds", "pdmu"].map(|ending| {
            let budget = Budget::unlimited();
            let model = Model::open(&format!("{archive}:{name}.{ending}"), &budget);
            let mut model = model.unwrap_or_else(|error| panic!("{error}"));
            let given = format!("{archive}:{name}_usedef.ctl");
            let given = tern::front::input::open_for(&given, &["ctl"], &budget).expect("there");
            model.claims_in(&given).unwrap_or_else(|error| panic!("{error}"));
            let session = model.session(&budget).expect("no limits");
            let (formulas, list) = (&model.claims.formulas, model.claims.list());
            let options = Options::default();
            let together = session.decide_together(formulas, list, &options, &|_| budget.clone());
            let decide = |(claim, found): (&Claim, Option<tern::Answer>)| {
                found.unwrap_or_else(|| session.decide(formulas, claim, &options, &budget))
            };
            let answers = list.iter().zip(together).map(decide);
            answers.map(|answer| answer.outcome.verdict == Verdict::Holds).collect::<Vec<_>>()
        });
        assert_eq!(verdicts[0].len(), claims, "{name}");
        assert_eq!(verdicts[0].iter().filter(|&&holds| holds).count(), holding, "{name}");
        assert_eq!(verdicts[0], verdicts[1], "{name}.pds");
        assert_eq!(verdicts[0], verdicts[2], "{name}.pdmu");
    }
}

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
