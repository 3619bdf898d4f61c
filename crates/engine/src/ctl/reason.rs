//! Why is the claim unknown? A search from the initial nodes for context bits that it depends on.
//!
//! The search follows what the unknown value depends on: from a boolean term to its unknown operands,
//! the left-most first; from an operator to unknown operands at the same node, and to the successors
//! where the operator itself is unknown. Into a callee it goes only for reasons *inside* it, since the
//! caller steps over the call and knows its own return sites. Where the value of an operator is needed
//! *in* a frame, though, and hangs on an exit of unknown bit, the reason lies with the callers: the bit
//! is noted, unless it is wanted already, and the search goes on at the return sites whose value is
//! unknown. If only a few bits are asked for, it does not go on where a caller knows the value: that
//! is a bit *to be had*, and enough of these end the search.
//!
//! # Invariants
//! * Every goal on the list has an unknown value, or leads to places that may have.
//! * A goal is looked at once in each of the two moods, so the search ends.
//!
//! # Why it finds a bit
//! See [`crate::ctl::incremental`]: if all bits that it comes to were wanted, the claim would be known.

use crate::ctl::operator::Kind;
use crate::ctl::within::{Bits, Within};
use crate::ground::bits;
use crate::ground::summary::NONE;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Edge, Id, Limit, NodeId, Place, PlaceId, TermId, Tri};

/// A value that is needed: an operator at a place of one of its frames.
#[derive(Clone, Copy)]
struct Goal {
    operator: TermId,
    frame: u32,
    place: PlaceId,
    /// Whether what happens after the exits of the frame is of interest, or only what is inside.
    beyond: bool,
}

/// Where a term is needed.
#[derive(Clone, Copy)]
enum At {
    /// With nothing below on the stack: in one of the root frames, by position.
    Root(usize),
    /// As an operand of an operator in one of its frames.
    Operand(TermId, u32),
}

/// For each frame of a family, the frames and boxes that lead to it.
type Callers = Vec<Vec<(u32, BoxId)>>;

struct Search<'c, 'a> {
    within: &'c Within<'a>,
    rng: &'c mut Option<fastrand::Rng>,
    noted: Bits,
    /// How many bits that are to be had are enough, and how many there are.
    most: usize,
    to_be_had: usize,
    /// For each operator, frame and mood: the places that were looked at. Empty while there are none.
    seen: Table<TermId, Vec<[Vec<u64>; 2]>>,
    /// The calls that were looked at: for an operator, in a frame, through a box, at an entry, and
    /// whether what is beyond the frame is of interest.
    calls: FxHashSet<(TermId, u32, BoxId, NodeId, bool)>,
    todo: Vec<Goal>,
    /// For each family of frames, if it was asked for.
    callers: Vec<Option<Callers>>,
    /// What has to be computed for a term, for the terms asked for so far.
    steps: FxHashMap<TermId, Rc<[TermId]>>,
}

/// Context bits that the claim, with these values at the initial nodes, may depend on and that are not
/// wanted yet.
///
/// All of them, if `most` is the largest number: with these the claim is known, and what other bits are
/// makes no difference to it. Otherwise the first ones that the search comes to.
pub(crate) fn needs(
    within: &Within<'_>,
    at_initial: &[Tri],
    most: usize,
    rng: &mut Option<fastrand::Rng>,
    meter: &mut Meter<'_>,
) -> Result<Bits, Limit> {
    let terms = &within.plan().program.terms;
    let rows = |(id, term): (TermId, &Term)| {
        let frames = if term.is_temporal() { within.frames(id).len() } else { 0 };
        vec![[const { Vec::new() }; 2]; frames]
    };
    let mut search = Search {
        within,
        rng,
        noted: Bits::default(),
        most,
        to_be_had: 0,
        seen: terms.iter().map(rows).collect(),
        calls: FxHashSet::default(),
        todo: Vec::new(),
        callers: (0..within.family_count()).map(|_| None).collect(),
        steps: FxHashMap::default(),
    };
    let terrain = within.terrain();
    for (&node, &value) in terrain.machine.initial().iter().zip(at_initial) {
        if value == Tri::Unknown {
            search.need(within.plan().program.root, At::Root(terrain.root_of(node)), node);
            search.run(meter)?;
        }
    }
    Ok(search.noted)
}

