//! Exploration: every procedure with every entry that matters, point by point, facts included.
//!
//! A *component* is a procedure with what is known at its entry (its *context*); a *node* is a
//! point of its code with a [`State`]. So the facts are part of the node, and what is explored is a
//! recursive machine: `certainty` hands it to the engines as such.
//!
//! A call enters the component of its callee and argument facts, and goes on once for each exit of
//! that component, now and whenever it gains one (a worklist of nodes; the tabulation of Reps,
//! Horwitz and Sagiv, POPL 1995). Contexts keep only what the callee can look at
//! ([`World::senses`], [`World::reads`]); exits keep what it can have changed.
//!
//! # Bounds
//! At a point there are at most `nodes::MOST_STATES` nodes that differ; further states are joined
//! with one that has the same objects in the same states; what others may use in one of them, they
//! may use then. At heads of loops, states that differ in numbers only are joined after
//! `nodes::MOST_ROUNDS` of them, and bounds that move go to the next constant of the code. A
//! procedure has at most `MOST_CONTEXTS` contexts with numbers, and as many more without; further
//! calls use that of which nothing is known. So exploration ends. Callees that do nothing that
//! rules speak of are explored once for all views (`share.rs`).
//!
//! # What is found on the way
//! [`Violation`]s: the node, the statement, the rule. Which of them are reported is decided when
//! all is explored, since what other procedures do to a lock matters.
//!
//! What is explored at once is a [`View`]: some procedures, and those that may be entered from
//! them.

mod again;
mod asides;
mod asked;
mod branch;
mod call;
mod encodings;
mod enter;
mod events;
mod fields;
mod flow;
mod follow;
mod keyed;
mod kinds;
mod known;
mod leave;
mod nodes;
mod replay;
mod share;
mod step;

pub(crate) use flow::{Flow, reached, round, successors};
pub(crate) use replay::Kept;
pub(crate) use share::{Objects, Use, entered, is_apart};

use crate::rules::{Automaton, Claim, Rule};
use crate::state::{Slot, State};
use crate::values::{Key, Nullness, ObjectId, Value};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use tern_ir::{Access, BlockId, Body, NameId, Place, ProcId, Type, VarId};
use tern_model::budget::Meter;
use tern_model::index::{Id, Numbering, Table};
use tern_model::{Budget, Limit};

tern_model::indices! {
    /// A procedure with a context.
    pub ComponentId = "c";
}

const MOST_CONTEXTS: usize = 12;
/// How many nodes a view may have, and how many more for each procedure that it is about.
const MOST_STEPS: usize = 30_000;
const PER_ROOT: usize = 2_000;

/// How a procedure is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// It returns.
    Return,
    /// It throws an object of that class, if it is known, perhaps one that another class threw.
    Throw(Option<NameId>, bool),
}

/// One way in which a component ends: what callers learn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) ending: Ending,
    pub(crate) value: Value,
    pub(crate) state: State,
}

/// A point with facts.
#[derive(Debug)]
pub struct Node {
    /// The block.
    pub block: BlockId,
    /// The statement that comes next, counted in the block.
    pub at: u32,
    /// The facts.
    pub state: State,
    /// The node that it was first reached from.
    pub from: Option<usize>,
    /// Numbers of the facts: of all, and of the most telling. Most comparisons end with these.
    marks: (u64, u64),
    /// Whether facts were dropped there, since there were too many.
    is_dropped: bool,
}

/// A step between nodes of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// From here.
    pub from: usize,
    /// To there.
    pub to: usize,
    /// By a call that ended by an exit of a component.
    pub via: Option<(ComponentId, usize)>,
}

/// What kind of violation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Breach {
    /// An event that must not happen.
    Event,
    /// An object is lost in a state in which it must not be.
    Lost(Ending),
}

/// A rule that is broken at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// The node.
    pub node: usize,
    /// The statement that it is reported at, counted in the body; the number of statements and the
    /// block for a jump.
    pub statement: u32,
    /// The number of the rule.
    pub rule: u8,
    /// What kind it is.
    pub breach: Breach,
    /// The object that it is about.
    pub object: Option<ObjectId>,
    /// Whether the object was in its first state, so that others may know more of it.
    pub was_first: bool,
    /// Whether the code itself tested for the `null` that is used.
    pub is_tested: bool,
    /// Whether those who use the `null` may know that it is not there.
    pub is_doubted: bool,
    /// Whether the `null` that is used was given by the caller.
    pub is_given: bool,
}

