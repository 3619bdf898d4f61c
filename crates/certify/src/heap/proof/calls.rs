//! Calls of procedures on heaps with hyperedges.
//!
//! A callee is given what its arguments reach. Objects of that which somebody else knows as well
//! are *cutpoints*: external for the callee. It changes nothing but what it is given, so when it
//! returns, what it leaves takes the place of that, glued together at the cutpoints.
//!
//! In a *narrow* proof a callee is given what its arguments reach by fields that it, or whom it
//! calls, reads. What fields and hyperedges of that lead to beyond is external as well, and lacks
//! its fields, which stay with the caller. A step that would need one of these is refused, so
//! nothing else can be read or written.

use super::super::{Callee, NoRun, Task, refused};
use super::grammar::Grammar;
use super::graph::{AbstractHeap, FREED, Held, Origin, Slot, Tracked, object};
use super::reach::Reach;
use super::step::{Calling, Place};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{ProcId, Statement, Type};

/// What is left of the heap of a caller while a callee runs.
#[derive(Debug)]
pub struct Outside {
    rest: Tracked,
    /// The cutpoints in the rest, as the externals of the callee are ordered.
    cutpoints: Vec<usize>,
    /// What the result goes to.
    to: Option<Slot>,
    /// Where the caller goes on.
    pub next: Place,
    /// Whether the caller has lost objects that were not freed when it forgot what it does not
    /// keep.
    pub loses: bool,
}

/// For each object and each hyperedge, which part of a heap it is.
pub type Left = (Vec<Origin>, Vec<Origin>);

/// The fields that a procedure, or whom it calls, reads.
///
/// # Errors
/// If it is not known what is done, or objects are freed, which have all fields.
pub(super) fn fields_read(task: &Task<'_>, procedure: ProcId) -> Result<BTreeSet<String>, NoRun> {
    let program = task.program;
    let (mut open, mut seen, mut fields) = (vec![procedure], BTreeSet::new(), BTreeSet::new());
    while let Some(procedure) = open.pop() {
        if !seen.insert(procedure) {
            continue;
        }
        let Some(body) = &program.procedures()[procedure].body else {
            return refused("a procedure has no code");
        };
        for statement in &body.statements {
            match statement {
                Statement::Load { field, .. } => {
                    fields.insert(program.text(program.fields()[*field].name).to_owned());
                }
                Statement::Call { call, .. } => match task.meaning.callee(call) {
                    Callee::Procedure(_) | Callee::ByType => open.extend(task.called(call)),
                    Callee::Nothing | Callee::Pure => {}
                    Callee::Free | Callee::Unknown => {
                        return refused("it is not known which fields a callee reads");
                    }
                },
                _ => {}
            }
        }
    }
    Ok(fields)
}

