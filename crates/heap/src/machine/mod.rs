//! The machine of a pointer program: nodes are lines with heaps.
//!
//! A component is a procedure with the heap that it is called with; its exits are the heaps with
//! which it returns. If the checked procedure is called from the start only, all heaps that it is
//! given there are entries of one component: what comes of them is often the same. A start
//! component calls the checked procedure and goes on to the node that is `terminated`. A null
//! dereference and its like end the run where they happen; where nothing is known of what comes,
//! there is a *hole*, at which nothing is known.
//!
//! Every run of the program from an input is a run of the machine from a start node: each line is
//! followed on a heap that stands for the real one ([`step`](mod@crate::step)), then what is not
//! read any more and what cannot be reached is dropped, and the rest is folded. If folding is
//! turned off and the input is concrete, the machine is the program on that input.
//!
//! Things are produced when they are asked for (`follow.rs`); [`HeapMachine::explore`] asks for
//! all.

mod follow;
mod reach;

use crate::abstraction::{Kept, Lists};
use crate::atoms::Atom;
use crate::calls::{Outside, glued};
use crate::canonical::Externals;
use crate::code::Code;
use crate::grammar::Grammar;
use crate::graph::{Heap, HeapId};
use crate::identity::Joined;
use crate::step::End;
use crate::traced::{Trace, Traced};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use tern_ir::ProcId;
use tern_model::budget::{Limit, Meter};
use tern_model::index::{Id, Numbering, Table};
use tern_model::{BoxId, CompId, Edge, ExitId, NodeId, Place, Surety};

/// What a component knows of what lies around the heap that it is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Views {
    /// Nothing.
    None,
    /// What it looks like, without any names.
    Unnamed,
    /// What ghosts lead to, and to which objects they refer.
    Remembered,
}

/// How heaps are treated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Which objects keep their fields; `None` turns folding off.
    pub kept: Option<Kept>,
    /// How many objects a heap may have.
    pub most_objects: usize,
    /// How many nodes there may be.
    pub most_nodes: usize,
    /// How many numbers a variable may be computed to be before any is as good as another; `None`
    /// if all are counted.
    pub most_numbers: Option<usize>,
    /// Whether callees see all of the heap, and not only what their arguments reach.
    pub whole: bool,
    /// What a component knows of what lies around the heap that it is called with.
    pub views: Views,
    /// Whether the numbers that fields of objects hold are kept, as far as they are known; in any
    /// case if folding is turned off.
    pub counts: bool,
    /// Whether no variable is dropped before its frame is, because it matters what one leads to
    /// that is not read any more.
    pub variables: bool,
    /// Whether objects that are lost matter.
    pub leaks: bool,
    /// Whether callees are given only what they reach by fields that they read.
    pub narrow: bool,
    /// How many objects of the heap of a callee others may know.
    pub most_cutpoints: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            kept: Some(Kept::within(1)),
            most_objects: 60,
            most_nodes: 200_000,
            most_numbers: Some(64),
            whole: false,
            views: Views::None,
            counts: false,
            variables: false,
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

/// What is seen from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sight {
    frame: Frame,
    view: Option<HeapId>,
    at: At,
    heap: HeapId,
    lost: bool,
}

/// What nodes have in common that return to the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Component {
    /// Who runs.
    pub(crate) frame: Frame,
    /// The heap with which it was called; none if inputs share a component.
    entry: Option<HeapId>,
    /// What lies around that: the heaps of the frames that wait, folded, with externals at those of
    /// the heap at hand. None if claims do not ask for it, or if it is too large.
    view: Option<HeapId>,
}

impl Component {
    fn start(entry: Option<HeapId>) -> Self {
        Component { frame: Frame::Start, entry, view: None }
    }
}

/// How many objects and hyperedges a view may have. Recursion that leaves parts behind which no
/// rule folds has ever larger ones.
const MOST_AROUND: usize = 16;

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
    /// behind these the parts of the heap that the callee left; see [`HeapMachine::summarised`].
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