/// A procedure with a context.
#[derive(Debug)]
pub struct Component {
    /// The procedure.
    pub procedure: ProcId,
    /// What is known at its entry.
    pub entry: State,
    /// Its nodes; the first is its entry.
    pub nodes: Vec<Node>,
    /// The steps between them, without those from or to other components.
    pub edges: Vec<Edge>,
    edge_known: FxHashSet<Edge>,
    at: FxHashMap<(BlockId, u32), Vec<usize>>,
    pub(crate) exits: Vec<Exit>,
    /// Nodes of other components that call this one.
    pub callers: Vec<(ComponentId, usize)>,
    caller_known: FxHashSet<(ComponentId, usize)>,
    /// Rules that are broken.
    pub violations: Vec<Violation>,
    /// For each block that tests: whether the test was true somewhere (1) and false somewhere (2).
    pub tests: FxHashMap<BlockId, u8>,
    /// Blocks that test whether a reference is null that was used, and the line of its use.
    pub late: FxHashMap<BlockId, u32>,
    /// What of each rule was done to which object: rule, event, object.
    pub done: FxHashSet<(u8, u8, ObjectId)>,
    /// What was given back that was taken before, by rule.
    pub(crate) ended: FxHashSet<(u8, ObjectId)>,
    /// What was given back without being taken here, or taken and not given back.
    pub open: FxHashSet<(u8, u8, ObjectId)>,
    /// Nodes by which it is left, and how.
    pub leaving: Vec<(usize, Ending)>,
    /// Nodes at which a run may end that is followed no further: where `null` is used and nobody
    /// here takes the exception, and where the program is ended.
    pub(crate) stops: BTreeSet<usize>,
    /// Events of rules with formulas: the node at which each happens, rule, event, object.
    pub(crate) marks: Vec<(usize, u8, u8, Option<ObjectId>)>,
    /// Whether states were joined, so that a path may be false.
    pub(crate) is_joined: bool,
    /// Whether it was explored elsewhere, and only its exits are known.
    pub(crate) is_shared: bool,
}

/// What is explored at once.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The procedures that it is about, in the order of their numbers.
    pub roots: Vec<ProcId>,
    /// Those that calls may enter, with the roots.
    pub inside: FxHashSet<ProcId>,
}

/// A rule with its automaton.
pub struct Watched<'r> {
    /// The rule.
    pub rule: &'r Rule,
    /// The automaton, if it is about objects.
    pub automaton: Option<Automaton>,
    /// Whether its claim is a formula, so that events are nodes.
    pub(crate) is_formula: bool,
    /// Whether what it is about must be given back by `close()`.
    pub(crate) closes: bool,
}

/// What all views of one thread have in common.
pub(crate) struct Setting<'w, 'p> {
    /// The program.
    pub(crate) world: &'w World<'p>,
    /// The rules.
    pub(crate) rules: &'w [Rule],
    pub(crate) budget: &'w Budget,
    watched: Vec<Watched<'w>>,
    /// Rules that say something of uses of null: of those written, and of results.
    null_rules: (Option<u8>, Option<u8>),
    shared: RefCell<share::Shared>,
    followed: RefCell<follow::Known>,
}

impl<'w, 'p> Setting<'w, 'p> {
    pub(crate) fn new(world: &'w World<'p>, rules: &'w [Rule], budget: &'w Budget) -> Self {
        let watched = rules.iter().map(|rule| Watched {
            rule,
            automaton: rule.automaton(),
            is_formula: matches!(rule.claim, Claim::Formula(_)),
            closes: rule.closes(),
        });
        let with = |what| {
            let says = |rule: &Rule| {
                rule.events.iter().flat_map(|event| &event.patterns).any(|it| it.what == what)
            };
            rules.iter().position(says).map(|rule| rule as u8)
        };
        let null_rules =
            (with(crate::rules::What::NullUse), with(crate::rules::What::UncheckedUse));
        let (shared, followed) = (RefCell::default(), RefCell::default());
        Setting { world, rules, budget, watched: watched.collect(), null_rules, shared, followed }
    }
}

/// All that was explored.
pub struct Explored<'w, 'p> {
    setting: &'w Setting<'w, 'p>,
    /// The program.
    pub world: &'w World<'p>,
    /// The rules.
    pub watched: &'w [Watched<'w>],
    /// Symbolic objects.
    pub objects: Numbering<ObjectId, Key>,
    /// Components.
    pub components: Table<ComponentId, Component>,
    by_procedure: FxHashMap<ProcId, Vec<ComponentId>>,
    view: &'w View,
    kept: &'w Kept,
    /// The steps that a replay sees instead of taking them.
    replay: Option<Vec<replay::Seen>>,
    found: FxHashMap<(ProcId, u64), Vec<ComponentId>>,
    work: VecDeque<(ComponentId, usize)>,
    steps: usize,
    most_steps: usize,
    followed: follow::Followed,
    /// Procedures that were explored here.
    looked: FxHashSet<ProcId>,
    /// Procedures and their entries of which only the exits were looked at.
    uses: FxHashSet<Use>,
}

