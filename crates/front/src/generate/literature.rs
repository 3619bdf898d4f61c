//! The random machines and formulas of the RSM literature.
//!
//! Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines, SoSyM 2024,
//! section 7.2, check machine i against formula j for all i and j up to 50. The article gives the
//! sizes; the rest is as in the scripts of its tool RSMCheck. Understood here as:
//!
//! * A machine of size i has i components, each with ⌊i/3⌋ boxes and 3i nodes.
//! * The first node of a component is an entry and the second an exit. Of the others 5 % are
//!   entries, and 5 % of the rest exits, by lot. A box calls any component, its own included.
//! * *Connectivity 20 %*: every pair of a source and a target is an edge with this chance. Sources
//!   are the nodes that are no exits and all return sites of all boxes; targets are the nodes that
//!   are no entries, and all entries of the callees of all boxes. Sites thus call straight on at
//!   times, and a node can be a dead end by chance.
//! * Nodes are labelled a (40 %), b (60 %) and c (50 %), by lot. The first node of the first
//!   component is initial.
//! * A formula of size j has quantifier depth ⌊j/9⌋: the outermost operator is one of `EX`, `EG`,
//!   `EU`; an operand of depth d > 0 joins up to *branching* (2) operators by `&` or `|`, the first
//!   with an operand of depth d − 1, the others of any smaller depth; an operand of depth 0 joins
//!   some of a, b and c. Every operator and every proposition is negated with chance 1/2. `EU` has
//!   one operand of depth d − 1 and another of any smaller depth, in either order.
//!
//! Nothing is known of verdicts, so machines come without claims.

use super::parts::{entry, exit, percent, pick};
use super::{Family, Make, Model, Parameter, Parameters, model};
use fastrand::Rng;
use tern_model::{
    BoxId, Builder, Claim, Claims, Edge, ExitId, Formula, FormulaId, Formulas, NodeId, Place,
};

pub(super) const MACHINES: Family = Family {
    name: "literature",
    about: "random machines as the RSM literature measures engines with; no claims",
    size: "components; each has a third as many boxes and three times as many nodes",
    most: 200,
    parameters: &[
        Parameter {
            name: "density",
            about: "of all possible edges, percent that there are",
            default: 20,
            least: 0,
            most: 100,
        },
        Parameter {
            name: "ports",
            about: "of all nodes, percent that are entries, and again that are exits",
            default: 5,
            least: 0,
            most: 100,
        },
    ],
    make: Make::Machine(machine),
};

pub(super) const FORMULAS: Family = Family {
    name: "literature",
    about: "random CTL formulas over a, b and c, as the RSM literature measures engines with",
    size: "nine times the quantifier depth",
    most: 108,
    parameters: &[Parameter {
        name: "branching",
        about: "operators that are joined in an operand, at most",
        default: 2,
        least: 1,
        most: 4,
    }],
    make: Make::Formula(formula),
};

/// Labels, and how many nodes in a hundred have them.
const LABELS: [(&str, usize); 3] = [("a", 40), ("b", 60), ("c", 50)];

#[derive(Default)]
struct Inside {
    /// Where edges begin.
    sources: Vec<Place>,
    /// Where steps end.
    targets: Vec<NodeId>,
    entries: Vec<NodeId>,
    exits: Vec<ExitId>,
    boxes: Vec<(BoxId, usize)>,
}