/// What is still to be asked for.
#[derive(Default)]
struct Open {
    /// The first node that was not followed yet.
    next: usize,
    /// For each component, the boxes that call it; exits come later, or boxes do.
    callers: FxHashMap<CompId, Vec<BoxId>>,
    /// The exits of each component.
    left: FxHashMap<CompId, Vec<ExitId>>,
    /// The calls of the start, if inputs share a component.
    starts: Vec<BoxId>,
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
    /// For each heap whether it is known that there is nothing to settle: no garbage, and nothing
    /// to be folded between loops.
    settled: Vec<bool>,
    components: Numbering<CompId, Component>,
    /// Whether all inputs share a component.
    pub(crate) shared: bool,
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
    /// For folding.
    lists: RefCell<Lists>,
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
            settled: Vec::new(),
            components: Numbering::default(),
            shared: inputs.len() > 1 && !code.calls_itself(checked),
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
            lists: RefCell::default(),
        };
        for input in inputs {
            let mut heap = Traced::new(input);
            if !machine.counts() {
                heap.heap_mut().forget_numbers(|_| true);
            }
            machine.settle(&mut heap, meter)?;
            let (heap, ..) = heap.canonical(Externals::Ordered);
            let heap = machine.known(heap, true);
            let component =
                machine.components.id(Component::start((!machine.shared).then_some(heap)));
            let node = machine.states.id(State { component, at: At::Begin, heap, lost: false });
            if !machine.initial.contains(&node) {
                machine.initial.push(node);
            }
        }
        Ok(machine)
    }

    /// The id of a heap, and whether there is nothing to settle.
    fn known(&mut self, heap: Heap, settled: bool) -> HeapId {
        let heap = self.heaps.id(heap);
        self.settled.resize(self.heaps.rows().len(), false);
        self.settled[heap.index()] |= settled;
        heap
    }

    /// Whether numbers in fields are kept.
    fn counts(&self) -> bool {
        self.settings.counts || self.settings.kept.is_none()
    }

    /// Whether fields of externals of a heap are missing, because a callee does not read them.
    pub(crate) fn is_partial(&self, heap: &Heap) -> bool {
        self.settings.narrow && !self.grammar.check_provided(heap)
    }

    /// All that propositions at a node depend on: they do not tell lines apart.
    pub(crate) fn sight(&self, node: NodeId) -> Sight {
        let State { component, at, heap, lost } = self.states[node];
        let Component { frame, view, .. } = self.components[component];
        let at = match at {
            At::Line(_) => At::Line(0),
            At::Ended(end, _) => At::Ended(end, 0),
            At::Begin | At::End => at,
        };
        Sight { frame, view, at, heap, lost }
    }

    /// All of the heap at a node: what its frame has, and what lies around that. Nothing if that is
    /// not known.
    pub(crate) fn all_of(&self, node: NodeId) -> Option<Cow<'_, Heap>> {
        if self.settings.whole || self.frame(node) == Frame::Start {
            return Some(Cow::Borrowed(&self.heaps[self.states[node].heap]));
        }
        (self.settings.views == Views::Unnamed).then(|| self.surrounded(node))?.map(Cow::Owned)
    }

    /// The heap at a node with the view of its component, if it has one.
    fn surrounded(&self, node: NodeId) -> Option<Heap> {
        let State { component, heap, .. } = self.states[node];
        let view = self.components[component].view?;
        Some(glued(&self.heaps[view], &self.heaps[heap]).0.into_parts().0)
    }

    /// The heap that propositions at a node are about: with what lies around it, if it is known of
    /// what ghosts are in that.
    pub(crate) fn seen(&self, node: NodeId) -> Cow<'_, Heap> {
        let remembers = self.settings.views == Views::Remembered;
        let all = remembers.then(|| self.surrounded(node)).flatten();
        all.map_or_else(|| Cow::Borrowed(&self.heaps[self.states[node].heap]), Cow::Owned)
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
        self.components[self.states[node].component].frame
    }

    /// The steps of frames as they were found; those across calls speak of callees still.
    pub(crate) fn arrows(&self) -> &[Arrow] {
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

    pub(crate) fn components(&self) -> &Numbering<CompId, Component> {
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
                (self.components[state.component].frame, state.at)
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
        let mut open = Open::default();
        self.explore_from(&mut open, meter)?;
        // Inputs that share a component go on only after what comes of them.
        let starts = std::mem::take(&mut open.starts);
        for (call, exits) in reach::exits(&self.edges, &starts, meter)? {
            for exit in exits {
                self.come_back(call, exit, meter)?;
            }
        }
        self.explore_from(&mut open, meter)?;
        Ok(())
    }

    fn explore_from(&mut self, open: &mut Open, meter: &mut Meter<'_>) -> Result<(), Stop> {
        while open.next < self.states.rows().len() {
            meter.tick()?;
            if self.states.rows().len() > self.settings.most_nodes {
                return Err(Stop::Nodes(self.settings.most_nodes));
            }
            let node = NodeId::new(open.next);
            open.next += 1;
            for (edge, surety) in self.follow(node, meter)? {
                self.edges.push((Place::Node(node), edge, surety));
                match edge {
                    Edge::Step(_) => {}
                    Edge::Call(call, _) if self.shared && self.frame(node) == Frame::Start => {
                        open.starts.push(call);
                    }
                    Edge::Call(call, _) => {
                        let callee = self.sites[call].callee;
                        open.callers.entry(callee).or_default().push(call);
                        for exit in open.left.get(&callee).cloned().unwrap_or_default() {
                            self.come_back(call, exit, meter)?;
                        }
                    }
                    Edge::Return(exit) => {
                        let component = self.states[node].component;
                        let known = open.left.entry(component).or_default();
                        if known.contains(&exit) {
                            continue;
                        }
                        known.push(exit);
                        for call in open.callers.get(&component).cloned().unwrap_or_default() {
                            self.come_back(call, exit, meter)?;
                        }
                    }
                }
            }
        }
        Ok(())
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
}
