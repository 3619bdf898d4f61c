//! Keys: numbers for all that the findings of a unit rest on.
//!
//! What is found in a unit rests on the procedures that were looked at: its own, and those that
//! were entered from it. So what is kept of a unit names them ([`Basis`]), with one number for all
//! that exploration can ask about them. The unit is known as long as that number is the same. Of
//! callees that are explored once for all units only the exits count ([`summaries`]).
//!
//! What can be asked about a procedure is its code, by the names in it and not by their numbers in
//! this program; where its calls lead, and which fields are read and written there; what is known
//! of the fields that it names; what lies above the classes that it names. Lines count from the
//! first of the procedure, so that code that is only moved is still known; where they are in the
//! file matters only for units with findings, which name lines.

mod code;
mod plain;
mod summaries;

pub(crate) use summaries::Former;

use crate::explore::{self, Setting, Use, View};
use crate::findings::Outcome;
use crate::partners;
use crate::rules::Rule;
use crate::sources::Sources;
use crate::units::Unit;
use crate::values::Value;
use crate::words;
use crate::world::World;
use code::Words;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use tern_ir::{Body, FieldId, NameId, Operand, ProcId, Statement, Type};
use tern_model::index::Id;
use tern_program::calls::ReferenceId;

/// A number for a text or for numbers, the same on every machine: FNV-1a of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digest(u128);

impl Digest {
    pub(crate) fn new() -> Self {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// A text and where it ends.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(&(text.len() as u64).to_le_bytes()).bytes(text.as_bytes())
    }

    pub(crate) fn number(&mut self, number: u128) -> &mut Self {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        self.0 ^= self.0 >> 61;
        self
    }

    pub(crate) fn small(&mut self, number: impl Into<u64>) -> &mut Self {
        self.number(u128::from(number.into()))
    }

