//! The truth of a temporal term, place by place.
//!
//! A place of a frame has a *reason* to be true if one of its successors is. What that asks of a
//! step and of a call is different for each operator; a return is true if the context says so, and
//! after a closed exit there is nothing. True places must have a reason, false places must have
//! none: if one returns by an exit that the context is silent about, nothing is known, and it is
//! refused.
//!
//! * `EX f`: the successor has f.
//! * `E [p U q]`: true places come in an order in which reasons are earlier; a call may also reach
//!   q inside.
//! * `EG p`: a call may also have an endless path inside. Which places of ground frames have one is
//!   shown by the order in which the others die; both the dead and the living are checked.

use super::operands::Operands;
use super::structure::is_place_of;
use super::summaries::{Checked, Paths};
use super::{Scene, numbered};
use crate::Stopped;
use fixedbitset::FixedBitSet;
use tern_model::evidence::{Frame, Proof};
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Edge, ExitId, NodeId, Place, PlaceId};

/// Checks the truth of a layer's term, which the shape of the layer has been checked for.
pub(super) fn check(scene: Scene<'_>, term: Term, operands: &Operands<'_>) -> Result<(), Stopped> {
    let rows = |operand| operands.rows(scene.layer, operand, scene.budget);
    let mut truth = Vec::with_capacity(scene.layer.frames.len());
    for frame in &scene.layer.frames {
        scene.budget.check()?;
        truth.push(truth_of(scene, frame));
    }
    if !matches!(term, Term::Eu(..))
        && let Some((id, _)) = numbered(&scene.layer.frames).find(|(_, f)| !f.order.is_empty())
    {
        return scene.refuse(scene.frame_name(id), "only places of EU are ordered");
    }
    match (term, &scene.layer.proof) {
        (Term::Ex(f), Proof::Next) => next(scene, &truth, &rows(f)?, operands.in_sink(f)),
        (Term::Eu(p, q), Proof::Until(summaries)) => {
            let (p_rows, q_rows) = (rows(p)?, rows(q)?);
            let paths = Paths { p: &p_rows, q: Some(&q_rows) };
            let calls = Checked::new(scene, summaries, paths)?;
            until(scene, &truth, &calls, &p_rows, &q_rows, operands.in_sink(q))
        }
        (Term::Eg(p), Proof::Globally(summaries, deaths)) => {
            let p_rows = rows(p)?;
            let calls = Checked::new(scene, summaries, Paths { p: &p_rows, q: None })?;
            let globally = Globally { scene, calls, p: &p_rows, in_sink: operands.in_sink(p) };
            let dead = globally.replay(deaths)?;
            globally.check(&truth, &dead)
        }
        _ => scene.refuse("the proof".to_owned(), "it is of another operator"),
    }
}

/// The true places of a frame, by position.
fn truth_of(scene: Scene<'_>, frame: &Frame) -> FixedBitSet {
    let mut truth = FixedBitSet::with_capacity(scene.machine.places_of(frame.component).len());
    truth.extend(frame.holds.ones());
    truth.extend(frame.sites.iter().map(|&site| scene.machine.place_position(site)));
    truth
}

/// Whether a place has a reason to be true.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// It has.
    Given,
    /// It has not.
    None,
    /// It would have one if the term were true after this exit, which the context does not say.
    Unsaid(ExitId),
}

impl From<bool> for Reason {
    fn from(given: bool) -> Self {
        if given { Reason::Given } else { Reason::None }
    }
}

/// Whether some successor of a place is a reason, given which steps and calls are, and the sink.
fn successor(
    scene: Scene<'_>,
    frame: &Frame,
    place: PlaceId,
    step: impl Fn(NodeId) -> bool,
    call: impl Fn(BoxId, NodeId) -> bool,
    sink: bool,
) -> Reason {
    let ground = scene.ground(frame.ground);
    let mut reason = Reason::None;
    for &edge in scene.machine.edges_at(place) {
        let given = match edge {
            Edge::Step(node) => step(node),
            Edge::Call(by, entry) => call(by, entry),
            // At the end of the program there is the sink; or the node stays, which is not asked
            // here.
            Edge::Return(_) if ground.ended => scene.sinks(frame.ground) && sink,
            Edge::Return(exit) => {
                match frame.after.binary_search_by_key(&exit, |&(exit, _)| exit) {
                    Ok(position) => frame.after[position].1,
                    Err(_) => {
                        if !ground.closed.contains(scene.machine.exit_position(exit)) {
                            reason = Reason::Unsaid(exit);
                        }
                        false
                    }
                }
            }
        };
        if given {
            return Reason::Given;
        }
    }
    reason
}

