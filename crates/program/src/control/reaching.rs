//! Which procedures come by events, which the machine can come to, and which initialisers matter.

use super::labels::Labels;
use crate::calls::{Calls, ReferenceId};
use rustc_hash::FxHashMap;
use tern_ir::{Dispatch, NameId, ProcId, Program, Statement};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, Limit};

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
    // Callbacks are called wherever code cannot be followed.
    let mut is_back = vec![false; program.procedures().len()];
    calls.callbacks.iter().for_each(|it| is_back[it.index()] = true);
    let mut back: Vec<ReferenceId> = Vec::new();
    for (id, reference) in calls.references().iter() {
        if calls.is_open(program, reference) {
            back.push(id);
        }
        for target in &reference.targets {
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
        let mut references = std::mem::take(&mut callers[procedure.index()]);
        if is_back[procedure.index()] {
            references.append(&mut back);
        }
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
        if calls.is_stub(program, procedure) {
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
