//! Stories by hand: true ones are accepted, and each way of being wrong is refused.

use tern_certify::Refusal;
use tern_certify::run::replay;
use tern_model::logic::ctl::{self, Term};
use tern_model::{
    BoxId, CompId, Ending, ExitId, Formulas, Frame, Id, Labelling, Layer, Machine, Move, MoveKind,
    NodeId, Proof, Reason, Run, Story, TermId, Told,
};
use tern_testkit::sketch;

/// A machine, and a claim with its truth: at the nodes named, for each temporal term in order, on stacks
/// of height 0 and on higher ones.
struct Case {
    machine: Machine,
    formulas: Formulas,
    labelling: Labelling,
}

impl Case {
    fn new(machine: &str, claim: &str, truth: &[[&str; 2]]) -> Self {
        let machine = sketch::machine(machine);
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, claim);
        let program = ctl::lower(&formulas, claim).expect("CTL");
        let temporal = program.terms.iter().filter(|(_, term)| term.is_temporal());
        let layers = temporal.zip(truth).map(|((term, _), names)| {
            let frame = |component: CompId, deep: usize| Frame {
                component,
                ground: 0,
                callees: machine
                    .boxes_of(component)
                    .iter()
                    .map(|&call| (call, 2 * machine.callee(call).index() as u32 + 1))
                    .collect(),
                after: Vec::new(),
                holds: machine
                    .nodes_of(component)
                    .enumerate()
                    .filter(|&(_, n)| names[deep].split(' ').any(|m| m == machine.node_name(n)))
                    .map(|(position, _)| position)
                    .collect(),
                sites: Vec::new(),
                order: Vec::new(),
            };
            Layer {
                term,
                ground: Vec::new(),
                operands: Vec::new(),
                frames: machine.components().flat_map(|c| [frame(c, 0), frame(c, 1)]).collect(),
                roots: machine.components().map(|c| (c, 2 * c.index() as u32)).collect(),
                proof: Proof::Next,
            }
        });
        let layers = layers.collect();
        Case { machine, formulas, labelling: Labelling { program, layers } }
    }

    fn node(&self, path: &str) -> NodeId {
        let (component, node) = path.split_once('.').expect("component.node");
        self.machine.find_node(component, node).expect("it exists")
    }

    fn call(&self, name: &str) -> BoxId {
        let mut boxes = self.machine.boxes();
        boxes.find(|&call| self.machine.box_name(call) == name).expect("it exists")
    }

    fn exit(&self, name: &str) -> ExitId {
        let mut exits = self.machine.exits();
        exits.find(|&exit| self.machine.exit_name(exit) == name).expect("it exists")
    }

    /// Moves such as `step main.a`, `call b f.in`, `return x main.a`, `again x b f.in`, `stay`, `sink`.
    fn moves(&self, text: &str) -> Vec<Move> {
        let made = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let kind = match words[..] {
                ["step", _] => MoveKind::Step,
                ["call", call, _] => MoveKind::Call(self.call(call)),
                ["return", exit, _] => MoveKind::Return(self.exit(exit)),
                ["again", exit, call, _] => {
                    MoveKind::ReturnAndCall(self.exit(exit), self.call(call))
                }
                ["stay", _] => MoveKind::Stay,
                ["sink", _] => MoveKind::Sink,
                _ => panic!("{line}"),
            };
            Move { kind, node: self.node(words.last().expect("a node")) }
        };
        text.split(',').map(made).collect()
    }

    fn term(&self, wanted: impl Fn(Term) -> bool) -> TermId {
        let mut terms = self.labelling.program.terms.iter();
        terms.find(|&(_, &term)| wanted(term)).expect("there is such a term").0
    }

    fn atom(&self, name: &str) -> TermId {
        self.term(|term| matches!(term, Term::Atom(a) if self.formulas.atom_name(a) == name))
    }

    /// The story of the root by a run; at its end the labels decide.
    fn run(&self, moves: &str, ending: Ending, then: Option<&str>) -> Story {
        let run = Run { moves: self.moves(moves), ending };
        let then = then.map(|atom| {
            let story = Story { of: self.atom(atom), holds: true, reason: Reason::Labels };
            (run.moves.len(), story)
        });
        let told = Told { run, values: Vec::new(), asides: then.into_iter().collect() };
        Story { of: self.labelling.program.root, holds: true, reason: Reason::Run(told) }
    }

    fn replay(&self, start: &str, story: &Story) -> Result<(), Refusal> {
        replay(&self.machine, &self.formulas, &self.labelling, (&[], self.node(start)), story)
    }

    #[track_caller]
    fn refused(&self, start: &str, story: &Story, why: &str) {
        let refusal = self.replay(start, story).expect_err("it is wrong");
        assert!(refusal.to_string().contains(why), "{refusal}");
    }
}

