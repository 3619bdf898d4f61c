//! The smallest weak deterministic automaton of an obligation property.
//!
//! A property is an *obligation* if it is a boolean combination of safety properties; then there is a
//! deterministic automaton in which a component accepts all its runs or none, and a smallest one
//! (Löding 2001). It is found as in Dax, Eisinger and Klaedtke (2007): determinise by sets of states,
//! ask for one loop of each component whether it is accepted, minimise, and see whether the language
//! is still the same. If it is not, the property was no obligation.

use super::bdd::{ALWAYS, Bdd, NEVER, Ref};
use super::graph::{Edge, Graph};
use super::scc::Components;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_model::Limit;
use tern_model::automaton::{MAX_MARKS, Marks};

/// The weak automaton, if the property is an obligation and no more than `most` sets of states are met.
/// `graph` accepts the property, `opposite` its negation.
pub(super) fn minimise_weak(
    graph: &Graph,
    opposite: &Graph,
    most: usize,
    bdd: &mut Bdd<'_>,
) -> Result<Option<Graph>, Limit> {
    if graph.mark_count.max(opposite.mark_count) >= MAX_MARKS {
        return Ok(None);
    }
    let Some((sets, deterministic)) = determinise(graph, most, bdd)? else { return Ok(None) };
    let components = Components::new(&deterministic, &mut bdd.meter)?;
    let accepting = judge_components(graph, &sets, &deterministic, &components, bdd)?;
    let colours = colour(&deterministic, &components, &accepting);
    let (smallest, accepting) = minimise(&deterministic, &colours, bdd)?;
    let yes = with_marks(&smallest, &accepting, true);
    if meet(&yes, opposite, bdd)? || meet(&with_marks(&smallest, &accepting, false), graph, bdd)? {
        return Ok(None);
    }
    Ok(Some(yes))
}

/// Sets of states, and the automaton whose states they are.
type Determinised = (Vec<Vec<usize>>, Graph);

/// The automaton of sets of states that can be reached by the same letters; complete, without marks.
fn determinise(
    graph: &Graph,
    most: usize,
    bdd: &mut Bdd<'_>,
) -> Result<Option<Determinised>, Limit> {
    let mut sets = vec![vec![graph.initial]];
    let mut numbers = FxHashMap::from_iter([(vec![graph.initial], 0)]);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while let Some(set) = sets.get(edges.len()) {
        // Classes of letters, with the states that they lead to.
        let mut classes: BTreeMap<Vec<usize>, Ref> = BTreeMap::from([(Vec::new(), ALWAYS)]);
        let mut targets: BTreeMap<usize, Ref> = BTreeMap::new();
        for edge in set.iter().flat_map(|&state| &graph.edges[state]) {
            let guard = targets.entry(edge.to).or_insert(NEVER);
            *guard = bdd.or(*guard, edge.guard)?;
        }
        for (to, guard) in targets {
            let mut finer: BTreeMap<Vec<usize>, Ref> = BTreeMap::new();
            for (set, letters) in classes {
                bdd.tick()?;
                let (inside, outside) = (bdd.and(letters, guard)?, bdd.without(letters, guard)?);
                if inside != NEVER {
                    let mut larger = set.clone();
                    larger.push(to);
                    finer.insert(larger, inside);
                }
                if outside != NEVER {
                    finer.insert(set, outside);
                }
            }
            classes = finer;
        }
        let mut row = Vec::new();
        for (set, guard) in classes {
            let to = *numbers.entry(set.clone()).or_insert_with(|| {
                sets.push(set);
                sets.len() - 1
            });
            row.push(Edge { to, marks: 0, guard });
        }
        edges.push(row);
        if sets.len() > most {
            return Ok(None);
        }
    }
    Ok(Some((sets, Graph { mark_count: 0, initial: 0, edges })))
}

