//! Functions that call themselves: which they are, and their points in the flow graph.
//!
//! Such a function is lowered once. Calls set variables for its arguments, and lead to a *site*;
//! [`tern_ir::calls`] says what that means. Everything else is inlined, also into these functions.

use super::graph::Finished;
use super::inline::Frame;
use super::lower::{Lowering, Result, parts};
use super::syntax::{Declared, Expr, Function, Kind, Stmt, StmtKind, Type, Unit};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tern_ir::calls::{self, Calls};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId};
use tern_model::Span;

/// A function that is not inlined, with its variables and points.
pub(super) struct Procedure<'a> {
    function: &'a Function,
    pub(super) arguments: Vec<usize>,
    result: usize,
    /// Its parameters, once its body was lowered.
    parameters: Vec<usize>,
    first: PointId,
    exit: PointId,
}

/// The functions that call themselves, perhaps by way of others, and those that are too large to
/// be inlined.
pub(super) fn recursive(unit: &Unit) -> HashSet<&str> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for function in &unit.functions {
        reached.insert(&function.name, outlined(&function.body).callees.into_iter().collect());
    }
    // Everything that is called, directly or not.
    loop {
        let mut grew = false;
        for function in &unit.functions {
            let own = reached[function.name.as_str()].clone();
            let more: BTreeSet<&str> =
                own.iter().filter_map(|callee| reached.get(callee)).flatten().copied().collect();
            let all = reached.entry(&function.name).or_default();
            let before = all.len();
            all.extend(more);
            grew |= all.len() > before;
        }
        if !grew {
            break;
        }
    }
    let recursive: HashSet<&str> =
        reached.iter().filter(|(name, all)| all.contains(*name)).map(|(&name, _)| name).collect();
    with_large(unit, &reached, recursive)
}

/// Adds functions that would be inlined at several places, if that made the program too large:
/// they are treated as if they called themselves.
fn with_large<'a>(
    unit: &'a Unit,
    reached: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    mut chosen: HashSet<&'a str>,
) -> HashSet<&'a str> {
    const MOST_OF_ALL: usize = 1500;
    const MOST_OF_ONE: [usize; 4] = [usize::MAX, 100, 20, 0];
    // What a variable costs beside a statement, each place having variables of its own: more if
    // there are loops that it may change in.
    const VARIABLE: [usize; 2] = [4, 6];
    // Those that call nobody first.
    let mut functions: Vec<&Function> =
        unit.functions.iter().filter(|it| !chosen.contains(it.name.as_str())).collect();
    functions.sort_by_key(|it| reached[it.name.as_str()].len());
    let mut times: HashMap<&str, usize> = HashMap::new();
    for callee in unit.functions.iter().flat_map(|it| outlined(&it.body).callees) {
        *times.entry(callee).or_default() += 1;
    }
    let looping: HashSet<&str> =
        unit.functions.iter().filter(|it| outlined(&it.body).loops).map(|it| &*it.name).collect();
    for most in MOST_OF_ONE {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for function in &functions {
            let Outlined { callees, statements, variables, .. } = outlined(&function.body);
            let variables = 1 + function.parameters.len() + variables;
            let loops = |name: &str| looping.contains(name);
            let has_loops =
                loops(&function.name) || reached[function.name.as_str()].iter().any(|it| loops(it));
            let own = match function.name.as_str() {
                "main" => statements,
                _ => statements.max(VARIABLE[usize::from(has_loops)] * variables),
            };
            let of = |callee: &str| sizes.get(callee).copied().unwrap_or(1);
            let size = callees.into_iter().fold(own, |sum, callee| sum.saturating_add(of(callee)));
            let name = function.name.as_str();
            if size > most && name != "main" && times.get(name).is_some_and(|&it| it > 1) {
                chosen.insert(name);
            } else {
                sizes.insert(name, size);
            }
        }
        if sizes.get("main").is_none_or(|&size| size <= MOST_OF_ALL) {
            break;
        }
    }
    chosen
}

/// What statements consist of.
pub(super) struct Outlined<'a> {
    /// The functions that they call, each as often as it is called.
    pub(super) callees: Vec<&'a str>,
    /// How many there are.
    statements: usize,
    /// How many variables they declare.
    variables: usize,
    /// Whether there is a loop, or a jump.
    loops: bool,
}

/// What statements consist of, those inside of others included.
pub(super) fn outlined(body: &[Stmt]) -> Outlined<'_> {
    let (statements, exprs) = within(body);
    let loops = |it: &&Stmt| {
        matches!(
            it.kind,
            StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..) | StmtKind::Goto(..)
        )
    };
    let declares = |it: &&Stmt| match &it.kind {
        StmtKind::Declare(declared) => declared.len(),
        _ => 0,
    };
    Outlined {
        statements: statements.len(),
        variables: statements.iter().map(declares).sum(),
        loops: statements.iter().any(loops),
        callees: exprs.into_iter().filter_map(callee).collect(),
    }
}

fn callee(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        Kind::Call(name, _) => Some(name),
        _ => None,
    }
}

