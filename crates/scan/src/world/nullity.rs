//! Which procedures answer `null` by what their code says, and why.
//!
//! Not what fields hold, or what is given, but what is written: `return null`, or what a call
//! answers whose targets all say so. Who answers what a handler makes of a failure, or what a
//! library method answers that is known to answer `null`, is at the mercy of what lies outside of
//! the program; others search in what the program itself has made, and callers may know what is
//! there.

use super::World;
use super::answers::sources;
use tern_ir::{Body, ClassId, Dispatch, Jump, NameId, Operand, ProcId, Statement};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_program::calls::ReferenceId;

/// Names of the classes whose methods tests call.
const ASSERTERS: [&str; 6] = [
    "junit.framework.*Assert",
    "junit.framework.*TestCase",
    "org.junit.*Assert",
    "org.junit.*Assertions",
    "org.testng.*Assert",
    "org.hamcrest.*MatcherAssert",
];

/// How a procedure comes to answer `null`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nullity {
    /// It writes `null` itself.
    is_own: bool,
    /// It does, or answers what those answer who do.
    is_said: bool,
    /// It may do so since something failed, or was not there, outside of the program.
    is_outer: bool,
    /// It passes on what a static method answers.
    asks_class: bool,
}

impl World<'_> {
    pub(super) fn find_nullity(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let count = program.procedures().len();
        let mut found = vec![Nullity::default(); count];
        let mut passed: Vec<Vec<ReferenceId>> = vec![Vec::new(); count];
        // Who answers what a procedure answers.
        let mut users: Vec<Vec<ProcId>> = vec![Vec::new(); count];
        for (id, procedure) in program.procedures().iter() {
            meter.tick()?;
            let Some(body) = &procedure.body else { continue };
            let (answers, asks_class) = self.passed_on(id, body);
            passed[id.index()] = answers;
            let is_own = self.writes_null(body);
            let blocks = body.blocks.ids();
            let catches = || blocks.flat_map(|it| body.handlers(it)).any(|it| it.class.is_some());
            let is_library =
                passed[id.index()].iter().any(|it| self.callees[it.index()].model.nullable);
            let is_outer = is_library || is_own && catches();
            found[id.index()] = Nullity { is_own, is_said: is_own, is_outer, asks_class };
            for reference in &passed[id.index()] {
                for target in self.callees[reference.index()].targets.iter().flatten() {
                    users[target.index()].push(id);
                }
            }
        }
        let mut work: Vec<ProcId> = program.procedures().ids().collect();
        while let Some(id) = work.pop() {
            for &user in &users[id.index()] {
                meter.tick()?;
                let own = found[user.index()];
                let targets = |it: &ReferenceId| self.callees[it.index()].targets.iter().flatten();
                let mut each = passed[user.index()].iter();
                let is_said = own.is_said
                    || each.any(|it| {
                        targets(it).next().is_some()
                            && targets(it).all(|it| found[it.index()].is_said)
                    });
                let is_outer = own.is_outer || found[id.index()].is_outer;
                if (is_said, is_outer) != (own.is_said, own.is_outer) {
                    found[user.index()] = Nullity { is_said, is_outer, ..own };
                    work.push(user);
                }
            }
        }
        for callee in &mut self.callees {
            let targets = callee.targets.as_deref().unwrap_or_default();
            let said = targets.iter().filter(|it| found[it.index()].is_said).count();
            callee.is_partial = said > 0 && said < targets.len();
            // What objects are asked for they have, as those know who ask; others say so on
            // purpose.
            let is_written = |it: &ProcId| found[it.index()].is_own || found[it.index()].asks_class;
            callee.is_relayed &= !targets.iter().any(is_written);
        }
        self.nullity = found;
        Ok(())
    }

    /// The calls whose answers a body may answer, and whether one of them asks no object.
    fn passed_on(&self, id: ProcId, body: &Body) -> (Vec<ReferenceId>, bool) {
        let sources = sources(body);
        let calls = body.statements.iter().filter_map(|it| match it {
            Statement::Call { to, call } => Some((*to, call)),
            _ => None,
        });
        let (mut found, mut asks_class) = (Vec::new(), false);
        for (site, (to, call)) in self.calls.sites(id).iter().zip(calls) {
            if to.is_some_and(|it| sources.contains(&it)) {
                found.push(*site);
                asks_class |= call.dispatch == Dispatch::Static;
            }
        }
        (found, asks_class)
    }

    /// Whether `null` that a body writes may be its answer.
    fn writes_null(&self, body: &Body) -> bool {
        let sources = sources(body);
        let is_null = |it: Operand| matches!(it, Operand::Constant(it) if self.is_null(it));
        let returns =
            |block: &tern_ir::Block| matches!(block.jump, Jump::Return(Some(it)) if is_null(it));
        let copies = |it: &Statement| {
            matches!(it, Statement::Copy { to, from } | Statement::Cast { to, from, .. }
                if sources.contains(to) && is_null(*from))
        };
        body.blocks.as_slice().iter().any(returns) || body.statements.iter().any(copies)
    }

    /// Whether a procedure may answer `null` since something failed, or was not there, outside of
    /// the program.
    pub(crate) fn answers_for_others(&self, procedure: ProcId) -> bool {
        self.nullity[procedure.index()].is_outer
    }

    /// Finds the classes that test others.
    pub(super) fn find_tests(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let names = ASSERTERS.map(str::to_owned);
        let mut asserts: Vec<bool> = Vec::new();
        for reference in self.calls.references().as_slice() {
            meter.tick()?;
            asserts.push(self.is_of(reference.class, &names));
        }
        let is_test = |class: ClassId| {
            let row = &program.classes()[class];
            row.procedures.iter().any(|&id| {
                let sites = match program.procedures()[id].body {
                    Some(_) => self.calls.sites(id),
                    None => &[],
                };
                sites.iter().any(|it| asserts[it.index()])
            })
        };
        self.tests = program.classes().ids().map(is_test).collect();
        Ok(())
    }

    /// Whether a procedure belongs to a class that tests others: an exception there is a test that
    /// has failed.
    pub(crate) fn is_in_test(&self, procedure: ProcId) -> bool {
        let class = self.program.procedures()[procedure].class;
        class.is_some_and(|class| self.tests[class.index()])
    }

    /// The classes of the program of which objects may be made that a type stands for; none if the
    /// type stands for others as well.
    pub(crate) fn classes_below(&self, name: NameId) -> Option<Vec<NameId>> {
        let hierarchy = &self.calls.hierarchy;
        let kind = hierarchy.find(name).filter(|it| Some(*it) != hierarchy.root())?;
        hierarchy.class(kind)?;
        let below = hierarchy.below(kind).into_iter();
        Some(below.filter(|it| hierarchy.is_concrete(*it)).map(|it| hierarchy.name(it)).collect())
    }
}
