//! Stories by hand: true ones are accepted, and each way of being wrong is refused.

use tern_certify::run::{Checked, Scene, replay};
use tern_certify::{Refusal, Stopped};
use tern_model::logic::ctl;
use tern_model::{
    AnnotatedRun, BoxId, Budget, CompId, Ending, ExitId, FormulaId, Formulas, Frame, Id, Labelling,
    Layer, Machine, Mark, Move, MoveKind, NodeId, Proof, Reason, Run, Story, Topic,
};
use tern_testkit::sketch;

/// A machine, and a claim with its truth: at the nodes named, for each temporal term in order, on
/// stacks of height 0 and on higher ones.
struct Case {
    machine: Machine,
    formulas: Formulas,
    claim: FormulaId,
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
        Case { machine, formulas, claim, labelling: Labelling { program, layers } }
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

    /// Moves such as `step main.a`, `call b f.in`, `return x main.a`, `again x b f.in`, `stay`,
    /// `sink`.
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

    /// A part of the claim.
    fn part(&self, text: &str) -> FormulaId {
        let mut formulas = self.formulas.clone();
        let part = sketch::formula(&mut formulas, text);
        assert_eq!(formulas.len(), self.formulas.len(), "{text} is no part");
        part
    }

    /// Something that is so, without a reason that remains to be replayed.
    fn plain(&self, part: &str, holds: bool) -> Story {
        let of = self.part(part);
        let is_atom = matches!(self.formulas.get(of), tern_model::Formula::Atom(_));
        let reason = if is_atom { Reason::Labels } else { Reason::TooLong };
        Story { of: of.into(), holds, reason }
    }

    fn made(&self, part: &str, holds: bool, stories: Vec<Story>) -> Story {
        Story { of: self.part(part).into(), holds, reason: Reason::Operands(stories) }
    }

    /// The story of the claim by a run.
    fn told(&self, told: impl Into<AnnotatedRun>) -> Story {
        let holds = !matches!(
            self.formulas.get(self.claim),
            tern_model::Formula::All(_) | tern_model::Formula::Globally(_)
        );
        Story { of: self.claim.into(), holds, reason: Reason::Run(told.into()) }
    }

    fn run(&self, moves: &str, ending: Ending) -> Story {
        self.told(Run { moves: self.moves(moves), ending })
    }

    fn replay(&self, start: &str, story: &Story) -> Result<(), Refusal> {
        let Case { machine, formulas, claim, labelling } = self;
        let scene = Scene { machine, formulas, claim: Some(*claim), start: self.node(start) };
        let budget = Budget::unlimited();
        replay(scene, Checked::Labelling(labelling), story, &budget).map_err(|why| match why {
            Stopped::Refused(refusal) => refusal,
            Stopped::Limit(limit) => panic!("{limit}: no limits are set"),
        })
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
    assert_eq!(case.replay("main.start", &case.run(way, Ending::Done)), Ok(()));
    let short = case.run("step main.end", Ending::Done);
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
        case.refused("main.start", &case.run(moves, Ending::Done), why);
    }
}

#[test]
fn what_must_hold_on_a_run_is_worked_out() {
    let case = until();
    let story = case.run("call b f.in", Ending::Done);
    case.refused("main.start", &story, "main.start: the run ends before");
    let case_without_p = Case::new(&CALLS.replace("in p", "in"), "E U p q", &[["start end", "in"]]);
    let way = "call b f.in, again out c f.in, return out main.end";
    let story = case_without_p.run(way, Ending::Done);
    case_without_p.refused("main.start", &story, "another value on the run");
    let story = case.run("step main.end", Ending::Loop(0));
    case.refused("main.start", &story, "not back where the loop begins");
    let story = case.run("step main.end", Ending::Loop(1));
    case.refused("main.start", &story, "not an earlier one");
    let story = Story { holds: false, ..case.run("step main.end", Ending::Done) };
    case.refused("main.start", &story, "another value");
    for reason in [Reason::Labels, Reason::AllPaths, Reason::Operands(Vec::new())] {
        let story = Story { of: case.claim.into(), holds: true, reason };
        assert!(case.replay("main.start", &story).is_err());
    }
}

