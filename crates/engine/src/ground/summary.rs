//! Summaries: from which entry of a component can one get to which exits, on a path that stays
//! within given nodes?
//!
//! A *start* is a node of a frame from which runs are followed: an entry at which the component is
//! called, or an initial node. For each start the search visits the places of its own frame; a call
//! is not followed but *stepped over*: the search asks for the start of the callee, goes on at the
//! return site of each exit that start is known to reach, and is woken when more become known.
//! Work is therefore proportional to starts times edges, whatever the depth of the recursion.
//!
//! The same search serves three purposes: with all nodes allowed it says what can be reached at all
//! ([`crate::ground::survey`](mod@crate::ground::survey)); within p-nodes it gives the summaries for `EG p`; and within the nodes of
//! p without q, with the q-nodes as goals, those for `E [p U q]`. A start that reaches a goal needs
//! no summary, because the operator is true there whatever happens after the exits: its search ends.
//!
//! # Invariants
//! * `exits[start]` holds x only if a path through allowed nodes leads from the start to a node of
//!   the same frame that returns by x, where calls on the way return.
//! * When the worklists are empty, the converse holds for all starts that do not reach a goal.
//!
//! # Why it ends
//! Each place of each start is visited once; each (start, exit) and each (start, call) wakes its
//! dependents once.

use crate::ground::bits;
use rustc_hash::FxHashSet;
use tern_model::budget::Meter;
use tern_model::{BoxId, Edge, Event, ExitId, Id, Limit, Machine, NodeId, Place, PlaceId};

/// No such start, frame or position.
pub(crate) const NONE: u32 = u32::MAX;

/// What a search walks over: frames that are linked by calls.
pub(crate) trait Ground {
    /// The machine.
    fn machine(&self) -> &Machine;
    /// The start of calling `entry` through `call` in the frame of `start`; [`NONE`] if that frame
    /// cannot make this call.
    fn called(&self, start: u32, call: BoxId, entry: NodeId) -> u32;
    /// The node at which a start begins.
    fn node(&self, start: u32) -> NodeId;
    /// How many starts there are.
    fn start_count(&self) -> usize;
    /// What to do at a node in the frame of a start.
    fn visit(&self, start: u32, node: NodeId) -> Visit;
}

/// What to do at a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Go on with the edges.
    Pass,
    /// Go no further.
    Block,
    /// This is what was looked for.
    Goal,
}

/// The result of a search, and its state on the way.
pub(crate) struct Summaries {
    /// Whether a start has been asked for.
    active: Vec<bool>,
    /// Whether a start reaches a goal, in its frame or in what it calls.
    goal: Vec<bool>,
    /// For each active start: the visited places of its component, by position.
    visited: Vec<Box<[u64]>>,
    /// For each active start: the exits reached, by position. Empty while there are none.
    exits: Vec<Box<[u64]>>,
    /// Who is to be woken, as linked lists: the last one, and for each the one before.
    dependents: Vec<u32>,
    dependent_pool: Vec<Dependent>,
    /// The calls that starts are waiting for already, of boxes that are called from several places.
    waiting: FxHashSet<(u32, u32, BoxId)>,
    places: Vec<(u32, PlaceId)>,
    pub(crate) edges_seen: u64,
    /// What was derived, in order, if that is to be kept.
    pub(crate) log: Option<Vec<Event>>,
}

#[derive(Clone, Copy)]
struct Dependent {
    start: u32,
    call: BoxId,
    /// The place that calls.
    from: PlaceId,
    before: u32,
}

impl Summaries {
    pub(crate) fn new(ground: &impl Ground, log: bool) -> Self {
        let count = ground.start_count();
        Summaries {
            active: vec![false; count],
            goal: vec![false; count],
            visited: vec![Box::default(); count],
            exits: vec![Box::default(); count],
            dependents: vec![NONE; count],
            dependent_pool: Vec::new(),
            waiting: FxHashSet::default(),
            places: Vec::new(),
            edges_seen: 0,
            log: log.then(Vec::new),
        }
    }