/// For each component that has a loop, whether the automaton accepts one of its loops.
fn judge_components(
    graph: &Graph,
    sets: &[Vec<usize>],
    deterministic: &Graph,
    components: &Components,
    bdd: &mut Bdd<'_>,
) -> Result<Vec<Option<bool>>, Limit> {
    let mut judged = vec![None; components.marks.len()];
    for (state, set) in sets.iter().enumerate() {
        let component = components.of[state];
        if judged[component].is_none() && components.marks[component].is_some() {
            let guards = find_loop(deterministic, components, state, bdd)?;
            judged[component] = Some(accepts_loop(graph, set, &guards, bdd)?);
        }
    }
    Ok(judged)
}

/// The guards of a shortest way from a state back to itself; it has one.
fn find_loop(
    graph: &Graph,
    components: &Components,
    state: usize,
    bdd: &mut Bdd<'_>,
) -> Result<Vec<Ref>, Limit> {
    let mut before: Vec<Option<(usize, Ref)>> = vec![None; graph.state_count()];
    let mut queue = vec![state];
    let mut next = 0;
    while let Some(&at) = queue.get(next) {
        next += 1;
        for edge in graph.edges[at].iter().filter(|edge| components.is_inner(at, edge)) {
            bdd.tick()?;
            if before[edge.to].is_none() {
                before[edge.to] = Some((at, edge.guard));
                queue.push(edge.to);
            }
        }
    }
    let mut guards = Vec::new();
    let mut at = state;
    while let Some((previous, guard)) = before[at] {
        guards.push(guard);
        at = previous;
        if at == state {
            break;
        }
    }
    guards.reverse();
    Ok(guards)
}

/// Whether a word that repeats one letter of each guard for ever is accepted from one of some states.
fn accepts_loop(
    graph: &Graph,
    set: &[usize],
    guards: &[Ref],
    bdd: &mut Bdd<'_>,
) -> Result<bool, Limit> {
    let mut letters = Vec::with_capacity(guards.len());
    for &guard in guards {
        letters.push(one_letter(guard, bdd));
    }
    // The product of positions in the loop and states, behind a first state that leads to all of `set`.
    let begin = |state: usize| (0, state);
    let mut nodes: Vec<(usize, usize)> = set.iter().copied().map(begin).collect();
    let mut numbers: FxHashMap<(usize, usize), usize> = nodes.iter().copied().zip(0..).collect();
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(position, state)) = nodes.get(edges.len()) {
        let mut row = Vec::new();
        for edge in &graph.edges[state] {
            bdd.tick()?;
            if bdd.value(edge.guard, &letters[position]) {
                let next = ((position + 1) % letters.len(), edge.to);
                let to = *numbers.entry(next).or_insert_with(|| {
                    nodes.push(next);
                    nodes.len() - 1
                });
                row.push(Edge { to, ..*edge });
            }
        }
        edges.push(row);
    }
    if edges.is_empty() {
        return Ok(false);
    }
    let product = Graph { mark_count: graph.mark_count, initial: 0, edges };
    let components = Components::new(&product, &mut bdd.meter)?;
    Ok((0..components.marks.len()).any(|component| components.is_accepting(component)))
}

/// The variables that are true in one value that makes a function true; sorted.
fn one_letter(guard: Ref, bdd: &Bdd<'_>) -> Vec<u32> {
    let path = bdd.any_path(guard).unwrap_or_default();
    path.into_iter().filter_map(|(variable, holds)| holds.then_some(variable)).collect()
}

