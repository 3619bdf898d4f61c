//! All machines of a tiny shape, and formulas worth asking about them.
//!
//! A family of tiny machines has one component of 1 to 3 nodes, at most two exits, at most one box,
//! which calls the component itself, and one label, `p`. The first node is the only entry and the
//! only initial node. Everything else is free, and each free choice is one bit:
//! ```text
//! of each node          labelled or not; a step to each node; a call, if there is a box;
//!                       a return by each exit
//! of each return site   a step to each node; a call
//! of the machine        the rule for the end
//! ```
//! So with n nodes and e exits, the machines with a box are the numbers below
//! 2^(n·(1 + n + 1 + e) + e·(n + 1) + 1), those without below 2^(n·(1 + n + e) + 1), and *no*
//! machine of the family is left out:
//! ```text
//!             e = 0       1         2          without a box: e = 0       1        2
//! n = 1          16     128      1024                          8        16       32
//! n = 2         512   16384    524288                        128       512     2048
//! n = 3       65536     2^23      2^30                      8192     65536   524288
//! ```
//! The small families are meant to be gone through as a whole, the others in strides. A stride must
//! be odd: then, as the size is a power of two, ever more strides visit every machine.

use tern_model::{
    Builder, Edge, EndRule, ExitId, Formula, FormulaId, Formulas, Machine, NodeId, Place,
};

/// Machines that differ in their edges, labels and rule for the end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// How many nodes; 1 to 3.
    pub nodes: usize,
    /// How many exits; 0 to 2.
    pub exits: usize,
    /// Whether there is a box.
    pub recursive: bool,
}

impl Family {
    /// All 18 families, small ones first.
    pub fn all() -> Vec<Family> {
        let mut families: Vec<Family> = (1..=3)
            .flat_map(|nodes| (0..=2).map(move |exits| (nodes, exits)))
            .flat_map(|(nodes, exits)| {
                [false, true].map(|recursive| Family { nodes, exits, recursive })
            })
            .collect();
        families.sort_by_key(|family| family.size());
        families
    }

    /// How many machines there are.
    pub fn size(self) -> u64 {
        let onwards = self.nodes + usize::from(self.recursive);
        let sites = if self.recursive { self.exits } else { 0 };
        1 << (self.nodes * (1 + onwards + self.exits) + sites * onwards + 1)
    }

    /// All machines whose number is `first` plus a multiple of `stride`.
    pub fn machines(self, first: u64, stride: u64) -> impl Iterator<Item = Machine> {
        let stride = usize::try_from(stride).expect("a stride fits into a word");
        (first..self.size()).step_by(stride).map(move |number| self.machine(number))
    }

    /// The machine of a number below [`Family::size`].
    pub fn machine(self, number: u64) -> Machine {
        assert!(number < self.size(), "the family has only {} machines", self.size());
        let mut choices = number;
        let mut choose = || {
            let bit = choices & 1 == 1;
            choices >>= 1;
            bit
        };
        let mut builder = Builder::new();
        let comp = builder.component("c");
        let nodes: Vec<NodeId> =
            (0..self.nodes).map(|i| builder.node(comp, &format!("n{i}"))).collect();
        let exits: Vec<ExitId> =
            (0..self.exits).map(|i| builder.exit(comp, &format!("x{i}"))).collect();
        builder.entry(nodes[0]);
        builder.initial(nodes[0]);
        let mut onwards: Vec<Edge> = nodes.iter().map(|&node| Edge::Step(node)).collect();
        let call = self.recursive.then(|| builder.call_box(comp, "b", comp));
        onwards.extend(call.map(|call| Edge::Call(call, nodes[0])));

        if choose() {
            builder.end_rule(EndRule::Sink);
        }
        for &node in &nodes {
            if choose() {
                builder.label(node, "p");
            }
            let returns = exits.iter().map(|&exit| Edge::Return(exit));
            for edge in onwards.iter().copied().chain(returns) {
                if choose() {
                    builder.edge(Place::Node(node), edge);
                }
            }
        }
        if let Some(call) = call {
            for &exit in &exits {
                for &edge in &onwards {
                    if choose() {
                        builder.edge(Place::Site(call, exit), edge);
                    }
                }
            }
        }
        builder.finish().expect("only sound parts are put in")
    }
}

