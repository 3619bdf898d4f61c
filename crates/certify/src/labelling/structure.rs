//! The shape of a layer: everything but the truth of its term.
//!
//! Once a layer has passed, all ids in its frames are in range, every box of every frame has a
//! link, and for every stack of the machine: the ground frame it leads to tells rightly whether the
//! stack is empty and which nodes are stuck, and leads to the frames of the operands' layers that
//! the same stack leads to there; the frame it leads to refines that ground frame, and its context
//! agrees with its caller's return sites.
//!
//! `closed` is relied on in two ways, and so checked in two ways: a node is stuck under a caller
//! exactly if all its edges are returns by closed exits; and no caller goes on after any closed
//! exit.

use super::{Scene, link, numbered};
use crate::Stopped;
use tern_model::evidence::{Frame, Layer};
use tern_model::{BoxId, CompId, Edge, Id, Machine, Place, PlaceId};

/// Checks the shape of a layer, given the layers that its operands speak of.
pub(super) fn check(scene: Scene<'_>, layers: &[Layer], due: &[usize]) -> Result<(), Stopped> {
    for (id, ground) in numbered(&scene.layer.ground) {
        let callees = &ground.callees;
        let target = |to: u32| {
            scene.layer.ground.get(to as usize).map(|ground| (ground.component, ground.ended))
        };
        links(scene, &|| scene.ground_name(id), ground.component, callees, target)?;
        let exits = scene.machine.exits_of(ground.component).len();
        if ground.closed.ones().any(|position| position >= exits) {
            return scene.refuse(scene.ground_name(id), "a closed exit is out of range");
        }
        if ground.ended && !ground.closed.is_clear() {
            return scene.refuse(scene.ground_name(id), "the stack is empty, yet exits are closed");
        }
    }
    for (id, _) in numbered(&scene.layer.ground) {
        scene.budget.check()?;
        closed(scene, id)?;
    }
    for (id, frame) in numbered(&scene.layer.frames) {
        frame_alone(scene, id, frame)?;
    }
    for (id, frame) in numbered(&scene.layer.frames) {
        scene.budget.check()?;
        frame_links(scene, id, frame)?;
    }
    roots(scene)?;
    operand_maps(scene, layers, due)
}

/// All boxes of a component are linked, in order, each to a frame of its callee that is not
/// `ended`.
fn links(
    scene: Scene<'_>,
    place: &dyn Fn() -> String,
    component: CompId,
    callees: &[(BoxId, u32)],
    target: impl Fn(u32) -> Option<(CompId, bool)>,
) -> Result<(), Stopped> {
    let machine = scene.machine;
    if component.index() >= machine.component_count() {
        return scene.refuse(place(), "there is no such component");
    }
    let boxes = machine.boxes_of(component);
    let increasing = callees.is_sorted_by(|a, b| a.0 < b.0);
    if !increasing || callees.len() != boxes.len() {
        return scene.refuse(place(), "its links do not list each box once, in order");
    }
    for (&(call, to), &due) in callees.iter().zip(boxes) {
        if call != due {
            return scene.refuse(place(), "a link is not of one of its boxes");
        }
        let name = machine.box_name(call);
        match target(to) {
            None => {
                return scene.refuse(place(), format!("box {name} leads to no frame"));
            }
            Some((component, _)) if component != machine.callee(call) => {
                let why = format!("box {name} leads to a frame of another component");
                return scene.refuse(place(), why);
            }
            Some((_, true)) => {
                let why = format!("box {name} leads to a frame of the empty stack");
                return scene.refuse(place(), why);
            }
            Some((_, false)) => {}
        }
    }
    Ok(())
}

/// The callees of a ground frame know by which exits its boxes do not go on, as far as nodes get
/// stuck.
fn closed(scene: Scene<'_>, id: u32) -> Result<(), Stopped> {
    let machine = scene.machine;
    for &(call, to) in &scene.ground(id).callees {
        let callee = scene.ground(to);
        let refuse = |why: String| {
            let from = scene.ground_name(id);
            let why = format!("{why} when box {} of {from} calls", machine.box_name(call));
            scene.refuse(scene.ground_name(to), why)
        };
        let exits = machine.exits_of(callee.component);
        for position in callee.closed.ones() {
            if machine.site(call, exits[position]).is_some() {
                let exit = machine.exit_name(exits[position]);
                return refuse(format!("exit {exit} is said to be closed, but is not"));
            }
        }
        for &node in &scene.only_return[callee.component.index()] {
            let stuck = machine.edges(node).iter().all(|&edge| match edge {
                Edge::Return(exit) => machine.site(call, exit).is_none(),
                Edge::Step(_) | Edge::Call(..) => false,
            });
            if stuck != scene.stays(to, node) {
                let word = if stuck { "stuck, but not said to be" } else { "said to be stuck" };
                return refuse(format!("node {} is {word}", machine.node_name(node)));
            }
        }
    }
    Ok(())
}

/// What can be said of a frame without looking at others.
fn frame_alone(scene: Scene<'_>, id: u32, frame: &Frame) -> Result<(), Stopped> {
    let machine = scene.machine;
    let refuse = |why: &str| scene.refuse(scene.frame_name(id), why);
    let Some(ground) = scene.layer.ground.get(frame.ground as usize) else {
        return refuse("there is no such ground frame");
    };
    if frame.component != ground.component {
        return refuse("its ground frame is of another component");
    }
    if ground.ended && !frame.after.is_empty() {
        return refuse("the stack is empty, yet there is a context");
    }
    if !frame.after.is_sorted_by(|a, b| a.0 < b.0) {
        return refuse("its context does not list exits once, in order");
    }
    let foreign = frame.after.iter().any(|&(exit, _)| {
        exit.index() >= machine.exit_count() || machine.component_of_exit(exit) != frame.component
    });
    if foreign {
        return refuse("its context speaks of an exit that is not its own");
    }
    let nodes = machine.nodes_of(frame.component).len();
    if frame.holds.ones().any(|position| position >= nodes) {
        return refuse("a node at which the term holds is out of range");
    }
    if !frame.sites.is_sorted_by(|a, b| a < b) {
        return refuse("its return sites are not listed once, in order");
    }
    if !frame.sites.iter().all(|&site| is_site_of(machine, site, frame.component)) {
        return refuse("it lists a return site that is not its own");
    }
    if !frame.order.iter().all(|&place| is_place_of(machine, place, frame.component)) {
        return refuse("its order has a place that is not its own");
    }
    Ok(())
}