const CALLS: &str = "
component main
  box b = f
  box c = f
  * start p -> b.in, end
  b.out -> c.in
  c.out -> end
  end q -> ^done
  exits done
component f
  > in p -> ^out
  exits out
";

fn until() -> Case {
    Case::new(CALLS, "E U p q", &[["start end", "in"]])
}

#[test]
fn a_run_goes_through_calls_in_a_row() {
    let case = until();
    let way = "call b f.in, again out c f.in, return out main.end";
    let story = case.run(way, Ending::Done, Some("q"));
    assert_eq!(case.replay("main.start", &story), Ok(()));
    let short = case.run("step main.end", Ending::Done, Some("q"));
    assert_eq!(case.replay("main.start", &short), Ok(()));
}

#[test]
fn moves_that_do_not_exist_are_refused() {
    let case = Case::new(CALLS, "E U true q", &[["start end", "in"]]);
    let wrong = [
        ("step main.start", "no step to main.start"),
        ("call c f.in", "no call by main.c to f.in"),
        ("call b f.in, return out main.end", "no way on after main.b has come back by out"),
        ("call b f.in, again out b f.in, return out main.end", "no way on after main.b"),
        ("call b f.in, return done main.end", "no return by done"),
        ("step main.end, return done main.end", "nobody has called"),
        ("stay main.start", "the program does not stay here"),
        ("sink main.start", "does not go to the sink"),
        ("stay main.end", "at another node"),
    ];
    for (moves, why) in wrong {
        let story = case.run(moves, Ending::Done, Some("q"));
        case.refused("main.start", &story, why);
    }
}

#[test]
fn what_must_hold_on_a_run_is_looked_up() {
    let case = until();
    let story = case.run("call b f.in", Ending::Done, Some("q"));
    case.refused("main.start", &story, "f.in under main.b: the operand does not hold at the end");
    let story = case.run("step main.end, stay main.end", Ending::Done, Some("q"));
    case.refused("main.start", &story, "main.end: the operand does not hold on the run");
    let story = case.run("step main.end", Ending::Done, None);
    case.refused("main.start", &story, "is missing");
    let story = case.run("step main.end", Ending::Done, Some("p"));
    case.refused("main.start", &story, "not of the operand");
    let story = case.run("step main.end", Ending::Loop(0), Some("q"));
    case.refused("main.start", &story, "the run does not end");
    let story = case.run("step main.end", Ending::Loop(1), Some("q"));
    case.refused("main.start", &story, "not an earlier one");
    let story = Story { holds: false, ..case.run("step main.end", Ending::Done, Some("q")) };
    case.refused("main.start", &story, "another value");
    for reason in [Reason::Labels, Reason::AllPaths, Reason::Operands(Vec::new())] {
        let story = Story { of: case.labelling.program.root, holds: true, reason };
        assert!(case.replay("main.start", &story).is_err());
    }
}

#[test]
fn ids_out_of_range_are_refused() {
    let case = until();
    let (far, call, exit) = (NodeId::new(99), BoxId::new(99), ExitId::new(99));
    let kinds = [
        MoveKind::Step,
        MoveKind::Call(call),
        MoveKind::Return(exit),
        MoveKind::ReturnAndCall(exit, call),
        MoveKind::Stay,
        MoveKind::Sink,
    ];
    let root = case.labelling.program.root;
    for kind in kinds {
        let run = Run { moves: vec![Move { kind, node: far }], ending: Ending::Done };
        let story = Story { of: root, holds: true, reason: Reason::Run(run.into()) };
        assert!(case.replay("main.start", &story).is_err(), "{kind:?}");
    }
    let story = Story { of: TermId::new(99), holds: true, reason: Reason::Labels };
    case.refused("main.start", &story, "does not have");
    for start in [(&[call][..], far), (&[], far), (&[call], case.node("f.in"))] {
        let story = Story { of: case.atom("p"), holds: true, reason: Reason::Labels };
        assert!(replay(&case.machine, &case.formulas, &case.labelling, start, &story).is_err());
    }
}

const PUMP: &str = "
component main
  box b = main
  * > in p -> mid
  mid p -> b.in, ^out
  b.out -> b.in
  exits out
";

