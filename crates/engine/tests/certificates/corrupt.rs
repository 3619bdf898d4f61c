//! Ways to spoil a certificate.
//!
//! Each kind takes a valid certificate and changes one thing that matters. It says `None` if there is
//! nothing for it to change, and otherwise the layer that has to be found at fault, if it is the fault of
//! one. Changes that would only make another valid certificate are avoided; why a change matters is
//! said where that is not plain.

use fastrand::Rng;
use tern_model::evidence::{Event, Frame, Ground, Labelling, Layer, Proof, Summaries};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{
    BoxId, CompId, Edge, ExitId, Formulas, Gap, Id, Machine, NodeId, Place, PlaceId, TermId,
    Verdict,
};

/// A certificate with all that it is about.
pub(crate) struct Case<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) formulas: &'a Formulas,
    pub(crate) verdict: Verdict,
    pub(crate) labelling: Labelling,
    pub(crate) rng: Rng,
}

/// What was spoiled: the fault of a layer, or of the whole.
pub(crate) type Spoiled = Option<Option<usize>>;

/// A way to spoil.
pub(crate) type Kind = (&'static str, fn(&mut Case<'_>) -> Spoiled);

/// An id beyond all tables.
const BEYOND: usize = 1_000_000;

impl Case<'_> {
    /// One of the candidates, by chance.
    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.rng.usize(..from.len())].clone()) }
    }

    /// Whether a term is true at a node, if it has no temporal operators.
    fn plain(&self, term: TermId, node: NodeId) -> Option<bool> {
        Some(match self.labelling.program.terms[term] {
            Term::True => true,
            Term::Atom(atom) => self
                .machine
                .label(self.formulas.atom_name(atom))
                .is_some_and(|label| self.machine.has_label(node, label)),
            Term::Not(f) => !self.plain(f, node)?,
            Term::And(f, g) => self.plain(f, node)? && self.plain(g, node)?,
            Term::Or(f, g) => self.plain(f, node)? || self.plain(g, node)?,
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => return None,
        })
    }

    fn term(&self, layer: usize) -> Term {
        self.labelling.program.terms[self.labelling.layers[layer].term]
    }

    /// Changes one of the things that `find` lists, in all layers.
    fn one<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, usize) -> Vec<T>,
        change: impl FnOnce(&mut Layer, T, &Machine),
    ) -> Spoiled {
        let layers = self.labelling.layers.iter().enumerate();
        let found: Vec<(usize, T)> = layers
            .flat_map(|(i, layer)| find(self, layer, i).into_iter().map(move |found| (i, found)))
            .collect();
        let (layer, found) = self.pick(&found)?;
        change(&mut self.labelling.layers[layer], found, self.machine);
        Some(Some(layer))
    }

    /// Changes one of the ground frames of which `which` is true.
    fn ground(
        &mut self,
        which: impl Fn(&Layer, usize, &Ground) -> bool,
        change: impl FnOnce(&mut Ground, &Machine),
    ) -> Spoiled {
        self.one(
            |_, layer, _| {
                (0..layer.ground.len()).filter(|&g| which(layer, g, &layer.ground[g])).collect()
            },
            |layer, ground: usize, machine| change(&mut layer.ground[ground], machine),
        )
    }

    /// Changes one of the frames of which `which` is true.
    fn frame(
        &mut self,
        which: impl Fn(&Layer, usize, &Frame) -> bool,
        change: impl FnOnce(&mut Frame, &Machine),
    ) -> Spoiled {
        self.one(
            |_, layer, _| {
                (0..layer.frames.len()).filter(|&f| which(layer, f, &layer.frames[f])).collect()
            },
            |layer, frame: usize, machine| change(&mut layer.frames[frame], machine),
        )
    }

    /// Changes one of the things that `find` lists in summaries.
    fn summaries<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, &Summaries) -> Vec<T>,
        change: impl FnOnce(&mut Summaries, T),
    ) -> Spoiled {
        self.one(
            |case, layer, _| summaries_of(layer).map_or(vec![], |s| find(case, layer, s)),
            |layer, found, _| match &mut layer.proof {
                Proof::Until(summaries) | Proof::Globally(summaries, _) => change(summaries, found),
                Proof::Next => unreachable!("there are no summaries to find something in"),
            },
        )
    }

    /// Changes one of the things that `find` lists in the deaths of `EG p`, given p.
    fn deaths<T: Clone>(
        &mut self,
        find: impl Fn(&Case<'_>, &Layer, &[(u32, PlaceId)], TermId) -> Vec<T>,
        change: impl FnOnce(&mut Vec<(u32, PlaceId)>, T),
    ) -> Spoiled {
        self.one(
            |case, layer, number| match (&layer.proof, case.term(number)) {
                (Proof::Globally(_, deaths), Term::Eg(p)) => find(case, layer, deaths, p),
                _ => vec![],
            },
            |layer, found, _| match &mut layer.proof {
                Proof::Globally(_, deaths) => change(deaths, found),
                _ => unreachable!("there are no deaths to find something in"),
            },
        )
    }
}

