//! The machine of a pointer program: nodes are lines with heaps.
//!
//! A component is a procedure with the heap that it is called with; its exits are the heaps with
//! which it returns. A start component calls the checked procedure and goes on to the node that is
//! `terminated`. A null dereference and its like end the run where they happen; where nothing is
//! known of what comes, there is a *hole*, at which nothing is known.
//!
//! Every run of the program from an input is a run of the machine from a start node: each line is
//! followed on a heap that stands for the real one ([`step`](mod@crate::step)), then what is not
//! read any more and what cannot be reached is dropped, and the rest is folded. If folding is
//! turned off and the input is concrete, the machine is the program on that input.
//!
//! Things are produced when they are asked for; [`HeapMachine::explore`] asks for all.

use crate::abstraction::{abstracted, collect_garbage};
use crate::atoms::Atom;
use crate::calls::{Outside, split};
use crate::canonical::Externals;
use crate::code::{Action, Code};
use crate::grammar::Grammar;
use crate::graph::{Heap, HeapId, Slot, Value, null};
use crate::identity::Joined;
use crate::step::{End, Next, step};
use crate::traced::{Trace, Traced};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tern_ir::ProcId;
use tern_model::budget::{Limit, Meter};
use tern_model::index::{Id, Numbering, Table};
use tern_model::{BoxId, CompId, Edge, ExitId, NodeId, Place, Surety};

/// How heaps are treated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Objects nearer than this to a variable keep their fields; `None` turns folding off.
    pub distance: Option<usize>,
    /// How many objects a heap may have.
    pub most_objects: usize,
    /// How many nodes there may be.
    pub most_nodes: usize,
    /// How many numbers a variable may be computed to be before any is as good as another; `None`
    /// if all are counted.
    pub most_numbers: Option<usize>,
    /// Whether callees see all of the heap, and not only what their arguments reach.
    pub whole: bool,
    /// Whether objects that are lost matter. Then no variable is dropped before its frame is.
    pub leaks: bool,
    /// Whether callees are given only what they reach by fields that they read.
    pub narrow: bool,
    /// How many objects of the heap of a callee others may know.
    pub most_cutpoints: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            distance: Some(1),
            most_objects: 60,
            most_nodes: 200_000,
            most_numbers: Some(64),
            whole: false,
            leaks: false,
            narrow: false,
            most_cutpoints: None,
        }
    }
}

/// Why there is no machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The budget ran out.
    #[error("{0}")]
    Limit(#[from] Limit),
    /// A heap has too many objects.
    #[error("a heap has more than {0} objects: the grammar does not describe it")]
    Objects(usize),
    /// There are too many nodes.
    #[error("there are more than {0} states")]
    Nodes(usize),
    /// An object of the input may be at too many places.
    #[error(
        "there are more than {0} surroundings of an object of the input: the grammar does not fold \
         them; a rule such as `N(a, n), N(n, b)` may help"
    )]
    Places(usize),
    /// Too many objects of a callee are known to others.
    #[error("more than {0} objects of the heap of a callee are known to frames that wait")]
    Cutpoints(usize),
}

/// Who runs: the start, or a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The start, before and after the checked procedure.
    Start,
    /// A procedure.
    Procedure(ProcId),
}

/// Where a node is in its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Before the checked procedure is called.
    Begin,
    /// Before a line.
    Line(u32),
    /// The checked procedure has returned.
    End,
    /// The run has ended in a line, or is not followed any further.
    Ended(End, u32),
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Its component.
    pub component: CompId,
    /// Where it is.
    pub at: At,
    /// The heap that is there.
    pub heap: HeapId,
    /// Whether the step that led here has lost objects that were not freed.
    pub lost: bool,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) node: NodeId,
    pub(crate) callee: CompId,
    outside: Outside,
    /// Where the parts of the heap of the callee come from.
    pub(crate) entry: Trace,
}

/// What kind of step an arrow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Inside a frame.
    Line,
    /// Into a callee.
    Down,
    /// A call that came back. Origins of the arrow count the parts of the heap before the call, and
    /// behind these the parts of the heap that the callee left, until [`summaries`] are known.
    ///
    /// [`summaries`]: crate::summary
    Across(BoxId, ExitId),
}

/// A step of a frame, with calls taken as one step if they come back, or a step into a callee.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// Where the parts of the heap there come from.
    pub trace: Trace,
}

