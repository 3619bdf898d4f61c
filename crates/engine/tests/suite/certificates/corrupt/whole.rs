//! What is wrong with a certificate as a whole, with its roots, or with the operands of a layer.

use super::*;

pub(super) const WHOLE: &[Kind] = &[
    ("another verdict", |case| {
        case.verdict = Verdict::from(case.verdict == Verdict::Fails);
        Some(None)
    }),
    ("no verdict", |case| {
        case.verdict = Verdict::Unknown(Gap::Unsupported("spoiled".to_owned()));
        Some(None)
    }),
    ("another program", |case| {
        let program = &case.labelling.program;
        let (mut terms, root) = (program.terms.clone(), program.root);
        let root = terms.push(Term::Not(root));
        case.labelling.program = Program { terms, root };
        Some(None)
    }),
    ("a layer is missing", |case| case.labelling.layers.pop().map(|_| None)),
    ("a layer is there twice", |case| {
        let last = case.labelling.layers.last()?.clone();
        case.labelling.layers.push(last);
        Some(None)
    }),
    ("layers are swapped", |case| {
        let (i, j) = case.pick(&pairs(&case.labelling.layers).collect::<Vec<_>>())?;
        case.labelling.layers.swap(i, j);
        Some(Some(i.min(j)))
    }),
    ("a layer is of another term", |case| {
        case.one(
            |_, _, _| vec![()],
            |layer, (), _| layer.term = TermId::new(layer.term.index() + 1),
        )
    }),
];

pub(super) const ROOTS: &[Kind] = &[
    ("a root is missing", |case| {
        case.one(
            |_, layer, _| layer.roots.clone(),
            |layer, _, _| {
                layer.roots.pop();
            },
        )
    }),
    ("a root is there twice", |case| {
        case.one(|_, layer, _| layer.roots.clone(), |layer, root, _| layer.roots.push(root))
    }),
    ("a root is no frame", |case| {
        case.one(
            |_, layer, _| layer.roots.clone(),
            |layer, _, _| layer.roots[0].1 = layer.frames.len() as u32,
        )
    }),
    ("a root is a called frame", |case| {
        case.one(
            |_, layer, _| {
                let mut found = Vec::new();
                for (i, &(component, _)) in layer.roots.iter().enumerate() {
                    let called = (0..layer.frames.len()).filter(|&id| {
                        let frame = &layer.frames[id];
                        frame.component == component && !ended(layer, frame)
                    });
                    found.extend(called.map(|id| (i, id as u32)));
                }
                found
            },
            |layer, (i, id), _| layer.roots[i].1 = id,
        )
    }),
    ("a root of no component", |case| {
        case.one(
            |_, layer, _| layer.roots.clone(),
            |layer, _, _| layer.roots[0].0 = CompId::new(BEYOND),
        )
    }),
];

pub(super) const OPERANDS: &[Kind] = &[
    ("an operand is missing", |case| {
        case.one(
            |_, layer, _| (0..layer.operands.len()).collect(),
            |layer, i: usize, _| {
                layer.operands.remove(i);
            },
        )
    }),
    ("an operand is there twice", |case| {
        case.one(
            |_, layer, _| layer.operands.clone(),
            |layer, operand, _| layer.operands.push(operand),
        )
    }),
    ("an operand is of another layer", |case| {
        case.one(
            |_, layer, _| (0..layer.operands.len()).collect(),
            |layer, i: usize, _| layer.operands[i].0 += 1,
        )
    }),
    ("an operand has too few frames", |case| {
        case.one(
            |_, layer, _| (0..layer.operands.len()).collect(),
            |layer, i: usize, _| {
                layer.operands[i].1.pop();
            },
        )
    }),
    ("an operand has no such frame", |case| {
        case.one(
            |_, layer, _| (0..layer.operands.len()).filter(|_| !layer.ground.is_empty()).collect(),
            |layer, i: usize, _| layer.operands[i].1[0] = BEYOND as u32,
        )
    }),
    ("an operand has another frame", |case| {
        // Of a ground frame that some stack leads to, so that it is not up to chance what it
        // refines.
        case.one(
            |case, layer, _| {
                let mut found = Vec::new();
                for (i, (operand, map)) in layer.operands.iter().enumerate() {
                    let there = &case.labelling.layers[*operand].frames;
                    let roots =
                        layer.roots.iter().map(|&(_, root)| layer.frames[root as usize].ground);
                    let called = layer.ground.iter().flat_map(|g| &g.callees).map(|&(_, to)| to);
                    for ground in roots.chain(called) {
                        let own = layer.ground[ground as usize].component;
                        let others = (0..there.len() as u32).filter(|&frame| {
                            frame != map[ground as usize] && there[frame as usize].component == own
                        });
                        found.extend(others.map(|frame| (i, ground as usize, frame)));
                    }
                }
                found
            },
            |layer, (i, ground, frame), _| layer.operands[i].1[ground] = frame,
        )
    }),
];
