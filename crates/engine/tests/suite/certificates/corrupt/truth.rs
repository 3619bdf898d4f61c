//! What is true at which place, and the orders that say why.

use super::*;

pub(super) const TRUTH: &[Kind] = &[
    ("a node is true or false", |case| {
        case.one(
            |case, layer, _| {
                let nodes = |id: usize| case.machine.nodes_of(layer.frames[id].component).len();
                (0..layer.frames.len())
                    .flat_map(|id| (0..nodes(id)).map(move |n| (id, n)))
                    .collect()
            },
            |layer, (id, position), _| {
                let holds = &mut layer.frames[id].holds;
                holds.grow(position + 1);
                holds.toggle(position);
            },
        )
    }),
    ("a node is false, and not in the order", |case| {
        // It was true for a reason that is still there.
        case.one(
            |case, layer, number| {
                if !matches!(case.term(number), Term::Eu(..)) {
                    return vec![];
                }
                let frames = layer.frames.iter().enumerate();
                frames.flat_map(|(id, frame)| frame.holds.ones().map(move |n| (id, n))).collect()
            },
            |layer, (id, position), machine| {
                let frame = &mut layer.frames[id];
                frame.holds.remove(position);
                frame.order.retain(|&place| machine.place_position(place) != position);
            },
        )
    }),
    ("a node is true, and first in the order", |case| {
        // It was false, and so has no reason; a reason that it gives others, itself among them, is
        // later.
        case.one(
            |case, layer, number| {
                if !matches!(case.term(number), Term::Eu(..)) {
                    return vec![];
                }
                let nodes = |f: &Frame| case.machine.nodes_of(f.component).collect::<Vec<_>>();
                let mut found = Vec::new();
                for (id, frame) in layer.frames.iter().enumerate() {
                    for (position, node) in nodes(frame).into_iter().enumerate() {
                        if !frame.holds.contains(position) {
                            found.push((id, position, node));
                        }
                    }
                }
                found
            },
            |layer, (id, position, node), _| {
                let frame = &mut layer.frames[id];
                frame.holds.grow_and_insert(position);
                frame.order.insert(0, place(node));
            },
        )
    }),
    ("a node that is no node is true", |case| {
        case.frame(|_, _, _| true, |frame, _| frame.holds.grow_and_insert(500))
    }),
    ("a return site is true or false", |case| {
        case.one(
            |case, layer, _| {
                let frames = layer.frames.iter().enumerate();
                frames
                    .flat_map(|(id, frame)| {
                        sites(case.machine, frame.component).into_iter().map(move |s| (id, s))
                    })
                    .collect()
            },
            |layer, (id, site), _| {
                let sites = &mut layer.frames[id].sites;
                match sites.binary_search(&site) {
                    Ok(position) => {
                        sites.remove(position);
                    }
                    Err(position) => sites.insert(position, site),
                }
            },
        )
    }),
    ("a return site is there twice", |case| {
        case.frame(
            |_, _, frame| !frame.sites.is_empty(),
            |frame, _| frame.sites.push(*frame.sites.last().expect("not empty")),
        )
    }),
    ("a return site is a node", |case| {
        case.frame(
            |_, _, _| true,
            |frame, machine| {
                let node = machine.places_of(frame.component)[0];
                frame.sites.insert(0, node);
            },
        )
    }),
    ("a return site is no place", |case| {
        case.frame(|_, _, _| true, |frame, _| frame.sites.push(PlaceId::new(BEYOND)))
    }),
];

pub(super) const ORDERS: &[Kind] = &[
    ("a place is missing in the order", |case| {
        case.one(
            |_, layer, _| {
                let frames = layer.frames.iter().enumerate();
                frames.flat_map(|(id, f)| (0..f.order.len()).map(move |i| (id, i))).collect()
            },
            |layer, (id, i), _| {
                layer.frames[id].order.remove(i);
            },
        )
    }),
    ("a place is twice in the order", |case| {
        case.frame(
            |_, _, frame| !frame.order.is_empty(),
            |frame, _| frame.order.push(frame.order[0]),
        )
    }),
    ("a place comes before its reason", |case| {
        case.one(needy, |layer, (id, i), _| {
            let place = layer.frames[id].order.remove(i);
            layer.frames[id].order.insert(0, place);
        })
    }),
    ("places of an order are swapped", |case| {
        case.one(needy, |layer, (id, i), _| layer.frames[id].order.swap(0, i))
    }),
    ("a false place is in the order", |case| {
        case.one(
            |case, layer, number| {
                if !matches!(case.term(number), Term::Eu(..)) {
                    return vec![];
                }
                let mut found = Vec::new();
                for (id, frame) in layer.frames.iter().enumerate() {
                    let places = case.machine.places_of(frame.component).iter();
                    let others = places.filter(|place| !frame.order.contains(place));
                    found.extend(others.map(|&place| (id, place)));
                }
                found
            },
            |layer, (id, place), _| layer.frames[id].order.push(place),
        )
    }),
    ("no place is in the order", |case| {
        case.frame(|_, _, _| true, |frame, _| frame.order.push(PlaceId::new(BEYOND)))
    }),
    ("an order where none is due", |case| {
        case.one(
            |case, layer, number| {
                let due = matches!(case.term(number), Term::Eu(..));
                if due { vec![] } else { (0..layer.frames.len()).collect() }
            },
            |layer, id: usize, machine| {
                let frame = &mut layer.frames[id];
                frame.order.push(machine.places_of(frame.component)[0]);
            },
        )
    }),
];

/// Places in orders, not first, that nothing but a step to an earlier place can be a reason for.
fn needy(case: &Case<'_>, layer: &Layer, number: usize) -> Vec<(usize, usize)> {
    let Term::Eu(_, q) = case.term(number) else { return vec![] };
    let mut found = Vec::new();
    for (id, frame) in layer.frames.iter().enumerate() {
        for (i, &place) in frame.order.iter().enumerate().skip(1) {
            let open = match case.machine.place(place) {
                Place::Node(node) => case.plain(q, node) == Some(false),
                Place::Site(..) => true,
            };
            let mut edges = case.machine.edges_at(place).iter();
            if open && edges.all(|edge| matches!(edge, Edge::Step(_))) {
                found.push((id, i));
            }
        }
    }
    found
}