#[test]
fn what_is_told_on_the_way_is_looked_at() {
    let case = until();
    let with = |asides: Vec<(usize, Story)>, marks: Vec<Mark>| {
        let run = Run { moves: case.moves("step main.end"), ending: Ending::Done };
        case.told(AnnotatedRun { asides, marks, ..run.into() })
    };
    let mark = |at, part: &str, holds| Mark { at, of: case.part(part), holds };
    let right = vec![mark(0, "p", true), mark(0, "U p q", true), mark(1, "q", true)];
    let story = with(vec![(1, case.plain("q", true))], right);
    assert_eq!(case.replay("main.start", &story), Ok(()));
    let wrong = [mark(0, "q", true), mark(1, "q", false), mark(2, "q", true)];
    for mark in wrong.into_iter().chain([mark(0, "E U p q", true)]) {
        case.refused("main.start", &with(Vec::new(), vec![mark]), "marked that is not so");
    }
    let aside = |at, story| with(vec![(at, story)], Vec::new());
    let wrong = [
        (aside(1, case.plain("p", true)), "main.end: the story gives another value"),
        (aside(2, case.plain("q", true)), "that the run does not have"),
        (aside(1, case.plain("E U p q", true)), "no state formula of the path"),
        (aside(1, Story { of: Topic::Automaton, ..case.plain("q", true) }), "an automaton"),
    ];
    for (story, why) in wrong {
        case.refused("main.start", &story, why);
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
    for kind in kinds {
        let run = Run { moves: vec![Move { kind, node: far }], ending: Ending::Done };
        assert!(case.replay("main.start", &case.told(run)).is_err(), "{kind:?}");
    }
    let unknown = FormulaId::new(99);
    let story = Story { of: unknown.into(), holds: true, reason: Reason::Labels };
    case.refused("main.start", &story, "not of the claim");
    let run = Run { moves: case.moves("step main.end"), ending: Ending::Done };
    let values = vec![(unknown, vec![true, true])];
    let story = case.told(AnnotatedRun { values, ..run.clone().into() });
    case.refused("main.start", &story, "does not occur on the path");
    let marks = vec![Mark { at: 0, of: unknown, holds: true }];
    let story = case.told(AnnotatedRun { marks, ..run.clone().into() });
    case.refused("main.start", &story, "marked that is not so");
    let asides = vec![(0, Story { of: unknown.into(), holds: true, reason: Reason::Labels })];
    let story = case.told(AnnotatedRun { asides, ..run.into() });
    case.refused("main.start", &story, "no state formula of the path");
    let story = case.run("step main.end", Ending::Done);
    case.refused("main.end", &story, "not told of an initial node");
    let scene = Scene {
        machine: &case.machine,
        formulas: &case.formulas,
        claim: Some(case.claim),
        start: far,
    };
    let evidence = Checked::Labelling(&case.labelling);
    assert!(replay(scene, evidence, &story, &Budget::unlimited()).is_err());
}

#[test]
fn the_labelling_must_be_of_the_claim() {
    let case = until();
    let other = Case::new(CALLS, "E G p", &[["start end", "in"]]);
    let scene = Scene {
        machine: &case.machine,
        formulas: &case.formulas,
        claim: Some(case.claim),
        start: case.node("main.start"),
    };
    let story = case.run("step main.end", Ending::Done);
    let evidence = Checked::Labelling(&other.labelling);
    let refused = replay(scene, evidence, &story, &Budget::unlimited()).expect_err("it is another");
    assert!(refused.to_string().contains("not that of the claim"), "{refused}");
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
    let pump =
        |moves: &str, from, boxes: &[BoxId]| case.run(moves, Ending::Pump(from, boxes.to_vec()));
    let twice = "step main.mid, call b main.in, step main.mid, call b main.in";
    assert_eq!(case.replay("main.in", &pump("step main.mid, call b main.in", 0, &[b])), Ok(()));
    assert_eq!(case.replay("main.in", &pump(twice, 0, &[b, b])), Ok(()));
    assert_eq!(case.replay("main.in", &pump(twice, 2, &[b])), Ok(()));
    case.refused("main.in", &pump(twice, 0, &[b]), "not grown by the boxes");
    case.refused("main.in", &pump(twice, 0, &[]), "not grown by the boxes");
    case.refused("main.in", &pump(twice, 1, &[b]), "not back at the node");
    let looped = case.run(twice, Ending::Loop(0));
    case.refused("main.in", &looped, "not back where the loop begins");
    let done = case.run(twice, Ending::Done);
    case.refused("main.in", &done, "the run ends before");
    // At height 1 it comes back and calls again: that was the box it began on.
    let dip = "step main.mid, call b main.in, step main.mid, again out b main.in, step main.mid, \
               call b main.in";
    case.refused("main.in", &pump(dip, 2, &[b]), "looks at the stack it began on");
    assert_eq!(case.replay("main.in", &pump(dip, 0, &[b, b])), Ok(()));
    // And a loop it may be.
    let around = "step main.mid, call b main.in, step main.mid, again out b main.in";
    assert_eq!(case.replay("main.in", &case.run(around, Ending::Loop(2))), Ok(()));
    // At the empty stack the program has ended, and stays.
    let stays = case.run("step main.mid, stay main.mid", Ending::Loop(1));
    assert_eq!(case.replay("main.in", &stays), Ok(()));
    let deep = "step main.mid, call b main.in, step main.mid, stay main.mid";
    case.refused("main.in", &case.run(deep, Ending::Loop(3)), "the program does not stay here");
}

#[test]
fn what_pumps_must_hold_on_all_the_stacks_to_come() {
    // The inner EX is true on the first round only, if this labelling were to be believed.
    let truth = [["in mid", "in"], ["in mid", "in mid"]];
    let case = Case::new(PUMP, "E G E X p", &truth);
    let ending = Ending::Pump(0, vec![case.call("b")]);
    let run = Run { moves: case.moves("step main.mid, call b main.in"), ending };
    let asides = vec![(0, case.plain("E X p", true))];
    let pump = case.told(AnnotatedRun { asides, ..run.clone().into() });
    case.refused("main.in", &pump, "main.mid under main.b: it is not as it was");
    let case = Case::new(PUMP, "E G E X p", &[["in mid", "in mid"], ["in mid", "in mid"]]);
    assert_eq!(case.replay("main.in", &pump), Ok(()));
    case.refused("main.in", &case.told(run), "something that matters on the run is missing");
}

#[test]
fn a_run_may_end_in_the_sink() {
    let text = "end sink\ncomponent main\n  * start -> ^done\n  exits done\n";
    let case = Case::new(text, "E G ! p", &[["start", ""]]);
    let ends = case.run("sink main.start, stay main.start", Ending::Loop(1));
    assert_eq!(case.replay("main.start", &ends), Ok(()));
    let done = case.run("sink main.start", Ending::Done);
    case.refused("main.start", &done, "the run ends before");
    let stays = case.run("stay main.start", Ending::Loop(0));
    case.refused("main.start", &stays, "does not stay here");
    let on = case.run("sink main.start, step main.start", Ending::Loop(1));
    case.refused("main.start", &on, "the sink has no such step");
    let case = Case::new(text, "E X p", &[["start", ""]]);
    let wrong = case.run("sink main.start", Ending::Done);
    case.refused("main.start", &wrong, "another value on the run");
}

#[test]
fn a_claim_about_all_runs_fails_on_one_run() {
    // `EG !q` and `E [true U p & EG !q]`.
    let text =
        "component main\n  * start -> ask\n  ask p -> wait, done\n  wait -> wait\n  done q -> done";
    let truth = [["ask wait", ""], ["start ask", ""]];
    let case = Case::new(text, "G -> p F q", &truth);
    let run = Run { moves: case.moves("step main.ask, step main.wait"), ending: Ending::Loop(2) };
    let marks = vec![Mark { at: 1, of: case.part("F q"), holds: false }];
    // A run whose loop has no move is none.
    case.refused("main.start", &case.told(run.clone()), "not an earlier one");
    let moves = case.moves("step main.ask, step main.wait, step main.wait");
    let run = Run { moves, ..run };
    let story = case.told(AnnotatedRun { marks: marks.clone(), ..run.into() });
    assert_eq!(case.replay("main.start", &story), Ok(()));
    let moves = case.moves("step main.ask, step main.done, step main.done");
    let kept = case.told(Run { moves, ending: Ending::Loop(2) });
    case.refused("main.start", &kept, "another value on the run");
    let cut = case.told(Run { moves: case.moves("step main.ask"), ending: Ending::Done });
    case.refused("main.start", &cut, "the run ends before");
}

#[test]
fn operands_decide_what_they_can() {
    let case = Case::new(CALLS, "| & p ! q E X q", &[["start end", ""]]);
    let root = "| & p ! q E X q";
    let refused = |stories: Vec<Story>| {
        case.refused("main.start", &case.made(root, true, stories), "do not decide");
    };
    let not_q = case.made("! q", true, vec![case.plain("q", false)]);
    let both = |stories| vec![case.made("& p ! q", true, stories)];
    let whole = both(vec![case.plain("p", true), not_q.clone()]);
    assert_eq!(case.replay("main.start", &case.made(root, true, whole)), Ok(()));
    // What was not told claims nothing but the value; and that must be right.
    let long = |holds| case.made(root, true, vec![case.plain("E X q", holds)]);
    assert_eq!(case.replay("main.start", &long(true)), Ok(()));
    assert!(case.replay("main.start", &long(false)).is_err());
    refused(Vec::new());
    refused(both(vec![case.plain("p", true)]));
    refused(vec![not_q.clone()]);
    refused(both(vec![case.plain("p", true), case.made("! q", true, vec![case.plain("q", true)])]));
    refused(both(Vec::new()));
    let wrong = case.made("! q", true, vec![case.plain("q", false)]);
    let wrong = both(vec![case.plain("p", false), wrong]);
    assert!(case.replay("main.start", &case.made(root, true, wrong)).is_err());
}
