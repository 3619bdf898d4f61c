//! What nodes are called and labelled: control points, values of variables, and what is special.

use super::compile::{Act, Compiled, NOWHERE, Site};
use super::expr::Type;
use super::labelling::Labelling;
use super::prepared::Prepared;
use super::program::{Action, PointId, ProcId, ProcessId, Program, VarId};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;
use tern_model::index::Table;
use tern_model::{Builder, Id, LabelId, NodeId, Origin};

/// Labels beside those of variables and control points.
pub(super) const TERMINATED: &str = "terminated";
pub(super) const ERROR: &str = "error";
pub(super) const DEADLOCK: &str = "deadlock";
pub(super) const CONFLICT: &str = "conflict";

/// The label that says of a process that it moved last, or need not.
pub(super) fn scheduled(labelling: &Labelling, process: ProcessId) -> String {
    format!("scheduled({})", labelling.processes[process])
}

/// The name of a place in a process: its point, and in fine granularity the step.
fn site_name(labelling: &Labelling, site: &Site) -> String {
    let point = &labelling.points[site.point];
    match site.steps {
        2.. if site.step > 0 => format!("{point}.{}", site.step),
        _ => point.clone(),
    }
}

/// Names and labels nodes, of one component or of all.
pub(super) struct Dress {
    prepared: Arc<Prepared>,
    /// For each process the names of its sites, and the labels, once a node has them.
    sites: Table<ProcessId, Vec<(String, Vec<String>)>>,
    site_labels: FxHashMap<(ProcessId, i64), Vec<LabelId>>,
    value_labels: FxHashMap<(VarId, i64), Option<LabelId>>,
    variable_names: Vec<String>,
    /// The variables that nodes of the program, or of each procedure, show.
    shown: FxHashMap<Option<ProcId>, Arc<[VarId]>>,
}

impl Dress {
    pub(super) fn new(prepared: Arc<Prepared>) -> Self {
        let Prepared { program, compiled, labelling, .. } = &*prepared;
        let of_site = |site: &Site| {
            let point = &labelling.points[site.point];
            let mut labels = vec![format!("at({point})")];
            if site.steps > 1 && !is_fork(program, site) {
                labels.push(format!("at({point}.{})", site.step));
            }
            (site_name(labelling, site), labels)
        };
        let sites = compiled.routines.iter();
        let sites = sites.map(|(_, it)| it.sites.iter().map(of_site).collect()).collect();
        let names = program.variables.ids().map(|id| program.variable_name(id)).collect();
        let mut shown = FxHashMap::default();
        let homes = program.procedures.ids().map(Some).chain([None]);
        for home in homes {
            let globals = program.globals().map(|(id, _)| id);
            let locals = program.variables.iter();
            let locals = locals.filter(|(_, it)| it.home.is_some() && it.home == home);
            shown.insert(home, globals.chain(locals.map(|(id, _)| id)).collect());
        }
        Dress {
            sites,
            site_labels: FxHashMap::default(),
            value_labels: FxHashMap::default(),
            variable_names: names,
            shown,
            prepared,
        }
    }

    /// The variables that a node of the program, or of a procedure, shows.
    pub(super) fn shown(&self, home: Option<ProcId>) -> Arc<[VarId]> {
        self.shown[&home].clone()
    }

