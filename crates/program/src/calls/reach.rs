//! The worklist: procedures that are reached, and classes of which there are objects.
//!
//! Invariant between steps: a reference that came has all targets that the objects so far give it,
//! and every target is reached or waits in the queue.

use super::hierarchy::{Hierarchy, KindId};
use super::known::{self, Known};
use super::reflect::{self, Reflected};
use super::resolve::{Found, Lookup};
use super::serial::{self, Way};
use super::{Calls, Reference, ReferenceId, Start, Why, World, initialisers};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tern_ir::{
    Access, Body, Call, ClassId, Dispatch, NameId, ProcId, Program, SelectorId, Statement, Type,
};
use tern_model::budget::Meter;
use tern_model::index::{Id, Table};
use tern_model::{Budget, Limit};

/// Classes whose objects the machine itself makes.
const ALWAYS: [&str; 4] =
    ["java.lang.String", "java.lang.Class", "java.lang.Thread", "java.lang.ThreadGroup"];

struct Reach<'a> {
    lookup: Lookup<'a>,
    references: Table<ReferenceId, Reference>,
    known: FxHashMap<(Dispatch, NameId, SelectorId), ReferenceId>,
    /// References by the class of their receiver.
    virtual_of: Vec<Vec<ReferenceId>>,
    has_target: FxHashSet<(ReferenceId, ProcId)>,
    has_objects: FixedBitSet,
    /// Classes below which there are objects of all.
    all_below: FixedBitSet,
    used: FxHashSet<NameId>,
    is_reached: FixedBitSet,
    reached: Vec<ProcId>,
    sites: Vec<(ProcId, ReferenceId)>,
    callbacks: Vec<ProcId>,
    is_callback: FixedBitSet,
    /// Whether code was called that may call back.
    left: bool,
    /// Classes of which a loader of services makes objects, until it is called.
    providers: Vec<NameId>,
    /// References that have the targets of others, by these.
    followers: FxHashMap<ReferenceId, Vec<ReferenceId>>,
    /// Classes that the program itself names by texts, and calls by reflection that may mean them.
    named: Vec<KindId>,
    is_named: FixedBitSet,
    meaning: Vec<(ReferenceId, reflect::Kind, Rc<Reflected>)>,
    /// References that write or read objects.
    serial: Vec<(ReferenceId, Way)>,
    /// Classes from here on are those that the program uses.
    library: ClassId,
    known_library: Known,
    plain: FixedBitSet,
}

pub(super) fn run(
    program: &Program,
    hierarchy: Hierarchy,
    start: Start<'_>,
    budget: &Budget,
) -> Result<Calls, Limit> {
    let Start { entries, world, providers, library } = start;
    let count = program.procedures().len();
    let mut reach = Reach {
        lookup: Lookup { program, hierarchy: &hierarchy },
        references: Table::new(),
        known: FxHashMap::default(),
        virtual_of: vec![Vec::new(); hierarchy.kinds().len()],
        has_target: FxHashSet::default(),
        has_objects: FixedBitSet::with_capacity(hierarchy.kinds().len()),
        all_below: FixedBitSet::with_capacity(hierarchy.kinds().len()),
        used: FxHashSet::default(),
        is_reached: FixedBitSet::with_capacity(count),
        reached: Vec::new(),
        sites: Vec::new(),
        callbacks: Vec::new(),
        is_callback: FixedBitSet::with_capacity(count),
        left: false,
        providers: providers.to_vec(),
        followers: FxHashMap::default(),
        named: Vec::new(),
        is_named: FixedBitSet::with_capacity(hierarchy.kinds().len()),
        meaning: Vec::new(),
        serial: Vec::new(),
        library,
        known_library: Known::new(&Lookup { program, hierarchy: &hierarchy }),
        plain: FixedBitSet::with_capacity(count),
    };
    reach.begin(entries, world);
    let mut meter = Meter::new(budget);
    let mut next = 0;
    while let Some(&procedure) = reach.reached.get(next) {
        next += 1;
        reach.procedure(procedure, &mut meter)?;
    }
    let Reach { mut references, sites, callbacks, is_reached, reached, plain, .. } = reach;
    for (_, reference) in references.iter_mut() {
        if reference.targets.is_empty() && !reference.is_leaf {
            reference.unknown.get_or_insert(Why::Nowhere);
        }
    }
    let (first_site, sites) = by_procedure(count, &sites);
    let entries = entries.to_vec();
    Ok(Calls {
        hierarchy,
        entries,
        reached,
        is_reached,
        references,
        first_site,
        sites,
        callbacks,
        plain,
    })
}