/// What a callee is given, and what is left. The caller forgets all slots that it does not keep. If
/// it is said by which fields objects are reached, the callee is given these alone.
///
/// # Errors
/// If the callee has no code.
pub fn split(
    task: &Task<'_>,
    grammar: &Grammar<'_>,
    reach: Option<&Reach>,
    calling: &Calling,
    keep: &BTreeSet<Slot>,
) -> Result<(Tracked, Outside), NoRun> {
    let mut whole = calling.heap.clone();
    whole.heap.slots.retain(|slot, _| keep.contains(slot));
    let arguments: Vec<usize> = calling.values.iter().filter_map(object).collect();
    let roots: Vec<usize> = whole.heap.roots();
    let graph = &whole.heap.graph;
    let there = grammar.reached(graph, roots.iter().chain(&arguments).copied());
    let inside = match reach {
        Some(reach) => reach.entered(graph, &arguments),
        None => grammar.reached(graph, arguments),
    };
    let (edges_there, edges_inside) = (grammar.led(graph, &there), grammar.led(graph, &inside));
    let edges_outside: Vec<bool> =
        edges_there.iter().zip(&edges_inside).map(|(there, inside)| *there && !*inside).collect();
    let mut known: BTreeSet<usize> = roots.into_iter().collect();
    let fields = graph.fields.iter().filter(|it| there[it.0] && !inside[it.0]);
    known.extend(fields.map(|it| it.2));
    for (edge, _) in graph.edges.iter().zip(&edges_outside).filter(|it| *it.1) {
        known.extend(&edge.1);
    }
    known.retain(|it| *it != 0 && inside[*it]);
    // What leads out of what the callee is given.
    let fields = graph.fields.iter().filter(|it| inside[it.0]).map(|it| it.2);
    let edges = graph.edges.iter().zip(&edges_inside).filter(|it| *it.1);
    known.extend(fields.chain(edges.flat_map(|it| &it.0.1).copied()).filter(|it| !inside[*it]));

    let given: Vec<bool> = (0..there.len()).map(|it| inside[it] || known.contains(&it)).collect();
    let (mut callee, numbers) = whole.restricted(&given, &inside, &edges_inside);
    callee.heap.graph.externals = known.iter().filter_map(|it| numbers[*it]).collect();
    let moved = |held: Held, numbers: &[Option<usize>]| match held {
        Held::Object(object) => numbers[object].map(Held::Object),
        other => Some(other),
    };
    for (number, value) in calling.values.iter().enumerate() {
        if let Some(value) = moved(*value, &numbers) {
            callee.heap.slots.insert(Slot::Variable(number), value);
        }
    }
    for (slot, held) in &whole.heap.slots {
        if let (Slot::Ghost(_), Some(held)) = (slot, moved(*held, &numbers)) {
            callee.heap.slots.insert(*slot, held);
        }
    }
    callee.heap.slots.extend(blanks(task, calling.callee, calling.values.len())?);

    let outside: Vec<bool> = (0..there.len()).map(|it| there[it] && !inside[it]).collect();
    let left: Vec<bool> = (0..there.len()).map(|it| outside[it] || known.contains(&it)).collect();
    let (mut rest, numbers) = whole.restricted(&left, &outside, &edges_outside);
    for (slot, held) in &whole.heap.slots {
        match moved(*held, &numbers) {
            Some(held) => rest.heap.slots.insert(*slot, held),
            // Variables that are kept are roots of what is there: it cannot be.
            None => return refused("a variable holds an object that is lost"),
        };
    }
    let externals = whole.heap.graph.externals.iter().filter_map(|it| numbers[*it]);
    rest.heap.graph.externals = externals.collect();
    let lost = |object: usize| !there[object] && !whole.heap.is_freed(object);
    let outside = Outside {
        loses: edges_there.contains(&false) || (1..there.len()).any(lost),
        rest,
        cutpoints: known.iter().filter_map(|it| numbers[*it]).collect(),
        to: calling.to,
        next: calling.next,
    };
    Ok((callee, outside))
}

/// What variables that are no parameters hold at first.
fn blanks(task: &Task<'_>, callee: ProcId, values: usize) -> Result<BTreeMap<Slot, Held>, NoRun> {
    let Some(body) = &task.program.procedures()[callee].body else {
        return refused("a procedure has no code");
    };
    if values != body.parameters {
        return refused("a procedure takes other arguments");
    }
    let variables = body.variables.as_slice().iter().enumerate().skip(body.parameters);
    let blank = |ty: Type| match ty {
        Type::Reference(_) | Type::Array(_) | Type::Unknown => Held::Object(0),
        _ => Held::Integer(0),
    };
    let all = variables.filter(|_| !task.blank);
    let types = task.program.types();
    Ok(all.map(|(number, it)| (Slot::Variable(number), blank(types[it.ty]))).collect())
}

impl Outside {
    /// Puts cutpoints in the order that the callee has them in: `order` are objects of its heap.
    ///
    /// # Errors
    /// If they are others.
    pub fn order(&mut self, given: &[usize], order: &[usize]) -> Result<(), NoRun> {
        let place = |it: &usize| given.iter().position(|object| object == it);
        let ordered: Option<Vec<usize>> =
            order.iter().map(|it| Some(self.cutpoints[place(it)?])).collect();
        match ordered {
            Some(ordered) => self.cutpoints = ordered,
            None => return refused("externals are other objects"),
        }
        Ok(())
    }

