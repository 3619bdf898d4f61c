//! The exits that calls come to, where several calls share a component.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tern_model::budget::{Limit, Meter};
use tern_model::{BoxId, Edge, ExitId, Place, Surety};

/// For each of some calls, the exits that are reached from its entry.
pub(super) fn exits(
    edges: &[(Place, Edge, Surety)],
    calls: &[BoxId],
    meter: &mut Meter<'_>,
) -> Result<Vec<(BoxId, BTreeSet<ExitId>)>, Limit> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let mut next: FxHashMap<Place, Vec<Edge>> = FxHashMap::default();
    let mut sites: FxHashMap<BoxId, Vec<Place>> = FxHashMap::default();
    let mut entries: FxHashMap<BoxId, Place> = FxHashMap::default();
    for &(place, edge, _) in edges {
        next.entry(place).or_default().push(edge);
        if let Place::Site(call, _) = place {
            sites.entry(call).or_default().push(place);
        }
        if let Edge::Call(call, entry) = edge {
            entries.insert(call, Place::Node(entry));
        }
    }
    let mut all = Vec::new();
    for &call in calls {
        let mut open: Vec<Place> = entries.get(&call).copied().into_iter().collect();
        let (mut seen, mut found) = (FxHashSet::default(), BTreeSet::new());
        while let Some(place) = open.pop() {
            meter.tick()?;
            if !seen.insert(place) {
                continue;
            }
            for &edge in next.get(&place).into_iter().flatten() {
                match edge {
                    Edge::Step(to) => open.push(Place::Node(to)),
                    Edge::Call(inner, _) => open.extend(sites.get(&inner).into_iter().flatten()),
                    Edge::Return(exit) => drop(found.insert(exit)),
                }
            }
        }
        all.push((call, found));
    }
    Ok(all)
}
