//! Which statements are events of the claims.
//!
//! Events are matched once against the names of procedures, fields, classes and references, and
//! not at every statement. A pattern whose last word is fixed is looked up by that word, so that
//! thousands of them, one for each field, take no longer than their matches.

use super::bindings::{Binding, of_variable};
use super::events::{Event, Pattern, Subject, line_of};
use super::names;
use crate::calls::{Calls, ReferenceId};
use rustc_hash::FxHashMap;
use tern_ir::{Body, FieldId, Jump, NameId, Operand, ProcId, Program, Statement, TypeId, VarId};
use tern_model::budget::Meter;
use tern_model::{Budget, Limit};

/// The number of an event.
pub(super) type EventNo = u32;

/// Events by what they are about.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub(super) enter: By<ProcId>,
    pub(super) leave: By<ProcId>,
    /// Calls that name this class and selector.
    pub(super) calls: By<ReferenceId>,
    /// Calls that lead to this procedure.
    pub(super) called: By<ProcId>,
    reads: By<FieldId>,
    writes: By<FieldId>,
    local_reads: By<(ProcId, VarId)>,
    local_writes: By<(ProcId, VarId)>,
    news: By<NameId>,
    arrays: By<TypeId>,
    throws: By<NameId>,
    /// Files with lines.
    lines: FxHashMap<(NameId, u32), Vec<EventNo>>,
}

/// The events of each thing, if it has any.
#[derive(Debug)]
pub(super) struct By<T>(FxHashMap<T, Vec<EventNo>>);

impl<T> Default for By<T> {
    fn default() -> Self {
        By(FxHashMap::default())
    }
}

impl<T: std::hash::Hash + Eq + Copy> By<T> {
    pub(super) fn of(&self, thing: T) -> &[EventNo] {
        // Most claims are about few kinds of things.
        if self.0.is_empty() { &[] } else { self.0.get(&thing).map_or(&[], Vec::as_slice) }
    }

    fn add(&mut self, thing: T, event: EventNo) {
        let events = self.0.entry(thing).or_default();
        if events.last() != Some(&event) {
            events.push(event);
        }
    }
}

/// Things that may be matched, by the last word of their names.
struct Named<T> {
    things: Vec<(String, T)>,
    by_word: FxHashMap<String, Vec<usize>>,
}

impl<T: Copy> Named<T> {
    fn new(things: impl Iterator<Item = (String, T)>) -> Self {
        let things: Vec<(String, T)> = things.collect();
        let mut by_word: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (i, (name, _)) in things.iter().enumerate() {
            let bare = name.split('(').next().unwrap_or(name);
            let word = bare.rsplit(['.', '/', '$']).next().unwrap_or(bare);
            match by_word.get_mut(word) {
                Some(list) => list.push(i),
                None => {
                    by_word.insert(word.to_owned(), vec![i]);
                }
            }
        }
        Named { things, by_word }
    }

    /// Calls `visit` with all things whose names fit.
    fn fitting(&self, pattern: &Pattern, mut visit: impl FnMut(T)) {
        let fits = |name: &str| match pattern.has_types() {
            true => pattern.fits(name),
            false => pattern.fits(name.split('(').next().unwrap_or(name)),
        };
        let mut look = |&(ref name, thing): &(String, T)| {
            if fits(name) {
                visit(thing);
            }
        };
        match pattern.last_word() {
            Some(word) => {
                let found = self.by_word.get(word).into_iter().flatten();
                found.for_each(|&i| look(&self.things[i]));
            }
            None => self.things.iter().for_each(look),
        }
    }
}