impl Search<'_, '_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        while self.to_be_had < self.most
            && let Some(goal) = self.todo.pop()
        {
            meter.tick()?;
            if !self.see(goal) {
                continue;
            }
            let begin = self.todo.len();
            self.look(goal);
            // What was added last is looked at first: turn it round, so that the first is.
            match self.rng {
                Some(rng) => rng.shuffle(&mut self.todo[begin..]),
                None => self.todo[begin..].reverse(),
            }
        }
        Ok(())
    }

    /// Notes that a goal is looked at; says whether it is for the first time.
    fn see(&mut self, goal: Goal) -> bool {
        let machine = self.within.terrain().machine;
        let row = &mut self.seen[goal.operator][goal.frame as usize][usize::from(goal.beyond)];
        if row.is_empty() {
            let component = self.within.frames(goal.operator).component[goal.frame as usize];
            *row = vec![0; bits::words_for(machine.places_of(component).len())];
        }
        bits::insert(row, machine.place_position(goal.place))
    }

    /// Notes what a goal depends on.
    fn look(&mut self, goal: Goal) {
        let within = self.within;
        let machine = within.terrain().machine;
        let (kind, pass, reach) = within.plan().operator(goal.operator);
        if let (Place::Node(node), true) = (machine.place(goal.place), kind != Kind::Next) {
            for operand in reach.into_iter().chain([pass]) {
                self.need_operand(goal, operand, goal.frame, node);
            }
        }
        for &edge in machine.edges_at(goal.place) {
            match edge {
                Edge::Step(to) => self.successor(goal, kind, pass, goal.frame, to, goal.beyond),
                Edge::Call(call, entry) => {
                    let position = within.terrain().box_position(call);
                    let callee = within.frames(goal.operator).link(goal.frame, position);
                    // Many places may make the same call; what it depends on is the same for all.
                    let key = (goal.operator, goal.frame, call, entry, goal.beyond);
                    if callee == NONE || !self.calls.insert(key) {
                        continue;
                    }
                    self.successor(goal, kind, pass, callee, entry, false);
                    if kind != Kind::Next {
                        for (_, site) in machine.sites_of(call) {
                            self.follow(Goal { place: site, ..goal });
                        }
                    }
                }
                Edge::Return(exit) if goal.beyond => {
                    let exit = machine.exit_position(exit);
                    if within.is_open(goal.operator, goal.frame, exit) {
                        self.ask_callers(goal, exit);
                    }
                }
                Edge::Return(_) => (),
            }
        }
        if let (Place::Node(node), Kind::Next) = (machine.place(goal.place), kind) {
            // A node that stays where it is is its own successor; if it does not, this asks in vain.
            self.need_operand(goal, pass, goal.frame, node);
        }
    }

    /// A node after the place of a goal: for `EX` its operand is needed there, else the operator.
    fn successor(
        &mut self,
        goal: Goal,
        kind: Kind,
        operand: TermId,
        frame: u32,
        node: NodeId,
        beyond: bool,
    ) {
        if kind == Kind::Next {
            self.need_operand(goal, operand, frame, node);
        } else {
            let place = self.within.terrain().machine.node_place(node);
            self.follow(Goal { frame, place, beyond, ..goal });
        }
    }

    fn follow(&mut self, goal: Goal) {
        let position = self.within.terrain().machine.place_position(goal.place);
        let seen = &self.seen[goal.operator][goal.frame as usize][usize::from(goal.beyond)];
        // Inside a callee a value may be known under its context and the way there still matter not:
        // only unknown values are reasons.
        if self.within.value(goal.operator, goal.frame, position) == Tri::Unknown
            && (seen.is_empty() || !bits::get(seen, position))
        {
            self.todo.push(goal);
        }
    }

    /// The value of an operand of a goal's operator is needed at a node; most often it is known.
    fn need_operand(&mut self, goal: Goal, operand: TermId, frame: u32, node: NodeId) {
        let (_, pass, _) = self.within.plan().operator(goal.operator);
        let (passes, reaches) = self.within.operand_values(goal.operator, frame, node);
        if (if operand == pass { passes } else { reaches }) == Tri::Unknown {
            self.need(operand, At::Operand(goal.operator, frame), node);
        }
    }

    /// The value of a term, temporal or not, is needed at a node: notes the operators it is due to.
    fn need(&mut self, term: TermId, at: At, node: NodeId) {
        let within = self.within;
        let (plan, machine) = (within.plan(), within.terrain().machine);
        let place = machine.node_place(node);
        let position = machine.place_position(place);
        let frame_of = |operator: TermId| match at {
            At::Root(root) => within.frames(operator).roots[root],
            At::Operand(parent, frame) => within.operand_frame(parent, frame, operator),
        };
        let goal = |operator| Goal { operator, frame: frame_of(operator), place, beyond: true };
        if plan.program.terms[term].is_temporal() {
            return self.follow(goal(term));
        }
        let steps = self.steps.entry(term).or_insert_with(|| plan.steps(term).into());
        let truth = |id: TermId, lane: usize| {
            let value = within.value(id, frame_of(id), position);
            if lane == 0 { value == Tri::True } else { value != Tri::False }
        };
        let values = plan.values_at_node(steps, node, truth);
        let unknown = |id: &TermId| crate::ground::lanes::tri(values[id]) == Tri::Unknown;
        let mut seen = FixedBitSet::with_capacity(term.index() + 1);
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            if !unknown(&id) || seen.put(id.index()) {
                continue;
            }
            match plan.program.terms[id] {
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => self.follow(goal(id)),
                other => stack.extend(other.operands().rev()),
            }
        }
    }

    /// The bit of an exit is unknown: notes it, and goes on with the callers.
    fn ask_callers(&mut self, goal: Goal, exit: usize) {
        let within = self.within;
        let machine = within.terrain().machine;
        let family = within.family(goal.operator);
        let callers = self.callers[family].get_or_insert_with(|| callers(within, goal.operator))
            [goal.frame as usize]
            .clone();
        let component = within.frames(goal.operator).component[goal.frame as usize];
        let exit_id = machine.exits_of(component)[exit];
        let bit = within.bit(goal.operator, goal.frame, exit);
        if !within.is_wanted(&bit) {
            let new = self.noted.insert(bit);
            let knows = |&(frame, call): &(u32, BoxId)| {
                machine.site(call, exit_id).is_none_or(|site| {
                    let position = machine.place_position(site);
                    within.value(goal.operator, frame, position).is_known()
                })
            };
            if self.most < usize::MAX && callers.iter().any(knows) {
                self.to_be_had += usize::from(new);
                return;
            }
        }
        for (frame, call) in callers {
            if let Some(place) = machine.site(call, exit_id) {
                self.follow(Goal { frame, place, ..goal });
            }
        }
    }
}

/// For each frame that an operator is labelled on, the frames and boxes that lead to it.
fn callers(within: &Within<'_>, operator: TermId) -> Callers {
    let (frames, machine) = (within.frames(operator), within.terrain().machine);
    let mut callers = vec![Vec::new(); frames.len()];
    for frame in 0..frames.len() as u32 {
        let boxes = machine.boxes_of(frames.component[frame as usize]);
        for (&callee, &call) in frames.links_of(frame).iter().zip(boxes) {
            if callee != NONE {
                callers[callee as usize].push((frame, call));
            }
        }
    }
    callers
}
