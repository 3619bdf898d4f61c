//! Makes the machine in which properties of the stack are labels.

use super::pattern::Reader;
use super::{Symbols, misspelt, pattern, symbol_pattern};
use crate::problem::Problem;
use crate::vocabulary::Misunderstood;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tern_model::budget::Meter;
use tern_model::index::{Id, Numbering, Table};
use tern_model::{
    BoxId, Budget, Builder, CompId, Edge, ExitId, Limit, Machine, NodeId, Place, Surety,
};

/// A machine in which properties of the stack are labels.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// The machine.
    pub(crate) machine: Machine,
    /// The node of the original that each node is a copy of.
    pub(crate) original: Vec<NodeId>,
    /// The names of components in properties, by component.
    pub(crate) component_names: Vec<String>,
    /// The stack symbols of its nodes and boxes, if the original has any.
    pub(crate) symbols: Option<Symbols>,
}

/// What the automaton of a property reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    /// The components of the stack, up to the one that runs.
    Components,
    /// The stack symbols below the component that runs; those of its nodes come last.
    Symbols,
}

/// A property of the stack.
struct Property<'m> {
    name: &'m str,
    letters: Letters,
    reader: Reader,
}

tern_model::indices! {
    /// A copy of a component.
    CopyId = "k";
}

/// A component, and the states of the automata when it has been read.
type Copy = (CompId, Box<[usize]>);

/// Makes labels of the properties of the stack among these propositions, unless they are labels
/// already. `component_names` are what patterns call the components, `symbols` the stack symbols if
/// the machine is that of a pushdown system. Gives nothing if there are no
/// properties, or all that is wrong with them, and with what is nearly one: the latter only if
/// nobody else was asked what the propositions mean.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn track(
    machine: &Machine,
    component_names: &[&str],
    symbols: Option<&Symbols>,
    names: &BTreeSet<String>,
    others_asked: bool,
    budget: &Budget,
) -> Result<Result<Option<Tracked>, Vec<Misunderstood>>, Limit> {
    let (mut properties, mut wrong) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| machine.label(name).is_none()) {
        let of_components = pattern(machine, component_names, name);
        let found = of_components.map(|it| (Letters::Components, it));
        let found = found.or_else(|| Some((Letters::Symbols, symbol_pattern(symbols, name)?)));
        let wrong_with_it = match found {
            Some((letters, Ok(pattern))) => {
                properties.push(Property { name, letters, reader: Reader::new(pattern) });
                None
            }
            Some((_, Err(wrong))) => Some(wrong),
            None if others_asked => None,
            None => misspelt(component_names, name),
        };
        if let Some((message, hint)) = wrong_with_it {
            let problem = Problem { hint, ..Problem::error("C006", message) };
            wrong.push((name.clone(), problem));
        }
    }
    if !wrong.is_empty() {
        return Ok(Err(wrong));
    }
    if properties.is_empty() {
        return Ok(Ok(None));
    }
    let mut tracker = Tracker {
        machine,
        component_names,
        symbols,
        properties,
        copies: Numbering::default(),
        calls: Table::new(),
        meter: Meter::new(budget),
    };
    tracker.find_copies()?;
    Ok(Ok(Some(tracker.build()?)))
}

struct Tracker<'m, 'b> {
    machine: &'m Machine,
    component_names: &'m [&'m str],
    symbols: Option<&'m Symbols>,
    properties: Vec<Property<'m>>,
    copies: Numbering<CopyId, Copy>,
    /// For each copy, those that its boxes call.
    calls: Table<CopyId, Vec<CopyId>>,
    meter: Meter<'b>,
}