/// The sites sorted by procedure, and where those of each begin.
fn by_procedure(count: usize, sites: &[(ProcId, ReferenceId)]) -> (Vec<u32>, Vec<ReferenceId>) {
    let mut first = vec![0u32; count + 1];
    for (procedure, _) in sites {
        first[procedure.index() + 1] += 1;
    }
    for i in 0..count {
        first[i + 1] += first[i];
    }
    let mut next = first.clone();
    let mut sorted = vec![ReferenceId::new(0); sites.len()];
    for &(procedure, reference) in sites {
        let at = &mut next[procedure.index()];
        sorted[*at as usize] = reference;
        *at += 1;
    }
    (first, sorted)
}

impl Reach<'_> {
    fn begin(&mut self, entries: &[ProcId], world: World) {
        let program = self.lookup.program;
        for name in ALWAYS {
            if let Some(name) = program.find_name(name) {
                self.instantiate_named(name);
            }
        }
        if world == World::Open {
            for kind in self.lookup.hierarchy.kinds() {
                if self.lookup.hierarchy.is_concrete(kind) {
                    self.instantiate(kind);
                }
            }
        }
        for &entry in entries {
            self.reach(entry);
            let procedure = &program.procedures()[entry];
            if let Some(class) = procedure.class {
                let class = program.classes()[class].name;
                self.initialise(class);
                if !procedure.is_static {
                    self.instantiate_below(class);
                }
            }
            for &ty in &program.selectors()[procedure.selector].parameters {
                if let Type::Reference(class) = program.types()[ty] {
                    self.instantiate_below(class);
                }
            }
        }
    }

    fn reach(&mut self, procedure: ProcId) {
        if !self.is_reached.put(procedure.index()) {
            self.reached.push(procedure);
        }
    }

    fn procedure(&mut self, id: ProcId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let program = self.lookup.program;
        let procedure = &program.procedures()[id];
        let Some(body) = &procedure.body else {
            if self.known_library.is_plain_procedure(program, id) {
                self.plain.insert(id.index());
            } else {
                self.leave();
            }
            // What is not in this language may make what it gives.
            let result = program.selectors()[procedure.selector].result;
            if let Type::Reference(class) = program.types()[result] {
                self.instantiate_named(class);
            }
            return Ok(());
        };
        if procedure.class.is_none_or(|class| class < self.library) {
            for class in reflect::named(&self.lookup, body) {
                self.name(class);
            }
        }
        let mut reflected = None;
        for statement in &body.statements {
            meter.tick()?;
            match statement {
                Statement::New { class, .. } => {
                    self.instantiate_named(*class);
                    self.initialise(*class);
                }
                Statement::Load { object: None, field, .. }
                | Statement::Store { object: None, field, .. } => {
                    self.initialise(program.fields()[*field].class);
                }
                Statement::Call { call, .. } => {
                    if program.text(call.class) == "java.util.ServiceLoader" {
                        self.provide();
                    }
                    let reference = match reflect::kind_of(program, call) {
                        Some(kind) => {
                            let found: &Rc<Reflected> = reflected.get_or_insert_with(|| {
                                Rc::new(Reflected::in_body(&self.lookup, body))
                            });
                            let found = found.clone();
                            self.reflective(body, call, kind, &found)
                        }
                        None => self.reference(call.dispatch, call.class, call.selector),
                    };
                    self.sites.push((id, reference));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The reference of a call, with what it leads to so far.
    fn reference(
        &mut self,
        dispatch: Dispatch,
        class: NameId,
        selector: SelectorId,
    ) -> ReferenceId {
        let key = (dispatch, class, selector);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.add(dispatch, class, selector);
        self.known.insert(key, id);
        self.resolve(id);
        id
    }

    fn add(&mut self, dispatch: Dispatch, class: NameId, selector: SelectorId) -> ReferenceId {
        self.references.push(Reference {
            dispatch,
            class,
            selector,
            resolved: None,
            targets: Vec::new(),
            unknown: None,
            is_leaf: false,
            repeats: false,
        })
    }

    fn resolve(&mut self, id: ReferenceId) {
        let Lookup { program, hierarchy } = self.lookup;
        let Reference { dispatch, class, selector, .. } = self.references[id];
        let name = program.text(class);
        if name.is_empty() {
            match program.find_procedure(None, selector) {
                Some(target) => self.target(id, target),
                None => self.unknown(id, Why::Missing),
            }
            return;
        }
        let is_array = name.ends_with(']') || name.starts_with('[');
        if is_array && program.text(program.selectors()[selector].name) == "clone" {
            self.references[id].is_leaf = true;
            return;
        }
        // Arrays have what all objects have.
        let kind = if is_array { hierarchy.root() } else { hierarchy.find(class) };
        let Some(kind) = kind else { return self.missing(id, class) };
        if let Some(way) = Way::of(&self.lookup, kind, selector) {
            self.serialise(id, way);
        }
        let found = self.lookup.resolve(kind, selector);
        self.references[id].resolved = found.procedure;
        if is_polymorphic(name) && (found.missing || found.procedure.is_none()) {
            self.unknown(id, Why::Handle);
        } else if found.missing {
            self.missing(id, self.first_missing(kind));
        } else if found.procedure.is_none() && self.is_plain(id, self.first_missing(kind)) {
            // What all objects have, where the class of all objects is missing.
            self.references[id].is_leaf = true;
            return;
        }
        if dispatch != Dispatch::Virtual || is_array {
            if let Some(target) = found.procedure {
                if dispatch == Dispatch::Static
                    && let Some(class) = program.procedures()[target].class
                {
                    self.initialise(program.classes()[class].name);
                }
                self.target(id, target);
            }
            return;
        }
        let is_fixed = found.procedure.is_some_and(|it| {
            let it = &program.procedures()[it];
            it.access == Access::Private || it.is_static
        });
        if is_fixed && !found.missing {
            self.target(id, found.procedure.expect("just found"));
            return;
        }
        if found.procedure.is_none() && !found.missing {
            return;
        }
        self.virtual_of[kind.index()].push(id);
        for below in hierarchy.below(kind) {
            if self.has_objects.contains(below.index()) {
                self.select(id, below);
            }
        }
    }

    /// Adds what a reference leads to on objects of a class.
    fn select(&mut self, id: ReferenceId, kind: KindId) {
        let Reference { resolved, selector, .. } = self.references[id];
        let Found { procedure, missing } = match resolved {
            Some(resolved) => self.lookup.select(kind, resolved),
            None => self.lookup.select_by_selector(kind, selector),
        };
        if missing {
            self.missing(id, self.first_missing(kind));
        }
        if let Some(target) = procedure {
            self.target(id, target);
        }
    }

    /// The first class above one that is missing, or the class itself.
    fn first_missing(&self, kind: KindId) -> NameId {
        let hierarchy = self.lookup.hierarchy;
        let mut at = kind;
        while hierarchy.class(at).is_some() {
            let Some(above) = hierarchy.superclass(at) else { break };
            at = above;
        }
        hierarchy.name(at)
    }

    /// Notes that a reference may lead to a procedure of a class that is missing.
    fn missing(&mut self, id: ReferenceId, class: NameId) {
        if self.is_plain(id, class) {
            self.references[id].is_leaf = true;
        } else {
            self.unknown(id, Why::Missing);
        }
    }

    /// Whether what a reference names is known to come back, if it is that of a class.
    fn is_plain(&self, id: ReferenceId, class: NameId) -> bool {
        let Reference { dispatch, selector, .. } = self.references[id];
        self.known_library.is_plain(self.lookup.program, class, selector, dispatch)
    }

    /// Abstract procedures are no targets: such a call fails.
    fn target(&mut self, id: ReferenceId, target: ProcId) {
        let is_abstract = self.lookup.program.procedures()[target].is_abstract;
        if !is_abstract && self.has_target.insert((id, target)) {
            self.references[id].targets.push(target);
            self.reach(target);
            if let Some((class, selector)) = known::run_by(self.lookup.program, target) {
                self.references[id].repeats = true;
                let run = self.reference(Dispatch::Virtual, class, selector);
                self.follow(id, run);
            }
            for i in 0..self.followers.get(&id).map_or(0, Vec::len) {
                self.target(self.followers[&id][i], target);
            }
        }
    }

    /// Has a reference lead to whatever another one does.
    fn follow(&mut self, id: ReferenceId, followed: ReferenceId) {
        self.followers.entry(followed).or_default().push(id);
        for i in 0..self.references[followed].targets.len() {
            self.target(id, self.references[followed].targets[i]);
        }
    }

    fn unknown(&mut self, id: ReferenceId, why: Why) {
        self.references[id].unknown.get_or_insert(why);
        self.leave();
    }

    fn instantiate_named(&mut self, class: NameId) {
        if let Some(kind) = self.lookup.hierarchy.find(class)
            && self.lookup.hierarchy.is_concrete(kind)
        {
            self.instantiate(kind);
        }
    }

    fn instantiate_below(&mut self, class: NameId) {
        let hierarchy = self.lookup.hierarchy;
        let Some(kind) = hierarchy.find(class) else { return };
        if self.all_below.put(kind.index()) {
            return;
        }
        for below in hierarchy.below(kind) {
            if hierarchy.is_concrete(below) {
                self.instantiate(below);
            }
        }
    }

    fn instantiate(&mut self, kind: KindId) {
        if self.has_objects.put(kind.index()) {
            return;
        }
        for above in self.lookup.hierarchy.above(kind) {
            for i in 0..self.virtual_of[above.index()].len() {
                let reference = self.virtual_of[above.index()][i];
                self.select(reference, kind);
            }
        }
        for i in 0..self.serial.len() {
            self.hook(self.serial[i], kind);
        }
        if self.left {
            self.call_back(kind);
        }
    }

    /// Notes that a reference writes or reads objects.
    fn serialise(&mut self, id: ReferenceId, way: Way) {
        let Lookup { hierarchy, .. } = self.lookup;
        self.serial.push((id, way));
        self.references[id].repeats = true;
        self.unknown(id, Why::Reflection);
        for kind in hierarchy.kinds() {
            let is_own = hierarchy.class(kind).is_some_and(|class| class < self.library);
            let is_made = way == Way::In && is_own && hierarchy.is_concrete(kind);
            if is_made && serial::is_serial(&self.lookup, kind) {
                self.instantiate(kind);
            }
            if self.has_objects.contains(kind.index()) {
                self.hook((id, way), kind);
            }
        }
    }

    /// Adds what writing or reading objects of a class calls back.
    fn hook(&mut self, (id, way): (ReferenceId, Way), kind: KindId) {
        let Lookup { program, hierarchy } = self.lookup;
        if !serial::is_serial(&self.lookup, kind) {
            return;
        }
        if way == Way::In {
            self.initialise(hierarchy.name(kind));
            for initialiser in initialisers(program, hierarchy, hierarchy.name(kind)) {
                self.target(id, initialiser);
            }
        }
        for hook in serial::hooks(&self.lookup, kind, way) {
            self.target(id, hook);
        }
    }

    /// Notes that a class is used, so that it and what is above it is initialised.
    fn initialise(&mut self, class: NameId) {
        if self.used.insert(class) {
            let Lookup { program, hierarchy } = self.lookup;
            for initialiser in initialisers(program, hierarchy, class) {
                self.reach(initialiser);
            }
        }
    }

    /// Makes objects of all classes that provide services.
    fn provide(&mut self) {
        for class in std::mem::take(&mut self.providers) {
            let Lookup { program, hierarchy } = self.lookup;
            self.instantiate_named(class);
            self.initialise(class);
            let class = hierarchy.find(class).and_then(|kind| hierarchy.class(kind));
            for &id in class.iter().flat_map(|&class| &program.classes()[class].procedures) {
                let procedure = &program.procedures()[id];
                let selector = &program.selectors()[procedure.selector];
                let makes =
                    program.text(selector.name) == "<init>" && selector.parameters.is_empty();
                if makes && procedure.body.is_some() && !self.is_callback.put(id.index()) {
                    self.callbacks.push(id);
                    self.reach(id);
                }
            }
        }
    }

    /// Notes that code is run that cannot be followed.
    fn leave(&mut self) {
        if !std::mem::replace(&mut self.left, true) {
            for kind in self.lookup.hierarchy.kinds() {
                if self.has_objects.contains(kind.index()) {
                    self.call_back(kind);
                }
            }
        }
    }

    /// Adds what missing code may call on objects of a class.
    fn call_back(&mut self, kind: KindId) {
        let Lookup { program, hierarchy } = self.lookup;
        let above = hierarchy.above(kind);
        let missing = || above.iter().copied().filter(|&it| hierarchy.class(it).is_none());
        if missing().next().is_none() {
            return;
        }
        let is_usual = |kind: KindId| is_usual(program.text(hierarchy.name(kind)));
        let all = missing().any(|kind| !is_usual(kind));
        let classes = above.iter().filter_map(|&kind| hierarchy.class(kind));
        let procedures = classes.flat_map(|class| program.classes()[class].procedures.iter());
        for &id in procedures {
            let procedure = &program.procedures()[id];
            let name = program.text(program.selectors()[procedure.selector].name);
            let may_be_called = !procedure.is_static
                && procedure.access != Access::Private
                && procedure.body.is_some()
                && !name.starts_with('<')
                && (all || OF_USUAL.contains(&name));
            if may_be_called && !self.is_callback.put(id.index()) {
                self.callbacks.push(id);
                self.reach(id);
            }
        }
    }

    /// The reference of a call by reflection: of this call alone.
    fn reflective(
        &mut self,
        body: &Body,
        call: &Call,
        kind: reflect::Kind,
        reflected: &Rc<Reflected>,
    ) -> ReferenceId {
        let program = self.lookup.program;
        let id = self.add(call.dispatch, call.class, call.selector);
        let found = match kind {
            reflect::Kind::Find => Reflected::found(program, body, call),
            _ => None,
        };
        if let Some(class) = found {
            self.use_class(id, class);
        } else {
            self.mean(id, kind, reflected, &reflected.classes);
        }
        let is_open = kind == reflect::Kind::Find || reflected.classes.is_empty();
        if found.is_none() && is_open {
            self.meaning.push((id, kind, reflected.clone()));
            let named = self.named.clone();
            self.mean(id, kind, reflected, &named);
        }
        let is_handle = kind == reflect::Kind::Handle;
        self.unknown(id, if is_handle { Why::Handle } else { Why::Reflection });
        id
    }

    /// Notes that the program itself names a class by a text.
    fn name(&mut self, class: KindId) {
        if self.is_named.put(class.index()) {
            return;
        }
        self.named.push(class);
        for i in 0..self.meaning.len() {
            let (id, kind, reflected) = self.meaning[i].clone();
            self.mean(id, kind, &reflected, &[class]);
        }
    }

    /// Adds what a call by reflection leads to if it means some classes.
    fn mean(
        &mut self,
        id: ReferenceId,
        kind: reflect::Kind,
        reflected: &Reflected,
        classes: &[KindId],
    ) {
        let means = reflected.means(&self.lookup, kind, classes);
        for class in means.used {
            self.use_class(id, class);
        }
        for class in means.instantiated {
            self.instantiate(class);
        }
        for target in means.targets {
            self.target(id, target);
        }
        for (class, selector) in means.overridable {
            let followed = self.reference(Dispatch::Virtual, class, selector);
            self.follow(id, followed);
        }
    }

    /// Notes that a call by reflection uses a class; its initialisers may run one after another.
    fn use_class(&mut self, id: ReferenceId, class: NameId) {
        self.initialise(class);
        for initialiser in initialisers(self.lookup.program, self.lookup.hierarchy, class) {
            self.references[id].repeats = true;
            self.target(id, initialiser);
        }
    }
}

/// Whether calls of a class have whatever types the caller likes.
fn is_polymorphic(class: &str) -> bool {
    matches!(class, "java.lang.invoke.MethodHandle" | "java.lang.invoke.VarHandle")
}

/// Classes above which it is known what can be overridden.
fn is_usual(class: &str) -> bool {
    let of_java = class.strip_prefix("java.lang.").is_some_and(|name| !name.contains('.'));
    matches!(class, "java.io.Serializable" | "java.io.IOException")
        || of_java
            && (matches!(class, "java.lang.Object" | "java.lang.Enum" | "java.lang.Record")
                || class == "java.lang.Cloneable"
                || class.ends_with("Exception")
                || class.ends_with("Error")
                || class.ends_with("Throwable"))
}

/// What can be overridden below them.
const OF_USUAL: [&str; 13] = [
    "clone",
    "equals",
    "fillInStackTrace",
    "finalize",
    "getCause",
    "getLocalizedMessage",
    "getMessage",
    "getStackTrace",
    "hashCode",
    "initCause",
    "printStackTrace",
    "setStackTrace",
    "toString",
];