    fn note(&mut self, event: Event) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }

    /// Whether a start reaches a goal without leaving its frame.
    #[inline]
    pub(crate) fn reaches_goal(&self, start: u32) -> bool {
        self.goal[start as usize]
    }

    /// Whether a start reaches an exit, given by position.
    #[inline]
    pub(crate) fn reaches_exit(&self, start: u32, exit: usize) -> bool {
        let row = &self.exits[start as usize];
        !row.is_empty() && bits::get(row, exit)
    }

    /// The exits that a start reaches, by position.
    pub(crate) fn exits(&self, start: u32) -> impl Iterator<Item = usize> + '_ {
        bits::ones(&self.exits[start as usize])
    }

    /// The places of its own frame that a start visits, by position.
    pub(crate) fn visited(&self, start: u32) -> &[u64] {
        &self.visited[start as usize]
    }

    /// Asks for a start.
    pub(crate) fn activate(&mut self, ground: &impl Ground, start: u32) {
        let row = start as usize;
        if !self.active[row] {
            self.active[row] = true;
            let (machine, node) = (ground.machine(), ground.node(start));
            let places = machine.places_of(machine.component_of(node)).len();
            self.visited[row] = vec![0; bits::words_for(places)].into();
            let place = machine.node_place(node);
            bits::insert(&mut self.visited[row], machine.place_position(place));
            self.places.push((start, place));
        }
    }

    /// Follows everything that was asked for to its end.
    pub(crate) fn run(&mut self, ground: &impl Ground, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = ground.machine();
        while let Some((start, place)) = self.places.pop() {
            meter.tick()?;
            if self.goal[start as usize] {
                continue;
            }
            if let Place::Node(node) = machine.place(place) {
                match ground.visit(start, node) {
                    Visit::Pass => (),
                    Visit::Block => continue,
                    Visit::Goal => {
                        self.reach_goal(start, place);
                        continue;
                    }
                }
            }
            for &edge in machine.edges_at(place) {
                self.edges_seen += 1;
                match edge {
                    Edge::Step(to) => self.reach(machine, start, machine.node_place(to), place),
                    Edge::Call(call, entry) => self.step_over(ground, start, place, call, entry),
                    Edge::Return(exit) => self.leave(machine, start, place, exit),
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, machine: &Machine, start: u32, place: PlaceId, from: PlaceId) {
        if bits::insert(&mut self.visited[start as usize], machine.place_position(place)) {
            self.note(Event::Reach { start, place, from });
            self.places.push((start, place));
        }
    }

    fn step_over(
        &mut self,
        ground: &impl Ground,
        start: u32,
        from: PlaceId,
        call: BoxId,
        entry: NodeId,
    ) {
        let callee = ground.called(start, call, entry);
        if callee == NONE {
            return;
        }
        self.activate(ground, callee);
        if self.goal[callee as usize] {
            return self.reach_goal(start, from);
        }
        let machine = ground.machine();
        if machine.calls_of(call).len() > 1 && !self.waiting.insert((start, callee, call)) {
            return;
        }
        let before = self.dependents[callee as usize];
        self.dependents[callee as usize] =
            u32::try_from(self.dependent_pool.len()).expect("fewer than 2^32 calls");
        self.dependent_pool.push(Dependent { start, call, from, before });
        let exits = machine.exits_of(machine.callee(call));
        // The row cannot be borrowed over `reach`, though that never touches it.
        let row = std::mem::take(&mut self.exits[callee as usize]);
        for exit in bits::ones(&row) {
            if let Some(site) = machine.site(call, exits[exit]) {
                self.reach(machine, start, site, from);
            }
        }
        self.exits[callee as usize] = row;
    }

    fn leave(&mut self, machine: &Machine, start: u32, from: PlaceId, exit: ExitId) {
        let row = &mut self.exits[start as usize];
        if row.is_empty() {
            let count = machine.exits_of(machine.component_of_exit(exit)).len();
            *row = vec![0; bits::words_for(count)].into();
        }
        if bits::insert(row, machine.exit_position(exit)) {
            self.note(Event::Leave { start, node: NodeId::new(from.index()), exit });
            let mut next = self.dependents[start as usize];
            while next != NONE {
                let dependent = self.dependent_pool[next as usize];
                if let Some(site) = machine.site(dependent.call, exit) {
                    self.reach(machine, dependent.start, site, dependent.from);
                }
                next = dependent.before;
            }
        }
    }

    /// Marks a start and all that depend on it, directly or not.
    fn reach_goal(&mut self, start: u32, place: PlaceId) {
        let mut reached = vec![(start, place)];
        while let Some((start, place)) = reached.pop() {
            if std::mem::replace(&mut self.goal[start as usize], true) {
                continue;
            }
            self.note(Event::Goal { start, place });
            let mut next = std::mem::replace(&mut self.dependents[start as usize], NONE);
            while next != NONE {
                let dependent = self.dependent_pool[next as usize];
                reached.push((dependent.start, dependent.from));
                next = dependent.before;
            }
        }
    }
}
