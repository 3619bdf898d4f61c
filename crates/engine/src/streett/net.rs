//! The search for a part of a product that can be gone round for ever in a fair way: see the header
//! of the [module](super).

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::scc::{self, SccId};
use tern_model::{Id, Limit, indices};

/// What runs along an edge, or along some edges, carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// The marks of the automaton, those of pairs last.
    pub(crate) marks: Marks,
    /// The pairs whose premise is there; bit `i` is pair `i`.
    pub(crate) premises: Marks,
}

impl Carried {
    fn and(self, other: Carried) -> Carried {
        let (marks, premises) = (self.marks | other.marks, self.premises | other.premises);
        Carried { marks, premises }
    }
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<I> {
    /// To a place of the same frame.
    Move(I),
    /// Into a callee, for ever.
    Descend(I),
    /// Through a callee: entered at a place, left by an exit, and where one goes on.
    Through(I, u32, I),
    /// Out of the frame by an exit.
    Leave(u32),
}

/// An edge, with what its own move carries: not what happens inside a callee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc<I> {
    pub(crate) kind: Kind<I>,
    pub(crate) own: Carried,
}

/// A product of a program and an automaton: its places and the edges between them.
pub(crate) struct Net<I> {
    arcs: Vec<Arc<I>>,
    /// Where the edges of each place begin, and after the last where they end.
    begin: Vec<usize>,
    mark: std::marker::PhantomData<I>,
}

impl<I: Id> Net<I> {
    pub(crate) fn new() -> Self {
        Net { arcs: Vec::new(), begin: vec![0], mark: std::marker::PhantomData }
    }

    /// Adds an edge to the next place.
    pub(crate) fn add_arc(&mut self, kind: Kind<I>, own: Carried) {
        self.arcs.push(Arc { kind, own });
    }

    /// The next place has all its edges.
    pub(crate) fn add_place(&mut self) {
        self.begin.push(self.arcs.len());
    }

    fn len(&self) -> usize {
        self.begin.len() - 1
    }

    fn range(&self, place: I) -> std::ops::Range<usize> {
        self.begin[place.index()]..self.begin[place.index() + 1]
    }

    /// The edges of a place.
    pub(crate) fn arcs(&self, place: I) -> &[Arc<I>] {
        &self.arcs[self.range(place)]
    }
}

/// What is asked of a part: all marks but those of pairs, and those of pairs whose premise it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The marks that are asked for in any case.
    pub(crate) required: Marks,
    /// The number of the mark of the first pair; those of the others follow.
    pub(crate) first: u32,
}

impl Goal {
    /// The marks that a way round must carry, which can meet what it may.
    pub(crate) fn needed(self, carried: Carried) -> Marks {
        self.required | carried.premises.checked_shl(self.first).unwrap_or(0)
    }

    /// The pairs whose premise is there, and whose mark is not.
    fn lacking(self, carried: Carried) -> Marks {
        let met = carried.marks.checked_shr(self.first).unwrap_or(0);
        carried.premises & !met
    }
}

/// A strongly connected part of a net, without some premises.
pub(crate) struct Part<I> {
    pub(crate) members: Vec<I>,
    /// What the edges inside carry; `None` if there are none.
    pub(crate) carried: Option<Carried>,
}

impl<I> Part<I> {
    /// Whether all marks are there that are asked for in any case.
    fn is_alive(&self, goal: Goal) -> Option<Carried> {
        self.carried.filter(|carried| carried.marks & goal.required == goal.required)
    }
}

/// A part that can be gone round in a fair way.
pub(crate) struct Core<I> {
    pub(crate) members: Vec<I>,
    /// The pairs whose premise was taken out of it.
    pub(crate) avoided: Marks,
    /// What can be met on the way round.
    pub(crate) carried: Carried,
}

indices! {
    /// A place among those of a part.
    Local = "l";
}

/// What becomes of a strongly connected part.
pub(crate) enum Fate {
    /// It can be gone round in a fair way.
    Fair,
    /// A mark that is asked for is missing, or it cannot be gone round at all.
    Dead,
    /// The premises of these pairs must be taken out.
    Without(Marks),
}

/// The search in a net.
pub(crate) struct Streett<'n, I> {
    net: &'n Net<I>,
    pub(crate) goal: Goal,
    /// How callees are left without some premises.
    contracts: FxHashMap<Marks, Contracts<I>>,
    /// The number of each place in the part that is looked at.
    local: Vec<Option<Local>>,
}

