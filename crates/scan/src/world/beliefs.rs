//! What the code of a program takes for granted about answers, and which procedures never return.
//!
//! A method that may answer `null` is used with a test by those who know that. Where nearly all
//! who use its answers do so without a test, they know more than its code says ("bugs as deviant
//! behavior", Engler et al., SOSP 2001). The same is true of calls that lead to several methods
//! some of which never answer `null`: who calls knows which one it is.

use super::{Asserted, Reliance, TESTED, USED, World};
use crate::explore::successors;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{
    BlockId, Body, Comparison, Constant, ConstantId, Dispatch, Jump, Operand, ProcId, Statement,
    VarId,
};
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

/// From so many uses without a test on, those who test must be as many.
const MOST_CARELESS: u32 = 4;
/// So many are enough if nobody tests.
const MOST_UNANIMOUS: u32 = 3;
/// The same for what an object is asked about itself.
const MOST_GETTERS: u32 = 2;
/// The same for searches, which answer `null` only if what they look for is not there.
const MOST_SEARCHES: u32 = 2;

/// How the answers of a procedure are used.
#[derive(Clone, Copy, Default)]
struct Uses {
    tested: u32,
    careless: u32,
    /// Those of them that have not tested the same answer before.
    sudden: u32,
    /// How many test the answer, and use it without a test, in the class of the procedure.
    near: (u32, u32),
}

impl Uses {
    /// Whether those who test are as many as others, also in the class of the procedure.
    fn is_doubted(self) -> bool {
        self.tested >= self.sudden && self.near.0 > 0 && self.near.0 >= self.near.1
    }
}

/// How the answer of one call is used.
struct Used {
    is_tested: bool,
    is_used: bool,
    is_sudden: bool,
}

/// How the answer of one call is looked at.
#[derive(Clone, Copy, Default)]
pub(super) struct Looked {
    /// It is tested for `null`.
    pub(super) is_tested: bool,
    /// It is used where an object must be.
    pub(super) is_used: bool,
    /// It is handed over to those who use it so, and do not test it.
    is_handed: bool,
}

