//! Why is the claim unknown? A search from an initial node to boxes whose refinement would help
//! ([`find`]), or for all context bits that the claim may depend on ([`needs`]).
//!
//! The search follows what the unknown value depends on: from a boolean term to its unknown operands,
//! the left-most first; from an operator to unknown operands at the same node, and to the successors
//! where the operator itself is unknown. Into a callee it goes only for reasons *inside* it, since the
//! caller steps over the call and knows its own return sites. Where the value of an operator is needed
//! *in* a copy, though, and hangs on an exit of unknown bit, the reason lies with the callers: if a
//! return site of one of them knows the value, that caller's box is what was looked for; otherwise the
//! search goes on at *all* possible return sites. When all needs are asked for, the bit of the exit is
//! noted, and the search goes on at the return sites whose value is unknown.
//!
//! # Invariants
//! * Every goal on the list has an unknown value, or leads to places that may have.
//! * A goal is looked at once in each of the two moods, so the search ends.
//!
//! # Why it finds a box
//! Take all goals that it would visit if it found none. Of the operators among them, take one whose
//! operands are not among them anywhere. Where its value is unknown in a goal, that is due to the
//! goal's copy having an open bit that all callers leave open too; but along any stack from the root,
//! where no bits are open, there is a first caller that knows.

use crate::copies::{Copies, Site};
use crate::operator::Kind;
use crate::summary::NONE;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Edge, Id, Limit, NodeId, Place, PlaceId, TermId, Tri};

/// A value that is needed: an operator at a place of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Goal {
    operator: TermId,
    copy: u32,
    place: PlaceId,
    /// Whether what happens after the exits of the copy is of interest, or only what is inside.
    beyond: bool,
}

struct Search<'c, 'a> {
    copies: &'c Copies<'a>,
    rng: &'c mut Option<fastrand::Rng>,
    /// If all needs are asked for: those found so far.
    needs: Option<Needs>,
    /// If boxes are asked for: those found so far, and how many are enough.
    found: Vec<Site>,
    most: usize,
    seen: FxHashSet<Goal>,
    /// The calls that were looked at: for an operator, in a copy, through a box, at an entry, and
    /// whether what is beyond the copy is of interest.
    calls: FxHashSet<(TermId, u32, BoxId, NodeId, bool)>,
    todo: Vec<Goal>,
    callers: Option<Vec<Vec<Site>>>,
    /// What has to be computed for a term, for the terms asked for so far.
    steps: FxHashMap<TermId, Rc<[TermId]>>,
}

/// Context bits that a claim may depend on: an operator, a frame, and an exit by position.
pub(crate) type Needs = FxHashSet<(TermId, u32, usize)>;

