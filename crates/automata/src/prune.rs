//! Leaves out states without a future and marks without a meaning.

use super::bdd::Bdd;
use super::graph::Graph;
use super::scc::Components;
use tern_model::Limit;
use tern_model::automaton::Marks;
use tern_model::scc::SccId;

/// The same language with only states that are reached and from which some path is accepted. Marks
/// stand only on edges of accepting components; those that decide nothing are gone or, where they
/// decide something in another component, on all edges.
pub(super) fn prune(graph: &Graph, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let graph = graph.reachable(bdd)?;
    let components = Components::new(&graph, &mut bdd.meter)?;
    // A pass in the order of the components sees targets first.
    let mut useful = components.each(|component| components.is_accepting(component));
    for component in components.ids() {
        for &state in components.members(component) {
            bdd.tick()?;
            useful[component] |=
                graph.edges[state].iter().any(|edge| useful[components.of(edge.to)]);
        }
    }
    if !useful[components.of(graph.initial)] {
        return Ok(Graph::nothing());
    }
    let mut pruned = graph.clone();
    for (state, edges) in pruned.edges.iter_mut() {
        edges.retain(|edge| useful[components.of(edge.to)]);
        for edge in edges {
            let inner = components.is_inner(state, edge);
            if !inner || !components.is_accepting(components.of(state)) {
                edge.marks = 0;
            }
        }
    }
    drop_marks(&mut pruned, &components, bdd)?;
    pruned.reachable(bdd)
}

/// Puts marks that others imply on all edges of the component, and removes those that are
/// everywhere.
fn drop_marks(graph: &mut Graph, components: &Components, bdd: &mut Bdd<'_>) -> Result<(), Limit> {
    let all = graph.all_marks();
    let mut sets = components.each(|_| Vec::<Marks>::new());
    for (state, edges) in graph.edges.iter() {
        for edge in edges.iter().filter(|edge| components.is_inner(state, edge)) {
            let list = &mut sets[components.of(state)];
            if !list.contains(&edge.marks) {
                list.push(edge.marks);
            }
        }
    }
    let mut full = components.each(|_| all);
    for (component, sets) in sets.iter() {
        if components.is_accepting(component) {
            full[component] = redundant(sets, graph.mark_count, bdd)?;
        }
    }
    let accepting = components.ids().filter(|&c| components.is_accepting(c));
    let dropped = accepting.fold(all, |dropped, c| dropped & full[c]);
    let mut kept: Vec<u32> = (0..graph.mark_count).filter(|i| dropped >> i & 1 == 0).collect();
    if kept.is_empty() && components.has_rejecting_loop() {
        kept.push(0);
    }
    for (state, edges) in graph.edges.iter_mut() {
        let component = components.of(state);
        for edge in edges.iter_mut() {
            if components.is_inner(state, edge) && components.is_accepting(component) {
                let marks = edge.marks | full[component];
                let bits = kept.iter().enumerate().map(|(new, old)| (marks >> old & 1) << new);
                edge.marks = bits.fold(0, |marks, bit| marks | bit);
            }
        }
    }
    graph.mark_count = kept.len() as u32;
    Ok(())
}

/// The marks that are infinitely often on a run in a component if the others are.
fn redundant(sets: &[Marks], mark_count: u32, bdd: &mut Bdd<'_>) -> Result<Marks, Limit> {
    let mut redundant: Marks = 0;
    for i in 0..mark_count {
        let everywhere = sets.iter().all(|set| set >> i & 1 == 1);
        let mut implied = everywhere;
        for j in (0..mark_count).filter(|&j| j != i && redundant >> j & 1 == 0) {
            bdd.tick()?;
            implied |= sets.iter().all(|set| set >> j & 1 == 0 || set >> i & 1 == 1);
        }
        redundant |= Marks::from(implied) << i;
    }
    Ok(redundant)
}

/// Numbers the marks of each component anew, so that there are no more than the neediest has.
pub(super) fn compress_marks(graph: &Graph, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let components = Components::new(graph, &mut bdd.meter)?;
    let mut common = components.each(|_| graph.all_marks());
    for (state, edges) in graph.edges.iter() {
        for edge in edges.iter().filter(|edge| components.is_inner(state, edge)) {
            common[components.of(state)] &= edge.marks;
        }
    }
    let accepting = |c: SccId| components.is_accepting(c);
    let needs = |c: SccId| graph.mark_count - common[c].count_ones();
    let most = components.ids().filter(|&c| accepting(c)).map(needs).max().unwrap_or(0);
    let count = most.max(u32::from(components.has_rejecting_loop()));
    let mut compressed = Graph { mark_count: count, ..graph.clone() };
    for (state, edges) in compressed.edges.iter_mut() {
        let component = components.of(state);
        for edge in edges.iter_mut() {
            if !components.is_inner(state, edge) || !accepting(component) {
                edge.marks = 0;
                continue;
            }
            let mut marks = 0;
            let own = (0..graph.mark_count).filter(|i| common[component] >> i & 1 == 0);
            for (new, old) in own.enumerate() {
                marks |= (edge.marks >> old & 1) << new;
            }
            let missing = needs(component)..count;
            edge.marks = missing.fold(marks, |marks, i| marks | 1 << i);
        }
    }
    compressed.tidy(bdd)?;
    Ok(compressed)
}