/// Löding's colours: even where a component accepts, odd where it does not, and as large as any
/// successor's. A state that is on no loop may have either, and takes that of its successors.
fn colour(graph: &Graph, components: &Components, accepting: &[Option<bool>]) -> Vec<usize> {
    let mut colours = vec![0; accepting.len()];
    let mut order: Vec<usize> = (0..graph.state_count()).collect();
    order.sort_by_key(|&state| components.of[state]);
    let mut at = 0;
    while at < order.len() {
        let component = components.of[order[at]];
        let members = order[at..].iter().take_while(|&&q| components.of[q] == component);
        let members: Vec<usize> = members.copied().collect();
        at += members.len();
        let below = members.iter().flat_map(|&q| &graph.edges[q]);
        let below = below.filter(|edge| components.of[edge.to] != component);
        let highest: usize = below.map(|edge| colours[components.of[edge.to]]).max().unwrap_or(0);
        colours[component] = match accepting[component] {
            Some(accepts) if accepts != highest.is_multiple_of(2) => highest + 1,
            _ => highest,
        };
    }
    components.of.iter().map(|&component| colours[component]).collect()
}

/// The smallest complete automaton with the same colours, and which of its states have even ones.
fn minimise(
    graph: &Graph,
    colours: &[usize],
    bdd: &mut Bdd<'_>,
) -> Result<(Graph, Vec<bool>), Limit> {
    let mut classes: Vec<usize> = colours.iter().map(|colour| colour % 2).collect();
    let mut count = 0;
    loop {
        let mut numbers: FxHashMap<(usize, Vec<(usize, Ref)>), usize> = FxHashMap::default();
        let mut finer = Vec::with_capacity(classes.len());
        for (state, edges) in graph.edges.iter().enumerate() {
            let mut ways: BTreeMap<usize, Ref> = BTreeMap::new();
            for edge in edges {
                let guard = ways.entry(classes[edge.to]).or_insert(NEVER);
                *guard = bdd.or(*guard, edge.guard)?;
            }
            let fresh = numbers.len();
            let key = (classes[state], ways.into_iter().collect());
            finer.push(*numbers.entry(key).or_insert(fresh));
        }
        let found = numbers.len();
        classes = finer;
        if found == count {
            break;
        }
        count = found;
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); count];
    let mut accepting = vec![false; count];
    for (state, row) in graph.edges.iter().enumerate().rev() {
        let class = classes[state];
        accepting[class] = colours[state].is_multiple_of(2);
        edges[class] = row.iter().map(|edge| Edge { to: classes[edge.to], ..*edge }).collect();
    }
    let mut smallest = Graph { mark_count: 0, initial: classes[graph.initial], edges };
    smallest.tidy(bdd)?;
    Ok((smallest, accepting))
}

/// The automaton with one mark, on the edges out of the states whose acceptance is `which`.
fn with_marks(graph: &Graph, accepting: &[bool], which: bool) -> Graph {
    let mut marked = Graph { mark_count: 1, ..graph.clone() };
    for (state, edges) in marked.edges.iter_mut().enumerate() {
        edges.iter_mut().for_each(|edge| edge.marks = Marks::from(accepting[state] == which));
    }
    marked
}

/// Whether some word is accepted by both automata.
fn meet(left: &Graph, right: &Graph, bdd: &mut Bdd<'_>) -> Result<bool, Limit> {
    let mut nodes = vec![(left.initial, right.initial)];
    let mut numbers = FxHashMap::from_iter([(nodes[0], 0)]);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(p, q)) = nodes.get(edges.len()) {
        let mut row = Vec::new();
        for first in &left.edges[p] {
            for second in &right.edges[q] {
                bdd.tick()?;
                let guard = bdd.and(first.guard, second.guard)?;
                if guard == NEVER {
                    continue;
                }
                let next = (first.to, second.to);
                let to = *numbers.entry(next).or_insert_with(|| {
                    nodes.push(next);
                    nodes.len() - 1
                });
                let marks = first.marks | second.marks << left.mark_count;
                row.push(Edge { to, marks, guard });
            }
        }
        edges.push(row);
    }
    let product = Graph { mark_count: left.mark_count + right.mark_count, initial: 0, edges };
    let components = Components::new(&product, &mut bdd.meter)?;
    Ok((0..components.marks.len()).any(|component| components.is_accepting(component)))
}
