//! Summaries: what callers learn from a procedure that is entered with some facts, and do not look
//! into (`explore/share.rs`).
//!
//! A unit that uses a summary rests on its exits, and not on the code that they come from. So an
//! edit of that code matters to the unit only if the exits change. Each summary is kept once, with
//! the entry by names, a number for its exits, and one for the code that may be entered. If the
//! latter has changed, the entry is explored again, and the exits are compared.

use super::plain::Facts;
use super::{Digest, Keys};
use crate::explore::{Objects, Setting, Use};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use tern_ir::ProcId;
use tern_model::index::Id;

/// What is kept of a summary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Summary {
    /// A number for the name of the procedure.
    procedure: u64,
    entry: Facts,
    /// A number for what callers learn.
    answer: String,
    /// A number for the code that may be entered.
    code: String,
}

/// The summaries that were kept, each looked at once.
pub(crate) struct Former<'c> {
    rows: &'c [String],
    read: Vec<OnceLock<Option<Summary>>>,
    now: Vec<OnceLock<Option<Arc<str>>>>,
}

impl<'c> Former<'c> {
    pub(crate) fn new(rows: &'c [String]) -> Self {
        let read = rows.iter().map(|_| OnceLock::new()).collect();
        Former { rows, read, now: rows.iter().map(|_| OnceLock::new()).collect() }
    }

    fn summary(&self, number: u32) -> Option<&Summary> {
        let row = self.rows.get(number as usize)?;
        self.read[number as usize].get_or_init(|| serde_json::from_str(row).ok()).as_ref()
    }

    /// The procedure of a summary.
    pub(super) fn procedure(&self, keys: &Keys, number: u32) -> Option<ProcId> {
        keys.by_name.get(&self.summary(number)?.procedure).copied()
    }

    /// A summary as it is kept from now on; none if its exits are others now.
    pub(super) fn now(&self, keys: &Keys, setting: &Setting, number: u32) -> Option<Arc<str>> {
        let former = self.summary(number)?;
        self.now[number as usize].get_or_init(|| keys.again(setting, former)).clone()
    }
}

impl Keys<'_, '_> {
    /// The summary of an entry as it is kept.
    pub(crate) fn summary(&self, setting: &Setting, one: Use) -> Option<Arc<str>> {
        let id = one.0.index();
        let procedure = super::short(self.names[id]);
        let code = self.closure(one.0)?.facts.to_string();
        let (entry, answer) = setting.summary(one, |entry, exits, objects| {
            let answer = exits.map(|exits| self.answer(one.0, exits, objects));
            (self.plain.facts(entry, objects), answer)
        });
        let summary = Summary { procedure, entry, answer: answer?, code };
        serde_json::to_string(&summary).ok().map(Arc::from)
    }

    /// A number for what callers learn from exits, and for what else they ask about a procedure.
    fn answer(
        &self,
        procedure: ProcId,
        exits: &[crate::explore::Exit],
        objects: &Objects,
    ) -> String {
        let mut own = self.surface(procedure);
        for exit in exits {
            let plain = self.plain.exit(exit, objects);
            own.text(&serde_json::to_string(&plain).unwrap_or_default());
        }
        own.to_string()
    }

    /// A number for what callers ask about a procedure besides its exits.
    fn surface(&self, id: ProcId) -> Digest {
        let world = self.world;
        let row = &world.program.procedures()[id];
        let mut own = self.names[id.index()];
        own.other(self.effects[id.index()]).bytes(world.senses(id));
        own.small(u8::from(row.is_static)).small(u8::from(world.is_idle(id)));
        own.text(&format!("{:?}", row.access));
        let class = row.class.map(|class| &world.program.classes()[class]);
        own.small(u8::from(class.is_some_and(|it| it.is_final)));
        if let Some(flow) = world.flow(id) {
            own.small(u8::from(flow.answers.is_default));
            own.small(u8::from(flow.answers.is_guarded));
            own.small(flow.answers.guards).small(u8::from(flow.answers.is_search));
            own.small(u8::from(flow.answers.is_of_object));
        }
        if let Some(body) = &row.body {
            for parameter in body.parameters() {
                own.text(&world.type_text(body.variables[parameter].ty));
            }
        }
        own
    }

    /// A summary as it is kept from now on, if its exits are what they were.
    fn again(&self, setting: &Setting, former: &Summary) -> Option<Arc<str>> {
        let id = *self.by_name.get(&former.procedure)?;
        let code = self.closure(id)?.facts.to_string();
        if code != former.code {
            let mut objects = Objects::default();
            let entry = self.plain.state(&former.entry, &mut objects)?;
            let place = setting.place(id, (&entry, &objects))?;
            let answer = setting.summary((id, place), |_, exits, objects| {
                exits.map(|exits| self.answer(id, exits, objects))
            });
            if answer? != former.answer {
                return None;
            }
        }
        let row = serde_json::to_string(&Summary { code, ..former.clone() }).ok()?;
        Some(Arc::from(row))
    }
}
