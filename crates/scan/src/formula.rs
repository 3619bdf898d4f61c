//! Rules whose claim is a formula of CTL*: decided by the engines, for each object and procedure.
//!
//! Its propositions are the events of the rule, `enter` (the procedure begins), `leave` (it has
//! ended) and `throw` (it has ended by an exception). Every event is a node of its own
//! ([`Component::marks`](crate::explore::Component)). The machine of an object and a procedure has
//! the nodes that were explored, and those of callees in which something is done to the object;
//! other calls are one step. The claim is decided where the procedure begins.
//!
//! What a procedure is given, or finds in a field, is looked at only in procedures that nothing of
//! the view calls; what it makes or meets itself, wherever that is.

use crate::checks::Place;
use crate::explore::{ComponentId, Ending, Explored};
use crate::findings::Moment;
use crate::rules::Event;
use crate::story;
use crate::values::{Key, ObjectId};
use crate::words;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tern_engine::{Checker, Options};
use tern_ir::Statement;
use tern_model::index::Id;
use tern_model::{
    Budget, Builder, CompId, Edge, ExitId, Formula, FormulaId, Formulas, Limit, Machine, NodeId,
    Place as At, Verdict,
};

/// What formulas may say besides events.
pub(crate) const WORDS: [&str; 3] = ["enter", "leave", "throw"];

/// A place that breaks a claim that is a formula.
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) run: Vec<Moment>,
}

type About = Option<ObjectId>;

/// All places that break the formula of a rule.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn find(
    explored: &Explored,
    number: usize,
    text: &str,
    budget: &Budget,
) -> Result<Vec<Found>, Limit> {
    let rule = explored.watched[number].rule;
    let mut formulas = Formulas::new();
    let Ok(parsed) = tern_front::formula::read(&mut formulas, text, 0) else {
        return Ok(Vec::new());
    };
    let claim = match formulas.is_state_formula(parsed.root) {
        true => parsed.root,
        false => formulas.make(Formula::All(parsed.root)),
    };
    let never = broken(&mut formulas, claim);
    let table = Table::new(explored, number as u8);
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for (id, component) in explored.components.iter() {
        for &about in table.of(id) {
            budget.check()?;
            let is_own = about.is_some_and(|it| matches!(explored.objects[it], Key::At(_)));
            if !is_own && !component.callers.is_empty() {
                continue;
            }
            let drawing =
                Drawing { explored, events: &rule.events, number: number as u8, table: &table };
            let Some(machine) = drawing.machine(id, about, 0) else { continue };
            let checker = Checker::new(&machine, budget)?;
            let decide = |formula: FormulaId| {
                checker.check(&formulas, formula, &Options::default(), budget).verdict
            };
            if decide(claim) != Verdict::Fails {
                continue;
            }
            let certain = never.is_some_and(|never| decide(never) == Verdict::Holds);
            let Some((at, node)) = table.first(explored, id, about) else { continue };
            let procedure = explored.components[at].procedure;
            let line = story::line(explored, at, node);
            if seen.insert((procedure, line)) {
                let subject = about.map_or_else(
                    || format!("`{}`", words::method(explored.world.program, procedure)),
                    |object| words::object(explored, explored.components[id].procedure, object),
                );
                let (reason, calls) = (String::new(), Vec::new());
                let place = Place { procedure, line, subject, reason, certain, calls };
                found.push(Found { place, run: story::way(explored, at, node) });
            }
        }
    }
    Ok(found)
}

/// That every run breaks a claim about all runs: `A !p`, where `p` is the claim of one run, without
/// the quantifiers in it that mean all runs as well. Nothing for claims about some run.
fn broken(formulas: &mut Formulas, claim: FormulaId) -> Option<FormulaId> {
    // For each subformula, what it says of one run where it is wanted; where it is not, it stays.
    let mut one: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for id in formulas.in_order(claim) {
        let formula = formulas.get(id);
        let of = |it: FormulaId| one.get(&it).copied().unwrap_or(it);
        let said = match formula {
            Formula::All(path) => of(path),
            Formula::Implies(premise, end) => formulas.make(Formula::Implies(premise, of(end))),
            Formula::Not(_) | Formula::Iff(..) | Formula::Xor(..) | Formula::Exists(_) => id,
            other => formulas.make(other.with_operands(of)),
        };
        one.insert(id, said);
    }
    let Formula::All(_) = formulas.get(claim) else { return None };
    let not = formulas.make(Formula::Not(one[&claim]));
    Some(formulas.make(Formula::All(not)))
}