fn machine(p: &Parameters) -> Model {
    let (mut rng, mut b) = (p.rng(), Builder::new());
    let ids: Vec<_> = (0..p.size).map(|i| b.component(&format!("c{i}"))).collect();
    let mut components: Vec<Inside> = Vec::with_capacity(p.size);
    for &comp in &ids {
        let mut inside = Inside::default();
        for i in 0..3 * p.size {
            let name = format!("n{i}");
            let is_entry = i == 0 || i > 1 && percent(&mut rng, p.get("ports"));
            let is_exit = i == 1 || !is_entry && percent(&mut rng, p.get("ports"));
            let node = if is_entry {
                let node = entry(&mut b, comp, &name, &[]);
                inside.entries.push(node);
                node
            } else if is_exit {
                let (node, exit) = exit(&mut b, comp, &name);
                inside.exits.push(exit);
                node
            } else {
                b.node(comp, &name)
            };
            if !is_exit {
                inside.sources.push(Place::Node(node));
            }
            if !is_entry {
                inside.targets.push(node);
            }
            for (label, chance) in LABELS {
                if percent(&mut rng, chance) {
                    b.label(node, label);
                }
            }
        }
        for i in 0..p.size / 3 {
            let callee = rng.usize(..p.size);
            inside.boxes.push((b.call_box(comp, &format!("b{i}"), ids[callee]), callee));
        }
        components.push(inside);
    }
    for inside in &components {
        let sites = inside.boxes.iter().flat_map(|&(call, callee)| {
            components[callee].exits.iter().map(move |&exit| Place::Site(call, exit))
        });
        let calls = inside.boxes.iter().flat_map(|&(call, callee)| {
            components[callee].entries.iter().map(move |&entry| Edge::Call(call, entry))
        });
        let steps = inside.targets.iter().map(|&node| Edge::Step(node));
        let targets: Vec<Edge> = steps.chain(calls).collect();
        for source in inside.sources.iter().copied().chain(sites) {
            for &target in &targets {
                if percent(&mut rng, p.get("density")) {
                    b.edge(source, target);
                }
            }
        }
    }
    b.initial(components[0].entries[0]);
    model(b, &[])
}

fn formula(p: &Parameters) -> Claims {
    let mut claims = Claims::new();
    let mut random =
        Random { rng: p.rng(), branching: p.get("branching"), formulas: &mut claims.formulas };
    let formula = match p.size / 9 {
        0 => random.operand(0),
        depth => random.operator(depth),
    };
    claims.push(Claim::new(formula));
    claims
}

struct Random<'a> {
    rng: Rng,
    branching: usize,
    formulas: &'a mut Formulas,
}

impl Random<'_> {
    /// A formula of this quantifier depth.
    fn operand(&mut self, depth: usize) -> FormulaId {
        let parts: Vec<FormulaId> = if depth == 0 {
            let mut names: Vec<&str> = LABELS.iter().map(|&(name, _)| name).collect();
            self.rng.shuffle(&mut names);
            names.truncate(self.rng.usize(1..=names.len()));
            let atoms: Vec<_> = names.into_iter().map(|name| self.formulas.atom(name)).collect();
            atoms.into_iter().map(|atom| self.perhaps_not(atom)).collect()
        } else {
            let count = self.rng.usize(1..=self.branching);
            let mut parts = vec![self.operator(depth)];
            for _ in 1..count {
                let less = self.rng.usize(1..=depth);
                parts.push(self.operator(less));
            }
            parts
        };
        let join = |this: &mut Self, f, g| {
            let connective = pick(&mut this.rng, &[Formula::And, Formula::Or]);
            this.formulas.make(connective(f, g))
        };
        parts.into_iter().reduce(|f, g| join(self, f, g)).expect("there is at least one")
    }

    /// A temporal operator of this quantifier depth, which is positive.
    fn operator(&mut self, depth: usize) -> FormulaId {
        let f = self.operand(depth - 1);
        let path = match self.rng.usize(..3) {
            0 => Formula::Next(f),
            1 => Formula::Globally(f),
            _ => {
                let less = self.rng.usize(..depth);
                let g = self.operand(less);
                if self.rng.bool() { Formula::Until(f, g) } else { Formula::Until(g, f) }
            }
        };
        let path = self.formulas.make(path);
        let operator = self.formulas.make(Formula::Exists(path));
        self.perhaps_not(operator)
    }

    fn perhaps_not(&mut self, f: FormulaId) -> FormulaId {
        if self.rng.bool() { self.formulas.make(Formula::Not(f)) } else { f }
    }
}