/// The machine of a program, as far as it was asked for.
pub struct HeapMachine<'p> {
    /// The grammar by which heaps are folded.
    pub grammar: &'p Grammar,
    /// The program.
    pub code: &'p Code,
    checked: ProcId,
    settings: Settings,
    /// Variables that claims name, which are never dropped.
    kept: BTreeSet<(ProcId, u32)>,
    heaps: Numbering<HeapId, Heap>,
    components: Numbering<CompId, (Frame, HeapId)>,
    states: Numbering<NodeId, State>,
    exits: Numbering<ExitId, (CompId, HeapId, bool)>,
    sites: Table<BoxId, CallSite>,
    entries: BTreeSet<NodeId>,
    initial: Vec<NodeId>,
    pub(crate) arrows: Vec<Arrow>,
    /// What kind of step each arrow is.
    pub(crate) ways: Vec<Way>,
    /// Where the parts of the heaps come from with which nodes return.
    pub(crate) leaving: Vec<(NodeId, ExitId, Trace)>,
    /// Where objects come from when callers go on; kept if heaps are not folded.
    joined: Vec<(BoxId, ExitId, Joined)>,
    /// The numbers that each variable was computed to be.
    numbers: FxHashMap<(ProcId, u32), BTreeSet<i64>>,
    /// The edges of nodes and return sites, in the order in which they were found.
    edges: Vec<(Place, Edge, Surety)>,
}