    pub(crate) fn other(&mut self, other: Digest) -> &mut Self {
        self.number(other.0)
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What the findings of a unit rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Basis {
    /// Numbers for the names of the procedures that were looked at.
    looked: Vec<u64>,
    /// A number for what can be asked about them.
    facts: String,
    /// A number for where they are in their files.
    lines: String,
    /// The summaries that were used, by their numbers in the cache.
    pub(crate) uses: Vec<u32>,
}

/// What may be entered from a procedure, with itself.
struct Closure {
    procedures: Vec<ProcId>,
    /// Numbers for what can be asked about them, and for where they are; in any order.
    facts: Digest,
    lines: Digest,
}

/// What the keys of units are made of.
pub(crate) struct Keys<'w, 'p> {
    world: &'w World<'p>,
    /// Rules and version.
    common: Digest,
    /// For each procedure, numbers for its name, for what can be asked about it, and for where
    /// it is.
    names: Vec<Digest>,
    facts: Vec<Digest>,
    lines: Vec<Digest>,
    /// A number for what it reads and writes.
    effects: Vec<Digest>,
    by_name: FxHashMap<u64, ProcId>,
    /// What may be entered from each, if that is little.
    closures: Vec<OnceLock<Option<Closure>>>,
    plain: plain::Names<'p>,
}

impl<'w, 'p> Keys<'w, 'p> {
    /// Looks at a program.
    pub(crate) fn new(world: &'w World<'p>, rules: &[Rule], version: &str) -> Self {
        let program = world.program;
        let mut common = Digest::new();
        common.text(version).text(&format!("{rules:?}"));
        let words = Words::new(world);
        let ids = || program.procedures().ids();
        let names: Vec<Digest> = ids().map(|id| words.procedure(id)).collect();
        let fields = program.fields().ids().map(|field| field_facts(world, &words, field));
        let fields: Vec<Digest> = fields.collect();
        let (effects, references) = (Vec::new(), Vec::new());
        let mut look = Look { world, words: &words, names: &names, fields, effects, references };
        look.effects = ids().map(|id| look.effects(id)).collect();
        look.references = world.calls.references().ids().map(|it| look.reference(it)).collect();
        let facts = ids().map(|id| look.facts(id)).collect();
        let lines = ids().map(|id| look.lines(id)).collect();
        let by_name = ids().map(|id| (short(names[id.index()]), id)).collect();
        let effects = look.effects;
        let closures = ids().map(|_| OnceLock::new()).collect();
        let plain = plain::Names::new(program, |field| words.field(field));
        Keys { world, common, names, facts, lines, effects, by_name, closures, plain }
    }

    /// What may be entered from a procedure, if that is little.
    fn closure(&self, id: ProcId) -> Option<&Closure> {
        let find = || {
            let procedures: Vec<ProcId> = explore::entered(self.world, id)?.into_iter().collect();
            let sum = |all: &[Digest]| {
                let each = procedures.iter().map(|it| all[it.index()].0);
                Digest(each.fold(0, u128::wrapping_add))
            };
            let (facts, lines) = (sum(&self.facts), sum(&self.lines));
            Some(Closure { procedures, facts, lines })
        };
        self.closures[id.index()].get_or_init(find).as_ref()
    }

    /// The name under which what was found in a unit is kept.
    pub(crate) fn of(&self, unit: &Unit, sources: &Sources) -> String {
        let mut own = self.common;
        own.text(&unit.name);
        for id in &unit.view.roots {
            own.other(self.names[id.index()]);
        }
        let mut files: Vec<String> =
            unit.view.roots.iter().map(|&id| words::file(self.world.program, id)).collect();
        files.sort_unstable();
        files.dedup();
        for file in files.iter().filter_map(|file| sources.find(file)) {
            file.lines.iter().for_each(|line| {
                own.text(line);
            });
        }
        own.to_string()
    }

    /// What the findings of a unit rest on, if these procedures were looked at, and of those in
    /// `uses` only the exits; and the summaries of these as they are kept.
    pub(crate) fn basis(
        &self,
        setting: &Setting,
        unit: &Unit,
        (looked, uses): (&[ProcId], &[Use]),
    ) -> Option<(Basis, Vec<Arc<str>>)> {
        let mut shared: Vec<ProcId> = uses.iter().map(|it| it.0).collect();
        shared.dedup();
        let (facts, lines) = self.numbers(setting, unit, (looked, &shared));
        let looked = looked.iter().map(|id| short(self.names[id.index()])).collect();
        let rows: Option<Vec<Arc<str>>> =
            uses.iter().map(|it| self.summary(setting, *it)).collect();
        Some((Basis { looked, facts, lines, uses: Vec::new() }, rows?))
    }

    /// The summaries of a unit as they are kept from now on, if what was found in it would be found
    /// again.
    pub(crate) fn is_known(
        &self,
        setting: &Setting,
        unit: &Unit,
        former: &Former,
        (basis, outcome): (&Basis, &Outcome),
    ) -> Option<Vec<Arc<str>>> {
        let ids = basis.looked.iter().map(|name| self.by_name.get(name).copied());
        let looked = ids.collect::<Option<Vec<ProcId>>>()?;
        let (mut shared, mut rows) = (Vec::new(), Vec::new());
        for &number in &basis.uses {
            shared.push(former.procedure(self, number)?);
        }
        shared.sort_unstable();
        shared.dedup();
        let (facts, lines) = self.numbers(setting, unit, (&looked, &shared));
        if facts != basis.facts || !outcome.findings.is_empty() && lines != basis.lines {
            return None;
        }
        for &number in &basis.uses {
            rows.push(former.now(self, setting, number)?);
        }
        Some(rows)
    }

    fn numbers(
        &self,
        setting: &Setting,
        unit: &Unit,
        (looked, shared): (&[ProcId], &[ProcId]),
    ) -> (String, String) {
        let (mut facts, mut lines) = (Digest::new(), Digest::new());
        for id in looked {
            facts.other(self.facts[id.index()]);
            self.entered(unit, *id, &mut facts);
            // That it is not explored apart is due to what it may enter, however far away that is.
            let closure = self.closure(*id).filter(|_| self.is_apart(&unit.view, *id));
            facts.number(closure.map_or(0, |it| it.facts.0));
            lines.other(self.lines[id.index()]);
        }
        // In any order: these are found by numbers that depend on the rest of the program.
        let mut sums = (0u128, 0u128);
        for id in shared {
            let mut own = self.names[id.index()];
            own.small(u8::from(self.is_apart(&unit.view, *id)));
            sums.0 = sums.0.wrapping_add(own.0);
            sums.1 = sums.1.wrapping_add(self.closure(*id).map_or(0, |it| it.lines.0));
        }
        facts.number(sums.0);
        for names in setting.followed(&unit.view) {
            let text = |it: NameId| Digest::new().text(self.world.program.text(it)).0;
            facts.number(names.into_iter().map(text).fold(0, u128::wrapping_add));
        }
        lines.number(sums.1);
        (facts.to_string(), lines.to_string())
    }

    /// Whether a procedure with all that it may enter is explored apart from a view.
    fn is_apart(&self, view: &View, id: ProcId) -> bool {
        let closure = self.closure(id);
        closure.is_some_and(|it| explore::is_apart(view, id, it.procedures.iter()))
    }

    /// Which of the procedures that a procedure calls may be entered in a unit.
    fn entered(&self, unit: &Unit, id: ProcId, own: &mut Digest) {
        let inside = &unit.view.inside;
        for &reference in self.world.calls.sites(id) {
            let callee = self.world.callee_of(reference);
            let all = &self.world.calls.references()[reference].targets;
            // Of calls with many targets one may be entered: that of an object made here.
            let targets = callee.targets.as_ref().unwrap_or(all);
            for target in targets.iter().filter(|target| inside.contains(target)) {
                own.other(self.names[target.index()]);
            }
            own.small(0u8);
        }
    }
}

/// The number by which a procedure is found again.
fn short(name: Digest) -> u64 {
    (name.0 ^ name.0 >> 64) as u64
}

struct Look<'k, 'w, 'p> {
    world: &'w World<'p>,
    words: &'k Words<'w, 'p>,
    names: &'k [Digest],
    /// For each field, a number for what is known of it.
    fields: Vec<Digest>,
    /// For each procedure, a number for what it reads and writes.
    effects: Vec<Digest>,
    /// For each class and selector that are called, a number for what is known of the calls.
    references: Vec<Digest>,
}

impl Look<'_, '_, '_> {
    fn effects(&self, id: ProcId) -> Digest {
        let mut own = Digest::new();
        for fields in [self.world.reads(id), self.world.writes(id)] {
            own.number(fields.map_or(u128::MAX, |it| it.len() as u128));
            // In any order: the numbers of fields are added.
            let mut sum = 0u128;
            for &field in fields.unwrap_or_default() {
                sum = sum.wrapping_add(self.words.field(field).0);
            }
            own.number(sum);
        }
        let body = self.world.program.procedures()[id].body.as_ref();
        let is_call = |it: &Statement| matches!(it, Statement::Call { .. });
        own.small(u8::from(body.is_some_and(|it| it.statements.iter().any(is_call))));
        own.small(u8::from(self.world.is_idle(id)));
        own
    }