impl<'w, 'p> Explored<'w, 'p> {
    /// Nothing is explored yet.
    fn empty(setting: &'w Setting<'w, 'p>, view: &'w View, kept: &'w Kept) -> Self {
        Explored {
            setting,
            world: setting.world,
            watched: &setting.watched,
            objects: Numbering::default(),
            components: Table::new(),
            by_procedure: FxHashMap::default(),
            view,
            kept,
            replay: None,
            found: FxHashMap::default(),
            work: VecDeque::new(),
            steps: 0,
            most_steps: MOST_STEPS + PER_ROOT * view.roots.len(),
            followed: follow::Followed::new(setting, view),
            looked: FxHashSet::default(),
            uses: FxHashSet::default(),
        }
    }

    /// Explores a view: from every procedure that others may call, then whatever is left. At joins
    /// states stay apart that differ in slots that are `kept`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(crate) fn new(
        setting: &'w Setting<'w, 'p>,
        view: &'w View,
        kept: &'w Kept,
    ) -> Result<Self, Limit> {
        let world = setting.world;
        let mut explored = Explored::empty(setting, view, kept);
        let mut meter = Meter::new(setting.budget);
        for round in 0..2 {
            for &id in &view.roots {
                let procedure = &world.program.procedures()[id];
                let is_private = procedure.access == Access::Private && world.is_called(id);
                // What only the class itself calls is known by these calls, if there are any.
                let is_left = round == 1 && explored.components_of(id).is_empty();
                let is_next = if is_private { is_left } else { round == 0 };
                if procedure.body.is_none() || !is_next {
                    continue;
                }
                explored.general(id);
                explored.settle(&mut meter)?;
            }
        }
        Ok(explored)
    }

    /// The procedures that it is about.
    pub fn roots(&self) -> &'w [ProcId] {
        &self.view.roots
    }

    /// The components of a procedure.
    pub fn components_of(&self, procedure: ProcId) -> &[ComponentId] {
        self.by_procedure.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// Works until nothing is left to do.
    fn settle(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        while let Some((component, node)) = self.work.pop_front() {
            meter.tick()?;
            self.steps += 1;
            if self.steps > self.most_steps {
                return Err(Limit::Effort);
            }
            self.run(component, node);
        }
        Ok(())
    }

    /// The body of a procedure.
    pub fn body(&self, procedure: ProcId) -> &'p Body {
        let world: &'w World<'p> = self.world;
        world.program.procedures()[procedure].body.as_ref().expect("only bodies are explored")
    }

    /// What is known of the code of a procedure.
    pub(crate) fn flow(&self, procedure: ProcId) -> &'w Flow {
        self.world.flow(procedure).expect("only bodies are explored")
    }

    /// The object of a key.
    pub(crate) fn object(&mut self, key: Key) -> ObjectId {
        self.objects.id(key)
    }

    /// Whether a type is one of references.
    pub(crate) fn is_reference(&self, ty: tern_ir::TypeId) -> bool {
        matches!(
            self.world.program.types()[ty],
            Type::Reference(_) | Type::Array(_) | Type::Unknown
        )
    }

    /// The entry of a procedure of whose arguments nothing is known.
    pub(crate) fn general_entry(&mut self, procedure: ProcId) -> State {
        let body = self.body(procedure);
        let is_static = self.world.program.procedures()[procedure].is_static;
        let mut state = State::default();
        for parameter in body.parameters() {
            if self.is_reference(body.variables[parameter].ty) {
                let object = self.object(Key::Parameter(parameter.index() as u32));
                let is_receiver = parameter.index() == 0 && !is_static;
                let nullness = if is_receiver { Nullness::NonNull } else { Nullness::Unknown };
                state.set(Slot::Local(parameter), Value::Object(object, nullness));
            }
        }
        state
    }

    fn general(&mut self, procedure: ProcId) -> ComponentId {
        let entry = self.general_entry(procedure);
        self.component(procedure, entry)
    }

    /// The component of a procedure and a context.
    pub(crate) fn component(&mut self, procedure: ProcId, mut entry: State) -> ComponentId {
        if let Some(known) = self.known(procedure, &entry) {
            return known;
        }
        if self.components_of(procedure).len() >= MOST_CONTEXTS {
            // First numbers go, then all.
            match self.components_of(procedure).len() >= 2 * MOST_CONTEXTS {
                true => entry = self.general_entry(procedure),
                false => entry.retain(|_, value| !matches!(value, Value::Number(..))),
            }
            if let Some(known) = self.known(procedure, &entry) {
                return known;
            }
        }
        let exits = self.shared_exits(procedure, &entry);
        let marks = entry.marks();
        let (block, state) = (BlockId::new(0), entry.clone());
        let first = Node { block, at: 0, state, from: None, marks, is_dropped: false };
        let id = self.components.push(Component {
            procedure,
            entry,
            nodes: vec![first],
            edges: Vec::new(),
            edge_known: FxHashSet::default(),
            at: [((BlockId::new(0), 0), vec![0])].into_iter().collect(),
            exits: Vec::new(),
            callers: Vec::new(),
            caller_known: FxHashSet::default(),
            violations: Vec::new(),
            tests: FxHashMap::default(),
            late: FxHashMap::default(),
            done: FxHashSet::default(),
            ended: FxHashSet::default(),
            open: FxHashSet::default(),
            leaving: Vec::new(),
            stops: BTreeSet::new(),
            marks: Vec::new(),
            is_joined: false,
            is_shared: false,
        });
        self.by_procedure.entry(procedure).or_default().push(id);
        self.found.entry((procedure, marks.0)).or_default().push(id);
        match exits {
            Some(exits) => self.fill(id, exits),
            None => {
                self.looked.insert(procedure);
                self.work.push_back((id, 0));
            }
        }
        id
    }

    /// What was looked at: procedures, and entries of which only the exits count.
    pub(crate) fn looked(&self) -> (&FxHashSet<ProcId>, &FxHashSet<Use>) {
        (&self.looked, &self.uses)
    }

    fn known(&self, procedure: ProcId, entry: &State) -> Option<ComponentId> {
        let found = self.found.get(&(procedure, entry.marks().0))?;
        found.iter().copied().find(|&id| self.components[id].entry == *entry)
    }

    /// Where a statement of a body stands; those behind the last are jumps of blocks.
    pub fn place(&self, procedure: ProcId, statement: u32) -> Place {
        let body = self.body(procedure);
        match body.places.get(statement as usize) {
            Some(place) => *place,
            None => {
                let block = statement as usize - body.places.len();
                body.blocks[BlockId::new(block)].place
            }
        }
    }

    /// Notes that a rule is broken.
    pub(crate) fn note(&mut self, component: ComponentId, violation: Violation) {
        if self.replay.is_some() {
            return;
        }
        let known = &mut self.components[component].violations;
        if !known.contains(&violation) {
            known.push(violation);
        }
    }

    /// The variable of an operand, or of what it was computed from.
    pub(crate) fn local(operand: tern_ir::Operand) -> Option<VarId> {
        match operand {
            tern_ir::Operand::Variable(variable) => Some(variable),
            tern_ir::Operand::Constant(_) => None,
        }
    }
}

