//! Proofs of operators: summaries of calls, and deaths.

use super::*;

pub(super) const PROOFS: &[Kind] = &[
    ("the proof of another operator", |case| {
        case.one(
            |_, _, _| vec![()],
            |layer, (), _| {
                layer.proof = match &layer.proof {
                    Proof::Next => Proof::Until(Summaries::default()),
                    Proof::Until(summaries) => Proof::Globally(summaries.clone(), vec![]),
                    Proof::Globally(summaries, _) => Proof::Until(summaries.clone()),
                }
            },
        )
    }),
    ("a start is missing", |case| {
        case.summaries(
            |_, _, summaries| (0..summaries.starts.len()).collect(),
            |summaries, i: usize| {
                summaries.starts.remove(i);
            },
        )
    }),
    ("a start is there twice", |case| {
        case.summaries(
            |_, _, summaries| summaries.starts.clone(),
            |summaries, start| summaries.starts.push(start),
        )
    }),
    ("a start of no ground frame", |case| {
        case.summaries(
            |_, _, _| vec![()],
            |summaries, ()| summaries.starts.push((u32::MAX, NodeId::new(0))),
        )
    }),
    ("a start that is no node", |case| {
        case.summaries(
            |_, layer, _| (0..layer.ground.len() as u32).collect(),
            |summaries, ground: u32| summaries.starts.push((ground, NodeId::new(BEYOND))),
        )
    }),
    ("a start that is no entry", |case| {
        case.summaries(
            |case, layer, _| {
                let mut found = Vec::new();
                for (id, ground) in (0u32..).zip(&layer.ground) {
                    let nodes = case.machine.nodes_of(ground.component);
                    found.extend(nodes.filter(|&n| !case.machine.is_entry(n)).map(|n| (id, n)));
                }
                found
            },
            |summaries, start| summaries.starts.push(start),
        )
    }),
    ("a start of the empty stack", |case| {
        case.summaries(
            |case, layer, _| {
                let ended = (0u32..).zip(&layer.ground).filter(|(_, ground)| ground.ended);
                let entries = |ground: &Ground| case.machine.entries_of(ground.component).to_vec();
                ended.flat_map(|(id, g)| entries(g).into_iter().map(move |n| (id, n))).collect()
            },
            |summaries, start| summaries.starts.push(start),
        )
    }),
    ("something reached is missing", |case| {
        // A start without a goal must list all that it reaches.
        case.summaries(
            |_, _, summaries| {
                let starts = without_goal(summaries);
                events(summaries, |event| {
                    matches!(event, Event::Reach { .. }) && starts.contains(&start_of(event))
                })
            },
            |summaries, i| {
                summaries.events.remove(i);
            },
        )
    }),
    ("an exit is missing", |case| {
        case.summaries(
            |_, _, summaries| {
                let starts = without_goal(summaries);
                events(summaries, |event| {
                    matches!(event, Event::Leave { .. }) && starts.contains(&start_of(event))
                })
            },
            |summaries, i| {
                summaries.events.remove(i);
            },
        )
    }),
    ("a goal is missing", |case| {
        case.summaries(
            |_, _, summaries| events(summaries, |event| matches!(event, Event::Goal { .. })),
            |summaries, i| {
                summaries.events.remove(i);
            },
        )
    }),
    ("an event is there twice", |case| {
        case.summaries(
            |_, _, summaries| summaries.events.clone(),
            |summaries, event| summaries.events.push(event),
        )
    }),
    ("an event comes before its reason", |case| {
        case.summaries(
            |_, _, summaries| {
                events(summaries, |event| {
                    let (_, entry) = summaries.starts[start_of(event) as usize];
                    let at = match event {
                        Event::Reach { from, .. } => from,
                        Event::Leave { node, .. } => place(node),
                        Event::Goal { place, .. } => place,
                    };
                    at != place(entry)
                })
            },
            |summaries, i| {
                let event = summaries.events.remove(i);
                summaries.events.insert(0, event);
            },
        )
    }),
    ("a call comes back before it has left", |case| {
        // Puts a return site that is reached first of all, after what it is reached from.
        case.summaries(
            |case, _, summaries| {
                events(summaries, |event| {
                    let (_, entry) = summaries.starts[start_of(event) as usize];
                    matches!(event, Event::Reach { place: to, from, .. } if from == place(entry)
                        && matches!(case.machine.place(to), Place::Site(..)))
                })
            },
            |summaries, i| {
                let event = summaries.events.remove(i);
                summaries.events.insert(0, event);
            },
        )
    }),
    ("a place is reached that is not", |case| {
        case.summaries(
            |case, layer, summaries| {
                let mut found = Vec::new();
                for (id, &(ground, entry)) in (0u32..).zip(&summaries.starts) {
                    let component = layer.ground[ground as usize].component;
                    let to = case.machine.nodes_of(component);
                    let edges = case.machine.edges(entry);
                    let apart = to.filter(|&node| !edges.contains(&Edge::Step(node)));
                    found.extend(apart.map(|node| (id, node, entry)));
                }
                found
            },
            |summaries, (start, to, from)| {
                let event = Event::Reach { start, place: place(to), from: place(from) };
                summaries.events.push(event);
            },
        )
    }),
    ("an exit is left by that is not", |case| {
        case.summaries(
            |case, layer, summaries| {
                let mut found = Vec::new();
                for (id, &(ground, entry)) in (0u32..).zip(&summaries.starts) {
                    let exits = case.machine.exits_of(layer.ground[ground as usize].component);
                    let edges = case.machine.edges(entry);
                    let others = exits.iter().filter(|&&x| !edges.contains(&Edge::Return(x)));
                    found.extend(others.map(|&exit| (id, entry, exit)));
                }
                found
            },
            |summaries, (start, node, exit)| {
                summaries.events.push(Event::Leave { start, node, exit });
            },
        )
    }),
    ("a goal that is none", |case| {
        // The entry of a start without a goal is no goal, and calls none.
        case.summaries(
            |_, _, summaries| {
                let starts = without_goal(summaries).into_iter();
                starts.map(|start| (start, summaries.starts[start as usize].1)).collect()
            },
            |summaries, (start, entry)| {
                summaries.events.push(Event::Goal { start, place: place(entry) });
            },
        )
    }),
    ("an event of no start", |case| {
        case.summaries(
            |_, _, _| vec![()],
            |summaries, ()| {
                summaries.events.push(Event::Goal { start: u32::MAX, place: PlaceId::new(0) });
            },
        )
    }),
    ("an event at no place", |case| {
        let nowhere = |start: u32, entry: NodeId| {
            let (beyond, entry) = (PlaceId::new(BEYOND), place(entry));
            [
                Event::Goal { start, place: beyond },
                Event::Reach { start, place: beyond, from: entry },
                Event::Reach { start, place: entry, from: beyond },
                Event::Leave { start, node: NodeId::new(BEYOND), exit: ExitId::new(0) },
                Event::Leave { start, node: NodeId::new(entry.index()), exit: ExitId::new(BEYOND) },
            ]
        };
        case.summaries(
            |_, _, summaries| {
                let starts = (0u32..).zip(&summaries.starts);
                starts.flat_map(|(start, &(_, entry))| nowhere(start, entry)).collect()
            },
            |summaries, event| summaries.events.push(event),
        )
    }),
    ("a return site is left like a node", |case| {
        case.summaries(
            |case, layer, summaries| {
                let mut found = Vec::new();
                for (i, &event) in summaries.events.iter().enumerate() {
                    if let Event::Reach { start, place, .. } = event
                        && matches!(case.machine.place(place), Place::Site(..))
                    {
                        let (ground, _) = summaries.starts[start as usize];
                        let component = layer.ground[ground as usize].component;
                        let node = NodeId::new(place.index());
                        let exits = case.machine.exits_of(component).iter();
                        found.extend(exits.map(|&exit| (i, Event::Leave { start, node, exit })));
                    }
                }
                found
            },
            |summaries, (i, event)| summaries.events.insert(i + 1, event),
        )
    }),
];

