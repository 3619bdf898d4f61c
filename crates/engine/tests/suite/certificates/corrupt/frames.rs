//! Frames, and the contexts that tell them apart.

use super::*;

pub(super) const FRAMES: &[Kind] = &[
    ("a frame link is missing", |case| {
        case.frame(
            |_, _, frame| !frame.callees.is_empty(),
            |frame, _| {
                frame.callees.pop();
            },
        )
    }),
    ("a frame link is there twice", |case| {
        case.frame(
            |_, _, frame| !frame.callees.is_empty(),
            |frame, _| frame.callees.push(frame.callees[0]),
        )
    }),
    ("frame links are out of order", |case| {
        case.frame(|_, _, frame| frame.callees.len() > 1, |frame, _| frame.callees.swap(0, 1))
    }),
    ("a frame link leads nowhere", |case| {
        case.frame(
            |_, _, frame| !frame.callees.is_empty(),
            |frame, _| frame.callees[0].1 = BEYOND as u32,
        )
    }),
    ("a frame link leads to another ground frame's", |case| {
        case.one(
            |_, layer, _| {
                relinks(layer, |to, other| {
                    to.component == other.component && to.ground != other.ground
                })
            },
            |layer, (id, i, to), _| layer.frames[id].callees[i].1 = to,
        )
    }),
    ("a frame link leads to another context", |case| {
        case.one(
            |_, layer, _| {
                relinks(layer, |to, other| {
                    to.ground == other.ground
                        && to.after.iter().any(|&(x, bit)| other.after.contains(&(x, !bit)))
                })
            },
            |layer, (id, i, to), _| layer.frames[id].callees[i].1 = to,
        )
    }),
    ("a frame of another ground frame", |case| {
        case.one(
            |_, layer, _| {
                let mut found = Vec::new();
                for id in (0..layer.frames.len()).filter(|&id| is_called(layer, id)) {
                    let own = &layer.frames[id];
                    let others = (0..layer.ground.len() as u32).filter(|&g| {
                        g != own.ground && layer.ground[g as usize].component == own.component
                    });
                    found.extend(others.map(|ground| (id, ground)));
                }
                found
            },
            |layer, (id, ground), _| layer.frames[id].ground = ground,
        )
    }),
    ("a frame of no ground frame", |case| {
        case.frame(|_, _, _| true, |frame, _| frame.ground = u32::MAX)
    }),
    ("a frame of another component", |case| {
        case.frame(|_, _, _| true, |frame, _| frame.component = CompId::new(BEYOND))
    }),
];

pub(super) const CONTEXTS: &[Kind] = &[
    ("a context says otherwise", |case| {
        case.one(
            |_, layer, _| {
                let called = (0..layer.frames.len()).filter(|&id| is_called(layer, id));
                called
                    .flat_map(|id| (0..layer.frames[id].after.len()).map(move |i| (id, i)))
                    .collect()
            },
            |layer, (id, i), _| layer.frames[id].after[i].1 ^= true,
        )
    }),
    ("a context is silent where it is needed", |case| {
        // A node returns by the exit, and is false though its operand lets it pass.
        case.one(
            |case, layer, number| {
                let machine = case.machine;
                let term = case.term(number);
                let mut found = Vec::new();
                for (id, frame) in layer.frames.iter().enumerate() {
                    for (i, &(exit, _)) in frame.after.iter().enumerate() {
                        let ground = &layer.ground[frame.ground as usize];
                        let needs = |&&node: &&NodeId| {
                            let passes = match term {
                                Term::Eu(p, _) | Term::Eg(p) => case.plain(p, node) == Some(true),
                                _ => true,
                            };
                            passes && !frame.holds.contains(machine.place_position(place(node)))
                        };
                        if !ground.closed.contains(machine.exit_position(exit))
                            && machine.return_sources(exit).iter().any(|node| needs(&node))
                        {
                            found.push((id, i));
                        }
                    }
                }
                found
            },
            |layer, (id, i), _| {
                layer.frames[id].after.remove(i);
            },
        )
    }),
    ("a context speaks twice", |case| {
        case.frame(
            |_, _, frame| !frame.after.is_empty(),
            |frame, _| frame.after.push(*frame.after.last().expect("not empty")),
        )
    }),
    ("a context speaks of another component's exit", |case| {
        let machine = case.machine;
        case.frame(
            |layer, _, frame| {
                !ended(layer, frame) && other_exit(machine, frame.component).is_some()
            },
            |frame, machine| {
                let exit = other_exit(machine, frame.component).expect("there is one");
                frame.after = vec![(exit, false)];
            },
        )
    }),
    ("a context speaks of no exit", |case| {
        case.frame(
            |layer, _, frame| !ended(layer, frame),
            |frame, _| frame.after.push((ExitId::new(BEYOND), false)),
        )
    }),
    ("the empty stack has a context", |case| {
        let machine = case.machine;
        case.frame(
            |layer, _, frame| ended(layer, frame) && !machine.exits_of(frame.component).is_empty(),
            |frame, machine| frame.after.push((machine.exits_of(frame.component)[0], true)),
        )
    }),
];

/// Links of frames, and frames that they could lead to instead.
fn relinks(layer: &Layer, fits: impl Fn(&Frame, &Frame) -> bool) -> Vec<(usize, usize, u32)> {
    let mut found = Vec::new();
    for (id, frame) in layer.frames.iter().enumerate() {
        for (i, &(_, to)) in frame.callees.iter().enumerate() {
            let own = &layer.frames[to as usize];
            let others = (0..layer.frames.len()).filter(|&other| fits(own, &layer.frames[other]));
            found.extend(others.map(|other| (id, i, other as u32)));
        }
    }
    found
}
