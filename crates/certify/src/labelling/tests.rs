//! Certificates written by hand: what a proof has to say, and what it must not leave out.

use crate::{Asked, Refusal, Stopped, check};
use fixedbitset::FixedBitSet;
use tern_model::evidence::{Event, Frame, Ground, Labelling, Layer, Proof, Summaries};
use tern_model::logic::ctl;
use tern_model::{
    BoxId, Budget, Claim, CompId, Evidence, ExitId, FormulaId, Formulas, Id, Machine, NodeId,
    PlaceId, TermId, Verdict,
};
use tern_testkit::sketch;

fn set(ones: &[usize]) -> FixedBitSet {
    ones.iter().copied().collect()
}

fn claim(text: &str) -> (Formulas, FormulaId) {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, text);
    (formulas, claim)
}

fn node(machine: &Machine, component: &str, name: &str) -> NodeId {
    machine.find_node(component, name).expect("a node of the test")
}

/// The frame, and the ground frame, of a component that makes no calls, under the empty stack.
fn alone(holds: &[usize], order: &[NodeId]) -> (Ground, Frame) {
    let component = CompId::new(0);
    let ground = Ground { component, ended: true, closed: set(&[]), callees: vec![] };
    let frame = Frame {
        component,
        ground: 0,
        callees: vec![],
        after: vec![],
        holds: set(holds),
        sites: vec![],
        order: order.iter().map(|node| PlaceId::new(node.index())).collect(),
    };
    (ground, frame)
}

fn one_layer(
    (formulas, claim): &(Formulas, FormulaId),
    parts: Vec<(Ground, Frame)>,
    proof: Proof,
) -> Labelling {
    let program = ctl::lower(formulas, *claim).expect("CTL");
    let temporal = |&id: &TermId| program.terms[id].is_temporal();
    let term = program.terms.ids().find(temporal).expect("a temporal term");
    let (ground, frames) = parts.into_iter().unzip();
    let roots = vec![(CompId::new(0), 0)];
    let layers = vec![Layer { term, ground, operands: vec![], frames, roots, proof }];
    Labelling { program, layers }
}

/// Runs round and round in p, and may step out to where q is.
const LOOP: &str = "
    component main
      * a p -> b
      b p -> a, c
      c q -> c
";

fn judge(
    machine: &Machine,
    (formulas, claim): &(Formulas, FormulaId),
    verdict: &Verdict,
    labelling: &Labelling,
) -> Result<(), Refusal> {
    let unlimited = Budget::unlimited();
    let claim = &Claim::new(*claim);
    let asked = Asked { formulas, claim };
    let evidence = Evidence::Labelling(labelling.clone());
    match check(machine.into(), asked, verdict, None, &evidence, &unlimited) {
        Ok(()) => Ok(()),
        Err(Stopped::Refused(refusal)) => Err(refusal),
        Err(Stopped::Limit(limit)) => panic!("{limit}, though there is no limit"),
    }
}

#[test]
fn a_path_out_of_a_loop_is_proved_step_by_step() {
    let machine = sketch::machine(LOOP);
    let [a, b, c] = ["a", "b", "c"].map(|name| node(&machine, "main", name));
    let asked = claim("E U p q");
    let made = |order: &[NodeId]| {
        let proof = Proof::Until(Summaries::default());
        one_layer(&asked, vec![alone(&[0, 1, 2], order)], proof)
    };
    assert_eq!(judge(&machine, &asked, &Verdict::Holds, &made(&[c, b, a])), Ok(()));
    let refusal = judge(&machine, &asked, &Verdict::Fails, &made(&[c, b, a])).unwrap_err();
    assert_eq!(refusal.to_string(), "the verdict: the claim is true at all initial nodes");
    let refusal = judge(&machine, &asked, &Verdict::Holds, &made(&[c, a, b])).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "layer 0, frame 0 (main), node a in the order: nothing before it is a reason for it"
    );
}

#[test]
fn a_loop_does_not_prove_itself() {
    // Without c in q, a and b being true would each have the other for a reason.
    let machine = sketch::machine(&LOOP.replace("c q", "c r"));
    let [a, b] = ["a", "b"].map(|name| node(&machine, "main", name));
    let asked = claim("E U p q");
    for order in [[a, b], [b, a]] {
        let proof = Proof::Until(Summaries::default());
        let labelling = one_layer(&asked, vec![alone(&[0, 1], &order)], proof);
        let refusal = judge(&machine, &asked, &Verdict::Holds, &labelling).unwrap_err();
        assert_eq!(refusal.why, "nothing before it is a reason for it");
    }
    let proof = Proof::Until(Summaries::default());
    let labelling = one_layer(&asked, vec![alone(&[], &[])], proof);
    assert_eq!(judge(&machine, &asked, &Verdict::Fails, &labelling), Ok(()));
}

