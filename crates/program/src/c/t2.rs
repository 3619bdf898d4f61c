//! Transition systems of T2 (`.t2`).
//!
//! A file names a start, and lists transitions: where they lead from, assumptions and assignments
//! one after the other, and where they lead to. Here each transition is one step. The initial
//! states are at the start, with any values. A location without transitions stays for ever, with
//! the label `exit`; in others, what no transition can leave does not exist. Expressions are those
//! of C. `nondet()` is any number. What is given of initial states is assumed of the values that
//! runs begin with. What T2 writes for itself (`AT`, `CUTPOINT`, `SHADOW`, `ERROR`)
//! is skipped.

use super::cases::Cases;
use super::syntax::Expr;
use super::{Fault, parse};
use std::collections::BTreeMap;
use tern_ir::flow::{Edge, Flow, Point, PointId, Row};
use tern_model::index::Id;
use tern_model::{Budget, Span};
use tern_numeric::system::Solver;

type Result<T> = std::result::Result<T, Fault>;

/// Reads a transition system, of whose initial states something is given.
///
/// # Errors
/// What is wrong with it, or with what is given, all at once.
pub fn read(text: &str, given: &[Expr]) -> std::result::Result<Flow, Vec<Fault>> {
    let mut reader = Reader::default();
    let mut faults = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for (span, statement) in statements(text) {
        let begin = span.start as usize;
        line += text[counted..begin].matches('\n').count() as u32;
        counted = begin;
        if let Err(fault) = reader.statement(statement, span, line) {
            faults.push(fault);
        }
    }
    if faults.is_empty()
        && let Err(fault) = reader.starts(text, given)
    {
        faults.push(fault);
    }
    if faults.is_empty() { Ok(reader.finish()) } else { Err(faults) }
}

/// The statements of a text with their places, without comments.
fn statements(text: &str) -> Vec<(Span, &str)> {
    let mut found = Vec::new();
    let mut begin: Option<usize> = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next().map_or(1, char::len_utf8);
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        match (begin, rest.starts_with(';')) {
            (Some(from), true) => {
                found.push((Span::new(from..at), text[from..at].trim_end()));
                begin = None;
            }
            (None, false) if !rest.starts_with(char::is_whitespace) => begin = Some(at),
            _ => {}
        }
        at += c;
    }
    if let Some(from) = begin {
        found.push((Span::new(from..text.len()), text[from..].trim_end()));
    }
    found
}

#[derive(Default)]
struct Reader {
    flow: Flow,
    points: BTreeMap<String, PointId>,
    variables: BTreeMap<String, usize>,
    start: Option<PointId>,
    /// The transition that is being read: its edges so far.
    open: Option<(PointId, Vec<Edge>)>,
}

fn wrong(span: Span, message: impl Into<String>) -> Fault {
    Fault::new("C107", span, message, "docs/integers.md says what a `.t2` file is")
}

impl Reader {
    fn point(&mut self, name: &str) -> PointId {
        let flow = &mut self.flow;
        *self.points.entry(name.to_owned()).or_insert_with(|| flow.add_point(Point::default()))
    }

    fn statement(&mut self, text: &str, span: Span, line: u32) -> Result<()> {
        if let Some((word, rest)) = text.split_once(':')
            && !rest.starts_with('=')
        {
            let name = rest.trim().trim_matches('"');
            match word.trim() {
                "START" => {
                    if self.start.is_some() {
                        return Err(wrong(span, "a second `START`"));
                    }
                    let point = self.point(name);
                    self.start = Some(point);
                }
                "FROM" => {
                    if self.open.is_some() {
                        return Err(wrong(span, "`FROM` before the `TO` of the last transition"));
                    }
                    let from = self.point(name);
                    // A location stands where its first transition does.
                    let first = &mut self.flow.points[from].line;
                    *first = if *first == 0 { line } else { *first };
                    self.open = Some((from, vec![Edge::plain(from, from)]));
                }
                "TO" => {
                    let to = self.point(name);
                    let Some((from, edges)) = self.open.take() else {
                        return Err(wrong(span, "`TO` without a `FROM`"));
                    };
                    for edge in edges {
                        self.flow.edges.push(Edge { from, to, ..edge });
                    }
                }
                "ERROR" | "CUTPOINT" | "SHADOW" => {}
                other => return Err(wrong(span, format!("`{other}` is not known here"))),
            }
            return Ok(());
        }
        if text.starts_with("AT(") || text.starts_with("AT (") {
            return Ok(());
        }
        if self.open.is_none() {
            return Err(wrong(span, "this stands outside of a transition"));
        }
        let next = match text.split_once(":=") {
            Some((variable, value)) => {
                let variable = self.variable(variable.trim());
                let value = self.expression(value, span)?;
                self.assignments(variable, &value)?
            }
            None => {
                let inner = text.strip_prefix("assume").map(str::trim);
                let inner = inner.and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
                let Some(condition) = inner else {
                    let message = format!("`{text}` is neither an assumption nor an assignment");
                    return Err(wrong(span, message));
                };
                let condition = self.expression(condition, span)?;
                self.assumptions(&condition)?
            }
        };
        if let Some((_, edges)) = &mut self.open {
            *edges = super::lower::then(edges, &next)?;
        }
        Ok(())
    }