impl<'n, I: Id + std::hash::Hash> Streett<'n, I> {
    pub(crate) fn new(net: &'n Net<I>, goal: Goal) -> Self {
        Streett { net, goal, contracts: FxHashMap::default(), local: vec![None; net.len()] }
    }

    /// The first part found of some places that can be gone round in a fair way.
    pub(crate) fn core(
        &mut self,
        members: Vec<I>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Core<I>>, Limit> {
        let mut waiting = vec![(members, 0)];
        while let Some((members, avoided)) = waiting.pop() {
            for part in self.parts(&members, avoided, meter)? {
                match self.fate(&part) {
                    Fate::Dead => (),
                    Fate::Without(more) => waiting.push((part.members, avoided | more)),
                    Fate::Fair => {
                        let carried = part.carried.unwrap_or_default();
                        return Ok(Some(Core { members: part.members, avoided, carried }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// What becomes of a part.
    pub(crate) fn fate(&self, part: &Part<I>) -> Fate {
        match part.is_alive(self.goal).map(|carried| self.goal.lacking(carried)) {
            None => Fate::Dead,
            Some(0) => Fate::Fair,
            Some(lacking) => Fate::Without(lacking),
        }
    }

    /// How callees are left without some premises.
    pub(crate) fn contracts(&mut self, avoided: Marks) -> &mut Contracts<I> {
        self.contracts.entry(avoided).or_insert_with(|| Contracts::new(avoided))
    }

    /// The strongly connected parts of some places, without some premises. An edge between parts
    /// leads to one that comes earlier.
    pub(crate) fn parts(
        &mut self,
        members: &[I],
        avoided: Marks,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Part<I>>, Limit> {
        let Streett { net, contracts, local, .. } = self;
        let contracts = contracts.entry(avoided).or_insert_with(|| Contracts::new(avoided));
        for (number, &place) in members.iter().enumerate() {
            local[place.index()] = Some(Local::new(number));
        }
        let mut edges: Vec<(Local, Carried)> = Vec::new();
        let mut begin = vec![0];
        for &place in members {
            for arc in net.arcs(place) {
                meter.tick()?;
                let to = match arc.kind {
                    Kind::Move(to) | Kind::Descend(to) | Kind::Through(_, _, to) => to,
                    Kind::Leave(_) => continue,
                };
                if let Some(to) = local[to.index()]
                    && let Some(carried) = contracts.carried(net, arc, meter)?
                {
                    edges.push((to, carried));
                }
            }
            begin.push(edges.len());
        }
        members.iter().for_each(|place| local[place.index()] = None);
        let of = |place: Local| &edges[begin[place.index()]..begin[place.index() + 1]];
        let successors = |place: Local| of(place).iter().map(|&(to, _)| to);
        let components = scc::Components::new(members.len(), successors, meter)?;
        let mut parts = Vec::with_capacity(components.len());
        for component in components.ids() {
            parts.push(part(members, &components, component, of, meter)?);
        }
        Ok(parts)
    }
}

/// One strongly connected part.
fn part<'e, I: Id>(
    members: &[I],
    components: &scc::Components<Local>,
    component: SccId,
    edges: impl Fn(Local) -> &'e [(Local, Carried)],
    meter: &mut Meter<'_>,
) -> Result<Part<I>, Limit> {
    let mut carried: Option<Carried> = None;
    for &place in components.members(component) {
        for &(to, of_edge) in edges(place) {
            meter.tick()?;
            if components.of(to) == component {
                carried = Some(carried.unwrap_or_default().and(of_edge));
            }
        }
    }
    let place = |&local: &Local| members[local.index()];
    let members = components.members(component).iter().map(place).collect();
    Ok(Part { members, carried })
}

/// How callees can be left on ways without some premises, as far as that was asked for.
pub(crate) struct Contracts<I> {
    avoided: Marks,
    /// For each entry that was asked for, the exits, with what some way there carries.
    leaves: FxHashMap<I, Vec<(u32, Carried)>>,
    /// For each entry and place of its frame that is reached, what some way there carries.
    reached: FxHashMap<(I, I), Carried>,
    /// For each entry, the edges through it of other frames, with the entry of the frame and the
    /// place.
    callers: FxHashMap<I, Vec<(I, I, usize)>>,
    /// The edges, by entry of the frame, that are among the callers.
    waiting: FxHashSet<(I, usize)>,
    /// Entries and places to look at.
    todo: Vec<(I, I)>,
    /// The entries that were asked for, in order.
    entries: Vec<I>,
    /// What is reached, in order.
    found: Vec<(I, I)>,
}

impl<I: Id + std::hash::Hash> Contracts<I> {
    fn new(avoided: Marks) -> Self {
        Contracts {
            avoided,
            leaves: FxHashMap::default(),
            reached: FxHashMap::default(),
            callers: FxHashMap::default(),
            waiting: FxHashSet::default(),
            todo: Vec::new(),
            entries: Vec::new(),
            found: Vec::new(),
        }
    }

    /// What some run along an edge carries; `None` if no run takes it without the premises.
    pub(crate) fn carried(
        &mut self,
        net: &Net<I>,
        arc: &Arc<I>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Carried>, Limit> {
        if arc.own.premises & self.avoided != 0 {
            return Ok(None);
        }
        let Kind::Through(entry, exit, _) = arc.kind else { return Ok(Some(arc.own)) };
        self.ask(entry);
        self.run(net, meter)?;
        Ok(self.leave(entry, exit).map(|inside| arc.own.and(inside)))
    }

    /// The entries that were asked for.
    pub(crate) fn entries(&self) -> &[I] {
        &self.entries
    }

    /// The exits that an entry can be left by, with what some way there carries.
    pub(crate) fn leaves(&self, entry: I) -> &[(u32, Carried)] {
        self.leaves.get(&entry).map_or(&[], Vec::as_slice)
    }

    /// What is reached from entries in their frames, with what some way there carries.
    pub(crate) fn reached(&self) -> impl Iterator<Item = (I, I, Carried)> {
        self.found.iter().map(|&(entry, place)| (entry, place, self.reached[&(entry, place)]))
    }

    fn leave(&self, entry: I, exit: u32) -> Option<Carried> {
        self.leaves(entry).iter().find(|&&(it, _)| it == exit).map(|&(_, carried)| carried)
    }

    /// Asks how an entry can be left.
    fn ask(&mut self, entry: I) {
        if let Entry::Vacant(new) = self.leaves.entry(entry) {
            new.insert(Vec::new());
            self.entries.push(entry);
            self.reach(entry, entry, Carried::default());
        }
    }

    /// Finds the answers to all that was asked.
    fn run(&mut self, net: &Net<I>, meter: &mut Meter<'_>) -> Result<(), Limit> {
        while let Some((entry, place)) = self.todo.pop() {
            let so_far = self.reached[&(entry, place)];
            for number in net.range(place) {
                meter.tick()?;
                let arc = net.arcs[number];
                if arc.own.premises & self.avoided != 0 {
                    continue;
                }
                let carried = so_far.and(arc.own);
                match arc.kind {
                    Kind::Move(to) => self.reach(entry, to, carried),
                    Kind::Descend(_) => (),
                    Kind::Through(callee, exit, to) => {
                        self.ask(callee);
                        if self.waiting.insert((entry, number)) {
                            self.callers.entry(callee).or_default().push((entry, place, number));
                        }
                        if let Some(inside) = self.leave(callee, exit) {
                            self.reach(entry, to, carried.and(inside));
                        }
                    }
                    Kind::Leave(exit) => self.add_leave(net, entry, exit, carried, meter)?,
                }
            }
        }
        Ok(())
    }

    /// Notes that a place is reached from an entry, with at least this on the way.
    fn reach(&mut self, entry: I, place: I, carried: Carried) {
        let known = self.reached.get(&(entry, place)).copied();
        let all = known.unwrap_or_default().and(carried);
        if known != Some(all) {
            self.reached.insert((entry, place), all);
            self.todo.push((entry, place));
        }
        if known.is_none() {
            self.found.push((entry, place));
        }
    }

    /// Notes that an entry is left by an exit, with at least this on the way, and tells its
    /// callers.
    fn add_leave(
        &mut self,
        net: &Net<I>,
        entry: I,
        exit: u32,
        carried: Carried,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Some(leaves) = self.leaves.get_mut(&entry) else { return Ok(()) };
        let all = match leaves.iter_mut().find(|(it, _)| *it == exit) {
            Some((_, known)) => {
                let all = known.and(carried);
                if std::mem::replace(known, all) == all {
                    return Ok(());
                }
                all
            }
            None => {
                leaves.push((exit, carried));
                carried
            }
        };
        let callers = self.callers.get(&entry).map_or(0, Vec::len);
        for position in 0..callers {
            meter.tick()?;
            let (frame, place, number) = self.callers[&entry][position];
            let Arc { kind: Kind::Through(_, by, to), own } = net.arcs[number] else { continue };
            if by == exit {
                let before = self.reached[&(frame, place)];
                self.reach(frame, to, before.and(own).and(all));
            }
        }
        Ok(())
    }
}
