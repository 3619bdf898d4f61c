//! Why is the claim unknown? A search from the initial nodes for context bits that it depends on.
//!
//! The search follows what the unknown value depends on: from a boolean term to its unknown
//! operands, the left-most first; from an operator to unknown operands at the same node, and to the
//! successors where the operator itself is unknown. Into a callee it goes only for reasons *inside*
//! it, since the caller steps over the call and knows its own return sites. Where the value of an
//! operator is needed *in* a frame, though, and hangs on an exit of unknown bit, the reason lies
//! with the callers: the bit is noted, unless it is wanted already, and the search goes on at the
//! return sites whose value is unknown. If only a few bits are asked for, it does not go on where a
//! caller knows the value: that is a bit *to be had*, and enough of these end the search.
//!
//! # Invariants
//! * Every goal on the list has an unknown value, or leads to places that may have.
//! * A goal is looked at once in each of the two moods, so the search ends.
//!
//! # Why it finds a bit
//! See [`crate::ctl::incremental`]: if all bits that it comes to were wanted, the claim would be
//! known.

use crate::ctl::operator::Kind;
use crate::ctl::partial::{ContextBits, PartialLabelling};
use crate::ground::bits;
use crate::ground::frames::Callers;
use crate::ground::ids::{BoxPos, ExitPos, FamilyId, FrameId, Positions};
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
    frame: FrameId,
    place: PlaceId,
    /// Whether what happens after the exits of the frame is of interest, or only what is inside.
    beyond: bool,
}

/// Where a term is needed.
#[derive(Clone, Copy)]
enum At {
    /// At the initial node of this position, with nothing below on the stack.
    Initial(usize),
    /// As an operand of an operator in one of its frames.
    Operand(TermId, FrameId),
}

struct Search<'c, 'a> {
    labelling: &'c PartialLabelling<'a>,
    rng: &'c mut Option<fastrand::Rng>,
    noted: ContextBits,
    /// How many bits that are to be had are enough, and how many there are.
    most: usize,
    to_be_had: usize,
    /// For each operator, frame and mood: the places that were looked at. Empty while there are
    /// none.
    seen: Table<TermId, Table<FrameId, [Vec<u64>; 2]>>,
    /// The calls that were looked at: for an operator, in a frame, through a box, at an entry, and
    /// whether what is beyond the frame is of interest.
    calls: FxHashSet<(TermId, FrameId, BoxId, NodeId, bool)>,
    todo: Vec<Goal>,
    /// For each family of frames, if it was asked for.
    callers: Table<FamilyId, Option<Rc<Callers>>>,
    /// What has to be computed for a term, for the terms asked for so far.
    steps: FxHashMap<TermId, Rc<[TermId]>>,
}

