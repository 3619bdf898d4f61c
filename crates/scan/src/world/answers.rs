//! What the answers of a procedure are worth to those who call it.

use super::World;
use tern_ir::{
    BlockId, Body, Comparison, Constant, ConstantId, Dispatch, Jump, Operand, ProcId, Statement,
    Type, VarId,
};
use tern_model::index::Id;

/// What is known of the answers of a procedure by a look at its code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// It always answers the same constant: those who come in its place need not.
    pub(crate) is_default: bool,
    /// It answers `null` only where a field, what it was given, or what it asks itself is not as it
    /// should be: callers know when they may ask. That a search finds nothing is another matter.
    pub(crate) is_guarded: bool,
    /// The parameters, a bit for each, for which it tests whether they are `null` and answers
    /// `null` then: who gives it that asks for it.
    pub(crate) guards: u64,
    /// It ends a loop with what it finds there, and answers `null` if it finds nothing; or if what
    /// it keeps is empty.
    pub(crate) is_search: bool,
    /// It is given nothing but the object whose method it is.
    pub(crate) is_of_object: bool,
}

impl Answers {
    /// Whether the parameter is one for whose `null` it answers `null`.
    pub(crate) fn is_guard(&self, parameter: VarId) -> bool {
        parameter.index() < 64 && self.guards & (1 << parameter.index()) != 0
    }
}

/// The code of a procedure.
#[derive(Clone, Copy)]
struct Code<'b> {
    body: &'b Body,
    /// For each block, whether it lies on a cycle.
    cyclic: &'b [bool],
    is_static: bool,
    /// Whether it calls itself, with other arguments than it was given, and answers what it is
    /// answered then.
    is_recursive: bool,
}