/// Refuses a truth value that does not fit the reason for it.
fn judge(
    scene: Scene<'_>,
    frame: u32,
    place: PlaceId,
    value: bool,
    reason: Reason,
) -> Result<(), Stopped> {
    let why = match (value, reason) {
        (true, Reason::Given) | (false, Reason::None) => return Ok(()),
        (true, _) => "it is said to be true without a reason".to_owned(),
        (false, Reason::Given) => "it is said to be false, but has a reason to be true".to_owned(),
        (false, Reason::Unsaid(exit)) => {
            format!("the context of exit {} is not given", scene.machine.exit_name(exit))
        }
    };
    let place = scene.place_name(place);
    scene.refuse(format!("{}, {place}", scene.frame_name(frame)), why)
}

fn next(
    scene: Scene<'_>,
    truth: &[FixedBitSet],
    f: &[FixedBitSet],
    in_sink: bool,
) -> Result<(), Stopped> {
    let machine = scene.machine;
    for (id, frame) in numbered(&scene.layer.frames) {
        scene.budget.check()?;
        let has = |ground: u32, node: NodeId| f[ground as usize].contains(scene.position(node));
        let step = |node| has(frame.ground, node);
        let call = |by, entry| has(scene.ground_link(frame.ground, by), entry);
        for (position, &place) in machine.places_of(frame.component).iter().enumerate() {
            let stays = match machine.place(place) {
                Place::Node(node) => scene.stays(frame.ground, node) && step(node),
                Place::Site(..) => false,
            };
            let reason = if stays {
                Reason::Given
            } else {
                successor(scene, frame, place, step, call, in_sink)
            };
            judge(scene, id, place, truth[id as usize].contains(position), reason)?;
        }
    }
    Ok(())
}

fn until(
    scene: Scene<'_>,
    truth: &[FixedBitSet],
    calls: &Checked<'_>,
    p: &[FixedBitSet],
    q: &[FixedBitSet],
    in_sink: bool,
) -> Result<(), Stopped> {
    let machine = scene.machine;
    for (id, frame) in numbered(&scene.layer.frames) {
        scene.budget.check()?;
        let ground = frame.ground;
        // The reason of a place, if only these are known to be true.
        let reason = |known: &FixedBitSet, place: PlaceId| {
            let position = machine.place_position(place);
            if matches!(machine.place(place), Place::Node(_)) {
                if q[ground as usize].contains(position) {
                    return Reason::Given;
                }
                if !p[ground as usize].contains(position) {
                    return Reason::None;
                }
            }
            let step = |node| known.contains(scene.position(node));
            let call = |by, entry| {
                calls.has_goal(ground, by, entry)
                    || calls.comes_back(ground, by, entry).any(|site| known.contains(site))
            };
            successor(scene, frame, place, step, call, in_sink)
        };
        let truth = &truth[id as usize];
        let mut earlier = FixedBitSet::with_capacity(truth.len());
        for &place in &frame.order {
            let refuse = |why: &str| {
                let place = scene.place_name(place);
                scene.refuse(format!("{}, {place} in the order", scene.frame_name(id)), why)
            };
            let position = machine.place_position(place);
            if !truth.contains(position) {
                return refuse("it is not said to be true");
            }
            if reason(&earlier, place) != Reason::Given {
                return refuse("nothing before it is a reason for it");
            }
            if earlier.put(position) {
                return refuse("it is there already");
            }
        }
        for (position, &place) in machine.places_of(frame.component).iter().enumerate() {
            if !truth.contains(position) {
                judge(scene, id, place, false, reason(truth, place))?;
            } else if !earlier.contains(position) {
                let place = scene.place_name(place);
                let why = "it is said to be true, but is not in the order";
                return scene.refuse(format!("{}, {place}", scene.frame_name(id)), why);
            }
        }
    }
    Ok(())
}

/// `EG p`.
struct Globally<'a> {
    scene: Scene<'a>,
    calls: Checked<'a>,
    p: &'a [FixedBitSet],
    in_sink: bool,
}

