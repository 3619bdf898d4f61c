//! The pushdown system of a machine: a step is a rule, one to one.
//!
//! # Nodes on the stack
//! Where a box goes on at one and the same node however its callee returns, a program is written
//! down as people do: one control state `q`, and the node on top of the stack, above the nodes at
//! which pending calls will go on.
//! ```text
//! n has step m         q <n> --> q <m>
//! n has call b en      q <n> --> q <en m>      if every return site of b has the one edge step m
//! n has return x       q <n> --> q <>
//! ```
//! With the end rule `loop`, the nodes of the outermost component are others than those of its
//! calls, and stay where they are when they return.
//!
//! # Nodes as control states
//! All other machines: the node is the control state, and the stack holds boxes above a bottom ⊥.
//! The rules of a node are written once for each symbol σ on top of which it can be: the boxes that
//! call its component, and ⊥ for the component of the start.
//! ```text
//! n has step m         n <σ> --> m <σ>
//! n has call c en      n <σ> --> en <c σ>
//! n has return x       n <b> --> m <>          for each step m of the return site (b, x)
//!                      n <b> --> en <c>        for each call c en of it
//!                      n <⊥> --> n <⊥>         at the end; with the end rule `sink`,
//!                                              n <⊥> --> n <>
//! ```
//!
//! # Why every formula keeps its truth
//! In both cases a configuration of the machine is one of the system: the nodes at which calls go
//! on, or the boxes, are the stack. They have the same labels, and the tables above are the step
//! relation of machines. A pop of the last symbol leads to a state without labels, as the sink is.

use super::{ControlId, Head, Right, Rule, SymbolId, System, WordId};
use crate::problem::Problem;
use crate::rules;
use rustc_hash::FxHashSet;
use tern_model::{BoxId, Edge, EndRule, Id, Machine, NodeId};

/// A system, and all heads that configurations of the machine have.
pub(crate) struct Flat {
    pub(crate) system: System,
    pub(crate) heads: Vec<Head>,
}

/// The pushdown system of a machine. `reserved` are names that it must not use.
///
/// # Errors
/// What a pushdown system cannot say, under the code of the format.
pub(crate) fn flatten(
    machine: &Machine,
    reserved: &[&str],
    code: &'static str,
) -> Result<Flat, Vec<Problem>> {
    let mut problems = Vec::new();
    if machine.initial().len() > 1 {
        let hint = "write .tern instead, or one file for each initial node";
        let message = "a pushdown system starts with one configuration, this machine with several";
        problems.push(Problem::error(code, message).hint(hint));
    }
    if rules::forbids_dead_ends(machine) {
        let message = "a pushdown system cannot say that dead ends are errors";
        problems.push(Problem::error(code, message).hint("write .tern instead"));
    }
    if machine.is_abstract() {
        let message = "a pushdown system has no edges that are only possible, nor unknown labels";
        problems.push(Problem::error(code, message).hint("write .tern instead"));
    }
    let [start] = *machine.initial() else { return Err(problems) };
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut flattener = Flattener {
        machine,
        start,
        names: Names {
            machine,
            taken: reserved.iter().map(|&name| name.to_owned()).collect(),
            seen: names_seen_twice(machine),
        },
        flat: Flat { system: System::default(), heads: Vec::new() },
    };
    let targets: Option<Vec<Option<NodeId>>> =
        machine.boxes().map(|it| one_target(machine, it)).collect();
    match targets {
        Some(targets) => flattener.nodes_on_the_stack(&targets),
        None => flattener.nodes_as_control_states(),
    }
    Ok(flattener.flat)
}

/// Where a box goes on however its callee returns; none inside if its callee never does. `None` if
/// that depends on the exit, or is no single step.
fn one_target(machine: &Machine, call: BoxId) -> Option<Option<NodeId>> {
    let mut target = None;
    for &exit in machine.exits_of(machine.callee(call)) {
        if machine.return_sources(exit).is_empty() {
            continue;
        }
        let [Edge::Step(to)] = *machine.edges_at(machine.site(call, exit)?) else { return None };
        if target.is_some_and(|known| known != to) {
            return None;
        }
        target = Some(to);
    }
    Some(target)
}