impl World<'_> {
    /// What is known of the answers of a procedure, some of whose blocks lie on cycles.
    pub(crate) fn answers(&self, procedure: ProcId, cyclic: &[bool]) -> Answers {
        let row = &self.program.procedures()[procedure];
        let Some(body) = &row.body else { return Answers::default() };
        let sources = sources(body);
        let calls = body.statements.iter().filter(|it| matches!(it, Statement::Call { .. }));
        let is_recursive = self.calls.sites(procedure).iter().zip(calls).any(|(site, call)| {
            let mut targets = self.callee_of(*site).targets.iter().flatten();
            let is_passed_on = call.written().is_some_and(|it| sources.contains(&it));
            targets.any(|it| *it == procedure) && is_passed_on
        });
        let code = Code { body, cyclic, is_static: row.is_static, is_recursive };
        let nulls = self.null_blocks(body);
        Answers {
            is_default: is_default(body),
            is_guarded: self.is_guarded(code, &nulls),
            guards: self.guards(code, &nulls),
            is_search: self.is_search(code, &nulls) || self.asks_what_it_keeps(code, &nulls),
            is_of_object: !row.is_static && body.parameters == 1,
        }
    }

    pub(super) fn is_null(&self, constant: ConstantId) -> bool {
        self.program.constants()[constant] == Constant::Null
    }

    /// The blocks by which `null` becomes the answer: `return null`, or `field == null ? null : …`.
    fn null_blocks(&self, body: &Body) -> Vec<BlockId> {
        let returned: Vec<VarId> = returned(body).filter_map(variable).collect();
        let answers_null = |(id, block): (BlockId, &tern_ir::Block)| {
            let at_once = matches!(&block.jump, Jump::Return(Some(Operand::Constant(it)))
                if self.is_null(*it));
            let sets = body.statements(id).any(|(statement, _)| {
                matches!(statement, Statement::Copy { to, from: Operand::Constant(it) }
                    if returned.contains(to) && self.is_null(*it))
            });
            (at_once || sets).then_some(id)
        };
        body.blocks.iter().filter_map(answers_null).collect()
    }

    fn is_guarded(&self, code: Code<'_>, nulls: &[BlockId]) -> bool {
        !nulls.is_empty()
            && nulls.iter().all(|&null| {
                let (side, before) = tests_before(code.body, null);
                let is_given = |it: &BlockId| self.tests_what_is_given(code, *it, side);
                !before.is_empty() && before.iter().all(is_given)
                    || self.stays_null_as_given(code, null)
            })
    }

    /// Whether the `null` that a block writes is replaced later, but for what is given:
    /// `String found = null; if (field != null) found = field.name(); return found;`.
    fn stays_null_as_given(&self, code: Code<'_>, null: BlockId) -> bool {
        let body = code.body;
        let Some(answer) = returned(body).find_map(variable) else { return false };
        if !returned(body).all(|it| variable(it) == Some(answer)) {
            return false;
        }
        let writes = |id: BlockId| {
            id != null && body.statements(id).any(|(it, _)| it.written() == Some(answer))
        };
        // The blocks from which it may still be replaced.
        let mut may = vec![false; body.blocks.len()];
        let mut work: Vec<BlockId> = body.blocks.ids().filter(|&id| writes(id)).collect();
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut may[id.index()], true) {
                work.extend(before(body, id));
            }
        }
        // From the block on: where it is decided that it is not.
        let mut seen = vec![false; body.blocks.len()];
        let mut work = vec![null];
        let mut found = false;
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id.index()], true) || writes(id) {
                continue;
            }
            let mut next = Vec::new();
            body.blocks[id].jump.targets(|to| next.push(to));
            for to in next {
                if may[to.index()] {
                    work.push(to);
                } else if code.cyclic[id.index()] || !self.tests_what_is_given(code, id, to) {
                    return false;
                } else {
                    found = true;
                }
            }
        }
        found
    }

    /// The parameters for whose `null` it answers `null`.
    fn guards(&self, code: Code<'_>, nulls: &[BlockId]) -> u64 {
        let mut found = 0;
        let tests = nulls.iter().flat_map(|&it| {
            let (null, before) = tests_before(code.body, it);
            before.into_iter().map(move |id| (null, id))
        });
        for (null, id) in tests {
            let tested = self.tested(code.body, id, null).and_then(variable);
            if let Some(given) = tested.filter(|it| it.index() < code.body.parameters.min(64)) {
                found |= 1 << given.index();
            }
        }
        found
    }

    /// Whether what is found in a loop is answered, and `null` only outside of loops.
    fn is_search(&self, code: Code<'_>, nulls: &[BlockId]) -> bool {
        let body = code.body;
        let is_cyclic = |id: BlockId| code.cyclic[id.index()];
        if nulls.is_empty() || nulls.iter().any(|&null| is_cyclic(null)) {
            return false;
        }
        let returned: Vec<VarId> = returned(body).filter_map(variable).collect();
        body.blocks.iter().any(|(id, block)| {
            // Who goes on in the loop collects, and does not search.
            let ends_loop = !is_cyclic(id) && before(body, id).any(is_cyclic);
            let answers = matches!(block.jump, Jump::Return(Some(Operand::Variable(_))));
            let sets = |(statement, _): (&Statement, _)| {
                statement.written().is_some_and(|it| returned.contains(&it))
            };
            ends_loop && !nulls.contains(&id) && (answers || body.statements(id).any(sets))
        })
    }

    /// Whether `null` is answered because of what a field answers: `all.isEmpty() ? null : …`.
    fn asks_what_it_keeps(&self, code: Code<'_>, nulls: &[BlockId]) -> bool {
        let body = code.body;
        let asks = |id: BlockId| match &body.blocks[id].jump {
            Jump::Branch { test, .. } => {
                asked(body, id, test.left).is_some_and(|it| is_loaded(body, id, it))
            }
            _ => false,
        };
        !nulls.is_empty()
            && nulls.iter().all(|&null| {
                let mut before = before(body, null).peekable();
                before.peek().is_some()
                    && before.all(|it| asks(it) || self.tests_what_is_given(code, it, null))
            })
    }

    /// What a block finds to be `null` where it goes on at another.
    fn tested(&self, body: &Body, id: BlockId, to: BlockId) -> Option<Operand> {
        let Jump::Branch { test, yes, no } = &body.blocks[id].jump else { return None };
        let side = match test.comparison {
            Comparison::Equal => yes,
            Comparison::NotEqual => no,
            _ => return None,
        };
        let is_none = |it: Operand| matches!(it, Operand::Constant(it) if self.is_null(it));
        match (is_none(test.left), is_none(test.right)) {
            (false, true) if *side == to => Some(test.left),
            (true, false) if *side == to => Some(test.right),
            _ => None,
        }
    }

    /// Whether what is chosen by is the number of a constant of an enumeration, as compilers write
    /// it: all of them are there.
    fn is_of_enumeration(&self, body: &Body, id: BlockId, on: Operand) -> bool {
        let mut rows = body.statements(id).map(|(statement, _)| statement);
        let array = rows.find_map(|statement| match statement {
            Statement::LoadElement { to, array, .. } if variable(on) == Some(*to) => Some(*array),
            _ => None,
        });
        let Some(Operand::Variable(array)) = array else { return false };
        body.statements(id).any(|(statement, _)| match statement {
            Statement::Load { to, object: None, field } if *to == array => {
                let name = self.program.fields()[*field].name;
                self.program.text(name).starts_with("$SwitchMap$")
            }
            _ => false,
        })
    }

    /// Whether an operand is what a list in a field has at an index that was given.
    fn is_element(&self, body: &Body, id: BlockId, operand: Operand) -> bool {
        let is_given = |it: Operand| variable(it).is_some_and(|it| it.index() < body.parameters);
        let is = |one: Operand, to: VarId| variable(one) == Some(to);
        let cast = body.statements(id).find_map(|(statement, _)| match statement {
            Statement::Cast { to, from, .. } if is(operand, *to) => Some(*from),
            _ => None,
        });
        let element = cast.unwrap_or(operand);
        body.statements(id).any(|(statement, _)| match statement {
            Statement::Call { to: Some(to), call } if is(element, *to) => {
                let selector = &self.program.selectors()[call.selector];
                let is_getter =
                    ["get", "elementAt"].contains(&self.program.text(selector.name));
                let by_number = selector.parameters.first().is_some_and(|it| {
                    matches!(self.program.types()[*it], Type::Integer { .. })
                });
                let given = body.operands(&call.arguments);
                is_getter
                    && by_number
                    && call.dispatch != Dispatch::Static
                    && matches!(given, [list, index] if is_loaded(body, id, *list) && is_given(*index))
            }
            _ => false,
        })
    }

    /// Whether a block goes on at another by a test of a field, of a parameter for `null` or for
    /// its range, of what the object answers when it asks itself outside of loops, or by a choice
    /// among constants of an enumeration.
    fn tests_what_is_given(&self, code: Code<'_>, id: BlockId, to: BlockId) -> bool {
        let body = code.body;
        let test = match &body.blocks[id].jump {
            Jump::Branch { test, .. } => test,
            Jump::Switch { on, .. } => return self.is_of_enumeration(body, id, *on),
            _ => return false,
        };
        let is_loaded = |it: Operand| is_loaded(body, id, it) || self.is_element(body, id, it);
        // Who calls itself is given what callers know nothing of.
        let is_given = |it: Operand| {
            !code.is_recursive && variable(it).is_some_and(|it| it.index() < body.parameters)
        };
        let is_this = |it: Operand| !code.is_static && it == Operand::Variable(VarId::new(0));
        let is_asked =
            |it: Operand| !code.cyclic[id.index()] && asked(body, id, it).is_some_and(is_this);
        let is_none = |it: Operand| matches!(it, Operand::Constant(it) if self.is_null(it));
        if is_none(test.left) || is_none(test.right) {
            // Who answers `null` where an object is found does so whatever it is asked.
            let tested = self.tested(body, id, to);
            return tested.is_some_and(|it| is_given(it) || is_loaded(it) || is_asked(it));
        }
        // An index that may be out of range: who has asked for the size knows.
        let is_order = !matches!(test.comparison, Comparison::Equal | Comparison::NotEqual);
        let is_bound = |it: Operand| match it {
            Operand::Constant(it) => {
                matches!(self.program.constants()[it], Constant::Integer(-1 | 0))
            }
            Operand::Variable(_) => true,
        };
        // What others answer for nothing: `if (index == -1) return null;`.
        let is_nothing = |it: Operand| {
            matches!(it, Operand::Constant(it)
                if self.program.constants()[it] == Constant::Integer(-1))
        };
        let is_range = is_order
            && (is_given(test.left) && is_bound(test.right)
                || is_given(test.right) && is_bound(test.left))
            || is_given(test.left) && is_nothing(test.right);
        // As in `field instanceof Element ? … : null`; callers know what they give.
        let is_kind = body.statements(id).any(|(statement, _)| match statement {
            Statement::InstanceOf { to, from, .. } => {
                let is_meant = is_loaded(*from) || is_asked(*from) || is_given(*from);
                variable(test.left) == Some(*to) && is_meant
            }
            _ => false,
        });
        is_range || is_kind || is_loaded(test.left) || is_loaded(test.right) || is_asked(test.left)
    }
}