/// Context bits that the claim, with these values at the initial nodes, may depend on and that are
/// not wanted yet.
///
/// All of them, if `most` is the largest number: with these the claim is known, and what other bits
/// are makes no difference to it. Otherwise the first ones that the search comes to.
pub(crate) fn needs(
    labelling: &PartialLabelling<'_>,
    at_initial: &[Tri],
    most: usize,
    rng: &mut Option<fastrand::Rng>,
    meter: &mut Meter<'_>,
) -> Result<ContextBits, Limit> {
    let terms = &labelling.plan().program.terms;
    let rows = |(id, term): (TermId, &Term)| {
        let labelled = term.is_temporal() && labelling.is_labelled(id);
        let frames = if labelled { labelling.frames(id).len() } else { 0 };
        Table::filled([const { Vec::new() }; 2], frames)
    };
    let mut search = Search {
        labelling,
        rng,
        noted: ContextBits::default(),
        most,
        to_be_had: 0,
        seen: terms.iter().map(rows).collect(),
        calls: FxHashSet::default(),
        todo: Vec::new(),
        callers: Table::filled(None, labelling.family_count()),
        steps: FxHashMap::default(),
    };
    let terrain = labelling.terrain();
    for (at, (&node, &value)) in terrain.machine.initial().iter().zip(at_initial).enumerate() {
        if value == Tri::Unknown {
            search.need(labelling.plan().program.root, At::Initial(at), node);
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
        let machine = self.labelling.terrain().machine;
        let row = &mut self.seen[goal.operator][goal.frame][usize::from(goal.beyond)];
        if row.is_empty() {
            let component = self.labelling.frames(goal.operator).component[goal.frame];
            *row = vec![0; bits::words_for(machine.places_of(component).len())];
        }
        bits::insert(row, machine.place_pos(goal.place))
    }

    /// Notes what a goal depends on.
    fn look(&mut self, goal: Goal) {
        let labelling = self.labelling;
        let machine = labelling.terrain().machine;
        let (kind, pass, reach) = labelling.plan().operator(goal.operator);
        if let (Place::Node(node), true) = (machine.place(goal.place), kind != Kind::Next) {
            for operand in reach.into_iter().chain([pass]) {
                self.need_operand(goal, operand, goal.frame, node);
            }
        }
        for &edge in machine.edges_at(goal.place) {
            match edge {
                Edge::Step(to) => self.successor(goal, kind, pass, goal.frame, to, goal.beyond),
                Edge::Call(call, entry) => {
                    let position = labelling.terrain().box_pos(call);
                    let callee = labelling.frames(goal.operator).link(goal.frame, position);
                    // Many places may make the same call; what it depends on is the same for all.
                    let key = (goal.operator, goal.frame, call, entry, goal.beyond);
                    let Some(callee) = callee.filter(|_| self.calls.insert(key)) else {
                        continue;
                    };
                    self.successor(goal, kind, pass, callee, entry, false);
                    if kind != Kind::Next {
                        for (_, site) in machine.sites_of(call) {
                            self.follow(Goal { place: site, ..goal });
                        }
                    }
                }
                Edge::Return(exit) if goal.beyond => {
                    let exit = machine.exit_pos(exit);
                    if labelling.is_open(goal.operator, goal.frame, exit) {
                        self.ask_callers(goal, exit);
                    }
                }
                Edge::Return(_) => (),
            }
        }
        if let (Place::Node(node), Kind::Next) = (machine.place(goal.place), kind) {
            // A node that stays where it is is its own successor; if it does not, this asks in
            // vain.
            self.need_operand(goal, pass, goal.frame, node);
        }
    }

    /// A node after the place of a goal: for `EX` its operand is needed there, else the operator.
    fn successor(
        &mut self,
        goal: Goal,
        kind: Kind,
        operand: TermId,
        frame: FrameId,
        node: NodeId,
        beyond: bool,
    ) {
        if kind == Kind::Next {
            self.need_operand(goal, operand, frame, node);
        } else {
            let place = self.labelling.terrain().machine.node_place(node);
            self.follow(Goal { frame, place, beyond, ..goal });
        }
    }

    fn follow(&mut self, goal: Goal) {
        let position = self.labelling.terrain().machine.place_pos(goal.place);
        let seen = &self.seen[goal.operator][goal.frame][usize::from(goal.beyond)];
        // Inside a callee a value may be known under its context and the way there still matter
        // not: only unknown values are reasons.
        if self.labelling.value(goal.operator, goal.frame, position) == Tri::Unknown
            && (seen.is_empty() || !bits::get(seen, position))
        {
            self.todo.push(goal);
        }
    }

    /// The value of an operand of a goal's operator is needed at a node; most often it is known.
    fn need_operand(&mut self, goal: Goal, operand: TermId, frame: FrameId, node: NodeId) {
        let (_, pass, _) = self.labelling.plan().operator(goal.operator);
        let (passes, reaches) = self.labelling.operand_values(goal.operator, frame, node);
        if (if operand == pass { passes } else { reaches }) == Tri::Unknown {
            self.need(operand, At::Operand(goal.operator, frame), node);
        }
    }

    /// The value of a term, temporal or not, is needed at a node: notes the operators it is due to.
    fn need(&mut self, term: TermId, at: At, node: NodeId) {
        let labelling = self.labelling;
        let (plan, machine) = (labelling.plan(), labelling.terrain().machine);
        let place = machine.node_place(node);
        let position = machine.place_pos(place);
        let frame_of = |operator: TermId| match at {
            At::Initial(_) => labelling.frames(operator).roots[labelling.terrain().root_of(node)],
            At::Operand(parent, frame) => labelling.operand_frame(parent, frame, operator),
        };
        let goal = |operator| Goal { operator, frame: frame_of(operator), place, beyond: true };
        if plan.program.terms[term].is_temporal() {
            return self.follow(goal(term));
        }
        let steps = self.steps.entry(term).or_insert_with(|| plan.steps(term).into());
        let truth = |id: TermId, lane: usize| {
            let value = match at {
                At::Initial(at) => labelling.value_at_initial(id, at, node),
                At::Operand(..) => labelling.value(id, frame_of(id), position),
            };
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
    fn ask_callers(&mut self, goal: Goal, exit: ExitPos) {
        let labelling = self.labelling;
        let machine = labelling.terrain().machine;
        let family = labelling.family(goal.operator);
        let frames = labelling.frames(goal.operator);
        let callers = self.callers[family].get_or_insert_with(|| Rc::new(frames.callers()));
        let callers = Rc::clone(callers);
        let box_at = |&(frame, call): &(FrameId, BoxPos)| {
            (frame, machine.boxes_of(frames.component[frame])[call.index()])
        };
        let callers = || callers.of(goal.frame).iter().map(box_at);
        let exit_id = machine.exit_at(frames.component[goal.frame], exit);
        let bit = labelling.bit(goal.operator, goal.frame, exit);
        if !labelling.is_wanted(&bit) {
            let new = self.noted.insert(bit);
            let knows = |(frame, call): (FrameId, BoxId)| {
                machine.site(call, exit_id).is_none_or(|site| {
                    labelling.value(goal.operator, frame, machine.place_pos(site)).is_known()
                })
            };
            if self.most < usize::MAX && callers().any(knows) {
                self.to_be_had += usize::from(new);
                return;
            }
        }
        for (frame, call) in callers() {
            if let Some(place) = machine.site(call, exit_id) {
                self.follow(Goal { frame, place, ..goal });
            }
        }
    }
}
