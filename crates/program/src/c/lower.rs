//! From the syntax tree to the flow graph.
//!
//! Every assignment, evaluated condition, assumption, assertion, call and return is one step.
//! Calls are inlined, each with variables of its own, except those of functions that call
//! themselves (`recursion`). Conditions are one step with an edge for each case, unless a part has
//! effects: then `&&`, `||` and `!` become control flow, and each effect is a step. Effects inside
//! expressions happen from left to right, before the rest is evaluated.

use super::Fault;
use super::cases::{Cases, TOO_LARGE};
use super::elements::Followed;
use super::graph::{Birth, Graph};
use super::inline::Frame;
use super::recursion::{Procedure, recursive};
use super::syntax::{Arithmetic, Declared, Expr, Kind, Size, Stmt, StmtKind, Type, Unit, Widths};
use super::typing::{Typing, range};
use std::collections::{HashMap, HashSet};
use tern_ir::calls::Calls;
use tern_ir::flow::{Auxiliary, Edge, Flow, PointId, Row};
use tern_model::{Budget, Span};
use tern_numeric::recursion::without_recursion;

/// What a text leaves open about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is true of all initial states.
    pub given: Vec<Expr>,
    /// Whether global variables without a value may have any.
    pub any_globals: bool,
    /// Whether runs through false assertions do not exist, rather than fail.
    pub assume_assertions: bool,
    /// How many bits integers have; `None` if they are mathematical.
    pub widths: Option<Widths>,
}

/// A flow graph, and the lines of its points.
pub(super) struct Lowering<'a> {
    pub(super) unit: &'a Unit,
    pub(super) settings: &'a Settings,
    pub(super) lines: &'a dyn Fn(Span) -> u32,
    pub(super) graph: Graph,
    /// The names of the variables; with a blank where claims cannot name them.
    pub(super) variables: Vec<String>,
    /// Their types.
    pub(super) types: Vec<Type>,
    /// What names mean, innermost last; the first are the globals.
    pub(super) scopes: Vec<HashMap<String, usize>>,
    /// The calls that are open, innermost last; the first is `main`.
    pub(super) frames: Vec<Frame>,
    pub(super) failed: PointId,
    pub(super) error: PointId,
    pub(super) exit: PointId,
    /// Which elements of arrays have variables.
    pub(super) followed: Followed,
    /// The functions that call themselves, perhaps by way of others.
    pub(super) recursive: HashSet<&'a str>,
    /// Those of them that are called.
    pub(super) procedures: Vec<Procedure<'a>>,
    /// Where they are called.
    pub(super) sites: Vec<(PointId, usize)>,
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// The most variables and points: beyond, the analysis has no chance.
const MOST_VARIABLES: usize = 400;

/// Makes a flow graph of a program. Functions that call themselves are replaced by what is found
/// out about them.
///
/// # Errors
/// What the analysis cannot treat.
pub fn lower(
    unit: &Unit,
    settings: &Settings,
    text: &str,
) -> std::result::Result<Flow, Vec<Fault>> {
    lower_within(unit, settings, text, &Budget::unlimited().with_effort(400_000))
}

/// As [`lower`], with a bound on the effort for functions that call themselves.
///
/// # Errors
/// What the analysis cannot treat.
pub fn lower_within(
    unit: &Unit,
    settings: &Settings,
    text: &str,
    budget: &Budget,
) -> std::result::Result<Flow, Vec<Fault>> {
    let (flow, calls) = with_calls(unit, settings, text)?;
    Ok(match calls.procedures.is_empty() {
        true => flow,
        false => without_recursion(&flow, &calls, budget),
    })
}

