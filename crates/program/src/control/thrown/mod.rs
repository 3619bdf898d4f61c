//! What procedures can throw, and by how many exits they must be told apart.
//!
//! A *thrown thing* is a class, with or without those below it. What a procedure can throw is the
//! least solution of: what its `throw`s throw and what its calls throw, less what the handlers
//! around them surely take. What a handler took and code throws again is what arrives there.
//!
//! Things that no handler tells apart on the way up share an exit. A handler tells apart if it
//! takes some of what arrives. Where more than eight classes are told apart, as in a
//! library in which everything calls everything, all share one exit: that is coarser, and still
//! right, because what leaves by an exit goes on wherever one of its things may go on.

mod describe;
mod solve;

use super::reaching::{Initialisers, used_class};
use crate::calls::{Calls, Hierarchy, KindId, ReferenceId};
use describe::NULL;
pub(super) use describe::{Described, describe, failures};
use rustc_hash::FxHashMap;
use solve::Told;
use tern_ir::{Block, Body, Jump, NameId, Operand, ProcId, Program, Statement, VarId};
use tern_model::budget::Meter;
use tern_model::index::{Id, Numbering, Table};
use tern_model::{Budget, Limit, Tri};

tern_model::indices! {
    /// A class that is thrown, with or without those below it.
    pub(super) ThrownId = "e";
    /// The classes of the handlers of a block.
    pub(super) HandlersId = "h";
    /// A set of thrown things that code itself throws.
    SetId = "S";
}

/// What is thrown where an initialiser fails, and where its class is used again.
const FAILED: &[&str] = &["java.lang.ExceptionInInitializerError"];
const FAILED_BEFORE: &[&str] = &["java.lang.NoClassDefFoundError"];

/// A set of thrown things, a bit for each.
pub(super) type Set = Box<[u64]>;

/// What handlers do with things, and the things that they do it with.
type Group = (Vec<(bool, bool)>, Vec<ThrownId>);

/// Whether two sets have something in common.
pub(super) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// Adds one set to another; whether that made a difference.
fn add(to: &mut [u64], from: &[u64]) -> bool {
    let mut grown = false;
    for (to, from) in to.iter_mut().zip(from) {
        grown |= from & !*to != 0;
        *to |= from;
    }
    grown
}

/// What the handlers of a block do with thrown things.
#[derive(Debug)]
pub(super) struct Handling {
    /// What may arrive at each handler.
    pub(super) takes: Vec<Set>,
    /// What may pass them all.
    pub(super) escapes: Set,
    classes: Vec<Option<KindId>>,
}

/// Where something is thrown in a procedure.
#[derive(Clone, Copy, Debug)]
struct Source {
    from: From,
    handlers: HandlersId,
    /// The block, for the variables of its handlers.
    block: u32,
}

#[derive(Clone, Copy, Debug)]
enum From {
    Set(SetId),
    Reference(ReferenceId),
    /// What a handler put into this variable.
    Caught(VarId),
    Initialiser(ProcId),
}

/// What can be thrown where.
#[derive(Debug)]
pub(super) struct Thrown {
    things: Numbering<ThrownId, (KindId, bool)>,
    words: usize,
    pub(super) handling: Table<HandlersId, Handling>,
    handlers: Numbering<HandlersId, Vec<Option<KindId>>>,
    sets: Numbering<SetId, Vec<ThrownId>>,
    set_bits: Vec<Set>,
    procedures: Vec<u64>,
    references: Vec<u64>,
    /// What code that cannot be followed throws.
    pub(super) unknown: Set,
    told: Told,
    sources: Vec<Vec<Source>>,
    /// Whether `null`, bad indices and their like count.
    implicit: bool,
}

/// Groups of things that share an exit, by the classes that are told apart.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_told: FxHashMap<Vec<KindId>, Vec<Set>>,
}

/// What is asked of the analysis.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) program: &'a Program,
    pub(super) calls: &'a Calls,
    pub(super) initialisers: &'a Initialisers,
    /// Whether `null`, bad indices and their like count.
    pub(super) implicit: bool,
    /// Whether code that cannot be followed may throw.
    pub(super) stubs_throw: bool,
}

