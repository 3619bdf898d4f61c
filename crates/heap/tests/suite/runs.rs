//! Random pointer programs: each run of an interpreter that shares nothing with the machine is a
//! run of the abstract machine, with the same labels, and a run without end is one that the machine
//! does not rule out.
//!
//! The interpreter runs the program as it was generated, on inputs that are made by hand here, and
//! evaluates propositions by looking. The text is only given to the machine.

use crate::oracle::{Concrete, Interpreter, Proposition, Truth};
use crate::random::{Sketch, sketch};
use std::collections::BTreeSet;
use tern_heap::abstraction::Kept;
use tern_heap::atoms::{Atom, Ghost};
use tern_heap::code::{Code, code};
use tern_heap::machine::{HeapMachine, Settings, Stop, Views};
use tern_heap::product::{AGAIN, Names, Product};
use tern_heap::start;
use tern_heap::text::{self, HeapFile};
use tern_model::budget::Meter;
use tern_model::{BoxId, Budget, Edge, Machine, NodeId};

/// A configuration of the machine.
type Configuration = (Vec<BoxId>, NodeId);

/// How many steps a run is followed.
const STEPS: usize = 60;
/// How many steps a run may take of which the machine says that it ends.
const LONG: usize = 3_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

#[test]
fn runs_of_programs_are_runs_of_machines() {
    let (pairs, first) = (setting("TERN_PAIRS", 30), setting("TERN_SEED", 1));
    let (mut followed, mut given_up, mut ended) = (0, 0, 0);
    for seed in first..first + pairs {
        let sketch = sketch(seed);
        let text = sketch.text();
        let file = match text::read(&text, "t.heap") {
            Ok(file) => file,
            Err(problems) => panic!("seed {seed}: {problems:?}\n{text}"),
        };
        let code = code(&file.program, &file.grammar.types).expect("only what is taken");
        for (distance, remembers) in [(1, false), (2, false), (1, true)] {
            match Check::new(&sketch, &file, &code, Some(distance), remembers) {
                Ok(check) => {
                    followed += 1;
                    ended += usize::from(check.all_end);
                    check.run(seed);
                }
                Err(Stop::Nodes(_) | Stop::Objects(_)) => given_up += 1,
                Err(stop) => panic!("seed {seed}: {stop}"),
            }
        }
    }
    println!("{followed} machines followed, {given_up} given up, {ended} of which all runs end");
    assert!(followed > given_up, "most machines are small");
    assert!(ended > 0, "some programs end by their measures");
}

/// Without abstraction, on one input, the machine is the program: one run if nothing is left to
/// chance, and all labels known.
#[test]
fn concrete_machines_are_exact() {
    let (pairs, first) = (setting("TERN_PAIRS", 30), setting("TERN_SEED", 1));
    for seed in first..first + pairs {
        let sketch = sketch(seed);
        let file = text::read(&sketch.text(), "t.heap").expect("it was read before");
        let code = code(&file.program, &file.grammar.types).expect("only what is taken");
        if let Ok(check) = Check::new(&sketch, &file, &code, None, false) {
            check.run(seed);
        }
    }
}

/// A machine, and the program it was made of.
struct Check<'s> {
    sketch: &'s Sketch,
    /// The propositions, with their names.
    atoms: Vec<(String, Proposition)>,
    machine: Machine,
    all_end: bool,
    exact: bool,
}

impl<'s> Check<'s> {
    fn new(
        sketch: &'s Sketch,
        file: &HeapFile,
        code: &Code,
        distance: Option<usize>,
        remembers: bool,
    ) -> Result<Self, Stop> {
        let budget = Budget::unlimited();
        let meter = &mut Meter::new(&budget);
        let (input, _) = &file.inputs[0];
        let atoms: Vec<(String, Atom)> = sketch
            .atoms()
            .into_iter()
            .map(|name| {
                let atom = Atom::read(&name, code, &file.grammar, input.procedure);
                (name, atom.expect("generated atoms are sound"))
            })
            .collect();
        let mut ghosts: Vec<Ghost> = atoms.iter().flat_map(|(_, atom)| atom.ghosts()).collect();
        ghosts.sort();
        ghosts.dedup();
        let heaps = match distance {
            Some(_) => start::inputs(&file.grammar, input, &ghosts, meter)?,
            None => start::concrete(&file.grammar, input, &ghosts, 3, meter)?,
        };
        let settings = Settings {
            kept: distance.map(Kept::within),
            most_nodes: 4_000,
            most_objects: 12,
            // What there is as a whole is only asked where nothing is remembered.
            views: match sketch.with_element {
                _ if remembers => Views::Remembered,
                true => Views::None,
                false => Views::Unnamed,
            },
            variables: !sketch.with_element,
            ..Settings::default()
        };
        let plain: Vec<Atom> = atoms.iter().map(|(_, atom)| atom.clone()).collect();
        let mut machine = HeapMachine::new(
            (code, &file.grammar),
            input.procedure,
            &heaps,
            &plain,
            settings,
            meter,
        )?;
        machine.explore(meter)?;
        let mut product = Product::new(&machine, &atoms, &ghosts, meter)?;
        product.find_progress(meter)?;
        let machine = product.machine("t.heap", Names::All);
        let halted = |node: NodeId| {
            ["end", "null dereference", "thrown"]
                .iter()
                .any(|it| machine.node_name(node).contains(it))
        };
        let again = machine.label(AGAIN);
        let all_end = machine
            .nodes()
            .all(|node| halted(node) || !again.is_some_and(|again| machine.has_label(node, again)));
        let read = |name: String| {
            let atom = Proposition::read(sketch, &name);
            (name, atom)
        };
        let atoms = sketch.atoms().into_iter().map(read).collect();
        Ok(Check { sketch, atoms, machine, all_end, exact: distance.is_none() })
    }

