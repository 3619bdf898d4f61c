//! What a `throw` may throw, and how statements fail by themselves.

use rustc_hash::FxHashSet;
use tern_ir::{
    Body, Constant, Dispatch, NameId, Operand, Operator, Program, SelectorId, Statement, Type,
    TypeId, VarId,
};
use tern_model::index::Id;

/// What a `throw` may throw: classes, each with whether it is just that class; and variables of
/// handlers.
pub(in crate::control) struct Described {
    pub(in crate::control) classes: Vec<(NameId, bool)>,
    /// Variables of handlers.
    pub(in crate::control) caught: Vec<VarId>,
    /// Whether it may be `null` for all that is known, so that something else is thrown.
    pub(in crate::control) may_be_null: bool,
}

/// What is thrown where there is no object.
pub(super) const NULL: &[&str] = &["java.lang.NullPointerException"];

/// Where the value of a `throw` comes from, however often its variable is written.
pub(in crate::control) fn describe(program: &Program, body: &Body, value: Operand) -> Described {
    let mut found = Described { classes: Vec::new(), caught: Vec::new(), may_be_null: false };
    let Operand::Variable(first) = value else {
        found
            .classes
            .extend(program.find_name("java.lang.NullPointerException").map(|it| (it, true)));
        return found;
    };
    let mut open = vec![first];
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    while let Some(variable) = open.pop() {
        if !seen.insert(variable) {
            continue;
        }
        let mut is_written = variable.index() < body.parameters;
        if is_written {
            found.typed(program, body.variables[variable].ty);
        }
        let mut caught = false;
        if body.handlers.iter().any(|handler| handler.variable == variable) {
            (is_written, caught) = (true, true);
        }
        for statement in body.statements.iter().filter(|it| it.written() == Some(variable)) {
            is_written = true;
            match statement {
                Statement::New { class, .. } => found.classes.push((*class, true)),
                Statement::Copy { from: Operand::Variable(from), .. } => open.push(*from),
                Statement::Copy { from: Operand::Constant(constant), .. }
                    if program.constants()[*constant] == Constant::Null =>
                {
                    let null = program.find_name("java.lang.NullPointerException");
                    found.classes.extend(null.map(|it| (it, true)));
                }
                Statement::Cast { ty, .. } => found.typed(program, *ty),
                Statement::Load { field, .. } => found.typed(program, program.fields()[*field].ty),
                Statement::Call { call, .. } => {
                    found.typed(program, program.selectors()[call.selector].result);
                }
                _ => found.typed(program, body.variables[variable].ty),
            }
        }
        if caught {
            found.caught.push(variable);
        }
        if !is_written {
            found.typed(program, body.variables[variable].ty);
        }
    }
    found
}

impl Described {
    /// Any object of a type, or none.
    fn typed(&mut self, program: &Program, ty: TypeId) {
        self.may_be_null = true;
        match program.types()[ty] {
            Type::Reference(name) => self.classes.push((name, false)),
            _ => {
                let any = program.find_name("java.lang.Throwable");
                self.classes.extend(any.map(|it| (it, false)));
            }
        }
    }
}

/// How a statement may fail by itself. That memory runs out is left aside.
pub(in crate::control) fn failures(
    program: &Program,
    statement: &Statement,
) -> Option<&'static [&'static str]> {
    const NULL: &str = self::NULL[0];
    let may_be_null = |operand: &Operand| match operand {
        Operand::Variable(_) => true,
        Operand::Constant(it) => matches!(program.constants()[*it], Constant::Null | Constant::Any),
    };
    match statement {
        Statement::Load { object: Some(it), .. } | Statement::Store { object: Some(it), .. }
            if may_be_null(it) =>
        {
            Some(&[NULL])
        }
        Statement::Length { .. } | Statement::Monitor { enter: true, .. } => Some(&[NULL]),
        Statement::Monitor { enter: false, .. } => {
            Some(&[NULL, "java.lang.IllegalMonitorStateException"])
        }
        Statement::LoadElement { .. } => Some(&[NULL, "java.lang.ArrayIndexOutOfBoundsException"]),
        Statement::StoreElement { .. } => Some(&[
            NULL,
            "java.lang.ArrayIndexOutOfBoundsException",
            "java.lang.ArrayStoreException",
        ]),
        Statement::Cast { .. } => Some(&["java.lang.ClassCastException"]),
        Statement::NewArray { .. } => Some(&["java.lang.NegativeArraySizeException"]),
        Statement::Binary { operator: Operator::Divide | Operator::Remainder, .. } => {
            Some(&["java.lang.ArithmeticException"])
        }
        // Old compilers call private methods exactly, of any object. New objects are none of those.
        Statement::Call { call, .. } => match call.dispatch {
            Dispatch::Virtual => Some(&[NULL]),
            Dispatch::Exact if !constructs(program, call.selector) => Some(&[NULL]),
            Dispatch::Exact | Dispatch::Static => None,
        },
        _ => None,
    }
}

/// Whether a selector is that of constructors.
fn constructs(program: &Program, selector: SelectorId) -> bool {
    program.text(program.selectors()[selector].name) == "<init>"
}