impl Labels {
    /// Matches events against what is reached.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(super) fn new(
        program: &Program,
        calls: &Calls,
        events: &[Event],
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut labels = Labels::default();
        let has = |subjects: &[Subject]| events.iter().any(|it| subjects.contains(&it.subject));
        let mut meter = Meter::new(budget);
        if has(&[Subject::Enter, Subject::Leave, Subject::Call]) {
            labels.procedures(program, calls, events, &mut meter)?;
        }
        if has(&[Subject::Read, Subject::Write]) {
            labels.fields(program, calls, events, &mut meter)?;
            labels.locals(program, calls, events, &mut meter)?;
        }
        if has(&[Subject::New, Subject::Throw]) {
            labels.classes(program, calls, events, &mut meter)?;
        }
        if has(&[Subject::Line]) {
            labels.lines(program, calls, events);
        }
        Ok(labels)
    }

    fn procedures(
        &mut self,
        program: &Program,
        calls: &Calls,
        events: &[Event],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let reached = calls.reached.iter();
        let named = Named::new(reached.map(|&id| (names::procedure(program, id), id)));
        for (event, number) in events.iter().zip(0..) {
            meter.tick()?;
            let table = match event.subject {
                Subject::Enter => &mut self.enter,
                Subject::Leave => &mut self.leave,
                Subject::Call => &mut self.called,
                _ => continue,
            };
            named.fitting(&event.pattern, |id| table.add(id, number));
        }
        let references = calls.references().iter().map(|(id, reference)| {
            let class = program.text(reference.class);
            let types = names::types(program, reference.selector);
            (names::member(program, class, reference.selector) + &types, id)
        });
        // What is meant may be inherited from another class than the one that is named.
        let resolved = calls.references().iter().filter_map(|(id, reference)| {
            Some((names::procedure(program, reference.resolved?), id))
        });
        let named = Named::new(references.chain(resolved));
        for (event, number) in events.iter().zip(0..) {
            meter.tick()?;
            if event.subject == Subject::Call {
                named.fitting(&event.pattern, |id| self.calls.add(id, number));
            }
        }
        for (id, reference) in calls.references().iter() {
            if let ([only], None) = (reference.targets.as_slice(), reference.unknown) {
                for &event in self.called.of(*only) {
                    self.calls.add(id, event);
                }
            }
        }
        Ok(())
    }

    fn fields(
        &mut self,
        program: &Program,
        calls: &Calls,
        events: &[Event],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let own = program.fields().ids().map(|id| (names::field(program, id), id));
        let inherited = program.fields().ids().filter_map(|id| {
            let field = program.fields()[id];
            let kind = calls.hierarchy.find(field.class)?;
            let class = calls.hierarchy.above(kind).into_iter().skip(1).find_map(|above| {
                let class = &program.classes()[calls.hierarchy.class(above)?];
                let has = class.fields.iter().any(|&(own, _)| {
                    let own = program.fields()[own];
                    (own.name, own.ty) == (field.name, field.ty)
                });
                has.then_some(class.name)
            })?;
            Some((format!("{}.{}", program.text(class), program.text(field.name)), id))
        });
        let named = Named::new(own.chain(inherited));
        for (event, number) in events.iter().zip(0..) {
            meter.tick()?;
            let table = match event.subject {
                Subject::Read => &mut self.reads,
                Subject::Write => &mut self.writes,
                _ => continue,
            };
            named.fitting(&event.pattern, |id| table.add(id, number));
        }
        Ok(())
    }

    fn locals(
        &mut self,
        program: &Program,
        calls: &Calls,
        events: &[Event],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        if !events.iter().any(|event| event.pattern.text().contains(':')) {
            return Ok(());
        }
        let named = Named::new(calls.reached.iter().map(|&id| (names::procedure(program, id), id)));
        for (event, number) in events.iter().zip(0..) {
            let Some((procedure, wanted)) = event.pattern.text().rsplit_once(':') else { continue };
            let table = match event.subject {
                Subject::Read => &mut self.local_reads,
                Subject::Write => &mut self.local_writes,
                _ => continue,
            };
            meter.tick()?;
            let wanted = Pattern::new(wanted);
            named.fitting(&Pattern::new(procedure), |id| {
                let Some(body) = &program.procedures()[id].body else { return };
                for variable in body.variables.ids() {
                    let name = names::local(program, id, variable);
                    let name = name.as_deref().and_then(|name| name.rsplit_once(':'));
                    if name.is_some_and(|(_, name)| wanted.fits(name)) {
                        table.add((id, variable), number);
                    }
                }
            });
        }
        Ok(())
    }

    fn classes(
        &mut self,
        program: &Program,
        calls: &Calls,
        events: &[Event],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let kinds = calls.hierarchy.kinds().map(|kind| calls.hierarchy.name(kind));
        let classes = Named::new(kinds.map(|name| (program.text(name).to_owned(), name)));
        let types = program.types().ids().map(|id| (names::ty(program, id) + "[]", id));
        let arrays = Named::new(types);
        for (event, number) in events.iter().zip(0..) {
            meter.tick()?;
            match event.subject {
                Subject::New => {
                    classes.fitting(&event.pattern, |name| self.news.add(name, number));
                    arrays.fitting(&event.pattern, |ty| self.arrays.add(ty, number));
                }
                Subject::Throw => {
                    classes.fitting(&event.pattern, |name| self.throws.add(name, number));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn lines(&mut self, program: &Program, calls: &Calls, events: &[Event]) {
        let bodies = calls.reached.iter().filter_map(|&id| program.procedures()[id].body.as_ref());
        let mut files: Vec<NameId> = bodies.filter_map(|body| body.file).collect();
        files.sort_unstable();
        files.dedup();
        for (event, number) in events.iter().zip(0..) {
            let line = line_of(event.pattern.text()).filter(|_| event.subject == Subject::Line);
            let Some((wanted, line)) = line else { continue };
            let wanted = Pattern::new(wanted);
            for &file in &files {
                if wanted.fits(program.text(file)) {
                    self.lines.entry((file, line)).or_default().push(number);
                }
            }
        }
    }

    /// The events of a line.
    pub(super) fn at_line(&self, body: &Body, line: u32) -> &[EventNo] {
        match body.file {
            Some(file) if !self.lines.is_empty() => {
                self.lines.get(&(file, line)).map_or(&[], Vec::as_slice)
            }
            _ => &[],
        }
    }

    /// The events of an object of a class that is thrown.
    pub(super) fn thrown(&self, class: NameId) -> &[EventNo] {
        self.throws.of(class)
    }

    /// Whether reads of local variables are events.
    pub(super) fn reads_locals(&self) -> bool {
        !self.local_reads.0.is_empty()
    }

    /// The events that reads of a variable are.
    pub(super) fn reads_of(&self, procedure: ProcId, variable: VarId) -> &[EventNo] {
        self.local_reads.of((procedure, variable))
    }

    /// Whether a statement or jump may be an event by itself, but for its line and for calls.
    pub(super) fn of_statements(&self) -> bool {
        let fields = self.reads.0.len() + self.writes.0.len();
        let locals = self.local_reads.0.len() + self.local_writes.0.len();
        fields + locals + self.news.0.len() + self.arrays.0.len() > 0
    }

    /// Whether lines are events.
    pub(super) fn of_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Whether throwing something is an event.
    pub(super) fn of_throws(&self) -> bool {
        !self.throws.0.is_empty()
    }

    /// The events of a statement that is no call, but for its line.
    pub(super) fn of_statement(
        &self,
        reader: Reader<'_>,
        body: &Body,
        statement: &Statement,
        found: &mut Vec<EventNo>,
    ) {
        match statement {
            Statement::Load { field, .. } => found.extend(self.reads.of(*field)),
            Statement::Store { field, .. } => found.extend(self.writes.of(*field)),
            Statement::New { class, .. } => found.extend(self.news.of(*class)),
            Statement::NewArray { element, .. } => found.extend(self.arrays.of(*element)),
            _ => {}
        }
        if !self.local_writes.0.is_empty()
            && let Some(to) = statement.written()
        {
            found.extend(self.local_writes.of((reader.procedure, to)));
        }
        if self.reads_locals() {
            statement.operands(body, |operand| self.operand(reader, operand, found));
        }
    }

    /// The events of a jump, but for its line and what is thrown.
    pub(super) fn of_jump(&self, reader: Reader<'_>, jump: &Jump, found: &mut Vec<EventNo>) {
        if self.reads_locals() {
            jump.operands(|operand| self.operand(reader, operand, found));
        }
    }

    fn operand(&self, reader: Reader<'_>, operand: Operand, found: &mut Vec<EventNo>) {
        if let Operand::Variable(variable) = operand {
            found.extend(self.reads_of(reader.procedure, variable));
            found.extend(of_variable(reader.binding, variable));
        }
    }
}

/// Whose code is looked at, and what its parameters stand for.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b> {
    pub(super) procedure: ProcId,
    pub(super) binding: &'b Binding,
}