pub(super) const DEATHS: &[Kind] = &[
    ("a death is missing", |case| {
        case.deaths(
            |_, _, deaths, _| (0..deaths.len()).collect(),
            |deaths, i: usize| {
                deaths.remove(i);
            },
        )
    }),
    ("a death is there twice", |case| {
        case.deaths(|_, _, deaths, _| deaths.to_vec(), |deaths, death| deaths.push(death))
    }),
    ("the living die", |case| {
        case.deaths(
            |case, layer, deaths, _| {
                let mut found = Vec::new();
                for (id, ground) in (0u32..).zip(&layer.ground) {
                    let places = case.machine.places_of(ground.component).iter();
                    let living = places.filter(|&&place| !deaths.contains(&(id, place)));
                    found.extend(living.map(|&place| (id, place)));
                }
                found
            },
            |deaths, death| deaths.push(death),
        )
    }),
    ("a death comes before its reason", |case| {
        // It has p, and a successor that has not died yet if nothing has.
        case.deaths(
            |case, _, deaths, p| {
                let early = |&i: &usize| {
                    let (_, place) = deaths[i];
                    let passes = match case.machine.place(place) {
                        Place::Node(node) => case.plain(p, node) == Some(true),
                        Place::Site(..) => true,
                    };
                    let mut edges = case.machine.edges_at(place).iter();
                    passes && edges.any(|edge| !matches!(edge, Edge::Return(_)))
                };
                (0..deaths.len()).filter(early).collect()
            },
            |deaths, i: usize| {
                let death = deaths.remove(i);
                deaths.insert(0, death);
            },
        )
    }),
    ("a death at no place", |case| {
        case.deaths(|_, _, _, _| vec![()], |deaths, ()| deaths.push((0, PlaceId::new(BEYOND))))
    }),
    ("a death in no frame", |case| {
        case.deaths(|_, _, _, _| vec![()], |deaths, ()| deaths.push((u32::MAX, PlaceId::new(0))))
    }),
];

/// The events of which `which` is true.
fn events(summaries: &Summaries, which: impl Fn(Event) -> bool) -> Vec<usize> {
    (0..summaries.events.len()).filter(|&i| which(summaries.events[i])).collect()
}