/// Makes a flow graph in which functions that call themselves have points of their own.
///
/// # Errors
/// What the analysis cannot treat.
pub fn with_calls(
    unit: &Unit,
    settings: &Settings,
    text: &str,
) -> std::result::Result<(Flow, Calls), Vec<Fault>> {
    let mut faults = twins(unit);
    faults.extend(other_sizes(unit, settings));
    if !faults.is_empty() {
        return Err(faults);
    }
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
        .collect();
    let lines = |span: Span| starts.partition_point(|&at| at <= span.start as usize) as u32;
    let mut graph = Graph::default();
    let [failed, error, exit] = ["failed", "error", "exit"].map(|label| {
        let point = graph.point(0);
        graph.point_mut(point).labels.push(label.to_owned());
        graph.step(Edge::plain(point, point));
        point
    });
    let lowering = Lowering {
        unit,
        settings,
        lines: &lines,
        graph,
        variables: Vec::new(),
        types: Vec::new(),
        scopes: vec![HashMap::new()],
        frames: Vec::new(),
        failed,
        error,
        exit,
        followed: Followed::new(unit, &settings.given),
        recursive: recursive(unit),
        procedures: Vec::new(),
        sites: Vec::new(),
    };
    lowering.run().map_err(|fault| vec![fault])
}

/// What is wrong if types of which the size is taken have another with the bits that are set.
fn other_sizes(unit: &Unit, settings: &Settings) -> Vec<Fault> {
    let usual = Widths::of_int(32);
    let widths = settings.widths.unwrap_or(usual);
    let is_other = |it: &&(Size, Span)| widths.bytes(it.0) != usual.bytes(it.0);
    let fault = |&(size, span): &(Size, Span)| {
        let message = format!(
            "with these bits the type has {} bytes, and `sizeof` is read as {}",
            widths.bytes(size),
            usual.bytes(size)
        );
        Fault::new("C104", span, message, "write the number of bytes instead")
    };
    unit.sizes.iter().filter(is_other).map(fault).collect()
}

/// Functions and parameters whose names stand for something else as well.
fn twins(unit: &Unit) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut twin = |span: Span, message: String| {
        found.push(Fault::new("C102", span, message, "give one another name"));
    };
    for (number, function) in unit.functions.iter().enumerate() {
        let name = &function.name;
        if unit.functions[..number].iter().any(|other| other.name == *name) {
            twin(function.span, format!("the function `{name}` is defined twice"));
        }
        if unit.globals.iter().any(|global| global.name == *name) {
            twin(function.span, format!("`{name}` is a variable and a function"));
        }
        for (at, parameter) in function.parameters.iter().enumerate() {
            let is_same = |other: &Declared| other.name == parameter.name;
            if !parameter.name.is_empty() && function.parameters[..at].iter().any(is_same) {
                twin(parameter.span, format!("`{}` is declared twice", parameter.name));
            }
        }
    }
    found
}