#[test]
fn a_loop_lives_until_its_death_is_shown() {
    let machine = sketch::machine(LOOP);
    let asked = claim("E G p");
    let c = PlaceId::new(node(&machine, "main", "c").index());
    let made = |holds: &[usize], deaths: Vec<(u32, PlaceId)>| {
        let proof = Proof::Globally(Summaries::default(), deaths);
        one_layer(&asked, vec![alone(holds, &[])], proof)
    };
    assert_eq!(judge(&machine, &asked, &Verdict::Holds, &made(&[0, 1], vec![(0, c)])), Ok(()));
    // All false is a fixpoint too, but not the greatest.
    let refusal = judge(&machine, &asked, &Verdict::Fails, &made(&[], vec![(0, c)])).unwrap_err();
    assert_eq!(refusal.why, "it is said to be false, but has a reason to be true");
    let refusal = judge(&machine, &asked, &Verdict::Holds, &made(&[0, 1], vec![])).unwrap_err();
    assert_eq!(refusal.why, "it is not said to die, but has no reason to live");
}

/// A call with two exits: after `good` there is q, after `bad` there is not; `sub` leaves by both.
const TWO_EXITS: &str = "
    component main
      box b = sub
      * start p -> b.in
      won q -> won
      lost -> lost
      b.good -> won
      b.bad -> lost
    component sub
      > in p -> x, y
      x p -> ^good
      y p -> ^bad
      exits good bad
";

/// The certificate that `E [p U q]` holds of [`TWO_EXITS`].
fn two_exits(machine: &Machine, asked: &(Formulas, FormulaId)) -> Labelling {
    let [start, won] = ["start", "won"].map(|name| node(machine, "main", name));
    let [entry, x, y] = ["in", "x", "y"].map(|name| node(machine, "sub", name));
    let place = |node: NodeId| PlaceId::new(node.index());
    let (call, good, bad) = (BoxId::new(0), ExitId::new(0), ExitId::new(1));
    let site = machine.site(call, good).expect("the box goes on after good");
    let callees = vec![(call, 1)];
    let (main, sub) = (CompId::new(0), CompId::new(1));
    let below = (
        Ground { component: main, ended: true, closed: set(&[]), callees: callees.clone() },
        Frame {
            component: main,
            ground: 0,
            callees,
            after: vec![],
            holds: set(&[0, 1]),
            sites: vec![site],
            order: vec![place(won), site, place(start)],
        },
    );
    let above = (
        Ground { component: sub, ended: false, closed: set(&[]), callees: vec![] },
        Frame {
            component: sub,
            ground: 1,
            callees: vec![],
            after: vec![(good, true), (bad, false)],
            holds: set(&[0, 1]),
            sites: vec![],
            order: vec![place(x), place(entry)],
        },
    );
    let reach = |node| Event::Reach { start: 0, place: place(node), from: place(entry) };
    let leave = |node, exit| Event::Leave { start: 0, node, exit };
    let events = vec![reach(x), reach(y), leave(x, good), leave(y, bad)];
    let proof = Proof::Until(Summaries { starts: vec![(1, entry)], events });
    one_layer(asked, vec![below, above], proof)
}

#[test]
fn a_call_is_stepped_over_by_its_exits() {
    let machine = sketch::machine(TWO_EXITS);
    let asked = claim("E U p q");
    let labelling = two_exits(&machine, &asked);
    assert_eq!(judge(&machine, &asked, &Verdict::Holds, &labelling), Ok(()));

    let mut silent = labelling.clone();
    silent.layers[0].frames[1].after.pop();
    let refusal = judge(&machine, &asked, &Verdict::Holds, &silent).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "layer 0, frame 1 (sub), node y: the context of exit bad is not given"
    );

    let mut wrong = labelling.clone();
    wrong.layers[0].frames[1].after[1].1 = true;
    let refusal = judge(&machine, &asked, &Verdict::Holds, &wrong).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "layer 0, frame 1 (sub): the context says true after exit bad; \
         box b of frame 0 (main) does not"
    );

    let mut short = labelling.clone();
    let Proof::Until(summaries) = &mut short.layers[0].proof else { panic!("a proof of EU") };
    summaries.events.pop();
    let refusal = judge(&machine, &asked, &Verdict::Holds, &short).unwrap_err();
    assert_eq!(refusal.why, "it returns by an exit that is not said to be left by");
}

#[test]
fn closed_exits_have_no_return_site_anywhere() {
    // No node is stuck whether or not `bad` is closed, but the truth at y would depend on it.
    let machine = sketch::machine(&TWO_EXITS.replace("y p -> ^bad", "y p -> ^bad, y"));
    let asked = claim("E U p q");
    let mut labelling = two_exits(&machine, &asked);
    assert_eq!(judge(&machine, &asked, &Verdict::Holds, &labelling), Ok(()));
    labelling.layers[0].ground[1].closed = set(&[1]);
    labelling.layers[0].frames[1].after.pop();
    let refusal = judge(&machine, &asked, &Verdict::Holds, &labelling).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "layer 0, ground frame 1 (sub): exit bad is said to be closed, but is not \
         when box b of ground frame 0 (main) calls"
    );
}