/// Formulas about `p`, operator first as [`sketch`](crate::sketch) reads them: each operator alone,
/// operators in operators, and chains of next steps, which see every call and return.
pub const FORMULAS: [&str; 44] = [
    "p",
    "E X p",
    "A X p",
    "E F p",
    "A F p",
    "E G p",
    "A G p",
    "E U p ! p",
    "A U p ! p",
    "E R p ! p",
    "A R p ! p",
    "E W p ! p",
    "A W p ! p",
    "E M p ! p",
    "A M p ! p",
    "E X E X p",
    "E X A X p",
    "A X E X p",
    "A X A X p",
    "E X E X E X p",
    "A X A X A X p",
    "E X & p E X ! p",
    "A X -> p A X p",
    "A G E F p",
    "E F A G p",
    "A G A F p",
    "E F E G p",
    "A F A G p",
    "E G E F p",
    "E G A F p",
    "A F E G p",
    "E G E X p",
    "A G E X p",
    "E F & p E X p",
    "A G -> p A X ! p",
    "E G xor p E X p",
    "E U p A X ! p",
    "A U E X p ! p",
    "E R A X p p",
    "A R ! p E F p",
    "A W E F p E G ! p",
    "E M A G p E X p",
    "A G <-> p E X E X p",
    "A U E F p A G ! p",
];

/// [`FORMULAS`] in an arena.
pub fn formulas(formulas: &mut Formulas) -> Vec<FormulaId> {
    FORMULAS.iter().map(|text| crate::sketch::formula(formulas, text)).collect()
}

/// All formulas of LTL about `p` in which `! X F G & | U R W M` are nested at most `depth` deep,
/// each once, shallow ones first. There is 1 of depth 0, and with n of a depth there are 1 + 4n +
/// 6n² of the next: 11 of depth 1, and 771 of depth 2.
pub fn ltl_formulas(formulas: &mut Formulas, depth: usize) -> Vec<FormulaId> {
    let unary = [Formula::Not, Formula::Next, Formula::Finally, Formula::Globally];
    let binary = [
        Formula::And,
        Formula::Or,
        Formula::Until,
        Formula::Release,
        Formula::WeakUntil,
        Formula::StrongRelease,
    ];
    let mut list = vec![formulas.atom("p")];
    // Of the operands, those from here on are new: what has none of them is in the list.
    let mut new = 0;
    for _ in 0..depth {
        let operands = list.clone();
        for (i, &f) in operands.iter().enumerate() {
            if i >= new {
                list.extend(unary.map(|operator| formulas.make(operator(f))));
            }
            for (j, &g) in operands.iter().enumerate() {
                if i >= new || j >= new {
                    list.extend(binary.map(|operator| formulas.make(operator(f, g))));
                }
            }
        }
        new = operands.len();
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_sizes_are_as_documented() {
        let size = |nodes, exits, recursive| Family { nodes, exits, recursive }.size();
        assert_eq!([0, 1, 2].map(|e| size(1, e, true)), [16, 128, 1024]);
        assert_eq!([0, 1, 2].map(|e| size(2, e, true)), [512, 16384, 524_288]);
        assert_eq!([0, 1, 2].map(|e| size(3, e, true)), [65536, 1 << 23, 1 << 30]);
        assert_eq!([0, 1, 2].map(|e| size(1, e, false)), [8, 16, 32]);
        assert_eq!([0, 1, 2].map(|e| size(2, e, false)), [128, 512, 2048]);
        assert_eq!([0, 1, 2].map(|e| size(3, e, false)), [8192, 65536, 524_288]);
        assert_eq!(Family::all().len(), 18);
    }

    #[test]
    fn no_two_numbers_give_the_same_machine() {
        let family = Family { nodes: 2, exits: 1, recursive: true };
        let texts: BTreeSet<String> =
            family.machines(0, 1).map(|machine| crate::sketch::show(&machine)).collect();
        assert_eq!(texts.len() as u64, family.size());
    }

    #[test]
    fn all_path_formulas_are_listed_once() {
        let mut formulas = Formulas::new();
        for (depth, count) in [(0, 1), (1, 11), (2, 771)] {
            let list = ltl_formulas(&mut formulas, depth);
            let different: BTreeSet<FormulaId> = list.iter().copied().collect();
            assert_eq!((list.len(), different.len()), (count, count));
        }
    }
}