impl Thrown {
    /// Finds what can be thrown.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(super) fn find(asked: Asked<'_>, budget: &Budget) -> Result<Self, Limit> {
        let mut meter = Meter::new(budget);
        let Asked { program, calls, .. } = asked;
        let mut thrown = Thrown {
            things: Numbering::default(),
            words: 0,
            handling: Table::new(),
            handlers: Numbering::default(),
            sets: Numbering::default(),
            set_bits: Vec::new(),
            procedures: Vec::new(),
            references: Vec::new(),
            unknown: Box::default(),
            told: Told::default(),
            sources: Vec::new(),
            implicit: asked.implicit,
        };
        // The set of nothing, and that of code that cannot be followed.
        let anything = thrown.anything(asked);
        let mut sources: Vec<Vec<Source>> = vec![Vec::new(); program.procedures().len()];
        for &procedure in &calls.reached {
            meter.tick()?;
            sources[procedure.index()] = thrown.sources(asked, procedure);
        }
        thrown.words = thrown.things.rows().len().div_ceil(64).max(1);
        thrown.set_bits = (thrown.sets.rows().as_slice().iter())
            .map(|set| bits(thrown.words, set.iter().copied()))
            .collect();
        thrown.unknown = thrown.set_bits[anything.index()].clone();
        thrown.handle(&calls.hierarchy);
        thrown.procedures = vec![0; thrown.words * program.procedures().len()];
        thrown.references = vec![0; thrown.words * calls.references().len()];
        thrown.solve(asked, &sources, &mut meter)?;
        thrown.tell(asked, &sources, &mut meter)?;
        thrown.sources = sources;
        Ok(thrown)
    }

    /// What a procedure can throw.
    pub(super) fn by_procedure(&self, procedure: ProcId) -> &[u64] {
        &self.procedures[procedure.index() * self.words..][..self.words]
    }

    /// What the calls of a reference can throw.
    pub(super) fn by_reference(&self, reference: ReferenceId) -> &[u64] {
        &self.references[reference.index() * self.words..][..self.words]
    }

    /// The handlers of a block.
    pub(super) fn handlers_of(
        &self,
        calls: &Calls,
        body: &Body,
        block: &Block,
    ) -> Option<HandlersId> {
        self.handlers.find(&classes(calls, body, block))
    }

    /// The exits of a procedure or reference by which it throws: what leaves by each, with a name.
    pub(super) fn exits(
        &self,
        program: &Program,
        hierarchy: &Hierarchy,
        of: Result<ProcId, ReferenceId>,
        known: &mut Groups,
    ) -> Vec<(Set, String)> {
        let (set, told) = match of {
            Ok(id) => (self.by_procedure(id), &self.told.procedures[id.index()]),
            Err(id) => (self.by_reference(id), &self.told.references[id.index()]),
        };
        if set.iter().all(|&word| word == 0) {
            return Vec::new();
        }
        let none = Vec::new();
        let told = told.as_ref().unwrap_or(&none);
        let groups = match known.by_told.get(told) {
            Some(groups) => groups,
            None => {
                let groups = self.groups(hierarchy, told);
                known.by_told.entry(told.clone()).or_insert(groups)
            }
        };
        let mut used: Vec<String> = Vec::new();
        let mut exits = Vec::new();
        for group in groups.iter().filter(|group| meet(set, group)) {
            let own: Set = set.iter().zip(&**group).map(|(a, b)| a & b).collect();
            let first = own.iter().position(|&word| word != 0).unwrap_or(0);
            let first = ThrownId::new(first * 64 + own[first].trailing_zeros() as usize);
            let class = program.text(hierarchy.name(self.things[first].0));
            let class = class.rsplit('.').next().unwrap_or(class);
            let several = own.iter().map(|word| word.count_ones()).sum::<u32>() > 1;
            let more = if several { " or other" } else { "" };
            let mut name = format!("throws {class}{more}");
            if used.contains(&name) {
                name = format!("{name} {}", used.len() + 1);
            }
            used.push(name.clone());
            exits.push((own, name));
        }
        exits
    }

    /// All things, grouped by what handlers of some classes do with them.
    fn groups(&self, hierarchy: &Hierarchy, told: &[KindId]) -> Vec<Set> {
        let mut groups: Vec<Group> = Vec::new();
        for thing in self.things.rows().ids() {
            let signature: Vec<(bool, bool)> =
                told.iter().map(|&class| self.taken(hierarchy, thing, Some(class))).collect();
            match groups.iter_mut().find(|(known, _)| *known == signature) {
                Some((_, things)) => things.push(thing),
                None => groups.push((signature, vec![thing])),
            }
        }
        groups.into_iter().map(|(_, things)| bits(self.words, things.into_iter())).collect()
    }

    /// Whether a handler surely takes a thing, and whether it may.
    fn taken(&self, hierarchy: &Hierarchy, thing: ThrownId, class: Option<KindId>) -> (bool, bool) {
        let Some(class) = class else { return (true, true) };
        let (kind, is_exact) = self.things[thing];
        match hierarchy.extends(kind, class) {
            Tri::True => (true, true),
            Tri::Unknown => (false, true),
            Tri::False => (false, !is_exact && hierarchy.extends(class, kind) != Tri::False),
        }
    }

    fn handle(&mut self, hierarchy: &Hierarchy) {
        for classes in self.handlers.rows().as_slice() {
            let mut left: Vec<ThrownId> = self.things.rows().ids().collect();
            let mut takes = Vec::new();
            for &class in classes {
                let taken = |thing: ThrownId| self.taken(hierarchy, thing, class);
                takes.push(bits(self.words, left.iter().copied().filter(|&it| taken(it).1)));
                left.retain(|&thing| !taken(thing).0);
            }
            let escapes = bits(self.words, left.into_iter());
            self.handling.push(Handling { takes, escapes, classes: classes.clone() });
        }
    }

    fn anything(&mut self, Asked { program, calls, stubs_throw, .. }: Asked<'_>) -> SetId {
        let mut set = Vec::new();
        if stubs_throw {
            set.push(self.things.id((throwable(program, &calls.hierarchy), false)));
        }
        self.sets.id(set)
    }

    /// Where something is thrown in a procedure.
    fn sources(&mut self, asked: Asked<'_>, id: ProcId) -> Vec<Source> {
        let Asked { program, calls, initialisers, implicit, .. } = asked;
        let Some(body) = &program.procedures()[id].body else { return Vec::new() };
        let mut sources = Vec::new();
        let references = references(calls, id, body);
        let mut last: Option<(std::ops::Range<u32>, HandlersId)> = None;
        for (number, block) in body.blocks.iter() {
            let handlers = match &last {
                Some((rows, handlers)) if *rows == block.handlers => *handlers,
                _ => self.handlers.id(classes(calls, body, block)),
            };
            last = Some((block.handlers.clone(), handlers));
            let block_number = number.index() as u32;
            let mut push = |from| sources.push(Source { from, handlers, block: block_number });
            let rows = block.statements.start as usize..block.statements.end as usize;
            for (statement, &reference) in
                body.statements[rows.clone()].iter().zip(&references[rows])
            {
                if let Some(class) = used_class(program, calls, statement, reference) {
                    for &initialiser in initialisers.of(class) {
                        push(From::Initialiser(initialiser));
                        push(From::Set(self.exact(program, &calls.hierarchy, FAILED)));
                        push(From::Set(self.exact(program, &calls.hierarchy, FAILED_BEFORE)));
                    }
                }
                if let Some(reference) = reference {
                    push(From::Reference(reference));
                }
                if implicit && let Some(failures) = failures(program, statement) {
                    push(From::Set(self.exact(program, &calls.hierarchy, failures)));
                }
            }
            if let Jump::Throw(value) = block.jump {
                let Described { classes, caught, may_be_null } = describe(program, body, value);
                if implicit && may_be_null {
                    push(From::Set(self.exact(program, &calls.hierarchy, NULL)));
                }
                let mut set: Vec<ThrownId> = classes
                    .into_iter()
                    .map(|(class, is_exact)| self.thing(program, &calls.hierarchy, class, is_exact))
                    .collect();
                set.sort_unstable();
                set.dedup();
                push(From::Set(self.sets.id(set)));
                caught.into_iter().for_each(|variable| push(From::Caught(variable)));
            }
        }
        sources
    }

    fn thing(
        &mut self,
        program: &Program,
        hierarchy: &Hierarchy,
        class: NameId,
        is_exact: bool,
    ) -> ThrownId {
        let any = throwable(program, hierarchy);
        let kind = hierarchy.find(class).filter(|&it| hierarchy.extends(it, any) != Tri::False);
        self.things.id(kind.map_or((any, false), |kind| (kind, is_exact)))
    }

    fn exact(&mut self, program: &Program, hierarchy: &Hierarchy, names: &[&str]) -> SetId {
        let names = names.iter().filter_map(|name| program.find_name(name));
        let set = names.map(|name| self.thing(program, hierarchy, name, true)).collect();
        self.sets.id(set)
    }

    /// The set of a `throw` or of an implicit failure, as it was numbered.
    pub(super) fn set_of_throw(
        &self,
        program: &Program,
        hierarchy: &Hierarchy,
        body: &Body,
        value: Operand,
        caught_sets: &FxHashMap<VarId, Set>,
    ) -> Set {
        let Described { classes, caught, may_be_null } = describe(program, body, value);
        let any = throwable(program, hierarchy);
        let things = classes.into_iter().filter_map(|(class, is_exact)| {
            let kind = hierarchy.find(class).filter(|&it| hierarchy.extends(it, any) != Tri::False);
            self.things.find(&kind.map_or((any, false), |kind| (kind, is_exact)))
        });
        let mut set = bits(self.words, things);
        if self.implicit && may_be_null {
            add(&mut set, &self.named(program, hierarchy, NULL));
        }
        for variable in caught {
            if let Some(caught) = caught_sets.get(&variable) {
                add(&mut set, caught);
            }
        }
        set
    }

    /// What an implicit failure throws.
    pub(super) fn failures(
        &self,
        program: &Program,
        hierarchy: &Hierarchy,
        statement: &Statement,
    ) -> Option<Set> {
        Some(self.named(program, hierarchy, failures(program, statement)?))
    }

    /// What is thrown where an initialiser fails; and where the class is used again after that.
    pub(super) fn failed_initialiser(
        &self,
        program: &Program,
        hierarchy: &Hierarchy,
    ) -> (Set, Set) {
        (self.named(program, hierarchy, FAILED), self.named(program, hierarchy, FAILED_BEFORE))
    }

    fn named(&self, program: &Program, hierarchy: &Hierarchy, names: &[&str]) -> Set {
        let things = names.iter().filter_map(|name| {
            let kind = hierarchy.find(program.find_name(name)?)?;
            self.things.find(&(kind, true))
        });
        bits(self.words, things)
    }

    /// What the handlers of a procedure put into variables whose content is thrown again.
    pub(super) fn caught(&self, program: &Program, id: ProcId) -> FxHashMap<VarId, Set> {
        let mut caught = FxHashMap::default();
        let sources = &self.sources[id.index()];
        let rethrows = solve::rethrows(sources);
        if let (Some(body), true) = (&program.procedures()[id].body, rethrows) {
            let mut escaping = bits(self.words, std::iter::empty());
            self.flow(body, sources, &mut caught, &mut escaping);
        }
        caught
    }
}

/// The references of the calls of a body, for each of its statements.
pub(super) fn references(calls: &Calls, id: ProcId, body: &Body) -> Vec<Option<ReferenceId>> {
    let mut sites = calls.sites(id).iter().copied();
    let of = |statement: &Statement| match statement {
        Statement::Call { .. } => sites.next(),
        _ => None,
    };
    body.statements.iter().map(of).collect()
}

fn bits(words: usize, things: impl Iterator<Item = ThrownId>) -> Set {
    let mut set = vec![0; words].into_boxed_slice();
    for thing in things {
        set[thing.index() / 64] |= 1 << (thing.index() % 64);
    }
    set
}

fn classes(calls: &Calls, body: &Body, block: &Block) -> Vec<Option<KindId>> {
    let rows = block.handlers.start as usize..block.handlers.end as usize;
    body.handlers[rows].iter().map(|it| it.class.and_then(|it| calls.hierarchy.find(it))).collect()
}

fn throwable(program: &Program, hierarchy: &Hierarchy) -> KindId {
    let name = program.find_name("java.lang.Throwable");
    name.and_then(|name| hierarchy.find(name)).expect("it is always among the kinds")
}
