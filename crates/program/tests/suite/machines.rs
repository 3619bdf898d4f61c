//! Whatever happens in a run of a program is a run of its machine.

use crate::interpreter::{self, Happening};
use crate::random;
use std::collections::BTreeSet;
use tern_front::Source;
use tern_ir::{ProcId, Program};
use tern_model::moves::moves;
use tern_model::{Budget, Configuration, Machine, NodeId};
use tern_program::calls::{Calls, Start, World};
use tern_program::control::{self, Made, Options, events::Event, names};
use tern_program::text;
use tern_testkit::setting;

pub(crate) fn read(text: &str) -> Program {
    text::read(&Source::new("p.ir", text)).unwrap_or_else(|it| panic!("{it:?}\n{text}"))
}

fn procedure(program: &Program, title: &str) -> ProcId {
    program.procedures().ids().find(|&it| program.title(it) == title).expect("there is one")
}

fn events(texts: &[&str]) -> Vec<(String, Event)> {
    texts.iter().map(|it| ((*it).to_owned(), Event::parse(it).expect("an event"))).collect()
}

/// The machine of a program from `Main.main`.
pub(crate) fn machine(program: &mut Program, names: &[&str], options: Options) -> Machine {
    make(program, names, options).machine
}

/// The same with what is to be known of it.
pub(crate) fn make(program: &mut Program, names: &[&str], options: Options) -> Made {
    let main = procedure(program, "Main.main");
    let budget = Budget::unlimited();
    let start = Start {
        entries: &[main],
        world: World::Closed,
        providers: &[],
        library: program.classes().next_id(),
    };
    let calls = Calls::find(program, start, &budget).expect("no limit");
    let made = control::make(program, &calls, &events(names), options, &budget);
    made.expect("no limit")
}

/// Follows what happens through a machine.
struct Follower<'a> {
    program: &'a Program,
    machine: &'a Machine,
    at: BTreeSet<Configuration>,
    begun: bool,
}

impl Follower<'_> {
    /// Whether a node stands for nothing that happens in a procedure.
    fn is_silent(&self, node: NodeId) -> bool {
        let name = self.machine.component_name(self.machine.component_of(node));
        let origin = self.machine.origin(node);
        let text = origin.as_ref().and_then(|it| it.text.as_deref());
        name.starts_with("dispatch ")
            || name == "<outside>"
            || ["throws", "initialise", "failed"]
                .iter()
                .any(|it| self.machine.node_name(node).starts_with(it))
            || matches!(text, Some("initialise" | "leave"))
    }

    fn fits(&self, node: NodeId, happening: Happening) -> bool {
        let component = self.machine.component_name(self.machine.component_of(node));
        match happening {
            Happening::Enter(procedure) => {
                self.machine.node_name(node) == "entry"
                    && component == names::procedure(self.program, procedure)
            }
            Happening::Step { procedure, offset, .. } => {
                component == names::procedure(self.program, procedure)
                    && self.machine.node_name(node) != "entry"
                    && self.machine.origin(node).is_some_and(|it| it.offset == Some(offset))
            }
        }
    }

    /// Goes on to what happens next; whether the machine can.
    fn follow(&mut self, happening: Happening) -> bool {
        let mut open: Vec<Configuration> = self.at.iter().cloned().collect();
        let mut next = BTreeSet::new();
        if !self.begun {
            self.begun = true;
            open.clear();
            for &node in self.machine.initial() {
                let start = Configuration::from(node);
                if self.fits(node, happening) && !self.is_silent(node) {
                    next.insert(start);
                } else {
                    open.push(start);
                }
            }
        }
        let mut seen: BTreeSet<Configuration> = open.iter().cloned().collect();
        while let Some(from) = open.pop() {
            for step in moves(self.machine, &from) {
                let mut to = from.clone();
                to.advance(step);
                if self.is_silent(to.node) {
                    if to.stack.len() < 300 && seen.insert(to.clone()) {
                        open.push(to);
                    }
                } else if self.fits(to.node, happening) {
                    next.insert(to);
                }
            }
            assert!(seen.len() < 10_000, "too many silent steps");
        }
        self.at = next;
        !self.at.is_empty()
    }
}

fn check(seed: u64, runs: u64, every_step: bool) -> (usize, usize) {
    let text = random::program(seed);
    let mut program = read(&text);
    let options = Options { every_step, ..Options::default() };
    // With this event all initialisers are looked at.
    let machine = machine(&mut program, &["enter(\"*\")", "call(\"Main.event\")"], options);
    let main = procedure(&program, "Main.main");
    let (mut length, mut longest) = (0, 0);
    for run in 0..runs {
        let happened = interpreter::run(&program, main, seed * 1000 + run, 120);
        let start =
            Follower { program: &program, machine: &machine, at: BTreeSet::new(), begun: false };
        let mut follower = start;
        for (i, &happening) in happened.iter().enumerate() {
            let before = follower.at.clone();
            let follows = follower.follow(happening);
            if matches!(happening, Happening::Step { is_control: false, .. }) && !every_step {
                // Such a step may have a node, or be passed.
                follower.at.extend(before);
                continue;
            }
            assert!(
                follows,
                "seed {seed}, run {run}: cannot follow step {i} of {happened:?}\n{text}"
            );
        }
        length += happened.len();
        longest = longest.max(happened.len());
    }
    (length, longest)
}

#[test]
fn every_run_is_a_run_of_the_machine() {
    let seed = setting("TERN_SEED", 1);
    let (mut steps, mut long) = (0, 0);
    let pairs = setting("TERN_PAIRS", 300);
    for i in 0..pairs {
        for every_step in [false, true] {
            let (length, longest) = check(seed + i, 6, every_step);
            steps += length;
            long += usize::from(longest > 60);
        }
    }
    assert!(
        steps as u64 > 20 * pairs && long as u64 > pairs / 10,
        "{steps} steps, {long} long runs"
    );
}
