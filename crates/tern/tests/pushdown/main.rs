//! Pushdown systems: every engine agrees with an oracle that works on the rules directly, and what
//! is written is the same to every formula.
//!
//! The oracle writes down the configurations of a system one by one, up to a depth of the stack.
//! Where these are all, formulas of CTL* are evaluated on the finite structure; else those of CTL
//! in three values, with everything beyond unknown. No machine stands between.
//!
//! `TERN_PAIRS` sets the number of systems and formulas, `TERN_SEED` where they begin.

mod stacks;

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