    /// What lies around the heap of the callee, if `view` lies around that of the caller; perhaps
    /// with what claims remember.
    ///
    /// # Errors
    /// If the two do not fit.
    pub fn around(&self, view: &AbstractHeap, remembers: bool) -> Result<Tracked, NoRun> {
        let mut heap = self.rest.clone();
        heap.surround(view)?;
        heap.heap.slots.retain(|slot, _| remembers && matches!(slot, Slot::Ghost(_)));
        heap.heap.graph.externals.clone_from(&self.cutpoints);
        Ok(heap)
    }

    /// The heap of the caller when the callee has returned with a heap, of whose parts it is not
    /// said where they come from; and which of these each object and hyperedge is.
    ///
    /// # Errors
    /// If the two do not fit.
    pub fn joined(&self, result: &AbstractHeap) -> Result<(Tracked, Left), NoRun> {
        let mut heap = self.rest.clone();
        let all = heap.glue(result, &self.cutpoints)?;
        let mut left: Left = (vec![Origin::NONE; heap.heap.len()], Vec::new());
        for (part, &object) in all.iter().enumerate().filter(|it| *it.1 >= self.rest.heap.len()) {
            left.0[object] = Origin::part(part);
        }
        left.1.resize(self.rest.edges.len(), Origin::NONE);
        left.1.extend((0..result.graph.edges.len()).map(|it| Origin::part(result.len() + it)));
        if let Some(to) = self.to {
            let value = match result.slots.get(&Slot::Return) {
                Some(Held::Object(object)) => Held::Object(all[*object]),
                Some(other) => *other,
                None => Held::Any,
            };
            if to != Slot::Return || result.slots.contains_key(&Slot::Return) {
                heap.heap.slots.insert(to, value);
            }
        }
        Ok((heap, left))
    }
}

impl Tracked {
    /// Puts around this heap what lies around it, with what is remembered of that.
    ///
    /// # Errors
    /// If the two do not fit.
    pub(super) fn surround(&mut self, view: &AbstractHeap) -> Result<(), NoRun> {
        let at = self.heap.graph.externals.clone();
        let all = self.glue(view, &at)?;
        for (slot, held) in &view.slots {
            let held = match held {
                Held::Object(object) => Held::Object(all[*object]),
                other => *other,
            };
            self.heap.slots.entry(*slot).or_insert(held);
        }
        Ok(())
    }

    /// Puts a heap beside this one, its externals on objects of this one. What its objects are.
    pub(super) fn glue(&mut self, part: &AbstractHeap, at: &[usize]) -> Result<Vec<usize>, NoRun> {
        let externals = &part.graph.externals;
        if externals.len() != at.len() {
            return refused("a callee has other externals");
        }
        let mut image: Vec<Option<usize>> = vec![None; part.len()];
        image[0] = Some(0);
        for (&external, &object) in externals.iter().zip(at) {
            if part.is_freed(external) {
                FREED.clone_into(&mut self.heap.graph.kinds[object - 1]);
            } else if part.kind(external) != self.heap.kind(object) {
                return refused("an object has another type");
            }
            image[external] = Some(object);
        }
        let mut all = Vec::new();
        for (object, image) in image.into_iter().enumerate() {
            all.push(match image {
                Some(image) => image,
                None => self.add_object(&part.graph.kinds[object - 1], Origin::NONE),
            });
        }
        let fields = part.graph.fields.iter();
        let fields = fields.map(|(from, name, to)| (all[*from], name.clone(), all[*to]));
        self.heap.graph.fields.extend(fields);
        for (label, at) in &part.graph.edges {
            let at = at.iter().map(|it| all[*it]).collect();
            self.heap.graph.edges.push((label.clone(), at));
            self.edges.push(Origin::NONE);
        }
        Ok(all)
    }
}
