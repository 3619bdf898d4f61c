//! Which statements are events of the claims.
//!
//! Events are matched once against the names of procedures, fields, classes and references, and
//! not at every statement. A pattern whose last word is fixed is looked up by that word, so that
//! thousands of them, one for each field, take no longer than their matches.

use super::events::{Event, Pattern, Subject, line_of};
use super::names;
use crate::calls::{Calls, ReferenceId};
use rustc_hash::FxHashMap;
use tern_ir::{
    Body, Dispatch, FieldId, Jump, NameId, Operand, ProcId, Program, Statement, TypeId, VarId,
};
use tern_model::budget::Meter;
use tern_model::index::Id;
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
            let word = bare.rsplit(['.', '/']).next().unwrap_or(bare);
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

    /// The events of a statement that is no call, but for its line.
    pub(super) fn of_statement(
        &self,
        procedure: ProcId,
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
            found.extend(self.local_writes.of((procedure, to)));
        }
        if !self.local_reads.0.is_empty() {
            operands(body, statement, |operand| self.operand(procedure, operand, found));
        }
    }

    /// The events of a jump, but for its line and what is thrown.
    pub(super) fn of_jump(&self, procedure: ProcId, jump: &Jump, found: &mut Vec<EventNo>) {
        if self.local_reads.0.is_empty() {
            return;
        }
        match jump {
            Jump::Goto(_) | Jump::Return(None) => {}
            Jump::Branch { test, .. } => {
                self.operand(procedure, test.left, found);
                self.operand(procedure, test.right, found);
            }
            Jump::Switch { on, .. } => self.operand(procedure, *on, found),
            Jump::Return(Some(value)) | Jump::Throw(value) => {
                self.operand(procedure, *value, found);
            }
        }
    }

    fn operand(&self, procedure: ProcId, operand: Operand, found: &mut Vec<EventNo>) {
        if let Operand::Variable(variable) = operand {
            found.extend(self.local_reads.of((procedure, variable)));
        }
    }
}

/// Calls `visit` with what a statement reads.
pub(super) fn operands(body: &Body, statement: &Statement, mut visit: impl FnMut(Operand)) {
    match statement {
        Statement::Copy { from: operand, .. }
        | Statement::Unary { operand, .. }
        | Statement::Length { array: operand, .. }
        | Statement::Cast { from: operand, .. }
        | Statement::InstanceOf { from: operand, .. }
        | Statement::Monitor { object: operand, .. } => visit(*operand),
        Statement::Binary { left, right, .. } => {
            visit(*left);
            visit(*right);
        }
        Statement::New { .. } => {}
        Statement::NewArray { lengths, .. } => {
            body.operands(lengths).iter().for_each(|it| visit(*it));
        }
        Statement::Load { object, .. } => object.iter().for_each(|it| visit(*it)),
        Statement::Store { object, value, .. } => {
            object.iter().for_each(|it| visit(*it));
            visit(*value);
        }
        Statement::LoadElement { array, index, .. } => {
            visit(*array);
            visit(*index);
        }
        Statement::StoreElement { array, index, value } => {
            visit(*array);
            visit(*index);
            visit(*value);
        }
        Statement::Call { call, .. } => {
            body.operands(&call.arguments).iter().for_each(|it| visit(*it));
        }
    }
}