impl<'p> HeapMachine<'p> {
    /// The machine of a procedure that is called with some heaps. Their slots are its parameters,
    /// and ghosts.
    pub fn new(
        (code, grammar): (&'p Code, &'p Grammar),
        checked: ProcId,
        inputs: &[Heap],
        atoms: &[Atom],
        settings: Settings,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stop> {
        let mut machine = HeapMachine {
            grammar,
            code,
            checked,
            settings,
            kept: atoms.iter().flat_map(Atom::variables).collect(),
            heaps: Numbering::default(),
            components: Numbering::default(),
            states: Numbering::default(),
            exits: Numbering::default(),
            sites: Table::new(),
            entries: BTreeSet::new(),
            initial: Vec::new(),
            arrows: Vec::new(),
            ways: Vec::new(),
            leaving: Vec::new(),
            joined: Vec::new(),
            numbers: FxHashMap::default(),
            edges: Vec::new(),
        };
        for input in inputs {
            let mut heap = Traced::new(input);
            machine.settle(&mut heap, meter)?;
            let (heap, ..) = heap.canonical(Externals::Ordered);
            let heap = machine.heaps.id(heap);
            let component = machine.components.id((Frame::Start, heap));
            let node = machine.states.id(State { component, at: At::Begin, heap, lost: false });
            if !machine.initial.contains(&node) {
                machine.initial.push(node);
            }
        }
        Ok(machine)
    }

    /// Whether fields of externals of a heap are missing, because a callee does not read them.
    pub(crate) fn is_partial(&self, heap: &Heap) -> bool {
        self.settings.narrow && !self.grammar.check_provided(heap)
    }

    /// Whether the heap at a node is all that there is.
    pub(crate) fn sees_all(&self, node: NodeId) -> bool {
        self.settings.whole || self.frame(node) == Frame::Start
    }

    /// The procedure that is checked.
    pub fn checked(&self) -> ProcId {
        self.checked
    }

    /// A node.
    pub fn state(&self, node: NodeId) -> State {
        self.states[node]
    }

    /// How many nodes there are so far.
    pub fn len(&self) -> usize {
        self.states.rows().len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A heap.
    pub fn heap(&self, heap: HeapId) -> &Heap {
        &self.heaps[heap]
    }

    /// Who runs at a node.
    pub fn frame(&self, node: NodeId) -> Frame {
        self.components[self.states[node].component].0
    }

    /// The steps of frames, for [progress](crate::progress).
    pub fn arrows(&self) -> &[Arrow] {
        &self.arrows
    }

    pub(crate) fn leaves(&self) -> &[(NodeId, ExitId, Trace)] {
        &self.leaving
    }

    pub(crate) fn joined(&self) -> &[(BoxId, ExitId, Joined)] {
        &self.joined
    }

    /// The nodes at which the program may start.
    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    pub(crate) fn edges(&self) -> &[(Place, Edge, Surety)] {
        &self.edges
    }

    pub(crate) fn components(&self) -> &Numbering<CompId, (Frame, HeapId)> {
        &self.components
    }

    pub(crate) fn exits(&self) -> &Numbering<ExitId, (CompId, HeapId, bool)> {
        &self.exits
    }

    /// The component of each box, and the component it calls.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (CompId, CompId)> {
        self.sites.as_slice().iter().map(|site| (self.states[site.node].component, site.callee))
    }

    /// The lines at which nothing is known of what comes, in the order in which they were found.
    pub fn holes(&self) -> Vec<(ProcId, u32)> {
        let mut found = Vec::new();
        for state in self.states.rows().as_slice() {
            if let (Frame::Procedure(procedure), At::Ended(End::Hole, line)) =
                (self.components[state.component].0, state.at)
                && !found.contains(&(procedure, line))
            {
                found.push((procedure, line));
            }
        }
        found
    }

    pub(crate) fn is_entry(&self, node: NodeId) -> bool {
        self.entries.contains(&node)
    }

    /// Asks for everything that can be reached.
    ///
    /// # Errors
    /// Why it cannot be said.
    pub fn explore(&mut self, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let mut next = 0;
        // For each component, the boxes that call it; exits come later, or boxes do.
        let mut callers: FxHashMap<CompId, Vec<BoxId>> = FxHashMap::default();
        let mut left: FxHashMap<CompId, Vec<ExitId>> = FxHashMap::default();
        while next < self.states.rows().len() {
            meter.tick()?;
            if self.states.rows().len() > self.settings.most_nodes {
                return Err(Stop::Nodes(self.settings.most_nodes));
            }
            let node = NodeId::new(next);
            next += 1;
            for (edge, surety) in self.follow(node, meter)? {
                self.edges.push((Place::Node(node), edge, surety));
                match edge {
                    Edge::Step(_) => {}
                    Edge::Call(call, _) => {
                        let callee = self.sites[call].callee;
                        callers.entry(callee).or_default().push(call);
                        for exit in left.get(&callee).cloned().unwrap_or_default() {
                            self.come_back(call, exit, meter)?;
                        }
                    }
                    Edge::Return(exit) => {
                        let component = self.states[node].component;
                        let known = left.entry(component).or_default();
                        if known.contains(&exit) {
                            continue;
                        }
                        known.push(exit);
                        for call in callers.get(&component).cloned().unwrap_or_default() {
                            self.come_back(call, exit, meter)?;
                        }
                    }
                }
            }
        }
        Ok(self.summarise(meter)?)
    }

    pub(crate) fn site(&self, call: BoxId) -> &CallSite {
        &self.sites[call]
    }

    fn arrow(&mut self, way: Way, arrow: Arrow) {
        self.ways.push(way);
        self.arrows.push(arrow);
    }

    fn come_back(&mut self, call: BoxId, exit: ExitId, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let node = self.back(call, exit, meter)?;
        self.edges.push((Place::Site(call, exit), Edge::Step(node), Surety::Sure));
        Ok(())
    }

    /// Removes garbage and folds. Whether objects were lost, if that matters.
    fn settle(&self, heap: &mut Traced, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        let lost = collect_garbage(self.grammar, heap) && self.settings.leaks;
        if let Some(distance) = self.settings.distance {
            abstracted(self.grammar, heap, distance, meter)?;
        }
        debug_assert!(
            self.grammar.check_partly(heap.heap(), |object| self.settings.narrow
                && heap.heap().externals().contains(&object)),
            "{heap:?}"
        );
        if heap.heap().len() > self.settings.most_objects + 1 {
            return Err(Stop::Objects(self.settings.most_objects));
        }
        Ok(lost)
    }

    /// Whether a variable is kept where it is not read any more.
    fn keeps(&self, procedure: ProcId, variable: u32) -> bool {
        self.settings.leaks || self.kept.contains(&(procedure, variable))
    }

    /// The node at a line of a procedure, with a heap from which all is dropped that is not needed.
    fn arrive(
        &mut self,
        component: CompId,
        at: At,
        (mut heap, before): (Traced, bool),
        meter: &mut Meter<'_>,
    ) -> Result<(NodeId, Trace), Stop> {
        if let (Frame::Procedure(procedure), At::Line(line)) = (self.components[component].0, at) {
            let live = &self.code.methods[procedure].lines[line as usize].live;
            heap.heap_mut().retain_slots(|slot| match slot {
                Slot::Variable(it) => live.contains(&it) || self.keeps(procedure, it),
                Slot::Ghost(_) => true,
                Slot::Return => false,
            });
        }
        let lost = self.settle(&mut heap, meter)? || before;
        let (heap, trace, _) = heap.canonical(Externals::Ordered);
        let heap = self.heaps.id(heap);
        Ok((self.states.id(State { component, at, heap, lost }), trace))
    }

    /// What follows a node.
    fn follow(&mut self, node: NodeId, meter: &mut Meter<'_>) -> Result<Vec<(Edge, Surety)>, Stop> {
        let State { component, at, heap, .. } = self.states[node];
        let mut found: Vec<(Edge, Surety)> = Vec::new();
        match (self.components[component].0, at) {
            (Frame::Start, At::Begin) => {
                let heap = Traced::new(&self.heaps[heap]);
                let method = &self.code.methods[self.checked];
                let values = (0..method.parameters).map(|it| {
                    let slot = Slot::Variable(u32::try_from(it).expect("few"));
                    heap.heap().slot(slot).expect("inputs have all parameters")
                });
                let values: Vec<Value> = values.collect();
                let mut rest = heap;
                rest.heap_mut().retain_slots(|slot| matches!(slot, Slot::Ghost(_)));
                found.push((self.call(node, self.checked, &rest, &values, meter)?, Surety::Sure));
            }
            (Frame::Procedure(procedure), At::Line(number)) => {
                let line = &self.code.methods[procedure].lines[number as usize];
                for (next, surety) in step((self.grammar, self.code), line, &self.heaps[heap]) {
                    meter.tick()?;
                    let edge = self.take(node, number, next, meter)?;
                    if !found.iter().any(|&(it, _)| it == edge) {
                        found.push((edge, surety));
                    }
                }
                if let [(_, surety)] = &mut found[..] {
                    // All cases lead there.
                    *surety = Surety::Sure;
                }
            }
            (_, At::Ended(End::Hole, _)) => found.push((Edge::Step(node), Surety::Possible)),
            _ => found.push((Edge::Step(node), Surety::Sure)),
        }
        Ok(found)
    }

    /// One of the things that come of a line.
    fn take(
        &mut self,
        node: NodeId,
        number: u32,
        next: Next,
        meter: &mut Meter<'_>,
    ) -> Result<Edge, Stop> {
        let State { component, heap, .. } = self.states[node];
        Ok(match next {
            Next::Line(to, mut after) => {
                self.forget_number(component, number, &mut after);
                let (to, trace) = self.arrive(component, At::Line(to), (*after, false), meter)?;
                self.arrow(Way::Line, Arrow { from: node, to, trace });
                Edge::Step(to)
            }
            Next::Return(mut after) => {
                let lost = self.settle(&mut after, meter)?;
                let (after, trace, _) = after.canonical(Externals::Ordered);
                let after = self.heaps.id(after);
                let exit = self.exits.id((component, after, lost));
                self.leaving.push((node, exit, trace));
                Edge::Return(exit)
            }
            Next::Call(values) => {
                let Frame::Procedure(procedure) = self.components[component].0 else {
                    unreachable!("lines are of procedures")
                };
                let line = &self.code.methods[procedure].lines[number as usize];
                let Action::Call { to, callee, .. } = line.action else {
                    unreachable!("only calls call")
                };
                let live = &self.code.methods[procedure].lines[line.next as usize].live;
                let mut rest = Traced::new(&self.heaps[heap]);
                rest.heap_mut().retain_slots(|slot| match slot {
                    Slot::Variable(it) => {
                        Some(it) != to && live.contains(&it) || self.keeps(procedure, it)
                    }
                    Slot::Ghost(_) => true,
                    Slot::Return => false,
                });
                self.call(node, callee, &rest, &values, meter)?
            }
            Next::Ends(end) => {
                let at = At::Ended(end, number);
                Edge::Step(self.states.id(State { component, at, heap, lost: false }))
            }
        })
    }

    /// A variable that was computed to be too many numbers is any from then on.
    fn forget_number(&mut self, component: CompId, line: u32, heap: &mut Traced) {
        let Frame::Procedure(procedure) = self.components[component].0 else { return };
        let Action::Compute(to, _) = self.code.methods[procedure].lines[line as usize].action
        else {
            return;
        };
        let (Some(most), Some(Value::Integer(number))) =
            (self.settings.most_numbers, heap.heap().slot(Slot::Variable(to)))
        else {
            return;
        };
        let seen = self.numbers.entry((procedure, to)).or_default();
        if seen.len() < most {
            seen.insert(number);
        } else if !seen.contains(&number) {
            heap.heap_mut().set_slot(Slot::Variable(to), Value::Any);
        }
    }

    /// Calls a procedure; the heap has only the slots that are needed afterwards.
    fn call(
        &mut self,
        node: NodeId,
        callee: ProcId,
        heap: &Traced,
        values: &[Value],
        meter: &mut Meter<'_>,
    ) -> Result<Edge, Stop> {
        let method = &self.code.methods[callee];
        let deep = self.states[node].at != At::Begin;
        let effects = (self.settings.narrow && deep).then_some(&method.effects);
        let (mut inside, mut outside, lost) =
            split(self.grammar, heap, values, self.settings.whole, effects);
        if let Some(most) = self.settings.most_cutpoints
            && inside.heap().externals().len() > most
        {
            return Err(Stop::Cutpoints(most));
        }
        let blank = if method.blank { method.locals.len() } else { method.parameters };
        for (number, local) in method.locals.iter().enumerate().skip(blank) {
            let value = match local.kind {
                Some(_) => Value::Object(null()),
                None => Value::Integer(0),
            };
            inside.heap_mut().set_slot(Slot::Variable(u32::try_from(number).expect("few")), value);
        }
        pass_ghosts(heap, &outside, &mut inside);
        let live = &method.lines[0].live;
        inside.heap_mut().retain_slots(|slot| match slot {
            Slot::Variable(it) => live.contains(&it) || self.keeps(callee, it),
            _ => true,
        });
        let lost = self.settle(&mut inside, meter)? || lost && self.settings.leaks;
        let (entry, trace, objects) = inside.canonical(Externals::Unordered);
        let order: Vec<usize> = entry
            .externals()
            .iter()
            .map(|it| {
                let old = objects[it.index()];
                inside.heap().externals().iter().position(|&it| it == old).expect("it is one")
            })
            .collect();
        outside.reorder(&order);
        let entry = self.heaps.id(entry);
        let component = self.components.id((Frame::Procedure(callee), entry));
        let entry = self.states.id(State { component, at: At::Line(0), heap: entry, lost });
        self.entries.insert(entry);
        self.arrow(Way::Down, Arrow { from: node, to: entry, trace: trace.clone() });
        let call = self.sites.push(CallSite { node, callee: component, outside, entry: trace });
        Ok(Edge::Call(call, entry))
    }

    /// Where a box goes on when its callee has returned.
    fn back(&mut self, call: BoxId, exit: ExitId, meter: &mut Meter<'_>) -> Result<NodeId, Stop> {
        let CallSite { node, outside, .. } = self.sites[call].clone();
        let State { component, at, heap, .. } = self.states[node];
        let (_, result, lost) = self.exits[exit];
        let (to, at) = match (self.components[component].0, at) {
            (Frame::Procedure(procedure), At::Line(number)) => {
                let line = &self.code.methods[procedure].lines[number as usize];
                let Action::Call { to, .. } = line.action else { unreachable!("only calls call") };
                (to.map(Slot::Variable), At::Line(line.next))
            }
            _ => (Some(Slot::Return), At::End),
        };
        let before = &self.heaps[heap];
        let parts = before.len() + before.edges().len();
        let (heap, image) = outside.joined(&self.heaps[result], to, parts);
        if self.settings.distance.is_none() {
            // The same once more, with origins counted from the joined heap.
            let again = (Traced::new(heap.heap()), lost);
            let (_, settled) = self.arrive(component, at, again, meter)?;
            let joined = Joined { kept: heap.trace().clone(), image, settled };
            self.joined.push((call, exit, joined));
        }
        let (to, trace) = self.arrive(component, at, (heap, lost), meter)?;
        self.arrow(Way::Across(call, exit), Arrow { from: node, to, trace });
        Ok(to)
    }
}

/// Ghosts that refer to objects of the scope are known in callees, too.
fn pass_ghosts(heap: &Traced, outside: &Outside, inside: &mut Traced) {
    for &(slot, value) in heap.heap().slots() {
        let Slot::Ghost(_) = slot else { continue };
        let value = match value {
            Value::Object(object) if object == null() => Some(value),
            Value::Object(_) => outside.inside_of(slot, inside).map(Value::Object),
            other => Some(other),
        };
        if let Some(value) = value {
            inside.heap_mut().set_slot(slot, value);
        }
    }
}