/// Whether an id that may be out of range is a place of a component.
pub(super) fn is_place_of(machine: &Machine, place: PlaceId, component: CompId) -> bool {
    place.index() < machine.place_count() && machine.component_of_place(place) == component
}

fn is_site_of(machine: &Machine, place: PlaceId, component: CompId) -> bool {
    is_place_of(machine, place, component) && matches!(machine.place(place), Place::Site(..))
}

/// The links of a frame follow those of its ground frame, and its return sites are as its callees'
/// contexts say.
fn frame_links(scene: Scene<'_>, id: u32, frame: &Frame) -> Result<(), Stopped> {
    let machine = scene.machine;
    let target = |to: u32| {
        let frame = scene.layer.frames.get(to as usize)?;
        Some((frame.component, scene.ground(frame.ground).ended))
    };
    links(scene, &|| scene.frame_name(id), frame.component, &frame.callees, target)?;
    for &(call, to) in &frame.callees {
        let callee = &scene.layer.frames[to as usize];
        let call_name = machine.box_name(call);
        if callee.ground != scene.ground_link(frame.ground, call) {
            let why = format!("box {call_name} leads to another ground frame than below");
            return scene.refuse(scene.frame_name(id), why);
        }
        for &(exit, bit) in &callee.after {
            let site = machine.site(call, exit);
            if site.is_some_and(|site| frame.sites.binary_search(&site).is_ok()) != bit {
                let (exit, from) = (machine.exit_name(exit), scene.frame_name(id));
                let said = if bit { "true" } else { "false" };
                let why = format!(
                    "the context says {said} after exit {exit}; box {call_name} of {from} does not"
                );
                return scene.refuse(scene.frame_name(to), why);
            }
        }
    }
    Ok(())
}

/// There is a root for each component with an initial node, and it is of the empty stack.
fn roots(scene: Scene<'_>) -> Result<(), Stopped> {
    let machine = scene.machine;
    let refuse = |why: String| scene.refuse("the roots".to_owned(), why);
    let mut due = vec![false; machine.component_count()];
    for &node in machine.initial() {
        due[machine.component_of(node).index()] = true;
    }
    for &(component, root) in &scene.layer.roots {
        let name = scene.component_name(component);
        match due.get_mut(component.index()) {
            Some(due) if *due => *due = false,
            _ => return refuse(format!("component {name} has one too many")),
        }
        let Some(frame) = scene.layer.frames.get(root as usize) else {
            return refuse(format!("that of component {name} is no frame"));
        };
        if frame.component != component {
            return refuse(format!("that of component {name} is of another component"));
        }
        if !scene.ground(frame.ground).ended {
            return refuse(format!("that of component {name} is not of the empty stack"));
        }
    }
    match due.iter().position(|&due| due) {
        Some(missing) => {
            refuse(format!("component {} has none", scene.component_name(CompId::new(missing))))
        }
        None => Ok(()),
    }
}

/// The ground frames refine the frames of the operands' layers: for every stack, the map leads from
/// the ground frame here to the frame there.
fn operand_maps(scene: Scene<'_>, layers: &[Layer], due: &[usize]) -> Result<(), Stopped> {
    let layer = scene.layer;
    let mut named: Vec<usize> = layer.operands.iter().map(|&(operand, _)| operand).collect();
    named.sort_unstable();
    if named != due {
        let why = format!("they are layers {named:?}, but the term speaks of {due:?}");
        return scene.refuse("the operands".to_owned(), why);
    }
    for (operand, map) in &layer.operands {
        // Layers of operands come before, so this one has been checked.
        let there = &layers[*operand];
        let place = |id: u32| format!("{}, operand layer {operand}", scene.ground_name(id));
        if map.len() != layer.ground.len() {
            let why = "there is not one frame for each ground frame";
            return scene.refuse(format!("operand layer {operand}"), why);
        }
        for (id, (&to, ground)) in (0u32..).zip(map.iter().zip(&layer.ground)) {
            match there.frames.get(to as usize) {
                Some(frame) if frame.component == ground.component => {}
                Some(_) => return scene.refuse(place(id), "the frame is of another component"),
                None => return scene.refuse(place(id), "there is no such frame"),
            }
        }
        for (id, (&to, ground)) in (0u32..).zip(map.iter().zip(&layer.ground)) {
            let callees = &there.frames[to as usize].callees;
            for &(call, callee) in &ground.callees {
                if map[callee as usize] != link(callees, call) {
                    let name = scene.machine.box_name(call);
                    return scene.refuse(place(id), format!("box {name} leads elsewhere there"));
                }
            }
        }
        let mut root_there = vec![None; scene.machine.component_count()];
        for &(component, root) in &there.roots {
            root_there[component.index()] = Some(root);
        }
        for &(component, root) in &layer.roots {
            let ground = layer.frames[root as usize].ground;
            if Some(map[ground as usize]) != root_there[component.index()] {
                return scene.refuse(place(ground), "the root there is another frame");
            }
        }
    }
    Ok(())
}