/// Which procedures may come by an event: those that have one, those that call them, and those that
/// use a class whose initialiser is one.
pub(super) fn eventful(
    program: &Program,
    calls: &Calls,
    initialisers: &Initialisers,
    has_event: impl Fn(ProcId) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Limit> {
    let mut meter = Meter::new(budget);
    let mut callers: Vec<Vec<ReferenceId>> = vec![Vec::new(); program.procedures().len()];
    let mut sites: Vec<Vec<ProcId>> = vec![Vec::new(); calls.references().len()];
    let mut users: FxHashMap<ProcId, Vec<ProcId>> = FxHashMap::default();
    for (id, reference) in calls.references().iter() {
        let back = calls.callbacks.iter().filter(|_| reference.unknown.is_some());
        for target in reference.targets.iter().chain(back) {
            meter.tick()?;
            callers[target.index()].push(id);
        }
    }
    for &procedure in &calls.reached {
        meter.tick()?;
        for &reference in calls.sites(procedure) {
            sites[reference.index()].push(procedure);
        }
        for class in initialisers.used_by(program, calls, procedure) {
            for &initialiser in initialisers.of(class) {
                users.entry(initialiser).or_default().push(procedure);
            }
        }
    }
    let mut found = vec![false; program.procedures().len()];
    let mut open: Vec<ProcId> = calls.reached.iter().copied().filter(|&it| has_event(it)).collect();
    open.iter().for_each(|it| found[it.index()] = true);
    while let Some(procedure) = open.pop() {
        // What leads there is looked at once.
        let references = std::mem::take(&mut callers[procedure.index()]);
        let calling = references.iter().flat_map(|it| std::mem::take(&mut sites[it.index()]));
        let using = users.remove(&procedure).into_iter().flatten();
        for caller in calling.chain(using).collect::<Vec<_>>() {
            meter.tick()?;
            if !std::mem::replace(&mut found[caller.index()], true) {
                open.push(caller);
            }
        }
    }
    Ok(found)
}

/// The procedures that the machine can come to: not those that only initialisers without events
/// call, or calls that are events. In the order in which they were reached.
pub(super) fn entered(
    program: &Program,
    calls: &Calls,
    labels: &Labels,
    initialisers: &Initialisers,
    budget: &Budget,
) -> Result<Vec<ProcId>, Limit> {
    let mut meter = Meter::new(budget);
    let mut found = vec![false; program.procedures().len()];
    let mut seen = vec![false; calls.references().len()];
    let mut open = calls.entries.clone();
    for &entry in &calls.entries {
        if let Some(class) = program.procedures()[entry].class {
            open.extend(initialisers.of(program.classes()[class].name));
        }
    }
    while let Some(procedure) = open.pop() {
        if std::mem::replace(&mut found[procedure.index()], true) {
            continue;
        }
        meter.tick()?;
        if program.procedures()[procedure].body.is_none() {
            open.extend(&calls.callbacks);
        }
        for class in initialisers.used_by(program, calls, procedure) {
            open.extend(initialisers.of(class));
        }
        for &site in calls.sites(procedure) {
            if std::mem::replace(&mut seen[site.index()], true) || !labels.calls.of(site).is_empty()
            {
                continue;
            }
            let reference = &calls.references()[site];
            let is_event = |target: &&ProcId| !labels.called.of(**target).is_empty();
            open.extend(reference.targets.iter().filter(|it| !is_event(it)));
            if reference.unknown.is_some() {
                open.extend(&calls.callbacks);
            }
        }
    }
    Ok(calls.reached.iter().copied().filter(|it| found[it.index()]).collect())
}

/// The initialisers of classes, from the top down, of those that have any.
#[derive(Debug, Default)]
pub(super) struct Initialisers {
    of: FxHashMap<NameId, Vec<ProcId>>,
}

impl Initialisers {
    /// Those of the classes that reached code uses.
    pub(super) fn new(program: &Program, calls: &Calls) -> Self {
        let mut of = FxHashMap::default();
        for kind in calls.hierarchy.kinds() {
            let class = calls.hierarchy.name(kind);
            let found = calls.initialisers(program, class);
            if !found.is_empty() {
                of.insert(class, found);
            }
        }
        Initialisers { of }
    }

    /// Keeps only those that may come by an event.
    pub(super) fn retain(&mut self, eventful: &[bool]) {
        for list in self.of.values_mut() {
            list.retain(|initialiser| eventful[initialiser.index()]);
        }
        self.of.retain(|_, list| !list.is_empty());
    }

    /// Those of a class.
    pub(super) fn of(&self, class: NameId) -> &[ProcId] {
        if self.of.is_empty() { &[] } else { self.of.get(&class).map_or(&[], Vec::as_slice) }
    }

    /// The classes that a procedure uses and that have any.
    fn used_by(&self, program: &Program, calls: &Calls, procedure: ProcId) -> Vec<NameId> {
        let Some(body) = &program.procedures()[procedure].body else { return Vec::new() };
        let mut sites = calls.sites(procedure).iter();
        let mut used: Vec<NameId> = body
            .statements
            .iter()
            .filter_map(|statement| {
                let is_call = matches!(statement, Statement::Call { .. });
                let reference = if is_call { sites.next().copied() } else { None };
                used_class(program, calls, statement, reference)
            })
            .filter(|class| self.of.contains_key(class))
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// The class that a statement may be the first to use.
pub(super) fn used_class(
    program: &Program,
    calls: &Calls,
    statement: &Statement,
    reference: Option<ReferenceId>,
) -> Option<NameId> {
    match statement {
        Statement::New { class, .. } => Some(*class),
        Statement::Load { object: None, field, .. }
        | Statement::Store { object: None, field, .. } => Some(program.fields()[*field].class),
        Statement::Call { call, .. } if call.dispatch == Dispatch::Static => {
            let resolved = calls.references()[reference?].resolved?;
            Some(program.classes()[program.procedures()[resolved].class?].name)
        }
        _ => None,
    }
}