impl Lowering<'_> {
    fn run(mut self) -> Result<(Flow, Calls)> {
        let span = Span::new(0..0);
        let Some(main) = self.unit.function("main") else {
            let message = "there is no function `main`";
            return Err(Fault::new("C105", span, message, "the program begins there"));
        };
        let first = self.graph.point((self.lines)(main.span));
        let mut starts = vec![Edge::plain(first, first)];
        let named: HashSet<String> = self.settings.given.iter().flat_map(names).collect();
        for global in &self.unit.globals {
            if self.is_left_out(global)? {
                continue;
            }
            let variable = self.declare(global, true)?;
            let is_free = self.settings.any_globals || named.contains(&global.name);
            match &global.value {
                None if is_free => starts = self.born(&starts, self.birth(variable, global))?,
                None => {
                    let zero = Expr { kind: Kind::Number(0), span: global.span };
                    starts = self.initialised(&starts, variable, &zero)?;
                }
                Some(value) => starts = self.initialised(&starts, variable, value)?,
            }
        }
        self.scopes.push(HashMap::new());
        for parameter in &main.parameters {
            let variable = self.declare(parameter, true)?;
            starts = self.born(&starts, self.birth(variable, parameter))?;
        }
        let exit = self.exit;
        self.frames.push(Frame::new(exit, None, main.returns));
        let (mut head, mut rest): (usize, &[Declared]) = (0, &[]);
        'head: for statement in &main.body {
            let StmtKind::Declare(declared) = &statement.kind else { break };
            head += 1;
            for (number, one) in declared.iter().enumerate() {
                if one.value.as_ref().is_some_and(has_effects) {
                    rest = &declared[number..];
                    break 'head;
                }
                if self.is_left_out(one)? {
                    continue;
                }
                let variable = self.declare(one, true)?;
                starts = match &one.value {
                    None => self.born(&starts, self.birth(variable, one))?,
                    Some(value) => self.initialised(&starts, variable, value)?,
                };
            }
        }
        for (number, given) in self.settings.given.iter().enumerate() {
            let placed = |fault: Fault| Fault { given: Some(number), ..fault };
            starts = self.assumed(&starts, given).map_err(placed)?;
        }
        let begin = rest.iter().try_fold(first, |at, one| {
            self.graph.point_mut(at).line = (self.lines)(one.span);
            self.declaration(one, at)
        })?;
        let end = self.statements(&main.body[head..], begin)?;
        self.graph.go(end, exit);
        self.close(main.span)?;
        self.lower_procedures()?;
        self.finish(&starts).ok_or_else(|| {
            let message = "the numbers in this program become too large";
            Fault::new("C104", span, message, "use smaller constants")
        })
    }

    /// A variable of its own for a declaration, in the innermost scope.
    pub(super) fn declare(&mut self, declared: &Declared, is_visible: bool) -> Result<usize> {
        let scope = self.scopes.last_mut().filter(|scope| !scope.contains_key(&declared.name));
        let Some(scope) = scope else {
            let message = format!("`{}` is declared twice", declared.name);
            return Err(Fault::new("C102", declared.span, message, "give one another name"));
        };
        let variable = self.variables.len();
        scope.insert(declared.name.clone(), variable);
        let is_taken = self.variables.contains(&declared.name);
        self.variables.push(match is_visible && !is_taken {
            true => declared.name.clone(),
            false => format!("{} {variable}", declared.name),
        });
        self.types.push(declared.ty);
        match variable < MOST_VARIABLES {
            true => Ok(variable),
            false => Err(Fault::new(
                "C104",
                declared.span,
                "there are too many variables, calls included",
                "leave out what the claim does not need",
            )),
        }
    }

    /// A variable that no name means.
    pub(super) fn temporary(&mut self, ty: Type) -> usize {
        let variable = self.variables.len();
        self.variables.push(format!(" {variable}"));
        self.types.push(ty);
        variable
    }

    /// The cases of expressions by what names mean here.
    pub(super) fn with_cases<T>(
        &self,
        work: impl FnOnce(&mut Cases<'_>) -> T,
    ) -> (T, Vec<Auxiliary>) {
        let resolve = |name: &str| self.variable(name);
        let variable = |name: &str| Some(self.types[self.variable(name)?]);
        let function = |name: &str| self.unit.returns(name);
        let widths = self.settings.widths;
        let (variable, function) = (&variable, &function);
        let typing = widths.map(|widths| Typing { widths, variable, function });
        let mut cases = Cases { resolve: &resolve, auxiliaries: Vec::new(), widths, typing };
        let result = work(&mut cases);
        (result, cases.auxiliaries)
    }

    /// The type of an expression; of no meaning if integers are mathematical.
    pub(super) fn type_of(&self, expr: &Expr) -> Type {
        let typed = |cases: &mut Cases<'_>| cases.typing.map(|typing| typing.of(expr));
        self.with_cases(typed).0.unwrap_or(Type::INT)
    }

    /// That a variable comes into being, with any number of its type.
    pub(super) fn birth(&self, variable: usize, declared: &Declared) -> Birth {
        let wrapped = self.settings.widths.map(|widths| range(widths, declared.ty));
        let bounds = wrapped.map(|(low, high)| (Some(low), Some(high)));
        Birth { variable, range: bounds.unwrap_or(declared.ty.unbounded()) }
    }

    /// The variable that a name means; temporaries are a blank and their number.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        match name.strip_prefix(' ') {
            Some(number) => number.parse().ok(),
            None => {
                let inner = self.scopes.iter().skip(1).rev();
                let mut scopes = inner.chain(self.scopes.first());
                scopes.find_map(|scope| scope.get(name)).copied()
            }
        }
    }

    fn born(&self, starts: &[Edge], birth: Birth) -> Result<Vec<Edge>> {
        let (case, auxiliaries) = self.with_cases(|cases| cases.any(birth.range));
        let mut edge = Edge::plain(self.exit, self.exit);
        edge.auxiliaries = auxiliaries;
        edge.guard = case.guard;
        edge.update.extend(case.outcome.map(|value| (birth.variable, value)));
        then(starts, &[edge])
    }

    fn initialised(&self, starts: &[Edge], variable: usize, value: &Expr) -> Result<Vec<Edge>> {
        refuse_effects(value)?;
        let to_error = self.error;
        let edges = self.assignment_edges(self.exit, to_error, variable, value)?;
        if edges.iter().any(|edge| edge.to == to_error && edge.from != to_error) {
            return Err(may_fail_at_first(value));
        }
        then(starts, &edges)
    }

    /// Whether what is declared before the program begins is no variable of the flow graph.
    fn is_left_out(&self, declared: &Declared) -> Result<bool> {
        if self.followed.has(&declared.name) {
            return Ok(false);
        }
        if let Some(value) = &declared.value {
            refuse_effects(value)?;
            if may_fail(value) {
                return Err(may_fail_at_first(value));
            }
        }
        Ok(true)
    }

    fn assumed(&self, starts: &[Edge], given: &Expr) -> Result<Vec<Edge>> {
        let (tests, auxiliaries) = self.with_cases(|cases| {
            // What is said about a program is about mathematical numbers.
            cases.typing = None;
            cases.tests(given)
        });
        let edges = tests?.into_iter().filter(|test| test.outcome == Some(true)).map(|test| Edge {
            auxiliaries: auxiliaries.clone(),
            facts: test.facts,
            guard: test.guard,
            ..Edge::plain(self.exit, self.exit)
        });
        then(starts, &edges.collect::<Vec<_>>())
    }

    /// The edges of `variable = value` from a point to itself; errors lead to `error`.
    pub(super) fn assignment_edges(
        &self,
        at: PointId,
        error: PointId,
        variable: usize,
        value: &Expr,
    ) -> Result<Vec<Edge>> {
        let ty = self.types[variable];
        let (values, auxiliaries) = self.values_or_some(value, ty)?;
        let edges = values.into_iter().map(|case| {
            let to = if case.outcome.is_some() { at } else { error };
            Edge {
                auxiliaries: auxiliaries.clone(),
                facts: case.facts,
                guard: case.guard,
                update: case.outcome.map(|value| (variable, value)).into_iter().collect(),
                ..Edge::plain(at, to)
            }
        });
        Ok(edges.filter(possible).collect())
    }

    /// Adds the steps of `variable = value`.
    pub(super) fn assign(&mut self, at: PointId, variable: usize, value: &Expr) -> Result<PointId> {
        let next = self.graph.point((self.lines)(value.span));
        for mut edge in self.assignment_edges(at, self.error, variable, value)? {
            if edge.to == at {
                edge.to = next;
            }
            self.graph.step(edge);
        }
        Ok(next)
    }

    /// Adds the steps of a value that is stored in something that is not followed.
    pub(super) fn assign_nothing(&mut self, at: PointId, value: &Expr) -> Result<PointId> {
        let next = self.graph.point((self.lines)(value.span));
        let (cases, auxiliaries) = self.values_or_some(value, self.type_of(value))?;
        for case in cases {
            let to = if case.outcome.is_some() { next } else { self.error };
            let (facts, guard, auxiliaries) = (case.facts, case.guard, auxiliaries.clone());
            self.graph.step(Edge { auxiliaries, facts, guard, ..Edge::plain(at, to) });
        }
        Ok(next)
    }

    /// Adds the steps of a condition without effects.
    pub(super) fn test(
        &mut self,
        at: PointId,
        condition: &Expr,
        yes: PointId,
        no: Option<PointId>,
    ) -> Result<()> {
        let (tests, auxiliaries) = self.tests_or_some(condition)?;
        for test in tests {
            let to = match test.outcome {
                Some(true) => Some(yes),
                Some(false) => no,
                None => Some(self.error),
            };
            match to {
                None => self.graph.point_mut(at).total = false,
                Some(to) => self.graph.step(Edge {
                    auxiliaries: auxiliaries.clone(),
                    facts: test.facts,
                    guard: test.guard,
                    ..Edge::plain(at, to)
                }),
            }
        }
        Ok(())
    }

    pub(super) fn statements(&mut self, body: &[Stmt], at: PointId) -> Result<PointId> {
        body.iter().try_fold(at, |at, statement| self.statement(statement, at))
    }
}