impl World<'_> {
    /// Finds calls whose answers are taken not to be `null`, whatever their targets say.
    pub(super) fn find_beliefs(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let may_be_null: Vec<bool> = program
            .procedures()
            .as_slice()
            .iter()
            .map(|it| it.body.as_ref().is_some_and(|body| self.answers_null(body)))
            .collect();
        let mut uses = vec![Uses::default(); program.procedures().len()];
        // How the answers for one key are used, and where.
        let mut keyed: FxHashMap<(ProcId, ConstantId), Uses> = FxHashMap::default();
        let mut asked: Vec<(ProcId, usize, ConstantId)> = Vec::new();
        for (id, procedure) in program.procedures().iter() {
            meter.tick()?;
            let Some(body) = &procedure.body else { continue };
            self.note_asked_again(id, body);
            let keys = keys(body);
            for (site, used) in self.answers_used(id, body).into_iter().enumerate() {
                let reference = self.calls.sites(id)[site];
                let mut targets = self.callees[reference.index()].targets.iter().flatten();
                // Who may mean one that never answers `null` says nothing of the others.
                if targets.any(|it| !may_be_null[it.index()]) {
                    continue;
                }
                if let Some(key) = keys[site] {
                    asked.push((id, site, key));
                    for &target in self.callees[reference.index()].targets.iter().flatten() {
                        let uses = keyed.entry((target, key)).or_default();
                        uses.tested += u32::from(used.is_tested);
                        uses.sudden += u32::from(used.is_sudden);
                    }
                }
                for target in self.callees[reference.index()].targets.iter().flatten() {
                    uses[target.index()].tested += u32::from(used.is_tested);
                    uses[target.index()].careless += u32::from(used.is_used && !used.is_tested);
                    uses[target.index()].sudden += u32::from(used.is_sudden);
                    if program.procedures()[*target].class == procedure.class {
                        uses[target.index()].near.0 += u32::from(used.is_tested);
                        uses[target.index()].near.1 += u32::from(used.is_sudden);
                    }
                }
            }
        }
        for row in 0..self.callees.len() {
            let targets = self.callees[row].targets.iter().flatten();
            let all = |is: &dyn Fn(Uses) -> bool| {
                let mut each = targets.clone().map(|it| uses[it.index()]).peekable();
                each.peek().is_some() && each.all(is)
            };
            let is_trusted = targets.clone().any(|it| !may_be_null[it.index()])
                || all(&|it| it.careless >= MOST_CARELESS && it.careless > it.tested);
            let relies = |it: Uses, most: u32| it.sudden >= MOST_SEARCHES && most > it.tested;
            let is_unanimous = targets.clone().all(|&it| {
                let own = &program.procedures()[it];
                let is_of_object = own.body.as_ref().is_some_and(|it| it.parameters == 1);
                let most = match is_of_object && !own.is_static {
                    true => MOST_GETTERS,
                    false => MOST_UNANIMOUS,
                };
                uses[it.index()].tested == 0 && uses[it.index()].sudden >= most
            });
            let reliance = match all(&|it| relies(it, it.sudden)) {
                true if is_unanimous => Reliance::All,
                true => Reliance::Much,
                false if all(&|it| relies(it, 2 * it.sudden)) => Reliance::Some,
                false if all(&|it| it.is_doubted()) => Reliance::None,
                false => Reliance::Little,
            };
            self.callees[row].is_relayed = all(&|it| it.tested == 0);
            self.callees[row].is_trusted = is_trusted;
            self.callees[row].reliance = reliance;
        }
        for (id, site, key) in asked {
            let mut targets = self.callee(id, site).targets.iter().flatten();
            let relies = |it: Uses| it.sudden >= MOST_SEARCHES && it.sudden > it.tested;
            if targets.all(|&it| keyed.get(&(it, key)).is_some_and(|it| relies(*it))) {
                self.relied_on.insert((id, site));
            }
        }
        Ok(())
    }

    /// Whether callers take for granted that what a call asks for by a constant is there: those who
    /// ask for the same do not test the answer.
    pub fn is_relied_on(&self, procedure: ProcId, site: usize) -> bool {
        self.relied_on.contains(&(procedure, site))
    }

    /// Notes the calls without arguments that are come by only where the same question, to what is
    /// got in the same way, was not answered by `null`: `if (f().g() != null) f().g().h();`.
    fn note_asked_again(&mut self, id: ProcId, body: &Body) {
        // The questions of each block, with the numbers of their calls and what they write.
        let mut questions: Vec<(BlockId, usize, Option<VarId>, Question)> = Vec::new();
        let sites = calls_before(body);
        for block in body.blocks.ids() {
            for row in body.blocks[block].statements.clone() {
                if let Statement::Call { to, call } = &body.statements[row as usize]
                    && let [receiver] = body.operands(&call.arguments)
                    && call.dispatch != Dispatch::Static
                {
                    let question = (call.selector, origin(body, *receiver));
                    questions.push((block, sites[row as usize], *to, question));
                }
            }
        }
        for (test, site, to, question) in &questions {
            let is_other = |it: &&(BlockId, usize, Option<VarId>, Question)| {
                it.1 != *site && it.3 == *question
            };
            let Some(object) = to.and_then(|to| self.object_side(body, *test, to)) else {
                continue;
            };
            if !questions.iter().any(|it| is_other(&it)) {
                continue;
            }
            let reached = reached_without(body, *test, object);
            let again = questions.iter().filter(is_other).filter(|it| !reached[it.0.index()]);
            self.asked_again.extend(again.map(|it| (id, it.1)));
        }
    }

    /// Where a block goes on if a variable is not `null`, if that is what it tests.
    pub(super) fn object_side(
        &self,
        body: &Body,
        block: BlockId,
        variable: VarId,
    ) -> Option<BlockId> {
        let Jump::Branch { test, yes, no } = &body.blocks[block].jump else { return None };
        let own = Operand::Variable(variable);
        let is_meant = test.left == own && self.is_null_operand(test.right)
            || test.right == own && self.is_null_operand(test.left);
        match test.comparison {
            Comparison::NotEqual if is_meant => Some(*yes),
            Comparison::Equal if is_meant => Some(*no),
            _ => None,
        }
    }

    /// Whether a call asks once more what was not answered by `null` before.
    pub fn is_asked_again(&self, procedure: ProcId, site: usize) -> bool {
        self.asked_again.contains(&(procedure, site))
    }

    /// How the answer of each call of a body is used. Who asks again after a test does not rely on
    /// anything.
    fn answers_used(&self, id: ProcId, body: &Body) -> Vec<Used> {
        let found = self.answers_looked_at(id, body);
        let calls = body.statements.iter().filter_map(|statement| match statement {
            Statement::Call { call, .. } => Some((call.selector, body.operands(&call.arguments))),
            _ => None,
        });
        let rows = calls.zip(found);
        let tested: FxHashSet<_> =
            rows.clone().filter(|(_, it)| it.is_tested).map(|it| it.0).collect();
        rows.map(|(call, it)| Used {
            is_tested: it.is_tested,
            is_used: it.is_used,
            is_sudden: (it.is_used || it.is_handed) && !it.is_tested && !tested.contains(&call),
        })
        .collect()
    }

    /// For each call of a body, how its answer is looked at. Copies are followed in the order of
    /// the code.
    pub(super) fn answers_looked_at(&self, id: ProcId, body: &Body) -> Vec<Looked> {
        let sites = calls_before(body);
        let mut found = vec![Looked::default(); sites[body.statements.len()]];
        let mut origin: Vec<Option<usize>> = vec![None; body.variables.len()];
        let of = |origin: &[Option<usize>], operand: Operand| match operand {
            Operand::Variable(variable) => origin[variable.index()],
            Operand::Constant(_) => None,
        };
        for (block_id, block) in body.blocks.iter() {
            for row in body.blocks[block_id].statements.clone() {
                let statement = &body.statements[row as usize];
                let (used, tested) = self.looked_at(body, statement);
                let handed = match statement {
                    Statement::Call { call, .. } => {
                        self.used_by_callees(id, sites[row as usize], body, call)
                    }
                    _ => Vec::new(),
                };
                for site in handed.into_iter().filter_map(|it| of(&origin, it)) {
                    found[site].is_handed = true;
                }
                if let Some(site) = used.and_then(|it| of(&origin, it)) {
                    found[site].is_used = true;
                }
                if let Some(site) = tested.and_then(|it| of(&origin, it)) {
                    found[site].is_tested = true;
                }
                let mut value = None;
                match statement {
                    Statement::Copy { from, .. } | Statement::Cast { from, .. } => {
                        value = of(&origin, *from);
                    }
                    Statement::Call { .. } => value = Some(sites[row as usize]),
                    _ => {}
                }
                if let Some(to) = statement.written() {
                    origin[VarId::index(to)] = value;
                }
            }
            if let Jump::Throw(thrown) = &block.jump
                && let Some(site) = of(&origin, *thrown)
            {
                found[site].is_used = true;
            }
            if let Jump::Branch { test, .. } = &block.jump {
                for (one, other) in [(test.left, test.right), (test.right, test.left)] {
                    if let (true, Some(site)) = (self.is_null_operand(other), of(&origin, one)) {
                        found[site].is_tested = true;
                    }
                }
            }
        }
        found
    }

    /// The arguments of a call that all who may be run use as objects, and never test.
    fn used_by_callees(
        &self,
        caller: ProcId,
        site: usize,
        body: &Body,
        call: &tern_ir::Call,
    ) -> Vec<Operand> {
        let targets = self.callee(caller, site).targets.as_deref().unwrap_or(&[]);
        let uses = |position: usize| {
            let senses = |it: &ProcId| self.senses(*it).get(position).copied().unwrap_or(0);
            !targets.is_empty() && targets.iter().all(|it| senses(it) & (USED | TESTED) == USED)
        };
        let receivers = usize::from(call.dispatch != Dispatch::Static);
        let arguments = body.operands(&call.arguments).iter().copied().enumerate();
        arguments.skip(receivers).filter(|(at, _)| uses(*at)).map(|(_, it)| it).collect()
    }

    /// What a statement uses where an object must be, and what it tests for `null`.
    fn looked_at(&self, body: &Body, statement: &Statement) -> (Option<Operand>, Option<Operand>) {
        match statement {
            Statement::Load { object, .. } | Statement::Store { object, .. } => (*object, None),
            Statement::LoadElement { array, .. }
            | Statement::StoreElement { array, .. }
            | Statement::Length { array, .. } => (Some(*array), None),
            Statement::Monitor { object, .. } => (Some(*object), None),
            Statement::InstanceOf { from, .. } => (None, Some(*from)),
            Statement::Call { call, .. } => {
                let first = body.operands(&call.arguments).first().copied();
                let class = self.program.text(call.class);
                match call.dispatch {
                    Dispatch::Static if class == "java.util.Objects" => (None, first),
                    Dispatch::Static => (None, None),
                    _ => (first, None),
                }
            }
            _ => (None, None),
        }
    }

    fn is_null_operand(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Constant(it) if self.program.constants()[it] == Constant::Null)
    }

    /// Whether a body has a place where it answers `null`, or something that it does not say.
    fn answers_null(&self, body: &Body) -> bool {
        let mut returned: Vec<VarId> = Vec::new();
        for block in body.blocks.as_slice() {
            match block.jump {
                Jump::Return(Some(it)) if self.is_null_operand(it) => return true,
                Jump::Return(Some(Operand::Variable(it))) => returned.push(it),
                _ => {}
            }
        }
        // Where what is returned comes from, through copies.
        let mut row = 0;
        while row < returned.len() {
            let variable = returned[row];
            row += 1;
            let is_given = variable.index() < body.parameters;
            let writers = body.statements.iter().filter(|it| it.written() == Some(variable));
            for statement in writers {
                match statement {
                    Statement::Copy { from, .. } | Statement::Cast { from, .. } => match from {
                        Operand::Variable(from) if !returned.contains(from) => returned.push(*from),
                        from if self.is_null_operand(*from) => return true,
                        _ => {}
                    },
                    // What others answer, and what fields hold, may be `null`.
                    Statement::Call { .. }
                    | Statement::Load { .. }
                    | Statement::LoadElement { .. } => return true,
                    _ => {}
                }
            }
            if is_given {
                return true;
            }
        }
        false
    }

    /// Finds procedures that never return: each way ends in an exception, a call of another such
    /// procedure, or nowhere.
    pub(super) fn find_endless(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let program = self.program;
        let count = program.procedures().len();
        let mut returns: Vec<bool> =
            program.procedures().as_slice().iter().map(|it| it.body.is_none()).collect();
        let mut callers: Vec<Vec<ProcId>> = vec![Vec::new(); count];
        for (id, procedure) in program.procedures().iter() {
            let sites = if procedure.body.is_some() { self.calls.sites(id) } else { &[] };
            for &reference in sites {
                for target in self.callees[reference.index()].targets.iter().flatten() {
                    callers[target.index()].push(id);
                }
            }
        }
        let mut work: Vec<ProcId> = program.procedures().ids().collect();
        while let Some(id) = work.pop() {
            meter.tick()?;
            if returns[id.index()] || !self.may_return(id, &returns) {
                continue;
            }
            returns[id.index()] = true;
            work.extend(callers[id.index()].iter().filter(|it| !returns[it.index()]));
        }
        for callee in &mut self.callees {
            let mut targets = callee.targets.iter().flatten();
            callee.never_returns =
                callee.targets.is_some() && targets.all(|it| !returns[it.index()]);
        }
        Ok(())
    }

    /// Whether some way through a procedure returns, where procedures that are not known to return
    /// do not.
    fn may_return(&self, id: ProcId, returns: &[bool]) -> bool {
        let Some(body) = &self.program.procedures()[id].body else { return true };
        let comes_back = |site: usize| {
            let callee = &self.callees[self.calls.sites(id)[site].index()];
            let mut targets = callee.targets.iter().flatten();
            !callee.model.ends
                && callee.asserted != Some(Asserted::Never)
                && (callee.is_leaf
                    || callee.targets.is_none()
                    || targets.any(|it| returns[it.index()]))
        };
        let sites = calls_before(body);
        let mut seen = vec![false; body.blocks.len()];
        let mut work = vec![tern_ir::BlockId::new(0)];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            work.extend(body.handlers(block).iter().map(|it| it.block));
            let rows = &body.blocks[block].statements;
            let (first, last) = (sites[rows.start as usize], sites[rows.end as usize]);
            if !(first..last).all(comes_back) {
                continue;
            }
            if matches!(body.blocks[block].jump, Jump::Return(_)) {
                return true;
            }
            body.blocks[block].jump.targets(|to| work.push(to));
        }
        false
    }
}

