//! Ground frames: components under stacks of which only the closed exits are known.

use super::*;

pub(super) const GROUND: &[Kind] = &[
    ("a ground frame of another component", |case| {
        // A frame refines it, so it is not just another, unused ground frame.
        let machine = case.machine;
        case.one(
            |_, layer, _| {
                let used = layer.frames.iter().map(|frame| frame.ground as usize);
                used.flat_map(|ground| {
                    let own = layer.ground[ground].component;
                    machine.components().filter(move |&c| c != own).map(move |c| (ground, c))
                })
                .collect()
            },
            |layer, (ground, component), _| layer.ground[ground].component = component,
        )
    }),
    ("a ground frame of no component", |case| {
        case.ground(|_, _, _| true, |ground, _| ground.component = CompId::new(BEYOND))
    }),
    ("a root is not of the empty stack", |case| {
        case.one(
            |_, layer, _| layer.roots.clone(),
            |layer, (_, root), _| {
                let ground = layer.frames[root as usize].ground;
                layer.ground[ground as usize].ended = false;
            },
        )
    }),
    ("a called ground frame is of the empty stack", |case| {
        case.ground(
            |layer, id, _| !ground_callers(layer, id).is_empty(),
            |ground, _| ground.ended = true,
        )
    }),
    ("an open exit is closed", |case| {
        case.one(
            |case, layer, _| {
                let mut found = Vec::new();
                for (id, ground) in layer.ground.iter().enumerate() {
                    let exits = case.machine.exits_of(ground.component);
                    for (position, &exit) in exits.iter().enumerate() {
                        let mut callers = ground_callers(layer, id).into_iter();
                        if callers.any(|call| case.machine.site(call, exit).is_some()) {
                            found.push((id, position));
                        }
                    }
                }
                found
            },
            |layer, (ground, position), _| {
                layer.ground[ground].closed.grow_and_insert(position);
            },
        )
    }),
    ("a closed exit is open", |case| {
        // A node returns by it, can do nothing else, and is stuck.
        case.one(
            |case, layer, _| {
                let machine = case.machine;
                let mut found = Vec::new();
                for (id, ground) in layer.ground.iter().enumerate() {
                    if ground_callers(layer, id).is_empty() {
                        continue;
                    }
                    for node in machine.nodes_of(ground.component) {
                        let closed = |&edge: &Edge| match edge {
                            Edge::Return(x) => {
                                let position = machine.exit_position(x);
                                ground.closed.contains(position).then_some(position)
                            }
                            Edge::Step(_) | Edge::Call(..) => None,
                        };
                        let exits: Option<Vec<usize>> =
                            machine.edges(node).iter().map(closed).collect();
                        found.extend(exits.into_iter().flatten().map(|exit| (id, exit)));
                    }
                }
                found
            },
            |layer, (ground, position), _| layer.ground[ground].closed.remove(position),
        )
    }),
    ("a closed exit is no exit", |case| {
        case.ground(|_, _, _| true, |ground, _| ground.closed.grow_and_insert(500))
    }),
    ("the empty stack has closed exits", |case| {
        let machine = case.machine;
        case.ground(
            |_, _, ground| ground.ended && !machine.exits_of(ground.component).is_empty(),
            |ground, _| ground.closed.grow_and_insert(0),
        )
    }),
    ("a ground link is missing", |case| {
        case.ground(
            |_, _, ground| !ground.callees.is_empty(),
            |ground, _| {
                ground.callees.pop();
            },
        )
    }),
    ("a ground link leads nowhere", |case| {
        case.ground(
            |_, _, ground| !ground.callees.is_empty(),
            |ground, _| ground.callees[0].1 = BEYOND as u32,
        )
    }),
    ("a ground link leads to another component", |case| {
        case.one(
            |_, layer, _| {
                let mut found = Vec::new();
                for (id, ground) in layer.ground.iter().enumerate() {
                    for (i, &(_, to)) in ground.callees.iter().enumerate() {
                        let own = layer.ground[to as usize].component;
                        let others =
                            (0..layer.ground.len()).filter(|&g| layer.ground[g].component != own);
                        found.extend(others.map(|other| (id, i, other)));
                    }
                }
                found
            },
            |layer, (id, i, to), _| layer.ground[id].callees[i].1 = to as u32,
        )
    }),
    ("a ground link leads to another ground frame", |case| {
        // A frame refines the one that links.
        case.one(
            |_, layer, _| {
                let mut found = Vec::new();
                for id in layer.frames.iter().map(|frame| frame.ground as usize) {
                    for (i, &(_, to)) in layer.ground[id].callees.iter().enumerate() {
                        let own = layer.ground[to as usize].component;
                        let others = (0..layer.ground.len())
                            .filter(|&g| g != to as usize && layer.ground[g].component == own);
                        found.extend(others.map(|other| (id, i, other)));
                    }
                }
                found
            },
            |layer, (id, i, to), _| layer.ground[id].callees[i].1 = to as u32,
        )
    }),
];