fn summaries_of(layer: &Layer) -> Option<&Summaries> {
    match &layer.proof {
        Proof::Until(summaries) | Proof::Globally(summaries, _) => Some(summaries),
        Proof::Next => None,
    }
}

fn ended(layer: &Layer, frame: &Frame) -> bool {
    layer.ground[frame.ground as usize].ended
}

/// The boxes by which ground frames call this one.
fn ground_callers(layer: &Layer, ground: usize) -> Vec<BoxId> {
    let links = layer.ground.iter().flat_map(|g| &g.callees);
    links.filter(|&&(_, to)| to as usize == ground).map(|&(call, _)| call).collect()
}

fn is_called(layer: &Layer, frame: usize) -> bool {
    layer.frames.iter().flat_map(|f| &f.callees).any(|&(_, to)| to as usize == frame)
}

/// Pairs of different places in a list.
fn pairs<T>(list: &[T]) -> impl Iterator<Item = (usize, usize)> {
    let len = list.len();
    (0..len).flat_map(move |i| (0..len).filter(move |&j| j != i).map(move |j| (i, j)))
}

fn place(node: NodeId) -> PlaceId {
    PlaceId::new(node.index())
}

/// All places and sites at which frames have a truth value that is not a node's.
fn sites(machine: &Machine, component: CompId) -> Vec<PlaceId> {
    let is_site = |&&place: &&PlaceId| matches!(machine.place(place), Place::Site(..));
    machine.places_of(component).iter().filter(is_site).copied().collect()
}

fn other_exit(machine: &Machine, component: CompId) -> Option<ExitId> {
    machine.exits().find(|&exit| machine.component_of_exit(exit) != component)
}

/// The starts that no event says to have a goal.
fn without_goal(summaries: &Summaries) -> Vec<u32> {
    let has_goal = |start: u32| {
        summaries.events.iter().any(|e| matches!(*e, Event::Goal { start: s, .. } if s == start))
    };
    (0..summaries.starts.len() as u32).filter(|&start| !has_goal(start)).collect()
}

fn start_of(event: Event) -> u32 {
    match event {
        Event::Reach { start, .. } | Event::Leave { start, .. } | Event::Goal { start, .. } => {
            start
        }
    }
}

/// All ways.
pub(crate) const KINDS: &[Kind] = &[
    // The whole.
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
    // Ground frames.
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
    // Frames.
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
    // Contexts.
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
    // Roots.
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
    // Truth.
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
        // It was false, and so has no reason; a reason that it gives others, itself among them, is later.
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
    // Orders.
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
    // Operands.
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
        // Of a ground frame that some stack leads to, so that it is not up to chance what it refines.
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
    // Proofs.
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
    // Deaths.
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
