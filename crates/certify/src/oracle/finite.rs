//! CTL* on finite Kripke structures, as in the textbook.
//!
//! A structure is a list of states with labels and a total relation; a machine gives one if its
//! reachable configurations are finitely many. State formulas are worked out one by one, operands
//! first, at all states. For `E f` (and `A f`, which is `! E ! f`) all state formulas inside `f`
//! are known, and are letters. The states are paired with all guesses of the `tableau` of `f`, and
//! pairs are joined where state follows state and atom follows atom. The fair paths of this product
//! are the paths of the structure, each with the truth of all parts of `f` along it, so `E f` is
//! true at a state that is paired with some atom with `f` from which a fair path begins.
//!
//! The product has 2^k pairs for each state, for k temporal operators in `f` (those under an inner
//! quantifier not counted), which is fine for an oracle.
//!
//! # Source
//! Emerson, Lei: Modalities for model checking: branching time logic strikes back. Science of
//! Computer Programming 8, 1987 (CTL* by LTL, innermost quantifiers first); Lichtenstein, Pnueli
//! for the product.

use crate::oracle::tableau::{Edge, Tableau, fair_states};
use crate::oracle::unfold::{Target, steps};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{BoxId, Formula, FormulaId, Formulas, Machine, NodeId};

/// The stack of boxes, the innermost call last, and the node.
pub type Configuration = (Vec<BoxId>, NodeId);

/// A finite Kripke structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    initial: Vec<usize>,
    /// Of each state: the states that may follow, at least one.
    successors: Vec<Vec<usize>>,
    /// Of each state: the names of the propositions that are true.
    labels: Vec<BTreeSet<String>>,
}

impl Structure {
    /// A structure of as many states as there are lists of successors. `None` if a state has no
    /// successor or no set of labels, or if a number is no state.
    pub fn new(
        initial: Vec<usize>,
        successors: Vec<Vec<usize>>,
        labels: Vec<BTreeSet<String>>,
    ) -> Option<Structure> {
        let states = successors.len();
        let sound = labels.len() == states
            && successors.iter().all(|list| !list.is_empty())
            && initial.iter().chain(successors.iter().flatten()).all(|&state| state < states);
        sound.then_some(Structure { initial, successors, labels })
    }

