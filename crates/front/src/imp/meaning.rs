//! What propositions mean: conditions over the variables, `at(l)` for control points by any of
//! their names, and what is special about a state.

use super::compile::{Act, Compiled};
use super::dress::{self, CONFLICT, DEADLOCK, ERROR, TERMINATED, idles};
use super::expr::{Code, Term, Type};
use super::lexer::Kind;
use super::prepared::Prepared;
use super::program::{PointId, ProcId, ProcessId, VarId};
use super::reading::{Cursor, Named, Names, expression, said};
use crate::collector::Collector;
use crate::vocabulary::NotUnderstood;
use crate::words::{Nearest, did_you_mean};
use rustc_hash::FxHashMap;
use tern_model::{Id, Span};

/// What is special about a state of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Special {
    #[default]
    Nothing,
    /// A value was out of range.
    Error,
    /// The program is at its end.
    Terminated,
    /// Processes contradict each other.
    Conflict,
    /// No process can do more than wait.
    Deadlock,
}

impl Special {
    /// The label that says so.
    pub(super) fn label(self) -> Option<&'static str> {
        match self {
            Special::Nothing => None,
            Special::Error => Some(ERROR),
            Special::Terminated => Some(TERMINATED),
            Special::Conflict => Some(CONFLICT),
            Special::Deadlock => Some(DEADLOCK),
        }
    }
}

/// What a proposition says.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A condition, and the procedure whose variables it speaks of.
    Condition(Code, Option<ProcId>),
    /// A process is at a control point, perhaps at one step of its statement.
    At(PointId, Option<u32>),
    /// The state is special in this way.
    Special(Special),
    /// A process moved last, or need not.
    Scheduled(ProcessId),
}

impl Meaning {
    /// Whether it is true in a state of the program or of a procedure, about which something may be
    /// special.
    pub(super) fn holds(
        &self,
        prepared: &Prepared,
        home: Option<ProcId>,
        values: &[i64],
        special: Special,
        stack: &mut Vec<i64>,
    ) -> bool {
        match self {
            Meaning::Special(own) => *own == special,
            Meaning::Condition(code, of) => {
                (of.is_none() || *of == home) && code.eval(values, stack).is_ok_and(|it| it != 0)
            }
            Meaning::At(point, step) => {
                let process = prepared.program.points[*point].process;
                let routine = &prepared.compiled.routines[process];
                is_at(&prepared.compiled, process, values[routine.counter], *point, *step)
            }
            Meaning::Scheduled(process) => {
                let Some(mover) = prepared.compiled.mover else { return false };
                values[mover] == process.index() as i64
                    || idles(&prepared.compiled, *process, values)
            }
        }
    }
}

/// Whether a process whose program counter is this is at a point, or at a step of it.
pub(super) fn is_at(
    compiled: &Compiled,
    process: ProcessId,
    counter: i64,
    point: PointId,
    step: Option<u32>,
) -> bool {
    let site = compiled.routines[process].site(counter);
    site.is_some_and(|site| {
        site.point == point
            && !matches!(site.act, Act::Join { .. })
            && step.is_none_or(|step| site.step == step)
    })
}

fn wrong(message: impl Into<String>, hint: Option<String>) -> NotUnderstood {
    NotUnderstood::Proposition { message: message.into(), hint }
}

impl Prepared {
    /// What a proposition says.
    pub(super) fn meaning(&self, text: &str) -> Result<Meaning, NotUnderstood> {
        let text = text.trim();
        let all = [Special::Terminated, Special::Error, Special::Deadlock, Special::Conflict];
        if let Some(special) = all.into_iter().find(|it| it.label() == Some(text)) {
            return Ok(Meaning::Special(special));
        }
        let inner = text.strip_prefix("at").map(str::trim_start);
        let inner = inner.and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
        if let Some(name) = inner {
            return self.point(name.trim());
        }
        let named = |id: &ProcessId| dress::scheduled(&self.labelling, *id) == text;
        if self.compiled.mover.is_some()
            && text.starts_with("scheduled")
            && let Some(process) = self.program.processes.ids().find(named)
        {
            return Ok(Meaning::Scheduled(process));
        }
        self.condition(text)
    }

    fn point(&self, name: &str) -> Result<Meaning, NotUnderstood> {
        let by_name = &self.labelling.by_name;
        if let Some(&point) = by_name.get(name) {
            return Ok(Meaning::At(point, None));
        }
        if let Some((point, step)) = name.rsplit_once('.')
            && let (Some(&point), Ok(step)) = (by_name.get(point), step.parse::<u32>())
        {
            let routine = &self.compiled.routines[self.program.points[point].process];
            let mut sites = routine.sites.iter().filter(|site| site.point == point);
            if sites.any(|site| site.step == step && site.steps > 1) {
                return Ok(Meaning::At(point, Some(step)));
            }
        }
        let known = self.labelling.points.iter().map(|(_, name)| name.as_str());
        let near = did_you_mean(Nearest::new().among(name, known));
        let hint =
            near.or_else(|| Some("`tern info --formula` shows all control points".to_owned()));
        Err(wrong(format!("there is no control point `{name}`"), hint))
    }

    /// The names that a condition may use: those of the program, and `p.x` for procedures.
    fn condition(&self, text: &str) -> Result<Meaning, NotUnderstood> {
        let (plain, names) = self.plain(text);
        let mut problems = Collector::default();
        let mut cursor = Cursor::new(&plain, 0, &mut problems);
        let read = expression(&mut cursor, &names);
        let rest = cursor.current.kind != Kind::End;
        let first = problems.finish("G099").err().and_then(|list| list.into_iter().next());
        if let Some(problem) = first {
            return Err(wrong(problem.message, problem.hint));
        }
        let Ok(expr) = read else { return Err(wrong("this is no condition", None)) };
        if rest {
            return Err(wrong(format!("`{text}` is no condition over the variables"), None));
        }
        if expr.kind != Type::Truth {
            let hint = Some("compare it with another value, as in `x = 1`".to_owned());
            return Err(wrong(format!("`{text}` is {}", said(expr.kind)), hint));
        }
        let mut home = None;
        for term in &expr.terms {
            let Term::Variable(variable) = *term else { continue };
            let own = self.program.variables[variable].home;
            if own.is_some() && home.is_some() && own != home {
                return Err(wrong("variables of two procedures are never there at once", None));
            }
            home = home.or(own);
        }
        Ok(Meaning::Condition(expr.code(|it: VarId| it.index() as u32), home))
    }

    /// The text with `p.x` as one word, and what its words mean.
    fn plain(&self, text: &str) -> (String, Names) {
        let (global, order) = (self.names.global.clone(), self.names.order.clone());
        let mut names = Names { global, order, ..Names::default() };
        let mut full: FxHashMap<String, String> = FxHashMap::default();
        for (id, variable) in self.program.variables.iter() {
            if variable.home.is_some() {
                let (name, word) =
                    (self.program.variable_name(id), format!("local__{}", id.index()));
                let named = Named::Variable(id, variable.range);
                names.global.insert(word.clone(), (named, Span::new(0..0)));
                full.insert(name, word);
            }
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            plain.push_str(full.get(word).map_or(word, String::as_str));
            let gap = rest[length..].find(is_part).unwrap_or(rest.len() - length);
            plain.push_str(&rest[length..length + gap]);
            rest = &rest[length + gap..];
        }
        (plain, names)
    }
}