    /// The name of the state with these values; it is different for different states. The text is
    /// only lent.
    pub(super) fn name<'t>(
        &self,
        processes: &[ProcessId],
        shown: &[VarId],
        values: &[i64],
        name: &'t mut String,
    ) -> &'t str {
        let Prepared { program, compiled, labelling, .. } = &*self.prepared;
        name.clear();
        for &process in processes {
            let routine = &compiled.routines[process];
            let pc = values[routine.counter];
            let Some(site) = routine.site(pc) else { continue };
            if is_waiting(site) {
                continue;
            }
            divide(name);
            name.push_str(&self.sites[process][pc as usize - 1].0);
            if site.step > 0 && !routine.registers.is_empty() {
                let values = &values[routine.registers.clone()];
                for (i, value) in values.iter().enumerate() {
                    let sign = if i == 0 { '[' } else { ' ' };
                    write!(name, "{sign}{value}").expect("strings can be written to");
                }
                name.push(']');
            }
        }
        for &variable in shown {
            divide(name);
            name.push_str(&self.variable_names[variable.index()]);
            name.push('=');
            let value = values[variable.index()];
            match (program.variables[variable].range.kind, value) {
                (Type::Number, _) => write!(name, "{value}").expect("it can be written"),
                (Type::Truth, 0) => name.push_str("false"),
                (Type::Truth, _) => name.push_str("true"),
            }
        }
        if let Some(mover) = compiled.mover {
            let mover = ProcessId::new(values[mover] as usize);
            divide(name);
            write!(name, "moved={}", labelling.processes[mover]).expect("it can be");
        }
        if let Some(point) = self.fault(values) {
            divide(name);
            write!(name, "error={}", labelling.points[point]).expect("it can be");
        }
        name
    }

    /// The point at which a state is an error.
    pub(super) fn fault(&self, values: &[i64]) -> Option<PointId> {
        usize::try_from(values[self.prepared.compiled.fault]).ok()?.checked_sub(1).map(PointId::new)
    }

    /// Labels a node by its control points and values, and says where it comes from.
    pub(super) fn label(
        &mut self,
        builder: &mut Builder,
        node: NodeId,
        processes: &[ProcessId],
        shown: &[VarId],
        values: &[i64],
    ) {
        for &process in processes {
            let routine = &self.prepared.compiled.routines[process];
            let pc = values[routine.counter];
            let Some(site) = routine.site(pc) else { continue };
            if is_waiting(site) {
                continue;
            }
            let names = &self.sites[process][pc as usize - 1].1;
            let labels = self
                .site_labels
                .entry((process, pc))
                .or_insert_with(|| names.iter().map(|name| builder.label_id(name)).collect());
            for &label in labels.iter() {
                builder.label_as(node, label);
            }
        }
        for &variable in shown {
            let value = values[variable.index()];
            let range = self.prepared.program.variables[variable].range;
            let name = &self.variable_names[variable.index()];
            let label = self.value_labels.entry((variable, value)).or_insert_with(|| {
                match (range.kind, value) {
                    (Type::Number, _) => Some(builder.label_id(&format!("{name} = {value}"))),
                    (Type::Truth, 0) => None,
                    (Type::Truth, _) => Some(builder.label_id(name)),
                }
            });
            if let Some(label) = *label {
                builder.label_as(node, label);
            }
        }
        if self.fault(values).is_some() {
            builder.label(node, ERROR);
        }
        self.fairness(builder, node, processes, values);
        if let Some(origin) = self.origin(processes, values) {
            builder.origin(node, origin.clone());
        }
    }

    /// Where a state stands in the text: the statement at fault, or that of the only process.
    pub(super) fn origin(&self, processes: &[ProcessId], values: &[i64]) -> Option<&Origin> {
        let compiled = &self.prepared.compiled;
        let site = |&process: &ProcessId| {
            let routine = &compiled.routines[process];
            routine.site(values[routine.counter]).filter(|site| !is_waiting(site))
        };
        let mut active = processes.iter().filter_map(site);
        // With several processes there are several places.
        let alone = active.next().filter(|_| active.next().is_none());
        let at = self.fault(values).or(alone.map(|site| site.point));
        at.map(|point| &self.prepared.origins[point])
    }

    fn fairness(
        &self,
        builder: &mut Builder,
        node: NodeId,
        processes: &[ProcessId],
        values: &[i64],
    ) {
        let Prepared { program, compiled, labelling, .. } = &*self.prepared;
        let Some(mover) = compiled.mover else { return };
        for &process in processes {
            let is_child = program.processes[process].parent.is_some();
            let moved = values[mover] == process.index() as i64;
            if is_child && (moved || idles(compiled, process, values)) {
                builder.label(node, &scheduled(labelling, process));
            }
        }
    }
}

fn divide(name: &mut String) {
    if !name.is_empty() {
        name.push(',');
    }
}

/// Whether a process can take no step at all.
pub(super) fn idles(compiled: &Compiled, process: ProcessId, values: &[i64]) -> bool {
    let routine = &compiled.routines[process];
    let pc = values[routine.counter];
    let waits = |site: &Site| match &site.act {
        Act::Join { children, .. } => children.iter().any(|&child| {
            let routine = &compiled.routines[child];
            values[routine.counter] != routine.end
        }),
        _ => false,
    };
    let is_away = pc == NOWHERE || pc == routine.end;
    is_away || values[compiled.fault] != 0 || routine.site(pc).is_some_and(waits)
}

/// Whether a site is the beginning or the end of a `cobegin`, which are no steps of one statement.
fn is_fork(program: &Program, site: &Site) -> bool {
    matches!(program.points[site.point].action, Action::Fork { .. })
}

/// Whether a process only waits for those that it began: the textbook's `?`.
fn is_waiting(site: &Site) -> bool {
    matches!(site.act, Act::Join { .. })
}
