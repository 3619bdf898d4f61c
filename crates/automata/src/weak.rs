//! The smallest weak deterministic automaton of an obligation property.
//!
//! A property is an *obligation* if it is a boolean combination of safety properties; then there is
//! a deterministic automaton in which a component accepts all its runs or none, and a smallest one
//! (Löding 2001). It is found as in Dax, Eisinger and Klaedtke (2007): determinise by sets of
//! states, ask for one loop of each component whether it is accepted, minimise, and see whether the
//! language is still the same. If it is not, the property was no obligation.

use super::bdd::{ALWAYS, Bdd, NEVER, Ref};
use super::graph::{Edge, Graph, States};
use super::scc::Components;
use std::collections::BTreeMap;
use tern_model::automaton::{MAX_MARKS, Marks};
use tern_model::index::{Lists, Table};
use tern_model::partition::{ClassId, Partition};
use tern_model::scc::SccId;
use tern_model::{Id, Limit, StateId};

/// The weak automaton, if the property is an obligation and no more than `most` sets of states are
/// met. `graph` accepts the property, `opposite` its negation.
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
type Determinised = (States<Vec<StateId>>, Graph);

/// The automaton of sets of states that can be reached by the same letters; complete, without
/// marks.
fn determinise(
    graph: &Graph,
    most: usize,
    bdd: &mut Bdd<'_>,
) -> Result<Option<Determinised>, Limit> {
    let mut too_many = false;
    let (determinised, sets) = Graph::unfold(0, vec![graph.initial], |set, sets| {
        too_many = sets.rows().len() > most;
        if too_many {
            return Ok(Vec::new());
        }
        let classes = letter_classes(graph, set, bdd)?;
        let edge = |(set, guard)| Edge { to: sets.id(set), marks: 0, guard };
        Ok(classes.into_iter().map(edge).collect())
    })?;
    Ok((!too_many).then_some((sets, determinised)))
}