fn refuse_effects(value: &Expr) -> Result<()> {
    let message = "a global variable must begin with a constant";
    let fault = || Fault::new("C103", value.span, message, "assign it in `main`");
    if has_effects(value) { Err(fault()) } else { Ok(()) }
}

fn may_fail_at_first(value: &Expr) -> Fault {
    let message = "this may divide by zero before the program begins";
    Fault::new("C104", value.span, message, "assign it in a statement")
}

/// Whether a step is possible, as far as that can be seen at once.
pub(super) fn possible(edge: &Edge) -> bool {
    edge.guard.iter().all(|row: &Row| row.truth() != Some(false))
}

/// All of these edges, each followed by each of those.
pub(super) fn then(first: &[Edge], second: &[Edge]) -> Result<Vec<Edge>> {
    let mut edges = Vec::new();
    for left in first {
        for right in second {
            let Some(mut edge) = left.then_surely(right) else {
                let span = Span::new(0..0);
                return Err(Fault::new("C104", span, TOO_LARGE, "use smaller constants"));
            };
            (edge.from, edge.to) = (left.from, left.to);
            if possible(&edge) {
                edges.push(edge);
            }
        }
    }
    Ok(edges)
}

/// The direct parts of an expression.
pub(super) fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        Kind::Number(_)
        | Kind::Literal(..)
        | Kind::Name(_)
        | Kind::Any(..)
        | Kind::Increment(..) => Vec::new(),
        Kind::Negate(of)
        | Kind::Complement(of)
        | Kind::Cast(_, of)
        | Kind::Not(of)
        | Kind::Assign(_, _, of)
        | Kind::Index(_, _, of) => {
            vec![of]
        }
        Kind::Store(_, _, a, _, b) => vec![a, b],
        Kind::Binary(_, a, b)
        | Kind::Compare(_, a, b)
        | Kind::And(a, b)
        | Kind::Or(a, b)
        | Kind::Comma(a, b) => vec![a, b],
        Kind::Choose(a, b, c) => vec![a, b, c],
        Kind::Call(_, arguments) => arguments.iter().collect(),
    }
}