    fn run(&self, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let most = if self.exact { 3 } else { 5 };
        for input in Concrete::inputs(self.sketch.structure, most) {
            for element in input.elements(self.sketch.with_element) {
                let mut interpreter = Interpreter::new(self.sketch, input.clone(), element);
                self.follow(seed, &mut interpreter, &mut random);
                if self.all_end && !self.sketch.has_choice() {
                    let mut run = Interpreter::new(self.sketch, input.clone(), element);
                    (0..LONG).for_each(|_| run.step(&mut random));
                    assert!(run.has_ended(), "seed {seed}: too long\n{}", self.sketch.text());
                }
            }
        }
    }

    /// Follows one run, with all configurations of the machine that it may be in.
    fn follow(&self, seed: u64, run: &mut Interpreter<'_>, random: &mut fastrand::Rng) {
        let mut here: BTreeSet<Configuration> =
            self.machine.initial().iter().map(|&node| (Vec::new(), node)).collect();
        here.retain(|it| self.fits(it, run));
        let mut seen = BTreeSet::new();
        for step in 0..STEPS {
            assert!(
                !here.is_empty(),
                "seed {seed}, step {step}: {}\n{}",
                run.show(),
                self.sketch.text()
            );
            if run.has_ended() {
                return;
            }
            let repeats = !seen.insert(run.key());
            assert!(
                !(repeats && self.all_end && !self.sketch.has_choice()),
                "seed {seed}: a run does not end, but the machine says so\n{}",
                self.sketch.text()
            );
            run.step(random);
            let mut next: BTreeSet<Configuration> = BTreeSet::new();
            for configuration in &here {
                next.extend(self.successors(configuration));
            }
            next.retain(|it| self.fits(it, run));
            here = next;
        }
    }

    fn successors(&self, (stack, node): &Configuration) -> Vec<Configuration> {
        let mut all = Vec::new();
        for &edge in self.machine.edges(*node) {
            match edge {
                Edge::Step(to) => all.push((stack.clone(), to)),
                Edge::Call(call, entry) => {
                    let mut deeper = stack.clone();
                    deeper.push(call);
                    all.push((deeper, entry));
                }
                Edge::Return(exit) => {
                    let Some((&call, rest)) = stack.split_last() else { continue };
                    let site = self.machine.site(call, exit).expect("exits are gone on from");
                    for &edge in self.machine.edges_at(site) {
                        let Edge::Step(to) = edge else { panic!("calls come back by steps") };
                        all.push((rest.to_vec(), to));
                    }
                }
            }
        }
        all
    }

    /// Whether the program may be there: the same procedure and line, and no label that
    /// contradicts.
    fn fits(&self, (stack, node): &Configuration, run: &Interpreter<'_>) -> bool {
        let line = self.machine.origin(*node).map(|origin| origin.line);
        let component = self.machine.component_name(self.machine.component_of(*node));
        let procedure = component.trim_end_matches(|c: char| c.is_ascii_digit());
        if run.place() != (procedure, line) || run.depth() != stack.len() {
            return false;
        }
        self.atoms.iter().all(|(name, atom)| {
            let label = self.machine.label(name);
            let is = |label| {
                (self.machine.has_label(*node, label), self.machine.is_unknown(*node, label))
            };
            let (on, unknown) = label.map_or((false, false), is);
            let truth = run.truth(atom);
            assert!(
                !(self.exact && unknown && matches!(truth, Truth::Is(_))),
                "{name} is not known on a concrete heap"
            );
            unknown || on == truth.value()
        })
    }
}