fn names_seen_twice(machine: &Machine) -> FxHashSet<String> {
    let (mut once, mut twice) = (FxHashSet::default(), FxHashSet::default());
    for node in machine.nodes() {
        let name = machine.node_name(node);
        if !once.insert(name) {
            twice.insert(name.to_owned());
        }
    }
    twice
}

/// Finds names for control states and symbols.
struct Names<'m> {
    machine: &'m Machine,
    taken: FxHashSet<String>,
    /// The names that nodes of several components have.
    seen: FxHashSet<String>,
}

impl Names<'_> {
    fn of_node(&self, node: NodeId) -> String {
        let name = self.machine.node_name(node);
        match self.seen.contains(name) {
            true => self.machine.node_path(node),
            false => name.to_owned(),
        }
    }

    /// The name, with other signs for what would mean something in a text, and made different from
    /// all others. A name that is also a label is only for the one node that has that label: stack
    /// symbols are labels.
    fn free(&mut self, name: &str, node: Option<NodeId>) -> String {
        let odd = |c: char| c.is_whitespace() || "<>;\"".contains(c);
        let mut name: String = name.chars().map(|c| if odd(c) { '_' } else { c }).collect();
        if name.is_empty() || name == "_" || name == "->" || name.starts_with('(') {
            name.insert(0, 'n');
        }
        let fits = |name: &str| match self.machine.label(name) {
            Some(label) => node.is_some_and(|node| {
                let labelled = self.machine.labelled(label);
                labelled.len() == 1 && labelled.contains(node)
            }),
            None => true,
        };
        while self.taken.contains(&name) || !fits(&name) {
            name.push('\'');
        }
        self.taken.insert(name.clone());
        name
    }
}

struct Flattener<'m> {
    machine: &'m Machine,
    start: NodeId,
    names: Names<'m>,
    flat: Flat,
}