impl<'m> Tracker<'m, '_> {
    /// The copy of a component that is on top of a stack which the automata have read. It is
    /// called by a box, unless the program begins there.
    fn copy(
        &mut self,
        states: &[usize],
        call: Option<BoxId>,
        component: CompId,
    ) -> Result<CopyId, Limit> {
        let name = self.component_names[component.index()];
        let remembered = match (self.symbols, call) {
            (Some(symbols), Some(call)) if self.reads_symbols() => symbols.of_box(call),
            _ => Vec::new(),
        };
        let mut next = Vec::with_capacity(states.len());
        for (Property { letters, reader, .. }, &state) in self.properties.iter_mut().zip(states) {
            next.push(match letters {
                Letters::Components => reader.after(state, name),
                Letters::Symbols => read(reader, state, &remembered, &mut self.meter)?,
            });
        }
        Ok(self.copies.id((component, next.into())))
    }

    fn reads_symbols(&self) -> bool {
        self.properties.iter().any(|property| property.letters == Letters::Symbols)
    }

    fn find_copies(&mut self) -> Result<(), Limit> {
        let start = vec![Reader::START; self.properties.len()];
        for &node in self.machine.initial() {
            self.copy(&start, None, self.machine.component_of(node))?;
        }
        while self.calls.len() < self.copies.rows().len() {
            let (component, states) = self.copies[self.calls.next_id()].clone();
            let mut called = Vec::new();
            for &call in self.machine.boxes_of(component) {
                self.meter.tick()?;
                called.push(self.copy(&states, Some(call), self.machine.callee(call))?);
            }
            self.calls.push(called);
        }
        Ok(())
    }

    /// The properties that hold at a node of a copy.
    fn holding(&mut self, copy: CopyId, node: NodeId) -> Result<Vec<&'m str>, Limit> {
        let own = match self.symbols {
            Some(symbols) if self.reads_symbols() => symbols.of_node(node),
            _ => Vec::new(),
        };
        let states = self.copies[copy].1.iter();
        let mut holding = Vec::new();
        for (Property { name, letters, reader }, &state) in self.properties.iter_mut().zip(states) {
            let state = match letters {
                Letters::Components => state,
                Letters::Symbols => read(reader, state, &own, &mut self.meter)?,
            };
            if reader.accepts(state) {
                holding.push(*name);
            }
        }
        Ok(holding)
    }

    /// Names of the copies: those of the components, from the second copy on with a number.
    fn names(&self) -> Table<CopyId, String> {
        let mut counts = vec![0usize; self.machine.component_count()];
        let all = self.machine.components().map(|it| self.machine.component_name(it).to_owned());
        let mut taken: FxHashSet<String> = all.collect();
        let name = |(_, (component, _)): (CopyId, &Copy)| {
            let name = self.machine.component_name(*component);
            counts[component.index()] += 1;
            if counts[component.index()] == 1 {
                return name.to_owned();
            }
            let mut name = format!("{name}/{}", counts[component.index()]);
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            name
        };
        self.copies.rows().iter().map(name).collect()
    }

    fn build(mut self) -> Result<Tracked, Limit> {
        let machine = self.machine;
        let mut builder = Builder::new();
        builder.end_rule(machine.end_rule());
        builder.dead_end_rule(machine.dead_end_rule());
        for (_, name) in self.names().iter() {
            builder.component(name);
        }
        let (labels, unknown) = (machine.labels_by_node(), machine.unknown_by_node());
        for (_, name) in machine.labels() {
            builder.label_id(name);
        }
        for property in &self.properties {
            builder.label_id(property.name);
        }
        let (mut original, mut original_boxes) = (Vec::new(), Vec::new());
        // Where the copies of nodes, boxes and exits of each copy begin.
        let mut parts: Table<CopyId, Parts> = Table::new();
        for copy in self.calls.ids() {
            let (new, component) = (CompId::new(copy.index()), self.copies[copy].0);
            let mut part = Parts::default();
            for node in machine.nodes_of(component) {
                self.meter.tick()?;
                let made = builder.node(new, machine.node_name(node));
                original.push(node);
                part.nodes.push(made);
                if machine.is_entry(node) {
                    builder.entry(made);
                }
                if let Some(origin) = machine.origin(node) {
                    builder.origin(made, origin);
                }
                for &label in labels.of(node) {
                    builder.label_as(made, label);
                }
                for &label in unknown.of(node) {
                    builder.unknown_label(made, machine.label_name(label));
                }
                for name in self.holding(copy, node)? {
                    builder.label(made, name);
                }
            }
            for &exit in machine.exits_of(component) {
                part.exits.push(builder.exit(new, machine.exit_name(exit)));
            }
            for (&call, &callee) in machine.boxes_of(component).iter().zip(&self.calls[copy]) {
                self.meter.tick()?;
                original_boxes.push(call);
                let callee = CompId::new(callee.index());
                part.boxes.push(builder.call_box(new, machine.box_name(call), callee));
            }
            parts.push(part);
        }
        self.edges(&mut builder, &parts)?;
        let start = vec![Reader::START; self.properties.len()];
        for &node in machine.initial() {
            let copy = self.copy(&start, None, machine.component_of(node))?;
            builder.initial(parts[copy].node(machine, node));
        }
        builder.names_are_unique();
        let made = builder.finish();
        let machine =
            made.unwrap_or_else(|flaws| unreachable!("a machine has no flaws: {flaws:?}"));
        let name = |copy: &Copy| self.component_names[copy.0.index()].to_owned();
        let component_names = self.copies.rows().iter().map(|(_, copy)| name(copy)).collect();
        let symbols = self.symbols.map(|symbols| symbols.copied(&original, &original_boxes));
        Ok(Tracked { machine, original, component_names, symbols })
    }

    fn edges(&mut self, builder: &mut Builder, parts: &Table<CopyId, Parts>) -> Result<(), Limit> {
        let machine = self.machine;
        let position = |call: BoxId| {
            let own = machine.boxes_of(machine.component_of_box(call));
            own.binary_search(&call).unwrap_or_else(|_| unreachable!("boxes are in their lists"))
        };
        for (copy, (component, _)) in self.copies.rows().iter() {
            let part = &parts[copy];
            for &place in machine.places_of(*component) {
                let from = match machine.place(place) {
                    Place::Node(node) => Place::Node(part.node(machine, node)),
                    Place::Site(call, exit) => {
                        let at = position(call);
                        let callee = &parts[self.calls[copy][at]];
                        Place::Site(part.boxes[at], callee.exits[machine.exit_position(exit)])
                    }
                };
                for (edge, surety) in machine.edges_with_surety(place) {
                    self.meter.tick()?;
                    let edge = match edge {
                        Edge::Step(to) => Edge::Step(part.node(machine, to)),
                        Edge::Return(exit) => Edge::Return(part.exits[machine.exit_position(exit)]),
                        Edge::Call(call, entry) => {
                            let at = position(call);
                            let callee = &parts[self.calls[copy][at]];
                            Edge::Call(part.boxes[at], callee.node(machine, entry))
                        }
                    };
                    match surety {
                        Surety::Sure => builder.edge(from, edge),
                        Surety::Possible => builder.possible_edge(from, edge),
                    }
                }
            }
        }
        Ok(())
    }
}

/// The state after a word.
fn read(
    reader: &mut Reader,
    state: usize,
    word: &[&str],
    meter: &mut Meter<'_>,
) -> Result<usize, Limit> {
    let mut state = state;
    for symbol in word {
        meter.tick()?;
        state = reader.after(state, symbol);
    }
    Ok(state)
}

/// The copies of what is in a component, in its order.
#[derive(Clone, Debug, Default)]
struct Parts {
    nodes: Vec<NodeId>,
    boxes: Vec<BoxId>,
    exits: Vec<ExitId>,
}

impl Parts {
    /// The copy of a node of the component.
    fn node(&self, machine: &Machine, node: NodeId) -> NodeId {
        self.nodes[machine.place_position(machine.node_place(node))]
    }
}
