//! Summaries: from which entry of a component can one get to which exits, on a path that stays
//! within given nodes?
//!
//! A *start* is a node of a frame from which runs are followed: an entry at which the component is
//! called, or an initial node. For each start the search visits the places of its own frame; a call
//! is not followed but *stepped over*: the search asks for the start of the callee, goes on at the
//! return site of each exit that start is known to reach, and is woken when more become known.
//! Work is therefore proportional to starts times edges, whatever the depth of the recursion. Where
//! there are fewer exits than starts, it is less to search backwards from them ([`backward`]).
//!
//! The same search serves three purposes: with all nodes allowed it says what can be reached at all
//! ([`crate::ground::survey`](mod@crate::ground::survey)); within p-nodes it gives the summaries
//! for `EG p`; and within the nodes of p without q, with the q-nodes as goals, those for
//! `E [p U q]`. A start that reaches a goal needs no summary, because the operator is true there
//! whatever happens after the exits: its search ends.
//!
//! # Invariants
//! * `exits[start]` holds x only if a path through allowed nodes leads from the start to a node of
//!   the same frame that returns by x, where calls on the way return.
//! * When the worklists are empty, the converse holds for all starts that do not reach a goal.
//!
//! # Why it ends
//! Each place of each start is visited once; each (start, exit) and each (start, call) wakes its
//! dependents once.

use crate::ground::ids::{ExitPos, FrameId, Positions, StartId, raw};
use crate::ground::{backward, bits};
use rustc_hash::FxHashSet;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    BoxId, CompId, Edge, Event, ExitId, Id, Limit, Machine, NodeId, Place, PlaceId, indices,
};

/// What a search walks over: frames that are linked by calls.
pub(crate) trait Ground {
    /// The machine.
    fn machine(&self) -> &Machine;
    /// How many frames there are.
    fn frame_count(&self) -> usize;
    /// The component of a frame.
    fn component(&self, frame: FrameId) -> CompId;
    /// The start of calling `entry` through `call` in a frame; `None` if that frame cannot make
    /// this call.
    fn called(&self, frame: FrameId, call: BoxId, entry: NodeId) -> Option<StartId>;
    /// How many starts there are.
    fn start_count(&self) -> usize;
    /// The start at a node of a frame, if there is one.
    fn start_at(&self, frame: FrameId, node: NodeId) -> Option<StartId>;
    /// The frame of a start.
    fn frame_of(&self, start: StartId) -> FrameId;
    /// The node at which a start begins.
    fn node(&self, start: StartId) -> NodeId;
    /// What to do at a node of a frame.
    fn visit(&self, frame: FrameId, node: NodeId) -> Visit;
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

/// A row of bits for each start.
pub(crate) type Rows = Table<StartId, Box<[u64]>>;

/// The result of a search, and its state on the way.
pub(crate) struct Summaries {
    /// Whether a start has been asked for.
    active: Table<StartId, bool>,
    /// Whether a start reaches a goal, in its frame or in what it calls.
    goal: Table<StartId, bool>,
    /// For each active start: the visited places of its component, by position.
    visited: Rows,
    /// For each active start: the exits reached, by position. Empty while there are none.
    exits: Rows,
    /// Who is to be woken, as linked lists: the last one, and for each the one before.
    dependents: Table<StartId, Option<DependentId>>,
    dependent_pool: Table<DependentId, Dependent>,
    /// The calls that starts are waiting for already, of boxes that are called from several places.
    waiting: FxHashSet<(StartId, StartId, BoxId)>,
    places: Vec<(StartId, PlaceId)>,
    pub(crate) edges_seen: u64,
    /// What was derived, in order, if that is to be kept.
    pub(crate) log: Option<Vec<Event>>,
}

indices! {
    /// A call that waits for what its callee reaches.
    DependentId = "d";
}

#[derive(Clone, Copy)]
struct Dependent {
    start: StartId,
    call: BoxId,
    /// The place that calls.
    from: PlaceId,
    before: Option<DependentId>,
}

impl Summaries {
    /// Follows all starts to their end, in the direction that takes less. What is derived on the
    /// way can be kept (`log`) if it is forward.
    pub(crate) fn of_all(
        ground: &impl Ground,
        log: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        if !log && backward::is_less(ground) {
            return backward::summaries(ground, meter);
        }
        let mut summaries = Summaries::new(ground, log);
        for start in summaries.active.ids() {
            summaries.activate(ground, start);
            summaries.run(ground, meter)?;
        }
        Ok(summaries)
    }

    /// Of starts that are all known: which of them reach a goal, and by which exits each is left.
    pub(crate) fn known(goal: Table<StartId, bool>, exits: Rows, edges_seen: u64) -> Self {
        Summaries {
            active: Table::filled(true, goal.len()),
            goal,
            visited: Table::new(),
            exits,
            dependents: Table::new(),
            dependent_pool: Table::new(),
            waiting: FxHashSet::default(),
            places: Vec::new(),
            edges_seen,
            log: None,
        }
    }