impl Flattener<'_> {
    fn rule(&mut self, head: Head, control: ControlId, word: &[SymbolId]) {
        let push = self.flat.system.words.push(word);
        let right = Right { control, push };
        self.flat.system.rules.push(Rule { head, right, at: 0 });
    }

    fn symbol(&mut self, name: &str) -> SymbolId {
        self.flat.system.symbols.intern(name)
    }

    fn nodes_on_the_stack(&mut self, targets: &[Option<NodeId>]) {
        let machine = self.machine;
        let name = self.names.free("q", None);
        let q = self.flat.system.controls.intern(&name);
        let labels = machine.labels_by_node();
        let outermost = machine.component_of(self.start);
        let is_loop = machine.end_rule() == EndRule::Loop;
        let has_copies = is_loop && !machine.callers_of(outermost).is_empty();
        // The symbol of each node, and of its copy at the bottom.
        let mut symbols: [Vec<Option<SymbolId>>; 2] =
            [vec![None; machine.node_count()], vec![None; machine.node_count()]];
        for (bottom, symbols) in symbols.iter_mut().enumerate() {
            for node in machine.nodes() {
                if bottom == 1 && !(has_copies && machine.component_of(node) == outermost) {
                    continue;
                }
                let name = match bottom {
                    0 => {
                        let name = self.names.of_node(node);
                        self.names.free(&name, Some(node))
                    }
                    _ => self.names.free(&format!("{}_end", machine.node_name(node)), None),
                };
                let symbol = self.flat.system.symbols.intern(&name);
                symbols[node.index()] = Some(symbol);
                self.flat.heads.push(Head { control: q, symbol });
                for &label in labels.of(node) {
                    let label = self.flat.system.labels.intern(machine.label_name(label));
                    self.flat.system.of_symbols.push((symbol, label));
                }
            }
        }
        let mut below: Vec<Option<SymbolId>> = vec![None; machine.box_count()];
        for (bottom, own) in symbols.iter().enumerate() {
            for node in machine.nodes() {
                let Some(symbol) = own[node.index()] else { continue };
                let head = Head { control: q, symbol };
                let ends = is_loop
                    && machine.component_of(node) == outermost
                    && (bottom == 1 || !has_copies);
                for &edge in machine.edges(node) {
                    match edge {
                        Edge::Step(to) => self.rule(head, q, own[to.index()].as_slice()),
                        Edge::Return(_) if ends => self.rule(head, q, &[symbol]),
                        Edge::Return(_) => self.rule(head, q, &[]),
                        Edge::Call(call, entry) => {
                            let after = targets[call.index()].and_then(|to| own[to.index()]);
                            let after = after.or(below[call.index()]).unwrap_or_else(|| {
                                let name = self.names.free(&machine.box_path(call), None);
                                self.flat.system.symbols.intern(&name)
                            });
                            if targets[call.index()].is_none() {
                                below[call.index()] = Some(after);
                            }
                            let entry = symbols[0][entry.index()].into_iter();
                            let word: Vec<SymbolId> = entry.chain([after]).collect();
                            self.rule(head, q, &word);
                        }
                    }
                }
            }
        }
        let own = if has_copies { &symbols[1] } else { &symbols[0] };
        let start = own[self.start.index()].map(|symbol| (Head { control: q, symbol }, None));
        self.flat.system.start = start;
    }

    fn nodes_as_control_states(&mut self) {
        let machine = self.machine;
        let labels = machine.labels_by_node();
        let mut controls: Vec<ControlId> = Vec::new();
        for node in machine.nodes() {
            // A `#` at the beginning of a line is a comment.
            let name = self.names.of_node(node).replace('#', "_");
            let name = self.names.free(&name, None);
            let control = self.flat.system.controls.intern(&name);
            controls.push(control);
            for &label in labels.of(node) {
                let label = self.flat.system.labels.intern(machine.label_name(label));
                self.flat.system.of_controls.push((control, label));
            }
        }
        let mut boxes: Vec<SymbolId> = Vec::new();
        for call in machine.boxes() {
            let name = self.names.free(&machine.box_path(call), None);
            boxes.push(self.symbol(&name));
        }
        let name = self.names.free("end", None);
        let bottom = self.symbol(&name);
        let outermost = machine.component_of(self.start);
        for node in machine.nodes() {
            let component = machine.component_of(node);
            let calls = machine.callers_of(component).iter().map(|&call| Some(call));
            let tops = calls.chain((component == outermost).then_some(None));
            for top in tops.collect::<Vec<_>>() {
                let symbol = top.map_or(bottom, |call| boxes[call.index()]);
                let head = Head { control: controls[node.index()], symbol };
                self.flat.heads.push(head);
                for &edge in machine.edges(node) {
                    self.rule_of_control(head, top, edge, &controls, &boxes);
                }
            }
        }
        let control = controls[self.start.index()];
        self.flat.system.start = Some((Head { control, symbol: bottom }, None::<WordId>));
    }

    fn rule_of_control(
        &mut self,
        head: Head,
        top: Option<BoxId>,
        edge: Edge,
        controls: &[ControlId],
        boxes: &[SymbolId],
    ) {
        let machine = self.machine;
        match (edge, top) {
            (Edge::Step(to), _) => self.rule(head, controls[to.index()], &[head.symbol]),
            (Edge::Call(call, entry), _) => {
                let word = [boxes[call.index()], head.symbol];
                self.rule(head, controls[entry.index()], &word);
            }
            (Edge::Return(exit), Some(top)) => {
                let site = machine.site(top, exit);
                for &onward in site.map_or(&[][..], |site| machine.edges_at(site)) {
                    match onward {
                        Edge::Step(to) => self.rule(head, controls[to.index()], &[]),
                        Edge::Call(call, entry) => {
                            let word = [boxes[call.index()]];
                            self.rule(head, controls[entry.index()], &word);
                        }
                        Edge::Return(_) => {} // no return site has one
                    }
                }
            }
            (Edge::Return(_), None) => match machine.end_rule() {
                EndRule::Loop => self.rule(head, head.control, &[head.symbol]),
                EndRule::Sink => self.rule(head, head.control, &[]),
            },
        }
    }
}
