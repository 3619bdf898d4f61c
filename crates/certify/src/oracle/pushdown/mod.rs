//! An exact oracle for CTL* on recursive machines of any depth, by pushdown systems.
//!
//! # The pushdown system
//! The control is the node, or the sink; the stack holds the boxes above a bottom ⊥, which is never
//! taken away. A *head* is a control with the symbol on top. The rules of a head are the steps of
//! its configurations, which depend on nothing else: a node returns through the box on top, or ends
//! if that is ⊥, and it stutters where it has no other rule. So a step is a rule, one to one:
//! ```text
//! (n, σ)  ->  (m, σ)           step
//! (n, σ)  ->  (en, cσ)         call
//! (n, b)  ->  (m, ε)           return, then step at the return site
//! (n, b)  ->  (en, c)          return, then call at the return site
//! (n, ⊥)  ->  (n, ⊥)           the end, or to (sink, ⊥)
//! (n, σ)  ->  (n, σ)           a dead end
//! ```
//! # State formulas: regular valuations
//! The truth of a state formula at (stack, node) depends on the node and on the *class* of the
//! stack: a deterministic automaton reads the stack from the bottom up, and its states are the
//! classes. A symbol is a box together with the class of all that is below it, so that the top
//! symbol tells the class of the whole stack, and a symbol that is taken away tells the class that
//! is left. In the beginning a class is the box on top. State formulas are worked out one by one,
//! operands first; each quantified one refines the classes, as follows.
//!
//! # `E f`: fair runs of the product
//! The controls are paired with the guesses of the `tableau` of `f`, and rules are
//! joined where atom follows atom; the letter of either side is known, as the classes of both are.
//! Then:
//!
//! 1. *Pops.* Which pairs q can be reached from head (p, σ) by taking σ away, with the stack never
//!    below before? And which kinds of events can be seen on the way? By saturation:
//!    ```text
//!    (p, σ) -> (q, ε)       (p, σ) pops to q
//!    (p, σ) -> (p', τ)      (p, σ) pops to whatever (p', τ) pops to
//!    (p, σ) -> (p', τσ)     (p, σ) pops to whatever (r, σ) pops to, if (p', τ) pops to r
//!    ```
//! 2. *Heads that need no more than themselves.* The head graph has an edge to (p', τ) for a rule
//!    of the second or third sort, and one to (r, σ) for a rule of the third and a pop of (p', τ)
//!    to r: its paths are the runs that never take away what is below. A head is *good* if a fair
//!    path begins at it. (An edge and a pop bear every kind that *some* run along it sees. That is
//!    enough: what is needed infinitely often may be seen in another round each.)
//! 3. *All configurations.* A fair run from (p, σw) keeps σ for ever, or takes it away and goes on:
//!    ```text
//!    fair(⊥)  = { p | (p, ⊥) is good }
//!    fair(σw) = { p | (p, σ) is good, or pops to some q in fair(w) }
//!    ```
//!    These sets are the states of the automaton that reads stacks bottom up, and with the classes
//!    so far they are the new classes. `E f` holds at (w, n) if some atom with `f` is fair there.
//!
//! # Why it is right
//! Pops are right by induction over the length of a run that takes σ away, and over the order of
//! finding. In 2, a run that never goes below some head comes infinitely often to a stack of which
//! it never goes below again; between two such moments it takes a rule that changes or pushes the
//! top, or it pushes, and takes away what was pushed: these are the edges, with the kinds that are
//! seen. So a fair run gives a fair path. And a fair path of the graph gives a fair run, when each
//! edge is gone along by a run that sees the kind wanted next; `fair_states` says why one may take
//! turns. What is seen before σ is taken away does not matter in 3: fairness looks at the end of a
//! run.
//!
//! # Source
//! Bouajjani, Esparza, Maler: Reachability analysis of pushdown automata: application to model
//! checking. CONCUR 1997 (saturation). Esparza, Hansel, Rossmanith, Schwoon: Efficient algorithms
//! for model checking pushdown systems. CAV 2000 (head graph, pops with a bit). Esparza, Kučera,
//! Schwoon: Model checking LTL with regular valuations for pushdown systems. Information and
//! Computation 186, 2003 (classes on the stack; CTL*). We depart in three points: a bit for each
//! kind of event serves instead of a counter in the control; the good heads are found as one
//! fixpoint instead of as components that are then searched for; and the automaton for all
//! configurations is not determinised afterwards, but made deterministic at once, since it reads
//! the stack from the other end.

mod product;

use product::Product;
use std::collections::BTreeMap;
use tern_model::{BoxId, CompId, Formula, FormulaId, Formulas, Id, Machine, NodeId};

/// Whether a formula holds in all initial configurations; one that speaks of a path is meant for
/// all paths. `None` if more than `limit` heads or classes would be needed.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    limit: usize,
) -> Option<bool> {
    let solution = solve(machine, formulas, claim, limit)?;
    let holds = |&node: &NodeId| solution.at(&[], node).expect("initial nodes have values");
    Some(machine.initial().iter().all(holds))
}