#[test]
fn a_run_may_pump() {
    let case = Case::new(PUMP, "E G p", &[["in mid", "in mid"]]);
    let b = case.call("b");
    let pump = |moves: &str, from, boxes: &[BoxId]| {
        case.run(moves, Ending::Pump(from, boxes.to_vec()), None)
    };
    let twice = "step main.mid, call b main.in, step main.mid, call b main.in";
    assert_eq!(case.replay("main.in", &pump("step main.mid, call b main.in", 0, &[b])), Ok(()));
    assert_eq!(case.replay("main.in", &pump(twice, 0, &[b, b])), Ok(()));
    assert_eq!(case.replay("main.in", &pump(twice, 2, &[b])), Ok(()));
    case.refused("main.in", &pump(twice, 0, &[b]), "not grown by the boxes");
    case.refused("main.in", &pump(twice, 0, &[]), "not grown by the boxes");
    case.refused("main.in", &pump(twice, 1, &[b]), "not back at the node");
    let looped = case.run(twice, Ending::Loop(0), None);
    case.refused("main.in", &looped, "not back where the loop begins");
    let done = case.run(twice, Ending::Done, None);
    case.refused("main.in", &done, "does not go on for ever");
    // At height 1 it comes back and calls again: that was the box it began on.
    let dip = "step main.mid, call b main.in, step main.mid, again out b main.in, step main.mid, \
               call b main.in";
    case.refused("main.in", &pump(dip, 2, &[b]), "looks at the stack it began on");
    assert_eq!(case.replay("main.in", &pump(dip, 0, &[b, b])), Ok(()));
    // And a loop it may be.
    let around = "step main.mid, call b main.in, step main.mid, again out b main.in";
    assert_eq!(case.replay("main.in", &case.run(around, Ending::Loop(2), None)), Ok(()));
    // At the empty stack the program has ended, and stays.
    let stays = case.run("step main.mid, stay main.mid", Ending::Loop(1), None);
    assert_eq!(case.replay("main.in", &stays), Ok(()));
    let deep = case.run(
        "step main.mid, call b main.in, step main.mid, stay main.mid",
        Ending::Loop(3),
        None,
    );
    case.refused("main.in", &deep, "the program does not stay here");
}

#[test]
fn what_pumps_must_hold_on_all_the_stacks_to_come() {
    // The inner EX is true on the first round only, if this labelling were to be believed.
    let truth = [["in mid", "in"], ["in mid", "in mid"]];
    let case = Case::new(PUMP, "E G E X p", &truth);
    let b = case.call("b");
    let pump = case.run("step main.mid, call b main.in", Ending::Pump(0, vec![b]), None);
    case.refused("main.in", &pump, "main.mid under main.b: the operand does not hold");
    let case = Case::new(PUMP, "E G E X p", &[["in mid", "in mid"], ["in mid", "in mid"]]);
    assert_eq!(case.replay("main.in", &pump), Ok(()));
}

#[test]
fn a_run_may_end_in_the_sink() {
    let text = "end sink\ncomponent main\n  * start -> ^done\n  exits done\n";
    let case = Case::new(text, "E G ! p", &[["start", ""]]);
    assert_eq!(case.replay("main.start", &case.run("sink main.start", Ending::Done, None)), Ok(()));
    let after = case.run("sink main.start, stay main.start", Ending::Done, None);
    case.refused("main.start", &after, "a run that has come here ends");
    let stays = case.run("stay main.start", Ending::Loop(0), None);
    case.refused("main.start", &stays, "does not stay here");
    let case = Case::new(text, "E X p", &[["start", ""]]);
    let wrong = case.run("sink main.start", Ending::Done, None);
    case.refused("main.start", &wrong, "the sink: the operand does not hold at the end");
}

#[test]
fn operands_decide_what_they_can() {
    let case = Case::new(CALLS, "| & p ! q E X q", &[["start end", ""]]);
    let atom = |name, holds| Story { of: case.atom(name), holds, reason: Reason::Labels };
    let not = case.term(|term| matches!(term, Term::Not(_)));
    let and = case.term(|term| matches!(term, Term::And(..)));
    let ex = case.term(Term::is_temporal);
    let made = |term, holds, stories| Story { of: term, holds, reason: Reason::Operands(stories) };
    let not_q = made(not, true, vec![atom("q", false)]);
    let both = made(and, true, vec![atom("p", true), not_q.clone()]);
    let root = case.labelling.program.root;
    assert_eq!(case.replay("main.start", &made(root, true, vec![both.clone()])), Ok(()));
    let long = Story { of: ex, holds: true, reason: Reason::TooLong };
    assert_eq!(case.replay("main.start", &made(root, true, vec![long])), Ok(()));
    case.refused("main.start", &made(root, true, Vec::new()), "missing");
    case.refused("main.start", &made(and, true, vec![atom("p", true)]), "missing");
    case.refused("main.start", &made(root, true, vec![not_q]), "no operand");
    case.refused("main.start", &made(not, true, vec![atom("q", true)]), "does not decide");
    // What was not told claims nothing but the value; and that must be right.
    let long = |holds| Story { of: and, holds, reason: Reason::TooLong };
    assert_eq!(case.replay("main.start", &long(true)), Ok(()));
    assert!(case.replay("main.start", &long(false)).is_err());
    case.refused("main.start", &made(root, true, vec![made(and, true, vec![])]), "missing");
}