/// Classes of letters, with the states that they lead to from some states.
fn letter_classes(
    graph: &Graph,
    set: &[StateId],
    bdd: &mut Bdd<'_>,
) -> Result<BTreeMap<Vec<StateId>, Ref>, Limit> {
    let mut classes: BTreeMap<Vec<StateId>, Ref> = BTreeMap::from([(Vec::new(), ALWAYS)]);
    let mut targets: BTreeMap<StateId, Ref> = BTreeMap::new();
    for edge in set.iter().flat_map(|&state| &graph.edges[state]) {
        let guard = targets.entry(edge.to).or_insert(NEVER);
        *guard = bdd.or(*guard, edge.guard)?;
    }
    for (to, guard) in targets {
        let mut finer: BTreeMap<Vec<StateId>, Ref> = BTreeMap::new();
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
    Ok(classes)
}

/// For each component that has a loop, whether the automaton accepts one of its loops.
fn judge_components(
    graph: &Graph,
    sets: &States<Vec<StateId>>,
    deterministic: &Graph,
    components: &Components,
    bdd: &mut Bdd<'_>,
) -> Result<Table<SccId, Option<bool>>, Limit> {
    let mut judged = components.each(|_| None);
    for (state, set) in sets.rows().iter() {
        let component = components.of(state);
        if judged[component].is_none() && components.has_loop(component) {
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
    state: StateId,
    bdd: &mut Bdd<'_>,
) -> Result<Vec<Ref>, Limit> {
    let mut before: Table<StateId, Option<(StateId, Ref)>> =
        Table::filled(None, graph.state_count());
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

/// Whether a word that repeats one letter of each guard for ever is accepted from one of some
/// states.
fn accepts_loop(
    graph: &Graph,
    set: &[StateId],
    guards: &[Ref],
    bdd: &mut Bdd<'_>,
) -> Result<bool, Limit> {
    let letters: Vec<Vec<u32>> = guards.iter().map(|&guard| one_letter(guard, bdd)).collect();
    // The product of positions in the loop and states, behind a first state that leads to all of
    // `set`.
    let (product, _) = Graph::unfold(graph.mark_count, None, |&at, states| {
        let Some((position, state)) = at else {
            let begin = |&state: &StateId| states.id(Some((0, state)));
            let edge = |to| Edge { to, marks: 0, guard: ALWAYS };
            return Ok(set.iter().map(begin).map(edge).collect());
        };
        let letter: &[u32] = &letters[position];
        let mut row = Vec::new();
        for edge in &graph.edges[state] {
            bdd.tick()?;
            if bdd.value(edge.guard, letter) {
                let to = states.id(Some(((position + 1) % letters.len(), edge.to)));
                row.push(Edge { to, ..*edge });
            }
        }
        Ok(row)
    })?;
    Ok(Components::new(&product, &mut bdd.meter)?.has_accepting())
}

/// The variables that are true in one value that makes a function true; sorted.
fn one_letter(guard: Ref, bdd: &Bdd<'_>) -> Vec<u32> {
    let path = bdd.any_path(guard).unwrap_or_default();
    path.into_iter().filter_map(|(variable, holds)| holds.then_some(variable)).collect()
}

/// Löding's colours: even where a component accepts, odd where it does not, and as large as any
/// successor's. A state that is on no loop may have either, and takes that of its successors.
fn colour(
    graph: &Graph,
    components: &Components,
    accepting: &Table<SccId, Option<bool>>,
) -> Table<StateId, usize> {
    let mut colours = components.each(|_| 0);
    for component in components.ids() {
        let below = components.members(component).iter().flat_map(|&state| &graph.edges[state]);
        let below = below.map(|edge| components.of(edge.to)).filter(|&to| to != component);
        let highest: usize = below.map(|to| colours[to]).max().unwrap_or(0);
        colours[component] = match accepting[component] {
            Some(accepts) if accepts != highest.is_multiple_of(2) => highest + 1,
            _ => highest,
        };
    }
    graph.edges.ids().map(|state| colours[components.of(state)]).collect()
}

/// The smallest complete automaton with the same colours, and which of its states have even ones.
fn minimise(
    graph: &Graph,
    colours: &Table<StateId, usize>,
    bdd: &mut Bdd<'_>,
) -> Result<(Graph, Table<StateId, bool>), Limit> {
    let sources = |(from, row)| {
        let row: &Vec<Edge> = row;
        row.iter().map(move |edge| (edge.to, from))
    };
    let before: Vec<(StateId, StateId)> = graph.edges.iter().flat_map(sources).collect();
    let before = Lists::group(graph.state_count(), &before);
    let by_colour = Partition::by_key(colours.as_slice().iter().map(|colour| colour % 2));
    // Where a state goes: for each class the letters that lead there.
    let classes = by_colour.refined(&before, |state, class| {
        let mut ways: BTreeMap<ClassId, Ref> = BTreeMap::new();
        for edge in &graph.edges[state] {
            let guard = ways.entry(class[edge.to]).or_insert(NEVER);
            *guard = bdd.or(*guard, edge.guard)?;
        }
        Ok(ways.into_iter().collect::<Vec<_>>())
    })?;
    let state_of = |state: StateId| StateId::new(classes.of[state].index());
    let firsts = classes.first.as_slice();
    let row = |&first: &StateId| {
        graph.edges[first].iter().map(|edge| Edge { to: state_of(edge.to), ..*edge }).collect()
    };
    let accepting = firsts.iter().map(|&first| colours[first].is_multiple_of(2)).collect();
    let edges = firsts.iter().map(row).collect();
    let mut smallest = Graph { mark_count: 0, initial: state_of(graph.initial), edges };
    smallest.tidy(bdd)?;
    Ok((smallest, accepting))
}

/// The automaton with one mark, on the edges out of the states whose acceptance is `which`.
fn with_marks(graph: &Graph, accepting: &Table<StateId, bool>, which: bool) -> Graph {
    let mut marked = Graph { mark_count: 1, ..graph.clone() };
    for (state, edges) in marked.edges.iter_mut() {
        edges.iter_mut().for_each(|edge| edge.marks = Marks::from(accepting[state] == which));
    }
    marked
}

/// Whether some word is accepted by both automata.
fn meet(left: &Graph, right: &Graph, bdd: &mut Bdd<'_>) -> Result<bool, Limit> {
    let mark_count = left.mark_count + right.mark_count;
    let first = (left.initial, right.initial);
    let (product, _) = Graph::unfold(mark_count, first, |&(p, q), pairs| {
        let mut row = Vec::new();
        for first in &left.edges[p] {
            for second in &right.edges[q] {
                bdd.tick()?;
                let guard = bdd.and(first.guard, second.guard)?;
                if guard == NEVER {
                    continue;
                }
                let to = pairs.id((first.to, second.to));
                let marks = first.marks | second.marks << left.mark_count;
                row.push(Edge { to, marks, guard });
            }
        }
        Ok(row)
    })?;
    Ok(Components::new(&product, &mut bdd.meter)?.has_accepting())
}