    /// All that may be asked about calls of one class and selector.
    fn reference(&self, id: ReferenceId) -> Digest {
        let world = self.world;
        let (reference, callee) = (&world.calls.references()[id], world.callee_of(id));
        let mut own = Digest::new();
        own.small(u8::from(callee.is_missing)).small(u8::from(callee.is_leaf));
        own.small(u8::from(callee.targets.is_some()));
        own.small(u8::from(callee.is_trusted)).small(callee.reliance as u8);
        own.small(u8::from(callee.is_partial)).small(u8::from(callee.is_relayed));
        own.small(u8::from(callee.never_returns)).small(u8::from(callee.is_object));
        if let Some(selector) = callee.tells {
            own.other(self.words.selector(selector));
        }
        // What is known of library methods follows from their names.
        if !callee.matches.is_empty() {
            own.text(&format!("{:?}", callee.matches));
            let name = world.program.text(world.program.selectors()[reference.selector].name);
            for partner in partners::own_partners(world, reference.class, name) {
                own.text(partner);
            }
        }
        let may = callee.model.may.and_then(|class| world.program.find_name(class));
        for &class in callee.throws.iter().chain(&may) {
            own.other(self.words.class(class));
        }
        for target in &reference.targets {
            own.other(self.names[target.index()]);
            own.small(u8::from(world.answers_for_others(*target)));
        }
        for target in callee.targets.iter().flatten() {
            own.other(self.effects[target.index()]);
            own.small(u8::from(world.is_fragile(*target)));
            own.text(world.passes_on(*target).unwrap_or_default());
            // Which of several may be run on an object depends on its class.
            let class = world.program.procedures()[*target].class;
            if let (Some(class), true) = (class, reference.targets.len() > 1) {
                own.other(self.words.class(world.program.classes()[class].name));
            }
            for &class in world.failing(*target) {
                own.other(self.words.class(class));
            }
        }
        let resolved = reference.resolved.map(|it| self.names[it.index()]);
        own.number(resolved.map_or(0, |it| it.0));
        own
    }

