//! What follows a node: a line is done on its heap, calls are made, callers go on.
//!
//! Whatever comes of that *arrives*: what is not read any more is dropped, then garbage, and the
//! rest is folded and brought into canonical form.

use super::{
    Arrow, At, CallSite, Component, Frame, HeapMachine, MOST_AROUND, State, Stop, Views, Way,
};
use crate::abstraction::{Kept, abstracted_by, collect_garbage};
use crate::calls::{Outside, split};
use crate::canonical::Externals;
use crate::code::Action;
use crate::graph::{HeapId, Slot, Value, null};
use crate::identity::Joined;
use crate::step::{End, Next, step};
use crate::traced::{Trace, Traced};
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{BoxId, CompId, Edge, ExitId, NodeId, Surety};

impl HeapMachine<'_> {
    /// Removes garbage and folds. Whether objects were lost, if that matters.
    pub(super) fn settle(&self, heap: &mut Traced, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        self.settle_by(heap, self.settings.kept.map(Kept::between_loops), meter)
    }

    fn settle_by(
        &self,
        heap: &mut Traced,
        kept: Option<Kept>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stop> {
        let lost = collect_garbage(self.grammar, heap) && self.settings.leaks;
        if let Some(kept) = kept {
            abstracted_by(&mut self.lists.borrow_mut(), self.grammar, heap, kept, meter)?;
        }
        debug_assert!(
            self.grammar.check_partly(heap.heap(), |object| self.settings.narrow
                && heap.heap().externals().contains(&object)),
            "{heap:?}"
        );
        if heap.heap().len() > self.settings.most_objects + 1 {
            return Err(Stop::Objects(self.settings.most_objects));
        }
        Ok(lost)
    }

    /// Whether a variable is kept where it is not read any more.
    fn keeps(&self, procedure: ProcId, variable: u32) -> bool {
        self.settings.variables || self.kept.contains(&(procedure, variable))
    }

    /// The node at a line of a procedure, with a heap from which all is dropped that is not needed.
    fn arrive(
        &mut self,
        component: CompId,
        at: At,
        (mut heap, before): (Traced, bool),
        meter: &mut Meter<'_>,
    ) -> Result<(NodeId, Trace), Stop> {
        let mut kept = self.settings.kept.map(Kept::between_loops);
        if let (Frame::Procedure(procedure), At::Line(line)) =
            (self.components[component].frame, at)
        {
            let line = &self.code.methods[procedure].lines[line as usize];
            let live = &line.live;
            if line.head {
                kept = self.settings.kept;
            }
            heap.heap_mut().retain_slots(|slot| match slot {
                Slot::Variable(it) => live.contains(&it) || self.keeps(procedure, it),
                Slot::Ghost(_) => true,
                Slot::Return => false,
            });
        }
        let is_usual = kept == self.settings.kept.map(Kept::between_loops);
        // Many lines leave a heap as it was.
        if is_usual
            && let Some(same) = self.heaps.find(heap.heap()).filter(|it| self.settled[it.index()])
        {
            let node = self.states.id(State { component, at, heap: same, lost: before });
            return Ok((node, heap.into_parts().1));
        }
        let lost = self.settle_by(&mut heap, kept, meter)? || before;
        let (heap, trace, _) = heap.canonical(Externals::Ordered);
        let heap = self.known(heap, is_usual);
        Ok((self.states.id(State { component, at, heap, lost }), trace))
    }

    /// What follows a node.
    pub(super) fn follow(
        &mut self,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(Edge, Surety)>, Stop> {
        let State { component, at, heap, .. } = self.states[node];
        let mut found: Vec<(Edge, Surety)> = Vec::new();
        match (self.components[component].frame, at) {
            (Frame::Start, At::Begin) => {
                let heap = Traced::new(&self.heaps[heap]);
                let method = &self.code.methods[self.checked];
                let values = (0..method.parameters).map(|it| {
                    let slot = Slot::Variable(u32::try_from(it).expect("few"));
                    heap.heap().slot(slot).expect("inputs have all parameters")
                });
                let values: Vec<Value> = values.collect();
                let mut rest = heap;
                rest.heap_mut().retain_slots(|slot| matches!(slot, Slot::Ghost(_)));
                found.push((self.call(node, self.checked, &rest, &values, meter)?, Surety::Sure));
            }
            (Frame::Procedure(procedure), At::Line(number)) => {
                let line = &self.code.methods[procedure].lines[number as usize];
                let (program, counts) = ((self.grammar, self.code), self.counts());
                for (next, surety) in step(program, line, &self.heaps[heap], counts) {
                    meter.tick()?;
                    let edge = self.take(node, number, next, meter)?;
                    if !found.iter().any(|&(it, _)| it == edge) {
                        found.push((edge, surety));
                    }
                }
                if let [(_, surety)] = &mut found[..] {
                    // All cases lead there.
                    *surety = Surety::Sure;
                }
            }
            (_, At::Ended(End::Hole, _)) => found.push((Edge::Step(node), Surety::Possible)),
            _ => found.push((Edge::Step(node), Surety::Sure)),
        }
        Ok(found)
    }

    /// One of the things that come of a line.
    fn take(
        &mut self,
        node: NodeId,
        number: u32,
        next: Next,
        meter: &mut Meter<'_>,
    ) -> Result<Edge, Stop> {
        let State { component, heap, .. } = self.states[node];
        Ok(match next {
            Next::Line(to, mut after) => {
                self.forget_number(component, number, &mut after);
                let (to, trace) = self.arrive(component, At::Line(to), (*after, false), meter)?;
                self.arrow(Way::Line, Arrow { from: node, to, trace });
                Edge::Step(to)
            }
            Next::Return(mut after) => {
                let lost = self.settle(&mut after, meter)?;
                let (after, trace, _) = after.canonical(Externals::Ordered);
                let after = self.known(after, true);
                let exit = self.exits.id((component, after, lost));
                self.leaving.push((node, exit, trace));
                Edge::Return(exit)
            }
            Next::Call(values) => {
                let Frame::Procedure(procedure) = self.components[component].frame else {
                    unreachable!("lines are of procedures")
                };
                let line = &self.code.methods[procedure].lines[number as usize];
                let Action::Call { to, callee, .. } = &line.action else {
                    unreachable!("only calls call")
                };
                let first = match values.first() {
                    Some(Value::Object(object)) => self.heaps[heap].kind(*object),
                    _ => None,
                };
                let (to, callee) = (*to, callee.by(first).expect("a line that calls knows whom"));
                let live = &self.code.methods[procedure].lines[line.next as usize].live;
                let mut rest = Traced::new(&self.heaps[heap]);
                rest.heap_mut().retain_slots(|slot| match slot {
                    Slot::Variable(it) => {
                        Some(it) != to && live.contains(&it) || self.keeps(procedure, it)
                    }
                    Slot::Ghost(_) => true,
                    Slot::Return => false,
                });
                self.call(node, callee, &rest, &values, meter)?
            }
            Next::Ends(end) => {
                let at = At::Ended(end, number);
                Edge::Step(self.states.id(State { component, at, heap, lost: false }))
            }
        })
    }

    /// A variable that was computed to be too many numbers is any from then on.
    fn forget_number(&mut self, component: CompId, line: u32, heap: &mut Traced) {
        let Frame::Procedure(procedure) = self.components[component].frame else { return };
        let Action::Compute(to, _) = self.code.methods[procedure].lines[line as usize].action
        else {
            return;
        };
        let (Some(most), Some(Value::Integer(number))) =
            (self.settings.most_numbers, heap.heap().slot(Slot::Variable(to)))
        else {
            return;
        };
        let seen = self.numbers.entry((procedure, to)).or_default();
        if seen.len() < most {
            seen.insert(number);
        } else if !seen.contains(&number) {
            heap.heap_mut().set_slot(Slot::Variable(to), Value::Any);
        }
    }

    /// Calls a procedure; the heap has only the slots that are needed afterwards.
    fn call(
        &mut self,
        node: NodeId,
        callee: ProcId,
        heap: &Traced,
        values: &[Value],
        meter: &mut Meter<'_>,
    ) -> Result<Edge, Stop> {
        let method = &self.code.methods[callee];
        let deep = self.states[node].at != At::Begin;
        let effects = (self.settings.narrow && deep).then_some(&method.effects);
        let (mut inside, mut outside, lost) =
            split(self.grammar, heap, values, self.settings.whole, effects);
        if let Some(most) = self.settings.most_cutpoints
            && inside.heap().externals().len() > most
        {
            return Err(Stop::Cutpoints(most));
        }
        let blank = if method.blank { method.locals.len() } else { method.parameters };
        for (number, local) in method.locals.iter().enumerate().skip(blank) {
            let value = match local.kind {
                Some(_) => Value::Object(null()),
                None => Value::Integer(0),
            };
            inside.heap_mut().set_slot(Slot::Variable(u32::try_from(number).expect("few")), value);
        }
        pass_ghosts(heap, &outside, &mut inside);
        let live = &method.lines[0].live;
        inside.heap_mut().retain_slots(|slot| match slot {
            Slot::Variable(it) => live.contains(&it) || self.keeps(callee, it),
            _ => true,
        });
        let lost = self.settle(&mut inside, meter)? || lost && self.settings.leaks;
        let externals = inside.heap().externals().to_vec();
        let (entry, trace, objects) = inside.canonical(Externals::Unordered);
        let order: Vec<usize> = entry
            .externals()
            .iter()
            .map(|it| {
                let old = objects[it.index()];
                externals.iter().position(|&it| it == old).expect("it is one")
            })
            .collect();
        outside.reorder(&order);
        let entry = self.known(entry, false);
        let own = (deep || !self.shared).then_some(entry);
        let view = self.view(node, &outside, meter)?;
        let frame = Frame::Procedure(callee);
        let component = self.components.id(Component { frame, entry: own, view });
        let entry = self.states.id(State { component, at: At::Line(0), heap: entry, lost });
        self.entries.insert(entry);
        self.arrow(Way::Down, Arrow { from: node, to: entry, trace: trace.clone() });
        let call = self.sites.push(CallSite { node, callee: component, outside, entry: trace });
        Ok(Edge::Call(call, entry))
    }

    /// What lies around the heap of a callee. Nobody's names for it matter, so it is folded as far
    /// as can be, but for ghosts, if these are remembered.
    fn view(
        &mut self,
        caller: NodeId,
        outside: &Outside,
        meter: &mut Meter<'_>,
    ) -> Result<Option<HeapId>, Stop> {
        let around = self.components[self.states[caller].component].view;
        let is_known = around.is_some() || self.frame(caller) == Frame::Start;
        let remembers = match self.settings.views {
            Views::None => return Ok(None),
            Views::Unnamed => false,
            Views::Remembered => true,
        };
        if !is_known {
            return Ok(None);
        }
        let mut view = outside.around(around.map(|it| &self.heaps[it]), remembers);
        let kept = self.settings.kept.filter(|_| remembers).unwrap_or(Kept::within(0));
        if remembers {
            // Nothing is asked of the rest.
            collect_garbage(self.grammar, &mut view);
        }
        abstracted_by(self.lists.get_mut(), self.grammar, &mut view, kept, meter)?;
        if view.heap().len() + view.heap().edges().len() > MOST_AROUND {
            return Ok(None);
        }
        let (view, ..) = view.canonical(Externals::Ordered);
        Ok(Some(self.known(view, false)))
    }

    /// Where a box goes on when its callee has returned.
    pub(super) fn back(
        &mut self,
        call: BoxId,
        exit: ExitId,
        meter: &mut Meter<'_>,
    ) -> Result<NodeId, Stop> {
        let CallSite { node, outside, .. } = self.sites[call].clone();
        let State { component, at, heap, .. } = self.states[node];
        let (_, result, lost) = self.exits[exit];
        let (to, at) = match (self.components[component].frame, at) {
            (Frame::Procedure(procedure), At::Line(number)) => {
                let line = &self.code.methods[procedure].lines[number as usize];
                let Action::Call { to, .. } = line.action else { unreachable!("only calls call") };
                (to.map(Slot::Variable), At::Line(line.next))
            }
            _ => (Some(Slot::Return), At::End),
        };
        let before = &self.heaps[heap];
        let parts = before.len() + before.edges().len();
        let (heap, image) = outside.joined(&self.heaps[result], to, parts);
        if self.settings.kept.is_none() {
            // The same once more, with origins counted from the joined heap.
            let again = (Traced::new(heap.heap()), lost);
            let (_, settled) = self.arrive(component, at, again, meter)?;
            let joined = Joined { kept: heap.trace().clone(), image, settled };
            self.joined.push((call, exit, joined));
        }
        let (to, trace) = self.arrive(component, at, (heap, lost), meter)?;
        self.arrow(Way::Across(call, exit), Arrow { from: node, to, trace });
        Ok(to)
    }
}

/// Ghosts that refer to objects of the scope are known in callees, too.
fn pass_ghosts(heap: &Traced, outside: &Outside, inside: &mut Traced) {
    for &(slot, value) in heap.heap().slots() {
        let Slot::Ghost(_) = slot else { continue };
        let value = match value {
            Value::Object(object) if object == null() => Some(value),
            Value::Object(_) => outside.inside_of(slot, inside).map(Value::Object),
            other => Some(other),
        };
        if let Some(value) = value {
            inside.heap_mut().set_slot(slot, value);
        }
    }
}
