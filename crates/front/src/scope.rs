//! Finds the components, nodes, boxes and exits of a machine that is being built, by their names.
//!
//! All readers of machines resolve names here. A [`Scope`] owns the builder: what is declared goes
//! into it, and its tables are the only copy of the names. Something that is declared twice is
//! found as what it was first, and is known to be ambiguous, so that no reader complains of what
//! follows from that.

use crate::problem::Problem;
use crate::words::{Nearest, did_you_mean, listed};
use rustc_hash::FxHashSet;
use tern_model::names::{Index, Scoped};
use tern_model::{BoxId, Builder, CompId, ExitId, Id, Limit, NodeId, budget::Meter};

/// So many names are listed where none is near.
const MOST_LISTED: usize = 5;

/// The names of a machine that is being built.
pub(crate) struct Scope {
    pub(crate) builder: Builder,
    components: Index<CompId>,
    nodes: Index<NodeId>,
    boxes: Index<BoxId>,
    exits: Index<ExitId>,
    /// What has another of the same name behind it.
    ambiguous: FxHashSet<Named>,
}

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Component(CompId),
    Node(NodeId),
    Box(BoxId),
}

impl Scope {
    /// Names of what a builder will hold; so many components, nodes, boxes and exits are expected.
    pub(crate) fn new(
        builder: Builder,
        expected: [usize; 4],
        meter: &Meter<'_>,
    ) -> Result<Self, Limit> {
        let bytes = expected.into_iter().map(Index::<NodeId>::bytes_for).sum();
        meter.budget().check_room_for(bytes)?;
        let [components, nodes, boxes, exits] = expected;
        Ok(Scope {
            builder,
            components: Index::with_capacity(components),
            nodes: Index::with_capacity(nodes),
            boxes: Index::with_capacity(boxes),
            exits: Index::with_capacity(exits),
            ambiguous: FxHashSet::default(),
        })
    }

    /// Makes a component known by its name; gives another that has this name already.
    pub(crate) fn add_component(&mut self, id: CompId) -> Option<CompId> {
        let names = self.builder.component_names();
        let first = self.components.add(id, |id| names.of(id))?;
        self.ambiguous.insert(Named::Component(first));
        Some(first)
    }

    /// Makes a node known by its name; gives another of the component that has it already.
    pub(crate) fn add_node(&mut self, id: NodeId) -> Option<NodeId> {
        let first = add(&mut self.nodes, self.builder.nodes(), id)?;
        self.ambiguous.insert(Named::Node(first));
        Some(first)
    }

    /// Makes a box known by its name; gives another of the component that has it already.
    pub(crate) fn add_box(&mut self, id: BoxId) -> Option<BoxId> {
        let first = add(&mut self.boxes, self.builder.boxes(), id)?;
        self.ambiguous.insert(Named::Box(first));
        Some(first)
    }

    /// Makes an exit known by its name; gives another of the component that has it already.
    pub(crate) fn add_exit(&mut self, id: ExitId) -> Option<ExitId> {
        add(&mut self.exits, self.builder.exits(), id)
    }

    /// A component by its name.
    pub(crate) fn component(&self, name: &str) -> Option<CompId> {
        self.components.get(&name, |id| self.builder.component_names().of(id))
    }

    /// A node of a component by its name.
    pub(crate) fn node(&self, component: CompId, name: &str) -> Option<NodeId> {
        self.nodes.get(&(component, name), |id| self.builder.nodes().key(id))
    }

    /// A box of a component by its name.
    pub(crate) fn call_box(&self, component: CompId, name: &str) -> Option<BoxId> {
        self.boxes.get(&(component, name), |id| self.builder.boxes().key(id))
    }

    /// An exit of a component by its name.
    pub(crate) fn exit(&self, component: CompId, name: &str) -> Option<ExitId> {
        self.exits.get(&(component, name), |id| self.builder.exits().key(id))
    }

    /// Whether there are several of the name that this one has.
    pub(crate) fn is_ambiguous(&self, named: Named) -> bool {
        !self.ambiguous.is_empty() && self.ambiguous.contains(&named)
    }

    /// The name of a component.
    pub(crate) fn name_of(&self, component: CompId) -> &str {
        self.builder.component_names().of(component)
    }

    /// A problem with a name that nothing has, and the nearest that there is; of entries and exits,
    /// which are few, all, if none is near.
    pub(crate) fn near(
        &self,
        problem: Problem,
        sought: Sought<'_>,
        name: &str,
        nearest: &mut Nearest,
    ) -> Problem {
        let names = self.names(sought);
        let few = match sought {
            Sought::Entry(_) => Some(("entry", "entries")),
            Sought::Exit(_) => Some(("exit", "exits")),
            Sought::Component | Sought::Node(..) | Sought::Box(_) => None,
        };
        let hint = match (did_you_mean(nearest.among(name, names.iter().copied())), few) {
            (Some(hint), _) => hint,
            (None, None) => return problem,
            (None, Some((one, several))) => match names[..] {
                [] => format!("it has no {one}: declare one by `{one} NAME`"),
                [only] => format!("its only {one} is `{only}`"),
                _ => format!("its {several} are {}", listed(MOST_LISTED, names.iter().copied())),
            },
        };
        problem.hint(hint)
    }

    /// The names of what would do.
    fn names(&self, sought: Sought<'_>) -> Vec<&str> {
        let nodes = self.builder.nodes();
        let nodes_in = |component: CompId, fits: &dyn Fn(NodeId) -> bool| {
            let own = nodes.ids().filter(|&node| nodes.component(node) == component && fits(node));
            own.map(|node| nodes.name(node)).collect()
        };
        match sought {
            Sought::Component => {
                self.builder.component_names().iter().map(|(_, name)| name).collect()
            }
            Sought::Node(component, fits) => nodes_in(component, fits),
            Sought::Entry(component) => nodes_in(component, &|node| self.builder.is_entry(node)),
            Sought::Box(component) => self.builder.boxes().names_in(component).collect(),
            Sought::Exit(component) => self.builder.exits().names_in(component).collect(),
        }
    }
}

/// What a name should have named, and in which component.
#[derive(Clone, Copy)]
pub(crate) enum Sought<'f> {
    Component,
    /// A node that fits.
    Node(CompId, &'f dyn Fn(NodeId) -> bool),
    Box(CompId),
    Entry(CompId),
    Exit(CompId),
}

fn add<I: Id>(index: &mut Index<I>, scoped: &Scoped<I>, id: I) -> Option<I> {
    index.add(id, |id| scoped.key(id))
}