    /// The configurations of a machine that can be reached, and which configuration each state is;
    /// the sink is none. `None` if there are more than `limit`.
    pub fn of_machine(
        machine: &Machine,
        limit: usize,
    ) -> Option<(Structure, Vec<Option<Configuration>>)> {
        let mut number: BTreeMap<Option<Configuration>, usize> = BTreeMap::new();
        let mut states = Vec::new();
        let mut visit = |state: Option<Configuration>, states: &mut Vec<_>| {
            *number.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        let initial: Vec<usize> =
            machine.initial().iter().map(|&n| visit(Some((Vec::new(), n)), &mut states)).collect();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < states.len() {
            if states.len() > limit {
                return None;
            }
            let state: Option<Configuration> = states[successors.len()].clone();
            let Some((stack, node)) = state else {
                successors.push(vec![successors.len()]);
                continue;
            };
            let target = |target: Target| match target {
                Target::Configuration(to) => visit(Some(to), &mut states),
                Target::Sink => visit(None, &mut states),
            };
            successors.push(steps(machine, &stack, node).into_iter().map(target).collect());
        }
        let names = |state: &Option<Configuration>| match state {
            None => BTreeSet::new(),
            Some((_, node)) => machine
                .labels()
                .filter(|&(label, _)| machine.has_label(*node, label))
                .map(|(_, name)| name.to_owned())
                .collect(),
        };
        let labels = states.iter().map(names).collect();
        Some((Structure { initial, successors, labels }, states))
    }

    /// The initial states.
    pub fn initial(&self) -> &[usize] {
        &self.initial
    }

    /// The states that may follow one.
    pub fn successors_of(&self, state: usize) -> &[usize] {
        &self.successors[state]
    }

    /// The names of the propositions that are true in a state.
    pub fn labels_of(&self, state: usize) -> &BTreeSet<String> {
        &self.labels[state]
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.successors.len()
    }
}

/// Whether a formula holds in all initial states; one that speaks of a path is meant for all paths.
/// `None` if a product of more than `limit` pairs would be needed.
pub fn check(
    structure: &Structure,
    formulas: &Formulas,
    claim: FormulaId,
    limit: usize,
) -> Option<bool> {
    check_fair(structure, formulas, claim, &[], limit)
}

/// The same, where quantifiers, also the one that LTL leaves out, range over the paths on which, of
/// each of some pairs of state formulas, the second holds again and again if the first does. There
/// are few pairs: all their subsets are gone through, one for each choice of first sides that stop.
pub fn check_fair(
    structure: &Structure,
    formulas: &Formulas,
    claim: FormulaId,
    pairs: &[(FormulaId, FormulaId)],
    limit: usize,
) -> Option<bool> {
    let side = |id: FormulaId| label_with(structure, formulas, id, &[], limit);
    let mut sides = Vec::new();
    for &(when, then) in pairs {
        sides.push((side(when)?, side(then)?));
    }
    let holds = label_with(structure, formulas, claim, &sides, limit)?;
    Some(structure.initial.iter().all(|&state| holds[state]))
}

/// Where both sides of a pair hold.
type Sides = (Vec<bool>, Vec<bool>);

/// The truth of a formula at every state; one that speaks of a path is meant for all paths. `None`
/// if a product of more than `limit` pairs would be needed.
pub fn label(
    structure: &Structure,
    formulas: &Formulas,
    claim: FormulaId,
    limit: usize,
) -> Option<Vec<bool>> {
    label_with(structure, formulas, claim, &[], limit)
}

fn label_with(
    structure: &Structure,
    formulas: &Formulas,
    claim: FormulaId,
    pairs: &[Sides],
    limit: usize,
) -> Option<Vec<bool>> {
    use Formula::*;
    let mut truth: BTreeMap<FormulaId, Vec<bool>> = BTreeMap::new();
    for id in formulas.subformulas(claim) {
        if !formulas.is_state_formula(id) {
            continue;
        }
        let each = |value: &dyn Fn(usize) -> bool| -> Vec<bool> {
            (0..structure.state_count()).map(value).collect()
        };
        let of = |f: FormulaId| &truth[&f];
        let row = match formulas.get(id) {
            True => each(&|_| true),
            False => each(&|_| false),
            Atom(atom) => each(&|s| structure.labels[s].contains(formulas.atom_name(atom))),
            Not(f) => each(&|s| !of(f)[s]),
            And(f, g) => each(&|s| of(f)[s] && of(g)[s]),
            Or(f, g) => each(&|s| of(f)[s] || of(g)[s]),
            Implies(f, g) => each(&|s| !of(f)[s] || of(g)[s]),
            Iff(f, g) => each(&|s| of(f)[s] == of(g)[s]),
            Xor(f, g) => each(&|s| of(f)[s] != of(g)[s]),
            Exists(path) => some_path(structure, formulas, (path, true), pairs, &truth, limit)?,
            All(path) => not(some_path(structure, formulas, (path, false), pairs, &truth, limit)?),
            _ => unreachable!("speaks of a path"),
        };
        truth.insert(id, row);
    }
    match truth.remove(&claim) {
        Some(row) => Some(row),
        None => Some(not(some_path(structure, formulas, (claim, false), pairs, &truth, limit)?)),
    }
}

fn not(mut values: Vec<bool>) -> Vec<bool> {
    values.iter_mut().for_each(|value| *value = !*value);
    values
}

/// At which states some path begins on which a path formula has the wanted truth.
fn some_path(
    structure: &Structure,
    formulas: &Formulas,
    (path, wanted): (FormulaId, bool),
    fairness: &[Sides],
    truth: &BTreeMap<FormulaId, Vec<bool>>,
    limit: usize,
) -> Option<Vec<bool>> {
    let tableau = Tableau::new(formulas, path)?;
    let guesses = tableau.guess_count();
    let pairs = structure.state_count().checked_mul(guesses).filter(|&pairs| pairs <= limit)?;
    let letter = |state: usize| -> Vec<bool> {
        tableau.leaves().iter().map(|leaf| truth[leaf][state]).collect()
    };
    let letters: Vec<Vec<bool>> = (0..structure.state_count()).map(letter).collect();
    // The pair of a state and a guess has the number state * guesses + guess.
    let atoms: Vec<_> =
        (0..pairs).map(|pair| tableau.atom(&letters[pair / guesses], pair % guesses)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    for (from, successors) in structure.successors.iter().enumerate() {
        for &to in successors {
            for next in to * guesses..(to + 1) * guesses {
                let pair = from * guesses + tableau.before(&letters[from], &atoms[next]);
                edges.push((pair, next, tableau.settled(&atoms[pair])));
            }
        }
    }
    let fair = fair_for_pairs(pairs, &edges, tableau.all_kinds(), guesses, fairness);
    let as_wanted = |pair: usize| fair[pair] && atoms[pair].last() == Some(&wanted);
    let begins = |state: usize| (state * guesses..(state + 1) * guesses).any(as_wanted);
    Some((0..structure.state_count()).map(begins).collect())
}

/// The pairs of states and guesses from which a fair path begins that keeps all pairs of fairness:
/// for some set of these, none of their first sides comes any more after a while, and the second
/// sides of all others come again and again.
fn fair_for_pairs(
    count: usize,
    edges: &[Edge],
    kinds: u32,
    guesses: usize,
    fairness: &[Sides],
) -> Vec<bool> {
    let mut fair = vec![false; count];
    let first = u32::BITS - kinds.leading_zeros();
    for stopped in 0..1_u32 << fairness.len() {
        let stops = |pair: usize| stopped >> pair & 1 == 1;
        let mut wanted = kinds;
        let mut left = Vec::new();
        for &(from, to, kinds) in edges {
            let shows = |side: &Vec<bool>| side[from / guesses];
            let sides = || fairness.iter().enumerate();
            if sides().any(|(pair, (when, _))| stops(pair) && shows(when)) {
                continue;
            }
            let met = sides().filter(|(_, (_, then))| shows(then));
            let met = met.fold(0, |met, (pair, _)| met | 1 << (first + pair as u32));
            left.push((from, to, kinds | met));
        }
        for pair in (0..fairness.len()).filter(|&pair| !stops(pair)) {
            wanted |= 1 << (first + pair as u32);
        }
        for (all, one) in fair.iter_mut().zip(fair_states(count, &left, wanted)) {
            *all |= one;
        }
    }
    // Whatever leads there will do.
    loop {
        let before: Vec<usize> =
            edges.iter().filter(|&&(from, to, _)| fair[to] && !fair[from]).map(|it| it.0).collect();
        if before.is_empty() {
            return fair;
        }
        before.into_iter().for_each(|state| fair[state] = true);
    }
}