    /// All that may be asked about a procedure.
    fn facts(&self, id: ProcId) -> Digest {
        let world = self.world;
        let procedure = &world.program.procedures()[id];
        let mut own = self.names[id.index()];
        own.small(u8::from(world.is_in_test(id)));
        own.small(u8::from(world.is_called(id))).small(u8::from(procedure.is_static));
        own.text(&format!("{:?}", procedure.access));
        own.small(u8::from(partners::has_partner(world, id)));
        own.other(self.effects[id.index()]);
        own.bytes(world.senses(id));
        if let Some(class) = procedure.class {
            own.other(self.words.class(world.program.classes()[class].name));
        }
        let Some(body) = &procedure.body else { return own };
        self.words.body(&mut own, body, first_line(body));
        for (site, &reference) in world.calls.sites(id).iter().enumerate() {
            own.other(self.references[reference.index()]);
            own.small(u8::from(world.is_doubted(id, site)));
            own.small(u8::from(world.is_relied_on(id, site)));
            own.small(u8::from(world.is_asked_again(id, site)));
        }
        for statement in &body.statements {
            if let Statement::Load { field, .. } | Statement::Store { field, .. } = statement {
                own.other(self.fields[world.field(*field).index()]);
            }
            if let Statement::InstanceOf { from: Operand::Variable(from), .. } = statement
                && let Type::Reference(name) = world.program.types()[body.variables[*from].ty]
            {
                own.other(self.words.below(name));
            }
        }
        own
    }

    /// Where a procedure is.
    fn lines(&self, id: ProcId) -> Digest {
        let mut own = Digest::new();
        if let Some(body) = &self.world.program.procedures()[id].body {
            own.small(first_line(body));
            own.number(body.file.map_or(0, |file| self.words.name(file).0));
        }
        own
    }
}

/// All that may be asked about a field.
fn field_facts(world: &World, words: &Words, field: FieldId) -> Digest {
    let mut own = words.field(field);
    own.other(words.class(world.program.fields()[field].class));
    own.small(u8::from(world.is_fixed(field))).small(u8::from(world.is_volatile(field)));
    own.small(u8::from(world.is_never_null(field))).small(u8::from(world.is_exposed(field)));
    own.number(world.length_of(field).map_or(0, |it| it as u128 + 1));
    own.small(u8::from(world.is_enumerated(field)));
    for (constant, number) in world.choices(field).unwrap_or_default() {
        own.other(words.field(*constant)).number(*number as u128);
    }
    match world.constant_of(field) {
        Some(Value::Text(name)) => own.other(words.name(name)),
        Some(other) => own.text(&format!("{other:?}")),
        None => own.small(0u8),
    };
    own
}

/// The first line of a procedure.
fn first_line(body: &Body) -> u32 {
    let jumps = body.blocks.as_slice().iter().map(|block| block.place.line);
    let lines = body.places.iter().map(|place| place.line).chain(jumps);
    lines.filter(|line| *line != 0).min().unwrap_or(0)
}