/// Where an object comes from: a variable, a field, or a question.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    Variable(VarId),
    Field(tern_ir::FieldId),
    Question(tern_ir::SelectorId),
}

/// What is asked of what.
type Question = (tern_ir::SelectorId, Option<Origin>);

/// The blocks that are reached without a step from one block to another.
fn reached_without(body: &Body, from: BlockId, to: BlockId) -> Vec<bool> {
    let next = successors(body);
    let mut reached = vec![false; next.len()];
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            let is_left_out = |it: &&usize| block == from.index() && **it == to.index();
            work.extend(next[block].iter().filter(|it| !is_left_out(it)));
        }
    }
    reached
}

pub(super) fn origin(body: &Body, operand: Operand) -> Option<Origin> {
    let Operand::Variable(variable) = operand else { return None };
    let mut writers = body.statements.iter().filter(|it| it.written() == Some(variable));
    let only = writers.next().filter(|_| writers.next().is_none());
    match only {
        Some(Statement::Load { field, .. }) => Some(Origin::Field(*field)),
        Some(Statement::Call { call, .. }) if body.operands(&call.arguments).len() == 1 => {
            Some(Origin::Question(call.selector))
        }
        _ => Some(Origin::Variable(variable)),
    }
}

/// For each statement, and the end, how many calls come before it.
pub(super) fn calls_before(body: &Body) -> Vec<usize> {
    let mut sites = Vec::with_capacity(body.statements.len() + 1);
    let mut count = 0;
    for statement in &body.statements {
        sites.push(count);
        count += usize::from(matches!(statement, Statement::Call { .. }));
    }
    sites.push(count);
    sites
}

/// For each call of a body, the one constant that it is given, besides a receiver.
fn keys(body: &Body) -> Vec<Option<ConstantId>> {
    let calls = body.statements.iter().filter_map(|statement| match statement {
        Statement::Call { call, .. } => Some(&**call),
        _ => None,
    });
    let key = |call: &tern_ir::Call| {
        let receivers = usize::from(call.dispatch != Dispatch::Static);
        match body.operands(&call.arguments).get(receivers..) {
            Some([Operand::Constant(key)]) => Some(*key),
            _ => None,
        }
    };
    calls.map(key).collect()
}
