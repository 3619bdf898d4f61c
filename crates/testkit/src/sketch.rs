//! Machines and formulas in a few lines of text, for tests, and machines back to text.
//!
//! A machine is written line by line:
//! ```text
//! end sink                          what happens at the end; the default is `end loop`
//! component main
//!   box b = sub                     a box and the component it calls
//!   * start p q -> mid, b.in        a node: initial (*), its labels, then its edges:
//!   mid -> ^done                        step to a node, call a box at an entry, return by an exit
//!   b.out -> mid, b.in              a return site and its edges
//!   exits done                      the exits of the component
//! component sub
//!   > in -> ^out                    a node that is an entry (>)
//!   exits out
//! ```
//! A label or an edge with a question mark is unknown, or only possible:
//! `start p q? -> mid?, b.in`. A formula is written operator first, with spaces between all
//! symbols, and so needs neither precedence nor parentheses: `A G -> p E U p q` is AG (p -> E[p U
//! q]).
//!
//! This is no input format: it is for writers of tests, and anything wrong is a panic.

use std::collections::BTreeMap;
use std::fmt::Write;
use tern_model::{
    BoxId, Builder, CompId, Edge, EndRule, ExitId, Formula, FormulaId, Formulas, Machine, NodeId,
    Place, PlaceId, Surety,
};

/// The machine of a text.
///
/// # Panics
/// If the text is not as above.
pub fn machine(text: &str) -> Machine {
    let mut builder = Builder::new();
    let mut names = Names::default();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .filter(|l: &Vec<_>| !l.is_empty())
        .collect();

    // Components first, because boxes name them; then all that edges name; then the edges.
    for line in &lines {
        if let ["component", name] = line[..] {
            names.components.insert(name, builder.component(name));
        }
    }
    let mut edges: Vec<(CompId, &str, Vec<&str>)> = Vec::new();
    let mut current: Option<CompId> = None;
    for line in &lines {
        match line[..] {
            ["component", name] => current = Some(names.components[name]),
            ["end", "sink"] => builder.end_rule(EndRule::Sink),
            ["end", "loop"] => builder.end_rule(EndRule::Loop),
            _ => {
                let comp = current.unwrap_or_else(|| panic!("no component before: {line:?}"));
                match line[..] {
                    ["box", name, "=", callee] => {
                        let callee = names.components[callee];
                        names
                            .boxes
                            .insert((comp, name), (builder.call_box(comp, name, callee), callee));
                    }
                    ["exits", ..] => {
                        for &name in &line[1..] {
                            names.exits.insert((comp, name), builder.exit(comp, name));
                        }
                    }
                    _ => edges.push(names.place(&mut builder, comp, line)),
                }
            }
        }
    }
    for (comp, from, targets) in edges {
        let place = match from.split_once('.') {
            None => Place::Node(names.node(comp, from)),
            Some((call, exit)) => {
                let (call, callee) = names.call(comp, call);
                Place::Site(call, names.exit(callee, exit))
            }
        };
        for target in targets {
            let sure = target.trim_end_matches('?');
            let surety = if sure == target { Surety::Sure } else { Surety::Possible };
            let target = sure;
            let edge = match (target.strip_prefix('^'), target.split_once('.')) {
                (Some(exit), _) => Edge::Return(names.exit(comp, exit)),
                (None, Some((call, entry))) => {
                    let (call, callee) = names.call(comp, call);
                    Edge::Call(call, names.node(callee, entry))
                }
                (None, None) => Edge::Step(names.node(comp, target)),
            };
            builder.edge_of(place, edge, surety);
        }
    }
    builder.finish().unwrap_or_else(|flaws| panic!("{flaws:#?}"))
}