fn variable(operand: Operand) -> Option<VarId> {
    match operand {
        Operand::Variable(variable) => Some(variable),
        Operand::Constant(_) => None,
    }
}

/// Whether an operand is what a field holds, or what stands there at an index that was given, read
/// in the same block.
fn is_loaded(body: &Body, id: BlockId, operand: Operand) -> bool {
    let is_given = |it: Operand| variable(it).is_some_and(|it| it.index() < body.parameters);
    let is_held = |operand: Operand| {
        body.statements(id).any(|(statement, _)| {
            matches!(statement, Statement::Load { to, .. } if variable(operand) == Some(*to))
        })
    };
    is_held(operand)
        || body.statements(id).any(|(statement, _)| match statement {
            Statement::LoadElement { to, array, index } => {
                let is_meant = is_given(*array) || is_held(*array);
                variable(operand) == Some(*to) && is_given(*index) && is_meant
            }
            _ => false,
        })
}

/// The object whose answer to a question without arguments an operand is, in the same block.
fn asked(body: &Body, id: BlockId, operand: Operand) -> Option<Operand> {
    body.statements(id).find_map(|(statement, _)| match statement {
        Statement::Call { to: Some(to), call }
            if variable(operand) == Some(*to) && call.dispatch != Dispatch::Static =>
        {
            match body.operands(&call.arguments) {
                [receiver] => Some(*receiver),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The blocks from which another is jumped to.
fn before(body: &Body, to: BlockId) -> impl Iterator<Item = BlockId> {
    let leads = move |block: &tern_ir::Block| {
        let mut found = false;
        block.jump.targets(|it| found |= it == to);
        found
    };
    body.blocks.iter().filter(move |(_, it)| leads(it)).map(|it| it.0)
}

/// The blocks from which another is jumped to, or the only one that leads there: the block that
/// they jump to, and they.
fn tests_before(body: &Body, to: BlockId) -> (BlockId, Vec<BlockId>) {
    let mut to = to;
    let mut found: Vec<BlockId> = before(body, to).collect();
    // No further than there are blocks: something may lead to itself.
    for _ in 0..body.blocks.len() {
        match found[..] {
            [only] if matches!(body.blocks[only].jump, Jump::Goto(_)) => {
                to = only;
                found = before(body, to).collect();
            }
            _ => break,
        }
    }
    (to, found)
}

/// What a body returns.
fn returned(body: &Body) -> impl Iterator<Item = Operand> {
    body.blocks.as_slice().iter().filter_map(|block| match &block.jump {
        Jump::Return(value) => *value,
        _ => None,
    })
}

/// The variables from which a body takes what it returns, through copies.
pub(super) fn sources(body: &Body) -> Vec<VarId> {
    let mut found: Vec<VarId> = returned(body).filter_map(variable).collect();
    let mut next = 0;
    while next < found.len() {
        let own = found[next];
        next += 1;
        for statement in body.statements.iter().filter(|it| it.written() == Some(own)) {
            if let Statement::Copy { from, .. } | Statement::Cast { from, .. } = statement
                && let Some(from) = variable(*from)
                && !found.contains(&from)
            {
                found.push(from);
            }
        }
    }
    found
}

/// The constant that an operand always is: a variable if nothing else is written to it.
fn constant(body: &Body, operand: Operand) -> Option<ConstantId> {
    let variable = match operand {
        Operand::Constant(constant) => return Some(constant),
        Operand::Variable(variable) if variable.index() < body.parameters => return None,
        Operand::Variable(variable) => variable,
    };
    let mut found = None;
    for statement in body.statements.iter().filter(|it| it.written() == Some(variable)) {
        match statement {
            Statement::Copy { from: Operand::Constant(it), .. }
                if found.is_none_or(|found| found == *it) =>
            {
                found = Some(*it);
            }
            _ => return None,
        }
    }
    found
}

fn is_default(body: &Body) -> bool {
    let mut each = returned(body).map(|it| constant(body, it));
    let Some(Some(first)) = each.next() else { return false };
    each.all(|it| it == Some(first))
}
