//! Leaves out procedures in which nothing can happen that claims speak of.
//!
//! A component is *silent* if neither its nodes have labels nor those of any component that it
//! calls. A call of one becomes a step to wherever it may return to; and a node from which it may
//! go on for ever, without a return, may stay. Where many claims are decided together this is most
//! of a large program: whether something holds in such a component depends on its callers only, so
//! that it would have to be told apart for each of the claims.
//!
//! # Why claims cannot tell
//! In a silent component all configurations look the same. A run through it is a row of such
//! configurations, finite if it returns and endless if not; here it is a row of at least one, with
//! an end if and only if it had one. Claims without `X` cannot tell how long a row is. Nor can
//! claims that ask for the next step only where there is a label: such a node keeps its successors,
//! for a call from there leads to a node of its own first.
//!
//! # How
//! 1. From callees to callers: which components are loud.
//! 2. *Summaries*: which exits does a silent component reach? A search that enters each once.
//! 3. An endless run goes round a circle of steps, of steps over calls, or of calls. So a component
//!    has one if its entry leads to a circle of these.
//!
//! A component is kept as it is if it has dead ends or several entries, or if something else than
//! steps follows one of its calls. Machines of programs have no such components.

use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::{CompId, ExitId, Id, LabelId, NodeId, Table};
use tern_model::scc::Components;
use tern_model::{BoxId, Budget, Builder, Edge, EndRule, Limit, Machine, Place};

/// A machine without its silent components; nothing if that is the machine itself.
///
/// # Errors
/// When the budget runs out.
pub fn leave_out(machine: &Machine, budget: &Budget) -> Result<Option<Machine>, Limit> {
    if machine.end_rule() != EndRule::Loop || machine.is_abstract() {
        return Ok(None);
    }
    let mut meter = Meter::new(budget);
    let mut silence = Silence::new(machine, &mut meter)?;
    if !silence.is_silent.iter().any(|(_, &it)| it) {
        return Ok(None);
    }
    silence.summarise(&mut meter)?;
    silence.find_endless(&mut meter)?;
    Copying::new(machine, &silence).run(&mut meter).map(Some)
}

/// Which components are silent, and what they do.
struct Silence<'m> {
    machine: &'m Machine,
    is_silent: Table<CompId, bool>,
    is_labelled: Vec<bool>,
    /// The exits that a silent component reaches.
    exits: Table<CompId, Vec<ExitId>>,
    /// Whether a silent component may go on for ever.
    is_endless: Table<CompId, bool>,
    /// The nodes of silent components that are reached.
    is_reached: Vec<bool>,
}

impl<'m> Silence<'m> {
    fn new(machine: &'m Machine, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut is_labelled = vec![false; machine.node_count()];
        for (label, _) in machine.labels() {
            for node in machine.labelled(label) {
                meter.tick()?;
                is_labelled[node.index()] = true;
            }
        }
        let count = machine.component_count();
        let mut silence = Silence {
            machine,
            is_silent: Table::filled(true, count),
            is_labelled,
            exits: Table::filled(Vec::new(), count),
            is_endless: Table::filled(false, count),
            is_reached: vec![false; machine.node_count()],
        };
        for comp in machine.components() {
            meter.tick()?;
            silence.is_silent[comp] &= !silence.has_label(comp) && !silence.is_odd(comp);
            for &call in machine.boxes_of(comp) {
                silence.must_keep(call);
            }
        }
        let is_silent = &silence.is_silent;
        let mut open: Vec<CompId> = machine.components().filter(|&it| !is_silent[it]).collect();
        while let Some(comp) = open.pop() {
            for &call in machine.callers_of(comp) {
                meter.tick()?;
                let caller = machine.component_of_box(call);
                if std::mem::replace(&mut silence.is_silent[caller], false) {
                    open.push(caller);
                }
            }
        }
        Ok(silence)
    }

    fn has_label(&self, comp: CompId) -> bool {
        self.machine.nodes_of(comp).any(|node| self.is_labelled[node.index()])
    }

    /// Whether a component is none of those that are understood.
    fn is_odd(&self, comp: CompId) -> bool {
        let machine = self.machine;
        machine.entries_of(comp).len() != 1
            || machine.nodes_of(comp).any(|node| machine.edges(node).is_empty())
    }

    /// Keeps what is called by a box, or behind it, unless all that follows are steps.
    fn must_keep(&mut self, call: BoxId) {
        let machine = self.machine;
        let callee = machine.callee(call);
        for &exit in machine.exits_of(callee) {
            let edges = machine.site(call, exit).map_or(&[][..], |site| machine.edges_at(site));
            if edges.is_empty() || !edges.iter().all(|edge| matches!(edge, Edge::Step(_))) {
                self.is_silent[callee] = false;
            }
            for edge in edges {
                if let Edge::Call(behind, _) = edge {
                    self.is_silent[machine.callee(*behind)] = false;
                }
            }
        }
    }