impl<'p> Explored<'_, 'p> {
    /// Whether nothing is known at the entry of a component.
    pub fn is_general(&self, component: ComponentId) -> bool {
        let own = &self.components[component];
        let is_unknown = |&(slot, value): &(Slot, Value)| match (slot, value) {
            (Slot::Local(parameter), Value::Object(_, nullness)) => {
                nullness == Nullness::Unknown || parameter.index() == 0
            }
            _ => false,
        };
        own.entry.tracks().is_empty() && own.entry.slots().iter().all(is_unknown)
    }

    /// All nodes at the point of a node, with whatever facts, in all components of its procedure.
    pub(crate) fn same_place(
        &self,
        component: ComponentId,
        node: usize,
    ) -> impl Iterator<Item = (ComponentId, usize)> {
        let own = &self.components[component];
        let point = (own.nodes[node].block, own.nodes[node].at);
        self.components_of(own.procedure).iter().flat_map(move |&other| {
            let nodes = self.components[other].at.get(&point).map_or(&[][..], Vec::as_slice);
            nodes.iter().map(move |&node| (other, node))
        })
    }

    /// What is known of the call at a statement.
    pub(crate) fn call_at(
        &self,
        procedure: ProcId,
        statement: u32,
    ) -> Option<&crate::world::Callee> {
        let body = self.body(procedure);
        let tern_ir::Statement::Call { .. } = body.statements.get(statement as usize)? else {
            return None;
        };
        let site = self.flow(procedure).sites[statement as usize] as usize;
        Some(self.world.callee(procedure, site))
    }
}