/// The truth of a formula at all configurations; one that speaks of a path is meant for all paths.
/// `None` if more than `limit` heads or classes would be needed.
pub fn solve<'a>(
    machine: &'a Machine,
    formulas: &Formulas,
    claim: FormulaId,
    limit: usize,
) -> Option<Solution<'a>> {
    use Formula::*;
    let mut classes = first_classes(machine);
    for id in formulas.subformulas(claim).into_iter().filter(|&f| formulas.is_state_formula(f)) {
        match formulas.get(id) {
            Exists(path) => {
                classes =
                    Product::new(machine, formulas, path, &classes, limit)?.refine(id, true)?;
            }
            All(path) => {
                classes =
                    Product::new(machine, formulas, path, &classes, limit)?.refine(id, false)?;
            }
            formula => {
                let label = match formula {
                    Atom(atom) => machine.label(formulas.atom_name(atom)),
                    _ => None,
                };
                for class in &mut classes {
                    let of = |f: FormulaId, spot: usize| class.truth[&f][spot];
                    let value = |spot: usize| match formula {
                        True => true,
                        False => false,
                        Atom(_) => label.is_some_and(|label| {
                            spot != sink(machine) && machine.has_label(NodeId::new(spot), label)
                        }),
                        Not(f) => !of(f, spot),
                        And(f, g) => of(f, spot) && of(g, spot),
                        Or(f, g) => of(f, spot) || of(g, spot),
                        Implies(f, g) => !of(f, spot) || of(g, spot),
                        Iff(f, g) => of(f, spot) == of(g, spot),
                        Xor(f, g) => of(f, spot) != of(g, spot),
                        _ => unreachable!("speaks of a path, or is quantified"),
                    };
                    let row = (0..=sink(machine)).map(value).collect();
                    class.truth.insert(id, row);
                }
            }
        }
    }
    if !formulas.is_state_formula(claim) {
        classes = Product::new(machine, formulas, claim, &classes, limit)?.refine(claim, false)?;
    }
    Some(Solution { machine, classes, claim })
}

/// The truth of a formula at all stacks that can be called from an empty one.
#[derive(Clone, Debug)]
pub struct Solution<'a> {
    machine: &'a Machine,
    classes: Vec<Class>,
    claim: FormulaId,
}

impl Solution<'_> {
    /// Whether the formula holds at a configuration; the innermost call is last on the stack.
    /// `None` if there is no such configuration, or if none of its outermost component is initial.
    pub fn at(&self, stack: &[BoxId], node: NodeId) -> Option<bool> {
        let mut class = &self.classes[EMPTY];
        for call in stack {
            class = &self.classes[*class.above.get(call)?];
        }
        spots(self.machine, class.top)
            .contains(&node.index())
            .then(|| class.truth[&self.claim][node.index()])
    }

    /// How many classes of stacks were told apart in the end.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }
}

/// A class of stacks: a state of the automaton that reads them from the bottom up.
#[derive(Clone, Debug)]
struct Class {
    /// The box on top; none if the stack is empty.
    top: Option<BoxId>,
    /// For each box that may be pushed, the class of what there is then.
    above: BTreeMap<BoxId, usize>,
    /// Of each state formula so far, its truth at each spot; it means nothing at a spot that does
    /// not go with the box on top.
    truth: BTreeMap<FormulaId, Vec<bool>>,
}

/// The class of the empty stack.
const EMPTY: usize = 0;

/// A *spot* is a control of the pushdown system: the index of a node or, after those, the sink.
fn sink(machine: &Machine) -> usize {
    machine.node_count()
}

/// The components that may be running when this box, or none, is on top.
fn running(machine: &Machine, top: Option<BoxId>) -> Vec<CompId> {
    match top {
        Some(call) => vec![machine.callee(call)],
        None => {
            let mut components: Vec<CompId> =
                machine.initial().iter().map(|&node| machine.component_of(node)).collect();
            components.sort();
            components.dedup();
            components
        }
    }
}

/// The spots at which control may be when this box, or none, is on top.
fn spots(machine: &Machine, top: Option<BoxId>) -> Vec<usize> {
    let components = running(machine, top);
    let nodes = components.iter().flat_map(|&comp| machine.nodes_of(comp)).map(|node| node.index());
    nodes.chain(top.is_none().then_some(sink(machine))).collect()
}

/// The classes that tell stacks apart by the box on top alone, of which nothing is known yet.
fn first_classes(machine: &Machine) -> Vec<Class> {
    let mut classes = Vec::new();
    // The class of a box is its index, after that of the empty stack.
    for top in std::iter::once(None).chain(machine.boxes().map(Some)) {
        let pushed = |comp: CompId| machine.boxes_of(comp).iter().map(|&b| (b, 1 + b.index()));
        let above = running(machine, top).into_iter().flat_map(pushed).collect();
        classes.push(Class { top, above, truth: BTreeMap::new() });
    }
    classes
}