/// Makes calls choices of any number, as all functions are where none is defined.
pub(super) fn replace_calls(expr: &mut Expr) {
    if matches!(expr.kind, Kind::Call(..)) {
        expr.kind = Kind::Any(None, None, Type::INT);
    }
    match &mut expr.kind {
        Kind::Negate(of) | Kind::Not(of) => replace_calls(of),
        Kind::Binary(_, a, b) | Kind::Compare(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            replace_calls(a);
            replace_calls(b);
        }
        _ => {}
    }
}

/// Whether an expression does more than give a value.
pub(super) fn has_effects(expr: &Expr) -> bool {
    let is_effect = matches!(
        expr.kind,
        Kind::Assign(..) | Kind::Store(..) | Kind::Increment(..) | Kind::Call(..) | Kind::Comma(..)
    );
    is_effect || parts(expr).into_iter().any(has_effects)
}

/// Whether the value of an expression may be an error: it divides, shifts, or takes an element.
pub(super) fn may_fail(expr: &Expr) -> bool {
    let is_partial = match &expr.kind {
        Kind::Index(..) => true,
        Kind::Binary(operator, ..) => {
            operator.is_shift() || matches!(operator, Arithmetic::Divide | Arithmetic::Remainder)
        }
        _ => false,
    };
    is_partial || parts(expr).into_iter().any(may_fail)
}

/// The variables that an expression reads.
pub(super) fn names(expr: &Expr) -> Vec<String> {
    let mut found: Vec<String> = parts(expr).into_iter().flat_map(names).collect();
    if let Kind::Name(name) = &expr.kind {
        found.push(name.clone());
    }
    found
}