/// Whether no run from some nodes leaves their procedures, by the engines. Calls that come back are
/// one step.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn never_leave(
    explored: &Explored,
    nodes: impl Iterator<Item = (ComponentId, usize)>,
    budget: &Budget,
) -> Result<bool, Limit> {
    let mut formulas = Formulas::new();
    let leave = formulas.atom("leave");
    let finally = formulas.make(Formula::Finally(leave));
    let claim = formulas.make(Formula::Exists(finally));
    let objects = vec![BTreeSet::new(); explored.components.len()];
    let table = Table { rule: u8::MAX, objects, calls: FxHashMap::default() };
    let drawing = Drawing { explored, events: &[], number: u8::MAX, table: &table };
    for (id, node) in nodes {
        let Some(machine) = drawing.machine(id, None, node) else { return Ok(false) };
        let checker = Checker::new(&machine, budget)?;
        let outcome = checker.check(&formulas, claim, &Options::default(), budget);
        if outcome.verdict != Verdict::Fails {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Which objects something is done to in which components, callees included.
struct Table {
    rule: u8,
    objects: Vec<BTreeSet<About>>,
    /// Calls: by component and node, the callee.
    calls: FxHashMap<ComponentId, Vec<(usize, ComponentId)>>,
}

impl Table {
    fn new(explored: &Explored, rule: u8) -> Table {
        let components = explored.components.as_slice();
        let mut calls: FxHashMap<ComponentId, Vec<(usize, ComponentId)>> = FxHashMap::default();
        for (callee, component) in explored.components.iter() {
            for &(caller, node) in &component.callers {
                calls.entry(caller).or_default().push((node, callee));
            }
        }
        let own = components.iter().map(|component| {
            let marks = component.marks.iter().filter(|mark| mark.1 == rule);
            marks.map(|mark| mark.3).collect::<BTreeSet<About>>()
        });
        let mut table = Table { rule, objects: own.collect(), calls };
        let mut work: Vec<ComponentId> = explored.components.ids().collect();
        while let Some(callee) = work.pop() {
            for &(caller, node) in &explored.components[callee].callers {
                let theirs = table.objects[callee.index()].clone();
                let outer = theirs.iter().filter_map(|&it| outer(explored, (caller, node), it));
                let outer: Vec<About> = outer.collect();
                let set = &mut table.objects[caller.index()];
                let before = set.len();
                set.extend(outer);
                if set.len() > before {
                    work.push(caller);
                }
            }
        }
        table
    }

    fn of(&self, id: ComponentId) -> &BTreeSet<About> {
        &self.objects[id.index()]
    }

    /// What an object of a caller is called in a callee.
    fn inner(
        &self,
        explored: &Explored,
        call: (ComponentId, usize),
        callee: ComponentId,
        about: About,
    ) -> Option<About> {
        let theirs = self.of(callee).iter().copied();
        theirs.into_iter().find(|&it| outer(explored, call, it) == Some(about))
    }

    /// The first node at which something is done to an object, callees included.
    fn first(
        &self,
        explored: &Explored,
        id: ComponentId,
        about: About,
    ) -> Option<(ComponentId, usize)> {
        let mut seen = FxHashSet::default();
        let mut work = vec![(id, about)];
        while let Some((id, about)) = work.pop() {
            if !seen.insert((id, about)) {
                continue;
            }
            let marks = explored.components[id].marks.iter();
            let own = marks.filter(|mark| mark.1 == self.rule && mark.3 == about);
            if let Some(node) = own.map(|mark| mark.0).min() {
                return Some((id, node));
            }
            for &(node, callee) in self.calls.get(&id).into_iter().flatten() {
                let inner = self.inner(explored, (id, node), callee, about);
                work.extend(inner.map(|inner| (callee, inner)));
            }
        }
        None
    }
}

/// What an object of a callee is called in its caller; nothing if the caller cannot name it.
fn outer(explored: &Explored, (caller, node): (ComponentId, usize), about: About) -> Option<About> {
    let Some(object) = about else { return Some(None) };
    let given = |position: u32| {
        let component = &explored.components[caller];
        let own = &component.nodes[node];
        let body = explored.body(component.procedure);
        let row = body.blocks[own.block].statements.start + own.at;
        let Some(Statement::Call { call, .. }) = body.statements.get(row as usize) else {
            return None;
        };
        let operand = *body.operands(&call.arguments).get(position as usize)?;
        explored.operand_value(&own.state, operand).object()
    };
    match explored.objects[object] {
        Key::Parameter(position) => given(position).map(Some),
        Key::Static(_) => Some(Some(object)),
        Key::Field(own, field) => match explored.objects[own] {
            Key::Parameter(position) => {
                let key = Key::Field(given(position)?, field);
                explored.objects.find(&key).map(Some)
            }
            _ => None,
        },
        _ => None,
    }
}

struct Drawing<'e, 'w, 'p> {
    explored: &'e Explored<'w, 'p>,
    events: &'e [Event],
    number: u8,
    table: &'e Table,
}

/// A component as it is drawn: its nodes, the nodes of its exits, the exits.
struct Copy {
    id: CompId,
    nodes: Vec<NodeId>,
    ends: Vec<NodeId>,
    exits: Vec<ExitId>,
}

impl Drawing<'_, '_, '_> {
    /// The machine of an object, from a node of a component.
    fn machine(&self, id: ComponentId, about: About, from: usize) -> Option<Machine> {
        let mut b = Builder::new();
        let mut copies: FxHashMap<(ComponentId, About), Copy> = FxHashMap::default();
        let mut order = vec![(id, about)];
        copies.insert((id, about), self.copy(&mut b, id, about));
        b.initial(copies[&(id, about)].nodes[from]);
        let first = &copies[&(id, about)];
        b.label(first.nodes[0], "enter");
        for (exit, &end) in first.ends.iter().enumerate() {
            b.label(end, "leave");
            let ending = self.explored.components[id].exits[exit].ending;
            if matches!(ending, Ending::Throw(..)) {
                b.label(end, "throw");
            }
        }
        let mut done = 0;
        while done < order.len() {
            let (id, about) = order[done];
            done += 1;
            let calls = self.table.calls.get(&id).map_or(&[][..], Vec::as_slice);
            for &(node, callee) in calls {
                let inner = self.table.inner(self.explored, (id, node), callee, about);
                if let Some(inner) = inner
                    && !copies.contains_key(&(callee, inner))
                {
                    let copy = self.copy(&mut b, callee, inner);
                    copies.insert((callee, inner), copy);
                    order.push((callee, inner));
                }
            }
            self.edges(&mut b, id, about, &copies);
        }
        b.finish().ok()
    }

    fn copy(&self, b: &mut Builder, id: ComponentId, about: About) -> Copy {
        let own = &self.explored.components[id];
        let name = about.map_or(String::new(), |it| format!("o{}", it.index()));
        let comp = b.component(&format!("c{}{name}", id.index()));
        let nodes: Vec<NodeId> =
            (0..own.nodes.len()).map(|node| b.node(comp, &format!("n{node}"))).collect();
        b.entry(nodes[0]);
        let ends: Vec<NodeId> =
            (0..own.exits.len()).map(|exit| b.node(comp, &format!("x{exit}"))).collect();
        let exits = ends.iter().map(|&end| b.exit_node(end)).collect();
        for &(node, rule, event, object) in &own.marks {
            if rule == self.number && object == about {
                b.label(nodes[node], &self.events[usize::from(event)].name);
            }
        }
        Copy { id: comp, nodes, ends, exits }
    }

    fn edges(
        &self,
        b: &mut Builder,
        id: ComponentId,
        about: About,
        copies: &FxHashMap<(ComponentId, About), Copy>,
    ) {
        let own = &self.explored.components[id];
        let copy = &copies[&(id, about)];
        for &(node, ending) in &own.leaving {
            for (exit, &end) in copy.ends.iter().enumerate() {
                let theirs = own.exits[exit].ending;
                let is_return = |it: Ending| it == Ending::Return;
                if is_return(theirs) == is_return(ending) {
                    b.edge(At::Node(copy.nodes[node]), Edge::Step(end));
                }
            }
        }
        let mut boxes = FxHashMap::default();
        let calls = self.table.calls.get(&id).map_or(&[][..], Vec::as_slice);
        for &(node, callee) in calls {
            let inner = self.table.inner(self.explored, (id, node), callee, about);
            let Some(theirs) = inner.and_then(|inner| copies.get(&(callee, inner))) else {
                continue;
            };
            if boxes.contains_key(&(node, callee)) {
                continue;
            }
            let name = format!("b{node}c{}", callee.index());
            let call = b.call_box(copy.id, &name, theirs.id);
            b.edge(At::Node(copy.nodes[node]), Edge::Call(call, theirs.nodes[0]));
            boxes.insert((node, callee), (call, theirs));
        }
        for edge in &own.edges {
            let to = Edge::Step(copy.nodes[edge.to]);
            match edge.via.and_then(|(callee, exit)| Some((boxes.get(&(edge.from, callee))?, exit)))
            {
                Some(((call, theirs), exit)) => {
                    b.edge(At::Site(*call, theirs.exits[exit]), to);
                }
                None => b.edge(At::Node(copy.nodes[edge.from]), to),
            }
        }
    }
}
