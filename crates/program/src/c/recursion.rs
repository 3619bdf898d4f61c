//! Functions that call themselves: which they are, and their points in the flow graph.
//!
//! Such a function is lowered once. Calls set variables for its arguments, and lead to a *site*;
//! [`tern_ir::calls`] says what that means. Everything else is inlined, also into these functions.

use super::graph::Finished;
use super::inline::Frame;
use super::lower::{Lowering, Result, parts};
use super::syntax::{Declared, Expr, Function, Kind, Stmt, StmtKind, Type, Unit};
use std::collections::{HashMap, HashSet};
use tern_ir::calls::{self, Calls};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::{Components, SccId};
use tern_model::{Budget, Span, indices};

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

indices! {
    /// A function with a body.
    FunctionId = "f";
}

/// The functions of a program, and what each calls.
struct Calling<'a> {
    functions: Table<FunctionId, (&'a Function, Outlined<'a>)>,
    callees: Table<FunctionId, Vec<FunctionId>>,
    /// Those that call each other; what is called comes first.
    parts: Components<FunctionId>,
}

impl<'a> Calling<'a> {
    fn new(unit: &'a Unit) -> Self {
        let functions: Table<FunctionId, (&Function, Outlined<'_>)> =
            unit.functions.iter().map(|it| (it, outlined(&it.body))).collect();
        let numbers: HashMap<&str, FunctionId> =
            functions.iter().map(|(id, (function, _))| (&*function.name, id)).collect();
        let of = |it: &Outlined<'_>| {
            it.callees.iter().filter_map(|name| numbers.get(name).copied()).collect()
        };
        let callees: Table<FunctionId, Vec<FunctionId>> =
            functions.as_slice().iter().map(|(_, it)| of(it)).collect();
        let budget = Budget::unlimited();
        let successors = |it: FunctionId| callees[it].iter().copied();
        let parts = Components::new(callees.len(), successors, &mut Meter::new(&budget));
        let Ok(parts) = parts else { unreachable!("there is no limit") };
        Calling { functions, callees, parts }
    }

    fn name(&self, function: FunctionId) -> &'a str {
        &self.functions[function].0.name
    }

    /// Whether a function calls itself, perhaps by way of others.
    fn is_recursive(&self, function: FunctionId) -> bool {
        let together = self.parts.members(self.parts.of(function));
        together.len() > 1 || self.callees[function].contains(&function)
    }

    /// Whether there is a loop or a jump in a function, or in what it may come to call.
    fn looping(&self) -> Table<FunctionId, bool> {
        let mut parts: Table<SccId, bool> = Table::new();
        for part in self.parts.ids() {
            let loops = |&it: &FunctionId| {
                let mut callees = self.callees[it].iter().map(|&callee| self.parts.of(callee));
                self.functions[it].1.loops || callees.any(|callee| callee < part && parts[callee])
            };
            let loops = self.parts.members(part).iter().any(loops);
            parts.push(loops);
        }
        self.callees.ids().map(|it| parts[self.parts.of(it)]).collect()
    }
}

/// The functions that call themselves, perhaps by way of others, and those that are too large to
/// be inlined.
pub(super) fn recursive(unit: &Unit) -> HashSet<&str> {
    let calling = Calling::new(unit);
    let recursive = calling.functions.ids().filter(|&it| calling.is_recursive(it));
    let recursive = recursive.map(|it| calling.name(it)).collect();
    with_large(&calling, recursive)
}

/// Adds functions that would be inlined at several places, if that made the program too large:
/// they are treated as if they called themselves.
fn with_large<'a>(calling: &Calling<'a>, mut chosen: HashSet<&'a str>) -> HashSet<&'a str> {
    const MOST_OF_ALL: usize = 1500;
    const MOST_OF_ONE: [usize; 4] = [usize::MAX, 100, 20, 0];
    // What a variable costs beside a statement, each place having variables of its own: more if
    // there are loops that it may change in.
    const VARIABLE: [usize; 2] = [4, 6];
    let order = calling.parts.all_members().iter().copied();
    let functions: Vec<FunctionId> =
        order.filter(|&it| !chosen.contains(calling.name(it))).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    for callee in calling.functions.as_slice().iter().flat_map(|(_, it)| &it.callees) {
        *times.entry(callee).or_default() += 1;
    }
    let looping = calling.looping();
    for most in MOST_OF_ONE {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for &id in &functions {
            let (function, outlined) = &calling.functions[id];
            let (name, statements) = (function.name.as_str(), outlined.statements);
            let variables = 1 + function.parameters.len() + outlined.variables;
            let own = match name {
                "main" => statements,
                _ => statements.max(VARIABLE[usize::from(looping[id])] * variables),
            };
            let of = |callee: &str| sizes.get(callee).copied().unwrap_or(1);
            let callees = outlined.callees.iter();
            let size = callees.fold(own, |sum, callee| sum.saturating_add(of(callee)));
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