/// All statements and expressions, those inside of others included.
pub(super) fn within(body: &[Stmt]) -> (Vec<&Stmt>, Vec<&Expr>) {
    let (mut statements, mut todo): (Vec<&Stmt>, Vec<&Stmt>) = (Vec::new(), body.iter().collect());
    let mut exprs: Vec<&Expr> = Vec::new();
    while let Some(statement) = todo.pop() {
        statements.push(statement);
        match &statement.kind {
            StmtKind::Expr(expr) | StmtKind::Return(expr) => exprs.extend(expr),
            StmtKind::Declare(declared) => {
                exprs.extend(declared.iter().filter_map(|one| one.value.as_ref()));
            }
            StmtKind::Block(body) => todo.extend(body),
            StmtKind::If(condition, yes, no) => {
                exprs.push(condition);
                todo.push(yes);
                todo.extend(no.as_deref());
            }
            StmtKind::While(condition, body)
            | StmtKind::DoWhile(body, condition)
            | StmtKind::Switch(condition, body) => {
                exprs.push(condition);
                todo.push(body);
            }
            StmtKind::For(first, condition, step, body) => {
                exprs.extend(condition);
                exprs.extend(step);
                todo.extend([&**first, &**body]);
            }
            StmtKind::Assume(condition) | StmtKind::Assert(condition) => exprs.push(condition),
            _ => {}
        }
    }
    let mut at = 0;
    while let Some(expr) = exprs.get(at) {
        exprs.extend(parts(expr));
        at += 1;
    }
    (statements, exprs)
}

impl<'a> Lowering<'a> {
    /// The number of a function that calls itself.
    pub(super) fn recursive(&mut self, function: &'a Function) -> Result<Option<usize>> {
        if !self.recursive.contains(function.name.as_str()) {
            return Ok(None);
        }
        let known = self.procedures.iter().position(|it| it.function.name == function.name);
        if known.is_some() {
            return Ok(known);
        }
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            self.scopes.push(HashMap::new());
            let argument =
                Declared { name: format!("{} of call", parameter.name), ..parameter.clone() };
            arguments.push(self.declare(&argument, false)?);
            self.scopes.pop();
        }
        let result = self.temporary(function.returns.unwrap_or(Type::INT));
        let (first, exit) = (self.graph.point(0), self.graph.point(0));
        self.graph.point_mut(exit).line = (self.lines)(function.span);
        let parameters = Vec::new();
        self.procedures.push(Procedure { function, arguments, result, parameters, first, exit });
        Ok(Some(self.procedures.len() - 1))
    }

    /// Notes a call: what leaves the site is the return.
    pub(super) fn add_site(
        &mut self,
        number: usize,
        site: PointId,
        result: Option<usize>,
        (after, span): (PointId, Span),
    ) -> Result<()> {
        self.sites.push((site, number));
        let kind = Kind::Name(format!(" {}", self.procedures[number].result));
        let edges = match result {
            None => vec![Edge::plain(site, site)],
            Some(to) => self.assignment_edges(site, self.error, to, &Expr { kind, span })?,
        };
        edges.into_iter().for_each(|edge| self.graph.step(Edge { to: after, ..edge }));
        Ok(())
    }

    /// Adds the bodies of all functions that call themselves, as far as they are called.
    pub(super) fn lower_procedures(&mut self) -> Result<()> {
        let mut at = 0;
        while at < self.procedures.len() {
            let Procedure { function, result, first, exit, .. } = self.procedures[at];
            self.scopes.truncate(1);
            // The first frame stands for `main`, whose names and labels claims can see.
            self.frames = vec![
                Frame::new(self.exit, None, None),
                Frame::new(exit, Some(result), function.returns),
            ];
            self.scopes.push(HashMap::new());
            for parameter in &function.parameters {
                let variable = self.declare(parameter, false)?;
                self.procedures[at].parameters.push(variable);
            }
            self.whole_body(function, first)?;
            at += 1;
        }
        Ok(())
    }

    /// The flow graph, and what is called in it; `None` if numbers became too large.
    pub(super) fn finish(mut self, starts: &[Edge]) -> Option<(Flow, Calls)> {
        // They were declared first.
        let globals: Vec<usize> = (0..self.scopes[0].len()).collect();
        let (mut enters, mut copies) = (Vec::new(), Vec::new());
        for number in 0..self.procedures.len() {
            let Procedure { first, .. } = self.procedures[number];
            let copied: Vec<usize> =
                self.procedures[number].arguments.iter().chain(&globals).copied().collect();
            let own: Vec<usize> = copied.iter().map(|_| self.temporary(Type::INT)).collect();
            let mut enter = Edge::plain(first, first);
            let value = |variable: usize| Affine::column(Column::variable(variable));
            enter.update.extend(own.iter().zip(&copied).map(|(&to, &of)| (to, value(of))));
            let Procedure { parameters, arguments, .. } = &self.procedures[number];
            let set = parameters.iter().zip(arguments);
            enter.update.extend(set.map(|(&to, &of)| (to, value(of))));
            enter.update.sort_by_key(|(variable, _)| *variable);
            enters.push(enter);
            copies.push(own);
        }
        let Finished { flow, enters, number } =
            self.graph.finish(self.variables, starts, &enters)?;
        let mut calls = Calls { globals, ..Calls::default() };
        let parts = self.procedures.into_iter().zip(enters).zip(copies);
        for ((procedure, enter), copies) in parts {
            let Procedure { function, arguments, result, exit, .. } = procedure;
            let (name, exit) = (function.name.clone(), number[exit]);
            calls.procedures.push(calls::Procedure {
                name,
                arguments,
                copies,
                result,
                enter,
                exit,
            });
        }
        for (site, procedure) in self.sites {
            calls.sites.extend(number[site].map(|site| (site, procedure)));
        }
        Some((flow, calls))
    }
}