    pub(crate) fn new(ground: &impl Ground, log: bool) -> Self {
        let count = ground.start_count();
        Summaries {
            active: Table::filled(false, count),
            goal: Table::filled(false, count),
            visited: Table::filled(Box::default(), count),
            exits: Table::filled(Box::default(), count),
            dependents: Table::filled(None, count),
            dependent_pool: Table::new(),
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
    pub(crate) fn reaches_goal(&self, start: StartId) -> bool {
        self.goal[start]
    }

    /// Whether a start reaches an exit, given by position.
    #[inline]
    pub(crate) fn reaches_exit(&self, start: StartId, exit: ExitPos) -> bool {
        let row = &self.exits[start];
        !row.is_empty() && bits::get(row, exit)
    }

    /// The exits that a start reaches, by position.
    pub(crate) fn exits(&self, start: StartId) -> impl Iterator<Item = ExitPos> + '_ {
        bits::ones(&self.exits[start])
    }

    /// The places of its own frame that a start visits, by position; for searches forward.
    pub(crate) fn visited(&self, start: StartId) -> &[u64] {
        &self.visited[start]
    }

    /// The places of its own frame that each start visits, and the exits that it reaches, by
    /// position; empty if there are none. For searches forward.
    pub(crate) fn into_rows(self) -> (Rows, Rows) {
        (self.visited, self.exits)
    }

    /// Asks for a start.
    pub(crate) fn activate(&mut self, ground: &impl Ground, start: StartId) {
        if !std::mem::replace(&mut self.active[start], true) {
            let (machine, node) = (ground.machine(), ground.node(start));
            let places = machine.places_of(machine.component_of(node)).len();
            self.visited[start] = vec![0; bits::words_for(places)].into();
            let place = machine.node_place(node);
            bits::insert(&mut self.visited[start], machine.place_pos(place));
            self.places.push((start, place));
        }
    }

    /// Follows everything that was asked for to its end.
    pub(crate) fn run(&mut self, ground: &impl Ground, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = ground.machine();
        while let Some((start, place)) = self.places.pop() {
            meter.tick()?;
            if self.goal[start] {
                continue;
            }
            if let Place::Node(node) = machine.place(place) {
                match ground.visit(ground.frame_of(start), node) {
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

    fn reach(&mut self, machine: &Machine, start: StartId, place: PlaceId, from: PlaceId) {
        if bits::insert(&mut self.visited[start], machine.place_pos(place)) {
            self.note(Event::Reach { start: raw(start), place, from });
            self.places.push((start, place));
        }
    }

    fn step_over(
        &mut self,
        ground: &impl Ground,
        start: StartId,
        from: PlaceId,
        call: BoxId,
        entry: NodeId,
    ) {
        let Some(callee) = ground.called(ground.frame_of(start), call, entry) else { return };
        self.activate(ground, callee);
        if self.goal[callee] {
            return self.reach_goal(start, from);
        }
        let machine = ground.machine();
        if machine.calls_of(call).len() > 1 && !self.waiting.insert((start, callee, call)) {
            return;
        }
        let before = self.dependents[callee];
        let dependent = self.dependent_pool.push(Dependent { start, call, from, before });
        self.dependents[callee] = Some(dependent);
        let component = machine.callee(call);
        // The row cannot be borrowed over `reach`, though that never touches it.
        let row = std::mem::take(&mut self.exits[callee]);
        for exit in bits::ones(&row) {
            if let Some(site) = machine.site(call, machine.exit_at(component, exit)) {
                self.reach(machine, start, site, from);
            }
        }
        self.exits[callee] = row;
    }

    fn leave(&mut self, machine: &Machine, start: StartId, from: PlaceId, exit: ExitId) {
        let row = &mut self.exits[start];
        if row.is_empty() {
            let count = machine.exits_of(machine.component_of_exit(exit)).len();
            *row = vec![0; bits::words_for(count)].into();
        }
        if bits::insert(row, machine.exit_pos(exit)) {
            self.note(Event::Leave { start: raw(start), node: NodeId::new(from.index()), exit });
            let mut next = self.dependents[start];
            while let Some(id) = next {
                let dependent = self.dependent_pool[id];
                if let Some(site) = machine.site(dependent.call, exit) {
                    self.reach(machine, dependent.start, site, dependent.from);
                }
                next = dependent.before;
            }
        }
    }

    /// Marks a start and all that depend on it, directly or not.
    fn reach_goal(&mut self, start: StartId, place: PlaceId) {
        let mut reached = vec![(start, place)];
        while let Some((start, place)) = reached.pop() {
            if std::mem::replace(&mut self.goal[start], true) {
                continue;
            }
            self.note(Event::Goal { start: raw(start), place });
            let mut next = self.dependents[start].take();
            while let Some(id) = next {
                let dependent = self.dependent_pool[id];
                reached.push((dependent.start, dependent.from));
                next = dependent.before;
            }
        }
    }
}