#[derive(Default)]
struct Names<'a> {
    components: BTreeMap<&'a str, CompId>,
    nodes: BTreeMap<(CompId, &'a str), NodeId>,
    /// With the component that is called.
    boxes: BTreeMap<(CompId, &'a str), (BoxId, CompId)>,
    exits: BTreeMap<(CompId, &'a str), ExitId>,
}

impl<'a> Names<'a> {
    /// Reads a line of a node or return site, and adds the node. Gives the place and its targets.
    fn place(
        &mut self,
        builder: &mut Builder,
        comp: CompId,
        line: &[&'a str],
    ) -> (CompId, &'a str, Vec<&'a str>) {
        let arrow = line.iter().position(|&word| word == "->").unwrap_or(line.len());
        let targets = line.iter().skip(arrow + 1).map(|word| word.trim_end_matches(',')).collect();
        let is_mark = |word: &&&str| matches!(**word, "*" | ">");
        let marks = line[..arrow].iter().take_while(is_mark).count();
        let name = line[marks];
        if !name.contains('.') {
            let node = builder.node(comp, name);
            self.nodes.insert((comp, name), node);
            for &mark in &line[..marks] {
                if mark == "*" { builder.initial(node) } else { builder.entry(node) }
            }
            for label in &line[marks + 1..arrow] {
                match label.strip_suffix('?') {
                    Some(label) => builder.unknown_label(node, label),
                    None => builder.label(node, label),
                }
            }
        }
        (comp, name, targets)
    }

    fn node(&self, comp: CompId, name: &str) -> NodeId {
        *self.nodes.get(&(comp, name)).unwrap_or_else(|| panic!("no node `{name}`"))
    }

    fn exit(&self, comp: CompId, name: &str) -> ExitId {
        *self.exits.get(&(comp, name)).unwrap_or_else(|| panic!("no exit `{name}`"))
    }

    fn call(&self, comp: CompId, name: &str) -> (BoxId, CompId) {
        *self.boxes.get(&(comp, name)).unwrap_or_else(|| panic!("no box `{name}`"))
    }
}

/// A machine as text that reads back as the same machine, if its names have no special characters.
pub fn show(machine: &Machine) -> String {
    let mut text = match machine.end_rule() {
        EndRule::Loop => String::from("end loop\n"),
        EndRule::Sink => String::from("end sink\n"),
    };
    let (labels, unknown) = (machine.labels_by_node(), machine.unknown_by_node());
    for comp in machine.components() {
        line(&mut text, format_args!("component {}", machine.component_name(comp)));
        for &call in machine.boxes_of(comp) {
            let callee = machine.component_name(machine.callee(call));
            line(&mut text, format_args!("  box {} = {callee}", machine.box_name(call)));
        }
        for node in machine.nodes_of(comp) {
            let mut words = vec![];
            words.extend(machine.initial().contains(&node).then_some("*"));
            words.extend(machine.is_entry(node).then_some(">"));
            words.push(machine.node_name(node));
            let sure = labels.of(node).iter().map(|&label| (machine.label_name(label), ""));
            let doubtful = unknown.of(node).iter().map(|&label| (machine.label_name(label), "?"));
            let mut names: Vec<(&str, &str)> = sure.chain(doubtful).collect();
            names.sort_unstable();
            let names: Vec<String> =
                names.iter().map(|(name, mark)| format!("{name}{mark}")).collect();
            words.extend(names.iter().map(String::as_str));
            let edges = edges(machine, machine.node_place(node));
            line(&mut text, format_args!("  {}{edges}", words.join(" ")));
        }
        for &call in machine.boxes_of(comp) {
            for (exit, site) in machine.sites_of(call) {
                let (call, exit) = (machine.box_name(call), machine.exit_name(exit));
                line(&mut text, format_args!("  {call}.{exit}{}", edges(machine, site)));
            }
        }
        let exits: Vec<&str> =
            machine.exits_of(comp).iter().map(|&exit| machine.exit_name(exit)).collect();
        if !exits.is_empty() {
            line(&mut text, format_args!("  exits {}", exits.join(" ")));
        }
    }
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a string takes everything");
}

fn edges(machine: &Machine, place: PlaceId) -> String {
    let targets: Vec<String> = machine
        .edges_with_surety(place)
        .map(|(edge, surety)| {
            let target = match edge {
                Edge::Step(to) => machine.node_name(to).to_owned(),
                Edge::Call(call, entry) => {
                    format!("{}.{}", machine.box_name(call), machine.node_name(entry))
                }
                Edge::Return(exit) => format!("^{}", machine.exit_name(exit)),
            };
            target + if surety == Surety::Sure { "" } else { "?" }
        })
        .collect();
    if targets.is_empty() { String::new() } else { format!(" -> {}", targets.join(", ")) }
}

/// The formula of a text, operator first.
///
/// # Panics
/// If operands are missing or left over.
pub fn formula(formulas: &mut Formulas, text: &str) -> FormulaId {
    // From the back, so that the operands of an operator are on the stack before it, first on top.
    let mut stack: Vec<FormulaId> = Vec::new();
    for word in text.split_whitespace().rev() {
        let mut operand =
            || stack.pop().unwrap_or_else(|| panic!("`{word}` lacks operands: {text}"));
        let made = match word {
            "true" => Formula::True,
            "false" => Formula::False,
            "!" => Formula::Not(operand()),
            "&" => Formula::And(operand(), operand()),
            "|" => Formula::Or(operand(), operand()),
            "->" => Formula::Implies(operand(), operand()),
            "<->" => Formula::Iff(operand(), operand()),
            "xor" => Formula::Xor(operand(), operand()),
            "E" => Formula::Exists(operand()),
            "A" => Formula::All(operand()),
            "X" => Formula::Next(operand()),
            "F" => Formula::Finally(operand()),
            "G" => Formula::Globally(operand()),
            "U" => Formula::Until(operand(), operand()),
            "R" => Formula::Release(operand(), operand()),
            "W" => Formula::WeakUntil(operand(), operand()),
            "M" => Formula::StrongRelease(operand(), operand()),
            atom => {
                let atom = formulas.atom(atom);
                stack.push(atom);
                continue;
            }
        };
        let made = formulas.make(made);
        stack.push(made);
    }
    assert_eq!(stack.len(), 1, "not one formula: {text}");
    stack[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_machine_reads_back() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let shape = crate::sample::Shape::default();
            let made = match seed % 2 {
                0 => crate::sample::machine(&mut rng, &shape),
                _ => crate::sample::abstract_machine(&mut rng, &shape),
            };
            let text = show(&made);
            assert_eq!(show(&machine(&text)), text, "seed {seed}");
        }
    }

    #[test]
    fn formulas_are_read_operator_first() {
        let mut formulas = Formulas::new();
        let id = formula(&mut formulas, "A G -> p E U p ! q");
        assert_eq!(formulas.show(id).to_string(), "AG (p -> E [p U !q])");
    }
}