impl Globally<'_> {
    /// The places of ground frames that have no endless path inside, by position: replays their
    /// deaths, and checks that all others live.
    fn replay(&self, deaths: &[(u32, PlaceId)]) -> Result<Vec<FixedBitSet>, Stopped> {
        let (scene, machine) = (self.scene, self.scene.machine);
        let mut dead: Vec<FixedBitSet> = Vec::with_capacity(scene.layer.ground.len());
        for ground in &scene.layer.ground {
            scene.budget.check()?;
            dead.push(FixedBitSet::with_capacity(machine.places_of(ground.component).len()));
        }
        for (i, &(ground, place)) in deaths.iter().enumerate() {
            let refuse = |why: &str| {
                let at = format!("{}, {}", scene.ground_name(ground), scene.place_name(place));
                scene.refuse(format!("death {i}, {at}"), why)
            };
            let Some(frame) = scene.layer.ground.get(ground as usize) else {
                return refuse("there is no such ground frame");
            };
            if !is_place_of(machine, place, frame.component) {
                return refuse("the place is not of its component");
            }
            if self.lives(&dead, ground, place) {
                return refuse("it has a successor that is not dead, or stays where it is");
            }
            if dead[ground as usize].put(machine.place_position(place)) {
                return refuse("it is dead already");
            }
        }
        for (id, ground) in numbered(&scene.layer.ground) {
            scene.budget.check()?;
            for (position, &place) in machine.places_of(ground.component).iter().enumerate() {
                if !dead[id as usize].contains(position) && !self.lives(&dead, id, place) {
                    let place = scene.place_name(place);
                    let why = "it is not said to die, but has no reason to live";
                    return scene.refuse(format!("{}, {place}", scene.ground_name(id)), why);
                }
            }
        }
        Ok(dead)
    }

    /// Whether a place has p and a successor that is not dead, inside its ground frame or deeper.
    fn lives(&self, dead: &[FixedBitSet], ground: u32, place: PlaceId) -> bool {
        let (scene, machine) = (self.scene, self.scene.machine);
        if let Place::Node(node) = machine.place(place) {
            if !self.p[ground as usize].contains(scene.position(node)) {
                return false;
            }
            if scene.stays(ground, node) {
                return true;
            }
        }
        machine.edges_at(place).iter().any(|&edge| match edge {
            Edge::Step(node) => !dead[ground as usize].contains(scene.position(node)),
            Edge::Call(call, entry) => {
                self.is_endless(dead, ground, call, entry)
                    || self
                        .calls
                        .comes_back(ground, call, entry)
                        .any(|site| !dead[ground as usize].contains(site))
            }
            Edge::Return(_) => scene.sinks(ground) && self.in_sink,
        })
    }

    /// Whether the entry of a call is not dead.
    fn is_endless(&self, dead: &[FixedBitSet], ground: u32, call: BoxId, entry: NodeId) -> bool {
        let callee = self.scene.ground_link(ground, call);
        !dead[callee as usize].contains(self.scene.position(entry))
    }

    fn check(&self, truth: &[FixedBitSet], dead: &[FixedBitSet]) -> Result<(), Stopped> {
        let (scene, machine) = (self.scene, self.scene.machine);
        for (id, frame) in numbered(&scene.layer.frames) {
            scene.budget.check()?;
            let ground = frame.ground;
            let truth = &truth[id as usize];
            let step = |node| truth.contains(scene.position(node));
            let call = |by, entry| {
                self.is_endless(dead, ground, by, entry)
                    || self.calls.comes_back(ground, by, entry).any(|site| truth.contains(site))
            };
            for (position, &place) in machine.places_of(frame.component).iter().enumerate() {
                let inside = match machine.place(place) {
                    Place::Node(_) if !self.p[ground as usize].contains(position) => {
                        Some(Reason::None)
                    }
                    Place::Node(node) if scene.stays(ground, node) => Some(Reason::Given),
                    Place::Node(_) | Place::Site(..) => None,
                };
                let reason = inside
                    .unwrap_or_else(|| successor(scene, frame, place, step, call, self.in_sink));
                let value = truth.contains(position);
                judge(scene, id, place, value, reason)?;
                if !value && !dead[ground as usize].contains(position) {
                    // All its successors are false, but going round among them is endless.
                    judge(scene, id, place, value, Reason::Given)?;
                }
            }
        }
        Ok(())
    }
}
