//! What formulas may say of a program beside its labels: any condition over the variables, and
//! `at(l)` for control points by any of their names.

use super::compile::{Act, Compiled};
use super::dress::{CONFLICT, DEADLOCK, ERROR, TERMINATED};
use super::explore::Explored;
use super::expr::{Code, Term, Type};
use super::formula;
use super::labelling::Labelling;
use super::lexer::Kind;
use super::procedures::Frames;
use super::program::{PointId, ProcId, Program, VarId};
use super::reading::{Cursor, Named, Names, expression, said};
use crate::collector::Collector;
use crate::vocabulary::{NotUnderstood, Vocabulary};
use crate::words::{Nearest, did_you_mean};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Budget, Id, NodeId, Span};

/// The states behind the nodes of a machine.
#[derive(Debug)]
pub(super) enum Space {
    /// Node `i` is state `i`.
    Flat(Explored),
    /// Components have their own.
    Frames(Vec<Frames>),
}

/// What is known of a program when formulas about it are read.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) program: Program,
    pub(super) compiled: Compiled,
    pub(super) labelling: Labelling,
    pub(super) names: Names,
    pub(super) space: Space,
}

/// What a proposition says.
enum Meaning {
    /// A condition, and the procedure whose variables it speaks of.
    Condition(Code, Option<ProcId>),
    At(PointId),
    /// A label that no node has.
    Never,
}

fn wrong(message: impl Into<String>, hint: Option<String>) -> NotUnderstood {
    NotUnderstood::Proposition { message: message.into(), hint }
}

impl Words {
    fn meaning(&self, text: &str) -> Result<Meaning, NotUnderstood> {
        let text = text.trim();
        if [TERMINATED, ERROR, DEADLOCK, CONFLICT].contains(&text) {
            return Ok(Meaning::Never);
        }
        let inner = text.strip_prefix("at").map(str::trim_start);
        let inner = inner.and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
        if let Some(name) = inner {
            return self.point(name.trim()).map(Meaning::At);
        }
        self.condition(text)
    }

    fn point(&self, name: &str) -> Result<PointId, NotUnderstood> {
        if let Some(&point) = self.labelling.by_name.get(name) {
            return Ok(point);
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

    /// Whether a proposition holds in a state of a procedure, or of the program.
    fn holds(
        &self,
        meaning: &Meaning,
        home: Option<ProcId>,
        values: &[i64],
        stack: &mut Vec<i64>,
    ) -> bool {
        match meaning {
            Meaning::Never => false,
            Meaning::Condition(code, of) => {
                (of.is_none() || *of == home) && code.eval(values, stack).is_ok_and(|it| it != 0)
            }
            Meaning::At(point) => {
                let process = self.program.points[*point].process;
                let routine = &self.compiled.routines[process];
                let site = routine.site(values[routine.counter]);
                let waits = |act: &Act| matches!(act, Act::Join { .. });
                site.is_some_and(|site| site.point == *point && !waits(&site.act))
            }
        }
    }
}

impl Vocabulary for Words {
    fn formulas(&self) -> Result<String, String> {
        formula::formulas(&self.program, &self.compiled, &self.labelling)
    }

    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let meaning = self.meaning(text)?;
        let mut meter = Meter::new(budget);
        let (mut found, mut values, mut stack) = (Vec::new(), Vec::new(), Vec::new());
        match &self.space {
            Space::Flat(Explored { layout, states }) => {
                for number in 0..states.len() {
                    meter.tick()?;
                    layout.unpack(states.of(number), &mut values);
                    if self.holds(&meaning, None, &values, &mut stack) {
                        found.push(NodeId::new(number));
                    }
                }
            }
            Space::Frames(frames) => {
                for Frames { home, layout, states, nodes, .. } in frames {
                    for (number, &node) in nodes.iter().enumerate() {
                        meter.tick()?;
                        layout.unpack(states.of(number), &mut values);
                        if self.holds(&meaning, *home, &values, &mut stack) {
                            found.push(node);
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn values(&self, node: NodeId) -> Vec<(String, String)> {
        let mut values = Vec::new();
        let home = match &self.space {
            Space::Flat(Explored { layout, states }) => {
                layout.unpack(states.of(node.index()), &mut values);
                None
            }
            Space::Frames(frames) => {
                let own = frames
                    .iter()
                    .find_map(|it| it.nodes.binary_search(&node).ok().map(|number| (it, number)));
                let Some((own, number)) = own else { return Vec::new() };
                own.layout.unpack(own.states.of(number), &mut values);
                own.home
            }
        };
        let shown = self.program.variables.iter();
        let shown = shown.filter(|(_, it)| it.home.is_none() || it.home == home);
        shown
            .map(|(id, it)| (self.program.variable_name(id), it.range.show(values[id.index()])))
            .collect()
    }
}