/// Boxes whose refinement tells their callees something that the unknown claim depends on: the first
/// that the search comes to, at most `most`.
pub(crate) fn find(
    copies: &Copies<'_>,
    rng: &mut Option<fastrand::Rng>,
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Vec<Site>, Limit> {
    let mut search = Search::new(copies, rng, None);
    search.most = most;
    search.search_from_initial(meter)?;
    Ok(search.found)
}

/// All context bits that the unknown claim may depend on. With these, its value is known; what other
/// bits are makes no difference to it.
pub(crate) fn needs(copies: &Copies<'_>, meter: &mut Meter<'_>) -> Result<Needs, Limit> {
    let mut rng = None;
    let mut search = Search::new(copies, &mut rng, Some(Needs::default()));
    search.search_from_initial(meter)?;
    Ok(search.needs.unwrap_or_default())
}

impl<'c, 'a> Search<'c, 'a> {
    fn new(
        copies: &'c Copies<'a>,
        rng: &'c mut Option<fastrand::Rng>,
        needs: Option<Needs>,
    ) -> Self {
        let (seen, calls) = (FxHashSet::default(), FxHashSet::default());
        let (todo, callers) = (Vec::new(), None);
        let steps = FxHashMap::default();
        Search {
            copies,
            rng,
            needs,
            found: Vec::new(),
            most: usize::MAX,
            seen,
            calls,
            todo,
            callers,
            steps,
        }
    }

    /// Searches from all initial nodes at which the claim is unknown.
    fn search_from_initial(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let copies = self.copies;
        for (&node, value) in copies.terrain.machine.initial().iter().zip(copies.at_initial()) {
            if value == Tri::Unknown {
                let root = copies.frames.roots[copies.terrain.root_of(node)];
                self.need(copies.plan.program.root, root, node);
                self.run(meter)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        while self.found.len() < self.most
            && let Some(goal) = self.todo.pop()
        {
            meter.tick()?;
            if !self.seen.insert(goal) {
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

    /// Notes what a goal depends on, and finds boxes.
    fn look(&mut self, goal: Goal) {
        let copies = self.copies;
        let machine = copies.terrain.machine;
        let (kind, pass, reach) = copies.plan.operator(goal.operator);
        if let (Place::Node(node), true) = (machine.place(goal.place), kind != Kind::Next) {
            for operand in reach.into_iter().chain([pass]) {
                self.need_operand(operand, goal.copy, node);
            }
        }
        for &edge in machine.edges_at(goal.place) {
            match edge {
                Edge::Step(to) => self.successor(goal, kind, pass, goal.copy, to, goal.beyond),
                Edge::Call(call, entry) => {
                    let position = copies.terrain.box_position(call);
                    let callee = copies.frames.link(goal.copy, position);
                    // Many places may make the same call; what it depends on is the same for all.
                    let key = (goal.operator, goal.copy, call, entry, goal.beyond);
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
                    if copies.is_open(goal.operator, goal.copy, exit) {
                        self.ask_callers(goal, exit);
                    }
                }
                Edge::Return(_) => (),
            }
        }
        if let (Place::Node(node), Kind::Next) = (machine.place(goal.place), kind) {
            // A node that stays where it is is its own successor; if it does not, this asks in vain.
            self.need_operand(pass, goal.copy, node);
        }
    }

    /// A node after the place of a goal: for `EX` its operand is needed there, else the operator.
    fn successor(
        &mut self,
        goal: Goal,
        kind: Kind,
        operand: TermId,
        copy: u32,
        node: NodeId,
        beyond: bool,
    ) {
        if kind == Kind::Next {
            self.need_operand(operand, copy, node);
        } else {
            let place = self.copies.terrain.machine.node_place(node);
            self.follow(Goal { copy, place, beyond, ..goal });
        }
    }

    fn follow(&mut self, goal: Goal) {
        let position = self.copies.terrain.machine.place_position(goal.place);
        // Inside a callee a value may be known under its context and the way there still matter not:
        // only unknown values are reasons.
        if self.copies.value(goal.operator, goal.copy, position) == Tri::Unknown
            && !self.seen.contains(&goal)
        {
            self.todo.push(goal);
        }
    }

    /// The value of an operand is needed at a node; most often it is known.
    fn need_operand(&mut self, operand: TermId, copy: u32, node: NodeId) {
        if self.copies.operand_value(operand, copy, node) == Tri::Unknown {
            self.need(operand, copy, node);
        }
    }

    /// The value of a term, temporal or not, is needed at a node: notes the operators it is due to.
    fn need(&mut self, term: TermId, copy: u32, node: NodeId) {
        let plan = &self.copies.plan;
        if plan.program.terms[term].is_temporal() {
            let place = self.copies.terrain.machine.node_place(node);
            return self.follow(Goal { operator: term, copy, place, beyond: true });
        }
        let steps = self.steps.entry(term).or_insert_with(|| plan.steps(term).into());
        let steps = Rc::clone(steps);
        let values = self.copies.values_at(&steps, copy, node);
        let unknown = |id: &TermId| crate::copies::tri(values[id]) == Tri::Unknown;
        if !unknown(&term) {
            return;
        }
        let mut seen = FixedBitSet::with_capacity(term.index() + 1);
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            if !unknown(&id) || seen.put(id.index()) {
                continue;
            }
            match plan.program.terms[id] {
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let place = self.copies.terrain.machine.node_place(node);
                    self.follow(Goal { operator: id, copy, place, beyond: true });
                }
                other => stack.extend(other.operands().rev()),
            }
        }
    }

    /// An exit is open: a caller that knows the value after it is what was looked for; of the others
    /// their return sites are next.
    fn ask_callers(&mut self, goal: Goal, exit: usize) {
        let copies = self.copies;
        let callers = self.callers.get_or_insert_with(|| callers(copies));
        let sites = &callers[goal.copy as usize];
        let knows = |site: &&Site| copies.value_after(goal.operator, **site, exit).is_known();
        match &mut self.needs {
            Some(needs) => {
                needs.insert((goal.operator, goal.copy, exit));
            }
            None => {
                if let Some(&site) = sites.iter().find(knows) {
                    if !self.found.contains(&site) {
                        self.found.push(site);
                    }
                    return;
                }
            }
        }
        let machine = copies.terrain.machine;
        let exit = machine.exits_of(copies.frames.component[goal.copy as usize])[exit];
        let places: Vec<(u32, PlaceId)> = sites
            .iter()
            .filter_map(|&site| Some((site.copy, machine.site(copies.box_of(site), exit)?)))
            .collect();
        for (copy, place) in places {
            self.follow(Goal { copy, place, ..goal });
        }
    }
}

/// For each copy, the boxes that lead to it.
fn callers(copies: &Copies<'_>) -> Vec<Vec<Site>> {
    let mut callers = vec![Vec::new(); copies.frames.len()];
    for copy in 0..copies.frames.len() as u32 {
        for (box_position, &callee) in copies.frames.links_of(copy).iter().enumerate() {
            if callee != NONE {
                callers[callee as usize].push(Site { copy, box_position });
            }
        }
    }
    callers
}