    /// Finds which exits silent components reach.
    fn summarise(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = self.machine;
        let mut open: Vec<NodeId> = Vec::new();
        // The boxes by which a component was entered so far.
        let mut callers: FxHashMap<CompId, Vec<BoxId>> = FxHashMap::default();
        for comp in machine.components() {
            if self.is_silent[comp] {
                self.reach(machine.entries_of(comp)[0], &mut open);
            }
        }
        while let Some(node) = open.pop() {
            meter.tick()?;
            for &edge in machine.edges(node) {
                match edge {
                    Edge::Step(to) => self.reach(to, &mut open),
                    Edge::Call(call, _) => {
                        let callee = machine.callee(call);
                        callers.entry(callee).or_default().push(call);
                        for i in 0..self.exits[callee].len() {
                            self.pass(call, self.exits[callee][i], &mut open);
                        }
                    }
                    Edge::Return(exit) => {
                        let comp = machine.component_of(node);
                        if self.exits[comp].contains(&exit) {
                            continue;
                        }
                        self.exits[comp].push(exit);
                        for &call in callers.get(&comp).into_iter().flatten() {
                            self.pass(call, exit, &mut open);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, node: NodeId, open: &mut Vec<NodeId>) {
        if !std::mem::replace(&mut self.is_reached[node.index()], true) {
            open.push(node);
        }
    }

    /// Goes on where a call returns.
    fn pass(&mut self, call: BoxId, exit: ExitId, open: &mut Vec<NodeId>) {
        for to in behind(self.machine, call, exit) {
            self.reach(to, open);
        }
    }

    /// Finds which silent components may go on for ever.
    fn find_endless(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let (machine, this) = (self.machine, &*self);
        let successors = |node: NodeId| {
            let is_inside = this.is_reached[node.index()];
            let edges = if is_inside { machine.edges(node) } else { &[] };
            edges.iter().flat_map(|&edge| this.leads(edge))
        };
        let circles = Components::new(machine.node_count(), successors, meter)?;
        let mut goes_on = vec![false; circles.len()];
        // A circle comes after those that it leads to.
        for circle in circles.ids() {
            let members = circles.members(circle);
            let mut found = members.len() > 1;
            for &node in members {
                meter.tick()?;
                for to in successors(node) {
                    found |= to == node || goes_on[circles.of(to).index()];
                }
            }
            goes_on[circle.index()] = found;
        }
        for comp in machine.components().filter(|&comp| self.is_silent[comp]) {
            let entry = machine.entries_of(comp)[0];
            self.is_endless[comp] = goes_on[circles.of(entry).index()];
        }
        Ok(())
    }

    /// Where an edge of a silent component leads, over calls and into them.
    fn leads(&self, edge: Edge) -> Vec<NodeId> {
        match edge {
            Edge::Step(to) => vec![to],
            Edge::Call(call, entry) => {
                let mut found = vec![entry];
                found.extend(self.behind_call(call));
                found
            }
            Edge::Return(_) => Vec::new(),
        }
    }

    /// Where a call of a silent component may return to.
    fn behind_call(&self, call: BoxId) -> Vec<NodeId> {
        let exits = self.exits[self.machine.callee(call)].iter();
        exits.flat_map(|&exit| behind(self.machine, call, exit)).collect()
    }
}

/// Where the steps from a return site lead.
fn behind(machine: &Machine, call: BoxId, exit: ExitId) -> impl Iterator<Item = NodeId> + '_ {
    let edges = machine.site(call, exit).map_or(&[][..], |site| machine.edges_at(site));
    edges.iter().filter_map(|edge| match edge {
        Edge::Step(to) => Some(*to),
        _ => None,
    })
}

/// Copies what is not silent.
struct Copying<'a> {
    machine: &'a Machine,
    silence: &'a Silence<'a>,
    builder: Builder,
    comps: Table<CompId, Option<CompId>>,
    nodes: Vec<Option<NodeId>>,
    exits: Vec<Option<ExitId>>,
    boxes: Vec<Option<BoxId>>,
}

impl<'a> Copying<'a> {
    fn new(machine: &'a Machine, silence: &'a Silence<'a>) -> Self {
        Copying {
            machine,
            silence,
            builder: Builder::new(),
            comps: Table::filled(None, machine.component_count()),
            nodes: vec![None; machine.node_count()],
            exits: vec![None; machine.exit_count()],
            boxes: vec![None; machine.box_count()],
        }
    }

    fn run(mut self, meter: &mut Meter<'_>) -> Result<Machine, Limit> {
        let machine = self.machine;
        self.builder.dead_end_rule(machine.dead_end_rule());
        self.builder.end_rule(machine.end_rule());
        for comp in machine.components() {
            meter.tick()?;
            self.declare(comp);
        }
        // Boxes need the components that they call.
        for comp in machine.components().filter(|&comp| !self.silence.is_silent[comp]) {
            for &call in machine.boxes_of(comp) {
                if let (Some(comp), Some(callee)) = (self.comps[comp], self.loud_callee(call)) {
                    let name = machine.box_name(call);
                    self.boxes[call.index()] = Some(self.builder.call_box(comp, name, callee));
                }
            }
        }
        for comp in machine.components().filter(|&comp| !self.silence.is_silent[comp]) {
            for node in machine.nodes_of(comp) {
                meter.tick()?;
                self.edges(node);
            }
            for &call in machine.boxes_of(comp) {
                self.sites(call);
            }
        }
        for (label, name) in machine.labels() {
            let copied = self.builder.label_id(name);
            self.label(label, copied);
        }
        for &node in machine.initial() {
            let copy = self.initial(node);
            self.builder.initial(copy);
        }
        self.builder.names_are_unique();
        Ok(self.builder.finish().expect("what is copied is well-formed"))
    }

    fn label(&mut self, label: LabelId, copied: LabelId) {
        for node in self.machine.labelled(label) {
            let node = self.nodes[node.index()].expect("what has a label is not silent");
            self.builder.label_as(node, copied);
        }
    }

    /// The copy of what a box calls, unless that is silent.
    fn loud_callee(&self, call: BoxId) -> Option<CompId> {
        let callee = self.machine.callee(call);
        self.comps[callee].filter(|_| !self.silence.is_silent[callee])
    }

    /// Copies a component that is not silent, without boxes and edges.
    fn declare(&mut self, comp: CompId) {
        let machine = self.machine;
        if self.silence.is_silent[comp] {
            return;
        }
        let copy = self.builder.component(machine.component_name(comp));
        self.comps[comp] = Some(copy);
        for node in machine.nodes_of(comp) {
            let made = self.node(copy, node);
            if machine.is_entry(node) {
                self.builder.entry(made);
            }
        }
        for &exit in machine.exits_of(comp) {
            let made = self.builder.exit(copy, machine.exit_name(exit));
            self.exits[exit.index()] = Some(made);
        }
    }

    fn node(&mut self, comp: CompId, node: NodeId) -> NodeId {
        let made = self.builder.node(comp, self.machine.node_name(node));
        if let Some(origin) = self.machine.origin(node) {
            self.builder.origin(made, origin);
        }
        self.nodes[node.index()] = Some(made);
        made
    }

    /// The copy of an initial node. In a silent component nothing ever happens.
    fn initial(&mut self, node: NodeId) -> NodeId {
        if let Some(copy) = self.nodes[node.index()] {
            return copy;
        }
        let comp = self.machine.component_of(node);
        let copy = match self.comps[comp] {
            Some(copy) => copy,
            None => self.builder.component(self.machine.component_name(comp)),
        };
        self.comps[comp] = Some(copy);
        let made = self.node(copy, node);
        self.builder.edge(Place::Node(made), Edge::Step(made));
        made
    }

    fn copied(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()].expect("it is in the same component")
    }

    fn edges(&mut self, node: NodeId) {
        let machine = self.machine;
        let copy = self.copied(node);
        let mut steps: Vec<NodeId> = Vec::new();
        // Where silent calls from here lead, if the node itself is not silent.
        let mut apart: Vec<NodeId> = Vec::new();
        let mut others: Vec<Edge> = Vec::new();
        let (mut has_silent, mut is_endless) = (false, false);
        for &edge in machine.edges(node) {
            match edge {
                Edge::Step(to) => steps.push(self.copied(to)),
                Edge::Return(exit) => {
                    others.extend(self.exits[exit.index()].map(Edge::Return));
                }
                Edge::Call(call, entry) => match self.boxes[call.index()] {
                    Some(call) => others.push(Edge::Call(call, self.copied(entry))),
                    None => {
                        let behind = self.silence.behind_call(call);
                        apart.extend(behind.into_iter().map(|to| self.copied(to)));
                        has_silent = true;
                        is_endless |= self.silence.is_endless[machine.callee(call)];
                    }
                },
            }
        }
        let mut silent = copy;
        if has_silent && self.silence.is_labelled[node.index()] {
            let comp = self.comps[machine.component_of(node)].expect("it is copied");
            silent = self.builder.node(comp, &format!("{} call", machine.node_name(node)));
            if let Some(origin) = machine.origin(node) {
                self.builder.origin(silent, origin);
            }
            steps.push(silent);
        }
        apart.extend(is_endless.then_some(silent));
        if silent == copy {
            steps.append(&mut apart);
        }
        for (from, mut to) in [(copy, steps), (silent, apart)] {
            to.sort_unstable();
            to.dedup();
            for to in to {
                self.builder.edge(Place::Node(from), Edge::Step(to));
            }
        }
        for edge in others {
            self.builder.edge(Place::Node(copy), edge);
        }
    }

    /// Copies what follows the returns of a call.
    fn sites(&mut self, call: BoxId) {
        let machine = self.machine;
        let Some(copy) = self.boxes[call.index()] else { return };
        for (exit, site) in machine.sites_of(call) {
            let Some(exit) = self.exits[exit.index()] else { continue };
            for &edge in machine.edges_at(site) {
                let edge = match edge {
                    Edge::Step(to) => Some(Edge::Step(self.copied(to))),
                    Edge::Return(exit) => self.exits[exit.index()].map(Edge::Return),
                    Edge::Call(call, entry) => {
                        self.boxes[call.index()].map(|call| Edge::Call(call, self.copied(entry)))
                    }
                };
                if let Some(edge) = edge {
                    self.builder.edge(Place::Site(copy, exit), edge);
                }
            }
        }
    }
}