    fn variable(&mut self, name: &str) -> usize {
        let names = &mut self.flow.variables;
        *self.variables.entry(name.to_owned()).or_insert_with(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
    }

    /// Reads an expression, and notes its variables.
    fn expression(&mut self, text: &str, span: Span) -> Result<Expr> {
        let mut expr = parse::expression(text).map_err(|faults| {
            let message = faults.into_iter().map(|it| it.message).next().unwrap_or_default();
            wrong(span, message)
        })?;
        super::lower::replace_calls(&mut expr);
        for name in super::lower::names(&expr) {
            self.variable(&name);
        }
        Ok(expr)
    }

    fn assignments(&self, variable: usize, value: &Expr) -> Result<Vec<Edge>> {
        let resolve = |name: &str| self.variables.get(name).copied();
        let mut cases = Cases::mathematical(&resolve);
        let values = cases.values(value)?;
        let at = PointId::new(0);
        let edges = values.into_iter().filter_map(|case| {
            let outcome = case.outcome?;
            Some(Edge {
                auxiliaries: cases.auxiliaries.clone(),
                facts: case.facts,
                guard: case.guard,
                update: vec![(variable, outcome)],
                ..Edge::plain(at, at)
            })
        });
        Ok(edges.collect())
    }

    fn assumptions(&self, condition: &Expr) -> Result<Vec<Edge>> {
        let resolve = |name: &str| self.variables.get(name).copied();
        let mut cases = Cases::mathematical(&resolve);
        let tests = cases.tests(condition)?;
        let at = PointId::new(0);
        let edges = tests.into_iter().filter(|test| test.outcome == Some(true)).map(|test| Edge {
            auxiliaries: cases.auxiliaries.clone(),
            facts: test.facts,
            guard: test.guard,
            ..Edge::plain(at, at)
        });
        Ok(edges.collect())
    }

    fn starts(&mut self, text: &str, given: &[Expr]) -> Result<()> {
        let end = Span::new(text.len()..text.len());
        if self.open.is_some() {
            return Err(wrong(end, "the last transition has no `TO`"));
        }
        let Some(start) = self.start else {
            return Err(wrong(end, "there is no `START`"));
        };
        let edges = self.flow.edges.as_slice();
        if !edges.iter().any(|edge| edge.from == start || edge.to == start) {
            return Err(wrong(end, "no transition has the location that `START` names"));
        }
        let mut starts = vec![Edge::plain(start, start)];
        for (number, given) in given.iter().enumerate() {
            let placed = |fault: Fault| Fault { given: Some(number), ..fault };
            let assumed = self.assumptions(given).map_err(placed)?;
            starts = super::lower::then(&starts, &assumed).map_err(placed)?;
        }
        self.flow.starts = starts;
        Ok(())
    }

    fn finish(mut self) -> Flow {
        let leaving = self.flow.leaving();
        for point in self.flow.points.ids() {
            let edges: Vec<Edge> =
                leaving[point].iter().map(|&edge| self.flow.edges[edge].clone()).collect();
            if edges.is_empty() {
                self.flow.points[point].labels.push("exit".to_owned());
                self.flow.points[point].total = true;
                self.flow.edges.push(Edge::plain(point, point));
            } else {
                self.flow.points[point].total = is_total(&edges);
            }
        }
        self.flow
    }
}

/// Whether some edge can be taken in every state, as far as that is found out.
fn is_total(edges: &[Edge]) -> bool {
    const MOST: usize = 200;
    let budget = Budget::unlimited();
    let mut solver = Solver::new(&budget);
    // States in which no edge so far can be taken.
    let mut left: Vec<Vec<Row>> = vec![Vec::new()];
    for edge in edges {
        let is_plain = |row: &Row| row.affine().terms.iter().all(|t| t.0.as_variable().is_some());
        if !edge.guard.iter().all(is_plain) || !edge.facts.is_empty() {
            continue;
        }
        let mut next = Vec::new();
        for rows in &left {
            for row in &edge.guard {
                let Some(negated) = row.negated() else { return false };
                let mut part = rows.clone();
                part.push(negated);
                if !solver.is_empty(&part).unwrap_or(false) {
                    next.push(part);
                }
            }
        }
        left = next;
        if left.len() > MOST {
            return false;
        }
    }
    left.is_empty()
}
